//! Claims about the spatial algebra, compared with 6×6 matrices from the papers' block formulas.
//!
//! The papers put the angular part first, dtau the linear part. Only [`linear_first`] converts.

#![allow(non_snake_case)] // the papers' symbols

use dtau::scalar::{Complex, Lanes, Real};
use dtau::spatial::{ArticulatedInertia, Force, Inertia, Mat3, Motion, Quaternion, Sym3, Transform, Vec3};
use dtau_fixtures::Rng;
use dtau_fixtures::tables::{assert_close, largest, rotation_about};

/// For identities between products of three or four factors of size 1 to 4, with sums of up to 12 terms: a
/// few dozen roundings of 1.1e-16, of terms up to about 50.
const ROUNDING: f64 = 1e-13;

// ---------------------------------------------------------------------------------------------------------------------
// 6×6 matrices

type Mat6 = [[f64; 6]; 6];

fn table(entry: impl Fn(usize, usize) -> f64) -> Mat6 {
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

fn product(a: Mat6, b: Mat6) -> Mat6 {
    table(|i, j| (0..6).map(|k| a[i][k] * b[k][j]).sum())
}

fn difference(a: Mat6, b: Mat6) -> Mat6 {
    table(|i, j| a[i][j] - b[i][j])
}

fn transpose(a: Mat6) -> Mat6 {
    table(|i, j| a[j][i])
}

fn negative(a: Mat6) -> Mat6 {
    table(|i, j| -a[i][j])
}

fn apply(a: Mat6, x: [f64; 6]) -> [f64; 6] {
    a.map(|row| dot(row, x))
}

fn dot(a: [f64; 6], b: [f64; 6]) -> f64 {
    (0..6).map(|k| a[k] * b[k]).sum()
}

/// Makes a 6×6 matrix in dtau's order from its blocks in the papers' order.
fn linear_first(blocks: [[Mat3<f64>; 2]; 2]) -> Mat6 {
    let blocks = blocks.map(|row| row.map(Mat3::to_rows));
    table(|i, j| blocks[1 - i / 3][1 - j / 3][i % 3][j % 3])
}

/// Returns the matrix of a linear map, column by column.
fn matrix_of(map: impl Fn([f64; 6]) -> [f64; 6]) -> Mat6 {
    transpose(std::array::from_fn(|j| map(std::array::from_fn(|i| f64::from(u8::from(i == j))))))
}

/// Returns the matrix of `v ×`.
fn cross(v: Motion<f64>) -> Mat6 {
    matrix_of(|x| v.cross(Motion::from_array(x)).to_array())
}

/// Returns the matrix of `v ×*`.
fn cross_force(v: Motion<f64>) -> Mat6 {
    matrix_of(|x| v.cross_force(Force::from_array(x)).to_array())
}

/// Returns the matrix of `f ×̄*`.
fn cross_bar(f: Force<f64>) -> Mat6 {
    matrix_of(|x| f.cross_bar(Motion::from_array(x)).to_array())
}

/// Returns the matrix that takes motions from B to A, where `x` is the placement of B in A: `[R 0; p×R R]`,
/// angular first.
fn motion_matrix(x: &Transform<f64>) -> Mat6 {
    linear_first([[x.rot, Mat3::zero()], [Mat3::skew(x.pos) * x.rot, x.rot]])
}

/// Returns the matrix that takes forces from B to A: `[R p×R; 0 R]`, angular first.
fn force_matrix(x: &Transform<f64>) -> Mat6 {
    linear_first([[x.rot, Mat3::skew(x.pos) * x.rot], [Mat3::zero(), x.rot]])
}

// ---------------------------------------------------------------------------------------------------------------------
// Cross products. The vectors are integers, so nothing is rounded and everything must agree exactly.

#[test]
fn cross_products_are_the_matrices_of_the_paper() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v, f) = (rng.integer_motion(), rng.integer_force());
        let (v_x, w_x) = (Mat3::skew(v.lin), Mat3::skew(v.ang));
        let (f_x, n_x) = (Mat3::skew(f.lin), Mat3::skew(f.ang));
        let o = Mat3::zero();
        assert_close(cross(v), linear_first([[w_x, o], [v_x, w_x]]), 0.0, "v× [Singh22] eq. (41)");
        assert_close(cross_force(v), linear_first([[w_x, v_x], [o, w_x]]), 0.0, "v×* [Singh22] eq. (42)");
        assert_close(cross_bar(f), negative(linear_first([[n_x, f_x], [f_x, o]])), 0.0, "f×̄* [Singh22] eq. (43)");
    }
}

