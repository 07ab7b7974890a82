//! ∂FD by the response form: FDSVA without ∂ID.
//!
//! Ground coordinates. A column of −M⁻¹ ∂ID is the acceleration of the tree under certain forces on its
//! bodies, at rest and without gravity. This file computes that acceleration without forming the torques ∂ID.
//!
//! **Which forces.** [Singh22] eqs. (30), (32): for a column c, let B, I be those of single bodies, and
//!
//! ```text
//! by q:   x = Ψ̇_c,  y = Ψ̈_c             by q̇:   x = S_c,  y = Ṡ_c + Ψ̇_c                       (1)
//! ∂τᵣ = Sᵣᵀ Σ_{k ⪰ r} Fₖ,      F_k = I_k y + 2B_k x     on every body k in the subtree of c    (2)
//!                              G = S_c ×* fᶜ_c          on the parent of c; by q only          (3)
//! ```
//!
//! A row r in the subtree of c receives the F of its own subtree. A row on the path above c receives all of
//! them and G. All other rows receive nothing. Torques Sᵣᵀ Σ F are the effect of body forces F on the joints,
//! so −M⁻¹ ∂τ is the acceleration that ABA gives with bias forces pₖ = Fₖ (and G), τ = 0, v = 0.
//!
//! **Their articulated sum.** ABA's inward pass at one degree of freedom, if p = Iᴬ y + Bᴬ x holds below it:
//!
//! ```text
//! u = −Sᵀ p = −(Uᵀ y + D wᵀ x)                             w = Bᴬᵀ S/D                          (4)
//! p + U u/D = (Iᴬ − U Ũᵀ) y + (Bᴬ − U wᵀ) x                Ũ = U/D                              (5)
//! ```
//!
//! so p = Iᴬ y + Bᴬ x also holds above it, with Bᴬ ← Bᴬ − U wᵀ and Iᴬ ← Iᴬ − U Ũᵀ. Both are summed over
//! children, and a body starts with I and 2B. By induction it holds in the whole subtree of c, where only x
//! and y depend on c. Armature changes D alone. `2B` ignores the linear part of x (see `coriolis` below), so
//! Bᴬ does too: 6×3.
//!
//! **A column**, by the outward pass of ABA, q̈ = u/D − Ũᵀ a_λ, a = a_λ + S q̈, λ the next degree of freedom
//! towards the root:
//!
//! ```text
//! at the parent of c    p = Iᴬ y + Bᴬ x + G                of the joint c, all its dofs eliminated  (6)
//! on the path above c   u = −Sᵀ p,   p ← p + Ũ u           root-ward                                (7)
//!                       q̈ = u/D − Ũᵀ a_λ                                                            (8)
//! subtree of c, and c   q̈ = −(wᵀ x + Ũᵀ (a_λ + y))         by (4)                                   (9)
//! elsewhere             q̈ = −Ũᵀ a_λ                                                                 (10)
//! by τ: on the path     u = 1 at c, p = Ũ_c above it, then (7), (8); elsewhere (10)                 (11)
//! ```
//!
//! Differs from the sketch in DESIGN §5.3: forces enter above the joint c, not below its last dof. A joint of
//! several dofs is a chain whose dofs are all in (9), so the path needs no special case for the other dofs of
//! c's joint. O(N) per column: 12 multiply-adds per dof on the path, 12 to 15 outward.

use crate::TreeState;
use crate::aba_plain::aba;
use crate::ltdl::ancestors;
use crate::placed::Placed;
use dtau::model::Tree;
use dtau::scalar::Real;
use dtau::spatial::{ArticulatedInertia, Force, Inertia, Mat3, Motion, Vec3};

/// Fills `q̈`, `∂q̈/∂q`, `∂q̈/∂q̇` and `M⁻¹`; see [`crate::FdMethod`].
pub fn fd_derivatives<T: Real>(
    state: &TreeState<'_, T>,
    tau: &[T],
    qdd: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    dtau: &mut [T],
) {
    let (tree, n) = (state.tree, state.tree.dofs.len());
    aba(state, tau, qdd);
    let (bodies, columns) = outward(state, qdd);
    let (joints, dofs) = inward(state, &bodies, &columns);

    for (c, column) in columns.iter().enumerate() {
        let body = tree.dofs[c].body;
        let G = column.S.cross_force(joints[body].f); // (3)
        let by_q = Load { c, x: column.psi_dot.ang, y: column.psi_ddot, G };
        let by_v = Load { c, x: column.S.ang, y: column.rate, G: Force::zero() };
        by_load(tree, &joints, &dofs, &by_q, &mut dq[c * n..][..n]);
        by_load(tree, &joints, &dofs, &by_v, &mut dv[c * n..][..n]);
        by_torque(tree, &dofs, c, &mut dtau[c * n..][..n]);
    }
}

