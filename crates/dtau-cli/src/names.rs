//! Names of degrees of freedom and of coordinates.

use dtau::model::Model;

/// A name for each degree of freedom: the joint's, with the direction if it has several.
pub fn dof_names(model: &Model) -> Vec<String> {
    let mut names = Vec::with_capacity(model.nv());
    for joint in model.joints().iter().filter(|joint| joint.mimic.is_none()) {
        names.extend(joint.kind.dof_names().iter().map(|dof| format!("{} {dof}", joint.name).trim_end().into()));
    }
    names
}

/// A name for each coordinate: the joint's, with the place in it if it has a quaternion.
pub fn coordinate_names(model: &Model) -> Vec<String> {
    const PLACES: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];
    let mut names = Vec::with_capacity(model.nq());
    for joint in model.joints().iter().filter(|joint| joint.mimic.is_none()) {
        // A quaternion is last: [qx qy qz qw], or [x y z, qx qy qz qw].
        let places = joint.kind.quaternion().map_or(&[][..], |at| &PLACES[3 - at..]);
        names.extend((0..joint.q.len()).map(|k| match places.get(k) {
            Some(place) => format!("{} {place}", joint.name),
            None => joint.name.clone(),
        }));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::model::{Options, Root};

    #[test]
    fn every_degree_of_freedom_has_a_name() {
        let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() }).unwrap();
        let names = dof_names(&model);
        assert_eq!((names[0].as_str(), names[5].as_str()), ("root_joint lin x", "root_joint ang z"));
        assert!(names.iter().all(|name| !name.is_empty()));
    }
}
