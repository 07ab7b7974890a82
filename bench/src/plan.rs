//! How long to look. Contenders run in turns on the command's clock.

use dtau_cli::clock;
use std::time::Duration;

pub use dtau_cli::clock::{Contender, Timing, race};

/// Length and number of visits.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// One visit: rounds of one sample for each contender.
    pub visit: clock::Plan,
    /// Number of visits to a comparison, others between them: a machine has slow seconds.
    pub visits: usize,
}

impl Plan {
    /// A full run.
    pub const FULL: Plan = Plan { visit: rounds(2000, 16, 500), visits: 3 };
    /// A look.
    pub const QUICK: Plan = Plan { visit: rounds(1000, 6, 150), visits: 2 };

    /// Shorter samples and more of them, in the same time: two cores are left alone together more rarely than one, and not for long.
    pub fn for_two_cores(self) -> Plan {
        let clock::Plan { sample, rounds, samples, .. } = self.visit;
        let visit = clock::Plan { sample: sample / 4, rounds: 4 * rounds, samples: 4 * samples, ..self.visit };
        Plan { visit, ..self }
    }
}

/// Rounds of one sample of so many microseconds; after so many milliseconds the fewest.
const fn rounds(sample: u64, rounds: usize, enough: u64) -> clock::Plan {
    clock::Plan {
        sample: Duration::from_micros(sample),
        rounds,
        each: Duration::ZERO,
        samples: rounds,
        more: 0,
        enough: Duration::from_millis(enough),
    }
}
