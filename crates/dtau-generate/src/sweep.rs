//! Records everything before the loops: the numbers that kernels read.

use crate::derive;
use crate::kernels::{self, Column, Columns, Fill, Group, Inverse, Kernel, Row};
use crate::program::{Array, Value};
use crate::record::{LOOP_FROM, call};
use crate::subject::Subject;
use crate::sums::{Number, sums};
use crate::tape::{self, Traced};
use core::ops::Range;
use dtau::scalar::Real;
use dtau::{Constraints, Error, Function, function, parts};
use std::collections::HashMap;

/// Functions whose matrices kernels can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernels {
    Mass,
    Inverse,
    Id,
    Fd,
    ConstrainedFd,
    Impulse,
}

/// Cases in which kernels are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pays {
    Never,
    ForOneState,
    Always,
}

/// Limits of degrees of freedom for kernels: rows are processed in fours, and M⁻¹ keeps its accelerations on
/// the stack.
const LEAST: usize = 4;
const MOST: usize = 128;

/// Limit of numbers of right-hand sides by q and v, which are on the stack: 128 KiB. Beyond it, code is
/// unrolled, and left to the library.
const MOST_IN_SIDES: usize = 16 << 10;

/// Right-hand sides are padded to whole 512-bit registers.
const ALIGNED: usize = 8;

/// Usual limit of multiply-adds for unrolled code.
const MOST_WRITTEN_OUT: usize = 13_000;

/// Results (those for kernels last), and the kernels.
pub(crate) type Swept = (Vec<Vec<Traced>>, Vec<Kernel>);

impl Kernels {
    /// Returns the kernels of a function. Supported: trees without mimicking joints, in the library's
    /// standard coordinates.
    pub(crate) fn of(of: Subject<'_>, function: &Function) -> Option<Kernels> {
        let model = of.model;
        let (dofs, rows) = (model.nv(), of.counts().rows);
        if rows > 0 && (dofs + rows) * 2 * dofs <= MOST_IN_SIDES {
            match function.declaration().name {
                "constrained_fd_derivatives" => return Some(Kernels::ConstrainedFd),
                "impulse_derivatives" => return Some(Kernels::Impulse),
                _ => {}
            }
        }
        if model.mimic().is_some() || model.options().exact || !(LEAST..=MOST).contains(&model.nv()) {
            return None;
        }
        match function.declaration().name {
            "crba" => Some(Kernels::Mass),
            "minverse" => Some(Kernels::Inverse),
            "id_derivatives" => Some(Kernels::Id),
            "fd_derivatives" if model.nv() >= LOOP_FROM => Some(Kernels::Fd),
            _ => None,
        }
    }

    /// Decides when loops are faster than unrolled code, from its number of multiply-adds. For one state,
    /// rows side by side compete with limbs side by side. Several states fill the lanes themselves, and the
    /// competitor is code that is too long.
    pub(crate) fn pay(self, of: Subject<'_>, has_limbs: bool) -> Pays {
        let (tree, n, rows) = (of.model.tree(), of.model.nv(), of.counts().rows);
        let entries = |f: &dyn Fn(&Column) -> usize| kernels::columns(tree).iter().map(f).sum::<usize>();
        let below = || entries(&|column| column.below.len());
        let written_out = match self {
            Kernels::Mass => 6 * below(),
            Kernels::Inverse => 12 * below() + 13 * n * (n + 1) / 2,
            Kernels::Id | Kernels::Fd => {
                18 * entries(&|column| column.above.iter().map(Range::len).sum()) + 24 * below()
            }
            // Both factors for every column. Derivatives of impulses by v have few.
            Kernels::ConstrainedFd => 3 * n * (2 * below() + rows * (rows + n)),
            Kernels::Impulse => n * (2 * below() + rows * (rows + n)),
        };
        let (from, for_many) = match self {
            Kernels::Mass => (MOST_WRITTEN_OUT, MOST_WRITTEN_OUT),
            Kernels::Inverse => (if has_limbs { 6_000 } else { 4_000 }, 2 * MOST_WRITTEN_OUT),
            // For many states, memory bandwidth limits the matrices. Unpacking them was faster than filling
            // each one in place.
            Kernels::Id => (if has_limbs { 8_000 } else { 4_000 }, usize::MAX),
            Kernels::Fd => (8_000, 8_000),
            Kernels::ConstrainedFd | Kernels::Impulse => (2_000, 8_000),
        };
        match written_out {
            x if x >= for_many => Pays::Always,
            x if x >= from => Pays::ForOneState,
            _ => Pays::Never,
        }
    }

