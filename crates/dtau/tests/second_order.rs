//! Second derivatives of the dynamics, compared with two exact arithmetics run through the library's own source.
//!
//! - Hyper-dual numbers differentiate wᵀτ itself twice. They give H, the Hessian of δ ↦ ℓ(q ⊕ δ), along
//!   `integrate`.
//! - A complex step differentiates the gradient, which is different code. It gives N, which is not symmetric
//!   inside joints.
//!
//! Both agree to [`TOLERANCE`] of the largest entry of a block. The entries of a row are sums of the same
//! products. So are those of a block, because w weighs the rows.

use dtau::model::{MimicMode, Model, Options, Root, generate};
use dtau::scalar::{Complex, HyperDual, Real};
use dtau::*;
use dtau_fixtures::assertions::{assert_close, assert_rows_close, assert_symmetric};
use dtau_fixtures::matrices::{absolute, conditioning, largest, product, sum, transposed_times};
use dtau_fixtures::robots::{pushed_cases, random_cases};
use dtau_fixtures::states::numbers;
use dtau_fixtures::steps::{TOLERANCE, by_numbers, by_q, lift, unit};
use dtau_fixtures::wrenches::{self, every_kind_everywhere, moving_only};
use dtau_fixtures::{Case, State};

/// A case's own wrenches, or all kinds on many frames.
fn cases() -> Vec<(Case, Vec<f64>)> {
    let mut cases: Vec<Case> = pushed_cases();
    for (k, mut case) in random_cases().into_iter().enumerate() {
        let all = every_kind_everywhere(&case.model);
        case.wrenches = [&all, &moving_only(&all), &Vec::new()][k % 3].clone();
        cases.push(case);
    }
    let w = |case: &Case| numbers(&mut Random::seeded(77), case.model.nv());
    cases.into_iter().map(|case| (w(&case), case)).map(|(w, case)| (case, w)).collect()
}

fn transposed(n: usize, m: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| m[k % n * n + k / n]).collect()
}

fn gradient<T: Real>(scene: Scene<'_, T>, ws: &mut Workspace<T>, q: &[T], v: &[T], a: &[T], w: &[T]) -> [Vec<T>; 3] {
    let [mut dq, mut dv, mut da] = [(); 3].map(|()| vec![T::from_f64(7.0); w.len()]);
    id_vjp(scene, ws, q, v, a, w, IdGradientMut { dq: &mut dq, dv: &mut dv, da: &mut da }).unwrap();
    [dq, dv, da]
}

/// Compares relative to the largest number of each block, or 1.
fn close(what: &str, got: &[f64], want: &[f64], n: usize) {
    assert_close(what, got, want, n, TOLERANCE);
}

#[test]
fn id_vjp_derivatives_are_the_complex_step_derivatives_of_id_vjp() {
    for (Case { name, model, x, wrenches }, w) in cases() {
        let n = model.nv();
        let mut d = IdHessian::new(&model);
        id_vjp_derivatives(
            model.scene().wrenches(&wrenches),
            &mut Workspace::new(&model),
            &x.q,
            &x.v,
            &x.a,
            &w,
            &mut d,
        )
        .unwrap();
        let [dq, dv, da] =
            gradient(model.scene().wrenches(&wrenches), &mut Workspace::new(&model), &x.q, &x.v, &x.a, &w);
        for (what, got, want) in [("ℓ_q", &d.dq, dq), ("ℓ_v", &d.dv, dv), ("ℓ_a", &d.da, da)] {
            close(&format!("{name}: {what}"), got, &want, 1);
        }
        let (pushes, ws) = (wrenches::lift::<Complex>(&wrenches), &mut Workspace::new(&model));
        let scene = model.scene().wrenches(&pushes);
        let (q, v, a, w): (Vec<Complex>, Vec<_>, Vec<_>, Vec<_>) = (lift(&x.q), lift(&x.v), lift(&x.a), lift(&w));
        let want = by_q(&model, &x.q, |q| gradient(scene, ws, q, &v, &a, &w).concat());
        let part = |k: usize| -> Vec<f64> { want.chunks(3 * n).flat_map(|c| c[k * n..][..n].to_vec()).collect() };
        close(&format!("{name}: qq"), &d.qq, &part(0), n);
        close(&format!("{name}: vq"), &transposed(n, &d.qv), &part(1), n);
        close(&format!("{name}: aq"), &transposed(n, &d.qa), &part(2), n);
        let want = by_numbers(&x.v, |v| gradient(scene, ws, &q, v, &a, &w).concat());
        let part = |k: usize| -> Vec<f64> { want.chunks(3 * n).flat_map(|c| c[k * n..][..n].to_vec()).collect() };
        close(&format!("{name}: qv"), &d.qv, &part(0), n);
        close(&format!("{name}: vv"), &d.vv, &part(1), n);
        assert!(part(2).iter().all(|&x| x == 0.0), "{name}: va is zero, exactly");
    }
}

