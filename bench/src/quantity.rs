//! What is compared, and in which ways the opponent computes it.

use crate::opponent::code;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// τ.
    Rnea,
    /// q̈.
    Aba,
    /// M; Pinocchio writes one triangle of it, dtau both.
    Crba,
    /// M⁻¹; Pinocchio writes one triangle of it, dtau both.
    Minverse,
    /// ∂τ/∂q, ∂τ/∂q̇, M.
    IdDerivatives,
    /// ∂q̈/∂q, ∂q̈/∂q̇, M⁻¹.
    FdDerivatives,
    /// ∂v/∂q, ∂a/∂q, ∂a/∂q̇, ∂a/∂q̈ of the bodies that [`Subject::watched`](crate::robots::Subject::watched) names, in
    /// world coordinates, from q, q̇, q̈.
    KinematicDerivatives,
    /// C.
    Coriolis,
    /// Placements, velocities and accelerations of all bodies.
    ForwardKinematics,
    /// The Jacobians of the watched bodies in world coordinates.
    Jacobians,
    /// The centroidal momentum matrix.
    Centroidal,
}

use Quantity::*;

impl Quantity {
    /// All of them, in the order of the tables.
    pub const ALL: [Quantity; 11] = [
        Rnea,
        Aba,
        Crba,
        Minverse,
        IdDerivatives,
        FdDerivatives,
        KinematicDerivatives,
        Coriolis,
        ForwardKinematics,
        Jacobians,
        Centroidal,
    ];

    /// Those that are also computed for many states at once.
    pub const BATCHED: [Quantity; 6] = [Rnea, Aba, Crba, Minverse, IdDerivatives, FdDerivatives];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Rnea => "rnea",
            Aba => "aba",
            Crba => "crba",
            Minverse => "minverse",
            IdDerivatives => "id_derivatives",
            FdDerivatives => "fd_derivatives",
            KinematicDerivatives => "kinematic_derivatives",
            Coriolis => "coriolis",
            ForwardKinematics => "forward_kinematics",
            Jacobians => "jacobians",
            Centroidal => "centroidal",
        }
    }

    /// Its name at the head of a column.
    pub fn heading(self) -> &'static str {
        match self {
            Minverse => "M⁻¹",
            IdDerivatives => "∂ID",
            FdDerivatives => "∂FD",
            KinematicDerivatives => "kinematics ∂",
            ForwardKinematics => "kinematics",
            _ => self.name(),
        }
    }

    /// The opponent's ways to it, with their names. The fastest counts.
    pub fn ways(self) -> &'static [(i32, &'static str)] {
        match self {
            Rnea => &[(code::RNEA, "rnea")],
            Aba => &[(code::ABA, "aba local"), (code::ABA_WORLD, "aba world")],
            Crba => &[(code::CRBA, "crba local"), (code::CRBA_WORLD, "crba world")],
            Minverse => &[(code::MINVERSE, "computeMinverse")],
            IdDerivatives => &[
                (code::ID_DERIVATIVES, "computeRNEADerivatives, own outputs"),
                (code::ID_DERIVATIVES_DATA, "computeRNEADerivatives, in data"),
            ],
            FdDerivatives => &[
                (code::FD_DERIVATIVES, "computeABADerivatives, own outputs"),
                (code::FD_DERIVATIVES_DATA, "computeABADerivatives, in data"),
            ],
            KinematicDerivatives => &[(
                code::WATCHED_DERIVATIVES,
                "computeForwardKinematicsDerivatives and getJointAccelerationDerivatives of the watched bodies",
            )],
            Coriolis => &[(code::CORIOLIS, "computeCoriolisMatrix")],
            ForwardKinematics => &[(code::FORWARD_KINEMATICS, "forwardKinematics")],
            Jacobians => {
                &[(code::WATCHED_JACOBIANS, "computeJointJacobians and getJointJacobian of the watched bodies")]
            }
            Centroidal => &[(code::CENTROIDAL_MAP, "computeCentroidalMap")],
        }
    }

    /// Whether the library that pip ships has it compiled; the rest a user's compiler makes from the headers.
    pub fn is_shipped(self) -> bool {
        matches!(self, Rnea | Aba | Crba | IdDerivatives | FdDerivatives | KinematicDerivatives)
    }

    /// Whether its third argument is the torque.
    pub fn takes_torques(self) -> bool {
        matches!(self, Aba | FdDerivatives)
    }

    /// Whether the mass matrix is inverted on the way, so that errors grow with its condition.
    pub fn inverts_mass(self) -> bool {
        matches!(self, Aba | Minverse | FdDerivatives)
    }

    /// How many numbers a call reads and writes: arguments and results.
    pub fn numbers(self, nq: usize, nv: usize, bodies: usize, watched: usize) -> usize {
        match self {
            Rnea | Aba => nq + 3 * nv,
            Crba | Minverse => nq + nv * nv,
            Coriolis => nq + nv + nv * nv,
            IdDerivatives | FdDerivatives => nq + 3 * nv + 3 * nv * nv,
            KinematicDerivatives => nq + 2 * nv + 24 * bodies + watched * 5 * 6 * nv,
            ForwardKinematics => nq + 2 * nv + 24 * bodies,
            Jacobians => nq + 12 * bodies + watched * 6 * nv,
            Centroidal => nq + 6 * nv,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Quantity {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Quantity::ALL.map(Quantity::name).join(", ");
        Quantity::ALL
            .into_iter()
            .find(|q| q.name() == name)
            .ok_or_else(|| format!("there is no quantity \"{name}\"; there are {}", known()))
    }
}
