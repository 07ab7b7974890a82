//! Scratch memory, in the scalar that algorithms compute in.

use crate::constraints;
use crate::derivatives::{
    CalibrationRoom, CentroidalRoom, FdHvpRoom, FdProductsRoom, FdRoom, FdTensorRoom, HvpRoom, IdRoom, JvpRoom,
    SecondRoom, TensorRoom, VjpRoom,
};
use crate::dispatch::Proof;
use crate::door::Full;
use crate::dynamics::{coriolis, crba, exact, ltdl, mass, minverse, regressor, rnea};
use crate::kinematics::com;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::spatial::{Inertia, Motion, Transform};
use crate::sweeps::articulate;
use crate::sweeps::bodies::Bodies;
use alloc::vec;
use alloc::vec::Vec;

/// All memory of an engine for one state or one group of states.
#[derive(Debug)]
pub struct Memory<T: Real> {
    /// Arrays in full coordinates, for models with mimicking joints.
    pub(crate) full: Full<T>,
    pub(crate) scratch: Scratch<T>,
    /// The functions of the list whose memory is allocated, one bit each.
    pub(crate) asked: u128,
    /// Id of a model, and the functions that are ready for it, one bit each.
    pub(crate) ready: (usize, u128),
}

impl<T: Real> Memory<T> {
    /// Allocates O(N) for every algorithm. [`reserve`](Self::reserve) allocates the rest when a function
    /// needs it.
    pub(crate) fn new(model: &Model, proof: Proof<T>) -> Self {
        Self { full: Full::new(), scratch: Scratch::new(model, proof), asked: 0, ready: (model.id(), 0) }
    }

    #[inline(always)]
    pub(crate) fn proof(&self) -> Proof<T> {
        self.scratch.proof
    }
}

/// The scratch of every algorithm.
#[derive(Debug)]
pub struct Scratch<T: Real> {
    /// Proof that the CPU can compute in `T`.
    pub(crate) proof: Proof<T>,
    /// Sine and cosine of the joint angles.
    pub(crate) turns: Turns<T>,
    /// A state in full coordinates, for stored kinematics of models with mimicking joints.
    pub(crate) full: [Vec<T>; 3],
    /// Zeros, one for each degree of freedom.
    pub(crate) zeros: Vec<T>,
    /// Placements of the bodies in the world.
    pub(crate) X: Vec<Transform<T>>,
    /// Their velocities and accelerations, in ground coordinates.
    pub(crate) v: Vec<Motion<T>>,
    pub(crate) a: Vec<Motion<T>>,
    /// Inertias of the bodies, or of their subtrees, in ground coordinates.
    pub(crate) I: Vec<Inertia<T>>,
    /// Masses and first moments of the bodies, or of their subtrees, in ground coordinates.
    pub(crate) lumps: Vec<com::Lump<T>>,
    pub(crate) calibration: CalibrationRoom<T>,
    pub(crate) coriolis: coriolis::Room<T>,
    pub(crate) rnea: Vec<rnea::BodyState<T>>,
    pub(crate) centroidal: CentroidalRoom<T>,
    pub(crate) id: IdRoom<T>,
    pub(crate) jvp: JvpRoom<T>,
    pub(crate) vjp: VjpRoom<T>,
    pub(crate) fd_products: FdProductsRoom<T>,
    pub(crate) second: SecondRoom<T>,
    pub(crate) tensor: TensorRoom<T>,
    pub(crate) fd_tensor: FdTensorRoom<T>,
    pub(crate) hvp: HvpRoom<T>,
    pub(crate) fd_hvp: FdHvpRoom<T>,
    pub(crate) fd: FdRoom<T>,
    pub(crate) bodies: Bodies<T>,
    pub(crate) articulated: articulate::Room<T>,
    pub(crate) crba: crba::Room<T>,
    pub(crate) exact: exact::Room<T>,
    pub(crate) ltdl: ltdl::Room<T>,
    pub(crate) mass: mass::Room<T>,
    pub(crate) minverse: minverse::Room<T>,
    pub(crate) regressor: regressor::Room,
    pub(crate) constraints: constraints::Room<T>,
}

impl<T: Real> Scratch<T> {
    fn new(model: &Model, proof: Proof<T>) -> Self {
        let tree = model.tree();
        Self {
            proof,
            turns: Turns::new(tree.angles.len()),
            full: [tree.nq, tree.dofs.len(), tree.dofs.len()]
                .map(|n| vec![T::zero(); if model.mimic().is_some() { n } else { 0 }]),
            zeros: vec![T::zero(); tree.dofs.len()],
            X: vec![Transform::default(); tree.bodies.len()],
            v: vec![Motion::default(); tree.bodies.len()],
            a: vec![Motion::default(); tree.bodies.len()],
            I: vec![Inertia::default(); tree.bodies.len()],
            lumps: vec![com::Lump::default(); tree.bodies.len()],
            calibration: CalibrationRoom::new(tree),
            coriolis: coriolis::Room::new(tree),
            rnea: vec![rnea::BodyState::default(); tree.bodies.len()],
            centroidal: CentroidalRoom::new(tree),
            id: IdRoom::new(tree),
            jvp: JvpRoom::new(tree),
            vjp: VjpRoom::new(tree),
            fd_products: FdProductsRoom::new(model),
            second: SecondRoom::new(tree),
            tensor: TensorRoom::new(),
            fd_tensor: FdTensorRoom::new(),
            hvp: HvpRoom::new(tree),
            fd_hvp: FdHvpRoom::new(model),
            fd: FdRoom::new(model),
            bodies: Bodies::new(tree),
            articulated: articulate::Room::new(tree),
            crba: crba::Room::new(tree),
            exact: exact::Room::new(tree),
            ltdl: ltdl::Room::new(model),
            mass: mass::Room::new(tree),
            minverse: minverse::Room::new(tree),
            regressor: regressor::Room::default(),
            constraints: constraints::Room::default(),
        }
    }
}

/// Sine and cosine of every joint angle, computed together.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    angles: Vec<T>,
    sin_cos: Vec<(T, T)>,
}

impl<T: Real> Turns<T> {
    fn new(count: usize) -> Self {
        // One more than needed, so that bodies without an angle can read entry 0.
        Self { angles: vec![T::zero(); count + 1], sin_cos: vec![(T::zero(), T::one()); count + 1] }
    }

    /// Computes (sin, cos) for every angle of the tree.
    #[inline(always)]
    pub(crate) fn update(&mut self, tree: &Tree, q: &[T]) -> &[(T, T)] {
        for (angle, &coordinate) in self.angles.iter_mut().zip(&tree.angles) {
            *angle = q[coordinate];
        }
        T::sin_cos_all(&self.angles, &mut self.sin_cos);
        &self.sin_cos
    }
}