/// A state that moves along two directions, each one a number of `q`, `v` or `a`.
fn moved_twice(
    model: &Model,
    [q, v, a]: [&[f64]; 3],
    first: (&str, usize),
    second: (&str, usize),
) -> [Vec<HyperDual>; 3] {
    let n = model.nv();
    let along = |block: &str| -> Vec<HyperDual> {
        let rate = |(of, k): (&str, usize)| if of == block { unit(n, k) } else { vec![0.0; n] };
        rate(first).iter().zip(rate(second)).map(|(&a, b)| HyperDual::new(0.0, a, b)).collect()
    };
    let add = |x: &[f64], dx: Vec<HyperDual>| -> Vec<HyperDual> {
        x.iter().zip(dx).map(|(&x, dx)| HyperDual::from_f64(x) + dx).collect()
    };
    let (q0, mut q1): (Vec<HyperDual>, Vec<HyperDual>) = (lift(q), lift(q));
    model.integrate(&q0, &along("q"), &mut q1).unwrap();
    [q1, add(v, along("v")), add(a, along("a"))]
}

/// ℓ at such a state: its value and derivatives.
fn twice(
    model: &Model,
    pushes: &[Wrench<HyperDual>],
    x: [&[f64]; 3],
    w: &[f64],
    first: (&str, usize),
    second: (&str, usize),
) -> HyperDual {
    let [q, v, a] = moved_twice(model, x, first, second);
    let mut tau = vec![HyperDual::zero(); model.nv()];
    rnea(model.scene().wrenches(pushes), &mut Workspace::new(model), &q, &v, &a, &mut tau).unwrap();
    tau.iter().zip(w).fold(HyperDual::zero(), |sum, (&tau, &w)| sum + tau * HyperDual::from_f64(w))
}

#[test]
fn id_hessian_is_the_hessian_by_hyper_dual_numbers() {
    for (Case { name, model, x, wrenches }, w) in cases().into_iter().step_by(3) {
        let n = model.nv();
        let mut d = IdHessian::new(&model);
        id_hessian(model.scene().wrenches(&wrenches), &mut Workspace::new(&model), &x.q, &x.v, &x.a, &w, &mut d)
            .unwrap();
        let pushes = wrenches::lift::<HyperDual>(&wrenches);
        let block = |rows: &str, columns: &str| -> Vec<f64> {
            let entry =
                |c: usize, r: usize| twice(&model, &pushes, [&x.q, &x.v, &x.a], &w, (rows, r), (columns, c)).e12;
            (0..n).flat_map(|c| (0..n).map(move |r| (c, r))).map(|(c, r)| entry(c, r)).collect()
        };
        close(&format!("{name}: qq"), &d.qq, &block("q", "q"), n);
        close(&format!("{name}: qv"), &d.qv, &block("q", "v"), n);
        close(&format!("{name}: vv"), &d.vv, &block("v", "v"), n);
        close(&format!("{name}: qa"), &d.qa, &block("q", "a"), n);
    }
}

/// Both halves of H are equal, bit for bit. N and H agree except inside joints with several degrees of
/// freedom, where N − Nᵀ is ℓ_q times a commutator.
#[test]
fn the_hessian_is_symmetric_and_the_symmetric_part_of_the_gradients_jacobian() {
    let mut differ = 0;
    for (Case { name, model, x, wrenches }, w) in cases() {
        let (n, ws, scene) = (model.nv(), &mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let (mut h, mut jacobian) = (IdHessian::new(&model), IdHessian::new(&model));
        id_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut h).unwrap();
        id_vjp_derivatives(scene, ws, &x.q, &x.v, &x.a, &w, &mut jacobian).unwrap();
        assert_symmetric(&format!("{name}: qq"), &h.qq, n);
        assert_symmetric(&format!("{name}: vv"), &h.vv, n);
        let mean: Vec<f64> = jacobian.qq.iter().zip(transposed(n, &jacobian.qq)).map(|(a, b)| 0.5 * (a + b)).collect();
        close(&format!("{name}: ½ (N + Nᵀ)"), &h.qq, &mean, n);
        let joint = |k: usize| model.joints().iter().position(|j| j.v.contains(&k));
        for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
            if r != c && joint(r) == joint(c) {
                differ += usize::from((jacobian.qq[(r, c)] - jacobian.qq[(c, r)]).abs() > 0.1);
            } else if model.mimic().is_none() {
                assert_eq!(jacobian.qq[(r, c)], h.qq[(r, c)], "{name}: ({r}, {c})");
            }
        }
        for (what, a, b) in [("qv", &h.qv, &jacobian.qv), ("vv", &h.vv, &jacobian.vv), ("qa", &h.qa, &jacobian.qa)] {
            assert_eq!(a, b, "{name}: {what}");
        }
    }
    assert!(differ > 50, "{differ}");
}