    /// Records everything before the kernels. `None` if no kernels are possible.
    pub(crate) fn sweep(self, of: Subject<'_>, x: &[Vec<Traced>]) -> Result<Option<Swept>, Error> {
        if let (Kernels::ConstrainedFd | Kernels::Impulse, Some(constraints)) = (self, of.constraints) {
            return self.solve(constraints, x);
        }
        let model = of.model;
        let mut parts = Parts::default();
        let columns = || kernels::columns(model.tree());
        let inverse = |parts: &mut Parts, output: usize| {
            let (dofs, levels) = kernels::links(model.tree());
            let of_dof = parts::parts_of_inverse(model, &x[0])?;
            let [axes, forces, reciprocals] = [0..6, 6..12, 12..13].map(|numbers| parts.put(&of_dof, numbers));
            Ok::<_, Error>(Kernel::Inverse(Inverse { output, axes, forces, reciprocals, dofs, levels }))
        };
        let (mut results, kernels) = match self {
            Kernels::Mass => {
                let (of_dof, armature) = parts::parts_of_mass(model, &x[0])?;
                let [axes, t1] = [0..6, 6..12].map(|numbers| parts.put(&of_dof, numbers));
                let fill = Fill {
                    outputs: vec![0],
                    above: (axes, vec![t1]),
                    below: (t1, vec![axes]),
                    more: (0, vec![None]),
                    in_halves: true,
                    diagonal: vec![parts.diagonal(&armature)],
                    columns: kernels::columns_of_symmetric(model.tree()),
                };
                (vec![Vec::new()], vec![Kernel::Fill(fill)])
            }
            Kernels::Inverse => {
                let inverse = inverse(&mut parts, 0)?;
                (vec![Vec::new()], vec![inverse])
            }
            Kernels::Id => {
                let of = parts::parts_of_id(model, &x[0], &x[1], &x[2])?;
                let fill = parts.fill_of_id(&of, &[1, 2, 3], columns());
                (vec![of.tau, Vec::new(), Vec::new(), Vec::new()], vec![Kernel::Fill(fill)])
            }
            Kernels::Fd => {
                let aba = function("aba")?.with(&dtau::Parameters::default())?;
                let qdd = call(model, &aba, x)?.remove(0);
                let of = parts::parts_of_id(model, &x[0], &x[1], &qdd)?;
                let fill = parts.fill_of_id(&of, &[1, 2], columns());
                let inverse = inverse(&mut parts, 3)?;
                (vec![qdd, Vec::new(), Vec::new(), Vec::new()], vec![Kernel::Fill(fill), inverse])
            }
            Kernels::ConstrainedFd | Kernels::Impulse => unreachable!("they are of constraints"),
        };
        results.push(parts.numbers);
        Ok(Some((results, kernels)))
    }

