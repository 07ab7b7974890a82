//! The page: a first screen with the papers' claims and how many are reproduced; below it all claims and
//! figures, folded.

use super::figure::{Claim, Figure, Verdict};
use super::list::{Paper, Spec};
use super::notes::Notes;
use super::output;
use super::run::{Outcome, Overview};
use crate::plot;
use dtau_cli::page::{self, escape};
use std::fmt::Write;

/// The most important figures with their explanations: the two algorithms of the papers, and whether their
/// results are correct.
const FIRST: [(&str, &str); 3] = [
    ("singh21-fig4", "Derivatives of inverse dynamics"),
    ("singh21-fig7", "Derivatives of forward dynamics"),
    ("singh22-accuracy", "Their accuracy"),
];

/// Verdicts in the order of the tally.
const VERDICTS: [Verdict; 4] = [Verdict::Reproduced, Verdict::Direction, Verdict::Undecided, Verdict::Differs];

pub fn page(overview: &Overview<'_>) -> String {
    let notes = Notes::of(overview);
    let mut body = String::new();
    first_screen(&mut body, overview);
    claims(&mut body, overview);
    for paper in Paper::ALL {
        let mine: Vec<&(&Spec, Outcome)> = overview.figures.iter().filter(|(spec, _)| spec.paper == paper).collect();
        if mine.is_empty() {
            continue;
        }
        let _ = writeln!(body, "<h2>{}</h2><p class=\"small\">{}</p>", escape(paper.title()), escape(paper.source()));
        for (spec, outcome) in mine {
            figure(&mut body, spec, outcome, &notes);
        }
    }
    all_notes(&mut body, &notes);
    body += "</main>\n";
    let facts: String = overview
        .facts
        .iter()
        .map(|(name, value)| format!("<li>{} <b>{}</b></li>", escape(name), escape(value)))
        .collect();
    let files = "Numbers of every point are in <code>figures/</code>, as CSV and JSON; each plot is there as SVG.";
    body += &page::foot(None, &format!("<p>{files}</p><ul class=\"facts\">{facts}</ul>"));
    page::whole("dtau: the papers’ experiments", plot::STYLE, &body)
}

/// The papers' claims, how many are reproduced, and the most important figures.
fn first_screen(body: &mut String, overview: &Overview<'_>) {
    *body += "<header><h1>The papers’ experiments, again</h1></header>\n<main>\n<section id=\"overview\">\n";
    let papers = |(spec, _): &(&Spec, &Claim)| spec.paper != Paper::Ours;
    let count = |verdict| overview.claims().filter(papers).filter(|(_, claim)| claim.verdict == verdict).count();
    let counts = VERDICTS.map(|verdict| (verdict, count(verdict)));
    let all: usize = counts.iter().map(|(_, n)| n).sum();
    let _ = writeln!(
        body,
        "<p class=\"lead\">Three papers say that analytical derivatives of rigid-body dynamics are exact and much faster than other \
         ways to them, and by how much. Of the {all} things they say that were measured here:</p>"
    );
    let parts = counts.iter().filter(|(_, n)| *n > 0);
    let bar: String =
        parts.clone().map(|(v, n)| format!("<i class=\"{}\" style=\"flex:{n}\"></i>", v.class(false))).collect();
    let chips: String = parts
        .map(|(v, n)| format!("<li><span class=\"chip {}\">{n} {}</span></li>", v.class(false), v.text(false)))
        .collect();
    let _ = writeln!(body, "<div class=\"tally\" aria-hidden=\"true\">{bar}</div><ul class=\"chips\">{chips}</ul>");
    let mut figures = String::new();
    for (id, title) in FIRST {
        let found = overview.figures.iter().find(|(spec, _)| spec.id == id);
        let Some((spec, Outcome::Done(figure))) = found else { continue };
        let Some(plot) = figure.content.plots.first() else { continue };
        let said = figure.content.claims.first().map_or_else(String::new, |claim| {
            format!("<p class=\"small\">{} {}</p>", sentence(&claim.paper), verdict(spec, claim.verdict))
        });
        let plot = plot::html(std::slice::from_ref(plot));
        let _ = writeln!(figures, "<div><h3><a href=\"#{id}\">{title}</a></h3>{said}{plot}</div>");
    }
    if !figures.is_empty() {
        let _ = writeln!(body, "<div class=\"first\">{figures}</div>");
    }
    *body += "</section>\n";
}