/// Only zeros already in place are not written: a second call into the same matrices gives the same bits.
#[test]
fn matrices_that_were_written_before_are_written_whole() {
    for (Case { name, model, x, wrenches }, w) in cases() {
        let (ws, scene) = (&mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let mut fresh = IdHessian::new(&model);
        for matrix in [&mut fresh.qq, &mut fresh.qv, &mut fresh.vv, &mut fresh.qa] {
            matrix.fill(f64::NAN);
        }
        let mut again = IdHessian::new(&model);
        id_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut fresh).unwrap();
        id_hessian(&model, ws, &x.q, &x.a, &x.v, &x.a, &mut again).unwrap();
        id_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut again).unwrap();
        assert_eq!(fresh, again, "{name}");
    }
}

fn fd_gradient<T: Real>(scene: Scene<'_, T>, ws: &mut Workspace<T>, q: &[T], v: &[T], tau: &[T], w: &[T]) -> Vec<T> {
    let [mut dq, mut dv, mut dtau] = [(); 3].map(|()| vec![T::from_f64(7.0); w.len()]);
    fd_vjp(scene, ws, q, v, tau, w, FdGradientMut { dq: &mut dq, dv: &mut dv, dtau: &mut dtau }).unwrap();
    [dq, dv, dtau].concat()
}

/// Bound of the rounding if M is inverted: a multiple of its condition, times the size of the terms, ℓ_qq at
/// μ = M⁻¹ w and |P| |∂ID|. These may be larger than their sum.
fn rounding(scene: Scene<'_, f64>, x: &State, w: &[f64], qtau: &[f64]) -> f64 {
    let (model, nv, ws) = (scene.model, scene.model.nv(), &mut Workspace::new(scene.model));
    let [mut m, mut minv] = [(); 2].map(|()| vec![0.0; nv * nv]);
    crba(model, ws, &x.q, &mut m).unwrap();
    minverse(model, ws, &x.q, &mut minv).unwrap();
    let [mut qdd, mut mu] = [(); 2].map(|()| vec![0.0; nv]);
    aba(scene, ws, &x.q, &x.v, &x.a, &mut qdd).unwrap();
    mass_solve(model, ws, &x.q, w, &mut mu).unwrap();
    let (mut first, mut second) = (IdDerivatives::new(model), IdHessian::new(model));
    id_derivatives(scene, ws, &x.q, &x.v, &qdd, &mut first).unwrap();
    id_hessian(scene, ws, &x.q, &x.v, &qdd, &mu, &mut second).unwrap();
    let products = [&first.dtau_dq, &first.dtau_dv].map(|d| largest(&product(nv, &absolute(qtau), &absolute(d))));
    let blocks = [&second.qq, &second.qv, &second.vv].map(|d| largest(d));
    let size = products.into_iter().chain(blocks).fold(1.0, f64::max);
    conditioning(&m, &minv) * size
}

/// Compares entries to an absolute bound.
fn within(what: &str, got: &[f64], want: &[f64], n: usize, bound: f64) -> f64 {
    assert_rows_close(what, got, want, &vec![bound; n], 1.0)
}

/// FD with wrenches of every kind, friction, armature and mimicry.
#[test]
fn fd_vjp_derivatives_are_the_complex_step_derivatives_of_fd_vjp() {
    let mut worst = 0.0f64;
    for (Case { name, model, x, wrenches }, w) in cases() {
        let n = model.nv();
        let mut d = FdHessian::new(&model);
        let (scene, ws) = (model.scene().wrenches(&wrenches), &mut Workspace::new(&model));
        fd_vjp_derivatives(scene, ws, &x.q, &x.v, &x.a, &w, &mut d).unwrap();
        let bound = rounding(scene, &x, &w, &d.qtau);
        let mut close = |what: &str, got: &[f64], want: &[f64]| {
            worst = worst.max(within(&format!("{name}: {what}"), got, want, n, bound));
        };
        let gradient = fd_gradient(scene, ws, &x.q, &x.v, &x.a, &w);
        close("gradient", &[&d.dq[..], &d.dv, &d.dtau].concat(), &gradient);
        let (pushes, ws) = (wrenches::lift::<Complex>(&wrenches), &mut Workspace::new(&model));
        let scene = model.scene().wrenches(&pushes);
        let (q, v, tau, w): (Vec<Complex>, Vec<_>, Vec<_>, Vec<_>) = (lift(&x.q), lift(&x.v), lift(&x.a), lift(&w));
        let part = |want: &[f64], k: usize| -> Vec<f64> {
            want.chunks(3 * n).flat_map(|c| c[k * n..][..n].to_vec()).collect()
        };
        let want = by_q(&model, &x.q, |q| fd_gradient(scene, ws, q, &v, &tau, &w));
        close("qq", &d.qq, &part(&want, 0));
        close("vq", &transposed(n, &d.qv), &part(&want, 1));
        close("τq", &transposed(n, &d.qtau), &part(&want, 2));
        let want = by_numbers(&x.v, |v| fd_gradient(scene, ws, &q, v, &tau, &w));
        close("qv", &d.qv, &part(&want, 0));
        close("vv", &d.vv, &part(&want, 1));
        let want = by_numbers(&x.a, |tau| fd_gradient(scene, ws, &q, &v, tau, &w));
        close("qτ", &d.qtau, &part(&want, 0));
    }
    println!("fd_vjp_derivatives: worst error {worst:.1e} of the bound");
}

