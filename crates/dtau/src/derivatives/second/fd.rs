//! The Hessian of wᵀq̈ of forward dynamics, and the derivatives of its gradient.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)            μ = M⁻¹ w            ℓ = μᵀ ID at q̈, with μ held fixed                (1)
//! κ = wᵀ q̈                   κ_q = −ℓ_q           κ_v = −ℓ_v          κ_τ = μ                       (2)
//! P = ℓ_qa M⁻¹               κ_qτ = −P            κ_vτ = κ_ττ = 0                                   (3)
//! κ_qv = P ∂ID/∂q̇ − ℓ_qv     κ_vv = −ℓ_vv         κ_qq = P ∂ID/∂q + (P ∂ID/∂q)ᵀ − ℓ_qq              (4)
//! ```
//!
//! ℓ_qq, ℓ_qv, … are those of [`id`](super::id); ℓ_qa is ∂(M μ)/∂q, transposed. Source: ID(q, q̇, FD(q, q̇, τ)) = τ, differentiated
//! twice and multiplied by μ from the left; see the book, `docs/second-order.md`. The cost is that of three products of ∂FD's kind,
//! O(N² d). Of deep trees ∂FD is known by its response form, without ∂ID, and the products with ℓ_qa are sums over the tree, O(N²):
//!
//! ```text
//! P ∂ID/∂q = −ℓ_qa ∂FD/∂q      P ∂ID/∂q̇ = −ℓ_qa ∂FD/∂q̇      −P = −ℓ_qa ∂FD/∂τ                       (5)
//! ```

use super::id::{self, IdTwice, IdVjpPartials};
use crate::derivatives::fd::coupling::Couple;
use crate::derivatives::fd::response::Response;
use crate::derivatives::fd::{Accelerate, FdWay};
use crate::derivatives::stiffness::all_move_with_bodies;
use crate::derivatives::{Id, idsva};
use crate::dispatch::{Proof, Step, step};
use crate::door::Size::{Nq, Nv, Square, Symmetric};
use crate::door::{Algorithm, Done, Mimicry, Out, Surrounding, declare, nested};
use crate::dynamics::minverse::InverseMass;
use crate::dynamics::{aba, ltdl, mass};
use crate::engines::{Memory, Scratch};
use crate::linalg::{multiply, transpose};
use crate::matrix::{Matrix, MatrixMut};
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

/// The gradient and the second derivatives of `wᵀ q̈`, to be filled by [`fd_hessian`] or [`fd_vjp_derivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct FdHessian<T> {
    /// By q, along tangent directions of the configuration: nv.
    pub dq: Vec<T>,
    /// By q̇.
    pub dv: Vec<T>,
    /// By τ.
    pub dtau: Vec<T>,
    /// Twice by q.
    pub qq: Matrix<T>,
    /// By q, a row each, and q̇, a column each.
    pub qv: Matrix<T>,
    /// Twice by q̇.
    pub vv: Matrix<T>,
    /// By q, a row each, and τ, a column each.
    pub qtau: Matrix<T>,
}

impl<T: Real> FdHessian<T> {
    /// Room for the derivatives of a model.
    pub fn new(model: &Model) -> Self {
        let (vector, square) = (vec![T::zero(); model.nv()], Matrix::zeros(model.nv(), model.nv()));
        let [dq, dv, dtau] = [vector.clone(), vector.clone(), vector];
        Self { dq, dv, dtau, qq: square.clone(), qv: square.clone(), vv: square.clone(), qtau: square }
    }
}

macro_rules! views {
    ($($(#[$doc:meta])* $view:ident, $qq:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $view<'a, T> {
            /// ∂(wᵀq̈)/∂q: nv.
            pub dq: &'a mut [T],
            /// ∂(wᵀq̈)/∂q̇: nv.
            pub dv: &'a mut [T],
            /// ∂(wᵀq̈)/∂τ = M⁻¹ w: nv.
            pub dtau: &'a mut [T],
            #[doc = $qq]
            pub qq: MatrixMut<'a, T>,
            /// ∂²(wᵀq̈)/∂q∂q̇: nv × nv, rows by q, columns by q̇.
            pub qv: MatrixMut<'a, T>,
            /// ∂²(wᵀq̈)/∂q̇²: nv × nv, symmetric.
            pub vv: MatrixMut<'a, T>,
            /// ∂²(wᵀq̈)/∂q∂τ: nv × nv, rows by q, columns by τ; the transpose of ∂(M⁻¹ w)/∂q.
            pub qtau: MatrixMut<'a, T>,
        }

        impl<'a, T> From<&'a mut FdHessian<T>> for $view<'a, T> {
            fn from(out: &'a mut FdHessian<T>) -> Self {
                let FdHessian { dq, dv, dtau, qq, qv, vv, qtau } = out;
                Self { dq, dv, dtau, qq: qq.into(), qv: qv.into(), vv: vv.into(), qtau: qtau.into() }
            }
        }
    )*};
}

