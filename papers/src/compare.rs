//! Every method of the list on a robot, against complex step: errors and times.

use crate::args::CompareArgs;
use crate::plot::{DotSeries, Dots, Point, Unit};
use crate::work::Work;
use dtau::{FdDerivatives, IdDerivatives, Matrix, Scene};
use dtau_cli::args::Format;
use dtau_cli::clock::{self, Plan, Timing, text};
use dtau_cli::failure::{Failure, say};
use dtau_cli::names::dof_names;
use dtau_cli::page::svg::{BAD, GOOD, NEUTRAL};
use dtau_cli::product::Instructions;
use dtau_cli::progress::Progress;
use dtau_cli::report::{Part, Report};
use dtau_cli::sample::{Sample, samples};
use dtau_cli::table::{Cell, Table};
use dtau_cli::verify::scale::{Entry, TOLERANCE, Worst};
use dtau_cli::verify::size::Sizes;
use dtau_cli::verify::{MEASURE, at, at_length, error_cell, fd_units, heat_maps, id_units};
use dtau_cli::{files, json, robot};
use dtau_methods::list::{METHODS, Method, Quantity};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

pub fn run(args: &CompareArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let methods: Vec<&'static Method> = METHODS.iter().collect();
    run_with(&methods, args, out)
}

