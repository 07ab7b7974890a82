//! Identities between algorithms that share little code.

use super::Line;
use super::scale::{self, Condition, Worst};
use super::size::Sizes;
use super::values::{ComplexStep, Values};
use crate::dense::{absolute, dot, identity, magnitudes, matrix, product, row_sizes, sum, times_vector, transposed};
use crate::names::dof_names;
use crate::product::rnea_columns;
use crate::sample::Sample;
use dtau::{Error, ErrorKind, Kinematics, Matrix, Reference, Scene, Workspace};

/// Every identity, with its meaning in words.
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

/// Checks all of them; returns the worst over the samples.
pub fn check(scene: Scene<'_, f64>, samples: &[Sample]) -> Result<Vec<Line>, Error> {
    let (mut all, names) = (CLAIMS.map(|_| Worst::default()), dof_names(scene.model));
    let mut refused = None;
    for (state, x) in samples.iter().enumerate() {
        let mut put = |claim: &'static str, got: &[f64], want: &[f64], scales: &[f64]| {
            let k = CLAIMS.iter().position(|(name, _)| *name == claim).expect("a claim of the list");
            let rows = scales.len();
            all[k].compare(claim, state, &matrix(rows, got), &matrix(rows, want), scales, &names);
        };
        let seen = Seen::of(scene, x)?;
        seen.inverse(&mut put)?;
        match seen.forward(&mut put) {
            Err(error) if error.kind() == ErrorKind::Singular => refused = Some(error.to_string()),
            other => other?,
        }
    }
    let lines = CLAIMS.into_iter().zip(all).map(|((claim, what), worst)| {
        let why = if worst.entry.is_none() { refused.clone() } else { None };
        Line::new(claim, what.into(), worst, why)
    });
    Ok(lines.collect())
}

/// Compares numbers with their expected values, in units of their rows.
type Put<'a> = dyn FnMut(&'static str, &[f64], &[f64], &[f64]) + 'a;

/// Quantities that several identities need at a state.
struct Seen<'a> {
    scene: Scene<'a, f64>,
    x: &'a Sample,
    m: Matrix<f64>,
    id: Values,
    added: Sizes,
    bias: Vec<f64>,
    gravity: Vec<f64>,
    /// Sum of the sizes of a torque's terms: the unit of its error.
    of_torques: Vec<f64>,
}

impl<'a> Seen<'a> {
    fn of(scene: Scene<'a, f64>, x: &'a Sample) -> Result<Self, Error> {
        let first = |name: &str, x: &[&[f64]]| Ok::<_, Error>(Values::named(name, scene, x)?.all.remove(0));
        let (m, added) = (first("crba", &[&x.q])?, Sizes::of(&scene, x)?);
        let (bias, gravity) = (first("bias", &[&x.q, &x.v])?.to_vec(), first("gravity_torques", &[&x.q])?.to_vec());
        let inertial = times_vector(&absolute(&m), &magnitudes(&x.a));
        let torques = sum(&sum(&inertial, &magnitudes(&bias)), &magnitudes(&gravity));
        let of_torques = scale::at_least(&torques, &added.torque);
        let id = Values::named("id_derivatives", scene, &[&x.q, &x.v, &x.a])?;
        Ok(Self { scene, x, m, id, added, bias, gravity, of_torques })
    }

