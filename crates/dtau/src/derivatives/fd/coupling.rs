//! Products with L = ∂(M μ)/∂q, transposed, without the matrix. On deep trees this is faster than a matrix
//! product.
//!
//! Ground coordinates throughout. `L` is ℓ_qa of [`second`](crate::derivatives::second): with `e` above `r`,
//!
//! ```text
//! L[r, e] = S_e·t₅ᵣ          L[e, r] = Θ_e·t₁ᵣ, inside a joint too                        (1)
//! ```
//!
//! Row i of −L x then needs two sums over the tree, each passed from body to body:
//!
//! ```text
//! inward    p = Σ t₁ x        over the joint of i and what is below it                    (2)
//! outward   a = Σ S x         over the path to the joint of i                             (3)
//!           y = −Θ·p − t₅·a                                                               (4)
//! ```
//!
//! The cost is 24 multiply-adds per entry for matrices of any size. Several columns are computed side by
//! side.

use super::lanes::{self, Reach, from_parent, is_fork, to_parent};
use crate::dispatch::{Register, step};
use crate::engines::Scratch;
use crate::linalg::six::{P, add_columns, minus_dot, zeros};
use crate::linalg::transpose::{gather, scatter};
use crate::model::Tree;
use crate::scalar::Real;
use crate::sweeps::side_by_side::width;

/// Vectors of one degree of freedom in (1).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::derivatives) struct Coupled<T> {
    pub(in crate::derivatives) S: [T; 6],
    pub(in crate::derivatives) theta: [T; 6],
    pub(in crate::derivatives) t1: [T; 6],
    pub(in crate::derivatives) t5: [T; 6],
}

/// `X ← −L X` for a square matrix by columns.
#[inline(always)]
pub(in crate::derivatives) fn couple<T: Real>(tree: &Tree, s: &mut Scratch<T>, x: &mut [T]) {
    step!(s.proof, || {
        let Scratch { fd, second, .. } = &mut *s;
        let (n, dofs) = (tree.dofs.len(), &second.coupled[..]);
        let lanes::Room { wide, sent, kept } = &mut fd.lanes;
        let (wide, y) = wide.split_at_mut(n);
        for first in (0..n).step_by(P * width::<T>()) {
            let columns = first..n.min(first + P * width::<T>());
            let Reach { bodies, rows, .. } = Reach::of(tree, columns.clone());
            let x = &mut x[columns.start * n..columns.end * n];
            gather(x, n, rows.clone(), wide);
            let mut p = zeros::<T, 6>();
            for i in bodies.clone().rev() {
                let v = &tree.bodies[i].v;
                for k in v.clone() {
                    add_columns(&mut p, &dofs[k].t1, wide[k]); // (2)
                }
                for k in v.clone() {
                    let no_more = [Register::<T>::zero(); P];
                    y[k] = minus_dot(no_more, &dofs[k].theta, &p); // (4)
                }
                to_parent(tree, i, &mut p, sent);
            }
            let mut a = zeros::<T, 6>();
            for i in bodies {
                let v = &tree.bodies[i].v;
                from_parent(tree, i, &mut a, kept);
                for k in v.clone() {
                    y[k] = minus_dot(y[k], &dofs[k].t5, &a); // (4)
                }
                for k in v.clone() {
                    add_columns(&mut a, &dofs[k].S, wide[k]); // (3)
                }
                if is_fork(tree, i) {
                    kept.put(tree.bodies[i].forks, 0, &a);
                }
            }
            scatter(y, 0, rows, n, x);
        }
    });
}
