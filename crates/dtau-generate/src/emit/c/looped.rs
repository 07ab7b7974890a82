//! Many states of a robot with limbs of one shape. For one state, limbs go in lanes. For many states, limbs
//! become a loop, so the code is as long as for one limb.
//!
//! The lanes of a register hold four states (or eight, in `float`). A number of all limbs is an array with
//! one register for each limb.

use super::{Writer, on_registers};
use crate::plan::{Block, Plan};
use crate::program::{Op, Program, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// Array entries that store the lanes of a value: the array, and for each lane its entry, if any.
type Store = (usize, Vec<Option<usize>>);

/// Places of values when limbs are a loop.
pub(super) struct Looped {
    /// Largest number of limbs in a class: the stride between numbers of limbs.
    pub(super) limbs: usize,
    /// Slots of the values kept between blocks.
    slots: HashMap<Value, usize>,
    /// For every value in lanes: the array entries that store its lanes.
    of_limbs: HashMap<Value, Vec<Store>>,
    /// For every other value: its array entries.
    entries: HashMap<Value, Vec<(usize, usize)>>,
}

impl Looped {
    /// Output entries that are lanes of one value are stored in its loop.
    pub(super) fn new(program: &Program, plan: &Plan) -> Self {
        let limbs = program.gathers.iter().map(Vec::len).max().unwrap_or(0);
        let slots = plan.blocks.iter().flat_map(|block| &block.saves).map(|(&value, &slot)| (value, slot)).collect();
        let mut all = Self { limbs, slots, of_limbs: HashMap::new(), entries: HashMap::new() };
        for (array, values) in program.results.iter().enumerate() {
            // Number of times each lane of a value has occurred in this array.
            let mut count: HashMap<(Value, u32), usize> = HashMap::new();
            for (i, &value) in values.iter().enumerate() {
                let Op::Lane(from, lane) = program.values[value as usize] else {
                    all.entries.entry(value).or_default().push((array, i));
                    continue;
                };
                let nth = count.entry((from, lane)).or_default();
                let stores = all.of_limbs.entry(from).or_default();
                let mut mine = stores.iter_mut().filter(|(a, _)| *a == array);
                if let Some((_, lanes)) = mine.nth(*nth) {
                    lanes[lane as usize] = Some(i);
                } else {
                    let mut lanes = vec![None; limbs];
                    lanes[lane as usize] = Some(i);
                    stores.push((array, lanes));
                }
                *nth += 1;
            }
        }
        all
    }
}

impl Writer<'_> {
    /// Writes the statements of a block.
    pub(super) fn looped_block(&self, looped: &Looped, block: &Block) -> String {
        let each = block.body.iter().map(|&value| self.looped_statement(looped, value, block));
        let body: String = each.collect();
        match block.limbs {
            0 => body,
            limbs => format!("    for (int l = 0; l < {limbs}; l++) {{\n{body}    }}\n"),
        }
    }

    fn looped_statement(&self, looped: &Looped, value: Value, block: &Block) -> String {
        let mut out = String::new();
        let (p, of, in_limbs) = (self.prefix(), self.number(), block.limbs > 0);
        let pad = if in_limbs { "        " } else { "    " };
        let kept_of = |of: Value, at: String| format!("kept_of_limbs[{} + {at}]", looped.limbs * looped.slots[&of]);
        let r = |operand: Value| self.read_in_loop(looped, operand, block);
        let op = &self.program.values[value as usize];
        let text = match *op {
            Op::Lane(a, lane) => match self.program.values[a as usize] {
                Op::Gather(g) => r(self.program.gathers[g as usize][lane as usize]),
                _ => kept_of(a, lane.to_string()),
            },
            Op::Turn(a, by) => match self.program.values[a as usize] {
                Op::Gather(g) => {
                    let mut values = self.program.gathers[g as usize].clone();
                    let limbs = values.len();
                    values.rotate_left(by as usize % limbs);
                    self.gathered(&values)
                }
                _ => kept_of(a, format!("(l + {by}) % {}", block.limbs)),
            },
            _ => on_registers(op, p, r).unwrap_or_else(|| r(value)),
        };
        let _ = writeln!(out, "{pad}const {of} t{value} = {text};");
        if let Some(slot) = block.saves.get(&value) {
            let to = if in_limbs { kept_of(value, "l".into()) } else { format!("kept[{slot}]") };
            let _ = writeln!(out, "{pad}{to} = t{value};");
        }
        let name_of = |array: usize| self.program.arrays().nth(array).map_or("", |array| array.name);
        if in_limbs {
            for (array, lanes) in looped.of_limbs.get(&value).into_iter().flatten() {
                let lanes = &lanes[..block.limbs];
                let at: Vec<usize> = lanes.iter().map(|i| i.unwrap_or(0)).collect();
                let (when, at) = (when(lanes), self.offset(&at));
                let _ = writeln!(out, "{pad}{when}{p}_store({} + {at}, t{value});", name_of(*array));
            }
            return out;
        }
        for &(array, i) in looped.entries.get(&value).into_iter().flatten() {
            let _ = writeln!(out, "{pad}{p}_store({} + {}, t{value});", name_of(array), self.width() * i);
        }
        if self.program.health == Some(value) {
            let _ = writeln!(out, "{pad}{p}_store(health, t{value});");
        }
        out
    }

    /// Returns a value as read from within a block.
    fn read_in_loop(&self, looped: &Looped, value: Value, block: &Block) -> String {
        match self.program.values[value as usize] {
            Op::Gather(g) => self.gathered(&self.program.gathers[g as usize]),
            Op::Splat(a) => self.read_in_loop(looped, a, block),
            _ => match block.loads.binary_search_by_key(&value, |load| load.0).map(|k| block.loads[k].1) {
                Ok(slot) if self.plan.is_wide[value as usize] => format!("kept_of_limbs[{} + l]", looped.limbs * slot),
                Ok(slot) => format!("kept[{slot}]"),
                Err(_) => self.read(value),
            },
        }
    }

    /// Returns the numbers of the limbs, for limb l.
    fn gathered(&self, values: &[Value]) -> String {
        let op = |value: Value| &self.program.values[value as usize];
        let place = |&value: &Value| match *op(value) {
            Op::Parameter(entry) => entry as usize,
            Op::Input(_, k) => k as usize,
            ref op => self.plan.turn(op).unwrap_or(0),
        };
        let places: Vec<usize> = values.iter().map(place).collect();
        let in_order = places.iter().enumerate().all(|(k, &place)| place == places[0] + k);
        let at = || if in_order { format!("{} + l", places[0]) } else { list(&places) };
        match *op(values[0]) {
            Op::Parameter(_) => format!("{}_splat(table[{}])", self.prefix(), at()),
            Op::Input(array, _) => {
                format!("{}_load({} + {})", self.prefix(), self.program.name_of_input(array), self.offset(&places))
            }
            _ => format!("kept[{}]", at()),
        }
    }

    /// Returns the place of entry `at[l]`, in numbers.
    fn offset(&self, at: &[usize]) -> String {
        let width = self.width();
        let mut steps = at.windows(2).map(|two| two[1] as isize - two[0] as isize);
        match steps.next() {
            Some(step) if steps.all(|other| other == step) => {
                format!("{} + {} * l", width * at[0], width as isize * step)
            }
            _ => list(&at.iter().map(|i| width * i).collect::<Vec<_>>()),
        }
    }
}

/// Returns an entry of a list, for limb l.
fn list(all: &[usize]) -> String {
    let all: Vec<String> = all.iter().map(usize::to_string).collect();
    format!("(const int[]){{{}}}[l]", all.join(", "))
}

/// Returns the condition that limb l has something to store.
fn when(lanes: &[Option<usize>]) -> String {
    let last = lanes.iter().rposition(Option::is_some).map_or(0, |k| k + 1);
    if lanes[..last].iter().any(Option::is_none) {
        let bits = lanes.iter().enumerate().map(|(k, i)| usize::from(i.is_some()) << k).sum::<usize>();
        format!("if ({bits} >> l & 1) ")
    } else if last < lanes.len() {
        format!("if (l < {last}) ")
    } else {
        String::new()
    }
}
