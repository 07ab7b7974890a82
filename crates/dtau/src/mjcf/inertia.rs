//! Masses of bodies: from `<inertial>`, or from geoms and meshes as MuJoCo computes them.

use super::Files;
use super::defaults::{Defaults, Given, numbers};
use super::geom::Shape;
use super::mesh::Meshes;
use super::placement::{placement, segment};
use super::principal::principal;
use super::settings::{Compiler, FromGeoms};
use super::tree::Element;
use crate::error::Error;
use crate::model::description::{Description, Inertial};
use crate::spatial::{Mat3, Sym3, Transform, Vec3};
use alloc::format;
use alloc::vec::Vec;

const INERTIAL: [&str; 9] =
    ["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "diaginertia", "fullinertia"];
const GEOM: [&str; 36] = [
    "name",
    "class",
    "type",
    "contype",
    "conaffinity",
    "condim",
    "group",
    "priority",
    "size",
    "material",
    "rgba",
    "friction",
    "mass",
    "density",
    "shellinertia",
    "solmix",
    "solref",
    "solimp",
    "margin",
    "gap",
    "fromto",
    "pos",
    "quat",
    "axisangle",
    "xyaxes",
    "zaxis",
    "euler",
    "hfield",
    "mesh",
    "fitscale",
    "fluidshape",
    "fluidcoef",
    "user",
    "adhesion",
    "castshadow",
    "surfacevel",
];
/// Default density \[kg/m³\]: water's.
const WATER: f64 = 1000.0;

/// Collects mass properties.
pub(super) struct Masses<'a, 'b> {
    meshes: Meshes<'a, 'b>,
    /// Mass of all bodies that the compiler's total mass counts.
    sum: f64,
}

impl<'a, 'b> Masses<'a, 'b> {
    pub(super) fn new(root: Element<'a>, defaults: &'b Defaults<'a>, files: &'b mut Files<'b>) -> Result<Self, Error> {
        Ok(Self { meshes: Meshes::new(root, defaults, files)?, sum: 0.0 })
    }

    /// The inertia of a body from its `<inertial>` and `<geom>`s; `None` if it has no mass.
    pub(super) fn of_body(
        &mut self,
        body: Element<'a>,
        parts: &[(Given<'a, 'b>, Transform<f64>)],
        compiler: &Compiler,
        still: bool,
    ) -> Result<Option<Inertial>, Error> {
        let mut own = None;
        for (given, around) in parts.iter().filter(|(given, _)| given.element.tag() == "inertial") {
            if own.is_some() {
                return Err(given.error("a body has one <inertial>; remove the other"));
            }
            own = Some(read_inertial(given, around, compiler)?);
        }
        let geoms = || parts.iter().filter(|(given, _)| given.element.tag() == "geom");
        for (geom, _) in geoms() {
            geom.element.only_has(&GEOM)?;
        }
        let from_geoms = match compiler.from_geoms {
            FromGeoms::Never => false,
            FromGeoms::Always => geoms().next().is_some(),
            FromGeoms::Missing => own.is_none(),
        };
        let mut inertial = own;
        if from_geoms {
            let mut pieces = Vec::new();
            for (geom, around) in geoms() {
                pieces.extend(self.of_geom(geom, around, compiler)?);
            }
            // Massless geoms have no effect.
            inertial = combine(&pieces).or(own);
        }
        let bounded = bound(inertial, compiler);
        let Some(inertial) = bounded else { return Ok(None) };
        let numbers = [inertial.mass, inertial.com.x, inertial.com.y, inertial.com.z, inertial.about_com.trace()];
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(body.error("its mass, centre of mass or inertia is too large to compute with"));
        }
        if !(still && compiler.fuse) {
            self.sum += inertial.mass;
        }
        Ok(Some(inertial))
    }

    /// The mass properties of a geom in its body's frame; `None` if it has no mass.
    fn of_geom(
        &mut self,
        geom: &Given<'a, 'b>,
        around: &Transform<f64>,
        compiler: &Compiler,
    ) -> Result<Option<Inertial>, Error> {
        let group = geom.number("group", 0.0)?;
        if group < compiler.groups[0] || group > compiler.groups[1] {
            return Ok(None);
        }
        let mass = geom.text("mass").map(|_| geom.number("mass", 0.0)).transpose()?;
        let density = geom.number("density", WATER)?;
        if mass.unwrap_or(density) == 0.0 {
            return Ok(None);
        }
        if mass.unwrap_or(density) < 0.0 {
            return Err(geom.error("its mass or density is negative"));
        }
        let kind = geom.text("type").unwrap_or("sphere");
        let (amount, com, about, at) = match kind {
            "plane" | "hfield" => return Ok(None),
            "mesh" | "sdf" => {
                let part = self.meshes.of(geom, compiler)?;
                (part.amount, part.com, part.about, placement(geom, compiler)?)
            }
            _ if geom.text("mesh").is_some() => {
                let what = format!(
                    "its {kind} is fitted to a mesh, and its mass follows from it; give the body an <inertial>"
                );
                return Err(geom.element.unsupported(what));
            }
            _ => {
                let (shape, at) = read_shape(geom, kind, compiler)?;
                let extent = if geom.flag("shellinertia", false)? { shape.shell() } else { shape.solid() };
                let [x, y, z] = extent.moments.map(|moment| moment * extent.amount);
                (extent.amount, Vec3::zero(), Sym3::diagonal(x, y, z), at)
            }
        };
        // `about` is for density 1.
        let density = match mass {
            Some(mass) if amount > 0.0 => mass / amount,
            _ => density,
        };
        let at = *around * at;
        let about_com = scaled(&about, density).rotate(&at.rot);
        Ok(Some(Inertial { mass: density * amount, com: at.act_point(com), about_com }))
    }

    /// Scales all masses of a robot to the total mass, if the compiler gives one.
    pub(super) fn settle(&self, robot: &mut Description, compiler: &Compiler) {
        if compiler.total_mass > 0.0 && self.sum > 0.0 {
            let factor = compiler.total_mass / self.sum;
            for inertial in robot.links.iter_mut().filter_map(|link| link.inertial.as_mut()) {
                inertial.mass *= factor;
                inertial.about_com = scaled(&inertial.about_com, factor);
            }
        }
    }
}

