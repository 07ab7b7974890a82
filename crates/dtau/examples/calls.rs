//! `calls ROBOT FUNCTION CALLS [STATES]`: makes so many calls of a function of the list and nothing else, on a workspace at one state or
//! on a batch at several; for counting instructions:
//!
//! ```sh
//! cargo build --release -p dtau --features batch --example calls
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/calls quadruped id_hessian 12
//! ```
//!
//! ROBOT is a bundled name, which floats unless it is an arm, or `chain_N`. Functions of constraints hold the points of its feet, or of its
//! last link; `CONSTRAINED=frames` holds them in six directions, as many of them as `HELD` says.

use dtau::model::{Model, Options, Root, generate};
use dtau::spatial::Transform;
use dtau::{Batch, Constraints, Counts, Gains, Matrix, Parameters, Random, Reference, Size, Workspace, function};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [robot, name, calls, states @ ..] = &arguments[..] else {
        return Err("say ROBOT FUNCTION CALLS [STATES], such as \"arm6 id_hessian 3\"".into());
    };
    let (calls, states): (u32, Option<usize>) = (calls.parse()?, states.first().map(|n| n.parse()).transpose()?);
    let root = if robot.starts_with("arm") { Root::Fixed } else { Root::Floating };
    let model = match robot.strip_prefix("chain_") {
        Some(n) => Model::build(&generate::chain(n.parse()?), &Options::default())?,
        None => Model::bundled(robot, &Options { root, ..Options::default() })?,
    };

    let frames: Vec<String> = model.frames().iter().map(|frame| frame.full_name()).collect();
    let mut feet: Vec<&String> =
        frames.iter().filter(|name| name.starts_with("link:") && name.ends_with("_foot")).collect();
    if feet.is_empty() {
        feet.extend(frames.last());
    }
    feet.truncate(std::env::var("HELD").map_or(Ok(feet.len()), |count| count.parse())?);
    let as_frames = std::env::var("CONSTRAINED").is_ok_and(|kind| kind == "frames");
    let held = feet.iter().fold(Constraints::new(&model), |set, foot| match as_frames {
        true => set.frame(foot).at_world(Transform::identity()),
        false => set.point(foot).at_world([0.0; 3]),
    });
    let held = held.stabilise(Gains { kp: 10.0, kd: 5.0 }).build()?;
    let counts = Counts { columns: 1, rows: held.rows() };
    let scene = model.scene().constraints(&held);

    let declaration = function(name)?;
    let parameters =
        Parameters { frame: model.frame_ids().last(), reference: Some(Reference::World), ..Parameters::default() };
    let (function, random, count) = (declaration.with(&parameters)?, &mut Random::seeded(1), states.unwrap_or(1));
    let mut input = |size: Size| match size {
        Size::Nq | Size::Coordinates => (0..count).flat_map(|_| model.random_configuration(random)).collect(),
        size => (0..count * size.of(&model, counts)).map(|_| random.within(-1.0, 1.0)).collect::<Vec<f64>>(),
    };
    let inputs: Vec<Vec<f64>> = declaration.inputs.iter().map(|arg| input(arg.size)).collect();
    let inputs: Vec<&[f64]> = inputs.iter().map(|x| &x[..]).collect();
    if states.is_some() {
        let room = declaration.outputs.iter().map(|arg| vec![0.0; count * arg.size.of(&model, counts)]);
        let (mut outputs, mut batch) = (room.collect::<Vec<_>>(), Batch::new(&model));
        for _ in 0..calls {
            let mut outputs: Vec<&mut [f64]> = outputs.iter_mut().map(|y| &mut y[..]).collect();
            function.call(scene, &mut batch, &inputs, &mut outputs)?;
        }
    } else {
        let room = |size: Size| Matrix::zeros(size.of(&model, counts), 1);
        let mut outputs: Vec<Matrix<f64>> = declaration.outputs.iter().map(|arg| room(arg.size)).collect();
        let mut ws = Workspace::new(&model);
        for _ in 0..calls {
            function.call_into(scene, &mut ws, &inputs, &mut outputs)?;
        }
    }
    Ok(())
}
