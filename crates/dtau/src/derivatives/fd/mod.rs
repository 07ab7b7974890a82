//! Derivatives of forward dynamics: what a caller sees.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)                                                          (1)
//! ∂q̈/∂q = −M⁻¹ ∂ID/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂ID/∂q̇,   ∂q̈/∂τ = M⁻¹      at q̈    (2)
//! ```
//!
//! Source: [Singh22] eq. (5), FDSVA. There are several ways to apply −M⁻¹, [`multiply`], [`ltdl`], [`aza`]; and
//! [`response`], which never forms ∂ID.

mod aza;
pub(super) mod coupling;
mod lanes;
mod ltdl;
pub(super) mod response;

use super::id;
use super::idsva::idsva;
use crate::dispatch::{Step, step};
use crate::door::Size::{Nq, Nv, Square, Symmetric};
use crate::door::{Algorithm, Arg, Done, Mimicry, Out, Surrounding, declare, nested};
use crate::dynamics::minverse::InverseMass;
use crate::dynamics::{aba, exact, ltdl as factor};
use crate::engines::{Engine, Memory, Scratch};
use crate::error::{Error, ErrorKind};
use crate::linalg::multiply;
use crate::matrix::Matrix;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Forward dynamics and its derivatives, to be filled by [`fd_derivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct FdDerivatives<T> {
    /// The accelerations q̈.
    pub qdd: Vec<T>,
    /// ∂q̈/∂q, along tangent directions of the configuration.
    pub dqdd_dq: Matrix<T>,
    /// ∂q̈/∂q̇.
    pub dqdd_dv: Matrix<T>,
    /// ∂q̈/∂τ, the inverse of the mass matrix, exactly symmetric.
    pub dqdd_dtau: Matrix<T>,
}

impl<T: Real> FdDerivatives<T> {
    /// Room for the derivatives of a model.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        let square = Matrix::zeros(nv, nv);
        Self { qdd: vec![T::zero(); nv], dqdd_dq: square.clone(), dqdd_dv: square.clone(), dqdd_dtau: square }
    }
}

/// Where the derivatives of forward dynamics go: an [`FdDerivatives`], or memory of yours. In a batch every array is states × its
/// size.
#[derive(Debug)]
pub struct FdDerivativesMut<'a, T> {
    /// The accelerations q̈: nv.
    pub qdd: &'a mut [T],
    /// ∂q̈/∂q: nv × nv, by columns.
    pub dqdd_dq: &'a mut [T],
    /// ∂q̈/∂q̇: nv × nv, by columns.
    pub dqdd_dv: &'a mut [T],
    /// ∂q̈/∂τ: nv × nv, by columns.
    pub dqdd_dtau: &'a mut [T],
}

impl<'a, T> From<&'a mut FdDerivatives<T>> for FdDerivativesMut<'a, T> {
    fn from(out: &'a mut FdDerivatives<T>) -> Self {
        let FdDerivatives { qdd, dqdd_dq, dqdd_dv, dqdd_dtau } = out;
        Self { qdd, dqdd_dq, dqdd_dv, dqdd_dtau }
    }
}

/// The derivatives of [`aba`](crate::aba()) by `q`, `v` and `tau`, and the accelerations themselves: FDSVA, in the way that
/// [`FdWay::for_model`] chooses.
///
/// - ∂q̈/∂q is along tangent directions, `q ⊕ δ`; every matrix is `nv × nv`, complete, by columns.
/// - External forces are differentiated as they were given: fixed in the body, in the world, or in between.
/// - Damping, friction, armature and mimicking joints are in it, as in [`aba`](crate::aba()).
/// - Memory beyond the results is O(N), and with mimicking joints that of three matrices of all joints.
///
/// # Errors
/// If a length, the engine or the result does not fit the model, or if a body has no inertia along its joint. After an
/// error the contents of `out` mean nothing.
pub fn fd_derivatives<'m, 'o, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    out: impl Into<FdDerivativesMut<'o, T>>,
) -> Result<(), Error> {
    let FdDerivativesMut { qdd, dqdd_dq, dqdd_dv, dqdd_dtau } = out.into();
    on.call(Fd { way: None }, scene.into(), [q, v, tau], [qdd.into(), dqdd_dq.into(), dqdd_dv.into(), dqdd_dtau.into()])
}

/// [`fd_derivatives`] in a given way: for comparing.
///
/// # Errors
/// As [`fd_derivatives`]; and if joints mimic others and the way does not allow it.
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
    on.call(
        Fd { way: Some(way) },
        scene.into(),
        [q, v, tau],
        [qdd.into(), dqdd_dq.into(), dqdd_dv.into(), dqdd_dtau.into()],
    )
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

    fn check(self, model: &Model) -> Result<(), Error> {
        self.way.map_or(Ok(()), |way| way.check(model))
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        if self.way(model) != FdWay::Response {
            s.id.make_room(model.tree());
        }
        model.tree().path_runs();
        s.minverse.make_room(model.tree());
        s.ltdl.make_room(model);
    }

    /// A step a line: what several ways have in common is compiled once.
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q, v, tau]: [&[T]; 3],
        [qdd, dq, dv, dtau]: [Out<'_, T>; 4],
    ) -> Done {
        let (proof, tree) = (s.proof, scene.model.tree());
        let (qdd, dq, dv, dtau) = (qdd.entries, dq.entries, dv.entries, dtau.entries);
        if scene.model.options().exact {
            aba::exact_accelerations(scene, s, q, v, tau, qdd)?; // (1)
            step(proof, Move { scene, s, q, v, qdd });
        } else {
            step(proof, Accelerate { scene, s, q, v, tau, qdd })?; // (1)
        }
        match self.way(scene.model) {
            FdWay::Dense => {
                step(proof, Partials { scene, s, v, dq, dv });
                step(proof, InverseMass { tree, s, minv: dtau });
                multiply::negated(Some(tree), None, s, dtau, [dq, dv]); // (2)
            }
            FdWay::Aza => {
                step(proof, Partials { scene, s, v, dq, dv });
                step(proof, InverseMass { tree, s, minv: dtau });
                step(proof, aza::Apply { tree, s, dq, dv });
            }
            FdWay::Ltdl => {
                step(proof, PartialsAndMass { scene, s, v, dq, dv, m: dtau });
                step(proof, ltdl::Apply { model: scene.model, s, dq, dv, m: dtau })?;
            }
            FdWay::Response => step(proof, response::Response { scene, s, v, dq, dv, dtau }),
        }
        Ok(())
    }

    /// With mimicking joints the articulated recursion does not apply.
    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<'_, T>,
        memory: &mut Memory<T>,
        [q, v, tau]: [&[T]; 3],
        [qdd, dq, dv, dtau]: [Out<'_, T>; 4],
    ) -> Done {
        let (proof, model) = (memory.proof(), scene.model);
        let (qdd, dq, dv, dtau) = (qdd.entries, dq.entries, dv.entries, dtau.entries);
        factor::factor_of(scene, memory, q)?;
        aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?; // (1)
        let mut torques = core::mem::take(&mut memory.scratch.fd.tau);
        nested(id::Id {}, scene, memory, [q, v, qdd], [&mut torques[..model.nv()], &mut *dq, &mut *dv, &mut *dtau])?;
        memory.scratch.fd.tau = torques;
        let s = &mut memory.scratch;
        match self.way(model) {
            FdWay::Dense => {
                s.ltdl.inverse(model.elimination(), dtau);
                multiply::negated(None, None, s, dtau, [dq, dv]);
                Ok(())
            }
            _ => step(proof, ltdl::Apply { model, s, dq, dv, m: dtau }),
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
pub(super) struct Accelerate<'a, T: Real> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) q: &'a [T],
    pub(super) v: &'a [T],
    pub(super) tau: &'a [T],
    pub(super) qdd: &'a mut [T],
}

impl<T: Real> Step for Accelerate<'_, T> {
    type Output = Done;

    #[inline(always)]
    fn run(self) -> Done {
        aba::accelerations::<T, true>(self.scene, self.s, self.q, self.v, self.tau, self.qdd)
    }
}

/// What (1) leaves, where q̈ and the articulated tree were found in the coordinates of the bodies.
struct Move<'a, T: Real> {
    scene: &'a Scene<'a, T>,
    s: &'a mut Scratch<T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
}

impl<T: Real> Step for Move<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { turns, bodies, articulated, .. }, q, v, qdd } = self;
        let tree = scene.model.tree();
        bodies.move_all::<true>(tree, turns.update(tree, q), q, v, Some(qdd), Vec3::lift(scene.gravity));
        bodies.weigh(tree);
        exact::to_ground(tree, bodies, &mut articulated.dofs);
    }
}

/// ∂ID at q̈, from the bodies that move with it.
struct Partials<'a, T: Real> {
    scene: &'a Scene<'a, T>,
    s: &'a mut Scratch<T>,
    v: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
}

impl<T: Real> Step for Partials<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { bodies, id, fd, .. }, v, dq, dv } = self;
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        idsva(scene, bodies, id, &mut fd.tau, [&mut *dq, &mut *dv], false);
        effects.add_stiffness(tree, dq);
        effects.add_resistance_slopes(tree, v, dv);
    }
}

/// The same, and M.
struct PartialsAndMass<'a, T: Real> {
    scene: &'a Scene<'a, T>,
    s: &'a mut Scratch<T>,
    v: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
    m: &'a mut [T],
}

impl<T: Real> Step for PartialsAndMass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { bodies, id, fd, .. }, v, dq, dv, m } = self;
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        idsva(scene, bodies, id, &mut fd.tau, [&mut *dq, &mut *dv, &mut *m], false);
        effects.add_stiffness(tree, dq);
        effects.add_resistance_slopes(tree, v, dv);
        effects.add_armature(tree, m);
    }
}

/// Room for all ways: O(N).
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// Torques that nobody asked for.
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
