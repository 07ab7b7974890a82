//! Inputs of the solves for derivatives under constraints. Generated code has the rest written out, and
//! solves in a loop over columns.
//!
//! Not part of the public interface. All constraints must be active without desired motion, and scenes
//! without wrenches.

use super::sides::{Factors, solve_panel};
use super::{ConstrainedFdPartials, Constraints, ImpulsePartials, Room, derivatives, impulse};
use crate::derivatives::parts::memory;
use crate::dispatch::Register;
use crate::door::{Algorithm, Done};
use crate::engines::Scratch;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

/// Right-hand sides of (1) in `sides.rs`, and the factors to solve them.
#[derive(Debug)]
pub struct PartsOfSides<T: Real> {
    /// Results of the function besides its derivatives: q̈ and λ, or v⁺ and the impulse.
    pub results: [Vec<T>; 2],
    /// Values that the derivatives are computed from: q̈ or v⁺, then the forces in world axes, before they
    /// were replaced.
    pub found: Vec<T>,
    /// Rows of accelerations, then of forces; the columns of all matrices one after the other.
    pub sides: Vec<Vec<T>>,
    /// Contribution of turning axes to forces with respect to q: rows × nv, by columns.
    pub turn: Vec<T>,
    constraints: Constraints,
    room: Room<T>,
}

impl<T: Real> PartsOfSides<T> {
    /// All numbers that [`solve`](Self::solve) may read besides the column, in a fixed order.
    pub fn factors(&mut self) -> Vec<&mut T> {
        let Room { m, d_inv, y_scaled, g, seen, .. } = &mut self.room;
        let of_g = g.l.iter_mut().chain(&mut g.d_inv);
        let axes = seen.iter_mut().flatten().flat_map(|seen| seen.X.iter_mut()).flat_map(|X| X.rot.cols.iter_mut());
        let axes = axes.flat_map(|column| [&mut column.x, &mut column.y, &mut column.z]);
        m.iter_mut().chain(d_inv).chain(y_scaled).chain(of_g).chain(axes).collect()
    }

    /// Solves one column: from a right-hand side to accelerations, and forces in the axes of the constraints.
    pub fn solve(&mut self, column: &mut [T]) {
        let Room { m, d_inv, y_scaled: y, g, seen, .. } = &mut self.room;
        let constraints = &self.constraints;
        let paths = constraints.model().elimination();
        let mut x: Vec<[Register<T>; 1]> = column.iter().map(|&x| [Register::<T>::splat(x)]).collect();
        let mut room = vec![T::zero(); constraints.rows()];
        solve_panel(&mut x, &mut room, &mut Factors { paths, constraints, m, d_inv, y, g, seen });
        for (column, [x]) in column.iter_mut().zip(x) {
            *column = x.lane(0);
        }
    }
}

/// Inputs for [`constrained_fd_derivatives`](crate::constrained_fd_derivatives()): right-hand sides −ID_q,
/// −ID_v, 1 and −r_q, −r_v, 0. `stand_in` replaces the numbers of [`found`](PartsOfSides::found); everything
/// after them uses the replacements.
///
/// # Errors
/// Same as the function itself.
pub fn parts_of_constrained_fd<T: Real>(
    constraints: &Constraints,
    q: &[T],
    v: &[T],
    tau: &[T],
    stand_in: &mut dyn FnMut(usize) -> T,
) -> Result<PartsOfSides<T>, Error> {
    let (model, rows) = (constraints.model(), constraints.rows());
    let scene = Scene::from(model).constraints(constraints);
    let (mut results, mut by, mut found) = (both(model, rows), square(model, 2), Vec::new());
    let s = made(ConstrainedFdPartials {}, &scene, rows, |s| {
        let ([qdd, lambda], (dq, dv)) = (&mut results, by.split_at_mut(model.nv() * model.nv()));
        derivatives::prepare(&scene, s, [q, v, tau], [qdd, lambda, dq, dv], |of| found = stood_for(of, stand_in))
    })?;
    results[0].copy_from_slice(&found[..model.nv()]);
    let (n, stride) = (model.nv(), s.constraints.g.stride);
    let mut room = s.constraints;
    let of_tau = |r: usize| (0..n).map(move |c| if r == c { T::one() } else { T::zero() });
    let of_accelerations = |r: usize| (0..2 * n).map(|c| -by[c * n + r]).chain(of_tau(r)).collect();
    let of_forces = |r: usize| {
        let by_x = room.r_q.chunks_exact(stride).chain(room.r_v.chunks_exact(stride)).map(|column| -column[r]);
        by_x.chain((0..n).map(|_| T::zero())).collect()
    };
    let sides = (0..n).map(of_accelerations).chain((0..rows).map(of_forces)).collect();
    let turn = turn(&room, rows);
    Ok(PartsOfSides { results, found, sides, turn, constraints: constraints.clone(), room: mem::take(&mut room) })
}

