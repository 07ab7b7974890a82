//! Every function of the library's list in `f64` and in 32 digits, on states of a robot: what `parity/exact.py` compares with Pinocchio.
//!
//! ```sh
//! cargo run --release -p dtau-fixtures --example exact -- ROBOT.urdf fixed|floating STATES SEED [exact]
//! ```
//!
//! Writes a line of JSON that says what follows, then that many little-endian doubles: for every array its values in `f64`, then
//! `hi` and `lo` of the truth, each state after state. The truth is the same generic source on [`DoubleDouble`], run on the same
//! constants, without [`Options::exact`]. The JSON also has those constants, so that another program can be given the same robot, bit for bit.

use dtau::joints::Joint;
use dtau::model::{FrameId, JointOrder, MimicMode, Model, Options, Root};
use dtau::scalar::Real;
use dtau::{
    Declaration, Error, Parameter, Parameters, Random, Reference, Scene, Size, Workspace, function, functions, rnea,
};
use dtau_fixtures::double_double::DoubleDouble;
use serde_json::{Value, json};
use std::io::Write;

/// How many ends of limbs are watched.
const FRAMES: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (four, rest) = arguments.split_at(arguments.len().min(4));
    let ([path, root, count, seed], [] | [_]) = (four, rest) else {
        eprintln!("usage: exact ROBOT.urdf fixed|floating STATES SEED [exact]");
        std::process::exit(2)
    };
    let root = if root == "floating" { Root::Floating } else { Root::Fixed };
    let (count, seed) = (count.parse().expect("STATES is a number"), seed.parse().expect("SEED is a number"));
    match run(path, root, count, seed, !rest.is_empty()) {
        Ok(()) => {}
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1)
        }
    }
}

fn run(path: &str, root: Root, count: usize, seed: u64, exact: bool) -> Result<(), Error> {
    // As Pinocchio reads it: mimicking joints are joints like any other.
    let options =
        Options { root, order: JointOrder::Alphabetical, mimic: MimicMode::Free, exact, ..Options::default() };
    let model = Model::from_urdf_file(path, &options)?;
    // By ground coordinates, whatever is judged: they read masses, centres of mass and inertias about them, as Pinocchio does.
    let plain = Model::from_urdf_file(path, &Options { exact: false, ..options })?;
    let states = draw(&model, count, seed)?;
    let lifted = states.iter().map(|x| x.map(DoubleDouble::from_f64)).collect::<Vec<_>>();
    let watched = ends_of_limbs(&model);

    let (mut ours, mut truth) = (Workspace::new(&model), Workspace::<DoubleDouble>::new(&plain));
    let (mut names, mut numbers) = (Vec::new(), Vec::new());
    for (name, declaration, parameters) in calls(&model, &watched) {
        let got = evaluate(&model, &mut ours, declaration, &parameters, &states)?;
        let mut want = evaluate(&plain, &mut truth, declaration, &parameters, &lifted)?;
        replace_torques(&plain, &mut truth, declaration.name, &lifted, &mut want)?;
        for (k, output) in declaration.outputs.iter().enumerate() {
            let (rows, columns) = output.size.shape(&model, 1);
            names.push(json!({ "name": format!("{name} {}", output.name), "rows": rows, "columns": columns }));
            numbers.extend_from_slice(&got[k]);
            numbers.extend(want[k].iter().map(|x| x.hi));
            numbers.extend(want[k].iter().map(|x| x.lo));
        }
    }
    let numbers_of = |f: fn(&State<f64>) -> &Vec<f64>| states.iter().map(f).cloned().collect::<Vec<_>>();
    let header = json!({
        "nq": model.nq(), "nv": model.nv(), "count": count, "bodies": bodies(&model), "frames": frames(&model, &watched),
        "q": numbers_of(|x| &x.q), "q1": numbers_of(|x| &x.q1), "v": numbers_of(|x| &x.v), "a": numbers_of(|x| &x.a),
        "tau": numbers_of(|x| &x.tau), "arrays": names,
    });
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{header}").expect("standard output takes it");
    for x in numbers {
        out.write_all(&x.to_le_bytes()).expect("standard output takes it");
    }
    Ok(())
}

