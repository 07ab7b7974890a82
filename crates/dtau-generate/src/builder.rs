//! From a robot to a file of code, in a few lines of a build script.

use crate::emit::{self, c::Precision, identifier, rust};
use crate::module::{Module, Request};
use crate::record::Numbers;
use crate::subject::Subject;
use dtau::model::Model;
use dtau::{Constraints, Parameter, Parameters, Reference, function};
use std::fmt;
use std::path::{Path, PathBuf};

/// What is generated for a robot.
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

/// Why code was not written.
#[derive(Debug)]
pub enum BuildError {
    /// A function that the library does not have, or refuses.
    Function(dtau::Error),
    /// A file that could not be written; whatever was there before is untouched.
    Write {
        /// Which.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// What was asked for cannot be written.
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
    /// Nothing yet, for a robot.
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

    /// Nothing yet, for a robot under constraints: also for functions that act on these.
    pub fn constrained(constraints: &Constraints) -> Self {
        Builder { constraints: Some(constraints.clone()), ..Self::new(constraints.model()) }
    }

    /// And a function of the library's list.
    ///
    /// # Errors
    /// A function that is not in the list, one that needs a frame or constraints, one that is asked for twice.
    pub fn function(self, name: &str) -> Result<Self, BuildError> {
        self.request(name.into(), name, &Parameters::default())
    }

    /// And a function of a frame, such as `frame_jacobian`, which is called `frame_jacobian_gripper` in the code.
    ///
    /// # Errors
    /// As [`function`](Builder::function), and a frame that the robot does not have.
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

    /// What the module is called, instead of the robot's name.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = identifier(name);
        self
    }

    /// Whether the robot's numbers stand in a table beside the code, as they do by default, or in it.
    #[must_use]
    pub fn numbers(mut self, numbers: Numbers) -> Self {
        self.numbers = numbers;
        self
    }

    /// And a link that may carry any payload: all inertial numbers of its body stand in the table, for `add_payload` of the code.
    ///
    /// # Errors
    /// A link that the robot does not have.
    pub fn payload(mut self, link: &str) -> Result<Self, BuildError> {
        self.model.frame(link)?;
        self.payloads.push(link.into());
        Ok(self)
    }

    /// `f64` by default.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.rust.precision = precision;
        self
    }

    /// How Rust is written.
    #[must_use]
    pub fn rust(mut self, options: rust::Options) -> Self {
        self.rust = options;
        self
    }

    /// The programs.
    ///
    /// # Errors
    /// As the functions; no function at all.
    pub fn module(&self) -> Result<Module, BuildError> {
        if self.requests.is_empty() {
            return Err(BuildError::Request("no function was asked for; ask for one, such as `rnea`".into()));
        }
        if !self.payloads.is_empty() && self.numbers == Numbers::Baked {
            return Err(BuildError::Request("payloads need the robot's numbers in a table, and they are baked".into()));
        }
        let links: Vec<&str> = self.payloads.iter().map(String::as_str).collect();
        let of = Subject { model: &self.model, constraints: self.constraints.as_ref() };
        let mut module = Module::record_for_payloads(of, &self.requests, self.numbers, &links)?;
        module.robot.clone_from(&self.name);
        Ok(module)
    }

    /// The code as Rust.
    ///
    /// # Errors
    /// As [`module`](Builder::module).
    pub fn to_rust(&self) -> Result<String, BuildError> {
        Ok(emit::rust::write(&self.module()?, self.rust))
    }

    /// Writes it; a file that is the same already is left alone, so that nothing is compiled again.
    ///
    /// # Errors
    /// As [`module`](Builder::module), and what the system says.
    pub fn write_rust(&self, path: impl AsRef<Path>) -> Result<(), BuildError> {
        write_whole(path.as_ref(), &self.to_rust()?)
    }

    /// Writes it as `$OUT_DIR/NAME.rs`, for a build script; returns where.
    ///
    /// # Errors
    /// As [`write_rust`](Builder::write_rust); not in a build script.
    pub fn write_rust_to_out_dir(&self) -> Result<PathBuf, BuildError> {
        let directory = std::env::var_os("OUT_DIR").ok_or_else(|| {
            BuildError::Request("OUT_DIR is not set; call this from a build script, or `write_rust`".into())
        })?;
        let path = Path::new(&directory).join(format!("{}.rs", self.name));
        self.write_rust(&path)?;
        Ok(path)
    }
}

/// All of a file or nothing: beside it first, then in its place.
fn write_whole(path: &Path, text: &str) -> Result<(), BuildError> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    let result = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    result.map_err(|cause| {
        let _ = std::fs::remove_file(&beside); // perhaps there is none
        BuildError::Write { path: path.into(), cause }
    })
}
