//! Base parameters: the combinations of inertial parameters that can be identified from motion.
//!
//! A change δπ cannot be identified if it does not change the kinetic energy and changes the potential energy
//! by a constant only. The parent p of a body i on a joint with axes S can compensate a change on i under two
//! conditions: the change is the same for p at every joint position, and it has no effect on the joint
//! itself. With the 10-vector δπ of an inertia δI, in body coordinates:
//!
//! ```text
//! outward   Vᵢ ⊃ Xᵢ⁻¹ Vₚ, S        closed under x ↦ S × x        the velocities that body i can have              (1)
//!           Kᵢ: δπ ↦ Sᵀ δI x       for x in Vᵢ                   what the joint feels of it                       (2)
//!           Cₚᵢ ⊃ Cₚ Xᵢ            closed under c ↦ c A           what can be seen of an inertia at p, from i on   (3)
//!           Cᵢ = Cₚᵢ + Kᵢ          C₀: δπ ↦ g·δh                  A δπ: how it changes as it moves along S         (4)
//!           Nᵢ = { δπ: Kᵢ δπ = 0, Cₚᵢ A δπ = 0 }                                                                   (5)
//! ```
//!
//! The unidentifiable changes are the sums over all bodies of δπ in Nᵢ on i and −Xᵢ δπ on its parent. Links
//! of one body share the parameters of that body, and links on the world have no effect. All of this is
//! linear algebra in six and ten dimensions. It needs no large factorisation and no exciting motion: the
//! number of base parameters is a structural property of the robot.
//!
//! One parameter is eliminated for every such change, from the leaves to the root as in [Gautier90]. The
//! remaining ones are as many as the rank of the regressor, each with the parameters lumped into it.
//! Mimicking joints have fewer motions than (1) to (4) assume. Robots with such joints are factorised
//! numerically: the regressor at random states, by QR with column pivoting.
//! Source: [Wensing24] §IV, Algorithm 1. Departure: subspaces are closed under the motion of a joint by
//! iterating the product until nothing new is found, also for joints of several degrees of freedom.

use super::consistency::{inertia, parameters};
use crate::engines::Workspace;
use crate::model::validate::inertia::short;
use crate::model::{Frame, Model};
use crate::random::Random;
use crate::spatial::{Inertia, Motion, Sym3, Transform};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The combinations of inertial parameters that can be identified from motion: `Y π = Y_base π_base`.
///
/// ```
/// # fn main() -> Result<(), dtau::Error> {
/// use dtau::model::{Model, Options};
/// let model = Model::bundled("arm6", &Options::default())?;
/// let base = model.base_parameters();
/// println!("{} of {}: {}", base.len(), base.count(), base.name(0));
/// let pi_base = base.of(&model.inertial_parameters());
/// assert_eq!(pi_base.len(), base.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BaseParameters {
    independent: Vec<usize>,
    combinations: Vec<Vec<(usize, f64)>>,
    names: Vec<String>,
    count: usize,
}

impl BaseParameters {
    /// Number of base parameters: the rank of the regressor over all motions.
    pub fn len(&self) -> usize {
        self.independent.len()
    }

    /// True if no parameter can be identified.
    pub fn is_empty(&self) -> bool {
        self.independent.is_empty()
    }

    /// Number of parameters of all links: ten each.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Indices of the regressor columns that form `Y_base`, ascending; the others are combinations of them.
    pub fn independent(&self) -> &[usize] {
        &self.independent
    }

    /// The terms of the `k`-th base parameter: indices of link parameters in [`Model::inertial_parameters`],
    /// and factors. The first term is its own parameter, with factor one.
    pub fn combination(&self, k: usize) -> &[(usize, f64)] {
        &self.combinations[k]
    }

    /// Name of the `k`-th base parameter: `Izz(upper_arm) + 0.09 m(forearm)`. `m` is the mass of a link,
    /// `mx`, `my`, `mz` its first moment and `Ixx` … `Izz` its rotational inertia about its origin.
    pub fn name(&self, k: usize) -> &str {
        &self.names[k]
    }