fn claims(body: &mut String, overview: &Overview<'_>) {
    let _ = writeln!(
        body,
        "<details id=\"claims\"><summary>Every claim, and what we find</summary>\
         <p class=\"small\">By rule, never by taste: a ratio is reproduced within a factor of 1.5, by the least times; otherwise it \
         has the same direction or not. A statement holds or does not. What repeated runs do not agree on is undecided here: the load of \
         this machine decides nothing. A paper’s factor is one of its programs by its compilers (gcc 9, clang 10); here the \
         same algorithms are written alike in one program. Where such a factor differs here, the gain was not the algorithm’s \
         alone.</p>\
         <div class=\"scroll\"><table class=\"data stack\"><thead><tr><th class=\"nowrap\"><button>where</button></th><th><button>paper</button></th>\
         <th><button>here</button></th><th><button>verdict</button></th></tr></thead><tbody>",
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
    *body += "</tbody></table></div></details>\n";
}

/// `[Singh22] Fig. 4`.
pub fn place(spec: &Spec) -> String {
    match spec.paper {
        Paper::Ours => spec.label.into(),
        paper => format!("{paper:?} {}", spec.label),
    }
}

fn verdict(spec: &Spec, verdict: Verdict) -> String {
    let ours = spec.paper == Paper::Ours;
    format!("<span class=\"chip {}\">{}</span>", verdict.class(ours), verdict.text(ours))
}

/// A folded figure; its verdicts are always visible.
fn figure(body: &mut String, spec: &Spec, outcome: &Outcome, notes: &Notes) {
    let state = match outcome {
        Outcome::Done(figure) => tally(spec, figure),
        Outcome::Failed(_) => "<span class=\"chip failed\">failed</span>".into(),
        Outcome::Missing => "<span class=\"small\">not made</span>".into(),
    };
    let _ = writeln!(
        body,
        "<details class=\"figure\" id=\"{}\"><summary><span class=\"where\">{}</span><span class=\"what\">{}</span>\
         <span class=\"state\">{state}</span></summary>",
        spec.id,
        escape(spec.label),
        escape(spec.title)
    );
    match outcome {
        Outcome::Done(figure) => finished(body, spec, figure, notes),
        Outcome::Failed(why) => {
            let _ = writeln!(body, "<p class=\"problem\">This figure failed: {}</p>", escape(why));
        }
        Outcome::Missing => *body += "<p class=\"small\">This figure was not made in this run.</p>\n",
    }
    *body += "</details>\n";
}

/// Number of claims by verdict.
fn tally(spec: &Spec, figure: &Figure) -> String {
    let ours = spec.paper == Paper::Ours;
    let count = |verdict| figure.content.claims.iter().filter(|claim| claim.verdict == verdict).count();
    let chip = |verdict: Verdict, n: usize| {
        let number = if n == 1 { String::new() } else { format!("{n} ") };
        format!("<span class=\"chip {}\">{number}{}</span>", verdict.class(ours), verdict.text(ours))
    };
    VERDICTS.into_iter().map(|v| (v, count(v))).filter(|(_, n)| *n > 0).map(|(v, n)| chip(v, n)).collect()
}

fn finished(body: &mut String, spec: &Spec, figure: &Figure, notes: &Notes) {
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
    *body += &plot::html(&content.plots);
    content.tables.iter().for_each(|table| *body += &table.html());
    let (own, shared) = notes.split(spec, content);
    if !own.is_empty() {
        let items: String = own.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
        let _ = writeln!(body, "<ul class=\"notes\">{items}</ul>");
    }
    if !shared.is_empty() {
        let link = |k: &usize| format!("<a href=\"#note-{k}\">{k}</a>");
        let links: Vec<String> = shared.iter().map(link).collect();
        let _ = writeln!(body, "<p class=\"files\">Notes: {}</p>", links.join(", "));
    }
    let id = &figure.id;
    let mut links =
        vec![format!("<a href=\"figures/{id}.csv\">CSV</a>"), format!("<a href=\"figures/{id}.json\">JSON</a>")];
    for (name, _) in output::names(figure) {
        let number = name.strip_prefix(id).unwrap_or_default().trim_start_matches('-');
        let number = if number.is_empty() { String::new() } else { format!(" {number}") };
        links.push(format!("<a href=\"figures/{name}.svg\">SVG{number}</a>"));
    }
    let _ = writeln!(body, "<p class=\"files\">{}</p>", links.join(" · "));
}

/// Notes shared by several figures, printed once.
fn all_notes(body: &mut String, notes: &Notes) {
    if notes.shared().is_empty() {
        return;
    }
    *body += "<details id=\"notes\"><summary>Notes to several figures</summary><ol class=\"notes\">\n";
    for (k, note) in notes.shared().iter().enumerate() {
        let _ = writeln!(body, "<li id=\"note-{}\">{}</li>", k + 1, escape(note));
    }
    *body += "</ol></details>\n";
}

/// A sentence in a page, with no line break inside numbers such as 3e-14.
fn sentence(text: &str) -> String {
    let word = |word: &str| match word.split_once("e-") {
        Some((mantissa, _)) if mantissa.ends_with(|c: char| c.is_ascii_digit()) => {
            format!("<span class=\"nowrap\">{}</span>", escape(word))
        }
        _ => escape(word),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
