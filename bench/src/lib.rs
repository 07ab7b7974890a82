//! Compares dtau with Pinocchio in one run. Start with `bench/run.sh`. `docs/benchmarks.md` explains how to
//! read the result.
//!
//! - [`robots`]: what is measured, read once by dtau and handed to the opponent as data ([`translate`]).
//! - [`opponent`]: Pinocchio in a shared library; the only module with `unsafe` in it.
//! - [`ours`], [`many`]: the same quantities by dtau, one state or many states a call.
//! - [`agree`]: both sides computed the same numbers.
//! - [`plan`]: both sides in turns, the least of many samples; the clock is the command's, as are progress and tables.
//! - [`measure`]: all of it together.
//! - [`row`]: one comparison and the floor it has to reach; [`results`]: all of them, [`stored`] in few bytes; [`report`]: as
//!   `BENCHMARKS.md`.

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