#[test]
fn cross_products_with_a_sum_are_cross_products_and_sums() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v, m, c) = (rng.integer_motion(), rng.integer_motion(), rng.integer_motion());
        let (f, g) = (rng.integer_force(), rng.integer_force());
        let k = rng.integer();
        assert_close(v.cross_add(m, c), v.cross(m) + c, 0.0, "v × m + c");
        assert_close(v.cross_force_add(f, g), v.cross_force(f) + g, 0.0, "v ×* f + g");
        assert_close(f.cross_bar(v), v.cross_force(f), 0.0, "f ×̄* v = v ×* f");
        assert_close(m.scale_add(k, c), m * k + c, 0.0, "k m + c");
        assert_close(f.scale_add(k, g), f * k + g, 0.0, "k f + g");
        assert_close(v.dot(f), dot(v.to_array(), f.to_array()), 0.0, "vᵀ f");
        assert_close(v.lin.cross_add(m.lin, c.lin), v.lin.cross(m.lin) + c.lin, 0.0, "a × b + c");
        assert_close(v.lin.cross(m.lin), Mat3::skew(v.lin) * m.lin, 0.0, "a × b");
        let (mut sum, mut rest) = (v, f);
        sum += m;
        rest -= g;
        assert_close(sum, v - -m, 0.0, "v += m");
        assert_close(rest, f + -g, 0.0, "f −= g");
    }
}

/// P1. (v × m)× = (v×)(m×) − (m×)(v×)
#[test]
fn p1_the_cross_product_of_motions_is_a_commutator() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v, m) = (rng.integer_motion(), rng.integer_motion());
        let want = difference(product(cross(v), cross(m)), product(cross(m), cross(v)));
        assert_close(cross(v.cross(m)), want, 0.0, "P1");
    }
}

/// P2. (v × m)×* = (v×*)(m×*) − (m×*)(v×*)
#[test]
fn p2_the_cross_product_on_forces_is_a_commutator() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v, m) = (rng.integer_motion(), rng.integer_motion());
        let want = difference(product(cross_force(v), cross_force(m)), product(cross_force(m), cross_force(v)));
        assert_close(cross_force(v.cross(m)), want, 0.0, "P2");
    }
}

/// P3. (v ×* f)×̄* = (v×*)(f×̄*) − (f×̄*)(v×)
#[test]
fn p3_the_third_cross_product_of_a_carried_force() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v, f) = (rng.integer_motion(), rng.integer_force());
        let want = difference(product(cross_force(v), cross_bar(f)), product(cross_bar(f), cross(v)));
        assert_close(cross_bar(v.cross_force(f)), want, 0.0, "P3");
    }
}

/// P4. (v₁ × v₂)ᵀ f = −v₂ᵀ (v₁ ×* f)
#[test]
fn p4_power_is_carried_along() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v1, v2, f) = (rng.integer_motion(), rng.integer_motion(), rng.integer_force());
        assert_close(v1.cross(v2).dot(f), -v2.dot(v1.cross_force(f)), 0.0, "P4");
    }
}

/// P5. (v₁ ×* f)ᵀ v₂ = −fᵀ (v₁ × v₂)
#[test]
fn p5_power_of_a_carried_force() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v1, v2, f) = (rng.integer_motion(), rng.integer_motion(), rng.integer_force());
        let got = dot(apply(cross_force(v1), f.to_array()), v2.to_array());
        assert_close(got, -dot(f.to_array(), v1.cross(v2).to_array()), 0.0, "P5");
    }
}

/// P6. v₁ᵀ (v₂×*) f = fᵀ (v₁ × v₂)
#[test]
fn p6_the_triple_product_changes_sign_with_its_motions() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (v1, v2, f) = (rng.integer_motion(), rng.integer_motion(), rng.integer_force());
        assert_close(v1.dot(v2.cross_force(f)), v1.cross(v2).dot(f), 0.0, "P6");
        assert_close(v1.cross(v2), -v2.cross(v1), 0.0, "v₁ × v₂ = −v₂ × v₁");
    }
}

