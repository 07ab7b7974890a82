//! Filling the tensors of ∂²τ: the O(N d²) part.
//!
//! `c` is the deeper of two directions, `e` the upper one: e's joint is on the path to c's, or the same. `r` is a row, of τ. An entry is zero
//! unless the three lie on one path, and where `e` and `c` do, a row is
//!
//! ```text
//! strictly above e:   τᵣ'' = Sᵣ·F      F = qq     İ_c Ψ̈_e + Z_c Ψ̇_e + S_e ×* t₃_c                    (1)
//!                                          qv     L_c Ψ̇_e + S_e ×* t₂_c       q of e, q̇ of c          (2)
//!                                          vq     İ_c (Ṡ + Ψ̇)_e + Z_c S_e     q of c, q̇ of e          (3)
//!                                          vv     L_c S_e                                             (4)
//!                                          qa     S_e ×* t₁_c                 q of e, q̈ of c          (5)
//!                                          aq     İ_c S_e                     q of c, q̈ of e          (6)
//! between, e to c:    τᵣ'' = Sᵣ·F      without the terms S_e ×* …                                     (7)
//! at or below c:      u = S_c ×* t₁ᵣ       y = ω_c × t₄ᵣ − Lᵣᵀ Ψ̇_c       x = −Lᵣᵀ S_c                 (8)
//!                     qq  Ψ̈_e·u + ω_Ψ̇e·y   qv  ω_Ψ̇e·x   vq  (Ṡ + Ψ̇)_e·u + ω_Se·y
//!                     vv  ω_Se·x           qa  0        aq  S_e·u                                     (9)
//! ```
//!
//! İ_c = ∂Iᶜ/∂q_c, Z_c = ∂(2Bᶜ)/∂q_c, L = 2B[Iᶜ; S]. Rows go side by side in registers, one block of them after the other; (1) to (6) are
//! made for several `e` side by side, once a pair, and (8) once for a block and `c`. The derivation is in the book, `docs/second-order.md`.
//!
//! The number of row i, and directions j and k, is `i + n (j + n k)`. Inside a joint qq is N, and not symmetric yet, nor is vv.

use crate::derivatives::fill::splat;
use crate::derivatives::idsva::Rates;
use crate::dispatch::Register;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::{Coriolis, Force, InAllLanes, InertiaRate, Lanewise, Motion, Vec3, lanewise};
use crate::sweeps::side_by_side::{SideBySide, width};
use alloc::vec::Vec;
use core::ops::Range;

/// The tensors qq, qv, vv, qa.
pub(super) type Tensors<'a, T> = [&'a mut [T]; 4];

/// What a direction has as the deeper one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deeper<W> {
    pub(super) t1: Force<W>,
    pub(super) t2: Force<W>,
    pub(super) t3: Force<W>,
    pub(super) I_rate: InertiaRate<W>,
    /// Z
    pub(super) B_rate: Coriolis<W>,
    /// 2B[Iᶜ; S]
    pub(super) L: Coriolis<W>,
}

lanewise! { Deeper { t1, t2, t3, I_rate, B_rate, L } }

/// What makes rows, side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row<W> {
    pub(super) S: Motion<W>,
    pub(super) t1: Force<W>,
    pub(super) t4: Vec3<W>,
    pub(super) L: Coriolis<W>,
}

lanewise! { Row { S, t1, t4, L } }

/// The F of one `c` and several `e`.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs<W> {
    /// (1) to (6)
    above: [[W; 6]; 6],
    /// (7) for qq and qv; there is none for qa, and the others are the same.
    between: [[W; 6]; 2],
}

/// (8) of a block of rows.
#[derive(Clone, Copy, Debug, Default)]
struct Below<W> {
    u: [W; 6],
    y: [W; 3],
    x: [W; 3],
}

/// What an upper direction is in (9), several side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Upper<W> {
    pub(super) psi_ddot: [W; 6],
    pub(super) rate: [W; 6],
    pub(super) S: [W; 6],
    pub(super) psi_dot: [W; 3],
}

