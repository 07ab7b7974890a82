//! Loops that write matrices from quantities of every degree of freedom. Unrolled, they would not fit the
//! instruction cache. A loop also puts neighbouring rows side by side in registers.
//!
//! ```text
//! scratch   number k of degree of freedom d is parts[k n + d]
//! fill      entry (r, c), r on the path to c:      Σ rowₖ(r) · columnₖ(c)                    6 products
//!                         r in the subtree of c:   the same of other numbers, and 3 more     6 or 9
//! inverse   M⁻¹ from S, U/D, 1/D of the articulated tree
//! columns   the same sums of rows for every column of some right-hand sides
//! ```
//!
//! The sums have the library's order, so the bits are the same.

use crate::limbs::LANES;
use crate::sums::{Sign, Start, Sum};
use core::ops::Range;
use dtau::model::Tree;

/// A loop that writes outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Kernel {
    /// Matrices over the tree.
    Fill(Fill),
    /// The inverse of the mass matrix.
    Inverse(Inverse),
    /// Several right-hand sides of the same equations.
    Columns(Columns),
}

/// Square matrices by columns. Each entry is a product of numbers of its row and numbers of its column. A
/// place is the index in the scratch of the first of six (or three) numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// The matrices.
    pub outputs: Vec<usize>,
    /// For rows on the path to a column: the rows' numbers, and the column's numbers for each matrix.
    pub above: (usize, Vec<usize>),
    /// For rows in the subtree of a column: likewise.
    pub below: (usize, Vec<usize>),
    /// Three more products for rows in the subtree, for some matrices.
    pub more: (usize, Vec<Option<usize>>),
    /// True if six products are added as two sums of three.
    pub in_halves: bool,
    /// Numbers added to the diagonal.
    pub diagonal: Vec<Option<usize>>,
    /// The columns.
    pub columns: Vec<Column>,
}

/// Nonzero rows of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Rows on the path from the root to the column's joint, as runs.
    pub above: Vec<Range<usize>>,
    /// Rows in the subtree of the column's joint, including its own.
    pub below: Range<usize>,
}

impl Column {
    /// Returns the nonzero rows, as runs.
    pub(crate) fn rows(self) -> Vec<Range<usize>> {
        let mut runs = self.above;
        match runs.last_mut() {
            Some(run) if run.end == self.below.start => run.end = self.below.end,
            _ => runs.push(self.below),
        }
        runs
    }
}

/// M⁻¹, computed as in the library: see `minverse.rs` there. A place is the index in the scratch of the first
/// of six numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverse {
    /// The matrix.
    pub output: usize,
    /// S
    pub axes: usize,
    /// U/D
    pub forces: usize,
    /// 1/D, one number.
    pub reciprocals: usize,
    /// The degrees of freedom.
    pub dofs: Vec<Link>,
    /// Number of accelerations of the whole tree that are kept at a time.
    pub levels: usize,
}

/// M a − Jᵀλ = b, J a = s for many b and s at once. The right-hand sides are columns of matrices, several
/// side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The matrices.
    pub outputs: Vec<usize>,
    /// Number of columns of every matrix, and number of rows of a's matrices.
    pub dofs: usize,
    /// Number of rows of λ's matrices.
    pub rows: usize,
    /// Groups of matrices that are solved alike.
    pub groups: Vec<Group>,
    /// Matrix that is symmetric: its part below the diagonal is copied above.
    pub symmetric: Option<usize>,
    /// The matrix to which the identity is added.
    pub plus_identity: Option<usize>,
    /// Matrix to which numbers of the scratch are added, and the place of the first number.
    pub plus: Option<(usize, usize)>,
}

/// Matrices whose columns are solved by the same steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Outputs of a and λ, for every matrix of right-hand sides.
    pub matrices: Vec<[usize; 2]>,
    /// Rows of the right-hand sides, b first.
    pub from: Vec<Row>,
    /// Sums that solve a column: rows of a, then rows of λ.
    pub sums: Vec<Sum>,
    /// Number of rows that are kept during the solution. The first ones are the results.
    pub places: usize,
    /// Number of operations of the library for one column.
    pub operations_of_library: usize,
}

/// Row of right-hand sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A row of zeros, never read.
    Zeros,
    /// A row of the identity.
    Identity,
    /// A row in the scratch: index of its first number.
    Scratch(usize),
}

impl Columns {
    /// Number of operations for all columns, with four columns at a time.
    pub(crate) fn operations(&self) -> usize {
        let terms = |group: &Group| group.sums.iter().map(|sum| sum.terms.len() + 1).sum::<usize>();
        self.groups.iter().map(|group| (self.dofs * group.matrices.len()).div_ceil(LANES) * terms(group)).sum()
    }

