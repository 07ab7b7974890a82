//! `dtau bench`: times of everything on this machine.
mod args;
use crate::failure::Failure;
pub use args::BenchArgs;
use std::io::Write;
use std::process::ExitCode;
pub fn run(_args: &BenchArgs, _out: &mut impl Write) -> Result<ExitCode, Failure> {
    Err(Failure::input("not yet"))
}
