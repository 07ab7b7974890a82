//! Dots in groups: a line for each group, such as a function or a robot, with a dot for each series. A
//! logarithmic axis has no zero at which a bar could begin; a dot shows only the value.

use super::svg::{Axis, SIZE, Sign, Svg, Unit, WIDTH, fitted, number, text_width};
use crate::clock::Timing;
use serde::{Deserialize, Serialize};

/// Groups of dots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dots {
    /// Title of the drawing.
    pub title: String,
    /// Name of the axis.
    pub label: String,
    /// Unit of the axis.
    pub unit: Unit,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// The dots.
    pub series: Vec<Series>,
    /// A labelled position on the axis, such as the tolerance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<(f64, String)>,
}

/// A series: one dot in each group that has a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the key.
    pub name: String,
    /// Its colour.
    pub hue: usize,
    /// The dots; `x` is the index of the group.
    pub points: Vec<Point>,
}

/// A value and its variation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Index of its group, or position on the x axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Mean of the times whose minimum is the value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean: Option<f64>,
    /// Lower end of the noise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    /// Upper end of the noise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
}

impl Point {
    /// A value that does not vary.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, mean: None, low: None, high: None }
    }

    /// The least time, with its mean and spread.
    pub fn time(x: f64, time: &Timing) -> Self {
        let Timing { min, mean, low, high, .. } = *time;
        Self { x, y: min, mean: Some(mean), low: Some(low), high: Some(high) }
    }

    /// Text for hovering: the value, its mean and its spread.
    pub fn tip(&self, unit: Unit) -> String {
        let text = |x: f64| number(x, unit);
        let mean = self.mean.map_or_else(String::new, |mean| format!(", mean {}", text(mean)));
        let spread = self.low.zip(self.high);
        let spread = spread.map_or_else(String::new, |(low, high)| format!(", {} … {}", text(low), text(high)));
        text(self.y) + &mean + &spread
    }
}

const ROW: f64 = 20.0;

