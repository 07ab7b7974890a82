//! Writes `BENCHMARKS.md` from the results.

mod limits;
mod numbers;
mod summary;

use crate::quantity::Quantity;
use crate::results::Results;
use crate::row::{Mode, Row, opponents};
use dtau_cli::table::{Align, Cell, Table};
use numbers::thousands;

/// Marks results below their floor.
const MISSED: &str = "✗";

/// Makes a table of text. The first column is left-aligned, the others right-aligned.
fn table<S: Into<Cell>>(head: impl IntoIterator<Item = S>) -> Table {
    let head: Vec<Cell> = head.into_iter().map(Into::into).collect();
    let mut table = Table::new((0..head.len()).map(|k| if k == 0 { Align::Left } else { Align::Right }));
    table.head(head);
    table
}

/// Writes the complete text.
pub fn markdown(results: &Results) -> String {
    let sections = [
        opening(),
        summary::summary(results),
        conditions(results),
        floors(results),
        comparison(
            results,
            "One state a call",
            "How many times faster dtau is than the fastest Pinocchio, one state a call, one core. *Kinematics ∂* is \
             ∂v/∂q, ∂a/∂q, ∂a/∂q̇, ∂a/∂q̈ at the end of every limb, passes over the tree included.",
            |r| r.mode == Mode::Single && r.opponent == opponents::NATIVE && !r.quantity.is_constrained(),
        ),
        comparison(
            results,
            "Many states a call",
            "How many times faster dtau is in a batch, for a state, on one core, than the fastest Pinocchio, which takes \
             one state a call. Both keep the results of all states.",
            |r| r.mode == Mode::Batch && r.opponent == opponents::NATIVE && !r.quantity.is_constrained(),
        ),
        comparison(
            results,
            "Many states a call, Pinocchio keeping one result",
            "The same, but Pinocchio overwrites each state's result with the next, in one place that stays in the cache; dtau \
             keeps all.",
            |r| r.mode == Mode::Batch && r.opponent == opponents::FORGETTING,
        ),
        comparison(
            results,
            "Code for one robot, one state a call",
            "How many times faster code is that was generated for the robot as C, compiled with `clang -O2 -march=native`, one state a \
             call, than the fastest Pinocchio. What the library's loops do faster, they do.",
            |r| r.mode == Mode::Generated,
        ),
        comparison(
            results,
            "Code for one robot, many states a call",
            "The same for a state of many, four side by side, by the engine `Compiled`; both sides keep the results of all states.",
            |r| r.mode == Mode::GeneratedBatch,
        ),
        comparison(
            results,
            "Second derivatives by first ones, one state a call",
            "The time of dtau's first derivatives over that of the Hessian of wᵀτ, or wᵀq̈, with its gradient. 0.625 is 1.6 times the time, \
             0.4 is 2.5 times. Pinocchio has no such thing.",
            |r| r.mode == Mode::Single && r.opponent == opponents::FIRST,
        ),
        comparison(
            results,
            "Second derivatives by first ones, many states a call",
            "The same for a state of many, on one core.",
            |r| r.mode == Mode::Batch && r.opponent == opponents::FIRST,
        ),
        comparison(
            results,
            "Constraints, one state a call",
            "How many times faster dtau is than the fastest Pinocchio on robots with frames held: forward dynamics with forces, the same \
             with the derivatives of both by q, q̇ and τ, and velocities after an impact with theirs.",
            |r| r.mode == Mode::Single && r.opponent == opponents::NATIVE && r.quantity.is_constrained(),
        ),
        comparison(
            results,
            "Constraints, many states a call",
            "The same for a state of many, on one core; both keep the results of all states.",
            |r| r.mode == Mode::Batch && r.opponent == opponents::NATIVE && r.quantity.is_constrained(),
        ),
        comparison(results, "Two threads", "How many times faster a batch is on two threads than on one.", |r| {
            r.mode == Mode::Threads
        }),
        comparison(
            results,
            "Single precision",
            "How many times faster a batch is in `f32` than in `f64`, on one core.",
            |r| r.mode == Mode::Batch && r.opponent == opponents::DOUBLE,
        ),
        comparison(
            results,
            "From Python",
            "How many times faster the Python package `dtau` is than `pin`, one state a call, both called from Python.",
            |r| r.mode == Mode::Python,
        ),
        comparison(
            results,
            "Against the library of the wheel",
            "How many times faster dtau is, one state a call, than the library that `pip install pin` brings, called from \
             C++. M⁻¹ and others are not in it: they are compiled from headers.",
            |r| r.mode == Mode::Single && r.opponent == opponents::SHIPPED,
        ),
        times(results),
        limits::growth(results),
        limits::near(results),
        limits::instructions(results),
        limits::ways(results),
        differences(results),
    ];
    let kept: Vec<&str> = sections.iter().map(|s| s.trim_end()).filter(|s| !s.is_empty()).collect();
    kept.join("\n\n") + "\n"
}

