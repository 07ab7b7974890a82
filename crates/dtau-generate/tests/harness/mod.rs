//! A C program that compares generated code with the library. A file next to it has inputs and the library's results.
//!
//! ```text
//! arm6.h, arm6.c     the generated code
//! check.c, data.bin  for every function and state: inputs, the library's results
//! twice.bin          the same where multiply-adds round twice, as on a CPU without them; programs without products, f64
//! ```

#![allow(dead_code)] // each test uses only a part

use dtau::model::Model;
use dtau::scalar::Real;
use dtau::{Declaration, Function, Parameter, Parameters, Random, Reference, Scene, Size, Workspace, functions};
use dtau_generate::emit::c::{self, Precision, Style, Width};
use dtau_generate::emit::identifier;
use dtau_generate::program::{Op, Program};
use dtau_generate::{Loops, Module, RecordOptions, Request};
use std::fmt::Write;
use std::path::Path;

/// True if generated code is useful: complete tensors have nv³ numbers, longer straight-line code than any
/// cache holds.
fn is_of_use(f: &Declaration) -> bool {
    !f.outputs.iter().any(|arg| matches!(arg.size, Size::Cube | Size::SymmetricCube))
}

/// Returns every function in `names`, or all useful ones. Functions of frames get the last frame.
pub fn requests(model: &Model, names: &[&str]) -> Vec<Request> {
    let frame = model.frame_ids().last();
    let given = Parameters { frame, reference: Some(Reference::LocalWorldAligned), way: None };
    // Constraints are not part of a robot.
    let is_free = |f: &Declaration| !f.parameters.contains(&Parameter::Constraints);
    let all = functions().iter();
    let wanted = all.filter(|f| if names.is_empty() { is_free(f) && is_of_use(f) } else { names.contains(&f.name) });
    let made = wanted.map(|f| {
        let of_frame = f.parameters.contains(&Parameter::Frame);
        let name = match frame {
            Some(frame) if of_frame => format!("{}_{}", f.name, model.frame_info(frame).name),
            _ => f.name.into(),
        };
        Request { name, function: f.with(&given).unwrap() }
    });
    made.collect()
}

/// Options with kernels wherever possible.
pub fn by_kernels() -> RecordOptions<'static> {
    RecordOptions { loops: Loops::AllKernels, ..RecordOptions::default() }
}

/// Options with payloads on the tool of an arm.
pub fn for_payloads() -> RecordOptions<'static> {
    RecordOptions { payloads: &["tool0"], ..RecordOptions::default() }
}

/// Writes the code, and the program that checks it, into a directory.
pub fn write(module: &Module, style: Style, to: &Path) {
    let files = c::write(module, style);
    std::fs::create_dir_all(to).unwrap();
    std::fs::write(to.join(format!("{}.h", files.prefix)), &files.header).unwrap();
    std::fs::write(to.join(format!("{}.c", files.prefix)), &files.source).unwrap();
    let width = match style.side_by_side {
        None => 0,
        Some(Width::Four) => 4,
        Some(Width::Eight) => 8,
    };
    let states = 2 * width + 3; // two times side by side, some left over
    let (mut data, mut twice): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    let table = module.own_table();
    for (program, function) in module.programs.iter().zip(&module.functions) {
        let random = &mut Random::seeded(program.name.len() as u64);
        for _ in 0..states {
            let x = inputs(&module.model, program, random, style.precision);
            let y = match style.precision {
                Precision::F64 => library::<f64>(module, function, program, &x),
                Precision::F32 => library::<f32>(module, function, program, &x),
            };
            x.iter().chain(&y).flatten().for_each(|&x| data.extend(x.to_le_bytes()));
            let y = rounding_twice(program, &table, &x);
            x.iter().chain(&y).flatten().for_each(|&x| twice.extend(x.to_le_bytes()));
        }
    }
    std::fs::write(to.join("data.bin"), data).unwrap();
    std::fs::write(to.join("twice.bin"), twice).unwrap();
    std::fs::write(to.join("check.c"), program(module, style, &files.prefix, states, width)).unwrap();
}

/// Returns numbers for the inputs of a program.
pub fn inputs(model: &Model, program: &Program, random: &mut Random, precision: Precision) -> Vec<Vec<f64>> {
    let rounded = |x: f64| if precision == Precision::F32 { f64::from(x as f32) } else { x };
    let array = |name: &str, len: usize, random: &mut Random| -> Vec<f64> {
        match name.starts_with('q') && len == model.nq() && name != "qdd" {
            true => model.random_configuration(random),
            false => (0..len).map(|_| random.within(-1.0, 1.0)).collect(),
        }
    };
    let all = program.inputs.iter().map(|a| array(a.name, a.len(), random).into_iter().map(rounded).collect());
    all.collect()
}

