//! The list of functions, as data.

use super::finite::Outcome;
use super::{Algorithm, Arg, Checked, Counts, Mimicry, Out, Run, Signature, Surrounding};
use crate::derivatives::FdWay;
use crate::dispatch::{Twin, step};
use crate::engines::{Engine, Memory};
use crate::error::{Error, ErrorKind};
use crate::kinematics::Reference;
use crate::matrix::{Matrix, MatrixMut};
use crate::model::names::suggest;
use crate::model::{FrameId, Model};
use crate::room::{self, PLAN};
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::format;

/// What is known of a function: its declaration, as data.
#[derive(Debug)]
pub struct Declaration {
    /// Its name, in Rust, in Python, in the command and in files.
    pub name: &'static str,
    /// Its documentation, as Rust has it.
    pub documentation: &'static str,
    /// What it takes beside a state.
    pub parameters: &'static [Parameter],
    /// The arrays it reads.
    pub inputs: &'static [Arg],
    /// The arrays it writes.
    pub outputs: &'static [Arg],
    /// What of its surroundings it depends on.
    pub surroundings: &'static [Surrounding],
    make: fn(&Parameters) -> Option<Function>,
}

/// What a function takes beside a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A frame.
    Frame,
    /// Axes and a point.
    Reference,
    /// A way to the derivatives of forward dynamics.
    Way,
    /// Constraints, which a call has in its scene: [`Scene::constraints`].
    Constraints,
}

/// What was given of [`Declaration::parameters`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters {
    /// A frame.
    pub frame: Option<FrameId>,
    /// Axes and a point.
    pub reference: Option<Reference>,
    /// A way to the derivatives of forward dynamics.
    pub way: Option<FdWay>,
}

/// A parameter that must be given, or may.
pub(crate) trait Given<P>: Sized {
    fn given(parameter: Option<P>) -> Option<Self>;
}

impl<P> Given<P> for P {
    fn given(parameter: Option<P>) -> Option<P> {
        parameter
    }
}

impl<P> Given<P> for Option<P> {
    fn given(parameter: Option<P>) -> Option<Option<P>> {
        Some(parameter)
    }
}

impl Declaration {
    /// The function with these parameters; those that it does not take are ignored.
    ///
    /// # Errors
    /// If one is missing.
    pub fn with(&self, given: &Parameters) -> Result<Function, Error> {
        (self.make)(given).ok_or_else(|| {
            let missing = self.parameters.iter().map(|p| match p {
                Parameter::Frame if given.frame.is_none() => "a frame",
                Parameter::Reference if given.reference.is_none() => "a reference",
                Parameter::Way if given.way.is_none() => "a way",
                _ => "",
            });
            let missing = missing.filter(|text| !text.is_empty()).collect::<alloc::vec::Vec<_>>().join(" and ");
            Error::new(ErrorKind::Value, format!("{} needs {missing}", self.name))
        })
    }
}

/// All functions, in the order in which the documentation has them.
pub fn functions() -> &'static [Declaration] {
    DECLARATIONS
}

/// The function of a name.
///
/// # Errors
/// If there is none, with the nearest names.
pub fn function(name: &str) -> Result<&'static Declaration, Error> {
    DECLARATIONS.iter().find(|f| f.name == name).ok_or_else(|| {
        let hint = suggest(name, DECLARATIONS.iter().map(|f| f.name));
        Error::new(ErrorKind::UnknownName, format!("there is no function {name:?}; {hint}"))
    })
}

const _: () = assert!(DECLARATIONS.len() <= 128, "`Memory::asked` has a bit for each");

/// Where a function stands in the list.
pub trait Listed {
    /// Its place.
    const PLACE: usize;
}

