//! The `dtau` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    dtau_cli::command(std::env::args_os()).into()
}
