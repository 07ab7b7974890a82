//! The numbers of constraints as a list, for code that is generated for them: it keeps them in a table.

use super::{Constraint, Constraints};
use crate::model::{Constant, Model, OfConstraint};
use alloc::vec::Vec;

impl Constraints {
    /// Returns all numbers, in an order that depends only on the kinds of constraints; see
    /// [`Model::constants`].
    pub fn constants(&self) -> Vec<(Constant, f64)> {
        let (mut all, mut items) = (Vec::new(), self.items().to_vec());
        visit(&mut items, &mut |which, x| all.push((which, *x)));
        all
    }

    /// Returns these constraints on a model of the same shape, with other numbers, which are not checked; see
    /// [`Model::map_constants`].
    pub fn map_constants(&self, model: &Model, mut to: impl FnMut(Constant, f64) -> f64) -> Constraints {
        let mut items = self.items().to_vec();
        visit(&mut items, &mut |which, x| *x = to(which, *x));
        Constraints::assembled(model, items)
    }

    /// True if both have the same constraints with the same numbers. The models must already be known to be
    /// equal. Names are ignored.
    #[cfg(feature = "batch")]
    pub(crate) fn is_same(&self, other: &Constraints) -> bool {
        let alike = |a: &Constraint, b: &Constraint| a.rows == b.rows && a.gains == b.gains && a.kind == b.kind;
        let all = || self.len() == other.len() && self.items().iter().zip(other.items()).all(|(a, b)| alike(a, b));
        self.is(other) || all()
    }
}

pub(super) fn visit(items: &mut [Constraint], f: &mut dyn FnMut(Constant, &mut f64)) {
    for (i, item) in items.iter_mut().enumerate() {
        let mut of = |which: OfConstraint, x: &mut f64| f(Constant::Constraint(i, which), x);
        item.kind.visit(&mut of);
        of(OfConstraint::Kp, &mut item.gains.kp);
        of(OfConstraint::Kd, &mut item.gains.kd);
    }
}
