//! What the tests share: robots with everything a model can have, states of theirs, complex steps, and comparisons that say
//! where they failed.
//!
//! The same seed gives the same robot and the same state on every machine. What a test must get right is in the test; here is
//! what it is tried on and how it is judged.

#![allow(missing_docs)] // for tests; names say what things are

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
