use dtau::model::{Model, Options, Root, generate};
use dtau::scalar::*;
use dtau::{Dispatch, Workspace, derivatives::idsva::id_derivatives, rnea};
use std::time::Instant;

fn rng(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed.wrapping_mul(0x9E3779B97F4A7C15) | 1;
    move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
}

fn state(model: &Model, r: &mut impl FnMut() -> f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut q: Vec<f64> = (0..model.nq()).map(|_| r()).collect();
    if model.nq() != model.nv() {
        let n = (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]).sqrt();
        for k in 3..7 {
            q[k] /= n;
        }
    }
    (q, (0..model.nv()).map(|_| r()).collect(), (0..model.nv()).map(|_| r()).collect())
}

fn check(model: &Model) {
    let (nv, mut r) = (model.nv(), rng(1));
    let (q, v, a) = state(model, &mut r);
    let mut ws = Workspace::<f64>::new(model);
    let (mut tau, mut dq, mut dv, mut da) = (vec![0.0; nv], vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
    id_derivatives(model, &mut ws, &q, &v, &a, &mut tau, &mut dq, &mut dv, &mut da);
    let mut cws = Workspace::<Complex>::new(model);
    let h = 1e-30;
    let c = |x: &[f64]| x.iter().map(|&x| Complex::new(x, 0.0)).collect::<Vec<_>>();
    let mut worst: f64 = 0.0;
    for k in 0..nv {
        for which in 0..3 {
            let (mut cq, mut cv, mut ca) = (c(&q), c(&v), c(&a));
            match which {
                0 if model.nq() == nv => cq[k].im = h,
                0 if k >= 6 => cq[k + 1].im = h,
                0 => continue,
                1 => cv[k].im = h,
                _ => ca[k].im = h,
            }
            let mut t = vec![Complex::default(); nv];
            rnea(model, &mut cws, &cq, &cv, &ca, &mut t).unwrap();
            for i in 0..nv {
                let want = t[i].im / h;
                let got = [&dq, &dv, &da][which][k * nv + i];
                worst = worst.max((got - want).abs() / (1.0 + want.abs()));
                if which == 0 && k == 0 {
                    worst = worst.max((tau[i] - t[i].re).abs() / (1.0 + t[i].re.abs()));
                }
            }
        }
    }
    println!("{} nv={nv}: worst difference to complex step {worst:.2e}", model.name());
}

fn time<T: Dispatch>(model: &Model, plain: bool, lift: impl Fn(f64) -> T) -> (f64, f64) {
    let (nv, mut r) = (model.nv(), rng(2));
    let (q, v, a) = state(model, &mut r);
    let l = |x: &[f64]| x.iter().map(|&x| lift(x)).collect::<Vec<_>>();
    let (q, v, a) = (l(&q), l(&v), l(&a));
    let mut ws = if plain { Workspace::plain(model) } else { Workspace::<T>::new(model) };
    let z = T::zero();
    let (mut tau, mut dq, mut dv, mut da) = (vec![z; nv], vec![z; nv * nv], vec![z; nv * nv], vec![z; nv * nv]);
    let (mut best_r, mut best_d) = (f64::MAX, f64::MAX);
    for _ in 0..60 {
        let n = 200_000 / (nv * nv) + 3;
        let t = Instant::now();
        for _ in 0..n {
            id_derivatives(model, &mut ws, &q, &v, &a, &mut tau, &mut dq, &mut dv, &mut da);
            std::hint::black_box(&dq);
        }
        best_d = best_d.min(t.elapsed().as_nanos() as f64 / n as f64);
        let t = Instant::now();
        for _ in 0..n {
            rnea(model, &mut ws, &q, &v, &a, &mut tau).unwrap();
            std::hint::black_box(&tau);
        }
        best_r = best_r.min(t.elapsed().as_nanos() as f64 / n as f64);
    }
    (best_r, best_d)
}

fn main() {
    let floating = Options { root: Root::Floating, ..Options::default() };
    let mut quad = generate::chain(0);
    quad.links[0].inertial = generate::chain(1).links[1].inertial;
    for leg in 0..4 {
        let one = generate::chain(3);
        for (l, j) in one.links[1..].iter().zip(&one.joints) {
            let (mut l, mut j) = (l.clone(), j.clone());
            l.name += &format!("_{leg}");
            j.name += &format!("_{leg}");
            j.child += &format!("_{leg}");
            if j.parent != "base" {
                j.parent += &format!("_{leg}");
            }
            quad.links.push(l);
            quad.joints.push(j);
        }
    }
    quad.name = "quad".into();
    for model in [
        Model::build(&generate::chain(10), &Options::default()).unwrap(),
        Model::build(&quad, &floating).unwrap(),
        Model::build(&generate::chain(100), &Options::default()).unwrap(),
        Model::build(&generate::tree(100, 5), &Options::default()).unwrap(),
    ] {
        check(&model);
        let plain = time::<f64>(&model, true, |x| x);
        let f = time::<f64>(&model, false, |x| x);
        let l4 = time::<Lanes<4>>(&model, false, |x| Lanes([x; 4]));
        println!(
            "   rnea: plain {:.0} fused {:.0} lanes4/4 {:.0}   d_id: plain {:.0} fused {:.0} lanes4/4 {:.0}",
            plain.0,
            f.0,
            l4.0 / 4.0,
            plain.1,
            f.1,
            l4.1 / 4.0
        );
    }
}
