//! Every algorithm, once for one state and once for many: what it writes, as one list of named arrays.

use crate::robots::ways;
use dtau::batch::{self, Batch, BatchScalar};
use dtau::model::{FrameId, Model};
use dtau::*;

/// States of a model, one after the other.
#[derive(Clone)]
pub struct States<F> {
    pub count: usize,
    pub q: Vec<F>,
    pub q1: Vec<F>,
    pub v: Vec<F>,
    pub a: Vec<F>,
    pub w: Vec<F>,
    /// nv × 3 a state.
    pub columns: Vec<F>,
    pub forces: Vec<F>,
}

/// A named array of results.
pub type Named<F> = Vec<(&'static str, Vec<F>)>;

/// Which state is which part.
impl<F: Copy> States<F> {
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let cut = |x: &Vec<F>| {
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
            forces: cut(&self.forces),
        }
    }
}

pub struct Setting<'a, F> {
    pub model: &'a Model,
    pub wrenches: &'a [Wrench<F>],
    pub frame: FrameId,
    pub reference: Reference,
}

/// Every function of [`batch`].
pub fn many<F: BatchScalar>(setting: &Setting<'_, F>, batch: &mut Batch<F>, x: &States<F>) -> Named<F> {
    many_by(setting, batch, x, &mut |call| call().unwrap())
}

/// One function with its arguments.
pub type Call<'a> = dyn FnMut() -> Result<(), Error> + 'a;

