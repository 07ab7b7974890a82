//! Rust: one module in one file, `no_std`, no allocation, no dependencies but perhaps `libm`.
//!
//! ```text
//! arm6::rnea(&arm6::TABLE, &q, &v, &a, &mut tau)?                        one state
//! arm6::rnea_x4(…)                                                       four, lane by lane: x[k][state]
//! arm6::rnea_many(&arm6::TABLE, states, &q, &v, &a, &mut tau)?           any number, state by state
//! ```
//!
//! A function is written once, generic over the numbers it computes with (`prelude.rs`, `avx2.rs`), and entered in up to three ways: on
//! plain numbers, on numbers with fused multiply-add, on registers of several states.

use super::c::Precision;
use super::identifier;
use crate::module::Module;
use crate::plan::{Block, Plan};
use crate::program::{Array, Op, Program, Value};
use crate::record::Numbers;
use std::collections::HashMap;
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
    /// AVX2 and FMA on a CPU that has them, plain ones elsewhere.
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
                    "Instructions: AVX2 and FMA where the CPU has them, which changes the last digits.",
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

    fn prelude(&self, out: &mut String) {
        let (real, options) = (self.real, self.options);
        out.push_str("\n// What the functions compute with.\n\n");
        for float in ["f64", "f32"].iter().take(if real == "f64" { 1 } else { 2 }) {
            let suffix = if *float == "f64" { "" } else { "f" };
            let each = [
                (
                    format!("fn sqrt_{float}(x: {float}) -> {float}"),
                    format!("{float}::sqrt(x)"),
                    format!("libm::sqrt{suffix}(x)"),
                ),
                (
                    format!("fn atan2_{float}(y: {float}, x: {float}) -> {float}"),
                    format!("{float}::atan2(y, x)"),
                    format!("libm::atan2{suffix}(y, x)"),
                ),
            ];
            for (declaration, std, libm) in each {
                self.either("#[inline(always)]\n", &declaration, &std, &libm, out);
            }
        }
        let large = "fn sin_cos_large(x: f64) -> (f64, f64)";
        self.either("#[cold]\n#[inline(never)]\n", large, "f64::sin_cos(x)", "libm::sincos(x)", out);
        out.push('\n');
        out.push_str(include_str!("prelude.rs"));
        out.push_str("\nplain!(f64, sqrt_f64, atan2_f64);\n");
        if real == "f32" {
            out.push_str("plain!(f32, sqrt_f32, atan2_f32);\n");
        }
        if !self.chooses() {
            return;
        }
        out.push('\n');
        let (suffix, set, get) = match options.precision {
            Precision::F64 => ("sd", "_mm_set_sd", "_mm_cvtsd_f64"),
            Precision::F32 => ("ss", "_mm_set_ss", "_mm_cvtss_f32"),
        };
        let (register, permute, gather, own) = match options.precision {
            Precision::F64 => ("F64x4", "_mm256_permute4x64_pd", GATHER_F64, include_str!("avx2_f64.rs")),
            Precision::F32 => ("F32x8", "_mm256_permute_ps", GATHER_F32, include_str!("avx2_f32.rs")),
        };
        // One instruction either way; compilers take three times as long with the second, which `core` has.
        let mut own = own.to_string() + "\n    /// a · b + c, rounded once.\n";
        let fused = format!("fn fused(a: {real}, b: {real}, c: {real}) -> {real}");
        let by_instruction = format!(
            "// SAFETY: see the module.\n    unsafe {{ {get}(_mm_fmadd_{suffix}({set}(a), {set}(b), {set}(c))) }}"
        );
        let sqrt = if suffix == "sd" { "_mm_sqrt_sd(of, of)" } else { "_mm_sqrt_ss(of)" };
        self.either("#[inline(always)]\n", &fused, &format!("{real}::mul_add(a, b, c)"), &by_instruction, &mut own);
        let mut text = include_str!("avx2.rs").to_string();
        for (from, to) in [
            ("@SQRT@", sqrt),
            ("@SET@", set),
            ("@GET@", get),
            ("@NAME@", register),
            ("@PERMUTE@", permute),
            ("@GATHER@", gather),
            ("@OF_PRECISION@", &own),
        ] {
            text = text.replace(from, to);
        }
        out.push_str(&text);
    }

    /// A function of the standard library or of `libm`.
    fn either(&self, attributes: &str, declaration: &str, std: &str, libm: &str, out: &mut String) {
        let _ = match self.options.math {
            Math::Std => writeln!(out, "{attributes}{declaration} {{\n    {std}\n}}"),
            Math::Libm => writeln!(out, "{attributes}{declaration} {{\n    {libm}\n}}"),
            Math::Feature(name) => writeln!(
                out,
                "{attributes}#[cfg(feature = {name:?})]\n{declaration} {{\n    {std}\n}}\n\
                 {attributes}#[cfg(not(feature = {name:?}))]\n{declaration} {{\n    {libm}\n}}"
            ),
        };
    }
}

