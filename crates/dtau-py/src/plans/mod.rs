//! Calls that are prepared once and then made by number, without Python. XLA and PyTorch use them.
//!
//! ```text
//! _plan(number, model, "aba", …)     a function with its parameters and surroundings, kept until the process ends
//! run(number, x, y)                  the same for any number of states, on any thread
//! ```
//!
//! A compiled XLA program contains only the number of a plan, and may be stored in a file. So the caller
//! makes the number from the plan's content. An unknown number is an error.
//!
//! Quaternions are first normalised, so that a function is defined for all numbers `q`. If a state has a
//! result that is not finite, all its results are NaN, unless the plan is strict. This costs nothing while
//! all results are finite.

pub(crate) mod python;
pub(crate) mod xla;

use crate::arrays::{MOST, Shape};
use crate::model::PyModel;
use crate::scratch::{Number, Scratch};
use dtau::{Error, ErrorKind, Function, Scene, Size, Wrench};
use pyo3::Py;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

/// Number of states that are computed again together after a state failed.
const PART: usize = 64;

static PLANS: RwLock<Option<HashMap<i64, &'static Plan>>> = RwLock::new(None);

/// Function with everything except the numbers of the states.
pub(crate) struct Plan {
    model: Py<PyModel>,
    function: Function,
    normalise: Function,
    surroundings: Surroundings,
    threads: usize,
    strict: bool,
}

/// Surroundings of the robot. The numbers of wrenches are an additional input array.
struct Surroundings {
    gravity: Option<[f64; 3]>,
    damping: bool,
    friction: bool,
    armature: bool,
    wrenches: Vec<Wrench<f64>>,
    wrenches_single: Vec<Wrench<f32>>,
}

impl Plan {
    /// Keeps the plan under a number. An existing plan of that number is the same and is kept.
    fn keep(self, number: i64) {
        let mut plans = PLANS.write().unwrap_or_else(PoisonError::into_inner);
        plans.get_or_insert_default().entry(number).or_insert_with(|| Box::leak(Box::new(self)));
    }

    fn find(number: i64) -> Result<&'static Plan, String> {
        let plans = PLANS.read().unwrap_or_else(PoisonError::into_inner);
        plans.as_ref().and_then(|plans| plans.get(&number).copied()).ok_or_else(|| {
            format!(
                "there is no call number {number} in this process; the program was made in another one: trace it here once"
            )
        })
    }

    /// Length of each input array for one state, forces last.
    fn input_lengths(&self) -> impl Iterator<Item = usize> {
        let (model, wrenches) = (&self.model.get().model, self.surroundings.wrenches.len());
        let inputs = self.function.declaration().inputs.iter().map(|arg| arg.size.of(model, 1));
        inputs.chain((wrenches > 0).then_some(6 * wrenches))
    }

    fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.function.declaration().outputs.iter().map(|arg| Shape::new(arg.size, &self.model.get().model, 0))
    }
}

/// Computes a plan, for as many states as the arrays have.
pub(crate) fn run<F: Planned>(number: i64, x: &[&[F]], y: &mut [&mut [F]]) -> Result<(), String> {
    let plan = Plan::find(number)?;
    let states = count_states(plan, x, y)?;
    let shared = plan.model.get();
    let mut scratch = shared.pool.take(&shared.model).map_err(|error| error.to_string())?;
    let done = all(plan, &mut scratch, x, y, states);
    shared.pool.put(scratch);
    done.map_err(|error| format!("{}: {error}", plan.function.declaration().name))
}

/// Returns the number of states, which must be the same for all arrays.
fn count_states<F>(plan: &Plan, x: &[&[F]], y: &[&mut [F]]) -> Result<usize, String> {
    let name = plan.function.declaration().name;
    let (reads, writes) = (plan.input_lengths().count(), plan.shapes().count());
    if (x.len(), y.len()) != (reads, writes) {
        let (given, into) = (x.len(), y.len());
        return Err(format!("{name} reads {reads} arrays and writes {writes}, but was given {given} and {into}"));
    }
    let own = || plan.input_lengths().chain(plan.shapes().map(Shape::len));
    let given = || x.iter().map(|x| x.len()).chain(y.iter().map(|y| y.len()));
    let states = own().zip(given()).find(|&(own, _)| own > 0).map_or(0, |(own, given)| given / own);
    match own().zip(given()).find(|&(own, given)| own.checked_mul(states) != Some(given)) {
        None => Ok(states),
        Some((own, given)) => Err(format!("{name}: an array has {given} numbers; {states} states have {own} each")),
    }
}

/// Computes all states. Results of failed states are NaN.
fn all<F: Planned>(
    plan: &Plan,
    scratch: &mut Scratch,
    x: &[&[F]],
    y: &mut [&mut [F]],
    states: usize,
) -> Result<(), Error> {
    match part(plan, scratch, x, y, 0..states) {
        Err(error) if !plan.strict && is_of_a_state(&error) => {}
        done => return done,
    }
    for start in (0..states).step_by(PART) {
        let some = start..states.min(start + PART);
        if part(plan, scratch, x, y, some.clone()).is_ok() {
            continue;
        }
        for state in some {
            if part(plan, scratch, x, y, state..state + 1).is_err() {
                for (y, shape) in y.iter_mut().zip(plan.shapes()) {
                    y[state * shape.len()..][..shape.len()].fill(F::nearest(f64::NAN));
                }
            }
        }
    }
    Ok(())
}

