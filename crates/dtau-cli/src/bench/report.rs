//! The report of `dtau bench` as text.

use super::{Function, Report};
use crate::failure::Failure;
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use crate::timing::text;
use std::io::Write;

pub fn write(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    writeln!(out, "{}, {} cores; times of one state", report.processor, report.cores)?;
    for robot in &report.robots {
        writeln!(out)?;
        let size = format!("{} degrees of freedom, {} bodies, {} rows held", robot.nv, robot.bodies, robot.rows);
        writeln!(out, "{}  {size}", Style::Bold.paint(&robot.name))?;
        let counted = robot.functions.iter().any(|function| function.operations.is_some());
        let columns: Vec<_> = COLUMNS.into_iter().filter(|(_, full)| counted || !full).map(|(name, _)| name).collect();
        let mut table = Table::new([Align::Left].into_iter().chain(columns[1..].iter().map(|_| Align::Right)));
        table.head(columns.iter().copied());
        for function in &robot.functions {
            let cells = cells(function).into_iter().zip(COLUMNS).filter(|(_, (_, full))| counted || !full);
            table.row(cells.map(|(cell, _)| cell));
        }
        table.indent("  ").write(out)?;
    }
    Ok(())
}

/// The columns, and whether only a full build has them.
const COLUMNS: [(&str, bool); 10] = [
    ("", false),
    ("least", false),
    ("mean", false),
    ("10–90 %", false),
    ("plain", false),
    ("batch", true),
    ("f32", true),
    ("threads", true),
    ("operations", true),
    ("a ns", true),
];

fn cells(function: &Function) -> Vec<Cell> {
    let mut cells = vec![Cell::new(function.name).bold()];
    let Some(single) = function.times.get("single") else {
        cells.push(Cell::new(function.refused.clone().unwrap_or_default()).dim());
        return cells;
    };
    let least = |way: &str| Cell::new(function.times.get(way).map_or_else(String::new, |time| text(time.min)));
    let operations = function.operations.unwrap_or(0);
    cells.extend([
        Cell::new(text(single.min)),
        Cell::new(text(single.mean)),
        Cell::new(format!("{} … {}", text(single.low), text(single.high))).dim(),
        least("plain"),
        least("batch"),
        least("batch_f32"),
        least("threads"),
        Cell::new(operations.to_string()).dim(),
        Cell::new(format!("{:.1}", operations as f64 / single.min)).dim(),
    ]);
    cells
}
