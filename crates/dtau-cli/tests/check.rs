//! `dtau check`: its findings, their views, its exit codes.

mod common;
use common::{command, dtau, scratch};
use dtau_fixtures::command::Run;
use serde_json::Value;
use std::fs;

/// A link with the principal moments `ixx iyy izz` about the centre of mass `com`.
fn link(name: &str, mass: f64, com: &str, [xx, yy, zz]: [f64; 3]) -> String {
    format!(
        "<link name=\"{name}\"><inertial><origin xyz=\"{com}\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"{xx}\" iyy=\"{yy}\" izz=\"{zz}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
    )
}

/// A revolute joint about y, with these attributes of its limit.
fn joint(name: &str, parent: &str, child: &str, xyz: &str, limit: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"{xyz}\"/><axis xyz=\"0 1 0\"/><limit {limit}/></joint>\n"
    )
}

const LIMIT: &str = "lower=\"-1\" upper=\"1\" effort=\"100\" velocity=\"5\"";
/// Moments of a cube of 10 cm that weighs 1 kg.
const CUBE: [f64; 3] = [0.001667; 3];

/// Findings of a robot of these elements on top of a link `base`; its first element is on line 3.
fn findings(name: &str, elements: &str) -> (Run, Vec<Value>) {
    let file = scratch(name, format!("<robot name=\"r\">\n<link name=\"base\"/>\n{elements}</robot>"));
    let run = dtau(&["check", file.path(), "--json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{} {}", run.out, run.err));
    let findings = json["findings"].as_array().unwrap().clone();
    for finding in &findings {
        assert!(!finding["remedy"].as_str().unwrap().is_empty(), "no remedy: {finding}");
    }
    (run, findings)
}

/// The one finding that says this.
#[track_caller]
fn says<'f>(findings: &'f [Value], what: &str) -> &'f Value {
    let all: Vec<&Value> = findings.iter().filter(|finding| finding["what"].as_str().unwrap().contains(what)).collect();
    assert_eq!(all.len(), 1, "{what:?} in {findings:#?}");
    all[0]
}

