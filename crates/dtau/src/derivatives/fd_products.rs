//! Jacobian-vector and vector-Jacobian products of forward dynamics, without the Jacobians.
//!
//! ```text
//! q̈  = M⁻¹ (τ − bias)                                                        (1)
//! δq̈ = M⁻¹ (δτ − ∂ID/∂q δq − ∂ID/∂q̇ δq̇)                at q̈, by id_jvp     (2)
//! w_τ = M⁻¹ w      (w_q, w_v) = −w_τᵀ ∂ID/∂(q, q̇)       at q̈, by id_vjp     (3)
//! ```
//!
//! The articulated inertias (or the factor of M) are computed once and used for both solves. Source:
//! ∂FD = −M⁻¹ ∂ID, [Singh22] eq. (5).

use super::{IdJvp, IdVjp, jvp, vjp};
use crate::door::Size::{Nq, Nv};
use crate::door::{Algorithm, Arg, Done, In, Mimicry, Surrounding, To, call, declare, nested};
use crate::dynamics::{aba as forward, ltdl, mass, minverse, rnea};
use crate::engines::{Engine, Memory, Scratch};
use crate::error::Error;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::vec;
use alloc::vec::Vec;

/// Change of the arguments of forward dynamics; `nv` numbers each.
#[derive(Clone, Copy, Debug)]
pub struct FdTangent<'a, T> {
    /// Change of the configuration, a tangent vector: `q ⊕ δq`.
    pub dq: &'a [T],
    /// Change of the velocity.
    pub dv: &'a [T],
    /// Change of the torques.
    pub dtau: &'a [T],
}

/// Output buffers of [`fd_vjp`]: `nv` numbers each, in a batch states × nv.
#[derive(Debug)]
pub struct FdGradientMut<'a, T> {
    /// `(∂q̈/∂q)ᵀ w`, along tangent directions of the configuration.
    pub dq: &'a mut [T],
    /// `(∂q̈/∂q̇)ᵀ w`.
    pub dv: &'a mut [T],
    /// `(∂q̈/∂τ)ᵀ w = M⁻¹ w`.
    pub dtau: &'a mut [T],
}

/// Derivative of [`aba`](crate::aba()) along a direction: `∂q̈/∂q δq + ∂q̈/∂q̇ δq̇ + ∂q̈/∂τ δτ`, in O(N).
///
/// - `q` (nq), `v`, `tau`, the tangents and `dqdd` (nv).
/// - External forces, joint effects and mimicking joints are included, as in [`aba`](crate::aba()). With
///   mimicking joints the mass matrix is factorised, in O(N d²).
///
/// # Errors
/// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After an
/// error the contents of `dqdd` are undefined.
pub fn fd_jvp<'m, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    tangent: FdTangent<'_, T>,
    dqdd: &mut [T],
) -> Result<(), Error> {
    let FdTangent { dq, dv, dtau } = tangent;
    call(on, FdJvp {}, &scene.into(), [q, v, tau, dq, dv, dtau], [dqdd.into()])
}

declare! {
    @algorithm FdJvp {}, fd_jvp, "The derivative of `aba` along a direction, in O(N).",
    [
        Arg::new("q", Nq),
        Arg::new("v", Nv),
        Arg::new("tau", Nv),
        Arg::new("dq", Nv).of("tangent."),
        Arg::new("dv", Nv).of("tangent."),
        Arg::new("dtau", Nv).of("tangent.")
    ],
    [Arg::new("dqdd", Nv)],
    Surrounding::ALL
}

declare! {
    /// Gradient of `wᵀ q̈` with respect to the arguments of [`aba`](crate::aba()): `wᵀ ∂q̈/∂(q, q̇, τ)`, in
    /// O(N).
    ///
    /// - `q` (nq), `v`, `tau`, `w` and the outputs (nv).
    /// - External forces, joint effects and mimicking joints are included, as in [`fd_jvp`].
    ///
    /// # Errors
    /// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After
    /// an error the contents of `out` are undefined.
    fn fd_vjp(q: Nq, v: Nv, tau: Nv, w: Nv) -> FdGradientMut { dq: Nv, dv: Nv, dtau: Nv } by FdVjp, under Surrounding::ALL
}

