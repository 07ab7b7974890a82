//! The joint torque regressor: inverse dynamics is linear in the inertial parameters of the links.
//!
//! A link with the axes `x, y, z` and the origin `p` moves with `v`, `a` in ground coordinates; the world
//! accelerates against gravity. `d` is the acceleration of its origin, `S` the axis of a degree of freedom
//! that moves it.
//!
//! ```text
//! π = (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz)                I about the link's origin, in its axes
//! τ = S · (I a + v ×* I v)  is linear in π; a unit of a parameter takes
//!     m         the force d at p,                      d = a + α × p + ω × (v + ω × p)       (1)
//!     m c_x     the force α × x + ω × (ω × x) at p,    and the couple x × d                  (2)
//!     I_xx      the couple α_x x + ω_x (ω × x)                                               (3)
//!     I_xy      the couple α_y x + ω_y (ω × x) + α_x y + ω_x (ω × y)
//! ```
//!
//! and similarly for the others. Source: [Atkeson86] §2, the recursion of RNEA ([RBDA] Table 5.1) with the
//! parameters factored out. The forces of several links are computed side by side, and so are several rows of
//! Y.

use crate::dispatch::{Register, best_step};
use crate::door::Size::{Nq, Nv, Parameters};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::model::{Model, Tree};
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{Force, InAllLanes, Lanewise, Motion, Transform, Vec3, lanewise};
use crate::sweeps::bodies::Placed;
use crate::sweeps::side_by_side::width;
use alloc::vec::Vec;

declare! {
    /// Joint torque regressor: the matrix `Y(q, v, a)` with `τ = Y π`, where π are the inertial parameters of
    /// the links. For identification and adaptive control.
    ///
    /// - `q` (nq), `v`, `a` (nv); `y`: nv × 10 links, by columns; O(N d), plus writing the zeros.
    /// - Ten columns for every link of the description, in its order, including links that were merged into
    ///   one body: mass, first moment `m c`, and the rotational inertia about the link's origin as xx, xy,
    ///   yy, xz, yz, zz, in the axes of the link.
    ///   [`Model::inertial_parameters`](crate::model::Model::inertial_parameters) returns the robot's own
    ///   values. Links welded to the world have zeros.
    /// - Gravity is included. External forces and joint effects (armature, damping, friction) are not: they
    ///   have other parameters.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn joint_torque_regressor(q: Nq, v: Nv, a: Nv) -> (slice y: Parameters) by Regressor, under &[Surrounding::Gravity]
}

impl Algorithm<3, 1> for Regressor {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;
    const SQUARES: usize = 1; // more than it needs

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, qd, qdd]: In<T, 3>, [y]: To<T, 1>) -> Done {
        best_step!(s.proof, || links(scene, s, [q, qd, qdd], y.entries));
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.regressor.make_room::<T>(model.tree());
    }
}

/// Y, link by link.
#[inline(always)]
fn links<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, [q, qd, qdd]: [&[T]; 3], y: &mut [T]) {
    let (model, tree) = (scene.model, scene.model.tree());
    let Scratch { turns, bodies, regressor: Room { moved, groups }, .. } = s;
    bodies.move_all::<false>(tree, turns.update(tree, q), q, qd, Some(qdd), Vec3::lift(scene.gravity));

    let nv = tree.dofs.len();
    let links = y.len() / (10 * nv).max(1);
    for first in (0..links).step_by(width::<T>()) {
        let neighbours = &model.frames()[first..links.min(first + width::<T>())]; // frames of links come first
        let mut placed = Placed::<Register<T>>::default();
        for (lane, frame) in neighbours.iter().enumerate() {
            let body: Placed<T> = bodies.placed.get(tree.bodies[frame.body_index()].slot);
            placed.set_lane(lane, Placed { X: body.X * Transform::lift(&frame.placement), ..body });
        }
        let forces = forces(&placed);
        for (lane, frame) in neighbours.iter().enumerate() {
            let moved = &moved[frame.body_index() * *groups..][..*groups];
            fill(&bodies.S.neighbours, moved, forces.lane(lane), nv, &mut y[(first + lane) * 10 * nv..]);
        }
    }
}

/// Forces for a unit of each parameter; couples for those of (3).
#[derive(Clone, Copy, Default)]
struct Forces<W> {
    m: Force<W>,
    x: Force<W>,
    y: Force<W>,
    z: Force<W>,
    xx: Vec3<W>,
    xy: Vec3<W>,
    yy: Vec3<W>,
    xz: Vec3<W>,
    yz: Vec3<W>,
    zz: Vec3<W>,
}

