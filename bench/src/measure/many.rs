//! Many states per call: in lanes on one core, in single precision, on two threads.

use super::versus::Versus;
use super::{Contest, better};
use crate::agree;
use crate::many::Many;
use crate::plan::{Contender, Plan, Timing, race};
use crate::quantity::Quantity;
use crate::row::{Mode, Row, opponents};
use dtau::batch::{Batch, BatchScalar};
use std::cell::RefCell;

/// Number of states of a batch on one core.
const BATCH: usize = 256;

/// Number of states of a batch on two threads.
const THREADED: usize = 1024;

/// Batch as a contender. The time of a call is divided by the number of states.
pub fn contender<'c, F: BatchScalar>(many: &'c RefCell<Many<'_, F>>) -> Contender<'c> {
    Box::new(move |reps| {
        let many = &mut *many.borrow_mut();
        let calls = reps.div_ceil(many.count() as u32);
        let ns = many.time(calls).map_err(|e| e.to_string())?;
        Ok(ns / f64::from(calls) / many.count() as f64 * f64::from(reps))
    })
}

/// Same, with consecutive calls of which the first is not timed, because it wakes sleeping threads.
fn in_a_row<'c, F: BatchScalar>(many: &'c RefCell<Many<'_, F>>) -> Contender<'c> {
    let mut timed = contender(many);
    Box::new(move |reps| {
        many.borrow_mut().run().map_err(|e| e.to_string())?;
        timed(reps)
    })
}

/// Lanes on one core against the fastest Pinocchio that keeps all results (and, for information, against one
/// that keeps a single result). Single precision is compared with dtau in double precision.
pub struct Batched<'v, 'b> {
    versus: &'v Versus<'b>,
    quantity: Quantity,
    double: RefCell<Many<'v, f64>>,
    single: RefCell<Many<'v, f32>>,
    /// Difference from the opponent's results, and of single precision from double.
    differences: (f64, f64),
    /// Timings of dtau, of dtau in single precision, of the native build's ways that keep all results, and of
    /// those that keep one.
    timings: Vec<Timing>,
}

impl<'v, 'b> Batched<'v, 'b> {
    pub fn new(versus: &'v Versus<'b>, quantity: Quantity) -> Result<Self, String> {
        let (states, _) = versus.states(quantity);
        let (model, held) = (&versus.model, versus.held.as_ref());
        let mut double = Many::new(quantity, model, held, Batch::new(model), states, BATCH);
        let mut single = Many::new(quantity, model, held, Batch::new(model), states, BATCH);
        double.run().map_err(|e| e.to_string())?;
        single.run().map_err(|e| e.to_string())?;
        double.is_as_single()?;
        let difference = versus.difference(&versus.native, quantity, |i| Ok(double.result(i)))?;
        let shape = agree::Shape::of(quantity, 0);
        let rounding = agree::difference(&single.result(0), &double.result(0), shape);
        let (double, single) = (RefCell::new(double), RefCell::new(single));
        Ok(Self { versus, quantity, double, single, differences: (difference, rounding), timings: Vec::new() })
    }
}

impl Contest for Batched<'_, '_> {
    fn quantity(&self) -> Quantity {
        self.quantity
    }

    fn visit(&mut self, plan: Plan) -> Result<(), String> {
        let mut contenders = vec![contender(&self.double), contender(&self.single)];
        let count = self.double.borrow().count();
        contenders.extend(self.versus.theirs_keeping(&self.versus.native, self.quantity, count));
        contenders.extend(self.versus.theirs(&self.versus.native, self.quantity));
        let now = race(&mut contenders, &plan.visit)?;
        drop(contenders);
        self.timings = better(&self.timings, now);
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let [double, single, native @ ..] = &self.timings[..] else { return Vec::new() };
        let (keeping, forgetting) = native.split_at(native.len() / 2);
        let row = |opponent, dtau, theirs| self.versus.row(self.quantity, Mode::Batch, opponent, dtau, theirs);
        vec![
            Row { difference: Some(self.differences.0), ..row(opponents::NATIVE, *double, keeping) },
            Row { difference: Some(self.differences.0), ..row(opponents::FORGETTING, *double, forgetting) },
            Row {
                scalar: "f32".into(),
                difference: Some(self.differences.1),
                ..row(opponents::DOUBLE, *single, &[*double])
            },
        ]
    }
}

/// Two threads against one.
pub struct Threaded<'v, 'b> {
    versus: &'v Versus<'b>,
    quantity: Quantity,
    one: RefCell<Many<'v, f64>>,
    two: RefCell<Many<'v, f64>>,
    timings: Vec<Timing>,
}

impl<'v, 'b> Threaded<'v, 'b> {
    pub fn new(versus: &'v Versus<'b>, quantity: Quantity) -> Result<Self, String> {
        let (states, _) = versus.states(quantity);
        let model = &versus.model;
        let threads = Batch::with_threads(model, 2).map_err(|e| e.to_string())?;
        let mut one = Many::new(quantity, model, None, Batch::new(model), states, THREADED);
        let mut two = Many::new(quantity, model, None, threads, states, THREADED);
        for many in [&mut one, &mut two] {
            many.run().map_err(|e| e.to_string())?;
        }
        one.is_as(&two)?;
        Ok(Self { versus, quantity, one: RefCell::new(one), two: RefCell::new(two), timings: Vec::new() })
    }
}

impl Contest for Threaded<'_, '_> {
    fn quantity(&self) -> Quantity {
        self.quantity
    }

    fn visit(&mut self, plan: Plan) -> Result<(), String> {
        let mut contenders = [in_a_row(&self.two), in_a_row(&self.one)];
        let now = race(&mut contenders, &plan.for_two_cores().visit)?;
        drop(contenders);
        self.timings = better(&self.timings, now);
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let [two, one] = self.timings[..] else { return Vec::new() };
        vec![self.versus.row(self.quantity, Mode::Threads, opponents::ONE_THREAD, two, &[one])]
    }
}