/// Every function of [`batch`], called by `call`.
pub fn many_by<F: BatchScalar>(
    setting: &Setting<'_, F>,
    batch: &mut Batch<F>,
    x: &States<F>,
    call: &mut dyn FnMut(&mut Call<'_>),
) -> Named<F> {
    let Setting { model, wrenches, frame, reference } = *setting;
    let (nq, nv, frames) = (model.nq(), model.nv(), model.frames().len());
    let States { count, q, q1, v, a, w, columns, forces } = x;
    let scene = || model.scene().wrenches(wrenches).forces(forces);
    let b = batch;
    let mut all: Named<F> = Vec::new();
    // Nothing is zero before, so that what is not written is seen.
    let room = |n: usize| vec![F::from_f64(7.0); count * n];

    macro_rules! one {
        ($name:literal, $size:expr, |$out:ident| $call:expr) => {{
            let mut out = room($size);
            let $out = &mut out;
            call(&mut || $call);
            all.push(($name, out));
        }};
    }
    one!("rnea", nv, |y| batch::rnea(scene(), b, q, v, a, y));
    one!("bias", nv, |y| batch::bias(scene(), b, q, v, y));
    one!("gravity_torques", nv, |y| batch::gravity_torques(scene(), b, q, y));
    one!("aba", nv, |y| batch::aba(scene(), b, q, v, a, y));
    one!("crba", nv * nv, |y| batch::crba(scene(), b, q, y));
    one!("minverse", nv * nv, |y| batch::minverse(scene(), b, q, y));
    one!("coriolis", nv * nv, |y| batch::coriolis(model, b, q, v, y));
    one!("mass_times", 3 * nv, |y| batch::mass_times(scene(), b, q, columns, y));
    one!("mass_solve", 3 * nv, |y| batch::mass_solve(scene(), b, q, columns, y));
    let (mut kinetic, mut potential) = (room(1), room(1));
    call(&mut || {
        let out = batch::EnergyMut { kinetic: &mut kinetic, potential: &mut potential };
        batch::energy(scene(), b, q, v, out)
    });
    all.extend([("energy.kinetic", kinetic), ("energy.potential", potential)]);
    let (mut position, mut velocity, mut acceleration) = (room(3), room(3), room(3));
    call(&mut || {
        let out = batch::ComMut { position: &mut position, velocity: &mut velocity, acceleration: &mut acceleration };
        batch::centre_of_mass(model, b, q, v, a, out)
    });
    all.extend([("com.position", position), ("com.velocity", velocity), ("com.acceleration", acceleration)]);
    one!("com_jacobian", 3 * nv, |y| batch::com_jacobian(model, b, q, y));
    let (mut dq, mut dv) = (room(3 * nv), room(3 * nv));
    call(&mut || batch::com_velocity_derivatives(model, b, q, v, &mut dq, &mut dv));
    all.extend([("com_velocity_derivatives.dq", dq), ("com_velocity_derivatives.dv", dv)]);
    one!("centroidal_momentum", 6, |y| batch::centroidal_momentum(model, b, q, v, y));
    one!("centroidal_momentum_rate", 6, |y| batch::centroidal_momentum_rate(model, b, q, v, a, y));
    one!("centroidal_matrix", 6 * nv, |y| batch::centroidal_matrix(model, b, q, y));
    let (mut h, mut hdot) = (room(6), room(6));
    let (mut d0, mut d1, mut d2, mut d3) = (room(6 * nv), room(6 * nv), room(6 * nv), room(6 * nv));
    call(&mut || {
        let out = batch::CentroidalDerivativesMut {
            h: &mut h,
            hdot: &mut hdot,
            dh_dq: &mut d0,
            dhdot_dq: &mut d1,
            dhdot_dv: &mut d2,
            dhdot_da: &mut d3,
        };
        batch::centroidal_derivatives(model, b, q, v, a, out)
    });
    all.extend([("centroidal.h", h), ("centroidal.hdot", hdot), ("centroidal.dh_dq", d0)]);
    all.extend([("centroidal.dhdot_dq", d1), ("centroidal.dhdot_dv", d2), ("centroidal.dhdot_da", d3)]);

    macro_rules! id {
        ($names:expr, |$out:ident| $call:expr) => {{
            let (mut tau, mut dq) = (room(nv), room(nv * nv));
            let (mut dv, mut da) = (dq.clone(), dq.clone());
            call(&mut || {
                let $out = batch::IdDerivativesMut { tau: &mut tau, dq: &mut dq, dv: &mut dv, da: &mut da };
                $call
            });
            all.extend($names.into_iter().zip([tau, dq, dv, da]));
        }};
    }
    id!(ID, |y| batch::id_derivatives(scene(), b, q, v, a, y));
    id!(INERTIAL, |y| batch::inertial_derivatives(scene(), b, q, a, y));
    id!(BIAS, |y| batch::bias_derivatives(scene(), b, q, v, y));
    id!(GRAVITY, |y| batch::gravity_derivatives(scene(), b, q, y));
    macro_rules! fd {
        ($names:expr, |$out:ident| $call:expr) => {{
            let (mut qdd, mut dq) = (room(nv), room(nv * nv));
            let (mut dv, mut dtau) = (dq.clone(), dq.clone());
            call(&mut || {
                let $out = batch::FdDerivativesMut { qdd: &mut qdd, dq: &mut dq, dv: &mut dv, dtau: &mut dtau };
                $call
            });
            all.extend($names.into_iter().zip([qdd, dq, dv, dtau]));
        }};
    }
    fd!(FD, |y| batch::fd_derivatives(scene(), b, q, v, a, y));
    for &way in ways(model) {
        fd!(FD_BY[way as usize], |y| batch::fd_derivatives_by(way, scene(), b, q, v, a, y));
    }
    let tangent = IdTangent { q: w, v: a, a: v };
    one!("id_jvp", nv, |y| batch::id_jvp(scene(), b, q, v, a, tangent, y));
    let tangent = FdTangent { q: w, v: a, tau: v };
    one!("fd_jvp", nv, |y| batch::fd_jvp(scene(), b, q, v, a, tangent, y));
    let (mut y0, mut y1, mut y2) = (room(nv), room(nv), room(nv));
    call(&mut || batch::id_vjp(scene(), b, q, v, a, w, IdCotangent { q: &mut y0, v: &mut y1, a: &mut y2 }));
    all.extend([("id_vjp.q", y0.clone()), ("id_vjp.v", y1.clone()), ("id_vjp.a", y2.clone())]);
    call(&mut || batch::fd_vjp(scene(), b, q, v, a, w, FdCotangent { q: &mut y0, v: &mut y1, tau: &mut y2 }));
    all.extend([("fd_vjp.q", y0), ("fd_vjp.v", y1), ("fd_vjp.tau", y2)]);

    one!("placements", 12 * frames, |y| batch::placements(model, b, q, y));
    let (mut y0, mut y1, mut y2) = (room(12 * frames), room(6 * frames), room(6 * frames));
    call(&mut || {
        let out = batch::KinematicsMut { placements: &mut y0, velocities: &mut y1, accelerations: &mut y2 };
        batch::forward_kinematics(model, b, reference, q, v, a, out)
    });
    all.extend([("kinematics.placements", y0), ("kinematics.velocities", y1), ("kinematics.accelerations", y2)]);
    one!("frame_placement", 12, |y| batch::frame_placement(model, b, frame, q, y));
    one!("frame_jacobian", 6 * nv, |y| batch::frame_jacobian(model, b, frame, reference, q, y));
    one!("frame_jacobian_rate", 6 * nv, |y| batch::frame_jacobian_rate(model, b, frame, reference, q, v, y));
    one!("frame_velocity", 6, |y| batch::frame_velocity(model, b, frame, reference, q, v, y));
    one!("frame_acceleration", 6, |y| batch::frame_acceleration(model, b, frame, reference, q, v, a, y));
    one!("classical", 6, |y| batch::frame_classical_acceleration(model, b, frame, reference, q, v, a, y));
    let (mut y0, mut y1, mut y2) = (room(6 * nv), room(6 * nv), room(6 * nv));
    call(&mut || {
        let out = batch::VelocityDerivativesMut { dv_dq: &mut y0, dv_dv: &mut y1 };
        batch::frame_velocity_derivatives(model, b, frame, reference, q, v, out)
    });
    all.extend([("frame_velocity.dq", y0.clone()), ("frame_velocity.dv", y1.clone())]);
    call(&mut || {
        let out = batch::AccelerationDerivativesMut { da_dq: &mut y0, da_dv: &mut y1, da_da: &mut y2 };
        batch::frame_acceleration_derivatives(model, b, frame, reference, q, v, a, out)
    });
    all.extend([("frame_acceleration.dq", y0.clone()), ("frame_acceleration.dv", y1.clone())]);
    all.push(("frame_acceleration.da", y2.clone()));
    let mut y3 = room(6 * nv);
    call(&mut || {
        let out = batch::MotionDerivativesMut { dv_dq: &mut y3, da_dq: &mut y0, da_dv: &mut y1, da_da: &mut y2 };
        batch::frame_motion_derivatives(model, b, frame, reference, q, v, a, out)
    });
    all.extend([("frame_motion.dv_dq", y3), ("frame_motion.da_dq", y0.clone())]);
    all.extend([("frame_motion.da_dv", y1.clone()), ("frame_motion.da_da", y2.clone())]);
    call(&mut || {
        let out = batch::AccelerationDerivativesMut { da_dq: &mut y0, da_dv: &mut y1, da_da: &mut y2 };
        batch::frame_classical_acceleration_derivatives(model, b, frame, reference, q, v, a, out)
    });
    all.extend([("classical.dq", y0), ("classical.dv", y1), ("classical.da", y2)]);

    one!("integrate", nq, |y| batch::integrate(model, b, q, v, y));
    one!("difference", nv, |y| batch::difference(model, b, q, q1, y));
    one!("normalise", nq, |y| batch::normalise(model, b, q, y));
    let (mut y0, mut y1) = (room(nv * nv), room(nv * nv));
    call(&mut || batch::integrate_derivatives(model, b, q, v, &mut y0, &mut y1));
    all.extend([("integrate.dq", y0.clone()), ("integrate.dv", y1.clone())]);
    call(&mut || batch::difference_derivatives(model, b, q, q1, &mut y0, &mut y1));
    all.extend([("difference.dq0", y0), ("difference.dq1", y1)]);
    all
}

/// The same, state by state on a workspace for one.
pub fn singly<F: BatchScalar>(setting: &Setting<'_, F>, ws: &mut Workspace<F>, x: &States<F>) -> Named<F> {
    let mut all: Named<F> = Vec::new();
    for i in 0..x.count {
        for (k, (name, numbers)) in single(setting, ws, &x.slice(i, i + 1)).into_iter().enumerate() {
            if i == 0 {
                all.push((name, Vec::new()));
            }
            assert_eq!(all[k].0, name);
            all[k].1.extend(numbers);
        }
    }
    all
}

fn single<F: BatchScalar>(setting: &Setting<'_, F>, ws: &mut Workspace<F>, x: &States<F>) -> Named<F> {
    let Setting { model, wrenches, frame, reference } = *setting;
    let (nq, nv) = (model.nq(), model.nv());
    let States { q, q1, v, a, w, columns, forces, .. } = x;
    let mut pushes = wrenches.to_vec();
    for (wrench, six) in pushes.iter_mut().zip(forces.chunks(6)) {
        wrench.force.copy_from_slice(&six[..3]);
        wrench.torque.copy_from_slice(&six[3..]);
    }
    let scene = || model.scene().wrenches(&pushes);
    let mut all: Named<F> = Vec::new();
    let room = |n: usize| vec![F::from_f64(3.0); n];

    macro_rules! one {
        ($name:literal, $size:expr, |$out:ident| $call:expr) => {{
            let mut out = room($size);
            let $out = &mut out;
            $call.unwrap();
            all.push(($name, out));
        }};
    }
    one!("rnea", nv, |y| rnea(scene(), ws, q, v, a, y));
    one!("bias", nv, |y| bias(scene(), ws, q, v, y));
    one!("gravity_torques", nv, |y| gravity_torques(scene(), ws, q, y));
    one!("aba", nv, |y| aba(scene(), ws, q, v, a, y));
    one!("crba", nv * nv, |y| crba(scene(), ws, q, y));
    one!("minverse", nv * nv, |y| minverse(scene(), ws, q, y));
    one!("coriolis", nv * nv, |y| coriolis(model, ws, q, v, y));
    one!("mass_times", 3 * nv, |y| mass_times(scene(), ws, q, columns, y));
    one!("mass_solve", 3 * nv, |y| mass_solve(scene(), ws, q, columns, y));
    let e = energy(scene(), ws, q, v).unwrap();
    all.extend([("energy.kinetic", vec![e.kinetic]), ("energy.potential", vec![e.potential])]);
    let com = centre_of_mass(model, ws, q, v, a).unwrap();
    all.push(("com.position", com.position.to_array().to_vec()));
    all.push(("com.velocity", com.velocity.to_array().to_vec()));
    all.push(("com.acceleration", com.acceleration.to_array().to_vec()));
    one!("com_jacobian", 3 * nv, |y| com_jacobian(model, ws, q, y));
    let (mut dq, mut dv) = (room(3 * nv), room(3 * nv));
    com_velocity_derivatives(model, ws, q, v, &mut dq, &mut dv).unwrap();
    all.extend([("com_velocity_derivatives.dq", dq), ("com_velocity_derivatives.dv", dv)]);
    all.push(("centroidal_momentum", centroidal_momentum(model, ws, q, v).unwrap().to_array().to_vec()));
    let rate = centroidal_momentum_rate(model, ws, q, v, a).unwrap();
    all.push(("centroidal_momentum_rate", rate.to_array().to_vec()));
    one!("centroidal_matrix", 6 * nv, |y| centroidal_matrix(model, ws, q, y));
    let mut d = CentroidalDerivatives::new(model);
    centroidal_derivatives(model, ws, q, v, a, &mut d).unwrap();
    all.push(("centroidal.h", d.h.to_array().to_vec()));
    all.push(("centroidal.hdot", d.hdot.to_array().to_vec()));
    all.push(("centroidal.dh_dq", d.dh_dq.to_vec()));
    all.push(("centroidal.dhdot_dq", d.dhdot_dq.to_vec()));
    all.push(("centroidal.dhdot_dv", d.dhdot_dv.to_vec()));
    all.push(("centroidal.dhdot_da", d.dhdot_da.to_vec()));

    let mut d = IdDerivatives::new(model);
    let id = |all: &mut Named<F>, names: [&'static str; 4], d: &IdDerivatives<F>| {
        all.extend(names.into_iter().zip([d.tau.clone(), d.dq.to_vec(), d.dv.to_vec(), d.da.to_vec()]));
    };
    id_derivatives(scene(), ws, q, v, a, &mut d).unwrap();
    id(&mut all, ID, &d);
    inertial_derivatives(scene(), ws, q, a, &mut d).unwrap();
    id(&mut all, INERTIAL, &d);
    bias_derivatives(scene(), ws, q, v, &mut d).unwrap();
    id(&mut all, BIAS, &d);
    gravity_derivatives(scene(), ws, q, &mut d).unwrap();
    id(&mut all, GRAVITY, &d);
    let mut d = FdDerivatives::new(model);
    let fd = |all: &mut Named<F>, names: [&'static str; 4], d: &FdDerivatives<F>| {
        all.extend(names.into_iter().zip([d.qdd.clone(), d.dq.to_vec(), d.dv.to_vec(), d.dtau.to_vec()]));
    };
    fd_derivatives(scene(), ws, q, v, a, &mut d).unwrap();
    fd(&mut all, FD, &d);
    for &way in ways(model) {
        fd_derivatives_by(way, scene(), ws, q, v, a, &mut d).unwrap();
        fd(&mut all, FD_BY[way as usize], &d);
    }
    one!("id_jvp", nv, |y| id_jvp(scene(), ws, q, v, a, IdTangent { q: w, v: a, a: v }, y));
    one!("fd_jvp", nv, |y| fd_jvp(scene(), ws, q, v, a, FdTangent { q: w, v: a, tau: v }, y));
    let (mut y0, mut y1, mut y2) = (room(nv), room(nv), room(nv));
    id_vjp(scene(), ws, q, v, a, w, IdCotangent { q: &mut y0, v: &mut y1, a: &mut y2 }).unwrap();
    all.extend([("id_vjp.q", y0.clone()), ("id_vjp.v", y1.clone()), ("id_vjp.a", y2.clone())]);
    fd_vjp(scene(), ws, q, v, a, w, FdCotangent { q: &mut y0, v: &mut y1, tau: &mut y2 }).unwrap();
    all.extend([("fd_vjp.q", y0), ("fd_vjp.v", y1), ("fd_vjp.tau", y2)]);

    let frames = || model.frame_ids();
    let (mut placed, mut k) = (Placements::new(model), Kinematics::new(model));
    placements(model, ws, q, &mut placed).unwrap();
    forward_kinematics(model, ws, q, v, a, &mut k).unwrap();
    all.push(("placements", frames().flat_map(|f| placed.frame(f).to_array()).collect()));
    all.push(("kinematics.placements", frames().flat_map(|f| k.placements().frame(f).to_array()).collect()));
    all.push(("kinematics.velocities", frames().flat_map(|f| k.velocity(f, reference).to_array()).collect()));
    all.push(("kinematics.accelerations", frames().flat_map(|f| k.acceleration(f, reference).to_array()).collect()));
    all.push(("frame_placement", placed.frame(frame).to_array().to_vec()));
    one!("frame_jacobian", 6 * nv, |y| placed.jacobian(frame, reference, y));
    one!("frame_jacobian_rate", 6 * nv, |y| k.jacobian_rate(frame, reference, y));
    all.push(("frame_velocity", k.velocity(frame, reference).to_array().to_vec()));
    all.push(("frame_acceleration", k.acceleration(frame, reference).to_array().to_vec()));
    all.push(("classical", k.classical_acceleration(frame, reference).to_array().to_vec()));
    let (mut y0, mut y1, mut y2) = (room(6 * nv), room(6 * nv), room(6 * nv));
    k.velocity_derivatives(frame, reference, &mut y0, &mut y1).unwrap();
    all.extend([("frame_velocity.dq", y0.clone()), ("frame_velocity.dv", y1.clone())]);
    k.acceleration_derivatives(frame, reference, &mut y0, &mut y1, &mut y2).unwrap();
    all.extend([("frame_acceleration.dq", y0.clone()), ("frame_acceleration.dv", y1.clone())]);
    all.push(("frame_acceleration.da", y2.clone()));
    let mut y3 = room(6 * nv);
    k.motion_derivatives(frame, reference, &mut y3, &mut y0, &mut y1, &mut y2).unwrap();
    all.extend([("frame_motion.dv_dq", y3), ("frame_motion.da_dq", y0.clone())]);
    all.extend([("frame_motion.da_dv", y1.clone()), ("frame_motion.da_da", y2.clone())]);
    k.classical_acceleration_derivatives(frame, reference, &mut y0, &mut y1, &mut y2).unwrap();
    all.extend([("classical.dq", y0), ("classical.dv", y1), ("classical.da", y2)]);

    one!("integrate", nq, |y| model.integrate(q, v, y));
    one!("difference", nv, |y| model.difference(q, q1, y));
    one!("normalise", nq, |y| {
        y.copy_from_slice(q);
        model.normalise(y)
    });
    let (mut y0, mut y1) = (room(nv * nv), room(nv * nv));
    model.integrate_derivatives(q, v, &mut y0, &mut y1).unwrap();
    all.extend([("integrate.dq", y0.clone()), ("integrate.dv", y1.clone())]);
    model.difference_derivatives(q, q1, &mut y0, &mut y1).unwrap();
    all.extend([("difference.dq0", y0), ("difference.dq1", y1)]);
    all
}

const ID: [&str; 4] = ["id.tau", "id.dq", "id.dv", "id.da"];
const INERTIAL: [&str; 4] = ["inertial.tau", "inertial.dq", "inertial.dv", "inertial.da"];
const BIAS: [&str; 4] = ["bias.tau", "bias.dq", "bias.dv", "bias.da"];
const GRAVITY: [&str; 4] = ["gravity.tau", "gravity.dq", "gravity.dv", "gravity.da"];
const FD: [&str; 4] = ["fd.qdd", "fd.dq", "fd.dv", "fd.dtau"];
const FD_BY: [[&str; 4]; 4] = [
    ["dense.qdd", "dense.dq", "dense.dv", "dense.dtau"],
    ["aza.qdd", "aza.dq", "aza.dv", "aza.dtau"],
    ["ltdl.qdd", "ltdl.dq", "ltdl.dv", "ltdl.dtau"],
    ["response.qdd", "response.dq", "response.dv", "response.dtau"],
];
