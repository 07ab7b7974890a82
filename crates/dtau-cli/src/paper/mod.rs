//! `dtau paper`.
mod args;
use crate::failure::Failure;
pub use args::PaperArgs;
use std::io::Write;
use std::process::ExitCode;
pub fn run(_args: &PaperArgs, _out: &mut impl Write) -> Result<ExitCode, Failure> {
    Err(Failure::input("not yet"))
}
