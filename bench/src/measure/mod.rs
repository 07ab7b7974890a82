//! The comparison: for every subject, every quantity in every mode.

mod generated;
mod many;
mod relative;
mod single;
mod versus;

use crate::limit;
use crate::opponent::Library;
use crate::plan::{Plan, Timing};
use crate::quantity::Quantity;
use crate::results::Results;
use crate::robots::{Places, Subject};
use crate::row::{Mode, Row};
use crate::ways;
use dtau_cli::progress::Progress;
use generated::Generated;
use many::{Batched, Threaded};
use regex_lite::Regex;
use relative::Relative;
use single::Single;
use versus::Versus;

/// Settings of the measurement.
pub struct Bench {
    /// Pinocchio's fastest build.
    pub native: Library,
    /// The library of the wheel.
    pub shipped: Option<Library>,
    /// Folders of the robots.
    pub places: Places,
    /// Length of the measurement.
    pub plan: Plan,
    /// Filter: must match "robot quantity mode".
    pub only: Option<Regex>,
    /// Modes to measure.
    pub modes: Vec<Mode>,
    /// Compiler of generated code.
    pub compiler: String,
}

/// One quantity of one robot in one mode. When it is made, the results of both sides are compared.
trait Contest {
    /// Returns the quantity.
    fn quantity(&self) -> Quantity;
    /// Times all contenders alternately.
    fn visit(&mut self, plan: Plan) -> Result<(), String>;
    /// Returns the results.
    fn rows(&self) -> Vec<Row>;
}

impl Bench {
    /// Measures all subjects.
    ///
    /// # Errors
    /// Fails if a robot cannot be read, a side fails, or the two sides disagree.
    pub fn run(&self, subjects: &[Subject]) -> Result<Results, String> {
        let mut results = Results { peak: Some(self.native.fma_peak(50)), ..Results::default() };
        let mut progress = Progress::new(subjects.iter().map(|s| self.steps(s)).sum::<usize>() as f64);
        for subject in subjects.iter().filter(|s| self.steps(s) > 0) {
            self.subject(subject, &mut results, &mut progress)?;
        }
        progress.end();
        // Measured again at the end, because the clock of an idle core is slow.
        results.peak = Some(self.native.fma_peak(50).max(results.peak.unwrap_or(0.0)));
        Ok(results)
    }

    /// Returns the quantities to compare in a mode.
    fn wanted(&self, subject: &Subject, mode: Mode) -> Vec<Quantity> {
        let all: Vec<Quantity> = match mode {
            Mode::Generated | Mode::GeneratedBatch if subject.is_robot() => {
                Quantity::generated(!subject.held.is_empty()).collect()
            }
            Mode::Single | Mode::Batch if !subject.held.is_empty() => {
                Quantity::all().filter(|q| q.is_constrained()).collect()
            }
            _ if !subject.held.is_empty() => Vec::new(),
            Mode::Single => Quantity::all().filter(|q| !q.is_constrained()).collect(),
            // Trees show how the time of a state grows. Larger trees give no information about batches.
            Mode::Batch if subject.size_and_branching().is_none_or(|(n, _)| n <= 100) => {
                Quantity::batched().filter(|q| !q.is_constrained()).collect()
            }
            Mode::Threads if subject.is_robot() => {
                Quantity::batched().filter(|q| q.first().is_none() && !q.is_constrained()).collect()
            }
            _ => Vec::new(),
        };
        let links = subject.size_and_branching().map_or(0, |(n, _)| n);
        all.into_iter().filter(|q| links <= q.most_links() && self.wants(subject, q.name(), mode)).collect()
    }

    fn wants(&self, subject: &Subject, what: &str, mode: Mode) -> bool {
        let text = || format!("{} {what} {}", subject.name, mode.name());
        self.modes.contains(&mode) && self.only.as_ref().is_none_or(|only| only.is_match(&text()))
    }

    fn steps(&self, subject: &Subject) -> usize {
        let contests: usize = self.modes.iter().map(|&mode| self.wanted(subject, mode).len()).sum();
        contests * self.plan.visits + usize::from(subject.held.is_empty() && self.wants(subject, "ways", Mode::Single))
    }

    fn subject(&self, subject: &Subject, results: &mut Results, progress: &mut Progress) -> Result<(), String> {
        progress.at(&subject.name);
        let versus = Versus::new(self, subject)?;
        for &mode in &self.modes {
            self.mode(&versus, mode, results, progress)?;
        }
        let counted = self.wanted(subject, Mode::Single);
        results.counts.extend(limit::count(
            &subject.name,
            &versus.model,
            &versus.watched,
            versus.held.as_ref(),
            &versus.states,
            &counted,
        )?);
        if subject.held.is_empty() && self.wants(subject, "ways", Mode::Single) {
            progress.at(&format!("{} ways to ∂FD", subject.name));
            results.ways.push(ways::measure(&subject.name, &versus.model, &versus.states.torques, self.plan)?);
            progress.advance(1.0);
        }
        Ok(())
    }

    fn mode(
        &self,
        versus: &Versus<'_>,
        mode: Mode,
        results: &mut Results,
        progress: &mut Progress,
    ) -> Result<(), String> {
        let mut contests: Vec<Box<dyn Contest + '_>> = Vec::new();
        for quantity in self.wanted(versus.subject, mode) {
            if let Some(first) = quantity.first() {
                contests.push(Box::new(Relative::new(versus, quantity, first, mode)?));
                continue;
            }
            contests.push(match mode {
                Mode::Single => Box::new(Single::new(versus, quantity)?),
                Mode::Batch => Box::new(Batched::new(versus, quantity)?),
                Mode::Threads => Box::new(Threaded::new(versus, quantity)?),
                Mode::Generated | Mode::GeneratedBatch => Box::new(Generated::new(versus, quantity, mode)?),
                Mode::Python => continue, // done by python_bench.py
            });
        }
        if contests.is_empty() {
            return Ok(());
        }
        for _ in 0..self.plan.visits {
            for contest in &mut contests {
                progress.at(&format!("{} {} {}", versus.subject.name, contest.quantity(), mode.name()));
                contest.visit(self.plan)?;
                progress.advance(1.0);
            }
        }
        let mut summary = format!("{} ({}) {}:", versus.subject.name, versus.model.nv(), mode.name());
        for contest in &contests {
            let rows = contest.rows();
            let ratios: Vec<String> = rows.iter().map(|row| format!("{:.1}×", row.ratio)).collect();
            summary += &format!(" {} {}", contest.quantity(), ratios.join(" "));
            results.rows.extend(rows);
        }
        progress.line(&summary);
        Ok(())
    }
}

/// Merges timings with those of another visit.
fn better(before: &[Timing], now: Vec<Timing>) -> Vec<Timing> {
    if before.is_empty() {
        return now;
    }
    before.iter().zip(now).map(|(before, now)| before.better(now)).collect()
}
