//! Kernels: loops that write matrices from quantities of every degree of freedom.
//!
//! For one state, four rows go side by side in a register. For several states, one row.

use super::Writer;
use super::runtime::filled;
use crate::kernels::{Column, Fill, Inverse, Kernel};
use core::fmt::Write;
use core::ops::Range;

impl Writer<'_> {
    pub(super) fn kernel(&self, kernel: &Kernel, source: &mut String) {
        match (kernel, self.side) {
            (Kernel::Fill(fill), _) => self.fill(fill, source),
            (Kernel::Inverse(inverse), None) => self.inverse(inverse, include_str!("inverse.c"), source),
            (Kernel::Inverse(inverse), Some(_)) => {
                self.inverse(inverse, include_str!("inverse_side_by_side.c"), source);
            }
            (Kernel::Columns(columns), _) => self.columns(columns, source),
        }
    }

    /// Rows are processed in blocks that stay in registers while the loop runs over columns. Blocks of one
    /// kind follow each other, which helps branch prediction.
    fn fill(&self, fill: &Fill, source: &mut String) {
        let (n, width) = (fill.columns.len(), self.width());
        let p = self.side.map_or("l", |side| side.prefix);
        let (segments, zeros) = plan(&fill.columns, if self.side.is_some() { 1 } else { 4 });
        let matrices = &["a", "b", "c"][..fill.outputs.len()];
        let arguments: Vec<String> = matrices.iter().map(|m| format!("real *restrict {m}")).collect();
        source.push_str("\n/* Blocks of rows that are on the path to a column (above), in its subtree (below), or some of each: row, first column, the\n * one after the last; which rows are above, a bit each, which below. */\n");
        let (name, arguments) = (&self.name, arguments.join(", "));
        let _ = writeln!(source, "DTAU_PART void {name}_fill(const real *restrict x, {arguments})\n{{");
        if self.side.is_none() {
            let bits = (0..16).map(|k| [0, 1, 2, 3].map(|b| (k >> b & 1).to_string()).join(", "));
            let bits: Vec<String> = bits.map(|bits| format!("{{{bits}}}")).collect();
            let _ = writeln!(source, "    static const real bits[16][4] = {{{}}};", bits.join(", "));
        }
        for kind in [Kind::Above, Kind::Below, Kind::SomeAbove, Kind::SomeBelow, Kind::Mixed] {
            let of_kind: Vec<&Segment> = segments.iter().filter(|segment| segment.kind == kind).collect();
            if !of_kind.is_empty() {
                self.blocks(fill, kind, &of_kind, source);
            }
        }
        if !zeros.is_empty() {
            let list: Vec<String> = zeros.iter().map(|at| (width * at).to_string()).collect();
            let _ = writeln!(source, "    static const unsigned zeros[] = {{{}}};", list.join(", "));
            let _ = writeln!(source, "    for (int k = 0; k < {}; k++) {{", zeros.len());
            for m in matrices {
                let _ = writeln!(source, "        {p}_store({m} + zeros[k], {p}_splat(0));");
            }
            source.push_str("    }\n");
        }
        for (matrix, place) in matrices.iter().zip(&fill.diagonal).filter_map(|(m, place)| Some((m, (*place)?))) {
            let at = format!("x[{} + k]", width * n * place);
            let _ = match self.side {
                None => writeln!(source, "    for (int k = 0; k < {n}; k++) {matrix}[{} * k] += {at};", n + 1),
                Some(_) => writeln!(
                    source,
                    "    for (int k = 0; k < {}; k++) {matrix}[{} * (k / {width}) + k % {width}] += {at};",
                    width * n,
                    width * (n + 1)
                ),
            };
        }
        source.push_str("}\n");
    }

    /// Writes all blocks of one kind.
    fn blocks(&self, fill: &Fill, kind: Kind, segments: &[&Segment], source: &mut String) {
        let (n, width) = (fill.columns.len(), self.width());
        let (p, lanes) = self.side.map_or(("l", "lanes"), |side| (side.prefix, side.name));
        let (above, below) = (kind.has_above(), kind.has_below());
        let some = !matches!(kind, Kind::Above | Kind::Below);
        let list: Vec<String> = (segments.iter())
            .map(|s| format!("{{{}, {}, {}, {}, {}}}", s.row, s.columns.start, s.columns.end, s.above, s.below))
            .collect();
        let plan = kind.name();
        let mut line = |depth: usize, text: &str| {
            let _ = writeln!(source, "{:1$}{text}", "", 4 * depth);
        };
        line(1, &format!("static const unsigned short {plan}[][5] = {{{}}};", list.join(", ")));
        line(1, &format!("for (int k = 0; k < {}; k++) {{", segments.len()));
        line(2, &format!("const unsigned short *s = {plan}[k];"));
        line(2, &format!("const real *row = x + {width} * s[0];"));
        let six = |first: usize| first..first + 6;
        let three = |first: usize| first..first + 3;
        let rows_above = six(fill.above.0).filter(|_| above);
        let has_more = below && fill.more.1.iter().any(Option::is_some);
        let rows_below = six(fill.below.0).filter(|_| below).chain(three(fill.more.0).filter(|_| has_more));
        for (k, place) in rows_above.enumerate() {
            line(2, &format!("const {lanes} u{k} = {p}_load(row + {});", width * n * place));
        }
        for (k, place) in rows_below.enumerate() {
            line(2, &format!("const {lanes} w{k} = {p}_load(row + {});", width * n * place));
        }
        if some {
            line(2, "const lanes none = l_splat(0);");
        }
        if some && above {
            line(2, "const lanes above = l_load(bits[s[3]]);");
        }
        if some && below {
            line(2, "const lanes below = l_load(bits[s[4]]);");
        }
        line(2, "DTAU_ROLLED");
        line(2, "for (int i = s[1]; i < s[2]; i++) {");
        line(3, &format!("const real *column = x + {width} * i;"));
        let number = |place: usize| match self.side {
            Some(_) => format!("{p}_load(column + {})", width * n * place),
            None => format!("{p}_splat(column[{}])", n * place),
        };
        for (m, matrix) in ["a", "b", "c"][..fill.outputs.len()].iter().enumerate() {
            let sides =
                [(above, "up", "u", fill.above.1[m], None), (below, "low", "w", fill.below.1[m], fill.more.1[m])];
            for (_, name, row, six, three) in sides.into_iter().filter(|(is, ..)| *is) {
                let name = format!("{name}_{matrix}");
                line(3, &format!("{lanes} {name} = {p}_mul({row}0, {});", number(six)));
                for k in 1..6 {
                    if fill.in_halves && k == 3 {
                        line(3, &format!("{lanes} {name}_ = {p}_mul({row}3, {});", number(six + 3)));
                        continue;
                    }
                    let to = if fill.in_halves && k > 3 { format!("{name}_") } else { name.clone() };
                    line(3, &format!("{to} = {p}_fma({row}{k}, {}, {to});", number(six + k)));
                }
                if fill.in_halves {
                    line(3, &format!("{name} = {p}_add({name}, {name}_);"));
                }
                for (k, place) in three.into_iter().flat_map(|first| first..first + 3).enumerate() {
                    line(3, &format!("{name} = {p}_fma(w{}, {}, {name});", 6 + k, number(place)));
                }
            }
            let value = match kind {
                Kind::Above => format!("up_{matrix}"),
                Kind::Below => format!("low_{matrix}"),
                Kind::SomeAbove => format!("l_select(none, above, up_{matrix}, none)"),
                Kind::SomeBelow => format!("l_select(none, below, low_{matrix}, none)"),
                Kind::Mixed => {
                    format!("l_select(none, above, up_{matrix}, l_select(none, below, low_{matrix}, none))")
                }
            };
            line(3, &format!("{p}_store({matrix} + {width} * ({n} * i + s[0]), {value});"));
        }
        line(2, "}");
        line(1, "}");
    }

    /// Four columns of M⁻¹ side by side, or one for several states.
    fn inverse(&self, inverse: &Inverse, template: &str, source: &mut String) {
        let marks = self.marks(inverse);
        source.push_str(&filled(template, &marks.each_ref().map(|(mark, with)| (*mark, with.as_str()))));
    }

    fn marks(&self, inverse: &Inverse) -> [(&'static str, String); 11] {
        let links: Vec<String> = (inverse.dofs.iter())
            .map(|link| {
                let from = link.from.map_or(-1, |from| from as isize);
                format!("{{{}, {}, {from}, {}, {}}}", link.end, link.branch_end, link.to, u8::from(link.is_last))
            })
            .collect();
        let (p, lanes) = self.side.map_or(("l", "lanes"), |side| (side.prefix, side.name));
        let n = inverse.dofs.len();
        [
            ("@NAME@", self.name.clone()),
            ("@N@", n.to_string()),
            ("@UNITS@", n.div_ceil(4).to_string()),
            ("@LEVELS@", inverse.levels.to_string()),
            ("@LINKS@", links.join(", ")),
            ("@S@", (n * inverse.axes).to_string()),
            ("@U@", (n * inverse.forces).to_string()),
            ("@D@", (n * inverse.reciprocals).to_string()),
            ("@P@", p.into()),
            ("@TYPE@", lanes.into()),
            ("@W@", self.width().to_string()),
        ]
    }
}

