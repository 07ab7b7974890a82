//! A four-bar driven round: its crank is turned, the loop stays closed, and the forces in it are told. Then it swings on its own.
//!
//!     cargo run --release -p dtau --example four_bar

use dtau::model::{Description, Inertial, JointDescription, JointKind, Link, Model, Options};
use dtau::spatial::{Sym3, Transform, Vec3};
use dtau::{
    Closing, ConstrainedEfforts, Constraints, Energy, Error, Workspace, assemble, constrained_id, constrained_step,
    energy, freedom, project_velocity,
};

// Lengths [m].
const GROUND: f64 = 1.0;
const CRANK: f64 = 0.3;
const COUPLER: f64 = 0.9;
const ROCKER: f64 = 0.7;

fn main() -> Result<(), Error> {
    let model = four_bar()?;
    // The tree has three bars; what makes it a loop is a constraint. Its joint is a hinge about z.
    let closed = Constraints::new(&model)
        .frame("coupler_end")
        .hinge()
        .with("rocker_end", Transform::identity())
        .joints(&[("crank", 1.0)])
        .called("drive")
        .sum_to(0.0)
        .build()?;
    let mut ws = Workspace::new(&model);
    let mut efforts = ConstrainedEfforts::new(&closed);
    let mut q = [0.0, 1.0, 1.5];

    println!("driven at 1 rad/s");
    println!("crank °   rocker °   rocker/crank   torque of the crank N m   force in the joint N");
    for step in 0..=12 {
        // The drive's row is the last: its position and its velocity are desired.
        let (rows, angle) = (closed.rows(), f64::from(30 * step).to_radians());
        let mut desired = vec![0.0; 3 * rows];
        (desired[rows - 1], desired[2 * rows - 1]) = (angle, 1.0);
        let scene = model.scene().desired(&desired);
        assemble(scene, &mut ws, &closed, &Closing::default(), &mut q)?;
        let mut v = [0.0; 3];
        project_velocity(scene, &mut ws, &closed, &q, &mut v)?;
        // Only the crank has a motor, and the drive itself is to push with nothing: what does the motor need to hold this place?
        let mut forces = vec![1.0; rows];
        forces[rows - 1] = 0.0;
        let rest = [0.0; 3];
        constrained_id(&model, &mut ws, &closed, &q, &rest, &rest, &[1.0, 0.0, 0.0], &forces, &mut efforts)?;
        let joint = efforts.lambda[0].hypot(efforts.lambda[1]);
        println!("{:7.0} {:10.2} {:14.4} {:25.4} {:22.4}", 30 * step, q[2].to_degrees(), v[2], efforts.tau[0], joint);
    }

    let free =
        Constraints::new(&model).frame("coupler_end").hinge().with("rocker_end", Transform::identity()).build()?;
    println!("\nleft alone, it is free in {} way", freedom(&model, &mut ws, &free, &q)?);
    println!("time s   crank °   energy J");
    let (mut v, mut e) = ([0.0; 3], Energy::default());
    for step in 0..=2000 {
        if step % 250 == 0 {
            energy(&model, &mut ws, &q, &v, &mut e)?;
            println!("{:6.2} {:9.2} {:10.5}", f64::from(step) * 1e-3, q[0].to_degrees(), e.kinetic + e.potential);
        }
        constrained_step(&model, &mut ws, &free, 1e-3, &[0.0; 3], &mut q, &mut v)?;
    }
    Ok(())
}

/// Bars of 1 kg a metre along their own x, with a frame at the end of each; gravity along −y.
fn four_bar() -> Result<Model, Error> {
    let link = |name: &str, inertial| Link { name: name.into(), inertial, line: 0 };
    let mut robot = Description { name: "four-bar".into(), links: vec![link("base", None)], ..Description::default() };
    for (name, parent, at, length) in
        [("crank", "base", 0.0, CRANK), ("coupler", "crank", CRANK, COUPLER), ("rocker", "base", GROUND, ROCKER)]
    {
        let across = length.powi(3) / 12.0;
        let com = Vec3::new(0.5 * length, 0.0, 0.0);
        let bar = Inertial { mass: length, com, about_com: Sym3::diagonal(1e-3, across, across) };
        let turns = JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) };
        let mut joint = JointDescription::new(name, turns, parent, name);
        joint.origin = Transform::translation(Vec3::new(at, 0.0, 0.0));
        let end = format!("{name}_end");
        let mut weld = JointDescription::new(&format!("{name}_weld"), JointKind::Fixed, name, &end);
        weld.origin = Transform::translation(Vec3::new(length, 0.0, 0.0));
        robot.links.extend([link(name, Some(bar)), link(&end, None)]);
        robot.joints.extend([joint, weld]);
    }
    Model::build(&robot, &Options { gravity: [0.0, -9.81, 0.0], ..Options::default() })
}
