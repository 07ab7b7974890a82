//! `dtau generate`: files that compile, and errors that say what to do.

mod common;
use common::{directory, dtau};
use std::path::Path;
use std::process::Command;

/// The arguments, with a directory for the files.
fn generate(args: &[&str], to: &str) -> dtau_fixtures::command::Run {
    dtau(&[&["generate"], args, &["--out", to]].concat())
}

/// Compiles a source of the directory on its own.
fn compiles(directory: &Path, source: &str) {
    let flags =
        ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O0", "-c", "-o", "/dev/null"];
    let status = Command::new("gcc").args(flags).arg(directory.join(source)).status().unwrap();
    assert!(status.success(), "gcc does not compile {source}");
}

#[test]
fn c_is_written_for_functions_and_frames_and_compiles() {
    let to = directory("generate_c");
    let what = ["double_pendulum", "--what", "aba,fd-derivatives,frame_jacobian", "--lang", "c"];
    let run = generate(&[&what[..], &["--frame", "tip", "--lanes", "4"]].concat(), to.path());
    assert!(run.text().contains("fd_derivatives"));
    let header = std::fs::read_to_string(Path::new(to.path()).join("double_pendulum.h")).unwrap();
    for name in
        ["double_pendulum_aba_x4(", "double_pendulum_fd_derivatives_many(", "double_pendulum_frame_jacobian_tip("]
    {
        assert!(header.contains(name), "{name} is missing");
    }
    compiles(Path::new(to.path()), "double_pendulum.c");
}

/// Two feet of a quadruped; the numbers of the constraints are in the table, and the rows of λ in the header.
#[test]
fn c_is_written_for_functions_under_constraints() {
    let to = directory("generate_held");
    std::fs::create_dir_all(to.path()).unwrap();
    let file = Path::new(to.path()).join("feet.toml");
    let point = |foot: &str| format!("[[constraint]]\npoint = \"{foot}\"\nposition = [0.3, 0.2, -0.4]\n");
    // Without gains, where they are held would not matter.
    let gains = "stabilise = { kp = 100, kd = 20 }\n".to_owned();
    std::fs::write(&file, gains + &point("lf_foot") + &point("rh_foot")).unwrap();
    let what = ["quadruped", "--root", "floating", "--what", "constrained_fd,delassus,rnea", "--lang", "c"];
    let held = [&what[..], &["--constraints", file.to_str().unwrap()]].concat();
    assert!(generate(&held, to.path()).text().contains("numbers of the robot and its constraints in the table"));
    let read = |name: &str| std::fs::read_to_string(Path::new(to.path()).join(name)).unwrap();
    let (header, source) = (read("quadruped.h"), read("quadruped.c"));
    for text in ["lambda[3..] rh_foot: x, y, z", "tau[18] -> qdd[18], lambda[6]"] {
        assert!(header.contains(text), "{text} is missing");
    }
    assert!(source.contains("constraint \"lf_foot\": its second place: position x"));
    compiles(Path::new(to.path()), "quadruped.c");
    generate(&what, to.path()).fails_with(&["constrained_fd acts on constraints", "--constraints"]);
}

#[test]
fn casadi_gets_derivatives_of_what_was_asked_for() {
    let to = directory("generate_casadi");
    generate(&["double_pendulum", "--what", "aba", "--lang", "casadi"], to.path()).text();
    let source = std::fs::read_to_string(Path::new(to.path()).join("double_pendulum.c")).unwrap();
    for name in ["jac_", "fwd1_", "adj1_", "jac_adj1_"].map(|kind| format!("int {kind}double_pendulum_aba(")) {
        assert!(source.contains(&name), "{name} is missing");
    }
    compiles(Path::new(to.path()), "double_pendulum.c");
}

