//! Payloads: a function of the generated code that adds a payload to a table. C version of
//! [`Module::add_payload`].

use super::document::plain;
use super::{Precision, Style, identifier, number};
use crate::module::Module;
use crate::table::{INERTIAL, Slot};
use std::collections::HashSet;
use std::fmt::Write;

pub(super) fn write(module: &Module, prefix: &str, style: &Style, source: &mut String, header: &mut String) {
    let carriers = module.carriers();
    if carriers.is_empty() {
        return;
    }
    let upper = prefix.to_uppercase();
    let _ = writeln!(header, "/* Links that may carry a payload. */\nenum {{");
    let mut names = HashSet::new();
    for (k, carrier) in carriers.iter().enumerate() {
        let mut name = identifier(&carrier.link).to_uppercase();
        if !names.insert(name.clone()) {
            name = format!("{name}_{k}");
            names.insert(name.clone());
        }
        let comma = if k + 1 < carriers.len() { "," } else { "" };
        let _ = writeln!(header, "    {upper}_LINK_{name} = {k}{comma} /* {} */", plain(&carrier.link));
    }
    header.push_str("};\n");
    header.push_str(HEADER.replace("@PREFIX@", prefix).replace("@REAL@", style.precision.real()).as_str());
    let bodies = module.model.tree().bodies.len();
    let _ = writeln!(
        source,
        "\n/* Where mass, first moment, inertia, centre of mass, inertia about it are in the table; -1: in the code. */"
    );
    let _ = writeln!(source, "static const short dtau_slots[{bodies}][{INERTIAL}] = {{\n    {{0}}, /* the world */");
    let mut in_code = String::new();
    for body in 1..bodies {
        let slots = module.inertial_slots(body);
        let of = |slot: &Slot| match slot {
            Slot::Table(k) => (k.to_string(), "0".to_string()),
            Slot::Code(x) => ("-1".into(), number(*x, Precision::F64)),
        };
        let (places, values): (Vec<_>, Vec<_>) = slots.iter().map(of).unzip();
        let _ = writeln!(source, "    {{{}}},", places.join(", "));
        let _ = writeln!(in_code, "    {{{}}},", values.join(", "));
    }
    let _ = writeln!(source, "}};\n/* Those that are in the code. */");
    let _ = writeln!(source, "static const double dtau_in_code[{bodies}][{INERTIAL}] = {{\n    {{0}},\n{in_code}}};");
    let n = carriers.len();
    let numbers = |all: &[f64]| all.iter().map(|&x| number(x, Precision::F64)).collect::<Vec<_>>().join(", ");
    let (mut carried, mut placements) = (Vec::new(), String::new());
    for carrier in &carriers {
        let (body, x) = carrier.body.map_or((0, dtau::spatial::Transform::identity()), |(body, x)| (body, x));
        let columns: Vec<f64> = x.rot.cols.iter().flat_map(|c| c.to_array()).chain(x.pos.to_array()).collect();
        carried.push(body.to_string());
        let _ = writeln!(placements, "    {{{}}},", numbers(&columns));
    }
    let _ = writeln!(source, "/* Which body carries a link; where: rotation by columns, position. */");
    let _ = writeln!(source, "static const short dtau_carrier[{n}] = {{{}}};", carried.join(", "));
    let _ = writeln!(source, "static const double dtau_placement[{n}][12] = {{\n{placements}}};\n");
    let body = include_str!("payload.c").replace("@PREFIX@", prefix).replace("@LINKS@", &n.to_string());
    source.push_str(&body);
}

const HEADER: &str = "\
/* Adds a rigid body at a link to the numbers of a table: mass, centre of mass and inertia about it (xx, xy, xz, yy, yz, zz) in
 * the link's axes. Status: 0 good; 1 no such link; 2 no body has such numbers; 3 the code was generated for zeros there
 * (generate it with --payload LINK). The table is then as it was. */
int @PREFIX@_add_payload(@REAL@ *table, int link, double mass, const double com[3], const double inertia[6]);

";
