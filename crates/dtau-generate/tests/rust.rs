//! Generated Rust, compiled and run, is the library.
//!
//! One program has the modules of several robots and calls every function by its name: one state, states side by side, many states. It
//! reads numbers as bits and writes results as bits, so that what is compared is what was computed.

use dtau::model::{Inertial, Model, Options as ModelOptions, Root, generate};
use dtau::spatial::{Sym3, Vec3};
use dtau::{
    Constraints, Function, Gains, Parameter, Parameters, Random, Reference, Size, Workspace, function, functions,
};
use dtau_fixtures::command::{self, Run};
use dtau_generate::emit::c::Precision;
use dtau_generate::emit::rust::{Instructions, Math, Options, write};
use dtau_generate::interpret::interpret;
use dtau_generate::program::{Array, Op, Program};
use dtau_generate::{BuildError, Builder, Module, Numbers, Request, Subject};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const STATES: usize = 6; // four side by side and two
const DEADLINE: Duration = Duration::from_secs(300);

/// Every function of the list but whole tensors, with a frame where it takes one.
fn every_function(model: &Model) -> Vec<Request> {
    let frame = model.frame_ids().last();
    let given = Parameters { frame, reference: Some(Reference::LocalWorldAligned), way: None };
    functions()
        .iter()
        .filter(|f| !f.parameters.contains(&Parameter::Constraints))
        .filter(|f| f.parameters.iter().all(|p| *p != Parameter::Frame || frame.is_some()))
        .filter(|f| !f.outputs.iter().any(|arg| matches!(arg.size, Size::Cube | Size::SymmetricCube)))
        .map(|f| Request { name: f.name.to_string(), function: f.with(&given).unwrap() })
        .collect()
}

fn some_functions(model: &Model, names: &[&str]) -> Vec<Request> {
    every_function(model).into_iter().filter(|request| names.contains(&request.name.as_str())).collect()
}

/// A quadruped on two feet.
fn held(quadruped: &Model) -> Constraints {
    let q = quadruped.neutral();
    let feet = Constraints::new(quadruped).point("lf_foot").at_world_here(&q).unwrap();
    feet.point("rh_foot").at_world_here(&q).unwrap().stabilise(Gains { kp: 50.0, kd: 8.0 }).build().unwrap()
}

fn under_constraints() -> Vec<Request> {
    let named = |name: &&str| function(name).unwrap().with(&Parameters::default()).unwrap();
    let ask = |name: &&str| Request { name: name.to_string(), function: named(name) };
    ["constrained_fd", "constraint_jacobian", "delassus", "impulse"].iter().map(ask).collect()
}

/// A robot, what is generated for it, and states.
struct Case {
    model: Model,
    held: Option<Constraints>,
    requests: Vec<Request>,
    module: Module,
    options: Options,
}

