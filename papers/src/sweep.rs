//! Times and operations over the number of links: the content of most figures of the papers.

use super::figure::{Known, NEAR, Verdict, deciding};
use super::lab::Lab;
use crate::plot::{Axis, Lines, Mark, Plot, Point, Series, Stroke, Unit};
use crate::work::Work;
use dtau_cli::clock::Timing;
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

/// Times and operations of curves.
pub struct Sweep {
    pub rows: Vec<Row>,
}

/// Measurements of a curve.
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
    pub fn at(&self, n: usize) -> Option<&Measured> {
        self.points.iter().find(|m| m.n == n)
    }
}

/// Measures curves over the sizes of the settings, alternating between those of one tree.
pub fn sweep(lab: &mut Lab<'_>, curves: &[Curve]) -> Result<Sweep, String> {
    sweep_up_to(lab, curves, usize::MAX)
}

/// Same as [`sweep`], for sizes up to `largest`.
pub fn sweep_up_to(lab: &mut Lab<'_>, curves: &[Curve], largest: usize) -> Result<Sweep, String> {
    let row = |curve: &Curve| Row { name: curve.name.into(), bf: curve.bf, hue: curve.hue, points: Vec::new() };
    let mut rows: Vec<Row> = curves.iter().map(row).collect();
    let sizes: Vec<usize> = lab.settings.sizes.iter().copied().filter(|&n| n <= largest).collect();
    let mut factors: Vec<usize> = curves.iter().map(|curve| curve.bf).collect();
    factors.sort_unstable();
    factors.dedup();
    // The time of a size grows approximately as its square.
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

    /// Adds, for every branching factor, the better of two curves at every size: FDSVA as run in the papers.
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

    /// The branching factors, in order.
    fn factors(&self) -> Vec<usize> {
        let mut factors: Vec<usize> = self.rows.iter().map(|row| row.bf).collect();
        factors.sort_unstable();
        factors.dedup();
        factors
    }

    /// Least times, which decide the verdicts, with a band from the 10th to the 90th percentile; one plot for
    /// each branching factor.
    pub fn times(&self, title: &str, names: &[&str]) -> Vec<Plot> {
        let point = |m: &Measured| Some(Point::time(m.n as f64, &m.time));
        self.plots(title, &Axis::log("least time; band: 10–90 % of the runs", Unit::Time), names, point)
    }

    /// Operations, which do not depend on the machine.
    pub fn operations(&self, title: &str, names: &[&str]) -> Vec<Plot> {
        let point = |m: &Measured| Some(Point::new(m.n as f64, m.operations?));
        self.plots(title, &Axis::log("floating-point operations, a multiply-add is one", Unit::Number), names, point)
    }

    /// Nanoseconds per operation.
    pub fn pace(&self, title: &str, names: &[&str]) -> Vec<Plot> {
        let point = |m: &Measured| Some(Point::new(m.n as f64, m.time.min / m.operations?));
        self.plots(title, &Axis::log("ns an operation", Unit::Number), names, point)
    }

    fn plots(&self, title: &str, y: &Axis, names: &[&str], point: impl Fn(&Measured) -> Option<Point>) -> Vec<Plot> {
        let series = |bf: usize| -> Vec<Series> {
            let chosen = self.rows.iter().filter(|row| row.bf == bf && names.contains(&row.name.as_str()));
            let line = |row: &Row| Series {
                name: row.name.clone(),
                hue: row.hue,
                dash: Stroke::Solid,
                points: row.points.iter().filter_map(&point).collect(),
            };
            chosen.map(line).filter(|series| !series.points.is_empty()).collect()
        };
        self.by_factor(title, y, series)
    }

    /// One plot for each branching factor, all with the same range.
    fn by_factor(&self, title: &str, y: &Axis, series: impl Fn(usize) -> Vec<Series>) -> Vec<Plot> {
        let factors = self.factors();
        let all: Vec<(usize, Vec<Series>)> = factors.iter().map(|&bf| (bf, series(bf))).collect();
        let values =
            all.iter().flat_map(|(_, series)| series).flat_map(|s| &s.points).map(|p| p.y).filter(|y| *y > 0.0);
        let (low, high) = values.fold((f64::MAX, 0.0f64), |(low, high), y| (low.min(y), high.max(y)));
        let several = factors.len() > 1;
        let plot = |(bf, series)| {
            let title = match (several, bf) {
                (false, _) => title.to_string(),
                (true, 1) => format!("{title}: chains"),
                (true, _) => format!("{title}: bf {bf}"),
            };
            let reach = (several && low <= high).then_some((low, high));
            Plot::Lines(Lines { title, x: links(), y: y.clone(), series, marks: vec![], reach })
        };
        all.into_iter().map(plot).collect()
    }

    /// Speed-ups for pairs of a slower and a faster curve. One pair gives a curve for each branching factor;
    /// several pairs give a plot for each.
    pub fn ratios(&self, title: &str, pairs: &[(&str, &str)], marks: Vec<Mark>) -> Result<Vec<Plot>, String> {
        let y = Axis::log("how many times faster; band: how well that is known", Unit::Ratio);
        let mut lines = Vec::new();
        for (k, (slow, fast)) in pairs.iter().enumerate() {
            for row in self.rows.iter().filter(|row| row.name == *slow) {
                lines.push((k, row.bf, format!("{slow} / {fast}"), ratio_points(row, self.row(fast, row.bf)?)));
            }
        }
        if let [_] = pairs {
            let several = lines.len() > 1;
            let series = lines.into_iter().enumerate().map(|(k, (_, bf, name, points))| Series {
                name: if several { format!("bf {bf}") } else { name },
                hue: [1, 3, 4][k % 3],
                dash: [Stroke::Solid, Stroke::Dotted, Stroke::Dashed][k % 3],
                points,
            });
            let series = series.collect();
            return Ok(vec![Plot::Lines(Lines { title: title.into(), x: links(), y, series, marks, reach: None })]);
        }
        let of = |wanted: usize| -> Vec<Series> {
            let mine = lines.iter().filter(|(_, bf, ..)| *bf == wanted);
            let line = |(k, _, name, points): &(usize, usize, String, Vec<Point>)| Series {
                name: name.clone(),
                hue: *k,
                dash: Stroke::Solid,
                points: points.clone(),
            };
            mine.map(line).collect()
        };
        Ok(self.by_factor(title, &y, of))
    }

    /// Ratio of two curves at a size.
    pub fn ratio(&self, slow: &str, fast: &str, bf: usize, n: usize) -> Result<Option<Ratio>, String> {
        let (slow, fast) = (self.row(slow, bf)?, self.row(fast, bf)?);
        Ok(slow.at(n).zip(fast.at(n)).map(|(a, b)| Ratio::of(&a.time, &b.time)))
    }

    /// Ratios of two curves at all sizes.
    pub fn all_ratios(&self, slow: &str, fast: &str, bf: usize) -> Result<Vec<(f64, Ratio)>, String> {
        let (slow, fast) = (self.row(slow, bf)?, self.row(fast, bf)?);
        let both = slow.points.iter().zip(&fast.points);
        Ok(both.map(|(a, b)| (a.n as f64, Ratio::of(&a.time, &b.time))).collect())
    }

    /// Size from which the first curve is no longer the faster one.
    pub fn crossover(&self, first: &str, second: &str, bf: usize) -> Result<Crossing, String> {
        Ok(Crossing::of(&self.all_ratios(first, second, bf)?))
    }
}

