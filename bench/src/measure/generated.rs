//! Code generated for the robot, used as an engine: one state per call, and many.

use super::versus::Versus;
use super::{Contest, better};
use crate::agree;
use crate::ours::{Ours, constrained};
use crate::plan::{Contender, Plan, Timing, race};
use crate::quantity::Quantity;
use crate::row::{Mode, Row, opponents};
use crate::states::States;
use dtau::model::{Constant, Model};
use dtau::{Code, Compiled, Constraints, Counts, Function, Parameters};
use dtau_generate::load::{self, Build};
use dtau_generate::structure::{snapped, snapped_constraints};
use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

/// Number of states of a call for many.
const BATCH: usize = 256;

/// Limit of arrays that a function reads, or writes.
const MOST: usize = 8;

/// Robot with code for all quantities.
pub struct Robot {
    /// Model without damping and friction, which Pinocchio ignores.
    model: Model,
    /// Constraints on that model.
    held: Option<Constraints>,
    code: Code,
}

impl Robot {
    /// Generates, compiles and loads the code, or takes it from the cache.
    pub fn new(model: &Model, held: Option<&Constraints>, compiler: &str) -> Result<Self, String> {
        let model = model.map_constants(|which, x| match which {
            Constant::Damping(_) | Constant::Friction(_) => 0.0,
            _ => x,
        });
        let held = held.map(|held| held.map_constants(&model, |_, x| x));
        let functions: Vec<Function> = Quantity::generated(held.is_some()).map(function).collect();
        let build = Build { compiler: Some(compiler.into()), ..Build::default() };
        let code = match &held {
            Some(held) => load::code(held, &functions, &build),
            None => load::code(&model, &functions, &build),
        };
        Ok(Self { code: code.map_err(|e| e.to_string())?, model, held })
    }
}

fn function(quantity: Quantity) -> Function {
    quantity.declaration().with(&Parameters::default()).expect("it takes nothing but a state")
}

/// Engine with its states and memory for results.
struct Runner<'v> {
    model: &'v Model,
    held: Option<&'v Constraints>,
    function: Function,
    code: &'v Code,
    engine: Compiled,
    /// Number of states per call.
    count: usize,
    /// Number of calls until states repeat.
    calls: usize,
    inputs: Vec<Vec<f64>>,
    outputs: Vec<Vec<f64>>,
}

impl Runner<'_> {
    /// Computes one state by calling the code directly, as a C program does. Uses the engine for many states
    /// and for functions without code.
    fn run(&mut self, call: usize) -> Result<(), String> {
        let (mut x, mut y): ([&[f64]; MOST], [&mut [f64]; MOST]) = Default::default();
        for (to, x) in x.iter_mut().zip(&self.inputs) {
            let each = x.len() / self.calls;
            *to = black_box(&x[call * each..(call + 1) * each]);
        }
        let (reads, writes) = (self.inputs.len(), self.outputs.len());
        for (to, y) in y.iter_mut().zip(&mut self.outputs) {
            *to = y;
        }
        let (x, y) = (&x[..reads], &mut y[..writes]);
        match self.code.routine(&self.function, self.held).filter(|_| self.count == 1) {
            Some((routine, table)) if routine(table, 1, x, y) == 0 => Ok(()),
            Some(_) => Err("the code reports a joint that nothing resists".into()),
            None => self
                .function
                .call(constrained(self.model.scene(), self.held), &mut self.engine, x, y)
                .map_err(|e| e.to_string()),
        }
    }

    fn time(&mut self, states: u32) -> Result<f64, String> {
        let calls = states.div_ceil(self.count as u32);
        let start = Instant::now();
        for call in 0..calls as usize {
            self.run(call % self.calls)?;
        }
        let ns = start.elapsed().as_nanos() as f64;
        Ok(ns / f64::from(calls) / self.count as f64 * f64::from(states))
    }
}

