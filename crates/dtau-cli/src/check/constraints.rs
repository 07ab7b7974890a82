//! Functions of constraints: derivatives against complex step of what they are derivatives of, and what forces must obey.
//!
//! Goes by the list: `f_derivatives` with an output `dy_dx` is compared with complex step of the output `y` of `f` by its input `x`.
//!
//! ```text
//! q̈ and what has nv rows     u = max_j ( |M⁻¹| |M| |X| )ᵢⱼ  + row                                    (1)
//! λ and what has rows        u = max_j ( |∂λ/∂τ| |M| |∂q̈| )ᵢⱼ + row,   ∂λ/∂τ = −Λ J M⁻¹             (2)
//! ```
//!
//! (1) is what rounding M once does to accelerations, (2) what it does to forces: it grows as J comes near to losing rank.

use super::names::dof_names;
use super::scale::{Entry, Worst};
use crate::dense::{absolute, matrix, product, row_sizes};
use crate::sample::Sample;
use crate::work::without_wrenches;
use dtau::model::Model;
use dtau::scalar::{Complex, Real};
use dtau::{
    Arg, Constraints, Counts, Declaration, Error, ErrorKind, Matrix, Parameter, Parameters, Scene, Size, Workspace,
    Wrench,
};
use serde::Serialize;

/// A function of constraints on this robot.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub function: &'static str,
    pub against: String,
    pub good: bool,
    /// Why it could not be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Entry>,
}

/// What is held, as the report shows it.
pub fn titles(constraints: &Constraints) -> Vec<String> {
    let title = |item: &dtau::Constraint| format!("{} ({})", item.name(), item.row_names().join(", "));
    constraints.iter().map(title).collect()
}

/// All of them, the worst over the samples.
pub fn check(scene: Scene<'_, f64>, held: &Constraints, samples: &[Sample]) -> Result<Vec<Line>, Error> {
    let scene = scene.constraints(held);
    let mut lines = vec![forces(scene, held, samples)?];
    for derivatives in dtau::functions() {
        let base = derivatives.name.strip_suffix("_derivatives").and_then(|base| dtau::function(base).ok());
        let Some(base) = base.filter(|base| base.parameters == [Parameter::Constraints]) else { continue };
        if derivatives.parameters == [Parameter::Constraints] {
            lines.push(line(scene, held, derivatives, base, samples)?);
        }
    }
    Ok(lines)
}

/// A line of what was found, or of why nothing was: a contradiction is the set's, not a failure of the library.
fn verdict(function: &'static str, against: String, worst: Worst, refused: Option<Error>) -> Result<Line, Error> {
    match refused {
        Some(error) if error.kind() == ErrorKind::Singular => {
            Ok(Line { function, against, good: true, why: Some(error.to_string()), error: None, worst: None })
        }
        Some(error) => Err(error),
        None => {
            let good = worst.is_good();
            Ok(Line { function, against, good, why: None, error: Some(worst.error), worst: worst.entry })
        }
    }
}

/// M q̈ + b = τ + Jᵀλ, with the forces as wrenches on the robot.
fn forces(scene: Scene<'_, f64>, held: &Constraints, samples: &[Sample]) -> Result<Line, Error> {
    let (model, n) = (scene.model, scene.model.nv());
    let (name, against) = ("constrained_fd", "inverse dynamics under its forces as wrenches".to_owned());
    if held.iter().any(|item| item.frame().is_none()) {
        let why = Some("relations between joints have no wrench".into());
        return Ok(Line { function: name, against, good: true, why, error: None, worst: None });
    }
    let (mut ws, mut worst, names) = (Workspace::new(model), Worst::default(), dof_names(model));
    for (state, x) in samples.iter().enumerate() {
        let (mut out, mut tau, mut m) = (dtau::Constrained::new(held), vec![0.0; n], Matrix::zeros(n, n));
        if let Err(error) = dtau::constrained_fd(scene, &mut ws, held, &x.q, &x.v, &x.tau, &mut out) {
            return verdict(name, against, worst, Some(error));
        }
        let wrenches = held.wrenches(&x.q, &out.lambda)?;
        let each: Vec<Wrench<f64>> = wrenches.iter().flat_map(|w| [Some(w.on), w.by]).flatten().collect();
        dtau::rnea(scene.wrenches(&each), &mut ws, &x.q, &x.v, &out.qdd, &mut tau)?;
        dtau::crba(scene, &mut ws, &x.q, &mut m)?;
        // What adds up to a torque: that of the accelerations, of the forces, and what was given.
        let mut without = vec![0.0; n];
        dtau::rnea(scene, &mut ws, &x.q, &x.v, &out.qdd, &mut without)?;
        let inertial = product(&absolute(&m), &matrix(n, &out.qdd.iter().map(|x| x.abs()).collect::<Vec<_>>()));
        let largest = (0..n).map(|i| inertial[i] + without[i].abs() + x.tau[i].abs()).fold(f64::MIN_POSITIVE, f64::max);
        worst.compare("tau", state, &matrix(n, &tau), &matrix(n, &x.tau), &vec![largest; n], &names);
    }
    verdict(name, against, worst, None)
}

fn line(
    scene: Scene<'_, f64>,
    held: &Constraints,
    derivatives: &'static Declaration,
    base: &'static Declaration,
    samples: &[Sample],
) -> Result<Line, Error> {
    let against = format!("complex step of {}", base.name);
    let (dofs, rows) = (dof_names(scene.model), held.row_names());
    let mut worst = Worst::default();
    for (state, x) in samples.iter().enumerate() {
        if let Err(error) = compare(scene, held, derivatives, base, x, state, (&dofs, &rows), &mut worst) {
            return verdict(derivatives.name, against, worst, Some(error));
        }
    }
    verdict(derivatives.name, against, worst, None)
}

