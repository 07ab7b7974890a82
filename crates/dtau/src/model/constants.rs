//! The numbers of a compiled model, one by one. Generated code keeps them in a table.

use super::inertias::Inertias;
use super::lookup::Alphabet;
use super::tree::GivenBody;
use super::{Frame, Inner, Model, Tree, build};
use crate::spatial::{Sym3, Transform, Vec3};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Identifies a number of a compiled model. Bodies and degrees of freedom are those of its [`Tree`]; frames
/// are internal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constant {
    /// A component of gravity.
    Gravity(usize),
    /// Component of a body's placement in its parent: nine of the rotation, by columns, then three of the position.
    Placement(usize, usize),
    /// A body's mass.
    Mass(usize),
    /// A body's mass times its centre of mass.
    FirstMoment(usize, usize),
    /// A body's rotational inertia about its origin: xx, xy, xz, yy, yz, zz.
    Inertia(usize, usize),
    /// A body's centre of mass.
    Com(usize, usize),
    /// A body's rotational inertia about its centre of mass, as [`Inertia`](Constant::Inertia).
    AboutCom(usize, usize),
    /// One of the [numbers](crate::joints::JointType::numbers) of a body's joint, such as the pitch of a screw.
    Joint(usize, usize),
    /// The rotor inertia of a degree of freedom.
    Armature(usize),
    /// Its viscous damping.
    Damping(usize),
    /// Its Coulomb friction.
    Friction(usize),
    /// The stiffness of its spring.
    Stiffness(usize),
    /// The coordinate at which its spring force is zero.
    Rest(usize),
    /// Component of a frame's placement in its body, as [`Placement`](Constant::Placement).
    Frame(usize, usize),
    /// A number of one of the [`Constraints`](crate::Constraints) on the robot.
    Constraint(usize, OfConstraint),
}

/// Identifies a number of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OfConstraint {
    /// Component of the first frame's placement in its body, as [`Placement`](Constant::Placement).
    First(usize),
    /// Component of the second frame's placement.
    Second(usize),
    /// Component of one of its directions, three numbers each.
    Direction(usize),
    /// The factor of one of its joints.
    Factor(usize),
    /// The value that it holds: a distance or a sum.
    Target,
    /// Its gain kp.
    Kp,
    /// Its gain kd.
    Kd,
}

impl Model {
    /// All numbers of the compiled model. Their order depends only on its shape.
    pub fn constants(&self) -> Vec<(Constant, f64)> {
        let mut all = Vec::new();
        let (mut tree, mut frames, mut gravity) = (self.0.tree.again(), self.0.frames.clone(), self.0.gravity);
        visit(&mut tree, &mut frames, &mut gravity, &mut |which, x| all.push((which, *x)));
        all
    }

    /// Returns this model with other numbers, which are not checked and may be inconsistent. It serves to
    /// record how an algorithm uses them. Names, description and options are unchanged.
    pub fn map_constants(&self, mut to: impl FnMut(Constant, f64) -> f64) -> Model {
        let from = &*self.0;
        let (mut tree, mut frames, mut gravity) = (from.tree.again(), from.frames.clone(), from.gravity);
        visit(&mut tree, &mut frames, &mut gravity, &mut |which, x| *x = to(which, *x));
        tree.inertias = Inertias::of(&tree.bodies);
        Model(Arc::new(Inner {
            id: build::next_id(),
            shape: from.shape,
            description: from.description.clone(),
            options: from.options.clone(),
            gravity,
            alphabet: Alphabet::of(&from.joints, &frames),
            joints: from.joints.clone(),
            joint_of_body: from.joint_of_body.clone(),
            joint_of_dof: from.joint_of_dof.clone(),
            frames,
            warnings: from.warnings.clone(),
            tree,
            mimic: from.mimic.clone(),
            elimination: from.elimination.clone(),
            nq: from.nq,
            nv: from.nv,
            lengths: from.lengths,
            quaternions: from.quaternions.clone(),
            root_link: from.root_link,
            numbers: from.numbers,
        }))
    }
}

