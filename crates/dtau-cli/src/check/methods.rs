//! Every method of the list against complex step.

use super::names::dof_names;
use super::scale::{self, Condition, Entry, Worst};
use super::size::Sizes;
use crate::product::Instructions;
use crate::progress::Progress;
use crate::sample::Sample;
use crate::timing::{self, Budget, Timing};
use crate::work::Work;
use dtau::{FdDerivatives, IdDerivatives, Matrix, Scene};
use dtau_methods::list::{Method, Quantity};
use serde::Serialize;

/// A method on this robot.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub quantity: &'static str,
    pub method: &'static str,
    pub source: &'static str,
    pub exact: bool,
    pub verdict: Verdict,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The largest error of an entry; the oracle has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// That entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Entry>,
    /// Times of one call \[ns\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timing>,
    /// Times the time of the library's own method, by the least of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within tolerance.
    Ok,
    /// Out of it.
    Failed,
    /// A method that is not exact: shown, not judged.
    Inexact,
    /// What the others are compared with.
    Oracle,
    /// It does not take this robot.
    NotForThis,
}

/// The quantities, in the order of the report.
pub const QUANTITIES: [(Quantity, &str, &str); 3] = [
    (Quantity::IdDerivatives, "id_derivatives", "∂τ/∂(q, q̇, q̈)"),
    (Quantity::FdDerivatives, "fd_derivatives", "∂q̈/∂(q, q̇, τ)"),
    (Quantity::MassInverse, "minverse", "M⁻¹"),
];

const ORACLE: &str = "complex-step";

/// What everything is compared with, at one state, and the units of the errors.
struct Truth {
    id: IdDerivatives<f64>,
    id_scales: [Vec<f64>; 3],
    /// None where a body has no inertia along its joint; with the reason.
    fd: Result<(FdDerivatives<f64>, [Vec<f64>; 3]), String>,
}

impl Truth {
    fn of(scene: &Scene<'_, f64>, x: &Sample, oracles: &Oracles) -> Result<Self, String> {
        let id = oracles.id.id_derivatives(scene, &x.q, &x.v, &x.a).map_err(|refused| refused.to_string())?;
        let added = Sizes::of(scene, x).map_err(|error| error.to_string())?;
        let id_scales = id_units(&id, &added);
        let fd = oracles.fd.fd_derivatives(scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string());
        let fd = fd.map(|fd| {
            let scales = fd_units(&id, &fd, &added);
            (fd, scales)
        });
        Ok(Self { id, id_scales, fd })
    }
}

/// The units of errors of ∂τ/∂q, ∂τ/∂q̇ and M, by row.
pub fn id_units(id: &IdDerivatives<f64>, added: &Sizes) -> [Vec<f64>; 3] {
    [
        scale::of_rows(&id.dtau_dq, &added.torque),
        scale::of_rows(&id.dtau_dv, &added.damping),
        scale::of_rows(&id.dtau_da, &added.inertia_rows),
    ]
}

/// Those of ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹.
pub fn fd_units(id: &IdDerivatives<f64>, fd: &FdDerivatives<f64>, added: &Sizes) -> [Vec<f64>; 3] {
    let condition = Condition::new(&id.dtau_da, &fd.dqdd_dtau, &added.inertia);
    let nothing = vec![0.0; added.torque.len()];
    let units = [(&fd.dqdd_dq, &added.torque), (&fd.dqdd_dv, &added.damping), (&fd.dqdd_dtau, &nothing)];
    units.map(|(want, added)| scale::of_solutions(&condition, want, added))
}

struct Oracles {
    id: &'static Method,
    fd: &'static Method,
}

