//! Constraints: contacts, closed loops, coupled joints.
//!
//! ```text
//! c(q) = c*                     what is held: numbers of a geometry, one a row                       (1)
//! r = c̈ − c̈* + Kd (ċ − ċ*) + Kp (c − c*) = 0            c̈ = J q̈ + J̇ q̇                              (2)
//! M q̈ + b = τ + Jᵀλ             λ: the forces along the rows                                         (3)
//! ```
//!
//! A row is a wrench at one point, on the first body and reversed on the second: J is zero on what both hang on, and the forces
//! conserve momentum wherever the robot is. See `docs/constraints.md`.

mod along;
mod bend;
mod build;
mod closing;
mod constants;
mod derivatives;
mod description;
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
pub(crate) mod parts;
mod products;
mod room;
mod seen;
mod sides;
mod slope;
mod spectrum;
mod stepping;
mod wrenches;

pub use build::{ConstraintsBuilder, FrameOf, JointsOf, PointOf};
pub use closing::{Closed, Closing, assemble};
pub(crate) use derivatives::ConstrainedFdPartials;
pub use derivatives::{ConstrainedFdDerivatives, ConstrainedFdDerivativesMut, constrained_fd_derivatives};
pub use description::{ConstraintDescription, ConstraintsDescription, Here, Line, Plane, Rod};
pub(crate) use desired::ConstrainedFdDesired;
pub use desired::{DesiredDerivativesMut, constrained_fd_desired_derivatives};
pub(crate) use forward::ConstrainedFd;
pub use forward::{Constrained, ConstrainedMut, constrained_fd};
pub(crate) use impulse::{Impulse, ImpulsePartials};
pub use impulse::{ImpulseDerivativesMut, ImpulseMut, impulse, impulse_derivatives};
pub(crate) use inverse::ConstrainedId;
pub use inverse::{ConstrainedEfforts, ConstrainedEffortsMut, constrained_id};
pub(crate) use inverse_derivatives::ConstrainedIdPartials;
pub use inverse_derivatives::{ConstrainedIdDerivatives, ConstrainedIdDerivativesMut, constrained_id_derivatives};
pub(crate) use jacobian::{ConstraintErrors, ConstraintJacobian, Delassus};
pub use jacobian::{ConstraintErrorsMut, DelassusMut, constraint_errors, constraint_jacobian, delassus};
pub(crate) use products::{ConstrainedFdJvp, ConstrainedFdVjp};
pub use products::{ConstrainedTangentMut, constrained_fd_jvp, constrained_fd_vjp};
pub(crate) use room::Room;
pub use stepping::{constrained_step, freedom, project_velocity};
pub use wrenches::ConstraintWrench;

use crate::error::{Error, ErrorKind};
use crate::model::{FrameId, Model, Tree};
use crate::spatial::{Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Some constraints on a model, made once by [`Constraints::new`]; they never change, and cloning shares them.
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
    /// For each of the model's degrees of freedom, the rows that have it on a path: of `Jᵀ`, and of what solving makes of it.
    spans: Vec<Range<usize>>,
    /// The other way round, for each constraint: those degrees of freedom, in runs.
    dofs: Vec<Vec<Range<usize>>>,
    largest: f64,
}

/// How a constraint returns to where it holds: `c̈ = −kd ċ − kp c` (Baumgarte). Without stabilisation both are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Gains {
    /// Of the position \[1/s²\].
    pub kp: f64,
    /// Of the velocity \[1/s\]; 2 √kp is critical.
    pub kd: f64,
}

/// One constraint of a set: its name, its rows and what they are.
#[derive(Clone, Debug)]
pub struct Constraint {
    name: String,
    rows: Range<usize>,
    gains: Gains,
    pub(crate) kind: Kind,
}

/// Axes in which the rows of a constraint, and its forces, are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum RowAxes {
    /// Those of the first frame, which is held.
    First,
    /// Those of the second, which holds it.
    Second,
    /// The world's.
    World,
}

/// What is held.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A point or a frame of one body, in another.
    Held(Held),
    /// The distance of two points.
    Distance(Pair, f64),
    /// A sum of joint coordinates.
    Joints(Vec<Term>, f64),
}

/// Two places on two bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) first: Anchor,
    pub(crate) second: Anchor,
    /// Degrees of freedom, of the full tree, that move one of them and not the other; with the sign of their side.
    pub(crate) runs: Vec<(Range<usize>, Side)>,
    /// Those that move both.
    pub(crate) common: Vec<Range<usize>>,
}

/// Who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    First,
    Second,
}

/// A place on a body, in its internal frame; body 0 is the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    pub(crate) body: usize,
    /// The frame it was given in, which is fixed to the body; none for a place in the world itself.
    pub(crate) frame: Option<FrameId>,
    pub(crate) placement: Transform<f64>,
}

/// The same place, by whatever frame it was given.
impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.body == other.body && self.placement == other.placement
    }
}

/// A point held by its coordinates in the second frame, or a frame by its motion against the second, seen from the first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) pair: Pair,
    /// Whether the rotation is held too, so that motions are seen from the first frame.
    pub(crate) is_frame: bool,
    pub(crate) axes: RowAxes,
    /// Which directions; none for all three, or six.
    pub(crate) some: Vec<Direction>,
}

/// A direction of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Direction {
    pub(crate) along: Vec3<f64>,
    pub(crate) is_angular: bool,
}

/// A coordinate of the full tree, its degree of freedom, and its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) coordinate: usize,
    pub(crate) dof: usize,
    pub(crate) factor: f64,
}

