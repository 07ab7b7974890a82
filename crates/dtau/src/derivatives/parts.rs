//! Inputs of the matrix fills, by degree of freedom. Generated code has the sweeps written out, and fills
//! with its own loops.
//!
//! Not part of the public interface. For trees without mimicking joints, models without `Options::exact`, and
//! scenes without wrenches.

pub use crate::constraints::parts::{PartsOfSides, parts_of_constrained_fd, parts_of_impulse};

use super::idsva;
use crate::dispatch::{Proof, Register};
use crate::dynamics::{crba, minverse};
use crate::engines::Memory;
use crate::error::Error;
use crate::linalg::six;
use crate::model::Model;
use crate::scalar::{Real, Wide};
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use alloc::vec;
use alloc::vec::Vec;

/// Input of the fill of ∂τ: (5) and (6) of IDSVA.
#[derive(Clone, Debug)]
pub struct PartsOfId<T> {
    /// The torques.
    pub tau: Vec<T>,
    /// S, t₁, t₄, t₃, t₂, Ψ̈, Ṡ + Ψ̇, and the angular part of Ψ̇, for every degree of freedom.
    pub of_dof: Vec<[T; 42]>,
    /// Joint terms on the diagonal of ∂τ/∂q.
    pub stiffness: Vec<T>,
    /// Joint terms on the diagonal of ∂τ/∂q̇.
    pub slopes: Vec<T>,
    /// Joint terms on the diagonal of ∂τ/∂q̈.
    pub armature: Vec<T>,
}

/// The parts of [`id_derivatives`](crate::id_derivatives()).
///
/// # Errors
/// Returns `None` if the lengths fit.
pub fn parts_of_id<T: Real>(model: &Model, q: &[T], v: &[T], a: &[T]) -> Result<PartsOfId<T>, Error> {
    let (mut memory, scene) = (memory(model), Scene::<T>::from(model));
    let (tree, effects, s) = (model.tree(), JointEffects::of(&scene), &mut memory.scratch);
    s.id.make_room(tree);
    let mut tau = vec![T::zero(); tree.dofs.len()];
    s.bodies.move_all::<true>(tree, s.turns.update(tree, q), q, v, Some(a), Vec3::lift(scene.gravity));
    s.bodies.weigh(tree);
    s.bodies.load_all();
    idsva::rates(tree, &s.bodies, &mut s.id);
    idsva::sum_subtrees(tree, &mut s.bodies, &mut s.id);
    idsva::columns(tree, &s.bodies, &mut s.id, &mut tau);
    effects.add_torques(tree, q, v, a, &mut tau);
    let of_dof = (0..tree.dofs.len()).map(|k| s.id.rows.parts(&s.id.columns, k)).collect();
    let slopes = (0..tree.dofs.len()).map(|k| match effects.resist() {
        true => effects.resistance_slope(tree, k, v[k]),
        false => T::zero(),
    });
    let slopes = slopes.collect();
    let stiffness = (0..tree.dofs.len()).map(|k| effects.stiffness(tree, k)).collect();
    Ok(PartsOfId { tau, of_dof, stiffness, slopes, armature: armature(model, &effects) })
}

/// Input of the fill of M: S and t₁ = Iᶜ S of every degree of freedom, and the armature on the diagonal.
///
/// # Errors
/// Returns `None` if the lengths fit.
pub fn parts_of_mass<T: Real>(model: &Model, q: &[T]) -> Result<(Vec<[T; 12]>, Vec<T>), Error> {
    let (mut memory, scene) = (memory(model), Scene::<T>::from(model));
    let (tree, s) = (model.tree(), &mut memory.scratch);
    s.bodies.place(tree, s.turns.update(tree, q), q);
    s.bodies.weigh(tree);
    let crba::Room { axes, t1 } = &mut s.crba;
    crba::inward(tree, &mut s.bodies, axes, t1);
    let six = |blocks: &[six::Block<Register<T>>], k| six::get::<T>(blocks, k).map(|x| x.lane(0));
    let of_dof = (0..tree.dofs.len()).map(|k| both(six(axes, k), six(t1, k))).collect();
    Ok((of_dof, armature(model, &JointEffects::of(&scene))))
}

/// Input for M⁻¹: S, U/D and 1/D of every degree of freedom.
///
/// # Errors
/// If a body has no inertia along its joint.
pub fn parts_of_inverse<T: Real>(model: &Model, q: &[T]) -> Result<Vec<[T; 13]>, Error> {
    let (mut memory, scene) = (memory(model), Scene::<T>::from(model));
    minverse::articulate(&scene, &mut memory.scratch, q).map_err(|singular| singular.error(model, None))?;
    let of_dof = memory.scratch.articulated.dofs.iter().map(|dof| {
        let six = both(dof.S.to_array(), dof.U_D.to_array());
        core::array::from_fn(|k| if k < 12 { six[k] } else { dof.D_inv })
    });
    Ok(of_dof.collect())
}

pub(crate) fn memory<T: Real>(model: &Model) -> Memory<T> {
    Memory::new(model, Proof::find().expect("users cannot name scalars that need more"))
}

fn both<T: Real>(a: [T; 6], b: [T; 6]) -> [T; 12] {
    core::array::from_fn(|k| if k < 6 { a[k] } else { b[k - 6] })
}

fn armature<T: Real>(model: &Model, effects: &JointEffects) -> Vec<T> {
    (0..model.nv()).map(|k| effects.armature(model.tree(), k)).collect()
}
