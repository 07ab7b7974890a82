//! Names: those of the file are kept; generated ones are unique.

use super::tree::Element;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};

/// All names in use.
pub(super) struct Names {
    taken: BTreeSet<String>,
    bodies: BTreeSet<String>,
    /// Number of generated names, by kind.
    made: BTreeMap<String, usize>,
}

impl Names {
    /// Collects the names of all bodies, joints and sites of a model.
    pub(super) fn of(root: Element) -> Self {
        let mut names = Self { taken: BTreeSet::new(), bodies: BTreeSet::new(), made: BTreeMap::new() };
        names.bodies.insert(super::bodies::WORLD.into());
        let mut stack: alloc::vec::Vec<Element> = root.all("worldbody").collect();
        while let Some(element) = stack.pop() {
            if let Some(name) = element.name() {
                names.taken.insert(name.into());
                if element.tag() == "body" {
                    names.bodies.insert(name.into());
                }
            }
            stack.extend(element.children());
        }
        names
    }

    /// The name of an element, or a generated one such as `joint3`.
    pub(super) fn own_or_new(&mut self, own: Option<&str>, kind: &str) -> String {
        match own {
            Some(own) => own.into(),
            None => {
                let count = self.made.entry(kind.into()).or_insert(0);
                *count += 1;
                let name = format!("{kind}{count}");
                self.unused(&name)
            }
        }
    }

    /// An unused name: `wish` if it is free.
    pub(super) fn unused(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        while !self.taken.insert(name.clone()) {
            let count = self.made.entry(wish.into()).or_insert(1);
            *count += 1;
            name = format!("{wish}_{count}");
        }
        name
    }

    /// The name of a site: its own, unless a body has that name.
    pub(super) fn site(&mut self, own: &str) -> String {
        if self.bodies.contains(own) { self.unused(&format!("{own}/site")) } else { own.to_string() }
    }
}
