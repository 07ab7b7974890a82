//! The report of `dtau check` as a page: heat maps of the matrices, charts of errors and times.

use super::Report;
use super::methods::{Line, QUANTITIES, Verdict, fd_units, id_units};
use super::names::dof_names;
use super::report::{at, refusals};
use super::scale::TOLERANCE;
use super::size::Sizes;
use crate::page::{self, DataCell, DataTable, escape};
use crate::plot::{Axis, BAD, DotSeries, Dots, GOOD, Heat, Mark, NEUTRAL, Plot, Point, Unit};
use crate::sample::Sample;
use crate::timing::text;
use dtau::{FdDerivatives, IdDerivatives, Matrix, Scene, Workspace};
use std::fmt::Write;

pub fn page(report: &Report, file: &str, scene: Scene<'_, f64>, sample: &Sample) -> String {
    let mut body = String::new();
    let verdict = if report.passed {
        "<span class=\"chip ok\">everything agrees</span>"
    } else {
        "<span class=\"chip failed\">out of tolerance</span>"
    };
    let s = if report.states == 1 { "" } else { "s" };
    let _ = writeln!(
        body,
        "<header><h1>{}</h1><p class=\"lead\">Derivatives by every method, against complex step. {verdict}</p>\
         <ul class=\"facts\"><li><b>{}</b> degrees of freedom</li><li><b>{}</b> joints</li><li><b>{:.1}</b> kg</li>\
         <li><b>{}</b> random state{s}, seed {}</li><li>tolerance <b>{:.0e}</b></li></ul></header>\n<main>",
        escape(&report.robot),
        report.nv,
        report.joints,
        report.mass,
        report.states,
        report.seed,
        report.tolerance,
    );
    body += "<h2>Matrices</h2><p class=\"small\">At the first random state; a row and a column for every degree of freedom. Rounding \
             noise is what is smaller than the tolerance in the units of its row: no method knows it better.</p>\
             <section class=\"figure\">\n";
    body += &page::plots(&heat_maps(scene, sample));
    body += "</section>\n";
    let _ = writeln!(body, "<h2>Methods</h2><p class=\"small\">Error: {}.</p>", escape(report.measure));
    for (_, quantity, title) in QUANTITIES {
        let lines: Vec<&Line> = report.methods.iter().filter(|line| line.quantity == quantity).collect();
        let _ = writeln!(body, "<section class=\"figure\"><h3>{}</h3>", escape(title));
        methods(&mut body, title, &lines, report.tolerance);
        body += "</section>\n";
    }
    body += "<h2>Identities</h2><section class=\"figure\">\n";
    body += &identities(report).html();
    if !report.constrained.is_empty() {
        let held = report.constraints.iter().map(|held| escape(held)).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            body,
            "</section>\n<h2>Constraints</h2><p class=\"small\">Held: {held}. Errors of accelerations are in units of |M⁻¹| |M| |X|, those of \
             forces of |∂λ/∂τ| |M| |∂q̈|, and of their row.</p><section class=\"figure\">"
        );
        body += &constrained(report).html();
    }
    body += "</section>\n<h2>Warnings about the model</h2><section class=\"figure\">\n";
    if report.warnings.is_empty() {
        body += "<p>None.</p>";
    }
    for warning in &report.warnings {
        let _ = writeln!(body, "<p>{}</p>", escape(warning));
    }
    body += "</section>\n</main>\n";
    body += &page::foot(Some(file), "");
    page::whole(&format!("dtau check: {}", report.robot), &body)
}

