//! Functions compiled by this machine's C compiler, used as an engine of the library. Also the cache, and failures.

use dtau::model::{JointKind, Model, Options, Root, generate};
use dtau::spatial::Transform;
use dtau::*;
use dtau_fixtures::constraints::some;
use dtau_fixtures::coverage::tried;
use dtau_fixtures::every::States;
use dtau_generate::Subject;
use dtau_generate::load::{Build, Error, casadi, code};
use dtau_generate::structure::{snapped, snapped_constraints};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Empty folder for a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn build(&self) -> Build {
        Build { cache: Some(self.0.join("cache")), ..Build::default() }
    }

    /// Compiles without optimisation, which takes a third of the time and does not change rounding.
    fn quick(&self) -> Build {
        Build { compiler: Some("cc -O0".into()), ..self.build() }
    }

    /// Makes a compiler that is a script: it records each compilation, runs the given commands, and compiles
    /// without optimisation.
    fn compiler(&self, name: &str, compile: &str) -> Build {
        let (script, log) = (self.0.join(name), self.0.join("log"));
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in\n*-dM*) ;;\n*) echo compiled >>'{}'; {compile} ;;\nesac\nexec cc \"$@\"\n",
            log.display()
        );
        fs::write(&script, text).unwrap();
        Build { compiler: Some(format!("sh {} -O0", script.display())), ..self.build() }
    }

    /// Returns how many times compilers of this folder have compiled.
    fn compiled(&self) -> usize {
        fs::read_to_string(self.0.join("log")).map_or(0, |log| log.lines().count())
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> =
            fs::read_dir(self.0.join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn named(name: &str) -> Function {
    function(name).unwrap().with(&Parameters::default()).unwrap()
}

/// Returns all functions except complete tensors: nv³ numbers give longer straight-line code than any cache holds.
fn all_functions(model: &Model) -> Vec<Function> {
    let frame = model.frame_ids().last();
    let given = Parameters { frame, reference: Some(Reference::LocalWorldAligned), way: None };
    let is_tensor = |arg: &Arg| matches!(arg.size, Size::Cube | Size::SymmetricCube);
    let free = functions().iter().filter(|f| !f.parameters.contains(&dtau::Parameter::Constraints));
    let wanted = free.filter(|f| !f.outputs.iter().any(is_tensor));
    wanted.map(|f| f.with(&given).unwrap()).collect()
}

/// Returns the functions that act on constraints.
fn constrained_functions() -> Vec<Function> {
    let all = functions().iter().filter(|f| f.parameters.contains(&dtau::Parameter::Constraints));
    all.map(|f| f.with(&Parameters::default()).unwrap()).collect()
}

/// Computes a function at some states, with one column if it takes several.
fn at(scene: Scene<'_, f64>, on: &mut impl Engine<f64>, function: Function, x: &States<f64>) -> Vec<Vec<f64>> {
    let declaration = function.declaration();
    let input = |arg: &Arg| if arg.size == Size::Columns { &x.w[..] } else { x.input(arg.name) };
    let inputs: Vec<&[f64]> = declaration.inputs.iter().map(input).collect();
    let counts = Counts { columns: 1, rows: scene.constraints.map_or(0, Constraints::rows) };
    let room = |arg: &Arg| vec![7.0; x.count * arg.size.of(scene.model, counts)];
    let mut y: Vec<Vec<f64>> = declaration.outputs.iter().map(room).collect();
    let mut to: Vec<&mut [f64]> = y.iter_mut().map(|y| &mut y[..]).collect();
    function.call(scene, on, &inputs, &mut to).unwrap_or_else(|error| panic!("{}: {error}", declaration.name));
    y
}

/// Compares with the library: the same operations on the same numbers, with three exceptions. atan2 is the
/// system's. Products with M⁻¹ in loops sum in another order. On CPUs without fused multiply-add, the
/// library's single states are rounded like the code.
fn assert_close(name: &str, got: &[Vec<f64>], want: &[Vec<f64>]) {
    for (array, (got, want)) in got.iter().zip(want).enumerate() {
        let scale = want.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (k, (got, want)) in got.iter().zip(want).enumerate() {
            let difference = (got - want).abs();
            assert!(
                difference <= 1e-12 * scale,
                "{name}, array {array}, [{k}]: got {got}, want {want}, off {difference:e}"
            );
        }
    }
}

/// Compares with the library. Single states must have the same bits as in a batch.
fn compare<'a>(of: impl Into<Subject<'a>>, functions: &[Function], build: &Build) {
    let of: Subject<'_> = of.into();
    let model = of.model;
    let code = code(of, functions, build).unwrap();
    let mut fast = Compiled::new(model, &code).unwrap();
    let scene = of.constraints.map_or(model.scene(), |set| model.scene().constraints(set));
    let x = States::random(model, 11, 0, 1);
    for &function in functions {
        let name = function.declaration().name;
        assert!(fast.covers(&function), "{name}");
        let got = at(scene, &mut fast, function, &x);
        assert_close(name, &got, &at(scene, &mut Batch::new(model), function, &x));
        for cut in [1, 5] {
            let mut parts = vec![Vec::new(); got.len()];
            for start in (0..x.count).step_by(cut) {
                let part = x.slice(start, x.count.min(start + cut));
                for (whole, y) in parts.iter_mut().zip(at(scene, &mut fast, function, &part)) {
                    whole.extend(y);
                }
            }
            assert_eq!(parts, got, "{name}, {cut} at a time");
        }
    }
}

/// True in the long run of the tests.
fn is_long() -> bool {
    std::env::var_os("DTAU_LONG").is_some()
}

fn floating() -> Options {
    Options { root: Root::Floating, ..Options::default() }
}

/// On a chain. Some functions use the default compiler options, in the long run all.
#[test]
fn every_compiled_function_is_the_library() {
    let folder = Folder::new("every");
    let model = snapped(&small());
    let all = all_functions(&model);
    let by_default = ["rnea", "aba", "minverse", "id_derivatives", "fd_derivatives", "difference"].map(named);
    compare(&model, &by_default, &folder.build());
    compare(&model, &all, &if is_long() { folder.build() } else { folder.quick() });
    let (set, constrained) = (snapped_constraints(&some(&model)), constrained_functions());
    assert!(set.rows() > 0);
    compare(&set, &constrained, &folder.quick());
    tried("compiled", all.iter().chain(&constrained).map(|function| function.declaration().name));
}

/// The places of feet are in the table. The same code serves other places, and one engine knows both sets.
#[test]
fn feet_are_held_by_compiled_code_wherever_they_stand() {
    let folder = Folder::new("feet");
    let build = folder.compiler("counting", ":");
    let model = snapped(&Model::bundled("quadruped", &floating()).unwrap());
    let sets = [1, 2].map(|seed| {
        let q = model.random_configuration(&mut Random::seeded(seed));
        let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"].into_iter();
        let held = feet.fold(Constraints::new(&model), |set, foot| set.point(foot).at_world_here(&q).unwrap());
        held.stabilise(Gains { kp: 30.0, kd: 10.0 }).build().unwrap()
    });
    let asked = [named("constrained_fd"), named("constrained_fd_vjp"), named("impulse")];
    let codes = sets.each_ref().map(|set| code(set, &asked, &build).unwrap());
    assert_eq!(folder.compiled(), 3, "each function once, for both sets");
    let both = codes[0].clone().and(&codes[1]).unwrap();
    let mut fast = Compiled::new(&model, &both).unwrap();
    let x = with_strengths(States::random(&model, 6, 0, 1), sets[0].rows());
    for set in &sets {
        assert!(asked.iter().all(|function| both.covers_under(set, function)));
        for function in asked {
            let (scene, name) = (model.scene().constraints(set), function.declaration().name);
            let want = at(scene, &mut Batch::new(&model), function, &x);
            assert_close(name, &at(scene, &mut fast, function, &x), &want);
            // Activity is handled by the library.
            let active: Vec<f64> = (0..6 * set.len()).map(|k| f64::from(u8::from(k % 3 > 0))).collect();
            let scene = scene.active(&active);
            assert_eq!(at(scene, &mut fast, function, &x), at(scene, &mut Batch::new(&model), function, &x), "{name}");
        }
    }
    // A new set has the same feet. There is no code for the other set.
    let again = sets[0].map_constants(&model, |_, x| x);
    assert!(both.covers_under(&again, &asked[0]) && !again.is(&sets[0]));
    let others = Constraints::new(&model).point("lf_foot").at_world([0.3, 0.2, -0.5]).build().unwrap();
    let x = with_strengths(x, others.rows());
    assert!(!both.covers_under(&others, &asked[0]));
    let scene = model.scene().constraints(&others);
    assert_eq!(at(scene, &mut fast, asked[0], &x), at(scene, &mut Batch::new(&model), asked[0], &x));
}

/// Three-joint legs cannot satisfy six directions of every foot. Code leaves such states to the library,
/// which finds the forces of least norm. Other states in the batch are computed by the code.
#[test]
fn redundant_constraints_are_left_to_the_library() {
    let folder = Folder::new("redundant");
    let model = snapped(&Model::bundled("quadruped", &floating()).unwrap());
    let q = model.neutral();
    let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"].into_iter();
    let held = feet.fold(Constraints::new(&model), |set, foot| set.frame(foot).at_world_here(&q).unwrap());
    let set = held.build().unwrap();
    let asked = [named("constrained_fd"), named("delassus")];
    let code = code(&set, &asked, &folder.quick()).unwrap();
    let mut fast = Compiled::new(&model, &code).unwrap();
    let (scene, mut x) = (model.scene().constraints(&set), States::random(&model, 5, 0, 1));
    x.v.fill(0.0); // otherwise they would contradict each other
    for function in asked {
        assert_eq!(at(scene, &mut fast, function, &x), at(scene, &mut Batch::new(&model), function, &x));
    }
    let mut rank = at(scene, &mut fast, named("delassus"), &x).pop().unwrap();
    rank.dedup();
    assert!(rank[0] < set.rows() as f64, "{rank:?}");
}

/// If code fails, the caller gets the library's error, which names the function.
#[test]
fn constraints_must_be_there_and_be_the_robots() {
    let (folder, model) = (Folder::new("none"), small());
    let set = some(&model);
    let asked = [named("constrained_fd")];
    let error = code(&model, &asked, &folder.quick()).unwrap_err().to_string();
    assert!(error.contains("constrained_fd acts on constraints"), "{error}");
    let code = code(&set, &asked, &folder.quick()).unwrap();
    let mut fast = Compiled::new(&model, &code).unwrap();
    let (x, mut qdd) = (States::random(&model, 1, 0, 1), vec![0.0; model.nv()]);
    let error = asked[0].call(&model, &mut fast, &[&x.q, &x.v, &x.a], &mut [&mut qdd, &mut []]).unwrap_err();
    assert!(error.to_string().contains("acts on constraints, and the scene has none"), "{error}");
    let other = Model::build(&generate::chain(3), &Options::default()).unwrap();
    let error = Code::<f64>::new(&other).and(&code).unwrap_err().to_string();
    assert!(error.contains("compiled for another robot"), "{error}");
}

/// Adds strengths for a number of rows.
fn with_strengths(mut x: States<f64>, rows: usize) -> States<f64> {
    let random = &mut Random::seeded(4);
    x.force_strength = (0..x.count * rows).map(|_| random.within(0.5, 1.0)).collect();
    x
}

/// A floating tree with every joint type: outward and inward passes, and joint quantities. The long run
/// (`./test.sh --long`) has every function, on a smaller tree.
#[test]
fn every_kind_of_joint_is_compiled() {
    let folder = Folder::new("joints");
    let build = folder.quick();
    let robot = generate::random_tree(3, 8);
    let moving = robot.joints.iter().filter(|joint| !matches!(joint.kind, JointKind::Fixed));
    let kinds: HashSet<_> = moving.map(|joint| std::mem::discriminant(&joint.kind)).collect();
    assert_eq!(kinds.len(), 8, "all of them");
    let model = snapped(&Model::build(&robot, &floating()).unwrap());
    compare(&model, &["rnea", "aba", "integrate", "difference"].map(named), &build);
    if is_long() {
        let model = snapped(&Model::build(&generate::random_tree(1, 3), &floating()).unwrap());
        compare(&model, &all_functions(&model), &build);
    }
}

/// The same code serves a product in a loop, another gravity, and a robot with other numbers.
#[test]
fn gravity_and_the_numbers_of_a_robot_are_in_a_table() {
    let folder = Folder::new("table");
    let build = folder.compiler("counting", ":");
    let model = snapped(&Model::bundled("quadruped", &floating()).unwrap());
    let heavier = model.map_constants(|which, x| match which {
        model::Constant::Mass(_) | model::Constant::FirstMoment(..) | model::Constant::Inertia(..) => 1.25 * x,
        model::Constant::AboutCom(..) => 1.25 * x,
        _ => x,
    });
    let asked = [named("fd_derivatives"), named("rnea"), named("rnea")];
    for model in [&model, &heavier] {
        let code = code(model, &asked, &build).unwrap();
        let mut fast = Compiled::new(model, &code).unwrap();
        let x = States::random(model, 6, 0, 1);
        for scene in [model.scene(), model.scene().gravity([0.0, 0.0, -1.62]), model.scene().gravity([1.0, 0.0, -9.81])]
        {
            for function in asked {
                let (got, want) = (at(scene, &mut fast, function, &x), at(scene, &mut Batch::new(model), function, &x));
                assert_close(function.declaration().name, &got, &want);
            }
        }
    }
    assert_eq!(folder.compiled(), 2, "each function once, for both robots");
    assert_eq!(folder.files().len(), 2, "and nothing else is left: {:?}", folder.files());
}

/// Two joint axes coincide when the middle joint is at zero, without mass between them, so nothing resists
/// the first. Other states are regular.
#[test]
fn a_state_that_fails_has_the_error_of_the_library() {
    let folder = Folder::new("singular");
    let mut robot = generate::chain(3);
    for (joint, axis) in robot.joints.iter_mut().zip([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) {
        joint.kind = JointKind::Revolute { axis: axis.into() };
        joint.origin = Transform::identity();
    }
    (robot.links[1].inertial, robot.links[2].inertial) = (None, None);
    let model = Model::build(&robot, &Options::default()).unwrap();
    let code = code(&model, &[named("aba")], &folder.quick()).unwrap();
    let mut fast = Compiled::new(&model, &code).unwrap();
    for (states, bad) in [(1, 0), (6, 2), (6, 5)] {
        let mut x = States::random(&model, states, 0, 1);
        assert_close(
            "aba",
            &at(model.scene(), &mut fast, named("aba"), &x),
            &at(model.scene(), &mut Batch::new(&model), named("aba"), &x),
        );
        x.q[3 * bad + 1] = 0.0;
        let mut qdd = vec![0.0; x.v.len()];
        let got = aba(&model, &mut fast, &x.q, &x.v, &x.a, &mut qdd).unwrap_err();
        let want = match states {
            1 => aba(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a, &mut qdd),
            _ => aba(&model, &mut Batch::new(&model), &x.q, &x.v, &x.a, &mut qdd),
        };
        assert_eq!((got.kind(), got), (ErrorKind::Singular, want.unwrap_err()));
    }
}

fn small() -> Model {
    Model::build(&generate::chain(2), &Options::default()).unwrap()
}

#[test]
fn what_was_compiled_serves_again_unless_it_is_corrupt() {
    let folder = Folder::new("cache");
    let build = folder.compiler("counting", ":");
    let model = small();
    let torques = || {
        let code = code(&model, &[named("gravity_torques")], &build).unwrap();
        at(
            model.scene(),
            &mut Compiled::new(&model, &code).unwrap(),
            named("gravity_torques"),
            &States::random(&model, 3, 0, 1),
        )
    };
    let first = torques();
    assert_eq!((torques(), folder.compiled()), (first.clone(), 1));
    let [file] = &folder.files()[..] else { panic!("{:?}", folder.files()) };
    let whole = fs::read(file).unwrap();
    let mut altered = whole.clone();
    *altered.last_mut().unwrap() ^= 1;
    for (k, wrong) in [&whole[..whole.len() / 2], &altered, b"", b"not a library"].into_iter().enumerate() {
        fs::remove_file(&folder.files()[0]).unwrap(); // it is in use, so it is replaced, not overwritten
        fs::write(file, wrong).unwrap();
        assert_eq!((torques(), folder.compiled()), (first.clone(), 2 + k));
        assert_eq!(folder.files().len(), 1, "{:?}", folder.files());
    }
    // Another compiler, or other options, gives another key.
    let options = Build { compiler: build.compiler.as_ref().map(|cc| format!("{cc} -O1")), ..build.clone() };
    code(&model, &[named("gravity_torques")], &options).unwrap();
    assert_eq!(folder.files().len(), 2);
}

#[test]
fn several_may_compile_the_same_at_once() {
    let folder = Folder::new("at-once");
    let (model, build) = (small(), folder.quick());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| code(&model, &[named("crba"), named("bias")], &build).unwrap());
        }
    });
    let code = code(&model, &[named("crba"), named("bias")], &build).unwrap();
    let x = States::random(&model, 5, 0, 1);
    for name in ["crba", "bias"] {
        let got = at(model.scene(), &mut Compiled::new(&model, &code).unwrap(), named(name), &x);
        assert_close(name, &got, &at(model.scene(), &mut Batch::new(&model), named(name), &x));
    }
    assert!(folder.files().iter().all(|file| file.is_file()), "{:?}", folder.files());
}

