//! The Hessian of λᵀf in CasADi's form: the Jacobian of a reverse product, `jac_adj1_f`.
//!
//! ```text
//! q, v, x, (f), λ, (three results of adj1_f)  →  by      q       v      x     (f)    λ
//! x: tau or a                           of adj_q         H_qq    H_qv   H_qx    ·    f_qᵀ
//!                                       of adj_v         H_qvᵀ   H_vv   ·       ·    f_vᵀ
//!                                       of adj_x         H_qxᵀ   ·      ·       ·    f_xᵀ
//! ```
//!
//! One program computes everything: the library's Hessian and its Jacobian, with common values computed once.
//! Entries that are zero for every state are left out, and CasADi gets the sparsity.

use super::external::Pattern;
use crate::derive::keep_places;
use crate::program::{Array, Op, Product, Program, Value};
use crate::tape::Key;
use std::collections::HashMap;

/// Number of rows and columns of blocks.
const ROWS: usize = 3;
const COLUMNS: usize = 5;

/// Number of inputs and outputs of `jac_adj1_f`.
pub(super) const INPUTS: usize = 8;
pub(super) const OUTPUTS: usize = ROWS * COLUMNS;

/// Source of a block: an output of the Hessian's program or of the Jacobian's, and whether it is transposed.
enum From {
    Hessian(usize, bool),
    Jacobian(usize),
}

/// Row, column, name in the code, source.
const BLOCKS: [(usize, usize, &str, From); 9] = [
    (0, 0, "qq", From::Hessian(3, false)),
    (0, 1, "qv", From::Hessian(4, false)),
    (1, 0, "vq", From::Hessian(4, true)),
    (1, 1, "vv", From::Hessian(5, false)),
    (0, 2, "qx", From::Hessian(6, false)),
    (2, 0, "xq", From::Hessian(6, true)),
    (0, 4, "q_w", From::Jacobian(1)),
    (1, 4, "v_w", From::Jacobian(2)),
    (2, 4, "x_w", From::Jacobian(3)),
];

/// The program and the meaning of its outputs.
pub(super) struct Hessian {
    pub program: Program,
    /// Blocks in the order of the program's outputs.
    pub blocks: Vec<Block>,
}

/// Nonzero block.
pub(super) struct Block {
    /// Index of the output of `jac_adj1_f`.
    pub place: usize,
    /// Nonzero rows of each column.
    pub rows: Vec<Vec<usize>>,
    /// True if the program gives the transposed block, because it ends with a product.
    pub turn: bool,
}

