//! Closing loops: the configuration nearest to a guess that satisfies the constraints.
//!
//! ```text
//! close      δ = −Eᵀ (E Eᵀ + μ)⁻¹ e          q ← q ⊕ δ          E = ∂e/∂q [`geometry`](super::geometry)       (1)
//! approach   δ = −(1 − E⁺E) ∂(½|q ⊖ q₀|²)/∂q                    along what is closed, towards the guess       (2)
//! ```
//!
//! (1) is Gauss–Newton with the damping of \[Levenberg44\]: μ stays zero while that reduces e. If no
//! direction reduces e (a dead centre), the guess is perturbed slightly. Each step (2) is followed by (1),
//! and shortened until it gets nearer.

use super::Constraints;
use super::geometry::Geometry;
use super::spectrum::{Spectrum, dot};
use crate::Workspace;
use crate::door::check;
use crate::error::{Error, ErrorKind};
use crate::random::Random;
use crate::scene::Scene;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Options of [`assemble`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closing {
    /// Largest allowed error of any row \[m, rad\].
    pub tolerance: f64,
    /// Maximum number of steps.
    pub most_iterations: usize,
    /// True to find the nearest configuration, false for any near the guess.
    pub nearest: bool,
}

impl Default for Closing {
    /// 1e-10 m or rad, 200 steps, nearest configuration.
    fn default() -> Self {
        Self { tolerance: 1e-10, most_iterations: 200, nearest: true }
    }
}

/// Result of [`assemble`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closed {
    /// Number of steps.
    pub iterations: usize,
    /// Largest remaining error of any row \[m, rad\].
    pub residual: f64,
}

/// Moves `q` to the nearest configuration that satisfies the position constraints.
///
/// - Distance is `|q ⊖ q₀|`, with radians and metres weighted equally. The result is a local minimum: a
///   mechanism that closes in two ways ends in one of them. Every joint may move; joint limits are ignored.
/// - The scene defines the active constraints and the desired positions. Gains have no effect. Redundant
///   constraints are allowed.
/// - The function allocates memory, and every step needs a singular value decomposition of nv × rows. Do not
///   use it in inner loops.
///
/// ```
/// # use dtau::model::{Model, Options, Root};
/// # use dtau::{Closing, Constraints, Workspace, assemble};
/// # let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() })?;
/// let mut q = model.neutral();
/// let feet = Constraints::new(&model).point("lf_foot").at_world([0.3, 0.2, -0.35]).build()?;
/// let closed = assemble(&model, &mut Workspace::new(&model), &feet, &Closing::default(), &mut q)?;
/// assert!(closed.residual <= 1e-10);
/// # Ok::<(), dtau::Error>(())
/// ```
///
/// # Errors
/// If a length, the workspace or the constraints do not fit the model, or if the constraints do not close:
/// the error names those that stay open, with their errors. After an error `q` is unchanged.
pub fn assemble<'m>(
    scene: impl Into<Scene<'m, f64>>,
    ws: &mut Workspace,
    constraints: &'m Constraints,
    closing: &Closing,
    q: &mut [f64],
) -> Result<Closed, Error> {
    let scene = scene.into().constraints(constraints);
    check_call(&scene, ws, &[("q", q.len(), scene.model.nq())])?;
    if !(closing.tolerance > 0.0 && closing.tolerance.is_finite()) {
        let message =
            format!("assemble: the tolerance is {}; give it a positive one, such as 1e-10", closing.tolerance);
        return Err(Error::new(ErrorKind::Value, message));
    }
    let mut search = Search { scene, constraints, ws, closing, iterations: 0 };
    let mut at = search.look(q)?;
    let mut to = q.to_vec();
    search.close(&mut to, &mut at)?;
    if closing.nearest {
        search.approach(q, &mut to, &mut at)?;
    }
    q.copy_from_slice(&to);
    Ok(Closed { iterations: search.iterations, residual: at.largest() })
}

/// Checks the lengths of arrays, the workspace and the constraints.
pub(super) fn check_call(scene: &Scene<'_, f64>, ws: &Workspace, arrays: &[(&str, usize, usize)]) -> Result<(), Error> {
    ws.check(scene.model)?;
    scene.check()?;
    check::of_scene(scene, 1)?;
    scene.model.check_lengths(arrays)
}

struct Search<'a, 'm> {
    scene: Scene<'m, f64>,
    constraints: &'m Constraints,
    ws: &'a mut Workspace,
    closing: &'a Closing,
    iterations: usize,
}

impl Search<'_, '_> {
    fn look(&mut self, q: &[f64]) -> Result<Geometry, Error> {
        let at = Geometry::of(&self.scene, self.constraints, self.ws, q)?;
        if at.is_finite() {
            return Ok(at);
        }
        let bad = self.constraints.iter().find(|item| {
            let (nv, rows) = (self.scene.model.nv(), item.rows());
            let slope = &at.slope[rows.start * nv..rows.end * nv];
            at.e[rows].iter().chain(slope).any(|x| !x.is_finite())
        });
        let name = bad.map_or("", |item| item.name());
        let message = if q.iter().all(|q| q.is_finite()) {
            format!(
                "assemble: constraint \"{name}\" has no direction here, or numbers too large: two points at a distance must not \
                 coincide; start elsewhere"
            )
        } else {
            "assemble: a number of `q` is not finite".into()
        };
        Err(Error::new(ErrorKind::Value, message))
    }

