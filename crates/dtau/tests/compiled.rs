//! Generated code as an engine: when the code computes, when the library does, and the results for callers.
//!
//! The code here is the library itself in a counting closure. `dtau-generate` tests real generated code.

use dtau::model::{Constant, Model, Options, Root, generate};
use dtau::*;
use dtau_fixtures::every::{States, many};
use dtau_fixtures::robots::build;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Number of states that the code has computed.
type Count = Arc<AtomicUsize>;

/// Code for a function: the library, state by state. Gravity is taken from the table if that contains it.
fn by_library(model: &Model, function: Function, count: &Count) -> Arc<Routine<f64>> {
    let (model, count) = (model.clone(), count.clone());
    Arc::new(move |table, states, x, y| {
        let mut ws = Workspace::new(&model);
        let mut gravity = model.gravity();
        if let [z] = table {
            gravity[2] = *z;
        }
        count.fetch_add(states, Relaxed);
        let declaration = function.declaration();
        for state in 0..states {
            let size = |arg: &Arg| arg.size.of(&model, 1);
            let x = x.iter().zip(declaration.inputs).map(|(x, arg)| &x[state * size(arg)..][..size(arg)]);
            let y = y.iter_mut().zip(declaration.outputs).map(|(y, arg)| &mut y[state * size(arg)..][..size(arg)]);
            let (x, mut y): (Vec<_>, Vec<_>) = (x.collect(), y.collect());
            if function.call(model.scene().gravity(gravity), &mut ws, &x, &mut y).is_err() {
                return 1;
            }
        }
        0
    })
}

fn named(name: &str) -> Function {
    function(name).unwrap().with(&Parameters::default()).unwrap()
}

/// Code for some functions, with gravity along z in their tables.
fn code(model: &Model, names: &[&str], count: &Count) -> Code {
    names.iter().fold(Code::new(model), |code, name| {
        let function = named(name);
        code.with(function, &[(Constant::Gravity(2), model.gravity()[2])], by_library(model, function, count))
    })
}

fn robot() -> Model {
    build(&generate::random_tree(4, 6), Root::Floating)
}

#[test]
fn code_computes_what_it_covers_and_the_library_the_rest() {
    let model = robot();
    let (count, frame) = (Count::default(), model.frame("link_1").unwrap());
    let jacobian = |frame, reference| {
        let given = Parameters { frame: Some(frame), reference: Some(reference), way: None };
        function("frame_jacobian").unwrap().with(&given).unwrap()
    };
    let of_link = jacobian(frame, Reference::World);
    let code = code(&model, &["rnea", "mass_times"], &count).with(of_link, &[], by_library(&model, of_link, &count));
    assert!(code.covers(&named("rnea")) && !code.covers(&named("aba")));
    assert!(code.covers(&of_link) && !code.covers(&jacobian(frame, Reference::Local)));
    assert!(!code.covers(&jacobian(model.frame("link_2").unwrap(), Reference::World)));
    assert_eq!(code.functions().collect::<Vec<_>>(), [named("rnea"), named("mass_times"), of_link]);

    let used = |scene: Scene<'_, f64>, function: Function, states: usize, columns: usize| {
        let x = States::random(&model, states, 0, 1);
        let declaration = function.declaration();
        let columns_of = vec![0.3; states * model.nv() * columns];
        let inputs: Vec<&[f64]> = (declaration.inputs.iter())
            .map(|arg| if arg.size == Size::Columns { &columns_of[..] } else { x.input(arg.name) })
            .collect();
        let room = || -> Vec<Vec<f64>> {
            declaration.outputs.iter().map(|arg| vec![7.0; states * arg.size.of(&model, columns)]).collect()
        };
        let (mut got, mut want) = (room(), room());
        let mut to: Vec<&mut [f64]> = got.iter_mut().map(|y| &mut y[..]).collect();
        count.store(0, Relaxed);
        function.call(scene, &mut Compiled::new(&model, &code).unwrap(), &inputs, &mut to).unwrap();
        let mut to: Vec<&mut [f64]> = want.iter_mut().map(|y| &mut y[..]).collect();
        function.call(scene, &mut Batch::new(&model), &inputs, &mut to).unwrap();
        assert_eq!(got, want, "{function:?}");
        count.load(Relaxed)
    };
    let plain = model.scene();
    let push = [Wrench::local(frame, [1.0, 2.0, 3.0], [0.0; 3])];
    let tree = model.tree();
    assert!(tree.has_damping && tree.has_friction && tree.has_armature, "or switching them off means nothing");
    for states in [1, 2, 70] {
        assert_eq!(used(plain, named("rnea"), states, 1), states);
        assert_eq!(used(plain, of_link, states, 1), states);
        assert_eq!(used(plain, named("mass_times"), states, 1), states);
        assert_eq!(used(plain, named("aba"), states, 1), 0, "no code");
        assert_eq!(used(plain, jacobian(frame, Reference::Local), states, 1), 0, "another reference");
        assert_eq!(used(plain, named("mass_times"), states, 2), 0, "several columns");
        assert_eq!(used(plain.wrenches(&push), named("rnea"), states, 1), 0, "wrenches");
        assert_eq!(used(plain.wrenches(&push), of_link, states, 1), states, "wrenches that do not matter");
        for off in [plain.damping(false), plain.friction(false), plain.armature(false)] {
            assert_eq!(used(off, named("rnea"), states, 1), 0, "an effect that is off");
            assert_eq!(used(off, of_link, states, 1), states, "an effect that does not matter");
        }
        assert_eq!(used(plain.gravity([0.0, 0.0, -1.62]), named("rnea"), states, 1), states, "gravity of the table");
        assert_eq!(used(plain.gravity([0.0; 3]), named("rnea"), states, 1), states, "none at all");
        assert_eq!(used(plain.gravity([0.0, 1.0, -9.81]), named("rnea"), states, 1), 0, "gravity as structure");
        assert_eq!(used(plain.gravity([0.0, 1.0, -9.81]), of_link, states, 1), states, "gravity that does not matter");
    }
}

