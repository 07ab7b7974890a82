//! Fair timing on a noisy machine: contenders in turns, in one run, the least of many passes.
//!
//! Noise only ever adds time, and a slow second hits whoever is running. So every pass gives every contender a short block of
//! calls, one after the other, and each is judged by its best block.

/// How long to look.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How long a block of calls should take \[ns\].
    pub block: f64,
    /// How many passes.
    pub passes: usize,
    /// After this time \[ns\] no more passes than [`Plan::FEWEST`] are made.
    pub enough: f64,
    /// How often to come back to a comparison after having made others: a machine has slow seconds.
    pub visits: usize,
}

impl Plan {
    /// So many passes are made however slow the contenders are.
    pub const FEWEST: usize = 4;
    /// A full run.
    pub const FULL: Plan = Plan { block: 2e6, passes: 16, enough: 5e8, visits: 3 };
    /// A look.
    pub const QUICK: Plan = Plan { block: 1e6, passes: 6, enough: 1.5e8, visits: 2 };

    /// Shorter blocks and more of them, in the same time: two cores are left alone together more rarely than one, and not for long.
    pub fn for_two_cores(self) -> Plan {
        Plan { block: self.block / 4.0, passes: 4 * self.passes, ..self }
    }
}

/// What a contender took for a call \[ns\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Least over passes.
    pub least: f64,
    /// Median over passes; over several visits, the least median.
    pub median: f64,
}

impl Timing {
    /// Of the passes' times for a call.
    pub fn of(mut passes: Vec<f64>) -> Self {
        passes.sort_by(f64::total_cmp);
        Self { least: passes[0], median: passes[passes.len() / 2] }
    }

    /// The better of two visits.
    pub fn better(self, other: Timing) -> Timing {
        Timing { least: self.least.min(other.least), median: self.median.min(other.median) }
    }

    /// How far the median pass is above the least, as a fraction.
    pub fn spread(self) -> f64 {
        self.median / self.least - 1.0
    }
}

/// Makes so many calls and tells how many nanoseconds they took.
pub type Contender<'a> = Box<dyn FnMut(u32) -> Result<f64, String> + 'a>;

/// Runs the contenders in turns.
///
/// # Errors
/// Those of the contenders.
pub fn race(contenders: &mut [Contender<'_>], plan: Plan) -> Result<Vec<Timing>, String> {
    let mut reps = Vec::new();
    for contender in contenders.iter_mut() {
        contender(1)?; // warms caches and page tables
        let one = contender(1)?.max(10.0);
        // A first call is often slow; a second look at the true pace.
        let few = (plan.block / 4.0 / one).clamp(1.0, 1e6) as u32;
        let pace = (contender(few)? / f64::from(few)).max(1.0);
        reps.push((plan.block / pace).clamp(1.0, 1e7) as u32);
    }
    let mut times = vec![Vec::new(); contenders.len()];
    let mut spent = 0.0;
    for pass in 0..plan.passes {
        if pass >= Plan::FEWEST && spent > plan.enough {
            break;
        }
        for ((contender, &reps), times) in contenders.iter_mut().zip(&reps).zip(&mut times) {
            let ns = contender(reps)?;
            spent += ns;
            times.push(ns / f64::from(reps));
        }
    }
    Ok(times.into_iter().map(Timing::of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_pass_counts_and_the_median_gives_the_spread() {
        let first = Timing::of(vec![3.0, 2.0, 4.0, 3.0, 9.0]);
        assert_eq!(first, Timing { least: 2.0, median: 3.0 });
        assert_eq!(first.spread(), 0.5);
        assert_eq!(first.better(Timing { least: 1.5, median: 4.0 }), Timing { least: 1.5, median: 3.0 });
    }

    #[test]
    fn contenders_take_turns_and_slow_ones_are_called_less() {
        let log = std::cell::RefCell::new(Vec::new());
        let contender = |name: char, ns: f64| -> Contender<'_> {
            let log = &log;
            Box::new(move |reps| {
                log.borrow_mut().push((name, reps));
                Ok(ns * f64::from(reps))
            })
        };
        let plan = Plan { block: 1000.0, passes: 3, enough: 1e9, visits: 1 };
        let timings = race(&mut [contender('a', 10.0), contender('b', 500.0)], plan).unwrap();
        assert_eq!(timings.iter().map(|t| t.least).collect::<Vec<_>>(), [10.0, 500.0]);
        let passes = log.borrow()[6..].to_vec();
        assert_eq!(passes, [('a', 100), ('b', 2)].repeat(3));
    }

    #[test]
    fn a_failure_stops_the_race() {
        let mut contenders: [Contender<'_>; 1] = [Box::new(|_| Err("broken".into()))];
        assert_eq!(race(&mut contenders, Plan::QUICK).unwrap_err(), "broken");
    }
}
