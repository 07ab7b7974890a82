//! Every function of the library's list: each derivative equals the complex step of its function, and every
//! scalar computes the same as `f64`.

use dtau::model::{Model, Root, generate};
use dtau::scalar::{Complex, Real};
use dtau::*;
use dtau_fixtures::Case;
use dtau_fixtures::assertions::{Report, assert_close, assert_rows_close};
use dtau_fixtures::constraints::some;
use dtau_fixtures::coverage::tried;
use dtau_fixtures::every::{Setting, States, many};
use dtau_fixtures::matrices::{condition, conditioning, largest, scales, sum, transposed_times};
use dtau_fixtures::robots::{build, random_cases};
use dtau_fixtures::steps::{TOLERANCE, moved, rates, shifted, unit};
use dtau_fixtures::wrenches::{self, every_kind_everywhere};

/// Relation of an output to the output of another function.
enum Is {
    /// Same value.
    Value,
    /// Derivative with respect to an input, one column for each direction.
    By(&'static str),
    /// Symmetric part of that derivative.
    SymmetricBy(&'static str),
    /// `wᵀ` times that derivative.
    Gradient(&'static str),
    /// Same, with weights of another name.
    Weighted(&'static str, &'static str),
    /// `wᵀ` times that derivative, plus the other weights times that of another output.
    GradientOfTwo(&'static str, &'static str, &'static str),
    /// Derivative with respect to the desired motion of constraints: 0 for positions, 1 for velocities, 2 for
    /// accelerations.
    ByDesired(usize),
    /// Derivative when inputs move along others.
    Along(&'static [(&'static str, &'static str)]),
}
use Is::{Along, By, ByDesired, Gradient, GradientOfTwo, SymmetricBy, Value, Weighted};

const ALONG_FORWARD: Is = Along(&[("q", "dq"), ("v", "dv"), ("tau", "dtau")]);
const STATE: Is = Along(&[("q", "v"), ("v", "a")]);

/// A function and its output, the relation, and the function and output it refers to.
const DERIVATIVES: &[(&str, &str, Is, &str, &str)] = &[
    ("gravity_torques", "tau", By("q"), "energy", "potential"),
    ("crba", "m", By("a"), "rnea", "tau"),
    ("minverse", "minv", By("tau"), "aba", "qdd"),
    ("mass_times", "y", Along(&[("a", "x")]), "rnea", "tau"),
    ("mass_solve", "y", Along(&[("tau", "x")]), "aba", "qdd"),
    ("frame_jacobian", "j", By("v"), "frame_velocity", "velocity"),
    ("frame_jacobian_rate", "dj", Along(&[("q", "v")]), "frame_jacobian", "j"),
    ("centre_of_mass", "velocity", STATE, "centre_of_mass", "position"),
    ("centre_of_mass", "acceleration", STATE, "centre_of_mass", "velocity"),
    ("com_jacobian", "j", By("q"), "centre_of_mass", "position"),
    ("centroidal_momentum_rate", "hdot", STATE, "centroidal_momentum", "h"),
    ("centroidal_matrix", "a_g", By("v"), "centroidal_momentum", "h"),
    ("id_derivatives", "tau", Value, "rnea", "tau"),
    ("id_derivatives", "dtau_dq", By("q"), "rnea", "tau"),
    ("id_derivatives", "dtau_dv", By("v"), "rnea", "tau"),
    ("id_derivatives", "dtau_da", By("a"), "rnea", "tau"),
    ("inertial_derivatives", "tau", Value, "mass_times", "y"),
    ("inertial_derivatives", "dtau_dq", By("q"), "mass_times", "y"),
    ("inertial_derivatives", "dtau_dv", By("v"), "mass_times", "y"),
    ("inertial_derivatives", "dtau_da", By("x"), "mass_times", "y"),
    ("bias_derivatives", "tau", Value, "bias", "tau"),
    ("bias_derivatives", "dtau_dq", By("q"), "bias", "tau"),
    ("bias_derivatives", "dtau_dv", By("v"), "bias", "tau"),
    ("bias_derivatives", "dtau_da", By("a"), "bias", "tau"),
    ("gravity_derivatives", "tau", Value, "gravity_torques", "tau"),
    ("gravity_derivatives", "dtau_dq", By("q"), "gravity_torques", "tau"),
    ("gravity_derivatives", "dtau_dv", By("v"), "gravity_torques", "tau"),
    ("gravity_derivatives", "dtau_da", By("a"), "gravity_torques", "tau"),
    ("fd_derivatives", "qdd", Value, "aba", "qdd"),
    ("fd_derivatives", "dqdd_dq", By("q"), "aba", "qdd"),
    ("fd_derivatives", "dqdd_dv", By("v"), "aba", "qdd"),
    ("fd_derivatives", "dqdd_dtau", By("tau"), "aba", "qdd"),
    ("id_jvp", "dtau", Along(&[("q", "dq"), ("v", "dv"), ("a", "da")]), "rnea", "tau"),
    ("id_vjp", "dq", Gradient("q"), "rnea", "tau"),
    ("id_vjp", "dv", Gradient("v"), "rnea", "tau"),
    ("id_vjp", "da", Gradient("a"), "rnea", "tau"),
    ("fd_jvp", "dqdd", Along(&[("q", "dq"), ("v", "dv"), ("tau", "dtau")]), "aba", "qdd"),
    ("fd_vjp", "dq", Gradient("q"), "aba", "qdd"),
    ("fd_vjp", "dv", Gradient("v"), "aba", "qdd"),
    ("fd_vjp", "dtau", Gradient("tau"), "aba", "qdd"),
    ("id_hessian", "dq", Gradient("q"), "rnea", "tau"),
    ("id_hessian", "dv", Gradient("v"), "rnea", "tau"),
    ("id_hessian", "da", Gradient("a"), "rnea", "tau"),
    ("id_hessian", "qq", SymmetricBy("q"), "id_vjp", "dq"),
    ("id_hessian", "qv", By("v"), "id_vjp", "dq"),
    ("id_hessian", "vv", By("v"), "id_vjp", "dv"),
    ("id_hessian", "qa", By("a"), "id_vjp", "dq"),
    ("id_vjp_derivatives", "dq", Gradient("q"), "rnea", "tau"),
    ("id_vjp_derivatives", "dv", Gradient("v"), "rnea", "tau"),
    ("id_vjp_derivatives", "da", Gradient("a"), "rnea", "tau"),
    ("id_vjp_derivatives", "qq", By("q"), "id_vjp", "dq"),
    ("id_vjp_derivatives", "qv", By("v"), "id_vjp", "dq"),
    ("id_vjp_derivatives", "vv", By("v"), "id_vjp", "dv"),
    ("id_vjp_derivatives", "qa", By("a"), "id_vjp", "dq"),
    ("fd_hessian", "dq", Gradient("q"), "aba", "qdd"),
    ("fd_hessian", "dv", Gradient("v"), "aba", "qdd"),
    ("fd_hessian", "dtau", Gradient("tau"), "aba", "qdd"),
    ("fd_hessian", "qq", SymmetricBy("q"), "fd_vjp", "dq"),
    ("fd_hessian", "qv", By("v"), "fd_vjp", "dq"),
    ("fd_hessian", "vv", By("v"), "fd_vjp", "dv"),
    ("fd_hessian", "qtau", By("tau"), "fd_vjp", "dq"),
    ("fd_vjp_derivatives", "dq", Gradient("q"), "aba", "qdd"),
    ("fd_vjp_derivatives", "dv", Gradient("v"), "aba", "qdd"),
    ("fd_vjp_derivatives", "dtau", Gradient("tau"), "aba", "qdd"),
    ("fd_vjp_derivatives", "qq", By("q"), "fd_vjp", "dq"),
    ("fd_vjp_derivatives", "qv", By("v"), "fd_vjp", "dq"),
    ("fd_vjp_derivatives", "vv", By("v"), "fd_vjp", "dv"),
    ("fd_vjp_derivatives", "qtau", By("tau"), "fd_vjp", "dq"),
    ("id_second_derivatives", "qq", SymmetricBy("q"), "id_derivatives", "dtau_dq"),
    ("id_second_derivatives", "qv", By("v"), "id_derivatives", "dtau_dq"),
    ("id_second_derivatives", "vv", By("v"), "id_derivatives", "dtau_dv"),
    ("id_second_derivatives", "qa", By("a"), "id_derivatives", "dtau_dq"),
    ("fd_second_derivatives", "qq", SymmetricBy("q"), "fd_derivatives", "dqdd_dq"),
    ("fd_second_derivatives", "qv", By("v"), "fd_derivatives", "dqdd_dq"),
    ("fd_second_derivatives", "vv", By("v"), "fd_derivatives", "dqdd_dv"),
    ("fd_second_derivatives", "qtau", By("tau"), "fd_derivatives", "dqdd_dq"),
    ("frame_velocity_derivatives", "dv_dq", By("q"), "frame_velocity", "velocity"),
    ("frame_velocity_derivatives", "dv_dv", By("v"), "frame_velocity", "velocity"),
    ("frame_acceleration_derivatives", "da_dq", By("q"), "frame_acceleration", "acceleration"),
    ("frame_acceleration_derivatives", "da_dv", By("v"), "frame_acceleration", "acceleration"),
    ("frame_acceleration_derivatives", "da_da", By("a"), "frame_acceleration", "acceleration"),
    ("frame_motion_derivatives", "dv_dq", By("q"), "frame_velocity", "velocity"),
    ("frame_motion_derivatives", "da_dq", By("q"), "frame_acceleration", "acceleration"),
    ("frame_motion_derivatives", "da_dv", By("v"), "frame_acceleration", "acceleration"),
    ("frame_motion_derivatives", "da_da", By("a"), "frame_acceleration", "acceleration"),
    ("frame_classical_acceleration_derivatives", "da_dq", By("q"), "frame_classical_acceleration", "acceleration"),
    ("frame_classical_acceleration_derivatives", "da_dv", By("v"), "frame_classical_acceleration", "acceleration"),
    ("frame_classical_acceleration_derivatives", "da_da", By("a"), "frame_classical_acceleration", "acceleration"),
    ("frame_error_derivatives", "derror_dq", By("q"), "frame_error", "error"),
    ("frame_hessian", "dq", Weighted("q", "w_frame"), "frame_error", "error"),
    ("frame_hessian", "qq", SymmetricBy("q"), "frame_hessian", "dq"),
    ("com_hessian", "dq", Weighted("q", "w_com"), "centre_of_mass", "position"),
    ("com_hessian", "qq", SymmetricBy("q"), "com_hessian", "dq"),
    ("com_velocity_derivatives", "dv_dq", By("q"), "centre_of_mass", "velocity"),
    ("com_velocity_derivatives", "dv_dv", By("v"), "centre_of_mass", "velocity"),
    ("centroidal_derivatives", "h", Value, "centroidal_momentum", "h"),
    ("centroidal_derivatives", "hdot", Value, "centroidal_momentum_rate", "hdot"),
    ("centroidal_derivatives", "dh_dq", By("q"), "centroidal_momentum", "h"),
    ("centroidal_derivatives", "dhdot_dq", By("q"), "centroidal_momentum_rate", "hdot"),
    ("centroidal_derivatives", "dhdot_dv", By("v"), "centroidal_momentum_rate", "hdot"),
    ("centroidal_derivatives", "dhdot_da", By("a"), "centroidal_momentum_rate", "hdot"),
    ("integrate_derivatives", "by_q", By("q"), "integrate", "q_next"),
    ("integrate_derivatives", "by_v", By("v"), "integrate", "q_next"),
    ("difference_derivatives", "by_q0", By("q0"), "difference", "v"),
    ("difference_derivatives", "by_q1", By("q1"), "difference", "v"),
    ("constrained_fd_derivatives", "qdd", Value, "constrained_fd", "qdd"),
    ("constrained_fd_derivatives", "lambda", Value, "constrained_fd", "lambda"),
    ("constrained_fd_derivatives", "dqdd_dq", By("q"), "constrained_fd", "qdd"),
    ("constrained_fd_derivatives", "dqdd_dv", By("v"), "constrained_fd", "qdd"),
    ("constrained_fd_derivatives", "dqdd_dtau", By("tau"), "constrained_fd", "qdd"),
    ("constrained_fd_derivatives", "dlambda_dq", By("q"), "constrained_fd", "lambda"),
    ("constrained_fd_derivatives", "dlambda_dv", By("v"), "constrained_fd", "lambda"),
    ("constrained_fd_derivatives", "dlambda_dtau", By("tau"), "constrained_fd", "lambda"),
    ("constrained_fd_desired_derivatives", "dqdd_dposition", ByDesired(0), "constrained_fd", "qdd"),
    ("constrained_fd_desired_derivatives", "dqdd_dvelocity", ByDesired(1), "constrained_fd", "qdd"),
    ("constrained_fd_desired_derivatives", "dqdd_dacceleration", ByDesired(2), "constrained_fd", "qdd"),
    ("constrained_fd_desired_derivatives", "dlambda_dposition", ByDesired(0), "constrained_fd", "lambda"),
    ("constrained_fd_desired_derivatives", "dlambda_dvelocity", ByDesired(1), "constrained_fd", "lambda"),
    ("constrained_fd_desired_derivatives", "dlambda_dacceleration", ByDesired(2), "constrained_fd", "lambda"),
    ("constrained_fd_jvp", "dqdd", ALONG_FORWARD, "constrained_fd", "qdd"),
    ("constrained_fd_jvp", "dlambda", ALONG_FORWARD, "constrained_fd", "lambda"),
    ("constrained_fd_vjp", "dq", GradientOfTwo("q", "lambda", "w_lambda"), "constrained_fd", "qdd"),
    ("constrained_fd_vjp", "dv", GradientOfTwo("v", "lambda", "w_lambda"), "constrained_fd", "qdd"),
    ("constrained_fd_vjp", "dtau", GradientOfTwo("tau", "lambda", "w_lambda"), "constrained_fd", "qdd"),
    ("constrained_id_derivatives", "tau", Value, "constrained_id", "tau"),
    ("constrained_id_derivatives", "lambda", Value, "constrained_id", "lambda"),
    ("constrained_id_derivatives", "dtau_dq", By("q"), "constrained_id", "tau"),
    ("constrained_id_derivatives", "dtau_dv", By("v"), "constrained_id", "tau"),
    ("constrained_id_derivatives", "dtau_da", By("a"), "constrained_id", "tau"),
    ("constrained_id_derivatives", "dlambda_dq", By("q"), "constrained_id", "lambda"),
    ("constrained_id_derivatives", "dlambda_dv", By("v"), "constrained_id", "lambda"),
    ("constrained_id_derivatives", "dlambda_da", By("a"), "constrained_id", "lambda"),
    ("constraint_jacobian", "jacobian", By("v"), "constraint_errors", "velocity"),
    ("impulse_derivatives", "v_after", Value, "impulse", "v_after"),
    ("impulse_derivatives", "impulse", Value, "impulse", "impulse"),
    ("impulse_derivatives", "dv_after_dq", By("q"), "impulse", "v_after"),
    ("impulse_derivatives", "dv_after_dv", By("v"), "impulse", "v_after"),
    ("impulse_derivatives", "dimpulse_dq", By("q"), "impulse", "impulse"),
    ("impulse_derivatives", "dimpulse_dv", By("v"), "impulse", "impulse"),
];

/// Robot at one state under wrenches, in a scalar type.
struct At<'a, T: Real> {
    model: &'a Model,
    held: &'a Constraints,
    wrenches: Vec<Wrench<T>>,
    given: Parameters,
    x: States<T>,
    ws: Workspace<T>,
    /// Desired motion of the constraints. Empty for none.
    desired: Vec<T>,
}

impl<T: Real> At<'_, T> {
    /// Returns an output of a function. Inputs are those of the state, except those in `instead`.
    fn output(&mut self, function: &str, output: &str, instead: &[(&str, Vec<T>)]) -> Vec<T> {
        let declaration = dtau::function(function).unwrap();
        let input = |name| match instead.iter().find(|(other, _)| *other == name) {
            Some((_, numbers)) => &numbers[..],
            None => input_of(&self.x, name),
        };
        let inputs: Vec<&[T]> = declaration.inputs.iter().map(|arg| input(arg.name)).collect();
        let held = Counts { columns: 1, rows: self.held.rows() };
        let room = |arg: &Arg| vec![T::from_f64(7.0); arg.size.of(self.model, held)];
        let mut outputs: Vec<Vec<T>> = declaration.outputs.iter().map(room).collect();
        let mut y: Vec<&mut [T]> = outputs.iter_mut().map(|y| &mut y[..]).collect();
        let mut scene = self.model.scene().wrenches(&self.wrenches).constraints(self.held);
        scene.desired = (!self.desired.is_empty()).then_some(&self.desired);
        declaration.with(&self.given).unwrap().call(scene, &mut self.ws, &inputs, &mut y).unwrap();
        let place = declaration.outputs.iter().position(|arg| arg.name == output);
        outputs.swap_remove(place.unwrap_or_else(|| panic!("{function} writes no {output}")))
    }
}

impl At<'_, Complex> {
    /// Returns the derivative of an output when inputs of the state `x` move along directions.
    fn rate(&mut self, (function, output): (&str, &str), x: &States<f64>, along: &[(&str, &[f64])]) -> Vec<f64> {
        let model = self.model;
        let step = |&(name, direction): &(&str, &[f64])| match name {
            "q" | "q0" | "q1" => moved(model, x.input(name), direction),
            _ => shifted(input_of(x, name), direction),
        };
        let inputs: Vec<_> = along.iter().map(|moves| (moves.0, step(moves))).collect();
        let there = self.output(function, output, &inputs);
        let written = dtau::function(function).unwrap().outputs;
        if !written.iter().any(|arg| arg.name == output && arg.size == Size::Nq) {
            return rates(&there);
        }
        // The output is a configuration, which moves along a tangent.
        let (here, mut tangent) = (self.output(function, output, &[]), vec![Complex::zero(); model.nv()]);
        model.difference(&here, &there, &mut tangent).unwrap();
        rates(&tangent)
    }
}

/// Returns an input, with one column if the function takes any number.
fn input_of<'x, T: Copy>(x: &'x States<T>, name: &str) -> &'x [T] {
    if name == "x" { &x.a } else { x.input(name) }
}

