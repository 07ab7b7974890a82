//! Joint springs in every derivative, together with other effects, on random trees with every joint type and mimicry.

use dtau::model::{Model, Options, generate};
use dtau::{
    FdDerivatives, FdGradientMut, FdHessian, FdTangent, FdWay, IdDerivatives, IdGradientMut, IdHessian, IdTangent,
    Matrix, Workspace, aba, fd_derivatives_by, fd_hessian, fd_jvp, fd_vjp, fd_vjp_derivatives, id_derivatives,
    id_hessian, id_jvp, id_vjp, integrate, rnea,
};

const STEP: f64 = 1e-5;
/// Central differences have an error of STEP² times third derivatives, plus rounding over STEP: 1e-10 of the
/// sizes here. 1e-6 is far above that and far below the effect of a spring.
const CLOSE: f64 = 1e-6;

struct Sprung {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    w: Vec<f64>,
}

/// Random trees with springs at the joints with one degree of freedom.
fn sprung() -> impl Iterator<Item = Sprung> {
    (0..6).map(|seed| {
        let mut robot = generate::random_tree(seed, 9);
        for (k, joint) in robot.joints.iter_mut().enumerate() {
            if joint.kind.nv() == 1 {
                (joint.stiffness, joint.rest) = (3.0 + k as f64, 0.1 * k as f64 - 0.3);
            }
        }
        let model = Model::build(&robot, &Options::default()).unwrap();
        let mut draw = dtau::Random::seeded(seed + 100);
        let mut numbers = |n: usize| (0..n).map(|_| draw.within(-1.0, 1.0)).collect::<Vec<f64>>();
        let (v, a, w) = (numbers(model.nv()), numbers(model.nv()), numbers(model.nv()));
        let mut q = model.neutral();
        let step = numbers(model.nv());
        integrate(&model, &mut Workspace::new(&model), &model.neutral(), &step, &mut q).unwrap();
        Sprung { model, q, v, a, w }
    })
}

/// ∂f/∂q by central differences. Column k is along the k-th tangent direction.
fn slopes(x: &Sprung, f: &mut dyn FnMut(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let n = x.model.nv();
    let mut ws = Workspace::new(&x.model);
    let mut at = |k: usize, step: f64| {
        let (mut direction, mut q) = (vec![0.0; n], x.q.clone());
        direction[k] = step;
        integrate(&x.model, &mut ws, &x.q, &direction, &mut q).unwrap();
        q
    };
    let mut columns = Vec::new();
    for k in 0..n {
        let (up, down) = (f(&at(k, STEP)), f(&at(k, -STEP)));
        columns.push(up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * STEP)).collect());
    }
    columns
}

fn assert_close(what: &str, got: &Matrix<f64>, want: &[Vec<f64>]) {
    let size = want.iter().flatten().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (c, column) in want.iter().enumerate() {
        for (r, want) in column.iter().enumerate() {
            assert!((got[(r, c)] - want).abs() < CLOSE * size, "{what}[{r}, {c}]: {} instead of {want}", got[(r, c)]);
        }
    }
}

fn times(m: &Matrix<f64>, x: &[f64], r: usize) -> f64 {
    x.iter().enumerate().map(|(c, x)| m[(r, c)] * x).sum()
}

fn times_transposed(m: &Matrix<f64>, w: &[f64], c: usize) -> f64 {
    w.iter().enumerate().map(|(r, w)| m[(r, c)] * w).sum()
}

#[test]
fn derivatives_by_q_are_those_of_the_torques_and_accelerations() {
    for x in sprung() {
        let (mut ws, n) = (Workspace::new(&x.model), x.model.nv());
        let mut id = IdDerivatives::new(&x.model);
        id_derivatives(&x.model, &mut ws, &x.q, &x.v, &x.a, &mut id).unwrap();
        let torques = slopes(&x, &mut |q| {
            let mut tau = vec![0.0; n];
            rnea(&x.model, &mut ws, q, &x.v, &x.a, &mut tau).unwrap();
            tau
        });
        assert_close("∂τ/∂q", &id.dtau_dq, &torques);
        let accelerations = slopes(&x, &mut |q| {
            let mut qdd = vec![0.0; n];
            aba(&x.model, &mut ws, q, &x.v, &x.a, &mut qdd).unwrap();
            qdd
        });
        for way in FdWay::ALL {
            let mut fd = FdDerivatives::new(&x.model);
            if fd_derivatives_by(way, &x.model, &mut ws, &x.q, &x.v, &x.a, &mut fd).is_ok() {
                assert_close(&format!("∂q̈/∂q by {way:?}"), &fd.dqdd_dq, &accelerations);
            }
        }
    }
}