/// A block of rows that something is not zero in, for one direction: which of them are above it, and which at or below it.
#[derive(Clone, Copy, Debug)]
struct Related {
    block: usize,
    /// Its first row.
    first: usize,
    above: u8,
    below: u8,
}

/// Room for the fill, and which rows of which blocks are what: O(N²) bytes.
#[derive(Debug)]
pub(super) struct Room<T: Real> {
    /// How many rows a block has: as many as there are lanes, or all.
    rows: usize,
    /// The rows in blocks; see [`first_rows`].
    blocks: Vec<Row<Register<T>>>,
    /// The first row of each.
    firsts: Vec<usize>,
    /// For every direction, blocks with something in them.
    related: Vec<Related>,
    /// Where those of a direction begin.
    starts: Vec<usize>,
    /// For every direction and block, the rows above.
    above: Vec<u8>,
    has_zeros: bool,
    pairs: Vec<Pairs<Register<T>>>,
    below: Vec<Below<Register<T>>>,
    pub(super) upper: Vec<Upper<Register<T>>>,
}

impl<T: Real> Room<T> {
    pub(super) fn new() -> Self {
        let (rows, has_zeros) = (0, false);
        let (blocks, firsts, related, starts, above) = Default::default();
        let (pairs, below, upper) = Default::default();
        Self { rows, blocks, firsts, related, starts, above, has_zeros, pairs, below, upper }
    }

    pub(super) fn make_room(&mut self, tree: &Tree) {
        if !self.starts.is_empty() {
            return;
        }
        let (n, width) = (tree.dofs.len(), width::<T>());
        self.rows = width.min(n);
        self.firsts = first_rows(tree, width);
        let (count, groups) = (self.firsts.len(), n.div_ceil(width));
        self.blocks.resize(count, Row::default());
        self.below.resize(count, Below::default());
        self.pairs.resize(groups, Pairs::default());
        self.upper.resize(groups, Upper::default());
        self.above.resize(n * count, 0);
        self.starts.push(0);
        for (c, dof) in tree.dofs.iter().enumerate() {
            let body = &tree.bodies[dof.body];
            let mut kinds = alloc::vec![(false, false); n];
            for run in &tree.path_runs()[body.path.clone()] {
                kinds[run.clone()].fill((true, false));
            }
            kinds[body.v.start..body.dofs_end].fill((false, true));
            self.has_zeros |= kinds.contains(&(false, false));
            for (block, &first) in self.firsts.iter().enumerate() {
                let (mut above, mut below) = (0, 0);
                for (k, kind) in kinds[first..first + self.rows].iter().enumerate() {
                    above |= u8::from(kind.0) << k;
                    below |= u8::from(kind.1) << k;
                }
                self.above[c * count + block] = above;
                if above | below != 0 {
                    self.related.push(Related { block, first, above, below });
                }
            }
            self.starts.push(self.related.len());
        }
    }

    /// Puts rows into blocks.
    #[inline(always)]
    pub(super) fn put_rows(&mut self, rows: &SideBySide<T, Row<Register<T>>>) {
        for (block, &first) in self.blocks.iter_mut().zip(&self.firsts) {
            if self.rows == width::<T>() && first % width::<T>() == 0 {
                *block = rows.neighbours[first / width::<T>()];
                continue;
            }
            for k in 0..self.rows {
                let row: Row<T> = rows.get(first + k);
                block.set_lane(k, row);
            }
        }
    }

