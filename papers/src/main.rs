//! The papers' experiments, reproduced, and every method side by side on a robot.
//!
//! A figure is a [`list::Spec`]: its place in the paper, its description, and a function of the [`lab::Lab`]
//! that measures it and returns the paper's claims and the results. The return value is data; [`output`] and
//! [`html`] show it.

mod args;
mod compare;
mod figure;
mod figures;
mod html;
mod lab;
mod list;
mod load;
mod notes;
mod opponent;
mod output;
mod plot;
mod robots;
mod run;
mod settings;
mod sweep;
mod work;

use args::{Args, Command, FiguresArgs};
use clap::Parser;
use dtau_cli::failure::{self, Failure};
use dtau_cli::machine;
use dtau_cli::progress::duration;
use dtau_cli::style::Style;
use dtau_cli::table::{Align, Cell, Table};
use figure::Verdict;
use list::{Paper, SPECS, Spec};
use output::Output;
use run::Overview;
use settings::Settings;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    machine::remember("dtau-papers", &arguments);
    let mut out = BufWriter::new(io::stdout().lock());
    let result = match Args::try_parse_from(arguments).map(|args| args.command) {
        Ok(Command::Figures(args)) => make(&args, &mut out),
        Ok(Command::Compare(args)) => compare::run(&args, &mut out),
        Err(usage) => failure::of_usage(&usage),
    };
    let result = result.and_then(|code| out.flush().map(|()| code).map_err(Failure::from));
    result.unwrap_or_else(|failure| failure.report())
}

fn make(args: &FiguresArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
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
            // Results of other programs are not our failure.
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
