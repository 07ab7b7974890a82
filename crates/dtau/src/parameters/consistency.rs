//! Physical consistency of the ten parameters of a rigid body.
//!
//! ```text
//! J = ∫ (r, 1)(r, 1)ᵀ dm = [ Σ    m c ]        Σ = ½ tr(I) 1 − I,    I = tr(Σ) 1 − Σ            (1)
//!                          [ m cᵀ  m  ]
//! ```
//!
//! Every body has a positive semi-definite J, and every such J has a body. J is singular only for bodies
//! without volume. Equivalently, the mass is positive, and the principal moments about the centre of mass
//! satisfy the triangle inequality.
//! Source: [Wensing18] §III; [Rucker22] §II.

use crate::error::{Error, ErrorKind};
use crate::model::validate::inertia::{fault, principal_moments, rounding, short};
use crate::model::{Inertial, Model};
use crate::spatial::{Inertia, Sym3, Vec3};
use alloc::format;
use alloc::string::String;

/// The pseudo-inertia matrix of the ten parameters of a link: 4 × 4, symmetric, positive definite for every
/// body that has a volume.
pub fn pseudo_inertia(parameters: &[f64; 10]) -> [[f64; 4]; 4] {
    let [m, hx, hy, hz, xx, xy, yy, xz, yz, zz] = *parameters;
    let half_trace = 0.5 * (xx + yy + zz);
    [
        [half_trace - xx, -xy, -xz, hx], // (1)
        [-xy, half_trace - yy, -yz, hy],
        [-xz, -yz, half_trace - zz, hz],
        [hx, hy, hz, m],
    ]
}

/// The ten parameters of a link from its pseudo-inertia matrix. The strictly lower triangle is not read.
pub fn from_pseudo_inertia(pseudo: &[[f64; 4]; 4]) -> [f64; 10] {
    let [[x, xy, xz, hx], [_, y, yz, hy], [_, _, z, hz], [.., m]] = *pseudo;
    [m, hx, hy, hz, y + z, -xy, x + z, -xz, -yz, x + y]
}

/// The inertia about the link's origin.
pub(super) fn inertia(parameters: &[f64; 10]) -> Inertia<f64> {
    let [mass, hx, hy, hz, xx, xy, yy, xz, yz, zz] = *parameters;
    Inertia { mass, h: Vec3::new(hx, hy, hz), rot: Sym3 { xx, xy, xz, yy, yz, zz } }
}

/// The parameters of an inertia.
pub(super) fn parameters(inertia: &Inertia<f64>) -> [f64; 10] {
    let Inertia { mass, h, rot } = *inertia;
    [mass, h.x, h.y, h.z, rot.xx, rot.xy, rot.yy, rot.xz, rot.yz, rot.zz]
}

/// Explains why the parameters are not physically consistent; `None` if they are, or if all are zero.
pub(super) fn inconsistency(parameters: &[f64; 10]) -> Option<String> {
    let mass = parameters[0];
    if let Some(number) = parameters.iter().find(|x| !x.is_finite()) {
        return Some(format!("a parameter is {number}"));
    }
    if parameters.iter().all(|&x| x == 0.0) {
        return None;
    }
    if mass <= 0.0 {
        return Some(format!("its mass is {} kg, which is not positive", short(mass)));
    }
    let body = inertia(parameters);
    let moments = principal_moments(&body.about(body.h * (1.0 / mass)));
    // The second moments are differences of numbers of this magnitude.
    let slack = rounding(moments[0], moments[2].max(body.rot.trace()));
    let reason = fault(moments, slack)?;
    let [a, b, c] = moments.map(short);
    Some(format!("its principal moments about the centre of mass are {a}, {b}, {c} kg m²: {reason}"))
}

impl Inertial {
    /// Inertia from mass, first moment and rotational inertia about the link's origin, in the order of
    /// [`parameters`](Self::parameters). A link without mass has its centre of mass at its origin.
    pub fn from_parameters(parameters: &[f64; 10]) -> Self {
        let body = inertia(parameters);
        let com = if body.mass == 0.0 { Vec3::zero() } else { body.h * (1.0 / body.mass) };
        Self { mass: body.mass, com, about_com: body.about(com) }
    }
}

