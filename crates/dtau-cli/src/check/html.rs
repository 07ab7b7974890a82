//! The report of `dtau check` as a page: heat maps of the matrices, charts of errors and times.

use super::Report;
use super::methods::{Line, QUANTITIES, Verdict};
use super::names::dof_names;
use super::report::at;
use crate::failure::Failure;
use crate::page::{self, DataCell, DataTable, escape};
use crate::plot::{Axis, BarSeries, Bars, Heat, Plot, Point, Unit};
use crate::sample::Sample;
use crate::timing::text;
use dtau::{FdDerivatives, IdDerivatives, Matrix, Scene, Workspace};
use std::fmt::Write;

pub fn page(report: &Report, scene: Scene<'_, f64>, sample: &Sample) -> Result<String, Failure> {
    let mut body = String::new();
    let verdict = if report.passed {
        "<span class=\"chip ok\">everything agrees</span>"
    } else {
        "<span class=\"chip failed\">out of tolerance</span>"
    };
    let _ = writeln!(
        body,
        "<header><h1>{}</h1><p class=\"lead\">Derivatives by every method, against complex step. {verdict}</p>\
         <ul class=\"facts\"><li><b>{}</b> degrees of freedom</li><li><b>{}</b> joints</li><li><b>{:.1}</b> kg</li>\
         <li><b>{}</b> random states, seed {}</li><li>tolerance <b>{:.0e}</b></li></ul></header>\n<main>",
        escape(&report.robot),
        report.nv,
        report.joints,
        report.mass,
        report.states,
        report.seed,
        report.tolerance,
    );
    body += "<h2>Matrices</h2><p class=\"small\">At the first random state. Blank where an entry is exactly zero.</p>\
             <section class=\"figure\">\n";
    body += &page::plots(&heat_maps(scene, sample));
    body += "</section>\n";
    let _ = writeln!(body, "<h2>Methods</h2><p class=\"small\">Error: {}.</p>", escape(report.measure));
    for (_, quantity, title) in QUANTITIES {
        let lines: Vec<&Line> = report.methods.iter().filter(|line| line.quantity == quantity).collect();
        let _ = writeln!(body, "<section class=\"figure\"><h3>{}</h3>", escape(title));
        body += &page::plots(&[errors(title, &lines, report.tolerance), times(title, &lines)]);
        body += &table(&lines).html();
        body += "</section>\n";
    }
    body += "<h2>Identities</h2><section class=\"figure\">\n";
    body += &identities(report).html();
    body += "</section>\n<h2>Warnings about the model</h2><section class=\"figure\">\n";
    if report.warnings.is_empty() {
        body += "<p>None.</p>";
    }
    for warning in &report.warnings {
        let _ = writeln!(body, "<p>{}</p>", escape(warning));
    }
    body += "</section>\n</main>\n<footer>Made by <code>dtau check</code>.</footer>\n";
    Ok(page::whole(&format!("dtau check: {}", report.robot), &body))
}

/// Those that exist: a body without inertia leaves ∂τ and M.
fn heat_maps(scene: Scene<'_, f64>, x: &Sample) -> Vec<Plot> {
    let (model, names) = (scene.model, dof_names(scene.model));
    let mut ws = Workspace::new(model);
    let (mut id, mut fd) = (IdDerivatives::new(model), FdDerivatives::new(model));
    let mut maps = Vec::new();
    let mut add = |title: &str, m: &Matrix<f64>| {
        let n = names.len();
        let values = (0..n * n).map(|k| m[(k / n, k % n)]).collect();
        maps.push(Plot::Heat(Heat { title: title.into(), rows: names.clone(), columns: names.clone(), values }));
    };
    if dtau::id_derivatives(scene, &mut ws, &x.q, &x.v, &x.a, &mut id).is_ok() {
        add("∂τ/∂q", &id.dtau_dq);
        add("∂τ/∂q̇", &id.dtau_dv);
        add("M = ∂τ/∂q̈", &id.dtau_da);
    }
    if dtau::fd_derivatives(scene, &mut ws, &x.q, &x.v, &x.tau, &mut fd).is_ok() {
        add("∂q̈/∂q", &fd.dqdd_dq);
        add("∂q̈/∂q̇", &fd.dqdd_dv);
        add("M⁻¹ = ∂q̈/∂τ", &fd.dqdd_dtau);
    }
    maps
}

fn bars(title: String, axis: Axis, lines: &[&Line], value: impl Fn(&Line) -> Option<Point>) -> Plot {
    let shown: Vec<(&str, Point)> = lines.iter().filter_map(|line| Some((line.method, value(line)?))).collect();
    let groups = shown.iter().map(|(name, _)| (*name).to_string()).collect();
    let points = shown.iter().enumerate().map(|(k, (_, point))| Point { x: k as f64, ..*point }).collect();
    Plot::Bars(Bars { title, axis, groups, series: vec![BarSeries { name: String::new(), hue: 1, points }] })
}

fn errors(title: &str, lines: &[&Line], tolerance: f64) -> Plot {
    let title = format!("Error of {title} (must be ≤ {tolerance:.0e} where exact)");
    bars(title, Axis::log("largest error of an entry", Unit::Power), lines, |line| {
        let error = line.error.filter(|_| line.verdict != Verdict::Oracle)?;
        Some(Point::new(0.0, error.max(1e-17)))
    })
}

fn times(title: &str, lines: &[&Line]) -> Plot {
    bars(format!("Time of {title}"), Axis::log("time of one call, mean and 10–90 %", Unit::Time), lines, |line| {
        let time = line.time?;
        Some(Point { x: 0.0, y: time.mean, min: Some(time.min), low: Some(time.low), high: Some(time.high) })
    })
}

fn table(lines: &[&Line]) -> DataTable {
    let mut table =
        DataTable::new("", &["method", "verdict", "error", "worst entry", "least time", "mean", "× own", "source"]);
    for line in lines {
        let verdict = match line.verdict {
            Verdict::Ok => "ok",
            Verdict::Failed => "failed",
            Verdict::Inexact => "not exact",
            Verdict::Oracle => "oracle",
            Verdict::NotForThis => "not for this robot",
        };
        let note = line.why.clone().or_else(|| line.worst.as_ref().map(at)).unwrap_or_default();
        let time = |pick: fn(&crate::timing::Timing) -> f64| {
            line.time.as_ref().map_or_else(DataCell::default, |t| DataCell::number(text(pick(t)), pick(t)))
        };
        table.row([
            line.method.into(),
            verdict.into(),
            line.error.map_or_else(DataCell::default, |error| DataCell::number(format!("{error:.1e}"), error)),
            note.into(),
            time(|t| t.min),
            time(|t| t.mean),
            line.ratio.map_or_else(DataCell::default, |ratio| DataCell::number(format!("{ratio:.1}"), ratio)),
            line.source.into(),
        ]);
    }
    table
}

fn identities(report: &Report) -> DataTable {
    let mut table = DataTable::new("", &["identity", "verdict", "error", ""]);
    for line in &report.identities {
        let verdict = match (&line.why, line.good) {
            (Some(_), _) => "not tried",
            (None, true) => "holds",
            (None, false) => "does not hold",
        };
        table.row([
            line.claim.into(),
            verdict.into(),
            line.error.map_or_else(DataCell::default, |error| DataCell::number(format!("{error:.1e}"), error)),
            line.why.clone().unwrap_or_else(|| line.what.into()).into(),
        ]);
    }
    table
}
