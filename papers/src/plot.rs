//! Plots as data, stored in JSON next to the drawings; and line charts as SVG.

use dtau_cli::page;
pub use dtau_cli::page::dots::{Dots, Point, Series as DotSeries};
pub use dtau_cli::page::heat::Heat;
pub use dtau_cli::page::svg::Unit;
use dtau_cli::page::svg::{self, Axis as Scale, Sign, Svg, WIDTH, trace};
use serde::{Deserialize, Serialize};

/// Any plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Plot {
    Lines(Lines),
    Dots(Dots),
    Heat(Heat),
}

/// Style of the pages; line charts need its first part.
pub const STYLE: &str = include_str!("style.css");

impl Plot {
    /// The drawing as a stand-alone file: light theme, with the colours included.
    pub fn file(&self) -> String {
        let svg = match self {
            Plot::Lines(plot) => plot.svg(),
            Plot::Dots(plot) => plot.svg(),
            Plot::Heat(plot) => plot.svg(),
        };
        let [light, _, rules] = svg::style();
        let rules = rules.replace("font-family:inherit", "font-family:'DejaVu Sans',Verdana,sans-serif");
        let own = STYLE.split("/* pages */").next().unwrap_or_default();
        let page = "--ink:#1c2430;--soft:#5a6572;--grid:#e3e7ec;--panel:#ffffff;";
        let (open, rest) = svg.split_at(svg.find('>').map_or(0, |at| at + 1));
        let background = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>";
        format!("{open}\n<style>svg{{{page}{light}}}{rules}{own}</style>\n{background}{rest}")
    }

    fn html(&self) -> String {
        match self {
            Plot::Lines(plot) => plot.svg(),
            Plot::Dots(plot) => plot.svg(),
            Plot::Heat(plot) => plot.html(),
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

/// Plots side by side in a page.
pub fn html(plots: &[Plot]) -> String {
    let is_small = matches!(plots, [Plot::Heat(_), ..]);
    page::drawings(is_small, &plots.iter().map(Plot::html).collect::<Vec<_>>())
}

/// Curves over a numeric axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Named positions on the x axis, such as a crossover.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// Minimum range of the y axis: neighbouring plots have the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reach: Option<(f64, f64)>,
}

/// A logarithmic axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    pub label: String,
    pub unit: Unit,
}

impl Axis {
    pub fn log(label: &str, unit: Unit) -> Self {
        Self { label: label.into(), unit }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    pub x: f64,
    pub name: String,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    /// Index of its colour.
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
    /// Points without a line.
    Points,
}

impl Series {
    fn class(&self) -> String {
        match self.dash {
            Stroke::Dotted => format!("s{} dotted", self.hue),
            Stroke::Dashed => format!("s{} dashed", self.hue),
            Stroke::Solid => format!("s{}", self.hue),
            Stroke::Points => format!("f{}", self.hue),
        }
    }
}

impl Lines {
    /// The drawing. Hovering over a point shows its numbers.
    pub fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, "lines");
        let classes: Vec<String> = self
            .series
            .iter()
            .map(|s| if s.dash == Stroke::Points { s.class() } else { format!("curve key-line {}", s.class()) })
            .collect();
        let keys = self.series.iter().zip(&classes).map(|(s, class)| match s.dash {
            Stroke::Points => (s.name.as_str(), Sign::Dot(class)),
            _ => (s.name.as_str(), Sign::Line(class)),
        });
        let top = svg.heading(&self.title, keys) + 18.0;
        let (left, right, bottom) = (58.0, WIDTH - 14.0, top + 240.0);