/// Another gravity applies to one call only.
#[test]
fn no_call_leaves_anything_to_the_next() {
    let (model, count) = (robot(), Count::default());
    let mut fast = Compiled::new(&model, &code(&model, &["gravity_torques"], &count)).unwrap();
    let (q, mut first, mut moon, mut again) =
        (model.neutral(), vec![0.0; model.nv()], vec![0.0; model.nv()], vec![0.0; model.nv()]);
    gravity_torques(&model, &mut fast, &q, &mut first).unwrap();
    gravity_torques(model.scene().gravity([0.0, 0.0, -1.62]), &mut fast, &q, &mut moon).unwrap();
    gravity_torques(&model, &mut fast, &q, &mut again).unwrap();
    assert_ne!(first, moon);
    assert_eq!(first, again);
    assert_eq!(count.load(Relaxed), 3);
}

/// If the code fails on a state, the library computes that state. The code still computes the others.
#[test]
fn a_state_that_code_cannot_do_is_computed_alone() {
    let model = robot();
    let function = named("rnea");
    for wrong in [|y: &mut [f64]| y.fill(f64::NAN), |y: &mut [f64]| y.fill(3.0)] {
        // Writes twos. If the acceleration begins with 5, writes something else, and reports failure unless
        // that is NaN.
        let nv = model.nv();
        let twos: Arc<Routine<f64>> = Arc::new(move |_, states, x, y| {
            let mut status = 0;
            for state in 0..states {
                let y = &mut y[0][state * nv..][..nv];
                y.fill(2.0);
                if x[2][state * nv] == 5.0 {
                    wrong(y);
                    status = i32::from(!y[0].is_nan());
                }
            }
            status
        });
        let code = Code::new(&model).with(function, &[], twos);
        for (states, bad) in [(1, 0), (5, 3), (200, 130)] {
            let mut x = States::random(&model, states, 0, 1);
            x.a[bad * nv] = 5.0;
            let (mut tau, mut want) = (vec![0.0; states * nv], vec![2.0; states * nv]);
            let one = x.slice(bad, bad + 1);
            let by_library = &mut want[bad * nv..][..nv];
            rnea(&model, &mut Workspace::new(&model), &one.q, &one.v, &one.a, by_library).unwrap();
            rnea(&model, &mut Compiled::new(&model, &code).unwrap(), &x.q, &x.v, &x.a, &mut tau).unwrap();
            assert_eq!(tau, want);
        }
    }
}

