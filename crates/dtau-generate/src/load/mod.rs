//! Compiles generated C on this machine and loads it as code for [`dtau::Compiled`].
//!
//! ```no_run
//! use dtau::model::{Model, Options};
//! use dtau::{Compiled, Parameters, function, rnea};
//! use dtau_generate::load::{Build, code};
//!
//! let model = Model::bundled("arm6", &Options::default())?;
//! let functions = [function("rnea")?.with(&Parameters::default())?];
//! let mut fast = Compiled::new(&model, &code(&model, &functions, &Build::default())?)?;
//! let (q, v, a, mut tau) = ([0.1; 6], [0.2; 6], [0.0; 6], [0.0; 6]);
//! rnea(&model, &mut fast, &q, &v, &a, &mut tau)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | step | where |
//! | --- | --- |
//! | record a function, and write it as C without the robot's numbers | here |
//! | compile it with the C compiler of this machine | `compiler` |
//! | cache the library under a hash of all its inputs | `cache` |
//! | load it | `library`, which every call goes through |
//!
//! Every function is a library of its own. Functions are compiled in parallel and reused in other combinations.
//! Libraries do not contain the robot's numbers, so robots that differ only in numbers share them.

mod cache;
mod compiler;
mod library;

use crate::emit::c::{self, Precision, Style};
use crate::module::{Module, Request};
use crate::program::Array;
use crate::record::{Loops, RecordOptions};
use crate::subject::Subject;
use cache::Cache;
use compiler::Compiler;
use core::fmt;
use dtau::model::Constant;
use dtau::{Code, Function};
use library::{Library, Sizes};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Options for compiling, and the cache folder.
#[derive(Clone, Debug)]
pub struct Build {
    /// C compiler, with optional flags. Default: `$CC`, or the first available of `cc`, `gcc` and `clang`.
    pub compiler: Option<String>,
    /// Cache folder. Default: `$DTAU_CACHE`, `$XDG_CACHE_HOME/dtau` or `~/.cache/dtau`.
    pub cache: Option<PathBuf>,
    /// Time limit of the compiler, for one function.
    pub deadline: Duration,
}

impl Default for Build {
    fn default() -> Self {
        Self { compiler: None, cache: None, deadline: Duration::from_secs(300) }
    }
}

