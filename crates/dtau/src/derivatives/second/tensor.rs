//! The complete second derivatives of τ: three-index arrays. The passes are those of [`idsva`]; the entries
//! are in [`triples`].
//!
//! ```text
//! qq[i, j, k] = ∂²τᵢ/∂q_j∂q_k      qv[i, j, k] = ∂²τᵢ/∂q_j∂q̇_k                                     (1)
//! vv[i, j, k] = ∂²τᵢ/∂q̇_j∂q̇_k      qa[i, j, k] = ∂²τᵢ/∂q_j∂q̈_k = ∂M_ik/∂q_j                        (2)
//! ```
//!
//! τ is linear in q̈ and has no term in q̇ q̈, so there are no others. For every i, qq is the Hessian H of
//! δ ↦ τᵢ(q ⊕ δ), symmetric in j and k. Contracted with w over i, the four are those of
//! [`id_hessian`](crate::id_hessian()).

use super::stiffness;
use super::triples::{self, Deeper, Row, Tensors, Upper};
use crate::derivatives::idsva::{self, Rates};
use crate::derivatives::stiffness::{all_move_with_bodies, of_subtrees};
use crate::dispatch::{Proof, Register, Widest, step};
use crate::door::Size::{Cube, Nq, Nv, SymmetricCube};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::error::Error;
use crate::matrix::{MatrixMut, Tensor};
use crate::model::{Model, Tree};
use crate::room::lend;
use crate::scalar::{Join, Real, Wide};
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Coriolis, Force, InertiaRate, Joined, Lanewise, Motion, Vec3};
use crate::sweeps::bodies::{Bodies, Load};

/// Second derivatives of τ: the result of [`id_second_derivatives`], 4 nv³ numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct IdSecondDerivatives<T> {
    /// ∂²τ/∂q².
    pub qq: Tensor<T>,
    /// ∂²τ/∂q∂q̇.
    pub qv: Tensor<T>,
    /// ∂²τ/∂q̇².
    pub vv: Tensor<T>,
    /// ∂²τ/∂q∂q̈.
    pub qa: Tensor<T>,
}

impl<T: Real> IdSecondDerivatives<T> {
    /// Allocates the result for a model.
    ///
    /// # Errors
    /// If memory cannot be allocated, of kind [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn new(model: &Model) -> Result<Self, Error> {
        let [qq, qv, vv, qa] = Tensor::several(model)?;
        Ok(Self { qq, qv, vv, qa })
    }
}

/// Output buffers of [`id_second_derivatives`]: borrow an [`IdSecondDerivatives`], or pass your own slices.
/// In a batch every array has states × its size.
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
    /// The complete second derivatives of [`rnea`](crate::rnea()), in O(N d²) with `d` the depth of the tree.
    ///
    /// - `q` (nq), `v`, `a` (nv); every array of `out` is `nv × nv × nv`, complete. Its number
    ///   `i + nv (j + nv k)` is the derivative of τᵢ with respect to the j-th number of the first letter and
    ///   the k-th of the second: `out.qv` is `∂²τᵢ/∂q_j∂q̇_k`. So matrix `k`, by columns, is the derivative
    ///   of `∂τ/∂q` along the k-th direction.
    /// - `out.qq` is, for every i, the Hessian of `δ ↦ τᵢ(q ⊕ δ)` at zero, like that of
    ///   [`id_hessian`](crate::id_hessian()); it and `out.vv` are symmetric in j and k, bit for bit. The
    ///   derivatives ∂²τ/∂q̇∂q̈ and ∂²τ/∂q̈² are zero.
    /// - External forces, friction and mimicking joints are included, as in
    ///   [`id_derivatives`](crate::id_derivatives()).
    /// - To contract them with a covector, use [`id_hessian`](crate::id_hessian()) instead, which costs no
    ///   more than the first derivatives.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model.
    fn id_second_derivatives(q: Nq, v: Nv, a: Nv) -> IdSecondDerivativesMut {
        qq: SymmetricCube, qv: Cube, vv: SymmetricCube, qa: Cube
    }
    by IdTensors, under Surrounding::ALL, zeros of tree
}

