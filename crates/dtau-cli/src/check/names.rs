//! Names of degrees of freedom: the joint's, and which of its several.

use dtau::model::Model;

/// By degree of freedom of `v`.
pub fn dof_names(model: &Model) -> Vec<String> {
    let mut names = vec![String::new(); model.nv()];
    for joint in model.joints().iter().filter(|joint| joint.mimic.is_none()) {
        for (name, part) in names[joint.v.clone()].iter_mut().zip(joint.kind.dof_names()) {
            let short = part.replace("lin ", "").replace("ang ", "r").replace("ang", "r");
            *name = format!("{} {short}", joint.name).trim_end().into();
        }
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
        assert_eq!((names[0].as_str(), names[5].as_str()), ("root_joint x", "root_joint rz"));
        assert!(names.iter().all(|name| !name.is_empty()));
    }
}
