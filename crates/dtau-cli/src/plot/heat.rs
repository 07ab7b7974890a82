//! Heat maps of matrices: blank where an entry is exactly zero, deeper the larger it is.

use super::Heat;
use super::scale::number;
use super::svg::{Svg, text_width};
use super::theme::SHADES;
use crate::plot::Unit;
use std::fmt::Write;

pub fn draw(plot: &Heat, width: f64) -> String {
    let mut svg = Svg::new(width);
    let (rows, columns) = (plot.rows.len(), plot.columns.len());
    svg.text("title", (8.0, 18.0), "start", &plot.title);
    let magnitudes = || plot.values.iter().map(|x| x.abs()).filter(|x| *x > 0.0);
    let zeros = plot.values.iter().filter(|x| **x == 0.0).count();
    let share = 100.0 * zeros as f64 / plot.values.len().max(1) as f64;
    svg.text("label", (8.0, 36.0), "start", &format!("{rows} × {columns}, {share:.0} % exact zeros"));

    let (left, top) = (12.0, 48.0);
    let cell = ((width - 24.0) / columns.max(1) as f64).min(34.0);
    let size = (cell * columns as f64, cell * rows as f64);
    svg.rect("frame", (left, top), size, 0.0);
    // At most eight decades: below that it is noise beside the rest.
    let high = magnitudes().fold(f64::MIN_POSITIVE, f64::max);
    let low = magnitudes().fold(high, f64::min).max(1e-8 * high);
    let span = (high / low).log10().max(1e-9);
    let mut shades = vec![String::new(); SHADES];
    let edge = format!("{cell:.2}");
    for (k, value) in plot.values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        let share = ((value.abs() / low).log10() / span).clamp(0.0, 1.0);
        let shade = (share * (SHADES - 1) as f64).round() as usize;
        let (x, y) = (left + cell * (k % columns) as f64, top + cell * (k / columns) as f64);
        let _ = write!(shades[shade], "M{x:.2} {y:.2}h{edge}v{edge}h-{edge}z");
    }
    for (shade, path) in shades.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        svg.path(&format!("h{shade}"), path);
    }

    svg.data("chart", "heat");
    svg.data("plot", &format!("{left} {top} {cell} {rows} {columns}"));
    if magnitudes().next().is_none() {
        return svg.finish(top + size.1 + 12.0, &plot.title);
    }
    // The key: from the least to the largest.
    let (y, text) = (top + size.1 + 12.0, (number(low, Unit::Power), number(high, Unit::Power)));
    let begin = left + text_width(&text.0, 11.0) + 6.0;
    svg.text("tick", (left, y + 10.0), "start", &text.0);
    for shade in 0..SHADES {
        svg.rect(&format!("h{shade}"), (begin + 12.0 * shade as f64, y), (12.0, 12.0), 0.0);
    }
    svg.text("tick", (begin + 12.0 * SHADES as f64 + 6.0, y + 10.0), "start", &text.1);
    svg.finish(y + 22.0, &plot.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_that_is_not_zero_has_a_cell() {
        let names = |n: usize| (0..n).map(|k| format!("j{k}")).collect::<Vec<_>>();
        let plot =
            Heat { title: "M".into(), rows: names(2), columns: names(3), values: vec![1.0, 0.0, -1e-3, 0.0, 2.0, 5.0] };
        let svg = draw(&plot, 300.0);
        let cells: usize = svg.lines().filter(|l| l.contains("<path class=\"h")).map(|l| l.matches('z').count()).sum();
        assert_eq!(cells, 4);
        assert!(svg.contains("33 % exact zeros"));
    }

    /// Nothing is coloured, so there is no key to colours.
    #[test]
    fn zeros_alone_have_no_key() {
        let name = || vec!["j".to_string()];
        let plot = Heat { title: "Z".into(), rows: name(), columns: name(), values: vec![0.0] };
        let svg = draw(&plot, 300.0);
        assert!(svg.contains("100 % exact zeros") && !svg.contains("class=\"h"), "{svg}");
    }
}