    /// Writes the tensors.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        tree: &Tree,
        S: &SideBySide<T, Motion<Register<T>>>,
        rates: &SideBySide<T, Rates<Register<T>>>,
        deeper: &SideBySide<T, Deeper<Register<T>>>,
        mut out: Tensors<'_, T>,
        zeros_in_place: bool,
    ) {
        if self.has_zeros && !zeros_in_place {
            out.iter_mut().for_each(|out| out.fill(T::zero()));
        }
        for (c, dof) in tree.dofs.iter().enumerate() {
            let body = &tree.bodies[dof.body];
            let path = &tree.path_runs()[body.path.clone()];
            let of_c = Splat::of(S.get(c), rates.get::<Rates<T>>(c).psi_dot, deeper.get(c));
            for run in path.iter().chain([&body.v]) {
                for group in run.start / width::<T>()..run.end.div_ceil(width::<T>()) {
                    self.pairs[group] = of_c.pairs(S.neighbours[group], &rates.neighbours[group]);
                }
            }
            for k in self.starts[c]..self.starts[c + 1] {
                let Related { block, below, .. } = self.related[k];
                if below != 0 {
                    self.below[block] = of_c.below(&self.blocks[block]);
                }
            }
            let n = tree.dofs.len();
            if self.rows == width::<T>() {
                self.column::<true>(n, c, path, &body.v, &mut out);
            } else {
                self.column::<false>(n, c, path, &body.v, &mut out);
            }
        }
    }

    /// All pairs of one `c`.
    #[inline(always)]
    fn column<const WHOLE: bool>(
        &self,
        n: usize,
        c: usize,
        path: &[Range<usize>],
        own: &Range<usize>,
        out: &mut Tensors<'_, T>,
    ) {
        for run in path {
            for e in run.clone() {
                self.pair::<true, WHOLE>(n, c, e, out);
            }
        }
        for e in own.clone() {
            self.pair::<false, WHOLE>(n, c, e, out);
        }
    }

    /// All rows of one pair; of two joints, or of one.
    #[inline(always)]
    fn pair<const STRICT: bool, const WHOLE: bool>(&self, n: usize, c: usize, e: usize, out: &mut Tensors<'_, T>) {
        let (group, lane) = (e / width::<T>(), e % width::<T>());
        let (pairs, upper) = (&self.pairs[group], &self.upper[group]);
        let all = u8::MAX >> (8 - width::<T>());
        // Columns of one length, so that one look at the rows of a block is enough for all of them.
        let [qq, qv, vv, qa] = out;
        let (ce, ec) = ((e * n + c) * n, (c * n + e) * n);
        let mut to = if STRICT {
            [columns(qq, n, ce, ec), columns(qv, n, ce, ec), columns(vv, n, ce, ec), columns(qa, n, ce, ec)]
        } else {
            let column = |at| at..at + n;
            let [qq, vv] = [qq, vv].map(|x| [&mut x[column(ce)], &mut []]);
            let [qv, qa] = [qv, qa].map(|x| [&mut [][..], &mut x[column(ec)]]);
            [qq, qv, vv, qa]
        };
        for &Related { block, first, above, below } in &self.related[self.starts[c]..self.starts[c + 1]] {
            let (S, of_block) = (&self.blocks[block].S.to_array(), &self.below[block]);
            let over = if STRICT { self.above[e * self.blocks.len() + block] } else { above };
            let x = if above == 0 {
                dots_below_some::<T, STRICT>(below, of_block, upper, lane)
            } else {
                let x = if over == above {
                    dots_above::<T, STRICT>(S, pairs, lane)
                } else if over == 0 {
                    dots_between::<T>(S, pairs, lane)
                } else {
                    dots_around::<T>(over, S, pairs, lane)
                };
                if above == all {
                    x
                } else {
                    pick::<T>(above, x, dots_below_some::<T, STRICT>(below, of_block, upper, lane))
                }
            };
            // A constant length, where it is one, takes half of the bounds checks.
            let rows = first..first + if WHOLE { width::<T>() } else { self.rows };
            let [qq, qv, vv, qa] = &mut to;
            x[0].store(&mut qq[0][rows.clone()]);
            x[1].store(&mut qv[1][rows.clone()]);
            x[3].store(&mut vv[0][rows.clone()]);
            x[4].store(&mut qa[1][rows.clone()]);
            if STRICT {
                x[0].store(&mut qq[1][rows.clone()]);
                x[2].store(&mut qv[0][rows.clone()]);
                x[3].store(&mut vv[1][rows.clone()]);
                x[5].store(&mut qa[0][rows]);
            }
        }
    }
}