/// P7. (u × v)ᵀ = −vᵀ (u×*), hence (u×)ᵀ = −u×*
#[test]
fn p7_the_two_cross_products_are_negative_transposes() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (u, v) = (rng.integer_motion(), rng.integer_motion());
        let row = apply(transpose(cross_force(u)), v.to_array()); // vᵀ (u×*), as a column
        assert_close(u.cross(v).to_array(), row.map(|x| -x), 0.0, "P7");
        assert_close(transpose(cross(u)), negative(cross_force(u)), 0.0, "(u×)ᵀ = −u×*");
    }
}

/// P8. (u ×* f)ᵀ = −fᵀ (u×), and the third cross product is skew: f×̄* = −(f×̄*)ᵀ
#[test]
fn p8_a_carried_force_as_a_row() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (u, f) = (rng.integer_motion(), rng.integer_force());
        let row = apply(transpose(cross(u)), f.to_array()); // fᵀ (u×), as a column
        assert_close(u.cross_force(f).to_array(), row.map(|x| -x), 0.0, "P8");
        assert_close(cross_bar(f), negative(transpose(cross_bar(f))), 0.0, "f×̄* is skew");
    }
}

/// Products in lanes give every state the same bits as a single state.
#[test]
fn cross_products_in_lanes_are_cross_products() {
    let mut rng = Rng::new(1);
    let (v, u, f) = ([(); 4].map(|()| rng.motion()), [(); 4].map(|()| rng.motion()), [(); 4].map(|()| rng.force()));
    let lanes = |rows: [[f64; 6]; 4]| std::array::from_fn(|k| Lanes::<4>(rows.map(|row| row[k])));
    let [v4, u4] = [v, u].map(|m| Motion::from_array(lanes(m.map(Motion::to_array))));
    let f4 = Force::from_array(lanes(f.map(Force::to_array)));
    let (motion, force) = (v4.cross(u4).to_array(), v4.cross_force(f4).to_array());
    for i in 0..4 {
        assert_close(motion.map(|x| x.0[i]), v[i].cross(u[i]).to_array(), 0.0, "v × u");
        assert_close(force.map(|x| x.0[i]), v[i].cross_force(f[i]).to_array(), 0.0, "v ×* f");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Transforms

#[test]
fn transforms_are_the_matrices_of_the_paper() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (x, m, f) = (rng.transform(), rng.motion(), rng.force());
        let (on_motions, on_forces) = (motion_matrix(&x), force_matrix(&x));
        assert_close(x.act(m).to_array(), apply(on_motions, m.to_array()), ROUNDING, "X m");
        assert_close(x.act_force(f).to_array(), apply(on_forces, f.to_array()), ROUNDING, "X* f");
        // (X*)⁻¹ = Xᵀ and X⁻¹ = (X*)ᵀ
        assert_close(x.act_inv(m).to_array(), apply(transpose(on_forces), m.to_array()), ROUNDING, "X⁻¹ m");
        assert_close(x.act_force_inv(f).to_array(), apply(transpose(on_motions), f.to_array()), ROUNDING, "X*⁻¹ f");
    }
}

#[test]
fn transforms_have_inverses() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (x, m, f, p) = (rng.transform(), rng.motion(), rng.force(), rng.vec3());
        assert_close(x.act_inv(x.act(m)), m, ROUNDING, "X⁻¹ X m");
        assert_close(x.act(x.act_inv(m)), m, ROUNDING, "X X⁻¹ m");
        assert_close(x.act_force_inv(x.act_force(f)), f, ROUNDING, "X*⁻¹ X* f");
        assert_close(x.inverse().act(m), x.act_inv(m), ROUNDING, "inverse().act = act_inv");
        assert_close(x.inverse().act_force(f), x.act_force_inv(f), ROUNDING, "inverse().act_force = act_force_inv");
        assert_close(x.inverse().act_point(x.act_point(p)), p, ROUNDING, "points");
        let one = x * x.inverse();
        assert_close(one.rot, Mat3::identity(), ROUNDING, "X X⁻¹, rotation");
        assert_close(one.pos, Vec3::zero(), ROUNDING, "X X⁻¹, origin");
    }
}

