//! Figures and the comparison of methods: files, resuming, mistakes. Few links and short measurements; what is made is the same.

use dtau_fixtures::command::{Run, Running, Scratch, run};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The longest run takes half a minute unoptimised on a busy core. Ten times that is a hang.
const DEADLINE: Duration = Duration::from_secs(300);

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dtau-papers"));
    command.args(args).env_remove("COLUMNS").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
fn papers(args: &[&str]) -> Run {
    run(&mut command(args), b"", DEADLINE)
}

fn scratch(name: &str, content: impl AsRef<[u8]>) -> Scratch {
    Scratch::file(Path::new(env!("CARGO_TARGET_TMPDIR")), name, content.as_ref())
}

fn directory(name: &str) -> Scratch {
    Scratch::directory(Path::new(env!("CARGO_TARGET_TMPDIR")), name)
}

fn figures(out: &Scratch, args: &[&str]) -> Run {
    papers(&[&["figures", "--out", out.path(), "--budget", "0", "--largest", "10"], args].concat())
}

/// Few states and short timing: what is compared is the same.
fn compare(args: &[&str]) -> Run {
    papers(&[&["compare"], args, &["--states", "2", "--budget", "1"]].concat())
}

#[test]
fn a_figure_has_all_its_files() {
    let out = directory("files");
    figures(&out, &["--only", "singh22-fig4"]).text();
    let figure = out.json("figures/singh22-fig4.json");
    let plots = figure["plots"].as_array().unwrap();
    // Times and operations by branching factor, and the ratios: no legend has nine entries.
    assert_eq!(plots.len(), 7);
    for (k, plot) in plots.iter().enumerate() {
        let svg = out.text(&format!("figures/singh22-fig4-{}.svg", k + 1));
        let series = plot["series"].as_array().unwrap();
        assert_eq!(svg.matches("class=\"curve s").count(), series.len(), "plot {}", k + 1);
        let mut hues: Vec<_> = series.iter().map(|series| series["hue"].as_u64().unwrap()).collect();
        hues.sort_unstable();
        hues.dedup();
        assert_eq!((series.len(), hues.len()), (3, 3), "a colour each");
    }
    let times = plots[0]["series"].as_array().unwrap();
    let points: usize = plots
        .iter()
        .flat_map(|plot| plot["series"].as_array().unwrap())
        .map(|series| series["points"].as_array().unwrap().len())
        .sum();
    assert_eq!(out.text("figures/singh22-fig4.csv").lines().count(), 1 + points);
    for point in times[0]["points"].as_array().unwrap() {
        let [y, low, mean, high] = ["y", "low", "mean", "high"].map(|name| point[name].as_f64().unwrap());
        assert!(0.0 < y && y <= low && low <= mean && mean <= high, "the least time is drawn");
    }
    assert!(figure["claims"].as_array().unwrap().iter().all(|claim| claim["verdict"].is_string()));
}

/// The page has every figure, also those that were not made; folded, below one screen.
#[test]
fn the_page_lists_everything_and_needs_no_network() {
    let out = directory("page");
    figures(&out, &["--only", "singh21-table2,carpentier18-fig3,singh22-table1"]).text();
    let html = out.text("index.html");
    let listed = papers(&["figures", "--list"]);
    let ids: Vec<&str> = listed.text().lines().filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(ids.len() >= 28, "{ids:?}");
    for id in ids {
        assert!(html.contains(&format!("<details class=\"figure\" id=\"{id}\">")), "{id}");
    }
    assert!(!html.contains("<details open"));
    assert!(html.find("id=\"overview\"").unwrap() < html.find("<details").unwrap());
    // A matrix of zeros is a sentence; a note of several figures stands once.
    assert!(html.contains("every entry is exactly zero"));
    let stand_in = "the bundled robot of its class with";
    assert_eq!(html.matches(stand_in).count(), 1, "{stand_in}");
    assert!(html.contains("href=\"#note-1\"") && html.contains("id=\"note-1\""));
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http://") && !outside.contains("https://"), "the page needs the network");
    assert!(html.contains("prefers-color-scheme: dark"));
}

