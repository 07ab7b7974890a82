//! Writes Rust: one module in one file, `no_std`, no allocation, no dependencies except `libm` if requested.
//!
//! ```text
//! arm6::rnea(&arm6::TABLE, &q, &v, &a, &mut tau)?                        one state
//! arm6::rnea_many(&arm6::TABLE, states, &q, &v, &a, &mut tau)?           any number, state by state
//! ```
//!
//! The functions use scalars, one state at a time, with the same statements as in C (`c::Writer`). Only the C
//! code processes many states in SIMD lanes. [`around_c`] writes the same module as a wrapper of the C code.
//!
//! ```text
//! macro_rules! functions        all that is computed
//! mod plain, mod fused          the same, compiled twice: with multiply-adds that round twice, and once
//! pub fn rnea                   chooses, by what the CPU has
//! ```

mod payload;

use super::c::{Precision, Style, Writer};
use super::{Language, identifier};
use crate::module::Module;
use crate::program::{Array, Program};
use crate::record::Numbers;
use std::fmt::Write;

/// Options for writing Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Scalar type: `f64` or `f32`.
    pub precision: Precision,
    /// Source of square roots, arctangents and the sines of large angles.
    pub math: Math,
    /// Instruction sets.
    pub instructions: Instructions,
}

impl Default for Options {
    /// Double precision, `std`, instructions chosen at run time.
    fn default() -> Self {
        Options { precision: Precision::F64, math: Math::Std, instructions: Instructions::Chosen }
    }
}

/// Source of mathematical functions that `core` does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Math {
    /// The standard library, which also has fused multiply-add.
    Std,
    /// The crate `libm`, a dependency of the user's crate: `no_std`, without fused multiply-add.
    Libm,
    /// The standard library if the user's crate has this feature enabled, otherwise `libm`.
    Feature(&'static str),
}

/// Instruction sets of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// Chosen at run time, with the standard library: AVX2 and FMA on CPUs that have them. On 64-bit ARM,
    /// fused multiply-add. Elsewhere, baseline instructions.
    Chosen,
    /// Baseline instructions only. The code has no `unsafe`.
    Portable,
}

/// Writes a module.
///
/// # Panics
/// Panics if the module was recorded with kernels, which exist only in C.
pub fn write(module: &Module, options: Options) -> String {
    let (file, choice) = (File::new(module, options.precision), choice(options));
    let mut out = file.begin(
        choice.is_some(),
        match options.math {
            Math::Std => "Mathematics from the standard library.".into(),
            Math::Libm => "Mathematics from the crate `libm`; no_std.".into(),
            Math::Feature(name) => {
                format!("Mathematics from the standard library with the feature `{name}`, else from `libm`.")
            }
        },
    );
    out += &match &choice {
        Some(std) => include_str!("rust/text/choose.rs").replace("@STD@", std),
        None => ON_ANY_CPU.into(),
    };
    for program in &module.programs {
        file.public(program, None, &mut out);
    }
    file.list(&mut out);
    file.mathematics(options.math, &mut out);
    file.functions(&mut out);
    out.push_str(include_str!("rust/text/plain.rs"));
    if let Some(std) = &choice {
        out += &include_str!("rust/text/fused.rs").replace("@STD@", std);
    }
    out + "}\n"
}

const ON_ANY_CPU: &str = "
macro_rules! on_this_cpu {
    ($function:ident($($x:expr),*)) => { plain::$function($($x),*) };
}
";

/// Writes a module that calls generated C, written by [`c::write_named`](super::c::write_named) with this
/// style and prefix.
pub fn around_c(module: &Module, style: Style, prefix: &str) -> String {
    let file = File::new(module, style.precision);
    let mut out = file.begin(true, format!("The functions are in {prefix}.c, which is compiled beside this file."));
    out.push_str("unsafe extern \"C\" {\n");
    for program in &module.programs {
        let name = format!("{prefix}_{}", identifier(&program.name));
        let arrays = program.inputs.iter().map(|x| format!("{}: *const Real", x.name));
        let arrays: Vec<String> =
            arrays.chain(program.outputs.iter().map(|y| format!("{}: *mut Real", y.name))).collect();
        let all = file.with_table("table: *const Real", &arrays);
        let _ = writeln!(out, "    fn {name}({all}) -> core::ffi::c_int;");
        if style.side_by_side.is_some() {
            let _ = writeln!(out, "    fn {name}_many(states: usize, {all}) -> core::ffi::c_int;");
        }
    }
    out.push_str("}\n");
    for program in &module.programs {
        file.public(program, Some((prefix, style.side_by_side.is_some())), &mut out);
    }
    file.list(&mut out);
    out + "}\n"
}