struct State<T> {
    q: Vec<T>,
    q1: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
    tau: Vec<T>,
}

impl<T: Copy> State<T> {
    fn map<U>(&self, f: fn(T) -> U) -> State<U> {
        let each = |x: &Vec<T>| x.iter().copied().map(f).collect();
        State { q: each(&self.q), q1: each(&self.q1), v: each(&self.v), a: each(&self.a), tau: each(&self.tau) }
    }

    fn input(&self, name: &str) -> Option<&[T]> {
        Some(match name {
            "q" | "q0" => &self.q,
            "q1" => &self.q1,
            "v" => &self.v,
            "a" => &self.a,
            "tau" => &self.tau,
            _ => return None,
        })
    }
}

/// Torques are those of ordinary accelerations: random ones would throw a finger of 1e-7 kg m² around at 1e7 rad/s².
fn draw(model: &Model, count: usize, seed: u64) -> Result<Vec<State<f64>>, Error> {
    let (random, ws) = (&mut Random::seeded(seed), &mut Workspace::new(model));
    let rates =
        |random: &mut Random, size: f64| (0..model.nv()).map(|_| random.within(-size, size)).collect::<Vec<f64>>();
    let mut states = Vec::new();
    for _ in 0..count {
        let (q, q1) = (configuration(model, random), configuration(model, random));
        let (v, a, wanted) = (rates(random, 3.0), rates(random, 10.0), rates(random, 10.0));
        let mut tau = vec![0.0; model.nv()];
        rnea(scene(model), ws, &q, &v, &wanted, &mut tau)?;
        states.push(State { q, q1, v, a, tau });
    }
    Ok(states)
}

/// Quaternions are drawn until rounding has left them of unit length to 1e-19. What becomes of another is a matter of taste
/// (it turns and stretches a little), and two programs of different tastes could not be compared to the last digit.
fn configuration(model: &Model, random: &mut Random) -> Vec<f64> {
    let mut q = model.random_configuration(random);
    for joint in model.joints() {
        let Some(from) = joint.kind.quaternion() else { continue };
        let quaternion = &mut q[joint.q.clone()][from..];
        loop {
            let length = quaternion.iter().map(|&x| DoubleDouble::from_f64(x) * DoubleDouble::from_f64(x));
            let off = length.fold(-DoubleDouble::one(), |sum, x| sum + x);
            if off.hi.abs() < 1e-19 {
                break;
            }
            quaternion.iter_mut().for_each(|x| *x = random.within(-1.0, 1.0));
            let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
            quaternion.iter_mut().for_each(|x| *x /= length);
        }
    }
    q
}

/// Pinocchio knows neither damping nor friction.
fn scene<T: Real>(model: &Model) -> Scene<'_, T> {
    model.scene().damping(false).friction(false)
}

fn ends_of_limbs(model: &Model) -> Vec<FrameId> {
    let bodies = &model.tree().bodies;
    let ends: Vec<FrameId> = model
        .joints()
        .iter()
        .filter(|j| bodies[j.bodies.end - 1].bodies_end == j.bodies.end)
        .map(|j| j.frame)
        .collect();
    let step = ends.len().div_ceil(FRAMES).max(1);
    ends.into_iter().step_by(step).collect()
}

