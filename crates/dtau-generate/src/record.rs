//! Records a library function for a robot as a program.

use crate::kernels::{self, Column, Kernel};
use crate::limbs::{self, LANES, Limbs, Recording};
use crate::module::Request;
use crate::program::{Array, Op, Parameter, Product, Program, Value};
use crate::structure::{is_inertial_of, is_structure, tagged};
use crate::subject::{Owned, Subject};
use crate::sweep::{Kernels, Pays};
use crate::tape::{self, Tape, Traced};
use core::ops::Range;
use dtau::model::{Constant, Model};
use dtau::{Declaration, Error, Function, Workspace, function};
use std::collections::HashMap;

/// Place of the robot's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// They are in a table separate from the code. Zeros and ones are structure.
    Table,
    /// In the code.
    Baked,
}

/// Loops that are kept in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// Only products of matrices.
    Products,
    /// Products, and kernels if unrolled code would not fit the instruction cache.
    Kernels,
    /// Kernels wherever possible, even if slower. For tests.
    AllKernels,
}

/// Number of degrees of freedom from which −M⁻¹ ∂ID is a loop. Unrolled, it would not fit the instruction cache.
pub(crate) const LOOP_FROM: usize = 12;

/// Options for recording.
#[derive(Clone, Copy)]
pub struct RecordOptions<'a> {
    /// Place of the robot's numbers.
    pub numbers: Numbers,
    /// Loops that are kept. Kernels are for C only.
    pub loops: Loops,
    /// Links that can carry any payload. All inertial numbers of their bodies are in the table, even zeros and ones.
    pub payloads: &'a [&'a str],
    /// Called with the name of each function before it is recorded.
    pub watch: &'a dyn Fn(&str),
}

impl Default for RecordOptions<'_> {
    /// Numbers in a table, loops for products, no payloads.
    fn default() -> Self {
        Self { numbers: Numbers::Table, loops: Loops::Products, payloads: &[], watch: &|_| {} }
    }
}

/// Records a function. All inertial numbers of the bodies in `free` are in the table. If the robot has
/// several limbs of one shape, the program for one state has them side by side.
pub(crate) fn record(
    of: Subject<'_>,
    request: &Request,
    options: RecordOptions<'_>,
    free: &[usize],
) -> Result<Program, Error> {
    let limbs = Limbs::of(of).filter(|_| options.numbers == Numbers::Table);
    let recorder = Recorder { of, request, numbers: options.numbers, free };
    let record = |limbs: Option<&Limbs>, by: Option<Kernels>| recorder.record(limbs, by);
    // Uses limbs side by side if the gain exceeds the cost of gathering and extracting lanes.
    let of_limbs = |whole: &Program, by: Option<Kernels>| -> Result<Option<Box<Program>>, Error> {
        let Some(limbs) = &limbs else { return Ok(None) };
        let one = record(Some(limbs), by)?;
        let pays = 10 * one.values.iter().filter(|op| !op.is_leaf()).count() < 9 * whole.operations();
        Ok(pays.then(|| Box::new(one)))
    };
    let kernels = Kernels::of(of, &request.function);
    let pay = match (options.loops, kernels) {
        (Loops::Products, _) | (_, None) => Pays::Never,
        (Loops::AllKernels, Some(_)) => Pays::Always,
        (Loops::Kernels, Some(kernels)) => kernels.pay(of, limbs.is_some()),
    };
    let mut program = record(None, kernels.filter(|_| pay == Pays::Always))?;
    let by_limbs = of_limbs(&program, kernels.filter(|_| pay == Pays::Always))?;
    if pay == Pays::ForOneState {
        let whole = record(None, kernels)?;
        program.one_state = Some(of_limbs(&whole, kernels)?.unwrap_or_else(|| Box::new(whole)));
        program.many_states = by_limbs;
    } else {
        program.one_state = by_limbs;
    }
    Ok(program)
}

/// Function of a robot that is recorded in several variants.
struct Recorder<'a> {
    of: Subject<'a>,
    request: &'a Request,
    numbers: Numbers,
    free: &'a [usize],
}