views! {
    /// Where [`fd_hessian`] writes: an [`FdHessian`], or memory of yours. In a batch every array is states × its size.
    FdHessianMut, "∂²(wᵀq̈)/∂q²: nv × nv, by columns, symmetric.";
    /// Where [`fd_vjp_derivatives`] writes: an [`FdHessian`], or memory of yours. In a batch every array is states × its size.
    FdVjpDerivativesMut, "∂(dq)/∂q: nv × nv, by columns.";
}

declare! {
    /// The Hessian of `wᵀ q̈`, and its gradient: the second derivatives of [`aba`](crate::aba()) contracted with a covector, in O(N² d)
    /// with `d` the depth of the tree.
    ///
    /// - `q` (nq), `v`, `tau`, `w` (nv); `out.dq`, `out.dv`, `out.dtau` are those of [`fd_vjp`](crate::fd_vjp()).
    /// - `out.qq` is the Hessian of `δ ↦ wᵀ q̈(q ⊕ δ)` at zero, symmetric bit for bit; `out.qv` and `out.qtau` have rows by `q`; `out.vv`
    ///   is symmetric. The blocks by `v` and `tau`, and twice by `tau`, are zero. Every matrix is `nv × nv`, complete, by columns.
    /// - External forces, joint effects and mimicking joints are in it, as in [`fd_derivatives`](crate::fd_derivatives()).
    /// - What the gradient's own derivative is, where a joint has several degrees of freedom, [`fd_vjp_derivatives`] tells.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model, or if a body has no inertia along its joint. After an
    /// error the contents of `out` mean nothing.
    fn fd_hessian(q: Nq, v: Nv, tau: Nv, w: Nv) -> FdHessianMut {
        dq: Nv, dv: Nv, dtau: Nv, qq: Symmetric, qv: Square, vv: Symmetric, qtau: Square
    }
    by FdTwice, under Surrounding::ALL
}

declare! {
    /// The derivatives of [`fd_vjp`](crate::fd_vjp()), and its result: how the gradient of `wᵀ q̈` changes with the state.
    ///
    /// - As [`fd_hessian`](crate::fd_hessian()), but for `out.qq`: column `e` is the change of `out.dq` along `q ⊕ s eₑ`, which is not
    ///   symmetric inside joints of several degrees of freedom; the Hessian is its symmetric part.
    ///
    /// # Errors
    /// As [`fd_hessian`](crate::fd_hessian()).
    fn fd_vjp_derivatives(q: Nq, v: Nv, tau: Nv, w: Nv) -> FdVjpDerivativesMut {
        dq: Nv, dv: Nv, dtau: Nv, qq: Square, qv: Square, vv: Symmetric, qtau: Square
    }
    by FdVjpPartials, under Surrounding::ALL
}

