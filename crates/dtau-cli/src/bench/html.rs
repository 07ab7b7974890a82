//! The report of `dtau bench` as a page.

use super::{Function, Report, Robot};
use crate::page::{self, DataCell, DataTable, escape};
use crate::plot::{Axis, DotSeries, Dots, Plot, Point, Unit};
use crate::timing::{Timing, text};
use std::fmt::Write;

pub fn page(report: &Report) -> String {
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<header><h1>dtau on this machine</h1><p class=\"lead\">Times of every function, for one state.</p>\
         </header>\n<main>",
    );
    for robot in &report.robots {
        let size = format!("{} degrees of freedom, {} bodies, {} rows held", robot.nv, robot.bodies, robot.rows);
        let _ = writeln!(body, "<h2>{}</h2><section class=\"figure\"><p class=\"how\">{size}</p>", escape(&robot.name));
        body += &page::plots(&[chart(robot)]);
        let _ = writeln!(body, "{}</section>", table(robot).html());
    }
    body += "</main>\n";
    body += &page::foot(None, "");
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
        let point = |(k, function): (usize, &&Function)| Some(Point::time(k as f64, function.times.get(way)?));
        DotSeries { name: name.into(), hue, points: shown.iter().enumerate().filter_map(point).collect() }
    });
    Plot::Dots(Dots {
        title: format!("{}: time of one state", robot.name),
        axis: Axis::log("least time; the table has means and spreads", Unit::Time),
        groups: shown.iter().map(|function| function.name.into()).collect(),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        limit: None,
    })
}

fn table(robot: &Robot) -> DataTable {
    let columns =
        ["function", "least", "batch", "batch, f32", "threads", "plain", "mean", "10 %", "90 %", "operations", "what"];
    let mut table = DataTable::new("", &columns);
    for function in &robot.functions {
        let cell = |way: &str, pick: fn(&Timing) -> f64| {
            let time = function.times.get(way);
            time.map_or_else(DataCell::default, |time| DataCell::number(text(pick(time)), pick(time)))
        };
        let mut row = vec![
            DataCell::from(function.name),
            cell("single", |t| t.min),
            cell("batch", |t| t.min),
            cell("batch_f32", |t| t.min),
            cell("threads", |t| t.min),
            cell("plain", |t| t.min),
            cell("single", |t| t.mean),
            cell("single", |t| t.low),
            cell("single", |t| t.high),
            function.operations.map_or_else(DataCell::default, |n| DataCell::number(n.to_string(), n as f64)),
        ];
        row.push(function.refused.clone().unwrap_or_else(|| function.what.clone()).into());
        table.row(row);
    }
    table
}
