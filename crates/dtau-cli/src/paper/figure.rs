//! A figure or table as data: what was measured, and what the paper says about it.

use crate::page::DataTable;
use crate::plot::Plot;
use serde::{Deserialize, Serialize};

/// What a figure came to. Drawings, pages and tables are made from this alone, and `--resume` reads it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub id: String,
    /// With what settings it was measured; another run with the same may keep it.
    pub settings: String,
    /// How long it took.
    pub seconds: f64,
    #[serde(flatten)]
    pub content: Content,
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    pub claims: Vec<Claim>,
    pub plots: Vec<Plot>,
    pub tables: Vec<DataTable>,
    /// What a reader should know, such as that a bundled robot stands in for one of the paper.
    pub notes: Vec<String>,
}

/// What the paper says, and our counterpart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub paper: String,
    pub ours: String,
    pub verdict: Verdict,
}

/// How the two compare, by rule and never by taste; see docs/papers.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same statement holds; a ratio is within a factor of 1.5.
    Reproduced,
    /// The same is faster, or more accurate; but by another factor.
    Direction,
    /// It does not hold here.
    Differs,
    /// Nothing that could be true or false, or nothing measured to compare.
    Noted,
}

impl Verdict {
    /// Of a ratio that the paper gives as a number: how many times faster.
    pub fn of_ratio(paper: f64, ours: f64) -> Self {
        match ours / paper {
            x if (1.0 / 1.5..=1.5).contains(&x) => Self::Reproduced,
            _ if (paper > 1.0) == (ours > 1.0) => Self::Direction,
            _ => Self::Differs,
        }
    }

    /// Of a statement.
    pub fn of(holds: bool) -> Self {
        if holds { Self::Reproduced } else { Self::Differs }
    }

    /// In words; what we say ourselves is not reproduced but holds.
    pub fn text(self, ours: bool) -> &'static str {
        match (self, ours) {
            (Self::Reproduced, false) => "reproduced",
            (Self::Reproduced, true) => "holds",
            (Self::Direction, _) => "same direction",
            (Self::Differs, false) => "not reproduced",
            (Self::Differs, true) => "does not hold",
            (Self::Noted, _) => "noted",
        }
    }

    /// Its class in the page.
    pub fn class(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Direction => "direction",
            Self::Differs => "differs",
            Self::Noted => "noted",
        }
    }
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
        assert_eq!(Verdict::of_ratio(15.0, 11.0), Verdict::Reproduced);
        assert_eq!(Verdict::of_ratio(15.0, 4.0), Verdict::Direction);
        assert_eq!(Verdict::of_ratio(15.0, 0.9), Verdict::Differs);
        assert_eq!(Verdict::of_ratio(15.0, f64::NAN), Verdict::Differs);
    }
}
