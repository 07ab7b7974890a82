//! How long forward dynamics and the mass matrix take: the least of many, in ns a call.

use dtau::model::{Description, Model, Options, Root, generate};
use dtau::{MassFactor, Random, Workspace, aba, crba, crba_factor, minverse, rnea};
use std::hint::black_box;
use std::time::Instant;

/// A body with four legs of three joints.
fn quadruped() -> Description {
    let leg = generate::chain(3);
    let mut robot = generate::chain(0);
    robot.name = "quadruped".into();
    robot.links[0].inertial = leg.links[1].inertial;
    for side in 0..4 {
        let named = |name: &str| if name == "base" { name.into() } else { format!("{name}_{side}") };
        for (link, joint) in leg.links[1..].iter().zip(&leg.joints) {
            let (mut link, mut joint) = (link.clone(), joint.clone());
            (link.name, joint.name) = (named(&link.name), named(&joint.name));
            (joint.parent, joint.child) = (named(&joint.parent), named(&joint.child));
            robot.links.push(link);
            robot.joints.push(joint);
        }
    }
    robot
}

fn least(mut call: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..3000 {
        let start = Instant::now();
        for _ in 0..10 {
            call();
        }
        least = least.min(start.elapsed().as_nanos() as f64 / 10.0);
    }
    least
}

fn times(model: &Model) {
    let mut random = Random::seeded(1);
    let mut numbers = |n| (0..n).map(|_| random.within(-1.0, 1.0)).collect::<Vec<f64>>();
    let (mut q, v, tau) = (numbers(model.nq()), numbers(model.nv()), numbers(model.nv()));
    if model.nq() != model.nv() {
        q[3..7].copy_from_slice(&[0.5, 0.5, -0.5, 0.5]);
    }
    let nv = model.nv();
    let ws = &mut Workspace::new(model);
    let (mut qdd, mut m) = (vec![0.0; nv], vec![0.0; nv * nv]);
    let mut factor = MassFactor::new(model);
    let mut row = vec![("rnea", least(|| rnea(model, ws, black_box(&q), &v, &tau, &mut qdd).unwrap()))];
    row.push(("aba", least(|| aba(model, ws, black_box(&q), &v, &tau, &mut qdd).unwrap())));
    row.push(("crba", least(|| crba(model, ws, black_box(&q), &mut m).unwrap())));
    row.push(("minverse", least(|| minverse(model, ws, black_box(&q), &mut m).unwrap())));
    row.push(("crba_factor", least(|| crba_factor(model, ws, black_box(&q), &mut factor).unwrap())));
    row.push(("solve", least(|| factor.solve(ws, &mut qdd).unwrap())));
    row.push(("solve nv columns", least(|| factor.solve_columns(ws, &mut m).unwrap())));
    row.push(("inverse", least(|| factor.inverse(ws, &mut m).unwrap())));
    print!("{:14} nv = {nv:3}", model.name());
    row.iter().for_each(|(name, ns)| print!("  {name} {ns:.0}"));
    println!();
}

fn main() {
    let fixed = Options::default();
    let floating = Options { root: Root::Floating, ..fixed.clone() };
    times(&Model::build(&quadruped(), &floating).unwrap());
    times(&Model::build(&generate::chain(10), &fixed).unwrap());
    times(&Model::build(&generate::chain(100), &fixed).unwrap());
    times(&Model::build(&generate::tree(100, 2), &fixed).unwrap());
    times(&Model::build(&generate::tree(100, 5), &fixed).unwrap());
}