/// The body forces of a column: (1) to (3). `x` has only its angular part.
struct Load<T> {
    c: usize,
    x: Vec3<T>,
    y: Motion<T>,
    G: Force<T>,
}

/// (6) to (10).
fn by_load<T: Real>(tree: &Tree, joints: &[JointSum<T>], dofs: &[DofSum<T>], load: &Load<T>, qdd: &mut [T]) {
    let &Load { c, x, y, G } = load;
    let body = tree.dofs[c].body;
    let (first, end) = (tree.bodies[body].v.start, tree.bodies[body].dofs_end);
    qdd.fill(T::zero()); // u/D, then the accelerations

    let mut p = joints[body].IA * y + joints[body].BA.mul(x) + G; // (6)
    for k in ancestors(tree, first) {
        let u = -dofs[k].S.dot(p); // (7)
        p += dofs[k].U_by_D * u;
        qdd[k] = u / dofs[k].D; // (8)
    }
    for k in first..end {
        qdd[k] = -(dofs[k].w.dot(x) + y.dot(dofs[k].U_by_D)); // (9)
    }
    accelerate(tree, dofs, qdd);
}

/// (11).
fn by_torque<T: Real>(tree: &Tree, dofs: &[DofSum<T>], c: usize, qdd: &mut [T]) {
    qdd.fill(T::zero());
    qdd[c] = dofs[c].D.recip();
    let mut p = dofs[c].U_by_D;
    for k in ancestors(tree, c) {
        let u = -dofs[k].S.dot(p); // (7)
        p += dofs[k].U_by_D * u;
        qdd[k] = u / dofs[k].D; // (8)
    }
    accelerate(tree, dofs, qdd);
}

/// From u/D to the accelerations: q̈ = u/D − Ũᵀ a_λ, the common part of (8) to (10).
fn accelerate<T: Real>(tree: &Tree, dofs: &[DofSum<T>], qdd: &mut [T]) {
    let mut a = vec![Motion::zero(); dofs.len()];
    for (k, dof) in dofs.iter().enumerate() {
        let before = tree.dofs[k].parent.map_or(Motion::zero(), |parent| a[parent]);
        qdd[k] -= before.dot(dof.U_by_D);
        a[k] = dof.S.scale_add(qdd[k], before);
    }
}

/// A body in motion.
struct Moving<T> {
    I: Inertia<T>,
    B: SixByThree<T>,
    f: Force<T>,
}

/// A degree of freedom as a column: the terms of (1).
struct Column<T> {
    S: Motion<T>,
    psi_dot: Motion<T>,
    psi_ddot: Motion<T>,
    /// Ṡ + Ψ̇
    rate: Motion<T>,
}

/// Velocities, accelerations, forces: [Singh22] Alg. 1, lines 2–11.
fn outward<T: Real>(state: &TreeState<'_, T>, qdd: &[T]) -> (Vec<Moving<T>>, Vec<Column<T>>) {
    let Placed { X, I, S } = Placed::of(state);
    let mut v = vec![Motion::zero()]; // line 1
    let mut a = vec![Motion::new(-state.gravity, Vec3::zero())];
    let mut bodies = vec![Moving { I: I[0], B: SixByThree::default(), f: Force::zero() }];
    let mut columns = Vec::new();
    for (i, body) in state.tree.bodies.iter().enumerate().skip(1) {
        let (vp, ap) = (v[body.parent], a[body.parent]);
        let vj = body.v.clone().fold(Motion::zero(), |vj, k| S[k].scale_add(state.v[k], vj));
        let aj = body.v.clone().fold(Motion::zero(), |aj, k| S[k].scale_add(qdd[k], aj));
        let (vi, ai) = (vp + vj, ap + aj + vp.cross(vj)); // lines 3, 4; vᵢ × vⱼ = vₚ × vⱼ
        for k in body.v.clone() {
            let psi_dot = vp.cross(S[k]); // line 6
            let psi_ddot = ap.cross(S[k]) + vp.cross(psi_dot); // line 7
            columns.push(Column { S: S[k], psi_dot, psi_ddot, rate: vi.cross(S[k]) + psi_dot }); // line 5
        }
        let f = I[i] * ai + vi.cross_force(I[i] * vi) - X[i].act_force(state.external[i]); // line 10
        bodies.push(Moving { I: I[i], B: coriolis(&I[i], vi), f });
        v.push(vi);
        a.push(ai);
    }
    (bodies, columns)
}

