//! An external function in C: the function that CasADi calls, around plain functions of programs, and its
//! description.

use super::coordinates::{self, Coordinates};
use crate::emit::identifier;
use crate::module::Module;
use crate::program::{Array, Op, Program};
use crate::record::Numbers;
use std::fmt::Write;

/// Sparsity pattern of a matrix: the rows of each column that are not zero in every state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// Number of rows of the matrix.
    pub height: usize,
    /// Nonzero rows of each column.
    pub rows: Vec<Vec<usize>>,
}

impl Pattern {
    /// Returns the pattern of a program's output.
    pub(super) fn of(program: &Program, output: usize) -> Pattern {
        let (height, width) = program.outputs[output].shape;
        let is_zero = |k: usize| matches!(program.values[program.results[output][k] as usize], Op::Constant(0.0));
        let product = program.products.iter().find(|product| product.outputs.contains(&output));
        let rows = (0..width).map(|c| match product {
            None => (0..height).filter(|r| !is_zero(c * height + r)).collect(),
            Some(product) => {
                // −left · right: an entry is nonzero if a row of the left meets a column of the right.
                let left = &program.results[product.left];
                let meets = |r: usize| {
                    let mut inner = product.rows[c].iter().cloned().flatten();
                    inner.any(|k| !matches!(program.values[left[k * height + r] as usize], Op::Constant(0.0)))
                };
                (0..height).filter(|&r| meets(r)).collect()
            }
        });
        Pattern { height, rows: rows.collect() }
    }

    /// Returns the pattern of the product with another matrix.
    pub(super) fn times(&self, right: &[Vec<usize>]) -> Pattern {
        let rows = right.iter().map(|inner| {
            let meets = |r: &usize| inner.iter().any(|&k| self.rows[k].binary_search(r).is_ok());
            (0..self.height).filter(meets).collect()
        });
        Pattern { height: self.height, rows: rows.collect() }
    }

    pub(super) fn is_dense(&self) -> bool {
        self.rows.iter().all(|rows| rows.len() == self.height)
    }

    /// Returns the places of the entries in the dense matrix, by columns.
    pub(super) fn places(&self) -> Vec<usize> {
        self.rows.iter().enumerate().flat_map(|(c, rows)| rows.iter().map(move |r| c * self.height + r)).collect()
    }

    /// Returns the pattern in CasADi's format: rows, columns, column ends, rows of entries.
    pub(super) fn in_full(&self) -> Vec<usize> {
        let mut all = vec![self.height, self.rows.len(), 0];
        let mut end = 0;
        for rows in &self.rows {
            end += rows.len();
            all.push(end);
        }
        all.extend(self.rows.iter().flatten());
        all
    }
}

/// Source of a program's input.
#[derive(Clone, Copy)]
pub(super) enum Given {
    /// Argument of the external function.
    Argument(usize),
    /// Configuration (the first argument), with quaternions normalised.
    Unit,
    /// Change along v that corresponds to a change of the configuration.
    Along(usize),
}

/// Use of a program's output.
#[derive(Clone)]
pub(super) enum Wanted {
    /// Not used.
    No,
    /// Result, unchanged.
    Whole(usize),
    /// Result of which only some entries are returned.
    Entries(usize, Pattern),
    /// Square result, transposed.
    Turned(usize),
    /// Jacobian along v, converted to the numbers of q. Some entries are returned.
    ByCoordinates(usize, Pattern),
    /// Gradient along v, converted to the numbers of q.
    Gradient(usize),
}

/// Argument or result: its name and its shape in CasADi's format.
pub(super) type Argument = (String, Vec<usize>);

/// Argument for a dense array. `of` is a prefix of its name.
pub(super) fn whole(array: &Array, of: &str) -> Argument {
    (format!("{of}{}", array.name), vec![array.shape.0, array.shape.1, 1])
}

/// Argument for a result of the function, which CasADi passes to derivatives. They do not need it.
pub(super) fn unneeded(array: &Array) -> Argument {
    let none = Pattern { height: array.shape.0, rows: vec![Vec::new(); array.shape.1] };
    (format!("out_{}", array.name), none.in_full())
}

/// An external function.
pub(super) struct External<'a> {
    pub module: &'a Module,
    /// Prefix of the plain functions.
    pub plain: &'a str,
    pub coordinates: Option<&'a Coordinates>,
}

