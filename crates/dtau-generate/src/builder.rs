//! Generates code files for a robot in a few lines of a build script.

use crate::emit::c::{self, Precision, Style};
use crate::emit::{identifier, rust};
use crate::module::{Module, Request};
use crate::record::{Loops, Numbers, RecordOptions};
use crate::subject::Subject;
use dtau::model::Model;
use dtau::{Constraints, Parameter, Parameters, Reference, function};
use std::fmt;
use std::path::{Path, PathBuf};

/// Generates code for one robot.
///
/// ```no_run
/// // build.rs
/// use dtau::model::{Model, Options};
/// use dtau_generate::Builder;
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let model = Model::bundled("arm6", &Options::default())?;
///     Builder::new(&model).function("rnea")?.function("fd_derivatives")?.write_rust_to_out_dir()?;
///     Ok(())
/// }
/// // main.rs: include!(concat!(env!("OUT_DIR"), "/arm6.rs")); then arm6::rnea(&arm6::TABLE, &q, &v, &a, &mut tau)
/// ```
///
/// If a C compiler is available, the same module can be written as a wrapper of C code. The C processes many
/// states in SIMD lanes. The build script compiles it with the crate `cc`:
///
/// ```text
/// let source = builder.write_c_to_out_dir()?;
/// cc::Build::new().file(source).opt_level(2).flags(dtau_generate::emit::c::FLAGS).flag("-march=native").compile("arm6");
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    model: Model,
    constraints: Option<Constraints>,
    requests: Vec<Request>,
    numbers: Numbers,
    rust: rust::Options,
    name: String,
    payloads: Vec<String>,
}

