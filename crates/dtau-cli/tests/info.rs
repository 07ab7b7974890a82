//! `dtau info`, `dtau robots`, `dtau` and help.

mod common;
use common::{DEADLINE, command, dtau, scratch};
use dtau_fixtures::command::Running;
use dtau_fixtures::robots::BUNDLED;
use std::io::{BufRead, BufReader, Read};

#[test]
fn json_numbers_the_joints_in_order() {
    for robot in BUNDLED {
        for root in ["fixed", "floating"] {
            for order in ["file", "alphabetical"] {
                let info = dtau(&["info", robot, "--root", root, "--order", order, "--format", "json"]).json();
                let (mut q, mut v) = (0, 0);
                for joint in info["joints"].as_array().unwrap() {
                    let (nq, nv) = (joint["nq"].as_u64().unwrap(), joint["nv"].as_u64().unwrap());
                    if joint["mimic"].is_null() {
                        assert_eq!((joint["q"].as_u64(), joint["v"].as_u64()), (Some(q), Some(v)), "{robot} {joint}");
                    } else {
                        assert_eq!((nq, nv), (0, 0), "{robot} {joint}");
                    }
                    (q, v) = (q + nq, v + nv);
                }
                assert_eq!((info["nq"].as_u64(), info["nv"].as_u64()), (Some(q), Some(v)), "{robot}");
                assert_eq!(info["name"], robot);
                assert_eq!((&info["options"]["root"], &info["options"]["order"]), (&root.into(), &order.into()));
            }
        }
    }
}

#[test]
fn masses_of_the_joints_add_up() {
    let info = dtau(&["info", "humanoid", "--root", "floating", "--format", "json"]).json();
    let sum: f64 = info["joints"].as_array().unwrap().iter().map(|joint| joint["mass"].as_f64().unwrap()).sum();
    assert!((sum - info["mass"].as_f64().unwrap()).abs() < 1e-12 * sum);
}

#[test]
fn mimicry_is_honoured_or_freed() {
    let honoured = dtau(&["info", "arm7_gripper", "--format", "json"]).json();
    let freed = dtau(&["info", "arm7_gripper", "--mimic", "free", "--format", "json"]).json();
    assert_eq!((honoured["nv"].as_u64(), freed["nv"].as_u64()), (Some(8), Some(9)));
    let follower = honoured["joints"].as_array().unwrap().iter().find(|joint| !joint["mimic"].is_null()).unwrap();
    assert_eq!(follower["mimic"]["joint"], "finger_left_slide");
    assert!(freed["joints"].as_array().unwrap().iter().all(|joint| joint["mimic"].is_null()));
    assert!(dtau(&["info", "arm7_gripper"]).text().contains("= -1 · finger_left_slide"));
}

#[test]
fn the_table_is_a_tree() {
    let run = dtau(&["info", "quadruped", "--root", "floating"]);
    let text = run.text();
    for part in [
        "nq 19, nv 18, 13 bodies",
        "root floating, order file, mimic honour, gravity 0 0 -9.81 m/s²",
        "\nroot_joint ",
        "free-flyer",
        "\n├─ ",
        "\n│  └─ ",
        "\n└─ ",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains('\x1b'), "colours in a pipe");
    for (option, said) in [("--no-damping", "no damping"), ("--no-friction", "no friction")] {
        assert!(dtau(&["info", "arm6", option]).text().contains(said));
    }
}

/// A URDF of rods, each hanging on the link that `parent` tells.
fn many_links(count: usize, parent: impl Fn(usize) -> usize) -> String {
    let mut urdf = String::from("<robot name=\"many\"><link name=\"link_0\"/>\n");
    for i in 1..=count {
        urdf += &format!(
            "<link name=\"link_{i}\"><inertial><origin xyz=\"0.5 0 0\"/><mass value=\"1\"/>\
             <inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial></link>\n\
             <joint name=\"joint_{i}\" type=\"continuous\"><parent link=\"link_{}\"/><child link=\"link_{i}\"/>\
             <origin xyz=\"1 0 0\"/><axis xyz=\"0 0 1\"/></joint>\n",
            parent(i)
        );
    }
    urdf + "</robot>\n"
}