/// Two columns of a tensor, the first of which comes before the second.
#[inline(always)]
fn columns<T>(tensor: &mut [T], n: usize, first: usize, second: usize) -> [&mut [T]; 2] {
    let (low, high) = tensor.split_at_mut(second);
    [&mut low[first..first + n], &mut high[..n]]
}

/// Where blocks of rows begin. A limb that nearly fills one begins a block, and the blocks before it end there, the last one by sharing rows: then most
/// blocks are on one side of a direction.
fn first_rows(tree: &Tree, width: usize) -> Vec<usize> {
    let n = tree.dofs.len();
    let mut limbs = Vec::new();
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let parent = &tree.bodies[body.parent];
        if i == 1 || body.parent + 1 != i || parent.bodies_end != body.bodies_end {
            limbs.push(body.v.start);
        }
    }
    limbs.push(n);
    let mut ends: Vec<usize> = limbs.windows(2).filter(|x| 4 * (x[1] - x[0]) >= 3 * width).map(|x| x[0]).collect();
    ends.push(n);
    let (mut firsts, mut begin) = (Vec::new(), 0);
    for end in ends {
        // One that is longer than what is left begins with it, or ends with the last row.
        let last = begin.max(end.saturating_sub(width)).min(n.saturating_sub(width));
        firsts.extend((begin..end).step_by(width).map(|first| first.min(last)));
        begin = end;
    }
    firsts
}

/// A direction in all lanes, as the deeper one.
struct Splat<W> {
    S: Motion<W>,
    psi_dot: Motion<W>,
    of_c: Deeper<W>,
}

impl<W: Real> Splat<W> {
    #[inline(always)]
    fn of<T: Real>(S: Motion<T>, psi_dot: Motion<T>, x: Deeper<T>) -> Self
    where
        W: Wide<T>,
    {
        Self { S: Motion::all(S), psi_dot: Motion::all(psi_dot), of_c: Deeper::all(x) }
    }

    /// (1) to (7)
    #[inline(always)]
    fn pairs(&self, S: Motion<W>, rates: &Rates<W>) -> Pairs<W> {
        let Deeper { t1, t2, t3, I_rate, B_rate, L } = &self.of_c;
        let zero = Force::zero();
        let qq = B_rate.mul_add(rates.psi_dot.ang, I_rate.mul_add(rates.psi_ddot, zero));
        let qv = L.mul_add(rates.psi_dot.ang, zero);
        let vq = B_rate.mul_add(S.ang, I_rate.mul_add(rates.rate, zero));
        let vv = L.mul_add(S.ang, zero);
        let above = [
            S.cross_force_add(*t3, qq).to_array(),
            S.cross_force_add(*t2, qv).to_array(),
            vq.to_array(),
            vv.to_array(),
            S.cross_force(*t1).to_array(),
            I_rate.mul_add(S, zero).to_array(),
        ];
        Pairs { above, between: [qq.to_array(), qv.to_array()] }
    }

    /// (8)
    #[inline(always)]
    fn below(&self, row: &Row<W>) -> Below<W> {
        let u = self.S.cross_force(row.t1);
        let y = self.S.ang.cross_add(row.t4, -row.L.tr_mul(self.psi_dot));
        let x = -row.L.tr_mul(self.S);
        Below { u: u.to_array(), y: y.to_array(), x: x.to_array() }
    }
}

/// `x` in the rows whose bits are set, `y` in the others.
#[inline(always)]
fn pick<T: Real>(bits: u8, x: [Register<T>; 6], y: [Register<T>; 6]) -> [Register<T>; 6] {
    let mut out = x;
    for k in 0..6 {
        out[k] = Register::<T>::pick(bits, x[k], y[k]);
    }
    out
}

