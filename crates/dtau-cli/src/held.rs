//! Constraints that fit any robot, for timing functions of constraints.

use crate::sample::Sample;
use dtau::model::{FrameId, Model};
use dtau::{Constraints, ConstraintsBuilder, DelassusMut, Error, Gains, Workspace, delassus};
use std::collections::HashSet;

/// Constrains the ends of the tree, such as feet and hands: as points at their places in the neutral
/// configuration, or to a plane if the rows of a point would be dependent at one of the states. `None` if no
/// end can be constrained.
///
/// # Errors
/// If the mass matrix is singular.
pub fn ends(model: &Model, samples: &[Sample]) -> Result<Option<Constraints>, Error> {
    let (q, mut ws) = (model.neutral(), Workspace::new(model));
    let mut kept: Vec<(String, Way)> = Vec::new();
    let mut last = None;
    for frame in frames_of_ends(model) {
        let name = model.frame_info(frame).full_name();
        for way in [Way::Point, Way::Plane([0.0, 0.0, 1.0]), Way::Plane([1.0, 0.0, 0.0]), Way::Plane([0.0, 1.0, 0.0])] {
            kept.push((name.clone(), way));
            let set = build(model, &q, &kept)?;
            if samples
                .iter()
                .map(|x| is_independent(&set, &mut ws, &x.q))
                .collect::<Result<Vec<_>, _>>()?
                .contains(&false)
            {
                kept.pop();
            } else {
                last = Some(set);
                break;
            }
        }
    }
    Ok(last)
}

/// Constraint of an end.
#[derive(Clone, Copy)]
enum Way {
    Point,
    /// Held in the plane with this normal.
    Plane([f64; 3]),
}

/// The last frame of every body without children.
fn frames_of_ends(model: &Model) -> Vec<FrameId> {
    let parents: HashSet<_> = model.joints().iter().filter_map(|joint| joint.parent).collect();
    let parents: HashSet<_> = parents.into_iter().map(|joint| &model.joint_info(joint).name).collect();
    let ends = model.joints().iter().filter(|joint| !parents.contains(&joint.name));
    ends.filter_map(|joint| {
        let body = model.frame_info(joint.frame).body;
        model.frame_ids().filter(|&frame| model.frame_info(frame).body == body).last()
    })
    .collect()
}

fn build(model: &Model, q: &[f64], kept: &[(String, Way)]) -> Result<Constraints, Error> {
    let add = |set: ConstraintsBuilder, (name, way): &(String, Way)| match way {
        Way::Point => set.point(name).at_world_here(q),
        Way::Plane(normal) => Ok(set.point(name).in_world_plane([0.0; 3], *normal)),
    };
    let set = kept.iter().try_fold(Constraints::new(model), add)?;
    set.stabilise(Gains { kp: 100.0, kd: 20.0 }).build()
}

fn is_independent(set: &Constraints, ws: &mut Workspace, q: &[f64]) -> Result<bool, Error> {
    let m = set.rows();
    let (mut g, mut inverse, mut rank) = (vec![0.0; m * m], vec![0.0; m * m], [0.0]);
    let out = DelassusMut { delassus: &mut g, inverse: &mut inverse, rank: &mut rank };
    delassus(set.model(), ws, set, q, out)?;
    Ok(rank[0] == m as f64)
}
