//! Constraints of every kind on any robot, and their equations by geometry alone.
//!
//! A constraint is tested on the motion `q ⊕ (v t + a t²/2)`, whose velocity and acceleration at t = 0 are
//! `v` and `a`. Hyper-dual numbers give the first and second derivatives of placements, and of the
//! constrained quantities, without any formula of the library.

use crate::states::numbers;
use dtau::model::{FrameId, Model};
use dtau::scalar::HyperDual;
use dtau::spatial::{Quaternion, Transform, Vec3};
use dtau::{Constraints, DelassusMut, Error, Gains, Random, RowAxes, Workspace, Wrench, delassus, frame_placement};
use std::cell::RefCell;

/// Definition of one constraint.
#[derive(Clone, Debug)]
pub struct Spec {
    pub frame: FrameId,
    /// The second frame; none for the world.
    pub by: Option<FrameId>,
    pub what: What,
    pub gains: Gains,
}

/// The constrained quantity, in the coordinates of the second frame.
#[derive(Clone, Debug)]
pub enum What {
    Point { at: [f64; 3], target: [f64; 3], axes: Option<RowAxes> },
    Plane { at: [f64; 3], target: [f64; 3], normal: [f64; 3] },
    Line { at: [f64; 3], target: [f64; 3], direction: [f64; 3] },
    Distance { at: [f64; 3], target: [f64; 3], length: f64 },
    Frame { placement: Transform<f64>, axes: Option<RowAxes>, only: [bool; 6] },
    Joints { terms: Vec<(String, f64)>, constant: f64 },
}

/// Number of kinds.
pub const KINDS: usize = 8;

impl Spec {
    pub fn rows(&self) -> usize {
        match &self.what {
            What::Point { .. } => 3,
            What::Plane { .. } | What::Distance { .. } | What::Joints { .. } => 1,
            What::Line { .. } => 2,
            What::Frame { only, .. } => only.iter().filter(|held| **held).count(),
        }
    }

    /// Draws a constraint of a kind, between random frames of two bodies or of a body and the world. With
    /// `here`, it is satisfied at that configuration.
    pub fn draw(model: &Model, random: &mut Random, kind: usize, here: Option<&[f64]>) -> Option<Self> {
        let frames: Vec<FrameId> = model.frame_ids().collect();
        let body = |frame: FrameId| model.frame_info(frame).body;
        let mut moving = || (0..50).map(|_| frames[random.below(frames.len())]).find(|&frame| body(frame).is_some());
        let frame = moving()?;
        let other = moving().filter(|&other| body(other) != body(frame));
        let by = other.filter(|_| random.below(2) == 0);
        let three = |random: &mut Random| {
            let x = numbers(random, 3);
            [0.3 * x[0], 0.3 * x[1], 0.3 * x[2]]
        };
        let (at, mut target) = (three(random), three(random));
        let mut placement =
            Transform::new(Quaternion::exp(Vec3::from(three(random)) * 3.0).to_matrix(), Vec3::from(three(random)));
        let mut length = 0.4 + random.within(0.0, 1.0);
        let gains = match random.below(3) {
            0 => Gains::default(),
            _ => Gains { kp: random.within(0.0, 30.0), kd: random.within(0.0, 8.0) },
        };
        let direction = three(random).map(|x| x + 0.1);
        let axes = [None, Some(RowAxes::First), Some(RowAxes::Second), Some(RowAxes::World)][random.below(4)];
        if let Some(q) = here {
            let place = |frame| placed(model, frame, q);
            let own = place(frame);
            let relative = by.map_or(own, |by| place(by).inverse() * own);
            placement = relative;
            let point = relative.act_point(at.into());
            length = (point - Vec3::from(target)).norm_squared().sqrt();
            if kind != 3 {
                target = point.to_array();
            }
        }
        let what = match kind {
            0 => What::Point { at, target, axes },
            1 => What::Plane { at, target, normal: direction },
            2 => What::Line { at, target, direction },
            3 => What::Distance { at, target, length },
            4 => What::Frame { placement, axes, only: [true; 6] },
            5 => What::Frame { placement, axes: None, only: [true, true, true, true, true, false] },
            6 => What::Frame { placement, axes: None, only: [false, true, false, true, true, true] },
            _ => {
                let single: Vec<_> = model
                    .joints()
                    .iter()
                    .filter(|j| j.mimic.is_none() && j.kind.nv() == 1 && j.kind.name() != "continuous")
                    .collect();
                if single.len() < 2 {
                    return None;
                }
                let first = random.below(single.len());
                let second = (first + 1 + random.below(single.len() - 1)) % single.len();
                let terms = vec![(single[first].name.clone(), 1.0), (single[second].name.clone(), -1.7)];
                let at_q = here.map(|q| q[single[first].q.start] - 1.7 * q[single[second].q.start]);
                What::Joints { terms, constant: at_q.unwrap_or(0.2) }
            }
        };
        Some(Self { frame, by, what, gains })
    }