#[test]
fn transforms_compose() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (ab, bc) = (rng.transform(), rng.transform());
        let (m, f, p) = (rng.motion(), rng.force(), rng.vec3());
        let ac = ab * bc;
        assert_close(ac.act(m), ab.act(bc.act(m)), ROUNDING, "motions");
        assert_close(ac.act_force(f), ab.act_force(bc.act_force(f)), ROUNDING, "forces");
        assert_close(ac.act_point(p), ab.act_point(bc.act_point(p)), ROUNDING, "points");
        assert_close(motion_matrix(&ac), product(motion_matrix(&ab), motion_matrix(&bc)), ROUNDING, "matrices");
        let shifted = Transform::translation(p) * ab;
        assert_close(shifted.pos, ab.pos + p, 0.0, "a shift moves the origin");
        assert_close((Transform::identity() * ab).act(m), ab.act(m), 0.0, "the identity does nothing");
    }
}

/// Power and the three cross products are independent of the frame.
#[test]
fn transforms_preserve_power_and_cross_products() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (x, v, u, f) = (rng.transform(), rng.motion(), rng.motion(), rng.force());
        assert_close(x.act(v).dot(x.act_force(f)), v.dot(f), ROUNDING, "vᵀ f");
        assert_close(x.act(v).cross(x.act(u)), x.act(v.cross(u)), 10.0 * ROUNDING, "v × u");
        assert_close(x.act(v).cross_force(x.act_force(f)), x.act_force(v.cross_force(f)), 10.0 * ROUNDING, "v ×* f");
        assert_close(x.act_force(f).cross_bar(x.act(v)), x.act_force(f.cross_bar(v)), 10.0 * ROUNDING, "f ×̄* v");
    }
}

/// A chain of revolute joints about coordinate axes, with random shifts between them, at the angles `q`.
fn chain<T: Real>(shifts: &[Vec3<f64>], q: &[T]) -> Transform<T> {
    let mut x = Transform::identity();
    for (k, (shift, angle)) in shifts.iter().zip(q).enumerate() {
        x = x * Transform::new(rotation_about(k % 3, *angle), Vec3::lift(*shift));
    }
    x
}

/// If joint k moves, a vector beyond the joint changes by a cross product with the joint's axis, here in base
/// coordinates: ∂(X m)/∂q_k = J_k × X m, ∂(X* f)/∂q_k = J_k ×* X* f, ∂I/∂q_k = J_k ×* I − I J_k ×. Complex
/// step is exact.
#[test]
fn cross_products_are_the_complex_step_derivatives_of_transforms() {
    const H: f64 = 1e-30;
    const N: usize = 5;
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let shifts = [(); N].map(|()| rng.vec3());
        let q = [(); N].map(|()| rng.normal());
        let (m, f, inertia) = (rng.motion(), rng.force(), rng.inertia());
        let x = chain(&shifts, &q);
        let (xm, xf, xi) = (x.act(m), x.act_force(f), inertia.transform(&x));
        for k in 0..N {
            let mut axis = [0.0; 6];
            axis[3 + k % 3] = 1.0;
            let J = chain(&shifts[..=k], &q[..=k]).act(Motion::from_array(axis));

            let stepped: [Complex; N] = std::array::from_fn(|i| Complex::new(q[i], if i == k { H } else { 0.0 }));
            let x = chain(&shifts, &stepped);
            let by_step = |z: [Complex; 6]| z.map(|z| z.im / H);
            let tolerance = 10.0 * ROUNDING;
            assert_close(by_step(x.act(Motion::lift(m)).to_array()), J.cross(xm).to_array(), tolerance, "X m");
            let force = x.act_force(Force::lift(f)).to_array();
            assert_close(by_step(force), J.cross_force(xf).to_array(), tolerance, "X* f");
            let got = Inertia::lift(&inertia).transform(&x).to_matrix().map(by_step);
            let want = difference(product(cross_force(J), xi.to_matrix()), product(xi.to_matrix(), cross(J)));
            assert_close(got, want, ROUNDING * (1.0 + largest(want)), "X* I X⁻¹");
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Inertias

/// `[Ī_c + m c× c×ᵀ, m c×; m c×ᵀ, m 1]`, angular first. [RBDA] eq. (2.63)
#[test]
fn inertia_is_the_matrix_of_the_book() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (mass, c, about_com) = (rng.within(0.5, 3.0), rng.vec3(), rng.sym3());
        let inertia = Inertia::from_com(mass, c, about_com);
        let c_x = Mat3::skew(c);
        let scaled = |a: Mat3<f64>, k: f64| Mat3 { cols: a.cols.map(|column| column * k) };
        let want = linear_first([
            [about_com.to_mat3() + scaled(c_x * c_x.transpose(), mass), scaled(c_x, mass)],
            [scaled(c_x.transpose(), mass), scaled(Mat3::identity(), mass)],
        ]);
        assert_close(inertia.to_matrix(), want, ROUNDING, "I");
        assert_close(inertia.to_matrix(), transpose(inertia.to_matrix()), 0.0, "I = Iᵀ");
        assert_close(inertia.h_skew(), Mat3::skew(c * mass), 0.0, "h×");
        let m = rng.motion();
        assert_close((inertia * m).to_array(), apply(want, m.to_array()), ROUNDING, "I v");
    }
}

