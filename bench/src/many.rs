//! The quantities by dtau, many states a call.

use crate::ours::{Ours, scene};
use crate::quantity::Quantity;
use crate::states::States;
use dtau::model::Model;
use dtau::{
    Batch, BatchScalar, Error, FdDerivativesMut, IdDerivativesMut, aba, crba, fd_derivatives, id_derivatives, minverse,
    rnea,
};
use std::time::Instant;

/// Largest memory of the results of a batch \[bytes\]; larger ones get fewer states.
const MEMORY: usize = 256 << 20;

/// A batch with its states and room for every result.
pub struct Many<'m, F: BatchScalar> {
    model: &'m Model,
    batch: Batch<F>,
    count: usize,
    q: Vec<F>,
    v: Vec<F>,
    x: Vec<F>,
    vector: Vec<F>,
    squares: [Vec<F>; 3],
}

impl<'m, F: BatchScalar> Many<'m, F> {
    /// `count` states, or as many as memory allows, made by repeating those given.
    pub fn new(model: &'m Model, batch: Batch<F>, states: &States, count: usize) -> Self {
        let nv = model.nv();
        let count = count.min(MEMORY / (3 * 8 * nv * nv)).max(1);
        let repeat = |x: &[f64]| -> Vec<F> {
            let each = x.len() / states.count;
            x.iter().cycle().take(count * each).map(|&x| F::from_f64(x)).collect()
        };
        let zeros = |n: usize| vec![F::zero(); count * n];
        Self {
            model,
            batch,
            count,
            q: repeat(&states.q),
            v: repeat(&states.v),
            x: repeat(&states.x),
            vector: zeros(nv),
            squares: [zeros(nv * nv), zeros(nv * nv), zeros(nv * nv)],
        }
    }

    /// How many states a call takes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Computes a quantity of [`Quantity::BATCHED`] at all states.
    ///
    /// # Errors
    /// If a body has no inertia along its joint.
    ///
    /// # Panics
    /// For any other quantity.
    pub fn run(&mut self, quantity: Quantity) -> Result<(), Error> {
        let Self { model, batch, q, v, x, vector, squares: [dq, dv, dx], .. } = self;
        let scene = scene(model);
        match quantity {
            Quantity::Rnea => rnea(scene, batch, q, v, x, vector),
            Quantity::Aba => aba(scene, batch, q, v, x, vector),
            Quantity::Crba => crba(scene, batch, q, dq),
            Quantity::Minverse => minverse(scene, batch, q, dq),
            Quantity::IdDerivatives => {
                let (dtau_dq, dtau_dv, dtau_da) = (dq.into(), dv.into(), dx.into());
                id_derivatives(scene, batch, q, v, x, IdDerivativesMut { tau: vector, dtau_dq, dtau_dv, dtau_da })
            }
            Quantity::FdDerivatives => {
                let out = FdDerivativesMut { qdd: vector, dqdd_dq: dq, dqdd_dv: dv, dqdd_dtau: dx };
                fd_derivatives(scene, batch, q, v, x, out)
            }
            _ => unreachable!("{quantity} is not measured in batches"),
        }
    }

    /// Nanoseconds that `calls` take.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn time(&mut self, quantity: Quantity, calls: u32) -> Result<f64, Error> {
        let start = Instant::now();
        for _ in 0..calls {
            self.run(quantity)?;
        }
        Ok(start.elapsed().as_nanos() as f64)
    }
}

impl<F: BatchScalar + Into<f64>> Many<'_, F> {
    /// The result of the last [`run`](Self::run) at the `i`-th state, in the order of
    /// [`Ours::result`](crate::ours::Ours::result).
    pub fn result(&self, quantity: Quantity, i: usize) -> Vec<f64> {
        let nv = self.model.nv();
        let arrays: &[(&[F], usize)] = &match quantity {
            Quantity::Rnea | Quantity::Aba => vec![(&self.vector[..], nv)],
            Quantity::Crba | Quantity::Minverse => vec![(&self.squares[0][..], nv * nv)],
            _ => self.squares.iter().map(|s| (&s[..], nv * nv)).collect(),
        };
        let of_state = arrays.iter().flat_map(|(all, each)| &all[i * each..(i + 1) * each]);
        of_state.map(|&x| x.into()).collect()
    }
}

impl Many<'_, f64> {
    /// Whether the last [`run`](Self::run) gave at every state what one state alone gives, bit for bit.
    ///
    /// # Errors
    /// Says where it did not; or if a body has no inertia along its joint.
    pub fn is_as_single(&self, quantity: Quantity) -> Result<(), String> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let mut ours = Ours::<f64>::new(self.model, &[]);
        for i in 0..self.count {
            let [v, x] = [&self.v, &self.x].map(|all| &all[i * nv..(i + 1) * nv]);
            ours.run(quantity, &self.q[i * nq..(i + 1) * nq], v, x).map_err(|e| e.to_string())?;
            same_bits(&self.result(quantity, i), &ours.result(quantity)).map_err(|entry| {
                format!("{quantity}: entry {entry} of state {i} of a batch is not that of the state alone")
            })?;
        }
        Ok(())
    }

    /// Whether the last [`run`](Self::run) gave what that of another batch with the same states gave, bit for bit.
    ///
    /// # Errors
    /// Says where it did not.
    pub fn is_as(&self, other: &Self, quantity: Quantity) -> Result<(), String> {
        (0..self.count).try_for_each(|i| {
            same_bits(&self.result(quantity, i), &other.result(quantity, i))
                .map_err(|entry| format!("{quantity}: entry {entry} of state {i} depends on the number of threads"))
        })
    }
}

/// The first entry in which two results differ, if there is one.
fn same_bits(a: &[f64], b: &[f64]) -> Result<(), usize> {
    match a.iter().zip(b).position(|(a, b)| a.to_bits() != b.to_bits()) {
        None => Ok(()),
        Some(entry) => Err(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::Both;
    use dtau::model::generate;

    #[test]
    fn a_batch_gives_what_single_states_give() {
        let model = Model::build(&generate::tree(7, 2), &Default::default()).unwrap();
        let both = Both::random(&model, 3, 1).unwrap();
        let mut ours = Ours::<f64>::new(&model, &[]);
        for quantity in Quantity::BATCHED {
            let states = if quantity.takes_torques() { &both.torques } else { &both.accelerations };
            let mut many = Many::<f64>::new(&model, Batch::new(&model), states, 5);
            many.run(quantity).unwrap();
            for i in 0..5 {
                let (q, v, x) = states.one(i % 3);
                ours.run(quantity, q, v, x).unwrap();
                assert_eq!(many.result(quantity, i), ours.result(quantity), "{quantity}, state {i}");
            }
            many.is_as_single(quantity).unwrap();
            many.vector[0] += 1.0;
            many.squares[0][0] += 1.0;
            assert!(many.is_as_single(quantity).unwrap_err().contains("entry 0 of state 0"), "{quantity}");
        }
    }

    #[test]
    fn large_robots_get_fewer_states() {
        let model = Model::build(&generate::chain(500), &Default::default()).unwrap();
        let both = Both::random(&model, 2, 1).unwrap();
        assert_eq!(Many::<f64>::new(&model, Batch::new(&model), &both.torques, 256).count(), 44);
    }
}