/// A step small enough that its square is nothing.
const H: f64 = 1e-30;

#[allow(clippy::too_many_arguments)]
fn compare(
    scene: Scene<'_, f64>,
    held: &Constraints,
    derivatives: &'static Declaration,
    base: &'static Declaration,
    x: &Sample,
    state: usize,
    (dofs, rows): (&[String], &[String]),
    worst: &mut Worst,
) -> Result<(), Error> {
    let (model, counts) = (scene.model, Counts { columns: 1, rows: held.rows() });
    let read = |arg: &Arg| input(model, arg, x, counts.rows);
    let sized = |arg: &Arg| {
        let (rows, columns) = arg.size.shape(model, counts);
        Matrix::zeros(rows, columns)
    };
    let given: Vec<Vec<f64>> = derivatives.inputs.iter().map(read).collect();
    let given: Vec<&[f64]> = given.iter().map(Vec::as_slice).collect();
    let mut got: Vec<Matrix<f64>> = derivatives.outputs.iter().map(sized).collect();
    derivatives.with(&Parameters::default())?.call_into(scene, &mut Workspace::new(model), &given, &mut got)?;

    let mut m = Matrix::zeros(model.nv(), model.nv());
    let mut minv = m.clone();
    dtau::crba(scene, &mut Workspace::new(model), &x.q, &mut m)?;
    dtau::minverse(scene, &mut Workspace::new(model), &x.q, &mut minv)?;
    let rounding = matrix(model.nv(), &product(&absolute(&minv), &absolute(&m)));

    let complex = without_wrenches::<Complex>(&scene).constraints(held);
    let function = base.with(&Parameters::default())?;
    let mut ws = Workspace::<Complex>::new(model);
    for (k, by) in base.inputs.iter().enumerate().filter(|(_, by)| matches!(by.size, Size::Nq | Size::Nv)) {
        let mut want: Vec<Matrix<f64>> =
            base.outputs.iter().map(|arg| Matrix::zeros(arg.size.of(model, counts), model.nv())).collect();
        for j in 0..model.nv() {
            let mut inputs: Vec<Vec<Complex>> = base.inputs.iter().map(|arg| real(&read(arg))).collect();
            step(model, by, j, &mut inputs[k])?;
            let inputs: Vec<&[Complex]> = inputs.iter().map(Vec::as_slice).collect();
            let mut y: Vec<Vec<Complex>> =
                base.outputs.iter().map(|arg| vec![Complex::from_f64(0.0); arg.size.of(model, counts)]).collect();
            let mut out: Vec<&mut [Complex]> = y.iter_mut().map(Vec::as_mut_slice).collect();
            function.call(complex, &mut ws, &inputs, &mut out)?;
            for (want, y) in want.iter_mut().zip(&y) {
                (0..y.len()).for_each(|i| want[(i, j)] = y[i].im / H);
            }
        }
        let of_dofs = base.outputs.iter().position(|arg| arg.size == Size::Nv).map(|k| want[k].clone());
        for (arg, want) in base.outputs.iter().zip(&want) {
            let name = format!("d{}_d{}", arg.name, by.name);
            let Some(place) = derivatives.outputs.iter().position(|arg| arg.name == name) else { continue };
            let is_rows = arg.size == Size::Rows;
            let by_tau = format!("d{}_dtau", arg.name);
            let to_rows = derivatives.outputs.iter().position(|arg| arg.name == by_tau).map(|k| absolute(&got[k]));
            let solved = match (is_rows, &to_rows, &of_dofs) {
                (false, _, _) => product(&rounding, &absolute(want)), // (1)
                (true, Some(to_rows), Some(accelerations)) => {
                    let torques = matrix(model.nv(), &product(&absolute(&m), &absolute(accelerations)));
                    product(to_rows, &torques) // (2)
                }
                _ => vec![0.0; want.rows() * want.columns()],
            };
            let scales = row_sizes(&matrix(want.rows(), &solved)).into_iter().zip(row_sizes(want));
            let scales: Vec<f64> = scales.map(|(solved, row)| (solved + row).max(f64::MIN_POSITIVE)).collect();
            let names = [if is_rows { rows } else { dofs }, dofs];
            worst.compare_named(derivatives.outputs[place].name, state, &got[place], want, &scales, names);
        }
    }
    Ok(())
}

/// What a function reads of a sample.
fn input(model: &Model, arg: &Arg, x: &Sample, rows: usize) -> Vec<f64> {
    match (arg.name, arg.size) {
        (_, Size::Nq) => x.q.clone(),
        ("v", _) => x.v.clone(),
        ("tau", _) => x.tau.clone(),
        (name, _) if name.ends_with("strength") => vec![1.0; arg.size.of(model, Counts { columns: 1, rows })],
        (_, Size::Rows) => (0..rows).map(|k| 0.3 - 0.1 * (k % 5) as f64).collect(),
        (_, Size::Fixed(n)) => vec![0.5; n],
        _ => x.a.clone(),
    }
}

fn real(x: &[f64]) -> Vec<Complex> {
    x.iter().copied().map(Complex::from_f64).collect()
}

/// An imaginary step along a degree of freedom.
fn step(model: &dtau::model::Model, by: &Arg, j: usize, x: &mut [Complex]) -> Result<(), Error> {
    if by.size != Size::Nq {
        if let Some(x) = x.get_mut(j) {
            x.im += H;
        }
        return Ok(());
    }
    let (from, mut along) = (x.to_vec(), vec![Complex::from_f64(0.0); model.nv()]);
    along[j].im = H;
    model.integrate(&from, &along, x)
}
