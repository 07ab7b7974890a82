//! The report of `dtau bench`: a table for each robot, and in the page a chart.

use super::{Found, Function, Robot};
use crate::clock::{Timing, text};
use crate::page::dots::{Dots, Point, Series};
use crate::page::svg::Unit;
use crate::report::{Part, Report};
use crate::table::{Cell, Table};

pub fn report(found: &Found) -> Report {
    let mut parts = Vec::new();
    for robot in &found.robots {
        let Robot { name, nv, bodies, rows, .. } = robot;
        parts.push(Part::Heading(name.clone()));
        parts.push(Part::Note(format!("{nv} degrees of freedom, {bodies} bodies, {rows} rows held")));
        parts.push(Part::Drawings("", "", false, vec![chart(robot)]));
        parts.push(Part::Table(table(robot)));
    }
    let lead = format!("{}, {} cores; times of one state", found.processor, found.cores);
    Report { title: "dtau on this machine".into(), lead, parts }
}

/// The ways that are drawn, with their names and hues.
const WAYS: [(&str, &str, usize); 5] = [
    ("plain", "plain instructions", 5),
    ("single", "best instructions", 1),
    ("batch", "batch, lanes", 2),
    ("batch_f32", "batch, f32", 4),
    ("threads", "batch, all cores", 3),
];

fn chart(robot: &Robot) -> String {
    let shown: Vec<&Function> = robot.functions.iter().filter(|function| !function.times.is_empty()).collect();
    let series = WAYS.map(|(way, name, hue)| {
        let point = |(k, function): (usize, &&Function)| Some(Point::time(k as f64, function.times.get(way)?));
        Series { name: name.into(), hue, points: shown.iter().enumerate().filter_map(point).collect() }
    });
    let dots = Dots {
        title: format!("{}: time of one state", robot.name),
        label: "least time; the table has means and spreads".into(),
        unit: Unit::Time,
        groups: shown.iter().map(|function| function.name.into()).collect(),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        limit: None,
    };
    dots.svg()
}

/// Table of a robot. Columns without data are left out.
fn table(robot: &Robot) -> Table {
    let ways = [("plain", "plain"), ("batch", "batch"), ("f32", "batch_f32"), ("threads", "threads")];
    let is_timed = |way: &str| robot.functions.iter().any(|function| function.times.contains_key(way));
    let ways: Vec<_> = ways.into_iter().filter(|(_, way)| is_timed(way)).collect();
    let mut columns = vec!["function", "least", "mean", "10 %", "90 %"];
    columns.extend(ways.iter().map(|(column, _)| column));
    columns.extend(["operations", "a ns"]);
    let mut table = Table::of(columns);
    for function in &robot.functions {
        let cell = |way: &str, pick: fn(&Timing) -> f64| {
            let time = function.times.get(way);
            time.map_or_else(Cell::default, |time| Cell::number(text(pick(time)), pick(time)))
        };
        let name = Cell::new(function.name).bold();
        let Some(single) = function.times.get("single") else {
            table.row([name, Cell::new(function.refused.clone().unwrap_or_default()).dim()]);
            continue;
        };
        let mut row = vec![
            name,
            cell("single", |t| t.min),
            cell("single", |t| t.mean),
            cell("single", |t| t.low).dim(),
            cell("single", |t| t.high).dim(),
        ];
        row.extend(ways.iter().map(|(_, way)| cell(way, |t| t.min)));
        let operations = function.operations.unwrap_or(0) as f64;
        row.push(Cell::number(operations.to_string(), operations).dim());
        let pace = operations / single.min;
        row.push(Cell::number(format!("{pace:.1}"), pace).dim());
        table.row(row);
    }
    table
}
