//! Internal constraints do not change the robot's momentum.

use super::*;
use dtau::model::generate;
use dtau::{
    Constrained, Energy, ImpulseMut, Random, Scene, centroidal_momentum, centroidal_momentum_rate, constrained_fd,
    energy, impulse,
};
use dtau_fixtures::constraints::{Spec, build};
use dtau_fixtures::robots;
use dtau_fixtures::states::State;

/// Internal loops of a floating robot without gravity, not closed, in motion, with gains. The forces may have
/// any size, but linear and angular momentum are constant to 1e-11 of the forces, which cancel.
#[test]
fn internal_loops_conserve_momentum_off_what_they_hold() {
    let mut tried = [0; 8];
    for seed in 0..120 {
        let model = robots::build_free(&generate::random_tree(seed, 8), Root::Floating);
        let random = &mut Random::seeded(seed);
        let kind = seed as usize % 8;
        let x = State::draw(&model, random);
        let spec = (0..10).find_map(|_| Spec::draw(&model, random, kind, None).filter(|s| s.by.is_some() || kind == 7));
        let Some(spec) = spec else { continue };
        let set = build(&model, &[spec]).unwrap();
        let mut tau = x.a.clone();
        tau[..6].fill(0.0);
        let (mut ws, mut out, mut rate) = (Workspace::new(&model), Constrained::new(&set), [0.0; 6]);
        let scene = model.scene().gravity([0.0; 3]);
        if constrained_fd(scene, &mut ws, &set, &x.q, &x.v, &tau, &mut out).is_err() {
            continue;
        }
        centroidal_momentum_rate(&model, &mut ws, &x.q, &x.v, &out.qdd, &mut rate).unwrap();
        let scale = out.lambda.iter().chain(&out.qdd).fold(100.0, |most, x| f64::max(most, x.abs()));
        for r in rate {
            assert!(r.abs() < 1e-11 * scale, "seed {seed}: {rate:?} beside forces of {scale:e}");
        }
        tried[kind] += 1;
    }
    assert!(tried.iter().all(|&n| n >= 3), "of each kind: {tried:?}");
}

/// Two limbs of a floating robot grasp each other. The impulse does not change the momentum. It conserves the
/// energy if elastic. Without restitution, the new velocity is the nearest in energy.
#[test]
fn an_impulse_within_a_robot_keeps_its_momentum() {
    let mut tried = 0;
    for seed in 0..40 {
        let model = robots::build(&generate::random_tree(seed, 8), Root::Floating);
        let random = &mut Random::seeded(seed);
        let x = State::draw(&model, random);
        let spec = (0..10).find_map(|_| Spec::draw(&model, random, seed as usize % 7, None).filter(|s| s.by.is_some()));
        let Some(spec) = spec else { continue };
        let set = build(&model, &[spec]).unwrap();
        let mut ws = Workspace::new(&model);
        // Armature has no reaction on the other bodies, so without it the momentum is that of the bodies.
        let scene = model.scene().armature(false);
        let mut room = Workspace::new(&model);
        let mut momentum = |v: &[f64]| {
            let mut h = [0.0; 6];
            centroidal_momentum(&model, &mut room, &x.q, v, &mut h).unwrap();
            h
        };
        let mut room = Workspace::new(&model);
        let mut kinetic = |v: &[f64]| {
            let mut e = Energy::default();
            energy(scene, &mut room, &x.q, v, &mut e).unwrap();
            e.kinetic
        };
        for restitution in [0.0, 0.4, 1.0] {
            let (v, p) = collide(scene, &set, &x, restitution);
            let scale = p.iter().chain(&v).fold(10.0, |most, x| f64::max(most, x.abs()));
            for (before, after) in momentum(&x.v).into_iter().zip(momentum(&v)) {
                assert!((before - after).abs() < 1e-11 * scale, "seed {seed}: momentum {before}, then {after}");
            }
            let (before, after) = (kinetic(&x.v), kinetic(&v));
            if restitution == 1.0 {
                assert!((before - after).abs() < 1e-10 * scale * scale, "seed {seed}: {before} J, then {after} J");
            } else {
                assert!(after <= before, "seed {seed}: {before} J, then {after} J");
            }
        }
        let mut v = x.v.clone();
        if project_velocity(scene, &mut ws, &set, &x.q, &mut v).is_ok() {
            let (want, p) = collide(scene, &set, &x, 0.0);
            let scale = p.iter().fold(10.0, |most, x| f64::max(most, x.abs()));
            for (got, want) in v.iter().zip(want) {
                assert!((got - want).abs() < 1e-9 * scale, "seed {seed}: {got}, by an impulse {want}");
            }
        }
        tried += 1;
    }
    assert!(tried > 20, "{tried} cases");
}

/// Returns v⁺ and the impulses.
fn collide(scene: Scene<'_, f64>, set: &Constraints, x: &State, restitution: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut v, mut p) = (vec![0.0; x.v.len()], vec![0.0; set.rows()]);
    let out = ImpulseMut { v_after: &mut v, impulse: &mut p };
    impulse(scene, &mut Workspace::new(scene.model), set, &x.q, &x.v, &[restitution], out).unwrap();
    (v, p)
}
