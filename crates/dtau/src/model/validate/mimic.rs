//! Mimicking joints: finds the independent joint that each one follows.

use super::numbers::finite;
use super::{joint_error, on_line};
use crate::error::{Error, Faults};
use crate::model::description::{Description, JointDescription, JointKind, Mimic};
use crate::model::names::{list, suggest};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The independent joint at the end of a chain of mimics: `q = multiplier · q_joint + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leader {
    /// Index of the joint, which is independent.
    pub joint: usize,
    /// Factor: the product along the chain.
    pub multiplier: f64,
    /// Added offset, composed along the chain.
    pub offset: f64,
}

/// The joints that mimicking joints follow directly.
pub(super) struct Mimics<'a> {
    /// For each joint, the joint it names, if both can take part in mimicry.
    target: Vec<Option<(usize, &'a Mimic)>>,
    /// The error of the first mimic that cannot be followed, and the number of such mimics.
    pub(super) broken: Option<(Error, usize)>,
    /// Fixed joints with a mimic, which has no effect.
    fixed: Vec<&'a str>,
}

impl Mimics<'_> {
    /// Warnings about the mimics.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.fixed.is_empty() {
            let names = list(self.fixed.iter().copied());
            warnings.push(format!("fixed joints do not move, so their <mimic> is ignored: {names}"));
        }
        if let Some((error, count)) = &self.broken {
            let more = if *count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
            warnings.push(format!("mimic joints cannot be honoured, only freed: {error}{more}"));
        }
        warnings
    }
}

/// Looks up the mimics and checks each.
pub(super) fn find<'a>(robot: &'a Description, joints: &BTreeMap<&str, usize>, faults: &mut Faults) -> Mimics<'a> {
    let mut mimics = Mimics { target: vec![None; robot.joints.len()], broken: None, fixed: Vec::new() };
    for (i, joint) in robot.joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        if joint.kind == JointKind::Fixed {
            mimics.fixed.push(&joint.name);
            continue;
        }
        if faults.keep(check_mimic(joint, mimic).map_err(|what| joint_error(joint, what))).is_none() {
            continue;
        }
        match joints.get(mimic.joint.as_str()) {
            Some(&target) if robot.joints[target].kind.nv() == 1 => mimics.target[i] = Some((target, mimic)),
            target => match &mut mimics.broken {
                Some((_, count)) => *count += 1,
                None => {
                    mimics.broken = Some((joint_error(joint, cannot_follow(robot, target.copied(), &mimic.joint)), 1))
                }
            },
        }
    }
    mimics
}

fn check_mimic(joint: &JointDescription, mimic: &Mimic) -> Result<(), String> {
    if mimic.joint == joint.name {
        return Err("it mimics itself; name another joint, or remove the mimic".into());
    }
    if joint.kind.nv() != 1 {
        let kind = joint.kind.name();
        return Err(format!("it is {kind} and cannot mimic; joints with one degree of freedom can: remove the mimic"));
    }
    finite("multiplier of its mimic", &[mimic.multiplier])?;
    finite("offset of its mimic", &[mimic.offset])
}

fn cannot_follow(robot: &Description, target: Option<usize>, name: &str) -> String {
    let Some(target) = target.map(|t| &robot.joints[t]) else {
        let hint = suggest(name, robot.joints.iter().map(|j| j.name.as_str()));
        return format!("it mimics {name:?}, but there is no such joint; {hint}");
    };
    let (line, kind) = (on_line(target.line), target.kind.name());
    format!("it mimics {name:?}{line}, which is {kind}; joints with one degree of freedom can be followed")
}

/// Composes chains of mimics, each joint once: climbs to the first joint with a known leader, then comes back
/// down.
pub(super) fn compose(robot: &Description, mimics: &Mimics) -> Result<Vec<Option<Leader>>, Error> {
    let mut leader: Vec<Option<Leader>> = vec![None; robot.joints.len()];
    let mut climbing = vec![false; robot.joints.len()];
    for start in 0..robot.joints.len() {
        let (mut joint, mut chain) = (start, Vec::<(usize, &Mimic)>::new());
        while let Some((target, mimic)) = mimics.target[joint].filter(|_| leader[joint].is_none()) {
            if climbing[joint] {
                let begin = chain.iter().position(|&(j, _)| j == joint).unwrap_or(0);
                let names = list(chain[begin..].iter().map(|&(j, _)| robot.joints[j].name.as_str()));
                return Err(joint_error(
                    &robot.joints[joint],
                    format!("the joints {names} mimic each other in a ring; one of them must move by itself"),
                ));
            }
            climbing[joint] = true;
            chain.push((joint, mimic));
            joint = target;
        }
        let mut above = leader[joint].unwrap_or(Leader { joint, multiplier: 1.0, offset: 0.0 });
        for (joint, mimic) in chain.into_iter().rev() {
            // q = m (M q₀ + O) + o
            above.multiplier *= mimic.multiplier;
            above.offset = mimic.multiplier * above.offset + mimic.offset;
            finite("multiplier of its chain of mimics", &[above.multiplier])
                .and(finite("offset of its chain of mimics", &[above.offset]))
                .map_err(|what| joint_error(&robot.joints[joint], what))?;
            leader[joint] = Some(above);
        }
    }
    Ok(leader)
}

#[cfg(test)]
mod tests {
    use super::super::example::{chain, follow, message};
    use super::super::validate;
    use super::*;
    use alloc::string::ToString;

    /// j3 = 2 j2 + 1 and j2 = −3 j1 + 5, so j3 = −6 j1 + 11.
    #[test]
    fn chains_of_mimics_are_composed() {
        let mut robot = chain(4);
        robot.joints[1].mimic = follow("j1", -3.0, 5.0);
        robot.joints[2].mimic = follow("j2", 2.0, 1.0);
        let leader = |multiplier, offset| Some(Leader { joint: 0, multiplier, offset });
        assert_eq!(validate(&robot).unwrap().mimic.unwrap(), [None, leader(-3.0, 5.0), leader(-6.0, 11.0)]);
        // The order of the file does not matter.
        robot.joints.reverse();
        let leader = |multiplier, offset| Some(Leader { joint: 2, multiplier, offset });
        assert_eq!(validate(&robot).unwrap().mimic.unwrap(), [leader(-6.0, 11.0), leader(-3.0, 5.0), None]);
    }

    #[test]
    fn mimics_that_cannot_be_are_refused() {
        assert_eq!(
            message(|robot| robot.joints[1].mimic = follow("j1", f64::NAN, 0.0)),
            r#"joint "j2": the multiplier of its mimic is NaN; every number must be finite"#
        );
        assert_eq!(
            message(|robot| {
                robot.joints[1].mimic = follow("j1", 1e200, 0.0);
                robot.joints[2].mimic = follow("j2", 1e200, 0.0);
            }),
            r#"joint "j3": the multiplier of its chain of mimics is inf; every number must be finite"#
        );
        assert_eq!(
            message(|robot| {
                robot.joints[1].kind = JointKind::FreeFlyer;
                robot.joints[1].mimic = follow("j1", 1.0, 0.0);
            }),
            r#"joint "j2": it is free-flyer and cannot mimic; joints with one degree of freedom can: remove the mimic"#
        );
        assert_eq!(
            message(|robot| robot.joints[1].mimic = follow("j2", 1.0, 0.0)),
            r#"joint "j2": it mimics itself; name another joint, or remove the mimic"#
        );
        // j1 only leads into the ring.
        assert_eq!(
            message(|robot| {
                robot.joints[0].mimic = follow("j2", 1.0, 0.0);
                robot.joints[1].mimic = follow("j3", 1.0, 0.0);
                robot.joints[2].mimic = follow("j2", 1.0, 0.0);
            }),
            r#"joint "j2": the joints "j2", "j3" mimic each other in a ring; one of them must move by itself"#
        );
    }

    /// Files with broken mimics are in use by programs that free every joint. So the tree is built, and only
    /// honouring the mimics is an error.
    #[test]
    fn mimics_that_cannot_be_followed_can_still_be_freed() {
        let mut robot = chain(4);
        robot.joints[0].mimic = follow("elbow", 1.0, 0.0);
        robot.joints[1].kind = JointKind::Spherical;
        robot.joints[2].mimic = follow("j2", 1.0, 0.0);
        let tree = validate(&robot).unwrap();
        let unknown = r#"joint "j1": it mimics "elbow", but there is no such joint; there are "j1", "j2", "j3""#;
        assert_eq!(tree.mimic.unwrap_err().to_string(), unknown);
        assert_eq!(tree.warnings, [format!("mimic joints cannot be honoured, only freed: {unknown} (and 1 more)")]);
        robot.joints[0].mimic = None;
        assert_eq!(
            validate(&robot).unwrap().mimic.unwrap_err().to_string(),
            r#"joint "j3": it mimics "j2", which is spherical; joints with one degree of freedom can be followed"#
        );
        robot.joints[2].kind = JointKind::Fixed;
        let tree = validate(&robot).unwrap();
        assert_eq!(tree.mimic.unwrap(), [None; 3]);
        assert_eq!(tree.warnings, [r#"fixed joints do not move, so their <mimic> is ignored: "j3""#]);
    }
}