impl External<'_> {
    /// Writes the function `name`, with `inputs` arguments and `outputs` results, around a program.
    pub(super) fn entry(
        &self,
        name: &str,
        program: &Program,
        (inputs, given): (usize, &[Given]),
        (outputs, wanted): (usize, &[Wanted]),
        source: &mut String,
    ) {
        let (mut body, mut after, mut at) = (String::new(), String::new(), 0);
        let mut room = |n: usize| {
            at += n.max(1);
            at - n.max(1)
        };
        let (nq, nv) = (self.module.model.nq(), self.module.model.nv());
        let table = (self.module.numbers == Numbers::Table).then(|| format!("{}_table", self.plain));
        let mut arguments: Vec<String> = table.iter().cloned().collect();
        let changes = wanted.iter().any(|w| matches!(w, Wanted::ByCoordinates(..) | Wanted::Gradient(_)))
            || given.iter().any(|g| matches!(g, Given::Unit));
        if let Some(coordinates) = self.coordinates.filter(|_| changes) {
            let (q, unit, map) = (room(nq), room(nq), room(coordinates.program.outputs[1].len()));
            let first = table.as_ref().map_or(String::new(), |table| format!("{table}, "));
            let _ = writeln!(body, "    double *const unit = w + {unit}, *const map = w + {map};");
            let _ = writeln!(
                body,
                "    {}_{}({first}dtau_given(arg[0], w + {q}, {nq}), unit, map);",
                self.plain,
                coordinates::NAME
            );
        }
        for (array, given) in program.inputs.iter().zip(given) {
            arguments.push(match given {
                Given::Argument(k) => format!("dtau_given(arg[{k}], w + {}, {})", room(array.len()), array.len()),
                Given::Unit => "unit".into(),
                Given::Along(k) => {
                    let (dq, v) = (room(nq), room(nv));
                    let _ = writeln!(body, "    dtau_along(dtau_given(arg[{k}], w + {dq}, {nq}), map, w + {v});");
                    format!("w + {v}")
                }
            });
        }
        for (k, (array, wanted)) in program.outputs.iter().zip(wanted).enumerate() {
            let to = room(array.len());
            arguments.push(match wanted {
                Wanted::Whole(k) | Wanted::Turned(k) => format!("res[{k}] ? res[{k}] : w + {to}"),
                _ => format!("w + {to}"),
            });
            match wanted {
                Wanted::No | Wanted::Whole(_) => {}
                Wanted::Turned(k) => {
                    let _ = writeln!(after, "    if (res[{k}]) dtau_transpose(res[{k}], {});", array.shape.0);
                }
                Wanted::Entries(place, pattern) => self.pick(k, *place, pattern, &format!("w + {to}"), &mut after),
                Wanted::ByCoordinates(place, pattern) => {
                    let product = room(array.shape.0 * nq);
                    let rows = array.shape.0;
                    let _ = writeln!(
                        after,
                        "    if (res[{place}]) dtau_by_coordinates({rows}, w + {to}, map, w + {product});"
                    );
                    self.pick(k, *place, pattern, &format!("w + {product}"), &mut after);
                }
                Wanted::Gradient(place) => {
                    let _ = writeln!(after, "    if (res[{place}]) dtau_gradient(w + {to}, map, res[{place}]);");
                }
            }
        }
        declare(source, &format!("int {name}(const double **arg, double **res, long long *iw, double *w, int mem)"));
        source.push_str("{\n    (void)iw;\n    (void)mem;\n    (void)w;\n");
        source.push_str(&body);
        let plain = format!("{}_{}", self.plain, identifier(&program.name));
        let _ = writeln!(source, "    const int status = {plain}({});", arguments.join(",\n        "));
        source.push_str(&after);
        source.push_str("    return status;\n}\n");
        declare(
            source,
            &format!("int {name}_work(long long *sz_arg, long long *sz_res, long long *sz_iw, long long *sz_w)"),
        );
        let _ = writeln!(
            source,
            "{{\n    if (sz_arg) *sz_arg = {inputs};\n    if (sz_res) *sz_res = {outputs};\n    if (sz_iw) *sz_iw = 0;\n    \
             if (sz_w) *sz_w = {at};\n    return 0;\n}}"
        );
    }

    /// Copies the entries of a pattern from a dense matrix.
    fn pick(&self, k: usize, place: usize, pattern: &Pattern, from: &str, out: &mut String) {
        let places: Vec<String> = pattern.places().iter().map(usize::to_string).collect();
        if places.is_empty() {
            return;
        }
        let n = places.len();
        let _ = writeln!(out, "    static const int places{k}[{n}] = {{{}}};", places.join(", "));
        let _ = writeln!(
            out,
            "    if (res[{place}])\n        for (int k = 0; k < {n}; k++) res[{place}][k] = ({from})[places{k}[k]];"
        );
    }

    /// Writes the number of inputs and outputs, their names and their shapes.
    pub(super) fn describe(&self, name: &str, inputs: &[Argument], outputs: &[Argument], source: &mut String) {
        for (what, arguments) in [("in", inputs), ("out", outputs)] {
            declare(source, &format!("long long {name}_n_{what}(void)"));
            let _ = writeln!(source, "{{\n    return {};\n}}", arguments.len());
            declare(source, &format!("const char *{name}_name_{what}(long long i)"));
            source.push_str("{\n    switch (i) {\n");
            for (k, (name, _)) in arguments.iter().enumerate() {
                let _ = writeln!(source, "    case {k}: return \"{name}\";");
            }
            source.push_str("    default: return 0;\n    }\n}\n");
            let shapes: Vec<Vec<usize>> = arguments.iter().map(|(_, shape)| shape.clone()).collect();
            self.sparsities(name, what, &shapes, source);
        }
    }

    /// Writes the answers to CasADi's sparsity queries.
    pub(super) fn sparsities(&self, name: &str, what: &str, all: &[Vec<usize>], source: &mut String) {
        declare(source, &format!("const long long *{name}_sparsity_{what}(long long i)"));
        source.push_str("{\n");
        let mut cases = String::new();
        for (k, numbers) in all.iter().enumerate() {
            // Equal patterns are written once.
            let first = all.iter().position(|other| other == numbers).unwrap_or(k);
            if first == k {
                let text: Vec<String> = numbers.iter().map(usize::to_string).collect();
                let _ = writeln!(source, "    static const long long s{k}[] = {{{}}};", text.join(", "));
            }
            let _ = writeln!(cases, "    case {k}: return s{first};");
        }
        let _ = writeln!(source, "    switch (i) {{\n{cases}    default: return 0;\n    }}\n}}");
    }
}

/// Writes a declaration and the beginning of a definition.
fn declare(source: &mut String, what: &str) {
    let _ = write!(source, "\nDTAU_EXPORT {what};\nDTAU_EXPORT {what}\n");
}