/// Kind of the rows of a block in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Above,
    Below,
    /// Some rows above, the others zero.
    SomeAbove,
    /// Some rows below, the others zero.
    SomeBelow,
    Mixed,
}

impl Kind {
    fn has_above(self) -> bool {
        matches!(self, Kind::Above | Kind::SomeAbove | Kind::Mixed)
    }

    fn has_below(self) -> bool {
        matches!(self, Kind::Below | Kind::SomeBelow | Kind::Mixed)
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Above => "all_above",
            Kind::Below => "all_below",
            Kind::SomeAbove => "some_above",
            Kind::SomeBelow => "some_below",
            Kind::Mixed => "some_of_each",
        }
    }
}

/// A block of rows in neighbouring columns.
#[derive(Debug)]
struct Segment {
    kind: Kind,
    row: usize,
    columns: Range<usize>,
    /// One bit for each row.
    above: u8,
    below: u8,
}

/// Lists the blocks of rows that are not all zero, and the places of the others. The last block overlaps with
/// the one before.
fn plan(columns: &[Column], width: usize) -> (Vec<Segment>, Vec<usize>) {
    let (n, all) = (columns.len(), (1_u16 << width) as u8 - 1);
    let bits = |row: usize, is: &dyn Fn(usize) -> bool| (0..width).map(|w| u8::from(is(row + w)) << w).sum::<u8>();
    let (mut segments, mut zeros): (Vec<Segment>, Vec<usize>) = (Vec::new(), Vec::new());
    for block in (0..n).step_by(width) {
        let row = block.min(n - width);
        for (c, column) in columns.iter().enumerate() {
            let above = bits(row, &|r| column.above.iter().any(|run| run.contains(&r)));
            let below = bits(row, &|r| column.below.contains(&r));
            let kind = match (above, below) {
                (0, 0) => {
                    zeros.push(c * n + row);
                    continue;
                }
                (above, _) if above == all => Kind::Above,
                (_, below) if below == all => Kind::Below,
                (_, 0) => Kind::SomeAbove,
                (0, _) => Kind::SomeBelow,
                _ => Kind::Mixed,
            };
            match segments.last_mut() {
                Some(last) if (last.row, last.columns.end, last.above, last.below) == (row, c, above, below) => {
                    last.columns.end += 1;
                }
                _ => segments.push(Segment { kind, row, columns: c..c + 1, above, below }),
            }
        }
    }
    zeros.sort_unstable();
    (segments, zeros)
}