    /// c̈ + kd ċ + kp c by geometry, for the motion with `v` and `a` at `q`.
    pub fn residual(&self, model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        let Gains { kp, kd } = self.gains;
        let of = |c: HyperDual| c.e12 + kd * c.e1 + kp * c.re;
        if let What::Joints { terms, constant } = &self.what {
            let sum =
                |x: &dyn Fn(usize) -> f64| terms.iter().map(|(name, k)| k * x(joint_number(model, name))).sum::<f64>();
            let joint = |i: usize| &model.joints()[i];
            let (position, velocity, acceleration) = (
                sum(&|i| q[joint(i).q.start]) - constant,
                sum(&|i| v[joint(i).v.start]),
                sum(&|i| a[joint(i).v.start]),
            );
            return vec![acceleration + kd * velocity + kp * position];
        }
        let moving = along(model, q, v, a);
        let mut ws = Workspace::<HyperDual>::new(model);
        let mut place = |frame: FrameId| {
            let mut x = [HyperDual::default(); 12];
            frame_placement(model, &mut ws, frame, &moving, &mut x).unwrap();
            Transform::from_array(x)
        };
        let first = place(self.frame);
        let second = self.by.map_or(Transform::identity(), &mut place);
        let relative = second.inverse() * first;
        let point =
            |at: [f64; 3], target: [f64; 3]| relative.act_point(Vec3::lift(at.into())) - Vec3::lift(target.into());
        match &self.what {
            What::Point { at, target, .. } => point(*at, *target).to_array().map(of).to_vec(),
            What::Plane { at, target, normal } => {
                vec![of(point(*at, *target).dot(Vec3::lift(unit(*normal))))]
            }
            What::Line { at, target, direction } => {
                let (d, n) = (point(*at, *target), Vec3::lift(unit(*direction)));
                (d - n * n.dot(d)).to_array().map(of).to_vec()
            }
            What::Distance { at, target, length } => {
                use dtau::scalar::Real;
                vec![of(point(*at, *target).norm_squared().sqrt() - HyperDual::from_f64(*length))]
            }
            What::Frame { placement, only, .. } => {
                let g = Transform::<HyperDual>::lift(placement).inverse() * relative;
                let all = frame_residual(&g, self.gains);
                all.into_iter().zip(only).filter(|(_, held)| **held).map(|(r, _)| r).collect()
            }
            What::Joints { .. } => unreachable!(),
        }
    }

    /// The forces λ of its rows as wrenches on the robot, with placements at `q`.
    pub fn wrenches(&self, model: &Model, q: &[f64], axes: Option<RowAxes>, lambda: &[f64]) -> Vec<Wrench<f64>> {
        let first = placed(model, self.frame, q);
        let second = self.by.map_or(Transform::identity(), |by| placed(model, by, q));
        let (mut force, mut torque, mut at) = (Vec3::zero(), Vec3::zero(), [0.0; 3]);
        match &self.what {
            What::Joints { .. } => return Vec::new(),
            What::Point { at: point, .. } => {
                at = *point;
                let f = Vec3::new(lambda[0], lambda[1], lambda[2]);
                force = match axes.unwrap() {
                    RowAxes::First => first.rot * f,
                    RowAxes::Second => second.rot * f,
                    RowAxes::World => f,
                };
            }
            What::Plane { at: point, normal, .. } => {
                at = *point;
                force = second.rot * unit(*normal) * lambda[0];
            }
            What::Line { at: point, direction, .. } => {
                at = *point;
                let [a, b] = across(unit(*direction));
                force = second.rot * (a * lambda[0] + b * lambda[1]);
            }
            What::Distance { at: point, target, .. } => {
                at = *point;
                let d = first.act_point(at.into()) - second.act_point((*target).into());
                force = d * (lambda[0] / d.norm_squared().sqrt());
            }
            What::Frame { placement, only, .. } => {
                let rot = match axes.unwrap() {
                    RowAxes::First => first.rot,
                    RowAxes::Second => second.rot * placement.rot,
                    RowAxes::World => Transform::identity().rot,
                };
                let mut six = [0.0; 6];
                let held = six.iter_mut().zip(only).filter(|(_, held)| **held);
                held.zip(lambda).for_each(|((x, _), &lambda)| *x = lambda);
                force += rot * Vec3::new(six[0], six[1], six[2]);
                torque += rot * Vec3::new(six[3], six[4], six[5]);
            }
        }
        let p = first.act_point(at.into());
        let about = p.cross(force) + torque;
        let mut all = vec![Wrench::world(self.frame, force.to_array(), about.to_array())];
        all.extend(self.by.map(|by| Wrench::world(by, (-force).to_array(), (-about).to_array())));
        all
    }
}

