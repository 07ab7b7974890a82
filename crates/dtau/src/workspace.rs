//! Scratch memory, made once: afterwards no call allocates.

use crate::articulate;
use crate::bodies::Bodies;
use crate::com;
use crate::coriolis;
use crate::crba;
use crate::derivatives::{CentroidalScratch, FdProductsScratch, FdScratch, IdScratch, JvpScratch, VjpScratch};
use crate::dispatch::{self, Dispatch, Kernel};
use crate::ltdl::{self, MassFactor};
use crate::mass;
use crate::minverse;
use crate::model::{Model, Tree};
use crate::rnea;
use crate::scalar::Real;
use crate::spatial::{Inertia, Motion, Transform};
use alloc::vec;
use alloc::vec::Vec;

/// Scratch memory for one model and one scalar.
///
/// It carries no information from call to call: any result depends on that call's arguments alone. One thread uses it at
/// a time; make one a thread.
///
/// What is decided when it is made: whether the CPU's fused multiply-add is used.
#[derive(Debug)]
pub struct Workspace<T: Dispatch = f64> {
    engine: Engine<T>,
    shape: Shape,
    /// For models with mimicking joints, whose forward dynamics factorises the mass matrix.
    factor: Option<MassFactor<T>>,
}

/// What the sizes of all scratch follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    bodies: usize,
    dofs: usize,
    coordinates: usize,
    angles: usize,
    nq: usize,
    nv: usize,
}

impl Shape {
    fn of(model: &Model) -> Self {
        let tree = model.tree();
        Self {
            bodies: tree.bodies.len(),
            dofs: tree.dofs.len(),
            coordinates: tree.nq,
            angles: tree.angles.len(),
            nq: model.nq(),
            nv: model.nv(),
        }
    }
}

#[derive(Debug)]
enum Engine<T: Dispatch> {
    Plain(Scratch<T>),
    Fused(Scratch<T::Fused>),
}

impl<T: Dispatch> Workspace<T> {
    /// Scratch for a model, on the fastest instructions this CPU has.
    ///
    /// # Panics
    /// For lanes of [`Fused`](crate::scalar::Fused) numbers on a CPU without fused multiply-add; take lanes of plain ones.
    pub fn new(model: &Model) -> Self {
        if T::has_fused() { Self::with(model, Engine::Fused(Scratch::new(model))) } else { Self::plain(model) }
    }

    /// Scratch for a model, on the instructions every CPU has: for comparing.
    ///
    /// # Panics
    /// For lanes of [`Fused`](crate::scalar::Fused) numbers, which run on nothing but fused multiply-add.
    pub fn plain(model: &Model) -> Self {
        assert!(T::RUNS_PLAIN, "lanes of Fused need a CPU with fused multiply-add; take plain lanes");
        Self::with(model, Engine::Plain(Scratch::new(model)))
    }

    fn with(model: &Model, engine: Engine<T>) -> Self {
        Self { engine, shape: Shape::of(model), factor: model.mimic().map(|_| MassFactor::new(model)) }
    }

    /// Whether it was made for this model or one of the same shape.
    #[inline]
    pub(crate) fn fits(&self, model: &Model) -> bool {
        self.shape == Shape::of(model)
    }

    /// Lends the factor it keeps; models of the same shape may mimic differently, and then it makes another.
    pub(crate) fn with_factor<R>(&mut self, model: &Model, work: impl FnOnce(&mut Self, &mut MassFactor<T>) -> R) -> R {
        let kept = self.factor.take().filter(|factor| factor.fits(model));
        let mut factor = kept.unwrap_or_else(|| MassFactor::new(model));
        let result = work(self, &mut factor);
        self.factor = Some(factor);
        result
    }

    #[inline(always)]
    pub(crate) fn run<K: Kernel<T>>(&mut self, kernel: K) -> K::Output {
        // The conditions are constants: kernels for engines that a scalar never has are not compiled.
        match &mut self.engine {
            Engine::Plain(scratch) => {
                if T::RUNS_PLAIN {
                    dispatch::run_plain(kernel, scratch)
                } else {
                    unreachable!("lanes of Fused have a fused workspace")
                }
            }
            Engine::Fused(scratch) => {
                if T::RUNS_FUSED {
                    dispatch::run_fused::<T, K>(kernel, scratch)
                } else {
                    unreachable!("a scalar without a twin has a plain workspace")
                }
            }
        }
    }
}

