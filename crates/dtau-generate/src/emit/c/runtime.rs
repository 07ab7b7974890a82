//! The small runtime at the top of every source: multiply-adds, sines, SIMD numbers.

use super::{Precision, Style, Width};
use crate::kernels::Kernel;
use crate::program::Program;

/// SIMD type.
pub(super) struct Side {
    /// Prefix of its operations.
    pub(super) prefix: &'static str,
    /// Name of the type.
    pub(super) name: &'static str,
    /// Number of lanes.
    pub(super) width: usize,
}

pub(super) const FOUR: Side = Side { prefix: "l", name: "lanes", width: 4 };
const EIGHT: Side = Side { prefix: "e", name: "eight", width: 8 };

/// Returns the SIMD type that holds several states.
pub(super) fn side(options: &Style) -> Option<&'static Side> {
    options.side_by_side.map(|width| match (width, options.precision) {
        (Width::Eight, Precision::F32) => &EIGHT,
        _ => &FOUR,
    })
}

/// Writes the runtime of programs for one state. `limbs` is true if limbs go side by side.
pub(super) fn write(options: &Style, programs: &[&Program], limbs: bool) -> String {
    let four = programs.iter().any(|program| !program.products.is_empty() || !program.kernels.is_empty());
    let kernels = || programs.iter().flat_map(|program| &program.kernels);
    let solves = kernels().any(|kernel| matches!(kernel, Kernel::Columns(_)));
    let mirrored = solves || kernels().any(|kernel| matches!(kernel, Kernel::Inverse(_)));
    let double = options.precision == Precision::F64;
    let names = if double {
        ["double", "DOUBLE", "fma", "sqrt", "atan2"]
    } else {
        ["float", "FLOAT", "fmaf", "sqrtf", "atan2f"]
    };
    let marks = ["@REAL@", "@KIND@", "@FMA@", "@SQRT@", "@ATAN2@"];
    let mut text = filled(include_str!("prelude.c"), &marks.into_iter().zip(names).collect::<Vec<_>>());
    let (q, doubles) = if double { ("l", "lanes") } else { ("q", "doubles") };
    text.push('\n');
    text += &registers(q, doubles, true, 4);
    text += &filled(include_str!("sines.c"), &[("@Q@", q), ("@D@", doubles)]);
    let side = side(options);
    let four = four || limbs || side.is_some_and(|side| side.width == 4);
    if four && !double {
        text += &registers("l", "lanes", false, 4);
    }
    if mirrored {
        text += &filled(include_str!("mirror.c"), &[("@DOUBLE@", if double { "1" } else { "0" })]);
    }
    let scatter = |p: &str, n: &str| {
        let fast = if double && n == "4" { "1" } else { "0" };
        filled(include_str!("scatter.c"), &[("@P@", p), ("@N@", n), ("@FAST@", fast)])
    };
    if solves {
        text += &filled(include_str!("wide.c"), &[("@DOUBLE@", if double { "1" } else { "0" })]);
        text += &scatter("l", "4");
    }
    if limbs {
        let (mm, ps) = if double { ("_mm256", "pd") } else { ("_mm", "ps") };
        let marks = [("@MM@", mm), ("@PS@", ps), ("@DOUBLE@", if double { "1" } else { "0" })];
        text += &filled(include_str!("limbs.c"), &marks);
        if !double {
            text += &for_side(include_str!("by_arrays.c"), &FOUR);
        }
        if side.is_none_or(|side| side.width != 4) {
            text += &for_side(include_str!("side_by_side.c"), &FOUR);
        }
    }
    if let Some(side) = side {
        text += IF_SIDE_BY_SIDE;
        if side.width == 8 {
            text += &registers("e", "eight", false, 8);
        }
        let there = double || limbs && side.width == 4;
        if !there {
            text += &for_side(include_str!("by_arrays.c"), side);
        }
        text += &for_side(include_str!("side_by_side.c"), side);
        text += &match (side.width, double) {
            (4, true) => include_str!("pack.c").into(),
            _ => for_side(include_str!("pack_by_number.c"), side),
        };
        if solves && side.width == 8 {
            text += &scatter("e", "8");
        }
        text += "#endif\n";
    }
    text
}

/// Condition for SIMD registers. Without them, states are computed one by one: with arrays in place of
/// registers, compilers take minutes.
pub(super) const IF_SIDE_BY_SIDE: &str = "#if defined(__AVX2__) && defined(__FMA__)\n";

fn for_side(template: &str, side: &Side) -> String {
    filled(template, &[("@P@", side.prefix), ("@TYPE@", side.name), ("@N@", &side.width.to_string())])
}

/// Defines a SIMD number: a register if the CPU has it, otherwise an array.
fn registers(prefix: &str, name: &str, double: bool, width: usize) -> String {
    let (mm, register) = match (double, width) {
        (true, _) => ("_mm256", "__m256d"),
        (false, 4) => ("_mm", "__m128"),
        (false, _) => ("_mm256", "__m256"),
    };
    let words = match (double, width) {
        (true, _) => "Four numbers in double precision",
        (false, 4) => "Four numbers",
        (false, _) => "Eight numbers",
    };
    let [real, ps, f, scalar, sqrt] =
        if double { ["double", "pd", "", "d", "sqrt"] } else { ["float", "ps", "f", "r", "sqrtf"] };
    let marks = [
        ("@P@", prefix),
        ("@TYPE@", name),
        ("@N@", &width.to_string()),
        ("@MM@", mm),
        ("@REGISTER@", register),
        ("@WORDS@", words),
        ("@REAL@", real),
        ("@PS@", ps),
        ("@F@", f),
        ("@SCALAR@", scalar),
        ("@SQRT@", sqrt),
    ];
    filled(include_str!("registers.c"), &marks)
}

/// Returns a template with its marks replaced.
pub(super) fn filled(template: &str, marks: &[(&str, &str)]) -> String {
    marks.iter().fold(template.to_string(), |text, (mark, with)| text.replace(mark, with))
}
