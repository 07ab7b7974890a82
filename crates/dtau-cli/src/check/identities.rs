//! Identities between algorithms that share little.

use super::names::dof_names;
use super::scale::{self, Condition, Entry, Worst};
use super::size::Sizes;
use crate::dense::{absolute, dot, identity, matrix, product, row_sizes, sum, times_vector, transposed};
use crate::sample::Sample;
use crate::work::without_wrenches;
use dtau::scalar::{Complex, Real};
use dtau::{
    Energy, Error, ErrorKind, FdDerivatives, IdDerivatives, IdGradientMut, IdTangent, Kinematics, Matrix, Reference,
    Scene, Workspace,
};
use serde::Serialize;

/// An identity on this robot.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub claim: &'static str,
    pub what: &'static str,
    pub good: bool,
    /// Why it could not be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Entry>,
}

/// Every identity: what it says, in words.
const CLAIMS: [(&str, &str); 13] = [
    ("aba(rnea(q̈)) = q̈", "forward dynamics inverts inverse dynamics"),
    ("M q̈ + bias = rnea(q̈)", "torques are linear in accelerations"),
    ("C q̇ + g = bias", "Coriolis matrix and gravity make the bias"),
    ("M = rnea columns", "the mass matrix is RNEA of unit accelerations"),
    ("M = Mᵀ", "to the last bit"),
    ("M⁻¹ = M⁻ᵀ", "to the last bit"),
    ("M M⁻¹ = 1", "the inverse is one"),
    ("Ṁ = C + Cᵀ", "the rate of the mass matrix, by complex step"),
    ("M ∂q̈ = −∂τ", "derivatives of forward and inverse dynamics belong together"),
    ("∂τ δ = id_jvp(δ)", "products without the matrices"),
    ("wᵀ ∂τ = id_vjp(w)", "and from the left"),
    ("J q̇ = velocity", "Jacobians of all frames"),
    ("Ė = τ·q̇", "power balance, by complex step"),
];

/// All of them, the worst over the samples.
pub fn check(scene: Scene<'_, f64>, samples: &[Sample]) -> Result<Vec<Line>, Error> {
    let mut all: Vec<Worst> = CLAIMS.iter().map(|_| Worst::default()).collect();
    let mut refused = None;
    let mut trial = Trial::new(scene);
    for (k, x) in samples.iter().enumerate() {
        trial.state = k;
        trial.run(x, &mut all, &mut refused)?;
    }
    let lines = CLAIMS.into_iter().zip(all).map(|((claim, what), worst)| {
        let why = if worst.entry.is_none() { refused.clone() } else { None };
        let error = why.is_none().then_some(worst.error);
        Line { claim, what, good: why.is_some() || worst.is_good(), why, error, worst: worst.entry }
    });
    Ok(lines.collect())
}

struct Trial<'a> {
    scene: Scene<'a, f64>,
    /// Without resistance, which is no part of C and takes energy.
    still: Scene<'a, f64>,
    ws: Workspace,
    names: Vec<String>,
    state: usize,
}

impl<'a> Trial<'a> {
    fn new(scene: Scene<'a, f64>) -> Self {
        let still = scene.damping(false).friction(false).springs(false);
        Self { scene, still, ws: Workspace::new(scene.model), names: dof_names(scene.model), state: 0 }
    }

    fn run(&mut self, x: &Sample, all: &mut [Worst], refused: &mut Option<String>) -> Result<(), Error> {
        let (scene, still, model) = (self.scene, self.still, self.scene.model);
        let (n, state) = (model.nv(), self.state);
        let Sample { q, v, a, tau } = x;
        let [mut m, mut c, mut minv] = [(); 3].map(|()| Matrix::zeros(n, n));
        let [mut bias, mut still_bias, mut gravity, mut qdd] = [(); 4].map(|()| vec![0.0; n]);
        let mut id = IdDerivatives::new(model);
        {
            let ws = &mut self.ws;
            dtau::crba(scene, ws, q, &mut m)?;
            dtau::bias(scene, ws, q, v, &mut bias)?;
            dtau::bias(still, ws, q, v, &mut still_bias)?;
            dtau::gravity_torques(scene, ws, q, &mut gravity)?;
            dtau::coriolis(model, ws, q, v, &mut c)?;
            dtau::id_derivatives(scene, ws, q, v, a, &mut id)?;
        }
        let added = Sizes::of(&scene, x)?;
        // What adds up to a torque: the unit of its error.
        let inertial = times_vector(&absolute(&m), &magnitudes(a));
        let torques = sum(&sum(&inertial, &magnitudes(&bias)), &magnitudes(&gravity));
        let of_torques = scale::at_least(&torques, &added.torque);
        let mut put = |claim: &'static str, got: &[f64], want: &[f64], scales: &[f64]| {
            let worst = CLAIMS.iter().zip(&mut *all).find(|((name, _), _)| *name == claim).map(|(_, worst)| worst);
            let (worst, rows) = (worst.expect("a claim of the list"), scales.len());
            worst.compare(claim, state, &matrix(rows, got), &matrix(rows, want), scales, &self.names);
        };