impl Tree {
    /// A new copy of the tree.
    fn again(&self) -> Tree {
        let given: Vec<GivenBody> = self.bodies.iter().map(|body| self.given(body)).collect();
        let mut tree = Tree::new(&given);
        for (to, from) in tree.bodies.iter_mut().zip(&self.bodies) {
            (to.com, to.about_com) = (from.com, from.about_com);
        }
        for (to, from) in tree.dofs.iter_mut().zip(&self.dofs) {
            to.clone_from(from);
        }
        tree
    }
}

fn visit(tree: &mut Tree, frames: &mut [Frame], gravity: &mut Vec3<f64>, f: &mut dyn FnMut(Constant, &mut f64)) {
    vector(gravity, |k, x| f(Constant::Gravity(k), x));
    for (i, body) in tree.bodies.iter_mut().enumerate().skip(1) {
        placement(&mut body.x_tree, |k, x| f(Constant::Placement(i, k), x));
        f(Constant::Mass(i), &mut body.inertia.mass);
        vector(&mut body.inertia.h, |k, x| f(Constant::FirstMoment(i, k), x));
        symmetric(&mut body.inertia.rot, |k, x| f(Constant::Inertia(i, k), x));
        vector(&mut body.com, |k, x| f(Constant::Com(i, k), x));
        symmetric(&mut body.about_com, |k, x| f(Constant::AboutCom(i, k), x));
        for (k, (_, x)) in body.joint.numbers_mut().into_iter().enumerate() {
            f(Constant::Joint(i, k), x);
        }
    }
    for (k, dof) in tree.dofs.iter_mut().enumerate() {
        f(Constant::Armature(k), &mut dof.armature);
        f(Constant::Damping(k), &mut dof.damping);
        f(Constant::Friction(k), &mut dof.friction);
        f(Constant::Stiffness(k), &mut dof.stiffness);
        f(Constant::Rest(k), &mut dof.rest);
    }
    for (i, frame) in frames.iter_mut().enumerate() {
        placement(&mut frame.placement, |k, x| f(Constant::Frame(i, k), x));
    }
}

pub(crate) fn placement(x: &mut Transform<f64>, mut f: impl FnMut(usize, &mut f64)) {
    for (c, column) in x.rot.cols.iter_mut().enumerate() {
        vector(column, |k, x| f(3 * c + k, x));
    }
    vector(&mut x.pos, |k, x| f(9 + k, x));
}

pub(crate) fn vector(v: &mut Vec3<f64>, mut f: impl FnMut(usize, &mut f64)) {
    for (k, x) in [&mut v.x, &mut v.y, &mut v.z].into_iter().enumerate() {
        f(k, x);
    }
}

fn symmetric(m: &mut Sym3<f64>, mut f: impl FnMut(usize, &mut f64)) {
    let Sym3 { xx, xy, xz, yy, yz, zz } = m;
    for (k, x) in [xx, xy, xz, yy, yz, zz].into_iter().enumerate() {
        f(k, x);
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Model, Options, Root, generate};
    use crate::{Workspace, rnea};
    use alloc::vec;

    /// Unchanged constants give the same bits, and every change is visible.
    #[test]
    fn a_model_with_its_own_constants_is_the_same() {
        let options = Options { root: Root::Floating, ..Options::default() };
        let model = Model::build(&generate::random_tree(3, 9), &options).unwrap();
        let same = model.map_constants(|_, x| x);
        let twice = model.map_constants(|_, x| 2.0 * x);
        assert_eq!(model.constants(), same.constants());
        assert_ne!(model.constants(), twice.constants());
        let torques = |model: &Model| {
            let (v, a, mut tau) = (vec![0.3; model.nv()], vec![0.2; model.nv()], vec![0.0; model.nv()]);
            rnea(model, &mut Workspace::new(model), &model.neutral(), &v, &a, &mut tau).unwrap();
            tau
        };
        assert_eq!(torques(&model), torques(&same));
        assert_ne!(torques(&model), torques(&twice));
    }
}
