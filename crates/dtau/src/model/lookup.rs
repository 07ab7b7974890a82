//! Lookup by name. Errors for unknown names suggest the nearest ones.

use super::names::suggest;
use super::{Body, BodyId, Frame, FrameId, FrameKind, JointId, JointInfo, Model};
use crate::error::{Error, ErrorKind};
use crate::spatial::Transform;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Indices of joints and frames sorted by name, so that lookup takes O(log n). The names are not copied.
#[derive(Debug)]
pub(super) struct Alphabet {
    joints: Vec<usize>,
    /// Frames of the same name are ordered: links, then joints, then custom frames.
    frames: Vec<usize>,
}

impl Alphabet {
    pub(super) fn of(joints: &[JointInfo], frames: &[Frame]) -> Self {
        let mut alphabet = Self { joints: (0..joints.len()).collect(), frames: (0..frames.len()).collect() };
        alphabet.joints.sort_by_key(|&i| (joints[i].name.as_str(), i));
        alphabet.frames.sort_by_key(|&i| (frames[i].name.as_str(), rank(frames[i].kind), i));
        alphabet
    }
}

fn rank(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Link => 0,
        FrameKind::Joint => 1,
        FrameKind::Custom => 2,
    }
}

impl FrameKind {
    const ALL: [FrameKind; 3] = [FrameKind::Link, FrameKind::Joint, FrameKind::Custom];

    /// The prefix of a qualified name: `link`, `joint` or `frame`.
    pub fn name(self) -> &'static str {
        match self {
            FrameKind::Link => "link",
            FrameKind::Joint => "joint",
            FrameKind::Custom => "frame",
        }
    }
}

impl Frame {
    /// Its qualified name, such as `joint:elbow`, which is never ambiguous for [`Model::frame`].
    pub fn full_name(&self) -> String {
        format!("{}:{}", self.kind.name(), self.name)
    }
}

impl Model {
    /// Finds a moving joint; `joint:NAME` is accepted too.
    ///
    /// # Errors
    /// If no joint has that name (the message lists the nearest names), if it is fixed, or if two joints have
    /// it: a file may have its own `root_joint` while the root floats.
    pub fn joint(&self, name: &str) -> Result<JointId, Error> {
        let (order, joints) = (&self.0.alphabet.joints, self.joints());
        let find = |name: &str| {
            let place = order.partition_point(|&i| joints[i].name.as_str() < name);
            (place, order.get(place).copied().filter(|&i| joints[i].name == name))
        };
        let (mut name, (mut place, mut found)) = (name, find(name));
        if let (None, Some(bare)) = (found, name.strip_prefix("joint:")) {
            (name, (place, found)) = (bare, find(bare));
        }
        if let Some(i) = found {
            if order.get(place + 1).is_some_and(|&next| joints[next].name == name) {
                let message = format!(
                    "two joints are called \"{name}\": one of the file, and the one that carries the root; rename that of the file"
                );
                return Err(Error::new(ErrorKind::AmbiguousName, message));
            }
            return Ok(JointId(i));
        }
        if self.frames_called(name).any(|frame| self.frame_info(frame).kind == FrameKind::Joint) {
            let message = format!("joint \"{name}\" is fixed: it has no coordinates; its frame is frame(\"{name}\")");
            return Err(Error::new(ErrorKind::UnknownName, message));
        }
        Err(unknown("joint", name, joints.iter().map(|j| j.name.as_str())))
    }

