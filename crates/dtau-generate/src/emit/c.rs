//! Writes C99: one `.c` and one `.h`, no allocation, no mutable globals.
//!
//! ```text
//! int arm6_rnea(const double *table, const double *q, …, double *tau)          one state
//! int arm6_rnea_x4(…)                                                          four, lane by lane: x[4 k + state]
//! int arm6_rnea_many(size_t states, const double *table, …)                    any number, state by state
//! ```

mod columns;
mod document;
mod kernels;
mod looped;
mod many;
mod payload;
mod product;
mod runtime;

use super::{Language, identifier, on_registers};
use crate::kernels::Kernel;
use crate::limbs::LANES;
use crate::module::Module;
use crate::plan::{Block, Plan};
use crate::program::{Array, Op, Program, Value};
use crate::record::Numbers;
use looped::Looped;
use runtime::Side;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Options for writing C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Scalar type: `double` or `float`.
    pub precision: Precision,
    /// Number of states side by side. `None`: functions for one state only.
    pub side_by_side: Option<Width>,
}

/// Flags that keep the library's bits with gcc and clang. Add flags for optimisation and the CPU.
/// Multiply-adds are written explicitly, and the compiler must not create others. gcc 12 still creates some
/// from sums and differences side by side when it merges neighbouring statements into one register. A single
/// state would then have other bits than the same state in a batch.
pub const FLAGS: [&str; 3] = ["-std=c99", "-ffp-contract=off", "-fno-tree-slp-vectorize"];

/// Scalar of the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `double`
    F64,
    /// `float`
    F32,
}

/// Number of states side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Four: one register of doubles, or half a register of floats.
    Four,
    /// Eight: one register of floats. Doubles always use four: with two registers for each number, too few
    /// are left, and compilers take minutes.
    Eight,
}

impl Style {
    /// Style with functions for one state. If `lanes`, also for many states: as many side by side as a
    /// 256-bit register holds.
    pub fn new(precision: Precision, lanes: bool) -> Style {
        let natural = match precision {
            Precision::F64 => Width::Four,
            Precision::F32 => Width::Eight,
        };
        Style { precision, side_by_side: lanes.then_some(natural) }
    }
}

impl Precision {
    /// Returns the C type.
    pub fn real(self) -> &'static str {
        match self {
            Precision::F64 => "double",
            Precision::F32 => "float",
        }
    }
}

/// The two generated files.
#[derive(Clone, Debug)]
pub struct Files {
    /// Prefix of all functions.
    pub prefix: String,
    /// Declarations.
    pub header: String,
    /// Code.
    pub source: String,
}

/// Generated C before it is written to files.
pub(crate) struct Unit {
    pub(crate) prefix: String,
    /// Comment at the top of the file.
    pub(crate) comment: String,
    /// Declarations.
    pub(crate) header: String,
    /// Definitions.
    pub(crate) body: String,
}

impl Unit {
    fn into_files(self) -> Files {
        let Unit { prefix, comment, header, body } = self;
        let source = format!("{comment}#include \"{prefix}.h\"\n{body}");
        Files { prefix, header, source }
    }

    /// Joins everything in one file.
    #[cfg(feature = "load")]
    pub(crate) fn into_one(self) -> String {
        self.comment + &self.header + &self.body
    }
}

/// Writes a module.
pub fn write(module: &Module, style: Style) -> Files {
    write_named(module, style, &identifier(&module.robot))
}

/// Writes a module with another prefix than the robot's name.
pub fn write_named(module: &Module, style: Style, prefix: &str) -> Files {
    unit(module, style, prefix).into_files()
}

