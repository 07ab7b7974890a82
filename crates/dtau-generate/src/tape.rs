//! The recorder: a scalar that records every operation.
//!
//! A [`Traced`] number is an index on the tape of its thread. Unneeded operations are dropped: constants are
//! folded, additions of zero and multiplications by one disappear. Equal operations are shared.
//! Simplification does not change rounding: the program gives the same bits as the source, except for the
//! sign of zeros.
//!
//! - Comparisons become [`Op::Select`]: both sides are recorded, so no branch is fixed.
//! - [`any_below`](Real::any_below) is called where a function may fail. It returns false, and its argument
//!   is recorded as the program's health.

use crate::program::{Op, Value};
use core::cell::RefCell;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use dtau::scalar::{Portable, Real};
use std::collections::HashMap;

/// Recorded number. The default is 0, which is value 0 of every tape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traced(pub(crate) Value);

/// Result of the comparison a < b.
#[derive(Clone, Copy, Debug)]
pub enum Mask {
    /// Known while recording.
    Known(bool),
    /// Comparison of two values.
    Less(Value, Value),
}

/// Recording of a thread.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(crate) values: Vec<Op>,
    places: HashMap<Key, Value>,
    /// Constants that are parameters of the robot, by their bits.
    pub(crate) parameters: HashMap<u64, u32>,
    /// Values that must not be negative.
    pub(crate) health: Vec<Value>,
    /// Number of operations in the source.
    pub(crate) asked: usize,
}

/// Operation as a hash key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key(u8, [u64; 4]);

impl Key {
    pub(crate) fn of(op: &Op) -> Key {
        let two = |tag, a: Value, b: Value| Key(tag, [a.into(), b.into(), 0, 0]);
        let three = |tag, a: Value, b: Value, c: Value| Key(tag, [a.into(), b.into(), c.into(), 0]);
        match *op {
            Op::Constant(x) => Key(0, [x.to_bits(), 0, 0, 0]),
            Op::Parameter(p) => two(1, p, 0),
            Op::Input(array, k) => two(2, array, k),
            Op::Add(a, b) => two(3, a.min(b), a.max(b)),
            Op::Sub(a, b) => two(4, a, b),
            Op::Mul(a, b) => two(5, a.min(b), a.max(b)),
            Op::Div(a, b) => two(6, a, b),
            Op::Neg(a) => two(7, a, 0),
            Op::MulAdd(a, b, c) => three(8, a.min(b), a.max(b), c),
            Op::MulSub(a, b, c) => three(9, a.min(b), a.max(b), c),
            Op::NegMulAdd(a, b, c) => three(10, a.min(b), a.max(b), c),
            Op::Sqrt(a) => two(11, a, 0),
            Op::Sin(a) => two(12, a, 0),
            Op::Cos(a) => two(13, a, 0),
            Op::Atan2(a, b) => two(14, a, b),
            Op::Select(a, b, c, d) => Key(15, [a.into(), b.into(), c.into(), d.into()]),
            Op::Gather(_) | Op::Splat(_) | Op::Lane(..) | Op::Turn(..) => unreachable!("nobody records limbs"),
        }
    }
}

thread_local! {
    static TAPE: RefCell<Tape> = RefCell::new(Tape::blank());
}

/// Records what `f` does, on an empty tape.
pub(crate) fn record<R>(parameters: HashMap<u64, u32>, f: impl FnOnce() -> R) -> (R, Tape) {
    TAPE.with_borrow_mut(|tape| *tape = Tape { parameters, ..Tape::blank() });
    let result = f();
    (result, TAPE.with_borrow_mut(|tape| core::mem::replace(tape, Tape::blank())))
}

/// Records what `f` does on a separate tape, then continues with the current one.
pub(crate) fn aside<R>(f: impl FnOnce() -> R) -> R {
    let own = TAPE.with_borrow_mut(|tape| core::mem::replace(tape, Tape::blank()));
    let result = f();
    TAPE.with_borrow_mut(|tape| *tape = own);
    result
}

