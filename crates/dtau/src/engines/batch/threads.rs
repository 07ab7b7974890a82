//! Threads that stay awake for a moment.
//!
//! A sleeping thread takes tens of microseconds to wake up, as long as a thousand torques of a small robot
//! take. So after a call, a thread of the pool waits actively for the next one before it goes to sleep.

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

/// Active waiting time, as a multiple of the last call's duration, and its upper limit. The waste is
/// proportional to the work.
const AWAKE: (u32, Duration) = (2, Duration::from_millis(1));

/// Number of looks before a thread yields the core to others.
const LOOKS: usize = 64;

/// All threads of a batch except the calling one.
pub struct Threads {
    pool: rayon::ThreadPool,
    /// Number of calls that have started.
    calls: Arc<AtomicUsize>,
}

impl Threads {
    /// Starts the threads; `threads` includes the calling one.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads - 1).build();
        let pool = pool.map_err(|e| Error::new(ErrorKind::Threads, format!("cannot start {threads} threads: {e}")))?;
        Ok(Self { pool, calls: Arc::default() })
    }

    /// Runs one worker here and the others on threads of the pool, until the queue is empty. This thread
    /// starts while sleeping threads wake up.
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

/// Keeps a thread awake for a limited time, until another call begins. It computes nothing.
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
