//! Times and operations over the number of links: what most figures of the papers are.

use super::lab::Lab;
use crate::plot::{Axis, Lines, Mark, Plot, Point, Series, Stroke, Unit};
use crate::timing::Timing;
use crate::work::Work;
use dtau_methods::list::Quantity;

/// A curve: a work on trees of one branching factor.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    pub name: &'static str,
    pub work: Work,
    pub bf: usize,
    pub hue: usize,
}

impl Curve {
    pub fn new(name: &'static str, work: Work, hue: usize) -> Self {
        Self { name, work, bf: 1, hue }
    }

    /// The curves on chains and trees of branching factors 1, 2 and 5.
    pub fn branching(curves: &[Curve]) -> Vec<Curve> {
        [1, 2, 5].into_iter().flat_map(|bf| curves.iter().map(move |curve| Curve { bf, ..*curve })).collect()
    }
}

/// A method of the list, by name.
pub fn method(quantity: Quantity, name: &str) -> Result<Work, String> {
    Work::method(quantity, name).ok_or_else(|| format!("the list of methods has no {name}"))
}

/// What was measured.
pub struct Sweep {
    pub rows: Vec<Row>,
}

/// A curve, measured.
pub struct Row {
    pub name: String,
    pub bf: usize,
    pub hue: usize,
    pub points: Vec<Measured>,
}

#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub n: usize,
    pub time: Timing,
    pub operations: Option<f64>,
}

impl Row {
    fn dash(&self) -> Stroke {
        match self.bf {
            1 => Stroke::Solid,
            2 => Stroke::Dotted,
            _ => Stroke::Dashed,
        }
    }

    fn series(&self, label: &str, points: Vec<Point>) -> Series {
        Series { name: label.into(), hue: self.hue, dash: self.dash(), points }
    }

    pub fn at(&self, n: usize) -> Option<&Measured> {
        self.points.iter().find(|m| m.n == n)
    }
}

/// Measures curves over the sizes of the settings; those of one tree take turns.
pub fn sweep(lab: &mut Lab<'_>, curves: &[Curve]) -> Result<Sweep, String> {
    sweep_up_to(lab, curves, usize::MAX)
}

/// The same over the sizes up to one.
pub fn sweep_up_to(lab: &mut Lab<'_>, curves: &[Curve], largest: usize) -> Result<Sweep, String> {
    let row = |curve: &Curve| Row { name: curve.name.into(), bf: curve.bf, hue: curve.hue, points: Vec::new() };
    let mut rows: Vec<Row> = curves.iter().map(row).collect();
    let sizes: Vec<usize> = lab.settings.sizes.iter().copied().filter(|&n| n <= largest).collect();
    let mut factors: Vec<usize> = curves.iter().map(|curve| curve.bf).collect();
    factors.sort_unstable();
    factors.dedup();
    // The time of a size grows about as its square.
    let whole: f64 = sizes.iter().map(|&n| weight(n)).sum::<f64>() * factors.len() as f64;
    let mut done = 0.0;
    for bf in factors {
        for &n in &sizes {
            lab.at(&format!("{n} links, branching factor {bf}"), done / whole);
            let subject = lab.tree(n, bf)?;
            let mine: Vec<usize> = (0..curves.len()).filter(|&k| curves[k].bf == bf).collect();
            let works: Vec<Work> = mine.iter().map(|&k| curves[k].work).collect();
            let times = lab.times(&subject, &works)?;
            for ((k, work), time) in mine.into_iter().zip(works).zip(times) {
                let operations = lab.operations(&subject, work)?;
                rows[k].points.push(Measured { n, time, operations });
            }
            done += weight(n);
        }
    }
    Ok(Sweep { rows })
}

fn weight(n: usize) -> f64 {
    let n = n as f64;
    1.0 + n * n / 2e4
}

impl Sweep {
    /// The row of a curve.
    pub fn row(&self, name: &str, bf: usize) -> Result<&Row, String> {
        self.rows.iter().find(|row| row.name == name && row.bf == bf).ok_or_else(|| format!("no curve {name}"))
    }

