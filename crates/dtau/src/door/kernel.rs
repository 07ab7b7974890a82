//! The code of a function in one scalar. Only this is compiled for each function and scalar; everything else
//! follows the declaration.

use super::{Algorithm, Done, Function, Mimicry};
use crate::dispatch::{NativeOf, Step, step};
use crate::engines::{Memory, Scratch};
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;

type Compute<T, M> = fn(&Function, &Scene<'_, T>, &mut M, &[&[T]], &mut [MatrixMut<'_, T>]) -> Done;

/// The code of one function in the scalar `T`.
#[derive(Debug)]
pub struct Kernel<T: Real> {
    /// Computes one state on the full tree.
    pub(super) compute: Compute<T, Scratch<T>>,
    /// Computes one state of a model with mimicking joints, in the model's coordinates. Present for
    /// [`Mimicry::Own`].
    pub(super) compute_mimicking: Option<Compute<T, Memory<T>>>,
    /// Allocates what is larger than O(N), for a number of constraint rows.
    pub(super) reserve: fn(&Function, &Model, usize, &mut Scratch<T>),
}

impl<T: Real> Kernel<T> {
    /// The code of the function that `A` computes.
    pub(crate) const fn of<A: Algorithm<I, O>, const I: usize, const O: usize>() -> Self {
        Self {
            compute: compute::<A, T, I, O>,
            compute_mimicking: match A::MIMICRY {
                Mimicry::Own => Some(compute_mimicking::<A, T, I, O>),
                _ => None,
            },
            reserve: reserve::<A, T, I, O>,
        }
    }
}

/// A function with its code, as an engine takes it.
#[derive(Debug)]
pub struct Job<T: Real> {
    /// The function with its parameters.
    pub(crate) function: Function,
    /// Code for the instructions of every CPU; `None` if this build has none.
    pub(crate) plain: Option<&'static Kernel<T>>,
    /// Code with fused multiply-add; `None` if this build has none.
    pub(crate) native: Option<&'static Kernel<NativeOf<T>>>,
}

/// Arguments of a computation. Paired with an algorithm they form a step, so that the compiler places the
/// step beside the algorithm.
struct Arguments<'a, T: Real, M, const I: usize, const O: usize> {
    scene: &'a Scene<'a, T>,
    memory: &'a mut M,
    x: &'a [&'a [T]; I],
    y: &'a mut [MatrixMut<'a, T>; O],
}

impl<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize> Step for (A, Arguments<'_, T, Scratch<T>, I, O>) {
    type Output = Done;

    #[inline(always)]
    fn run(self) -> Done {
        let (algorithm, Arguments { scene, memory, x, y }) = self;
        algorithm.compute(scene, memory, *x, each(y)) // the only call, so all of the algorithm is inlined here
    }
}

impl<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize> Step for (A, Arguments<'_, T, Memory<T>, I, O>) {
    type Output = Done;

    #[inline(always)]
    fn run(self) -> Done {
        let (algorithm, Arguments { scene, memory, x, y }) = self;
        algorithm.compute_mimicking(scene, memory, *x, each(y))
    }
}

fn compute<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    function: &Function,
    scene: &Scene<'_, T>,
    memory: &mut Scratch<T>,
    x: &[&[T]],
    y: &mut [MatrixMut<'_, T>],
) -> Done {
    let (x, y) = counted(x, y);
    step(memory.proof, (A::of(function), Arguments { scene, memory, x, y: &mut each(y) }))
}

fn compute_mimicking<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    function: &Function,
    scene: &Scene<'_, T>,
    memory: &mut Memory<T>,
    x: &[&[T]],
    y: &mut [MatrixMut<'_, T>],
) -> Done {
    let (x, y) = counted(x, y);
    step(memory.scratch.proof, (A::of(function), Arguments { scene, memory, x, y: &mut each(y) }))
}

fn reserve<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    function: &Function,
    model: &Model,
    rows: usize,
    scratch: &mut Scratch<T>,
) {
    let algorithm = A::of(function);
    algorithm.reserve(model, scratch);
    if A::CONSTRAINED {
        algorithm.reserve_rows(model, rows, scratch);
    }
}

/// Converts slices to arrays with the length in their type. The engine has checked the lengths by the
/// declaration.
#[inline(always)]
fn counted<'x, 'y, X, Y, const I: usize, const O: usize>(x: &'x [X], y: &'y mut [Y]) -> (&'x [X; I], &'y mut [Y; O]) {
    match (x.try_into(), y.try_into()) {
        (Ok(x), Ok(y)) => (x, y),
        _ => unreachable!("the arrays are those of the declaration"),
    }
}

/// Reborrows the outputs. A loop, because `map` of arrays is not inlined.
#[inline(always)]
fn each<'a, T, const O: usize>(y: &'a mut [MatrixMut<'_, T>; O]) -> [MatrixMut<'a, T>; O] {
    let mut to = MatrixMut::nowhere();
    for (to, y) in to.iter_mut().zip(y) {
        *to = y.reborrow();
    }
    to
}
