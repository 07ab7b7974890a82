//! Motion that satisfies constraints: velocities, number of freedoms, and a simulation step.
//!
//! ```text
//! v ← v − M⁻¹Jᵀ (J M⁻¹Jᵀ)⁺ (J v − ċ*)          the nearest in the metric of M                (1)
//! freedom = nv − rank J                                                                       (2)
//! v' = v + dt q̈      q' = q ⊕ dt v'      q' closed, v' by (1) there                           (3)
//! ```
//!
//! (1) is an inelastic impact: momentum changes only through the constraints, and the lost kinetic energy is
//! minimal. With M = LᵀDL it is the spectrum of D^−½ L⁻ᵀ Jᵀ.

use super::closing::{Closed, Closing, assemble, check_call};
use super::elimination::Factorise;
use super::forward;
use super::geometry::Geometry;
use super::spectrum::{Spectrum, dot};
use super::{Constrained, ConstrainedFd, Constraints, constrained_fd};
use crate::Workspace;
use crate::dispatch::{Twin, step};
use crate::door::Counts;
use crate::dynamics::ltdl;
use crate::engines::{Memory, OnTwin};
use crate::error::{Error, ErrorKind};
use crate::scene::Scene;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Changes `v` to the nearest velocity that satisfies the constraints at `q`: `J v = ċ*`, with the scene's
/// desired velocities, or zero.
///
/// - Distance is the kinetic energy norm, `(v − v₀)ᵀ M (v − v₀)`, as in an inelastic impact. It does not
///   depend on units.
/// - The function allocates memory, and needs a singular value decomposition. Do not use it in inner loops.
///
/// # Errors
/// If a length, the workspace or the constraints do not fit the model, if a body has no inertia along its
/// joint, or if no velocity satisfies all constraints. After an error `v` is unchanged.
pub fn project_velocity<'m>(
    scene: impl Into<Scene<'m, f64>>,
    ws: &mut Workspace,
    constraints: &'m Constraints,
    q: &[f64],
    v: &mut [f64],
) -> Result<(), Error> {
    let scene = scene.into().constraints(constraints);
    let (model, nv, m) = (scene.model, scene.model.nv(), constraints.rows());
    check_call(&scene, ws, &[("q", q.len(), model.nq()), ("v", v.len(), nv)])?;
    let Rows { stride, j, y, l, d_inv, wanted } = ws.run(Weigh { scene: &scene, q })?;
    let column = |x: &[f64], row: usize| -> Vec<f64> { (0..nv).map(|k| x[k * stride + row]).collect() };
    let rate = |row: usize, v: &[f64]| dot(&column(&j, row), v) - wanted[row];
    let scaled = (0..m).flat_map(|row| column(&y, row).into_iter().zip(&d_inv).map(|(y, d)| y * libm::sqrt(*d)));
    let spectrum = Spectrum::of(nv, scaled.collect());
    let mut next = v.to_vec();
    // The second pass removes the rounding error of the first.
    for _ in 0..2 {
        let excess: Vec<f64> = (0..m).map(|row| rate(row, &next)).collect();
        let p = spectrum.multipliers(&excess);
        let mut change: Vec<f64> = (0..nv).map(|k| d_inv[k] * dot(&y[k * stride..][..m], &p)).collect();
        ltdl::solve_outward(model.elimination(), &l, &mut change);
        next.iter_mut().zip(change).for_each(|(v, change)| *v -= change); // (1)
    }
    let left: Vec<f64> = (0..m).map(|row| rate(row, &next)).collect();
    if next.iter().chain(&left).any(|x| !x.is_finite()) {
        let message =
            "project_velocity: the result is not finite; a number of `q`, `v` or `desired` is not, or too large";
        return Err(Error::new(ErrorKind::Value, message));
    }
    let allowed = 1e-7 * wanted.iter().chain(&*v).fold(1.0, |most, x| f64::max(most, x.abs()));
    if left.iter().any(|x| x.abs() > allowed) {
        let names = constraints.still_open(&left, allowed);
        let message = format!("no velocity obeys all constraints: {names} left; make the desired velocities agree");
        return Err(Error::new(ErrorKind::Singular, message));
    }
    v.copy_from_slice(&next);
    Ok(())
}

