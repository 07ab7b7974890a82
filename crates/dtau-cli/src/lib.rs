//! The `dtau` command, as one function for the program and the Python package.

mod bench;
mod check;
pub mod constraints;
mod eval;
mod functions;
mod generate;
mod held;
mod info;
mod numbers;
mod quantity;
mod show;
mod state;
mod summary;

// Shared with papers/ and bench/: measuring and reporting. It may change in any version.
#[doc(hidden)]
pub mod args;
#[doc(hidden)]
pub mod clock;
#[doc(hidden)]
pub mod dense;
#[doc(hidden)]
pub mod escape;
#[doc(hidden)]
pub mod failure;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod page;
#[doc(hidden)]
pub mod product;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod robot;
#[doc(hidden)]
pub mod sample;
#[doc(hidden)]
pub mod style;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod verify;

pub use show::Viewer;

use args::{Args, Command};
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// Runs the command with these arguments, the first being the program's name. Returns its exit code. Results
/// go to standard output, everything else to standard error.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    command_with(arguments, None)
}

/// Runs the command with a viewer for `dtau show`. The Python package has one.
pub fn command_with(arguments: impl IntoIterator<Item = OsString>, viewer: Option<&Viewer>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    machine::remember("dtau", &arguments);
    let result = match Args::try_parse_from(arguments) {
        Ok(args) => run(args, viewer),
        Err(usage) => failure::of_usage(&usage),
    };
    exit_code(result)
}

/// The exit code of an outcome; a failure is reported.
#[doc(hidden)]
pub fn exit_code(result: Result<ExitCode, Failure>) -> u8 {
    match result.unwrap_or_else(|failure| failure.report()) {
        code if code == ExitCode::SUCCESS => 0,
        code if code == ExitCode::FAILURE => 1,
        _ => 2,
    }
}

/// Answer of `dtau paper`.
const PAPER: &str = "the papers' experiments are in dtau's repository and run from a clone of it: \
                     cargo run --release -p dtau-papers -- figures --quick";

fn run(args: Args, viewer: Option<&Viewer>) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let code = match args.command {
        None => summary::run(&mut out)?,
        Some(Command::Info(args)) => info::run(&args, &mut out)?,
        Some(Command::State(args)) => state::template(&args, &mut out)?,
        Some(Command::Eval(args)) => eval::run(&args, &mut out)?,
        Some(Command::Show(args)) => show::run(&args, viewer)?,
        Some(Command::Bench(args)) => bench::run(&args, &mut out)?,
        Some(Command::Check(args)) => check::run(&args, &mut out)?,
        Some(Command::Verify(args)) => verify::run(&args, &mut out)?,
        Some(Command::Generate(args)) => generate::run(&args, &mut out)?,
        Some(Command::Paper(_)) => return Err(failure::Failure::input(PAPER)),
        Some(Command::Robots) => robot::list(&mut out)?,
    };
    out.flush()?;
    Ok(code)
}
