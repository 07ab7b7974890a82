//! `<compiler>` and `<option>`: settings for reading the rest of the model.

use super::defaults::numbers;
use super::tree::Element;
use crate::error::Error;
use crate::model::Ignore;
use alloc::format;
use alloc::string::String;

/// Settings of `<compiler>`. If there are several, later ones add to earlier ones.
pub(super) struct Compiler {
    pub(super) degrees: bool,
    /// Order of Euler angles: letters of x, y, z; upper case for fixed axes.
    pub(super) euler: [u8; 3],
    /// True if a joint with a range is limited.
    pub(super) auto_limits: bool,
    pub(super) from_geoms: FromGeoms,
    /// Range of the groups of geoms that have mass.
    pub(super) groups: [f64; 2],
    pub(super) least_mass: f64,
    pub(super) least_inertia: f64,
    /// True if inconsistent moments of inertia are replaced by their mean.
    pub(super) balance: bool,
    /// Total mass to which all masses are scaled, if positive.
    pub(super) total_mass: f64,
    /// True if bodies without joints are merged; that affects which bodies the total mass counts.
    pub(super) fuse: bool,
    pub(super) mesh_dir: String,
    pub(super) strip_path: bool,
}

/// Condition for computing inertias from geoms.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    /// If there is no `<inertial>`.
    Missing,
}

const COMPILER: [&str; 26] = [
    "alignfree",
    "angle",
    "assetdir",
    "autolimits",
    "balanceinertia",
    "boundinertia",
    "boundmass",
    "conflict",
    "convexhull",
    "coordinate",
    "discardvisual",
    "eulerseq",
    "exactmeshinertia",
    "fitaabb",
    "fusestatic",
    "inertiafromgeom",
    "inertiagrouprange",
    "meshdir",
    "passthrough",
    "savecanonical",
    "savecompiled",
    "saveinertial",
    "settotalmass",
    "strippath",
    "texturedir",
    "usethread",
];

impl Compiler {
    pub(super) fn read(root: Element) -> Self {
        let mut compiler = Self {
            degrees: true,
            euler: *b"xyz",
            auto_limits: true,
            from_geoms: FromGeoms::Missing,
            groups: [f64::NEG_INFINITY, f64::INFINITY],
            least_mass: 0.0,
            least_inertia: 0.0,
            balance: false,
            total_mass: -1.0,
            fuse: false,
            mesh_dir: String::new(),
            strip_path: false,
        };
        for element in root.all("compiler") {
            element.keep(element.only_has(&COMPILER));
            element.keep(compiler.add(element));
        }
        compiler
    }

    fn add(&mut self, element: Element) -> Result<(), Error> {
        if let Some(angle) = element.attribute("angle") {
            self.degrees = match angle {
                "degree" => true,
                "radian" => false,
                other => return Err(element.error(format!(r#"angle={other:?}: write "degree" or "radian""#))),
            };
        }
        if let Some(sequence) = element.attribute("eulerseq") {
            self.euler = match sequence.as_bytes() {
                &[a, b, c] if [a, b, c].iter().all(|letter| b"xyzXYZ".contains(letter)) => [a, b, c],
                _ => return Err(element.error(format!(r#"eulerseq={sequence:?}: write three of x, y, z, X, Y, Z"#))),
            };
        }
        if let Some(source) = element.attribute("inertiafromgeom") {
            self.from_geoms = match source {
                "auto" => FromGeoms::Missing,
                "true" => FromGeoms::Always,
                "false" => FromGeoms::Never,
                other => return Err(element.error(format!(r#"inertiafromgeom={other:?}: write auto, true or false"#))),
            };
        }
        if element.attribute("coordinate") == Some("global") {
            return Err(element.error(r#"coordinate="global" is of MuJoCo 2.3; load and save the model there first"#));
        }
        if flag(element, "alignfree", false)? {
            element.without(Ignore::Align, r#"alignfree="true" moves the frames of free bodies"#)?;
        }
        if flag(element, "exactmeshinertia", false)? {
            return Err(element.error(r#"exactmeshinertia is of old files; write inertia="exact" in <mesh>"#));
        }
        self.auto_limits = flag(element, "autolimits", self.auto_limits)?;
        self.balance = flag(element, "balanceinertia", self.balance)?;
        self.fuse = flag(element, "fusestatic", self.fuse)?;
        self.strip_path = flag(element, "strippath", self.strip_path)?;
        numbers(element, "inertiagrouprange", 2, &mut self.groups)?;
        for (name, place) in [
            ("boundmass", &mut self.least_mass),
            ("boundinertia", &mut self.least_inertia),
            ("settotalmass", &mut self.total_mass),
        ] {
            numbers(element, name, 1, core::slice::from_mut(place))?;
        }
        for name in ["assetdir", "meshdir"] {
            if let Some(folder) = element.attribute(name) {
                self.mesh_dir = folder.into();
            }
        }
        Ok(())
    }

    /// Converts an angle of the file to radians.
    pub(super) fn angle(&self, x: f64) -> f64 {
        if self.degrees { x / 180.0 * core::f64::consts::PI } else { x }
    }
}

/// Settings of `<option>` and its flags that concern the dynamics.
pub(super) struct Options {
    pub(super) gravity: [f64; 3],
    pub(super) damping: bool,
    pub(super) springs: bool,
    pub(super) friction: bool,
}

impl Options {
    pub(super) fn read(root: Element) -> Self {
        let mut options = Self { gravity: [0.0, 0.0, -9.81], damping: true, springs: true, friction: true };
        let mut gravity_off = false;
        for element in root.all("option") {
            element.keep(numbers(element, "gravity", 3, &mut options.gravity));
            for name in ["density", "viscosity"] {
                let mut value = [0.0];
                element.keep(numbers(element, name, 1, &mut value));
                if value[0] != 0.0 {
                    let what = format!(r#"{name}="{}" surrounds the robot with a fluid"#, value[0]);
                    element.keep(element.without(Ignore::Fluid, what));
                }
            }
            for flags in element.all("flag") {
                let off = |name: &str| flags.attribute(name) == Some("disable");
                gravity_off |= off("gravity");
                options.damping &= !(off("damper") || off("passive"));
                options.springs &= !(off("spring") || off("passive"));
                options.friction &= !(off("frictionloss") || off("constraint"));
            }
        }
        if gravity_off {
            options.gravity = [0.0; 3];
        }
        options
    }
}

fn flag(element: Element, name: &str, otherwise: bool) -> Result<bool, Error> {
    match element.attribute(name) {
        None => Ok(otherwise),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => Err(element.error(format!(r#"{name}={other:?}: write "true" or "false""#))),
    }
}