        put("M q̈ + bias = rnea(q̈)", &sum(&times_vector(&m, a), &bias), tau, &of_torques);
        put("C q̇ + g = bias", &sum(&times_vector(&c, v), &gravity), &still_bias, &of_torques);
        put("M = rnea columns", &m, &rnea_columns(scene, &mut self.ws, q)?, &scale::of_rows(&m, &added.inertia_rows));
        put("M = Mᵀ", &m, &transposed(&m), &vec![f64::MIN_POSITIVE; n]);
        let of_c = row_sizes(&matrix(n, &sum(&absolute(&c), &absolute(&transposed(&c)))));
        put(
            "Ṁ = C + Cᵀ",
            &sum(&c, &transposed(&c)),
            &inertia_rate(still, q, v)?,
            &scale::at_least(&of_c, &added.damping),
        );
        let (along, (want, sizes)) = jvp(scene, &mut self.ws, x, &id)?;
        let terms = of_terms(&added, x);
        put("∂τ δ = id_jvp(δ)", &along, &want, &scale::at_least(&sizes, &terms));
        for (got, (want, sizes)) in vjp(scene, &mut self.ws, x, &id)? {
            put("wᵀ ∂τ = id_vjp(w)", &got, &want, &scale::at_least(&sizes, &terms));
        }
        let (frames, want) = frame_velocities(scene, &mut self.ws, x)?;
        put("J q̇ = velocity", &[relative(&frames, &want)], &[0.0], &[1.0]); // not torques: in units of the fastest
        let (power, rate, size) = power_balance(still, &mut self.ws, x)?;
        put("Ė = τ·q̇", &[power], &[rate], &[size]);

        match dtau::minverse(scene, &mut self.ws, q, &mut minv) {
            Err(error) if error.kind() == ErrorKind::Singular => *refused = Some(error.to_string()),
            Err(error) => return Err(error),
            Ok(()) => {
                dtau::aba(scene, &mut self.ws, q, v, tau, &mut qdd)?;
                let of_qdd: Vec<f64> = times_vector(&absolute(&minv), &of_torques);
                put("aba(rnea(q̈)) = q̈", &qdd, a, &of_qdd);
                put("M⁻¹ = M⁻ᵀ", &minv, &transposed(&minv), &vec![f64::MIN_POSITIVE; n]);
                // |M| |M⁻¹|: what an error in accelerations comes to in torques, relative to them.
                let to_torques = transposed(&Condition::new(&m, &minv, &added.inertia).both);
                put("M M⁻¹ = 1", &product(&m, &minv), &identity(n), &row_sizes(&to_torques));
                let mut fd = FdDerivatives::new(model);
                dtau::fd_derivatives(scene, &mut self.ws, q, v, tau, &mut fd)?;
                for (fd, id, added) in
                    [(&fd.dqdd_dq, &id.dtau_dq, &added.torque), (&fd.dqdd_dv, &id.dtau_dv, &added.damping)]
                {
                    let minus: Vec<f64> = id.iter().map(|x| -x).collect();
                    let solved = matrix(n, &product(&absolute(&m), &absolute(fd)));
                    let sizes = row_sizes(&matrix(n, &product(&to_torques, &solved)));
                    put("M ∂q̈ = −∂τ", &product(&m, fd), &minus, &scale::at_least(&sizes, added));
                }
            }
        }
        Ok(())
    }
}

fn magnitudes(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.abs()).collect()
}

/// What is added up for ∂τ times a direction, or a row of it: the largest of its parts.
fn of_terms(added: &Sizes, x: &Sample) -> Vec<f64> {
    let (step, rate) = (largest_of(&x.v), largest_of(&x.a));
    let term = |i: usize| added.torque[i] * step + added.damping[i] * rate + added.inertia_rows[i] * step;
    let all: Vec<f64> = (0..x.v.len()).map(term).collect();
    vec![largest_of(&all); x.v.len()]
}

fn largest_of(x: &[f64]) -> f64 {
    x.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()))
}

/// The largest difference, relative to the largest number wanted.
fn relative(got: &[f64], want: &[f64]) -> f64 {
    let worst =
        got.iter().zip(want).map(|(g, w)| (g - w).abs()).fold(0.0, |m: f64, d| if d.is_nan() { d } else { m.max(d) });
    worst / largest_of(want).max(1.0)
}

/// The mass matrix, a column at a time: the torques of each unit acceleration, at rest and without gravity and springs.
fn rnea_columns(scene: Scene<'_, f64>, ws: &mut Workspace, q: &[f64]) -> Result<Vec<f64>, Error> {
    let (n, weightless) = (scene.model.nv(), scene.gravity([0.0; 3]).springs(false));
    let (mut columns, rest) = (vec![0.0; n * n], vec![0.0; n]);
    for (j, column) in columns.chunks_exact_mut(n).enumerate() {
        let mut unit = rest.clone();
        unit[j] = 1.0;
        dtau::rnea(weightless, ws, q, &rest, &unit, column)?;
    }
    Ok(columns)
}