impl Case {
    fn new<'a>(
        of: impl Into<Subject<'a>>,
        requests: Vec<Request>,
        numbers: Numbers,
        options: Options,
        name: &str,
    ) -> Self {
        let mut module = Module::record(of, &requests, numbers).unwrap();
        module.robot = name.into();
        Case { model: module.model.clone(), held: module.constraints.clone(), requests, module, options }
    }

    /// Numbers for the inputs of a function, state by state.
    fn inputs(&self, program: &Program) -> Vec<Vec<f64>> {
        let random = &mut Random::seeded(3);
        let is_configuration = |array: &Array| array.name.starts_with('q') && array.len() == self.model.nq();
        let mut x = vec![Vec::new(); program.inputs.len()];
        for state in 0..STATES {
            for (x, array) in x.iter_mut().zip(&program.inputs) {
                if is_configuration(array) && array.name != "qdd" {
                    let mut q = self.model.random_configuration(random);
                    if state == 5 && self.model.name() == "arm6" {
                        q[0] += 2.0e6 * core::f64::consts::PI; // too large for the short way to its sine
                    }
                    x.extend(q);
                } else {
                    x.extend((0..array.len()).map(|_| random.within(-1.0, 1.0)));
                }
            }
        }
        if self.options.precision == Precision::F32 {
            x.iter_mut().flatten().for_each(|x| *x = f64::from(*x as f32));
        }
        x
    }

    /// What the library computes.
    fn wanted(&self, function: &Function, program: &Program, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut y: Vec<Vec<f64>> = program.outputs.iter().map(|array| vec![0.0; array.len() * STATES]).collect();
        let mut workspace = Workspace::new(&self.model);
        for state in 0..STATES {
            let x: Vec<&[f64]> = x.iter().zip(&program.inputs).map(|(x, a)| &x[a.len() * state..][..a.len()]).collect();
            let mut y: Vec<&mut [f64]> =
                (y.iter_mut().zip(&program.outputs)).map(|(y, a)| &mut y[a.len() * state..][..a.len()]).collect();
            let scene = self.model.scene();
            let scene = self.held.as_ref().map_or(scene, |held| scene.constraints(held));
            function.call(scene, &mut workspace, &x, &mut y).unwrap();
        }
        y
    }

    /// Functions that call each of the module's in the ways that need arrays of fixed sizes.
    fn glue(&self) -> String {
        let (robot, mut text) = (&self.module.robot, String::new());
        let (real, lanes) = match self.options.precision {
            Precision::F64 => ("f64", 4),
            Precision::F32 => ("f32", 8),
        };
        let _ = writeln!(text, "mod glue_{robot} {{\n    use super::{{{robot} as m, lane, set_lane}};");
        let _ = writeln!(
            text,
            "    pub fn call(f: usize, lanes: bool, x: &[&[{real}]], y: &mut [&mut [{real}]]) -> i32 {{"
        );
        text.push_str("        match (f, lanes) {\n");
        for (f, program) in self.module.programs.iter().enumerate() {
            let table = if self.module.numbers == Numbers::Table { "&m::TABLE, " } else { "" };
            let (mut one, mut side_by_side) = (table.to_string(), table.to_string());
            let (mut make, mut back, mut all) = (String::new(), String::new(), String::new());
            for (k, array) in program.inputs.iter().enumerate() {
                let _ = write!(one, "x[{k}].try_into().unwrap(), ");
                let _ = write!(side_by_side, "&lane::<{real}, {lanes}, {}>(x[{k}]), ", array.len());
            }
            for (k, array) in program.outputs.iter().enumerate() {
                let _ = write!(one, "(&mut **y{k}).try_into().unwrap(), ");
                let _ = write!(all, "y{k}, ");
                let _ = write!(make, "let mut y{k} = [[0.0; {lanes}]; {}]; ", array.len());
                let _ = write!(side_by_side, "&mut y{k}, ");
                let _ = write!(back, "set_lane(&y{k}, y[{k}]); ");
            }
            let name = &program.name;
            let _ = writeln!(
                text,
                "            ({f}, false) => {{ let [{all}] = y else {{ return -2 }}; m::{name}({one}).is_err() as i32 }}"
            );
            let _ = writeln!(
                text,
                "            ({f}, true) => {{ {make}let r = m::{name}_x{lanes}({side_by_side}).is_err() as i32; {back}r }}"
            );
        }
        text.push_str("            _ => -2,\n        }\n    }\n}\n");
        text
    }
}

