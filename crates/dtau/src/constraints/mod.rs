//! Constraints: contacts, closed loops, coupled joints.
//!
//! ```text
//! c(q) = c*                     what is held: numbers of a geometry, one a row                       (1)
//! r = c̈ − c̈* + Kd (ċ − ċ*) + Kp (c − c*) = 0            c̈ = J q̈ + J̇ q̇                              (2)
//! M q̈ + b = τ + Jᵀλ             λ: the forces along the rows                                         (3)
//! ```
//!
//! A row is a wrench at one point, on the first body and reversed on the second. J is zero for their common
//! ancestors, and the forces conserve momentum in every configuration. See `docs/constraints.md`.

mod along;
mod bend;
mod build;
mod closing;
mod constants;
mod derivatives;
pub(crate) mod description;
mod desired;
mod elimination;
mod equalities;
mod factor;
mod forward;
mod geometry;
mod impulse;
mod inverse;
mod inverse_derivatives;
mod jacobian;
mod kind;
pub(crate) mod parts;
mod products;
mod room;
mod seen;
mod sides;
mod slope;
mod spectrum;
mod stepping;
mod wrenches;

pub use build::*;
pub use closing::*;
pub use derivatives::*;
pub use description::*;
pub use desired::*;
pub use forward::*;
pub use impulse::*;
pub use inverse::*;
pub use inverse_derivatives::*;
pub use jacobian::*;
pub(crate) use kind::*;
pub use products::*;
pub(crate) use room::*;
pub use stepping::*;
pub use wrenches::*;

use crate::error::{Error, ErrorKind};
use crate::model::{FrameId, Model};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// A set of constraints on a model, made by [`Constraints::new`]. It is immutable, and clones share it.
///
/// ```
/// # use dtau::model::{Model, Options, Root};
/// # use dtau::{Constraints, Gains, Constrained, Workspace, constrained_fd};
/// # let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() })?;
/// let q = model.neutral();
/// let feet = Constraints::new(&model)
///     .point("lf_foot").at_world_here(&q)?            // held where it is now
///     .point("rh_foot").at_world([-0.3, -0.2, -0.4])  // held there
///     .stabilise(Gains { kp: 100.0, kd: 20.0 })
///     .build()?;
/// let (v, tau) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
/// let (mut ws, mut out) = (Workspace::new(&model), Constrained::new(&feet));
/// constrained_fd(&model, &mut ws, &feet, &q, &v, &tau, &mut out)?;
/// println!("force on the front left foot: {:?} N", &out.lambda[..3]);
/// # Ok::<(), dtau::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Constraints(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    model: Model,
    items: Vec<Constraint>,
    rows: usize,
    /// For each of the model's degrees of freedom, the range of rows that have it on a path: the sparsity of
    /// `Jᵀ`, and of its solution.
    spans: Vec<Range<usize>>,
    /// For each constraint, the degrees of freedom on its paths, in runs.
    dofs: Vec<Vec<Range<usize>>>,
    largest: f64,
}

/// Gains of Baumgarte stabilisation: `c̈ = −kd ċ − kp c`. Zero means no stabilisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Gains {
    /// Gain of the position \[1/s²\].
    pub kp: f64,
    /// Gain of the velocity \[1/s\]; 2 √kp gives critical damping.
    pub kd: f64,
}

/// One constraint of a set: its name, rows and kind.
#[derive(Clone, Debug)]
pub struct Constraint {
    name: String,
    rows: Range<usize>,
    gains: Gains,
    pub(crate) kind: Kind,
}

/// Axes in which the rows of a constraint and its forces are expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum RowAxes {
    /// Axes of the first frame, the constrained one.
    First,
    /// Axes of the second frame.
    Second,
    /// Axes of the world.
    World,
}

impl Constraint {
    /// Its name: set by [`PointOf::called`] and the like, or the names of its frames or joints.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Range of its rows in the set.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Its gains.
    pub fn gains(&self) -> Gains {
        self.gains
    }

    /// The first frame, on which its forces act; none for joints.
    pub fn frame(&self) -> Option<FrameId> {
        self.pair().and_then(|pair| pair.first.frame)
    }

    /// The second frame; none for the world, and for joints.
    pub fn other(&self) -> Option<FrameId> {
        self.pair().and_then(|pair| pair.second.frame)
    }

    /// The axes of its rows and forces; none for distances and joints.
    pub fn axes(&self) -> Option<RowAxes> {
        match &self.kind {
            Kind::Held(held) => Some(held.axes),
            Kind::Distance(..) | Kind::Joints(..) => None,
        }
    }

