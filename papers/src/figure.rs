//! A figure or table as data: the measurements, and the paper's claims.

use crate::plot::Plot;
use dtau_cli::table::Table;
use serde::{Deserialize, Serialize};

/// Result of a figure. Drawings, pages and tables are made from this alone, and `--resume` reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub id: String,
    /// Settings of the measurement. A run with the same settings may reuse it.
    pub settings: String,
    /// Duration of the measurement \[s\].
    pub seconds: f64,
    #[serde(flatten)]
    pub content: Content,
}

/// Title of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    pub claims: Vec<Claim>,
    pub plots: Vec<Plot>,
    pub tables: Vec<Table>,
    /// Notes for the reader, for example that a bundled robot replaces one of the paper.
    pub notes: Vec<String>,
}

/// A table with a title and names of columns.
pub fn titled(title: &str, columns: &[&str]) -> Table {
    Table::of(columns.iter().copied()).titled(title)
}

/// A claim of the paper, and our result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub paper: String,
    pub ours: String,
    pub verdict: Verdict,
}

/// Verdict on a claim, by fixed rules; see docs/papers.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same statement holds; a ratio is within a factor of 1.5.
    Reproduced,
    /// The same method is faster, or more accurate, but by another factor.
    Direction,
    /// The claim does not hold here.
    Differs,
    /// The measurements allow both.
    Undecided,
    /// A note: there is no claim, or no measurement to compare with.
    Noted,
}

impl Verdict {
    /// Verdict on a speed-up that the paper gives as a number.
    pub fn of_ratio(paper: f64, ours: Known) -> Self {
        ours.judge(|x| match x / paper {
            share if (1.0 / NEAR..=NEAR).contains(&share) => Self::Reproduced,
            _ if (paper > 1.0) == (x > 1.0) => Self::Direction,
            _ => Self::Differs,
        })
    }

    /// Verdict on a statement.
    pub fn of(holds: bool) -> Self {
        if holds { Self::Reproduced } else { Self::Differs }
    }

    /// Common verdict of two: at least the direction, or undecided.
    pub fn agreed(self, other: Self) -> Self {
        let seen = |verdict| matches!(verdict, Self::Reproduced | Self::Direction);
        match () {
            () if self == other => self,
            () if seen(self) && seen(other) => Self::Direction,
            () => Self::Undecided,
        }
    }

    /// The verdict in words. Our own claims "hold" instead of being "reproduced". If other programs, with
    /// other compilers, had another speed-up, that is not a failure: the result "differs here".
    pub fn text(self, ours: bool) -> &'static str {
        match (self, ours) {
            (Self::Reproduced, false) => "reproduced",
            (Self::Reproduced, true) => "holds",
            (Self::Direction, _) => "same direction",
            (Self::Differs, false) => "differs here",
            (Self::Differs, true) => "does not hold",
            (Self::Undecided, _) => "undecided here",
            (Self::Noted, _) => "noted",
        }
    }

    /// CSS class of the verdict.
    pub fn class(self, ours: bool) -> &'static str {
        match (self, ours) {
            (Self::Reproduced, _) => "reproduced",
            (Self::Direction, _) => "direction",
            (Self::Differs, false) => "differs",
            (Self::Differs, true) => "failed",
            (Self::Undecided, _) => "undecided",
            (Self::Noted, _) => "noted",
        }
    }
}

/// A ratio is reproduced within this factor.
pub const NEAR: f64 = 1.5;

