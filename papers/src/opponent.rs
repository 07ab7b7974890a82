//! Pinocchio's times, from a run of `bench/`.

use dtau_cli::failure::Failure;
use serde::Deserialize;
use std::path::Path;

/// A run of bench/.
#[derive(Clone, Debug)]
pub struct Opponent {
    rows: Vec<Row>,
    label: String,
}

#[derive(Clone, Debug, Deserialize)]
struct File {
    #[serde(default)]
    facts: Vec<(String, String)>,
    comparisons: Vec<Comparison>,
}

/// A table of `bench/src/stored.rs`; the first number of a cell is the opponent's time.
#[derive(Clone, Debug, Deserialize)]
struct Comparison {
    mode: String,
    opponent: String,
    quantities: Vec<String>,
    robots: Vec<(String, usize, Vec<Option<Cell>>)>,
}

type Cell = Vec<Option<f64>>;

#[derive(Clone, Debug)]
struct Row {
    robot: String,
    quantity: String,
    opponent: String,
    opponent_ns: f64,
}

impl Comparison {
    fn rows(&self) -> impl Iterator<Item = Row> {
        self.robots.iter().flat_map(move |(robot, _, cells)| {
            self.quantities.iter().zip(cells).filter_map(move |(quantity, cell)| {
                let opponent_ns = cell.as_ref()?.first().copied()??;
                let (robot, quantity) = (robot.clone(), quantity.clone());
                Some(Row { robot, quantity, opponent: self.opponent.clone(), opponent_ns })
            })
        })
    }
}

impl Opponent {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::input(format!("--pinocchio: {shown}: {error}; bench/run.sh writes it, or give another file"))
        })?;
        let file: File = serde_json::from_str(&text)
            .map_err(|error| Failure::input(format!("--pinocchio: {shown} is not a result of bench/: {error}")))?;
        let fact = |name: &str| file.facts.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let label = [fact("processor"), fact("date")].into_iter().flatten().collect::<Vec<_>>().join(", ");
        // The fastest build comes first.
        let single = file.comparisons.iter().filter(|comparison| comparison.mode == "single");
        let mut rows: Vec<Row> = single.flat_map(Comparison::rows).collect();
        if rows.is_empty() {
            return Err(Failure::input(format!("--pinocchio: {shown} has no times of single states")));
        }
        rows.sort_by(|a, b| a.opponent_ns.total_cmp(&b.opponent_ns));
        Ok(Self { rows, label })
    }

    /// Processor and date of the run.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Least time of a quantity \[ns\] by Pinocchio's fastest build, and the name of that build.
    pub fn time(&self, robot: &str, quantity: &str) -> Option<(f64, &str)> {
        let row = self.rows.iter().find(|row| row.robot == robot && row.quantity == quantity)?;
        Some((row.opponent_ns, &row.opponent))
    }

    /// Same as [`time`](Self::time), for a generated tree.
    pub fn time_of_tree(&self, n: usize, bf: usize, quantity: &str) -> Option<(f64, &str)> {
        let name = if bf == 1 { format!("chain_{n}") } else { format!("tree_bf{bf}_{n}") };
        self.time(&name, quantity)
    }
}