/// The scratch of every algorithm, in the scalar they compute in.
#[derive(Debug)]
pub(crate) struct Scratch<T: Real> {
    /// Sine and cosine of the joint angles.
    pub(crate) turns: Turns<T>,
    /// The state in full coordinates, for models with mimicking joints.
    pub(crate) full: Full<T>,
    /// Zeros, one for each degree of freedom.
    pub(crate) zeros: Vec<T>,
    /// Placements of the bodies in the world.
    pub(crate) X: Vec<Transform<T>>,
    /// Their velocities and accelerations, in ground coordinates.
    pub(crate) v: Vec<Motion<T>>,
    pub(crate) a: Vec<Motion<T>>,
    /// Their inertias, or those of their subtrees, in ground coordinates.
    pub(crate) I: Vec<Inertia<T>>,
    /// Their masses and first moments, or those of their subtrees, in ground coordinates.
    pub(crate) lumps: Vec<com::Lump<T>>,
    pub(crate) coriolis: coriolis::Scratch<T>,
    pub(crate) rnea: Vec<rnea::BodyState<T>>,
    pub(crate) centroidal: CentroidalScratch<T>,
    pub(crate) id: IdScratch<T>,
    pub(crate) jvp: JvpScratch<T>,
    pub(crate) vjp: VjpScratch<T>,
    pub(crate) fd_products: FdProductsScratch<T>,
    pub(crate) fd: FdScratch<T>,
    pub(crate) bodies: Bodies<T>,
    pub(crate) articulated: articulate::Scratch<T>,
    pub(crate) crba: crba::Scratch<T>,
    pub(crate) ltdl: ltdl::Scratch<T>,
    pub(crate) mass: mass::Scratch<T>,
    pub(crate) minverse: minverse::Scratch<T>,
}

impl<T: Real> Scratch<T> {
    fn new(model: &Model) -> Self {
        let tree = model.tree();
        Self {
            turns: Turns::new(tree.angles.len()),
            full: Full::new(model),
            zeros: vec![T::zero(); tree.dofs.len()],
            X: vec![Transform::default(); tree.bodies.len()],
            v: vec![Motion::default(); tree.bodies.len()],
            a: vec![Motion::default(); tree.bodies.len()],
            I: vec![Inertia::default(); tree.bodies.len()],
            lumps: vec![com::Lump::default(); tree.bodies.len()],
            coriolis: coriolis::Scratch::new(tree),
            rnea: vec![rnea::BodyState::default(); tree.bodies.len()],
            centroidal: CentroidalScratch::new(tree),
            id: IdScratch::new(model),
            jvp: JvpScratch::new(model),
            vjp: VjpScratch::new(model),
            fd_products: FdProductsScratch::new(model),
            fd: FdScratch::new(model),
            bodies: Bodies::new(tree),
            articulated: articulate::Scratch::new(tree),
            crba: crba::Scratch::new(tree, model.mimic().is_some()),
            ltdl: ltdl::Scratch::new(model),
            mass: mass::Scratch::new(tree),
            minverse: minverse::Scratch::new(tree),
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
        // One more than there are, so that bodies without an angle may look at entry 0.
        Self { angles: vec![T::zero(); count + 1], sin_cos: vec![(T::zero(), T::one()); count + 1] }
    }

    /// (sin, cos) by angle of the tree.
    #[inline(always)]
    pub(crate) fn update(&mut self, tree: &Tree, q: &[T]) -> &[(T, T)] {
        for (angle, &coordinate) in self.angles.iter_mut().zip(&tree.angles) {
            *angle = q[coordinate];
        }
        T::sin_cos_all(&self.angles, &mut self.sin_cos);
        &self.sin_cos
    }
}

/// Full coordinates of a model with mimicking joints; empty for others, whose arguments are full already.
#[derive(Debug)]
pub(crate) struct Full<T> {
    pub(crate) q: Vec<T>,
    pub(crate) v: Vec<T>,
    pub(crate) a: Vec<T>,
    /// A result, one number a full degree of freedom.
    pub(crate) tau: Vec<T>,
}

impl<T: Real> Full<T> {
    fn new(model: &Model) -> Self {
        let (nq, nv) = model.mimic().map_or((0, 0), |_| (model.tree().nq, model.tree().dofs.len()));
        let zeros = |n| vec![T::zero(); n];
        Self { q: zeros(nq), v: zeros(nv), a: zeros(nv), tau: zeros(nv) }
    }
}

/// `q` in full coordinates.
#[inline(always)]
pub(crate) fn full_q<'a, T: Real>(model: &Model, q: &'a [T], full: &'a mut [T]) -> &'a [T] {
    match model.mimic() {
        None => q,
        Some(map) => {
            map.expand_q(q, full);
            full
        }
    }
}

/// `v` (or `a`) in full coordinates.
#[inline(always)]
pub(crate) fn full_v<'a, T: Real>(model: &Model, v: &'a [T], full: &'a mut [T]) -> &'a [T] {
    match model.mimic() {
        None => v,
        Some(map) => {
            map.expand_v(v, full);
            full
        }
    }
}
