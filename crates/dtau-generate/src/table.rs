//! The table: filled for another robot of the same shape, and with payloads.
//!
//! ```text
//! I += X_load I_load                     mass, first moment h, rotational inertia about the body's origin    (1)
//! c = h / m,   I_c = I − (c·h 1 − h cᵀ)  centre of mass, and the inertia about it                            (2)
//! ```
//!
//! All quantities are in the internal coordinates of the body that carries the load, as in the table.

use crate::module::Module;
use crate::structure::{fingerprint_for, is_structure, snapped};
use crate::subject::Subject;
use core::fmt;
use dtau::model::{Constant, Inertial, Model, OfConstraint};
use dtau::spatial::{Inertia, Transform, Vec3};
use dtau::{Constraint, Size};

/// Reason why generated code does not serve a robot or a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub(crate) String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Place of a number of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    /// Entry of the table.
    Table(usize),
    /// A number in the code: a zero or a one that decided which operations are needed.
    Code(f64),
}

/// Link that can carry a load.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// The link's name.
    pub link: String,
    /// Body that carries it, and the pose of the link in the body. `None` if the link does not move.
    pub body: Option<(usize, Transform<f64>)>,
}

/// Count of numbers that a load changes: mass, first moment, inertia, centre of mass, inertia about it.
pub const INERTIAL: usize = 19;

/// Returns the inertial numbers of a body, in the order of [`Module::inertial_slots`].
pub fn inertial_constants(body: usize) -> impl Iterator<Item = Constant> {
    let first = core::iter::once(Constant::Mass(body)).chain((0..3).map(move |k| Constant::FirstMoment(body, k)));
    let about = (0..6).map(move |k| Constant::Inertia(body, k)).chain((0..3).map(move |k| Constant::Com(body, k)));
    first.chain(about).chain((0..6).map(move |k| Constant::AboutCom(body, k)))
}

impl Module {
    /// Returns the table for another robot of the same shape with the same zeros: calibrated, identified, or
    /// with a payload.
    ///
    /// # Errors
    /// Fails if the code does not serve that robot. The message says which number differs.
    pub fn table_of(&self, other: &Model) -> Result<Vec<f64>, Refusal> {
        let other = snapped(other);
        let (mine, theirs) = (self.model.constants(), other.constants());
        let is_frame = |which: &Constant| matches!(which, Constant::Frame(..));
        let counted = self.reads_frames();
        let of_bodies = |all: &[(Constant, f64)]| -> Vec<Constant> {
            all.iter().map(|(which, _)| *which).filter(|which| counted || !is_frame(which)).collect()
        };
        if of_bodies(&mine) != of_bodies(&theirs) {
            let frames = if counted { " and frames" } else { "" };
            return Err(Refusal(format!(
                "the code was generated for {:?}, and {:?} has another shape (other bodies or joints{frames}); generate code for it",
                self.robot,
                other.name()
            )));
        }
        for ((which, x), (_, y)) in mine.iter().zip(&theirs) {
            if !counted && is_frame(which) || self.is_free(*which) {
                continue;
            }
            if x != y && (is_structure(*x) || is_structure(*y)) {
                let advice = match which {
                    Constant::Mass(_) | Constant::FirstMoment(..) | Constant::Inertia(..) => {
                        "generate the code for payloads on that link, or for that robot"
                    }
                    Constant::Com(..) | Constant::AboutCom(..) => {
                        "generate the code for payloads on that link, or for that robot"
                    }
                    _ => "generate code for that robot",
                };
                return Err(Refusal(format!(
                    "{} is {x} where the code was generated and {y} in {:?}, and zeros and ones are in the code; {advice}",
                    self.name_of(*which),
                    other.name()
                )));
            }
        }
        let constraints = self.constraints.as_ref().map(|own| own.map_constants(&other, |_, x| x));
        let of = Subject { model: &other, constraints: constraints.as_ref() };
        if fingerprint_for(of, &self.free) != self.fingerprint {
            return Err(Refusal(format!(
                "{:?} differs from the robot of the code in its joints, in who mimics whom, or in its options; generate code for it",
                other.name()
            )));
        }
        let values: std::collections::HashMap<Constant, f64> = of.constants().into_iter().collect();
        Ok(self.table.iter().map(|entry| values[&entry.constant]).collect())
    }

