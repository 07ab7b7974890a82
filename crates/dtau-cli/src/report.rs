//! A report: written once, shown in a terminal and as a page.

use crate::check::finding::{Finding, Severity};
use crate::page::{self, escape};
use crate::style::Style;
use crate::table::Table;
use std::io::{self, Write};

/// A report.
pub struct Report {
    /// Its subject.
    pub title: String,
    /// Sizes and settings.
    pub lead: String,
    /// The rest, in order.
    pub parts: Vec<Part>,
}

/// A part of a report.
pub enum Part {
    /// A heading.
    Heading(String),
    /// A remark.
    Note(String),
    /// A table.
    Table(Table),
    /// Drawings with a heading and a remark, only in the page; the flag is for small ones.
    Drawings(&'static str, &'static str, bool, Vec<String>),
    /// A claim, and whether it holds.
    Verdict(bool, String),
    /// Something found on a robot, with a remedy.
    Finding(Finding),
}

impl Report {
    /// Writes it for a terminal.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}  {}", Style::Bold.paint(&self.title), self.lead)?;
        let mut is_after_verdict = false;
        for part in self.parts {
            let is_verdict = matches!(part, Part::Verdict(..));
            if matches!(part, Part::Heading(_)) || is_verdict && !is_after_verdict {
                writeln!(out)?;
            }
            is_after_verdict = is_verdict;
            match part {
                Part::Heading(text) => writeln!(out, "{}", Style::Bold.paint(&text))?,
                Part::Note(text) => writeln!(out, "  {}", Style::Dim.paint(&text))?,
                Part::Table(table) => table.indent("  ").write(out)?,
                Part::Drawings(..) => (),
                Part::Verdict(good, text) => {
                    let sign = if good { Style::Good.paint("✓") } else { Style::Bad.paint("✗") };
                    writeln!(out, "{sign} {}", Style::Plain.paint(&text))?;
                }
                Part::Finding(finding) => {
                    let style = match finding.severity {
                        Severity::Error => Style::Bad,
                        Severity::Warning => Style::Fair,
                        Severity::Hint => Style::Dim,
                    };
                    let name = format!("{}:", finding.severity.name());
                    writeln!(out, "{} {}", style.paint(&name), Style::Bold.paint(&finding.place()))?;
                    writeln!(out, "  {}", Style::Plain.paint(&finding.what))?;
                    writeln!(out, "  {}", Style::Dim.paint(&format!("→ {}", finding.remedy)))?;
                }
            }
        }
        Ok(())
    }

    /// The page; `command` is the command that made it, `file` its subject.
    pub fn html(&self, command: &str, file: Option<&str>) -> String {
        let (mut verdicts, mut body, mut is_open) = (String::new(), String::new(), false);
        let mut open = |body: &mut String, heading: &str| {
            let close = if std::mem::replace(&mut is_open, true) { "</section>\n" } else { "" };
            *body += &format!("{close}<h2>{}</h2><section class=\"figure\">\n", escape(heading));
        };
        for part in &self.parts {
            match part {
                Part::Heading(text) => open(&mut body, text),
                Part::Note(text) => body += &format!("<p class=\"small\">{}</p>\n", escape(text)),
                Part::Table(table) => body += &table.html(),
                Part::Drawings(heading, remark, small, drawings) => {
                    if !heading.is_empty() {
                        open(&mut body, heading);
                    }
                    let remark = if remark.is_empty() { "" } else { &format!("<p class=\"small\">{remark}</p>\n") };
                    body += &format!("{remark}{}", page::drawings(*small, drawings));
                }
                Part::Verdict(good, text) => {
                    let class = if *good { "good" } else { "bad" };
                    verdicts += &format!("<p class=\"{class}\">{}</p>", escape(text));
                }
                Part::Finding(finding) => {
                    let (severity, place) = (finding.severity.name(), escape(&finding.place()));
                    let [what, remedy] = [&finding.what, &finding.remedy].map(|text| escape(text));
                    body += &format!(
                        "<div class=\"finding {severity}\"><p><span class=\"chip\">{severity}</span> <b>{place}</b></p>\
                         <p>{what}</p><p class=\"small\">→ {remedy}</p></div>\n"
                    );
                }
            }
        }
        let (title, lead) = (escape(&self.title), escape(&self.lead));
        let header = format!("<header><h1>{title}</h1><p class=\"lead\">{lead}</p>{verdicts}</header>\n<main>");
        let end = if is_open { "</section>\n" } else { "" };
        let body = format!("{header}{body}{end}</main>\n{}", page::foot(file, ""));
        page::whole(&format!("{command}: {}", self.title), "", &body)
    }
}
