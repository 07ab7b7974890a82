//! Translates dtau's model to the opponent's, as data.
//!
//! dtau has merged fixed links, numbered bodies depth-first and aligned every joint's axis with `z`. The
//! opponent gets this tree. So both compute on the same bodies in the same order. Pinocchio can use its
//! cheapest joint types (`RZ`, `PZ`), while its own reader would often need slower ones.
//!
//! A continuous joint becomes a joint with (cos, sin), as in Pinocchio's reader. So Pinocchio does not
//! compute the sine and cosine that dtau has to compute.

use crate::opponent::{Body, Hold, kind};
use crate::robots::Held;
use crate::states::{Both, States};
use dtau::model::{Frame, FrameId, FrameKind, JointKind, Model};
use dtau::spatial::{Motion, Transform};
use dtau::{Constraints, Placements, Workspace};

/// Returns the bodies of a model, for the opponent.
///
/// # Errors
/// Fails if joints mimic others, or if the dofs of one joint have different armatures. The opponent supports neither.
pub fn bodies(model: &Model) -> Result<Vec<Body>, String> {
    if model.mimic().is_some() {
        return Err(format!("{}: build it with MimicMode::Free to compare it", model.name()));
    }
    let tree = model.tree();
    let mut out = Vec::with_capacity(model.body_count());
    for (body, joint) in tree.bodies[1..].iter().zip(model.joints()) {
        let armature = tree.dofs[body.v.start].armature;
        if tree.dofs[body.v.clone()].iter().any(|dof| dof.armature != armature) {
            return Err(format!("joint \"{}\" has several armatures; the opponent takes one", joint.name));
        }
        let s = &body.about_com;
        out.push(Body {
            parent: body.parent as i32 - 1,
            kind: kind_of(&joint.kind)?,
            axis: [0.0, 0.0, 1.0],
            pitch: joint
                .kind
                .numbers()
                .into_iter()
                .find(|(number, _)| number.name == "pitch")
                .map_or(0.0, |(_, pitch)| pitch),
            rotation: by_rows(&body.x_tree),
            translation: body.x_tree.pos.to_array(),
            mass: body.inertia.mass,
            com: body.com.to_array(),
            inertia: [s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz],
            armature,
        });
    }
    Ok(out)
}

fn kind_of(kind: &JointKind) -> Result<i32, String> {
    Ok(match kind.name() {
        "revolute" => kind::REVOLUTE,
        "continuous" => kind::REVOLUTE_UNBOUNDED,
        "prismatic" => kind::PRISMATIC,
        "helical" => kind::HELICAL,
        "spherical" => kind::SPHERICAL,
        "planar" => kind::PLANAR,
        "translation" => kind::TRANSLATION,
        "free-flyer" => kind::FREE_FLYER,
        other => return Err(format!("the opponent has no {other} joint")),
    })
}

/// Makes constraints that hold frames at their places in a configuration, on both sides.
///
/// # Errors
/// Fails if there is no such frame.
pub fn held(model: &Model, held: &[Held], q: &[f64]) -> Result<(Constraints, Vec<Hold>), String> {
    let mut placed = Placements::<f64>::new(model);
    placed.update(model, &mut Workspace::new(model), q).map_err(|e| e.to_string())?;
    let (mut set, mut holds) = (Constraints::new(model), Vec::new());
    for one in held {
        let built = match (one.turning, one.with) {
            (false, None) => set.point(one.frame).at_world_here(q),
            (false, Some(other)) => set.point(one.frame).with_here(other, q),
            (true, None) => set.frame(one.frame).at_world_here(q),
            (true, Some(other)) => set.frame(one.frame).with_here(other, q),
        };
        set = built.map_err(|e| e.to_string())?;
        let id = model.frame(one.frame).map_err(|e| e.to_string())?;
        let (frame, world) = (model.frame_info(id), placed.frame(id));
        let (other, there) = match one.with {
            None => (-1, world),
            Some(other) => {
                let id = model.frame(other).map_err(|e| e.to_string())?;
                let other = model.frame_info(id);
                (body_of(model, other), other.placement * (placed.frame(id).inverse() * world))
            }
        };
        holds.push(Hold {
            body: body_of(model, frame),
            other,
            rows: if one.turning { 6 } else { 3 },
            rotation: by_rows(&frame.placement),
            translation: frame.placement.pos.to_array(),
            other_rotation: by_rows(&there),
            other_translation: there.pos.to_array(),
        });
    }
    Ok((set.build().map_err(|e| e.to_string())?, holds))
}

