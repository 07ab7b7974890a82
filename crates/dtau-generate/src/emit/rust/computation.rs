//! What a function computes: sines first, then parts of a size that compilers like, then products.

use super::function::{Entry, Writer};
use crate::emit::stores::Stores;
use crate::plan::Block;
use crate::program::{Op, Value};
use std::collections::HashMap;
use std::fmt::Write;

impl Writer<'_> {
    /// The program, in the ways in which it is entered.
    pub(super) fn computation(&self, out: &mut String) {
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

    pub(super) fn angles(&self) -> usize {
        self.plan.angles.len()
    }

    /// Numbers kept from part to part.
    pub(super) fn slots(&self) -> usize {
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

    /// What parts take beside the function's own arguments: name, type.
    fn more(&self, n: &str) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        let angles = self.angles();
        if angles > 0 {
            all.push(("sin", format!("&[{n}; {angles}]")));
            all.push(("cos", format!("&[{n}; {angles}]")));
        }
        all.extend(self.room(n).into_iter().map(|(name, of, _)| (name, format!("&mut {of}"))));
        if self.program.health.is_some() {
            all.push(("ill", "&mut u32".into()));
        }
        all
    }

    /// What is kept from part to part: name, type, and what it is at first.
    pub(super) fn room(&self, n: &str) -> Vec<(&'static str, String, String)> {
        let mut all = Vec::new();
        let (slots, wide) = (self.slots(), self.plan.wide_slots);
        if slots > 0 {
            all.push(("kept", format!("[{n}; {slots}]"), format!("[{n}::of(0.0); {slots}]")));
        }
        if wide > 0 {
            let (each, zero) = match &self.stores {
                Some(Stores { limbs, .. }) => (format!("[{n}; {limbs}]"), format!("[{n}::of(0.0); {limbs}]")),
                None => (format!("<{n} as Limbs>::Wide"), format!("{n}::of(0.0).splat()")),
            };
            all.push(("wide", format!("[{each}; {wide}]"), format!("[{zero}; {wide}]")));
        }
        all
    }

    fn part(&self, k: usize, block: &Block, out: &mut String) {
        let body = match &self.stores {
            Some(stores) => self.looped(stores, block),
            None => self.statements(block),
        };
        let name = format!("{}_part{}", self.name, k + 1);
        let parameters = |place: &str, n: &str| {
            let more = self.more(n).into_iter().map(|(name, of)| format!("{name}: {of}"));
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

    /// What a part computes, statement by statement.
    fn statements(&self, block: &Block) -> String {
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
        body
    }

    pub(super) fn slot(&self, value: Value, slot: usize) -> String {
        match self.plan.is_wide[value as usize] {
            true => format!("wide[{slot}]"),
            false => format!("kept[{}]", slot - 2 * self.angles()),
        }
    }

    /// One function on one kind of numbers.
    fn driver(&self, entry: Entry, begins: bool, out: &mut String) {
        let (name, n) = (&self.name, entry.number());
        let arguments = self.arguments().join(", ");
        let room = self.room(n);
        // Many states share the room of one call.
        let in_room = if self.keeps_room(entry) { "_in" } else { "" };
        let mut parameters = self.parameters(entry.place());
        if self.keeps_room(entry) {
            self.with_room(entry, &parameters.join(", "), &arguments, out);
            parameters.extend(room.iter().map(|(name, of, _)| format!("{name}: &mut {of}")));
        }
        let _ = writeln!(
            out,
            "\n{}fn {name}_{}{in_room}({}) -> u32 {{",
            entry.attributes(),
            entry.suffix(),
            parameters.join(", ")
        );
        if begins {
            let bind = if self.angles() > 0 { "let (sin, cos) = " } else { "" };
            let _ = writeln!(out, "    {bind}{name}_begin::<{n}>({arguments});");
        }
        if !self.keeps_room(entry) {
            for (name, _, zero) in &room {
                let _ = writeln!(out, "    let mut {name} = {zero};");
            }
        }
        let health = self.program.health;
        if health.is_some() {
            out.push_str("    let mut ill = 0;\n");
        }
        let pass = |name: &str| match name {
            "sin" | "cos" => format!("&{name}"),
            "kept" | "wide" if self.keeps_room(entry) => name.into(),
            _ => format!("&mut {name}"),
        };
        let more = self.more(n).into_iter().map(|(name, _)| pass(name));
        let all: Vec<String> = self.arguments().into_iter().chain(more).collect();
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

    /// Whether a function takes the room that its parts keep numbers in: clearing it costs, and many states need it once.
    pub(super) fn keeps_room(&self, entry: Entry) -> bool {
        entry == Entry::Lanes && !self.room("").is_empty()
    }

    /// The function that has the room itself.
    fn with_room(&self, entry: Entry, parameters: &str, arguments: &str, out: &mut String) {
        let (name, suffix) = (&self.name, entry.suffix());
        let _ = writeln!(out, "\n{}fn {name}_{suffix}({parameters}) -> u32 {{", entry.attributes());
        let mut pass = arguments.to_string();
        for (name, _, zero) in self.room(entry.number()) {
            let _ = writeln!(out, "    let mut {name} = {zero};");
            let _ = write!(pass, ", &mut {name}");
        }
        let _ = writeln!(out, "    {name}_{suffix}_in({pass})\n}}");
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

    /// A value where it stands.
    pub(super) fn read(&self, value: Value) -> String {
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
        let wide = self.plan.is_wide[value as usize];
        // One number among those of limbs is all of theirs.
        let r = |operand: Value| match wide && !self.plan.is_wide[operand as usize] {
            true => format!("{}.splat()", self.read(operand)),
            false => self.read(operand),
        };
        let text = match self.program.values[value as usize] {
            Op::Gather(g) => {
                let mut all: Vec<String> = self.program.gathers[g as usize].iter().map(|&v| self.read(v)).collect();
                all.resize(4, "N::of(0.0)".into());
                format!("N::gather([{}])", all.join(", "))
            }
            Op::Splat(a) => format!("{}.splat()", self.read(a)),
            Op::Lane(a, k) => format!("N::lane::<{k}>({})", self.read(a)),
            Op::Turn(a, k) => format!("N::turned::<{k}>({})", self.read(a)),
            _ => self.operation(value, if wide { "N::Wide" } else { "N" }, r),
        };
        let _ = writeln!(out, "    let t{value} = {text};");
    }

    /// An operation on numbers of a type; `r` reads its operands.
    pub(super) fn operation(&self, value: Value, of: &str, r: impl Fn(Value) -> String) -> String {
        match self.program.values[value as usize] {
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
            Op::Select(a, b, c, d) => format!("{of}::select({}, {}, {}, {})", r(a), r(b), r(c), r(d)),
            Op::Sin(a) => format!("{}.sin_cos().0", r(a)),
            Op::Cos(a) => format!("{}.sin_cos().1", r(a)),
            _ => r(value),
        }
    }
}