/// A measured number with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Known {
    /// The verdict that holds over the whole range.
    pub fn judge(self, verdict: impl Fn(f64) -> Verdict) -> Verdict {
        verdict(self.low).agreed(verdict(self.value)).agreed(verdict(self.high))
    }

    /// The maximum, and the minimum, of two.
    pub fn max(self, other: Self) -> Self {
        Self { value: self.value.max(other.value), low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    pub fn min(self, other: Self) -> Self {
        Self { value: self.value.min(other.value), low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// Formats with the deciding digits, and with the range if that contains a limit.
    pub fn beside(self, limits: &[f64]) -> String {
        let text = deciding(self.value, limits);
        match limits.iter().any(|limit| (self.low..=self.high).contains(limit)) {
            true => format!("{text} ({} to {})", deciding(self.low, limits), deciding(self.high, limits)),
            false => text,
        }
    }
}

/// Formats with about two digits, or as many as distinguish it from the limits of its verdict.
pub fn deciding(x: f64, limits: &[f64]) -> String {
    let plain = |decimals: usize| format!("{x:.decimals$}");
    let first = usize::from(x < 10.0);
    (first..9).map(plain).find(|text| same_side(text, x, limits)).unwrap_or_else(|| plain(first))
}

/// Same as [`deciding`], for an error: `3e-13`, `9.7e-13`.
pub fn deciding_error(x: f64, limits: &[f64]) -> String {
    let plain = |decimals: usize| format!("{x:.decimals$e}");
    (0..9).map(plain).find(|text| same_side(text, x, limits)).unwrap_or_else(|| plain(0))
}

/// True if the rounded number is on the same side of each limit as the number.
fn same_side(text: &str, x: f64, limits: &[f64]) -> bool {
    let rounded: f64 = text.parse().unwrap_or(x);
    limits.iter().all(|limit| rounded.partial_cmp(limit) == x.partial_cmp(limit))
}

/// Limits for the verdict on a speed-up of a paper.
pub fn limits_of(paper: f64) -> [f64; 3] {
    [1.0, paper / NEAR, paper * NEAR]
}

impl Content {
    pub fn claim(&mut self, paper: &str, ours: impl Into<String>, verdict: Verdict) {
        self.claims.push(Claim { paper: paper.into(), ours: ours.into(), verdict });
    }

    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_rule() {
        let of = |x: f64| Verdict::of_ratio(15.0, Known { value: x, low: x, high: x });
        assert_eq!(of(11.0), Verdict::Reproduced);
        assert_eq!(of(4.0), Verdict::Direction);
        assert_eq!(of(0.9), Verdict::Differs);
        assert_eq!(of(f64::NAN), Verdict::Differs);
    }

    /// Measurement uncertainty never turns a verdict into its opposite.
    #[test]
    fn what_is_not_known_well_enough_is_undecided() {
        let of = |low: f64, value: f64, high: f64| Verdict::of_ratio(2.0, Known { value, low, high });
        assert_eq!(of(0.97, 0.99, 1.01), Verdict::Undecided);
        assert_eq!(of(0.4, 1.3, 1.4), Verdict::Undecided);
        assert_eq!(of(2.9, 2.99, 3.05), Verdict::Direction, "the direction is certain, the factor is not");
        assert_eq!(of(1.9, 2.0, 2.1), Verdict::Reproduced);
    }

    /// Other programs with other compilers: not our failure, so not red.
    #[test]
    fn a_paper_is_not_refuted_by_another_program() {
        for verdict in [Verdict::Reproduced, Verdict::Direction, Verdict::Differs, Verdict::Undecided, Verdict::Noted] {
            assert!(!verdict.text(false).contains("not") || verdict == Verdict::Noted, "{}", verdict.text(false));
            assert_ne!(verdict.class(false), "failed");
        }
        assert_eq!(Verdict::Differs.class(true), "failed");
    }

    /// 0.98 and 1.02 are not both printed as `1.0`.
    #[test]
    fn the_digit_that_decides_is_printed() {
        assert_eq!(deciding(0.98, &[1.0]), "0.98");
        assert_eq!(deciding(1.02, &[1.0]), "1.02");
        assert_eq!(deciding(0.9996, &[1.0]), "0.9996");
        assert_eq!(deciding(1.32, &[1.0]), "1.3");
        assert_eq!(deciding(22.7, &limits_of(15.0)), "23");
        assert_eq!(deciding(22.4, &limits_of(15.0)), "22");
        assert_eq!(deciding(22.51, &limits_of(15.0)), "23");
        assert_eq!(deciding_error(9.7e-13, &[1e-12]), "9.7e-13");
        assert_eq!(deciding_error(3.2e-13, &[1e-12]), "3e-13");
        assert_eq!(Known { value: 0.99, low: 0.96, high: 1.02 }.beside(&[1.0]), "0.99 (0.96 to 1.02)");
    }
}
