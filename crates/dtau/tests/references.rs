//! Stored results of Pinocchio for the bundled robots, so that `cargo test` needs no Python.
//! `parity/store_references.py` writes them. `parity/pinocchio_parity.py` is the live comparison, on many
//! more robots.
//!
//! Tolerance: 1e-11 of an entry plus 1e-9 absolute, as in the live comparison. Forward dynamics solves with
//! M, whose condition number (up to 1e4 here) multiplies the absolute part.

#![allow(non_snake_case)]

use dtau::model::{JointOrder, Model, Options, Root};
use dtau::*;
use dtau_fixtures::by_value::{centre_of_mass, centroidal_momentum, energy};
use serde_json::Value;

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn three(x: &Value) -> [f64; 3] {
    numbers(x).try_into().unwrap()
}

/// Converts a list of rows to columns.
fn columns(rows: &Value) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = rows.as_array().unwrap().iter().map(numbers).collect();
    (0..rows[0].len()).flat_map(|j| rows.iter().map(move |r| r[j]).collect::<Vec<_>>()).collect()
}

struct Comparison<'a> {
    robot: &'a str,
    state: usize,
    expected: &'a Value,
}

impl Comparison<'_> {
    /// Compares a quantity if the file has it. Matrices are stored for one state only.
    fn vector(&self, name: &str, got: &[f64]) {
        self.vector_within(name, got, 1e-9);
    }

    fn vector_within(&self, name: &str, got: &[f64], absolute: f64) {
        if let Some(want) = self.find(name) {
            self.close(name, got, &numbers(want), absolute);
        }
    }

    fn matrix(&self, name: &str, got: &[f64], absolute: f64) {
        if let Some(want) = self.find(name) {
            self.close(name, got, &columns(want), absolute);
        }
    }

    fn find(&self, path: &str) -> Option<&Value> {
        path.split('/').try_fold(self.expected, |x, key| x.get(key))
    }

    fn close(&self, name: &str, got: &[f64], want: &[f64], absolute: f64) {
        assert_eq!(got.len(), want.len(), "{} {name}", self.robot);
        for (i, (g, w)) in got.iter().zip(want).enumerate() {
            let tolerance = 1e-11 * w.abs() + absolute;
            let (robot, state) = (self.robot, self.state);
            assert!((g - w).abs() <= tolerance, "{robot}, state {state}, {name}[{i}]: got {g}, Pinocchio has {w}");
        }
    }
}

#[test]
fn the_bundled_robots_agree_with_pinocchio() {
    for file in bundled_names() {
        let path = format!("{}/tests/references/{file}.json", env!("CARGO_MANIFEST_DIR"));
        let reference: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let root = if reference["root"] == "floating" { Root::Floating } else { Root::Fixed };
        let options = Options { root, order: JointOrder::Alphabetical, ..Options::default() };
        let model = Model::bundled(file, &options).unwrap();
        assert_eq!((model.nq(), model.nv()), (numbers_of(&reference, "nq"), numbers_of(&reference, "nv")));
        let states = reference["states"].as_array().unwrap();
        assert_eq!(states.len(), 3);
        for (state, x) in states.iter().enumerate() {
            compare(&model, x, &Comparison { robot: file, state, expected: &x["expected"] });
        }
    }
}

fn numbers_of(reference: &Value, key: &str) -> usize {
    reference[key].as_u64().unwrap() as usize
}