fn links() -> Axis {
    Axis::log("number of links N", Unit::Number)
}

fn ratio_points(slow: &Row, fast: &Row) -> Vec<Point> {
    let point = |(a, b): (&Measured, &Measured)| {
        let Ratio { mean, least } = Ratio::of(&a.time, &b.time);
        Point { x: a.n as f64, y: least.value, mean: Some(mean), low: Some(least.low), high: Some(least.high) }
    };
    slow.points.iter().zip(&fast.points).map(point).collect()
}

/// Speed-up by the least times, which are free of noise and decide the verdicts, and by means as in the
/// papers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub mean: f64,
    pub least: Known,
}

/// Minimum uncertainty of a ratio: the same program differs by this much from run to run, due to its memory
/// layout.
const LEAST_DOUBT: f64 = 0.03;

impl Ratio {
    pub fn of(slow: &Timing, fast: &Timing) -> Self {
        let doubt = 1.0 + (slow.doubt + fast.doubt).max(LEAST_DOUBT);
        let value = slow.min / fast.min;
        Self { mean: slow.mean / fast.mean, least: Known { value, low: value / doubt, high: value * doubt } }
    }

    /// Verdict on whether it is faster.
    pub fn faster(self) -> Verdict {
        self.least.judge(|x| Verdict::of(x > 1.0))
    }