    /// Adds, for every branching factor, the better of two curves at every size: FDSVA as the papers run it.
    pub fn add_better(&mut self, name: &str, first: &str, second: &str, hue: usize) -> Result<(), String> {
        let factors: Vec<usize> = self.rows.iter().filter(|row| row.name == first).map(|row| row.bf).collect();
        for bf in factors {
            let (a, b) = (self.row(first, bf)?, self.row(second, bf)?);
            let better = |(a, b): (&Measured, &Measured)| if a.time.min <= b.time.min { *a } else { *b };
            let points = a.points.iter().zip(&b.points).map(better).collect();
            self.rows.push(Row { name: name.into(), bf, hue, points });
        }
        Ok(())
    }

    fn label(&self, row: &Row) -> String {
        let several = self.rows.iter().any(|other| other.bf != row.bf);
        if several { format!("{}, bf {}", row.name, row.bf) } else { row.name.clone() }
    }

    /// Times, means with a band from the 10th to the 90th percentile.
    pub fn times(&self, title: &str, names: &[&str]) -> Plot {
        let point = |m: &Measured| {
            let Timing { min, mean, low, high, .. } = m.time;
            Some(Point { x: m.n as f64, y: mean, min: Some(min), low: Some(low), high: Some(high) })
        };
        self.plot(title, Axis::log("time, mean of many runs; band: 10–90 %", Unit::Time), names, point)
    }

    /// The machine-independent axis.
    pub fn operations(&self, title: &str, names: &[&str]) -> Plot {
        let point = |m: &Measured| Some(Point::new(m.n as f64, m.operations?));
        self.plot(title, Axis::log("floating-point operations, a multiply-add is one", Unit::Number), names, point)
    }

    /// Nanoseconds an operation.
    pub fn pace(&self, title: &str, names: &[&str]) -> Plot {
        let point = |m: &Measured| Some(Point::new(m.n as f64, m.time.mean / m.operations?));
        self.plot(title, Axis::log("ns an operation", Unit::Number), names, point)
    }

    fn plot(&self, title: &str, y: Axis, names: &[&str], point: impl Fn(&Measured) -> Option<Point>) -> Plot {
        let chosen = self.rows.iter().filter(|row| names.contains(&row.name.as_str()));
        let series = chosen.map(|row| row.series(&self.label(row), row.points.iter().filter_map(&point).collect()));
        let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
        Plot::Lines(Lines { title: title.into(), x: links(), y, series, marks: vec![] })
    }

    /// How many times faster: pairs of a slower and a faster curve.
    pub fn ratios(&self, title: &str, pairs: &[(&str, &str)], marks: Vec<Mark>) -> Result<Plot, String> {
        let mut series = Vec::new();
        for (k, (slow, fast)) in pairs.iter().enumerate() {
            for row in self.rows.iter().filter(|row| row.name == *slow) {
                let other = self.row(fast, row.bf)?;
                let label = self.label(row).replace(slow, &format!("{slow} / {fast}"));
                let mut line = row.series(&label, ratio_points(row, other));
                line.hue = if pairs.len() > 1 { k } else { row.hue };
                series.push(line);
            }
        }
        let y = Axis::log("how many times faster", Unit::Ratio);
        Ok(Plot::Lines(Lines { title: title.into(), x: links(), y, series, marks }))
    }

    /// The ratio of two curves at a size.
    pub fn ratio(&self, slow: &str, fast: &str, bf: usize, n: usize) -> Result<Option<Ratio>, String> {
        let (slow, fast) = (self.row(slow, bf)?, self.row(fast, bf)?);
        let both = slow.at(n).zip(fast.at(n));
        Ok(both.map(|(a, b)| Ratio { mean: a.time.mean / b.time.mean, least: a.time.min / b.time.min }))
    }

    /// The ratios of two curves at all sizes.
    pub fn all_ratios(&self, slow: &str, fast: &str, bf: usize) -> Result<Vec<(f64, Ratio)>, String> {
        let (slow, fast) = (self.row(slow, bf)?, self.row(fast, bf)?);
        let both = slow.points.iter().zip(&fast.points);
        let ratio = |(a, b): (&Measured, &Measured)| {
            (a.n as f64, Ratio { mean: a.time.mean / b.time.mean, least: a.time.min / b.time.min })
        };
        Ok(both.map(ratio).collect())
    }