fn compare(model: &Model, x: &Value, c: &Comparison) {
    let nv = model.nv();
    let (q, v) = (numbers(&x["q"]), numbers(&x["v"]));
    let (a, tau) = (numbers(&x["a"]), numbers(&x["tau"]));
    let wrenches = x.get("wrenches").and_then(Value::as_array).into_iter().flatten();
    let wrenches: Vec<Wrench<f64>> = wrenches.map(|w| wrench(model, w)).collect();
    let scene = || model.scene().damping(false).friction(false).wrenches(&wrenches);
    let ws = &mut Workspace::new(model);
    let (mut out, mut square, mut wide) = (vec![0.0; nv], vec![0.0; nv * nv], vec![0.0; 6 * nv]);

    rnea(scene(), ws, &q, &v, &a, &mut out).unwrap();
    c.vector("rnea", &out);
    aba(scene(), ws, &q, &v, &tau, &mut out).unwrap();
    c.vector_within("aba", &out, 1e-6);
    bias(scene(), ws, &q, &v, &mut out).unwrap();
    c.vector("bias", &out);
    gravity_torques(scene(), ws, &q, &mut out).unwrap();
    c.vector("gravity", &out);
    crba(scene(), ws, &q, &mut square).unwrap();
    c.matrix("crba", &square, 1e-9);
    minverse(scene(), ws, &q, &mut square).unwrap();
    c.matrix("minverse", &square, 1e-6);
    coriolis(model, ws, &q, &v, &mut square).unwrap();
    c.matrix("coriolis", &square, 1e-9);
    let com = centre_of_mass(model, ws, &q, &v, &a).unwrap();
    c.vector("com/position", &com.position.to_array());
    c.vector("com/velocity", &com.velocity.to_array());
    c.vector("com/acceleration", &com.acceleration.to_array());
    com_jacobian(model, ws, &q, &mut wide[..3 * nv]).unwrap();
    c.matrix("com_jacobian", &wide[..3 * nv], 1e-9);
    let e = energy(scene(), ws, &q, &v).unwrap();
    c.close("energy", &[e.kinetic, e.potential], &energies(c), 1e-9);
    let h = centroidal_momentum(model, ws, &q, &v).unwrap();
    c.vector("centroidal/momentum", &h.to_array());
    centroidal_matrix(model, ws, &q, &mut wide).unwrap();
    c.matrix("centroidal/matrix", &wide, 1e-9);

    let mut kin = Kinematics::new(model);
    kin.update(model, ws, &q, &v, &a).unwrap();
    for name in c.find("kinematics").and_then(Value::as_object).into_iter().flat_map(|frames| frames.keys()) {
        let frame = model.frame(&format!("link:{name}")).unwrap();
        let X = kin.placements().frame(frame);
        c.vector(&format!("kinematics/{name}/position"), &X.pos.to_array());
        let rotation: Vec<f64> = X.rot.cols.iter().flat_map(|c| c.to_array()).collect();
        c.matrix(&format!("kinematics/{name}/rotation"), &rotation, 1e-9);
        let local = Reference::Local;
        c.vector(&format!("kinematics/{name}/velocity"), &kin.velocity(frame, local).to_array());
        c.vector(&format!("kinematics/{name}/acceleration"), &kin.acceleration(frame, local).to_array());
    }
    let references = [
        ("local", Reference::Local),
        ("world", Reference::World),
        ("local_world_aligned", Reference::LocalWorldAligned),
    ];
    for name in c.find("jacobians").and_then(Value::as_object).into_iter().flat_map(|frames| frames.keys()) {
        let frame = model.frame(&format!("link:{name}")).unwrap();
        for (key, reference) in references {
            kin.placements().jacobian(frame, reference, &mut wide).unwrap();
            c.matrix(&format!("jacobians/{name}/{key}"), &wide, 1e-9);
            kin.jacobian_rate(frame, reference, &mut wide).unwrap();
            c.matrix(&format!("jacobian_rates/{name}/{key}"), &wide, 1e-9);
        }
    }

    let mut id = IdDerivatives::new(model);
    id_derivatives(scene(), ws, &q, &v, &a, &mut id).unwrap();
    c.matrix("id-derivatives/dtau_dq", &id.dtau_dq, 1e-8);
    c.matrix("id-derivatives/dtau_dv", &id.dtau_dv, 1e-8);
    let mut fd = FdDerivatives::new(model);
    fd_derivatives(scene(), ws, &q, &v, &tau, &mut fd).unwrap();
    c.matrix("fd-derivatives/ddq_dq", &fd.dqdd_dq, 1e-5);
    c.matrix("fd-derivatives/ddq_dv", &fd.dqdd_dv, 1e-5);
}

fn energies(c: &Comparison) -> Vec<f64> {
    let e = &c.expected["energy"];
    vec![e["kinetic"].as_f64().unwrap(), e["potential"].as_f64().unwrap()]
}

fn wrench(model: &Model, w: &Value) -> Wrench<f64> {
    let frame = model.frame(&format!("link:{}", w["frame"].as_str().unwrap())).unwrap();
    let axes = if w["axes"] == "world" { Axes::World } else { Axes::Frame };
    Wrench { frame, axes, at: Point::Origin, force: three(&w["force"]), torque: three(&w["torque"]) }
}
