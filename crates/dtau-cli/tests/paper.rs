//! `dtau paper`: files, resuming, mistakes. Few links and short measurements; what is made is the same.

mod common;
use common::{DEADLINE, directory, dtau, scratch};
use dtau_fixtures::command::{Run, Running, Scratch};
use serde_json::Value;
use std::path::Path;

fn paper(out: &Scratch, args: &[&str]) -> Run {
    dtau(&[&["paper", "--out", out.path(), "--budget", "0", "--largest", "10"], args].concat())
}

#[test]
fn a_figure_has_all_its_files() {
    let out = directory("files");
    paper(&out, &["--only", "singh22-fig4"]).text();
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
        let png = std::fs::read(out.at(&format!("figures/singh22-fig4-{}.png", k + 1))).unwrap();
        assert!(png.starts_with(b"\x89PNG"));
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
    paper(&out, &["--only", "singh21-table2,carpentier18-fig3,singh22-table1"]).text();
    let html = out.text("index.html");
    let listed = dtau(&["paper", "--list"]);
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
    assert!(out.text("summary.md").contains("| where | paper | here | verdict |"));
}

#[test]
fn resume_keeps_what_is_finished_with_the_same_settings() {
    let out = directory("resume");
    let made = |run: &Run| {
        let is_made = |line: &&str| line.starts_with("singh21-fig") && line.ends_with(" s)");
        run.err.lines().filter(is_made).count()
    };
    let first = paper(&out, &["--only", "singh21-fig3,singh21-fig4"]);
    first.text();
    assert_eq!(made(&first), 2, "{}", first.err);
    let before = out.text("figures/singh21-fig3.json");
    std::fs::remove_file(out.at("figures/singh21-fig4.json")).unwrap();

    let second = paper(&out, &["--only", "singh21-fig3,singh21-fig4", "--resume"]);
    second.text();
    assert_eq!(made(&second), 1, "{}", second.err);
    assert_eq!(out.text("figures/singh21-fig3.json"), before);
    assert!(out.text("index.html").contains("figures/singh21-fig3.csv"));

    // Other settings, or a file that is not whole: made again.
    std::fs::write(out.at("figures/singh21-fig4.json"), "{\"id\": ").unwrap();
    let third = paper(&out, &["--only", "singh21-fig3,singh21-fig4", "--resume"]);
    assert_eq!(made(&third), 1, "{}", third.err);
    let fourth =
        dtau(&["paper", "--out", out.path(), "--budget", "0", "--largest", "5", "--only", "singh21-fig3", "--resume"]);
    assert_eq!(made(&fourth), 1, "{}", fourth.err);
    let left: Vec<_> = std::fs::read_dir(out.at("figures")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

/// Whoever stops the program has all figures that are finished, whole, and a page of them.
#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    let out = directory("killed");
    let args = ["paper", "--out", out.path(), "--budget", "0", "--largest", "10"];
    let mut child = Running::start(common::command(&args).stdin(std::process::Stdio::null()), DEADLINE);
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
    let again = paper(&out, &["--only", "singh21-fig1,singh21-table2", "--resume"]);
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
    paper(&out, &["--only", "singh22-fig4", "--pinocchio", file.path()]).text();
    let figure = out.json("figures/singh22-fig4.json");
    let series = figure["plots"][0]["series"].as_array().unwrap();
    let chain = series.iter().find(|series| series["name"] == "Pinocchio").unwrap();
    assert_eq!(chain["points"][0]["y"], 1500.0);
    let two = figure["plots"][1]["series"].as_array().unwrap();
    let two = two.iter().find(|series| series["name"] == "Pinocchio").unwrap();
    assert_eq!(two["points"][0]["y"], 9.0);
    assert!(figure["notes"].to_string().contains("fast build") && figure["notes"].to_string().contains("Some CPU"));
}

#[test]
fn mistakes_are_told_before_any_work() {
    let out = directory("mistakes");
    paper(&out, &["--only", "singh23-fig1"]).fails_with(&["singh23-fig1", "singh22-fig4"]);
    paper(&out, &["--quick", "--full"]).fails_with(&["--full"]);
    paper(&out, &["--robots", "no/such"]).fails_with(&["no/such", "no such directory"]);
    paper(&out, &["--robots", concat!(env!("CARGO_MANIFEST_DIR"), "/src")]).fails_with(&["no URDF"]);
    let none = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dtau/robots");
    let only_pendulum = paper(&out, &["--robots", none.to_str().unwrap(), "--only", "singh21-fig1"]);
    assert_eq!(only_pendulum.code, Some(0), "{}", only_pendulum.err);
    paper(&out, &["--pinocchio", "no/such.json"]).fails_with(&["no/such.json", "bench/run.sh"]);
    let file = scratch("not.json", "[]");
    paper(&out, &["--pinocchio", file.path()]).fails_with(&["is not a result of bench/"]);
    dtau(&["paper", "--out", file.path()]).fails_with(&["is a file"]);
    dtau(&["paper", "--out", &format!("{}/below", file.path())]).fails_with(&["below", "cannot be written"]);
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
        paper(&out, &[]).fails_with(&["cannot be written"]);
    }
    std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
}
