//! Linear steps as sums of rows, for loops over many columns.
//!
//! ```text
//! sum    start ± number · row ± number · row …        start: a row of the right-hand side, a row, or number · row
//! row    where a sum was put; right-hand side k and result k have place k, others come after them
//! ```
//!
//! A chain of multiply-adds is one sum, in the same order. No rounding changes.

use crate::program::{Op, Value};
use std::collections::HashMap;

/// Row that is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// Start of the sum.
    pub start: Start,
    /// Terms that are added.
    pub terms: Vec<Term>,
    /// Place of the result.
    pub to: usize,
}

/// Start of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Zeros.
    Zeros,
    /// A row of the right-hand side.
    Side(usize),
    /// Row at a place.
    Row(usize),
    /// A number of the scratch times the row at a place.
    Scaled(usize, usize),
}

/// A number of the scratch times the row at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Sign of the term.
    pub sign: Sign,
    /// Index of the number.
    pub number: usize,
    /// Place of the row.
    pub row: usize,
}

/// Sign of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// sum + term
    Plus,
    /// sum − term
    Minus,
    /// term − sum
    From,
}

/// Factor: input 0 of the steps, or a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Factor(u32),
    Constant(f64),
}

/// Sum before places are assigned: rows are values.
struct Chain {
    start: First,
    terms: Vec<(Sign, usize, Value)>,
    value: Value,
}

#[derive(Clone, Copy)]
enum First {
    Zeros,
    Side(usize),
    Row(Value),
    Scaled(usize, Value),
}

impl Chain {
    fn rows(&self) -> impl Iterator<Item = Value> + '_ {
        let start = match self.start {
            First::Zeros | First::Side(_) => None,
            First::Row(x) | First::Scaled(_, x) => Some(x),
        };
        start.into_iter().chain(self.terms.iter().map(|term| term.2))
    }
}

/// Converts steps to sums. Input 1 of the steps is the right-hand side. Also returns the number of places.
/// `None` if the steps are not linear.
pub(crate) fn sums(
    steps: &[Op],
    results: &[Value],
    place_of: &mut dyn FnMut(Number) -> usize,
) -> Option<(Vec<Sum>, usize)> {
    let chains = chains(steps, results, place_of)?;
    Some(places(&chains, results))
}