macro_rules! list {
    ($($module:ident::$type:ident,)*) => {
        /// A function with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Function(Kind);

        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Kind {
            $($type(crate::$module::$type),)*
        }

        enum Place {
            $($type,)*
        }

        $(
            impl From<crate::$module::$type> for Function {
                #[inline(always)]
                fn from(f: crate::$module::$type) -> Self {
                    Self(Kind::$type(f))
                }
            }

            impl Listed for crate::$module::$type {
                const PLACE: usize = Place::$type as usize;
            }
        )*

        static DECLARATIONS: &[Declaration] = &[$(
            Declaration {
                name: crate::$module::$type::NAME,
                documentation: crate::$module::$type::DOCUMENTATION,
                parameters: crate::$module::$type::PARAMETERS,
                inputs: &<crate::$module::$type as Signature<_, _>>::INPUTS,
                outputs: &<crate::$module::$type as Signature<_, _>>::OUTPUTS,
                surroundings: crate::$module::$type::SURROUNDINGS,
                make: |given| crate::$module::$type::with(given).map(Function::from),
            },
        )*];

        impl Function {
            /// What is known of it.
            pub fn declaration(&self) -> &'static Declaration {
                &DECLARATIONS[self.place()]
            }

            /// Where it stands in the list.
            pub(crate) fn place(&self) -> usize {
                match self.0 { $(Kind::$type(_) => Place::$type as usize,)* }
            }

            /// Calls it on arrays in the order of the declaration.
            ///
            /// # Errors
            /// If the number of arrays is another, and as the function.
            pub fn call<'m, T: Real>(
                &self,
                scene: impl Into<Scene<'m, T>>,
                on: &mut impl Engine<T>,
                x: &[&[T]],
                y: &mut [&mut [T]],
            ) -> Result<(), Error> {
                let (scene, y) = (scene.into(), y.iter_mut().map(|y| MatrixMut::from(&mut **y)));
                match self.0 { $(Kind::$type(f) => by_name(f, scene, on, x, y),)* }
            }

            /// Calls it with outputs that remember what is zero in them, as a program that calls the function has them.
            ///
            /// # Errors
            /// As [`call`](Self::call).
            pub fn call_into<'m, T: Real>(
                &self,
                scene: impl Into<Scene<'m, T>>,
                on: &mut impl Engine<T>,
                x: &[&[T]],
                y: &mut [Matrix<T>],
            ) -> Result<(), Error> {
                let (scene, y) = (scene.into(), y.iter_mut().map(MatrixMut::from));
                match self.0 { $(Kind::$type(f) => by_name(f, scene, on, x, y),)* }
            }

            /// Whether the parameters fit a model.
            pub(crate) fn check(&self, model: &Model) -> Result<(), Error> {
                match self.0 { $(Kind::$type(f) => f.check(model),)* }
            }

            /// Whether it acts on constraints.
            #[cfg(feature = "batch")]
            pub(crate) fn is_constrained(&self) -> bool {
                match self.0 { $(Kind::$type(_) => is_constrained::<crate::$module::$type, _, _>(),)* }
            }

            /// Whether several states of a batch go side by side, for results of so many numbers a state.
            #[cfg(feature = "batch")]
            pub(crate) fn pays_in_lanes(&self, numbers: usize) -> bool {
                numbers <= match self.0 { $(Kind::$type(_) => most_in_lanes::<crate::$module::$type, _, _>(),)* }
            }

            /// Makes room for it.
            pub(crate) fn reserve<T: Real>(&self, model: &Model, memory: &mut Memory<T>, counts: Counts) -> Result<(), Error> {
                match self.0 { $(Kind::$type(f) => memory.reserve(f, model, counts),)* }
            }

            /// Runs it on one state, of a scalar or of its twin `N`, on arrays that were checked.
            #[inline(always)]
            pub(crate) fn run<T: Real, N: Twin<T>>(
                &self,
                scene: &Scene<'_, N>,
                memory: &mut Memory<N>,
                x: &[&[T]],
                y: &mut [Out<'_, T>],
            ) -> Outcome {
                match self.0 { $(Kind::$type(f) => run(f, scene, memory, x, y),)* }
            }
        }
    };
}

list! {
    dynamics::Rnea,
    dynamics::Bias,
    dynamics::GravityTorques,
    dynamics::Aba,
    dynamics::Crba,
    dynamics::Minverse,
    dynamics::Coriolis,
    dynamics::MassTimes,
    dynamics::MassSolve,
    dynamics::EnergyOf,
    dynamics::Regressor,
    dynamics::EnergyRows,
    kinematics::PlacementsOf,
    kinematics::Motions,
    kinematics::FramePlacement,
    kinematics::FrameVelocity,
    kinematics::FrameAcceleration,
    kinematics::FrameClassicalAcceleration,
    kinematics::FrameJacobian,
    kinematics::FrameJacobianRate,
    kinematics::FrameError,
    kinematics::CentreOfMass,
    kinematics::ComJacobian,
    kinematics::CentroidalMomentum,
    kinematics::CentroidalMomentumRate,
    kinematics::CentroidalMatrix,
    derivatives::Id,
    derivatives::Inertial,
    derivatives::BiasPartials,
    derivatives::GravityPartials,
    derivatives::Fd,
    derivatives::IdJvp,
    derivatives::IdVjp,
    derivatives::FdJvp,
    derivatives::FdVjp,
    derivatives::IdTwice,
    derivatives::IdVjpPartials,
    derivatives::FdTwice,
    derivatives::FdVjpPartials,
    derivatives::IdHvp,
    derivatives::FdHvp,
    derivatives::IdTensors,
    derivatives::FdTensors,
    derivatives::FdRegressor,
    derivatives::IdCalibration,
    derivatives::FrameCalibration,
    kinematics::FrameErrorPartials,
    derivatives::FrameTwice,
    derivatives::ComTwice,
    derivatives::FrameVelocityPartials,
    derivatives::FrameAccelerationPartials,
    derivatives::FrameMotionPartials,
    derivatives::FrameClassicalAccelerationPartials,
    derivatives::ComVelocityPartials,
    derivatives::CentroidalPartials,
    kinematics::Integrate,
    kinematics::Difference,
    kinematics::IntegratePartials,
    kinematics::DifferencePartials,
    kinematics::Normalise,
    constraints::ConstrainedFd,
    constraints::ConstrainedFdPartials,
    constraints::ConstrainedFdDesired,
    constraints::ConstrainedFdJvp,
    constraints::ConstrainedFdVjp,
    constraints::ConstrainedId,
    constraints::ConstrainedIdPartials,
    constraints::ConstraintErrors,
    constraints::ConstraintJacobian,
    constraints::Delassus,
    constraints::Impulse,
    constraints::ImpulsePartials,
}

