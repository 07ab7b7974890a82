//! Quantities that are compared: functions of the library's list, and the opponent's ways to compute them.
//!
//! Inputs and outputs of a function are in its declaration. This file adds Pinocchio's counterpart.

use crate::opponent::code;
use dtau::model::Model;
use dtau::{Counts, Declaration, Parameter};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Function of the library that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantity(usize);

/// Function, and its counterpart on the opponent's side.
struct Entry {
    /// Name in the library's list.
    name: &'static str,
    /// Column heading, if different.
    heading: Option<&'static str>,
    /// Name in older results, if different.
    former: Option<&'static str>,
    /// The opponent's ways to compute it, with names. The fastest counts.
    ways: &'static [(i32, &'static str)],
    /// Outputs that the opponent does not compute.
    without: &'static [&'static str],
    /// True if the library that pip ships contains it compiled. Otherwise the user's compiler instantiates it
    /// from the headers.
    shipped: bool,
    /// True if it inverts the mass matrix, so that errors grow with the condition number.
    inverts_mass: bool,
    /// True if it is also measured for many states at once.
    batched: bool,
    /// True if it is also measured as generated code.
    generated: bool,
    /// dtau's own function to compare with, if the opponent has no counterpart.
    first: Option<Quantity>,
    /// Size of the largest tree that it is measured on.
    most_links: usize,
    /// Ways that support only frames held by the world.
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

/// Quantities that are also measured in batches and on threads.
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

        /// Entries in the order of the tables.
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
    /// M. Pinocchio writes one triangle, dtau both.
    CRBA: Entry { name: "crba", ways: &[(code::CRBA, "crba local"), (code::CRBA_WORLD, "crba world")], ..MAIN },
    /// M⁻¹. Pinocchio writes one triangle, dtau both.
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
    /// ∂v/∂q, ∂a/∂q, ∂a/∂q̇, ∂a/∂q̈ of the bodies selected by
    /// [`Subject::watched`](crate::robots::Subject::watched), in world coordinates, from q, q̇, q̈.
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
    /// Y with τ = Y π. Pinocchio has ten columns per body, dtau ten per link.
    JOINT_TORQUE_REGRESSOR: Entry {
        name: "joint_torque_regressor",
        heading: Some("regressor"),
        ways: &[(code::REGRESSOR, "computeJointTorqueRegressor")],
        generated: true,
        ..PLAIN
    },
    /// ∂²τ, all blocks.
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
    /// q̈ and λ under constraints. Pinocchio's λ has different axes, and is compared in the parity tests.
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
    /// Same, with the derivatives of both with respect to q, q̇, τ.
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
    /// q̇ after an impact, and derivatives. Pinocchio's derivatives are correct only in its first call, and
    /// are compared in the parity tests.
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
    /// Returns all quantities, in the order of the tables.
    pub fn all() -> impl Iterator<Item = Quantity> {
        (0..TABLE.len()).map(Quantity)
    }

    /// Returns the quantities that are also computed for many states at once.
    pub fn batched() -> impl Iterator<Item = Quantity> {
        Self::all().filter(|q| q.entry().batched)
    }

    /// Returns the quantities that are also computed by generated code, with or without constraints.
    pub fn generated(held: bool) -> impl Iterator<Item = Quantity> {
        Self::all().filter(move |q| q.entry().generated && q.is_constrained() == held)
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self.0]
    }

    /// Returns its name in the library and in results.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns its column heading.
    pub fn heading(self) -> &'static str {
        self.entry().heading.unwrap_or(self.name())
    }

    /// Returns its declaration.
    ///
    /// # Panics
    /// Panics if the library has no such function. A test checks all of them.
    pub fn declaration(self) -> &'static Declaration {
        dtau::function(self.name()).expect("a function of the library's list")
    }

    /// Returns the opponent's ways to compute it, with names. The fastest counts.
    pub fn ways(self) -> &'static [(i32, &'static str)] {
        self.entry().ways
    }

    /// True if this way of the opponent also supports frames held by other bodies.
    pub fn is_for_loops(self, way: i32) -> bool {
        !self.entry().only_world.contains(&way)
    }

    /// True if it acts on constraints.
    pub fn is_constrained(self) -> bool {
        self.declaration().parameters.contains(&Parameter::Constraints)
    }

    /// True if its third argument is a coefficient of restitution, which is zero in all comparisons.
    pub fn takes_restitution(self) -> bool {
        self.declaration().inputs.iter().any(|arg| arg.name == "restitution")
    }

    /// Returns dtau's own function to compare with, if the opponent has no counterpart.
    pub fn first(self) -> Option<Quantity> {
        self.entry().first
    }

    /// Returns the size of the largest tree that it is measured on. Results of n³ numbers fill memory.
    pub fn most_links(self) -> usize {
        self.entry().most_links
    }

    /// True if the library that pip ships contains it compiled.
    pub fn is_shipped(self) -> bool {
        self.entry().shipped
    }

    /// True if it inverts the mass matrix.
    pub fn inverts_mass(self) -> bool {
        self.entry().inverts_mass
    }

    /// True if its third argument is the torque.
    pub fn takes_torques(self) -> bool {
        self.declaration().inputs.iter().any(|arg| arg.name == "tau")
    }

    /// True if it is computed for each of the watched bodies.
    pub fn is_of_frames(self) -> bool {
        self.declaration().parameters.contains(&Parameter::Frame)
    }

    /// Returns the indices of the compared outputs: those that the opponent also computes.
    pub fn compared(self) -> impl Iterator<Item = usize> {
        let outputs = self.declaration().outputs.iter().enumerate();
        outputs.filter(move |(_, arg)| !self.entry().without.contains(&arg.name)).map(|(place, _)| place)
    }

    /// Returns the count of numbers that a call reads and writes, for a number of watched bodies.
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
    /// Parses the current name, or an older one.
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
