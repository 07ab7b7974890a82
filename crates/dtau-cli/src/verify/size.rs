//! Sizes of the terms that dynamics adds up, before they cancel.
//!
//! A torque is a sum over bodies k of lever arm times force, in ground coordinates about the place of the
//! first body, as in the algorithms. Let uᵢₖ be the speed of body k for a unit velocity of degree of freedom
//! i, computed without cancellation (|linear| + |angular| · distance), and m its mass:
//!
//! ```text
//! M      uᵢₖ m uⱼₖ                                                             (1)
//! τ      uᵢₖ m (|g| + Σⱼ uⱼₖ |q̈ⱼ| + ω s),   s = Σⱼ uⱼₖ |q̇ⱼ|,  ω = Σⱼ |angular| |q̇ⱼ|   (2)
//! ∂τ/∂q̇  uᵢₖ m · 2 (ω max u + s max |angular|)                                 (3)
//! ∂τ/∂q  as τ: a step of one radian or metre turns or moves all of it            (4)
//!        and c/√(q̇² + s²) for friction, whose slope is the difference of two such (5)
//! ```

use crate::sample::Sample;
use dtau::{Error, Matrix, Reference, Scene, Workspace};

/// Sizes of the terms, by row.
pub struct Sizes {
    /// Sizes of M, entry by entry.
    pub inertia: Matrix<f64>,
    /// Sizes of M, by row.
    pub inertia_rows: Vec<f64>,
    /// Sizes of τ and ∂τ/∂q.
    pub torque: Vec<f64>,
    /// Sizes of ∂τ/∂q̇.
    pub damping: Vec<f64>,
}

impl Sizes {
    pub fn of(scene: &Scene<'_, f64>, x: &Sample) -> Result<Self, Error> {
        let (model, n) = (scene.model, scene.model.nv());
        let mut placements = dtau::Placements::new(model);
        placements.update(model, &mut Workspace::new(model), &x.q)?;
        let bodies: Vec<_> = model.body_ids().collect();
        let origin = bodies.first().map_or([0.0; 3], |&first| placements.body(first).pos.to_array());
        let gravity = norm(&scene.gravity.to_array());
        let (mut j, zeros) = (Matrix::zeros(6, n), vec![0.0; n]);
        let mut sizes = Self {
            inertia: Matrix::zeros(n, n),
            inertia_rows: zeros.clone(),
            torque: zeros.clone(),
            damping: zeros.clone(),
        };
        for (&body, inertia) in bodies.iter().zip(&model.tree().bodies[1..]) {
            let mass = inertia.inertia.mass;
            if mass == 0.0 {
                continue;
            }
            placements.jacobian(model.link_frame(body), Reference::World, &mut j)?;
            let arm = difference(&placements.body(body).pos.to_array(), &origin);
            let about = &inertia.about_com;
            let gyration = ((about.xx + about.yy + about.zz) / mass).max(0.0).sqrt();
            let distance = norm(&arm) + norm(&inertia.com.to_array()) + gyration;
            let angular: Vec<f64> = (0..n).map(|c| norm(&j.column(c)[3..])).collect();
            // A motion given at the world's origin, converted to the origin of the ground coordinates.
            let linear = |c: usize| {
                let [vx, vy, vz, wx, wy, wz] = [0, 1, 2, 3, 4, 5].map(|i| j[(i, c)]);
                let [x, y, z] = origin;
                norm(&[vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x])
            };
            let reach: Vec<f64> = (0..n).map(|c| linear(c) + angular[c] * distance).collect();
            let (turn, speed) = (weighted(&angular, &x.v), weighted(&reach, &x.v));
            let (most, most_angular) = (largest(&reach), largest(&angular));
            let acceleration = gravity + weighted(&reach, &x.a) + turn * speed;
            for i in 0..n {
                let lever = mass * reach[i];
                sizes.torque[i] += lever * acceleration; // (2)
                sizes.damping[i] += lever * 2.0 * (turn * most + speed * most_angular); // (3)
                sizes.inertia_rows[i] += lever * most;
                for c in 0..n {
                    sizes.inertia[(i, c)] += lever * reach[c]; // (1)
                }
            }
        }
        sizes.add_friction(scene, x);
        Ok(sizes)
    }

    /// Sizes of the derivative of τ with respect to an input of this name.
    pub fn by(&self, input: &str) -> &[f64] {
        match input {
            "q" => &self.torque,
            "v" => &self.damping,
            _ => &self.inertia_rows,
        }
    }

    /// Adds (5), for friction.
    fn add_friction(&mut self, scene: &Scene<'_, f64>, x: &Sample) {
        let (model, tree) = (scene.model, scene.model.tree());
        let speed = |v: f64| v.hypot(model.options().friction_speed);
        for (joint, body) in model.joints().iter().zip(&tree.bodies[1..]).filter(|_| scene.friction) {
            for (i, full) in joint.v.clone().zip(body.v.clone()) {
                self.damping[i] += tree.dofs[full].friction / speed(x.v[i]);
            }
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn difference(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn weighted(sizes: &[f64], x: &[f64]) -> f64 {
    sizes.iter().zip(x).map(|(size, x)| size * x.abs()).sum()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().copied().fold(0.0, f64::max)
}
