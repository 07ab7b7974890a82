//! Horizontal bars in groups: one group a robot, one bar a method.

use super::lines::heading;
use super::scale::{Scale, number};
use super::svg::{Svg, text_width};
use super::{BarSeries, Bars, Point, Stroke};

const BAR: f64 = 15.0;
const GAP: f64 = 3.0;

pub fn draw(plot: &Bars, width: f64) -> String {
    let mut svg = Svg::new(width);
    let top =
        heading(&mut svg, &plot.title, width, plot.series.iter().map(|s| (s.name.as_str(), s.hue, Stroke::Solid)));
    // The name of a group stands above its bars, so that it may be long on a phone too.
    let (left, right) = (10.0, width - 78.0);
    let bars = |k: usize| plot.series.iter().filter_map(move |s| Some((s.hue, s.value_of(k)?)));
    let height = |k: usize| 22.0 + bars(k).count() as f64 * (BAR + GAP) + 10.0;
    let bottom = top - 6.0 + (0..plot.groups.len()).map(height).sum::<f64>();
    let values = || plot.series.iter().flat_map(|s| &s.points).flat_map(|p| [Some(p.y), p.low, p.high]).flatten();
    let (mut low, high) = values().filter(|x| *x > 0.0).fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
    if low > high {
        low = 1.0;
    }
    // Bars on a logarithmic axis start somewhat below the least value; else at zero.
    let start = if plot.axis.log { low / 2.5 } else { 0.0 };
    let x = Scale::tight(&plot.axis, start, high.max(low) * 1.02, left, right);
    for (place, text) in x.ticks(if width < 500.0 { 5 } else { 8 }) {
        svg.line("grid", (place, top - 10.0), (place, bottom));
        let inside = place.max(0.5 * text_width(&text, 11.5) + 3.0);
        svg.text("tick", (inside, bottom + 15.0), "middle", &text);
    }
    svg.text("label", (0.5 * (left + right), bottom + 33.0), "middle", &plot.axis.label);
    let mut group = top - 6.0;
    for (k, name) in plot.groups.iter().enumerate() {
        svg.text("key", (left, group + 14.0), "start", name);
        for (s, (hue, point)) in bars(k).enumerate() {
            let (y, end) = (group + 22.0 + s as f64 * (BAR + GAP), x.place(point.y));
            svg.rect(&format!("bar f{hue}"), (left, y), (end - left, BAR), 2.0);
            let mut reach = end;
            if let (Some(low), Some(high)) = (point.low, point.high) {
                svg.line("whisker", (x.place(low), y + 0.5 * BAR), (x.place(high), y + 0.5 * BAR));
                reach = reach.max(x.place(high));
            }
            svg.text("value", (reach + 5.0, y + BAR - 4.0), "start", &number(point.y, plot.axis.unit));
        }
        group += height(k);
    }
    svg.line("axis", (left, top - 10.0), (left, bottom));
    svg.data("chart", "bars");
    svg.finish(bottom + 42.0, &plot.title)
}

impl BarSeries {
    /// What the bar in group `k` shows, if there is one.
    fn value_of(&self, k: usize) -> Option<&Point> {
        self.points.iter().find(|p| p.x as usize == k && p.y > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::plot::{Axis, BarSeries, Bars, Plot, Point, Unit};

    #[test]
    fn there_is_a_bar_for_every_value() {
        let points = vec![Point::new(0.0, 3.0), Point::new(1.0, 5.0)];
        let series = vec![
            BarSeries { name: "one".into(), hue: 0, points: points.clone() },
            BarSeries { name: "two".into(), hue: 1, points: points[..1].into() },
        ];
        let groups = vec!["a".into(), "b".into()];
        let axis = Axis::log("time", Unit::Time);
        let svg = Plot::Bars(Bars { title: "t".into(), axis, groups, series }).svg(400.0);
        assert_eq!(svg.matches("<rect class=\"bar").count(), 3);
    }
}
