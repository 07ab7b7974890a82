//! Every kind of mistake: one line on standard error that says where and what, exit code 2, never a panic.

mod common;
use common::{DEADLINE, command, dtau, dtau_with, scratch, zeros};
use dtau_fixtures::command::{Run, run};

const PENDULUM: [&str; 5] = ["eval", "double_pendulum", "--state", "-", "--what"];

/// `dtau eval double_pendulum` on this state file.
fn eval(state: &str, what: &str) -> Run {
    dtau_with(&[&PENDULUM[..], &[what]].concat(), state)
}

#[test]
fn a_robot_that_is_neither_bundled_nor_a_file() {
    let bundled = "double_pendulum, arm6, arm7_gripper, quadruped, humanoid";
    dtau(&["info", "humanoidd"]).fails_with(&["no file \"humanoidd\"", bundled]);
    dtau(&["info", "no/such.urdf"]).fails_with(&["no file \"no/such.urdf\"", bundled]);
    dtau(&["info", ""]).fails_with(&["no file \"\""]);
}

#[test]
fn a_directory_for_a_file() {
    dtau(&["info", env!("CARGO_TARGET_TMPDIR")]).fails_with(&["is a directory", "URDF"]);
    dtau(&["eval", "arm6", "--what", "crba", "--state", env!("CARGO_TARGET_TMPDIR")])
        .fails_with(&["is a directory", "JSON"]);
}

#[test]
fn a_urdf_that_is_none() {
    let file = scratch("broken.urdf", "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>");
    dtau(&["info", file.path()]).fails_with(&["broken.urdf:3:", "\"a\""]);
    let file = scratch("text.urdf", "hello");
    dtau(&["info", file.path()]).fails_with(&["text.urdf:1:"]);
    let file = scratch("latin1.urdf", b"<robot name=\"r\">\n<link name=\"\xe9\"/></robot>");
    dtau(&["info", file.path()]).fails_with(&["latin1.urdf:2:", "UTF-8"]);
    let file = scratch("empty.urdf", "");
    dtau(&["info", file.path()]).fails_with(&["empty.urdf"]);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let strange = std::ffi::OsStr::from_bytes(b"\xff.urdf");
    run(command(&["info"]).arg(strange), b"", DEADLINE).fails_with(&["error: there is no file"]);
}

#[test]
fn a_wrong_command_line() {
    dtau(&["frobnicate"]).fails_with(&["'frobnicate'", "--help"]);
    dtau(&["info"]).fails_with(&["<ROBOT>"]);
    dtau(&["info", "arm6", "--rot", "fixed"]).fails_with(&["'--rot'", "'--root'"]);
    dtau(&["info", "arm6", "--root", "flying"]).fails_with(&["'flying'", "fixed, floating"]);
    dtau(&["eval", "arm6", "--what", "rnea"]).fails_with(&[
        "--state is missing",
        "neutral, or random",
        "dtau state arm6 > state.json",
    ]);
    dtau(&["eval", "arm6", "--state", "-"]).fails_with(&["--what <LIST>"]);
}

/// A line each, in the order of the file.
#[test]
fn all_faults_of_a_file() {
    let text = "<robot name=\"a\">\n<link name=\"l\"/>\n<link name=\"m\"/>\n<joint name=\"j\" type=\"revolut\"><parent link=\"l\"/>\n\
                <child link=\"m\"/><origin xyz=\"0\"/></joint></robot>";
    let file = scratch("faults.urdf", text);
    let run = dtau(&["info", file.path()]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.err);
    assert!(lines[0].starts_with("error: ") && lines[0].contains("faults.urdf:4: joint \"j\": there is no type"));
    assert!(
        lines[1].starts_with("error: ") && lines[1].contains("faults.urdf:5: joint \"j\": xyz=\"0\""),
        "{}",
        run.err
    );
}

#[test]
fn effects_that_are_not_computed() {
    let text = "<mujoco><option density=\"1\"/><worldbody><body><joint/><geom size=\"1\"/></body></worldbody></mujoco>";
    let file = scratch("fluid.xml", text);
    dtau(&["info", file.path()]).fails_with(&["surrounds the robot with a fluid", "--ignore fluid"]);
    let told = dtau(&["info", file.path(), "--ignore", "fluid"]);
    assert!(told.text().contains("left out as asked, which changes the dynamics: fluid"), "{}", told.text());
    dtau(&["info", file.path(), "--ignore", "fluids"]).fails_with(&["'fluids'", "fluid, springdamper"]);
}

