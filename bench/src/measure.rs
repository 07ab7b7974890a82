//! The head-to-head itself.

use crate::agree;
use crate::clock::{Contender, Plan, Timing, race};
use crate::limit::{self, Count};
use crate::opponent::{Library, Opponent};
use crate::ours::{self, Ours};
use crate::progress::Progress;
use crate::quantity::Quantity;
use crate::robots::{Places, Subject};
use crate::row::{Mode, Row, floor, opponents};
use crate::states::Both;
use crate::translate;
use crate::ways::{self, WayTimes};
use dtau::model::{BodyId, Model};
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// How many states are cycled over. Few enough to stay in cache, many enough that no branch is learnt.
const STATES: usize = 32;

/// At how many of them results are compared.
const COMPARED: usize = 4;

/// What is to be measured, and with what.
pub struct Bench {
    /// Pinocchio's fastest build.
    pub native: Library,
    /// The library of the wheel.
    pub shipped: Option<Library>,
    /// Where robots are.
    pub places: Places,
    /// How long to look.
    pub plan: Plan,
    /// Which comparisons: must match "robot quantity mode".
    pub only: Option<Regex>,
    /// Which modes.
    pub modes: Vec<Mode>,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The comparisons.
    pub rows: Vec<Row>,
    /// Operations of a call.
    #[serde(default)]
    pub counts: Vec<Count>,
    /// The ways to ∂FD.
    #[serde(default)]
    pub ways: Vec<WayTimes>,
    /// Multiply-adds of `f64` a nanosecond that one core can make.
    #[serde(default)]
    pub peak: Option<f64>,
    /// Name and value of what else should be known.
    #[serde(default)]
    pub facts: Vec<(String, String)>,
    /// What could not be measured, and why.
    #[serde(default)]
    pub notices: Vec<String>,
}

impl Results {
    /// Adds what another run measured.
    pub fn merge(&mut self, other: Results) {
        self.rows.extend(other.rows);
        self.counts.extend(other.counts);
        self.ways.extend(other.ways);
        self.peak = self.peak.or(other.peak);
        for fact in other.facts {
            if !self.facts.contains(&fact) {
                self.facts.push(fact);
            }
        }
        self.notices.extend(other.notices);
    }
}

/// A subject, ready on both sides.
struct Match<'b> {
    subject: &'b Subject,
    model: Model,
    watched: Vec<BodyId>,
    states: Both,
    /// The same in the opponent's coordinates.
    foreign: Both,
    native: RefCell<Opponent<'b>>,
    shipped: Option<RefCell<Opponent<'b>>>,
}

impl Bench {
    /// Measures all subjects.
    ///
    /// # Errors
    /// If a robot cannot be read, a side fails, or the two sides disagree.
    pub fn run(&self, subjects: &[Subject]) -> Result<Results, String> {
        let mut results = Results { peak: Some(self.native.fma_peak(50)), ..Results::default() };
        let mut progress = Progress::new(subjects.iter().map(|s| self.steps(s)).sum());
        for subject in subjects.iter().filter(|s| self.steps(s) > 0) {
            self.subject(subject, &mut results, &mut progress)?;
        }
        // Once more at the end: the clock of a core that was asleep is slow.
        results.peak = Some(self.native.fma_peak(50).max(results.peak.unwrap_or(0.0)));
        Ok(results)
    }

    fn wants(&self, subject: &Subject, what: &str, mode: Mode) -> bool {
        let text = || format!("{} {what} {}", subject.name, mode.name());
        self.modes.contains(&mode) && self.only.as_ref().is_none_or(|only| only.is_match(&text()))
    }

    fn steps(&self, subject: &Subject) -> usize {
        let single = Quantity::ALL.iter().filter(|q| self.wants(subject, q.name(), Mode::Single)).count();
        single * self.plan.visits + usize::from(self.wants(subject, "ways", Mode::Single))
    }

