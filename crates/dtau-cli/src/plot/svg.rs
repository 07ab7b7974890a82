//! Pieces of SVG.

use crate::escape::html as escape;
use std::fmt::Write;

/// A drawing being written.
pub struct Svg {
    body: String,
    width: f64,
    attributes: String,
}

impl Svg {
    pub fn new(width: f64) -> Self {
        Self { body: String::new(), width, attributes: String::new() }
    }

    /// A data attribute of the drawing, for the page's script.
    pub fn data(&mut self, name: &str, value: &str) {
        let _ = write!(self.attributes, " data-{name}=\"{}\"", escape(value));
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            short(from.0),
            short(from.1),
            short(to.0),
            short(to.1)
        );
    }

    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), round: f64) {
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            short(x),
            short(y),
            short(width.max(0.0)),
            short(height.max(0.0)),
            short(round)
        );
    }

    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let _ =
            writeln!(self.body, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{radius}\"/>", short(x), short(y));
    }

    /// A path with `d` as it is.
    pub fn path(&mut self, class: &str, d: &str) {
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{d}\"/>");
    }

    /// Through points in order.
    pub fn polyline(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let d = trace(points);
        if !d.is_empty() {
            self.path(class, &d);
        }
    }

    /// `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            short(x),
            short(y),
            escape(text)
        );
    }

    /// A label of this size, turned to read upwards or not.
    pub fn small(&mut self, size: f64, (x, y): (f64, f64), anchor: &str, upwards: bool, text: &str) {
        let (x, y) = (short(x), short(y));
        let turn = if upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        let _ = writeln!(
            self.body,
            "<text class=\"tick\" style=\"font-size:{}px\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{turn}>{}</text>",
            short(size),
            escape(text)
        );
    }

    /// The whole, so many units high, with a name for those who cannot see it.
    pub fn finish(self, height: f64, name: &str) -> String {
        let (width, height) = (short(self.width), short(height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{}\"{}>\n{}</svg>\n",
            escape(name),
            self.attributes,
            self.body
        )
    }
}

/// `M x y L x y …`
pub fn trace(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let _ = write!(d, "{}{} {}", if d.is_empty() { 'M' } else { 'L' }, short(x), short(y));
    }
    d
}

/// One decimal, for small files.
pub fn short(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// The text, or its beginning and its end where it is too wide: both ends of `left_front_knee` tell it from others.
pub fn fitted(text: &str, width: f64, size: f64) -> String {
    let most = (width / (0.56 * size)) as usize;
    let all: Vec<char> = text.chars().collect();
    if all.len() <= most.max(3) {
        return text.into();
    }
    let (head, tail) = ((most.max(3) - 1).div_ceil(2), (most.max(3) - 1) / 2);
    all[..head].iter().chain(&['…']).chain(&all[all.len() - tail..]).collect()
}

/// About how wide a text is at a size.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.56 * size * crate::table::width(text) as f64
}
