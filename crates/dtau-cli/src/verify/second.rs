//! Second derivatives compared with complex steps of the first ones, and with each other.
//!
//! Let δ = (δq, δq̇, δx) be a direction of the state, x being q̈ or τ. The derivative of a gradient wᵀ∂f
//! along δ is N δ, and that of ∂f δ is δᵀ∂²f δ. Errors of sums are in units of their largest term; for
//! solutions with M, times the condition of M.

use super::Line;
use super::scale::{Condition, Worst};
use super::size::Sizes;
use super::values::{ComplexStep, Values};
use crate::dense::{matrix, row_sizes};
use crate::names::dof_names;
use crate::sample::Sample;
use dtau::{Error, ErrorKind, Matrix, Scene};

/// Inverse dynamics, then forward dynamics: each claim, and its meaning in words.
const CLAIMS: [[(&str, &str); 4]; 2] = [
    [
        ("∂(wᵀ∂τ) δ", "id_vjp_derivatives, by complex step of id_vjp"),
        ("½ (N + Nᵀ) = ∂²(wᵀτ)", "id_hessian is the symmetric part of that"),
        ("∂²(wᵀτ) δ = id_hvp(δ)", "products without the matrices"),
        ("δᵀ ∂²τ δ", "id_second_derivatives, by complex step of id_derivatives"),
    ],
    [
        ("∂(wᵀ∂q̈) δ", "fd_vjp_derivatives, by complex step of fd_vjp"),
        ("½ (N + Nᵀ) = ∂²(wᵀq̈)", "fd_hessian is the symmetric part of that"),
        ("∂²(wᵀq̈) δ = fd_hvp(δ)", "products without the matrices"),
        ("δᵀ ∂²q̈ δ", "fd_second_derivatives, by complex step of fd_derivatives"),
    ],
];

/// The functions of both, in the same order; the last one is differentiated for the tensors.
const FUNCTIONS: [[&str; 6]; 2] = [
    ["id_vjp_derivatives", "id_hessian", "id_hvp", "id_second_derivatives", "id_vjp", "id_derivatives"],
    ["fd_vjp_derivatives", "fd_hessian", "fd_hvp", "fd_second_derivatives", "fd_vjp", "fd_derivatives"],
];

/// Tensors of larger robots are not computed here: they have nv³ numbers.
const MOST_DOFS: usize = 100;

/// Checks all of them; returns the worst over the samples.
pub fn check(scene: Scene<'_, f64>, samples: &[Sample]) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for (claims, functions) in CLAIMS.iter().zip(&FUNCTIONS) {
        let (mut worst, mut why): ([Worst; 4], [Option<String>; 4]) = Default::default();
        for (state, x) in samples.iter().enumerate() {
            match trial(scene, x, state, functions, claims, &mut worst) {
                Err(error) if error.kind() == ErrorKind::Singular => why.fill(Some(error.to_string())),
                other => other?,
            }
        }
        if scene.model.nv() > MOST_DOFS {
            why[3].get_or_insert(format!("more than {MOST_DOFS} degrees of freedom; nv³ numbers would be many"));
        }
        for ((&(claim, what), worst), why) in claims.iter().zip(worst).zip(why) {
            let why = why.filter(|_| worst.entry.is_none());
            lines.push(Line::new(claim, what.into(), worst, why));
        }
    }
    Ok(lines)
}

