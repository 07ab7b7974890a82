//! Sparse factors of the mass matrix: `M = Lᵀ D L`, with the sparsity of the tree.
//!
//! ```text
//! factorise   for k = n … 1:   Lₖᵢ = Mₖᵢ/Mₖₖ                          for i on the path above k       (1)
//!                              Mᵢⱼ −= Lₖᵢ Mₖⱼ                         for j on the path of i          (2)
//!                              Dₖ = Mₖₖ
//! solve       for k = n … 1:   bᵢ −= Lₖᵢ bₖ                           for i on the path above k       (3)
//!                              bₖ ← bₖ/Dₖ                                                             (4)
//!             for k = 1 … n:   bᵢ −= Lᵢₖ bₖ                           for i that have k on their path (5)
//! ```
//!
//! Source: [RBDA] Tables 6.3 and 6.5. `Mₖᵢ` is stored at row `i` of column `k`, so (2) and (3) run along
//! columns, over the contiguous runs of a path. `L` is also written to the other triangle, for (5).
//!
//! With mimicking joints the path is that of the elimination tree instead of the kinematic one. Everything
//! else is equal.

use super::Crba;
use crate::dispatch::{Proof, Twin, step};
use crate::door::{Done, nested};
use crate::engines::{Memory, OnTwin, Workspace};
use crate::error::{Error, ErrorKind};
use crate::linalg::transpose::mirror;
use crate::model::Model;
use crate::model::paths::Paths;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::sweeps::singular::{Health, margin};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Factor of the mass matrix at some `q`: solves `M x = b` repeatedly.
///
/// ```
/// # use dtau::{model::{generate, Model, Options}, crba_factor, MassFactor, Workspace};
/// # let model = Model::build(&generate::chain(2), &Options::default())?;
/// # let mut ws = Workspace::new(&model);
/// # let (q, mut b) = ([0.1, 0.2], [1.0, 0.0]);
/// let mut factor = MassFactor::new(&model);
/// crba_factor(&model, &mut ws, &q, &mut factor)?;
/// factor.solve(&mut ws, &mut b)?; // b is now M(q)⁻¹ b
/// # Ok::<(), dtau::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MassFactor<T = f64> {
    model: Model,
    /// Lₖᵢ at (i, k) and (k, i).
    l: Vec<T>,
    d_inv: Vec<T>,
    filled: bool,
}

impl<T: Real> MassFactor<T> {
    /// Allocates the factor of a model's mass matrix; [`crba_factor`] computes it.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        Self { model: model.clone(), l: vec![T::zero(); nv * nv], d_inv: vec![T::zero(); nv], filled: false }
    }

    /// `b ← M⁻¹ b` for one right-hand side (nv); O(N d).
    ///
    /// # Errors
    /// If a length or the workspace does not fit, or if the factor was never filled.
    pub fn solve(&self, ws: &mut Workspace<T>, b: &mut [T]) -> Result<(), Error> {
        self.check(ws, "b", b.len(), self.model.nv(), "nv")?;
        ws.run(Apply { factor: self, to: To::Vector, b });
        Ok(())
    }

    /// `B ← M⁻¹ B` for many right-hand sides, the columns of `b` (nv × any number).
    ///
    /// # Errors
    /// If a length or the workspace does not fit, or if the factor was never filled.
    pub fn solve_columns(&self, ws: &mut Workspace<T>, b: &mut [T]) -> Result<(), Error> {
        let nv = self.model.nv();
        self.check(ws, "b", b.len(), b.len() / nv.max(1) * nv, "columns of nv")?;
        ws.run(Apply { factor: self, to: To::Columns, b });
        Ok(())
    }

    /// Writes `M⁻¹` (nv × nv, by columns), both triangles, exactly symmetric. [`minverse`](crate::minverse())
    /// is faster if you need only the inverse.
    ///
    /// # Errors
    /// If a length or the workspace does not fit, or if the factor was never filled.
    pub fn inverse(&self, ws: &mut Workspace<T>, minv: &mut [T]) -> Result<(), Error> {
        self.check(ws, "minv", minv.len(), self.model.nv() * self.model.nv(), "nv × nv")?;
        ws.run(Apply { factor: self, to: To::Identity, b: minv });
        Ok(())
    }

    /// True if it was made for this model, or one with the same paths.
    fn fits(&self, model: &Model) -> bool {
        self.model.is(model) || self.model.elimination() == model.elimination()
    }

    /// Returns an error if it is not filled or an argument does not fit.
    fn check(&self, ws: &Workspace<T>, name: &str, got: usize, want: usize, rule: &str) -> Result<(), Error> {
        if !self.filled {
            return Err(Error::new(ErrorKind::Value, "this MassFactor holds no factor yet; fill it with crba_factor"));
        }
        ws.check(&self.model)?;
        if got == want {
            return Ok(());
        }
        let model = self.model.name();
        let message = format!("`{name}` has {got} numbers, but model \"{model}\" needs {rule} = {want}");
        Err(Error::new(ErrorKind::Length, message))
    }
}