impl Model {
    /// Checks that parameters are physically consistent, ten for every link as in
    /// [`inertial_parameters`](Self::inertial_parameters): the [`pseudo_inertia`] of each link must be
    /// positive semi-definite, up to the rounding of files. Ten zeros are a link without inertia.
    ///
    /// # Errors
    /// Names the first inconsistent link, the reason, and the remedy.
    pub fn check_parameters(&self, parameters: &[f64]) -> Result<(), Error> {
        let links = &self.description().links;
        if parameters.len() != 10 * links.len() {
            let (name, got, want) = (self.name(), parameters.len(), 10 * links.len());
            let message = format!("`parameters` has {got} numbers, but model \"{name}\" needs 10 links = {want}");
            return Err(Error::new(ErrorKind::Length, message));
        }
        for (link, parameters) in links.iter().zip(parameters.as_chunks::<10>().0) {
            if let Some(why) = inconsistency(parameters) {
                let message = format!(
                    "link {:?}: no rigid body has these parameters; {why}; identify it over `log_cholesky`, which reaches \
                     possible bodies only, or with more exciting motions",
                    link.name
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
        }
        Ok(())
    }

    /// Returns this robot with other inertial parameters, ten for every link as in
    /// [`inertial_parameters`](Self::inertial_parameters).
    ///
    /// # Errors
    /// Same as [`check_parameters`](Self::check_parameters) and [`Model::build`].
    pub fn with_parameters(&self, parameters: &[f64]) -> Result<Model, Error> {
        self.check_parameters(parameters)?;
        let mut description = self.description().clone();
        for (link, parameters) in description.links.iter_mut().zip(parameters.as_chunks::<10>().0) {
            let is_nothing = parameters.iter().all(|&x| x == 0.0) && link.inertial.is_none();
            link.inertial = (!is_nothing).then(|| Inertial::from_parameters(parameters));
        }
        Model::build(&description, self.options())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Options, generate};

    fn robot() -> Model {
        Model::build(&generate::random_tree(1, 6), &Options::default()).unwrap()
    }

    #[test]
    fn a_robot_with_its_own_parameters_is_the_same() {
        let model = robot();
        let parameters = model.inertial_parameters();
        let again = model.with_parameters(&parameters).unwrap().inertial_parameters();
        for (got, want) in again.iter().zip(&parameters) {
            assert!((got - want).abs() <= 1e-14 * want.abs().max(1.0), "{got} {want}");
        }
    }

    /// The message names the link, the reason, and the remedy.
    #[test]
    fn impossible_bodies_are_told_by_name() {
        let model = robot();
        let link = model.description().links.iter().position(|link| link.inertial.is_some()).unwrap();
        let name = &model.description().links[link].name;
        for (of_link, why) in [
            ([-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0], "its mass is -1 kg, which is not positive"),
            ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0], "its mass is 0 kg, which is not positive"),
            ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 3.0], "1, 1, 3 kg m²: one exceeds the sum of the others"),
            // Consistent about the link's origin, but not about a centre of mass 1 m away.
            ([1.0, 1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.9], "one is negative"),
            ([f64::NAN; 10], "a parameter is NaN"),
        ] {
            let mut parameters = model.inertial_parameters();
            parameters[10 * link..10 * link + 10].copy_from_slice(&of_link);
            let message = model.check_parameters(&parameters).unwrap_err().to_string();
            assert!(message.contains(&format!("link {name:?}")) && message.contains(why), "{message}");
            assert!(message.contains("log_cholesky"), "{message}");
            assert!(model.with_parameters(&parameters).is_err());
        }
        assert!(model.check_parameters(&[1.0; 7]).unwrap_err().to_string().contains("7 numbers"));
        model.check_parameters(&vec![0.0; model.inertial_parameters().len()]).unwrap();
    }
}