    /// Returns the table of the robot that the code was generated for.
    pub fn own_table(&self) -> Vec<f64> {
        self.table.iter().map(|entry| entry.value).collect()
    }

    /// Adds a load at a link to a table. The mass properties are in the link's axes.
    ///
    /// # Errors
    /// Fails for an unknown link, a table of another length, a load that is not physical, or if the code was
    /// generated for zeros that the load changes. The table is then unchanged.
    pub fn add_payload(&self, table: &mut [f64], link: &str, load: &Inertial) -> Result<(), Refusal> {
        if table.len() != self.table.len() {
            let (got, want) = (table.len(), self.table.len());
            return Err(Refusal(format!("the table has {got} numbers, and the code's has {want}")));
        }
        let Some(carrier) = self.carriers().into_iter().find(|carrier| carrier.link == link) else {
            return Err(Refusal(format!("there is no link called {link:?}")));
        };
        let numbers = Inertia::from_com(load.mass, load.com, load.about_com);
        let r = numbers.rot;
        let all = [load.mass, numbers.h.x, numbers.h.y, numbers.h.z, r.xx, r.xy, r.xz, r.yy, r.yz, r.zz];
        if load.mass < 0.0 || all.iter().any(|x| !x.is_finite()) {
            return Err(Refusal("the load: its mass is negative, or a number is not finite".into()));
        }
        let Some((body, placement)) = carrier.body else { return Ok(()) };
        let slots = self.inertial_slots(body);
        let now = slots.map(|slot| match slot {
            Slot::Table(k) => table[k],
            Slot::Code(x) => x,
        });
        let after = loaded(now, &numbers.transform(&placement));
        for ((slot, x), which) in slots.iter().zip(after).zip(inertial_constants(body)) {
            if matches!(slot, Slot::Code(y) if *y != x) {
                let name = self.name_of(which);
                return Err(Refusal(format!("{name} is in the code; generate it for payloads on link {link:?}")));
            }
        }
        for (slot, x) in slots.iter().zip(after) {
            if let Slot::Table(k) = slot {
                table[*k] = x;
            }
        }
        Ok(())
    }

    /// Returns the places of the inertial numbers of a body.
    pub fn inertial_slots(&self, body: usize) -> [Slot; INERTIAL] {
        let bodies = &self.model.tree().bodies;
        let mut slots = [Slot::Code(0.0); INERTIAL];
        for (slot, which) in slots.iter_mut().zip(inertial_constants(body)) {
            *slot = match self.table.iter().position(|entry| entry.constant == which) {
                Some(k) => Slot::Table(k),
                None => Slot::Code(inertial(&bodies[body], which)),
            };
        }
        slots
    }

    /// Returns the links of the robot, in the order of its description.
    pub fn carriers(&self) -> Vec<Carrier> {
        let links = self.model.frame_ids().zip(self.model.frames());
        let links = links.take(self.model.description().links.len()); // frames of links come first
        links.map(|(id, frame)| Carrier { link: frame.name.clone(), body: self.model.carrier(id) }).collect()
    }

    /// True if there are functions of frames. Numbers of frames must then match too.
    fn reads_frames(&self) -> bool {
        self.functions.iter().any(|f| {
            let declaration = f.declaration();
            let of_all = |arg: &dtau::Arg| matches!(arg.size, Size::Frames(_));
            declaration.parameters.contains(&dtau::Parameter::Frame) || declaration.outputs.iter().any(of_all)
        })
    }

