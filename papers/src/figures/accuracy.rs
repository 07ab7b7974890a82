//! Accuracy of the derivatives of forward dynamics on chains, against complex step.

use crate::figure::titled;
use crate::figure::{Content, Verdict, deciding, deciding_error};
use crate::lab::Lab;
use crate::plot::{Axis, Lines, Plot, Point, Series, Stroke, Unit};
use crate::sweep::log_log_fit;
use dtau::Matrix;
use dtau_cli::dense::row_sizes;
use dtau_cli::table::Cell;
use dtau_methods::list::{Quantity, find};

/// The methods, by their names in the papers and in the list, with the papers' errors at N = 100.
const METHODS: [(&str, &str, f64); 6] = [
    ("ABACR", "abacr", 1e-13),
    ("FDCR", "fdcr", 1e-12),
    ("FDSVA by DMM", "fdsva-dmm", 1e-12),
    ("FDSVA by AZA", "fdsva-aza", 1e-12),
    ("response form", "response", f64::NAN),
    ("dtau", "fdsva", f64::NAN),
];

/// Root mean squares over all entries of ∂q̈/∂q and ∂q̈/∂q̇.
struct Errors {
    /// RMS of the error relative to the entry itself.
    by_term: f64,
    /// RMS of the error relative to the largest entry of the row.
    by_row: f64,
}

/// Errors of every method on a chain of `n` links.
fn errors(lab: &mut Lab<'_>, n: usize, states: usize) -> Result<Vec<Errors>, String> {
    let subject = lab.tree(n, 1)?;
    let scene = subject.scene();
    let oracle = find(Quantity::FdDerivatives, "complex-step").ok_or("no oracle")?;
    let mut sums = [[0.0f64; 3]; METHODS.len()];
    for x in &subject.samples[..states] {
        let want = oracle.fd_derivatives(&scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string())?;
        for ((_, name, _), sums) in METHODS.iter().zip(&mut sums) {
            let method = find(Quantity::FdDerivatives, name).ok_or("no such method")?;
            let got = method.fd_derivatives(&scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string())?;
            add(sums, &got.dqdd_dq, &want.dqdd_dq);
            add(sums, &got.dqdd_dv, &want.dqdd_dv);
        }
    }
    let root = |[by_term, by_row, count]: [f64; 3]| Errors {
        by_term: (by_term / count).sqrt(),
        by_row: (by_row / count).sqrt(),
    };
    Ok(sums.map(root).into())
}

fn add([by_term, by_row, count]: &mut [f64; 3], got: &Matrix<f64>, want: &Matrix<f64>) {
    let sizes = row_sizes(want);
    for j in 0..want.columns() {
        for i in (0..want.rows()).filter(|&i| want[(i, j)] != 0.0) {
            let difference = got[(i, j)] - want[(i, j)];
            *by_term += (difference / want[(i, j)]).powi(2);
            *by_row += (difference / sizes[i]).powi(2);
            *count += 1.0;
        }
    }
}

