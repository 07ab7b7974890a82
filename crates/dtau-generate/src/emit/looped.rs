//! C for many states of a robot with limbs of one shape: what lanes are to one state, a loop is to many. The code is as long as one limb.
//!
//! Four states (or eight, in `float`) are in the lanes of a register; a number of all limbs is an array with one register a limb.

use super::c::runtime::Side;
use super::c::{Precision, number};
use crate::plan::{Block, Plan};
use crate::program::{Op, Program, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// Entries of an output that are the lanes of a value: which output, and the entry of each lane that is one.
type Store = (usize, Vec<Option<usize>>);

/// What is written, part by part.
pub(super) struct Looped<'a> {
    program: &'a Program,
    plan: Plan,
    precision: Precision,
    /// States side by side.
    side: &'static Side,
    width: usize,
    /// Most limbs of a class: how far apart numbers of limbs are kept.
    pub(super) limbs: usize,
    /// For every value in lanes: which entries of which outputs its lanes are.
    results: HashMap<Value, Vec<Store>>,
    /// For every other value: the entries of outputs that it is.
    entries: HashMap<Value, Vec<(usize, usize)>>,
    /// Whether somebody computes with a value.
    is_operand: Vec<bool>,
    /// Where values are kept.
    slots: HashMap<Value, usize>,
}

impl<'a> Looped<'a> {
    /// Of a program with limbs side by side.
    pub(super) fn new(program: &'a Program, precision: Precision, side: &'static Side) -> Self {
        let limbs = program.gathers.iter().map(Vec::len).max().unwrap_or(0);
        let plan = Plan::looped(program);
        let mut is_operand = vec![false; program.values.len()];
        for value in program.values.iter().flat_map(Op::operands).chain(program.health) {
            is_operand[value as usize] = true;
        }
        let mut looped = Self {
            slots: plan.blocks.iter().flat_map(|block| &block.saves).map(|(&value, &slot)| (value, slot)).collect(),
            program,
            plan,
            precision,
            side,
            width: side.width,
            limbs,
            results: HashMap::new(),
            entries: HashMap::new(),
            is_operand,
        };
        looped.find_results();
        looped
    }

