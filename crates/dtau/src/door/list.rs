//! The list of functions, as data.

use super::check;
use super::{Algorithm, Arg, Kernel, MOST_ARRAYS, Mimicry, Property, Surrounding};
use crate::derivatives::FdWay;
use crate::dispatch::Hardware;
use crate::engines::Engine;
use crate::error::{Error, ErrorKind};
use crate::kinematics::Reference;
use crate::matrix::{Matrix, MatrixMut};
use crate::model::names::suggest;
use crate::model::{FrameId, Model};
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::format;

/// The declaration of a function, as data.
#[derive(Debug)]
pub struct Declaration {
    /// Its name in Rust, Python, the command line and files.
    pub name: &'static str,
    /// Its documentation, as in Rust.
    pub documentation: &'static str,
    /// Its parameters besides the state.
    pub parameters: &'static [Parameter],
    /// The arrays it reads.
    pub inputs: &'static [Arg],
    /// The arrays it writes.
    pub outputs: &'static [Arg],
    /// The surroundings that it depends on.
    pub surroundings: &'static [Surrounding],
    make: fn(&Parameters) -> Option<Function>,
    /// True if it needs more than O(N) scratch or model data.
    pub(crate) reserves: bool,
    /// True if it acts on the constraints of its scene.
    pub(crate) is_constrained: bool,
    /// True if it divides by inertias, so that tiny ones make large results.
    pub(crate) divides: bool,
    /// Number of nv × nv matrices in its scratch.
    pub(crate) squares: usize,
    /// Largest result, in numbers per state, for which SIMD lanes still pay.
    #[cfg_attr(not(feature = "batch"), expect(dead_code))]
    pub(crate) most_in_lanes: usize,
    /// The part of the library that handles mimicking joints.
    pub(crate) mimicry: Mimicry,
    /// True if an output has the zeros of the tree.
    pub(crate) has_zeros_of_tree: bool,
    /// True if an output is too large to be read again, see [`finite`](super::finite).
    pub(crate) has_large: bool,
    /// True if it writes second derivatives.
    pub(crate) is_second: bool,
    /// True if its scratch depends only on the model, not on its parameters or on constraints.
    pub(crate) has_fixed_room: bool,
}

/// A parameter of a function besides the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A frame.
    Frame,
    /// Reference axes and point.
    Reference,
    /// A method for the derivatives of forward dynamics.
    Way,
    /// Constraints. A call has them in its scene: [`Scene::constraints`].
    Constraints,
}

/// Given values of [`Declaration::parameters`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters {
    /// A frame.
    pub frame: Option<FrameId>,
    /// Reference axes and point.
    pub reference: Option<Reference>,
    /// A method for the derivatives of forward dynamics.
    pub way: Option<FdWay>,
}

/// A required or optional parameter.
pub(crate) trait Given<P>: Sized {
    fn given(parameter: Option<P>) -> Option<Self>;
    fn back(self) -> Option<P>;
}

impl<P> Given<P> for P {
    fn given(parameter: Option<P>) -> Option<P> {
        parameter
    }
    fn back(self) -> Option<P> {
        Some(self)
    }
}

impl<P> Given<P> for Option<P> {
    fn given(parameter: Option<P>) -> Option<Option<P>> {
        Some(parameter)
    }
    fn back(self) -> Option<P> {
        self
    }
}

impl Declaration {
    /// Returns the function with these parameters; parameters that it does not take are ignored.
    ///
    /// # Errors
    /// If a parameter is missing.
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

/// All functions, in the order of the documentation.
pub fn functions() -> &'static [Declaration] {
    &DECLARATIONS
}

/// Finds a function by name.
///
/// # Errors
/// If there is none. The message lists the nearest names.
pub fn function(name: &str) -> Result<&'static Declaration, Error> {
    DECLARATIONS.iter().find(|f| f.name == name).ok_or_else(|| {
        let hint = suggest(name, DECLARATIONS.iter().map(|f| f.name));
        Error::new(ErrorKind::UnknownName, format!("there is no function {name:?}; {hint}"))
    })
}

const _: () = assert!(DECLARATIONS.len() <= 128, "`Memory::asked` has a bit for each");

/// An algorithm of the list.
pub trait Listed {
    /// Index of its function in the list.
    const PLACE: usize;
    /// The algorithm with the parameters of its function.
    fn of(function: &Function) -> Self;
    /// The parameters of its function.
    fn given(&self) -> Parameters;
}

