//! The papers' tables of methods, with measured speed and accuracy; and their abbreviations.

use crate::figure::titled;
use crate::figure::{Content, Verdict, deciding_error};
use crate::lab::{Lab, Subject};
use crate::robots::Named;
use crate::sweep::Ratio;
use crate::work::Work;
use dtau::Matrix;
use dtau_cli::clock::{Timing, text};
use dtau_cli::dense::row_sizes;
use dtau_cli::product::Instructions;
use dtau_cli::table::Cell;
use dtau_methods::list::{Method, Quantity, find};

/// A row of a table of the papers: its text, and the corresponding methods of the list.
struct Kind {
    name: &'static str,
    speed: &'static str,
    accuracy: &'static str,
    methods: &'static [&'static str],
}

// Rows of both tables.
const FINITE_DIFFERENCE: Kind = Kind {
    name: "Finite difference",
    speed: "medium",
    accuracy: "low",
    methods: &["forward-difference", "central-difference"],
};
const COMPLEX_STEP: Kind =
    Kind { name: "Complex step", speed: "slow/medium", accuracy: "high", methods: &["complex-step"] };
const AUTOMATIC: Kind =
    Kind { name: "Automatic differentiation", speed: "slow/medium", accuracy: "high", methods: &["dual-numbers"] };
const CHAIN_RULE: Kind =
    Kind { name: "Analytical chain rule", speed: "medium", accuracy: "high", methods: &["rneacr", "abacr", "fdcr"] };

const SINGH21: [Kind; 5] = [
    FINITE_DIFFERENCE,
    COMPLEX_STEP,
    AUTOMATIC,
    Kind {
        name: "Analytical Lagrangian",
        speed: "medium/fast; the paper's own: fast",
        accuracy: "high",
        methods: &["lagrangian", "idsva-single-dof", "idsva-printed", "fdsva-dmm", "fdsva-aza"],
    },
    CHAIN_RULE,
];

const SINGH22: [Kind; 5] = [
    FINITE_DIFFERENCE,
    COMPLEX_STEP,
    AUTOMATIC,
    CHAIN_RULE,
    Kind {
        name: "Special-purpose analytical",
        speed: "medium/fast",
        accuracy: "high",
        methods: &["pinocchio-style", "idsva-printed", "fdsva-dmm", "fdsva-aza", "response", "idsva", "fdsva"],
    },
];

/// [Singh21] Table I.
pub fn singh21(lab: &mut Lab<'_>) -> Result<Content, String> {
    table(lab, &SINGH21)
}

/// [Singh22] Table I.
pub fn singh22(lab: &mut Lab<'_>) -> Result<Content, String> {
    table(lab, &SINGH22)
}

/// Measurements of a method.
struct Line {
    kind: usize,
    method: &'static Method,
    time: Timing,
    error: f64,
}

fn table(lab: &mut Lab<'_>, kinds: &[Kind]) -> Result<Content, String> {
    let subject = lab.robot(Named::Atlas)?;
    let mut content = Content::default();
    for (share, quantity, title) in
        [(0.0, Quantity::IdDerivatives, "Derivatives of ID"), (0.5, Quantity::FdDerivatives, "Derivatives of FD")]
    {
        lab.at(title, share);
        let lines = measure(lab, &subject, kinds, quantity)?;
        let fastest = lines.iter().map(|line| line.time.min).fold(f64::MAX, f64::min);
        let columns = ["method", "least", "× fastest", "error", "mean", "paper's kind", "paper: speed", "accuracy"];
        let mut table = titled(&format!("{title}, {}", subject.name), &columns);
        for line in &lines {
            let kind = &kinds[line.kind];
            let number = |text: String, x: f64| Cell::number(text, x);
            table.row([
                line.method.name.into(),
                number(text(line.time.min), line.time.min),
                number(format!("{:.1}", line.time.min / fastest), line.time.min / fastest),
                number(format!("{:.0e}", line.error), line.error),
                number(text(line.time.mean), line.time.mean),
                kind.name.into(),
                kind.speed.into(),
                kind.accuracy.into(),
            ]);
        }
        verdicts(&mut content, &lines, kinds, title);
        content.tables.push(table);
    }
    subject.note.iter().for_each(|note| content.note(note.clone()));
    content.note(
        "Error: the largest difference of an entry from complex step, relative to the largest entry of its row; complex step \
         itself against dual numbers. How hard a method is to write is not measured.",
    );
    content.note("idsva and fdsva are the library, on the best instructions; finite differences, complex step and dual numbers call it too.");
    Ok(content)
}

