//! Quantities computed by dtau, many states per call. Uses the library's list, whose overhead does not matter
//! in long calls.

use crate::ours::{Ours, constrained, scene};
use crate::quantity::Quantity;
use crate::states::States;
use dtau::model::Model;
use dtau::{Batch, BatchScalar, Constraints, Counts, Error, Function, Parameters};
use std::time::Instant;

/// Limit of memory for the results of a batch \[bytes\]. Larger results get fewer states.
const MEMORY: usize = 256 << 20;

/// Batch with its states and memory for the results of a quantity, as declared.
pub struct Many<'m, F: BatchScalar> {
    quantity: Quantity,
    function: Function,
    model: &'m Model,
    held: Option<&'m Constraints>,
    batch: Batch<F>,
    count: usize,
    /// q, v, the third argument and a covector, as far as the function reads them.
    inputs: Vec<Vec<F>>,
    outputs: Vec<Vec<F>>,
}

impl<'m, F: BatchScalar> Many<'m, F> {
    /// Makes a batch of `count` states, or as many as memory allows, by repeating the given ones.
    ///
    /// # Panics
    /// Panics if the function takes a frame. Those are computed one state per call.
    pub fn new(
        quantity: Quantity,
        model: &'m Model,
        held: Option<&'m Constraints>,
        batch: Batch<F>,
        states: &States,
        count: usize,
    ) -> Self {
        let declaration = quantity.declaration();
        let counts = Counts { columns: 1, rows: held.map_or(0, Constraints::rows) };
        let sizes = declaration.outputs.iter().map(|arg| arg.size.of(model, counts));
        let count = count.min(MEMORY / (8 * sizes.clone().sum::<usize>()).max(1)).max(1);
        let repeat = |x: &Vec<f64>| -> Vec<F> {
            let each = x.len() / states.count;
            x.iter().cycle().take(count * each).map(|&x| F::from_f64(x)).collect()
        };
        let restitution = vec![0.0; states.count];
        let third = if quantity.takes_restitution() { &restitution } else { &states.x };
        let inputs =
            [&states.q, &states.v, third, &states.v].into_iter().take(declaration.inputs.len()).map(repeat).collect();
        let outputs = sizes.map(|n| vec![F::zero(); count * n]).collect();
        let function = declaration.with(&Parameters::default()).expect("it takes nothing but a state");
        Self { quantity, function, model, held, batch, count, inputs, outputs }
    }

    /// Returns the number of states per call.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Computes the quantity at all states.
    ///
    /// # Errors
    /// Fails if a body has no inertia along its joint.
    pub fn run(&mut self) -> Result<(), Error> {
        let inputs: Vec<&[F]> = self.inputs.iter().map(|x| &x[..]).collect();
        let mut outputs: Vec<&mut [F]> = self.outputs.iter_mut().map(|y| &mut y[..]).collect();
        self.function.call(constrained(scene(self.model), self.held), &mut self.batch, &inputs, &mut outputs)
    }

    /// Returns the time of `calls` calls in nanoseconds.
    ///
    /// # Errors
    /// Same as [`run`](Self::run).
    pub fn time(&mut self, calls: u32) -> Result<f64, Error> {
        let start = Instant::now();
        for _ in 0..calls {
            self.run()?;
        }
        Ok(start.elapsed().as_nanos() as f64)
    }

    /// Returns the part of the `i`-th state.
    fn of<'a>(&self, all: &'a [F], i: usize) -> &'a [F] {
        let each = all.len() / self.count;
        &all[i * each..(i + 1) * each]
    }
}

impl<F: BatchScalar + Into<f64>> Many<'_, F> {
    /// Returns the result of the last [`run`](Self::run) at the `i`-th state, in the order of
    /// [`Ours::result`](crate::ours::Ours::result).
    pub fn result(&self, i: usize) -> Vec<f64> {
        let of_state = self.quantity.compared().flat_map(|k| self.of(&self.outputs[k], i));
        of_state.map(|&x| x.into()).collect()
    }
}

impl Many<'_, f64> {
    /// Checks that the last [`run`](Self::run) gave the same bits at every state as a single state.
    ///
    /// # Errors
    /// Reports the place of a difference. Also fails if a body has no inertia along its joint.
    pub fn is_as_single(&self) -> Result<(), String> {
        let mut ours = Ours::<f64>::new(self.quantity, self.model, &[], self.held);
        for i in 0..self.count {
            let input = |k: usize| self.inputs.get(k).map_or(&[][..], |x| self.of(x, i));
            ours.run(input(0), input(1), input(2)).map_err(|e| e.to_string())?;
            same_bits(&self.result(i), &ours.result()).map_err(|entry| {
                let quantity = self.quantity;
                format!("{quantity}: entry {entry} of state {i} of a batch is not that of the state alone")
            })?;
        }
        Ok(())
    }

    /// Checks that the last [`run`](Self::run) gave the same bits as that of another batch with the same states.
    ///
    /// # Errors
    /// Reports the place of a difference.
    pub fn is_as(&self, other: &Self) -> Result<(), String> {
        (0..self.count).try_for_each(|i| {
            let differs =
                |entry| format!("{}: entry {entry} of state {i} depends on the number of threads", self.quantity);
            same_bits(&self.result(i), &other.result(i)).map_err(differs)
        })
    }
}

/// Finds the first entry in which two results differ.
fn same_bits(a: &[f64], b: &[f64]) -> Result<(), usize> {
    match a.iter().zip(b).position(|(a, b)| a.to_bits() != b.to_bits()) {
        None if a.len() == b.len() => Ok(()),
        None => Err(a.len().min(b.len())),
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
        for quantity in Quantity::batched().filter(|q| !q.is_constrained()) {
            let mut ours = Ours::<f64>::new(quantity, &model, &[], None);
            let states = if quantity.takes_torques() { &both.torques } else { &both.accelerations };
            let mut many = Many::<f64>::new(quantity, &model, None, Batch::new(&model), states, 5);
            many.run().unwrap();
            for i in 0..5 {
                let (q, v, x) = states.one(i % 3);
                ours.run(q, v, x).unwrap();
                assert_eq!(many.result(i), ours.result(), "{quantity}, state {i}");
            }
            many.is_as_single().unwrap();
            let compared = quantity.compared().next().unwrap();
            many.outputs[compared][0] += 1.0;
            assert!(many.is_as_single().unwrap_err().contains("entry 0 of state 0"), "{quantity}");
        }
    }

    #[test]
    fn large_robots_get_fewer_states() {
        let model = Model::build(&generate::chain(500), &Default::default()).unwrap();
        let both = Both::random(&model, 2, 1).unwrap();
        let count = |quantity| Many::<f64>::new(quantity, &model, None, Batch::new(&model), &both.torques, 256).count();
        assert_eq!((count(Quantity::FD_DERIVATIVES), count(Quantity::RNEA)), (44, 256));
    }
}
