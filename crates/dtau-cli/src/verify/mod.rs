//! `dtau verify`: are the derivatives of this robot right?

mod derivatives;
mod identities;
mod page;
pub mod scale;
mod second;
pub mod size;
#[cfg(test)]
mod tests;
pub mod values;

pub use page::{at, at_length, error_cell, fd_units, heat_maps, id_units};

use crate::args::{Format, VerifyArgs};
use crate::failure::{Failure, say};
use crate::progress::Progress;
use crate::sample::samples;
use crate::{constraints, files, json, robot};
use dtau::Constraints;
use scale::{Entry, Worst};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use values::{Evaluate, Values};

/// Runs the command.
pub fn run(args: &VerifyArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    run_with(Values::of, args, out)
}

/// Runs the command with `evaluate` in place of the library's functions.
fn run_with(evaluate: Evaluate, args: &VerifyArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load_moving(&args.robot, "verify")?;
    if let Some(path) = &args.html {
        files::require_writable_file(path)?;
    }
    let scene = args.robot.model.scene(&model);
    let held = args.constraints.as_deref().map(|path| constraints::read(path, &model)).transpose()?;
    let samples = samples(scene, args.states as usize, args.seed)?;

    let mut progress = Progress::new(4.0);
    let mut next = |what: &str| {
        progress.at(what);
        progress.advance(1.0);
    };
    next("derivatives");
    let derivatives = derivatives::free(evaluate, scene, &samples)?;
    next("identities");
    let mut identities = identities::check(scene, &samples)?;
    next("second derivatives");
    identities.extend(second::check(scene, &samples)?);
    next("constraints");
    let constrained = match &held {
        Some(held) => derivatives::constrained(evaluate, scene, held, &samples)?,
        None => Vec::new(),
    };
    progress.end();

    let mut found = Found {
        robot: model.name().into(),
        nv: model.nv(),
        joints: model.joints().len(),
        mass: model.mass(),
        states: samples.len(),
        seed: args.seed,
        tolerance: scale::TOLERANCE,
        measure: MEASURE,
        passed: false,
        derivatives,
        identities,
        constraints: held.as_ref().map(titles).unwrap_or_default(),
        constrained,
    };
    let passed = found.lines().all(|line| line.good);
    found.passed = passed;
    let maps = if args.html.is_some() { heat_maps(scene, &samples[0]) } else { Vec::new() };
    let report = page::report(&found, maps);
    if let Some(path) = &args.html {
        files::write(path, report.html("dtau verify", Some(&robot::origin(&args.robot.name))))?;
    }
    match args.format {
        Format::Json => json::write(out, &found)?,
        Format::Table => report.write(out)?,
    }
    if let Some(path) = &args.html {
        say("note", &format!("the page is {}", path.display()));
    }
    Ok(if found.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Titles of the constraints.
fn titles(constraints: &Constraints) -> Vec<String> {
    let title = |item: &dtau::Constraint| format!("{} ({})", item.name(), item.row_names().join(", "));
    constraints.iter().map(title).collect()
}

/// The units of the errors, in words.
pub const MEASURE: &str = "largest |entry − complex step| in units of the largest entry of its row; for ∂q̈ and M⁻¹ of the row of \
                       |M⁻¹| |M| |X|, what rounding M once would change. Where terms cancel, 64 roundings of what was added \
                       up count as 1e-12";

/// All results.
#[derive(Serialize)]
struct Found {
    robot: String,
    nv: usize,
    joints: usize,
    mass: f64,
    states: usize,
    seed: u64,
    tolerance: f64,
    measure: &'static str,
    passed: bool,
    derivatives: Vec<Line>,
    identities: Vec<Line>,
    /// The constraints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constrained: Vec<Line>,
}

impl Found {
    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.derivatives.iter().chain(&self.identities).chain(&self.constrained)
    }
}

/// A property that must hold for this robot.
#[derive(Clone, Debug, Serialize)]
struct Line {
    /// An identity, or a function.
    claim: &'static str,
    /// The identity in words, or the reference for the function.
    what: String,
    good: bool,
    /// Reason why it could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Error of the worst entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<Entry>,
}

impl Line {
    /// A line with the worst entry, or with the reason why there is none.
    fn new(claim: &'static str, what: String, worst: Worst, why: Option<String>) -> Self {
        let good = why.is_some() || worst.is_good();
        match why {
            Some(why) => Self { claim, what, good, why: Some(why), error: None, worst: None },
            None => Self { claim, what, good, why: None, error: Some(worst.error), worst: worst.entry },
        }
    }
}
