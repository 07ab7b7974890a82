//! Line charts.

use super::scale::Scale;
use super::svg::{Svg, text_width, trace};
use super::{Lines, Point, Series, Stroke};

const SIZE: f64 = 11.5;

pub fn draw(plot: &Lines, width: f64) -> String {
    let mut svg = Svg::new(width);
    let top = heading(&mut svg, &plot.title, width, plot.series.iter().map(|s| (s.name.as_str(), s.hue, s.dash)));
    let (left, right) = (58.0, width - 14.0);
    let height = (0.46 * width).clamp(220.0, 330.0);
    let bottom = top + height;

    let reach = plot.reach.into_iter().flat_map(|(low, high)| [low, high]);
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let x = Scale::new(&plot.x, points().map(|p| p.x), left, right);
    let y = Scale::new(&plot.y, points().flat_map(|p| [Some(p.y), p.low, p.high]).flatten().chain(reach), bottom, top);
    for place in x.minor() {
        svg.line("minor", (place, top), (place, bottom));
    }
    for place in y.minor() {
        svg.line("minor", (left, place), (right, place));
    }
    for (place, text) in x.ticks(if width < 500.0 { 6 } else { 10 }) {
        svg.line("grid", (place, top), (place, bottom));
        svg.text("tick", (place, bottom + 16.0), "middle", &text);
    }
    for (place, text) in y.ticks(7) {
        svg.line("grid", (left, place), (right, place));
        svg.text("tick", (left - 6.0, place + 4.0), "end", &text);
    }
    svg.path("axis", &trace([(left, top), (left, bottom), (right, bottom)]));
    svg.text("label", (0.5 * (left + right), bottom + 34.0), "middle", &plot.x.label);
    if !plot.y.label.is_empty() {
        svg.text("label", (left, top - 6.0), "start", &plot.y.label);
    }
    // A line of text each, so that they do not meet.
    for (k, mark) in plot.marks.iter().enumerate() {
        let place = x.place(mark.x);
        svg.line("mark", (place, top), (place, bottom));
        let anchor = if place > 0.7 * right { "end" } else { "start" };
        let aside = if anchor == "end" { -5.0 } else { 5.0 };
        svg.text("value", (place + aside, top + 14.0 * (k + 1) as f64), anchor, &mark.name);
    }
    for series in &plot.series {
        band(&mut svg, series, &x, &y);
    }
    for series in &plot.series {
        curve(&mut svg, series, &x, &y);
    }

    // What the page's script needs to find the value under a finger.
    let ((x_low, x_high), (y_low, y_high)) = (x.range(), y.range());
    svg.data("chart", "lines");
    svg.data("plot", &format!("{left} {right} {top} {bottom}"));
    svg.data("x", &format!("{x_low:e} {x_high:e} {}", u8::from(plot.x.log)));
    svg.data("y", &format!("{y_low:e} {y_high:e} {}", u8::from(plot.y.log)));
    svg.finish(bottom + 44.0, &plot.title)
}

/// A value that the axes can show.
fn shown(p: &&Point, plot_log: bool) -> bool {
    p.y.is_finite() && (!plot_log || p.y > 0.0)
}

fn band(svg: &mut Svg, series: &Series, x: &Scale, y: &Scale) {
    let edges: Vec<_> = series.points.iter().filter_map(|p| Some((p.x, p.low?, p.high?))).collect();
    if edges.len() < 2 || series.dash == Stroke::Points {
        return;
    }
    let upper = edges.iter().map(|&(at, _, high)| (x.place(at), y.place(high)));
    let lower = edges.iter().rev().map(|&(at, low, _)| (x.place(at), y.place(low)));
    svg.path(&format!("band f{}", series.hue), &(trace(upper.chain(lower)) + "Z"));
}

fn curve(svg: &mut Svg, series: &Series, x: &Scale, y: &Scale) {
    let log = y.range().0 > 0.0;
    let places: Vec<_> = series.points.iter().filter(|p| shown(p, log)).map(|p| (x.place(p.x), y.place(p.y))).collect();
    let class = match series.dash {
        Stroke::Dotted => " dotted",
        Stroke::Dashed => " dashed",
        Stroke::Solid | Stroke::Points => "",
    };
    if series.dash != Stroke::Points {
        svg.polyline(&format!("curve s{}{class}", series.hue), places.iter().copied());
    }
    let radius = if series.dash == Stroke::Points { 4.5 } else { 2.6 };
    for place in places {
        svg.circle(&format!("f{}", series.hue), place, radius);
    }
}

/// Title and legend; returns where the plot may begin.
pub fn heading<'a>(
    svg: &mut Svg,
    title: &str,
    width: f64,
    keys: impl Iterator<Item = (&'a str, usize, Stroke)> + Clone,
) -> f64 {
    let mut y = 18.0;
    for line in wrap(title, ((width - 20.0) / (14.0 * 0.58)) as usize) {
        svg.text("title", (8.0, y), "start", &line);
        y += 18.0;
    }
    let mut x = 8.0;
    for (name, hue, dash) in keys.filter(|(name, ..)| !name.is_empty()) {
        let needed = 24.0 + text_width(name, SIZE) + 16.0;
        if x > 8.0 && x + needed > width {
            (x, y) = (8.0, y + 17.0);
        }
        let class = match dash {
            Stroke::Dotted => " dotted",
            Stroke::Dashed => " dashed",
            Stroke::Solid | Stroke::Points => "",
        };
        if dash == Stroke::Points {
            svg.circle(&format!("f{hue}"), (x + 9.0, y), 4.5);
        } else {
            svg.polyline(&format!("curve key-line s{hue}{class}"), [(x, y), (x + 18.0, y)]);
        }
        svg.text("key", (x + 24.0, y + 4.0), "start", name);
        x += needed;
    }
    if x > 8.0 { y + 30.0 } else { y + 12.0 }
}

/// Lines of at most so many characters, broken at spaces.
fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always one");
        if !line.is_empty() && crate::table::width(line) + 1 + crate::table::width(word) > most {
            lines.push(word.into());
        } else {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Plot, Unit};

    fn chart() -> Lines {
        let series = |name: &str, hue| Series {
            name: name.into(),
            hue,
            dash: Stroke::Solid,
            points: (1..6)
                .map(|k| Point {
                    low: Some(90.0 * f64::from(k)),
                    high: Some(120.0 * f64::from(k)),
                    ..Point::new(f64::from(k), 100.0 * f64::from(k))
                })
                .collect(),
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

    /// As many curves and bands as series; a legend entry each; well-formed XML.
    #[test]
    fn every_series_is_drawn() {
        for width in [400.0, 720.0] {
            let svg = Plot::Lines(chart()).svg(width);
            assert_eq!(svg.matches("class=\"curve s").count(), 3);
            assert_eq!(svg.matches("class=\"curve key-line").count(), 3);
            assert_eq!(svg.matches("class=\"band").count(), 3);
            assert!(svg.contains("a &lt; b &amp; c"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    /// A logarithmic axis leaves out zero and less rather than drawing them anywhere.
    #[test]
    fn zeros_are_left_out_of_logarithmic_axes() {
        let mut chart = chart();
        chart.series[0].points[2] = Point::new(3.0, 0.0);
        let svg = draw(&chart, 720.0);
        assert_eq!(svg.matches("<circle class=\"f0\"").count(), 4);
        assert!(!svg.contains("NaN"));
    }
}
