//! Products of matrices, which stay loops.

use super::Writer;
use crate::program::Product;
use std::fmt::Write;

impl Writer<'_> {
    /// Computes −left · right, column by column. Both right factors have the same zero pattern.
    ///
    /// Some rows of a column of both products stay in registers while the loop runs over the columns of the
    /// left factor: four rows in a register for one state, one row for several states.
    pub(super) fn product(&self, product: &Product, source: &mut String) {
        let (n, width) = (product.rows.len(), self.width());
        let (mut runs, mut first) = (Vec::new(), vec!["0".to_string()]);
        for rows in &product.rows {
            runs.extend(rows.iter().map(|run| format!("{{{}, {}}}", run.start, run.end)));
            first.push(runs.len().to_string());
        }
        if runs.is_empty() {
            runs.push("{0, 0}".into());
        }
        // For one state, the last four rows overlap with those before.
        let units: Vec<usize> = match self.side {
            Some(_) => (0..n).map(|i| width * i).collect(),
            None => (0..n.div_ceil(4)).map(|u| (4 * u).min(n - 4)).collect(),
        };
        let (p, lanes) = self.side.map_or(("l", "lanes"), |side| (side.prefix, side.name));
        let _ =
            writeln!(source, "\n/* b = -m b, c = -m c; runs: the rows of a column of b and c that are not zero. */");
        let _ = writeln!(
            source,
            "DTAU_PART void {}_product(const real *restrict m, real *restrict b, real *restrict c)\n{{",
            self.name
        );
        let _ = writeln!(source, "    static const unsigned short runs[][2] = {{{}}};", runs.join(", "));
        let _ = writeln!(source, "    static const unsigned short first[] = {{{}}};", first.join(", "));
        let _ = writeln!(source, "    for (int k = 0; k < {n}; k++) {{");
        let _ = writeln!(source, "        real x[{0}], y[{0}];", width * n);
        let _ = writeln!(source, "        real *bk = b + {0} * k, *ck = c + {0} * k;", width * n);
        let parts = units.len().div_ceil(5);
        for units in units.chunks(units.len().div_ceil(parts)) {
            source.push_str("        {\n");
            for u in 0..units.len() {
                let _ = writeln!(source, "            {lanes} p{u} = {p}_splat(0), q{u} = {p}_splat(0);");
            }
            source.push_str("            for (int run = first[k]; run < first[k + 1]; run++)\n");
            source.push_str("                for (int r = runs[run][0]; r < runs[run][1]; r++) {\n");
            let of_column = |x: &str| match self.side {
                Some(_) => format!("{p}_load({x} + {width} * r)"),
                None => format!("{p}_splat({x}[r])"),
            };
            let (b, c) = (of_column("bk"), of_column("ck"));
            let _ = writeln!(source, "                    const {lanes} br = {b}, cr = {c};");
            let _ = writeln!(source, "                    const real *mr = m + {} * r;", width * n);
            for (u, offset) in units.iter().enumerate() {
                let _ = writeln!(source, "                    const {lanes} m{u} = {p}_load(mr + {offset});");
                let _ = writeln!(source, "                    p{u} = {p}_fnma(m{u}, br, p{u});");
                let _ = writeln!(source, "                    q{u} = {p}_fnma(m{u}, cr, q{u});");
            }
            source.push_str("                }\n");
            for (u, offset) in units.iter().enumerate() {
                let _ = writeln!(source, "            {p}_store(x + {offset}, p{u});");
                let _ = writeln!(source, "            {p}_store(y + {offset}, q{u});");
            }
            source.push_str("        }\n");
        }
        source.push_str("        memcpy(bk, x, sizeof x);\n        memcpy(ck, y, sizeof y);\n    }\n}\n");
    }
}
