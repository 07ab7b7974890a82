//! Filling the tensors of ∂²τ: the O(N d²) part.
//!
//! `c` is the deeper of two directions, `e` the upper one: e's joint is on the path to c's, or the same. `r`
//! is a row, of τ. An entry is zero unless the three lie on one path. If `e` and `c` do, a row is
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
//! İ_c = ∂Iᶜ/∂q_c, Z_c = ∂(2Bᶜ)/∂q_c, L = 2B[Iᶜ; S]. (4) is (5) + (6), since S_e ×* t₁_c + İ_c S_e = L_c S_e.
//! So its rows are sums of theirs, and (5) is computed between e and c too. Rows are side by side in
//! registers, block after block. (1) to (6) are computed for several `e` side by side, once per pair, and (8)
//! once per block and `c`. The derivation is in the book, `docs/second-order.md`.
//!
//! The number of row i, and directions j and k, is `i + n (j + n k)`. Inside a joint qq is N, so qq and vv
//! are not symmetric yet.
//!
//! All code here is generic over a register `W`, the widest of the CPU, since the rows of a block fill it.
//! Blocks of few rows use shorter registers: a CPU processes more of these at a time.

use crate::dispatch::{Proof, step};
use crate::linalg::six::splat;
use crate::model::Tree;
use crate::model::fill::{kinds, masks};
use crate::scalar::{Real, Wide};
use crate::spatial::{Coriolis, Force, InAllLanes, InertiaRate, Lanewise, Motion, Vec3, lanewise};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

/// The tensors qq, qv, vv, qa.
pub(super) type Tensors<'a, T> = [&'a mut [T]; 4];

/// Quantities of a direction as the deeper one.
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

/// Quantities of a direction as the upper one.
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
    /// Copies one direction to another lane, of another register.
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

/// Quantities of rows, side by side.
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
    /// (7) for qq and qv; the others are those of `above`.
    between: [[W; 6]; 2],
}

/// (8) of a block of rows.
#[derive(Clone, Copy, Debug, Default)]
struct Below<W> {
    u: [W; 6],
    y: [W; 3],
    x: [W; 3],
}

/// The directions from the root to the end of a limb, side by side. Those above `c` and its own come first.
#[derive(Debug)]
struct Path {
    directions: Vec<usize>,
    /// Index of its first register.
    first: usize,
}

/// Rows that are side by side in a register.
#[derive(Clone, Debug, PartialEq)]
struct Block(Range<usize>);

/// A block of rows with non-zero entries for one direction: which rows are above it, and which at or below
/// it.
#[derive(Clone, Debug)]
struct Related {
    block: usize,
    rows: Range<usize>,
    above: u8,
    below: u8,
}

impl Related {
    /// Bits of all rows.
    #[inline(always)]
    fn all(&self) -> u8 {
        u8::MAX >> (8 - self.rows.len())
    }
}

/// Registers for a set of row blocks: `W`, or shorter ones.
trait Side<T: Real, W> {
    type Register: Wide<T>;
    fn store(x: Self::Register, out: &mut [T]);
}

#[derive(Debug, Default)]
struct Long;
#[derive(Debug, Default)]
struct Short;

impl<T: Real, W: Wide<T>> Side<T, W> for Long {
    type Register = W;

    #[inline(always)]
    fn store(x: W, out: &mut [T]) {
        x.store(out);
    }
}

impl<T: Real, W: Wide<T>> Side<T, W> for Short {
    type Register = W::Short;

    #[inline(always)]
    fn store(x: W::Short, out: &mut [T]) {
        W::store_short(x, out);
    }
}

/// Blocks of rows, and the relation of their rows to each direction: O(N²) bytes.
#[derive(Debug, Default)]
struct Blocks<V> {
    blocks: Vec<Block>,
    rows: Vec<Row<V>>,
    /// (8) of one direction, for blocks with rows at or below it.
    below: Vec<Below<V>>,
    /// For every direction, the blocks with non-zero rows.
    related: Vec<Related>,
    /// Index of the first related block of each direction.
    starts: Vec<usize>,
    /// For every direction and block, bits of the rows above.
    above: Vec<u8>,
}

