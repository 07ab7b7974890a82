//! The report of `dtau check` as text.

use super::Report;
use super::methods::{Line, QUANTITIES, Verdict};
use super::scale::Entry;
use crate::escape::line;
use crate::failure::Failure;
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use crate::timing::text;
use std::io::Write;

pub fn write(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    let Report { robot, nv, joints, mass, states, seed, tolerance, .. } = report;
    let s = if *states == 1 { "" } else { "s" };
    writeln!(out, "{}  {nv} degrees of freedom, {joints} joints, {mass:.1} kg", Style::Bold.paint(robot))?;
    writeln!(out, "at {states} random state{s} from seed {seed}; exact methods must be within {tolerance:.0e}")?;
    for (_, quantity, title) in QUANTITIES {
        writeln!(out)?;
        writeln!(out, "{} by every method, against complex step", Style::Bold.paint(title))?;
        let mut table = Table::new([Align::Left, Align::Right, Align::Left, Align::Right, Align::Right, Align::Left]);
        table.head(["", "error", "worst entry", "time", "× own", "source"]);
        let lines: Vec<&Line> = report.methods.iter().filter(|line| line.quantity == quantity).collect();
        lines.iter().filter(|line| line.verdict != Verdict::NotForThis).for_each(|line| table.row(cells(line)));
        table.indent("  ").write(out)?;
        if let Some(sentence) = refusals(&lines) {
            writeln!(out, "  {}", Style::Dim.paint(&sentence))?;
        }
    }
    writeln!(out)?;
    writeln!(out, "{}", Style::Bold.paint("identities"))?;
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
    for line in &report.identities {
        let style = if line.good { Style::Good } else { Style::Bad };
        let error = line.error.map_or_else(|| "–".into(), |error| format!("{error:.0e}"));
        let what = match (&line.why, line.good) {
            (Some(why), _) => format!("not tried: {why}"),
            (None, true) => line.what.into(),
            (None, false) => line.worst.as_ref().map_or_else(String::new, at_length),
        };
        table.row([Cell::new(line.claim), Cell::new(error).styled(style), Cell::new(what).dim()]);
    }
    table.indent("  ").write(out)?;
    writeln!(out)?;
    constrained(out, report)?;
    match &report.warnings[..] {
        [] => writeln!(out, "no warnings about the model")?,
        warnings => {
            writeln!(out, "{}", Style::Bold.paint("warnings about the model"))?;
            warnings.iter().try_for_each(|warning| writeln!(out, "  {}", line(warning)))?;
        }
    }
    writeln!(out)?;
    if report.passed {
        writeln!(out, "{} everything agrees", Style::Good.paint("✓"))?;
    } else {
        for method in report.methods.iter().filter(|line| line.verdict == Verdict::Failed) {
            let entry = method.worst.as_ref().map_or_else(String::new, at_length);
            let what = format!("{} by {} is wrong", method.quantity, method.method);
            writeln!(out, "{} {what}: {}", Style::Bad.paint("✗"), line(&entry))?;
        }
        for line in report.constrained.iter().filter(|line| !line.good) {
            writeln!(out, "{} {} is not {}", Style::Bad.paint("✗"), line.function, line.against)?;
        }
        for line in report.identities.iter().filter(|line| !line.good) {
            writeln!(out, "{} {} does not hold", Style::Bad.paint("✗"), line.claim)?;
        }
    }
    Ok(())
}

/// Functions of constraints, if there are some.
fn constrained(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    if report.constrained.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}  {}", Style::Bold.paint("constraints"), line(&report.constraints.join(", ")))?;
    let mut table = Table::new([Align::Left, Align::Right, Align::Left, Align::Left]);
    table.head(["", "error", "worst entry", "against"]);
    for line in &report.constrained {
        let style = if line.good { Style::Good } else { Style::Bad };
        let error = line.error.map_or_else(|| "–".into(), |error| format!("{error:.0e}"));
        let note = match (&line.why, &line.worst) {
            (Some(why), _) => format!("not tried: {why}"),
            (None, Some(worst)) if line.good => at(worst),
            (None, Some(worst)) => at_length(worst),
            (None, None) => String::new(),
        };
        let against = Cell::new(line.against.as_str()).dim();
        table.row([Cell::new(line.function).bold(), Cell::new(error).styled(style), Cell::new(note), against]);
    }
    table.indent("  ").write(out)?;
    Ok(writeln!(out)?)
}

fn cells(line: &Line) -> [Cell; 6] {
    let style = match line.verdict {
        Verdict::Ok => Style::Good,
        Verdict::Failed => Style::Bad,
        Verdict::Inexact | Verdict::Oracle | Verdict::NotForThis => Style::Dim,
    };
    let error = match (line.verdict, line.error) {
        (Verdict::Oracle, _) => "oracle".into(),
        (_, Some(error)) => format!("{error:.0e}"),
        (_, None) => "–".into(),
    };
    let note = line.worst.as_ref().map_or_else(String::new, at);
    [
        Cell::new(line.method).bold(),
        Cell::new(error).styled(style),
        Cell::new(note),
        Cell::new(line.time.map_or_else(String::new, |time| text(time.min))),
        Cell::new(line.ratio.map_or_else(String::new, |ratio| format!("{ratio:.1}"))),
        Cell::new(line.source).dim(),
    ]
}

/// The methods that do not take this robot, in one line: `not for this robot: rneacr, abacr (for trees; …), lagrangian (…)`.
pub fn refusals(lines: &[&Line]) -> Option<String> {
    // Refusals begin with the name of the method.
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

/// `dtau_dq(knee, hip)`.
pub fn at(entry: &Entry) -> String {
    let place: Vec<&str> =
        [&entry.row, &entry.column].into_iter().map(String::as_str).filter(|x| !x.is_empty()).collect();
    format!("{}({})", entry.matrix, place.join(", "))
}

/// With numbers.
fn at_length(entry: &Entry) -> String {
    let Entry { state, got, want, scale, .. } = entry;
    let difference = got - want;
    format!("{} at state {state}: got {got:e}, want {want:e}, difference {difference:.1e} of {scale:.1e}", at(entry))
}