/// Computes the mass matrix `M(q)` and factorises it; O(N d²).
///
/// # Errors
/// If a length, the workspace or the factor does not fit the model, or if a body has no inertia along its
/// joint.
pub fn crba_factor<'m, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    factor: &mut MassFactor<T>,
) -> Result<(), Error> {
    let scene = scene.into();
    let model = scene.model;
    if !factor.fits(model) {
        let message = format!("the factor was made for another model than \"{}\"", model.name());
        return Err(Error::new(ErrorKind::Length, message));
    }
    factor.filled = false;
    crate::crba(scene, ws, q, &mut factor.l)?;
    ws.run(FactoriseTask { paths: model.elimination(), factor }).map_err(|singular| singular.error(model, None))?;
    factor.filled = true;
    Ok(())
}

struct FactoriseTask<'a, T> {
    paths: &'a Paths,
    factor: &'a mut MassFactor<T>,
}

impl<T: Real> OnTwin<T> for FactoriseTask<'_, T> {
    type Output = Done;

    fn run<N: Twin<T>>(self, memory: &mut Memory<N>) -> Done {
        let MassFactor { l, d_inv, .. } = self.factor;
        let (l, d_inv, margins) = (N::slice_mut(l), N::slice_mut(d_inv), &mut memory.scratch.ltdl.margins[..]);
        factorise_step(memory.scratch.proof, self.paths, l, d_inv, margins)
    }
}

/// [`factorise`], shared by [`crba_factor`] and [`factor_of`].
#[inline(always)]
fn factorise_step<T: Real>(proof: Proof<T>, paths: &Paths, l: &mut [T], d_inv: &mut [T], margins: &mut [T]) -> Done {
    step!(proof, || factorise(paths, l, d_inv, margins))
}

/// Operand of a factor.
#[derive(Clone, Copy)]
enum To {
    Vector,
    Columns,
    Identity,
}

struct Apply<'a, T> {
    factor: &'a MassFactor<T>,
    to: To,
    b: &'a mut [T],
}

impl<T: Real> OnTwin<T> for Apply<'_, T> {
    type Output = ();

    fn run<N: Twin<T>>(self, memory: &mut Memory<N>) {
        let Self { factor, to, b } = self;
        let (l, d_inv, b) = (N::slice(&factor.l), N::slice(&factor.d_inv), N::slice_mut(b));
        let (paths, wide) = (factor.model.elimination(), &mut memory.scratch.ltdl.wide[..]);
        step!(memory.scratch.proof, || match to {
            To::Vector => solve(paths, l, d_inv, b),
            To::Columns => solve_columns(paths, l, d_inv, b, wide),
            To::Identity => inverse(paths, l, d_inv, b, wide),
        });
    }
}

/// Number of right-hand sides solved side by side.
const WIDTH: usize = 8;

