//! C99: one `.c` and one `.h`, no allocation, no globals that change.
//!
//! ```text
//! int arm6_rnea(const double *table, const double *q, …, double *tau)          one state
//! int arm6_rnea_x4(…)                                                          four, lane by lane: x[4 k + state]
//! int arm6_rnea_many(const double *table, size_t states, …)                    any number, state by state
//! ```

use super::identifier;
use crate::module::Module;
use crate::plan::{Block, Plan};
use crate::program::{Array, Op, Product, Program, Value};
use crate::record::Numbers;
use std::fmt::Write;

/// How C is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `double`, or `float`.
    pub precision: Precision,
    /// Whether functions for many states are wanted.
    pub lanes: bool,
}

/// Of the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `double`
    F64,
    /// `float`
    F32,
}

/// The two files.
#[derive(Clone, Debug)]
pub struct Files {
    /// What functions begin with.
    pub prefix: String,
    /// The declarations.
    pub header: String,
    /// The code.
    pub source: String,
}

/// Writes a module.
pub fn write(module: &Module, options: Options) -> Files {
    let prefix = identifier(&module.robot);
    let real = match options.precision {
        Precision::F64 => ["double", "fma", "sqrt", "atan2"],
        Precision::F32 => ["float", "fmaf", "sqrtf", "atan2f"],
    };
    let mut source = format!("#include \"{prefix}.h\"\n\n#include <math.h>\n#include <string.h>\n\n");
    let mut prelude = include_str!("prelude.c").to_string();
    for (from, to) in ["@REAL@", "@FMA@", "@SQRT@", "@ATAN2@"].into_iter().zip(real) {
        prelude = prelude.replace(from, to);
    }
    source += &prelude;
    source.push('\n');
    source += include_str!("lanes.c");
    source += TURN_ALL;
    let mut header = String::new();
    let guard = format!("{}_H", prefix.to_uppercase());
    let _ = write!(header, "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n");
    if module.numbers == Numbers::Table {
        let n = module.table.len();
        let _ = write!(header, "extern const {} {prefix}_table[{}];\n\n", real[0], n.max(1));
        let numbers: Vec<String> = module.table.iter().map(|p| number(p.value, options.precision)).collect();
        let numbers = if n == 0 { "0".to_string() } else { numbers.join(",\n    ") };
        let _ = write!(source, "\nconst {} {prefix}_table[{}] = {{\n    {numbers}\n}};\n", real[0], n.max(1));
    }
    for program in &module.programs {
        Writer::new(module, program, &prefix, options, Kind::One).function(&mut source, &mut header);
        if options.lanes {
            Writer::new(module, program, &prefix, options, Kind::Four).function(&mut source, &mut header);
            many(module, program, &prefix, real[0], &mut source, &mut header);
        }
    }
    header += "#endif\n";
    Files { prefix, header, source }
}

/// Sine and cosine of many angles, of one state or of four.
const TURN_ALL: &str = "
DTAU_PART void r_turn(int n, const real *x, real *s, real *c)
{
    int k = 0;
    for (; k < n; k += 4) {
        double a[4] = {0.0, 0.0, 0.0, 0.0}, sk[4], ck[4];
        lanes sine, cosine;
        const int m = n - k < 4 ? n - k : 4;
        for (int i = 0; i < m; i++) a[i] = (double)x[k + i];
        l_sincos(l_load(a), &sine, &cosine);
        l_store(sk, sine);
        l_store(ck, cosine);
        for (int i = 0; i < m; i++) {
            s[k + i] = (real)sk[i];
            c[k + i] = (real)ck[i];
        }
    }
}
DTAU_PART void l_turn(int n, const lanes *x, lanes *s, lanes *c)
{
    for (int k = 0; k < n; k++) l_sincos(x[k], &s[k], &c[k]);
}
/* Of what is computed from other sines. */
DTAU_INLINE real r_sin(real x) { double s, c; d_sincos((double)x, &s, &c); return (real)s; }
DTAU_INLINE real r_cos(real x) { double s, c; d_sincos((double)x, &s, &c); return (real)c; }
DTAU_INLINE lanes l_sin(lanes x) { lanes s, c; l_sincos(x, &s, &c); return s; }
DTAU_INLINE lanes l_cos(lanes x) { lanes s, c; l_sincos(x, &s, &c); return c; }
";

/// A constant.
fn number(x: f64, precision: Precision) -> String {
    match precision {
        Precision::F64 => format!("{x:?}"),
        Precision::F32 => format!("{:?}f", x as f32),
    }
}

