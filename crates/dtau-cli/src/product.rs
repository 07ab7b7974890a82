//! The library's functions as calls that can be timed and counted.

use crate::sample::Sample;
use crate::timing::Call;
use crate::work::without_wrenches;
use dtau::scalar::{Counted, Operations, Real};
use dtau::{
    CentroidalDerivatives, Dispatch, Error, FdCotangent, FdDerivatives, FdTangent, FdWay, IdCotangent, IdDerivatives,
    IdTangent, Kinematics, MassFactor, Matrix, Placements, Scene, Workspace,
};

/// A function of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Product {
    Rnea,
    Bias,
    Gravity,
    Aba,
    Crba,
    Factor,
    Minverse,
    Coriolis,
    Placements,
    Kinematics,
    Com,
    ComJacobian,
    Energy,
    CentroidalMatrix,
    CentroidalDerivatives,
    IdDerivatives,
    IdJvp,
    IdVjp,
    FdDerivatives,
    FdBy(FdWay),
    FdJvp,
    FdVjp,
}

/// Every function, its name and what it gives.
pub static PRODUCTS: &[(Product, &str, &str)] = &[
    (Product::Rnea, "rnea", "inverse dynamics, τ"),
    (Product::Bias, "bias", "torques at q̈ = 0"),
    (Product::Gravity, "gravity_torques", "torques at rest"),
    (Product::Aba, "aba", "forward dynamics, q̈"),
    (Product::Crba, "crba", "mass matrix, M"),
    (Product::Factor, "crba_factor", "its tree-sparse factor"),
    (Product::Minverse, "minverse", "its inverse"),
    (Product::Coriolis, "coriolis", "Coriolis matrix, C"),
    (Product::Placements, "placements", "where bodies are"),
    (Product::Kinematics, "forward_kinematics", "and how they move"),
    (Product::Com, "centre_of_mass", "position, velocity, acceleration"),
    (Product::ComJacobian, "com_jacobian", "of the centre of mass"),
    (Product::Energy, "energy", "kinetic and potential"),
    (Product::CentroidalMatrix, "centroidal_matrix", "centroidal momentum matrix"),
    (Product::CentroidalDerivatives, "centroidal_derivatives", "∂h, ∂ḣ by q, q̇, q̈"),
    (Product::IdDerivatives, "id_derivatives", "∂τ by q, q̇, q̈"),
    (Product::IdJvp, "id_jvp", "∂τ along a direction"),
    (Product::IdVjp, "id_vjp", "gradient of wᵀ τ"),
    (Product::FdDerivatives, "fd_derivatives", "∂q̈ by q, q̇, τ"),
    (Product::FdJvp, "fd_jvp", "∂q̈ along a direction"),
    (Product::FdVjp, "fd_vjp", "gradient of wᵀ q̈"),
];

/// Which instructions a function runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// Those every CPU has.
    Plain,
    /// The best of this CPU.
    Best,
}

impl Instructions {
    fn workspace(self, scene: &Scene<'_, f64>) -> Workspace {
        match self {
            Self::Plain => Workspace::plain(scene.model),
            Self::Best => Workspace::new(scene.model),
        }
    }
}

impl Product {
    /// A call with everything made beforehand, as a program would.
    pub fn call<'a>(self, on: Instructions, scene: Scene<'a, f64>, samples: &'a [Sample]) -> Call<'a> {
        let ws = on.workspace(&scene);
        let lifted: Vec<Lifted<'a, f64>> =
            samples.iter().map(|x| Lifted { q: &x.q, v: &x.v, a: &x.a, tau: &x.tau }).collect();
        let mut run = self.runner(scene, ws);
        Box::new(move |k| run(&lifted[k]).map_err(|error| error.to_string()))
    }

    /// How many operations a call takes.
    pub fn operations(self, scene: &Scene<'_, f64>, sample: &Sample) -> Result<Operations, Error> {
        let count = |x: &[f64]| -> Vec<Counted> { x.iter().copied().map(Counted::from_f64).collect() };
        let (q, v, a, tau) = (count(&sample.q), count(&sample.v), count(&sample.a), count(&sample.tau));
        let mut run = self.runner(without_wrenches(scene), Workspace::<Counted>::new(scene.model));
        let mut result = Ok(());
        let operations = Operations::of(|| result = run(&Lifted { q: &q, v: &v, a: &a, tau: &tau }));
        result.map(|()| operations)
    }