impl Constraint {
    /// Its name: what was given by [`PointOf::called`] and its like, or the names of what it holds.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its rows among those of the set.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// How it is stabilised.
    pub fn gains(&self) -> Gains {
        self.gains
    }

    /// The frame that is held, and on which its forces act; none for joints.
    pub fn frame(&self) -> Option<FrameId> {
        self.pair().and_then(|pair| pair.first.frame)
    }

    /// The frame that holds it; none for the world, and for joints.
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

    /// What each of its rows is, such as `x` or `about z`; `force` is a unit of force, and `about` one of torque.
    pub fn row_names(&self) -> Vec<String> {
        match &self.kind {
            Kind::Held(held) if held.some.is_empty() => {
                let all = ["x", "y", "z", "about x", "about y", "about z"];
                all[..self.rows.len()].iter().map(|&name| name.into()).collect()
            }
            Kind::Held(held) => held.some.iter().map(Direction::name).collect(),
            Kind::Distance(..) => vec!["along".into()],
            Kind::Joints(..) => vec!["sum".into()],
        }
    }
}

impl Direction {
    fn name(&self) -> String {
        let about = if self.is_angular { "about " } else { "" };
        let axis = ["x", "y", "z"].into_iter().zip(unit_axes()).find(|(_, axis)| *axis == self.along);
        match axis {
            Some((name, _)) => format!("{about}{name}"),
            None => format!("{about}[{:.3}, {:.3}, {:.3}]", self.along.x, self.along.y, self.along.z),
        }
    }
}

impl Constraints {
    /// Constraints on a model: a builder.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(model: &Model) -> ConstraintsBuilder {
        ConstraintsBuilder::new(model)
    }

    /// How many rows they have together: numbers of λ.
    #[inline]
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.items.is_empty()
    }

    /// Each of them, in the order of their rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Constraint> {
        self.0.items.iter()
    }

    /// The model they were made for.
    pub fn model(&self) -> &Model {
        &self.0.model
    }

    /// Where the rows of each degree of freedom begin and end.
    #[inline(always)]
    pub(crate) fn spans(&self) -> &[Range<usize>] {
        &self.0.spans
    }

    /// Which degrees of freedom are on the paths of each constraint.
    #[inline(always)]
    pub(crate) fn dofs(&self) -> &[Vec<Range<usize>>] {
        &self.0.dofs
    }

    #[inline(always)]
    pub(crate) fn items(&self) -> &[Constraint] {
        &self.0.items
    }

    /// The largest of their numbers.
    pub(crate) fn largest(&self) -> f64 {
        self.0.largest
    }

    /// Whether this is the very same set: made once, and shared since.
    #[inline]
    pub fn is(&self, other: &Constraints) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether they were made for this model.
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

    /// That a row contradicts others; the constraints of those are the bits of `with`.
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

    fn assembled(model: &Model, items: Vec<Constraint>) -> Self {
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
            match &item.kind {
                Kind::Held(Held { pair, .. }) | Kind::Distance(pair, _) => {
                    pair.runs.iter().flat_map(|(run, _)| run.clone()).for_each(&mut mark);
                }
                Kind::Joints(terms, _) => terms.iter().for_each(|term| mark(term.dof)),
            }
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
        let largest = items.iter().map(Constraint::largest).fold(0.0, f64::max);
        Self(Arc::new(Inner { model: model.clone(), items, rows, spans, dofs, largest }))
    }
}

impl Constraint {
    fn largest(&self) -> f64 {
        let of_pair = |pair: &Pair| {
            let numbers = [&pair.first, &pair.second].into_iter().flat_map(|anchor| anchor.placement.pos.to_array());
            numbers.map(f64::abs).fold(1.0, f64::max)
        };
        let own = match &self.kind {
            Kind::Held(held) => of_pair(&held.pair),
            Kind::Distance(pair, length) => of_pair(pair).max(*length),
            Kind::Joints(terms, constant) => terms.iter().map(|term| term.factor.abs()).fold(constant.abs(), f64::max),
        };
        own.max(self.gains.kp).max(self.gains.kd)
    }
}

impl Pair {
    /// What moves one of two places and not the other.
    fn new(tree: &Tree, first: Anchor, second: Anchor) -> Self {
        let mut sides = vec![(false, false); tree.dofs.len()];
        let mut mark = |body: usize, set: fn(&mut (bool, bool))| {
            let mut i = body;
            while i > 0 {
                sides[tree.bodies[i].v.clone()].iter_mut().for_each(set);
                i = tree.bodies[i].parent;
            }
        };
        mark(first.body, |side| side.0 = true);
        mark(second.body, |side| side.1 = true);
        let mut runs: Vec<(Range<usize>, Side)> = Vec::new();
        let mut common: Vec<Range<usize>> = Vec::new();
        for (dof, &(a, b)) in sides.iter().enumerate() {
            if a == b {
                match common.last_mut() {
                    _ if !a => {}
                    Some(run) if run.end == dof => run.end += 1,
                    _ => common.push(dof..dof + 1),
                }
                continue;
            }
            let side = if a { Side::First } else { Side::Second };
            match runs.last_mut() {
                Some((run, of)) if run.end == dof && *of == side => run.end += 1,
                _ => runs.push((dof..dof + 1, side)),
            }
        }
        Self { first, second, runs, common }
    }
}

/// The unit vectors.
fn unit_axes() -> [Vec3<f64>; 3] {
    [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)]
}
