//! A program for one robot: the result of recording, independent of the target language.
//!
//! ```text
//! value   constant | parameter of the table | number of an input | operation on earlier values
//! program values in the order of computing them, which values the outputs are,
//!         a value that must not be negative, kernels and products of matrices at the end
//! ```
//!
//! Values are in single-assignment form. [`interpret`](crate::interpret) runs a program, an emitter writes it.

use crate::kernels::Kernel;
use crate::limbs::LANES;
use dtau::Arg;
use dtau::model::Constant;
use dtau::scalar::Real;

/// Value, by its index in [`Program::values`].
pub type Value = u32;

/// Operation that computes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Op {
    Constant(f64),
    /// Entry of [`Program::parameters`].
    Parameter(u32),
    /// Number of an input: the array and the entry. The array after the last input is the scratch, which
    /// holds numbers stored earlier.
    Input(u32, u32),
    Add(Value, Value),
    Sub(Value, Value),
    Mul(Value, Value),
    Div(Value, Value),
    Neg(Value),
    /// a·b + c, rounded once if the target supports it.
    MulAdd(Value, Value, Value),
    /// a·b − c
    MulSub(Value, Value, Value),
    /// c − a·b
    NegMulAdd(Value, Value, Value),
    Sqrt(Value),
    Sin(Value),
    Cos(Value),
    Atan2(Value, Value),
    /// c if a < b, otherwise d, for (a, b, c, d).
    Select(Value, Value, Value, Value),
    /// Numbers of the limbs of a class, side by side: [`Program::gathers`].
    Gather(u32),
    /// One number for all limbs.
    Splat(Value),
    /// The number of one limb.
    Lane(Value, u32),
    /// Rotation of the four lanes: lane k gets lane k plus this number, modulo 4.
    Turn(Value, u32),
}

impl Op {
    /// Returns the values that the operation needs.
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

    /// Returns the result for any scalar. `None` for parameters, inputs and limb operations, which only
    /// locate a number.
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

    /// True if it only locates a stored number.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Op::Constant(_) | Op::Parameter(_) | Op::Input(..))
    }

    /// True if it computes anything.
    pub fn is_operation(&self) -> bool {
        !self.is_leaf() && !matches!(self, Op::Gather(_) | Op::Splat(_) | Op::Lane(..) | Op::Turn(..))
    }
}

/// Array of a program, sized for this robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name.
    pub name: &'static str,
    /// Rows and columns, stored by columns. A vector has one column.
    pub shape: (usize, usize),
}

impl Array {
    /// Makes an array for a declared argument.
    pub fn new(arg: &Arg, shape: (usize, usize)) -> Self {
        Self { name: arg.name, shape }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Number of the robot that is in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Identifier of the number.
    pub constant: Constant,
    /// Value in the robot.
    pub value: f64,
}

/// out = −left · right, computed after all values. n × n matrices, by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// Outputs, computed together. Each one first holds its right factor.
    pub outputs: Vec<usize>,
    /// Output that is the left factor. It is symmetric.
    pub left: usize,
    /// Nonzero rows of each column of the right factors.
    pub rows: Vec<Vec<core::ops::Range<usize>>>,
}

/// Above this number of operations, straight-line code is slower than loops.
const MOST_OPERATIONS: usize = 13_000;
/// Limit for functions under constraints. The library has more and shorter loops there.
const MOST_OPERATIONS_HELD: usize = 28_000;

