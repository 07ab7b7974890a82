//! Safe code on a CPU without AVX and FMA. `test.sh` runs these tests under `qemu-x86_64`, where a single
//! unsupported instruction ends the program. On other CPUs they compare the same engines.

use dtau::model::{Root, generate};
use dtau::scalar::{Fused, Lanes, Real};
use dtau::*;
use dtau_fixtures::State;
use dtau_fixtures::robots::build;

/// Returns torques, accelerations and derivatives of a floating tree.
fn results<T: Real>(mut ws: Workspace<T>, to: impl Fn(f64) -> T) -> Vec<T> {
    let model = build(&generate::random_tree(2, 7), Root::Floating);
    let x = State::random(&model, 1);
    let lift = |x: &[f64]| x.iter().map(|&x| to(x)).collect::<Vec<T>>();
    let (q, v, a, nv) = (lift(&x.q), lift(&x.v), lift(&x.a), model.nv());
    let (mut tau, mut qdd) = (vec![T::zero(); nv], vec![T::zero(); nv]);
    let (mut id, mut fd) = (IdDerivatives::new(&model), FdDerivatives::new(&model));
    rnea(&model, &mut ws, &q, &v, &a, &mut tau).unwrap();
    aba(&model, &mut ws, &q, &v, &tau, &mut qdd).unwrap();
    id_derivatives(&model, &mut ws, &q, &v, &a, &mut id).unwrap();
    fd_derivatives(&model, &mut ws, &q, &v, &tau, &mut fd).unwrap();
    let matrices = [id.dtau_dq, id.dtau_dv, id.dtau_da, fd.dqdd_dq, fd.dqdd_dv, fd.dqdd_dtau];
    [tau, qdd].concat().into_iter().chain(matrices.iter().flat_map(|m| m.to_vec())).collect()
}

fn model() -> dtau::model::Model {
    build(&generate::random_tree(2, 7), Root::Floating)
}

fn assert_near(got: &[f64], want: &[f64], what: &str) {
    let scale = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (k, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).abs() < 1e-9 * scale, "{what}, number {k}: got {got}, want {want}");
    }
}

/// `Workspace::<Fused<f64>>` and `Fused::sin_cos_all` once used AVX2 without checking the CPU.
#[test]
fn fused_numbers_run_on_any_cpu() {
    let plain = results(Workspace::<f64>::plain(&model()), |x| x);
    let fused = results(Workspace::<Fused<f64>>::new(&model()), Fused);
    assert_near(&fused.iter().map(|x| x.0).collect::<Vec<_>>(), &plain, "Fused");
    let lanes = results(Workspace::<Lanes<4, Fused<f64>>>::new(&model()), |x| Lanes([Fused(x); 4]));
    assert_eq!(lanes.iter().map(|x| x.0[3]).collect::<Vec<_>>(), fused, "Lanes of Fused");
    let mut turns = [(Fused(0.0), Fused(0.0)); 9];
    Fused::<f64>::sin_cos_all(&[Fused(0.5); 9], &mut turns);
    assert_eq!(turns[8], Fused(0.5).sin_cos());
}

/// On CPUs with fused multiply-add, kernels give the bits of `Fused`. On others, those of plain numbers.
#[test]
fn the_fastest_workspace_is_one_of_the_two() {
    let plain = results(Workspace::<f64>::plain(&model()), |x| x);
    let fused: Vec<f64> = results(Workspace::<Fused<f64>>::new(&model()), Fused).iter().map(|x| x.0).collect();
    let fastest = results(Workspace::<f64>::new(&model()), |x| x);
    assert!(fastest == plain || fastest == fused);
    let lanes = results(Workspace::<Lanes<4>>::new(&model()), |x| Lanes([x; 4]));
    assert_eq!(lanes.iter().map(|x| x.0[1]).collect::<Vec<_>>(), fastest, "lanes");
}

#[cfg(feature = "batch")]
#[test]
fn batches_run_on_any_cpu() {
    let model = model();
    let x = State::random(&model, 1);
    let many = |x: &[f64]| x.repeat(5);
    let (mut tau, mut alone) = (vec![0.0; 5 * model.nv()], vec![0.0; model.nv()]);
    rnea(&model, &mut Batch::new(&model), &many(&x.q), &many(&x.v), &many(&x.a), &mut tau).unwrap();
    rnea(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a, &mut alone).unwrap();
    assert!(tau.chunks(model.nv()).all(|tau| tau == alone));
}