/// File being written.
struct File<'a> {
    module: &'a Module,
    precision: Precision,
    real: &'static str,
}

impl<'a> File<'a> {
    fn new(module: &'a Module, precision: Precision) -> Self {
        let real = match precision {
            Precision::F64 => "f64",
            Precision::F32 => "f32",
        };
        Self { module, precision, real }
    }

    fn has_table(&self) -> bool {
        self.module.numbers == Numbers::Table
    }

    fn table(&self) -> String {
        format!("table: &[Real; {}]", self.module.table.len())
    }

    /// Joins parameters or arguments, after the table if there is one.
    fn with_table(&self, table: &str, others: &[String]) -> String {
        let table = self.has_table().then(|| table.to_string());
        table.into_iter().chain(others.iter().cloned()).collect::<Vec<_>>().join(", ")
    }

    /// Writes everything before the functions.
    fn begin(&self, is_unsafe: bool, how: String) -> String {
        let (module, real, mut out) = (self.module, self.real, String::new());
        // A name comes from data: it must not end the comment.
        let robot: String = module.robot.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let numbers = match module.numbers {
            Numbers::Table => "in TABLE, which may be another robot's of the same shape",
            Numbers::Baked => "in the code",
        };
        let _ = write!(
            out,
            "// Dynamics of the robot \"{robot}\", written by dtau {}; changes here are lost when it is written again.\n\
             // This file is yours: use it under any licence you like.\n\
             //\n\
             // Numbers: {real}. The robot's own: {numbers}.\n\
             // Arguments: q, v and so on by degrees of freedom in the robot's order; matrices by columns: m[rows * column + row].\n\
             //   function(…)          one state\n\
             //   function_many(…)     any number of states, one after the other: x[size * state + k]\n\
             // {how}\n\n\
             /// Dynamics of `{}`.\n\
             #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]\n{}\
             #[rustfmt::skip]\n\
             pub mod {} {{\n\n\
             /// A robot is served by this code if it has the same.\n\
             pub const FINGERPRINT: u64 = {:#018x};\n\
             type Real = {real};\n\n",
            env!("CARGO_PKG_VERSION"),
            robot.replace('`', "'"),
            if is_unsafe { "#[allow(unsafe_code)]\n" } else { "" },
            identifier(&module.robot),
            module.fingerprint,
        );
        if self.has_table() {
            let _ = writeln!(out, "/// The robot's numbers.\npub const TABLE: [{real}; {}] = [", module.table.len());
            for parameter in &module.table {
                let number = Language::Rust.number(parameter.value, self.precision);
                let _ = writeln!(out, "    {number}, // {:?}", parameter.constant);
            }
            out.push_str("];\n\n");
        }
        self.payload(&mut out);
        out + include_str!("rust/text/calls.rs")
    }

