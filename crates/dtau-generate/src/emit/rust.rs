//! Rust: one module in one file, `no_std`, no allocation, no dependencies but perhaps `libm`.
//!
//! ```text
//! arm6::rnea(&arm6::TABLE, &q, &v, &a, &mut tau)?                        one state
//! arm6::rnea_x4(…)                                                       four, lane by lane: x[k][state]
//! arm6::rnea_many(&arm6::TABLE, states, &q, &v, &a, &mut tau)?           any number, state by state
//! ```
//!
//! A function is written once, generic over the numbers it computes with (`text/`), and entered in up to three ways: on
//! plain numbers, on numbers with fused multiply-add, on registers of several states.

mod computation;
mod function;
mod looped;
mod payload;
mod prelude;

use super::c::Precision;
use super::identifier;
use crate::module::Module;
use crate::record::Numbers;
use function::Writer;
use std::fmt::Write;

/// How Rust is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `f64`, or `f32`.
    pub precision: Precision,
    /// Whether many states go side by side through registers; without, they go one by one, and there is a third less to compile.
    pub lanes: bool,
    /// Where square roots, arcus tangents and the sines of large angles come from.
    pub math: Math,
    /// Which instructions.
    pub instructions: Instructions,
}

impl Default for Options {
    /// Double precision, lanes, `std`, instructions chosen at run time.
    fn default() -> Self {
        Options { precision: Precision::F64, lanes: true, math: Math::Std, instructions: Instructions::Chosen }
    }
}

/// Where the code takes the mathematics from that `core` does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Math {
    /// The standard library, which is also asked what the CPU can do.
    Std,
    /// The crate `libm`, which the user's crate depends on: `no_std`. AVX2 and FMA are used where the compiler was told to.
    Libm,
    /// The standard library with this feature of the user's crate, `libm` without.
    Feature(&'static str),
}

/// Which instructions the code uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// AVX2 and FMA on a CPU that has them, fused multiply-add on 64-bit ARM, plain ones elsewhere.
    Chosen,
    /// Plain ones; the code has no `unsafe`.
    Portable,
}

/// Writes a module.
pub fn write(module: &Module, options: Options) -> String {
    let file = File { module, options, real: real(options.precision), lanes: lanes(options.precision) };
    let mut out = String::new();
    file.header(&mut out);
    file.constants(&mut out);
    file.payload(&mut out);
    file.entry(&mut out);
    let functions: Vec<Writer<'_>> = module.programs.iter().map(|program| Writer::new(&file, program)).collect();
    for function in &functions {
        function.public(&mut out);
    }
    file.list(&functions, &mut out);
    for function in &functions {
        function.body(&mut out);
    }
    file.prelude(&mut out);
    out.push_str("}\n");
    out
}

fn real(precision: Precision) -> &'static str {
    match precision {
        Precision::F64 => "f64",
        Precision::F32 => "f32",
    }
}

fn lanes(precision: Precision) -> usize {
    match precision {
        Precision::F64 => 4,
        Precision::F32 => 8,
    }
}

/// What all functions of a file have in common.
struct File<'a> {
    module: &'a Module,
    options: Options,
    real: &'static str,
    lanes: usize,
}

/// What only x86-64 compiles.
const X86: &str = "#[cfg(target_arch = \"x86_64\")]\n";

