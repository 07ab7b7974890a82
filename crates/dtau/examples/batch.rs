//! A thousand states at once: a cost and its gradient.
//!
//!     cargo run --release -p dtau --features rayon --example batch

use dtau::model::{Model, Options, Root};
use dtau::{Batch, Error, IdDerivatives, IdDerivativesMut, Progress, Random, Workspace, id_derivatives};
use std::ops::ControlFlow;

fn main() -> Result<(), Error> {
    let model = Model::bundled("quadruped", &Options { root: Root::Floating, ..Options::default() })?;
    let (states, nq, nv) = (1000, model.nq(), model.nv());

    // One row a state.
    let random = &mut Random::seeded(1);
    let q: Vec<f64> = (0..states).flat_map(|_| model.random_configuration(random)).collect();
    let v: Vec<f64> = (0..states * nv).map(|_| random.within(-1.0, 1.0)).collect();
    let a = vec![0.0; states * nv];

    #[cfg(feature = "rayon")]
    let batch = Batch::with_threads(&model, 0)?;
    #[cfg(not(feature = "rayon"))]
    let batch = Batch::new(&model);
    let mut batch = batch.on_progress(|Progress { done, total }| {
        if done == total {
            println!("{done} of {total} states");
        }
        ControlFlow::Continue(()) // Break ends the call
    });

    let square = vec![0.0; states * nv * nv];
    let (mut tau, mut dq, mut dv, mut da) = (vec![0.0; states * nv], square.clone(), square.clone(), square);
    let (dtau_dq, dtau_dv, dtau_da) = ((&mut dq).into(), (&mut dv).into(), (&mut da).into());
    let out = IdDerivativesMut { tau: &mut tau, dtau_dq, dtau_dv, dtau_da };
    id_derivatives(&model, &mut batch, &q, &v, &a, out)?;

    // A state of many is what it is alone, bit for bit.
    let (mut ws, mut alone) = (Workspace::new(&model), IdDerivatives::new(&model));
    let (q7, v7, a7) = (&q[7 * nq..][..nq], &v[7 * nv..][..nv], &a[7 * nv..][..nv]);
    id_derivatives(&model, &mut ws, q7, v7, a7, &mut alone)?;
    assert_eq!(alone.tau, tau[7 * nv..][..nv]);
    assert_eq!(*alone.dtau_dq, dq[7 * nv * nv..][..nv * nv]);

    // ∂(½ τ·τ)/∂q = (∂τ/∂q)ᵀ τ, state by state; matrices are by columns.
    let gradient = |i: usize| -> Vec<f64> {
        let (tau, dq) = (&tau[i * nv..][..nv], &dq[i * nv * nv..][..nv * nv]);
        dq.chunks(nv).map(|column| column.iter().zip(tau).map(|(d, t)| d * t).sum()).collect()
    };
    println!("∂(½ τ·τ)/∂q of state 7: {:.3?} …", &gradient(7)[..6]);
    Ok(())
}