fn chains(steps: &[Op], results: &[Value], place_of: &mut dyn FnMut(Number) -> usize) -> Option<Vec<Chain>> {
    let number = |value: Value| match steps[value as usize] {
        Op::Input(0, k) => Some(Number::Factor(k)),
        Op::Constant(x) => Some(Number::Constant(x)),
        _ => None,
    };
    let mut uses = vec![0; steps.len()];
    steps.iter().flat_map(Op::operands).chain(results.iter().copied()).for_each(|value| uses[value as usize] += 1);
    let mut chains: Vec<Chain> = Vec::new();
    let mut chain_of: Vec<Option<usize>> = vec![None; steps.len()];
    for (k, op) in steps.iter().enumerate() {
        if let Op::Input(1, r) = *op {
            chain_of[k] = Some(chains.len());
            chains.push(Chain { start: First::Side(r as usize), terms: Vec::new(), value: k as Value });
        }
    }
    for (k, op) in steps.iter().enumerate() {
        let k = k as Value;
        // Splits a product into (number, row), in either order.
        let product = |a: Value, b: Value| match (number(a), number(b)) {
            (Some(x), None) => Some((x, b)),
            (None, Some(x)) => Some((x, a)),
            _ => None,
        };
        let one = Number::Constant(1.0);
        let (onto, sign, (x, row)) = match *op {
            Op::Input(..) | Op::Constant(_) => continue,
            Op::Mul(a, b) => (None, Sign::Plus, product(a, b)?),
            Op::Neg(a) => (None, Sign::Plus, (Number::Constant(-1.0), a)),
            Op::MulAdd(a, b, c) => (Some(c), Sign::Plus, product(a, b)?),
            Op::NegMulAdd(a, b, c) => (Some(c), Sign::Minus, product(a, b)?),
            Op::MulSub(a, b, c) => (Some(c), Sign::From, product(a, b)?),
            Op::Add(a, b) => (Some(a), Sign::Plus, (one, b)),
            Op::Sub(a, b) => (Some(a), Sign::Minus, (one, b)),
            _ => return None,
        };
        if onto.is_some_and(|c| number(c).is_some()) {
            return None;
        }
        let x = place_of(x);
        let Some(onto) = onto else {
            chain_of[k as usize] = Some(chains.len());
            chains.push(Chain { start: First::Scaled(x, row), terms: Vec::new(), value: k });
            continue;
        };
        let at = chain_of[onto as usize]?;
        let is_end = chains[at].value == onto && uses[onto as usize] == 1;
        // Sums in between may need the rows of this sum complete. So only the last chain is continued, or an
        // unread row of the right-hand side.
        let at = match is_end
            && (at + 1 == chains.len() || matches!(chains[at].start, First::Side(_)) && chains[at].terms.is_empty())
        {
            true if at + 1 == chains.len() => at,
            true => {
                let start = chains[at].start;
                chains[at].value = Value::MAX; // moved
                chains.push(Chain { start, terms: Vec::new(), value: k });
                chains.len() - 1
            }
            false => {
                chains.push(Chain { start: First::Row(onto), terms: Vec::new(), value: k });
                chains.len() - 1
            }
        };
        chains[at].terms.push((sign, x, row));
        chains[at].value = k;
        chain_of[k as usize] = Some(at);
    }
    chains.retain(|chain| chain.value != Value::MAX);
    let nothing = results.iter().copied().find(|&value| steps[value as usize] == Op::Constant(0.0));
    chains.extend(nothing.map(|value| Chain { start: First::Zeros, terms: Vec::new(), value }));
    // All results must be rows.
    let is_row = |value: &Value| chains.iter().any(|chain| chain.value == *value);
    results.iter().all(is_row).then_some(chains)
}

/// Assigns places to rows. Right-hand sides and results get their own places, unless a value there is still needed.
fn places(chains: &[Chain], results: &[Value]) -> (Vec<Sum>, usize) {
    let mut last: HashMap<Value, usize> = HashMap::new(); // the last sum that reads it
    for (at, chain) in chains.iter().enumerate() {
        last.extend(chain.rows().map(|row| (row, at)));
    }
    last.extend(results.iter().map(|&row| (row, usize::MAX)));
    let mut place: HashMap<Value, usize> = HashMap::new();
    let mut holds: Vec<Option<Value>> = vec![None; results.len()]; // by place
    let mut sums = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let start = match chain.start {
            First::Zeros => Start::Zeros,
            First::Side(r) => Start::Side(r),
            First::Row(x) => Start::Row(place[&x]),
            First::Scaled(number, x) => Start::Scaled(number, place[&x]),
        };
        let terms = chain.terms.iter().map(|&(sign, number, x)| Term { sign, number, row: place[&x] }).collect();
        // A row that is read here for the last time frees its place for the result.
        for held in &mut holds {
            *held = held.filter(|row| last.get(row).is_some_and(|&last| last > at));
        }
        let own = results.iter().position(|&row| row == chain.value).or(match chain.start {
            First::Zeros => None,
            First::Side(r) => Some(r),
            First::Row(x) | First::Scaled(_, x) => place.get(&x).copied(),
        });
        let free = own.filter(|&own| holds[own].is_none());
        let others = || (results.len()..holds.len()).find(|&k| holds[k].is_none());
        let to = free.or_else(others).unwrap_or(holds.len());
        if to == holds.len() {
            holds.push(None);
        }
        holds[to] = Some(chain.value);
        place.insert(chain.value, to);
        sums.push(Sum { start, terms, to });
    }
    // Results stored elsewhere are copied to their own places.
    for (r, value) in results.iter().enumerate().filter(|(r, value)| place[*value] != *r) {
        sums.push(Sum { start: Start::Row(place[value]), terms: Vec::new(), to: r });
    }
    (sums, holds.len())
}
