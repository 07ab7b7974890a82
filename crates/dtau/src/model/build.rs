//! Compiling a [`Description`] into a [`Model`].

use super::massless::resisted;
use super::mimic::{MimicMap, Source};
use super::tree::GivenBody;
use super::validate::{Checked, Leader, validate};
use super::*;
use crate::door::Size;
use crate::error::{Error, ErrorKind, Faults};
use crate::room;
use crate::scalar::Real;
use crate::spatial::{Inertia, Mat3};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use core::sync::atomic::{AtomicUsize, Ordering};

impl Model {
    /// Compiles a description: checks it, merges fixed links, numbers bodies and degrees of freedom.
    ///
    /// Time: n log n in the number of links; memory: O(n).
    ///
    /// # Errors
    /// If the description is not one tree of valid joints and bodies, if an option is invalid, or if nothing
    /// resists a joint and the options do not allow that.
    pub fn build(description: &Description, options: &Options) -> Result<Model, Error> {
        options.check()?;
        room::for_model(description)?;
        let checked = validate(description)?;
        compile(description.clone(), checked, options)
    }

    /// Compiles a description that has already been checked.
    #[cfg(any(feature = "urdf", feature = "mjcf"))]
    pub(crate) fn build_checked(description: Description, checked: Checked, options: &Options) -> Result<Model, Error> {
        options.check()?;
        room::for_model(&description)?;
        compile(description, checked, options)
    }
}

fn compile(description: Description, checked: Checked, options: &Options) -> Result<Model, Error> {
    let mut options = options.clone();
    if let (Some(gravity), true) = (description.gravity, options.gravity == Options::default().gravity) {
        options.gravity = gravity;
        options.check()?;
    }
    let options = &options;
    let leaders = match options.mimic {
        MimicMode::Honour => checked.mimic.clone()?,
        MimicMode::Free => vec![None; description.joints.len()],
    };
    if let (true, Some(free)) = (options.root != Root::Fixed, free_of_world(&description, checked.root)) {
        let message = format!(
            "joint {:?} lets the robot fly already, and with a root that moves the world would fly too; leave the root fixed",
            free.name
        );
        return Err(Error::new(ErrorKind::Description, message).at_line(free.line));
    }
    let hung = Hung::new(&description, options, &checked);
    let tree = Tree::new(&hung.bodies);
    let mut warnings = description.warnings.clone();
    warnings.extend_from_slice(&checked.warnings);
    check_masses(&tree, &hung.joints, &description, options, &mut warnings)?;
    let Numbered { joints, joint_of_body, joint_of_dof, mimic, nq } =
        Numbered::new(&tree, &hung.joints, &leaders, &description);
    let frames = hung.frames(&description, checked.root);
    let (nv, numbers) = (joint_of_dof.len(), numbers_of(&tree, &frames));
    let elimination = mimic.as_ref().map(|map| Paths::elimination(&tree.paths, map, nv));
    let lengths = Size::lengths(nq, nv, frames.len(), description.links.len(), joints.len());
    let quaternions = quaternions(&tree, &joints);
    Ok(Model(Arc::new(Inner {
        shape: shape::of(&tree, nq, nv),
        id: next_id(),
        options: options.clone(),
        gravity: options.gravity.into(),
        alphabet: Alphabet::of(&joints, &frames),
        joints,
        joint_of_body,
        joint_of_dof,
        frames,
        warnings,
        tree,
        mimic,
        elimination,
        nq,
        nv,
        lengths,
        quaternions,
        root_link: checked.root,
        numbers,
        description,
    })))
}

/// The free joint that an MJCF has of its own: its root is the world, a link without inertia.
fn free_of_world(description: &Description, root: usize) -> Option<&JointDescription> {
    let world = Some(&description.links[root]).filter(|link| link.name == "world" && link.inertial.is_none())?;
    // With a rotor a free joint is a translation and a ball.
    let flies = |joint: &&JointDescription| matches!(joint.kind, JointKind::FreeFlyer | JointKind::Translation);
    description.joints.iter().find(|joint| joint.parent == world.name && flies(joint))
}