fn by_name<'y, A: Algorithm<I, O>, T: Real + 'y, const I: usize, const O: usize>(
    f: A,
    scene: Scene<'_, T>,
    on: &mut impl Engine<T>,
    x: &[&[T]],
    y: impl ExactSizeIterator<Item = MatrixMut<'y, T>>,
) -> Result<(), Error> {
    let Ok(x) = x.try_into() else { return Err(wrong_count(A::PLACE, "reads", x.len(), I)) };
    if y.len() != O {
        return Err(wrong_count(A::PLACE, "writes", y.len(), O));
    }
    let mut to: [MatrixMut<'_, T>; O] = core::array::from_fn(|_| MatrixMut::none());
    for (to, y) in to.iter_mut().zip(y) {
        *to = y;
    }
    on.call(f, scene, x, to)
}

#[cfg(feature = "batch")]
fn is_constrained<A: Algorithm<I, O>, const I: usize, const O: usize>() -> bool {
    A::CONSTRAINED
}

#[cfg(feature = "batch")]
fn most_in_lanes<A: Algorithm<I, O>, const I: usize, const O: usize>() -> usize {
    A::MOST_IN_LANES
}

#[cold]
fn wrong_count(place: usize, what: &str, got: usize, want: usize) -> Error {
    let name = DECLARATIONS[place].name;
    Error::new(ErrorKind::Length, format!("{name} {what} {want} arrays, not {got}"))
}

#[inline(always)]
fn run<A: Algorithm<I, O>, T: Real, N: Twin<T>, const I: usize, const O: usize>(
    algorithm: A,
    scene: &Scene<'_, N>,
    memory: &mut Memory<N>,
    from: &[&[T]],
    to: &mut [Out<'_, T>],
) -> Outcome {
    // Loops, since `map` of arrays is not inlined.
    let (mut x, mut y) = ([&[][..]; I], Out::nowhere());
    for (x, from) in x.iter_mut().zip(from) {
        *x = N::slice(from);
    }
    for (y, to) in y.iter_mut().zip(&mut *to) {
        *y = Out { entries: N::slice_mut(to.entries), zeros_in_place: to.zeros_in_place };
    }
    run_checked(algorithm, scene, memory, x, y)
}

/// Runs an algorithm on one state, and looks at what came out.
#[inline(always)]
pub(crate) fn run_checked<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    algorithm: A,
    scene: &Scene<'_, T>,
    memory: &mut Memory<T>,
    x: [&[T]; I],
    y: [Out<'_, T>; O],
) -> Outcome {
    step(memory.proof(), (algorithm, Checked(Run { scene, memory, x, y })))
}

impl<T: Real> Memory<T> {
    /// Makes room for what a function needs beyond O(N), unless it is there.
    #[inline]
    pub(crate) fn reserve<A: Algorithm<I, O>, const I: usize, const O: usize>(
        &mut self,
        f: A,
        model: &Model,
        counts: Counts,
    ) -> Result<(), Error> {
        let mimics = model.mimic().is_some();
        let bit = 1_u128 << A::PLACE;
        if self.asked & bit == 0 && (A::RESERVES || mimics) {
            room::ask(room_of::<A, T, I, O>(model, counts), || {
                format!("the scratch of {}", DECLARATIONS[A::PLACE].name)
            })?;
            self.asked |= bit;
        }
        if A::RESERVES {
            f.reserve(model, &mut self.scratch);
        }
        if A::CONSTRAINED {
            f.reserve_rows(model, counts.rows, &mut self.scratch);
        }
        if matches!(A::MIMICRY, Mimicry::AtTheDoor) && mimics {
            self.full.fit(model, &A::INPUTS, &A::OUTPUTS, counts);
        }
        Ok(())
    }
}

/// What an algorithm needs beyond O(N), at the most \[bytes\].
#[cold]
fn room_of<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(model: &Model, counts: Counts) -> usize {
    let (dofs, number) = (model.tree().dofs.len(), size_of::<T>());
    let square = dofs.saturating_mul(dofs);
    let fills = A::OUTPUTS.iter().any(|arg| arg.size.is_over_pairs());
    let plan = if A::RESERVES && fills { PLAN } else { 0 };
    // The factor of a mass matrix that is not tree-sparse, and arrays in full coordinates.
    let (mut numbers, mimics) = (square.saturating_mul(A::SQUARES), model.mimic().is_some());
    if mimics && A::RESERVES {
        numbers += square;
    }
    if mimics && matches!(A::MIMICRY, Mimicry::AtTheDoor) {
        numbers = A::INPUTS
            .iter()
            .chain(&A::OUTPUTS)
            .fold(numbers, |sum, arg| sum.saturating_add(arg.size.full(model, counts)));
    }
    square.saturating_mul(plan).saturating_add(numbers.saturating_mul(number))
}
