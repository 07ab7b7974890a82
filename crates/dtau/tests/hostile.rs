//! Overflowing numbers and exhausted memory: errors report it, on every engine.

use dtau::model::{Model, Options, Root, generate};
use dtau::scalar::{Complex, Real};
use dtau::*;
use dtau_fixtures::every::{COLUMNS, Setting, States, many_by, strengths};

/// Every joint type, and mimicry.
fn model() -> Model {
    Model::build(&generate::random_tree(3, 8), &Options { root: Root::Floating, ..Options::default() }).unwrap()
}

/// Makes `count` states, one of which has numbers of this size in one of the arrays.
fn states<T: Real>(model: &Model, count: usize, bad: usize, which: usize, huge: f64) -> States<T> {
    let random = &mut Random::seeded(5);
    let (mut q, mut q1) = (Vec::new(), Vec::new());
    for _ in 0..count {
        q.extend(model.random_configuration(random).into_iter().map(T::from_f64));
        q1.extend(model.random_configuration(random).into_iter().map(T::from_f64));
    }
    let mut numbers = |n: usize| -> Vec<T> { (0..count * n).map(|_| T::from_f64(random.within(-1.0, 1.0))).collect() };
    let nv = model.nv();
    let [torque_strength, force_strength] = strengths(model, count);
    let mut x = States {
        count,
        q,
        q1,
        v: numbers(nv),
        a: numbers(nv),
        w: numbers(nv),
        columns: numbers(nv * COLUMNS),
        target: numbers(7),
        w_frame: numbers(6),
        w_com: numbers(3),
        restitution: numbers(1),
        torque_strength,
        force_strength,
        forces: Vec::new(),
    };
    let huge = T::from_f64(huge);
    match which {
        0 => x.q[bad * model.nq()..][..3].fill(huge), // distance of the base
        1 => x.v[bad * nv..][..nv].fill(huge),
        2 => x.a[bad * nv..][..nv].fill(huge),
        3 => x.w[bad * nv..][..nv].fill(huge),
        _ => x.columns[bad * nv * COLUMNS..][..nv].fill(huge),
    }
    x
}

/// Calls all functions. Successful results must be finite; errors must name the right state. Returns the
/// number of errors.
fn overflows<T: Real>(model: &Model, engine: &mut impl Engine<T>, count: usize, bad: usize, huge: f64) -> usize {
    let mut failed = 0;
    let frame = model.frame_ids().last().unwrap();
    for which in 0..5 {
        let x = states(model, count, bad, which, huge);
        let setting = Setting { model, wrenches: &[], frame, reference: Reference::Local };
        let mut spoilt = Vec::new();
        let results = many_by(&setting, engine, &x, &mut |name, call| {
            if let Err(error) = call() {
                assert_eq!(error.kind(), ErrorKind::Value, "{name}: {error}");
                assert!(error.message().contains("not finite"), "{name}: {error}");
                assert!(error.state().is_none_or(|state| state == bad), "{name}: {error}");
                spoilt.push(format!("{name}: "));
            }
        });
        failed += spoilt.len();
        for (name, numbers) in results {
            if !spoilt.iter().any(|s| name.starts_with(s.as_str())) {
                assert!(numbers.iter().all(|x| x.is_finite()), "{name}, which = {which}");
            }
        }
    }
    failed
}

#[test]
fn what_overflows_is_an_error_on_every_engine() {
    let model = model();
    assert!(overflows::<f64>(&model, &mut Workspace::new(&model), 1, 0, 1e200) > 20);
    assert!(overflows::<f64>(&model, &mut Workspace::plain(&model), 1, 0, 1e200) > 20);
    assert!(overflows::<f32>(&model, &mut Workspace::new(&model), 1, 0, 1e30) > 20);
    assert!(overflows::<Complex>(&model, &mut Workspace::new(&model), 1, 0, 1e200) > 20);
    assert!(overflows::<f64>(&model, &mut Workspace::new(&model), 1, 0, f64::NAN) > 20);
}

#[cfg(feature = "batch")]
#[test]
fn what_overflows_is_an_error_in_a_batch_and_names_the_state() {
    let model = model();
    for (states, bad) in [(3, 1), (70, 66)] {
        assert!(overflows::<f64>(&model, &mut Batch::new(&model), states, bad, 1e200) > 20);
    }
    #[cfg(feature = "f32")]
    assert!(overflows::<f32>(&model, &mut Batch::new(&model), 20, 17, 1e30) > 20);
}

/// Large numbers that do not overflow are computed. No size is refused in itself.
#[test]
fn what_does_not_overflow_is_computed() {
    let model = Model::bundled("arm6", &Options { gravity: [0.0; 3], ..Options::default() }).unwrap();
    let (q, zero, mut ws) = (vec![0.1; 6], vec![0.0; 6], Workspace::new(&model));
    let (mut d, mut large) = (IdDerivatives::new(&model), IdDerivatives::new(&model));
    let scene = || model.scene().damping(false).friction(false);
    id_derivatives(scene(), &mut ws, &q, &[1.0; 6], &zero, &mut d).unwrap();
    id_derivatives(scene(), &mut ws, &q, &[1e100; 6], &zero, &mut large).unwrap();
    for (i, j) in [(1, 0), (1, 1), (2, 1)] {
        let (got, want): (f64, f64) = (large.dtau_dq[(i, j)] / 1e200, d.dtau_dq[(i, j)]);
        assert!((got - want).abs() <= 1e-12 * want.abs().max(1e-3), "({i}, {j}): {got} {want}");
    }
}

