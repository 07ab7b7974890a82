//! The spaces that joint coordinates live in.

/// A space of joint coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Plain numbers that add.
    Vector(usize),
    /// Rotations, as unit quaternions `[x y z w]`.
    So3,
    /// Plane motions `[x y θ]`.
    Se2,
    /// Rigid motions `[x y z, qx qy qz qw]`.
    Se3,
}

impl Group {
    /// Number of coordinates.
    pub(crate) fn nq(self) -> usize {
        match self {
            Group::Vector(n) => n,
            Group::So3 => 4,
            Group::Se2 => 3,
            Group::Se3 => 7,
        }
    }

    /// Number of tangent directions.
    pub(crate) fn nv(self) -> usize {
        match self {
            Group::Vector(n) => n,
            Group::So3 | Group::Se2 => 3,
            Group::Se3 => 6,
        }
    }
}