/// The program that calls generated code: lines of `robot function way` and numbers as bits, answered likewise.
const MAIN: &str = "
#[allow(dead_code)]
fn lane<F: Copy + Default, const LANES: usize, const SIZE: usize>(x: &[F]) -> [[F; LANES]; SIZE] {
    let states = x.len() / SIZE.max(1);
    core::array::from_fn(|i| core::array::from_fn(|k| x[SIZE * (k % states) + i]))
}
#[allow(dead_code)]
fn set_lane<F: Copy, const LANES: usize, const SIZE: usize>(from: &[[F; LANES]; SIZE], y: &mut [F]) {
    for (k, y) in y.chunks_exact_mut(SIZE.max(1)).take(LANES).enumerate() {
        for (y, from) in y.iter_mut().zip(from) {
            *y = from[k];
        }
    }
}
fn main() {
    use std::io::Read;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace();
    while let Some(robot) = words.next() {
        let mut number = || words.next().unwrap().parse::<usize>().unwrap();
        let (f, way, states) = (number(), number(), number());
        let sizes: [Vec<usize>; 2] = [(); 2].map(|()| (0..number()).map(|_| number()).collect());
        let x: Vec<Vec<f64>> = (sizes[0].iter())
            .map(|&n| (0..n).map(|_| f64::from_bits(u64::from_str_radix(words.next().unwrap(), 16).unwrap())).collect())
            .collect();
        let (status, y) = match robot {
            @ARMS@
            _ => panic!(\"an unknown robot\"),
        };
        print!(\"{status}\");
        y.iter().flatten().for_each(|y| print!(\" {:x}\", y.to_bits()));
        println!();
    }
}
";

fn program_of(cases: &[Case]) -> String {
    let mut text = "#![deny(warnings)]\n".to_string();
    let mut arms = String::new();
    for case in cases {
        text += &write(&case.module, case.options);
        text += &case.glue();
        let robot = &case.module.robot;
        let table = if case.module.numbers == Numbers::Table { format!("&{robot}::TABLE") } else { "&[]".into() };
        let real = if case.options.precision == Precision::F64 { "f64" } else { "f32" };
        let _ = writeln!(
            arms,
            "{robot:?} => {{
                let x: Vec<Vec<{real}>> = x.iter().map(|x| x.iter().map(|&x| x as {real}).collect()).collect();
                let x: Vec<&[{real}]> = x.iter().map(|x| &x[..]).collect();
                let mut y: Vec<Vec<{real}>> = sizes[1].iter().map(|&n| vec![{real}::NAN; n]).collect();
                let mut to: Vec<&mut [{real}]> = y.iter_mut().map(|y| &mut y[..]).collect();
                let status = match way {{
                    0 => ({robot}::FUNCTIONS[f].1)({table}, states, &x, &mut to),
                    way => glue_{robot}::call(f, way == 2, &x, &mut to),
                }};
                (status, y.iter().map(|y| y.iter().map(|&y| f64::from(y)).collect::<Vec<f64>>()).collect::<Vec<_>>())
            }}"
        );
    }
    text + &MAIN.replace("@ARMS@", &arms)
}

fn run(command: &mut Command, input: &[u8]) -> Run {
    command::run(command.stdout(Stdio::piped()).stderr(Stdio::piped()), input, DEADLINE)
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Compiles a file with the compiler that compiles this.
fn compile(source: &str, directory: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let (file, out) = (directory.join(format!("{name}.rs")), directory.join(name));
    std::fs::write(&file, source).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "-C", "debuginfo=0"]).args(flags).arg("-o").arg(&out).arg(&file);
    let result = run(&mut command, b"");
    assert_eq!(result.code, Some(0), "{}", result.err);
    assert_eq!(result.err, "", "no warnings");
    out
}

/// One call as text: which, and its numbers.
fn line(robot: &str, f: usize, way: usize, states: usize, x: &[&[f64]], y: &[usize]) -> String {
    let mut text = format!("{robot} {f} {way} {states} {}", x.len());
    x.iter().for_each(|x| text += &format!(" {}", x.len()));
    text += &format!(" {}", y.len());
    y.iter().for_each(|y| text += &format!(" {y}"));
    x.iter().copied().flatten().for_each(|x| text += &format!(" {:x}", x.to_bits()));
    text + "\n"
}

fn numbers(line: &str) -> (i32, Vec<f64>) {
    let mut words = line.split_ascii_whitespace();
    let status = words.next().unwrap().parse().unwrap();
    (status, words.map(|word| f64::from_bits(u64::from_str_radix(word, 16).unwrap())).collect())
}

/// How close generated code comes to the library.
fn tolerance(case: &Case, program: &Program, same_instructions: bool) -> f64 {
    let arcus = program.values.iter().any(|op| matches!(op, Op::Atan2(..)));
    if case.options.precision == Precision::F32 {
        1e-3 // of numbers of single precision, against the library's of double
    } else if !same_instructions {
        1e-11 // multiply-adds that round twice
    } else if program.products.is_empty() && !arcus {
        0.0 // only constants were folded: the same bits
    } else {
        1e-13 // sums in another order; or an arcus tangent of the standard library
    }
}

/// Calls everything in every way, and compares.
fn compare(cases: &[Case], command: impl Fn() -> Command, same_instructions: bool) {
    let (mut input, mut expected) = (String::new(), Vec::new());
    for case in cases {
        for (f, (program, request)) in case.module.programs.iter().zip(&case.requests).enumerate() {
            let x = case.inputs(program);
            let want = case.wanted(&request.function, program, &x);
            let part = |from: usize, to: usize| -> (Vec<&[f64]>, Vec<f64>) {
                let cut = |x: &'_ Vec<f64>, a: &Array| a.len() * from..(a.len() * to).min(x.len());
                let y = want.iter().zip(&program.outputs).flat_map(|(y, a)| y[cut(y, a)].to_vec());
                (x.iter().zip(&program.inputs).map(|(x, a)| &x[cut(x, a)]).collect(), y.collect())
            };
            let mut ask = |way: usize, from: usize, to: usize| {
                let (x, want) = part(from, to);
                let sizes: Vec<usize> = program.outputs.iter().map(|a| a.len() * (to - from)).collect();
                input += &line(&case.module.robot, f, way, to - from, &x, &sizes);
                expected.push((case, program, way, want));
            };
            ask(0, 0, STATES);
            ask(0, 3, 4);
            ask(1, 0, 1);
            ask(1, 5, 6);
            ask(2, 2, 6);
        }
    }
    let result = run(&mut command(), input.as_bytes());
    let lines: Vec<&str> = result.text().lines().collect();
    assert_eq!(lines.len(), expected.len());
    for (line, (case, program, way, want)) in lines.into_iter().zip(expected) {
        let (status, got) = numbers(line);
        let name = format!("{} {} way {way}", case.module.robot, program.name);
        assert_eq!((status, got.len()), (0, want.len()), "{name}");
        let scale = want.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let bound = tolerance(case, program, same_instructions) * scale;
        for (k, (got, want)) in got.iter().zip(&want).enumerate() {
            let close = got == want || (got - want).abs() <= bound;
            assert!(close, "{name} [{k}]: got {got:?}, want {want:?}, difference {:e} of {scale}", got - want);
        }
    }
}

fn floating() -> ModelOptions {
    ModelOptions { root: Root::Floating, ..ModelOptions::default() }
}

/// Robots that together have every joint and what else a robot may have, one of them with joints that mimic.
fn cases() -> Vec<Case> {
    let (arm, quadruped) =
        (Model::bundled("arm6", &ModelOptions::default()).unwrap(), Model::bundled("quadruped", &floating()).unwrap());
    let random = |seed: u64| Model::build(&generate::random_tree(seed, 3), &ModelOptions::default()).unwrap();
    let mimic = (0..).map(random).find(|model| model.mimic().is_some()).unwrap();
    let dynamics = ["rnea", "aba", "crba", "fd_derivatives"];
    let over_limbs = ["rnea", "aba", "crba", "minverse", "id_derivatives", "fd_derivatives"];
    let bodies = ["rnea", "aba", "frame_jacobian", "integrate", "difference", "integrate_derivatives", "normalise"];
    let by_default = Options::default();
    // Every function of a small robot; of larger ones a few, since compilers take a minute for all.
    let pendulum = Model::bundled("double_pendulum", &ModelOptions::default()).unwrap();
    let long = std::env::var_os("DTAU_LONG").is_some();
    let few = [&dynamics[..], &bodies, &["id_derivatives", "fd_vjp", "com_jacobian", "energy", "id_hessian"]].concat();
    let most = |model: &Model| if long { every_function(model) } else { some_functions(model, &few) };
    let single = Options { precision: Precision::F32, ..by_default };
    let portable = Options { instructions: Instructions::Portable, ..by_default };
    let mut all = vec![
        Case::new(&arm, most(&arm), Numbers::Table, by_default, "arm"),
        Case::new(&pendulum, every_function(&pendulum), Numbers::Table, by_default, "pendulum"),
        Case::new(&mimic, most(&mimic), Numbers::Table, by_default, "mimic"),
        Case::new(&quadruped, some_functions(&quadruped, &over_limbs), Numbers::Table, by_default, "quadruped"),
        Case::new(&quadruped, some_functions(&quadruped, &dynamics[..2]), Numbers::Table, single, "quadruped_single"),
        Case::new(&held(&quadruped), under_constraints(), Numbers::Table, by_default, "held"),
        Case::new(&arm, some_functions(&arm, &dynamics[..2]), Numbers::Baked, by_default, "baked"),
        Case::new(&arm, some_functions(&arm, &dynamics[..3]), Numbers::Table, single, "single"),
        Case::new(&arm, some_functions(&arm, &dynamics[..1]), Numbers::Table, portable, "portable"),
    ];
    // Trees until there is every joint.
    let kind =
        |model: &Model| -> Vec<_> { model.joints().iter().map(|joint| core::mem::discriminant(&joint.kind)).collect() };
    let mut kinds = Vec::new();
    for seed in 0..40 {
        let model = random(seed);
        let new: Vec<_> = kind(&model).into_iter().filter(|kind| !kinds.contains(kind)).collect();
        if !new.is_empty() {
            kinds.extend(new);
            kinds.dedup();
            let name = format!("tree_{seed}");
            all.push(Case::new(&model, some_functions(&model, &bodies), Numbers::Table, by_default, &name));
        }
    }
    println!("{} kinds of joints", kinds.len());
    all
}

#[test]
fn generated_rust_is_the_library() {
    let all = cases();
    let program = compile(&program_of(&all), &directory("rust"), "all", &["-C", "opt-level=0"]);
    let (portable, chosen): (Vec<Case>, Vec<Case>) =
        all.into_iter().partition(|case| case.options.instructions == Instructions::Portable);
    let fused = cfg!(target_arch = "x86_64") && is_fused();
    compare(&chosen, || Command::new(&program), fused);
    compare(&portable, || Command::new(&program), !fused);
    wrong_lengths(&chosen[0], &program);
    // The same program on a CPU without AVX2 and FMA.
    if Command::new("qemu-x86_64").arg("--version").output().is_ok() && cfg!(target_arch = "x86_64") {
        let on_old_cpu = || {
            let mut command = Command::new("qemu-x86_64");
            command.args(["-cpu", "Nehalem"]).arg(&program);
            command
        };
        compare(&chosen, on_old_cpu, !fused);
    } else {
        println!("not run: code for CPUs without AVX2, there is no qemu-x86_64");
    }
}

/// On 64-bit ARM multiply-adds round once as in the library on this CPU, so the bits are the same: with the standard library and, where
/// nothing of `libm` is asked for, without.
#[test]
fn generated_rust_for_arm_is_the_library() {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let found = run(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]), b"");
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if !Path::new(found.out.trim()).is_dir() || !has("qemu-aarch64") || !has("aarch64-linux-gnu-gcc") {
        return println!("not run: there is no {TARGET} of Rust (rustup target add), or no linker or emulator for it");
    }
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let quadruped = Model::bundled("quadruped", &floating()).unwrap();
    let names = ["rnea", "aba", "fd_derivatives", "energy"];
    let without = Options { math: Math::Libm, ..Options::default() };
    let all = [
        Case::new(&arm, some_functions(&arm, &names), Numbers::Table, Options::default(), "arm"),
        Case::new(&quadruped, some_functions(&quadruped, &names[..2]), Numbers::Table, Options::default(), "quadruped"),
        Case::new(&arm, some_functions(&arm, &names[..1]), Numbers::Table, without, "without"),
    ];
    let directory = directory("rust_aarch64");
    let for_arm = ["--target", TARGET, "-C", "linker=aarch64-linux-gnu-gcc", "-C", "target-feature=+crt-static"];
    let as_library = ["--crate-type", "rlib", "--crate-name", "libm", "--target", TARGET];
    let libm = compile(LIBM, &directory, "liblibm.rlib", &as_library);
    let libm = format!("libm={}", libm.display());
    let flags = [&for_arm[..], &["--extern", &libm]].concat();
    let program = compile(&program_of(&all), &directory, "all", &flags);
    let under = || {
        let mut command = Command::new("qemu-aarch64");
        command.arg(&program);
        command
    };
    compare(&all, under, cfg!(target_arch = "x86_64") && is_fused());
}

