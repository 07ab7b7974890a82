//! `dtau` without arguments: what it is, the bundled humanoid at a random state with checks, and what to type next.

use crate::clock::{self, Plan};
use crate::dense::{product, sum, times_vector};
use crate::failure::Failure;
use crate::product::{Instructions, Product, rnea_columns};
use crate::sample::{Sample, samples};
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use dtau::model::{Model, Options, Root};
use dtau::scalar::{Complex, Real};
use dtau::{Error, Matrix, Parameters, Scene, Workspace};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Larger relative errors are not due to rounding.
const TOLERANCE: f64 = 1e-9;

pub fn run(out: &mut impl Write) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let model = Model::bundled("humanoid", &Options { root: Root::Floating, ..Options::default() })?;
    let loaded = clock::text(start.elapsed().as_nanos() as f64);
    let scene = model.scene();
    let x = samples(scene, 2, 7)?;
    let checks = checks(scene, &x[0])?;
    let good = checks.iter().all(|check| check.error <= TOLERANCE); // not if it is NaN either

    let about = "rigid-body dynamics and their exact derivatives";
    writeln!(out, "{} {}  {about}\n", Style::Bold.paint("dtau"), env!("CARGO_PKG_VERSION"))?;
    let size = format!("{} degrees of freedom, {} bodies, {:.1} kg", model.nv(), model.body_count(), model.mass());
    writeln!(out, "{}  {size}, free-flying; loaded in {loaded}", Style::Bold.paint("humanoid"))?;
    let mut table = Table::new([Align::Left, Align::Left, Align::Left, Align::Right, Align::Right]);
    table.head(["at a random state", "result", "checked by", "error", "time"]);
    for Check { function, result, claim, error } in checks {
        let call = Product::named(function, Parameters::default()).call(Instructions::Best, scene, &x);
        let time = clock::measure(vec![call], x.len(), &Plan::millis(15, 8)).map_err(Failure::Input)?[0].min;
        table.row([
            Cell::new(function).bold(),
            Cell::new(result).dim(),
            Cell::new(claim),
            Cell::new(format!("{error:.0e}")).styled(if error <= TOLERANCE { Style::Good } else { Style::Bad }),
            Cell::new(clock::text(time)),
        ]);
    }
    table.indent("  ").write(out)?;
    match good {
        true => writeln!(out, "{} every check holds", Style::Good.paint("✓"))?,
        false => writeln!(out, "{} a check failed: please report this", Style::Bad.paint("✗"))?,
    }
    writeln!(out, "\n{SPEED}\n\n{NEXT}")?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Numbers of BENCHMARKS.md; a test compares them.
const SPEED: &str = "\
Speed-up over Pinocchio 4.1's fastest build, on one core (BENCHMARKS.md; robot g1, 35 degrees of freedom):
  rnea 2.1, aba 1.8, crba 1.5, id_derivatives 2.5, fd_derivatives 1.8
  Every function on this machine: dtau bench humanoid --root floating";

const NEXT: &str = "\
Next:
  dtau check path/to/robot.urdf                            check a robot of yours
  dtau info humanoid --root floating                       its joints, sizes, masses
  dtau eval arm6 --state random --what rnea,fd_derivatives
  dtau state arm6 > state.json                             a state to edit, for dtau eval arm6 --state state.json
  dtau --help                                              every command";

/// A function, and its comparison with something that shares little with it.
struct Check {
    function: &'static str,
    result: &'static str,
    claim: &'static str,
    /// Largest difference, relative to the largest number.
    error: f64,
}

fn checks(scene: Scene<'_, f64>, x: &Sample) -> Result<Vec<Check>, Error> {
    let Sample { q, v, a, tau } = x;
    let (model, n, ws) = (scene.model, scene.model.nv(), &mut Workspace::new(scene.model));
    let (mut bias, mut qdd) = (vec![0.0; n], vec![0.0; n]);
    let (mut m, mut minv) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
    let (mut id, mut fd) = (dtau::IdDerivatives::new(model), dtau::FdDerivatives::new(model));
    dtau::bias(scene, ws, q, v, &mut bias)?;
    dtau::aba(scene, ws, q, v, tau, &mut qdd)?;
    dtau::crba(scene, ws, q, &mut m)?;
    dtau::minverse(scene, ws, q, &mut minv)?;
    dtau::id_derivatives(scene, ws, q, v, a, &mut id)?;
    dtau::fd_derivatives(scene, ws, q, v, tau, &mut fd)?;
    let stepped = complex_step(model, x)?;
    let of_id = sum(&sum(&times_vector(&id.dtau_dq, v), &times_vector(&id.dtau_dv, v)), &times_vector(&id.dtau_da, v));
    let minus = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| -x).collect() };
    let check = |function, result, claim, error| Check { function, result, claim, error };
    Ok(vec![
        check("rnea", "τ", "M q̈ + bias", error(tau, &sum(&times_vector(&m, a), &bias))),
        check("aba", "q̈", "aba(rnea(q̈)) = q̈", error(&qdd, a)),
        check("crba", "M", "columns of rnea", error(&m, &rnea_columns(scene, q)?)),
        check("minverse", "M⁻¹", "M M⁻¹ = 1", error(&product(&m, &minv), &crate::dense::identity(n))),
        check("id_derivatives", "∂τ/∂(q, q̇, q̈)", "complex step of rnea", error(&of_id, &stepped)),
        check("fd_derivatives", "∂q̈/∂(q, q̇, τ)", "M ∂q̈/∂q = −∂τ/∂q", {
            error(&product(&m, &fd.dqdd_dq), &minus(&id.dtau_dq))
        }),
    ])
}

/// Derivative of the torques where configuration, velocity and acceleration all change by the velocity.
fn complex_step(model: &Model, Sample { q, v, a, .. }: &Sample) -> Result<Vec<f64>, Error> {
    const H: f64 = 1e-30;
    let moved = |x: &[f64]| -> Vec<Complex> { x.iter().zip(v).map(|(&x, &v)| Complex::new(x, H * v)).collect() };
    let q: Vec<Complex> = q.iter().map(|&x| Complex::from_f64(x)).collect();
    let (mut to, mut tau) = (q.clone(), moved(v));
    model.integrate(&q, &moved(&vec![0.0; v.len()]), &mut to)?;
    dtau::rnea(model, &mut Workspace::new(model), &to, &moved(v), &moved(a), &mut tau)?;
    Ok(tau.iter().map(|tau| tau.im / H).collect())
}

/// The largest difference, relative to the largest expected number; NaN if there is one.
fn error(got: &[f64], want: &[f64]) -> f64 {
    let largest = want.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let differences = got.iter().zip(want).map(|(g, w)| (g - w).abs());
    differences.fold(0.0, |worst: f64, d| if d > worst || d.is_nan() { d } else { worst })
        / largest.max(f64::MIN_POSITIVE)
}
