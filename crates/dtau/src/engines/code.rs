//! Code that was generated for one robot, as an engine.
//!
//! ```text
//! Code       functions compiled for one robot, with tables of its numbers     shared, never changes
//! Compiled   runs them behind the same door as any engine                     one a thread
//! ```

use super::batch::{Task, outputs};
use super::{Batch, BatchScalar, Call, Workspace};
use crate::constraints::Constraints;
use crate::door::check::{self, Lengths};
use crate::door::{Declaration, Function, Job, Surrounding, finite, functions};
use crate::error::{Error, ErrorKind};
use crate::matrix::MatrixMut;
use crate::model::{Constant, Model};
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

/// One generated function: its table, the number of states, its inputs and outputs in the order of the declaration; each array has so many
/// numbers as the declaration says, times the states, and one column where the caller may choose. It writes all of every output and
/// answers 0, or anything else where a state cannot be computed.
///
/// What it writes for a state must not depend on how many others there are.
pub type Routine<F> = dyn Fn(&[F], usize, &[&[F]], &mut [&mut [F]]) -> i32 + Send + Sync;

/// Functions that were compiled for one robot, and its numbers; engines share them. See [`Compiled`].
#[derive(Clone)]
pub struct Code<F = f64> {
    model: Model,
    /// By place in the list; several where a function has parameters.
    functions: Vec<Vec<Entry<F>>>,
}

#[derive(Clone)]
struct Entry<F> {
    function: Function,
    /// Those that it acts on, if it acts on some.
    constraints: Option<Constraints>,
    routine: Arc<Routine<F>>,
    table: Arc<[F]>,
    /// Where components of gravity stand in the table.
    gravity: Vec<(usize, usize)>,
}

impl<F: Real> Code<F> {
    /// Of no function yet.
    pub fn new(model: &Model) -> Self {
        Self { model: model.clone(), functions: functions().iter().map(|_| Vec::new()).collect() }
    }

    /// With code for a function, which reads these numbers of the robot from its table. In the place of what was there for the same.
    pub fn with(self, function: Function, table: &[(Constant, f64)], routine: Arc<Routine<F>>) -> Self {
        self.put(function, None, table, routine)
    }

    /// The same for a function that acts on constraints, which reads numbers of theirs from its table too. There may be code for several
    /// sets of them.
    pub fn with_constraints(
        self,
        constraints: &Constraints,
        function: Function,
        table: &[(Constant, f64)],
        routine: Arc<Routine<F>>,
    ) -> Self {
        self.put(function, Some(constraints), table, routine)
    }

    /// With the code of another, for the same robot; in the place of what was there for the same.
    ///
    /// # Errors
    /// If it is for another robot.
    pub fn and(mut self, other: &Self) -> Result<Self, Error> {
        if !is_same_robot(&self.model, &other.model) {
            return Err(other_robot(&other.model, &self.model));
        }
        for entry in other.functions.iter().flatten() {
            self.add(entry.clone());
        }
        Ok(self)
    }

    fn put(
        mut self,
        function: Function,
        constraints: Option<&Constraints>,
        table: &[(Constant, f64)],
        routine: Arc<Routine<F>>,
    ) -> Self {
        let gravity = table.iter().enumerate().filter_map(|(place, (which, _))| match which {
            Constant::Gravity(component) => Some((*component, place)),
            _ => None,
        });
        let constraints = constraints.filter(|_| function.declaration().is_constrained).cloned();
        self.add(Entry {
            function,
            constraints,
            routine,
            gravity: gravity.collect(),
            table: table.iter().map(|(_, x)| F::from_f64(*x)).collect(),
        });
        self
    }

    fn add(&mut self, entry: Entry<F>) {
        let alike = &mut self.functions[entry.function.place()];
        alike.retain(|other| !other.is_of(&entry.function, entry.constraints.as_ref()));
        alike.push(entry);
    }

    /// Whether there is code for a function with its parameters, under whichever constraints.
    pub fn covers(&self, function: &Function) -> bool {
        self.functions[function.place()].iter().any(|entry| entry.function == *function)
    }

    /// Whether there is code for a function under these constraints.
    pub fn covers_under(&self, constraints: &Constraints, function: &Function) -> bool {
        self.find(function, Some(constraints)).is_some()
    }

    /// The code of a function, under constraints if it acts on some, and the table it was made with: for calls without the engine's checks,
    /// whose arrays are the caller's matter.
    pub fn routine(&self, function: &Function, constraints: Option<&Constraints>) -> Option<(&Routine<F>, &[F])> {
        self.find(function, constraints).map(|entry| (&*entry.routine, &*entry.table))
    }

