//! What is measured: robots of `example-robot-data` and `pybullet`, and chains and trees made by rule.

use dtau::model::{BodyId, MimicMode, Model, Options, Root, generate};
use std::path::PathBuf;

/// A robot or a tree to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// A short name, the same in all results.
    pub name: String,
    source: Source,
    /// Frames that are held, for constrained dynamics.
    pub held: &'static [Held],
}

/// A point or a frame that is held where it is at some state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The frame, by its name.
    pub frame: &'static str,
    /// The frame of the body that holds it; none is the world.
    pub with: Option<&'static str>,
    /// Whether its orientation is held, too.
    pub turning: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Source {
    /// A file of a Python package, and what carries its root link.
    File { package: Package, path: &'static str, root: Root },
    /// `n` links, branching factor `bf`.
    Tree { n: usize, bf: usize },
    /// One of dtau's own.
    Bundled { name: &'static str, root: Root },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Package {
    ExampleRobotData,
    Pybullet,
}

/// Where the Python packages keep their robots.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `…/share/example-robot-data/robots`.
    pub example_robot_data: PathBuf,
    /// `…/pybullet_data`.
    pub pybullet: PathBuf,
}

/// The robots. Legged ones float.
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

/// Robots that stand, hold something, or hold themselves.
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

/// Chains, and trees of branching factor 2 and 5.
pub fn trees(sizes: &[usize]) -> Vec<Subject> {
    let each = |bf| sizes.iter().map(move |&n| tree(n, bf));
    [1, 2, 5].into_iter().flat_map(each).collect()
}

/// `n` links, branching factor `bf`.
pub fn tree(n: usize, bf: usize) -> Subject {
    let name = if bf == 1 { format!("chain_{n}") } else { format!("tree_bf{bf}_{n}") };
    Subject { name, source: Source::Tree { n, bf }, held: &[] }
}

/// The robots that need no files: for counting instructions.
pub fn bundled() -> Vec<Subject> {
    let own =
        |name: &'static str, root| Subject { name: name.into(), source: Source::Bundled { name, root }, held: &[] };
    vec![own("arm6", Root::Fixed), own("quadruped", Root::Floating), own("humanoid", Root::Floating), tree(100, 1)]
}

impl Subject {
    /// The number of links and the branching factor of a tree made by rule.
    pub fn size_and_branching(&self) -> Option<(usize, usize)> {
        match self.source {
            Source::Tree { n, bf } => Some((n, bf)),
            _ => None,
        }
    }

    /// Whether it is a real robot.
    pub fn is_robot(&self) -> bool {
        self.size_and_branching().is_none()
    }

    /// Whether a body is held by another one.
    pub fn has_loops(&self) -> bool {
        self.held.iter().any(|held| held.with.is_some())
    }

    /// Whether its root link flies freely.
    pub fn floats(&self) -> bool {
        matches!(self.source, Source::File { root: Root::Floating, .. } | Source::Bundled { root: Root::Floating, .. })
    }

    /// The file it is read from, if it is.
    pub fn path(&self, places: &Places) -> Option<PathBuf> {
        match &self.source {
            Source::File { package: Package::ExampleRobotData, path, .. } => Some(places.example_robot_data.join(path)),
            Source::File { package: Package::Pybullet, path, .. } => Some(places.pybullet.join(path)),
            _ => None,
        }
    }

    /// Reads it. Joints that mimic others are joints like any other, and links that are welded to others are parts of them, as Pinocchio
    /// takes them.
    ///
    /// # Errors
    /// If the file is missing or dtau refuses it.
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

    /// The bodies whose motion is asked for: the end of every limb; of a tree made by rule, which may have hundreds, the
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
        assert_eq!(count(&bundled[0]), 1); // an arm
        assert_eq!(count(&bundled[1]), 4); // a quadruped
        assert_eq!(count(&tree(20, 5)), 1);
    }
}
