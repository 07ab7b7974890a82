//! A clock for the command, the papers and the head-to-head. Contenders alternate, and each is judged by its
//! least sample.
//!
//! Noise only adds time, and a slow second hits the contender that is running. So every round takes a few
//! samples of every contender, one contender after the other. A sample is the mean of many calls, so that
//! reading the clock does not matter.

use crate::machine;
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Times of one call \[ns\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// Least sample.
    pub min: f64,
    /// Median of the samples; of several visits, the least median.
    pub median: f64,
    /// Mean of the samples between the 10th and the 90th percentile, which excludes interruptions.
    pub mean: f64,
    /// 10th percentile of the samples.
    pub low: f64,
    /// 90th percentile of the samples.
    pub high: f64,
    /// Relative difference of the least times of the even and the odd rounds: the uncertainty of the least
    /// time.
    pub doubt: f64,
    /// Number of calls made.
    pub calls: u64,
}

impl Timing {
    /// Summary of samples.
    fn of(mut samples: Vec<f64>, doubt: f64, calls: u64) -> Self {
        samples.sort_by(f64::total_cmp);
        let place = |share: f64| ((samples.len() - 1) as f64 * share).round() as usize;
        let middle = &samples[place(0.1)..=place(0.9)];
        Self {
            min: samples[0],
            median: samples[samples.len() / 2],
            mean: middle.iter().sum::<f64>() / middle.len() as f64,
            low: middle[0],
            high: middle[middle.len() - 1],
            doubt,
            calls,
        }
    }

    /// A time without noise, for tests.
    pub fn exactly(ns: f64) -> Self {
        Self { min: ns, median: ns, mean: ns, low: ns, high: ns, doubt: 0.0, calls: 1 }
    }

    /// Time per state of a call that computes `of` states.
    pub fn of_one(self, of: usize) -> Self {
        let of = |time: f64| time / of as f64;
        let Self { min, median, mean, low, high, .. } = self;
        Self { min: of(min), median: of(median), mean: of(mean), low: of(low), high: of(high), ..self }
    }

    /// The better of two visits.
    pub fn better(self, other: Self) -> Self {
        let (min, median) = (self.min.min(other.min), self.median.min(other.median));
        Self { min, median, calls: self.calls + other.calls, ..self }
    }

    /// Distance of the median from the least, relative to the least.
    pub fn spread(self) -> f64 {
        self.median / self.min - 1.0
    }
}

/// Durations and numbers of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Duration of a sample.
    pub sample: Duration,
    /// Number of rounds.
    pub rounds: usize,
    /// Time of each contender in a round; at least one sample is taken.
    pub each: Duration,
    /// Least number of samples in all rounds.
    pub samples: usize,
    /// Number of additional rounds for times that are still uncertain.
    pub more: usize,
    /// Total time of all contenders after which no more than [`Plan::FEWEST`] rounds are made.
    pub enough: Duration,
}

impl Plan {
    /// Number of rounds that are always made, however slow the contenders are.
    pub const FEWEST: usize = 4;

    /// Samples of 4 µs in eight rounds, about `each` milliseconds for each contender.
    pub fn millis(each: u64, samples: usize) -> Self {
        let (rounds, sample) = (8, Duration::from_micros(4));
        let each = Duration::from_millis(each) / rounds;
        Self { sample, rounds: rounds as usize, each, samples, more: 0, enough: Duration::MAX }
    }

    /// Adds up to `more` rounds, until two halves of them agree on the least time.
    pub fn until_steady(self, more: usize) -> Self {
        Self { more, ..self }
    }
}

/// Largest relative difference at which two halves of the rounds agree.
const STEADY: f64 = 0.02;

/// Makes a number of calls and returns the time they took \[ns\].
pub type Contender<'a> = Box<dyn FnMut(u32) -> Result<f64, String> + 'a>;

/// A call on one of the prepared states, by its index. It may fail, for example if a body has no inertia.
pub type Call<'a> = Box<dyn FnMut(usize) -> Result<(), String> + 'a>;

