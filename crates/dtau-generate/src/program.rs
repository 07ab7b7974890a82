//! A program for one robot: what recording leaves, before it becomes a language.
//!
//! ```text
//! value   constant | parameter of the table | number of an input | operation on earlier values
//! program values in the order of computing them, which values the outputs are,
//!         a value that must not be negative, kernels and products of matrices at the end
//! ```
//!
//! Values are single assignment and know no target language; [`interpret`](crate::interpret) runs them, an emitter writes them.

use crate::kernels::Kernel;
use crate::limbs::LANES;
use dtau::Arg;
use dtau::model::Constant;
use dtau::scalar::Real;

/// A value, by its place in [`Program::values`].
pub type Value = u32;

/// The operation that computes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Op {
    Constant(f64),
    /// Entry of [`Program::parameters`].
    Parameter(u32),
    /// Number of an input: which array, which entry. The one after the last is the scratch: a number that was put there before.
    Input(u32, u32),
    Add(Value, Value),
    Sub(Value, Value),
    Mul(Value, Value),
    Div(Value, Value),
    Neg(Value),
    /// a·b + c, rounded once where the target can.
    MulAdd(Value, Value, Value),
    /// a·b − c
    MulSub(Value, Value, Value),
    /// c − a·b
    NegMulAdd(Value, Value, Value),
    Sqrt(Value),
    Sin(Value),
    Cos(Value),
    Atan2(Value, Value),
    /// c if a < b, else d, of (a, b, c, d).
    Select(Value, Value, Value, Value),
    /// Numbers of the limbs of a class side by side: [`Program::gathers`].
    Gather(u32),
    /// One number for all limbs.
    Splat(Value),
    /// The number of one limb.
    Lane(Value, u32),
    /// In lane k what was in lane k + that many, round four.
    Turn(Value, u32),
}

impl Op {
    /// The values it needs.
    pub fn operands(&self) -> impl Iterator<Item = Value> + use<> {
        let (mut all, mut count) = ([0; 4], 0);
        self.map(|value| {
            all[count] = value;
            count += 1;
            value
        });
        all.into_iter().take(count)
    }

    /// Replaces its operands.
    pub fn map(self, mut f: impl FnMut(Value) -> Value) -> Op {
        match self {
            Op::Constant(_) | Op::Parameter(_) | Op::Input(..) | Op::Gather(_) => self,
            Op::Add(a, b) => Op::Add(f(a), f(b)),
            Op::Sub(a, b) => Op::Sub(f(a), f(b)),
            Op::Mul(a, b) => Op::Mul(f(a), f(b)),
            Op::Div(a, b) => Op::Div(f(a), f(b)),
            Op::Atan2(a, b) => Op::Atan2(f(a), f(b)),
            Op::Neg(a) => Op::Neg(f(a)),
            Op::Sqrt(a) => Op::Sqrt(f(a)),
            Op::Sin(a) => Op::Sin(f(a)),
            Op::Cos(a) => Op::Cos(f(a)),
            Op::Splat(a) => Op::Splat(f(a)),
            Op::Lane(a, k) => Op::Lane(f(a), k),
            Op::Turn(a, k) => Op::Turn(f(a), k),
            Op::MulAdd(a, b, c) => Op::MulAdd(f(a), f(b), f(c)),
            Op::MulSub(a, b, c) => Op::MulSub(f(a), f(b), f(c)),
            Op::NegMulAdd(a, b, c) => Op::NegMulAdd(f(a), f(b), f(c)),
            Op::Select(a, b, c, d) => Op::Select(f(a), f(b), f(c), f(d)),
        }
    }