const GATHER_F64: &str = "F64x4::from_array([limbs[0].0, limbs[1].0, limbs[2].0, limbs[3].0])";
const GATHER_F32: &str = "F32x8::from_array([limbs[0].0, limbs[1].0, limbs[2].0, limbs[3].0, 0.0, 0.0, 0.0, 0.0])";

/// How a function is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// One state, any CPU.
    Portable,
    /// One state, AVX2 and FMA.
    Fused,
    /// Several states side by side, likewise.
    Lanes,
}

impl Entry {
    /// What its functions end in.
    fn suffix(self) -> &'static str {
        match self {
            Entry::Portable => "portable",
            Entry::Fused => "fused",
            Entry::Lanes => "lanes",
        }
    }

    /// What it computes with.
    fn number(self) -> &'static str {
        match self {
            Entry::Portable => "Real",
            Entry::Fused => "Fused",
            Entry::Lanes => "Lanes",
        }
    }

    fn place(self) -> &'static str {
        if self == Entry::Lanes { "[Real; LANES]" } else { "Real" }
    }

    /// Before a function.
    fn attributes(self) -> String {
        match self {
            Entry::Portable => String::new(),
            _ => format!("{X86}#[target_feature(enable = \"avx2,fma\")]\n"),
        }
    }
}

/// One function.
struct Writer<'a> {
    file: &'a File<'a>,
    program: &'a Program,
    plan: Plan,
    name: String,
    /// Names of inputs, of outputs.
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// The ways in which it is entered.
    entries: Vec<Entry>,
    /// The same with limbs side by side, for one state on CPUs with registers.
    limbs: Option<Box<Writer<'a>>>,
}

/// Names that the code has for itself.
const TAKEN: [&str; 10] = ["table", "states", "sin", "cos", "kept", "wide", "ill", "x", "y", "fill"];

impl<'a> Writer<'a> {
    fn new(file: &'a File<'a>, program: &'a Program) -> Self {
        let mut function = Self::blank(file, program, identifier(&program.name));
        function.entries.push(Entry::Portable);
        let limbs = program.one_state.as_deref().filter(|_| file.chooses());
        if let Some(one) = limbs {
            let mut limbs = Self::blank(file, one, format!("{}_of_limbs", function.name));
            limbs.entries.push(Entry::Fused);
            function.limbs = Some(Box::new(limbs));
        } else if file.chooses() {
            function.entries.push(Entry::Fused);
        }
        if file.chooses() && file.options.lanes && !function.has_limbs() {
            function.entries.push(Entry::Lanes);
        }
        function
    }

    fn blank(file: &'a File<'a>, program: &'a Program, name: String) -> Self {
        let names = |arrays: &[Array]| -> Vec<String> {
            let clean = |array: &Array| match identifier(array.name) {
                name if TAKEN.contains(&name.as_str()) => name + "_",
                name => name,
            };
            arrays.iter().map(clean).collect()
        };
        let (inputs, outputs) = (names(&program.inputs), names(&program.outputs));
        Writer { file, program, plan: Plan::new(program), name, inputs, outputs, entries: Vec::new(), limbs: None }
    }

    /// Whether limbs go side by side in one state; then states cannot.
    fn has_limbs(&self) -> bool {
        self.plan.is_wide.contains(&true)
    }

    fn has_lanes(&self) -> bool {
        self.entries.contains(&Entry::Lanes)
    }