/// Workspace of this algorithm: O(N), plus a factor for models with mimicking joints, once it is needed.
#[derive(Debug)]
pub(crate) struct Room<T> {
    pub(crate) margins: Vec<T>,
    /// Right-hand sides, [`WIDTH`] side by side.
    pub(crate) wide: Vec<T>,
    /// The factor of [`factor_of`].
    l: Vec<T>,
    d_inv: Vec<T>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let nv = model.nv();
        let zeros = |n| vec![T::zero(); n];
        Self { margins: zeros(nv), wide: zeros(WIDTH * nv), l: Vec::new(), d_inv: zeros(nv) }
    }

    /// Allocates the factor, for models with mimicking joints.
    pub(crate) fn make_room(&mut self, model: &Model) {
        if model.mimic().is_some() && self.l.is_empty() {
            self.l = vec![T::zero(); model.nv() * model.nv()];
        }
    }

    /// `b ← M⁻¹ b` with the factor that [`factor_of`] left here.
    #[inline(always)]
    pub(crate) fn solve(&self, paths: &Paths, b: &mut [T]) {
        solve(paths, &self.l, &self.d_inv, b);
    }

    /// `M⁻¹` from the factor that [`factor_of`] left here.
    #[inline(always)]
    pub(crate) fn inverse(&mut self, paths: &Paths, minv: &mut [T]) {
        inverse(paths, &self.l, &self.d_inv, minv, &mut self.wide);
    }
}

/// Leaves the factor of M(q) in the scratch. Forward dynamics uses it with mimicking joints.
#[inline(always)]
pub(crate) fn factor_of<T: Real>(scene: &Scene<'_, T>, memory: &mut Memory<T>, q: &[T]) -> Done {
    lend!(memory.scratch.ltdl.l => l, || {
        nested(Crba {}, scene, memory, [q], [&mut *l])?;
        let Room { margins, d_inv, .. } = &mut memory.scratch.ltdl;
        factorise_step(memory.scratch.proof, scene.model.elimination(), l, d_inv, margins)
    })
}

/// Replaces `M` above the diagonal by `L` in both triangles, and computes the reciprocals of `D`.
#[inline(always)]
pub(crate) fn factorise<T: Real>(paths: &Paths, m: &mut [T], d_inv: &mut [T], margins: &mut [T]) -> Done {
    let n = d_inv.len();
    let mut health = Health::good();
    for k in 0..n {
        margins[k] = m[k * n + k];
    }
    for k in (0..n).rev() {
        let (before, column) = m.split_at_mut(k * n);
        let D = column[k];
        d_inv[k] = D.recip();
        margins[k] = margin(D, margins[k]);
        health = health.and_positive(margins[k]);
        for run in paths.above(k) {
            for i in run {
                let L = column[i] * d_inv[k]; // (1)
                for part in paths.path(i) {
                    let target = &mut before[i * n..][part.clone()];
                    for (t, &x) in target.iter_mut().zip(&column[part]) {
                        *t = L.neg_mul_add(x, *t); // (2)
                    }
                }
                before[i * n + k] = L;
            }
        }
        for run in paths.above(k) {
            for x in &mut column[run] {
                *x *= d_inv[k];
            }
        }
    }
    health.check(margins.iter().copied().enumerate().rev())
}

#[inline(always)]
fn solve<T: Real>(paths: &Paths, l: &[T], d_inv: &[T], b: &mut [T]) {
    debug_assert_eq!(b.len(), d_inv.len());
    solve_inward(paths, l, b);
    for (b, &d_inv) in b.iter_mut().zip(d_inv) {
        *b *= d_inv; // (4)
    }
    solve_outward(paths, l, b);
}

/// `b ← L⁻ᵀ b`.
#[inline(always)]
pub(crate) fn solve_inward<T: Real>(paths: &Paths, l: &[T], b: &mut [T]) {
    let n = b.len();
    for k in (0..n).rev() {
        let (before, rest) = b.split_at_mut(k);
        for run in paths.above(k) {
            subtract(&mut before[run.clone()], rest[0], &l[k * n..][run]); // (3)
        }
    }
}

