//! The library's functions as calls that can be timed and counted.

use crate::clock::Call;
use crate::functions;
use crate::sample::Sample;
use dtau::model::Model;
use dtau::scalar::{Counted, Operations, Real};
use dtau::{
    Arg, Constraints, Counts, Declaration, Error, Function, Matrix, Parameter, Parameters, Reference, Scene, Size,
    Workspace,
};

/// A function of the library, with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Product(pub Function);

/// Instructions used by a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// Instructions that every CPU has.
    Plain,
    /// The best of this CPU.
    Best,
}

impl Instructions {
    fn workspace(self, scene: &Scene<'_, f64>) -> Workspace {
        match self {
            Self::Plain => Workspace::plain(scene.model),
            Self::Best => Workspace::new(scene.model),
        }
    }
}

/// Largest number of results of a function for all functions of a robot at once: 512 MiB.
const MOST_NUMBERS: usize = 1 << 26;

/// Largest number of arrays that a function reads or writes.
pub const MOST: usize = 8;

impl Product {
    /// A function, by its name and with these parameters.
    pub fn named(name: &str, given: Parameters) -> Self {
        Self(dtau::function(name).and_then(|function| function.with(&given)).expect("a function of the library"))
    }

    /// Every function of a robot alone (without constraints) whose results are not too large. Functions of a
    /// frame use the last frame, which in most robots is farthest from the root.
    pub fn all(model: &Model) -> Result<Vec<Self>, Error> {
        let frame = model.frame_ids().last();
        let given = Parameters { frame, reference: Some(Reference::Local), way: None };
        let numbers = |arg: &Arg| arg.size.of(model, 1);
        let fits = |f: &&Declaration| {
            f.outputs
                .iter()
                .map(numbers)
                .try_fold(0usize, |sum, n| sum.checked_add(n))
                .is_some_and(|n| n <= MOST_NUMBERS)
        };
        let of_robot = dtau::functions().iter().filter(|f| !f.parameters.contains(&Parameter::Constraints));
        of_robot.filter(fits).map(|function| Ok(Self(function.with(&given)?))).collect()
    }

    /// Every function of constraints.
    pub fn constrained() -> Result<Vec<Self>, Error> {
        let constrained = dtau::functions().iter().filter(|f| f.parameters.contains(&Parameter::Constraints));
        constrained.map(|function| Ok(Self(function.with(&Parameters::default())?))).collect()
    }

    /// Its declaration.
    pub fn declaration(self) -> &'static Declaration {
        self.0.declaration()
    }

    /// Its title.
    pub fn title(self) -> String {
        functions::title(self.declaration())
    }

    /// A call with all arrays allocated beforehand, as in a user's program.
    pub fn call<'a>(self, on: Instructions, scene: Scene<'a, f64>, samples: &[Sample]) -> Call<'a> {
        let states: Vec<_> = (0..samples.len()).map(|k| self.inputs(&scene, samples, k)).collect();
        let (mut ws, mut y) = (on.workspace(&scene), self.outputs(&scene, 1));
        Box::new(move |k| self.run(scene, &mut ws, &states[k], &mut y).map_err(|error| error.to_string()))
    }

    /// Calls it on arrays, without allocating.
    pub fn run<T: Real>(
        self,
        scene: Scene<'_, T>,
        on: &mut impl dtau::Engine<T>,
        x: &[Vec<T>],
        y: &mut [Matrix<T>],
    ) -> Result<(), Error> {
        let mut arrays: [&[T]; MOST] = [&[]; MOST];
        for (array, x) in arrays.iter_mut().zip(x) {
            *array = x;
        }
        self.0.call_into(scene, on, &arrays[..x.len()], y)
    }

    /// Inputs at the k-th sample. Arrays that a sample does not have are taken from the next sample.
    pub fn inputs<T>(self, scene: &Scene<'_, T>, samples: &[Sample], k: usize) -> Vec<Vec<f64>> {
        let (x, next) = (&samples[k], &samples[(k + 1) % samples.len()]);
        let numbers = |arg: &Arg| match (arg.name, arg.size) {
            ("q" | "q0", _) => x.q.clone(),
            ("v", _) => x.v.clone(),
            ("a", _) => x.a.clone(),
            ("tau", _) => x.tau.clone(),
            (_, Size::Nq | Size::Coordinates) => next.q.clone(),
            (name, size) if name.ends_with("strength") => vec![1.0; size.of(scene.model, counts(scene))],
            (_, size) => next.v.iter().copied().cycle().take(size.of(scene.model, counts(scene))).collect(),
        };
        self.declaration().inputs.iter().map(numbers).collect()
    }

    /// Number of operations of a call.
    pub fn operations(self, scene: &Scene<'_, f64>, sample: &Sample) -> Result<Operations, Error> {
        let count = |x: Vec<f64>| -> Vec<Counted> { x.into_iter().map(Counted::from_f64).collect() };
        let x: Vec<_> = self.inputs(scene, std::slice::from_ref(sample), 0).into_iter().map(count).collect();
        let counted = in_scalar::<Counted>(scene);
        let (mut ws, mut y) = (Workspace::<Counted>::new(scene.model), self.outputs(&counted, 1));
        let mut result = Ok(());
        let operations = Operations::of(|| result = self.run(counted, &mut ws, &x, &mut y));
        result.map(|()| operations)
    }

    /// Allocates the results of this many states.
    pub fn outputs<T: Real>(self, scene: &Scene<'_, T>, states: usize) -> Vec<Matrix<T>> {
        let sized = |arg: &Arg| match arg.size.shape(scene.model, counts(scene)) {
            (rows, columns) if states == 1 => Matrix::zeros(rows, columns),
            (rows, columns) => Matrix::zeros(rows * columns * states, 1),
        };
        self.declaration().outputs.iter().map(sized).collect()
    }
}

