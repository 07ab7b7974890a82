//! Random trees under constraints, and the conditioning of their equations.

use crate::constraints::{KINDS, Spec, build};
use crate::matrices::{condition, largest};
use crate::robots;
use crate::states::State;
use dtau::model::{Model, Root, generate};
use dtau::scalar::Real;
use dtau::{
    Constrained, ConstrainedFdDerivatives, Constraints, DelassusMut, Matrix, Random, Scene, Workspace, constrained_fd,
    constrained_fd_derivatives, constraint_jacobian, crba, delassus,
};

/// A robot, constraints, a state and torques.
pub struct Case {
    pub name: String,
    pub model: Model,
    pub specs: Vec<Spec>,
    pub set: Constraints,
    pub x: State,
}

/// Random trees with constraints of each kind alone and several together, satisfied and violated, without
/// those whose rows are dependent or nearly so.
pub fn cases(each: u64) -> Vec<Case> {
    let mut all = Vec::new();
    for seed in 0..each * (KINDS as u64 + 2) {
        let (kind, root) = (seed as usize % (KINDS + 2), if seed % 3 == 0 { Root::Fixed } else { Root::Floating });
        let model = robots::build(&generate::random_tree(seed, 10), root);
        let random = &mut Random::seeded(seed);
        let x = State::draw(&model, random);
        let here = (random.below(2) == 0).then_some(&x.q[..]);
        let kinds = if kind < KINDS { vec![kind] } else { (0..4).map(|_| random.below(KINDS)).collect() };
        let mut specs: Vec<Spec> = Vec::new();
        for kind in kinds {
            if let Some(spec) = Spec::draw(&model, random, kind, here)
                && specs.iter().map(Spec::rows).sum::<usize>() + spec.rows() <= model.nv() / 2
            {
                specs.push(spec);
            }
        }
        if specs.is_empty() {
            continue;
        }
        let set = build(&model, &specs).unwrap();
        let name = format!("seed {seed}, {:?} root, {:?}", root, specs.iter().map(|s| &s.what).collect::<Vec<_>>());
        let case = Case { name, model, specs, set, x };
        if conditioning(&case) < 1e8 {
            all.push(case);
        }
    }
    assert!(all.len() as u64 > 4 * each, "{} of {} cases are left", all.len(), each * (KINDS as u64 + 2));
    all
}

/// Ratio of the largest λ for random torques to its expected size: a cheap indicator of nearly dependent
/// rows.
fn conditioning(case: &Case) -> f64 {
    let mut out = Constrained::new(&case.set);
    let mut ws = Workspace::new(&case.model);
    match constrained_fd(&case.model, &mut ws, &case.set, &case.x.q, &case.x.v, &case.x.a, &mut out) {
        Err(_) => f64::INFINITY,
        Ok(()) => largest(&out.lambda),
    }
}

/// q̈ and λ, one after the other, in any scalar.
pub fn forward<T: Real>(scene: Scene<'_, T>, set: &Constraints, q: &[T], v: &[T], tau: &[T]) -> Vec<T> {
    let (mut ws, mut out) = (Workspace::new(scene.model), Constrained::new(set));
    constrained_fd(scene, &mut ws, set, q, v, tau, &mut out).unwrap();
    [out.qdd, out.lambda].concat()
}

/// Two matrices one above the other.
pub fn stacked(above: &Matrix<f64>, below: &Matrix<f64>, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|c| above.column(c).iter().chain(below.column(c)).copied()).collect()
}

/// J of a set, by columns.
pub fn jacobian(model: &Model, set: &Constraints, q: &[f64]) -> Vec<f64> {
    let mut j = vec![0.0; set.rows() * model.nv()];
    constraint_jacobian(model, &mut Workspace::new(model), set, q, &mut j).unwrap();
    j
}

/// J M⁻¹ Jᵀ, its inverse and its rank.
pub fn operational(model: &Model, set: &Constraints, q: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
    let mut x = [vec![0.0; set.rows().pow(2)], vec![0.0; set.rows().pow(2)], vec![0.0]];
    let [g, inverse, rank] = &mut x;
    let out = DelassusMut { delassus: g, inverse, rank };
    delassus(model, &mut Workspace::new(model), set, q, out).unwrap();
    let [g, inverse, rank] = x;
    (g, inverse, rank[0])
}

/// K⁻¹| |K| of K = [M −Jᵀ; J 0]: amplification of rounding in the error of q̈ and λ, entry by entry; see
/// `dtau_fixtures::matrices::scales`.
pub fn condition_of(case: &Case) -> Vec<f64> {
    let Case { model, set, x, .. } = case;
    let (n, m, ws) = (model.nv(), set.rows(), &mut Workspace::new(model));
    let (mut mass, mut d) = (Matrix::zeros(n, n), ConstrainedFdDerivatives::new(set));
    crba(model, ws, &x.q, &mut mass).unwrap();
    constrained_fd_derivatives(model, ws, set, &x.q, &x.v, &x.a, &mut d).unwrap();
    let (j, (_, inverse, _), rows) = (jacobian(model, set, &x.q), operational(model, set, &x.q), n + m);
    let (mut k, mut k_inverse) = (vec![0.0; rows * rows], vec![0.0; rows * rows]);
    for c in 0..n {
        for r in 0..n {
            k[c * rows + r] = mass[(r, c)];
            k_inverse[c * rows + r] = d.dqdd_dtau[(r, c)];
        }
        for r in 0..m {
            k[c * rows + n + r] = j[c * m + r];
            k[(n + r) * rows + c] = j[c * m + r];
            k_inverse[c * rows + n + r] = d.dlambda_dtau[(r, c)];
            k_inverse[(n + r) * rows + c] = d.dlambda_dtau[(r, c)];
        }
    }
    for c in 0..m {
        k_inverse[(n + c) * rows + n..][..m].copy_from_slice(&inverse[c * m..][..m]);
    }
    condition(rows, &k, &k_inverse)
}