    /// Name of each of its rows, such as `x` or `about z`. A row with `force` has units of force, one with
    /// `about` units of torque.
    pub fn row_names(&self) -> Vec<String> {
        self.kind.row_names()
    }
}

impl Constraints {
    /// Starts a set of constraints on a model: returns a builder.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(model: &Model) -> ConstraintsBuilder {
        ConstraintsBuilder::new(model)
    }

    /// Number of rows of all constraints, the length of λ.
    #[inline]
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Number of constraints.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.items.len()
    }

    /// True if there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.0.items.is_empty()
    }

    /// The constraints, in the order of their rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Constraint> {
        self.0.items.iter()
    }

    /// Name of every row: the constraint's name and the direction.
    pub fn row_names(&self) -> Vec<String> {
        let each = self.items().iter().flat_map(|item| item.row_names().into_iter().map(move |row| (&item.name, row)));
        each.map(|(name, row)| format!("{name} {row}")).collect()
    }

    /// The model of these constraints.
    pub fn model(&self) -> &Model {
        &self.0.model
    }

    /// Range of the rows of each degree of freedom.
    #[inline(always)]
    pub(crate) fn spans(&self) -> &[Range<usize>] {
        &self.0.spans
    }

    /// Degrees of freedom on the paths of each constraint.
    #[inline(always)]
    pub(crate) fn dofs(&self) -> &[Vec<Range<usize>>] {
        &self.0.dofs
    }

    #[inline(always)]
    pub(crate) fn items(&self) -> &[Constraint] {
        &self.0.items
    }

    /// Largest of their numbers.
    pub(crate) fn largest(&self) -> f64 {
        self.0.largest
    }

    /// True if both are clones of one set.
    #[inline]
    pub fn is(&self, other: &Constraints) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Refuses a model other than that of these constraints.
    #[inline]
    pub(crate) fn check(&self, model: &Model) -> Result<(), Error> {
        if self.0.model.is(model) { Ok(()) } else { Err(self.other_model(model)) }
    }

    #[cold]
    fn other_model(&self, model: &Model) -> Error {
        let (own, name) = (self.0.model.name(), model.name());
        let message = format!(
            "the constraints were made for another model, \"{own}\"; make some with Constraints::new for \"{name}\""
        );
        Error::new(ErrorKind::Length, message)
    }

    /// The error for a row that contradicts others; the bits of `with` are the constraints of those.
    #[cold]
    pub(crate) fn contradiction(&self, row: usize, with: u64) -> Error {
        let mut names: Vec<String> = Vec::new();
        let mut place = String::new();
        for (i, item) in self.items().iter().enumerate() {
            if item.rows.contains(&row) {
                place = format!("\"{}\" ({})", item.name, item.row_names()[row - item.rows.start]);
            } else if i < 64 && (with >> i) & 1 != 0 {
                names.push(format!("\"{}\"", item.name));
            }
        }
        let with = if names.is_empty() { "its own other rows".into() } else { names.join(", ") };
        let message = format!(
            "constraint {place} contradicts {with}: no acceleration obeys both; assemble the configuration, make the velocity obey \
             them, or leave one of them out"
        );
        Error::new(ErrorKind::Singular, message)
    }

    fn assembled(model: &Model, mut items: Vec<Constraint>) -> Self {
        let rows = items.last().map_or(0, |item| item.rows.end);
        let mut spans = vec![rows..0; model.nv()];
        let mut dofs = Vec::with_capacity(items.len());
        let map = model.mimic();
        for item in &items {
            let mut moves = vec![false; model.nv()];
            let mut mark = |dof: usize| {
                let own = map.map_or(dof, |map| map.dofs[dof].index);
                model.elimination().path(own).for_each(|run| moves[run].fill(true));
            };
            let of_pair = item.pair().into_iter().flat_map(|pair| &pair.runs).flat_map(|(run, _)| run.clone());
            of_pair.chain(item.kind.terms().iter().map(|term| term.dof)).for_each(&mut mark);
            let mut runs: Vec<Range<usize>> = Vec::new();
            for k in (0..moves.len()).filter(|&k| moves[k]) {
                spans[k] = spans[k].start.min(item.rows.start)..spans[k].end.max(item.rows.end);
                match runs.last_mut() {
                    Some(run) if run.end == k => run.end = k + 1,
                    _ => runs.push(k..k + 1),
                }
            }
            dofs.push(runs);
        }
        for span in &mut spans {
            *span = span.start.min(span.end)..span.end;
        }
        let mut largest = 1.0_f64;
        constants::visit(&mut items, &mut |_, x| largest = largest.max(x.abs()));
        Self(Arc::new(Inner { model: model.clone(), items, rows, spans, dofs, largest }))
    }
}