/// Joins two programs: that of the Hessian of wᵀf, and that of f and its Jacobian. Unused results are left out.
pub(super) fn join(hessian: &Program, jacobian: &Program) -> Hessian {
    let mut all = Shared { values: Vec::new(), places: HashMap::new() };
    let (of_hessian, of_jacobian) = (all.add(hessian), all.add(jacobian));
    let health = match (hessian.health, jacobian.health) {
        (Some(a), Some(b)) => Some(all.lower(of_hessian[a as usize], of_jacobian[b as usize])),
        (Some(a), None) => Some(of_hessian[a as usize]),
        (None, b) => b.map(|b| of_jacobian[b as usize]),
    };
    let n = hessian.outputs[0].len();
    let is_zero = |value: Value| matches!(all.values[value as usize], Op::Constant(x) if x == 0.0);
    let (mut outputs, mut results, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    // New places of the outputs of the Jacobian's program.
    let mut moved = HashMap::new();
    for (row, column, name, from) in BLOCKS {
        let (values, by_products, transposed) = match from {
            From::Hessian(k, transposed) => (renamed(&hessian.results[k], &of_hessian), false, transposed),
            From::Jacobian(k) => {
                moved.insert(k, outputs.len());
                let in_products = jacobian.products.iter().any(|p| p.left == k || p.outputs.contains(&k));
                (renamed(&jacobian.results[k], &of_jacobian), in_products, !in_products)
            }
        };
        let at = |r: usize, c: usize| if transposed { values[r * n + c] } else { values[c * n + r] };
        let kept = |r: usize, c: usize| by_products || !is_zero(at(r, c));
        let rows: Vec<Vec<usize>> = (0..n).map(|c| (0..n).filter(|&r| kept(r, c)).collect()).collect();
        let entries: Vec<Value> =
            rows.iter().enumerate().flat_map(|(c, rows)| rows.iter().map(move |&r| at(r, c))).collect();
        if entries.is_empty() {
            continue;
        }
        outputs.push(Array { name, shape: (entries.len(), 1) });
        results.push(entries);
        blocks.push(Block { place: COLUMNS * row + column, rows, turn: by_products });
    }
    let products = jacobian.products.iter().map(|product| Product {
        outputs: product.outputs.iter().map(|k| moved[k]).collect(),
        left: moved[&product.left],
        rows: product.rows.clone(),
    });
    let mut program = Program {
        name: hessian.name.clone(),
        inputs: hessian.inputs.clone(),
        outputs,
        products: products.collect(),
        parameters: hessian.parameters.clone(),
        values: all.values,
        results,
        health,
        operations_of_library: hessian.operations_of_library + jacobian.operations_of_library,
        ..Program::default()
    };
    program.sweep();
    keep_places(&mut program, &hessian.parameters);
    Hessian { program, blocks }
}

fn renamed(values: &[Value], to: &[Value]) -> Vec<Value> {
    values.iter().map(|&value| to[value as usize]).collect()
}

/// Values of several programs with the same inputs and table. Equal values are shared.
struct Shared {
    values: Vec<Op>,
    places: HashMap<Key, Value>,
}

impl Shared {
    fn put(&mut self, op: Op) -> Value {
        *self.places.entry(Key::of(&op)).or_insert_with(|| {
            self.values.push(op);
            (self.values.len() - 1) as Value
        })
    }

    /// Adds a program and returns the new place of each of its values.
    fn add(&mut self, program: &Program) -> Vec<Value> {
        let mut to: Vec<Value> = Vec::with_capacity(program.values.len());
        for op in &program.values {
            to.push(self.put(op.map(|value| to[value as usize])));
        }
        to
    }

    /// Returns a value that is not positive if one of the two is not positive.
    fn lower(&mut self, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        let zero = self.put(Op::Constant(0.0));
        self.put(Op::Select(zero, b, a, b))
    }
}

impl Hessian {
    /// Returns the sparsity of the blocks in CasADi's format.
    pub(super) fn shapes(&self) -> Vec<Vec<usize>> {
        let n = self.blocks[0].rows.len();
        let none = Pattern { height: n, rows: vec![Vec::new(); n] };
        let mut all = vec![none.in_full(); OUTPUTS];
        for block in &self.blocks {
            all[block.place] = Pattern { height: n, rows: block.rows.clone() }.in_full();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RULES, recorded, requests};
    use super::COLUMNS;
    use crate::interpret::interpret;
    use crate::module::{Module, Request};
    use crate::record::RecordOptions;
    use dtau::Random;
    use dtau::model::{Model, Options};

    /// Compares bits, block by block: the Hessian and the transposed Jacobian of the original programs, with
    /// zeros where nothing is written. The quadruped, held at its trunk, has products at the end, limbs, and
    /// zeros between limbs.
    #[test]
    fn the_joined_program_has_the_blocks_of_both() {
        for robot in ["arm6", "arm7_gripper", "quadruped"] {
            let model = Model::bundled(robot, &Options::default()).unwrap();
            let ask = |name: &str| Request {
                name: name.into(),
                function: dtau::function(name).unwrap().with(&dtau::Parameters::default()).unwrap(),
            };
            let all = requests(&model, &[ask("aba"), ask("rnea")]).unwrap();
            let module = Module::record(&model, &all, RecordOptions::default()).unwrap();
            let table: Vec<f64> = module.table.iter().map(|entry| entry.value).collect();
            let (n, random) = (model.nv(), &mut Random::seeded(3));
            let x: Vec<Vec<f64>> = (0..4).map(|_| (0..n).map(|_| random.within(-1.0, 1.0)).collect()).collect();
            let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            for rule in &RULES {
                let named = |what: &str| module.programs.iter().find(|p| p.name == recorded(rule.of, what)).unwrap();
                let (hessian, jacobian) = (named("hessian"), named("jacobian"));
                let joined = &super::join(hessian, jacobian);
                let (h, j) = (interpret(hessian, &table, &x).unwrap(), interpret(jacobian, &table, &x[..3]).unwrap());
                let got = interpret(&joined.program, &table, &x).unwrap();
                let transposed = |m: &[f64]| -> Vec<f64> { (0..n * n).map(|k| m[(k % n) * n + k / n]).collect() };
                let mut want = vec![vec![0.0; n * n]; 3 * COLUMNS];
                (want[0], want[1], want[2]) = (h[3].clone(), h[4].clone(), h[6].clone());
                (want[5], want[6], want[10]) = (transposed(&h[4]), h[5].clone(), transposed(&h[6]));
                (want[4], want[9], want[14]) = (transposed(&j[1]), transposed(&j[2]), transposed(&j[3]));
                let mut all = vec![vec![0.0; n * n]; 3 * COLUMNS];
                for (block, numbers) in joined.blocks.iter().zip(&got) {
                    let places =
                        block.rows.iter().enumerate().flat_map(|(c, rows)| rows.iter().map(move |r| c * n + r));
                    places.zip(numbers).for_each(|(place, x)| all[block.place][place] = *x);
                    if block.turn {
                        all[block.place] = transposed(&all[block.place]);
                    }
                }
                assert_eq!(all, want, "{robot} {}", rule.of);
                let apart = hessian.operations() + jacobian.operations();
                assert!(joined.program.operations() < 8 * apart / 10, "{robot} {}: little is shared", rule.of);
            }
        }
    }
}
