//! Several programs for one robot, over one table.

use crate::limbs::Limbs;
use crate::program::{Op, Parameter, Program};
use crate::record::{Numbers, record};
use crate::structure::{fingerprint, snapped};
use dtau::model::{Constant, Model};
use dtau::{Error, Function};
use std::collections::HashMap;

/// A function that is asked for, and what it is called in the code.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its name, such as `rnea` or `frame_jacobian_gripper`.
    pub name: String,
    /// With its frame, if it has one.
    pub function: Function,
}

/// Programs for one robot.
#[derive(Clone, Debug)]
pub struct Module {
    /// The robot's name.
    pub robot: String,
    /// How the numbers of the robot appear.
    pub numbers: Numbers,
    /// The table, in its order; empty where numbers are in the code.
    pub table: Vec<Parameter>,
    /// The programs; their parameters are entries of the table.
    pub programs: Vec<Program>,
    /// What a robot must have in common with this one to be served by the code.
    pub fingerprint: u64,
}

impl Module {
    /// Records functions for a robot.
    ///
    /// # Errors
    /// As the functions.
    pub fn record(model: &Model, requests: &[Request], numbers: Numbers) -> Result<Module, Error> {
        let model = snapped(model);
        let mut table = Table::new(&model);
        let mut programs = Vec::new();
        for request in requests {
            let mut program = record(&model, &request.function, &request.name, numbers)?;
            // First the one that wants limbs side by side.
            if let Some(one) = &mut program.one_state {
                table.place(one);
            }
            table.place(&mut program);
            programs.push(program);
        }
        let table = table.entries;
        for program in &mut programs {
            program.parameters.clone_from(&table);
            if let Some(one) = &mut program.one_state {
                one.parameters.clone_from(&table);
            }
        }
        Ok(Module { robot: model.name().into(), numbers, table, programs, fingerprint: fingerprint(&model) })
    }
}

/// The table as it grows.
struct Table {
    entries: Vec<Parameter>,
    places: HashMap<Constant, u32>,
    limbs: Option<Limbs>,
    values: HashMap<Constant, f64>,
}

impl Table {
    fn new(model: &Model) -> Self {
        let values = model.constants().into_iter().collect();
        Self { entries: Vec::new(), places: HashMap::new(), limbs: Limbs::of(model), values }
    }

    /// Gives the parameters of a program places in the table.
    fn place(&mut self, program: &mut Program) {
        let to: Vec<u32> = program.parameters.iter().map(|parameter| self.place_of(parameter.constant)).collect();
        for op in &mut program.values {
            if let Op::Parameter(p) = op {
                *p = to[*p as usize];
            }
        }
    }

    /// Where a number stands; those of corresponding limbs stand side by side.
    fn place_of(&mut self, constant: Constant) -> u32 {
        if let Some(&place) = self.places.get(&constant) {
            return place;
        }
        let mut together = vec![(usize::MAX, constant)];
        if let Some(limbs) = &self.limbs {
            let mut at = constant;
            together.clear();
            for _ in 0..limbs.count() {
                match limbs.next_constant(at) {
                    Some((next, limb)) => together.push((limb, core::mem::replace(&mut at, next))),
                    None => break,
                }
            }
            if together.is_empty() {
                together.push((0, constant));
            }
            together.sort_unstable();
        }
        for (_, constant) in together {
            self.places.entry(constant).or_insert_with(|| {
                self.entries.push(Parameter { constant, value: self.values[&constant] });
                (self.entries.len() - 1) as u32
            });
        }
        self.places[&constant]
    }
}