/// Whether the library computes with fused multiply-add here.
fn is_fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Arrays that are too short, too long, too many: an error, and nothing written.
fn wrong_lengths(case: &Case, program: &Path) {
    let (q, short, long) = (vec![0.1; 12], vec![0.1; 11], vec![0.1; 13]);
    let rnea = case.module.programs.iter().position(|program| program.name == "rnea").unwrap();
    let ask = |x: &[&[f64]], y: &[usize]| line("arm", rnea, 0, 2, x, y);
    let input = [
        ask(&[&q, &q, &q], &[12]),
        ask(&[&q, &short, &q], &[12]),
        ask(&[&q, &q, &long], &[12]),
        ask(&[&q, &q, &q], &[11]),
        ask(&[&q, &q], &[12]),
        ask(&[&q, &q, &q], &[12, 12]),
        line("arm", rnea, 0, usize::MAX, &[&q, &q, &q], &[12]),
    ];
    let result = run(&mut Command::new(program), input.concat().as_bytes());
    let answers: Vec<(i32, Vec<f64>)> = result.text().lines().map(numbers).collect();
    assert_eq!(answers.iter().map(|a| a.0).collect::<Vec<_>>(), [0, -1, -1, -1, -1, -1, -1]);
    assert!(answers[1..].iter().flat_map(|a| &a.1).all(|y| y.is_nan()), "nothing is written");
}

