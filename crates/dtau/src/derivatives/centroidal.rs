//! Derivatives of the centre-of-mass velocity, of the centroidal momentum, and of its rate.
//!
//! Ground coordinates inside, with the origin of [`ground::origin`]. Results are in world axes; momenta are
//! about the centre of mass `c` of all moving bodies. `p` is the parent of `i`.
//!
//! ```text
//! outward   Ψ̇ = vₚ × S           Ψ̈ = aₚ × S + vₚ × Ψ̇           Ṡ = v × S                   (1)
//!           h = I v              f = I a + v ×* I v            2B of the body              (2)
//! inward    Iᶜ, Bᶜ, hᶜ, fᶜ: sums over the subtree; those of the world are h₀, ḣ₀           (3)
//! columns   ∂h₀/∂q = S ×* hᶜ + Iᶜ Ψ̇                      ∂h₀/∂q̇ = Iᶜ S                     (4)
//!           ∂ḣ₀/∂q = 2Bᶜ Ψ̇ + Iᶜ Ψ̈ + S ×* fᶜ    (t₃)                                        (5)
//!           ∂ḣ₀/∂q̇ = 2Bᶜ S + Iᶜ (Ṡ + Ψ̇)        (t₂)      ∂ḣ₀/∂q̈ = Iᶜ S    (t₁)             (6)
//! about c   ∂h/∂x = ∂h₀/∂x − [0; c × lin + ∂c/∂x × h₀_lin],    ∂c/∂q = (Iᶜ S)_lin/m        (7)
//! ```
//!
//! The same holds for `ḣ`. The velocity of the centre of mass is the linear part of (4) divided by the mass;
//! it needs masses and first moments only. Source: `t₁`, `t₂`, `t₃` are those of [Singh22] Alg. 1, for a
//! world that does not accelerate: the contribution of an inverse-dynamics column to the root.

use crate::door::Size::{Fixed, Nq, Nv, Wide};
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::kinematics::centroidal::about;
use crate::kinematics::com::Lump;
use crate::matrix::Matrix;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Coriolis, Force, Vec3};
use crate::sweeps::ground;
use alloc::vec;
use alloc::vec::Vec;

/// The centroidal momentum, its rate, and their derivatives: the result of [`centroidal_derivatives`].
///
/// Matrices are 6 × nv, linear rows first.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalDerivatives<T> {
    /// The momentum `h` \[N s, N m s\].
    pub h: [T; 6],
    /// Its rate `ḣ` \[N, N m\].
    pub hdot: [T; 6],
    /// ∂h/∂q, along tangent directions of the configuration.
    pub dh_dq: Matrix<T>,
    /// ∂ḣ/∂q, along tangent directions of the configuration.
    pub dhdot_dq: Matrix<T>,
    /// ∂ḣ/∂q̇.
    pub dhdot_dv: Matrix<T>,
    /// ∂ḣ/∂q̈, which equals ∂h/∂q̇: the centroidal momentum matrix.
    pub dhdot_da: Matrix<T>,
}

impl<T: Real> CentroidalDerivatives<T> {
    /// Allocates the result for a model.
    pub fn new(model: &Model) -> Self {
        let wide = Matrix::zeros(6, model.nv());
        Self {
            h: [T::zero(); 6],
            hdot: [T::zero(); 6],
            dh_dq: wide.clone(),
            dhdot_dq: wide.clone(),
            dhdot_dv: wide.clone(),
            dhdot_da: wide,
        }
    }
}

/// Output buffers of [`centroidal_derivatives`]: borrow a [`CentroidalDerivatives`], or pass your own slices.
/// In a batch every array has states × its size.
#[derive(Debug)]
pub struct CentroidalDerivativesMut<'a, T> {
    /// The momentum `h`: 6.
    pub h: &'a mut [T],
    /// Its rate `ḣ`: 6.
    pub hdot: &'a mut [T],
    /// ∂h/∂q: 6 × nv.
    pub dh_dq: &'a mut [T],
    /// ∂ḣ/∂q: 6 × nv.
    pub dhdot_dq: &'a mut [T],
    /// ∂ḣ/∂q̇: 6 × nv.
    pub dhdot_dv: &'a mut [T],
    /// ∂ḣ/∂q̈: 6 × nv.
    pub dhdot_da: &'a mut [T],
}

