//! The one door: a function of the library is declared once, here is what a declaration is.
//!
//! ```text
//! declare! { /// documentation
//!            fn rnea(q: Nq, v: Nv, a: Nv) -> (slice tau: Nv) by Rnea, under Surrounding::ALL }
//!
//! rnea(scene, engine, q, v, a, tau)            the public function                          (1)
//!   engine.call(Rnea, scene, [q, v, a], [tau]) a Workspace, a Batch, …    [`Engine`]        (2)
//!     lengths, frames, wrenches                                           [`check`]         (3)
//!     coordinates of mimicking joints, there and back                     [`run`]           (4)
//!       Rnea.compute(scene, scratch, …)        the algorithm, on the full tree [`Algorithm`] (5)
//!     whether the result is finite                                        [`finite`]        (6)
//! ```
//!
//! The algorithm sees full trees, one scalar and arrays of the right size. What is known of all functions is a list ([`list`]); the
//! batch engine, the Python package, the command and the tests go by it.

pub(crate) mod check;
pub(crate) mod finite;
pub(crate) mod list;
mod run;

pub use finite::Outcome;
pub use list::{Declaration, Function, Parameter, Parameters, function, functions};
#[cfg(feature = "batch")]
pub(crate) use run::MOST_ARRAYS;
pub(crate) use run::{Checked, Full, Run, nested};

use crate::engines::{Memory, Scratch};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::sweeps::singular::Singular;
use alloc::format;
use alloc::string::String;

/// How many numbers of an array belong to one state, and what they are.
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
    /// An array of nv × nv × nv, the first index fastest: nv matrices of nv × nv by columns.
    Cube,
    /// An array of nv × nv × nv that is symmetric in its last two indices.
    SymmetricCube,
    /// A matrix of so many rows × nv.
    Wide(usize),
    /// A matrix of nv × k, where k is for the caller to choose.
    Columns,
    /// So many numbers for every frame.
    Frames(usize),
    /// A matrix of nv × ten for every link.
    Parameters,
    /// Ten numbers for every link.
    TenPerLink,
    /// A matrix of nv × six for every joint.
    JointPlacements,
    /// A matrix of six × six for every joint.
    FramePlacements,
    /// So many numbers.
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

/// What sizes depend on beside the model. A plain number is that of columns, with no constraints.
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
    /// How many numbers for this model; the caller's number of columns is enough where there are no constraints.
    #[inline(always)]
    pub fn of(self, model: &Model, counts: impl Into<Counts>) -> usize {
        let nv = model.nv();
        match self {
            Size::Nq | Size::Coordinates => model.nq(),
            Size::Frames(n) => model.frames().len() * n,
            _ => self.over(nv, counts.into(), model),
        }
    }

    /// The rows and columns of a matrix of this size; a vector has one column, and an array of three indices is one matrix beside the other.
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

    /// How many numbers in full coordinates, where joints that mimic others have their own.
    #[inline(always)]
    pub(crate) fn full(self, model: &Model, counts: impl Into<Counts>) -> usize {
        match self {
            Size::Nq | Size::Coordinates => model.tree().nq,
            Size::Frames(n) => model.frames().len() * n,
            _ => self.over(model.tree().dofs.len(), counts.into(), model),
        }
    }

    #[inline(always)]
    fn over(self, nv: usize, Counts { columns, rows: constrained }: Counts, model: &Model) -> usize {
        match self {
            Size::Rows => constrained,
            Size::RowsWide | Size::RowsTall => constrained * nv,
            Size::RowsSquare => constrained * constrained,
            Size::Nv => nv,
            Size::Square | Size::Symmetric => nv * nv,
            Size::Cube | Size::SymmetricCube => nv.saturating_mul(nv).saturating_mul(nv),
            Size::Wide(rows) => rows * nv,
            Size::Columns => nv * columns,
            Size::Parameters => nv * 10 * model.description().links.len(),
            Size::TenPerLink => 10 * model.description().links.len(),
            Size::JointPlacements => nv * 6 * model.joints().len(),
            Size::FramePlacements => 36 * model.joints().len(),
            Size::Fixed(n) => n,
            Size::Nq | Size::Coordinates | Size::Frames(_) => 0,
        }
    }

    /// Whether pairs of degrees of freedom have entries of their own.
    pub(crate) const fn is_over_pairs(self) -> bool {
        matches!(self, Size::Square | Size::Symmetric | Size::Cube | Size::SymmetricCube)
    }

    /// As messages say it.
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

/// An array that a function reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name: that of the argument, or of the field of the result.
    pub name: &'static str,
    /// How many numbers a state has of it.
    pub size: Size,
    /// What it is a field of, in Rust.
    pub(crate) field_of: &'static str,
    /// Whether it is zero where the tree's derivatives are, whatever the state.
    pub(crate) has_zeros_of_tree: bool,
}

impl Arg {
    /// An array of this name and size.
    pub(crate) const fn new(name: &'static str, size: Size) -> Self {
        Self { name, size, field_of: "", has_zeros_of_tree: false }
    }

    /// A field of a struct.
    pub(crate) const fn of(self, field_of: &'static str) -> Self {
        Self { field_of, ..self }
    }

