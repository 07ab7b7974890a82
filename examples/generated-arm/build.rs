//! Compiles the bundled arm into `$OUT_DIR/arm6.rs`.

use dtau::Reference;
use dtau::model::{Model, Options};
use dtau_generate::Builder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let model = Model::bundled("arm6", &Options::default())?;
    Builder::new(&model)
        .function("rnea")?
        .function("aba")?
        .function("fd_derivatives")?
        .function_of_frame("frame_jacobian", "tool0", Reference::LocalWorldAligned)?
        .write_rust_to_out_dir()?;
    Ok(())
}
