//! Steps around every method: from a scene and independent coordinates to the bare tree, and back.
//!
//! ```text
//! q_full = G q + o,  v_full = G v,  a_full = G a                       joints that follow others     (1)
//! F = (f, n + p × f)  →  X⁻¹ F on its body                             wrenches, as if fixed in it   (2)
//! ∂τᵣ/∂q_c −= Sᵣ·(∂F/∂q_c − S_c ×* F)                                  … as they are given           (3)
//!    ∂f = ω × f,  ∂n = ω × n   if its axes turn with the body, else 0
//!    ∂p = v + ω × p            if its point moves with the body, else 0          S_c = (v, ω)
//!    ∂F = (∂f, ∂n + ∂p × f + p × ∂f)                                                                 (4)
//! τ += d q̇ + c q̇/√(q̇² + s²)      ∂τ/∂q̇ += d + c s²/(q̇² + s²)^{3/2}     damping, friction             (5)
//! τ = Gᵀ τ_full,  J = Gᵀ J_full G                                                                    (6)
//! ∂q̈/∂q −= M⁻¹ K,  ∂q̈/∂q̇ −= M⁻¹ R     K what (3), R what (5) adds to ∂τ     forward dynamics         (7)
//! ```
//!
//! This code checks the product's version, so it is written differently: wrench by wrench and column by
//! column (`dtau`'s `stiffness.rs` sums over subtrees). Ground coordinates for (2) to (4). (7) is M
//! ∂q̈ = −∂τ, [Singh22] eq. (5), for the part of τ that a method does not include. Forward dynamics with
//! mimicking joints is not that of the full tree between Gᵀ and G, so methods for it refuse such models.

use crate::steps::{path, placement, subspace};
use crate::{FdDerivatives, FdMethod, IdMethod, InverseMethod, TreeState};
use dtau::model::{Model, Tree};
use dtau::scalar::Real;
use dtau::spatial::{Force, Motion, Transform, Vec3};
use dtau::{Axes, IdDerivatives, Matrix, Point, Scene, Wrench};

/// State of a scene in full coordinates, as input for a method.
#[derive(Clone, Debug)]
pub struct Full<T> {
    q: Vec<T>,
    v: Vec<T>,
    gravity: Vec3<T>,
    external: Vec<Force<T>>,
    armature: Vec<T>,
    /// Placements of the bodies in the world.
    X: Vec<Transform<T>>,
}

impl<T: Real> Full<T> {
    /// (1), (2).
    pub fn new(scene: &Scene<'_, T>, q: &[T], v: &[T]) -> Self {
        let (model, tree) = (scene.model, scene.model.tree());
        let (q, v) = (full_q(model, q), full_v(model, v));
        let mut X: Vec<Transform<T>> = vec![Transform::identity()];
        for body in &tree.bodies[1..] {
            X.push(X[body.parent] * placement(body, &q));
        }
        let mut external = vec![Force::zero(); tree.bodies.len()];
        for wrench in scene.wrenches {
            if let Some(acting) = Acting::new(model, &X, wrench) {
                external[acting.body] += X[acting.body].act_force_inv(acting.force()); // (2)
            }
        }
        let armature = tree.dofs.iter().map(|d| T::from_f64(if scene.armature { d.armature } else { 0.0 })).collect();
        Self { q, v, gravity: Vec3::lift(scene.gravity), external, armature, X }
    }

    /// State of the bare tree.
    pub fn state<'a>(&'a self, tree: &'a Tree) -> TreeState<'a, T> {
        let Self { q, v, gravity, external, armature, .. } = self;
        TreeState { tree, q, v, gravity: *gravity, external, armature }
    }
}

