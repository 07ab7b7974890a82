//! Kinetic and potential energy.
//!
//! `c` is the centre of mass of a body and `v_c` its velocity, in world coordinates; `(v, ω)` is the body's
//! velocity at the world's origin, `R` its rotation.
//!
//! ```text
//! v_c = v + ω × c                                                     (1)
//! T = ½ Σ (m v_c·v_c + ω_b·I_c ω_b),   ω_b = Rᵀ ω                     (2)
//!   + ½ Σ armature q̇²                                                 (3)
//! V = −g · Σ m c                                                      (4)
//! ```
//!
//! (2) is used instead of `½ v·I v` about the world's origin, which suffers from cancellation far from the
//! origin.

use crate::door::Size::{Fixed, Nq, Nv};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Sym3, Vec3};
use crate::sweeps::ground;
use core::slice;

/// Energy of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy<T> {
    /// Kinetic energy \[J\].
    pub kinetic: T,
    /// Potential energy \[J\]: zero if the centre of mass is in the plane through the world's origin
    /// orthogonal to gravity.
    pub potential: T,
}

/// Output buffers of [`energy`]: borrow an [`Energy`], or pass one number per state.
#[derive(Debug)]
pub struct EnergyMut<'a, T> {
    /// Kinetic energy \[J\].
    pub kinetic: &'a mut [T],
    /// Potential energy \[J\].
    pub potential: &'a mut [T],
}

impl<'a, T> From<&'a mut Energy<T>> for EnergyMut<'a, T> {
    fn from(out: &'a mut Energy<T>) -> Self {
        Self { kinetic: slice::from_mut(&mut out.kinetic), potential: slice::from_mut(&mut out.potential) }
    }
}

declare! {
    /// Kinetic energy `½ vᵀ M v` and potential energy `−g · Σ m c`.
    ///
    /// - `q` (nq), `v` (nv); O(N).
    /// - Rotor inertias (armature) are included unless the scene switches them off, as in `M`. External
    ///   forces have no effect.
    /// - Links welded to the world do not count.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn energy(q: Nq, v: Nv) -> EnergyMut { kinetic: Fixed(1), potential: Fixed(1) } by EnergyOf,
    under &[Surrounding::Gravity, Surrounding::Armature]
}

impl Algorithm<2, 2> for EnergyOf {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, qd]: In<T, 2>,
        [kinetic, potential]: To<T, 2>,
    ) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, .. } = s;
        ground::place_all(tree, q, turns.update(tree, q), X);
        ground::velocities(tree, X, qd, v);

        let (mut twice_kinetic, mut h) = (T::zero(), Vec3::zero());
        for (i, body) in tree.outward() {
            let mass = T::from_f64(body.inertia.mass);
            let c = X[i].act_point(Vec3::lift(body.com));
            let v_c = v[i].ang.cross_add(c, v[i].lin); // (1)
            let w = X[i].rot.tr_mul(v[i].ang);
            let turning = w.dot(Sym3::lift(&body.about_com) * w);
            twice_kinetic += mass.mul_add(v_c.norm_squared(), turning); // (2)
            h = c.scale_add(mass, h);
        }
        let effects = JointEffects::of(scene);
        for (k, &qd) in qd.iter().enumerate() {
            twice_kinetic = effects.armature::<T>(tree, k).mul_add(qd * qd, twice_kinetic); // (3)
        }
        kinetic.entries[0] = twice_kinetic * T::from_f64(0.5);
        potential.entries[0] = -Vec3::lift(scene.gravity).dot(h); // (4)
        Ok(())
    }
}