impl<V: Real> Blocks<V> {
    fn new(tree: &Tree, blocks: Vec<Block>) -> Self {
        let (n, count) = (tree.dofs.len(), blocks.len());
        let (mut related, mut starts, mut all_above) = (Vec::new(), alloc::vec![0], alloc::vec![0; n * count]);
        for c in 0..n {
            let kinds = kinds(tree, c);
            for (block, Block(rows)) in blocks.iter().enumerate() {
                let [above, below] = masks(&kinds[rows.clone()]);
                all_above[c * count + block] = above;
                if above | below != 0 {
                    related.push(Related { block, rows: rows.clone(), above, below });
                }
            }
            starts.push(related.len());
        }
        let (rows, below) = (alloc::vec![Row::default(); count], alloc::vec![Below::default(); count]);
        Self { blocks, rows, below, related, starts, above: all_above }
    }

    /// Puts rows into blocks.
    #[inline(always)]
    fn put_rows<T: Real, W: Wide<T>>(&mut self, rows: &[Row<W>])
    where
        V: Wide<T>,
    {
        for (to, Block(block)) in self.rows.iter_mut().zip(&self.blocks) {
            for (k, r) in block.clone().enumerate() {
                let row: Row<T> = rows[r / W::WIDTH].lane(r % W::WIDTH);
                to.set_lane(k, row);
            }
        }
    }

    /// (8) of one direction.
    #[inline(always)]
    fn put_below<T: Real, W: Wide<T>>(&mut self, c: usize, deeper: &[Deeper<W>])
    where
        V: Wide<T>,
    {
        for Related { block, below, .. } in &self.related[self.starts[c]..self.starts[c + 1]] {
            if *below != 0 {
                self.below[*block] = in_all_lanes::<T, W, V>(c, deeper).below(&self.rows[*block]);
            }
        }
    }
}

/// Recomputed for every group: kept from one to the next, its numbers would need twice the registers.
#[inline(always)]
fn in_all_lanes<T: Real, W: Wide<T>, V: Wide<T>>(c: usize, deeper: &[Deeper<W>]) -> Deeper<V> {
    let of_c: Deeper<T> = deeper[c / W::WIDTH].lane(c % W::WIDTH);
    Deeper::all(of_c)
}

/// Workspace of the fill.
#[derive(Debug, Default)]
pub(super) struct Room<T: Real, W: Wide<T>> {
    /// Quantities of directions, one per lane.
    pub(super) deeper: Vec<Deeper<W>>,
    pub(super) upper: Vec<Upper<W>>,
    pub(super) rows: Vec<Row<W>>,
    long: Blocks<W>,
    short: Blocks<W::Short>,
    paths: Vec<Path>,
    /// Index of the path of every direction.
    path_of: Vec<usize>,
    /// The upper directions of all paths.
    on_paths: Vec<Upper<W>>,
    /// True if every block fills a register.
    whole: bool,
    has_zeros: bool,
    pairs: Vec<Pairs<W>>,
    scalar: PhantomData<T>,
}

impl<T: Real, W: Wide<T>> Room<T, W> {
    /// True if there are short registers.
    const SHORT: bool = W::Short::WIDTH < W::WIDTH;

