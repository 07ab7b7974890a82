//! Derivatives of the library compared with complex step, entry by entry.
//!
//! The pairs follow the list: an output `dy_dx` of `f_derivatives` is compared with complex step of the
//! output `y` of `f` with respect to its input `x`.
//!
//! ```text
//! torques      u = max( max_j |Xᵢⱼ|, ρ Aᵢ )                                   the row, or what was added up        (1)
//! q̈           u = max_j ( |M⁻¹| max(|M|, ρ A) |X| )ᵢⱼ + ρ (|M⁻¹| A_b)ᵢ        what rounding M and b does           (2)
//! constrained  u = max_j ( |M⁻¹| |M| |X| )ᵢⱼ + row                            what rounding M does                 (3)
//! λ            u = max_j ( |∂λ/∂τ| |M| |∂q̈| )ᵢⱼ + row                        to forces: grows as J loses rank     (4)
//! ```

use super::Line;
use super::scale::{self, Condition, Worst};
use super::size::Sizes;
use super::values::{ComplexStep, Evaluate, Values};
use crate::dense::{absolute, matrix, product, row_sizes};
use crate::names::dof_names;
use crate::product::counts;
use crate::sample::Sample;
use dtau::{Arg, Constraints, Declaration, Error, ErrorKind, Matrix, Parameter, Scene, Size, Workspace, Wrench};

/// Functions of a robot alone, and the function they differentiate: the mass matrix is ∂τ/∂q̈, its inverse
/// ∂q̈/∂τ.
const FREE: [(&str, &str); 4] =
    [("id_derivatives", "rnea"), ("crba", "rnea"), ("fd_derivatives", "aba"), ("minverse", "aba")];

/// Functions of a robot alone.
pub fn free(evaluate: Evaluate, scene: Scene<'_, f64>, samples: &[Sample]) -> Result<Vec<Line>, Error> {
    let line = |(function, base)| line(evaluate, scene, dtau::function(function)?, dtau::function(base)?, samples);
    FREE.into_iter().map(line).collect()
}

/// Functions of constraints.
pub fn constrained(
    evaluate: Evaluate,
    scene: Scene<'_, f64>,
    held: &Constraints,
    samples: &[Sample],
) -> Result<Vec<Line>, Error> {
    let scene = scene.constraints(held);
    let mut lines = vec![forces(scene, held, samples)?];
    for function in dtau::functions().iter().filter(|f| f.parameters == [Parameter::Constraints]) {
        let base = function.name.strip_suffix("_derivatives").and_then(|base| dtau::function(base).ok());
        if let Some(base) = base.filter(|base| base.parameters == [Parameter::Constraints]) {
            lines.push(line(evaluate, scene, function, base, samples)?);
        }
    }
    Ok(lines)
}

fn line(
    evaluate: Evaluate,
    scene: Scene<'_, f64>,
    function: &'static Declaration,
    base: &'static Declaration,
    samples: &[Sample],
) -> Result<Line, Error> {
    let mut trial = Trial {
        step: ComplexStep::new(&scene),
        evaluate,
        scene,
        function,
        base,
        dofs: dof_names(scene.model),
        rows: scene.constraints.map(dtau::Constraints::row_names).unwrap_or_default(),
        worst: Worst::default(),
    };
    let tried = samples.iter().enumerate().try_for_each(|(state, x)| trial.compare(state, x));
    verdict(function.name, format!("complex step of {}", base.name), trial.worst, tried)
}

/// A line of the report. A body without inertia, or contradictory constraints, are not failures of the library.
fn verdict(claim: &'static str, what: String, worst: Worst, tried: Result<(), Error>) -> Result<Line, Error> {
    match tried {
        Err(error) if error.kind() == ErrorKind::Singular => Ok(Line::new(claim, what, worst, Some(error.to_string()))),
        other => other.map(|()| Line::new(claim, what, worst, None)),
    }
}

struct Trial<'a> {
    step: ComplexStep<'a>,
    evaluate: Evaluate,
    scene: Scene<'a, f64>,
    function: &'static Declaration,
    base: &'static Declaration,
    dofs: Vec<String>,
    rows: Vec<String>,
    worst: Worst,
}

impl Trial<'_> {
    fn compare(&mut self, state: usize, x: &Sample) -> Result<(), Error> {
        let (scene, base) = (self.scene, self.base);
        let read = |args: &[Arg]| -> Vec<Vec<f64>> { args.iter().map(|arg| input(&scene, arg, x)).collect() };
        let (own, at) = (read(self.function.inputs), read(base.inputs));
        let [own, at] = [&own, &at].map(|x| x.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let got = (self.evaluate)(self.function, scene, &own)?;
        let units = Units::new(scene, x, base)?;
        for (k, by) in base.inputs.iter().enumerate().filter(|(_, by)| matches!(by.size, Size::Nq | Size::Nv)) {
            let places: Vec<_> = base.outputs.iter().map(|arg| place(&got, arg, by)).collect();
            if places.iter().all(Option::is_none) {
                continue;
            }
            let want = self.step.jacobians(base, &at, k)?;
            for ((arg, want_of), place) in base.outputs.iter().zip(&want).zip(places) {
                let Some(place) = place else { continue };
                let (name, scales) = (self.function.outputs[place].name, units.of(arg, by, want_of, &want, &got));
                let rows = if arg.size == Size::Rows { &self.rows } else { &self.dofs };
                self.worst.compare_named(name, state, &got.all[place], want_of, &scales, [rows, &self.dofs]);
            }
        }
        Ok(())
    }
}

