//! Runs every function of the library's list on any engine, and returns the outputs as a list of named
//! arrays.

use crate::constraints;
use crate::robots::ways;
use crate::states::numbers;
use dtau::model::{FrameId, Model};
use dtau::scalar::Real;
use dtau::{
    Arg, Counts, Declaration, Engine, Error, Function, Parameter, Parameters, Random, Reference, Scene, Size,
    Workspace, Wrench, functions,
};

/// States of a model, one after the other.
#[derive(Clone)]
pub struct States<T> {
    pub count: usize,
    pub q: Vec<T>,
    pub q1: Vec<T>,
    pub v: Vec<T>,
    pub a: Vec<T>,
    pub w: Vec<T>,
    /// nv × [`COLUMNS`] per state.
    pub columns: Vec<T>,
    /// Position and quaternion, of any length.
    pub target: Vec<T>,
    pub w_frame: Vec<T>,
    pub w_com: Vec<T>,
    pub restitution: Vec<T>,
    pub torque_strength: Vec<T>,
    pub force_strength: Vec<T>,
    pub forces: Vec<T>,
}

/// Number of columns for functions that accept any number.
pub const COLUMNS: usize = 3;

/// Named arrays of results.
pub type Named<T> = Vec<(String, Vec<T>)>;

impl States<f64> {
    /// Configurations drawn by the model, other numbers in [−1, 1), and forces for a number of wrenches.
    pub fn random(model: &Model, count: usize, wrenches: usize, seed: u64) -> Self {
        let (random, nv) = (&mut Random::seeded(seed), model.nv());
        let mut configurations = || (0..count).flat_map(|_| model.random_configuration(random)).collect::<Vec<f64>>();
        let (q, q1) = (configurations(), configurations());
        let mut each = |n: usize| numbers(random, count * n);
        let (v, a, w) = (each(nv), each(nv), each(nv));
        let (columns, forces) = (each(COLUMNS * nv), each(6 * wrenches));
        let (target, w_frame, w_com, restitution) = (each(7), each(6), each(3), each(1));
        let [torque_strength, force_strength] = strengths(model, count);
        Self {
            count,
            q,
            q1,
            v,
            a,
            w,
            columns,
            target,
            w_frame,
            w_com,
            restitution,
            torque_strength,
            force_strength,
            forces,
        }
    }
}

/// Strengths of joints and constraints for a number of states: between one half and one.
pub fn strengths<T: Real>(model: &Model, count: usize) -> [Vec<T>; 2] {
    let random = &mut Random::seeded(11);
    [model.nv(), constraints::some(model).rows()]
        .map(|n| (0..count * n).map(|_| T::from_f64(random.within(0.5, 1.0))).collect())
}

impl<T: Copy> States<T> {
    /// Converts to another scalar.
    pub fn map<U>(&self, to: impl Fn(T) -> U) -> States<U> {
        let map = |x: &[T]| x.iter().map(|&x| to(x)).collect::<Vec<U>>();
        let Self {
            count,
            q,
            q1,
            v,
            a,
            w,
            columns,
            target,
            w_frame,
            w_com,
            restitution,
            torque_strength,
            force_strength,
            forces,
        } = self;
        let [q, q1, v, a, w, columns, target, w_frame, w_com, restitution, forces] =
            [q, q1, v, a, w, columns, target, w_frame, w_com, restitution, forces].map(|x| map(x));
        let [torque_strength, force_strength] = [torque_strength, force_strength].map(|x| map(x));
        States {
            count: *count,
            q,
            q1,
            v,
            a,
            w,
            columns,
            target,
            w_frame,
            w_com,
            restitution,
            torque_strength,
            force_strength,
            forces,
        }
    }

    /// The states from `from` up to `to`.
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let cut = |x: &Vec<T>| {
            let n = x.len().checked_div(self.count).unwrap_or(0);
            x[from * n..to * n].to_vec()
        };
        Self {
            count: to - from,
            q: cut(&self.q),
            q1: cut(&self.q1),
            v: cut(&self.v),
            a: cut(&self.a),
            w: cut(&self.w),
            columns: cut(&self.columns),
            target: cut(&self.target),
            w_frame: cut(&self.w_frame),
            w_com: cut(&self.w_com),
            restitution: cut(&self.restitution),
            torque_strength: cut(&self.torque_strength),
            force_strength: cut(&self.force_strength),
            forces: cut(&self.forces),
        }
    }

    /// Input of a function by name.
    pub fn input(&self, name: &str) -> &[T] {
        match name {
            "q" | "q0" => &self.q,
            "q1" => &self.q1,
            "v" | "da" => &self.v,
            "a" | "tau" | "dv" => &self.a,
            "w" | "dq" | "dtau" => &self.w,
            "x" => &self.columns,
            "target" => &self.target,
            "w_frame" => &self.w_frame,
            "w_com" => &self.w_com,
            "restitution" => &self.restitution,
            "torque_strength" => &self.torque_strength,
            "force_strength" | "w_lambda" => &self.force_strength,
            _ => panic!("a function reads `{name}`; say here what that is"),
        }
    }
}