        let points = || self.series.iter().flat_map(|series| &series.points);
        let reach = self.reach.into_iter().flat_map(|(low, high)| [low, high]);
        let values = points().flat_map(|p| [Some(p.y), p.low, p.high]).flatten().chain(reach);
        let x = Scale::new(self.x.unit, points().map(|p| p.x), left, right);
        let y = Scale::new(self.y.unit, values, bottom, top);
        x.minor().into_iter().for_each(|place| svg.line("minor", (place, top), (place, bottom)));
        y.minor().into_iter().for_each(|place| svg.line("minor", (left, place), (right, place)));
        for (place, text) in x.ticks(8) {
            svg.line("grid", (place, top), (place, bottom));
            svg.text("tick", (place, bottom + 16.0), "middle", &text);
        }
        for (place, text) in y.ticks(7) {
            svg.line("grid", (left, place), (right, place));
            svg.text("tick", (left - 6.0, place + 4.0), "end", &text);
        }
        svg.path("axis", &trace([(left, top), (left, bottom), (right, bottom)]));
        svg.text("label", (0.5 * (left + right), bottom + 34.0), "middle", &self.x.label);
        svg.text("label", (left, top - 6.0), "start", &self.y.label);
        // One line of text each, so that they do not overlap.
        for (k, mark) in self.marks.iter().enumerate() {
            let place = x.place(mark.x);
            svg.line("mark", (place, top), (place, bottom));
            let (anchor, aside) = if place > 0.7 * right { ("end", -5.0) } else { ("start", 5.0) };
            svg.text("value", (place + aside, top + 14.0 * (k + 1) as f64), anchor, &mark.name);
        }
        for series in self.series.iter().filter(|series| series.dash != Stroke::Points) {
            let edges: Vec<_> = series.points.iter().filter_map(|p| Some((x.place(p.x), p.low?, p.high?))).collect();
            let upper = edges.iter().map(|&(at, _, high)| (at, y.place(high)));
            let lower = edges.iter().rev().map(|&(at, low, _)| (at, y.place(low)));
            if edges.len() > 1 {
                svg.path(&format!("band f{}", series.hue), &(trace(upper.chain(lower)) + "Z"));
            }
        }
        for series in &self.series {
            // The axes are logarithmic, so non-positive values are omitted.
            let shown = || series.points.iter().filter(|p| p.y > 0.0 && p.y.is_finite());
            let is_curve = series.dash != Stroke::Points;
            let path = trace(shown().map(|p| (x.place(p.x), y.place(p.y))));
            if is_curve && !path.is_empty() {
                svg.path(&format!("curve {}", series.class()), &path);
            }
            for p in shown() {
                let tip = format!("{}, {} {}: {}", series.name, self.x.label, p.x, p.tip(self.y.unit));
                let radius = if is_curve { 2.6 } else { 4.5 };
                svg.circle(&format!("point f{}", series.hue), (x.place(p.x), y.place(p.y)), radius, &tip);
            }
        }
        svg.finish(bottom + 44.0, &self.title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Lines {
        let point = |k: f64| Point { low: Some(90.0 * k), high: Some(120.0 * k), ..Point::new(k, 100.0 * k) };
        let series = |name: &str, hue| Series {
            name: name.into(),
            hue,
            dash: Stroke::Solid,
            points: [1.0, 2.0, 3.0, 4.0, 5.0].map(point).into(),
        };
        Lines {
            title: "a < b & c".into(),
            x: Axis::log("N", Unit::Number),
            y: Axis::log("time", Unit::Time),
            series: vec![series("one", 0), series("two", 1), series("three", 2)],
            marks: vec![],
            reach: None,
        }
    }

    /// Each series has a curve, a band and an entry of the key.
    #[test]
    fn every_series_is_drawn() {
        let svg = Plot::Lines(chart()).file();
        assert_eq!(svg.matches("class=\"curve s").count(), 3);
        assert_eq!(svg.matches("class=\"curve key-line").count(), 3);
        assert_eq!(svg.matches("class=\"band").count(), 3);
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("<title>one, N 2: 200 ns, 180 ns … 240 ns</title>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    /// A logarithmic axis omits zero and negative values.
    #[test]
    fn zeros_are_left_out_of_logarithmic_axes() {
        let mut chart = chart();
        chart.series[0].points[2] = Point::new(3.0, 0.0);
        let svg = chart.svg();
        assert_eq!(svg.matches("class=\"point f0\"").count(), 4);
        assert!(!svg.contains("NaN"));
    }
}
