//! `dtau` without arguments: the dynamics of the bundled humanoid at a random state, checked against each other and timed.

use crate::dense::{dot, identity, product, sum, times_vector};
use crate::failure::Failure;
use crate::methods;
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use dtau::model::{Model, Options, Root};
use dtau::scalar::Complex;
use dtau::{Error, FdDerivatives, IdDerivatives, Kinematics, Matrix, Random, Reference, Scene, Workspace};
use std::hint::black_box;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long each algorithm is timed.
const BUDGET: Duration = Duration::from_millis(25);

/// Relative errors above this are no rounding.
const TOLERANCE: f64 = 1e-9;

pub fn run(out: &mut impl Write) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let model = Model::bundled("humanoid", &Options { root: Root::Floating, ..Options::default() })?;
    let loaded = start.elapsed();
    let x = State::random(&model, 7);
    let lines = lines(&model, &x)?;
    let good = lines.iter().all(Line::is_good);

    writeln!(out, "{}  rigid-body dynamics and their exact derivatives", Style::Bold.paint("dtau"))?;
    writeln!(out)?;
    let size = format!("{} degrees of freedom, {} bodies, {:.1} kg", model.nv(), model.body_count(), model.mass());
    writeln!(out, "{}  {size}, free-flying; loaded in {}", Style::Bold.paint("humanoid"), time(loaded))?;
    writeln!(out, "at a random state, on one core:")?;
    writeln!(out)?;
    let mut table = Table::new([Align::Left, Align::Left, Align::Right, Align::Left, Align::Right, Align::Right]);
    table.head(["", "", "size", "checked by", "error", "time"]);
    for line in &lines {
        let verdict = if line.is_good() { Style::Good } else { Style::Bad };
        table.row([
            Cell::new(line.name).bold(),
            Cell::new(line.what),
            Cell::new(line.size.as_str()).dim(),
            Cell::new(line.claim),
            Cell::new(format!("{:.0e}", line.error)).styled(verdict),
            Cell::new(time(line.time)),
        ]);
    }
    table.indent("  ").write(out)?;
    writeln!(out)?;
    let good = methods::compare(out, &model, &x.q, &x.v, &x.a)? && good;
    writeln!(out)?;
    if good {
        writeln!(out, "{} every result agrees with the others", Style::Good.paint("✓"))?;
    } else {
        writeln!(out, "{} results disagree: please report this", Style::Bad.paint("✗"))?;
    }
    writeln!(out)?;
    writeln!(out, "{NEXT}")?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

const NEXT: &str = "\
Next:
  dtau robots                                   the bundled robots
  dtau info humanoid --root floating            a tree of joints, sizes, masses
  dtau info path/to/robot.urdf                  the same for a robot of yours
  echo '{\"q\": [0.3, -0.5], \"v\": [1, 2], \"a\": [0, 0]}' |
    dtau eval double_pendulum --state - --what rnea,crba --format table
  dtau eval --help                              everything that can be evaluated
  dtau check path/to/robot.urdf                 are the derivatives of a robot of yours right, and how fast?
  dtau paper --quick                            every figure and table of the papers, beside what they say";

/// An algorithm: what it gives, how that was checked, how long it takes.
struct Line {
    name: &'static str,
    what: &'static str,
    size: String,
    claim: &'static str,
    /// The largest difference relative to the largest number.
    error: f64,
    time: Duration,
}

impl Line {
    /// Not for NaN either.
    fn is_good(&self) -> bool {
        self.error <= TOLERANCE
    }
}

