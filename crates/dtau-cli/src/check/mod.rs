//! `dtau check`: is the description of this robot plausible?

mod drawing;
mod faults;
pub mod finding;
mod mirror;
mod rest;
mod subject;
mod tables;

use crate::args::{CheckArgs, Format, RobotArgs};
use crate::failure::{Failure, say};
use crate::report::{Part, Report};
use crate::{files, json, machine, robot};
use dtau::Scene;
use dtau::model::{MimicMode, Model, Options, Root};
use finding::{Finding, Severity};
use rest::{Mode, Torques};
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use subject::Subject;
use tables::{JointLine, LinkLine};

/// Runs the command.
pub fn run(args: &CheckArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let page = args.html.clone().or_else(|| args.open.then(temporary));
    if let Some(path) = &page {
        files::require_writable_file(path)?;
    }
    let model = load(&args.robot)?;
    let subject = Subject::new(&model)?;
    let found = Found::of(args.robot.model.scene(&model), &subject, &args.robot)?;
    let is_json = args.json || args.format == Format::Json;
    let drawings = if page.is_some() { drawing::views(&subject) } else { Vec::new() };
    let report = found.report(drawings);
    if let Some(path) = &page {
        files::write(path, report.html("dtau check", Some(&robot::origin(&args.robot.name))))?;
    }
    match is_json {
        true => json::write(out, &found)?,
        false => report.write(out)?,
    }
    out.flush()?;
    if let Some(path) = &page {
        say("note", &format!("the page is {}", path.display()));
        if args.open {
            open(path)?;
        }
    }
    let worst = found.findings.first().map(|finding| finding.severity);
    let fails = worst == Some(Severity::Error) || args.strict && worst == Some(Severity::Warning);
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Loads a robot. Moving links without inertia and broken mimics become findings, not errors.
fn load(args: &RobotArgs) -> Result<Model, Failure> {
    let options = Options { allow_massless: true, ..args.model.options() };
    robot::named(&args.name, &options).or_else(|failure| {
        // Mimics that cannot be honoured are a warning of the model that frees them.
        robot::named(&args.name, &Options { mimic: MimicMode::Free, ..options }).map_err(|_| failure)
    })
}

/// Returns the path of the page for `--open` without `--html`.
fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("dtau-check-{}.html", std::process::id()))
}

/// Opens a page in the browser.
fn open(path: &Path) -> Result<(), Failure> {
    let (program, args): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(args).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let fail =
        |why: String| Err(Failure::input(format!("{program} cannot open the page: {why}; open {}", path.display())));
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return fail(error.to_string()),
    };
    // Some browsers run until they are closed.
    const PATIENCE: Duration = Duration::from_secs(3);
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return fail(status.to_string()),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => return fail(error.to_string()),
        }
    }
    Ok(())
}

/// Joins findings that say the same about different places.
fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    let mut known: HashMap<(String, Severity), usize> = HashMap::new();
    for finding in findings {
        match known.entry((finding.what.clone(), finding.severity)) {
            Entry::Occupied(entry) => merged[*entry.get()].at.extend(finding.at),
            Entry::Vacant(entry) => {
                entry.insert(merged.len());
                merged.push(finding);
            }
        }
    }
    merged
}

/// Everything that was found.
#[derive(Serialize)]
struct Found {
    robot: String,
    root: &'static str,
    nq: usize,
    nv: usize,
    mass: f64,
    /// False if there are errors.
    passed: bool,
    /// Worst first.
    findings: Vec<Finding>,
    fastest_mode: Option<Mode>,
    links: Vec<LinkLine>,
    joints: Vec<JointLine>,
    /// A sentence about the fastest mode; empty if nothing moves.
    #[serde(skip)]
    mode: String,
    /// The robot and its root as arguments of a command.
    #[serde(skip)]
    arguments: String,
}

