//! Reference frames of motions: the axes and the point.
//!
//! Inside, motions are in ground coordinates. `X = (R, p)` is the placement of a frame F and `v` its velocity
//! there:
//!
//! ```text
//! Local               m_F = X⁻¹ m                       ṁ_F = X⁻¹ (ṁ − v × m)                            (1)
//! World               m_F = m                           ṁ_F = ṁ                                          (2)
//! LocalWorldAligned   m_F = [m_lin + m_ang × p; m_ang]  ṁ_F = [ṁ_lin + ṁ_ang × p + m_ang × ṗ; ṁ_ang]     (3)
//!                                                       ṗ = v_lin + v_ang × p
//! ```

use crate::scalar::Real;
use crate::spatial::{Motion, Transform};

/// Reference frame of a motion (velocity, acceleration, or column of a Jacobian): its axes and its point.
///
/// The angular part does not depend on the point. The linear part is that of the body's point, real or
/// imagined, that is currently at this point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// The frame's axes, at the frame's origin.
    Local,
    /// The world's axes, at the world's origin: the linear part is *not* the velocity of the frame's origin.
    World,
    /// The world's axes, at the frame's origin: the linear part of a velocity is the time derivative of its
    /// position.
    LocalWorldAligned,
}

impl Reference {
    /// All three reference frames.
    pub const ALL: [Reference; 3] = [Reference::Local, Reference::World, Reference::LocalWorldAligned];

    /// Expresses a motion in ground coordinates, for the frame at `X`.
    #[inline(always)]
    pub(crate) fn express<T: Real>(self, X: &Transform<T>, m: Motion<T>) -> Motion<T> {
        match self {
            Reference::Local => X.act_inv(m), // (1)
            Reference::World => m,            // (2)
            Reference::LocalWorldAligned => Motion::new(m.ang.cross_add(X.pos, m.lin), m.ang), // (3)
        }
    }

    /// Time derivative of [`express`](Self::express), for a frame that moves with velocity `v`.
    #[inline(always)]
    pub(crate) fn express_rate<T: Real>(
        self,
        X: &Transform<T>,
        v: Motion<T>,
        m: Motion<T>,
        m_dot: Motion<T>,
    ) -> Motion<T> {
        match self {
            Reference::Local => X.act_inv(m.cross_add(v, m_dot)), // (1), −v × m = m × v
            Reference::World => m_dot,                            // (2)
            Reference::LocalWorldAligned => {
                let p_dot = v.ang.cross_add(X.pos, v.lin);
                let lin = m.ang.cross_add(p_dot, m_dot.ang.cross_add(X.pos, m_dot.lin));
                Motion::new(lin, m_dot.ang) // (3)
            }
        }
    }
}