/// Returns the value of a number if it is known while recording.
pub(crate) fn known(x: Traced) -> Option<f64> {
    TAPE.with_borrow(|tape| tape.number(x.0))
}

/// Returns a number of an input.
pub(crate) fn input(array: usize, k: usize) -> Traced {
    with(|tape| tape.put(Op::Input(array as u32, k as u32)))
}

/// Returns an entry of the table.
pub(crate) fn parameter(p: u32) -> Traced {
    with(|tape| tape.put(Op::Parameter(p)))
}

fn with(f: impl FnOnce(&mut Tape) -> Value) -> Traced {
    Traced(TAPE.with_borrow_mut(f))
}

impl Tape {
    /// Makes an empty tape. Its value 0 is the constant 0, the default number.
    fn blank() -> Tape {
        let mut tape = Tape::default();
        tape.put(Op::Constant(0.0));
        tape
    }

    /// Returns the place of an operation.
    pub(crate) fn find(&self, op: &Op) -> Option<Value> {
        self.places.get(&Key::of(op)).copied()
    }

    fn put(&mut self, op: Op) -> Value {
        *self.places.entry(Key::of(&op)).or_insert_with(|| {
            self.values.push(op);
            (self.values.len() - 1) as Value
        })
    }

    fn number(&self, value: Value) -> Option<f64> {
        match self.values[value as usize] {
            Op::Constant(x) => Some(x),
            _ => None,
        }
    }

    fn negated(&self, value: Value) -> Option<Value> {
        match self.values[value as usize] {
            Op::Neg(x) => Some(x),
            _ => None,
        }
    }

    fn constant(&mut self, x: f64) -> Value {
        if let Some(&p) = self.parameters.get(&x.to_bits()) {
            return self.put(Op::Parameter(p));
        }
        self.put(Op::Constant(if x == 0.0 { 0.0 } else { x })) // no negative zero
    }

