//! The summary in Markdown.

use super::html::place;
use super::list::Paper;
use super::notes::Notes;
use super::run::{Outcome, Overview};
use crate::escape::markdown as cell;
use crate::machine;
use std::fmt::Write;

pub fn summary(overview: &Overview<'_>) -> String {
    let notes = Notes::of(overview);
    let mut out = String::from("# The papers' experiments, again, with dtau\n\n");
    let _ = writeln!(
        out,
        "- dtau: {}\n- processor: {}, {} cores\n- made: {}",
        env!("CARGO_PKG_VERSION"),
        machine::processor(),
        machine::cores(),
        machine::now()
    );
    for (name, value) in &overview.facts {
        let _ = writeln!(out, "- {name}: {value}");
    }
    out +=
        "\n## What the papers say, and what we find\n\n| where | paper | here | verdict |\n| --- | --- | --- | --- |\n";
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
                    let (own, shared) = notes.split(spec, &figure.content);
                    own.iter().for_each(|note| {
                        let _ = writeln!(out, "- {note}");
                    });
                    if !shared.is_empty() {
                        let numbers: Vec<String> = shared.iter().map(usize::to_string).collect();
                        let _ = writeln!(out, "- notes {}", numbers.join(", "));
                    }
                }
            }
        }
    }
    if !notes.shared().is_empty() {
        out += "\n## Notes to several figures\n\n";
        for (k, note) in notes.shared().iter().enumerate() {
            let _ = writeln!(out, "{}. {note}", k + 1);
        }
    }
    out
}
