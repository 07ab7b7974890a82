//! `dtau` without arguments, and what a build says of what it lacks: the feature `full`, code for old CPUs.

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
    dtau(&["verify", "arm6"]).fails_with(&["this build has no", "verify", "--features full"]);
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
    if !cfg!(target_arch = "x86_64") || std::process::Command::new("qemu-x86_64").arg("-version").output().is_err() {
        return eprintln!("not tested: this needs qemu-x86_64");
    }
    let state = format!(r#"{{"q": {0}, "v": {0}, "a": {0}}}"#, common::zeros(6));
    let run = dtau_fixtures::command::run(&mut emulated, state.as_bytes(), common::DEADLINE);
    if dtau::ANY_CPU {
        assert!(run.text().contains("tau"));
    } else {
        run.fails_with(&["AVX2 and FMA, which this CPU does not have", "any-cpu"]);
    }
}