    /// Formats with the digits that distinguish it from the limits.
    pub fn beside(&self, limits: &[f64]) -> String {
        let text = self.least.beside(limits);
        let (value, range) = text.split_once(" (").unwrap_or((&text, ""));
        let range = range.strip_suffix(')').map_or_else(String::new, |range| format!("{range}; "));
        format!("{value}× ({range}means {}×)", short(self.mean))
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.beside(&[1.0]))
    }
}

/// Formats with about two digits.
pub fn short(ratio: f64) -> String {
    deciding(ratio, &[1.0])
}

/// Size from which the second of two is the faster one, by the least times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Crossover {
    /// At every measured size; the smallest is given.
    Always(f64),
    At(f64),
    /// At no measured size; the largest is given.
    Never(f64),
}

impl Crossover {
    /// From the first's time over the second's, by size: between the last two sizes where it passes 1.
    fn of(ratios: &[(f64, f64)]) -> Self {
        let Some(last_below) = ratios.iter().rposition(|(_, ratio)| *ratio <= 1.0) else {
            return Self::Always(ratios.first().map_or(f64::NAN, |(n, _)| *n));
        };
        match ratios.get(last_below + 1) {
            None => Self::Never(ratios[last_below].0),
            Some(&(above, over)) => {
                let (below, under) = ratios[last_below];
                let share = -under.ln() / (over / under).ln();
                Self::At(below * (above / below).powf(share))
            }
        }
    }

    /// Verdict on whether it comes before another; undecided if neither occurred up to the largest size.
    pub fn before(self, other: Self) -> Verdict {
        match (self, other) {
            (Self::Never(_), Self::Never(_)) => Verdict::Undecided,
            _ => Verdict::of(self.value() < other.value()),
        }
    }

    pub fn marks(self) -> Vec<Mark> {
        match self {
            Self::At(x) => vec![Mark { x, name: format!("N = {x:.0}") }],
            _ => vec![],
        }
    }

    /// A number for comparisons: the size, or one beyond the measured sizes.
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

/// A crossover with its earliest and latest position, from the uncertainty of the times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    pub at: Crossover,
    earliest: Crossover,
    latest: Crossover,
}

impl Crossing {
    pub fn of(ratios: &[(f64, Ratio)]) -> Self {
        let by = |pick: fn(Known) -> f64| {
            let picked: Vec<(f64, f64)> = ratios.iter().map(|(n, ratio)| (*n, pick(ratio.least))).collect();
            Crossover::of(&picked)
        };
        Self { at: by(|r| r.value), earliest: by(|r| r.high), latest: by(|r| r.low) }
    }

    /// Format for a cell of a table, which is narrow on a phone.
    pub fn cell(self) -> String {
        let Self { at, earliest, latest } = self;
        if latest.value() <= 1.25 * earliest.value() { at.to_string() } else { format!("{earliest} … {latest}") }
    }

    /// The verdict that holds over the whole range.
    pub fn judge(self, verdict: impl Fn(Crossover) -> Verdict) -> Verdict {
        verdict(self.earliest).agreed(verdict(self.at)).agreed(verdict(self.latest))
    }

