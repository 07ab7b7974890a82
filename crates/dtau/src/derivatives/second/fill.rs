//! Streaming over rows: the O(Nd) part of the Hessian of wᵀτ.
//!
//! `e` is the upper degree of freedom and `r` the deeper one: e's joint is on the path to r's, or the same. A
//! row of a matrix is the q of (1) to (3); a column is their q̇ or q̈.
//!
//! ```text
//!          ℓ_qq[r, e] = Θ_e·t₃ᵣ + Ψ̈_e·t₅ᵣ + ω_Ψ̇e·t₆ᵣ      both ways, but inside a joint      (1)
//! q of e   ℓ_qv[e, r] = Θ_e·t₂ᵣ + ω_Ψ̇e·t₇ᵣ                 ℓ_qa[e, r] = Θ_e·t₁ᵣ              (2)
//! q of r   ℓ_qv[r, e] = (Ṡ + Ψ̇)_e·t₅ᵣ + ω_Se·t₆ᵣ           ℓ_qa[r, e] = S_e·t₅ᵣ    e above r  (3)
//!          ℓ_vv[r, e] = ω_Se·t₇ᵣ                           both ways, but inside a joint      (4)
//! ```
//!
//! In the plan, a joint's own rows count as below its columns. There (3) holds too if the joint has one
//! degree of freedom. If it has several, its block of ℓ_qv and ℓ_qa is (2), and ℓ_qq and ℓ_vv are the
//! symmetric parts of (1) and (4). See the book, `docs/second-order.md`.

use crate::derivatives::fd::coupling::Coupled;
use crate::derivatives::fill::{Entries, Outputs, Pattern, RowBlocks, zeros};
use crate::dispatch::Register;
use crate::linalg::six::splat;
use crate::linalg::transpose;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::{Force, Motion, Vec3};
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;

/// Values of the rows: Θ, ω_Ψ̇, ω_S on the path; t₃, t₅, t₆, t₇ in the subtree.
#[derive(Debug)]
pub(super) struct Rows<T: Real>(RowBlocks<T, NUMBERS>);

const NUMBERS: usize = 30;
/// Positions of t₃ and t₅ among them.
const T3: usize = 12;
const T5: usize = 18;

/// Factors of several columns, side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Factors<W> {
    t2: [W; 6],
    t1: [W; 6],
    t7: [W; 3],
    theta: [W; 6],
    psi_ddot: [W; 6],
    psi_dot: [W; 3],
    rate: [W; 6],
    S: [W; 6],
}

/// Factors of all columns.
#[derive(Debug)]
pub(super) struct Columns<T: Real>(Vec<Factors<Register<T>>>);

impl<T: Real> Rows<T> {
    pub(super) fn new() -> Self {
        Self(RowBlocks::new())
    }

    pub(super) fn make_room(&mut self, tree: &Tree) {
        self.0.make_room(tree);
    }

    /// Writes the rows from `first` on, one per lane: Θ, t₃, t₅; ω_Ψ̇, ω_S, t₆, t₇.
    #[inline(always)]
    pub(super) fn put(&mut self, first: usize, six: [[Register<T>; 6]; 3], three: [Vec3<Register<T>>; 4]) {
        let mut all = [Register::<T>::zero(); NUMBERS];
        let [psi_dot, S, t6, t7] = three.map(Vec3::to_array);
        all[..6].copy_from_slice(&six[0]);
        all[6..9].copy_from_slice(&psi_dot);
        all[9..12].copy_from_slice(&S);
        all[12..18].copy_from_slice(&six[1]);
        all[18..24].copy_from_slice(&six[2]);
        all[24..27].copy_from_slice(&t6);
        all[27..30].copy_from_slice(&t7);
        self.0.put_all(first, all);
    }

    /// Subtracts `F` from t₃ of a row.
    #[inline(always)]
    pub(super) fn sub_t3(&mut self, row: usize, F: Force<T>) {
        for (k, F) in F.to_array().into_iter().enumerate() {
            let (number, lane) = self.0.number(row, T3 + k);
            number.set_lane(lane, number.lane(lane) - F);
        }
    }

