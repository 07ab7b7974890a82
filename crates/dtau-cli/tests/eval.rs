//! `dtau eval`: shapes, numbers, and the ways a state comes in.

mod common;
use common::{dtau, dtau_with, scratch};
use dtau_fixtures::command::shape;
use dtau_fixtures::robots::BUNDLED;
use serde_json::{Value, json};

const ALL: &str = "rnea,aba,crba,minverse,bias,gravity,coriolis,id-derivatives,com,com_jacobian,energy,centroidal,mass,\
                   kinematics,jacobians,jacobian_rates";

/// A state of a robot: angles 0.1, 0.2, …, unit quaternion, and so on.
fn state(info: &Value) -> Value {
    let (nq, nv) = (info["nq"].as_u64().unwrap() as usize, info["nv"].as_u64().unwrap() as usize);
    let numbers = |n: usize, scale: f64| -> Vec<f64> { (0..n).map(|k| scale * ((k + 1) as f64).sin()).collect() };
    let mut q = numbers(nq, 0.5);
    if nq > nv {
        q[3..7].copy_from_slice(&[0.5, -0.5, 0.5, 0.5]);
    }
    json!({"q": q, "v": numbers(nv, 1.0), "a": numbers(nv, 2.0), "tau": numbers(nv, 3.0)})
}

#[test]
fn shapes_are_those_of_every_robot() {
    for robot in BUNDLED {
        for root in ["fixed", "floating"] {
            let info = dtau(&["info", robot, "--root", root, "--format", "json"]).json();
            let nv = info["nv"].as_u64().unwrap() as usize;
            let args = ["eval", robot, "--root", root, "--state", "-", "--what", ALL];
            let answer = dtau_with(&args, &state(&info).to_string()).json();

            assert_eq!(answer.as_object().unwrap().len(), ALL.split(',').count());
            for vector in ["rnea", "aba", "bias", "gravity"] {
                assert_eq!(answer[vector].as_array().unwrap().len(), nv, "{robot} {vector}");
            }
            for matrix in ["crba", "minverse", "coriolis"] {
                assert_eq!(shape(&answer[matrix]), (nv, nv), "{robot} {matrix}");
            }
            for matrix in ["dtau_dq", "dtau_dv", "dtau_da"] {
                assert_eq!(shape(&answer["id-derivatives"][matrix]), (nv, nv), "{robot} {matrix}");
            }
            assert_eq!(answer["id-derivatives"]["tau"].as_array().unwrap().len(), nv);
            assert_eq!(shape(&answer["com_jacobian"]), (3, nv));
            assert_eq!(shape(&answer["centroidal"]["matrix"]), (6, nv));
            assert_eq!(answer["centroidal"]["momentum"].as_array().unwrap().len(), 6);
            for part in ["position", "velocity", "acceleration"] {
                assert_eq!(answer["com"][part].as_array().unwrap().len(), 3);
            }
            assert!(answer["energy"]["kinetic"].as_f64().unwrap() > 0.0);
            assert!(answer["energy"]["potential"].is_number() && answer["mass"].is_number());

            let links = info["frames"].as_array().unwrap().iter().filter(|frame| frame["of"] == "link");
            for link in links.map(|frame| frame["name"].as_str().unwrap()) {
                let kinematics = &answer["kinematics"][link];
                assert_eq!(shape(&kinematics["rotation"]), (3, 3), "{robot} {link}");
                for (part, count) in [("position", 3), ("velocity", 6), ("acceleration", 6)] {
                    assert_eq!(kinematics[part].as_array().unwrap().len(), count, "{robot} {link} {part}");
                }
                for reference in ["local", "world", "local_world_aligned"] {
                    assert_eq!(shape(&answer["jacobians"][link][reference]), (6, nv), "{robot} {link}");
                    assert_eq!(shape(&answer["jacobian_rates"][link][reference]), (6, nv), "{robot} {link}");
                }
            }
        }
    }
}

#[test]
fn one_state_gives_an_object_and_a_list_a_list() {
    let args = ["eval", "double_pendulum", "--state", "-", "--what", "gravity"];
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
    let run =
        dtau_with(&["eval", "arm6", "--state", "-", "--what", "mass,com,mass", "--what", "crba"], &arm6_at_zero());
    let at = |name: &str| run.text().match_indices(&format!("\n  \"{name}\"")).map(|m| m.0).collect::<Vec<_>>();
    let (mass, com, crba) = (at("mass"), at("com"), at("crba"));
    assert_eq!((mass.len(), com.len(), crba.len()), (1, 1, 1), "{}", run.out);
    assert!(mass < com && com < crba, "{}", run.out);
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

/// What a state does not say is left out, not taken for zero.
#[test]
fn kinematics_go_as_far_as_the_state() {
    let keys = |state: &str, what: &str| {
        let answer = dtau_with(&["eval", "double_pendulum", "--state", "-", "--what", what], state).json();
        let answer = if what == "com" { &answer["com"] } else { &answer["kinematics"]["tip"] };
        answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    let (q, qv, qva) =
        (r#"{"q": [0, 0]}"#, r#"{"q": [0, 0], "v": [0, 0]}"#, r#"{"q": [0, 0], "v": [0, 0], "a": [0, 0]}"#);
    assert_eq!(keys(q, "com"), "position");
    assert_eq!(keys(qv, "com"), "position velocity");
    assert_eq!(keys(qva, "com"), "acceleration position velocity");
    assert_eq!(keys(q, "kinematics"), "position rotation");
    assert_eq!(keys(qv, "kinematics"), "position rotation velocity");
    assert_eq!(keys(qva, "kinematics"), "acceleration position rotation velocity");
}

#[test]
fn only_the_frames_asked_for() {
    let args = ["eval", "arm6", "--state", "-", "--what", "kinematics,jacobians", "--frames", "forearm,forearm"];
    let answer = dtau_with(&args, &arm6_at_zero()).json();
    for what in ["kinematics", "jacobians"] {
        assert_eq!(answer[what].as_object().unwrap().keys().collect::<Vec<_>>(), ["forearm"]);
    }
}

#[test]
fn tables_have_the_names_of_the_joints() {
    let args = ["eval", "double_pendulum", "--state", "-", "--what", "rnea,gravity,crba,energy", "--format", "table"];
    let run = dtau_with(&args, r#"{"q": [0.3, -0.5], "v": [1, 2], "a": [0, 0]}"#);
    let want = "                 rnea   gravity
0  shoulder   6.37017   4.04893
1  elbow     -1.41702  -1.16937
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
    let args = ["eval", "humanoid", "--state", "-", "--what", "crba,com_jacobian,kinematics", "--format", "table"];
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
    let what =
        "rnea,aba,crba,minverse,bias,gravity,coriolis,id-derivatives,energy,mass,kinematics,jacobians,jacobian_rates";
    let state = r#"{"q": [], "v": [], "a": [], "tau": []}"#;
    let answer = dtau_with(&["eval", file.path(), "--state", "-", "--what", what], state).json();
    assert_eq!((&answer["rnea"], &answer["crba"], &answer["mass"]), (&json!([]), &json!([]), &json!(0.0)));
    assert!(dtau(&["info", file.path()]).text().contains("nothing moves"));
}
