//! Compares generated code with the library. The two are timed alternately in one process, and the least of
//! many times counts. This is a quick look; `bench/run.sh` compares with other libraries.
//!
//!     cargo run --release -p dtau-bench --example times -- humanoid floating crba,id_derivatives [robot.urdf …]

use dtau::model::{Model, Options, Root};
use dtau::{Batch, Compiled, Parameters, Random, Workspace, function};
use dtau_generate::load::{Build, code};
use dtau_generate::structure::snapped;
use std::hint::black_box;
use std::time::Instant;

const STATES: usize = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let robot = arguments.first().map_or("humanoid", String::as_str);
    let root = if arguments.get(1).is_some_and(|root| root == "fixed") { Root::Fixed } else { Root::Floating };
    let options = Options { root, ..Options::default() };
    let model = match robot.ends_with(".urdf") {
        true => Model::from_urdf(&std::fs::read_to_string(robot)?, &options)?,
        false => Model::bundled(robot, &options)?,
    };
    let model = snapped(&model);
    let names = arguments.get(2).map_or("rnea,aba,crba,minverse,id_derivatives,fd_derivatives", String::as_str);
    println!(
        "{robot}, {} dofs; ns a state: library, code through the engine, code alone | many: library, code",
        model.nv()
    );
    for name in names.split(',') {
        let function = function(name)?.with(&Parameters::default())?;
        let begun = Instant::now();
        let code = code(&model, &[function], &Build::default())?;
        let made = begun.elapsed();
        let random = &mut Random::seeded(1);
        let declaration = function.declaration();
        let mut x: Vec<Vec<f64>> = vec![Vec::new(); declaration.inputs.len()];
        for _ in 0..STATES {
            for (x, arg) in x.iter_mut().zip(declaration.inputs) {
                match arg.name {
                    "q" => x.extend(model.random_configuration(random)),
                    _ => x.extend((0..model.nv()).map(|_| random.within(-1.0, 1.0))),
                }
            }
        }
        let sizes = |args: &[dtau::Arg]| -> Vec<usize> {
            args.iter().map(|arg| arg.size.shape(&model, 1)).map(|(rows, columns)| rows * columns).collect()
        };
        let (inputs, outputs) = (sizes(declaration.inputs), sizes(declaration.outputs));
        let (mut ws, mut batch) = (Workspace::new(&model), Batch::new(&model));
        let (mut engine, mut many) = (Compiled::new(&model, &code)?, Compiled::new(&model, &code)?);
        let mut y: Vec<Vec<f64>> = outputs.iter().map(|size| vec![0.0; size * STATES]).collect();
        let mut best = [f64::MAX; 5];
        for _ in 0..60 {
            for (k, best) in best.iter_mut().enumerate() {
                let begun = Instant::now();
                for s in 0..if k < 3 { STATES } else { 1 } {
                    let states = if k < 3 { 1 } else { STATES };
                    let mut from: [&[f64]; 8] = [&[]; 8];
                    for (from, (x, size)) in from.iter_mut().zip(x.iter().zip(&inputs)) {
                        *from = &x[s * size..][..states * size];
                    }
                    let from = &from[..inputs.len()];
                    // Results of one state are overwritten, so memory does not limit the time.
                    let mut to: [&mut [f64]; 8] = Default::default();
                    for (to, (y, size)) in to.iter_mut().zip(y.iter_mut().zip(&outputs)) {
                        *to = &mut y[..states * size];
                    }
                    let to = &mut to[..outputs.len()];
                    match k {
                        0 => function.call(&model, &mut ws, from, to)?,
                        1 => function.call(&model, &mut engine, from, to)?,
                        2 => {
                            if let Some((routine, table)) = code.routine(&function, None) {
                                black_box(routine(table, 1, from, to));
                            }
                        }
                        3 => function.call(&model, &mut batch, from, to)?,
                        _ => function.call(&model, &mut many, from, to)?,
                    }
                }
                *best = best.min(begun.elapsed().as_secs_f64() * 1e9 / STATES as f64);
            }
        }
        let [library, engine, alone, batch, many] = best;
        println!(
            "{name:16} {library:7.0} {engine:7.0} {alone:7.0} ({:.2}) | {batch:7.0} {many:7.0} ({:.2})   made in {:.1} s",
            library / alone,
            batch / many,
            made.as_secs_f64()
        );
    }
    Ok(())
}