/// Inputs for [`impulse_derivatives`](crate::impulse_derivatives()): right-hand sides −A, 0 and −r_q,
/// −(1 + e) J. `stand_in` is used in the same way.
///
/// # Errors
/// Same as the function itself.
pub fn parts_of_impulse<T: Real>(
    constraints: &Constraints,
    q: &[T],
    v: &[T],
    restitution: &[T],
    stand_in: &mut dyn FnMut(usize) -> T,
) -> Result<PartsOfSides<T>, Error> {
    let (model, rows) = (constraints.model(), constraints.rows());
    let scene = Scene::from(model).constraints(constraints).gravity([0.0; 3]);
    let (mut results, mut by, mut found) = (both(model, rows), square(model, 1), Vec::new());
    let s = made(ImpulsePartials {}, &scene, rows, |s| {
        let [after, impulse] = &mut results;
        impulse::prepare(&scene, s, [q, v, restitution], [after, impulse, &mut by], |of| {
            found = stood_for(of, stand_in)
        })
    })?;
    results[0].copy_from_slice(&found[..model.nv()]);
    let (n, stride) = (model.nv(), s.constraints.g.stride);
    let mut room = s.constraints;
    let more = -(T::one() + restitution[0]);
    let of_velocities = |r: usize| (0..n).map(|c| -by[c * n + r]).chain((0..n).map(|_| T::zero())).collect();
    let of_impulses = |r: usize| {
        let by_q = room.r_q.chunks_exact(stride).map(|column| -column[r]);
        by_q.chain(room.j.chunks_exact(stride).map(|column| column[r] * more)).collect()
    };
    let sides = (0..n).map(of_velocities).chain((0..rows).map(of_impulses)).collect();
    let turn = turn(&room, rows);
    Ok(PartsOfSides { results, found, sides, turn, constraints: constraints.clone(), room: mem::take(&mut room) })
}

/// Replaces numbers, and returns the original ones.
fn stood_for<T: Real>(of: [&mut [T]; 2], stand_in: &mut dyn FnMut(usize) -> T) -> Vec<T> {
    let all = of.into_iter().flatten().enumerate();
    all.map(|(k, x)| mem::replace(x, stand_in(k))).collect()
}

/// Scratch of an algorithm after `prepare`.
fn made<T: Real, A: Algorithm<I, O>, const I: usize, const O: usize>(
    function: A,
    scene: &Scene<'_, T>,
    rows: usize,
    prepare: impl FnOnce(&mut Scratch<T>) -> Done,
) -> Result<Scratch<T>, Error> {
    let mut s = memory(scene.model).scratch;
    function.reserve(scene.model, &mut s);
    function.reserve_rows(scene.model, rows, &mut s);
    prepare(&mut s).map_err(|singular| singular.error(scene.model, scene.constraints))?;
    Ok(s)
}

fn both<T: Real>(model: &Model, rows: usize) -> [Vec<T>; 2] {
    [vec![T::zero(); model.nv()], vec![T::zero(); rows]]
}

fn square<T: Real>(model: &Model, count: usize) -> Vec<T> {
    vec![T::zero(); count * model.nv() * model.nv()]
}

fn turn<T: Real>(room: &Room<T>, rows: usize) -> Vec<T> {
    room.turn.chunks_exact(room.g.stride).flat_map(|column| column[..rows].iter().copied()).collect()
}