#[test]
fn a_plausible_robot_has_no_findings() {
    let run = dtau(&["check", "arm6", "--strict"]);
    let text = run.text();
    assert_eq!(run.code, Some(0));
    for part in ["no errors, no warnings", "91 × 104 × 604 mm", "joint_2", "-10.7 N m (7 %)", "dtau verify arm6"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

/// The error comes first, with place, line and remedy, in the terminal, in JSON and in the page.
#[test]
fn an_impossible_inertia_is_an_error() {
    let robot = joint("j", "base", "b", "0 0 0", LIMIT) + &link("b", 1.0, "0 0 0.1", [0.001, 0.002, 0.004]);
    let (run, found) = findings("impossible.urdf", &robot);
    assert_eq!(run.code, Some(1));
    let error = says(&found, "not physical: of the principal moments 0.001, 0.002, 0.004 kg m² one exceeds the sum");
    assert_eq!(error["severity"], "error");
    assert_eq!(error["at"], serde_json::json!([{"kind": "link", "name": "b", "line": 4}]));
    assert_eq!(found[0], *error);

    let text = format!("<robot name=\"r\">\n<link name=\"base\"/>\n{robot}</robot>");
    let (file, page) = (scratch("shown.urdf", text), scratch("shown.html", ""));
    let run = dtau(&["check", file.path(), "--html", page.path()]);
    assert_eq!(run.code, Some(1));
    let place = run.out.find("error: link \"b\" (line 4)").expect("the place");
    let remedy = run.out.find("→ Export it again").expect("the remedy");
    assert!(place < remedy && remedy < run.out.find("Links").unwrap(), "{}", run.out);
    let html = fs::read_to_string(page.path()).unwrap();
    let error = html.find("<div class=\"finding error\">").expect("the error");
    assert!(error < html.find("<table").unwrap() && !html.contains("no errors"));
    assert_eq!(html.matches("class=\"solid s9 f9\"").count(), 2, "the box is red in both views");
}

/// Mass and inertia that no machine has, each said once for all links.
#[test]
fn odd_masses_are_warnings() {
    let bodies = [
        link("point", 1.0, "0 0 0.1", [0.0; 3]),
        link("foam", 0.1, "0 0 0.1", [1.0; 3]),
        link("foam_too", 0.2, "0 0 0.1", [1.0; 3]),
        link("lead", 10.0, "0 0 0.1", [1e-6; 3]),
        link("feather", 1e-6, "0 0 0.1", [1e-12, 1e-12, 1e-11]),
    ];
    let names = ["point", "foam", "foam_too", "lead", "feather"];
    let joints = names.map(|name| joint(&format!("j_{name}"), "base", name, "0 0 0", LIMIT));
    let (run, found) = findings("odd.urdf", &(bodies.concat() + &joints.concat()));
    let places =
        |finding: &Value| finding["at"].as_array().unwrap().iter().map(|at| at["name"].clone()).collect::<Vec<_>>();
    assert_eq!(places(says(&found, "has mass but no rotational inertia")), ["point"]);
    assert_eq!(places(says(&found, "lighter than air")), ["foam", "foam_too"]);
    assert_eq!(places(says(&found, "denser than any metal")), ["lead"]);
    assert_eq!(places(says(&found, "1e7 times as heavy as the lightest (\"feather\", 0.001 g)")), ["feather"]);
    assert_eq!(says(&found, "principal moments")["severity"], "error", "the feather violates the triangle inequality");
    assert_eq!(run.code, Some(1));
}

/// Two arms at y = ±0.2 that are mirror images: nothing. Then one fault at a time.
#[test]
fn left_and_right_are_compared() {
    let robot = |right: String| {
        link("left_arm", 1.0, "0.01 0.03 -0.1", [0.002, 0.003, 0.0025])
            + &right
            + &joint("left", "base", "left_arm", "0 0.2 0", LIMIT)
            + &joint("right", "base", "right_arm", "0 -0.2 0", LIMIT)
    };
    let of = |name: &str, mass: f64, com: &str, moments: [f64; 3]| {
        findings(name, &robot(link("right_arm", mass, com, moments))).1
    };
    let moments = [0.002, 0.003, 0.0025];
    assert_eq!(of("mirror.urdf", 1.0, "0.01 -0.03 -0.1", moments), [] as [Value; 0]);
    let found = of("mirror_mass.urdf", 1.1, "0.01 -0.03 -0.1", moments);
    assert_eq!(says(&found, "Left and right differ. Masses: 1 kg and 1.1 kg.")["severity"], "warning");
    assert_eq!(found[0]["at"][1]["name"], "right_arm");
    let found = of("mirror_com.urdf", 1.0, "0.01 -0.05 -0.1", moments);
    says(&found, "Centres of mass: (0.01, 0.03, -0.1) and (0.01, -0.05, -0.1) m.");
    let found = of("mirror_moments.urdf", 1.0, "0.01 -0.03 -0.1", [0.004, 0.003, 0.0025]);
    says(&found, "Principal moments: 0.002, 0.0025, 0.003 and 0.0025, 0.003, 0.004 kg m².");
    // These are the same moments about other axes.
    let found = of("mirror_axes.urdf", 1.0, "0.01 -0.03 -0.1", [0.003, 0.002, 0.0025]);
    says(&found, "Axes of the inertias");
    // A copy may be the same part.
    let found = of("mirror_copy.urdf", 1.0, "0.01 0.03 -0.1", moments);
    assert_eq!(says(&found, "Left and right have the same numbers")["severity"], "hint");
}

/// A bar of 2 kg, 0.5 m out, needs 9.8 N m.
#[test]
fn limits_are_held_against_the_weight() {
    let of = |name: &str, limit: &str| {
        findings(name, &(joint("j", "base", "b", "0 0 0", limit) + &link("b", 2.0, "0.5 0 0", CUBE))).1
    };
    assert_eq!(of("strong.urdf", "lower=\"-1\" upper=\"1\" effort=\"10\" velocity=\"5\""), [] as [Value; 0]);
    let found = of("weak.urdf", "lower=\"-1\" upper=\"1\" effort=\"9\" velocity=\"5\"");
    let weak = says(&found, "too heavy for its motors at rest: \"j\" needs 9.81 N m, and its effort limit is 9");
    assert_eq!((&weak["severity"], &weak["at"][0]["line"]), (&"warning".into(), &3.into()));
    // Nothing at rest, with the centre of mass below the joint, but elsewhere.
    let hanging = joint("j", "base", "b", "0 0 0", "lower=\"-3\" upper=\"3\" effort=\"9\" velocity=\"5\"")
        + &link("b", 2.0, "0 0 -0.5", CUBE);
    assert_eq!(says(&findings("hanging.urdf", &hanging).1, "in some configurations")["severity"], "hint");
    let found = of("nothing.urdf", "lower=\"0.5\" upper=\"0.5\" effort=\"0\" velocity=\"0\"");
    for what in ["cannot move", "effort limit is 0", "velocity limit is 0"] {
        assert_eq!(says(&found, what)["at"][0]["name"], "j");
    }
}

/// Every warning of the reader of URDF has its place and its own remedy.
#[test]
fn warnings_of_the_reader_have_remedies() {
    let cube = |name: &str| link(name, 1.0, "0 0 0", CUBE);
    let child = |name: &str, child: &str, kind: &str, more: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"base\"/><child link=\"{child}\"/>{more}</joint>\n"
        )
    };
    let axis = "<axis xyz=\"0 1 0\"/>";
    let robot = [
        cube("a") + &child("no_axis", "a", "continuous", ""),
        cube("b") + &child("no_limit", "b", "revolute", axis),
        cube("c") + &child("no_bounds", "c", "revolute", &format!("{axis}<limit effort=\"9\" velocity=\"9\"/>")),
        cube("d") + &child("damped", "d", "continuous", &format!("{axis}<dynamics damp=\"1\"/>")),
        cube("e")
            + &child(
                "degrees",
                "e",
                "revolute",
                &format!("{axis}<limit lower=\"-90\" upper=\"90\" effort=\"9\" velocity=\"9\"/>"),
            ),
        cube("f") + &child("fixed", "f", "fixed", "<mimic joint=\"no_axis\"/>"),
        cube("g") + &child("lost", "g", "continuous", &format!("{axis}<mimic joint=\"nothing\"/>")),
        "<link name=\"h\"/>\n".to_string() + &child("empty", "h", "continuous", axis),
        "<nonsense/>\n".into(),
    ];
    let (run, found) = findings("reader.urdf", &robot.concat());
    for (what, severity, remedy) in [
        ("No <axis>", "warning", "Write the axis"),
        ("No <limit>", "warning", "Add <limit"),
        ("<limit> without", "warning", "Add `lower`"),
        ("Attributes of <dynamics>", "warning", "spelling"),
        ("look like degrees", "warning", "π/180"),
        ("Fixed joints do not move", "warning", "Remove the <mimic>"),
        ("Mimic joints cannot be honoured", "error", "--mimic free"),
        ("moves but has no inertia", "error", "--allow-massless"),
        ("Elements that are not URDF", "warning", "spelling"),
    ] {
        let finding = says(&found, what);
        assert_eq!(finding["severity"], severity, "{finding}");
        assert!(finding["remedy"].as_str().unwrap().contains(remedy), "{finding}");
    }
    assert_eq!(says(&found, "look like degrees")["at"][0]["name"], "degrees");
    assert_eq!(says(&found, "moves but has no inertia")["at"][0]["name"], "h");
    assert!(found.iter().all(|finding| finding["remedy"] != "See the line in the file."), "{found:#?}");
    assert_eq!(run.code, Some(1));
}