    /// Writes the public functions: for one state, for many states, with slices. `c` is the prefix of the C
    /// functions.
    fn public(&self, program: &Program, c: Option<(&str, bool)>, out: &mut String) {
        let (name, table) = (identifier(&program.name), self.table());
        let (inputs, outputs) = (&program.inputs, &program.outputs);
        let each = |of_input: &dyn Fn(&Array) -> String, of_output: &dyn Fn(&Array) -> String| -> Vec<String> {
            inputs.iter().map(of_input).chain(outputs.iter().map(of_output)).collect()
        };
        let shape = |a: &Array| match a.shape {
            (rows, 1) => format!("{} ({rows})", a.name),
            (rows, columns) => format!("{} ({rows} × {columns})", a.name),
        };
        let shapes = |arrays: &[Array]| arrays.iter().map(shape).collect::<Vec<_>>().join(", ");
        let plain = |a: &Array| a.name.to_string();
        let parameters = self.with_table(
            &table,
            &each(&|x| format!("{}: &[Real; {}]", x.name, x.len()), &|y| {
                format!("{}: &mut [Real; {}]", y.name, y.len())
            }),
        );
        let arguments = self.with_table("table", &each(&plain, &plain));
        let pointers = self.with_table(
            "table.as_ptr()",
            &each(&|x| format!("{}.as_ptr()", x.name), &|y| format!("{}.as_mut_ptr()", y.name)),
        );
        let good = match c {
            None => format!("on_this_cpu!({name}({arguments}))"),
            Some((prefix, _)) => format!(
                "// SAFETY: the arrays have the lengths that the C reads and writes.\n    \
                 unsafe {{ {prefix}_{name}({pointers}) == 0 }}"
            ),
        };
        let _ = write!(
            out,
            "\n/// `{}`: {} → {}.\npub fn {name}({parameters}) -> Result<(), Singular> {{\n    \
             let good = {{\n    {good}\n    }};\n    if good {{ Ok(()) }} else {{ Err(Singular) }}\n}}\n",
            program.name,
            shapes(inputs),
            shapes(outputs),
        );
        let (mut checks, mut at_once) = (String::new(), String::new());
        for array in inputs.iter().chain(outputs) {
            let _ = writeln!(checks, "    check({0:?}, {0}.len(), {1}, states)?;", array.name, array.len());
        }
        if let Some((prefix, true)) = c {
            at_once = format!(
                "    // SAFETY: the arrays have the lengths that the C reads and writes, for so many states.\n    \
                 if unsafe {{ {prefix}_{name}_many(states, {pointers}) }} == 0 {{\n        return Ok(());\n    }}\n"
            );
        }
        let of_many = each(&|x| format!("{}: &[Real]", x.name), &|y| format!("{}: &mut [Real]", y.name));
        let one = each(&|x| format!("state({}, k)", x.name), &|y| format!("state_mut({}, k)", y.name));
        let names = |arrays: &[Array]| arrays.iter().map(plain).collect::<Vec<_>>().join(", ");
        let after_table = |others: Vec<String>| self.with_table("table", &others);
        let mut many = each(&plain, &plain);
        many.insert(0, "states".into());
        let _ = write!(
            out,
            "\n/// [`{name}`] of any number of states.\n\
             pub fn {name}_many({}) -> Result<(), Error> {{\n{checks}{at_once}    \
             let mut first = None;\n    for k in 0..states {{\n        \
             if self::{name}({}).is_err() {{\n            first = first.or(Some(k));\n        }}\n    }}\n    \
             first.map_or(Ok(()), |state| Err(Error::Singular {{ state }}))\n}}\n\n\
             fn {name}_by_slices(table: &[Real], states: usize, x: &[&[Real]], y: &mut [&mut [Real]]) -> i32 {{\n    \
             let ([{}], [{}]) = (x, y) else {{ return -1 }};\n{}    code({name}_many({}))\n}}\n",
            self.with_table(&table, &[vec!["states: usize".into()], of_many].concat()),
            after_table(one),
            names(inputs),
            names(outputs),
            if self.has_table() { "    let Ok(table) = table.try_into() else { return -1 };\n" } else { "" },
            after_table(many),
        );
    }

    /// Writes the list of functions by name, for programs that choose at run time.
    fn list(&self, out: &mut String) {
        out.push_str(
            "\n/// A function over slices: the table, number of states, inputs, outputs, in the order of the function's own arguments.\n\
             /// 0 good, 1 a joint that nothing resists, -1 slices of the wrong number or lengths, with nothing computed.\n\
             pub type Call = fn(table: &[Real], states: usize, x: &[&[Real]], y: &mut [&mut [Real]]) -> i32;\n\n\
             /// All functions by name.\npub static FUNCTIONS: &[(&str, Call)] = &[\n",
        );
        for program in &self.module.programs {
            let name = identifier(&program.name);
            let _ = writeln!(out, "    ({name:?}, {name}_by_slices),");
        }
        out.push_str("];\n");
    }

