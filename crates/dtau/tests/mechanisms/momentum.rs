//! What holds within a robot moves nothing but the robot's own parts.

use super::*;
use dtau::model::generate;
use dtau::{Constrained, Random, centroidal_momentum_rate, constrained_fd};
use dtau_fixtures::constraints::{Spec, build};
use dtau_fixtures::robots;
use dtau_fixtures::states::State;

/// Internal loops of a floating robot without gravity, off what they hold, moving, with gains: forces of any size, and neither linear nor
/// angular momentum changes. To 1e-11 of the forces, which are what cancels.
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
