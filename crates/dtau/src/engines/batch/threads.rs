//! Threads that stay awake for a moment.
//!
//! A sleeping thread takes tens of microseconds to wake up: as long as a thousand torques of a small robot take. So after a call
//! a thread of the pool looks out for the next one before it goes to sleep.

use super::BatchScalar;
use super::queue::Queue;
use super::worker::{Task, Worker};
use crate::error::{Error, ErrorKind};
use alloc::format;
use core::hint;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long they look out for another call, in terms of the last one, and at most: what is wasted is in proportion to what was done.
const AWAKE: (u32, Duration) = (2, Duration::from_millis(1));

/// How often they look before they offer the core to whoever else has work.
const LOOKS: usize = 64;

/// All threads of a batch but the one that calls.
pub struct Threads {
    pool: rayon::ThreadPool,
    /// How many calls have begun.
    calls: Arc<AtomicUsize>,
}

impl Threads {
    /// Together with the one that calls, so many.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads - 1).build();
        let pool = pool.map_err(|e| Error::new(ErrorKind::Threads, format!("cannot start {threads} threads: {e}")))?;
        Ok(Self { pool, calls: Arc::default() })
    }

    /// One worker here and the others on threads of the pool, until the queue is empty. This thread begins while the others wake
    /// up, if they sleep.
    pub fn run<F: BatchScalar>(&self, workers: &mut [Worker<F>], task: &Task<'_, F>, queue: &mut Queue<'_, F>) {
        let queue = &Mutex::new(queue);
        let look = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |worker: &mut Worker<F>| {
            // Not a `while let`: its scrutinee lives, and holds the queue's lock, during the body.
            loop {
                let Some(part) = look().next() else { break };
                let count = part.count;
                let result = F::compute(worker, task, part);
                look().report(count, result);
            }
        };
        let Some((first, others)) = workers.split_first_mut() else { return };
        let begun = Instant::now();
        self.pool.in_place_scope(|scope| {
            for worker in others {
                scope.spawn(move |_| {
                    work(worker);
                    let calls = Arc::clone(&self.calls);
                    let (times, most) = AWAKE;
                    rayon::spawn(move || look_out(&calls, most.min(times * begun.elapsed())));
                });
            }
            self.calls.fetch_add(1, Ordering::Relaxed);
            work(first);
        });
    }
}

/// Keeps a thread awake until another call begins, but not for long. It computes nothing.
fn look_out(calls: &AtomicUsize, awake: Duration) {
    let (seen, since) = (calls.load(Ordering::Relaxed), Instant::now());
    while since.elapsed() < awake {
        for _ in 0..LOOKS {
            if calls.load(Ordering::Relaxed) != seen {
                return;
            }
            hint::spin_loop();
        }
        thread::yield_now();
    }
}
