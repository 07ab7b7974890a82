//! Change of J with the configuration.
//!
//! Coordinates as in [`seen`](super::seen): motions at the point p₁, in world axes. Column c moves the first
//! body, the second, or both. ω_A is the rotation of the row axes, δp the displacement of p₁.
//!
//! ```text
//! ∂S_d/∂q_c = [S_c × S_d  if d is carried by c] + (ω_d × δp, 0)          − ω_A × (both parts)         (1)
//! distance:  ∂(n·S_d)/∂q_c = ∂n·S_d + n·(1, without axes)       ∂n = (1 − n nᵀ) δ(p₁ − p₂)/l          (2)
//! ```
//!
//! Source: (1) is [Singh22] J1 at a moving point.

use super::seen::{Seen, component};
use super::{Constraint, Kind, Pair, RowAxes, Side};
use crate::model::Tree;
use crate::scalar::Real;
use crate::spatial::{Motion, Vec3};
use crate::sweeps::bodies::Bodies;

/// A column, and the bodies that it moves.
struct Column<T> {
    S: Motion<T>,
    /// Displacement of p₁, and p₁ − p₂.
    point: Vec3<T>,
    apart: Vec3<T>,
    /// Rotation of the axes.
    turn: Vec3<T>,
}

/// Columns of a pair: first those that move one body, then those that move both.
fn columns(pair: &Pair) -> impl Iterator<Item = (usize, Option<Side>)> + '_ {
    let one = pair.runs.iter().flat_map(|(run, side)| run.clone().map(move |c| (c, Some(*side))));
    one.chain(pair.common.iter().cloned().flatten().map(|c| (c, None)))
}

impl Constraint {
    /// Subtracts ∂(Jᵀλ)/∂q from a square matrix of the full tree, and writes ∂(J y)/∂q to columns `stride`
    /// apart. λ, and the rows of ∂(J y)/∂q, are in the axes of the rows.
    #[inline(always)]
    pub(super) fn bend<T: Real>(
        &self,
        seen: &Seen<T>,
        tree: &Tree,
        bodies: &Bodies<T>,
        active: T,
        lambda: &[T],
        y: &[T],
        stride: usize,
        square: &mut [T],
        wide: &mut [T],
    ) {
        let (Some(pair), n) = (self.pair(), tree.dofs.len()) else { return };
        let axes = self.axes();
        for (c, side) in columns(pair) {
            // A column that moves both bodies turns all axes except those of the world.
            if side.is_none() && axes != Some(RowAxes::World) {
                continue;
            }
            let at = self.column(seen, bodies, c, side);
            let carried = &tree.bodies[tree.dofs[c].body];
            let carried = carried.v.start..carried.dofs_end;
            for (run, of) in &pair.runs {
                let sign = if *of == Side::First { active } else { -active };
                for d in run.clone() {
                    let S: Motion<T> = seen.at_point(*of, bodies.S.get(d)) * sign;
                    let mut change = if carried.contains(&d) { at.S.cross(S) } else { Motion::zero() };
                    change.lin = S.ang.cross_add(at.point, change.lin);
                    let rows = self.project_change(seen, &at, S, change);
                    for (row, (&x, &lambda)) in self.rows.clone().zip(rows.iter().zip(lambda)) {
                        square[c * n + d] = lambda.neg_mul_add(x, square[c * n + d]);
                        wide[c * stride + row] = x.mul_add(y[d], wide[c * stride + row]);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn column<T: Real>(&self, seen: &Seen<T>, bodies: &Bodies<T>, c: usize, side: Option<Side>) -> Column<T> {
        let S: Motion<T> = seen.at_point(side.unwrap_or(Side::First), bodies.S.get(c));
        let (first, second) = (side != Some(Side::Second), side != Some(Side::First));
        let turns = match self.axes() {
            Some(RowAxes::First) => first,
            Some(RowAxes::Second) => second,
            Some(RowAxes::World) | None => false,
        };
        let only = |is: bool, x: Vec3<T>| if is { x } else { Vec3::zero() };
        // The second point is p₁ minus the distance vector.
        let other = seen.apart().cross_add(S.ang, S.lin);
        let point = only(first, S.lin);
        Column { S, point, apart: point - only(second, other), turn: only(turns, S.ang) }
    }

    /// (1) or (2) along the rows.
    #[inline(always)]
    fn project_change<T: Real>(&self, seen: &Seen<T>, at: &Column<T>, S: Motion<T>, mut change: Motion<T>) -> [T; 6] {
        let mut rows = [T::zero(); 6];
        match &self.kind {
            Kind::Held(held) => {
                change = Motion::new(change.lin - at.turn.cross(S.lin), change.ang - at.turn.cross(S.ang));
                let axes = seen.axes(held.axes);
                if held.some.is_empty() {
                    rows = Motion::new(axes.tr_mul(change.lin), axes.tr_mul(change.ang)).to_array();
                }
                for (row, direction) in rows.iter_mut().zip(&held.some) {
                    *row = component(change, axes * Vec3::lift(direction.along), direction.is_angular);
                }
            }
            Kind::Distance(..) => {
                let (n, l) = seen.along();
                let turned = (at.apart - n * n.dot(at.apart)) * l.recip();
                rows[0] = turned.dot(S.lin) + n.dot(change.lin);
            }
            Kind::Joints(..) => {}
        }
        rows
    }
}