macro_rules! algorithm {
    ($type:ident, $nested:expr, $symmetric:literal) => {
        impl Algorithm<4, 7> for $type {
            const RESERVES: bool = true;
            const SQUARES: usize = 3;
            const MIMICRY: Mimicry = Mimicry::Own;

            fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
                reserve(model, s);
            }

            #[inline(always)]
            fn compute<T: Real>(
                self,
                scene: &Scene<'_, T>,
                s: &mut Scratch<T>,
                x: [&[T]; 4],
                y: [Out<'_, T>; 7],
            ) -> Done {
                twice(scene, s, x, y, $symmetric)
            }

            /// With mimicking joints the articulated recursion does not apply: by the factor of M.
            #[inline(always)]
            fn compute_mimicking<T: Real>(
                self,
                scene: &Scene<'_, T>,
                memory: &mut Memory<T>,
                [q, v, tau, w]: [&[T]; 4],
                [dq, dv, dtau, qq, qv, vv, qtau]: [Out<'_, T>; 7],
            ) -> Done {
                let (proof, model, nv) = (memory.proof(), scene.model, scene.model.nv());
                let (dq, dv, mu) = (dq.entries, dv.entries, dtau.entries);
                let (qq, qv, vv, qtau) = (qq.entries, qv.entries, vv.entries, qtau.entries);
                ltdl::factor_of(scene, memory, q)?;
                let [mut minv, mut id_q, mut id_v] = mem::take(&mut memory.scratch.second.squares);
                let [mut qdd_room, mut rest_room] = mem::take(&mut memory.scratch.second.vectors);
                let (qdd, rest) = (&mut qdd_room[..nv], &mut rest_room[..nv]);
                aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?; // (1)
                mu.copy_from_slice(w);
                memory.scratch.ltdl.solve(model.elimination(), mu);
                // The factor and the matrices are not touched by these.
                nested(Id {}, scene, memory, [q, v, qdd], [&mut *rest, &mut id_q, &mut id_v, &mut minv])?;
                nested(
                    $nested,
                    scene,
                    memory,
                    [q, v, qdd, mu],
                    [&mut *dq, &mut *dv, rest, &mut *qq, &mut *qv, &mut *vv, &mut *qtau],
                )?;
                let s = &mut memory.scratch;
                s.ltdl.inverse(model.elimination(), &mut minv);
                combine(proof, None, s, nv, &minv, [&mut id_q, &mut id_v], [dq, dv], [qq, qv, vv, qtau]);
                s.second.squares = [minv, id_q, id_v];
                s.second.vectors = [qdd_room, rest_room];
                Ok(())
            }
        }
    };
}

algorithm!(FdTwice, IdTwice {}, true);
algorithm!(FdVjpPartials, IdVjpPartials {}, false);

fn reserve<T: Real>(model: &Model, s: &mut Scratch<T>) {
    s.id.make_room(model.tree());
    s.second.make_room(model.tree());
    s.second.make_squares(model);
    s.minverse.make_room(model.tree());
    s.ltdl.make_room(model);
}

/// H or N of a tree without mimicking joints. A step a line: what several functions have in common is compiled once.
#[inline(always)]
fn twice<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, tau, w]: [&[T]; 4],
    [dq, dv, dtau, qq, qv, vv, qtau]: [Out<'_, T>; 7],
    symmetric: bool,
) -> Done {
    let (proof, tree) = (s.proof, scene.model.tree());
    let (dq, dv, mu) = (dq.entries, dv.entries, dtau.entries);
    let blocks = [qq.entries, qv.entries, vv.entries, qtau.entries];
    let mut qdd = mem::take(&mut s.second.vectors[0]);
    let done = step(proof, Accelerate { scene, s, q, v, tau, qdd: &mut qdd }); // (1)
    s.second.vectors[0] = qdd;
    done?;
    mu.copy_from_slice(w);
    step(proof, Solve { tree, s, x: mu });
    let [mut minv, mut id_q, mut id_v] = mem::take(&mut s.second.squares);
    let [qq, qv, vv, qtau] = blocks;
    let n = tree.dofs.len();
    if FdWay::for_model(scene.model) == FdWay::Response {
        step(proof, Response { scene, s, v, dq: &mut id_q, dv: &mut id_v, dtau: &mut *qtau });
        let out = [&mut *qq, &mut *qv, &mut *vv, &mut minv]; // nobody asks for ℓ_qa
        step(proof, Both { scene, s, v, mu, gradient: [&mut *dq, &mut *dv], id: None, out, symmetric });
        for x in [&mut *qtau, &mut id_q, &mut id_v] {
            step(proof, Couple { tree, s, x }); // (5)
        }
        step(proof, Sum { n, id_q: &mut id_q, id_v: &id_v, gradient: [dq, dv], qq, qv, vv }); // (4)
    } else {
        let (id, out) = (Some([&mut id_q, &mut id_v]), [&mut *qq, &mut *qv, &mut *vv, &mut *qtau]);
        step(proof, Both { scene, s, v, mu, gradient: [&mut *dq, &mut *dv], id, out, symmetric });
        step(proof, InverseMass { tree, s, minv: &mut minv });
        combine(proof, Some(tree), s, n, &minv, [&mut id_q, &mut id_v], [dq, dv], [qq, qv, vv, qtau]);
    }
    s.second.squares = [minv, id_q, id_v];
    Ok(())
}

