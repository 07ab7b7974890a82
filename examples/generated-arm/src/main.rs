//! A robot compiled by a build script, beside the library: the same numbers, how long each takes.

use dtau::model::{Model, Options};
use dtau::{FdDerivatives, Reference, Workspace, aba, fd_derivatives, frame_jacobian, rnea};
use std::hint::black_box;
use std::time::Instant;

include!(concat!(env!("OUT_DIR"), "/arm6.rs"));

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::bundled("arm6", &Options::default())?;
    let mut ws = Workspace::new(&model);
    let (q, v, a) =
        ([0.3, -0.5, 0.7, 0.2, -0.4, 0.6], [0.1, 0.2, -0.3, 0.4, 0.5, -0.6], [1.0, -0.5, 0.2, 0.3, 0.1, 0.4]);
    let table = &arm6::TABLE;
    println!("{:<16} {:>12} {:>14} {:>14}", "function", "difference", "library, ns", "generated, ns");

    let (mut tau, mut by_library) = ([0.0; 6], [0.0; 6]);
    arm6::rnea(table, &q, &v, &a, &mut tau)?;
    rnea(&model, &mut ws, &q, &v, &a, &mut by_library)?;
    let library = time(|| rnea(&model, &mut ws, black_box(&q), &v, &a, &mut by_library).is_ok());
    let generated = time(|| arm6::rnea(table, black_box(&q), &v, &a, &mut tau).is_ok());
    row("rnea", &tau, &by_library, library, generated)?;

    let (mut qdd, mut by_library) = ([0.0; 6], [0.0; 6]);
    let library = time(|| aba(&model, &mut ws, black_box(&q), &v, &tau, &mut by_library).is_ok());
    let generated = time(|| arm6::aba(table, black_box(&q), &v, &tau, &mut qdd).is_ok());
    row("aba", &qdd, &by_library, library, generated)?;

    let (mut dq, mut dv, mut dtau, mut d) = ([0.0; 36], [0.0; 36], [0.0; 36], FdDerivatives::new(&model));
    let library = time(|| fd_derivatives(&model, &mut ws, black_box(&q), &v, &tau, &mut d).is_ok());
    let generated =
        time(|| arm6::fd_derivatives(table, black_box(&q), &v, &tau, &mut qdd, &mut dq, &mut dv, &mut dtau).is_ok());
    row("fd_derivatives", &dq, &d.dqdd_dq, library, generated)?;

    let (mut jacobian, mut by_library, tool) = ([0.0; 36], [0.0; 36], model.frame("tool0")?);
    let axes = Reference::LocalWorldAligned;
    let library = time(|| frame_jacobian(&model, &mut ws, tool, axes, black_box(&q), &mut by_library).is_ok());
    let generated = time(|| arm6::frame_jacobian_tool0(table, black_box(&q), &mut jacobian).is_ok());
    row("frame_jacobian", &jacobian, &by_library, library, generated)?;
    Ok(())
}

/// Nanoseconds a call, the fastest of some rounds.
fn time(mut f: impl FnMut() -> bool) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..1000 {
            assert!(f(), "a call that works");
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e6);
    }
    least
}

fn row(name: &str, got: &[f64], want: &[f64], library: f64, generated: f64) -> Result<(), String> {
    let difference = got.iter().zip(want).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    println!("{name:<16} {difference:>12.1e} {library:>14.0} {generated:>14.0}");
    let scale = want.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    if difference <= 1e-11 * scale { Ok(()) } else { Err(format!("{name}: generated code is not the library")) }
}
