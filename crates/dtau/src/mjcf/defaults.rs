//! `<default>`: attributes by class, and elements combined with the attributes of their class.
//!
//! A class starts as a copy of its parent at that point; later additions to the parent do not reach it. So a
//! class is a chain of layers, one for each `<default>` that was read. A child is linked to the last layer
//! that its parent had.

use super::tree::Element;
use crate::error::Error;
use crate::model::names::suggest;
use crate::spatial::Vec3;
use crate::xml::{clip, read_number};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Most layers of a class; every look-up goes through them.
const DEEPEST: usize = 256;
/// Most elements of a `<default>`, one of each kind; there are about thirty kinds.
const MOST_ELEMENTS: usize = 256;
/// Tags of actuators. In a class they all set the same actuator defaults.
pub(super) const ACTUATORS: [&str; 15] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
    "servo",
    "actuator",
];

/// One `<default>`.
struct Layer<'a> {
    under: Option<usize>,
    depth: usize,
    elements: Vec<Element<'a>>,
}

/// All classes.
pub(super) struct Defaults<'a> {
    layers: Vec<Layer<'a>>,
    /// The last layer of each class.
    classes: BTreeMap<&'a str, usize>,
}

/// A class: its last layer.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Class(usize);

impl<'a> Defaults<'a> {
    /// Reads all `<default>` of a model, in order.
    pub(super) fn read(root: Element<'a>) -> Result<Self, Error> {
        let main = Layer { under: None, depth: 0, elements: Vec::new() };
        let mut defaults = Self { layers: alloc::vec![main], classes: BTreeMap::from([("main", 0)]) };
        for top in root.all("default") {
            // The outermost class is a single one, under any name.
            let name = top.attribute("class").unwrap_or("main");
            let last = defaults.classes["main"];
            let layer = defaults.add(top, last)?;
            defaults.classes.insert("main", layer);
            defaults.classes.insert(name, layer);
            let mut waiting: Vec<_> = top.all("default").map(|inner| (inner, layer)).collect();
            waiting.reverse();
            while let Some((element, under)) = waiting.pop() {
                let Some(name) = element.attribute("class").filter(|name| !name.is_empty()) else {
                    return Err(element.error(r#"a <default> inside another needs a name; add class="…""#));
                };
                let under = defaults.classes.get(name).copied().unwrap_or(under);
                let layer = defaults.add(element, under)?;
                defaults.classes.insert(name, layer);
                let inside = waiting.len();
                waiting.extend(element.all("default").map(|inner| (inner, layer)));
                waiting[inside..].reverse();
            }
        }
        Ok(defaults)
    }

    fn add(&mut self, element: Element<'a>, under: usize) -> Result<usize, Error> {
        let depth = self.layers[under].depth + 1;
        if depth > DEEPEST {
            return Err(element.error(format!("a class is made of more than {DEEPEST} <default>")));
        }
        let elements: Vec<_> = element.children().filter(|child| child.tag() != "default").collect();
        if elements.len() > MOST_ELEMENTS {
            return Err(element.error(format!("it has {} elements; at most {MOST_ELEMENTS} are read", elements.len())));
        }
        self.layers.push(Layer { under: Some(under), depth, elements });
        Ok(self.layers.len() - 1)
    }

    /// The class of elements that do not name one.
    pub(super) fn main(&self) -> Class {
        Class(self.classes["main"])
    }

    /// The class that an attribute (`class` or `childclass`) of an element names; `otherwise` if it names none.
    pub(super) fn class(&self, element: Element, attribute: &str, otherwise: Class) -> Result<Class, Error> {
        let Some(name) = element.attribute(attribute) else { return Ok(otherwise) };
        match self.classes.get(name) {
            Some(&layer) => Ok(Class(layer)),
            None => {
                let hint = suggest(name, self.classes.keys().copied());
                Err(element.error(format!("{attribute}={name:?}: there is no such class; {hint}")))
            }
        }
    }

    /// An element with the defaults of its class.
    pub(super) fn of<'b>(&'b self, element: Element<'a>, around: Class) -> Result<Given<'a, 'b>, Error> {
        let kind = match element.tag() {
            tag if ACTUATORS.contains(&tag) => "actuator",
            "spatial" | "fixed" => "tendon",
            tag => tag,
        };
        let class = self.class(element, "class", around)?;
        Ok(Given { element, kind, defaults: self, class })
    }

    /// An equality constraint; defaults apply to all kinds of them.
    pub(super) fn of_kind<'b>(
        &'b self,
        element: Element<'a>,
        kind: &'static str,
        around: Class,
    ) -> Result<Given<'a, 'b>, Error> {
        let class = self.class(element, "class", around)?;
        Ok(Given { element, kind, defaults: self, class })
    }
}

