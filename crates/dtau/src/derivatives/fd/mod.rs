//! Derivatives of forward dynamics: the public functions.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)                                                          (1)
//! ∂q̈/∂q = −M⁻¹ ∂ID/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂ID/∂q̇,   ∂q̈/∂τ = M⁻¹      at q̈    (2)
//! ```
//!
//! Source: [Singh22] eq. (5), FDSVA. There are several ways to apply −M⁻¹: [`multiply`], [`ltdl`] and
//! [`aza`]. [`response`] never forms ∂ID.

mod aza;
pub(super) mod coupling;
mod lanes;
mod ltdl;
pub(super) mod response;

use super::id;
use super::idsva::idsva;
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Square, Symmetric};
use crate::door::{Algorithm, Arg, Done, In, Mimicry, Surrounding, To, call, declare, nested, results};
use crate::dynamics::minverse::inverse_mass;
use crate::dynamics::{aba, exact, ltdl as factor};
use crate::engines::{Engine, Memory, Scratch};
use crate::error::{Error, ErrorKind};
use crate::linalg::multiply;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

results! {
    /// Forward dynamics and its derivatives: the result of [`fd_derivatives`].
    pub struct FdDerivatives(model: Model) as [FdDerivativesMut] {
        /// The accelerations q̈: nv.
        qdd: Nv,
    } {
        /// ∂q̈/∂q: nv × nv, by columns, along tangent directions of the configuration.
        dqdd_dq: Square,
        /// ∂q̈/∂q̇: nv × nv, by columns.
        dqdd_dv: Square,
        /// ∂q̈/∂τ, the inverse of the mass matrix: nv × nv, exactly symmetric.
        dqdd_dtau: Square,
    }
}

/// Derivatives of [`aba`](crate::aba()) with respect to `q`, `v` and `tau`, and the accelerations: FDSVA, in
/// the way that [`FdWay::for_model`] chooses.
///
/// - ∂q̈/∂q is along tangent directions, `q ⊕ δ`; every matrix is `nv × nv`, complete, by columns.
/// - External forces are differentiated as given: fixed in the body, in the world, or a mixture.
/// - Damping, friction, armature and mimicking joints are included, as in [`aba`](crate::aba()).
/// - Memory beyond the results is O(N). Mimicking joints need three more matrices of all joints.
///
/// # Errors
/// If a length, the engine or the result does not fit the model, or if a body has no inertia along its joint.
/// After an error the contents of `out` are undefined.
pub fn fd_derivatives<'m, 'o, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    out: impl Into<FdDerivativesMut<'o, T>>,
) -> Result<(), Error> {
    let FdDerivativesMut { qdd, dqdd_dq, dqdd_dv, dqdd_dtau } = out.into();
    call(on, Fd { way: None }, &scene.into(), [q, v, tau], [qdd.into(), dqdd_dq, dqdd_dv, dqdd_dtau])
}

/// [`fd_derivatives`] in a given way, for comparisons.
///
/// # Errors
/// Same as [`fd_derivatives`]; and if the model has mimicking joints and the way does not support them.
pub fn fd_derivatives_by<'m, 'o, T: Real>(
    way: FdWay,
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    out: impl Into<FdDerivativesMut<'o, T>>,
) -> Result<(), Error> {
    let FdDerivativesMut { qdd, dqdd_dq, dqdd_dv, dqdd_dtau } = out.into();
    call(on, Fd { way: Some(way) }, &scene.into(), [q, v, tau], [qdd.into(), dqdd_dq, dqdd_dv, dqdd_dtau])
}

declare! {
    @algorithm Fd { way: Option<FdWay> }, fd_derivatives, "The derivatives of `aba` by `q`, `v` and `tau`, and the accelerations: FDSVA.",
    [Arg::new("q", Nq), Arg::new("v", Nv), Arg::new("tau", Nv)],
    [
        Arg::new("qdd", Nv).of("out."),
        Arg::new("dqdd_dq", Square).of("out."),
        Arg::new("dqdd_dv", Square).of("out."),
        Arg::new("dqdd_dtau", Symmetric).of("out.")
    ],
    Surrounding::ALL
}

impl Fd {
    #[inline(always)]
    fn way(self, model: &Model) -> FdWay {
        match self.way {
            Some(way) => way,
            None => FdWay::for_model(model),
        }
    }
}

impl Algorithm<3, 4> for Fd {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        if self.way(model) != FdWay::Response {
            s.id.make_room(model.tree());
        }
        model.tree().path_runs();
        s.minverse.make_room(model.tree());
        s.ltdl.make_room(model);
    }

    /// One function per step, so that code shared by several ways is compiled once.
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau]: In<T, 3>,
        [qdd, dq, dv, dtau]: To<T, 4>,
    ) -> Done {
        let tree = scene.model.tree();
        let (qdd, dq, dv, dtau) = (qdd.entries, dq.entries, dv.entries, dtau.entries);
        if scene.model.options().exact {
            aba::exact_accelerations(scene, s, q, v, tau, qdd)?; // (1)
            move_with(scene, s, q, v, qdd);
        } else {
            accelerate(scene, s, q, v, tau, qdd)?; // (1)
        }
        match self.way(scene.model) {
            FdWay::Dense => {
                partials(scene, s, v, [&mut *dq, &mut *dv]);
                inverse_mass(tree, s, dtau);
                multiply::negated(Some(tree), None, s, dtau, [dq, dv]); // (2)
            }
            FdWay::Aza => {
                partials(scene, s, v, [&mut *dq, &mut *dv]);
                inverse_mass(tree, s, dtau);
                aza::apply(tree, s, [dq, dv]);
            }
            FdWay::Ltdl => {
                partials(scene, s, v, [&mut *dq, &mut *dv, &mut *dtau]);
                ltdl::apply(scene.model, s, [dq, dv], dtau)?;
            }
            FdWay::Response => response::respond(scene, s, v, [dq, dv, dtau]),
        }
        Ok(())
    }

    /// The articulated-body recursion does not apply with mimicking joints.
    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, v, tau]: In<T, 3>,
        [qdd, dq, dv, dtau]: To<T, 4>,
    ) -> Done {
        let model = scene.model;
        let (qdd, dq, dv, dtau) = (qdd.entries, dq.entries, dv.entries, dtau.entries);
        factor::factor_of(scene, memory, q)?;
        aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?; // (1)
        lend!(memory.scratch.fd.tau => torques, || {
            let out = [&mut torques[..model.nv()], &mut *dq, &mut *dv, &mut *dtau];
            nested(id::Id {}, scene, memory, [q, v, qdd], out)
        })?;
        let s = &mut memory.scratch;
        match self.way(model) {
            FdWay::Dense => {
                s.ltdl.inverse(model.elimination(), dtau);
                multiply::negated(None, None, s, dtau, [dq, dv]);
                Ok(())
            }
            _ => ltdl::apply(model, s, [dq, dv], dtau),
        }
    }
}

