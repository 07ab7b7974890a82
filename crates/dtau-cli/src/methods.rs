//! The derivatives by every method of the list, side by side.

use crate::failure::Failure;
use crate::style::Style;
use crate::summary::time;
use crate::table::{Align, Cell, Table};
use dtau::Matrix;
use dtau::model::Model;
use dtau_methods::list::{self, Method, Quantity, Refused};
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

/// How long each method is timed, at the least one call.
const BUDGET: Duration = Duration::from_millis(10);

/// Exact methods agree to this, relative to the largest entry of a row.
const TOLERANCE: f64 = 1e-9;

/// Prints the sizes and the sparsity of the derivatives, then every method with its error against complex step and its
/// time. Returns whether all exact methods agree.
pub fn compare(out: &mut impl Write, model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Result<bool, Failure> {
    let scene = model.scene();
    let mut tau = vec![0.0; model.nv()];
    dtau::rnea(scene, &mut dtau::Workspace::new(model), q, v, a, &mut tau)?;
    let id = |method: &Method| -> Result<[Matrix<f64>; 3], Refused> {
        let d = method.id_derivatives(&scene, q, v, a)?;
        Ok([d.dtau_dq, d.dtau_dv, d.dtau_da])
    };
    let fd = |method: &Method| -> Result<[Matrix<f64>; 3], Refused> {
        let d = method.fd_derivatives(&scene, q, v, &tau)?;
        Ok([d.dqdd_dq, d.dqdd_dv, d.dqdd_dtau])
    };
    let good = section(out, "∂τ/∂(q, q̇, q̈)", Quantity::IdDerivatives, id)?;
    writeln!(out)?;
    Ok(section(out, "∂q̈/∂(q, q̇, τ)", Quantity::FdDerivatives, fd)? && good)
}

fn section(
    out: &mut impl Write,
    title: &str,
    quantity: Quantity,
    run: impl Fn(&Method) -> Result<[Matrix<f64>; 3], Refused>,
) -> Result<bool, Failure> {
    let oracle = list::find(quantity, "complex-step").map(&run);
    let Some(Ok(want)) = oracle else { return Err(Failure::Input("the list of methods has no oracle".into())) };
    let zeros: Vec<String> = want.iter().map(|m| format!("{:.0} %", 100.0 * share_of_zeros(m))).collect();
    let zeros = zeros.join(", ");
    writeln!(out, "{} by method, each making its own memory; exact zeros: {zeros}", Style::Bold.paint(title))?;

    let mut table = Table::new([Align::Left, Align::Left, Align::Right, Align::Right]);
    table.head(["", "source", "error", "time"]);
    let mut good = true;
    for method in list::methods(quantity) {
        let Ok(got) = run(method) else { continue }; // for other kinds of robot
        let error = got.iter().zip(&want).fold(0.0, |worst: f64, (got, want)| worst.max(row_error(got, want)));
        let fine = !method.exact || error <= TOLERANCE;
        good &= fine;
        let verdict = if fine { Style::Good } else { Style::Bad };
        table.row([
            Cell::new(method.name).bold(),
            Cell::new(method.source),
            Cell::new(format!("{error:.0e}")).styled(verdict),
            Cell::new(time(best_time(|| run(method)))),
        ]);
    }
    table.indent("  ").write(out)?;
    Ok(good)
}

fn best_time<T>(call: impl Fn() -> T) -> Duration {
    let (start, mut best) = (Instant::now(), Duration::MAX);
    loop {
        let before = Instant::now();
        black_box(call());
        best = best.min(before.elapsed());
        if start.elapsed() >= BUDGET {
            return best;
        }
    }
}

fn share_of_zeros(m: &Matrix<f64>) -> f64 {
    m.iter().filter(|x| **x == 0.0).count() as f64 / m.len().max(1) as f64
}

/// The largest difference, relative to the largest entry of its row.
fn row_error(got: &Matrix<f64>, want: &Matrix<f64>) -> f64 {
    let mut worst = 0.0f64;
    for i in 0..want.rows() {
        let row = |m: &Matrix<f64>| -> Vec<f64> { (0..m.columns()).map(|j| m[(i, j)]).collect() };
        let (got, want) = (row(got), row(want));
        let largest = want.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()));
        for (g, w) in got.iter().zip(&want) {
            worst = worst.max((g - w).abs() / largest);
        }
    }
    worst
}
