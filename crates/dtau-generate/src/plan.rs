//! The order in which a program is written: angles first, then blocks of a size suited to compilers and caches.
//!
//! Values that a later block needs are kept in memory slots between blocks. A slot is reused once its value
//! is no longer needed.
//!
//! For many states, limbs of one shape are a loop. Each block then belongs to the trunk or to the limbs, and
//! blocks are ordered by dependency.

use crate::limbs::LANES;
use crate::program::{Op, Program, Value};
use std::collections::HashMap;

/// Approximate number of operations in a block. Compile time grows faster than linearly, and the L1
/// instruction cache holds about 4,000.
const OPERATIONS_IN_BLOCK: usize = 2000;

/// Order in which a program is written.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Arguments of sines and cosines, which are computed together before everything else.
    pub(crate) angles: Vec<Value>,
    /// Operations that the angles depend on.
    pub(crate) before: Vec<Value>,
    pub(crate) blocks: Vec<Block>,
    /// Count of numbers kept between blocks: sines, cosines, then slots. Wide slots hold numbers of all limbs.
    pub(crate) slots: usize,
    pub(crate) wide_slots: usize,
    /// True for values of all limbs of a class.
    pub(crate) is_wide: Vec<bool>,
}

/// Values that are computed in one function.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Values of earlier blocks, and their slots.
    pub(crate) loads: Vec<(Value, usize)>,
    /// Values that are computed.
    pub(crate) body: Vec<Value>,
    /// Slots of values that later blocks need.
    pub(crate) saves: HashMap<Value, usize>,
    /// Number of limbs that the block loops over. 0 for the trunk.
    pub(crate) limbs: usize,
}

impl Plan {
    pub(crate) fn new(program: &Program) -> Plan {
        let is_wide = wide(program);
        let angles = angles(program);
        let before = needed_for(program, &angles);
        let mut plan = Plan { angles, before, blocks: Vec::new(), slots: 0, wide_slots: 0, is_wide };
        let all: Vec<Value> =
            (0..program.values.len()).filter(|&k| !plan.is_leaf(&program.values[k])).map(|k| k as Value).collect();
        plan.cut(&all, 0);
        plan.keep(|value| operands(program, value));
        plan
    }

    /// Makes the plan with loops over limbs.
    pub(crate) fn looped(program: &Program) -> Plan {
        let is_wide = wide(program);
        let angles = angles(program);
        let before = needed_for(program, &angles);
        let mut plan = Plan { angles, before, blocks: Vec::new(), slots: 0, wide_slots: 0, is_wide };
        // Levels of the trunk are even, levels of limbs odd.
        let mut level = vec![0_usize; program.values.len()];
        let mut levels: Vec<Vec<Value>> = Vec::new();
        let mut is_operand = vec![false; program.values.len()];
        for value in program.values.iter().flat_map(Op::operands).chain(program.health) {
            is_operand[value as usize] = true;
        }
        for (k, op) in program.values.iter().enumerate() {
            // A lane that is only an entry of an output is stored in its loop.
            let is_stored = matches!(op, Op::Lane(..)) && !is_operand[k];
            if plan.is_leaf(op) || matches!(op, Op::Gather(_)) || is_stored {
                level[k] = match op {
                    // Reads of the scratch come after the loop that stores them.
                    Op::Input(array, i) if *array as usize == program.inputs.len() => {
                        level[program.results[program.outputs.len()][*i as usize] as usize] + 1
                    }
                    Op::Gather(g) => program.gathers[*g as usize].iter().map(|&v| level[v as usize]).max().unwrap_or(0),
                    Op::Lane(from, _) => level[*from as usize],
                    _ => 0,
                };
                continue;
            }
            let parity = usize::from(plan.is_wide[k]);
            let after = op.operands().map(|value| level[value as usize]).max().unwrap_or(0);
            let after = if matches!(op, Op::Turn(..)) { after + 2 } else { after };
            level[k] = if matches!(op, Op::Splat(_)) { after } else { after + usize::from(after % 2 != parity) };
            if matches!(op, Op::Splat(_)) {
                continue;
            }
            if levels.len() <= level[k] {
                levels.resize(level[k] + 1, Vec::new());
            }
            levels[level[k]].push(k as Value);
        }
        let limbs = limbs_of(program);
        for (at, values) in levels.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
            if at % 2 == 0 {
                plan.cut(values, 0);
                continue;
            }
            // Classes with the same number of limbs share a loop.
            for count in 2..=LANES {
                let of_count: Vec<Value> = values.iter().copied().filter(|&k| limbs[k as usize] == count).collect();
                if !of_count.is_empty() {
                    plan.cut(&of_count, count);
                }
            }
        }
        plan.keep(|value| needed_in_loops(program, value));
        plan
    }

    /// Returns the slot of a sine or cosine.
    pub(crate) fn turn(&self, op: &Op) -> Option<usize> {
        let (angle, offset) = match op {
            Op::Sin(angle) => (angle, 0),
            Op::Cos(angle) => (angle, self.angles.len()),
            _ => return None,
        };
        self.angles.iter().position(|a| a == angle).map(|k| offset + k)
    }

    /// True if a value is read from its source in any block.
    fn is_leaf(&self, op: &Op) -> bool {
        matches!(op, Op::Constant(_) | Op::Parameter(_) | Op::Input(..)) || self.turn(op).is_some()
    }

    /// Cuts values into blocks of similar size.
    fn cut(&mut self, values: &[Value], limbs: usize) {
        let parts = values.len().div_ceil(OPERATIONS_IN_BLOCK).max(1);
        for body in values.chunks(values.len().div_ceil(parts).max(1)) {
            self.blocks.push(Block { body: body.to_vec(), limbs, ..Block::default() });
        }
    }

    /// Assigns slots to values that are used in a later block.
    fn keep(&mut self, operands: impl Fn(Value) -> Vec<Value>) {
        let mut home: HashMap<Value, usize> = HashMap::new(); // the block that computes it
        for (b, block) in self.blocks.iter().enumerate() {
            home.extend(block.body.iter().map(|&value| (value, b)));
        }
        let mut last: HashMap<Value, usize> = HashMap::new(); // the last block that needs it
        let mut needs: Vec<Vec<Value>> = vec![Vec::new(); self.blocks.len()];
        for (b, block) in self.blocks.iter().enumerate() {
            for &value in &block.body {
                for operand in operands(value) {
                    if home.get(&operand).is_some_and(|&from| from < b) {
                        last.insert(operand, b);
                        needs[b].push(operand);
                    }
                }
            }
            needs[b].sort_unstable();
            needs[b].dedup();
        }
        let first = 2 * self.angles.len();
        let (mut free, mut slots) = ([Vec::new(), Vec::new()], [first, 0]);
        let mut place: HashMap<Value, usize> = HashMap::new();
        for b in 0..self.blocks.len() {
            self.blocks[b].loads = needs[b].iter().map(|&value| (value, place[&value])).collect();
            for k in 0..self.blocks[b].body.len() {
                let value = self.blocks[b].body[k];
                if last.contains_key(&value) {
                    let kind = usize::from(self.is_wide[value as usize]);
                    let slot = free[kind].pop().unwrap_or_else(|| {
                        slots[kind] += 1;
                        slots[kind] - 1
                    });
                    place.insert(value, slot);
                    self.blocks[b].saves.insert(value, slot);
                }
            }
            for &value in &needs[b] {
                if last[&value] == b {
                    free[usize::from(self.is_wide[value as usize])].push(place[&value]);
                }
            }
        }
        [self.slots, self.wide_slots] = slots;
    }
}