pub(crate) fn unit(module: &Module, style: Style, prefix: &str) -> Unit {
    let writers: Vec<Writer<'_>> =
        module.programs.iter().map(|program| Writer::new(module, program, prefix, style, None)).collect();
    let limbs = writers.iter().any(|writer| writer.plan.is_wide.contains(&true));
    let mut source = runtime::write(&style, &writers.iter().map(|writer| writer.program).collect::<Vec<_>>(), limbs);
    let mut header = document::of_header(module, prefix, &style);
    let guard = format!("{}_H", prefix.to_uppercase());
    let _ = write!(header, "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n");
    header +=
        "#ifdef __cplusplus\n#define DTAU_RESTRICT\nextern \"C\" {\n#else\n#define DTAU_RESTRICT restrict\n#endif\n\n";
    document::fingerprint(module, prefix, &mut source, &mut header);
    if module.numbers == Numbers::Table {
        document::table(module, prefix, &style, &mut source, &mut header);
        payload::write(module, prefix, &style, &mut source, &mut header);
    }
    for writer in writers {
        document::of_function(&writer, &mut header);
        writer.function(&mut source, &mut header);
        if let Some(side) = runtime::side(&style) {
            many::write(&writer, side, &mut source, &mut header);
        }
    }
    header += "#ifdef __cplusplus\n}\n#endif\n#undef DTAU_RESTRICT\n\n#endif\n";
    let comment = document::of_source(module, prefix, &style);
    Unit {
        prefix: prefix.into(),
        comment,
        header,
        body: format!("\n#include <math.h>\n#include <string.h>\n\n{source}"),
    }
}

/// Limit of bytes on the stack. Threads have at least 512 KiB.
pub(crate) const MOST_ON_STACK: usize = 384 << 10;

/// Number of bytes that a function needs on the stack.
pub(crate) struct OnStack {
    /// For one state: the numbers kept between blocks.
    #[cfg_attr(not(feature = "load"), expect(dead_code, reason = "who loads code asks"))]
    pub(crate) one: usize,
    /// For four states side by side: the kept numbers, the arguments, and the scratch of kernels, which is
    /// also stored state by state.
    pub(crate) four: usize,
}

pub(crate) fn on_stack(program: &Program) -> OnStack {
    let plan = Plan::new(program.for_one_state());
    let many = program.by_limbs().unwrap_or(program);
    let stored = (0..many.outputs.len()).filter(|&k| many.is_stored(k)).map(|k| many.outputs[k].len());
    let numbers = many.inputs.iter().map(|array| array.len()).chain(stored);
    let solves = many.kernels.iter().any(|kernel| matches!(kernel, Kernel::Columns(_)));
    let apart = !solves && !many.kernels.is_empty();
    let of_kernels = if apart { many.outputs.iter().map(|array| array.len()).sum() } else { 0 };
    let copies = if apart { 2 } else { 1 };
    let numbers = numbers.chain(many.scratch.iter().map(|array| copies * array.len())).sum::<usize>() + of_kernels / 4;
    let kept = plan.slots + plan.angles.len() + LANES * plan.wide_slots;
    OnStack { one: 8 * kept, four: 8 * 4 * (numbers + kept) }
}

/// Formats a constant.
pub(super) fn number(x: f64, precision: Precision) -> String {
    match precision {
        _ if x.is_nan() => "NAN".into(),
        _ if x.is_infinite() => if x > 0.0 { "INFINITY" } else { "-INFINITY" }.into(),
        Precision::F64 => format!("{x:?}"),
        // Threshold below which D counts as zero: sixteen roundings of the scalar type.
        Precision::F32 if x == 16.0 * f64::EPSILON => format!("{:?}f", 16.0 * f32::EPSILON),
        Precision::F32 if (x as f32).is_infinite() => if x > 0.0 { "INFINITY" } else { "-INFINITY" }.into(),
        Precision::F32 => format!("{:?}f", x as f32),
    }
}

/// Writes one function: for one state (where limbs may go side by side) or for several states. For Rust: for
/// one state, without limbs.
pub(super) struct Writer<'a> {
    language: Language,
    module: &'a Module,
    /// Program as stored in the module.
    whole: &'a Program,
    /// Variant that is written: for one state or for several.
    program: &'a Program,
    pub(super) plan: Plan,
    /// Prefix of all functions in the module.
    prefix_of_module: &'a str,
    /// Name of the function.
    pub(super) name: String,
    style: Style,
    /// SIMD type that holds several states.
    side: Option<&'static Side>,
    /// Loops over limbs, for several states.
    looped: Option<Looped>,
}