    /// The function for one state on CPUs with registers.
    fn fused(&self) -> String {
        format!("{}_fused", self.limbs.as_ref().map_or(&self.name, |limbs| &limbs.name))
    }

    /// The parameters, with types of arrays of places.
    fn parameters(&self, place: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        if self.file.has_table() {
            all.push(format!("table: &[{}; {}]", self.file.real, self.file.module.table.len()));
        }
        for (name, array) in self.inputs.iter().zip(&self.program.inputs) {
            all.push(format!("{name}: &[{place}; {}]", array.len()));
        }
        for (name, array) in self.outputs.iter().zip(&self.program.outputs) {
            all.push(format!("{name}: &mut [{place}; {}]", array.len()));
        }
        all
    }

    /// The same without types.
    fn arguments(&self) -> Vec<String> {
        let table = self.file.has_table().then(|| "table".to_string());
        table.into_iter().chain(self.inputs.iter().chain(&self.outputs).cloned()).collect()
    }

    fn layout(&self) -> String {
        let describe = |name: &String, array: &Array| match array.shape {
            (rows, 1) => format!("{name} ({rows})"),
            (rows, columns) => format!("{name} ({rows} × {columns})"),
        };
        let inputs: Vec<String> = self.inputs.iter().zip(&self.program.inputs).map(|(n, a)| describe(n, a)).collect();
        let outputs: Vec<String> =
            self.outputs.iter().zip(&self.program.outputs).map(|(n, a)| describe(n, a)).collect();
        format!("{} → {}", inputs.join(", "), outputs.join(", "))
    }

    /// What users call.
    fn public(&self, out: &mut String) {
        let (name, real, lanes) = (&self.name, self.file.real, self.file.lanes);
        let arguments = self.arguments().join(", ");
        let (layout, chooses) = (self.layout(), self.file.chooses());
        let call = |native: &str, portable: &str, arguments: &str| match chooses {
            true => format!("on_this_cpu!({native} or {portable}({arguments}))"),
            false => format!("{portable}({arguments})"),
        };
        // One state.
        let _ = write!(
            out,
            "\n/// `{}`: {layout}.\npub fn {name}({}) -> Result<(), Singular> {{\n    \
             fn choose({}) -> u32 {{\n        {}\n    }}\n    status(choose({arguments}))\n}}\n",
            self.program.name,
            self.parameters(real).join(", "),
            self.parameters("Real").join(", "),
            call(&self.fused(), &format!("{name}_portable"), &arguments),
        );
        // Side by side.
        let of_several = format!("[{real}; {lanes}]");
        let body = match self.has_lanes() {
            true => call(&format!("{name}_lanes"), &format!("{name}_one_by_one"), &arguments),
            false => format!("{name}_one_by_one({arguments})"),
        };
        let _ = write!(
            out,
            "\n/// [`{name}`] of {lanes} states side by side.\npub fn {name}_x{lanes}({}) -> Result<(), Singular> {{\n    \
             fn choose({}) -> u32 {{\n        {body}\n    }}\n    status(choose({arguments}))\n}}\n",
            self.parameters(&of_several).join(", "),
            self.parameters("[Real; LANES]").join(", "),
        );
        // Many.
        let many = self.parameters_of_many(real);
        let mut checks = String::new();
        for (name, array) in
            self.inputs.iter().chain(&self.outputs).zip(self.program.inputs.iter().chain(&self.program.outputs))
        {
            let _ = writeln!(checks, "    check({name:?}, {name}.len(), {}, states)?;", array.len());
        }
        let all = self.arguments_of_many();
        let _ = write!(
            out,
            "\n/// [`{name}`] of any number of states.\npub fn {name}_many({}) -> Result<(), Error> {{\n    \
             fn choose({}) -> Option<usize> {{\n        {}\n    }}\n{checks}    status_of_many(choose({all}))\n}}\n",
            many.join(", "),
            self.parameters_of_many("Real").join(", "),
            call(&format!("{name}_many_native"), &format!("{name}_many_portable"), &all),
        );
    }

    fn parameters_of_many(&self, real: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        if self.file.has_table() {
            all.push(format!("table: &[{}; {}]", self.file.real, self.file.module.table.len()));
        }
        all.push("states: usize".into());
        all.extend(self.inputs.iter().map(|name| format!("{name}: &[{real}]")));
        all.extend(self.outputs.iter().map(|name| format!("{name}: &mut [{real}]")));
        all
    }

