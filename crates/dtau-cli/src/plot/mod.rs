//! Plots as data, and as SVG: line charts, dots and heat maps. Small, with nothing in it that the reports do not use.
//!
//! A plot is data first, kept in JSON beside its drawing. A drawing says what things are by class (`s0`, `axis`, `band`); what
//! colour that is, the page decides, which has a dark mode, or the style that [`standalone`] puts into a file.

mod dots;
mod heat;
mod lines;
#[cfg(feature = "full")]
mod png;
mod scale;
mod svg;
mod theme;

#[cfg(feature = "full")]
pub use png::to_png;
pub use scale::number;
pub use theme::{BAD, GOOD, NEUTRAL, PAGE_STYLE, classes, standalone, variables};

use crate::timing::Timing;
use serde::{Deserialize, Serialize};

/// Any plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Plot {
    Lines(Lines),
    Dots(Dots),
    Heat(Heat),
}

impl Plot {
    /// The drawing, so many units wide. 720 suits a desk, 400 a phone.
    pub fn svg(&self, width: f64) -> String {
        match self {
            Plot::Lines(plot) => lines::draw(plot, width),
            Plot::Dots(plot) => dots::draw(plot, width),
            Plot::Heat(plot) => heat::draw(plot, width),
        }
    }

    pub fn title(&self) -> &str {
        match self {
            Plot::Lines(plot) => &plot.title,
            Plot::Dots(plot) => &plot.title,
            Plot::Heat(plot) => &plot.title,
        }
    }
}

/// Curves over a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Places on the x axis with a name, such as a crossover.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// The y axis reaches at least over these: plots beside each other have the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reach: Option<(f64, f64)>,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    /// Which of the colours.
    pub hue: usize,
    pub dash: Stroke,
    pub points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stroke {
    Solid,
    Dotted,
    Dashed,
    /// Points only.
    Points,
}

/// A value, and how it varied.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Of a time, whose value is the least: the mean.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean: Option<f64>,
    /// The band of noise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
}

impl Point {
    /// A value that does not vary.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, mean: None, low: None, high: None }
    }

    /// The least time, which verdicts go by, with its mean and spread.
    pub fn time(x: f64, time: &Timing) -> Self {
        let Timing { min, mean, low, high, .. } = *time;
        Self { x, y: min, mean: Some(mean), low: Some(low), high: Some(high) }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    pub x: f64,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    pub label: String,
    pub unit: Unit,
    pub log: bool,
}

impl Axis {
    pub fn log(label: &str, unit: Unit) -> Self {
        Self { label: label.into(), unit, log: true }
    }
}

/// How numbers on an axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// 20, 500, 10k.
    Number,
    /// Nanoseconds, as ns, µs, ms, s.
    Time,
    /// 1.5×.
    Ratio,
    /// 1e-12.
    Power,
}

/// Dots on lines of their own, in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dots {
    pub title: String,
    pub axis: Axis,
    pub groups: Vec<String>,
    pub series: Vec<DotSeries>,
    /// A place on the axis with a name, such as the tolerance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<Mark>,
}

/// One dot in each group, where there is a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DotSeries {
    pub name: String,
    pub hue: usize,
    /// By group; `x` is the group's number.
    pub points: Vec<Point>,
}

/// A matrix: where it is zero, and how large its entries are elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    pub title: String,
    /// What rows and columns are, by degree of freedom.
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// By rows.
    pub values: Vec<f64>,
    /// By row, up to what size an entry is rounding noise; empty if that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub noise: Vec<f64>,
}