/// Compares the methods of a list; a test uses one with a planted error.
fn run_with(methods: &[&'static Method], args: &CompareArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load_moving(&args.robot, "compare")?;
    if let Some(path) = &args.html {
        files::require_writable_file(path)?;
    }
    let scene = args.robot.model.scene(&model);
    let samples = samples(scene, args.states as usize, args.seed)?;
    // Comparing every method, and timing three quantities.
    let mut progress = Progress::new(0.5 * methods.len() as f64 + 9.0 + 1.0);
    let plan = Plan::millis(args.budget, 5);
    let methods = check(methods, scene, &samples, &plan, &mut progress).map_err(Failure::Input)?;
    progress.end();
    let passed = methods.iter().all(|line| line.verdict != Verdict::Failed);
    let lead = format!("{} degrees of freedom, at {} random states from seed {}", model.nv(), args.states, args.seed);
    let maps = if args.html.is_some() { heat_maps(scene, &samples[0]) } else { Vec::new() };
    let report = report(model.name(), lead, &methods, maps);
    if let Some(path) = &args.html {
        files::write(path, report.html("dtau-papers compare", Some(&robot::origin(&args.robot.name))))?;
    }
    match args.format {
        Format::Json => json::write(out, &Found { robot: model.name(), tolerance: TOLERANCE, passed, methods })?,
        Format::Table => report.write(out)?,
    }
    if let Some(path) = &args.html {
        say("note", &format!("the page is {}", path.display()));
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Results of the comparison.
#[derive(Serialize)]
struct Found<'a> {
    robot: &'a str,
    tolerance: f64,
    passed: bool,
    methods: Vec<Line>,
}

/// A method on this robot.
#[derive(Clone, Debug, Serialize)]
struct Line {
    quantity: &'static str,
    method: &'static str,
    source: &'static str,
    exact: bool,
    verdict: Verdict,
    /// Reason why the method was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The largest error of an entry; the oracle has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    /// Entry with the largest error.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<Entry>,
    /// Times of one call \[ns\].
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Timing>,
    /// Time relative to the library's own method, from the least times.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// Error within the tolerance.
    Ok,
    /// Error out of tolerance.
    Failed,
    /// A method that is not exact: its error is shown but has no verdict.
    Inexact,
    /// Reference of the comparison.
    Oracle,
    /// The method does not support this robot.
    NotForThis,
}

/// The quantities, in the order of the report.
const QUANTITIES: [(Quantity, &str, &str); 3] = [
    (Quantity::IdDerivatives, "id_derivatives", "∂τ/∂(q, q̇, q̈)"),
    (Quantity::FdDerivatives, "fd_derivatives", "∂q̈/∂(q, q̇, τ)"),
    (Quantity::MassInverse, "minverse", "M⁻¹"),
];

const ORACLE: &str = "complex-step";

/// Reference at one state, and the units of the errors.
struct Truth {
    id: IdDerivatives<f64>,
    id_scales: [Vec<f64>; 3],
    /// Forward dynamics, or the reason why a body has no inertia along its joint.
    fd: Result<(FdDerivatives<f64>, [Vec<f64>; 3]), String>,
}

impl Truth {
    fn of(scene: &Scene<'_, f64>, x: &Sample, oracles: &Oracles) -> Result<Self, String> {
        let id = oracles.id.id_derivatives(scene, &x.q, &x.v, &x.a).map_err(|refused| refused.to_string())?;
        let added = Sizes::of(scene, x).map_err(|error| error.to_string())?;
        let id_scales = id_units(&id, &added);
        let fd = oracles.fd.fd_derivatives(scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string());
        let fd = fd.map(|fd| {
            let scales = fd_units(&id, &fd, &added);
            (fd, scales)
        });
        Ok(Self { id, id_scales, fd })
    }
}

struct Oracles {
    id: &'static Method,
    fd: &'static Method,
}

/// Compares and times every method of a list.
fn check(
    methods: &[&'static Method],
    scene: Scene<'_, f64>,
    samples: &[Sample],
    plan: &Plan,
    progress: &mut Progress,
) -> Result<Vec<Line>, String> {
    let find = |quantity| methods.iter().copied().find(|m| m.quantity == quantity && m.name == ORACLE);
    let (Some(id), Some(fd)) = (find(Quantity::IdDerivatives), find(Quantity::FdDerivatives)) else {
        return Err("the list of methods has no oracle".into());
    };
    progress.at("complex step");
    let oracles = Oracles { id, fd };
    let truths = samples.iter().map(|x| Truth::of(&scene, x, &oracles)).collect::<Result<Vec<_>, _>>()?;
    progress.advance(1.0);

    let names = dof_names(scene.model);
    let mut lines = Vec::new();
    for (quantity, text, _) in QUANTITIES {
        for &method in methods.iter().filter(|m| m.quantity == quantity) {
            progress.at(&format!("{text} by {}", method.name));
            lines.push(line(method, text, scene, samples, &truths, &names));
            progress.advance(0.5);
        }
    }
    time(methods, &mut lines, scene, samples, plan, progress)?;
    Ok(lines)
}

fn line(
    method: &'static Method,
    quantity: &'static str,
    scene: Scene<'_, f64>,
    samples: &[Sample],
    truths: &[Truth],
    names: &[String],
) -> Line {
    let Method { name, source, exact, .. } = *method;
    let line = Line {
        quantity,
        method: name,
        source,
        exact,
        verdict: Verdict::Ok,
        why: None,
        error: None,
        worst: None,
        time: None,
        ratio: None,
    };
    let mut worst = Worst::default();
    for (k, (x, truth)) in samples.iter().zip(truths).enumerate() {
        if let Err(why) = compare(method, scene, x, k, truth, names, &mut worst) {
            return Line { verdict: Verdict::NotForThis, why: Some(why), ..line };
        }
    }
    let verdict = match () {
        () if name == ORACLE => Verdict::Oracle,
        () if !exact => Verdict::Inexact,
        () if worst.is_good() => Verdict::Ok,
        () => Verdict::Failed,
    };
    if verdict == Verdict::Oracle {
        return Line { verdict, ..line }; // it is the reference, so it has no error and no worst entry
    }
    Line { verdict, error: Some(worst.error), worst: worst.entry, ..line }
}

fn compare(
    method: &Method,
    scene: Scene<'_, f64>,
    x: &Sample,
    state: usize,
    truth: &Truth,
    names: &[String],
    worst: &mut Worst,
) -> Result<(), String> {
    let mut all = |matrices: [(&'static str, &Matrix<f64>, &Matrix<f64>); 3], scales: &[Vec<f64>; 3]| {
        for ((what, got, want), scales) in matrices.into_iter().zip(scales) {
            worst.compare(what, state, got, want, scales, names);
        }
    };
    if method.quantity == Quantity::IdDerivatives {
        let (got, want) =
            (method.id_derivatives(&scene, &x.q, &x.v, &x.a).map_err(|refused| refused.to_string())?, &truth.id);
        let matrices = [
            ("dtau_dq", &got.dtau_dq, &want.dtau_dq),
            ("dtau_dv", &got.dtau_dv, &want.dtau_dv),
            ("dtau_da", &got.dtau_da, &want.dtau_da),
        ];
        all(matrices, &truth.id_scales);
        return Ok(());
    }
    method.accepts(scene.model).map_err(|refused| refused.to_string())?;
    let (want, scales) = truth.fd.as_ref().map_err(String::clone)?;
    if method.quantity == Quantity::FdDerivatives {
        let got = method.fd_derivatives(&scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string())?;
        let matrices = [
            ("dqdd_dq", &got.dqdd_dq, &want.dqdd_dq),
            ("dqdd_dv", &got.dqdd_dv, &want.dqdd_dv),
            ("dqdd_dtau", &got.dqdd_dtau, &want.dqdd_dtau),
        ];
        all(matrices, scales);
    } else {
        let got = method.inverse(&scene, &x.q).map_err(|refused| refused.to_string())?;
        worst.compare("minverse", state, &got, &want.dqdd_dtau, &scales[2], names);
    }
    Ok(())
}

/// Times the methods that support this robot, alternating between those of one quantity.
fn time(
    methods: &[&'static Method],
    lines: &mut [Line],
    scene: Scene<'_, f64>,
    samples: &[Sample],
    plan: &Plan,
    progress: &mut Progress,
) -> Result<(), String> {
    for (quantity, text, _) in QUANTITIES {
        progress.at(&format!("times of {text}"));
        let taking = |line: &Line| line.quantity == text && line.verdict != Verdict::NotForThis;
        let mut calls = Vec::new();
        for line in lines.iter().filter(|line| taking(line)) {
            let method = methods.iter().find(|m| m.quantity == quantity && m.name == line.method);
            let work = Work::listed(method.ok_or("a line without a method")?, Instructions::Best);
            calls.push(work.call(scene, samples)?);
        }
        let times = clock::measure(calls, samples.len(), plan)?;
        let own = times.first().map(|own| own.min); // the library's own is the first in the list
        for (line, time) in lines.iter_mut().filter(|line| taking(line)).zip(times) {
            line.ratio = own.map(|own| time.min / own);
            line.time = Some(time);
        }
        progress.advance(3.0);
    }
    Ok(())
}

fn report(robot: &str, lead: String, methods: &[Line], maps: Vec<String>) -> Report {
    let mut parts = vec![Part::Drawings("Matrices", "At the first random state.", true, maps)];
    for (_, quantity, title) in QUANTITIES {
        let all: Vec<&Line> = methods.iter().filter(|line| line.quantity == quantity).collect();
        let lines: Vec<&Line> = all.iter().filter(|line| line.verdict != Verdict::NotForThis).copied().collect();
        parts.push(Part::Heading(format!("{title} by every method, against complex step")));
        match &lines[..] {
            [] => parts.push(Part::Note("No method takes this robot.".into())),
            [only] => {
                let alone = format!("Only {} takes this robot, so there is nothing to compare.", only.method);
                parts.push(Part::Note(alone));
            }
            _ => parts.push(Part::Drawings("", "", false, vec![errors(title, &lines), times(title, &lines)])),
        }
        if !lines.is_empty() {
            parts.push(Part::Table(table(&lines)));
        }
        parts.extend(refusals(&all).map(Part::Note));
    }
    parts.push(Part::Note(format!("error: {MEASURE}")));
    for line in methods.iter().filter(|line| line.verdict == Verdict::Failed) {
        let entry = line.worst.as_ref().map_or_else(String::new, at_length);
        parts.push(Part::Verdict(false, format!("{} by {} is wrong: {entry}", line.quantity, line.method)));
    }
    if methods.iter().all(|line| line.verdict != Verdict::Failed) {
        parts.push(Part::Verdict(true, "everything agrees".into()));
    }
    Report { title: robot.into(), lead, parts }
}

/// Errors within the tolerance, out of it, and without verdict; the oracle has no error.
fn errors(title: &str, lines: &[&Line]) -> String {
    let judged: Vec<&Line> = lines.iter().filter(|line| line.error.is_some()).copied().collect();
    let kinds = [
        (Verdict::Ok, "within tolerance", GOOD),
        (Verdict::Failed, "out of tolerance", BAD),
        (Verdict::Inexact, "not exact, not judged", NEUTRAL),
    ];
    let series = kinds.into_iter().map(|(verdict, name, hue)| {
        let mine = judged.iter().enumerate().filter(|(_, line)| line.verdict == verdict);
        let points = mine.filter_map(|(k, line)| Some(Point::new(k as f64, line.error?))).collect();
        DotSeries { name: name.into(), hue, points }
    });
    let dots = Dots {
        title: format!("Error of {title}"),
        label: "largest error of an entry".into(),
        unit: Unit::Power,
        groups: judged.iter().map(|line| line.method.to_string()).collect(),
        series: series.filter(|series| !series.points.is_empty()).collect(),
        limit: Some((TOLERANCE, format!("tolerance {TOLERANCE:.0e}"))),
    };
    dots.svg()
}

fn times(title: &str, lines: &[&Line]) -> String {
    let points = lines.iter().enumerate().filter_map(|(k, line)| Some(Point::time(k as f64, &line.time?))).collect();
    let dots = Dots {
        title: format!("Time of {title}"),
        label: "dot: least time of a call; tick: mean; line: 10–90 %".into(),
        unit: Unit::Time,
        groups: lines.iter().map(|line| line.method.to_string()).collect(),
        series: vec![DotSeries { name: String::new(), hue: 1, points }],
        limit: None,
    };
    dots.svg()
}

fn table(lines: &[&Line]) -> Table {
    let mut table = Table::of(["method", "error", "worst entry", "least time", "× own", "mean", "source"]);
    for line in lines {
        let time = |pick: fn(&Timing) -> f64| {
            line.time.as_ref().map_or_else(Cell::default, |t| Cell::number(text(pick(t)), pick(t)))
        };
        let error = match line.verdict {
            Verdict::Oracle => Cell::new("oracle").dim(),
            Verdict::Inexact => error_cell(line.error, true).dim(),
            verdict => error_cell(line.error, verdict != Verdict::Failed),
        };
        table.row([
            Cell::new(line.method).bold(),
            error,
            line.worst.as_ref().map(at).unwrap_or_default().into(),
            time(|t| t.min),
            line.ratio.map_or_else(Cell::default, |ratio| Cell::number(format!("{ratio:.1}"), ratio)),
            time(|t| t.mean),
            Cell::new(line.source).dim(),
        ]);
    }
    table
}

/// Methods that do not support this robot:
/// `not for this robot: rneacr, abacr (for trees; …), lagrangian (…)`.
fn refusals(lines: &[&Line]) -> Option<String> {
    // Refusals start with the name of the method.
    let reason = |line: &Line| -> String {
        let why = line.why.as_deref().unwrap_or_default();
        why.strip_prefix(line.method).and_then(|rest| rest.strip_prefix(" is ")).unwrap_or(why).into()
    };
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for line in lines.iter().filter(|line| line.verdict == Verdict::NotForThis) {
        let why = reason(line);
        match reasons.iter_mut().find(|(said, _)| *said == why) {
            Some((_, methods)) => methods.push(line.method),
            None => reasons.push((why, vec![line.method])),
        }
    }
    let said: Vec<String> = reasons.iter().map(|(why, methods)| format!("{} ({why})", methods.join(", "))).collect();
    (!said.is_empty()).then(|| format!("not for this robot: {}", said.join("; ")))
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