/// A way to compute the derivatives of forward dynamics. All of them give the same results up to rounding.
///
/// Costs are multiply-adds for ∂q̈/∂q and ∂q̈/∂q̇ together. `N` is the number of degrees of freedom, `d` the
/// average number of others between one and the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FdWay {
    /// A product of dense matrices that skips the zeros of ∂ID: 2 N² (2 d + 1).
    Dense,
    /// Treats every column of ∂ID as torques on the tree at rest ("ABA-zero algorithm"): 48 N².
    Aza,
    /// Substitution with the sparse factors `M = Lᵀ D L`: 4 N² d.
    Ltdl,
    /// Computes every column as the tree's response to forces on its bodies, without ∂ID: 30 N² + 24 N d.
    Response,
}

impl FdWay {
    /// All ways.
    pub const ALL: [FdWay; 4] = [FdWay::Dense, FdWay::Aza, FdWay::Ltdl, FdWay::Response];

    /// Returns the way that [`fd_derivatives`] takes: the one expected to be the fastest. It depends on the
    /// tree alone, never on timing.
    ///
    /// - [`Dense`](FdWay::Dense), unless a column of ∂ID has more than about 55 non-zero entries on average
    ///   (the degrees of freedom on the path to the root and in the subtree). This covers all smaller robots,
    ///   and bushes of any size.
    /// - [`Response`](FdWay::Response) for the others: long chains.
    /// - With mimicking joints, the faster of [`Dense`](FdWay::Dense) and [`Ltdl`](FdWay::Ltdl).
    ///
    /// [`Aza`](FdWay::Aza) is never the fastest.
    pub fn for_model(model: &Model) -> FdWay {
        // Fitted to measured times on chains, trees and robots; `BENCHMARKS.md` has the table.
        let (n, d) = (model.nv() as f64, model.elimination().mean_depth());
        if model.mimic().is_some() {
            let (dense, ltdl) = (310.0 + 3.5 * n + 0.12 * n * n, 240.0 + (7.4 + 0.84 * d) * n);
            return if dense < ltdl { FdWay::Dense } else { FdWay::Ltdl };
        }
        if n.min(2.0 * d + 4.0) < 55.0 { FdWay::Dense } else { FdWay::Response }
    }

    pub(crate) fn check(self, model: &Model) -> Result<(), Error> {
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

/// (1); leaves the bodies' motion with q̈, and the articulated tree.
#[inline(always)]
pub(super) fn accelerate<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Done {
    step!(s.proof, || aba::accelerations::<T, true>(scene, s, q, v, tau, qdd))
}

/// Leaves the same data as [`accelerate`], after q̈ and the articulated tree were computed in body
/// coordinates.
#[inline(always)]
fn move_with<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], v: &[T], qdd: &[T]) {
    step!(s.proof, || {
        let (tree, bodies) = (scene.model.tree(), &mut s.bodies);
        bodies.move_all::<true>(tree, s.turns.update(tree, q), q, v, Some(qdd), Vec3::lift(scene.gravity));
        bodies.weigh(tree);
        exact::to_ground(tree, bodies, &mut s.articulated.dofs);
    });
}

/// ∂ID/∂q and ∂ID/∂q̇ at q̈, from the bodies that move with q̈. Also M if there is a third matrix.
#[inline(always)]
fn partials<T: Real, const N: usize>(scene: &Scene<'_, T>, s: &mut Scratch<T>, v: &[T], mut matrices: [&mut [T]; N]) {
    step!(s.proof, || {
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        idsva(scene, &mut s.bodies, &mut s.id, &mut s.fd.tau, matrices.each_mut().map(|x| &mut **x), false);
        effects.add_stiffness(tree, matrices[0]);
        effects.add_resistance_slopes(tree, v, matrices[1]);
        if let Some(m) = matrices.get_mut(2) {
            effects.add_armature(tree, m);
        }
    });
}

/// Workspace of all ways: O(N).
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// Unused torques.
    tau: Vec<T>,
    /// The reciprocals of D.
    d_inv: Vec<T>,
    /// Some columns of ∂ID, copied.
    pub(crate) columns: Vec<T>,
    lanes: lanes::Room<T>,
    response: response::Room<T>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let (tree, nv) = (model.tree(), model.nv());
        Self {
            tau: vec![T::zero(); tree.dofs.len()],
            d_inv: vec![T::zero(); nv],
            columns: vec![T::zero(); multiply::COPIES * nv],
            lanes: lanes::Room::new(tree),
            response: response::Room::new(tree),
        }
    }
}
