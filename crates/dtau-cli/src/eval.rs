//! `dtau eval`: the dynamics of a robot at given states.

use crate::args::{EvalArgs, Format};
use crate::failure::{Failure, say};
use crate::quantity::{Name, Over, Part, Quantity};
use crate::state::{self, State};
use crate::{json, report, robot};
use dtau::model::{FrameId, Model};
use dtau::spatial::{Motion, Transform, Vec3};
use dtau::{
    CentroidalDerivatives, Error, FdDerivatives, IdDerivatives, Kinematics, Matrix, Placements, Reference, Scene,
    Workspace,
};
use dtau_methods::list::{self, Method};
use std::io::Write;
use std::process::ExitCode;

pub fn run(args: &EvalArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load(&args.robot)?;
    let asked = distinct(&args.what);
    let frames = frames(&model, &distinct(&args.frames))?;
    let method = args.method.as_deref().map(|name| find_method(name, &asked)).transpose()?;
    let states = state::read(&args.state, &model, &asked)?;
    if let count @ 1.. = model.warnings().len() {
        let s = if count == 1 { "" } else { "s" };
        say("note", &format!("{count} warning{s} about this robot; `dtau info` with the same options shows them"));
    }

    let mut evaluator = Evaluator::new(&model, frames, method);
    let mut answers = Vec::with_capacity(states.list.len());
    for (k, state) in states.list.iter().enumerate() {
        let scene = args.robot.model.scene(&model).wrenches(&state.wrenches);
        let answer = evaluator.answer(scene, state, &asked);
        answers.push(answer.map_err(|message| Failure::Input(state::place(states.is_list, k) + &message))?);
    }
    match (args.format, &answers[..]) {
        (Format::Json, [answer]) if !states.is_list => json::write(out, answer)?,
        (Format::Json, answers) => json::write(out, &answers)?,
        (Format::Table, answers) => report::write(out, &model, answers, states.is_list)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The method of a name, for the one quantity asked for that has methods.
fn find_method(name: &str, asked: &[Name]) -> Result<&'static Method, Failure> {
    let with_methods: Vec<(Name, list::Quantity)> =
        asked.iter().filter_map(|&name| Some((name, methods_of(name)?))).collect();
    let [(asked, quantity)] = with_methods[..] else {
        let rule = "--method goes with exactly one of id-derivatives, fd-derivatives and minverse in --what";
        return Err(Failure::Input(rule.into()));
    };
    list::find(quantity, name).ok_or_else(|| {
        let names: Vec<&str> = list::methods(quantity).map(|method| method.name).collect();
        Failure::Input(format!("{} has no method {name:?}; there are {}", asked.text(), names.join(", ")))
    })
}

/// What of the list of methods a name stands for.
fn methods_of(name: Name) -> Option<list::Quantity> {
    match name {
        Name::IdDerivatives => Some(list::Quantity::IdDerivatives),
        Name::FdDerivatives => Some(list::Quantity::FdDerivatives),
        Name::Minverse => Some(list::Quantity::MassInverse),
        _ => None,
    }
}

/// The same without repetitions.
fn distinct<T: Clone + PartialEq>(items: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in items {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    kept
}

/// The frames asked for; if none are, those of the links.
fn frames(model: &Model, names: &[String]) -> Result<Vec<(String, FrameId)>, Failure> {
    let links = model.description().links.iter().map(|link| &link.name);
    let names: Vec<&String> = if names.is_empty() { links.collect() } else { names.iter().collect() };
    names.into_iter().map(|name| Ok((name.clone(), model.frame(name)?))).collect()
}

struct Evaluator<'a> {
    model: &'a Model,
    ws: Workspace,
    frames: Vec<(String, FrameId)>,
    zeros: Vec<f64>,
    method: Option<&'static Method>,
}

impl<'a> Evaluator<'a> {
    fn new(model: &'a Model, frames: Vec<(String, FrameId)>, method: Option<&'static Method>) -> Self {
        Self { model, ws: Workspace::new(model), frames, zeros: vec![0.0; model.nv()], method }
    }

    /// What was asked for, by name.
    fn answer(&mut self, scene: Scene<'_, f64>, state: &State, asked: &[Name]) -> Result<Quantity, String> {
        let mut members = Vec::with_capacity(asked.len());
        for &name in asked {
            let quantity = match self.method {
                Some(method) if methods_of(name).is_some() => by_method(method, scene, state, name),
                _ => self.evaluate(scene, state, name).map_err(|e| e.to_string()),
            };
            let quantity = quantity.map_err(|e| format!("{}: {e}", name.text()))?;
            if !quantity.is_finite() {
                let why = if name.divides_by_mass() && self.model.mass() == 0.0 {
                    "nothing that moves has mass, so there is no centre of mass"
                } else {
                    "the result is not finite; the numbers of the state are too large"
                };
                return Err(format!("{}: {why}", name.text()));
            }
            members.push((name.text(), quantity));
        }
        Ok(Quantity::Group(members))
    }

    fn evaluate(&mut self, scene: Scene<'_, f64>, state: &State, name: Name) -> Result<Quantity, dtau::Error> {
        let (model, ws, nv) = (self.model, &mut self.ws, self.model.nv());
        let (q, v, a, tau) = (&state.q[..], state.part(Part::V), state.part(Part::A), state.part(Part::Tau));
        let mut dofs = vec![0.0; nv];
        Ok(match name {
            Name::Rnea => {
                dtau::rnea(scene, ws, q, v, a, &mut dofs)?;
                Quantity::Dofs(dofs)
            }
            Name::Aba => {
                dtau::aba(scene, ws, q, v, tau, &mut dofs)?;
                Quantity::Dofs(dofs)
            }
            Name::Bias => {
                dtau::bias(scene, ws, q, v, &mut dofs)?;
                Quantity::Dofs(dofs)
            }
            Name::Gravity => {
                dtau::gravity_torques(scene, ws, q, &mut dofs)?;
                Quantity::Dofs(dofs)
            }
            Name::Crba => matrix(Over::DofsDofs, nv, nv, |m| dtau::crba(scene, ws, q, m))?,
            Name::Minverse => matrix(Over::DofsDofs, nv, nv, |m| dtau::minverse(scene, ws, q, m))?,
            Name::Coriolis => matrix(Over::DofsDofs, nv, nv, |m| dtau::coriolis(model, ws, q, v, m))?,
            Name::IdDerivatives => {
                let mut out = IdDerivatives::new(model);
                dtau::id_derivatives(scene, ws, q, v, a, &mut out)?;
                id_derivatives(out)
            }
            Name::FdDerivatives => {
                let mut out = FdDerivatives::new(model);
                dtau::fd_derivatives(scene, ws, q, v, tau, &mut out)?;
                fd_derivatives(out)
            }
            Name::KinematicDerivatives => self.kinematic_derivatives(state)?,
            Name::Com => self.com(state)?,
            Name::ComJacobian => matrix(Over::SpaceDofs, 3, nv, |m| dtau::com_jacobian(model, ws, q, m))?,
            Name::Energy => {
                let energy = dtau::energy(scene, ws, q, v)?;
                let (kinetic, potential) = (Quantity::Number(energy.kinetic), Quantity::Number(energy.potential));
                Quantity::group([("kinetic", kinetic), ("potential", potential)])
            }
            Name::Centroidal => {
                let momentum = Quantity::Spatial(dtau::centroidal_momentum(model, ws, q, v)?.to_array().into());
                let matrix = matrix(Over::SpaceDofs, 6, nv, |m| dtau::centroidal_matrix(model, ws, q, m))?;
                Quantity::group([("momentum", momentum), ("matrix", matrix)])
            }
            Name::Mass => Quantity::Number(model.mass()),
            Name::Kinematics => self.kinematics(state)?,
            Name::Jacobians => {
                let mut placements = Placements::new(model);
                dtau::placements(model, ws, q, &mut placements)?;
                self.of_frames(|frame, reference, j| placements.jacobian(frame, reference, j))?
            }
            Name::JacobianRates => {
                let mut kinematics = Kinematics::new(model);
                dtau::forward_kinematics(model, ws, q, v, &self.zeros, &mut kinematics)?;
                self.of_frames(|frame, reference, j| kinematics.jacobian_rate(frame, reference, j))?
            }
        })
    }

    fn com(&mut self, state: &State) -> Result<Quantity, dtau::Error> {
        let (v, a) = self.motion(state);
        let com = dtau::centre_of_mass(
            self.model,
            &mut self.ws,
            &state.q,
            v.unwrap_or(&self.zeros),
            a.unwrap_or(&self.zeros),
        )?;
        let vector = |x: Vec3<f64>| Quantity::Spatial(x.to_array().into());
        let mut members = vec![("position".into(), vector(com.position))];
        members.extend(v.map(|_| ("velocity".into(), vector(com.velocity))));
        members.extend(a.map(|_| ("acceleration".into(), vector(com.acceleration))));
        Ok(Quantity::Group(members))
    }

    fn kinematics(&mut self, state: &State) -> Result<Quantity, dtau::Error> {
        let (v, a) = self.motion(state);
        let mut kinematics = Kinematics::new(self.model);
        let (v_or_0, a_or_0) = (v.unwrap_or(&self.zeros), a.unwrap_or(&self.zeros));
        dtau::forward_kinematics(self.model, &mut self.ws, &state.q, v_or_0, a_or_0, &mut kinematics)?;
        let vector = |x: Motion<f64>| Quantity::Spatial(x.to_array().into());
        let of_frame = |frame: FrameId| {
            let Transform { rot, pos } = kinematics.placements().frame(frame);
            let mut rotation = Matrix::zeros(3, 3);
            rotation.copy_from_slice(rot.cols.map(Vec3::to_array).as_flattened());
            let mut members = vec![
                ("position".into(), Quantity::Spatial(pos.to_array().into())),
                ("rotation".into(), Quantity::Matrix(Over::SpaceSpace, rotation)),
            ];
            members.extend(v.map(|_| ("velocity".into(), vector(kinematics.velocity(frame, Reference::Local)))));
            members
                .extend(a.map(|_| ("acceleration".into(), vector(kinematics.acceleration(frame, Reference::Local)))));
            Quantity::Group(members)
        };
        Ok(Quantity::Group(self.frames.iter().map(|(name, frame)| (name.clone(), of_frame(*frame))).collect()))
    }

    fn kinematic_derivatives(&mut self, state: &State) -> Result<Quantity, Error> {
        let (model, ws, nv) = (self.model, &mut self.ws, self.model.nv());
        let (q, v, a) = (&state.q[..], state.part(Part::V), state.part(Part::A));
        let (mut com_dq, mut com_dv) = (Matrix::zeros(3, nv), Matrix::zeros(3, nv));
        dtau::com_velocity_derivatives(model, ws, q, v, &mut com_dq, &mut com_dv)?;
        let mut h = CentroidalDerivatives::new(model);
        dtau::centroidal_derivatives(model, ws, q, v, a, &mut h)?;
        let mut kinematics = Kinematics::new(model);
        dtau::forward_kinematics(model, ws, q, v, a, &mut kinematics)?;

        let wide = |m: Matrix<f64>| Quantity::Matrix(Over::SpaceDofs, m);
        let mut members = Vec::with_capacity(self.frames.len());
        for (name, frame) in &self.frames {
            let mut by_reference = Vec::with_capacity(REFERENCES.len());
            for (text, reference) in REFERENCES {
                let [mut dv_dq, mut dv_dv, mut da_dq, mut da_dv, mut da_da] = [(); 5].map(|()| Matrix::zeros(6, nv));
                kinematics.velocity_derivatives(*frame, reference, &mut dv_dq, &mut dv_dv)?;
                kinematics.acceleration_derivatives(*frame, reference, &mut da_dq, &mut da_dv, &mut da_da)?;
                let parts = [("dv_dq", dv_dq), ("dv_dv", dv_dv), ("da_dq", da_dq), ("da_dv", da_dv), ("da_da", da_da)];
                by_reference.push((text.into(), Quantity::group(parts.map(|(name, m)| (name, wide(m))))));
            }
            members.push((name.clone(), Quantity::Group(by_reference)));
        }
        Ok(Quantity::group([
            ("frames", Quantity::Group(members)),
            ("com", Quantity::group([("dv_dq", wide(com_dq)), ("dv_dv", wide(com_dv))])),
            (
                "centroidal",
                Quantity::group([
                    ("dh_dq", wide(h.dh_dq)),
                    ("dhdot_dq", wide(h.dhdot_dq)),
                    ("dhdot_dv", wide(h.dhdot_dv)),
                    ("dhdot_da", wide(h.dhdot_da)),
                ]),
            ),
        ]))
    }

    /// Velocities, and accelerations if there are velocities too.
    fn motion<'s>(&self, state: &'s State) -> (Option<&'s [f64]>, Option<&'s [f64]>) {
        let v = state.v.as_deref();
        (v, v.and(state.a.as_deref()))
    }

    /// A `6 × nv` matrix for every frame in every reference.
    fn of_frames(
        &self,
        fill: impl Fn(FrameId, Reference, &mut [f64]) -> Result<(), dtau::Error>,
    ) -> Result<Quantity, dtau::Error> {
        let mut by_frame = Vec::with_capacity(self.frames.len());
        for (name, frame) in &self.frames {
            let mut by_reference = Vec::with_capacity(REFERENCES.len());
            for (text, reference) in REFERENCES {
                let j = matrix(Over::SpaceDofs, 6, self.model.nv(), |j| fill(*frame, reference, j))?;
                by_reference.push((text.into(), j));
            }
            by_frame.push((name.clone(), Quantity::Group(by_reference)));
        }
        Ok(Quantity::Group(by_frame))
    }
}

