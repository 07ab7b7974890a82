//! The summary at the top: opponents, ranges of ratios, floors reached and missed.

use super::is_tree;
use crate::quantity::Quantity;
use crate::results::Results;
use crate::row::{Mode, Row, opponents};

/// Functions in the summary.
const SHOWN: [Quantity; 7] = [
    Quantity::RNEA,
    Quantity::ABA,
    Quantity::CRBA,
    Quantity::MINVERSE,
    Quantity::ID_DERIVATIVES,
    Quantity::FD_DERIVATIVES,
    Quantity::FRAME_MOTION_DERIVATIVES,
];

/// Limit of listed kinds of misses.
const MOST: usize = 5;

/// Writes a few lines, or nothing if nothing was measured.
pub fn summary(results: &Results) -> String {
    let rows = &results.rows;
    if rows.is_empty() {
        return String::new();
    }
    let head = ["times faster, least – largest".to_string()].into_iter();
    let mut table = super::table(head.chain(SHOWN.map(|q| q.heading().to_string())));
    let single = |r: &Row| r.mode == Mode::Single && r.opponent == opponents::NATIVE;
    let mut line = |title: &str, pick: &dyn Fn(&Row) -> bool| {
        let cells = SHOWN.map(|quantity| range(rows.iter().filter(|r| r.quantity == quantity && pick(r))));
        if cells.iter().any(Option::is_some) {
            table.row([title.to_string()].into_iter().chain(cells.map(|c| c.unwrap_or_else(|| "–".into()))));
        }
    };
    line("robots, one state a call", &|r| single(r) && !is_tree(r));
    line("chains and trees, one state a call", &|r| single(r) && is_tree(r));
    line("robots, a state of many, one core", &|r| {
        r.mode == Mode::Batch && r.opponent == opponents::NATIVE && !is_tree(r)
    });
    line("robots, one state a call from Python", &|r| r.mode == Mode::Python);
    line("two threads over one", &|r| r.mode == Mode::Threads);
    line("`f32` over `f64` in a batch", &|r| r.opponent == opponents::DOUBLE);
    format!("## In short\n\n{}\n\n{}\n{}", who(rows), table.markdown(), misses(rows))
}

fn who(rows: &[Row]) -> String {
    let count = |tree: bool| {
        let mut all: Vec<(&str, usize)> =
            rows.iter().filter(|r| is_tree(r) == tree).map(|r| (robot_of(r), r.nv)).collect();
        all.sort_unstable();
        all.dedup();
        let sizes = all.iter().map(|&(_, nv)| nv);
        (all.len(), sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0))
    };
    let ((robots, least, most), (trees, short, long)) = (count(false), count(true));
    let mut parts = Vec::new();
    if robots > 0 {
        parts.push(format!("{robots} robots of {least} to {most} degrees of freedom"));
    }
    if trees > 0 {
        parts.push(format!("{trees} chains and trees of {short} to {long} links"));
    }
    format!("dtau against the fastest build of Pinocchio on {}.", parts.join(" and "))
}

/// Returns the robot, also for a scene such as "hyq, four feet".
fn robot_of(row: &Row) -> &str {
    row.robot.split(", ").next().unwrap_or_default()
}

/// Returns the least and the largest ratio.
fn range<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<String> {
    let (least, most) = rows.fold((f64::INFINITY, 0.0), |(a, b), r| (f64::min(a, r.ratio), f64::max(b, r.ratio)));
    (most > 0.0).then(|| format!("{least:.1} – {most:.1}"))
}

/// Writes the floors reached, those missed most often, and the cases in which Pinocchio is faster.
fn misses(rows: &[Row]) -> String {
    let mut groups: Vec<Group> = Vec::new();
    for row in rows.iter().filter(|r| r.floor.is_some()) {
        let name = format!("{} {}", versus(row), row.quantity.heading());
        let at = groups.iter().position(|g| g.name == name).unwrap_or_else(|| {
            groups.push(Group { name, promised: 0, missed: 0 });
            groups.len() - 1
        });
        groups[at].promised += 1;
        groups[at].missed += usize::from(row.misses());
    }
    let (promised, missed) = groups.iter().fold((0, 0), |(p, m), g| (p + g.promised, m + g.missed));
    let mut out = format!("- Floors: {} of {promised} reached.", promised - missed);
    groups.retain(|g| g.missed > 0);
    groups.sort_by_key(|g| std::cmp::Reverse(g.missed));
    let told: Vec<String> =
        groups.iter().take(MOST).map(|g| format!("{} ({} of {})", g.name, g.missed, g.promised)).collect();
    if !told.is_empty() {
        out += &format!(" Missed most often: {}.", told.join(", "));
    }
    let against = |r: &&Row| {
        r.mode != Mode::Threads && r.opponent != opponents::DOUBLE && r.quantity.first().is_none() // excludes dtau's own
    };
    let slower: Vec<&Row> = rows.iter().filter(against).filter(|r| r.ratio < 1.0).collect();
    if !slower.is_empty() {
        let mut names: Vec<&str> = slower.iter().map(|r| r.robot.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let worst = slower.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let worst = worst.map_or(String::new(), |r| {
            format!("; the worst is {} {} of {}, {:.2}", versus(r), r.quantity.heading(), r.robot, r.ratio)
        });
        out += &format!(
            "\n- Pinocchio is faster in {} of {} comparisons, on {}{worst}.",
            slower.len(),
            rows.iter().filter(against).count(),
            names.join(", ")
        );
    }
    out
}

struct Group {
    name: String,
    promised: usize,
    missed: usize,
}

/// Describes the mode of the call in a word or two.
pub fn versus(row: &Row) -> String {
    match row.opponent.as_str() {
        opponents::DOUBLE => format!("{}, f32", row.mode.name()),
        opponents::SHIPPED => format!("{}, wheel", row.mode.name()),
        opponents::FORGETTING => format!("{}, one result kept", row.mode.name()),
        _ => row.mode.name().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn the_summary_has_ranges_floors_and_what_is_slower() {
        let rows = vec![
            row("ur3", Quantity::RNEA, 1.5, Some(1.3)),
            row("hyq", Quantity::RNEA, 1.8, Some(1.3)),
            row("ur3", Quantity::CRBA, 0.9, Some(1.3)),
            row("chain_10", Quantity::RNEA, 2.0, Some(1.3)),
            row("hyq, four feet", Quantity::CONSTRAINED_FD, 2.0, Some(1.5)),
        ];
        let text = summary(&Results { rows, ..Results::default() });
        assert!(text.contains("2 robots of 6 to 6 degrees of freedom and 1 chains and trees"), "{text}");
        assert!(text.contains("| robots, one state a call | 1.5 – 1.8 | – | 0.9 – 0.9 |"), "{text}");
        assert!(text.contains("4 of 5 reached. Missed most often: single crba (1 of 1)."), "{text}");
        assert!(
            text.contains("faster in 1 of 5 comparisons, on ur3; the worst is single crba of ur3, 0.90."),
            "{text}"
        );
    }
}
