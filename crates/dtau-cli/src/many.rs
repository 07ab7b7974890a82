//! The library's functions on many states at once, as calls that can be timed.

use crate::product::Product;
use crate::sample::Sample;
use crate::timing::Call;
use crate::work::without_wrenches;
use dtau::batch::{
    self, Batch, BatchScalar, CentroidalDerivativesMut, ComMut, EnergyMut, FdDerivativesMut, IdDerivativesMut,
    KinematicsMut,
};
use dtau::model::Model;
use dtau::{Error, FdCotangent, FdTangent, IdCotangent, IdTangent, Reference, Scene};

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

/// A call on a batch of [`STATES`] states, the samples over and over. `None` for what batches do not have.
pub fn call<'a>(
    product: Product,
    side: Side,
    scene: Scene<'a, f64>,
    samples: &[Sample],
) -> Result<Option<Call<'a>>, String> {
    let model = scene.model;
    Ok(match side {
        Side::Lanes => run(product, scene, Batch::<f64>::new(model), samples),
        Side::Lanes32 => run(product, without_wrenches(&scene), Batch::<f32>::new(model), samples),
        Side::Threads(count) => run(product, scene, threads(model, count)?, samples),
    })
}

fn threads(model: &Model, count: usize) -> Result<Batch<f64>, String> {
    Batch::with_threads(model, count).map_err(|error| error.to_string())
}

/// The states, one after the other.
struct States<F> {
    q: Vec<F>,
    v: Vec<F>,
    a: Vec<F>,
    tau: Vec<F>,
}

impl<F: BatchScalar> States<F> {
    fn of(samples: &[Sample]) -> Self {
        let all = |part: fn(&Sample) -> &Vec<f64>| -> Vec<F> {
            samples.iter().cycle().take(STATES).flat_map(part).copied().map(F::from_f64).collect()
        };
        Self { q: all(|x| &x.q), v: all(|x| &x.v), a: all(|x| &x.a), tau: all(|x| &x.tau) }
    }
}

fn run<'a, F: BatchScalar + 'a>(
    product: Product,
    scene: Scene<'a, F>,
    mut on: Batch<F>,
    samples: &[Sample],
) -> Option<Call<'a>> {
    let (model, n, frames) = (scene.model, scene.model.nv(), scene.model.frames().len());
    let States { q, v, a, tau } = States::<F>::of(samples);
    let zeros = |each: usize| vec![F::zero(); STATES * each];
    let (mut x, mut y, mut z) = (zeros(n), zeros(n), zeros(n));
    Some(match product {
        Product::Rnea => call_of(move || batch::rnea(scene, &mut on, &q, &v, &a, &mut x)),
        Product::Bias => call_of(move || batch::bias(scene, &mut on, &q, &v, &mut x)),
        Product::Gravity => call_of(move || batch::gravity_torques(scene, &mut on, &q, &mut x)),
        Product::Aba => call_of(move || batch::aba(scene, &mut on, &q, &v, &tau, &mut x)),
        Product::Crba => {
            let mut m = zeros(n * n);
            call_of(move || batch::crba(scene, &mut on, &q, &mut m))
        }
        Product::Minverse => {
            let mut minv = zeros(n * n);
            call_of(move || batch::minverse(scene, &mut on, &q, &mut minv))
        }
        Product::Coriolis => {
            let mut c = zeros(n * n);
            call_of(move || batch::coriolis(model, &mut on, &q, &v, &mut c))
        }
        Product::Placements => {
            let mut out = zeros(12 * frames);
            call_of(move || batch::placements(model, &mut on, &q, &mut out))
        }
        Product::Kinematics => {
            let (mut p, mut dp, mut ddp) = (zeros(12 * frames), zeros(6 * frames), zeros(6 * frames));
            call_of(move || {
                let out = KinematicsMut { placements: &mut p, velocities: &mut dp, accelerations: &mut ddp };
                batch::forward_kinematics(model, &mut on, Reference::Local, &q, &v, &a, out)
            })
        }
        Product::Com => {
            let (mut p, mut dp, mut ddp) = (zeros(3), zeros(3), zeros(3));
            call_of(move || {
                let out = ComMut { position: &mut p, velocity: &mut dp, acceleration: &mut ddp };
                batch::centre_of_mass(model, &mut on, &q, &v, &a, out)
            })
        }
        Product::ComJacobian => {
            let mut j = zeros(3 * n);
            call_of(move || batch::com_jacobian(model, &mut on, &q, &mut j))
        }
        Product::Energy => {
            let (mut kinetic, mut potential) = (zeros(1), zeros(1));
            call_of(move || {
                let out = EnergyMut { kinetic: &mut kinetic, potential: &mut potential };
                batch::energy(scene, &mut on, &q, &v, out)
            })
        }
        Product::CentroidalMatrix => {
            let mut a_g = zeros(6 * n);
            call_of(move || batch::centroidal_matrix(model, &mut on, &q, &mut a_g))
        }
        Product::CentroidalDerivatives => {
            let (mut h, mut hdot) = (zeros(6), zeros(6));
            let [mut dh_dq, mut dhdot_dq, mut dhdot_dv, mut dhdot_da] = [(); 4].map(|()| zeros(6 * n));
            call_of(move || {
                let out = CentroidalDerivativesMut {
                    h: &mut h,
                    hdot: &mut hdot,
                    dh_dq: &mut dh_dq,
                    dhdot_dq: &mut dhdot_dq,
                    dhdot_dv: &mut dhdot_dv,
                    dhdot_da: &mut dhdot_da,
                };
                batch::centroidal_derivatives(model, &mut on, &q, &v, &a, out)
            })
        }
        Product::IdDerivatives => {
            let [mut dq, mut dv, mut da] = [(); 3].map(|()| zeros(n * n));
            call_of(move || {
                let out = IdDerivativesMut { tau: &mut x, dq: &mut dq, dv: &mut dv, da: &mut da };
                batch::id_derivatives(scene, &mut on, &q, &v, &a, out)
            })
        }
        Product::IdJvp => call_of(move || {
            let along = IdTangent { q: &v, v: &a, a: &tau };
            batch::id_jvp(scene, &mut on, &q, &v, &a, along, &mut x)
        }),
        Product::IdVjp => call_of(move || {
            let out = IdCotangent { q: &mut x, v: &mut y, a: &mut z };
            batch::id_vjp(scene, &mut on, &q, &v, &a, &tau, out)
        }),
        Product::FdDerivatives => {
            let [mut dq, mut dv, mut dtau] = [(); 3].map(|()| zeros(n * n));
            call_of(move || {
                let out = FdDerivativesMut { qdd: &mut x, dq: &mut dq, dv: &mut dv, dtau: &mut dtau };
                batch::fd_derivatives(scene, &mut on, &q, &v, &tau, out)
            })
        }
        Product::FdJvp => call_of(move || {
            let along = FdTangent { q: &v, v: &a, tau: &tau };
            batch::fd_jvp(scene, &mut on, &q, &v, &tau, along, &mut x)
        }),
        Product::FdVjp => call_of(move || {
            let out = FdCotangent { q: &mut x, v: &mut y, tau: &mut z };
            batch::fd_vjp(scene, &mut on, &q, &v, &tau, &a, out)
        }),
        // Factors are objects of one state; the ways to ∂q̈ are compared one state at a time.
        Product::Factor | Product::FdBy(_) => return None,
    })
}

fn call_of<'a>(mut run: impl FnMut() -> Result<(), Error> + 'a) -> Call<'a> {
    Box::new(move |_| run().map_err(|error| error.to_string()))
}
