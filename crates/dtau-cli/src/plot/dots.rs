//! Dots on lines of their own, in groups: one group a robot or a method. A logarithmic axis has no zero for a bar to begin at; a dot
//! says where a value is and nothing else.

use super::lines::heading;
use super::scale::{Scale, number};
use super::svg::{Svg, fitted, text_width};
use super::{Dots, Point, Stroke};

/// A line with one name and one dot, or with one dot of every series.
const ROW: f64 = 20.0;
const SIZE: f64 = 11.5;

/// More dots than this stand together, a group a line, without numbers beside them.
const MOST_LINES: usize = 30;

pub fn draw(plot: &Dots, width: f64) -> String {
    let mut svg = Svg::new(width);
    let keys = plot.series.iter().map(|s| (s.name.as_str(), s.hue, Stroke::Points));
    let top = heading(&mut svg, &plot.title, width, keys) + if plot.limit.is_some() { 8.0 } else { -6.0 };
    let layout = Layout::of(plot);
    // Names of groups stand before their dots, or above them where there are several.
    let longest = plot.groups.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max);
    let beside = if layout == Layout::Apart { 0.0 } else { longest.min(0.36 * width) + 10.0 };
    let (left, right) = (10.0 + beside, width - if layout == Layout::Together { 16.0 } else { 70.0 });
    let height = |k: usize| match layout {
        Layout::Apart => 20.0 + dots(plot, k).count() as f64 * ROW + 8.0,
        Layout::Alone | Layout::Together => ROW,
    };
    let bottom = top + (0..plot.groups.len()).map(height).sum::<f64>() + 4.0;
    let points = || plot.series.iter().flat_map(|s| &s.points);
    let limit = plot.limit.iter().map(|limit| limit.x);
    let spread = |p: &Point| if layout == Layout::Together { [None; 3] } else { [p.mean, p.low, p.high] };
    let values = points().flat_map(|p| spread(p).into_iter().flatten().chain([p.y])).chain(limit);
    let x = Scale::new(&plot.axis, values, left, right);
    let room = ((right - left) / 64.0) as usize;
    for (place, text) in x.ticks(room.clamp(3, 8)) {
        svg.line("grid", (place, top), (place, bottom));
        let half = 0.5 * text_width(&text, SIZE); // at the edge it stands aside, so that all of it is seen
        svg.text("tick", (place.clamp(half, width - half), bottom + 15.0), "middle", &text);
    }
    svg.text("label", (0.5 * width, bottom + 33.0), "middle", &plot.axis.label);
    if let Some(limit) = &plot.limit {
        let place = x.place(limit.x);
        svg.line("limit", (place, top - 4.0), (place, bottom));
        let anchor = if place > 0.6 * width { "end" } else { "start" };
        svg.text("value", (place + if anchor == "end" { -4.0 } else { 4.0 }, top - 6.0), anchor, &limit.name);
    }
    let (mut y, mut rows) = (top, Vec::new());
    for (k, name) in plot.groups.iter().enumerate() {
        rows.push(format!("{y:.0}"));
        let mut middle = y + 0.5 * ROW;
        svg.text("key", (8.0, middle + 4.0), "start", &fitted(name, width - right + left - 18.0, SIZE));
        if layout == Layout::Apart {
            svg.line("minor", (left, y), (right, y));
            middle += ROW;
        }
        for (hue, point) in dots(plot, k) {
            svg.line("minor", (left, middle), (right, middle));
            // Spreads of dots on one line could not be told apart.
            if layout == Layout::Together {
                dot(&mut svg, &x, hue, &Point::new(point.x, point.y), middle);
                continue;
            }
            let reach = dot(&mut svg, &x, hue, point, middle);
            svg.text("value", (reach + 8.0, middle + 4.0), "start", &number(point.y, plot.axis.unit));
            middle += ROW;
        }
        y += height(k);
    }
    svg.data("chart", "dots");
    svg.data("rows", &format!("{} {bottom:.0}", rows.join(" ")));
    svg.finish(bottom + 42.0, &plot.title)
}

/// How groups are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// One dot a group.
    Alone,
    /// A line for every dot.
    Apart,
    /// All dots of a group on its line.
    Together,
}