    /// Computes π_base from the parameters of all links, ten each.
    ///
    /// # Panics
    /// If there are fewer than [`count`](Self::count).
    pub fn of(&self, parameters: &[f64]) -> Vec<f64> {
        let sum = |terms: &Vec<(usize, f64)>| terms.iter().map(|&(k, factor)| factor * parameters[k]).sum();
        self.combinations.iter().map(sum).collect()
    }
}

impl Model {
    /// The combinations of inertial parameters that can be identified from motions of this robot, under its
    /// gravity.
    ///
    /// They depend on the structure alone, except with mimicking joints. Time and memory: O(n d), with d the
    /// depth of the tree. Joint effects (armature, damping, friction) have other parameters, which are
    /// ignored here. For the first joints of a robot, a rotor inertia has the same effect on the mass matrix
    /// as the moment about the joint axis.
    pub fn base_parameters(&self) -> BaseParameters {
        let unit = length_of(self);
        let changes = if self.mimic().is_none() { by_structure(self, unit) } else { by_motion(self, unit) };
        BaseParameters::new(self, &changes, unit)
    }
}

/// An unidentifiable change of parameters: one of the parameter at `pivot`, compensated by others, none of
/// which is a pivot.
struct Change {
    pivot: usize,
    others: Vec<(usize, f64)>,
}

