//! The command line.

use clap::{Parser, Subcommand};
use dtau_cli::args::{Format, RobotArgs};
use std::path::PathBuf;

/// The papers' experiments, and every method side by side on a robot.
#[derive(Debug, Parser)]
#[command(name = "dtau-papers", version)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Figures(FiguresArgs),
    Compare(CompareArgs),
}

/// Compare every method on a robot: errors and times.
///
/// Evaluates every method that takes this robot, at random states; compares each, entry by entry, with complex step, and times it. The
/// exit code is 1 if an exact method is out of tolerance.
#[derive(Debug, Parser)]
pub struct CompareArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// At how many random states
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub states: u32,

    /// Where the random states begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write a page with heat maps of the matrices and charts of errors and times
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// How long each method is timed, in ms
    #[arg(long, value_name = "MS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub budget: u64,
}

/// Reproduce the papers' experiments: every figure and table, beside what the papers say.
///
/// Writes a page, index.html, and SVG, CSV and JSON of every plot.
#[derive(Debug, Parser)]
#[command(after_long_help = HELP)]
pub struct FiguresArgs {
    /// Fewer sizes and shorter measurements: under 3 minutes on 2 cores [the default]
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,

    /// The papers' sizes, up to 500 links: under 40 minutes on 2 cores
    #[arg(long)]
    pub full: bool,

    /// Where to write
    #[arg(long, value_name = "DIR", default_value = "dtau-paper")]
    pub out: PathBuf,

    /// Only these figures, by id; see `--list`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub only: Vec<String>,

    /// List the figures and end
    #[arg(long)]
    pub list: bool,

    /// Keep the figures that an earlier run with the same settings finished
    #[arg(long)]
    pub resume: bool,

    /// Where to look for the papers' robots, such as the directory of example-robot-data; may be given again
    #[arg(long, value_name = "DIR")]
    pub robots: Vec<PathBuf>,

    /// Draw Pinocchio's times from a run of bench/ beside ours
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "bench/results/latest.json")]
    pub pinocchio: Option<PathBuf>,

    /// How long each point is measured, in ms, instead of what --quick or --full say
    #[arg(long, value_name = "MS", hide = true, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub budget: Option<u64>,

    /// The largest number of links, instead of what --quick or --full say
    #[arg(long, value_name = "N", hide = true, value_parser = clap::value_parser!(u32).range(2..=2000))]
    pub largest: Option<u32>,
}

const HELP: &str = "\
The robots that the papers name are not bundled. With --robots they are looked for by the names of their URDF files;
otherwise the bundled robots of their classes stand in, and are named so.

A figure that is finished is written at once, so that Ctrl-C leaves it, and --resume goes on from there. A figure that
fails says why; the others are made all the same, and the exit code is 1.

Examples:
  dtau-papers figures --quick
  dtau-papers figures --full --out results --robots path/to/example-robot-data/robots
  dtau-papers figures --only singh22-fig4,singh22-table3
  dtau-papers figures --list";