fn opening() -> String {
    format!(
        "# Benchmarks\n\n\
         Written by `bench/run.sh`; do not edit. Ratios are Pinocchio's time over dtau's, so more is better; {MISSED} marks \
         what is below its floor, the ratio that was promised. How it is measured, and why that is fair: \
         [docs/benchmarks.md](docs/benchmarks.md)."
    )
}

/// Writes the conditions of the measurement.
fn conditions(results: &Results) -> String {
    let mut facts: String = results.facts.iter().map(|(name, value)| format!("- {name}: {}\n", value.trim())).collect();
    if let Some(peak) = results.peak {
        facts += &format!("- peak of one core: {peak:.1} multiply-adds of `f64` a nanosecond\n");
    }
    let notices: String = results.notices.iter().map(|n| format!("\n> {n}\n")).collect();
    format!(
        "## Conditions\n\n\
         Both sides get the same robots and states, their results are compared first, then they run in turns on one core; the \
         least of many passes counts. dtau is built by plain `cargo build --release`.\n\n{facts}{notices}"
    )
}

/// Writes the number of floors, and which are missed.
fn floors(results: &Results) -> String {
    let missed: Vec<&Row> = results.rows.iter().filter(|r| r.misses()).collect();
    let promised = results.rows.iter().filter(|r| r.floor.is_some()).count();
    let mut table = table(["missed floor", "mode", "quantity", "ratio", "floor"]);
    for row in &missed {
        let floor = row.floor.map_or(String::new(), |f| f.to_string());
        table.row([
            row.robot.clone(),
            summary::versus(row),
            row.quantity.to_string(),
            format!("{:.2}", row.ratio),
            floor,
        ]);
    }
    format!("## Floors\n\n{} of {promised} reached.\n\n{}", promised - missed.len(), table.markdown())
}

/// Writes the ratios of the rows selected by `pick`: robots, then trees.
fn comparison(results: &Results, title: &str, text: &str, pick: impl Fn(&Row) -> bool) -> String {
    let rows: Vec<&Row> = results.rows.iter().filter(|r| pick(r)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let (trees, robots): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(|r| is_tree(r));
    let tables = [&robots, &trees].map(|rows| grid(rows, "robot", ratio).markdown());
    format!("## {title}\n\n{text}\n\n{}", tables.into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join("\n"))
}

fn is_tree(row: &Row) -> bool {
    row.robot.starts_with("chain_") || row.robot.starts_with("tree_")
}

fn ratio(row: &Row) -> String {
    if row.misses() { format!("**{:.2}** {MISSED}", row.ratio) } else { format!("{:.2}", row.ratio) }
}

/// Makes a table with robots as rows and quantities as columns, in the order of the input rows.
fn grid(rows: &[&Row], corner: &str, cell: impl Fn(&Row) -> String) -> Table {
    let columns: Vec<Quantity> = Quantity::all().filter(|q| rows.iter().any(|r| r.quantity == *q)).collect();
    let headings = columns.iter().map(|q| q.heading());
    let mut table = table([format!("{corner} (nv)")].into_iter().chain(headings.map(String::from)));
    let mut names: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if !names.contains(&(&row.robot, row.nv)) {
            names.push((&row.robot, row.nv));
        }
    }
    for (name, nv) in names {
        let find = |q: &Quantity| rows.iter().find(|r| r.robot == name && r.quantity == *q);
        let cells = columns.iter().map(|q| find(q).map_or("–".into(), |row| cell(row)));
        table.row([format!("{name} ({nv})")].into_iter().chain(cells));
    }
    table
}

