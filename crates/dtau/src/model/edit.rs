//! Models derived from models. Every edit goes through the [`Description`], so no parameter is lost.

use super::build::{ROOT_JOINT, joint_transform};
use super::description::FrameDescription;
use super::validate::inertia::is_negative;
use super::validate::numbers::check_inertial;
use super::*;
use crate::error::{Error, ErrorKind};
use crate::spatial::Inertia;
use alloc::collections::BTreeMap;
use alloc::format;

impl Model {
    /// Locks joints at given positions, each `(name, coordinates)`. Their bodies become parts of their parents.
    ///
    /// Joints that mimic a locked joint are locked with it. `root_joint` may be locked too.
    ///
    /// # Errors
    /// An unknown or fixed joint, a joint that mimics another, a wrong number of coordinates, a number that
    /// is not finite, or a quaternion that is not of unit length.
    pub fn lock(&self, joints: &[(&str, &[f64])]) -> Result<Model, Error> {
        let mut description = self.0.description.clone();
        let mut options = self.0.options.clone();
        let mut followers: BTreeMap<&str, Vec<(&JointInfo, &Mimic)>> = BTreeMap::new();
        for follower in self.joints() {
            if let Some(mimic) = &follower.mimic {
                followers.entry(&mimic.joint).or_default().push((follower, mimic));
            }
        }
        for &(name, q) in joints {
            let id = self.joint(name)?;
            let info = &self.0.joints[id.0];
            if let Some(mimic) = &info.mimic {
                let message = format!("joint \"{name}\" mimics \"{}\"; lock that one", mimic.joint);
                return Err(Error::new(ErrorKind::Value, message));
            }
            if q.len() != info.q.len() {
                let message = format!("joint \"{name}\" has {} coordinates, not {}", info.q.len(), q.len());
                return Err(Error::new(ErrorKind::Length, message));
            }
            let mut q = q.to_vec();
            self.settle_joint(id, &mut q)?;
            for (follower, mimic) in followers.get(name).into_iter().flatten() {
                fix(&mut description, &mut options, follower, &[mimic.multiplier * q[0] + mimic.offset]);
            }
            fix(&mut description, &mut options, info, &q);
        }
        Model::build(&description, &options)
    }

    /// Attaches another robot at a frame of this one, by the other's root joint: welded if its root is fixed,
    /// free if it floats.
    ///
    /// The other's links, joints and frames are renamed with a prefix, so that names stay unique.
    ///
    /// # Errors
    /// An unknown frame, or names that collide despite the prefix.
    pub fn attach(&self, frame: &str, other: &Model, prefix: &str) -> Result<Model, Error> {
        let (link, placement) = self.frame_on_link(frame)?;
        let mut description = self.0.description.clone();
        let link = description.links[link].name.clone();
        let rename = |name: &str| format!("{prefix}{name}");
        let theirs = &other.0.description;
        for l in &theirs.links {
            description.links.push(Link { name: rename(&l.name), line: 0, ..l.clone() }); // lines are of another file
        }
        for j in &theirs.joints {
            let mimic = j.mimic.as_ref().map(|m| Mimic { joint: rename(&m.joint), ..m.clone() });
            let (name, parent, child) = (rename(&j.name), rename(&j.parent), rename(&j.child));
            description.joints.push(JointDescription { name, parent, child, mimic, line: 0, ..j.clone() });
        }
        for f in &theirs.frames {
            description.frames.push(FrameDescription { name: rename(&f.name), link: rename(&f.link), ..f.clone() });
        }
        let kind = other.0.options.root.kind();
        let root = rename(&theirs.links[other.0.root_link].name);
        let mut joint = JointDescription::new(&rename(ROOT_JOINT), kind, &link, &root);
        joint.origin = placement * other.0.options.root_origin;
        description.joints.push(joint);
        description.name = format!("{}+{}", self.name(), other.name());
        Model::build(&description, &self.0.options)
    }

    /// Attaches a load at a frame of this robot. The load's mass properties are in that frame's axes.
    ///
    /// # Errors
    /// An unknown frame, or an invalid load: negative, not finite, or too large or small to compute with.
    pub fn with_payload(&self, frame: &str, load: Inertial) -> Result<Model, Error> {
        let refuse = |what: String| Error::new(ErrorKind::Value, format!("the load: {what}"));
        check_inertial(&load).map_err(refuse)?;
        if is_negative(&load.about_com) {
            return Err(refuse("a principal moment of its inertia is negative; no rigid body has that".into()));
        }
        let (link, placement) = self.frame_on_link(frame)?;
        let mut description = self.0.description.clone();
        carry(&mut description.links[link], &load, &placement);
        Model::build(&description, &self.0.options)
    }