impl Algorithm<3, 4> for IdTensors {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, y: To<T, 4>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, bodies, .. } = s;
        bodies.move_all::<true>(tree, turns.update(tree, q), q, v, Some(a), Vec3::lift(scene.gravity));
        bodies.weigh(tree);
        let [qq, qv, vv, qa] = y;
        let zeros_in_place = qq.zeros_in_place;
        let out = [qq.entries, qv.entries, vv.entries, qa.entries];
        whole(scene, s, v, out, zeros_in_place);
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        model.tree().path_runs();
        s.tensor.make_room(model.tree());
    }
}

/// Workspace of the tensors, allocated on request, in the widest registers of this CPU.
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    widest: Option<Proof<Widest<T>>>,
    of_widest: triples::Room<T, Widest<T>>,
    of_register: triples::Room<T, Register<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new() -> Self {
        let widest = if <Widest<T> as Join<Register<T>>>::PARTS > 1 { Proof::find() } else { None };
        Self { widest, of_widest: triples::Room::default(), of_register: triples::Room::default() }
    }

    fn make_room(&mut self, tree: &Tree) {
        match self.widest {
            Some(_) => self.of_widest.make_room(tree),
            None => self.of_register.make_room(tree),
        }
    }
}

/// Computes the tensors from bodies that have motions and inertias.
#[inline(always)]
pub(super) fn whole<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    v: &[T],
    mut out: Tensors<'_, T>,
    zeros_in_place: bool,
) {
    match s.tensor.widest {
        Some(proof) => {
            lend!(s.tensor.of_widest => fill, || whole_in(proof, scene, s, v, fill, &mut out, zeros_in_place))
        }
        None => lend!(s.tensor.of_register => fill, || whole_in(s.proof, scene, s, v, fill, &mut out, zeros_in_place)),
    }
}

/// [`whole`] in registers `W`. Shared by two functions.
#[inline(always)]
fn whole_in<T: Real, W: Wide<T> + Join<Register<T>>, P: Real>(
    proof: Proof<P>,
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    v: &[T],
    fill: &mut triples::Room<T, W>,
    [qq, qv, vv, qa]: &mut Tensors<'_, T>,
    zeros_in_place: bool,
) {
    step!(proof, || {
        let (tree, moving, effects) = (scene.model.tree(), all_move_with_bodies(scene), JointEffects::of(scene));
        let n = tree.dofs.len();
        let Scratch { bodies, id, second, .. } = &mut *s;
        bodies.load_all();
        bodies.push(scene);
        idsva::rates(tree, bodies, id);
        idsva::sum_subtrees(tree, bodies, id);
        by_dof(bodies, id, fill);
        if !moving {
            of_subtrees(scene, tree, bodies, &mut id.stiffness);
            for (c, dof) in tree.dofs.iter().enumerate() {
                let (t3, lane) = (&mut fill.deeper[c / W::WIDTH].t3, c % W::WIDTH);
                let seen: Force<T> = t3.lane(lane);
                t3.set_lane(lane, seen - id.stiffness[dof.body].behind(bodies.S.get(c)));
            }
        }
        fill.fill(tree, [&mut **qq, &mut **qv, &mut **vv, &mut **qa], zeros_in_place);
        if !moving {
            stiffness::add_to_tensor(scene, bodies, second, qq);
        }
        symmetrise_joints(tree, qq);
        symmetrise_joints(tree, vv);
        for k in 0..n {
            let at = (k * n + k) * n + k;
            vv[at] += effects.friction_curvature::<T>(tree, k, v[k]);
        }
    });
}