/// Index of ∂`arg`/∂`by` among the results.
fn place(got: &Values, arg: &Arg, by: &Arg) -> Option<usize> {
    let alias = match (arg.name, by.name) {
        ("tau", "a") => "m",
        ("qdd", "tau") => "minv",
        _ => "",
    };
    got.place(&format!("d{}_d{}", arg.name, by.name)).or_else(|| got.place(alias))
}

/// Units of errors at a state.
struct Units {
    base: &'static str,
    /// Index of the accelerations among the results.
    dofs: usize,
    added: Sizes,
    m: Matrix<f64>,
    /// Condition of solutions with M.
    condition: Option<Condition>,
    /// |M⁻¹| |M|
    rounding: Matrix<f64>,
}

impl Units {
    fn new(scene: Scene<'_, f64>, x: &Sample, base: &Declaration) -> Result<Self, Error> {
        let (m, added) = (Values::named("crba", scene, &[&x.q])?.all.remove(0), Sizes::of(&scene, x)?);
        let dofs = base.outputs.iter().position(|arg| arg.size == Size::Nv).unwrap_or(0);
        if base.name == "rnea" {
            return Ok(Self { base: base.name, dofs, added, m, condition: None, rounding: Matrix::zeros(0, 0) });
        }
        let minv = Values::named("minverse", scene, &[&x.q])?.all.remove(0);
        let condition = Some(Condition::new(&m, &minv, &added.inertia));
        let rounding = matrix(m.rows(), &product(&absolute(&minv), &absolute(&m)));
        Ok(Self { base: base.name, dofs, added, m, condition, rounding })
    }

    /// Units of ∂`arg`/∂`by`, whose values are `x`; `all` are the derivatives of all results.
    fn of(&self, arg: &Arg, by: &Arg, x: &Matrix<f64>, all: &[Matrix<f64>], got: &Values) -> Vec<f64> {
        let added = self.added.by(by.name);
        let of_constraints = match (&self.condition, self.base) {
            (None, _) => return scale::of_rows(x, added), // (1)
            (Some(condition), "aba") if by.name == "tau" => {
                return scale::of_solutions(condition, x, &vec![0.0; added.len()]);
            }
            (Some(condition), "aba") => return scale::of_solutions(condition, x, added), // (2)
            _ => got.place(&format!("d{}_dtau", arg.name)).filter(|_| arg.size == Size::Rows),
        };
        let solved = match of_constraints {
            None if arg.size == Size::Rows => vec![0.0; x.rows() * x.columns()],
            None => product(&self.rounding, &absolute(x)), // (3)
            Some(to_rows) => {
                let torques = matrix(self.m.rows(), &product(&absolute(&self.m), &absolute(&all[self.dofs])));
                product(&absolute(&got.all[to_rows]), &torques) // (4)
            }
        };
        let rows = row_sizes(&matrix(x.rows(), &solved)).into_iter().zip(row_sizes(x));
        rows.map(|(solved, row)| (solved + row).max(f64::MIN_POSITIVE)).collect()
    }
}

/// An input of a function at a sample.
fn input(scene: &Scene<'_, f64>, arg: &Arg, x: &Sample) -> Vec<f64> {
    let counts = counts(scene);
    match (arg.name, arg.size) {
        (_, Size::Nq) => x.q.clone(),
        ("v", _) => x.v.clone(),
        ("tau", _) => x.tau.clone(),
        (name, _) if name.ends_with("strength") => vec![1.0; arg.size.of(scene.model, counts)],
        (_, Size::Rows) => (0..counts.rows).map(|k| 0.3 - 0.1 * (k % 5) as f64).collect(),
        (_, Size::Fixed(n)) => vec![0.5; n],
        _ => x.a.clone(),
    }
}

/// M q̈ + b = τ + Jᵀλ, with the forces as wrenches on the robot.
fn forces(scene: Scene<'_, f64>, held: &Constraints, samples: &[Sample]) -> Result<Line, Error> {
    let (claim, what) = ("constrained_fd", "inverse dynamics under its forces as wrenches".to_owned());
    if held.iter().any(|item| item.frame().is_none()) {
        let why = Some("relations between joints have no wrench".into());
        return Ok(Line::new(claim, what, Worst::default(), why));
    }
    let (mut worst, names, n) = (Worst::default(), dof_names(scene.model), scene.model.nv());
    let mut trial = |(state, x): (usize, &Sample)| -> Result<(), Error> {
        let (mut out, mut tau) = (dtau::Constrained::new(held), vec![0.0; n]);
        let mut ws = Workspace::new(scene.model);
        dtau::constrained_fd(scene, &mut ws, held, &x.q, &x.v, &x.tau, &mut out)?;
        let wrenches = held.wrenches(&x.q, &out.lambda)?;
        let each: Vec<Wrench<f64>> = wrenches.iter().flat_map(|w| [Some(w.on), w.by]).flatten().collect();
        dtau::rnea(scene.wrenches(&each), &mut ws, &x.q, &x.v, &out.qdd, &mut tau)?;
        // A torque is the sum of three: of the accelerations, of the forces, and the given one.
        let m = Values::named("crba", scene, &[&x.q])?.all.remove(0);
        let without = Values::named("rnea", scene, &[&x.q, &x.v, &out.qdd])?.all.remove(0).to_vec();
        let inertial = product(&absolute(&m), &absolute(&matrix(n, &out.qdd)));
        let largest = (0..n).map(|i| inertial[i] + without[i].abs() + x.tau[i].abs()).fold(f64::MIN_POSITIVE, f64::max);
        worst.compare("tau", state, &matrix(n, &tau), &matrix(n, &x.tau), &vec![largest; n], &names);
        Ok(())
    };
    let tried = samples.iter().enumerate().try_for_each(&mut trial);
    verdict(claim, what, worst, tried)
}
