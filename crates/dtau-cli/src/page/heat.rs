//! Heat maps of matrices. An entry that is exactly zero is blank. Larger entries are darker, on a logarithmic
//! scale, with one hue for each sign. Rounding noise is a grey speck.

use super::svg::{SHADES, Svg, Unit, fitted, number, text_width};
use crate::escape::in_script;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A matrix: its zeros, and the sizes of its other entries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// Name of the matrix.
    pub title: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Entries, row after row.
    pub values: Vec<f64>,
    /// For each row, the size up to which an entry is rounding noise; empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub noise: Vec<f64>,
}

impl Heat {
    /// The drawing, with data for the script's tooltips.
    pub fn html(&self) -> String {
        let Self { rows, columns, noise, values, .. } = self;
        let values: Vec<String> = values.iter().map(|x| format!("{x:.3e}")).collect();
        let data = serde_json::json!({"rows": rows, "columns": columns, "values": values, "noise": noise});
        format!("{}<script type=\"application/json\">{}</script>", self.svg(), in_script(&data.to_string()))
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        draw(self, WIDTH)
    }
}

/// Width of a map; maps are placed side by side.
const WIDTH: f64 = 400.0;

/// Entries below this share of the largest have one shade.
const SPAN: f64 = 1e-8;

fn draw(plot: &Heat, width: f64) -> String {
    let zeros = plot.values.iter().filter(|x| **x == 0.0).count();
    let is_zero = zeros == plot.values.len();
    let mut svg = Svg::new(width, if is_zero { "zeros" } else { "heat" });
    let (rows, columns) = (plot.rows.len(), plot.columns.len());
    svg.text("title", (8.0, 18.0), "start", &plot.title);
    // A blank square would be misleading.
    if is_zero {
        svg.text("label", (8.0, 38.0), "start", &format!("{rows} × {columns}: every entry is exactly zero"));
        return svg.finish(50.0, &plot.title);
    }
    let share = 100.0 * zeros as f64 / plot.values.len().max(1) as f64;
    svg.text("label", (8.0, 36.0), "start", &format!("{rows} × {columns}, {share:.0} % exact zeros"));

    let place = Place::of(plot, width);
    let Place { left, top, cell, .. } = place;
    let size = (cell * columns as f64, cell * rows as f64);
    labels(&mut svg, plot, &place);
    svg.rect("frame", (left, top), size);
    let is_noise = |k: usize| plot.noise.get(k / columns).is_some_and(|noise| plot.values[k].abs() <= *noise);
    let magnitudes =
        || (0..plot.values.len()).filter(|&k| plot.values[k] != 0.0 && !is_noise(k)).map(|k| plot.values[k].abs());
    let high = magnitudes().fold(0.0, f64::max);
    let least = magnitudes().fold(high, f64::min);
    let low = least.max(SPAN * high);
    let span = (high / low).log10().max(1e-9);
    let (mut shades, mut noise) = (vec![[String::new(), String::new()]; SHADES], String::new());
    for (k, value) in plot.values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        let (x, y) = (left + cell * (k % columns) as f64, top + cell * (k / columns) as f64);
        if is_noise(k) {
            let speck = 0.3 * cell;
            square(&mut noise, (x + 0.35 * cell, y + 0.35 * cell), speck);
            continue;
        }
        let share = ((value.abs() / low).log10() / span).clamp(0.0, 1.0);
        let shade = (share * (SHADES - 1) as f64).round() as usize;
        square(&mut shades[shade][usize::from(*value < 0.0)], (x, y), cell);
    }
    for (shade, paths) in shades.iter().enumerate() {
        for (sign, path) in ["p", "n"].into_iter().zip(paths).filter(|(_, path)| !path.is_empty()) {
            svg.path(&format!("h{sign}{shade}"), path);
        }
    }
    if !noise.is_empty() {
        svg.path("noise", &noise);
    }

    svg.data("plot", &format!("{left:.2} {top:.2} {cell:.4} {rows} {columns}"));
    let mut y = top + size.1 + 12.0;
    if high > 0.0 {
        let below = if least < low { "≤ " } else { "" };
        key(&mut svg, y, &number(high, Unit::Power), &format!("{below}{}", number(low, Unit::Power)));
        y += 20.0;
    }
    let mut said = String::from("logarithmic; blank: exactly 0");
    if !noise.is_empty() {
        svg.rect("noise", (10.0, y + 4.0), (5.0, 5.0));
        svg.text("tick", (20.0, y + 10.0), "start", "rounding noise");
        let begin = 20.0 + text_width("rounding noise", 11.5) + 12.0;
        svg.text("tick", (begin, y + 10.0), "start", &said);
    } else {
        said = format!("Scale: {said}");
        svg.text("tick", (8.0, y + 10.0), "start", &said);
    }
    svg.finish(y + 20.0, &plot.title)
}

fn square(path: &mut String, (x, y): (f64, f64), edge: f64) {
    let _ = write!(path, "M{x:.2} {y:.2}h{edge:.2}v{edge:.2}h-{edge:.2}z");
}

/// Layout of the cells and their labels.
struct Place {
    left: f64,
    top: f64,
    cell: f64,
    font: f64,
    /// Space for labels.
    room: f64,
}

/// The smallest readable label size, and the largest one used.
const FONTS: (f64, f64) = (7.0, 11.0);

