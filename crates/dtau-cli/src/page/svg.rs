//! A writer of SVG drawings. A drawing marks its parts by class (`s0`, `axis`, `band`); the page assigns
//! colours to classes, for light and dark mode.

use crate::clock;
use crate::escape::html as escape;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Width of a drawing, which fits a phone and a column of a page.
pub const WIDTH: f64 = 480.0;

/// A drawing being written.
pub struct Svg {
    body: String,
    width: f64,
    attributes: String,
}

impl Svg {
    /// An empty drawing of a kind, `heat` or `dots`.
    pub fn new(width: f64, kind: &str) -> Self {
        Self { body: String::new(), width, attributes: format!(" data-chart=\"{kind}\"") }
    }

    /// Adds an attribute for the page's script.
    pub fn data(&mut self, name: &str, value: &str) {
        let _ = write!(self.attributes, " data-{name}=\"{}\"", escape(value));
    }

    /// Adds a straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(short);
        let _ = writeln!(self.body, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(short);
        let _ =
            writeln!(self.body, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    }

    /// Adds a circle with a tooltip.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64, tip: &str) {
        let (x, y) = (short(x), short(y));
        let tip = if tip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(tip)) };
        let _ = writeln!(self.body, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">{tip}</circle>");
    }

    /// Adds a path.
    pub fn path(&mut self, class: &str, d: &str) {
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{d}\"/>");
    }

    /// Adds a path, and the text that hovering over it shows.
    pub fn shape(&mut self, class: &str, d: &str, tip: &str) {
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{d}\"><title>{}</title></path>", escape(tip));
    }

    /// Adds text; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, text: &str) {
        let (x, y, text) = (short(x), short(y), escape(text));
        let _ =
            writeln!(self.body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>");
    }

    /// Adds a label of this size, optionally turned to read upwards.
    pub fn small(&mut self, size: f64, (x, y): (f64, f64), anchor: &str, upwards: bool, text: &str) {
        let (size, x, y, text) = (short(size), short(x), short(y), escape(text));
        let turn = if upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        let _ = writeln!(
            self.body,
            "<text class=\"tick\" style=\"font-size:{size}px\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{turn}>{text}</text>"
        );
    }

    /// The finished drawing, with its height and an accessible name.
    pub fn finish(self, height: f64, name: &str) -> String {
        let (width, height, name) = (short(self.width), short(height), escape(name));
        let Self { attributes, body, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{name}\"{attributes}>\n{body}</svg>\n"
        )
    }

    /// Adds a title and a key. Returns the y at which the drawing may begin. A key draws its sign at a
    /// position.
    pub fn heading<'a>(&mut self, title: &str, keys: impl IntoIterator<Item = (&'a str, Sign<'a>)>) -> f64 {
        // Bold type of size 14 is as wide as plain type of size 17.
        self.text("title", (8.0, 18.0), "start", &fitted(title, self.width - 16.0, 17.0));
        let (mut x, mut y) = (8.0, 36.0);
        for (name, sign) in keys.into_iter().filter(|(name, _)| !name.is_empty()) {
            let needed = 40.0 + text_width(name, SIZE);
            if x > 8.0 && x + needed > self.width {
                (x, y) = (8.0, y + 17.0);
            }
            match sign {
                Sign::Dot(class) => self.circle(class, (x + 9.0, y), 4.5, ""),
                Sign::Line(class) => self.path(class, &trace([(x, y), (x + 18.0, y)])),
            }
            self.text("key", (x + 24.0, y + 4.0), "start", name);
            x += needed;
        }
        if x > 8.0 { y + 30.0 } else { y - 6.0 }
    }
}

/// The sign of a key, with its class.
pub enum Sign<'a> {
    /// A dot.
    Dot(&'a str),
    /// A piece of a curve.
    Line(&'a str),
}

/// Size of labels.
pub const SIZE: f64 = 11.5;

/// A path `M x y L x y …`.
pub fn trace(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let _ = write!(d, "{}{} {}", if d.is_empty() { 'M' } else { 'L' }, short(x), short(y));
    }
    d
}

/// Formats a number with one decimal, for small files.
fn short(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// The text, shortened in the middle if it is too wide: both ends of `left_front_knee` distinguish it from
/// others.
pub fn fitted(text: &str, width: f64, size: f64) -> String {
    let most = ((width / (0.56 * size)) as usize).max(3);
    if crate::table::width(text) <= most {
        return text.into();
    }
    let all: Vec<char> = text.chars().collect();
    let (head, tail) = ((most - 1).div_ceil(2), (most - 1) / 2);
    all[..head].iter().chain(&['…']).chain(&all[all.len() - tail..]).collect()
}

/// Approximate width of a text.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.56 * size * crate::table::width(text) as f64
}

