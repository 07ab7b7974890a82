//! All that was measured, as JSON.

use crate::limit::Count;
use crate::quantity::Quantity;
use crate::row::Row;
use crate::ways::WayTimes;
use serde::{Deserialize, Serialize};

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Name and value of what else should be known.
    #[serde(default)]
    pub facts: Vec<(String, String)>,
    /// What could not be measured, and why.
    #[serde(default)]
    pub notices: Vec<String>,
    /// Multiply-adds of `f64` a nanosecond that one core can make.
    #[serde(default)]
    pub peak: Option<f64>,
    /// The comparisons.
    pub rows: Vec<Row>,
    /// Operations of a call.
    #[serde(default)]
    pub counts: Vec<Count>,
    /// The ways to ∂FD.
    #[serde(default)]
    pub ways: Vec<WayTimes>,
    /// Instruction counts, from `bench/results/instructions.json`.
    #[serde(skip)]
    pub instructions: Option<Instructions>,
}

/// What `bench/counts.sh` stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instructions {
    /// Version of the compiler.
    pub compiler: String,
    /// One for each kernel.
    pub counts: Vec<KernelCount>,
}

/// A kernel under valgrind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCount {
    /// One of dtau's own robots.
    pub robot: String,
    /// What is computed.
    pub quantity: Quantity,
    /// Instructions of one warm call.
    pub instructions: u64,
    /// Bytes of all cache lines that it reads or writes.
    pub bytes_touched: u64,
    /// Bytes of its arguments and results.
    pub bytes_in_and_out: u64,
}

impl Results {
    /// Adds what another run measured.
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

    /// As JSON, one row a line, so that changes of a stored file can be read.
    ///
    /// # Errors
    /// None for results that were measured.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let fields = [
            ("facts", lines(&self.facts)?),
            ("notices", lines(&self.notices)?),
            ("peak", serde_json::to_string(&self.peak)?),
            ("rows", lines(&self.rows)?),
            ("counts", lines(&self.counts)?),
            ("ways", lines(&self.ways)?),
        ];
        let fields = fields.map(|(name, value)| format!("  \"{name}\": {value}"));
        Ok(format!("{{\n{}\n}}\n", fields.join(",\n")))
    }
}

fn lines<T: Serialize>(items: &[T]) -> serde_json::Result<String> {
    let lines: Vec<String> = items.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(if lines.is_empty() { "[]".into() } else { format!("[\n    {}\n  ]", lines.join(",\n    ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_json_and_a_part_may_have_rows_alone() {
        let text = r#"{"rows": [{"robot": "hyq", "nv": 18, "quantity": "rnea", "mode": "python", "scalar": "f64",
            "opponent": "Pinocchio, from Python", "opponent_way": "rnea", "opponent_ns": 3000.0, "dtau_ns": 1500.0,
            "ratio": 2.0, "floor": null, "opponent_spread": 0.1, "dtau_spread": 0.1, "difference": 1e-14}],
            "notices": ["a notice"]}"#;
        let part: Results = serde_json::from_str(text).unwrap();
        let mut all = Results { peak: Some(19.5), facts: vec![("cores".into(), "2".into())], ..Results::default() };
        all.merge(part);
        assert_eq!((all.rows.len(), all.peak, all.notices.len()), (1, Some(19.5), 1));
        let again: Results = serde_json::from_str(&all.to_json().unwrap()).unwrap();
        assert_eq!(again, all);
    }
}
