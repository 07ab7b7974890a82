//! ∂FD by ABACR: the chain rule on the articulated-body algorithm, forward.
//!
//! Body coordinates, as in [`crate::aba_plain`], whose lines (1) to (8) are differentiated one by one. δ is
//! the derivative with respect to one input: `q`, `q̇` or `τ` of a degree of freedom. Only the joint that
//! owns the input has extra terms, those with `s`: the axis of the input.
//!
//! ```text
//! outward   δv = X⁻¹ δvₚ + [q] (X⁻¹ vₚ) × s + [q̇] s                                (1')
//!           δc = δv × S q̇ + [q̇] v × s
//!           δpᴬ = δv ×* I v + v ×* I δv                                            (2')
//! inward    δU = δIᴬ S,  δD = Sᵀ δU,  δu = [τ] − Sᵀ δpᴬ                            (3')
//!           δŨ = (δU − Ũ δD)/D                                  Ũ = U/D
//!           δIᴬ ← δIᴬ − w Ũᵀ − Ũ wᵀ,  w = δU − ½ Ũ δD                              (4')
//!           δpᴬ ← δpᴬ + δŨ u + Ũ δu
//!           δpᴬ ← δpᴬ + δIᴬ c + Iᴬ δc                                              (5')
//!           δIᴬₚ += X* (δIᴬ + [q] (s ×* Iᴬ − Iᴬ s×)) X⁻¹                           (6')
//!           δpᴬₚ += X* (δpᴬ + [q] s ×* pᴬ)
//! outward   δa = X⁻¹ δaₚ + [q] (X⁻¹ aₚ) × s + δc                                   (7')
//!           δq̈ = (δu − Uᵀ δa − δUᵀ a − δD q̈)/D,  δa ← δa + S δq̈                    (8')
//! ```
//!
//! There are no more terms: S, I and fᵉˣᵗ are constant in the body, and X depends only on its own joint,
//! X(q ⊕ ε) = X Exp(ε s). So δ(X⁻¹ m) = (X⁻¹ m) × s and δ(X* f) = X* (s ×* f) [Carpentier18] eqs. (13), (14).
//! (4') is δ(U Uᵀ/D) in symmetric form.
//!
//! Source: [Singh21] Table II names the method, "chain rule of ABA"; the lines are ours. O(N) per column,
//! O(N²) in total. Chain rules that carry every column through every line cost O(N³). One column at a time is
//! the same arithmetic without the columns that are zero.

use crate::TreeState;
use crate::aba_plain::Aba;
use crate::articulated::{carried, sub_both, transform};
use dtau::scalar::Real;
use dtau::spatial::{ArticulatedInertia, Force, Motion};

/// Fills `q̈`, `∂q̈/∂q`, `∂q̈/∂q̇` and `M⁻¹`; see [`crate::FdMethod`].
pub fn fd_derivatives<T: Real>(
    state: &TreeState<'_, T>,
    tau: &[T],
    qdd: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    dtau: &mut [T],
) {
    let n = state.tree.dofs.len();
    let aba = Aba::run(state, tau);
    qdd.copy_from_slice(&aba.qdd);
    for dof in 0..n {
        for (input, out) in [(Input::Q, &mut *dq), (Input::V, &mut *dv), (Input::Tau, &mut *dtau)] {
            column(state, &aba, input, dof, &mut out[dof * n..][..n]);
        }
    }
}

/// The input of a derivative.
#[derive(Clone, Copy, PartialEq)]
enum Input {
    Q,
    V,
    Tau,
}