/// What a function computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One state; limbs may go side by side.
    One,
    /// Four states side by side.
    Four,
}

struct Writer<'a> {
    module: &'a Module,
    program: &'a Program,
    plan: Plan,
    /// The function's name.
    name: String,
    options: Options,
    kind: Kind,
}

impl<'a> Writer<'a> {
    fn new(module: &'a Module, program: &'a Program, prefix: &str, options: Options, kind: Kind) -> Self {
        let name = format!("{prefix}_{}{}", program.name, if kind == Kind::Four { "_x4" } else { "" });
        Self { module, program, plan: Plan::new(program), name, options, kind }
    }

    fn has_table(&self) -> bool {
        self.module.numbers == Numbers::Table
    }

    /// The parameters, with their types or without.
    fn arguments(&self, typed: bool) -> String {
        arguments(self.module, self.program, typed.then_some(self.real()))
    }

    fn real(&self) -> &'static str {
        match self.options.precision {
            Precision::F64 => "double",
            Precision::F32 => "float",
        }
    }

    fn function(&self, source: &mut String, header: &mut String) {
        let (plan, real) = (&self.plan, self.real());
        let number = if self.kind == Kind::Four { "lanes" } else { "real" };
        for (k, block) in plan.blocks.iter().enumerate() {
            self.block(k, block, source);
        }
        let _ = writeln!(header, "int {}({});\n", self.name, self.arguments(true));
        let _ = writeln!(source, "\nint {}({})\n{{", self.name, self.arguments(true));
        let (slots, wide) = (plan.slots.max(1), plan.wide_slots);
        let _ = writeln!(source, "    {number} kept[{slots}];");
        if wide > 0 {
            let _ = writeln!(source, "    lanes u[{wide}];");
        }
        let angles = plan.angles.len();
        if angles > 0 {
            let _ = writeln!(source, "    {number} angle[{angles}];");
            for &value in &plan.before {
                self.statement(value, source);
            }
            for (k, &value) in plan.angles.iter().enumerate() {
                let _ = writeln!(source, "    angle[{k}] = {};", self.read(value));
            }
            let turn = if self.kind == Kind::Four { "l_turn" } else { "r_turn" };
            let _ = writeln!(source, "    {turn}({angles}, angle, kept, kept + {angles});");
        }
        for (array, values) in self.program.outputs.iter().zip(&self.program.results) {
            self.leaves(array, values, source);
        }
        if self.program.health.is_some() {
            let _ = writeln!(source, "    {real} health[{}];", if self.kind == Kind::Four { 4 } else { 1 });
        }
        for k in 0..plan.blocks.len() {
            let _ = writeln!(source, "    {};", self.call_of_block(k, false));
        }
        for product in &self.program.products {
            self.product(product, source);
        }
        match (self.program.health, self.kind) {
            (None, _) => source.push_str("    return 0;\n"),
            (Some(_), Kind::One) => source.push_str("    return !(health[0] >= 0);\n"),
            (Some(_), Kind::Four) => {
                let each: Vec<String> = (0..4).map(|k| format!("!(health[{k}] >= 0) << {k}")).collect();
                let _ = writeln!(source, "    return {};", each.join(" | "));
            }
        }
        source.push_str("}\n");
    }

    /// Results that nobody computes: constants, inputs, sines.
    fn leaves(&self, array: &Array, values: &[Value], source: &mut String) {
        for (i, &value) in values.iter().enumerate() {
            let op = &self.program.values[value as usize];
            if !op.is_operation() && !matches!(op, Op::Lane(..)) || self.plan.turn(op).is_some() {
                let _ = writeln!(source, "    {};", self.store(array.name, i, &self.read(value)));
            }
        }
    }

    fn call_of_block(&self, k: usize, typed: bool) -> String {
        let number = if self.kind == Kind::Four { "lanes" } else { "real" };
        let mut arguments = self.arguments(typed);
        let mut add = |name: &str, of: &str| {
            arguments += if arguments.is_empty() { "" } else { ", " };
            arguments += &if typed { format!("{of} *restrict {name}") } else { name.into() };
        };
        add("kept", number);
        if self.plan.wide_slots > 0 {
            add("u", "lanes");
        }
        if self.program.health.is_some() {
            add("health", "real");
        }
        format!("{}_part{}({arguments})", self.name, k + 1)
    }

    fn block(&self, k: usize, block: &Block, source: &mut String) {
        let (mut body, program) = (String::new(), self.program);
        for &(value, slot) in &block.loads {
            let wide = self.plan.is_wide[value as usize];
            let (of, from) = if wide { ("lanes", "u") } else { (self.type_of(value), "kept") };
            let _ = writeln!(body, "    const {of} t{value} = {from}[{slot}];");
        }
        let mut stores: std::collections::HashMap<Value, Vec<(&str, usize)>> = Default::default();
        for (array, values) in program.outputs.iter().zip(&program.results) {
            for (i, &value) in values.iter().enumerate() {
                stores.entry(value).or_default().push((array.name, i));
            }
        }
        for &value in &block.body {
            self.statement(value, &mut body);
            if let Some(slot) = block.saves.get(&value) {
                let to = if self.plan.is_wide[value as usize] { "u" } else { "kept" };
                let _ = writeln!(body, "    {to}[{slot}] = t{value};");
            }
            for (name, i) in stores.get(&value).into_iter().flatten() {
                let _ = writeln!(body, "    {};", self.store(name, *i, &format!("t{value}")));
            }
            if program.health == Some(value) {
                let store = match self.kind {
                    Kind::One => format!("health[0] = t{value}"),
                    Kind::Four => format!("l_store(health, t{value})"),
                };
                let _ = writeln!(body, "    {store};");
            }
        }
        let _ = writeln!(source, "\nDTAU_PART void {}\n{{", self.call_of_block(k, true));
        // What a part does not use.
        let mut names: Vec<&str> = program.inputs.iter().chain(&program.outputs).map(|a| a.name).collect();
        names.extend(self.has_table().then_some("table").into_iter().chain(["kept"]));
        names.extend((self.plan.wide_slots > 0).then_some("u"));
        names.extend(program.health.map(|_| "health"));
        for name in names {
            let _ = writeln!(source, "    (void){name};");
        }
        source.push_str(&body);
        source.push_str("}\n");
    }

    fn type_of(&self, value: Value) -> &'static str {
        let wide = self.kind == Kind::Four || self.plan.is_wide[value as usize];
        if wide { "lanes" } else { "real" }
    }

    fn store(&self, name: &str, i: usize, what: &str) -> String {
        match self.kind {
            Kind::One => format!("{name}[{i}] = {what}"),
            Kind::Four => format!("l_store({name} + {}, {what})", 4 * i),
        }
    }

    /// A value where it stands.
    fn read(&self, value: Value) -> String {
        let op = &self.program.values[value as usize];
        let four = self.kind == Kind::Four;
        if let Some(slot) = self.plan.turn(op) {
            return format!("kept[{slot}]");
        }
        let leaf = match *op {
            Op::Constant(x) => number(x, self.options.precision),
            Op::Parameter(p) => format!("table[{p}]"),
            Op::Input(array, k) => {
                let name = self.program.inputs[array as usize].name;
                return if four { format!("l_load({name} + {})", 4 * k) } else { format!("{name}[{k}]") };
            }
            _ => return format!("t{value}"),
        };
        if four { format!("l_splat({leaf})") } else { leaf }
    }

    fn statement(&self, value: Value, out: &mut String) {
        let r = |value: Value| self.read(value);
        let op = &self.program.values[value as usize];
        let wide = self.type_of(value) == "lanes";
        let p = if wide { 'l' } else { 'r' };
        let text = match *op {
            Op::Add(a, b) if wide => format!("l_add({}, {})", r(a), r(b)),
            Op::Sub(a, b) if wide => format!("l_sub({}, {})", r(a), r(b)),
            Op::Mul(a, b) if wide => format!("l_mul({}, {})", r(a), r(b)),
            Op::Div(a, b) if wide => format!("l_div({}, {})", r(a), r(b)),
            Op::Neg(a) if wide => format!("l_neg({})", r(a)),
            Op::Add(a, b) => format!("{} + {}", r(a), r(b)),
            Op::Sub(a, b) => format!("{} - {}", r(a), r(b)),
            Op::Mul(a, b) => format!("{} * {}", r(a), r(b)),
            Op::Div(a, b) => format!("{} / {}", r(a), r(b)),
            Op::Neg(a) => format!("-{}", r(a)),
            Op::MulAdd(a, b, c) => format!("{p}_fma({}, {}, {})", r(a), r(b), r(c)),
            Op::MulSub(a, b, c) => format!("{p}_fms({}, {}, {})", r(a), r(b), r(c)),
            Op::NegMulAdd(a, b, c) => format!("{p}_fnma({}, {}, {})", r(a), r(b), r(c)),
            Op::Sqrt(a) => format!("{p}_sqrt({})", r(a)),
            Op::Atan2(a, b) => format!("{p}_atan2({}, {})", r(a), r(b)),
            Op::Select(a, b, c, d) => format!("{p}_select({}, {}, {}, {})", r(a), r(b), r(c), r(d)),
            Op::Sin(a) => format!("{p}_sin({})", r(a)),
            Op::Cos(a) => format!("{p}_cos({})", r(a)),
            Op::Gather(g) => {
                let mut all: Vec<String> = self.program.gathers[g as usize].iter().map(|&v| r(v)).collect();
                all.resize(4, "0.0".into());
                format!("l_set({})", all.join(", "))
            }
            Op::Splat(a) => format!("l_splat({})", r(a)),
            Op::Lane(a, k) => format!("l_lane({}, {k})", r(a)),
            Op::Constant(_) | Op::Parameter(_) | Op::Input(..) => r(value),
        };
        let _ = writeln!(out, "    const {} t{value} = {text};", self.type_of(value));
    }

    /// −left · right, column by column; both right factors have their zeros in the same places.
    fn product(&self, product: &Product, source: &mut String) {
        let n = product.rows.len();
        let names: Vec<&str> = product.outputs.iter().map(|&o| self.program.outputs[o].name).collect();
        let left = self.program.outputs[product.left].name;
        let mut runs = Vec::new();
        let mut first = vec![0];
        for rows in &product.rows {
            runs.extend(rows.iter().map(|run| format!("{{{}, {}}}", run.start, run.end)));
            first.push(runs.len());
        }
        let first: Vec<String> = first.iter().map(usize::to_string).collect();
        let _ = writeln!(source, "    static const unsigned short runs[{}][2] = {{{}}};", runs.len(), runs.join(", "));
        let _ = writeln!(source, "    static const unsigned short first[{}] = {{{}}};", n + 1, first.join(", "));
        let (load, store, splat) = match self.kind {
            Kind::One => ("r_product1", "", ""),
            Kind::Four => ("l_product4", "", ""),
        };
        let _ = (store, splat);
        let _ = writeln!(source, "    {load}({n}, runs, first, {left}, {}, {});", names[0], names[1]);
    }
}

