//! The door: every function of the library is declared once and called through it. A declaration is defined
//! here.
//!
//! ```text
//! declare! { /// documentation
//!            fn rnea(q: Nq, v: Nv, a: Nv) -> (slice tau: Nv) by Rnea, under Surrounding::ALL }
//!
//! rnea(scene, engine, q, v, a, tau)         the public function                                  (1)
//!   engine.call(job, scene, x, y)           a Workspace, a Batch, …: checks by the declaration   [`check`]
//!     memory.run(kernel, …)                 mimicking joints, there and back                     [`run`]
//!       Rnea.compute(scene, scratch, …)     the algorithm, on the full tree                      [`Algorithm`]
//!     finite?                               a look at the result                                 [`finite`]
//! ```
//!
//! (1) makes a [`Job`]: the function and its [`Kernel`], the only code that is compiled for each function and
//! scalar. The kernel sees full trees, one scalar, and arrays of the right size. Everything else follows the
//! declaration, a row of the [`list`]; so do the batch engine, the Python package, the command line and the
//! tests.

pub(crate) mod check;
pub(crate) mod finite;
mod kernel;
pub(crate) mod list;
mod results;
mod run;

#[cfg(feature = "batch")]
pub use finite::Outcome;
pub use kernel::{Job, Kernel};
pub(crate) use list::COUNT;
pub use list::{Declaration, Function, Parameter, Parameters, function, functions};
pub(crate) use results::{Sizes, results};
pub(crate) use run::{Full, MOST_ARRAYS, nested};

use crate::dispatch::Hardware;
use crate::engines::{Engine, Memory, Scratch};
use crate::error::Error;
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::sweeps::singular::Singular;
use alloc::format;
use alloc::string::String;

/// Size of an array for one state, and the meaning of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Size {
    /// A configuration: nq numbers, quaternions of unit length.
    Nq,
    /// nq numbers, quaternions of any length.
    Coordinates,
    /// One number for each degree of freedom.
    Nv,
    /// A matrix of nv × nv.
    Square,
    /// A symmetric matrix of nv × nv, both triangles.
    Symmetric,
    /// An array of nv × nv × nv, the first index fastest: nv column-major matrices of nv × nv.
    Cube,
    /// An array of nv × nv × nv that is symmetric in its last two indices.
    SymmetricCube,
    /// A matrix with this many rows × nv.
    Wide(usize),
    /// A matrix of nv × k; the caller chooses k.
    Columns,
    /// This many numbers for every frame.
    Frames(usize),
    /// A matrix of nv × ten for every link.
    Parameters,
    /// Ten numbers for every link.
    TenPerLink,
    /// A matrix of nv × six for every joint.
    JointPlacements,
    /// A matrix of six × six for every joint.
    FramePlacements,
    /// This many numbers.
    Fixed(usize),
    /// One number for each row of the constraints.
    Rows,
    /// A matrix of the constraints' rows × nv.
    RowsWide,
    /// A matrix of nv × the constraints' rows.
    RowsTall,
    /// A matrix of rows × rows.
    RowsSquare,
}

/// Counts besides the model that determine sizes. A plain number means columns, without constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The caller's k, see [`Size::Columns`].
    pub columns: usize,
    /// Rows of the scene's constraints, see [`Constraints::rows`](crate::Constraints::rows).
    pub rows: usize,
}

impl From<usize> for Counts {
    #[inline(always)]
    fn from(columns: usize) -> Self {
        Self { columns, rows: 0 }
    }
}

impl Size {
    /// Number of entries for this model. Without constraints, `counts` may be just the number of columns.
    pub fn of(self, model: &Model, counts: impl Into<Counts>) -> usize {
        self.term().of(model, counts.into())
    }

    /// Lengths for a robot with these numbers of coordinates, degrees of freedom, frames, links and moving
    /// joints.
    pub(crate) fn lengths(nq: usize, nv: usize, frames: usize, links: usize, joints: usize) -> Lengths {
        let (square, cube) = (nv.saturating_mul(nv), nv.saturating_mul(nv).saturating_mul(nv));
        [1, nq, nv, square, cube, frames, links, nv.saturating_mul(links), joints, nv.saturating_mul(joints)]
    }

