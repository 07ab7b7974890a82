//! `dtau bench`: times of everything on this machine.

mod args;
mod html;
mod report;

pub use args::BenchArgs;

use crate::args::Format;
use crate::failure::{Failure, say};
use crate::product::{Instructions, PRODUCTS};
use crate::progress::Progress;
use crate::sample::samples;
use crate::timing::{self, Budget, Timing};
use crate::{files, json, robot};
use dtau::bundled_names;
use dtau::model::{Model, Options, Root};
use serde::Serialize;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// On how many random states, in turn.
const STATES: usize = 32;

pub fn run(args: &BenchArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let robots = robots(args)?;
    if let Some(path) = &args.html {
        files::require_writable_file(path)?;
    }
    let mut progress = Progress::new((robots.len() * PRODUCTS.len()) as f64);
    let mut report =
        Report { processor: crate::machine::processor(), cores: crate::machine::cores(), robots: Vec::new() };
    for (name, model) in &robots {
        report.robots.push(measure(name, model, args, &mut progress)?);
    }
    progress.end();
    match args.format {
        Format::Json => json::write(out, &report)?,
        Format::Table => report::write(out, &report)?,
    }
    if let Some(path) = &args.html {
        files::write(path, html::page(&report))?;
        say("note", &format!("the page is {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The robots asked for, all of them read before any is timed.
fn robots(args: &BenchArgs) -> Result<Vec<(String, Model)>, Failure> {
    if args.names.is_empty() {
        let options = |name: &str| {
            let root = if robot::walks(name) { Root::Floating } else { args.model.options().root };
            Options { root, ..args.model.options() }
        };
        return bundled_names().map(|name| Ok((name.into(), Model::bundled(name, &options(name))?))).collect();
    }
    let load = |name: &OsString| -> Result<(String, Model), Failure> {
        let model = robot::named(name, &args.model.options())?;
        if model.nv() == 0 {
            let name = model.name();
            return Err(Failure::input(format!(
                "{name}: nothing moves, so there is nothing to time; try --root floating"
            )));
        }
        Ok((model.name().into(), model))
    };
    args.names.iter().map(load).collect()
}

fn measure(name: &str, model: &Model, args: &BenchArgs, progress: &mut Progress) -> Result<Robot, Failure> {
    progress.at(name);
    let scene = args.model.scene(model);
    let samples = samples(scene, STATES, 1)?;
    let mut robot = Robot { name: name.into(), nv: model.nv(), bodies: model.body_count(), functions: Vec::new() };
    let mut chosen = Vec::new();
    for &(product, function, what) in PRODUCTS {
        let mut call = product.call(Instructions::Best, scene, &samples);
        // Such as forward dynamics where a body has no inertia.
        let refused = (0..samples.len()).find_map(|k| call(k).err());
        if refused.is_none() {
            chosen.push((robot.functions.len(), product, call));
        }
        robot.functions.push(Function { name: function, what, single: None, plain: None, operations: None, refused });
    }
    let budget = Budget::millis(args.budget, 5);
    let timed = |calls: Vec<timing::Call<'_>>| -> Result<Vec<Timing>, Failure> {
        let mut calls = calls;
        timing::measure(&mut calls, STATES, budget).map_err(Failure::Input)
    };
    let (places, calls): (Vec<_>, Vec<_>) = chosen.into_iter().map(|(k, product, call)| ((k, product), call)).unzip();
    let best = timed(calls)?;
    progress.advance(0.5 * PRODUCTS.len() as f64);
    progress.at(&format!("{name}, plain instructions"));
    let plain = timed(places.iter().map(|(_, product)| product.call(Instructions::Plain, scene, &samples)).collect())?;
    progress.advance(0.5 * PRODUCTS.len() as f64);
    for (((k, product), best), plain) in places.into_iter().zip(best).zip(plain) {
        let function = &mut robot.functions[k];
        function.operations = Some(product.operations(&scene, &samples[0])?.instructions());
        (function.single, function.plain) = (Some(best), Some(plain));
    }
    Ok(robot)
}

/// Everything that was measured.
#[derive(Serialize)]
struct Report {
    processor: String,
    cores: usize,
    robots: Vec<Robot>,
}

#[derive(Serialize)]
struct Robot {
    name: String,
    nv: usize,
    bodies: usize,
    functions: Vec<Function>,
}

/// A function on a robot; times of one state \[ns\].
#[derive(Serialize)]
struct Function {
    name: &'static str,
    what: &'static str,
    /// One state at a time, on the best instructions of this CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    single: Option<Timing>,
    /// The same on the instructions every CPU has.
    #[serde(skip_serializing_if = "Option::is_none")]
    plain: Option<Timing>,
    /// Floating-point operations, a multiply-add being one.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
    /// Why it could not be timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}