impl<'a, T> From<&'a mut CentroidalDerivatives<T>> for CentroidalDerivativesMut<'a, T> {
    fn from(out: &'a mut CentroidalDerivatives<T>) -> Self {
        let CentroidalDerivatives { h, hdot, dh_dq, dhdot_dq, dhdot_dv, dhdot_da } = out;
        Self { h, hdot, dh_dq, dhdot_dq, dhdot_dv, dhdot_da }
    }
}

declare! {
    /// Derivatives of [`centroidal_momentum`](crate::centroidal_momentum()) and of
    /// [`centroidal_momentum_rate`](crate::centroidal_momentum_rate()) with respect to `q`, `v` and `a`. Also
    /// returns both values.
    ///
    /// - `q` (nq), `v`, `a` (nv); O(N).
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`. Gravity has no effect.
    /// - Links welded to the world do not count. The results are NaN if no moving link has mass.
    ///
    /// # Errors
    /// If a length, the engine or `out` does not fit the model.
    fn centroidal_derivatives(q: Nq, v: Nv, a: Nv) -> CentroidalDerivativesMut {
        h: Fixed(6), hdot: Fixed(6), dh_dq: Wide(6), dhdot_dq: Wide(6), dhdot_dv: Wide(6), dhdot_da: Wide(6)
    } by CentroidalPartials, under &[]
}

declare! {
    /// Derivatives of the velocity of the [`centre_of_mass`](crate::centre_of_mass()) with respect to `q` and
    /// `v`.
    ///
    /// - `q` (nq), `v` (nv); `dv_dq`, `dv_dv`: 3 × nv by columns, in world coordinates; every entry is
    ///   written; O(N).
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`. The one with respect to `v`
    ///   is [`com_jacobian`](crate::com_jacobian()).
    /// - Links welded to the world do not count. The results are NaN if no moving link has mass.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn com_velocity_derivatives(q: Nq, v: Nv) -> (slice dv_dq: Wide(3), slice dv_dv: Wide(3))
    by ComVelocityPartials, under &[]
}

impl Algorithm<3, 6> for CentroidalPartials {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, qd, qdd]: In<T, 3>,
        [h_out, hdot_out, dh_dq, dhdot_dq, dhdot_dv, dhdot_da]: To<T, 6>,
    ) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, a, I, centroidal: Room { bodies, .. }, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::move_all(tree, X, qd, qdd, v, a);
        ground::inertias(tree, X, I);

        bodies[0] = BodyState::default();
        for (i, _) in tree.outward() {
            let h = I[i] * v[i]; // (2)
            let f = v[i].cross_force_add(h, I[i] * a[i]);
            bodies[i] = BodyState { h, f, B: Coriolis::of_body(&I[i], v[i], h) };
        }
        for (i, body) in tree.inward() {
            let (parent, inertia, BodyState { h, f, B }) = (body.parent, I[i], bodies[i]);
            I[parent] += inertia; // (3)
            bodies[parent].h += h;
            bodies[parent].f += f;
            bodies[parent].B += B;
        }

        let per_mass = I[0].mass.recip();
        let (c, h_0, f_0) = (I[0].h * per_mass, bodies[0].h, bodies[0].f);
        h_out.entries.copy_from_slice(&about(c, h_0).to_array());
        hdot_out.entries.copy_from_slice(&about(c, f_0).to_array());
        let (dh_dq, dhdot_dq) = (dh_dq.entries.as_chunks_mut::<6>().0, dhdot_dq.entries.as_chunks_mut::<6>().0);
        let (dhdot_dv, dhdot_da) = (dhdot_dv.entries.as_chunks_mut::<6>().0, dhdot_da.entries.as_chunks_mut::<6>().0);
        for (i, body) in tree.outward() {
            let (v_p, a_p, Ic) = (v[body.parent], a[body.parent], I[i]);
            let BodyState { h, f, B } = bodies[i];
            for (k, dof) in body.v.clone().enumerate() {
                let axis = body.joint.axis(k, &X[i]);
                let psi_dot = v_p.cross(axis); // (1)
                let psi_ddot = v_p.cross_add(psi_dot, a_p.cross(axis));
                let rate = v[i].cross_add(axis, psi_dot);
                let t1 = Ic * axis;
                let t2 = B.mul_add(axis.ang, Ic * rate); // (6)
                let t3 = B.mul_add(psi_dot.ang, axis.cross_force_add(f, Ic * psi_ddot)); // (5)
                let by_q = axis.cross_force_add(h, Ic * psi_dot); // (4)
                let dc = t1.lin * per_mass;
                dh_dq[dof] = about_moving(c, dc, h_0, by_q).to_array();
                dhdot_dq[dof] = about_moving(c, dc, f_0, t3).to_array();
                dhdot_dv[dof] = about(c, t2).to_array();
                dhdot_da[dof] = about(c, t1).to_array();
            }
        }
        Ok(())
    }
}

