//! Robots as URDF.

use super::joint::spelled;
use crate::error::{Error, ErrorKind};
use crate::model::Options;
use crate::model::description::{Description, Inertial, JointDescription, JointKind, Limits};
use crate::spatial::{Mat3, Transform, Vec3};
use alloc::format;
use alloc::string::String;
use core::fmt::Write;

impl Description {
    /// Writes the robot as a URDF, which reads back to the same dynamics, bit for bit.
    ///
    /// Numbers are written with all their digits. If `rpy` does not reproduce a rotation to the last bit,
    /// `matrix` is added, which dtau reads and others ignore. `armature`, `stiffness` and `rest` in
    /// `dynamics` are also extensions. Frames are written as links on fixed joints. URDF has no poses,
    /// actuators or equality constraints; they are left out.
    ///
    /// # Errors
    /// If URDF cannot represent it: a gravity other than the default, a limit on one side only, or names with
    /// characters that XML does not allow.
    pub fn to_urdf(&self) -> Result<String, Error> {
        let refuse = |what: String| Err(Error::new(ErrorKind::Unsupported, format!("URDF cannot hold it: {what}")));
        if let Some(gravity) = self.gravity.filter(|&gravity| gravity != Options::default().gravity) {
            let what = format!(
                "gravity is {gravity:?}, and URDF has none; take it out of the description and give it as an option"
            );
            return refuse(what);
        }
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
        let name = if self.name.is_empty() { "robot" } else { &self.name };
        line(&mut out, format_args!("<robot name=\"{}\">", escaped(name)?));
        for link in &self.links {
            let name = escaped(&link.name)?;
            match &link.inertial {
                None => line(&mut out, format_args!("  <link name=\"{name}\"/>")),
                Some(inertial) => {
                    line(&mut out, format_args!("  <link name=\"{name}\">"));
                    write_inertial(&mut out, inertial);
                    line(&mut out, format_args!("  </link>"));
                }
            }
        }
        for joint in &self.joints {
            write_joint(&mut out, joint)?;
        }
        for frame in &self.frames {
            let mut joint =
                JointDescription::new(&format!("{}/fixed", frame.name), JointKind::Fixed, &frame.link, &frame.name);
            joint.origin = frame.placement;
            line(&mut out, format_args!("  <link name=\"{}\"/>", escaped(&frame.name)?));
            write_joint(&mut out, &joint)?;
        }
        out.push_str("</robot>\n");
        Ok(out)
    }
}

fn line(out: &mut String, text: core::fmt::Arguments) {
    let _ = writeln!(out, "{text}"); // writing to a String cannot fail
}

