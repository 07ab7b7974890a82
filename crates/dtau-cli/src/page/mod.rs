//! Self-contained pages: style, script and drawings inside, nothing from the network.

mod table;

pub use table::{DataCell, DataTable};

use crate::plot::{self, Plot, Unit};
use serde_json::json;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The widths that a plot is drawn in: for a desk and for a phone.
const WIDE: f64 = 560.0;
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

/// A plot in both widths, and its numbers for the script.
pub fn plot(plot: &Plot) -> String {
    format!(
        "<div class=\"plot\"><div class=\"wide\">{}</div><div class=\"narrow\">{}</div>\
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

/// Text inside HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
