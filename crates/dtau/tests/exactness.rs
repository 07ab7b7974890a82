//! Accuracy in hard cases: light, thin and distant links, and small torques under fast motions. The reference
//! is the same source with 32-digit numbers.

use dtau::model::{
    Description, Inertial, JointDescription, JointKind, Link, MimicMode, Model, Options, Root, generate,
};
use dtau::scalar::Real;
use dtau::spatial::{Inertia, Motion, Sym3, Transform, Vec3};
use dtau::{
    FdDerivatives, FdWay, IdDerivatives, Workspace, aba, crba, fd_derivatives, fd_derivatives_by, id_derivatives,
    mass_solve, minverse, rnea,
};
use dtau_fixtures::State;
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::double_double::DoubleDouble;
use dtau_fixtures::robots::models;
use dtau_fixtures::wrenches::every_kind_everywhere;

fn exact(model: &Model) -> Model {
    Model::build(model.description(), &Options { exact: true, ..model.options().clone() }).unwrap()
}

/// Computes q̈, M, M⁻¹ and ∂q̈/∂q.
fn results<T: Real>(model: &Model, q: &[T], v: &[T], tau: &[T]) -> [Vec<T>; 4] {
    let (nv, ws) = (model.nv(), &mut Workspace::new(model));
    let (mut qdd, square, mut d) = (vec![T::zero(); nv], vec![T::zero(); nv * nv], FdDerivatives::new(model));
    let (mut m, mut minv) = (square.clone(), square);
    aba(model, ws, q, v, tau, &mut qdd).unwrap();
    crba(model, ws, q, &mut m[..]).unwrap();
    minverse(model, ws, q, &mut minv).unwrap();
    fd_derivatives(model, ws, q, v, tau, &mut d).unwrap();
    [qdd, m, minv, d.dqdd_dq.to_vec()]
}

const NAMES: [&str; 4] = ["q̈", "M", "M⁻¹", "∂q̈/∂q"];

/// Returns the largest errors of these, relative to the largest entry of q̈ and of every row. The torques of
/// the state give ordinary accelerations.
fn errors(model: &Model, seed: u64) -> [f64; 4] {
    let State { q, v, a } = State::random(model, seed);
    let (nv, mut tau) = (model.nv(), vec![0.0; model.nv()]);
    rnea(model, &mut Workspace::new(model), &q, &v, &a, &mut tau).unwrap();
    let lift = |x: &[f64]| x.iter().map(|&x| DoubleDouble::from_f64(x)).collect::<Vec<_>>();
    let (got, want) = (results(model, &q, &v, &tau), results(model, &lift(&q), &lift(&v), &lift(&tau)));
    core::array::from_fn(|k| {
        let rows = if k == 0 { 1 } else { nv };
        let mut worst = 0.0;
        for r in 0..rows {
            let row = || (r..got[k].len()).step_by(rows);
            let largest = row().map(|i| want[k][i].hi.abs()).fold(0.0, f64::max);
            worst = row().map(|i| want[k][i].error_of(got[k][i]) / largest).fold(worst, f64::max);
        }
        worst
    })
}

/// Makes a chain whose joint axes alternate between x, y, z, from each link's mass, distance to the previous
/// joint, and inertia.
fn chain(links: &[(f64, f64, [f64; 3])]) -> Model {
    let mut robot = Description { name: "hard".into(), ..Description::default() };
    robot.links.push(Link { name: "base".into(), ..Link::default() });
    for (i, &(mass, distance, [xx, yy, zz])) in links.iter().enumerate() {
        let mut axis = [0.0; 3];
        axis[i % 3] = 1.0;
        let (kind, name) = (JointKind::Revolute { axis: axis.into() }, format!("link_{i}"));
        let mut joint = JointDescription::new(&format!("joint_{i}"), kind, &robot.links[i].name, &name);
        joint.origin = Transform::translation(Vec3::new(0.1, distance, 0.2));
        robot.joints.push(joint);
        let inertial = Inertial { mass, com: Vec3::new(0.01, 0.02, -0.01), about_com: Sym3::diagonal(xx, yy, zz) };
        robot.links.push(Link { name, inertial: Some(inertial), line: 0 });
    }
    Model::build(&robot, &Options::default()).unwrap()
}

