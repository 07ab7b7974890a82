//! Batches give the same bits as single states.

use dtau::model::{Model, Options, Root, generate};
use dtau::*;
use dtau_fixtures::coverage::tried;
use dtau_fixtures::every::{Named, Setting, States, many, singly, strengths};
use dtau_fixtures::robots::{build, bundled, zoo, zoo_cases};
use dtau_fixtures::states::{State, numbers};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Bits of a number. −0 differs from 0.
trait Bits: BatchScalar {
    fn bits(self) -> u64;
}

impl Bits for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

/// FNV-1a over the bits of all results.
fn hash<F: Bits>(all: &Named<F>) -> u64 {
    let numbers = all.iter().flat_map(|(_, x)| x).flat_map(|x| x.bits().to_le_bytes());
    numbers.fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn assert_same<F: Bits>(what: &str, states: usize, got: &Named<F>, want: &Named<F>) {
    if hash(got) == hash(want) && got.len() == want.len() {
        return;
    }
    for ((name, got), (_, want)) in got.iter().zip(want) {
        assert_eq!(got.len(), want.len(), "{what}: {name}: lengths");
        for (k, (g, w)) in got.iter().zip(want).enumerate() {
            let (state, number) = (k / (got.len() / states), k % (got.len() / states));
            assert_eq!(g.bits(), w.bits(), "{what}: {name}, state {state}, number {number}: got {g:?}, want {w:?}");
        }
    }
    panic!("{what}: the results differ in number");
}

fn states<F: BatchScalar>(model: &Model, count: usize, wrenches: usize) -> States<F> {
    let random = &mut Random::seeded(5);
    let lift = |x: Vec<f64>| x.into_iter().map(F::from_f64).collect::<Vec<F>>();
    let configurations =
        |seed: u64| lift((0..count).flat_map(|i| State::turned(model, seed + 2 * i as u64).q).collect());
    let (q, q1) = (configurations(10), configurations(11));
    let mut numbers = |n: usize| lift(numbers(random, count * n));
    let nv = model.nv();
    let (mut v, a, w) = (numbers(nv), numbers(nv), numbers(nv));
    // Covers zeros of both signs, a robot at rest, and joints at rest among moving ones.
    for (k, v) in v.iter_mut().enumerate() {
        match (k / nv.max(1), k % 5) {
            (1, _) | (_, 3) => *v = F::zero(),
            (_, 4) => *v = -F::zero(),
            _ => {}
        }
    }
    let (columns, forces) = (numbers(3 * nv), numbers(6 * wrenches));
    let [torque_strength, force_strength] = strengths(model, count);
    let (target, w_frame, w_com, restitution) = (numbers(7), numbers(6), numbers(3), numbers(1));
    States {
        count,
        q,
        q1,
        v,
        a,
        w,
        columns,
        target,
        w_frame,
        w_com,
        restitution,
        torque_strength,
        force_strength,
        forces,
    }
}

/// Wrenches of every kind.
fn wrenches<F: BatchScalar>(model: &Model) -> Vec<Wrench<F>> {
    let point = [0.1, -0.2, 0.3].map(F::from_f64);
    let (zero, frames) = ([F::zero(); 3], model.frame_ids());
    let kinds = [Axes::Frame, Axes::World]
        .into_iter()
        .flat_map(|axes| [Point::Origin, Point::InFrame(point), Point::InWorld(point)].map(|at| (axes, at)));
    let wrench = |(frame, (axes, at))| Wrench { frame, axes, at, force: zero, torque: zero };
    frames.step_by(3).zip(kinds).map(wrench).collect()
}

/// Covers every joint type, floating bases, and mimicking joints.
fn models() -> Vec<(String, Model)> {
    let mut models: Vec<(String, Model)> = zoo_cases().into_iter().map(|case| (case.name, case.model)).collect();
    for seed in 0..3 {
        let model = build(&generate::random_tree(seed, 9), Root::Floating);
        models.push((format!("random tree {seed}"), model));
    }
    models.push(("chain, which has whole tensors too".into(), build(&generate::chain(5), Root::Floating)));
    let options = Options { root: Root::Floating, exact: true, ..Options::default() };
    models.push(("exact".into(), Model::build(&generate::random_tree(4, 9), &options).unwrap()));
    models
}

/// Numbers of states: the second list with DTAU_LONG.
fn counts(short: &'static [usize], long: &'static [usize]) -> &'static [usize] {
    if std::env::var_os("DTAU_LONG").is_some() { long } else { short }
}

