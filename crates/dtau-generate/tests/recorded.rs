//! Recorded programs compute the same as the library.

mod harness;

use dtau::Random;
use dtau::model::{Model, Options, Root, generate};
use dtau_generate::emit::c::Precision;
use dtau_generate::interpret::interpret;
use dtau_generate::structure::snapped;
use dtau_generate::{Loops, Module, Numbers, RecordOptions};
use std::collections::HashSet;

/// Robots with limbs, products, and every joint type. The long run has more of them, including a humanoid.
fn robots() -> Vec<Model> {
    let floating = Options { root: Root::Floating, ..Options::default() };
    let tree = |seed: u64, joints: usize| Model::build(&generate::random_tree(seed, joints), &floating).unwrap();
    let mut all = vec![
        Model::bundled("quadruped", &floating).unwrap(),
        Model::build(&generate::chain(3), &Options::default()).unwrap(),
        tree(3, 8),
    ];
    let moving = all[2].joints().iter().map(|joint| core::mem::discriminant(&joint.kind));
    assert!(moving.collect::<HashSet<_>>().len() >= 8, "all kinds of joints");
    if std::env::var_os("DTAU_LONG").is_some() {
        all.push(Model::bundled("arm6", &Options::default()).unwrap());
        all.push(Model::bundled("humanoid", &floating).unwrap());
        all.extend((0..3).map(|seed| tree(seed, 7)));
    }
    all
}

/// Compares bits, except signs of zeros: recording folds constants and shares equal operations, without
/// changing rounding. Products that are loops sum in another order.
#[test]
fn a_recorded_program_is_the_library() {
    for model in robots() {
        let model = snapped(&model);
        let random = &mut Random::seeded(1);
        for request in harness::requests(&model, &[]) {
            let record = |numbers: Numbers, loops: Loops| {
                let options = RecordOptions { numbers, loops, ..RecordOptions::default() };
                Module::record(&model, core::slice::from_ref(&request), options).unwrap()
            };
            let name = request.function.declaration().name;
            let mut ways = vec![(Numbers::Table, Loops::Products), (Numbers::Baked, Loops::Products)];
            if ["crba", "minverse", "id_derivatives", "fd_derivatives"].contains(&name) {
                ways.push((Numbers::Table, Loops::AllKernels)); // other functions have no kernels
            }
            let (mut x, mut want) = (Vec::new(), Vec::new());
            for (numbers, loops) in ways {
                let module = record(numbers, loops);
                let program = &module.programs[0];
                if x.is_empty() {
                    x = harness::inputs(&model, program, random, Precision::F64);
                    want = harness::library::<f64>(&module, &request.function, program, &x);
                }
                let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
                let one = program.for_one_state();
                let (before, all, alone) = (program.operations_of_library, program.operations(), one.operations());
                let robot = model.name();
                println!("{robot} {name} ({numbers:?}, {loops:?}): {before} operations, {all}, for one state {alone}");
                for program in [program, one] {
                    let got = interpret(program, &module.own_table(), &x).unwrap();
                    for (array, (got, want)) in program.outputs.iter().zip(got.iter().zip(&want)) {
                        let scale = want.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                        let bound = if program.products.is_empty() { 0.0 } else { 1e-13 * scale };
                        for (k, (got, want)) in got.iter().zip(want).enumerate() {
                            let close = got == want || (got - want).abs() <= bound;
                            assert!(close, "{robot} {name} {}[{k}]: got {got}, want {want}", array.name);
                        }
                    }
                }
            }
        }
    }
}

/// Kernels are used if unrolled matrices would not fit the instruction cache: for one state at smaller sizes
/// than for many, never in small robots, and only on request.
#[test]
fn kernels_are_for_large_robots() {
    let floating = Options { root: Root::Floating, ..Options::default() };
    let (arm, humanoid) = (Model::bundled("arm6", &Options::default()), Model::bundled("humanoid", &floating));
    let (arm, humanoid) = (arm.unwrap(), humanoid.unwrap());
    // True if there are kernels for many states, and for one.
    let kernels = |model: &Model, name: &str, loops: Loops| {
        let options = RecordOptions { loops, ..RecordOptions::default() };
        let program = &Module::record(model, &harness::requests(model, &[name]), options).unwrap().programs[0];
        assert!(program.by_limbs().is_none_or(|many| many.kernels.is_empty() == program.kernels.is_empty()));
        (!program.kernels.is_empty(), !program.for_one_state().kernels.is_empty())
    };
    assert_eq!(kernels(&humanoid, "id_derivatives", Loops::Kernels), (false, true));
    assert_eq!(kernels(&humanoid, "minverse", Loops::Kernels), (false, true));
    assert_eq!(kernels(&humanoid, "crba", Loops::Kernels), (false, false));
    assert_eq!(kernels(&arm, "id_derivatives", Loops::Kernels), (false, false));
    assert_eq!(kernels(&arm, "id_derivatives", Loops::AllKernels), (true, true));
    assert_eq!(kernels(&humanoid, "minverse", Loops::Products), (false, false));
}
