//! Mechanisms with known motion and forces: four-bars, slider-cranks, held pendulums, sliding blocks.
//!
//! Planar mechanisms are in the xy plane, with joints about z and gravity along −y.

mod closing;
mod dynamics;
mod mistakes;
mod momentum;
mod wishes;

use dtau::model::{Description, Inertial, JointDescription, JointKind, Link, Model, Options, Root};
use dtau::spatial::{Sym3, Transform, Vec3};
use dtau::{Closing, Constraints, Workspace, assemble, project_velocity};

pub const G: f64 = 9.81;

/// Mechanism under construction. Bars lie along their own x.
pub struct Plan(Description);

impl Plan {
    pub fn new(name: &str) -> Self {
        let base = Link { name: "base".into(), inertial: None, line: 0 };
        Self(Description { name: name.into(), links: vec![base], ..Description::default() })
    }

    /// Adds a link on a joint at a point of its parent.
    pub fn link(mut self, name: &str, parent: &str, at: [f64; 2], kind: JointKind, inertial: Inertial) -> Self {
        self.0.links.push(Link { name: name.into(), inertial: Some(inertial), line: 0 });
        let mut joint = JointDescription::new(&format!("to_{name}"), kind, parent, name);
        joint.origin = Transform::translation(Vec3::new(at[0], at[1], 0.0));
        self.0.joints.push(joint);
        self
    }

    /// Adds a uniform bar of 1 kg/m that turns about z, with a frame at its end.
    pub fn bar(self, name: &str, parent: &str, at: [f64; 2], length: f64) -> Self {
        let turns = JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) };
        let mut plan = self.link(name, parent, at, turns, rod(length));
        let end = format!("{name}_end");
        plan.0.links.push(Link { name: end.clone(), inertial: None, line: 0 });
        let mut joint = JointDescription::new(&format!("to_{end}"), JointKind::Fixed, name, &end);
        joint.origin = Transform::translation(Vec3::new(length, 0.0, 0.0));
        plan.0.joints.push(joint);
        plan
    }

    pub fn build(self) -> Model {
        Model::build(&self.0, &Options { gravity: [0.0, -G, 0.0], ..Options::default() }).unwrap()
    }
}

/// Uniform rod of 1 kg/m.
pub fn rod(length: f64) -> Inertial {
    let across = length * length * length / 12.0;
    Inertial { mass: length, com: Vec3::new(0.5 * length, 0.0, 0.0), about_com: Sym3::diagonal(1e-3, across, across) }
}

/// Lengths of ground, crank, coupler and rocker [m]. The crank can make full turns.
pub const FOUR_BAR: [f64; 4] = [1.0, 0.3, 0.9, 0.7];

/// Makes a four-bar with these lengths. q has the angles of the crank, of the coupler relative to it, and of
/// the rocker.
pub fn four_bar([ground, crank, coupler, rocker]: [f64; 4]) -> Model {
    Plan::new("four-bar")
        .bar("crank", "base", [0.0, 0.0], crank)
        .bar("coupler", "crank", [crank, 0.0], coupler)
        .bar("rocker", "base", [ground, 0.0], rocker)
        .build()
}

/// Closes the loop in the two directions of the plane.
pub fn closed(model: &Model) -> Constraints {
    let plane = [true, true, false, false, false, false];
    Constraints::new(model).frame("coupler_end").only(plane).with("rocker_end", Transform::identity()).build().unwrap()
}

/// Returns coupler and rocker for a crank angle, by trigonometry: open, or crossed.
pub fn by_trigonometry([ground, crank, coupler, rocker]: [f64; 4], angle: f64, crossed: bool) -> [f64; 3] {
    let (x, y) = (ground - crank * angle.cos(), -crank * angle.sin());
    let diagonal = x.hypot(y);
    // Angles between the diagonal and the coupler, and between the diagonal and the rocker.
    let at_crank = ((coupler * coupler + diagonal * diagonal - rocker * rocker) / (2.0 * coupler * diagonal)).acos();
    let at_rocker = ((rocker * rocker + diagonal * diagonal - coupler * coupler) / (2.0 * rocker * diagonal)).acos();
    let (towards, sign) = (y.atan2(x), if crossed { -1.0 } else { 1.0 });
    let absolute = towards + sign * at_crank;
    [angle, absolute - angle, towards + std::f64::consts::PI - sign * at_rocker]
}

/// Returns a state that satisfies the constraints: q nearest to a guess, v nearest to ones.
pub fn state(model: &Model, set: &Constraints, guess: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut ws = Workspace::new(model);
    let (mut q, mut v) = (guess.to_vec(), vec![1.0; model.nv()]);
    assemble(model, &mut ws, set, &Closing::default(), &mut q).unwrap();
    project_velocity(model, &mut ws, set, &q, &mut v).unwrap();
    (q, v)
}

/// Returns the difference of two angles, in ±π.
pub fn turned(a: f64, b: f64) -> f64 {
    (a - b).sin().atan2((a - b).cos())
}

/// A floating box of 2 kg.
pub fn block() -> Model {
    let inertial = Inertial { mass: 2.0, com: Vec3::new(0.0, 0.0, 0.1), about_com: Sym3::diagonal(0.1, 0.2, 0.3) };
    let link = Link { name: "block".into(), inertial: Some(inertial), line: 0 };
    let robot = Description { name: "block".into(), links: vec![link], ..Description::default() };
    Model::build(&robot, &Options { root: Root::Floating, ..Options::default() }).unwrap()
}

/// Names of four feet.
pub const FEET: [&str; 4] = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"];

pub fn quadruped() -> (Model, Vec<f64>) {
    let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() }).unwrap();
    let mut q = model.neutral();
    // Bends the knees.
    for joint in model.joints() {
        let bend = if joint.name.ends_with("knee") { -1.0 } else { 0.5 };
        if joint.name.ends_with("knee") || joint.name.ends_with("flexion") {
            q[joint.q.start] = bend;
        }
    }
    (model, q)
}