    /// The number of entries as a multiple of a length stored in the model.
    const fn term(self) -> Term {
        let (length, times) = match self {
            Size::Fixed(n) => (Length::One, n),
            Size::Nq | Size::Coordinates => (Length::Nq, 1),
            Size::Nv => (Length::Nv, 1),
            Size::Wide(rows) => (Length::Nv, rows),
            Size::Square | Size::Symmetric => (Length::Square, 1),
            Size::Cube | Size::SymmetricCube => (Length::Cube, 1),
            Size::Frames(n) => (Length::Frames, n),
            Size::Parameters => (Length::NvLinks, 10),
            Size::TenPerLink => (Length::Links, 10),
            Size::JointPlacements => (Length::NvJoints, 6),
            Size::FramePlacements => (Length::Joints, 36),
            Size::Columns => (Length::Columns, 1),
            Size::Rows => (Length::Rows, 1),
            Size::RowsWide | Size::RowsTall => (Length::RowsNv, 1),
            Size::RowsSquare => (Length::RowsSquare, 1),
        };
        Term { length, times }
    }

    /// Rows and columns of a matrix of this size. A vector has one column. An array of three indices is a row
    /// of matrices.
    pub fn shape(self, model: &Model, counts: impl Into<Counts>) -> (usize, usize) {
        let counts @ Counts { columns, rows: constrained } = counts.into();
        match self {
            Size::Square | Size::Symmetric => (model.nv(), model.nv()),
            Size::Cube | Size::SymmetricCube => (model.nv(), model.nv().saturating_mul(model.nv())),
            Size::Wide(rows) => (rows, model.nv()),
            Size::Columns => (model.nv(), columns),
            Size::Frames(n) => (n, model.frames().len()),
            Size::Parameters => (model.nv(), 10 * model.description().links.len()),
            Size::JointPlacements => (model.nv(), 6 * model.joints().len()),
            Size::FramePlacements => (6, 6 * model.joints().len()),
            Size::RowsWide => (constrained, model.nv()),
            Size::RowsTall => (model.nv(), constrained),
            Size::RowsSquare => (constrained, constrained),
            Size::Nq | Size::Coordinates | Size::Nv | Size::TenPerLink | Size::Fixed(_) | Size::Rows => {
                (self.of(model, counts), 1)
            }
        }
    }

    /// Number of entries in full coordinates, where mimicking joints have their own.
    pub(crate) fn full(self, model: &Model, counts: Counts) -> usize {
        let (tree, Term { length, times }) = (model.tree(), self.term());
        let (nq, nv) = (tree.nq, tree.dofs.len());
        let (frames, links, joints) = (model.frames().len(), model.description().links.len(), model.joints().len());
        let table = Size::lengths(nq, nv, frames, links, joints);
        let length = length.of_call(nv, counts).unwrap_or_else(|| table[length as usize]);
        length.saturating_mul(times)
    }

    /// True if it has an entry for every pair of degrees of freedom.
    pub(crate) const fn is_over_pairs(self) -> bool {
        matches!(self, Size::Square | Size::Symmetric | Size::Cube | Size::SymmetricCube)
    }

    /// Its formula in messages.
    fn rule(self) -> String {
        match self {
            Size::Nq | Size::Coordinates => "nq".into(),
            Size::Nv => "nv".into(),
            Size::Square | Size::Symmetric => "nv × nv".into(),
            Size::Cube | Size::SymmetricCube => "nv × nv × nv".into(),
            Size::Wide(rows) => format!("{rows} × nv"),
            Size::Columns => "nv × k".into(),
            Size::Frames(n) => format!("frames × {n}"),
            Size::Parameters => "nv × 10 links".into(),
            Size::TenPerLink => "10 links".into(),
            Size::JointPlacements => "nv × 6 joints".into(),
            Size::FramePlacements => "6 × 6 joints".into(),
            Size::Fixed(n) => format!("{n}"),
            Size::Rows => "rows".into(),
            Size::RowsWide => "rows × nv".into(),
            Size::RowsTall => "nv × rows".into(),
            Size::RowsSquare => "rows × rows".into(),
        }
    }
}

