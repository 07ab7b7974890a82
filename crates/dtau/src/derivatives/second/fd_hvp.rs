//! Products with the Hessian of wᵀq̈ of forward dynamics, which is never formed.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)                           μ = M⁻¹ w                                                (1)
//! δq̈ = M⁻¹ (δτ − ∂ID/∂q δq − ∂ID/∂q̇ δq̇)      at q̈, by id_jvp                                          (2)
//! (h_q, h_v, h_a) = H (δq, δq̇, δq̈)           of μᵀ ID, by id_hvp;      h_a = ∂(M μ)/∂q δq              (3)
//! δμ = −M⁻¹ h_a                              (g_q, g_v) = δμᵀ ∂ID      by id_vjp                       (4)
//! κ = wᵀ q̈:   H_q = −(h_q + g_q)             H_v = −(h_v + g_v)        H_τ = δμ                        (5)
//! ```
//!
//! The gradient of κ is −μᵀ ∂ID, [`fd_products`](crate::derivatives::fd_products) (3): a function of the
//! state, of q̈ and of μ, linear in μ.

use super::hvp::{self, IdHvp};
use crate::derivatives::fd_products::{FdGradientMut, FdTangent, accelerations, subtract_from};
use crate::derivatives::{IdJvp, IdVjp, jvp, vjp};
use crate::door::Size::{Nq, Nv};
use crate::door::{Algorithm, Arg, Done, In, Mimicry, Surrounding, To, call, declare, nested};
use crate::dynamics::{aba, ltdl, mass};
use crate::engines::{Engine, Memory, Scratch};
use crate::error::Error;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::vec;
use alloc::vec::Vec;

/// Product of the Hessian of `wᵀ q̈` with a direction, in O(N): the matrices of
/// [`fd_hessian`](crate::fd_hessian()) times `(δq, δq̇, δτ)`.
///
/// - `q` (nq), `v`, `tau`, `w`, the tangents and the outputs (nv).
/// - External forces, joint effects and mimicking joints are included, as in
///   [`fd_hessian`](crate::fd_hessian()). With mimicking joints the mass matrix is factorised, in O(N d²).
///
/// # Errors
/// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After an
/// error the contents of `out` are undefined.
pub fn fd_hvp<'m, 'o, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    w: &[T],
    tangent: FdTangent<'_, T>,
    out: impl Into<FdGradientMut<'o, T>>,
) -> Result<(), Error> {
    let (FdTangent { dq, dv, dtau }, out) = (tangent, out.into());
    call(on, FdHvp {}, &scene.into(), [q, v, tau, w, dq, dv, dtau], [out.dq.into(), out.dv.into(), out.dtau.into()])
}

declare! {
    @algorithm FdHvp {}, fd_hvp, "The product of the Hessian of `wᵀ q̈` with a direction, in O(N).",
    [
        Arg::new("q", Nq),
        Arg::new("v", Nv),
        Arg::new("tau", Nv),
        Arg::new("w", Nv),
        Arg::new("dq", Nv).of("tangent."),
        Arg::new("dv", Nv).of("tangent."),
        Arg::new("dtau", Nv).of("tangent.")
    ],
    [Arg::new("dq", Nv).of("out."), Arg::new("dv", Nv).of("out."), Arg::new("dtau", Nv).of("out.")],
    Surrounding::ALL
}

impl Algorithm<7, 3> for FdHvp {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau, w, dq, dv, dtau]: In<T, 7>,
        [hq, hv, htau]: To<T, 3>,
    ) -> Done {
        let (tree, hq, hv, dmu) = (scene.model.tree(), hq.entries, hv.entries, htau.entries);
        lend!(s.fd_hvp => Room { qdd, mu, dqdd, gq, gv, rest }, || {
            accelerations(scene, s, (q, v, tau), qdd, hq)?;
            mu.copy_from_slice(w);
            mass::solve(tree, s, mu); // (1)
            jvp::along(scene, s, (q, v, qdd), (dq, dv, None), dqdd);
            subtract_from(dtau, dqdd);
            mass::solve(tree, s, dqdd); // (2)
            hvp::times(scene, s, (q, v, qdd, mu), (dq, dv, dqdd), (&mut *hq, &mut *hv, &mut *dmu)); // (3)
            negate(dmu);
            mass::solve(tree, s, dmu);
            vjp::back(scene, s, (q, v, qdd), dmu, (&mut *gq, &mut *gv, &mut *rest)); // (4)
            combine(hq, gq);
            combine(hv, gv);
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
        [q, v, tau, w, dq, dv, dtau]: In<T, 7>,
        [hq, hv, htau]: To<T, 3>,
    ) -> Done {
        let (paths, hq, hv, dmu) = (scene.model.elimination(), hq.entries, hv.entries, htau.entries);
        ltdl::factor_of(scene, memory, q)?;
        lend!(memory.scratch.fd_hvp => Room { qdd, mu, dqdd, gq, gv, rest }, || {
            aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?;
            mu.copy_from_slice(w);
            memory.scratch.ltdl.solve(paths, mu); // (1)
            rest.fill(T::zero());
            nested(IdJvp {}, scene, memory, [q, v, qdd, dq, dv, rest], [&mut *dqdd])?;
            subtract_from(dtau, dqdd);
            memory.scratch.ltdl.solve(paths, dqdd); // (2)
            nested(IdHvp {}, scene, memory, [q, v, qdd, mu, dq, dv, dqdd], [&mut *hq, &mut *hv, &mut *dmu])?; // (3)
            negate(dmu);
            memory.scratch.ltdl.solve(paths, dmu);
            nested(IdVjp {}, scene, memory, [q, v, qdd, dmu], [&mut *gq, &mut *gv, &mut *rest])?; // (4)
            combine(hq, gq);
            combine(hv, gv);
            Ok(())
        })
    }
}

/// (5)
#[inline(always)]
fn combine<T: Real>(h: &mut [T], g: &[T]) {
    for (h, &g) in h.iter_mut().zip(g) {
        *h = -(*h + g);
    }
}

#[inline(always)]
fn negate<T: Real>(x: &mut [T]) {
    for x in x {
        *x = -*x;
    }
}

/// Workspace of this algorithm: O(N).
#[derive(Debug, Default)]
pub(crate) struct Room<T> {
    qdd: Vec<T>,
    mu: Vec<T>,
    dqdd: Vec<T>,
    gq: Vec<T>,
    gv: Vec<T>,
    /// Unused results.
    rest: Vec<T>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = || vec![T::zero(); model.nv()];
        Self { qdd: zeros(), mu: zeros(), dqdd: zeros(), gq: zeros(), gv: zeros(), rest: zeros() }
    }
}