#[test]
fn resume_keeps_what_is_finished_with_the_same_settings() {
    let out = directory("resume");
    let made = |run: &Run| {
        let is_made = |line: &&str| line.starts_with("singh21-fig") && line.ends_with(" s)");
        run.err.lines().filter(is_made).count()
    };
    let first = figures(&out, &["--only", "singh21-fig3,singh21-fig4"]);
    first.text();
    assert_eq!(made(&first), 2, "{}", first.err);
    let before = out.text("figures/singh21-fig3.json");
    std::fs::remove_file(out.at("figures/singh21-fig4.json")).unwrap();

    let second = figures(&out, &["--only", "singh21-fig3,singh21-fig4", "--resume"]);
    second.text();
    assert_eq!(made(&second), 1, "{}", second.err);
    assert_eq!(out.text("figures/singh21-fig3.json"), before);
    assert!(out.text("index.html").contains("figures/singh21-fig3.csv"));

    // Other settings, or a file that is not whole: made again.
    std::fs::write(out.at("figures/singh21-fig4.json"), "{\"id\": ").unwrap();
    let third = figures(&out, &["--only", "singh21-fig3,singh21-fig4", "--resume"]);
    assert_eq!(made(&third), 1, "{}", third.err);
    let fourth = papers(&[
        "figures",
        "--out",
        out.path(),
        "--budget",
        "0",
        "--largest",
        "5",
        "--only",
        "singh21-fig3",
        "--resume",
    ]);
    assert_eq!(made(&fourth), 1, "{}", fourth.err);
    let left: Vec<_> = std::fs::read_dir(out.at("figures")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

/// Whoever stops the program has all figures that are finished, whole, and a page of them.
#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    let out = directory("killed");
    let args = ["figures", "--out", out.path(), "--budget", "0", "--largest", "10"];
    let mut child = Running::start(command(&args).stdin(Stdio::null()), DEADLINE);
    let finished = || out.at("figures/singh21-table2.json").exists() && out.text("index.html").contains("table2.csv");
    let patience = std::time::Instant::now();
    while !finished() && patience.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill();
    child.wait();
    assert!(finished());
    for entry in std::fs::read_dir(out.at("figures")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            serde_json::from_str::<Value>(&std::fs::read_to_string(&path).unwrap()).expect("whole JSON");
        }
    }
    let again = figures(&out, &["--only", "singh21-fig1,singh21-table2", "--resume"]);
    again.text();
    assert!(!again.err.contains("singh21-table2:"), "{}", again.err);
}

/// Pinocchio's points come from a run of bench/, with its name.
#[test]
fn pinocchios_times_join_in() {
    let out = directory("pinocchio");
    let run = r#"{"facts": [["processor", "Some CPU"], ["date", "2026-01-01"]], "comparisons": [
        {"mode": "single", "scalar": "f64", "opponent": "fast build", "ways": [""], "quantities": ["rnea", "id_derivatives"],
         "robots": [["chain_5", 5, [null, [1500.0, 700.0, 0.1, 0.1, 1e-15, 0]]],
                    ["tree_bf2_10", 10, [null, [9.0, 4.0, 0.1, 0.1, null, 0]]]]},
        {"mode": "single", "scalar": "f64", "opponent": "slow build", "ways": [""], "quantities": ["id_derivatives"],
         "robots": [["chain_5", 5, [[2500.0, 700.0, 0.1, 0.1, 1e-15, 0]]]]}
    ]}"#;
    let file = scratch("latest.json", run);
    figures(&out, &["--only", "singh22-fig4", "--pinocchio", file.path()]).text();
    let figure = out.json("figures/singh22-fig4.json");
    let series = figure["plots"][0]["series"].as_array().unwrap();
    let chain = series.iter().find(|series| series["name"] == "Pinocchio").unwrap();
    assert_eq!(chain["points"][0]["y"], 1500.0);
    let two = figure["plots"][1]["series"].as_array().unwrap();
    let two = two.iter().find(|series| series["name"] == "Pinocchio").unwrap();
    assert_eq!(two["points"][0]["y"], 9.0);
    assert!(figure["notes"].to_string().contains("fast build") && figure["notes"].to_string().contains("Some CPU"));
}

