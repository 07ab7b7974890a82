//! `dtau` without arguments, and what a build without the feature `full` says of what it lacks.

mod common;
use common::dtau;
use dtau_fixtures::coverage::tried;

#[test]
fn the_summary_checks_every_function() {
    let run = dtau(&[]);
    let text = run.text();
    let mut compared = Vec::new();
    for function in dtau::functions().iter().filter(|f| !f.parameters.contains(&dtau::Parameter::Constraints)) {
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{} ", function.name)));
        let line = line.unwrap_or_else(|| panic!("no {} in {text}", function.name));
        assert!(line.contains("e-") || line.contains("0e0"), "{line} was not compared with anything");
        compared.push(function.name);
    }
    tried("summary", compared);
    assert!(text.contains("every result agrees with the others"), "{text}");
}

#[cfg(not(feature = "full"))]
#[test]
fn what_is_missing_is_told() {
    dtau(&["check", "arm6"]).fails_with(&["this build has no", "check", "--features full"]);
}

#[test]
fn the_papers_are_in_the_repository() {
    dtau(&["paper", "--quick"]).fails_with(&["clone", "cargo run --release -p dtau-papers"]);
}
