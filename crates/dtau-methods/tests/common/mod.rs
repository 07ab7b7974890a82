//! What the tests share: robots with everything that a scene can have, and comparisons that say where they failed.
#![allow(dead_code)] // each test crate takes what it needs

use dtau::model::{Description, JointKind, Model, Options, Root, generate};
use dtau::spatial::Vec3;
use dtau::{Axes, IdDerivatives, Matrix, Point, Random, Scene, Wrench};

/// A robot in a state, under external forces.
pub struct Case {
    /// What it is, with its seed.
    pub label: String,
    pub model: Model,
    pub wrenches: Vec<Wrench<f64>>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

impl Case {
    pub fn new(label: String, description: &Description, options: &Options, seed: u64) -> Self {
        let model = Model::build(description, options).expect(&label);
        let random = &mut Random::seeded(seed ^ 0x5eed);
        let q = model.random_configuration(random);
        let v = numbers(random, model.nv());
        let a = numbers(random, model.nv());
        let mut wrenches = every_wrench(random, &model);
        if seed % 4 == 3 {
            wrenches.truncate(2); // those that are fixed in their bodies, for which the product has a way of its own
        }
        Self { label, model, wrenches, q, v, a }
    }

    pub fn scene(&self) -> Scene<'_, f64> {
        self.model.scene().wrenches(&self.wrenches)
    }
}

pub fn numbers(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.within(-1.0, 1.0)).collect()
}

/// One wrench of every kind, each on a random frame; some of them are the world's.
fn every_wrench(random: &mut Random, model: &Model) -> Vec<Wrench<f64>> {
    let mut out = Vec::new();
    for axes in [Axes::Frame, Axes::World] {
        for kind in 0..3 {
            let name = &model.frames()[random.below(model.frames().len())].name;
            let mut vector = || [(); 3].map(|()| random.within(-3.0, 3.0));
            let at = match kind {
                0 => Point::Origin,
                1 => Point::InFrame(vector()),
                _ => Point::InWorld(vector()),
            };
            let (force, torque) = (vector(), vector());
            out.push(Wrench { frame: model.frame(name).expect("a frame of the model"), axes, at, force, torque });
        }
    }
    out
}

/// Random trees with every joint type, branching, wrenches, joint effects and mimicry; single-dof trees; the chains and
/// trees of the papers; all of them on fixed and floating roots.
pub fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for root in [Root::Fixed, Root::Floating] {
        let options = Options { root, ..Options::default() };
        for seed in 0..16 {
            let n = 4 + seed as usize % 11;
            let tree = generate::random_tree(seed, n);
            out.push(Case::new(format!("random_tree({seed}, {n}), root {root:?}"), &tree, &options, seed));
            let tree = single_dof(generate::random_tree(seed, n));
            out.push(Case::new(format!("single-dof random_tree({seed}, {n}), root {root:?}"), &tree, &options, seed));
        }
        // Gravity in the plane in which the papers' robots move.
        let options = Options { gravity: [0.0, -9.81, 0.0], ..options };
        for (seed, (n, bf)) in [(2, 1), (10, 1), (15, 2), (16, 5)].into_iter().enumerate() {
            let tree = with_base(generate::tree(n, bf));
            out.push(Case::new(format!("tree({n}, {bf}), root {root:?}"), &tree, &options, seed as u64));
        }
    }
    out
}

/// The same robot with a base that can fly: the papers' robots have theirs in the ground.
pub fn with_base(mut robot: Description) -> Description {
    robot.links[0].inertial = robot.links[1].inertial;
    robot
}

/// The same robot with every joint of several degrees of freedom replaced by one of a single one.
pub fn single_dof(mut robot: Description) -> Description {
    let axis = Vec3::new(0.3, -0.5, 0.8);
    for joint in &mut robot.joints {
        joint.kind = match joint.kind {
            JointKind::Spherical | JointKind::FreeFlyer => JointKind::Revolute { axis },
            JointKind::Planar { normal } => JointKind::Helical { axis: normal, pitch: 0.1 },
            JointKind::Translation => JointKind::Prismatic { axis },
            kind => kind,
        };
    }
    robot
}

/// An entry and how far it is from what it should be.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    pub error: f64,
    pub at: String,
}

impl Worst {
    pub fn take(&mut self, other: Worst) {
        if other.error.is_nan() || other.error > self.error {
            *self = other;
        }
    }
}

/// The largest difference between entries, in units of the largest entry of the same row of the same matrix.
///
/// Entries of a row are torques of one joint for a unit step of this or that joint: sums over the same bodies and lever
/// arms, so the row's largest entry is the size of what was added up, and rounding is about ε times that and the depth
/// of the tree. An entry by itself may be what is left after cancelling. A row of zeros must be met exactly.
pub fn worst(name: &str, got: &Matrix<f64>, want: &Matrix<f64>) -> Worst {
    let mut worst = Worst::default();
    for i in 0..want.rows() {
        let scale = (0..want.columns()).fold(0.0, |m: f64, j| m.max(want[(i, j)].abs()));
        for j in 0..want.columns() {
            let (got, want) = (got[(i, j)], want[(i, j)]);
            let difference = (got - want).abs();
            let error = if difference == 0.0 { 0.0 } else { difference / scale };
            worst.take(Worst {
                error,
                at: format!("{name} at ({i}, {j}): got {got:e}, want {want:e}, difference {difference:e} of {scale:e}"),
            });
        }
    }
    worst
}

/// [`worst`] of τ (as one row) and the three matrices.
pub fn worst_of_all(got: &IdDerivatives<f64>, want: &IdDerivatives<f64>) -> Worst {
    let row = |x: &[f64]| {
        let mut out = Matrix::zeros(1, x.len());
        out.copy_from_slice(x);
        out
    };
    let mut out = worst("tau", &row(&got.tau), &row(&want.tau));
    out.take(worst("dtau_dq", &got.dq, &want.dq));
    out.take(worst("dtau_dv", &got.dv, &want.dv));
    out.take(worst("dtau_da", &got.da, &want.da));
    out
}

/// Whether two degrees of freedom of the full tree are on one path from the root.
pub fn on_one_path(model: &Model, i: usize, j: usize) -> bool {
    let tree = model.tree();
    let (a, b) = (tree.dofs[i.min(j)].body, tree.dofs[i.max(j)].body);
    b < tree.bodies[a].bodies_end
}