    pub(super) fn make_room(&mut self, tree: &Tree) {
        if !self.long.starts.is_empty() {
            return;
        }
        let n = tree.dofs.len();
        let (long, short) = if Self::SHORT {
            limbs_in_blocks(tree, W::WIDTH, W::Short::WIDTH)
        } else {
            (full_blocks(tree, W::WIDTH), Vec::new())
        };
        self.whole = long.iter().all(|block| block.0.len() == W::WIDTH);
        (self.long, self.short) = (Blocks::new(tree, long), Blocks::new(tree, short));
        let groups = n.div_ceil(W::WIDTH);
        self.deeper.resize(groups, Deeper::default());
        self.upper.resize(groups, Upper::default());
        self.rows.resize(groups, Row::default());
        self.make_paths(tree);
        self.has_zeros = tree.dofs.iter().any(|dof| {
            let body = &tree.bodies[dof.body];
            let above: usize = tree.path_runs()[body.path.clone()].iter().map(Range::len).sum();
            above + body.dofs_end - body.v.start < n
        });
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
                // Directions before the first omitted one keep their positions.
                *to = self.upper[k];
                for (lane, &e) in directions.iter().enumerate().filter(|&(lane, &e)| e != k * W::WIDTH + lane) {
                    to.copy(lane, &self.upper[e / W::WIDTH], e % W::WIDTH);
                }
            }
        }
    }

    /// Writes the tensors. Each kind of blocks is a step, so that the compiler optimises one at a time.
    #[inline(always)]
    pub(super) fn fill<P: Real>(
        &mut self,
        proof: Proof<P>,
        tree: &Tree,
        mut out: Tensors<'_, T>,
        zeros_in_place: bool,
    ) {
        if self.has_zeros && !zeros_in_place {
            out.iter_mut().for_each(|out| out.fill(T::zero()));
        }
        self.long.put_rows(&self.rows);
        if Self::SHORT {
            self.short.put_rows(&self.rows);
        }
        self.put_directions();
        let n = tree.dofs.len();
        for (c, dof) in tree.dofs.iter().enumerate() {
            let body = &tree.bodies[dof.body];
            let path = &tree.path_runs()[body.path.clone()];
            let first = self.paths[self.path_of[c]].first;
            if !path.is_empty() {
                let directions = path.iter().map(Range::len).sum::<usize>() + body.v.len();
                for k in 0..directions.div_ceil(W::WIDTH) {
                    let of_c: Deeper<W> = in_all_lanes(c, &self.deeper);
                    of_c.pairs(&self.on_paths[first + k], &mut self.pairs[k]);
                }
            }
            self.long.put_below(c, &self.deeper);
            if Self::SHORT {
                self.short.put_below(c, &self.deeper);
            }
            let one = Column { n, c, path, own: &body.v, pairs: &self.pairs, upper: &self.on_paths[first..] };
            if self.whole {
                step!(proof, || self.long.write::<T, W, Long, true>(&one, &mut out));
            } else {
                step!(proof, || self.long.write::<T, W, Long, false>(&one, &mut out));
            }
            if Self::SHORT {
                step!(proof, || self.short.write::<T, W, Short, false>(&one, &mut out));
            }
        }
    }
}

/// One `c` of `n` directions, with every `e`: those of the path above it, and those of its own joint.
struct Column<'a, W> {
    n: usize,
    c: usize,
    path: &'a [Range<usize>],
    own: &'a Range<usize>,
    /// Pairs by their position on the path, one per lane.
    pairs: &'a [Pairs<W>],
    upper: &'a [Upper<W>],
}

impl<V: Real> Blocks<V> {
    /// Writes all pairs of one `c`, block after block.
    #[inline(always)]
    fn write<T: Real, W: Wide<T>, S: Side<T, W, Register = V>, const WHOLE: bool>(
        &self,
        one: &Column<'_, W>,
        out: &mut Tensors<'_, T>,
    ) where
        V: Wide<T>,
    {
        for related in &self.related[self.starts[one.c]..self.starts[one.c + 1]] {
            // One kind of block after the other, so that branches in the inner loop are predictable.
            if related.below == 0 {
                self.write_block::<T, W, S, WHOLE, true, false>(related, one, out);
            } else if related.above == 0 {
                self.write_block::<T, W, S, WHOLE, false, true>(related, one, out);
            } else {
                self.write_block::<T, W, S, WHOLE, true, true>(related, one, out);
            }
        }
    }

    /// Writes all pairs of one `c` in one block. Some of its rows are `ABOVE` `c`, or at or `BELOW` it.
    #[inline(always)]
    fn write_block<
        T: Real,
        W: Wide<T>,
        S: Side<T, W, Register = V>,
        const WHOLE: bool,
        const ABOVE: bool,
        const BELOW: bool,
    >(
        &self,
        related: &Related,
        one: &Column<'_, W>,
        out: &mut Tensors<'_, T>,
    ) where
        V: Wide<T>,
    {
        let &Column { n, c, path, own, pairs, upper } = one;
        let Related { block, ref rows, .. } = *related;
        let (axes, of_block) = (self.rows[block].S.to_array(), self.below[block]);
        // A constant count, where possible, halves the bounds checks.
        let count = if WHOLE { V::WIDTH } else { rows.len() };
        let [qq, qv, vv, qa] = out;
        let mut place = 0;
        {
            // Pairs (c, e) precede those of (e, c) in memory. Columns have equal lengths, so checking the
            // rows once is enough.
            let cut = c * n * n;
            let ([qq, high_qq], [qv, high_qv]) = (halves(qq, cut, n * n), halves(qv, cut, n * n));
            let ([vv, high_vv], [qa, high_qa]) = (halves(vv, cut, n * n), halves(qa, cut, n * n));
            for e in path.iter().cloned().flatten() {
                let (k, lane) = (place / W::WIDTH, place % W::WIDTH);
                let over = if ABOVE { self.above[e * self.blocks.len() + block] } else { 0 };
                let x =
                    entries::<T, W, V, true, ABOVE, BELOW>(related, over, &axes, &of_block, &pairs[k], &upper[k], lane);
                let (ce, ec) = ((e * n + c) * n + rows.start, e * n + rows.start);
                S::store(x[0], &mut qq[ce..ce + count]);
                S::store(x[2], &mut qv[ce..ce + count]);
                S::store(x[3], &mut vv[ce..ce + count]);
                S::store(x[5], &mut qa[ce..ce + count]);
                S::store(x[0], &mut high_qq[ec..ec + count]);
                S::store(x[1], &mut high_qv[ec..ec + count]);
                S::store(x[3], &mut high_vv[ec..ec + count]);
                S::store(x[4], &mut high_qa[ec..ec + count]);
                place += 1;
            }
        }
        for e in own.clone() {
            let (k, lane) = (place / W::WIDTH, place % W::WIDTH);
            let x = entries::<T, W, V, false, ABOVE, BELOW>(
                related,
                related.above,
                &axes,
                &of_block,
                &pairs[k],
                &upper[k],
                lane,
            );
            let (ce, ec) = ((e * n + c) * n + rows.start, (c * n + e) * n + rows.start);
            S::store(x[0], &mut qq[ce..ce + count]);
            S::store(x[1], &mut qv[ec..ec + count]);
            S::store(x[3], &mut vv[ce..ce + count]);
            S::store(x[4], &mut qa[ec..ec + count]);
            place += 1;
        }
    }
}

