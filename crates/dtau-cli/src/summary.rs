//! `dtau` without arguments: the dynamics of the bundled humanoid at a random state, checked against each other and timed.

use crate::clock::{self, Plan};
use crate::dense::{dot, identity, product, sum, times_vector, transposed};
use crate::failure::Failure;
use crate::product::{Instructions, Product, rnea_columns};
use crate::sample::{Sample, samples};
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use dtau::model::{JointKind, Model, Options, Root};
use dtau::{Error, Matrix, Scene, Workspace};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Larger relative errors are not due to rounding.
const TOLERANCE: f64 = 1e-9;

pub fn run(out: &mut impl Write) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let model = Model::bundled("humanoid", &Options { root: Root::Floating, ..Options::default() })?;
    let loaded = start.elapsed().as_nanos() as f64;
    // Damping and friction would only lengthen C v + g = bias and ∂τ/∂q̇ v = 2 C v, and not make the checks
    // stronger.
    let scene: Scene<f64> = model.scene().damping(false).friction(false);
    let x = samples(scene, 2, 7)?;
    let lines = lines(scene, &x)?;
    let good = lines.iter().all(Line::is_good);

    writeln!(out, "{}  rigid-body dynamics and their exact derivatives", Style::Bold.paint("dtau"))?;
    writeln!(out)?;
    let size = format!("{} degrees of freedom, {} bodies, {:.1} kg", model.nv(), model.body_count(), model.mass());
    writeln!(out, "{}  {size}, free-flying; loaded in {}", Style::Bold.paint("humanoid"), clock::text(loaded))?;
    writeln!(out, "at a random state, on one core:")?;
    writeln!(out)?;
    let mut table = Table::new([Align::Left, Align::Left, Align::Left, Align::Right, Align::Right]);
    table.head(["", "size", "checked by", "error", "time"]);
    for line in &lines {
        let verdict = if line.is_good() { Style::Good } else { Style::Bad };
        table.row([
            Cell::new(line.name).bold(),
            Cell::new(line.size.as_str()).dim(),
            Cell::new(line.check.map_or("", |(claim, _)| claim)),
            Cell::new(line.check.map_or_else(String::new, |(_, error)| format!("{error:.0e}"))).styled(verdict),
            Cell::new(clock::text(line.time)),
        ]);
    }
    table.indent("  ").write(out)?;
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
  dtau bench humanoid --root floating           times of every function on this machine
  dtau check path/to/robot.urdf                 a report on a robot of yours
A build with --features full:
  dtau verify path/to/robot.urdf                are the derivatives right on it?
  dtau generate arm7 --what aba --lang c --out generated";