/// Counts besides the model that determine sizes.
pub fn counts<T>(scene: &Scene<'_, T>) -> Counts {
    Counts { columns: 1, rows: scene.constraints.map_or(0, Constraints::rows) }
}

/// The scene in another scalar, without wrenches.
pub fn in_scalar<'a, T>(scene: &Scene<'a, f64>) -> Scene<'a, T> {
    let Scene { model, gravity, constraints, damping, friction, armature, springs, .. } = *scene;
    Scene { gravity, constraints, damping, friction, armature, springs, ..model.scene() }
}

/// The mass matrix, column by column: the torques of each unit acceleration, at rest and without gravity and
/// springs.
pub fn rnea_columns(scene: Scene<'_, f64>, q: &[f64]) -> Result<Vec<f64>, Error> {
    let (n, weightless) = (scene.model.nv(), scene.gravity([0.0; 3]).springs(false));
    let (mut columns, rest, mut ws) = (vec![0.0; n * n], vec![0.0; n], Workspace::new(scene.model));
    for (j, column) in columns.chunks_exact_mut(n).enumerate() {
        let mut unit = rest.clone();
        unit[j] = 1.0;
        dtau::rnea(weightless, &mut ws, q, &rest, &unit, column)?;
    }
    Ok(columns)
}

#[cfg(feature = "batches")]
mod batches {
    use super::{Call, Product, Sample, Scene, in_scalar};
    use dtau::{Batch, BatchScalar};

    /// Threads and precision of a batch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Side {
        /// One thread, several states side by side in SIMD lanes.
        Lanes,
        /// One thread, in single precision.
        Lanes32,
        /// Several threads, each with its lanes.
        Threads(usize),
    }

    /// Number of states that a call on a batch computes.
    pub const STATES: usize = 256;

    impl Product {
        /// A call on a batch of [`STATES`] states, repeating the samples.
        pub fn call_many<'a>(self, side: Side, scene: Scene<'a, f64>, samples: &[Sample]) -> Result<Call<'a>, String> {
            let model = scene.model;
            Ok(match side {
                Side::Lanes => self.many(scene, Batch::<f64>::new(model), samples),
                Side::Lanes32 => self.many(in_scalar(&scene), Batch::<f32>::new(model), samples),
                Side::Threads(count) => {
                    let batch = Batch::with_threads(model, count).map_err(|error| error.to_string())?;
                    self.many(scene, batch, samples)
                }
            })
        }

        fn many<'a, F: BatchScalar + 'a>(self, scene: Scene<'a, F>, mut on: Batch<F>, samples: &[Sample]) -> Call<'a> {
            let mut x: Vec<Vec<F>> = vec![Vec::new(); self.declaration().inputs.len()];
            for k in (0..samples.len()).cycle().take(STATES) {
                for (all, one) in x.iter_mut().zip(self.inputs(&scene, samples, k)) {
                    all.extend(one.into_iter().map(F::from_f64));
                }
            }
            let mut y = self.outputs(&scene, STATES);
            Box::new(move |_| self.run(scene, &mut on, &x, &mut y).map_err(|error| error.to_string()))
        }
    }
}

#[cfg(feature = "batches")]
pub use batches::{STATES, Side};
