//! Derivatives of inverse dynamics: what a caller sees. The algorithm is in [`idsva`].

use super::idsva;
use super::stiffness::{self, Stiffness};
use crate::bodies::Bodies;
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::matrix::Matrix;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use crate::workspace::{self, Full, Turns, Workspace, full_q, full_v};
use alloc::vec;
use alloc::vec::Vec;

/// Inverse dynamics and its derivatives, to be filled by [`id_derivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct IdDerivatives<T> {
    /// The torques τ.
    pub tau: Vec<T>,
    /// ∂τ/∂q, along tangent directions of the configuration.
    pub dq: Matrix<T>,
    /// ∂τ/∂q̇.
    pub dv: Matrix<T>,
    /// ∂τ/∂q̈, the mass matrix.
    pub da: Matrix<T>,
}

impl<T: Real> IdDerivatives<T> {
    /// Room for the derivatives of a model.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        let square = Matrix::zeros(nv, nv);
        Self { tau: vec![T::zero(); nv], dq: square.clone(), dv: square.clone(), da: square }
    }

    /// Whether it was made for the model.
    pub(super) fn check(&self, check: Check<'_>) -> Result<(), Error> {
        check
            .nv("out.tau", &self.tau)?
            .square("out.dq", &self.dq)?
            .square("out.dv", &self.dv)?
            .square("out.da", &self.da)
            .map(drop)
    }
}

/// The derivatives of [`rnea`](crate::rnea) by `q`, `v` and `a`, and the torques themselves: IDSVA, O(N d) with `d` the
/// depth of the tree.
///
/// - ∂τ/∂q is along tangent directions, `q ⊕ δ`; every matrix is `nv × nv`, complete, by columns.
/// - External forces are differentiated as they were given: fixed in the body, in the world, or in between.
/// - Damping, friction, armature and mimicking joints are in it, as in [`rnea`](crate::rnea).
///
/// # Errors
/// If a length, the workspace or the result does not fit the model.
pub fn id_derivatives<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    out: &mut IdDerivatives<T>,
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    out.check(Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?.nv("a", a)?)?;
    let IdDerivatives { tau, dq, dv, da } = out;
    let model = scene.model;
    let zeros_in_place = [&*dq, dv, da].iter().all(|matrix| matrix.has_zeros_of(model));
    let [dq, dv, da] = [dq, dv, da].map(|matrix| matrix.derivatives_of(model));
    ws.run(Id { scene, q, v: Some(v), a: Some(a), tau, dq, dv, da, zeros_in_place });
    Ok(())
}

/// `None` stands for zeros.
pub(super) struct Id<'a, T> {
    pub(super) scene: Scene<'a, T>,
    pub(super) q: &'a [T],
    pub(super) v: Option<&'a [T]>,
    pub(super) a: Option<&'a [T]>,
    pub(super) tau: &'a mut [T],
    pub(super) dq: &'a mut [T],
    pub(super) dv: &'a mut [T],
    pub(super) da: &'a mut [T],
    /// Whether entries that are zero by structure are zero already.
    pub(super) zeros_in_place: bool,
}

impl<T: Real> Kernel<T> for Id<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut workspace::Scratch<S>) {
        let workspace::Scratch { turns, full, zeros, bodies, id, .. } = scratch;
        let q = S::slice(self.q);
        let v = self.v.map_or(&zeros[..], S::slice);
        let a = self.a.map_or(&zeros[..], S::slice);
        let (tau, dq) = (S::slice_mut(self.tau), S::slice_mut(self.dq));
        let (dv, da) = (S::slice_mut(self.dv), S::slice_mut(self.da));
        compute(&self.scene, turns, full, bodies, id, q, v, a, tau, dq, dv, da, self.zeros_in_place);
    }
}

