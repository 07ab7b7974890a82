//! The scene of a call: the model, and its surroundings for this call only.

use crate::constraints::Constraints;
use crate::dispatch::Twin;
use crate::error::{Error, ErrorKind};
use crate::model::{FrameId, Model, Tree};
use crate::scalar::Real;
use crate::spatial::{Force, Transform, Vec3};
use alloc::format;

/// A model with its surroundings for one call: gravity, external forces, and the joint effects that are active.
///
/// Every dynamics function takes `impl Into<Scene>`: pass `&model` for the model as it is, or override for this call:
///
/// ```
/// # use dtau::{model::{generate, Model, Options}, rnea, Workspace};
/// # let model = Model::build(&generate::chain(2), &Options::default())?;
/// # let mut ws = Workspace::new(&model);
/// # let (q, v, a, mut tau) = ([0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]);
/// rnea(&model, &mut ws, &q, &v, &a, &mut tau)?;
/// rnea(model.scene().gravity([0.0, 0.0, -1.62]), &mut ws, &q, &v, &a, &mut tau)?; // on the moon
/// # Ok::<(), dtau::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scene<'a, T> {
    /// The robot.
    pub model: &'a Model,
    /// Gravity in world coordinates \[m/s²\].
    pub gravity: Vec3<f64>,
    /// The external forces.
    pub wrenches: &'a [Wrench<T>],
    /// Force and torque of every wrench, state by state, replacing those in `wrenches`; see
    /// [`forces`](Self::forces).
    pub forces: Option<&'a [T]>,
    /// The constraints, for functions that act on some; see [`constraints`](Self::constraints).
    pub constraints: Option<&'a Constraints>,
    /// Activity of the constraints, state by state; see [`active`](Self::active).
    pub active: Option<&'a [T]>,
    /// Desired motion along the constraints, state by state; see [`desired`](Self::desired).
    pub desired: Option<&'a [T]>,
    /// True if the joints' viscous damping acts.
    pub damping: bool,
    /// True if the joints' Coulomb friction acts.
    pub friction: bool,
    /// True if the joints' rotor inertias act.
    pub armature: bool,
    /// True if the joints' springs act.
    pub springs: bool,
}

impl<'a, T> From<&'a Model> for Scene<'a, T> {
    fn from(model: &'a Model) -> Self {
        let gravity = model.gravity().into();
        Self {
            model,
            gravity,
            wrenches: &[],
            forces: None,
            constraints: None,
            active: None,
            desired: None,
            damping: true,
            friction: true,
            armature: true,
            springs: true,
        }
    }
}

impl<'a, T> Scene<'a, T> {
    /// Sets gravity, in world coordinates \[m/s²\].
    pub fn gravity(mut self, gravity: [f64; 3]) -> Self {
        self.gravity = gravity.into();
        self
    }

    /// Sets the external forces.
    pub fn wrenches(mut self, wrenches: &'a [Wrench<T>]) -> Self {
        (self.wrenches, self.forces) = (wrenches, None);
        self
    }

    /// Sets forces of the scene's wrenches state by state: states × wrenches × 6, forces first. The wrenches
    /// keep their frames, axes and points.
    ///
    /// ```
    /// # use dtau::{Batch, model::{generate, Model, Options}, rnea, Wrench};
    /// # let model = Model::build(&generate::chain(2), &Options::default())?;
    /// # let mut batch = Batch::new(&model);
    /// # let (q, v, a, mut tau) = ([0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]);
    /// let push = [Wrench::local(model.frame("link_2")?, [0.0; 3], [0.0; 3])]; // where; how much is below
    /// let forces = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, /* second state: */ 2.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    /// rnea(model.scene().wrenches(&push).forces(&forces), &mut batch, &q, &v, &a, &mut tau)?;
    /// # Ok::<(), dtau::Error>(())
    /// ```
    pub fn forces(mut self, forces: &'a [T]) -> Self {
        self.forces = Some(forces);
        self
    }

    /// Sets constraints, for a function that acts on some. Functions that take them as an argument, such as
    /// [`constrained_fd`](crate::constrained_fd()), do this themselves. It is for calls by name,
    /// [`Function::call`](crate::Function::call).
    pub fn constraints(mut self, constraints: &'a Constraints) -> Self {
        self.constraints = Some(constraints);
        self
    }

    /// Sets which constraints are active: states × constraints, a positive number for an active one. An
    /// inactive constraint has no force and no effect, as if it were not in the set.
    pub fn active(mut self, active: &'a [T]) -> Self {
        self.active = Some(active);
        self
    }

