//! `dtau eval --method`: the same by another method of the list.

use crate::failure::Failure;
use crate::quantity::Quantity;
use crate::state::State;
use dtau::{Declaration, Matrix, Scene};
use dtau_methods::list::{self, Method};

/// The quantities that have methods, and the functions that they are.
pub const QUANTITIES: [(list::Quantity, &str); 3] = [
    (list::Quantity::IdDerivatives, "id_derivatives"),
    (list::Quantity::FdDerivatives, "fd_derivatives"),
    (list::Quantity::MassInverse, "minverse"),
];

/// A method for one of the functions asked for.
pub struct Chosen {
    function: &'static Declaration,
    method: &'static Method,
}

impl Chosen {
    /// The method of a name, for the one function asked for that has methods.
    pub fn find(name: &str, asked: &[&'static Declaration]) -> Result<Self, Failure> {
        let quantity = |function: &Declaration| QUANTITIES.iter().find(|(_, name)| *name == function.name);
        let with_methods: Vec<_> = asked.iter().filter_map(|&f| Some((f, quantity(f)?.0))).collect();
        let [(function, quantity)] = with_methods[..] else {
            let names = QUANTITIES.map(|(_, name)| name).join(", ");
            return Err(Failure::Input(format!("--method goes with exactly one of {names} in --what")));
        };
        let method = list::find(quantity, name).ok_or_else(|| {
            let names: Vec<&str> = list::methods(quantity).map(|method| method.name).collect();
            Failure::Input(format!("{} has no method {name:?}; there are {}", function.name, names.join(", ")))
        })?;
        Ok(Self { function, method })
    }

    /// Whether it is for this function.
    pub fn gives(&self, function: &Declaration) -> bool {
        self.function.name == function.name
    }

    pub fn evaluate(&self, scene: Scene<'_, f64>, state: &State) -> Result<Quantity, String> {
        let x: Vec<&[f64]> = self.function.inputs.iter().map(|arg| state.read(arg)).collect();
        let vector = |x: Vec<f64>| {
            let mut column = Matrix::zeros(x.len(), 1);
            column.copy_from_slice(&x);
            column
        };
        let results = match self.method.quantity {
            list::Quantity::IdDerivatives => {
                let d = self.method.id_derivatives(&scene, x[0], x[1], x[2]).map_err(|refused| refused.to_string())?;
                vec![vector(d.tau), d.dtau_dq, d.dtau_dv, d.dtau_da]
            }
            list::Quantity::FdDerivatives => {
                let d = self.method.fd_derivatives(&scene, x[0], x[1], x[2]).map_err(|refused| refused.to_string())?;
                vec![vector(d.qdd), d.dqdd_dq, d.dqdd_dv, d.dqdd_dtau]
            }
            list::Quantity::MassInverse => {
                vec![self.method.inverse(&scene, x[0]).map_err(|refused| refused.to_string())?]
            }
        };
        let outputs = self.function.outputs.iter().zip(results);
        let members = outputs.map(|(arg, m)| (arg.name.into(), Quantity::of(arg, scene.model, m, &[], false)));
        Ok(Quantity::by_name(members.collect()))
    }
}

/// The names, for `--help`.
pub fn help() -> String {
    let lines = QUANTITIES.map(|(quantity, name)| {
        let names: Vec<&str> = list::methods(quantity).map(|method| method.name).collect();
        format!("  {name}: {}\n", names.join(", "))
    });
    lines.concat()
}
