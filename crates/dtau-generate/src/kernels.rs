//! Loops that write matrices from what was computed of every degree of freedom. Written out they would outgrow the instruction cache, and a
//! loop has neighbouring rows side by side in registers.
//!
//! ```text
//! scratch   number k of degree of freedom d is parts[k n + d]
//! fill      entry (r, c), r on the path to c:      Σ rowₖ(r) · columnₖ(c)                    6 products
//!                         r in the subtree of c:   the same of other numbers, and 3 more     6 or 9
//! inverse   M⁻¹ from S, U/D, 1/D of the articulated tree
//! columns   the same sums of rows for every column of some right-hand sides
//! ```
//!
//! The sums are in the order of the library's, so the bits are its bits.

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
    /// Many right-hand sides of the same equations.
    Columns(Columns),
}

/// Square matrices by columns, whose entries are products of what their row and their column have. Places are those of the first of six
/// numbers in the scratch, or of three.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// The matrices.
    pub outputs: Vec<usize>,
    /// Of rows on the path to a column: their numbers; and those of the column, for each matrix.
    pub above: (usize, Vec<usize>),
    /// Of rows in its subtree.
    pub below: (usize, Vec<usize>),
    /// Three more products there, for some matrices.
    pub more: (usize, Vec<Option<usize>>),
    /// Whether six products are added up as two sums of three.
    pub in_halves: bool,
    /// What is added to the diagonal.
    pub diagonal: Vec<Option<usize>>,
    /// The columns.
    pub columns: Vec<Column>,
}

/// Which rows of a column are not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Those on the path from the root to its joint, as runs.
    pub above: Vec<Range<usize>>,
    /// Those in the subtree of its joint, its own among them.
    pub below: Range<usize>,
}

impl Column {
    /// The rows that are not zero, as runs.
    pub(crate) fn rows(self) -> Vec<Range<usize>> {
        let mut runs = self.above;
        match runs.last_mut() {
            Some(run) if run.end == self.below.start => run.end = self.below.end,
            _ => runs.push(self.below),
        }
        runs
    }
}

/// M⁻¹ as the library has it: see `minverse.rs` there. Places are those of the first of six numbers in the scratch.
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
    /// How many accelerations of the whole tree are kept at a time.
    pub levels: usize,
}

/// M a − Jᵀλ = b, J a = s for many b and s at once: the columns of matrices, those of several side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The matrices.
    pub outputs: Vec<usize>,
    /// Columns of every matrix, and rows of those of a.
    pub dofs: usize,
    /// Rows of those of λ.
    pub rows: usize,
    /// What is solved alike.
    pub groups: Vec<Group>,
    /// The matrix of which what is below the diagonal counts for both sides.
    pub symmetric: Option<usize>,
    /// The matrix to which the identity is added.
    pub plus_identity: Option<usize>,
    /// The matrix to which numbers of the scratch are added, and the first of them.
    pub plus: Option<(usize, usize)>,
}

/// Matrices whose columns are solved by the same steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Of every matrix of right-hand sides, the output of a and that of λ.
    pub matrices: Vec<[usize; 2]>,
    /// The rows of the right-hand sides, b first.
    pub from: Vec<Row>,
    /// What solves them: rows of a, then those of λ.
    pub sums: Vec<Sum>,
    /// How many rows are kept meanwhile; the first ones are the results.
    pub places: usize,
    /// How many operations the library does for a column.
    pub operations_of_library: usize,
}

/// A row of right-hand sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Of zeros; nobody reads it.
    Zeros,
    /// A row of the identity.
    Identity,
    /// In the scratch: where its first number is.
    Scratch(usize),
}

impl Columns {
    /// How many operations all columns take, of four at a time.
    pub(crate) fn operations(&self) -> usize {
        let terms = |group: &Group| group.sums.iter().map(|sum| sum.terms.len() + 1).sum::<usize>();
        self.groups.iter().map(|group| (self.dofs * group.matrices.len()).div_ceil(LANES) * terms(group)).sum()
    }

    /// How many operations the library does for all columns.
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

/// A degree of freedom as M⁻¹ sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where its subtree ends.
    pub end: usize,
    /// Where the branch of the world ends that it is in.
    pub branch_end: usize,
    /// The level of the acceleration that it starts from; those at the world start from rest.
    pub from: Option<usize>,
    /// The level of its own.
    pub to: usize,
    /// Whether nobody asks for its acceleration.
    pub is_last: bool,
}

impl Kernel {
    /// What it writes.
    pub fn outputs(&self) -> &[usize] {
        match self {
            Kernel::Fill(fill) => &fill.outputs,
            Kernel::Inverse(inverse) => core::slice::from_ref(&inverse.output),
            Kernel::Columns(columns) => &columns.outputs,
        }
    }

    /// What it is called in code.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Fill(_) => "fill",
            Kernel::Inverse(_) => "inverse",
            Kernel::Columns(_) => "columns",
        }
    }

    /// Runs it on numbers.
    pub(crate) fn interpret(&self, parts: &[f64], y: &mut [Vec<f64>]) {
        match self {
            Kernel::Fill(fill) => fill.interpret(parts, y),
            Kernel::Inverse(inverse) => y[inverse.output] = inverse.interpret(parts),
            Kernel::Columns(columns) => columns.interpret(parts, y),
        }
    }
}

/// The columns of matrices over a tree.
pub(crate) fn columns(tree: &Tree) -> Vec<Column> {
    let column = |dof: &dtau::model::Dof| {
        let body = &tree.bodies[dof.body];
        Column { above: tree.path_runs()[body.path.clone()].to_vec(), below: body.v.start..body.dofs_end }
    };
    tree.dofs.iter().map(column).collect()
}

/// The same for a symmetric matrix that is computed below the diagonal: rows of a column's own joint before it are above.
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

/// The degrees of freedom, and how many levels there are.
pub(crate) fn links(tree: &Tree) -> (Vec<Link>, usize) {
    let mut level = vec![0; tree.bodies.len()];
    let (mut links, mut branch_end) = (Vec::new(), 0);
    for (i, body) in tree.outward() {
        let parent = &tree.bodies[body.parent];
        // Bodies with siblings after them leave their parent's acceleration as it is.
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

/// Six products, or three, as they are added up.
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
