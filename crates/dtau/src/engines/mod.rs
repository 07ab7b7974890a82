//! An [`Engine`] runs any function of the library on its arrays.
//!
//! | engine | arrays |
//! | --- | --- |
//! | [`Workspace`] | one state, any scalar |
//! | [`Batch`] | many states, `f64` or `f32`, side by side in SIMD lanes and on threads |
//! | [`Compiled`] | any number of states, by code that was generated for one robot |

#[cfg(feature = "batch")]
pub mod batch;
#[cfg(feature = "batch")]
pub mod code;
pub(crate) mod compiled;
mod memory;
mod workspace;

#[cfg(feature = "batch")]
pub use batch::{Batch, BatchScalar, Progress};
#[cfg(feature = "batch")]
pub use code::{Code, Compiled, Routine};
pub use compiled::ANY_CPU;
pub use memory::{Memory, Scratch};
#[cfg(feature = "batch")]
pub(crate) use workspace::Instructions;
pub(crate) use workspace::OnTwin;
pub use workspace::Workspace;

use crate::door::Job;
use crate::error::Error;
use crate::matrix::MatrixMut;
use crate::scalar::Real;
use crate::scene::Scene;

/// Runs the functions of the library: a [`Workspace`] for one state, a `Batch` for many, or a `Compiled` with
/// generated code.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not compute in `{T}`",
    note = "pass `&mut Workspace<{T}>` for one state, or `&mut Batch<{T}>` (f64 or f32) for many"
)]
pub trait Engine<T: Real>: Call<T> {}

/// Runs a function. The one method of an engine; private to the library.
pub trait Call<T: Real> {
    /// Checks everything, then computes. The number of arrays is that of the declaration.
    fn call(&mut self, job: Job<T>, scene: &Scene<'_, T>, x: &[&[T]], y: &mut [MatrixMut<'_, T>]) -> Result<(), Error>;
}

impl<T: Real> Engine<T> for Workspace<T> {}

#[cfg(feature = "batch")]
impl<F: BatchScalar> Engine<F> for Batch<F> {}

#[cfg(feature = "batch")]
impl<F: BatchScalar> Engine<F> for Compiled<F> {}
