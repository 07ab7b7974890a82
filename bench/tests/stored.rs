//! The stored files are what the tool writes: `bench/run.sh --page` changes nothing.

use dtau_bench::report;
use dtau_bench::results::Results;
use std::fs;
use std::path::Path;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn stored_results_are_small_and_in_the_form_that_is_written() {
    let text = read("results/latest.json");
    let results: Results = serde_json::from_str(&text).unwrap();
    assert!(results.to_json().unwrap() == text, "bench/results/latest.json is not as `head-to-head report` writes it");
    assert!(text.len() < 100_000, "{} bytes in every clone", text.len());
}

#[test]
fn the_page_is_that_of_the_stored_results() {
    let mut results: Results = serde_json::from_str(&read("results/latest.json")).unwrap();
    results.instructions = Some(serde_json::from_str(&read("results/instructions.json")).unwrap());
    assert!(report::markdown(&results) == read("../BENCHMARKS.md"), "write BENCHMARKS.md again: bench/run.sh --page");
}