/// Random trees, each on the last link of the one before, until ∂FD uses the response form. They have every
/// joint type, branches and joint effects.
fn deep(seed: u64, root: Root) -> Model {
    let part = |k: u64, root| {
        let options = Options { root, mimic: MimicMode::Free, ..Options::default() };
        Model::build(&generate::random_tree(100 * seed + k, 5), &options).unwrap()
    };
    let mut model = part(0, root);
    for k in 1..40 {
        if FdWay::for_model(&model) == FdWay::Response {
            return model;
        }
        let last = format!("link:{}", model.description().links.last().unwrap().name);
        model = model.attach(&last, &part(k, Root::Fixed), &format!("{k}_")).unwrap();
    }
    panic!("{} degrees of freedom are not deep enough", model.nv());
}

/// On deep trees no product of matrices is formed. The result equals that product, computed from another way's ∂ID.
#[test]
fn the_hessian_of_fd_on_deep_trees_is_the_product_of_matrices() {
    let mut worst = 0.0f64;
    let chain = Model::build(&generate::chain(60), &Options::default()).unwrap();
    let models = [chain, deep(1, Root::Fixed), deep(2, Root::Floating), deep(3, Root::Fixed)];
    for (seed, model) in models.into_iter().enumerate() {
        assert_eq!(FdWay::for_model(&model), FdWay::Response);
        let random = &mut Random::seeded(seed as u64);
        let (n, x, w) = (model.nv(), State::draw(&model, random), numbers(random, model.nv()));
        let all = every_kind_everywhere(&model);
        for wrenches in [all.clone(), moving_only(&all)] {
            let (scene, ws) = (model.scene().wrenches(&wrenches), &mut Workspace::new(&model));
            let (mut got, mut hessian) = (FdHessian::new(&model), FdHessian::new(&model));
            fd_vjp_derivatives(scene, ws, &x.q, &x.v, &x.a, &w, &mut got).unwrap();
            fd_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut hessian).unwrap();
            let (mut fd, mut id, mut second) =
                (FdDerivatives::new(&model), IdDerivatives::new(&model), IdHessian::new(&model));
            fd_derivatives_by(FdWay::Dense, scene, ws, &x.q, &x.v, &x.a, &mut fd).unwrap();
            id_derivatives(scene, ws, &x.q, &x.v, &fd.qdd, &mut id).unwrap();
            let mut mu = vec![0.0; n];
            mass_solve(&model, ws, &x.q, &w, &mut mu).unwrap();
            id_vjp_derivatives(scene, ws, &x.q, &x.v, &fd.qdd, &mu, &mut second).unwrap();
            let p = product(n, &second.qa, &fd.dqdd_dtau);
            let [by_q, by_v] = [&id.dtau_dq, &id.dtau_dv].map(|d| product(n, &p, d));
            let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
            let both = sum(&by_q, &transposed(n, &by_q));
            // Rounding of M⁻¹, times the size of the terms; 1e-12 was measured.
            let largest_of = [&both, &by_v, &p].map(|x| largest(x)).into_iter().fold(1.0, f64::max);
            let bound = 1e-10 * largest_of;
            for (what, got, want) in [
                ("qq", &*got.qq, minus(&both, &second.qq)),
                ("qv", &*got.qv, minus(&by_v, &second.qv)),
                ("vv", &*got.vv, second.vv.iter().map(|x| -x).collect()),
                ("qτ", &*got.qtau, p.iter().map(|x| -x).collect()),
            ] {
                worst = worst.max(within(&format!("model {seed}: {what}"), got, &want, n, bound));
            }
            assert_symmetric("qq", &hessian.qq, n);
            let mean = sum(&got.qq, &transposed(n, &got.qq)).iter().map(|x| 0.5 * x).collect::<Vec<f64>>();
            worst = worst.max(within("H", &hessian.qq, &mean, n, bound));
        }
        // States side by side have the same bits as single states.
        let states: Vec<State> = (0..5).map(|_| State::draw(&model, random)).collect();
        let ws = &mut Workspace::new(&model);
        let alone: Vec<FdHessian<f64>> = (states.iter())
            .map(|x| {
                let mut d = FdHessian::new(&model);
                fd_hessian(&model, ws, &x.q, &x.v, &x.a, &w, &mut d).unwrap();
                d
            })
            .collect();
        let each = |part: fn(&State) -> &[f64]| states.iter().flat_map(part).copied().collect::<Vec<f64>>();
        let (q, v, tau) = (each(|x| &x.q), each(|x| &x.v), each(|x| &x.a));
        let [mut dq, mut dv, mut dtau] = [(); 3].map(|()| vec![0.0; 5 * n]);
        let [mut qq, mut qv, mut vv, mut qtau] = [(); 4].map(|()| vec![0.0; 5 * n * n]);
        let out = FdHessianMut {
            dq: &mut dq,
            dv: &mut dv,
            dtau: &mut dtau,
            qq: (&mut qq[..]).into(),
            qv: (&mut qv[..]).into(),
            vv: (&mut vv[..]).into(),
            qtau: (&mut qtau[..]).into(),
        };
        fd_hessian(&model, &mut Batch::new(&model), &q, &v, &tau, &w.repeat(5), out).unwrap();
        for (k, d) in alone.iter().enumerate() {
            for (side_by_side, alone) in [(&qq, &d.qq), (&qv, &d.qv), (&vv, &d.vv), (&qtau, &d.qtau)] {
                assert!(side_by_side[k * n * n..][..n * n] == **alone, "model {seed}, state {k}");
            }
        }
    }
    println!("deep trees: worst error {worst:.1e} of the bound");
}