    /// Vectors of a degree of freedom that define ℓ_qa.
    #[inline(always)]
    pub(super) fn coupled(&mut self, columns: &Columns<T>, dof: usize) -> Coupled<T> {
        let (of_column, lane) = columns.at(dof);
        let (S, theta, t1) = (lanes(&of_column.S, lane), lanes(&of_column.theta, lane), lanes(&of_column.t1, lane));
        let mut t5 = [T::zero(); 6];
        for (k, t5) in t5.iter_mut().enumerate() {
            let (number, lane) = self.0.number(dof, T5 + k);
            *t5 = number.lane(lane);
        }
        Coupled { S, theta, t1, t5 }
    }

    /// (1) to (4), within the plan: ℓ_qq below the diagonal. For joints with several degrees of freedom, the
    /// blocks of ℓ_qq and ℓ_vv are not symmetric yet.
    #[inline(always)]
    pub(super) fn fill(&self, tree: &Tree, columns: &Columns<T>, out: &mut Outputs<'_, T, 4>, zeros_in_place: bool) {
        self.0.fill_as::<SecondOrder, 4>(tree, &columns.0, out, zeros_in_place);
    }
}

impl<T: Real> Columns<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        Self(vec![Factors::default(); tree.dofs.len().div_ceil(width::<T>())])
    }

    /// Writes the columns from `first` on, one per lane: t₂, t₁; t₇; Θ, Ψ̈, Ṡ + Ψ̇, S; ω_Ψ̇.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        first: usize,
        [t2, t1]: [Force<Register<T>>; 2],
        t7: Vec3<Register<T>>,
        [theta, psi_ddot, rate, S]: [Motion<Register<T>>; 4],
        psi_dot: Vec3<Register<T>>,
    ) {
        self.0[first / width::<T>()] = Factors {
            t2: t2.to_array(),
            t1: t1.to_array(),
            t7: t7.to_array(),
            theta: theta.to_array(),
            psi_ddot: psi_ddot.to_array(),
            psi_dot: psi_dot.to_array(),
            rate: rate.to_array(),
            S: S.to_array(),
        };
    }

    /// Θ of a degree of freedom.
    #[inline(always)]
    pub(super) fn theta(&self, dof: usize) -> Motion<T> {
        let (factors, lane) = self.at(dof);
        Motion::from_array(lanes(&factors.theta, lane))
    }

    #[inline(always)]
    fn at(&self, dof: usize) -> (&Factors<Register<T>>, usize) {
        (&self.0[dof / width::<T>()], dof % width::<T>())
    }

    /// (2) in the blocks of joints with several degrees of freedom.
    #[inline(always)]
    pub(super) fn fill_joints(&self, tree: &Tree, qv: &mut [T], qa: &mut [T]) {
        let n = tree.dofs.len();
        for &i in &tree.wide_joints {
            let body = &tree.bodies[i];
            for c in body.v.clone() {
                if body.parent == 0 {
                    // No joint is above this one: Θ and Ψ̇ are zero.
                    qv[c * n..][body.v.clone()].fill(T::zero());
                    qa[c * n..][body.v.clone()].fill(T::zero());
                    continue;
                }
                let (column, lane) = self.at(c);
                let (t2, t1, t7) = (lanes(&column.t2, lane), lanes(&column.t1, lane), lanes(&column.t7, lane));
                for r in body.v.clone() {
                    let (row, lane) = self.at(r);
                    let (theta, psi_dot) = (lanes(&row.theta, lane), lanes(&row.psi_dot, lane));
                    qv[c * n + r] = dot(&theta, &t2) + dot(&psi_dot, &t7);
                    qa[c * n + r] = dot(&theta, &t1);
                }
            }
        }
    }
}

#[inline(always)]
fn lanes<T: Real, const L: usize>(x: &[Register<T>; L], lane: usize) -> [T; L] {
    let mut out = [T::zero(); L];
    for k in 0..L {
        out[k] = x[k].lane(lane);
    }
    out
}

#[inline(always)]
fn dot<T: Real, const L: usize>(a: &[T; L], b: &[T; L]) -> T {
    let mut sum = a[0] * b[0];
    for k in 1..L {
        sum = a[k].mul_add(b[k], sum);
    }
    sum
}

/// Visits all pairs of a row and a column below the diagonal that belong to one joint.
#[inline(always)]
fn each_pair(tree: &Tree, mut visit: impl FnMut(usize, usize)) {
    for &i in &tree.wide_joints {
        let v = tree.bodies[i].v.clone();
        for c in v.clone() {
            for r in c + 1..v.end {
                visit(r, c);
            }
        }
    }
}

