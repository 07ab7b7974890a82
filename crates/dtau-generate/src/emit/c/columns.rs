//! Many right-hand sides: a loop over columns of the steps that solve one.
//!
//! Eight columns of one state go side by side, or two of four states: in one register where there are such, else in two that share the
//! factors. Of eight states one column.

use super::{Writer, number};
use crate::emit::on_registers;
use crate::kernels::{Columns, Group, Row};
use crate::program::{Op, Value};
use core::fmt::Write;

impl Writer<'_> {
    pub(super) fn columns(&self, kernel: &Columns, source: &mut String) {
        let n = kernel.dofs;
        let arguments: Vec<String> =
            kernel.outputs.iter().map(|&y| format!("real *restrict {}", self.output(y))).collect();
        source.push_str("\n/* Right-hand sides, solved column by column; x has the factors too. Of several states, outputs follow state by state. */\n");
        let (name, arguments) = (&self.name, arguments.join(", "));
        let _ = writeln!(source, "DTAU_PART void {name}_columns(const real *restrict x, {arguments})\n{{");
        if kernel.groups.iter().any(|group| group.from.contains(&Row::Identity)) {
            let unit: Vec<&str> = (0..2 * n).map(|k| if k == n { "1" } else { "0" }).collect();
            let _ = writeln!(source, "    static const real unit[] = {{{}}};", unit.join(", "));
        }
        for group in &kernel.groups {
            self.group(kernel, group, source);
        }
        let states = self.width();
        // Of every state; @ is the output.
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

    fn group(&self, kernel: &Columns, group: &Group, source: &mut String) {
        let (n, states) = (kernel.dofs, self.width());
        let columns = n * group.matrices.len();
        // Registers, how many columns they have, and in how many parts they go to their places.
        let (p, of, step, parts) = match self.side {
            None => ("w", "wide", 8, 2),
            Some(side) if side.width == 4 => ("w", "wide", 2, 2),
            Some(side) => (side.prefix, side.name, 1, 1),
        };
        let mut line = |depth: usize, text: &str| {
            let _ = writeln!(source, "{:1$}{text}", "", 4 * depth);
        };
        line(1, "DTAU_ROLLED");
        line(1, &format!("for (int c = 0; c < {columns}; c += {step}) {{"));
        // The last ones may come twice.
        line(2, &format!("const int i = c + {step} <= {columns} ? c : {};", columns - step));
        line(2, &format!("DTAU_ALIGNED real y[{}];", 8 * group.results.len()));
        line(2, "DTAU_READ_AGAIN(x);");
        let unit = |r: u32, next: usize| format!("unit[{} + i]", n - r as usize + next);
        let read = |value: Value| match group.steps[value as usize] {
            Op::Constant(x) => format!("{p}_splat({})", number(x, self.style.precision)),
            Op::Input(0, k) => match states {
                1 => format!("w_splat(x[{k}])"),
                4 => format!("w_twice(x + {})", 4 * k),
                _ => format!("{p}_load(x + {})", states * k as usize),
            },
            Op::Input(_, r) => match (group.from[r as usize], states) {
                (Row::Scratch(first), _) => format!("{p}_load(x + {} + {states} * i)", states * first),
                (_, 1) => format!("w_load(&{})", unit(r, 0)),
                (_, 4) => format!("w_both(l_splat({}), l_splat({}))", unit(r, 0), unit(r, 1)),
                _ => format!("{p}_splat({})", unit(r, 0)),
            },
            _ => format!("t{value}"),
        };
        for (value, op) in group.steps.iter().enumerate() {
            if let Some(text) = on_registers(op, p, read) {
                line(2, &format!("const {of} t{value} = {text};"));
            }
        }
        for (r, &value) in group.results.iter().enumerate() {
            line(2, &format!("{p}_store(y + {}, {});", 8 * r, read(value)));
        }
        let (p, width) = self.side.map_or(("l", 4), |side| (side.prefix, side.width));
        line(2, &format!("for (int w = 0; w < {parts}; w++) {{"));
        line(3, &format!("real *a[{width}], *b[{width}];"));
        line(3, &format!("for (int k = 0; k < {width}; k++) {{"));
        let column = if self.side.is_some() { "i + w" } else { "i + 4 * w + k" };
        line(4, &format!("const int column = {column};"));
        for (to, of, rows) in [("a", 0, n), ("b", 1, kernel.rows)] {
            let outputs: Vec<&str> = group.matrices.iter().map(|both| self.output(both[of])).collect();
            let place = match &outputs[..] {
                [one] => format!("{one} + {rows} * column"),
                [one, other] => format!("column < {n} ? {one} + {rows} * column : {other} + {rows} * (column - {n})"),
                _ => unreachable!("two at the most"),
            };
            let state = self.side.map_or(String::new(), |_| format!(" + {} * k", rows * n));
            line(4, &format!("{to}[k] = ({place}){state};"));
        }
        line(3, "}");
        line(3, &format!("{p}_scatter({n}, 8, y + {width} * w, a);"));
        line(3, &format!("{p}_scatter({}, 8, y + {} + {width} * w, b);", kernel.rows, 8 * n));
        line(2, "}");
        line(1, "}");
    }
}