/// [Singh21] §VI-B, [Singh22] §V-A: the accuracy statement.
pub fn at_100(lab: &mut Lab<'_>) -> Result<Content, String> {
    let n = if lab.settings.sizes.contains(&100) { 100 } else { lab.settings.sizes.last().copied().unwrap_or(2) };
    lab.at(&format!("{n} links"), 0.0);
    let measured = errors(lab, n, 2)?;
    let columns = ["method", "paper, rms", "rms, term by term", "rms, relative to the row"];
    let mut table = titled(&format!("Errors against complex step, chain of {n} links"), &columns);
    let mut content = Content::default();
    for ((name, _, paper), Errors { by_term, by_row }) in METHODS.iter().zip(&measured) {
        let number = |x: f64| Cell::number(format!("{x:.1e}"), x);
        let said = if paper.is_nan() { "".into() } else { number(*paper) };
        table.row([(*name).into(), said, number(*by_term), number(*by_row)]);
        if !paper.is_nan() && n == 100 {
            let term = deciding_error(*by_term, &[10.0 * paper]);
            content.claim(
                &format!("{name}: term-by-term rms relative error of {paper:.0e} at N = 100."),
                format!("{term} term by term; {by_row:.0e} relative to the largest entry of the row."),
                Verdict::of(*by_term <= 10.0 * paper),
            );
        }
    }
    if n == 100 {
        let of_paper = METHODS.iter().zip(&measured).filter(|((_, _, paper), _)| !paper.is_nan());
        let said: Vec<String> = of_paper
            .clone()
            .map(|((name, _, paper), errors)| format!("{name} {}", deciding_error(errors.by_row, &[10.0 * paper])))
            .collect();
        content.claim(
            "The same errors, 1e-13 for ABACR and about 1e-12 for FDSVA and FDCR, if they are meant relative to the row.",
            format!("{}.", said.join(", ")),
            Verdict::of(of_paper.clone().all(|((_, _, paper), errors)| errors.by_row <= 10.0 * paper)),
        );
    }
    content.tables = vec![table];
    content.note(
        "Reproduced where the error is at most ten times the paper's. Term by term, entries that are tiny because large terms \
         cancel count as much as the others, though no method in double precision, complex step included, has digits of them: \
         on a chain, derivatives by far links are many orders of magnitude below those by near ones. Relative to the row, \
         the number says how much of the result is right.",
    );
    Ok(content)
}

/// [Singh22] §V-A: the growth of the error with N.
pub fn growth(lab: &mut Lab<'_>) -> Result<Content, String> {
    let largest = if lab.settings.full { 200 } else { 100 };
    let sizes: Vec<usize> = lab.settings.sizes.iter().copied().filter(|&n| n <= largest).collect();
    let mut curves: Vec<Vec<(f64, Errors)>> = METHODS.iter().map(|_| Vec::new()).collect();
    for &n in &sizes {
        lab.at(&format!("{n} links"), (n as f64 / largest as f64).powi(2));
        let states = if n <= 50 { 4 } else { 2 };
        for (curve, errors) in curves.iter_mut().zip(errors(lab, n, states)?) {
            curve.push((n as f64, errors));
        }
    }
    let mut content = Content::default();
    let words = "The rms relative error of all methods grows linearly with the degrees of freedom on a log–log scale.";
    let mut fits = Vec::new();
    for ((name, _, paper), curve) in METHODS.iter().zip(&curves) {
        let points: Vec<_> = curve.iter().map(|(n, errors)| (*n, errors.by_row)).filter(|(_, e)| *e > 0.0).collect();
        if points.len() >= 3 && !paper.is_nan() {
            let (slope, correlation) = log_log_fit(&points);
            fits.push((name, slope, correlation));
        }
    }
    if !fits.is_empty() {
        let all: Vec<_> = fits
            .iter()
            .map(|(name, slope, r)| format!("{name}: N^{slope:.1}, correlation {}", deciding(*r, &[0.9, 1.0])))
            .collect();
        let holds = fits.iter().all(|(_, slope, correlation)| *correlation >= 0.9 && *slope > 0.0);
        content.claim(words, format!("{}.", all.join("; ")), Verdict::of(holds));
    }
    let plot = |title: &str, pick: fn(&Errors) -> f64| {
        let series = METHODS.iter().zip(&curves).enumerate().map(|(k, ((name, ..), curve))| Series {
            name: (*name).into(),
            hue: [0, 3, 1, 4, 5, 2][k], // each method has the same colour in all figures
            dash: Stroke::Solid,
            points: curve.iter().map(|(n, errors)| Point::new(*n, pick(errors))).collect(),
        });
        Plot::Lines(Lines {
            title: title.into(),
            x: Axis::log("number of links N", Unit::Number),
            y: Axis::log("rms relative error", Unit::Power),
            series: series.collect(),
            marks: vec![],
            reach: None,
        })
    };
    content.plots = vec![
        plot("Error relative to the largest entry of its row", |errors| errors.by_row),
        plot("Error relative to the entry itself", |errors| errors.by_term),
    ];
    content.note("Reproduced if the correlation of log error and log N is at least 0.9 for every method of the paper, relative to the row.");
    Ok(content)
}
