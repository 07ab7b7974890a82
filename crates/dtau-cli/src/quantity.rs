//! What can be evaluated, and what comes out.

use clap::ValueEnum;
use dtau::Matrix;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// The name of something that can be evaluated, as in `--what`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Name {
    Rnea,
    Aba,
    Bias,
    Gravity,
    Crba,
    Minverse,
    Coriolis,
    #[value(name = "id-derivatives")]
    IdDerivatives,
    Com,
    ComJacobian,
    Energy,
    Centroidal,
    Mass,
    Kinematics,
    Jacobians,
    JacobianRates,
}

/// A part of a state beside `q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    V,
    A,
    Tau,
}

impl Name {
    /// As in `--what`.
    pub fn text(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
    }

    /// The parts of the state it cannot do without.
    pub fn needs(self) -> &'static [Part] {
        use Part::{A, Tau, V};
        match self {
            Name::Rnea | Name::IdDerivatives => &[V, A],
            Name::Aba => &[V, Tau],
            Name::Bias | Name::Coriolis | Name::Energy | Name::Centroidal | Name::JacobianRates => &[V],
            Name::Gravity | Name::Crba | Name::Minverse | Name::Com | Name::ComJacobian => &[],
            Name::Mass | Name::Kinematics | Name::Jacobians => &[],
        }
    }

    /// Whether it divides by the mass of all that moves.
    pub fn divides_by_mass(self) -> bool {
        matches!(self, Name::Com | Name::ComJacobian | Name::Centroidal)
    }
}

impl Part {
    /// Its key in a state file.
    pub fn key(self) -> &'static str {
        match self {
            Part::V => "v",
            Part::A => "a",
            Part::Tau => "tau",
        }
    }
}

/// A result.
#[derive(Clone, Debug)]
pub enum Quantity {
    Number(f64),
    /// A number for each degree of freedom.
    Dofs(Vec<f64>),
    /// A vector in space: 3 numbers, or 6 with the linear part first.
    Spatial(Vec<f64>),
    Matrix(Over, Matrix<f64>),
    /// Several results by name.
    Group(Vec<(String, Quantity)>),
}

/// What the rows and columns of a matrix stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Degrees of freedom by degrees of freedom.
    DofsDofs,
    /// Directions in space by degrees of freedom.
    SpaceDofs,
    /// Directions in space by directions in space.
    SpaceSpace,
}

impl Quantity {
    /// Several results by name.
    pub fn group<const N: usize>(members: [(&str, Quantity); N]) -> Self {
        Self::Group(members.map(|(name, quantity)| (name.into(), quantity)).into())
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Number(x) => x.is_finite(),
            Self::Dofs(x) | Self::Spatial(x) => x.iter().all(|x| x.is_finite()),
            Self::Matrix(_, m) => m.iter().all(|x| x.is_finite()),
            Self::Group(members) => members.iter().all(|(_, member)| member.is_finite()),
        }
    }
}

/// Numbers, lists of numbers, lists of rows, objects.
impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(x) => x.serialize(serializer),
            Self::Dofs(x) | Self::Spatial(x) => x.serialize(serializer),
            Self::Matrix(_, m) => {
                let mut rows = serializer.serialize_seq(Some(m.rows()))?;
                for i in 0..m.rows() {
                    rows.serialize_element(&(0..m.columns()).map(|j| m[(i, j)]).collect::<Vec<_>>())?;
                }
                rows.end()
            }
            Self::Group(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, member) in members {
                    map.serialize_entry(name, member)?;
                }
                map.end()
            }
        }
    }
}