/// Indices at which quaternions begin in a configuration.
fn quaternions(tree: &Tree, joints: &[JointInfo]) -> Vec<usize> {
    let mut starts = Vec::new();
    for joint in joints.iter().filter(|joint| joint.mimic.is_none()) {
        let mut q = joint.q.start;
        for body in &tree.bodies[joint.bodies.clone()] {
            starts.extend(body.joint.group().quaternion().map(|at| q + at));
            q += body.q.len();
        }
    }
    starts
}

/// A unique number for each model that is built.
pub(super) fn next_id() -> usize {
    static BUILT: AtomicUsize = AtomicUsize::new(0);
    BUILT.fetch_add(1, Ordering::Relaxed)
}

/// Name of the joint that carries the root, if it moves.
pub(super) const ROOT_JOINT: &str = "root_joint";

/// The joint above a link: one of the description, or the root joint.
#[derive(Clone, Copy)]
enum Above {
    Root(JointKind),
    Described(usize),
}

/// A moving joint.
struct Moving {
    above: Above,
    /// The link it carries.
    link: usize,
    /// Its bodies, in order. Only the last one carries a link.
    bodies: Range<usize>,
}

/// The links, attached to bodies.
struct Hung {
    /// The world, then the bodies, depth-first.
    bodies: Vec<GivenBody>,
    /// The moving joints, depth-first.
    joints: Vec<Moving>,
    /// For each link: the body that carries it, and its placement in that body's internal frame.
    carried: Vec<(usize, Transform<f64>)>,
    /// For each joint of the description: the link it carries.
    child: Vec<usize>,
}

impl Hung {
    /// Visits the links depth-first. A fixed joint merges its link into the parent's body; any other starts a
    /// new body.
    fn new(description: &Description, options: &Options, checked: &Checked) -> Self {
        let mut child = vec![0; description.joints.len()];
        for (link, joint) in checked.parent_joint.iter().enumerate() {
            if let Some(joint) = *joint {
                child[joint] = link;
            }
        }
        let carried = vec![(0, Transform::identity()); description.links.len()];
        let mut hung = Self { bodies: vec![GivenBody::world()], joints: Vec::new(), carried, child };
        let root = Above::Root(options.root.kind());
        let mut stack = vec![(checked.root, 0, options.root_origin, root)];
        while let Some((link, parent, origin, above)) = stack.pop() {
            let (body, placement) = hung.hang(description, link, parent, origin, above);
            hung.carried[link] = (body, placement);
            if let Some(inertial) = description.links[link].inertial {
                let about_link = Inertia::from_com(inertial.mass, inertial.com, inertial.about_com);
                hung.bodies[body].inertia += about_link.transform(&placement);
            }
            let mut below = checked.children[link].clone();
            if options.order == JointOrder::Alphabetical {
                below.sort_by(|&a, &b| description.joints[a].name.cmp(&description.joints[b].name));
            }
            for &j in below.iter().rev() {
                stack.push((hung.child[j], body, placement * description.joints[j].origin, Above::Described(j)));
            }
        }
        hung
    }

    /// Attaches a link to a body. `origin` is the joint's frame in the parent body's internal frame.
    fn hang(
        &mut self,
        description: &Description,
        link: usize,
        parent: usize,
        origin: Transform<f64>,
        above: Above,
    ) -> (usize, Transform<f64>) {
        let (kind, [armature, damping, friction, stiffness, rest]) = match above {
            Above::Root(kind) => (kind, [0.0; 5]),
            Above::Described(j) => {
                let joint = &description.joints[j];
                (joint.kind, [joint.armature, joint.damping, joint.friction, joint.stiffness, joint.rest])
            }
        };
        let Some(joint) = kind.joint() else { return (parent, origin) };
        let turn = kind.axis().map_or(Mat3::identity(), frame_with_z_along);
        let body = self.bodies.len();
        let x_tree = origin * Transform::new(turn, Vec3::zero());
        let inertia = Inertia::zero();
        self.bodies.push(GivenBody { parent, joint, x_tree, inertia, armature, damping, friction, stiffness, rest });
        self.joints.push(Moving { above, link, bodies: body..body + 1 });
        (body, Transform::new(turn.transpose(), Vec3::zero()))
    }