/// Returns the values that an operation needs if limbs are a loop. A splat needs its scalar, and leaves are
/// read from their source.
fn needed_in_loops(program: &Program, value: Value) -> Vec<Value> {
    let through = |value: Value| match program.values[value as usize] {
        Op::Splat(a) => a,
        _ => value,
    };
    program.values[value as usize].operands().map(through).collect()
}

/// Returns the values that an operation needs, including gathered ones.
pub(crate) fn operands(program: &Program, value: Value) -> Vec<Value> {
    let op = &program.values[value as usize];
    let mut all: Vec<Value> = op.operands().collect();
    if let Op::Gather(g) = op {
        all.extend(&program.gathers[*g as usize]);
    }
    all
}

/// Marks values of all limbs of a class.
fn wide(program: &Program) -> Vec<bool> {
    let mut is_wide = vec![false; program.values.len()];
    for (k, op) in program.values.iter().enumerate() {
        is_wide[k] = match op {
            Op::Gather(_) | Op::Splat(_) => true,
            Op::Lane(..) => false,
            _ => op.operands().any(|value| is_wide[value as usize]),
        };
    }
    is_wide
}

/// Returns the number of limbs of each value. 0 for scalars.
fn limbs_of(program: &Program) -> Vec<usize> {
    let mut limbs = vec![0; program.values.len()];
    for (k, op) in program.values.iter().enumerate() {
        limbs[k] = match op {
            Op::Gather(g) => program.gathers[*g as usize].len(),
            Op::Lane(..) => 0,
            _ => op.operands().map(|value| limbs[value as usize]).max().unwrap_or(0),
        };
    }
    limbs
}

/// Returns the arguments of sines and cosines that depend on no other sine.
fn angles(program: &Program) -> Vec<Value> {
    let mut has_sine = vec![false; program.values.len()];
    let mut angles = Vec::new();
    // Arguments of corresponding limbs are adjacent, so that gathering them is a load.
    for value in program.gathers.iter().flatten() {
        if let Op::Sin(a) | Op::Cos(a) = program.values[*value as usize]
            && matches!(program.values[a as usize], Op::Input(..))
            && !angles.contains(&a)
        {
            angles.push(a);
        }
    }
    for (k, op) in program.values.iter().enumerate() {
        has_sine[k] = match op {
            Op::Gather(_) | Op::Splat(_) | Op::Lane(..) => true,
            Op::Sin(a) | Op::Cos(a) => {
                if !has_sine[*a as usize] && !angles.contains(a) {
                    angles.push(*a);
                }
                true
            }
            _ => op.operands().any(|value| has_sine[value as usize]),
        };
    }
    angles
}

/// Returns the operations that some values depend on, in order.
fn needed_for(program: &Program, values: &[Value]) -> Vec<Value> {
    let mut needed = vec![false; program.values.len()];
    for &value in values {
        needed[value as usize] = true;
    }
    for k in (0..needed.len()).rev().filter(|_| !values.is_empty()) {
        if needed[k] {
            program.values[k].operands().for_each(|operand| needed[operand as usize] = true);
        }
    }
    (0..needed.len()).filter(|&k| needed[k] && program.values[k].is_operation()).map(|k| k as Value).collect()
}
