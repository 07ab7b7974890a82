//! Compiling a [`Description`] into a [`Model`].

use super::mimic::{MimicMap, Source};
use super::validate::{self, Leader, validate};
use super::*;
use crate::error::{Error, ErrorKind};
use crate::joints::{FreeFlyer, Helical, Planar, Prismatic, Revolute, Spherical, Translation};
use crate::scalar::Real;
use crate::spatial::Mat3;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use core::sync::atomic::{AtomicUsize, Ordering};

impl Model {
    /// Compiles a description: checks it, merges fixed links, numbers bodies and degrees of freedom.
    pub fn build(description: &Description, options: &Options) -> Result<Model, Error> {
        options.check()?;
        let shape = validate(description)?;
        let leaders = match options.mimic {
            MimicMode::Honour => shape.mimic.clone()?,
            MimicMode::Free => vec![None; description.joints.len()],
        };
        let mut builder = Builder::new(description, options, &shape, leaders);
        builder.walk();
        builder.finish()
    }
}

/// The joint above a body: one of the description, or the one that carries the root.
#[derive(Clone, Copy)]
enum Above {
    Root(JointKind),
    Described(usize),
}

struct Builder<'a> {
    description: &'a Description,
    options: &'a Options,
    shape: &'a validate::Checked,
    /// For each joint of the description: the one it follows.
    leaders: Vec<Option<Leader>>,
    /// For each joint of the description: the link it carries.
    child: Vec<usize>,
    tree: Tree,
    /// For each link: the body that carries it and where, in that body's internal frame.
    carried: Vec<Option<(usize, Transform<f64>)>>,
    /// For each body after the world.
    above: Vec<Above>,
    links: Vec<usize>,
}

impl<'a> Builder<'a> {
    fn new(
        description: &'a Description,
        options: &'a Options,
        shape: &'a validate::Checked,
        leaders: Vec<Option<Leader>>,
    ) -> Self {
        let mut tree = Tree::default();
        tree.bodies.push(world());
        let mut child = vec![0; description.joints.len()];
        for (link, joint) in shape.parent_joint.iter().enumerate() {
            if let Some(joint) = *joint {
                child[joint] = link;
            }
        }
        let carried = vec![None; description.links.len()];
        let (above, links) = (Vec::new(), Vec::new());
        Self { description, options, shape, leaders, child, tree, carried, above, links }
    }

    /// Visits links depth-first: a fixed joint adds to its parent's body, any other starts a new one.
    fn walk(&mut self) {
        let root = Above::Root(self.options.root.kind());
        let mut stack = vec![(self.shape.root, 0, self.options.root_origin, root)];
        while let Some((link, parent, origin, above)) = stack.pop() {
            let (body, placement) = self.hang(link, parent, origin, above);
            self.carried[link] = Some((body, placement));
            if let Some(inertial) = self.description.links[link].inertial {
                let about_link = Inertia::from_com(inertial.mass, inertial.com, inertial.about_com);
                self.tree.bodies[body].inertia += about_link.transform(&placement);
            }
            let mut below = self.shape.children[link].clone();
            if self.options.order == JointOrder::Alphabetical {
                below.sort_by(|&a, &b| self.description.joints[a].name.cmp(&self.description.joints[b].name));
            }
            for &j in below.iter().rev() {
                let joint = &self.description.joints[j];
                stack.push((self.child[j], body, placement * joint.origin, Above::Described(j)));
            }
        }
    }

    /// Puts a link on a body; `origin` is the joint's frame in the parent body's internal frame.
    fn hang(&mut self, link: usize, parent: usize, origin: Transform<f64>, above: Above) -> (usize, Transform<f64>) {
        let kind = match above {
            Above::Root(kind) => kind,
            Above::Described(j) => self.description.joints[j].kind,
        };
        let Some((joint, axis)) = internal_joint(kind) else { return (parent, origin) };
        let turn = axis.map_or(Mat3::identity(), frame_with_z_along);
        let (group, index) = (joint.group(), self.tree.bodies.len());
        let (q, v) = (self.tree.nq, self.tree.dofs.len());
        let angle = joint.angle().map_or(0, |k| {
            self.tree.angles.push(q + k);
            self.tree.angles.len() - 1
        });
        let (armature, damping, friction) = match above {
            Above::Root(_) => (0.0, 0.0, 0.0),
            Above::Described(j) => {
                let joint = &self.description.joints[j];
                (joint.armature, joint.damping, joint.friction)
            }
        };
        for k in 0..group.nv() {
            let parent = if k > 0 { Some(v + k - 1) } else { last_dof(&self.tree, parent) };
            self.tree.dofs.push(Dof { body: index, parent, armature, damping, friction });
        }
        self.tree.nq += group.nq();
        self.tree.bodies.push(Body {
            parent,
            joint,
            x_tree: origin * Transform::new(turn, Vec3::zero()),
            q: q..q + group.nq(),
            v: v..v + group.nv(),
            angle,
            ..world()
        });
        self.above.push(above);
        self.links.push(link);
        (index, Transform::new(turn.transpose(), Vec3::zero()))
    }