#[test]
fn an_unknown_name_to_evaluate() {
    eval(r#"{"q": [0, 0]}"#, "rnae").fails_with(&["'rnae'", "did you mean \"rnea\"?"]);
    eval(r#"{"q": [0, 0]}"#, "fd-derivative").fails_with(&["did you mean \"fd_derivatives\""]);
    eval(r#"{"q": [0, 0]}"#, "crba,,rnea").fails_with(&["--what"]);
}

#[test]
fn an_unknown_frame() {
    let run = dtau_with(&[&PENDULUM[..], &["frame_placement", "--frame", "tipp"]].concat(), r#"{"q": [0, 0]}"#);
    run.fails_with(&["\"tipp\"", "did you mean \"tip\"?"]);
    let wrench = r#"{"frame": "tipp", "axes": "world", "force": [0, 0, 1], "torque": [0, 0, 0]}"#;
    eval(&format!(r#"{{"q": [0, 0], "wrenches": [{wrench}]}}"#), "crba").fails_with(&[
        "wrenches",
        "\"tipp\"",
        "did you mean \"tip\"?",
    ]);
}

#[test]
fn a_state_file_that_does_not_exist() {
    dtau(&["eval", "arm6", "--what", "crba", "--state", "no/such.json"])
        .fails_with(&["no/such.json", "cannot be read"]);
}

#[test]
fn a_state_file_that_is_not_text() {
    let file = scratch("binary.json", b"{\n\xff\xfe}");
    dtau(&["eval", "arm6", "--what", "crba", "--state", file.path()]).fails_with(&["binary.json", "line 2", "UTF-8"]);
}

#[test]
fn a_state_file_that_is_not_json() {
    eval("", "crba").fails_with(&["standard input:1:0:", "empty"]);
    eval("hello", "crba").fails_with(&["standard input:1:1:"]);
    eval("{\"q\": [0, 0]", "crba").fails_with(&["standard input:1:12:", "EOF"]);
    eval("{\"q\": [0, 0]} more", "crba").fails_with(&["trailing characters"]);
    eval(&"[".repeat(1_000_000), "crba").fails_with(&["standard input:1:"]);
    eval(&format!("{{\"q\": {}", "[".repeat(1_000_000)), "crba").fails_with(&["standard input:1:"]);
}

#[test]
fn json_that_is_no_state() {
    eval("7", "crba").fails_with(&["integer `7`", "a state"]);
    eval("[7]", "crba").fails_with(&["integer `7`", "a state"]);
    eval("[[0, 0]]", "crba").fails_with(&["sequence", "a state"]);
    eval("{}", "crba").fails_with(&["crba needs `q`", "2 numbers"]);
    eval(r#"{"q": "up"}"#, "crba").fails_with(&["string \"up\""]);
    eval(r#"{"q": [0, null]}"#, "crba").fails_with(&["null", "a number"]);
}

#[test]
fn unknown_and_repeated_keys() {
    eval("{\"q\": [0, 0],\n\"velocity\": [0, 0]}", "crba").fails_with(&["standard input:2:", "`velocity`", "`tau`"]);
    eval(r#"{"q": [0, 0], "q": [1, 1]}"#, "crba").fails_with(&["duplicate field `q`"]);
    let wrench = |members: &str| eval(&format!(r#"{{"q": [0, 0], "wrenches": [{members}]}}"#), "crba");
    wrench(r#"{"frame": "tip", "axes": "world", "force": [0, 0, 1], "moment": [0, 0, 0]}"#).fails_with(&["`moment`"]);
    wrench(r#"{"frame": "tip", "axes": "world", "force": [0, 0, 1]}"#).fails_with(&["missing field `torque`"]);
    wrench(r#"{"frame": "tip", "axes": "up", "force": [0, 0, 1], "torque": [0, 0, 0]}"#)
        .fails_with(&["`up`", "`frame` or `world`"]);
    wrench(r#"{"frame": "tip", "axes": "world", "force": [0, 1], "torque": [0, 0, 0]}"#)
        .fails_with(&["3 numbers, not 2"]);
    wrench(r#"{"frame": "tip", "axes": "world", "at": {"on": [0, 1, 2]}, "force": [0, 1, 2], "torque": [0, 0, 0]}"#)
        .fails_with(&["`on`", "`in_world`"]);
    wrench("[]").fails_with(&["a wrench"]);
}

#[test]
fn numbers_that_are_not_finite() {
    for number in ["NaN", "Infinity", "-Infinity"] {
        eval(&format!("{{\"q\": [0, {number}]}}"), "crba").fails_with(&["standard input:1:", "NaN and Infinity"]);
    }
    eval(r#"{"q": [0, 1e999]}"#, "crba").fails_with(&["out of range"]);
    eval(r#"{"q": [0, 0], "v": [1e200, 1e200]}"#, "bias").fails_with(&[
        "bias: the result",
        "not finite",
        "`v`",
        "too large",
    ]);
}

#[test]
fn wrong_lengths() {
    eval(r#"{"q": [0]}"#, "crba").fails_with(&["`q` has 1 numbers", "\"double_pendulum\"", "nq = 2"]);
    eval(r#"{"q": [0, 0], "v": [0]}"#, "crba").fails_with(&["`v` has 1 numbers", "nv = 2"]);
    eval(r#"{"q": [0, 0], "tau": [0, 0, 0]}"#, "crba").fails_with(&["`tau` has 3 numbers", "nv = 2"]);
    eval(r#"{"q": [0, 0], "x": [[1], [2], [3]]}"#, "mass_times").fails_with(&["`x` has 3 numbers", "nv × k = 2"]);
    eval(r#"{"q": [0, 0], "x": [[1], [2, 3]]}"#, "mass_times").fails_with(&["equal length"]);
    eval(r#"{"q": [[0, 0]]}"#, "crba").fails_with(&["`q` is a list of numbers"]);
    eval(r#"[{"q": [0, 0]}, {"q": [0, 0], "a": []}]"#, "crba").fails_with(&["state 1: `a` has 0 numbers"]);
    eval(r#"{"q": [0, 0, 0, 0, 0, 0, 1, 0, 0]}"#, "crba").fails_with(&["--root floating"]);
    let floating = ["eval", "arm6", "--root", "floating", "--state", "-", "--what", "crba"];
    dtau_with(&floating, &format!("{{\"q\": {}}}", zeros(6))).fails_with(&["--root fixed"]);
}

/// Nothing is taken for zero.
#[test]
fn missing_parts_of_a_state() {
    for (what, missing) in [
        ("rnea", "v"),
        ("aba", "v"),
        ("bias", "v"),
        ("coriolis", "v"),
        ("energy", "v"),
        ("centroidal_momentum", "v"),
        ("frame_jacobian_rate", "v"),
        ("id_derivatives", "v"),
        ("mass_times", "x"),
        ("difference", "q0"),
    ] {
        eval(r#"{"q": [0, 0]}"#, what).fails_with(&[what, &format!("needs `{missing}`")]);
    }
    eval(r#"{"q": [0, 0], "v": [0, 0]}"#, "rnea").fails_with(&["rnea needs `a`"]);
    eval(r#"{"q": [0, 0], "v": [0, 0]}"#, "aba").fails_with(&["aba needs `tau`"]);
    eval(r#"[{"q": [0, 0], "v": [0, 0]}, {"q": [0, 0]}]"#, "bias").fails_with(&["state 1: bias needs `v`"]);
}

#[test]
fn a_quaternion_far_from_unit_length() {
    let run = |w: &str| {
        let state = format!("{{\"q\": [0, 0, 0, 0, 0, 0, {w}, 0, 0]}}");
        dtau_with(&["eval", "double_pendulum", "--root", "floating", "--state", "-", "--what", "crba"], &state)
    };
    run("2").fails_with(&["\"root_joint\"", "quaternion", "length 2"]);
    run("0").fails_with(&["\"root_joint\"", "quaternion", "length 0"]);

    let rounded = run("0.99999");
    rounded.text();
    assert!(rounded.err.starts_with("note: ") && rounded.err.contains("\"root_joint\""), "{}", rounded.err);
    assert!(rounded.err.contains("normalised"), "{}", rounded.err);
    let exact = run("1");
    exact.text();
    assert_eq!(exact.err, "");
}

/// A point mass on the axis of its own joint: the torque accelerates nothing.
const SPINNING_POINT: &str = r#"<robot name="r"><link name="base"/>
  <link name="point"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="base"/><child link="point"/><axis xyz="0 0 1"/></joint></robot>"#;

#[test]
fn a_body_that_nothing_resists() {
    let file = scratch("point.urdf", SPINNING_POINT);
    let state = r#"{"q": [0], "v": [0], "tau": [1]}"#;
    for what in ["aba", "minverse"] {
        dtau_with(&["eval", file.path(), "--allow-massless", "--state", "-", "--what", what], state).fails_with(&[
            what,
            "\"point\"",
            "\"spin\"",
        ]);
    }
    let list = format!("[{state}]");
    dtau_with(&["eval", file.path(), "--allow-massless", "--state", "-", "--what", "aba"], &list)
        .fails_with(&["state 0: aba", "\"point\""]);
}

const WEIGHTLESS: &str = r#"<robot name="r"><link name="base"/>
  <link name="ghost"/>
  <joint name="spin" type="continuous"><parent link="base"/><child link="ghost"/><axis xyz="0 0 1"/></joint></robot>"#;

#[test]
fn a_moving_body_without_inertia_must_be_allowed() {
    let file = scratch("ghost.urdf", WEIGHTLESS);
    dtau(&["info", file.path()]).fails_with(&["ghost.urdf", "\"ghost\""]);
    let allowed = dtau(&["info", file.path(), "--allow-massless"]);
    assert!(allowed.text().contains("warning:"), "{}", allowed.out);
    dtau_with(&["eval", file.path(), "--allow-massless", "--state", "-", "--what", "com_jacobian"], r#"{"q": [0]}"#)
        .fails_with(&["com_jacobian", "nothing that moves has mass"]);
}

const LEG: &str = r#"<robot name="leg">
  <link name="base"/>
  <link name="thigh"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="KFE"/>
  <link name="shank"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="HFE" type="continuous"><parent link="base"/><child link="thigh"/><axis xyz="0 1 0"/></joint>
  <joint name="cover" type="fixed"><parent link="thigh"/><child link="KFE"/><origin xyz="0 0.1 -0.25"/></joint>
  <joint name="KFE" type="continuous"><parent link="thigh"/><child link="shank"/><axis xyz="0 1 0"/><origin xyz="0 0 -0.3"/></joint>
</robot>"#;

#[test]
fn a_name_of_two_frames() {
    let file = scratch("leg.urdf", LEG);
    let state = r#"{"q": [0, 0]}"#;
    let frame = |name: &str| {
        dtau_with(&["eval", file.path(), "--state", "-", "--what", "frame_placement", "--frame", name], state)
    };
    frame("KFE").fails_with(&["\"KFE\" is the name of a link and a joint", "\"link:KFE\" or \"joint:KFE\""]);
    assert!(frame("link:KFE").text().contains("-0.25") && frame("joint:KFE").text().contains("-0.3"));
    assert!(frame("joint:KFE").text().contains("\"joint:KFE\""));
    let wrench = |frame: &str| {
        let wrench = format!(r#"{{"frame": "{frame}", "axes": "world", "force": [0, 0, 1], "torque": [0, 0, 0]}}"#);
        let state = format!(r#"{{"q": [0, 0], "v": [0, 0], "a": [0, 0], "wrenches": [{wrench}]}}"#);
        dtau_with(&["eval", file.path(), "--state", "-", "--what", "rnea"], &state)
    };
    wrench("KFE").fails_with(&["wrenches", "\"link:KFE\" or \"joint:KFE\""]);
    wrench("joint:KFE").text();
    // Without a name: every link, whatever else is called so.
    dtau_with(&["eval", file.path(), "--state", "-", "--what", "frame_placement"], state).text();
}

#[cfg(unix)]
#[test]
fn a_loop_of_links() {
    let folder = common::directory("links");
    std::fs::create_dir_all(folder.path()).unwrap();
    let path = std::path::Path::new(folder.path()).join("loop.urdf");
    std::os::unix::fs::symlink(&path, &path).unwrap();
    dtau(&["info", path.to_str().unwrap()]).fails_with(&["loop.urdf", "cannot be read", "symbolic link"]);
}

#[test]
fn numbers_that_no_robot_has() {
    let heavy = LEG.replacen("<mass value=\"1\"/>", "<mass value=\"1e300\"/>", 1);
    let file = scratch("heavy.urdf", heavy);
    dtau(&["info", file.path()]).fails_with(&["heavy.urdf:3:", "link \"thigh\"", "the mass is 1e300 kg"]);
}

#[test]
fn a_quaternion_without_direction() {
    let state = r#"{"q": [0, 0, 0, 0, 0, 0, 0, 0, 0]}"#;
    let run =
        dtau_with(&["eval", "double_pendulum", "--root", "floating", "--state", "-", "--what", "normalise"], state);
    run.fails_with(&["normalise", "\"root_joint\"", "no direction"]);
}

#[test]
fn a_full_disk() {
    if let Ok(full) = std::fs::File::create("/dev/full") {
        let run = run(command(&["info", "humanoid"]).stdout(full), b"", DEADLINE);
        run.fails_with(&["error: the output cannot be written"]);
    }
}

/// The viewer is Python's; this command is cargo's.
#[test]
fn show_says_what_to_install() {
    let run = dtau(&["show", "arm6"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.err,
        "error: the viewer is part of the Python package; in a clone of dtau, install it by pip install '.[view]'\n"
    );
}
