//! What the tests of forward dynamics share: states of random trees, oracles, and comparisons that say where they failed.

#![allow(dead_code)] // each test crate takes what it needs

pub mod double_double;

use dtau::Random;
use dtau::model::{Description, MimicMode, Model, Options, Root};
use dtau::scalar::{Complex, Dual, Real};
use dtau::spatial::{Force, Vec3};
use dtau_methods::aba_plain::aba;
use dtau_methods::crba_plain::crba;
use dtau_methods::{FdMethod, IdMethod, InverseMethod, TreeState};

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

    /// ∂ID/∂q and ∂ID/∂q̇.
    pub fn id_derivatives(&self, method: IdMethod<f64>, qdd: &[f64]) -> [Vec<f64>; 2] {
        let n = self.nv();
        let (mut tau, mut dq, mut dv, mut da) = (poison(n), poison(n * n), poison(n * n), poison(n * n));
        self.on(&self.q, &self.v, |state| method(state, qdd, &mut tau, &mut dq, &mut dv, &mut da));
        [dq, dv]
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

    /// How much of the state's own size an error may be, row by row: the largest entry of |M⁻¹| |M| |X| in each row of X.
    ///
    /// A column of ∂FD, like q̈ and a column of M⁻¹, solves M x = b. Rounding each entry of M and b once, relatively by ε,
    /// moves x by at most 2 ε |M⁻¹| |M| |x|, entry by entry (Skeel): this holds the conditioning of M, does not depend on
    /// units, and no method can promise less. Entries of X below `floor` count as `floor`: where terms of that order cancel,
    /// as for a pendulum, whose acceleration does not depend on its velocity, what is left is their rounding.
    pub fn scales(&self, x: &[f64], floor: f64) -> Vec<f64> {
        scales(self.nv(), &self.condition(), x, floor)
    }

    /// |M⁻¹| |M|.
    pub fn condition(&self) -> Vec<f64> {
        let minv = self.inverse::<f64>(dtau_methods::inverse_dense::inverse);
        product(self.nv(), &absolute(&minv), &absolute(&self.mass_matrix()))
    }

    /// ‖ |M⁻¹| |M| ‖∞: the condition number of M that does not depend on the units of rows.
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

/// Runs a test with room for the library's kernels on eight dual numbers: compiled without optimisation, an inlined kernel keeps
/// every intermediate result in its frame, which is then larger than the 2 MB of a test's thread.
pub fn on_a_large_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
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

/// See [`Case::scales`]; `condition` is |M⁻¹| |M|.
pub fn scales(n: usize, condition: &[f64], x: &[f64], floor: f64) -> Vec<f64> {
    let magnitudes: Vec<f64> = x.iter().map(|x| x.abs().max(floor)).collect();
    largest_in_rows(n, &product(n, condition, &magnitudes))
}

/// `A B` by columns; `A` is n × n.
pub fn product(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let entry = |i: usize, column: &[f64]| (0..n).map(|k| a[k * n + i] * column[k]).sum();
    b.chunks_exact(n).flat_map(|column| (0..n).map(move |i| entry(i, column))).collect()
}

pub fn absolute(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.abs()).collect()
}

/// The largest magnitude in each of `n` rows of a matrix by columns.
pub fn largest_in_rows(n: usize, x: &[f64]) -> Vec<f64> {
    (0..n).map(|i| x.iter().skip(i).step_by(n).fold(0.0, |scale, x| x.abs().max(scale))).collect()
}

/// Every entry within `tolerance` of the scale of its row. Returns the largest difference in units of the scales.
#[track_caller]
pub fn assert_rows_close(got: &[f64], want: &[f64], scales: &[f64], tolerance: f64, what: &str) -> f64 {
    assert_eq!(got.len(), want.len(), "{what}");
    let n = scales.len();
    let mut worst = 0.0f64;
    for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
        let (i, j) = (at % n, at / n);
        let (difference, allowed) = ((got - want).abs(), tolerance * scales[i]);
        assert!(
            difference <= allowed,
            "{what} at ({i}, {j}): got {got:e}, want {want:e}, difference {difference:e} > {allowed:e}"
        );
        worst = worst.max(if difference == 0.0 { 0.0 } else { difference / scales[i] });
    }
    worst
}
