//! The page: what the papers say, what was measured, and every figure.

use super::figure::{Claim, Figure, Verdict};
use super::list::{Paper, Spec};
use super::output;
use super::run::{Outcome, Overview};
use crate::page::{self, escape, sentence};
use std::fmt::Write;

pub fn page(overview: &Overview<'_>) -> String {
    let mut body = String::new();
    head(&mut body, overview);
    body += "<main>\n";
    contents(&mut body, overview);
    claims(&mut body, overview);
    for paper in Paper::ALL {
        let mine: Vec<&(&Spec, Outcome)> = overview.figures.iter().filter(|(spec, _)| spec.paper == paper).collect();
        if mine.is_empty() {
            continue;
        }
        let _ = writeln!(body, "<h2>{}</h2><p class=\"small\">{}</p>", escape(paper.title()), escape(paper.source()));
        for (spec, outcome) in mine {
            figure(&mut body, spec, outcome);
        }
    }
    body += "</main>\n<footer>Made by <code>dtau paper</code>. Numbers of every point are in <code>figures/</code>, as CSV and \
             JSON; each plot is there as SVG and PNG.</footer>\n";
    page::whole("dtau: the papers' experiments", &body)
}

fn head(body: &mut String, overview: &Overview<'_>) {
    let facts: String = overview
        .facts
        .iter()
        .map(|(name, value)| format!("<li>{} <b>{}</b></li>", escape(name), escape(value)))
        .collect();
    let _ = writeln!(
        body,
        "<header><h1>The papers’ experiments, reproduced</h1>\
         <p class=\"lead\">Every figure and table of the papers on analytical derivatives of rigid-body dynamics, measured again \
         with dtau, each beside what the paper says about it, also where we find something else.</p>\
         <ul class=\"facts\">{facts}</ul></header>"
    );
}

fn contents(body: &mut String, overview: &Overview<'_>) {
    *body += "<h2>Contents</h2><nav class=\"contents\">\n";
    for paper in Paper::ALL {
        let _ = write!(body, "<section><h3>{}</h3><ul>", escape(paper.title()));
        for (spec, outcome) in overview.figures.iter().filter(|(spec, _)| spec.paper == paper) {
            let label = spec.label;
            let state = match outcome {
                Outcome::Done(_) => "",
                Outcome::Failed(_) => " <span class=\"chip failed\">failed</span>",
                Outcome::Missing => " <span class=\"small\">not made</span>",
            };
            let _ = write!(
                body,
                "<li><span class=\"where\">{}</span><span><a href=\"#{}\">{}</a>{state}</span></li>",
                escape(label),
                spec.id,
                escape(spec.title)
            );
        }
        *body += "</ul></section>\n";
    }
    *body += "</nav>\n";
}

fn claims(body: &mut String, overview: &Overview<'_>) {
    let papers = |(spec, _): &(&Spec, &Claim)| spec.paper != Paper::Ours;
    let count = |verdict| overview.claims().filter(papers).filter(|(_, claim)| claim.verdict == verdict).count();
    let chip = |verdict: Verdict| {
        format!("<span class=\"chip {}\">{} {}</span>", verdict.class(), count(verdict), verdict.text(false))
    };
    let _ = writeln!(
        body,
        "<h2>What the papers say, and what we find</h2>\
         <p>{} {} {}</p><p class=\"small\">By rule, never by taste: a ratio is reproduced within a factor of 1.5, \
         by the least times; otherwise it has the same direction or not. A statement holds or does not. The programs compared \
         here are not the papers’ programs: the same algorithms, written in one style.</p>\
         <div class=\"scroll\"><table class=\"data stack\"><thead><tr><th class=\"nowrap\"><button>where</button></th><th><button>paper</button></th>\
         <th><button>here</button></th><th><button>verdict</button></th></tr></thead><tbody>",
        chip(Verdict::Reproduced),
        chip(Verdict::Direction),
        chip(Verdict::Differs),
    );
    for (spec, claim) in overview.claims() {
        let _ = writeln!(
            body,
            "<tr><td class=\"nowrap\"><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>",
            spec.id,
            escape(&place(spec)),
            sentence(&claim.paper),
            sentence(&claim.ours),
            verdict(spec, claim.verdict)
        );
    }
    *body += "</tbody></table></div>\n";
}

/// `[Singh22] Fig. 4`.
pub fn place(spec: &Spec) -> String {
    match spec.paper {
        Paper::Ours => spec.label.into(),
        paper => format!("{paper:?} {}", spec.label),
    }
}

fn verdict(spec: &Spec, verdict: Verdict) -> String {
    let text = verdict.text(spec.paper == Paper::Ours);
    format!("<span class=\"chip {}\">{text}</span>", verdict.class())
}

fn figure(body: &mut String, spec: &Spec, outcome: &Outcome) {
    let _ = writeln!(
        body,
        "<section class=\"figure\" id=\"{}\"><h3><span class=\"where\">{}</span> · {}</h3>",
        spec.id,
        escape(spec.label),
        escape(spec.title)
    );
    if !spec.how.is_empty() {
        let _ = writeln!(body, "<p class=\"how\">{}</p>", escape(spec.how));
    }
    match outcome {
        Outcome::Done(figure) => finished(body, spec, figure),
        Outcome::Failed(why) => {
            let _ = writeln!(body, "<p class=\"problem\">This figure failed: {}</p>", escape(why));
        }
        Outcome::Missing => *body += "<p class=\"small\">This figure was not made in this run.</p>\n",
    }
    *body += "</section>\n";
}

fn finished(body: &mut String, spec: &Spec, figure: &Figure) {
    let content = &figure.content;
    if !content.claims.is_empty() {
        *body += "<div class=\"claims\">\n";
        for Claim { paper, ours, verdict: said } in &content.claims {
            let _ = writeln!(
                body,
                "<div class=\"claim\"><div><span class=\"who\">{}</span>{}</div><div><span class=\"who\">We find</span>{}</div>{}</div>",
                if spec.paper == Paper::Ours { "We say" } else { "The paper says" },
                sentence(paper),
                sentence(ours),
                verdict(spec, *said)
            );
        }
        *body += "</div>\n";
    }
    *body += &page::plots(&content.plots);
    content.tables.iter().for_each(|table| *body += &table.html());
    if !content.notes.is_empty() {
        let notes: String = content.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
        let _ = writeln!(body, "<ul class=\"notes\">{notes}</ul>");
    }
    let id = &figure.id;
    let mut links =
        vec![format!("<a href=\"figures/{id}.csv\">CSV</a>"), format!("<a href=\"figures/{id}.json\">JSON</a>")];
    for (name, _) in output::names(figure) {
        let number = name.strip_prefix(id).unwrap_or_default().trim_start_matches('-');
        let number = if number.is_empty() { String::new() } else { format!(" {number}") };
        links.push(format!("<a href=\"figures/{name}.svg\">SVG{number}</a>"));
        links.push(format!("<a href=\"figures/{name}.png\">PNG{number}</a>"));
    }
    let _ = writeln!(body, "<p class=\"files\">{}</p>", links.join(" · "));
}
