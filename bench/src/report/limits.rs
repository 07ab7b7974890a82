//! Sections on the limit: growth, operations against the peak, and the choice of the way for ∂FD.

use super::numbers::{percent, thousands, whole};
use crate::limit::{Count, slope};
use crate::quantity::Quantity;
use crate::results::Results;
use crate::row::{Mode, Row, opponents};
use dtau_cli::table::Table;

/// Smallest size used to fit slopes. Below it, constant costs matter.
const FROM: usize = 20;

/// Writes how times grow with the number of links.
pub fn growth(results: &Results) -> String {
    let mut table = super::table(["exponent of N", "∂ID, dtau", "∂ID, Pinocchio", "∂FD, dtau", "∂FD, Pinocchio"]);
    for (bf, title, prefix) in [(1, "chain", "chain_"), (2, "bf 2", "tree_bf2_"), (5, "bf 5", "tree_bf5_")] {
        let mut cells = vec![if bf == 1 { title.to_string() } else { format!("tree, {title}") }];
        for quantity in [Quantity::ID_DERIVATIVES, Quantity::FD_DERIVATIVES] {
            for pick in [|r: &Row| r.dtau_ns, |r: &Row| r.opponent_ns] {
                let points: Vec<(f64, f64)> = results
                    .rows
                    .iter()
                    .filter(|r| r.mode == Mode::Single && r.opponent == opponents::NATIVE && r.quantity == quantity)
                    .filter(|r| r.robot.starts_with(prefix) && r.nv >= FROM)
                    .map(|r| (r.nv as f64, pick(r)))
                    .collect();
                cells.push(slope(&points).map_or("–".into(), |s| format!("{s:.2}")));
            }
        }
        if cells[1..].iter().any(|c| c != "–") {
            table.row(cells);
        }
    }
    if table.rows.is_empty() {
        return String::new();
    }
    format!(
        "## Growth\n\nThe slope of log time over log N from {FROM} links on, one state a call. ∂ID is O(N d) with d the depth of \
         the tree: 2 for a chain, 1 and a little for a tree, though the results alone have N² entries to be written. ∂FD is \
         O(N²).\n\n{}",
        table.markdown()
    )
}

/// Writes operations, bytes and the fraction of the peak.
pub fn near(results: &Results) -> String {
    let Some(peak) = results.peak.filter(|_| !results.counts.is_empty()) else {
        return String::new();
    };
    let share =
        |count: &Count, mode| time(results, count, mode).map_or("–".into(), |ns| percent(count.share(ns, peak)));
    let shares = grid(results, "share of the peak: single, batch", |count| {
        format!("{}, {}", share(count, Mode::Single), share(count, Mode::Batch))
    });
    let operations = grid(results, "multiply-adds + other flops", |count| {
        format!("{} + {}", whole(count.mul_adds), whole(count.others))
    });
    let bytes = grid(results, "bytes of arguments and results", |count| whole(count.bytes));
    format!(
        "## How near to the limit\n\nFloating-point instructions of one call, counted by running it in the scalar `Counted`, and \
         their share of the {peak:.1} multiply-adds a nanosecond that this core makes at its peak (256-bit vectors, measured in \
         the same run). One state alone can use vectors only here and there, so a quarter is near the end of the road; lanes of \
         many states can use them everywhere. Sines and cosines are work that the share leaves out. Bytes are those of arguments \
         and results, from the sizes; what is touched in between is measured below, on dtau's own robots.\n\n{}\n{}\n{}",
        shares.markdown(),
        operations.markdown(),
        bytes.markdown()
    )
}

/// Makes a table with robots as rows and quantities as columns.
fn grid(results: &Results, corner: &str, cell: impl Fn(&Count) -> String) -> Table {
    let head = Quantity::batched().filter(|q| q.first().is_none()).map(|q| q.heading().to_string());
    let mut table = super::table([corner.to_string()].into_iter().chain(head));
    let mut names: Vec<&str> = results.counts.iter().map(|c| c.robot.as_str()).collect();
    names.dedup();
    for name in names {
        let find = |q: Quantity| results.counts.iter().find(|c| c.robot == name && c.quantity == q);
        let cells = Quantity::batched().filter(|q| q.first().is_none()).map(|q| find(q).map_or("–".into(), &cell));
        table.row([name.to_string()].into_iter().chain(cells));
    }
    table
}