/// Every function that reads nothing but a state, with every watched frame and two references if it takes them.
fn calls(model: &Model, watched: &[FrameId]) -> Vec<(String, &'static Declaration, Parameters)> {
    let mut calls = Vec::new();
    for f in functions() {
        let known = State::<f64> { q: vec![], q1: vec![], v: vec![], a: vec![], tau: vec![] };
        let takes = |parameter| f.parameters.contains(&parameter);
        // Constraints are no part of a robot, and Pinocchio has no whole tensors to compare with here.
        let is_tensor = |size| matches!(size, Size::Cube | Size::SymmetricCube);
        if takes(Parameter::Constraints) || f.outputs.iter().any(|y| is_tensor(y.size)) {
            continue;
        }
        if f.inputs.iter().any(|x| known.input(x.name).is_none()) {
            continue;
        }
        let frames: Vec<_> =
            if takes(Parameter::Frame) { watched.iter().map(|&x| Some(x)).collect() } else { vec![None] };
        let references = [Some(Reference::Local), Some(Reference::World)];
        for frame in frames {
            for &reference in if takes(Parameter::Reference) { &references[..] } else { &[None][..] } {
                let on = frame.map_or(String::new(), |x| format!(" {}", model.frame_info(x).name));
                let seen = reference.map_or(String::new(), |x| format!(" {x:?}"));
                calls.push((format!("{}{on}{seen}", f.name), f, Parameters { frame, reference, way: None }));
            }
        }
    }
    calls
}

/// What a function writes, array by array, state after state.
fn evaluate<T: Real>(
    model: &Model,
    ws: &mut Workspace<T>,
    f: &Declaration,
    parameters: &Parameters,
    states: &[State<T>],
) -> Result<Vec<Vec<T>>, Error> {
    let function = f.with(parameters)?;
    let mut all = vec![Vec::new(); f.outputs.len()];
    for x in states {
        let inputs: Vec<&[T]> = f.inputs.iter().map(|arg| x.input(arg.name).expect("see `calls`")).collect();
        let mut outputs: Vec<Vec<T>> = f.outputs.iter().map(|arg| vec![T::zero(); arg.size.of(model, 1)]).collect();
        let mut y: Vec<&mut [T]> = outputs.iter_mut().map(|y| &mut y[..]).collect();
        function.call(scene(model), ws, &inputs, &mut y)?;
        for (all, y) in all.iter_mut().zip(outputs) {
            all.extend(y);
        }
    }
    Ok(all)
}

/// RNEA reads inertias about the bodies' origins, which were rounded when the model was built; the truth of torques is that of
/// masses, centres of mass and inertias about them, as everything else reads and Pinocchio has them: τ beside its derivatives.
fn replace_torques(
    model: &Model,
    ws: &mut Workspace<DoubleDouble>,
    name: &str,
    states: &[State<DoubleDouble>],
    truth: &mut [Vec<DoubleDouble>],
) -> Result<(), Error> {
    let twin = match name {
        "rnea" => "id_derivatives",
        "bias" => "bias_derivatives",
        "gravity_torques" => "gravity_derivatives",
        _ => return Ok(()),
    };
    let derivatives = evaluate(model, ws, function(twin)?, &Parameters::default(), states)?;
    truth[0].clone_from(&derivatives[0]);
    Ok(())
}

/// The tree, in Pinocchio's terms.
fn bodies(model: &Model) -> Vec<Value> {
    let tree = model.tree();
    let each = tree.bodies[1..].iter().map(|body| {
        let kind = match body.joint {
            Joint::Revolute(_) => "revolute",
            Joint::Prismatic(_) => "prismatic",
            Joint::FreeFlyer(_) => "free-flyer",
            _ => "other",
        };
        let s = &body.about_com;
        json!({
            "parent": body.parent, "kind": kind, "placement": body.x_tree.to_array(), "mass": body.inertia.mass,
            "com": body.com.to_array(), "about_com": [[s.xx, s.xy, s.xz], [s.xy, s.yy, s.yz], [s.xz, s.yz, s.zz]],
            "armature": tree.dofs[body.v.start].armature,
        })
    });
    each.collect()
}

/// All frames in order, and which of them are watched.
fn frames(model: &Model, watched: &[FrameId]) -> Vec<Value> {
    let each = model.frame_ids().zip(model.frames()).map(|(id, frame)| {
        let body = model.body_ids().position(|body| frame.body == Some(body)).map_or(0, |i| i + 1);
        let (placement, watched) = (frame.placement.to_array(), watched.contains(&id));
        json!({ "name": frame.name, "body": body, "placement": placement, "watched": watched })
    });
    each.collect()
}