/// (9) in the rows whose bits are set, and zeros.
#[inline(always)]
fn dots_below_some<T: Real, const STRICT: bool>(
    bits: u8,
    rows: &Below<Register<T>>,
    e: &Upper<Register<T>>,
    lane: usize,
) -> [Register<T>; 6] {
    let (zeros, all) = ([Register::<T>::zero(); 6], u8::MAX >> (8 - width::<T>()));
    if bits == 0 {
        return zeros;
    }
    let x = dots_below::<T, STRICT>(rows, e, lane);
    if bits == all { x } else { pick::<T>(bits, x, zeros) }
}

/// (1) to (6) in the rows whose bits are set, (7) in the others.
#[inline(always)]
fn dots_around<T: Real>(bits: u8, S: &[Register<T>; 6], F: &Pairs<Register<T>>, lane: usize) -> [Register<T>; 6] {
    let mut x = dots_above::<T, true>(S, F, lane);
    for k in 0..2 {
        x[k] = Register::<T>::pick(bits, x[k], dot::<T>(S, &F.between[k], lane));
    }
    x[4] = Register::<T>::pick(bits, x[4], Register::<T>::zero());
    x
}

/// Sᵣ·F
#[inline(always)]
fn dot<T: Real>(S: &[Register<T>; 6], F: &[Register<T>; 6], lane: usize) -> Register<T> {
    let mut sum = S[0] * splat::<T>(&F[0], lane);
    for k in 1..6 {
        sum = S[k].mul_add(splat::<T>(&F[k], lane), sum);
    }
    sum
}

/// (1) to (6); those of two joints in between are not needed of one.
#[inline(always)]
fn dots_above<T: Real, const STRICT: bool>(
    S: &[Register<T>; 6],
    F: &Pairs<Register<T>>,
    lane: usize,
) -> [Register<T>; 6] {
    let mut x = [Register::<T>::zero(); 6];
    for k in 0..6 {
        if STRICT || (k != 2 && k != 5) {
            x[k] = dot::<T>(S, &F.above[k], lane);
        }
    }
    x
}

/// (7)
#[inline(always)]
fn dots_between<T: Real>(S: &[Register<T>; 6], F: &Pairs<Register<T>>, lane: usize) -> [Register<T>; 6] {
    let [qq, qv] = &F.between;
    [
        dot::<T>(S, qq, lane),
        dot::<T>(S, qv, lane),
        dot::<T>(S, &F.above[2], lane),
        dot::<T>(S, &F.above[3], lane),
        Register::<T>::zero(),
        dot::<T>(S, &F.above[5], lane),
    ]
}

/// (9)
#[inline(always)]
fn dots_below<T: Real, const STRICT: bool>(
    Below { u, y, x }: &Below<Register<T>>,
    e: &Upper<Register<T>>,
    lane: usize,
) -> [Register<T>; 6] {
    let zero = Register::<T>::zero();
    let mut out = [dot::<T>(u, &e.psi_ddot, lane), zero, zero, zero, zero, zero];
    if STRICT {
        out[2] = dot::<T>(u, &e.rate, lane);
        out[5] = dot::<T>(u, &e.S, lane);
    }
    for k in 0..3 {
        let (psi_dot, S) = (splat::<T>(&e.psi_dot[k], lane), splat::<T>(&e.S[3 + k], lane));
        out[0] = y[k].mul_add(psi_dot, out[0]);
        out[1] = if k == 0 { x[k] * psi_dot } else { x[k].mul_add(psi_dot, out[1]) };
        out[3] = if k == 0 { x[k] * S } else { x[k].mul_add(S, out[3]) };
        if STRICT {
            out[2] = y[k].mul_add(S, out[2]);
        }
    }
    out
}
