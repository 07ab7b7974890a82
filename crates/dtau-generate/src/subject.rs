//! The subject of generated code: a robot, or a robot under constraints.

use dtau::model::{Constant, Model};
use dtau::scalar::Real;
use dtau::{Constraints, Counts, Scene};

/// A robot, with constraints for functions that act on them. Made from a `&Model`, or from `&Constraints`,
/// which know their model.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The robot.
    pub model: &'a Model,
    /// Its constraints. All of them are active, and none has a desired motion.
    pub constraints: Option<&'a Constraints>,
}

impl<'a> From<&'a Model> for Subject<'a> {
    fn from(model: &'a Model) -> Self {
        Self { model, constraints: None }
    }
}

impl<'a> From<&'a Constraints> for Subject<'a> {
    fn from(constraints: &'a Constraints) -> Self {
        Self { model: constraints.model(), constraints: Some(constraints) }
    }
}

impl<'a> Subject<'a> {
    /// Returns the `Scene` that functions take.
    pub(crate) fn scene<T: Real>(self) -> Scene<'a, T> {
        let scene = Scene::from(self.model);
        match self.constraints {
            Some(constraints) => scene.constraints(constraints),
            None => scene,
        }
    }

    /// Returns the counts that array sizes depend on.
    pub(crate) fn counts(self) -> Counts {
        Counts { columns: 1, rows: self.constraints.map_or(0, Constraints::rows) }
    }

    /// Returns all numbers.
    pub(crate) fn constants(self) -> Vec<(Constant, f64)> {
        let mut all = self.model.constants();
        all.extend(self.constraints.map(Constraints::constants).into_iter().flatten());
        all
    }

    /// Returns a copy with other numbers.
    pub(crate) fn map_constants(self, mut to: impl FnMut(Constant, f64) -> f64) -> Owned {
        let model = self.model.map_constants(&mut to);
        let constraints = self.constraints.map(|constraints| constraints.map_constants(&model, to));
        Owned { model, constraints }
    }
}

/// Subject that owns its data.
#[derive(Clone, Debug)]
pub(crate) struct Owned {
    pub(crate) model: Model,
    pub(crate) constraints: Option<Constraints>,
}

impl Owned {
    pub(crate) fn borrowed(&self) -> Subject<'_> {
        Subject { model: &self.model, constraints: self.constraints.as_ref() }
    }
}