    /// Number of operations of the library for all columns.
    pub(crate) fn operations_of_library(&self) -> usize {
        self.groups.iter().map(|group| self.dofs * group.matrices.len() * group.operations_of_library).sum()
    }

    fn interpret(&self, parts: &[f64], y: &mut [Vec<f64>]) {
        let n = self.dofs;
        for group in &self.groups {
            for (m, outputs) in group.matrices.iter().enumerate() {
                for (rows, &output) in [n, self.rows].into_iter().zip(outputs) {
                    y[output] = vec![0.0; rows * n];
                }
                for c in 0..n {
                    let entry = |(r, row): (usize, &Row)| match row {
                        Row::Zeros => 0.0,
                        Row::Identity => f64::from(u8::from(r == c)),
                        Row::Scratch(first) => parts[first + m * n + c],
                    };
                    let column: Vec<f64> = group.from.iter().enumerate().map(entry).collect();
                    let mut rows = vec![f64::NAN; group.places];
                    for sum in &group.sums {
                        let start = match sum.start {
                            Start::Zeros => 0.0,
                            Start::Side(r) => column[r],
                            Start::Row(at) => rows[at],
                            Start::Scaled(number, at) => parts[number] * rows[at],
                        };
                        rows[sum.to] = sum.terms.iter().fold(start, |sum, term| match term.sign {
                            Sign::Plus => parts[term.number].mul_add(rows[term.row], sum),
                            Sign::Minus => (-parts[term.number]).mul_add(rows[term.row], sum),
                            Sign::From => parts[term.number].mul_add(rows[term.row], -sum),
                        });
                    }
                    y[outputs[0]][c * n..][..n].copy_from_slice(&rows[..n]);
                    y[outputs[1]][c * self.rows..][..self.rows].copy_from_slice(&rows[n..][..self.rows]);
                }
            }
        }
        if let Some(output) = self.symmetric {
            for (c, r) in (0..n).flat_map(|c| (c + 1..n).map(move |r| (c, r))) {
                y[output][r * n + c] = y[output][c * n + r];
            }
        }
        if let Some(output) = self.plus_identity {
            (0..n).for_each(|k| y[output][k * n + k] += 1.0);
        }
        if let Some((output, first)) = self.plus {
            y[output].iter_mut().zip(&parts[first..]).for_each(|(y, x)| *y += x);
        }
    }
}

/// Degree of freedom, as needed for M⁻¹.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// End of its subtree.
    pub end: usize,
    /// End of the branch, among those that start at the world, that contains it.
    pub branch_end: usize,
    /// Level of the acceleration that it starts from. `None` at the world, where the acceleration is zero.
    pub from: Option<usize>,
    /// Level of its own acceleration.
    pub to: usize,
    /// True if its acceleration is not used.
    pub is_last: bool,
}

impl Kernel {
    /// Returns the outputs that it writes.
    pub fn outputs(&self) -> &[usize] {
        match self {
            Kernel::Fill(fill) => &fill.outputs,
            Kernel::Inverse(inverse) => core::slice::from_ref(&inverse.output),
            Kernel::Columns(columns) => &columns.outputs,
        }
    }

    /// Returns its name in the code.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Fill(_) => "fill",
            Kernel::Inverse(_) => "inverse",
            Kernel::Columns(_) => "columns",
        }
    }

    /// Runs the kernel on numbers.
    pub(crate) fn interpret(&self, parts: &[f64], y: &mut [Vec<f64>]) {
        match self {
            Kernel::Fill(fill) => fill.interpret(parts, y),
            Kernel::Inverse(inverse) => y[inverse.output] = inverse.interpret(parts),
            Kernel::Columns(columns) => columns.interpret(parts, y),
        }
    }
}

/// Returns the columns of matrices over a tree.
pub(crate) fn columns(tree: &Tree) -> Vec<Column> {
    let column = |dof: &dtau::model::Dof| {
        let body = &tree.bodies[dof.body];
        Column { above: tree.path_runs()[body.path.clone()].to_vec(), below: body.v.start..body.dofs_end }
    };
    tree.dofs.iter().map(column).collect()
}

/// Same for a symmetric matrix that is computed below the diagonal. Rows of the column's own joint that
/// precede the column count as above.
pub(crate) fn columns_of_symmetric(tree: &Tree) -> Vec<Column> {
    let mut columns = columns(tree);
    for (c, column) in columns.iter_mut().enumerate().filter(|(c, column)| column.below.start < *c) {
        let own = column.below.start..c;
        column.below.start = c;
        match column.above.last_mut() {
            Some(run) if run.end == own.start => run.end = c,
            _ => column.above.push(own),
        }
    }
    columns
}

