//! Derivatives of constrained inverse dynamics.
//!
//! ```text
//! K y = f          τ = s² y          λ = t² J y                       [`inverse`](super::inverse)             (1)
//! K y_x = f_x − (Jᵀλ)_q − Jᵀ t² (J y)_q                              at fixed λ, and fixed y; x = q, q̇, q̈    (2)
//! τ_x = s² y_x     λ_x = t² ((J y)_q + J y_x)                                                                 (3)
//! ```
//!
//! f_x is IDSVA. The terms with index q exist for x = q only ([`bend`](super::bend)).

use super::inverse::{Wish, grant};
use super::{Constraints, Room};
use crate::derivatives::id_partials;
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Rows, RowsWide, Square};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, results};
use crate::engines::Scratch;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::sweeps::singular::Singular;
use alloc::vec::Vec;

results! {
    /// Constrained inverse dynamics and its derivatives: the result of [`constrained_id_derivatives`].
    pub struct ConstrainedIdDerivatives(constraints: Constraints) as [ConstrainedIdDerivativesMut] {
        /// The torques τ: nv.
        tau: Nv,
        /// The forces λ along the rows of the constraints.
        lambda: Rows,
    } {
        /// ∂τ/∂q: nv × nv, by columns, along tangent directions of the configuration.
        dtau_dq: Square,
        /// ∂τ/∂q̇: nv × nv, by columns.
        dtau_dv: Square,
        /// ∂τ/∂q̈: nv × nv, by columns.
        dtau_da: Square,
        /// ∂λ/∂q: rows × nv, by columns.
        dlambda_dq: RowsWide,
        /// ∂λ/∂q̇: rows × nv, by columns.
        dlambda_dv: RowsWide,
        /// ∂λ/∂q̈: rows × nv, by columns.
        dlambda_da: RowsWide,
    }
}