/// V̇ + kd V + kp log g of a moving placement, with V its velocity in its own axes.
fn frame_residual(g: &Transform<HyperDual>, gains: Gains) -> [f64; 6] {
    let part = |of: fn(HyperDual) -> f64| -> Transform<f64> {
        let x = g.to_array().map(of);
        Transform::from_array(x)
    };
    let (g0, g1, g2) = (part(|x| x.re), part(|x| x.e1), part(|x| x.e12));
    // g⁻¹ġ and g⁻¹g̈ − (g⁻¹ġ)².
    let (w, p) = (g0.rot.transpose() * g1.rot, g0.rot.tr_mul(g1.pos));
    let (dw, dp) = (g0.rot.transpose() * g2.rot - w * w, g0.rot.tr_mul(g2.pos) - w * p);
    let vee = |m: &dtau::spatial::Mat3<f64>| Vec3::new(m.cols[1].z, m.cols[2].x, m.cols[0].y);
    let turn = Quaternion::from_matrix(&g0.rot).to_array();
    let q = [g0.pos.x, g0.pos.y, g0.pos.z, turn[0], turn[1], turn[2], turn[3]];
    let mut e = [0.0; 6];
    let floating = crate::robots::build(&dtau::model::generate::chain(0), dtau::model::Root::Floating);
    floating.difference(&floating.neutral(), &q, &mut e).unwrap();
    let (v, a) = (vee(&w), vee(&dw));
    let velocity = [p.x, p.y, p.z, v.x, v.y, v.z];
    let rate = [dp.x, dp.y, dp.z, a.x, a.y, a.z];
    std::array::from_fn(|k| rate[k] + gains.kd * velocity[k] + gains.kp * e[k])
}