/// Returns the body of a frame, counted from 0. −1 is the world.
fn body_of(model: &Model, frame: &Frame) -> i32 {
    model.body_ids().position(|body| Some(body) == frame.body).map_or(-1, |i| i as i32)
}

fn by_rows(x: &Transform<f64>) -> [f64; 9] {
    let [x, y, z] = x.rot.cols;
    [x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z]
}

/// Converts states to the opponent's coordinates.
pub fn both(model: &Model, states: &Both) -> Both {
    Both { accelerations: one_set(model, &states.accelerations), torques: one_set(model, &states.torques) }
}

fn one_set(model: &Model, states: &States) -> States {
    let mut q = Vec::new();
    for i in 0..states.count {
        let (ours, ..) = states.one(i);
        for (body, joint) in model.tree().bodies[1..].iter().zip(model.joints()) {
            let ours = &ours[body.q.clone()];
            match joint.kind {
                JointKind::Continuous { .. } => q.extend([ours[0].cos(), ours[0].sin()]),
                JointKind::Planar { .. } => q.extend([ours[0], ours[1], ours[2].cos(), ours[2].sin()]),
                _ => q.extend(ours),
            }
        }
    }
    States { q, ..states.clone() }
}

/// Computes positions, and motions in world coordinates, from the opponent's placements and motions in joint
/// coordinates.
pub fn motions(result: &[f64]) -> Vec<f64> {
    let mut out = Vec::new();
    for body in result.chunks_exact(24) {
        let mut placement = [0.0; 12];
        placement.copy_from_slice(&body[..12]);
        let x = Transform::from_array(placement);
        out.extend(x.pos.to_array());
        for motion in body[12..].chunks_exact(6) {
            let mut six = [0.0; 6];
            six.copy_from_slice(motion);
            out.extend(x.act(Motion::from_array(six)).to_array());
        }
    }
    out
}

/// Returns ∂²τ as qq, qv, vv, qa, from the opponent's qq, vv, qv, aq. Its qq is the change of ∂τ/∂q, whose
/// symmetric part is the Hessian.
pub fn tensors(n: usize, result: &[f64]) -> Vec<f64> {
    let cube = n * n * n;
    let [qq, vv, qv, aq] = [0, 1, 2, 3].map(|k| &result[k * cube..][..cube]);
    let exchanged = |at: usize| at % n + n * (at / n / n + n * (at / n % n));
    let mean = (0..cube).map(|at| 0.5 * (qq[at] + qq[exchanged(at)]));
    mean.chain(qv.iter().copied()).chain(vv.iter().copied()).chain((0..cube).map(|at| aq[exchanged(at)])).collect()
}

/// Computes the regressor for the parameters of links from the opponent's regressor for those of bodies, Y_body.
///
/// A body's parameters are the sum of those of its links in the axes of the body, π_body = Σ T π_link, so
/// Y_link = Y_body T. T is linear: its columns are the images of unit parameters.
pub fn regressor(model: &Model, result: &[f64]) -> Vec<f64> {
    let nv = model.nv();
    let mut out = Vec::new();
    for link in links(model) {
        for k in 0..10 {
            let mut column = vec![0.0; nv];
            let unit = std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 });
            for (p, t) in link.iter().flat_map(|(body, x)| (10 * body..).zip(carried(x, unit))) {
                column.iter_mut().zip(&result[p * nv..][..nv]).for_each(|(sum, y)| *sum += t * y);
            }
            out.extend(column);
        }
    }
    out
}

/// Returns the body of each link, counted from 0, and the pose of the link in it. `None` for links welded to
/// the world.
fn links(model: &Model) -> Vec<Option<(usize, Transform<f64>)>> {
    // At the neutral configuration every joint is the identity, so the tree's placements give the poses of
    // the bodies.
    let mut placed = Placements::<f64>::new(model);
    placed.update(model, &mut Workspace::new(model), &model.neutral()).expect("a configuration of the model");
    let mut bodies = vec![Transform::identity()];
    for body in &model.tree().bodies[1..] {
        bodies.push(bodies[body.parent] * body.x_tree);
    }
    let links = model.frames().iter().zip(model.frame_ids()).filter(|(frame, _)| frame.kind == FrameKind::Link);
    let of = |(frame, id): (&Frame, FrameId)| {
        let body = model.body_ids().position(|body| Some(body) == frame.body)?;
        Some((body, bodies[body + 1].inverse() * placed.frame(id)))
    };
    links.map(of).collect()
}

