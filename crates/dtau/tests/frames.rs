//! Look-up of frames by name, added frames, and limits as vectors.

use dtau::model::{
    Description, FrameKind, JointDescription, JointKind, Limits, Link, Mimic, Model, Options, Root, generate,
};
use dtau::spatial::{Transform, Vec3};
use dtau::*;

/// A chain of three. The second joint has the same name as the last link, as in anymal_c.
fn robot() -> Description {
    let mut robot = generate::chain(3);
    robot.joints[1].name = "link_3".into();
    robot.joints[0].name = "link_1".into(); // carries the link of the same name
    robot
}

fn floating() -> Model {
    Model::build(&robot(), &Options { root: Root::Floating, ..Options::default() }).unwrap()
}

fn place(model: &Model, frame: &str) -> Transform<f64> {
    let mut placements = Placements::new(model);
    placements.update(model, &mut Workspace::new(model), &model.random_configuration(&mut Random::seeded(1))).unwrap();
    placements.frame(model.frame(frame).unwrap())
}

#[test]
fn a_name_that_means_two_places_is_an_error_with_the_candidates() {
    let model = floating();
    let error = model.frame("link_3").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AmbiguousName);
    let want = "\"link_3\" is the name of a link and a joint, and their frames differ; say \"link:link_3\" or \"joint:link_3\"";
    assert_eq!(error.to_string(), want);
    for error in [
        model.with_payload("link_3", model.description().links[1].inertial.unwrap()).unwrap_err(),
        model.attach("link_3", &model, "other/").unwrap_err(),
        model.with_frame("tool", "link_3", Transform::identity()).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn kinds_say_which_frame_is_meant() {
    let model = floating();
    assert_ne!(place(&model, "link:link_3"), place(&model, "joint:link_3"));
    assert_eq!(place(&model, "joint:link_3"), place(&model, "link_2"));
    assert_eq!(place(&model, "link_1"), place(&model, "joint:link_1")); // one pose, so the bare name is accepted
    for (id, frame) in model.frame_ids().zip(model.frames()) {
        assert_eq!(model.frame(&frame.full_name()).unwrap(), id);
    }
    assert_eq!(model.joint("joint:link_3").unwrap(), model.joint("link_3").unwrap());
    assert_eq!(model.body("link:link_3").unwrap(), model.body("link_3").unwrap());
    let message = model.frame("joint:link_4").unwrap_err().to_string();
    assert!(
        message.starts_with("there is no joint called \"link_4\"; did you mean \"link_1\" or \"link_3\"?"),
        "{message}"
    );
}

/// A name may begin with a kind of frame. With its own kind as a prefix, it is always unambiguous.
#[test]
fn names_with_colons_are_names() {
    let mut robot = robot();
    robot.links[3].name = "joint:joint_3".into();
    robot.joints[2].child = "joint:joint_3".into();
    robot.joints[2].name = "joint_3".into();
    let model = Model::build(&robot, &Options::default()).unwrap();
    assert_eq!(model.frame_info(model.frame("joint:joint_3").unwrap()).kind, FrameKind::Joint);
    assert_eq!(model.frame_info(model.frame("link:joint:joint_3").unwrap()).kind, FrameKind::Link);
}

#[test]
fn the_joint_of_the_root_is_a_frame_if_it_moves() {
    let model = floating();
    assert_eq!(place(&model, "root_joint"), place(&model, "base"));
    assert_eq!(model.frame_info(model.frame("joint:root_joint").unwrap()).kind, FrameKind::Joint);
    assert!(Model::build(&robot(), &Options::default()).unwrap().frame("root_joint").is_err());
    let load = model.description().links[1].inertial.unwrap();
    assert_eq!(model.with_payload("root_joint", load).unwrap().mass(), model.mass() + load.mass);
    // A file may also have a joint of that name.
    let mut robot = robot();
    robot.joints[2].name = "root_joint".into();
    let both = Model::build(&robot, &Options { root: Root::Floating, ..Options::default() }).unwrap();
    assert_eq!(place(&both, "root_joint"), place(&both, "link:link_3"));
    assert_eq!(both.joint("root_joint").unwrap_err().kind(), ErrorKind::AmbiguousName);
}

#[test]
fn frames_are_added() {
    let model = floating();
    let (there, further) =
        (Transform::translation(Vec3::new(0.1, 0.2, 0.3)), Transform::translation(Vec3::new(0.0, 0.0, 1.0)));
    for on in ["link:link_3", "joint:link_3", "root_joint", "base"] {
        let more = model.with_frame("tool", on, there).unwrap().with_frame("tip", "tool", further).unwrap();
        assert_eq!((more.nv(), more.frames().len()), (model.nv(), model.frames().len() + 2));
        assert_eq!(more.frame_info(more.frame("tip").unwrap()).kind, FrameKind::Custom);
        let off = (place(&more, "frame:tip").pos - (place(&model, on) * there * further).pos).norm_squared();
        assert!(off < 1e-28, "{on}: {off}"); // the product in another order
    }
    for (name, what) in [("link_2", "link"), ("joint_3", "joint"), ("root_joint", "joint")] {
        let message = model.with_frame(name, "base", there).unwrap_err().to_string();
        assert_eq!(message, format!("there is a {what} called \"{name}\" already; choose another name"));
    }
}

#[test]
fn limits_are_vectors_over_degrees_of_freedom() {
    let mut robot = robot();
    robot.joints[0].limits = Limits { lower: -1.0, upper: 2.0, velocity: 3.0, effort: 4.0 };
    robot.joints[2].limits = Limits { lower: -9.0, upper: 9.0, velocity: 9.0, effort: 9.0 };
    robot.joints[2].mimic = Some(Mimic { joint: "link_1".into(), multiplier: 1.0, offset: 0.0 });
    robot.links.push(Link { name: "plate".into(), inertial: robot.links[1].inertial, line: 0 });
    let normal = Vec3::new(0.0, 0.0, 1.0);
    let mut slide = JointDescription::new("slide", JointKind::Planar { normal }, "link_3", "plate");
    slide.limits.upper = 5.0;
    robot.joints.push(slide);
    let model = Model::build(&robot, &Options { root: Root::Floating, ..Options::default() }).unwrap();
    let inf = f64::INFINITY;
    let root = |x: f64| vec![x; 6];
    assert_eq!(model.lower(), [root(-inf), vec![-1.0, -inf, -inf, -inf, -inf]].concat());
    assert_eq!(model.upper(), [root(inf), vec![2.0, inf, 5.0, 5.0, 5.0]].concat());
    assert_eq!(model.speed(), [root(inf), vec![3.0, inf, inf, inf, inf]].concat());
    assert_eq!(model.effort(), [root(inf), vec![4.0, inf, inf, inf, inf]].concat());
}