    /// Sets the desired motion along the rows of the constraints: states × 3 × rows; for each state the
    /// positions, then the velocities, then the accelerations. Without it, all are zero: the constraints hold
    /// still.
    pub fn desired(mut self, desired: &'a [T]) -> Self {
        self.desired = Some(desired);
        self
    }

    /// Switches the joints' viscous damping on or off.
    pub fn damping(mut self, on: bool) -> Self {
        self.damping = on;
        self
    }

    /// Switches the joints' Coulomb friction on or off.
    pub fn friction(mut self, on: bool) -> Self {
        self.friction = on;
        self
    }

    /// Switches the joints' rotor inertias on or off.
    pub fn armature(mut self, on: bool) -> Self {
        self.armature = on;
        self
    }

    /// Switches the joints' springs on or off.
    pub fn springs(mut self, on: bool) -> Self {
        self.springs = on;
        self
    }

    /// Checks that wrenches and constraints belong to the model.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.wrenches.is_empty() && self.constraints.is_none() { Ok(()) } else { self.check_each() }
    }

    fn check_each(&self) -> Result<(), Error> {
        self.check_wrenches()?;
        self.constraints.map_or(Ok(()), |constraints| constraints.check(self.model))
    }

    /// Number of rows of its constraints.
    #[inline]
    pub(crate) fn rows(&self) -> usize {
        self.constraints.map_or(0, Constraints::rows)
    }

    fn check_wrenches(&self) -> Result<(), Error> {
        let count = self.model.frames().len();
        match self.wrenches.iter().find(|w| w.frame.0 >= count) {
            None => Ok(()),
            Some(w) => Err(Error::new(
                ErrorKind::UnknownName,
                format!("a wrench acts on frame {} of another model; this one has {count}", w.frame.0),
            )),
        }
    }
}

impl<'a, T: Real> Scene<'a, T> {
    /// Views the scene in a twin scalar.
    #[inline(always)]
    pub(crate) fn recast<N: Twin<T>>(&self) -> &Scene<'a, N> {
        N::scene(self)
    }

    /// One if a constraint is active, zero if not.
    #[inline(always)]
    pub(crate) fn is_active(&self, constraint: usize) -> T {
        match self.active {
            None => T::one(),
            Some(active) => T::select(T::zero().lt(active[constraint]), T::one(), T::zero()),
        }
    }

    /// The wrenches of one state.
    #[inline(always)]
    pub(crate) fn each_wrench(&self) -> impl Iterator<Item = Wrench<T>> + use<'a, T> {
        let forces = self.forces;
        self.wrenches.iter().enumerate().map(move |(i, wrench)| match forces {
            None => *wrench,
            Some(forces) => {
                let six = &forces[6 * i..][..6];
                Wrench { force: [six[0], six[1], six[2]], torque: [six[3], six[4], six[5]], ..*wrench }
            }
        })
    }
}

/// An external force and torque on a frame of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Wrench<T> {
    /// The frame, and so the body, on which it acts.
    pub frame: FrameId,
    /// The axes in which `force` and `torque` are given.
    pub axes: Axes,
    /// The point the force acts at, about which `torque` is taken.
    pub at: Point<T>,
    /// Force \[N\].
    pub force: [T; 3],
    /// Torque \[N m\].
    pub torque: [T; 3],
}

/// Axes in which a wrench is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Axes {
    /// The axes of its frame: the wrench rotates with the body.
    Frame,
    /// The axes of the world.
    World,
}

/// The point at which a wrench acts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub enum Point<T> {
    /// The frame's origin.
    Origin,
    /// A point of the body, in the frame's coordinates.
    InFrame([T; 3]),
    /// A point of space, in world coordinates.
    InWorld([T; 3]),
}

impl<T: Real> Wrench<T> {
    /// A wrench at a frame's origin, in the frame's axes: it moves with the body.
    pub fn local(frame: FrameId, force: [T; 3], torque: [T; 3]) -> Self {
        Self { frame, axes: Axes::Frame, at: Point::Origin, force, torque }
    }

    /// A wrench at a frame's origin, in the world's axes.
    pub fn local_world_aligned(frame: FrameId, force: [T; 3], torque: [T; 3]) -> Self {
        Self { frame, axes: Axes::World, at: Point::Origin, force, torque }
    }

    /// A wrench in the world's axes, with the torque about the world's origin.
    pub fn world(frame: FrameId, force: [T; 3], torque: [T; 3]) -> Self {
        Self { frame, axes: Axes::World, at: Point::InWorld([T::zero(); 3]), force, torque }
    }