/// The row of an algorithm in the list.
const fn row<A: Algorithm<I, O>, const I: usize, const O: usize>(declared: Declared) -> Declaration {
    let Declared { name, documentation, parameters, surroundings, make } = declared;
    Declaration {
        name,
        documentation,
        parameters,
        inputs: &A::INPUTS,
        outputs: &A::OUTPUTS,
        surroundings,
        make,
        reserves: A::RESERVES,
        is_constrained: A::CONSTRAINED,
        divides: A::DIVIDES,
        squares: A::SQUARES,
        most_in_lanes: A::MOST_IN_LANES,
        mimicry: A::MIMICRY,
        has_zeros_of_tree: Arg::count(&A::OUTPUTS, Property::HasZerosOfTree) > 0,
        has_large: Arg::count(&A::OUTPUTS, Property::IsLarge) > 0,
        is_second: Arg::count(&A::OUTPUTS, Property::IsOverPairs) >= 4, // no other has four matrices over pairs
        has_fixed_room: !A::CONSTRAINED && parameters.is_empty(),
    }
}

/// The part of a row that `declare!` writes.
struct Declared {
    name: &'static str,
    documentation: &'static str,
    parameters: &'static [Parameter],
    surroundings: &'static [Surrounding],
    make: fn(&Parameters) -> Option<Function>,
}

macro_rules! list {
    ($($module:ident::$type:ident,)*) => {
        /// A function with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Function {
            place: usize,
            kind: Kind,
        }

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
                    Self { place: Place::$type as usize, kind: Kind::$type(f) }
                }
            }

            impl Listed for crate::$module::$type {
                const PLACE: usize = Place::$type as usize;

                #[inline(always)]
                fn of(function: &Function) -> Self {
                    match function.kind {
                        Kind::$type(f) => f,
                        _ => unreachable!("a kernel is called with its own function"),
                    }
                }

                fn given(&self) -> Parameters {
                    self.parameters()
                }
            }
        )*

        static DECLARATIONS: [Declaration; COUNT] = [$(
            row::<crate::$module::$type, _, _>(Declared {
                name: crate::$module::$type::NAME,
                documentation: crate::$module::$type::DOCUMENTATION,
                parameters: crate::$module::$type::PARAMETERS,
                surroundings: crate::$module::$type::SURROUNDINGS,
                make: |given| crate::$module::$type::with(given).map(Function::from),
            }),
        )*];

        /// Number of functions.
        pub(crate) const COUNT: usize = [$(Place::$type as usize),*].len();

        impl<T: Real> Kernel<T> {
            /// The code of every function in `T`, by place in the list.
            pub(crate) const ALL: [Self; COUNT] = [$(Self::of::<crate::$module::$type, _, _>()),*];
        }

        impl Function {
            /// The given parameters.
            fn given(&self) -> Parameters {
                match self.kind { $(Kind::$type(f) => f.given(),)* }
            }
        }
    };
}

impl Function {
    /// Its declaration.
    #[inline(always)]
    pub fn declaration(&self) -> &'static Declaration {
        &DECLARATIONS[self.place]
    }

    /// Its index in the list.
    #[inline(always)]
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// Calls it on arrays in the order of the declaration.
    ///
    /// # Errors
    /// If the number of arrays is wrong, and those of the function.
    pub fn call<'m, T: Real>(
        &self,
        scene: impl Into<Scene<'m, T>>,
        on: &mut impl Engine<T>,
        x: &[&[T]],
        y: &mut [&mut [T]],
    ) -> Result<(), Error> {
        self.run(scene.into(), on, x, y.iter_mut().map(|y| MatrixMut::from(&mut **y)))
    }

    /// Calls it with outputs that remember their zeros, as in a direct call of the function.
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
        self.run(scene.into(), on, x, y.iter_mut().map(MatrixMut::from))
    }

    fn run<'y, T: Real + 'y>(
        &self,
        scene: Scene<'_, T>,
        on: &mut impl Engine<T>,
        x: &[&[T]],
        y: impl ExactSizeIterator<Item = MatrixMut<'y, T>>,
    ) -> Result<(), Error> {
        let declaration = self.declaration();
        for (what, got, want) in
            [("reads", x.len(), declaration.inputs.len()), ("writes", y.len(), declaration.outputs.len())]
        {
            if got != want {
                let message = format!("{} {what} {want} arrays, not {got}", declaration.name);
                return Err(Error::new(ErrorKind::Length, message));
            }
        }
        let mut to = MatrixMut::nowhere::<MOST_ARRAYS>();
        for (to, y) in to.iter_mut().zip(y) {
            *to = y;
        }
        on.call(T::Hardware::job_of(*self), &scene, x, &mut to[..declaration.outputs.len()])
    }

    /// Checks that its parameters fit a model.
    pub(crate) fn check(&self, model: &Model) -> Result<(), Error> {
        let Parameters { frame, way, .. } = self.given();
        if let Some(frame) = frame {
            check::frame(model, frame)?;
        }
        way.map_or(Ok(()), |way| way.check(model))
    }

    /// True if SIMD lanes pay for results of this many numbers per state.
    #[cfg(feature = "batch")]
    pub(crate) fn pays_in_lanes(&self, numbers: usize) -> bool {
        numbers <= self.declaration().most_in_lanes
    }
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
