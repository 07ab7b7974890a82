//! `dtau verify`: its report, its JSON, its page, its mistakes.

mod common;
use common::{dtau, scratch};
use dtau_fixtures::command::Run;

/// Few states: what is checked is the same.
fn verify(args: &[&str]) -> Run {
    dtau(&[&["verify"], args, &["--states", "2"]].concat())
}

#[test]
fn the_pendulum_passes() {
    let run = verify(&["double_pendulum"]);
    let text = run.text();
    for part in ["id_derivatives", "crba", "fd_derivatives", "minverse", "complex step of aba", "everything agrees"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

/// Every function and identity has a line: with an error and the worst entry, or with a reason.
#[test]
fn json_has_every_function_and_identity() {
    let json = verify(&["arm7_gripper", "--format", "json"]).json();
    assert_eq!(json["passed"], true);
    assert_eq!(json["tolerance"], 1e-12);
    let lines = |name: &str| json[name].as_array().unwrap().clone();
    let functions = lines("derivatives");
    let names: Vec<_> = functions.iter().map(|line| line["claim"].as_str().unwrap()).collect();
    assert_eq!(names, ["id_derivatives", "crba", "fd_derivatives", "minverse"]);
    for line in functions {
        assert!(line["error"].as_f64().unwrap() <= 1e-12, "{line}");
        assert!(line["worst"]["row"].is_string() && line["worst"]["column"].is_string(), "{line}");
    }
    assert_eq!(lines("identities").len(), 13 + 8);
    assert!(lines("identities").iter().all(|line| line["good"] == true));
}

/// A body without inertia along its joint: forward dynamics is refused with the reason, the rest is checked.
#[test]
fn a_massless_leaf_is_no_failure() {
    let urdf = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"/>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
        <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint></robot>"#;
    let file = scratch("massless.urdf", urdf);
    let json = verify(&[file.path(), "--allow-massless", "--format", "json"]).json();
    assert_eq!(json["passed"], true);
    let of = |name: &str| json["derivatives"].as_array().unwrap().iter().find(|line| line["claim"] == name).cloned();
    assert!(of("id_derivatives").unwrap()["error"].is_f64() && of("crba").unwrap()["error"].is_f64());
    for name in ["fd_derivatives", "minverse"] {
        assert!(of(name).unwrap()["why"].as_str().unwrap().contains("\"c\""));
    }
}

#[test]
fn the_page_has_six_heat_maps_and_the_tables() {
    let page = scratch("verify.html", "");
    verify(&["double_pendulum", "--html", page.path()]).text();
    let html = std::fs::read_to_string(page.path()).unwrap();
    assert_eq!(html.matches("data-chart=\"heat\"").count(), 6);
    assert!(html.contains("<p class=\"good\">everything agrees</p>") && !html.contains("class=\"bad\""));
    assert_eq!(html.matches("<table class=\"data\">").count(), 2);
    // Rows and columns by joint, and what the colours mean.
    assert!(html.matches(">shoulder</text>").count() >= 6 * 2, "labels of the heat maps");
    assert_eq!(html.matches("logarithmic; blank: exactly 0").count(), 6);
    for title in ["∂τ/∂q", "∂τ/∂q̇", "M = ∂τ/∂q̈", "∂q̈/∂q", "∂q̈/∂q̇", "M⁻¹ = ∂q̈/∂τ"]
    {
        assert!(html.contains(&format!(">{title}</text>")), "{title}");
    }
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http://") && !outside.contains("https://"), "the page needs the network");
}

#[test]
fn mistakes_are_told_before_any_work() {
    verify(&["no_such_robot"]).fails_with(&["no file \"no_such_robot\"", "humanoid"]);
    verify(&["arm6", "--html", "no/such/dir/page.html"]).fails_with(&["no/such/dir", "no directory"]);
    verify(&["arm6", "--html", env!("CARGO_TARGET_TMPDIR")]).fails_with(&["is a directory"]);
    dtau(&["verify", "arm6", "--states", "0"]).fails_with(&["--states"]);
    dtau(&["verify"]).fails_with(&["<ROBOT>"]);
    let file = scratch("still.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
    verify(&[file.path()]).fails_with(&["nothing moves"]);
}

/// The floating base's position changes nothing: what rounding leaves of it is not drawn as if it were a result.
#[test]
fn noise_of_the_base_is_shown_as_noise() {
    let page = scratch("noise.html", "");
    verify(&["quadruped", "--root", "floating", "--html", page.path()]).text();
    let html = std::fs::read_to_string(page.path()).unwrap();
    let start = html.find("aria-label=\"∂q̈/∂q\"").expect("the map of ∂q̈/∂q");
    let map = html[start..].split("</svg>").next().unwrap();
    let noise = map.lines().find(|line| line.contains("<path class=\"noise\"")).expect("noise");
    // 18 rows by three columns of position, but for those that come out as exact zeros; and nothing above 1e-4 of 1 is noise.
    assert!(noise.matches('z').count() >= 18, "{noise}");
    assert!(map.contains(">rounding noise</text>"));
    let least = map.split(">±").nth(1).and_then(|rest| rest.split('<').next()).expect("the least of the scale");
    assert!(!least.contains("e-1"), "the scale begins at {least}");
    for part in ["quadruped (bundled)", "<code>dtau verify quadruped --root floating", " UTC</b>", "processor"] {
        let foot = html.split("<footer>").nth(1).expect("a foot");
        assert!(foot.contains(part), "no {part:?} in {foot}");
    }
}

/// Names are data: none of them is markup in the page, and each keeps to its line of the report.
#[test]
fn names_that_look_like_markup_are_shown_and_not_obeyed() {
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/hostile.urdf");
    let page = scratch("hostile.html", "");
    let report = verify(&[robot, "--html", page.path()]);
    let text = report.text();
    assert!(text.contains("everything agrees") && text.contains("line\\nof,\"two\""), "{text}");
    assert!(!text.contains("\nof,"), "a name broke its line: {text}");

    let html = std::fs::read_to_string(page.path()).unwrap();
    assert!(html.contains("&lt;!--&lt;script&gt;") && !html.contains("<!--"), "a comment begins");
    // Scripts hold JSON without any sign that ends or hides them. The only other script is the page's own.
    let scripts: Vec<&str> = html.split("<script").skip(1).collect();
    for script in &scripts {
        let (head, rest) = script.split_once('>').unwrap();
        let body = rest.split("</script>").next().unwrap();
        if head.contains("application/json") {
            assert!(!body.contains('<'), "{body}");
            serde_json::from_str::<serde_json::Value>(body).expect("JSON");
        }
    }
    let own = scripts.iter().filter(|script| !script.starts_with(" type=\"application/json\"")).count();
    assert_eq!((own, html.matches("</script>").count()), (1, scripts.len()));
    assert_eq!(html.matches("<title>").count(), 1);
    assert!(!html.contains("<b>base") && !html.contains("\"onload"), "an attribute or element of a name");
}

/// Functions of constraints against complex step, in the table, the JSON and the page.
#[test]
fn constraints_are_checked() {
    let feet = "stabilise = { kp = 30, kd = 4 }\n[[constraint]]\npoint = \"lf_foot\"\nhere = true\n\
                [[constraint]]\nname = \"loop\"\nframe = \"rf_foot\"\nwith = \"rh_foot\"\nonly = [\"x\", \"about y\"]\nhere = true\n";
    let (file, page) = (scratch("checked.toml", feet), scratch("constraints.html", ""));
    let args = ["quadruped", "--root", "floating", "--constraints", file.path()];
    let json = verify(&[&args[..], &["--format", "json", "--html", page.path()]].concat()).json();
    assert_eq!(json["passed"], true, "{}", json["constrained"]);
    let lines = json["constrained"].as_array().unwrap();
    let names: Vec<&str> = lines.iter().map(|line| line["claim"].as_str().unwrap()).collect();
    assert!(names.starts_with(&["constrained_fd", "constrained_fd_derivatives"]), "{names:?}");
    for line in lines {
        assert!(line["error"].as_f64().unwrap() <= 1e-12 && line["worst"].is_object(), "{line}");
    }
    let html = std::fs::read_to_string(page.path()).unwrap();
    assert!(html.contains("<h2>constraints</h2>") && html.contains("loop (x, about y)"));
}
