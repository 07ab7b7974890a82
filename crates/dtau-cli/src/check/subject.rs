//! The robot that is checked, and the placements of its links at rest.

use crate::failure::Failure;
use dtau::model::{Frame, FrameKind, Inertial, JointDescription, JointInfo, Link, Model};
use dtau::spatial::{Mat3, Transform, Vec3};
use dtau::{Placements, Workspace};
use std::collections::HashMap;

/// A robot at rest: all joints at zero, or at the limit that is nearest to zero.
pub struct Subject<'m> {
    /// The robot.
    pub model: &'m Model,
    /// Configuration at rest.
    pub q: Vec<f64>,
    /// Placement of each link of the description in the world.
    pub places: Vec<Transform<f64>>,
    /// True for each link that moves.
    pub moves: Vec<bool>,
    described: HashMap<&'m str, &'m JointDescription>,
}

impl<'m> Subject<'m> {
    /// Places the robot at rest.
    pub fn new(model: &'m Model) -> Result<Self, Failure> {
        let mut q = model.neutral();
        for joint in model.joints().iter().filter(|joint| joint.mimic.is_none() && joint.q.len() == 1) {
            let at = &mut q[joint.q.start];
            *at = at.max(joint.limits.lower).min(joint.limits.upper);
        }
        let mut placements = Placements::new(model);
        placements.update(model, &mut Workspace::new(model), &q)?;
        let frames = model.frame_ids().zip(model.frames()).filter(|(_, frame)| frame.kind == FrameKind::Link);
        let (places, moves) =
            frames.map(|(id, frame): (_, &Frame)| (placements.frame(id), frame.body.is_some())).unzip();
        let described = model.description().joints.iter().map(|joint| (joint.name.as_str(), joint)).collect();
        Ok(Self { model, q, places, moves, described })
    }

    /// Returns the links of the description.
    pub fn links(&self) -> &'m [Link] {
        &self.model.description().links
    }

    /// Returns the line of a joint in the file; 0 if there is none, as for the joint of a floating root.
    pub fn line(&self, joint: &JointInfo) -> u32 {
        self.described.get(joint.name.as_str()).map_or(0, |joint| joint.line)
    }
}

/// Largest moment that counts as zero \[kg m²\].
pub const NOISE: f64 = 1e-12;

/// Inertia box: the box of uniform density with a given mass and inertia.
#[derive(Clone, Copy, Debug)]
pub struct InertiaBox {
    /// Lengths of its sides \[m\]; zero where the inertia is not physical.
    pub sides: [f64; 3],
    /// Directions of the sides as columns, in the axes of the link, in the order that is nearest to those axes.
    pub axes: Mat3<f64>,
}

impl InertiaBox {
    /// Returns the box; `None` without mass or without rotational inertia.
    pub fn of(inertial: &Inertial) -> Option<Self> {
        let ([a, b, c], axes) = inertial.principal();
        if inertial.mass <= 0.0 || c <= NOISE {
            return None;
        }
        // Moments of a box: a = m (y² + z²) / 12.
        let side = |x: f64| (6.0 * x / inertial.mass).max(0.0).sqrt();
        let sides = [side(b + c - a), side(c + a - b), side(a + b - c)];
        // The order that leaves the axes nearest to those of the link.
        let columns = axes.cols.map(Vec3::to_array);
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let near = |order: &[usize; 3]| (0..3).map(|k| columns[order[k]][k].abs()).sum::<f64>();
        let order = orders.into_iter().fold([0, 1, 2], |best, order| {
            // A tie within rounding keeps the first.
            if near(&order) > near(&best) + 1e-9 { order } else { best }
        });
        let axes = order.map(|k| axes.cols[k]);
        Some(Self { sides: order.map(|k| sides[k]), axes: Mat3 { cols: axes } })
    }
}

/// Writes a number with four digits, without an exponent where that is readable.
pub fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Writes a mass with three digits, in kilograms, or in grams below 10 g.
pub fn mass(x: f64) -> String {
    let digits = |x: f64| short(format!("{x:.2e}").parse().unwrap_or(x));
    if x != 0.0 && x.abs() < 0.01 { format!("{} g", digits(1e3 * x)) } else { format!("{} kg", digits(x)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::spatial::{Quaternion, Sym3};

    /// A box of 0.1 × 0.2 × 0.3 m that is turned a little: its own inertia gives it back, axis by axis.
    #[test]
    fn the_box_of_the_inertia_of_a_box_is_that_box() {
        let (mass, [x, y, z]): (f64, [f64; 3]) = (2.0, [0.1, 0.2, 0.3]);
        let about = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
        let turned = Quaternion::exp(Vec3::new(0.2, -0.1, 0.3)).to_matrix();
        let about_com = Sym3::diagonal(about(y, z), about(z, x), about(x, y)).rotate(&turned);
        let solid = InertiaBox::of(&Inertial { mass, com: Vec3::zero(), about_com }).unwrap();
        for (k, want) in [x, y, z].into_iter().enumerate() {
            assert!((solid.sides[k] - want).abs() < 1e-12, "{solid:?}");
            assert!((solid.axes.cols[k].dot(turned.cols[k]).abs() - 1.0).abs() < 1e-12, "{solid:?}");
        }
    }
}
