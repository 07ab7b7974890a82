//! Works to time and to count: functions of the library, methods of the list, and their parts.
//!
//! A method of the list runs on the bare tree, with the state in full coordinates prepared in advance. The
//! steps around it (`dtau_methods::around`) are equal for all methods and are not timed. Methods that
//! differentiate a function receive it with allocated scratch. All of them use only the instructions of every
//! CPU.

use dtau::scalar::{Counted, Operations, Real};
use dtau::{Error, FdWay, Matrix, Parameters, Scene, Workspace};
use dtau_cli::clock::Call;
use dtau_cli::product::{self, Side, in_scalar};
use dtau_cli::product::{Instructions, Product};
use dtau_cli::sample::Sample;
use dtau_methods::around::{Full, full_v};
use dtau_methods::finite_difference::{Scheme, differences_of};
use dtau_methods::list::{Method, Quantity, Run};
use dtau_methods::{complex_step, dual_numbers, fdsva};
use std::hint::black_box;

/// A work to time or count.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// A function of the library.
    Product(Product, Instructions),
    /// A function of the library on many states at once; times are per state.
    Many(Product, Side),
    /// A method of the list.
    Method(&'static Method),
    /// −M⁻¹ times ∂ID/∂q and ∂ID/∂q̇ as products of dense matrices; M⁻¹ is already computed.
    ApplyDmm,
    /// −M⁻¹ times ∂ID/∂q and ∂ID/∂q̇ by AZA, including its articulated inertias.
    ApplyAza,
}

impl Work {
    /// A method of the list; the library's own runs on plain instructions. `None` if the name is unknown.
    pub fn method(quantity: Quantity, name: &str) -> Option<Work> {
        dtau_methods::list::find(quantity, name).map(|method| Self::listed(method, Instructions::Plain))
    }

    /// An entry of the list; the library's own runs with an existing workspace.
    pub fn listed(method: &'static Method, on: Instructions) -> Work {
        match own(method) {
            Some(product) => Work::Product(product, on),
            None => Work::Method(method),
        }
    }

    /// Identifies a work.
    pub fn key(self) -> String {
        match self {
            Work::Product(product, on) => format!("{product:?}/{on:?}"),
            Work::Many(product, side) => format!("{product:?}/{side:?}"),
            Work::Method(method) => format!("{:?}/{}", method.quantity, method.name),
            Work::ApplyDmm => "apply/dmm".into(),
            Work::ApplyAza => "apply/aza".into(),
        }
    }

    /// Number of states per call.
    pub fn states(self) -> usize {
        if let Work::Many(..) = self { product::STATES } else { 1 }
    }

    /// The call, on samples of a scene without wrenches.
    pub fn call<'a>(self, scene: Scene<'a, f64>, samples: &'a [Sample]) -> Result<Call<'a>, String> {
        let method = match self {
            Work::Product(product, on) => return Ok(product.call(on, scene, samples)),
            Work::Many(product, side) => return product.call_many(side, scene, samples),
            Work::ApplyDmm | Work::ApplyAza => return self.apply(scene, samples),
            Work::Method(method) => method,
        };
        method.accepts(scene.model).map_err(|refused| refused.to_string())?;
        let (model, tree) = (scene.model, scene.model.tree());
        if method.quantity != Quantity::IdDerivatives {
            // If a body has no inertia, the library reports it, but the methods would divide by zero.
            samples.iter().try_for_each(|x| require_inertia(scene, x)).map_err(|error| error.to_string())?;
        }
        let n = tree.dofs.len();
        let full = || -> Vec<Full<f64>> { samples.iter().map(|x| Full::new(&scene, &x.q, &x.v)).collect() };
        let square = || vec![0.0; n * n];
        Ok(match method.run {
            Run::Id { plain, .. } => {
                let full = full();
                let a: Vec<Vec<f64>> = samples.iter().map(|x| full_v(model, &x.a)).collect();
                let (mut tau, mut dq, mut dv, mut da) = (vec![0.0; n], square(), square(), square());
                done(move |k| plain(&full[k].state(tree), &a[k], &mut tau, &mut dq, &mut dv, &mut da))
            }
            Run::Fd { plain, .. } => {
                let full = full();
                let (mut qdd, mut dq, mut dv, mut dtau) = (vec![0.0; n], square(), square(), square());
                done(move |k| plain(&full[k].state(tree), &samples[k].tau, &mut qdd, &mut dq, &mut dv, &mut dtau))
            }
            Run::Inverse { plain, .. } => {
                let (full, mut minv) = (full(), square());
                done(move |k| plain(&full[k].state(tree), &mut minv))
            }
            Run::IdOfScene { plain, .. } => match Generic::named(method.name) {
                Some(generic) => generic.call(Dynamics::Inverse, scene, samples),
                None => done(move |k| drop(black_box(plain(&scene, &samples[k].q, &samples[k].v, &samples[k].a)))),
            },
            Run::FdOfScene { plain, .. } => match Generic::named(method.name) {
                Some(generic) => generic.call(Dynamics::Forward, scene, samples),
                None => done(move |k| drop(black_box(plain(&scene, &samples[k].q, &samples[k].v, &samples[k].tau)))),
            },
            Run::InverseOfScene { plain, .. } => done(move |k| drop(black_box(plain(&scene, &samples[k].q)))),
        })
    }

