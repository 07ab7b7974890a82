//! Conversion from the caller's coordinates to those of the full tree, and back.
//!
//! ```text
//! in    nq: q ↦ G q + o         nv, nv × k: x ↦ G x                                       (1)
//! out   nv, nv × k: y ↦ Gᵀ y    nv × nv: A ↦ Gᵀ A G        r × nv: J ↦ J G                (2)
//!       nv × nv × nv: Gᵀ on each index
//! ```
//!
//! `G` is the map of mimicking joints, see [`mimic`](crate::model::mimic). So no algorithm handles mimicry
//! except forward dynamics, whose mass matrix is different.

use super::finite::{Failed, Finite, Outcome};
use super::{Algorithm, Arg, Counts, Declaration, Done, Function, Kernel, Mimicry, Size};
use crate::dispatch::{Step, step};
use crate::engines::Memory;
use crate::error::Error;
use crate::linalg::transpose;
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::model::mimic::MimicMap;
use crate::room::{self, PLAN};
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::format;
use alloc::vec::Vec;

/// The most arrays that a function reads or writes.
pub(crate) const MOST_ARRAYS: usize = 8;

impl<T: Real> Memory<T> {
    /// Runs a function on one state and checks that the result is finite. The arrays must fit the
    /// declaration, and memory must be reserved.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        kernel: &Kernel<T>,
        function: &Function,
        declaration: &'static Declaration,
        scene: &Scene<'_, T>,
        x: &[&[T]],
        y: &mut [MatrixMut<'_, T>],
    ) -> Outcome {
        if let Err(singular) = self.compute(kernel, function, scene, x, y) {
            return Err(Failed::Singular(singular));
        }
        let is_finite = step(self.scratch.proof, Finite { declaration, scene, x, y });
        if is_finite { Ok(()) } else { Err(Failed::NotFinite) }
    }