/// True if a call failed because of the numbers of a state. Its arrays fit.
fn is_of_a_state(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Value | ErrorKind::Singular)
}

/// Computes some of the states.
fn part<F: Planned>(
    plan: &Plan,
    scratch: &mut Scratch,
    x: &[&[F]],
    y: &mut [&mut [F]],
    states: Range<usize>,
) -> Result<(), Error> {
    let (mut now_x, mut now_y): ([&[F]; MOST + 1], [&mut [F]; MOST]) = Default::default();
    let writes = y.len();
    for ((now, x), length) in now_x.iter_mut().zip(x).zip(plan.input_lengths()) {
        *now = &x[states.start * length..states.end * length];
    }
    for ((now, y), shape) in now_y.iter_mut().zip(y).zip(plan.shapes()) {
        *now = &mut y[states.start * shape.len()..states.end * shape.len()];
    }
    let declaration = plan.function.declaration();
    let inputs = &mut now_x[..x.len()];
    let outputs = &mut now_y[..writes];
    let shared = plan.model.get();

    let mut scene = F::scene(plan);
    let (arrays, forces) = inputs.split_at_mut(declaration.inputs.len());
    if let [forces] = forces {
        scene = scene.forces(forces);
    }
    let (arrays, one) = (&mut arrays[..], states.len() == 1);
    if shared.quaternions.is_empty() {
        return F::on_engine(plan, scratch, plan.function, scene, arrays, outputs, one);
    }
    // Configurations with normalised quaternions, one array after the other.
    let are_turned = || declaration.inputs.iter().map(|arg| arg.size == Size::Nq);
    let length = arrays.iter().zip(are_turned()).filter(|&(_, turned)| turned).map(|(x, _)| x.len()).sum();
    let mut unit = std::mem::take(F::room(scratch));
    if unit.len() < length {
        unit.resize(length, F::nearest(0.0));
    }
    let mut rest = &mut unit[..length];
    let mut done = Ok(());
    for (x, _) in arrays.iter_mut().zip(are_turned()).filter(|&(_, turned)| turned) {
        let (own, later) = std::mem::take(&mut rest).split_at_mut(x.len());
        done = done
            .and_then(|()| F::on_engine(plan, scratch, plan.normalise, F::scene(plan), &[*x], &mut [&mut *own], one));
        *x = own;
        rest = later;
    }
    let done = done.and_then(|()| F::on_engine(plan, scratch, plan.function, scene, arrays, outputs, one));
    *F::room(scratch) = unit;
    done
}

/// Precisions of plans.
pub(crate) trait Planned: Number {
    fn scene(plan: &Plan) -> Scene<'_, Self>;

    /// Returns the memory for normalised configurations.
    fn room(scratch: &mut Scratch) -> &mut Vec<Self>;

    #[allow(clippy::too_many_arguments)] // the arguments of a call
    fn on_engine(
        plan: &Plan,
        scratch: &mut Scratch,
        function: Function,
        scene: Scene<'_, Self>,
        x: &[&[Self]],
        y: &mut [&mut [Self]],
        _one: bool,
    ) -> Result<(), Error> {
        Self::many(scratch, scene.model, None, plan.threads)?.call(function, scene, x, y)
    }
}

impl Planned for f64 {
    fn scene(plan: &Plan) -> Scene<'_, f64> {
        plan.surroundings.scene(plan, &plan.surroundings.wrenches)
    }

    fn room(scratch: &mut Scratch) -> &mut Vec<f64> {
        &mut scratch.unit
    }

    fn on_engine(
        plan: &Plan,
        scratch: &mut Scratch,
        function: Function,
        scene: Scene<'_, f64>,
        x: &[&[f64]],
        y: &mut [&mut [f64]],
        one: bool,
    ) -> Result<(), Error> {
        if one {
            return scratch.call_one(None, function, scene, x, y);
        }
        f64::many(scratch, scene.model, None, plan.threads)?.call(function, scene, x, y)
    }
}

impl Planned for f32 {
    fn scene(plan: &Plan) -> Scene<'_, f32> {
        plan.surroundings.scene(plan, &plan.surroundings.wrenches_single)
    }

    fn room(scratch: &mut Scratch) -> &mut Vec<f32> {
        &mut scratch.unit_single
    }
}

impl Surroundings {
    fn scene<'a, F>(&'a self, plan: &'a Plan, wrenches: &'a [Wrench<F>]) -> Scene<'a, F> {
        let mut scene = plan.model.get().model.scene().wrenches(wrenches);
        if let Some(gravity) = self.gravity {
            scene = scene.gravity(gravity);
        }
        scene.damping(self.damping).friction(self.friction).armature(self.armature)
    }
}
