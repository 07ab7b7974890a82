//! Subjects of the measurement: robots of `example-robot-data` and `pybullet`, and generated chains and trees.

use dtau::model::{BodyId, MimicMode, Model, Options, Root, generate};
use std::path::PathBuf;

/// Robot or tree to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Short name, the same in all results.
    pub name: String,
    source: Source,
    /// Frames that are held, for constrained dynamics.
    pub held: &'static [Held],
}

/// A point or a frame, held at its place in some state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Name of the frame.
    pub frame: &'static str,
    /// Frame of the body that holds it. `None` for the world.
    pub with: Option<&'static str>,
    /// True if the orientation is held too.
    pub turning: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Source {
    /// File of a Python package, and the root joint.
    File { package: Package, path: &'static str, root: Root },
    /// Tree with `n` links and branching factor `bf`.
    Tree { n: usize, bf: usize },
    /// One of the bundled robots.
    Bundled { name: &'static str, root: Root },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Package {
    ExampleRobotData,
    Pybullet,
}

/// Folders in which the Python packages keep their robots.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `…/share/example-robot-data/robots`.
    pub example_robot_data: PathBuf,
    /// `…/pybullet_data`.
    pub pybullet: PathBuf,
}

/// Lists the robots. Legged ones have a floating base.
pub fn robots() -> Vec<Subject> {
    use Package::*;
    use Root::*;
    [
        ("double_pendulum", ExampleRobotData, "double_pendulum_description/urdf/double_pendulum.urdf", Fixed),
        ("ur3", ExampleRobotData, "ur_description/urdf/ur3_robot.urdf", Fixed),
        ("ur5", ExampleRobotData, "ur_description/urdf/ur5_robot.urdf", Fixed),
        ("panda", ExampleRobotData, "panda_description/urdf/panda.urdf", Fixed),
        ("iiwa", Pybullet, "kuka_iiwa/model.urdf", Fixed),
        ("baxter", ExampleRobotData, "baxter_description/urdf/baxter.urdf", Fixed),
        ("hyq", ExampleRobotData, "hyq_description/robots/hyq_no_sensors.urdf", Floating),
        ("anymal_c", ExampleRobotData, "anymal_c_simple_description/urdf/anymal.urdf", Floating),
        ("go2", ExampleRobotData, "go2_description/urdf/go2.urdf", Floating),
        ("g1", ExampleRobotData, "g1_description/urdf/g1_29dof_rev_1_0.urdf", Floating),
        ("tiago", ExampleRobotData, "tiago_description/robots/tiago.urdf", Fixed),
        ("talos_reduced", ExampleRobotData, "talos_data/robots/talos_reduced.urdf", Floating),
        ("talos_full", ExampleRobotData, "talos_data/robots/talos_full_v2.urdf", Floating),
        ("icub", ExampleRobotData, "icub_description/robots/icub.urdf", Floating),
    ]
    .map(|(name, package, path, root)| Subject {
        name: name.into(),
        source: Source::File { package, path, root },
        held: &[],
    })
    .into()
}

/// Lists robots that stand, hold an object, or have closed loops.
pub fn held() -> Vec<Subject> {
    const fn point(frame: &'static str) -> Held {
        Held { frame, with: None, turning: false }
    }
    const fn frame(frame: &'static str) -> Held {
        Held { frame, with: None, turning: true }
    }
    const HANDS: Held = Held { frame: "gripper_left_base_link", with: Some("gripper_right_base_link"), turning: true };
    const FEET: [Held; 2] = [frame("left_sole_link"), frame("right_sole_link")];
    let all: [(&str, &str, &'static [Held]); 9] = [
        ("hyq", "four feet", const { &[point("lf_foot"), point("rf_foot"), point("lh_foot"), point("rh_foot")] }),
        ("hyq", "two feet", const { &[point("lf_foot"), point("rh_foot")] }),
        ("go2", "four feet", const { &[point("FL_foot"), point("FR_foot"), point("RL_foot"), point("RR_foot")] }),
        ("talos_reduced", "two soles", const { &FEET }),
        ("talos_reduced", "one sole", const { &[FEET[0]] }),
        ("panda", "hand", const { &[frame("panda_hand_tcp")] }),
        ("talos_reduced", "hands together", const { &[HANDS] }),
        ("talos_reduced", "points of hands together", const { &[Held { turning: false, ..HANDS }] }),
        ("talos_reduced", "soles and hands", const { &[FEET[0], FEET[1], HANDS] }),
    ];
    let robots = robots();
    let find = |name: &str| robots.iter().find(|robot| robot.name == name).expect("a robot of the list");
    all.map(|(robot, what, held)| Subject { name: format!("{robot}, {what}"), held, ..find(robot).clone() }).into()
}

/// Lists chains, and trees of branching factor 2 and 5.
pub fn trees(sizes: &[usize]) -> Vec<Subject> {
    let each = |bf| sizes.iter().map(move |&n| tree(n, bf));
    [1, 2, 5].into_iter().flat_map(each).collect()
}

/// Makes a tree with `n` links and branching factor `bf`.
pub fn tree(n: usize, bf: usize) -> Subject {
    let name = if bf == 1 { format!("chain_{n}") } else { format!("tree_bf{bf}_{n}") };
    Subject { name, source: Source::Tree { n, bf }, held: &[] }
}

/// Lists the robots that need no files, for counting instructions.
pub fn bundled() -> Vec<Subject> {
    let own =
        |name: &'static str, root| Subject { name: name.into(), source: Source::Bundled { name, root }, held: &[] };
    vec![own("arm6", Root::Fixed), own("quadruped", Root::Floating), own("humanoid", Root::Floating), tree(100, 1)]
}

impl Subject {
    /// Returns the number of links and the branching factor of a generated tree.
    pub fn size_and_branching(&self) -> Option<(usize, usize)> {
        match self.source {
            Source::Tree { n, bf } => Some((n, bf)),
            _ => None,
        }
    }

    /// True for a real robot.
    pub fn is_robot(&self) -> bool {
        self.size_and_branching().is_none()
    }

    /// True if a body is held by another one.
    pub fn has_loops(&self) -> bool {
        self.held.iter().any(|held| held.with.is_some())
    }

    /// True if the base is floating.
    pub fn floats(&self) -> bool {
        matches!(self.source, Source::File { root: Root::Floating, .. } | Source::Bundled { root: Root::Floating, .. })
    }

    /// Returns the file, if it is read from one.
    pub fn path(&self, places: &Places) -> Option<PathBuf> {
        match &self.source {
            Source::File { package: Package::ExampleRobotData, path, .. } => Some(places.example_robot_data.join(path)),
            Source::File { package: Package::Pybullet, path, .. } => Some(places.pybullet.join(path)),
            _ => None,
        }
    }

    /// Reads the model as Pinocchio does: mimicking joints are independent, and welded links are merged.
    ///
    /// # Errors
    /// Fails if the file is missing or dtau refuses it.
    pub fn model(&self, places: &Places) -> Result<Model, String> {
        let options = |root| Options { root, mimic: MimicMode::Free, ..Options::default() };
        let model = match &self.source {
            Source::Tree { n, bf } => Model::build(&generate::tree(*n, *bf), &options(Root::Fixed)),
            Source::Bundled { name, root } => Model::bundled(name, &options(*root)),
            Source::File { root, .. } => {
                let path = self.path(places).expect("it is a file");
                if !path.exists() {
                    return Err(format!("{}: no such file; run bench/run.sh, which installs it", path.display()));
                }
                Model::from_urdf_file(path, &options(*root))
            }
        };
        model.and_then(|model| model.with_links_merged()).map_err(|error| format!("{}: {error}", self.name))
    }

    /// Returns the watched bodies: the end of every limb. For a generated tree, which may have hundreds, the
    /// last of the deepest.
    pub fn watched(&self, model: &Model) -> Vec<BodyId> {
        let bodies = &model.tree().bodies;
        let ends = model.body_ids().enumerate().filter(|(i, _)| bodies[i + 1].bodies_end == i + 2);
        if self.is_robot() {
            return ends.map(|(_, id)| id).collect();
        }
        ends.max_by_key(|(i, _)| model.joints()[*i].depth).map(|(_, id)| id).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_has_a_name_of_its_own() {
        let all = [robots(), held(), trees(&[2, 5, 500])].concat();
        let mut names: Vec<_> = all.iter().map(|s| &s.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 14 + 9 + 9);
    }

    #[test]
    fn the_ends_of_limbs_are_watched() {
        let count = |subject: &Subject| subject.watched(&subject.model(&Places::default()).unwrap()).len();
        let bundled = bundled();
        assert_eq!(count(&bundled[0]), 1); // arm
        assert_eq!(count(&bundled[1]), 4); // quadruped
        assert_eq!(count(&tree(20, 5)), 1);
    }
}
