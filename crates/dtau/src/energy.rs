//! Kinetic and potential energy.
//!
//! `c` is the centre of mass of a body and `v_c` its velocity, in world coordinates; `(v, ω)` is the body's velocity at
//! the world's origin, `R` its rotation.
//!
//! ```text
//! v_c = v + ω × c                                                     (1)
//! T = ½ Σ (m v_c·v_c + ω_b·I_c ω_b),   ω_b = Rᵀ ω                     (2)
//!   + ½ Σ armature q̇²                                                 (3)
//! V = −g · Σ m c                                                      (4)
//! ```
//!
//! (2) rather than `½ v·I v` about the world's origin, which far from there is a small difference of large numbers.

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Sym3, Vec3};
use crate::workspace::{Scratch, Workspace, full_q, full_v};

/// The energy of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy<T> {
    /// Of its motion \[J\].
    pub kinetic: T,
    /// Of its height \[J\]: zero where the centre of mass is in the plane through the world's origin across gravity.
    pub potential: T,
}

/// Kinetic energy `½ vᵀ M v` and potential energy `−g · Σ m c`.
///
/// - `q` (nq), `v` (nv); O(N).
/// - Rotor inertias (armature) count unless the scene switches them off, as in `M`. External forces play no part.
/// - Links welded to the world do not count.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn energy<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<Energy<T>, Error> {
    let scene = scene.into();
    Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?;
    let mut out = [T::zero(); 2];
    ws.run(EnergyKernel { scene, q, v, out: &mut out });
    let [kinetic, potential] = out;
    Ok(Energy { kinetic, potential })
}

struct EnergyKernel<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    out: &'a mut [T; 2],
}

impl<T: Real> Kernel<T> for EnergyKernel<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let model = self.scene.model;
        let tree = model.tree();
        let Scratch { turns, full, X, v, .. } = scratch;
        let q = full_q(model, S::slice(self.q), &mut full.q);
        let qd = full_v(model, S::slice(self.v), &mut full.v);
        ground::place_all(tree, q, turns.update(tree, q), X);
        ground::velocities(tree, X, qd, v);

        let (mut twice_kinetic, mut h) = (S::zero(), Vec3::zero());
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let mass = S::from_f64(body.inertia.mass);
            let c = X[i].act_point(Vec3::lift(body.com));
            let v_c = v[i].ang.cross_add(c, v[i].lin); // (1)
            let w = X[i].rot.tr_mul(v[i].ang);
            let turning = w.dot(Sym3::lift(&body.about_com) * w);
            twice_kinetic += mass.mul_add(v_c.norm_squared(), turning); // (2)
            h = c.scale_add(mass, h);
        }
        let effects = JointEffects::of(&self.scene);
        for (k, &qd) in qd.iter().enumerate() {
            twice_kinetic = effects.armature::<S>(tree, k).mul_add(qd * qd, twice_kinetic); // (3)
        }
        let potential = -Vec3::lift(self.scene.gravity).dot(h); // (4)
        S::slice_mut(self.out).copy_from_slice(&[twice_kinetic * S::from_f64(0.5), potential]);
    }
}
