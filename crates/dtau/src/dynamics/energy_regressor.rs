//! The energy regressors: kinetic and potential energy are linear in the inertial parameters of the links.
//!
//! In the coordinates of a link, `(v, ω)` is its velocity; `p` and `R` are its position and orientation in
//! the world.
//!
//! ```text
//! π = (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz)                        I about the link's origin
//! T = ½ m v·v + m c·(v × ω) + ½ ω·I ω                                                                  (1)
//! V = −g·(m p + R m c)                                                                                 (2)
//! ```
//!
//! Source: (1) is ½ v·I v with the inertia about the link's origin ([RBDA] eq. 2.63, 2.69). Its rate is the
//! power of the [torque regressor](super::regressor), for each parameter: q̇ᵀ Y = d/dt (∂T/∂π + ∂V/∂π).

use crate::door::Size::{Nq, Nv, TenPerLink};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare, results};
use crate::engines::Scratch;
use crate::kinematics::{BodyMotions, move_bodies};
use crate::model::{FrameId, Model};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::Vec3;

results! {
    /// Energy regressors of the links' inertial parameters: the result of [`energy_regressor`].
    pub struct EnergyRegressor(model: Model) as [EnergyRegressorMut] {
        /// ∂T/∂π: ten numbers for every link.
        dkinetic_dpi: TenPerLink,
        /// ∂V/∂π: ten numbers for every link.
        dpotential_dpi: TenPerLink,
    } {}
}

declare! {
    /// Energy regressors: the rows ∂T/∂π and ∂V/∂π with `T = ∂T/∂π π` and `V = ∂V/∂π π`, with respect to the
    /// inertial parameters of the links. For identification without accelerations.
    ///
    /// - `q` (nq), `v` (nv); `out.dkinetic_dpi`, `out.dpotential_dpi` (10 links), in the order of
    ///   [`Model::inertial_parameters`](crate::model::Model::inertial_parameters) and of
    ///   [`joint_torque_regressor`](crate::joint_torque_regressor()); O(N).
    /// - Gravity is included. Rotor inertias (armature) are not: they have other parameters. Links welded to
    ///   the world have zeros, as in [`energy`](crate::energy()).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn energy_regressor(q: Nq, v: Nv) -> EnergyRegressorMut { dkinetic_dpi: TenPerLink, dpotential_dpi: TenPerLink }
    by EnergyRows, under &[Surrounding::Gravity]
}

impl Algorithm<2, 2> for EnergyRows {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v]: In<T, 2>,
        [kinetic, potential]: To<T, 2>,
    ) -> Done {
        let (model, gravity) = (scene.model, Vec3::<T>::lift(scene.gravity));
        let bodies = move_bodies(scene, s, q, Some(v), None);
        let rows = kinetic.entries.as_chunks_mut::<10>().0.iter_mut().zip(potential.entries.as_chunks_mut::<10>().0);
        for (link, (kinetic, potential)) in rows.enumerate() {
            (*kinetic, *potential) = ([T::zero(); 10], [T::zero(); 10]);
            let i = model.frames()[link].body_index(); // frames of links come first
            if i == 0 {
                continue;
            }
            let X = bodies.frame_X(model, FrameId(link));
            let v = X.act_inv(bodies.body_v(i));
            let (half, w) = (T::from_f64(0.5), v.ang);
            let by_moment = v.lin.cross(w);
            *kinetic = [
                v.lin.norm_squared() * half, // (1)
                by_moment.x,
                by_moment.y,
                by_moment.z,
                w.x * w.x * half,
                w.x * w.y,
                w.y * w.y * half,
                w.x * w.z,
                w.y * w.z,
                w.z * w.z * half,
            ];
            let by_moment = X.rot.tr_mul(gravity);
            potential[0] = -gravity.dot(X.pos); // (2)
            potential[1..4].copy_from_slice(&(-by_moment).to_array());
        }
        Ok(())
    }
}