    /// Finds a frame: of a link, of a joint, or custom. If a link and a joint share a name, use `link:NAME`
    /// or `joint:NAME`; custom frames are `frame:NAME`. Every name may be qualified. The frame of a joint is
    /// that of its link.
    ///
    /// # Errors
    /// If no frame has that name (the message lists the nearest names), or if several frames at different
    /// places have it (the message lists the qualified names).
    pub fn frame(&self, name: &str) -> Result<FrameId, Error> {
        let qualified = FrameKind::ALL.into_iter().find_map(|kind| {
            let bare = name.strip_prefix(kind.name())?.strip_prefix(':')?;
            Some((kind, bare))
        });
        if let Some((kind, bare)) = qualified
            && let Some(frame) = self.frames_called(bare).find(|&frame| self.frame_info(frame).kind == kind)
        {
            return Ok(frame);
        }
        let mut called = self.frames_called(name);
        let Some(first) = called.next() else {
            return Err(match qualified {
                Some((kind, bare)) => {
                    let of_kind = self.frames().iter().filter(|f| f.kind == kind).map(|f| f.name.as_str());
                    unknown(kind.name(), bare, of_kind)
                }
                None => unknown("frame", name, self.frames().iter().map(|f| f.name.as_str())),
            });
        };
        let at = |frame: FrameId| (self.frame_info(frame).body, self.frame_info(frame).placement);
        if called.any(|other| at(other) != at(first)) {
            return Err(self.ambiguous(name));
        }
        Ok(first)
    }

    #[cold]
    fn ambiguous(&self, name: &str) -> Error {
        let kinds: Vec<&str> = self.frames_called(name).map(|frame| self.frame_info(frame).kind.name()).collect();
        let what: Vec<String> = kinds.iter().map(|kind| format!("a {kind}")).collect();
        let say: Vec<String> = kinds.iter().map(|kind| format!("\"{kind}:{name}\"")).collect();
        let (what, say) = (what.join(" and "), say.join(" or "));
        let message = format!("\"{name}\" is the name of {what}, and their frames differ; say {say}");
        Error::new(ErrorKind::AmbiguousName, message)
    }

    /// Finds the body that carries a link, alone or merged with others.
    ///
    /// # Errors
    /// If no link has that name (the message lists the nearest names), or if the link is welded to the world.
    pub fn body(&self, link: &str) -> Result<BodyId, Error> {
        let of_link = |name: &str| {
            let mut frames = self.frames_called(name).map(|frame| self.frame_info(frame));
            frames.find(|frame| frame.kind == FrameKind::Link)
        };
        match of_link(link).or_else(|| of_link(link.strip_prefix("link:")?)) {
            Some(frame) => frame.body.ok_or_else(|| {
                Error::new(ErrorKind::UnknownName, format!("link \"{link}\" is welded to the world: no body moves it"))
            }),
            None => {
                let links = self.frames().iter().filter(|f| f.kind == FrameKind::Link);
                Err(unknown("link", link, links.map(|f| f.name.as_str())))
            }
        }
    }

    /// All frames with a name: of a link, of joints, custom.
    fn frames_called(&self, name: &str) -> impl Iterator<Item = FrameId> {
        let (order, frames) = (&self.0.alphabet.frames, self.frames());
        let place = order.partition_point(|&i| frames[i].name.as_str() < name);
        order[place..].iter().take_while(move |&&i| frames[i].name == name).map(|&i| FrameId(i))
    }

    /// Information about a joint.
    pub fn joint_info(&self, joint: JointId) -> &JointInfo {
        &self.joints()[joint.0]
    }

    /// The joint that moves a body relative to its parent.
    ///
    /// # Panics
    /// If the body is not one of this model.
    pub fn joint_of(&self, body: BodyId) -> JointId {
        self.0.joint_of_body[body.0].expect("a body is not the world")
    }

    /// The frame of the link carried by a body's joint.
    ///
    /// # Panics
    /// If the body is not one of this model.
    pub fn link_frame(&self, body: BodyId) -> FrameId {
        self.joint_info(self.joint_of(body)).frame
    }

    /// The joint that owns a degree of freedom of the model.
    pub(crate) fn joint_of_dof(&self, dof: usize) -> &JointInfo {
        self.joint_info(self.0.joint_of_dof[dof])
    }

    /// Index of the body of the [`tree`](Self::tree) that carries a frame, and the frame's placement in that
    /// body's internal frame; `None` for a frame of the world. For writing further algorithms.
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

    /// Information about a frame.
    pub fn frame_info(&self, frame: FrameId) -> &Frame {
        &self.frames()[frame.0]
    }
}

fn unknown<'a>(what: &str, name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Error {
    Error::new(ErrorKind::UnknownName, format!("there is no {what} called \"{name}\"; {}", suggest(name, candidates)))
}
