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
        let _ = writeln!(
            body,
            "<h2>{}</h2><section class=\"figure\"><p class=\"how\">{size}</p><div class=\"plots\">",
            escape(&robot.name)
        );
        body += &page::plot(&chart(robot));
        let _ = writeln!(body, "</div>{}</section>", table(robot).html());
    }
    body += "</main>\n<footer>Made by <code>dtau bench</code>.</footer>\n";
    page::whole("dtau bench", &body)
}

fn chart(robot: &Robot) -> Plot {
    let shown: Vec<&Function> = robot.functions.iter().filter(|function| function.single.is_some()).collect();
    let series = |name: &str, hue, pick: fn(&Function) -> Option<Timing>| {
        let point = |(k, function): (usize, &&Function)| {
            let Timing { min, mean, low, high, .. } = pick(function)?;
            Some(Point { x: k as f64, y: mean, min: Some(min), low: Some(low), high: Some(high) })
        };
        BarSeries { name: name.into(), hue, points: shown.iter().enumerate().filter_map(point).collect() }
    };
    Plot::Bars(Bars {
        title: format!("{}: time of one state", robot.name),
        axis: Axis::log("mean; line: 10–90 %", Unit::Time),
        groups: shown.iter().map(|function| function.name.into()).collect(),
        series: vec![
            series("plain instructions", 5, |function| function.plain),
            series("best instructions", 2, |function| function.single),
        ],
    })
}

fn table(robot: &Robot) -> DataTable {
    let columns = ["function", "", "least", "mean", "10 %", "90 %", "plain, least", "operations"];
    let mut table = DataTable::new("", &columns);
    for function in &robot.functions {
        let cell = |time: Option<Timing>, pick: fn(&Timing) -> f64| {
            time.map_or_else(DataCell::default, |time| DataCell::number(text(pick(&time)), pick(&time)))
        };
        let single = function.single;
        table.row([
            function.name.into(),
            function.refused.clone().unwrap_or_else(|| function.what.into()).into(),
            cell(single, |t| t.min),
            cell(single, |t| t.mean),
            cell(single, |t| t.low),
            cell(single, |t| t.high),
            cell(function.plain, |t| t.min),
            function.operations.map_or_else(DataCell::default, |n| DataCell::number(n.to_string(), n as f64)),
        ]);
    }
    table
}
