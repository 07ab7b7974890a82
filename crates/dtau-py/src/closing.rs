//! Configurations and velocities that satisfy constraints, and a simulation step: `assemble`, `project_velocity`,
//! `freedom`, `constrained_step`. Accepts any number of states, computed one after the other.

use crate::arrays::{self, Few, Given, Input, Numbers};
use crate::check;
use crate::constraints::PyConstraints;
use crate::direct::Borrowing;
use crate::errors::{OrRaise, exception, with_message};
use crate::model::PyModel;
use crate::scene::Surroundings;
use dtau::{Closed, Closing, Constraints, Error, Scene, Workspace};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Arrays that these functions read, in the order of `constrained_fd`.
const STATE: [&str; 3] = ["q", "v", "tau"];

/// Arguments of a call other than its arrays.
struct Call<'a, 'py> {
    model: &'a Bound<'py, PyModel>,
    surroundings: Surroundings<'a, 'py>,
    set: &'a Constraints,
}

impl<'a, 'py> Call<'a, 'py> {
    fn new(
        model: &'a Bound<'py, PyModel>,
        constraints: &'a Bound<'py, PyConstraints>,
        active: Option<&'a Bound<'py, PyAny>>,
        desired: Option<&'a Bound<'py, PyAny>>,
    ) -> Self {
        let constraints = constraints.get();
        let surroundings = Surroundings {
            constraints: Some(constraints),
            active: given(active),
            desired: given(desired),
            ..Surroundings::default()
        };
        Self { model, surroundings, set: &constraints.set }
    }

    /// Runs `compute` for every state. Returns the leading axes.
    fn each(
        &self,
        arrays: &[&Bound<'py, PyAny>],
        mut compute: impl FnMut(Scene<'_, f64>, &mut Workspace, &[&[f64]]) -> Result<(), Error> + Send,
    ) -> PyResult<Vec<usize>> {
        let (py, shared) = (self.model.py(), self.model.get());
        let declaration = dtau::function("constrained_fd").or_raise()?;
        debug_assert!(declaration.inputs.iter().map(|arg| arg.name).eq(STATE));
        let inputs: Vec<Input> =
            declaration.inputs[..arrays.len()].iter().map(|arg| Input::new(arg, &shared.model, 0)).collect();
        let numbers = Few::new(arrays.len(), |k| Numbers::new(inputs[k], arrays[k].as_borrowed()))?;
        let lead = arrays::lead(&numbers)?;
        let rows = arrays::all_rows::<f64>(&numbers, &lead)?;
        let _borrowing = Borrowing::begin(py);
        let rows = arrays::borrow(&declaration.inputs[..arrays.len()], &rows)?;
        let x: Vec<&[f64]> = rows.iter().map(|x| x.as_slice().expect("rows are contiguous")).collect();
        for (input, x) in inputs.iter().zip(&x) {
            check::many(shared, *input, &lead, x)?;
        }
        let external = self.surroundings.external_forces::<f64>(shared, &lead)?;
        let held = self.surroundings.held::<f64>(&lead)?;
        let scene = self.surroundings.scene(&shared.model, &external.wrenches)?;
        let mut ws = Workspace::try_new(&shared.model).or_raise()?;
        for state in 0..lead.iter().product() {
            let part = state..state + 1;
            let now: Vec<&[f64]> =
                x.iter().zip(&inputs).map(|(x, input)| &x[state * input.length..][..input.length]).collect();
            let scene = held.of(external.of(scene, &part), &part);
            py.detach(|| compute(scene, &mut ws, &now)).map_err(|error| match lead.len() {
                0 => exception(&error),
                _ => with_message(error.kind(), format!("state {}: {}", check::place(&lead, state), error.message())),
            })?;
            py.check_signals()?;
        }
        Ok(lead)
    }
}

fn given<'a, 'py>(x: Option<&'a Bound<'py, PyAny>>) -> Option<Given<'a, 'py>> {
    x.filter(|x| !x.is_none()).map(Bound::as_borrowed)
}

/// Returns the numbers of all states as an array with axes `lead` and `own`, or a scalar if there are no axes.
fn array<'py, T: Element>(
    py: Python<'py>,
    lead: &[usize],
    own: &[usize],
    numbers: Vec<T>,
) -> PyResult<Bound<'py, PyAny>> {
    let shaped = PyArray1::from_vec(py, numbers).reshape([lead, own].concat())?.into_any();
    if lead.is_empty() && own.is_empty() { shaped.call_method0("item") } else { Ok(shaped) }
}

/// Iterations and residuals of all states.
#[derive(Default)]
struct Taken {
    iterations: Vec<i64>,
    residual: Vec<f64>,
}

