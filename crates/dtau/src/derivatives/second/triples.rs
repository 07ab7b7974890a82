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
//! İ_c = ∂Iᶜ/∂q_c, Z_c = ∂(2Bᶜ)/∂q_c, L = 2B[Iᶜ; S]. (4) is (5) + (6), S_e ×* t₁_c + İ_c S_e = L_c S_e, so its rows are sums of theirs, and (5) is
//! computed between e and c too. Rows go side by side in registers, one block of them after the other; (1) to (6) are made for several `e` side by
//! side, once a pair, and (8) once for a block and `c`. The derivation is in the book, `docs/second-order.md`.
//!
//! The number of row i, and directions j and k, is `i + n (j + n k)`. Inside a joint qq is N, and not symmetric yet, nor is vv.
//!
//! Everything here is over a register `W`: the widest that the CPU has, since rows of a block are what it fills.

use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::{Coriolis, Force, InAllLanes, InertiaRate, Lanewise, Motion, Vec3, lanewise};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

/// The tensors qq, qv, vv, qa.
pub(super) type Tensors<'a, T> = [&'a mut [T]; 4];

/// What a direction has as the deeper one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deeper<W> {
    pub(super) S: Motion<W>,
    pub(super) psi_dot: Motion<W>,
    pub(super) t1: Force<W>,
    pub(super) t2: Force<W>,
    pub(super) t3: Force<W>,
    pub(super) I_rate: InertiaRate<W>,
    /// Z
    pub(super) B_rate: Coriolis<W>,
    /// 2B[Iᶜ; S]
    pub(super) L: Coriolis<W>,
}

lanewise! { Deeper { S, psi_dot, t1, t2, t3, I_rate, B_rate, L } }

/// What a direction has as the upper one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Upper<W> {
    pub(super) S: [W; 6],
    /// The angular part of Ψ̇.
    pub(super) psi_dot: [W; 3],
    pub(super) psi_ddot: [W; 6],
    /// Ṡ + Ψ̇
    pub(super) rate: [W; 6],
}

impl<W: Real> Upper<W> {
    /// Brings one direction to another lane, of another register.
    #[inline(always)]
    fn copy<T: Real>(&mut self, to: usize, x: &Self, from: usize)
    where
        W: Wide<T>,
    {
        for k in 0..6 {
            self.S[k].set_lane(to, x.S[k].lane(from));
            self.psi_ddot[k].set_lane(to, x.psi_ddot[k].lane(from));
            self.rate[k].set_lane(to, x.rate[k].lane(from));
        }
        for k in 0..3 {
            self.psi_dot[k].set_lane(to, x.psi_dot[k].lane(from));
        }
    }
}

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
    /// (1), (2), (3), (5), (6)
    above: [[W; 6]; 5],
    /// (7) for qq and qv; the others are the same.
    between: [[W; 6]; 2],
}

/// (8) of a block of rows.
#[derive(Clone, Copy, Debug, Default)]
struct Below<W> {
    u: [W; 6],
    y: [W; 3],
    x: [W; 3],
}

/// The directions from the root to the end of a limb: side by side, so that those above `c` and its own are the first of them.
#[derive(Debug)]
struct Path {
    directions: Vec<usize>,
    /// Where its registers begin.
    first: usize,
}

/// Rows that go side by side.
#[derive(Clone, Debug, PartialEq)]
struct Block(Range<usize>);

/// A block of rows that something is not zero in, for one direction: which of them are above it, and which at or below it.
#[derive(Clone, Debug)]
struct Related {
    block: usize,
    rows: Range<usize>,
    above: u8,
    below: u8,
}

/// Room for the fill, and which rows of which blocks are what: O(N²) bytes.
#[derive(Debug, Default)]
pub(super) struct Room<T, W> {
    /// By direction, as many as a register has lanes side by side.
    pub(super) deeper: Vec<Deeper<W>>,
    pub(super) upper: Vec<Upper<W>>,
    pub(super) rows: Vec<Row<W>>,
    /// The rows in blocks; see [`blocks_of`].
    blocks: Vec<Block>,
    in_blocks: Vec<Row<W>>,
    /// For every direction, blocks with something in them.
    related: Vec<Related>,
    /// Where those of a direction begin.
    starts: Vec<usize>,
    /// For every direction and block, the rows above.
    above: Vec<u8>,
    paths: Vec<Path>,
    /// The path on which a direction is.
    path_of: Vec<usize>,
    /// The upper directions of all paths.
    on_paths: Vec<Upper<W>>,
    /// Whether every block fills a register.
    whole: bool,
    has_zeros: bool,
    pairs: Vec<Pairs<W>>,
    below: Vec<Below<W>>,
    scalar: PhantomData<T>,
}

