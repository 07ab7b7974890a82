//! The library's functions as calls that can be timed and counted.

use crate::functions;
use crate::sample::Sample;
use crate::timing::Call;
use dtau::model::Model;
use dtau::scalar::Real;
use dtau::{
    Arg, Constraints, Counts, Declaration, Error, Function, Matrix, Parameter, Parameters, Reference, Scene, Size,
    Workspace,
};

/// A function of the library, with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Product(pub Function);

/// Which instructions a function runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// Those every CPU has.
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

/// Results of more numbers than this are not made for all functions of a robot at once: 512 MiB.
const MOST_NUMBERS: usize = 1 << 26;

/// No function reads or writes more arrays.
pub const MOST: usize = 8;

impl Product {
    /// Every function of the list that a robot alone has, so none of constraints, and whose results are not very large; those of a frame
    /// for the last one, the longest way from the root in most robots.
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

    /// What is known of it.
    pub fn declaration(self) -> &'static Declaration {
        self.0.declaration()
    }

    /// What it is, in a few words.
    pub fn title(self) -> String {
        functions::title(self.declaration())
    }

    /// A call with everything made beforehand, as a program would.
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

    /// What it reads at the k-th sample; what that does not have is taken from the next one.
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

    /// Where it writes the results of so many states.
    pub fn outputs<T: Real>(self, scene: &Scene<'_, T>, states: usize) -> Vec<Matrix<T>> {
        let sized = |arg: &Arg| match arg.size.shape(scene.model, counts(scene)) {
            (rows, columns) if states == 1 => Matrix::zeros(rows, columns),
            (rows, columns) => Matrix::zeros(rows * columns * states, 1),
        };
        self.declaration().outputs.iter().map(sized).collect()
    }
}

/// What sizes depend on beside the model.
fn counts<T>(scene: &Scene<'_, T>) -> Counts {
    Counts { columns: 1, rows: scene.constraints.map_or(0, Constraints::rows) }
}

#[cfg(feature = "full")]
mod full {
    use super::{Error, Function, Parameters, Product, Sample, Scene, Workspace};
    use crate::work::without_wrenches;
    use dtau::FdWay;
    use dtau::scalar::{Counted, Operations, Real};

    impl Product {
        /// A function that has no parameters, or none that must be given.
        pub fn named(name: &str) -> Self {
            Self(with(name, Parameters::default()))
        }

        /// The derivatives of forward dynamics in a given way.
        pub fn fd_by(way: FdWay) -> Self {
            Self(with("fd_derivatives", Parameters { way: Some(way), ..Parameters::default() }))
        }

        /// How many operations a call takes.
        pub fn operations(self, scene: &Scene<'_, f64>, sample: &Sample) -> Result<Operations, Error> {
            let count = |x: Vec<f64>| -> Vec<Counted> { x.into_iter().map(Counted::from_f64).collect() };
            let model = scene.model;
            let x: Vec<_> = self.inputs(scene, std::slice::from_ref(sample), 0).into_iter().map(count).collect();
            let counted = without_wrenches::<Counted>(scene);
            let (mut ws, mut y) = (Workspace::<Counted>::new(model), self.outputs(&counted, 1));
            let mut result = Ok(());
            let operations = Operations::of(|| result = self.run(counted, &mut ws, &x, &mut y));
            result.map(|()| operations)
        }
    }

    fn with(name: &str, given: Parameters) -> Function {
        dtau::function(name).and_then(|function| function.with(&given)).expect("a function of the library")
    }
}