/// Compares batches with single states. Returns the names of the compared results.
fn check<F: Bits>(make: fn(&Model) -> Batch<F>, single: fn(&Model) -> Workspace<F>, counts: &[usize]) -> Vec<String> {
    let mut compared = Vec::new();
    for (k, (name, model)) in models().into_iter().enumerate() {
        let wrenches = if k % 2 == 0 { wrenches(&model) } else { Vec::new() };
        let frame = model.frame_ids().last().unwrap();
        let setting = Setting { model: &model, wrenches: &wrenches, frame, reference: Reference::ALL[k % 3] };
        let (mut batch, mut ws) = (make(&model), single(&model));
        for &count in counts {
            let x = states(&model, count, wrenches.len());
            let (got, want) = (many(&setting, &mut batch, &x), singly(&setting, &mut ws, &x));
            if count > 0 {
                assert_same(&format!("{name}, {count} states"), count, &got, &want);
                compared.extend(names(got));
            } else {
                assert!(got.iter().all(|(_, numbers)| numbers.is_empty()));
            }
        }
    }
    compared
}

fn names<F>(results: Named<F>) -> Vec<String> {
    results.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn lanes_of_doubles_are_single_states_bit_for_bit() {
    tried("lanes", check::<f64>(Batch::new, Workspace::new, counts(&[0, 5], &[0, 1, 4, 7])));
}

#[test]
fn lanes_of_singles_are_single_states_bit_for_bit() {
    tried("lanes, f32", check::<f32>(Batch::new, Workspace::new, counts(&[9], &[1, 8, 11])));
}

/// Covers functions for which lanes do not pay, and all others.
#[test]
fn batches_one_by_one_are_single_states_bit_for_bit() {
    check::<f64>(Batch::one_by_one, Workspace::new, counts(&[0, 2], &[0, 1, 3]));
    check::<f32>(Batch::one_by_one, Workspace::new, counts(&[1], &[2]));
}

/// The robot is so large that functions of its configuration space run state by state. The others run in lanes.
#[test]
fn large_robots_are_single_states_bit_for_bit() {
    let model = build(&generate::tree(40, 2), Root::Floating);
    let frame = model.frame_ids().last().unwrap();
    let setting = Setting { model: &model, wrenches: &[], frame, reference: Reference::Local };
    let x = states::<f64>(&model, 5, 0);
    let (got, want) = (many(&setting, &mut Batch::new(&model), &x), singly(&setting, &mut Workspace::new(&model), &x));
    assert_same("a tree of 40", 5, &got, &want);
}

#[test]
fn plain_batches_are_plain_single_states_bit_for_bit() {
    tried("plain batches", check::<f64>(Batch::plain, Workspace::plain, counts(&[0, 2], &[0, 1, 3])));
    check::<f32>(Batch::plain, Workspace::plain, counts(&[1], &[2]));
}

fn quadruped(count: usize) -> (Model, States<f64>) {
    let model = bundled("quadruped", Root::Floating);
    let x = states(&model, count, 2);
    (model, x)
}

fn pushes(model: &Model) -> [Wrench<f64>; 2] {
    let mut frames = model.frame_ids().skip(7);
    let (a, b) = (frames.next().unwrap(), frames.next().unwrap());
    [Wrench::local(a, [0.0; 3], [0.0; 3]), Wrench::world(b, [0.0; 3], [0.0; 3])]
}

#[test]
fn results_do_not_depend_on_how_states_are_split() {
    let (model, x) = quadruped(21);
    let (frame, reference) = (model.frame_ids().last().unwrap(), Reference::LocalWorldAligned);
    let setting = Setting { model: &model, wrenches: &pushes(&model), frame, reference };
    let mut batch = Batch::new(&model);
    let whole = many(&setting, &mut batch, &x);
    for cuts in [vec![0, 1, 21], vec![0, 3, 3, 8, 19, 21]] {
        let mut parts: Named<f64> = whole.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
        for cut in cuts.windows(2) {
            let part = many(&setting, &mut batch, &x.slice(cut[0], cut[1]));
            for ((_, all), (_, numbers)) in parts.iter_mut().zip(part) {
                all.extend(numbers);
            }
        }
        assert_same(&format!("cut at {cuts:?}"), x.count, &parts, &whole);
    }
    tried("splits", names(whole));
}

#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (model, x) = quadruped(37);
    let (frame, reference) = (model.frame_ids().last().unwrap(), Reference::World);
    let setting = Setting { model: &model, wrenches: &pushes(&model), frame, reference };
    let one = many(&setting, &mut Batch::new(&model), &x);
    for threads in [2, 5] {
        let mut batch = Batch::with_threads(&model, threads).unwrap();
        assert_eq!(batch.threads(), threads);
        assert_same(&format!("{threads} threads"), x.count, &many(&setting, &mut batch, &x), &one);
    }
    tried("threads", names(one));
    assert!(Batch::<f64>::with_threads(&model, 0).unwrap().threads() > 0);
}

