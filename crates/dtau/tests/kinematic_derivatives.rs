//! Derivatives of frames' velocities and accelerations, of the centre of mass and of the momentum about it.
//!
//! The reference is a complex step of the differentiated function.
#![allow(non_snake_case)]

use dtau::model::{FrameId, Model, Options, generate};
use dtau::scalar::{Complex, Dual, Lanes, Real};
use dtau::{
    CentroidalDerivatives, ErrorKind, Kinematics, Reference, Workspace, centroidal_derivatives,
    com_velocity_derivatives,
};
use dtau_fixtures::assertions::Report;
use dtau_fixtures::by_value::{centre_of_mass, centroidal_momentum, centroidal_momentum_rate};
use dtau_fixtures::robots::{random_case as case, random_cases as cases};
use dtau_fixtures::steps::{self, TOLERANCE, by_numbers, by_q, lift};
use dtau_fixtures::{Case, State};

fn kinematics<T: Real>(model: &Model, q: &[T], v: &[T], a: &[T]) -> Kinematics<T> {
    steps::kinematics(model, &mut Workspace::new(model), q, v, a)
}

/// Results of one frame, in each reference.
fn each(kin: &Kinematics<Complex>, f: FrameId, what: &str) -> Vec<Complex> {
    let of = |reference| match what {
        "velocity" => kin.velocity(f, reference),
        "acceleration" => kin.acceleration(f, reference),
        _ => kin.classical_acceleration(f, reference),
    };
    Reference::ALL.into_iter().flat_map(|reference| of(reference).to_array()).collect()
}

/// Complex steps of all frames with respect to `q`, `v` and `a`: for frame `f`, six rows for each reference.
struct Steps {
    by: [Vec<f64>; 3],
    rows: usize,
}

impl Steps {
    fn of(model: &Model, x: &State, what: &str) -> Self {
        let all = |kin: Kinematics<Complex>| -> Vec<Complex> {
            model.frame_ids().flat_map(|f| each(&kin, f, what)).collect()
        };
        let (q, v, a) = (lift(&x.q), lift(&x.v), lift(&x.a));
        let by = [
            by_q(model, &x.q, |q| all(kinematics(model, q, &v, &a))),
            by_numbers(&x.v, |v| all(kinematics(model, &q, v, &a))),
            by_numbers(&x.a, |a| all(kinematics(model, &q, &v, a))),
        ];
        Self { by, rows: 18 * model.frames().len() }
    }

    /// Returns the 6 × nv matrix of the `n`-th frame in the `r`-th reference, with respect to the `m`-th of
    /// `q`, `v`, `a`.
    fn matrix(&self, m: usize, n: usize, r: usize) -> Vec<f64> {
        self.by[m].chunks_exact(self.rows).flat_map(|column| column[18 * n + 6 * r..][..6].to_vec()).collect()
    }
}

#[test]
fn velocity_derivatives_are_the_complex_step_derivatives_of_velocity() {
    let mut worst = Report::of("velocity derivatives");
    for Case { model, x, name, .. } in cases() {
        let want = Steps::of(&model, &x, "velocity");
        let kin = kinematics(&model, &x.q, &x.v, &x.a);
        let [mut dq, mut dv] = [(); 2].map(|()| vec![f64::NAN; 6 * model.nv()]);
        for (n, f) in model.frame_ids().enumerate() {
            for (r, reference) in Reference::ALL.into_iter().enumerate() {
                kin.velocity_derivatives(f, reference, &mut dq, &mut dv).unwrap();
                let what = format!("{name}, frame {n}, {reference:?}");
                worst.check(&format!("{what}: ∂v/∂q"), &dq, &want.matrix(0, n, r), 6, TOLERANCE);
                worst.check(&format!("{what}: ∂v/∂q̇"), &dv, &want.matrix(1, n, r), 6, TOLERANCE);
            }
        }
    }
}

#[test]
fn acceleration_derivatives_are_the_complex_step_derivatives_of_acceleration() {
    let mut worst = Report::of("acceleration derivatives");
    for what in ["acceleration", "classical acceleration"] {
        for Case { model, x, name, .. } in cases() {
            let want = Steps::of(&model, &x, what);
            let kin = kinematics(&model, &x.q, &x.v, &x.a);
            let [mut dq, mut dv, mut da] = [(); 3].map(|()| vec![f64::NAN; 6 * model.nv()]);
            for (n, f) in model.frame_ids().enumerate() {
                for (r, reference) in Reference::ALL.into_iter().enumerate() {
                    match what {
                        "acceleration" => kin.acceleration_derivatives(f, reference, &mut dq, &mut dv, &mut da),
                        _ => kin.classical_acceleration_derivatives(f, reference, &mut dq, &mut dv, &mut da),
                    }
                    .unwrap();
                    for (m, (by, got)) in [("q", &dq), ("q̇", &dv), ("q̈", &da)].into_iter().enumerate() {
                        let what = format!("{name}, frame {n}, {reference:?}: {what} by {by}");
                        worst.check(&what, got, &want.matrix(m, n, r), 6, TOLERANCE);
                    }
                }
            }
        }
    }
}

