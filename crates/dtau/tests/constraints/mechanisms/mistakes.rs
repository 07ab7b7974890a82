//! Invalid input: errors that name the constraint and the remedy.

use super::*;
use dtau::{Constrained, ConstraintsBuilder, ErrorKind, Gains, constrained_fd, constrained_step, freedom};

#[track_caller]
fn says(error: dtau::Error, kind: ErrorKind, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} does not say {part:?}");
    }
    assert_eq!(error.kind(), kind, "{text}");
}

#[track_caller]
fn refused(builder: ConstraintsBuilder, kind: ErrorKind, parts: &[&str]) {
    says(builder.build().unwrap_err(), kind, parts);
}

#[test]
fn constraints_that_cannot_be_are_refused_by_name() {
    let model = four_bar(FOUR_BAR);
    let new = || Constraints::new(&model);
    refused(
        new().point("cuopler_end").at_world([0.0; 3]),
        ErrorKind::UnknownName,
        &["constraint \"cuopler_end\"", "coupler_end"],
    );
    let unknown = new().frame("coupler_end").called("loop").with("rokcer", Transform::identity());
    refused(unknown, ErrorKind::UnknownName, &["constraint \"loop\"", "rocker"]);
    refused(new().joints(&[("to_crnak", 1.0)]).sum_to(0.0), ErrorKind::UnknownName, &["to_crank"]);
    refused(
        new().point("crank").with("crank_end", [0.0; 3]),
        ErrorKind::Value,
        &["\"crank and crank_end\"", "one body", "two bodies"],
    );
    refused(
        new().point("base").at_world([0.0; 3]),
        ErrorKind::Value,
        &["constraint \"base\"", "fixed to the world", "moves"],
    );
    for gains in [Gains { kp: -1.0, kd: 0.0 }, Gains { kp: 0.0, kd: f64::NAN }, Gains { kp: f64::INFINITY, kd: 0.0 }] {
        refused(
            new().point("crank_end").gains(gains).at_world([0.0; 3]),
            ErrorKind::Value,
            &["\"crank_end\"", "not negative"],
        );
        refused(
            new().point("crank_end").at_world([0.0; 3]).stabilise(gains),
            ErrorKind::Value,
            &["stabilise", "not negative"],
        );
    }
    refused(new().point("crank_end").at_world([f64::NAN, 0.0, 0.0]), ErrorKind::Value, &["\"crank_end\"", "finite"]);
    refused(
        new().point("crank_end").in_world_plane([0.0; 3], [0.0; 3]),
        ErrorKind::Value,
        &["\"crank_end\"", "direction"],
    );
    refused(
        new().point("crank_end").at_distance_of_world([0.0; 3], -1.0),
        ErrorKind::Value,
        &["\"crank_end\"", "positive"],
    );
    refused(
        new().frame("crank_end").only([false; 6]).at_world(Transform::identity()),
        ErrorKind::Value,
        &["no direction"],
    );
    refused(new().joints(&[("to_crank", 0.0)]).sum_to(0.0), ErrorKind::Value, &["factor other than zero"]);
    let mut skew = Transform::identity();
    skew.rot.cols[0].x = 2.0;
    refused(new().frame("crank_end").at_world(skew), ErrorKind::Value, &["orthogonal"]);
    says(new().point("crank_end").at_world_here(&[0.0]).unwrap_err(), ErrorKind::Length, &["`q` has 1 numbers", "3"]);
    let (quadruped, _) = quadruped();
    refused(
        Constraints::new(&quadruped).joints(&[("root_joint", 1.0)]).sum_to(0.0),
        ErrorKind::Value,
        &["root_joint", "several"],
    );
}

