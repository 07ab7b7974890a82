//! The bundled robots: mesh-free, written for dtau from public facts about their classes.

use crate::error::{Error, ErrorKind};
use crate::model::{Model, Options};
use alloc::format;

/// Name and URDF of each robot.
const ROBOTS: [(&str, &str); 5] = [
    ("double_pendulum", include_str!("../../robots/double_pendulum.urdf")),
    ("arm6", include_str!("../../robots/arm6.urdf")),
    ("arm7_gripper", include_str!("../../robots/arm7_gripper.urdf")),
    ("quadruped", include_str!("../../robots/quadruped.urdf")),
    ("humanoid", include_str!("../../robots/humanoid.urdf")),
];

/// The names of the bundled robots.
pub fn bundled_names() -> impl Iterator<Item = &'static str> {
    ROBOTS.iter().map(|(name, _)| *name)
}

/// The URDF of a bundled robot.
pub fn bundled_urdf(name: &str) -> Option<&'static str> {
    ROBOTS.iter().find(|(n, _)| *n == name).map(|(_, urdf)| *urdf)
}

impl Model {
    /// Builds a bundled robot: `double_pendulum`, `arm6`, `arm7_gripper`, `quadruped` or `humanoid`. Use
    /// [`Root::Floating`](crate::model::Root) for the last two.
    ///
    /// # Errors
    /// If no bundled robot has that name.
    pub fn bundled(name: &str, options: &Options) -> Result<Model, Error> {
        match bundled_urdf(name) {
            Some(urdf) => Model::from_urdf(urdf, options),
            None => {
                let names = bundled_names().collect::<alloc::vec::Vec<_>>().join(", ");
                Err(Error::new(
                    ErrorKind::UnknownName,
                    format!("there is no bundled robot \"{name}\"; there are {names}"),
                ))
            }
        }
    }
}
