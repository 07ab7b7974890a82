//! Length of the measurement. Contenders run alternately on the command's clock.

use dtau_cli::clock;
use std::time::Duration;

pub use dtau_cli::clock::{Contender, Timing, race};

/// Length and number of visits.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// One visit: rounds of one sample for each contender.
    pub visit: clock::Plan,
    /// Number of visits to a comparison, with others in between, because machines have slow phases.
    pub visits: usize,
}

impl Plan {
    /// Full run.
    pub const FULL: Plan = Plan { visit: rounds(2000, 16, 500), visits: 3 };
    /// Quick run.
    pub const QUICK: Plan = Plan { visit: rounds(1000, 6, 150), visits: 2 };

    /// Uses more and shorter samples in the same time. Two cores are undisturbed together more rarely than
    /// one, and only briefly.
    pub fn for_two_cores(self) -> Plan {
        let clock::Plan { sample, rounds, samples, .. } = self.visit;
        let visit = clock::Plan { sample: sample / 4, rounds: 4 * rounds, samples: 4 * samples, ..self.visit };
        Plan { visit, ..self }
    }
}

/// Makes rounds of samples of `sample` microseconds. After `enough` milliseconds, the minimum number of
/// rounds suffices.
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
