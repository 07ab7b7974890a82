//! Lagrangian differentiation: τ = M q̈ + C q̇ + g, differentiated term by term, with ∂M/∂q, ∂C/∂q and
//! ∂C/∂q̇.
//!
//! Ground coordinates: every vector is at the world's origin, in world axes. `i`, `j`, `l` are degrees of
//! freedom. `m` is the lower of the bodies of `i` and `j`, which must be on one path. `l` and `m` must be on
//! one path too; `x` is the lower of their bodies.
//!
//! ```text
//! M_ij = Sᵢ·Iᶜ_m S_j            C_ij = Sᵢ·(Iᶜ_m Ṡ_j + Bᶜ_m S_j)            gᵢ = Sᵢ·Iᶜᵢ a₀     (1)
//! by q_l, if the body of l carries (else zero, for I and B only what l carries):
//!   dSᵢ = S_l × Sᵢ                                dṠ_j = S_l × Ṡ_j + Ψ̇_l × S_j                (2)
//!   dIᶜ_m = S_l ×* Iᶜₓ − Iᶜₓ S_l ×                dBᶜ_m = S_l ×* Bᶜₓ − Bᶜₓ S_l × + B(Iᶜₓ, Ψ̇_l)   (3)
//! by q̇_l:
//!   dṠ_j = S_l × S_j                              dBᶜ_m = B(Iᶜₓ, S_l)                          (4)
//! ∂τᵢ/∂q_l = Σ_j (∂M_ij/∂q_l q̈_j + ∂C_ij/∂q_l q̇_j) + ∂gᵢ/∂q_l − ∂(Sᵢ·fᵉˣᵗᵢ)/∂q_l              (5)
//! ∂τᵢ/∂q̇_l = C_il + Σ_j ∂C_ij/∂q̇_l q̇_j                                                       (6)
//! ```
//!
//! Sources: C as [Singh21] eq. (23) after [Echeandia21], from composites; its product rule (5) is [Singh22]
//! §I on [Garofalo13]; (2), (3) are [Singh22] J1, J4, J5, where `B` is linear in `I` and in the velocity.
//! This C gives the bias C q̇ for joints with any number of degrees of freedom. Only first derivatives along
//! the tangent directions are taken, so these need not commute. Cost: O(N³), or O(N d²) if the tree's zeros
//! are skipped.

use crate::TreeState;
use crate::six::Mat6;
use crate::steps::{add_armature, against, is_below, placement, related, subspace, world};
use dtau::model::Tree;
use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Motion};

/// Fills `τ`, `∂τ/∂q`, `∂τ/∂q̇` and `M`; see [`crate::IdMethod`].
pub fn id_derivatives<T: Real>(
    state: &TreeState<'_, T>,
    a: &[T],
    tau: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    da: &mut [T],
) {
    let tree = state.tree;
    let n = tree.dofs.len();
    let terms = Terms::new(state);
    let a0 = against(state.gravity);
    for out in [&mut *dq, dv, da] {
        out.fill(T::zero());
    }

    for i in 0..n {
        tau[i] = terms.S[i].dot(terms.I[tree.dofs[i].body] * a0 - terms.F[tree.dofs[i].body]);
        for j in related(tree, tree.dofs[i].body) {
            let (M, C) = terms.mass_and_coriolis(i, j);
            tau[i] += M * a[j] + C * state.v[j]; // (1)
            da[j * n + i] = M;
            dv[j * n + i] = C; // the first term of (6)
        }
    }
    for l in 0..n {
        let change = Change::new(&terms, l);
        for i in related(tree, tree.dofs[l].body) {
            let (mut by_q, mut by_v) = (change.gravity(i, a0) - change.external(i), dv[l * n + i]);
            for j in related(tree, tree.dofs[i].body) {
                let Some(d) = change.of(i, j) else { continue };
                by_q += d.M_by_q * a[j] + d.C_by_q * state.v[j]; // (5)
                by_v += d.C_by_v * state.v[j]; // (6)
            }
            dq[l * n + i] = by_q;
            dv[l * n + i] = by_v;
        }
    }
    add_armature(state.armature, a, tau, da);
}

/// Terms of M, C and g.
struct Terms<'a, T> {
    tree: &'a Tree,
    /// By degree of freedom.
    S: Vec<Motion<T>>,
    S_dot: Vec<Motion<T>>,
    psi_dot: Vec<Motion<T>>,
    /// By body, summed over its subtree.
    I: Vec<Inertia<T>>,
    twice_B: Vec<Mat6<T>>,
    F: Vec<Force<T>>,
}

