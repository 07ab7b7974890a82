//! `dtau check`: are the derivatives of this robot right, and how fast are they here?

mod constraints;
mod html;
mod identities;
mod methods;
mod names;
mod report;
mod scale;
mod second;
mod size;

pub use names::dof_names;

use crate::args::{CheckArgs, Format};
use crate::failure::{Failure, say};
use crate::progress::Progress;
use crate::sample::{Sample, samples};
use crate::timing::Budget;
use crate::{constraints as held, files, json, robot};
use dtau::model::Model;
use dtau::{Constraints, Scene};
use dtau_methods::list::{METHODS, Method};
use serde::Serialize;
use std::ffi::OsStr;
use std::io::Write;
use std::process::ExitCode;

pub fn run(args: &CheckArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let methods: Vec<&'static Method> = METHODS.iter().collect();
    run_with(&methods, args, out)
}

/// The same with another list of methods, such as one with a mistake in it.
fn run_with(methods: &[&'static Method], args: &CheckArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load(&args.robot)?;
    if model.nv() == 0 {
        let name = model.name();
        return Err(Failure::input(format!(
            "{name}: nothing moves, so there is nothing to check; try --root floating"
        )));
    }
    if let Some(path) = &args.html {
        files::require_writable_file(path)?;
    }
    let scene = args.robot.model.scene(&model);
    let constraints = args.constraints.as_deref().map(|path| held::read(path, &model)).transpose()?;
    let samples = samples(scene, args.states as usize, args.seed)?;
    let report = check(methods, scene, constraints.as_ref(), &samples, args)?;
    match args.format {
        Format::Json => json::write(out, &report)?,
        Format::Table => report::write(out, &report)?,
    }
    if let Some(path) = &args.html {
        files::write(path, html::page(&report, &file(&args.robot.name), scene, &samples[0]))?;
        say("note", &format!("the page is {}", path.display()));
    }
    Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The robot as it was asked for, and where it is from.
fn file(name: &OsStr) -> String {
    let bundled = dtau::bundled_names().any(|bundled| name == bundled);
    format!("{}{}", name.to_string_lossy(), if bundled { " (bundled)" } else { "" })
}

fn check(
    methods: &[&'static Method],
    scene: Scene<'_, f64>,
    held: Option<&Constraints>,
    samples: &[Sample],
    args: &CheckArgs,
) -> Result<Report, Failure> {
    // Comparing every method, timing three quantities, complex step and identities.
    let mut progress = Progress::new(0.5 * methods.len() as f64 + 9.0 + 2.0);
    let budget = Budget::millis(args.budget, 5);
    let methods = methods::check(methods, scene, samples, budget, &mut progress).map_err(Failure::Input)?;
    progress.at("identities");
    let mut identities = identities::check(scene, samples)?;
    identities.extend(second::check(scene, samples)?);
    let constrained = match held {
        None => Vec::new(),
        Some(held) => {
            progress.at("constraints");
            constraints::check(scene, held, samples)?
        }
    };
    progress.end();

    let model: &Model = scene.model;
    let good = methods.iter().all(|line| line.verdict != methods::Verdict::Failed);
    Ok(Report {
        robot: model.name().into(),
        nv: model.nv(),
        joints: model.joints().len(),
        mass: model.mass(),
        states: samples.len(),
        seed: args.seed,
        tolerance: scale::TOLERANCE,
        measure: MEASURE,
        passed: good && identities.iter().all(|line| line.good) && constrained.iter().all(|line| line.good),
        methods,
        identities,
        constraints: held.map(constraints::titles).unwrap_or_default(),
        constrained,
        warnings: model.warnings().to_vec(),
    })
}

/// The errors' units, in words.
const MEASURE: &str = "largest |entry − complex step| in units of the largest entry of its row; for ∂q̈ and M⁻¹ of the row of \
                       |M⁻¹| |M| |X|, what rounding M once would change. Where terms cancel, 64 roundings of what was added \
                       up count as 1e-12";

/// Everything that was found.
#[derive(Serialize)]
struct Report {
    robot: String,
    nv: usize,
    joints: usize,
    mass: f64,
    states: usize,
    seed: u64,
    tolerance: f64,
    measure: &'static str,
    passed: bool,
    methods: Vec<methods::Line>,
    identities: Vec<identities::Line>,
    /// What is held.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constrained: Vec<constraints::Line>,
    warnings: Vec<String>,
}

#[cfg(test)]
mod tests;