#[test]
fn motion_derivatives_are_those_of_velocity_and_acceleration() {
    for Case { model, x, name, .. } in cases() {
        let kin = kinematics(&model, &x.q, &x.v, &x.a);
        for f in model.frame_ids() {
            for reference in Reference::ALL {
                let [mut dv_dq, mut dv_dv, mut a, mut b, mut c] = [(); 5].map(|()| vec![f64::NAN; 6 * model.nv()]);
                kin.velocity_derivatives(f, reference, &mut dv_dq, &mut dv_dv).unwrap();
                kin.acceleration_derivatives(f, reference, &mut a, &mut b, &mut c).unwrap();
                let mut together = [(); 4].map(|()| vec![f64::NAN; 6 * model.nv()]);
                let [x, y, z, w] = &mut together;
                kin.motion_derivatives(f, reference, x, y, z, w).unwrap();
                assert_eq!(together, [dv_dq, a, b, dv_dv.clone()], "{name}, {f:?}, {reference:?}");
                assert_eq!(c, dv_dv, "∂v/∂q̇ = ∂a/∂q̈: {name}, {f:?}, {reference:?}");
            }
        }
    }
    let Case { model, x, .. } = &cases()[0];
    let kin = kinematics(model, &x.q, &x.v, &x.a);
    let (mut short, mut right) = (vec![0.0; 1], [(); 3].map(|()| vec![0.0; 6 * model.nv()]));
    let [a, b, c] = &mut right;
    let error = kin.motion_derivatives(model.frame_ids().next().unwrap(), Reference::Local, &mut short, a, b, c);
    assert!(error.unwrap_err().to_string().contains("dv_dq"));
}

#[test]
fn com_velocity_derivatives_are_the_complex_step_derivatives_of_the_com_velocity() {
    let mut worst = Report::of("com velocity derivatives");
    for Case { model, x, name, .. } in cases() {
        let [mut dq, mut dv] = [(); 2].map(|()| vec![f64::NAN; 3 * model.nv()]);
        com_velocity_derivatives(&model, &mut Workspace::new(&model), &x.q, &x.v, &mut dq, &mut dv).unwrap();
        let (q, v, a) = (lift(&x.q), lift(&x.v), lift(&x.a));
        let mut ws = Workspace::new(&model);
        let mut velocity = |q: &[Complex], v: &[Complex]| {
            centre_of_mass(&model, &mut ws, q, v, &a).unwrap().velocity.to_array().to_vec()
        };
        let want = by_q(&model, &x.q, |q| velocity(q, &v));
        worst.check(&format!("{name}: ∂ċ/∂q"), &dq, &want, 3, TOLERANCE);
        let want = by_numbers(&x.v, |v| velocity(&q, v));
        worst.check(&format!("{name}: ∂ċ/∂q̇"), &dv, &want, 3, TOLERANCE);
    }
}

#[test]
fn centroidal_derivatives_are_the_complex_step_derivatives_of_the_momentum_and_its_rate() {
    let mut worst = Report::of("centroidal derivatives");
    for Case { model, x, name, .. } in cases() {
        let mut out = CentroidalDerivatives::new(&model);
        centroidal_derivatives(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a, &mut out).unwrap();
        let h = centroidal_momentum(&model, &mut Workspace::new(&model), &x.q, &x.v).unwrap();
        let hdot = centroidal_momentum_rate(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a).unwrap();
        worst.check(&format!("{name}: h"), &out.h, &h.to_array(), 6, TOLERANCE);
        worst.check(&format!("{name}: ḣ"), &out.hdot, &hdot.to_array(), 6, TOLERANCE);

        let (q, v, a) = (lift(&x.q), lift(&x.v), lift(&x.a));
        let mut ws = Workspace::new(&model);
        let want = by_q(&model, &x.q, |q| centroidal_momentum(&model, &mut ws, q, &v).unwrap().to_array().to_vec());
        worst.check(&format!("{name}: ∂h/∂q"), &out.dh_dq, &want, 6, TOLERANCE);
        let want = by_numbers(&x.v, |v| centroidal_momentum(&model, &mut ws, &q, v).unwrap().to_array().to_vec());
        worst.check(&format!("{name}: ∂h/∂q̇"), &out.dhdot_da, &want, 6, TOLERANCE);
        let mut rate = |q: &[Complex], v: &[Complex], a: &[Complex]| {
            centroidal_momentum_rate(&model, &mut ws, q, v, a).unwrap().to_array().to_vec()
        };
        let want = by_q(&model, &x.q, |q| rate(q, &v, &a));
        worst.check(&format!("{name}: ∂ḣ/∂q"), &out.dhdot_dq, &want, 6, TOLERANCE);
        let want = by_numbers(&x.v, |v| rate(&q, v, &a));
        worst.check(&format!("{name}: ∂ḣ/∂q̇"), &out.dhdot_dv, &want, 6, TOLERANCE);
        let want = by_numbers(&x.a, |a| rate(&q, &v, a));
        worst.check(&format!("{name}: ∂ḣ/∂q̈"), &out.dhdot_da, &want, 6, TOLERANCE);
    }
}