    /// Square matrices, and arrays of three indices, are zero where the tree's derivatives are. Not for functions that can fail: what they leave then is anything.
    pub(crate) const fn zeros_of_tree<const N: usize>(mut args: [Arg; N]) -> [Arg; N] {
        let mut k = 0;
        while k < N {
            args[k].has_zeros_of_tree = args[k].size.is_over_pairs();
            k += 1;
        }
        args
    }
}

/// What of its surroundings a function depends on.
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

/// Where an algorithm writes.
#[derive(Debug)]
pub struct Out<'a, T> {
    /// All of it is to be written,
    pub entries: &'a mut [T],
    /// but for the zeros of the tree, where these are in place already.
    pub zeros_in_place: bool,
}

impl<T> Out<'_, T> {
    /// Nowhere.
    #[inline(always)]
    pub(crate) fn nowhere<const N: usize>() -> [Self; N] {
        core::array::from_fn(|_| Self { entries: &mut [], zeros_in_place: false })
    }

    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> Out<'_, T> {
        Out { entries: &mut *self.entries, zeros_in_place: self.zeros_in_place }
    }
}

/// What comes of an algorithm: nothing but its outputs, or a degree of freedom that nothing resists.
pub type Done = Result<(), Singular>;

/// What a function reads and writes; see `declare!`.
pub trait Signature<const I: usize, const O: usize> {
    /// What it reads.
    const INPUTS: [Arg; I];
    /// What it writes.
    const OUTPUTS: [Arg; O];
}

/// A declared function with its parameters, such as a frame: how it is computed.
pub trait Algorithm<const I: usize, const O: usize>: Signature<I, O> + list::Listed + Copy + Into<Function> {
    /// Whether it needs more scratch than O(N), or such facts of the model.
    const RESERVES: bool = false;
    /// Whether it acts on the constraints of its scene, so that there must be some.
    const CONSTRAINED: bool = false;
    /// Whether it divides by inertias, so that tiny ones make large results.
    const DIVIDES: bool = true;
    /// How many matrices of nv × nv are in that.
    const SQUARES: usize = 0;
    /// Up to how many numbers of results a state it pays to compute several states of a batch side by side. With more, going from lanes
    /// to places takes longer than lanes gain, and a batch goes state by state; the bits are the same.
    const MOST_IN_LANES: usize = usize::MAX;
    /// What becomes of mimicking joints.
    const MIMICRY: Mimicry = Mimicry::AtTheDoor;

    /// Whether its parameters fit the model.
    #[inline(always)]
    fn check(self, _model: &Model) -> Result<(), Error> {
        Ok(())
    }

    /// Makes room for what is larger than O(N), and facts of the model that are. Where that was done before, nothing happens.
    fn reserve<T: Real>(self, _model: &Model, _s: &mut Scratch<T>) {}

    /// Makes room for so many rows of constraints, likewise.
    fn reserve_rows<T: Real>(self, _model: &Model, _rows: usize, _s: &mut Scratch<T>) {}

    /// Computes one state on the full tree.
    fn compute<T: Real>(self, scene: &Scene<'_, T>, s: &mut Scratch<T>, x: [&[T]; I], y: [Out<'_, T>; O]) -> Done;

    /// Computes one state of a model with mimicking joints, in its own coordinates.
    fn compute_mimicking<T: Real>(
        self,
        _scene: &Scene<'_, T>,
        _memory: &mut Memory<T>,
        _x: [&[T]; I],
        _y: [Out<'_, T>; O],
    ) -> Done {
        unreachable!("for those who have a way of their own")
    }
}

/// Who takes care of joints that mimic others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mimicry {
    /// The door: the algorithm sees a full tree.
    AtTheDoor,
    /// The algorithm, which has [`compute_mimicking`](Algorithm::compute_mimicking).
    Own,
    /// Nobody: the algorithm speaks of independent joints only.
    None,
}

/// Declares a function: its documentation, name, parameters, arrays with their sizes, the struct that computes it ([`Algorithm`]), and
/// what of its surroundings it depends on; `of constraints` after the name, if it acts on some. Outputs are `slice`s, or `matrix`es that remember their zeros, or fields of a view.
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
            on.call($type { $($($p),+)? }, scene, [$($x),+], [$($y.into()),+])
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
            on.call($type { $($($p),+)? }, scene, [$($x),+], [$($y.into()),+])
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
        pub struct $type { $(pub(crate) $p: $p_type),* }

        impl $type {
            pub(crate) const NAME: &'static str = stringify!($name);
            pub(crate) const DOCUMENTATION: &'static str = $doc;
            pub(crate) const SURROUNDINGS: &'static [$crate::door::Surrounding] = $under;
            pub(crate) const PARAMETERS: &'static [$crate::door::Parameter] =
                &[$($crate::door::declare!(@parameter $p),)* $($crate::door::declare!(@parameter $constraints))?];

            pub(crate) fn with(_given: &$crate::door::Parameters) -> Option<Self> {
                Some(Self { $($p: $crate::door::list::Given::given(_given.$p)?),* })
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
