//! `dtau bench`: its table, its JSON, its page, its mistakes.

mod common;
use common::{dtau, scratch};
use dtau_fixtures::coverage::tried;

#[test]
fn json_has_every_function_of_every_robot() {
    let json = dtau(&["bench", "double_pendulum", "double_pendulum", "--budget", "1", "--format", "json"]).json();
    let robots = json["robots"].as_array().unwrap();
    assert_eq!(robots.len(), 2);
    for robot in robots {
        let functions = robot["functions"].as_array().unwrap();
        let names: Vec<_> = functions.iter().map(|function| function["name"].as_str().unwrap()).collect();
        assert_eq!(names, dtau::functions().iter().map(|function| function.name).collect::<Vec<_>>());
        assert_eq!(robot["rows"], 1, "of two revolute joints, one row is held");
        tried("bench", names);
        for function in functions {
            let ways = ["single", "plain", "batch", "batch_f32", "threads"];
            let ways = &ways[..if cfg!(feature = "batches") { 5 } else { 2 }];
            for way in ways.iter().filter(|way| dtau::ANY_CPU || **way != "plain") {
                let time = &function["times"][way];
                let [min, low, mean, high] = ["min", "low", "mean", "high"].map(|name| time[name].as_f64().unwrap());
                assert!(0.0 < min && min <= low && low <= mean && mean <= high, "{function}");
            }
            assert!(function["operations"].is_u64(), "{function}");
        }
    }
}

#[test]
fn the_table_and_the_page_name_the_functions() {
    let page = scratch("bench.html", "");
    let run = dtau(&["bench", "double_pendulum", "--budget", "1", "--html", page.path()]);
    assert!(run.text().contains("id_derivatives") && run.text().contains("double_pendulum"));
    let html = std::fs::read_to_string(page.path()).unwrap();
    assert!(html.contains("data-chart=\"dots\"") && html.contains("fd_derivatives"));
    let foot = html.split("<footer>").nth(1).expect("a foot");
    assert!(foot.contains("<code>dtau bench double_pendulum") && foot.contains("processor") && foot.contains(" UTC"));
}

#[test]
fn mistakes_are_told_before_any_work() {
    dtau(&["bench", "arm6", "no_such_robot"]).fails_with(&["no file \"no_such_robot\""]);
    dtau(&["bench", "--budget", "0"]).fails_with(&["--budget"]);
    dtau(&["bench", "arm6", "--html", "no/such/page.html"]).fails_with(&["no directory"]);
}
