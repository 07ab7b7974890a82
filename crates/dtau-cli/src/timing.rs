//! How long calls take: minimum, mean and spread, several subjects side by side.

use crate::machine;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Times of one call \[ns\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    pub min: f64,
    /// The mean of the samples between the 10th and the 90th percentile, so that an interruption by another program does not
    /// count.
    pub mean: f64,
    /// The 10th and the 90th percentile of the samples: the noise.
    pub low: f64,
    pub high: f64,
    /// How far apart the least times of two halves of the rounds are, relatively: how well the least time is known.
    #[serde(default)]
    pub doubt: f64,
    /// How many calls were made.
    pub calls: u64,
}

impl Timing {
    /// Of one of so many that a call does at once.
    pub fn of_one(self, of: usize) -> Self {
        let [min, mean, low, high] = [self.min, self.mean, self.low, self.high].map(|time| time / of as f64);
        Self { min, mean, low, high, ..self }
    }
}

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Each subject, about.
    pub each: Duration,
    /// But at least so many samples, however long one call takes.
    pub samples: usize,
    /// So many rounds more for what is not known well yet.
    pub more: usize,
}

impl Budget {
    pub fn millis(each: u64, samples: usize) -> Self {
        Self { each: Duration::from_millis(each), samples, more: 0 }
    }

    /// With rounds more, until two halves of them agree on the least time.
    pub fn until_steady(self, more: usize) -> Self {
        Self { more, ..self }
    }
}

/// What is timed: a call on one of the prepared states, by its number. It may fail, such as where a body has no inertia.
pub type Call<'a> = Box<dyn FnMut(usize) -> Result<(), String> + 'a>;

/// A sample is the mean of so many calls that reading the clock, some 30 ns, does not count.
const SAMPLE: Duration = Duration::from_micros(4);

/// Calls take turns, so that a slow moment of the machine does not strike one of them alone.
const TURNS: usize = 8;

/// Two halves of the rounds agree.
const STEADY: f64 = 0.02;

/// A call this long, about a turn on a processor, may be interrupted each time it is made; then the time it waited is taken off. A
/// shorter one is not interrupted often enough to reach the least time.
const LONG: f64 = 2e6; // ns

/// Asking how long it waited takes some 20 µs, and waiting some milliseconds. If asking took longer than this it waited just then, and
/// nothing is taken off.
const ASKING: Duration = Duration::from_micros(200);

