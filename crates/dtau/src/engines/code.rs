//! An engine that runs code generated for one robot.
//!
//! ```text
//! Code       functions compiled for one robot, with tables of its numbers     shared, never changes
//! Compiled   runs them behind the same door as any engine                     one per thread
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

/// One generated function. Arguments: its table, the number of states, its inputs, and its outputs, in the
/// order of the declaration. Each array has the declared size times the number of states, and one column if
/// the number of columns is free. The function writes every output completely. It returns 0, or another value
/// if a state cannot be computed.
///
/// The results of a state must not depend on the number of other states.
pub type Routine<F> = dyn Fn(&[F], usize, &[&[F]], &mut [&mut [F]]) -> i32 + Send + Sync;

/// Functions compiled for one robot, with its numbers. Engines share them. See [`Compiled`].
#[derive(Clone)]
pub struct Code<F = f64> {
    model: Model,
    /// Routines by place in the list. A function with parameters may have several entries.
    functions: Vec<Vec<Entry<F>>>,
}

#[derive(Clone)]
struct Entry<F> {
    function: Function,
    /// The constraints that it acts on, if any.
    constraints: Option<Constraints>,
    routine: Arc<Routine<F>>,
    table: Arc<[F]>,
    /// Positions of gravity's components in the table.
    gravity: Vec<(usize, usize)>,
}

impl<F: Real> Code<F> {
    /// Creates code for a robot, without any function yet.
    pub fn new(model: &Model) -> Self {
        Self { model: model.clone(), functions: functions().iter().map(|_| Vec::new()).collect() }
    }

    /// Adds code for a function, which reads these numbers of the robot from its table. Replaces any code
    /// registered for the same function.
    pub fn with(self, function: Function, table: &[(Constant, f64)], routine: Arc<Routine<F>>) -> Self {
        self.put(function, None, table, routine)
    }

    /// Adds code for a function that acts on constraints. Its table may also have numbers of the constraints.
    /// A function may have code for several sets of constraints.
    pub fn with_constraints(
        self,
        constraints: &Constraints,
        function: Function,
        table: &[(Constant, f64)],
        routine: Arc<Routine<F>>,
    ) -> Self {
        self.put(function, Some(constraints), table, routine)
    }

    /// Adds the code of another `Code` for the same robot. Replaces any code registered for the same functions.
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

    /// True if there is code for a function with its parameters, under any constraints.
    pub fn covers(&self, function: &Function) -> bool {
        self.functions[function.place()].iter().any(|entry| entry.function == *function)
    }

    /// True if there is code for a function under these constraints.
    pub fn covers_under(&self, constraints: &Constraints, function: &Function) -> bool {
        self.find(function, Some(constraints)).is_some()
    }

    /// The code of a function, under constraints if it acts on some, and its original table. For calls
    /// without the engine's checks: the caller must pass correct arrays.
    pub fn routine(&self, function: &Function, constraints: Option<&Constraints>) -> Option<(&Routine<F>, &[F])> {
        self.find(function, constraints).map(|entry| (&*entry.routine, &*entry.table))
    }

    /// All functions with code, in the order of the list.
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
    /// True if it is code for a function. The constraints are compared only for functions that act on
    /// constraints.
    fn is_of(&self, function: &Function, constraints: Option<&Constraints>) -> bool {
        self.function == *function
            && match &self.constraints {
                Some(own) => constraints.is_some_and(|other| own.is_same(other)),
                None => !function.declaration().is_constrained,
            }
    }

    /// True if it computes everything a scene needs, apart from its constraints and gravity.
    fn serves(&self, scene: &Scene<'_, F>) -> bool {
        let tree = scene.model.tree();
        // Generated code assumes that all constraints are active and that no motion is desired.
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

/// Generated code with the table for one call.
pub struct Ready<'a, F> {
    routine: &'a Routine<F>,
    table: &'a [F],
}

impl<F: Real> Ready<'_, F> {
    /// Computes some states, on checked arrays; true on success.
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
/// The library computes everything without code: other functions, frames and numbers of columns; calls with
/// wrenches, without an effect of the robot's joints, or under a gravity that the code cannot take. It also
/// recomputes states that the code reports as failed; its error, if any, is that of the call.
///
/// It takes arrays of any number of states, as a [`Batch`], and works only for the robot of its code. It
/// carries no information from call to call. One thread uses it at a time: create one per thread, or one that
/// uses several threads by [`with_threads`](Self::with_threads).
pub struct Compiled<F: BatchScalar = f64> {
    code: Code<F>,
    /// The fallback, for one state and for many.
    one: Workspace<F>,
    many: Batch<F>,
    /// A table with another gravity than the robot's.
    table: Vec<F>,
    /// The model that was last recognised as the code's robot.
    known: usize,
}

impl<F: BatchScalar> Compiled<F> {
    /// Creates an engine for a model, on the calling thread.
    ///
    /// # Errors
    /// If the code is for another robot, or there is no memory.
    pub fn new(model: &Model, code: &Code<F>) -> Result<Self, Error> {
        Self::on(Batch::new(model), model, code)
    }

    /// Creates an engine for a model, on `threads` threads, as [`Batch::with_threads`].
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

    /// Calls `f` after every few dozen states, as [`Batch::on_progress`].
    pub fn on_progress(mut self, f: impl Fn(super::Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        self.many = self.many.on_progress(f);
        self
    }

    /// Number of threads that compute.
    pub fn threads(&self) -> usize {
        self.many.threads()
    }

    /// True if there is code for a function with its parameters. The library computes all other functions.
    pub fn covers(&self, function: &Function) -> bool {
        self.code.covers(function)
    }

    #[inline]
    fn check(&mut self, model: &Model) -> Result<(), Error> {
        if self.known == model.id() { Ok(()) } else { self.look(model) }
    }

    /// Checks that a newly built model is the robot of the code.
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
    /// The table for the gravity of a scene, stored in `own` if it is not the model's gravity. `None` if the
    /// code assumes a fixed value for a component that differs.
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
