//! A constraint at a state: the placements of its places, their motions, its rows.
//!
//! Ground coordinates, moved to the point `p` where forces act: the first place. `v`, `a` of the first and
//! the second body are those at that point; `u = v₁ − v₂`.
//!
//! ```text
//! ρ = a₁ − a₂ + v₁ × v₂ + Kd u + Kp e              a frame: the derivative of u as seen from the first body      (1)
//! ρ = (1) + [ω₁ − ω₂] × u,  linear part            a point: the same as seen from the second body               (2)
//! e = R₁ log X₂⁻¹X₁     or     p₁ − p₂                                                                          (3)
//! r = N · ρ − (c̈* + Kd ċ* + Kp c*)                 N: directions of the rows                                    (4)
//! distance:  n = (p₁ − p₂)/l,   r = n·ρ₀ + (u² − (n·u)²)/l + Kd n·u + Kp (l − l*),   ρ₀: (2) without gains      (5)
//! ```
//!
//! Constraints that hold all directions are computed in world axes, and turned to their own axes at the end.

use super::{Constraint, Held, Kind, Pair, RowAxes, Side};
use crate::groups::Group;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::{Force, InAllLanes, Mat3, Motion, Quaternion, Transform, Vec3};
use crate::sweeps::bodies::{Bodies, Placed};

/// A pair of places at a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<T> {
    /// Both places, in the coordinates of the first one's limb.
    pub(super) X: [Transform<T>; 2],
    /// The point where forces act, in the coordinates of each side's limb.
    p: [Vec3<T>; 2],
    /// Motions of the bodies at that point.
    pub(super) v: [Motion<T>; 2],
    pub(super) a: [Motion<T>; 2],
}

/// A motion, moved to a point.
#[inline(always)]
fn moved<T: Real>(m: Motion<T>, p: Vec3<T>) -> Motion<T> {
    Motion::new(m.ang.cross_add(p, m.lin), m.ang)
}

impl<T: Real, W: Wide<T>> InAllLanes<Seen<T>> for Seen<W> {
    #[inline(always)]
    fn all(Seen { X: [X1, X2], p: [p1, p2], v: [v1, v2], a: [a1, a2] }: Seen<T>) -> Self {
        Self {
            X: [Transform::all(X1), Transform::all(X2)],
            p: [Vec3::all(p1), Vec3::all(p2)],
            v: [Motion::all(v1), Motion::all(v2)],
            a: [Motion::all(a1), Motion::all(a2)],
        }
    }
}

impl<T: Real> Seen<T> {
    #[inline(always)]
    pub(super) fn of(pair: &Pair, tree: &Tree, bodies: &Bodies<T>) -> Self {
        let Pair { first, second, .. } = pair;
        let X1 = bodies.X(tree, first.body) * Transform::lift(&first.placement);
        let mut X2 = bodies.X(tree, second.body) * Transform::lift(&second.placement);
        // Limbs of the world have different origins.
        let between = bodies.world(tree, first.body).pos - bodies.world(tree, second.body).pos;
        X2.pos += between;
        let p = [X1.pos, X1.pos - between];
        let placed = |body: usize| -> Placed<T> { bodies.placed.get(tree.bodies[body].slot) };
        let (one, other) = (placed(first.body), placed(second.body));
        Self {
            X: [X1, X2],
            p,
            v: [moved(one.v, p[0]), moved(other.v, p[1])],
            a: [moved(one.a, p[0]), moved(other.a, p[1])],
        }
    }

    /// A pair from places and motions in ground coordinates with a common origin.
    #[inline(always)]
    pub(super) fn in_ground(pair: &Pair, X: [Transform<T>; 2], v: [Motion<T>; 2], a: [Motion<T>; 2]) -> Self {
        let X = [X[0] * Transform::lift(&pair.first.placement), X[1] * Transform::lift(&pair.second.placement)];
        let p = X[0].pos;
        Self { X, p: [p; 2], v: v.map(|v| moved(v, p)), a: a.map(|a| moved(a, p)) }
    }

    /// Updates the accelerations.
    #[inline(always)]
    pub(super) fn accelerate(&mut self, pair: &Pair, tree: &Tree, bodies: &Bodies<T>) {
        for (k, anchor) in [&pair.first, &pair.second].into_iter().enumerate() {
            let Placed { a, .. } = bodies.placed.get(tree.bodies[anchor.body].slot);
            self.a[k] = moved(a, self.p[k]);
        }
    }

    /// A force at the point, moved to the coordinates of a side's limb.
    #[inline(always)]
    pub(super) fn on(&self, side: Side, F: Force<T>) -> Force<T> {
        Force::new(F.lin, self.p[side as usize].cross_add(F.lin, F.ang))
    }