/// Returns the largest difference from the library over a few states, for the robot as the generator sees it:
/// nearly right angles are exact there. The other modes compare the library with Pinocchio.
fn difference(runner: &mut Runner<'_>, states: &States, quantity: Quantity) -> Result<f64, String> {
    let held = runner.held.map(snapped_constraints);
    let robot = held.as_ref().map_or_else(|| snapped(runner.model), |held| held.model().clone());
    let mut library = Ours::<f64>::new(quantity, &robot, &[], held.as_ref());
    let mut worst = 0.0;
    for i in 0..4 {
        let alone = runner.count == 1;
        runner.run(if alone { i } else { 0 })?;
        let of_state = |y: &Vec<f64>| {
            let (each, state) = (y.len() / runner.count, if alone { 0 } else { i });
            y[state * each..(state + 1) * each].to_vec()
        };
        let result: Vec<f64> = quantity.compared().flat_map(|k| of_state(&runner.outputs[k])).collect();
        let (q, v, x) = states.one(i);
        library.run(q, v, x).map_err(|e| e.to_string())?;
        let difference = agree::difference(&result, &library.result(), agree::Shape::of(quantity, 0));
        let tolerance = agree::tolerance(quantity, runner.model, q).map_err(|e| e.to_string())?;
        if difference > tolerance {
            let name = runner.model.name();
            return Err(format!(
                "{name} {quantity}: generated code and the library differ by {difference:.1e} at state {i}"
            ));
        }
        worst = f64::max(worst, difference);
    }
    Ok(worst)
}

/// Generated code against the fastest Pinocchio.
pub struct Generated<'v, 'b> {
    versus: &'v Versus<'b>,
    quantity: Quantity,
    mode: Mode,
    runner: RefCell<Runner<'v>>,
    difference: f64,
    /// Timings of dtau, then of the native build's ways.
    timings: Vec<Timing>,
}

impl<'v, 'b> Generated<'v, 'b> {
    pub fn new(versus: &'v Versus<'b>, quantity: Quantity, mode: Mode) -> Result<Self, String> {
        let robot = versus.generated()?;
        let (states, _) = versus.states(quantity);
        let declaration = quantity.declaration();
        let (count, calls) = if mode == Mode::Generated { (1, states.count) } else { (BATCH, 1) };
        let States { q, v, x, .. } = states;
        let repeat = |x: &Vec<f64>| -> Vec<f64> {
            let each = x.len() / states.count;
            x.iter().copied().cycle().take(count * calls * each).collect()
        };
        let restitution = vec![0.0; states.count];
        let third = if quantity.takes_restitution() { &restitution } else { x };
        let counts = Counts { columns: 1, rows: robot.held.as_ref().map_or(0, Constraints::rows) };
        let mut runner = Runner {
            model: &robot.model,
            held: robot.held.as_ref(),
            function: function(quantity),
            code: &robot.code,
            engine: Compiled::new(&robot.model, &robot.code).map_err(|e| e.to_string())?,
            count,
            calls,
            inputs: [q, v, third].into_iter().take(declaration.inputs.len()).map(repeat).collect(),
            outputs: declaration
                .outputs
                .iter()
                .map(|arg| vec![0.0; count * arg.size.of(&robot.model, counts)])
                .collect(),
        };
        let difference = difference(&mut runner, states, quantity)?;
        Ok(Self { versus, quantity, mode, runner: RefCell::new(runner), difference, timings: Vec::new() })
    }
}

impl Contest for Generated<'_, '_> {
    fn quantity(&self) -> Quantity {
        self.quantity
    }

    fn visit(&mut self, plan: Plan) -> Result<(), String> {
        let runner = &self.runner;
        let mut contenders: Vec<Contender<'_>> = vec![Box::new(move |reps| runner.borrow_mut().time(reps))];
        if self.mode == Mode::Generated {
            contenders.extend(self.versus.theirs(&self.versus.native, self.quantity));
        } else {
            contenders.extend(self.versus.theirs_keeping(&self.versus.native, self.quantity, BATCH));
        }
        let now = race(&mut contenders, &plan.visit)?;
        drop(contenders);
        self.timings = better(&self.timings, now);
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let [dtau, native @ ..] = &self.timings[..] else { return Vec::new() };
        let row = self.versus.row(self.quantity, self.mode, opponents::NATIVE, *dtau, native);
        vec![Row { difference: Some(self.difference), ..row }]
    }
}
