//! From a function of the library and a robot to a program.

use crate::program::{Array, Op, Parameter, Product, Program, Value};
use crate::structure::{is_inertial_of, is_structure, tagged};
use crate::tape::{self, Traced};
use core::ops::Range;
use dtau::model::{Constant, Model};
use dtau::{Declaration, Error, Function, Workspace, function};
use std::collections::HashMap;

/// How numbers of the robot appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// In a table beside the code; zeros and ones are structure.
    Table,
    /// In the code.
    Baked,
}

/// From how many degrees of freedom on −M⁻¹ ∂ID is a loop: unrolled it would outgrow the instruction cache.
const LOOP_FROM: usize = 12;

/// Records a function; the robot's numbers are taken as they are, see [`snapped`](crate::structure::snapped).
///
/// # Errors
/// As the function itself, for the robot and its parameters.
pub fn record(model: &Model, function: &Function, name: &str, numbers: Numbers) -> Result<Program, Error> {
    record_for(model, function, name, numbers, &[])
}

/// The same, with all inertial numbers of some bodies in the table.
pub(crate) fn record_for(
    model: &Model,
    function: &Function,
    name: &str,
    numbers: Numbers,
    free: &[usize],
) -> Result<Program, Error> {
    let (tagged_model, mut parameters, tags) = match numbers {
        Numbers::Table => tag(model, free),
        Numbers::Baked => (model.clone(), Vec::new(), HashMap::new()),
    };
    let declaration = function.declaration();
    let arrays = |args: &[dtau::Arg]| -> Vec<Array> {
        args.iter().map(|arg| Array::new(arg, arg.size.shape(model, 1))).collect()
    };
    let (inputs, outputs) = (arrays(declaration.inputs), arrays(declaration.outputs));
    let by_loop = declaration.name == "fd_derivatives" && model.nv() >= LOOP_FROM;
    let (results, tape) = tape::record(tags, || {
        let x: Vec<Vec<Traced>> = (inputs.iter().enumerate())
            .map(|(array, of)| (0..of.len()).map(|k| tape::input(array, k)).collect())
            .collect();
        if by_loop { factors_of_fd(&tagged_model, &x) } else { call(&tagged_model, function, &x) }
    });
    let results: Vec<Vec<Value>> = results?.iter().map(|y| y.iter().map(|y| y.0).collect()).collect();
    let mut products = Vec::new();
    if by_loop {
        let rows = nonzero_rows(&tape.values, &[&results[1], &results[2]], model.nv());
        products.push(Product { outputs: vec![1, 2], left: 3, rows });
    }
    parameters.shrink_to_fit();
    let mut program = Program {
        name: name.into(),
        inputs,
        outputs,
        parameters,
        values: tape.values,
        results,
        health: None,
        products,
        gathers: Vec::new(),
        operations_of_library: tape.asked,
    };
    program.health = least(&mut program.values, &tape.health);
    program.sweep();
    Ok(program)
}

/// The smallest of values, or one that is negative if any is.
fn least(values: &mut Vec<Op>, all: &[Value]) -> Option<Value> {
    let mut all: Vec<Value> = all.to_vec();
    all.sort_unstable();
    all.dedup();
    let mut least = None;
    for value in all {
        least = Some(match least {
            None => value,
            Some(before) => {
                values.push(Op::Select(value, before, value, before));
                (values.len() - 1) as Value
            }
        });
    }
    least
}

/// The model with marks in the place of its numbers, which they are, and how they are found again.
fn tag(model: &Model, free: &[usize]) -> (Model, Vec<Parameter>, HashMap<u64, u32>) {
    let (mut parameters, mut tags) = (Vec::new(), HashMap::new());
    let tagged = model.map_constants(|constant: Constant, value| {
        if is_structure(value) && is_inertial_of(constant).is_none_or(|body| !free.contains(&body)) {
            return value;
        }
        let mark = tagged(value, parameters.len());
        tags.insert(mark.to_bits(), parameters.len() as u32);
        parameters.push(Parameter { constant, value });
        mark
    });
    (tagged, parameters, tags)
}

/// Calls a function as anybody would, on recorded numbers.
fn call(model: &Model, function: &Function, x: &[Vec<Traced>]) -> Result<Vec<Vec<Traced>>, Error> {
    let declaration: &Declaration = function.declaration();
    let mut y: Vec<Vec<Traced>> = (declaration.outputs.iter())
        .map(|arg| vec![Traced::default(); arg.size.shape(model, 1).0 * arg.size.shape(model, 1).1])
        .collect();
    let x: Vec<&[Traced]> = x.iter().map(Vec::as_slice).collect();
    let mut to: Vec<&mut [Traced]> = y.iter_mut().map(Vec::as_mut_slice).collect();
    // New scratch: what an older one holds belongs to another tape.
    function.call(model, &mut Workspace::new(model), &x, &mut to)?;
    Ok(y)
}

/// q̈, ∂ID/∂q, ∂ID/∂q̇ and M⁻¹: what ∂FD is a product of.
fn factors_of_fd(model: &Model, x: &[Vec<Traced>]) -> Result<Vec<Vec<Traced>>, Error> {
    let by_name = |name: &str| function(name)?.with(&dtau::Parameters::default());
    let (q, v) = (x[0].clone(), x[1].clone());
    let qdd = call(model, &by_name("aba")?, x)?.remove(0);
    let mut partials = call(model, &by_name("id_derivatives")?, &[q.clone(), v, qdd.clone()])?;
    let inverse = call(model, &by_name("minverse")?, &[q])?.remove(0);
    let (dq, dv) = (partials.remove(1), partials.remove(1));
    Ok(vec![qdd, dq, dv, inverse])
}

/// For every column, the rows in which one of some matrices is not zero, as runs.
fn nonzero_rows(values: &[Op], matrices: &[&Vec<Value>], n: usize) -> Vec<Vec<Range<usize>>> {
    let is_zero = |value: Value| matches!(values[value as usize], Op::Constant(0.0));
    (0..n)
        .map(|c| {
            let mut runs: Vec<Range<usize>> = Vec::new();
            for r in (0..n).filter(|r| matrices.iter().any(|m| !is_zero(m[c * n + r]))) {
                match runs.last_mut() {
                    Some(run) if run.end == r => run.end = r + 1,
                    _ => runs.push(r..r + 1),
                }
            }
            runs
        })
        .collect()
}