/// A name in quotes. Characters that XML does not allow are an error.
fn escaped(name: &str) -> Result<String, Error> {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", c as u32)),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let message = format!("URDF cannot hold it: the name {name:?} has a character that XML does not have");
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// Shortest digits that read back as the same number.
fn vector(v: Vec3<f64>) -> String {
    format!("{:?} {:?} {:?}", v.x, v.y, v.z)
}

fn write_inertial(out: &mut String, inertial: &Inertial) {
    let Inertial { mass, com, about_com: I } = inertial;
    line(out, format_args!("    <inertial>"));
    line(out, format_args!("      <origin xyz=\"{}\"/>", vector(*com)));
    line(out, format_args!("      <mass value=\"{mass:?}\"/>"));
    let (diagonal, others) = ([I.xx, I.yy, I.zz], [I.xy, I.xz, I.yz]);
    let ([xx, yy, zz], [xy, xz, yz]) = (diagonal, others);
    line(
        out,
        format_args!(
            "      <inertia ixx=\"{xx:?}\" ixy=\"{xy:?}\" ixz=\"{xz:?}\" iyy=\"{yy:?}\" iyz=\"{yz:?}\" izz=\"{zz:?}\"/>"
        ),
    );
    line(out, format_args!("    </inertial>"));
}

fn write_joint(out: &mut String, joint: &JointDescription) -> Result<(), Error> {
    let kind = spelled(joint.kind.name());
    line(out, format_args!("  <joint name=\"{}\" type=\"{kind}\">", escaped(&joint.name)?));
    line(out, format_args!("    <parent link=\"{}\"/>", escaped(&joint.parent)?));
    line(out, format_args!("    <child link=\"{}\"/>", escaped(&joint.child)?));
    write_origin(out, &joint.origin);
    if let Some(axis) = joint.kind.axis() {
        let numbers: String = joint.kind.numbers().iter().map(|(it, x)| format!(" {}=\"{x:?}\"", it.name)).collect();
        line(out, format_args!("    <axis xyz=\"{}\"{numbers}/>", vector(axis)));
    }
    write_limits(out, joint)?;
    let effects = [
        ("damping", joint.damping),
        ("friction", joint.friction),
        ("armature", joint.armature),
        ("stiffness", joint.stiffness),
        ("rest", joint.rest),
    ];
    let effects: String =
        effects.iter().filter(|(_, x)| *x != 0.0).map(|(name, x)| format!(" {name}=\"{x:?}\"")).collect();
    if !effects.is_empty() {
        line(out, format_args!("    <dynamics{effects}/>"));
    }
    if let Some(mimic) = &joint.mimic {
        let (leader, factor, offset) = (escaped(&mimic.joint)?, mimic.multiplier, mimic.offset);
        line(out, format_args!("    <mimic joint=\"{leader}\" multiplier=\"{factor:?}\" offset=\"{offset:?}\"/>"));
    }
    line(out, format_args!("  </joint>"));
    Ok(())
}

fn write_limits(out: &mut String, joint: &JointDescription) -> Result<(), Error> {
    let Limits { lower, upper, velocity, effort } = joint.limits;
    let mut said = String::new();
    match (lower.is_finite(), upper.is_finite()) {
        (true, true) => said = format!(" lower=\"{lower:?}\" upper=\"{upper:?}\""),
        (false, false) => {}
        _ => {
            let message = format!(
                "URDF cannot hold it: joint {:?} is bounded on one side only, from {lower} to {upper}; give it both bounds",
                joint.name
            );
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
    }
    for (name, x) in [("velocity", velocity), ("effort", effort)] {
        if x.is_finite() {
            said.push_str(&format!(" {name}=\"{x:?}\""));
        }
    }
    if !said.is_empty() {
        line(out, format_args!("    <limit{said}/>"));
    }
    Ok(())
}

/// Writes the origin by `rpy`, and by its matrix if `rpy` does not give the same bits.
fn write_origin(out: &mut String, origin: &Transform<f64>) {
    if *origin == Transform::identity() {
        return;
    }
    let rpy = rpy_of(&origin.rot);
    let turned = super::element::rotation(rpy);
    let mut said = format!("xyz=\"{}\"", vector(origin.pos));
    if origin.rot != Mat3::identity() {
        said.push_str(&format!(" rpy=\"{}\"", vector(rpy)));
    }
    if turned != origin.rot {
        let rows = origin.rot.to_rows();
        let numbers: alloc::vec::Vec<String> = rows.as_flattened().iter().map(|x| format!("{x:?}")).collect();
        said.push_str(&format!(" matrix=\"{}\"", numbers.join(" ")));
    }
    line(out, format_args!("    <origin {said}/>"));
}

/// Roll, pitch, yaw of a rotation: `R = Rz(yaw) Ry(pitch) Rx(roll)`.
fn rpy_of(R: &Mat3<f64>) -> Vec3<f64> {
    let [[r00, _, _], [r10, r11, r12], [r20, r21, r22]] = R.to_rows();
    let cos = libm::hypot(r00, r10);
    let pitch = libm::atan2(-r20, cos);
    if cos > 1e-9 {
        return Vec3::new(libm::atan2(r21, r22), pitch, libm::atan2(r10, r00));
    }
    // Straight up or down: roll and yaw are about the same axis, so all is assigned to roll.
    Vec3::new(libm::atan2(-r12, r11), pitch, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::generate::random_tree;
    use crate::spatial::Quaternion;
    use alloc::string::ToString;

    /// Random robots with every kind of joint: after reading back, they compile to the same numbers.
    #[test]
    fn robots_read_back_to_the_same_bits() {
        for seed in 0..30 {
            let robot = random_tree(seed, 12);
            let text = robot.to_urdf().unwrap();
            let again = crate::urdf::parse(&text).unwrap();
            assert_eq!(again.links.len(), robot.links.len() + robot.frames.len()); // a frame is a link without inertia
            for (a, b) in robot.links.iter().zip(&again.links) {
                assert_eq!((&a.name, &a.inertial), (&b.name, &b.inertial), "seed {seed}");
            }
            for (a, b) in robot.joints.iter().zip(&again.joints) {
                let mut b = b.clone();
                // Lines are those of the text, and URDF's continuous joints have no limits.
                (b.line, b.limits) = (a.line, a.limits);
                assert_eq!(*a, b, "seed {seed}");
            }
        }
    }

    #[test]
    fn angles_of_a_rotation_give_it_back() {
        for v in [[0.3, -1.1, 0.7], [0.0, core::f64::consts::FRAC_PI_2, 0.0], [3.0, 0.1, -2.0], [0.0, 0.0, 0.0]] {
            let R = Quaternion::exp(v.into()).to_matrix();
            let again = crate::urdf::element::rotation(rpy_of(&R));
            let (a, b) = (R.to_rows(), again.to_rows());
            let far = a.as_flattened().iter().zip(b.as_flattened()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(far < 1e-8, "{v:?} {far}");
        }
    }

    #[test]
    fn what_urdf_cannot_hold_is_said() {
        let mut robot = random_tree(1, 3);
        robot.gravity = Some([0.0, 0.0, -1.62]);
        assert!(robot.to_urdf().unwrap_err().message().contains("gravity is [0.0, 0.0, -1.62]"));
        robot.gravity = None;
        robot.joints[0].limits.lower = -1.0;
        robot.joints[0].limits.upper = f64::INFINITY;
        assert!(robot.to_urdf().unwrap_err().message().contains("bounded on one side only"));
        robot.joints[0].limits = Limits::default();
        robot.name = "a\u{1}".to_string();
        assert!(robot.to_urdf().unwrap_err().message().contains("character that XML does not have"));
    }
}