    /// Writes the mathematical functions that `core` does not have.
    fn mathematics(&self, math: Math, out: &mut String) {
        out.push('\n');
        let suffix = if self.precision == Precision::F64 { "" } else { "f" };
        for (declaration, std, libm) in [
            ("r_sqrt(x: Real) -> Real", "x.sqrt()", format!("libm::sqrt{suffix}(x)")),
            ("r_atan2(y: Real, x: Real) -> Real", "y.atan2(x)", format!("libm::atan2{suffix}(y, x)")),
            ("sin_cos_of_large(x: f64) -> (f64, f64)", "x.sin_cos()", "libm::sincos(x)".into()),
        ] {
            let mut function = |cfg: &str, body: &str| {
                let _ = writeln!(out, "{cfg}#[inline]\nfn {declaration} {{\n    {body}\n}}");
            };
            match math {
                Math::Std => function("", std),
                Math::Libm => function("", &libm),
                Math::Feature(name) => {
                    function(&format!("#[cfg(feature = {name:?})]\n"), std);
                    function(&format!("#[cfg(not(feature = {name:?}))]\n"), &libm);
                }
            }
        }
    }

    /// Writes all computations, in one macro.
    fn functions(&self, out: &mut String) {
        out.push_str(
            "\n/// All that is computed, for one kind of CPU.\nmacro_rules! functions {\n($(#[$cpu:meta])*) => {\n",
        );
        out.push_str(include_str!("rust/text/numbers.rs"));
        for program in &self.module.programs {
            self.function(program, out);
        }
        out.push_str("};\n}\n\n");
    }

    /// Writes one function: sines first, then the blocks, then products. It returns true on success.
    fn function(&self, program: &'a Program, out: &mut String) {
        assert!(program.kernels.is_empty(), "{} was recorded with kernels, which are for C", program.name);
        let writer = Writer::in_rust(self.module, program, self.precision);
        let (plan, mut body) = (&writer.plan, String::new());
        for &value in &plan.before {
            writer.statement(value, &mut body);
        }
        let angles = plan.angles.len();
        for (k, &value) in plan.angles.iter().enumerate() {
            let _ = writeln!(body, "    (kept[{k}], kept[{}]) = r_sin_cos({});", angles + k, writer.read(value));
        }
        for (array, values) in program.outputs.iter().zip(&program.results) {
            writer.leaves(array, values, &mut body);
        }
        for (k, block) in plan.blocks.iter().enumerate() {
            let call = writer.block(&writer.name_of_block(k), block, out);
            let _ = writeln!(body, "    {call};");
        }
        for product in &program.products {
            let runs = product.rows.iter().map(|runs| {
                let runs: Vec<String> = runs.iter().map(|run| format!("({}, {})", run.start, run.end)).collect();
                format!("&[{}]", runs.join(", "))
            });
            let (n, runs) = (product.rows.len(), runs.collect::<Vec<_>>().join(", "));
            let [m, b, c] = [product.left, product.outputs[0], product.outputs[1]].map(|k| program.outputs[k].name);
            let _ = writeln!(body, "    product::<{n}>(&[{runs}], &{m}[..], &mut {b}[..], &mut {c}[..]);");
        }
        let inputs = program.inputs.iter().map(|x| format!("{}: &[Real; {}]", x.name, x.len()));
        let outputs = program.outputs.iter().map(|y| format!("{}: &mut [Real; {}]", y.name, y.len()));
        let arrays: Vec<String> = inputs.chain(outputs).collect();
        let _ = writeln!(
            out,
            "\n$(#[$cpu])*\npub(super) fn {}({}) -> bool {{\n    let kept = &mut [0.0; {}];\n    \
             let health = &mut [0.0; 1];\n{body}    health[0] >= 0.0\n}}",
            writer.name,
            self.with_table(&self.table(), &arrays),
            plan.slots
        );
    }
}

/// Returns the condition under which instructions are chosen at run time: the standard library has fused
/// multiply-add and detects CPU features.
fn choice(options: Options) -> Option<String> {
    match options.math {
        _ if options.instructions == Instructions::Portable => None,
        Math::Libm => None,
        Math::Std => Some(String::new()),
        Math::Feature(name) => Some(format!("feature = {name:?}, ")),
    }
}