/// Charts, a table, and a line about those that do not take this robot.
fn methods(body: &mut String, title: &str, lines: &[&Line], tolerance: f64) {
    let taking: Vec<&Line> = lines.iter().filter(|line| line.verdict != Verdict::NotForThis).copied().collect();
    match &taking[..] {
        [] => *body += "<p>No method takes this robot.</p>\n",
        [only] => {
            let _ =
                writeln!(body, "<p>Only {} takes this robot, so there is nothing to compare.</p>", escape(only.method));
        }
        _ => *body += &page::plots(&[errors(title, &taking, tolerance), times(title, &taking)]),
    }
    if !taking.is_empty() {
        *body += &table(&taking).html();
    }
    if let Some(sentence) = refusals(lines) {
        let _ = writeln!(body, "<p class=\"small\">{}.</p>", escape(&capital(&sentence)));
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Those that exist: a body without inertia leaves ∂τ and M.
fn heat_maps(scene: Scene<'_, f64>, x: &Sample) -> Vec<Plot> {
    let (model, names) = (scene.model, dof_names(scene.model));
    let mut ws = Workspace::new(model);
    let (mut id, mut fd) = (IdDerivatives::new(model), FdDerivatives::new(model));
    let mut maps = Vec::new();
    let mut add = |titles: [&str; 3], matrices: [&Matrix<f64>; 3], units: [Vec<f64>; 3]| {
        let n = names.len();
        for ((title, m), units) in titles.into_iter().zip(matrices).zip(units) {
            let values = (0..n * n).map(|k| m[(k / n, k % n)]).collect();
            let noise = units.into_iter().map(|unit| TOLERANCE * unit).collect();
            let (rows, columns) = (names.clone(), names.clone());
            maps.push(Plot::Heat(Heat { title: title.into(), rows, columns, values, noise }));
        }
    };
    let Ok(added) = Sizes::of(&scene, x) else { return maps };
    if dtau::id_derivatives(scene, &mut ws, &x.q, &x.v, &x.a, &mut id).is_err() {
        return maps;
    }
    add(["∂τ/∂q", "∂τ/∂q̇", "M = ∂τ/∂q̈"], [&id.dtau_dq, &id.dtau_dv, &id.dtau_da], id_units(&id, &added));
    if dtau::fd_derivatives(scene, &mut ws, &x.q, &x.v, &x.tau, &mut fd).is_ok() {
        let units = fd_units(&id, &fd, &added);
        add(["∂q̈/∂q", "∂q̈/∂q̇", "M⁻¹ = ∂q̈/∂τ"], [&fd.dqdd_dq, &fd.dqdd_dv, &fd.dqdd_dtau], units);
    }
    maps
}

fn groups(lines: &[&Line]) -> Vec<String> {
    lines.iter().map(|line| line.method.to_string()).collect()
}

/// What is within the tolerance, what is not, and what is not judged; the oracle has no error.
fn errors(title: &str, lines: &[&Line], tolerance: f64) -> Plot {
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
    Plot::Dots(Dots {
        title: format!("Error of {title}"),
        axis: Axis::log("largest error of an entry", Unit::Power),
        groups: groups(&judged),
        series: series.filter(|series| !series.points.is_empty()).collect(),
        limit: Some(Mark { x: tolerance, name: format!("tolerance {tolerance:.0e}") }),
    })
}

fn times(title: &str, lines: &[&Line]) -> Plot {
    let points = lines.iter().enumerate().filter_map(|(k, line)| Some(Point::time(k as f64, &line.time?))).collect();
    Plot::Dots(Dots {
        title: format!("Time of {title}"),
        axis: Axis::log("dot: least time of a call; tick: mean; line: 10–90 %", Unit::Time),
        groups: groups(lines),
        series: vec![DotSeries { name: String::new(), hue: 1, points }],
        limit: None,
    })
}

fn table(lines: &[&Line]) -> DataTable {
    let columns = ["method", "least time", "× own", "verdict", "error", "worst entry", "mean", "source"];
    let mut table = DataTable::new("", &columns);
    for line in lines {
        let verdict = match line.verdict {
            Verdict::Ok => "ok",
            Verdict::Failed => "failed",
            Verdict::Inexact => "not exact",
            Verdict::Oracle => "oracle",
            Verdict::NotForThis => "not for this robot",
        };
        let time = |pick: fn(&crate::timing::Timing) -> f64| {
            line.time.as_ref().map_or_else(DataCell::default, |t| DataCell::number(text(pick(t)), pick(t)))
        };
        table.row([
            line.method.into(),
            time(|t| t.min),
            line.ratio.map_or_else(DataCell::default, |ratio| DataCell::number(format!("{ratio:.1}"), ratio)),
            verdict.into(),
            line.error.map_or_else(DataCell::default, error_cell),
            line.worst.as_ref().map(at).unwrap_or_default().into(),
            time(|t| t.mean),
            line.source.into(),
        ]);
    }
    table
}

fn error_cell(error: f64) -> DataCell {
    DataCell::number(if error == 0.0 { "0".into() } else { format!("{error:.1e}") }, error)
}

fn constrained(report: &Report) -> DataTable {
    let mut table = DataTable::new("", &["function", "verdict", "error", "worst entry", "against"]);
    for line in &report.constrained {
        let verdict = match (&line.why, line.good) {
            (Some(_), _) => "not tried",
            (None, true) => "ok",
            (None, false) => "failed",
        };
        let note = line.why.clone().unwrap_or_else(|| line.worst.as_ref().map(at).unwrap_or_default());
        table.row([
            line.function.into(),
            verdict.into(),
            line.error.map_or_else(DataCell::default, error_cell),
            note.into(),
            line.against.as_str().into(),
        ]);
    }
    table
}

fn identities(report: &Report) -> DataTable {
    let mut table = DataTable::new("", &["identity", "verdict", "error", "in words"]);
    for line in &report.identities {
        let verdict = match (&line.why, line.good) {
            (Some(_), _) => "not tried",
            (None, true) => "holds",
            (None, false) => "does not hold",
        };
        table.row([
            line.claim.into(),
            verdict.into(),
            line.error.map_or_else(DataCell::default, error_cell),
            line.why.clone().unwrap_or_else(|| line.what.into()).into(),
        ]);
    }
    table
}