/// For joints of several degrees of freedom, puts the symmetric part of a joint's block below its diagonal,
/// and the rest into `skew`.
#[inline(always)]
pub(super) fn symmetrise_joints<T: Real>(tree: &Tree, matrix: &mut [T], skew: &mut [T]) {
    let (n, half, mut pair) = (tree.dofs.len(), T::from_f64(0.5), 0);
    each_pair(tree, |r, c| {
        let (low, high) = (matrix[c * n + r], matrix[r * n + c]);
        matrix[c * n + r] = (low + high) * half;
        skew[pair] = (low - high) * half;
        pair += 1;
    });
}

/// Copies the lower triangle of every joint's block to its upper triangle.
#[inline(always)]
pub(super) fn mirror_joints<T: Real>(tree: &Tree, matrix: &mut [T]) {
    let n = tree.dofs.len();
    each_pair(tree, |r, c| matrix[r * n + c] = matrix[c * n + r]);
}

/// Adds the skew part that [`symmetrise_joints`] has stored, to a mirrored matrix.
#[inline(always)]
pub(super) fn add_skew<T: Real>(tree: &Tree, matrix: &mut [T], skew: &[T]) {
    let (n, mut pair) = (tree.dofs.len(), 0);
    each_pair(tree, |r, c| {
        matrix[c * n + r] += skew[pair];
        matrix[r * n + c] -= skew[pair];
        pair += 1;
    });
}

/// Copies the lower triangle to the upper one.
#[inline(always)]
pub(super) fn mirror<T: Real>(tree: &Tree, matrix: &mut [T]) {
    transpose::mirror_paths(&tree.paths, tree.dofs.len(), matrix);
}

/// ℓ_qq, ℓ_qv, ℓ_vv, ℓ_qa.
struct SecondOrder;

impl<T: Real> Pattern<T, 4> for SecondOrder {
    const NUMBERS: usize = NUMBERS;
    const MIRRORED: usize = 1;
    type Column = Factors<Register<T>>;

    #[inline(always)]
    fn above<const K: usize>(rows: &[Register<T>], x: &Self::Column, lane: usize) -> Entries<T, K, 4> {
        let mut sums = zeros::<T, K, 4>();
        for k in 0..6 {
            let theta = &rows[k * K..][..K];
            add::<T, K>(k == 0, &mut sums[1], theta, &x.t2[k], lane); // (2)
            add::<T, K>(k == 0, &mut sums[3], theta, &x.t1[k], lane);
        }
        for k in 0..3 {
            let (psi_dot, S) = (&rows[(6 + k) * K..][..K], &rows[(9 + k) * K..][..K]);
            add::<T, K>(false, &mut sums[1], psi_dot, &x.t7[k], lane);
            add::<T, K>(k == 0, &mut sums[2], S, &x.t7[k], lane); // (4)
        }
        sums
    }

    #[inline(always)]
    fn below<const K: usize>(rows: &[Register<T>], x: &Self::Column, lane: usize) -> Entries<T, K, 4> {
        let mut sums = zeros::<T, K, 4>();
        for k in 0..6 {
            let t5 = &rows[(18 + k) * K..][..K];
            add::<T, K>(k == 0, &mut sums[0], t5, &x.psi_ddot[k], lane); // (1)
            add::<T, K>(k == 0, &mut sums[1], t5, &x.rate[k], lane); // (3)
            add::<T, K>(k == 0, &mut sums[3], t5, &x.S[k], lane);
        }
        for k in 0..6 {
            add::<T, K>(false, &mut sums[0], &rows[(T3 + k) * K..][..K], &x.theta[k], lane);
        }
        for k in 0..3 {
            let (t6, t7) = (&rows[(24 + k) * K..][..K], &rows[(27 + k) * K..][..K]);
            add::<T, K>(false, &mut sums[0], t6, &x.psi_dot[k], lane);
            add::<T, K>(false, &mut sums[1], t6, &x.S[3 + k], lane);
            add::<T, K>(k == 0, &mut sums[2], t7, &x.S[3 + k], lane); // (4)
        }
        sums
    }
}

/// Adds a value of some rows times that of a column. The first product of a sum is not added to zero.
#[inline(always)]
fn add<T: Real, const K: usize>(
    first: bool,
    sums: &mut [Register<T>; K],
    row: &[Register<T>],
    x: &Register<T>,
    lane: usize,
) {
    let x: Register<T> = splat(x, lane);
    for j in 0..K {
        sums[j] = if first { row[j] * x } else { row[j].mul_add(x, sums[j]) };
    }
}