impl Recorder<'_> {
    fn record(&self, limbs: Option<&Limbs>, kernels: Option<Kernels>) -> Result<Program, Error> {
        let (of, function) = (self.of, &self.request.function);
        let (tagged, parameters, tags) = match self.numbers {
            Numbers::Table => tag(of, self.free, limbs),
            Numbers::Baked => (of.map_constants(|_, x| x), Vec::new(), HashMap::new()),
        };
        let (model, declaration) = (of.model, function.declaration());
        let arrays = |args: &[dtau::Arg]| -> Vec<Array> {
            args.iter().map(|arg| Array::new(arg, arg.size.shape(model, of.counts()))).collect()
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
            let swept = kernels.map(|kernels| kernels.sweep(tagged.borrowed(), &x)).transpose()?.flatten();
            match swept {
                Some(swept) => Ok(swept),
                None if by_loop => factors_of_fd(&tagged.model, &x).map(|y| (y, Vec::new())),
                None => call(tagged.borrowed(), function, &x).map(|y| (y, Vec::new())),
            }
        });
        let (results, kernels) = results?;
        let asked_by_loops = kernels.iter().map(|kernel| match kernel {
            Kernel::Columns(columns) => columns.operations_of_library(),
            _ => 0,
        });
        let asked_by_loops: usize = asked_by_loops.sum();
        let results: Vec<Vec<Value>> = results.iter().map(|y| y.iter().map(|y| y.0).collect()).collect();
        let mut scratch = Vec::new();
        if !kernels.is_empty() {
            scratch.push(Array { name: "parts", shape: (results[outputs.len()].len(), 1) });
        }
        let mut products = Vec::new();
        if by_loop {
            let rows = match kernels.is_empty() {
                true => nonzero_rows(&tape.values, &[&results[1], &results[2]], model.nv()),
                false => kernels::columns(model.tree()).into_iter().map(Column::rows).collect(),
            };
            products.push(Product { outputs: vec![1, 2], left: 3, rows });
        }
        let margins = margins(&tape);
        let mut program = Program {
            name: self.request.name.clone(),
            inputs,
            outputs,
            parameters,
            scratch,
            results,
            kernels,
            products,
            operations_of_library: tape.asked + asked_by_loops,
            is_constrained: declaration.parameters.contains(&dtau::Parameter::Constraints),
            ..Program::default()
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
}

/// Returns the name of an output that has the same name as an input, such as a product with a Hessian.
fn as_output(name: &'static str) -> &'static str {
    match name {
        "dq" => "out_dq",
        "dv" => "out_dv",
        "da" => "out_da",
        "dtau" => "out_dtau",
        _ => unreachable!("no other name stands for both"),
    }
}

/// Collects values that must be positive. The library tests them in a chain of selects (see `Health` there)
/// or directly.
fn margins(tape: &Tape) -> Vec<Value> {
    let mut all = Vec::new();
    for &health in &tape.health {
        let mut at = health;
        while let Some((margin, before)) = tape.link_of_health(at) {
            all.push(margin);
            at = before;
        }
        // Single conditions, for example that the constraint rows are independent.
        if !matches!(tape.values[at as usize], Op::Constant(_)) {
            all.push(at);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns 1, or −1 if one of the values, or one of the lanes, is not positive.
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

/// Packs limbs into lanes.
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

/// Returns the robot with each number replaced by a unique tag, the numbers, and a map from tags to them.
fn tag(of: Subject<'_>, free: &[usize], limbs: Option<&Limbs>) -> (Owned, Vec<Parameter>, HashMap<u64, u32>) {
    let (mut parameters, mut tags) = (Vec::new(), HashMap::new());
    let all: HashMap<Constant, f64> = of.constants().into_iter().collect();
    let tagged = of.map_constants(|constant: Constant, value| {
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

/// Calls a function on recorded numbers, through the public interface.
pub(crate) fn call<'a>(
    of: impl Into<Subject<'a>>,
    function: &Function,
    x: &[Vec<Traced>],
) -> Result<Vec<Vec<Traced>>, Error> {
    let (of, declaration): (Subject<'_>, &Declaration) = (of.into(), function.declaration());
    let mut y: Vec<Vec<Traced>> =
        (declaration.outputs.iter()).map(|arg| vec![Traced::default(); arg.size.of(of.model, of.counts())]).collect();
    let x: Vec<&[Traced]> = x.iter().map(Vec::as_slice).collect();
    let mut to: Vec<&mut [Traced]> = y.iter_mut().map(Vec::as_mut_slice).collect();
    // A new workspace is needed: values in an older one belong to another tape.
    function.call(of.scene(), &mut Workspace::new(of.model), &x, &mut to)?;
    Ok(y)
}

/// q̈, ∂ID/∂q, ∂ID/∂q̇ and M⁻¹: the factors of ∂FD.
fn factors_of_fd(model: &Model, x: &[Vec<Traced>]) -> Result<Vec<Vec<Traced>>, Error> {
    let by_name = |name: &str| function(name)?.with(&dtau::Parameters::default());
    let (q, v) = (x[0].clone(), x[1].clone());
    let qdd = call(model, &by_name("aba")?, x)?.remove(0);
    let mut partials = call(model, &by_name("id_derivatives")?, &[q.clone(), v, qdd.clone()])?;
    let inverse = call(model, &by_name("minverse")?, &[q])?.remove(0);
    let (dq, dv) = (partials.remove(1), partials.remove(1));
    Ok(vec![qdd, dq, dv, inverse])
}

/// Returns for every column the rows in which any of the matrices is nonzero, as runs.
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
