//! Options of a model: the keywords shared by all functions that make a model.

use crate::arrays::describe;
use crate::numbers::{placement, triple};
use dtau::model::{Description, Ignore, JointKind, JointOrder, MimicMode, Options, Root};
use dtau::spatial::Vec3;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Keywords, in the order of the documentation.
const KEYWORDS: [&str; 12] = [
    "root",
    "order",
    "mimic",
    "gravity",
    "damping",
    "friction",
    "armature",
    "allow_massless",
    "exact",
    "friction_speed",
    "ignore",
    "root_placement",
];

const ROOTS: [&str; 5] = ["fixed", "floating", "planar", "spherical", "translation"];
const ORDERS: [&str; 2] = ["file", "alphabetical"];
const MIMICS: [&str; 2] = ["honour", "free"];

/// Keywords of other libraries for a floating root.
const FLOATING: [&str; 5] = ["floating_base", "floating", "free_flyer", "freeflyer", "is_floating_base"];

/// Options, and the joint effects to remove from the robot.
pub(crate) struct Making {
    pub(crate) options: Options,
    damping: bool,
    friction: bool,
    armature: bool,
    /// True if gravity was given. It then replaces the gravity of the robot's file.
    gravity: bool,
}

impl Making {
    /// Reads the keywords of `function`. Options that are not given stay as in `options`.
    pub(crate) fn new(function: &str, mut options: Options, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (mut damping, mut friction, mut armature, mut gravity) = (true, true, true, false);
        for (key, value) in given.into_iter().flatten() {
            let key = key.cast::<PyString>().map_err(PyErr::from)?.to_str()?.to_owned();
            match key.as_str() {
                "root" => options.root = root(&word("root", &value, &ROOTS)?)?,
                "order" => options.order = order(&word("order", &value, &ORDERS)?)?,
                "mimic" => options.mimic = mimic(&word("mimic", &value, &MIMICS)?)?,
                "gravity" => (options.gravity, gravity) = (triple("gravity", &value)?, true),
                "damping" => damping = flag("damping", &value)?,
                "friction" => friction = flag("friction", &value)?,
                "armature" => armature = flag("armature", &value)?,
                "allow_massless" => options.allow_massless = flag("allow_massless", &value)?,
                "exact" => options.exact = flag("exact", &value)?,
                "friction_speed" => options.friction_speed = number("friction_speed", &value)?,
                "ignore" => options.ignore = ignored(&value)?,
                "root_placement" => options.root_origin = placement("root_placement", &value)?,
                _ => {
                    let known = KEYWORDS.join(", ");
                    let meant = match FLOATING.contains(&key.as_str()) {
                        true => "write root=\"floating\" for a free base".into(),
                        false => format!("there are {known}"),
                    };
                    return Err(PyTypeError::new_err(format!(
                        "{function}() got an unexpected keyword argument '{key}'; {meant}"
                    )));
                }
            }
        }
        Ok(Self { options, damping, friction, armature, gravity })
    }

    /// Removes the joint effects that were switched off, and the gravity that is replaced, from a robot.
    pub(crate) fn strip(&self, description: &mut Description) {
        if self.gravity {
            description.gravity = None;
        }
        for joint in &mut description.joints {
            joint.damping = if self.damping { joint.damping } else { 0.0 };
            joint.friction = if self.friction { joint.friction } else { 0.0 };
            joint.armature = if self.armature { joint.armature } else { 0.0 };
        }
    }
}

fn root(name: &str) -> PyResult<Root> {
    Ok(match name {
        "fixed" => Root::Fixed,
        "floating" => Root::Floating,
        "planar" => Root::Joint(JointKind::Planar { normal: Vec3::new(0.0, 0.0, 1.0) }),
        "spherical" => Root::Joint(JointKind::Spherical),
        "translation" => Root::Joint(JointKind::Translation),
        _ => return Err(choice("root", name, &ROOTS)),
    })
}

/// Returns the name of a root, as [`root`] reads it.
pub(crate) fn root_name(root: Root) -> &'static str {
    match root.kind() {
        JointKind::FreeFlyer => "floating",
        kind => kind.name(),
    }
}

fn order(name: &str) -> PyResult<JointOrder> {
    match name {
        "file" => Ok(JointOrder::File),
        "alphabetical" => Ok(JointOrder::Alphabetical),
        _ => Err(choice("order", name, &ORDERS)),
    }
}

fn mimic(name: &str) -> PyResult<MimicMode> {
    match name {
        "honour" => Ok(MimicMode::Honour),
        "free" => Ok(MimicMode::Free),
        _ => Err(choice("mimic", name, &MIMICS)),
    }
}

/// Error for an argument that is not one of the allowed words.
pub(crate) fn choice(name: &str, got: &str, words: &[&str]) -> PyErr {
    PyValueError::new_err(format!("`{name}` is {got:?}; it must be one of {}", listed(words)))
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", ")
}

/// Names of effects, or one name.
fn ignored(given: &Bound<'_, PyAny>) -> PyResult<Vec<Ignore>> {
    let names: Result<Vec<String>, _> = given.extract::<String>().map(|name| vec![name]).or_else(|_| given.extract());
    let names = names.map_err(|_| wrong_type("ignore", given, "a list of strings"))?;
    names
        .iter()
        .map(|name| {
            let words = || Ignore::ALL.map(Ignore::name);
            Ignore::named(name).map_err(|_| choice("ignore", name, &words()))
        })
        .collect()
}

fn word(name: &str, given: &Bound<'_, PyAny>, words: &[&str]) -> PyResult<String> {
    given.extract().map_err(|_| wrong_type(name, given, &format!("a string, one of {}", listed(words))))
}

fn flag(name: &str, given: &Bound<'_, PyAny>) -> PyResult<bool> {
    given.extract().map_err(|_| wrong_type(name, given, "True or False"))
}

fn number(name: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    given.extract().map_err(|_| wrong_type(name, given, "a number"))
}

fn wrong_type(name: &str, given: &Bound<'_, PyAny>, want: &str) -> PyErr {
    PyTypeError::new_err(format!("`{name}` is {}; it must be {want}", describe(given)))
}