lanewise! { Forces { m, x, y, z, xx, xy, yy, xz, yz, zz } }

/// (1) to (3) of links side by side, about the origin of the ground.
#[inline(always)]
fn forces<W: Real>(&Placed { X, v, a }: &Placed<W>) -> Forces<W> {
    let (p, [x, y, z], w, alpha) = (X.pos, X.rot.cols, v.ang, a.ang);
    let d = w.cross_add(w.cross_add(p, v.lin), alpha.cross_add(p, a.lin)); // (1)
    let (wx, wy, wz) = (w.cross(x), w.cross(y), w.cross(z));
    let (fx, fy, fz) = // (2)
        (w.cross_add(wx, alpha.cross(x)), w.cross_add(wy, alpha.cross(y)), w.cross_add(wz, alpha.cross(z)));
    let (w, alpha) = (X.rot.tr_mul(w), X.rot.tr_mul(alpha));
    Forces {
        m: Force::new(d, p.cross(d)),
        x: Force::new(fx, p.cross_add(fx, x.cross(d))),
        y: Force::new(fy, p.cross_add(fy, y.cross(d))),
        z: Force::new(fz, p.cross_add(fz, z.cross(d))),
        xx: couple(x, wx, alpha.x, w.x), // (3)
        xy: couple(x, wx, alpha.y, w.y) + couple(y, wy, alpha.x, w.x),
        yy: couple(y, wy, alpha.y, w.y),
        xz: couple(x, wx, alpha.z, w.z) + couple(z, wz, alpha.x, w.x),
        yz: couple(y, wy, alpha.z, w.z) + couple(z, wz, alpha.y, w.y),
        zz: couple(z, wz, alpha.z, w.z),
    }
}

#[inline(always)]
fn couple<W: Real>(e: Vec3<W>, we: Vec3<W>, alpha: W, w: W) -> Vec3<W> {
    e.scale_add(alpha, we * w)
}

/// Fills the ten columns of a link, at the beginning of `y`: the torques of its forces about the axes that
/// move it, and zeros.
#[inline(always)]
fn fill<T: Real>(axes: &[Motion<Register<T>>], moved: &[u8], forces: Forces<T>, nv: usize, y: &mut [T]) {
    let f = Forces::<Register<T>>::all(forces);
    let few = 4 * moved.iter().filter(|&&bits| bits != 0).count() < moved.len();
    if few {
        y[..10 * nv].fill(T::zero()); // faster than register by register
    }
    // The last rows come first. A register that reaches past the end of its column writes zeros there; the
    // next column or link then overwrites them.
    for (k, (&bits, S)) in moved.iter().zip(axes).enumerate().rev() {
        if few && bits == 0 {
            continue;
        }
        for (column, row) in rows::<T>(bits, S, &f).into_iter().enumerate() {
            row.store(&mut y[column * nv + k * width::<T>()..]);
        }
    }
}

/// Rows of a link's columns: computed if their bits are set, else zero.
#[inline(always)]
fn rows<T: Real>(bits: u8, S: &Motion<Register<T>>, f: &Forces<Register<T>>) -> [Register<T>; 10] {
    let mut rows = [Register::<T>::zero(); 10];
    if bits == 0 {
        return rows;
    }
    rows = [
        S.dot(f.m),
        S.dot(f.x),
        S.dot(f.y),
        S.dot(f.z),
        S.ang.dot(f.xx),
        S.ang.dot(f.xy),
        S.ang.dot(f.yy),
        S.ang.dot(f.xz),
        S.ang.dot(f.yz),
        S.ang.dot(f.zz),
    ];
    if bits != u8::MAX >> (8 - width::<T>()) {
        for row in &mut rows {
            *row = Register::<T>::pick(bits, *row, Register::<T>::zero());
        }
    }
    rows
}

/// Workspace of this algorithm: O(N²) bits.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// One bit for each degree of freedom that moves a body; `groups` bytes per body.
    moved: Vec<u8>,
    groups: usize,
}

impl Room {
    /// Allocates the workspace if needed.
    pub(crate) fn make_room<T: Real>(&mut self, tree: &Tree) {
        if !self.moved.is_empty() {
            return;
        }
        self.groups = tree.dofs.len().div_ceil(width::<T>());
        self.moved = alloc::vec![0; tree.bodies.len() * self.groups];
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            for dof in tree.paths.path(body.slot).flatten() {
                self.moved[i * self.groups + dof / width::<T>()] |= 1 << (dof % width::<T>());
            }
        }
    }
}
