//! Inverse of the mass matrix, without the mass matrix.
//!
//! Ground coordinates throughout. Column `j` of M⁻¹ is the acceleration of the tree at rest under a unit
//! torque at degree of freedom `j`. A joint of several degrees of freedom is a chain of single ones. `p` is
//! the previous degree of freedom towards the root.
//!
//! ```text
//! outward   X, S, I of each body                                                          (1)
//! inward    U = Iᴬ S      D = Sᵀ U + armature      Iᴬₚ += Iᴬ − U Uᵀ/D                     (2)
//!           yᵢⱼ = Sᵢᵀ fⱼ − δᵢⱼ                   fⱼ ← fⱼ − Uᵢ yᵢⱼ/Dᵢ      j in subtree i  (3)
//! outward   M⁻¹ᵢⱼ = −(yᵢⱼ + Uᵢᵀ aₚⱼ)/Dᵢ           aᵢⱼ = aₚⱼ + Sᵢ M⁻¹ᵢⱼ     j ≥ i           (4)
//! mirror    M⁻¹ⱼᵢ = M⁻¹ᵢⱼ                                                  j > i           (5)
//! ```
//!
//! `fⱼ` is the force that the torque at `j` sends towards the root. Subtrees are disjoint, so one `f` for
//! each `j` is enough for the whole tree. `aᵢⱼ` is the acceleration of `i`. Only `j ≥ i` is computed; outside
//! the limb of `i` it is zero. Source: [Carpentier18], which uses local coordinates and a 6 × n matrix of `f`
//! per body.

use super::{exact, ltdl};
use crate::dispatch::{Register, step};
use crate::door::Size::{Nq, Symmetric};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare};
use crate::engines::{Memory, Scratch};
use crate::linalg::six::{self, Block};
use crate::linalg::transpose;
use crate::model::{Model, Tree};
use crate::scalar::{Real, Wide};
use crate::scene::{JointEffects, Scene};
use crate::sweeps::articulate::{self, DofState};
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;

declare! {
    /// The inverse of the mass matrix, `M(q)⁻¹`, with the joints' armature unless the scene switches it off.
    ///
    /// - `q` (nq); `minv` (nv × nv, by columns), both triangles, exactly symmetric; O(N²).
    /// - With mimicking joints the mass matrix is factorised instead, see [`aba`](crate::aba()).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After
    /// an error the contents of `minv` are undefined.
    fn minverse(q: Nq) -> (slice minv: Symmetric) by Minverse, under &[Surrounding::Armature]
}

impl Algorithm<1, 1> for Minverse {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [minv]: To<T, 1>) -> Done {
        articulate(scene, s, q)?;
        inverse_mass(scene.model.tree(), s, minv.entries);
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.minverse.make_room(model.tree());
        s.ltdl.make_room(model);
    }

    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q]: In<T, 1>,
        [minv]: To<T, 1>,
    ) -> Done {
        ltdl::factor_of(scene, memory, q)?;
        memory.scratch.ltdl.inverse(scene.model.elimination(), minv.entries);
        Ok(())
    }
}

/// (1) and (2): leaves the articulated inertias of a tree without mimicking joints in the scratch. Shared by
/// several functions.
#[inline(always)]
pub(crate) fn articulate<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T]) -> Done {
    let tree = scene.model.tree();
    if scene.model.options().exact {
        return step!(s.proof, || {
            s.bodies.place(tree, s.turns.update(tree, q), q);
            exact::articulate(scene, s, q)
        });
    }
    step!(s.proof, || {
        s.bodies.place(tree, s.turns.update(tree, q), q);
        s.bodies.weigh(tree);
        articulate::inward(tree, &JointEffects::of(scene), &s.bodies, None, &mut s.articulated)
    })
}

/// Computes M⁻¹ from the articulated tree in the scratch. Shared by several functions.
#[inline(always)]
pub(crate) fn inverse_mass<T: Real>(tree: &Tree, s: &mut Scratch<T>, minv: &mut [T]) {
    step!(s.proof, || invert(tree, &s.articulated.dofs, &mut s.minverse, minv));
}

/// (3) to (5): M⁻¹ from (2).
#[inline(always)]
pub(crate) fn invert<T: Real>(tree: &Tree, dofs: &[DofState<T>], scratch: &mut Room<T>, minv: &mut [T]) {
    forces(tree, dofs, &mut scratch.f, minv);
    accelerations(tree, dofs, &mut scratch.a, minv);
    transpose::mirror(tree.dofs.len(), minv); // (5)
}