/// X* I X⁻¹, with X⁻¹ = (X*)ᵀ.
#[test]
fn inertia_transforms_like_its_matrix() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (x, inertia, m) = (rng.transform(), rng.inertia(), rng.motion());
        let moved = inertia.transform(&x);
        let want = product(product(force_matrix(&x), inertia.to_matrix()), transpose(force_matrix(&x)));
        assert_close(moved.to_matrix(), want, 10.0 * ROUNDING, "X* I X⁻¹");
        assert_close(moved * x.act(m), x.act_force(inertia * m), 10.0 * ROUNDING, "momentum");
        assert_close(moved.transform(&x.inverse()), inertia, 10.0 * ROUNDING, "there and back");
    }
}

#[test]
fn kinetic_energy_does_not_depend_on_the_frame() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (x, inertia, v) = (rng.transform(), rng.inertia(), rng.motion());
        let energy = v.dot(inertia * v);
        let moved = x.act(v);
        assert_close(moved.dot(inertia.transform(&x) * moved), energy, ROUNDING * (1.0 + energy), "vᵀ I v");
        assert!(energy > 0.0, "a body that exists has positive kinetic energy, seed {seed}");
    }
}

#[test]
fn inertias_of_welded_bodies_add() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (x, a, b, v) = (rng.transform(), rng.inertia(), rng.inertia(), rng.motion());
        let mut sum = a;
        sum += b;
        assert_close(sum, a + b, 0.0, "+=");
        assert_close((a + b) * v, a * v + b * v, ROUNDING, "momentum");
        assert_close((a + b).transform(&x), a.transform(&x) + b.transform(&x), 10.0 * ROUNDING, "moved");
        assert_close(a + Inertia::zero(), a, 0.0, "nothing added");
    }
}

/// A body of point masses: its momentum is Σ m ṗ and Σ p × m ṗ, with ṗ = v + ω × p. Masses, positions and
/// velocities are integers, so the two must agree exactly.
#[test]
fn a_body_of_point_masses_has_their_momentum() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let points = [(); 6].map(|()| (rng.integer().abs() + 1.0, rng.integer_vec3()));
        let v = rng.integer_motion();
        let (mut inertia, mut want, mut energy) = (Inertia::zero(), Force::zero(), 0.0);
        for (mass, p) in points {
            inertia += Inertia::from_com(mass, p, Sym3::zero());
            let velocity = v.lin + v.ang.cross(p);
            let momentum = velocity * mass;
            want += Force::new(momentum, p.cross(momentum));
            energy += mass * velocity.norm_squared();
        }
        assert_close(inertia * v, want, 0.0, "momentum");
        assert_close(v.dot(inertia * v), energy, 0.0, "twice the kinetic energy");
    }
}

#[test]
fn articulated_inertia_starts_as_the_rigid_one() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (a, b, m) = (rng.inertia(), rng.inertia(), rng.motion());
        assert_close(ArticulatedInertia::from(a) * m, a * m, ROUNDING, "Iᴬ a = I a");
        let mut sum = ArticulatedInertia::from(a);
        sum += ArticulatedInertia::from(b);
        assert_close(sum * m, (a + b) * m, ROUNDING, "sum");
        sum += ArticulatedInertia::zero();
        assert_close(sum * m, (a + b) * m, ROUNDING, "sum with nothing");
    }
}

