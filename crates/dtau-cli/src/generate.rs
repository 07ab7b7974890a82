//! `dtau generate`: code for one robot.

use crate::args::{GenerateArgs, Language, ParamsArg, PrecisionArg};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Align, Cell, Table};
use crate::{constraints, files, robot};
use dtau::model::{Constant, FrameId, Model};
use dtau::{Declaration, Parameter, Parameters};
use dtau_generate::emit::c::{self, Precision, Style, Width};
use dtau_generate::emit::{casadi, identifier, rust};
use dtau_generate::{Loops, Module, Numbers, RecordOptions, Request, Subject};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Approximate time of an operation in ns: the median over rnea, aba, crba, minverse and the derivatives of
/// arm6, one state, gcc -O2 -march=native on a Zen 4; it was 0.23 to 0.28.
const NANOSECONDS: f64 = 0.25;

pub fn run(args: &GenerateArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    check(args)?;
    let model = without_effects(&robot::load(&args.robot)?, args);
    let held = args.constraints.as_deref().map(|path| constraints::read(path, &model)).transpose()?;
    let asked = requests(&model, args)?;
    let requests = match args.lang {
        Language::Casadi => casadi::requests(&model, &asked).map_err(|refusal| Failure::input(refusal.to_string()))?,
        _ => asked,
    };
    let payloads: Vec<&str> = args.payloads.iter().map(String::as_str).collect();
    files::require_writable_directory(&args.out)?;
    let numbers = match args.params {
        ParamsArg::Table => Numbers::Table,
        ParamsArg::Baked => Numbers::Baked,
    };
    let progress = RefCell::new(Progress::new(requests.len() as f64));
    let loops = if args.lang == Language::C { Loops::Kernels } else { Loops::Products };
    let of = Subject { model: &model, constraints: held.as_ref() };
    let watch = |name: &str| {
        let mut progress = progress.borrow_mut();
        progress.at(name);
        progress.advance(1.0);
    };
    let module = Module::record(of, &requests, RecordOptions { numbers, loops, payloads: &payloads, watch: &watch });
    progress.borrow_mut().end();
    let module = module?;
    let written = write(&module, args);
    let all: Vec<(&Path, &[u8])> = written.iter().map(|(path, text)| (path.as_path(), text.as_bytes())).collect();
    files::write_all(&all)?;
    report(&module, &written, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Checks for options that cannot be combined.
fn check(args: &GenerateArgs) -> Result<(), Failure> {
    let eight = args.lanes.as_deref() == Some("8");
    if eight && args.precision == PrecisionArg::F64 {
        let why = "eight doubles take two registers a number, and leave too few";
        return Err(Failure::input(format!("--lanes 8 is for --precision f32: {why}; give --lanes 4")));
    }
    if args.lang == Language::Casadi && (args.precision == PrecisionArg::F32 || args.lanes.is_some()) {
        return Err(Failure::input("CasADi computes in f64, one state a call; leave out --precision and --lanes"));
    }
    if args.lang == Language::Rust && args.lanes.is_some() {
        return Err(Failure::input(
            "Rust goes state by state; for states side by side give --lang c, or leave out --lanes",
        ));
    }
    if !args.payloads.is_empty() && args.params == ParamsArg::Baked {
        return Err(Failure::input("--payload needs the robot's numbers in a table; leave out --params baked"));
    }
    Ok(())
}

/// The robot without the joint effects that are switched off.
fn without_effects(model: &Model, args: &GenerateArgs) -> Model {
    let of = &args.robot.model;
    if !(of.no_armature || of.no_damping || of.no_friction) {
        return model.clone();
    }
    model.map_constants(|which, x| match which {
        Constant::Armature(_) if of.no_armature => 0.0,
        Constant::Damping(_) if of.no_damping => 0.0,
        Constant::Friction(_) if of.no_friction => 0.0,
        _ => x,
    })
}

/// One request for each function, and for each frame of a function of frames.
fn requests(model: &Model, args: &GenerateArgs) -> Result<Vec<Request>, Failure> {
    let mut frames: Vec<(String, FrameId)> = Vec::new();
    for name in &args.frames {
        frames.push((name.clone(), model.frame(name)?));
    }
    for link in &args.payloads {
        model.frame(link)?;
    }
    let with = |function: &Declaration, frame: Option<FrameId>| {
        function.with(&Parameters { frame, reference: Some(args.reference.into()), way: None })
    };
    let mut all: Vec<Request> = Vec::new();
    let mut add = |name: String, function| {
        let taken = |name: &str, all: &[Request]| all.iter().any(|other| identifier(&other.name) == identifier(name));
        if !taken(&name, &all) {
            all.push(Request { name, function });
        }
    };
    for function in &args.what {
        if function.parameters.contains(&Parameter::Constraints) && args.constraints.is_none() {
            let name = function.name;
            return Err(Failure::input(format!("{name} acts on constraints; give a file of them with --constraints")));
        }
        if !function.parameters.contains(&Parameter::Frame) {
            add(function.name.into(), with(function, None)?);
            continue;
        }
        if frames.is_empty() {
            return Err(Failure::input(format!("{} is a function of a frame; name some with --frame", function.name)));
        }
        for (name, frame) in &frames {
            add(format!("{}_{}", function.name, identifier(name)), with(function, Some(*frame))?);
        }
    }
    Ok(all)
}

/// The files, not yet written.
fn write(module: &Module, args: &GenerateArgs) -> Vec<(PathBuf, String)> {
    let precision = match args.precision {
        PrecisionArg::F64 => Precision::F64,
        PrecisionArg::F32 => Precision::F32,
    };
    let side_by_side = args.lanes.as_deref().map(|n| if n == "8" { Width::Eight } else { Width::Four });
    let style = Style { precision, side_by_side };
    let at = |name: String| args.out.join(name);
    match args.lang {
        Language::C => {
            let files = c::write(module, style);
            let prefix = &files.prefix;
            vec![(at(format!("{prefix}.h")), files.header), (at(format!("{prefix}.c")), files.source)]
        }
        Language::Casadi => {
            let files = casadi::write(module);
            vec![(at(format!("{}.c", files.prefix)), files.source)]
        }
        Language::Rust => {
            let options = rust::Options { precision, ..rust::Options::default() };
            vec![(at(format!("{}.rs", identifier(&module.robot))), rust::write(module, options))]
        }
    }
}

fn report(module: &Module, written: &[(PathBuf, String)], out: &mut impl Write) -> Result<(), Failure> {
    let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right]);
    table.head(["function", "operations", "in the library", "a call, about"]);
    for program in &module.programs {
        let one = program.for_one_state();
        let operations = one.operations() + one.operations_of_loops();
        table.row([
            Cell::new(program.name.clone()).bold(),
            Cell::new(operations.to_string()),
            Cell::new(program.operations_of_library.to_string()),
            Cell::new(format!("{:.0} ns", NANOSECONDS * operations as f64)),
        ]);
    }
    table.write(out)?;
    writeln!(out)?;
    for program in module.programs.iter().filter(|program| !program.pays()) {
        writeln!(
            out,
            "{}: for a robot of this size the library's loops are about as fast or faster, of one state or of many\n",
            program.name
        )?;
    }
    for (path, text) in written {
        writeln!(out, "{}: {} bytes", path.display(), text.len())?;
    }
    if module.numbers == Numbers::Table {
        writeln!(
            out,
            "{} numbers of the robot{} in the table, fingerprint {:016x}",
            module.table.len(),
            if module.constraints.is_some() { " and its constraints" } else { "" },
            module.fingerprint
        )?;
    }
    writeln!(
        out,
        "times are estimated: {NANOSECONDS} ns an operation, one state, optimised for a desktop CPU of today"
    )?;
    Ok(())
}
