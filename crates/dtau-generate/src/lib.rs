//! Generates code for one robot from the library's own source.
//!
//! The generic algorithms of [`dtau`] run on a scalar type that records operations. After constant folding,
//! the result is a [`Program`] for one robot. An emitter writes it as plain Rust or C.

mod builder;
mod derive;
pub mod emit;
pub mod interpret;
pub mod kernels;
mod limbs;
#[cfg(feature = "load")]
pub mod load;
mod module;
mod plan;
pub mod program;
mod record;
pub mod structure;
mod subject;
pub mod sums;
mod sweep;
pub mod table;
mod tape;

pub use builder::{BuildError, Builder};
pub use limbs::Limbs;
pub use module::{Module, Request};
pub use program::Program;
pub use record::{Loops, Numbers, RecordOptions};
pub use subject::Subject;
pub use tape::Traced;