/// `b ← L⁻¹ b`.
#[inline(always)]
pub(crate) fn solve_outward<T: Real>(paths: &Paths, l: &[T], b: &mut [T]) {
    let n = b.len();
    for k in 0..n {
        let below = paths.below(k);
        let b_k = b[k];
        subtract(&mut b[below.clone()], b_k, &l[k * n..][below]); // (5)
    }
}

/// `y −= k x`, four at a time: LLVM's own vectorisation is worth it only for long vectors.
#[inline(always)]
fn subtract<T: Real>(y: &mut [T], k: T, x: &[T]) {
    debug_assert_eq!(y.len(), x.len());
    let ((y4, y), (x4, x)) = (y.as_chunks_mut::<4>(), x.as_chunks::<4>());
    for (y, &x) in y4.iter_mut().zip(x4) {
        let mut sum = *y;
        for w in 0..4 {
            sum[w] = k.neg_mul_add(x[w], sum[w]);
        }
        *y = sum;
    }
    for (y, &x) in y.iter_mut().zip(x) {
        core::hint::black_box(()); // keeps LLVM from vectorising a loop of at most three
        *y = k.neg_mul_add(x, *y);
    }
}

/// The three solves for several columns at a time. Here (3) and (5) accumulate in `bᵢ`, which stays in
/// registers.
#[inline(always)]
pub(crate) fn solve_columns<T: Real>(paths: &Paths, l: &[T], d_inv: &[T], b: &mut [T], wide: &mut [T]) {
    if T::IS_PACKED {
        solve_columns_by::<T, 1>(paths, l, d_inv, b, wide);
    } else {
        solve_columns_by::<T, WIDTH>(paths, l, d_inv, b, wide);
    }
}

#[inline(always)]
fn solve_columns_by<T: Real, const W: usize>(paths: &Paths, l: &[T], d_inv: &[T], b: &mut [T], wide: &mut [T]) {
    let n = d_inv.len();
    for columns in b.chunks_mut(W * n.max(1)) {
        let count = columns.len() / n;
        for i in 0..n {
            for c in 0..W {
                wide[i * W + c] = if c < count { columns[c * n + i] } else { T::zero() };
            }
        }
        solve_wide::<T, W>(paths, l, d_inv, n, wide);
        for (c, column) in columns.chunks_exact_mut(n.max(1)).enumerate() {
            for i in 0..n {
                column[i] = wide[i * W + c];
            }
        }
    }
}

/// Solves `W` right-hand sides, row by row, that are zero from row `zero_from` on.
#[inline(always)]
fn solve_wide<T: Real, const W: usize>(paths: &Paths, l: &[T], d_inv: &[T], zero_from: usize, b: &mut [T]) {
    let n = d_inv.len();
    for i in (0..zero_from).rev() {
        let below = paths.below(i);
        let x = minus_products::<T, W>(row(b, i), l, i * n, below.start..below.end.min(zero_from), b); // (3)
        b[i * W..][..W].copy_from_slice(&x);
    }
    for i in 0..n {
        let mut x = row(b, i).map(|x| x * d_inv[i]); // (4)
        for run in paths.above(i) {
            x = minus_products::<T, W>(x, l, i * n, run, b); // (5)
        }
        b[i * W..][..W].copy_from_slice(&x);
    }
}

#[inline(always)]
fn row<T: Real, const W: usize>(b: &[T], i: usize) -> [T; W] {
    let mut x = [T::zero(); W];
    x.copy_from_slice(&b[i * W..][..W]);
    x
}