    fn finish(mut self) -> Result<Model, Error> {
        let mut warnings = self.description.warnings.clone();
        warnings.extend_from_slice(&self.shape.warnings);
        self.close_subtrees();
        self.trace_paths();
        self.check_masses(&mut warnings)?;
        for body in &mut self.tree.bodies {
            let Inertia { mass, h, .. } = body.inertia;
            if mass > 0.0 {
                body.com = h * (1.0 / mass);
            }
            body.about_com = body.inertia.about(body.com);
        }
        let tree = &mut self.tree;
        tree.bodies[0].slot = tree.dofs.len();
        for i in 1..tree.bodies.len() {
            tree.bodies[i].slot = tree.bodies[i].v.end - 1;
        }
        tree.wide_joints = (0..tree.bodies.len()).filter(|&i| tree.bodies[i].v.len() > 1).collect();
        tree.inertias = Inertias::of(&tree.bodies);
        tree.fill = FillPlan::new(tree);
        let dofs = &self.tree.dofs;
        self.tree.has_armature = dofs.iter().any(|d| d.armature != 0.0);
        self.tree.has_damping = dofs.iter().any(|d| d.damping != 0.0);
        self.tree.has_friction = dofs.iter().any(|d| d.friction != 0.0);
        self.tree.paths = Paths::new(self.tree.dofs.iter().map(|dof| dof.parent));
        let (mimic, joints) = self.reduce();
        let frames = self.frames();
        let (nq, nv) = match &mimic {
            None => (self.tree.nq, self.tree.dofs.len()),
            Some(map) => (independent(&map.coordinates), independent(&map.dofs)),
        };
        let elimination = mimic.as_ref().map(|map| Paths::elimination(&self.tree.paths, map, nv));
        static BUILT: AtomicUsize = AtomicUsize::new(0);
        Ok(Model(Arc::new(Inner {
            id: BUILT.fetch_add(1, Ordering::Relaxed),
            description: self.description.clone(),
            options: self.options.clone(),
            gravity: self.options.gravity.into(),
            joints,
            frames,
            warnings,
            tree: self.tree,
            mimic,
            elimination,
            nq,
            nv,
            root_link: self.shape.root,
        })))
    }

    fn close_subtrees(&mut self) {
        let bodies = &mut self.tree.bodies;
        for i in (0..bodies.len()).rev() {
            bodies[i].bodies_end = bodies[i].bodies_end.max(i + 1);
            bodies[i].dofs_end = bodies[i].dofs_end.max(bodies[i].v.end);
            let (p, bodies_end, dofs_end) = (bodies[i].parent, bodies[i].bodies_end, bodies[i].dofs_end);
            bodies[p].bodies_end = bodies[p].bodies_end.max(bodies_end);
            bodies[p].dofs_end = bodies[p].dofs_end.max(dofs_end);
        }
        for i in 1..bodies.len() {
            let p = bodies[i].parent;
            let has_later_siblings = bodies[i].bodies_end < bodies[p].bodies_end;
            bodies[i].forks = bodies[p].forks + usize::from(has_later_siblings);
        }
    }

    /// Depth-first numbers make most of a path contiguous: a run ends only where a branch was passed over.
    fn trace_paths(&mut self) {
        let Tree { bodies, path_runs, .. } = &mut self.tree;
        for i in 1..bodies.len() {
            let start = path_runs.len();
            let parent = &bodies[bodies[i].parent];
            path_runs.extend_from_within(parent.path.clone());
            match path_runs[start..].last_mut() {
                Some(run) if run.end == parent.v.start => run.end = parent.v.end,
                _ if parent.v.is_empty() => {}
                _ => path_runs.push(parent.v.clone()),
            }
            bodies[i].path = start..path_runs.len();
        }
    }

    /// A body that nothing resists cannot be accelerated by a finite force; better said now than as NaN later.
    fn check_masses(&self, warnings: &mut Vec<String>) -> Result<(), Error> {
        for (body, &link) in self.tree.bodies[1..].iter().zip(&self.links) {
            let Inertia { mass, rot, .. } = body.inertia;
            if mass > 0.0 || rot.trace() > 0.0 {
                continue;
            }
            let link = &self.description.links[link];
            let what = format!("link \"{}\" moves but has no inertia, nor has anything fixed to it", link.name);
            if !self.options.allow_massless {
                let message = format!("{what}; give it an <inertial>, or allow massless bodies in the options");
                return Err(Error::new(ErrorKind::Description, message).at_line(link.line));
            }
            warnings.push(what);
        }
        Ok(())
    }

