//! The methods of the papers, on states of bare trees, and their oracles.

use crate::matrices::{condition, scales};
use crate::random::note_seed;
use crate::states::{State, numbers};
use crate::steps::{STEP, lift};
use dtau::Random;
use dtau::model::{Description, MimicMode, Model, Options, Root};
use dtau::scalar::{Complex, Dual, Real};
use dtau::spatial::{Force, Vec3};
use dtau_methods::aba_plain::aba;
use dtau_methods::crba_plain::crba;
use dtau_methods::{FdMethod, IdMethod, InverseMethod, TreeState};

/// A robot and a state. Mimicking joints are free, so the coordinates of the tree are those of the model.
pub struct TreeCase {
    pub name: String,
    pub model: Model,
    pub x: State,
    pub external: Vec<Force<f64>>,
    pub armature: Vec<f64>,
}

impl TreeCase {
    /// A random state under random forces, with the armature of the description.
    pub fn new(description: &Description, root: Root, seed: u64) -> Self {
        note_seed(seed);
        let options = Options { root, mimic: MimicMode::Free, gravity: [1.0, -2.0, -9.0], ..Options::default() };
        let model = Model::build(description, &options).expect("a robot made by rule");
        let random = &mut Random::seeded(seed);
        let x = State::draw(&model, random);
        let mut force = || Force::from_array(numbers(random, 6).try_into().unwrap());
        let external = (0..=model.body_count()).map(|_| force()).collect();
        let armature = model.tree().dofs.iter().map(|dof| dof.armature).collect();
        let name = format!("{}, {root:?}, seed {seed}", model.name());
        Self { name, model, x, external, armature }
    }

    pub fn nv(&self) -> usize {
        self.model.nv()
    }

