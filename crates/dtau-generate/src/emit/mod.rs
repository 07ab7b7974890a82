//! A program in a language.

pub mod c;
pub mod casadi;
mod looped;
pub mod rust;
mod stores;

use crate::program::{Op, Value};

/// A name as languages take it: letters, digits, underscores.
pub fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'r');
    }
    out
}

/// An operation on registers in C, whose functions begin with `p`; none for what computes nothing.
fn on_registers(op: &Op, p: &str, r: impl Fn(Value) -> String) -> Option<String> {
    Some(match *op {
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
        _ => return None,
    })
}
