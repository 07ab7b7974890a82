//! Many right-hand sides: loops over the sums that solve one column, for as many columns at a time as the
//! registers hold.
//!
//! With one state, eight columns go side by side. With four states, two columns. Both use one register of 512
//! bits if available, otherwise two of 256 bits. With eight states, one column.

use super::Writer;
use crate::kernels::{Columns, Group, Row};
use crate::sums::{Sign, Start, Term};
use core::fmt::Write;

/// Limit of registers of a row that are summed at a time. With 256-bit registers, a row takes two for each of
/// these, which leaves two for the factors.
const MOST_REGISTERS: usize = 7;

impl Writer<'_> {
    pub(super) fn columns(&self, kernel: &Columns, source: &mut String) {
        let n = kernel.dofs;
        let arguments: Vec<String> =
            kernel.outputs.iter().map(|&y| format!("real *restrict {}", self.output(y))).collect();
        source.push_str("\n/* Right-hand sides, solved column by column; x has the factors too. Of several states, outputs follow state by state. */\n");
        let (name, arguments) = (&self.name, arguments.join(", "));
        let _ = writeln!(source, "DTAU_PART void {name}_columns(const real *restrict x, {arguments})\n{{");
        if kernel.groups.iter().any(|group| group.from.contains(&Row::Identity)) {
            // Columns are processed in whole registers, so some lie beyond the last column.
            let unit: Vec<&str> = (0..2 * n + 8).map(|k| if k == n { "1" } else { "0" }).collect();
            let _ = writeln!(source, "    static const real unit[] = {{{}}};", unit.join(", "));
        }
        for (place, group) in kernel.groups.iter().enumerate() {
            self.group(kernel, group, place, source);
        }
        let states = self.width();
        // Writes a line for every state. @ is the output.
        let mut of_each = |output: usize, text: &str| {
            let (y, len) = (self.output(output), self.program.outputs[output].len());
            let (each, y) = match self.side {
                None => (String::new(), y.to_string()),
                Some(_) => (format!("for (int i = 0; i < {states}; i++) "), format!("({y} + {len} * i)")),
            };
            let _ = writeln!(source, "    {each}{}", text.replace('@', &y));
        };
        if let Some(output) = kernel.symmetric {
            of_each(output, &format!("r_mirror({n}, @);"));
        }
        if let Some(output) = kernel.plus_identity {
            of_each(output, &format!("for (int k = 0; k < {n}; k++) @[{} * k] += 1;", n + 1));
        }
        if let Some((output, first)) = kernel.plus {
            let len = self.program.outputs[output].len();
            let at = match self.side {
                None => format!("x[{first} + k]"),
                Some(_) => format!("x[{} + {states} * k + i]", states * first),
            };
            of_each(output, &format!("for (int k = 0; k < {len}; k++) @[k] += {at};"));
        }
        source.push_str("}\n");
    }

    fn output(&self, output: usize) -> &'static str {
        self.program.outputs[output].name
    }

    fn group(&self, kernel: &Columns, group: &Group, place: usize, source: &mut String) {
        let (n, states) = (kernel.dofs, self.width());
        let columns = n * group.matrices.len();
        // `each` is the number of columns in a register, `registers` the number processed at a time. The last
        // ones may be computed twice.
        let (p, of, each) = match states {
            1 => ("w", "wide", 8),
            4 => ("w", "wide", 2),
            _ => (self.prefix(), self.number(), 1),
        };
        let all = columns.div_ceil(each);
        let registers = all.div_ceil(all.div_ceil(MOST_REGISTERS));
        let apart = 8 * registers;
        let plan = self.plan_of(kernel, group);
        let count = group.sums.len();
        let kind = if plan.iter().all(|&x| x <= u16::MAX.into()) { "unsigned short" } else { "unsigned" };
        let plan: Vec<String> = plan.iter().map(usize::to_string).collect();
        let mut line = |depth: usize, text: &str| {
            let _ = writeln!(source, "{:1$}{text}", "", 4 * depth);
        };
        line(1, &format!("static const {kind} plan{place}[] = {{{}}};", plan.join(", ")));
        line(1, &format!("for (int u = 0; u < {all}; u += {registers}) {{"));
        line(2, &format!("const int i = {each} * (u + {registers} <= {all} ? u : {});", all - registers));
        line(2, &format!("const {kind} *p = plan{place};"));
        line(2, &format!("DTAU_ALIGNED real y[{}];", apart * group.places));
        line(2, &format!("for (int k = 0; k < {count}; k++) {{"));
        let names: Vec<String> = (0..registers).map(|w| format!("a{w}")).collect();
        line(3, &format!("{of} {};", names.join(", ")));
        line(3, "switch (p[0]) {");
        let number = |k: &str| match states {
            1 => format!("w_splat(x[{k}])"),
            4 => format!("w_twice(x + 4 * {k})"),
            _ => format!("{p}_load(x + {states} * {k})"),
        };
        let mut case = |label: &str, before: &str, value: &dyn Fn(usize) -> String| {
            line(3, &format!("{label} {{"));
            if !before.is_empty() {
                line(4, before);
            }
            for w in 0..registers {
                line(4, &format!("a{w} = {};", value(w)));
            }
            line(4, "break;");
            line(3, "}");
        };
        case("case 0:", "", &|_| format!("{p}_splat(0)"));
        case("case 1:", &format!("const real *from = x + {states} * ((int)p[1] + i);"), &|w| {
            format!("{p}_load(from + {})", 8 * w)
        });
        if group.from.contains(&Row::Identity) {
            let unit = |k: usize| format!("unit[(int)p[1] + i + {k}]");
            case("case 2:", "", &|w| match states {
                1 => format!("w_load(&{})", unit(8 * w)),
                4 => format!("w_both(l_splat({}), l_splat({}))", unit(2 * w), unit(2 * w + 1)),
                _ => format!("{p}_splat({})", unit(w)),
            });
        }
        case("case 3:", &format!("const real *from = y + {apart} * p[1];"), &|w| format!("{p}_load(from + {})", 8 * w));
        let scaled = format!("const real *from = y + {apart} * p[1]; const {of} f = {};", number("p[2]"));
        case("default:", &scaled, &|w| format!("{p}_mul(f, {p}_load(from + {}))", 8 * w));
        line(3, "}");
        line(3, "int runs = (int)p[3];");
        line(3, "for (p += 4; runs > 0; runs--) {");
        line(4, &format!("const {kind} sign = p[0], *end = p + 2 + 2 * p[1];"));
        line(4, "p += 2;");
        for (test, operation) in [("if (sign == 0)", "fma"), ("else if (sign == 1)", "fnma"), ("else", "fms")] {
            line(4, test);
            line(5, "for (; p < end; p += 2) {");
            line(6, &format!("const {of} f = {};", number("p[0]")));
            line(6, &format!("const real *b = y + {apart} * p[1];"));
            for w in 0..registers {
                line(6, &format!("a{w} = {p}_{operation}(f, {p}_load(b + {}), a{w});", 8 * w));
            }
            line(5, "}");
        }
        line(3, "}");
        line(3, &format!("real *to = y + {apart} * *p++;"));
        for w in 0..registers {
            line(3, &format!("{p}_store(to + {}, a{w});", 8 * w));
        }
        line(2, "}");
        // Columns beyond the last one are not stored.
        let (p, width) = self.side.map_or(("l", 4), |side| (side.prefix, side.width));
        line(2, &format!("real nowhere[{}];", n.max(kernel.rows)));
        line(2, &format!("for (int w = 0; w < {}; w++) {{", apart / width));
        line(3, &format!("real *a[{width}], *b[{width}];"));
        line(3, &format!("for (int k = 0; k < {width}; k++) {{"));
        line(4, &format!("const int column = {};", if self.side.is_some() { "i + w" } else { "i + 4 * w + k" }));
        for (to, of, rows) in [("a", 0, n), ("b", 1, kernel.rows)] {
            let outputs: Vec<&str> = group.matrices.iter().map(|both| self.output(both[of])).collect();
            let place = match &outputs[..] {
                [one] => format!("{one} + {rows} * column"),
                [one, other] => format!("column < {n} ? {one} + {rows} * column : {other} + {rows} * (column - {n})"),
                _ => unreachable!("two at the most"),
            };
            let state = self.side.map_or(String::new(), |_| format!(" + {} * k", rows * n));
            line(4, &format!("{to}[k] = column < {columns} ? ({place}){state} : nowhere;"));
        }
        line(3, "}");
        line(3, &format!("{p}_scatter({n}, {apart}, y + {width} * w, a);"));
        line(3, &format!("{p}_scatter({}, {apart}, y + {} + {width} * w, b);", kernel.rows, apart * n));
        line(2, "}");
        line(1, "}");
    }

    /// Encodes the sums as numbers: start, its row, its factor; number of runs of one sign, each with its
    /// length and terms; destination.
    fn plan_of(&self, kernel: &Columns, group: &Group) -> Vec<usize> {
        let mut plan = Vec::new();
        for sum in &group.sums {
            plan.extend(match sum.start {
                Start::Zeros => [0, 0, 0],
                Start::Side(r) => match group.from[r] {
                    Row::Scratch(first) => [1, first, 0],
                    _ => [2, kernel.dofs - r, 0],
                },
                Start::Row(at) => [3, at, 0],
                Start::Scaled(number, at) => [4, at, number],
            });
            let runs: Vec<&[Term]> = sum.terms.chunk_by(|a, b| a.sign == b.sign).collect();
            plan.push(runs.len());
            for run in runs {
                let sign = match run[0].sign {
                    Sign::Plus => 0,
                    Sign::Minus => 1,
                    Sign::From => 2,
                };
                plan.extend([sign, run.len()]);
                plan.extend(run.iter().flat_map(|term| [term.number, term.row]));
            }
            plan.push(sum.to);
        }
        plan
    }
}