/// Results for a function.
struct Line {
    name: &'static str,
    size: String,
    /// The reference, and the largest difference relative to the largest number.
    check: Option<(&'static str, f64)>,
    /// Least time of a call \[ns\].
    time: f64,
}

impl Line {
    /// True if the error is within the tolerance; false for NaN.
    fn is_good(&self) -> bool {
        self.check.is_none_or(|(_, error)| error <= TOLERANCE)
    }
}

/// Results for every function of the list.
fn lines(scene: Scene<'_, f64>, x: &[Sample]) -> Result<Vec<Line>, Failure> {
    let (model, ws) = (scene.model, &mut Workspace::new(scene.model));
    let (mut lines, mut results) = (Vec::new(), Results::default());
    for product in Product::all(model)? {
        let (inputs, mut outputs) = (product.inputs(&scene, x, 0), product.outputs(&scene, 1));
        let call = product.call(Instructions::Best, scene, x);
        let time = clock::measure(vec![call], x.len(), &Plan::millis(15, 8)).map_err(Failure::Input)?[0].min;
        product.run(scene, ws, &inputs, &mut outputs)?;
        let function = product.declaration();
        let mut sizes: Vec<String> = Vec::new();
        for (arg, written) in function.outputs.iter().zip(outputs) {
            let size = match (written.rows(), written.columns()) {
                (rows, 1) => rows.to_string(),
                (rows, columns) => format!("{rows} × {columns}"),
            };
            if !sizes.contains(&size) {
                sizes.push(size);
            }
            results.0.insert((function.name, arg.name), written);
        }
        lines.push(Line { name: function.name, size: sizes.join(", "), check: None, time });
    }
    for (name, claim, error) in checks(scene, ws, x, &results)? {
        if let Some(line) = lines.iter_mut().find(|line| line.name == name) {
            line.check = Some((claim, error));
        }
    }
    Ok(lines)
}

/// Results by the names of function and output.
#[derive(Default)]
struct Results(BTreeMap<(&'static str, &'static str), Matrix<f64>>);

impl Results {
    fn get(&self, function: &'static str, output: &'static str) -> &Matrix<f64> {
        &self.0[&(function, output)]
    }
}

/// Checks functions against others that share little code with them.
fn checks(
    scene: Scene<'_, f64>,
    ws: &mut Workspace,
    x: &[Sample],
    results: &Results,
) -> Result<Vec<(&'static str, &'static str, f64)>, Error> {
    let (model, Sample { q, v, a, .. }) = (scene.model, &x[0]);
    let (n, mass, weight) = (model.nv(), model.mass(), scene.gravity.to_array().map(|g| g * model.mass()));
    let get = |function, output| results.get(function, output);
    let along = &x[1].v; // directions, factors and steps, which a sample does not have
    let (m, minv, c) = (get("crba", "m"), get("minverse", "minv"), get("coriolis", "c"));
    let (bias, gravity) = (get("bias", "tau"), get("gravity_torques", "tau"));
    let (j, dj) = (get("frame_jacobian", "j"), get("frame_jacobian_rate", "dj"));
    let (velocity, acceleration) = (get("frame_velocity", "velocity"), get("frame_acceleration", "acceleration"));
    let (com_j, momentum) = (get("com_jacobian", "j"), get("centroidal_matrix", "a_g"));
    let id = |output| get("id_derivatives", output);
    let fd = |output| get("fd_derivatives", output);

    let coriolis = times_vector(c, v);
    let j_v = times_vector(j, v);
    let j_a = sum(&times_vector(j, a), &times_vector(dj, v));
    let scaled = |x: &[f64], by: f64| -> Vec<f64> { x.iter().map(|x| by * x).collect() };
    let last = |all: &Matrix<f64>| all.column(all.columns() - 1).to_vec();
    let [wx, wy, wz, vx, vy, vz] = [3, 4, 5, 0, 1, 2].map(|k| velocity[(k, 0)]);
    let turning = [wy * vz - wz * vy, wz * vx - wx * vz, wx * vy - wy * vx, 0.0, 0.0, 0.0];
    let (com, energy) = (get("centre_of_mass", "position"), |output| get("energy", output));
    let three = |of: &dyn Fn(&'static str) -> Vec<f64>, outputs: [&'static str; 3]| outputs.map(of).concat();
    let id_along = |name: &'static str| times_vector(id(name), along);
    let fd_along = |name: &'static str| times_vector(fd(name), along);
    let id_across = |name: &'static str| times_vector(&transposed(id(name)), along);
    let fd_across = |name: &'static str| times_vector(&transposed(fd(name)), along);
    let summed = |parts: [Vec<f64>; 3]| sum(&sum(&parts[0], &parts[1]), &parts[2]);
    let (id_names, fd_names) = (["dtau_dq", "dtau_dv", "dtau_da"], ["dqdd_dq", "dqdd_dv", "dqdd_dtau"]);

    // Large robots have no tensors.
    let contracted = |function, output, hessian| {
        let Some(tensor) = results.0.get(&(function, output)) else { return 0.0 };
        let sums: Vec<f64> = (0..n * n).map(|k| dot(tensor.column(k), along)).collect();
        error(&sums, get(hessian, output))
    };
    let half = |name| scaled(&sum(get(name, "qq"), &transposed(get(name, "qq"))), 0.5);

    // Forward and back: q ⊕ v ⊖ q, and q₀ ⊕ (q₁ ⊖ q₀) ⊖ q₀, with the chain rule.
    let (q_next, step) = (get("integrate", "q_next"), get("difference", "v"));
    let mut back = vec![0.0; n];
    dtau::difference(model, ws, q, q_next, &mut back)?;
    let (mut reached, mut again) = (q.clone(), vec![0.0; n]);
    dtau::integrate(model, ws, q, step, &mut reached)?;
    dtau::difference(model, ws, q, &reached, &mut again)?;
    let [mut of_back, mut of_step, mut unused] = [(); 3].map(|()| Matrix::zeros(n, n));
    dtau::difference_derivatives(model, ws, q, q_next, &mut unused, &mut of_back)?;
    dtau::integrate_derivatives(model, ws, q, step, &mut unused, &mut of_step)?;

    let mut rigid = vec![0.0; n];
    dtau::rnea(scene.damping(false).friction(false).armature(false), ws, q, v, a, &mut rigid)?;

    let mut still = dtau::Energy::default();
    dtau::energy(scene.armature(false), ws, q, v, &mut still)?;
    let (place, weights) = (get("frame_placement", "placement"), |count: usize| cycled(along, count));
    let position: Vec<f64> = place.column(0)[9..].iter().zip(weights(7)).map(|(p, target)| p - target).collect();
    let in_world =
        |m: &[f64]| -> [f64; 3] { std::array::from_fn(|i| (0..3).map(|k| place[(3 * k + i, 0)] * m[k]).sum()) };
    let rows = |m: &Matrix<f64>| -> Vec<f64> { (0..n).flat_map(|k| m.column(k)[..3].to_vec()).collect() };

    Ok(vec![
        ("rnea", "M q̈ + bias", error(&sum(&times_vector(m, a), bias), get("rnea", "tau"))),
        ("bias", "C q̇ + gravity", error(bias, &sum(&coriolis, gravity))),
        ("gravity_torques", "weight at the centre of mass", {
            error(gravity, &scaled(&times_vector(&transposed(com_j), &weight), -1.0))
        }),
        ("aba", "aba(rnea(q̈)) = q̈", error(get("aba", "qdd"), a)),
        ("crba", "columns of rnea", error(m, &rnea_columns(scene, q)?)),
        ("minverse", "M M⁻¹ = 1", error(&product(m, minv), &identity(n))),
        ("coriolis", "∂τ/∂q̇ q̇ = 2 C q̇", error(&times_vector(id("dtau_dv"), v), &scaled(&coriolis, 2.0))),
        ("mass_times", "M x", error(get("mass_times", "y"), &times_vector(m, along))),
        ("mass_solve", "M y = x", error(&times_vector(m, get("mass_solve", "y")), along)),
        ("energy", "½ q̇ᵀ M q̇, −m g·c", {
            let want = [0.5 * dot(v, &times_vector(m, v)), -dot(&weight, com)];
            error(&[energy("kinetic")[(0, 0)], energy("potential")[(0, 0)]], &want)
        }),
        ("energy_regressor", "∂T/∂π π = T", {
            let times = |output| dot(get("energy_regressor", output), &model.inertial_parameters());
            error(&[times("dkinetic_dpi"), times("dpotential_dpi")], &[still.kinetic, still.potential])
        }),
        ("joint_torque_regressor", "Y π = τ", {
            error(&times_vector(get("joint_torque_regressor", "y"), &model.inertial_parameters()), &rigid)
        }),
        ("placements", "frame by frame", {
            error(&last(get("placements", "placement")), get("frame_placement", "placement"))
        }),
        ("forward_kinematics", "frame by frame", {
            let all = |output| last(get("forward_kinematics", output));
            error(
                &[all("velocity"), all("acceleration")].concat(),
                &[velocity.to_vec(), acceleration.to_vec()].concat(),
            )
        }),
        ("frame_placement", "as in forward_kinematics", {
            error(get("frame_placement", "placement"), &last(get("forward_kinematics", "placement")))
        }),
        ("frame_velocity", "J q̇", error(velocity, &j_v)),
        ("frame_acceleration", "J q̈ + J̇ q̇", error(acceleration, &j_a)),
        ("frame_classical_acceleration", "J q̈ + J̇ q̇ + ω × v", {
            error(get("frame_classical_acceleration", "acceleration"), &sum(&j_a, &turning))
        }),
        ("frame_jacobian", "J q̇ = velocity", error(&j_v, velocity)),
        ("frame_jacobian_rate", "J q̈ + J̇ q̇ = acceleration", error(&j_a, acceleration)),
        ("frame_error", "p − p*", error(&get("frame_error", "error").column(0)[..3], &position)),
        ("centre_of_mass", "ċ = J q̇", error(get("centre_of_mass", "velocity"), &times_vector(com_j, v))),
        ("com_jacobian", "m J is the linear part of A", {
            let linear: Vec<f64> = (0..n).flat_map(|k| momentum.column(k)[..3].to_vec()).collect();
            error(&scaled(com_j, mass), &linear)
        }),
        ("centroidal_momentum", "h = A q̇", error(get("centroidal_momentum", "h"), &times_vector(momentum, v))),
        ("centroidal_momentum_rate", "m c̈", {
            let force = scaled(get("centre_of_mass", "acceleration"), mass);
            error(&get("centroidal_momentum_rate", "hdot").column(0)[..3], &force)
        }),
        ("centroidal_matrix", "h = A q̇", error(&times_vector(momentum, v), get("centroidal_momentum", "h"))),
        ("id_derivatives", "∂τ δ = id_jvp(δ)", { error(&summed(id_names.map(id_along)), get("id_jvp", "dtau")) }),
        ("inertial_derivatives", "∂τ less that of the bias", {
            let parts = sum(get("inertial_derivatives", "dtau_dq"), get("bias_derivatives", "dtau_dq"));
            error(&parts, id("dtau_dq"))
        }),
        ("bias_derivatives", "∂τ/∂q̇", error(get("bias_derivatives", "dtau_dv"), id("dtau_dv"))),
        ("gravity_derivatives", "gravity_torques", error(get("gravity_derivatives", "tau"), gravity)),
        ("fd_derivatives", "M ∂q̈ = −∂τ", error(&product(m, fd("dqdd_dq")), &scaled(id("dtau_dq"), -1.0))),
        ("id_jvp", "∂τ δ", error(get("id_jvp", "dtau"), &summed(id_names.map(id_along)))),
        ("id_vjp", "wᵀ ∂τ", {
            error(&three(&|name| get("id_vjp", name).to_vec(), ["dq", "dv", "da"]), &three(&id_across, id_names))
        }),
        ("fd_jvp", "∂q̈ δ", error(get("fd_jvp", "dqdd"), &summed(fd_names.map(fd_along)))),
        ("fd_vjp", "wᵀ ∂q̈", {
            error(&three(&|name| get("fd_vjp", name).to_vec(), ["dq", "dv", "dtau"]), &three(&fd_across, fd_names))
        }),
        ("id_hessian", "ℓ_qa q̈ = wᵀ ∂(M q̈)/∂q", {
            let want = times_vector(&transposed(get("inertial_derivatives", "dtau_dq")), along);
            error(&times_vector(get("id_hessian", "qa"), a), &want)
        }),
        ("id_vjp_derivatives", "½ (N + Nᵀ) = H", error(&half("id_vjp_derivatives"), get("id_hessian", "qq"))),
        ("fd_hessian", "M κ_τ = w", error(&times_vector(m, get("fd_hessian", "dtau")), along)),
        ("fd_vjp_derivatives", "½ (N + Nᵀ) = H", error(&half("fd_vjp_derivatives"), get("fd_hessian", "qq"))),
        ("id_hvp", "H δ", {
            let h = |name| get("id_hessian", name);
            let along_q = sum(&times_vector(h("qq"), along), &times_vector(h("qv"), along));
            error(get("id_hvp", "dq"), &sum(&along_q, &times_vector(h("qa"), along)))
        }),
        ("fd_hvp", "H δ", {
            let h = |name| get("fd_hessian", name);
            let along_q = sum(&times_vector(h("qq"), along), &times_vector(h("qv"), along));
            error(get("fd_hvp", "dq"), &sum(&along_q, &times_vector(h("qtau"), along)))
        }),
        ("id_second_derivatives", "Σ wᵢ ∂²τᵢ/∂q² = H", contracted("id_second_derivatives", "qq", "id_hessian")),
        ("fd_second_derivatives", "Σ wᵢ ∂²q̈ᵢ/∂q² = H", contracted("fd_second_derivatives", "qq", "fd_hessian")),
        ("fd_regressor", "M ∂q̈/∂π = −Y", {
            let want = scaled(get("joint_torque_regressor", "y"), -1.0);
            error(&product(m, get("fd_regressor", "dqdd_dpi")), &want)
        }),
        ("id_calibration", "along a joint's axis, ∂τ/∂q", {
            error(&along_axes(model, get("id_calibration", "dtau_dplacement")), &of_axes(model, id("dtau_dq")))
        }),
        ("frame_calibration", "along a joint's axis, J", {
            error(&along_axes(model, get("frame_calibration", "j")), &of_axes(model, j))
        }),
        ("frame_error_derivatives", "its first rows are R J", {
            let want: Vec<f64> = (0..n).flat_map(|k| in_world(&j.column(k)[..3])).collect();
            error(&rows(get("frame_error_derivatives", "derror_dq")), &want)
        }),
        ("frame_hessian", "the gradient is Eᵀ w", {
            let want = times_vector(&transposed(get("frame_error_derivatives", "derror_dq")), &weights(6));
            error(get("frame_hessian", "dq"), &want)
        }),
        ("com_hessian", "the gradient is Jᵀ w", {
            error(get("com_hessian", "dq"), &times_vector(&transposed(com_j), &weights(3)))
        }),
        ("frame_velocity_derivatives", "∂v/∂q̇ = J", error(get("frame_velocity_derivatives", "dv_dv"), j)),
        ("frame_acceleration_derivatives", "∂a/∂q̈ = J", error(get("frame_acceleration_derivatives", "da_da"), j)),
        ("frame_motion_derivatives", "∂a/∂q̈ = J", error(get("frame_motion_derivatives", "da_da"), j)),
        ("frame_classical_acceleration_derivatives", "∂a/∂q̈ = J", {
            error(get("frame_classical_acceleration_derivatives", "da_da"), j)
        }),
        ("com_velocity_derivatives", "∂ċ/∂q̇ = J", error(get("com_velocity_derivatives", "dv_dv"), com_j)),
        ("centroidal_derivatives", "∂ḣ/∂q̈ = A", error(get("centroidal_derivatives", "dhdot_da"), momentum)),
        ("integrate", "(q ⊕ v) ⊖ q = v", error(&back, v)),
        ("difference", "q ⊕ v ⊖ q = v", error(&again, step)),
        ("integrate_derivatives", "∂⊖ ∂⊕ = 1", {
            error(&product(&of_back, get("integrate_derivatives", "by_v")), &identity(n))
        }),
        ("difference_derivatives", "∂⊖ ∂⊕ = 1", {
            error(&product(get("difference_derivatives", "by_q1"), &of_step), &identity(n))
        }),
        ("normalise", "unit already", error(get("normalise", "unit"), q)),
    ])
}

/// An input of this many numbers, as in [`Product::inputs`].
fn cycled(x: &[f64], count: usize) -> Vec<f64> {
    x.iter().copied().cycle().take(count).collect()
}

/// Joints with one axis: their index, the axis and the degree of freedom. Moving the placement of such a
/// joint along its axis is the same as moving the joint.
fn axes(model: &Model) -> impl Iterator<Item = (usize, [f64; 6], usize)> {
    model.joints().iter().enumerate().filter_map(|(k, joint)| {
        let unit = |axis: [f64; 3]| axis.map(|x| x / dot(&axis, &axis).sqrt());
        let along = match joint.kind {
            _ if joint.mimic.is_some() => return None,
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => [[0.0; 3], unit(axis.to_array())],
            JointKind::Prismatic { axis } => [unit(axis.to_array()), [0.0; 3]],
            _ => return None,
        };
        let [[a, b, c], [d, e, f]] = along;
        Some((k, [a, b, c, d, e, f], joint.v.start))
    })
}

fn along_axes(model: &Model, by_placement: &Matrix<f64>) -> Vec<f64> {
    let sum = |k: usize, axis: [f64; 6]| -> Vec<f64> {
        let entry = |row: usize| (0..6).map(|c| by_placement[(row, 6 * k + c)] * axis[c]).sum();
        (0..by_placement.rows()).map(entry).collect()
    };
    axes(model).flat_map(|(k, axis, _)| sum(k, axis)).collect()
}

fn of_axes(model: &Model, by_q: &Matrix<f64>) -> Vec<f64> {
    axes(model).flat_map(|(_, _, dof)| by_q.column(dof).to_vec()).collect()
}

/// The largest difference, relative to the largest expected number; NaN if there is one.
fn error(got: &[f64], want: &[f64]) -> f64 {
    let largest = want.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let differences = got.iter().zip(want).map(|(g, w)| (g - w).abs());
    differences.fold(0.0, |worst: f64, d| if d > worst || d.is_nan() { d } else { worst })
        / largest.max(f64::MIN_POSITIVE)
}
