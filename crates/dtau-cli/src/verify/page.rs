//! The report of `dtau verify`: tables, and heat maps of the matrices.

use super::scale::{self, Condition, Entry, TOLERANCE};
use super::size::Sizes;
use super::{Found, Line};
use crate::names::dof_names;
use crate::page::heat::Heat;
use crate::report::{Part, Report};
use crate::sample::Sample;
use crate::style::Style;
use crate::table::{Cell, Table};
use dtau::{FdDerivatives, IdDerivatives, Matrix, Scene, Workspace};

/// The report, with heat maps.
pub fn report(found: &Found, maps: Vec<String>) -> Report {
    let Found { nv, joints, mass, states, seed, tolerance, .. } = found;
    let s = if *states == 1 { "" } else { "s" };
    let lead = format!(
        "{nv} degrees of freedom, {joints} joints, {mass:.1} kg; at {states} random state{s} from seed {seed}, errors within \
         {tolerance:.0e}"
    );
    let mut parts: Vec<Part> = Vec::new();
    for line in found.lines().filter(|line| !line.good) {
        let at = line.worst.as_ref().map_or_else(String::new, at_length);
        parts.push(Part::Verdict(false, format!("{} is wrong, by {}: {at}", line.claim, line.what)));
    }
    if found.passed {
        parts.push(Part::Verdict(true, "everything agrees".into()));
    }
    let verdicts = std::mem::take(&mut parts);
    const REMARK: &str = "At the first random state; a row and a column for every degree of freedom. Rounding noise is what is \
                          smaller than the tolerance in the units of its row: no method knows it better.";
    parts.push(Part::Drawings("Matrices", REMARK, true, maps));
    parts.push(Part::Heading("derivatives".into()));
    parts.push(Part::Table(table("function", &found.derivatives)));
    if !found.constrained.is_empty() {
        parts.push(Part::Heading("constraints".into()));
        parts.push(Part::Note(found.constraints.join(", ")));
        parts.push(Part::Table(table("function", &found.constrained)));
    }
    parts.push(Part::Note(format!("error: {}", found.measure)));
    parts.push(Part::Heading("identities".into()));
    parts.push(Part::Table(table("identity", &found.identities)));
    parts.extend(verdicts);
    Report { title: found.robot.clone(), lead, parts }
}

fn table(what: &str, lines: &[Line]) -> Table {
    let mut table = Table::of([what, "error", "worst entry", "against"]);
    for line in lines {
        let note = match (&line.why, &line.worst) {
            (Some(why), _) => format!("not tried: {why}"),
            (None, worst) => worst.as_ref().map(at).unwrap_or_default(),
        };
        table.row([
            Cell::new(line.claim),
            error_cell(line.error, line.good),
            Cell::new(note),
            Cell::new(&line.what).dim(),
        ]);
    }
    table
}

/// An error in the colour of its verdict; `–` if there is none.
pub fn error_cell(error: Option<f64>, good: bool) -> Cell {
    let cell = error.map_or_else(|| Cell::new("–"), |error| Cell::number(format!("{error:.0e}"), error));
    cell.styled(if good { Style::Good } else { Style::Bad })
}

/// Formats an entry as `dtau_dq(knee, hip)`.
pub fn at(entry: &Entry) -> String {
    let place: Vec<&str> =
        [&entry.row, &entry.column].into_iter().map(String::as_str).filter(|x| !x.is_empty()).collect();
    format!("{}({})", entry.matrix, place.join(", "))
}

/// The entry with its numbers.
pub fn at_length(entry: &Entry) -> String {
    let Entry { state, got, want, scale, .. } = entry;
    let difference = got - want;
    format!("{} at state {state}: got {got:e}, want {want:e}, difference {difference:.1e} of {scale:.1e}", at(entry))
}

/// Units of errors of ∂τ/∂q, ∂τ/∂q̇ and M, by row.
pub fn id_units(id: &IdDerivatives<f64>, added: &Sizes) -> [Vec<f64>; 3] {
    [(&id.dtau_dq, "q"), (&id.dtau_dv, "v"), (&id.dtau_da, "a")].map(|(want, by)| scale::of_rows(want, added.by(by)))
}

/// Units of errors of ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹, by row.
pub fn fd_units(id: &IdDerivatives<f64>, fd: &FdDerivatives<f64>, added: &Sizes) -> [Vec<f64>; 3] {
    let condition = Condition::new(&id.dtau_da, &fd.dqdd_dtau, &added.inertia);
    let nothing = vec![0.0; added.torque.len()];
    let units = [(&fd.dqdd_dq, &added.torque), (&fd.dqdd_dv, &added.damping), (&fd.dqdd_dtau, &nothing)];
    units.map(|(want, added)| scale::of_solutions(&condition, want, added))
}

/// Heat maps of the matrices that exist: a body without inertia leaves ∂τ and M.
pub fn heat_maps(scene: Scene<'_, f64>, x: &Sample) -> Vec<String> {
    let (model, names) = (scene.model, dof_names(scene.model));
    let mut ws = Workspace::new(model);
    let (mut id, mut fd) = (IdDerivatives::new(model), FdDerivatives::new(model));
    let mut maps = Vec::new();
    let mut add = |titles: [&str; 3], matrices: [&Matrix<f64>; 3], units: [Vec<f64>; 3]| {
        let n = names.len();
        for ((title, m), units) in titles.into_iter().zip(matrices).zip(units) {
            let values = (0..n * n).map(|k| m[(k / n, k % n)]).collect();
            let noise = units.into_iter().map(|unit| TOLERANCE * unit).collect();
            let (rows, columns) = (names.clone(), names.clone());
            maps.push(Heat { title: title.into(), rows, columns, values, noise }.html());
        }
    };
    let Ok(added) = Sizes::of(&scene, x) else { return maps };
    if dtau::id_derivatives(scene, &mut ws, &x.q, &x.v, &x.a, &mut id).is_err() {
        return maps;
    }
    add(["∂τ/∂q", "∂τ/∂q̇", "M = ∂τ/∂q̈"], [&id.dtau_dq, &id.dtau_dv, &id.dtau_da], id_units(&id, &added));
    if dtau::fd_derivatives(scene, &mut ws, &x.q, &x.v, &x.tau, &mut fd).is_ok() {
        let units = fd_units(&id, &fd, &added);
        add(["∂q̈/∂q", "∂q̈/∂q̇", "M⁻¹ = ∂q̈/∂τ"], [&fd.dqdd_dq, &fd.dqdd_dv, &fd.dqdd_dtau], units);
    }
    maps
}
