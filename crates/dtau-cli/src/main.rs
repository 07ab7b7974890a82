//! The `dtau` command.

mod args;
mod bench;
mod check;
mod dense;
mod eval;
mod failure;
mod files;
mod info;
mod json;
mod machine;
mod many;
mod methods;
mod page;
mod paper;
mod plot;
mod product;
mod progress;
mod quantity;
mod report;
mod robot;
mod sample;
mod state;
mod style;
mod summary;
mod table;
mod timing;
mod work;

use args::{Args, Command};
use clap::Parser;
use failure::Failure;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Args::try_parse() {
        Ok(args) => run(args),
        Err(usage) => failure::of_usage(&usage),
    };
    result.unwrap_or_else(|failure| failure.report())
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let code = match args.command {
        None => summary::run(&mut out)?,
        Some(Command::Info(args)) => info::run(&args, &mut out)?,
        Some(Command::Eval(args)) => eval::run(&args, &mut out)?,
        Some(Command::Check(args)) => check::run(&args, &mut out)?,
        Some(Command::Bench(args)) => bench::run(&args, &mut out)?,
        Some(Command::Paper(args)) => paper::run(&args, &mut out)?,
        Some(Command::Robots) => robot::list(&mut out)?,
    };
    out.flush()?;
    Ok(code)
}
