//! The Hessian of wᵀq̈ of forward dynamics, and the derivatives of its gradient.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)            μ = M⁻¹ w            ℓ = μᵀ ID at q̈, with μ held fixed                (1)
//! κ = wᵀ q̈                   κ_q = −ℓ_q           κ_v = −ℓ_v          κ_τ = μ                       (2)
//! P = ℓ_qa M⁻¹               κ_qτ = −P            κ_vτ = κ_ττ = 0                                   (3)
//! κ_qv = P ∂ID/∂q̇ − ℓ_qv     κ_vv = −ℓ_vv         κ_qq = P ∂ID/∂q + (P ∂ID/∂q)ᵀ − ℓ_qq              (4)
//! ```
//!
//! ℓ_qq, ℓ_qv, … are those of [`id`](super::id); ℓ_qa is ∂(M μ)/∂q, transposed.
//! Source: ID(q, q̇, FD(q, q̇, τ)) = τ, differentiated twice and multiplied by μ from the left; see the book,
//! `docs/second-order.md`. The cost is that of three products of ∂FD's kind, O(N² d). On deep trees ∂FD comes
//! from its response form, without ∂ID, and the products with ℓ_qa are sums over the tree, O(N²):
//!
//! ```text
//! P ∂ID/∂q = −ℓ_qa ∂FD/∂q      P ∂ID/∂q̇ = −ℓ_qa ∂FD/∂q̇      −P = −ℓ_qa ∂FD/∂τ                       (5)
//! ```

use super::id::{self, IdTwice, IdVjpPartials};
use super::sweep::OfFd;
use crate::derivatives::fd::coupling::couple;
use crate::derivatives::fd::response::respond;
use crate::derivatives::fd::{FdWay, accelerate};
use crate::derivatives::stiffness::all_move_with_bodies;
use crate::derivatives::{Id, idsva};
use crate::dispatch::{Proof, step};
use crate::door::Size::{Nq, Nv, Square, Symmetric};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, nested, results};
use crate::dynamics::minverse::inverse_mass;
use crate::dynamics::{aba, ltdl, mass};
use crate::engines::{Memory, Scratch};
use crate::linalg::{multiply, transpose};
use crate::matrix::MatrixMut;
use crate::model::{Model, Tree};
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};

results! {
    /// Gradient and second derivatives of `wᵀ q̈`: the result of [`fd_hessian`] or [`fd_vjp_derivatives`].
    pub struct FdHessian(model: Model) as [FdHessianMut, FdVjpDerivativesMut] {
        /// ∂(wᵀq̈)/∂q: nv, along tangent directions of the configuration.
        dq: Nv,
        /// ∂(wᵀq̈)/∂q̇: nv.
        dv: Nv,
        /// ∂(wᵀq̈)/∂τ = M⁻¹ w: nv.
        dtau: Nv,
    } {
        /// ∂²(wᵀq̈)/∂q², symmetric, from [`fd_hessian`]; ∂(dq)/∂q from [`fd_vjp_derivatives`]: nv × nv, by
        /// columns.
        qq: Square,
        /// ∂²(wᵀq̈)/∂q∂q̇: nv × nv, rows by q, columns by q̇.
        qv: Square,
        /// ∂²(wᵀq̈)/∂q̇²: nv × nv, symmetric.
        vv: Square,
        /// ∂²(wᵀq̈)/∂q∂τ: nv × nv, rows by q, columns by τ; the transpose of ∂(M⁻¹ w)/∂q.
        qtau: Square,
    }
}