    /// Where the first curve stops being the faster one.
    pub fn crossover(&self, first: &str, second: &str, bf: usize) -> Result<Crossover, String> {
        Ok(Crossover::of(&self.all_ratios(first, second, bf)?))
    }
}

fn links() -> Axis {
    Axis::log("number of links N", Unit::Number)
}

fn ratio_points(slow: &Row, fast: &Row) -> Vec<Point> {
    let ratio = |(a, b): (&Measured, &Measured)| Point {
        x: a.n as f64,
        y: a.time.mean / b.time.mean,
        min: Some(a.time.min / b.time.min),
        low: Some(a.time.low / b.time.high),
        high: Some(a.time.high / b.time.low),
    };
    slow.points.iter().zip(&fast.points).map(ratio).collect()
}

/// How many times faster: by the least times, which noise does not reach and verdicts go by, and by means as in the papers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub mean: f64,
    pub least: f64,
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}× (means {}×)", short(self.least), short(self.mean))
    }
}

/// Two digits, or three where the first is a one or two.
pub fn short(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

/// From which size on the second of two is the faster one, by the least times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Crossover {
    /// At every size from this one on, the smallest measured.
    Always(f64),
    At(f64),
    /// At none up to this one, the largest measured.
    Never(f64),
}

impl Crossover {
    /// Of the first's time over the second's, by size: between the last two sizes where it passes 1.
    pub fn of(ratios: &[(f64, Ratio)]) -> Self {
        let Some(last_below) = ratios.iter().rposition(|(_, ratio)| ratio.least <= 1.0) else {
            return Self::Always(ratios.first().map_or(f64::NAN, |(n, _)| *n));
        };
        match ratios.get(last_below + 1) {
            None => Self::Never(ratios[last_below].0),
            Some(&(above, over)) => {
                let (below, under) = ratios[last_below];
                let share = -under.least.ln() / (over.least / under.least).ln();
                Self::At(below * (above / below).powf(share))
            }
        }
    }

    pub fn marks(self) -> Vec<Mark> {
        match self {
            Self::At(x) => vec![Mark { x, name: format!("N = {x:.0}") }],
            _ => vec![],
        }
    }

    /// A number to compare with: the size itself, or one beyond what was measured.
    pub fn value(self) -> f64 {
        match self {
            Self::Always(_) => 0.0,
            Self::At(x) => x,
            Self::Never(_) => f64::INFINITY,
        }
    }
}

impl std::fmt::Display for Crossover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Always(n) => write!(f, "below {n:.0}"),
            Self::At(x) => write!(f, "{x:.0}"),
            Self::Never(n) => write!(f, "above {n:.0}"),
        }
    }
}

/// Slope and correlation of log y over log x.
pub fn log_log_fit(points: &[(f64, f64)]) -> (f64, f64) {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / count;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let [sxx, sxy, syy] = logs.iter().fold([0.0; 3], |[xx, xy, yy], (x, y)| {
        [xx + (x - mx) * (x - mx), xy + (x - mx) * (y - my), yy + (y - my) * (y - my)]
    });
    (sxy / sxx, sxy / (sxx * syy).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossovers_are_between_the_sizes_that_enclose_them() {
        let ratios = |values: &[f64]| -> Vec<(f64, Ratio)> {
            values.iter().enumerate().map(|(k, &r)| (10f64.powi(k as i32), Ratio { mean: r, least: r })).collect()
        };
        assert_eq!(Crossover::of(&ratios(&[2.0, 3.0])), Crossover::Always(1.0));
        assert_eq!(Crossover::of(&ratios(&[0.5, 0.9])), Crossover::Never(10.0));
        let Crossover::At(x) = Crossover::of(&ratios(&[0.5, 2.0])) else { panic!() };
        assert!((x - 10f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_power_law_is_a_line() {
        let points: Vec<(f64, f64)> = (1..9).map(|k| (f64::from(k), 3.0 * f64::from(k).powi(2))).collect();
        let (slope, correlation) = log_log_fit(&points);
        assert!((slope - 2.0).abs() < 1e-12 && (correlation - 1.0).abs() < 1e-12);
    }
}
