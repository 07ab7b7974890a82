//! Looking things up by name; an unknown name answers with the nearest ones.

use super::names::suggest;
use super::{Body, BodyId, Frame, FrameId, FrameKind, JointId, JointInfo, Model};
use crate::error::{Error, ErrorKind};
use crate::spatial::Transform;
use alloc::format;

impl Model {
    /// A moving joint.
    ///
    /// # Errors
    /// If there is none of that name, with the nearest names; or if it is fixed.
    pub fn joint(&self, name: &str) -> Result<JointId, Error> {
        if let Some(i) = self.joints().iter().position(|j| j.name == name) {
            return Ok(JointId(i));
        }
        if self.description().joints.iter().any(|j| j.name == name) {
            let message = format!("joint \"{name}\" is fixed: it has no coordinates; its frame is frame(\"{name}\")");
            return Err(Error::new(ErrorKind::UnknownName, message));
        }
        Err(unknown("joint", name, self.joints().iter().map(|j| j.name.as_str())))
    }

    /// A frame: a link's, one added by the user, or a joint's, in this order where names coincide.
    ///
    /// # Errors
    /// If there is none of that name, with the nearest names.
    pub fn frame(&self, name: &str) -> Result<FrameId, Error> {
        let find = |kind| self.frames().iter().position(|f| f.kind == kind && f.name == name);
        match find(FrameKind::Link).or_else(|| find(FrameKind::Custom)).or_else(|| find(FrameKind::Joint)) {
            Some(i) => Ok(FrameId(i)),
            None => Err(unknown("frame", name, self.frames().iter().map(|f| f.name.as_str()))),
        }
    }

    /// The body that carries a link, alone or merged with others.
    ///
    /// # Errors
    /// If there is no link of that name, with the nearest names; or if it is welded to the world.
    pub fn body(&self, link: &str) -> Result<BodyId, Error> {
        let links = || self.frames().iter().filter(|f| f.kind == FrameKind::Link);
        match links().find(|f| f.name == link) {
            Some(frame) => frame.body.ok_or_else(|| {
                Error::new(ErrorKind::UnknownName, format!("link \"{link}\" is welded to the world: no body moves it"))
            }),
            None => Err(unknown("link", link, links().map(|f| f.name.as_str()))),
        }
    }

    /// What is known of a joint.
    pub fn joint_info(&self, joint: JointId) -> &JointInfo {
        &self.joints()[joint.0]
    }

    /// Which body of the [`tree`](Self::tree) carries a frame, and where the frame is in that body's internal
    /// coordinates; `None` for a frame of the world. For writing further algorithms.
    pub fn carrier(&self, frame: FrameId) -> Option<(usize, Transform<f64>)> {
        let Frame { body, placement, .. } = self.frame_info(frame);
        body.map(|BodyId(i)| (i, *placement))
    }

    /// The bodies that move a frame, from its own towards the world, with their indices.
    #[inline(always)]
    pub(crate) fn path(&self, frame: FrameId) -> impl Iterator<Item = (usize, &Body)> {
        let bodies = &self.tree().bodies;
        let moving = |i: usize| (i > 0).then(|| (i, &bodies[i]));
        core::iter::successors(moving(self.frames()[frame.0].body_index()), move |(_, body)| moving(body.parent))
    }

    /// What is known of a frame.
    pub fn frame_info(&self, frame: FrameId) -> &Frame {
        &self.frames()[frame.0]
    }
}

fn unknown<'a>(what: &str, name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Error {
    Error::new(ErrorKind::UnknownName, format!("there is no {what} called \"{name}\"; {}", suggest(name, candidates)))
}