    /// Returns the name of a number of the robot, for messages.
    pub fn name_of(&self, which: Constant) -> String {
        let body = |i: usize| {
            let joint = self.model.joints().iter().find(|joint| joint.bodies.contains(&i));
            joint.map_or_else(|| format!("body {i}"), |joint| format!("link {:?}", joint.link))
        };
        let dof = |k: usize| {
            let of = |joint: &&dtau::model::JointInfo| {
                joint.bodies.clone().any(|i| self.model.tree().bodies[i].v.contains(&k))
            };
            let joint = self.model.joints().iter().find(of);
            joint.map_or_else(|| format!("degree of freedom {k}"), |joint| format!("joint {:?}", joint.name))
        };
        let axis = |k: usize| ["x", "y", "z"][k];
        let pair = |k: usize| ["xx", "xy", "xz", "yy", "yz", "zz"][k];
        let place = |k: usize| match k {
            0..9 => format!("rotation, row {}, column {}", k % 3 + 1, k / 3 + 1),
            _ => format!("position {}", axis(k - 9)),
        };
        match which {
            Constant::Gravity(k) => format!("gravity {}", axis(k)),
            Constant::Placement(i, k) => format!("{} in its parent: {}", body(i), place(k)),
            Constant::Mass(i) => format!("{}: mass", body(i)),
            Constant::FirstMoment(i, k) => format!("{}: first moment {}", body(i), axis(k)),
            Constant::Inertia(i, k) => format!("{}: inertia about its origin {}", body(i), pair(k)),
            Constant::Com(i, k) => format!("{}: centre of mass {}", body(i), axis(k)),
            Constant::AboutCom(i, k) => format!("{}: inertia about its centre of mass {}", body(i), pair(k)),
            Constant::Joint(i, k) => {
                format!("{}: {}", body(i), self.model.tree().bodies[i].joint.numbers()[k].0.meaning)
            }
            Constant::Armature(k) => format!("{}: rotor inertia", dof(k)),
            Constant::Damping(k) => format!("{}: damping", dof(k)),
            Constant::Friction(k) => format!("{}: friction", dof(k)),
            Constant::Stiffness(k) => format!("{}: stiffness of its spring", dof(k)),
            Constant::Rest(k) => format!("{}: rest of its spring", dof(k)),
            Constant::Constraint(i, which) => {
                let name = self.constraints.as_ref().and_then(|all| all.iter().nth(i)).map_or("", Constraint::name);
                let what = match which {
                    OfConstraint::First(k) => format!("its first place: {}", place(k)),
                    OfConstraint::Second(k) => format!("its second place: {}", place(k)),
                    OfConstraint::Direction(k) => format!("direction {} {}", k / 3, axis(k % 3)),
                    OfConstraint::Factor(k) => format!("factor {k}"),
                    OfConstraint::Target => "what is held".into(),
                    OfConstraint::Kp => "kp".into(),
                    OfConstraint::Kd => "kd".into(),
                };
                format!("constraint {name:?}: {what}")
            }
            Constant::Frame(i, k) => format!("frame {:?} in its body: {}", self.model.frames()[i].name, place(k)),
        }
    }
}

/// Applies (1) and (2) to the inertial numbers of a body.
fn loaded(now: [f64; INERTIAL], load: &Inertia<f64>) -> [f64; INERTIAL] {
    let [m, hx, hy, hz, xx, xy, xz, yy, yz, zz, ..] = now;
    let rot = dtau::spatial::Sym3 { xx, xy, xz, yy, yz, zz };
    let mut sum = Inertia { mass: m, h: Vec3::new(hx, hy, hz), rot };
    sum += *load; // (1)
    let com = if sum.mass > 0.0 { sum.h * (1.0 / sum.mass) } else { Vec3::zero() };
    let about = sum.about(com); // (2)
    let (h, i) = (sum.h, sum.rot);
    [
        sum.mass, h.x, h.y, h.z, i.xx, i.xy, i.xz, i.yy, i.yz, i.zz, com.x, com.y, com.z, about.xx, about.xy, about.xz,
        about.yy, about.yz, about.zz,
    ]
}

fn inertial(body: &dtau::model::Body, which: Constant) -> f64 {
    let vector = |v: Vec3<f64>, k: usize| v.to_array()[k];
    let symmetric = |s: &dtau::spatial::Sym3<f64>, k: usize| [s.xx, s.xy, s.xz, s.yy, s.yz, s.zz][k];
    match which {
        Constant::Mass(_) => body.inertia.mass,
        Constant::FirstMoment(_, k) => vector(body.inertia.h, k),
        Constant::Inertia(_, k) => symmetric(&body.inertia.rot, k),
        Constant::Com(_, k) => vector(body.com, k),
        Constant::AboutCom(_, k) => symmetric(&body.about_com, k),
        _ => 0.0,
    }
}
