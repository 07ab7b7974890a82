//! `<worldbody>`: bodies with their joints as links and joints, sites as frames.
//!
//! A body's frame is its link. Its joints are a chain from the parent's link to it:
//!
//! ```text
//! T(q) = T_body · J₁(q₁) · J₂(q₂) · …        Jₖ(q) = Trans(pₖ) Jₖ' Trans(−pₖ)       pₖ: the joint's `pos`
//! ```
//!
//! So each joint carries a link of its own at its anchor pₖ; only the last one has mass. A fixed joint leads
//! from the last anchor back to the body's frame. `ref` rotates (or shifts) about the joint's own axis, so it
//! goes into the origin, and q is qpos.

use super::defaults::{Class, Defaults, Given};
use super::inertia::Masses;
use super::joint::{self, Read};
use super::names::Names;
use super::notes::Notes;
use super::placement::placement;
use super::settings::{Compiler, Options};
use super::tree::Element;
use crate::error::Error;
use crate::model::Ignore;
use crate::model::description::{Description, FrameDescription, JointDescription, JointKind, Link};
use crate::spatial::{Transform, Vec3};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The link of `<worldbody>`.
pub(super) const WORLD: &str = "world";

const BODY: [&str; 14] = [
    "name",
    "childclass",
    "pos",
    "quat",
    "axisangle",
    "xyaxes",
    "zaxis",
    "euler",
    "mocap",
    "gravcomp",
    "user",
    "sleep",
    "fuse",
    "simple",
];
const FRAME: [&str; 8] = ["name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"];
/// Elements of a body without effect on the dynamics.
const SKIPPED: [&str; 3] = ["camera", "light", "user"];

/// State of the reader of bodies.
pub(super) struct Reader<'a, 'b> {
    pub(super) defaults: &'b Defaults<'a>,
    pub(super) compiler: &'b Compiler,
    pub(super) options: &'b Options,
    pub(super) names: Names,
    pub(super) notes: Notes,
    pub(super) masses: Masses<'a, 'b>,
    pub(super) robot: Description,
    /// Materials by name.
    pub(super) materials: BTreeMap<&'a str, Given<'a, 'b>>,
    /// The joints in MuJoCo's order, for data given by qpos.
    pub(super) layout: Vec<Placed>,
}

/// A joint's part of qpos.
pub(super) struct Placed {
    /// The joints that it became, in order: one, except for a free joint that was split in two.
    pub(super) joints: Vec<String>,
    pub(super) kind: JointKind,
    /// Its initial coordinates, as in qpos.
    pub(super) start: Vec<f64>,
}

/// A body that has not been read yet.
struct Waiting<'a> {
    element: Element<'a>,
    parent: String,
    /// Placement of the `<frame>`s around it.
    around: Transform<f64>,
    class: Class,
    /// True if nothing that moves is between it and the world.
    still: bool,
}

/// An element of a body, with the placement of the `<frame>`s around it.
struct Content<'a> {
    element: Element<'a>,
    around: Transform<f64>,
    class: Class,
}