#[test]
fn fd_hessian_is_the_hessian_by_hyper_dual_numbers() {
    for (Case { name, model, x, wrenches }, w) in cases().into_iter().step_by(5) {
        let n = model.nv();
        let (mut d, ws) = (FdHessian::new(&model), &mut Workspace::new(&model));
        fd_hessian(model.scene().wrenches(&wrenches), ws, &x.q, &x.v, &x.a, &w, &mut d).unwrap();
        assert_symmetric(&format!("{name}: qq"), &d.qq, n);
        assert_symmetric(&format!("{name}: vv"), &d.vv, n);
        let pushes = wrenches::lift::<HyperDual>(&wrenches);
        let ws = &mut Workspace::new(&model);
        let mut entry = |first: (&str, usize), second: (&str, usize)| {
            let [q, v, tau] = moved_twice(&model, [&x.q, &x.v, &x.a], first, second);
            let mut qdd = vec![HyperDual::zero(); n];
            aba(model.scene().wrenches(&pushes), ws, &q, &v, &tau, &mut qdd).unwrap();
            qdd.iter().zip(&w).map(|(qdd, w)| qdd.e12 * w).sum::<f64>()
        };
        let mut block = |rows: &str, columns: &str| -> Vec<f64> {
            let mut out = Vec::new();
            for c in 0..n {
                out.extend((0..n).map(|r| entry((rows, r), (columns, c))));
            }
            out
        };
        let bound = rounding(model.scene().wrenches(&wrenches), &x, &w, &d.qtau);
        for (what, got, want) in [
            ("qq", &d.qq, block("q", "q")),
            ("qv", &d.qv, block("q", "v")),
            ("vv", &d.vv, block("v", "v")),
            ("qτ", &d.qtau, block("q", "a")),
        ] {
            within(&format!("{name}: {what}"), got, &want, n, bound);
        }
    }
}

/// Poses of frames and the centre of mass, on every joint, with targets near and far.
#[test]
fn kinematic_hessians_are_the_hessians_by_hyper_dual_numbers() {
    for (k, (Case { name, model, x, .. }, _)) in cases().into_iter().enumerate() {
        let (n, ws, wide) = (model.nv(), &mut Workspace::new(&model), &mut Workspace::new(&model));
        let frame = model.frame_ids().nth((7 * k + 3) % model.frames().len()).unwrap();
        let random = &mut Random::seeded(k as u64);
        let (mut target, weights) = (numbers(random, 7), numbers(random, 6));
        if k % 4 == 0 {
            // Also at the target, where the angle of the error is zero.
            let mut here = [0.0; 12];
            frame_placement(&model, ws, frame, &x.q, &mut here).unwrap();
            target = vec![here[9], here[10], here[11], 0.0, 0.0, 0.0, 1.0];
        }
        let [mut of_frame, mut of_com] = [(); 2].map(|()| KinematicHessian::new(&model));
        frame_hessian(&model, ws, frame, &x.q, &target, &weights, &mut of_frame).unwrap();
        com_hessian(&model, ws, &x.q, &weights[..3], &mut of_com).unwrap();
        let (target, rest): (Vec<HyperDual>, Vec<HyperDual>) = (lift(&target), lift(&vec![0.0; n]));
        let weigh = |numbers: &[HyperDual]| -> f64 { numbers.iter().zip(&weights).map(|(x, w)| x.e12 * w).sum() };
        let (mut poses, mut centres) = (Vec::new(), Vec::new());
        for (c, r) in (0..n).flat_map(|c| (0..n).map(move |r| (c, r))) {
            let [q, ..] = moved_twice(&model, [&x.q, &x.v, &x.a], ("q", r), ("q", c));
            let (mut error, mut com) = ([HyperDual::zero(); 6], Com::default());
            frame_error(&model, wide, frame, &q, &target, &mut error).unwrap();
            centre_of_mass(&model, wide, &q, &rest, &rest, &mut com).unwrap();
            poses.push(weigh(&error));
            centres.push(weigh(&com.position));
        }
        for (what, got, want) in [("frame", of_frame, poses), ("centre of mass", of_com, centres)] {
            assert_symmetric(&format!("{name}: {what}"), &got.qq, n);
            close(&format!("{name}: {what}"), &got.qq, &want, n);
        }
    }
}

