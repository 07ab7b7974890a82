//! `<link>`.

use super::element::{Element, read_origin};
use super::note_strange;
use super::notes::Notes;
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

/// The link, if it has a name. What is wrong with it goes to the notes.
pub(super) fn read(link: Element, notes: &mut Notes) -> Option<Link> {
    let Some(name) = notes.faults.keep(link.required("name", "forearm")) else {
        notes.has_gaps = true;
        return None;
    };
    let owner = format!("link {name:?}");
    let link = link.owned_by(&owner);
    note_strange(link, &["inertial"], &KNOWN, notes);
    let inertial = notes.faults.keep(link.child("inertial")).flatten();
    let inertial = inertial.and_then(|element| read_inertial(element, notes));
    Some(Link { name: name.into(), inertial, line: link.line() })
}

/// The centre of mass is the origin of `<inertial>`, and `<inertia>` is in the axes of that origin.
fn read_inertial(inertial: Element, notes: &mut Notes) -> Option<Inertial> {
    note_strange(inertial, &["origin", "mass", "inertia"], &[], notes);
    let faults = &mut notes.faults;
    let origin = faults.keep(read_origin(inertial));
    let mass = inertial.required_child("mass", r#"<mass value="1.5"/>"#);
    let mass = faults.keep(mass.and_then(|mass| mass.required_number("value", "1.5")));
    let inertia = r#"<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>"#;
    let inertia = faults.keep(inertial.required_child("inertia", inertia))?;
    let entries = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
    let [xx, xy, xz, yy, yz, zz] = entries.map(|name| faults.keep(inertia.required_number(name, "0")));
    let (origin, moments) = (origin?, Sym3 { xx: xx?, xy: xy?, xz: xz?, yy: yy?, yz: yz?, zz: zz? });
    Some(Inertial { mass: mass?, com: origin.pos, about_com: moments.rotate(&origin.rot) })
}
