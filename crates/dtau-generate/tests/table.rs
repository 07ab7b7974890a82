//! The table: payloads, other robots of the same shape, refusals.

mod harness;

use dtau::model::{Inertial, Model, Options, Root};
use dtau::spatial::{Sym3, Vec3};
use dtau::{Random, Workspace};
use dtau_generate::interpret::interpret;
use dtau_generate::{Module, RecordOptions};

fn load() -> Inertial {
    let about_com = Sym3 { xx: 0.02, xy: 0.003, xz: -0.001, yy: 0.03, yz: 0.002, zz: 0.025 };
    Inertial { mass: 1.7, com: Vec3::new(0.05, -0.02, 0.11), about_com }
}

fn arm() -> Model {
    Model::bundled("arm6", &Options::default()).unwrap()
}

/// Compares the programs' results on a table with the library's results for a robot, relative to the largest result.
fn serves(module: &Module, table: &[f64], model: &Model, tolerance: f64) {
    let random = &mut Random::seeded(3);
    for (program, function) in module.programs.iter().zip(&module.functions) {
        let q = model.random_configuration(random);
        let x: Vec<Vec<f64>> = (program.inputs.iter())
            .map(|a| if a.name == "q" { q.clone() } else { (0..a.len()).map(|_| random.within(-1.0, 1.0)).collect() })
            .collect();
        let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
        let got = interpret(program, table, &x).unwrap();
        let mut want: Vec<Vec<f64>> = program.outputs.iter().map(|a| vec![0.0; a.len()]).collect();
        let mut to: Vec<&mut [f64]> = want.iter_mut().map(Vec::as_mut_slice).collect();
        function.call(model, &mut Workspace::new(model), &x, &mut to).unwrap();
        for (got, want) in got.iter().zip(&want) {
            let scale = want.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (k, (got, want)) in got.iter().zip(want).enumerate() {
                let off = (got - want).abs();
                assert!(off <= tolerance * scale, "{} [{k}]: got {got}, want {want}, off by {off}", program.name);
            }
        }
    }
}

const WHAT: [&str; 5] = ["rnea", "aba", "crba", "id_derivatives", "fd_derivatives"];

/// The numbers are those of the loaded robot to the bit. So are the results, unless numbers were adjusted to 0 or ±1.
#[test]
fn the_table_of_a_loaded_robot_serves_it() {
    let module = Module::record(&arm(), &harness::requests(&arm(), &WHAT), harness::for_payloads()).unwrap();
    let loaded = arm().with_payload("tool0", load()).unwrap();
    let table = module.table_of(&loaded).unwrap();
    assert_ne!(table, module.own_table());
    serves(&module, &table, &dtau_generate::structure::snapped(&loaded), 0.0);
}

/// Adding to the table rounds in another order than attaching the load to the link: a few ε.
#[test]
fn a_payload_added_to_the_table_is_a_payload_attached_to_the_robot() {
    let module = Module::record(&arm(), &harness::requests(&arm(), &WHAT), harness::for_payloads()).unwrap();
    let mut table = module.own_table();
    module.add_payload(&mut table, "tool0", &load()).unwrap();
    let loaded = arm().with_payload("tool0", load()).unwrap();
    for (k, (got, want)) in table.iter().zip(module.table_of(&loaded).unwrap()).enumerate() {
        assert!((got - want).abs() <= 1e-15 * want.abs().max(1.0), "{:?}: got {got}, want {want}", module.table[k]);
    }
    serves(&module, &table, &loaded, 1e-13);
    // Removing it again leaves a few ε.
    let taken = Inertial { mass: 0.0, com: Vec3::zero(), about_com: Sym3::zero() };
    module.add_payload(&mut table, "tool0", &taken).unwrap();
}

#[test]
fn what_the_code_does_not_serve_is_refused_with_a_reason() {
    let requests = harness::requests(&arm(), &["rnea"]);
    let module = Module::record(&arm(), &requests, RecordOptions::default()).unwrap();
    let mut table = module.own_table();
    let before = table.clone();
    // Without --payload, some of the link's numbers are zeros in the code.
    let refused = module.add_payload(&mut table, "tool0", &load()).unwrap_err().to_string();
    assert!(refused.contains("payloads on link \"tool0\""), "{refused}");
    assert_eq!(table, before);
    let loaded = arm().with_payload("tool0", load()).unwrap();
    let refused = module.table_of(&loaded).unwrap_err().to_string();
    assert!(refused.contains("zeros and ones are in the code") && refused.contains("link"), "{refused}");
    let other = Model::bundled("arm7_gripper", &Options::default()).unwrap();
    let refused = module.table_of(&other).unwrap_err().to_string();
    assert!(refused.contains("another shape"), "{refused}");
    let exact = arm().with_options(&Options { exact: true, ..Options::default() }).unwrap();
    assert!(module.table_of(&exact).unwrap_err().to_string().contains("options"));
    let negative = Inertial { mass: -1.0, ..load() };
    assert!(module.add_payload(&mut table, "tool0", &negative).unwrap_err().to_string().contains("negative"));
    assert!(module.add_payload(&mut table[1..], "tool0", &load()).unwrap_err().to_string().contains("numbers"));
    assert!(module.add_payload(&mut table, "hand", &load()).unwrap_err().to_string().contains("hand"));
}

/// Slightly changed numbers: a calibrated robot, from another description of the same shape.
#[test]
fn a_calibrated_robot_is_served_bit_for_bit() {
    let options = Options { root: Root::Floating, ..Options::default() };
    let model = Model::bundled("quadruped", &options).unwrap();
    let module =
        Module::record(&model, &harness::requests(&model, &["rnea", "aba"]), RecordOptions::default()).unwrap();
    let calibrated =
        module.model.map_constants(|_, x| if dtau_generate::structure::is_structure(x) { x } else { x * 1.01 });
    serves(&module, &module.table_of(&calibrated).unwrap(), &calibrated, 0.0);
}