const REFERENCES: [(&str, Reference); 3] =
    [("local", Reference::Local), ("world", Reference::World), ("local_world_aligned", Reference::LocalWorldAligned)];

/// The same quantity by a method of the list.
fn by_method(method: &Method, scene: Scene<'_, f64>, state: &State, name: Name) -> Result<Quantity, String> {
    let (q, v, a, tau) = (&state.q[..], state.part(Part::V), state.part(Part::A), state.part(Part::Tau));
    let result = match name {
        Name::IdDerivatives => method.id_derivatives(&scene, q, v, a).map(id_derivatives),
        Name::FdDerivatives => method.fd_derivatives(&scene, q, v, tau).map(fd_derivatives),
        _ => method.inverse(&scene, q).map(|m| Quantity::Matrix(Over::DofsDofs, m)),
    };
    result.map_err(|refused| refused.to_string())
}

fn id_derivatives(out: IdDerivatives<f64>) -> Quantity {
    Quantity::group([
        ("tau", Quantity::Dofs(out.tau)),
        ("dtau_dq", Quantity::Matrix(Over::DofsDofs, out.dq)),
        ("dtau_dv", Quantity::Matrix(Over::DofsDofs, out.dv)),
        ("dtau_da", Quantity::Matrix(Over::DofsDofs, out.da)),
    ])
}

fn fd_derivatives(out: FdDerivatives<f64>) -> Quantity {
    Quantity::group([
        ("ddq", Quantity::Dofs(out.qdd)),
        ("ddq_dq", Quantity::Matrix(Over::DofsDofs, out.dq)),
        ("ddq_dv", Quantity::Matrix(Over::DofsDofs, out.dv)),
        ("ddq_dtau", Quantity::Matrix(Over::DofsDofs, out.dtau)),
    ])
}

/// A matrix that an algorithm fills.
fn matrix(
    over: Over,
    rows: usize,
    columns: usize,
    fill: impl FnOnce(&mut [f64]) -> Result<(), dtau::Error>,
) -> Result<Quantity, dtau::Error> {
    let mut matrix = Matrix::zeros(rows, columns);
    fill(&mut matrix)?;
    Ok(Quantity::Matrix(over, matrix))
}