/// Lengths from which sizes are computed. Those before `Columns` depend on the model only, which stores a
/// table of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    One,
    Nq,
    Nv,
    Square,
    Cube,
    Frames,
    Links,
    NvLinks,
    Joints,
    NvJoints,
    Columns,
    Rows,
    RowsNv,
    RowsSquare,
}

/// Lengths of a model, see [`Size`].
pub(crate) type Lengths = [usize; Length::Columns as usize];

impl Length {
    /// The length, if it depends on the call.
    #[cold]
    fn of_call(self, nv: usize, Counts { columns, rows }: Counts) -> Option<usize> {
        match self {
            Length::Columns => Some(nv * columns),
            Length::Rows => Some(rows),
            Length::RowsNv => Some(rows * nv),
            Length::RowsSquare => Some(rows * rows),
            _ => None,
        }
    }
}

/// A multiple of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Term {
    length: Length,
    times: usize,
}

impl Term {
    #[inline(always)]
    fn of(self, model: &Model, counts: Counts) -> usize {
        let length = match model.lengths().get(self.length as usize) {
            Some(&length) => length,
            None => self.length.of_call(model.nv(), counts).unwrap_or(0),
        };
        length * self.times // only cubes saturate, and they are taken once
    }
}

/// An array that a function reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name: that of the argument, or of the field of the result.
    pub name: &'static str,
    /// Its size for one state.
    pub size: Size,
    /// The struct of which it is a field, in Rust.
    pub(crate) field_of: &'static str,
    /// True if it has the zeros of the tree's derivatives for every state.
    pub(crate) has_zeros_of_tree: bool,
    /// True if it has more than O(N) entries.
    pub(crate) is_large: bool,
    term: Term,
}

impl Arg {
    /// An array of this name and size.
    pub(crate) const fn new(name: &'static str, size: Size) -> Self {
        let is_large = !matches!(size, Size::Nq | Size::Coordinates | Size::Nv | Size::Fixed(_) | Size::Rows);
        Self { name, size, field_of: "", has_zeros_of_tree: false, is_large, term: size.term() }
    }

    /// Number of entries for one state.
    #[inline(always)]
    pub(crate) fn len(&self, model: &Model, counts: Counts) -> usize {
        self.term.of(model, counts)
    }

    /// Makes it a field of a struct.
    pub(crate) const fn of(self, field_of: &'static str) -> Self {
        Self { field_of, ..self }
    }

    /// Marks square matrices and arrays of three indices as having the zeros of the tree's derivatives. Not
    /// for functions that can fail: they leave unspecified outputs.
    pub(crate) const fn zeros_of_tree<const N: usize>(mut args: [Arg; N]) -> [Arg; N] {
        let mut k = 0;
        while k < N {
            args[k].has_zeros_of_tree = args[k].size.is_over_pairs();
            k += 1;
        }
        args
    }

    /// Number of arrays with a property. A loop, because it runs at compile time.
    pub(crate) const fn count(args: &[Arg], property: Property) -> usize {
        let (mut count, mut k) = (0, 0);
        while k < args.len() {
            count += match property {
                Property::HasZerosOfTree => args[k].has_zeros_of_tree,
                Property::IsLarge => args[k].is_large,
                Property::IsOverPairs => args[k].size.is_over_pairs(),
            } as usize;
            k += 1;
        }
        count
    }
}

/// Properties of arrays that are counted for the list.
#[derive(Clone, Copy)]
pub(crate) enum Property {
    HasZerosOfTree,
    IsLarge,
    IsOverPairs,
}

/// A part of the surroundings that a function depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surrounding {
    /// External forces.
    Wrenches,
    /// Gravity.
    Gravity,
    /// The joints' viscous damping.
    Damping,
    /// The joints' Coulomb friction.
    Friction,
    /// The joints' rotor inertias.
    Armature,
}

impl Surrounding {
    /// All of them.
    pub const ALL: &'static [Surrounding] = &[
        Surrounding::Wrenches,
        Surrounding::Gravity,
        Surrounding::Damping,
        Surrounding::Friction,
        Surrounding::Armature,
    ];
}

/// Arrays that an algorithm reads.
pub type In<'a, T, const N: usize> = [&'a [T]; N];

/// Arrays that an algorithm writes.
pub type To<'a, T, const N: usize> = [MatrixMut<'a, T>; N];

