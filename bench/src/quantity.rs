//! What is compared: functions of the library's list, and in which ways the opponent computes them.
//!
//! What a function reads and writes is in its declaration; here is what Pinocchio has to it.

use crate::opponent::code;
use dtau::model::Model;
use dtau::{Counts, Declaration, Parameter};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A function of the library that Pinocchio has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantity(usize);

/// A function and what is the opponent's of it.
struct Entry {
    /// Its name in the library's list.
    name: &'static str,
    /// Its name at the head of a column, if another.
    heading: Option<&'static str>,
    /// Its name in results of before, if another.
    former: Option<&'static str>,
    /// The opponent's ways to it, with their names. The fastest counts.
    ways: &'static [(i32, &'static str)],
    /// What it writes and the opponent does not.
    without: &'static [&'static str],
    /// Whether the library that pip ships has it compiled; the rest a user's compiler makes from the headers.
    shipped: bool,
    /// Whether the mass matrix is inverted on the way, so that errors grow with its condition.
    inverts_mass: bool,
    /// Whether it is also measured for many states at once.
    batched: bool,
    /// Whether it is also measured as code for one robot.
    generated: bool,
    /// What of dtau's own it is compared with, where the opponent has no such thing.
    first: Option<Quantity>,
    /// The largest tree that it is measured on.
    most_links: usize,
    /// The way that is for frames that are held to the world only, if there is one.
    only_world: &'static [i32],
}

const PLAIN: Entry = Entry {
    name: "",
    heading: None,
    former: None,
    ways: &[],
    without: &[],
    shipped: false,
    inverts_mass: false,
    batched: false,
    generated: false,
    first: None,
    most_links: usize::MAX,
    only_world: &[],
};

/// Those that are measured in batches and on threads too.
const MAIN: Entry = Entry { shipped: true, batched: true, generated: true, ..PLAIN };

