//! How long the derivatives of forward dynamics take, by way: the least of many, in µs a call.

use dtau::model::{Description, Model, Options, Root, generate};
use dtau::*;
use std::hint::black_box;
use std::time::Instant;

fn least(mut call: impl FnMut()) -> f64 {
    let (mut least, start) = (f64::MAX, Instant::now());
    let mut count = 0;
    while count < 5 || (count < 3000 && start.elapsed().as_millis() < 300) {
        let start = Instant::now();
        call();
        least = least.min(start.elapsed().as_nanos() as f64 / 1e3);
        count += 1;
    }
    least
}

fn times(model: &Model) {
    let random = &mut Random::seeded(1);
    let q = model.random_configuration(random);
    let v: Vec<f64> = (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect();
    let ws = &mut Workspace::new(model);
    let (mut id, mut fd) = (IdDerivatives::new(model), FdDerivatives::new(model));
    let mut qdd = v.clone();
    let mut minv = Matrix::zeros(model.nv(), model.nv());
    print!("{:24} nv = {:4}", model.name(), model.nv());
    print!("  aba {:8.2}", least(|| aba(model, ws, black_box(&q), &v, &v, &mut qdd).unwrap()));
    print!("  id {:8.2}", least(|| id_derivatives(model, ws, black_box(&q), &v, &v, &mut id).unwrap()));
    print!("  minverse {:8.2}", least(|| minverse(model, ws, black_box(&q), &mut minv).unwrap()));
    for way in FdWay::ALL {
        if model.mimic().is_some() && matches!(way, FdWay::Aza | FdWay::Response) {
            continue;
        }
        let time = least(|| fd_derivatives_by(way, model, ws, black_box(&q), &v, &v, &mut fd).unwrap());
        let chosen = if way == FdWay::for_model(model) { '*' } else { ' ' };
        print!("  {way:?}{chosen}{time:9.2}");
    }
    println!();
}

fn main() {
    let build = |robot: &Description, root| Model::build(robot, &Options { root, ..Options::default() }).unwrap();
    let floating = Options { root: Root::Floating, ..Options::default() };
    times(&Model::bundled("arm7_gripper", &Options::default()).unwrap());
    times(&Model::bundled("quadruped", &floating).unwrap());
    times(&Model::bundled("humanoid", &floating).unwrap());
    for n in [5, 10, 20, 35, 50, 100, 200, 500] {
        times(&build(&generate::chain(n), Root::Fixed));
    }
    for (n, bf) in [(20, 2), (50, 2), (100, 2), (100, 5), (500, 2), (500, 5)] {
        times(&build(&generate::tree(n, bf), Root::Fixed));
    }
}
