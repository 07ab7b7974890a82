//! Several programs for one robot, over one table.

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
        let (mut table, mut places) = (Vec::new(), HashMap::<Constant, u32>::new());
        let mut programs = Vec::new();
        for request in requests {
            let mut program = record(&model, &request.function, &request.name, numbers)?;
            let to: Vec<u32> = (program.parameters.iter())
                .map(|parameter| {
                    *places.entry(parameter.constant).or_insert_with(|| {
                        table.push(*parameter);
                        (table.len() - 1) as u32
                    })
                })
                .collect();
            for op in &mut program.values {
                if let Op::Parameter(p) = op {
                    *p = to[*p as usize];
                }
            }
            programs.push(program);
        }
        for program in &mut programs {
            program.parameters.clone_from(&table);
        }
        Ok(Module { robot: model.name().into(), numbers, table, programs, fingerprint: fingerprint(&model) })
    }
}