/// clap reads all that stands before `--help`.
#[test]
fn arguments_in_the_documentation_are_right() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/papers.md");
    let text = std::fs::read_to_string(page).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("cargo run --release -p dtau-papers -- "));
    let mut count = 0;
    for line in lines {
        let words = line.split('#').next().unwrap().split_whitespace().chain(["--help"]);
        let run = papers(&words.collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{line}\n{}", run.err);
        count += 1;
    }
    assert!(count >= 5, "the lines were not found");
    assert_ne!(papers(&["compare", "arm6", "--no-such-thing", "--help"]).code, Some(0), "--help hides mistakes");
}

#[test]
fn mistakes_are_told_before_any_work() {
    let out = directory("mistakes");
    figures(&out, &["--only", "singh23-fig1"]).fails_with(&["singh23-fig1", "singh22-fig4"]);
    figures(&out, &["--quick", "--full"]).fails_with(&["--full"]);
    figures(&out, &["--robots", "no/such"]).fails_with(&["no/such", "no such directory"]);
    figures(&out, &["--robots", concat!(env!("CARGO_MANIFEST_DIR"), "/src")]).fails_with(&["no URDF"]);
    let none = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/dtau/robots");
    let only_pendulum = figures(&out, &["--robots", none.to_str().unwrap(), "--only", "singh21-fig1"]);
    assert_eq!(only_pendulum.code, Some(0), "{}", only_pendulum.err);
    figures(&out, &["--pinocchio", "no/such.json"]).fails_with(&["no/such.json", "bench/run.sh"]);
    let file = scratch("not.json", "[]");
    figures(&out, &["--pinocchio", file.path()]).fails_with(&["is not a result of bench/"]);
    papers(&["figures", "--out", file.path()]).fails_with(&["is a file"]);
    papers(&["figures", "--out", &format!("{}/below", file.path())]).fails_with(&["below", "cannot be written"]);
}

/// Every method of the list has a line: with an error and a time, or with a reason.
#[test]
fn json_has_every_method() {
    let json = compare(&["arm7_gripper", "--format", "json"]).json();
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
}

/// The right finger of the arm mimics the left one: the methods that do not take that are one line.
#[test]
fn methods_that_do_not_apply_are_one_line() {
    let page = scratch("refused.html", "");
    let run = compare(&["arm7_gripper", "--html", page.path()]);
    let html = std::fs::read_to_string(page.path()).unwrap();
    let lines = run.text().lines().filter(|line| line.contains("not for this robot")).count();
    assert!((1..=3).contains(&lines), "at most one a quantity: {}", run.text());
    assert_eq!(html.matches("not for this robot: ").count(), lines);
    assert!(html.contains("finger_right_slide&quot; is not one"));
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
    compare(&[file.path(), "--allow-massless", "--html", page.path()]).text();
    let html = std::fs::read_to_string(page.path()).unwrap();
    assert_eq!(html.matches("No method takes this robot.").count(), 2);
    assert_eq!(html.matches("data-chart=\"dots\"").count(), 2, "charts of ∂τ alone");
}

#[cfg(unix)]
#[test]
fn an_unwritable_directory_is_told_before_any_work() {
    use std::os::unix::fs::PermissionsExt;
    let out = directory("unwritable");
    std::fs::create_dir_all(out.path()).unwrap();
    std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write anywhere; then there is nothing to see.
    if std::fs::write(out.at("probe"), "").is_err() {
        figures(&out, &[]).fails_with(&["cannot be written"]);
    }
    std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
}
