//! The summary in Markdown.

use super::html::place;
use super::list::Paper;
use super::run::{Outcome, Overview};
use std::fmt::Write;

pub fn summary(overview: &Overview<'_>) -> String {
    let mut out = String::from("# The papers' experiments, reproduced with dtau\n\n");
    for (name, value) in &overview.facts {
        let _ = writeln!(out, "- {name}: {value}");
    }
    out +=
        "\n## What the papers say, and what we find\n\n| where | paper | here | verdict |\n| --- | --- | --- | --- |\n";
    let cell = |text: &str| text.replace('|', "\\|");
    for (spec, claim) in overview.claims() {
        let (paper, ours) = (cell(&claim.paper), cell(&claim.ours));
        let _ =
            writeln!(out, "| {} | {paper} | {ours} | {} |", place(spec), claim.verdict.text(spec.paper == Paper::Ours));
    }
    for paper in Paper::ALL {
        let _ = writeln!(out, "\n## {}\n\n{}", paper.title(), paper.source());
        for (spec, outcome) in overview.figures.iter().filter(|(spec, _)| spec.paper == paper) {
            let _ = writeln!(out, "\n### {}: {}\n", spec.label, spec.title);
            match outcome {
                Outcome::Missing => out += "Not made in this run.\n",
                Outcome::Failed(why) => {
                    let _ = writeln!(out, "Failed: {why}");
                }
                Outcome::Done(figure) => {
                    for (name, plot) in super::output::names(figure) {
                        let _ = writeln!(out, "![{}](figures/{name}.png)\n", plot.title());
                    }
                    figure.content.tables.iter().for_each(|table| out += &table.markdown());
                    figure.content.notes.iter().for_each(|note| {
                        let _ = writeln!(out, "- {note}");
                    });
                }
            }
        }
    }
    out
}