    /// One half of FDSVA, without the other.
    fn apply<'a>(self, scene: Scene<'a, f64>, samples: &'a [Sample]) -> Result<Call<'a>, String> {
        let (tree, n) = (scene.model.tree(), scene.model.nv());
        if scene.model.mimic().is_some() {
            return Err("joints that follow others".into());
        }
        let full: Vec<Full<f64>> = samples.iter().map(|x| Full::new(&scene, &x.q, &x.v)).collect();
        // The values in ∂ID do not affect the time, but they should be finite.
        let id: Vec<f64> = (0..n * n).map(|k| (k % 7) as f64 - 3.0).collect();
        let (mut dq, mut dv) = (id.clone(), id.clone());
        if let Work::ApplyAza = self {
            return Ok(done(move |k| {
                fdsva::apply_aza(&full[k].state(tree), &id, &mut dq);
                fdsva::apply_aza(&full[k].state(tree), &id, &mut dv);
            }));
        }
        let mut minv = vec![0.0; n * n];
        dtau_methods::inverse_dedicated::inverse(&full[0].state(tree), &mut minv);
        Ok(done(move |_| {
            fdsva::apply_dmm(&minv, &id, &mut dq);
            fdsva::apply_dmm(&minv, &id, &mut dv);
        }))
    }

    /// Number of operations of a call; `None` for works with their own scalar.
    pub fn operations(self, scene: &Scene<'_, f64>, sample: &Sample) -> Result<Option<Operations>, String> {
        let method = match self {
            Work::Product(product, _) | Work::Many(product, _) => {
                return product.operations(scene, sample).map(Some).map_err(|error| error.to_string());
            }
            Work::ApplyDmm | Work::ApplyAza => return Ok(None),
            Work::Method(method) => method,
        };
        method.accepts(scene.model).map_err(|refused| refused.to_string())?;
        let count = |x: &[f64]| -> Vec<Counted> { x.iter().copied().map(Counted::from_f64).collect() };
        let (model, scene) = (scene.model, in_scalar::<Counted>(scene));
        let (tree, n) = (model.tree(), model.tree().dofs.len());
        let full = Full::new(&scene, &count(&sample.q), &count(&sample.v));
        let (state, x) = (full.state(tree), count(&sample.tau));
        let (vector, square) = (|| vec![Counted(0.0); n], || vec![Counted(0.0); n * n]);
        let [mut a, mut b, mut c] = [square(), square(), square()];
        Ok(match method.run {
            Run::Id { counted, .. } => {
                let x = full_v(model, &count(&sample.a));
                Some(Operations::of(|| counted(&state, &x, &mut vector(), &mut a, &mut b, &mut c)))
            }
            Run::Fd { counted, .. } => {
                Some(Operations::of(|| counted(&state, &x, &mut vector(), &mut a, &mut b, &mut c)))
            }
            Run::Inverse { counted, .. } => Some(Operations::of(|| counted(&state, &mut a))),
            _ => None,
        })
    }
}