/// Returns the 6×6 matrix of an articulated inertia, from its blocks.
fn articulated_matrix(i: &ArticulatedInertia<f64>) -> Mat6 {
    linear_first([[i.J.to_mat3(), i.H.transpose()], [i.H, i.M.to_mat3()]])
}

#[test]
fn articulated_inertia_multiplies_like_its_matrix() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (i, m) = (ArticulatedInertia { M: rng.sym3(), H: rng.mat3(), J: rng.sym3() }, rng.motion());
        assert_close((i * m).to_array(), apply(articulated_matrix(&i), m.to_array()), ROUNDING, "Iᴬ a");
    }
}

/// Iᴬ − u (k u)ᵀ. With u = Iᴬ S and k = 1/(Sᵀ u), the free direction S has no inertia left.
#[test]
fn a_free_direction_takes_its_inertia_away() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (inertia, S) = (ArticulatedInertia::from(rng.inertia()), rng.motion());
        let u = inertia * S;
        let k = S.dot(u).recip();
        let rest = inertia.sub_outer(u * k, u);
        let full = articulated_matrix(&inertia);
        let want = table(|i, j| full[i][j] - u.to_array()[i] * k * u.to_array()[j]);
        assert_close(articulated_matrix(&rest), want, ROUNDING, "Iᴬ − u k uᵀ");
        assert_close(rest * S, Force::zero(), ROUNDING * (1.0 + largest(u)), "(Iᴬ − u k uᵀ) S");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Rotations and 3×3 matrices

#[test]
fn quaternions_are_rotation_matrices() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (a, b) = (rng.quaternion(), rng.quaternion());
        let R = a.to_matrix();
        let [x, y, z] = R.cols;
        let tolerance = 1e-14; // a few roundings of numbers up to 1
        assert_close(R.transpose() * R, Mat3::identity(), tolerance, "RᵀR");
        assert_close(x.cross(y).dot(z), 1.0, tolerance, "det R");
        assert_close((a * b).to_matrix(), R * b.to_matrix(), tolerance, "product");
        assert_close(a.conjugate().to_matrix(), R.transpose(), tolerance, "inverse");
        assert_close(a * a.conjugate(), Quaternion::identity(), tolerance, "a a⁻¹");
        assert_close(a.norm_squared(), 1.0, tolerance, "length");
        assert_close(Quaternion::from_slice(&a.to_array()), a, 0.0, "to and from an array");
        // 1 + 2 w v× + 2 v× v×, written out with matrices
        let (v_x, w) = (Mat3::skew(a.v), a.w);
        let double = |m: Mat3<f64>, k: f64| Mat3 { cols: m.cols.map(|c| c * (2.0 * k)) };
        assert_close(R, Mat3::identity() + double(v_x, w) + double(v_x * v_x, 1.0), tolerance, "1 + 2w v× + 2 v×²");
    }
    assert_close(Quaternion::<f64>::identity().to_matrix(), Mat3::identity(), 0.0, "identity");
}

/// About a coordinate axis, the exponential is the elementary rotation matrix, for small, large and full turns.
#[test]
fn the_exponential_turns_about_its_vector() {
    for axis in 0..3 {
        for angle in [0.0, 1e-9, 1e-3, 0.19, 0.21, 1.0, -2.0, 3.1, 6.3, -20.0] {
            let mut w = [0.0; 3];
            w[axis] = angle;
            let got = Quaternion::exp(Vec3::from(w)).to_matrix();
            assert_close(got, rotation_about(axis, angle), 2e-15, &format!("axis {axis}, angle {angle}"));
        }
    }
}

/// Up to half a turn, the logarithm inverts the exponential. Near the half turn, the sign of the axis depends
/// on the last bit, so it is excluded. The tolerance is a few roundings of an angle of at most π.
#[test]
fn the_logarithm_undoes_the_exponential() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let direction = rng.vec3();
        let angle = if seed % 2 == 0 { rng.within(0.0, 3.1) } else { 10f64.powf(rng.within(-12.0, 0.0)) };
        let w = direction * (angle / direction.norm_squared().sqrt());
        assert_close(Quaternion::exp(w).log(), w, 1e-14 * angle.max(1e-3), "log exp w");
        let q = rng.quaternion();
        assert_close(Quaternion::exp(q.log()).to_matrix(), q.to_matrix(), 1e-14, "exp log q");
    }
}