/// Returns the degrees of freedom, and the number of levels.
pub(crate) fn links(tree: &Tree) -> (Vec<Link>, usize) {
    let mut level = vec![0; tree.bodies.len()];
    let (mut links, mut branch_end) = (Vec::new(), 0);
    for (i, body) in tree.outward() {
        let parent = &tree.bodies[body.parent];
        // Bodies with later siblings do not overwrite their parent's acceleration.
        let has_later_siblings = body.parent > 0 && body.bodies_end < parent.bodies_end;
        level[i] = if body.parent == 0 { 0 } else { level[body.parent] + usize::from(has_later_siblings) };
        if body.parent == 0 {
            branch_end = body.dofs_end;
        }
        let is_leaf = body.bodies_end == i + 1;
        for k in body.v.clone() {
            let first = k == body.v.start;
            let from = match first {
                true => (body.parent > 0).then_some(level[body.parent]),
                false => Some(level[i]),
            };
            let is_last = is_leaf && k + 1 == body.v.end;
            links.push(Link { end: body.dofs_end, branch_end, from, to: level[i], is_last });
        }
    }
    let levels = 1 + level.into_iter().max().unwrap_or(0);
    (links, levels)
}

/// Adds six products, or three, in the library's order.
fn dot(a: impl Fn(usize) -> f64, b: impl Fn(usize) -> f64, in_halves: bool) -> f64 {
    let sum = |range: Range<usize>| {
        let first = range.start;
        range.fold(0.0, |sum, k| if k == first { a(k) * b(k) } else { a(k).mul_add(b(k), sum) })
    };
    if in_halves { sum(0..3) + sum(3..6) } else { sum(0..6) }
}

impl Fill {
    fn interpret(&self, parts: &[f64], y: &mut [Vec<f64>]) {
        let n = self.columns.len();
        let number = |first: usize, k: usize, dof: usize| parts[(first + k) * n + dof];
        for (m, &output) in self.outputs.iter().enumerate() {
            let out = &mut y[output];
            *out = vec![0.0; n * n];
            for (c, column) in self.columns.iter().enumerate() {
                for r in column.above.iter().cloned().flatten() {
                    let row = |k| number(self.above.0, k, r);
                    out[c * n + r] = dot(row, |k| number(self.above.1[m], k, c), self.in_halves);
                }
                for r in column.below.clone() {
                    let row = |k| number(self.below.0, k, r);
                    let mut sum = dot(row, |k| number(self.below.1[m], k, c), self.in_halves);
                    if let Some(more) = self.more.1[m] {
                        sum = (0..3).fold(sum, |sum, k| number(self.more.0, k, r).mul_add(number(more, k, c), sum));
                    }
                    out[c * n + r] = sum;
                }
                if let Some(diagonal) = self.diagonal[m] {
                    out[c * n + c] += number(diagonal, 0, c);
                }
            }
        }
    }
}

impl Inverse {
    fn interpret(&self, parts: &[f64]) -> Vec<f64> {
        let n = self.dofs.len();
        let number = |first: usize, k: usize, dof: usize| parts[(first + k) * n + dof];
        let six = |first: usize, dof: usize| -> [f64; 6] { core::array::from_fn(|k| number(first, k, dof)) };
        let (mut m, mut f) = (vec![0.0; n * n], vec![[0.0; 6]; n]);
        for i in (0..n).rev() {
            let (axis, force) = (six(self.axes, i), six(self.forces, i));
            for j in i + 1..self.dofs[i].end {
                let y = dot(|k| f[j][k], |k| axis[k], true);
                m[i * n + j] = y;
                (0..6).for_each(|k| f[j][k] = (-force[k]).mul_add(y, f[j][k]));
            }
            m[i * n + i] = -1.0;
            f[i] = force;
        }
        let mut levels = vec![vec![[0.0; 6]; n]; self.levels];
        for (i, link) in self.dofs.iter().enumerate() {
            let mut a = link.from.map_or_else(|| vec![[0.0; 6]; n], |from| levels[from].clone());
            let (axis, force) = (six(self.axes, i), six(self.forces, i));
            for j in i..link.branch_end {
                let along = dot(|k| a[j][k], |k| -force[k], true);
                let x = (-number(self.reciprocals, 0, i)).mul_add(m[i * n + j], along);
                (m[i * n + j], m[j * n + i]) = (x, x);
                (0..6).for_each(|k| a[j][k] = axis[k].mul_add(x, a[j][k]));
            }
            levels[link.to] = a;
        }
        m
    }
}