impl Taken {
    fn push(&mut self, closed: Closed) {
        self.iterations.push(closed.iterations as i64);
        self.residual.push(closed.residual);
    }

    fn arrays<'py>(self, py: Python<'py>, lead: &[usize]) -> PyResult<[Bound<'py, PyAny>; 2]> {
        Ok([array(py, lead, &[], self.iterations)?, array(py, lead, &[], self.residual)?])
    }
}

/// Finds the nearest configuration that satisfies the positions of constraints: closes loops.
///
/// The distance is ``|q ⊖ q₀|``, with radians and metres weighted equally. The search goes downhill from the
/// guess, so a mechanism with two assembly modes ends in one of them. Joint limits are ignored. If the loops
/// do not close, raises ValueError with the names and errors of the open constraints.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// constraints : dtau.Constraints
/// q : array of shape (nq,) or (..., nq)
///     Initial guess.
/// tolerance : float
///     Largest remaining error of any row [m, rad].
/// most_iterations : int
///     Limit of iterations.
/// nearest : bool
///     True for the nearest configuration; False for any near the guess.
/// active : array of shape (constraints,) or (..., constraints), optional
///     A number above zero for each active constraint.
/// desired : array of shape (3, rows) or (..., 3, rows), optional
///     The desired motion. Only its positions are used.
///
/// Returns
/// -------
/// dtau.Assembled
///
/// Examples
/// --------
/// >>> import dtau
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> foot = dtau.Constraints(model).point("lf_foot").at_world([0.3, 0.2, -0.35])
/// >>> closed = dtau.assemble(model, foot, model.neutral())
/// >>> bool(closed.residual <= 1e-10), bool(abs(dtau.constraint_errors(model, foot, closed.q, [0] * model.nv).position).max() <= 1e-10)
/// (True, True)
#[pyfunction]
#[pyo3(signature = (model, constraints, q, *, tolerance=1e-10, most_iterations=200, nearest=true, active=None, desired=None))]
pub(crate) fn assemble<'py>(
    model: &Bound<'py, PyModel>,
    constraints: &Bound<'py, PyConstraints>,
    q: &Bound<'py, PyAny>,
    tolerance: f64,
    most_iterations: usize,
    nearest: bool,
    active: Option<&Bound<'py, PyAny>>,
    desired: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    let call = Call::new(model, constraints, active, desired);
    let closing = Closing { tolerance, most_iterations, nearest };
    let (set, mut all, mut taken) = (call.set, Vec::new(), Taken::default());
    let lead = call.each(&[q], |scene, ws, x| {
        let mut q = x[0].to_vec();
        taken.push(dtau::assemble(scene, ws, set, &closing, &mut q)?);
        all.extend(q);
        Ok(())
    })?;
    let q = array(py, &lead, &[set.model().nq()], all)?;
    let [iterations, residual] = taken.arrays(py, &lead)?;
    py.import("dtau._results")?.getattr("Assembled")?.call1((q, iterations, residual))
}

/// Finds the nearest velocity that satisfies constraints: ``J v = ċ*``, the desired velocities, or zero.
///
/// The distance is kinetic energy, so the result is that of an inelastic impact. Raises
/// numpy.linalg.LinAlgError, with names, if no velocity satisfies all constraints.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// constraints : dtau.Constraints
/// q : array of shape (nq,) or (..., nq)
/// v : array of shape (nv,) or (..., nv)
/// active : array of shape (constraints,) or (..., constraints), optional
///     A number above zero for each active constraint.
/// desired : array of shape (3, rows) or (..., 3, rows), optional
///     The desired motion. Only its velocities are used.
///
/// Returns
/// -------
/// array of shape (nv,) or (..., nv)
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> q, v = model.neutral(), np.ones(model.nv)
/// >>> foot = dtau.Constraints(model).point("lf_foot").at_world_here(q)
/// >>> np.allclose(dtau.project_velocity(model, foot, q, v), dtau.impulse(model, foot, q, v).v_after)
/// True
#[pyfunction]
#[pyo3(signature = (model, constraints, q, v, *, active=None, desired=None))]
pub(crate) fn project_velocity<'py>(
    model: &Bound<'py, PyModel>,
    constraints: &Bound<'py, PyConstraints>,
    q: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    active: Option<&Bound<'py, PyAny>>,
    desired: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call::new(model, constraints, active, desired);
    let (set, mut all) = (call.set, Vec::new());
    let lead = call.each(&[q, v], |scene, ws, x| {
        let mut v = x[1].to_vec();
        dtau::project_velocity(scene, ws, set, x[0], &mut v)?;
        all.extend(v);
        Ok(())
    })?;
    array(model.py(), &lead, &[set.model().nv()], all)
}