    /// Merges links so that each body has one link. Links welded to others become parts of them and remain as
    /// frames.
    ///
    /// The motion is unchanged. [Regressors](crate::joint_torque_regressor()) of the result have ten columns
    /// per body, and none for links whose parameters cannot be identified separately.
    ///
    /// # Errors
    /// If a merged link has the name of a moving joint, so that its frame would be ambiguous.
    pub fn with_links_merged(&self) -> Result<Model, Error> {
        let whole = &self.0.description;
        let welds: BTreeMap<&str, &JointDescription> =
            whole.joints.iter().filter(|j| j.kind == JointKind::Fixed).map(|j| (j.child.as_str(), j)).collect();
        // The link that carries a link, and the placement on it.
        let carrier = |link: &str| {
            let (mut link, mut placement) = (link, Transform::identity());
            while let Some(weld) = welds.get(link) {
                (link, placement) = (weld.parent.as_str(), weld.origin * placement);
            }
            (String::from(link), placement)
        };
        let is_welded = |link: &Link| welds.contains_key(link.name.as_str());
        let mut description = whole.clone();
        description.links.retain(|link| !is_welded(link));
        // Keep the present order: siblings may come from several links.
        let moving = self.joints().iter().filter_map(|joint| joint.described);
        description.joints = moving.map(|joint| whole.joints[joint].clone()).collect();
        for welded in whole.links.iter().filter(|link| is_welded(link)) {
            let (link, placement) = carrier(&welded.name);
            if let Some(load) = &welded.inertial
                && let Some(to) = description.links.iter_mut().find(|to| to.name == link)
            {
                carry(to, load, &placement);
            }
            description.frames.push(FrameDescription { name: welded.name.clone(), link, placement });
        }
        for joint in &mut description.joints {
            let (link, placement) = carrier(&joint.parent);
            (joint.parent, joint.origin) = (link, placement * joint.origin);
        }
        for frame in &mut description.frames {
            let (link, placement) = carrier(&frame.link);
            (frame.link, frame.placement) = (link, placement * frame.placement);
        }
        // The frame of a weld is that of the link it carries.
        for weld in welds.values().filter(|weld| whole.links.iter().all(|link| link.name != weld.name)) {
            let (link, placement) = carrier(&weld.child);
            description.frames.push(FrameDescription { name: weld.name.clone(), link, placement });
        }
        Model::build(&description, &Options { order: JointOrder::File, ..self.0.options.clone() })
    }

    /// Returns this robot with other options.
    ///
    /// # Errors
    /// As [`Model::build`].
    pub fn with_options(&self, options: &Options) -> Result<Model, Error> {
        Model::build(&self.0.description, options)
    }

    /// Adds a frame, with a placement relative to an existing one.
    ///
    /// # Errors
    /// An unknown frame, a name that a link, joint or frame already has, or an invalid placement.
    pub fn with_frame(&self, name: &str, on: &str, placement: Transform<f64>) -> Result<Model, Error> {
        let (link, origin) = self.frame_on_link(on)?;
        if let Some(other) = self.frames().iter().find(|frame| frame.name == name) {
            let message = format!("there is a {} called \"{name}\" already; choose another name", other.kind.name());
            return Err(Error::new(ErrorKind::Description, message));
        }
        let mut description = self.0.description.clone();
        let link = description.links[link].name.clone();
        description.frames.push(FrameDescription { name: name.into(), link, placement: origin * placement });
        Model::build(&description, &self.0.options)
    }

    /// Index in the description of the link that a frame is fixed to, and the frame's placement on it.
    fn frame_on_link(&self, name: &str) -> Result<(usize, Transform<f64>), Error> {
        let (description, frame) = (&self.0.description, &self.0.frames[self.frame(name)?.0]);
        let link_called = |name: &str| {
            let found = description.links.iter().position(|link| link.name == name);
            found.expect("every link of a description is described")
        };
        Ok(match frame.kind {
            FrameKind::Link => (link_called(&frame.name), Transform::identity()),
            FrameKind::Joint => {
                let joint = description.joints.iter().find(|joint| joint.name == frame.name);
                (joint.map_or(self.0.root_link, |joint| link_called(&joint.child)), Transform::identity())
            }
            FrameKind::Custom => {
                let described = description.frames.iter().find(|f| f.name == frame.name);
                let FrameDescription { link, placement, .. } = described.expect("every frame is described");
                (link_called(link), *placement)
            }
        })
    }
}

/// Adds a load to a link.
fn carry(link: &mut Link, load: &Inertial, placement: &Transform<f64>) {
    let mut sum = Inertia::from_com(load.mass, load.com, load.about_com).transform(placement);
    if let Some(own) = link.inertial {
        sum += Inertia::from_com(own.mass, own.com, own.about_com);
    }
    let com = if sum.mass > 0.0 { sum.h * (1.0 / sum.mass) } else { Vec3::zero() };
    link.inertial = Some(Inertial { mass: sum.mass, com, about_com: sum.about(com) });
}

/// Replaces a joint by a fixed one at the position `q`.
fn fix(description: &mut Description, options: &mut Options, joint: &JointInfo, q: &[f64]) {
    let moved = joint_transform(joint.kind, q);
    match joint.described {
        Some(j) => {
            let described = &mut description.joints[j];
            described.origin = described.origin * moved;
            described.kind = JointKind::Fixed;
            described.mimic = None;
        }
        None => {
            options.root_origin = options.root_origin * moved;
            options.root = Root::Fixed;
        }
    }
}
