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
        let error = line["error"].as_f64().unwrap();
        assert!(line["exact"] == false || error <= 1e-12, "{line}");
        assert!(line["worst"]["row"].is_string() && line["worst"]["column"].is_string(), "{line}");
    }
    let identities = json["identities"].as_array().unwrap();
    assert_eq!(identities.len(), 13);
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
    assert_eq!(html.matches("data-chart=\"bars\"").count(), 2 * 6);
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