/// d/dt exp(t w) at t is w× exp(t w): the derivative of the exponential along its own vector, also at zero.
#[test]
fn the_exponential_has_the_derivative_of_a_rotation() {
    const H: f64 = 1e-30;
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let w = rng.vec3();
        for t in [0.0, 1e-8, 0.05, 0.7] {
            let stepped = Vec3::<Complex>::lift(w) * Complex::new(t, H);
            let got = Quaternion::exp(stepped).to_matrix().to_rows().map(|row| row.map(|z| z.im / H));
            let want = Mat3::skew(w) * Quaternion::exp(w * t).to_matrix();
            assert_close(got, want.to_rows(), ROUNDING, &format!("t = {t}"));
        }
    }
}

#[test]
fn symmetric_matrices_are_matrices() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (s, t, x, b) = (rng.sym3(), rng.sym3(), rng.vec3(), rng.vec3());
        let R = rng.quaternion().to_matrix();
        let full = s.to_mat3();
        assert_close(full, full.transpose(), 0.0, "S = Sᵀ");
        assert_close(Sym3::from_lower(&full), s, 0.0, "from_lower");
        assert_close(s * x, full * x, ROUNDING, "S x");
        assert_close(s.mul_add(x, b), full * x + b, ROUNDING, "S x + b");
        assert_close(s.rotate(&R), Sym3::from_lower(&(R * full * R.transpose())), ROUNDING, "R S Rᵀ");
        assert_close(s.rotate(&R).to_mat3(), R * full * R.transpose(), ROUNDING, "R S Rᵀ, both triangles");
        assert_close((s + t).to_mat3(), full + t.to_mat3(), 0.0, "S + T");
        assert_close(s.trace(), full.trace(), 0.0, "trace");
        assert_close(s.rotate(&R).trace(), s.trace(), ROUNDING, "trace of R S Rᵀ");
        let k = rng.normal();
        assert_close(s.sub_outer(x * k, x).to_mat3(), full - Mat3::outer(x * k, x), ROUNDING, "S − k x xᵀ");
        assert_close(Sym3::diagonal(x.x, x.y, x.z) * b, Vec3::new(x.x * b.x, x.y * b.y, x.z * b.z), 0.0, "diagonal");
    }
}

/// Only the lower triangle is read.
#[test]
fn a_symmetric_matrix_is_read_from_the_lower_triangle() {
    let m = Mat3::from_rows([[1.0, 9.0, 9.0], [2.0, 3.0, 9.0], [4.0, 5.0, 6.0]]);
    let want = Mat3::from_rows([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [4.0, 5.0, 6.0]]);
    assert_close(Sym3::from_lower(&m).to_mat3(), want, 0.0, "from_lower");
}

#[test]
fn matrices_multiply_like_matrices() {
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let (a, b, x, y) = (rng.mat3(), rng.mat3(), rng.vec3(), rng.vec3());
        let (rows, other) = (a.to_rows(), b.to_rows());
        let entry = |i: usize, j: usize| (0..3).map(|k| rows[i][k] * other[k][j]).sum::<f64>();
        let want: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        assert_close((a * b).to_rows(), want, ROUNDING, "A B");
        assert_close(a * x, Vec3::from(rows.map(|row| Vec3::from(row).dot(x))), ROUNDING, "A x");
        assert_close(a.mul_add(x, y), a * x + y, ROUNDING, "A x + y");
        assert_close(a.tr_mul(x), a.transpose() * x, ROUNDING, "Aᵀ x");
        assert_close(Mat3::from_rows(rows), a, 0.0, "to and from rows");
        assert_close(a.transpose().transpose(), a, 0.0, "transposed twice");
        assert_close((a + b) - b, a, ROUNDING, "A + B − B");
        assert_close(Mat3::outer(x, y) * b.cols[0], x * y.dot(b.cols[0]), ROUNDING, "x yᵀ z");
        assert_close(x.scale_add(2.0, y), x + x + y, ROUNDING, "2x + y");
    }
}