    /// The result on numbers of any scalar; none for parameters, inputs and numbers of limbs, which say where a number is.
    pub fn compute<T: Real>(&self, at: impl Fn(Value) -> T) -> Option<T> {
        Some(match *self {
            Op::Constant(x) => T::from_f64(x),
            Op::Add(a, b) => at(a) + at(b),
            Op::Sub(a, b) => at(a) - at(b),
            Op::Mul(a, b) => at(a) * at(b),
            Op::Div(a, b) => at(a) / at(b),
            Op::Neg(a) => -at(a),
            Op::MulAdd(a, b, c) => at(a).mul_add(at(b), at(c)),
            Op::MulSub(a, b, c) => at(a).mul_sub(at(b), at(c)),
            Op::NegMulAdd(a, b, c) => at(a).neg_mul_add(at(b), at(c)),
            Op::Sqrt(a) => at(a).sqrt(),
            Op::Sin(a) => at(a).sin_cos().0,
            Op::Cos(a) => at(a).sin_cos().1,
            Op::Atan2(a, b) => at(a).atan2(at(b)),
            Op::Select(a, b, c, d) => T::select(at(a).lt(at(b)), at(c), at(d)),
            Op::Parameter(_) | Op::Input(..) | Op::Gather(_) | Op::Splat(_) | Op::Lane(..) | Op::Turn(..) => {
                return None;
            }
        })
    }

    /// True if it is a number that stands somewhere.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Op::Constant(_) | Op::Parameter(_) | Op::Input(..))
    }

    /// True if it computes anything.
    pub fn is_operation(&self) -> bool {
        !self.is_leaf() && !matches!(self, Op::Gather(_) | Op::Splat(_) | Op::Lane(..) | Op::Turn(..))
    }
}

/// An array of a program: what the function's declaration says, for this robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name.
    pub name: &'static str,
    /// Rows and columns; a vector has one column. By columns.
    pub shape: (usize, usize),
}

impl Array {
    /// Makes one of a declared argument.
    pub fn new(arg: &Arg, shape: (usize, usize)) -> Self {
        Self { name: arg.name, shape }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A number of the robot that stands in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Which.
    pub constant: Constant,
    /// As the robot has it.
    pub value: f64,
}

/// out = −left · right, after all values: matrices of n × n, by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// The outputs, computed together; each is also where its right factor stands.
    pub outputs: Vec<usize>,
    /// The output that is the left factor; symmetric.
    pub left: usize,
    /// The rows of each column of the right factors that are not zero.
    pub rows: Vec<Vec<core::ops::Range<usize>>>,
}

/// Beyond so many operations straight code loses against loops.
const MOST_OPERATIONS: usize = 13_000;
/// The same of functions under constraints, whose loops are shorter and more of them.
const MOST_OPERATIONS_HELD: usize = 28_000;

/// A function for one robot.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The function's name, with its frame if it has one.
    pub name: String,
    /// What it reads.
    pub inputs: Vec<Array>,
    /// What it writes.
    pub outputs: Vec<Array>,
    /// The numbers of the robot that it needs.
    pub parameters: Vec<Parameter>,
    /// In the order of computing them.
    pub values: Vec<Op>,
    /// Numbers that kernels read and nobody else sees; at most one array.
    pub scratch: Vec<Array>,
    /// For every output the values of its entries, none where a kernel writes it; then the same for what is in `scratch`.
    pub results: Vec<Vec<Value>>,
    /// Must not be negative, or the result means nothing: a joint that nothing resists.
    pub health: Option<Value>,
    /// Loops that write outputs from `scratch`, after all values.
    pub kernels: Vec<Kernel>,
    /// Computed from the outputs at the end.
    pub products: Vec<Product>,
    /// What [`Op::Gather`] gathers.
    pub gathers: Vec<Vec<Value>>,
    /// How many operations the library does for the same, on the robot's numbers as they come.
    pub operations_of_library: usize,
    /// Whether it acts on constraints.
    pub is_constrained: bool,
    /// The same function for one state, where limbs go side by side in lanes. The bits are the same.
    pub one_state: Option<Box<Program>>,
    /// The same for many states, by limbs: where that is another than the one for one state.
    pub many_states: Option<Box<Program>>,
}

impl Program {
    /// How many operations it takes, products apart.
    pub fn operations(&self) -> usize {
        self.values.iter().filter(|op| op.is_operation()).count()
    }

    /// How many instructions products and columns take of one state, four multiply-adds each.
    pub fn operations_of_loops(&self) -> usize {
        let products = self.products.iter().map(|product| 2 * product.rows.len().pow(3) / LANES);
        let columns = self.kernels.iter().map(|kernel| match kernel {
            Kernel::Columns(columns) => columns.operations(),
            _ => 0,
        });
        products.chain(columns).sum()
    }

