//! The bundled robots: mesh-free, written for dtau from public facts about their classes.

use crate::error::{Error, ErrorKind};
use crate::model::{Model, Options};
use alloc::format;

/// Name and URDF of each.
const ROBOTS: [(&str, &str); 5] = [
    ("double_pendulum", include_str!("../../robots/double_pendulum.urdf")),
    ("arm6", include_str!("../../robots/arm6.urdf")),
    ("arm7", include_str!("../../robots/arm7.urdf")),
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
    /// A bundled robot: `double_pendulum`, `arm6`, `arm7`, `quadruped` or `humanoid`. The legged ones want
    /// [`Root::Floating`](crate::model::Root).
    ///
    /// # Errors
    /// If there is none of that name.
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

    /// A robot from the text of a URDF.
    ///
    /// # Errors
    /// If the text is not a URDF, or breaks a rule; the message says where, what, and what to do.
    pub fn from_urdf(urdf: &str, options: &Options) -> Result<Model, Error> {
        let (description, checked) = crate::urdf::parse_checked(urdf)?;
        Model::build_checked(description, checked, options)
    }

    /// A robot from a URDF file.
    ///
    /// # Errors
    /// If the file cannot be read as text, or as [`from_urdf`](Self::from_urdf).
    #[cfg(feature = "std")]
    pub fn from_urdf_file(path: impl AsRef<std::path::Path>, options: &Options) -> Result<Model, Error> {
        let path = path.as_ref();
        let (description, checked) = crate::urdf::read_checked(path)?;
        Model::build_checked(description, checked, options).map_err(|e| e.in_file(path.display().to_string()))
    }
}