/// (2) to (4).
#[inline(always)]
fn combine<T: Real>(
    proof: Proof<T>,
    tree: Option<&Tree>,
    s: &mut Scratch<T>,
    n: usize,
    minv: &[T],
    [id_q, id_v]: [&mut Vec<T>; 2],
    gradient: [&mut [T]; 2],
    [qq, qv, vv, qtau]: [&mut [T]; 4],
) {
    step(proof, Transpose { n, matrix: &mut *qtau });
    multiply::negated(tree, None, s, minv, [&mut *qtau]); // −M⁻¹ ℓ_qaᵀ
    step(proof, Transpose { n, matrix: &mut *qtau }); // (3)
    multiply::negated(tree, None, s, qtau, [id_q, id_v]); // P ∂ID
    step(proof, Sum { n, id_q, id_v, gradient, qq, qv, vv }); // (4)
}

/// M⁻¹ x on the articulated tree.
struct Solve<'a, T: Real> {
    tree: &'a Tree,
    s: &'a mut Scratch<T>,
    x: &'a mut [T],
}

impl<T: Real> Step for Solve<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        mass::solve(self.tree, self.s, self.x);
    }
}

/// The gradient and blocks of ℓ, from the bodies that move with q̈; and ∂ID, or what makes ℓ_qa.
struct Both<'a, T: Real> {
    scene: &'a Scene<'a, T>,
    s: &'a mut Scratch<T>,
    v: &'a [T],
    mu: &'a [T],
    gradient: [&'a mut [T]; 2],
    id: Option<[&'a mut Vec<T>; 2]>,
    out: [&'a mut [T]; 4],
    symmetric: bool,
}

impl<T: Real> Step for Both<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s, v, mu, gradient: [dq, dv], id: first, out, symmetric } = self;
        let (tree, moving) = (scene.model.tree(), all_move_with_bodies(scene));
        let mut rest = mem::take(&mut s.second.vectors[1]);
        id::passes(scene, s, (v, mu), [dq, dv, &mut rest]);
        let Scratch { bodies, id, second, .. } = s;
        if let Some([id_q, id_v]) = first {
            idsva::columns(tree, bodies, id, &mut rest);
            if !moving {
                for (c, dof) in tree.dofs.iter().enumerate() {
                    id.columns.sub_t3(c, second.curvature[dof.body].W.behind(bodies.S.get(c)));
                }
            }
            id.rows.fill(tree, &id.columns, &mut [&mut id_q[..], &mut id_v[..]], false);
            if !moving {
                idsva::add_stiffness_below(tree, bodies, |i| &second.curvature[i].W, id_q);
            }
            JointEffects::of(scene).add_stiffness(tree, id_q);
            JointEffects::of(scene).add_resistance_slopes(tree, v, id_v);
        } else {
            for (dof, coupled) in second.coupled.iter_mut().enumerate() {
                *coupled = second.rows.coupled(&second.columns, dof);
            }
        }
        id::blocks(scene, s, (v, mu), out, false, symmetric);
        s.second.vectors[1] = rest;
    }
}

struct Transpose<'a, T> {
    n: usize,
    matrix: &'a mut [T],
}

impl<T: Real> Step for Transpose<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        transpose::transpose(self.n, self.matrix);
    }
}

/// (2), (4), where `id_q` and `id_v` are P ∂ID.
struct Sum<'a, T> {
    n: usize,
    id_q: &'a mut [T],
    id_v: &'a [T],
    gradient: [&'a mut [T]; 2],
    qq: &'a mut [T],
    qv: &'a mut [T],
    vv: &'a mut [T],
}

impl<T: Real> Step for Sum<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { n, id_q, id_v, gradient: [dq, dv], qq, qv, vv } = self;
        transpose::add_transpose(n, id_q);
        subtract_from(id_q, qq);
        subtract_from(id_v, qv);
        for x in vv.iter_mut().chain(dq).chain(dv) {
            *x = -*x;
        }
    }
}

/// `x ← y − x`.
#[inline(always)]
fn subtract_from<T: Real>(y: &[T], x: &mut [T]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x = y - *x;
    }
}