/// Writes the times of the first comparison.
fn times(results: &Results) -> String {
    let of = |mode, opponent| {
        let picked = results.rows.iter().filter(move |r| r.mode == mode && r.opponent == opponent);
        picked.collect::<Vec<&Row>>()
    };
    let single = of(Mode::Single, opponents::NATIVE);
    if single.is_empty() {
        return String::new();
    }
    let mut out = String::from("## Times\n\nNanoseconds for one state, the least of all passes.\n");
    out += &format!("\n{}", grid(&single, "dtau, one state a call", |r| thousands(r.dtau_ns)).markdown());
    let batch = of(Mode::Batch, opponents::NATIVE);
    let python = of(Mode::Python, opponents::PYTHON);
    let more = [
        grid(&batch, "dtau, in a batch", |r| thousands(r.dtau_ns)),
        grid(&of(Mode::Generated, opponents::NATIVE), "generated, one state a call", |r| thousands(r.dtau_ns)),
        grid(&of(Mode::GeneratedBatch, opponents::NATIVE), "generated, in a batch", |r| thousands(r.dtau_ns)),
        grid(&single, "Pinocchio", |r| thousands(r.opponent_ns)),
        grid(&python, "dtau, from Python", |r| thousands(r.dtau_ns)),
        grid(&python, "Pinocchio, from Python", |r| thousands(r.opponent_ns)),
    ];
    for table in more.iter().filter(|table| !table.rows.is_empty()) {
        out += &format!("\n{}", table.markdown());
    }
    let median = |pick: fn(&Row) -> f64| {
        let mut all: Vec<f64> = single.iter().map(|r| pick(r)).collect();
        all.sort_by(f64::total_cmp);
        100.0 * all[all.len() / 2]
    };
    out += &format!(
        "\nSpread: in a typical cell the median pass was {:.0} % above the least for dtau, {:.0} % for Pinocchio.\n",
        median(|r| r.dtau_spread),
        median(|r| r.opponent_spread)
    );
    out
}

/// Writes the largest difference of results for each quantity, in double precision.
fn differences(results: &Results) -> String {
    let mut table = table(["quantity", "largest difference", "at"]);
    for quantity in Quantity::all() {
        let rows = results.rows.iter().filter(|r| r.quantity == quantity && r.scalar == "f64");
        let compared = rows.filter_map(|r| r.difference.map(|d| (d, &r.robot)));
        if let Some((difference, robot)) = compared.max_by(|a, b| a.0.total_cmp(&b.0)) {
            table.row([quantity.to_string(), format!("{difference:.1e}"), robot.clone()]);
        }
    }
    if table.rows.is_empty() {
        return String::new();
    }
    format!(
        "## The same numbers\n\nThe largest difference between dtau's results in double precision and Pinocchio's, relative to the largest entry \
         of the matrix. Where the mass matrix is inverted it grows with its condition; a run stops where it is more than \
         that explains.\n\n{}",
        table.markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn row(robot: &str, quantity: Quantity, ratio: f64, floor: Option<f64>) -> Row {
        Row {
            robot: robot.into(),
            nv: 6,
            quantity,
            mode: Mode::Single,
            scalar: "f64".into(),
            opponent: opponents::NATIVE.into(),
            opponent_way: "w".into(),
            opponent_ns: 1000.0 * ratio,
            dtau_ns: 1000.0,
            ratio,
            floor,
            opponent_spread: 0.1,
            dtau_spread: 0.05,
            difference: Some(1e-14),
        }
    }

    #[test]
    fn a_missed_floor_is_marked_and_listed() {
        let rows = vec![
            row("ur3", Quantity::RNEA, 1.5, Some(1.3)),
            row("ur3", Quantity::ID_DERIVATIVES, 1.9, Some(2.0)),
            row("chain_10", Quantity::RNEA, 2.0, Some(1.3)),
        ];
        let text = markdown(&Results { rows, ..Results::default() });
        assert!(text.contains("2 of 3 reached"), "{text}");
        assert!(text.contains("| ur3 | single | id_derivatives | 1.90 | 2 |"), "{text}");
        assert!(text.contains("| ur3 (6) | 1.50 | **1.90** ✗ |"), "{text}");
        assert!(text.contains("| chain_10 (6) | 2.00 |"), "{text}");
        assert!(!text.contains("## Two threads"), "a mode that was not measured has no section");
    }

    #[test]
    fn a_quantity_that_a_robot_lacks_leaves_a_dash() {
        let (a, b) = (row("a", Quantity::RNEA, 1.0, None), row("b", Quantity::ABA, 1.0, None));
        let text = grid(&[&a, &b], "robot", ratio).markdown();
        assert!(text.contains("| a (6) | 1.00 | – |"), "{text}");
    }

    #[test]
    fn nothing_measured_is_still_a_report() {
        assert!(markdown(&Results::default()).contains("0 of 0 reached"));
    }
}