impl Place {
    fn of(plot: &Heat, width: f64) -> Self {
        let columns = plot.columns.len().max(1) as f64;
        let longest =
            |font: f64| plot.rows.iter().chain(&plot.columns).map(|name| text_width(name, font)).fold(0.0, f64::max);
        let cell_for = |room: f64| ((width - room - 22.0) / columns).min(34.0);
        let font = (0.82 * cell_for(0.24 * width)).clamp(FONTS.0, FONTS.1);
        let room = longest(font).min(0.24 * width) + 2.0;
        Self { left: 10.0 + room, top: 46.0 + room, cell: cell_for(room), font, room }
    }
}

/// Draws names of rows and columns, with some left out if there is no space for all.
fn labels(svg: &mut Svg, plot: &Heat, place: &Place) {
    let Place { left, top, cell, font, room } = *place;
    let every = ((font + 0.5) / cell).ceil().max(1.0) as usize;
    let middle = |k: usize| cell * (k as f64 + 0.5) + 0.35 * font;
    for (k, name) in plot.rows.iter().enumerate().step_by(every) {
        svg.small(font, (left - 4.0, top + middle(k)), "end", false, &fitted(name, room, font));
    }
    for (k, name) in plot.columns.iter().enumerate().step_by(every) {
        svg.small(font, (left + middle(k), top - 4.0), "start", true, &fitted(name, room, font));
    }
}

/// Draws the colour key, from the most negative over the least to the most positive.
fn key(svg: &mut Svg, y: f64, high: &str, low: &str) {
    const STEP: f64 = 11.0;
    let mut x = 8.0;
    let text = |svg: &mut Svg, x: &mut f64, text: &str| {
        svg.text("tick", (*x, y + 10.0), "start", text);
        *x += text_width(text, 11.5) + 9.0;
    };
    text(svg, &mut x, &format!("−{high}"));
    for shade in (0..SHADES).rev() {
        svg.rect(&format!("hn{shade}"), (x, y), (STEP, 12.0));
        x += STEP;
    }
    x += 6.0;
    text(svg, &mut x, &format!("±{low}").replace("±≤ ", "≤ ±"));
    for shade in 0..SHADES {
        svg.rect(&format!("hp{shade}"), (x, y), (STEP, 12.0));
        x += STEP;
    }
    x += 6.0;
    text(svg, &mut x, &format!("+{high}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|k| format!("joint {k}")).collect()
    }

    fn cells(svg: &str, class: &str) -> usize {
        let is = |line: &&str| line.starts_with(&format!("<path class=\"{class}"));
        svg.lines().filter(is).map(|line| line.matches('z').count()).sum()
    }

    #[test]
    fn every_entry_that_is_not_zero_has_a_cell_of_its_sign() {
        let values = vec![1.0, 0.0, -1e-3, 0.0, 2.0, 5.0];
        let plot = Heat { title: "M".into(), rows: names(2), columns: names(3), values, noise: vec![] };
        let svg = draw(&plot, 300.0);
        assert_eq!((cells(&svg, "hp"), cells(&svg, "hn"), cells(&svg, "noise")), (3, 1, 0));
        assert!(svg.contains("33 % exact zeros") && svg.contains("logarithmic"));
    }

    /// Noise is relative to the row: the same number may be noise in one row and not in another.
    #[test]
    fn what_is_noise_is_shown_as_such_and_not_in_the_scale() {
        let values = vec![1.0, 1e-13, 1e-13, 1e-14];
        let plot = Heat { title: "M".into(), rows: names(2), columns: names(2), values, noise: vec![1e-12, 1e-20] };
        let svg = draw(&plot, 400.0);
        assert_eq!((cells(&svg, "hp"), cells(&svg, "noise")), (3, 1));
        assert!(svg.contains("rounding noise"));
        let only = Heat { values: vec![1.0, 1e-13, -1e-13, 2.0], noise: vec![1e-12; 2], ..plot };
        let svg = draw(&only, 400.0);
        assert!(svg.contains("±1<") && !svg.contains("1e-"), "noise is in the scale: {svg}");
    }

    #[test]
    fn rows_and_columns_are_labelled_by_joint() {
        let plot = |n: usize| Heat {
            title: "M".into(),
            rows: names(n),
            columns: names(n),
            values: vec![1.0; n * n],
            noise: vec![],
        };
        for (n, width) in [(3, 400.0), (18, 400.0), (18, 560.0)] {
            let svg = draw(&plot(n), width);
            for k in 0..n {
                assert_eq!(svg.matches(&format!(">joint {k}</text>")).count(), 2, "{k} of {n} at {width}");
            }
        }
        // A few labels remain if there is no space for all.
        let svg = draw(&plot(120), 400.0);
        let shown = svg.matches(">joint ").count();
        assert!((20..120).contains(&shown), "{shown}");
    }

    #[test]
    fn zeros_alone_are_a_sentence_and_no_blank_square() {
        let plot = Heat { title: "Z".into(), rows: names(9), columns: names(9), values: vec![0.0; 81], noise: vec![] };
        let svg = draw(&plot, 300.0);
        assert!(
            svg.contains("9 × 9: every entry is exactly zero") && !svg.contains("<rect") && !svg.contains("<path"),
            "{svg}"
        );
    }
}