/// Parameters are scaled by the size of the robot, so that factors are of order one. Powers of length in
/// each.
const POWERS: [i32; 10] = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2];
const SYMBOLS: [&str; 10] = ["m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];
/// Values smaller than this, relative to one, are rounding errors.
const ROUNDING: f64 = 1e-9;

/// Largest distance from a joint to the next.
fn length_of(model: &Model) -> f64 {
    let far = |X: &Transform<f64>| X.pos.to_array().into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let joints = model.tree().bodies[1..].iter().filter(|body| body.parent > 0).map(|body| far(&body.x_tree));
    let length = joints.chain(model.frames().iter().map(|frame| far(&frame.placement))).fold(0.0, f64::max);
    if length > 0.0 { length } else { 1.0 }
}

impl BaseParameters {
    fn new(model: &Model, changes: &[Change], unit: f64) -> Self {
        let links = &model.description().links;
        let count = 10 * links.len();
        let (mut is_pivot, mut combinations) = (vec![false; count], vec![Vec::new(); count]);
        for change in changes {
            is_pivot[change.pivot] = true;
            for &(k, x) in change.others.iter().filter(|(_, x)| x.abs() > ROUNDING) {
                let factor = -x * libm::pow(unit, (POWERS[k % 10] - POWERS[change.pivot % 10]).into());
                combinations[k].push((change.pivot, factor));
            }
        }
        let independent: Vec<usize> = (0..count).filter(|&k| !is_pivot[k]).collect();
        let combinations: Vec<Vec<(usize, f64)>> = independent
            .iter()
            .map(|&k| {
                let mut terms = vec![(k, 1.0)];
                combinations[k].sort_by_key(|&(place, _)| place);
                terms.append(&mut combinations[k]);
                terms
            })
            .collect();
        let symbol = |k: usize| format!("{}({})", SYMBOLS[k % 10], links[k / 10].name);
        let name = |terms: &Vec<(usize, f64)>| {
            let mut text = symbol(terms[0].0);
            for &(k, factor) in &terms[1..] {
                let sign = if factor < 0.0 { '−' } else { '+' };
                let size = factor.abs();
                let times = if (size - 1.0).abs() < ROUNDING { String::new() } else { format!("{} ", short(size)) };
                text += &format!(" {sign} {times}{}", symbol(k));
            }
            text
        };
        let names = combinations.iter().map(name).collect();
        Self { independent, combinations, names, count }
    }
}

/// (1) to (5).
fn by_structure(model: &Model, unit: f64) -> Vec<Change> {
    let (tree, links) = (model.tree(), model.description().links.len());
    let scaled = |X: &Transform<f64>| Transform { pos: X.pos * (1.0 / unit), ..*X };
    let frames: Vec<Frame> = model.frames()[..links].to_vec(); // frames of links come first
    let placement = |link: usize| scaled(&frames[link].placement);
    // The link that represents each body: the child link of its joint.
    let mut link_of = vec![None; tree.bodies.len()];
    for joint in model.joints() {
        link_of[joint.bodies.end - 1] = Some(joint.frame.0);
    }
    let mut found: Vec<Change> = Vec::new();
    let mut at = vec![None; 10 * links]; // index of the change with this pivot
    let mut spaces: Vec<(Span<6>, Span<10>)> = Vec::with_capacity(tree.bodies.len());

    let mut gravity = Span::new();
    let g = model.gravity().map(|g| if model.gravity() == [0.0; 3] { 0.0 } else { g / norm(&model.gravity()) });
    gravity.add([0.0, g[0], g[1], g[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    spaces.push((Span::new(), gravity));
    for (i, body) in tree.outward() {
        let X = scaled(&body.x_tree);
        let axes: Vec<Motion<f64>> =
            (0..body.v.len()).map(|k| scaled_axis(body.joint.axis(k, &Transform::identity()), unit)).collect();
        let (V_p, C_p) = &spaces[body.parent];
        let mut V = Span::new();
        V_p.basis.iter().for_each(|&x| V.add(X.act_inv(Motion::from_array(x)).to_array())); // (1)
        axes.iter().for_each(|S| V.add(S.to_array()));
        V.close(|x| axes.iter().map(|S| S.cross(Motion::from_array(*x)).to_array()).collect());
        let mut C = Span::new();
        C_p.basis.iter().for_each(|c| C.add(composed(c, |unit| carried(&X, unit)))); // (3)
        C.close(|c| axes.iter().map(|S| composed(c, |unit| rate(S, unit))).collect());
        let mut felt = Span::new();
        for S in &axes {
            for c in &C.basis {
                felt.add(composed(c, |unit| rate(S, unit)));
            }
            for &x in &V.basis {
                felt.add(composed_momentum(S, Motion::from_array(x))); // (2)
            }
        }
        let unfelt = felt.complement(); // (5)
        for S in &axes {
            V.basis.iter().for_each(|&x| C.add(composed_momentum(S, Motion::from_array(x)))); // (4)
        }
        spaces.push((V, C));

        // The changes of the link that represents the body, and of the one that represents its parent.
        let Some(link) = link_of[i] else { continue };
        let back = placement(link).inverse();
        let of_link: Vec<[f64; 10]> = unfelt.iter().map(|change| carried(&back, change)).collect();
        for (pivot, own) in eliminated(of_link) {
            let mut others = Sparse::default();
            others.add_block(10 * link, &own, 1.0);
            if let Some(parent) = link_of[body.parent] {
                let to_parent = placement(parent).inverse() * X * placement(link);
                others.add_block(10 * parent, &carried(&to_parent, &own), -1.0);
            }
            push(&mut found, &mut at, 10 * link + pivot, others);
        }
    }
    // Other links of the same bodies, which cannot be distinguished from these, and links on the world, which
    // have no effect.
    for link in (0..links).filter(|&link| link_of[frames[link].body_index()] != Some(link)) {
        for k in 0..10 {
            let mut others = Sparse::default();
            if let Some(main) = link_of[frames[link].body_index()] {
                let to_main = placement(main).inverse() * placement(link);
                others.add_block(10 * main, &carried(&to_main, &unit_vector(k)), -1.0);
            }
            push(&mut found, &mut at, 10 * link + k, others);
        }
    }
    found
}

/// Adds a change after eliminating the pivots of the previous ones.
fn push(found: &mut Vec<Change>, at: &mut [Option<usize>], pivot: usize, others: Sparse) {
    let mut reduced = Sparse::default();
    for (k, x) in others.0 {
        match at[k].filter(|_| k != pivot) {
            Some(change) => {
                let before: &Change = &found[change];
                before.others.iter().for_each(|&(k, y)| reduced.add(k, -x * y));
            }
            None if k != pivot => reduced.add(k, x),
            None => {}
        }
    }
    at[pivot] = Some(found.len());
    found.push(Change { pivot, others: reduced.0 });
}

/// A sparse vector: indices and values of the non-zero entries.
#[derive(Default)]
struct Sparse(Vec<(usize, f64)>);

impl Sparse {
    fn add(&mut self, k: usize, x: f64) {
        match self.0.binary_search_by_key(&k, |&(place, _)| place) {
            Ok(found) => self.0[found].1 += x,
            Err(place) => self.0.insert(place, (k, x)),
        }
    }

    fn add_block(&mut self, first: usize, block: &[f64; 10], factor: f64) {
        for (k, x) in block.iter().enumerate().filter(|(_, x)| x.abs() > ROUNDING * 1e-3) {
            self.add(first + k, factor * x);
        }
    }
}

/// Vectors with the same span, each with a one at a pivot where the others are zero. The mass is eliminated
/// first, then first moments, as in [Gautier90], so they are lumped into moments of inertia.
fn eliminated(mut vectors: Vec<[f64; 10]>) -> Vec<(usize, [f64; 10])> {
    let mut done: Vec<(usize, [f64; 10])> = Vec::new();
    for pivot in [0, 1, 2, 3, 6, 9, 4, 5, 7, 8] {
        let Some((best, size)) =
            (0..vectors.len()).map(|k| (k, vectors[k][pivot].abs())).max_by(|a, b| a.1.total_cmp(&b.1))
        else {
            break;
        };
        if size < 1e-6 {
            continue;
        }
        let chosen = vectors.swap_remove(best);
        let chosen = chosen.map(|x| x / chosen[pivot]);
        for vector in vectors.iter_mut().chain(done.iter_mut().map(|(_, vector)| vector)) {
            let factor = vector[pivot];
            vector.iter_mut().zip(chosen).for_each(|(x, y)| *x -= factor * y);
        }
        done.push((pivot, chosen));
    }
    done
}

/// A subspace with an orthonormal basis.
struct Span<const N: usize> {
    basis: Vec<[f64; N]>,
}

impl<const N: usize> Span<N> {
    fn new() -> Self {
        Self { basis: Vec::new() }
    }

    /// Adds the part of `x` that is orthogonal to it. Two passes are enough for orthogonality.
    fn add(&mut self, x: [f64; N]) {
        let size = norm(&x);
        if size < ROUNDING {
            return;
        }
        let mut x = x.map(|x| x / size);
        for _ in 0..2 {
            for b in &self.basis {
                let along = dot(b, &x);
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        let rest = norm(&x);
        if rest > ROUNDING {
            self.basis.push(x.map(|x| x / rest));
        }
    }

    /// Adds images until the subspace is closed.
    fn close(&mut self, images: impl Fn(&[f64; N]) -> Vec<[f64; N]>) {
        let mut k = 0;
        while k < self.basis.len() {
            for image in images(&self.basis[k]) {
                self.add(image);
            }
            k += 1;
        }
    }

    /// Orthogonal complement.
    fn complement(&self) -> Vec<[f64; N]> {
        let mut all = Self { basis: self.basis.clone() };
        for k in 0..N {
            all.add(core::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }));
        }
        all.basis.split_off(self.basis.len())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    libm::sqrt(dot(a, a))
}

fn unit_vector(k: usize) -> [f64; 10] {
    core::array::from_fn(|i| if i == k { 1.0 } else { 0.0 })
}

/// A joint's axis in units of `unit`: the pitch of a helical joint is scaled.
fn scaled_axis(S: Motion<f64>, unit: f64) -> Motion<f64> {
    if S.ang.norm_squared() > 0.0 { Motion::new(S.lin * (1.0 / unit), S.ang) } else { S }
}

/// A linear functional after a linear map of parameters: c ∘ f.
fn composed(c: &[f64; 10], f: impl Fn(&[f64; 10]) -> [f64; 10]) -> [f64; 10] {
    core::array::from_fn(|k| dot(c, &f(&unit_vector(k))))
}

/// The parameters of the same inertia, moved by `X`.
fn carried(X: &Transform<f64>, change: &[f64; 10]) -> [f64; 10] {
    parameters(&inertia(change).transform(X))
}

/// A: rate of the parameters of an inertia that moves along S.
fn rate(S: &Motion<f64>, change: &[f64; 10]) -> [f64; 10] {
    let (Inertia { mass, h, rot }, v, w) = (inertia(change), S.lin, S.ang);
    let R = rot.to_mat3().cols;
    // ω× Ī − Ī ω×, whose second part is the transpose of the first, and 2 v·h 1 − v hᵀ − h vᵀ.
    let turned = R.map(|column| w.cross(column).to_array());
    let (v_, h_, twice) = (v.to_array(), h.to_array(), 2.0 * v.dot(h));
    let entry = |i: usize, j: usize| {
        let diagonal = if i == j { twice } else { 0.0 };
        turned[j][i] + turned[i][j] + diagonal - v_[i] * h_[j] - h_[i] * v_[j]
    };
    let rot =
        Sym3 { xx: entry(0, 0), xy: entry(0, 1), xz: entry(0, 2), yy: entry(1, 1), yz: entry(1, 2), zz: entry(2, 2) };
    parameters(&Inertia { mass: 0.0, h: w.cross(h) + v * mass, rot })
}

/// δπ ↦ Sᵀ δI x.
fn composed_momentum(S: &Motion<f64>, x: Motion<f64>) -> [f64; 10] {
    core::array::from_fn(|k| S.dot(inertia(&unit_vector(k)) * x))
}

/// Same as [`by_structure`], from the regressor at random states, by QR with column pivoting: Y P = Q R, and
/// R₁₁⁻¹ R₁₂ are the combinations.
fn by_motion(model: &Model, unit: f64) -> Vec<Change> {
    let (count, nv) = (10 * model.description().links.len(), model.nv().max(1));
    let (random, ws) = (&mut Random::seeded(1), &mut Workspace::<f64>::new(model));
    let states = 3 * count / nv + 10;
    let mut columns = vec![Vec::with_capacity(states * nv); count];
    let mut y = vec![0.0; count * model.nv()];
    for _ in 0..states {
        let q = model.random_configuration(random);
        let mut numbers = || (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect::<Vec<f64>>();
        let (v, a) = (numbers(), numbers());
        if crate::joint_torque_regressor(model, ws, &q, &v, &a, &mut y).is_err() {
            continue; // a state that overflows gives no information
        }
        for (k, (column, y)) in columns.iter_mut().zip(y.chunks_exact(nv)).enumerate() {
            let scale = libm::pow(unit, POWERS[k % 10].into());
            column.extend(y.iter().map(|y| y * scale));
        }
    }
    let largest = columns.iter().map(|column| norm(column)).fold(0.0, f64::max);
    let (mut order, mut rest): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..count).collect());
    let mut r = vec![Vec::new(); count]; // coefficients of the columns in the chosen ones, made orthonormal
    let mut chosen: Vec<Vec<f64>> = Vec::new();
    while let Some(at) = (0..rest.len()).max_by(|&a, &b| norm(&columns[rest[a]]).total_cmp(&norm(&columns[rest[b]]))) {
        let (k, size) = (rest[at], norm(&columns[rest[at]]));
        if size <= ROUNDING * largest || size == 0.0 {
            break;
        }
        rest.swap_remove(at);
        let mut column = core::mem::take(&mut columns[k]);
        column.iter_mut().for_each(|x| *x /= size);
        r[k].push(size);
        for &other in &rest {
            let along = dot(&column, &columns[other]);
            columns[other].iter_mut().zip(&column).for_each(|(x, q)| *x -= along * q);
            r[other].push(along);
        }
        order.push(k);
        chosen.push(column);
    }
    rest.into_iter().map(|pivot| Change { pivot, others: solved(&order, &r, pivot) }).collect()
}

/// Back substitution: −R₁₁⁻¹ r for the chosen columns.
fn solved(order: &[usize], r: &[Vec<f64>], pivot: usize) -> Vec<(usize, f64)> {
    let mut x = r[pivot].clone();
    for i in (0..order.len()).rev() {
        x[i] /= r[order[i]][i];
        for j in 0..i {
            x[j] -= r[order[i]][j] * x[i];
        }
    }
    order.iter().zip(x).map(|(&k, x)| (k, -x)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Description, Inertial, JointDescription, JointKind, Link, MimicMode, Options, Root, generate};
    use crate::scalar::Complex;
    use crate::spatial::{Mat3, Vec3};

    fn regressor(model: &Model, seed: u64) -> Vec<f64> {
        let (random, ws) = (&mut Random::seeded(seed), &mut Workspace::<f64>::new(model));
        let q = model.random_configuration(random);
        let mut numbers = || (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect::<Vec<f64>>();
        let (v, a) = (numbers(), numbers());
        let mut y = vec![0.0; 10 * model.description().links.len() * model.nv()];
        crate::joint_torque_regressor(model, ws, &q, &v, &a, &mut y).unwrap();
        y
    }

    fn robots() -> Vec<(Description, Options)> {
        let mut all = Vec::new();
        for seed in 0..3 {
            for root in [Root::Fixed, Root::Floating] {
                for gravity in [[0.0, 0.0, -9.81], [0.0; 3]] {
                    let mimic = MimicMode::Free;
                    all.push((generate::random_tree(seed, 5), Options { root, gravity, mimic, ..Options::default() }));
                }
            }
        }
        all
    }

    /// New states and any parameters satisfy Y π = Y_base π_base.
    fn tells_all(model: &Model, base: &BaseParameters) {
        let (random, nv) = (&mut Random::seeded(99), model.nv());
        let pi: Vec<f64> = (0..base.count()).map(|_| random.within(-1.0, 1.0)).collect();
        let pi_base = base.of(&pi);
        for seed in 500..503 {
            let y = regressor(model, seed);
            for row in 0..nv {
                let whole: f64 = (0..base.count()).map(|k| y[k * nv + row] * pi[k]).sum();
                let size: f64 = (0..base.count()).map(|k| (y[k * nv + row] * pi[k]).abs()).sum();
                let some: f64 = base.independent().iter().zip(&pi_base).map(|(&k, p)| y[k * nv + row] * p).sum();
                assert!((whole - some).abs() < 1e-8 * size.max(1.0), "{}: {whole} {some}", model.name());
            }
        }
    }

    /// A equals the complex step of moving an inertia by a small motion along S, up to rounding. Spans are
    /// built from A, and the robots of the tests below have the same spans for any signs of A, so only this
    /// test checks the signs.
    #[test]
    fn the_rate_of_parameters_is_the_complex_step_of_moving_an_inertia() {
        let (random, h) = (&mut Random::seeded(3), 1e-30);
        let mut number = || random.within(-1.0, 1.0);
        for _ in 0..20 {
            let change: [f64; 10] = core::array::from_fn(|_| number());
            let [v, w] = [(); 2].map(|()| Vec3::new(number(), number(), number()));
            let small = |x: Vec3<f64>| {
                let [x, y, z] = x.to_array().map(|x| Complex::new(0.0, h * x));
                Vec3::new(x, y, z)
            };
            let (mut X, turned) = (Transform::<Complex>::identity(), Mat3::skew(small(w)).cols);
            X.pos = small(v);
            for (column, turned) in X.rot.cols.iter_mut().zip(turned) {
                *column += turned;
            }
            let Inertia { mass, h: first, rot } = Inertia::<Complex>::lift(&inertia(&change)).transform(&X);
            let moved = [mass, first.x, first.y, first.z, rot.xx, rot.xy, rot.yy, rot.xz, rot.yz, rot.zz];
            for (k, (got, want)) in rate(&Motion::new(v, w), &change).iter().zip(moved).enumerate() {
                let want = want.im / h;
                assert!((got - want).abs() < 1e-14, "{}: {got}, want {want}", SYMBOLS[k]);
            }
        }
    }

    /// Two independent methods agree on the number of base parameters.
    #[test]
    fn structure_and_motion_find_as_many() {
        for (robot, options) in robots() {
            let model = Model::build(&robot, &options).unwrap();
            let (structure, motion) = (by_structure(&model, length_of(&model)), by_motion(&model, length_of(&model)));
            assert_eq!(structure.len(), motion.len(), "{} {:?}", model.name(), options);
            tells_all(&model, &model.base_parameters());
            tells_all(&model, &BaseParameters::new(&model, &motion, length_of(&model)));
        }
    }

    #[test]
    fn mimicking_robots_are_factorised_as_they_move() {
        let mut mimics = 0;
        for seed in 0..6 {
            let model = Model::build(&generate::random_tree(seed, 7), &Options::default()).unwrap();
            if model.mimic().is_none() {
                continue;
            }
            mimics += 1;
            tells_all(&model, &model.base_parameters());
        }
        assert!(mimics > 0);
    }

    /// A chain of joints about or along given axes, each with a generic offset.
    fn chain(kinds: &[JointKind]) -> Description {
        let mut robot = Description { name: "chain".into(), ..Description::default() };
        let body = Inertial { mass: 1.0, com: Vec3::new(0.1, 0.2, 0.3), about_com: Sym3::diagonal(0.1, 0.1, 0.1) };
        robot.links.push(Link { name: "base".into(), inertial: Some(body), line: 0 });
        for (k, &kind) in kinds.iter().enumerate() {
            let parent = robot.links[k].name.clone();
            robot.links.push(Link { name: format!("link_{}", k + 1), inertial: Some(body), line: 0 });
            let mut joint =
                JointDescription::new(&format!("joint_{}", k + 1), kind, &parent, &format!("link_{}", k + 1));
            joint.origin.pos = Vec3::new(0.3, 0.1, -0.2);
            robot.joints.push(joint);
        }
        robot
    }

    fn about(x: f64, y: f64, z: f64) -> JointKind {
        JointKind::Revolute { axis: Vec3::new(x, y, z) }
    }

    /// Counts derived by hand. The first joint that turns a body identifies its moment about the axis.
    /// Gravity across the axis adds the two first moments across it. Once a joint's parent can turn and move
    /// in all directions, a revolute joint identifies seven of ten parameters (the mass, the first moment
    /// along its axis and the sum of the moments across it are lumped into the parent), and a prismatic joint
    /// the mass and the first moment. [Mayeda90]: 7 n − 4 for n revolute joints whose first axis is not along
    /// gravity, and two less if it is.
    #[test]
    fn counts_are_those_of_the_literature() {
        let (x, y, z) = (about(1.0, 0.0, 0.0), about(0.0, 1.0, 0.0), about(0.0, 0.0, 1.0));
        let slide = JointKind::Prismatic { axis: Vec3::new(1.0, 0.0, 0.0) };
        let count = |kinds: &[JointKind], root, gravity| {
            let model = Model::build(&chain(kinds), &Options { root, gravity, ..Options::default() }).unwrap();
            model.base_parameters().len()
        };
        let (earth, none) = ([0.0, 0.0, -9.81], [0.0; 3]);
        let fixed = |kinds: &[JointKind]| count(kinds, Root::Fixed, earth);
        assert_eq!(fixed(&[x]), 3, "a pendulum: Ixx, my, mz");
        assert_eq!(fixed(&[z]), 1, "a door: Izz");
        assert_eq!(count(&[x], Root::Fixed, none), 1);
        assert_eq!(fixed(&[x, x]), 6, "an arm of two links in a vertical plane");
        assert_eq!(fixed(&[z, z]), 4, "and in a horizontal one: no first moment of the first link");
        assert_eq!(fixed(&[slide]), 1, "a cart: m");
        assert_eq!(fixed(&[slide, y]), 4, "a cart with a pole: both masses, and Iyy, mx, mz of the pole");
        assert_eq!(fixed(&[z, y, y, x, y, x]), 36, "as the PUMA 560: 1 + 5 · 7");
        assert_eq!(fixed(&[x, y, y, x, y, x]), 38, "and hung on a wall: 3 + 5 · 7");
        assert_eq!(count(&[], Root::Floating, earth), 10, "a body in the air");
        assert_eq!(count(&[x, y, z], Root::Floating, earth), 10 + 3 * 7);
        assert_eq!(count(&[slide, x], Root::Floating, earth), 10 + 4 + 7);
        assert_eq!(fixed(&[JointKind::Spherical]), 9, "all but the mass");
    }

    /// A pendulum on a link of length 1: names show the lumped parameters.
    #[test]
    fn combinations_have_names() {
        let mut robot = chain(&[about(0.0, 1.0, 0.0), about(0.0, 1.0, 0.0)]);
        robot.joints[1].origin.pos = Vec3::new(1.0, 0.0, 0.0);
        let model = Model::build(&robot, &Options::default()).unwrap();
        let base = model.base_parameters();
        let names: Vec<&str> = (0..base.len()).map(|k| base.name(k)).collect();
        assert_eq!(
            names,
            [
                "mx(link_1) + m(link_2)",
                "mz(link_1)",
                "Iyy(link_1) + m(link_2)",
                "mx(link_2)",
                "mz(link_2)",
                "Iyy(link_2)"
            ]
        );
    }
}