/// The potential energy is −m g·c. Its Hessian is the derivative of its torques if joints have one degree of freedom.
#[test]
fn the_centre_of_mass_under_gravity_is_the_potential_energy() {
    let mut tried = 0;
    for (Case { name, model, x, .. }, _) in cases() {
        let ws = &mut Workspace::new(&model);
        let (mut of_com, mut of_torques) = (KinematicHessian::new(&model), IdDerivatives::new(&model));
        com_hessian(&model, ws, &x.q, &model.gravity().map(|g| -g * model.mass()), &mut of_com).unwrap();
        gravity_derivatives(&model, ws, &x.q, &mut of_torques).unwrap();
        close(&format!("{name}: gradient"), &of_com.dq, &of_torques.tau, 1);
        if model.joints().iter().all(|joint| joint.v.len() == 1) {
            close(&format!("{name}: Hessian"), &of_com.qq, &of_torques.dtau_dq, model.nv());
            tried += 1;
        }
    }
    assert!(tried > 2, "{tried}");
}

fn times(n: usize, m: &[f64], x: &[f64]) -> Vec<f64> {
    product(n, m, x)
}

/// Products in O(N), based on the vjp and not on the matrices.
#[test]
fn id_hvp_is_the_product_with_id_hessian() {
    for (Case { name, model, x, wrenches }, w) in cases() {
        let (n, ws, scene) = (model.nv(), &mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let [dq, dv, da] = [1, 2, 3].map(|seed| numbers(&mut Random::seeded(seed), n));
        let mut h = IdHessian::new(&model);
        id_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut h).unwrap();
        let [mut hq, mut hv, mut ha] = [(); 3].map(|()| vec![f64::NAN; n]);
        let (tangent, out) =
            (IdTangent { dq: &dq, dv: &dv, da: &da }, IdGradientMut { dq: &mut hq, dv: &mut hv, da: &mut ha });
        id_hvp(scene, ws, &x.q, &x.v, &x.a, &w, tangent, out).unwrap();
        let want = sum(&sum(&times(n, &h.qq, &dq), &times(n, &h.qv, &dv)), &times(n, &h.qa, &da));
        close(&format!("{name}: q"), &hq, &want, 1);
        let want = sum(&transposed_times(&h.qv, &dq), &times(n, &h.vv, &dv));
        close(&format!("{name}: v"), &hv, &want, 1);
        close(&format!("{name}: a"), &ha, &transposed_times(&h.qa, &dq), 1);
    }
}

#[test]
fn fd_hvp_is_the_product_with_fd_hessian() {
    for (Case { name, model, x, wrenches }, w) in cases() {
        let (n, ws, scene) = (model.nv(), &mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let [dq, dv, dtau] = [1, 2, 3].map(|seed| numbers(&mut Random::seeded(seed), n));
        let mut h = FdHessian::new(&model);
        fd_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut h).unwrap();
        let [mut hq, mut hv, mut ht] = [(); 3].map(|()| vec![f64::NAN; n]);
        let (tangent, out) =
            (FdTangent { dq: &dq, dv: &dv, dtau: &dtau }, FdGradientMut { dq: &mut hq, dv: &mut hv, dtau: &mut ht });
        fd_hvp(scene, ws, &x.q, &x.v, &x.a, &w, tangent, out).unwrap();
        let bound = rounding(scene, &x, &w, &h.qtau) * n as f64;
        let want = sum(&sum(&times(n, &h.qq, &dq), &times(n, &h.qv, &dv)), &times(n, &h.qtau, &dtau));
        within(&format!("{name}: q"), &hq, &want, 1, bound);
        let want = sum(&transposed_times(&h.qv, &dq), &times(n, &h.vv, &dv));
        within(&format!("{name}: v"), &hv, &want, 1, bound);
        within(&format!("{name}: τ"), &ht, &transposed_times(&h.qtau, &dq), 1, bound);
    }
}

/// Step through the robots: one in `n`, or all with DTAU_LONG.
fn every(n: usize) -> usize {
    if std::env::var_os("DTAU_LONG").is_some() { 1 } else { n }
}