    fn subject(&self, subject: &Subject, results: &mut Results, progress: &mut Progress) -> Result<(), String> {
        progress.begin(&subject.name);
        let game = self.prepare(subject)?;
        let mut summary = format!("{} ({}): ", subject.name, game.model.nv());
        let wanted: Vec<Quantity> =
            Quantity::ALL.into_iter().filter(|q| self.wants(subject, q.name(), Mode::Single)).collect();
        let mut singles = Vec::new();
        for &quantity in &wanted {
            singles.push(Single::new(&game, quantity)?);
        }
        for _ in 0..self.plan.visits {
            for single in &mut singles {
                progress.begin(&format!("{} {}", subject.name, single.quantity));
                single.visit(self.plan)?;
                progress.end();
            }
        }
        for single in &singles {
            let rows = single.rows();
            summary += &format!("{} {:.1}× ", single.quantity, rows[0].ratio);
            results.rows.extend(rows);
        }
        if self.modes.contains(&Mode::Single) {
            results.counts.extend(limit::count(&subject.name, &game.model, &game.watched, &game.states, &wanted)?);
        }
        if self.wants(subject, "ways", Mode::Single) {
            progress.begin(&format!("{} ways to ∂FD", subject.name));
            results.ways.push(ways::measure(&subject.name, &game.model, &game.states.torques, self.plan)?);
            progress.end();
        }
        progress.say(summary.trim_end());
        Ok(())
    }

    fn prepare<'b>(&'b self, subject: &'b Subject) -> Result<Match<'b>, String> {
        let model = subject.model(&self.places)?;
        let watched = subject.watched(&model);
        let bodies = translate::bodies(&model)?;
        // Bodies are numbered alike, but the opponent's first is 0.
        let ids: Vec<BodyId> = model.body_ids().collect();
        let indices: Vec<i32> =
            watched.iter().filter_map(|w| ids.iter().position(|id| id == w)).map(|i| i as i32).collect();
        let load = |library: &'b Library| -> Result<RefCell<Opponent<'b>>, String> {
            let mut opponent = library.robot(&bodies, model.gravity())?;
            opponent.watch(&indices)?;
            Ok(RefCell::new(opponent))
        };
        let states = Both::random(&model, STATES, 1).map_err(|e| e.to_string())?;
        let foreign = translate::both(&model, &states);
        // Pinocchio takes 4 GB for a moment at 500 velocities; once is enough.
        let shipped = self.shipped.as_ref().filter(|_| model.nv() <= 200);
        let (native, shipped) = (load(&self.native)?, shipped.map(load).transpose()?);
        Ok(Match { subject, model, watched, states, foreign, native, shipped })
    }
}

/// One quantity of one robot, one state a call.
struct Single<'g, 'b> {
    game: &'g Match<'b>,
    quantity: Quantity,
    ours: RefCell<Ours<'g>>,
    /// What the results differ by: from the native build, from the library of the wheel.
    differences: (f64, Option<f64>),
    /// dtau, the ways of the native build, those of the library of the wheel.
    timings: Vec<Timing>,
}

impl<'g, 'b> Single<'g, 'b> {
    /// Makes sure that both sides agree.
    fn new(game: &'g Match<'b>, quantity: Quantity) -> Result<Self, String> {
        let ours = RefCell::new(Ours::new(&game.model, &game.watched));
        let native = game.difference(&ours, &game.native, quantity)?;
        let shipped = game.shipped.as_ref().filter(|_| quantity.is_shipped());
        let shipped = shipped.map(|opponent| game.difference(&ours, opponent, quantity)).transpose()?;
        Ok(Self { game, quantity, ours, differences: (native, shipped), timings: Vec::new() })
    }

    /// Times both sides once more.
    fn visit(&mut self, plan: Plan) -> Result<(), String> {
        let mut contenders = vec![self.game.ours(&self.ours, self.quantity)];
        contenders.extend(self.game.theirs(&self.game.native, self.quantity));
        if let (Some(opponent), Some(_)) = (&self.game.shipped, self.differences.1) {
            contenders.extend(self.game.theirs(opponent, self.quantity));
        }
        let now = race(&mut contenders, plan)?;
        drop(contenders);
        self.timings = match self.timings.is_empty() {
            true => now,
            false => self.timings.iter().zip(now).map(|(before, now)| before.better(now)).collect(),
        };
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let (native, shipped) = self.timings[1..].split_at(self.quantity.ways().len());
        let row =
            |opponent, theirs, difference| self.game.row(self.quantity, opponent, self.timings[0], theirs, difference);
        let mut rows = vec![row(opponents::NATIVE, native, self.differences.0)];
        rows.extend(self.differences.1.map(|difference| row(opponents::SHIPPED, shipped, difference)));
        rows
    }
}

