//! Writes generated C and a program that compares it with the library: `check_c ROBOT fixed|floating f64|f32 0|4|8 table|baked DIR
//! [FUNCTION …]`; all functions if none is named. `test.sh` compiles and runs the output.

#[path = "../tests/harness/mod.rs"]
mod harness;

use dtau::model::{Model, Options, Root};
use dtau_generate::emit::c::{Precision, Style, Width};
use dtau_generate::{Loops, Module, Numbers, RecordOptions};
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [robot, root, precision, width, numbers, to, names @ ..] = &args[..] else {
        eprintln!("check_c ROBOT fixed|floating f64|f32 0|4|8 table|baked DIR [FUNCTION …]");
        std::process::exit(2);
    };
    let root = if root == "floating" { Root::Floating } else { Root::Fixed };
    let model = Model::bundled(robot, &Options { root, ..Options::default() }).unwrap();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let numbers = if numbers == "baked" { Numbers::Baked } else { Numbers::Table };
    let requests = harness::requests(&model, &names);
    let module =
        Module::record(&model, &requests, RecordOptions { numbers, loops: Loops::Kernels, ..RecordOptions::default() })
            .unwrap();
    let side_by_side = match width.as_str() {
        "4" => Some(Width::Four),
        "8" => Some(Width::Eight),
        _ => None,
    };
    let precision = if precision == "f32" { Precision::F32 } else { Precision::F64 };
    harness::write(&module, Style { precision, side_by_side }, Path::new(to));
}
