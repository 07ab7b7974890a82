//! `dtau` without arguments, and what a build says of what it lacks: the papers, code for old CPUs.

mod common;
use common::dtau;
use std::process::Stdio;

#[test]
fn the_summary_checks_what_it_shows() {
    let run = dtau(&[]);
    let text = run.text();
    for function in ["rnea", "aba", "crba", "minverse", "id_derivatives", "fd_derivatives"] {
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{function} ")));
        let line = line.unwrap_or_else(|| panic!("no {function} in {text}"));
        assert!(line.contains("e-") || line.contains("0e0"), "{line} was not compared with anything");
    }
    assert!(text.contains("every check holds"), "{text}");
}

/// The speed-ups of the summary are those that are published.
#[test]
fn the_speed_is_that_of_the_benchmarks() {
    let page = include_str!("../../../BENCHMARKS.md");
    let column =
        |line: &str, k: usize| line.split('|').nth(k + 1).unwrap_or("").trim_matches([' ', '*', '✗']).to_string();
    let row = page.lines().find(|line| line.starts_with("| g1 (35) |")).expect("the robot of the summary");
    let head = page.lines().find(|line| line.starts_with("| robot (nv) | rnea |")).expect("the table of robots");
    let run = dtau(&[]);
    let text = run.text();
    for (k, (title, function)) in [
        ("rnea", "rnea"),
        ("aba", "aba"),
        ("crba", "crba"),
        ("M⁻¹", ""),
        ("∂ID", "id_derivatives"),
        ("∂FD", "fd_derivatives"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(column(head, k + 1), title);
        let ratio: f64 = column(row, k + 1).parse().unwrap();
        assert!(
            function.is_empty() || text.contains(&format!("{function} {ratio:.1}")),
            "{function} {ratio:.1}: {text}"
        );
    }
}

#[test]
fn the_papers_are_in_the_repository() {
    dtau(&["paper", "--quick"]).fails_with(&["clone", "cargo run --release -p dtau-papers"]);
}

/// In the build of the workspace the papers' program asks for code for every CPU; a build of the command alone does not.
#[test]
fn a_cpu_without_avx2_gets_results_or_one_sentence() {
    let mut emulated = std::process::Command::new("qemu-x86_64");
    emulated.args(["-cpu", "Nehalem", env!("CARGO_BIN_EXE_dtau"), "eval", "arm6", "--state", "-", "--what", "rnea"]);
    emulated.stdout(Stdio::piped()).stderr(Stdio::piped());
    if !cfg!(target_arch = "x86_64") || std::process::Command::new("qemu-x86_64").arg("-version").output().is_err() {
        return eprintln!("not tested: this needs qemu-x86_64");
    }
    let state = format!(r#"{{"q": {0}, "v": {0}, "a": {0}}}"#, common::zeros(6));
    let run = dtau_fixtures::command::run(&mut emulated, state.as_bytes(), common::DEADLINE);
    if dtau::ANY_CPU {
        assert!(run.text().contains("\"rnea\""));
    } else {
        run.fails_with(&["AVX2 and FMA, which this CPU does not have", "any-cpu"]);
    }
}