/// `x − Σ L b` over the rows of a range.
#[inline(always)]
fn minus_products<T: Real, const W: usize>(
    mut x: [T; W],
    l: &[T],
    column: usize,
    rows: Range<usize>,
    b: &[T],
) -> [T; W] {
    let l = &l[column..][rows.clone()];
    let b = &b[W * rows.start..W * rows.end];
    // Two sums, to shorten the dependency chain.
    let mut y = [T::zero(); W];
    let (pairs, last) = l.as_chunks::<2>();
    for (&[l0, l1], b) in pairs.iter().zip(b.chunks_exact(2 * W)) {
        for c in 0..W {
            x[c] = l0.neg_mul_add(b[c], x[c]);
            y[c] = l1.neg_mul_add(b[W + c], y[c]);
        }
    }
    if let &[l] = last {
        let b = &b[b.len() - W..];
        for c in 0..W {
            x[c] = l.neg_mul_add(b[c], x[c]);
        }
    }
    for c in 0..W {
        x[c] += y[c];
    }
    x
}

/// `M⁻¹`: solves for the columns of the identity, and copies the lower triangle to the upper one.
#[inline(always)]
fn inverse<T: Real>(paths: &Paths, l: &[T], d_inv: &[T], minv: &mut [T], wide: &mut [T]) {
    if T::IS_PACKED {
        inverse_by::<T, 1>(paths, l, d_inv, minv, wide);
    } else {
        inverse_by::<T, WIDTH>(paths, l, d_inv, minv, wide);
    }
}

#[inline(always)]
fn inverse_by<T: Real, const W: usize>(paths: &Paths, l: &[T], d_inv: &[T], minv: &mut [T], wide: &mut [T]) {
    let n = d_inv.len();
    for first in (0..n).step_by(W) {
        let end = n.min(first + W);
        wide.fill(T::zero());
        for c in first..end {
            wide[c * W + c - first] = T::one();
        }
        solve_wide::<T, W>(paths, l, d_inv, end, wide);
        for c in first..end {
            for i in c..n {
                let x = wide[i * W + c - first];
                (minv[c * n + i], minv[i * n + c]) = (x, x);
            }
        }
    }
}

/// Replaces the factor by `M⁻¹`.
///
/// Column `c` of M⁻¹ from the diagonal down needs the rows of `L` from `c` on, and entries of M⁻¹ known by
/// symmetry:
///
/// ```text
/// M⁻¹ᵢ꜀ = −Σ Lᵢⱼ M⁻¹ⱼ꜀      for i > c, j on the path above i                                           (6)
/// M⁻¹꜀꜀ = 1/D꜀ − Σ L꜀ⱼ M⁻¹ⱼ꜀                                                                          (7)
/// ```
///
/// M⁻¹ fills the lower triangle from the left while `L` is read from the upper one. This takes half the
/// work of [`inverse`].
#[inline(always)]
pub(crate) fn inverse_in_place<T: Real>(paths: &Paths, l: &mut [T], d_inv: &[T], wide: &mut [T]) {
    if T::IS_PACKED {
        inverse_in_place_by::<T, 1>(paths, l, d_inv, wide);
    } else {
        inverse_in_place_by::<T, WIDTH>(paths, l, d_inv, wide);
    }
}

#[inline(always)]
fn inverse_in_place_by<T: Real, const W: usize>(paths: &Paths, l: &mut [T], d_inv: &[T], wide: &mut [T]) {
    let n = d_inv.len();
    for first in (0..n).step_by(W) {
        let end = n.min(first + W);
        for j in 0..first {
            wide[j * W..][..end - first].copy_from_slice(&l[j * n..][first..end]); // by symmetry
        }
        for i in first..n {
            let mut x = [T::zero(); W];
            for run in paths.above(i) {
                x = minus_products::<T, W>(x, l, i * n, run, wide); // (6)
            }
            wide[i * W..][..W].copy_from_slice(&x);
            if i < end {
                // Above the diagonal by symmetry, then the diagonal.
                let mut x_ii = d_inv[i];
                for c in first..i {
                    wide[c * W + i - first] = x[c - first];
                }
                for run in paths.above(i) {
                    for j in run {
                        x_ii = l[i * n + j].neg_mul_add(wide[j * W + i - first], x_ii); // (7)
                    }
                }
                wide[i * W + i - first] = x_ii;
            }
        }
        for c in first..end {
            for i in c..n {
                l[c * n + i] = wide[i * W + c - first];
            }
        }
    }
    mirror(n, l);
}
