//! Named configurations of the robot's file.

use super::Model;
use crate::error::{Error, ErrorKind};
use crate::model::names::suggest;
use alloc::format;
use alloc::vec::Vec;

impl Model {
    /// The names of the configurations in the file, such as keyframes; none for a URDF.
    pub fn poses(&self) -> impl Iterator<Item = &str> {
        self.description().poses.iter().map(|pose| pose.name.as_str())
    }

    /// A configuration of the file, as `q`. Joints that the pose does not list are at their neutral position.
    ///
    /// # Errors
    /// If no pose has that name, or if its number of coordinates for a joint is wrong.
    pub fn pose(&self, name: &str) -> Result<Vec<f64>, Error> {
        let Some(pose) = self.description().poses.iter().find(|pose| pose.name == name) else {
            let message =
                format!("there is no pose {name:?}; {}", suggest(name, self.poses().collect::<Vec<_>>().into_iter()));
            return Err(Error::new(ErrorKind::UnknownName, message));
        };
        let mut q = self.neutral();
        for (joint, coordinates) in &pose.joints {
            // The joint may have been locked since.
            let Ok(joint_id) = self.joint(joint) else { continue };
            let info = self.joint_info(joint_id);
            if info.mimic.is_some() {
                continue; // its position follows from its leader
            }
            if info.q.len() != coordinates.len() {
                let message = format!(
                    "pose {name:?} has {} coordinates for joint {joint:?}, which has {}",
                    coordinates.len(),
                    info.q.len()
                );
                return Err(Error::new(ErrorKind::Length, message));
            }
            q[info.q.clone()].copy_from_slice(coordinates);
        }
        Ok(q)
    }
}