    /// A motion of a side's limb, moved to the point.
    #[inline(always)]
    pub(super) fn at_point(&self, side: Side, m: Motion<T>) -> Motion<T> {
        moved(m, self.p[side as usize])
    }

    /// u
    #[inline(always)]
    pub(super) fn u(&self) -> Motion<T> {
        self.v[0] - self.v[1]
    }

    /// p₁ − p₂
    #[inline(always)]
    pub(super) fn apart(&self) -> Vec3<T> {
        self.X[0].pos - self.X[1].pos
    }

    /// (1) or (2) without gains.
    #[inline(always)]
    pub(super) fn acceleration(&self, is_frame: bool) -> Motion<T> {
        let mut rho = self.v[0].cross_add(self.v[1], self.a[0] - self.a[1]);
        if !is_frame {
            let u = self.u();
            rho.lin = u.ang.cross_add(u.lin, rho.lin);
        }
        rho
    }

    /// Placement of the first place in the second, as a configuration.
    #[inline(always)]
    pub(super) fn relative(&self) -> [T; 7] {
        let g = self.X[1].inverse() * self.X[0];
        let [x, y, z, w] = Quaternion::from_matrix(&g.rot).to_array();
        [g.pos.x, g.pos.y, g.pos.z, x, y, z, w]
    }

    /// e (3), in world axes.
    #[inline(always)]
    pub(super) fn error(&self, is_frame: bool) -> Motion<T> {
        if !is_frame {
            return Motion::new(self.apart(), Vec3::zero());
        }
        let (mut neutral, mut e) = ([T::zero(); 7], [T::zero(); 6]);
        Group::Se3.neutral(&mut neutral);
        Group::Se3.difference(&neutral, &self.relative(), &mut e);
        let e = Motion::from_array(e);
        Motion::new(self.X[0].rot * e.lin, self.X[0].rot * e.ang)
    }

    /// Axes of the rows.
    #[inline(always)]
    pub(super) fn axes(&self, axes: RowAxes) -> Mat3<T> {
        match axes {
            RowAxes::First => self.X[0].rot,
            RowAxes::Second => self.X[1].rot,
            RowAxes::World => Mat3::identity(),
        }
    }

    /// Direction between the points, and their distance (5).
    #[inline(always)]
    pub(super) fn along(&self) -> (Vec3<T>, T) {
        let d = self.apart();
        let length = d.norm_squared().sqrt();
        (d * length.recip(), length)
    }
}

impl<T: Real> Seen<T> {
    /// [`along`](Self::along) if `wanted`, else zero: coinciding points have no direction.
    #[inline(always)]
    pub(super) fn along_if(&self, wanted: bool) -> (Vec3<T>, T) {
        if wanted { self.along() } else { (Vec3::zero(), T::one()) }
    }
}

/// Component of a motion along a row.
#[inline(always)]
pub(super) fn component<T: Real>(m: Motion<T>, along: Vec3<T>, is_angular: bool) -> T {
    along.dot(if is_angular { m.ang } else { m.lin })
}

impl Held {
    /// Writes the components of a motion along the rows. If all directions are held, these are its parts.
    #[inline(always)]
    pub(super) fn project<T: Real>(&self, m: Motion<T>, axes: &Mat3<T>, out: &mut [T]) {
        if self.some.is_empty() {
            // One by one: for an unknown length, `copy_from_slice` would be a function call.
            for (out, m) in out.iter_mut().zip(m.to_array()) {
                *out = m;
            }
            return;
        }
        for (out, direction) in out.iter_mut().zip(&self.some) {
            *out = component(m, *axes * Vec3::lift(direction.along), direction.is_angular);
        }
    }
}

impl Held {
    /// Force at the point, from numbers along the rows.
    #[inline(always)]
    pub(super) fn force<T: Real>(&self, lambda: &[T], axes: &Mat3<T>) -> Force<T> {
        if self.some.is_empty() {
            let mut six = [T::zero(); 6];
            for (six, &lambda) in six.iter_mut().zip(lambda) {
                *six = lambda;
            }
            return Force::from_array(six);
        }
        let mut F = Force::zero();
        for (&lambda, direction) in lambda.iter().zip(&self.some) {
            let f = *axes * Vec3::lift(direction.along) * lambda;
            if direction.is_angular {
                F.ang += f;
            } else {
                F.lin += f;
            }
        }
        F
    }
}