/// Compares and times every method of a list.
pub fn check(
    methods: &[&'static Method],
    scene: Scene<'_, f64>,
    samples: &[Sample],
    budget: Budget,
    progress: &mut Progress,
) -> Result<Vec<Line>, String> {
    let find = |quantity| methods.iter().copied().find(|m| m.quantity == quantity && m.name == ORACLE);
    let (Some(id), Some(fd)) = (find(Quantity::IdDerivatives), find(Quantity::FdDerivatives)) else {
        return Err("the list of methods has no oracle".into());
    };
    progress.at("complex step");
    let oracles = Oracles { id, fd };
    let truths = samples.iter().map(|x| Truth::of(&scene, x, &oracles)).collect::<Result<Vec<_>, _>>()?;
    progress.advance(1.0);

    let names = dof_names(scene.model);
    let mut lines = Vec::new();
    for (quantity, text, _) in QUANTITIES {
        for &method in methods.iter().filter(|m| m.quantity == quantity) {
            progress.at(&format!("{text} by {}", method.name));
            lines.push(line(method, text, scene, samples, &truths, &names));
            progress.advance(0.5);
        }
    }
    time(methods, &mut lines, scene, samples, budget, progress)?;
    Ok(lines)
}

fn line(
    method: &'static Method,
    quantity: &'static str,
    scene: Scene<'_, f64>,
    samples: &[Sample],
    truths: &[Truth],
    names: &[String],
) -> Line {
    let Method { name, source, exact, .. } = *method;
    let line = Line {
        quantity,
        method: name,
        source,
        exact,
        verdict: Verdict::Ok,
        why: None,
        error: None,
        worst: None,
        time: None,
        ratio: None,
    };
    let mut worst = Worst::default();
    for (k, (x, truth)) in samples.iter().zip(truths).enumerate() {
        if let Err(why) = compare(method, scene, x, k, truth, names, &mut worst) {
            return Line { verdict: Verdict::NotForThis, why: Some(why), ..line };
        }
    }
    let verdict = match () {
        () if name == ORACLE => Verdict::Oracle,
        () if !exact => Verdict::Inexact,
        () if worst.is_good() => Verdict::Ok,
        () => Verdict::Failed,
    };
    if verdict == Verdict::Oracle {
        return Line { verdict, ..line }; // it is compared with nothing, so it has no error and no worst entry
    }
    Line { verdict, error: Some(worst.error), worst: worst.entry, ..line }
}

fn compare(
    method: &Method,
    scene: Scene<'_, f64>,
    x: &Sample,
    state: usize,
    truth: &Truth,
    names: &[String],
    worst: &mut Worst,
) -> Result<(), String> {
    let mut all = |matrices: [(&'static str, &Matrix<f64>, &Matrix<f64>); 3], scales: &[Vec<f64>; 3]| {
        for ((what, got, want), scales) in matrices.into_iter().zip(scales) {
            worst.compare(what, state, got, want, scales, names);
        }
    };
    if method.quantity == Quantity::IdDerivatives {
        let (got, want) =
            (method.id_derivatives(&scene, &x.q, &x.v, &x.a).map_err(|refused| refused.to_string())?, &truth.id);
        let matrices = [
            ("dtau_dq", &got.dtau_dq, &want.dtau_dq),
            ("dtau_dv", &got.dtau_dv, &want.dtau_dv),
            ("dtau_da", &got.dtau_da, &want.dtau_da),
        ];
        all(matrices, &truth.id_scales);
        return Ok(());
    }
    method.accepts(scene.model).map_err(|refused| refused.to_string())?;
    let (want, scales) = truth.fd.as_ref().map_err(String::clone)?;
    if method.quantity == Quantity::FdDerivatives {
        let got = method.fd_derivatives(&scene, &x.q, &x.v, &x.tau).map_err(|refused| refused.to_string())?;
        let matrices = [
            ("dqdd_dq", &got.dqdd_dq, &want.dqdd_dq),
            ("dqdd_dv", &got.dqdd_dv, &want.dqdd_dv),
            ("dqdd_dtau", &got.dqdd_dtau, &want.dqdd_dtau),
        ];
        all(matrices, scales);
    } else {
        let got = method.inverse(&scene, &x.q).map_err(|refused| refused.to_string())?;
        worst.compare("minverse", state, &got, &want.dqdd_dtau, &scales[2], names);
    }
    Ok(())
}

/// Times the methods that take this robot; those of one quantity take turns.
fn time(
    methods: &[&'static Method],
    lines: &mut [Line],
    scene: Scene<'_, f64>,
    samples: &[Sample],
    budget: Budget,
    progress: &mut Progress,
) -> Result<(), String> {
    for (quantity, text, _) in QUANTITIES {
        progress.at(&format!("times of {text}"));
        let taking = |line: &Line| line.quantity == text && line.verdict != Verdict::NotForThis;
        let mut calls = Vec::new();
        for line in lines.iter().filter(|line| taking(line)) {
            let method = methods.iter().find(|m| m.quantity == quantity && m.name == line.method);
            let work = Work::listed(method.ok_or("a line without a method")?, Instructions::Best);
            calls.push(work.call(scene, samples)?);
        }
        let times = timing::measure(&mut calls, samples.len(), budget)?;
        let own = times.first().map(|own| own.min); // the library's own comes first in the list
        for (line, time) in lines.iter_mut().filter(|line| taking(line)).zip(times) {
            line.ratio = own.map(|own| time.min / own);
            line.time = Some(time);
        }
        progress.advance(3.0);
    }
    Ok(())
}