/// The torques and their derivatives over the model's degrees of freedom.
#[inline(always)]
pub(super) fn compute<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    turns: &mut Turns<S>,
    full: &mut Full<S>,
    bodies: &mut Bodies<S>,
    scratch: &mut Scratch<S>,
    q: &[S],
    v: &[S],
    a: &[S],
    tau: &mut [S],
    dq: &mut [S],
    dv: &mut [S],
    da: &mut [S],
    zeros_in_place: bool,
) {
    let model = scene.model;
    let q = full_q(model, q, &mut full.q);
    let v = full_v(model, v, &mut full.v);
    let a = full_v(model, a, &mut full.a);
    let turns = turns.update(model.tree(), q);
    // A model with mimicking joints fills the matrices of the full tree, then reduces them.
    let [full_dq, full_dv, full_da] = &mut scratch.full;
    let (to_tau, to_dq, to_dv, to_da) = match model.mimic() {
        None => (&mut *tau, &mut *dq, &mut *dv, &mut *da),
        Some(_) => (&mut full.tau[..], &mut full_dq[..], &mut full_dv[..], &mut full_da[..]),
    };
    let tree = model.tree();
    bodies.move_all::<true>(tree, turns, q, v, Some(a), Vec3::lift(scene.gravity));
    bodies.weigh(tree);
    let zeros_in_place = zeros_in_place && model.mimic().is_none();
    derive(scene, bodies, &mut scratch.tree, to_tau, [&mut *to_dq, &mut *to_dv, &mut *to_da], zeros_in_place);
    let effects = JointEffects::of(scene);
    effects.add_torques(tree, v, a, to_tau);
    effects.add_armature(tree, to_da);
    effects.add_resistance_slopes(tree, v, to_dv);
    if let Some(map) = model.mimic() {
        map.reduce(&full.tau, tau);
        map.reduce_square(full_dq, model.nv(), dq);
        map.reduce_square(full_dv, model.nv(), dv);
        map.reduce_square(full_da, model.nv(), da);
    }
}

/// Scratch of this algorithm: O(N), and for models with mimicking joints the matrices in full coordinates.
#[derive(Debug)]
pub(crate) struct Scratch<T: Real> {
    pub(super) tree: TreeScratch<T>,
    full: [Vec<T>; 3],
}

#[derive(Debug)]
pub(super) struct TreeScratch<T: Real> {
    pub(super) idsva: idsva::Scratch<T>,
    /// Of every subtree, for wrenches that do not move with their bodies.
    pub(super) stiffness: Vec<Stiffness<T>>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let tree = model.tree();
        let full = model.mimic().map_or(0, |_| tree.dofs.len());
        let square = vec![T::zero(); full * full];
        Self {
            tree: TreeScratch {
                idsva: idsva::Scratch::new(tree),
                stiffness: vec![Stiffness::default(); tree.bodies.len()],
            },
            full: [square.clone(), square.clone(), square],
        }
    }
}

/// The derivatives of the tree, every joint with its own degrees of freedom, from bodies that move and have inertia; without
/// what the joints themselves add. With a third matrix that is M.
#[inline(always)]
pub(super) fn derive<T: Real, S: Twin<T>, const N: usize>(
    scene: &Scene<'_, T>,
    bodies: &mut Bodies<S>,
    scratch: &mut TreeScratch<S>,
    tau: &mut [S],
    mut out: [&mut [S]; N],
    zeros_in_place: bool,
) {
    let tree = scene.model.tree();
    let TreeScratch { idsva: s, stiffness } = scratch;
    let moving = stiffness::all_move_with_bodies(scene);
    // black_box, or LLVM duplicates all code between the branches on `moving`, once for each value.
    let moving = || core::hint::black_box(moving);

    bodies.load_all();
    if moving() {
        bodies.push(scene);
    }
    idsva::outward(tree, bodies, s);
    idsva::inward(tree, bodies, s, tau);
    if !moving() {
        stiffness::of_subtrees(scene, tree, |i| bodies.X(tree, i), stiffness);
        for (k, dof) in tree.dofs.iter().enumerate() {
            let (S, W) = (bodies.S(k), &stiffness[dof.body]);
            tau[k] -= S.dot(W.F);
            s.sub_t3(k, W.mul(S));
        }
    }
    s.rows.fill(tree, &s.columns, out.each_mut().map(|x| &mut **x), zeros_in_place);
    if !moving() {
        add_stiffness_below(tree, bodies, stiffness, out[0]);
    }
}

/// What wrenches add where the row is below the column: [`stiffness`] (5).
#[inline(always)]
fn add_stiffness_below<T: Real>(tree: &Tree, bodies: &Bodies<T>, stiffness: &[Stiffness<T>], dq: &mut [T]) {
    let nv = tree.dofs.len();
    for (r, dof) in tree.dofs.iter().enumerate() {
        let row = stiffness[dof.body].row(bodies.S(r));
        let body = &tree.bodies[dof.body];
        for run in tree.path_runs[body.path.clone()].iter().cloned().chain([body.v.clone()]) {
            for c in run {
                dq[c * nv + r] -= bodies.S(c).dot(row);
            }
        }
    }
}
