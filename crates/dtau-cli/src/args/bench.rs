//! The command line of `dtau bench`.

use super::{Format, ModelArgs};
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

/// Time everything on this machine.
///
/// Every function of the library on random states. Without a robot: the bundled ones, with floating roots where they walk.
#[derive(Debug, Parser)]
#[command(after_long_help = format!("{TIMES}{BATCHES}{BENCH_HELP}"))]
pub struct BenchArgs {
    /// Bundled robots (see `dtau robots`) or paths of URDF files [default: the bundled robots]
    #[arg(value_name = "ROBOT")]
    pub names: Vec<OsString>,

    #[command(flatten)]
    pub model: ModelArgs,

    /// How long each function is timed, in ms
    #[arg(long, value_name = "MS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub budget: u64,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write a page with charts and tables
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

const TIMES: &str = "\
Times are those of one state; the workspace is made beforehand. Functions take turns, in eight rounds, on 32 random states.
`least` is the shortest time seen, `mean` the mean of the samples between the 10th and the 90th percentile. `a ns` is operations
a nanosecond.
";

#[cfg(feature = "batches")]
const BATCHES: &str = "\
The other columns are least times: `batch` of 256 states in SIMD lanes, `f32` in single precision, `threads` on all cores, and
`plain` on the instructions of every CPU where the build has code for them.
";

#[cfg(not(feature = "batches"))]
const BATCHES: &str = "\
The Python package's command times many states at once too: in SIMD lanes, in single precision, and on all cores. So does
`cargo build --release -p dtau-cli --features batches`, which takes some minutes.
";

const BENCH_HELP: &str = "
Functions of constraints hold the ends of the tree, such as feet and hands: as points, or in a plane where the rows of a point would
depend on others.

Examples:
  dtau bench
  dtau bench quadruped humanoid --root floating --html bench.html
  dtau bench path/to/robot.urdf --format json";