    /// Records everything before the right-hand sides, and how these are solved.
    fn solve(self, constraints: &Constraints, x: &[Vec<Traced>]) -> Result<Option<Swept>, Error> {
        let is_fd = self == Kernels::ConstrainedFd;
        let parts = if is_fd { parts::parts_of_constrained_fd } else { parts::parts_of_impulse };
        // From q̈ and λ on, values are inputs of the recording. Limbs differ in the elimination that leads to
        // them, but not in what follows.
        let mut of = parts(constraints, &x[0], &x[1], &x[2], &mut |k| tape::input(x.len(), k))?;
        // Matrices by q, v and τ. Outputs are first those of a, then those of λ. For forward dynamics, those
        // by q and v are solved alike.
        let matrices = if is_fd { 3 } else { 2 };
        let (dofs, rows) = (constraints.model().nv(), constraints.rows());
        let output = |m: usize| [2 + m, 2 + matrices + m];
        let groups = if is_fd { [0..2, 2..3] } else { [0..1, 1..2] };
        let mut numbers = std::mem::take(&mut of.found);
        let mut groups: Vec<Group> = groups
            .map(|own| {
                let columns = dofs * own.start..dofs * own.end;
                let from = of.sides.iter().enumerate().map(|(r, row)| row_of(&row[columns.clone()], r, &mut numbers));
                Group {
                    matrices: own.map(output).collect(),
                    from: from.collect(),
                    sums: Vec::new(),
                    places: 0,
                    operations_of_library: 0,
                }
            })
            .into();
        let plus = of.turn.iter().any(|&x| x != Traced::default()).then_some((output(0)[1], numbers.len()));
        if plus.is_some() {
            numbers.append(&mut of.turn);
        }
        // Some numbers occur in several places: L in both triangles.
        let factors: Vec<Traced> = of.factors().into_iter().map(|x| *x).collect();
        let known: Vec<Option<f64>> = factors.iter().map(|&x| tape::known(x)).collect();
        let mut first_of: HashMap<Value, usize> = HashMap::new();
        let first: Vec<usize> = (factors.iter().enumerate()).map(|(k, x)| *first_of.entry(x.0).or_insert(k)).collect();
        let mut places: HashMap<(u64, bool), usize> = HashMap::new();
        for group in &mut groups {
            let arrays = [factors.len(), of.sides.len()].map(|len| Array { name: "x", shape: (len, 1) });
            let program = tape::aside(|| {
                derive::recorded("column", &arrays, vec![arrays[1].clone()], &[], |x| {
                    for ((k, to), known) in of.factors().into_iter().enumerate().zip(&known) {
                        *to = known.map_or(x[0][first[k]], Traced::from_f64);
                    }
                    let entry = |(&x, row): (&Traced, &Row)| if *row == Row::Zeros { Traced::default() } else { x };
                    let mut column: Vec<Traced> = x[1].iter().zip(&group.from).map(entry).collect();
                    of.solve(&mut column);
                    (vec![column], None)
                })
            });
            let mut place_of = |number: Number| match number {
                Number::Factor(k) => {
                    *places.entry((k.into(), false)).or_insert_with(|| put(&mut numbers, factors[k as usize]))
                }
                Number::Constant(x) => {
                    *places.entry((x.to_bits(), true)).or_insert_with(|| put(&mut numbers, Traced::from_f64(x)))
                }
            };
            let Some(sums) = sums(&program.values, &program.results[0], &mut place_of) else { return Ok(None) };
            (group.sums, group.places) = sums;
            group.operations_of_library = program.operations_of_library;
        }
        let columns = Columns {
            outputs: (2..2 + 2 * matrices).collect(),
            dofs,
            rows,
            groups,
            symmetric: is_fd.then(|| output(2)[0]),
            plus_identity: (!is_fd).then(|| output(1)[0]),
            plus,
        };
        let mut results: Vec<Vec<Traced>> = of.results.into();
        results.resize(2 + 2 * matrices, Vec::new());
        results.push(numbers);
        Ok(Some((results, vec![Kernel::Columns(columns)])))
    }
}

/// Appends a number and returns its index.
fn put(numbers: &mut Vec<Traced>, x: Traced) -> usize {
    numbers.push(x);
    numbers.len() - 1
}