/// Result of an algorithm: success, or a degree of freedom that nothing resists.
pub type Done = Result<(), Singular>;

/// Arrays that a function reads and writes; see `declare!`.
pub trait Signature<const I: usize, const O: usize> {
    /// Arrays that it reads.
    const INPUTS: [Arg; I];
    /// Arrays that it writes.
    const OUTPUTS: [Arg; O];
}

/// A declared function with its parameters, such as a frame: its implementation.
pub trait Algorithm<const I: usize, const O: usize>: Signature<I, O> + list::Listed + Copy + Into<Function> {
    /// True if it needs more than O(N) scratch or model data.
    const RESERVES: bool = false;
    /// True if it acts on the constraints of its scene, which must then exist.
    const CONSTRAINED: bool = false;
    /// True if it divides by inertias, so that tiny ones make large results.
    const DIVIDES: bool = true;
    /// Number of nv × nv matrices in its scratch.
    const SQUARES: usize = 0;
    /// Largest result, in numbers per state, for which SIMD lanes still pay. For larger ones, unpacking the
    /// lanes takes longer than the lanes save, so a batch goes state by state. The bits are the same.
    const MOST_IN_LANES: usize = usize::MAX;
    /// The part of the library that handles mimicking joints.
    const MIMICRY: Mimicry = Mimicry::AtTheDoor;

    /// Allocates scratch and computes model data larger than O(N). Does nothing if that is already done.
    fn reserve<T: Real>(self, _model: &Model, _s: &mut Scratch<T>) {}

    /// Allocates scratch for a number of constraint rows. Does nothing if that is already done.
    fn reserve_rows<T: Real>(self, _model: &Model, _rows: usize, _s: &mut Scratch<T>) {}

    /// Computes one state on the full tree.
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, x: In<T, I>, y: To<T, O>) -> Done;

    /// Computes one state of a model with mimicking joints, in its own coordinates. For [`Mimicry::Own`].
    fn compute_mimicking<T: Real>(
        self,
        _scene: &Scene<T>,
        _memory: &mut Memory<T>,
        _x: In<T, I>,
        _y: To<T, O>,
    ) -> Done {
        unreachable!("only algorithms with Mimicry::Own are asked")
    }
}

/// Runs an algorithm on an engine, as its public function does.
#[inline(always)]
pub(crate) fn call<A: Algorithm<I, O>, T: Real, const I: usize, const O: usize>(
    on: &mut impl Engine<T>,
    algorithm: A,
    scene: &Scene<'_, T>,
    x: [&[T]; I],
    mut y: [MatrixMut<'_, T>; O],
) -> Result<(), Error> {
    on.call(T::Hardware::job(algorithm), scene, &x, &mut y)
}

/// The part of the library that handles mimicking joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mimicry {
    /// The door: the algorithm computes on a full tree.
    AtTheDoor,
    /// The algorithm itself, by [`compute_mimicking`](Algorithm::compute_mimicking).
    Own,
    /// None: the algorithm uses independent joints only.
    None,
}

