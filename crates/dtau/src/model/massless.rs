//! Bodies that nothing resists: no finite force accelerates them finitely, and better that is said than computed.

use super::Tree;
use alloc::vec;
use alloc::vec::Vec;

/// For each body, whether something resists its joint: inertia, its own or further out, or a rotor.
///
/// A body without inertia between others is fine: what it carries resists. There still are positions in which it does not,
/// such as a joint that turns about the same axis; forward dynamics notices.
pub(super) fn resisted(tree: &Tree) -> Vec<bool> {
    let mut resisted = vec![false; tree.bodies.len()];
    for (i, body) in tree.bodies.iter().enumerate().rev() {
        resisted[i] |= body.inertia.mass > 0.0 || body.inertia.rot.trace() > 0.0;
        resisted[body.parent] |= resisted[i];
    }
    // A rotor resists the joint it drives and none before it.
    for dof in tree.dofs.iter().filter(|dof| dof.armature > 0.0) {
        resisted[dof.body] = true;
    }
    resisted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joints::{Joint, Revolute};
    use crate::model::tree::GivenBody;
    use crate::spatial::{Inertia, Sym3, Vec3};

    /// A chain: nothing, mass, nothing, nothing with a rotor, nothing; and nothing on the world.
    #[test]
    fn what_is_further_out_resists_and_what_is_before_does_not() {
        let body = |parent: usize, mass: f64, armature: f64| GivenBody {
            parent,
            joint: Joint::Revolute(Revolute),
            inertia: Inertia::from_com(mass, Vec3::zero(), Sym3::zero()),
            armature,
            ..GivenBody::world()
        };
        let chain = [body(0, 0.0, 0.0), body(1, 1.0, 0.0), body(2, 0.0, 0.0), body(3, 0.0, 0.1), body(4, 0.0, 0.0)];
        let mut given = vec![GivenBody::world()];
        given.extend(chain);
        given.push(body(0, 0.0, 0.0));
        assert_eq!(resisted(&Tree::new(&given))[1..], [true, true, false, true, false, false]);
    }
}