    /// Runs a function on one state, in the model's coordinates.
    #[inline(always)]
    fn compute(
        &mut self,
        kernel: &Kernel<T>,
        function: &Function,
        scene: &Scene<'_, T>,
        x: &[&[T]],
        y: &mut [MatrixMut<'_, T>],
    ) -> Done {
        match scene.model.mimic() {
            None => (kernel.compute)(function, scene, &mut self.scratch, x, y),
            Some(map) => self.compute_mimicking(kernel, function, scene, map, x, y),
        }
    }

    /// Runs a function on one state of a model with mimicking joints.
    fn compute_mimicking(
        &mut self,
        kernel: &Kernel<T>,
        function: &Function,
        scene: &Scene<'_, T>,
        map: &MimicMap,
        x: &[&[T]],
        y: &mut [MatrixMut<'_, T>],
    ) -> Done {
        if let Some(compute) = kernel.compute_mimicking {
            return compute(function, scene, self, x, y);
        }
        let declaration = function.declaration();
        if declaration.mimicry != Mimicry::AtTheDoor {
            return (kernel.compute)(function, scene, &mut self.scratch, x, y);
        }
        let Self { full, scratch, .. } = self;
        let Full { x: full_x, y: full_y, lengths } = full;
        let (proof, nv) = (scratch.proof, scene.model.nv());
        let (mut to_x, mut to_y) = ([&[][..]; MOST_ARRAYS], MatrixMut::nowhere::<MOST_ARRAYS>());
        let (inputs, outputs) = (declaration.inputs, declaration.outputs);
        step(proof, Expand { full: full_x, lengths: &lengths.0, map, inputs, x, nv });
        for (k, arg) in inputs.iter().enumerate() {
            to_x[k] = if expands(arg.size) { &full_x[k][..lengths.0[k]] } else { x[k] };
        }
        for (k, (y, full)) in y.iter_mut().zip(full_y.iter_mut()).enumerate() {
            to_y[k] = match reduces(outputs[k].size) {
                true => MatrixMut::from(&mut full[..lengths.1[k]]),
                false => y.reborrow(),
            };
        }
        let done = (kernel.compute)(function, scene, scratch, &to_x[..inputs.len()], &mut to_y[..outputs.len()]);
        step(proof, Reduce { full: full_y, lengths: &lengths.1, map, outputs, y, nv });
        done
    }

    /// Reserves memory for an algorithm that another function runs.
    pub(crate) fn reserve_for<A: Algorithm<I, O>, const I: usize, const O: usize>(
        &mut self,
        algorithm: A,
        model: &Model,
        counts: Counts,
    ) -> Result<(), Error> {
        self.make_room(const { &Kernel::of::<A, I, O>() }, &algorithm.into(), model, counts)
    }

    /// Reserves memory that a function needs beyond O(N), unless that is already done.
    #[inline(always)]
    pub(crate) fn reserve(
        &mut self,
        kernel: &Kernel<T>,
        function: &Function,
        declaration: &'static Declaration,
        model: &Model,
        counts: Counts,
    ) -> Result<(), Error> {
        if !declaration.reserves && model.mimic().is_none() {
            return Ok(());
        }
        if self.ready.0 == model.id() && self.ready.1 & bit(function) != 0 {
            return Ok(());
        }
        self.make_room(kernel, function, model, counts)
    }

    fn make_room(
        &mut self,
        kernel: &Kernel<T>,
        function: &Function,
        model: &Model,
        counts: Counts,
    ) -> Result<(), Error> {
        let (declaration, mimics) = (function.declaration(), model.mimic().is_some());
        if self.asked & bit(function) == 0 {
            room::ask(room_of::<T>(declaration, model, counts), || format!("the scratch of {}", declaration.name))?;
            self.asked |= bit(function);
        }
        if declaration.reserves {
            (kernel.reserve)(function, model, counts.rows, &mut self.scratch);
        }
        if mimics && declaration.mimicry == Mimicry::AtTheDoor {
            self.full.fit(model, declaration.inputs, declaration.outputs, counts);
            return Ok(()); // the length depends on the number of columns
        }
        if declaration.has_fixed_room {
            if self.ready.0 != model.id() {
                self.ready = (model.id(), 0);
            }
            self.ready.1 |= bit(function);
        }
        Ok(())
    }
}

/// The bit of a function in a set of them.
#[inline(always)]
fn bit(function: &Function) -> u128 {
    1 << function.place()
}

/// Upper bound of the memory that a function needs beyond O(N) \[bytes\].
#[cold]
fn room_of<T: Real>(declaration: &Declaration, model: &Model, counts: Counts) -> usize {
    let (dofs, number) = (model.tree().dofs.len(), size_of::<T>());
    let square = dofs.saturating_mul(dofs);
    let fills = declaration.outputs.iter().any(|arg| arg.size.is_over_pairs());
    let plan = if declaration.reserves && fills { PLAN } else { 0 };
    // The factor of a mass matrix that is not tree-sparse, and arrays in full coordinates.
    let (mut numbers, mimics) = (square.saturating_mul(declaration.squares), model.mimic().is_some());
    if mimics && declaration.reserves {
        numbers += square;
    }
    if mimics && declaration.mimicry == Mimicry::AtTheDoor {
        let arrays = declaration.inputs.iter().chain(declaration.outputs);
        numbers = arrays.fold(numbers, |sum, arg| sum.saturating_add(arg.size.full(model, counts)));
    }
    square.saturating_mul(plan).saturating_add(numbers.saturating_mul(number))
}

/// Conversion (1), compiled once for all functions.
struct Expand<'a, T> {
    full: &'a mut [Vec<T>; MOST_ARRAYS],
    lengths: &'a [usize; MOST_ARRAYS],
    map: &'a MimicMap,
    inputs: &'a [Arg],
    x: &'a [&'a [T]],
    nv: usize,
}