impl<'a> Reader<'a, '_> {
    /// Reads all bodies, depth-first in the order of the file, which is also MuJoCo's numbering.
    pub(super) fn read_world(&mut self, root: Element<'a>) {
        self.robot.links.push(Link { name: WORLD.into(), ..Link::default() });
        let mut waiting = Vec::new();
        for world in root.all("worldbody") {
            let class = self.defaults.class(world, "childclass", self.defaults.main());
            let class = world.keep(class).unwrap_or(self.defaults.main());
            self.read_contents(world, WORLD, class, true, &mut waiting);
        }
        waiting.reverse();
        while let Some(body) = waiting.pop() {
            let first = waiting.len();
            self.read_body(body, &mut waiting);
            waiting[first..].reverse();
        }
    }

    /// A body, and what is in it even if something is wrong with it.
    fn read_body(&mut self, body: Waiting<'a>, waiting: &mut Vec<Waiting<'a>>) {
        let Waiting { element, parent, around, class, still } = body;
        element.keep(element.only_has(&BODY));
        let class = element.keep(self.defaults.class(element, "childclass", class)).unwrap_or(class);
        let name = self.names.own_or_new(element.name(), "body");
        let origin = element.keep(self.read_frame_of(element, &name, class));
        let origin = around * origin.unwrap_or(Transform::identity());
        let contents = self.contents(element, class);
        let (mut joints, mut masses) = (Vec::new(), Vec::new());
        for content in &contents {
            let Content { element, around, class } = *content;
            match element.tag() {
                "joint" | "freejoint" => {
                    let read = joint::read(self, element, &around, class);
                    joints.extend(element.keep(read));
                }
                "geom" | "inertial" => {
                    masses.extend(element.keep(self.defaults.of(element, class)).map(|given| (given, around)));
                }
                _ => {}
            }
        }
        let moves = self.hang(element, &name, &parent, origin, &joints);
        let still = still && !element.keep(moves).unwrap_or(true);
        let inertial = self.masses.of_body(element, &masses, self.compiler, still);
        self.robot.links.push(Link {
            name: name.clone(),
            inertial: element.keep(inertial).flatten(),
            line: element.line(),
        });
        self.spread(contents, &name, still, waiting);
    }

    /// Reads the placement of a body, and its other attributes.
    fn read_frame_of(&mut self, element: Element<'a>, name: &str, class: Class) -> Result<Transform<f64>, Error> {
        let given = self.defaults.of_kind(element, "body", class)?;
        if given.number("gravcomp", 0.0)? != 0.0 && self.options.gravity != [0.0; 3] {
            element.without(Ignore::GravComp, "gravcomp takes part of its weight away")?;
        }
        if given.flag("mocap", false)? {
            self.notes.mocap.add(name, element);
        }
        placement(&given, self.compiler)
    }

    fn read_contents(
        &mut self,
        element: Element<'a>,
        link: &str,
        class: Class,
        still: bool,
        waiting: &mut Vec<Waiting<'a>>,
    ) {
        let contents = self.contents(element, class);
        for Content { element, .. } in &contents {
            if matches!(element.tag(), "joint" | "freejoint" | "inertial") {
                let what = "the world has no joints and no inertia; put it into a <body>";
                element.keep::<()>(Err(element.error(what)));
            }
        }
        self.spread(contents, link, still, waiting);
    }

    /// Turns sites into frames, and queues bodies.
    fn spread(&mut self, contents: Vec<Content<'a>>, link: &str, still: bool, waiting: &mut Vec<Waiting<'a>>) {
        for Content { element, around, class } in contents {
            match element.tag() {
                "body" => waiting.push(Waiting { element, parent: link.to_string(), around, class, still }),
                "site" => {
                    let site = self.defaults.of(element, class);
                    let read = site.and_then(|site| self.read_site(site, &around, link));
                    element.keep(read);
                }
                "geom" => self.read_look(element, class, &around, link),
                _ => {}
            }
        }
    }

    /// All elements of a body, with frames resolved.
    fn contents(&mut self, body: Element<'a>, class: Class) -> Vec<Content<'a>> {
        let inside = |element: Element<'a>, around: Transform<f64>, class: Class| {
            element.children().rev().map(move |element| Content { element, around, class })
        };
        let (mut contents, mut stack) = (Vec::new(), inside(body, Transform::identity(), class).collect::<Vec<_>>());
        while let Some(content) = stack.pop() {
            let Content { element, around, class } = content;
            match element.tag() {
                "body" | "joint" | "freejoint" | "geom" | "inertial" | "site" => contents.push(content),
                "frame" => {
                    element.keep(element.only_has(&FRAME));
                    let class = element.keep(self.defaults.class(element, "childclass", class)).unwrap_or(class);
                    let given = self.defaults.of_kind(element, "frame", class);
                    let here = element.keep(given.and_then(|given| placement(&given, self.compiler)));
                    stack.extend(inside(element, around * here.unwrap_or(Transform::identity()), class));
                }
                "composite" | "flexcomp" | "replicate" | "attach" => {
                    let what = format!(
                        "<{}> makes bodies, which dtau does not; load the model in MuJoCo and save it, which writes them out",
                        element.tag()
                    );
                    element.keep::<()>(Err(element.unsupported(what)));
                }
                "plugin" => {
                    element.keep(element.without(Ignore::Plugin, "a plugin may add forces"));
                }
                tag if SKIPPED.contains(&tag) => {}
                tag => {
                    element.keep::<()>(Err(element.error(format!("there is no <{tag}> in a body"))));
                }
            }
        }
        contents
    }

    fn read_site(&mut self, site: Given<'a, '_>, around: &Transform<f64>, link: &str) -> Result<(), Error> {
        let Some(name) = site.element.name() else { return Ok(()) };
        let here = match super::placement::segment(&site)? {
            Some((middle, _)) => middle,
            None => placement(&site, self.compiler)?,
        };
        let name = self.names.site(name);
        self.robot.frames.push(FrameDescription { name, link: link.into(), placement: *around * here });
        Ok(())
    }

    /// Adds the joints of a body, from its parent's link to its own. Returns true if the body can move.
    fn hang(
        &mut self,
        element: Element<'a>,
        body: &str,
        parent: &str,
        origin: Transform<f64>,
        joints: &[Read<'a>],
    ) -> Result<bool, Error> {
        let mut chain = Chain { parent: parent.into(), at: origin, shift: Vec3::zero() };
        for (k, joint) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            if joint.said.kind == JointKind::FreeFlyer {
                if joints.len() > 1 || parent != WORLD {
                    return Err(joint.element.error("a free joint has to be the only one of a body of the world"));
                }
                self.hang_free(joint, body, origin);
                return Ok(true);
            }
            // The anchor of a slide is arbitrary.
            let anchor =
                if matches!(joint.said.kind, JointKind::Prismatic { .. }) { chain.shift } else { joint.anchor };
            let at_frame = last && anchor == Vec3::zero();
            let child = if at_frame { body.into() } else { self.names.unused(&format!("{body}/{}", joint.said.name)) };
            let mut described = joint.described(&joint.said.name, joint.said.kind, &chain.parent, &child);
            described.origin = chain.at * Transform::translation(anchor - chain.shift) * joint.offset;
            self.robot.joints.push(described);
            if !at_frame {
                self.robot.links.push(Link { name: child.clone(), inertial: None, line: element.line() });
            }
            let (names, start) = (alloc::vec![joint.said.name.clone()], joint.start.clone());
            self.layout.push(Placed { joints: names, kind: joint.said.kind, start });
            chain = Chain { parent: child, at: Transform::identity(), shift: anchor };
            if at_frame {
                return Ok(true);
            }
        }
        let name = self.names.unused(&format!("{body}/fixed"));
        let mut fixed = JointDescription::new(&name, JointKind::Fixed, &chain.parent, body);
        fixed.origin = chain.at * Transform::translation(-chain.shift);
        fixed.line = element.line();
        self.robot.joints.push(fixed);
        Ok(!joints.is_empty())
    }

    /// Adds a free joint. Its rotor inertia acts along the axes of the world, but the axes of a free-flyer
    /// are the body's. So with a rotor it becomes a translation in the world's axes, followed by a ball
    /// joint.
    fn hang_free(&mut self, joint: &Read<'a>, body: &str, origin: Transform<f64>) {
        let start = free_start(origin);
        let mut parts = Vec::new();
        if joint.said.armature == 0.0 {
            self.robot.joints.push(joint.described(&joint.said.name, JointKind::FreeFlyer, WORLD, body));
            parts.push(joint.said.name.clone());
        } else {
            let between = self.names.unused(&format!("{body}/{}", joint.said.name));
            let ball = self.names.unused(&format!("{}/ball", joint.said.name));
            self.robot.joints.push(joint.described(&joint.said.name, JointKind::Translation, WORLD, &between));
            self.robot.joints.push(joint.described(&ball, JointKind::Spherical, &between, body));
            self.robot.links.push(Link { name: between, inertial: None, line: joint.element.line() });
            self.notes.split_free.add(&joint.said.name, joint.element);
            parts.extend([joint.said.name.clone(), ball]);
        }
        self.layout.push(Placed { joints: parts, kind: joint.said.kind, start });
    }
}

/// The chain of a body's joints so far.
struct Chain {
    parent: String,
    /// The body's frame in the parent's, if no joint has been added yet.
    at: Transform<f64>,
    /// Position of the parent link's frame in the body's.
    shift: Vec3<f64>,
}

/// The placement of a free body in qpos: x y z, then the quaternion w x y z.
fn free_start(origin: Transform<f64>) -> Vec<f64> {
    let [x, y, z, w] = crate::spatial::Quaternion::from_matrix(&origin.rot).to_array();
    let p = origin.pos;
    alloc::vec![p.x, p.y, p.z, w, x, y, z]
}