/// Products equal those with the matrices, to rounding.
#[test]
fn products_are_those_with_the_matrices() {
    for x in sprung() {
        let (mut ws, n) = (Workspace::new(&x.model), x.model.nv());
        let (mut id, mut fd) = (IdDerivatives::new(&x.model), FdDerivatives::new(&x.model));
        id_derivatives(&x.model, &mut ws, &x.q, &x.v, &x.a, &mut id).unwrap();
        dtau::fd_derivatives(&x.model, &mut ws, &x.q, &x.v, &x.a, &mut fd).unwrap();
        let zeros = vec![0.0; n];
        let close = |what: &str, got: f64, want: f64| {
            assert!((got - want).abs() < 1e-9 * (1.0 + want.abs()), "{what}: {got} instead of {want}");
        };
        let mut out = vec![0.0; n];
        id_jvp(&x.model, &mut ws, &x.q, &x.v, &x.a, IdTangent { dq: &x.w, dv: &zeros, da: &zeros }, &mut out).unwrap();
        (0..n).for_each(|r| close("id_jvp", out[r], times(&id.dtau_dq, &x.w, r)));
        fd_jvp(&x.model, &mut ws, &x.q, &x.v, &x.a, FdTangent { dq: &x.w, dv: &zeros, dtau: &zeros }, &mut out)
            .unwrap();
        (0..n).for_each(|r| close("fd_jvp", out[r], times(&fd.dqdd_dq, &x.w, r)));
        let (mut dq, mut dv, mut da) = (zeros.clone(), zeros.clone(), zeros.clone());
        let gradient = IdGradientMut { dq: &mut dq, dv: &mut dv, da: &mut da };
        id_vjp(&x.model, &mut ws, &x.q, &x.v, &x.a, &x.w, gradient).unwrap();
        (0..n).for_each(|c| close("id_vjp", dq[c], times_transposed(&id.dtau_dq, &x.w, c)));
        let gradient = FdGradientMut { dq: &mut dq, dv: &mut dv, dtau: &mut da };
        fd_vjp(&x.model, &mut ws, &x.q, &x.v, &x.a, &x.w, gradient).unwrap();
        (0..n).for_each(|c| close("fd_vjp", dq[c], times_transposed(&fd.dqdd_dq, &x.w, c)));
        let mut h = IdHessian::new(&x.model);
        id_hessian(&x.model, &mut ws, &x.q, &x.v, &x.a, &x.w, &mut h).unwrap();
        (0..n).for_each(|c| close("the gradient of id_hessian", h.dq[c], times_transposed(&id.dtau_dq, &x.w, c)));
        let mut h = FdHessian::new(&x.model);
        fd_hessian(&x.model, &mut ws, &x.q, &x.v, &x.a, &x.w, &mut h).unwrap();
        (0..n).for_each(|c| close("the gradient of fd_hessian", h.dq[c], times_transposed(&fd.dqdd_dq, &x.w, c)));
    }
}

/// A spring has no second derivative, but it enters the second derivatives of forward dynamics, because M⁻¹ changes.
#[test]
fn second_derivatives_of_forward_dynamics_know_them() {
    for x in sprung() {
        let (mut ws, n) = (Workspace::new(&x.model), x.model.nv());
        let mut h = FdHessian::new(&x.model);
        fd_vjp_derivatives(&x.model, &mut ws, &x.q, &x.v, &x.a, &x.w, &mut h).unwrap();
        let rates = slopes(&x, &mut |q| {
            let (mut dq, mut dv, mut dtau) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            let gradient = FdGradientMut { dq: &mut dq, dv: &mut dv, dtau: &mut dtau };
            fd_vjp(&x.model, &mut ws, q, &x.v, &x.a, &x.w, gradient).unwrap();
            dq
        });
        assert_close("∂/∂q of ∂(wᵀq̈)/∂q", &h.qq, &rates);
    }
}