    /// All functions that there is code for, in the order of the list.
    pub fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        self.functions.iter().flatten().map(|entry| entry.function)
    }

    fn find(&self, function: &Function, constraints: Option<&Constraints>) -> Option<&Entry<F>> {
        self.functions[function.place()].iter().find(|entry| entry.is_of(function, constraints))
    }

    fn longest_table(&self) -> usize {
        self.functions.iter().flatten().map(|entry| entry.table.len()).max().unwrap_or(0)
    }
}

impl<F> Entry<F> {
    /// Whether it is code for a function under some constraints, which matter to functions that act on some.
    fn is_of(&self, function: &Function, constraints: Option<&Constraints>) -> bool {
        self.function == *function
            && match &self.constraints {
                Some(own) => constraints.is_some_and(|other| own.is_same(other)),
                None => !function.declaration().is_constrained,
            }
    }

    /// Whether it computes what a scene asks for, its constraints and gravity apart.
    fn serves(&self, scene: &Scene<'_, F>) -> bool {
        let tree = scene.model.tree();
        // Code is for constraints that all act, and desire no motion.
        (scene.active.is_none() && scene.desired.is_none())
            && self.function.declaration().surroundings.iter().all(|surrounding| match surrounding {
                Surrounding::Wrenches => scene.wrenches.is_empty(),
                Surrounding::Gravity => true,
                Surrounding::Damping => (scene.damping || !tree.has_damping) && (scene.springs || !tree.has_springs),
                Surrounding::Friction => scene.friction || !tree.has_friction,
                Surrounding::Armature => scene.armature || !tree.has_armature,
            })
    }
}

fn is_same_robot(own: &Model, model: &Model) -> bool {
    let joints = |model: &Model| model.tree().bodies.iter().map(|body| body.joint).collect::<Vec<_>>();
    own.shape() == model.shape()
        && own.options() == model.options()
        && own.mimic() == model.mimic()
        && joints(own) == joints(model)
        && own.constants() == model.constants()
}

#[cold]
fn other_robot(own: &Model, model: &Model) -> Error {
    let (own, name) = (own.name(), model.name());
    let message = format!(
        "the code was compiled for another robot, \"{own}\", not for model \"{name}\", or for other numbers of it; compile \
         it for this model"
    );
    Error::new(ErrorKind::Length, message)
}

/// Generated code with the table of one call.
pub struct Ready<'a, F> {
    routine: &'a Routine<F>,
    table: &'a [F],
}

impl<F: Real> Ready<'_, F> {
    /// Whether it computes some states, on arrays that were checked.
    pub(super) fn computes(
        &self,
        scene: &Scene<'_, F>,
        declaration: &Declaration,
        states: usize,
        x: &[&[F]],
        y: &mut [&mut [F]],
    ) -> bool {
        (self.routine)(self.table, states, x, y) == 0 && finite::written(declaration, scene, x, y)
    }
}

impl<F> fmt::Debug for Ready<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").finish_non_exhaustive()
    }
}

/// The engine that runs [`Code`] of a robot.
///
/// ```
/// # use dtau::model::{Model, Options};
/// # use dtau::{Code, Compiled, Parameters, function, normalise};
/// # use std::sync::Arc;
/// let model = Model::bundled("arm6", &Options::default())?;
/// let code = Code::new(&model); // `dtau_generate::load` makes one that has functions; here is one by hand
/// let normalise_arm6 = |_: &[f64], _: usize, x: &[&[f64]], y: &mut [&mut [f64]]| {
///     y[0].copy_from_slice(x[0]); // joints without quaternions
///     0
/// };
/// let code = code.with(function("normalise")?.with(&Parameters::default())?, &[], Arc::new(normalise_arm6));
///
/// let mut fast = Compiled::new(&model, &code)?;
/// let (q, mut to) = (vec![0.1; 1000 * model.nq()], vec![0.0; 1000 * model.nq()]); // any number of states
/// normalise(&model, &mut fast, &q, &mut to)?;
/// # Ok::<(), dtau::Error>(())
/// ```
///
/// What there is no code for, the library computes: other functions, frames and numbers of columns; calls under wrenches, without an effect
/// of the joints that the robot has, or under a gravity that the code cannot take. So does it where code reports that a state failed,
/// and its error is the call's.
///
/// It takes arrays of any number of states, as a [`Batch`], and serves the robot that the code was made for. It carries no information
/// from call to call. One thread uses it at a time; make one a thread, or with [`with_threads`](Self::with_threads) one that uses several.
pub struct Compiled<F: BatchScalar = f64> {
    code: Code<F>,
    /// What else there is to do, for one state and for many.
    one: Workspace<F>,
    many: Batch<F>,
    /// A table under another gravity than the robot's.
    table: Vec<F>,
    /// The model that was found to be the code's robot.
    known: usize,
}