/// Complex steps have no truncation error. What is left is rounding, multiplied by the condition of M where M
/// is inverted (`matrices::scales`).
#[test]
fn every_derivative_is_the_complex_step_derivative_of_its_function() {
    let (mut worst, mut solutions) = (Report::of("derivatives of the list"), 0.0);
    for (k, Case { model, name, .. }) in random_cases().into_iter().enumerate() {
        let frame = model.frame_ids().nth(k % model.frames().len());
        let given = Parameters { frame, reference: Some(Reference::ALL[k % 3]), way: None };
        let (pushes, x) = (every_kind_everywhere(&model), States::random(&model, 1, 0, 1000 + k as u64));
        let (complex, ws) = (wrenches::lift(&pushes), Workspace::new(&model));
        let (held, complex_ws, lifted) = (&some(&model), Workspace::new(&model), x.map(Complex::from_f64));
        let mut stepped =
            At { model: &model, held, wrenches: complex, given, x: lifted, ws: complex_ws, desired: Vec::new() };
        let mut at = At { model: &model, held, wrenches: pushes, given, x: x.clone(), ws, desired: Vec::new() };
        let (m, minv) = (at.output("crba", "m", &[]), at.output("minverse", "minv", &[]));
        let (condition, of_solutions) = (condition(model.nv(), &m, &minv), conditioning(&m, &minv));
        for (function, output, is, of, value) in DERIVATIVES {
            let got = at.output(function, output, &[]);
            let (of, n) = ((*of, *value), model.nv());
            let mut matrix =
                |by: &str| -> Vec<f64> { (0..n).flat_map(|j| stepped.rate(of, &x, &[(by, &unit(n, j))])).collect() };
            let want = match is {
                Value => at.output(of.0, of.1, &[]),
                By(by) => matrix(by),
                SymmetricBy(by) => {
                    let matrix = matrix(by);
                    // The last two indices. The others are those of the differentiated output.
                    let rows = matrix.len() / (n * n);
                    let across = |k: usize| k % rows + rows * (k / rows % n * n + k / rows / n);
                    (0..matrix.len()).map(|k| 0.5 * (matrix[k] + matrix[across(k)])).collect()
                }
                Gradient(by) => transposed_times(&matrix(by), &x.w),
                GradientOfTwo(by, other, weights) => {
                    let first = transposed_times(&matrix(by), &x.w);
                    let second: Vec<f64> =
                        (0..n).flat_map(|j| stepped.rate((of.0, other), &x, &[(by, &unit(n, j))])).collect();
                    match held.rows() {
                        0 => first,
                        _ => sum(&first, &transposed_times(&second, x.input(weights))),
                    }
                }
                ByDesired(order) => {
                    let rows = held.rows();
                    let of_row = |row: usize| {
                        stepped.desired = shifted(&vec![0.0; 3 * rows], &unit(3 * rows, order * rows + row));
                        let column = rates(&stepped.output(of.0, of.1, &[]));
                        stepped.desired.clear();
                        column
                    };
                    (0..rows).flat_map(of_row).collect()
                }
                Weighted(by, weights) => transposed_times(&matrix(by), x.input(weights)),
                Along(moves) => {
                    let moves: Vec<_> = moves.iter().map(|(input, along)| (*input, input_of(&x, along))).collect();
                    stepped.rate(of, &x, &moves)
                }
            };
            let what = format!("{name}: {function}: {output}");
            if of.0 == "aba" && !matches!(is, Gradient(_)) {
                let solved = assert_rows_close(&what, &got, &want, &scales(n, &condition, &want, 1.0), TOLERANCE);
                solutions = solved.max(solutions);
                continue;
            }
            if of.0 == "fd_vjp" || of.0 == "fd_derivatives" {
                // Two successive solutions, whose rows are sums over all rows of M⁻¹: tolerance by the block,
                // with M's condition.
                assert_close(&what, &got, &want, n, of_solutions);
                continue;
            }
            if of.0 == "constrained_fd" || of.0 == "impulse" {
                // Solutions with M, then with G = J M⁻¹Jᵀ: tolerance by the block, with both conditions.
                // `tests/constraints.rs` checks entries.
                let [g, inverse] = ["delassus", "inverse"].map(|output| at.output("delassus", output, &[]));
                assert_close(&what, &got, &want, 1, of_solutions * (1.0 + largest(&g) * largest(&inverse)));
                continue;
            }
            if of.0 == "constrained_id" {
                // Solutions with K = S² + Jᵀ F² J, where no strength is below one half: S² ≥ 1/4.
                let j = at.output("constraint_jacobian", "jacobian", &[]);
                let most = 1.0 + j.iter().map(|x| x * x).sum::<f64>();
                assert_close(&what, &got, &want, 1, 100.0 * f64::EPSILON * (1.0 + 4.0 * most));
                continue;
            }
            // A matrix is compared row by row; a vector is one row.
            let arg = dtau::function(function).unwrap().outputs.iter().find(|arg| arg.name == *output).unwrap();
            let rows = match arg.size.shape(&model, Counts { columns: 1, rows: held.rows() }) {
                (_, 1) => 1,
                (rows, _) => rows,
            };
            worst.check(&what, &got, &want, rows, TOLERANCE);
        }
    }
    println!("derivatives of aba: worst error {solutions:.1e} of |M⁻¹| |M| |X|");
    tried("derivatives", DERIVATIVES.iter().map(|(function, ..)| function));
}