fn time(results: &Results, count: &Count, mode: Mode) -> Option<f64> {
    let same = |r: &&Row| r.robot == count.robot && r.quantity == count.quantity;
    let row = results.rows.iter().filter(same).find(|r| r.mode == mode && r.opponent == opponents::NATIVE);
    row.map(|r| r.dtau_ns)
}

/// Writes instructions and memory of the main kernels.
pub fn instructions(results: &Results) -> String {
    let Some(stored) = results.instructions.as_ref().filter(|s| !s.counts.is_empty()) else {
        return String::new();
    };
    let head = ["call", "instructions", "bytes in and out", "bytes touched"];
    let mut table = super::table(head);
    for kernel in &stored.counts {
        let call = format!("{} {}", kernel.robot, kernel.quantity.heading());
        let numbers = [kernel.instructions, kernel.bytes_in_and_out, kernel.bytes_touched];
        table.row([call].into_iter().chain(numbers.map(whole)));
    }
    format!(
        "### Instructions and memory\n\nOf one warm call on dtau's own robots, one state, under valgrind ({}); stored by \
         `bench/counts.sh`, which shows drift with `--check`. Touched are all lines of 64 bytes that are read or written: \
         arguments, results, scratch and the model.\n\n{}",
        stored.compiler,
        table.markdown()
    )
}

/// Writes the ways for ∂FD, and the quality of the rule's choice.
pub fn ways(results: &Results) -> String {
    let Some(first) = results.ways.first() else {
        return String::new();
    };
    let names: Vec<&str> = first.times.iter().map(|(name, _)| name.as_str()).collect();
    let head = ["robot (nv)", "mean depth"].into_iter().chain(names.iter().copied());
    let mut table = super::table(head.chain(["chosen", "above the best"]));
    for robot in &results.ways {
        let mut cells = vec![format!("{} ({})", robot.robot, robot.nv), format!("{:.1}", robot.depth)];
        for name in &names {
            let time = robot.time(name).map_or("–".into(), thousands);
            cells.push(if robot.best().0 == *name { format!("**{time}**") } else { time });
        }
        let mark = if robot.loss() > 0.1 { format!(" {}", super::MISSED) } else { String::new() };
        cells.push(robot.chosen.clone());
        cells.push(format!("{}{mark}", percent(robot.loss())));
        table.row(cells);
    }
    let worst = results.ways.iter().map(|w| w.loss()).fold(0.0, f64::max);
    format!(
        "## The ways to ∂FD\n\nNanoseconds of `fd_derivatives_by`, all ways in turns; the fastest is bold. `FdWay::for_model` picks \
         one from the shape of the tree, never from a clock; it should be within 10 % of the fastest. The worst here is {}.\n\n{}",
        percent(worst),
        table.markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ways::WayTimes;

    #[test]
    fn stored_instruction_counts_are_shown() {
        let text = r#"{"compiler": "rustc 1", "counts": [{"robot": "arm6", "quantity": "rnea", "instructions": 3456,
            "bytes_touched": 9216, "bytes_in_and_out": 192}]}"#;
        let stored = serde_json::from_str(text).unwrap();
        let text = instructions(&Results { instructions: Some(stored), ..Results::default() });
        assert!(text.contains("| arm6 rnea | 3,456 | 192 | 9,216 |"), "{text}");
    }

    #[test]
    fn a_choice_more_than_a_tenth_above_the_best_is_marked() {
        let times = |dense: f64| vec![("Dense".to_string(), dense), ("Ltdl".to_string(), 1000.0)];
        let of = |dense| WayTimes { robot: "r".into(), nv: 6, depth: 1.0, times: times(dense), chosen: "Dense".into() };
        let text = ways(&Results { ways: vec![of(1050.0), of(1200.0)], ..Results::default() });
        assert!(text.contains("| r (6) | 1.0 | 1,050 | **1,000** | Dense | 5 % |"), "{text}");
        assert!(text.contains("| r (6) | 1.0 | 1,200 | **1,000** | Dense | 20 % ✗ |"), "{text}");
    }
}