impl<'a> Writer<'a> {
    fn new(
        module: &'a Module,
        program: &'a Program,
        prefix: &'a str,
        style: Style,
        side: Option<&'static Side>,
    ) -> Self {
        let suffix = side.map_or(String::new(), |side| format!("_x{}", side.width));
        let name = format!("{prefix}_{}{suffix}", identifier(&program.name));
        let whole = program;
        let by_limbs = program.by_limbs().filter(|_| side.is_some());
        let program = match side {
            None => program.for_one_state(),
            Some(_) => by_limbs.unwrap_or(program),
        };
        let plan = if by_limbs.is_some() { Plan::looped(program) } else { Plan::new(program) };
        let looped = by_limbs.map(|program| Looped::new(program, &plan));
        let language = Language::C;
        Self { language, module, whole, program, plan, prefix_of_module: prefix, name, style, side, looped }
    }

    /// Writer for the body of a Rust function.
    pub(super) fn in_rust(module: &'a Module, program: &'a Program, precision: Precision) -> Self {
        Self {
            language: Language::Rust,
            module,
            whole: program,
            program,
            plan: Plan::new(program),
            prefix_of_module: "",
            name: identifier(&program.name),
            style: Style { precision, side_by_side: None },
            side: None,
            looped: None,
        }
    }