/// A step small enough that its square is nothing.
const H: f64 = 1e-30;

fn real(x: &[f64]) -> Vec<Complex> {
    x.iter().copied().map(Complex::from_f64).collect()
}

fn imaginary(x: &[f64], dx: &[f64]) -> Vec<Complex> {
    x.iter().zip(dx).map(|(&x, &dx)| Complex::new(x, H * dx)).collect()
}

/// `q ⊕ i h v`.
fn moved(scene: Scene<'_, f64>, q: &[f64], v: &[f64]) -> Result<Vec<Complex>, Error> {
    let (from, mut to) = (real(q), real(q));
    scene.model.integrate(&from, &imaginary(&vec![0.0; v.len()], v), &mut to)?;
    Ok(to)
}

/// Ṁ along the velocity.
fn inertia_rate(scene: Scene<'_, f64>, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Error> {
    let n = scene.model.nv();
    let mut m = vec![Complex::from_f64(0.0); n * n];
    let mut ws = Workspace::<Complex>::new(scene.model);
    dtau::crba(without_wrenches::<Complex>(&scene), &mut ws, &moved(scene, q, v)?, &mut m)?;
    Ok(m.into_iter().map(|x| x.im / H).collect())
}

/// A result and the size of what was added up for it.
type Sized = (Vec<f64>, Vec<f64>);

fn jvp(
    scene: Scene<'_, f64>,
    ws: &mut Workspace,
    x: &Sample,
    id: &IdDerivatives<f64>,
) -> Result<(Vec<f64>, Sized), Error> {
    let mut out = vec![0.0; x.v.len()];
    dtau::id_jvp(scene, ws, &x.q, &x.v, &x.a, IdTangent { dq: &x.v, dv: &x.a, da: &x.v }, &mut out)?;
    let terms = [(&id.dtau_dq, &x.v), (&id.dtau_dv, &x.a), (&id.dtau_da, &x.v)];
    let mut want = (vec![0.0; x.v.len()], vec![0.0; x.v.len()]);
    for (matrix, direction) in terms {
        want.0 = sum(&want.0, &times_vector(matrix, direction));
        want.1 = sum(&want.1, &times_vector(&absolute(matrix), &magnitudes(direction)));
    }
    Ok((out, want))
}

fn vjp(
    scene: Scene<'_, f64>,
    ws: &mut Workspace,
    x: &Sample,
    id: &IdDerivatives<f64>,
) -> Result<[(Vec<f64>, Sized); 3], Error> {
    let [mut q, mut v, mut a] = [(); 3].map(|()| vec![0.0; x.v.len()]);
    let w = &x.v;
    dtau::id_vjp(scene, ws, &x.q, &x.v, &x.a, w, IdGradientMut { dq: &mut q, dv: &mut v, da: &mut a })?;
    let want = |m: &Matrix<f64>| {
        let m = transposed(m);
        (times_vector(&m, w), times_vector(&absolute(&m), &magnitudes(w)))
    };
    Ok([(q, want(&id.dtau_dq)), (v, want(&id.dtau_dv)), (a, want(&id.dtau_da))])
}

/// J q̇ and velocities, of all frames.
fn frame_velocities(scene: Scene<'_, f64>, ws: &mut Workspace, x: &Sample) -> Result<Sized, Error> {
    let model = scene.model;
    let mut kinematics = Kinematics::new(model);
    kinematics.update(model, ws, &x.q, &x.v, &x.a)?;
    let mut j = Matrix::zeros(6, model.nv());
    let (mut got, mut want) = (Vec::new(), Vec::new());
    for frame in model.frame_ids() {
        kinematics.placements().jacobian(frame, Reference::Local, &mut j)?;
        got.extend(times_vector(&j, &x.v));
        want.extend(kinematics.velocity(frame, Reference::Local).to_array());
    }
    Ok((got, want))
}

/// τ·q̇, Ė, and the size of their terms.
fn power_balance(scene: Scene<'_, f64>, ws: &mut Workspace, x: &Sample) -> Result<(f64, f64, f64), Error> {
    let mut tau = vec![0.0; x.v.len()];
    dtau::rnea(scene, ws, &x.q, &x.v, &x.a, &mut tau)?;
    let mut ws = Workspace::<Complex>::new(scene.model);
    let (q, v, mut energy) = (moved(scene, &x.q, &x.v)?, imaginary(&x.v, &x.a), Energy::default());
    dtau::energy(without_wrenches::<Complex>(&scene), &mut ws, &q, &v, &mut energy)?;
    let rates = (energy.kinetic.im / H, energy.potential.im / H);
    let size = dot(&magnitudes(&tau), &magnitudes(&x.v)) + rates.0.abs() + rates.1.abs();
    Ok((dot(&tau, &x.v), rates.0 + rates.1, size.max(f64::MIN_POSITIVE)))
}
