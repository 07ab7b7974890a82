//! `dtau eval`: shapes, numbers, and the ways a state comes in.

mod common;
use common::{dtau, dtau_with, scratch};
use dtau::{Parameter, Size};
use dtau_fixtures::command::shape;
use dtau_fixtures::coverage::tried;
use dtau_fixtures::robots::BUNDLED;
use serde_json::{Value, json};

/// A state of a robot that every function can be evaluated at: angles 0.1, 0.2, …, unit quaternion, and so on.
fn state(info: &Value) -> Value {
    let (nq, nv) = (info["nq"].as_u64().unwrap() as usize, info["nv"].as_u64().unwrap() as usize);
    let numbers = |n: usize, scale: f64| -> Vec<f64> { (0..n).map(|k| scale * ((k + 1) as f64).sin()).collect() };
    let mut state = json!({"a": numbers(nv, 2.0), "tau": numbers(nv, 3.0)});
    for arg in dtau::functions().iter().flat_map(|function| function.inputs) {
        let value = match arg.size {
            Size::Nv if arg.name == "torque_strength" => json!(vec![1.0; nv]),
            Size::Nq | Size::Coordinates => {
                let mut q = numbers(nq, 0.5);
                if nq > nv {
                    q[3..7].copy_from_slice(&[0.5, -0.5, 0.5, 0.5]);
                }
                json!(q)
            }
            Size::Rows => continue, // where there are constraints
            Size::Fixed(n) => json!(numbers(n, 0.5)),
            Size::Columns => json!((0..nv).map(|k| [k as f64, 1.0, -1.0]).collect::<Vec<_>>()),
            _ => json!(numbers(nv, 1.0)),
        };
        if state.get(arg.name).is_none() {
            state[arg.name] = value;
        }
    }
    state
}

/// A plane that holds the last link of a robot, far from where it is.
fn held(link: &str) -> String {
    let point = format!("[[constraint]]\npoint = \"link:{link}\"\ngains = {{ kp = 10, kd = 3 }}\n");
    format!("{point}plane = {{ through = [0, 0, 1], normal = [1, 2, 3] }}\n")
}

/// How many rows it has.
const ROWS: usize = 1;

/// Rows and columns of an array in JSON.
fn expected(size: Size, nq: usize, nv: usize, links: usize, joints: usize) -> (usize, usize) {
    match size {
        Size::Nq | Size::Coordinates => (nq, 1),
        Size::Nv => (nv, 1),
        Size::Square | Size::Symmetric | Size::Cube | Size::SymmetricCube => (nv, nv),
        Size::Wide(rows) => (rows, nv),
        Size::Columns => (nv, 3),
        Size::Parameters => (nv, 10 * links),
        Size::TenPerLink => (10 * links, 1),
        Size::JointPlacements => (nv, 6 * joints),
        Size::FramePlacements => (6, 6 * joints),
        Size::Fixed(12) | Size::Frames(12) => (3, 4),
        Size::Fixed(n) | Size::Frames(n) => (n, 1),
        Size::Rows => (ROWS, 1),
        Size::RowsWide => (ROWS, nv),
        Size::RowsTall => (nv, ROWS),
        Size::RowsSquare => (ROWS, ROWS),
        other => panic!("no function has {other:?} yet"),
    }
}

fn has_shape(value: &Value, (rows, columns): (usize, usize)) -> bool {
    match value {
        Value::Number(_) => (rows, columns) == (1, 1),
        Value::Array(list) if list.first().is_some_and(Value::is_array) => shape(value) == (rows, columns),
        Value::Array(list) => list.len() == rows && columns == 1,
        _ => false,
    }
}

/// Every function of the library's list, by its name, with its outputs by theirs.
/// `dtau state` writes the states that `--state neutral` and `--state random` use. Every function takes them.
#[test]
fn states_need_not_be_written_by_hand() {
    let robot = ["quadruped", "--root", "floating"];
    let constrained = |f: &&dtau::Declaration| f.parameters.contains(&dtau::Parameter::Constraints);
    let all: Vec<&str> = dtau::functions().iter().filter(|f| !constrained(f)).map(|f| f.name).collect();
    for (flag, word) in [(None, "neutral"), (Some("--random"), "random")] {
        let state: Vec<&str> = ["state"].into_iter().chain(robot).chain(flag).collect();
        let written = dtau(&state);
        let state = written.text();
        let eval = |state: &str, what: &str, input: &str| {
            let args = [&["eval"][..], &robot, &["--frame", "trunk", "--state", state, "--what", what]].concat();
            dtau_with(&args, input).json()
        };
        assert_eq!(eval(word, "rnea,aba", ""), eval("-", "rnea,aba", state), "{word}");
        assert_eq!(eval(word, &all.join(","), "").as_object().unwrap().len(), all.len());
        let state: Value = serde_json::from_str(state).unwrap();
        assert_eq!(state["comment"]["q"].as_array().unwrap().len(), state["q"].as_array().unwrap().len());
        assert_eq!(state["comment"]["q"][6], "root_joint qw");
        assert_eq!(state["comment"]["v, a, tau"][7], "lf_hip_flexion");
    }
}

