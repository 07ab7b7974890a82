//! Forward dynamics and the mass matrix on every scalar.

use dtau::model::Model;
use dtau::scalar::{Complex, Counted, Dual, Fused, Lanes, Real};
use dtau::{MassFactor, Workspace, aba, crba, crba_factor, minverse};
use dtau_fixtures::State;
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::matrices::conditioning;
use dtau_fixtures::robots::models;

/// Runs everything that this file tests, one after the other.
fn run_all<T: Real>(model: &Model, mut ws: Workspace<T>, lift: impl Fn(usize, f64) -> T) -> Vec<T> {
    let State { q, v, a } = State::small(model, 1);
    let lift = |x: &[f64]| x.iter().enumerate().map(|(i, &x)| lift(i, x)).collect::<Vec<_>>();
    let (q, v, tau) = (lift(&q), lift(&v), lift(&a));
    let zeros = |n| vec![T::zero(); n];
    let nv = model.nv();
    let (mut qdd, mut m, mut minv, mut solved) = (zeros(nv), zeros(nv * nv), zeros(nv * nv), tau.clone());
    let mut factor_inverse = zeros(nv * nv);
    aba(model, &mut ws, &q, &v, &tau, &mut qdd).unwrap();
    crba(model, &mut ws, &q, &mut m).unwrap();
    minverse(model, &mut ws, &q, &mut minv).unwrap();
    let mut factor = MassFactor::new(model);
    crba_factor(model, &mut ws, &q, &mut factor).unwrap();
    factor.solve(&mut ws, &mut solved).unwrap();
    factor.inverse(&mut ws, &mut factor_inverse).unwrap();
    [qdd, m, minv, solved, factor_inverse].concat()
}

/// One source computes on every scalar. The tolerances are those of the identities in `forward.rs`, with each
/// scalar's own ε.
#[test]
fn every_scalar_agrees_with_f64() {
    for model in models() {
        let model = &model;
        let want = run_all::<f64>(model, Workspace::plain(model), |_, x| x);
        let fused = run_all::<f64>(model, Workspace::new(model), |_, x| x);
        let nv = model.nv();
        let (m, minv) = (&want[nv..][..nv * nv], &want[nv + nv * nv..][..nv * nv]);
        let tolerance = conditioning(m, minv);
        let close = |what: &str, got: Vec<f64>, tolerance: f64| {
            assert_close(&format!("{}: {what}", model.name()), &got, &want, nv, tolerance)
        };

        close("fused", fused.clone(), tolerance);
        let f32 = run_all::<f32>(model, Workspace::new(model), |_, x| x as f32);
        close("f32", f32.iter().map(|&x| f64::from(x)).collect(), tolerance / f64::EPSILON * f64::from(f32::EPSILON));
        let complex = run_all::<Complex>(model, Workspace::new(model), |_, x| Complex::new(x, 0.0));
        close("Complex", complex.iter().map(|x| x.re).collect(), tolerance);
        let dual = run_all::<Dual<2>>(model, Workspace::new(model), |_, x| Dual::from_f64(x));
        close("Dual", dual.iter().map(|x| x.re).collect(), tolerance);
        let counted = run_all::<Counted>(model, Workspace::new(model), |_, x| Counted(x));
        close("Counted", counted.iter().map(|x| x.0).collect(), tolerance);
        let by_hand = run_all::<Fused<f64>>(model, Workspace::new(model), |_, x| Fused(x));
        assert_eq!(by_hand.iter().map(|x| x.0).collect::<Vec<_>>(), fused, "{}: Fused", model.name());

        let lanes = run_all::<Lanes<4>>(model, Workspace::new(model), |_, x| Lanes([x; 4]));
        assert!(lanes.iter().zip(&fused).all(|(lanes, x)| lanes.0 == [*x; 4]), "{}: Lanes<4>", model.name());
        let lanes = run_all::<Lanes<8>>(model, Workspace::new(model), |_, x| Lanes([x; 8]));
        assert!(lanes.iter().zip(&fused).all(|(lanes, x)| lanes.0 == [*x; 8]), "{}: Lanes<8>", model.name());
    }
}

/// A workspace carries nothing from call to call: not from another algorithm, and not from a failed call.
#[test]
fn results_do_not_depend_on_what_the_workspace_did_before() {
    for model in models() {
        let fresh = run_all::<f64>(&model, Workspace::new(&model), |_, x| x);
        let mut used = Workspace::new(&model);
        let (nan, mut out) = (vec![f64::NAN; model.nq()], vec![0.0; model.nv() * model.nv()]);
        let nv = model.nv();
        assert!(minverse(&model, &mut used, &nan, &mut out).is_err());
        assert!(aba(&model, &mut used, &nan, &vec![0.0; nv], &vec![0.0; nv], &mut out[..nv]).is_err());
        assert!(crba(&model, &mut used, &nan, &mut out).is_err());
        assert_eq!(run_all::<f64>(&model, used, |_, x| x), fresh, "{}", model.name());
    }
}