/// Workspace of this algorithm: O(N), plus O(N) for every fork on a path, once it is needed.
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// fⱼ
    f: Vec<Block<Register<T>>>,
    /// aᵢⱼ by j, for the current body `i` and for its ancestors with remaining children. See [`Body::forks`].
    ///
    /// [`Body::forks`]: crate::model::Body
    a: Vec<Block<Register<T>>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { f: vec![[Register::<T>::zero(); 6]; six::count::<T>(tree.dofs.len())], a: Vec::new() }
    }

    /// Allocates `a`, which is O(N) for every level.
    pub(crate) fn make_room(&mut self, tree: &Tree) {
        if self.a.is_empty() {
            let levels = 1 + tree.bodies.iter().map(|body| body.forks).max().unwrap_or(0);
            self.a = vec![[Register::<T>::zero(); 6]; levels * self.f.len()];
        }
    }
}

/// (3), with yᵢⱼ at row `j` of column `i`. A register holds several columns of M⁻¹.
#[inline(always)]
fn forces<T: Real>(tree: &Tree, dofs: &[DofState<T>], f: &mut [Block<Register<T>>], minv: &mut [T]) {
    let (nv, width) = (dofs.len(), width::<T>());
    for i in (0..nv).rev() {
        let U_D = dofs[i].U_D.to_array();
        let (S_all, U_D_all) = (six::all(dofs[i].S.to_array()), six::all(U_D));
        let column = &mut minv[i * nv..][..nv];
        let below = tree.paths.below(i);
        // The first block may hold j ≤ i. Those lanes get invalid values here and are overwritten later.
        let (first, last) = (below.start / width, below.end / width);
        if first < last {
            for (f_j, y_j) in f[first..last].iter_mut().zip(column[first * width..].chunks_exact_mut(width)) {
                let y = six::dot(f_j, &S_all);
                y.store(y_j);
                six::sub_outer(f_j, &U_D_all, y);
            }
        }
        let rest = below.end % width;
        if rest > 0 {
            let f_j = &mut f[last];
            let bits = (1 << rest) - 1; // the other lanes belong to other subtrees
            let y = Register::<T>::pick(bits, six::dot(f_j, &S_all), Register::<T>::zero());
            y.store(&mut column[last * width..below.end]);
            six::sub_outer(f_j, &U_D_all, y);
        }
        column[i] = -T::one();
        six::put::<T>(f, i, U_D);
    }
}

/// (4), with the same layout. Bodies with later siblings work on a copy of their parent's accelerations.
#[inline(always)]
fn accelerations<T: Real>(tree: &Tree, dofs: &[DofState<T>], a: &mut [Block<Register<T>>], minv: &mut [T]) {
    let (nv, width) = (dofs.len(), width::<T>());
    let level = six::count::<T>(nv);
    let mut branch_end = 0;
    for (i, body) in tree.outward() {
        let (from, to) = (tree.bodies[body.parent].forks * level, body.forks * level);
        if body.parent == 0 {
            branch_end = body.dofs_end;
            a[from..from + level].fill([Register::<T>::zero(); 6]); // the world is at rest
        }
        // The acceleration of a leaf is not used.
        let is_leaf = body.bodies_end == i + 1;
        let a = if is_leaf && body.v.len() == 1 {
            &mut a[from..from + level]
        } else {
            if to > from {
                let (first, end) = (body.v.start / width, branch_end.div_ceil(width));
                a.copy_within(from + first..from + end, to + first);
            }
            &mut a[to..to + level]
        };
        for k in body.v.clone() {
            let column = &mut minv[k * nv..][..nv];
            column[body.dofs_end..].fill(T::zero());
            if is_leaf && k + 1 == body.v.end {
                respond::<T, false>(&dofs[k], k, branch_end, a, column);
            } else {
                respond::<T, true>(&dofs[k], k, branch_end, a, column);
            }
        }
    }
}

/// (4) for one degree of freedom, `j` from `k` to `end`.
#[inline(always)]
fn respond<T: Real, const MOVES_OTHERS: bool>(
    dof: &DofState<T>,
    k: usize,
    end: usize,
    a: &mut [Block<Register<T>>],
    column: &mut [T],
) {
    let width = width::<T>();
    let (S, minus_U) = (six::all(dof.S.to_array()), six::all((-dof.U_D).to_array()));
    let minus_D = Register::<T>::splat(-dof.D_inv);
    let (first, last) = (k / width, end / width);
    if first < last {
        for (a_j, x_j) in a[first..last].iter_mut().zip(column[first * width..].chunks_exact_mut(width)) {
            let x = minus_D.mul_add(Register::<T>::load(x_j), six::dot(a_j, &minus_U));
            x.store(x_j);
            if MOVES_OTHERS {
                six::add_outer(a_j, &S, x);
            }
        }
    }
    if last * width < end {
        let a_j = &mut a[last];
        let column = &mut column[last * width..end];
        let x = minus_D.mul_add(Register::<T>::load_some(column), six::dot(a_j, &minus_U));
        x.store(column);
        if MOVES_OTHERS {
            six::add_outer(a_j, &S, x);
        }
    }
}