/// Transforms ten inertial parameters (m, m c, I as xx, xy, yy, xz, yz, zz about the origin) to the target
/// axes of `x`.
///
/// With Σ = ½ tr(I) 1 − I, the moments ∫ r rᵀ dm, the parameters form one symmetric matrix that transforms
/// like points:
///
/// ```text
/// J = ∫ [r; 1] [r; 1]ᵀ dm = [ Σ, m c; (m c)ᵀ, m ],    J' = X J Xᵀ    X: x as a matrix of 4 × 4
/// ```
fn carried(x: &Transform<f64>, [m, cx, cy, cz, xx, xy, yy, xz, yz, zz]: [f64; 10]) -> [f64; 10] {
    let half = 0.5 * (xx + yy + zz);
    let j = [[half - xx, -xy, -xz, cx], [-xy, half - yy, -yz, cy], [-xz, -yz, half - zz, cz], [cx, cy, cz, m]];
    let [a, b, c] = x.rot.cols.map(|column| column.to_array());
    let p = x.pos.to_array();
    let row = |i: usize| if i < 3 { [a[i], b[i], c[i], p[i]] } else { [0.0, 0.0, 0.0, 1.0] };
    let entry = |i: usize, k: usize| {
        let (left, right) = (row(i), row(k));
        (0..16).map(|n| left[n / 4] * j[n / 4][n % 4] * right[n % 4]).sum::<f64>()
    };
    let trace = entry(0, 0) + entry(1, 1) + entry(2, 2);
    let inertia = |i: usize, k: usize| if i == k { trace - entry(i, i) } else { -entry(i, k) };
    let [xx, xy, yy] = [inertia(0, 0), inertia(0, 1), inertia(1, 1)];
    [entry(3, 3), entry(0, 3), entry(1, 3), entry(2, 3), xx, xy, yy, inertia(0, 2), inertia(1, 2), inertia(2, 2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::model::{MimicMode, Options, generate};

    #[test]
    fn the_opponent_gets_every_body_depth_first_with_its_own_parent() {
        let options = Options { mimic: MimicMode::Free, ..Options::default() };
        let model = Model::build(&generate::tree(20, 2), &options).unwrap();
        let bodies = bodies(&model).unwrap();
        assert_eq!(bodies.len(), 20);
        assert_eq!(bodies[0].parent, -1);
        for (i, body) in bodies.iter().enumerate() {
            assert!(body.parent < i as i32 && body.mass == 1.0 && body.kind == kind::REVOLUTE);
        }
    }

    /// Links merged into a body sum to its parameters, in its rotated axes.
    #[test]
    fn the_parameters_of_links_add_up_to_those_of_bodies() {
        let options = Options { mimic: MimicMode::Free, ..Options::default() };
        for seed in 0..4 {
            let model = Model::build(&generate::random_tree(seed, 9), &options).unwrap();
            let mut sums = vec![[0.0; 10]; model.body_count()];
            let parameters = model.inertial_parameters();
            for (link, own) in links(&model).into_iter().zip(parameters.chunks_exact(10)) {
                if let Some((body, x)) = link {
                    let all = sums[body].iter_mut().zip(carried(&x, own.try_into().unwrap()));
                    all.for_each(|(sum, p)| *sum += p);
                }
            }
            for (sum, body) in sums.iter().zip(&model.tree().bodies[1..]) {
                let (i, h) = (&body.inertia, body.inertia.h.to_array());
                let rot = i.rot;
                let want = [i.mass, h[0], h[1], h[2], rot.xx, rot.xy, rot.yy, rot.xz, rot.yz, rot.zz];
                for (got, want) in sum.iter().zip(want) {
                    assert!((got - want).abs() < 1e-12, "seed {seed}: {sum:?}, want {want:?}");
                }
            }
        }
    }

    #[test]
    fn continuous_and_planar_angles_become_cosine_and_sine() {
        // Random trees have every joint type. `bodies` refuses only different armatures of a joint's dofs.
        let options = Options { mimic: MimicMode::Free, ..Options::default() };
        let model = Model::build(&generate::random_tree(3, 16), &options).unwrap();
        let ours = Both::random(&model, 3, 1).unwrap();
        let theirs = both(&model, &ours);
        let extra =
            model.joints().iter().filter(|j| matches!(j.kind, JointKind::Continuous { .. } | JointKind::Planar { .. }));
        assert_eq!(theirs.torques.q.len(), ours.torques.q.len() + 3 * extra.count());
    }
}
