//! Derivatives of inverse dynamics term by term.
//!
//! ```text
//! τ = M(q) a + bias(q, v)              bias = C(q, v) v + resistance(v) + g(q) − Jᵀ f_ext
//! ```
//!
//! Each is [`id_derivatives`](super::id_derivatives) with the arguments of the other terms at zero, so they add up. The
//! derivatives of the velocity terms alone are those of the bias in a scene without gravity and external forces.

use super::id::{Id, IdDerivatives};
use crate::check::Check;
use crate::dispatch::Dispatch;
use crate::error::Error;
use crate::scene::Scene;
use crate::workspace::Workspace;

/// The derivatives of the inertial torques `M(q) a`, armature included, and the torques themselves.
///
/// - `q` (nq), `a` (nv); `out.dq` is ∂(M a)/∂q, `out.da` is M, `out.dv` is zero; O(N d) and what the matrices take.
/// - Gravity, external forces and damping play no part.
///
/// # Errors
/// If a length, the workspace or `out` does not fit the model.
pub fn inertial_derivatives<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    a: &[T],
    out: &mut IdDerivatives<T>,
) -> Result<(), Error> {
    let scene = scene.into().gravity([0.0; 3]).wrenches(&[]).damping(false).friction(false);
    out.check(Check::new(scene.model, ws)?.nq("q", q)?.nv("a", a)?)?;
    let IdDerivatives { tau, dq, dv, da } = out;
    ws.run(Id { scene, q, v: None, a: Some(a), tau, dq, dv, da, zeros_in_place: false });
    Ok(())
}

/// The derivatives of [`bias`](crate::bias), and the bias itself.
///
/// - `q` (nq), `v` (nv); `out.dq` is ∂bias/∂q, `out.dv` is ∂bias/∂q̇, `out.da` is zero; O(N d) and what the matrices take.
/// - External forces and joint effects count as in [`bias`](crate::bias).
///
/// # Errors
/// If a length, the workspace or `out` does not fit the model.
pub fn bias_derivatives<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    out: &mut IdDerivatives<T>,
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    out.check(Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?)?;
    let IdDerivatives { tau, dq, dv, da } = out;
    ws.run(Id { scene, q, v: Some(v), a: None, tau, dq, dv, da, zeros_in_place: false });
    out.da.fill(T::zero()); // the kernel writes M there, but the bias does not depend on q̈
    Ok(())
}

/// The derivatives of [`gravity_torques`](crate::gravity_torques), and the torques themselves.
///
/// - `q` (nq); `out.dq` is ∂g/∂q, the Hessian of the potential energy where all joints have one degree of freedom;
///   `out.dv` and `out.da` are zero; O(N d) and what the matrices take.
/// - External forces play no part.
///
/// # Errors
/// If a length, the workspace or `out` does not fit the model.
pub fn gravity_derivatives<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    out: &mut IdDerivatives<T>,
) -> Result<(), Error> {
    let scene = scene.into().wrenches(&[]).damping(false).friction(false);
    out.check(Check::new(scene.model, ws)?.nq("q", q)?)?;
    let IdDerivatives { tau, dq, dv, da } = out;
    ws.run(Id { scene, q, v: None, a: None, tau, dq, dv, da, zeros_in_place: false });
    out.da.fill(T::zero());
    Ok(())
}
