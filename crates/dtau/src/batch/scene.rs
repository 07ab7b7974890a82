//! What a call on many states acts on.

use crate::model::Model;
use crate::scene::Scene;

/// A model and what surrounds it, for many states: a [`Scene`], with forces that may differ from state to state.
///
/// Every function that takes `impl Into<BatchScene>` takes `&model` and a [`Scene`]; the wrenches of a scene then act in
/// every state.
///
/// ```
/// # use dtau::{batch::{self, Batch}, model::{generate, Model, Options}, Wrench};
/// # let model = Model::build(&generate::chain(2), &Options::default())?;
/// # let mut batch = Batch::new(&model);
/// # let (q, v, a, mut tau) = ([0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]);
/// let push = [Wrench::local(model.frame("link_2")?, [0.0; 3], [0.0; 3])]; // where; how much is below
/// let forces = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, /* second state: */ 2.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// batch::rnea(model.scene().wrenches(&push).forces(&forces), &mut batch, &q, &v, &a, &mut tau)?;
/// # Ok::<(), dtau::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BatchScene<'a, F> {
    pub(super) scene: Scene<'a, F>,
    pub(super) forces: Option<&'a [F]>,
}

impl<'a, F> BatchScene<'a, F> {
    /// Force and torque of every wrench, state by state: states × wrenches × 6, forces first. They stand for those in the
    /// scene's wrenches, which keep their frames, axes and points.
    pub fn forces(mut self, forces: &'a [F]) -> Self {
        self.forces = Some(forces);
        self
    }
}

impl<'a, F> Scene<'a, F> {
    /// For batches: the same with forces that differ from state to state, see [`BatchScene::forces`].
    pub fn forces(self, forces: &'a [F]) -> BatchScene<'a, F> {
        BatchScene::from(self).forces(forces)
    }
}

impl<'a, F> From<Scene<'a, F>> for BatchScene<'a, F> {
    fn from(scene: Scene<'a, F>) -> Self {
        Self { scene, forces: None }
    }
}

impl<'a, F> From<&'a Model> for BatchScene<'a, F> {
    fn from(model: &'a Model) -> Self {
        Scene::from(model).into()
    }
}