/// A random state.
struct State {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl State {
    fn random(model: &Model, seed: u64) -> Self {
        let random = &mut Random::seeded(seed);
        let q = model.random_configuration(random);
        let mut vector = |size: f64| (0..model.nv()).map(|_| random.within(-size, size)).collect();
        Self { q, v: vector(1.0), a: vector(10.0) }
    }
}

fn lines(model: &Model, State { q, v, a }: &State) -> Result<Vec<Line>, Error> {
    let ws = &mut Workspace::new(model);
    let nv = model.nv();
    let vector = || vec![0.0; nv];
    let square = || Matrix::zeros(nv, nv);
    // Resistance makes C v + g = bias and the power balance longer, and no stronger.
    let scene: Scene<f64> = model.scene().damping(false).friction(false);

    let (mut tau, mut bias, mut gravity, mut qdd) = (vector(), vector(), vector(), vector());
    let (mut m, mut minv, mut c) = (square(), square(), square());
    let mut derivatives = IdDerivatives::new(model);
    let mut forward = FdDerivatives::new(model);
    let mut kinematics = Kinematics::new(model);
    let (mut com_jacobian, mut centroidal) = (Matrix::zeros(3, nv), Matrix::zeros(6, nv));

    let times = [
        best_time(|| dtau::rnea(scene, ws, q, v, a, &mut tau))?,
        best_time(|| dtau::aba(scene, ws, q, v, &tau, &mut qdd))?,
        best_time(|| dtau::crba(scene, ws, q, &mut m))?,
        best_time(|| dtau::minverse(scene, ws, q, &mut minv))?,
        best_time(|| dtau::bias(scene, ws, q, v, &mut bias))?,
        best_time(|| dtau::gravity_torques(scene, ws, q, &mut gravity))?,
        best_time(|| dtau::coriolis(model, ws, q, v, &mut c))?,
        best_time(|| dtau::energy(scene, ws, q, v))?,
        best_time(|| dtau::forward_kinematics(model, ws, q, v, a, &mut kinematics))?,
        best_time(|| dtau::com_jacobian(model, ws, q, &mut com_jacobian))?,
        best_time(|| dtau::centroidal_matrix(model, ws, q, &mut centroidal))?,
        best_time(|| dtau::id_derivatives(scene, ws, q, v, a, &mut derivatives))?,
        best_time(|| dtau::fd_derivatives(scene, ws, q, v, &tau, &mut forward))?,
    ];

    let com = dtau::centre_of_mass(model, ws, q, v, a)?;
    let momentum = dtau::centroidal_momentum(model, ws, q, v)?;
    let energy = dtau::energy(scene, ws, q, v)?;
    let step = Step::along(model, q, v, a)?;
    let columns = rnea_columns(model, ws, q)?;
    let errors = [
        error(&sum(&times_vector(&m, a), &bias), &tau),
        error(&qdd, a),
        error(&m, &columns),
        error(&product(&m, &minv), &identity(nv)),
        error(&bias, &sum(&times_vector(&c, v), &gravity)),
        error(&[dot(&gravity, v)], &[step.potential_rate]),
        error(&[2.0 * dot(v, &times_vector(&c, v))], &[step.inertia_rate]),
        error(&[energy.kinetic, step.power], &[0.5 * dot(v, &times_vector(&m, v)), dot(&tau, v)]),
        jacobian_error(model, &kinematics, v)?,
        error(&times_vector(&com_jacobian, v), &com.velocity.to_array()),
        error(&times_vector(&centroidal, v), &momentum.to_array()),
        error(&directional(&derivatives, v, a), &step.tau_rate),
        error(&product(&m, &forward.dq), &derivatives.dq.iter().map(|x| -x).collect::<Vec<_>>()),
    ];

    let (n, n_n) = (nv.to_string(), format!("{nv} × {nv}"));
    let frames = format!("{} frames", model.frames().len());
    let shown = [
        ("rnea", "inverse dynamics, τ", &n, "M q̈ + bias"),
        ("aba", "forward dynamics, q̈", &n, "aba(rnea(q̈)) = q̈"),
        ("crba", "mass matrix, M", &n_n, "columns of rnea"),
        ("minverse", "its inverse", &n_n, "M M⁻¹ = 1"),
        ("bias", "torques at q̈ = 0", &n, "C v + gravity"),
        ("gravity", "torques at rest", &n, "rate of potential energy"),
        ("coriolis", "Coriolis matrix, C", &n_n, "Ṁ = C + Cᵀ"),
        ("energy", "kinetic, potential", &"2".into(), "½ vᵀ M v, power τ·v"),
        ("kinematics", "how frames move", &frames, "J v"),
        ("com_jacobian", "of the centre of mass", &format!("3 × {nv}"), "ċ = J v"),
        ("centroidal", "momentum matrix, A", &format!("6 × {nv}"), "h = A v"),
        ("id-derivatives", "∂τ by q, q̇ and q̈", &format!("3 × {n_n}"), "complex step"),
        ("fd-derivatives", "∂q̈ by q, q̇ and τ", &format!("3 × {n_n}"), "M ∂q̈ = −∂τ"),
    ];
    let rows = shown.into_iter().zip(errors).zip(times);
    let line = |(((name, what, size, claim), error), time)| {
        let size = String::clone(size);
        Line { name, what, size, claim, error, time }
    };
    Ok(rows.map(line).collect())
}

/// How things change along the motion, to all digits: a complex step of `q ⊕ v h`, `v + a h`, `a + a h`.
struct Step {
    /// Of kinetic and potential energy.
    power: f64,
    potential_rate: f64,
    /// Of vᵀ M v, with v kept.
    inertia_rate: f64,
    tau_rate: Vec<f64>,
}

impl Step {
    fn along(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Result<Self, Error> {
        const H: f64 = 1e-30;
        let still: Scene<Complex> = model.scene().damping(false).friction(false);
        let ws = &mut Workspace::<Complex>::new(model);
        let real = |x: &[f64]| -> Vec<Complex> { x.iter().map(|&x| Complex::new(x, 0.0)).collect() };
        let step = |x: &[f64], dx: &[f64]| -> Vec<Complex> {
            x.iter().zip(dx).map(|(&x, &dx)| Complex::new(x, H * dx)).collect()
        };
        let rate = |x: Complex| x.im / H;

        let mut q_h = real(q);
        model.integrate(&real(q), &step(&vec![0.0; v.len()], v), &mut q_h)?;
        let (v_h, a_h) = (step(v, a), step(a, a));
        let moving = dtau::energy(still, ws, &q_h, &v_h)?;
        let kept = dtau::energy(still, ws, &q_h, &real(v))?;
        let mut tau = real(v);
        dtau::rnea(still, ws, &q_h, &v_h, &a_h, &mut tau)?;
        Ok(Self {
            power: rate(moving.kinetic) + rate(moving.potential),
            potential_rate: rate(kept.potential),
            inertia_rate: 2.0 * rate(kept.kinetic),
            tau_rate: tau.into_iter().map(rate).collect(),
        })
    }
}

/// The derivative of τ along the direction of [`Step`].
fn directional(d: &IdDerivatives<f64>, v: &[f64], a: &[f64]) -> Vec<f64> {
    sum(&sum(&times_vector(&d.dq, v), &times_vector(&d.dv, a)), &times_vector(&d.da, a))
}

/// The mass matrix, a column at a time: the torques of each unit acceleration, at rest and without gravity.
fn rnea_columns(model: &Model, ws: &mut Workspace, q: &[f64]) -> Result<Matrix<f64>, Error> {
    let (nv, weightless) = (model.nv(), model.scene().gravity([0.0; 3]));
    let (mut columns, rest) = (Matrix::zeros(nv, nv), vec![0.0; nv]);
    for (j, column) in columns.chunks_exact_mut(nv).enumerate() {
        let mut unit = rest.clone();
        unit[j] = 1.0;
        dtau::rnea(weightless, ws, q, &rest, &unit, column)?;
    }
    Ok(columns)
}

/// The worst difference between the velocity of a frame and its Jacobian times v.
fn jacobian_error(model: &Model, kinematics: &Kinematics<f64>, v: &[f64]) -> Result<f64, Error> {
    let mut j = Matrix::zeros(6, v.len());
    let mut worst = 0.0f64;
    for frame in model.frame_ids() {
        kinematics.placements().jacobian(frame, Reference::Local, &mut j)?;
        let velocity = kinematics.velocity(frame, Reference::Local).to_array();
        worst = worst.max(error(&times_vector(&j, v), &velocity));
    }
    Ok(worst)
}

/// The shortest time of a call: what the algorithm takes when nothing disturbs it.
fn best_time<T>(mut call: impl FnMut() -> Result<T, Error>) -> Result<Duration, Error> {
    const CALLS: u32 = 16; // together, so that reading the clock does not count
    let (start, mut best) = (Instant::now(), Duration::MAX);
    while start.elapsed() < BUDGET {
        let before = Instant::now();
        for _ in 0..CALLS {
            black_box(call()?);
        }
        best = best.min(before.elapsed() / CALLS);
    }
    Ok(best)
}

pub fn time(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    if micros < 1000.0 { format!("{micros:.2} µs") } else { format!("{:.2} ms", micros / 1000.0) }
}

/// The largest difference, relative to the largest number wanted; NaN if there is one.
fn error(got: &[f64], want: &[f64]) -> f64 {
    let largest = want.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let differences = got.iter().zip(want).map(|(g, w)| (g - w).abs());
    differences.fold(0.0, |worst: f64, d| if d > worst || d.is_nan() { d } else { worst })
        / largest.max(f64::MIN_POSITIVE)
}
