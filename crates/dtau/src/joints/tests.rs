//! Tests of the joint interface, run on every type of the list.

use super::*;
use crate::random::Random;
use crate::scalar::{Complex, Lanes};
use crate::spatial::{Mat3, Quaternion, Vec3};

/// Rounding of a handful of operations on numbers of size one.
const TOLERANCE: f64 = 1e-14;

/// Every joint of the list, with numbers if it has any.
fn every_joint() -> impl Iterator<Item = Joint> {
    let kind = |name: &&str| JointKind::named(name, Vec3::new(0.0, 0.0, 1.0), &[0.3; 4])?.joint();
    JointKind::NAMES.iter().filter_map(kind)
}

struct Case {
    joint: Joint,
    X: Transform<f64>,
    q: Vec<f64>,
    qd: Vec<f64>,
    v: Motion<f64>,
    a: Motion<f64>,
    f: Force<f64>,
}

fn cases() -> impl Iterator<Item = Case> {
    (0..5).flat_map(|seed| every_joint().map(move |joint| case(joint, seed)))
}

fn case(joint: Joint, seed: u64) -> Case {
    let random = &mut Random::seeded(seed);
    let mut q = vec![0.0; joint.group().nq()];
    joint.group().random(&mut || random.unit(), f64::NEG_INFINITY, f64::INFINITY, &mut q);
    let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| random.within(-1.0, 1.0)).collect() };
    let qd = numbers(joint.group().nv());
    let mut six = || -> [f64; 6] { numbers(6).try_into().unwrap() };
    let (v, a, f) = (Motion::from_array(six()), Motion::from_array(six()), Force::from_array(six()));
    let [x, y, z, p, r, s] = six();
    let X = Transform::new(Quaternion::exp(Vec3::new(x, y, z)).to_matrix(), Vec3::new(p, r, s));
    Case { joint, X, q, qd, v, a, f }
}

fn turn<T: Real>(joint: &Joint, q: &[T]) -> (T, T) {
    joint.angle().map_or((T::zero(), T::one()), |k| q[k].sin_cos())
}

/// `S x` in the body's own frame, from the columns.
fn along(joint: &Joint, x: &[f64]) -> Motion<f64> {
    let here = Transform::identity();
    (0..x.len()).fold(Motion::zero(), |sum, k| joint.axis(k, &here).scale_add(x[k], sum))
}

#[track_caller]
fn assert_close(joint: &Joint, got: &[f64], want: &[f64]) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= TOLERANCE, "{joint:?}, {i}: got {g}, want {w}");
    }
}

/// Moving by `q ⊕ δ` moves the body by `S δ`, in its own frame: this defines `S` as the joint's motion
/// subspace.
#[test]
fn the_subspace_is_the_derivative_of_the_placement() {
    const H: f64 = 1e-30;
    for Case { joint, X, q, .. } in cases() {
        let lift = |x: &[f64]| -> Vec<Complex> { x.iter().map(|&x| Complex::new(x, 0.0)).collect() };
        let at = joint.place(X, &q, turn(&joint, &q));
        for k in 0..joint.group().nv() {
            let mut step = lift(&vec![0.0; joint.group().nv()]);
            step[k].im = H;
            let mut moved = lift(&q);
            joint.group().integrate(&lift(&q), &step, &mut moved);
            let x = joint.place(Transform::lift(&X), &moved, turn(&joint, &moved));
            let rate = |m: Mat3<Complex>| Mat3 { cols: m.cols.map(|c| Vec3::new(c.x.im / H, c.y.im / H, c.z.im / H)) };
            // R' = R ω×, p' = R v
            let omega = at.rot.transpose() * rate(x.rot);
            let p = Vec3::new(x.pos.x.im / H, x.pos.y.im / H, x.pos.z.im / H);
            let got = Motion::new(at.rot.tr_mul(p), Vec3::new(omega.cols[1].z, omega.cols[2].x, omega.cols[0].y));
            assert_close(&joint, &got.to_array(), &joint.axis(k, &Transform::identity()).to_array());
        }
    }
}

#[test]
fn placing_composes_with_where_the_fixed_side_is() {
    for Case { joint, X, q, .. } in cases() {
        let turn = turn(&joint, &q);
        let (got, want) = (joint.place(X, &q, turn), X * joint.place(Transform::identity(), &q, turn));
        assert_close(&joint, &got.to_array(), &want.to_array());
    }
}

#[test]
fn an_axis_elsewhere_is_the_axis_carried_there() {
    for Case { joint, X, .. } in cases() {
        for k in 0..joint.group().nv() {
            let want = X.act(joint.axis(k, &Transform::identity()));
            assert_close(&joint, &joint.axis(k, &X).to_array(), &want.to_array());
        }
    }
}

#[test]
fn velocities_cross_products_and_torques_agree_with_the_subspace() {
    for Case { joint, qd, v, a, f, .. } in cases() {
        let vj = along(&joint, &qd);
        assert_close(&joint, &joint.add_motion(v, &qd).to_array(), &(v + vj).to_array());
        assert_close(&joint, &joint.add_cross(a, v, &qd).to_array(), &(a + v.cross(vj)).to_array());
        let mut tau = vec![f64::NAN; qd.len()];
        joint.project(f, &mut tau);
        let want: Vec<f64> = (0..qd.len()).map(|k| joint.axis(k, &Transform::identity()).dot(f)).collect();
        assert_close(&joint, &tau, &want);
    }
}

#[test]
fn the_neutral_configuration_leaves_the_body_at_the_fixed_side() {
    for Case { joint, X, mut q, .. } in cases() {
        joint.group().neutral(&mut q);
        assert_close(&joint, &joint.place(X, &q, turn(&joint, &q)).to_array(), &X.to_array());
    }
}

#[test]
fn lanes_place_bodies_as_single_numbers_do() {
    for Case { joint, X, q, .. } in cases() {
        let wide: Vec<Lanes<4>> = q.iter().map(|&x| Lanes([x; 4])).collect();
        let (one, four) = (
            joint.place(X, &q, turn(&joint, &q)),
            joint.place(Transform::<Lanes<4>>::lift(&X), &wide, turn(&joint, &wide)),
        );
        for (x, lanes) in one.to_array().iter().zip(four.to_array()) {
            assert_eq!(lanes.0, [*x; 4], "{joint:?}");
        }
    }
}