/// Errors are those of the library, with the state's index if there are several.
#[test]
fn errors_are_those_of_the_library() {
    let (model, count) = (robot(), Count::default());
    let code = code(&model, &["aba", "crba"], &count);
    let (mut fast, mut batch, mut ws) =
        (Compiled::new(&model, &code).unwrap(), Batch::new(&model), Workspace::new(&model));
    let nv = model.nv();
    let mut x = States::random(&model, 9, 0, 1);
    x.v[4 * nv] = f64::NAN;
    let mut qdd = vec![0.0; 9 * nv];
    let want = aba(&model, &mut batch, &x.q, &x.v, &x.a, &mut qdd).unwrap_err();
    let got = aba(&model, &mut fast, &x.q, &x.v, &x.a, &mut qdd).unwrap_err();
    assert_eq!((got.state(), &got), (Some(4), &want));
    let x = x.slice(4, 5);
    let want = aba(&model, &mut ws, &x.q, &x.v, &x.a, &mut qdd[..nv]).unwrap_err();
    assert_eq!(aba(&model, &mut fast, &x.q, &x.v, &x.a, &mut qdd[..nv]).unwrap_err(), want);
    // Matrices are checked if numbers are large.
    let (mut q, mut m) = (model.neutral(), vec![0.0; nv * nv]);
    q[0] = 1e200;
    let want = crba(&model, &mut ws, &q, &mut m).map_err(|e| e.kind());
    assert_eq!(crba(&model, &mut fast, &q, &mut m).map_err(|e| e.kind()), want);

    let want = aba(&model, &mut batch, &x.q, &x.v, &x.a, &mut qdd).unwrap_err();
    assert_eq!(aba(&model, &mut fast, &x.q, &x.v, &x.a, &mut qdd).unwrap_err(), want, "lengths");
    let other = build(&generate::chain(3), Root::Fixed);
    let elsewhere = Wrench::local(model.frame_ids().last().unwrap(), [0.0; 3], [0.0; 3]);
    assert!(rnea(other.scene().wrenches(&[elsewhere]), &mut fast, &x.q, &x.v, &x.a, &mut qdd[..nv]).is_err());
}

#[test]
fn another_robot_is_refused_and_the_same_one_made_again_is_served() {
    let options = Options::default();
    let make = |n| Model::build(&generate::chain(n), &options).unwrap();
    let (model, again, longer) = (make(3), make(3), make(4));
    let heavier = model.map_constants(|which, x| if which == Constant::Mass(2) { 2.0 * x } else { x });
    let code = code(&model, &["gravity_torques"], &Count::default());
    let mut fast = Compiled::new(&again, &code).unwrap();
    let (q, mut tau) = ([0.1; 4], [0.0; 4]);
    for model in [&model, &again, &model] {
        gravity_torques(model, &mut fast, &q[..3], &mut tau[..3]).unwrap();
    }
    for (other, n) in [(&longer, 4), (&heavier, 3)] {
        let error = gravity_torques(other, &mut fast, &q[..n], &mut tau[..n]).unwrap_err();
        assert!(error.message().contains("compiled for another robot"), "{error}");
        assert!(Compiled::new(other, &code).is_err());
    }
    gravity_torques(&model, &mut fast, &q[..3], &mut tau[..3]).unwrap();
}

#[cfg(feature = "rayon")]
#[test]
fn threads_change_nothing() {
    let (model, count) = (robot(), Count::default());
    let names = ["rnea", "aba", "crba", "fd_derivatives"];
    let code = code(&model, &names, &count);
    let x = States::random(&model, 100, 0, 1);
    let frame = model.frame("link_1").unwrap();
    let setting =
        dtau_fixtures::every::Setting { model: &model, wrenches: &[], frame, reference: Reference::LocalWorldAligned };
    let alone = many(&setting, &mut Compiled::new(&model, &code).unwrap(), &x);
    assert_eq!(count.swap(0, Relaxed), names.len() * x.count);
    let mut three = Compiled::with_threads(&model, &code, 3).unwrap();
    assert_eq!(three.threads(), 3);
    assert_eq!(many(&setting, &mut three, &x), alone);
    assert_eq!(count.load(Relaxed), names.len() * x.count);
    fn is_send<T: Send>(_: &T) {}
    is_send(&three);
}

/// The caller can query the progress and stop the call.
#[test]
fn a_call_on_many_states_may_be_interrupted() {
    use std::ops::ControlFlow::{Break, Continue};
    let (model, count) = (robot(), Count::default());
    let fast = Compiled::new(&model, &code(&model, &["rnea"], &count)).unwrap();
    let mut fast = fast.on_progress(|at| if at.done < 100 { Continue(()) } else { Break(()) });
    let x = States::random(&model, 300, 0, 1);
    let mut tau = vec![0.0; x.v.len()];
    let error = rnea(&model, &mut fast, &x.q, &x.v, &x.a, &mut tau).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(count.load(Relaxed) < 300);
}
