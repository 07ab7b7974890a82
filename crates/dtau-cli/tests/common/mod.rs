//! Runs the command.

#![allow(dead_code)] // each test file is a crate of its own and uses some of this

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub const ROBOTS: [&str; 5] = ["double_pendulum", "arm6", "arm7", "quadruped", "humanoid"];

/// What the command wrote, and its exit code.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs `dtau` with these arguments.
pub fn dtau(args: &[&str]) -> Run {
    dtau_with(args, "")
}

/// Runs `dtau` with these arguments and this on its standard input.
pub fn dtau_with(args: &[&str], input: &str) -> Run {
    let mut child = command(args).stdin(Stdio::piped()).spawn().expect("the command starts");
    // A command that refuses its arguments does not read; that is no failure of this test.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("the command ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dtau"));
    command.args(args).env_remove("COLUMNS").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Run {
    /// The output, of a run that should have succeeded.
    #[track_caller]
    pub fn text(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}", self.err);
        &self.out
    }

    /// The output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).expect("JSON")
    }

    /// Asserts a failure: exit code 2, nothing on standard output, one line on standard error that starts with `error: `
    /// and has all these parts.
    #[track_caller]
    pub fn fails_with(&self, parts: &[&str]) {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert_eq!(self.out, "");
        let errors: Vec<_> = self.err.lines().filter(|line| !line.starts_with("note: ")).collect();
        assert_eq!(errors.len(), 1, "{}", self.err);
        assert!(errors[0].starts_with("error: "), "{}", self.err);
        for part in parts {
            assert!(errors[0].contains(part), "no {part:?} in: {}", self.err);
        }
    }
}

/// A file that lives as long as this does.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let path = directory.join(format!("{}_{name}", std::process::id()));
        std::fs::write(&path, content).expect("a file");
        Self(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// `[0, 0, …]` with `n` numbers.
pub fn zeros(n: usize) -> String {
    format!("{:?}", vec![0; n])
}

/// Rows and columns of a list of rows.
#[track_caller]
pub fn shape(matrix: &Value) -> (usize, usize) {
    let rows = matrix.as_array().expect("rows");
    let columns: Vec<usize> = rows.iter().map(|row| row.as_array().expect("a row").len()).collect();
    assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "rows of different length");
    (rows.len(), columns.first().copied().unwrap_or(0))
}
