//! A subject on both sides.

use super::Bench;
use super::generated::Robot;
use crate::agree;
use crate::opponent::{Library, Opponent};
use crate::ours;
use crate::plan::{Contender, Timing};
use crate::quantity::Quantity;
use crate::robots::Subject;
use crate::row::{Mode, Row, floor};
use crate::states::{Both, States};
use crate::translate;
use dtau::Constraints;
use dtau::model::{BodyId, Model};
use std::cell::{OnceCell, RefCell};

/// Number of states in the cycle: few enough to stay in cache, enough to prevent learned branches.
const STATES: usize = 32;

/// Number of states at which results are compared.
const COMPARED: usize = 4;

/// Subject, prepared on both sides.
pub struct Versus<'b> {
    pub subject: &'b Subject,
    pub model: Model,
    pub watched: Vec<BodyId>,
    pub held: Option<Constraints>,
    pub states: Both,
    /// Returns the same states in the opponent's coordinates.
    foreign: Both,
    pub native: RefCell<Opponent<'b>>,
    pub shipped: Option<RefCell<Opponent<'b>>>,
    compiler: &'b str,
    generated: OnceCell<Robot>,
}

impl<'b> Versus<'b> {
    pub fn new(bench: &'b Bench, subject: &'b Subject) -> Result<Self, String> {
        let model = subject.model(&bench.places)?;
        let watched = subject.watched(&model);
        let bodies = translate::bodies(&model)?;
        // Bodies have the same order, but the opponent counts from 0.
        let watched_there: Vec<i32> =
            (0..).zip(model.body_ids()).filter(|(_, id)| watched.contains(id)).map(|(i, _)| i).collect();
        let load = |library: &'b Library| -> Result<RefCell<Opponent<'b>>, String> {
            let mut opponent = library.robot(&bodies, model.gravity())?;
            opponent.watch(&watched_there)?;
            Ok(RefCell::new(opponent))
        };
        let states = Both::random(&model, STATES, 1).map_err(|e| e.to_string())?;
        let foreign = translate::both(&model, &states);
        let (held, holds) = match subject.held {
            [] => (None, Vec::new()),
            held => {
                let (set, holds) = translate::held(&model, held, states.torques.one(0).0)?;
                (Some(set), holds)
            }
        };
        // At 500 velocities, Pinocchio briefly takes 4 GB. Once is enough.
        let shipped = bench.shipped.as_ref().filter(|_| model.nv() <= 200);
        let (native, shipped) = (load(&bench.native)?, shipped.map(load).transpose()?);
        if held.is_some() {
            native.borrow_mut().hold(&holds)?;
        }
        let (compiler, generated) = (bench.compiler.as_str(), OnceCell::new());
        Ok(Self { subject, model, watched, held, states, foreign, native, shipped, compiler, generated })
    }

    /// Returns the robot with generated code, made at the first call.
    pub fn generated(&self) -> Result<&Robot, String> {
        if self.generated.get().is_none() {
            let _ = self.generated.set(Robot::new(&self.model, self.held.as_ref(), self.compiler)?);
        }
        self.generated.get().ok_or_else(|| "set above".into())
    }

    /// Returns the states for a quantity: in dtau's coordinates, and in the opponent's.
    pub fn states(&self, quantity: Quantity) -> (&States, &States) {
        if quantity.takes_torques() {
            (&self.states.torques, &self.foreign.torques)
        } else {
            (&self.states.accelerations, &self.foreign.accelerations)
        }
    }

    /// Returns the opponent's ways to compute a quantity of this subject.
    pub fn ways(&self, quantity: Quantity) -> impl Iterator<Item = (i32, &'static str)> {
        let ways = quantity.ways().iter().copied();
        ways.filter(move |&(code, _)| !self.subject.has_loops() || quantity.is_for_loops(code))
    }

    /// Returns one contender for each of the opponent's ways.
    pub fn theirs<'c>(
        &'c self,
        opponent: &'c RefCell<Opponent<'b>>,
        quantity: Quantity,
    ) -> impl Iterator<Item = Contender<'c>> {
        let (_, states) = self.states(quantity);
        self.ways(quantity).map(move |(code, _)| -> Contender<'c> {
            Box::new(move |reps| opponent.borrow_mut().time(code, states, reps))
        })
    }

    /// Same, keeping the results of several states.
    pub fn theirs_keeping<'c>(
        &'c self,
        opponent: &'c RefCell<Opponent<'b>>,
        quantity: Quantity,
        kept: usize,
    ) -> impl Iterator<Item = Contender<'c>> {
        let (_, states) = self.states(quantity);
        self.ways(quantity).map(move |(code, _)| -> Contender<'c> {
            Box::new(move |reps| opponent.borrow_mut().time_keeping(code, states, kept, reps))
        })
    }

    /// Returns the largest difference over a few states and all of the opponent's ways. Fails if it is too
    /// large. `ours` returns dtau's result at a state.
    pub fn difference(
        &self,
        opponent: &RefCell<Opponent<'b>>,
        quantity: Quantity,
        mut ours: impl FnMut(usize) -> Result<Vec<f64>, String>,
    ) -> Result<f64, String> {
        let mut opponent = opponent.borrow_mut();
        let (own, foreign) = self.states(quantity);
        let shape = agree::Shape::of(quantity, self.watched.len());
        let mut worst = 0.0;
        // At a random state, loops are open. Pinocchio then applies loop forces at two points, dtau at one.
        let compared = if self.subject.has_loops() { 0 } else { COMPARED };
        for i in 0..compared {
            let result = ours(i)?;
            let tolerance = agree::tolerance(quantity, &self.model, own.one(i).0).map_err(|e| e.to_string())?;
            for (code, way) in self.ways(quantity) {
                let theirs = ours::theirs(quantity, &self.model, opponent.run(code, foreign, i)?);
                let difference = agree::difference(&result, &theirs, shape);
                if difference > tolerance {
                    return Err(format!(
                        "{} {quantity}: dtau and Pinocchio ({way}) differ by {difference:.1e} of the largest entry at \
                         state {i}, more than {tolerance:.1e}; one of them is wrong, so there is nothing to time",
                        self.subject.name
                    ));
                }
                worst = f64::max(worst, difference);
            }
        }
        Ok(worst)
    }

    /// Makes a row against the fastest of the opponent's ways.
    pub fn row(&self, quantity: Quantity, mode: Mode, opponent: &str, dtau: Timing, theirs: &[Timing]) -> Row {
        let fastest = (0..theirs.len()).min_by(|&a, &b| theirs[a].min.total_cmp(&theirs[b].min)).unwrap_or(0);
        let ways: Vec<_> = self.ways(quantity).collect();
        let way = if theirs.len() == ways.len() { ways[fastest].1 } else { "" };
        let theirs = theirs[fastest];
        Row {
            robot: self.subject.name.clone(),
            nv: self.model.nv(),
            quantity,
            mode,
            scalar: "f64".into(),
            opponent: opponent.into(),
            opponent_way: way.into(),
            opponent_ns: theirs.min,
            dtau_ns: dtau.min,
            ratio: theirs.min / dtau.min,
            floor: floor(quantity, mode, opponent, &self.subject.name, self.model.nv()),
            opponent_spread: theirs.spread(),
            dtau_spread: dtau.spread(),
            difference: None,
        }
    }
}