/// Splits a tensor at `cut`, and takes `count` numbers after it.
#[inline(always)]
fn halves<T>(tensor: &mut [T], cut: usize, count: usize) -> [&mut [T]; 2] {
    let (low, high) = tensor.split_at_mut(cut);
    [low, &mut high[..count]]
}

/// Returns the first row of each limb, and the number of rows at the end.
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

/// Blocks that fill registers. A limb that nearly fills a block begins one. The blocks before it end there,
/// the last one by sharing rows. Then most blocks are on one side of a direction.
fn full_blocks(tree: &Tree, width: usize) -> Vec<Block> {
    let (n, limbs) = (tree.dofs.len(), limbs(tree));
    let mut ends: Vec<usize> = limbs.windows(2).filter(|x| 4 * (x[1] - x[0]) >= 3 * width).map(|x| x[0]).collect();
    ends.push(n);
    let (mut blocks, mut begin) = (Vec::new(), 0);
    for end in ends {
        // A limb longer than the rest begins with the block, or ends with the last row.
        let last = begin.max(end.saturating_sub(width)).min(n.saturating_sub(width));
        let firsts = (begin..end).step_by(width).map(|first| first.min(last));
        blocks.extend(firsts.map(|first| Block(first..n.min(first + width))));
        begin = end;
    }
    blocks
}

/// Blocks of the rows of one limb, long and short ones, if registers need not be full. A limb shares the last
/// block of the previous one if there is space, and if it hangs on that limb or both are short.
fn limbs_in_blocks(tree: &Tree, long: usize, short: usize) -> (Vec<Block>, Vec<Block>) {
    let mut blocks: Vec<Block> = Vec::new();
    for limb in limbs(tree).windows(2) {
        let path = &tree.path_runs()[tree.bodies[tree.dofs[limb[0]].body].path.clone()];
        let hangs = path.last().is_some_and(|run| run.end == limb[0]);
        let mut first = limb[0];
        if let Some(Block(rows)) = blocks.last_mut() {
            let room = if rows.len() > short && hangs { long } else { short };
            if limb[1] - rows.start <= room {
                (rows.end, first) = (limb[1], limb[1]);
            }
        }
        blocks.extend((first..limb[1]).step_by(long).map(|first| Block(first..limb[1].min(first + long))));
    }
    blocks.into_iter().partition(|block| block.0.len() > short)
}