impl Layout {
    fn of(plot: &Dots) -> Self {
        let count = |k: usize| dots(plot, k).count();
        let all: usize = (0..plot.groups.len()).map(count).sum();
        match () {
            () if (0..plot.groups.len()).all(|k| count(k) <= 1) => Self::Alone,
            () if all <= MOST_LINES => Self::Apart,
            () => Self::Together,
        }
    }
}

/// The dots of a group, with their hues.
fn dots(plot: &Dots, k: usize) -> impl Iterator<Item = (usize, &Point)> {
    plot.series.iter().flat_map(move |s| s.points.iter().filter(move |p| p.x as usize == k).map(|p| (s.hue, p)))
}

/// The value as a dot, its spread as a thin line, its mean as a thin tick; returns how far right they reach. What is zero, which a
/// logarithmic axis cannot show, is a ring at its beginning.
fn dot(svg: &mut Svg, x: &Scale, hue: usize, point: &Point, y: f64) -> f64 {
    let mut reach = x.place(point.y);
    if let (Some(low), Some(high)) = (point.low, point.high) {
        svg.line("whisker", (x.place(low), y), (x.place(high), y));
        reach = reach.max(x.place(high));
    }
    if let Some(mean) = point.mean {
        svg.line("whisker", (x.place(mean), y - 4.0), (x.place(mean), y + 4.0));
        reach = reach.max(x.place(mean));
    }
    let class = if point.y > 0.0 { format!("dot f{hue}") } else { format!("dot ring s{hue}") };
    svg.circle(&class, (x.place(point.y), y), 4.5);
    reach
}

#[cfg(test)]
mod tests {
    use crate::plot::{Axis, DotSeries, Dots, Mark, Plot, Point, Unit};

    fn plot(groups: usize, series: usize) -> Dots {
        let points = |k: usize| (0..groups).map(|g| Point::new(g as f64, (g + 2 * k + 1) as f64)).collect();
        Dots {
            title: "t".into(),
            axis: Axis::log("time", Unit::Time),
            groups: (0..groups).map(|k| format!("group {k}")).collect(),
            series: (0..series).map(|k| DotSeries { name: format!("s{k}"), hue: k, points: points(k) }).collect(),
            limit: None,
        }
    }

    /// Whether names stand beside, above, or many dots together.
    #[test]
    fn there_is_a_dot_for_every_value_and_never_a_bar() {
        for (groups, series) in [(3, 1), (4, 3), (20, 5)] {
            let svg = Plot::Dots(plot(groups, series)).svg(400.0);
            assert_eq!(svg.matches("class=\"dot f").count(), groups * series);
            assert!(!svg.contains("<rect"), "{svg}");
        }
    }

    /// The dot is the value that verdicts go by; the mean is a tick, its spread a line.
    #[test]
    fn the_dot_is_the_least_time_and_the_mean_a_thin_mark() {
        let mut plot = plot(1, 1);
        plot.series[0].points[0] =
            Point { mean: Some(20.0), low: Some(15.0), high: Some(30.0), ..Point::new(0.0, 10.0) };
        let svg = Plot::Dots(plot).svg(560.0);
        let said = svg.lines().find(|line| line.contains("class=\"value\"")).unwrap();
        assert!(said.contains(">10 ns</text>"), "{said}");
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
        let mut plot = plot(3, 1);
        plot.limit = Some(Mark { x: 1e6, name: "no more".into() });
        let svg = Plot::Dots(plot).svg(400.0);
        let line = svg.lines().find(|line| line.contains("class=\"limit\"")).expect("a line");
        let x: f64 = line.split("x1=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!((100.0..400.0).contains(&x) && svg.contains(">no more</text>"), "{line}");
    }

    #[test]
    fn zero_is_a_ring_and_says_so() {
        let mut plot = plot(2, 1);
        plot.series[0].points[0].y = 0.0;
        let svg = Plot::Dots(plot).svg(400.0);
        assert!(svg.contains("dot ring") && svg.contains(">0 ns</text>") && !svg.contains("NaN"), "{svg}");
    }
}
