//! The numbers of constraints, one by one: what code that is generated for some of them keeps in a table.

use super::{Constraint, Constraints};
use crate::model::{Constant, Model, OfConstraint};
use alloc::vec::Vec;

impl Constraints {
    /// All their numbers, in an order that depends on their kinds alone; see [`Model::constants`].
    pub fn constants(&self) -> Vec<(Constant, f64)> {
        let (mut all, mut items) = (Vec::new(), self.items().to_vec());
        visit(&mut items, &mut |which, x| all.push((which, *x)));
        all
    }

    /// These constraints on a model of the same shape, with other numbers, which are not checked; see [`Model::map_constants`].
    pub fn map_constants(&self, model: &Model, mut to: impl FnMut(Constant, f64) -> f64) -> Constraints {
        let mut items = self.items().to_vec();
        visit(&mut items, &mut |which, x| *x = to(which, *x));
        Constraints::assembled(model, items)
    }

    /// True if both hold the same with the same numbers, on models that were found to be one. Names do not count.
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
