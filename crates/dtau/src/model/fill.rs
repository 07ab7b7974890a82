//! Plan for writing the derivatives of dynamics: the kind of every entry of a matrix over the tree.
//!
//! Rows are grouped into blocks of neighbours, which stay in registers while a panel of columns passes by.
//! The kind of a block in a column depends only on the tree, so it is computed once, here.

use super::Tree;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use once_cell::race::OnceBox;

/// Kind of a block of rows in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All rows are on the path from the root to the column's joint.
    Above,
    /// All rows are in the subtree of the column's joint, its own rows included.
    Below,
    /// Some rows are above; the others are zero.
    SomeAbove,
    /// Some rows are below; the others are zero.
    SomeBelow,
    /// Some rows are above and some below; others may be zero.
    Mixed,
}

/// Neighbouring columns in which a block has the same kind.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) kind: Kind,
    pub(crate) columns: Range<usize>,
    /// One bit per row: set if the row is above, and below.
    pub(crate) above: u8,
    pub(crate) below: u8,
}

/// Most rows of a block: a mask has one bit per row.
const MOST_ROWS: usize = u8::BITS as usize;

/// Plans for registers of 1, 2, 4 and 8 numbers, each built on first use.
#[derive(Debug, Default)]
pub(crate) struct FillPlans([OnceBox<Blocks>; 4]);

/// Plan for registers of one width.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Number of registers for one quantity of all rows of a block: 1 or 2.
    pub(crate) registers: usize,
    /// Number of rows of a block.
    pub(crate) rows: usize,
    /// Number of columns of a panel. Their entries stay in the L1 cache while all blocks of rows are written.
    pub(crate) panel: usize,
    /// For every panel and every block of rows, the columns that are not zero.
    pub(crate) segments: Vec<Vec<Vec<Segment>>>,
    /// For every column, the runs of blocks that are zero.
    pub(crate) zeros: Vec<Vec<Range<usize>>>,
}

/// Number of entries of the three matrices that may lie in the L1 cache.
const CACHED: usize = 2048;

/// True if blocks of two registers of this width are considered. Single numbers gain nothing from them.
pub(crate) const fn may_pair(width: usize) -> bool {
    width > 1 && 2 * width <= MOST_ROWS
}

impl FillPlans {
    /// The plan for registers of `width` numbers, with blocks of one or two registers, whichever has the
    /// lower estimated cost. Two registers share the loads of a column, but in a bushy tree few of the larger
    /// blocks are of one kind.
    #[inline(always)]
    pub(crate) fn for_width(&self, tree: &Tree, width: usize) -> &Blocks {
        assert!(width.is_power_of_two() && width <= MOST_ROWS, "registers hold 1, 2, 4 or 8 numbers");
        self.0[width.ilog2() as usize].get_or_init(|| {
            let single = Blocks::new(tree, width, 1);
            let pair = may_pair(width).then(|| Blocks::new(tree, width, 2));
            Box::new(pair.filter(|pair| pair.cost() < single.cost()).unwrap_or(single))
        })
    }
}

/// Kind of a row in a column.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Row {
    Zero,
    Above,
    Below,
}

/// Kinds of all rows in column `c`.
pub(crate) fn kinds(tree: &Tree, c: usize) -> Vec<Row> {
    let (mut kinds, body) = (vec![Row::Zero; tree.dofs.len()], &tree.bodies[tree.dofs[c].body]);
    for run in &tree.path_runs()[body.path.clone()] {
        kinds[run.clone()].fill(Row::Above);
    }
    kinds[body.v.start..body.dofs_end].fill(Row::Below);
    kinds
}

/// Masks with one bit per row: the rows that are above, and those that are below.
pub(crate) fn masks(rows: &[Row]) -> [u8; 2] {
    [Row::Above, Row::Below].map(|kind| rows.iter().enumerate().map(|(k, &row)| u8::from(row == kind) << k).sum())
}

impl Blocks {
    fn new(tree: &Tree, width: usize, registers: usize) -> Self {
        let (count, rows) = (tree.dofs.len(), width * registers);
        let panel = (CACHED / (3 * count.max(1))).max(4);
        let mut plan = Self {
            registers,
            rows,
            panel,
            segments: vec![vec![Vec::new(); count.div_ceil(rows)]; count.div_ceil(panel)],
            zeros: vec![Vec::new(); count],
        };
        for c in 0..count {
            for (b, block) in kinds(tree, c).chunks(rows).enumerate() {
                plan.push(b, c, block);
            }
        }
        plan
    }

    /// Estimated number of multiply-adds and loads.
    fn cost(&self) -> usize {
        let mut sum = 0;
        for segment in self.segments.iter().flatten().flatten() {
            let each = match (segment.kind, self.registers) {
                (Kind::Above | Kind::SomeAbove, 1) => 15,
                (Kind::Below | Kind::SomeBelow, 1) => 18,
                (Kind::Mixed, 1) => 32,
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
        let [above, below] = masks(block);
        let kind = match (above != 0, below != 0) {
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
        let segment = Segment { kind, columns: c..c + 1, above, below };
        let segments = &mut self.segments[c / self.panel][b];
        match segments.last_mut() {
            Some(last) if last.columns.end == c && last.above == segment.above && last.below == segment.below => {
                last.columns.end += 1;
            }
            _ => {
                // Most blocks have one segment in a panel; a vector would reserve four.
                if segments.is_empty() {
                    segments.reserve_exact(1);
                }
                segments.push(segment);
            }
        }
    }
}