/// An element with the defaults of its class.
#[derive(Clone, Copy)]
pub(super) struct Given<'a, 'b> {
    pub(super) element: Element<'a>,
    /// The tag of its defaults in a class.
    kind: &'a str,
    defaults: &'b Defaults<'a>,
    class: Class,
}

impl<'a> Given<'a, '_> {
    /// The element itself, then the defaults of its class, the nearest first.
    fn layers(&self) -> impl Iterator<Item = Element<'a>> {
        let (defaults, kind) = (self.defaults, self.kind);
        let speaks = move |element: &&Element<'a>| {
            element.tag() == kind || (kind == "actuator" && ACTUATORS.contains(&element.tag()))
        };
        let chain = core::iter::successors(Some(self.class.0), move |&layer| defaults.layers[layer].under);
        let inherited =
            chain.flat_map(move |layer| defaults.layers[layer].elements.iter().rev().filter(speaks).copied());
        core::iter::once(self.element).chain(inherited)
    }

    /// An attribute.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.layers().find_map(|element| element.attribute(name))
    }

    /// The nearest of its layers that has one of some attributes.
    pub(super) fn nearest(&self, names: &[&str]) -> Option<Element<'a>> {
        self.layers().find(|element| names.iter().any(|name| element.attribute(name).is_some()))
    }

    /// A number; `otherwise` if it is not given.
    pub(super) fn number(&self, name: &str, otherwise: f64) -> Result<f64, Error> {
        let mut number = [otherwise];
        self.numbers(name, 1, &mut number)?;
        Ok(number[0])
    }

    /// Three numbers, if they are given.
    pub(super) fn vector(&self, name: &str) -> Result<Option<Vec3<f64>>, Error> {
        let mut numbers = [0.0; 3];
        Ok((self.numbers(name, 3, &mut numbers)? > 0).then(|| numbers.into()))
    }

    /// Reads at least `least` numbers into `into`; returns the number of them. Numbers that an element leaves
    /// out are those of its class.
    pub(super) fn numbers(&self, name: &str, least: usize, into: &mut [f64]) -> Result<usize, Error> {
        let said: Vec<_> = self.layers().filter(|element| element.attribute(name).is_some()).collect();
        let mut most = 0;
        for element in said.into_iter().rev() {
            most = numbers(element, name, least, into)?.max(most);
        }
        Ok(most)
    }

    /// A boolean; `otherwise` if it is not given.
    pub(super) fn flag(&self, name: &str, otherwise: bool) -> Result<bool, Error> {
        match self.text(name) {
            None => Ok(otherwise),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(self.error(format!(r#"{name}={other:?}: write "true" or "false""#))),
        }
    }

    pub(super) fn error(&self, what: impl core::fmt::Display) -> Error {
        self.element.error(what)
    }
}

/// Reads at least `least` numbers, and at most as many as `into` has room for. Returns 0 if there is no such
/// attribute.
pub(super) fn numbers(element: Element, name: &str, least: usize, into: &mut [f64]) -> Result<usize, Error> {
    let Some(text) = element.attribute(name) else { return Ok(0) };
    let refuse = |what: String| Err(element.error(format!("{name}={:?} {what}", clip(text))));
    let mut count = 0;
    for word in text.split_ascii_whitespace() {
        let Some(place) = into.get_mut(count) else {
            return refuse(format!("has more than {} numbers", into.len()));
        };
        match read_number(word) {
            Ok(x) => *place = x,
            Err(what) => return refuse(what),
        }
        count += 1;
    }
    if count < least {
        return refuse(format!("has {count} numbers where {least} are needed"));
    }
    Ok(count)
}
