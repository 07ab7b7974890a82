//! Constraint errors, and their change with the configuration.
//!
//! ```text
//! points     e = R₂ᵀ (p₁ − p₂) − c*          ė = R₂ᵀ u                     rows as in [`seen`](super::seen)      (1)
//! frames     e = log X₂⁻¹X₁ − c*             ė = dlog R₁ᵀ u                                                     (2)
//! distances  e = l − l* − c*                 joints  e = Σ k q − c − c*                                          (3)
//! ```
//!
//! For frames with only some directions held, ė is not J q̇: rotation couples the parts of the logarithm.

use super::seen::{Seen, component};
use super::{ConstrainedFd, Constraint, Constraints, Held, Kind, RowAxes, Side};
use crate::dispatch::{Twin, step};
use crate::door::Counts;
use crate::engines::{Memory, OnTwin, Scratch, Workspace};
use crate::error::Error;
use crate::groups::Group;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Motion, Vec3};
use crate::sweeps::bodies::Bodies;
use alloc::vec;
use alloc::vec::Vec;

/// Constraints at a configuration.
pub(super) struct Geometry {
    /// e
    pub(super) e: Vec<f64>,
    /// ∂e/∂q, by rows of nv.
    pub(super) slope: Vec<f64>,
    /// J, by rows of nv.
    pub(super) j: Vec<f64>,
}

impl Geometry {
    /// Computes e, ∂e/∂q and J. The caller has checked the lengths.
    pub(super) fn of(
        scene: &Scene<'_, f64>,
        constraints: &Constraints,
        ws: &mut Workspace,
        q: &[f64],
    ) -> Result<Self, Error> {
        let (m, nv) = (constraints.rows(), scene.model.nv());
        let (mut slope, mut j) = (vec![0.0; m * nv], vec![0.0; m * nv]);
        let mut e = vec![0.0; m];
        ws.run(Look { scene, q, e: &mut e, slope: &mut slope, j: &mut j })?;
        Ok(Self { e, slope: by_rows(m, &slope), j: by_rows(m, &j) })
    }

    /// True if all numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.e.iter().chain(&self.slope).all(|x| x.is_finite())
    }

    /// Largest magnitude in e.
    pub(super) fn largest(&self) -> f64 {
        self.e.iter().fold(0.0, |most, e| f64::max(most, e.abs()))
    }
}

/// Converts from columns of `m` to rows.
fn by_rows(m: usize, x: &[f64]) -> Vec<f64> {
    (0..m).flat_map(|row| x.iter().copied().skip(row).step_by(m.max(1))).collect()
}

struct Look<'a> {
    scene: &'a Scene<'a, f64>,
    q: &'a [f64],
    e: &'a mut [f64],
    slope: &'a mut [f64],
    j: &'a mut [f64],
}

impl OnTwin<f64> for Look<'_> {
    type Output = Result<(), Error>;

    fn run<N: Twin<f64>>(self, memory: &mut Memory<N>) -> Self::Output {
        let Self { scene, q, e, slope, j } = self;
        let scene = scene.recast::<N>();
        memory.reserve_for(ConstrainedFd {}, scene.model, Counts { columns: 1, rows: scene.rows() })?;
        let (e, slope, j) = (N::slice_mut(e), N::slice_mut(slope), N::slice_mut(j));
        step!(memory.proof(), || look(scene, &mut memory.scratch, N::slice(q), e, slope, j));
        Ok(())
    }
}

/// Computes e, its derivatives and J of all constraints.
#[inline(always)]
fn look<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], e: &mut [T], slope: &mut [T], j: &mut [T]) {
    let Scratch { turns, bodies, .. } = s;
    let (Some(constraints), tree, map) = (scene.constraints, scene.model.tree(), scene.model.mimic()) else {
        return;
    };
    let (mut full, m) = (vec![T::zero(); tree.nq], constraints.rows());
    match map {
        Some(map) => map.expand_q(q, &mut full),
        None => full.copy_from_slice(q),
    }
    let q = &full[..];
    bodies.place(tree, turns.update(tree, q), q);
    let mut both = [vec![T::zero(); m * tree.dofs.len()], vec![T::zero(); m * tree.dofs.len()]];
    for (i, item) in constraints.items().iter().enumerate() {
        let active = match scene.active {
            None => T::one(),
            Some(active) => T::select(T::zero().lt(active[i]), T::one(), T::zero()),
        };
        let seen = item.pair().map(|pair| Seen::of(pair, tree, bodies));
        let [of_e, of_u] = &mut both;
        item.jacobian(seen.as_ref(), bodies, active, m, of_u);
        let mut wanted = [T::zero(); 6];
        if let Some(desired) = scene.desired {
            wanted[..item.rows().len()].copy_from_slice(&desired[item.rows()]);
        }
        item.look(seen.as_ref(), bodies, q, active, &mut wanted, &mut e[item.rows()], m, of_e, of_u);
    }
    for (full, out) in both.iter().zip([slope, j]) {
        match map {
            Some(map) if m > 0 => map.reduce_columns(full, m, out),
            _ => out.copy_from_slice(full),
        }
    }
}