/// Returns a tensor with two of its indices exchanged: (i, k, j).
fn exchanged(n: usize, tensor: &[f64]) -> Vec<f64> {
    (0..n * n * n).map(|at| tensor[at % n + n * (at / n / n + n * (at / n % n))]).collect()
}

/// Returns Σᵢ wᵢ T[i, j, k].
fn contracted(tensor: &[f64], w: &[f64]) -> Vec<f64> {
    transposed_times(tensor, w)
}

/// Two algorithms that share only the passes of ∂ID: triples, and pairs for one w.
#[test]
fn the_tensors_of_id_times_a_covector_are_the_hessian() {
    for (Case { name, model, x, wrenches }, w) in cases().into_iter().step_by(every(2)) {
        let (n, ws, scene) = (model.nv(), &mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let (mut t, mut h) = (IdSecondDerivatives::new(&model).unwrap(), IdHessian::new(&model));
        id_second_derivatives(scene, ws, &x.q, &x.v, &x.a, &mut t).unwrap();
        id_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut h).unwrap();
        for (what, t, h) in [("qq", &t.qq, &h.qq), ("qv", &t.qv, &h.qv), ("vv", &t.vv, &h.vv), ("qa", &t.qa, &h.qa)] {
            // Terms may be larger than their sum.
            let scale = largest(t).max(1.0) * n as f64;
            within(&format!("{name}: {what}"), &contracted(t, &w), h, n, TOLERANCE * scale);
        }
        assert_eq!(t.qq.to_vec(), exchanged(n, &t.qq), "{name}: qq is symmetric, bit for bit");
        assert_eq!(t.vv.to_vec(), exchanged(n, &t.vv), "{name}: vv is symmetric, bit for bit");
        // ∂M/∂q: M is symmetric in both.
        let m = |i: usize, j: usize, k: usize| t.qa[(i, j, k)];
        let swapped: Vec<f64> = (0..n * n * n).map(|at| m(at / n / n, at / n % n, at % n)).collect();
        close(&format!("{name}: ∂M/∂q"), &t.qa, &swapped, n);
    }
}

#[test]
fn the_tensors_of_id_are_those_of_hyper_dual_numbers() {
    for (Case { name, model, x, wrenches }, _) in cases().into_iter().step_by(19) {
        let (n, ws) = (model.nv(), &mut Workspace::new(&model));
        let mut t = IdSecondDerivatives::new(&model).unwrap();
        id_second_derivatives(model.scene().wrenches(&wrenches), ws, &x.q, &x.v, &x.a, &mut t).unwrap();
        let (pushes, ws) = (wrenches::lift::<HyperDual>(&wrenches), &mut Workspace::new(&model));
        let mut block = |first: &str, second: &str| -> Vec<f64> {
            let mut out = Vec::new();
            for (k, j) in (0..n).flat_map(|k| (0..n).map(move |j| (k, j))) {
                let [q, v, a] = moved_twice(&model, [&x.q, &x.v, &x.a], (first, j), (second, k));
                let mut tau = vec![HyperDual::zero(); n];
                rnea(model.scene().wrenches(&pushes), ws, &q, &v, &a, &mut tau).unwrap();
                out.extend(tau.iter().map(|tau| tau.e12));
            }
            out
        };
        close(&format!("{name}: qq"), &t.qq, &block("q", "q"), n);
        close(&format!("{name}: qv"), &t.qv, &block("q", "v"), n);
        close(&format!("{name}: vv"), &t.vv, &block("v", "v"), n);
        close(&format!("{name}: qa"), &t.qa, &block("q", "a"), n);
        assert!(block("v", "a").iter().chain(&block("a", "a")).all(|&x| x == 0.0), "{name}: the rest is zero");
    }
}

