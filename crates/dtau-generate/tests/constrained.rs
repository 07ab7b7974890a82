//! Functions under constraints: recorded programs compute the same as the library.

use dtau::model::{Model, Options, Root};
use dtau::spatial::Transform;
use dtau::{Constraints, Function, Gains, Parameter, Parameters, Random, Workspace, functions};
use dtau_generate::interpret::interpret;
use dtau_generate::{Loops, Module, Numbers, Program, RecordOptions, Request};

fn floating(name: &str) -> Model {
    Model::bundled(name, &Options { root: Root::Floating, ..Options::default() }).unwrap()
}

/// Sets of constraints: a quadruped on four feet; one with every kind of constraint; one with a fixed trunk
/// and one constrained leg, which does not affect the others; an arm with a constrained hand.
fn sets() -> Vec<Constraints> {
    let quadruped = floating("quadruped");
    let q = quadruped.neutral();
    let gains = Gains { kp: 90.0, kd: 20.0 };
    let mut feet = Constraints::new(&quadruped);
    for foot in ["lf_foot", "rf_foot", "lh_foot", "rh_foot"] {
        feet = feet.point(foot).at_world_here(&q).unwrap();
    }
    let odds = Constraints::new(&quadruped)
        .point("lf_foot")
        .in_world_plane([0.0, 0.0, -0.3], [0.1, 0.0, 1.0])
        .point("rf_foot")
        .on_world_line([0.2, 0.1, -0.3], [1.0, 0.2, 0.0])
        .point("lh_foot")
        .at_distance_of("rh_foot", [0.1, 0.2, 0.3], 0.4)
        .frame("rh_foot")
        .hinge()
        .gains(Gains { kp: 7.0, kd: 3.0 })
        .at_world(Transform::identity())
        .joints(&[("lf_knee", 1.0), ("lh_knee", -1.5)])
        .sum_to(0.3)
        .stabilise(gains)
        .build()
        .unwrap();
    let hung = Model::bundled("quadruped", &Options::default()).unwrap();
    let leg = Constraints::new(&hung).point("lf_foot").at_world_here(&hung.neutral()).unwrap();
    let arm = Model::bundled("arm7_gripper", &Options::default()).unwrap();
    let held = Constraints::new(&arm).frame("grasp").at_world_here(&arm.neutral()).unwrap().stabilise(gains);
    vec![feet.build().unwrap(), odds, leg.build().unwrap(), held.build().unwrap()]
}

/// Returns all functions that act on constraints.
fn constrained() -> Vec<Function> {
    let all = functions().iter().filter(|f| f.parameters.contains(&Parameter::Constraints));
    all.map(|f| f.with(&Parameters::default()).unwrap()).collect()
}

fn inputs(model: &Model, program: &Program, random: &mut Random) -> Vec<Vec<f64>> {
    let of = |name: &str, len: usize, random: &mut Random| match name {
        "q" => model.random_configuration(random),
        _ if name.ends_with("strength") || name == "restitution" => (0..len).map(|_| random.within(0.1, 1.0)).collect(),
        _ => (0..len).map(|_| random.within(-1.0, 1.0)).collect(),
    };
    program.inputs.iter().map(|array| of(array.name, array.len(), random)).collect()
}

/// The fingerprint distinguishes code for other constraints, but not for the same constraints at other places.
#[test]
fn what_is_held_is_in_the_fingerprint() {
    let model = floating("quadruped");
    let [near, far] = [0.31, 0.52].map(|x| [x, 0.21, -0.43]);
    let of = |foot: &str, place: [f64; 3]| {
        let set = Constraints::new(&model).point(foot).at_world(place).build().unwrap();
        Module::record(&set, &[], RecordOptions::default()).unwrap().fingerprint
    };
    assert_eq!(of("lf_foot", near), of("lf_foot", far));
    assert_ne!(of("lf_foot", near), of("rf_foot", near));
    assert_ne!(of("lf_foot", near), Module::record(&model, &[], RecordOptions::default()).unwrap().fingerprint);
    let line = Constraints::new(&model).point("lf_foot").on_world_line(near, [1.0, 0.0, 0.0]).build().unwrap();
    assert_ne!(of("lf_foot", near), Module::record(&line, &[], RecordOptions::default()).unwrap().fingerprint);
}

#[test]
fn a_recorded_program_is_the_library_under_constraints() {
    for set in sets() {
        // Numbers in the code: for an arm. In the long run, for all.
        let mut ways = vec![(Numbers::Table, Loops::Products), (Numbers::Table, Loops::AllKernels)];
        if set.model().nv() < 8 || std::env::var_os("DTAU_LONG").is_some() {
            ways.push((Numbers::Baked, Loops::Products));
        }
        for function in constrained() {
            let name = function.declaration().name;
            let request = Request { name: name.into(), function };
            for &(numbers, loops) in &ways {
                let requests = std::slice::from_ref(&request);
                let module =
                    Module::record(&set, requests, RecordOptions { numbers, loops, ..RecordOptions::default() })
                        .unwrap();
                let (model, constraints) = (&module.model, module.constraints.as_ref().unwrap());
                let program = &module.programs[0];
                let x = inputs(model, program, &mut Random::seeded(1));
                let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
                let mut want: Vec<Vec<f64>> = program.outputs.iter().map(|array| vec![0.0; array.len()]).collect();
                let mut to: Vec<&mut [f64]> = want.iter_mut().map(Vec::as_mut_slice).collect();
                let scene = model.scene().constraints(constraints);
                function.call(scene, &mut Workspace::new(model), &x, &mut to).unwrap();
                let table: Vec<f64> = module.table.iter().map(|p| p.value).collect();
                let one = program.for_one_state();
                let (all, alone) = (program.operations(), one.operations());
                println!(
                    "{} {name} ({loops:?}): {} operations, {all}, for one state {alone}",
                    model.name(),
                    program.operations_of_library
                );
                for program in [program, one] {
                    let Some(got) = interpret(program, &table, &x) else { panic!("{name}: not healthy") };
                    for (array, (got, want)) in program.outputs.iter().zip(got.iter().zip(&want)) {
                        for (k, (got, want)) in got.iter().zip(want).enumerate() {
                            assert!(got == want, "{} {name} {}[{k}]: got {got}, want {want}", model.name(), array.name);
                        }
                    }
                }
            }
        }
    }
}
