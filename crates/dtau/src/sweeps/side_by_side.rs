//! Storage that hides lanes: a quantity of every degree of freedom, with neighbours side by side in
//! registers.
//!
//! Steps that go from body to body access one quantity by its slot. Steps without dependencies process a
//! register of neighbours at a time. Quantities of a body are in the slot of its last degree of freedom
//! ([`Body::slot`](crate::model::Body)). The world has the last slot.

use crate::dispatch::Register;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::Lanewise;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Add;

/// A `Q` over [`Register<T>`](Register), one for each group of neighbours that fills a register.
#[derive(Debug)]
pub(crate) struct SideBySide<T, Q> {
    /// Groups of neighbours, in the order of their slots.
    pub(crate) neighbours: Vec<Q>,
    scalar: PhantomData<T>,
}

/// Empty storage.
impl<T, Q> Default for SideBySide<T, Q> {
    fn default() -> Self {
        Self { neighbours: Vec::new(), scalar: PhantomData }
    }
}

/// Number of neighbours in a register: 1, 2, 4 or 8. Masks of rows have one bit for each, and tiles have
/// space for eight.
#[inline(always)]
pub(crate) const fn width<T: Real>() -> usize {
    const { assert!(matches!(<Register<T> as Wide<T>>::WIDTH, 1 | 2 | 4 | 8), "registers hold 1, 2, 4 or 8 numbers") };
    <Register<T> as Wide<T>>::WIDTH
}

impl<T: Real, Q: Copy + Default> SideBySide<T, Q> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let slots = tree.dofs.len() + 1; // and the world's
        Self { neighbours: vec![Q::default(); slots.div_ceil(width::<T>())], scalar: PhantomData }
    }

    /// Reads a slot.
    #[inline(always)]
    pub(crate) fn get<X>(&self, slot: usize) -> X
    where
        Q: Lanewise<X>,
    {
        self.neighbours[slot / width::<T>()].lane(slot % width::<T>())
    }

    /// Writes a slot.
    #[inline(always)]
    pub(crate) fn set<X>(&mut self, slot: usize, x: X)
    where
        Q: Lanewise<X>,
    {
        self.neighbours[slot / width::<T>()].set_lane(slot % width::<T>(), x);
    }

    /// Adds to a slot.
    #[inline(always)]
    pub(crate) fn add<X: Add<Output = X>>(&mut self, slot: usize, x: X)
    where
        Q: Lanewise<X>,
    {
        let (neighbours, lane) = (&mut self.neighbours[slot / width::<T>()], slot % width::<T>());
        neighbours.set_lane(lane, neighbours.lane(lane) + x);
    }

    /// Writes one field of a slot.
    #[inline(always)]
    pub(crate) fn set_field<X, Y: Lanewise<X>>(&mut self, slot: usize, field: impl FnOnce(&mut Q) -> &mut Y, x: X) {
        field(&mut self.neighbours[slot / width::<T>()]).set_lane(slot % width::<T>(), x);
    }

    /// Adds to one field of a slot.
    #[inline(always)]
    pub(crate) fn add_field<X: Add<Output = X>, Y: Lanewise<X>>(
        &mut self,
        slot: usize,
        field: impl FnOnce(&mut Q) -> &mut Y,
        x: X,
    ) {
        let (field, lane) = (field(&mut self.neighbours[slot / width::<T>()]), slot % width::<T>());
        field.set_lane(lane, field.lane(lane) + x);
    }

    /// Copies from the slots of bodies to those of all their degrees of freedom.
    #[inline(always)]
    pub(crate) fn spread<X: Copy>(&mut self, tree: &Tree)
    where
        Q: Lanewise<X>,
    {
        for &i in &tree.wide_joints {
            let body = &tree.bodies[i];
            let x = self.get(body.slot);
            for k in body.v.clone() {
                self.set(k, x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Model, Options, Root, generate};
    use crate::scalar::Lanes;
    use crate::spatial::{Motion, Vec3};

    /// Writing a slot does not change any other slot, even in the same register.
    fn slots_are_apart<T: Real>() {
        let options = Options { root: Root::Floating, ..Options::default() };
        let model = Model::build(&generate::random_tree(3, 7), &options).unwrap();
        let tree = model.tree();
        let mut x = SideBySide::<T, Motion<Register<T>>>::new(tree);
        let motion = |k: usize| {
            let number = |i: usize| T::from_f64((10 * k + i) as f64);
            Motion::new(Vec3::new(number(0), number(1), number(2)), Vec3::new(number(3), number(4), number(5)))
        };
        for k in 0..=tree.dofs.len() {
            x.set(k, motion(k));
        }
        x.add(2, motion(1));
        x.set_field(3, |m| &mut m.ang, Vec3::zero());
        x.add_field(3, |m| &mut m.ang, motion(0).ang);
        for k in 0..=tree.dofs.len() {
            let want = match k {
                2 => motion(2) + motion(1),
                3 => Motion::new(motion(3).lin, motion(0).ang),
                _ => motion(k),
            };
            assert_eq!(x.get::<Motion<T>>(k), want, "slot {k}");
        }
        x.spread::<Motion<T>>(tree);
        for body in &tree.bodies[1..] {
            let of_body = x.get::<Motion<T>>(body.slot);
            assert!(body.v.clone().all(|k| x.get::<Motion<T>>(k) == of_body));
        }
    }

    #[test]
    fn slots_are_apart_in_registers_of_any_width() {
        slots_are_apart::<f64>();
        slots_are_apart::<Lanes<4>>();
        #[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
        if crate::dispatch::Proof::<crate::scalar::Native<f64>>::find().is_some() {
            slots_are_apart::<crate::scalar::Native<f64>>();
            slots_are_apart::<crate::scalar::Native<f32>>();
        }
    }
}
