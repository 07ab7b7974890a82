//! Failures: one line on standard error and exit code 2, never a panic.

use crate::escape::line;
use std::io::{self, Write};
use std::process::ExitCode;

/// The reason why the command ended early.
pub enum Failure {
    /// The input is wrong; the message says where, what, and what to do.
    Input(String),
    /// All that is wrong with a file, one message each.
    Faults(Vec<String>),
    /// The output cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Wrong input.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// Returns the message.
    pub fn text(&self) -> String {
        match self {
            Self::Input(message) => message.clone(),
            Self::Faults(messages) => messages.join("\n"),
            Self::Output(error) => format!("the output cannot be written: {error}"),
        }
    }

    /// Reports it, and returns the exit code.
    pub fn report(&self) -> ExitCode {
        // `dtau info humanoid | head -1`: the reader has closed the pipe.
        if matches!(&self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        match &self {
            Self::Faults(messages) => messages.iter().for_each(|message| say("error", message)),
            _ => say("error", &self.text()),
        }
        ExitCode::from(2)
    }
}

impl From<dtau::Error> for Failure {
    fn from(error: dtau::Error) -> Self {
        match error.others() {
            [] => Self::Input(error.to_string()),
            // A line each; none has a line break of its own, since texts of files are quoted.
            _ => Self::Faults(error.to_string().lines().map(String::from).collect()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Writes one line, such as `error: …`, to standard error. Errors of writing are ignored.
pub fn say(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {}", line(&one_line(message)));
}

/// Handles messages of clap. Help and version go to standard output; a wrong command line is a failure in one
/// line.
pub fn of_usage(usage: &clap::Error) -> Result<ExitCode, Failure> {
    if !usage.use_stderr() {
        usage.print()?;
        return Ok(ExitCode::SUCCESS);
    }
    // "error: …", the possible values, a tip; then "Usage: …" and "For more information, try '--help'."
    let text = usage.render().to_string();
    let said = text.split("\nUsage:").next().unwrap_or_default();
    let said = said.split("\nFor more information").next().unwrap_or_default();
    let said = one_line(said.trim_start_matches("error: ").trim_end());
    Err(Failure::Input(format!("{said}; see dtau --help")))
}

/// Joins the lines of a text.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut joined = String::new();
    for next in lines {
        let separator = match joined.chars().last() {
            None => "",
            Some(':') => " ",
            Some(_) if next.starts_with('[') => " ",
            Some(_) => "; ",
        };
        joined = joined + separator + next;
    }
    line(&joined).into_owned()
}
