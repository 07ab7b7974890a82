//! Derivatives with respect to the numbers of a configuration, if these are not its degrees of freedom:
//! quaternions, planes.
//!
//! ```text
//! û = q with quaternions of unit length            what functions are computed at, so that lengths do not count      (1)
//! E = ∂(û ⊕ v)/∂v at v = 0                         nq × nv: how the numbers change along v                           (2)
//! T = (EᵀE)⁻¹ Eᵀ ∂û/∂q                             nv × nq: along which v a change of q is                           (3)
//! ∂f/∂q = ∂f/∂v T,   v along dq: T dq,   gradient: Tᵀ g                                                              (4)
//! ```
//!
//! The columns of E are orthogonal and of constant length for every joint of the library, so EᵀE is a constant
//! diagonal matrix. With (1), (4) is exact in every direction of q, also if a quaternion changes its length.

use crate::derive::{along, outputs_of, recorded, replay};
use crate::interpret::interpret;
use crate::module::{Module, Request};
use crate::program::{Array, Op, Program};
use crate::table::Refusal;
use crate::tape::Traced;
use dtau::model::Model;
use dtau::scalar::Real;

/// Names of the programs that give (1) to (3), and of the combined program.
pub(super) const INTEGRATE: &str = "coordinates_integrate";
pub(super) const NORMALISE: &str = "coordinates_normalise";
pub(super) const NAME: &str = "coordinates";

/// True if q̇ differs from v for some joint.
pub(super) fn differ(model: &Model) -> bool {
    model.joints().iter().any(|joint| !joint.kind.coordinates_add())
}

/// Returns the functions needed for the map.
pub(super) fn requests() -> Result<[Request; 2], Refusal> {
    let ask = |name: &str, function: &str| {
        let function = dtau::function(function).and_then(|f| f.with(&dtau::Parameters::default()));
        let function = function.map_err(|error| Refusal(error.to_string()))?;
        Ok(Request { name: name.into(), function })
    };
    Ok([ask(INTEGRATE, "integrate")?, ask(NORMALISE, "normalise")?])
}

/// Map from changes of q to changes along v, for one robot.
pub(super) struct Coordinates {
    /// Computes û and the nonzero entries of T from q, by columns.
    pub program: Program,
    /// Rows of these entries, for each column.
    pub rows: Vec<Vec<usize>>,
    /// Computes (1) only.
    pub normalise: Program,
}

/// Makes the map from the programs of a module. `None` if q̇ = v for all joints.
pub(super) fn of(module: &Module) -> Option<Coordinates> {
    let named = |name: &str| module.programs.iter().find(|program| program.name == name);
    let (integrate, normalise) = (named(INTEGRATE)?, named(NORMALISE)?);
    let (nq, nv) = (module.model.nq(), module.model.nv());
    let q = normalise.inputs.clone();
    let unit = Array { name: "unit", shape: (nq, 1) };
    let map = |entries: usize| vec![unit.clone(), Array { name: "map", shape: (entries, 1) }];
    let dense = |weights: &[f64]| {
        recorded(NAME, &q, map(nv * nq), &normalise.parameters, |x| {
            let zeros = |n: usize| vec![Traced::default(); n];
            let of_unit = replay(normalise, x); // (1)
            let unit = outputs_of(normalise, &of_unit).remove(0);
            let of_step = replay(integrate, &[unit.clone(), zeros(nv)]);
            let along_v = |k: usize| {
                let mut v = zeros(nv);
                v[k] = Traced::one();
                outputs_of(integrate, &along(integrate, &of_step, &[zeros(nq), v])).remove(0)
            };
            let e: Vec<Vec<Traced>> = (0..nv).map(along_v).collect(); // (2), by columns
            let mut t = Vec::new();
            for c in 0..nq {
                let mut dq = zeros(nq);
                dq[c] = Traced::one();
                let du = outputs_of(normalise, &along(normalise, &of_unit, &[dq])).remove(0);
                t.extend(e.iter().zip(weights).map(|(e, weight)| {
                    let dot = e.iter().zip(&du).fold(Traced::default(), |sum, (e, du)| e.mul_add(*du, sum));
                    dot * Traced::from_f64(*weight) // (3)
                }));
            }
            (vec![unit, t], None)
        })
    };
    // With weights of one and unit quaternions, T E is EᵀE. Its diagonal is evaluated numerically.
    let plain = dense(&vec![1.0; nv]);
    let table: Vec<f64> = module.table.iter().map(|entry| entry.value).collect();
    let neutral = module.model.neutral();
    let t = interpret(&plain, &table, &[&neutral])?.remove(1);
    let square = |k: usize| -> f64 { (0..nq).map(|c| t[c * nv + k].powi(2)).sum() };
    let weights: Vec<f64> = (0..nv).map(|k| 1.0 / square(k)).collect();
    let mut program = dense(&weights);
    let is_zero = |k: usize| matches!(program.values[program.results[1][k] as usize], Op::Constant(0.0));
    let rows: Vec<Vec<usize>> = (0..nq).map(|c| (0..nv).filter(|r| !is_zero(c * nv + r)).collect()).collect();
    let kept: Vec<usize> = rows.iter().enumerate().flat_map(|(c, rows)| rows.iter().map(move |r| c * nv + r)).collect();
    program.results[1] = kept.iter().map(|&k| program.results[1][k]).collect();
    program.outputs = map(kept.len());
    program.sweep();
    crate::derive::keep_places(&mut program, &normalise.parameters);
    Some(Coordinates { program, rows, normalise: normalise.clone() })
}