impl Constraint {
    /// Computes e and its derivatives. `of_u` already contains J; `wanted` is in the axes of the rows.
    fn look<T: Real>(
        &self,
        seen: Option<&Seen<T>>,
        bodies: &Bodies<T>,
        q: &[T],
        active: T,
        wanted: &mut [T; 6],
        e: &mut [T],
        m: usize,
        of_e: &mut [T],
        of_u: &[T],
    ) {
        match (&self.kind, seen) {
            (Kind::Held(held), Some(seen)) if held.is_frame => {
                self.look_at_frame(held, seen, bodies, active, wanted, e, m, of_e);
                return;
            }
            (Kind::Held(held), Some(seen)) => {
                held.project(seen.error(false), &seen.axes(held.axes), e);
            }
            (Kind::Distance(_, length), Some(seen)) => e[0] = seen.along().1 - T::from_f64(*length), // (3)
            (Kind::Joints(terms, constant), _) => {
                e[0] = -T::from_f64(*constant);
                for term in terms {
                    e[0] = T::from_f64(term.factor).mul_add(q[term.coordinate], e[0]);
                }
            }
            (_, None) => {}
        }
        // The axes are those of the second frame, which define the coordinates.
        let across = |x: &mut [T]| match (&self.kind, seen) {
            (Kind::Held(held), Some(seen)) if held.some.is_empty() => {
                let turned = seen.axes(RowAxes::Second).tr_mul(Vec3::new(x[0], x[1], x[2]));
                x[..3].copy_from_slice(&turned.to_array());
            }
            _ => {}
        };
        self.turn(seen, false, &mut wanted[..self.rows.len()]);
        across(wanted);
        across(e);
        for (e, &wanted) in e.iter_mut().zip(&*wanted) {
            *e = (*e - wanted) * active;
        }
        for (to, from) in of_e.chunks_exact_mut(m).zip(of_u.chunks_exact(m)) {
            let to = &mut to[self.rows.clone()];
            to.copy_from_slice(&from[self.rows.clone()]);
            across(to); // (1)
        }
    }

    fn look_at_frame<T: Real>(
        &self,
        held: &Held,
        seen: &Seen<T>,
        bodies: &Bodies<T>,
        active: T,
        wanted: &mut [T; 6],
        e: &mut [T],
        m: usize,
        of_e: &mut [T],
    ) {
        let (mut neutral, mut log) = ([T::zero(); 7], [T::zero(); 6]);
        let (mut by_second, mut by_first) = ([T::zero(); 36], [T::zero(); 36]);
        Group::Se3.neutral(&mut neutral);
        let g = seen.relative();
        Group::Se3.difference(&neutral, &g, &mut log);
        Group::Se3.d_difference(&neutral, &g, &mut by_second, &mut by_first);
        let own = seen.axes(RowAxes::First);
        let to_own = |x: Motion<T>| Motion::new(own.tr_mul(x.lin), own.tr_mul(x.ang));
        let select = |x: [T; 6], out: &mut [T]| {
            if held.some.is_empty() {
                out.copy_from_slice(&x);
            }
            for (out, direction) in out.iter_mut().zip(&held.some) {
                *out = component(Motion::from_array(x), Vec3::lift(direction.along), direction.is_angular);
            }
        };
        if held.some.is_empty() {
            self.turn(Some(seen), false, wanted);
            *wanted = to_own(Motion::from_array(*wanted)).to_array();
        }
        select(log, e);
        for (e, &wanted) in e.iter_mut().zip(&*wanted) {
            *e = (*e - wanted) * active;
        }
        for (run, side) in &held.pair.runs {
            let sign = if *side == Side::First { active } else { -active };
            for c in run.clone() {
                let u = to_own(seen.at_point(*side, bodies.S.get(c)) * sign).to_array();
                let mut change = [T::zero(); 6];
                for (column, u) in by_first.chunks_exact(6).zip(u) {
                    for (change, &slope) in change.iter_mut().zip(column) {
                        *change = slope.mul_add(u, *change); // (2)
                    }
                }
                select(change, &mut of_e[c * m..][self.rows.clone()]);
            }
        }
    }
}