/// The table contains all outputs of derivative functions.
#[test]
fn no_output_of_a_derivative_is_left_out() {
    let ends = ["_derivatives", "_jvp", "_vjp", "_hessian"];
    for function in functions().iter().filter(|f| ends.iter().any(|end| f.name.ends_with(end))) {
        for arg in function.outputs {
            let has = DERIVATIVES.iter().any(|(name, output, ..)| (*name, *output) == (function.name, arg.name));
            assert!(has, "{}: {} is not in DERIVATIVES of {}", function.name, arg.name, file!());
        }
    }
}

/// Runs every function in another engine or scalar, and compares with `f64` on a plain workspace, relative to
/// the largest number of an output or 1. Rounding grows by at most the condition of M. `epsilon` is the
/// scalar's rounding relative to `f64`. Returns the names of the compared functions.
fn agrees<T: Real>(make: fn(&Model) -> Workspace<T>, back: fn(T) -> f64, epsilon: f64) -> Vec<String> {
    let mut compared = Vec::new();
    let mut cases: Vec<(String, Model)> = random_cases().into_iter().map(|case| (case.name, case.model)).collect();
    cases.push(("chain, which has whole tensors too".into(), build(&generate::chain(5), Root::Floating)));
    for (k, (name, model)) in cases.into_iter().enumerate() {
        let (pushes, frame) = (every_kind_everywhere(&model), model.frame_ids().last().unwrap());
        let (lifted, reference) = (wrenches::lift::<T>(&pushes), Reference::ALL[k % 3]);
        let x = States::random(&model, 1, pushes.len(), 2000 + k as u64);
        let setting = Setting { model: &model, wrenches: &pushes, frame, reference };
        let want = many(&setting, &mut Workspace::plain(&model), &x);
        let setting = Setting { model: &model, wrenches: &lifted, frame, reference };
        let got = many(&setting, &mut make(&model), &x.map(T::from_f64));
        let of = |name: &str| &want.iter().find(|(other, _)| other == name).unwrap().1;
        let tolerance = epsilon * conditioning(of("crba: m"), of("minverse: minv"));
        for ((what, got), (_, want)) in got.iter().zip(&want) {
            let got: Vec<f64> = got.iter().map(|&x| back(x)).collect();
            assert_close(&format!("{name}: {what}"), &got, want, got.len().max(1), tolerance);
        }
        compared.extend(got.into_iter().map(|(what, _)| what));
    }
    compared
}

#[test]
fn fused_instructions_compute_what_plain_ones_do() {
    tried("plain instructions", agrees::<f64>(Workspace::new, |x| x, 1.0));
}

#[test]
fn complex_numbers_compute_what_real_ones_do() {
    tried("complex numbers", agrees::<Complex>(Workspace::new, |x| x.re, 1.0));
}

#[cfg(feature = "f32")]
#[test]
fn single_precision_computes_what_double_does() {
    let epsilon = f64::from(f32::EPSILON) / f64::EPSILON;
    tried("f32", agrees::<f32>(Workspace::new, f64::from, epsilon));
}
