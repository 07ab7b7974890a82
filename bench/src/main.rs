//! `head-to-head measure` times dtau against Pinocchio. `head-to-head report` writes `BENCHMARKS.md`.
//! `head-to-head page` writes it again from stored results. `bench/run.sh` calls all of them.

use clap::{Parser, Subcommand, ValueEnum};
use dtau_bench::measure::Bench;
use dtau_bench::opponent::Library;
use dtau_bench::plan::Plan;
use dtau_bench::report;
use dtau_bench::results::Results;
use dtau_bench::robots::{Places, held, robots, trees};
use dtau_bench::row::Mode;
use dtau_cli::machine;
use regex_lite::Regex;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// dtau against Pinocchio. `bench/run.sh` runs it with everything it needs.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time both sides, and write the results as JSON.
    Measure(Measure),
    /// Name the robots and their files, for python_bench.py.
    Robots(Packages),
    /// Put results together: `latest.json` and `BENCHMARKS.md`.
    Report(Report),
    /// Write `BENCHMARKS.md` again from stored results; nothing is measured.
    Page(Page),
}

#[derive(clap::Args)]
struct Measure {
    /// libopponent.so, made by bench/opponent/build.sh.
    #[arg(long)]
    opponent: PathBuf,
    /// libopponent-shipped.so, made by bench/opponent/build.sh shipped.
    #[arg(long)]
    shipped: Option<PathBuf>,
    #[command(flatten)]
    packages: Packages,
    /// Fewer trees, fewer passes.
    #[arg(long)]
    quick: bool,
    /// Only comparisons whose "robot quantity mode" matches.
    #[arg(long)]
    only: Option<Regex>,
    /// Which modes.
    #[arg(long, value_delimiter = ',', default_values_t = [MeasuredMode::Single])]
    modes: Vec<MeasuredMode>,
    /// What compiles generated code, with its options.
    #[arg(long, default_value = "clang")]
    compiler: String,
    /// Where to write the results.
    #[arg(long)]
    out: PathBuf,
}

#[derive(clap::Args)]
struct Packages {
    /// Where the package example-robot-data keeps its robots.
    #[arg(long)]
    example_robot_data: PathBuf,
    /// Where the package pybullet keeps its data.
    #[arg(long)]
    pybullet: PathBuf,
}

impl Packages {
    fn places(&self) -> Places {
        Places { example_robot_data: self.example_robot_data.clone(), pybullet: self.pybullet.clone() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MeasuredMode {
    Single,
    Batch,
    Threads,
    Generated,
    GeneratedBatch,
}

impl std::fmt::Display for MeasuredMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Mode::from(*self).name())
    }
}

impl From<MeasuredMode> for Mode {
    fn from(mode: MeasuredMode) -> Mode {
        match mode {
            MeasuredMode::Single => Mode::Single,
            MeasuredMode::Batch => Mode::Batch,
            MeasuredMode::Threads => Mode::Threads,
            MeasuredMode::Generated => Mode::Generated,
            MeasuredMode::GeneratedBatch => Mode::GeneratedBatch,
        }
    }
}

#[derive(clap::Args)]
struct Report {
    /// Results of `measure` and of python_bench.py.
    #[arg(required = true)]
    parts: Vec<PathBuf>,
    /// Where the JSON goes.
    #[arg(long)]
    json: PathBuf,
    /// Where the Markdown goes.
    #[arg(long)]
    markdown: PathBuf,
    /// Instruction counts that bench/counts.sh stored.
    #[arg(long)]
    instructions: Option<PathBuf>,
    /// Facts to state, as NAME=VALUE.
    #[arg(long = "fact", value_parser = named)]
    facts: Vec<(String, String)>,
    /// Fail if a floor is missed.
    #[arg(long)]
    strict: bool,
}

#[derive(clap::Args)]
struct Page {
    /// Results that `report` stored; they are stored again, in the form of today.
    stored: PathBuf,
    /// Where the Markdown goes.
    #[arg(long)]
    markdown: PathBuf,
    /// Instruction counts that bench/counts.sh stored.
    #[arg(long)]
    instructions: Option<PathBuf>,
}

fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("\"{text}\" is not NAME=VALUE"))?;
    Ok((name.into(), value.into()))
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Measure(options) => measure(&options).map(|()| ExitCode::SUCCESS),
        Command::Robots(packages) => {
            list_robots(&packages.places());
            Ok(ExitCode::SUCCESS)
        }
        Command::Report(options) => write_report(&options),
        Command::Page(options) => write_page(&options).map(|()| ExitCode::SUCCESS),
    };
    outcome.unwrap_or_else(|message| {
        eprintln!("head-to-head: {message}");
        ExitCode::FAILURE
    })
}

fn measure(options: &Measure) -> Result<(), String> {
    let native = Library::load(&options.opponent)?;
    let shipped = options.shipped.as_deref().map(Library::load).transpose()?;
    let mut facts = vec![("opponent".to_string(), native.about())];
    facts.extend(shipped.as_ref().map(|library| ("library of the wheel, called by".into(), library.about())));
    let sizes: &[usize] = if options.quick { &[5, 20, 100, 500] } else { &[2, 5, 10, 20, 50, 100, 200, 500] };
    let bench = Bench {
        native,
        shipped,
        places: options.packages.places(),
        plan: if options.quick { Plan::QUICK } else { Plan::FULL },
        only: options.only.clone(),
        modes: options.modes.iter().map(|&mode| mode.into()).collect(),
        compiler: options.compiler.clone(),
    };
    let mut results = bench.run(&[robots(), held(), trees(sizes)].concat())?;
    results.facts = facts;
    write(&options.out, &(to_json(&results)?))
}

/// Prints name, file and root of each robot, one per line.
fn list_robots(places: &Places) {
    for robot in robots() {
        if let Some(path) = robot.path(places) {
            println!("{}\t{}\t{}", robot.name, path.display(), if robot.floats() { "floating" } else { "fixed" });
        }
    }
}

fn write_report(options: &Report) -> Result<ExitCode, String> {
    let facts = vec![("processor".into(), machine::processor()), ("cores".into(), machine::cores().to_string())];
    let mut all = Results { facts, ..Results::default() };
    all.facts.extend(options.facts.iter().cloned());
    for part in &options.parts {
        all.merge(read(part)?);
    }
    all.instructions = options.instructions.as_deref().map(read).transpose()?;
    let stored = to_json(&all)?;
    write(&options.json, &stored)?;
    // Uses the stored results, so that the page can be written again.
    all = Results { instructions: all.instructions, ..parse(&stored, &options.json)? };
    let text = report::markdown(&all);
    write(&options.markdown, &text)?;
    println!("{text}");
    let missed = all.rows.iter().filter(|row| row.misses()).count();
    eprintln!("{} comparisons, {missed} below their floor", all.rows.len());
    Ok(if options.strict && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn write_page(options: &Page) -> Result<(), String> {
    let stored = to_json(&read(&options.stored)?)?;
    write(&options.stored, &stored)?;
    let mut all: Results = parse(&stored, &options.stored)?;
    all.instructions = options.instructions.as_deref().map(read).transpose()?;
    write(&options.markdown, &report::markdown(&all))
}

fn to_json(results: &Results) -> Result<String, String> {
    results.to_json().map_err(|error| error.to_string())
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text, path)
}

fn parse<T: serde::de::DeserializeOwned>(text: &str, path: &Path) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
