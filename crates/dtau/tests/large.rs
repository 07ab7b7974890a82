//! Robots with many links: time and memory grow linearly, and nothing recurses.
//!
//! With quadratic time or memory, these tests would not finish.

use dtau::model::{Description, JointKind, JointOrder, Mimic, MimicMode, Model, Options, Root, generate};

const MANY: usize = 20_000;

fn build(robot: &Description) -> Model {
    Model::build(robot, &Options::default()).unwrap()
}

/// A spine of `n/2` links, each with a side link that is numbered before the next spine link. Paths then
/// consist of many runs.
fn comb(n: usize) -> Description {
    let mut robot = generate::chain(n);
    for (i, joint) in robot.joints.iter_mut().enumerate() {
        let parent = if i % 2 == 1 { i } else { i.saturating_sub(1) };
        joint.parent = robot.links[parent].name.clone();
    }
    robot
}

#[test]
fn a_chain_is_built() {
    let model = build(&generate::chain(MANY));
    assert_eq!((model.nq(), model.nv(), model.body_count()), (MANY, MANY, MANY));
    let tree = model.tree();
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        assert_eq!((body.parent, body.v.clone(), body.path.len()), (i - 1, i - 1..i, usize::from(i > 1)));
        assert_eq!((body.bodies_end, body.dofs_end), (MANY + 1, MANY));
        assert_eq!(tree.dofs[i - 1].parent, i.checked_sub(2));
    }
    assert!(tree.path_runs()[tree.bodies[MANY].path.clone()].iter().eq([&(0..MANY - 1)]));
    assert_eq!(model.joints()[MANY - 1].depth, MANY);
}

#[test]
fn a_bush_is_built() {
    let bf = 5;
    let model = build(&generate::tree(MANY, bf));
    assert_eq!(model.body_count(), MANY);
    let tree = model.tree();
    let mut sizes = vec![1; tree.bodies.len()];
    for (i, body) in tree.bodies.iter().enumerate().skip(1).rev() {
        assert_eq!(body.bodies_end - i, sizes[i], "body {i}");
        assert_eq!(body.dofs_end, body.bodies_end - 1);
        sizes[body.parent] += sizes[i];
    }
    assert_eq!(model.joints().iter().map(|j| j.depth).max(), Some(8));
    assert!(tree.path_runs().len() < 8 * MANY);
}

#[test]
fn a_comb_is_built() {
    let model = build(&comb(MANY));
    let body = model.tree().bodies.last().unwrap();
    let joint = model.joint_of(model.body_ids().last().unwrap());
    assert_eq!(model.joint_info(joint).depth, MANY / 2 + 1);
    // Its path is never stored explicitly; it would have this many runs.
    assert_eq!(body.path.len(), MANY / 2);
    // Same, small enough to store the paths.
    let model = build(&comb(200));
    let tree = model.tree();
    let last = tree.bodies.last().unwrap();
    assert!(tree.path_runs()[last.path.clone()].iter().cloned().flatten().eq((0..199).filter(|k| k % 2 == 0)));
}

#[test]
fn names_are_found() {
    let robot = generate::chain(MANY);
    let model = build(&robot);
    for (i, joint) in robot.joints.iter().enumerate() {
        let id = model.joint(&joint.name).unwrap();
        assert_eq!(model.joint_info(id).q, i..i + 1);
        let frame = model.frame(&joint.child).unwrap();
        assert_eq!(model.carrier(frame).unwrap().0, i + 1);
        assert_eq!(model.joint_of(model.body(&joint.child).unwrap()), id);
    }
    assert!(model.joint("joint_20001").unwrap_err().to_string().contains("did you mean"));
}

/// Every second joint follows the first one, which couples everything between them.
#[test]
fn mimicry_is_built() {
    let mut robot = generate::chain(MANY);
    for joint in robot.joints.iter_mut().skip(1).step_by(2) {
        joint.mimic = Some(Mimic { joint: "joint_1".into(), multiplier: 0.5, offset: 0.1 });
    }
    let model = build(&robot);
    assert_eq!((model.nv(), model.tree().dofs.len()), (MANY / 2, MANY));
    let free = Options { mimic: MimicMode::Free, order: JointOrder::Alphabetical, ..Options::default() };
    assert_eq!(model.with_options(&free).unwrap().nv(), MANY);
}

#[test]
fn edits_keep_their_pace() {
    let robot = generate::chain(MANY);
    let model = Model::build(&robot, &Options { root: Root::Floating, ..Options::default() }).unwrap();
    let locked: Vec<_> = robot.joints.iter().skip(1).map(|j| (j.name.as_str(), &[0.1][..])).collect();
    let stiff = model.lock(&locked).unwrap();
    assert_eq!((stiff.nv(), stiff.joints()[1].kind), (7, JointKind::Revolute { axis: [0.0, 0.0, 1.0].into() }));
    assert!((stiff.mass() - model.mass()).abs() < 1e-9 * model.mass());
}