/// Returns the source of a row of right-hand sides.
fn row_of(row: &[Traced], r: usize, numbers: &mut Vec<Traced>) -> Row {
    let is = |c: usize, x: f64| tape::known(row[c]) == Some(x);
    if (0..row.len()).all(|c| is(c, 0.0)) {
        return Row::Zeros;
    }
    if (0..row.len()).all(|c| is(c, if c == r { 1.0 } else { 0.0 })) {
        return Row::Identity;
    }
    let first = numbers.len().next_multiple_of(ALIGNED);
    numbers.resize(first, Traced::default());
    numbers.extend(row);
    numbers.resize(numbers.len().next_multiple_of(ALIGNED), Traced::default());
    Row::Scratch(first)
}

/// Numbers that kernels read, each for all degrees of freedom.
#[derive(Default)]
struct Parts {
    numbers: Vec<Traced>,
}

impl Parts {
    /// Appends some numbers of every degree of freedom. Returns the place of the first. Numbers already
    /// present are not repeated.
    fn put<const N: usize>(&mut self, of_dof: &[[Traced; N]], numbers: Range<usize>) -> usize {
        let all: Vec<Traced> = numbers.flat_map(|k| of_dof.iter().map(move |of| of[k])).collect();
        let n = of_dof.len();
        let there = (0..self.numbers.len() / n.max(1)).find(|&k| self.numbers[k * n..].starts_with(&all));
        there.unwrap_or_else(|| {
            let place = self.numbers.len() / n.max(1);
            self.numbers.extend(all);
            place
        })
    }

    /// Appends the numbers added to a diagonal. `None` if all are zero.
    fn diagonal(&mut self, all: &[Traced]) -> Option<usize> {
        let of_dof: Vec<[Traced; 1]> = all.iter().map(|&x| [x]).collect();
        all.iter().any(|&x| x != Traced::default()).then(|| self.put(&of_dof, 0..1))
    }

    /// (7) to (10) of IDSVA, for the first one, two or three of ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈.
    fn fill_of_id(&mut self, of: &parts::PartsOfId<Traced>, outputs: &[usize], columns: Vec<Column>) -> Fill {
        let count = outputs.len();
        let first = |all: [usize; 3]| all[..count].to_vec();
        let mut six = |from: usize| self.put(&of.of_dof, from..from + 6);
        let [axes, t1] = [0, 6].map(&mut six);
        let t4 = self.put(&of.of_dof, 12..15);
        let mut six = |from: usize| self.put(&of.of_dof, from..from + 6);
        let [t3, t2, psi_ddot, rate] = [15, 21, 27, 33].map(&mut six);
        let psi_dot = self.put(&of.of_dof, 39..42);
        let diagonal = [self.diagonal(&of.stiffness), self.diagonal(&of.slopes), self.diagonal(&of.armature)];
        Fill {
            outputs: outputs.to_vec(),
            above: (axes, first([t3, t2, t1])),
            below: (t1, first([psi_ddot, rate, axes])),
            more: (t4, [Some(psi_dot), Some(axes + 3), None][..count].to_vec()),
            in_halves: false,
            diagonal: diagonal[..count].to_vec(),
            columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::Parameters;
    use dtau::model::{Model, Options, generate};

    /// Right-hand sides are on the stack, which is small in threads.
    #[test]
    fn long_chains_are_not_solved_on_the_stack() {
        let derivatives = function("constrained_fd_derivatives").unwrap().with(&Parameters::default()).unwrap();
        for (dofs, by_columns) in [(60, true), (200, false)] {
            let model = Model::build(&generate::chain(dofs), &Options::default()).unwrap();
            let frame = model.frame_ids().last().map(|id| model.frame_info(id).full_name()).unwrap();
            let set = Constraints::new(&model).point(&frame).at_world([0.3, 0.2, 0.1]).build().unwrap();
            assert_eq!(Kernels::of((&set).into(), &derivatives).is_some(), by_columns, "{dofs}");
        }
    }
}
