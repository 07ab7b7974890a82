//! The complete second derivatives of forward dynamics, from those of inverse dynamics.
//!
//! ```text
//! q̈ = FD(q, q̇, τ)            ID and its derivatives at that q̈                                            (1)
//! E_j = −M⁻¹ ID_qa[·, j, ·]                                       a matrix for every q_j                 (2)
//! qq[·, j, k] = −M⁻¹ ID_qq[·, j, k] + E_j ∂q̈/∂q_k + E_k ∂q̈/∂q_j                                         (3)
//! qv[·, j, k] = −M⁻¹ ID_qv[·, j, k] + E_j ∂q̈/∂q̇_k                 vv[·, j, k] = −M⁻¹ ID_vv[·, j, k]       (4)
//! qτ[·, j, k] = E_j M⁻¹[·, k]                                     vτ = ττ = 0                            (5)
//! ```
//!
//! Source: ID(q, q̇, FD(q, q̇, τ)) = τ, differentiated twice. The cost is O(N³ d): the columns that M⁻¹
//! multiplies are non-zero only on the path to one of their directions and in its subtree, and so are those
//! of E_j. The result itself is dense.

use super::tensor::{IdTensors, whole};
use crate::derivatives::fd::accelerate;
use crate::derivatives::stiffness::all_move_with_bodies;
use crate::derivatives::{Id, idsva};
use crate::dispatch::{Proof, step};
use crate::door::Size::{Cube, Nq, Nv, SymmetricCube};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, nested};
use crate::dynamics::minverse::inverse_mass;
use crate::dynamics::{aba, ltdl};
use crate::engines::{Memory, Scratch};
use crate::error::Error;
use crate::linalg::multiply;
use crate::matrix::{MatrixMut, Tensor};
use crate::model::{Model, Tree};
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use alloc::vec::Vec;

/// Second derivatives of q̈: the result of [`fd_second_derivatives`], 4 nv³ numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct FdSecondDerivatives<T> {
    /// ∂²q̈/∂q².
    pub qq: Tensor<T>,
    /// ∂²q̈/∂q∂q̇.
    pub qv: Tensor<T>,
    /// ∂²q̈/∂q̇².
    pub vv: Tensor<T>,
    /// ∂²q̈/∂q∂τ.
    pub qtau: Tensor<T>,
}

impl<T: Real> FdSecondDerivatives<T> {
    /// Allocates the result for a model.
    ///
    /// # Errors
    /// If memory cannot be allocated, of kind [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn new(model: &Model) -> Result<Self, Error> {
        let [qq, qv, vv, qtau] = Tensor::several(model)?;
        Ok(Self { qq, qv, vv, qtau })
    }
}

/// Output buffers of [`fd_second_derivatives`]: borrow an [`FdSecondDerivatives`], or pass your own slices.
/// In a batch every array has states × its size.
#[derive(Debug)]
pub struct FdSecondDerivativesMut<'a, T> {
    /// ∂²q̈ᵢ/∂q_j∂q_k: nv × nv × nv, i fastest, then j; symmetric in j and k.
    pub qq: MatrixMut<'a, T>,
    /// ∂²q̈ᵢ/∂q_j∂q̇_k.
    pub qv: MatrixMut<'a, T>,
    /// ∂²q̈ᵢ/∂q̇_j∂q̇_k, symmetric in j and k.
    pub vv: MatrixMut<'a, T>,
    /// ∂²q̈ᵢ/∂q_j∂τ_k = ∂(M⁻¹)ᵢₖ/∂q_j.
    pub qtau: MatrixMut<'a, T>,
}

impl<'a, T> From<&'a mut FdSecondDerivatives<T>> for FdSecondDerivativesMut<'a, T> {
    fn from(out: &'a mut FdSecondDerivatives<T>) -> Self {
        let FdSecondDerivatives { qq, qv, vv, qtau } = out;
        Self { qq: qq.into(), qv: qv.into(), vv: vv.into(), qtau: qtau.into() }
    }
}