    /// Frames of links, of joints (the root joint last, if it moves), and the description's own.
    fn frames(&self, description: &Description, root: usize) -> Vec<Frame> {
        let on_link = |name: &str, kind, link: usize, offset: Transform<f64>| {
            let (body, placement) = self.carried[link];
            let body = (body > 0).then_some(BodyId(body));
            Frame { name: name.into(), kind, body, placement: placement * offset }
        };
        let here = Transform::identity();
        let mut frames = Vec::new();
        for (i, link) in description.links.iter().enumerate() {
            frames.push(on_link(&link.name, FrameKind::Link, i, here));
        }
        for (j, joint) in description.joints.iter().enumerate() {
            frames.push(on_link(&joint.name, FrameKind::Joint, self.child[j], here));
        }
        let root_moves = self.joints.first().is_some_and(|joint| matches!(joint.above, Above::Root(_)));
        if root_moves && !description.joints.iter().any(|joint| joint.name == ROOT_JOINT) {
            frames.push(on_link(ROOT_JOINT, FrameKind::Joint, root, here));
        }
        if description.frames.is_empty() {
            return frames;
        }
        let links = description.links.iter().enumerate();
        let by_name: BTreeMap<&str, usize> = links.map(|(i, l)| (l.name.as_str(), i)).collect();
        for frame in &description.frames {
            frames.push(on_link(&frame.name, FrameKind::Custom, by_name[frame.link.as_str()], frame.placement));
        }
        frames
    }
}

/// Magnitudes of the numbers that algorithms read.
fn numbers_of(tree: &Tree, frames: &[Frame]) -> Numbers {
    let mut numbers = Numbers { largest: 0.0, least_inertia: f64::INFINITY };
    let mut see = |x: f64, is_inertia: bool| {
        numbers.largest = numbers.largest.max(x.abs());
        if is_inertia && x != 0.0 {
            numbers.least_inertia = numbers.least_inertia.min(x.abs());
        }
    };
    for body in &tree.bodies {
        let inertia = &body.inertia;
        for x in [inertia.mass, inertia.rot.xx, inertia.rot.yy, inertia.rot.zz] {
            see(x, true);
        }
        let own = body.joint.numbers().into_iter().map(|(_, x)| x);
        inertia.h.to_array().into_iter().chain(body.x_tree.pos.to_array()).chain(own).for_each(|x| see(x, false));
    }
    for dof in &tree.dofs {
        see(dof.armature, true);
        see(dof.damping, false);
        see(dof.friction, false);
        see(dof.stiffness, false);
        see(dof.rest, false);
    }
    frames.iter().flat_map(|frame| frame.placement.pos.to_array()).for_each(|x| see(x, false));
    if tree.bodies[1..].iter().all(|body| body.inertia.mass == 0.0) {
        numbers.least_inertia = 0.0; // there is no centre of mass
    }
    numbers
}

/// Checks for joints that nothing resists: an error, or a warning if the options allow them.
fn check_masses(
    tree: &Tree,
    joints: &[Moving],
    description: &Description,
    options: &Options,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    let (resisted, mut faults) = (resisted(tree), Faults::default());
    for joint in joints.iter().filter(|joint| !resisted[joint.bodies.clone()].iter().all(|&r| r)) {
        let link = &description.links[joint.link];
        let what = format!("link {:?} moves but has no inertia, nor has anything it carries", link.name);
        // Everything that it carries has no inertia either: once is enough.
        let above = tree.bodies[joint.bodies.start].parent;
        if !options.allow_massless && (above == 0 || resisted[above]) {
            let message = format!(
                "{what}; give it an <inertial>, or allow it: --allow-massless, in Python allow_massless=True, in Rust \
                 Options::allow_massless"
            );
            faults.keep::<()>(Err(Error::new(ErrorKind::Description, message).at_line(link.line)));
        }
        warnings.push(what);
    }
    faults.settle()
}

/// The joints as users see them, with the owner of each body and degree of freedom.
struct Numbered {
    joints: Vec<JointInfo>,
    joint_of_body: Vec<Option<JointId>>,
    joint_of_dof: Vec<JointId>,
    /// The map of the mimicking joints, if there are any.
    mimic: Option<MimicMap>,
    nq: usize,
}

