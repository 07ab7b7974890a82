//! Workspace of the constraint algorithms.

use super::factor::Factor;
use super::inverse::Wish;
use super::inverse_derivatives::Bent;
use super::products::Products;
use super::seen::Seen;
use super::sides::Sides;
use crate::dispatch::Register;
use crate::model::Model;
use crate::scalar::Real;
use crate::spatial::Motion;
use crate::sweeps::side_by_side::{SideBySide, width};
use alloc::vec::Vec;

/// Workspace of these algorithms. It is allocated when constraints are first used, for their number of rows.
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// State, velocity and torques of the full tree; used with mimicking joints.
    pub(super) full: [Vec<T>; 3],
    /// M, then its factor; of the full tree with mimicking joints.
    pub(super) m: Vec<T>,
    pub(super) m_full: Vec<T>,
    pub(super) d_inv: Vec<T>,
    /// nv zeros.
    pub(super) rest: Vec<T>,
    /// Bias of the full tree, and the remaining torques.
    pub(super) b: Vec<T>,
    pub(super) z: Vec<T>,
    /// Jᵀ, by rows of a degree of freedom; of the full tree with mimicking joints.
    pub(super) j: Vec<T>,
    pub(super) j_full: Vec<T>,
    /// Rows of Y and M, in whole registers.
    pub(super) rows: Vec<T>,
    /// L⁻ᵀ Jᵀ, and D⁻¹ times it.
    pub(super) y: Vec<T>,
    pub(super) y_scaled: Vec<T>,
    pub(super) g: Factor<T>,
    /// r at zero q̈; then r at q̈ without the forces; λ.
    pub(super) r: Vec<T>,
    pub(super) lambda: Vec<T>,
    /// Magnitudes of the numbers that r was computed from.
    pub(super) scale: Vec<T>,
    pub(super) seen: Vec<Option<Seen<T>>>,
    /// Derivatives: r_q, r_v, and the contribution of turning axes to ∂λ/∂q, all stored as `j`; also of
    /// the full tree with mimicking joints.
    pub(super) r_q: Vec<T>,
    pub(super) r_v: Vec<T>,
    pub(super) turn: Vec<T>,
    pub(super) r_q_full: Vec<T>,
    pub(super) r_v_full: Vec<T>,
    pub(super) turn_full: Vec<T>,
    pub(super) square_full: Vec<T>,
    /// Λ, by columns.
    pub(super) inverse: Vec<T>,
    pub(super) sides: Sides<T>,
    /// Workspace of inverse dynamics and its derivatives.
    pub(super) wish: Wish<T>,
    pub(super) bent: Bent<T>,
    /// Workspace of derivatives of impulses.
    pub(super) impulses: Impulses<T>,
    /// Workspace of products with derivatives.
    pub(super) products: Products<T>,
    /// The sizes it was allocated for.
    made_for: (usize, usize, usize),
}

/// y and v⁺ − v, also of the full tree; motion of the axes with y.
#[derive(Debug)]
pub(super) struct Impulses<T: Real> {
    pub(super) y: Vec<T>,
    pub(super) w: Vec<T>,
    pub(super) y_full: Vec<T>,
    pub(super) w_full: Vec<T>,
    pub(super) psi_dot: SideBySide<T, Motion<Register<T>>>,
}

impl<T: Real> Default for Impulses<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self { y: none(), w: none(), y_full: none(), w_full: none(), psi_dot: SideBySide::default() }
    }
}

impl<T: Real> Default for Room<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            full: [none(), none(), none()],
            m: none(),
            m_full: none(),
            d_inv: none(),
            rest: none(),
            b: none(),
            z: none(),
            j: none(),
            j_full: none(),
            rows: none(),
            y: none(),
            y_scaled: none(),
            g: Factor::default(),
            r: none(),
            lambda: none(),
            scale: none(),
            seen: Vec::new(),
            r_q: none(),
            r_v: none(),
            turn: none(),
            r_q_full: none(),
            r_v_full: none(),
            turn_full: none(),
            square_full: none(),
            inverse: none(),
            sides: Sides::default(),
            wish: Wish::default(),
            bent: Bent::default(),
            impulses: Impulses::default(),
            products: Products::default(),
            made_for: (0, 0, 0),
        }
    }
}

impl<T: Real> Room<T> {
    /// Allocates memory for a model and a number of rows. Smaller sets than before reuse it.
    pub(super) fn make_room(&mut self, model: &Model, rows: usize) {
        let (n, of_tree) = (model.nv(), model.tree().dofs.len());
        let made_for = (n, of_tree, rows);
        if self.made_for == made_for && !self.m.is_empty() {
            return;
        }
        self.made_for = made_for;
        self.g.make_room(rows);
        let stride = self.g.stride;
        let mimics = |len: usize| if model.mimic().is_some() { len } else { 0 };
        let [q, v, a] = &mut self.full;
        for (x, len) in [
            (q, mimics(model.tree().nq)),
            (v, mimics(of_tree)),
            (a, mimics(of_tree)),
            (&mut self.m, n * n),
            (&mut self.m_full, mimics(of_tree * of_tree)),
            (&mut self.d_inv, n),
            (&mut self.rest, n),
            (&mut self.b, of_tree),
            (&mut self.z, n),
            (&mut self.j, n * stride),
            (&mut self.j_full, mimics(of_tree * stride)),
            (&mut self.rows, n * (stride + n.next_multiple_of(width::<T>()))),
            (&mut self.y, n * stride),
            (&mut self.y_scaled, n * stride),
            (&mut self.r, stride),
            (&mut self.lambda, stride),
            (&mut self.scale, stride),
        ] {
            x.clear();
            x.resize(len, T::zero());
        }
        self.seen.clear();
        self.seen.resize(rows, None);
    }

    /// Allocates memory for derivatives, with `matrices` right-hand side matrices.
    pub(super) fn make_room_for_derivatives(&mut self, model: &Model, matrices: usize) {
        let (n, of_tree, stride) = (model.nv(), model.tree().dofs.len(), self.g.stride);
        let (wide, square) = (n * stride, stride * stride);
        self.sides.make_room(n, self.g.rows, matrices);
        let mimics = |len: usize| if model.mimic().is_some() { len } else { 0 };
        for (x, len) in [
            (&mut self.r_q, wide),
            (&mut self.r_v, wide),
            (&mut self.turn, wide),
            (&mut self.r_q_full, mimics(of_tree * stride)),
            (&mut self.r_v_full, mimics(of_tree * stride)),
            (&mut self.turn_full, mimics(of_tree * stride)),
            (&mut self.square_full, mimics(of_tree * of_tree)),
            (&mut self.inverse, square),
        ] {
            if x.len() != len {
                x.clear();
                x.resize(len, T::zero());
            }
        }
    }

    /// Allocates memory for derivatives of impulses.
    pub(super) fn make_room_for_impulses(&mut self, model: &Model) {
        let (n, of_tree) = (model.nv(), model.tree().dofs.len());
        let Impulses { y, w, y_full, w_full, psi_dot } = &mut self.impulses;
        if psi_dot.neighbours.is_empty() {
            *psi_dot = SideBySide::new(model.tree());
        }
        for (x, len) in [(y, n), (w, n), (y_full, of_tree), (w_full, of_tree)] {
            x.resize(len, T::zero());
        }
    }
}