/// What `no_std` code asks of `libm`.
const LIBM: &str = "#![no_std]
pub fn sqrt(x: f64) -> f64 { x }
pub fn sqrtf(x: f32) -> f32 { x }
pub fn atan2(y: f64, _: f64) -> f64 { y }
pub fn atan2f(y: f32, _: f32) -> f32 { y }
pub fn sincos(x: f64) -> (f64, f64) { (x, x) }
";

/// Without the standard library, by a feature, and in a crate that forbids `unsafe`; on its own as on another architecture.
#[test]
fn generated_rust_needs_no_standard_library() {
    let directory = directory("rust_no_std");
    let libm = compile(LIBM, &directory, "liblibm.rlib", &["--crate-type", "rlib", "--crate-name", "libm"]);
    let libm = format!("libm={}", libm.display());
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let names = ["rnea", "aba", "difference"];
    let check = |name: &str, options: Options, attributes: &str, flags: &[&str]| {
        let case = Case::new(&arm, some_functions(&arm, &names), Numbers::Table, options, "arm");
        let source = format!("{attributes}\n{}", write(&case.module, options));
        let mut all = vec!["--crate-type", "rlib", "--emit", "metadata", "--extern", &libm];
        all.extend(flags);
        compile(&source, &directory, name, &all);
        source
    };
    let strict = "#![no_std]\n#![deny(warnings, missing_docs)]\n//! A robot.";
    let libm = Options { math: Math::Libm, ..Options::default() };
    check("double", libm, strict, &[]);
    check("double_native", libm, strict, &["-C", "target-feature=+avx2,+fma"]);
    check("single", Options { precision: Precision::F32, ..libm }, strict, &[]);
    let feature = Options { math: Math::Feature("std"), ..Options::default() };
    let known = ["--check-cfg", "cfg(feature, values(\"std\"))"];
    check("without", feature, strict, &known);
    check("with", feature, "", &[&known[..], &["--cfg", "feature=\"std\""]].concat());
    let safe = Options { instructions: Instructions::Portable, ..libm };
    let source = check("safe", safe, "#![no_std]\n#![forbid(unsafe_code)]", &[]);
    assert!(!source.contains("unsafe {") && !source.contains("core::arch"));
}