/// With quadratic time, memory or output this would not end in the time of a test, or not fit into memory.
#[test]
fn robots_of_many_links_are_told() {
    let count = 20_000;
    let chain = scratch("chain.urdf", many_links(count, |i| i - 1));
    let run = dtau(&["info", chain.path()]);
    assert!(run.text().contains("nq 20000, nv 20000, 20000 bodies, 20000.000 kg, depth 20000, 40001 frames"));
    assert!(run.text().contains("joint_20000"));
    assert!(run.text().len() < 300 * count, "{}", run.text().len());
    // A comb, each tooth before the next piece of its back.
    let comb = scratch("comb.urdf", many_links(count, |i| if i % 2 == 0 { i - 1 } else { i.saturating_sub(2) }));
    let info = dtau(&["info", comb.path(), "--format", "json"]).json();
    assert_eq!((info["nv"].as_u64(), info["depth"].as_u64()), (Some(20_000), Some(10_001)));
}

#[test]
fn the_bundled_robots_are_listed() {
    let run = dtau(&["robots"]);
    for robot in BUNDLED {
        assert!(run.text().contains(&format!("dtau info {robot}")), "{}", run.out);
    }
}

#[test]
fn without_arguments_the_humanoid_is_checked() {
    let run = dtau(&[]);
    for part in ["humanoid", "39 degrees of freedom", "rnea", "aba", "minverse", "✓", "dtau info"] {
        assert!(run.text().contains(part), "no {part:?} in\n{}", run.out);
    }
}

#[test]
fn help_has_examples() {
    for args in [&["--help"][..], &["eval", "--help"]] {
        assert!(dtau(args).text().contains("Examples:"));
    }
    assert!(dtau(&["--version"]).text().starts_with("dtau "));
}

/// `dtau info humanoid | head -1`: the reader leaves before everything is written.
#[test]
fn a_reader_may_leave() {
    let long = ["eval", "humanoid", "--state", "-", "--what", "frame_jacobian"];
    let state = format!("{{\"q\": {}}}", common::zeros(33));
    for (args, input) in [(&["info", "humanoid", "--format", "json"][..], ""), (&long[..], &state), (&["--help"], "")] {
        let mut child = Running::start(command(args).stdin(std::process::Stdio::piped()), DEADLINE);
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let mut first = String::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap(); // and closes the pipe
        assert!(!first.is_empty());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!((child.wait().code(), err.as_str()), (Some(0), ""), "{args:?}");
    }
}

/// A name may have anything in it, and a mass any size: a joint is one line all the same, and no terminal is told what to do.
#[test]
fn names_and_masses_of_any_sort_take_one_line() {
    let robot = "<robot name=\"two&#10;lines\"><link name=\"base\"/>\
        <link name=\"a&#10;b&#9;c\"><inertial><mass value=\"3e14\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\
        <joint name=\"j&#13;&#10;k\" type=\"continuous\"><parent link=\"base\"/><child link=\"a&#10;b&#9;c\"/><axis xyz=\"0 0 1\"/></joint></robot>";
    let file = common::scratch("names.urdf", robot);
    let run = dtau(&["info", file.path()]);
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(lines.len(), 6, "{}", run.out); // name, sizes, options, nothing, head, joint
    assert!(lines[0].contains("two\\nlines") && lines[1].contains("3.0e14 kg"), "{}", run.out);
    assert!(lines[5].contains("j\\r\\nk") && lines[5].contains("a\\nb\\tc"), "{}", run.out);
}

/// A name with a line break or a command for the terminal in it keeps to its line.
#[test]
fn names_stay_on_their_lines() {
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/hostile.urdf");
    let run = dtau(&["info", robot]);
    let text = run.text();
    assert!(text.contains("line\\nof,\"two\"") && text.contains("\\ttab\\nline"), "{text}");
    assert!(text.lines().all(|line| !line.starts_with("of,") && !line.starts_with("line")), "{text}");
    let json = dtau(&["info", robot, "--format", "json"]).json();
    assert_eq!(json["joints"][2]["name"], "line\nof,\"two\"");
}
