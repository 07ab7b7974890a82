//! What the tests of forward dynamics share: states of random trees, oracles, and comparisons that say where they failed.

pub mod double_double;

use dtau::Random;
use dtau::model::{Description, MimicMode, Model, Options, Root};
use dtau::scalar::{Complex, Dual, Real};
use dtau::spatial::{Force, Vec3};
use dtau_methods::{FdMethod, InverseMethod, TreeState, aba, crba, inverse_dense};

/// A robot and a state of it. Mimicking joints are free, so the coordinates of the tree are those of the model.
pub struct Case {
    pub name: String,
    pub model: Model,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
    pub external: Vec<Force<f64>>,
    pub armature: Vec<f64>,
}

impl Case {
    /// A random state under random forces, with the armature of the description.
    pub fn new(description: &Description, root: Root, seed: u64) -> Self {
        let options = Options { root, mimic: MimicMode::Free, gravity: [1.0, -2.0, -9.0], ..Options::default() };
        let model = Model::build(description, &options).expect("a robot made by rule");
        let random = &mut Random::seeded(seed);
        let q = model.random_configuration(random);
        let mut numbers = |n: usize| (0..n).map(|_| random.within(-1.0, 1.0)).collect::<Vec<f64>>();
        let (v, tau) = (numbers(model.nv()), numbers(model.nv()));
        let external = (0..=model.body_count()).map(|_| Force::from_array(numbers(6).try_into().unwrap())).collect();
        let armature = model.tree().dofs.iter().map(|dof| dof.armature).collect();
        let name = format!("{}, {root:?}, seed {seed}", model.name());
        Self { name, model, q, v, tau, external, armature }
    }

    pub fn nv(&self) -> usize {
        self.v.len()
    }

    /// Runs something on this state in any scalar, `q` and `v` being given in it.
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
        self.on(&lift(&self.q), &lift(&self.v), |state| method(state, &mut minv));
        minv
    }

    pub fn mass_matrix<T: Real>(&self) -> Vec<T> {
        let mut m = poison(self.nv() * self.nv());
        self.on(&lift(&self.q), &lift(&self.v), |state| crba(state, &mut m));
        m
    }

    pub fn derivatives<T: Real>(&self, method: FdMethod<T>) -> Derivatives<T> {
        let n = self.nv();
        let (mut qdd, mut dq, mut dv, mut dtau) = (poison(n), poison(n * n), poison(n * n), poison(n * n));
        self.on(&lift(&self.q), &lift(&self.v), |state| {
            method(state, &lift(&self.tau), &mut qdd, &mut dq, &mut dv, &mut dtau);
        });
        Derivatives { qdd, dq, dv, dtau }
    }

    /// Forward dynamics, and its derivatives by any scalar that differentiates: `step` is the scalar whose derivative part
    /// is one unit, `part` reads that part, `real` the value.
    fn differentiated<T: Real>(&self, step: T, real: fn(T) -> f64, part: fn(T) -> f64) -> Derivatives<f64> {
        let n = self.nv();
        let (q, v, tau) = (lift::<T>(&self.q), lift::<T>(&self.v), lift::<T>(&self.tau));
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

    /// ‖ |M⁻¹| |M| ‖∞, the condition number that does not depend on the units of rows: how many times the relative error
    /// of the entries of M a solution of M x = b can lose.
    pub fn condition(&self) -> f64 {
        let (n, m, minv) = (self.nv(), self.mass_matrix::<f64>(), self.inverse::<f64>(inverse_dense));
        let row = |i: usize| {
            (0..n).map(|j| (0..n).map(|k| (minv[k * n + i] * m[j * n + k]).abs()).sum::<f64>()).sum::<f64>()
        };
        (0..n).map(row).fold(1.0, f64::max)
    }
}

/// Small enough that its square vanishes beside any number of ours, and far from underflow.
const STEP: f64 = 1e-100;

/// What a method of forward dynamics gives.
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
        [("qdd", &self.qdd), ("ddq_dq", &self.dq), ("ddq_dv", &self.dv), ("ddq_dtau", &self.dtau)]
    }
}

/// Constants in any scalar.
pub fn lift<T: Real>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x)).collect()
}

/// An output that a method has to fill completely.
fn poison<T: Real>(n: usize) -> Vec<T> {
    vec![T::from_f64(f64::NAN); n]
}

/// The largest magnitude in each of `n` rows of a matrix by columns.
pub fn row_scales(n: usize, matrix: &[f64]) -> Vec<f64> {
    (0..n).map(|i| matrix.iter().skip(i).step_by(n).fold(0.0, |scale, x| x.abs().max(scale))).collect()
}

/// Every entry within `tolerance` of the largest magnitude of its row. Returns the largest share of it that was used.
#[track_caller]
pub fn assert_rows_close(n: usize, got: &[f64], want: &[f64], tolerance: f64, what: &str) -> f64 {
    assert_eq!(got.len(), want.len(), "{what}");
    let scales = row_scales(n, want);
    let mut worst = 0.0f64;
    for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
        let (i, j) = (at % n, at / n);
        let (difference, allowed) = ((got - want).abs(), tolerance * scales[i]);
        assert!(
            difference <= allowed,
            "{what} at ({i}, {j}): got {got:e}, want {want:e}, difference {difference:e} > {allowed:e}"
        );
        worst = worst.max(if difference == 0.0 { 0.0 } else { difference / allowed });
    }
    worst
}

/// Term by term: the root of the mean of the squared relative errors, over the entries that are not zero.
pub fn rms_relative_error(got: &[f64], want: &[f64]) -> f64 {
    let squares = got.iter().zip(want).filter(|(_, want)| **want != 0.0).map(|(g, w)| ((g - w) / w).powi(2));
    let (count, sum) = squares.fold((0, 0.0), |(count, sum), square| (count + 1, sum + square));
    (sum / f64::from(count.max(1))).sqrt()
}
