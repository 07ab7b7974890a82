//! A function of the output: how it is called, and how calls find the code for this CPU.

use super::{File, X86};
use crate::emit::identifier;
use crate::emit::stores::Stores;
use crate::plan::Plan;
use crate::program::{Array, Program, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// How a function is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// One state, any CPU.
    Portable,
    /// One state, AVX2 and FMA.
    Fused,
    /// Several states side by side, likewise.
    Lanes,
}

impl Entry {
    /// What its functions end in.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Entry::Portable => "portable",
            Entry::Fused => "fused",
            Entry::Lanes => "lanes",
        }
    }

    /// What it computes with.
    pub(super) fn number(self) -> &'static str {
        match self {
            Entry::Portable => "Real",
            Entry::Fused => "Fused",
            Entry::Lanes => "Lanes",
        }
    }

    pub(super) fn place(self) -> &'static str {
        if self == Entry::Lanes { "[Real; LANES]" } else { "Real" }
    }

    /// Before a function.
    pub(super) fn attributes(self) -> String {
        match self {
            Entry::Portable => String::new(),
            _ => format!("{X86}#[target_feature(enable = \"avx2,fma\")]\n"),
        }
    }
}

/// One function.
pub(super) struct Writer<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) program: &'a Program,
    pub(super) plan: Plan,
    pub(super) name: String,
    /// Names of inputs, of outputs.
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    /// The ways in which it is entered.
    pub(super) entries: Vec<Entry>,
    /// The same with limbs side by side, for one state on CPUs with registers.
    limbs: Option<Box<Writer<'a>>>,
    /// The same with loops over limbs, for several states.
    looped: Option<Box<Writer<'a>>>,
    /// Where limbs are a loop: where their values go,
    pub(super) stores: Option<Stores>,
    /// and where values are kept.
    pub(super) slots_of_values: HashMap<Value, usize>,
}

/// Names that the code has for itself.
const TAKEN: [&str; 10] = ["table", "states", "sin", "cos", "kept", "wide", "ill", "x", "y", "fill"];

impl<'a> Writer<'a> {
    pub(super) fn new(file: &'a File<'a>, program: &'a Program) -> Self {
        let mut function = Self::blank(file, program, Plan::new(program), identifier(&program.name));
        function.entries.push(Entry::Portable);
        if !file.chooses() {
            return function;
        }
        let Some(one) = program.one_state.as_deref() else {
            function.entries.push(Entry::Fused);
            if file.options.lanes && !function.has_limbs() {
                function.entries.push(Entry::Lanes);
            }
            return function;
        };
        let mut limbs = Self::blank(file, one, Plan::new(one), format!("{}_of_limbs", function.name));
        limbs.entries.push(Entry::Fused);
        function.limbs = Some(Box::new(limbs));
        if file.options.lanes {
            let mut looped = Self::blank(file, one, Plan::looped(one), format!("{}_over_limbs", function.name));
            looped.entries.push(Entry::Lanes);
            looped.stores = Some(Stores::of(one));
            let saves = looped.plan.blocks.iter().flat_map(|block| &block.saves);
            looped.slots_of_values = saves.map(|(&value, &slot)| (value, slot)).collect();
            function.looped = Some(Box::new(looped));
        }
        function
    }

    fn blank(file: &'a File<'a>, program: &'a Program, plan: Plan, name: String) -> Self {
        let names = |arrays: &[Array]| -> Vec<String> {
            let clean = |array: &Array| match identifier(array.name) {
                name if TAKEN.contains(&name.as_str()) => name + "_",
                name => name,
            };
            arrays.iter().map(clean).collect()
        };
        Writer {
            file,
            program,
            plan,
            name,
            inputs: names(&program.inputs),
            outputs: names(&program.outputs),
            entries: Vec::new(),
            limbs: None,
            looped: None,
            stores: None,
            slots_of_values: HashMap::new(),
        }
    }

    /// Whether limbs go side by side in one state; then states cannot.
    pub(super) fn has_limbs(&self) -> bool {
        self.stores.is_none() && self.plan.is_wide.contains(&true)
    }

    /// What computes several states side by side on CPUs with registers, if anything does.
    fn lanes(&self) -> Option<&Writer<'a>> {
        let looped = self.looped.as_deref();
        looped.or_else(|| self.entries.contains(&Entry::Lanes).then_some(self))
    }

    /// The function for one state on CPUs with registers.
    fn fused(&self) -> String {
        format!("{}_fused", self.limbs.as_ref().map_or(&self.name, |limbs| &limbs.name))
    }

    /// The parameters, with types of arrays of places.
    pub(super) fn parameters(&self, place: &str) -> Vec<String> {
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
    pub(super) fn arguments(&self) -> Vec<String> {
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
    pub(super) fn public(&self, out: &mut String) {
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
        let body = match self.lanes() {
            Some(lanes) => call(&format!("{}_lanes", lanes.name), &format!("{name}_one_by_one"), &arguments),
            None => format!("{name}_one_by_one({arguments})"),
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
    pub(super) fn body(&self, out: &mut String) {
        self.computation(out);
        for other in self.limbs.iter().chain(&self.looped) {
            other.computation(out);
        }
        self.one_by_one(out);
        self.many(Entry::Portable, out);
        if self.file.chooses() {
            self.many(if self.lanes().is_some() { Entry::Lanes } else { Entry::Fused }, out);
        }
        self.by_slices(out);
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
        let _ = writeln!(out, "        ill |= self::{name}({}).is_err() as u32 * (1 << k);", pass.join(", "));
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
        let Some(lanes) = self.lanes().filter(|_| entry == Entry::Lanes) else {
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
        };
        let both = self.inputs.iter().zip(&self.program.inputs).chain(self.outputs.iter().zip(&self.program.outputs));
        for (x, array) in both {
            let _ = writeln!(out, "    let mut {x}_side_by_side = [[0.0; LANES]; {}];", array.len());
        }
        let mut function = format!("{}_lanes", lanes.name);
        let mut room = Vec::new();
        if lanes.keeps_room(entry) {
            function += "_in";
            for (name, _, zero) in lanes.room("Lanes") {
                let _ = writeln!(out, "    let mut {name} = {zero};");
                room.push(format!("&mut {name}"));
            }
        }
        out.push_str("    let mut k = 0;\n    while k < states {\n");
        let mut pass: Vec<String> = table.into_iter().collect();
        for x in &self.inputs {
            let _ = writeln!(out, "        pack({x}, k, states, &mut {x}_side_by_side);");
            pass.push(format!("&{x}_side_by_side"));
        }
        pass.extend(self.outputs.iter().map(|y| format!("&mut {y}_side_by_side")));
        pass.extend(room);
        let _ = writeln!(out, "        let ill = {function}({});", pass.join(", "));
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
}