/// Declares a function: its documentation, name, parameters, arrays with their sizes, the struct that
/// computes it ([`Algorithm`]), and the surroundings it depends on. Add `of constraints` after the name if it
/// acts on constraints. Outputs are `slice`s, `matrix`es that remember their zeros, or fields of a view.
macro_rules! declare {
    (
        $(#[doc = $doc:expr])*
        fn $name:ident $(of $constraints:ident)? $({ $($p:ident: $p_type:ty),+ })? ($($x:ident: $x_size:expr),+)
        -> ($($kind:ident $y:ident: $y_size:expr),+)
        by $type:ident, under $under:expr $(, zeros of $zeros:ident)?
    ) => {
        $(#[doc = $doc])*
        pub fn $name<'m, T: $crate::scalar::Real>(
            scene: impl Into<$crate::scene::Scene<'m, T>>,
            on: &mut impl $crate::engines::Engine<T>,
            $($constraints: &'m $crate::constraints::Constraints,)?
            $($($p: $p_type,)+)?
            $($x: &[T],)+
            $($y: $crate::door::declare!(@type $kind),)+
        ) -> Result<(), $crate::error::Error> {
            let scene = scene.into();
            $(let scene = scene.constraints($constraints);)?
            $crate::door::call(on, $type { $($($p),+)? }, &scene, [$($x),+], [$($y.into()),+])
        }

        $crate::door::declare! {
            @algorithm $type { $($($p: $p_type),+)? }, $name, concat!($($doc, "\n"),*),
            [$($crate::door::Arg::new(stringify!($x), $x_size)),+],
            [$($crate::door::Arg::new(stringify!($y), $y_size)),+] $(zeros of $zeros)?,
            $under $(, of $constraints)?
        }
    };
    (
        $(#[doc = $doc:expr])*
        fn $name:ident $(of $constraints:ident)? $({ $($p:ident: $p_type:ty),+ })? ($($x:ident: $x_size:expr),+)
        -> $view:ident { $($y:ident: $y_size:expr),+ }
        by $type:ident, under $under:expr $(, zeros of $zeros:ident)?
    ) => {
        $(#[doc = $doc])*
        pub fn $name<'m, 'o, T: $crate::scalar::Real>(
            scene: impl Into<$crate::scene::Scene<'m, T>>,
            on: &mut impl $crate::engines::Engine<T>,
            $($constraints: &'m $crate::constraints::Constraints,)?
            $($($p: $p_type,)+)?
            $($x: &[T],)+
            out: impl Into<$view<'o, T>>,
        ) -> Result<(), $crate::error::Error> {
            let $view { $($y),+ } = out.into();
            let scene = scene.into();
            $(let scene = scene.constraints($constraints);)?
            $crate::door::call(on, $type { $($($p),+)? }, &scene, [$($x),+], [$($y.into()),+])
        }

        $crate::door::declare! {
            @algorithm $type { $($($p: $p_type),+)? }, $name, concat!($($doc, "\n"),*),
            [$($crate::door::Arg::new(stringify!($x), $x_size)),+],
            [$($crate::door::Arg::new(stringify!($y), $y_size).of("out.")),+] $(zeros of $zeros)?,
            $under $(, of $constraints)?
        }
    };
    (@type slice) => { &mut [T] };
    (@type matrix) => { impl Into<$crate::matrix::MatrixMut<'m, T>> };
    (
        @algorithm $type:ident { $($p:ident: $p_type:ty),* }, $name:ident, $doc:expr, [$($x:expr),+], [$($y:expr),+] $(zeros of $zeros:ident)?,
        $under:expr $(, of $constraints:ident)?
    ) => {
        #[doc = concat!("[`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $type { $(pub(crate) $p: $p_type),* }

        impl $type {
            pub(crate) const NAME: &'static str = stringify!($name);
            pub(crate) const DOCUMENTATION: &'static str = $doc;
            pub(crate) const SURROUNDINGS: &'static [$crate::door::Surrounding] = $under;
            pub(crate) const PARAMETERS: &'static [$crate::door::Parameter] =
                &[$($crate::door::declare!(@parameter $p),)* $($crate::door::declare!(@parameter $constraints))?];

            pub(crate) fn with(_given: &$crate::door::Parameters) -> Option<Self> {
                Some(Self { $($p: $crate::door::list::Given::given(_given.$p)?),* })
            }

            pub(crate) fn parameters(&self) -> $crate::door::Parameters {
                $crate::door::Parameters { $($p: $crate::door::list::Given::back(self.$p),)* ..Default::default() }
            }
        }

        impl $crate::door::Signature<{ [$(stringify!($x)),+].len() }, { [$(stringify!($y)),+].len() }> for $type {
            const INPUTS: [$crate::door::Arg; { [$(stringify!($x)),+].len() }] = [$($x),+];
            const OUTPUTS: [$crate::door::Arg; { [$(stringify!($y)),+].len() }] =
                $crate::door::declare!(@zeros [$($y),+] $(, $zeros)?);
        }
    };
    (@zeros $args:expr) => { $args };
    (@zeros $args:expr, tree) => { $crate::door::Arg::zeros_of_tree($args) };
    (@parameter frame) => { $crate::door::Parameter::Frame };
    (@parameter reference) => { $crate::door::Parameter::Reference };
    (@parameter constraints) => { $crate::door::Parameter::Constraints };
    (@parameter way) => { $crate::door::Parameter::Way };
}
pub(crate) use declare;
