//! M⁻¹ and ∂FD: every method against the others, against complex step and against dual numbers.

mod support;

use dtau::model::generate::random_tree;
use dtau::model::Root;
use dtau::scalar::Real;
use dtau_methods::*;
use support::*;

fn inverse_methods<T: Real>() -> [(&'static str, InverseMethod<T>); 4] {
    [
        ("dedicated", inverse_dedicated),
        ("cholesky", inverse_cholesky),
        ("aza", inverse_aza),
        ("dense", inverse_dense),
    ]
}

fn fd_methods<T: Real>() -> Vec<(&'static str, FdMethod<T>)> {
    vec![
        ("abacr", abacr),
        ("fdsva_dmm", fdsva_dmm),
        ("fdsva_aza", fdsva_aza),
        ("fdsva_ltdl", fdsva_ltdl),
        ("response", response),
    ]
}

/// Every kind of joint, branched, fixed and floating.
fn cases() -> impl Iterator<Item = Case> {
    (0..16).map(|seed| {
        let root = if seed % 2 == 0 { Root::Fixed } else { Root::Floating };
        Case::new(&random_tree(seed, 10), root, seed)
    })
}

/// How much a comparison may differ, in units of the largest magnitude of the row.
///
/// What all methods have in common is a solution with M. Rounding the entries of M once, by ε, moves it by ε κ at worst,
/// κ = ‖|M⁻¹||M|‖∞; a method rounds a few times a body on the way. So 10 N ε κ, and 1e-12 κ is never reached.
fn tolerance(case: &Case) -> f64 {
    (10.0 * case.nv() as f64 * f64::EPSILON).min(1e-12) * case.condition()
}

#[test]
fn probe() {
    for case in cases() {
        let n = case.nv();
        let kappa = case.condition();
        let oracle = case.by_complex_step();
        for (name, method) in fd_methods::<f64>() {
            let got = case.derivatives(method);
            for ((what, g), (_, w)) in got.named().into_iter().zip(oracle.named()) {
                let s = row_scales(n, w);
                if case.name.contains("seed 10") && what == "ddq_dv" {
                    for i in 0..n { if s[i] < 1e-12 {
                        let b = case.model.tree().dofs[i].body;
                        println!("ROW {i} {b} {:?} {:?}", &case.model.tree().bodies[b], (0..n).map(|j| g[j*n+i]).collect::<Vec<_>>());
                        for (j,b) in case.model.tree().bodies.iter().enumerate() { println!("BODY {j} {} {:?} {:?}", b.parent, b.v, b.joint); }
                    } }
                }
                let e = (0..g.len()).map(|k| (g[k] - w[k]).abs() / s[k % n].max(1e-300)).fold(0.0, f64::max);
                println!("{} n {n} kappa {kappa:.1e} {name} {what}: {e:.1e} = {:.2} eps kappa", case.name, e / kappa / f64::EPSILON);
            }
        }
        let _ = tolerance(&case);
    }
}