#[test]
fn a_compiler_that_is_missing_or_fails_or_hangs_is_an_error() {
    let folder = Folder::new("compilers");
    let model = small();
    let error = |build: &Build| match code(&model, &[named("bias")], build) {
        Err(Error::Compiler(message)) => message,
        other => panic!("{other:?}"),
    };
    let missing = error(&Build { compiler: Some("/no/such/compiler".into()), ..folder.build() });
    assert!(missing.contains("/no/such/compiler") && missing.contains("CC may name another"), "{missing}");
    let failing = error(&folder.compiler("failing", "echo 'robot.c:3: it is too hot' >&2; exit 1"));
    assert!(failing.contains("robot.c:3: it is too hot"), "{failing}");
    let begun = Instant::now();
    let hanging = folder.compiler("hanging", "sleep 100");
    let hanging = error(&Build { deadline: Duration::from_millis(300), ..hanging });
    assert!(hanging.contains("took longer than 0.3 s"), "{hanging}");
    assert!(begun.elapsed() < Duration::from_secs(50));
    assert_eq!(folder.files(), Vec::<PathBuf>::new(), "nothing is left behind");
}

#[test]
fn a_cache_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = Folder::new("no-cache");
    let taken = folder.0.join("cache");
    fs::write(&taken, "a file").unwrap();
    match code(&small(), &[named("bias")], &folder.build()) {
        Err(Error::Files(message)) => {
            assert!(message.contains("load-no-cache") && message.contains("DTAU_CACHE"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn functions_that_do_not_fit_the_robot_are_errors() {
    let folder = Folder::new("misfits");
    let longer = Model::build(&generate::chain(9), &Options::default()).unwrap();
    let given = Parameters { frame: longer.frame_ids().last(), reference: Some(Reference::World), way: None };
    let of_other = function("frame_jacobian").unwrap().with(&given).unwrap();
    assert!(matches!(code(&small(), &[of_other], &folder.build()), Err(Error::Function(_))));
    assert_eq!(code(&small(), &[], &folder.build()).unwrap().functions().count(), 0);
}

#[test]
fn functions_for_casadi_are_kept_and_have_names_that_it_takes() {
    let folder = Folder::new("casadi");
    let mut description = Model::bundled("double_pendulum", &Options::default()).unwrap().description().clone();
    description.name = "my--pendulum-".into();
    let model = Model::build(&description, &Options::default()).unwrap();
    let crba = function("crba").unwrap().with(&Parameters::default()).unwrap();
    let build = folder.compiler("cc", ":");
    let made = casadi(&model, &crba, &build).unwrap();
    assert_eq!(made.name, "my_pendulum_crba");
    assert_eq!((casadi(&model, &crba, &build).unwrap().file, folder.compiled()), (made.file.clone(), 1));
    // A file that was altered is made again.
    fs::write(&made.file, "nothing").unwrap();
    assert_eq!((casadi(&model, &crba, &build).unwrap().file, folder.compiled()), (made.file, 2));
}