#[test]
fn shapes_are_those_of_every_function_and_robot() {
    let all: Vec<&str> = dtau::functions().iter().map(|function| function.name).collect();
    for robot in BUNDLED {
        for root in ["fixed", "floating"] {
            let info = dtau(&["info", robot, "--root", root, "--format", "json"]).json();
            let (nq, nv) = (info["nq"].as_u64().unwrap() as usize, info["nv"].as_u64().unwrap() as usize);
            let links: Vec<&str> = info["frames"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|frame| frame["of"] == "link")
                .map(|frame| frame["name"].as_str().unwrap())
                .collect();
            let held = scratch("held.toml", held(links.last().unwrap()));
            let args = ["eval", robot, "--root", root, "--state", "-", "--what", &all.join(",")];
            let args = [&args[..], &["--constraints", held.path()]].concat();
            let mut state = state(&info);
            state["force_strength"] = json!(vec![1.0; ROWS]);
            state["w_lambda"] = json!(vec![1.0; ROWS]);
            let answer = dtau_with(&args, &state.to_string()).json();
            assert_eq!(answer.as_object().unwrap().len(), all.len());
            tried("eval", answer.as_object().unwrap().keys());
            for function in dtau::functions() {
                let place = format!("{robot} {root} {}", function.name);
                let of_frame = function.parameters.contains(&Parameter::Frame);
                let members = &answer[function.name];
                let several = if of_frame { links.clone() } else { vec![""] };
                for link in several {
                    let outputs = if of_frame { &members[link] } else { members };
                    for arg in function.outputs {
                        let value = if function.outputs.len() == 1 { outputs } else { &outputs[arg.name] };
                        let joints = info["joints"].as_array().unwrap().len();
                        let want = expected(arg.size, nq, nv, links.len(), joints);
                        if matches!(arg.size, Size::Cube | Size::SymmetricCube) {
                            let matrices = value.as_array().unwrap();
                            assert_eq!(matrices.len(), nv, "{place} {}", arg.name);
                            assert!(matrices.iter().all(|m| has_shape(m, want)), "{place} {}", arg.name);
                        } else if matches!(arg.size, Size::Frames(_)) {
                            assert!(links.iter().all(|link| has_shape(&value[link], want)), "{place} {}", arg.name);
                        } else {
                            assert!(has_shape(value, want), "{place} {}: {value}", arg.name);
                        }
                    }
                }
            }
        }
    }
}

