//! `dtau eval`: functions of the library at given states.

use crate::args::{EvalArgs, Format};
use crate::failure::{Failure, say};
use crate::quantity::Quantity;
use crate::state::{self, State};
use crate::{constraints, json, numbers, robot};
use dtau::model::{FrameId, FrameKind, Model};
use dtau::{Constraints, Counts, Declaration, Matrix, Parameter, Parameters, Reference, Scene, Workspace};
use std::io::Write;
use std::process::ExitCode;

pub fn run(args: &EvalArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load(&args.robot)?;
    let asked = distinct(&args.what, |a, b| a.name == b.name);
    let frames = frames(&model, &distinct(&args.frames, |a, b| a == b))?;
    let held = args.constraints.as_deref().map(|path| constraints::read(path, &model)).transpose()?;
    if let Some(function) = asked.iter().find(|f| held.is_none() && f.parameters.contains(&Parameter::Constraints)) {
        let message = format!("{}: acts on constraints; give a file that has them: --constraints FILE", function.name);
        return Err(Failure::Input(message));
    }
    let states = state::given(args, &model, held.as_ref(), &asked)?;
    if let count @ 1.. = model.warnings().len() {
        let s = if count == 1 { "" } else { "s" };
        say("note", &format!("{count} warning{s} about this robot; `dtau info` with the same options shows them"));
    }

    let ws = Workspace::try_new(&model)?;
    let mut evaluator = Evaluator { model: &model, ws, held: held.as_ref(), frames, reference: args.reference.into() };
    let mut answers = Vec::with_capacity(states.list.len());
    for (k, state) in states.list.iter().enumerate() {
        let mut scene = args.robot.model.scene(&model).wrenches(&state.wrenches);
        scene.constraints = held.as_ref();
        (scene.active, scene.desired) = (state.active.as_deref(), state.desired.as_deref());
        let answer = evaluator.answer(scene, state, &asked);
        answers.push(answer.map_err(|message| Failure::Input(state::place(states.is_list, k) + &message))?);
    }
    match (args.format, &answers[..]) {
        (Format::Json, [answer]) if !states.is_list => json::write(out, answer)?,
        (Format::Json, answers) => json::write(out, &answers)?,
        (Format::Table, answers) => numbers::write(out, &model, held.as_ref(), answers, states.is_list)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the items without repetitions.
fn distinct<T: Clone>(items: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in items {
        if !kept.iter().any(|other| same(item, other)) {
            kept.push(item.clone());
        }
    }
    kept
}

/// The given frames, or those of all links if none are given.
fn frames(model: &Model, names: &[String]) -> Result<Vec<(String, FrameId)>, Failure> {
    if names.is_empty() {
        let links = model.frame_ids().filter(|&frame| model.frame_info(frame).kind == FrameKind::Link);
        return Ok(links.map(|frame| (model.frame_info(frame).name.clone(), frame)).collect());
    }
    names.iter().map(|name| Ok((name.clone(), model.frame(name)?))).collect()
}

struct Evaluator<'a> {
    model: &'a Model,
    ws: Workspace,
    held: Option<&'a Constraints>,
    frames: Vec<(String, FrameId)>,
    reference: Reference,
}

impl Evaluator<'_> {
    /// Returns the results by name.
    fn answer(
        &mut self,
        scene: Scene<'_, f64>,
        state: &State,
        asked: &[&'static Declaration],
    ) -> Result<Quantity, String> {
        let mut members = Vec::with_capacity(asked.len());
        for &function in asked {
            let name = function.name;
            let named = |e: String| if e.starts_with(&format!("{name}: ")) { e } else { format!("{name}: {e}") };
            let quantity = self.evaluate(scene, state, function).map_err(|e| named(e.to_string()))?;
            members.push((name.into(), quantity));
        }
        Ok(Quantity::Group(members))
    }

    /// Evaluates a function. A function of a frame has one member for each given frame.
    fn evaluate(
        &mut self,
        scene: Scene<'_, f64>,
        state: &State,
        function: &'static Declaration,
    ) -> Result<Quantity, dtau::Error> {
        if !function.parameters.contains(&Parameter::Frame) {
            return self.call(scene, state, function, None);
        }
        let frames = self.frames.clone();
        let members =
            frames.into_iter().map(|(name, frame)| Ok((name, self.call(scene, state, function, Some(frame))?)));
        Ok(Quantity::Group(members.collect::<Result<_, dtau::Error>>()?))
    }

    fn call(
        &mut self,
        scene: Scene<'_, f64>,
        state: &State,
        function: &'static Declaration,
        frame: Option<FrameId>,
    ) -> Result<Quantity, dtau::Error> {
        let called = function.with(&Parameters { frame, reference: Some(self.reference), way: None })?;
        let x: Vec<&[f64]> = function.inputs.iter().map(|arg| state.read(arg)).collect();
        let (columns, flat) = state.columns(function);
        let counts = Counts { columns, rows: self.held.map_or(0, Constraints::rows) };
        let sized = |arg: &dtau::Arg| {
            let (rows, columns) = arg.size.shape(self.model, counts);
            Matrix::zeros(rows, columns)
        };
        let mut y: Vec<Matrix<f64>> = function.outputs.iter().map(sized).collect();
        called.call_into(scene, &mut self.ws, &x, &mut y)?;
        let members = function
            .outputs
            .iter()
            .zip(y)
            .map(|(arg, written)| (arg.name.into(), Quantity::of(arg, self.model, written, &self.frames, flat)));
        Ok(Quantity::by_name(members.collect()))
    }
}
