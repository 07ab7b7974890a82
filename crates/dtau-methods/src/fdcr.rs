//! ∂FD by FDCR: RNEACR at the accelerations of forward dynamics, then −M⁻¹ times it.
//!
//! ```text
//! q̈ = ABA(q, q̇, τ)                                                 (1)
//! ∂ID/∂q, ∂ID/∂q̇ = RNEACR(q, q̇, q̈)                                 (2)
//! ∂q̈/∂q = −M⁻¹ ∂ID/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂ID/∂q̇,   ∂q̈/∂τ = M⁻¹       (3)
//! ```
//!
//! Source: [Singh22] Table II, row FDCR, and eq. (5); [Carpentier18] eqs. (17), (24). RNEACR is
//! [`crate::rneacr`], M⁻¹ comes from the dedicated algorithm, the product is dense: O(N³).

use crate::TreeState;
use crate::fdsva::by_product;
use crate::rneacr;
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
    by_product(rneacr::id_derivatives, state, tau, qdd, dq, dv, dtau);
}
