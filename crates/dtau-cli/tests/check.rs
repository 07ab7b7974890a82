//! `dtau check`: its report, its JSON, its page, its mistakes.

mod common;
use common::{dtau, scratch};
use dtau_fixtures::command::Run;

/// Few states and short timing: what is checked is the same.
fn check(args: &[&str]) -> Run {
    dtau(&[&["check"], args, &["--states", "2", "--budget", "1"]].concat())
}

#[test]
fn the_pendulum_passes() {
    let run = check(&["double_pendulum"]);
    let text = run.text();
    for part in ["∂τ/∂(q, q̇, q̈)", "∂q̈/∂(q, q̇, τ)", "M⁻¹", "rneacr", "response", "oracle", "everything agrees"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

/// Every method of the list has a line: with an error and a time, or with a reason.
#[test]
fn json_has_every_method_and_identity() {
    let json = check(&["arm7", "--format", "json"]).json();
    assert_eq!(json["passed"], true);
    assert_eq!(json["tolerance"], 1e-12);
    let methods = json["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 28);
    for line in methods {
        // The right finger of the arm mimics the left one, which some methods do not take.
        if line["verdict"] == "not_for_this" {
            assert!(line["why"].as_str().unwrap().contains("finger_right_slide"), "{line}");
            continue;
        }
        assert!(line["time"]["min"].as_f64().unwrap() > 0.0, "{line}");
        assert!(line["ratio"].as_f64().unwrap() > 0.0, "{line}");
        if line["verdict"] == "oracle" {
            assert!(line["error"].is_null() && line["worst"].is_null(), "the oracle is compared with nothing: {line}");
            continue;
        }
        let error = line["error"].as_f64().unwrap();
        assert!(line["exact"] == false || error <= 1e-12, "{line}");
        assert!(line["worst"]["row"].is_string() && line["worst"]["column"].is_string(), "{line}");
    }
    let identities = json["identities"].as_array().unwrap();
    assert_eq!(identities.len(), 13 + 8);
    assert!(identities.iter().all(|line| line["good"] == true));
}

/// A body without inertia along its joint: forward dynamics is refused with the reason, the rest is checked.
#[test]
fn a_massless_leaf_is_no_failure() {
    let urdf = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"/>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
        <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint></robot>"#;
    let file = scratch("massless.urdf", urdf);
    let json = check(&[file.path(), "--allow-massless", "--format", "json"]).json();
    let of = |quantity: &str| -> Vec<_> {
        json["methods"].as_array().unwrap().iter().filter(|line| line["quantity"] == quantity).cloned().collect()
    };
    assert!(of("id_derivatives").iter().all(|line| line["verdict"] != "not_for_this"));
    assert!(of("fd_derivatives").iter().all(|line| line["why"].as_str().unwrap().contains("\"c\"")));
}

#[test]
fn the_page_has_six_heat_maps_and_charts_for_every_quantity() {
    let page = scratch("check.html", "");
    check(&["double_pendulum", "--html", page.path()]).text();
    let html = std::fs::read_to_string(page.path()).unwrap();
    // Each plot is drawn twice: for a desk and for a phone.
    assert_eq!(html.matches("data-chart=\"heat\"").count(), 2 * 6);
    assert_eq!(html.matches("data-chart=\"dots\"").count(), 2 * 6);
    assert!(!html.contains("class=\"bar"), "a bar on a logarithmic axis begins nowhere");
    // The tolerance is a line in each chart of errors; what passes is of the hue that says so.
    assert_eq!(html.matches("class=\"limit\"").count(), 2 * 3);
    assert_eq!(html.matches(">tolerance 1e-12</text>").count(), 2 * 3);
    assert!(html.contains("class=\"dot f8\"") && !html.contains("class=\"dot f9\""));
    // Rows and columns by joint, and what the colours mean.
    assert!(html.matches(">shoulder</text>").count() >= 2 * 6 * 2, "labels of the heat maps");
    assert_eq!(html.matches("logarithmic; blank: exactly 0").count(), 2 * 6);
    for title in ["∂τ/∂q", "∂τ/∂q̇", "M = ∂τ/∂q̈", "∂q̈/∂q", "∂q̈/∂q̇", "M⁻¹ = ∂q̈/∂τ"]
    {
        assert!(html.contains(&format!(">{title}</text>")), "{title}");
    }
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http://") && !outside.contains("https://"), "the page needs the network");
}

#[test]
fn mistakes_are_told_before_any_work() {
    check(&["no_such_robot"]).fails_with(&["no file \"no_such_robot\"", "humanoid"]);
    check(&["arm6", "--html", "no/such/dir/page.html"]).fails_with(&["no/such/dir", "no directory"]);
    check(&["arm6", "--html", env!("CARGO_TARGET_TMPDIR")]).fails_with(&["is a directory"]);
    dtau(&["check", "arm6", "--states", "0"]).fails_with(&["--states"]);
    dtau(&["check"]).fails_with(&["<ROBOT>"]);
    let file = scratch("still.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
    check(&[file.path()]).fails_with(&["nothing moves"]);
}

/// The floating base's position changes nothing: what rounding leaves of it is not drawn as if it were a result.
#[test]
fn noise_of_the_base_is_shown_as_noise() {
    let page = scratch("noise.html", "");
    check(&["quadruped", "--root", "floating", "--html", page.path()]).text();
    let html = std::fs::read_to_string(page.path()).unwrap();
    let start = html.find("aria-label=\"∂q̈/∂q\"").expect("the map of ∂q̈/∂q");
    let map = html[start..].split("</svg>").next().unwrap();
    let noise = map.lines().find(|line| line.contains("<path class=\"noise\"")).expect("noise");
    // 18 rows by three columns of position, but for those that come out as exact zeros; and nothing above 1e-4 of 1 is noise.
    assert!(noise.matches('z').count() >= 18, "{noise}");
    assert!(map.contains(">rounding noise</text>"));
    let least = map.split(">±").nth(1).and_then(|rest| rest.split('<').next()).expect("the least of the scale");
    assert!(!least.contains("e-1"), "the scale begins at {least}");
    for part in ["quadruped (bundled)", "<code>dtau check quadruped --root floating", " UTC</b>", "processor"] {
        let foot = html.split("<footer>").nth(1).expect("a foot");
        assert!(foot.contains(part), "no {part:?} in {foot}");
    }
}

/// The right finger of the arm mimics the left one: the methods that do not take that are one line.
#[test]
fn methods_that_do_not_apply_are_one_line() {
    let page = scratch("refused.html", "");
    let run = check(&["arm7", "--html", page.path()]);
    let html = std::fs::read_to_string(page.path()).unwrap();
    let lines = run.text().lines().filter(|line| line.contains("not for this robot")).count();
    assert!((1..=3).contains(&lines), "at most one a quantity: {}", run.text());
    assert_eq!(html.matches("Not for this robot: ").count(), lines);
    assert!(html.contains("finger_right_slide&quot; is not one") && !html.contains("<td>not for this robot</td>"));
    let refused = run.text().lines().find(|line| line.contains("not for this robot")).unwrap();
    assert!(refused.matches(',').count() >= 1 && refused.contains("abacr, fdcr"), "{refused}");
}

/// Forward dynamics of a body without inertia: nothing to draw.
#[test]
fn where_no_method_applies_there_is_no_chart() {
    let urdf = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"/>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
        <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint></robot>"#;
    let (file, page) = (scratch("one.urdf", urdf), scratch("one.html", ""));
    check(&[file.path(), "--allow-massless", "--html", page.path()]).text();
    let html = std::fs::read_to_string(page.path()).unwrap();
    assert_eq!(html.matches("No method takes this robot.").count(), 2);
    assert_eq!(html.matches("data-chart=\"dots\"").count(), 2 * 2, "charts of ∂τ alone");
}

/// Names are data: none of them is markup in the page, and each keeps to its line of the report.
#[test]
fn names_that_look_like_markup_are_shown_and_not_obeyed() {
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/hostile.urdf");
    let page = scratch("hostile.html", "");
    let report = check(&[robot, "--html", page.path()]);
    let text = report.text();
    assert!(text.contains("everything agrees") && text.contains("line\\nof,\"two\""), "{text}");
    assert!(!text.contains("\nof,"), "a name broke its line: {text}");

    let html = std::fs::read_to_string(page.path()).unwrap();
    assert!(html.contains("&lt;!--&lt;script&gt;") && !html.contains("<!--"), "a comment begins");
    // What scripts hold is JSON without any sign that ends or hides them; and there are no others but the page's own.
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
    let json = check(&[&args[..], &["--format", "json", "--html", page.path()]].concat()).json();
    assert_eq!(json["passed"], true, "{}", json["constrained"]);
    let lines = json["constrained"].as_array().unwrap();
    let names: Vec<&str> = lines.iter().map(|line| line["function"].as_str().unwrap()).collect();
    assert!(names.starts_with(&["constrained_fd", "constrained_fd_derivatives"]), "{names:?}");
    for line in lines {
        assert!(line["error"].as_f64().unwrap() <= 1e-12 && line["worst"].is_object(), "{line}");
    }
    let html = std::fs::read_to_string(page.path()).unwrap();
    assert!(html.contains("<h2>Constraints</h2>") && html.contains("loop (x, about y)"));
}