/// Reasons why there is no code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The function does not fit the robot.
    Function(dtau::Error),
    /// The function is too large for this robot.
    TooLarge(String),
    /// There is no C compiler, or it failed.
    Compiler(String),
    /// Files cannot be written or loaded.
    Files(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Function(error) => error.fmt(f),
            Error::TooLarge(message) | Error::Compiler(message) | Error::Files(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<dtau::Error> for Error {
    fn from(error: dtau::Error) -> Self {
        Error::Function(error)
    }
}

/// Returns code for functions of a robot, or of one under constraints (`code(&feet, …)`). It comes from the
/// cache, or is compiled, with one compiler per core.
///
/// Some functions stay with the library, because their generated code would be so long that the library's loops
/// are faster ([`Program::pays`](crate::Program::pays)). [`Code::covers`] tells which functions have code.
///
/// Numbers of the robot very close to 0 or ±1 are set to it, see [`snapped`](crate::structure::snapped).
///
/// # Errors
/// Fails if a function has a frame of another model, if there is no C compiler, if it fails or times out, or
/// if the cache cannot be written.
pub fn code<'a>(of: impl Into<Subject<'a>>, functions: &[Function], build: &Build) -> Result<Code, Error> {
    let of: Subject<'_> = of.into();
    let mut code = Code::new(of.model);
    for Made { function, table, library, sizes } in make_all(of, functions, build)? {
        let routine = library.into_routine(sizes);
        code = match of.constraints {
            Some(constraints) => code.with_constraints(constraints, function, &table, routine),
            None => code.with(function, &table, routine),
        };
    }
    Ok(code)
}

/// Loaded function with its table.
struct Made {
    function: Function,
    table: Vec<(Constant, f64)>,
    library: Library,
    sizes: Sizes,
}

/// Compiles and loads all functions, except those left to the library.
fn make_all(of: Subject<'_>, functions: &[Function], build: &Build) -> Result<Vec<Made>, Error> {
    let mut wanted: Vec<Function> = Vec::new();
    for function in functions {
        if !wanted.contains(function) {
            wanted.push(*function);
        }
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let (compiler, cache) = (Compiler::find(build)?, Cache::of(build)?);
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(function) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let one = make(of, function, &compiler, &cache);
            made.lock().unwrap_or_else(PoisonError::into_inner).push(one);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(wanted.len());
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.into_iter().filter_map(Result::transpose).collect()
}

/// Compiles and loads one function. `None` if the library is faster.
fn make(of: Subject<'_>, function: &Function, compiler: &Compiler, cache: &Cache) -> Result<Option<Made>, Error> {
    let request = Request { name: "f".into(), function: *function };
    let options = RecordOptions { loops: Loops::Kernels, ..RecordOptions::default() };
    let mut module = Module::record(of, &[request], options)?;
    if !module.programs[0].pays() {
        return Ok(None);
    }
    let table: Vec<_> = module.table.iter().map(|parameter| (parameter.constant, parameter.value)).collect();
    let of = |arrays: &[Array]| arrays.iter().map(|array| array.len()).collect();
    let Some(sizes) = Sizes::new(table.len(), of(&module.programs[0].inputs), of(&module.programs[0].outputs)) else {
        return Ok(None);
    };
    // The code contains neither the robot's name nor its numbers.
    module.robot = "robot".into();
    module.table.iter_mut().for_each(|parameter| parameter.value = 0.0);
    let source = source(&module, function)?;
    let library = cache.library(&source, compiler)?;
    Ok(Some(Made { function: *function, table, library, sizes }))
}

/// Limit of degrees of freedom for products as loops, whose columns are on the stack.
const MOST_IN_PRODUCTS: usize = 256;

/// Returns the complete C source. The entry point has the same name for every function.
fn source(module: &Module, function: &Function) -> Result<String, Error> {
    let program = &module.programs[0];
    let name = function.declaration().name;
    if let Some(product) = program.products.iter().find(|product| product.rows.len() > MOST_IN_PRODUCTS) {
        let dofs = product.rows.len();
        return Err(Error::TooLarge(format!(
            "{name} is not compiled for robots of {dofs} degrees of freedom; the most is {MOST_IN_PRODUCTS}"
        )));
    }
    let on_stack = c::on_stack(program);
    if on_stack.one > c::MOST_ON_STACK {
        let kept = on_stack.one / 8;
        return Err(Error::TooLarge(format!(
            "{name} is not compiled for this robot: it keeps {kept} numbers at a time, more than the stack of a thread may hold"
        )));
    }
    // Large results are computed one state at a time. That needs no stack, and unpacking would cost as much
    // time as lanes save.
    let lanes = on_stack.four <= c::MOST_ON_STACK;
    let unit = c::unit(module, Style::new(Precision::F64, lanes), &module.robot);
    let called = format!("{}_{}", unit.prefix, program.name);
    let mut source = unit.into_one();
    let arrays = |step: &str| {
        let inputs = program.inputs.iter().enumerate().map(|(k, array)| (format!("x[{k}]"), array.len()));
        let outputs = program.outputs.iter().enumerate().map(|(k, array)| (format!("y[{k}]"), array.len()));
        let each = inputs.chain(outputs).map(|(name, size)| match step {
            "" => name,
            _ => format!("{name} + {step} * {size}"),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    source += "\nint dtau_entry(size_t states, const double *table, const double *const *x, double *const *y)\n{\n";
    source += &match lanes {
        true => format!("    return {called}_many(states, table, {});\n}}\n", arrays("")),
        false => format!(
            "    int status = 0;\n    for (size_t s = 0; s < states; s++) status |= {called}(table, {});\n    return status;\n}}\n",
            arrays("s")
        ),
    };
    Ok(source)
}

impl Cache {
    /// Returns the library of a C source: from the cache if it is intact, otherwise compiled.
    fn library(&self, source: &str, compiler: &Compiler) -> Result<Library, Error> {
        let key = cache::Key::of(&[source, compiler.knows(), &compiler.command()]);
        while let Some(file) = self.find(&key) {
            match Library::open(&file) {
                Ok(library) => return Ok(library),
                Err(_) => self.forget(&file)?,
            }
        }
        let file = self.put(&key, |folder| compiler.compile(source, folder))?;
        Library::open(&file).map_err(|why| {
            let file = file.display();
            Error::Files(format!("{file} was compiled but cannot be loaded: {why}; DTAU_CACHE may name another folder"))
        })
    }
}
