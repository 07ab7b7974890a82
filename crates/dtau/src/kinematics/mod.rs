//! Where things are and how they move: frames, the centre of mass, momentum, the configuration space.

pub(crate) mod centroidal;
pub(crate) mod com;
mod configuration;
mod error;
mod forward;
mod frames;
mod jacobian;
mod reference;

pub(crate) use centroidal::{CentroidalMatrix, CentroidalMomentum, CentroidalMomentumRate};
pub use centroidal::{centroidal_matrix, centroidal_momentum, centroidal_momentum_rate};
pub(crate) use com::{CentreOfMass, ComJacobian};
pub use com::{Com, ComMut, centre_of_mass, com_jacobian};
pub(crate) use configuration::{Difference, DifferencePartials, Integrate, IntegratePartials, Normalise};
pub use configuration::{difference, difference_derivatives, integrate, integrate_derivatives, normalise};
pub(crate) use error::{Apart, FrameError, FrameErrorPartials};
pub use error::{frame_error, frame_error_derivatives};
pub use forward::{Kinematics, Placements};
pub(crate) use frames::{
    BodyMotions, FrameAcceleration, FrameClassicalAcceleration, FramePlacement, FrameVelocity, InScratch, Motions,
    PlacementsOf, move_bodies, move_frame,
};
pub use frames::{
    KinematicsMut, forward_kinematics, frame_acceleration, frame_classical_acceleration, frame_placement,
    frame_velocity, placements,
};
pub(crate) use jacobian::{FrameJacobian, FrameJacobianRate};
pub use jacobian::{frame_jacobian, frame_jacobian_rate};
pub use reference::Reference;
