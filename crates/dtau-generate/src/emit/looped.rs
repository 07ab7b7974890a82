//! C for many states of a robot with limbs of one shape: what lanes are to one state, a loop is to many. The code is as long as one limb.
//!
//! Four states (or eight, in `float`) are in the lanes of a register; a number of all limbs is an array with one register a limb.

use super::c::runtime::Side;
use super::c::{Precision, number};
use super::on_registers;
use super::stores::{Stores, even};
use crate::plan::{Block, Plan};
use crate::program::{Op, Program, Value};
use std::collections::HashMap;
use std::fmt::Write;

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
    stores: Stores,
    /// Where values are kept.
    slots: HashMap<Value, usize>,
}

impl<'a> Looped<'a> {
    /// Of a program with limbs side by side.
    pub(super) fn new(program: &'a Program, precision: Precision, side: &'static Side) -> Self {
        let (plan, stores) = (Plan::looped(program), Stores::of(program));
        Self {
            slots: plan.blocks.iter().flat_map(|block| &block.saves).map(|(&value, &slot)| (value, slot)).collect(),
            program,
            plan,
            precision,
            side,
            width: side.width,
            limbs: stores.limbs,
            stores,
        }
    }

    fn op(&self, value: Value) -> &'a Op {
        &self.program.values[value as usize]
    }

    /// An array that values are stored to.
    fn name_of(&self, array: usize) -> &'static str {
        self.program.arrays().nth(array).map_or("", |array| array.name)
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
            Op::Lane(a, lane) => match self.program.values[a as usize] {
                Op::Gather(g) => self.read(self.program.gathers[g as usize][lane as usize], block),
                _ => format!("kept_of_limbs[{} + {lane}]", self.limbs * self.slot(a)),
            },
            Op::Turn(a, by) => match self.program.values[a as usize] {
                Op::Gather(g) => self.gathered(&self.turned(&self.program.gathers[g as usize], by)),
                _ => format!("kept_of_limbs[{} + (l + {by}) % {}]", self.limbs * self.slot(a), block.limbs),
            },
            _ => on_registers(op, p, r).unwrap_or_else(|| self.read(value, block)),
        };
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
            for (array, lanes) in self.stores.of_limbs.get(&value).into_iter().flatten() {
                let lanes = &lanes[..block.limbs];
                self.store_lanes(value, self.name_of(*array), lanes, pad, &mut out);
            }
        } else {
            for &(array, i) in self.stores.entries.get(&value).into_iter().flatten() {
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
        if let Some((first, step)) = even(at) {
            return format!("{} + {} * l", self.width * first, self.width as isize * step);
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
                format!("{p}_load({} + {})", self.program.name_of_input(array), self.offset(&places))
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
                format!("{p}_load({} + {})", self.program.name_of_input(array), self.width * k as usize)
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