/// Notation of the numbers on an axis.
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

/// A logarithmic axis. Values that are not positive are left out.
pub struct Axis {
    /// The least value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    unit: Unit,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis over all these values, from one position of the drawing to another.
    pub fn new(unit: Unit, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let fits = |x: &f64| x.is_finite() && *x > 0.0;
        let (mut low, mut high) =
            values.filter(fits).fold((f64::MAX, 0.0), |(l, h): (f64, f64), x| (l.min(x), h.max(x)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        // A small margin, and never less than a third of a decade.
        let spread = (high / low).log10();
        let air = 10f64.powf((0.04 * spread).max(0.5 * (0.35 - spread)).max(0.02));
        Self { low: low / air, high: high * air, unit, from, to }
    }

    /// Returns the position of a value.
    pub fn place(&self, x: f64) -> f64 {
        let share = (x.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln();
        self.from + share.clamp(-0.02, 1.02) * (self.to - self.from)
    }

    /// Positions with their labels, at most `most`.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        // Finer digits if less than a decade is shown.
        let digits = [&[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
        let mut all = digits.iter().map(|digits| self.of_decades(digits));
        let fine = all.find(|ticks| ticks.len() <= most);
        let decades = || self.of_decades(&[1.0]);
        let ticks =
            fine.unwrap_or_else(|| decades().into_iter().step_by(decades().len().div_ceil(most.max(1))).collect());
        ticks.into_iter().map(|x| (self.place(x), number(x, self.unit))).collect()
    }

    /// Positions of thin lines in between.
    pub fn minor(&self) -> Vec<f64> {
        let nine = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let lines = if (self.high / self.low).log10() > 5.0 { Vec::new() } else { self.of_decades(&nine) };
        lines.into_iter().map(|x| self.place(x)).collect()
    }

    fn of_decades(&self, digits: &[f64]) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let all = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
        // Numbers of links or threads are integers.
        let whole = |x: &f64| self.unit != Unit::Number || x.fract() == 0.0;
        all.filter(|x| (self.low..=self.high).contains(x) && whole(x)).collect()
    }
}

/// Formats a number for axes and texts.
pub fn number(x: f64, unit: Unit) -> String {
    match unit {
        Unit::Time => {
            let (x, unit) = clock::unit(x);
            format!("{} {unit}", significant(x))
        }
        Unit::Ratio => format!("{}×", significant(x)),
        Unit::Power if x.abs() < 1e4 => significant(x),
        Unit::Power => format!("{x:.1e}").replace(".0e", "e"),
        Unit::Number if x.abs() >= 1e9 => format!("{}G", significant(x / 1e9)),
        Unit::Number if x.abs() >= 1e6 => format!("{}M", significant(x / 1e6)),
        Unit::Number if x.abs() >= 1e4 => format!("{}k", significant(x / 1e3)),
        Unit::Number => significant(x),
    }
}

/// Formats three significant digits, without zeros at the end.
fn significant(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if x.abs() < 1e-3 {
        return format!("{x:.1e}").replace(".0e", "e");
    }
    let decimals = (2 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// Number of hues. They can be distinguished in light and dark mode, also with colour blindness.
pub const HUES: usize = 11;
/// Hue of correct results.
pub const GOOD: usize = 8;
/// Hue of wrong results.
pub const BAD: usize = 9;
/// Hue of results that are not judged.
pub const NEUTRAL: usize = 10;

const LIGHT: [&str; HUES] = [
    "#d1495b", "#1b6ca8", "#2a9d6f", "#e08e1b", "#7b52ab", "#4a4e69", "#13a3b5", "#b5651d", "#1a7f4e", "#b3261e",
    "#7c8794",
];
const DARK: [&str; HUES] = [
    "#ff7a8a", "#5fb0f0", "#4fd3a0", "#f5b54a", "#b794f6", "#b8bfd6", "#45d0e0", "#e39a5b", "#5fd69b", "#ff8d85",
    "#8996a5",
];

/// Number of shades of a heat map for each sign.
pub const SHADES: usize = 7;

/// Colours of positive and of negative entries, from the least, which are closest to the background, to the
/// largest.
type Ramps = [[[f64; 3]; 3]; 2];
const ON_LIGHT: Ramps = [
    [[253.0, 224.0, 200.0], [240.0, 130.0, 70.0], [160.0, 24.0, 40.0]],
    [[208.0, 226.0, 245.0], [86.0, 150.0, 210.0], [20.0, 48.0, 120.0]],
];
const ON_DARK: Ramps = [
    [[74.0, 46.0, 34.0], [200.0, 100.0, 52.0], [255.0, 205.0, 140.0]],
    [[28.0, 50.0, 84.0], [58.0, 122.0, 196.0], [168.0, 222.0, 255.0]],
];

/// Style rules for the classes of drawings; variables are in the page's style.
const STYLE: &str = "\
.drawing{width:100%;height:auto;display:block;font-family:inherit}
.drawing text{fill:var(--ink);font-size:12px}
.drawing .title{font-size:14px;font-weight:600}
.drawing .tick,.drawing .key{font-size:11.5px;fill:var(--soft)}
.drawing .key{fill:var(--ink)}
.drawing .label{font-size:12px;fill:var(--soft)}
.drawing .value{font-size:11px;fill:var(--soft)}
.grid{stroke:var(--grid);stroke-width:1}
.minor{stroke:var(--grid);stroke-width:.5;opacity:.6}
.whisker{stroke:var(--ink);stroke-width:1.2;opacity:.55}
.frame{fill:var(--panel);stroke:var(--grid)}
.dot{stroke:var(--panel);stroke-width:1}
.dot.ring{fill:none;stroke-width:1.6}
.limit{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:5 3}
.noise{fill:var(--soft);opacity:.55}
.solid{fill-opacity:.22;stroke-width:1}
.bone{stroke:var(--ink);stroke-width:1.2;opacity:.6}
.pivot{fill:var(--ink);opacity:.75}
";

/// The style of drawings in a page: variables for light mode, variables for dark mode, rules.
pub fn style() -> [String; 3] {
    let variables = |hues: &[&str], ramps: &Ramps| -> String {
        let hues = hues.iter().enumerate().map(|(k, colour)| format!("--s{k}:{colour};"));
        hues.chain(shades(ramps).map(|(name, colour)| format!("--h{name}:{colour};"))).collect()
    };
    let hues = (0..HUES).map(|k| format!(".s{k}{{stroke:var(--s{k})}}.f{k}{{fill:var(--s{k})}}"));
    let classes: String =
        hues.chain(shades(&ON_LIGHT).map(|(name, _)| format!(".h{name}{{fill:var(--h{name})}}"))).collect();
    [variables(&LIGHT, &ON_LIGHT), variables(&DARK, &ON_DARK), format!("{STYLE}{classes}")]
}

/// Names and colours of all shades: `p` for positive and `n` for negative entries.
fn shades(ramps: &Ramps) -> impl Iterator<Item = (String, String)> {
    let of =
        |sign: &'static str, ramp: [[f64; 3]; 3]| (0..SHADES).map(move |k| (format!("{sign}{k}"), shade(k, &ramp)));
    of("p", ramps[0]).chain(of("n", ramps[1]))
}

fn shade(k: usize, ramp: &[[f64; 3]; 3]) -> String {
    let at = k as f64 / (SHADES - 1) as f64 * (ramp.len() - 1) as f64;
    let i = (at as usize).min(ramp.len() - 2);
    let mix = |c: usize| (ramp[i][c] + (at - i as f64) * (ramp[i + 1][c] - ramp[i][c])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1e3, Unit::Time), "1 µs");
        assert_eq!(number(2.5e6, Unit::Time), "2.5 ms");
        assert_eq!(number(15.23, Unit::Ratio), "15.2×");
        assert_eq!(number(1e-12, Unit::Power), "1e-12");
        assert_eq!(number(1.5 * 1e-12, Unit::Power), "1.5e-12");
        assert_eq!(number(500.0, Unit::Number), "500");
        assert_eq!(number(2e6, Unit::Number), "2M");
    }

    /// An axis of less than a decade has ticks at 1, 1.2, 1.5: no two labels are the same.
    #[test]
    fn ticks_are_inside_and_few_and_no_two_labels_are_the_same() {
        for unit in [Unit::Power, Unit::Time, Unit::Ratio, Unit::Number] {
            for (low, high) in [
                (1e-12, 2.4e-12),
                (3e-13, 1.1e-12),
                (1.0001, 1.9),
                (99_980.0, 100_020.0),
                (2.0, 500.0),
                (2.0, 2e6),
                (1e-18, 1.0),
            ] {
                let ticks = Axis::new(unit, [low, high].into_iter(), 0.0, 100.0).ticks(8);
                assert!(ticks.len() <= 8 && ticks.iter().all(|(x, _)| (0.0..=100.0).contains(x)), "{ticks:?}");
                assert!(ticks.windows(2).all(|pair| pair[0].1 != pair[1].1), "{ticks:?}");
                assert!(unit == Unit::Number || ticks.len() >= 3, "{ticks:?}");
            }
        }
        let near = Axis::new(Unit::Number, [1.0, 2.0].into_iter(), 0.0, 100.0).ticks(9);
        assert_eq!(near.into_iter().map(|(_, text)| text).collect::<Vec<_>>(), ["1", "2"]);
    }
}