    fn real(&self) -> &'static str {
        self.style.precision.real()
    }

    /// Returns the library function that this program computes.
    fn function_of(&self) -> Option<&dtau::Function> {
        let place = self.module.programs.iter().position(|program| core::ptr::eq(program, self.whole));
        place.and_then(|k| self.module.functions.get(k))
    }

    /// Returns the type of a number, for one state or for several.
    fn number(&self) -> &'static str {
        self.side.map_or("real", |side| side.name)
    }

    /// Returns the prefix of operations on this type.
    fn prefix(&self) -> &'static str {
        self.side.map_or("r", |side| side.prefix)
    }

    fn width(&self) -> usize {
        self.side.map_or(1, |side| side.width)
    }

    fn function(&self, source: &mut String, header: &mut String) {
        let (plan, number) = (&self.plan, self.number());
        let names: Vec<String> = (0..plan.blocks.len()).map(|k| self.name_of_block(k)).collect();
        let calls: Vec<String> =
            (plan.blocks.iter().zip(&names)).map(|(b, name)| self.block(name, b, source)).collect();
        for kernel in &self.program.kernels {
            self.kernel(kernel, source);
        }
        for product in &self.program.products {
            self.product(product, source);
        }
        let mut body = String::new();
        let angles = plan.angles.len();
        if plan.slots > 0 {
            let _ = writeln!(body, "    {number} kept[{}];", plan.slots);
        }
        if plan.wide_slots > 0 {
            let (of, each) = self.looped.as_ref().map_or(("lanes", 1), |looped| (number, looped.limbs));
            let _ = writeln!(body, "    {of} kept_of_limbs[{}];", each * plan.wide_slots);
        }
        if self.program.health.is_some() {
            let _ = writeln!(body, "    real health[{}];", self.width());
        }
        if angles > 0 {
            let _ = writeln!(body, "    {number} angle[{angles}];");
            for &value in &plan.before {
                self.statement(value, &mut body);
            }
            for (k, &value) in plan.angles.iter().enumerate() {
                let _ = writeln!(body, "    angle[{k}] = {};", self.read(value));
            }
            let _ = writeln!(body, "    {}_turn({angles}, angle, kept, kept + {angles});", self.prefix());
        }
        for (array, values) in self.program.arrays().zip(&self.program.results) {
            self.leaves(array, values, &mut body);
        }
        for call in calls {
            let _ = writeln!(body, "    {call};");
        }
        // The part before kernels, and for several states the part before products, is a separate function.
        let apart = self.is_apart();
        if !apart {
            self.loops(&self.name, "    ", |name| name.into(), &mut body);
        }
        match self.program.health {
            None => body.push_str("    return 0;\n"),
            Some(_) => {
                let each = (0..self.width()).map(|k| format!("(health[{k}] >= 0 ? 0 : {})", 1 << k));
                let _ = writeln!(body, "    return {};", each.collect::<Vec<_>>().join(" | "));
            }
        }
        let typed = arguments(self.module, self.program, Some((self.real(), "restrict")));
        let _ = writeln!(header, "int {}({});\n", self.name, typed.replace("restrict", "DTAU_RESTRICT"));
        let (of, name) = if apart { ("DTAU_PART ", self.name_of_factors()) } else { ("", self.name.clone()) };
        let of_factors = if apart { self.arguments_of_factors(true, |name| name.into()) } else { typed.clone() };
        let _ = writeln!(source, "\n{of}int {name}({of_factors})\n{{");
        let used = words(&body);
        let stored = |name: &&str| {
            let output = self.program.outputs.iter().position(|array| array.name == *name);
            !apart || output.is_none_or(|output| self.program.is_stored(output))
        };
        let names = argument_names(self.module, self.program).filter(stored);
        for name in names.filter(|name| !used.contains(name)) {
            let _ = writeln!(source, "    (void){name};");
        }
        source.push_str(&body);
        source.push_str("}\n");
        if apart {
            let plain = self.arguments_of_factors(false, |name| name.into());
            let _ = writeln!(source, "\nint {}({typed})\n{{", self.name);
            for array in &self.program.scratch {
                let _ = writeln!(source, "    DTAU_ALIGNED real {}[{}];", array.name, self.width() * array.len());
            }
            // For several states, columns are written one state at a time.
            let each: Vec<&Array> = (self.program.outputs.iter().enumerate())
                .filter(|(output, _)| self.side.is_some() && self.solves() && !self.program.is_stored(*output))
                .map(|(_, array)| array)
                .collect();
            for array in &each {
                let _ = writeln!(source, "    real each_{}[{}];", array.name, self.width() * array.len());
            }
            let _ = writeln!(source, "    const int status = {name}({plain});");
            let of = |name: &str| match each.iter().any(|array| array.name == name) {
                true => format!("each_{name}"),
                false => name.into(),
            };
            self.loops(&self.name, "    ", of, source);
            for array in &each {
                let (p, y, len) = (self.prefix(), array.name, array.len());
                let _ = writeln!(source, "    {p}_pack({len}, each_{y}, {y});");
            }
            source.push_str("    return status;\n}\n");
        }
    }

    /// True if kernels solve column by column.
    fn solves(&self) -> bool {
        self.program.kernels.iter().any(|kernel| matches!(kernel, Kernel::Columns(_)))
    }

    /// True if everything before kernels and products is a separate function.
    fn is_apart(&self) -> bool {
        !self.program.kernels.is_empty() || self.side.is_some() && !self.program.products.is_empty()
    }

    /// Arguments of that function: the table, inputs, stored outputs, and the scratch of kernels. `of` maps
    /// array names.
    fn arguments_of_factors(&self, typed: bool, of: impl Fn(&str) -> String) -> String {
        let (program, real) = (self.program, self.real());
        let constant = |name: String| if typed { format!("const {real} *restrict {name}") } else { name };
        let written = |name: String| if typed { format!("{real} *restrict {name}") } else { name };
        let table = (self.module.numbers == Numbers::Table).then(|| constant("table".into()));
        let inputs = program.inputs.iter().map(|array| constant(of(array.name)));
        let stored = program.outputs.iter().enumerate().filter(|(k, _)| program.is_stored(*k)).map(|(_, array)| array);
        let outputs = stored.chain(&program.scratch).map(|array| written(of(array.name)));
        table.into_iter().chain(inputs).chain(outputs).collect::<Vec<_>>().join(", ")
    }

    /// Returns the name of that function.
    fn name_of_factors(&self) -> String {
        format!("{}_factors", self.name)
    }

    /// Calls the kernels and products of a function, on arrays named by `of`.
    fn loops(&self, function: &str, pad: &str, of: impl Fn(&str) -> String, out: &mut String) {
        let named = |output: usize| of(self.program.outputs[output].name);
        for kernel in &self.program.kernels {
            let names = self.program.scratch.iter().map(|array| of(array.name));
            let names: Vec<String> = names.chain(kernel.outputs().iter().map(|&output| named(output))).collect();
            let _ = writeln!(out, "{pad}{function}_{}({});", kernel.name(), names.join(", "));
        }
        for product in &self.program.products {
            let names = core::iter::once(&product.left).chain(&product.outputs);
            let names: Vec<String> = names.map(|&output| named(output)).collect();
            let _ = writeln!(out, "{pad}{function}_product({});", names.join(", "));
        }
    }

    /// Writes results that need no computation: constants, inputs, sines.
    pub(super) fn leaves(&self, array: &Array, values: &[Value], source: &mut String) {
        for (i, &value) in values.iter().enumerate() {
            let op = &self.program.values[value as usize];
            if !op.is_operation() && !matches!(op, Op::Lane(..)) || self.plan.turn(op).is_some() {
                let _ = writeln!(source, "    {};", self.store(array.name, i, &self.read(value)));
            }
        }
    }

    /// A block is named after the outputs that it writes.
    pub(super) fn name_of_block(&self, k: usize) -> String {
        let body: HashSet<Value> = self.plan.blocks[k].body.iter().copied().collect();
        let written = (self.program.outputs.iter().zip(&self.program.results))
            .filter(|(_, values)| values.iter().any(|value| body.contains(value)));
        let written: Vec<&str> = written.map(|(array, _)| array.name).collect();
        let what = if written.is_empty() { "bodies".into() } else { written.join("_") };
        format!("{}_part{}_{what}", self.name, k + 1)
    }

    /// Writes a block and returns the call to it.
    pub(super) fn block(&self, name: &str, block: &Block, source: &mut String) -> String {
        let (mut body, program) = (String::new(), self.program);
        if let Some(looped) = &self.looped {
            body = self.looped_block(looped, block);
        }
        for &(value, slot) in block.loads.iter().filter(|_| self.looped.is_none()) {
            let wide = self.plan.is_wide[value as usize];
            let (of, from) = if wide { ("lanes", "kept_of_limbs") } else { (self.type_of(value), "kept") };
            let _ = writeln!(body, "    {} t{value} = {from}[{slot}];", self.language.constant(of));
        }
        let mut stores: HashMap<Value, Vec<(&str, usize)>> = HashMap::new();
        for (array, values) in program.arrays().zip(&program.results) {
            for (i, &value) in values.iter().enumerate() {
                stores.entry(value).or_default().push((array.name, i));
            }
        }
        for &value in block.body.iter().filter(|_| self.looped.is_none()) {
            self.statement(value, &mut body);
            if let Some(slot) = block.saves.get(&value) {
                let to = if self.plan.is_wide[value as usize] { "kept_of_limbs" } else { "kept" };
                let _ = writeln!(body, "    {to}[{slot}] = t{value};");
            }
            for (name, i) in stores.get(&value).into_iter().flatten() {
                let _ = writeln!(body, "    {};", self.store(name, *i, &format!("t{value}")));
            }
            if program.health == Some(value) {
                let _ = writeln!(body, "    {};", self.store("health", 0, &format!("t{value}")));
            }
        }
        // A block takes only the arguments that it uses.
        let used = words(&body);
        let (mut typed, mut plain) = (Vec::new(), Vec::new());
        let mut add = |name: &'static str, of: &str, len: usize| {
            if used.contains(name) {
                typed.push(self.language.array(name, of, len));
                plain.push(name);
            }
        };
        add("table", "const real", self.module.table.len());
        program.inputs.iter().for_each(|array| add(array.name, "const real", array.len()));
        program.arrays().for_each(|array| add(array.name, "real", array.len()));
        add("kept", self.number(), self.plan.slots);
        add("kept_of_limbs", if self.looped.is_some() { self.number() } else { "lanes" }, self.plan.wide_slots);
        add("health", "real", 1);
        let _ = match self.language {
            Language::C => writeln!(source, "\nDTAU_PART void {name}({})\n{{", typed.join(", ")),
            Language::Rust => writeln!(source, "\n$(#[$cpu])*\n#[inline(never)]\nfn {name}({}) {{", typed.join(", ")),
        };
        source.push_str(&body);
        source.push_str("}\n");
        format!("{name}({})", plain.join(", "))
    }

    fn type_of(&self, value: Value) -> &'static str {
        if self.side.is_none() && self.plan.is_wide[value as usize] { "lanes" } else { self.number() }
    }

    fn store(&self, name: &str, i: usize, what: &str) -> String {
        match self.side {
            None => format!("{name}[{i}] = {what}"),
            Some(side) => format!("{}_store({name} + {}, {what})", side.prefix, side.width * i),
        }
    }

    /// Returns the expression that reads a value.
    pub(super) fn read(&self, value: Value) -> String {
        let op = &self.program.values[value as usize];
        if let Some(slot) = self.plan.turn(op) {
            return format!("kept[{slot}]");
        }
        let leaf = match *op {
            Op::Constant(x) => self.language.number(x, self.style.precision),
            Op::Parameter(p) => format!("table[{p}]"),
            Op::Input(array, k) => {
                let name = self.program.name_of_input(array);
                return match self.side {
                    None => format!("{name}[{k}]"),
                    Some(side) => format!("{}_load({name} + {})", side.prefix, side.width * k as usize),
                };
            }
            _ => return format!("t{value}"),
        };
        self.side.map_or(leaf.clone(), |side| format!("{}_splat({leaf})", side.prefix))
    }

    /// Returns the address of the numbers of four limbs, if they are contiguous.
    fn contiguous(&self, values: &[Value]) -> Option<String> {
        let places: Vec<(&str, usize)> = (values.iter())
            .map(|&value| match self.program.values[value as usize] {
                Op::Parameter(p) => Some(("table", p as usize)),
                op => self.plan.turn(&op).map(|slot| ("kept", slot)),
            })
            .collect::<Option<_>>()?;
        let (from, first) = *places.first().filter(|_| places.len() == 4)?;
        let in_order = places.iter().enumerate().all(|(k, place)| *place == (from, first + k));
        in_order.then(|| format!("{from} + {first}"))
    }

    pub(super) fn statement(&self, value: Value, out: &mut String) {
        let r = |value: Value| self.read(value);
        let op = &self.program.values[value as usize];
        let of = self.type_of(value);
        let p = if of == "lanes" { "l" } else { self.prefix() };
        let plain = of == "real";
        let text = match *op {
            Op::Add(a, b) if plain => format!("{} + {}", r(a), r(b)),
            Op::Sub(a, b) if plain => format!("{} - {}", r(a), r(b)),
            Op::Mul(a, b) if plain => format!("{} * {}", r(a), r(b)),
            Op::Div(a, b) if plain => format!("{} / {}", r(a), r(b)),
            Op::Neg(a) if plain => format!("-{}", r(a)),
            Op::Gather(g) => {
                if let Some(from) = self.contiguous(&self.program.gathers[g as usize]) {
                    let _ = writeln!(out, "    const lanes t{value} = l_load({from});");
                    return;
                }
                let mut all: Vec<String> = self.program.gathers[g as usize].iter().map(|&v| r(v)).collect();
                all.resize(4, "0".into());
                format!("l_set({})", all.join(", "))
            }
            Op::Splat(a) => format!("l_splat({})", r(a)),
            Op::Lane(a, k) => format!("l_lane({}, {k})", r(a)),
            Op::Turn(a, k) => format!("l_turned{k}({})", r(a)),
            _ => on_registers(op, p, r).unwrap_or_else(|| self.read(value)),
        };
        let _ = writeln!(out, "    {} t{value} = {text};", self.language.constant(of));
    }
}

/// Returns the words in a text, to find which names occur in it.
fn words(text: &str) -> HashSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

fn argument_names<'a>(module: &Module, program: &'a Program) -> impl Iterator<Item = &'a str> {
    let table = (module.numbers == Numbers::Table).then_some("table");
    table.into_iter().chain(program.inputs.iter().chain(&program.outputs).map(|array| array.name))
}

/// Lists the parameters, with or without their type and qualifier.
fn arguments(module: &Module, program: &Program, typed: Option<(&str, &str)>) -> String {
    let table = usize::from(module.numbers == Numbers::Table);
    let constant = table + program.inputs.len();
    let all = argument_names(module, program).enumerate().map(|(k, name)| match typed {
        Some((real, restrict)) => {
            format!("{}{real} *{restrict} {name}", if k < constant { "const " } else { "" })
        }
        None => name.into(),
    });
    all.collect::<Vec<_>>().join(", ")
}