declare! {
    /// Derivatives of [`constrained_id`](crate::constrained_id()) with respect to `q`, `v` and `a`, and its
    /// results.
    ///
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`. Matrices are nv × nv and
    ///   rows × nv, complete, by columns. Strengths are constant.
    /// - External forces are differentiated as given; damping, friction, armature and mimicking joints are
    ///   included.
    /// - O(N d + nv² (nv + m)) for m rows.
    ///
    /// # Errors
    /// Same as [`constrained_id`](crate::constrained_id()); and if joints and constraints cannot produce
    /// every acceleration, since the derivatives do not exist then. After an error the contents of `out` are
    /// undefined.
    fn constrained_id_derivatives of constraints (q: Nq, v: Nv, a: Nv, torque_strength: Nv, force_strength: Rows)
    -> ConstrainedIdDerivativesMut {
        tau: Nv, lambda: Rows, dtau_dq: Square, dtau_dv: Square, dtau_da: Square,
        dlambda_dq: RowsWide, dlambda_dv: RowsWide, dlambda_da: RowsWide
    }
    by ConstrainedIdPartials, under Surrounding::ALL
}

impl Algorithm<5, 8> for ConstrainedIdPartials {
    const RESERVES: bool = true;
    const CONSTRAINED: bool = true;
    const SQUARES: usize = 8;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
    }

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        super::ConstrainedId {}.reserve_rows(model, rows, s);
        s.constraints.bent.make_room(model, s.constraints.g.stride);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a, torque, force]: In<T, 5>,
        [tau, lambda, dq, dv, da, lq, lv, la]: To<T, 8>,
    ) -> Done {
        let [dq, dv, da] = [dq.entries, dv.entries, da.entries];
        grant(scene, s, [q, v, a, torque, force], tau.entries, lambda.entries)?; // (1)
        let wish = &s.constraints.wish;
        if let Some(dof) = (0..scene.model.nv()).find(|&c| (-wish.alone[c] - wish.k.dropped[c]).any_below(-0.5)) {
            return Err(Singular::Unheld { dof });
        }
        let (lambda, mut by_lambda) = (lambda.entries, [lq.entries, lv.entries, la.entries]);
        lend!(s.constraints.bent => Bent { state, tau: none, squares, wide, reduced }, || {
            let [full_q, full_v, full_a, full_y] = state;
            reduced.fill(T::zero());
            if let Some(map) = scene.model.mimic() {
                let [of_q, of_v, of_a] = squares;
                map.expand_q(q, full_q);
                map.expand_v(v, full_v);
                map.expand_v(a, full_a);
                map.expand_v(&s.constraints.wish.y, full_y);
                wide.fill(T::zero());
                id_partials(scene, s, [full_q, full_v, full_a], [none, &mut *of_q, &mut *of_v, &mut *of_a]);
                bend(scene, s, full_y, lambda, of_q, wide);
                for (full, out) in [(of_q, &mut *dq), (of_v, &mut *dv), (of_a, &mut *da)] {
                    map.reduce_square(full, scene.model.nv(), out);
                }
                if !wide.is_empty() {
                    map.reduce_columns(wide, s.constraints.g.stride, reduced);
                }
            } else {
                full_y.copy_from_slice(&s.constraints.wish.y);
                id_partials(scene, s, [q, v, a], [none, &mut *dq, &mut *dv, &mut *da]);
                bend(scene, s, full_y, lambda, dq, reduced);
            }
            let [lq, lv, la] = &mut by_lambda;
            for (by, of_lambda, bent) in
                [(&mut *dq, lq, Some(&reduced[..])), (&mut *dv, lv, None), (&mut *da, la, None)]
            {
                step!(s.proof, || follow(scene, &mut s.constraints, torque, force, by, of_lambda, bent));
            }
        });
        Ok(())
    }
}

/// (Jᵀλ)_q and (J y)_q of all constraints, on the full tree.
#[inline(always)]
fn bend<T: Real>(scene: &Scene<'_, T>, s: &Scratch<T>, y: &[T], lambda: &[T], dq: &mut [T], wide: &mut [T]) {
    step!(s.proof, || {
        let (Some(constraints), tree) = (scene.constraints, scene.model.tree()) else { return };
        for ((i, item), seen) in constraints.items().iter().enumerate().zip(&s.constraints.seen) {
            let Some(seen) = seen else { continue };
            let own = &lambda[item.rows()];
            item.bend(seen, tree, &s.bodies, scene.is_active(i), own, y, s.constraints.g.stride, dq, wide);
        }
    });
}

/// (2) and (3) for one x: f_x − (Jᵀλ)_x becomes τ_x.
#[inline(always)]
fn follow<T: Real>(
    scene: &Scene<'_, T>,
    room: &mut Room<T>,
    torque: &[T],
    force: &[T],
    by: &mut [T],
    of_lambda: &mut [T],
    bent: Option<&[T]>,
) {
    let (Some(constraints), n) = (scene.constraints, scene.model.nv()) else { return };
    let Room { j, g, lambda: sums, wish: Wish { k, .. }, .. } = room;
    let (stride, rows) = (g.stride, constraints.rows());
    for c in 0..n {
        let column = &mut by[c * n..][..n];
        let sums = &mut sums[..rows];
        match bent {
            None => sums.fill(T::zero()),
            Some(bent) => {
                sums.copy_from_slice(&bent[c * stride..][..rows]);
                for r in 0..n {
                    for row in constraints.spans()[r].clone() {
                        let pulled = j[r * stride + row] * force[row] * force[row];
                        column[r] = pulled.neg_mul_add(sums[row], column[r]);
                    }
                }
            }
        }
        k.forward(column);
        k.backward(column); // (2)
        for r in 0..n {
            for row in constraints.spans()[r].clone() {
                sums[row] = j[r * stride + row].mul_add(column[r], sums[row]);
            }
            column[r] *= torque[r] * torque[r]; // (3)
        }
        for (row, out) in of_lambda[c * rows..][..rows].iter_mut().enumerate() {
            *out = sums[row] * force[row] * force[row];
        }
    }
}

/// Workspace of this algorithm.
#[derive(Debug)]
pub(super) struct Bent<T> {
    /// q, q̇, q̈ and y of the full tree.
    state: [Vec<T>; 4],
    tau: Vec<T>,
    squares: [Vec<T>; 3],
    /// (J y)_q, stored as `j`: of the full tree, and of the model.
    wide: Vec<T>,
    reduced: Vec<T>,
}

impl<T> Default for Bent<T> {
    fn default() -> Self {
        Self {
            state: Default::default(),
            tau: Vec::new(),
            squares: Default::default(),
            wide: Vec::new(),
            reduced: Vec::new(),
        }
    }
}

impl<T: Real> Bent<T> {
    fn make_room(&mut self, model: &Model, stride: usize) {
        let (n, of_tree) = (model.nv(), model.tree().dofs.len());
        let mimics = |len: usize| if model.mimic().is_some() { len } else { 0 };
        let Self { state: [q, v, a, y], tau, squares: [dq, dv, da], wide, reduced } = self;
        for (x, len) in [
            (q, mimics(model.tree().nq)),
            (v, mimics(of_tree)),
            (a, mimics(of_tree)),
            (y, of_tree),
            (tau, of_tree),
            (dq, mimics(of_tree * of_tree)),
            (dv, mimics(of_tree * of_tree)),
            (da, mimics(of_tree * of_tree)),
            (wide, mimics(of_tree * stride)),
            (reduced, n * stride),
        ] {
            if x.len() != len {
                x.clear();
                x.resize(len, T::zero());
            }
        }
    }
}
