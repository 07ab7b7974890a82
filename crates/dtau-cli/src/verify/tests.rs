//! A wrong derivative makes the verification fail and name the entry.

use super::*;
use clap::Parser;
use dtau::{Declaration, Error, Scene};

/// ∂τ/∂q with a relative error of 1e-6 in one entry: joint 3 (row) and joint 2 (column).
fn wrong(function: &'static Declaration, scene: Scene<'_, f64>, x: &[&[f64]]) -> Result<Values, Error> {
    let mut values = Values::of(function, scene, x)?;
    if function.name == "id_derivatives" {
        let place = values.place("dtau_dq").expect("a result");
        values.all[place][(2, 1)] *= 1.0 + 1e-6;
    }
    Ok(values)
}

fn run(evaluate: Evaluate, options: &[&str]) -> (ExitCode, String) {
    let args = [&["verify", "arm6", "--states", "3"], options].concat();
    let args = VerifyArgs::try_parse_from(args).unwrap();
    let mut out = Vec::new();
    let code = run_with(evaluate, &args, &mut out).unwrap_or_else(|failure| failure.report());
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn a_wrong_derivative_fails_and_the_entry_is_named() {
    let (code, text) = run(wrong, &[]);
    assert_eq!(code, ExitCode::FAILURE);
    let model = dtau::model::Model::bundled("arm6", &Default::default()).unwrap();
    let (row, column) = (&model.joints()[2].name, &model.joints()[1].name);
    let verdict = text.lines().find(|line| line.contains("is wrong")).expect("a verdict");
    assert!(verdict.contains("id_derivatives") && verdict.contains(&format!("dtau_dq({row}, {column})")), "{verdict}");
    assert_eq!(text.matches("is wrong").count(), 1, "{text}");

    let (_, json) = run(wrong, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["passed"], false);
    let line = json["derivatives"].as_array().unwrap().iter().find(|line| line["claim"] == "id_derivatives").unwrap();
    assert_eq!(line["good"], false);
    assert_eq!(line["worst"]["row"], row.as_str());
    assert_eq!(line["worst"]["column"], column.as_str());
}

#[test]
fn without_it_everything_agrees() {
    let (code, text) = run(Values::of, &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("everything agrees"));
}