    fn runner<'a, T: Dispatch + 'a>(self, scene: Scene<'a, T>, mut ws: Workspace<T>) -> Runner<'a, T> {
        let (model, n) = (scene.model, scene.model.nv());
        let vector = || vec![T::zero(); n];
        let square = || Matrix::<T>::zeros(n, n);
        match self {
            Self::Rnea => {
                let mut tau = vector();
                Box::new(move |x| dtau::rnea(scene, &mut ws, x.q, x.v, x.a, &mut tau))
            }
            Self::Bias => {
                let mut tau = vector();
                Box::new(move |x| dtau::bias(scene, &mut ws, x.q, x.v, &mut tau))
            }
            Self::Gravity => {
                let mut tau = vector();
                Box::new(move |x| dtau::gravity_torques(scene, &mut ws, x.q, &mut tau))
            }
            Self::Aba => {
                let mut qdd = vector();
                Box::new(move |x| dtau::aba(scene, &mut ws, x.q, x.v, x.tau, &mut qdd))
            }
            Self::Crba => {
                let mut m = square();
                Box::new(move |x| dtau::crba(scene, &mut ws, x.q, &mut m))
            }
            Self::Factor => {
                let mut factor = MassFactor::new(model);
                Box::new(move |x| dtau::crba_factor(scene, &mut ws, x.q, &mut factor))
            }
            Self::Minverse => {
                let mut minv = square();
                Box::new(move |x| dtau::minverse(scene, &mut ws, x.q, &mut minv))
            }
            Self::Coriolis => {
                let mut c = square();
                Box::new(move |x| dtau::coriolis(model, &mut ws, x.q, x.v, &mut c))
            }
            Self::Placements => {
                let mut out = Placements::new(model);
                Box::new(move |x| dtau::placements(model, &mut ws, x.q, &mut out))
            }
            Self::Kinematics => {
                let mut out = Kinematics::new(model);
                Box::new(move |x| dtau::forward_kinematics(model, &mut ws, x.q, x.v, x.a, &mut out))
            }
            Self::Com => Box::new(move |x| {
                std::hint::black_box(dtau::centre_of_mass(model, &mut ws, x.q, x.v, x.a)?);
                Ok(())
            }),
            Self::ComJacobian => {
                let mut j = Matrix::zeros(3, n);
                Box::new(move |x| dtau::com_jacobian(model, &mut ws, x.q, &mut j))
            }
            Self::Energy => Box::new(move |x| {
                std::hint::black_box(dtau::energy(scene, &mut ws, x.q, x.v)?);
                Ok(())
            }),
            Self::CentroidalMatrix => {
                let mut a_g = Matrix::zeros(6, n);
                Box::new(move |x| dtau::centroidal_matrix(model, &mut ws, x.q, &mut a_g))
            }
            Self::CentroidalDerivatives => {
                let mut out = CentroidalDerivatives::new(model);
                Box::new(move |x| dtau::centroidal_derivatives(model, &mut ws, x.q, x.v, x.a, &mut out))
            }
            Self::IdDerivatives => {
                let mut out = IdDerivatives::new(model);
                Box::new(move |x| dtau::id_derivatives(scene, &mut ws, x.q, x.v, x.a, &mut out))
            }
            Self::IdJvp => {
                let mut dtau = vector();
                Box::new(move |x| {
                    let along = IdTangent { q: x.v, v: x.a, a: x.tau };
                    dtau::id_jvp(scene, &mut ws, x.q, x.v, x.a, along, &mut dtau)
                })
            }
            Self::IdVjp => {
                let (mut q, mut v, mut a) = (vector(), vector(), vector());
                Box::new(move |x| {
                    let out = IdCotangent { q: &mut q, v: &mut v, a: &mut a };
                    dtau::id_vjp(scene, &mut ws, x.q, x.v, x.a, x.tau, out)
                })
            }
            Self::FdDerivatives => Self::FdBy(FdWay::for_model(model)).runner(scene, ws),
            Self::FdBy(way) => {
                let mut out = FdDerivatives::new(model);
                Box::new(move |x| dtau::fd_derivatives_by(way, scene, &mut ws, x.q, x.v, x.tau, &mut out))
            }
            Self::FdJvp => {
                let mut dqdd = vector();
                Box::new(move |x| {
                    let along = FdTangent { q: x.v, v: x.a, tau: x.tau };
                    dtau::fd_jvp(scene, &mut ws, x.q, x.v, x.tau, along, &mut dqdd)
                })
            }
            Self::FdVjp => {
                let (mut q, mut v, mut tau) = (vector(), vector(), vector());
                Box::new(move |x| {
                    let out = FdCotangent { q: &mut q, v: &mut v, tau: &mut tau };
                    dtau::fd_vjp(scene, &mut ws, x.q, x.v, x.tau, x.a, out)
                })
            }
        }
    }
}

/// A state in a scalar.
struct Lifted<'a, T> {
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    tau: &'a [T],
}

type Runner<'a, T> = Box<dyn FnMut(&Lifted<'_, T>) -> Result<(), Error> + 'a>;
