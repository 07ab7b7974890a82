//! `dtau paper`: the papers' experiments, reproduced.
//!
//! A figure is a [`list::Spec`]: where it stands, what it shows, and a function of the [`lab::Lab`] that measures it and says
//! what the paper claims and what was found. What it returns is data; [`output`], [`html`] and [`markdown`] show it.

mod facts;
mod figure;
mod figures;
mod html;
mod lab;
mod list;
mod markdown;
mod notes;
mod opponent;
mod output;
mod robots;
mod run;
mod settings;
mod sweep;

use crate::args::PaperArgs;
use crate::failure::Failure;
use crate::progress::duration;
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use figure::Verdict;
use list::{Paper, SPECS, Spec};
use output::Output;
use run::Overview;
use settings::Settings;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(args: &PaperArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    if args.list {
        return list_figures(out);
    }
    for id in &args.only {
        if list::find(id).is_none() {
            let ids: Vec<&str> = SPECS.iter().map(|spec| spec.id).collect();
            return Err(Failure::input(format!("--only: there is no figure \"{id}\"; there are {}", ids.join(", "))));
        }
    }
    let settings = Settings::of(args)?;
    let output = Output::new(&args.out)?;
    let start = Instant::now();
    let wanted = |spec: &Spec| args.only.is_empty() || args.only.iter().any(|id| id == spec.id);
    let overview = run::make(SPECS, &wanted, &settings, &output, args.resume)?;
    conclude(&overview, &output, start, out)
}

fn list_figures(out: &mut impl Write) -> Result<ExitCode, Failure> {
    for paper in Paper::ALL {
        writeln!(out, "{}", Style::Bold.paint(paper.title()))?;
        let mut table = Table::new([Align::Left, Align::Left, Align::Left]);
        for spec in SPECS.iter().filter(|spec| spec.paper == paper) {
            table.row([Cell::new(spec.id), Cell::new(spec.label).dim(), Cell::new(spec.title)]);
        }
        table.indent("  ").write(out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn conclude(
    overview: &Overview<'_>,
    output: &Output,
    start: Instant,
    out: &mut impl Write,
) -> Result<ExitCode, Failure> {
    let mut table = Table::new([Align::Left, Align::Left, Align::Left]);
    for (spec, claim) in overview.claims() {
        let style = match claim.verdict {
            Verdict::Reproduced => Style::Good,
            // Others' programs are no failure of ours.
            Verdict::Differs if spec.paper == Paper::Ours => Style::Bad,
            Verdict::Differs | Verdict::Direction | Verdict::Undecided | Verdict::Noted => Style::Plain,
        };
        table.row([
            Cell::new(html::place(spec)),
            Cell::new(claim.verdict.text(spec.paper == Paper::Ours)).styled(style),
            Cell::new(claim.ours.as_str()).dim(),
        ]);
    }
    table.write(out)?;
    let failed = overview.failed();
    writeln!(out)?;
    let page = output.directory().join("index.html");
    writeln!(out, "{} in {}", Style::Bold.paint(&page.display().to_string()), duration(start.elapsed()))?;
    if failed > 0 {
        let s = if failed == 1 { "" } else { "s" };
        writeln!(out, "{} {failed} figure{s} failed; the page says why", Style::Bad.paint("✗"))?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