#[test]
fn an_overflow_says_what_is_too_large() {
    let model = Model::bundled("arm6", &Options::default()).unwrap();
    let (x, mut y, mut ws) = ([0.0; 6], [0.0; 6], Workspace::new(&model));
    let error = rnea(&model, &mut ws, &x, &[1e200; 6], &x, &mut y).unwrap_err();
    assert_eq!(error.to_string(), "rnea: the result is not finite; numbers of `v` are too large: above 1e199");
    let error = rnea(model.scene().gravity([0.0, 0.0, 1e308]), &mut ws, &x, &x, &x, &mut y).unwrap_err();
    assert!(error.to_string().contains("gravity"), "{error}");
    let error = rnea(&model, &mut ws, &x, &[f64::NAN; 6], &x, &mut y).unwrap_err();
    assert_eq!(error.to_string(), "rnea: the result is not finite; a number of `v` is not");
    let mut kinematics = Kinematics::new(&model);
    assert!(kinematics.update(&model, &mut ws, &x, &[1e200; 6], &x).unwrap_err().to_string().contains("not finite"));
    kinematics.update(&model, &mut ws, &x, &x, &x).unwrap();
}

/// A massless robot has no centre of mass.
#[test]
fn what_is_divided_by_no_mass_is_an_error() {
    let mut robot = generate::chain(2);
    robot.links.iter_mut().for_each(|link| link.inertial = None);
    let options = Options { allow_massless: true, ..Options::default() };
    let model = Model::build(&robot, &options).unwrap();
    let (mut ws, mut wide) = (Workspace::new(&model), vec![0.0; 6]);
    let error = com_jacobian(&model, &mut ws, &[0.0; 2], &mut wide).unwrap_err();
    assert_eq!(error.to_string(), "com_jacobian: the result is not finite; nothing that moves has mass");
    let mut tau = [0.0; 2];
    rnea(&model, &mut ws, &[0.0; 2], &[0.0; 2], &[0.0; 2], &mut tau).unwrap();
}

#[test]
fn a_zero_quaternion_has_no_direction() {
    let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() }).unwrap();
    let mut q = model.neutral();
    q[3..7].fill(0.0);
    let error = model.normalise(&mut q).unwrap_err();
    assert_eq!(error.to_string(), "the quaternion of joint \"root_joint\" is zero, which has no direction");
    let mut unit = q.clone();
    let error = normalise(&model, &mut Workspace::new(&model), &q, &mut unit).unwrap_err();
    assert!(error.to_string().starts_with("normalise: ") && error.to_string().contains("no direction"), "{error}");
    assert!(model.integrate(&[1e308; 19], &[1e308; 18], &mut unit).is_err());
}

/// Every function that reads a configuration refuses it, one state at a time and in lanes. Of many states only
/// the bad one fails.
#[test]
fn a_quaternion_far_from_unit_length_is_an_error() {
    let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() }).unwrap();
    let nv = model.nv();
    for (quaternion, parts) in [
        ([0.0; 4], ["is zero, which has no direction", "start from Model::neutral"]),
        ([0.0, 0.0, 0.0, 1.001], ["is [0.0, 0.0, 0.0, 1.001], which is not of unit length", "Model::normalise"]),
    ] {
        let mut q = model.neutral();
        q[3..7].copy_from_slice(&quaternion);
        let refused = |error: dtau::Error, name: &str| {
            let text = error.to_string();
            assert!(text.starts_with(&format!("{name}: the quaternion")), "{text}");
            assert!(text.contains("joint \"root_joint\"") && parts.iter().all(|part| text.contains(part)), "{text}");
            assert_eq!(error.kind(), ErrorKind::Value);
        };
        let (mut ws, mut m, mut tau) = (Workspace::new(&model), Matrix::zeros(nv, nv), vec![0.0; nv]);
        let rest = vec![0.0; nv];
        refused(rnea(&model, &mut ws, &q, &rest, &rest, &mut tau).unwrap_err(), "rnea");
        refused(dtau::crba(&model, &mut ws, &q, &mut m).unwrap_err(), "crba");
        let mut to = q.clone();
        refused(dtau::integrate(&model, &mut ws, &q, &rest, &mut to).unwrap_err(), "integrate");
        refused(dtau::difference(&model, &mut ws, &model.neutral(), &q, &mut tau).unwrap_err(), "difference");
        refused(dtau::Placements::new(&model).update(&model, &mut ws, &q).unwrap_err(), "update");
        normalise(&model, &mut ws, &[&q[..6], &[1.5][..], &q[7..]].concat(), &mut to).unwrap();
        // Four digits are near enough.
        q[3..7].copy_from_slice(&[0.5, 0.5, 0.5, 0.50009]);
        rnea(&model, &mut ws, &q, &rest, &rest, &mut tau).unwrap();

        #[cfg(feature = "batch")]
        {
            let mut all = model.neutral().repeat(9);
            all[5 * model.nq() + 3..][..4].copy_from_slice(&quaternion);
            let (rest, mut tau) = (vec![0.0; 9 * nv], vec![0.0; 9 * nv]);
            let error = rnea(&model, &mut dtau::Batch::new(&model), &all, &rest, &rest, &mut tau).unwrap_err();
            assert_eq!(error.state(), Some(5));
            assert!(error.to_string().starts_with("state 5: rnea: the quaternion"), "{error}");
        }
    }
}

/// `fn main() -> Result<(), dtau::Error>` prints the debug form.
#[test]
fn the_debug_form_of_an_error_is_its_message() {
    let error = Model::bundled("no such robot", &Options::default()).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn memory_that_there_is_not_is_an_error() {
    let error = Model::room_for(usize::MAX / 2).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(error.to_string().starts_with("there is no memory for a robot of"), "{error}");
    Model::room_for(1000).unwrap();
    let model = Model::build(&generate::chain(10), &Options::default()).unwrap();
    Workspace::<f64>::try_new(&model).unwrap();
}