impl<'b> Match<'b> {
    fn ours<'c>(&'c self, ours: &'c RefCell<Ours<'_>>, quantity: Quantity) -> Contender<'c> {
        let states = if quantity.takes_torques() { &self.states.torques } else { &self.states.accelerations };
        Box::new(move |reps| ours.borrow_mut().time(quantity, states, reps).map_err(|e| e.to_string()))
    }

    /// One contender for each of the opponent's ways.
    fn theirs<'c>(
        &'c self,
        opponent: &'c RefCell<Opponent<'b>>,
        quantity: Quantity,
    ) -> impl Iterator<Item = Contender<'c>> {
        let states = if quantity.takes_torques() { &self.foreign.torques } else { &self.foreign.accelerations };
        quantity.ways().iter().map(move |&(code, _)| -> Contender<'c> {
            Box::new(move |reps| opponent.borrow_mut().time(code, states, reps))
        })
    }

    /// The largest difference over a few states and all of the opponent's ways; an error if it is too large.
    fn difference(
        &self,
        ours: &RefCell<Ours<'_>>,
        opponent: &RefCell<Opponent<'b>>,
        quantity: Quantity,
    ) -> Result<f64, String> {
        let (ours, mut opponent) = (&mut *ours.borrow_mut(), opponent.borrow_mut());
        let (own, foreign) = if quantity.takes_torques() {
            (&self.states.torques, &self.foreign.torques)
        } else {
            (&self.states.accelerations, &self.foreign.accelerations)
        };
        let mut worst = 0.0;
        for i in 0..COMPARED {
            let (q, v, x) = own.one(i);
            ours.run(quantity, q, v, x).map_err(|e| e.to_string())?;
            let tolerance = agree::tolerance(quantity, &self.model, q).map_err(|e| e.to_string())?;
            for &(code, way) in quantity.ways() {
                let theirs = ours::theirs(quantity, opponent.run(code, foreign, i)?);
                let shape = agree::Shape::of(quantity, self.watched.len());
                let difference = agree::difference(&ours.result(quantity), &theirs, shape);
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

    fn row(&self, quantity: Quantity, opponent: &str, dtau: Timing, theirs: &[Timing], difference: f64) -> Row {
        let fastest = (0..theirs.len()).min_by(|&a, &b| theirs[a].least.total_cmp(&theirs[b].least)).unwrap_or(0);
        Row {
            robot: self.subject.name.clone(),
            nv: self.model.nv(),
            quantity,
            mode: Mode::Single,
            scalar: "f64".into(),
            opponent: opponent.into(),
            opponent_way: quantity.ways()[fastest].1.into(),
            opponent_ns: theirs[fastest].least,
            dtau_ns: dtau.least,
            ratio: theirs[fastest].least / dtau.least,
            floor: floor(quantity, Mode::Single, opponent, &self.subject.name, self.model.nv()),
            opponent_spread: theirs[fastest].spread(),
            dtau_spread: dtau.spread(),
            difference: Some(difference),
        }
    }
}

/// The results as JSON, one row a line, so that changes of a stored file can be read.
///
/// # Errors
/// If a number is not finite.
pub fn to_json(results: &Results) -> serde_json::Result<String> {
    fn lines<T: Serialize>(items: &[T]) -> serde_json::Result<String> {
        let lines: Vec<String> = items.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(if lines.is_empty() { "[]".into() } else { format!("[\n    {}\n  ]", lines.join(",\n    ")) })
    }
    let fields = [
        ("facts", lines(&results.facts)?),
        ("notices", lines(&results.notices)?),
        ("peak", serde_json::to_string(&results.peak)?),
        ("rows", lines(&results.rows)?),
        ("counts", lines(&results.counts)?),
        ("ways", lines(&results.ways)?),
    ];
    let fields = fields.map(|(name, value)| format!("  \"{name}\": {value}"));
    Ok(format!("{{\n{}\n}}\n", fields.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_json_and_a_part_may_have_rows_alone() {
        let text = r#"{"rows": [{"robot": "hyq", "nv": 18, "quantity": "rnea", "mode": "python", "scalar": "f64",
            "opponent": "Pinocchio, from Python", "opponent_way": "rnea", "opponent_ns": 3000.0, "dtau_ns": 1500.0,
            "ratio": 2.0, "floor": null, "opponent_spread": 0.1, "dtau_spread": 0.1, "difference": 1e-14}],
            "notices": ["a notice"]}"#;
        let part: Results = serde_json::from_str(text).unwrap();
        let mut all = Results { peak: Some(19.5), facts: vec![("cores".into(), "2".into())], ..Results::default() };
        all.merge(part);
        assert_eq!((all.rows.len(), all.peak, all.notices.len()), (1, Some(19.5), 1));
        let again: Results = serde_json::from_str(&to_json(&all).unwrap()).unwrap();
        assert_eq!(again, all);
    }
}