    /// Verdict on whether it is near the size given in a paper. A crossover that did not occur is undecided
    /// if that size was not measured.
    pub fn near(self, paper: f64) -> Verdict {
        self.judge(|at| match at {
            Crossover::Never(largest) if largest < paper * NEAR => Verdict::Undecided,
            at => Verdict::of_ratio(paper, Known { value: at.value(), low: at.value(), high: at.value() }),
        })
    }
}

impl std::fmt::Display for Crossing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { at, earliest, latest } = self;
        match latest.value() <= 1.25 * earliest.value() {
            true => write!(f, "{at}"),
            false => write!(f, "{at} (between {earliest} and {latest})"),
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
        let ratios = |values: &[f64]| -> Vec<(f64, f64)> {
            values.iter().enumerate().map(|(k, &r)| (10f64.powi(k as i32), r)).collect()
        };
        assert_eq!(Crossover::of(&ratios(&[2.0, 3.0])), Crossover::Always(1.0));
        assert_eq!(Crossover::of(&ratios(&[0.5, 0.9])), Crossover::Never(10.0));
        let Crossover::At(x) = Crossover::of(&ratios(&[0.5, 2.0])) else { panic!() };
        assert!((x - 10f64.sqrt()).abs() < 1e-12);
    }

    fn timing(min: f64, doubt: f64) -> Timing {
        Timing { doubt, ..Timing::exactly(min) }
    }

    /// 5 % of uncertainty on each side, and 4 % of difference: it is undecided which is faster.
    #[test]
    fn a_ratio_is_no_better_known_than_its_times() {
        let ratio = |a: f64, b: f64, doubt: f64| Ratio::of(&timing(a, doubt), &timing(b, doubt));
        assert_eq!(ratio(1.04, 1.0, 0.05).faster(), Verdict::Undecided);
        assert_eq!(ratio(1.04, 1.0, 0.0).faster(), Verdict::Reproduced);
        assert_eq!(ratio(1.02, 1.0, 0.0).faster(), Verdict::Undecided, "less than runs differ by");
        assert_eq!(ratio(0.9, 1.0, 0.01).faster(), Verdict::Differs);
        assert_eq!(ratio(1.02, 1.0, 0.0).to_string(), "1.02× (0.99 to 1.1; means 1.02×)");
        assert_eq!(ratio(2.0, 1.0, 0.0).to_string(), "2.0× (means 2.0×)");
    }

    /// If the curves are parallel and close to each other, the crossover may be anywhere.
    #[test]
    fn a_crossover_is_no_better_known_than_its_ratios() {
        let crossing = |doubt: f64| {
            let at = |(k, r): (i32, f64)| (10f64.powi(k), Ratio::of(&timing(r, doubt), &timing(1.0, doubt)));
            Crossing::of(&[(0, 0.5), (1, 0.97), (2, 1.03), (3, 3.0)].map(at))
        };
        assert_eq!(crossing(0.0).near(32.0), Verdict::Direction, "{}", crossing(0.0));
        let sure = crossing(0.1);
        let Crossover::At(x) = sure.at else { panic!() };
        assert!(sure.earliest.value() < 0.5 * x && sure.latest.value() > 2.0 * x, "{sure}");
    }

    /// A claim beyond the measured sizes is not refuted.
    #[test]
    fn a_crossover_beyond_what_was_measured_is_undecided() {
        let never = |largest: f64| Crossing::of(&[(largest, Ratio::of(&timing(0.5, 0.0), &timing(1.0, 0.0)))]);
        assert_eq!(never(500.0).near(450.0), Verdict::Undecided);
        assert_eq!(never(500.0).near(50.0), Verdict::Direction);
        assert_eq!(never(50.0).at.before(never(50.0).at), Verdict::Undecided);
        assert_eq!(Crossover::At(60.0).before(never(50.0).at), Verdict::Reproduced);
    }

    #[test]
    fn a_power_law_is_a_line() {
        let points: Vec<(f64, f64)> = (1..9).map(|k| (f64::from(k), 3.0 * f64::from(k).powi(2))).collect();
        let (slope, correlation) = log_log_fit(&points);
        assert!((slope - 2.0).abs() < 1e-12 && (correlation - 1.0).abs() < 1e-12);
    }
}