/// Largest number of degrees of freedom for which complete tensors are computed.
const MOST_OF_TENSORS: usize = 18;

pub struct Setting<'a, T> {
    pub model: &'a Model,
    pub wrenches: &'a [Wrench<T>],
    pub frame: FrameId,
    pub reference: Reference,
}

impl<'a, T> Setting<'a, T> {
    /// Every function of the list with its parameters: a frame, a reference frame, and every way; complete
    /// tensors only for small robots.
    pub fn functions(&self) -> Vec<(&'static Declaration, Function, String)> {
        let given = Parameters { frame: Some(self.frame), reference: Some(self.reference), way: None };
        let mut all = Vec::new();
        for declaration in functions() {
            // Complete tensors of large robots would take most of the time of every test.
            let is_tensor = |arg: &Arg| matches!(arg.size, Size::Cube | Size::SymmetricCube);
            if self.model.nv() > MOST_OF_TENSORS && declaration.outputs.iter().any(is_tensor) {
                continue;
            }
            all.push((declaration, declaration.with(&given).unwrap(), declaration.name.to_string()));
            if declaration.parameters.contains(&Parameter::Way) {
                for &way in ways(self.model) {
                    let function = declaration.with(&Parameters { way: Some(way), ..given }).unwrap();
                    all.push((declaration, function, format!("{}, {way:?}", declaration.name)));
                }
            }
        }
        all
    }

    fn scene(&self, x: &'a States<T>) -> Scene<'a, T> {
        self.model.scene().wrenches(self.wrenches).forces(&x.forces)
    }
}

/// One function with its arguments.
pub type Call<'a> = dyn FnMut() -> Result<(), Error> + 'a;

/// Every function at all states, in one call.
pub fn many<T: Real>(setting: &Setting<'_, T>, engine: &mut impl Engine<T>, x: &States<T>) -> Named<T> {
    many_by(setting, engine, x, &mut |_, call| call().unwrap())
}

/// Every function at all states, by its name, executed by `call`.
pub fn many_by<'a, T: Real>(
    setting: &Setting<'a, T>,
    engine: &mut impl Engine<T>,
    x: &'a States<T>,
    call: &mut dyn FnMut(&str, &mut Call<'_>),
) -> Named<T> {
    let mut all: Named<T> = Vec::new();
    let held = constraints::some(setting.model);
    let counts = Counts { columns: COLUMNS, rows: held.rows() };
    for (declaration, function, name) in setting.functions() {
        let inputs: Vec<&[T]> = declaration.inputs.iter().map(|arg| x.input(arg.name)).collect();
        // Outputs are not zero initially, so that entries that are not written are detected.
        let room = |size: Size| vec![T::from_f64(7.0); x.count * size.of(setting.model, counts)];
        let mut outputs: Vec<Vec<T>> = declaration.outputs.iter().map(|arg| room(arg.size)).collect();
        {
            let mut y: Vec<&mut [T]> = outputs.iter_mut().map(|y| &mut y[..]).collect();
            call(&name, &mut || function.call(setting.scene(x).constraints(&held), engine, &inputs, &mut y));
        }
        all.extend(declaration.outputs.iter().zip(outputs).map(|(arg, y)| (format!("{name}: {}", arg.name), y)));
    }
    all
}

/// Every function state by state, on a workspace for one state.
pub fn singly<T: Real>(setting: &Setting<'_, T>, ws: &mut Workspace<T>, x: &States<T>) -> Named<T> {
    let mut all: Named<T> = Vec::new();
    for i in 0..x.count {
        for (k, (name, numbers)) in many(setting, ws, &x.slice(i, i + 1)).into_iter().enumerate() {
            if i == 0 {
                all.push((name, Vec::new()));
            } else {
                assert_eq!(all[k].0, name);
            }
            all[k].1.extend(numbers);
        }
    }
    all
}
