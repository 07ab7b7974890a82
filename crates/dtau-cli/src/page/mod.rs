//! Self-contained pages: style, script and drawings inside, nothing from the network.

mod table;

pub use crate::escape::html as escape;
pub use table::{DataCell, DataTable};

use crate::escape::in_script;
use crate::machine;
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

/// The foot of a page: when, on what, by what and from what it was made.
pub fn foot(file: Option<&str>, more: &str) -> String {
    let fact = |name: &str, value: &str| format!("<li>{name} <b>{}</b></li>", escape(value));
    let cores = machine::cores();
    let mut facts = vec![
        fact("made", &machine::now()),
        fact("processor", &format!("{}, {cores} core{}", machine::processor(), if cores == 1 { "" } else { "s" })),
        fact("dtau", env!("CARGO_PKG_VERSION")),
    ];
    facts.extend(file.map(|file| fact("file", file)));
    if cfg!(debug_assertions) {
        facts.push(fact("build", "without optimisation: times mean nothing"));
    }
    let command = format!("<li class=\"command\"><code>{}</code></li>", escape(&machine::command()));
    format!("<footer>{more}<ul class=\"facts\">{}{command}</ul></footer>\n", facts.concat())
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
        in_script(&numbers(plot).to_string()),
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
        let mean = p.mean.map_or_else(String::new, |mean| plot::number(mean, unit));
        json!([p.x, p.y, plot::number(p.y, unit), mean, spread])
    };
    let series = |name: &str, hue: usize, points: &[plot::Point], unit: Unit| {
        let points: Vec<_> = points.iter().map(|p| text(p, unit)).collect();
        json!({"name": name, "hue": hue, "points": points})
    };
    match plot {
        Plot::Lines(plot) => {
            let all = plot.series.iter().map(|s| series(&s.name, s.hue, &s.points, plot.y.unit));
            json!({"x": plot.x.label, "series": all.collect::<Vec<_>>()})
        }
        Plot::Dots(plot) => {
            let all = plot.series.iter().map(|s| series(&s.name, s.hue, &s.points, plot.axis.unit));
            json!({"groups": plot.groups, "series": all.collect::<Vec<_>>()})
        }
        Plot::Heat(plot) => {
            let values: Vec<String> = plot.values.iter().map(|x| format!("{x:.3e}")).collect();
            json!({"rows": plot.rows, "columns": plot.columns, "values": values, "noise": plot.noise})
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

#[cfg(test)]
mod tests {
    use super::*;
    use plot::Heat;

    /// A plot of a joint with a name that would end the script, or hide its end, or both.
    #[test]
    fn names_in_a_plot_end_nothing() {
        let names = vec!["<!--<script>".to_string(), "</script><b>".to_string()];
        let heat = Heat { title: "M".into(), rows: names.clone(), columns: names, values: vec![1.0; 4], noise: vec![] };
        let html = plots(&[Plot::Heat(heat)]);
        assert_eq!((html.matches("<script").count(), html.matches("</script").count()), (1, 1), "{html}");
        assert!(!html.contains("<!--") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn the_foot_says_when_on_what_by_what_and_from_what() {
        let foot = foot(Some("a & b.urdf"), "");
        for part in [" UTC</b>", "processor", env!("CARGO_PKG_VERSION"), "a &amp; b.urdf", "<code>dtau"] {
            assert!(foot.contains(part), "no {part:?} in {foot}");
        }
    }
}
