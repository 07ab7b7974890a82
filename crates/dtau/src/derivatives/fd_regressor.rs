//! Derivatives of forward dynamics with respect to the inertial parameters of the links.
//!
//! ```text
//! τ = ID(q, q̇, q̈; π) = Y(q, q̇, q̈) π + …          the rest does not depend on π                         (1)
//! ∂q̈/∂π = −M⁻¹ Y            at q̈ = FD(q, q̇, τ)                                                        (2)
//! ```
//!
//! Source: (1), the [regressor](crate::dynamics::regressor), differentiated at constant τ.

use crate::derivatives::fd_products::{Room, accelerations};
use crate::door::Size::{Nq, Nv, Parameters};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, nested};
use crate::dynamics::{Regressor, aba, ltdl, mass};
use crate::engines::{Memory, Scratch};
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;

declare! {
    /// Derivative of [`aba`](crate::aba()) with respect to the inertial parameters of the links:
    /// `∂q̈/∂π = −M⁻¹ Y`, with `Y` the [`joint_torque_regressor`](crate::joint_torque_regressor()) at q̈.
    ///
    /// - `q` (nq), `v`, `tau` (nv); `dqdd_dpi`: nv × 10 links, by columns, in the order of
    ///   [`Model::inertial_parameters`](crate::model::Model::inertial_parameters); O(N) per column.
    /// - External forces and joint effects are included, as in `q̈`.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After
    /// an error the contents of `dqdd_dpi` are undefined.
    fn fd_regressor(q: Nq, v: Nv, tau: Nv) -> (slice dqdd_dpi: Parameters) by FdRegressor, under Surrounding::ALL
}

impl Algorithm<3, 1> for FdRegressor {
    const RESERVES: bool = true;
    const SQUARES: usize = 1;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, tau]: In<T, 3>, [y]: To<T, 1>) -> Done {
        let (tree, nv) = (scene.model.tree(), scene.model.nv());
        if y.entries.is_empty() {
            return Ok(());
        }
        lend!(s.fd_products => Room { qdd, .. }, || {
            let entries = &mut *y.entries;
            accelerations(scene, s, (q, v, tau), qdd, &mut entries[..nv])?;
            Regressor {}.compute(scene, s, [q, v, qdd], [MatrixMut::from(entries)])?; // (1)
            for column in y.entries.chunks_exact_mut(nv) {
                mass::solve(tree, s, column);
            }
            negate(y.entries); // (2)
            Ok(())
        })
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.ltdl.make_room(model);
        s.regressor.make_room::<T>(model.tree());
    }

    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, v, tau]: In<T, 3>,
        [y]: To<T, 1>,
    ) -> Done {
        ltdl::factor_of(scene, memory, q)?;
        lend!(memory.scratch.fd_products => Room { qdd, .. }, || {
            aba::accelerations_by_factor(scene, memory, q, v, tau, qdd)?;
            nested(Regressor {}, scene, memory, [q, v, qdd], [&mut *y.entries])?; // (1)
            for column in y.entries.chunks_exact_mut(scene.model.nv().max(1)) {
                memory.scratch.ltdl.solve(scene.model.elimination(), column);
            }
            negate(y.entries); // (2)
            Ok(())
        })
    }
}

#[inline(always)]
fn negate<T: Real>(x: &mut [T]) {
    for x in x {
        *x = -*x;
    }
}