    /// Identities without M⁻¹.
    fn inverse(&self, put: &mut Put<'_>) -> Result<(), Error> {
        let Self { scene, m, id, added, of_torques, .. } = self;
        let (Sample { q, v, a, tau }, n) = (self.x, scene.model.nv());
        // Without damping, friction and springs, which are not part of C and change the energy.
        let still = scene.damping(false).friction(false).springs(false);
        let c = Values::named("coriolis", *scene, &[q, v])?.all.remove(0);
        let still_bias = Values::named("bias", still, &[q, v])?.all.remove(0);
        put("M q̈ + bias = rnea(q̈)", &sum(&times_vector(m, a), &self.bias), tau, of_torques);
        put("C q̇ + g = bias", &sum(&times_vector(&c, v), &self.gravity), &still_bias, of_torques);
        put("M = rnea columns", m, &rnea_columns(*scene, q)?, &scale::of_rows(m, &added.inertia_rows));
        put("M = Mᵀ", m, &transposed(m), &vec![f64::MIN_POSITIVE; n]);
        let both = sum(&c, &transposed(&c));
        let of_c = row_sizes(&matrix(n, &sum(&absolute(&c), &absolute(&transposed(&c)))));
        let rate = ComplexStep::new(&still).along(dtau::function("crba")?, &[q], &[Some(v)])?;
        put("Ṁ = C + Cᵀ", &both, &rate[0], &scale::at_least(&of_c, &added.damping));

        // Directions δ = (q̇, q̈, q̇), and the covector q̇.
        let parts = [(id.get("dtau_dq"), v), (id.get("dtau_dv"), a), (id.get("dtau_da"), v)];
        let terms = of_terms(added, self.x);
        let (mut along, mut sizes) = (vec![0.0; n], vec![0.0; n]);
        for (part, d) in parts {
            along = sum(&along, &times_vector(part, d));
            sizes = sum(&sizes, &times_vector(&absolute(part), &magnitudes(d)));
        }
        let jvp = Values::named("id_jvp", *scene, &[q, v, a, v, a, v])?;
        put("∂τ δ = id_jvp(δ)", &jvp.all[0], &along, &scale::at_least(&sizes, &terms));
        let vjp = Values::named("id_vjp", *scene, &[q, v, a, v])?;
        for ((part, _), got) in parts.iter().zip(&vjp.all) {
            let across = transposed(part);
            let sizes = scale::at_least(&times_vector(&absolute(&across), &magnitudes(v)), &terms);
            put("wᵀ ∂τ = id_vjp(w)", got, &times_vector(&across, v), &sizes);
        }

        let (frames, want) = frame_velocities(*scene, self.x)?;
        put("J q̇ = velocity", &[relative(&frames, &want)], &[0.0], &[1.0]); // in units of the fastest
        let tau = Values::named("rnea", still, &[q, v, a])?.all.remove(0);
        let energy = ComplexStep::new(&still).along(dtau::function("energy")?, &[q, v], &[Some(v), Some(a)])?;
        let rates = [energy[0][0], energy[1][0]];
        let size = dot(&magnitudes(&tau), &magnitudes(v)) + rates[0].abs() + rates[1].abs();
        put("Ė = τ·q̇", &[dot(&tau, v)], &[rates[0] + rates[1]], &[size.max(f64::MIN_POSITIVE)]);
        Ok(())
    }

    /// Identities with M⁻¹, which exists if every body has inertia along its joint.
    fn forward(&self, put: &mut Put<'_>) -> Result<(), Error> {
        let Self { scene, m, id, added, of_torques, .. } = self;
        let (Sample { q, v, a, tau }, n) = (self.x, scene.model.nv());
        let minv = Values::named("minverse", *scene, &[q])?.all.remove(0);
        let qdd = Values::named("aba", *scene, &[q, v, tau])?;
        put("aba(rnea(q̈)) = q̈", &qdd.all[0], a, &times_vector(&absolute(&minv), of_torques));
        put("M⁻¹ = M⁻ᵀ", &minv, &transposed(&minv), &vec![f64::MIN_POSITIVE; n]);
        // |M| |M⁻¹|: maps relative errors of accelerations to those of torques.
        let to_torques = transposed(&Condition::new(m, &minv, &added.inertia).both);
        put("M M⁻¹ = 1", &product(m, &minv), &identity(n), &row_sizes(&to_torques));
        let fd = Values::named("fd_derivatives", *scene, &[q, v, tau])?;
        for (by, added) in [("dq", &added.torque), ("dv", &added.damping)] {
            let (fd, id) = (fd.get(&format!("dqdd_{by}")), id.get(&format!("dtau_{by}")));
            let minus: Vec<f64> = id.iter().map(|x| -x).collect();
            let solved = matrix(n, &product(&absolute(m), &absolute(fd)));
            let sizes = row_sizes(&matrix(n, &product(&to_torques, &solved)));
            put("M ∂q̈ = −∂τ", &product(m, fd), &minus, &scale::at_least(&sizes, added));
        }
        Ok(())
    }
}

/// Sizes of the terms of ∂τ times a direction: the largest of them.
fn of_terms(added: &Sizes, x: &Sample) -> Vec<f64> {
    let (step, rate) = (largest(&x.v), largest(&x.a));
    let term = |i: usize| added.torque[i] * step + added.damping[i] * rate + added.inertia_rows[i] * step;
    let all: Vec<f64> = (0..x.v.len()).map(term).collect();
    vec![largest(&all); x.v.len()]
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()))
}

/// The largest difference, relative to the largest expected number.
fn relative(got: &[f64], want: &[f64]) -> f64 {
    let worst =
        got.iter().zip(want).map(|(g, w)| (g - w).abs()).fold(0.0, |m: f64, d| if d.is_nan() { d } else { m.max(d) });
    worst / largest(want).max(1.0)
}

/// J q̇ and velocities, of all frames.
fn frame_velocities(scene: Scene<'_, f64>, x: &Sample) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let model = scene.model;
    let mut kinematics = Kinematics::new(model);
    kinematics.update(model, &mut Workspace::new(model), &x.q, &x.v, &x.a)?;
    let mut j = Matrix::zeros(6, model.nv());
    let (mut got, mut want) = (Vec::new(), Vec::new());
    for frame in model.frame_ids() {
        kinematics.placements().jacobian(frame, Reference::Local, &mut j)?;
        got.extend(times_vector(&j, &x.v));
        want.extend(kinematics.velocity(frame, Reference::Local).to_array());
    }
    Ok((got, want))
}