/// A program in which limbs go side by side, made by hand.
fn limbs_by_hand() -> Program {
    let array = |name: &'static str, len: usize| Array { name, shape: (len, 1) };
    let values = vec![
        Op::Input(0, 0),
        Op::Input(0, 1),
        Op::Input(0, 2),
        Op::Input(0, 3),
        Op::Gather(0), // 4: of all
        Op::Input(1, 0),
        Op::Splat(5),
        Op::MulAdd(4, 6, 6),
        Op::Sin(7),
        Op::NegMulAdd(8, 4, 6),
        Op::Select(8, 9, 9, 4), // 10
        Op::Sqrt(10),
        Op::Select(4, 6, 10, 8),
        Op::Lane(12, 0),
        Op::Lane(12, 1),
        Op::Lane(12, 2), // 15
        Op::Lane(12, 3),
        Op::Add(13, 15),
        Op::Gather(1), // of two
        Op::Div(18, 6),
        Op::Lane(19, 1), // 20
        Op::Cos(0),
        Op::Mul(21, 20),
        Op::Neg(12),
        Op::Lane(23, 2),
    ];
    Program {
        name: "by_hand".into(),
        inputs: vec![array("limb", 4), array("y", 1)],
        outputs: vec![array("out", 6)],
        parameters: Vec::new(),
        values,
        results: vec![vec![13, 14, 16, 17, 22, 24]],
        health: Some(17),
        scratch: Vec::new(),
        kernels: Vec::new(),
        products: Vec::new(),
        gathers: vec![vec![0, 1, 2, 3], vec![13, 16]],
        many_states: None,
        one_state: None,
        operations_of_library: 0,
        is_constrained: false,
    }
}

