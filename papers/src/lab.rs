//! The laboratory: measures everything once.

use super::robots::{Named, Robot};
use super::settings::Settings;
use crate::load::Used;
use crate::work::Work;
use dtau::Scene;
use dtau::model::{Model, Options, generate};
use dtau::spatial::Sym3;
use dtau_cli::clock::{self, Timing};
use dtau_cli::progress::Progress;
use dtau_cli::sample::{Sample, samples};
use std::collections::HashMap;
use std::rc::Rc;

/// Number of random states for each timing.
const STATES: usize = 32;

/// Added uncertainty of a time if other programs use half of the machine, including caches and memory.
const LOAD: f64 = 0.1;

/// Uncertainty of a time due to load: proportional to the load of other programs over the free share. If they
/// use nearly all of the machine, no verdict is possible.
fn doubt_under(others: f64) -> f64 {
    LOAD * others / (1.0 - others.min(0.99))
}

pub struct Lab<'a> {
    pub settings: &'a Settings,
    progress: &'a mut Progress,
    /// The current figure, for the progress.
    figure: &'static str,
    subjects: HashMap<String, Rc<Subject>>,
    /// Times of one session, measured alternately. Times of different sessions are not comparable, since the
    /// state of the machine changes.
    times: HashMap<(String, String), (usize, Timing)>,
    sessions: usize,
    /// Processor time when the figure began.
    used: Option<Used>,
    counts: HashMap<(String, String), Option<f64>>,
}

/// A robot with random states.
pub struct Subject {
    pub name: String,
    pub model: Model,
    pub samples: Vec<Sample>,
    pub note: Option<String>,
    /// Its name in a run of bench/.
    pub in_bench: Option<&'static str>,
}

impl Subject {
    /// The bare robot: without damping, friction or rotor inertia, as in the papers.
    pub fn scene(&self) -> Scene<'_, f64> {
        self.model.scene().damping(false).friction(false).armature(false)
    }
}

impl<'a> Lab<'a> {
    pub fn new(settings: &'a Settings, progress: &'a mut Progress) -> Self {
        Self {
            settings,
            progress,
            figure: "",
            subjects: HashMap::new(),
            times: HashMap::new(),
            sessions: 0,
            used: None,
            counts: HashMap::new(),
        }
    }

    /// Starts a figure.
    pub fn begin(&mut self, figure: &'static str, weight: f64) {
        self.figure = figure;
        self.used = Used::now();
        self.progress.begin(weight);
        self.progress.at(figure);
    }

    pub fn progress(&mut self) -> &mut Progress {
        self.progress
    }

    /// Reports the current step, and the completed share of the figure.
    pub fn at(&mut self, what: &str, share: f64) {
        self.progress.part(share);
        self.progress.at(&format!("{}: {what}", self.figure));
    }

    /// Share of the machine that other programs used since the figure began.
    pub fn others(&self) -> f64 {
        self.used.zip(Used::now()).map_or(0.0, |(before, now)| now.others_since(before))
    }

    /// The papers' tree of `n` links.
    pub fn tree(&mut self, n: usize, bf: usize) -> Result<Rc<Subject>, String> {
        let key = format!("tree {n} {bf}");
        if let Some(subject) = self.subjects.get(&key) {
            return Ok(subject.clone());
        }
        let model = tree(n, bf)?;
        let name = format!("{n} links, bf {bf}");
        self.keep(key, Robot { name, model, note: None, in_bench: None })
    }

    /// A robot of the papers, or its substitute.
    pub fn robot(&mut self, named: Named) -> Result<Rc<Subject>, String> {
        let key = format!("robot {named:?}");
        if let Some(subject) = self.subjects.get(&key) {
            return Ok(subject.clone());
        }
        let robot = self.settings.robots.load(named).map_err(|failure| failure.text())?;
        self.keep(key, robot)
    }

    fn keep(&mut self, key: String, robot: Robot) -> Result<Rc<Subject>, String> {
        let Robot { name, model, note, in_bench } = robot;
        let mut subject = Subject { name, model, samples: Vec::new(), note, in_bench };
        let samples = samples(subject.scene(), STATES, 1).map_err(|error| error.to_string())?;
        subject.samples = samples;
        let subject = Rc::new(subject);
        self.subjects.insert(key, subject.clone());
        Ok(subject)
    }

    /// Times several works on a robot alternately. Works that were measured together before are not measured
    /// again.
    pub fn times(&mut self, subject: &Subject, works: &[Work]) -> Result<Vec<Timing>, String> {
        let key = |work: &Work| (subject.name.clone(), work.key());
        let known: Vec<(usize, Timing)> = works.iter().filter_map(|work| self.times.get(&key(work)).copied()).collect();
        if known.len() == works.len() && known.iter().all(|(session, _)| *session == known[0].0) {
            return Ok(known.into_iter().map(|(_, time)| time).collect());
        }
        let mut calls = Vec::with_capacity(works.len());
        for work in works {
            calls.push(work.call(subject.scene(), &subject.samples)?);
        }
        let measured = clock::measure(calls, subject.samples.len(), &self.settings.plan)
            .map_err(|error| format!("{}: {error}", subject.name))?;
        self.sessions += 1;
        let load = doubt_under(self.others());
        let doubted = |time: Timing| Timing { doubt: time.doubt + load, ..time };
        let times: Vec<Timing> =
            works.iter().zip(measured).map(|(work, time)| doubted(time.of_one(work.states()))).collect();
        self.times.extend(works.iter().zip(&times).map(|(work, time)| (key(work), (self.sessions, *time))));
        Ok(times)
    }

    /// Number of floating-point operations of a work; a multiply-add counts as one.
    pub fn operations(&mut self, subject: &Subject, work: Work) -> Result<Option<f64>, String> {
        let key = (subject.name.clone(), work.key());
        if let Some(count) = self.counts.get(&key) {
            return Ok(*count);
        }
        let count = work.operations(&subject.scene(), &subject.samples[0])?.map(|count| count.instructions() as f64);
        self.counts.insert(key, count);
        Ok(count)
    }
}

/// [Singh21] §VI-A: every link has 1 kg and 1 m, its centre of mass halfway, 1 kg m² about its joint's axis
/// and zero about the other axes. Gravity acts in the plane of motion, so that it has an effect.
pub fn tree(n: usize, bf: usize) -> Result<Model, String> {
    let mut robot = generate::tree(n, bf);
    for inertial in robot.links.iter_mut().filter_map(|link| link.inertial.as_mut()) {
        inertial.about_com = Sym3::diagonal(0.0, 0.0, 1.0);
    }
    let options = Options { gravity: [0.0, -9.81, 0.0], ..Options::default() };
    Model::build(&robot, &options).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Verdict;
    use crate::sweep::Ratio;

    /// With a tenth of the machine, while a build used the rest, a slower method was measured as twice as
    /// fast.
    #[test]
    fn load_decides_nothing() {
        let judged = |others: f64, ratio: f64| {
            let time = |ns: f64| Timing { doubt: doubt_under(others), ..Timing::exactly(ns) };
            Ratio::of(&time(ratio), &time(1.0)).faster()
        };
        for ratio in [0.5, 0.8, 1.2, 1.9] {
            assert_eq!(judged(0.9, ratio), Verdict::Undecided, "{ratio}");
            assert_ne!(judged(0.05, ratio), Verdict::Undecided, "{ratio}");
        }
        assert_ne!(judged(0.5, 0.5), Verdict::Undecided);
        assert!(doubt_under(1.0).is_finite());
    }
}
