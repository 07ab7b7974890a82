//! Writes a program in a target language.

pub mod c;
pub mod casadi;
pub mod rust;

use crate::program::{Op, Value};
use c::Precision;

/// Languages with similar statements. Functions for one state without limbs differ only in what is defined here.
#[derive(Clone, Copy)]
enum Language {
    C,
    Rust,
}

impl Language {
    /// Formats a number.
    fn number(self, x: f64, precision: Precision) -> String {
        let text = c::number(x, precision);
        match self {
            Language::C => text,
            Language::Rust => {
                text.trim_end_matches('f').replace("NAN", "Real::NAN").replace("INFINITY", "Real::INFINITY")
            }
        }
    }

    /// Returns the beginning of a constant's declaration.
    fn constant(self, of: &str) -> String {
        match self {
            Language::C => format!("const {of}"),
            Language::Rust => "let".into(),
        }
    }

    /// Returns a parameter: an array of `len` numbers.
    fn array(self, name: &str, of: &str, len: usize) -> String {
        match (self, of) {
            (Language::C, _) => format!("{of} *restrict {name}"),
            (Language::Rust, "const real") => format!("{name}: &[Real; {len}]"),
            (Language::Rust, _) => format!("{name}: &mut [Real; {len}]"),
        }
    }
}

/// Makes a name valid in the target languages: letters, digits, underscores.
pub fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'r');
    }
    out
}

/// Writes an operation on C registers, whose functions have prefix `p`. `None` for values that need no operation.
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