macro_rules! quantities {
    ($($(#[doc = $doc:literal])* $constant:ident: $entry:expr,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place {
            $($constant,)*
        }

        impl Quantity {
            $($(#[doc = $doc])* pub const $constant: Quantity = Quantity(Place::$constant as usize);)*
        }

        /// In the order of the tables.
        const TABLE: &[Entry] = &[$($entry),*];
    };
}

quantities! {
    /// τ.
    RNEA: Entry { name: "rnea", ways: &[(code::RNEA, "rnea")], ..MAIN },
    /// q̈.
    ABA: Entry {
        name: "aba",
        ways: &[(code::ABA, "aba local"), (code::ABA_WORLD, "aba world")],
        inverts_mass: true,
        ..MAIN
    },
    /// M; Pinocchio writes one triangle of it, dtau both.
    CRBA: Entry { name: "crba", ways: &[(code::CRBA, "crba local"), (code::CRBA_WORLD, "crba world")], ..MAIN },
    /// M⁻¹; Pinocchio writes one triangle of it, dtau both.
    MINVERSE: Entry {
        name: "minverse",
        heading: Some("M⁻¹"),
        ways: &[(code::MINVERSE, "computeMinverse")],
        shipped: false,
        inverts_mass: true,
        ..MAIN
    },
    /// ∂τ/∂q, ∂τ/∂q̇, M.
    ID_DERIVATIVES: Entry {
        name: "id_derivatives",
        heading: Some("∂ID"),
        ways: &[
            (code::ID_DERIVATIVES, "computeRNEADerivatives, own outputs"),
            (code::ID_DERIVATIVES_DATA, "computeRNEADerivatives, in data"),
        ],
        without: &["tau"],
        ..MAIN
    },
    /// ∂q̈/∂q, ∂q̈/∂q̇, M⁻¹.
    FD_DERIVATIVES: Entry {
        name: "fd_derivatives",
        heading: Some("∂FD"),
        ways: &[
            (code::FD_DERIVATIVES, "computeABADerivatives, own outputs"),
            (code::FD_DERIVATIVES_DATA, "computeABADerivatives, in data"),
        ],
        without: &["qdd"],
        inverts_mass: true,
        ..MAIN
    },
    /// ∂v/∂q, ∂a/∂q, ∂a/∂q̇, ∂a/∂q̈ of the bodies that [`Subject::watched`](crate::robots::Subject::watched) names, in
    /// world coordinates, from q, q̇, q̈.
    FRAME_MOTION_DERIVATIVES: Entry {
        name: "frame_motion_derivatives",
        heading: Some("kinematics ∂"),
        former: Some("kinematic_derivatives"),
        ways: &[(
            code::WATCHED_DERIVATIVES,
            "computeForwardKinematicsDerivatives and getJointAccelerationDerivatives of the watched bodies",
        )],
        shipped: true,
        ..PLAIN
    },
    /// C.
    CORIOLIS: Entry { name: "coriolis", ways: &[(code::CORIOLIS, "computeCoriolisMatrix")], ..PLAIN },
    /// Placements, velocities and accelerations of all bodies.
    FORWARD_KINEMATICS: Entry {
        name: "forward_kinematics",
        heading: Some("kinematics"),
        ways: &[(code::FORWARD_KINEMATICS, "forwardKinematics")],
        ..PLAIN
    },
    /// The Jacobians of the watched bodies in world coordinates.
    FRAME_JACOBIAN: Entry {
        name: "frame_jacobian",
        former: Some("jacobians"),
        ways: &[(code::WATCHED_JACOBIANS, "computeJointJacobians and getJointJacobian of the watched bodies")],
        ..PLAIN
    },
    /// The centroidal momentum matrix.
    CENTROIDAL_MATRIX: Entry {
        name: "centroidal_matrix",
        former: Some("centroidal"),
        ways: &[(code::CENTROIDAL_MAP, "computeCentroidalMap")],
        ..PLAIN
    },
    /// Y with τ = Y π; Pinocchio has ten columns a body, dtau ten a link.
    JOINT_TORQUE_REGRESSOR: Entry {
        name: "joint_torque_regressor",
        heading: Some("regressor"),
        ways: &[(code::REGRESSOR, "computeJointTorqueRegressor")],
        generated: true,
        ..PLAIN
    },
    /// ∂²τ, whole.
    ID_SECOND_DERIVATIVES: Entry {
        name: "id_second_derivatives",
        heading: Some("∂²ID"),
        ways: &[(code::SECOND_ORDER_ID, "ComputeRNEASecondOrderDerivatives")],
        most_links: 100,
        ..PLAIN
    },
    /// The Hessian of wᵀτ, against dtau's ∂ID.
    ID_HESSIAN: Entry {
        name: "id_hessian",
        heading: Some("∂²(wᵀID)"),
        batched: true,
        first: Some(Quantity::ID_DERIVATIVES),
        most_links: 200,
        ..PLAIN
    },
    /// The Hessian of wᵀq̈, against dtau's ∂FD.
    FD_HESSIAN: Entry {
        name: "fd_hessian",
        heading: Some("∂²(wᵀFD)"),
        inverts_mass: true,
        batched: true,
        first: Some(Quantity::FD_DERIVATIVES),
        most_links: 200,
        ..PLAIN
    },
    /// q̈ and λ with frames held. Pinocchio's λ has its own axes: compared in the parity tests.
    CONSTRAINED_FD: Entry {
        name: "constrained_fd",
        heading: Some("forward"),
        ways: &[
            (code::CONSTRAINED_FD, "constraintDynamics"),
            (code::CONSTRAINED_FD_PV, "pv"),
        ],
        only_world: &[code::CONSTRAINED_FD_CONTACT_ABA, code::CONSTRAINED_FD_PV],
        without: &["lambda"],
        inverts_mass: true,
        batched: true,
        generated: true,
        ..PLAIN
    },
    /// The same with the derivatives of both by q, q̇, τ.
    CONSTRAINED_FD_DERIVATIVES: Entry {
        name: "constrained_fd_derivatives",
        heading: Some("forward and derivatives"),
        ways: &[(code::CONSTRAINED_FD_DERIVATIVES, "constraintDynamics and computeConstraintDynamicsDerivatives")],
        without: &["qdd", "lambda", "dlambda_dq", "dlambda_dv", "dlambda_dtau"],
        inverts_mass: true,
        batched: true,
        generated: true,
        ..PLAIN
    },
    /// q̇ after an impact, and derivatives. Pinocchio's derivatives are right in its first call only: compared in the parity tests.
    IMPULSE_DERIVATIVES: Entry {
        name: "impulse_derivatives",
        heading: Some("impulse and derivatives"),
        ways: &[(code::IMPULSE_DERIVATIVES, "impulseDynamics and computeImpulseDynamicsDerivatives")],
        without: &["impulse", "dv_after_dq", "dv_after_dv", "dimpulse_dq", "dimpulse_dv"],
        inverts_mass: true,
        batched: true,
        generated: true,
        ..PLAIN
    },
}

impl Quantity {
    /// All of them, in the order of the tables.
    pub fn all() -> impl Iterator<Item = Quantity> {
        (0..TABLE.len()).map(Quantity)
    }

    /// Those that are also computed for many states at once.
    pub fn batched() -> impl Iterator<Item = Quantity> {
        Self::all().filter(|q| q.entry().batched)
    }

    /// Those that are also computed by code for one robot, held or not.
    pub fn generated(held: bool) -> impl Iterator<Item = Quantity> {
        Self::all().filter(move |q| q.entry().generated && q.is_constrained() == held)
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self.0]
    }

    /// Its name, in the library and in results.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Its name at the head of a column.
    pub fn heading(self) -> &'static str {
        self.entry().heading.unwrap_or(self.name())
    }

    /// What it reads and writes.
    ///
    /// # Panics
    /// If the library has no such function; a test asks for all.
    pub fn declaration(self) -> &'static Declaration {
        dtau::function(self.name()).expect("a function of the library's list")
    }

    /// The opponent's ways to it, with their names. The fastest counts.
    pub fn ways(self) -> &'static [(i32, &'static str)] {
        self.entry().ways
    }

    /// Whether one of the opponent's ways is there for frames that are held to other bodies, too.
    pub fn is_for_loops(self, way: i32) -> bool {
        !self.entry().only_world.contains(&way)
    }

    /// Whether it acts on constraints.
    pub fn is_constrained(self) -> bool {
        self.declaration().parameters.contains(&Parameter::Constraints)
    }

    /// Whether its third argument is a coefficient of restitution, which is zero in all comparisons.
    pub fn takes_restitution(self) -> bool {
        self.declaration().inputs.iter().any(|arg| arg.name == "restitution")
    }

    /// What of dtau's own it is compared with, where the opponent has no such thing.
    pub fn first(self) -> Option<Quantity> {
        self.entry().first
    }

    /// The largest tree that it is measured on: results of n³ numbers fill memory.
    pub fn most_links(self) -> usize {
        self.entry().most_links
    }

    /// Whether the library that pip ships has it compiled.
    pub fn is_shipped(self) -> bool {
        self.entry().shipped
    }

    /// Whether the mass matrix is inverted on the way.
    pub fn inverts_mass(self) -> bool {
        self.entry().inverts_mass
    }

    /// Whether its third argument is the torque.
    pub fn takes_torques(self) -> bool {
        self.declaration().inputs.iter().any(|arg| arg.name == "tau")
    }

    /// Whether it is computed for each of the watched bodies.
    pub fn is_of_frames(self) -> bool {
        self.declaration().parameters.contains(&Parameter::Frame)
    }

    /// Which of its outputs are compared: those that the opponent gives too.
    pub fn compared(self) -> impl Iterator<Item = usize> {
        let outputs = self.declaration().outputs.iter().enumerate();
        outputs.filter(move |(_, arg)| !self.entry().without.contains(&arg.name)).map(|(place, _)| place)
    }

    /// How many numbers a call reads and writes, for so many watched bodies: arguments and results.
    pub fn numbers(self, model: &Model, watched: usize, rows: usize) -> usize {
        let declaration = self.declaration();
        let counts = Counts { columns: 1, rows };
        let sum = |args: &[dtau::Arg]| args.iter().map(|arg| arg.size.of(model, counts)).sum::<usize>();
        let times = if self.is_of_frames() { watched } else { 1 };
        sum(declaration.inputs) + times * sum(declaration.outputs)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Quantity {
    type Err = String;
    /// By its name of today, or of before.
    fn from_str(name: &str) -> Result<Self, String> {
        let known = || TABLE.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        Quantity::all()
            .find(|q| q.name() == name || q.entry().former == Some(name))
            .ok_or_else(|| format!("there is no quantity \"{name}\"; there are {}", known()))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_is_a_function_that_reads_the_beginning_of_a_state() {
        for quantity in Quantity::all() {
            let names: Vec<&str> = quantity.declaration().inputs.iter().map(|arg| arg.name).collect();
            let third = match () {
                () if quantity.takes_torques() => "tau",
                () if quantity.takes_restitution() => "restitution",
                () => "a",
            };
            assert!(["q", "v", third, "w"].starts_with(&names), "{quantity} reads {names:?}");
            assert!(quantity.compared().count() > 0, "{quantity}");
            assert!(quantity.ways().is_empty() == quantity.first().is_some(), "{quantity}");
        }
        assert_eq!(Quantity::ID_DERIVATIVES.compared().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn names_of_before_are_understood() {
        assert_eq!("jacobians".parse(), Ok(Quantity::FRAME_JACOBIAN));
        let read: Quantity = serde_json::from_str("\"kinematic_derivatives\"").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "\"frame_motion_derivatives\"");
        assert!("nonsense".parse::<Quantity>().unwrap_err().contains("rnea, aba, crba"));
    }
}
