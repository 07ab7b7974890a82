//! From the coordinates of the caller to those of the full tree, and back.
//!
//! ```text
//! in    nq: q ↦ G q + o         nv, nv × k: x ↦ G x                                       (1)
//! out   nv, nv × k: y ↦ Gᵀ y    nv × nv: A ↦ Gᵀ A G        r × nv: J ↦ J G                (2)
//!       nv × nv × nv: Gᵀ on each index
//! ```
//!
//! `G` is the map of joints that follow others, see [`mimic`](crate::model::mimic). So no algorithm knows of mimicry but forward
//! dynamics, whose mass matrix is another.

use super::finite::{self, Failed, Outcome};
use super::{Algorithm, Arg, Counts, Done, Mimicry, Out, Size};
use crate::dispatch::{Step, step};
use crate::engines::Memory;
use crate::linalg::transpose;
use crate::model::Model;
use crate::model::mimic::MimicMap;
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::vec::Vec;

/// The most arrays that a function reads or writes.
pub(crate) const MOST_ARRAYS: usize = 8;

/// What an algorithm needs; together with it, a step. A pair, so that the compiler puts the step beside the algorithm.
pub(crate) struct Run<'a, T: Real, const I: usize, const O: usize> {
    pub(crate) scene: &'a Scene<'a, T>,
    pub(crate) memory: &'a mut Memory<T>,
    pub(crate) x: [&'a [T]; I],
    pub(crate) y: [Out<'a, T>; O],
}

impl<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize> Step for (A, Run<'_, T, I, O>) {
    type Output = Done;

    #[inline(always)]
    fn run(self) -> Done {
        let (algorithm, Run { scene, memory, x, mut y }) = self;
        let mut map = scene.model.mimic();
        if matches!(A::MIMICRY, Mimicry::Own) && map.is_some() {
            return algorithm.compute_mimicking(scene, memory, x, y);
        }
        if !matches!(A::MIMICRY, Mimicry::AtTheDoor) {
            map = None;
        }
        let Memory { full, scratch, .. } = memory;
        let (mut to_x, mut to_y) = (x, Out::nowhere());
        if let Some(map) = map {
            step(scratch.proof, Expand { full: &mut *full, map, inputs: &A::INPUTS, x: &x, nv: scene.model.nv() });
        }
        for (k, (y, whole)) in y.iter_mut().zip(&mut full.y).enumerate() {
            to_y[k] = if map.is_some() && reduces(A::OUTPUTS[k].size) {
                Out { entries: &mut whole[..full.lengths.1[k]], zeros_in_place: false }
            } else {
                y.reborrow()
            };
        }
        if map.is_some() {
            for k in 0..I {
                if expands(A::INPUTS[k].size) {
                    to_x[k] = &full.x[k][..full.lengths.0[k]];
                }
            }
        }
        let done = algorithm.compute(scene, scratch, to_x, to_y); // one call: this is where all of the algorithm is inlined
        if let Some(map) = map {
            step(scratch.proof, Reduce { full, map, outputs: &A::OUTPUTS, y: &mut y, nv: scene.model.nv() });
        }
        done
    }
}

/// The same, and a look at what came out.
pub(crate) struct Checked<'a, T: Real, const I: usize, const O: usize>(pub(crate) Run<'a, T, I, O>);

impl<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize> Step for (A, Checked<'_, T, I, O>) {
    type Output = Outcome;

    #[inline(always)]
    fn run(self) -> Outcome {
        let (algorithm, Checked(Run { scene, memory, x, mut y })) = self;
        let mut to = Out::nowhere();
        for (to, y) in to.iter_mut().zip(&mut y) {
            *to = y.reborrow();
        }
        (algorithm, Run { scene, memory, x, y: to }).run().map_err(Failed::Singular)?;
        if finite::is_modest::<A, T, I, O>(scene, &x, &y) || finite::are_finite(&y) {
            Ok(())
        } else {
            Err(Failed::NotFinite)
        }
    }
}

