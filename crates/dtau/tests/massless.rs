//! Massless bodies between others: the bodies they carry resist their joints, so all results are as usual.

use dtau::model::{Description, JointDescription, JointKind, Model, Options, Root, generate};
use dtau::scalar::Complex;
use dtau::spatial::{Transform, Vec3};
use dtau::*;

/// Errors are round-off: ε times a few hundred products of order one, times the condition of these mass
/// matrices (below 1e4).
const TOLERANCE: f64 = 1e-10;

fn revolute(axis: [f64; 3]) -> JointKind {
    JointKind::Revolute { axis: axis.into() }
}

/// An arm whose elbow is a universal joint: two intersecting axes with a massless body between them. A
/// sliding wrist carries a hand on two more axes.
fn arm() -> Description {
    let mut robot = generate::chain(7);
    let kinds = [
        revolute([0.0, 0.0, 1.0]),
        revolute([0.0, 1.0, 0.0]),
        revolute([0.0, 0.0, 1.0]), // intersects the axis before
        JointKind::Prismatic { axis: Vec3::new(1.0, 0.2, 0.0) },
        revolute([1.0, 0.0, 0.0]),
        revolute([0.0, 1.0, 1.0]),
        revolute([0.3, 1.0, 0.0]),
    ];
    for (joint, kind) in robot.joints.iter_mut().zip(kinds) {
        joint.kind = kind;
    }
    robot.joints[2].origin = Transform::identity();
    for massless in [2, 4, 5] {
        robot.links[massless].inertial = None;
    }
    robot
}

/// The arm, the arm on a floating base, and a tree in which massless bodies carry several others.
fn models() -> Vec<Model> {
    let mut bush = generate::tree(12, 2);
    for (i, joint) in bush.joints.iter_mut().enumerate() {
        joint.kind = revolute([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]][i % 3]);
    }
    for massless in [1, 4] {
        bush.links[massless].inertial = None;
    }
    let floating = Options { root: Root::Floating, ..Options::default() };
    let robots = [(arm(), &Options::default()), (arm(), &floating), (bush, &Options::default())];
    robots.into_iter().map(|(robot, options)| Model::build(&robot, options).unwrap()).collect()
}