/// Returns the number of degrees of freedom that constraints leave at ``q``: nv minus the rank of J.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// constraints : dtau.Constraints
/// q : array of shape (nq,) or (..., nq)
/// active : array of shape (constraints,) or (..., constraints), optional
///     A number above zero for each active constraint.
///
/// Returns
/// -------
/// int, or an array of them
///
/// Examples
/// --------
/// >>> import dtau
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> foot = dtau.Constraints(model).point("lf_foot").at_world_here(model.neutral())
/// >>> dtau.freedom(model, foot, model.neutral())
/// 15
#[pyfunction]
#[pyo3(signature = (model, constraints, q, *, active=None))]
pub(crate) fn freedom<'py>(
    model: &Bound<'py, PyModel>,
    constraints: &Bound<'py, PyConstraints>,
    q: &Bound<'py, PyAny>,
    active: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call::new(model, constraints, active, None);
    let (set, mut all) = (call.set, Vec::new());
    let lead = call.each(&[q], |scene, ws, x| {
        all.push(dtau::freedom(scene, ws, set, x[0])? as i64);
        Ok(())
    })?;
    array(model.py(), &lead, &[], all)
}

/// Computes one simulation step under constraints: ``q`` and ``v`` after ``dt`` seconds, which satisfy the
/// constraints.
///
/// Semi-implicit Euler. Then the positions are closed (:func:`dtau.assemble`) and the velocity is projected
/// (:func:`dtau.project_velocity`). First order in ``dt``, without drift. No gains are needed.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// constraints : dtau.Constraints
/// q : array of shape (nq,) or (..., nq)
/// v, tau : array of shape (nv,) or (..., nv)
/// dt : float
///     Time step [s].
/// f_ext : iterable of dtau.Wrench, optional
///     External forces.
/// gravity : array of shape (3,), optional
///     Replaces the model's gravity [m/s²].
/// damping, friction, armature : bool
///     True if these effects of the joints are included.
/// active : array of shape (constraints,) or (..., constraints), optional
///     A number above zero for each active constraint.
/// desired : array of shape (3, rows) or (..., 3, rows), optional
///     The desired motion at the end of the step.
///
/// Returns
/// -------
/// dtau.ConstrainedStep
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> q, v = model.neutral(), np.zeros(model.nv)
/// >>> foot = dtau.Constraints(model).point("lf_foot").at_world_here(q)
/// >>> for _ in range(10):
/// ...     q, v, *_ = dtau.constrained_step(model, foot, q, v, np.zeros(model.nv), 0.01)
/// >>> bool(abs(dtau.constraint_errors(model, foot, q, v).position).max() < 1e-9)
/// True
#[pyfunction]
#[pyo3(signature = (
    model, constraints, q, v, tau, dt, *, f_ext=None, gravity=None, damping=true, friction=true, armature=true, active=None, desired=None
))]
pub(crate) fn constrained_step<'py>(
    model: &Bound<'py, PyModel>,
    constraints: &Bound<'py, PyConstraints>,
    q: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    tau: &Bound<'py, PyAny>,
    dt: f64,
    f_ext: Option<&Bound<'py, PyAny>>,
    gravity: Option<&Bound<'py, PyAny>>,
    damping: bool,
    friction: bool,
    armature: bool,
    active: Option<&Bound<'py, PyAny>>,
    desired: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if !dt.is_finite() {
        return Err(PyValueError::new_err(format!("`dt` is {dt}; it must be finite, such as 0.001 s")));
    }
    let py = model.py();
    let mut call = Call::new(model, constraints, active, desired);
    call.surroundings =
        Surroundings { f_ext: given(f_ext), gravity: given(gravity), damping, friction, armature, ..call.surroundings };
    let (set, mut all_q, mut all_v, mut taken) = (call.set, Vec::new(), Vec::new(), Taken::default());
    let lead = call.each(&[q, v, tau], |scene, ws, x| {
        let (mut q, mut v) = (x[0].to_vec(), x[1].to_vec());
        taken.push(dtau::constrained_step(scene, ws, set, dt, x[2], &mut q, &mut v)?);
        all_q.extend(q);
        all_v.extend(v);
        Ok(())
    })?;
    let (q, v) = (array(py, &lead, &[set.model().nq()], all_q)?, array(py, &lead, &[set.model().nv()], all_v)?);
    let [iterations, residual] = taken.arrays(py, &lead)?;
    py.import("dtau._results")?.getattr("ConstrainedStep")?.call1((q, v, iterations, residual))
}