fn arguments(module: &Module, program: &Program, real: Option<&str>) -> String {
    let mut all = Vec::new();
    let typed = |constant: &str, name: &str| match real {
        Some(real) => format!("{constant}{real} *restrict {name}"),
        None => name.into(),
    };
    if module.numbers == Numbers::Table {
        all.push(typed("const ", "table"));
    }
    all.extend(program.inputs.iter().map(|array| typed("const ", array.name)));
    all.extend(program.outputs.iter().map(|array| typed("", array.name)));
    all.join(", ")
}

/// Any number of states: fours side by side, the rest one by one.
fn many(module: &Module, program: &Program, prefix: &str, real: &str, source: &mut String, header: &mut String) {
    let name = format!("{prefix}_{}", program.name);
    let mut parameters = vec!["size_t states".to_string()];
    parameters.push(arguments(module, program, Some(real)));
    let declaration = format!("int {name}_many({})", parameters.join(", "));
    let _ = writeln!(header, "{declaration};\n");
    let _ = writeln!(source, "\n{declaration}\n{{\n    int status = 0;\n    size_t s = 0;");
    for array in program.inputs.iter().chain(&program.outputs) {
        let _ = writeln!(source, "    double four_{}[{}];", array.name, 4 * array.len().max(1));
    }
    source.push_str("    for (; s + 4 <= states; s += 4) {\n");
    for array in &program.inputs {
        let (n, x) = (array.len(), array.name);
        let _ = writeln!(source, "        l_pack({n}, {x} + s * {n}, four_{x});");
    }
    let table = (module.numbers == Numbers::Table).then_some("table".to_string());
    let fours = program.inputs.iter().chain(&program.outputs).map(|array| format!("four_{}", array.name));
    let fours: Vec<String> = table.clone().into_iter().chain(fours).collect();
    let _ = writeln!(source, "        status |= {name}_x4({});", fours.join(", "));
    for array in &program.outputs {
        let (n, y) = (array.len(), array.name);
        let _ = writeln!(source, "        l_unpack({n}, four_{y}, {y} + s * {n});");
    }
    source.push_str("    }\n    for (; s < states; s++) {\n");
    let ones =
        (program.inputs.iter().chain(&program.outputs)).map(|array| format!("{} + s * {}", array.name, array.len()));
    let ones: Vec<String> = table.into_iter().chain(ones).collect();
    let _ = writeln!(source, "        status |= {name}({});\n    }}\n    return status != 0;\n}}", ones.join(", "));
}