/// Columns of joints off the path are exactly zero, and so is the whole matrix of a frame fixed to the world.
#[test]
fn columns_off_the_path_are_exactly_zero() {
    let model = Model::build(&generate::tree(5, 2), &Options::default()).unwrap();
    let kin = kinematics(&model, &[0.1; 5], &[0.2; 5], &[0.3; 5]);
    for (name, path) in [("base", vec![]), ("link_3", vec!["joint_1", "joint_3"])] {
        let on_path = |k: usize| model.joints().iter().any(|j| path.contains(&j.name.as_str()) && j.v.contains(&k));
        let [mut dq, mut dv, mut da] = [(); 3].map(|()| vec![f64::NAN; 30]);
        let frame = model.frame(name).unwrap();
        kin.acceleration_derivatives(frame, Reference::World, &mut dq, &mut dv, &mut da).unwrap();
        for k in (0..5).filter(|&k| !on_path(k)) {
            for m in [&dq, &dv, &da] {
                assert_eq!(m[6 * k..][..6], [0.0; 6], "{name}, column {k}");
            }
        }
    }
}

#[test]
fn wrong_lengths_and_frames_are_errors() {
    let small = Model::build(&generate::chain(2), &Options::default()).unwrap();
    let large = Model::build(&generate::chain(9), &Options::default()).unwrap();
    let kin = kinematics(&small, &[0.0; 2], &[0.0; 2], &[0.0; 2]);
    let frame = small.frame("link_1").unwrap();
    let error = kin.velocity_derivatives(frame, Reference::Local, &mut [0.0; 12], &mut [0.0; 11]).unwrap_err();
    assert!(error.to_string().contains("`dv_dv` has 11 numbers"), "{error}");
    let foreign = large.frame("link_9").unwrap();
    let error = kin.velocity_derivatives(foreign, Reference::Local, &mut [0.0; 12], &mut [0.0; 12]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownName);
    let mut out = CentroidalDerivatives::new(&large);
    let error = centroidal_derivatives(&small, &mut Workspace::new(&small), &[0.0; 2], &[0.0; 2], &[0.0; 2], &mut out);
    assert!(error.unwrap_err().to_string().contains("`out.dh_dq`"));
}

/// Returns all results, one number after the other.
fn everything<T: Real>(model: &Model, x: &State, to: impl Fn(f64) -> T) -> Vec<T> {
    let [q, v, a] = [&x.q, &x.v, &x.a].map(|x| x.iter().map(|&x| to(x)).collect::<Vec<T>>());
    let kin = kinematics(model, &q, &v, &a);
    let [mut by_q, mut by_v, mut by_a] = [(); 3].map(|()| vec![T::zero(); 6 * model.nv()]);
    let frame = model.frame("link_7").unwrap();
    let mut all = Vec::new();
    kin.velocity_derivatives(frame, Reference::Local, &mut by_q, &mut by_v).unwrap();
    all.extend([&by_q[..], &by_v].concat());
    kin.classical_acceleration_derivatives(frame, Reference::Local, &mut by_q, &mut by_v, &mut by_a).unwrap();
    all.extend([&by_q[..], &by_v, &by_a].concat());
    let mut out = CentroidalDerivatives::new(model);
    centroidal_derivatives(model, &mut Workspace::new(model), &q, &v, &a, &mut out).unwrap();
    for matrix in [out.dh_dq, out.dhdot_dq, out.dhdot_dv, out.dhdot_da] {
        all.extend(matrix.iter());
    }
    let half = 3 * model.nv();
    let ws = &mut Workspace::new(model);
    com_velocity_derivatives(model, ws, &q, &v, &mut by_q[..half], &mut by_v[..half]).unwrap();
    all.extend([&by_q[..half], &by_v[..half]].concat());
    all
}

#[test]
fn other_scalars_agree_with_f64() {
    let Case { model, x, .. } = case(1, 9);
    let want = everything(&model, &x, |x| x);
    let mut worst = Report::of("scalars");
    let lanes = everything(&model, &x, |x| Lanes([x; 4]));
    worst.check("lanes", &lanes.iter().map(|x| x.0[3]).collect::<Vec<_>>(), &want, 1, TOLERANCE);
    let dual = everything(&model, &x, |x| Dual::new(x, [0.0; 1]));
    worst.check("dual", &dual.iter().map(|x| x.re).collect::<Vec<_>>(), &want, 1, TOLERANCE);
    drop(worst);
    let single = everything(&model, &x, |x| x as f32);
    let single: Vec<f64> = single.into_iter().map(f64::from).collect();
    Report::of("f32").check("f32", &single, &want, 1, 1e-4);
}
