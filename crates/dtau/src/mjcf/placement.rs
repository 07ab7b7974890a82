//! Placements: positions, the five ways to write an orientation, and segments.

use super::defaults::{Given, numbers};
use super::settings::Compiler;
use super::tree::Element;
use crate::error::Error;
use crate::spatial::{Mat3, Quaternion, Transform, Vec3};
use alloc::format;

const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
/// Shorter directions count as zero.
const SHORTEST: f64 = 1e-14;

/// Reads `pos` and an orientation. The defaults are zero and the identity.
pub(super) fn placement(given: &Given, compiler: &Compiler) -> Result<Transform<f64>, Error> {
    Ok(Transform::new(orientation(given, compiler)?, given.vector("pos")?.unwrap_or_default()))
}

/// The orientation given by the element, or by the nearest of its classes.
fn orientation(given: &Given, compiler: &Compiler) -> Result<Mat3<f64>, Error> {
    match given.nearest(&ORIENTATIONS) {
        None => Ok(Mat3::identity()),
        Some(element) => written(element, compiler),
    }
}

/// The orientation given in one element.
fn written(element: Element, compiler: &Compiler) -> Result<Mat3<f64>, Error> {
    let mut said = ORIENTATIONS.into_iter().filter(|name| element.attribute(name).is_some());
    let (name, other) = (said.next().unwrap_or("quat"), said.next());
    if let Some(other) = other {
        return Err(element.error(format!("its orientation is given twice, by {name} and {other}; keep one")));
    }
    let mut x = [0.0; 6];
    let count = match name {
        "quat" | "axisangle" => 4,
        "xyaxes" => 6,
        _ => 3,
    };
    numbers(element, name, count, &mut x[..count])?;
    let direction = |v: Vec3<f64>| unit(v).ok_or_else(|| element.error(format!("{name}: a direction is zero")));
    Ok(match name {
        "quat" => {
            let quat = Quaternion::from_slice(&[x[1], x[2], x[3], x[0]]);
            let size = quat.norm_squared();
            if !(size > SHORTEST * SHORTEST && size.is_finite()) {
                return Err(element.error("quat is zero or too large; write w x y z of length 1"));
            }
            quat.normalised().to_matrix()
        }
        "axisangle" => {
            let axis = direction(Vec3::new(x[0], x[1], x[2]))?;
            Quaternion::exp(axis * compiler.angle(x[3])).to_matrix()
        }
        "xyaxes" => {
            let ex = direction(Vec3::new(x[0], x[1], x[2]))?;
            let y = Vec3::new(x[3], x[4], x[5]);
            let ey = direction(y - ex * ex.dot(y))?;
            Mat3::from_cols(ex, ey, ex.cross(ey))
        }
        "zaxis" => turn_z_to(direction(Vec3::new(x[0], x[1], x[2]))?),
        _ => euler(&x, compiler),
    })
}

/// Three successive rotations, about axes that rotate along (lower case) or stay fixed (upper case).
fn euler(angles: &[f64], compiler: &Compiler) -> Mat3<f64> {
    let mut turned = Quaternion::identity();
    for (&letter, &angle) in compiler.euler.iter().zip(angles) {
        let angle = compiler.angle(angle);
        let about = match letter.to_ascii_lowercase() {
            b'x' => Vec3::new(angle, 0.0, 0.0),
            b'y' => Vec3::new(0.0, angle, 0.0),
            _ => Vec3::new(0.0, 0.0, angle),
        };
        let turn = Quaternion::exp(about);
        turned = if letter.is_ascii_lowercase() { turned * turn } else { turn * turned };
    }
    turned.to_matrix()
}

/// The smallest rotation that takes z to a direction.
pub(super) fn turn_z_to(direction: Vec3<f64>) -> Mat3<f64> {
    let axis = Vec3::new(-direction.y, direction.x, 0.0); // z × direction; its length is the sine
    let sine = libm::sqrt(axis.norm_squared());
    match unit(axis) {
        Some(axis) => Quaternion::exp(axis * libm::atan2(sine, direction.z)).to_matrix(),
        None if direction.z < 0.0 => Mat3::from_rows([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]),
        None => Mat3::identity(),
    }
}

/// Normalises a direction; `None` if it is zero.
pub(super) fn unit(v: Vec3<f64>) -> Option<Vec3<f64>> {
    let length = libm::hypot(libm::hypot(v.x, v.y), v.z);
    (length > SHORTEST && length.is_finite()).then(|| v * (1.0 / length))
}

/// The frame in the middle of a segment, with z along it, and half its length. `None` if the element has no
/// `fromto`.
pub(super) fn segment(given: &Given) -> Result<Option<(Transform<f64>, f64)>, Error> {
    let mut x = [0.0; 6];
    if given.numbers("fromto", 6, &mut x)? == 0 {
        return Ok(None);
    }
    let (from, to) = (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]));
    let along = from - to;
    let Some(direction) = unit(along) else {
        return Err(given.error("fromto: its two points are one"));
    };
    let half = libm::sqrt(along.norm_squared()) / 2.0;
    Ok(Some((Transform::new(turn_z_to(direction), (from + to) * 0.5), half)))
}
