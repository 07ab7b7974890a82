//! Derivatives.
mod fill;
pub mod idsva;
