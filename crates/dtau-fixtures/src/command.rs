//! Runs commands with deadlines: a test ends even if its program does not.

use serde_json::Value;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A program that is killed at its deadline, or when this is dropped: a failing test leaves none running.
/// Killing closes its pipes, so that readers continue.
pub struct Running {
    child: Arc<Mutex<Child>>,
    what: String,
    ended: Option<Sender<()>>,
    watchdog: Option<JoinHandle<bool>>,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

impl Running {
    #[track_caller]
    pub fn start(command: &mut Command, deadline: Duration) -> Self {
        let what = format!("{command:?}");
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{what} does not start: {error}"));
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let (ended, news) = channel();
        let watched = child.clone();
        let watchdog = std::thread::spawn(move || {
            let late = news.recv_timeout(deadline) == Err(RecvTimeoutError::Timeout);
            if late {
                let _ = watched.lock().unwrap().kill();
            }
            late
        });
        Self { child, what, ended: Some(ended), watchdog: Some(watchdog), stdin, stdout, stderr }
    }

    pub fn kill(&mut self) {
        let _ = self.child.lock().unwrap().kill();
    }

    /// Waits for the end. It is a failure if the program was killed at its deadline.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let status = loop {
            // Not `wait`, which would block the watchdog.
            if let Some(status) = self.child.lock().unwrap().try_wait().unwrap() {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(!self.dismiss(), "{} was killed after its deadline", self.what);
        status
    }

    /// Stops the watchdog. Returns true if it killed the program.
    fn dismiss(&mut self) -> bool {
        self.ended = None;
        self.watchdog.take().is_some_and(|watchdog| watchdog.join().unwrap_or(true))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.lock().unwrap().wait();
        self.dismiss();
    }
}

/// Output of a command, and its exit code.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs a command with `input` on its standard input, and kills it at the deadline.
#[track_caller]
pub fn run(command: &mut Command, input: &[u8], deadline: Duration) -> Run {
    let mut running = Running::start(command.stdin(Stdio::piped()), deadline);
    let (mut stdin, stdout, stderr) = (running.stdin.take().unwrap(), running.stdout.take(), running.stderr.take());
    let (out, err) = std::thread::scope(|scope| {
        // A command that refuses its arguments does not read its input; that is not a failure of this test.
        scope.spawn(move || drop(stdin.write_all(input)));
        let err = scope.spawn(move || stderr.map(text).unwrap_or_default());
        (stdout.map(text).unwrap_or_default(), err.join().unwrap())
    });
    Run { code: running.wait().code(), out, err }
}

fn text(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).expect("a pipe");
    String::from_utf8(bytes).expect("UTF-8")
}

impl Run {
    /// Standard output of a run that must have succeeded.
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

    /// Asserts a failure: exit code 2, empty standard output, and one line on standard error that starts with
    /// `error: ` and contains all these parts.
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

/// A temporary file or directory, deleted when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn file(directory: &Path, name: &str, content: &[u8]) -> Self {
        let scratch = Self::named(directory, name);
        std::fs::write(&scratch.0, content).expect("a file");
        scratch
    }

    /// A path for a directory, which does not exist yet.
    pub fn directory(directory: &Path, name: &str) -> Self {
        let scratch = Self::named(directory, name);
        let _ = std::fs::remove_dir_all(&scratch.0);
        scratch
    }

    /// The name is unique per process, since other processes may run the same test.
    fn named(directory: &Path, name: &str) -> Self {
        Self(directory.join(format!("{}_{name}", std::process::id())))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }

    /// Path of a file in this directory.
    pub fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).expect("JSON")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = if self.0.is_dir() { std::fs::remove_dir_all(&self.0) } else { std::fs::remove_file(&self.0) };
    }
}

/// Number of rows and columns of a list of rows.
#[track_caller]
pub fn shape(matrix: &Value) -> (usize, usize) {
    let rows = matrix.as_array().expect("rows");
    let columns: Vec<usize> = rows.iter().map(|row| row.as_array().expect("a row").len()).collect();
    assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "rows of different length");
    (rows.len(), columns.first().copied().unwrap_or(0))
}

/// A program that hangs is killed, and the failure names it.
#[cfg(unix)]
#[test]
fn a_command_that_hangs_is_killed_after_its_deadline() {
    let late = std::panic::catch_unwind(|| {
        let mut sleeper = Command::new("sleep");
        run(sleeper.arg("1000").stdout(Stdio::piped()).stderr(Stdio::piped()), b"", Duration::from_millis(50))
    });
    let message = *late.err().expect("a failure").downcast::<String>().unwrap();
    assert!(message.contains("sleep") && message.contains("deadline"), "{message}");
}