/// And every warning of the reader of MJCF; cameras and lights are not worth one.
#[test]
fn warnings_of_the_mjcf_reader_have_remedies() {
    let mjcf = r#"<mujoco><worldbody><light pos="0 0 3"/><camera name="c"/>
        <body name="a"><freejoint name="free"/><geom type="box" size=".1 .1 .1"/>
        <body name="b"><joint name="hinge" damping="1"/><geom type="box" size=".1 .1 .1"/></body></body>
        <body name="target" mocap="true"/></worldbody><tendon><fixed name="t"><joint joint="hinge" coef="1"/></fixed></tendon>
        <equality><connect body1="a" anchor="0 0 0"/></equality></mujoco>"#;
    let file = scratch("reader.xml", mjcf);
    let json = dtau(&["check", file.path(), "--json"]).json();
    let found = json["findings"].as_array().unwrap();
    let severities: Vec<_> = found.iter().map(|finding| finding["severity"].as_str().unwrap()).collect();
    assert_eq!((severities, &json["root"]), (vec!["warning", "hint", "hint"], &"floating".into()), "{found:#?}");
    assert_eq!(says(found, "Tendons are skipped")["remedy"], "Apply the forces of the tendons as joint torques.");
    assert_eq!(says(found, "motion capture")["at"][0]["name"], "target");
    assert!(says(found, "Equality constraints")["remedy"].as_str().unwrap().contains("constrained functions"));
}

/// A joint through the centre of a point mass: forward dynamics divide by zero.
#[test]
fn a_robot_without_forward_dynamics_is_an_error() {
    let robot = joint("j", "base", "b", "0 0 0", LIMIT) + &link("b", 1.0, "0 0 0", [0.0; 3]);
    let (run, found) = findings("singular.urdf", &robot);
    assert_eq!(says(&found, "Forward dynamics do not exist at rest")["severity"], "error");
    assert_eq!(run.code, Some(1));
}