#[test]
fn limbs_go_side_by_side_within_one_state() {
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let mut case = Case::new(&arm, Vec::new(), Numbers::Baked, Options::default(), "limbs");
    case.module.programs.push(limbs_by_hand());
    let program = compile(&program_of(&[case]), &directory("rust_limbs"), "limbs", &["-C", "opt-level=1"]);
    let (limb, y) = ([0.3, 1.2, -0.7, 2.5, 0.4, 0.1, 0.9, -2.0], [0.8, 0.6]);
    let want: Vec<Option<Vec<Vec<f64>>>> =
        (0..2).map(|k| interpret(&limbs_by_hand(), &[], &[&limb[4 * k..][..4], &y[k..][..1]])).collect();
    let input = line("limbs", 0, 0, 2, &[&limb, &y], &[12])
        + &line("limbs", 0, 1, 1, &[&limb[..4], &y[..1]], &[6])
        + &line("limbs", 0, 2, 2, &[&limb, &y], &[12]);
    let result = run(&mut Command::new(&program), input.as_bytes());
    let got: Vec<(i32, Vec<f64>)> = result.text().lines().map(numbers).collect();
    let failures: Vec<bool> = want.iter().map(Option::is_none).collect();
    assert_eq!(got[0].0, i32::from(failures.contains(&true)));
    assert_eq!(got[1].0, i32::from(failures[0]));
    // Without fused multiply-add a digit may differ.
    let bound = if is_fused() { 0.0 } else { 1e-15 };
    for (k, want) in want.iter().enumerate() {
        let Some(want) = want else { continue };
        for got in [&got[0].1[6 * k..][..6], &got[2].1[6 * k..][..6]] {
            for (got, want) in got.iter().zip(&want[0]) {
                assert!((got - want).abs() <= bound, "state {k}: got {got}, want {want}");
            }
        }
    }
}