impl Coordinates {
    /// Puts (1) before a function, as one program. `is_configuration` has one flag for each input.
    pub(super) fn before(&self, program: &Program, is_configuration: &[bool]) -> Program {
        recorded(&program.name, &program.inputs, program.outputs.clone(), &program.parameters, |x| {
            let unit = |x: &Vec<Traced>| {
                outputs_of(&self.normalise, &replay(&self.normalise, core::slice::from_ref(x))).remove(0)
            };
            let x: Vec<Vec<Traced>> =
                (x.iter().zip(is_configuration)).map(|(x, is)| if *is { unit(x) } else { x.clone() }).collect();
            let values = replay(program, &x);
            (outputs_of(program, &values), program.health.map(|health| values[health as usize]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Coordinates, differ, of};
    use crate::derive;
    use crate::interpret::interpret;
    use crate::module::{Module, Request};
    use crate::program::Program;
    use crate::record::RecordOptions;
    use dtau::model::{Model, Options, generate};
    use dtau::{Parameters, Random};

    fn recorded(model: &Model, names: &[&str]) -> Module {
        let ask = |name: &&str| Request {
            name: name.to_string(),
            function: dtau::function(name).unwrap().with(&Parameters::default()).unwrap(),
        };
        let mut asked: Vec<Request> = names.iter().map(ask).collect();
        asked.extend(super::requests().unwrap());
        Module::record(model, &asked, RecordOptions::default()).unwrap()
    }

    fn close(name: &str, got: &[f64], want: &[f64], tolerance: f64) {
        let scale = want.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        assert_eq!(got.len(), want.len(), "{name}");
        for (k, (got, want)) in got.iter().zip(want).enumerate() {
            assert!((got - want).abs() <= tolerance * scale, "{name} [{k}]: got {got}, want {want} of {scale}");
        }
    }

    /// Returns the full T at a configuration.
    fn map(coordinates: &Coordinates, table: &[f64], q: &[f64], nv: usize) -> (Vec<f64>, Vec<f64>) {
        let mut y = interpret(&coordinates.program, table, &[q]).unwrap();
        let (entries, unit) = (y.pop().unwrap(), y.pop().unwrap());
        let mut whole = vec![0.0; nv * q.len()];
        let places = coordinates.rows.iter().enumerate().flat_map(|(c, rows)| rows.iter().map(move |r| c * nv + r));
        places.zip(entries).for_each(|(place, x)| whole[place] = x);
        (unit, whole)
    }

    /// Returns a b, by columns. a has n rows.
    fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
        let inner = a.len() / n;
        let entry = |r: usize, column: &[f64]| (0..inner).map(|k| a[k * n + r] * column[k]).sum();
        b.chunks_exact(inner).flat_map(|column| (0..n).map(move |r| entry(r, column))).collect()
    }

    fn unchanged(program: &Program, coordinates: &Coordinates) -> Program {
        let is_configuration: Vec<bool> = program.inputs.iter().map(|x| x.name == "q").collect();
        derive::jacobian(&coordinates.before(program, &is_configuration), "j").unwrap()
    }

    /// Compares two independent ways: the library's derivative along tangents times T, and the program of
    /// f(û) differentiated operation by operation. The trees have every joint type, and quaternions have any
    /// length. Only round-off is left: 1e-12 of the largest entry.
    #[test]
    fn derivatives_along_tangents_times_the_map_are_those_by_numbers() {
        let mut kinds = std::collections::HashSet::new();
        for seed in 0..12 {
            let model = Model::build(&generate::random_tree(seed, 4), &Options::default()).unwrap();
            if !differ(&model) {
                continue;
            }
            kinds.extend(model.joints().iter().map(|joint| joint.kind.name()));
            let module = recorded(&model, &["rnea", "id_derivatives"]);
            let coordinates = of(&module).unwrap();
            let table: Vec<f64> = module.table.iter().map(|entry| entry.value).collect();
            let random = &mut Random::seeded(seed);
            let mut q = module.model.random_configuration(random);
            for joint in model.joints().iter().filter(|joint| joint.q.len() > joint.v.len()) {
                let length = random.within(0.5, 2.0);
                let from = joint.q.end - 4; // the quaternion is last
                q[from..joint.q.end].iter_mut().for_each(|x| *x *= length);
            }
            let mut numbers = || -> Vec<f64> { (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect() };
            let (v, a) = (numbers(), numbers());
            let (unit, t) = map(&coordinates, &table, &q, model.nv());
            let along = interpret(&module.programs[1], &table, &[&unit, &v, &a]).unwrap();
            let by_numbers = unchanged(&module.programs[0], &coordinates);
            let got = interpret(&by_numbers, &table, &[&q, &v, &a]).unwrap();
            close("∂τ/∂q", &product(&along[1], &t, model.nv()), &got[0], 1e-12);
            close("∂τ/∂v", &along[2], &got[1], 1e-12);
            close("∂τ/∂a", &along[3], &got[2], 1e-12);
        }
        for kind in ["spherical", "planar", "free-flyer"] {
            assert!(kinds.iter().any(|name| name.contains(kind)), "no {kind} among {kinds:?}");
        }
    }
}