fn require_inertia(scene: Scene<'_, f64>, x: &Sample) -> Result<(), Error> {
    let mut qdd = vec![0.0; scene.model.nv()];
    dtau::aba(scene, &mut Workspace::new(scene.model), &x.q, &x.v, &x.tau, &mut qdd)
}

/// A function of the library without parameters.
pub fn product(name: &str) -> Product {
    Product::named(name, Parameters::default())
}

/// The derivatives of forward dynamics in a given way.
pub fn fd_by(way: FdWay) -> Product {
    Product::named("fd_derivatives", Parameters { way: Some(way), ..Parameters::default() })
}

/// The library function of a list entry.
fn own(method: &Method) -> Option<Product> {
    match (method.quantity, method.name) {
        (Quantity::IdDerivatives, "idsva") => Some(product("id_derivatives")),
        (Quantity::FdDerivatives, "fdsva") => Some(product("fd_derivatives")),
        (Quantity::MassInverse, "minverse") => Some(product("minverse")),
        _ => None,
    }
}

fn done<'a>(mut run: impl FnMut(usize) + 'a) -> Call<'a> {
    Box::new(move |k| {
        run(k);
        Ok(())
    })
}

/// A method that differentiates any function.
#[derive(Clone, Copy)]
enum Generic {
    ComplexStep,
    DualNumbers,
    Differences(Scheme),
}

impl Generic {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "complex-step" => Self::ComplexStep,
            "dual-numbers" => Self::DualNumbers,
            "forward-difference" => Self::Differences(Scheme::Forward),
            "central-difference" => Self::Differences(Scheme::Central),
            _ => return None,
        })
    }

    /// Inverse or forward dynamics, with scratch allocated once.
    fn call<'a>(self, of: Dynamics, scene: Scene<'a, f64>, samples: &'a [Sample]) -> Call<'a> {
        let (model, n) = (scene.model, scene.model.nv());
        let keep = |jacobians: [Matrix<f64>; 4]| drop(black_box(jacobians));
        match self {
            Self::ComplexStep => {
                let mut f = of.over(scene);
                done(move |k| {
                    let x = &samples[k];
                    keep(complex_step::jacobians_of(model, n, &mut f, &x.q, &x.v, of.third(x)));
                })
            }
            Self::DualNumbers => {
                let mut f = of.over(scene);
                done(move |k| {
                    let x = &samples[k];
                    keep(dual_numbers::jacobians_of(model, n, &mut f, &x.q, &x.v, of.third(x)));
                })
            }
            Self::Differences(scheme) => {
                let mut f = of.over(scene);
                done(move |k| {
                    let x = &samples[k];
                    keep(differences_of(scheme, model, n, &mut f, &x.q, &x.v, of.third(x)));
                })
            }
        }
    }
}

/// The function that is differentiated.
#[derive(Clone, Copy)]
enum Dynamics {
    Inverse,
    Forward,
}

impl Dynamics {
    fn third(self, x: &Sample) -> &[f64] {
        match self {
            Self::Inverse => &x.a,
            Self::Forward => &x.tau,
        }
    }

    /// The function over a scalar, in the form that a method calls.
    fn over<'a, T: Real + 'a>(self, scene: Scene<'a, f64>) -> impl FnMut(&[T], &[T], &[T], &mut [T]) + 'a {
        let mut ws = Workspace::<T>::new(scene.model);
        let scene = in_scalar::<T>(&scene);
        move |q, v, third, out| {
            let result = match self {
                Self::Inverse => dtau::rnea(scene, &mut ws, q, v, third, out),
                Self::Forward => dtau::aba(scene, &mut ws, q, v, third, out),
            };
            result.expect("a state that was evaluated before");
        }
    }
}