declare! {
    /// Hessian of `wᵀ q̈`, and its gradient: the second derivatives of [`aba`](crate::aba()) contracted with
    /// a covector, in O(N² d) with `d` the depth of the tree.
    ///
    /// - `q` (nq), `v`, `tau`, `w` (nv); `out.dq`, `out.dv`, `out.dtau` are those of
    ///   [`fd_vjp`](crate::fd_vjp()).
    /// - `out.qq` is the Hessian of `δ ↦ wᵀ q̈(q ⊕ δ)` at zero, symmetric bit for bit; `out.qv` and
    ///   `out.qtau` have rows for `q`; `out.vv` is symmetric. The blocks (v, tau) and (tau, tau) are zero.
    ///   Every matrix is `nv × nv`, complete, by columns.
    /// - External forces, joint effects and mimicking joints are included, as in
    ///   [`fd_derivatives`](crate::fd_derivatives()).
    /// - [`fd_vjp_derivatives`] differentiates the gradient itself, which differs inside joints of several
    ///   degrees of freedom.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model, or if a body has no inertia along its
    /// joint. After an error the contents of `out` are undefined.
    fn fd_hessian(q: Nq, v: Nv, tau: Nv, w: Nv) -> FdHessianMut {
        dq: Nv, dv: Nv, dtau: Nv, qq: Symmetric, qv: Square, vv: Symmetric, qtau: Square
    }
    by FdTwice, under Surrounding::ALL
}

declare! {
    /// Derivatives of [`fd_vjp`](crate::fd_vjp()), and its result: how the gradient of `wᵀ q̈` changes with
    /// the state.
    ///
    /// - Same as [`fd_hessian`](crate::fd_hessian()), except `out.qq`: column `e` is the change of `out.dq`
    ///   along `q ⊕ s eₑ`. Inside joints of several degrees of freedom it is not symmetric; the Hessian is
    ///   its symmetric part.
    ///
    /// # Errors
    /// Same as [`fd_hessian`](crate::fd_hessian()).
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
                scene: &Scene<T>,
                s: &mut Scratch<T>,
                x: In<T, 4>,
                y: To<T, 7>,
            ) -> Done {
                twice(scene, s, x, y, $symmetric)
            }

            /// The articulated-body recursion does not apply with mimicking joints, so the factor of M is
            /// used.
            #[inline(always)]
            fn compute_mimicking<T: Real>(
                self,
                scene: &Scene<T>,
                memory: &mut Memory<T>,
                [q, v, tau, w]: In<T, 4>,
                [dq, dv, dtau, qq, qv, vv, qtau]: To<T, 7>,
            ) -> Done {
                let (proof, model, nv) = (memory.proof(), scene.model, scene.model.nv());
                let (dq, dv, mu) = (dq.entries, dv.entries, dtau.entries);
                let (qq, qv, vv, qtau) = (qq.entries, qv.entries, vv.entries, qtau.entries);
                ltdl::factor_of(scene, memory, q)?;
                lend!(memory.scratch.second.of_fd => OfFd { squares: [minv, id_q, id_v], vectors: [qdd, rest] }, || {
                    let (qdd, rest) = (&mut qdd[..nv], &mut rest[..nv]);
                    aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?; // (1)
                    mu.copy_from_slice(w);
                    memory.scratch.ltdl.solve(model.elimination(), mu);
                    // These calls do not change the factor and the matrices.
                    let first = [&mut *rest, &mut *id_q, &mut *id_v, &mut *minv];
                    nested(Id {}, scene, memory, [q, v, qdd], first)?;
                    let second = [&mut *dq, &mut *dv, rest, &mut *qq, &mut *qv, &mut *vv, &mut *qtau];
                    nested($nested, scene, memory, [q, v, qdd, mu], second)?;
                    let s = &mut memory.scratch;
                    s.ltdl.inverse(model.elimination(), minv);
                    combine(proof, None, s, nv, minv, [id_q, id_v], [&mut *dq, &mut *dv], [qq, qv, vv, qtau]);
                    Ok(())
                })
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

/// H or N of a tree without mimicking joints. One function per step, so that code shared by several functions
/// is compiled once.
#[inline(always)]
fn twice<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, tau, w]: [&[T]; 4],
    [dq, dv, dtau, qq, qv, vv, qtau]: [MatrixMut<'_, T>; 7],
    symmetric: bool,
) -> Done {
    let (proof, tree) = (s.proof, scene.model.tree());
    let (dq, dv, mu) = (dq.entries, dv.entries, dtau.entries);
    let (qq, qv, vv, qtau) = (qq.entries, qv.entries, vv.entries, qtau.entries);
    let n = tree.dofs.len();
    lend!(s.second.of_fd => OfFd { squares: [minv, id_q, id_v], vectors: [qdd, rest] }, || {
        accelerate(scene, s, q, v, tau, qdd)?; // (1)
        mu.copy_from_slice(w);
        step!(proof, || mass::solve(tree, s, mu));
        let gradient = [&mut *dq, &mut *dv, rest];
        if FdWay::for_model(scene.model) == FdWay::Response {
            respond(scene, s, v, [&mut *id_q, &mut *id_v, &mut *qtau]);
            let out = [&mut *qq, &mut *qv, &mut *vv, &mut *minv]; // ℓ_qa is not used
            both(scene, s, (v, mu), gradient, None, out, symmetric);
            for x in [&mut *qtau, &mut *id_q, &mut *id_v] {
                couple(tree, s, x); // (5)
            }
            sum(proof, n, [id_q, id_v], [&mut *dq, &mut *dv], [&mut *qq, &mut *qv, &mut *vv]); // (4)
        } else {
            let out = [&mut *qq, &mut *qv, &mut *vv, &mut *qtau];
            both(scene, s, (v, mu), gradient, Some([&mut *id_q, &mut *id_v]), out, symmetric);
            inverse_mass(tree, s, minv);
            combine(proof, Some(tree), s, n, minv, [id_q, id_v], [&mut *dq, &mut *dv], [qq, qv, vv, qtau]);
        }
        Ok(())
    })
}

