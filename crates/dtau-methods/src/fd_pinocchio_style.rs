//! ∂FD in Pinocchio's way: its ∂ID at the accelerations of forward dynamics, its dedicated M⁻¹, and their
//! product.
//!
//! ```text
//! q̈ = ABA(q, q̇, τ)                                                 (1)
//! ∂ID/∂q, ∂ID/∂q̇ in Pinocchio's way                                (2)
//! ∂q̈/∂q = −M⁻¹ ∂ID/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂ID/∂q̇,   ∂q̈/∂τ = M⁻¹       (3)
//! ```
//!
//! Source: [Singh22] Table II, row "Pinocchio FD Derivs"; [Carpentier18] §IV-B, eqs. (17), (24), and §IV-C
//! for M⁻¹. (2) is [`crate::pinocchio_style`], M⁻¹ [`crate::inverse_dedicated`], the product dense: O(N³).

use crate::TreeState;
use crate::fdsva::by_product;
use crate::pinocchio_style;
use dtau::scalar::Real;

/// Fills `q̈`, `∂q̈/∂q`, `∂q̈/∂q̇` and `M⁻¹`; see [`crate::FdMethod`].
pub fn fd_derivatives<T: Real>(
    state: &TreeState<'_, T>,
    tau: &[T],
    qdd: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    dtau: &mut [T],
) {
    by_product(pinocchio_style::id_derivatives, state, tau, qdd, dq, dv, dtau);
}