/// Derivative of `q̈` with respect to one input of one degree of freedom.
fn column<T: Real>(state: &TreeState<'_, T>, aba: &Aba<T>, input: Input, dof: usize, d_qdd: &mut [T]) {
    let tree = state.tree;
    let (b, d) = (&aba.bodies, &aba.dofs);
    let s = d[dof].S;
    let owner = |i: usize, which: Input| which == input && i == tree.dofs[dof].body;
    let zero = DBody { v: Motion::zero(), c: Motion::zero(), I: None, p: Force::zero(), a: Motion::zero() };
    let mut db = vec![zero; tree.bodies.len()];
    let mut dd = vec![DDof { U: Force::zero(), D: T::zero(), u: T::zero() }; tree.dofs.len()];

    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let (this, parent) = (&b[i], &db[body.parent]);
        let mut v = this.X.act_inv(parent.v); // (1')
        if owner(i, Input::Q) {
            v += (this.v - this.vj).cross(s); // X⁻¹ vₚ = v − S q̇
        }
        if owner(i, Input::V) {
            v += s;
        }
        let mut c = v.cross(this.vj);
        if owner(i, Input::V) {
            c += this.v.cross(s);
        }
        let p = v.cross_force(this.I * this.v) + this.v.cross_force(this.I * v); // (2')
        db[i] = DBody { v, c, p, ..zero };
    }

    for (i, body) in tree.bodies.iter().enumerate().skip(1).rev() {
        let (mut dI, mut dp) = (db[i].I, db[i].p);
        for k in body.v.clone().rev() {
            let S = d[k].S;
            let (by_D, u) = (d[k].D.recip(), d[k].u);
            let U_by_D = d[k].U * by_D;
            let du = if input == Input::Tau && k == dof { T::one() } else { T::zero() } - S.dot(dp); // (3')
            dp += U_by_D * du; // (4')
            dd[k].u = du;
            if let Some(dI) = &mut dI {
                let dU = *dI * S; // (3')
                let dD = S.dot(dU);
                let dU_by_D = (dU - U_by_D * dD) * by_D;
                *dI = sub_both(dI, dU - U_by_D * (T::from_f64(0.5) * dD), U_by_D); // (4')
                dp += dU_by_D * u;
                (dd[k].U, dd[k].D) = (dU, dD);
            }
        }
        dp += b[i].IA * db[i].c; // (5')
        if let Some(dI) = dI {
            dp += dI * b[i].c;
        }
        if owner(i, Input::Q) {
            let own = carried(s, &b[i].IA); // (6')
            dI = Some(dI.map_or(own, |dI| sum(dI, own)));
            dp += s.cross_force(b[i].pA);
        }
        let (X, parent) = (&b[i].X, &mut db[body.parent]);
        if let Some(dI) = dI {
            let dI = transform(&dI, X);
            parent.I = Some(parent.I.map_or(dI, |before| sum(before, dI)));
        }
        parent.p += X.act_force(dp);
    }

    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let X = &b[i].X;
        let mut da = X.act_inv(db[body.parent].a) + db[i].c; // (7')
        if owner(i, Input::Q) {
            da += X.act_inv(b[body.parent].a).cross(s);
        }
        for k in body.v.clone() {
            let change = dd[k].u - da.dot(d[k].U) - d[k].a.dot(dd[k].U) - dd[k].D * aba.qdd[k];
            d_qdd[k] = change / d[k].D; // (8')
            da = d[k].S.scale_add(d_qdd[k], da);
        }
        db[i].a = da;
    }
}

/// Derivatives of a body's quantities. δIᴬ is `None` if it is zero: off the path from the input to the root,
/// and for inputs other than `q`.
#[derive(Clone, Copy)]
struct DBody<T> {
    v: Motion<T>,
    c: Motion<T>,
    I: Option<ArticulatedInertia<T>>,
    p: Force<T>,
    a: Motion<T>,
}

/// Derivatives of the quantities of a degree of freedom.
#[derive(Clone, Copy)]
struct DDof<T> {
    U: Force<T>,
    D: T,
    u: T,
}

fn sum<T: Real>(mut a: ArticulatedInertia<T>, b: ArticulatedInertia<T>) -> ArticulatedInertia<T> {
    a += b;
    a
}