/// By the numbers of a quaternion, and of functions that the library has no derivatives of.
#[test]
fn casadi_gets_derivatives_of_a_floating_robot() {
    let to = directory("generate_casadi_floating");
    let what = ["double_pendulum", "--root", "floating", "--what", "rnea,energy,frame_placement", "--frame", "tip"];
    generate(&[&what[..], &["--lang", "casadi"]].concat(), to.path()).text();
    let source = std::fs::read_to_string(Path::new(to.path()).join("double_pendulum.c")).unwrap();
    for name in ["jac_double_pendulum_rnea(", "fwd1_double_pendulum_rnea(", "adj1_double_pendulum_rnea("] {
        assert!(source.contains(name), "{name} is missing");
    }
    for name in ["jac_double_pendulum_energy(", "jac_double_pendulum_frame_placement_tip("] {
        assert!(source.contains(name), "{name} is missing");
    }
    assert!(!source.contains("jac_adj1_"), "second derivatives by quaternions");
    compiles(Path::new(to.path()), "double_pendulum.c");
}

#[test]
fn what_cannot_be_generated_is_refused_and_nothing_is_written() {
    let to = directory("generate_nothing");
    let c = ["--lang", "c"];
    let fails = |args: &[&str], says: &[&str]| generate(&[args, &c].concat(), to.path()).fails_with(says);
    fails(&["arm6", "--what", "abba"], &["no function \"abba\"", "aba"]);
    fails(&["arm6", "--what", "frame_jacobian"], &["frame_jacobian is a function of a frame", "--frame"]);
    fails(&["arm6", "--what", "frame_jacobian", "--frame", "tool_0"], &["tool_0", "tool0"]);
    fails(&["arm6", "--what", "aba", "--lanes", "8"], &["--precision f32", "--lanes 4"]);
    fails(&["arm6", "--what", "aba", "--payload", "hand"], &["hand"]);
    fails(&["arm6", "--what", "aba", "--payload", "tool0", "--params", "baked"], &["table"]);
    generate(&["arm6", "--what", "aba", "--lang", "casadi", "--lanes", "4"], to.path())
        .fails_with(&["CasADi", "--lanes"]);
    generate(&["arm6", "--what", "aba", "--lang", "rust", "--lanes", "4"], to.path())
        .fails_with(&["state by state", "--lang c"]);
    assert!(!Path::new(to.path()).exists(), "something was written");
}

#[test]
fn a_place_that_cannot_be_written() {
    generate(&["arm6", "--what", "aba", "--lang", "c"], "/dev/null/x")
        .fails_with(&["/dev/null/x", "cannot be written"]);
    generate(&["arm6", "--what", "aba", "--lang", "c"], "/dev/null").fails_with(&["/dev/null", "give a directory"]);
}

/// Of two files the second cannot be replaced: the first is as it was, and nothing else is left behind.
#[test]
fn files_appear_together_or_not_at_all() {
    let to = directory("generate_together");
    let folder = Path::new(to.path());
    let (header, source) = (folder.join("double_pendulum.h"), folder.join("double_pendulum.c"));
    std::fs::create_dir_all(source.join("in_the_way")).unwrap(); // a directory where the source should be
    let args = ["double_pendulum", "--what", "gravity_torques", "--lang", "c"];
    let listed = || {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let fails = || {
        let run = generate(&args, to.path());
        assert!(run.code == Some(2) && run.err.contains("double_pendulum.c cannot be written"), "{}", run.err);
    };
    fails();
    assert_eq!(listed(), ["double_pendulum.c"]);
    std::fs::write(&header, "an older one").unwrap();
    fails();
    assert_eq!(listed(), ["double_pendulum.c", "double_pendulum.h"]);
    assert_eq!(std::fs::read_to_string(&header).unwrap(), "an older one");
    std::fs::remove_dir_all(&source).unwrap();
    generate(&args, to.path()).text();
    assert_eq!(listed(), ["double_pendulum.c", "double_pendulum.h"]);
    assert!(std::fs::read_to_string(&header).unwrap().contains("double_pendulum_gravity_torques("));
}