impl<T: Real, W: Wide<T>> Room<T, W> {
    pub(super) fn make_room(&mut self, tree: &Tree) {
        if !self.starts.is_empty() {
            return;
        }
        let n = tree.dofs.len();
        self.blocks = if W::WRITES_SOME { limbs_in_blocks(tree, W::WIDTH) } else { full_blocks(tree, W::WIDTH) };
        self.whole = self.blocks.iter().all(|block| block.0.len() == W::WIDTH);
        let (count, groups) = (self.blocks.len(), n.div_ceil(W::WIDTH));
        self.deeper.resize(groups, Deeper::default());
        self.upper.resize(groups, Upper::default());
        self.rows.resize(groups, Row::default());
        self.make_paths(tree);
        self.in_blocks.resize(count, Row::default());
        self.below.resize(count, Below::default());
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
            for (block, Block(rows)) in self.blocks.iter().enumerate() {
                let (mut above, mut below) = (0, 0);
                for (k, kind) in kinds[rows.clone()].iter().enumerate() {
                    above |= u8::from(kind.0) << k;
                    below |= u8::from(kind.1) << k;
                }
                self.above[c * count + block] = above;
                if above | below != 0 {
                    self.related.push(Related { block, rows: rows.clone(), above, below });
                }
            }
            self.starts.push(self.related.len());
        }
    }

    fn make_paths(&mut self, tree: &Tree) {
        let (mut first, mut longest) = (0, 0);
        for limb in limbs(tree).windows(2) {
            let runs = &tree.path_runs()[tree.bodies[tree.dofs[limb[0]].body].path.clone()];
            let directions: Vec<usize> = runs.iter().cloned().flatten().chain(limb[0]..limb[1]).collect();
            let registers = directions.len().div_ceil(W::WIDTH);
            self.path_of.resize(limb[1], self.paths.len());
            self.paths.push(Path { directions, first });
            (first, longest) = (first + registers, longest.max(registers));
        }
        self.on_paths.resize(first, Upper::default());
        self.pairs.resize(longest, Pairs::default());
    }

    /// Puts directions on paths.
    #[inline(always)]
    fn put_directions(&mut self) {
        for Path { directions, first } in &self.paths {
            for (k, directions) in directions.chunks(W::WIDTH).enumerate() {
                let to = &mut self.on_paths[first + k];
                // Up to where none was left out they are where they were.
                if directions[directions.len() - 1] + 1 == k * W::WIDTH + directions.len() {
                    *to = self.upper[k];
                    continue;
                }
                for (lane, e) in directions.iter().enumerate() {
                    to.copy(lane, &self.upper[e / W::WIDTH], e % W::WIDTH);
                }
            }
        }
    }

    /// Puts rows into blocks.
    #[inline(always)]
    fn put_rows(&mut self) {
        for (to, Block(rows)) in self.in_blocks.iter_mut().zip(&self.blocks) {
            if rows.start % W::WIDTH == 0 {
                *to = self.rows[rows.start / W::WIDTH];
                continue;
            }
            for (k, r) in rows.clone().enumerate() {
                let row: Row<T> = self.rows[r / W::WIDTH].lane(r % W::WIDTH);
                to.set_lane(k, row);
            }
        }
    }

    /// Writes the tensors.
    #[inline(always)]
    pub(super) fn fill(&mut self, tree: &Tree, mut out: Tensors<'_, T>, zeros_in_place: bool) {
        if self.has_zeros && !zeros_in_place {
            out.iter_mut().for_each(|out| out.fill(T::zero()));
        }
        self.put_rows();
        self.put_directions();
        for (c, dof) in tree.dofs.iter().enumerate() {
            let body = &tree.bodies[dof.body];
            let path = &tree.path_runs()[body.path.clone()];
            let first = self.paths[self.path_of[c]].first;
            let directions = path.iter().map(Range::len).sum::<usize>() + body.v.len();
            for k in 0..directions.div_ceil(W::WIDTH) {
                self.pairs[k] = self.deeper_in_all_lanes(c).pairs(&self.on_paths[first + k]);
            }
            for k in self.starts[c]..self.starts[c + 1] {
                let Related { block, below, .. } = self.related[k];
                if below != 0 {
                    self.below[block] = self.deeper_in_all_lanes(c).below(&self.in_blocks[block]);
                }
            }
            let n = tree.dofs.len();
            if self.whole {
                self.column::<true>(n, c, path, &body.v, &mut out);
            } else {
                self.column::<false>(n, c, path, &body.v, &mut out);
            }
        }
    }

    /// For every group anew: kept from one to the next, its numbers would fill the registers twice over.
    #[inline(always)]
    fn deeper_in_all_lanes(&self, c: usize) -> Deeper<W> {
        let of_c: Deeper<T> = self.deeper[c / W::WIDTH].lane(c % W::WIDTH);
        Deeper::all(of_c)
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
        let mut place = 0;
        for run in path {
            for e in run.clone() {
                self.pair::<true, WHOLE>(n, c, e, place, out);
                place += 1;
            }
        }
        for e in own.clone() {
            self.pair::<false, WHOLE>(n, c, e, place, out);
            place += 1;
        }
    }

    /// All rows of one pair, of two joints or of one. `e` has this place on the path.
    #[inline(always)]
    fn pair<const STRICT: bool, const WHOLE: bool>(
        &self,
        n: usize,
        c: usize,
        e: usize,
        place: usize,
        out: &mut Tensors<'_, T>,
    ) {
        let (k, lane) = (place / W::WIDTH, place % W::WIDTH);
        let (pairs, upper) = (&self.pairs[k], &self.on_paths[self.paths[self.path_of[c]].first + k]);
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
        for &Related { block, ref rows, above, below } in &self.related[self.starts[c]..self.starts[c + 1]] {
            let of_block = &self.below[block];
            let x = if above == 0 {
                dots_below::<T, W, STRICT>(below, of_block, upper, lane)
            } else {
                let over = if STRICT { self.above[e * self.blocks.len() + block] } else { above };
                let x = dots_above::<T, W, STRICT>(over, above, &self.in_blocks[block].S.to_array(), pairs, lane);
                if above == all::<T, W>() {
                    x
                } else {
                    pick(above, x, dots_below::<T, W, STRICT>(below, of_block, upper, lane))
                }
            };
            // A constant length, where it is one, takes half of the bounds checks.
            let rows = rows.start..if WHOLE { rows.start + W::WIDTH } else { rows.end };
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

/// The bodies where a limb begins, by the first row of each, and the number of rows.
fn limbs(tree: &Tree) -> Vec<usize> {
    let mut limbs = Vec::new();
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let parent = &tree.bodies[body.parent];
        if i == 1 || body.parent + 1 != i || parent.bodies_end != body.bodies_end {
            limbs.push(body.v.start);
        }
    }
    limbs.push(tree.dofs.len());
    limbs
}

/// Blocks that fill registers. A limb that nearly fills one begins a block, and the blocks before it end there, the last one by sharing rows: then
/// most blocks are on one side of a direction.
fn full_blocks(tree: &Tree, width: usize) -> Vec<Block> {
    let (n, limbs) = (tree.dofs.len(), limbs(tree));
    let mut ends: Vec<usize> = limbs.windows(2).filter(|x| 4 * (x[1] - x[0]) >= 3 * width).map(|x| x[0]).collect();
    ends.push(n);
    let (mut blocks, mut begin) = (Vec::new(), 0);
    for end in ends {
        // One that is longer than what is left begins with it, or ends with the last row.
        let last = begin.max(end.saturating_sub(width)).min(n.saturating_sub(width));
        let firsts = (begin..end).step_by(width).map(|first| first.min(last));
        blocks.extend(firsts.map(|first| Block(first..n.min(first + width))));
        begin = end;
    }
    blocks
}

/// Blocks of whole limbs, as many as fit, where registers need not be full; a limb that is longer fills several.
fn limbs_in_blocks(tree: &Tree, width: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for limb in limbs(tree).windows(2) {
        match blocks.last_mut() {
            Some(Block(rows)) if limb[1] - rows.start <= width => rows.end = limb[1],
            _ => blocks.extend((limb[0]..limb[1]).step_by(width).map(|first| Block(first..limb[1].min(first + width)))),
        }
    }
    blocks
}

/// One direction in all lanes, with others and with rows.
impl<W: Real> Deeper<W> {
    /// (1) to (7)
    #[inline(always)]
    fn pairs(&self, e: &Upper<W>) -> Pairs<W> {
        let Self { t1, t2, t3, I_rate, B_rate, L, .. } = self;
        let [x, y, z] = e.psi_dot;
        let (zero, psi_dot, S) = (Force::zero(), Vec3::new(x, y, z), Motion::from_array(e.S));
        let qq = B_rate.mul_add(psi_dot, I_rate.mul_add(Motion::from_array(e.psi_ddot), zero));
        let qv = L.mul_add(psi_dot, zero);
        let above = [
            S.cross_force_add(*t3, qq).to_array(),
            S.cross_force_add(*t2, qv).to_array(),
            B_rate.mul_add(S.ang, I_rate.mul_add(Motion::from_array(e.rate), zero)).to_array(),
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

/// The bits of all lanes.
#[inline(always)]
fn all<T: Real, W: Wide<T>>() -> u8 {
    u8::MAX >> (8 - W::WIDTH)
}

/// `x` in the rows whose bits are set, `y` in the others.
#[inline(always)]
fn pick<T: Real, W: Wide<T>>(bits: u8, x: [W; 6], y: [W; 6]) -> [W; 6] {
    let mut out = x;
    for k in 0..6 {
        out[k] = W::pick(bits, x[k], y[k]);
    }
    out
}

/// What is in one lane, in all.
#[inline(always)]
fn splat<T: Real, W: Wide<T>>(x: &W, lane: usize) -> W {
    W::splat(x.lane(lane))
}

/// Sᵣ·F
#[inline(always)]
fn dot<T: Real, W: Wide<T>>(S: &[W; 6], F: &[W; 6], lane: usize) -> W {
    let mut sum = S[0] * splat(&F[0], lane);
    for k in 1..6 {
        sum = S[k].mul_add(splat(&F[k], lane), sum);
    }
    sum
}

/// (1) to (6) in the rows of `over`, (7) in the others of `above`. (3) is not needed of one joint.
#[inline(always)]
fn dots_above<T: Real, W: Wide<T>, const STRICT: bool>(
    over: u8,
    above: u8,
    S: &[W; 6],
    Pairs { above: [qq, qv, vq, qa, aq], between }: &Pairs<W>,
    lane: usize,
) -> [W; 6] {
    let zero = W::zero();
    let vq = if STRICT { dot(S, vq, lane) } else { zero };
    let (qa, aq) = (dot(S, qa, lane), dot(S, aq, lane));
    let vv = qa + aq;
    if over == above {
        [dot(S, qq, lane), dot(S, qv, lane), vq, vv, qa, aq]
    } else if over == 0 {
        [dot(S, &between[0], lane), dot(S, &between[1], lane), vq, vv, zero, aq]
    } else {
        let qq = W::pick(over, dot(S, qq, lane), dot(S, &between[0], lane));
        let qv = W::pick(over, dot(S, qv, lane), dot(S, &between[1], lane));
        [qq, qv, vq, vv, W::pick(over, qa, zero), aq]
    }
}

/// (9) in the rows whose bits are set, and zeros.
#[inline(always)]
fn dots_below<T: Real, W: Wide<T>, const STRICT: bool>(
    bits: u8,
    Below { u, y, x }: &Below<W>,
    e: &Upper<W>,
    lane: usize,
) -> [W; 6] {
    let zeros = [W::zero(); 6];
    if bits == 0 {
        return zeros;
    }
    let mut out = zeros;
    out[0] = dot(u, &e.psi_ddot, lane);
    if STRICT {
        out[2] = dot(u, &e.rate, lane);
        out[5] = dot(u, &e.S, lane);
    }
    for k in 0..3 {
        let (psi_dot, S) = (splat(&e.psi_dot[k], lane), splat(&e.S[3 + k], lane));
        out[0] = y[k].mul_add(psi_dot, out[0]);
        out[1] = if k == 0 { x[k] * psi_dot } else { x[k].mul_add(psi_dot, out[1]) };
        out[3] = if k == 0 { x[k] * S } else { x[k].mul_add(S, out[3]) };
        if STRICT {
            out[2] = y[k].mul_add(S, out[2]);
        }
    }
    if bits == all::<T, W>() { out } else { pick(bits, out, zeros) }
}