/// (1), once for all functions.
struct Expand<'a, T> {
    full: &'a mut Full<T>,
    map: &'a MimicMap,
    inputs: &'a [Arg],
    x: &'a [&'a [T]],
    nv: usize,
}

impl<T: Real> Step for Expand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.full.expand(self.map, self.inputs, self.x, self.nv);
    }
}

/// (2), once for all functions.
struct Reduce<'a, 'o, T> {
    full: &'a Full<T>,
    map: &'a MimicMap,
    outputs: &'a [Arg],
    y: &'a mut [Out<'o, T>],
    nv: usize,
}

impl<T: Real> Step for Reduce<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.full.reduce(self.map, self.outputs, self.y, self.nv);
    }
}

/// Whether an argument of this size looks different in full coordinates.
const fn expands(size: Size) -> bool {
    matches!(size, Size::Nq | Size::Nv | Size::Columns)
}

/// Whether a result does.
const fn reduces(size: Size) -> bool {
    size.is_over_pairs()
        || matches!(size, Size::Nv | Size::Wide(_) | Size::Columns | Size::Parameters | Size::JointPlacements)
}

/// Arrays in full coordinates, for models with mimicking joints. Empty for others.
#[derive(Debug)]
pub(crate) struct Full<T> {
    x: [Vec<T>; MOST_ARRAYS],
    y: [Vec<T>; MOST_ARRAYS],
    /// How much of them belongs to the function at hand.
    lengths: ([usize; MOST_ARRAYS], [usize; MOST_ARRAYS]),
}

impl<T: Real> Full<T> {
    pub(crate) fn new() -> Self {
        Self { x: Default::default(), y: Default::default(), lengths: Default::default() }
    }

    /// Makes the arrays at least as long as a function needs them: only the first call of its kind allocates.
    #[inline]
    pub(crate) fn fit(&mut self, model: &Model, inputs: &[Arg], outputs: &[Arg], counts: Counts) {
        for (k, arg) in inputs.iter().enumerate().filter(|(_, arg)| expands(arg.size)) {
            self.lengths.0[k] = at_least(&mut self.x[k], arg.size.full(model, counts));
        }
        for (k, arg) in outputs.iter().enumerate().filter(|(_, arg)| reduces(arg.size)) {
            self.lengths.1[k] = at_least(&mut self.y[k], arg.size.full(model, counts));
        }
    }

    /// (1)
    #[inline(always)]
    fn expand(&mut self, map: &MimicMap, inputs: &[Arg], x: &[&[T]], nv: usize) {
        let lengths = &self.lengths.0;
        for (k, (arg, x)) in inputs.iter().zip(x).enumerate() {
            let full = &mut self.x[k][..lengths[k]];
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

    /// (2)
    #[inline(always)]
    fn reduce(&self, map: &MimicMap, outputs: &[Arg], y: &mut [Out<'_, T>], nv: usize) {
        for (k, (arg, y)) in outputs.iter().zip(y).enumerate() {
            let (full, out) = (&self.y[k][..self.lengths.1[k]], &mut *y.entries);
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

fn at_least<T: Real>(x: &mut Vec<T>, len: usize) -> usize {
    if x.len() < len {
        x.resize(len, T::zero());
    }
    len
}

/// Runs an algorithm within another one that has a way of its own for mimicking joints: in the model's coordinates, as at the door.
#[inline(always)]
pub(crate) fn nested<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    algorithm: A,
    scene: &Scene<'_, T>,
    memory: &mut Memory<T>,
    x: [&[T]; I],
    y: [&mut [T]; O],
) -> Done {
    memory.full.fit(scene.model, &A::INPUTS, &A::OUTPUTS, 1.into());
    let mut out = Out::nowhere();
    for (out, entries) in out.iter_mut().zip(y) {
        *out = Out { entries, zeros_in_place: false };
    }
    step(memory.proof(), (algorithm, Run { scene, memory, x, y: out }))
}
