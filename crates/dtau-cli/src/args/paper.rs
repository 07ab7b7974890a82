//! The command line of `dtau paper`.

use clap::Parser;
use std::path::PathBuf;

/// Reproduce the papers' experiments: every figure and table, beside what the papers say.
///
/// Writes a page, index.html, with SVG, PNG, CSV and JSON of every plot, and a summary in Markdown.
#[derive(Debug, Parser)]
#[command(after_long_help = PAPER_HELP)]
pub struct PaperArgs {
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

const PAPER_HELP: &str = "\
The robots that the papers name are not bundled. With --robots they are looked for by the names of their URDF files;
otherwise the bundled robots of their classes stand in, and are named so.

A figure that is finished is written at once, so that Ctrl-C leaves it, and --resume goes on from there. A figure that
fails says why; the others are made all the same, and the exit code is 1.

Examples:
  dtau paper --quick
  dtau paper --full --out results --robots path/to/example-robot-data/robots
  dtau paper --only singh22-fig4,singh22-table3
  dtau paper --list";
