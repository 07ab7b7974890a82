//! Several programs for one robot, with a common table.

use crate::limbs::Limbs;
use crate::program::{Op, Parameter, Program};
use crate::record::{Numbers, RecordOptions, record};
use crate::structure::{fingerprint_for, is_inertial_of, is_structure, snapped_all};
use crate::subject::Subject;
use dtau::model::{Constant, Model};
use dtau::{Constraints, Error, Function};
use std::collections::HashMap;

/// Requested function, and its name in the code.
#[derive(Clone, Debug)]
pub struct Request {
    /// Name in the code, such as `rnea` or `frame_jacobian_gripper`.
    pub name: String,
    /// The function, with its frame if it has one.
    pub function: Function,
}

/// Programs for one robot.
#[derive(Clone, Debug)]
pub struct Module {
    /// The robot's name.
    pub robot: String,
    /// Place of the robot's numbers.
    pub numbers: Numbers,
    /// The table in order. Empty if the numbers are in the code.
    pub table: Vec<Parameter>,
    /// The programs. Their parameters are entries of the table.
    pub programs: Vec<Program>,
    /// The library functions that the programs compute.
    pub functions: Vec<Function>,
    /// Fingerprint shared by all robots that the code serves.
    pub fingerprint: u64,
    /// The robot. Numbers very close to 0 or ±1 are set to it.
    pub model: Model,
    /// Its constraints, with numbers adjusted likewise.
    pub constraints: Option<Constraints>,
    /// Bodies that can carry payloads: all their inertial numbers are in the table.
    pub free: Vec<usize>,
}

impl Module {
    /// Records functions for a robot, or for one under constraints.
    ///
    /// # Errors
    /// Same as the functions. Also fails for an unknown link.
    pub fn record<'a>(
        of: impl Into<Subject<'a>>,
        requests: &[Request],
        options: RecordOptions<'_>,
    ) -> Result<Module, Error> {
        let numbers = options.numbers;
        let snapped = snapped_all(of.into());
        let (of, model) = (snapped.borrowed(), &snapped.model);
        let mut free = Vec::new();
        for link in options.payloads {
            free.extend(model.carrier(model.frame(link)?).map(|(body, _)| body));
        }
        free.sort_unstable();
        free.dedup();
        let mut table = Table::new(of);
        let mut programs = Vec::new();
        for request in requests {
            (options.watch)(&request.name);
            let mut program = record(of, request, options, &free)?;
            // Variants with limbs side by side come first, because they determine the order of the table.
            for other in program.one_state.iter_mut().chain(&mut program.many_states) {
                table.place(other);
            }
            table.place(&mut program);
            programs.push(program);
        }
        if numbers == Numbers::Table {
            // A payload changes all inertial numbers of a body, whether or not a program reads them.
            for (constant, value) in model.constants() {
                if is_inertial_of(constant).is_some_and(|body| !is_structure(value) || free.contains(&body)) {
                    table.place_of(constant);
                }
            }
        }
        let table = table.entries;
        for program in &mut programs {
            program.parameters.clone_from(&table);
            for other in program.one_state.iter_mut().chain(&mut program.many_states) {
                other.parameters.clone_from(&table);
            }
        }
        Ok(Module {
            robot: model.name().into(),
            numbers,
            table,
            programs,
            functions: requests.iter().map(|request| request.function).collect(),
            fingerprint: fingerprint_for(of, &free),
            model: snapped.model,
            constraints: snapped.constraints,
            free,
        })
    }

    /// True if a number is in the table whatever its value.
    pub(crate) fn is_free(&self, which: Constant) -> bool {
        is_inertial_of(which).is_some_and(|body| self.free.contains(&body))
    }
}

/// Table under construction.
struct Table {
    entries: Vec<Parameter>,
    places: HashMap<Constant, u32>,
    limbs: Option<Limbs>,
    values: HashMap<Constant, f64>,
}

impl Table {
    fn new(of: Subject<'_>) -> Self {
        let values = of.constants().into_iter().collect();
        Self { entries: Vec::new(), places: HashMap::new(), limbs: Limbs::of(of), values }
    }

    /// Assigns table entries to the parameters of a program.
    fn place(&mut self, program: &mut Program) {
        let to: Vec<u32> = program.parameters.iter().map(|parameter| self.place_of(parameter.constant)).collect();
        for op in &mut program.values {
            if let Op::Parameter(p) = op {
                *p = to[*p as usize];
            }
        }
    }

    /// Returns the place of a number in the table. Numbers of corresponding limbs are adjacent.
    fn place_of(&mut self, constant: Constant) -> u32 {
        if let Some(&place) = self.places.get(&constant) {
            return place;
        }
        let mut together = vec![constant];
        if let Some(limbs) = &self.limbs {
            together = limbs.each(constant).collect();
            together.sort_by_key(|&which| limbs.next_constant(which).map(|(_, limb)| limb));
        }
        for constant in together {
            self.places.entry(constant).or_insert_with(|| {
                self.entries.push(Parameter { constant, value: self.values[&constant] });
                (self.entries.len() - 1) as u32
            });
        }
        self.places[&constant]
    }
}