fn scaled(I: &Sym3<f64>, by: f64) -> Sym3<f64> {
    let Sym3 { xx, xy, xz, yy, yz, zz } = *I;
    Sym3 { xx: xx * by, xy: xy * by, xz: xz * by, yy: yy * by, yz: yz * by, zz: zz * by }
}

fn read_inertial(given: &Given, around: &Transform<f64>, compiler: &Compiler) -> Result<Inertial, Error> {
    let element = given.element;
    element.only_has(&INERTIAL)?;
    for required in ["pos", "mass"] {
        if element.attribute(required).is_none() {
            return Err(element.error(format!("{required:?} is missing; add it")));
        }
    }
    let at = *around * placement(given, compiler)?;
    let (mut diagonal, mut full) = ([0.0; 3], [0.0; 6]);
    numbers(element, "diaginertia", 3, &mut diagonal)?;
    let about = if numbers(element, "fullinertia", 6, &mut full)? > 0 {
        let [xx, yy, zz, xy, xz, yz] = full;
        Sym3 { xx, xy, xz, yy, yz, zz }
    } else {
        Sym3::diagonal(diagonal[0], diagonal[1], diagonal[2])
    };
    Ok(Inertial { mass: given.number("mass", 0.0)?, com: at.pos, about_com: about.rotate(&at.rot) })
}

/// Reads a primitive and its placement.
fn read_shape(geom: &Given, kind: &str, compiler: &Compiler) -> Result<(Shape, Transform<f64>), Error> {
    let mut size = [0.0; 3];
    geom.numbers("size", 1, &mut size)?;
    let segment = match kind {
        "capsule" | "cylinder" | "box" | "ellipsoid" => segment(geom)?,
        _ => None,
    };
    let at = match segment {
        Some((at, half)) => {
            match kind {
                "capsule" | "cylinder" => size[1] = half,
                _ => size = [size[0], size[0], half],
            }
            at
        }
        None => placement(geom, compiler)?,
    };
    let (shape, needed) = match kind {
        "sphere" => (Shape::Sphere { radius: size[0] }, 1),
        "capsule" => (Shape::Capsule { radius: size[0], half: size[1] }, 2),
        "cylinder" => (Shape::Cylinder { radius: size[0], half: size[1] }, 2),
        "ellipsoid" => (Shape::Ellipsoid { half: size }, 3),
        "box" => (Shape::Box { half: size }, 3),
        other => return Err(geom.error(format!("there is no type {other:?} of geom"))),
    };
    if size[..needed].iter().any(|&x| x <= 0.0 || x > 1e9) {
        return Err(geom.error(format!("a {kind} needs {needed} positive sizes, below 1e9 m")));
    }
    Ok((shape, at))
}

/// Combines several pieces into one, about their common centre of mass.
fn combine(pieces: &[Inertial]) -> Option<Inertial> {
    let mass: f64 = pieces.iter().map(|piece| piece.mass).sum();
    if let [one] = pieces {
        return Some(*one);
    }
    if pieces.is_empty() || mass <= 0.0 {
        return None;
    }
    let moment = pieces.iter().fold(Vec3::zero(), |sum, piece| sum + piece.com * piece.mass);
    let com = moment * (1.0 / mass);
    let mut about = Mat3::zero();
    for piece in pieces {
        let d = piece.com - com;
        let square = d.norm_squared();
        let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = Mat3::outer(d, d).to_rows();
        let steiner = Sym3 { xx: square - xx, xy: -xy, xz: -xz, yy: square - yy, yz: -yz, zz: square - zz };
        about = about + piece.about_com.to_mat3() + scaled(&steiner, piece.mass).to_mat3();
    }
    Some(Inertial { mass, com, about_com: Sym3::from_lower(&about) })
}

/// Applies the compiler's lower bounds and, if it asks for that, balances moments that are not physically
/// consistent.
fn bound(inertial: Option<Inertial>, compiler: &Compiler) -> Option<Inertial> {
    let Compiler { least_mass, least_inertia, balance, .. } = *compiler;
    if least_mass <= 0.0 && least_inertia <= 0.0 && !balance {
        return inertial;
    }
    let mut inertial = inertial.unwrap_or(Inertial { mass: 0.0, com: Vec3::zero(), about_com: Sym3::zero() });
    inertial.mass = inertial.mass.max(least_mass);
    let (mut moments, axes) = principal(&inertial.about_com);
    let before = moments;
    moments = moments.map(|moment| moment.max(least_inertia));
    let [a, b, c] = moments;
    if balance && (a + b < c || a + c < b || b + c < a) {
        moments = [(a + b + c) / 3.0; 3];
    }
    if moments != before {
        inertial.about_com = Sym3::diagonal(moments[0], moments[1], moments[2]).rotate(&axes);
    }
    Some(inertial)
}
