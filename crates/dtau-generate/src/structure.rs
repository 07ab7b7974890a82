//! Decides which numbers of a robot are structure, and which are in the table.
//!
//! Zeros and ones decide which operations are needed. Every other number can be in a table. Code is generated
//! for a pattern of zeros and ones. It serves every robot of the same shape and pattern: with a payload,
//! calibrated, identified.

use crate::subject::{Owned, Subject};
use dtau::Constraints;
use dtau::model::{Constant, Model, OfConstraint};
use std::collections::HashMap;

/// Rotation entries closer to 0 or ±1 than this are set to it. Files often give π/2 with eleven digits.
const SNAP_ROTATION: f64 = 1e-11;
/// Components smaller than this, relative to the largest of their vector or matrix, are set to zero. They are
/// round-off of rotations.
const SNAP_OTHERS: f64 = 1e-14;

/// Returns the model with numbers very close to 0 or ±1 set to it. Results change by the same order.
pub fn snapped(model: &Model) -> Model {
    snapped_all(model.into()).model
}

/// Returns constraints, and their model, with such numbers adjusted.
pub fn snapped_constraints(constraints: &Constraints) -> Constraints {
    snapped_all(constraints.into()).constraints.unwrap_or_else(|| constraints.clone())
}

/// Adjusts the model and its constraints.
pub(crate) fn snapped_all(of: Subject<'_>) -> Owned {
    let mut largest: HashMap<(u8, usize), f64> = HashMap::new();
    for (which, x) in of.constants() {
        let most = largest.entry(group(which)).or_default();
        *most = most.max(x.abs());
    }
    of.map_constants(|which, x| {
        if is_rotation(which) {
            let nearest = x.round();
            return if (x - nearest).abs() < SNAP_ROTATION { nearest + 0.0 } else { x };
        }
        if x.abs() <= SNAP_OTHERS * largest[&group(which)] { 0.0 } else { x }
    })
}

fn is_rotation(which: Constant) -> bool {
    use OfConstraint::{Direction, First, Second};
    matches!(which, Constant::Placement(_, 0..9) | Constant::Frame(_, 0..9))
        || matches!(which, Constant::Constraint(_, First(0..9) | Second(0..9) | Direction(_)))
}

/// Returns a key that groups the numbers of one vector or matrix.
fn group(which: Constant) -> (u8, usize) {
    match which {
        Constant::Gravity(_) => (0, 0),
        Constant::Placement(body, 0..9) => (1, body),
        Constant::Placement(body, _) => (2, body),
        Constant::Mass(body) => (3, body),
        Constant::FirstMoment(body, _) => (4, body),
        Constant::Inertia(body, _) => (5, body),
        Constant::Com(body, _) => (6, body),
        Constant::AboutCom(body, _) => (7, body),
        Constant::Joint(body, _) => (8, body),
        Constant::Armature(dof) => (9, dof),
        Constant::Damping(dof) => (10, dof),
        Constant::Friction(dof) => (11, dof),
        Constant::Frame(frame, 0..9) => (12, frame),
        Constant::Frame(frame, _) => (13, frame),
        Constant::Stiffness(dof) => (14, dof),
        Constant::Rest(dof) => (15, dof),
        Constant::Constraint(item, OfConstraint::First(_)) => (16, item),
        Constant::Constraint(item, OfConstraint::Second(_)) => (17, item),
        Constant::Constraint(item, OfConstraint::Kp) => (18, item),
        Constant::Constraint(item, OfConstraint::Kd) => (19, item),
        Constant::Constraint(item, OfConstraint::Target) => (20, item),
        Constant::Constraint(item, OfConstraint::Direction(_) | OfConstraint::Factor(_)) => (21, item),
    }
}

/// True if a number decides which operations are needed.
pub fn is_structure(x: f64) -> bool {
    x == 0.0 || x.abs() == 1.0
}

/// Returns a unique number that marks entry `index`. It is close to `x`, so comparisons have the same result.
pub(crate) fn tagged(x: f64, index: usize) -> f64 {
    const LOW: u64 = (1 << 20) - 1;
    f64::from_bits(x.to_bits() & !LOW | (index as u64 + 1) & LOW)
}

/// Returns the body if this is an inertial number of one.
pub fn is_inertial_of(which: Constant) -> Option<usize> {
    match which {
        Constant::Mass(body)
        | Constant::FirstMoment(body, _)
        | Constant::Inertia(body, _)
        | Constant::Com(body, _)
        | Constant::AboutCom(body, _) => Some(body),
        _ => None,
    }
}

/// Hash of everything that code depends on: shape, joints, and which numbers are 0 or ±1.
pub fn fingerprint(model: &Model) -> u64 {
    fingerprint_for(model.into(), &[])
}

/// Same, with all inertial numbers of some bodies in the table.
pub(crate) fn fingerprint_for(of: Subject<'_>, free: &[usize]) -> u64 {
    let model = of.model;
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |x: u64| {
        for byte in x.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    };
    for (which, x) in of.constants() {
        if matches!(which, Constant::Frame(..)) {
            continue; // frames matter only to functions of frames
        }
        let is_free = is_inertial_of(which).is_some_and(|body| free.contains(&body));
        add(if is_structure(x) && !is_free { 1 + (x + 1.0) as u64 } else { 0 });
    }
    for &body in free {
        add(body as u64);
    }
    let tree = model.tree();
    for body in &tree.bodies[1..] {
        add(body.parent as u64);
        for letter in format!("{:?}", core::mem::discriminant(&body.joint)).bytes() {
            add(letter.into());
        }
    }
    // Bodies and rows of constraints.
    for item in of.constraints.iter().flat_map(|all| all.iter()) {
        let bodies = [item.frame(), item.other()].map(|frame| Some(model.carrier(frame?)?.0));
        for letter in format!("{bodies:?}{:?}{:?}", item.axes(), item.row_names()).bytes() {
            add(letter.into());
        }
    }
    if let Some(map) = model.mimic() {
        for dof in &map.dofs {
            add(dof.index as u64);
            add(dof.multiplier.to_bits());
            add(dof.offset.to_bits());
        }
    }
    add(model.nq() as u64);
    add(model.nv() as u64);
    add(model.options().exact.into());
    add(model.options().friction_speed.to_bits());
    hash
}
