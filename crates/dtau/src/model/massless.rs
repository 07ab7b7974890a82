//! Massless bodies whose joints nothing resists: a finite force gives no finite acceleration, so we report
//! them.

use super::Tree;
use alloc::vec;
use alloc::vec::Vec;

/// For each body, true if an inertia (its own or further out) or a rotor resists its joint.
///
/// A massless body between others is fine: the bodies it carries resist. In some positions they may not, for
/// example if a joint further out turns about the same axis; forward dynamics detects that.
pub(super) fn resisted(tree: &Tree) -> Vec<bool> {
    let mut resisted = vec![false; tree.bodies.len()];
    for (i, body) in tree.bodies.iter().enumerate().rev() {
        resisted[i] |= body.inertia.mass > 0.0 || body.inertia.rot.trace() > 0.0;
        resisted[body.parent] |= resisted[i];
    }
    // A rotor resists the joint it drives, and no joint before it.
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

    /// A chain: no mass, mass, no mass, no mass with a rotor, no mass; and a massless body on the world.
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
