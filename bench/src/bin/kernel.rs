//! `kernel ROBOT QUANTITY CALLS`: makes CALLS calls at one state and nothing else, to count instructions. See
//! `bench/counts.sh`.

use dtau_bench::ours::Ours;
use dtau_bench::quantity::Quantity;
use dtau_bench::robots::{Places, bundled};
use dtau_bench::states::Both;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Written before and after the last call. A trace of memory accesses then shows where the call begins and ends.
static MARK: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("kernel: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [robot, quantity, calls] = arguments else {
        return Err("say ROBOT QUANTITY CALLS, such as \"arm6 rnea 3\"".into());
    };
    let known = || bundled().into_iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
    let subject = bundled().into_iter().find(|s| s.name == *robot);
    let subject = subject.ok_or_else(|| format!("there is no robot \"{robot}\"; there are {}", known()))?;
    let quantity: Quantity = quantity.parse()?;
    let calls: u32 = calls.parse().map_err(|_| format!("\"{calls}\" is not a number of calls"))?;

    let model = subject.model(&Places::default())?;
    let states = Both::random(&model, 1, 1).map_err(|e| e.to_string())?;
    let states = if quantity.takes_torques() { &states.torques } else { &states.accelerations };
    let mut ours = Ours::<f64>::new(quantity, &model, &subject.watched(&model), None);
    let (q, v, x) = states.one(0);
    println!("{:#x} {}", MARK.as_ptr().addr(), 8 * quantity.numbers(&model, 1, 0));
    for call in 1..=calls {
        if call == calls {
            MARK.store(1, Ordering::SeqCst);
        }
        ours.run(q, v, x).map_err(|e| e.to_string())?;
    }
    MARK.store(2, Ordering::SeqCst);
    Ok(())
}