impl Found {
    fn of(scene: Scene<'_, f64>, subject: &Subject, args: &RobotArgs) -> Result<Self, Failure> {
        let model = subject.model;
        let torques = Torques::of(scene, subject)?;
        let mode = Mode::of(scene, subject);
        let in_words = if model.nv() > 0 { Mode::describe(&mode) } else { String::new() };
        let fastest_mode = mode.ok().flatten();
        let mut findings = faults::all(subject, args.model.allow_massless);
        findings.extend(mirror::all(subject));
        findings.extend(torques.findings(subject));
        findings.extend(fastest_mode.as_ref().and_then(|mode| mode.finding(subject)));
        findings.extend(rest::legs(subject));
        // A moving link without inertia is a finding already.
        if !model.warnings().iter().any(|text| text.contains(faults::MASSLESS)) {
            findings.extend(rest::singular(scene, subject));
        }
        findings.sort_by_key(Finding::rank);
        let findings = merged(findings);
        let root = match model.options().root {
            _ if model.joints().iter().any(rest::floats) => "floating",
            Root::Fixed => "fixed",
            Root::Floating => "floating",
            Root::Joint(kind) => kind.name(),
        };
        let option = if model.options().root == Root::Floating { " --root floating" } else { "" };
        Ok(Self {
            robot: model.name().into(),
            root,
            nq: model.nq(),
            nv: model.nv(),
            mass: model.mass(),
            passed: findings.iter().all(|finding| finding.severity != Severity::Error),
            findings,
            fastest_mode,
            mode: in_words,
            links: LinkLine::all(subject),
            joints: JointLine::all(subject, &torques),
            arguments: machine::quoted(&args.name.to_string_lossy()) + option,
        })
    }

    /// Returns the number of findings, such as `1 error, 2 warnings`.
    fn tally(&self) -> String {
        let count = |severity: Severity| {
            let count = self.findings.iter().filter(|finding| finding.severity == severity).count();
            let s = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{count} {}{s}", severity.name()))
        };
        let counts: Vec<String> =
            [Severity::Error, Severity::Warning, Severity::Hint].into_iter().filter_map(count).collect();
        counts.join(", ")
    }

    fn report(&self, drawings: Vec<String>) -> Report {
        let Self { nv, mass, root, joints, links, .. } = self;
        let degrees = if *nv == 1 { "degree" } else { "degrees" };
        let moving = match joints.len() {
            1 => "1 joint".into(),
            n => format!("{n} joints"),
        };
        let lead = format!("{nv} {degrees} of freedom, {moving}, {}, {root} root", subject::mass(*mass));
        let mut parts = Vec::new();
        if self.findings.is_empty() {
            parts.push(Part::Verdict(true, "no errors, no warnings".into()));
        } else {
            parts.push(Part::Heading(self.tally()));
            parts.extend(self.findings.iter().cloned().map(Part::Finding));
        }
        if !drawings.is_empty() {
            const REMARK: &str = "The robot at rest, with all joints at zero or at the nearest limit. Each box has uniform density and the \
                                  mass and inertia of a link; it should be about as large as the link. Red boxes are not physical; boxes lighter than air are left out.";
            parts.push(Part::Drawings("Inertias", REMARK, false, drawings));
        }
        if !links.is_empty() {
            parts.push(Part::Heading("Links".into()));
            parts.push(Part::Note(tables::masses(links)));
            parts.push(Part::Table(tables::of_links(links)));
        }
        if !joints.is_empty() {
            parts.push(Part::Heading("Joints".into()));
            parts.push(Part::Table(tables::of_joints(joints)));
            parts.push(Part::Note(format!(
                "At rest: torque or force that holds the weight, and its share of the effort limit. At most: the largest of {} \
                 random configurations.",
                Torques::RANDOM
            )));
        }
        if !self.mode.is_empty() {
            parts.push(Part::Note(self.mode.clone()));
        }
        parts.push(Part::Heading("Next".into()));
        parts.push(Part::Note(format!(
            "See the robot in 3-D, with its inertia boxes: dtau show {} --inertias",
            self.arguments
        )));
        parts.push(Part::Note(format!("Are dtau's derivatives right on this robot? dtau verify {}", self.arguments)));
        Report { title: self.robot.clone(), lead, parts }
    }
}