declare! {
    /// The complete second derivatives of [`aba`](crate::aba()), in O(N³ d) with `d` the depth of the tree.
    ///
    /// - `q` (nq), `v`, `tau` (nv); every array of `out` is `nv × nv × nv`, complete, ordered as in
    ///   [`id_second_derivatives`](crate::id_second_derivatives()): number `i + nv (j + nv k)` of `out.qtau`
    ///   is `∂²q̈ᵢ/∂q_j∂τ_k`.
    /// - `out.qq` is, for every i, the Hessian of `δ ↦ q̈ᵢ(q ⊕ δ)` at zero; it and `out.vv` are symmetric in
    ///   j and k, bit for bit. The derivatives ∂²q̈/∂q̇∂τ and ∂²q̈/∂τ² are zero.
    /// - External forces, joint effects and mimicking joints are included, as in
    ///   [`fd_derivatives`](crate::fd_derivatives()).
    /// - To contract them with a covector, use [`fd_hessian`](crate::fd_hessian()) instead.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model, or if a body has no inertia along its
    /// joint. After an error the contents of `out` are undefined.
    fn fd_second_derivatives(q: Nq, v: Nv, tau: Nv) -> FdSecondDerivativesMut {
        qq: SymmetricCube, qv: Cube, vv: SymmetricCube, qtau: Cube
    }
    by FdTensors, under Surrounding::ALL
}

impl Algorithm<3, 4> for FdTensors {
    const RESERVES: bool = true;
    const SQUARES: usize = SQUARES + 1;
    const MIMICRY: Mimicry = Mimicry::Own;

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        IdTensors {}.reserve(model, s);
        s.id.make_room(model.tree());
        s.minverse.make_room(model.tree());
        s.ltdl.make_room(model);
        s.fd_tensor.make_room(model);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau]: In<T, 3>,
        [qq, qv, vv, qtau]: To<T, 4>,
    ) -> Done {
        let (proof, tree) = (s.proof, scene.model.tree());
        let (qq, qv, vv, qtau) = (qq.entries, qv.entries, vv.entries, qtau.entries);
        lend!(s.fd_tensor => Room { squares, vectors: [qdd, rest] }, || {
            accelerate(scene, s, q, v, tau, qdd)?; // (1)
            whole(scene, s, v, [&mut *qq, &mut *qv, &mut *vv, &mut *qtau], false);
            let [minv, id_q, id_v, ..] = &mut *squares;
            first(scene, s, v, rest, [id_q, id_v]);
            inverse_mass(tree, s, minv);
            combine(proof, Some(tree), s, tree.dofs.len(), squares, [&mut *qq, &mut *qv, &mut *vv, &mut *qtau]);
            Ok(())
        })
    }

    /// The articulated-body recursion does not apply with mimicking joints, so the factor of M is used.
    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, v, tau]: In<T, 3>,
        [qq, qv, vv, qtau]: To<T, 4>,
    ) -> Done {
        let (proof, model, nv) = (memory.proof(), scene.model, scene.model.nv());
        let (qq, qv, vv, qtau) = (qq.entries, qv.entries, vv.entries, qtau.entries);
        ltdl::factor_of(scene, memory, q)?;
        lend!(memory.scratch.fd_tensor => Room { squares, vectors: [qdd, rest] }, || {
            let (qdd, rest) = (&mut qdd[..nv], &mut rest[..nv]);
            let [minv, id_q, id_v, ..] = &mut *squares;
            aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?; // (1)
            // These calls do not change the factor and the matrices.
            nested(Id {}, scene, memory, [q, v, qdd], [rest, &mut id_q[..], &mut id_v[..], &mut minv[..]])?;
            nested(IdTensors {}, scene, memory, [q, v, qdd], [&mut *qq, &mut *qv, &mut *vv, &mut *qtau])?;
            let s = &mut memory.scratch;
            s.ltdl.inverse(model.elimination(), minv);
            combine(proof, None, s, nv, squares, [&mut *qq, &mut *qv, &mut *vv, &mut *qtau]);
            Ok(())
        })
    }
}

/// M⁻¹, −∂q̈/∂q, −∂q̈/∂q̇; E and the matrices it is multiplied with.
const SQUARES: usize = 6;