    /// Whether it is as fast as the loops of the library, for one state and for many: straight code beyond some size waits for
    /// instructions, and kernels that fill matrices are the library's own loops. Measured, as shares of the library's time: of a humanoid of 39
    /// dofs 12,500 operations of M⁻¹ 0.65, 14,500 of ∂ID 1.2; by kernels, robots of 35 to 50 dofs, ∂ID of one state 1.05 to 1.25, ∂FD of one
    /// state 0.85 to 1 and of many 1.25 to 1.5. Under constraints, quadrupeds: 18,000 operations of impulses' derivatives 0.68, 32,000 of
    /// constrained ∂FD 1.1, of many 0.7; solved by columns, humanoids: ∂FD of one state 0.87 to 0.93, of many 0.54 to 0.66.
    pub fn pays(&self) -> bool {
        let fills = |program: &Program| program.kernels.iter().any(|kernel| matches!(kernel, Kernel::Fill(_)));
        let pays = |program: &Program| {
            let most = if program.is_constrained { MOST_OPERATIONS_HELD } else { MOST_OPERATIONS };
            let is_short = program.operations() <= most;
            !fills(program) && (is_short || !program.products.is_empty() || !program.kernels.is_empty())
        };
        pays(self.for_one_state()) && self.many_states.as_deref().is_none_or(pays)
    }

    /// The name of an array that is read.
    pub fn name_of_input(&self, array: u32) -> &'static str {
        self.inputs.iter().chain(&self.scratch).nth(array as usize).map_or("", |array| array.name)
    }

    /// What values are stored to: the outputs, then what kernels read.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.outputs.iter().chain(&self.scratch)
    }

    /// Whether values are stored to an output; if not, a kernel writes it.
    pub fn is_stored(&self, output: usize) -> bool {
        self.outputs[output].is_empty() || !self.results[output].is_empty()
    }

    /// The program for one state.
    pub fn for_one_state(&self) -> &Program {
        self.one_state.as_deref().unwrap_or(self)
    }

    /// The program with limbs that are loops, for many states, if there is one.
    pub fn by_limbs(&self) -> Option<&Program> {
        let alike = |one: &&Program| one.kernels.is_empty() == self.kernels.is_empty();
        self.many_states.as_deref().or(self.one_state.as_deref().filter(alike))
    }

    /// Which values somebody needs, by place.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.values.len()];
        for &value in self.results.iter().flatten().chain(&self.health) {
            used[value as usize] = true;
        }
        for k in (0..self.values.len()).rev() {
            if !used[k] {
                continue;
            }
            for operand in self.values[k].operands() {
                used[operand as usize] = true;
            }
            if let Op::Gather(g) = self.values[k] {
                for &value in &self.gathers[g as usize] {
                    used[value as usize] = true;
                }
            }
        }
        used
    }

    /// Drops what nobody needs; parameters too.
    pub fn sweep(&mut self) {
        let used = self.used();
        let mut to = vec![Value::MAX; self.values.len()];
        let mut kept = Vec::with_capacity(self.values.len());
        let mut parameter_to = vec![u32::MAX; self.parameters.len()];
        let mut parameters = Vec::new();
        for (k, op) in self.values.iter().enumerate().filter(|(k, _)| used[*k]) {
            let mut op = op.map(|value| to[value as usize]);
            match &mut op {
                Op::Parameter(p) => {
                    let place = &mut parameter_to[*p as usize];
                    if *place == u32::MAX {
                        *place = parameters.len() as u32;
                        parameters.push(self.parameters[*p as usize]);
                    }
                    *p = *place;
                }
                Op::Gather(g) => {
                    for value in &mut self.gathers[*g as usize] {
                        *value = to[*value as usize];
                    }
                }
                _ => {}
            }
            to[k] = kept.len() as Value;
            kept.push(op);
        }
        for value in self.results.iter_mut().flatten().chain(&mut self.health) {
            *value = to[*value as usize];
        }
        (self.values, self.parameters) = (kept, parameters);
    }
}
