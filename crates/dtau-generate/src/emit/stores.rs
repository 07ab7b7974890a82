//! Where the values of a program with limbs go when limbs are a loop, whatever the language.

use crate::program::{Op, Program, Value};
use std::collections::HashMap;

/// Entries of an output that are the lanes of a value: which output, and the entry of each lane that is one.
pub(super) type Store = (usize, Vec<Option<usize>>);

/// What becomes of values.
pub(super) struct Stores {
    /// Most limbs of a class.
    pub(super) limbs: usize,
    /// For every value in lanes: which entries of which outputs its lanes are.
    pub(super) of_limbs: HashMap<Value, Vec<Store>>,
    /// For every other value: the entries of outputs that it is.
    pub(super) entries: HashMap<Value, Vec<(usize, usize)>>,
}

impl Stores {
    /// Entries of outputs that are lanes of one value are stored in its loop.
    pub(super) fn of(program: &Program) -> Self {
        let limbs = program.gathers.iter().map(Vec::len).max().unwrap_or(0);
        let mut all = Self { limbs, of_limbs: HashMap::new(), entries: HashMap::new() };
        for (array, values) in program.results.iter().enumerate() {
            // How often each lane of a value has come in this array.
            let mut count: HashMap<(Value, u32), usize> = HashMap::new();
            for (i, &value) in values.iter().enumerate() {
                let Op::Lane(from, lane) = program.values[value as usize] else {
                    all.entries.entry(value).or_default().push((array, i));
                    continue;
                };
                let nth = count.entry((from, lane)).or_default();
                let stores = all.of_limbs.entry(from).or_default();
                let mut mine: Vec<&mut Store> = stores.iter_mut().filter(|(a, _)| *a == array).collect();
                if let Some((_, lanes)) = mine.get_mut(*nth) {
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

/// First place and step, where places of limbs follow each other evenly.
pub(super) fn even(at: &[usize]) -> Option<(usize, isize)> {
    let mut steps = at.windows(2).map(|w| w[1] as isize - w[0] as isize);
    let first = steps.next()?;
    steps.all(|step| step == first).then_some((at[0], first))
}