    /// The joints as users see them, and the map of those that mimic.
    fn reduce(&self) -> (Option<MimicMap>, Vec<JointInfo>) {
        let leader_of = |above: Above| match above {
            Above::Described(j) => self.leaders[j],
            Above::Root(_) => None,
        };
        let mut body_of = vec![None; self.description.joints.len()];
        for (i, above) in self.above.iter().enumerate() {
            if let Above::Described(j) = *above {
                body_of[j] = Some(i);
            }
        }
        // Where each body's own coordinates go, were it independent.
        let (mut nq, mut nv) = (0, 0);
        let mut own = Vec::new();
        for (body, &above) in self.tree.bodies[1..].iter().zip(&self.above) {
            own.push((nq, nv));
            if leader_of(above).is_none() {
                nq += body.q.len();
                nv += body.v.len();
            }
        }
        let mut map = MimicMap { coordinates: Vec::new(), dofs: Vec::new() };
        let mut joints: Vec<JointInfo> = Vec::new();
        for (i, &above) in self.above.iter().enumerate() {
            let body = &self.tree.bodies[i + 1];
            let follows = leader_of(above);
            let leader = follows.and_then(|l| body_of[l.joint]).unwrap_or(i);
            let (multiplier, offset) = follows.map_or((1.0, 0.0), |l| (l.multiplier, l.offset));
            let (q, v) = own[leader];
            for k in 0..body.q.len() {
                map.coordinates.push(Source { index: q + k, multiplier, offset });
            }
            for k in 0..body.v.len() {
                map.dofs.push(Source { index: v + k, multiplier, offset: 0.0 });
            }
            let parent = body.parent.checked_sub(1).map(JointId);
            let (name, kind, limits) = match above {
                Above::Root(kind) => ("root_joint", kind, Limits::default()),
                Above::Described(j) => {
                    let joint = &self.description.joints[j];
                    (joint.name.as_str(), joint.kind, joint.limits)
                }
            };
            joints.push(JointInfo {
                name: name.into(),
                link: self.description.links[self.links[i]].name.clone(),
                frame: FrameId(self.links[i]), // frames of links come first, see `frames`
                kind,
                parent,
                q: q..q + body.q.len(),
                v: v..v + body.v.len(),
                limits,
                mimic: follows.map(|l| Mimic {
                    joint: self.description.joints[l.joint].name.clone(),
                    multiplier,
                    offset,
                }),
                depth: parent.map_or(1, |JointId(p)| joints[p].depth + 1),
            });
        }
        let any = joints.iter().any(|j| j.mimic.is_some());
        (any.then_some(map), joints)
    }

    /// Frames of links, of joints, and the description's own.
    fn frames(&self) -> Vec<Frame> {
        let on_link = |name: &str, kind, link: usize, offset: Transform<f64>| {
            let (body, placement) = self.carried[link].expect("the walk visits every link");
            let body = body.checked_sub(1).map(|_| BodyId(body));
            Frame { name: name.into(), kind, body, placement: placement * offset }
        };
        let here = Transform::identity();
        let mut frames = Vec::new();
        for (i, link) in self.description.links.iter().enumerate() {
            frames.push(on_link(&link.name, FrameKind::Link, i, here));
        }
        for (j, joint) in self.description.joints.iter().enumerate() {
            frames.push(on_link(&joint.name, FrameKind::Joint, self.child[j], here));
        }
        let links = self.description.links.iter().enumerate();
        let by_name: BTreeMap<&str, usize> = links.map(|(i, l)| (l.name.as_str(), i)).collect();
        for frame in &self.description.frames {
            frames.push(on_link(&frame.name, FrameKind::Custom, by_name[frame.link.as_str()], frame.placement));
        }
        frames
    }
}

fn independent(sources: &[Source]) -> usize {
    sources.iter().map(|s| s.index + 1).max().unwrap_or(0)
}

/// The last degree of freedom of a body: what the next one towards the leaves is the child of.
fn last_dof(tree: &Tree, body: usize) -> Option<usize> {
    tree.bodies[body].v.end.checked_sub(1).filter(|_| body > 0)
}

/// Body 0.
fn world() -> Body {
    Body {
        parent: 0,
        joint: Joint::Translation(Translation),
        x_tree: Transform::identity(),
        inertia: Inertia::zero(),
        com: Vec3::zero(),
        about_com: Sym3::zero(),
        q: 0..0,
        v: 0..0,
        angle: 0,
        slot: 0,
        bodies_end: 0,
        dofs_end: 0,
        path: 0..0,
        forks: 0,
    }
}

/// The joint of the list, and the axis that becomes its body's `z`.
fn internal_joint(kind: JointKind) -> Option<(Joint, Option<Vec3<f64>>)> {
    Some(match kind {
        JointKind::Fixed => return None,
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => (Joint::Revolute(Revolute), Some(axis)),
        JointKind::Prismatic { axis } => (Joint::Prismatic(Prismatic), Some(axis)),
        JointKind::Helical { axis, pitch } => (Joint::Helical(Helical { pitch }), Some(axis)),
        JointKind::Spherical => (Joint::Spherical(Spherical), None),
        JointKind::Planar { normal } => (Joint::Planar(Planar), Some(normal)),
        JointKind::Translation => (Joint::Translation(Translation), None),
        JointKind::FreeFlyer => (Joint::FreeFlyer(FreeFlyer), None),
    })
}

/// The transform of a described joint at the position `q`, in the axes of its links.
pub(super) fn joint_transform(kind: JointKind, q: &[f64]) -> Transform<f64> {
    let Some((joint, axis)) = internal_joint(kind) else { return Transform::identity() };
    let turn = Transform::new(axis.map_or(Mat3::identity(), frame_with_z_along), Vec3::zero());
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
