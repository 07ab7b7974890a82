//! Derivatives of a recorded program with respect to the numbers of its inputs. They are exact. They are
//! recorded too, so they are simplified and shared like the program.
//!
//! ```text
//! ẏ = ∂y/∂a ȧ + ∂y/∂b ḃ + …      for every operation y = f(a, b, …), from inputs to outputs       (1)
//! ```
//!
//! Used for functions without derivatives in the library, and for the numbers that represent a configuration:
//! see `emit/casadi`.

use crate::program::{Array, Op, Parameter, Program, Value};
use crate::tape::{self, Traced};
use dtau::model::Constant;
use dtau::scalar::Real;
use std::collections::HashMap;

/// Numbers of several arrays.
pub(crate) type Numbers = Vec<Vec<Traced>>;

/// Computes a program on the tape. Returns all its values.
pub(crate) fn replay(program: &Program, inputs: &[Vec<Traced>]) -> Vec<Traced> {
    let mut values: Vec<Traced> = Vec::with_capacity(program.values.len());
    for op in &program.values {
        let value = match *op {
            Op::Parameter(p) => tape::parameter(p),
            Op::Input(array, k) => inputs[array as usize][k as usize],
            ref op => op.compute(|value| values[value as usize]).expect("limbs are for one state"),
        };
        values.push(value);
    }
    values
}

/// (1): the change of every value when the inputs change along `direction`.
pub(crate) fn along(program: &Program, values: &[Traced], direction: &[Vec<Traced>]) -> Vec<Traced> {
    let zero = Traced::default();
    let mut tangents: Vec<Traced> = Vec::with_capacity(values.len());
    for (op, &y) in program.values.iter().zip(values) {
        let at = |value: Value| (values[value as usize], tangents[value as usize]);
        let tangent = match *op {
            Op::Constant(_) | Op::Parameter(_) => zero,
            Op::Input(array, k) => direction[array as usize][k as usize],
            Op::Add(a, b) => at(a).1 + at(b).1,
            Op::Sub(a, b) => at(a).1 - at(b).1,
            Op::Neg(a) => -at(a).1,
            Op::Mul(a, b) => product(at(a), at(b), zero),
            Op::MulAdd(a, b, c) => product(at(a), at(b), at(c).1),
            Op::MulSub(a, b, c) => product(at(a), at(b), -at(c).1),
            Op::NegMulAdd(a, b, c) => -product(at(a), at(b), -at(c).1),
            Op::Div(a, b) => y.neg_mul_add(at(b).1, at(a).1) / at(b).0, // (ȧ − y ḃ) / b
            Op::Sqrt(a) => at(a).1 / (y + y),
            Op::Sin(a) => at(a).0.sin_cos().1 * at(a).1,
            Op::Cos(a) => -(at(a).0.sin_cos().0 * at(a).1),
            Op::Atan2(a, b) => {
                let ((y, dy), (x, dx)) = (at(a), at(b));
                (x * dy - y * dx) / (x * x + y * y)
            }
            Op::Select(a, b, c, d) => Traced::select(at(a).0.lt(at(b).0), at(c).1, at(d).1),
            Op::Gather(_) | Op::Splat(_) | Op::Lane(..) | Op::Turn(..) => unreachable!("limbs are for one state"),
        };
        tangents.push(tangent);
    }
    tangents
}

/// a ḃ + ȧ b + ċ
fn product((a, da): (Traced, Traced), (b, db): (Traced, Traced), dc: Traced) -> Traced {
    a.mul_add(db, da.mul_add(b, dc))
}

/// Returns all numbers of the inputs, as values of the tape.
pub(crate) fn inputs_of(arrays: &[Array]) -> Numbers {
    arrays.iter().enumerate().map(|(a, array)| (0..array.len()).map(|k| tape::input(a, k)).collect()).collect()
}

/// Selects the outputs from all values.
pub(crate) fn outputs_of(program: &Program, values: &[Traced]) -> Numbers {
    program.results.iter().map(|all| all.iter().map(|&value| values[value as usize]).collect()).collect()
}

/// Makes a program from what `f` records: the outputs, and a value that must not be negative.
pub(crate) fn recorded(
    name: &str,
    inputs: &[Array],
    outputs: Vec<Array>,
    table: &[Parameter],
    f: impl FnOnce(&[Vec<Traced>]) -> (Numbers, Option<Traced>),
) -> Program {
    let ((results, health), tape) = tape::record(HashMap::new(), || f(&inputs_of(inputs)));
    let mut program = Program {
        name: name.into(),
        inputs: inputs.to_vec(),
        outputs,
        parameters: table.to_vec(),
        values: tape.values,
        results: results.iter().map(|y| y.iter().map(|y| y.0).collect()).collect(),
        health: health.map(|health| health.0),
        operations_of_library: tape.asked,
        ..Program::default()
    };
    program.sweep();
    keep_places(&mut program, table);
    program
}

/// Renumbers parameters as entries of the module's table, from which nothing is removed.
pub(crate) fn keep_places(program: &mut Program, table: &[Parameter]) {
    let places: HashMap<Constant, u32> = table.iter().zip(0..).map(|(entry, place)| (entry.constant, place)).collect();
    for op in &mut program.values {
        if let Op::Parameter(p) = op {
            *p = places[&program.parameters[*p as usize].constant];
        }
    }
    program.parameters = table.to_vec();
}

