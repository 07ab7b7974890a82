//! The numbers of constraints, one by one: what code that is generated for some of them keeps in a table.

use super::{Constraint, Constraints, Held, Kind, Pair};
use crate::model::{Constant, Model, OfConstraint, placement, vector};
use alloc::vec::Vec;

impl Constraints {
    /// All their numbers, in an order that depends on their kinds alone; see [`Model::constants`].
    pub fn constants(&self) -> Vec<(Constant, f64)> {
        let (mut all, mut items) = (Vec::new(), self.items().to_vec());
        visit(&mut items, &mut |which, x| all.push((which, *x)));
        all
    }

    /// The same constraints on a model of the same shape, with other numbers, which nobody checks; see [`Model::map_constants`].
    pub fn map_constants(&self, model: &Model, mut to: impl FnMut(Constant, f64) -> f64) -> Constraints {
        let mut items = self.items().to_vec();
        visit(&mut items, &mut |which, x| *x = to(which, *x));
        Constraints::assembled(model, items)
    }

    /// Whether they hold the same with the same numbers, whatever their names are, on models that are found to be one.
    #[cfg(feature = "batch")]
    pub(crate) fn is_same(&self, other: &Constraints) -> bool {
        let alike = |a: &Constraint, b: &Constraint| a.rows == b.rows && a.gains == b.gains && a.kind == b.kind;
        let all = || self.len() == other.len() && self.items().iter().zip(other.items()).all(|(a, b)| alike(a, b));
        self.is(other) || all()
    }
}

fn visit(items: &mut [Constraint], f: &mut dyn FnMut(Constant, &mut f64)) {
    for (i, item) in items.iter_mut().enumerate() {
        let mut of = |which: OfConstraint, x: &mut f64| f(Constant::Constraint(i, which), x);
        let places = |pair: &mut Pair, of: &mut dyn FnMut(OfConstraint, &mut f64)| {
            placement(&mut pair.first.placement, |k, x| of(OfConstraint::First(k), x));
            placement(&mut pair.second.placement, |k, x| of(OfConstraint::Second(k), x));
        };
        match &mut item.kind {
            Kind::Held(Held { pair, some, .. }) => {
                places(pair, &mut of);
                for (k, direction) in some.iter_mut().enumerate() {
                    vector(&mut direction.along, |axis, x| of(OfConstraint::Direction(3 * k + axis), x));
                }
            }
            Kind::Distance(pair, length) => {
                places(pair, &mut of);
                of(OfConstraint::Target, length);
            }
            Kind::Joints(terms, constant) => {
                for (k, term) in terms.iter_mut().enumerate() {
                    of(OfConstraint::Factor(k), &mut term.factor);
                }
                of(OfConstraint::Target, constant);
            }
        }
        of(OfConstraint::Kp, &mut item.gains.kp);
        of(OfConstraint::Kd, &mut item.gains.kd);
    }
}