/// Returns the library's results in a scalar type.
pub fn library<T: Real + Into<f64>>(
    module: &Module,
    function: &Function,
    program: &Program,
    x: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let x: Vec<Vec<T>> = x.iter().map(|x| x.iter().map(|&x| T::from_f64(x)).collect()).collect();
    let x: Vec<&[T]> = x.iter().map(Vec::as_slice).collect();
    let mut y: Vec<Vec<T>> = program.outputs.iter().map(|a| vec![T::zero(); a.len()]).collect();
    let mut to: Vec<&mut [T]> = y.iter_mut().map(Vec::as_mut_slice).collect();
    let (model, scene) = (&module.model, Scene::<T>::from(&module.model));
    let scene = module.constraints.as_ref().map_or(scene, |set| scene.constraints(set));
    function.call(scene, &mut Workspace::new(model), &x, &mut to).unwrap();
    y.into_iter().map(|y| y.into_iter().map(Into::into).collect()).collect()
}

/// Returns the results of a program if multiply-adds round twice, with the library's plain `f64`.
fn rounding_twice(program: &Program, table: &[f64], x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut v: Vec<f64> = Vec::with_capacity(program.values.len());
    for op in &program.values {
        let at = |value: u32| v[value as usize];
        let y = match *op {
            Op::Parameter(p) => table[p as usize],
            Op::Input(array, k) => match x.get(array as usize) {
                Some(x) => x[k as usize],
                None => at(program.results[program.outputs.len()][k as usize]), // of the scratch
            },
            ref op => op.compute(at).unwrap_or(f64::NAN), // limbs side by side do not occur in these robots
        };
        v.push(y);
    }
    program.results.iter().map(|y| y.iter().map(|&value| v[value as usize]).collect()).collect()
}

/// True if a state has the library's bits when multiply-adds round once: no sum was reordered, and no C
/// library function replaces one of the library's.
fn exact(program: &Program) -> bool {
    program.products.is_empty() && !program.values.iter().any(|op| matches!(op, Op::Atan2(..)))
}

fn program(module: &Module, style: Style, prefix: &str, states: usize, width: usize) -> String {
    let table = if module.table.is_empty() { String::new() } else { format!("{prefix}_table, ") };
    let mut text =
        format!("#include \"{prefix}.h\"\ntypedef {} real;\n#define STATES {states}\n", style.precision.real());
    let _ = writeln!(text, "#define WIDTH {width}\n{}", include_str!("check.c"));
    let (mut calls, mut rows) = (String::new(), String::new());
    for program in &module.programs {
        let name = identifier(&program.name);
        let (n, m) = (program.inputs.len(), program.outputs.len());
        let arguments = (0..n).map(|k| format!("x[{k}]")).chain((0..m).map(|k| format!("y[{k}]")));
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let call = |kind: &str, count: &str| {
            format!(
                "static int {kind}_{name}(real **x, real **y) {{ return {prefix}_{name}{count}{table}{arguments}); }}\n"
            )
        };
        calls += &call("one", "(");
        if width > 0 {
            calls += &call("side", &format!("_x{width}("));
            calls += &call("many", "_many(STATES, ");
        }
        let shapes = |arrays: &[dtau_generate::program::Array]| {
            let all = arrays.iter().map(|a| format!("{{{}, {}}}", a.shape.0, a.shape.1));
            format!("{{{}}}", all.collect::<Vec<_>>().join(", "))
        };
        let (side, many) =
            if width > 0 { (format!("side_{name}"), format!("many_{name}")) } else { ("0".into(), "0".into()) };
        let exact = u8::from(exact(program));
        let _ = writeln!(
            rows,
            "    {{\"{name}\", {n}, {m}, {}, {}, one_{name}, {side}, {many}, {exact}}},",
            shapes(&program.inputs),
            shapes(&program.outputs)
        );
    }
    text + &calls + "static const struct function functions[] = {\n" + &rows + "};\n" + MAIN
}

const MAIN: &str = "
int main(int argc, char **argv)
{
    return check(functions, sizeof functions / sizeof functions[0], argc, argv);
}
";
