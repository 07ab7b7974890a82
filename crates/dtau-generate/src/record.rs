//! From a function of the library and a robot to a program.

use crate::limbs::{self, LANES, Limbs, Recording};
use crate::program::{Array, Op, Parameter, Product, Program, Value};
use crate::structure::{is_inertial_of, is_structure, tagged};
use crate::tape::{self, Tape, Traced};
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

/// Records a function; the robot's numbers are taken as they are, see [`snapped`](crate::structure::snapped). Where the robot has several
/// limbs of one shape, the program for one state has them side by side.
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
    let mut program = record_with(model, function, name, numbers, free, None)?;
    if let Some(limbs) = Limbs::of(model).filter(|_| numbers == Numbers::Table) {
        let one = record_with(model, function, name, numbers, free, Some(&limbs))?;
        // Lanes are paid for by gathering and taking apart.
        if 10 * one.values.iter().filter(|op| !is_leaf(op)).count() < 9 * program.operations() {
            program.one_state = Some(Box::new(one));
        }
    }
    Ok(program)
}

fn is_leaf(op: &Op) -> bool {
    matches!(op, Op::Constant(_) | Op::Parameter(_) | Op::Input(..))
}

fn record_with(
    model: &Model,
    function: &Function,
    name: &str,
    numbers: Numbers,
    free: &[usize],
    limbs: Option<&Limbs>,
) -> Result<Program, Error> {
    let (tagged_model, parameters, tags) = match numbers {
        Numbers::Table => tag(model, free, limbs),
        Numbers::Baked => (model.clone(), Vec::new(), HashMap::new()),
    };
    let declaration = function.declaration();
    let arrays = |args: &[dtau::Arg]| -> Vec<Array> {
        args.iter().map(|arg| Array::new(arg, arg.size.shape(model, 1))).collect()
    };
    let (inputs, mut outputs) = (arrays(declaration.inputs), arrays(declaration.outputs));
    for output in &mut outputs {
        if inputs.iter().any(|input| input.name == output.name) {
            output.name = as_output(output.name);
        }
    }
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
    let margins = margins(&tape);
    let mut program = Program {
        name: name.into(),
        inputs,
        outputs,
        parameters,
        values: Vec::new(),
        results,
        health: None,
        products,
        gathers: Vec::new(),
        operations_of_library: tape.asked,
        one_state: None,
    };
    match limbs {
        None => {
            program.values = tape.values;
            program.health = healthy(&mut program.values, &margins, &[]);
        }
        Some(limbs) => side_by_side(&mut program, &tape, limbs, &margins),
    }
    program.sweep();
    Ok(program)
}

/// The name of an output that is called as an input is, such as a product with a Hessian.
fn as_output(name: &'static str) -> &'static str {
    match name {
        "dq" => "out_dq",
        "dv" => "out_dv",
        "da" => "out_da",
        "dtau" => "out_dtau",
        _ => unreachable!("no other name stands for both"),
    }
}

/// What must be positive: a pass remembers it as a chain of choices, see `Health` in the library.
fn margins(tape: &Tape) -> Vec<Value> {
    let mut all = Vec::new();
    for &health in &tape.health {
        let mut at = health;
        while let Op::Select(zero, margin, before, bad) = tape.values[at as usize] {
            let is = |value: Value, x: f64| tape.values[value as usize] == Op::Constant(x);
            assert!(is(zero, 0.0) && is(bad, -1.0), "a chain of margins");
            all.push(margin);
            at = before;
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// 1, or −1 if one of some values, or a lane of one, is not positive.
fn healthy(values: &mut Vec<Op>, margins: &[Value], wide_margins: &[(Value, usize)]) -> Option<Value> {
    if margins.is_empty() && wide_margins.is_empty() {
        return None;
    }
    let mut put = |op: Op| {
        values.push(op);
        (values.len() - 1) as Value
    };
    let (zero, one, bad) = (put(Op::Constant(0.0)), put(Op::Constant(1.0)), put(Op::Constant(-1.0)));
    let mut health = one;
    for count in 2..=LANES {
        let of_class: Vec<Value> = wide_margins.iter().filter(|(_, lanes)| *lanes == count).map(|(m, _)| *m).collect();
        if of_class.is_empty() {
            continue;
        }
        let (zeros, bads) = (put(Op::Splat(zero)), put(Op::Splat(bad)));
        let mut wide = put(Op::Splat(one));
        for margin in of_class {
            wide = put(Op::Select(zeros, margin, wide, bads));
        }
        for limb in 0..count {
            let lane = put(Op::Lane(wide, limb as u32));
            health = put(Op::Select(zero, lane, health, bad));
        }
    }
    for &margin in margins {
        health = put(Op::Select(zero, margin, health, bad));
    }
    Some(health)
}

/// Limbs in lanes.
fn side_by_side(program: &mut Program, tape: &Tape, limbs: &Limbs, margins: &[Value]) {
    let mut is_result = vec![false; tape.values.len()];
    for &value in program.results.iter().flatten() {
        is_result[value as usize] = true;
    }
    let mut used = is_result.clone();
    for &margin in margins {
        used[margin as usize] = true;
    }
    for k in (0..used.len()).rev() {
        if used[k] {
            tape.values[k].operands().for_each(|operand| used[operand as usize] = true);
        }
    }
    let constants: Vec<Constant> = program.parameters.iter().map(|p| p.constant).collect();
    let inputs: Vec<usize> = program.inputs.iter().map(Array::len).collect();
    let recording = Recording {
        values: &tape.values,
        find: &|op| tape.find(op),
        constants: &constants,
        inputs: &inputs,
        used: &used,
        is_result: &is_result,
    };
    let packed = limbs::pack(limbs, &recording);
    let (mut single, mut wide) = (Vec::new(), Vec::new());
    for &margin in margins {
        match packed.lane[margin as usize] {
            Some((value, 0, count)) => wide.push((value, count)),
            Some(_) => {}
            None => single.push(packed.to[margin as usize]),
        }
    }
    for value in program.results.iter_mut().flatten() {
        *value = packed.to[*value as usize];
    }
    (program.values, program.gathers) = (packed.values, packed.gathers);
    program.health = healthy(&mut program.values, &single, &wide);
}

/// The model with marks in the place of its numbers, which they are, and how they are found again.
fn tag(model: &Model, free: &[usize], limbs: Option<&Limbs>) -> (Model, Vec<Parameter>, HashMap<u64, u32>) {
    let (mut parameters, mut tags) = (Vec::new(), HashMap::new());
    let all: HashMap<Constant, f64> = model.constants().into_iter().collect();
    let tagged = model.map_constants(|constant: Constant, value| {
        let may_differ = |which: Constant| is_inertial_of(which).is_some_and(|body| free.contains(&body));
        let is_fixed = match limbs {
            None => !may_differ(constant),
            Some(limbs) => limbs.agree(constant, &all) && !limbs.each(constant).any(may_differ),
        };
        if is_structure(value) && is_fixed {
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