/// Number of degrees of freedom at `q` under the constraints: nv minus the rank of J.
///
/// A direction counts as free if it moves the constrained quantities by less than 10⁻⁷ of the largest effect.
/// At a dead centre a mechanism has more freedoms than nearby.
///
/// # Errors
/// If a length, the workspace or the constraints do not fit the model, or a number of `q` is not finite.
pub fn freedom<'m>(
    scene: impl Into<Scene<'m, f64>>,
    ws: &mut Workspace,
    constraints: &'m Constraints,
    q: &[f64],
) -> Result<usize, Error> {
    let scene = scene.into().constraints(constraints);
    check_call(&scene, ws, &[("q", q.len(), scene.model.nq())])?;
    let at = Geometry::of(&scene, constraints, ws, q)?;
    if !at.is_finite() {
        let message = "freedom: a number of `q` is not finite or too large, or two points at a distance coincide";
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(scene.model.nv() - Spectrum::of(scene.model.nv(), at.j).rank()) // (2)
}

/// Takes one simulation step of `dt` seconds under constraints. Afterwards `q` and `v` satisfy the
/// constraints.
///
/// - Semi-implicit Euler. Then the positions are closed ([`assemble`]) and the velocity is projected
///   ([`project_velocity`]). First order in `dt`, without drift, without gains.
/// - The scene's desired motion is that at the end of the step.
/// - The function allocates memory. Use it for examples and checks, not in inner loops.
///
/// # Errors
/// Same as [`constrained_fd`](crate::constrained_fd()), [`assemble`] and [`project_velocity`]. After an error
/// `q` and `v` are unchanged.
pub fn constrained_step<'m>(
    scene: impl Into<Scene<'m, f64>>,
    ws: &mut Workspace,
    constraints: &'m Constraints,
    dt: f64,
    tau: &[f64],
    q: &mut [f64],
    v: &mut [f64],
) -> Result<Closed, Error> {
    let scene = scene.into();
    let mut out = Constrained::new(constraints);
    constrained_fd(scene, ws, constraints, q, v, tau, &mut out)?;
    let mut v_next: Vec<f64> = v.iter().zip(&out.qdd).map(|(v, qdd)| v + dt * qdd).collect();
    let (moved, mut q_next): (Vec<f64>, Vec<f64>) = (v_next.iter().map(|v| dt * v).collect(), q.to_vec());
    scene.model.integrate(q, &moved, &mut q_next)?;
    let closed = assemble(scene, ws, constraints, &Closing { nearest: false, ..Closing::default() }, &mut q_next)?;
    project_velocity(scene, ws, constraints, &q_next, &mut v_next)?; // (3)
    q.copy_from_slice(&q_next);
    v.copy_from_slice(&v_next);
    Ok(closed)
}

/// J and the factor of M at a configuration.
struct Rows {
    stride: usize,
    /// Jᵀ and L⁻ᵀJᵀ, by rows of a degree of freedom.
    j: Vec<f64>,
    y: Vec<f64>,
    /// L and D⁻¹.
    l: Vec<f64>,
    d_inv: Vec<f64>,
    /// ċ*, in the axes of `j`.
    wanted: Vec<f64>,
}

struct Weigh<'a> {
    scene: &'a Scene<'a, f64>,
    q: &'a [f64],
}

impl OnTwin<f64> for Weigh<'_> {
    type Output = Result<Rows, Error>;

    fn run<N: Twin<f64>>(self, memory: &mut Memory<N>) -> Self::Output {
        let Self { scene: plain, q } = self;
        let (scene, model, rows) = (plain.recast::<N>(), plain.model, plain.rows());
        memory.reserve_for(ConstrainedFd {}, model, Counts { columns: 1, rows })?;
        let (s, zeros) = (&mut memory.scratch, vec![0.0; model.nv()]);
        forward::set_up::<N, false>(scene, s, N::slice(q), N::slice(&zeros));
        let factorised = step(s.proof, Factorise { scene, s });
        factorised.map_err(|singular| singular.error(model, plain.constraints))?;
        let room = &s.constraints;
        let mut wanted = vec![0.0; rows];
        if let (Some(desired), Some(constraints)) = (plain.desired, plain.constraints) {
            wanted.copy_from_slice(&desired[rows..2 * rows]);
            for (item, seen) in constraints.items().iter().zip(&room.seen) {
                item.turn(seen.as_ref(), false, &mut N::slice_mut(&mut wanted)[item.rows()]);
            }
        }
        let [j, y, l, d_inv] = [&room.j, &room.y, &room.m, &room.d_inv].map(|x| N::plain(x).to_vec());
        Ok(Rows { stride: room.g.stride, j, y, l, d_inv, wanted })
    }
}