/// Names of the blocks of a Jacobian.
macro_rules! names {
    ($($k:literal)*) => { [$(concat!("block", $k)),*] };
}
const BLOCKS: [&str; 40] = names! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
};

/// Limit of operations times directions. Longer code is useless.
const MOST: usize = 2_000_000;

/// Computes the Jacobian with respect to the numbers of all inputs: one matrix for each pair of output and input,
/// by columns. Returns `None` if the program ends with a product, or if the Jacobian would be far too long.
pub(crate) fn jacobian(program: &Program, name: &str) -> Option<Program> {
    let count = program.outputs.len() * program.inputs.len();
    let directions: usize = program.inputs.iter().map(Array::len).sum();
    if !program.products.is_empty() || count > BLOCKS.len() || program.operations() * directions > MOST {
        return None;
    }
    let mut outputs = Vec::new();
    for y in &program.outputs {
        let shape = |x: &Array| (y.len(), x.len());
        outputs.extend(program.inputs.iter().map(|x| Array { name: BLOCKS[0], shape: shape(x) }));
    }
    outputs.iter_mut().zip(BLOCKS).for_each(|(array, name)| array.name = name);
    Some(recorded(name, &program.inputs, outputs, &program.parameters, |x| {
        let values = replay(program, x);
        let mut blocks: Numbers = vec![Vec::new(); count];
        for (i, array) in program.inputs.iter().enumerate() {
            for k in 0..array.len() {
                let mut direction: Numbers = program.inputs.iter().map(|x| vec![Traced::default(); x.len()]).collect();
                direction[i][k] = Traced::one();
                let tangents = along(program, &values, &direction);
                for (o, column) in outputs_of(program, &tangents).into_iter().enumerate() {
                    blocks[o * program.inputs.len() + i].extend(column);
                }
            }
        }
        (blocks, program.health.map(|health| values[health as usize]))
    }))
}

#[cfg(test)]
mod tests {
    use super::jacobian;
    use crate::interpret::interpret;
    use crate::module::{Module, Request};
    use crate::record::RecordOptions;
    use dtau::model::{JointKind, Model, Options, generate};
    use dtau::{Parameters, Random, Reference, functions};

    /// Compares every function of the list with differences at one state. Central differences with h = 1e-5
    /// leave errors of order h² and ε/h, about 1e-9 of the numbers. 1e-6 gives room.
    #[test]
    fn derived_jacobians_are_differences_of_their_functions() {
        let model = Model::bundled("double_pendulum", &Options::default()).unwrap();
        let of_trees = |seed: u64| Model::build(&generate::random_tree(seed, 3), &Options::default()).unwrap();
        let turns = |model: &Model| model.joints().iter().any(|joint| joint.kind == JointKind::FreeFlyer);
        let tree = (0..).map(of_trees).find(turns).unwrap();
        assert!(compared(&model, |_| true) > 1000);
        let of_rotations = ["integrate", "difference", "normalise", "difference_derivatives"];
        assert!(compared(&tree, |name| of_rotations.contains(&name)) > 1000);
    }

    /// Compares the derivatives and returns the number of entries compared.
    fn compared(model: &Model, asked: impl Fn(&str) -> bool) -> usize {
        let given =
            Parameters { frame: model.frame_ids().last(), reference: Some(Reference::LocalWorldAligned), way: None };
        let ask = |f: &dtau::Declaration| Request { name: f.name.into(), function: f.with(&given).unwrap() };
        // Constraints are not part of a robot.
        let is_of_robot = |f: &dtau::Declaration| !f.parameters.contains(&dtau::Parameter::Constraints);
        let all: Vec<Request> = functions().iter().filter(|f| is_of_robot(f) && asked(f.name)).map(ask).collect();
        let module = Module::record(model, &all, RecordOptions::default()).unwrap();
        let table: Vec<f64> = module.table.iter().map(|entry| entry.value).collect();
        let (mut tried, h) = (0, 1e-5);
        for program in &module.programs {
            let Some(derived) = jacobian(program, "j") else { panic!("{} is not derived", program.name) };
            let random = &mut Random::seeded(5);
            let x: Vec<Vec<f64>> = (program.inputs.iter())
                .map(|array| (0..array.len()).map(|_| random.within(-1.0, 1.0)).collect())
                .collect();
            let at = |x: &[Vec<f64>]| {
                let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
                interpret(program, &table, &x).unwrap()
            };
            let slices: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            let got = interpret(&derived, &table, &slices).unwrap();
            for (i, array) in program.inputs.iter().enumerate() {
                for k in 0..array.len() {
                    let (mut less, mut more) = (x.clone(), x.clone());
                    less[i][k] -= h;
                    more[i][k] += h;
                    let (less, more) = (at(&less), at(&more));
                    for (o, (less, more)) in less.iter().zip(&more).enumerate() {
                        let column = &got[o * program.inputs.len() + i][k * less.len()..][..less.len()];
                        let scale = column.iter().chain(less).fold(1.0_f64, |most, x| most.max(x.abs()));
                        for (r, got) in column.iter().enumerate() {
                            let want = (more[r] - less[r]) / (2.0 * h);
                            let close = (got - want).abs() <= 1e-6 * scale;
                            assert!(
                                close,
                                "{} output {o} [{r}] by {} [{k}]: got {got}, want {want}",
                                program.name, array.name
                            );
                            tried += 1;
                        }
                    }
                }
            }
        }
        tried
    }
}