    fn neg(&mut self, a: Value) -> Value {
        if let Some(x) = self.number(a) {
            return self.constant(-x);
        }
        match self.values[a as usize] {
            Op::Neg(x) => x,
            Op::Sub(x, y) => self.put(Op::Sub(y, x)),
            Op::MulSub(x, y, z) => self.put(Op::NegMulAdd(x, y, z)), // −(xy − z) = z − xy, with the same rounding
            Op::NegMulAdd(x, y, z) => self.put(Op::MulSub(x, y, z)),
            _ => self.put(Op::Neg(a)),
        }
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => return self.constant(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        if let Some(b) = self.negated(b) {
            return self.sub(a, b);
        }
        if let Some(a) = self.negated(a) {
            return self.sub(b, a);
        }
        self.put(Op::Add(a, b))
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => return self.constant(x - y),
            (Some(0.0), _) => return self.neg(b),
            (_, Some(0.0)) => return a,
            _ => {}
        }
        if a == b {
            return self.constant(0.0);
        }
        if let Some(b) = self.negated(b) {
            return self.add(a, b);
        }
        self.put(Op::Sub(a, b))
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => return self.constant(x * y),
            (Some(0.0), _) | (_, Some(0.0)) => return self.constant(0.0),
            (Some(1.0), _) => return b,
            (_, Some(1.0)) => return a,
            (Some(-1.0), _) => return self.neg(b),
            (_, Some(-1.0)) => return self.neg(a),
            _ => {}
        }
        match (self.negated(a), self.negated(b)) {
            (Some(a), Some(b)) => self.mul(a, b),
            (Some(a), None) => {
                let product = self.mul(a, b);
                self.neg(product)
            }
            (None, Some(b)) => {
                let product = self.mul(a, b);
                self.neg(product)
            }
            (None, None) => self.put(Op::Mul(a, b)),
        }
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => return self.constant(x / y),
            (Some(0.0), _) => return self.constant(0.0),
            (_, Some(1.0)) => return a,
            _ => {}
        }
        if let Some(a) = self.negated(a) {
            let quotient = self.div(a, b);
            return self.neg(quotient);
        }
        self.put(Op::Div(a, b))
    }

    /// a·b + c
    fn mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) if self.number(c).is_some() => {
                let z = self.number(c).unwrap_or_default();
                return self.constant(x.mul_add(y, z));
            }
            (Some(0.0), _) | (_, Some(0.0)) => return c,
            (Some(1.0), _) => return self.add(b, c),
            (_, Some(1.0)) => return self.add(a, c),
            (Some(-1.0), _) => return self.sub(c, b),
            (_, Some(-1.0)) => return self.sub(c, a),
            _ => {}
        }
        if self.number(c) == Some(0.0) {
            return self.mul(a, b);
        }
        if let Some(a) = self.negated(a) {
            return self.neg_mul_add(a, b, c);
        }
        if let Some(b) = self.negated(b) {
            return self.neg_mul_add(a, b, c);
        }
        if let Some(c) = self.negated(c) {
            return self.mul_sub(a, b, c);
        }
        self.put(Op::MulAdd(a, b, c))
    }

    /// c − a·b
    fn neg_mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) if self.number(c).is_some() => {
                let z = self.number(c).unwrap_or_default();
                return self.constant((-x).mul_add(y, z));
            }
            (Some(0.0), _) | (_, Some(0.0)) => return c,
            (Some(1.0), _) => return self.sub(c, b),
            (_, Some(1.0)) => return self.sub(c, a),
            (Some(-1.0), _) => return self.add(b, c),
            (_, Some(-1.0)) => return self.add(a, c),
            _ => {}
        }
        if self.number(c) == Some(0.0) {
            let product = self.mul(a, b);
            return self.neg(product);
        }
        if let Some(a) = self.negated(a) {
            return self.mul_add(a, b, c);
        }
        if let Some(b) = self.negated(b) {
            return self.mul_add(a, b, c);
        }
        if let Some(c) = self.negated(c) {
            let sum = self.mul_add(a, b, c);
            return self.neg(sum);
        }
        self.put(Op::NegMulAdd(a, b, c))
    }

    /// a·b − c
    fn mul_sub(&mut self, a: Value, b: Value, c: Value) -> Value {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) if self.number(c).is_some() => {
                let z = self.number(c).unwrap_or_default();
                return self.constant(x.mul_add(y, -z));
            }
            (Some(0.0), _) | (_, Some(0.0)) => return self.neg(c),
            (Some(1.0), _) => return self.sub(b, c),
            (_, Some(1.0)) => return self.sub(a, c),
            _ => {}
        }
        if self.number(c) == Some(0.0) {
            return self.mul(a, b);
        }
        if let Some(c) = self.negated(c) {
            return self.mul_add(a, b, c);
        }
        for (x, y) in [(a, b), (b, a)] {
            let x = if self.number(x) == Some(-1.0) { Some(None) } else { self.negated(x).map(Some) };
            match x {
                Some(None) => {
                    let sum = self.add(y, c);
                    return self.neg(sum);
                }
                Some(Some(x)) => {
                    let sum = self.mul_add(x, y, c);
                    return self.neg(sum);
                }
                None => {}
            }
        }
        self.put(Op::MulSub(a, b, c))
    }

    fn one(&mut self, a: Value, fold: impl Fn(f64) -> f64, op: impl Fn(Value) -> Op) -> Value {
        match self.number(a) {
            Some(x) => self.constant(fold(x)),
            None => self.put(op(a)),
        }
    }

    /// If `Health` of the library added a margin here: that margin, and the value before.
    pub(crate) fn link_of_health(&self, at: Value) -> Option<(Value, Value)> {
        match self.values[at as usize] {
            Op::Select(zero, margin, before, bad) if self.is(zero, 0.0) && self.is(bad, -1.0) => Some((margin, before)),
            _ => None,
        }
    }

    fn is(&self, value: Value, x: f64) -> bool {
        self.values[value as usize] == Op::Constant(x)
    }

    fn select(&mut self, mask: Mask, c: Value, d: Value) -> Value {
        match mask {
            _ if c == d => c,
            Mask::Known(true) => c,
            Mask::Known(false) => d,
            Mask::Less(a, b) => self.put(Op::Select(a, b, c, d)),
        }
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident by $by:ident;)*) => {$(
        impl $trait for Traced {
            type Output = Traced;
            fn $method(self, b: Traced) -> Traced {
                with(|tape| {
                    tape.asked += 1;
                    tape.$by(self.0, b.0)
                })
            }
        }
    )*};
}
operators! { Add add by add; Sub sub by sub; Mul mul by mul; Div div by div; }

