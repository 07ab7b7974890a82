//! Compares dtau with Pinocchio in one run. Start with `bench/run.sh`. `docs/benchmarks.md` explains how to
//! read the result.
//!
//! - [`robots`]: the subjects, read by dtau and passed to the opponent as data ([`translate`]).
//! - [`opponent`]: Pinocchio in a shared library. The only module with `unsafe`.
//! - [`ours`], [`many`]: the same quantities by dtau, for one state or many states per call.
//! - [`agree`]: checks that both sides computed the same numbers.
//! - [`plan`]: both sides alternately, the least of many samples. Clock, progress and tables are the command's.
//! - [`measure`]: the complete measurement.
//! - [`row`]: one comparison and its floor. [`results`]: all comparisons. [`stored`]: their storage format.
//! - [`report`]: writes `BENCHMARKS.md`.

pub mod agree;
pub mod limit;
pub mod many;
pub mod measure;
pub mod opponent;
pub mod ours;
pub mod plan;
pub mod quantity;
pub mod report;
pub mod results;
pub mod robots;
pub mod row;
pub mod states;
pub mod stored;
pub mod translate;
pub mod ways;
