//! Distribution of states to workers: parts of a few dozen, handed out in order.

use super::worker::{Part, Task};
use super::{OnProgress, Progress};
use crate::door::MOST_ARRAYS;
use crate::error::{Error, ErrorKind};
use alloc::format;
use core::array;
use core::mem;

/// Number of states between two accesses to the queue: enough to make the access cheap, few enough to balance
/// the load and to stop soon.
const MOST_STATES: usize = 64;

/// Number of states of a part. Results do not depend on it.
pub fn chunk(states: usize, workers: usize, lanes: usize) -> usize {
    if workers == 1 {
        return MOST_STATES;
    }
    // About eight parts per worker, so that all workers finish at nearly the same time.
    states.div_ceil(8 * workers).next_multiple_of(lanes).clamp(lanes, MOST_STATES)
}

/// The first state that failed, with its error.
#[derive(Debug)]
pub struct Failure {
    pub state: usize,
    pub error: Error,
}

/// The states that are not yet started, and the results of the others.
pub struct Queue<'a, F> {
    outputs: [&'a mut [F]; MOST_ARRAYS],
    sizes: [usize; MOST_ARRAYS],
    chunk: usize,
    begun: usize,
    done: usize,
    total: usize,
    progress: Option<&'a OnProgress>,
    interrupted: bool,
    failure: Option<Failure>,
}

impl<'a, F> Queue<'a, F> {
    pub fn new(
        task: &Task<'_, F>,
        outputs: [&'a mut [F]; MOST_ARRAYS],
        chunk: usize,
        progress: Option<&'a OnProgress>,
    ) -> Self {
        let (sizes, total) = (task.output_sizes, task.states);
        Self { outputs, sizes, chunk, begun: 0, done: 0, total, progress, interrupted: false, failure: None }
    }

    /// The next states; `None` if there are no more or the call has ended.
    pub fn next(&mut self) -> Option<Part<'a, F>> {
        let count = self.chunk.min(self.total - self.begun);
        if count == 0 || self.interrupted || self.failure.is_some() {
            return None;
        }
        let outputs = array::from_fn(|i| {
            let (now, later) = mem::take(&mut self.outputs[i]).split_at_mut(count * self.sizes[i]);
            self.outputs[i] = later;
            now
        });
        let first = self.begun;
        self.begun += count;
        Some(Part { first, count, outputs })
    }

    /// Parts are handed out in order. When one fails, all before it have been started and will be reported.
    /// This finds the failure of the lowest state, whichever fails first.
    pub fn report(&mut self, count: usize, result: Result<(), Failure>) {
        match result {
            Err(failure) => {
                if self.failure.as_ref().is_none_or(|known| failure.state < known.state) {
                    self.failure = Some(failure);
                }
            }
            Ok(()) => {
                self.done += count;
                if let Some(progress) = self.progress
                    && !self.interrupted
                {
                    self.interrupted = progress(Progress { done: self.done, total: self.total }).is_break();
                }
            }
        }
    }

    /// The result of the call. A failed state takes precedence over an interruption.
    pub fn result(self) -> Result<(), Error> {
        match self.failure {
            Some(Failure { state, error }) => Err(match error.kind() {
                ErrorKind::Singular | ErrorKind::Value => error.in_state(state),
                _ => error, // not an error of the state: do not name it
            }),
            None if self.interrupted => {
                let message = format!("interrupted after {} of {} states", self.done, self.total);
                Err(Error::new(ErrorKind::Interrupted, message))
            }
            None => Ok(()),
        }
    }
}
