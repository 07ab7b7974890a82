//! Numbers: finite, and valid for the quantity they measure.

use super::{broken, joint_error};
use crate::error::Faults;
use crate::model::description::{Description, Inertial, JointDescription};
use crate::spatial::{Transform, Vec3};
use alloc::format;
use alloc::string::String;

/// Shorter axes count as zero.
const SHORTEST_AXIS: f64 = 1e-12;
/// Longer axes are a mistake, and their squares could overflow.
const LONGEST_AXIS: f64 = 1e12;
/// Heavier masses are a mistake, and would erase all digits of the others in computations \[kg\].
const HEAVIEST: f64 = 1e15;
/// Smaller values count as a mistake: their reciprocals could overflow. Rounding leaves values such as 2e-35
/// in files, far above this \[kg, kg m²\].
const LIGHTEST: f64 = 1e-60;
/// Largest distance: further than the moon \[m\].
const FURTHEST: f64 = 1e9;
/// Inertia of the heaviest mass at the furthest distance \[kg m²\].
const GREATEST_INERTIA: f64 = 1e33;
/// Largest accepted difference of RᵀR and 1.
const ORTHONORMAL: f64 = 1e-9;

/// Checks the numbers of all links and joints.
pub(super) fn check(robot: &Description, faults: &mut Faults) {
    for link in &robot.links {
        if let Some(inertial) = &link.inertial {
            let checked = check_inertial(inertial);
            faults.keep(checked.map_err(|what| broken(format!("link {:?}: {what}", link.name), link.line)));
        }
    }
    for joint in &robot.joints {
        let of_joint = |what| joint_error(joint, what);
        faults.keep(check_joint(joint).map_err(of_joint));
        faults.keep(check_limits(joint).map_err(of_joint));
    }
}

/// Refuses numbers that are not finite.
pub(super) fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(format!("the {what} is {x}; every number must be finite")),
    }
}

fn not_negative(what: &str, x: f64) -> Result<(), String> {
    finite(what, &[x])?;
    if x < 0.0 { Err(format!("the {what} is {x}; it must not be negative")) } else { Ok(()) }
}

/// Checks that numbers have a size that can be computed with; zero is valid.
fn of_size(what: &str, numbers: &[f64], [least, most]: [f64; 2], unit: &str) -> Result<(), String> {
    finite(what, numbers)?;
    let largest = numbers.iter().fold(0.0_f64, |m, x| if x.abs() > m.abs() { *x } else { m });
    if largest.abs() > most {
        return Err(format!(
            "the {what} is {} {unit}; above {most:e} {unit} it is too large to compute with",
            short(largest)
        ));
    }
    if largest != 0.0 && largest.abs() < least {
        return Err(format!("the {what} is {} {unit}; that is too small to compute with; write 0", short(largest)));
    }
    Ok(())
}

/// Formats a number without hundreds of digits.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-4..1e6).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// Checks the mass properties of a body.
pub(in crate::model) fn check_inertial(inertial: &Inertial) -> Result<(), String> {
    let Inertial { mass, com, about_com: I } = inertial;
    not_negative("mass", *mass)?;
    of_size("mass", &[*mass], [LIGHTEST, HEAVIEST], "kg")?;
    of_size("centre of mass", &com.to_array(), [0.0, FURTHEST], "m")?;
    of_size("inertia", &[I.xx, I.xy, I.xz, I.yy, I.yz, I.zz], [LIGHTEST, GREATEST_INERTIA], "kg m²")
}

/// Refuses placements that are not finite, or whose matrix is not a rotation.
pub(super) fn check_placement(what: &str, x: &Transform<f64>) -> Result<(), String> {
    let R = x.rot;
    of_size(what, &x.pos.to_array(), [0.0, FURTHEST], "m")?;
    finite(what, R.to_rows().as_flattened())?;
    let product = |i: usize, j: usize| R.cols[i].dot(R.cols[j]) - if i == j { 1.0 } else { 0.0 };
    let orthonormal = (0..3).all(|i| (0..=i).all(|j| product(i, j).abs() <= ORTHONORMAL));
    if !orthonormal || R.cols[0].cross(R.cols[1]).dot(R.cols[2]) < 0.0 {
        return Err(format!(
            "the {what} has a matrix that is not a rotation; its axes must be orthonormal and right-handed"
        ));
    }
    Ok(())
}

