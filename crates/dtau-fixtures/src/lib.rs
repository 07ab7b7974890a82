//! Shared code of the tests: robots with every model feature, their states, complex steps, and comparisons
//! that report where they failed.
//!
//! The same seed gives the same robot and the same state on every machine. The expected properties are in the
//! tests; here are their inputs and comparisons.

#![allow(missing_docs)] // for tests; names are self-explanatory

pub mod assertions;
pub mod by_value;
pub mod command;
pub mod constrained;
pub mod constraints;
pub mod coverage;
pub mod double_double;
pub mod every;
pub mod matrices;
#[cfg(feature = "methods")]
pub mod methods;
pub mod random;
pub mod robots;
pub mod states;
pub mod steps;
pub mod tables;
pub mod wrenches;

pub use random::Rng;
pub use states::{Case, State};
