//! `dtau bench`: times of everything on this machine.

mod args;
mod html;
mod report;

pub use args::BenchArgs;

use crate::args::Format;
use crate::failure::{Failure, say};
use crate::many::Side;
use crate::product::{Instructions, PRODUCTS, Product};
use crate::progress::Progress;
use crate::sample::samples;
use crate::timing::{self, Budget, Timing};
use crate::work::Work;
use crate::{files, json, robot};
use dtau::bundled_names;
use dtau::model::{Model, Options, Root};
use serde::Serialize;
use std::collections::BTreeMap;
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
    let mut progress = Progress::new((robots.len() * ways().len()) as f64);
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
    for &(product, function, what) in PRODUCTS {
        let mut call = product.call(Instructions::Best, scene, &samples);
        // Such as forward dynamics where a body has no inertia.
        let refused = (0..samples.len()).find_map(|k| call(k).err());
        let operations = match &refused {
            None => Some(product.operations(&scene, &samples[0])?.instructions()),
            Some(_) => None,
        };
        robot.functions.push(Function { name: function, what, operations, refused, ..Function::default() });
    }
    for (way, works) in ways() {
        progress.at(&format!("{name}, {way}"));
        let (mut places, mut calls) = (Vec::new(), Vec::new());
        for (k, (product, ..)) in PRODUCTS.iter().enumerate().filter(|(k, _)| robot.functions[*k].refused.is_none()) {
            // What batches do not have is left out.
            if let Ok(call) = works(*product).call(scene, &samples) {
                places.push((k, works(*product).states()));
                calls.push(call);
            }
        }
        let times =
            timing::measure(&mut calls, STATES, Budget::millis(args.budget, (args.budget / 10).clamp(1, 5) as usize))
                .map_err(Failure::Input)?;
        for ((k, states), time) in places.into_iter().zip(times) {
            robot.functions[k].times.insert(way, time.of_one(states));
        }
        progress.advance(1.0);
    }
    Ok(robot)
}

/// What makes the work of a function in some way.
type Works = fn(Product) -> Work;

/// The ways to compute, by name.
fn ways() -> [(&'static str, Works); 5] {
    [
        ("single", |product| Work::Product(product, Instructions::Best)),
        ("plain", |product| Work::Product(product, Instructions::Plain)),
        ("batch", |product| Work::Many(product, Side::Lanes)),
        ("batch_f32", |product| Work::Many(product, Side::Lanes32)),
        ("threads", |product| Work::Many(product, Side::Threads(crate::machine::cores()))),
    ]
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

/// A function on a robot.
#[derive(Default, Serialize)]
struct Function {
    name: &'static str,
    what: &'static str,
    /// Times of one state \[ns\], by way: `single` on the best instructions of this CPU, `plain` on those every CPU has, `batch`
    /// with several states side by side in SIMD lanes, `batch_f32` in single precision, `threads` on all cores.
    times: BTreeMap<&'static str, Timing>,
    /// Floating-point operations, a multiply-add being one.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
    /// Why it could not be timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}