/// Derivatives of inverse dynamics by a method, including the steps around it. `q`, `v`, `a` are in the
/// model's independent coordinates, as for [`dtau::id_derivatives`].
pub fn id_derivatives<T: Real>(
    method: IdMethod<T>,
    scene: &Scene<'_, T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> IdDerivatives<T> {
    let (model, tree) = (scene.model, scene.model.tree());
    let n = tree.dofs.len();
    let full = Full::new(scene, q, v);
    let a = full_v(model, a);
    let mut tau = vec![T::zero(); n];
    let [mut dq, mut dv, mut da] = [(); 3].map(|()| vec![T::zero(); n * n]);
    method(&full.state(tree), &a, &mut tau, &mut dq, &mut dv, &mut da);

    for wrench in scene.wrenches {
        if let Some(acting) = Acting::new(model, &full.X, wrench) {
            acting.add_stiffness(tree, &full.X, &mut dq);
        }
    }
    for k in 0..n {
        let (torque, slope) = resistance(scene, k, full.v[k]);
        let (pull, stiffness) = spring(scene, k, &full.q);
        tau[k] += torque + pull;
        dq[k * n + k] += stiffness;
        dv[k * n + k] += slope;
    }
    reduce(model, &tau, &dq, &dv, &da)
}

/// Forward dynamics and its derivatives by a method, including the steps around it, for models without
/// mimicking joints.
pub fn fd_derivatives<T: Real>(
    method: FdMethod<T>,
    scene: &Scene<'_, T>,
    q: &[T],
    v: &[T],
    tau: &[T],
) -> FdDerivatives<T> {
    let (model, tree, n) = (scene.model, scene.model.tree(), tau.len());
    let full = Full::new(scene, q, v);
    let resistances: Vec<_> = (0..n).map(|k| resistance(scene, k, v[k])).collect();
    let springs: Vec<_> = (0..n).map(|k| spring(scene, k, &full.q)).collect();
    let driving =
        tau.iter().zip(&resistances).zip(&springs).map(|((&tau, &(torque, _)), &(pull, _))| tau - torque - pull);
    let driving: Vec<T> = driving.collect();
    let mut out = FdDerivatives::new(model);
    let FdDerivatives { qdd, dqdd_dq: dq, dqdd_dv: dv, dqdd_dtau: minv } = &mut out;
    method(&full.state(tree), &driving, qdd, dq, dv, minv);

    let mut K = vec![T::zero(); n * n];
    for (k, &(_, stiffness)) in springs.iter().enumerate() {
        K[k * n + k] = stiffness;
    }
    for wrench in scene.wrenches {
        if let Some(acting) = Acting::new(model, &full.X, wrench) {
            acting.add_stiffness(tree, &full.X, &mut K);
        }
    }
    for c in 0..n {
        for k in 0..n {
            for r in 0..n {
                dq[(r, c)] -= minv[(r, k)] * K[c * n + k]; // (7)
            }
        }
        for r in 0..n {
            dv[(r, c)] -= minv[(r, c)] * resistances[c].1; // (7)
        }
    }
    out
}

/// Inverse of the mass matrix by a method, for models without mimicking joints.
pub fn inverse<T: Real>(method: InverseMethod<T>, scene: &Scene<'_, T>, q: &[T]) -> Matrix<T> {
    let n = scene.model.nv();
    let mut minv = Matrix::zeros(n, n);
    method(&Full::new(scene, q, &vec![T::zero(); n]).state(scene.model.tree()), &mut minv);
    minv
}

/// A wrench on a body, in ground coordinates.
struct Acting<T> {
    body: usize,
    f: Vec3<T>,
    n: Vec3<T>,
    p: Vec3<T>,
    turns: bool,
    moves: bool,
}

impl<T: Real> Acting<T> {
    /// `None` if it acts on the world, which does not move.
    fn new(model: &Model, X: &[Transform<T>], wrench: &Wrench<T>) -> Option<Self> {
        let (body, placement) = model.carrier(wrench.frame)?;
        let X = X[body] * Transform::lift(&placement);
        let (f, n) = (Vec3::from(wrench.force), Vec3::from(wrench.torque));
        let turns = wrench.axes == Axes::Frame;
        let (f, n) = if turns { (X.rot * f, X.rot * n) } else { (f, n) };
        let (p, moves) = match wrench.at {
            Point::Origin => (X.pos, true),
            Point::InFrame(point) => (X.act_point(point.into()), true),
            Point::InWorld(point) => (point.into(), false),
        };
        Some(Self { body, f, n, p, turns, moves })
    }

    fn force(&self) -> Force<T> {
        Force::new(self.f, self.n + self.p.cross(self.f))
    }

