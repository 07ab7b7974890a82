//! A method with a planted error makes the check fail and name the entry.

use super::*;
use clap::Parser;
use dtau_methods::list::{Quantity, Restriction, Run, find};
use dtau_methods::{IdMethod, TreeState, idsva_printed};

/// The printed IDSVA with one wrong entry in ∂τ/∂q, off by a millionth of its row: row of joint 3, column of
/// joint 2.
fn wrong<T: dtau::scalar::Real>(
    state: &TreeState<'_, T>,
    a: &[T],
    tau: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    da: &mut [T],
) {
    idsva_printed::id_derivatives(state, a, tau, dq, dv, da);
    let n = tau.len();
    dq[n + 2] += dq[n + 2] * T::from_f64(1e-6);
}

static WRONG: Method = Method {
    name: "planted",
    quantity: Quantity::IdDerivatives,
    source: "this test",
    cost: "",
    how: "",
    restriction: Restriction::None,
    exact: true,
    run: Run::Id { plain: wrong::<f64> as IdMethod<f64>, counted: wrong },
};

/// A short list, to be fast: the library's own, the oracles, and the planted one.
fn list(with_wrong: bool) -> Vec<&'static Method> {
    let pick = |quantity, name| find(quantity, name).expect("a method of the list");
    let mut methods = vec![
        pick(Quantity::IdDerivatives, "idsva"),
        pick(Quantity::IdDerivatives, "complex-step"),
        pick(Quantity::FdDerivatives, "fdsva"),
        pick(Quantity::FdDerivatives, "complex-step"),
        pick(Quantity::MassInverse, "minverse"),
    ];
    if with_wrong {
        methods.push(&WRONG);
    }
    methods
}

fn run(methods: &[&'static Method], options: &[&str]) -> (ExitCode, String) {
    let args = [&["compare", "arm6", "--states", "3", "--budget", "1"], options].concat();
    let args = CompareArgs::try_parse_from(args).unwrap();
    let mut out = Vec::new();
    let code = run_with(methods, &args, &mut out).unwrap_or_else(|failure| failure.report());
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn a_wrong_method_fails_and_the_entry_is_named() {
    let (code, text) = run(&list(true), &[]);
    assert_eq!(code, ExitCode::FAILURE);
    let model = dtau::model::Model::bundled("arm6", &Default::default()).unwrap();
    let (row, column) = (&model.joints()[2].name, &model.joints()[1].name);
    let verdict = text.lines().find(|line| line.contains("is wrong")).expect("a verdict");
    assert!(verdict.contains("planted") && verdict.contains(&format!("dtau_dq({row}, {column})")), "{verdict}");

    let (_, json) = run(&list(true), &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["passed"], false);
    let line = json["methods"].as_array().unwrap().iter().find(|line| line["method"] == "planted").unwrap();
    assert_eq!(line["verdict"], "failed");
    assert_eq!(line["worst"]["row"], row.as_str());
    assert_eq!(line["worst"]["column"], column.as_str());
}

#[test]
fn without_it_everything_agrees() {
    let (code, text) = run(&list(false), &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("everything agrees"));
}

/// With one method there is nothing to compare: the page has a sentence, not a chart of one dot.
#[test]
fn a_single_method_is_a_sentence() {
    let path = std::env::temp_dir().join(format!("dtau_check_{}.html", std::process::id()));
    run(&list(true), &["--html", path.to_str().unwrap()]);
    let html = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(html.contains("Only minverse takes this robot, so there is nothing to compare."));
    // ∂τ and ∂q̈ have two charts each; the planted error is shown in red.
    assert_eq!(html.matches("data-chart=\"dots\"").count(), 4);
    assert!(html.contains("out of tolerance</text>") && html.contains("class=\"dot f9\""));
}
