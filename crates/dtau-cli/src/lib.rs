//! The `dtau` command, as one function, which the program and the Python package call.
//!
//! With the feature `full` it has everything; without, what builds quickly.

// The full build is where unused code shows.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

mod args;
mod bench;
pub mod constraints;
mod dense;
mod escape;
mod eval;
mod failure;
mod files;
mod functions;
mod held;
mod info;
mod json;
mod machine;
mod page;
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

// The papers, every method, batches, pictures: a full build.
#[cfg(feature = "full")]
mod check;
#[cfg(feature = "full")]
mod generate;
#[cfg(feature = "full")]
mod many;
#[cfg(feature = "full")]
mod method;
#[cfg(feature = "full")]
mod methods;
#[cfg(feature = "full")]
mod paper;
#[cfg(feature = "full")]
mod work;

#[cfg(not(feature = "full"))]
#[path = "without_methods.rs"]
mod method;

use args::{Args, Command};
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// Runs the command with these arguments, the first being the name it was called by; returns its exit code. Results go to standard
/// output, all else to standard error.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    machine::remember(&arguments);
    let result = match Args::try_parse_from(arguments) {
        Ok(args) => run(args),
        Err(usage) => failure::of_usage(&usage),
    };
    match result.unwrap_or_else(|failure| failure.report()) {
        code if code == ExitCode::SUCCESS => 0,
        code if code == ExitCode::FAILURE => 1,
        _ => 2,
    }
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let code = match args.command {
        None => summary::run(&mut out)?,
        Some(Command::Info(args)) => info::run(&args, &mut out)?,
        Some(Command::Eval(args)) => eval::run(&args, &mut out)?,
        Some(Command::Bench(args)) => bench::run(&args, &mut out)?,
        #[cfg(feature = "full")]
        Some(Command::Check(args)) => check::run(&args, &mut out)?,
        #[cfg(feature = "full")]
        Some(Command::Paper(args)) => paper::run(&args, &mut out)?,
        #[cfg(feature = "full")]
        Some(Command::Generate(args)) => generate::run(&args, &mut out)?,
        #[cfg(not(feature = "full"))]
        Some(Command::Generate(_)) => return Err(failure::missing("`generate`")),
        #[cfg(not(feature = "full"))]
        Some(Command::Check(_)) => return Err(failure::missing("`check`")),
        #[cfg(not(feature = "full"))]
        Some(Command::Paper(_)) => return Err(failure::missing("`paper`")),
        Some(Command::Robots) => robot::list(&mut out)?,
    };
    out.flush()?;
    Ok(code)
}
