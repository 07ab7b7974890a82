//! The library's functions on many states at once, as calls that can be timed: with the feature `batch`, which takes minutes
//! to compile.

#[cfg(feature = "batch")]
mod batches;

#[cfg(feature = "batch")]
pub use batches::call;

/// Who computes the states of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// One thread, several states side by side in SIMD lanes.
    Lanes,
    /// The same in single precision.
    Lanes32,
    /// So many threads, each with its lanes.
    Threads(usize),
}

/// How many states a call computes.
pub const STATES: usize = 256;

/// There are no batches in this build.
#[cfg(not(feature = "batch"))]
pub fn call<'a>(
    _: crate::product::Product,
    _: Side,
    _: dtau::Scene<'a, f64>,
    _: &[crate::sample::Sample],
) -> Result<Option<crate::timing::Call<'a>>, String> {
    Err("this dtau was built without batches; build it with: cargo build --release --features batch".into())
}