/// Returns a batch for each way of computing.
fn batches(model: &Model) -> Vec<Batch> {
    vec![
        Batch::new(model),
        Batch::plain(model),
        #[cfg(feature = "rayon")]
        Batch::with_threads(model, 3).unwrap(),
    ]
}

#[test]
fn a_scene_without_forces_of_each_state_acts_in_all() {
    let (model, x) = quadruped(100);
    let mut wrenches = pushes(&model);
    (wrenches[0].force, wrenches[1].torque) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    let forces: Vec<f64> = (0..x.count)
        .flat_map(|_| wrenches.iter().flat_map(|w| w.force.into_iter().chain(w.torque)).collect::<Vec<_>>())
        .collect();
    for mut batch in batches(&model) {
        let (mut tau, mut same) = (x.v.clone(), x.v.clone());
        let scene = model.scene().wrenches(&wrenches).gravity([0.0, 0.0, -1.62]);
        rnea(scene, &mut batch, &x.q, &x.v, &x.a, &mut tau).unwrap();
        rnea(scene.forces(&forces), &mut batch, &x.q, &x.v, &x.a, &mut same).unwrap();
        assert_eq!(tau, same);
        rnea(&model, &mut batch, &x.q, &x.v, &x.a, &mut same).unwrap();
        assert_ne!(tau, same);
    }
}

#[test]
fn wrong_lengths_are_errors_that_say_what_was_wanted() {
    let model = Model::build(&generate::chain(6), &Options::default()).unwrap();
    let mut batch = Batch::new(&model);
    let (six, twelve, mut out) = (vec![0.0; 6], vec![0.0; 12], vec![0.0; 18]);
    let message = |result: Result<(), Error>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Length);
        error.to_string()
    };
    let eighteen = out.clone();
    let e = message(rnea(&model, &mut batch, &eighteen, &twelve, &eighteen, &mut out));
    assert_eq!(e, "`v` has 12 numbers, but model \"tree_6_bf1\" needs states × nv = 3 × 6 = 18");
    let e = message(rnea(&model, &mut batch, &eighteen[..13], &twelve, &six, &mut out));
    assert_eq!(e, "`q` has 13 numbers, but model \"tree_6_bf1\" needs states × nq, a multiple of 6");
    let e = message(crba(&model, &mut batch, &eighteen, &mut out));
    assert_eq!(e, "`m` has 18 numbers, but model \"tree_6_bf1\" needs states × nv × nv = 3 × 36 = 108");
    let e = message(mass_times(&model, &mut batch, &eighteen, &twelve, &mut out));
    assert_eq!(e, "`x` has 12 numbers, but model \"tree_6_bf1\" needs states × nv × k, a multiple of 3 × 6 = 18");
    let e = message(mass_solve(&model, &mut batch, &six, &twelve, &mut out));
    assert_eq!(e, "`y` has 18 numbers, but model \"tree_6_bf1\" needs states × nv × 2 = 1 × 12 = 12");
    let wrenches = [Wrench::local(model.frame_ids().last().unwrap(), [0.0; 3], [0.0; 3])];
    let scene = model.scene().wrenches(&wrenches).forces(&six);
    let e = message(rnea(scene, &mut batch, &eighteen, &eighteen, &eighteen, &mut out));
    assert_eq!(e, "`forces` has 6 numbers, but model \"tree_6_bf1\" needs states × wrenches × 6 = 3 × 6 = 18");
    let other = Model::build(&generate::chain(5), &Options::default()).unwrap();
    let e = message(rnea(&other, &mut batch, &[0.0; 5], &[0.0; 5], &[0.0; 5], &mut [0.0; 5]));
    assert_eq!(e, "the batch was made for another model than \"tree_5_bf1\"; make one with Batch::new");
}