/// (7): derivative of a force's moment about `c`, when `c` changes by `dc` and the force by `df`.
#[inline(always)]
fn about_moving<T: Real>(c: Vec3<T>, dc: Vec3<T>, f: Force<T>, df: Force<T>) -> Force<T> {
    let df = about(c, df);
    Force::new(df.lin, f.lin.cross_add(dc, df.ang))
}

impl Algorithm<2, 2> for ComVelocityPartials {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, qd]: In<T, 2>,
        [dv_dq, dv_dv]: To<T, 2>,
    ) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, lumps, centroidal: Room { momenta, .. }, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::velocities(tree, X, qd, v);

        (lumps[0], momenta[0]) = (Lump::default(), Vec3::zero());
        for (i, body) in tree.outward() {
            lumps[i] = Lump::of(body, &X[i]);
            momenta[i] = v[i].ang.cross_add(lumps[i].h, v[i].lin * lumps[i].mass); // (2)
        }
        for (i, body) in tree.inward() {
            let (parent, lump, momentum) = (body.parent, lumps[i], momenta[i]);
            lumps[parent] += lump; // (3)
            momenta[parent] += momentum;
        }

        let per_mass = lumps[0].mass.recip();
        let (dv_dq, dv_dv) = (dv_dq.entries.as_chunks_mut::<3>().0, dv_dv.entries.as_chunks_mut::<3>().0);
        for (i, body) in tree.outward() {
            let Lump { mass, h } = lumps[i];
            for (k, dof) in body.v.clone().enumerate() {
                let axis = body.joint.axis(k, &X[i]);
                let psi_dot = v[body.parent].cross(axis); // (1)
                let by_q = axis.ang.cross_add(momenta[i], psi_dot.ang.cross_add(h, psi_dot.lin * mass)); // (4)
                let by_v = axis.ang.cross_add(h, axis.lin * mass);
                dv_dq[dof] = (by_q * per_mass).to_array();
                dv_dv[dof] = (by_v * per_mass).to_array();
            }
        }
        Ok(())
    }
}

/// State of a body, then of its subtree.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    h: Force<T>,
    f: Force<T>,
    B: Coriolis<T>,
}

/// Workspace of these algorithms: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    bodies: Vec<BodyState<T>>,
    /// Linear momenta of bodies, then of subtrees.
    momenta: Vec<Vec3<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let n = tree.bodies.len();
        Self { bodies: vec![BodyState::default(); n], momenta: vec![Vec3::zero(); n] }
    }
}
