//! Second derivatives against first ones, both by dtau: the cost of the Hessian of wᵀτ relative to ∂ID. The
//! opponent has none.

use super::versus::Versus;
use super::{Contest, better};
use crate::many::Many;
use crate::ours::Ours;
use crate::plan::{Contender, Plan, Timing, race};
use crate::quantity::Quantity;
use crate::row::{Mode, Row, opponents};
use dtau::batch::Batch;
use std::cell::RefCell;

/// Number of states of a batch on one core.
const BATCH: usize = 256;

/// One state per call, or many.
enum Side<'v> {
    One(Box<RefCell<Ours<'v>>>),
    Many(Box<RefCell<Many<'v, f64>>>),
}

/// A quantity, and the one that it is compared with.
pub struct Relative<'v, 'b> {
    versus: &'v Versus<'b>,
    quantity: Quantity,
    mode: Mode,
    sides: [Side<'v>; 2],
    timings: Vec<Timing>,
}

impl<'v, 'b> Relative<'v, 'b> {
    pub fn new(versus: &'v Versus<'b>, quantity: Quantity, first: Quantity, mode: Mode) -> Result<Self, String> {
        let model = &versus.model;
        let side = |quantity: Quantity| -> Result<Side<'v>, String> {
            if mode == Mode::Single {
                return Ok(Side::One(Box::new(RefCell::new(Ours::new(quantity, model, &versus.watched, None)))));
            }
            let mut many = Many::new(quantity, model, None, Batch::new(model), versus.states(quantity).0, BATCH);
            many.run().map_err(|e| e.to_string())?;
            many.is_as_single()?;
            Ok(Side::Many(Box::new(RefCell::new(many))))
        };
        Ok(Self { versus, quantity, mode, sides: [side(quantity)?, side(first)?], timings: Vec::new() })
    }
}

impl Contest for Relative<'_, '_> {
    fn quantity(&self) -> Quantity {
        self.quantity
    }

    fn visit(&mut self, plan: Plan) -> Result<(), String> {
        let (states, _) = self.versus.states(self.quantity);
        let mut contenders: Vec<Contender<'_>> = Vec::new();
        for side in &self.sides {
            contenders.push(match side {
                Side::One(ours) => Box::new(|reps| ours.borrow_mut().time(states, reps).map_err(|e| e.to_string())),
                Side::Many(many) => super::many::contender(many),
            });
        }
        let now = race(&mut contenders, &plan.visit)?;
        drop(contenders);
        self.timings = better(&self.timings, now);
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let [second, first] = self.timings[..] else { return Vec::new() };
        vec![self.versus.row(self.quantity, self.mode, opponents::FIRST, second, &[first])]
    }
}
