//! Many states of a robot with limbs of one shape: what lanes are to one state, a loop is to many. The code is as long as one limb.
//!
//! States are in the lanes of a register; a number of all limbs is an array with one register a limb.

use super::function::Writer;
use crate::emit::stores::{Stores, even};
use crate::plan::Block;
use crate::program::{Op, Value};
use std::fmt::Write;

impl Writer<'_> {
    /// The statements of a part: a loop over limbs, or what the trunk computes.
    pub(super) fn looped(&self, stores: &Stores, block: &Block) -> String {
        let pad = if block.limbs > 0 { "        " } else { "    " };
        let mut body = String::new();
        for &value in &block.body {
            let _ = writeln!(body, "{pad}let t{value} = {};", self.in_loop(value, block));
            if let Some(&slot) = block.saves.get(&value) {
                let to = if block.limbs > 0 { format!("wide[{slot}][l]") } else { self.slot(value, slot) };
                let _ = writeln!(body, "{pad}{to} = t{value};");
            }
            if block.limbs > 0 {
                for (array, lanes) in stores.of_limbs.get(&value).into_iter().flatten() {
                    self.store_limbs(value, &self.outputs[*array], &lanes[..block.limbs], pad, &mut body);
                }
                continue;
            }
            for &(array, i) in stores.entries.get(&value).into_iter().flatten() {
                let _ = writeln!(body, "{pad}t{value}.store(&mut {}[{i}]);", self.outputs[array]);
            }
            if self.program.health == Some(value) {
                let _ = writeln!(body, "{pad}*ill = t{value}.ill();");
            }
        }
        match block.limbs {
            0 => body,
            limbs => format!("    for l in 0..{limbs} {{\n{body}    }}\n"),
        }
    }

    /// What a value is computed from, in limb l.
    fn in_loop(&self, value: Value, block: &Block) -> String {
        let (op, r) = (&self.program.values[value as usize], |operand: Value| self.read_in_loop(operand, block));
        let slot = |of: Value| self.slots_of_values[&of];
        match *op {
            Op::Lane(a, lane) => match self.program.values[a as usize] {
                Op::Gather(g) => r(self.program.gathers[g as usize][lane as usize]),
                _ => format!("wide[{}][{lane}]", slot(a)),
            },
            Op::Turn(a, by) => match self.program.values[a as usize] {
                Op::Gather(g) => {
                    let mut values = self.program.gathers[g as usize].clone();
                    let limbs = values.len();
                    values.rotate_left(by as usize % limbs);
                    self.gathered(&values)
                }
                _ => format!("wide[{}][(l + {by}) % {}]", slot(a), block.limbs),
            },
            _ => self.operation(value, "N", r),
        }
    }

    /// A value, from within a part.
    fn read_in_loop(&self, value: Value, block: &Block) -> String {
        match self.program.values[value as usize] {
            Op::Gather(g) => self.gathered(&self.program.gathers[g as usize]),
            Op::Splat(a) => self.read_in_loop(a, block),
            _ => match block.loads.binary_search_by_key(&value, |load| load.0) {
                Ok(k) if self.plan.is_wide[value as usize] => format!("wide[{}][l]", block.loads[k].1),
                Ok(k) => self.slot(value, block.loads[k].1),
                Err(_) => self.read(value),
            },
        }
    }

    /// Leaves of the limbs, in limb l.
    fn gathered(&self, values: &[Value]) -> String {
        let angles = self.angles();
        let place = |&value: &Value| match self.program.values[value as usize] {
            Op::Parameter(entry) => entry as usize,
            Op::Input(_, k) => k as usize,
            ref op => self.plan.turn(op).map_or(0, |slot| slot % angles),
        };
        let places: Vec<usize> = values.iter().map(place).collect();
        let at = index(&places);
        match self.program.values[values[0] as usize] {
            Op::Parameter(_) => format!("N::of(table[{at}])"),
            Op::Input(array, _) => format!("N::load(&{}[{at}])", self.inputs[array as usize]),
            Op::Sin(_) => format!("sin[{at}]"),
            _ => format!("cos[{at}]"),
        }
    }

    fn store_limbs(&self, value: Value, name: &str, lanes: &[Option<usize>], pad: &str, out: &mut String) {
        let last = lanes.iter().rposition(Option::is_some).map_or(0, |k| k + 1);
        let at: Vec<usize> = lanes.iter().map(|i| i.unwrap_or(0)).collect();
        let holes = lanes[..last].iter().any(Option::is_none);
        let store = format!("t{value}.store(&mut {name}[{}]);", index(&at));
        let _ = if holes {
            let bits = lanes.iter().enumerate().map(|(k, i)| usize::from(i.is_some()) << k).sum::<usize>();
            writeln!(out, "{pad}if {bits} >> l & 1 == 1 {{ {store} }}")
        } else if last < lanes.len() {
            writeln!(out, "{pad}if l < {last} {{ {store} }}")
        } else {
            writeln!(out, "{pad}{store}")
        };
    }
}

/// The place of limb l.
fn index(at: &[usize]) -> String {
    match even(at) {
        Some((first, step)) if step >= 0 => format!("{first} + {step} * l"),
        Some((first, step)) => format!("{first} - {} * l", -step),
        None => {
            let list: Vec<String> = at.iter().map(usize::to_string).collect();
            format!("[{}][l]", list.join(", "))
        }
    }
}
