//! Generated C, compiled by this machine's compiler and run. `test.sh` does the same for all robots,
//! compilers and CPUs.

mod harness;

use dtau::model::{Inertial, Model, Options, Root, generate};
use dtau::spatial::{Sym3, Vec3};
use dtau_fixtures::constraints::some;
use dtau_generate::emit::c::{self, Precision, Style};
use dtau_generate::emit::identifier;
use dtau_generate::{Module, Numbers, RecordOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: [&str; 8] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
    "-fsanitize=undefined,address",
];

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn compile(at: &Path, sources: &[&str], flags: &[&str]) {
    let mut gcc = Command::new("gcc");
    let status =
        gcc.current_dir(at).args(FLAGS).args(flags).args(sources).args(["-o", "program", "-lm"]).status().unwrap();
    assert!(status.success(), "gcc does not compile {}", at.display());
}

/// Compiles sources in a directory, runs the program there and returns its output.
fn run(at: &Path, sources: &[&str], flags: &[&str], arguments: &[&str]) -> String {
    compile(at, sources, flags);
    let output = Command::new(at.join("program")).current_dir(at).args(arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every function in double precision with a table, and a few in other variants, for one state and for
/// several. The compiler targets a generic CPU. On x86-64, multiply-adds then round twice, and the bits are
/// those of the program interpreted with that rounding. Single precision is compared with the library on this
/// CPU, whose multiply-adds round once; rows in which large terms cancel magnify the difference. Sanitizers
/// check memory and undefined behaviour.
#[test]
fn compiled_c_is_the_library() {
    let model = Model::bundled("double_pendulum", &Options::default()).unwrap();
    // The long run has every function in each variant.
    let few = &["rnea", "aba", "fd_derivatives", "fd_vjp", "frame_jacobian", "difference"][..];
    let few = if std::env::var_os("DTAU_LONG").is_some() { &[] } else { few };
    for (name, precision, numbers, functions, tolerance) in [
        ("f64", Precision::F64, Numbers::Table, &[][..], "1e-13"),
        ("baked", Precision::F64, Numbers::Baked, few, "1e-13"),
        ("f32", Precision::F32, Numbers::Table, few, "2e-4"),
    ] {
        let to = directory(&format!("compiled_{name}"));
        let options = RecordOptions { numbers, ..RecordOptions::default() };
        let module = Module::record(&model, &harness::requests(&model, functions), options).unwrap();
        harness::write(&module, Style::new(precision, true), &to);
        let twice = cfg!(target_arch = "x86_64") && precision == Precision::F64;
        let arguments = if twice { vec!["twice.bin", tolerance, "exact"] } else { vec!["data.bin", tolerance] };
        println!("{name}: {}", run(&to, &["double_pendulum.c", "check.c"], &[], &arguments));
    }
}

/// Matrices by kernels, which large robots use, on a tree that compiles quickly. It has blocks of rows of one
/// kind and of several, branches, joints with several degrees of freedom, and a number of rows that is not a
/// multiple of four. The bits equal the library's if multiply-adds round once.
#[test]
fn kernels_in_c_are_the_library() {
    let options = Options { root: Root::Floating, ..Options::default() };
    let tree = Model::build(&generate::random_tree(1, 3), &options).unwrap();
    let arm = Model::bundled("arm6", &Options::default()).unwrap();
    let mut fused = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        fused.extend(["-march=haswell"]);
    }
    let exact: &[&str] = if fused.is_empty() { &["data.bin", "1e-10"] } else { &["data.bin", "1e-13", "exact"] };
    for (model, name, precision, flags, arguments) in [
        (&tree, "tree", Precision::F64, &fused[..], exact),
        (&arm, "arm", Precision::F64, &[], &["data.bin", "1e-10"]),
        (&arm, "arm_f32", Precision::F32, &fused, &["data.bin", "2e-4"]),
    ] {
        let to = directory(&format!("kernels_{name}"));
        let functions = harness::requests(model, &["crba", "minverse", "id_derivatives"]);
        let module = Module::record(model, &functions, harness::by_kernels()).unwrap();
        assert!(module.programs.iter().all(|program| !program.kernels.is_empty()));
        harness::write(&module, Style::new(precision, true), &to);
        let source = format!("{}.c", identifier(model.name()));
        println!("{name}, {} dofs: {}", model.nv(), run(&to, &[&source, "check.c"], flags, arguments));
    }
}

/// Derivatives under constraints, solved column by column: eight columns of one state side by side, two of
/// four states, one of eight. With and without SIMD registers.
#[test]
fn columns_in_c_are_the_library() {
    let options = Options { root: Root::Floating, ..Options::default() };
    let tree = Model::bundled("double_pendulum", &options).unwrap();
    let set = some(&tree);
    assert!(tree.nv() >= 8 && set.rows() > 2, "{} dofs, {} rows", tree.nv(), set.rows());
    // With sanitizers, compiling the first one takes a minute.
    let (without, with) = ("-fno-sanitize=all", "-fsanitize=undefined,address");
    for (name, function, precision, flags, arguments) in [
        ("f64", "impulse_derivatives", Precision::F64, ["-march=haswell", with], &["data.bin", "1e-13", "exact"][..]),
        (
            "wide",
            "impulse_derivatives",
            Precision::F64,
            ["-march=skylake-avx512", without],
            &["data.bin", "1e-13", "exact"],
        ),
        ("f32", "impulse_derivatives", Precision::F32, ["-march=haswell", without], &["data.bin", "2e-3"]),
        (
            "fd",
            "constrained_fd_derivatives",
            Precision::F64,
            ["-march=haswell", without],
            &["data.bin", "1e-13", "exact"],
        ),
        ("plain", "constrained_fd_derivatives", Precision::F64, ["-DPLAIN", without], &["data.bin", "1e-9"]),
    ] {
        let functions = harness::requests(&tree, &[function]);
        let module = Module::record(&set, &functions, harness::by_kernels()).unwrap();
        assert!(module.programs.iter().all(|program| !program.kernels.is_empty()));
        let to = directory(&format!("columns_{name}"));
        harness::write(&module, Style::new(precision, true), &to);
        let source = format!("{}.c", identifier(tree.name()));
        // Code that this CPU cannot run is compiled anyway.
        if has(flags[0]) {
            println!("{name}: {}", run(&to, &[&source, "check.c"], &flags, arguments));
        } else if cfg!(target_arch = "x86_64") {
            compile(&to, &[&source, "check.c"], &flags);
        }
    }
}

/// True if this CPU supports what a flag enables.
fn has(flag: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        match flag {
            "-march=haswell" => has!("avx2") && has!("fma"),
            "-march=skylake-avx512" => {
                has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw") && has!("avx512cd")
            }
            _ => true,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    !flag.starts_with("-march")
}

/// C changes a table like Rust, except for the order of a few sums.
#[test]
fn a_payload_in_c_is_one_in_rust() {
    let model = Model::bundled("arm6", &Options::default()).unwrap();
    let requests = harness::requests(&model, &["rnea"]);
    let module = Module::record(&model, &requests, harness::for_payloads()).unwrap();
    let files = c::write(&module, Style::new(Precision::F64, false));
    let to = directory("payload");
    std::fs::write(to.join("arm6.h"), &files.header).unwrap();
    std::fs::write(to.join("arm6.c"), &files.source).unwrap();
    std::fs::write(to.join("main.c"), MAIN).unwrap();
    let got: Vec<f64> = run(&to, &["arm6.c", "main.c"], &[], &[]).lines().map(|line| line.parse().unwrap()).collect();
    let mut want = module.own_table();
    let about_com = Sym3 { xx: 0.02, xy: 0.003, xz: -0.001, yy: 0.03, yz: 0.002, zz: 0.025 };
    let load = Inertial { mass: 1.7, com: Vec3::new(0.05, -0.02, 0.11), about_com };
    module.add_payload(&mut want, "tool0", &load).unwrap();
    assert_eq!(got.len(), want.len());
    for (k, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!((got - want).abs() <= 1e-15 * want.abs().max(1.0), "[{k}]: got {got}, want {want}");
    }
}

const MAIN: &str = "
#include \"arm6.h\"
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    double table[ARM6_TABLE];
    const double com[3] = {0.05, -0.02, 0.11}, inertia[6] = {0.02, 0.003, -0.001, 0.03, 0.002, 0.025};
    memcpy(table, arm6_table, sizeof table);
    /* What is refused leaves the table as it was. */
    if (arm6_add_payload(table, -1, 1.7, com, inertia) != 1 || arm6_add_payload(table, 1000, 1.7, com, inertia) != 1) return 1;
    if (arm6_add_payload(table, ARM6_LINK_TOOL0, -1.7, com, inertia) != 2) return 2;
    if (arm6_add_payload(table, ARM6_LINK_TOOL0, (double)NAN, com, inertia) != 2) return 3;
    if (memcmp(table, arm6_table, sizeof table) != 0 || arm6_fingerprint != ARM6_FINGERPRINT) return 4;
    if (arm6_add_payload(table, ARM6_LINK_TOOL0, 1.7, com, inertia) != 0) return 5;
    for (int k = 0; k < ARM6_TABLE; k++) printf(\"%.17g\\n\", table[k]);
    return 0;
}
";