/// (2) to (4).
#[inline(always)]
fn combine<T: Real>(
    proof: Proof<T>,
    tree: Option<&Tree>,
    s: &mut Scratch<T>,
    n: usize,
    minv: &[T],
    [id_q, id_v]: [&mut [T]; 2],
    gradient: [&mut [T]; 2],
    [qq, qv, vv, qtau]: [&mut [T]; 4],
) {
    transposed(proof, n, qtau);
    multiply::negated(tree, None, s, minv, [&mut *qtau]); // −M⁻¹ ℓ_qaᵀ
    transposed(proof, n, qtau); // (3)
    multiply::negated(tree, None, s, qtau, [&mut *id_q, &mut *id_v]); // P ∂ID
    sum(proof, n, [id_q, id_v], gradient, [qq, qv, vv]); // (4)
}

/// The gradient and blocks of ℓ, from bodies that move with q̈; also ∂ID, or the factors of ℓ_qa.
#[inline(always)]
fn both<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (v, mu): (&[T], &[T]),
    [dq, dv, rest]: [&mut [T]; 3],
    mut first: Option<[&mut [T]; 2]>,
    [qq, qv, vv, qa]: [&mut [T]; 4],
    symmetric: bool,
) {
    step!(s.proof, || {
        let (tree, moving) = (scene.model.tree(), all_move_with_bodies(scene));
        id::passes(scene, s, (v, mu), [&mut *dq, &mut *dv, &mut *rest]);
        let Scratch { bodies, id, second, .. } = &mut *s;
        if let Some([id_q, id_v]) = &mut first {
            idsva::columns(tree, bodies, id, rest);
            if !moving {
                for (c, dof) in tree.dofs.iter().enumerate() {
                    id.columns.sub_t3(c, second.curvature[dof.body].W.behind(bodies.S.get(c)));
                }
            }
            id.rows.fill(tree, &id.columns, &mut [&mut **id_q, &mut **id_v], false);
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
        id::blocks(scene, s, (v, mu), [&mut *qq, &mut *qv, &mut *vv, &mut *qa], false, symmetric);
    });
}

#[inline(always)]
fn transposed<T: Real>(proof: Proof<T>, n: usize, matrix: &mut [T]) {
    step!(proof, || transpose::transpose(n, matrix));
}

/// (2), (4), where `id_q` and `id_v` are P ∂ID.
#[inline(always)]
fn sum<T: Real>(
    proof: Proof<T>,
    n: usize,
    [id_q, id_v]: [&mut [T]; 2],
    [dq, dv]: [&mut [T]; 2],
    [qq, qv, vv]: [&mut [T]; 3],
) {
    step!(proof, || {
        transpose::add_transpose(n, id_q);
        subtract_from(id_q, qq);
        subtract_from(id_v, qv);
        for x in vv.iter_mut().chain(&mut *dq).chain(&mut *dv) {
            *x = -*x;
        }
    });
}

/// `x ← y − x`.
#[inline(always)]
fn subtract_from<T: Real>(y: &[T], x: &mut [T]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x = y - *x;
    }
}
