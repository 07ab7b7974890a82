//! The library's functions on many states at once, as calls that can be timed.

use crate::product::Product;
use crate::sample::Sample;
use crate::timing::Call;
use crate::work::without_wrenches;
use dtau::{Batch, BatchScalar, Scene};

/// Who computes the states of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// One thread, several states side by side in SIMD lanes.
    Lanes,
    /// The same in single precision.
    Lanes32,
    /// So many threads, each with its lanes.
    Threads(usize),
}

/// How many states a call computes.
pub const STATES: usize = 256;

/// A call on a batch of [`STATES`] states, the samples over and over.
pub fn call<'a>(product: Product, side: Side, scene: Scene<'a, f64>, samples: &[Sample]) -> Result<Call<'a>, String> {
    let model = scene.model;
    Ok(match side {
        Side::Lanes => run(product, scene, Batch::<f64>::new(model), samples),
        Side::Lanes32 => run(product, without_wrenches(&scene), Batch::<f32>::new(model), samples),
        Side::Threads(count) => {
            let batch = Batch::with_threads(model, count).map_err(|error| error.to_string())?;
            run(product, scene, batch, samples)
        }
    })
}

fn run<'a, F: BatchScalar + 'a>(
    product: Product,
    scene: Scene<'a, F>,
    mut on: Batch<F>,
    samples: &[Sample],
) -> Call<'a> {
    let mut x: Vec<Vec<F>> = vec![Vec::new(); product.declaration().inputs.len()];
    for k in (0..samples.len()).cycle().take(STATES) {
        for (all, one) in x.iter_mut().zip(product.inputs(&scene, samples, k)) {
            all.extend(one.into_iter().map(F::from_f64));
        }
    }
    let mut y = product.outputs(&scene, STATES);
    Box::new(move |_| product.run(scene, &mut on, &x, &mut y).map_err(|error| error.to_string()))
}