    fn arguments_of_many(&self) -> String {
        let mut all = self.arguments();
        all.insert(usize::from(self.file.has_table()), "states".into());
        all.join(", ")
    }

    /// What they call.
    fn body(&self, out: &mut String) {
        self.computation(out);
        if let Some(limbs) = &self.limbs {
            limbs.computation(out);
        }
        self.one_by_one(out);
        self.many(Entry::Portable, out);
        if self.file.chooses() {
            self.many(if self.has_lanes() { Entry::Lanes } else { Entry::Fused }, out);
        }
        self.by_slices(out);
    }

    /// The program, in the ways in which it is entered.
    fn computation(&self, out: &mut String) {
        let _ = writeln!(out, "\n// {}: {} operations.", self.name, self.program.operations());
        let begins = self.begin(out);
        for (k, block) in self.plan.blocks.iter().enumerate() {
            self.part(k, block, out);
        }
        self.runs(out);
        for &entry in &self.entries {
            self.driver(entry, begins, out);
        }
    }

    /// `Number`, or that with limbs.
    fn bound(&self) -> &'static str {
        if self.has_limbs() { "Limbs" } else { "Number" }
    }

    fn angles(&self) -> usize {
        self.plan.angles.len()
    }

    /// Numbers kept from part to part.
    fn slots(&self) -> usize {
        self.plan.slots.saturating_sub(2 * self.angles())
    }

    /// Sines and cosines of all angles, and results that nobody computes. Whether there is anything.
    fn begin(&self, out: &mut String) -> bool {
        let mut body = String::new();
        let angles = self.angles();
        if angles > 0 {
            for &value in &self.plan.before {
                self.statement(value, &mut body);
            }
            let all: Vec<String> = self.plan.angles.iter().map(|&value| self.read(value)).collect();
            let _ = writeln!(body, "    let (sin, cos) = N::turn([{}]);", all.join(", "));
        }
        for (name, values) in self.outputs.iter().zip(&self.program.results) {
            self.leaves(name, values, &mut body);
        }
        if body.is_empty() {
            return false;
        }
        let result = if angles > 0 { format!(" -> ([N; {angles}], [N; {angles}])") } else { String::new() };
        let _ = writeln!(
            out,
            "\n#[inline(always)]\nfn {}_begin<N: {}>({}){result} {{\n{body}{}}}",
            self.name,
            self.bound(),
            self.parameters("N::Place").join(", "),
            if angles > 0 { "    (sin, cos)\n" } else { "" }
        );
        true
    }

    /// Whether a value is read where it stands.
    fn is_leaf(&self, value: Value) -> bool {
        let op = &self.program.values[value as usize];
        matches!(op, Op::Constant(_) | Op::Parameter(_) | Op::Input(..)) || self.plan.turn(op).is_some()
    }

    fn leaves(&self, name: &str, values: &[Value], out: &mut String) {
        let constant = |value: Value| match self.program.values[value as usize] {
            Op::Constant(x) => Some(x.to_bits()),
            _ => None,
        };
        let mut i = 0;
        while i < values.len() {
            let run = values[i..]
                .iter()
                .take_while(|&&v| constant(v).is_some() && constant(v) == constant(values[i]))
                .count();
            if run >= 2 {
                let x = self.file.number(f64::from_bits(constant(values[i]).unwrap_or_default()));
                let _ = writeln!(out, "    fill::<N>(&mut {name}[{i}..{}], {x});", i + run);
            } else if self.is_leaf(values[i]) {
                let _ = writeln!(out, "    {}.store(&mut {name}[{i}]);", self.read(values[i]));
            }
            i += run.max(1);
        }
    }

    /// What parts take beside the function's own arguments: name, type, how it is passed.
    fn more(&self, n: &str) -> Vec<(&'static str, String, &'static str)> {
        let mut all = Vec::new();
        let angles = self.angles();
        if angles > 0 {
            all.push(("sin", format!("&[{n}; {angles}]"), "&sin"));
            all.push(("cos", format!("&[{n}; {angles}]"), "&cos"));
        }
        if self.slots() > 0 {
            all.push(("kept", format!("&mut [{n}; {}]", self.slots()), "&mut kept"));
        }
        if self.plan.wide_slots > 0 {
            all.push(("wide", format!("&mut [<{n} as Limbs>::Wide; {}]", self.plan.wide_slots), "&mut wide"));
        }
        if self.program.health.is_some() {
            all.push(("ill", "&mut u32".into(), "&mut ill"));
        }
        all
    }

    fn part(&self, k: usize, block: &Block, out: &mut String) {
        let program = self.program;
        let mut body = String::new();
        for &(value, slot) in &block.loads {
            let _ = writeln!(body, "    let t{value} = {};", self.slot(value, slot));
        }
        let mut stores: HashMap<Value, Vec<(&str, usize)>> = HashMap::new();
        for (name, values) in self.outputs.iter().zip(&program.results) {
            for (i, &value) in values.iter().enumerate() {
                stores.entry(value).or_default().push((name, i));
            }
        }
        for &value in &block.body {
            self.statement(value, &mut body);
            if let Some(&slot) = block.saves.get(&value) {
                let _ = writeln!(body, "    {} = t{value};", self.slot(value, slot));
            }
            for (name, i) in stores.get(&value).into_iter().flatten() {
                let _ = writeln!(body, "    t{value}.store(&mut {name}[{i}]);");
            }
            if program.health == Some(value) {
                let _ = writeln!(body, "    *ill = t{value}.ill();");
            }
        }
        let name = format!("{}_part{}", self.name, k + 1);
        let parameters = |place: &str, n: &str| {
            let more = self.more(n).into_iter().map(|(name, of, _)| format!("{name}: {of}"));
            self.parameters(place).into_iter().chain(more).collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(
            out,
            "\n#[inline(always)]\nfn {name}<N: {}>({}) {{\n{body}}}",
            self.bound(),
            parameters("N::Place", "N")
        );
        if self.plan.blocks.len() == 1 {
            return; // its function is nothing else
        }
        let arguments: Vec<String> =
            self.arguments().into_iter().chain(self.more("N").into_iter().map(|(name, ..)| name.to_string())).collect();
        for entry in &self.entries {
            let _ = writeln!(
                out,
                "{}#[inline(never)]\nfn {name}_{}({}) {{\n    {name}::<{}>({})\n}}",
                entry.attributes(),
                entry.suffix(),
                parameters(entry.place(), entry.number()),
                entry.number(),
                arguments.join(", ")
            );
        }
    }

    fn slot(&self, value: Value, slot: usize) -> String {
        match self.plan.is_wide[value as usize] {
            true => format!("wide[{slot}]"),
            false => format!("kept[{}]", slot - 2 * self.angles()),
        }
    }

    /// One function on one kind of numbers.
    fn driver(&self, entry: Entry, begins: bool, out: &mut String) {
        let (name, n) = (&self.name, entry.number());
        let arguments = self.arguments().join(", ");
        let _ = writeln!(
            out,
            "\n{}fn {name}_{}({}) -> u32 {{",
            entry.attributes(),
            entry.suffix(),
            self.parameters(entry.place()).join(", ")
        );
        if begins {
            let bind = if self.angles() > 0 { "let (sin, cos) = " } else { "" };
            let _ = writeln!(out, "    {bind}{name}_begin::<{n}>({arguments});");
        }
        if self.slots() > 0 {
            let _ = writeln!(out, "    let mut kept = [{n}::of(0.0); {}];", self.slots());
        }
        if self.plan.wide_slots > 0 {
            let _ = writeln!(out, "    let mut wide = [{n}::of(0.0).splat(); {}];", self.plan.wide_slots);
        }
        let health = self.program.health;
        if health.is_some() {
            out.push_str("    let mut ill = 0;\n");
        }
        let more: Vec<&str> = self.more(n).into_iter().map(|(_, _, pass)| pass).collect();
        let all: Vec<&str> = (!arguments.is_empty()).then_some(arguments.as_str()).into_iter().chain(more).collect();
        let all = all.join(", ");
        match self.plan.blocks.len() {
            1 => {
                let _ = writeln!(out, "    {name}_part1::<{n}>({all});");
            }
            parts => {
                for k in 0..parts {
                    let _ = writeln!(out, "    {name}_part{}_{}({all});", k + 1, entry.suffix());
                }
            }
        }
        for (k, product) in self.program.products.iter().enumerate() {
            let of = |output: usize| &self.outputs[output];
            let _ = writeln!(
                out,
                "    {n}::product::<{}>(&{}_RUNS{k}, {}, {}, {});",
                product.rows.len(),
                name.to_uppercase(),
                of(product.left),
                of(product.outputs[0]),
                of(product.outputs[1])
            );
        }
        match health {
            None => out.push_str("    0\n}\n"),
            Some(value) if self.is_leaf(value) => {
                let text = self.read(value).replace("N::", &format!("{n}::"));
                let _ = writeln!(out, "    {text}.ill()\n}}");
            }
            Some(_) => out.push_str("    ill\n}\n"),
        }
    }

    /// Where products are not zero.
    fn runs(&self, out: &mut String) {
        for (k, product) in self.program.products.iter().enumerate() {
            let columns: Vec<String> = (product.rows.iter())
                .map(|runs| {
                    let runs: Vec<String> = runs.iter().map(|run| format!("({}, {})", run.start, run.end)).collect();
                    format!("&[{}]", runs.join(", "))
                })
                .collect();
            let _ = writeln!(
                out,
                "\nconst {}_RUNS{k}: [&[(usize, usize)]; {}] = [{}];",
                self.name.to_uppercase(),
                columns.len(),
                columns.join(", ")
            );
        }
    }

    /// States side by side, computed one after the other.
    fn one_by_one(&self, out: &mut String) {
        let name = &self.name;
        let _ = writeln!(
            out,
            "\nfn {name}_one_by_one({}) -> u32 {{\n    let mut ill = 0;\n    for k in 0..LANES {{",
            self.parameters("[Real; LANES]").join(", ")
        );
        let mut pass: Vec<String> = self.file.has_table().then(|| "table".to_string()).into_iter().collect();
        pass.extend(self.inputs.iter().map(|x| format!("&lane({x}, k)")));
        for (y, array) in self.outputs.iter().zip(&self.program.outputs) {
            let _ = writeln!(out, "        let mut {y}_k = [0.0; {}];", array.len());
            pass.push(format!("&mut {y}_k"));
        }
        let _ = writeln!(out, "        ill |= {name}({}).is_err() as u32 * (1 << k);", pass.join(", "));
        for y in &self.outputs {
            let _ = writeln!(out, "        set_lane({y}, k, &{y}_k);");
        }
        out.push_str("    }\n    ill\n}\n");
    }

    /// Any number of states; the first of them that fails.
    fn many(&self, entry: Entry, out: &mut String) {
        let name = &self.name;
        let kind = if entry == Entry::Portable { "portable" } else { "native" };
        let _ = writeln!(
            out,
            "\n{}fn {name}_many_{kind}({}) -> Option<usize> {{\n    let mut first = None;",
            entry.attributes(),
            self.parameters_of_many("Real").join(", ")
        );
        let table = self.file.has_table().then(|| "table".to_string());
        if entry != Entry::Lanes {
            let mut pass: Vec<String> = table.into_iter().collect();
            pass.extend(self.inputs.iter().map(|x| format!("state({x}, k)")));
            pass.extend(self.outputs.iter().map(|y| format!("state_mut({y}, k)")));
            let _ = writeln!(
                out,
                "    for k in 0..states {{\n        if {}({}) != 0 {{\n            \
                 first = first.or(Some(k));\n        }}\n    }}\n    first\n}}",
                if entry == Entry::Fused { self.fused() } else { format!("{name}_portable") },
                pass.join(", ")
            );
            return;
        }
        let both = self.inputs.iter().zip(&self.program.inputs).chain(self.outputs.iter().zip(&self.program.outputs));
        for (x, array) in both {
            let _ = writeln!(out, "    let mut {x}_side_by_side = [[0.0; LANES]; {}];", array.len());
        }
        out.push_str("    let mut k = 0;\n    while k < states {\n");
        let mut pass: Vec<String> = table.into_iter().collect();
        for x in &self.inputs {
            let _ = writeln!(out, "        pack({x}, k, states, &mut {x}_side_by_side);");
            pass.push(format!("&{x}_side_by_side"));
        }
        pass.extend(self.outputs.iter().map(|y| format!("&mut {y}_side_by_side")));
        let _ = writeln!(out, "        let ill = {name}_lanes({});", pass.join(", "));
        for y in &self.outputs {
            let _ = writeln!(out, "        unpack(&{y}_side_by_side, k, states, {y});");
        }
        out.push_str(
            "        if ill != 0 {\n            first = first.or(Some(k + ill.trailing_zeros() as usize));\n        }\n        \
             k += LANES;\n    }\n    first\n}\n",
        );
    }

    fn by_slices(&self, out: &mut String) {
        let (name, real) = (&self.name, self.file.real);
        let _ = writeln!(
            out,
            "\nfn {name}_by_slices(table: &[{real}], states: usize, x: &[&[{real}]], y: &mut [&mut [{real}]]) -> i32 {{\n    \
             let ([{}], [{}]) = (x, y) else {{ return -1 }};",
            self.inputs.join(", "),
            self.outputs.join(", ")
        );
        if self.file.has_table() {
            out.push_str("    let Ok(table) = table.try_into() else { return -1 };\n");
        }
        let _ = writeln!(out, "    code({name}_many({}))\n}}", self.arguments_of_many());
    }

    /// A value where it stands.
    fn read(&self, value: Value) -> String {
        let op = &self.program.values[value as usize];
        if let Some(slot) = self.plan.turn(op) {
            let angles = self.angles();
            return if slot < angles { format!("sin[{slot}]") } else { format!("cos[{}]", slot - angles) };
        }
        match *op {
            Op::Constant(x) => format!("N::of({})", self.file.number(x)),
            Op::Parameter(p) => format!("N::of(table[{p}])"),
            Op::Input(array, k) => format!("N::load(&{}[{k}])", self.inputs[array as usize]),
            _ => format!("t{value}"),
        }
    }

    fn statement(&self, value: Value, out: &mut String) {
        let op = &self.program.values[value as usize];
        let wide = self.plan.is_wide[value as usize];
        // One number among those of limbs is all of theirs.
        let r = |operand: Value| match wide && !self.plan.is_wide[operand as usize] {
            true => format!("{}.splat()", self.read(operand)),
            false => self.read(operand),
        };
        let text = match *op {
            Op::Add(a, b) => format!("{} + {}", r(a), r(b)),
            Op::Sub(a, b) => format!("{} - {}", r(a), r(b)),
            Op::Mul(a, b) => format!("{} * {}", r(a), r(b)),
            Op::Div(a, b) => format!("{} / {}", r(a), r(b)),
            Op::Neg(a) => format!("-{}", r(a)),
            Op::MulAdd(a, b, c) => format!("{}.mul_add({}, {})", r(a), r(b), r(c)),
            Op::MulSub(a, b, c) => format!("{}.mul_sub({}, {})", r(a), r(b), r(c)),
            Op::NegMulAdd(a, b, c) => format!("{}.neg_mul_add({}, {})", r(a), r(b), r(c)),
            Op::Sqrt(a) => format!("{}.sqrt()", r(a)),
            Op::Atan2(a, b) => format!("{}.atan2({})", r(a), r(b)),
            Op::Select(a, b, c, d) => {
                let of = if wide { "N::Wide" } else { "N" };
                format!("{of}::select({}, {}, {}, {})", r(a), r(b), r(c), r(d))
            }
            Op::Sin(a) => format!("{}.sin_cos().0", r(a)),
            Op::Cos(a) => format!("{}.sin_cos().1", r(a)),
            Op::Gather(g) => {
                let mut all: Vec<String> = self.program.gathers[g as usize].iter().map(|&v| self.read(v)).collect();
                all.resize(4, "N::of(0.0)".into());
                format!("N::gather([{}])", all.join(", "))
            }
            Op::Splat(a) => format!("{}.splat()", self.read(a)),
            Op::Lane(a, k) => format!("N::lane::<{k}>({})", self.read(a)),
            Op::Turn(a, k) => format!("N::turned::<{k}>({})", self.read(a)),
            Op::Constant(_) | Op::Parameter(_) | Op::Input(..) => r(value),
        };
        let _ = writeln!(out, "    let t{value} = {text};");
    }
}