#[test]
fn a_model_without_joints_has_as_many_states_as_the_first_array_with_numbers() {
    let mut robot = generate::chain(1);
    (robot.joints, robot.links) = (Vec::new(), robot.links[..1].to_vec());
    let model = Model::build(&robot, &Options::default()).unwrap();
    assert_eq!((model.nq(), model.nv()), (0, 0));
    for mut batch in batches(&model) {
        rnea(&model, &mut batch, &[], &[], &[], &mut []).unwrap();
        minverse(&model, &mut batch, &[], &mut []).unwrap();
        mass_times(&model, &mut batch, &[], &[], &mut []).unwrap();
        let (mut kinetic, mut potential) = ([7.0; 5], [7.0; 5]);
        let out = EnergyMut { kinetic: &mut kinetic, potential: &mut potential };
        energy(&model, &mut batch, &[], &[], out).unwrap();
        assert_eq!((kinetic, potential), ([0.0; 5], [0.0; 5]));
    }
}

/// States 42, 71 and 99 have an angle that is NaN. The error must name the first of them, in every way of computing.
#[test]
fn the_first_state_that_fails_is_named() {
    let (model, mut x) = quadruped(100);
    for state in [71, 42, 99] {
        x.q[state * model.nq() + 9] = f64::NAN;
    }
    for mut batch in batches(&model) {
        let mut qdd = x.v.clone();
        for _ in 0..5 {
            let error = aba(&model, &mut batch, &x.q, &x.v, &x.a, &mut qdd).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Value);
            assert_eq!(error.state(), Some(42));
            assert!(error.message().starts_with("the inertia of body "), "{error}");
            assert_eq!(error.to_string(), format!("state 42: {}", error.message()));
        }
        // The states before it succeed, and the batch can be used again.
        let good = x.slice(0, 42);
        let mut qdd = good.v.clone();
        aba(&model, &mut batch, &good.q, &good.v, &good.a, &mut qdd).unwrap();
    }
}

#[test]
fn an_error_that_no_state_is_to_blame_for_names_none() {
    let model = zoo(1, Root::Fixed);
    let x = states::<f64>(&model, 5, 0);
    let n = x.count * model.nv() * model.nv();
    let (mut qdd, mut dq, mut dv, mut dtau) = (x.v.clone(), vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let [dqdd_dq, dqdd_dv, dqdd_dtau] = [&mut dq, &mut dv, &mut dtau].map(MatrixMut::from);
    let out = FdDerivativesMut { qdd: &mut qdd, dqdd_dq, dqdd_dv, dqdd_dtau };
    let mut batch = Batch::new(&model);
    let error = fd_derivatives_by(FdWay::Aza, &model, &mut batch, &x.q, &x.v, &x.a, out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.state(), None);
    assert!(error.message().starts_with("FdWay::Aza needs"), "{error}");
}

#[test]
fn progress_is_told_and_may_interrupt() {
    let (model, x) = quadruped(100);
    for batch in batches(&model) {
        let (threads, seen) = (batch.threads(), Arc::new(Mutex::new(Vec::new())));
        let sink = seen.clone();
        let mut batch = batch.on_progress(move |Progress { done, total }| {
            assert_eq!(total, 100);
            sink.lock().unwrap().push(done);
            ControlFlow::Continue(())
        });
        let mut tau = x.v.clone();
        rnea(&model, &mut batch, &x.q, &x.v, &x.a, &mut tau).unwrap();
        let told = seen.lock().unwrap();
        assert!(told.len() >= 2 && told.is_sorted() && told.last() == Some(&100), "{told:?}");

        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        let mut batch = batch.on_progress(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            ControlFlow::Break(())
        });
        let error = rnea(&model, &mut batch, &x.q, &x.v, &x.a, &mut tau).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        if threads == 1 {
            assert_eq!(error.message(), "interrupted after 64 of 100 states");
        }
        assert_eq!(calls.load(Ordering::SeqCst), 1, "nobody is asked again");
    }
}