impl Algorithm<6, 1> for FdJvp {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau, dq, dv, dtau]: In<T, 6>,
        [dqdd]: To<T, 1>,
    ) -> Done {
        let (tree, dqdd) = (scene.model.tree(), dqdd.entries);
        lend!(s.fd_products => Room { qdd, .. }, || {
            accelerations(scene, s, (q, v, tau), qdd, dqdd)?;
            jvp::along(scene, s, (q, v, qdd), (dq, dv, None), dqdd);
            subtract_from(dtau, dqdd);
            mass::solve(tree, s, dqdd); // (2)
            Ok(())
        })
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.ltdl.make_room(model);
    }

    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, v, tau, dq, dv, dtau]: In<T, 6>,
        [dqdd]: To<T, 1>,
    ) -> Done {
        let dqdd = dqdd.entries;
        ltdl::factor_of(scene, memory, q)?;
        lend!(memory.scratch.fd_products => Room { qdd, w_tau: zeros }, || {
            zeros.fill(T::zero());
            forward::accelerations_by_factor(scene, memory, q, v, tau, qdd)?;
            nested(IdJvp {}, scene, memory, [q, v, qdd, dq, dv, zeros], [&mut *dqdd])?;
            subtract_from(dtau, dqdd);
            memory.scratch.ltdl.solve(scene.model.elimination(), dqdd);
            Ok(())
        })
    }
}

impl Algorithm<4, 3> for FdVjp {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau, w]: In<T, 4>,
        [wq, wv, last]: To<T, 3>,
    ) -> Done {
        let (tree, wq, wv, last) = (scene.model.tree(), wq.entries, wv.entries, last.entries);
        lend!(s.fd_products => Room { qdd, w_tau }, || {
            accelerations(scene, s, (q, v, tau), qdd, wq)?;
            w_tau.copy_from_slice(w);
            mass::solve(tree, s, w_tau);
            // The last output takes M w_τ, which equals w, and is then overwritten.
            vjp::back(scene, s, (q, v, qdd), w_tau, (&mut *wq, &mut *wv, &mut *last));
            negate(wq, wv);
            last.copy_from_slice(w_tau);
            Ok(())
        })
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.ltdl.make_room(model);
    }

    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, v, tau, w]: In<T, 4>,
        [wq, wv, last]: To<T, 3>,
    ) -> Done {
        let (paths, wq, wv, last) = (scene.model.elimination(), wq.entries, wv.entries, last.entries);
        ltdl::factor_of(scene, memory, q)?;
        lend!(memory.scratch.fd_products => Room { qdd, w_tau }, || {
            forward::accelerations_by_factor(scene, memory, q, v, tau, qdd)?;
            w_tau.copy_from_slice(w);
            memory.scratch.ltdl.solve(paths, w_tau);
            nested(IdVjp {}, scene, memory, [q, v, qdd, w_tau], [&mut *wq, &mut *wv, &mut *last])?;
            negate(wq, wv);
            last.copy_from_slice(w_tau);
            Ok(())
        })
    }
}

/// (1). Leaves the scratch ready for [`mass::solve`]; `room` holds nv numbers.
#[inline(always)]
pub(super) fn accelerations<T: Real>(
    scene: &Scene<'_, T>,
    scratch: &mut Scratch<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    qdd: &mut [T],
    room: &mut [T],
) -> Done {
    minverse::articulate(scene, scratch, q)?;
    rnea::torques(scene, scratch, q, Some(v), None, room);
    for ((x, &tau), &bias) in qdd.iter_mut().zip(tau).zip(&*room) {
        *x = tau - bias;
    }
    mass::solve(scene.model.tree(), scratch, qdd);
    Ok(())
}

/// `x ← y − x`.
#[inline(always)]
pub(super) fn subtract_from<T: Real>(y: &[T], x: &mut [T]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x = y - *x;
    }
}

/// The signs of (3).
#[inline(always)]
fn negate<T: Real>(wq: &mut [T], wv: &mut [T]) {
    for x in wq.iter_mut().chain(wv) {
        *x = -*x;
    }
}

/// Workspace of these algorithms: O(N).
#[derive(Debug, Default)]
pub(crate) struct Room<T> {
    pub(super) qdd: Vec<T>,
    w_tau: Vec<T>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = vec![T::zero(); model.nv()];
        Self { qdd: zeros.clone(), w_tau: zeros }
    }
}