impl Dots {
    /// The drawing. A group with one dot also shows its value and spread.
    pub fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, "dots");
        let classes: Vec<String> = self.series.iter().map(|s| format!("f{}", s.hue)).collect();
        let keys = self.series.iter().zip(&classes).map(|(s, class)| (s.name.as_str(), Sign::Dot(class)));
        let top = svg.heading(&self.title, keys) + if self.limit.is_some() { 8.0 } else { -6.0 };
        let dots = |group: usize| {
            self.series
                .iter()
                .flat_map(move |s| s.points.iter().filter(move |p| p.x as usize == group).map(move |p| (s, p)))
        };
        let is_alone = (0..self.groups.len()).all(|k| dots(k).count() <= 1);
        let names = self.groups.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max).min(0.4 * WIDTH);
        let (left, right) = (20.0 + names, WIDTH - if is_alone { 70.0 } else { 16.0 });
        let bottom = top + self.groups.len() as f64 * ROW + 4.0;
        let spread = |p: &Point| if is_alone { [p.mean, p.low, p.high] } else { [None; 3] };
        let points = self.series.iter().flat_map(|s| &s.points);
        let values = points.flat_map(|p| spread(p).into_iter().flatten().chain([p.y]));
        let axis = Axis::new(self.unit, values.chain(self.limit.iter().map(|(x, _)| *x)), left, right);
        for (place, text) in axis.ticks((((right - left) / 64.0) as usize).max(3)) {
            svg.line("grid", (place, top), (place, bottom));
            let half = 0.5 * text_width(&text, SIZE); // labels at the edge are shifted, so that they are fully visible
            svg.text("tick", (place.clamp(half, WIDTH - half), bottom + 15.0), "middle", &text);
        }
        svg.text("label", (0.5 * WIDTH, bottom + 33.0), "middle", &self.label);
        if let Some((limit, name)) = &self.limit {
            let place = axis.place(*limit);
            svg.line("limit", (place, top - 4.0), (place, bottom));
            let (anchor, aside) = if place > 0.6 * WIDTH { ("end", -4.0) } else { ("start", 4.0) };
            svg.text("value", (place + aside, top - 6.0), anchor, name);
        }
        for (k, group) in self.groups.iter().enumerate() {
            let y = top + (k as f64 + 0.5) * ROW;
            svg.text("key", (8.0, y + 4.0), "start", &fitted(group, names, SIZE));
            svg.line("minor", (left, y), (right, y));
            for (series, point) in dots(k) {
                let [mean, low, high] = spread(point);
                if let Some((low, high)) = low.zip(high) {
                    svg.line("whisker", (axis.place(low), y), (axis.place(high), y));
                }
                if let Some(mean) = mean {
                    svg.line("whisker", (axis.place(mean), y - 4.0), (axis.place(mean), y + 4.0));
                }
                // Zero, which a logarithmic axis does not have, is drawn as a ring at the start of the axis.
                let class =
                    if point.y > 0.0 { format!("dot f{}", series.hue) } else { format!("dot ring s{}", series.hue) };
                let tip = format!("{group} {}: {}", series.name, point.tip(self.unit));
                svg.circle(&class, (axis.place(point.y), y), 4.5, &tip);
                if is_alone {
                    let reach = [Some(point.y), mean, high].into_iter().flatten().fold(0.0, f64::max);
                    svg.text("value", (axis.place(reach) + 8.0, y + 4.0), "start", &number(point.y, self.unit));
                }
            }
        }
        svg.finish(bottom + 42.0, &self.title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(groups: usize, series: usize) -> Dots {
        let points = |k: usize| (0..groups).map(|g| Point::new(g as f64, (g + 2 * k + 1) as f64)).collect();
        Dots {
            title: "t".into(),
            label: "time".into(),
            unit: Unit::Time,
            groups: (0..groups).map(|k| format!("group {k}")).collect(),
            series: (0..series).map(|k| Series { name: format!("s{k}"), hue: k, points: points(k) }).collect(),
            limit: None,
        }
    }

    #[test]
    fn there_is_a_dot_for_every_value_and_never_a_bar() {
        for (groups, series) in [(3, 1), (4, 3), (20, 5)] {
            let svg = plot(groups, series).svg();
            assert_eq!(svg.matches("class=\"dot f").count(), groups * series);
            assert!(!svg.contains("<rect"), "{svg}");
        }
    }

    /// The dot is the value used for verdicts; the mean is a tick, its spread a line.
    #[test]
    fn the_dot_is_the_least_time_and_the_mean_a_thin_mark() {
        let mut plot = plot(1, 1);
        plot.series[0].points[0] =
            Point { mean: Some(20.0), low: Some(15.0), high: Some(30.0), ..Point::new(0.0, 10.0) };
        let svg = plot.svg();
        let said = svg.lines().find(|line| line.contains("class=\"value\"")).unwrap();
        assert!(said.contains(">10 ns</text>"), "{said}");
        assert!(svg.contains("<title>group 0 s0: 10 ns, mean 20 ns, 15 ns … 30 ns</title>"), "{svg}");
        let place = |line: &str, name: &str| -> f64 {
            line.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let dot = svg.lines().find(|line| line.contains("class=\"dot")).unwrap();
        let marks: Vec<&str> = svg.lines().filter(|line| line.contains("class=\"whisker")).collect();
        assert_eq!(marks.len(), 2);
        assert!(marks.iter().all(|mark| place(mark, "x1") > place(dot, "cx")), "{svg}");
    }

    /// The limit is drawn even if every value is far from it.
    #[test]
    fn the_limit_is_inside_the_drawing() {
        let plot = Dots { limit: Some((1e6, "no more".into())), ..plot(3, 1) };
        let svg = plot.svg();
        let line = svg.lines().find(|line| line.contains("class=\"limit\"")).expect("a line");
        let x: f64 = line.split("x1=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!((100.0..WIDTH).contains(&x) && svg.contains(">no more</text>"), "{line}");
    }

    #[test]
    fn zero_is_a_ring_and_says_so() {
        let mut plot = plot(2, 1);
        plot.series[0].points[0].y = 0.0;
        let svg = plot.svg();
        assert!(svg.contains("dot ring") && svg.contains(">0 ns</text>") && !svg.contains("NaN"), "{svg}");
    }
}
