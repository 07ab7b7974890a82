//! Self-contained pages: style, script and drawings are inside, and nothing is loaded from the network.

pub mod dots;
pub mod heat;
pub mod svg;

pub use crate::escape::html as escape;

use crate::machine;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A page with a body; `more` is additional style for the body.
pub fn whole(title: &str, more: &str, body: &str) -> String {
    let [light, dark, drawings] = svg::style();
    let style = STYLE.replace("/*light hues*/", &light).replace("/*dark hues*/", &dark);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>\n{style}{drawings}{more}</style>\n</head>\n<body>\n{body}\
         <div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title),
    )
}

/// The foot of a page: date, machine, program and input.
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

/// Drawings side by side, as many as fit; `small` ones are narrow.
pub fn drawings(small: bool, drawings: &[String]) -> String {
    let class = match drawings.len() {
        0 => return String::new(),
        _ if small => "plots small-multiples",
        n if n.is_multiple_of(3) => "plots threes",
        _ => "plots",
    };
    let all: String = drawings.iter().map(|drawing| format!("<div class=\"plot\">{drawing}</div>\n")).collect();
    format!("<div class=\"{class}\">\n{all}</div>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of joints that would end the script or hide its end.
    #[test]
    fn names_in_a_drawing_end_nothing() {
        let names = vec!["<!--<script>".to_string(), "</script><b>".to_string()];
        let heat =
            heat::Heat { title: "M".into(), rows: names.clone(), columns: names, values: vec![1.0; 4], noise: vec![] };
        let html = drawings(true, &[heat.html()]);
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