fn check_axis(axis: Vec3<f64>) -> Result<(), String> {
    finite("axis", &axis.to_array())?;
    // The largest component, since the norm can overflow.
    let length = axis.to_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if length <= SHORTEST_AXIS {
        return Err(r#"the axis is zero; give it a direction, such as "0 0 1""#.into());
    }
    if length > LONGEST_AXIS {
        return Err(format!("the axis is {length:e} long; give it length 1"));
    }
    Ok(())
}

fn check_joint(joint: &JointDescription) -> Result<(), String> {
    check_placement("origin", &joint.origin)?;
    joint.kind.axis().map_or(Ok(()), check_axis)?;
    for (number, x) in joint.kind.numbers() {
        of_size(number.name, &[x], [0.0, FURTHEST], number.unit)?;
    }
    not_negative("damping", joint.damping)?;
    not_negative("friction", joint.friction)?;
    not_negative("armature", joint.armature)?;
    of_size("damping", &[joint.damping], [0.0, GREATEST_INERTIA], "N m s/rad or N s/m")?;
    of_size("friction", &[joint.friction], [0.0, GREATEST_INERTIA], "N m or N")?;
    of_size("armature", &[joint.armature], [LIGHTEST, GREATEST_INERTIA], "kg m² or kg")?;
    check_spring(joint)
}

fn check_limits(joint: &JointDescription) -> Result<(), String> {
    let limits = joint.limits;
    for (what, x) in [
        ("lower limit", limits.lower),
        ("upper limit", limits.upper),
        ("velocity limit", limits.velocity),
        ("effort limit", limits.effort),
    ] {
        if x.is_nan() {
            return Err(format!("the {what} is {x}; give a number, or an infinite one for none"));
        }
    }
    if limits.lower > limits.upper {
        return Err(format!("the lower limit {} is above the upper limit {}; swap them", limits.lower, limits.upper));
    }
    Ok(())
}

/// Refuses springs of joints with several degrees of freedom.
fn check_spring(joint: &JointDescription) -> Result<(), String> {
    not_negative("stiffness", joint.stiffness)?;
    of_size("stiffness", &[joint.stiffness], [0.0, GREATEST_INERTIA], "N m/rad or N/m")?;
    of_size("rest of the spring", &[joint.rest], [0.0, FURTHEST], "rad or m")?;
    if joint.stiffness != 0.0 && joint.kind.nv() != 1 {
        let kind = joint.kind.name();
        return Err(format!("it has a spring, which only joints of one degree of freedom have, not a {kind} one"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::example::message;
    use super::*;
    use crate::model::description::{JointKind, Limits};
    use crate::spatial::Sym3;

    #[test]
    fn numbers_that_cannot_be_are_named() {
        for (change, want) in [
            (
                (|robot| robot.joints[0].damping = -1.0) as fn(&mut Description),
                r#"joint "j1": the damping is -1; it must not be negative"#,
            ),
            (
                |robot| robot.joints[0].armature = f64::NAN,
                r#"joint "j1": the armature is NaN; every number must be finite"#,
            ),
            (
                |robot| robot.joints[0].limits.lower = f64::NAN,
                r#"joint "j1": the lower limit is NaN; give a number, or an infinite one for none"#,
            ),
            (
                |robot| robot.joints[0].origin.pos.y = f64::INFINITY,
                r#"joint "j1": the origin is inf; every number must be finite"#,
            ),
            (
                |robot| robot.joints[0].origin.rot.cols[0].x = 1.001,
                r#"joint "j1": the origin has a matrix that is not a rotation; its axes must be orthonormal and right-handed"#,
            ),
            (
                |robot| robot.joints[0].origin.rot.cols[0].x = -1.0,
                r#"joint "j1": the origin has a matrix that is not a rotation; its axes must be orthonormal and right-handed"#,
            ),
            (
                |robot| robot.joints[0].limits = Limits { lower: 2.0, upper: 1.0, ..Limits::default() },
                r#"joint "j1": the lower limit 2 is above the upper limit 1; swap them"#,
            ),
            (
                |robot| robot.joints[0].kind = JointKind::Planar { normal: Vec3::zero() },
                r#"joint "j1": the axis is zero; give it a direction, such as "0 0 1""#,
            ),
            (
                |robot| robot.joints[0].kind = JointKind::Helical { axis: Vec3::new(1.0, 0.0, 0.0), pitch: f64::NAN },
                r#"joint "j1": the pitch is NaN; every number must be finite"#,
            ),
            (
                |robot| {
                    robot.links[1].inertial = Some(Inertial { mass: -2.0, com: Vec3::zero(), about_com: Sym3::zero() })
                },
                r#"link "l1": the mass is -2; it must not be negative"#,
            ),
        ] {
            assert_eq!(message(change), want);
        }
    }
}