/// Friction of arm7_gripper is stiff: 2 / 23,540 s. It is a warning, which --strict turns into exit code 1.
#[test]
fn the_fastest_mode_bounds_explicit_steps() {
    let run = dtau(&["check", "arm7_gripper", "--json"]);
    let json = run.json();
    let step = json["fastest_mode"]["largest_step"].as_f64().unwrap();
    assert!((step - 85e-6).abs() < 1e-6, "{step}");
    assert_eq!(json["fastest_mode"]["joint"], "joint_7");
    let found = json["findings"].as_array().unwrap();
    says(found, "needs steps below 85 µs; without friction, below 6");
    assert_eq!((run.code, dtau(&["check", "arm7_gripper", "--strict"]).code), (Some(0), Some(1)));
    // Without friction and damping there is nothing to say, so --strict passes.
    assert_eq!(dtau(&["check", "arm7_gripper", "--strict", "--no-friction", "--no-damping"]).code, Some(0));
}

#[test]
fn legs_on_a_fixed_root_are_a_hint() {
    let found =
        |options: &[&str]| dtau(&[&["check", "quadruped", "--json"], options].concat()).json()["findings"].clone();
    let fixed = found(&[]);
    let hint = says(fixed.as_array().unwrap(), "4 legs");
    assert_eq!(
        (hint["severity"].as_str(), hint["remedy"].as_str()),
        (Some("hint"), Some("Did you mean --root floating?"))
    );
    assert_eq!(found(&["--root", "floating"]), Value::Array(Vec::new()));
    assert_eq!(dtau(&["check", "quadruped", "--strict"]).code, Some(0), "a hint is no warning");
}

/// Names are data: none of them is markup in the page, and each keeps to its line of the report.
#[test]
fn names_that_look_like_markup_are_shown_and_not_obeyed() {
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/hostile.urdf");
    let page = scratch("hostile_check.html", "");
    let run = dtau(&["check", robot, "--html", page.path()]);
    assert!(run.text().contains("line\\nof,\"two\"") && !run.out.contains("\nof,"), "{}", run.out);
    let html = fs::read_to_string(page.path()).unwrap();
    assert!(html.contains("&lt;!--&lt;script&gt;") && !html.contains("<!--"), "a comment begins");
    assert_eq!((html.matches("<script").count(), html.matches("</script>").count()), (1, 1));
    assert!(!html.contains("<b>base") && !html.contains("\"onload"), "an attribute or element of a name");
}

#[test]
fn mistakes_are_told() {
    dtau(&["check", "no_such_robot"]).fails_with(&["no file \"no_such_robot\"", "humanoid"]);
    dtau(&["check", "arm6", "--html", "no/such/dir/page.html"]).fails_with(&["no/such/dir", "no directory"]);
    dtau(&["check"]).fails_with(&["<ROBOT>"]);
    let file = scratch("still_check.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
    assert_eq!(dtau(&["check", file.path(), "--strict"]).code, Some(0), "a robot without joints can be checked");
}

/// --open calls the system's program with the page. Without that program, the message names the page.
#[cfg(target_os = "linux")]
#[test]
fn the_page_is_opened() {
    use std::os::unix::fs::PermissionsExt;
    let programs = common::directory("programs");
    fs::create_dir_all(programs.path()).unwrap();
    let (program, page) = (programs.at("xdg-open"), programs.at("page.html"));
    fs::write(&program, "#!/bin/sh\necho \"$1\" > \"$0.opened\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |path: &str, args: &[&str]| {
        let mut command = command(&[&["check", "arm6", "--open"], args].concat());
        command.env("PATH", path).env("TMPDIR", programs.path());
        dtau_fixtures::command::run(&mut command, b"", common::DEADLINE)
    };
    let path = format!("{}:/usr/bin:/bin", programs.path());
    run(&path, &["--html", page.to_str().unwrap()]).text();
    assert_eq!(fs::read_to_string(programs.at("xdg-open.opened")).unwrap().trim(), page.to_str().unwrap());
    // Without --html the page is a temporary file.
    run(&path, &[]).text();
    let opened = fs::read_to_string(programs.at("xdg-open.opened")).unwrap();
    assert!(fs::read_to_string(opened.trim()).unwrap().contains("<h1>arm6</h1>"), "{opened}");
    let nowhere = run("/nowhere", &["--html", page.to_str().unwrap()]);
    assert_eq!(nowhere.code, Some(2));
    assert!(
        nowhere.err.contains("xdg-open cannot open the page") && nowhere.err.contains("page.html"),
        "{}",
        nowhere.err
    );
}
