//! Runs the command; only here are its name and the place for files known.
#![allow(dead_code)] // each test file is a crate of its own and uses some of this

use dtau_fixtures::command::{Run, Scratch, run};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The longest runs take half a minute unoptimised on a busy core. Ten times that is a hang.
pub const DEADLINE: Duration = Duration::from_secs(300);

/// Runs `dtau` with these arguments.
#[track_caller]
pub fn dtau(args: &[&str]) -> Run {
    dtau_with(args, "")
}

/// Runs `dtau` with these arguments and this on its standard input.
#[track_caller]
pub fn dtau_with(args: &[&str], input: &str) -> Run {
    run(&mut command(args), input.as_bytes(), DEADLINE)
}

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dtau"));
    command.args(args).env_remove("COLUMNS").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn scratch(name: &str, content: impl AsRef<[u8]>) -> Scratch {
    Scratch::file(Path::new(env!("CARGO_TARGET_TMPDIR")), name, content.as_ref())
}

pub fn directory(name: &str) -> Scratch {
    Scratch::directory(Path::new(env!("CARGO_TARGET_TMPDIR")), name)
}

/// `[0, 0, …]` with `n` numbers.
pub fn zeros(n: usize) -> String {
    format!("{:?}", vec![0; n])
}
