//! Jacobian-vector and vector-Jacobian products of forward dynamics, without the Jacobians.
//!
//! ```text
//! q̈  = M⁻¹ (τ − bias)                                                        (1)
//! δq̈ = M⁻¹ (δτ − ∂ID/∂q δq − ∂ID/∂q̇ δq̇)                at q̈, by id_jvp     (2)
//! w_τ = M⁻¹ w      (w_q, w_v) = −w_τᵀ ∂ID/∂(q, q̇)       at q̈, by id_vjp     (3)
//! ```
//!
//! The articulated inertias (or the factor of M) are computed once and used for both solutions. Source: ∂FD = −M⁻¹ ∂ID,
//! [Singh22] eq. (5).

use super::{jvp, vjp};
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::mass;
use crate::model::Model;
use crate::rnea::Rnea;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::singular::Singular;
use crate::workspace::{Scratch as All, Workspace};
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

/// A direction in which the arguments of forward dynamics change; `nv` numbers each.
#[derive(Clone, Copy, Debug)]
pub struct FdTangent<'a, T> {
    /// Of the configuration, a tangent vector: `q ⊕ δq`.
    pub q: &'a [T],
    /// Of the velocity.
    pub v: &'a [T],
    /// Of the torques.
    pub tau: &'a [T],
}

/// Where [`fd_vjp`] writes; `nv` numbers each.
#[derive(Debug)]
pub struct FdCotangent<'a, T> {
    /// `(∂q̈/∂q)ᵀ w`, along tangent directions of the configuration.
    pub q: &'a mut [T],
    /// `(∂q̈/∂q̇)ᵀ w`.
    pub v: &'a mut [T],
    /// `(∂q̈/∂τ)ᵀ w = M⁻¹ w`.
    pub tau: &'a mut [T],
}

/// The derivative of [`aba`](crate::aba) along a direction: `∂q̈/∂q δq + ∂q̈/∂q̇ δq̇ + ∂q̈/∂τ δτ`, in O(N).
///
/// - `q` (nq), `v`, `tau`, the tangents and `dqdd` (nv).
/// - External forces, joint effects and mimicking joints as in [`aba`](crate::aba); with mimicking joints the mass matrix
///   is factorised, in O(N d²).
///
/// # Errors
/// If a length or the workspace does not fit the model, or if a body has no inertia along its joint. After an error the
/// contents of `dqdd` mean nothing.
pub fn fd_jvp<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    tangent: FdTangent<'_, T>,
    dqdd: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    Check::new(scene.model, ws)?
        .nq("q", q)?
        .nv("v", v)?
        .nv("tau", tau)?
        .nv("tangent.q", tangent.q)?
        .nv("tangent.v", tangent.v)?
        .nv("tangent.tau", tangent.tau)?
        .nv("dqdd", dqdd)?;
    ws.run(FdJvp { scene, q, v, tau, tangent, dqdd }).map_err(|singular| singular.error(scene.model))
}

/// The gradient of `wᵀ q̈` by the arguments of [`aba`](crate::aba): `wᵀ ∂q̈/∂(q, q̇, τ)`, in O(N).
///
/// - `q` (nq), `v`, `tau`, `w` and the outputs (nv).
/// - External forces, joint effects and mimicking joints as in [`fd_jvp`].
///
/// # Errors
/// If a length or the workspace does not fit the model, or if a body has no inertia along its joint. After an error the
/// contents of `out` mean nothing.
pub fn fd_vjp<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    w: &[T],
    out: FdCotangent<'_, T>,
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    Check::new(scene.model, ws)?
        .nq("q", q)?
        .nv("v", v)?
        .nv("tau", tau)?
        .nv("w", w)?
        .nv("out.q", out.q)?
        .nv("out.v", out.v)?
        .nv("out.tau", out.tau)?;
    ws.run(FdVjp { scene, q, v, tau, w, out }).map_err(|singular| singular.error(scene.model))
}

struct FdJvp<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    tangent: FdTangent<'a, T>,
    dqdd: &'a mut [T],
}

impl<T: Real> Kernel<T> for FdJvp<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        let Self { scene, q, v, tau, tangent, dqdd } = self;
        let qdd = accelerations(&scene, scratch, q, v, tau, dqdd)?;
        let (at, along) = ((S::slice(q), S::slice(v), &qdd[..]), (S::slice(tangent.q), S::slice(tangent.v), None));
        let dqdd = S::slice_mut(dqdd);
        jvp::compute(&scene, scratch, at, along, dqdd);
        for (x, &dtau) in dqdd.iter_mut().zip(S::slice(tangent.tau)) {
            *x = dtau - *x;
        }
        mass::solve(scene.model, scratch, dqdd); // (2)
        scratch.fd_products.qdd = qdd;
        Ok(())
    }
}

struct FdVjp<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    w: &'a [T],
    out: FdCotangent<'a, T>,
}

impl<T: Real> Kernel<T> for FdVjp<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        let Self { scene, q, v, tau, w, out } = self;
        let qdd = accelerations(&scene, scratch, q, v, tau, out.q)?;
        let (wq, wv, last) = (S::slice_mut(out.q), S::slice_mut(out.v), S::slice_mut(out.tau));
        let mut w_tau = mem::take(&mut scratch.fd_products.w_tau);
        w_tau.copy_from_slice(S::slice(w));
        mass::solve(scene.model, scratch, &mut w_tau);
        // The last output takes M w_τ, which is w again, and is then overwritten.
        vjp::compute(&scene, scratch, (S::slice(q), S::slice(v), &qdd), &w_tau, (wq, wv, last));
        for x in wq.iter_mut().chain(wv) {
            *x = -*x; // (3)
        }
        last.copy_from_slice(&w_tau);
        scratch.fd_products = Scratch { qdd, w_tau };
        Ok(())
    }
}

/// (1), taken out of the scratch; to be put back. The scratch is ready for [`mass::solve`]; `room` is for nv numbers.
#[inline(always)]
fn accelerations<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    q: &[T],
    v: &[T],
    tau: &[T],
    room: &mut [T],
) -> Result<Vec<S>, Singular> {
    mass::prepare_solve(scene, scratch, S::slice(q))?;
    Rnea { scene: *scene, q, v: Some(v), a: None, tau: &mut *room }.run::<S>(scratch);
    let mut qdd = mem::take(&mut scratch.fd_products.qdd);
    for ((x, &tau), &bias) in qdd.iter_mut().zip(S::slice(tau)).zip(S::slice(room)) {
        *x = tau - bias;
    }
    mass::solve(scene.model, scratch, &mut qdd);
    Ok(qdd)
}

/// Scratch of these algorithms: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    qdd: Vec<T>,
    w_tau: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = vec![T::zero(); model.nv()];
        Self { qdd: zeros.clone(), w_tau: zeros }
    }
}