/// A finger of 1e-6 kg m² at the end of an arm, a boom of 100 m with a wheel, and a rod a thousand times as
/// long as thick. In body coordinates, only the chain's condition costs digits. In ground coordinates, a
/// light body's inertia loses ε m r².
#[test]
fn exact_models_keep_the_digits_of_light_thin_and_far_links() {
    let heavy = [0.2, 0.2, 0.2];
    let cases = [
        ("a finger", chain(&[(5.0, 0.0, heavy), (3.0, 0.5, heavy), (0.01, 0.5, [1e-6; 3])])),
        ("a boom", chain(&[(5.0, 0.0, heavy), (3.0, 100.0, heavy), (0.1, 0.5, [1e-4; 3])])),
        ("a rod", chain(&[(5.0, 0.0, heavy), (3.0, 0.5, heavy), (1.0, 0.5, [0.3, 0.3, 3e-7])])),
    ];
    let mut all = Vec::new();
    for (name, plain) in cases {
        let model = exact(&plain);
        let (mut worst, mut without) = ([0.0f64; 4], [0.0f64; 4]);
        for seed in 0..5 {
            let (now, before) = (errors(&model, seed), errors(&plain, seed));
            worst = core::array::from_fn(|k| worst[k].max(now[k]));
            without = core::array::from_fn(|k| without[k].max(before[k]));
        }
        for k in 0..4 {
            println!("{name}: {} {:.1e}, without the option {:.1e}", NAMES[k], worst[k], without[k]);
        }
        all.push((name, worst, without));
    }
    for (name, worst, without) in all {
        for (k, most) in [1e-12, 2e-15, 1e-13, 5e-11].into_iter().enumerate() {
            let (what, worst, without) = (NAMES[k], worst[k], without[k]);
            assert!(worst < most, "{name}: {what} {worst:e}");
            assert!(worst < without / 10.0, "{name}: {what} {worst:e}: the option gains nothing beside {without:e}");
        }
    }
}

/// The option does not change the robot: every joint, armature, damping, wrenches of every kind, mimicking
/// joints; q̈, M, M⁻¹ and the derivatives, in all ways. The tolerance is round-off for the condition number
/// of these trees, 1e5.
#[test]
fn exact_models_are_the_same_robots() {
    let mut mimicking = 0;
    for (seed, plain) in models().into_iter().enumerate() {
        let (model, x) = (exact(&plain), State::random(&plain, seed as u64));
        mimicking += usize::from(model.mimic().is_some());
        let wrenches = every_kind_everywhere(&model);
        let results = |model: &Model| {
            let (ws, nv) = (&mut Workspace::new(model), model.nv());
            let (mut qdd, mut m, mut d) = (vec![0.0; nv], vec![0.0; nv * nv], IdDerivatives::new(model));
            let scene = || model.scene().wrenches(&wrenches);
            aba(scene(), ws, &x.q, &x.v, &x.a, &mut qdd).unwrap();
            crba(scene(), ws, &x.q, &mut m[..]).unwrap();
            id_derivatives(scene(), ws, &x.q, &x.v, &x.a, &mut d).unwrap();
            let (mut minv, mut solved) = (vec![0.0; nv * nv], vec![0.0; nv]);
            minverse(scene(), ws, &x.q, &mut minv).unwrap();
            mass_solve(scene(), ws, &x.q, &x.a, &mut solved).unwrap();
            let ways = FdWay::ALL
                .into_iter()
                .filter(|way| model.mimic().is_none() || matches!(way, FdWay::Dense | FdWay::Ltdl));
            let forward = ways.map(|way| {
                let mut d = FdDerivatives::new(model);
                fd_derivatives_by(way, scene(), ws, &x.q, &x.v, &x.a, &mut d).unwrap();
                [d.qdd, d.dqdd_dq.to_vec(), d.dqdd_dv.to_vec(), d.dqdd_dtau.to_vec()]
            });
            (qdd, m, d, minv, solved, forward.collect::<Vec<_>>())
        };
        let (got, want) = (results(&model), results(&plain));
        let nv = model.nv();
        assert_close(&format!("{seed}: q̈"), &got.0, &want.0, 1, 1e-9);
        assert_close(&format!("{seed}: M"), &got.1, &want.1, nv, 1e-13);
        for c in 0..nv {
            assert_close(
                &format!("{seed}: M beside ∂τ, column {c}"),
                got.2.dtau_da.column(c),
                &got.1[c * nv..][..nv],
                1,
                1e-15,
            );
            assert_close(
                &format!("{seed}: ∂τ/∂q, column {c}"),
                got.2.dtau_dq.column(c),
                want.2.dtau_dq.column(c),
                1,
                0.0,
            );
        }
        assert_close(&format!("{seed}: M⁻¹"), &got.3, &want.3, nv, 1e-9);
        assert_close(&format!("{seed}: M⁻¹ x"), &got.4, &want.4, 1, 1e-9);
        for (way, (got, want)) in got.5.iter().zip(&want.5).enumerate() {
            for k in 0..4 {
                assert_close(
                    &format!("{seed}: way {way}, array {k} of ∂FD"),
                    &got[k],
                    &want[k],
                    got[k].len() / nv.max(1),
                    1e-8,
                );
            }
        }
        if model.mimic().is_none() && nv > 5 {
            assert_ne!(got.0, want.0, "{seed}: two ways that are meant to be independent agree to the last bit");
        }
    }
    assert!(mimicking >= 3);
}