/// Program of one function for one robot.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Name of the function, with its frame if it has one.
    pub name: String,
    /// Arrays that it reads.
    pub inputs: Vec<Array>,
    /// Arrays that it writes.
    pub outputs: Vec<Array>,
    /// Numbers of the robot that it needs.
    pub parameters: Vec<Parameter>,
    /// Operations, in order of computation.
    pub values: Vec<Op>,
    /// Numbers that only kernels read. At most one array.
    pub scratch: Vec<Array>,
    /// For every output, the values of its entries. Empty if a kernel writes it. Then the values of `scratch`.
    pub results: Vec<Vec<Value>>,
    /// Must not be negative. Otherwise the result is invalid: the mass matrix is singular.
    pub health: Option<Value>,
    /// Loops that write outputs from `scratch`, after all values.
    pub kernels: Vec<Kernel>,
    /// Products of outputs, computed at the end.
    pub products: Vec<Product>,
    /// Values that each [`Op::Gather`] gathers.
    pub gathers: Vec<Vec<Value>>,
    /// Number of operations of the library for the same function, with this robot's numbers.
    pub operations_of_library: usize,
    /// True if it acts on constraints.
    pub is_constrained: bool,
    /// Same function for one state, with limbs side by side in lanes. The bits are the same.
    pub one_state: Option<Box<Program>>,
    /// Same function for many states, with loops over limbs, if it differs from the variant for one state.
    pub many_states: Option<Box<Program>>,
}

impl Program {
    /// Number of operations, without products.
    pub fn operations(&self) -> usize {
        self.values.iter().filter(|op| op.is_operation()).count()
    }

    /// Number of instructions of products and columns for one state, with four multiply-adds each.
    pub fn operations_of_loops(&self) -> usize {
        let products = self.products.iter().map(|product| 2 * product.rows.len().pow(3) / LANES);
        let columns = self.kernels.iter().map(|kernel| match kernel {
            Kernel::Columns(columns) => columns.operations(),
            _ => 0,
        });
        products.chain(columns).sum()
    }

    /// True if the code is as fast as the library's loops, for one state and for many. Long straight-line
    /// code waits for instructions, and kernels that fill matrices are the library's own loops.
    ///
    /// Measured times, as fractions of the library's time:
    /// - humanoid with 39 dofs: M⁻¹ with 12,500 operations 0.65; ∂ID with 14,500 operations 1.2
    /// - kernels, robots with 35 to 50 dofs: ∂ID of one state 1.05 to 1.25; ∂FD of one state 0.85 to 1, of
    ///   many states 1.25 to 1.5
    /// - constrained quadrupeds: impulse derivatives with 18,000 operations 0.68; constrained ∂FD with 32,000
    ///   operations 1.1, of many states 0.7
    /// - constrained humanoids, solved by columns: ∂FD of one state 0.87 to 0.93, of many states 0.54 to 0.66
    pub fn pays(&self) -> bool {
        let fills = |program: &Program| program.kernels.iter().any(|kernel| matches!(kernel, Kernel::Fill(_)));
        let pays = |program: &Program| {
            let most = if program.is_constrained { MOST_OPERATIONS_HELD } else { MOST_OPERATIONS };
            let is_short = program.operations() <= most;
            !fills(program) && (is_short || !program.products.is_empty() || !program.kernels.is_empty())
        };
        pays(self.for_one_state()) && self.many_states.as_deref().is_none_or(pays)
    }

    /// Returns the name of an input array.
    pub fn name_of_input(&self, array: u32) -> &'static str {
        self.inputs.iter().chain(&self.scratch).nth(array as usize).map_or("", |array| array.name)
    }

    /// Arrays that values are stored to: the outputs, then the scratch.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.outputs.iter().chain(&self.scratch)
    }

    /// True if values are stored to an output. If not, a kernel writes it.
    pub fn is_stored(&self, output: usize) -> bool {
        self.outputs[output].is_empty() || !self.results[output].is_empty()
    }

    /// Returns the program for one state.
    pub fn for_one_state(&self) -> &Program {
        self.one_state.as_deref().unwrap_or(self)
    }

    /// Returns the program for many states with loops over limbs, if there is one.
    pub fn by_limbs(&self) -> Option<&Program> {
        let alike = |one: &&Program| one.kernels.is_empty() == self.kernels.is_empty();
        self.many_states.as_deref().or(self.one_state.as_deref().filter(alike))
    }

    /// Returns for every value whether it is used.
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

    /// Removes unused values and parameters.
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
