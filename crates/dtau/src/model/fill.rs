//! Which entries of a matrix over the tree are what: the plan by which the derivatives of dynamics are written.
//!
//! Rows go in blocks of `W` neighbours, which stay in registers while a panel of columns passes by. What a block is in a
//! column is a fact of the tree, written down once here.

use super::Tree;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// What the rows of a block are in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All on the path from the root to the column's joint.
    Above,
    /// All in the subtree of the column's joint, its own rows included.
    Below,
    /// Some above, the others zero.
    SomeAbove,
    /// Some below, the others zero.
    SomeBelow,
    /// Some above and some below, and perhaps zeros.
    Mixed,
}

/// Neighbouring columns in which a block is of the same kind.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) kind: Kind,
    pub(crate) columns: Range<usize>,
    /// One bit a row, for those that are above and those that are below.
    pub(crate) above: u8,
    pub(crate) below: u8,
}

/// The plan, with rows one by one, and in blocks of what one or two registers hold.
#[derive(Debug, Default)]
pub(crate) struct FillPlan {
    one: Blocks,
    four: Blocks,
    eight: Blocks,
}

/// The plan for blocks of one size.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// How many rows a block has.
    pub(crate) width: usize,
    /// How many columns a panel has: so many that their entries stay in the L1 cache while all blocks of rows are written.
    pub(crate) panel: usize,
    /// For every panel, for every block of rows, its columns that are not zero.
    pub(crate) segments: Vec<Vec<Vec<Segment>>>,
    /// For every column, runs of blocks that are zero.
    pub(crate) zeros: Vec<Vec<Range<usize>>>,
    /// Multiply-adds and loads, about.
    cost: usize,
}

/// How many numbers of the three matrices may lie in the L1 cache.
const CACHED: usize = 2048;

impl FillPlan {
    pub(super) fn new(tree: &Tree) -> Self {
        Self { one: Blocks::new(tree, 1), four: Blocks::new(tree, 4), eight: Blocks::new(tree, 8) }
    }

    /// The best one for registers of `width` numbers. Two registers share what there is to load of a column, but in a bush few
    /// blocks of eight are of one kind.
    #[inline(always)]
    pub(crate) fn for_width(&self, width: usize) -> &Blocks {
        match width {
            1 => &self.one,
            4 if self.four.cost <= self.eight.cost => &self.four,
            _ => &self.eight,
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Row {
    Zero,
    Above,
    Below,
}

impl Blocks {
    fn new(tree: &Tree, width: usize) -> Self {
        let count = tree.dofs.len();
        let panel = (CACHED / (3 * count.max(1))).max(4);
        let mut plan = Self {
            width,
            panel,
            segments: vec![vec![Vec::new(); count.div_ceil(width)]; count.div_ceil(panel)],
            zeros: vec![Vec::new(); count],
            cost: 0,
        };
        let mut rows = Vec::new();
        for (c, dof) in tree.dofs.iter().enumerate() {
            let body = &tree.bodies[dof.body];
            rows.clear();
            rows.resize(count, Row::Zero);
            for run in &tree.path_runs()[body.path.clone()] {
                rows[run.clone()].fill(Row::Above);
            }
            rows[body.v.start..body.dofs_end].fill(Row::Below);
            for (b, block) in rows.chunks(width).enumerate() {
                plan.push(b, c, block);
            }
        }
        plan.cost = plan.cost();
        plan
    }

    /// What blocks of four or eight cost.
    fn cost(&self) -> usize {
        let mut sum = 0;
        for segment in self.segments.iter().flatten().flatten() {
            let each = match (segment.kind, self.width) {
                (Kind::Above | Kind::SomeAbove, 4) => 15,
                (Kind::Below | Kind::SomeBelow, 4) => 18,
                (Kind::Mixed, 4) => 32,
                (Kind::Above | Kind::SomeAbove, _) => 21,
                (Kind::Below | Kind::SomeBelow, _) => 27,
                (Kind::Mixed, _) => 46,
            };
            sum += each * segment.columns.len();
        }
        sum
    }

    fn push(&mut self, b: usize, c: usize, block: &[Row]) {
        let all = |row| block.iter().all(|&r| r == row);
        let kind = match (block.contains(&Row::Above), block.contains(&Row::Below)) {
            (false, false) => {
                return match self.zeros[c].last_mut() {
                    Some(run) if run.end == b => run.end += 1,
                    _ => self.zeros[c].push(b..b + 1),
                };
            }
            (true, true) => Kind::Mixed,
            (true, false) if all(Row::Above) => Kind::Above,
            (true, false) => Kind::SomeAbove,
            (false, true) if all(Row::Below) => Kind::Below,
            (false, true) => Kind::SomeBelow,
        };
        let bits = |row| block.iter().enumerate().map(|(w, &r)| u8::from(r == row) << w).sum();
        let segment = Segment { kind, columns: c..c + 1, above: bits(Row::Above), below: bits(Row::Below) };
        let segments = &mut self.segments[c / self.panel][b];
        match segments.last_mut() {
            Some(last) if last.columns.end == c && last.above == segment.above && last.below == segment.below => {
                last.columns.end += 1;
            }
            _ => {
                // Most blocks have one in a panel, and a vector would make room for four.
                if segments.is_empty() {
                    segments.reserve_exact(1);
                }
                segments.push(segment);
            }
        }
    }
}