/// Quantities that a joint passes to its parent, after its degrees of freedom are eliminated.
#[derive(Clone, Copy)]
struct JointSum<T> {
    IA: ArticulatedInertia<T>,
    BA: SixByThree<T>,
    /// fᶜ: the sum over the subtree, without elimination.
    f: Force<T>,
}

/// Quantities of an eliminated degree of freedom.
struct DofSum<T> {
    S: Motion<T>,
    /// Ũ = U/D
    U_by_D: Force<T>,
    D: T,
    w: Vec3<T>,
}

/// (4), (5): once per state.
fn inward<T: Real>(
    state: &TreeState<'_, T>,
    bodies: &[Moving<T>],
    columns: &[Column<T>],
) -> (Vec<JointSum<T>>, Vec<DofSum<T>>) {
    let start = |body: &Moving<T>| JointSum { IA: body.I.into(), BA: body.B, f: body.f };
    let mut joints: Vec<_> = bodies.iter().map(start).collect();
    let mut dofs = Vec::new(); // from the last
    for (i, body) in state.tree.bodies.iter().enumerate().skip(1).rev() {
        let JointSum { mut IA, mut BA, f } = joints[i];
        for k in body.v.clone().rev() {
            let S = columns[k].S;
            let U = IA * S;
            let D = S.dot(U) + state.armature[k];
            let U_by_D = U * D.recip();
            let w = BA.tr_mul(S) * D.recip(); // (4)
            IA = IA.sub_outer(U_by_D, U); // (5)
            BA = BA.sub_outer(U, w);
            dofs.push(DofSum { S, U_by_D, D, w });
        }
        joints[i] = JointSum { IA, BA, f };
        let parent = &mut joints[body.parent];
        parent.IA += IA;
        parent.BA = parent.BA.add(&BA);
        parent.f += f;
    }
    dofs.reverse();
    (joints, dofs)
}

/// `2B` of a body, [Singh22] eq. (28), on purely angular arguments:
///
/// ```text
/// 2B x = v ×* I x − I (v × x) + x ×* I v
/// ```
///
/// For a purely linear x = (l, 0), with v = (v, ω), p = m v + ω × h, the linear part is m ω × l − m ω × l = 0
/// and the angular part is ω × (h × l) + m v × l − h × (ω × l) + l × p = ω × (h × l) + h ×
/// (l × ω) + l × (ω × h) = 0, Jacobi's identity. So `2B` needs only the angular part of its argument.
fn coriolis<T: Real>(I: &Inertia<T>, v: Motion<T>) -> SixByThree<T> {
    let column = |w: Vec3<T>| {
        let x = Motion::new(Vec3::zero(), w);
        v.cross_force(*I * x) - *I * v.cross(x) + x.cross_force(*I * v)
    };
    let [x, y, z] = Mat3::identity().cols.map(column);
    SixByThree { lin: Mat3::from_cols(x.lin, y.lin, z.lin), ang: Mat3::from_cols(x.ang, y.ang, z.ang) }
}

/// Maps angular motions to forces.
#[derive(Clone, Copy, Default)]
struct SixByThree<T> {
    lin: Mat3<T>,
    ang: Mat3<T>,
}

impl<T: Real> SixByThree<T> {
    fn mul(&self, x: Vec3<T>) -> Force<T> {
        Force::new(self.lin * x, self.ang * x)
    }

    fn tr_mul(&self, s: Motion<T>) -> Vec3<T> {
        self.lin.tr_mul(s.lin) + self.ang.tr_mul(s.ang)
    }

    fn add(&self, b: &Self) -> Self {
        Self { lin: self.lin + b.lin, ang: self.ang + b.ang }
    }

    /// `A − f wᵀ`.
    fn sub_outer(&self, f: Force<T>, w: Vec3<T>) -> Self {
        Self { lin: self.lin - Mat3::outer(f.lin, w), ang: self.ang - Mat3::outer(f.ang, w) }
    }
}