/// What generated Rust adds to a table is what the library adds, but for the order of a few sums; what it refuses changes nothing.
#[test]
fn a_payload_of_generated_rust_is_one_of_the_library() {
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let build = |name: &str| Builder::new(&arm).name(name).function("rnea").unwrap();
    let free = build("free").payload("tool0").unwrap();
    let source = format!("{}{}{PAYLOAD}", free.to_rust().unwrap(), build("held").to_rust().unwrap());
    let program = compile(&source, &directory("rust_payload"), "payload", &["-C", "opt-level=0"]);
    let got: Vec<f64> = run(&mut Command::new(&program), b"").text().lines().map(|x| x.parse().unwrap()).collect();
    let module = free.module().unwrap();
    let mut want = module.own_table();
    let about_com = Sym3 { xx: 0.02, xy: 0.003, xz: -0.001, yy: 0.03, yz: 0.002, zz: 0.025 };
    let load = Inertial { mass: 1.7, com: Vec3::new(0.05, -0.02, 0.11), about_com };
    module.add_payload(&mut want, "tool0", &load).unwrap();
    assert_eq!(got.len(), want.len());
    assert_ne!(want, module.own_table());
    for (k, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!((got - want).abs() <= 1e-15 * want.abs().max(1.0), "[{k}]: got {got}, want {want}");
    }
    assert!(build("arm").payload("hand").unwrap_err().to_string().contains("hand"));
    let baked = build("arm").payload("tool0").unwrap().numbers(Numbers::Baked);
    assert!(baked.to_rust().unwrap_err().to_string().contains("table"));
}

const PAYLOAD: &str = "
fn main() {
    let (com, inertia) = ([0.05, -0.02, 0.11], [0.02, 0.003, -0.001, 0.03, 0.002, 0.025]);
    let mut table = free::TABLE;
    let no_body = Err(free::PayloadError::NoBody);
    assert_eq!(free::add_payload(&mut table, free::Link::Tool0, -1.7, com, inertia), no_body);
    assert_eq!(free::add_payload(&mut table, free::Link::Tool0, 1.7, [f64::NAN; 3], inertia), no_body);
    assert_eq!(free::add_payload(&mut table, free::Link::Tool0, 1.7, com, [f64::INFINITY; 6]), no_body);
    assert_eq!(table, free::TABLE);
    let mut held = held::TABLE;
    assert_eq!(held::add_payload(&mut held, held::Link::Tool0, 1.7, com, inertia), Err(held::PayloadError::InCode));
    assert_eq!(held, held::TABLE);
    // A table of another length.
    let (x, mut y) = ([0.1; 6], [f64::NAN; 6]);
    assert_eq!((held::FUNCTIONS[0].1)(&held::TABLE[1..], 1, &[&x, &x, &x], &mut [&mut y]), -1);
    assert!(y.iter().all(|y| y.is_nan()));
    assert_eq!((held::FUNCTIONS[0].1)(&held::TABLE, 1, &[&x, &x, &x], &mut [&mut y]), 0);
    let link = free::Link::ALL.iter().find(|(name, _)| *name == \"tool0\").unwrap().1;
    free::add_payload(&mut table, link, 1.7, com, inertia).unwrap();
    table.iter().for_each(|x| println!(\"{x:?}\"));
}
";

/// The crate beside the library that compiles a robot in its build script: builds, runs, agrees.
#[test]
fn the_example_runs() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--offline", "-p", "generated-arm"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let result = run(&mut command, b"");
    for name in ["rnea", "aba", "fd_derivatives", "frame_jacobian"] {
        assert!(result.text().lines().any(|line| line.starts_with(name)), "{}", result.out);
    }
}

#[test]
fn what_cannot_be_built_is_an_error_that_says_why() {
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let builder = || Builder::new(&arm);
    let message = |result: Result<Builder, BuildError>| result.unwrap_err().to_string();
    assert!(message(builder().function("rneq")).contains("rneq"));
    assert!(message(builder().function("frame_jacobian")).contains("frame"));
    let unknown = builder().function_of_frame("frame_jacobian", "tol0", Reference::World);
    assert!(message(unknown).contains("tool0"));
    assert!(message(builder().function("rnea").unwrap().function("rnea")).contains("twice"));
    assert!(builder().to_rust().unwrap_err().to_string().contains("no function"));
    let nowhere = directory("rust_builder").join("nowhere").join("arm.rs");
    let error = builder().function("rnea").unwrap().write_rust(&nowhere).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    let file = directory("rust_builder").join("arm.rs");
    let _ = std::fs::remove_file(&file);
    let rnea = builder().function("rnea").unwrap();
    rnea.write_rust(&file).unwrap();
    let (text, time) = (std::fs::read_to_string(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap());
    assert_eq!(text, rnea.to_rust().unwrap());
    rnea.write_rust(&file).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), time, "the same is left alone");
}
