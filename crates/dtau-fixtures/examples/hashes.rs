//! A hash of every result of every function, on every engine of the library: builds that are optimised in different ways must write the
//! same bits. `test.sh` compares the build that it tests with the one that users run.
//!
//! ```sh
//! cargo run --release -p dtau-fixtures --features batch --example hashes
//! ```

use dtau::model::{Model, Options, Root, generate};
use dtau::{Batch, Error, Random, Reference, Workspace};
use dtau_fixtures::every::{Named, Setting, States, many, singly};
use dtau_fixtures::robots::build;
use dtau_fixtures::wrenches;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Enough for a group of lanes, a group that is not full, and two parts of a batch on threads.
const STATES: usize = 11;

fn main() -> Result<(), Error> {
    let floating = Options { root: Root::Floating, ..Options::default() };
    for (robot, model) in [
        ("arm7_gripper", Model::bundled("arm7_gripper", &Options::default())?),
        ("quadruped", Model::bundled("quadruped", &floating)?),
        ("random tree", build(&generate::random_tree(3, 9), Root::Floating)), // mimicking joints, joints of every kind
    ] {
        let frame = model.frame_ids().last().expect("every robot has a frame");
        let pushes = wrenches::one_of_every_kind(&mut Random::seeded(2), &model);
        let setting = Setting { model: &model, wrenches: &pushes, frame, reference: Reference::World };
        let x = States::random(&model, STATES, pushes.len(), 5);
        print(robot, "workspace", singly(&setting, &mut Workspace::new(&model), &x));
        print(robot, "batch", many(&setting, &mut Batch::new(&model), &x));
        print(robot, "threads", many(&setting, &mut Batch::with_threads(&model, 2)?, &x));
        let pushes = wrenches::lift::<f32>(&pushes);
        let setting = Setting { model: &model, wrenches: &pushes, frame, reference: Reference::World };
        print(robot, "batch, f32", many(&setting, &mut Batch::new(&model), &x.map(|x| x as f32)));
    }
    Ok(())
}

fn print<T: Copy + Into<f64>>(robot: &str, engine: &str, results: Named<T>) {
    for (name, numbers) in results {
        let mut hash = DefaultHasher::new();
        for x in numbers {
            x.into().to_bits().hash(&mut hash);
        }
        println!("{:016x} {robot}, {engine}, {name}", hash.finish());
    }
}