/// Only zeros already in place are not written.
#[test]
fn tensors_that_were_written_before_are_written_whole() {
    for (Case { name, model, x, wrenches }, _) in cases().into_iter().step_by(every(4)) {
        let (ws, scene) = (&mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let [mut fresh, mut again] = [(); 2].map(|()| IdSecondDerivatives::new(&model).unwrap());
        for tensor in [&mut fresh.qq, &mut fresh.qv, &mut fresh.vv, &mut fresh.qa] {
            tensor.fill(f64::NAN);
        }
        id_second_derivatives(scene, ws, &x.q, &x.v, &x.a, &mut fresh).unwrap();
        id_second_derivatives(&model, ws, &x.q, &x.a, &x.v, &mut again).unwrap();
        id_second_derivatives(scene, ws, &x.q, &x.v, &x.a, &mut again).unwrap();
        assert_eq!(fresh, again, "{name}");
    }
}

/// Same for FD, to M's condition. For some robots, also compared with hyper-dual numbers through `aba`.
#[test]
fn the_tensors_of_fd_times_a_covector_are_the_hessian() {
    for (at, (Case { name, model, x, wrenches }, w)) in cases().into_iter().enumerate().step_by(every(6)) {
        let (n, ws, scene) = (model.nv(), &mut Workspace::new(&model), model.scene().wrenches(&wrenches));
        let (mut t, mut h) = (FdSecondDerivatives::new(&model).unwrap(), FdHessian::new(&model));
        fd_second_derivatives(scene, ws, &x.q, &x.v, &x.a, &mut t).unwrap();
        fd_hessian(scene, ws, &x.q, &x.v, &x.a, &w, &mut h).unwrap();
        let bound = rounding(scene, &x, &w, &h.qtau);
        let tensors = [("qq", &t.qq, &h.qq), ("qv", &t.qv, &h.qv), ("vv", &t.vv, &h.vv), ("qτ", &t.qtau, &h.qtau)];
        for (what, t, h) in tensors {
            let bound = bound.max(TOLERANCE * n as f64 * largest(t));
            within(&format!("{name}: {what}"), &contracted(t, &w), h, n, bound);
        }
        assert_eq!(t.qq.to_vec(), exchanged(n, &t.qq), "{name}: qq is symmetric, bit for bit");
        assert_eq!(t.vv.to_vec(), exchanged(n, &t.vv), "{name}: vv is symmetric, bit for bit");
        if at % 24 != 0 {
            continue;
        }
        let (pushes, ws) = (wrenches::lift::<HyperDual>(&wrenches), &mut Workspace::new(&model));
        for (what, t, first, second) in
            [("qq", &t.qq, "q", "q"), ("qv", &t.qv, "q", "v"), ("vv", &t.vv, "v", "v"), ("qτ", &t.qtau, "q", "a")]
        {
            let mut want = Vec::new();
            for (k, j) in (0..n).flat_map(|k| (0..n).map(move |j| (k, j))) {
                let [q, v, tau] = moved_twice(&model, [&x.q, &x.v, &x.a], (first, j), (second, k));
                let mut qdd = vec![HyperDual::zero(); n];
                aba(model.scene().wrenches(&pushes), ws, &q, &v, &tau, &mut qdd).unwrap();
                want.extend(qdd.iter().map(|qdd| qdd.e12));
            }
            let bound = bound.max(TOLERANCE * n as f64 * largest(t));
            within(&format!("{name}: {what} by hyper-dual numbers"), t, &want, n, bound);
        }
    }
}

/// Counted products of a chain of n. The passes are linear in n, so differences isolate the formulas for
/// pairs and triples. ∂ID has 36 multiply-adds for each of n²/2 pairs, the Hessian 48. The tensors have 30
/// for each triple of each kind, r < e < c, e < r < c and e < c < r, and there are n³/6 triples.
#[cfg(feature = "std")]
#[test]
fn operations_are_those_of_the_formulas() {
    use dtau::scalar::{Counted, Operations};
    let step = 4;
    let count = |n: usize| -> [i64; 3] {
        let model = Model::build(&dtau::model::generate::chain(n), &Default::default()).unwrap();
        let (ws, x) = (&mut Workspace::<Counted>::new(&model), vec![Counted(0.5); n]);
        let (mut first, mut hessian) = (IdDerivatives::new(&model), IdHessian::new(&model));
        let mut tensors = IdSecondDerivatives::new(&model).unwrap();
        let products = |o: Operations| (o.mul_adds + o.muls) as i64;
        [
            products(Operations::of(|| id_derivatives(&model, ws, &x, &x, &x, &mut first).unwrap())),
            products(Operations::of(|| id_hessian(&model, ws, &x, &x, &x, &x, &mut hessian).unwrap())),
            products(Operations::of(|| id_second_derivatives(&model, ws, &x, &x, &x, &mut tensors).unwrap())),
        ]
    };
    let counts: Vec<[i64; 3]> = (1..=4).map(|k| count(k * step)).collect();
    let (h, at) = (step as i64, |k: usize, of: usize| counts[k][of]);
    let second = |of| (at(3, of) - 2 * at(2, of) + at(1, of)) as f64 / (h * h) as f64;
    let third = (at(3, 2) - 3 * at(2, 2) + 3 * at(1, 2) - at(0, 2)) as f64 / (h * h * h) as f64;
    for (name, of) in [("id_derivatives", 0), ("id_hessian", 1), ("id_second_derivatives", 2)] {
        println!(
            "{name}: {:?} products for chains of {:?}",
            counts.iter().map(|c| c[of]).collect::<Vec<_>>(),
            [4, 8, 12, 16]
        );
    }
    println!("a pair: {}, {}; n³/6 triples: {}", second(0), second(1), third);
    assert_eq!((second(0), second(1)), (36.0 + 6.0, 48.0 + 3.0)); // M and vv are computed on both sides of the diagonal
    assert_eq!(third, 30.0 + 30.0 + 30.0);
}
