//! Makes the figures one after the other, and keeps the finished ones.

use super::figure::{Claim, Figure};
use super::html;
use super::lab::Lab;
use super::list::Spec;
use super::output::Output;
use super::settings::Settings;
use crate::load::Used;
use dtau_cli::failure::Failure;
use dtau_cli::progress::{Progress, duration};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Outcome of a figure.
pub enum Outcome {
    Done(Box<Figure>),
    Failed(String),
    /// Not requested, or not made yet.
    Missing,
}

/// All data of a report.
pub struct Overview<'a> {
    pub facts: Vec<(String, String)>,
    pub figures: Vec<(&'a Spec, Outcome)>,
}

impl Overview<'_> {
    pub fn claims(&self) -> impl Iterator<Item = (&Spec, &Claim)> {
        self.figures.iter().flat_map(|(spec, outcome)| {
            let claims = if let Outcome::Done(figure) = outcome { &figure.content.claims[..] } else { &[] };
            claims.iter().map(move |claim| (*spec, claim))
        })
    }

    pub fn failed(&self) -> usize {
        self.figures.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed(_))).count()
    }
}

/// Makes the figures of `wanted`. The others of `all` are listed as missing, or as left by an earlier run.
pub fn make<'a>(
    all: &'a [Spec],
    wanted: &dyn Fn(&Spec) -> bool,
    settings: &Settings,
    output: &Output,
    resume: bool,
) -> Result<Overview<'a>, Failure> {
    let key = settings.key();
    let kept = |spec: &Spec| if resume { output.read(spec, &key) } else { None };
    let figures = all.iter().map(|spec| (spec, kept(spec).map_or(Outcome::Missing, |f| Outcome::Done(Box::new(f)))));
    let mut overview = Overview { facts: facts(settings), figures: figures.collect() };
    let weight = |spec: &Spec| spec.seconds[usize::from(settings.full)];
    let todo: Vec<usize> =
        (0..all.len()).filter(|&k| wanted(&all[k]) && matches!(overview.figures[k].1, Outcome::Missing)).collect();
    let mut progress = Progress::new(todo.iter().map(|&k| weight(&all[k])).sum());
    let began = Used::now();
    let mut lab = Lab::new(settings, &mut progress);
    for k in todo {
        let spec = &all[k];
        lab.begin(spec.id, weight(spec));
        let start = Instant::now();
        let outcome = one(spec, &mut lab, &key, start, output);
        let took = duration(start.elapsed().max(Duration::from_secs(1)));
        lab.progress().advance(weight(spec));
        let line = match &outcome {
            Outcome::Failed(why) => format!("{}: failed: {why}", spec.id),
            _ => format!("{}: {} ({took})", spec.id, spec.title),
        };
        lab.progress().line(&line);
        overview.figures[k].1 = outcome;
        // If the run is stopped here, there is a page with all finished figures.
        report(&overview, output)?;
    }
    lab.progress().end();
    if let Some(others) = began.zip(Used::now()).map(|(before, now)| now.others_since(before)) {
        overview.facts.push(("other programs had".into(), format!("{:.0} % of the machine", 100.0 * others)));
    }
    report(&overview, output)?;
    Ok(overview)
}

/// Conditions of the measurements: names and values.
fn facts(settings: &Settings) -> Vec<(String, String)> {
    let mut facts = vec![
        ("system".to_string(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("settings".into(), (if settings.full { "full" } else { "quick" }).into()),
        ("a point".into(), format!("{} ms on 32 random states", 8 * settings.plan.each.as_millis())),
    ];
    if let Some(opponent) = &settings.opponent {
        facts.push(("Pinocchio".into(), format!("from bench/, {}", opponent.label())));
    }
    facts
}

/// Makes a figure and writes its files. Errors and panics do not affect other figures.
fn one(spec: &Spec, lab: &mut Lab<'_>, key: &str, start: Instant, output: &Output) -> Outcome {
    let made = catch_unwind(AssertUnwindSafe(|| (spec.make)(lab)));
    let content = match made {
        Ok(Ok(content)) => content,
        Ok(Err(why)) => return Outcome::Failed(why),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string()));
            return Outcome::Failed(text.unwrap_or_else(|| "it panicked".into()));
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let figure = Figure { id: spec.id.into(), settings: key.into(), seconds, content };
    match output.write(&figure) {
        Ok(()) => Outcome::Done(Box::new(figure)),
        Err(failure) => Outcome::Failed(failure.text()),
    }
}

fn report(overview: &Overview<'_>, output: &Output) -> Result<(), Failure> {
    output.write_beside("index.html", &html::page(overview))
}

#[cfg(test)]
mod tests {
    use super::super::figure::Content;
    use super::super::list::Paper;
    use super::*;
    use crate::args::FiguresArgs;
    use clap::Parser;

    fn fails(_: &mut Lab<'_>) -> Result<Content, String> {
        Err("it rained".into())
    }

    fn panics(_: &mut Lab<'_>) -> Result<Content, String> {
        panic!("it thundered")
    }

    fn works(_: &mut Lab<'_>) -> Result<Content, String> {
        Ok(Content { notes: vec!["fine".into()], ..Content::default() })
    }

    const fn spec(id: &'static str, make: fn(&mut Lab<'_>) -> Result<Content, String>) -> Spec {
        Spec { id, paper: Paper::Ours, label: "", title: "a figure", how: "", seconds: [1.0, 1.0], make }
    }

    /// A figure that fails or panics reports why; the others are made anyway.
    #[test]
    fn a_figure_that_fails_leaves_the_others() {
        let directory = std::env::temp_dir().join(format!("dtau_paper_{}", std::process::id()));
        let specs = [spec("rain", fails), spec("thunder", panics), spec("sun", works)];
        let args = FiguresArgs::try_parse_from(["paper", "--budget", "0"]).unwrap();
        let settings = Settings::of(&args).unwrap_or_else(|failure| panic!("{}", failure.text()));
        let output = Output::new(&directory).unwrap_or_else(|failure| panic!("{}", failure.text()));
        let overview = make(&specs, &|_| true, &settings, &output, false);
        let overview = overview.unwrap_or_else(|failure| panic!("{}", failure.text()));
        assert_eq!(overview.failed(), 2);
        assert!(matches!(&overview.figures[2].1, Outcome::Done(_)));
        let page = std::fs::read_to_string(directory.join("index.html")).unwrap();
        assert!(page.contains("it rained") && page.contains("it thundered") && page.contains("fine"));
        assert!(directory.join("figures/sun.json").exists() && !directory.join("figures/rain.json").exists());
        std::fs::remove_dir_all(directory).unwrap();
    }
}
