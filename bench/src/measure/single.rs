//! One state per call.

use super::versus::Versus;
use super::{Contest, better};
use crate::ours::Ours;
use crate::plan::{Contender, Plan, Timing, race};
use crate::quantity::Quantity;
use crate::row::{Mode, Row, opponents};
use std::cell::RefCell;

pub struct Single<'v, 'b> {
    versus: &'v Versus<'b>,
    quantity: Quantity,
    ours: RefCell<Ours<'v>>,
    /// Differences from the native build, and from the library of the wheel.
    differences: (f64, Option<f64>),
    /// Timings of dtau, of the native build's ways, and of the ways of the wheel's library.
    timings: Vec<Timing>,
}

impl<'v, 'b> Single<'v, 'b> {
    pub fn new(versus: &'v Versus<'b>, quantity: Quantity) -> Result<Self, String> {
        let mut ours = Ours::new(quantity, &versus.model, &versus.watched, versus.held.as_ref());
        let (states, _) = versus.states(quantity);
        let mut result = |i| {
            let (q, v, x) = states.one(i);
            ours.run(q, v, x).map_err(|e| e.to_string())?;
            Ok(ours.result())
        };
        let native = versus.difference(&versus.native, quantity, &mut result)?;
        let shipped = versus.shipped.as_ref().filter(|_| quantity.is_shipped());
        let shipped = shipped.map(|opponent| versus.difference(opponent, quantity, &mut result)).transpose()?;
        Ok(Self { versus, quantity, ours: RefCell::new(ours), differences: (native, shipped), timings: Vec::new() })
    }
}

impl Contest for Single<'_, '_> {
    fn quantity(&self) -> Quantity {
        self.quantity
    }

    fn visit(&mut self, plan: Plan) -> Result<(), String> {
        let (versus, quantity, ours) = (self.versus, self.quantity, &self.ours);
        let (states, _) = versus.states(quantity);
        let own: Contender<'_> = Box::new(move |reps| ours.borrow_mut().time(states, reps).map_err(|e| e.to_string()));
        let mut contenders = vec![own];
        contenders.extend(versus.theirs(&versus.native, quantity));
        if let (Some(opponent), Some(_)) = (&versus.shipped, self.differences.1) {
            contenders.extend(versus.theirs(opponent, quantity));
        }
        let now = race(&mut contenders, &plan.visit)?;
        drop(contenders);
        self.timings = better(&self.timings, now);
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let (native, shipped) = self.timings[1..].split_at(self.versus.ways(self.quantity).count());
        let row = |opponent, theirs, difference| Row {
            difference: Some(difference),
            ..self.versus.row(self.quantity, Mode::Single, opponent, self.timings[0], theirs)
        };
        let mut rows = vec![row(opponents::NATIVE, native, self.differences.0)];
        rows.extend(self.differences.1.map(|difference| row(opponents::SHIPPED, shipped, difference)));
        rows
    }
}
