//! Every function of the library's list on many states: several side by side in lanes, and one by one. Where lanes lose, a function should go
//! state by state (`Algorithm::MOST_IN_LANES`).
//!
//! ```sh
//! cargo run --release -p dtau-fixtures --features batch --example lanes [ROBOT …]
//! ```

use dtau::model::{Model, Options, Root, generate};
use dtau::{Batch, Engine, Error, Reference};
use dtau_fixtures::every::{Setting, States, many_by};
use std::time::{Duration, Instant};

const STATES: usize = 64;
/// Each way is timed so often, in turns, for so long.
const TURNS: usize = 5;
const TIME: Duration = Duration::from_millis(4);

fn main() -> Result<(), Error> {
    let mut robots: Vec<String> = std::env::args().skip(1).collect();
    if robots.is_empty() {
        robots = ["arm6", "quadruped", "humanoid", "chain_60"].map(String::from).to_vec();
    }
    for robot in robots {
        let model = model(&robot)?;
        let frame = model.frame_ids().last().expect("every robot has a frame");
        let setting = Setting { model: &model, wrenches: &[], frame, reference: Reference::World };
        let states = States::random(&model, STATES, 0, 1);
        let (lanes, one_by_one) = (&mut Batch::<f64>::new(&model), &mut Batch::<f64>::one_by_one(&model));
        let mut best = [Vec::new(), Vec::new()];
        for _ in 0..TURNS {
            keep_least(&mut best[0], times(&setting, lanes, &states));
            keep_least(&mut best[1], times(&setting, one_by_one, &states));
        }
        println!(
            "\n{robot}, {} degrees of freedom: ns a state in lanes, one by one, and how much lanes gain",
            model.nv()
        );
        let [lanes, singles] = best;
        let mut rows: Vec<(f64, String)> = lanes
            .iter()
            .zip(&singles)
            .map(|((name, a), (_, b))| (b / a, format!("{name:42} {a:9.0} {b:9.0} {:6.2}", b / a)))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.iter().for_each(|(_, row)| println!("{row}"));
        let lost = rows.iter().filter(|(gain, _)| *gain < 0.95).count();
        println!("{lost} of {} lose more than 5 % in lanes", rows.len());
    }
    Ok(())
}

fn model(robot: &str) -> Result<Model, Error> {
    let floats = ["quadruped", "humanoid"].contains(&robot);
    let options = Options { root: if floats { Root::Floating } else { Root::Fixed }, ..Options::default() };
    match robot.strip_prefix("chain_").and_then(|n| n.parse().ok()) {
        Some(n) => Model::build(&generate::chain(n), &options),
        None => Model::bundled(robot, &options),
    }
}

/// Nanoseconds a state, by function.
fn times<'a>(setting: &Setting<'a, f64>, engine: &mut impl Engine<f64>, x: &'a States<f64>) -> Vec<(String, f64)> {
    let mut out = Vec::new();
    many_by(setting, engine, x, &mut |name, call| {
        call().expect("a function of these states"); // makes room
        let (start, mut least) = (Instant::now(), Duration::MAX);
        while start.elapsed() < TIME {
            let before = Instant::now();
            call().expect("a function of these states");
            least = least.min(before.elapsed());
        }
        out.push((name.to_string(), least.as_nanos() as f64 / STATES as f64));
    });
    out
}

fn keep_least(best: &mut Vec<(String, f64)>, now: Vec<(String, f64)>) {
    if best.is_empty() {
        *best = now;
        return;
    }
    best.iter_mut().zip(now).for_each(|(best, (_, now))| best.1 = best.1.min(now));
}
