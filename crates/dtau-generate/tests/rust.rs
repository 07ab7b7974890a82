//! Generated Rust, compiled and run, computes the same as the library.
//!
//! One program contains the modules of several robots and calls every function by its name, for one state and
//! for many. It reads and writes numbers as bits, so that exact results are compared. Some modules call
//! generated C, which gcc compiles.
//!
//! The short run has every function of a small robot, and some functions of others for features that it
//! lacks: products, tangents of rotations, constraints, mimicry. `DTAU_LONG=1` adds trees with every joint
//! type, and most functions of an arm. `recorded.rs` checks that the recording of these is correct,
//! independent of the language.

mod harness;

use dtau::model::{Inertial, Model, Options as ModelOptions, Root, generate};
use dtau::spatial::{Sym3, Vec3};
use dtau::{Constraints, Function, Gains, Parameters, Random, Reference, Workspace, function};
use dtau_fixtures::command::{self, Run};
use dtau_generate::emit::c::{self, Precision, Style};
use dtau_generate::emit::rust::{Instructions, Math, Options, around_c, write};
use dtau_generate::program::{Array, Op, Program};
use dtau_generate::{BuildError, Builder, Loops, Module, Numbers, RecordOptions, Request, Subject};
use harness::requests;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const STATES: usize = 6; // in C four side by side and two
const DEADLINE: Duration = Duration::from_secs(300);

/// A quadruped with constraints on two feet.
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

/// Language of the generated code.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    Rust(Options),
    AroundC(Style),
}

/// A robot, its requested code, and states.
struct Case {
    model: Model,
    held: Option<Constraints>,
    requests: Vec<Request>,
    module: Module,
    written: Written,
}

impl Case {
    fn new<'a>(
        of: impl Into<Subject<'a>>,
        requests: Vec<Request>,
        numbers: Numbers,
        written: Written,
        name: &str,
    ) -> Self {
        let loops = if matches!(written, Written::AroundC(_)) { Loops::Kernels } else { Loops::Products };
        let mut module =
            Module::record(of, &requests, RecordOptions { numbers, loops, ..RecordOptions::default() }).unwrap();
        module.robot = name.into();
        Case { model: module.model.clone(), held: module.constraints.clone(), requests, module, written }
    }

    fn precision(&self) -> Precision {
        match self.written {
            Written::Rust(options) => options.precision,
            Written::AroundC(style) => style.precision,
        }
    }

    fn real(&self) -> &'static str {
        if self.precision() == Precision::F64 { "f64" } else { "f32" }
    }

    /// Writes the module as Rust. C code that it calls is compiled in a folder, to the returned object file.
    fn write(&self, to: &Path) -> (String, Option<PathBuf>) {
        let style = match self.written {
            Written::Rust(options) => return (write(&self.module, options), None),
            Written::AroundC(style) => style,
        };
        let files = c::write(&self.module, style);
        let path = |extension: &str| to.join(format!("{}.{extension}", files.prefix));
        std::fs::write(path("h"), files.header).unwrap();
        std::fs::write(path("c"), files.source).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(c::FLAGS)
            .args(["-O0", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", "-o"])
            .arg(path("o"))
            .arg(path("c"));
        let result = run(if is_fused() { gcc.arg("-march=haswell") } else { &mut gcc }, b"");
        assert_eq!((result.code, result.err.as_str()), (Some(0), ""));
        (around_c(&self.module, style, &files.prefix), Some(path("o")))
    }

    /// Returns numbers for the inputs of a function, state by state.
    fn inputs(&self, program: &Program) -> Vec<Vec<f64>> {
        let random = &mut Random::seeded(3);
        let is_configuration = |array: &Array| array.name.starts_with('q') && array.len() == self.model.nq();
        let mut x = vec![Vec::new(); program.inputs.len()];
        for state in 0..STATES {
            for (x, array) in x.iter_mut().zip(&program.inputs) {
                if is_configuration(array) && array.name != "qdd" {
                    let mut q = self.model.random_configuration(random);
                    if state == 5 && self.model.name() == "arm6" {
                        q[0] += 2.0e6 * core::f64::consts::PI; // too large for the fast sine
                    }
                    x.extend(q);
                } else {
                    x.extend((0..array.len()).map(|_| random.within(-1.0, 1.0)));
                }
            }
        }
        if self.precision() == Precision::F32 {
            x.iter_mut().flatten().for_each(|x| *x = f64::from(*x as f32));
        }
        x
    }

    /// Returns the results of the library.
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

    /// Writes a function that calls each of the module's functions, which take arrays of fixed sizes.
    fn glue(&self) -> String {
        let (robot, real, mut text) = (&self.module.robot, self.real(), String::new());
        let _ = writeln!(text, "mod glue_{robot} {{\n    use super::{robot} as m;");
        let _ = writeln!(text, "    pub fn call(f: usize, x: &[&[{real}]], y: &mut [&mut [{real}]]) -> i32 {{");
        text.push_str("        match f {\n");
        for (f, program) in self.module.programs.iter().enumerate() {
            let table = if self.module.numbers == Numbers::Table { "&m::TABLE, " } else { "" };
            let inputs = (0..program.inputs.len()).map(|k| format!("x[{k}].try_into().unwrap(), "));
            let outputs = (0..program.outputs.len()).map(|k| format!("(&mut **y{k}).try_into().unwrap(), "));
            let all: String = (0..program.outputs.len()).map(|k| format!("y{k}, ")).collect();
            let arguments: String = inputs.chain(outputs).collect();
            let _ = writeln!(
                text,
                "            {f} => {{ let [{all}] = y else {{ return -2 }}; m::{}({table}{arguments}).is_err() as i32 }}",
                program.name
            );
        }
        text.push_str("            _ => -2,\n        }\n    }\n}\n");
        text
    }
}

/// Program that calls generated code. It reads lines of `robot function way` and numbers as bits, and answers
/// in the same form.
const MAIN: &str = "
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

/// Compiles the program in a folder.
fn program_of(cases: &[Case], to: &Path, flags: &[&str]) -> PathBuf {
    let (mut text, mut objects, mut arms) = ("#![deny(warnings)]\n".to_string(), Vec::new(), String::new());
    for case in cases {
        let (module, object) = case.write(to);
        text += &module;
        objects.extend(object.map(|object| format!("-Clink-arg={}", object.display())));
        text += &case.glue();
        let (robot, real) = (&case.module.robot, case.real());
        let table = if case.module.numbers == Numbers::Table { format!("&{robot}::TABLE") } else { "&[]".into() };
        let _ = writeln!(
            arms,
            "{robot:?} => {{
                let x: Vec<Vec<{real}>> = x.iter().map(|x| x.iter().map(|&x| x as {real}).collect()).collect();
                let x: Vec<&[{real}]> = x.iter().map(|x| &x[..]).collect();
                let mut y: Vec<Vec<{real}>> = sizes[1].iter().map(|&n| vec![{real}::NAN; n]).collect();
                let mut to: Vec<&mut [{real}]> = y.iter_mut().map(|y| &mut y[..]).collect();
                let status = match way {{
                    0 => ({robot}::FUNCTIONS[f].1)({table}, states, &x, &mut to),
                    _ => glue_{robot}::call(f, &x, &mut to),
                }};
                (status, y.iter().map(|y| y.iter().map(|&y| f64::from(y)).collect::<Vec<f64>>()).collect::<Vec<_>>())
            }}"
        );
    }
    objects.push("-Clink-arg=-lm".into());
    let flags: Vec<&str> = flags.iter().copied().chain(objects.iter().map(String::as_str)).collect();
    compile(&(text + &MAIN.replace("@ARMS@", &arms)), to, "all", &flags)
}