    /// Calls `run` with this state in any scalar; `q` and `v` are given in it.
    pub fn on<T: Real, R>(&self, q: &[T], v: &[T], run: impl FnOnce(&TreeState<'_, T>) -> R) -> R {
        let external: Vec<_> = self.external.iter().map(|&f| Force::lift(f)).collect();
        run(&TreeState {
            tree: self.model.tree(),
            q,
            v,
            gravity: Vec3::lift(self.model.gravity().into()),
            external: &external,
            armature: &lift(&self.armature),
        })
    }

    pub fn inverse<T: Real>(&self, method: InverseMethod<T>) -> Vec<T> {
        let mut minv = poison(self.nv() * self.nv());
        self.on(&lift(&self.x.q), &lift(&self.x.v), |state| method(state, &mut minv));
        minv
    }

    pub fn mass_matrix<T: Real>(&self) -> Vec<T> {
        let mut m = poison(self.nv() * self.nv());
        self.on(&lift(&self.x.q), &lift(&self.x.v), |state| crba(state, &mut m));
        m
    }

    pub fn derivatives<T: Real>(&self, method: FdMethod<T>) -> Derivatives<T> {
        let n = self.nv();
        let (mut qdd, mut dq, mut dv, mut dtau) = (poison(n), poison(n * n), poison(n * n), poison(n * n));
        self.on(&lift(&self.x.q), &lift(&self.x.v), |state| {
            method(state, &lift(self.x.tau()), &mut qdd, &mut dq, &mut dv, &mut dtau);
        });
        Derivatives { qdd, dq, dv, dtau }
    }

    /// ∂ID/∂q and ∂ID/∂q̇.
    pub fn id_derivatives(&self, method: IdMethod<f64>, qdd: &[f64]) -> [Vec<f64>; 2] {
        let n = self.nv();
        let (mut tau, mut dq, mut dv, mut da) = (poison(n), poison(n * n), poison(n * n), poison(n * n));
        self.on(&self.x.q, &self.x.v, |state| method(state, qdd, &mut tau, &mut dq, &mut dv, &mut da));
        [dq, dv]
    }

    /// Forward dynamics, and its derivatives by any scalar that differentiates. `step` is the scalar with one
    /// unit in its derivative part, `part` reads that part, `real` the value.
    fn differentiated<T: Real>(&self, step: T, real: fn(T) -> f64, part: fn(T) -> f64) -> Derivatives<f64> {
        let n = self.nv();
        let (q, v, tau) = (lift::<T>(&self.x.q), lift::<T>(&self.x.v), lift::<T>(self.x.tau()));
        let forward = |q: &[T], v: &[T], tau: &[T]| {
            let mut qdd = vec![T::zero(); n];
            self.on(q, v, |state| aba(state, tau, &mut qdd));
            qdd
        };
        let plus = |x: &[T], c: usize| {
            let mut x = x.to_vec();
            x[c] += step;
            x
        };
        let moved = |c: usize| {
            let mut out = q.clone();
            self.model.integrate(&q, &plus(&vec![T::zero(); n], c), &mut out).unwrap();
            out
        };
        let parts = |column: Vec<T>| column.into_iter().map(part);
        Derivatives {
            qdd: forward(&q, &v, &tau).into_iter().map(real).collect(),
            dq: (0..n).flat_map(|c| parts(forward(&moved(c), &v, &tau))).collect(),
            dv: (0..n).flat_map(|c| parts(forward(&q, &plus(&v, c), &tau))).collect(),
            dtau: (0..n).flat_map(|c| parts(forward(&q, &v, &plus(&tau, c)))).collect(),
        }
    }

    pub fn by_complex_step(&self) -> Derivatives<f64> {
        self.differentiated(Complex::new(0.0, STEP), |x| x.re, |x| x.im / STEP)
    }

    pub fn by_dual_numbers(&self) -> Derivatives<f64> {
        self.differentiated(Dual::new(0.0, [1.0]), |x: Dual| x.re, |x| x.eps[0])
    }

    /// Error scale of X by rows: [`scales`].
    pub fn scales(&self, x: &[f64], floor: f64) -> Vec<f64> {
        scales(self.nv(), &self.condition(), x, floor)
    }

    /// |M⁻¹| |M|.
    pub fn condition(&self) -> Vec<f64> {
        let minv = self.inverse::<f64>(dtau_methods::inverse_dense::inverse);
        condition(self.nv(), &self.mass_matrix(), &minv)
    }

    /// ‖ |M⁻¹| |M| ‖∞: a condition number of M that does not depend on the units of rows.
    pub fn condition_number(&self) -> f64 {
        let (n, condition) = (self.nv(), self.condition());
        (0..n).map(|i| condition.iter().skip(i).step_by(n).sum()).fold(1.0, f64::max)
    }
}

pub fn inverse_methods<T: Real>() -> [(&'static str, InverseMethod<T>); 4] {
    [
        ("inverse_dedicated", dtau_methods::inverse_dedicated::inverse),
        ("inverse_cholesky", dtau_methods::inverse_cholesky::inverse),
        ("inverse_aza", dtau_methods::inverse_aza::inverse),
        ("inverse_dense", dtau_methods::inverse_dense::inverse),
    ]
}

pub fn id_methods<T: Real>() -> Vec<(&'static str, IdMethod<T>)> {
    vec![
        ("idsva_printed", dtau_methods::idsva_printed::id_derivatives),
        ("rneacr", dtau_methods::rneacr::id_derivatives),
    ]
}

pub fn fd_methods<T: Real>() -> Vec<(&'static str, FdMethod<T>)> {
    vec![
        ("abacr", dtau_methods::abacr::fd_derivatives),
        ("fdcr", dtau_methods::fdcr::fd_derivatives),
        ("pinocchio_style", dtau_methods::fd_pinocchio_style::fd_derivatives),
        ("fdsva_dmm", dtau_methods::fdsva::dmm),
        ("fdsva_aza", dtau_methods::fdsva::aza),
        ("fdsva_ltdl", dtau_methods::fdsva::ltdl),
        ("response", dtau_methods::response::fd_derivatives),
    ]
}

/// Results of a method of forward dynamics.
pub struct Derivatives<T> {
    pub qdd: Vec<T>,
    pub dq: Vec<T>,
    pub dv: Vec<T>,
    pub dtau: Vec<T>,
}

impl<T> Derivatives<T> {
    pub fn map<S>(&self, f: impl Fn(&T) -> S) -> Derivatives<S> {
        let all = |x: &[T]| x.iter().map(&f).collect();
        Derivatives { qdd: all(&self.qdd), dq: all(&self.dq), dv: all(&self.dv), dtau: all(&self.dtau) }
    }

    pub fn named(&self) -> [(&'static str, &[T]); 4] {
        [("qdd", &self.qdd), ("dqdd_dq", &self.dq), ("dqdd_dv", &self.dv), ("dqdd_dtau", &self.dtau)]
    }
}

/// Initial values of an output that a method must fill completely.
fn poison<T: Real>(n: usize) -> Vec<T> {
    vec![T::from_f64(f64::NAN); n]
}