/// Runs the contenders in turns.
///
/// # Errors
/// Errors of the contenders.
pub fn race(contenders: &mut [Contender<'_>], plan: &Plan) -> Result<Vec<Timing>, String> {
    let begin = |contender: &mut Contender<'_>| Run::begin(contender, plan.sample);
    let mut runs = contenders.iter_mut().map(begin).collect::<Result<Vec<_>, _>>()?;
    let mut spent = 0.0;
    for round in 0..plan.rounds + plan.more {
        if round >= Plan::FEWEST && spent > plan.enough.as_nanos() as f64 {
            break;
        }
        for (contender, run) in contenders.iter_mut().zip(&mut runs) {
            let enough = match round < plan.rounds {
                true => (plan.samples * (round + 1)).div_ceil(plan.rounds),
                false if run.doubt() > STEADY => run.samples.len() + 1,
                false => continue,
            };
            spent += run.round(round, contender, plan.each, enough)?;
        }
    }
    Ok(runs.into_iter().map(Run::end).collect())
}

/// Runs calls alternately, each on the states one after the other.
///
/// # Errors
/// Errors of the calls.
pub fn measure(calls: Vec<Call<'_>>, states: usize, plan: &Plan) -> Result<Vec<Timing>, String> {
    let mut contenders: Vec<Contender<'_>> = calls.into_iter().map(|call| contender(call, states)).collect();
    race(&mut contenders, plan)
}

/// A contender being timed.
struct Run {
    calls_a_sample: u32,
    /// Times of a call \[ns\].
    samples: Vec<f64>,
    /// Least times of the even and of the odd rounds.
    halves: [f64; 2],
}

impl Run {
    /// Warms up, and finds the number of calls in a sample.
    fn begin(contender: &mut Contender<'_>, sample: Duration) -> Result<Self, String> {
        const SLOW: f64 = 1e7; // ns; more precision is not needed
        let sample = sample.as_nanos() as f64;
        let mut once = f64::INFINITY;
        for _ in 0..3 {
            once = once.min(contender(1)?).max(1.0);
            if once > SLOW {
                break;
            }
        }
        // The first calls are slow, so measure the pace again.
        let few = (sample / 4.0 / once).clamp(1.0, 1e6) as u32;
        if few > 1 {
            once = (contender(few)? / f64::from(few)).max(1.0);
        }
        let calls_a_sample = (sample / once).ceil().clamp(1.0, 1e7) as u32;
        Ok(Self { calls_a_sample, samples: Vec::new(), halves: [f64::INFINITY; 2] })
    }

    /// Takes samples until the time is over and there are enough. Returns the time they took \[ns\].
    fn round(
        &mut self,
        round: usize,
        contender: &mut Contender<'_>,
        time: Duration,
        enough: usize,
    ) -> Result<f64, String> {
        let (start, mut spent) = (Instant::now(), 0.0);
        while self.samples.len() < enough || start.elapsed() < time {
            let ns = contender(self.calls_a_sample)?;
            let sample = ns.max(1.0) / f64::from(self.calls_a_sample);
            self.samples.push(sample);
            self.halves[round % 2] = self.halves[round % 2].min(sample);
            spent += ns;
        }
        Ok(spent)
    }

    /// Relative difference of the halves of the rounds; 1 if one half has no sample.
    fn doubt(&self) -> f64 {
        let [even, odd] = self.halves;
        (even.max(odd) / even.min(odd) - 1.0).min(1.0)
    }

    fn end(self) -> Timing {
        let (doubt, calls) = (self.doubt(), self.samples.len() as u64 * u64::from(self.calls_a_sample));
        Timing::of(self.samples, doubt, calls)
    }
}

/// A longer call \[ns\], about a scheduler time slice, may be interrupted every time. Its waiting time is
/// subtracted. A shorter call reaches its least time between interruptions.
const LONG: f64 = 2e6;

/// Asking for the waiting time takes some 20 µs. If it took longer than this, the query itself waited, and
/// nothing is subtracted.
const ASKING: Duration = Duration::from_micros(200);

/// A call as a contender, on its states one after the other.
fn contender(mut call: Call<'_>, states: usize) -> Contender<'_> {
    let (mut next, mut is_long) = (0, false);
    Box::new(move |calls| {
        let asked = if is_long { Some(Instant::now()).zip(machine::waited()) } else { None };
        let start = Instant::now();
        for _ in 0..calls {
            call(black_box(next))?;
            next = if next + 1 == states { 0 } else { next + 1 };
        }
        let end = Instant::now();
        let waited = asked.map_or(Duration::ZERO, |(asked, before)| {
            let waited = machine::waited().unwrap_or(before).saturating_sub(before);
            let in_calls = start - asked < ASKING && end.elapsed() < ASKING;
            if in_calls { waited } else { Duration::ZERO }
        });
        let ns = (end - start).saturating_sub(waited).as_nanos() as f64;
        is_long = ns > LONG * f64::from(calls);
        Ok(ns)
    })
}

/// A time for people: `420 ns`, `12.3 µs`, `4.56 ms`.
pub fn text(ns: f64) -> String {
    let (number, unit) = unit(ns);
    let decimals = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.decimals$} {unit}")
}

/// A time in a suitable unit.
pub fn unit(ns: f64) -> (f64, &'static str) {
    match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_sample_counts_and_the_median_gives_the_spread() {
        let first = Timing::of(vec![3.0, 2.0, 4.0, 3.0, 9.0], 0.0, 5);
        assert_eq!((first.min, first.median, first.spread()), (2.0, 3.0, 0.5));
        let both = first.better(Timing::exactly(1.5));
        assert_eq!((both.min, both.median), (1.5, 1.5));
    }

    #[test]
    fn contenders_take_turns_and_slow_ones_are_called_less() {
        let log = std::cell::RefCell::new(Vec::new());
        let contender = |name: char, ns: f64| -> Contender<'_> {
            let log = &log;
            Box::new(move |calls| {
                log.borrow_mut().push((name, calls));
                Ok(ns * f64::from(calls))
            })
        };
        let plan = Plan {
            sample: Duration::from_micros(1),
            rounds: 3,
            samples: 3,
            each: Duration::ZERO,
            ..Plan::millis(0, 0)
        };
        let mut contenders = [contender('a', 10.0), contender('b', 500.0)];
        let timings = race(&mut contenders, &plan).unwrap();
        assert_eq!(timings.iter().map(|t| t.min).collect::<Vec<_>>(), [10.0, 500.0]);
        assert!(log.borrow().ends_with(&[('a', 100), ('b', 2)].repeat(3)));
        // Slow contenders do not make a comparison last long.
        log.borrow_mut().clear();
        let hasty = Plan { rounds: 100, samples: 100, enough: Duration::from_micros(3), ..plan };
        assert_eq!(race(&mut contenders, &hasty).unwrap()[0].calls, 100 * Plan::FEWEST as u64);
    }

    /// Every state is used, and the numbers are in order.
    #[test]
    fn timings_are_ordered_and_cover_all_states() {
        let mut seen = [[0u32; 3]; 2];
        let (first, second) = seen.split_at_mut(1);
        let count = |seen: &mut [u32; 3], k: usize| -> Result<(), String> {
            seen[k] += 1;
            Ok(())
        };
        let calls: Vec<Call<'_>> = vec![Box::new(|k| count(&mut first[0], k)), Box::new(|k| count(&mut second[0], k))];
        let timings = measure(calls, 3, &Plan::millis(1, 20)).unwrap();
        for (Timing { min, median, mean, low, high, calls, doubt }, seen) in timings.into_iter().zip(seen) {
            assert!(min <= low && low <= mean && mean <= high && low <= median && median <= high && calls >= 20);
            assert!((0.0..=1.0).contains(&doubt));
            assert!(seen.iter().all(|&n| n > 0) && seen.iter().max().unwrap() - seen.iter().min().unwrap() <= 1);
        }
    }

    /// A call that is fast at first and slow later. The halves disagree until both have seen it fast, or the
    /// rounds end.
    #[test]
    fn what_is_not_known_well_is_measured_again_or_doubted() {
        // Slow in the odd rounds of the first eight, with one sample each, then fast.
        let slow_until = |last: u32| -> [Contender<'static>; 1] {
            let mut made = 0;
            [Box::new(move |calls| {
                made += 1; // 3 to warm up, then one per round
                let slow = made > 3 && made <= last && made % 2 == 1;
                Ok(f64::from(calls) * if slow { 4e6 } else { 1e6 })
            })]
        };
        let once = Plan { each: Duration::ZERO, ..Plan::millis(0, 8) };
        let hasty = race(&mut slow_until(1000), &once).unwrap()[0];
        assert!(hasty.doubt > 0.5, "{hasty:?}");
        let patient = race(&mut slow_until(11), &once.until_steady(40)).unwrap()[0];
        assert!(patient.doubt < 0.5 && patient.calls > 8, "{patient:?}");
        let never = race(&mut slow_until(1000), &once.until_steady(6)).unwrap()[0];
        assert!(never.doubt > 0.5 && never.calls == 14, "{never:?}");
    }

    /// With threads on every processor, a long call takes as much processor time as it does alone: waiting
    /// does not count.
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
        let plan = Plan { each: Duration::ZERO, ..Plan::millis(0, 8) }.until_steady(8);
        if machine::waited().is_none() {
            return; // this system does not report it, so nothing is subtracted
        }
        let alone = measure(work(), 1, &plan).unwrap()[0].min;
        let over = AtomicBool::new(false);
        let beside = std::thread::scope(|scope| {
            for _ in 0..4 * machine::cores() {
                scope.spawn(|| {
                    while !over.load(Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let beside = measure(work(), 1, &plan);
            over.store(true, Relaxed);
            beside.unwrap()[0].min
        });
        // Overshooting could make it half as long; four other threads per processor would make it five times
        // as long.
        assert!((0.5..2.5).contains(&(beside / alone)), "{alone} ns alone, {beside} ns beside others");
    }

    #[test]
    fn a_call_that_fails_says_why() {
        let calls: Vec<Call<'_>> = vec![Box::new(|_| Err("no inertia".into()))];
        assert_eq!(measure(calls, 1, &Plan::millis(1, 1)), Err("no inertia".into()));
    }

    #[test]
    fn times_read_well() {
        assert_eq!(text(420.0), "420 ns");
        assert_eq!(text(12_340.0), "12.3 µs");
        assert_eq!(text(4_560_000.0), "4.56 ms");
    }
}
