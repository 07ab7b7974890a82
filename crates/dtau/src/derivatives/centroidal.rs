//! Derivatives of the velocity of the centre of mass, of the momentum about it, and of the momentum's rate.
//!
//! Ground coordinates inside, with the origin of [`ground::origin`]; results are in the world's axes, momenta about the
//! centre of mass `c` of all that moves. `p` is the parent of `i`.
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
//! and (7) likewise for `ḣ`. The velocity of the centre of mass is the linear part of (4), over the mass; it needs masses
//! and first moments only. Source: `t₁`, `t₂`, `t₃` as in [Singh22] Alg. 1, for a world that does not accelerate: what a
//! column of inverse dynamics sends to the root.

use crate::centroidal::about;
use crate::check::Check;
use crate::com::Lump;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::matrix::Matrix;
use crate::model::mimic::Columns;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::spatial::{Coriolis, Force, Vec3};
use crate::workspace::{self, Workspace, full_q, full_v};
use alloc::vec;
use alloc::vec::Vec;

/// The momentum about the centre of mass, its rate, and their derivatives, to be filled by [`centroidal_derivatives`].
///
/// Matrices are 6 × nv, linear rows first.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalDerivatives<T> {
    /// The momentum `h` \[N s, N m s\].
    pub h: Force<T>,
    /// Its rate `ḣ` \[N, N m\].
    pub hdot: Force<T>,
    /// ∂h/∂q, along tangent directions of the configuration.
    pub dh_dq: Matrix<T>,
    /// ∂ḣ/∂q, along tangent directions of the configuration.
    pub dhdot_dq: Matrix<T>,
    /// ∂ḣ/∂q̇.
    pub dhdot_dv: Matrix<T>,
    /// ∂ḣ/∂q̈, and ∂h/∂q̇: the centroidal matrix.
    pub dhdot_da: Matrix<T>,
}

impl<T: Real> CentroidalDerivatives<T> {
    /// Room for the derivatives of a model.
    pub fn new(model: &Model) -> Self {
        let wide = Matrix::zeros(6, model.nv());
        Self {
            h: Force::zero(),
            hdot: Force::zero(),
            dh_dq: wide.clone(),
            dhdot_dq: wide.clone(),
            dhdot_dv: wide.clone(),
            dhdot_da: wide,
        }
    }
}

/// The derivatives of [`centroidal_momentum`](crate::centroidal_momentum) and of
/// [`centroidal_momentum_rate`](crate::centroidal_momentum_rate) by `q`, `v` and `a`, and both themselves.
///
/// - `q` (nq), `v`, `a` (nv); `out` is made once by [`CentroidalDerivatives::new`] and written whole; O(N).
/// - By `q` along tangent directions, `q ⊕ δ`. Gravity plays no part.
/// - Links welded to the world do not count. NaN if nothing that moves has mass.
///
/// # Errors
/// If a length, the workspace or `out` does not fit the model.
pub fn centroidal_derivatives<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    out: &mut CentroidalDerivatives<T>,
) -> Result<(), Error> {
    Check::new(model, ws)?
        .nq("q", q)?
        .nv("v", v)?
        .nv("a", a)?
        .wide("out.dh_dq", &out.dh_dq, 6)?
        .wide("out.dhdot_dq", &out.dhdot_dq, 6)?
        .wide("out.dhdot_dv", &out.dhdot_dv, 6)?
        .wide("out.dhdot_da", &out.dhdot_da, 6)?;
    let CentroidalDerivatives { h, hdot, dh_dq, dhdot_dq, dhdot_dv, dhdot_da } = out;
    let (mut momentum, mut rate) = ([T::zero(); 6], [T::zero(); 6]);
    let (h_out, hdot_out) = (&mut momentum, &mut rate);
    ws.run(Centroidal { model, q, v, a, h_out, hdot_out, dh_dq, dhdot_dq, dhdot_dv, dhdot_da });
    (*h, *hdot) = (Force::from_array(momentum), Force::from_array(rate));
    Ok(())
}

/// The derivatives of the velocity of the [`centre_of_mass`](crate::centre_of_mass) by `q` and by `v`.
///
/// - `q` (nq), `v` (nv); `dv_dq`, `dv_dv`: 3 × nv by columns, in world coordinates, written whole; O(N).
/// - By `q` along tangent directions, `q ⊕ δ`. By `v` it is [`com_jacobian`](crate::com_jacobian).
/// - Links welded to the world do not count. NaN if nothing that moves has mass.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn com_velocity_derivatives<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    dv_dq: &mut [T],
    dv_dv: &mut [T],
) -> Result<(), Error> {
    Check::new(model, ws)?.nq("q", q)?.nv("v", v)?.wide("dv_dq", dv_dq, 3)?.wide("dv_dv", dv_dv, 3)?;
    ws.run(ComVelocity { model, q, v, dv_dq, dv_dv });
    Ok(())
}

struct Centroidal<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    h_out: &'a mut [T; 6],
    hdot_out: &'a mut [T; 6],
    dh_dq: &'a mut [T],
    dhdot_dq: &'a mut [T],
    dhdot_dv: &'a mut [T],
    dhdot_da: &'a mut [T],
}