impl<'a, T: Real> Terms<'a, T> {
    fn new(state: &TreeState<'a, T>) -> Self {
        let tree = state.tree;
        let (mut X, mut v) = (vec![world(tree, state.q)], vec![Motion::<T>::zero()]);
        let (mut I, mut twice_B, mut F) = (vec![Inertia::zero()], vec![Mat6::zero()], vec![Force::zero()]);
        let (mut S, mut S_dot, mut psi_dot) = (Vec::new(), Vec::new(), Vec::new());
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let p = body.parent;
            X.push(X[p] * placement(body, state.q));
            let axes: Vec<_> = subspace(body, &X[i]).collect();
            v.push(axes.iter().zip(body.v.clone()).fold(v[p], |v, (S, k)| v + *S * state.v[k]));
            S_dot.extend(axes.iter().map(|S| v[i].cross(*S)));
            psi_dot.extend(axes.iter().map(|S| v[p].cross(*S)));
            S.extend(axes);
            I.push(Inertia::lift(&body.inertia).transform(&X[i]));
            twice_B.push(Mat6::twice_b(&I[i], v[i]));
            F.push(X[i].act_force(state.external[i]));
        }
        for i in (1..tree.bodies.len()).rev() {
            let p = tree.bodies[i].parent;
            let (I_i, B_i, F_i) = (I[i], twice_B[i], F[i]);
            I[p] += I_i;
            twice_B[p] += B_i;
            F[p] += F_i;
        }
        Self { tree, S, S_dot, psi_dot, I, twice_B, F }
    }

    fn body(&self, dof: usize) -> usize {
        self.tree.dofs[dof].body
    }

    /// Returns the lower of two bodies if they are on one path.
    fn lower(&self, a: usize, b: usize) -> Option<usize> {
        if is_below(self.tree, a, b) { Some(b) } else { is_below(self.tree, b, a).then_some(a) }
    }

    /// `M_ij`, `C_ij` (1) for degrees of freedom on one path.
    fn mass_and_coriolis(&self, i: usize, j: usize) -> (T, T) {
        let m = self.body(i).max(self.body(j)); // depth-first numbers: the lower one is the later one
        let bias = self.I[m] * self.S_dot[j] + half(self.twice_B[m] * self.S[j]);
        (self.S[i].dot(self.I[m] * self.S[j]), self.S[i].dot(bias))
    }
}

/// Change of the terms with `q_l` and `q̇_l`.
struct Change<'a, T> {
    terms: &'a Terms<'a, T>,
    l: usize,
    /// `2B(Iᶜ, Ψ̇_l)` and `2B(Iᶜ, S_l)` by body, if the body is on a path with `l`.
    B_of_psi_dot: Vec<Option<Mat6<T>>>,
    B_of_S: Vec<Option<Mat6<T>>>,
}

/// Derivatives of one entry of M and C.
struct Entry<T> {
    M_by_q: T,
    C_by_q: T,
    C_by_v: T,
}

impl<'a, T: Real> Change<'a, T> {
    fn new(terms: &'a Terms<'a, T>, l: usize) -> Self {
        let of = |v: Motion<T>| {
            let bodies = 0..terms.I.len();
            bodies.map(|x| is_below(terms.tree, terms.body(l), x).then(|| Mat6::twice_b(&terms.I[x], v))).collect()
        };
        Self { terms, l, B_of_psi_dot: of(terms.psi_dot[l]), B_of_S: of(terms.S[l]) }
    }

    /// True if `l` moves the axis of `i`.
    fn carries(&self, i: usize) -> bool {
        is_below(self.terms.tree, self.terms.body(self.l), self.terms.body(i))
    }

    /// `dSᵢ` (2).
    fn dS(&self, i: usize) -> Motion<T> {
        if self.carries(i) { self.terms.S[self.l].cross(self.terms.S[i]) } else { Motion::zero() }
    }

    /// `dI y` (3), for the composite of body `x`.
    fn dI(&self, x: usize, y: Motion<T>) -> Force<T> {
        let (S, I) = (self.terms.S[self.l], self.terms.I[x]);
        S.cross_force(I * y) - I * S.cross(y)
    }

    /// Derivatives of `M_ij` and `C_ij`; `None` if they do not depend on `l`.
    fn of(&self, i: usize, j: usize) -> Option<Entry<T>> {
        let (t, l) = (self.terms, self.l);
        let m = t.body(i).max(t.body(j));
        let x = t.lower(m, t.body(l))?;
        let (I, B) = (t.I[m], t.twice_B[m]);
        let (dS_i, dS_j) = (self.dS(i), self.dS(j));
        let S_l = t.S[l];

        let M_by_q = dS_i.dot(I * t.S[j]) + t.S[i].dot(self.dI(x, t.S[j]) + I * dS_j);

        let dS_dot_j =
            if self.carries(j) { S_l.cross(t.S_dot[j]) + t.psi_dot[l].cross(t.S[j]) } else { Motion::zero() };
        let carried = S_l.cross_force(t.twice_B[x] * t.S[j]) - t.twice_B[x] * S_l.cross(t.S[j]);
        let dB = carried + self.B_of_psi_dot[x]? * t.S[j]; // (3)
        let along_i = I * t.S_dot[j] + half(B * t.S[j]);
        let along_j = self.dI(x, t.S_dot[j]) + I * dS_dot_j + half(dB + B * dS_j);
        let C_by_q = dS_i.dot(along_i) + t.S[i].dot(along_j);

        let dS_dot_by_v = if self.carries(j) { S_l.cross(t.S[j]) } else { Motion::zero() }; // (4)
        let C_by_v = t.S[i].dot(I * dS_dot_by_v + half(self.B_of_S[x]? * t.S[j]));
        Some(Entry { M_by_q, C_by_q, C_by_v })
    }

    /// `∂gᵢ/∂q_l` for `i`, `l` on one path.
    fn gravity(&self, i: usize, a0: Motion<T>) -> T {
        let t = self.terms;
        let x = t.body(i).max(t.body(self.l));
        self.dS(i).dot(t.I[t.body(i)] * a0) + t.S[i].dot(self.dI(x, a0))
    }

    /// `∂(Sᵢ·fᵉˣᵗᵢ)/∂q_l` for `i`, `l` on one path: forces are fixed in their bodies.
    fn external(&self, i: usize) -> T {
        let t = self.terms;
        let x = t.body(i).max(t.body(self.l));
        self.dS(i).dot(t.F[t.body(i)]) + t.S[i].dot(t.S[self.l].cross_force(t.F[x]))
    }
}

fn half<T: Real>(f: Force<T>) -> Force<T> {
    f * T::from_f64(0.5)
}
