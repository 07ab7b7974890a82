//! What functions of constraints keep meanwhile.

use super::factor::Factor;
use super::seen::Seen;
use crate::model::Model;
use crate::scalar::Real;
use alloc::vec::Vec;

/// Room for these algorithms: made when constraints are first met, for as many rows as they have.
#[derive(Debug)]
pub(crate) struct Room<T> {
    /// The state, velocity and torques of the full tree, where joints mimic others.
    pub(super) full: [Vec<T>; 3],
    /// M, then its factor; of the full tree, where joints mimic others.
    pub(super) m: Vec<T>,
    pub(super) m_full: Vec<T>,
    pub(super) d_inv: Vec<T>,
    /// The bias of the full tree, and what is left of the torques.
    pub(super) b: Vec<T>,
    pub(super) z: Vec<T>,
    /// Jᵀ, the rows of a degree of freedom one after the other; of the full tree, where joints mimic others.
    pub(super) j: Vec<T>,
    pub(super) j_full: Vec<T>,
    /// L⁻ᵀ Jᵀ
    pub(super) y: Vec<T>,
    pub(super) g: Factor<T>,
    /// r where q̈ is zero; then r at q̈ without the forces; λ.
    pub(super) r: Vec<T>,
    pub(super) lambda: Vec<T>,
    /// Of what numbers r was computed, in magnitude.
    pub(super) scale: Vec<T>,
    pub(super) seen: Vec<Option<Seen<T>>>,
    /// What derivatives need beside: matrices of nv and rows.
    pub(super) wide: Vec<T>,
    pub(super) inverse: Vec<T>,
    /// What it was made for.
    made_for: (usize, usize, usize),
}

impl<T> Default for Room<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            full: [none(), none(), none()],
            m: none(),
            m_full: none(),
            d_inv: none(),
            b: none(),
            z: none(),
            j: none(),
            j_full: none(),
            y: none(),
            g: Factor::default(),
            r: none(),
            lambda: none(),
            scale: none(),
            seen: Vec::new(),
            wide: none(),
            inverse: none(),
            made_for: (0, 0, 0),
        }
    }
}

impl<T: Real> Room<T> {
    /// For a model and so many rows. Smaller sets than before take no new memory.
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
            (&mut self.b, of_tree),
            (&mut self.z, n),
            (&mut self.j, n * stride),
            (&mut self.j_full, mimics(of_tree * stride)),
            (&mut self.y, n * stride),
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
}