/// Times calls on `states` states in turn.
pub fn measure(calls: &mut [Call<'_>], states: usize, budget: Budget) -> Result<Vec<Timing>, String> {
    let mut runs = calls.iter_mut().map(|call| Run::begin(call, states)).collect::<Result<Vec<_>, _>>()?;
    for turn in 0..TURNS {
        for (call, run) in calls.iter_mut().zip(&mut runs) {
            run.turn(turn, call, budget.each / TURNS as u32, (budget.samples * (turn + 1)).div_ceil(TURNS))?;
        }
    }
    for turn in TURNS..TURNS + budget.more {
        for (call, run) in calls.iter_mut().zip(&mut runs).filter(|(_, run)| run.doubt() > STEADY) {
            let enough = run.samples.len() + 1;
            run.turn(turn, call, budget.each / TURNS as u32, enough)?;
        }
    }
    Ok(runs.iter_mut().map(Run::end).collect())
}

/// A call being timed.
struct Run {
    states: usize,
    next: usize,
    calls_a_sample: u32,
    /// Whether waiting for a processor is taken off.
    long: bool,
    /// ns a call.
    samples: Vec<f64>,
    /// The least of the even and of the odd rounds.
    halves: [f64; 2],
}

impl Run {
    /// Warms up, and finds how many calls make a sample.
    fn begin(call: &mut Call<'_>, states: usize) -> Result<Self, String> {
        let mut run =
            Self { states, next: 0, calls_a_sample: 1, long: false, samples: Vec::new(), halves: [f64::INFINITY; 2] };
        let mut once = f64::INFINITY;
        for _ in 0..3 {
            once = once.min(run.sample(call)?);
            if once > 1e7 {
                break; // 10 ms: no need to know better
            }
        }
        run.long = once > LONG;
        run.calls_a_sample = (SAMPLE.as_nanos() as f64 / once).ceil().clamp(1.0, 1e4) as u32;
        Ok(run)
    }

    /// Samples until the time is over and there are so many.
    fn turn(&mut self, turn: usize, call: &mut Call<'_>, time: Duration, samples: usize) -> Result<(), String> {
        let start = Instant::now();
        while self.samples.len() < samples || start.elapsed() < time {
            let sample = self.sample(call)?;
            self.samples.push(sample);
            self.halves[turn % 2] = self.halves[turn % 2].min(sample);
        }
        Ok(())
    }

    /// How far the halves of the rounds are apart; all of it if one half has no sample.
    fn doubt(&self) -> f64 {
        let [even, odd] = self.halves;
        (even.max(odd) / even.min(odd) - 1.0).min(1.0)
    }

    /// ns a call.
    fn sample(&mut self, call: &mut Call<'_>) -> Result<f64, String> {
        let asked = if self.long { Some(Instant::now()).zip(machine::waited()) } else { None };
        let start = Instant::now();
        for _ in 0..self.calls_a_sample {
            call(black_box(self.next))?;
            self.next = if self.next + 1 == self.states { 0 } else { self.next + 1 };
        }
        let end = Instant::now();
        let waited = asked.map_or(Duration::ZERO, |(asked, before)| {
            let waited = machine::waited().unwrap_or(before).saturating_sub(before);
            // Otherwise some of it was not in the calls.
            let in_calls = start - asked < ASKING && end.elapsed() < ASKING;
            if in_calls { waited } else { Duration::ZERO }
        });
        Ok((end - start).saturating_sub(waited).as_nanos().max(1) as f64 / f64::from(self.calls_a_sample))
    }

    fn end(&mut self) -> Timing {
        let doubt = self.doubt();
        let samples = &mut self.samples;
        samples.sort_by(f64::total_cmp);
        let place = |share: f64| ((samples.len() - 1) as f64 * share).round() as usize;
        let middle = &samples[place(0.1)..=place(0.9)];
        Timing {
            min: samples[0],
            mean: middle.iter().sum::<f64>() / middle.len() as f64,
            low: middle[0],
            high: middle[middle.len() - 1],
            doubt,
            calls: samples.len() as u64 * u64::from(self.calls_a_sample),
        }
    }
}

/// A time for people: `420 ns`, `12.3 µs`, `4.56 ms`.
pub fn text(ns: f64) -> String {
    let (number, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    let decimals = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything is called, on every state, and the numbers are in order.
    #[test]
    fn timings_are_ordered_and_cover_all_states() {
        let mut seen = [[0u32; 3]; 2];
        let (first, second) = seen.split_at_mut(1);
        let count = |seen: &mut [u32; 3], k: usize| -> Result<(), String> {
            seen[k] += 1;
            Ok(())
        };
        let mut calls: [Call<'_>; 2] = [Box::new(|k| count(&mut first[0], k)), Box::new(|k| count(&mut second[0], k))];
        let timings = measure(&mut calls, 3, Budget::millis(1, 20)).unwrap();
        drop(calls);
        for (Timing { min, mean, low, high, calls, doubt }, seen) in timings.into_iter().zip(seen) {
            assert!(min <= low && low <= mean && mean <= high && calls >= 20 && (0.0..=1.0).contains(&doubt));
            assert!(seen.iter().all(|&n| n > 0) && seen.iter().max().unwrap() - seen.iter().min().unwrap() <= 1);
        }
    }

    /// A call that is quick at first and slow later: the halves do not agree until both have seen it quick, or the rounds end.
    #[test]
    fn what_is_not_known_well_is_measured_again_or_doubted() {
        // Slow in the odd rounds of the first eight, in which a sample is made each, then quick.
        let slow_until = |last: u32| -> Vec<Call<'static>> {
            let mut made = 0;
            vec![Box::new(move |_| {
                made += 1; // 3 to warm up, then one a round
                let slow = made > 3 && made <= last && made % 2 == 1;
                std::thread::sleep(Duration::from_millis(if slow { 4 } else { 1 }));
                Ok(())
            })]
        };
        let once = Budget { each: Duration::ZERO, samples: 8, more: 0 };
        let hasty = measure(&mut slow_until(1000), 1, once).unwrap()[0];
        assert!(hasty.doubt > 0.5, "{hasty:?}");
        let patient = measure(&mut slow_until(11), 1, once.until_steady(40)).unwrap()[0];
        assert!(patient.doubt < 0.5 && patient.calls > 8, "{patient:?}");
        let never = measure(&mut slow_until(1000), 1, once.until_steady(6)).unwrap()[0];
        assert!(never.doubt > 0.5 && never.calls == 14, "{never:?}");
    }

    /// Beside threads that take every processor, a long call takes as much of one as it does alone: what it waits is not its time.
    #[test]
    fn waiting_for_a_processor_is_no_part_of_a_time() {
        use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
        let work = || -> Vec<Call<'static>> {
            let spin = |_: usize| {
                let mut x = 1u64;
                for k in 0..4_000_000u64 {
                    x = black_box(x.wrapping_mul(k | 1));
                }
                black_box(x);
                Ok(())
            };
            vec![Box::new(spin)]
        };
        let budget = Budget { each: Duration::ZERO, samples: 8, more: 8 };
        if machine::waited().is_none() {
            return; // this system does not say, and nothing is taken off
        }
        let alone = measure(&mut work(), 1, budget).unwrap()[0].min;
        let over = AtomicBool::new(false);
        let beside = std::thread::scope(|scope| {
            for _ in 0..4 * machine::cores() {
                scope.spawn(|| {
                    while !over.load(Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let beside = measure(&mut work(), 1, budget);
            over.store(true, Relaxed);
            beside.unwrap()[0].min
        });
        // Half of it would be gone by overshooting; four others a processor would make it five times as long.
        assert!((0.5..2.5).contains(&(beside / alone)), "{alone} ns alone, {beside} ns beside others");
    }

    #[test]
    fn a_call_that_fails_says_why() {
        let mut calls: [Call<'_>; 1] = [Box::new(|_| Err("no inertia".into()))];
        assert_eq!(measure(&mut calls, 1, Budget::millis(1, 1)), Err("no inertia".into()));
    }

    #[test]
    fn times_read_well() {
        assert_eq!(text(420.0), "420 ns");
        assert_eq!(text(12_340.0), "12.3 µs");
        assert_eq!(text(4_560_000.0), "4.56 ms");
    }
}
