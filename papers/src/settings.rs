//! Settings of a run.

use super::opponent::Opponent;
use super::robots::Robots;
use crate::args::FiguresArgs;
use dtau_cli::clock::Plan;
use dtau_cli::failure::Failure;

/// All settings that affect the measurements.
#[derive(Debug)]
pub struct Settings {
    pub full: bool,
    pub plan: Plan,
    /// Numbers of links.
    pub sizes: Vec<usize>,
    pub robots: Robots,
    pub opponent: Option<Opponent>,
}

impl Settings {
    pub fn of(args: &FiguresArgs) -> Result<Self, Failure> {
        let full = args.full;
        let largest = args.largest.map_or(500, |n| n as usize);
        let sizes: &[usize] = if full {
            &[2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 2000]
        } else {
            &[2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
        };
        let millis = args.budget.unwrap_or(if full { 300 } else { 40 });
        Ok(Self {
            full,
            // At least one sample in each of the eight rounds, so that the two halves can differ.
            plan: Plan::millis(millis, if full { 16 } else { 8 }).until_steady(if full { 32 } else { 16 }),
            sizes: sizes.iter().copied().filter(|n| *n <= largest).collect(),
            robots: Robots::find(&args.robots)?,
            opponent: args.pinocchio.as_deref().map(Opponent::read).transpose()?,
        })
    }

    /// Identifies settings: figures with equal keys may be on one page.
    pub fn key(&self) -> String {
        let Self { full, plan, sizes, robots, opponent } = self;
        let mode = if *full { "full" } else { "quick" };
        let opponent = opponent.as_ref().map_or("none", Opponent::label);
        format!(
            "dtau {}, {mode}, {} ms, {} samples, sizes {sizes:?}, robots {}, pinocchio: {opponent}",
            env!("CARGO_PKG_VERSION"),
            8 * plan.each.as_millis(),
            plan.samples,
            robots.key(),
        )
    }
}