/// One direction in all lanes, combined with others and with rows.
impl<W: Real> Deeper<W> {
    /// (1) to (7). Written one by one: returning a whole would copy it.
    #[inline(always)]
    fn pairs(&self, e: &Upper<W>, out: &mut Pairs<W>) {
        let Self { t1, t2, t3, I_rate, B_rate, L, .. } = self;
        let [x, y, z] = e.psi_dot;
        let (zero, psi_dot, S) = (Force::zero(), Vec3::new(x, y, z), Motion::from_array(e.S));
        let qq = B_rate.mul_add(psi_dot, I_rate.mul_add(Motion::from_array(e.psi_ddot), zero));
        out.between[0] = qq.to_array();
        out.above[0] = S.cross_force_add(*t3, qq).to_array();
        let qv = L.mul_add(psi_dot, zero);
        out.between[1] = qv.to_array();
        out.above[1] = S.cross_force_add(*t2, qv).to_array();
        out.above[2] = B_rate.mul_add(S.ang, I_rate.mul_add(Motion::from_array(e.rate), zero)).to_array();
        out.above[3] = S.cross_force(*t1).to_array();
        out.above[4] = I_rate.mul_add(S, zero).to_array();
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

/// qq, qv, vq, vv, qa, aq of one pair in one block.
#[inline(always)]
fn entries<T: Real, W: Wide<T>, V: Wide<T>, const STRICT: bool, const ABOVE: bool, const BELOW: bool>(
    related: &Related,
    over: u8,
    S: &[V; 6],
    of_block: &Below<V>,
    pairs: &Pairs<W>,
    upper: &Upper<W>,
    lane: usize,
) -> [V; 6] {
    let &Related { above, below, .. } = related;
    let (all, mut x) = (related.all(), [V::zero(); 6]);
    if BELOW {
        let dots = dots_below::<T, W, V, STRICT>(of_block, upper, lane);
        x = if below == all { dots } else { pick(below, dots, x) };
    }
    if ABOVE {
        let dots = dots_above::<T, W, V, STRICT>(over, above, S, pairs, lane);
        x = if above == all { dots } else { pick(above, dots, x) };
    }
    x
}

/// Selects `x` in the rows whose bits are set, `y` in the others.
#[inline(always)]
fn pick<T: Real, W: Wide<T>>(bits: u8, x: [W; 6], y: [W; 6]) -> [W; 6] {
    let mut out = x;
    for k in 0..6 {
        out[k] = W::pick(bits, x[k], y[k]);
    }
    out
}

/// Sᵣ·F
#[inline(always)]
fn dot<T: Real, W: Wide<T>, V: Wide<T>>(S: &[V; 6], F: &[W; 6], lane: usize) -> V {
    let mut sum = S[0] * splat(&F[0], lane);
    for k in 1..6 {
        sum = S[k].mul_add(splat(&F[k], lane), sum);
    }
    sum
}

/// (1) to (6) in the rows of `over`, (7) in the others of `above`. (3) is not needed within one joint.
#[inline(always)]
fn dots_above<T: Real, W: Wide<T>, V: Wide<T>, const STRICT: bool>(
    over: u8,
    above: u8,
    S: &[V; 6],
    Pairs { above: [qq, qv, vq, qa, aq], between }: &Pairs<W>,
    lane: usize,
) -> [V; 6] {
    let zero = V::zero();
    let vq = if STRICT { dot(S, vq, lane) } else { zero };
    let (qa, aq) = (dot(S, qa, lane), dot(S, aq, lane));
    let vv = qa + aq;
    if over == above {
        [dot(S, qq, lane), dot(S, qv, lane), vq, vv, qa, aq]
    } else if over == 0 {
        [dot(S, &between[0], lane), dot(S, &between[1], lane), vq, vv, zero, aq]
    } else {
        let qq = V::pick(over, dot(S, qq, lane), dot(S, &between[0], lane));
        let qv = V::pick(over, dot(S, qv, lane), dot(S, &between[1], lane));
        [qq, qv, vq, vv, V::pick(over, qa, zero), aq]
    }
}

/// (9)
#[inline(always)]
fn dots_below<T: Real, W: Wide<T>, V: Wide<T>, const STRICT: bool>(
    Below { u, y, x }: &Below<V>,
    e: &Upper<W>,
    lane: usize,
) -> [V; 6] {
    let mut out = [V::zero(); 6];
    out[0] = dot(u, &e.psi_ddot, lane);
    if STRICT {
        out[2] = dot(u, &e.rate, lane);
        out[5] = dot(u, &e.S, lane);
    }
    for k in 0..3 {
        let (psi_dot, S): (V, V) = (splat(&e.psi_dot[k], lane), splat(&e.S[3 + k], lane));
        out[0] = y[k].mul_add(psi_dot, out[0]);
        out[1] = if k == 0 { x[k] * psi_dot } else { x[k].mul_add(psi_dot, out[1]) };
        out[3] = if k == 0 { x[k] * S } else { x[k].mul_add(S, out[3]) };
        if STRICT {
            out[2] = y[k].mul_add(S, out[2]);
        }
    }
    out
}