/// q ⊕ (v t + a t²/2) at t = 0, with its first and second derivatives.
fn along(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<HyperDual> {
    let q: Vec<HyperDual> = q.iter().map(|&q| HyperDual::new(q, 0.0, 0.0)).collect();
    let step: Vec<HyperDual> = v.iter().zip(a).map(|(&v, &a)| HyperDual { re: 0.0, e1: v, e2: v, e12: a }).collect();
    let mut out = q.clone();
    model.integrate(&q, &step, &mut out).unwrap();
    out
}

fn placed(model: &Model, frame: FrameId, q: &[f64]) -> Transform<f64> {
    let mut x = [0.0; 12];
    frame_placement(model, &mut Workspace::new(model), frame, q, &mut x).unwrap();
    Transform::from_array(x)
}

fn unit(x: [f64; 3]) -> Vec3<f64> {
    let x = Vec3::from(x);
    x * (1.0 / x.norm_squared().sqrt())
}

/// The library's two directions orthogonal to a line.
fn across(along: Vec3<f64>) -> [Vec3<f64>; 2] {
    let size = along.to_array().map(f64::abs);
    let least = if size[0] <= size[1] && size[0] <= size[2] {
        Vec3::new(1.0, 0.0, 0.0)
    } else if size[1] <= size[2] {
        Vec3::new(0.0, 1.0, 0.0)
    } else {
        Vec3::new(0.0, 0.0, 1.0)
    };
    let first = along.cross(least);
    let first = first * (1.0 / first.norm_squared().sqrt());
    [first, along.cross(first)]
}

/// Violated constraints with independent rows, for tests of every function: points, a plane, a hinge, a rod.
/// There are fewer than half as many rows as degrees of freedom, and none for small models.
pub fn some(model: &Model) -> Constraints {
    thread_local! {
        /// The constraints of the last model: tests request the same ones for every state.
        static LAST: RefCell<Option<Constraints>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| match last {
        Some(last) if std::ptr::eq(last.model().tree(), model.tree()) => last.clone(),
        _ => last.insert(drawn(model)).clone(),
    })
}

fn drawn(model: &Model) -> Constraints {
    let (random, mut specs) = (&mut Random::seeded(16), Vec::new());
    let (states, ws): (Vec<Vec<f64>>, _) =
        ((0..2).map(|_| model.random_configuration(random)).collect(), &mut Workspace::new(model));
    for kind in [0, 5, 1, 3, 2, 0] {
        let Some(spec) = Spec::draw(model, random, kind, None) else { continue };
        specs.push(Spec { gains: Gains { kp: 10.0, kd: 3.0 }, ..spec });
        let set = build(model, &specs).unwrap();
        if 2 * set.rows() > model.nv() || !states.iter().all(|q| is_independent(&set, ws, q)) {
            specs.pop();
        }
    }
    build(model, &specs).unwrap()
}

/// True if no row is nearly dependent on others: Λ is not much larger than for each row alone.
fn is_independent(set: &Constraints, ws: &mut Workspace<f64>, q: &[f64]) -> bool {
    let m = set.rows();
    let (mut g, mut inverse, mut rank) = (vec![0.0; m * m], vec![0.0; m * m], vec![0.0]);
    let out = DelassusMut { delassus: &mut g, inverse: &mut inverse, rank: &mut rank };
    delassus(set.model(), ws, set, q, out).unwrap();
    rank[0] == m as f64 && (0..m).all(|k| g[k * m + k] * inverse[k * m + k] < 1e3)
}

/// Builds one set of all constraints.
pub fn build(model: &Model, specs: &[Spec]) -> Result<Constraints, Error> {
    let mut set = Constraints::new(model);
    let name = |frame: FrameId| model.frame_info(frame).full_name();
    for (k, spec) in specs.iter().enumerate() {
        let (own, other) = (name(spec.frame), spec.by.map(name));
        let point = |at: [f64; 3], axes: Option<RowAxes>, set: dtau::ConstraintsBuilder| {
            let point = set.point(&own).called(&format!("number {k}")).at(at).gains(spec.gains);
            if let Some(axes) = axes { point.axes(axes) } else { point }
        };
        set = match &spec.what {
            What::Point { at, target, axes } => match &other {
                None => point(*at, *axes, set).at_world(*target),
                Some(other) => point(*at, *axes, set).with(other, *target),
            },
            What::Plane { at, target, normal } => match &other {
                None => point(*at, None, set).in_world_plane(*target, *normal),
                Some(other) => point(*at, None, set).in_plane_of(other, *target, *normal),
            },
            What::Line { at, target, direction } => match &other {
                None => point(*at, None, set).on_world_line(*target, *direction),
                Some(other) => point(*at, None, set).on_line_of(other, *target, *direction),
            },
            What::Distance { at, target, length } => match &other {
                None => point(*at, None, set).at_distance_of_world(*target, *length),
                Some(other) => point(*at, None, set).at_distance_of(other, *target, *length),
            },
            What::Frame { placement, axes, only } => {
                let frame = set.frame(&own).called(&format!("number {k}")).gains(spec.gains).only(*only);
                let frame = if let Some(axes) = axes { frame.axes(*axes) } else { frame };
                match &other {
                    None => frame.at_world(*placement),
                    Some(other) => frame.with(other, *placement),
                }
            }
            What::Joints { terms, constant } => {
                let terms: Vec<(&str, f64)> = terms.iter().map(|(name, k)| (name.as_str(), *k)).collect();
                set.joints(&terms).gains(spec.gains).sum_to(*constant)
            }
        };
    }
    set.build()
}

/// Index of a joint in [`Model::joints`].
pub fn joint_number(model: &Model, name: &str) -> usize {
    model.joints().iter().position(|joint| joint.name == name).expect("a joint of that name")
}