impl<T: Real> Kernel<T> for Centroidal<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut workspace::Scratch<S>) {
        let (model, tree) = (self.model, self.model.tree());
        let workspace::Scratch { turns, full, X, v, a, I, centroidal: Scratch { bodies, .. }, .. } = scratch;
        let q = full_q(model, S::slice(self.q), &mut full.q);
        let qd = full_v(model, S::slice(self.v), &mut full.v);
        let qdd = full_v(model, S::slice(self.a), &mut full.a);
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::move_all(tree, X, qd, qdd, v, a);
        ground::inertias(tree, X, I);

        bodies[0] = BodyState::default();
        for i in 1..tree.bodies.len() {
            let h = I[i] * v[i]; // (2)
            let f = v[i].cross_force_add(h, I[i] * a[i]);
            bodies[i] = BodyState { h, f, B: Coriolis::of_body(&I[i], v[i], h) };
        }
        for i in (1..tree.bodies.len()).rev() {
            let (parent, inertia, BodyState { h, f, B }) = (tree.bodies[i].parent, I[i], bodies[i]);
            I[parent] += inertia; // (3)
            bodies[parent].h += h;
            bodies[parent].f += f;
            bodies[parent].B += B;
        }

        let per_mass = I[0].mass.recip();
        let (c, h_0, f_0) = (I[0].h * per_mass, bodies[0].h, bodies[0].f);
        S::slice_mut(self.h_out).copy_from_slice(&about(c, h_0).to_array());
        S::slice_mut(self.hdot_out).copy_from_slice(&about(c, f_0).to_array());
        let mut dh_dq = Columns::<S, 6>::new(model.mimic(), S::slice_mut(self.dh_dq));
        let mut dhdot_dq = Columns::<S, 6>::new(model.mimic(), S::slice_mut(self.dhdot_dq));
        let mut dhdot_dv = Columns::<S, 6>::new(model.mimic(), S::slice_mut(self.dhdot_dv));
        let mut dhdot_da = Columns::<S, 6>::new(model.mimic(), S::slice_mut(self.dhdot_da));
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
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
                dh_dq.put(dof, about_moving(c, dc, h_0, by_q).to_array());
                dhdot_dq.put(dof, about_moving(c, dc, f_0, t3).to_array());
                dhdot_dv.put(dof, about(c, t2).to_array());
                dhdot_da.put(dof, about(c, t1).to_array());
            }
        }
    }
}

/// (7): the derivative of a force about `c`, where `c` changes by `dc` and the force by `df`.
#[inline(always)]
fn about_moving<T: Real>(c: Vec3<T>, dc: Vec3<T>, f: Force<T>, df: Force<T>) -> Force<T> {
    let df = about(c, df);
    Force::new(df.lin, f.lin.cross_add(dc, df.ang))
}

struct ComVelocity<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    dv_dq: &'a mut [T],
    dv_dv: &'a mut [T],
}

impl<T: Real> Kernel<T> for ComVelocity<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut workspace::Scratch<S>) {
        let (model, tree) = (self.model, self.model.tree());
        let workspace::Scratch { turns, full, X, v, lumps, centroidal: Scratch { momenta, .. }, .. } = scratch;
        let q = full_q(model, S::slice(self.q), &mut full.q);
        let qd = full_v(model, S::slice(self.v), &mut full.v);
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::velocities(tree, X, qd, v);

        (lumps[0], momenta[0]) = (Lump::default(), Vec3::zero());
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            lumps[i] = Lump::of(body, &X[i]);
            momenta[i] = v[i].ang.cross_add(lumps[i].h, v[i].lin * lumps[i].mass); // (2)
        }
        for i in (1..tree.bodies.len()).rev() {
            let (parent, lump, momentum) = (tree.bodies[i].parent, lumps[i], momenta[i]);
            lumps[parent] += lump; // (3)
            momenta[parent] += momentum;
        }

        let per_mass = lumps[0].mass.recip();
        let mut dv_dq = Columns::<S, 3>::new(model.mimic(), S::slice_mut(self.dv_dq));
        let mut dv_dv = Columns::<S, 3>::new(model.mimic(), S::slice_mut(self.dv_dv));
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let Lump { mass, h } = lumps[i];
            for (k, dof) in body.v.clone().enumerate() {
                let axis = body.joint.axis(k, &X[i]);
                let psi_dot = v[body.parent].cross(axis); // (1)
                let by_q = axis.ang.cross_add(momenta[i], psi_dot.ang.cross_add(h, psi_dot.lin * mass)); // (4)
                let by_v = axis.ang.cross_add(h, axis.lin * mass);
                dv_dq.put(dof, (by_q * per_mass).to_array());
                dv_dv.put(dof, (by_v * per_mass).to_array());
            }
        }
    }
}

/// A body on the way, then its subtree.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    h: Force<T>,
    f: Force<T>,
    B: Coriolis<T>,
}

/// Scratch of these algorithms: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    bodies: Vec<BodyState<T>>,
    /// Linear momenta of bodies, then of subtrees.
    momenta: Vec<Vec3<T>>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let n = tree.bodies.len();
        Self { bodies: vec![BodyState::default(); n], momenta: vec![Vec3::zero(); n] }
    }
}