/// Quantities of every direction as a row, as the deeper one of two, and as the upper one.
#[inline(always)]
fn by_dof<T: Real, W: Wide<T> + Join<Register<T>>>(
    bodies: &Bodies<T>,
    id: &idsva::Room<T>,
    fill: &mut triples::Room<T, W>,
) {
    let (S, load, B, rates) = (&bodies.S.neighbours, &bodies.load.neighbours, &id.B.neighbours, &id.rates.neighbours);
    let last = S.len() - 1;
    for (group, (deeper, (row, upper))) in
        fill.deeper.iter_mut().zip(fill.rows.iter_mut().zip(&mut fill.upper)).enumerate()
    {
        let part = |k| last.min(group * W::PARTS + k); // values after the last are not used
        let S: Motion<W> = Joined::join(|k| &S[part(k)]);
        let Load { I, f } = Joined::join(|k| &load[part(k)]);
        let B: Coriolis<W> = Joined::join(|k| &B[part(k)]);
        let Rates { psi_dot, psi_ddot, rate } = Joined::join(|k| &rates[part(k)]);
        let t1 = I * S;
        let t2 = B.mul_add(S.ang, I * rate);
        let t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot));
        let L = Coriolis::of_body(&I, S, t1);
        let seen = Coriolis::of_body(&I, psi_dot, I * psi_dot);
        let (I_rate, B_rate) = (InertiaRate::of(&I, S), B.rate(S, seen));
        *deeper = Deeper { S, psi_dot, t1, t2, t3, I_rate, B_rate, L };
        *row = Row { S, t1, t4: B.tr_mul(S), L };
        *upper = Upper {
            S: S.to_array(),
            psi_dot: psi_dot.ang.to_array(),
            psi_ddot: psi_ddot.to_array(),
            rate: rate.to_array(),
        };
    }
}

/// Mean of both orders of two directions of one joint: turns N into H, and takes the symmetric part of (4) of
/// [`triples`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::door::Counts;
    use crate::door::nested;
    use crate::engines::Memory;
    use crate::model::{Options, Root, generate};
    use crate::scalar::Native;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Registers of another width change the layout of the rows but not the results, bit for bit.
    #[test]
    fn the_width_of_registers_does_not_matter() {
        type T = Native<f64>;
        let Some(proof) = Proof::<T>::find() else { return }; // this CPU does not support these scalars
        let options = Options { root: Root::Floating, ..Options::default() };
        let mut models: Vec<Model> = (0..6)
            .map(|seed| Model::build(&generate::random_tree(seed, 4 + 3 * seed as usize), &options).unwrap())
            .collect();
        models.extend([1, 3, 8, 9, 17].map(|n| Model::build(&generate::chain(n), &Options::default()).unwrap()));
        for model in &models {
            let (n, random) = (model.nv(), &mut Random::seeded(5));
            let q: Vec<T> = model.random_configuration(random).into_iter().map(Native).collect();
            let mut vector = || (0..n).map(|_| Native(random.within(-1.0, 1.0))).collect::<Vec<T>>();
            let (v, a, mut results) = (vector(), vector(), Vec::new());
            for widest in [true, false] {
                let mut memory = Memory::<T>::new(model, proof);
                if !widest {
                    memory.scratch.tensor.widest = None;
                }
                memory.reserve_for(IdTensors {}, model, Counts { columns: n, rows: 0 }).unwrap();
                // The zeros are not in place, so every number must be written.
                let mut out = vec![vec![Native(f64::NAN); n * n * n]; 4];
                let mut entries = out.iter_mut();
                let y = core::array::from_fn(|_| &mut entries.next().unwrap()[..]);
                let scene: Scene<'_, f64> = model.into();
                assert!(nested(IdTensors {}, scene.recast(), &mut memory, [&q, &v, &a], y).is_ok());
                results.push(out.concat().iter().map(|x| x.0.to_bits()).collect::<Vec<u64>>());
            }
            assert!(results[0] == results[1], "{n} directions");
            assert!(results[0].iter().all(|&bits| f64::from_bits(bits).is_finite()));
        }
    }
}