    /// True if its axes and point are fixed to its body.
    #[inline(always)]
    pub(crate) fn moves_with_body(&self) -> bool {
        self.axes == Axes::Frame && !matches!(self.at, Point::InWorld(_))
    }

    /// The wrench as a force vector in ground coordinates. `X` is the placement of the frame and `world` that
    /// of the world.
    #[inline(always)]
    pub(crate) fn in_ground(&self, world: &Transform<T>, X: &Transform<T>) -> Force<T> {
        let (f, n) = (Vec3::from(self.force), Vec3::from(self.torque));
        let (f, n) = match self.axes {
            Axes::Frame => (X.rot * f, X.rot * n),
            Axes::World => (f, n),
        };
        Force::new(f, self.point(world, X).cross_add(f, n))
    }

    /// Its point of application in ground coordinates. `X` is the placement of the frame and `world` that of
    /// the world.
    #[inline(always)]
    pub(crate) fn point(&self, world: &Transform<T>, X: &Transform<T>) -> Vec3<T> {
        match self.at {
            Point::Origin => X.pos,
            Point::InFrame(point) => X.act_point(point.into()),
            Point::InWorld(point) => world.act_point(point.into()),
        }
    }
}

/// Torques of the joints themselves, in addition to the inertia of the bodies.
///
/// ```text
/// τ += armature q̈ + damping q̇ + friction q̇ / √(q̇² + v_s²) + stiffness (q − rest)
/// ```
///
/// Coulomb friction is smoothed at the speed `v_s` of the model's options, so that it is differentiable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointEffects {
    armature: bool,
    damping: bool,
    friction: bool,
    springs: bool,
    friction_speed: f64,
}

impl JointEffects {
    pub(crate) fn of<T>(scene: &Scene<'_, T>) -> Self {
        let tree = scene.model.tree();
        Self {
            armature: scene.armature && tree.has_armature,
            damping: scene.damping && tree.has_damping,
            friction: scene.friction && tree.has_friction,
            springs: scene.springs && tree.has_springs,
            friction_speed: scene.model.options().friction_speed,
        }
    }

    /// Adds `armature a + …` to `τ` for all degrees of freedom.
    #[inline(always)]
    pub(crate) fn add_torques<T: Real>(&self, tree: &Tree, q: &[T], v: &[T], a: &[T], tau: &mut [T]) {
        if self.armature {
            for (k, dof) in tree.dofs.iter().enumerate() {
                tau[k] = T::from_f64(dof.armature).mul_add(a[k], tau[k]);
            }
        }
        self.add_resistance(tree, q, v, tau);
    }

    /// Adds the part that resists velocity and displacement: `τ += damping v + friction … + stiffness (q −
    /// rest)`.
    #[inline(always)]
    pub(crate) fn add_resistance<T: Real>(&self, tree: &Tree, q: &[T], v: &[T], tau: &mut [T]) {
        if self.damping {
            for (k, dof) in tree.dofs.iter().enumerate() {
                tau[k] = T::from_f64(dof.damping).mul_add(v[k], tau[k]);
            }
        }
        if self.friction {
            let floor = T::from_f64(self.friction_speed * self.friction_speed);
            for (k, dof) in tree.dofs.iter().enumerate() {
                let speed = v[k].mul_add(v[k], floor).sqrt();
                tau[k] = T::from_f64(dof.friction).mul_add(v[k] / speed, tau[k]);
            }
        }
        if self.springs {
            for (k, dof) in tree.dofs.iter().enumerate() {
                // Joints with a spring have one coordinate.
                let stretch = q[tree.bodies[dof.body].q.start] - T::from_f64(dof.rest);
                tau[k] = T::from_f64(dof.stiffness).mul_add(stretch, tau[k]);
            }
        }
    }

    /// Computes `τ` minus the resistance to velocity and displacement.
    #[inline(always)]
    pub(crate) fn net_torques<T: Real>(&self, tree: &Tree, q: &[T], v: &[T], tau: &[T], net: &mut [T]) {
        if !(self.resist() || self.springs) {
            return net.copy_from_slice(tau);
        }
        net.fill(T::zero());
        self.add_resistance(tree, q, v, net);
        for (net, &tau) in net.iter_mut().zip(tau) {
            *net = tau - *net;
        }
    }

    /// True if damping or friction acts.
    #[inline(always)]
    pub(crate) fn resist(&self) -> bool {
        self.damping || self.friction
    }