fn run(command: &mut Command, input: &[u8]) -> Run {
    command::run(command.stdout(Stdio::piped()).stderr(Stdio::piped()), input, DEADLINE)
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Compiles a file with the current Rust compiler.
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

/// Writes one call as text: its names and its numbers.
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

/// Returns the tolerance for generated code.
fn tolerance(case: &Case, program: &Program, same_instructions: bool) -> f64 {
    let arcus = program.values.iter().any(|op| matches!(op, Op::Atan2(..)));
    if case.precision() == Precision::F32 {
        1e-3 // single precision, compared with the library's double
    } else if !same_instructions {
        1e-11 // multiply-adds that round twice
    } else if program.products.is_empty() && !arcus {
        0.0 // only constants were folded: the same bits
    } else {
        1e-13 // another order of sums, or the standard library's arctangent
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

/// Robots that together cover every feature of a robot.
fn cases() -> Vec<Case> {
    let (arm, quadruped) =
        (Model::bundled("arm6", &ModelOptions::default()).unwrap(), Model::bundled("quadruped", &floating()).unwrap());
    let pendulum = Model::bundled("double_pendulum", &ModelOptions::default()).unwrap();
    let random = |seed: u64| Model::build(&generate::random_tree(seed, 3), &ModelOptions::default()).unwrap();
    let mimic = (0..).map(random).find(|model| model.mimic().is_some()).unwrap();
    let by_default = Options::default();
    let in_rust = Written::Rust(by_default);
    let single = Written::Rust(Options { precision: Precision::F32, ..by_default });
    let portable = Written::Rust(Options { instructions: Instructions::Portable, ..by_default });
    let [c, c_single, c_one] = [(Precision::F64, true), (Precision::F32, true), (Precision::F64, false)]
        .map(|(precision, lanes)| Written::AroundC(Style::new(precision, lanes)));
    let case = |model: &Model, names: &[&str], written, name: &str| {
        Case::new(model, requests(model, names), Numbers::Table, written, name)
    };
    let few = ["rnea", "aba", "integrate", "difference"];
    let mut all = vec![
        case(&arm, &["rnea", "aba", "fd_derivatives", "frame_jacobian"], in_rust, "arm"),
        case(&pendulum, &[], in_rust, "pendulum"),
        case(&mimic, &few[..2], in_rust, "mimic"),
        case(&quadruped, &["rnea", "fd_derivatives", "difference"], in_rust, "quadruped"),
        Case::new(&held(&quadruped), under_constraints(), Numbers::Table, in_rust, "held"),
        Case::new(&arm, requests(&arm, &few[..1]), Numbers::Baked, in_rust, "baked"),
        case(&arm, &few[..2], single, "single"),
        case(&arm, &few[..1], portable, "portable"),
        case(&arm, &few[..2], c, "arm_in_c"),
        case(&arm, &few[..1], c_single, "single_in_c"),
        case(&quadruped, &["fd_derivatives"], c_one, "quadruped_in_c"),
        Case::new(&arm, requests(&arm, &few[..1]), Numbers::Baked, c, "baked_in_c"),
    ];
    if std::env::var_os("DTAU_LONG").is_none() {
        return all;
    }
    let most = ["crba", "minverse", "id_derivatives", "fd_vjp", "com_jacobian", "energy", "id_hessian"];
    all.push(case(&arm, &most, in_rust, "more_of_arm"));
    all.push(case(&arm, &most, c, "more_of_arm_in_c"));
    // Adds trees until every joint type is covered.
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
            all.push(case(
                &model,
                &[&few[..], &["frame_jacobian", "integrate_derivatives", "normalise"]].concat(),
                in_rust,
                &name,
            ));
        }
    }
    println!("{} kinds of joints", kinds.len());
    all
}

#[test]
fn generated_rust_is_the_library() {
    let all = cases();
    let program = program_of(&all, &directory("rust"), &["-C", "opt-level=0"]);
    let is_portable =
        |case: &Case| matches!(case.written, Written::Rust(options) if options.instructions == Instructions::Portable);
    let (portable, chosen): (Vec<Case>, Vec<Case>) = all.into_iter().partition(is_portable);
    let fused = cfg!(target_arch = "x86_64") && is_fused();
    compare(&chosen, || Command::new(&program), fused);
    compare(&portable, || Command::new(&program), !fused);
    wrong_lengths(&chosen[0], &program);
    let in_c = chosen.iter().find(|case| matches!(case.written, Written::AroundC(_))).unwrap();
    wrong_lengths(in_c, &program);
    let chosen: Vec<Case> = chosen.into_iter().filter(|case| matches!(case.written, Written::Rust(_))).collect();
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

/// On 64-bit ARM, multiply-adds of the standard library round once, as in the library on this CPU, so the
/// bits are the same. With `libm` they round twice.
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
    let names = ["rnea", "aba", "fd_derivatives", "energy"];
    let without = Options { math: Math::Libm, ..Options::default() };
    let case = |model: &Model, names: &[&str], options, name| {
        Case::new(model, requests(model, names), Numbers::Table, Written::Rust(options), name)
    };
    let all = [case(&arm, &names, Options::default(), "arm"), case(&arm, &names[..1], without, "without")];
    let directory = directory("rust_aarch64");
    let for_arm = ["--target", TARGET, "-C", "linker=aarch64-linux-gnu-gcc", "-C", "target-feature=+crt-static"];
    let as_library = ["--crate-type", "rlib", "--crate-name", "libm", "--target", TARGET];
    let libm = compile(LIBM, &directory, "liblibm.rlib", &as_library);
    let libm = format!("libm={}", libm.display());
    let flags = [&for_arm[..], &["--extern", &libm]].concat();
    let program = program_of(&all, &directory, &flags);
    let under = || {
        let mut command = Command::new("qemu-aarch64");
        command.arg(&program);
        command
    };
    let fused = cfg!(target_arch = "x86_64") && is_fused();
    compare(&all[..1], under, fused);
    compare(&all[1..], under, !fused);
}

/// True if the library uses fused multiply-add here.
fn is_fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Arrays that are too short, too long or too many give an error, and nothing is written.
fn wrong_lengths(case: &Case, program: &Path) {
    let (q, short, long) = (vec![0.1; 12], vec![0.1; 11], vec![0.1; 13]);
    let rnea = case.module.programs.iter().position(|program| program.name == "rnea").unwrap();
    let robot = &case.module.robot;
    let ask = |x: &[&[f64]], y: &[usize]| line(robot, rnea, 0, 2, x, y);
    let input = [
        ask(&[&q, &q, &q], &[12]),
        ask(&[&q, &short, &q], &[12]),
        ask(&[&q, &q, &long], &[12]),
        ask(&[&q, &q, &q], &[11]),
        ask(&[&q, &q], &[12]),
        ask(&[&q, &q, &q], &[12, 12]),
        line(robot, rnea, 0, usize::MAX, &[&q, &q, &q], &[12]),
    ];
    let result = run(&mut Command::new(program), input.concat().as_bytes());
    let answers: Vec<(i32, Vec<f64>)> = result.text().lines().map(numbers).collect();
    assert_eq!(answers.iter().map(|a| a.0).collect::<Vec<_>>(), [0, -1, -1, -1, -1, -1, -1]);
    assert!(answers[1..].iter().flat_map(|a| &a.1).all(|y| y.is_nan()), "nothing is written");
}

/// Functions that `no_std` code needs from `libm`.
const LIBM: &str = "#![no_std]
pub fn sqrt(x: f64) -> f64 { x }
pub fn sqrtf(x: f32) -> f32 { x }
pub fn atan2(y: f64, _: f64) -> f64 { y }
pub fn atan2f(y: f32, _: f32) -> f32 { y }
pub fn sincos(x: f64) -> (f64, f64) { (x, x) }
";

/// Compiles without the standard library, with a feature, in a crate that forbids `unsafe`, and alone as on
/// another architecture.
#[test]
fn generated_rust_needs_no_standard_library() {
    let directory = directory("rust_no_std");
    let libm = compile(LIBM, &directory, "liblibm.rlib", &["--crate-type", "rlib", "--crate-name", "libm"]);
    let libm = format!("libm={}", libm.display());
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let module = Module::record(&arm, &requests(&arm, &["rnea", "difference"]), RecordOptions::default()).unwrap();
    let check = |name: &str, options: Options, attributes: &str, flags: &[&str]| {
        let source = format!("{attributes}\n{}", write(&module, options));
        let mut all = vec!["--crate-type", "rlib", "--emit", "metadata", "--extern", &libm];
        all.extend(flags);
        compile(&source, &directory, name, &all);
        source
    };
    let strict = "#![no_std]\n#![deny(warnings, missing_docs)]\n//! A robot.";
    let libm = Options { math: Math::Libm, ..Options::default() };
    check("double", libm, strict, &[]);
    check("single", Options { precision: Precision::F32, ..libm }, strict, &[]);
    let feature = Options { math: Math::Feature("std"), ..Options::default() };
    let known = ["--check-cfg", "cfg(feature, values(\"std\"))"];
    check("without", feature, strict, &known);
    check("with", feature, "", &[&known[..], &["--cfg", "feature=\"std\""]].concat());
    for safe in [libm, Options { instructions: Instructions::Portable, ..Options::default() }] {
        let source = check("safe", safe, "#![forbid(unsafe_code)]", &[]);
        assert!(!source.contains("unsafe {") && !source.contains("core::arch"));
    }
}

/// Generated Rust changes a table like the library, except for the order of a few sums. Refused payloads
/// change nothing.
#[test]
fn a_payload_of_generated_rust_is_one_of_the_library() {
    let arm = Model::bundled("arm6", &ModelOptions::default()).unwrap();
    let build = |name: &str| Builder::new(&arm).name(name).function("rnea").unwrap();
    let free = build("free").payload("tool0").unwrap();
    let source = format!("{}{}{PAYLOAD}", free.to_rust().unwrap(), build("held").to_rust().unwrap());
    let program = compile(&source, &directory("rust_payload"), "payload", &["-C", "opt-level=0"]);
    let got: Vec<f64> = run(&mut Command::new(&program), b"").text().lines().map(|x| x.parse().unwrap()).collect();
    let module = free.module(Loops::Products).unwrap();
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

/// The example crate that compiles a robot in its build script: it builds, runs, and agrees. It uses the
/// features of the workspace's tests, so that nothing is built again.
#[test]
fn the_example_runs() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--offline", "--workspace", "--all-features", "--bin", "generated-arm"]);
    let built = run(command.current_dir(env!("CARGO_MANIFEST_DIR")), b"");
    assert_eq!(built.code, Some(0), "{}", built.err);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let result = run(&mut Command::new(target.join("debug").join("generated-arm")), b"");
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
    let source = rnea.name("arm_in_c").write_c(directory("rust_builder")).unwrap();
    let text = |extension: &str| std::fs::read_to_string(source.with_extension(extension)).unwrap();
    assert!(text("c").contains("arm_in_c_rnea_many(") && text("h").contains("arm_in_c_rnea_x4("));
    assert!(text("rs").contains("pub mod arm_in_c") && text("rs").contains("fn arm_in_c_rnea_many("));
}