impl Neg for Traced {
    type Output = Traced;
    fn neg(self) -> Traced {
        with(|tape| tape.neg(self.0))
    }
}
impl AddAssign for Traced {
    fn add_assign(&mut self, b: Traced) {
        *self = *self + b;
    }
}
impl SubAssign for Traced {
    fn sub_assign(&mut self, b: Traced) {
        *self = *self - b;
    }
}
impl MulAssign for Traced {
    fn mul_assign(&mut self, b: Traced) {
        *self = *self * b;
    }
}

impl Real for Traced {
    type Mask = Mask;
    type Hardware = Portable;

    fn from_f64(x: f64) -> Self {
        with(|tape| tape.constant(x))
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        with(|tape| {
            tape.asked += 1;
            tape.mul_add(self.0, b.0, c.0)
        })
    }
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        with(|tape| {
            tape.asked += 1;
            tape.neg_mul_add(self.0, b.0, c.0)
        })
    }
    fn mul_sub(self, b: Self, c: Self) -> Self {
        with(|tape| {
            tape.asked += 1;
            tape.mul_sub(self.0, b.0, c.0)
        })
    }
    fn sqrt(self) -> Self {
        with(|tape| {
            tape.asked += 1;
            tape.one(self.0, f64::sqrt, Op::Sqrt)
        })
    }
    fn sin_cos(self) -> (Self, Self) {
        // The library's own functions for constants, so that the result is the same as for plain numbers.
        let (sin, cos) = (|x: f64| Real::sin_cos(x).0, |x: f64| Real::sin_cos(x).1);
        let sin = with(|tape| {
            tape.asked += 2;
            tape.one(self.0, sin, Op::Sin)
        });
        (sin, with(|tape| tape.one(self.0, cos, Op::Cos)))
    }
    fn atan2(self, x: Self) -> Self {
        with(|tape| {
            tape.asked += 1;
            match (tape.number(self.0), tape.number(x.0)) {
                (Some(y), Some(x)) => tape.constant(Real::atan2(y, x)),
                _ => tape.put(Op::Atan2(self.0, x.0)),
            }
        })
    }
    fn lt(self, other: Self) -> Mask {
        TAPE.with_borrow_mut(|tape| match (tape.number(self.0), tape.number(other.0)) {
            (Some(a), Some(b)) => Mask::Known(a < b),
            _ => Mask::Less(self.0, other.0),
        })
    }
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        with(|tape| {
            tape.asked += 1;
            tape.select(mask, a.0, b.0)
        })
    }
    fn is_finite(self) -> bool {
        true
    }
    /// Compares constants. For other values, records the test for run time and returns false.
    fn any_below(self, bound: f64) -> bool {
        TAPE.with_borrow_mut(|tape| {
            if let Some(x) = tape.number(self.0) {
                return x < bound;
            }
            let bound = tape.constant(bound);
            let above = tape.sub(self.0, bound);
            let health = match tape.link_of_health(above) {
                Some(_) => above,
                None => {
                    let [zero, one, bad] = [0.0, 1.0, -1.0].map(|x| tape.constant(x));
                    tape.select(Mask::Less(above, zero), bad, one)
                }
            };
            tape.health.push(health);
            false
        })
    }
}