impl Numbered {
    fn new(tree: &Tree, moving: &[Moving], leaders: &[Option<Leader>], description: &Description) -> Self {
        let leader_of = |above: Above| match above {
            Above::Described(j) => leaders[j],
            Above::Root(_) => None,
        };
        let mut joint_of_body = vec![None; tree.bodies.len()];
        let mut of_described = vec![None; description.joints.len()];
        // The coordinates and degrees of freedom of each joint, as if it were independent.
        let (mut nq, mut joint_of_dof, mut own) = (0, Vec::new(), Vec::new());
        for (i, joint) in moving.iter().enumerate() {
            joint_of_body[joint.bodies.clone()].fill(Some(JointId(i)));
            if let Above::Described(j) = joint.above {
                of_described[j] = Some(i);
            }
            own.push((nq, joint_of_dof.len()));
            if leader_of(joint.above).is_none() {
                let (q, v) = full(tree, joint);
                nq += q.len();
                joint_of_dof.resize(joint_of_dof.len() + v.len(), JointId(i));
            }
        }
        let mut map = MimicMap { coordinates: Vec::new(), dofs: Vec::new() };
        let mut joints: Vec<JointInfo> = Vec::new();
        for (i, joint) in moving.iter().enumerate() {
            let (full_q, full_v) = full(tree, joint);
            let follows = leader_of(joint.above);
            let leader = follows.and_then(|l| of_described[l.joint]).unwrap_or(i);
            let (multiplier, offset) = follows.map_or((1.0, 0.0), |l| (l.multiplier, l.offset));
            let (q, v) = own[leader];
            for k in 0..full_q.len() {
                map.coordinates.push(Source { index: q + k, multiplier, offset });
            }
            for k in 0..full_v.len() {
                map.dofs.push(Source { index: v + k, multiplier, offset: 0.0 });
            }
            let parent = joint_of_body[tree.bodies[joint.bodies.start].parent];
            let (name, kind, limits, described) = match joint.above {
                Above::Root(kind) => (ROOT_JOINT, kind, Limits::default(), None),
                Above::Described(j) => {
                    let joint = &description.joints[j];
                    (joint.name.as_str(), joint.kind, joint.limits, Some(j))
                }
            };
            joints.push(JointInfo {
                name: name.into(),
                link: description.links[joint.link].name.clone(),
                frame: FrameId(joint.link), // frames of links come first, see `Hung::frames`
                bodies: joint.bodies.clone(),
                kind,
                parent,
                q: q..q + full_q.len(),
                v: v..v + full_v.len(),
                limits,
                mimic: follows.map(|l| Mimic { joint: description.joints[l.joint].name.clone(), multiplier, offset }),
                depth: parent.map_or(1, |JointId(p)| joints[p].depth + 1),
                described,
            });
        }
        let mimic = joints.iter().any(|j| j.mimic.is_some()).then_some(map);
        Self { joints, joint_of_body, joint_of_dof, mimic, nq }
    }
}

/// The coordinates and degrees of freedom of a joint in the tree.
fn full(tree: &Tree, joint: &Moving) -> (Range<usize>, Range<usize>) {
    let (first, last) = (&tree.bodies[joint.bodies.start], &tree.bodies[joint.bodies.end - 1]);
    (first.q.start..last.q.end, first.v.start..last.v.end)
}

/// The transform of a described joint at the position `q`, in the axes of its links.
pub(super) fn joint_transform(kind: JointKind, q: &[f64]) -> Transform<f64> {
    let Some(joint) = kind.joint() else { return Transform::identity() };
    let turn = Transform::new(kind.axis().map_or(Mat3::identity(), frame_with_z_along), Vec3::zero());
    let sin_cos = joint.angle().map_or((0.0, 1.0), |k| Real::sin_cos(q[k]));
    joint.place(turn, q, sin_cos) * turn.inverse()
}

/// A rotation whose third column is the direction of `axis`; exact for coordinate axes, the identity for `z`.
fn frame_with_z_along(axis: Vec3<f64>) -> Mat3<f64> {
    let z = axis * (1.0 / libm::sqrt(axis.norm_squared()));
    // The coordinate axis that follows the largest component, cyclically, is well away from z.
    let (ax, ay, az) = (z.x.abs(), z.y.abs(), z.z.abs());
    let helper = if az >= ax && az >= ay {
        Vec3::new(1.0, 0.0, 0.0)
    } else if ax >= ay {
        Vec3::new(0.0, 1.0, 0.0)
    } else {
        Vec3::new(0.0, 0.0, 1.0)
    };
    let y = z.cross(helper);
    let y = y * (1.0 / libm::sqrt(y.norm_squared()));
    Mat3::from_cols(y.cross(z), y, z)
}
