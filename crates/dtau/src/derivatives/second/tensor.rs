//! The second derivatives of τ, whole: three-index arrays. The passes are those of [`idsva`], the entries are in [`triples`].
//!
//! ```text
//! qq[i, j, k] = ∂²τᵢ/∂q_j∂q_k      qv[i, j, k] = ∂²τᵢ/∂q_j∂q̇_k                                     (1)
//! vv[i, j, k] = ∂²τᵢ/∂q̇_j∂q̇_k      qa[i, j, k] = ∂²τᵢ/∂q_j∂q̈_k = ∂M_ik/∂q_j                        (2)
//! ```
//!
//! τ is linear in q̈ and has no term in q̇ q̈, so that is all of it. For every i, qq is the Hessian H of δ ↦ τᵢ(q ⊕ δ), symmetric in j and
//! k; contracted with w over i the four are those of [`id_hessian`](crate::id_hessian()).

use super::stiffness;
use super::triples::{self, Deeper, Row, Tensors, Upper};
use crate::derivatives::idsva::{self, Rates};
use crate::derivatives::stiffness::{all_move_with_bodies, of_subtrees};
use crate::dispatch::{Register, Step, step};
use crate::door::Size::{Cube, Nq, Nv, SymmetricCube};
use crate::door::{Algorithm, Done, Out, Surrounding, declare};
use crate::engines::Scratch;
use crate::error::Error;
use crate::matrix::{MatrixMut, Tensor};
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Coriolis, Force, InertiaRate, Vec3};
use crate::sweeps::bodies::{Bodies, Load};
use crate::sweeps::side_by_side::SideBySide;

/// The second derivatives of τ, to be filled by [`id_second_derivatives`]: 4 nv³ numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct IdSecondDerivatives<T> {
    /// Twice by q.
    pub qq: Tensor<T>,
    /// By q and q̇.
    pub qv: Tensor<T>,
    /// Twice by q̇.
    pub vv: Tensor<T>,
    /// By q and q̈.
    pub qa: Tensor<T>,
}

impl<T: Real> IdSecondDerivatives<T> {
    /// Room for the derivatives of a model.
    ///
    /// # Errors
    /// If there is no memory, of kind [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn new(model: &Model) -> Result<Self, Error> {
        let [qq, qv, vv, qa] = Tensor::several(model)?;
        Ok(Self { qq, qv, vv, qa })
    }
}

/// Where [`id_second_derivatives`] writes: an [`IdSecondDerivatives`], or memory of yours. In a batch every array is states × its size.
#[derive(Debug)]
pub struct IdSecondDerivativesMut<'a, T> {
    /// ∂²τᵢ/∂q_j∂q_k: nv × nv × nv, i fastest, then j; symmetric in j and k.
    pub qq: MatrixMut<'a, T>,
    /// ∂²τᵢ/∂q_j∂q̇_k.
    pub qv: MatrixMut<'a, T>,
    /// ∂²τᵢ/∂q̇_j∂q̇_k, symmetric in j and k.
    pub vv: MatrixMut<'a, T>,
    /// ∂²τᵢ/∂q_j∂q̈_k.
    pub qa: MatrixMut<'a, T>,
}

impl<'a, T> From<&'a mut IdSecondDerivatives<T>> for IdSecondDerivativesMut<'a, T> {
    fn from(out: &'a mut IdSecondDerivatives<T>) -> Self {
        let IdSecondDerivatives { qq, qv, vv, qa } = out;
        Self { qq: qq.into(), qv: qv.into(), vv: vv.into(), qa: qa.into() }
    }
}

declare! {
    /// The second derivatives of [`rnea`](crate::rnea()), whole, in O(N d²) with `d` the depth of the tree.
    ///
    /// - `q` (nq), `v`, `a` (nv); every array of `out` is `nv × nv × nv`, complete. Its number `i + nv (j + nv k)` is the derivative of τᵢ by
    ///   the j-th number of the first letter and the k-th of the second: `out.qv` is `∂²τᵢ/∂q_j∂q̇_k`. So matrix `k`, by columns, is the
    ///   derivative of `∂τ/∂q` along the k-th direction.
    /// - `out.qq` is, for every i, the Hessian of `δ ↦ τᵢ(q ⊕ δ)` at zero, as that of [`id_hessian`](crate::id_hessian()); it and `out.vv` are
    ///   symmetric in j and k, bit for bit. Derivatives by `v` and `a`, and twice by `a`, are zero.
    /// - External forces, friction and mimicking joints are in it, as in [`id_derivatives`](crate::id_derivatives()).
    /// - Who multiplies them with a covector afterwards should ask for [`id_hessian`](crate::id_hessian()), which costs no more than the first
    ///   derivatives.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model.
    fn id_second_derivatives(q: Nq, v: Nv, a: Nv) -> IdSecondDerivativesMut {
        qq: SymmetricCube, qv: Cube, vv: SymmetricCube, qa: Cube
    }
    by IdTensors, under Surrounding::ALL, zeros of tree
}

