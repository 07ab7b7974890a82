//! The robot.
pub mod description;
