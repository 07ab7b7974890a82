//! The report of `dtau bench` as a page.

use super::{Function, Report, Robot};
use crate::page::{self, DataCell, DataTable, escape};
use crate::plot::{Axis, BarSeries, Bars, Plot, Point, Unit};
use crate::timing::{Timing, text};
use std::fmt::Write;

pub fn page(report: &Report) -> String {
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<header><h1>dtau on this machine</h1><p class=\"lead\">Times of every function, for one state.</p>\
         <ul class=\"facts\"><li>processor <b>{}</b></li><li>cores <b>{}</b></li></ul></header>\n<main>",
        escape(&report.processor),
        report.cores
    );
    for robot in &report.robots {
        let size = format!("{} degrees of freedom, {} bodies", robot.nv, robot.bodies);
        let _ = writeln!(body, "<h2>{}</h2><section class=\"figure\"><p class=\"how\">{size}</p>", escape(&robot.name));
        body += &page::plots(&[chart(robot)]);
        let _ = writeln!(body, "{}</section>", table(robot).html());
    }
    body += "</main>\n<footer>Made by <code>dtau bench</code>.</footer>\n";
    page::whole("dtau bench", &body)
}

/// The ways that are drawn, with their names and hues.
const WAYS: [(&str, &str, usize); 5] = [
    ("plain", "plain instructions", 5),
    ("single", "best instructions", 1),
    ("batch", "batch, lanes", 2),
    ("batch_f32", "batch, f32", 4),
    ("threads", "batch, all cores", 3),
];

fn chart(robot: &Robot) -> Plot {
    let shown: Vec<&Function> = robot.functions.iter().filter(|function| !function.times.is_empty()).collect();
    let series = WAYS.map(|(way, name, hue)| {
        let point = |(k, function): (usize, &&Function)| {
            let Timing { min, mean, low, high, .. } = *function.times.get(way)?;
            Some(Point { x: k as f64, y: mean, min: Some(min), low: Some(low), high: Some(high) })
        };
        BarSeries { name: name.into(), hue, points: shown.iter().enumerate().filter_map(point).collect() }
    });
    Plot::Bars(Bars {
        title: format!("{}: time of one state", robot.name),
        axis: Axis::log("mean; line: 10–90 %", Unit::Time),
        groups: shown.iter().map(|function| function.name.into()).collect(),
        series: series.into(),
    })
}

fn table(robot: &Robot) -> DataTable {
    let columns =
        ["function", "", "least", "mean", "10 %", "90 %", "plain", "batch", "batch, f32", "threads", "operations"];
    let mut table = DataTable::new("", &columns);
    for function in &robot.functions {
        let cell = |way: &str, pick: fn(&Timing) -> f64| {
            let time = function.times.get(way);
            time.map_or_else(DataCell::default, |time| DataCell::number(text(pick(time)), pick(time)))
        };
        let mut row = vec![
            DataCell::from(function.name),
            function.refused.clone().unwrap_or_else(|| function.what.clone()).into(),
            cell("single", |t| t.min),
            cell("single", |t| t.mean),
            cell("single", |t| t.low),
            cell("single", |t| t.high),
        ];
        row.extend(["plain", "batch", "batch_f32", "threads"].map(|way| cell(way, |t| t.min)));
        row.push(function.operations.map_or_else(DataCell::default, |n| DataCell::number(n.to_string(), n as f64)));
        table.row(row);
    }
    table
}
