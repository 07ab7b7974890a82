//! The robot.
pub mod description;

pub(crate) mod names;
pub(crate) mod validate;