    fn op(&self, value: Value) -> &'a Op {
        &self.program.values[value as usize]
    }

    /// An array that values are stored to.
    fn name_of(&self, array: usize) -> &'static str {
        self.program.arrays().nth(array).map_or("", |array| array.name)
    }

    /// Entries of outputs that are lanes of one value are stored in its loop.
    fn find_results(&mut self) {
        for (array, values) in self.program.results.iter().enumerate() {
            // How often each lane of a value has come in this array.
            let mut count: HashMap<(Value, u32), usize> = HashMap::new();
            for (i, &value) in values.iter().enumerate() {
                let Op::Lane(from, lane) = *self.op(value) else {
                    self.entries.entry(value).or_default().push((array, i));
                    continue;
                };
                let nth = count.entry((from, lane)).or_default();
                let stores = self.results.entry(from).or_default();
                let mut mine: Vec<&mut Store> = stores.iter_mut().filter(|(a, _)| *a == array).collect();
                if let Some((_, lanes)) = mine.get_mut(*nth) {
                    lanes[lane as usize] = Some(i);
                } else {
                    let mut lanes = vec![None; self.limbs];
                    lanes[lane as usize] = Some(i);
                    stores.push((array, lanes));
                }
                *nth += 1;
            }
        }
    }

    /// The statements of a block.
    pub(super) fn block(&self, block: &Block) -> String {
        let mut out = String::new();
        let pad = if block.limbs > 0 { "        " } else { "    " };
        let body: Vec<String> = block.body.iter().map(|&value| self.statement(value, block, pad)).collect();
        let body: String = body.concat();
        if block.limbs > 0 {
            let _ = writeln!(out, "    for (int l = 0; l < {}; l++) {{\n{body}    }}", block.limbs);
        } else {
            out = body;
        }
        out
    }

    fn statement(&self, value: Value, block: &Block, pad: &str) -> String {
        let mut out = String::new();
        let (p, of) = (self.side.prefix, self.side.name);
        let r = |operand: Value| self.read(operand, block);
        let op = self.op(value);
        let text = match *op {
            Op::Add(a, b) => format!("{p}_add({}, {})", r(a), r(b)),
            Op::Sub(a, b) => format!("{p}_sub({}, {})", r(a), r(b)),
            Op::Mul(a, b) => format!("{p}_mul({}, {})", r(a), r(b)),
            Op::Div(a, b) => format!("{p}_div({}, {})", r(a), r(b)),
            Op::Neg(a) => format!("{p}_neg({})", r(a)),
            Op::MulAdd(a, b, c) => format!("{p}_fma({}, {}, {})", r(a), r(b), r(c)),
            Op::MulSub(a, b, c) => format!("{p}_fms({}, {}, {})", r(a), r(b), r(c)),
            Op::NegMulAdd(a, b, c) => format!("{p}_fnma({}, {}, {})", r(a), r(b), r(c)),
            Op::Sqrt(a) => format!("{p}_sqrt({})", r(a)),
            Op::Sin(a) => format!("{p}_sin({})", r(a)),
            Op::Cos(a) => format!("{p}_cos({})", r(a)),
            Op::Atan2(a, b) => format!("{p}_atan2({}, {})", r(a), r(b)),
            Op::Select(a, b, c, d) => format!("{p}_select({}, {}, {}, {})", r(a), r(b), r(c), r(d)),
            Op::Lane(a, lane) => match self.program.values[a as usize] {
                Op::Gather(g) => self.read(self.program.gathers[g as usize][lane as usize], block),
                _ => format!("kept_of_limbs[{} + {lane}]", self.limbs * self.slot(a)),
            },
            Op::Turn(a, by) => match self.program.values[a as usize] {
                Op::Gather(g) => self.gathered(&self.turned(&self.program.gathers[g as usize], by)),
                _ => format!("kept_of_limbs[{} + (l + {by}) % {}]", self.limbs * self.slot(a), block.limbs),
            },
            Op::Constant(_) | Op::Parameter(_) | Op::Input(..) | Op::Gather(_) | Op::Splat(_) => r(value),
        };
        // A lane that is nothing but an entry of an output was stored in its loop.
        let is_stored = matches!(op, Op::Lane(a, _) if self.results.contains_key(a));
        if is_stored && !self.is_operand[value as usize] {
            return out;
        }
        let _ = writeln!(out, "{pad}const {of} t{value} = {text};");
        if let Some(slot) = block.saves.get(&value) {
            let to = if block.limbs > 0 {
                format!("kept_of_limbs[{} + l]", self.limbs * slot)
            } else {
                format!("kept[{slot}]")
            };
            let _ = writeln!(out, "{pad}{to} = t{value};");
        }
        if block.limbs > 0 {
            for (array, lanes) in self.results.get(&value).into_iter().flatten() {
                let lanes = &lanes[..block.limbs];
                self.store_lanes(value, self.name_of(*array), lanes, pad, &mut out);
            }
        } else if !is_stored {
            for &(array, i) in self.entries.get(&value).into_iter().flatten() {
                let name = self.name_of(array);
                let _ = writeln!(out, "{pad}{p}_store({name} + {}, t{value});", self.width * i);
            }
            if self.program.health == Some(value) {
                let _ = writeln!(out, "{pad}{p}_store(health, t{value});");
            }
        }
        out
    }

    fn store_lanes(&self, value: Value, name: &str, lanes: &[Option<usize>], pad: &str, out: &mut String) {
        let p = self.side.prefix;
        let last = lanes.iter().rposition(Option::is_some).map_or(0, |k| k + 1);
        let at: Vec<usize> = lanes.iter().map(|i| i.unwrap_or(0)).collect();
        let holes = lanes[..last].iter().any(Option::is_none);
        let when = if holes {
            let bits = lanes.iter().enumerate().map(|(k, i)| usize::from(i.is_some()) << k).sum::<usize>();
            format!("if ({bits} >> l & 1) ")
        } else if last < lanes.len() {
            format!("if (l < {last}) ")
        } else {
            String::new()
        };
        let _ = writeln!(out, "{pad}{when}{p}_store({name} + {}, t{value});", self.offset(&at));
    }

    /// The place of entry `at[l]`, in numbers.
    fn offset(&self, at: &[usize]) -> String {
        let step = at.windows(2).map(|w| w[1] as isize - w[0] as isize).collect::<Vec<_>>();
        if let Some(&step) = step.first().filter(|&&first| step.iter().all(|&s| s == first)) {
            return format!("{} + {} * l", self.width * at[0], self.width as isize * step);
        }
        let list: Vec<String> = at.iter().map(|i| (self.width * i).to_string()).collect();
        format!("(const int[]){{{}}}[l]", list.join(", "))
    }

    fn turned(&self, values: &[Value], by: u32) -> Vec<Value> {
        (0..values.len()).map(|k| values[(k + by as usize) % values.len()]).collect()
    }

    fn slot(&self, value: Value) -> usize {
        self.slots[&value]
    }

    /// Numbers of the limbs, in limb l.
    fn gathered(&self, values: &[Value]) -> String {
        let p = self.side.prefix;
        let places: Vec<usize> = values
            .iter()
            .map(|&value| match *self.op(value) {
                Op::Parameter(entry) => entry as usize,
                Op::Input(_, k) => k as usize,
                ref op => self.plan.turn(op).unwrap_or(0),
            })
            .collect();
        match *self.op(values[0]) {
            Op::Parameter(_) => {
                let first = places[0];
                let in_order = places.iter().enumerate().all(|(k, &place)| place == first + k);
                if in_order {
                    format!("{p}_splat(table[{first} + l])")
                } else {
                    let list: Vec<String> = places.iter().map(usize::to_string).collect();
                    format!("{p}_splat(table[(const int[]){{{}}}[l]])", list.join(", "))
                }
            }
            Op::Input(array, _) => {
                format!("{p}_load({} + {})", self.program.inputs[array as usize].name, self.offset(&places))
            }
            _ => {
                let list: Vec<String> = places.iter().map(usize::to_string).collect();
                let in_order = places.iter().enumerate().all(|(k, &place)| place == places[0] + k);
                if in_order {
                    format!("kept[{} + l]", places[0])
                } else {
                    format!("kept[(const int[]){{{}}}[l]]", list.join(", "))
                }
            }
        }
    }

    /// A value, from within a block.
    fn read(&self, value: Value, block: &Block) -> String {
        let (op, p) = (self.op(value), self.side.prefix);
        if let Some(slot) = self.plan.turn(op) {
            return format!("kept[{slot}]");
        }
        match *op {
            Op::Constant(x) => format!("{p}_splat({})", number(x, self.precision)),
            Op::Parameter(entry) => format!("{p}_splat(table[{entry}])"),
            Op::Input(array, k) => {
                format!("{p}_load({} + {})", self.program.inputs[array as usize].name, self.width * k as usize)
            }
            Op::Gather(g) => self.gathered(&self.program.gathers[g as usize]),
            Op::Splat(a) => self.read(a, block),
            _ => match self.slots.get(&value).filter(|_| block.loads.binary_search_by_key(&value, |l| l.0).is_ok()) {
                Some(slot) if self.plan.is_wide[value as usize] => format!("kept_of_limbs[{} + l]", self.limbs * slot),
                Some(slot) => format!("kept[{slot}]"),
                None => format!("t{value}"),
            },
        }
    }
}
