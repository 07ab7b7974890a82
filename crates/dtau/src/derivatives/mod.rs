//! Derivatives.
pub mod idsva;
