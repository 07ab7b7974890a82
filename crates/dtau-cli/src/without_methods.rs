//! What stands in for `--method` in a build without methods.

use crate::failure::{Failure, missing};
use crate::quantity::Quantity;
use crate::state::State;
use dtau::{Declaration, Scene};

/// There is none.
pub enum Chosen {}

impl Chosen {
    pub fn find(_name: &str, _asked: &[&'static Declaration]) -> Result<Self, Failure> {
        Err(missing("--method"))
    }

    pub fn gives(&self, _function: &Declaration) -> bool {
        match *self {}
    }

    pub fn evaluate(&self, _scene: Scene<'_, f64>, _state: &State) -> Result<Quantity, String> {
        match *self {}
    }
}

pub fn help() -> String {
    "  none in this build; build with --features full\n".into()
}
