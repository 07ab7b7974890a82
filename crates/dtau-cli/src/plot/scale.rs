//! From numbers to places on an axis, and the ticks between.

use super::{Axis, Unit};

/// An axis with its range.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    log: bool,
    unit: Unit,
    low: f64,
    high: f64,
    /// Where `low` and `high` are drawn.
    from: f64,
    to: f64,
}

impl Scale {
    /// Over all these values, from one place to another. A logarithmic axis leaves out what is not positive.
    pub fn new(axis: &Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let fits = |x: &f64| x.is_finite() && (!axis.log || *x > 0.0);
        let (mut low, mut high) = values.filter(fits).fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        if axis.log {
            // A little air, and never less than a third of a decade.
            let spread = (high / low).log10();
            let air = (0.04 * spread).max(0.5 * (0.35 - spread)).max(0.02);
            (low, high) = (low / 10f64.powf(air), high * 10f64.powf(air));
        } else {
            low = low.min(0.0);
            high += 0.05 * (high - low).max(f64::MIN_POSITIVE);
        }
        Self { log: axis.log, unit: axis.unit, low, high, from, to }
    }

    pub fn range(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    pub fn place(&self, x: f64) -> f64 {
        let share = if self.log {
            (x.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (x - self.low) / (self.high - self.low)
        };
        self.from + share.clamp(-0.02, 1.02) * (self.to - self.from)
    }

    /// Places that get a label, at most about `count`.
    pub fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        let values = if self.log { self.log_ticks(count) } else { self.linear_ticks(count) };
        let labels = distinct(&values, self.unit);
        values.into_iter().map(|x| self.place(x)).zip(labels).collect()
    }

    /// Places of thin lines between.
    pub fn minor(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        if !self.log || decades > 5.0 {
            return Vec::new();
        }
        self.of_decades(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).into_iter().map(|x| self.place(x)).collect()
    }

    fn log_ticks(&self, count: usize) -> Vec<f64> {
        // Finer digits where less than a decade is shown.
        for digits in [&[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]] {
            let mut ticks = self.of_decades(digits);
            if self.unit == Unit::Number {
                ticks.retain(|x| x.fract() == 0.0); // links, threads: there are no halves
            }
            if ticks.len() <= count {
                return ticks;
            }
        }
        let decades = self.of_decades(&[1.0]);
        let every = decades.len().div_ceil(count);
        decades.into_iter().step_by(every).collect()
    }

    fn of_decades(&self, digits: &[f64]) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let all = (first..=last).flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
        all.filter(|x| (self.low..=self.high).contains(x)).collect()
    }

    fn linear_ticks(&self, count: usize) -> Vec<f64> {
        let raw = (self.high - self.low) / count.max(1) as f64;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&s| s >= raw).unwrap_or(power);
        let first = (self.low / step).ceil() as i64;
        (first..).map(|k| k as f64 * step).take_while(|&x| x <= self.high).collect()
    }
}

/// Labels of an axis: with as many digits more as it takes to tell neighbours apart.
fn distinct(values: &[f64], unit: Unit) -> Vec<String> {
    let labels = |more: usize| -> Vec<String> { values.iter().map(|&x| digits(x, unit, more)).collect() };
    let differ = |labels: &[String]| labels.windows(2).all(|pair| pair[0] != pair[1]);
    (0..12).map(labels).find(|labels| differ(labels)).unwrap_or_else(|| labels(0))
}

/// A number as an axis and a hover text write it.
pub fn number(x: f64, unit: Unit) -> String {
    digits(x, unit, 0)
}

/// With so many digits more.
fn digits(x: f64, unit: Unit, more: usize) -> String {
    let significant = |x: f64| significant(x, 3 + more);
    match unit {
        Unit::Time => short_time(x, 3 + more),
        Unit::Ratio => format!("{}×", significant(x)),
        Unit::Power if x == 0.0 => "0".into(),
        Unit::Power if (1e-3..1e4).contains(&x.abs()) => significant(x),
        Unit::Power => format!("{x:.more$e}"),
        Unit::Number if x.abs() >= 1e9 => format!("{}G", significant(x / 1e9)),
        Unit::Number if x.abs() >= 1e6 => format!("{}M", significant(x / 1e6)),
        Unit::Number if x.abs() >= 1e4 => format!("{}k", significant(x / 1e3)),
        Unit::Number => significant(x),
    }
}

/// Without zeros that say nothing: `1 µs`, `2.5 ms`.
fn short_time(ns: f64, digits: usize) -> String {
    let (x, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", significant(x, digits))
}

/// So many significant digits, without trailing zeros.
fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let decimals = (digits as i32 - 1 - x.abs().log10().floor() as i32).clamp(0, 3 + digits as i32) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1e3, Unit::Time), "1 µs");
        assert_eq!(number(2.5e6, Unit::Time), "2.5 ms");
        assert_eq!(number(15.23, Unit::Ratio), "15.2×");
        assert_eq!(number(1e-12, Unit::Power), "1e-12");
        assert_eq!(number(500.0, Unit::Number), "500");
        assert_eq!(number(2e6, Unit::Number), "2M");
    }

    /// An axis of less than a decade has ticks at 1, 1.2, 1.5: none of them may read as its neighbour.
    #[test]
    fn no_two_labels_of_an_axis_are_the_same() {
        for unit in [Unit::Power, Unit::Time, Unit::Ratio, Unit::Number] {
            for (low, high) in [(1e-12, 2.4e-12), (3e-13, 1.1e-12), (1.0001, 1.9), (99_980.0, 100_020.0), (2.0, 2e6)] {
                let labels: Vec<String> =
                    distinct(&Scale::new(&Axis::log("", unit), [low, high].into_iter(), 0.0, 1.0).log_ticks(9), unit);
                assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
            }
        }
        assert_eq!(distinct(&[1e-12, 1.2e-12, 1.5e-12], Unit::Power), ["1.0e-12", "1.2e-12", "1.5e-12"]);
    }

    #[test]
    fn ticks_are_inside_and_few() {
        let axis = Axis::log("", Unit::Number);
        let scale = Scale::new(&axis, [2.0, 500.0].into_iter(), 0.0, 100.0);
        let ticks = scale.ticks(9);
        assert!((3..=9).contains(&ticks.len()), "{ticks:?}");
        assert!(ticks.iter().all(|(x, _)| (0.0..=100.0).contains(x)), "{ticks:?}");
        let near = Scale::new(&axis, [1.0, 2.0].into_iter(), 0.0, 100.0);
        let labels: Vec<String> = near.ticks(9).into_iter().map(|(_, text)| text).collect();
        assert_eq!(labels, ["1", "2"]);
        let ratio = Scale::new(&Axis::log("", Unit::Ratio), [1.2, 2.6].into_iter(), 0.0, 100.0);
        assert!(ratio.ticks(7).len() >= 3, "{:?}", ratio.ticks(7));
        let far = Scale::new(&axis, [1e-18, 1.0].into_iter(), 0.0, 100.0);
        assert!(far.ticks(6).len() <= 6);
    }
}
