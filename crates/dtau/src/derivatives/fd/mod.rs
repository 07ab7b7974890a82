//! Derivatives of forward dynamics: what a caller sees.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)                                                          (1)
//! ∂q̈/∂q = −M⁻¹ ∂ID/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂ID/∂q̇,   ∂q̈/∂τ = M⁻¹      at q̈    (2)
//! ```
//!
//! Source: [Singh22] eq. (5), FDSVA. There are several ways to apply −M⁻¹, one file a way: [`dense`], [`ltdl`], [`aza`]; and
//! [`response`], which never forms ∂ID.

mod aza;
mod dense;
mod lanes;
mod ltdl;
mod response;

use super::id;
use crate::aba::{self, aba};
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::{Error, ErrorKind};
use crate::matrix::Matrix;
use crate::minverse::{self, minverse};
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::singular::Singular;
use crate::workspace::{Scratch as All, Workspace};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Forward dynamics and its derivatives, to be filled by [`fd_derivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct FdDerivatives<T> {
    /// The accelerations q̈.
    pub qdd: Vec<T>,
    /// ∂q̈/∂q, along tangent directions of the configuration.
    pub dq: Matrix<T>,
    /// ∂q̈/∂q̇.
    pub dv: Matrix<T>,
    /// ∂q̈/∂τ, the inverse of the mass matrix, exactly symmetric.
    pub dtau: Matrix<T>,
}

impl<T: Real> FdDerivatives<T> {
    /// Room for the derivatives of a model.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        let square = Matrix::zeros(nv, nv);
        Self { qdd: vec![T::zero(); nv], dq: square.clone(), dv: square.clone(), dtau: square }
    }
}

/// Where the derivatives of forward dynamics go: an [`FdDerivatives`], or memory of yours. In a batch every array is states × its
/// size.
#[derive(Debug)]
pub struct FdDerivativesMut<'a, T> {
    /// The accelerations q̈: nv.
    pub qdd: &'a mut [T],
    /// ∂q̈/∂q: nv × nv, by columns.
    pub dq: &'a mut [T],
    /// ∂q̈/∂q̇: nv × nv, by columns.
    pub dv: &'a mut [T],
    /// ∂q̈/∂τ: nv × nv, by columns.
    pub dtau: &'a mut [T],
}

impl<'a, T> From<&'a mut FdDerivatives<T>> for FdDerivativesMut<'a, T> {
    fn from(out: &'a mut FdDerivatives<T>) -> Self {
        Self { qdd: &mut out.qdd, dq: &mut out.dq, dv: &mut out.dv, dtau: &mut out.dtau }
    }
}

/// The derivatives of [`aba`](crate::aba) by `q`, `v` and `tau`, and the accelerations themselves: FDSVA, in the way that
/// [`FdWay::for_model`] chooses.
///
/// - ∂q̈/∂q is along tangent directions, `q ⊕ δ`; every matrix is `nv × nv`, complete, by columns.
/// - External forces are differentiated as they were given: fixed in the body, in the world, or in between.
/// - Damping, friction, armature and mimicking joints are in it, as in [`aba`](crate::aba).
/// - Memory beyond the results is O(N), and with mimicking joints that of three matrices of all joints.
///
/// # Errors
/// If a length, the workspace or the result does not fit the model, or if a body has no inertia along its joint. After an
/// error the contents of `out` mean nothing.
pub fn fd_derivatives<'m, 'o, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    out: impl Into<FdDerivativesMut<'o, T>>,
) -> Result<(), Error> {
    let scene = scene.into();
    fd_derivatives_by(FdWay::for_model(scene.model), scene, ws, q, v, tau, out)
}

/// [`fd_derivatives`] in a given way: for comparing.
///
/// # Errors
/// As [`fd_derivatives`]; and if joints mimic others and the way does not allow it.
pub fn fd_derivatives_by<'m, 'o, T: Dispatch>(
    way: FdWay,
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    out: impl Into<FdDerivativesMut<'o, T>>,
) -> Result<(), Error> {
    let (scene, out) = (scene.into(), out.into());
    way.check(scene.model)?;
    Check::new(scene.model, ws)?
        .square("out.dq", out.dq)?
        .square("out.dv", out.dv)?
        .square("out.dtau", out.dtau)?
        .nv("out.qdd", out.qdd)?;
    scene.check()?;
    Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?.nv("tau", tau)?;
    if scene.model.mimic().is_some() {
        return with_mimics(way, scene, ws, q, v, tau, out);
    }
    let FdDerivativesMut { qdd, dq, dv, dtau } = out;
    let tree = scene.model.tree();
    let mut run = ws.run(Accelerate { scene, q, v, tau, qdd }); // (1)
    if run.is_ok() {
        match way {
            FdWay::Dense => {
                ws.run(Partials { scene, v, dq, dv });
                ws.run(InverseMass { scene, minv: dtau });
                ws.run(dense::Apply { tree: Some(tree), minv: dtau, dq, dv });
            }
            FdWay::Aza => {
                ws.run(Partials { scene, v, dq, dv });
                ws.run(InverseMass { scene, minv: dtau });
                ws.run(aza::Apply { tree, dq, dv });
            }
            FdWay::Ltdl => {
                ws.run(PartialsAndMass { scene, v, dq, dv, m: dtau });
                run = ws.run(ltdl::Apply { model: scene.model, dq, dv, m: dtau });
            }
            FdWay::Response => ws.run(response::Response { scene, v, dq, dv, dtau }),
        }
    }
    run.map_err(|singular| singular.error(scene.model))
}

/// With mimicking joints the articulated recursion does not apply.
fn with_mimics<T: Dispatch>(
    way: FdWay,
    scene: Scene<'_, T>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    out: FdDerivativesMut<'_, T>,
) -> Result<(), Error> {
    let FdDerivativesMut { qdd, dq, dv, dtau } = out;
    aba(scene, ws, q, v, tau, qdd)?; // (1)
    ws.run(InverseDynamics { scene, q, v, qdd, dq, dv, da: &mut *dtau });
    match way {
        FdWay::Dense => {
            minverse(scene, ws, q, dtau)?;
            ws.run(dense::Apply { tree: None, minv: dtau, dq, dv });
            Ok(())
        }
        _ => {
            let run = ws.run(ltdl::Apply { model: scene.model, dq, dv, m: dtau });
            run.map_err(|singular| singular.error(scene.model))
        }
    }
}

/// A way to the derivatives of forward dynamics. All of them give the same but for rounding.
///
/// The costs are multiply-adds for ∂q̈/∂q and ∂q̈/∂q̇ together, for `N` degrees of freedom, each with `d` others between it and
/// the root, on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FdWay {
    /// A product of dense matrices that leaves out the zeros of ∂ID: 2 N² (2 d + 1).
    Dense,
    /// Every column of ∂ID is a torque on the tree at rest ("ABA-zero algorithm"): 48 N².
    Aza,
    /// Substitution in the factors `M = Lᵀ D L`, as sparse as the tree: 4 N² d.
    Ltdl,
    /// Every column is the tree's response to forces on its bodies, without ∂ID: 30 N² + 24 N d.
    Response,
}

impl FdWay {
    /// All of them.
    pub const ALL: [FdWay; 4] = [FdWay::Dense, FdWay::Aza, FdWay::Ltdl, FdWay::Response];

    /// The way that [`fd_derivatives`] takes: the one that should take the least time. A function of the tree alone, never
    /// of a clock.
    ///
    /// - [`Dense`](FdWay::Dense), unless the columns of ∂ID have more than about 55 entries that are not zero, a degree of
    ///   freedom's path to the root and its subtree: so for all robots below that size, and for bushes of any.
    /// - [`Response`](FdWay::Response) for the others: long chains.
    /// - Where joints mimic others, [`Dense`](FdWay::Dense) or [`Ltdl`](FdWay::Ltdl), whichever should take less.
    ///
    /// [`Aza`](FdWay::Aza) is never the fastest.
    pub fn for_model(model: &Model) -> FdWay {
        // Fitted to the times of the ways on chains, trees and robots; `BENCHMARKS.md` has the table.
        let (n, d) = (model.nv() as f64, model.elimination().mean_depth());
        if model.mimic().is_some() {
            let (dense, ltdl) = (310.0 + 3.5 * n + 0.12 * n * n, 240.0 + (7.4 + 0.84 * d) * n);
            return if dense < ltdl { FdWay::Dense } else { FdWay::Ltdl };
        }
        if n.min(2.0 * d + 4.0) < 55.0 { FdWay::Dense } else { FdWay::Response }
    }

    fn check(self, model: &Model) -> Result<(), Error> {
        if model.mimic().is_none() || matches!(self, FdWay::Dense | FdWay::Ltdl) {
            return Ok(());
        }
        let name = model.name();
        let message = format!(
            "FdWay::{self:?} needs a tree whose joints move one body each, but joints of model \"{name}\" mimic others; \
             take FdWay::Ltdl or FdWay::Dense, or build the model with MimicMode::Free"
        );
        Err(Error::new(ErrorKind::Unsupported, message))
    }
}

/// (1); leaves the bodies moving with q̈, and the articulated tree.
struct Accelerate<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    qdd: &'a mut [T],
}

impl<T: Real> Kernel<T> for Accelerate<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        let (q, v, tau, qdd) = (S::slice(self.q), S::slice(self.v), S::slice(self.tau), S::slice_mut(self.qdd));
        aba::compute::<T, S, true>(&self.scene, scratch, q, v, tau, qdd)
    }
}

/// ∂ID at q̈, from the bodies that move with it.
struct Partials<'a, T> {
    scene: Scene<'a, T>,
    v: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
}

impl<T: Real> Kernel<T> for Partials<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let All { bodies, id, fd, .. } = scratch;
        let (dq, dv) = (S::slice_mut(self.dq), S::slice_mut(self.dv));
        id::derive(&self.scene, bodies, &mut id.tree, &mut fd.tau, [dq, &mut *dv], false);
        JointEffects::of(&self.scene).add_resistance_slopes(self.scene.model.tree(), S::slice(self.v), dv);
    }
}

/// The same, and M.
struct PartialsAndMass<'a, T> {
    scene: Scene<'a, T>,
    v: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
    m: &'a mut [T],
}

impl<T: Real> Kernel<T> for PartialsAndMass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let All { bodies, id, fd, .. } = scratch;
        let (tree, effects) = (self.scene.model.tree(), JointEffects::of(&self.scene));
        let (dq, dv, m) = (S::slice_mut(self.dq), S::slice_mut(self.dv), S::slice_mut(self.m));
        id::derive(&self.scene, bodies, &mut id.tree, &mut fd.tau, [dq, &mut *dv, &mut *m], false);
        effects.add_resistance_slopes(tree, S::slice(self.v), dv);
        effects.add_armature(tree, m);
    }
}

/// M⁻¹, from the articulated tree.
struct InverseMass<'a, T> {
    scene: Scene<'a, T>,
    minv: &'a mut [T],
}

impl<T: Real> Kernel<T> for InverseMass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let All { articulated, minverse, .. } = scratch;
        minverse::fill(self.scene.model.tree(), &articulated.dofs, minverse, S::slice_mut(self.minv));
    }
}

/// ∂ID at q̈, and M, of a model with mimicking joints.
struct InverseDynamics<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
    da: &'a mut [T],
}

impl<T: Real> Kernel<T> for InverseDynamics<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let All { turns, full, bodies, id, fd, .. } = scratch;
        let (q, v, a) = (S::slice(self.q), S::slice(self.v), S::slice(self.qdd));
        let (dq, dv, da) = (S::slice_mut(self.dq), S::slice_mut(self.dv), S::slice_mut(self.da));
        id::compute(&self.scene, turns, full, bodies, id, q, v, a, &mut fd.tau, dq, dv, da, false);
    }
}

/// Scratch of all ways: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T: Real> {
    /// Torques that nobody asked for.
    tau: Vec<T>,
    /// The reciprocals of D.
    d_inv: Vec<T>,
    /// Some columns of ∂ID.
    columns: Vec<T>,
    lanes: lanes::Scratch<T>,
    response: response::Scratch<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let (tree, nv) = (model.tree(), model.nv());
        Self {
            tau: vec![T::zero(); nv],
            d_inv: vec![T::zero(); nv],
            columns: vec![T::zero(); dense::ROOM * nv],
            lanes: lanes::Scratch::new(tree),
            response: response::Scratch::new(tree),
        }
    }
}
