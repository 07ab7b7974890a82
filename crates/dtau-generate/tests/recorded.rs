//! What is recorded is what the library computes.

use dtau::model::{Model, Options, Root, generate};
use dtau::{Function, Parameter, Parameters, Random, Reference, Size, Workspace, functions};
use dtau_generate::interpret::interpret;
use dtau_generate::structure::snapped;
use dtau_generate::{Loops, Numbers, record, record_with_loops};

/// Every function of the list but whole tensors, with a frame where it takes one.
fn every_function(model: &Model) -> Vec<(String, Function)> {
    let frame = model.frame_ids().last();
    let given = Parameters { frame, reference: Some(Reference::LocalWorldAligned), way: None };
    functions()
        .iter()
        .filter(|f| f.parameters.iter().all(|p| *p != Parameter::Frame || frame.is_some()))
        .filter(|f| !f.outputs.iter().any(|arg| matches!(arg.size, Size::Cube | Size::SymmetricCube)))
        .map(|f| (f.name.to_string(), f.with(&given).unwrap()))
        .collect()
}

fn robots() -> Vec<Model> {
    let floating = Options { root: Root::Floating, ..Options::default() };
    let mut all = vec![
        Model::bundled("arm6", &Options::default()).unwrap(),
        Model::bundled("quadruped", &floating).unwrap(),
        Model::bundled("humanoid", &floating).unwrap(),
        Model::build(&generate::chain(3), &Options::default()).unwrap(),
    ];
    all.extend((0..3).map(|seed| Model::build(&generate::random_tree(seed, 7), &floating).unwrap()));
    all
}

/// Bit for bit, zeros' signs apart: recording folds constants and shares what is equal, and changes no rounding. Products that became
/// loops are sums in another order.
#[test]
fn a_recorded_program_is_the_library() {
    for model in robots() {
        let model = snapped(&model);
        let random = &mut Random::seeded(1);
        for (name, function) in every_function(&model) {
            let program = record(&model, &function, &name, Numbers::Table).unwrap();
            let baked = record(&model, &function, &name, Numbers::Baked).unwrap();
            let x: Vec<Vec<f64>> = (program.inputs.iter())
                .map(|array| match array.name.starts_with('q') && array.len() == model.nq() {
                    true if array.name != "qdd" => model.random_configuration(random),
                    _ => (0..array.len()).map(|_| random.within(-1.0, 1.0)).collect(),
                })
                .collect();
            let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            let table: Vec<f64> = program.parameters.iter().map(|p| p.value).collect();
            let mut want: Vec<Vec<f64>> = program.outputs.iter().map(|array| vec![0.0; array.len()]).collect();
            let mut to: Vec<&mut [f64]> = want.iter_mut().map(Vec::as_mut_slice).collect();
            function.call(&model, &mut Workspace::new(&model), &x, &mut to).unwrap();
            // Others have no kernels.
            let may = ["crba", "minverse", "id_derivatives", "fd_derivatives"].contains(&name.as_str());
            let loops = if may { Loops::AllKernels } else { Loops::Products };
            let by_kernels = record_with_loops(&model, &function, &name, Numbers::Table, loops).unwrap();
            let of_kernels: Vec<f64> = by_kernels.parameters.iter().map(|p| p.value).collect();
            let one_by_kernels = by_kernels.for_one_state();
            let one_of_kernels: Vec<f64> = one_by_kernels.parameters.iter().map(|p| p.value).collect();
            let one = program.for_one_state();
            let one_table: Vec<f64> = one.parameters.iter().map(|p| p.value).collect();
            let (all, alone) = (program.operations(), one.operations());
            println!(
                "{} {name}: {} operations, {all}, for one state {alone}",
                model.name(),
                program.operations_of_library
            );
            if !by_kernels.kernels.is_empty() {
                let [all, alone] = [by_kernels.operations(), one_by_kernels.operations()];
                println!("{} {name} by kernels: {all}, for one state {alone}", model.name());
            }
            let all = [
                (&program, &table[..]),
                (one, &one_table),
                (&baked, &[]),
                (&by_kernels, &of_kernels),
                (one_by_kernels, &one_of_kernels),
            ];
            for (program, table) in all {
                let got = interpret(program, table, &x).unwrap();
                for (array, (got, want)) in program.outputs.iter().zip(got.iter().zip(&want)) {
                    let scale = want.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    for (k, (got, want)) in got.iter().zip(want).enumerate() {
                        let close =
                            if program.products.is_empty() { got == want } else { (got - want).abs() <= 1e-13 * scale };
                        assert!(close, "{} {name} {}[{k}]: got {got}, want {want}", model.name(), array.name);
                    }
                }
            }
        }
    }
}

/// Kernels where matrices written out would outgrow the instruction cache, for one state sooner than for many; never in small robots, and
/// nobody who does not ask for them gets them.
#[test]
fn kernels_are_for_large_robots() {
    let floating = Options { root: Root::Floating, ..Options::default() };
    let (arm, humanoid) = (Model::bundled("arm6", &Options::default()), Model::bundled("humanoid", &floating));
    let (arm, humanoid) = (arm.unwrap(), humanoid.unwrap());
    // Whether there are kernels for many states, and for one.
    let kernels = |model: &Model, name: &str, loops: Loops| {
        let function = dtau::function(name).unwrap().with(&Parameters::default()).unwrap();
        let program = record_with_loops(model, &function, name, Numbers::Table, loops).unwrap();
        assert!(program.by_limbs().is_none_or(|many| many.kernels.is_empty() == program.kernels.is_empty()));
        (!program.kernels.is_empty(), !program.for_one_state().kernels.is_empty())
    };
    assert_eq!(kernels(&humanoid, "id_derivatives", Loops::Kernels), (true, true));
    assert_eq!(kernels(&humanoid, "minverse", Loops::Kernels), (false, true));
    assert_eq!(kernels(&humanoid, "crba", Loops::Kernels), (false, false));
    assert_eq!(kernels(&arm, "id_derivatives", Loops::Kernels), (false, false));
    assert_eq!(kernels(&arm, "id_derivatives", Loops::AllKernels), (true, true));
    assert_eq!(kernels(&humanoid, "minverse", Loops::Products), (false, false));
}