fn measure(lab: &mut Lab<'_>, subject: &Subject, kinds: &[Kind], quantity: Quantity) -> Result<Vec<Line>, String> {
    let chosen: Vec<(usize, &'static Method)> = kinds
        .iter()
        .enumerate()
        .flat_map(|(k, kind)| kind.methods.iter().filter_map(move |name| Some((k, find(quantity, name)?))))
        .filter(|(_, method)| method.accepts(&subject.model).is_ok())
        .collect();
    let works: Vec<Work> = chosen.iter().map(|(_, method)| Work::listed(method, Instructions::Best)).collect();
    let times = lab.times(subject, &works)?;
    let mut lines = Vec::new();
    for ((kind, method), time) in chosen.into_iter().zip(times) {
        let oracle = if method.name == "complex-step" { "dual-numbers" } else { "complex-step" };
        let oracle = find(quantity, oracle).ok_or("no oracle")?;
        let (got, want) = (jacobians(method, subject)?, jacobians(oracle, subject)?);
        let error = got.iter().zip(&want).map(|(got, want)| row_error(got, want)).fold(0.0, f64::max);
        lines.push(Line { kind, method, time, error });
    }
    Ok(lines)
}

/// ∂/∂q and ∂/∂q̇ at the first state.
fn jacobians(method: &Method, subject: &Subject) -> Result<[Matrix<f64>; 2], String> {
    let (scene, x) = (subject.scene(), &subject.samples[0]);
    if method.quantity == Quantity::IdDerivatives {
        let d = method.id_derivatives(&scene, &x.q, &x.v, &x.a).map_err(|refused| refused.to_string())?;
        return Ok([d.dtau_dq, d.dtau_dv]);
    }
    let d = method.fd_derivatives(&scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string())?;
    Ok([d.dqdd_dq, d.dqdd_dv])
}

fn row_error(got: &Matrix<f64>, want: &Matrix<f64>) -> f64 {
    let sizes = row_sizes(want);
    let (got, want): (&[f64], &[f64]) = (got, want);
    let error = |k: usize| (got[k] - want[k]).abs() / sizes[k % sizes.len()].max(f64::MIN_POSITIVE);
    (0..want.len()).filter(|&k| got[k] != want[k]).map(error).fold(0.0, f64::max)
}

fn verdicts(content: &mut Content, lines: &[Line], kinds: &[Kind], title: &str) {
    let low: Vec<&Line> = lines.iter().filter(|line| kinds[line.kind].accuracy == "low").collect();
    let high: Vec<&Line> = lines.iter().filter(|line| kinds[line.kind].accuracy == "high").collect();
    let (least_low, most_high) = (
        low.iter().map(|line| line.error).fold(f64::MAX, f64::min),
        high.iter().map(|line| line.error).fold(0.0, f64::max),
    );
    content.claim(
        &format!("{title}: finite differences are of low accuracy, everything else of high."),
        format!(
            "Finite differences lose at least {} of a row, the others at most {}.",
            deciding_error(least_low, &[most_high]),
            deciding_error(most_high, &[least_low])
        ),
        Verdict::of(least_low > most_high),
    );
    let fastest = |analytical: bool| {
        let mine = lines.iter().filter(|line| kinds[line.kind].name.contains("nalytical") == analytical);
        mine.map(|line| &line.time).min_by(|a, b| a.min.total_cmp(&b.min))
    };
    let (Some(a), Some(b)) = (fastest(true), fastest(false)) else { return };
    let ratio = Ratio::of(b, a);
    content.claim(
        &format!("{title}: analytical methods are the fastest."),
        format!("The fastest of them takes {}, the fastest of the others {}: {ratio}.", text(a.min), text(b.min)),
        ratio.faster(),
    );
}

/// Table II of both papers: the abbreviations and their methods here.
pub fn abbreviations(_: &mut Lab<'_>) -> Result<Content, String> {
    let rows: [(&str, Quantity, &str); 9] = [
        ("RNEACR", Quantity::IdDerivatives, "rneacr"),
        ("Pinocchio ID Derivs", Quantity::IdDerivatives, "pinocchio-style"),
        ("IDSVA ([Singh21])", Quantity::IdDerivatives, "idsva-single-dof"),
        ("IDSVA ([Singh22])", Quantity::IdDerivatives, "idsva-printed"),
        ("ABACR", Quantity::FdDerivatives, "abacr"),
        ("FDCR", Quantity::FdDerivatives, "fdcr"),
        ("Pinocchio FD Derivs", Quantity::FdDerivatives, "pinocchio-style"),
        ("FDSVA with DMM", Quantity::FdDerivatives, "fdsva-dmm"),
        ("FDSVA with AZA", Quantity::FdDerivatives, "fdsva-aza"),
    ];
    let mut table = titled("", &["paper", "in the list of methods", "how", "cost", "source"]);
    for (paper, quantity, name) in rows {
        let method = find(quantity, name).ok_or("the list of methods has changed")?;
        table.row([paper, method.name, method.how, method.cost, method.source].map(Cell::from));
    }
    for (name, how) in [
        ("IPR", "∂FD = −M⁻¹ ∂ID, the relation between the two"),
        ("DMM", "IPR as a product of dense matrices"),
        ("AZA", "IPR, a column at a time, as ABA at rest without gravity"),
    ] {
        table.row([name, "", how, "", ""].map(Cell::from));
    }
    Ok(Content { tables: vec![table], ..Content::default() })
}

/// Figures that are drawings: they have no measurements.
pub fn drawing(_: &mut Lab<'_>) -> Result<Content, String> {
    let mut content = Content::default();
    content.note(
        "A drawing of the notation; nothing is measured in it. docs/notation.md has the symbols as the code uses them.",
    );
    Ok(content)
}
