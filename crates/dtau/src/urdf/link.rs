//! `<link>`.

use super::element::{Element, read_origin};
use super::note_strange;
use super::notes::Notes;
use crate::error::Error;
use crate::model::description::{Inertial, Link};
use crate::spatial::Sym3;
use alloc::format;

/// Elements of a link without effect on the dynamics; some are from old Gazebo.
const KNOWN: [&str; 10] = [
    "visual",
    "collision",
    "collision_checking",
    "contact",
    "gravity",
    "kinematic",
    "material",
    "self_collide",
    "self_filter",
    "surface",
];

pub(super) fn read(link: Element, notes: &mut Notes) -> Result<Link, Error> {
    let name = link.required("name", "forearm")?;
    let owner = format!("link {name:?}");
    let link = link.owned_by(&owner);
    note_strange(link, &["inertial"], &KNOWN, notes)?;
    let inertial = link.child("inertial")?.map(|e| read_inertial(e, notes)).transpose()?;
    Ok(Link { name: name.into(), inertial, line: link.line() })
}

/// The centre of mass is the origin of `<inertial>`, and `<inertia>` is in the axes of that origin.
fn read_inertial(inertial: Element, notes: &mut Notes) -> Result<Inertial, Error> {
    note_strange(inertial, &["origin", "mass", "inertia"], &[], notes)?;
    let origin = read_origin(inertial)?;
    let mass = inertial.required_child("mass", r#"<mass value="1.5"/>"#)?.required_number("value", "1.5")?;
    let inertia =
        inertial.required_child("inertia", r#"<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>"#)?;
    let entry = |name| inertia.required_number(name, "0");
    let [xx, xy, xz] = [entry("ixx")?, entry("ixy")?, entry("ixz")?];
    let [yy, yz, zz] = [entry("iyy")?, entry("iyz")?, entry("izz")?];
    let about_com = Sym3 { xx, xy, xz, yy, yz, zz }.rotate(&origin.rot);
    Ok(Inertial { mass, com: origin.pos, about_com })
}