/// Desired motion along the rows of a constraint: c̈* + Kd ċ* + Kp c*.
#[inline(always)]
pub(super) fn desired<T: Real>(item: &Constraint, desired: Option<&[T]>, rows: usize) -> [T; 6] {
    let mut out = [T::zero(); 6];
    if let Some(desired) = desired {
        let (kp, kd) = (T::from_f64(item.gains.kp), T::from_f64(item.gains.kd));
        for (out, r) in out.iter_mut().zip(item.rows.clone()) {
            *out = kp.mul_add(desired[r], kd.mul_add(desired[rows + r], desired[2 * rows + r]));
        }
    }
    out
}

impl Constraint {
    /// r (4) at the motion of the bodies, without the desired motion. Joints use q and v of the full tree;
    /// their accelerations count as zero. In world axes if all directions are held.
    #[inline(always)]
    pub(super) fn residual<T: Real>(&self, seen: Option<&Seen<T>>, q: &[T], v: &[T], out: &mut [T]) {
        let (kp, kd) = (T::from_f64(self.gains.kp), T::from_f64(self.gains.kd));
        match (&self.kind, seen) {
            (Kind::Held(held), Some(seen)) => {
                held.project(self.rho(held, seen), &seen.axes(held.axes), out);
            }
            (Kind::Distance(_, length), Some(seen)) => {
                let ((n, l), u) = (seen.along(), seen.u().lin);
                let rate = n.dot(u);
                let turning = rate.neg_mul_add(rate, u.norm_squared()) / l;
                let held = kp * (l - T::from_f64(*length)); // (5)
                out[0] = n.dot(seen.acceleration(false).lin) + turning + kd.mul_add(rate, held);
            }
            (Kind::Joints(terms, constant), _) => {
                let (mut position, mut velocity) = (-T::from_f64(*constant), T::zero());
                for term in terms {
                    let factor = T::from_f64(term.factor);
                    position = factor.mul_add(q[term.coordinate], position);
                    velocity = factor.mul_add(v[term.dof], velocity);
                }
                out[0] = kp.mul_add(position, kd * velocity);
            }
            (_, None) => {}
        }
    }

    /// ρ: (1), (2)
    #[inline(always)]
    pub(super) fn rho<T: Real>(&self, held: &Held, seen: &Seen<T>) -> Motion<T> {
        let mut rho = seen.acceleration(held.is_frame);
        if self.gains.kd != 0.0 {
            rho = seen.u().scale_add(T::from_f64(self.gains.kd), rho);
        }
        if self.gains.kp != 0.0 {
            rho = seen.error(held.is_frame).scale_add(T::from_f64(self.gains.kp), rho);
        }
        rho
    }

    /// Writes the columns of J, `stride` apart, times `active`.
    #[inline(always)]
    pub(super) fn jacobian<T: Real>(
        &self,
        seen: Option<&Seen<T>>,
        bodies: &Bodies<T>,
        active: T,
        stride: usize,
        j: &mut [T],
    ) {
        let rows = self.rows.clone();
        match (&self.kind, seen) {
            (Kind::Held(held), Some(seen)) => {
                let axes = seen.axes(held.axes);
                for (run, side) in &held.pair.runs {
                    let sign = if *side == Side::First { active } else { -active };
                    for c in run.clone() {
                        let S = seen.at_point(*side, bodies.S.get(c)) * sign;
                        held.project(S, &axes, &mut j[c * stride..][rows.clone()]);
                    }
                }
            }
            (Kind::Distance(pair, _), Some(seen)) => {
                let (n, _) = seen.along();
                for (run, side) in &pair.runs {
                    let sign = if *side == Side::First { active } else { -active };
                    for c in run.clone() {
                        j[c * stride + rows.start] = n.dot(seen.at_point(*side, bodies.S.get(c)).lin) * sign;
                    }
                }
            }
            (Kind::Joints(terms, _), _) => {
                for term in terms {
                    let place = &mut j[term.dof * stride + rows.start];
                    *place = T::from_f64(term.factor).mul_add(active, *place);
                }
            }
            (_, None) => {}
        }
    }

    /// True if the axes of its rows differ from those used for computing them.
    pub(super) fn turns(&self) -> bool {
        matches!(&self.kind, Kind::Held(held) if held.some.is_empty() && held.axes != RowAxes::World)
    }

    /// Turns numbers along its rows from the axes used for computing to its own, or back.
    #[inline(always)]
    pub(super) fn turn<T: Real>(&self, seen: Option<&Seen<T>>, to_own: bool, x: &mut [T]) {
        let (Kind::Held(held), Some(seen), true) = (&self.kind, seen, self.turns()) else { return };
        let axes = seen.axes(held.axes);
        for x in x.as_chunks_mut::<3>().0 {
            let three = Vec3::new(x[0], x[1], x[2]);
            *x = if to_own { axes.tr_mul(three) } else { axes * three }.to_array();
        }
    }
}
