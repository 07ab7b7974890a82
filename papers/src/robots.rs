//! The robots of the papers, or their substitutes.

use dtau::model::{MimicMode, Model, Options, Root};
use dtau_cli::failure::Failure;
use std::path::{Path, PathBuf};

/// A robot of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    DoublePendulum,
    Ur3,
    KukaLwr,
    Hyq,
    Baxter,
    Atlas,
    Talos,
}

/// A robot of the papers, and its substitutes.
struct Known {
    named: Named,
    name: &'static str,
    /// Its URDF: the ends of paths, the best one first.
    files: &'static [&'static str],
    root: Root,
    /// The bundled robot of its class, and its locked joints: the papers' arms have no grippers.
    stand_in: &'static str,
    locked: &'static [&'static str],
    /// Its name in a run of bench/.
    in_bench: &'static str,
}

const KNOWN: [Known; 7] = [
    Known {
        named: Named::DoublePendulum,
        name: "double pendulum",
        files: &["double_pendulum.urdf"],
        root: Root::Fixed,
        stand_in: "double_pendulum",
        locked: &[],
        in_bench: "double_pendulum",
    },
    Known {
        named: Named::Ur3,
        name: "UR3",
        files: &["ur3_robot.urdf", "ur3.urdf"],
        root: Root::Fixed,
        stand_in: "arm6",
        locked: &[],
        in_bench: "ur3",
    },
    Known {
        named: Named::KukaLwr,
        name: "KUKA LWR",
        files: &["kuka_lwr.urdf", "lwr.urdf", "iiwa14.urdf", "iiwa.urdf", "kuka_iiwa/model.urdf"],
        root: Root::Fixed,
        stand_in: "arm7_gripper",
        locked: &["finger_left_slide", "finger_right_slide"],
        in_bench: "iiwa",
    },
    Known {
        named: Named::Hyq,
        name: "HyQ",
        files: &["hyq_no_sensors.urdf", "hyq.urdf"],
        root: Root::Floating,
        stand_in: "quadruped",
        locked: &[],
        in_bench: "hyq",
    },
    Known {
        named: Named::Baxter,
        name: "Baxter",
        files: &["baxter.urdf"],
        root: Root::Fixed,
        stand_in: "arm7_gripper",
        locked: &["finger_left_slide", "finger_right_slide"],
        in_bench: "baxter",
    },
    Known {
        named: Named::Atlas,
        name: "ATLAS",
        files: &["atlas.urdf", "atlas_convex_hull.urdf", "atlas_v4_with_multisense.urdf"],
        root: Root::Floating,
        stand_in: "humanoid",
        locked: &[],
        in_bench: "atlas",
    },
    Known {
        named: Named::Talos,
        name: "Talos",
        files: &["talos_full_v2.urdf", "talos_full.urdf", "talos_reduced.urdf"],
        root: Root::Floating,
        stand_in: "humanoid",
        locked: &[],
        in_bench: "talos_full",
    },
];

/// Files of the papers' robots.
#[derive(Debug)]
pub struct Robots {
    found: Vec<(Named, PathBuf)>,
}

/// A robot to measure.
#[derive(Debug)]
pub struct Robot {
    pub name: String,
    pub model: Model,
    /// Note about the robot: which robot it replaces, or its file.
    pub note: Option<String>,
    /// Its name in a run of bench/, unless it is a substitute.
    pub in_bench: Option<&'static str>,
}

impl Robots {
    /// Searches directories recursively.
    pub fn find(directories: &[PathBuf]) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for directory in directories {
            if !directory.is_dir() {
                return Err(Failure::input(format!("--robots {}: there is no such directory", directory.display())));
            }
            let before = files.len();
            collect(directory, 0, &mut files);
            if files.len() == before {
                return Err(Failure::input(format!("--robots {}: there is no URDF in it", directory.display())));
            }
        }
        files.sort();
        let find = |known: &Known| {
            let path = known.files.iter().find_map(|end| files.iter().find(|path| path.ends_with(end)))?;
            Some((known.named, path.clone()))
        };
        let found: Vec<_> = KNOWN.iter().filter_map(find).collect();
        if found.is_empty() && !directories.is_empty() {
            let wanted: Vec<_> = KNOWN.iter().map(|known| known.files[0]).collect();
            return Err(Failure::input(format!(
                "--robots: none of the papers' robots is there: {}",
                wanted.join(", ")
            )));
        }
        // Report unreadable files before an hour of work, not after.
        let robots = Self { found };
        for (named, _) in &robots.found {
            robots.load(*named)?;
        }
        Ok(robots)
    }

    /// A robot of the papers, or the bundled one of its class.
    pub fn load(&self, named: Named) -> Result<Robot, Failure> {
        let known = KNOWN.iter().find(|known| known.named == named).ok_or_else(|| Failure::input("no such robot"))?;
        // As in the papers' programs, a mimicking joint is an ordinary joint.
        let options = Options { root: known.root, mimic: MimicMode::Free, ..Options::default() };
        if let Some((_, path)) = self.found.iter().find(|(found, _)| *found == named) {
            let model = Model::from_urdf_file(path, &options)?;
            let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let exact = !file.contains("iiwa") && file != "model.urdf";
            let name = if exact { known.name } else { "KUKA iiwa" };
            let name = format!("{name} ({} dof)", model.nv());
            let note = (!exact).then(|| "The KUKA iiwa, the LWR's successor, stands in for the KUKA LWR.".into());
            return Ok(Robot { name, model, note, in_bench: Some(known.in_bench) });
        }
        let locked: Vec<(&str, &[f64])> = known.locked.iter().map(|&joint| (joint, &[0.0][..])).collect();
        let model = Model::bundled(known.stand_in, &options)?.lock(&locked)?;
        let itself = known.stand_in == "double_pendulum";
        let name = if itself { known.name.into() } else { format!("{} as {}", known.stand_in, known.name) };
        let note = (!itself).then(|| {
            format!(
                "{} is not bundled: {}, the bundled robot of its class with {} degrees of freedom, stands in \
                 (--robots takes the real one).",
                known.name,
                known.stand_in,
                model.nv()
            )
        });
        Ok(Robot { name: format!("{name} ({} dof)", model.nv()), model, note, in_bench: None })
    }

    pub fn key(&self) -> String {
        let paths: Vec<_> = self.found.iter().map(|(_, path)| path.display().to_string()).collect();
        if paths.is_empty() { "bundled".into() } else { paths.join(", ") }
    }
}

/// Every URDF below a directory, up to a depth.
fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    const DEEPEST: usize = 8;
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() && depth < DEEPEST {
            collect(&path, depth + 1, files);
        } else if path.extension().is_some_and(|end| end == "urdf") {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_robots_stand_in_and_say_so() {
        let robots = Robots::find(&[]).unwrap_or_else(|_| panic!("none are needed"));
        for known in KNOWN {
            let robot = robots.load(known.named).unwrap_or_else(|_| panic!("{} is bundled", known.stand_in));
            assert_eq!(robot.note.is_some(), known.stand_in != "double_pendulum");
            assert!(robot.name.contains(&robot.model.nv().to_string()));
        }
    }
}
