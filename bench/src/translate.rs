//! From dtau's model to the opponent's, as data.
//!
//! dtau has merged fixed links, numbered bodies depth-first and turned every joint's axis into `z`; the opponent gets that
//! tree. So both compute on the same bodies in the same order, and Pinocchio runs its cheapest joint types (`RZ`, `PZ`)
//! where its own reader would often have had to take slower ones.
//!
//! A continuous joint becomes what Pinocchio's reader makes of it, a joint that takes (cos, sin): it is spared the sine and
//! cosine that dtau has to compute.

use crate::opponent::{Body, kind};
use crate::states::{Both, States};
use dtau::joints::Joint;
use dtau::model::{JointKind, Model};

/// The bodies of a model, for the opponent.
///
/// # Errors
/// If joints mimic others, or dofs of one joint have different armatures: the opponent has no such thing.
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
        let [x, y, z] = body.x_tree.rot.cols;
        let s = &body.about_com;
        out.push(Body {
            parent: body.parent as i32 - 1,
            kind: kind_of(&body.joint, &joint.kind),
            axis: [0.0, 0.0, 1.0],
            pitch: if let Joint::Helical(helical) = body.joint { helical.pitch } else { 0.0 },
            rotation: [x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z],
            translation: body.x_tree.pos.to_array(),
            mass: body.inertia.mass,
            com: body.com.to_array(),
            inertia: [s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz],
            armature,
        });
    }
    Ok(out)
}

fn kind_of(joint: &Joint, told: &JointKind) -> i32 {
    match joint {
        Joint::Revolute(_) if matches!(told, JointKind::Continuous { .. }) => kind::REVOLUTE_UNBOUNDED,
        Joint::Revolute(_) => kind::REVOLUTE,
        Joint::Prismatic(_) => kind::PRISMATIC,
        Joint::Helical(_) => kind::HELICAL,
        Joint::Spherical(_) => kind::SPHERICAL,
        Joint::Planar(_) => kind::PLANAR,
        Joint::Translation(_) => kind::TRANSLATION,
        Joint::FreeFlyer(_) => kind::FREE_FLYER,
    }
}

/// The same states in the opponent's coordinates.
pub fn both(model: &Model, states: &Both) -> Both {
    Both { accelerations: one_set(model, &states.accelerations), torques: one_set(model, &states.torques) }
}

fn one_set(model: &Model, states: &States) -> States {
    let mut q = Vec::new();
    for i in 0..states.count {
        let (ours, ..) = states.one(i);
        for (body, joint) in model.tree().bodies[1..].iter().zip(model.joints()) {
            let ours = &ours[body.q.clone()];
            match kind_of(&body.joint, &joint.kind) {
                kind::REVOLUTE_UNBOUNDED => q.extend([ours[0].cos(), ours[0].sin()]),
                kind::PLANAR => q.extend([ours[0], ours[1], ours[2].cos(), ours[2].sin()]),
                _ => q.extend(ours),
            }
        }
    }
    States { q, ..states.clone() }
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

    #[test]
    fn continuous_and_planar_angles_become_cosine_and_sine() {
        // Random trees have every kind of joint; only their dofs' armatures differ, which `bodies` refuses.
        let options = Options { mimic: MimicMode::Free, ..Options::default() };
        let model = Model::build(&generate::random_tree(3, 16), &options).unwrap();
        let ours = Both::random(&model, 3, 1).unwrap();
        let theirs = both(&model, &ours);
        let extra =
            model.joints().iter().filter(|j| matches!(j.kind, JointKind::Continuous { .. } | JointKind::Planar { .. }));
        assert_eq!(theirs.torques.q.len(), ours.torques.q.len() + 3 * extra.count());
    }
}