/// A link and the joint of another link have the same name.
#[test]
fn ambiguous_frames_are_told_apart() {
    let mut plan = Plan::new("twins").bar("bar", "base", [0.0, 0.0], 1.0).bar("other", "bar", [1.0, 0.0], 1.0);
    plan.0.joints.iter_mut().find(|joint| joint.child == "other").unwrap().name = "bar".into();
    let model = plan.build();
    let error = Constraints::new(&model).point("bar").at_world([0.0; 3]).build().unwrap_err();
    says(error, ErrorKind::AmbiguousName, &["constraint \"bar\"", "say \"link:bar\" or \"joint:bar\""]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = four_bar(FOUR_BAR);
    let (set, mut ws, closing) = (closed(&model), Workspace::new(&model), Closing::default());
    let (mut q, mut v) = (vec![0.0; 4], vec![0.0; 3]);
    says(
        assemble(&model, &mut ws, &set, &closing, &mut q).unwrap_err(),
        ErrorKind::Length,
        &["`q` has 4 numbers", "3"],
    );
    let mut q = by_trigonometry(FOUR_BAR, 0.5, false).to_vec();
    says(
        project_velocity(&model, &mut ws, &set, &q, &mut v[..2]).unwrap_err(),
        ErrorKind::Length,
        &["`v` has 2 numbers"],
    );
    says(freedom(&model, &mut ws, &set, &q[..1]).unwrap_err(), ErrorKind::Length, &["`q` has 1 numbers"]);
    let desired = [0.0; 5];
    let scene = model.scene().desired(&desired);
    says(
        assemble(scene, &mut ws, &set, &closing, &mut q).unwrap_err(),
        ErrorKind::Length,
        &["`desired` has 5 numbers", "6"],
    );
    let active = [1.0; 2];
    says(
        freedom(model.scene().active(&active), &mut ws, &set, &q).unwrap_err(),
        ErrorKind::Length,
        &["`active` has 2 numbers"],
    );
    let other = four_bar(FOUR_BAR);
    says(freedom(&other, &mut ws, &set, &q).unwrap_err(), ErrorKind::Length, &["another model", "Constraints::new"]);
    let far = quadruped().0;
    says(
        freedom(&model, &mut Workspace::new(&far), &set, &q).unwrap_err(),
        ErrorKind::Length,
        &["workspace", "another model"],
    );
    let bad = Closing { tolerance: 0.0, ..closing };
    says(assemble(&model, &mut ws, &set, &bad, &mut q).unwrap_err(), ErrorKind::Value, &["tolerance", "1e-10"]);
    let mut out = Constrained::new(&set);
    out.lambda.pop();
    let error = constrained_fd(&model, &mut ws, &set, &q, &v, &[0.0; 3], &mut out).unwrap_err();
    says(error, ErrorKind::Length, &["`out.lambda` has 1 numbers", "rows = 2"]);
    // NaN anywhere leaves q and v unchanged.
    let before = q.clone();
    q[1] = f64::NAN;
    says(assemble(&model, &mut ws, &set, &closing, &mut q).unwrap_err(), ErrorKind::Value, &["`q` is not finite"]);
    says(freedom(&model, &mut ws, &set, &q).unwrap_err(), ErrorKind::Value, &["`q` is not finite"]);
    says(project_velocity(&model, &mut ws, &set, &q, &mut v).unwrap_err(), ErrorKind::Value, &["finite"]);
    q = before.clone();
    v[0] = f64::INFINITY;
    says(project_velocity(&model, &mut ws, &set, &q, &mut v).unwrap_err(), ErrorKind::Value, &["not finite"]);
    let mut v = vec![0.0; 3];
    let error = constrained_step(&model, &mut ws, &set, f64::NAN, &[0.0; 3], &mut q, &mut v).unwrap_err();
    says(error, ErrorKind::Value, &["finite"]);
    assert_eq!((q, v), (before, vec![0.0; 3]));
}

/// A rod that is too short, and one that can close. The error names the first with the missing length, and q
/// is unchanged.
#[test]
fn an_assembly_that_cannot_close_names_what_stays_open() {
    let model = four_bar(FOUR_BAR);
    let set = Constraints::new(&model)
        .point("crank_end")
        .called("far")
        .at_world([0.0, 5.0, 0.0])
        .point("rocker_end")
        .called("near")
        .at_world([1.0, 0.7, 0.0])
        .build()
        .unwrap();
    let (mut ws, start) = (Workspace::new(&model), vec![0.3, 0.2, 1.2]);
    let mut q = start.clone();
    let error = assemble(&model, &mut ws, &set, &Closing::default(), &mut q).unwrap_err();
    assert!(!error.to_string().contains("\"near\""), "{error}");
    // The crank points towards it, and 4.7 m are missing.
    says(error, ErrorKind::Singular, &["do not close", "\"far\" has 4.700e0 left", "start nearer"]);
    assert_eq!(q, start);
    let hurried = Closing { most_iterations: 1, ..Closing::default() };
    let error = assemble(&model, &mut ws, &closed(&model), &hurried, &mut q).unwrap_err();
    says(error, ErrorKind::Singular, &["coupler_end and rocker_end", "after 1 steps"]);
}

/// Contradictory velocities, and contradictory accelerations.
#[test]
fn contradictions_are_named() {
    let model = four_bar(FOUR_BAR);
    let q = by_trigonometry(FOUR_BAR, 0.5, false);
    let set = Constraints::new(&model)
        .joints(&[("to_crank", 1.0)])
        .called("one")
        .sum_to(0.5)
        .joints(&[("to_crank", 1.0)])
        .called("other")
        .sum_to(0.5)
        .build()
        .unwrap();
    let (mut ws, mut v) = (Workspace::new(&model), [0.0; 3]);
    let mut desired = [0.0; 6];
    (desired[2], desired[3]) = (1.0, -1.0);
    let error = project_velocity(model.scene().desired(&desired), &mut ws, &set, &q, &mut v).unwrap_err();
    says(error, ErrorKind::Singular, &["no velocity obeys", "\"one\"", "\"other\""]);
    assert_eq!(v, [0.0; 3]);
    (desired[4], desired[5]) = (1.0, -1.0);
    let error = constrained_fd(model.scene().desired(&desired), &mut ws, &set, &q, &v, &v, &mut Constrained::new(&set))
        .unwrap_err();
    says(error, ErrorKind::Singular, &["\"other\"", "contradicts \"one\""]);
}
