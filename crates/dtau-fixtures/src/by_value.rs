//! Functions with small results, returned by value for readable tests.

use dtau::model::Model;
use dtau::scalar::Real;
use dtau::spatial::{Force, Vec3};
use dtau::{Com, Energy, Error, Scene, Workspace};

/// The centre of mass, as vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComVectors<T> {
    pub position: Vec3<T>,
    pub velocity: Vec3<T>,
    pub acceleration: Vec3<T>,
}

pub fn centre_of_mass<T: Real>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<ComVectors<T>, Error> {
    let zero = [T::zero(); 3];
    let mut com = Com { position: zero, velocity: zero, acceleration: zero };
    dtau::centre_of_mass(model, ws, q, v, a, &mut com)?;
    let Com { position, velocity, acceleration } = com;
    Ok(ComVectors { position: position.into(), velocity: velocity.into(), acceleration: acceleration.into() })
}

pub fn energy<'m, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<Energy<T>, Error> {
    let mut energy = Energy { kinetic: T::zero(), potential: T::zero() };
    dtau::energy(scene, ws, q, v, &mut energy)?;
    Ok(energy)
}

pub fn centroidal_momentum<T: Real>(model: &Model, ws: &mut Workspace<T>, q: &[T], v: &[T]) -> Result<Force<T>, Error> {
    let mut h = [T::zero(); 6];
    dtau::centroidal_momentum(model, ws, q, v, &mut h)?;
    Ok(Force::from_array(h))
}

pub fn centroidal_momentum_rate<T: Real>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<Force<T>, Error> {
    let mut hdot = [T::zero(); 6];
    dtau::centroidal_momentum_rate(model, ws, q, v, a, &mut hdot)?;
    Ok(Force::from_array(hdot))
}