impl Algorithm<3, 4> for IdTensors {
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q, v, a]: [&[T]; 3],
        y: [Out<'_, T>; 4],
    ) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, bodies, .. } = s;
        bodies.move_all::<true>(tree, turns.update(tree, q), q, v, Some(a), Vec3::lift(scene.gravity));
        bodies.weigh(tree);
        let [qq, qv, vv, qa] = y;
        let zeros_in_place = qq.zeros_in_place;
        let out = [qq.entries, qv.entries, vv.entries, qa.entries];
        step(s.proof, Whole { scene, s, v, out, zeros_in_place });
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        model.tree().path_runs();
        s.tensor.make_room(model.tree());
    }
}

/// Room for the tensors: O(N), and what the fill needs when it is asked for.
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    deeper: SideBySide<T, Deeper<Register<T>>>,
    rows: SideBySide<T, Row<Register<T>>>,
    fill: triples::Room<T>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { deeper: SideBySide::new(tree), rows: SideBySide::new(tree), fill: triples::Room::new() }
    }

    pub(super) fn make_room(&mut self, tree: &Tree) {
        self.fill.make_room(tree);
    }
}

/// The tensors of bodies that move and have inertia. A step of its own, since two functions take it.
pub(super) struct Whole<'a, T: Real> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) v: &'a [T],
    pub(super) out: Tensors<'a, T>,
    pub(super) zeros_in_place: bool,
}

impl<T: Real> Step for Whole<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s, v, out, zeros_in_place } = self;
        tensors(scene, s, v, out, zeros_in_place);
    }
}

#[inline(always)]
fn tensors<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    v: &[T],
    [qq, qv, vv, qa]: Tensors<'_, T>,
    zeros_in_place: bool,
) {
    let (tree, moving, effects) = (scene.model.tree(), all_move_with_bodies(scene), JointEffects::of(scene));
    let n = tree.dofs.len();
    let Scratch { bodies, id, tensor: room, second, .. } = s;
    bodies.load_all();
    bodies.push(scene);
    idsva::rates(tree, bodies, id);
    idsva::sum_subtrees(tree, bodies, id);
    by_dof(bodies, id, room);
    if !moving {
        of_subtrees(scene, tree, bodies, &mut id.stiffness);
        for (c, dof) in tree.dofs.iter().enumerate() {
            let t3 = -id.stiffness[dof.body].behind(bodies.S.get(c));
            room.deeper.add_field::<Force<T>, _>(c, |x| &mut x.t3, t3);
        }
    }
    room.fill.put_rows(&room.rows);
    let Room { deeper, fill, .. } = room;
    fill.fill(tree, &bodies.S, &id.rates, deeper, [&mut *qq, qv, &mut *vv, qa], zeros_in_place);
    if !moving {
        stiffness::add_to_tensor(scene, bodies, second, qq);
    }
    symmetrise_joints(tree, qq);
    symmetrise_joints(tree, vv);
    for k in 0..n {
        let at = (k * n + k) * n + k;
        vv[at] += effects.friction_curvature::<T>(tree, k, v[k]);
    }
}

/// What a direction is as a row, as the deeper one of two, and as the upper one.
#[inline(always)]
fn by_dof<T: Real>(bodies: &Bodies<T>, id: &idsva::Room<T>, room: &mut Room<T>) {
    let by_dof =
        bodies.S.neighbours.iter().zip(&bodies.load.neighbours).zip(&id.B.neighbours).zip(&id.rates.neighbours);
    let to = room.deeper.neighbours.iter_mut().zip(&mut room.rows.neighbours).zip(&mut room.fill.upper);
    for ((((&S, &Load { I, f }), B), rates), ((deeper, row), upper)) in by_dof.zip(to) {
        let &Rates { psi_dot, psi_ddot, rate } = rates;
        let t1 = I * S;
        let t2 = B.mul_add(S.ang, I * rate);
        let t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot));
        let L = Coriolis::of_body(&I, S, t1);
        let seen = Coriolis::of_body(&I, psi_dot, I * psi_dot);
        *deeper = Deeper { t1, t2, t3, I_rate: InertiaRate::of(&I, S), B_rate: B.rate(S, seen), L };
        *row = Row { S, t1, t4: B.tr_mul(S), L };
        *upper = Upper {
            psi_ddot: psi_ddot.to_array(),
            rate: rate.to_array(),
            S: S.to_array(),
            psi_dot: psi_dot.ang.to_array(),
        };
    }
}

/// The mean of both orders of two directions of one joint: H of N, and what is symmetric of (4) of [`triples`].
#[inline(always)]
fn symmetrise_joints<T: Real>(tree: &Tree, tensor: &mut [T]) {
    let (n, half) = (tree.dofs.len(), T::from_f64(0.5));
    for &i in &tree.wide_joints {
        let v = tree.bodies[i].v.clone();
        for k in v.clone() {
            for j in k + 1..v.end {
                let (low, high) = tensor.split_at_mut((j * n + k) * n);
                for (a, b) in low[(k * n + j) * n..][..n].iter_mut().zip(&mut high[..n]) {
                    let mean = (*a + *b) * half;
                    (*a, *b) = (mean, mean);
                }
            }
        }
    }
}
