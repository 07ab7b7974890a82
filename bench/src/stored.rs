//! Storage format of results: each comparison is a table of robots and quantities, one robot per line.
//!
//! A run has more than a thousand rows, which took half a megabyte with all names and digits. Here, names
//! appear once per table, ratios and floors are recomputed, and numbers have only significant digits.

use crate::limit::Count;
use crate::quantity::Quantity;
use crate::row::{Mode, Row, floor};
use serde::{Deserialize, Serialize};

/// Times of one mode, scalar and opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    mode: Mode,
    scalar: String,
    opponent: String,
    /// Names of the opponent's ways. Cells have their indices, from 0.
    ways: Vec<String>,
    /// Columns of the table.
    quantities: Vec<Quantity>,
    robots: Vec<Line>,
}

/// Name of a robot, its degrees of freedom, and a cell for each quantity.
pub type Line<C = Cell> = (String, usize, Vec<Option<C>>);

/// Times of the opponent and of dtau \[ns\], their spreads, the largest difference of results, and the
/// opponent's way.
pub type Cell = (f64, f64, f64, f64, Option<f64>, usize);

impl Comparison {
    /// Puts all rows into tables, in order.
    pub fn of(rows: &[Row]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for row in rows {
            let of_row = |c: &Self| (c.mode, &c.scalar, &c.opponent) == (row.mode, &row.scalar, &row.opponent);
            let at = all.iter().position(of_row).unwrap_or_else(|| {
                all.push(Self {
                    mode: row.mode,
                    scalar: row.scalar.clone(),
                    opponent: row.opponent.clone(),
                    ways: Vec::new(),
                    quantities: Vec::new(),
                    robots: Vec::new(),
                });
                all.len() - 1
            });
            all[at].push(row);
        }
        all
    }

    fn push(&mut self, row: &Row) {
        let way = place(&mut self.ways, &row.opponent_way);
        let cell = (
            digits(row.opponent_ns, 4),
            digits(row.dtau_ns, 4),
            hundredths(row.opponent_spread),
            hundredths(row.dtau_spread),
            row.difference.map(|x| digits(x, 2)),
            way,
        );
        put(&mut self.quantities, &mut self.robots, (&row.robot, row.nv, row.quantity), cell);
    }

    /// Returns the rows. Ratios and floors are recomputed.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.robots.iter().flat_map(move |(robot, nv, cells)| {
            let cells = self.quantities.iter().zip(cells).filter_map(|(quantity, cell)| Some((*quantity, (*cell)?)));
            cells.map(move |(quantity, (opponent_ns, dtau_ns, opponent_spread, dtau_spread, difference, way))| Row {
                robot: robot.clone(),
                nv: *nv,
                quantity,
                mode: self.mode,
                scalar: self.scalar.clone(),
                opponent: self.opponent.clone(),
                opponent_way: self.ways.get(way).cloned().unwrap_or_default(),
                opponent_ns,
                dtau_ns,
                ratio: opponent_ns / dtau_ns,
                floor: floor(quantity, self.mode, &self.opponent, robot, *nv),
                opponent_spread,
                dtau_spread,
                difference,
            })
        })
    }

    /// Returns JSON with one robot per line, so that differences of stored files are readable.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let head = serde_json::to_string(&Self { robots: Vec::new(), ..self.clone() })?;
        Ok(head.replace("\"robots\":[]", &format!("\"robots\":{}", super::results::lines(&self.robots, "      ")?)))
    }
}

/// Operations per call: multiply-adds, other floating-point instructions, sine–cosine pairs, bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    quantities: Vec<Quantity>,
    robots: Vec<Line<(u64, u64, u64, u64)>>,
}

impl Counts {
    /// Puts all counts into one table.
    pub fn of(counts: &[Count]) -> Self {
        let mut all = Self::default();
        for count in counts {
            let cell = (count.mul_adds, count.others, count.trigs, count.bytes);
            put(&mut all.quantities, &mut all.robots, (&count.robot, count.nv, count.quantity), cell);
        }
        all
    }

