//! `dtau bench`: times of everything on this machine.

mod page;

use crate::args::{BenchArgs, Format};
use crate::clock::{self, Call, Plan, Timing};
use crate::failure::{Failure, say};
use crate::product::{Instructions, Product};
use crate::progress::Progress;
use crate::sample::{Sample, samples};
use crate::{files, held, json, machine, robot};
use dtau::model::{Model, Options, Root};
use dtau::{Constraints, Scene, bundled_names};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Number of random states, which are used in turn.
const STATES: usize = 32;

pub fn run(args: &BenchArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let robots = robots(args)?;
    if let Some(path) = &args.html {
        files::require_writable_file(path)?;
    }
    let mut progress = Progress::new((robots.len() * ways().len()) as f64);
    let mut found = Found { processor: machine::processor(), cores: machine::cores(), robots: Vec::new() };
    for (name, model) in &robots {
        found.robots.push(measure(name, model, args, &mut progress)?);
    }
    progress.end();
    let report = page::report(&found);
    if let Some(path) = &args.html {
        files::write(path, report.html("dtau bench", None))?;
    }
    match args.format {
        Format::Json => json::write(out, &found)?,
        Format::Table => report.write(out)?,
    }
    if let Some(path) = &args.html {
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
        let model = robot::moving(robot::named(name, &args.model.options())?, "time")?;
        Ok((model.name().into(), model))
    };
    args.names.iter().map(load).collect()
}

fn measure(name: &str, model: &Model, args: &BenchArgs, progress: &mut Progress) -> Result<Robot, Failure> {
    progress.at(name);
    let scene = args.model.scene(model);
    let samples = samples(scene, STATES, 1)?;
    // If a body has no inertia, there are no constraints either; the functions then report why.
    let held = held::ends(model, &samples[..4]).ok().flatten();
    let held = held.map_or_else(|| Constraints::new(model).build(), Ok)?;
    let scene = scene.constraints(&held);
    let (nv, bodies, rows) = (model.nv(), model.body_count(), held.rows());
    let mut robot = Robot { name: name.into(), nv, bodies, rows, functions: Vec::new() };
    let products = [Product::all(model)?, Product::constrained()?].concat();
    for product in &products {
        let mut call = product.call(Instructions::Best, scene, &samples);
        // Errors such as those of forward dynamics if a body has no inertia.
        let refused = (0..samples.len()).find_map(|k| call(k).err());
        let operations = match &refused {
            None => Some(product.operations(&scene, &samples[0])?.instructions()),
            Some(_) => None,
        };
        let (name, what) = (product.declaration().name, product.title());
        robot.functions.push(Function { name, what, operations, refused, ..Function::default() });
    }
    for (way, states, work) in ways() {
        progress.at(&format!("{name}, {way}"));
        let (mut places, mut calls) = (Vec::new(), Vec::new());
        for (k, product) in products.iter().enumerate().filter(|(k, _)| robot.functions[*k].refused.is_none()) {
            places.push(k);
            calls.push(work(*product, scene, &samples).map_err(Failure::Input)?);
        }
        let plan = Plan::millis(args.budget, (args.budget / 10).clamp(1, 5) as usize);
        let times = clock::measure(calls, STATES, &plan).map_err(Failure::Input)?;
        for (k, time) in places.into_iter().zip(times) {
            robot.functions[k].times.insert(way, time.of_one(states));
        }
        progress.advance(1.0);
    }
    Ok(robot)
}

/// Creates the work of a function.
type Works = for<'a> fn(Product, Scene<'a, f64>, &[Sample]) -> Result<Call<'a>, String>;

/// The ways to compute: their names, the number of states of a call, and their work.
fn ways() -> Vec<(&'static str, usize, Works)> {
    let mut ways: Vec<(_, _, Works)> =
        vec![("single", 1, |product, scene, samples| Ok(product.call(Instructions::Best, scene, samples)))];
    if dtau::ANY_CPU {
        ways.push(("plain", 1, |product, scene, samples| Ok(product.call(Instructions::Plain, scene, samples))));
    }
    many(&mut ways);
    ways
}

#[cfg(feature = "batches")]
fn many(ways: &mut Vec<(&'static str, usize, Works)>) {
    use crate::product::{STATES, Side};
    ways.push(("batch", STATES, |product, scene, samples| product.call_many(Side::Lanes, scene, samples)));
    ways.push(("batch_f32", STATES, |product, scene, samples| product.call_many(Side::Lanes32, scene, samples)));
    ways.push(("threads", STATES, |product, scene, samples| {
        product.call_many(Side::Threads(machine::cores()), scene, samples)
    }));
}

#[cfg(not(feature = "batches"))]
fn many(_ways: &mut Vec<(&'static str, usize, Works)>) {}

/// All results.
#[derive(Serialize)]
struct Found {
    processor: String,
    cores: usize,
    robots: Vec<Robot>,
}

#[derive(Serialize)]
struct Robot {
    name: String,
    nv: usize,
    bodies: usize,
    /// Rows of the constraints for timing functions of constraints: the ends of the tree, held.
    rows: usize,
    functions: Vec<Function>,
}

/// A function on a robot.
#[derive(Default, Serialize)]
struct Function {
    name: &'static str,
    what: String,
    /// Times of one state \[ns\], by way: `single` with the best instructions of this CPU, `plain` with those
    /// every CPU has, `batch` with several states side by side in SIMD lanes, `batch_f32` in single
    /// precision, `threads` on all cores.
    times: BTreeMap<&'static str, Timing>,
    /// Floating-point operations; a multiply-add counts as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
    /// Reason why it could not be timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}