impl File<'_> {
    fn has_table(&self) -> bool {
        self.module.numbers == Numbers::Table
    }

    fn chooses(&self) -> bool {
        self.options.instructions == Instructions::Chosen
    }

    fn number(&self, x: f64) -> String {
        match self.options.precision {
            Precision::F64 => format!("{x:?}"),
            Precision::F32 => format!("{:?}", x as f32),
        }
    }

    fn header(&self, out: &mut String) {
        let (module, real) = (self.module, self.real);
        // A name is data: it must not end the comment.
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
             //   function_x{}(…)       {} states side by side: x[k][state]\n\
             //   function_many(…)     any number of states, one after the other: x[size * state + k]\n\
             // {}\n\
             // {}\n",
            env!("CARGO_PKG_VERSION"),
            self.lanes,
            self.lanes,
            match self.options.math {
                Math::Std => "Mathematics from the standard library.".to_string(),
                Math::Libm => "Mathematics from the crate `libm`; no_std.".to_string(),
                Math::Feature(name) =>
                    format!("Mathematics from the standard library with the feature `{name}`, else from `libm`."),
            },
            match self.options.instructions {
                Instructions::Chosen =>
                    "Instructions: AVX2 and FMA (on 64-bit ARM fused multiply-add) where the CPU has them, which changes the last digits.",
                Instructions::Portable => "Instructions: plain ones; no `unsafe`.",
            },
        );
        let _ = write!(
            out,
            "\n/// Dynamics of `{}`.\n\
             #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]\n{}\
             #[rustfmt::skip]\n\
             pub mod {} {{\n\n",
            robot.replace('`', "'"),
            if self.chooses() { "#[allow(unsafe_code)]\n" } else { "" },
            identifier(&module.robot)
        );
    }

    fn constants(&self, out: &mut String) {
        let (module, real) = (self.module, self.real);
        let _ = write!(
            out,
            "/// A robot is served by this code if it has the same.\n\
             pub const FINGERPRINT: u64 = {:#018x};\n\
             /// States side by side.\n\
             pub const LANES: usize = {};\n\
             type Real = {real};\n\n",
            module.fingerprint, self.lanes
        );
        if self.has_table() {
            let _ = writeln!(out, "/// The robot's numbers.\npub const TABLE: [{real}; {}] = [", module.table.len());
            for parameter in &module.table {
                let _ = writeln!(out, "    {}, // {:?}", self.number(parameter.value), parameter.constant);
            }
            out.push_str("];\n\n");
        }
    }

    /// How functions that need instructions are entered.
    fn entry(&self, out: &mut String) {
        if !self.chooses() {
            return;
        }
        let asked = "std::is_x86_feature_detected!(\"avx2\") && std::is_x86_feature_detected!(\"fma\")";
        let told = "cfg!(all(target_feature = \"avx2\", target_feature = \"fma\"))";
        let has = match self.options.math {
            Math::Std => format!("    {asked}\n"),
            Math::Libm => format!("    {told}\n"),
            Math::Feature(name) => format!(
                "    #[cfg(feature = {name:?})]\n    return {asked};\n    #[cfg(not(feature = {name:?}))]\n    return {told};\n"
            ),
        };
        let _ = write!(
            out,
            "{X86}#[inline]\nfn has_avx2_and_fma() -> bool {{\n{has}}}\n\n\
             /// The first where the CPU has AVX2 and FMA, else the second.\n\
             macro_rules! on_this_cpu {{\n    ($native:ident or $portable:ident($($x:expr),*)) => {{{{\n        \
             #[cfg(target_arch = \"x86_64\")]\n        if has_avx2_and_fma() {{\n            \
             // SAFETY: the CPU has the instructions that the function is compiled for.\n            \
             return unsafe {{ $native($($x),*) }};\n        }}\n        $portable($($x),*)\n    }}}};\n}}\n"
        );
    }

    /// Functions by name, for programs that choose at run time.
    fn list(&self, functions: &[Writer<'_>], out: &mut String) {
        let real = self.real;
        let _ = write!(
            out,
            "\n/// A function over slices: the table, how many states, inputs, outputs, in the order of the function's own arguments.\n\
             /// 0 good, 1 a joint that nothing resists, -1 slices of the wrong number or lengths, with nothing computed.\n\
             pub type Call = fn(table: &[{real}], states: usize, x: &[&[{real}]], y: &mut [&mut [{real}]]) -> i32;\n\n\
             /// All functions by name.\n\
             pub static FUNCTIONS: &[(&str, Call)] = &[\n"
        );
        for function in functions {
            let _ = writeln!(out, "    ({:?}, {}_by_slices),", function.name, function.name);
        }
        out.push_str("];\n");
    }
}
