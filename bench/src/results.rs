//! All results, as JSON.

use crate::limit::Count;
use crate::quantity::Quantity;
use crate::row::Row;
use crate::stored::{Comparison, Counts, digits};
use crate::ways::WayTimes;
use serde::{Deserialize, Serialize};

/// Results of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "File")]
pub struct Results {
    /// Names and values of additional facts.
    pub facts: Vec<(String, String)>,
    /// Measurements that were not possible, with the reason.
    pub notices: Vec<String>,
    /// Peak of one core: multiply-adds of `f64` per nanosecond.
    pub peak: Option<f64>,
    /// The comparisons.
    pub rows: Vec<Row>,
    /// Operations per call.
    pub counts: Vec<Count>,
    /// Times of the ways for ∂FD.
    pub ways: Vec<WayTimes>,
    /// Instruction counts, from `bench/results/instructions.json`.
    pub instructions: Option<Instructions>,
}

/// Results in a file. python_bench.py writes single rows. Older files contain single rows and single counts
/// instead of tables.
#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    facts: Vec<(String, String)>,
    notices: Vec<String>,
    peak: Option<f64>,
    rows: Vec<Row>,
    comparisons: Vec<Comparison>,
    counts: StoredCounts,
    ways: Vec<WayTimes>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StoredCounts {
    Table(Counts),
    Single(Vec<Count>),
}

impl Default for StoredCounts {
    fn default() -> Self {
        Self::Single(Vec::new())
    }
}

impl From<File> for Results {
    fn from(file: File) -> Self {
        let File { facts, notices, peak, mut rows, comparisons, counts, ways } = file;
        rows.extend(comparisons.iter().flat_map(Comparison::rows));
        let counts = match counts {
            StoredCounts::Table(table) => table.counts().collect(),
            StoredCounts::Single(counts) => counts,
        };
        Self { facts, notices, peak, rows, counts, ways, instructions: None }
    }
}

/// Content of the file that `bench/counts.sh` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instructions {
    /// Version of the compiler.
    pub compiler: String,
    /// Counts of each kernel.
    pub counts: Vec<KernelCount>,
}

/// Counts of a kernel under valgrind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCount {
    /// One of the bundled robots.
    pub robot: String,
    /// Quantity that is computed.
    pub quantity: Quantity,
    /// Instructions of one warm call.
    pub instructions: u64,
    /// Bytes of all cache lines that the call reads or writes.
    pub bytes_touched: u64,
    /// Bytes of its arguments and results.
    pub bytes_in_and_out: u64,
}

impl Results {
    /// Adds the results of another run.
    pub fn merge(&mut self, other: Results) {
        self.rows.extend(other.rows);
        self.counts.extend(other.counts);
        self.ways.extend(other.ways);
        self.peak = self.peak.or(other.peak);
        for fact in other.facts {
            if !self.facts.contains(&fact) {
                self.facts.push(fact);
            }
        }
        self.notices.extend(other.notices);
    }

    /// Returns JSON with one robot per line, so that differences of stored files are readable. Numbers are
    /// rounded to significant digits.
    ///
    /// # Errors
    /// Does not fail for measured results.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let comparisons = Comparison::of(&self.rows).iter().map(Comparison::to_json).collect::<Result<Vec<_>, _>>()?;
        let ways: Vec<WayTimes> = self.ways.iter().map(WayTimes::rounded).collect();
        let fields = [
            ("facts", lines(&self.facts, "    ")?),
            ("notices", lines(&self.notices, "    ")?),
            ("peak", serde_json::to_string(&self.peak.map(|x| digits(x, 5)))?),
            ("comparisons", shorter(&list(&comparisons, "    "))),
            ("counts", Counts::of(&self.counts).to_json()?),
            ("ways", lines(&ways, "    ")?),
        ];
        let fields = fields.map(|(name, value)| format!("  \"{name}\": {value}"));
        Ok(format!("{{\n{}\n}}\n", fields.join(",\n")))
    }
}

/// Writes JSON with one item per line.
pub(crate) fn lines<T: Serialize>(items: &[T], indent: &str) -> serde_json::Result<String> {
    let lines: Vec<String> = items.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(list(&lines, indent))
}

/// Writes integers in tables without ".0". Names of robots and quantities do not contain it.
fn shorter(tables: &str) -> String {
    tables.replace(".0,", ",").replace(".0]", "]")
}

fn list(items: &[String], indent: &str) -> String {
    let end = &indent[2..];
    if items.is_empty() { "[]".into() } else { format!("[\n{indent}{}\n{end}]", items.join(&format!(",\n{indent}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_json_and_a_part_may_have_rows_alone() {
        let text = r#"{"rows": [{"robot": "hyq", "nv": 18, "quantity": "rnea", "mode": "python", "scalar": "f64",
            "opponent": "Pinocchio, from Python", "opponent_way": "rnea", "opponent_ns": 3000.0, "dtau_ns": 1500.0,
            "ratio": 2.0, "floor": null, "opponent_spread": 0.1, "dtau_spread": 0.1, "difference": 1e-14}],
            "counts": [{"robot": "hyq", "nv": 18, "quantity": "rnea", "mul_adds": 5, "others": 4, "trigs": 3, "bytes": 2}],
            "notices": ["a notice"]}"#;
        let part: Results = serde_json::from_str(text).unwrap();
        let mut all = Results { peak: Some(19.5), facts: vec![("cores".into(), "2".into())], ..Results::default() };
        all.merge(part);
        assert_eq!((all.rows.len(), all.counts.len(), all.peak, all.notices.len()), (1, 1, Some(19.5), 1));
        let again: Results = serde_json::from_str(&all.to_json().unwrap()).unwrap();
        assert_eq!(again, all);
    }
}