impl<F: BatchScalar> Compiled<F> {
    /// For a model, on the calling thread.
    ///
    /// # Errors
    /// If the code is for another robot, or there is no memory.
    pub fn new(model: &Model, code: &Code<F>) -> Result<Self, Error> {
        Self::on(Batch::new(model), model, code)
    }

    /// For a model, on this many threads as [`Batch::with_threads`].
    ///
    /// # Errors
    /// If the code is for another robot, or the system gives no threads or no memory.
    #[cfg(feature = "rayon")]
    pub fn with_threads(model: &Model, code: &Code<F>, threads: usize) -> Result<Self, Error> {
        Self::on(Batch::with_threads(model, threads)?, model, code)
    }

    fn on(many: Batch<F>, model: &Model, code: &Code<F>) -> Result<Self, Error> {
        let (code, one) = (code.clone(), Workspace::try_new(model)?);
        let table = Vec::with_capacity(code.longest_table());
        let mut compiled = Self { known: code.model.id(), code, one, many, table };
        compiled.check(model)?;
        Ok(compiled)
    }

    /// Calls `f` every few dozen of many states, as [`Batch::on_progress`].
    pub fn on_progress(mut self, f: impl Fn(super::Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        self.many = self.many.on_progress(f);
        self
    }

    /// How many threads compute.
    pub fn threads(&self) -> usize {
        self.many.threads()
    }

    /// Whether there is code for a function with its parameters; other functions the library computes.
    pub fn covers(&self, function: &Function) -> bool {
        self.code.covers(function)
    }

    #[inline]
    fn check(&mut self, model: &Model) -> Result<(), Error> {
        if self.known == model.id() { Ok(()) } else { self.look(model) }
    }

    /// Whether it is the robot of the code, made anew.
    #[cold]
    fn look(&mut self, model: &Model) -> Result<(), Error> {
        if is_same_robot(&self.code.model, model) {
            self.known = model.id();
            return Ok(());
        }
        Err(other_robot(&self.code.model, model))
    }
}

impl<F: Real> Entry<F> {
    /// The table under the gravity of a scene, in `own` where that is not the model's. `None` where the code was made for this
    /// component being what it is.
    fn table_under<'a>(&'a self, scene: &Scene<'_, F>, own: &'a mut Vec<F>) -> Option<&'a [F]> {
        let (asked, of_model) = (scene.gravity.to_array(), scene.model.gravity());
        let depends = || self.function.declaration().surroundings.contains(&Surrounding::Gravity);
        if asked == of_model || !depends() {
            return Some(&self.table);
        }
        own.clear();
        own.extend_from_slice(&self.table);
        for component in 0..3 {
            if asked[component] == of_model[component] {
                continue;
            }
            let mut places = self.gravity.iter().filter(|(which, _)| *which == component).peekable();
            places.peek()?;
            for (_, place) in places {
                own[*place] = F::from_f64(asked[component]);
            }
        }
        Some(own)
    }
}

impl<F: BatchScalar> Call<F> for Compiled<F> {
    fn call(&mut self, job: Job<F>, scene: &Scene<'_, F>, x: &[&[F]], y: &mut [MatrixMut<'_, F>]) -> Result<(), Error> {
        self.check(scene.model)?;
        let (function, declaration) = (job.function, job.function.declaration());
        check::surroundings(&function, declaration, scene)?;
        let lengths = Lengths::of(declaration, scene, x, y)?;
        let Self { code, one, many, table, .. } = self;
        let entry =
            code.find(&function, scene.constraints).filter(|entry| lengths.counts.columns == 1 && entry.serves(scene));
        let ready =
            entry.and_then(|entry| Some(Ready { routine: &*entry.routine, table: entry.table_under(scene, table)? }));
        let mut to = outputs(y);
        if lengths.states == 1 {
            let to = &mut to[..declaration.outputs.len()];
            if ready.as_ref().is_some_and(|code| code.computes(scene, declaration, 1, x, to)) {
                return Ok(());
            }
            if F::HAS_SINGLE {
                return one.call(F::single(function), scene, x, y);
            }
        }
        many.run(&Task::new(function, *scene, lengths, x).by(ready), outputs(y))
    }
}

impl<F> fmt::Debug for Code<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functions = self.functions.iter().flatten().map(|entry| entry.function);
        f.debug_struct("Code")
            .field("robot", &self.model.name())
            .field("functions", &functions.collect::<Vec<_>>())
            .finish()
    }
}

impl<F: BatchScalar> fmt::Debug for Compiled<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("code", &self.code).field("threads", &self.threads()).finish_non_exhaustive()
    }
}