fn trial(
    scene: Scene<'_, f64>,
    x: &Sample,
    state: usize,
    functions: &[&str; 6],
    claims: &[(&'static str, &str); 4],
    worst: &mut [Worst; 4],
) -> Result<(), Error> {
    let (model, forward) = (scene.model, functions[5] == "fd_derivatives");
    let (n, names, third) = (model.nv(), dof_names(model), if forward { &x.tau } else { &x.a });
    // Directions and the covector: numbers of the size of a state, with general values.
    let (w, d) = (&x.v, [&x.v, &x.a, &x.v]);
    let point = [&x.q[..], &x.v, third];
    let factor = if forward { condition(scene, x)? } else { 1.0 };

    let call = |name: &str, x: &[&[f64]]| Values::named(name, scene, x).map(|values| values.all);
    let step =
        |name: &str, x: &[&[f64]]| ComplexStep::new(&scene).along(dtau::function(name)?, x, &d.map(|d| Some(&d[..])));
    let jacobian = call(functions[0], &[&point[..], &[w]].concat())?;
    let hessian = call(functions[1], &[&point[..], &[w]].concat())?;
    let along = call(functions[2], &[&point[..], &[w], &d.map(|d| &d[..])].concat())?;
    let stepped = step(functions[4], &[&point[..], &[w]].concat())?;

    let (n_d, sizes) = products(&jacobian, d);
    let (h_d, _) = products(&hessian, d);
    for part in 0..3 {
        let unit = vec![factor * largest(&sizes[part]); 1];
        let one = |x: &[f64]| matrix(1, x);
        worst[0].compare(claims[0].0, state, &one(&n_d[part]), &one(&stepped[part]), &unit, &names);
        worst[2].compare(claims[2].0, state, &one(&along[part]), &one(&h_d[part]), &unit, &names);
    }
    let qq = &jacobian[3];
    let mut mean = Matrix::zeros(n, n);
    for k in 0..n * n {
        mean[(k % n, k / n)] = 0.5 * (qq[(k % n, k / n)] + qq[(k / n, k % n)]);
    }
    let unit = vec![factor * largest(&row_sizes(qq)); n];
    worst[1].compare(claims[1].0, state, &hessian[3], &mean, &unit, &names);

    if n <= MOST_DOFS {
        let tensors = call(functions[3], &point)?;
        let stepped = step(functions[5], &point)?;
        // The value comes first in both, then the matrices.
        let want: Vec<f64> = (0..n)
            .map(|i| (0..3).map(|m| (0..n).map(|j| stepped[1 + m][j * n + i] * d[m][j]).sum::<f64>()).sum())
            .collect();
        let (got, sizes) = squares(n, &tensors, d);
        let unit = vec![factor * largest(&sizes); n];
        worst[3].compare(claims[3].0, state, &matrix(n, &got), &matrix(n, &want), &unit, &names);
    }
    Ok(())
}

/// The blocks [qq qv qx; qvᵀ vv 0; qxᵀ 0 0] times d, and the sizes of the terms. A Hessian's outputs begin
/// with the gradient.
fn products(y: &[Matrix<f64>], [q, v, x]: [&Vec<f64>; 3]) -> ([Vec<f64>; 3], [Vec<f64>; 3]) {
    let n = q.len();
    let (qq, qv, vv, qx) = (&y[3], &y[4], &y[5], &y[6]);
    let rows = |terms: &[(&Matrix<f64>, bool, &Vec<f64>)], sized: bool| -> Vec<f64> {
        let entry = |m: &Matrix<f64>, across: bool, i: usize, j: usize| if across { m[(j, i)] } else { m[(i, j)] };
        let term = |(m, across, d): &(&Matrix<f64>, bool, &Vec<f64>), i: usize| -> f64 {
            (0..n).map(|j| entry(m, *across, i, j) * d[j]).map(|x| if sized { x.abs() } else { x }).sum()
        };
        (0..n).map(|i| terms.iter().map(|t| term(t, i)).sum()).collect()
    };
    let terms =
        [&[(qq, false, q), (qv, false, v), (qx, false, x)][..], &[(qv, true, q), (vv, false, v)], &[(qx, true, q)]];
    (terms.map(|t| rows(t, false)), terms.map(|t| rows(t, true)))
}

/// δᵀ ∂²f δ of tensors qq, qv, vv, qx, and the sizes of the terms.
fn squares(n: usize, y: &[Matrix<f64>], [q, v, x]: [&Vec<f64>; 3]) -> (Vec<f64>, Vec<f64>) {
    let terms = [(&y[0], q, q, 1.0), (&y[1], q, v, 2.0), (&y[2], v, v, 1.0), (&y[3], q, x, 2.0)];
    let (mut sums, mut sizes) = (vec![0.0; n], vec![0.0; n]);
    for (tensor, a, b, times) in terms {
        for (jk, column) in tensor.chunks_exact(n).enumerate() {
            let factor = times * a[jk % n] * b[jk / n];
            for (i, entry) in column.iter().enumerate() {
                sums[i] += entry * factor;
                sizes[i] += (entry * factor).abs();
            }
        }
    }
    (sums, sizes)
}

/// The largest row sum of |M⁻¹| |M|: the relative effect on a solution of rounding M once.
fn condition(scene: Scene<'_, f64>, x: &Sample) -> Result<f64, Error> {
    let [m, minv] = ["crba", "minverse"].map(|name| Values::named(name, scene, &[&x.q]));
    let (m, minv) = (m?.all.remove(0), minv?.all.remove(0));
    let both = Condition::new(&m, &minv, &Sizes::of(&scene, x)?.inertia).both;
    let sums = (0..both.rows()).map(|i| (0..both.columns()).map(|j| both[(i, j)]).sum());
    Ok(sums.fold(1.0, f64::max))
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()))
}