struct State {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

fn state(model: &Model, seed: u64) -> State {
    let random = &mut Random::seeded(seed);
    let q = model.random_configuration(random);
    let mut numbers = || (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect();
    State { q, v: numbers(), a: numbers() }
}

fn torques(model: &Model, x: &State) -> Vec<f64> {
    let mut tau = vec![f64::NAN; model.nv()];
    rnea(model, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut tau).unwrap();
    tau
}

/// Compares entries relative to the largest.
#[track_caller]
fn assert_close(what: &str, got: &[f64], want: &[f64], rows: usize) {
    assert_eq!(got.len(), want.len());
    let scale = want.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let (row, column) = (i % rows, i / rows);
        assert!((g - w).abs() <= TOLERANCE * scale, "{what} ({row}, {column}): got {g:e}, want {w:e} on {scale:e}");
    }
}

#[test]
fn massless_bodies_between_others_are_no_matter_for_a_warning() {
    for model in models() {
        assert_eq!(model.warnings(), [""; 0]);
        let strict = Options { allow_massless: true, ..model.options().clone() };
        assert_eq!(model.with_options(&strict).unwrap().warnings(), [""; 0]);
        assert!(model.tree().bodies[1..].iter().any(|body| body.inertia.mass == 0.0));
    }
}

#[test]
fn what_nothing_resists_is_refused_with_its_name() {
    // Without the hand, the slide and everything on it is massless.
    let mut robot = arm();
    robot.links[6].inertial = None;
    robot.links[7].inertial = None;
    let error = Model::build(&robot, &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "link \"link_4\" moves but has no inertia, nor has anything it carries; give it an <inertial>, or allow it: \
         --allow-massless, in Python allow_massless=True, in Rust Options::allow_massless"
    );
    let model = Model::build(&robot, &Options { allow_massless: true, ..Options::default() }).unwrap();
    let named = model.warnings().iter().map(|w| w.split('"').nth(1).unwrap());
    assert!(named.eq(["link_4", "link_5", "link_6", "link_7"]));
    // A rotor resists only its own joint, not those before it.
    for joint in [4, 5, 6] {
        robot.joints[joint].armature = 0.1;
    }
    assert!(Model::build(&robot, &Options::default()).unwrap_err().to_string().contains("\"link_4\""));
    robot.joints[3].armature = 0.1;
    Model::build(&robot, &Options::default()).unwrap();
    // Welded links count as part of the body.
    let mut robot = arm();
    robot.links.push(robot.links[1].clone());
    robot.links[8].name = "load".into();
    robot.links[7].inertial = None;
    robot.joints.push(JointDescription::new("weld", JointKind::Fixed, "link_7", "load"));
    Model::build(&robot, &Options::default()).unwrap();
}

#[test]
fn aba_inverts_rnea() {
    for (seed, model) in models().iter().enumerate() {
        let (x, mut qdd) = (state(model, seed as u64), vec![f64::NAN; model.nv()]);
        let ws = &mut Workspace::new(model);
        aba(model, ws, &x.q, &x.v, &torques(model, &x), &mut qdd).unwrap();
        assert_close("aba(rnea(a))", &qdd, &x.a, model.nv());
        let mut factor = MassFactor::new(model);
        crba_factor(model, ws, &x.q, &mut factor).unwrap();
        let mut bias = x.a.clone();
        dtau::bias(model, ws, &x.q, &x.v, &mut bias).unwrap();
        let mut solved: Vec<f64> = torques(model, &x).iter().zip(&bias).map(|(tau, b)| tau - b).collect();
        factor.solve(ws, &mut solved).unwrap();
        assert_close("M⁻¹ (rnea(a) − bias)", &solved, &x.a, model.nv());
    }
}

#[test]
fn crba_columns_are_rnea_of_unit_accelerations() {
    for (seed, model) in models().iter().enumerate() {
        let (nv, mut x) = (model.nv(), state(model, seed as u64));
        let mut m = vec![f64::NAN; nv * nv];
        crba(model, &mut Workspace::new(model), &x.q, &mut m).unwrap();
        x.a = vec![0.0; nv];
        let (bias, mut want) = (torques(model, &x), Vec::new());
        for k in 0..nv {
            x.a = vec![0.0; nv];
            x.a[k] = 1.0;
            want.extend(torques(model, &x).iter().zip(&bias).map(|(tau, b)| tau - b));
        }
        assert_close("M", &m, &want, nv);
    }
}

/// Derivatives by complex steps along `q`, `v` and the third argument, column by column.
fn complex_step(
    model: &Model,
    [q, v, third]: [&[f64]; 3],
    mut function: impl FnMut(&[Complex], &[Complex], &[Complex], &mut [Complex]),
) -> [Vec<f64>; 3] {
    let (nv, h) = (model.nv(), 1e-30);
    let [q, v, third] = [q, v, third].map(|x| x.iter().map(|&x| Complex::new(x, 0.0)).collect::<Vec<_>>());
    let mut out = [const { Vec::new() }; 3];
    for k in 0..nv {
        let mut along = vec![Complex::new(0.0, 0.0); nv];
        along[k].im = h;
        let step = |x: &[Complex]| x.iter().zip(&along).map(|(&x, &d)| x + d).collect::<Vec<_>>();
        let mut moved = q.clone();
        model.integrate(&q, &along, &mut moved).unwrap();
        let arguments = [(&moved, &v, &third), (&q, &step(&v), &third), (&q, &v, &step(&third))];
        for (out, (q, v, third)) in out.iter_mut().zip(arguments) {
            let mut column = vec![Complex::new(0.0, 0.0); nv];
            function(q, v, third, &mut column);
            out.extend(column.iter().map(|x| x.im / h));
        }
    }
    out
}

#[test]
fn id_derivatives_are_the_complex_step_derivatives_of_rnea() {
    for (seed, model) in models().iter().enumerate() {
        let x = state(model, 10 + seed as u64);
        let mut out = IdDerivatives::new(model);
        id_derivatives(model, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut out).unwrap();
        let ws = &mut Workspace::new(model);
        let want = complex_step(model, [&x.q, &x.v, &x.a], |q, v, a, tau| rnea(model, ws, q, v, a, tau).unwrap());
        for ((name, got), want) in
            [("∂τ/∂q", &out.dtau_dq), ("∂τ/∂q̇", &out.dtau_dv), ("∂τ/∂q̈", &out.dtau_da)].into_iter().zip(want)
        {
            assert_close(name, got, &want, model.nv());
        }
    }
}

#[test]
fn fd_derivatives_are_the_complex_step_derivatives_of_aba() {
    for (seed, model) in models().iter().enumerate() {
        let x = state(model, 20 + seed as u64);
        let ws = &mut Workspace::new(model);
        let want = complex_step(model, [&x.q, &x.v, &x.a], |q, v, tau, qdd| aba(model, ws, q, v, tau, qdd).unwrap());
        for way in FdWay::ALL {
            let mut out = FdDerivatives::new(model);
            fd_derivatives_by(way, model, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut out).unwrap();
            let got = [("∂q̈/∂q", &out.dqdd_dq), ("∂q̈/∂q̇", &out.dqdd_dv), ("∂q̈/∂τ", &out.dqdd_dtau)];
            for ((name, got), want) in got.into_iter().zip(&want) {
                assert_close(&format!("{way:?}: {name}"), got, want, model.nv());
            }
        }
    }
}
