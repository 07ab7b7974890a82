//! Payloads: a function of the generated code that adds a payload to a table. Rust version of
//! [`Module::add_payload`](crate::Module::add_payload).

use super::File;
use crate::emit::identifier;
use crate::table::{INERTIAL, Slot};
use std::collections::HashSet;
use std::fmt::Write;

impl File<'_> {
    /// Writes the links, the places of their bodies' numbers, and the function.
    pub(super) fn payload(&self, out: &mut String) {
        let module = self.module;
        let carriers = module.carriers();
        if !self.has_table() || carriers.is_empty() {
            return;
        }
        let mut taken = HashSet::new();
        let names: Vec<String> = (carriers.iter().enumerate())
            .map(|(k, carrier)| {
                let name = variant(&carrier.link);
                let name = if taken.contains(&name) { format!("{name}_{k}") } else { name };
                taken.insert(name.clone());
                name
            })
            .collect();
        out.push_str(
            "/// Links that may carry a payload.\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum Link {\n",
        );
        for (name, carrier) in names.iter().zip(&carriers) {
            let plain: String = carrier.link.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let _ = writeln!(out, "    /// {plain:?}\n    {name},");
        }
        out.push_str("}\n\nimpl Link {\n    /// The links by their names.\n    pub const ALL: &'static [(&'static str, Link)] = &[\n");
        for (name, carrier) in names.iter().zip(&carriers) {
            let _ = writeln!(out, "        ({:?}, Link::{name}),", carrier.link);
        }
        out.push_str("    ];\n}\n\n");
        out.push_str(include_str!("text/payload.rs"));
        let bodies = module.model.tree().bodies.len();
        let _ = writeln!(
            out,
            "\n/// Mass, first moment, inertia, centre of mass, inertia about it; the first is the world.\n\
             static SLOTS: [[Slot; {INERTIAL}]; {bodies}] = [\n    [C(0.0); {INERTIAL}],"
        );
        for body in 1..bodies {
            let slots = module.inertial_slots(body).map(|slot| match slot {
                Slot::Table(k) => format!("T({k})"),
                Slot::Code(x) => format!("C({x:?})"),
            });
            let _ = writeln!(out, "    [{}],", slots.join(", "));
        }
        let _ = writeln!(
            out,
            "];\n\n/// Which body carries a link; where: rotation by columns, position.\n\
             static CARRIERS: [(usize, [f64; 12]); {}] = [",
            carriers.len()
        );
        for carrier in &carriers {
            let (body, x) = carrier.body.unwrap_or((0, dtau::spatial::Transform::identity()));
            let columns = x.rot.cols.iter().flat_map(|column| column.to_array()).chain(x.pos.to_array());
            let columns: Vec<String> = columns.map(|x| format!("{x:?}")).collect();
            let _ = writeln!(out, "    ({body}, [{}]),", columns.join(", "));
        }
        out.push_str("];\n\n");
    }
}

/// Converts a link's name to a variant's name.
fn variant(link: &str) -> String {
    let words = identifier(link);
    let words = words.split('_').filter(|word| !word.is_empty());
    let name: String = words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        })
        .collect();
    match name.as_str() {
        "" => "Nameless".into(),
        "Self" => "Self_".into(),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => format!("L{name}"),
        _ => name,
    }
}