/// Reasons why code was not written.
#[derive(Debug)]
pub enum BuildError {
    /// The function is not in the library, or it was refused.
    Function(dtau::Error),
    /// The file could not be written. An existing file is unchanged.
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        cause: std::io::Error,
    },
    /// The request cannot be met.
    Request(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Function(cause) => write!(f, "{cause}"),
            BuildError::Write { path, cause } => write!(f, "{}: cannot be written: {cause}", path.display()),
            BuildError::Request(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<dtau::Error> for BuildError {
    fn from(cause: dtau::Error) -> Self {
        BuildError::Function(cause)
    }
}

impl Builder {
    /// Creates a builder for a robot, without functions.
    pub fn new(model: &Model) -> Self {
        Builder {
            model: model.clone(),
            constraints: None,
            requests: Vec::new(),
            numbers: Numbers::Table,
            rust: rust::Options::default(),
            name: identifier(model.name()),
            payloads: Vec::new(),
        }
    }

    /// Creates a builder for a robot under constraints, without functions. It also accepts functions that use
    /// the constraints.
    pub fn constrained(constraints: &Constraints) -> Self {
        Builder { constraints: Some(constraints.clone()), ..Self::new(constraints.model()) }
    }

    /// Adds a library function.
    ///
    /// # Errors
    /// Fails if the function is not in the library's list, needs a frame or constraints, or was requested before.
    pub fn function(self, name: &str) -> Result<Self, BuildError> {
        self.request(name.into(), name, &Parameters::default())
    }

    /// Adds a function of a frame. For the frame `gripper`, `frame_jacobian` is called
    /// `frame_jacobian_gripper` in the code.
    ///
    /// # Errors
    /// Same as [`function`](Builder::function). Also fails if the robot does not have the frame.
    pub fn function_of_frame(self, name: &str, frame: &str, axes: Reference) -> Result<Self, BuildError> {
        let given = Parameters { frame: Some(self.model.frame(frame)?), reference: Some(axes), way: None };
        self.request(format!("{name}_{}", identifier(frame)), name, &given)
    }

    fn request(mut self, name: String, function_name: &str, given: &Parameters) -> Result<Self, BuildError> {
        if self.requests.iter().any(|request| request.name == name) {
            return Err(BuildError::Request(format!("`{name}` is asked for twice; ask once")));
        }
        let declaration = function(function_name)?;
        if self.constraints.is_none() && declaration.parameters.contains(&Parameter::Constraints) {
            let why = format!("`{function_name}` acts on constraints; begin with Builder::constrained");
            return Err(BuildError::Request(why));
        }
        self.requests.push(Request { name, function: declaration.with(given)? });
        Ok(self)
    }

    /// Sets the name of the module. The default is the robot's name.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = identifier(name);
        self
    }

    /// Puts the robot's numbers into a table (the default) or into the code.
    #[must_use]
    pub fn numbers(mut self, numbers: Numbers) -> Self {
        self.numbers = numbers;
        self
    }

    /// Adds a link that can carry any payload. All inertial numbers of its body go into the table, where
    /// `add_payload` of the generated code changes them.
    ///
    /// # Errors
    /// Fails if the robot does not have the link.
    pub fn payload(mut self, link: &str) -> Result<Self, BuildError> {
        self.model.frame(link)?;
        self.payloads.push(link.into());
        Ok(self)
    }

    /// Sets the precision. The default is `f64`.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.rust.precision = precision;
        self
    }

    /// Sets the options for Rust.
    #[must_use]
    pub fn rust(mut self, options: rust::Options) -> Self {
        self.rust = options;
        self
    }

    /// Records the programs, with the loops that the target language supports.
    ///
    /// # Errors
    /// Same as the functions. Also fails if there is no function.
    pub fn module(&self, loops: Loops) -> Result<Module, BuildError> {
        if self.requests.is_empty() {
            return Err(BuildError::Request("no function was asked for; ask for one, such as `rnea`".into()));
        }
        if !self.payloads.is_empty() && self.numbers == Numbers::Baked {
            return Err(BuildError::Request("payloads need the robot's numbers in a table, and they are baked".into()));
        }
        let payloads: Vec<&str> = self.payloads.iter().map(String::as_str).collect();
        let of = Subject { model: &self.model, constraints: self.constraints.as_ref() };
        let options = RecordOptions { numbers: self.numbers, loops, payloads: &payloads, ..RecordOptions::default() };
        let mut module = Module::record(of, &self.requests, options)?;
        module.robot.clone_from(&self.name);
        Ok(module)
    }

    /// Returns the code as Rust.
    ///
    /// # Errors
    /// Same as [`module`](Builder::module).
    pub fn to_rust(&self) -> Result<String, BuildError> {
        Ok(rust::write(&self.module(Loops::Products)?, self.rust))
    }

    /// Writes the code as Rust. A file with the same content is not written again, so nothing is recompiled.
    ///
    /// # Errors
    /// Same as [`module`](Builder::module), and errors of the operating system.
    pub fn write_rust(&self, path: impl AsRef<Path>) -> Result<(), BuildError> {
        write_whole(path.as_ref(), &self.to_rust()?)
    }

    /// Writes the code as Rust to `$OUT_DIR/NAME.rs`, for a build script. Returns the path.
    ///
    /// # Errors
    /// Same as [`write_rust`](Builder::write_rust). Also fails outside a build script.
    pub fn write_rust_to_out_dir(&self) -> Result<PathBuf, BuildError> {
        let path = out_dir("write_rust")?.join(format!("{}.rs", self.name));
        self.write_rust(&path)?;
        Ok(path)
    }

    /// Writes the code as C, and a Rust module that calls it: `NAME.c`, `NAME.h` and `NAME.rs` in a folder.
    /// Returns the C file, which the build script compiles. Of the Rust options, only the precision is used.
    ///
    /// # Errors
    /// Same as [`module`](Builder::module), and errors of the operating system.
    pub fn write_c(&self, folder: impl AsRef<Path>) -> Result<PathBuf, BuildError> {
        let module = self.module(Loops::Kernels)?;
        // Large results are computed one state at a time, which needs no stack.
        let lanes = module.programs.iter().all(|program| c::on_stack(program).four <= c::MOST_ON_STACK);
        let style = Style::new(self.rust.precision, lanes);
        let files = c::write(&module, style);
        let path = |extension: &str| folder.as_ref().join(format!("{}.{extension}", self.name));
        write_whole(&path("rs"), &rust::around_c(&module, style, &files.prefix))?;
        write_whole(&path("h"), &files.header)?;
        write_whole(&path("c"), &files.source)?;
        Ok(path("c"))
    }

    /// Writes the code as C, and a Rust module that calls it, to `$OUT_DIR`, for a build script. Returns the C file.
    ///
    /// # Errors
    /// Same as [`write_c`](Builder::write_c). Also fails outside a build script.
    pub fn write_c_to_out_dir(&self) -> Result<PathBuf, BuildError> {
        self.write_c(out_dir("write_c")?)
    }
}

/// Returns the output folder of a build script.
fn out_dir(otherwise: &str) -> Result<PathBuf, BuildError> {
    std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
        BuildError::Request(format!("OUT_DIR is not set; call this from a build script, or `{otherwise}`"))
    })
}

/// Writes a file completely or not at all: writes a temporary file beside it, then renames it.
fn write_whole(path: &Path, text: &str) -> Result<(), BuildError> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    let result = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    result.map_err(|cause| {
        let _ = std::fs::remove_file(&beside); // the file may not exist
        BuildError::Write { path: path.into(), cause }
    })
}