    /// (4): change of the wrench when its body moves by `s`.
    fn change(&self, s: Motion<T>) -> Force<T> {
        let zero = Vec3::zero();
        let (df, dn) = if self.turns { (s.ang.cross(self.f), s.ang.cross(self.n)) } else { (zero, zero) };
        let dp = if self.moves { s.lin + s.ang.cross(self.p) } else { zero };
        Force::new(df, dn + dp.cross(self.f) + self.p.cross(df))
    }

    /// (3): the method moved the wrench with its body; this adds the difference.
    fn add_stiffness(&self, tree: &Tree, X: &[Transform<T>], dq: &mut [T]) {
        if self.turns && self.moves {
            return; // it moves with its body
        }
        let n = tree.dofs.len();
        let above: Vec<usize> = path(tree, self.body).chain(tree.bodies[self.body].v.clone()).collect();
        let axis = |k: usize| -> Motion<T> {
            let i = tree.dofs[k].body;
            subspace(&tree.bodies[i], &X[i]).nth(k - tree.bodies[i].v.start).expect("a dof of its body")
        };
        for &c in &above {
            let S_c = axis(c);
            let rest = self.change(S_c) - S_c.cross_force(self.force());
            for &r in &above {
                dq[c * n + r] -= axis(r).dot(rest);
            }
        }
    }
}

/// Torque of the spring of a degree of freedom at the full `q`, and its stiffness.
fn spring<T: Real>(scene: &Scene<'_, T>, k: usize, q: &[T]) -> (T, T) {
    let (tree, dof) = (scene.model.tree(), &scene.model.tree().dofs[k]);
    if !scene.springs || dof.stiffness == 0.0 {
        return (T::zero(), T::zero());
    }
    let stiffness = T::from_f64(dof.stiffness);
    (stiffness * (q[tree.bodies[dof.body].q.start] - T::from_f64(dof.rest)), stiffness)
}

/// Torque that resists the velocity `v` of a degree of freedom, and its slope (5).
pub fn resistance<T: Real>(scene: &Scene<'_, T>, k: usize, v: T) -> (T, T) {
    let dof = &scene.model.tree().dofs[k];
    let (mut torque, mut slope) = (T::zero(), T::zero());
    if scene.damping {
        torque += T::from_f64(dof.damping) * v;
        slope += T::from_f64(dof.damping);
    }
    if scene.friction {
        let s = T::from_f64(scene.model.options().friction_speed);
        let speed = (v * v + s * s).sqrt();
        let ratio = s / speed;
        torque += T::from_f64(dof.friction) * v / speed;
        slope += T::from_f64(dof.friction) * ratio * ratio / speed;
    }
    (torque, slope)
}

/// (6).
fn reduce<T: Real>(model: &Model, tau: &[T], dq: &[T], dv: &[T], da: &[T]) -> IdDerivatives<T> {
    let mut out = IdDerivatives::new(model);
    let nv = model.nv();
    match model.mimic() {
        None => {
            out.tau.copy_from_slice(tau);
            out.dtau_dq.copy_from_slice(dq);
            out.dtau_dv.copy_from_slice(dv);
            out.dtau_da.copy_from_slice(da);
        }
        Some(map) => {
            map.reduce(tau, &mut out.tau);
            map.reduce_square(dq, nv, &mut out.dtau_dq);
            map.reduce_square(dv, nv, &mut out.dtau_dv);
            map.reduce_square(da, nv, &mut out.dtau_da);
        }
    }
    out
}

fn full_q<T: Real>(model: &Model, q: &[T]) -> Vec<T> {
    let mut full = vec![T::zero(); model.tree().nq];
    match model.mimic() {
        None => full.copy_from_slice(q),
        Some(map) => map.expand_q(q, &mut full),
    }
    full
}

/// Velocities, or accelerations, in full coordinates.
pub fn full_v<T: Real>(model: &Model, v: &[T]) -> Vec<T> {
    let mut full = vec![T::zero(); model.tree().dofs.len()];
    match model.mimic() {
        None => full.copy_from_slice(v),
        Some(map) => map.expand_v(v, &mut full),
    }
    full
}