/// Workspace for matrices, allocated on request.
#[derive(Debug, Default)]
pub(crate) struct Room<T> {
    squares: [Vec<T>; SQUARES],
    /// q̈, and unused torques.
    vectors: [Vec<T>; 2],
}

impl<T: Real> Room<T> {
    pub(crate) fn new() -> Self {
        Self { squares: Default::default(), vectors: Default::default() }
    }

    fn make_room(&mut self, model: &Model) {
        let (nv, dofs) = (model.nv(), model.tree().dofs.len());
        self.squares.iter_mut().for_each(|square| square.resize(nv * nv, T::zero()));
        self.vectors.iter_mut().for_each(|vector| vector.resize(dofs, T::zero()));
    }
}

/// ∂ID, from the subtree sums computed for the tensors.
#[inline(always)]
fn first<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, v: &[T], rest: &mut [T], [id_q, id_v]: [&mut [T]; 2]) {
    step!(s.proof, || {
        let Scratch { bodies, id, .. } = &mut *s;
        let (tree, moving) = (scene.model.tree(), all_move_with_bodies(scene));
        idsva::columns(tree, bodies, id, rest);
        if !moving {
            for (c, dof) in tree.dofs.iter().enumerate() {
                id.columns.sub_t3(c, id.stiffness[dof.body].behind(bodies.S.get(c)));
            }
        }
        id.rows.fill(tree, &id.columns, &mut [&mut *id_q, &mut *id_v], false);
        if !moving {
            idsva::add_stiffness_below(tree, bodies, |i| &id.stiffness[i], id_q);
        }
        JointEffects::of(scene).add_stiffness(tree, id_q);
        JointEffects::of(scene).add_resistance_slopes(tree, v, id_v);
    });
}

/// (2) to (5), from M⁻¹ and ∂ID in the first matrices.
#[inline(always)]
fn combine<T: Real>(
    proof: Proof<T>,
    tree: Option<&Tree>,
    s: &mut Scratch<T>,
    n: usize,
    [minv, id_q, id_v, E, x, y]: &mut [Vec<T>; SQUARES],
    [qq, qv, vv, qtau]: [&mut [T]; 4],
) {
    for k in 0..n {
        let matrix = k * n * n..(k + 1) * n * n;
        multiply::negated(tree, None, s, minv, [&mut qq[matrix.clone()], &mut qv[matrix.clone()]]);
        multiply::negated(tree, None, s, minv, [&mut vv[matrix]]);
    }
    multiply::negated(tree, None, s, minv, [id_q, id_v]);
    for j in 0..n {
        for m in 0..n {
            E[m * n..][..n].copy_from_slice(&qtau[(m * n + j) * n..][..n]);
        }
        multiply::negated(tree, None, s, minv, [E]); // (2)
        x.copy_from_slice(id_q);
        y.copy_from_slice(id_v);
        multiply::negated(tree, Some(j), s, E, [&mut *x, &mut *y]); // −E ∂q̈
        step!(proof, || add(n, j, [x, y], [qq, qv])); // (3), (4)
        x.copy_from_slice(minv);
        multiply::negated(tree, Some(j), s, E, [x]);
        for k in 0..n {
            for (out, &x) in qtau[(k * n + j) * n..][..n].iter_mut().zip(&x[k * n..][..n]) {
                *out = -x; // (5)
            }
        }
    }
}

/// Subtracts E_j ∂q̈ from the tensors.
#[inline(always)]
fn add<T: Real>(n: usize, j: usize, [x, y]: [&[T]; 2], [qq, qv]: [&mut [T]; 2]) {
    for k in 0..n {
        // Both orders, one after the other, so that (j, k) and (k, j) add the same terms in the same order.
        for at in [(k * n + j) * n, (j * n + k) * n] {
            subtract(&mut qq[at..][..n], &x[k * n..][..n]);
        }
        subtract(&mut qv[(k * n + j) * n..][..n], &y[k * n..][..n]);
    }
}

#[inline(always)]
fn subtract<T: Real>(x: &mut [T], y: &[T]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x -= y;
    }
}