    /// Returns the counts.
    pub fn counts(&self) -> impl Iterator<Item = Count> {
        self.robots.iter().flat_map(move |(robot, nv, cells)| {
            let cells = self.quantities.iter().zip(cells).filter_map(|(quantity, cell)| Some((*quantity, (*cell)?)));
            cells.map(move |(quantity, (mul_adds, others, trigs, bytes))| Count {
                robot: robot.clone(),
                nv: *nv,
                quantity,
                mul_adds,
                others,
                trigs,
                bytes,
            })
        })
    }

    /// Returns JSON with one robot per line.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let quantities = serde_json::to_string(&self.quantities)?;
        let robots = super::results::lines(&self.robots, "    ")?;
        Ok(format!("{{\"quantities\":{quantities},\"robots\":{robots}}}"))
    }
}

/// Returns the index of `name` in `names`. Appends it if it is new.
fn place<T: PartialEq + Clone>(names: &mut Vec<T>, name: &T) -> usize {
    names.iter().position(|n| n == name).unwrap_or_else(|| {
        names.push(name.clone());
        names.len() - 1
    })
}

/// Puts a cell in its row and column.
fn put<C: Clone>(
    quantities: &mut Vec<Quantity>,
    robots: &mut Vec<Line<C>>,
    (robot, nv, quantity): (&str, usize, Quantity),
    cell: C,
) {
    let column = place(quantities, &quantity);
    let line = robots.iter().position(|(name, ..)| name == robot).unwrap_or_else(|| {
        robots.push((robot.into(), nv, Vec::new()));
        robots.len() - 1
    });
    let cells = &mut robots[line].2;
    if cells.len() <= column {
        cells.resize(column + 1, None);
    }
    cells[column] = Some(cell);
}

/// Rounds `x` to `count` significant digits.
pub fn digits(x: f64, count: usize) -> f64 {
    format!("{x:.*e}", count - 1).parse().unwrap_or(x)
}

/// Rounds `x` to two decimals. A spread of a thousandth is negligible.
fn hundredths(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::opponents;

    fn row(robot: &str, quantity: Quantity, mode: Mode, ns: f64) -> Row {
        Row {
            robot: robot.into(),
            nv: 6,
            quantity,
            mode,
            scalar: "f64".into(),
            opponent: opponents::NATIVE.into(),
            opponent_way: quantity.ways()[0].1.into(),
            opponent_ns: ns,
            dtau_ns: 100.0,
            ratio: ns / 100.0,
            floor: floor(quantity, mode, opponents::NATIVE, robot, 6),
            opponent_spread: 0.12,
            dtau_spread: 0.03,
            difference: Some(1.2e-14),
        }
    }

    #[test]
    fn rows_survive_but_for_their_order() {
        let rows = [
            row("ur3", Quantity::RNEA, Mode::Single, 123.4),
            row("ur3", Quantity::RNEA, Mode::Batch, 1e6),
            row("ur3", Quantity::ABA, Mode::Single, 300.0),
            row("ur5", Quantity::ABA, Mode::Single, 310.0), // without rnea
        ];
        let stored = Comparison::of(&rows);
        assert_eq!(stored.len(), 2);
        let text = stored[0].to_json().unwrap();
        assert_eq!(serde_json::from_str::<Comparison>(&text).unwrap(), stored[0]);
        let again: Vec<Row> = stored.iter().flat_map(Comparison::rows).collect();
        assert_eq!(again, [0, 2, 3, 1].map(|k| rows[k].clone()));
    }

    #[test]
    fn numbers_are_as_long_as_they_mean_something() {
        assert_eq!(digits(178.40684858212947, 5), 178.41);
        assert_eq!(digits(0.0, 2), 0.0);
        assert_eq!(digits(2.2860464327401855e-16, 2), 2.3e-16);
        assert_eq!(digits(2_671_787.0, 5), 2_671_800.0);
    }
}