    /// `∂τₖ/∂q̇ₖ` of damping and friction.
    #[inline(always)]
    pub(crate) fn resistance_slope<T: Real>(&self, tree: &Tree, k: usize, v: T) -> T {
        let mut slope = T::zero();
        if self.damping {
            slope += T::from_f64(tree.dofs[k].damping);
        }
        if self.friction {
            // d/dv v (v² + s)^(−1/2) = s (v² + s)^(−3/2)
            let floor = T::from_f64(self.friction_speed * self.friction_speed);
            let square = v.mul_add(v, floor);
            slope += T::from_f64(tree.dofs[k].friction) * floor / (square * square.sqrt());
        }
        slope
    }

    /// `∂τₖ/∂qₖ` of the springs.
    #[inline(always)]
    pub(crate) fn stiffness<T: Real>(&self, tree: &Tree, k: usize) -> T {
        if self.springs { T::from_f64(tree.dofs[k].stiffness) } else { T::zero() }
    }

    /// True if springs act.
    #[inline(always)]
    pub(crate) fn pull(&self) -> bool {
        self.springs
    }

    /// Adds the stiffness of springs to the diagonal of ∂τ/∂q.
    #[inline(always)]
    pub(crate) fn add_stiffness<T: Real>(&self, tree: &Tree, dq: &mut [T]) {
        let nv = tree.dofs.len();
        if self.springs {
            for k in 0..nv {
                dq[k * nv + k] += self.stiffness(tree, k);
            }
        }
    }

    /// Adds the rotor inertias to the diagonal of M.
    #[inline(always)]
    pub(crate) fn add_armature<T: Real>(&self, tree: &Tree, m: &mut [T]) {
        let nv = tree.dofs.len();
        if self.armature {
            for k in 0..nv {
                m[k * nv + k] += self.armature(tree, k);
            }
        }
    }

    /// Adds the derivatives of damping and friction to the diagonal.
    #[inline(always)]
    pub(crate) fn add_resistance_slopes<T: Real>(&self, tree: &Tree, v: &[T], dv: &mut [T]) {
        let nv = tree.dofs.len();
        if self.resist() {
            for k in 0..nv {
                dv[k * nv + k] += self.resistance_slope(tree, k, v[k]);
            }
        }
    }

    /// Adds the joint effects to the gradient of `wᵀ τ` with respect to q, q̇ and q̈.
    #[inline(always)]
    pub(crate) fn add_to_gradient<T: Real>(&self, tree: &Tree, v: &[T], w: &[T], [dq, dv, da]: [&mut [T]; 3]) {
        for k in 0..tree.dofs.len() {
            if self.springs {
                dq[k] = self.stiffness::<T>(tree, k).mul_add(w[k], dq[k]);
            }
            if self.resist() {
                dv[k] = self.resistance_slope::<T>(tree, k, v[k]).mul_add(w[k], dv[k]);
            }
            if self.armature {
                da[k] = self.armature::<T>(tree, k).mul_add(w[k], da[k]);
            }
        }
    }

    /// Adds the second derivatives of `wᵀ τ` with respect to q̇ to the diagonal; only friction has any.
    #[inline(always)]
    pub(crate) fn add_resistance_curvatures<T: Real>(&self, tree: &Tree, v: &[T], w: &[T], vv: &mut [T]) {
        let nv = tree.dofs.len();
        if self.friction {
            for k in 0..nv {
                vv[k * nv + k] = self.friction_curvature::<T>(tree, k, v[k]).mul_add(w[k], vv[k * nv + k]);
            }
        }
    }

    /// `∂²τₖ/∂q̇ₖ²` of friction; that of damping is zero.
    #[inline(always)]
    pub(crate) fn friction_curvature<T: Real>(&self, tree: &Tree, k: usize, v: T) -> T {
        if !self.friction {
            return T::zero();
        }
        // d/dv s (v² + s)^(−3/2) = −3 s v (v² + s)^(−5/2)
        let floor = T::from_f64(self.friction_speed * self.friction_speed);
        let square = v.mul_add(v, floor);
        // Use the robot's number itself: generated code keeps it in a table.
        T::from_f64(-3.0) * T::from_f64(tree.dofs[k].friction) * floor * v / (square * square * square.sqrt())
    }

    /// The rotor inertia of a degree of freedom; zero if it does not act.
    #[inline(always)]
    pub(crate) fn armature<T: Real>(&self, tree: &Tree, k: usize) -> T {
        T::from_f64(if self.armature { tree.dofs[k].armature } else { 0.0 })
    }
}
