//! Self-contained pages: style, script and drawings inside, nothing from the network.

mod table;

pub use table::{DataCell, DataTable};

use crate::plot::{self, Plot, Unit};
use serde_json::json;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The widths that a plot is drawn in: for a desk, alone on a desk, and for a phone.
const WIDE: f64 = 560.0;
const FULL: f64 = 1120.0;
const NARROW: f64 = 400.0;

/// A whole page around a body.
pub fn whole(title: &str, body: &str) -> String {
    let (light, dark) = plot::variables();
    let style = STYLE.replace("/*light hues*/", &light).replace("/*dark hues*/", &dark);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>\n{style}{}{}</style>\n</head>\n<body>\n{body}\
         <div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title),
        plot::PAGE_STYLE,
        plot::classes(),
    )
}

/// Plots side by side, as many as there is room for; one alone has all of it.
pub fn plots(plots: &[Plot]) -> String {
    let class = match plots {
        [] => return String::new(),
        [Plot::Heat(_), ..] if plots.len() == 4 => "plots small-multiples fours",
        [Plot::Heat(_), ..] => "plots small-multiples",
        _ if plots.len().is_multiple_of(3) => "plots threes",
        _ => "plots",
    };
    let drawn: String = plots.iter().map(|plot| in_widths(plot, plots.len() == 1)).collect();
    format!("<div class=\"{class}\">\n{drawn}</div>\n")
}

/// A plot in every width it may be seen in, and its numbers for the script.
fn in_widths(plot: &Plot, alone: bool) -> String {
    let (lone, full) = match alone {
        true => (" lone", format!("<div class=\"full\">{}</div>", plot.svg(FULL))),
        false => ("", String::new()),
    };
    format!(
        "<div class=\"plot{lone}\">{full}<div class=\"wide\">{}</div><div class=\"narrow\">{}</div>\
         <script type=\"application/json\">{}</script></div>\n",
        plot.svg(WIDE),
        plot.svg(NARROW),
        // `</script>` must not end the element early.
        numbers(plot).to_string().replace("</", "<\\/"),
    )
}

/// What hovering shows: texts, ready.
fn numbers(plot: &Plot) -> serde_json::Value {
    let text = |p: &plot::Point, unit: Unit| {
        let spread = match (p.low, p.high) {
            (Some(low), Some(high)) => {
                format!("{} … {}", plot::number(low, unit), plot::number(high, unit))
            }
            _ => String::new(),
        };
        let least = p.min.map_or_else(String::new, |min| plot::number(min, unit));
        json!([p.x, p.y, plot::number(p.y, unit), least, spread])
    };
    match plot {
        Plot::Lines(plot) => {
            let series = plot.series.iter().map(|s| {
                let points: Vec<_> = s.points.iter().map(|p| text(p, plot.y.unit)).collect();
                json!({"name": s.name, "hue": s.hue, "points": points})
            });
            json!({"x": plot.x.label, "series": series.collect::<Vec<_>>()})
        }
        Plot::Bars(_) => json!({}),
        Plot::Heat(plot) => {
            let values: Vec<String> = plot.values.iter().map(|x| format!("{x:.3e}")).collect();
            json!({"rows": plot.rows, "columns": plot.columns, "values": values})
        }
    }
}

/// Sentences inside HTML: a number such as 3e-14 stays on one line.
pub fn sentence(text: &str) -> String {
    let word = |word: &str| match word.split_once("e-") {
        Some((mantissa, _)) if mantissa.ends_with(|c: char| c.is_ascii_digit()) => {
            format!("<span class=\"nowrap\">{}</span>", escape(word))
        }
        _ => escape(word),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Text inside HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
