//! The C compiler of this machine.

use super::{Build, Error};
use crate::emit::c;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Additional flags. An argument of the wrong type would be a bug of ours, so it is an error.
const FLAGS: [&str; 5] = ["-O2", "-fPIC", "-shared", "-Werror=int-conversion", "-Werror=incompatible-pointer-types"];

/// Flags for the instructions of this CPU. The first one that the compiler accepts is used.
const OF_THIS_CPU: &[&str] = &["-march=native", "-mcpu=native"];

/// Time limit for the probe, which compiles nothing.
const DEADLINE_OF_PROBE: Duration = Duration::from_secs(30);

/// Number of lines of a compiler's messages in an error.
const LINES: usize = 12;

#[derive(Debug)]
pub(super) struct Compiler {
    program: String,
    arguments: Vec<String>,
    knows: String,
    deadline: Duration,
}

impl Compiler {
    /// Finds the requested compiler, or the first available one.
    pub(super) fn find(build: &Build) -> Result<Self, Error> {
        let asked = build.compiler.clone().or_else(|| std::env::var("CC").ok()).filter(|cc| !cc.trim().is_empty());
        if let Some(asked) = asked {
            return Self::probe(&asked, build).map_err(|why| {
                Error::Compiler(format!("the C compiler \"{asked}\" does not work: {why}; CC may name another one"))
            });
        }
        let mut tried = Vec::new();
        for name in ["cc", "gcc", "clang"] {
            match Self::probe(name, build) {
                Ok(compiler) => return Ok(compiler),
                Err(why) => tried.push(format!("{name}: {why}")),
            }
        }
        let tried = tried.join("; ");
        Err(Error::Compiler(format!(
            "there is no C compiler ({tried}); install one, such as gcc or clang, or name it in CC"
        )))
    }

    /// Asks a compiler for its predefined macros, which describe its version and this CPU.
    fn probe(command: &str, build: &Build) -> Result<Self, String> {
        let words: Vec<String> = command.split_whitespace().map(String::from).collect();
        let (program, others) = words.split_first().ok_or("it has no name")?;
        // `ccache gcc -O1`: the options of the command come last, so that they take precedence.
        let (names, options) = others.split_at(others.iter().take_while(|word| !word.starts_with('-')).count());
        let mut refusal = String::new();
        for cpu in OF_THIS_CPU.iter().map(Some).chain([None]) {
            let flags = cpu.into_iter().chain(&FLAGS).chain(&c::FLAGS).map(|flag| flag.to_string());
            let arguments: Vec<String> = names.iter().cloned().chain(flags).chain(options.iter().cloned()).collect();
            let mut command = Command::new(program);
            command.args(&arguments).args(["-dM", "-E", "-x", "c", null_device()]);
            let said = run(&mut command, DEADLINE_OF_PROBE)?;
            if said.good && said.output.contains("__VERSION__") {
                let (program, knows) = (program.clone(), said.output);
                return Ok(Self { program, arguments, knows, deadline: build.deadline });
            }
            refusal = first_lines(&said.messages);
        }
        Err(if refusal.is_empty() { "it does not say what it is".into() } else { refusal })
    }

    /// Returns the compiler's version, and its description of this CPU.
    pub(super) fn knows(&self) -> &str {
        &self.knows
    }

    /// Returns the command line.
    pub(super) fn command(&self) -> String {
        format!("{} {}", self.program, self.arguments.join(" "))
    }

    /// Compiles a library in its own folder and returns its path.
    pub(super) fn compile(&self, source: &str, folder: &Path) -> Result<PathBuf, Error> {
        let (from, to) = (folder.join("robot.c"), folder.join(format!("robot{}", std::env::consts::DLL_SUFFIX)));
        std::fs::write(&from, source)
            .map_err(|error| Error::Files(format!("cannot write {}: {error}", from.display())))?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(&from).arg("-o").arg(&to).arg("-lm");
        let called = self.command();
        let said = run(&mut command, self.deadline).map_err(|why| Error::Compiler(format!("\"{called}\": {why}")))?;
        if said.good {
            return Ok(to);
        }
        let messages = first_lines(&said.messages);
        Err(Error::Compiler(format!("\"{called}\" does not compile what was generated:\n{messages}")))
    }
}

/// Result of a program that ran.
struct Said {
    good: bool,
    output: String,
    messages: String,
}

/// Runs a program to its end, or kills it at the deadline.
fn run(command: &mut Command, deadline: Duration) -> Result<Said, String> {
    own_group(command);
    let pipes = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    // Read in threads: a program whose pipe is full would block.
    let (output, messages) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let (begun, mut pause) = (Instant::now(), Duration::from_micros(500));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < deadline => {
                thread::sleep(pause);
                pause = (2 * pause).min(Duration::from_millis(20));
            }
            Ok(None) => {
                end(&mut child);
                return Err(format!("it was ended, since it took longer than {} s", deadline.as_secs_f64()));
            }
            Err(error) => return Err(format!("it cannot be waited for: {error}")),
        }
    };
    let text =
        |pipe: thread::JoinHandle<Vec<u8>>| String::from_utf8_lossy(&pipe.join().unwrap_or_default()).into_owned();
    Ok(Said { good: status.success(), output: text(output), messages: text(messages) })
}

fn listen(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut all = Vec::new();
        // After a read error, the output so far is kept.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut all));
        all
    })
}

/// Compilers consist of several processes. A process group allows killing all of them.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}

fn null_device() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}

fn first_lines(text: &str) -> String {
    text.trim().lines().take(LINES).collect::<Vec<_>>().join("\n")
}