    /// (1), until all constraints are closed.
    fn close(&mut self, q: &mut Vec<f64>, at: &mut Geometry) -> Result<(), Error> {
        let (mut damping, mut nudges, random) = (0.0, 0, &mut Random::seeded(1));
        let mut best = at.e.clone();
        while at.largest() > self.closing.tolerance {
            if self.iterations >= self.closing.most_iterations {
                return Err(self.open(&best));
            }
            self.iterations += 1;
            if let Some((next, there)) = self.closer(q, at, &mut damping)? {
                (*q, *at) = (next, there);
                if dot(&at.e, &at.e) < dot(&best, &best) {
                    best.clone_from(&at.e);
                }
                continue;
            }
            // To first order, no open constraint can be closed from here.
            nudges += 1;
            if nudges > 3 {
                return Err(self.open(&best));
            }
            let size = 0.02 * f64::from(nudges);
            let step: Vec<f64> = (0..self.scene.model.nv()).map(|_| random.within(-size, size)).collect();
            *q = self.moved(q, &step)?;
            *at = self.look(q)?;
            damping = 0.0;
        }
        Ok(())
    }

    /// Takes a step of (1) that reduces e by a fraction of the predicted reduction, if there is one.
    fn closer(&mut self, q: &[f64], at: &Geometry, damping: &mut f64) -> Result<Option<(Vec<f64>, Geometry)>, Error> {
        let nv = self.scene.model.nv();
        let spectrum = Spectrum::of(nv, at.slope.clone());
        let (largest, now) = (spectrum.largest(), dot(&at.e, &at.e));
        let reach = f64::max(1.0, 0.5 * at.largest());
        while largest > 0.0 && *damping <= 1e6 * largest {
            let mut step = spectrum.solve(&at.e, *damping);
            let most = step.iter().fold(0.0, |most, x| f64::max(most, x.abs()));
            let shorten = if most > reach { reach / most } else { 1.0 };
            step.iter_mut().for_each(|x| *x *= -shorten);
            let left = at.e.iter().zip(at.slope.chunks_exact(nv)).map(|(e, slope)| e + dot(slope, &step));
            let promised = now - left.map(|e| e * e).sum::<f64>();
            if promised <= 1e-14 * now {
                return Ok(None);
            }
            let next = self.moved(q, &step)?;
            let there = self.look(&next)?;
            if now - dot(&there.e, &there.e) > 1e-2 * promised {
                *damping = if *damping < 1e-9 * largest { 0.0 } else { *damping / 10.0 };
                return Ok(Some((next, there)));
            }
            *damping = f64::max(4.0 * *damping, 1e-8 * largest);
        }
        Ok(None)
    }

    /// (2), until it gets no nearer.
    fn approach(&mut self, from: &[f64], q: &mut Vec<f64>, at: &mut Geometry) -> Result<(), Error> {
        let (model, nv) = (self.scene.model, self.scene.model.nv());
        let (mut away, mut by_from, mut by_to) = (vec![0.0; nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
        while self.iterations < self.closing.most_iterations {
            model.difference(from, q, &mut away)?;
            model.difference_derivatives(from, q, &mut by_from, &mut by_to)?;
            let gradient: Vec<f64> = by_to.chunks_exact(nv.max(1)).map(|column| dot(column, &away)).collect();
            let along = Spectrum::of(nv, at.slope.clone()).unseen(&gradient);
            let (distance, slope) = (dot(&away, &away), dot(&along, &along));
            if slope <= 1e-16 * distance {
                return Ok(());
            }
            let mut length = 1.0;
            let nearer = loop {
                let step: Vec<f64> = along.iter().map(|x| -length * x).collect();
                let mut next = self.moved(q, &step)?;
                let closed = self.look(&next).and_then(|mut there| self.close(&mut next, &mut there).map(|()| there));
                if let Ok(there) = closed {
                    model.difference(from, &next, &mut away)?;
                    if dot(&away, &away) < distance - 1e-4 * length * slope {
                        break Some((next, there));
                    }
                }
                length *= 0.5;
                if length < 1e-3 || self.iterations >= self.closing.most_iterations {
                    break None;
                }
            };
            let Some(nearer) = nearer else { return Ok(()) };
            (*q, *at) = nearer;
        }
        Ok(())
    }

    fn moved(&self, q: &[f64], step: &[f64]) -> Result<Vec<f64>, Error> {
        let mut next = q.to_vec();
        self.scene.model.integrate(q, step, &mut next)?;
        Ok(next)
    }

    /// The error that some constraints do not close.
    #[cold]
    fn open(&self, e: &[f64]) -> Error {
        // An error below a millionth of the worst was still converging.
        let worst = e.iter().fold(0.0, |most, e| f64::max(most, e.abs()));
        let names = self.constraints.still_open(e, f64::max(self.closing.tolerance, 1e-6 * worst));
        let message = format!(
            "the constraints do not close from this configuration: {names} left after {} steps; start nearer to a configuration that \
             obeys them, or check their lengths",
            self.iterations
        );
        Error::new(ErrorKind::Singular, message)
    }
}

impl Constraints {
    /// Names the constraints with rows above a bound, with their errors, the worst first.
    pub(super) fn still_open(&self, e: &[f64], bound: f64) -> String {
        let mut open: Vec<(&str, f64)> = Vec::new();
        for item in self.iter() {
            let own = &e[item.rows()];
            if own.iter().any(|e| e.abs() > bound) {
                open.push((item.name(), libm::sqrt(dot(own, own))));
            }
        }
        open.sort_by(|a, b| b.1.total_cmp(&a.1));
        let more = if open.len() > 4 { format!(" and {} more", open.len() - 4) } else { String::new() };
        let named: Vec<String> = open.iter().take(4).map(|(name, by)| format!("\"{name}\" has {by:.3e}")).collect();
        named.join(", ") + &more
    }
}