/// A `-` passes for `_`; the answer has the library's name.
#[test]
fn names_may_have_dashes() {
    let args = ["eval", "double_pendulum", "--state", "-", "--what", "id-derivatives"];
    let answer = dtau_with(&args, r#"{"q": [0.1, 0.2], "v": [1, 2], "a": [0, 0]}"#).json();
    assert_eq!(shape(&answer["id_derivatives"]["dtau_dq"]), (2, 2));
}

/// One column may be a vector; then so is the answer. Several are rows.
#[test]
fn products_take_as_many_columns_as_the_file_has() {
    let args = ["eval", "double_pendulum", "--state", "-", "--what", "mass_times,crba"];
    let one = dtau_with(&args, r#"{"q": [0.1, 0.2], "x": [1, 0]}"#).json();
    assert_eq!(one["mass_times"], json!([one["crba"][0][0], one["crba"][1][0]]));
    let both = dtau_with(&args, r#"{"q": [0.1, 0.2], "x": [[1, 0], [0, 1]]}"#).json();
    assert_eq!(shape(&both["mass_times"]), (2, 2));
}

/// `normalise` reads quaternions of any length, the others only those near unit length.
#[test]
fn quaternions_of_any_length_can_be_normalised() {
    let args = ["eval", "double_pendulum", "--root", "floating", "--state", "-", "--what"];
    let state = r#"{"q": [0, 0, 0, 0, 0, 0, 2, 0, 0]}"#;
    let answer = dtau_with(&[&args[..], &["normalise"]].concat(), state).json();
    assert_eq!(answer["normalise"][6], 1.0);
    dtau_with(&[&args[..], &["normalise,crba"]].concat(), state).fails_with(&["length 2"]);
}

#[test]
fn the_help_has_every_function() {
    let help = dtau(&["eval", "--help"]);
    for function in dtau::functions() {
        assert!(help.text().contains(&format!("  {}: ", function.name)), "{}", function.name);
    }
}

#[test]
fn one_state_gives_an_object_and_a_list_a_list() {
    let args = ["eval", "double_pendulum", "--state", "-", "--what", "gravity_torques"];
    let one = dtau_with(&args, r#"{"q": [0.1, 0.2]}"#).json();
    let list = dtau_with(&args, r#"[{"q": [0.1, 0.2]}]"#).json();
    let two = dtau_with(&args, r#" [{"q": [0, 0]}, {"q": [0.1, 0.2]}]"#).json();
    assert_eq!(list, json!([one]));
    assert_eq!((two.as_array().unwrap().len(), &two[1]), (2, &one));
    assert_eq!(dtau_with(&args, "[]").json(), json!([]));
}

#[test]
fn a_file_is_read_as_standard_input_is() {
    let text = r#"{"q": [0.1, 0.2], "v": [1, -2]}"#;
    let file = scratch("state.json", text);
    let from_file = dtau(&["eval", "double_pendulum", "--state", file.path(), "--what", "bias,energy"]);
    let from_stdin = dtau_with(&["eval", "double_pendulum", "--state", "-", "--what", "bias,energy"], text);
    assert_eq!(from_file.text(), from_stdin.text());
}

/// The order asked for, each once.
#[test]
fn names_come_in_the_order_asked_for() {
    let run = dtau_with(
        &["eval", "arm6", "--state", "-", "--what", "minverse,com_jacobian,minverse", "--what", "crba"],
        &arm6_at_zero(),
    );
    let at = |name: &str| run.text().match_indices(&format!("\n  \"{name}\"")).map(|m| m.0).collect::<Vec<_>>();
    let (minverse, com, crba) = (at("minverse"), at("com_jacobian"), at("crba"));
    assert_eq!((minverse.len(), com.len(), crba.len()), (1, 1, 1), "{}", run.out);
    assert!(minverse < com && com < crba, "{}", run.out);
}

fn arm6_at_zero() -> String {
    format!("{{\"q\": {}}}", common::zeros(6))
}

/// What is printed is what was computed, to the last bit: reading τ back and accelerating by it gives q̈.
#[test]
fn numbers_survive_the_way_out_and_in() {
    let what = ["eval", "humanoid", "--root", "floating", "--state", "-", "--what"];
    let info = dtau(&["info", "humanoid", "--root", "floating", "--format", "json"]).json();
    let mut state = state(&info);
    let wrench = json!({"frame": "left_foot", "axes": "frame", "at": {"in_frame": [0.1, 0.0, -0.1]},
                        "force": [10, 20, 300], "torque": [1, 2, 3]});
    let pull = json!({"frame": "head", "axes": "world", "at": {"in_world": [0, 0, 2]},
                      "force": [0, 5, 0], "torque": [0, 0, 0]});
    state["wrenches"] = json!([wrench, pull]);
    state["tau"] = dtau_with(&[&what[..], &["rnea"]].concat(), &state.to_string()).json()["rnea"].clone();
    let answer = dtau_with(&[&what[..], &["aba"]].concat(), &state.to_string()).json();
    for (got, want) in answer["aba"].as_array().unwrap().iter().zip(state["a"].as_array().unwrap()) {
        assert!((got.as_f64().unwrap() - want.as_f64().unwrap()).abs() < 1e-9, "{got} {want}");
    }
}

/// `at` left out is the frame's origin; a force at the world's origin on a frame that is elsewhere is another wrench.
#[test]
fn wrenches_act_where_they_say() {
    let bias = |at: &str| {
        let wrench = format!(r#"{{"frame": "tip", "axes": "world", {at} "force": [1, 2, 3], "torque": [0, 0, 0]}}"#);
        let state = format!(r#"{{"q": [0.4, 0.3], "v": [0, 0], "wrenches": [{wrench}]}}"#);
        dtau_with(&["eval", "double_pendulum", "--state", "-", "--what", "bias"], &state).json()
    };
    let origin = bias("");
    assert_eq!(origin, bias(r#""at": "origin","#));
    assert_eq!(origin, bias(r#""at": {"in_frame": [0, 0, 0]},"#));
    assert_ne!(origin, bias(r#""at": {"in_world": [0, 0, 0]},"#));
    assert_ne!(origin, bias(r#""at": {"in_frame": [0, 0, 1]},"#));
}

/// A wheel of 2 kg m² about its axis, with a rotor of 0.5 kg m², damping 0.3 and friction 0.2; smoothing at 0.01 rad/s
/// leaves 4/√(4² + 0.01²) of the friction.
#[test]
fn joint_effects_can_be_left_out() {
    let file = scratch(
        "wheel.urdf",
        r#"<robot name="r"><link name="base"/><link name="wheel"><inertial><mass value="1"/>
           <inertia ixx="2" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
           <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/>
           <dynamics damping="0.3" friction="0.2" armature="0.5"/></joint></robot>"#,
    );
    let (damping, friction, armature) = (0.3 * 4.0, 0.2 * 4.0 / f64::hypot(4.0, 0.01), 0.5 * 3.0);
    for (options, want) in [
        (&[][..], 6.0 + damping + friction + armature),
        (&["--no-damping"], 6.0 + friction + armature),
        (&["--no-friction"], 6.0 + damping + armature),
        (&["--no-armature"], 6.0 + damping + friction),
        (&["--no-damping", "--no-friction", "--no-armature"], 6.0),
    ] {
        let args = ["eval", file.path(), "--state", "-", "--what", "rnea"];
        let answer = dtau_with(&[&args[..], options].concat(), r#"{"q": [0], "v": [4], "a": [3]}"#).json();
        let got = answer["rnea"][0].as_f64().unwrap();
        assert!((got - want).abs() < 1e-14 * want, "{options:?}: got {got}, want {want}");
    }
}

#[test]
fn only_the_frames_asked_for_in_the_reference_asked_for() {
    let what = "frame_jacobian,placements,frame_velocity_derivatives";
    let state = format!("{{\"q\": {0}, \"v\": {0}}}", format!("{:?}", vec![0.3; 6]));
    let answer = |reference: &str| {
        let frames = ["--frame", "forearm", "--frame", "upper_arm", "--frame", "forearm", "--reference", reference];
        dtau_with(&[&["eval", "arm6", "--state", "-", "--what", what][..], &frames].concat(), &state).json()
    };
    let (local, world) = (answer("local"), answer("world"));
    for what in what.split(',') {
        assert_eq!(local[what].as_object().unwrap().keys().collect::<Vec<_>>(), ["forearm", "upper_arm"]);
    }
    assert_ne!(local["frame_jacobian"], world["frame_jacobian"]);
    assert_eq!(local["placements"], world["placements"]);
    let frames = ["eval", "arm6", "--state", "-", "--what", "frame_jacobian", "--frame", "forearm"];
    assert_eq!(dtau_with(&frames, &state).json()["frame_jacobian"], {
        let aligned = answer("local_world_aligned");
        json!({"forearm": aligned["frame_jacobian"]["forearm"]})
    });
}

#[test]
fn tables_have_the_names_of_the_joints() {
    let args =
        ["eval", "double_pendulum", "--state", "-", "--what", "rnea,gravity_torques,crba,energy", "--format", "table"];
    let run = dtau_with(&args, r#"{"q": [0.3, -0.5], "v": [1, 2], "a": [0, 0]}"#);
    let want = "                 rnea  gravity_torques
0  shoulder   6.37017          4.04893
1  elbow     -1.41702         -1.16937
";
    assert!(run.text().starts_with(want), "{}", run.out);
    let matrix = "\
crba  2 × 2
                     0        1
  0  shoulder  3.05334  0.92667
  1  elbow     0.92667  0.40012
";
    assert!(run.out.contains(matrix), "{}", run.out);
    assert!(run.out.contains("energy\n  kinetic "), "{}", run.out);
}

/// A wide matrix is broken into blocks of columns; states of a list have headings.
#[test]
fn tables_are_not_wider_than_the_line() {
    let state = format!("[{{\"q\": {0}}}, {{\"q\": {0}}}]", common::zeros(33));
    let args = ["eval", "humanoid", "--state", "-", "--what", "crba,com_jacobian,placements", "--format", "table"];
    let run = dtau_with(&args, &state);
    assert!(run.text().contains("state 1\n"));
    for line in run.out.lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
}

/// Welded together: there is nothing to solve for, and nothing to panic about.
#[test]
fn a_robot_that_does_not_move() {
    let weld = r#"<joint name="weld" type="fixed"><parent link="base"/><child link="tip"/></joint>"#;
    let file =
        scratch("statue.urdf", format!(r#"<robot name="r"><link name="base"/><link name="tip"/>{weld}</robot>"#));
    let what = "rnea,aba,crba,minverse,bias,gravity_torques,coriolis,id_derivatives,energy,placements,frame_jacobian";
    let state = r#"{"q": [], "v": [], "a": [], "tau": []}"#;
    let answer = dtau_with(&["eval", file.path(), "--state", "-", "--what", what], state).json();
    assert_eq!((&answer["rnea"], &answer["crba"]), (&json!([]), &json!([])));
    assert!(dtau(&["info", file.path()]).text().contains("nothing moves"));
}

/// Two feet of a quadruped, its neutral configuration and rest.
const FEET: &str = "stabilise = { kp = 100, kd = 20 }\n[[constraint]]\npoint = \"lf_foot\"\nhere = true\n\
                    [[constraint]]\nname = \"other\"\nframe = \"rh_foot\"\nhere = true\n";

fn standing(more: &str) -> String {
    let mut q = vec![0.0; 19];
    q[6] = 1.0;
    format!("{{\"q\": {q:?}, \"v\": {0}, \"tau\": {0}{more}}}", common::zeros(18))
}

fn with_feet(file: &str, text: &str, state: &str, more: &[&str]) -> dtau_fixtures::command::Run {
    let file = scratch(file, text);
    let args = ["eval", "quadruped", "--root", "floating", "--state", "-", "--what", "constrained_fd"];
    dtau_with(&[&args[..], &["--constraints", file.path()], more].concat(), state)
}

/// TOML and JSON say the same; forces have the names of their rows; a constraint that does not act has none.
#[test]
fn constraints_come_from_a_file() {
    let toml = with_feet("feet.toml", FEET, &standing(""), &[]).json();
    let lambda = toml["constrained_fd"]["lambda"].as_array().unwrap();
    assert_eq!(lambda.len(), 9);
    assert!(lambda[2].as_f64().unwrap() > 1.0, "the ground pushes upwards: {lambda:?}");
    let same = r#"{"stabilise": {"kp": 100, "kd": 20},
        "constraint": [{"point": "lf_foot", "here": true}, {"name": "other", "frame": "rh_foot", "here": true}]}"#;
    assert_eq!(with_feet("feet.json", same, &standing(""), &[]).json(), toml);
    let table = with_feet("feet.toml", FEET, &standing(""), &["--format", "table"]);
    assert!(table.text().contains("lf_foot z") && table.text().contains("other about z"), "{}", table.out);
    let one = with_feet("feet.toml", FEET, &standing(r#", "active": [1, 0]"#), &[]).json();
    assert_eq!(one["constrained_fd"]["lambda"].as_array().unwrap()[3..], vec![json!(0.0); 6]);
    let desired = standing(r#", "desired": {"acceleration": [0, 0, 1, 0, 0, 0, 0, 0, 0]}"#);
    assert_ne!(with_feet("feet.toml", FEET, &desired, &[]).json(), toml);
}

#[test]
fn mistakes_in_constraint_files_are_told_with_file_and_name() {
    let fails = |text: &str, parts: &[&str]| {
        with_feet("wrong.toml", text, &standing(""), &[]).fails_with(parts);
    };
    fails("[[constraint]]\npoint = \"lf_foot\"\nhear = true\n", &["wrong.toml:3", "hear"]);
    fails("[[constraint]]\npoint = \"lf_fot\"\nhere = true\n", &["wrong.toml: constraint \"lf_fot\"", "lf_foot"]);
    fails("[[constraint]]\npoint = \"lf_foot\"\n", &["\"lf_foot\"", "say where it is held"]);
    fails("[[constraint]]\npoint = \"lf_foot\"\nframe = \"rf_foot\"\n", &["one of `point`, `frame` and `joints`"]);
    fails("[[constraint]]\nname = \"a\"\nframe = \"lf_foot\"\nsum = 1\nhere = true\n", &["\"a\"", "`sum`"]);
    fails("[[constraint]]\nframe = \"lf_foot\"\nonly = [\"w\"]\nhere = true\n", &["about x"]);
    fails("", &["it has no constraint"]);
    let args = ["eval", "quadruped", "--root", "floating", "--state", "-", "--what", "constrained_fd"];
    dtau_with(&args, &standing("")).fails_with(&["constrained_fd", "--constraints FILE"]);
    dtau_with(&[&args[..], &["--constraints", "no/such.toml"]].concat(), &standing("")).fails_with(&["no/such.toml"]);
    with_feet("feet.toml", FEET, &standing(r#", "active": [1]"#), &[]).fails_with(&["`active`", "2 constraints"]);
}