/// Limbs that meet only in the world: pendulums a kilometre from the first keep their own digits. In
/// coordinates of the first one they would lose ε m r² of an inertia of 1e-2 kg m², which is 1e-8 of it.
#[test]
fn limbs_of_the_world_cost_each_other_no_digits() {
    let mut robot = Description { name: "pendulums".into(), ..Description::default() };
    robot.links.push(Link { name: "ground".into(), ..Link::default() });
    for (i, far) in [0.0, 1000.0].into_iter().enumerate() {
        for k in 0..2 {
            let name = format!("rod_{i}_{k}");
            let parent = if k == 0 { "ground".into() } else { format!("rod_{i}_0") };
            let kind = JointKind::Revolute { axis: Vec3::new(0.0, 1.0, 0.0) };
            let mut joint = JointDescription::new(&format!("joint_{i}_{k}"), kind, &parent, &name);
            joint.origin = Transform::translation(Vec3::new(if k == 0 { far } else { 0.3 }, 0.0, 0.0));
            robot.joints.push(joint);
            let inertial =
                Inertial { mass: 1.0, com: Vec3::new(0.1, 0.0, 0.0), about_com: Sym3::diagonal(1e-2, 1e-2, 1e-2) };
            robot.links.push(Link { name, inertial: Some(inertial), line: 0 });
        }
    }
    let model = Model::build(&robot, &Options { mimic: MimicMode::Free, ..Options::default() }).unwrap();
    for seed in 0..5 {
        let [of_qdd, of_mass, ..] = errors(&model, seed);
        assert!(of_qdd < 1e-12 && of_mass < 2e-15, "seed {seed}: {of_qdd:e}, {of_mass:e}");
    }
}

/// A wheel on a fast cart, with its centre of mass a micrometre off its axis. The torque about the axis is 1e-6
/// of m v². The term `v × m v` would leave an error of ε: 1e-10 of the torque. A single body isolates the effect.
#[test]
fn a_small_torque_under_a_fast_motion_keeps_its_digits() {
    let inertia = Inertia::from_com(2.0, Vec3::new(1e-6, 0.0, 0.3), Sym3::diagonal(0.1, 0.1, 0.2));
    let v = Motion::new(Vec3::new(30.1, -20.3, 7.7), Vec3::new(0.3, -0.2, 1.1));
    let a = Motion::new(Vec3::new(0.1, 0.3, -9.8), Vec3::new(0.0, 0.1, -0.2));
    let (got, want) =
        (inertia.load(v, a), Inertia::<DoubleDouble>::lift(&inertia).load(Motion::lift(v), Motion::lift(a)));
    let plain = v.cross_force_add(inertia * v, inertia * a);
    assert_close("the same force", &got.to_array(), &plain.to_array(), 1, 1e-15);
    let error = want.ang.z.error_of(got.ang.z) / want.ang.z.hi.abs();
    assert!(error < 1e-14, "{error:e}, by v × I v {:e}", want.ang.z.error_of(plain.ang.z) / want.ang.z.hi.abs());
}

/// The option keeps the accuracy of ground coordinates at large distance: 10 km away, a floating robot has the
/// same digits as at the origin.
#[test]
fn exact_models_are_exact_far_from_the_origin() {
    let model = exact(
        &Model::build(&generate::random_tree(3, 8), &Options { root: Root::Floating, ..Options::default() }).unwrap(),
    );
    let State { mut q, v, a } = State::random(&model, 1);
    let at_home = results(&model, &q, &v, &a);
    q[..3].copy_from_slice(&[1e4, -1e4, 0.0]);
    let far = results(&model, &q, &v, &a);
    assert_close("q̈", &far[0], &at_home[0], 1, 1e-15);
    assert_close("M", &far[1], &at_home[1], model.nv(), 1e-15);
}