impl<T: Real> Step for Expand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { full, lengths, map, inputs, x, nv } = self;
        for (k, arg) in inputs.iter().enumerate() {
            let (x, full) = (x[k], &mut full[k][..lengths[k]]);
            match arg.size {
                Size::Nq => map.expand_q(x, full),
                Size::Nv => map.expand_v(x, full),
                Size::Columns => {
                    for (full, x) in full.chunks_exact_mut(map.dofs.len().max(1)).zip(x.chunks_exact(nv.max(1))) {
                        map.expand_v(x, full);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Conversion (2), compiled once for all functions.
struct Reduce<'a, 'o, T> {
    full: &'a [Vec<T>; MOST_ARRAYS],
    lengths: &'a [usize; MOST_ARRAYS],
    map: &'a MimicMap,
    outputs: &'a [Arg],
    y: &'a mut [MatrixMut<'o, T>],
    nv: usize,
}

impl<T: Real> Step for Reduce<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { full, lengths, map, outputs, y, nv } = self;
        for (k, arg) in outputs.iter().enumerate() {
            let (full, out) = (&full[k][..lengths[k]], &mut *y[k].entries);
            match arg.size {
                Size::Nv => map.reduce(full, out),
                Size::Square => map.reduce_square(full, nv, out),
                Size::Symmetric => {
                    map.reduce_square(full, nv, out);
                    transpose::mirror(nv, out); // the two triangles were summed in different orders
                }
                Size::Cube => map.reduce_cube(full, nv, out),
                Size::SymmetricCube => {
                    map.reduce_cube(full, nv, out);
                    transpose::mirror_cube(nv, out);
                }
                Size::Wide(rows) => map.reduce_columns(full, rows, out),
                Size::Columns | Size::Parameters | Size::JointPlacements => {
                    for (full, out) in full.chunks_exact(map.dofs.len().max(1)).zip(out.chunks_exact_mut(nv.max(1))) {
                        map.reduce(full, out);
                    }
                }
                _ => {}
            }
        }
    }
}

/// True if an argument of this size differs in full coordinates.
const fn expands(size: Size) -> bool {
    matches!(size, Size::Nq | Size::Nv | Size::Columns)
}

/// True if a result of this size differs in full coordinates.
const fn reduces(size: Size) -> bool {
    size.is_over_pairs()
        || matches!(size, Size::Nv | Size::Wide(_) | Size::Columns | Size::Parameters | Size::JointPlacements)
}

/// Arrays in full coordinates, for models with mimicking joints. Empty for others.
#[derive(Debug)]
pub(crate) struct Full<T> {
    x: [Vec<T>; MOST_ARRAYS],
    y: [Vec<T>; MOST_ARRAYS],
    /// Lengths of the parts used by the current function.
    lengths: ([usize; MOST_ARRAYS], [usize; MOST_ARRAYS]),
}

impl<T: Real> Full<T> {
    pub(crate) fn new() -> Self {
        Self { x: Default::default(), y: Default::default(), lengths: Default::default() }
    }

    /// Makes the arrays at least as long as a function needs. Only the first call of its kind allocates.
    #[inline]
    pub(crate) fn fit(&mut self, model: &Model, inputs: &[Arg], outputs: &[Arg], counts: Counts) {
        for (k, arg) in inputs.iter().enumerate().filter(|(_, arg)| expands(arg.size)) {
            self.lengths.0[k] = at_least(&mut self.x[k], arg.size.full(model, counts));
        }
        for (k, arg) in outputs.iter().enumerate().filter(|(_, arg)| reduces(arg.size)) {
            self.lengths.1[k] = at_least(&mut self.y[k], arg.size.full(model, counts));
        }
    }
}

fn at_least<T: Real>(x: &mut Vec<T>, len: usize) -> usize {
    if x.len() < len {
        x.resize(len, T::zero());
    }
    len
}

/// Runs an algorithm within another one that handles mimicking joints itself: in the model's coordinates, as
/// at the door.
#[inline(always)]
pub(crate) fn nested<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    algorithm: A,
    scene: &Scene<'_, T>,
    memory: &mut Memory<T>,
    x: [&[T]; I],
    y: [&mut [T]; O],
) -> Done {
    let (kernel, function) = (const { &Kernel::of::<A, I, O>() }, algorithm.into());
    memory.full.fit(scene.model, &A::INPUTS, &A::OUTPUTS, 1.into());
    let mut out = MatrixMut::nowhere::<O>();
    for (out, entries) in out.iter_mut().zip(y) {
        *out = MatrixMut::from(entries);
    }
    memory.compute(kernel, &function, scene, &x, &mut out)
}
