//! The list of methods. Tests, the command and the reports loop over it.

use crate::functions::{ForwardDynamics, InverseDynamics, StateFunction, lift, with_wrenches};
use crate::{FdDerivatives, FdMethod, IdMethod, InverseMethod};
use crate::{abacr, fd_pinocchio_style, fdcr, fdsva, response};
use crate::{around, complex_step, dual_numbers, finite_difference};
use crate::{idsva_body, idsva_printed, idsva_single_dof, lagrangian, pinocchio_style, rneacr};
use crate::{inverse_aza, inverse_cholesky, inverse_dedicated, inverse_dense};
use dtau::model::Model;
use dtau::scalar::{Counted, Operations, Real};
use dtau::{IdDerivatives, Matrix, Scene, Workspace};
use std::fmt;

/// Result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// τ, ∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈ = M.
    IdDerivatives,
    /// q̈, ∂q̈/∂q, ∂q̈/∂q̇, ∂q̈/∂τ = M⁻¹.
    FdDerivatives,
    /// M⁻¹.
    MassInverse,
}

/// Models that a method supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// All models.
    None,
    /// Models whose joints have one degree of freedom each.
    SingleDof,
    /// Models without mimicking joints.
    NoMimic,
}

/// A method for derivatives of inverse dynamics that handles the complete scene.
pub type IdOfScene<T> = fn(&Scene<'_, T>, q: &[T], v: &[T], a: &[T]) -> IdDerivatives<T>;

/// A method for derivatives of forward dynamics that handles the complete scene.
pub type FdOfScene<T> = fn(&Scene<'_, T>, q: &[T], v: &[T], tau: &[T]) -> FdDerivatives<T>;

/// A method for the inverse of the mass matrix that handles the complete scene.
pub type InverseOfScene<T> = fn(&Scene<'_, T>, q: &[T]) -> Matrix<T>;

/// Function of a method.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Run {
    /// On the bare tree; [`around`] adds the rest.
    Id { plain: IdMethod<f64>, counted: IdMethod<Counted> },
    /// On a scene. Methods with their own scalar cannot be counted.
    IdOfScene { plain: IdOfScene<f64>, counted: Option<IdOfScene<Counted>> },
    /// On the bare tree.
    Fd { plain: FdMethod<f64>, counted: FdMethod<Counted> },
    /// On a scene.
    FdOfScene { plain: FdOfScene<f64>, counted: Option<FdOfScene<Counted>> },
    /// On the bare tree.
    Inverse { plain: InverseMethod<f64>, counted: InverseMethod<Counted> },
    /// On a scene.
    InverseOfScene { plain: InverseOfScene<f64>, counted: Option<InverseOfScene<Counted>> },
}

/// An entry of the list.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its name, in kebab-case; unique together with the quantity.
    pub name: &'static str,
    /// Its result.
    pub quantity: Quantity,
    /// Its source: a key of REFERENCES.md and the place.
    pub source: &'static str,
    /// Its cost: N bodies, d the depth of the tree.
    pub cost: &'static str,
    /// Short description of the method.
    pub how: &'static str,
    /// Models that it supports.
    pub restriction: Restriction,
    /// True if it is exact up to rounding.
    pub exact: bool,
    /// Its function.
    pub run: Run,
}

/// A method of the list on the bare tree.
macro_rules! id_method {
    ($module:ident) => {
        Run::Id { plain: $module::id_derivatives::<f64>, counted: $module::id_derivatives::<Counted> }
    };
}

/// A method for forward dynamics on the bare tree.
macro_rules! fd_method {
    ($module:ident) => {
        fd_method!($module, fd_derivatives)
    };
    ($module:ident, $function:ident) => {
        Run::Fd { plain: $module::$function::<f64>, counted: $module::$function::<Counted> }
    };
}

/// A method for the inverse of the mass matrix on the bare tree.
macro_rules! inverse_method {
    ($module:ident) => {
        Run::Inverse { plain: $module::inverse::<f64>, counted: $module::inverse::<Counted> }
    };
}

/// A generic method, which has its own scalar.
macro_rules! generic {
    ($jacobians:path) => {
        Run::IdOfScene { plain: |scene, q, v, a| through(&InverseDynamics(*scene), q, v, a, $jacobians), counted: None }
    };
}

/// A generic method for forward dynamics.
macro_rules! fd_generic {
    ($jacobians:path) => {
        Run::FdOfScene {
            plain: |scene, q, v, tau| {
                let [qdd, dq, dv, dtau] = $jacobians(&ForwardDynamics(*scene), q, v, tau);
                FdDerivatives { qdd: qdd.to_vec(), dqdd_dq: dq, dqdd_dv: dv, dqdd_dtau: dtau }
            },
            counted: None,
        }
    };
}

/// Every method.
pub static METHODS: &[Method] = &[
    Method {
        name: "idsva",
        quantity: Quantity::IdDerivatives,
        source: "[Singh22] Alg. 1",
        cost: "O(Nd)",
        how: "dtau's own: ground coordinates, 12-number B, columns filled in contiguous runs",
        restriction: Restriction::None,
        exact: true,
        run: Run::IdOfScene { plain: product::<f64>, counted: Some(product::<Counted>) },
    },
    Method {
        name: "idsva-printed",
        quantity: Quantity::IdDerivatives,
        source: "[Singh22] Alg. 1",
        cost: "O(Nd)",
        how: "ground coordinates, 6×6 B, as printed: the twin of idsva",
        restriction: Restriction::None,
        exact: true,
        run: id_method!(idsva_printed),
    },
    Method {
        name: "idsva-body",
        quantity: Quantity::IdDerivatives,
        source: "[Singh22] Alg. 1, §V-B",
        cost: "O(Nd)",
        how: "body coordinates, 6×6 B, every column carried through every ancestor's frame",
        restriction: Restriction::None,
        exact: true,
        run: id_method!(idsva_body),
    },
    Method {
        name: "idsva-single-dof",
        quantity: Quantity::IdDerivatives,
        source: "[Singh21] Alg. 1",
        cost: "O(Nd)",
        how: "the first paper's: ground coordinates, 6×6 B, a loop over ancestors",
        restriction: Restriction::SingleDof,
        exact: true,
        run: id_method!(idsva_single_dof),
    },
    Method {
        name: "pinocchio-style",
        quantity: Quantity::IdDerivatives,
        source: "[Carpentier18] Alg. 2, 3 as described in [Singh22] §V-C",
        cost: "O(N) outward, O(Nd) inward",
        how: "chain rule in ground coordinates, inertia rates and momenta, an innermost loop over ancestors",
        restriction: Restriction::None,
        exact: true,
        run: id_method!(pinocchio_style),
    },
    Method {
        name: "rneacr",
        quantity: Quantity::IdDerivatives,
        source: "[Carpentier18] Alg. 2, 3",
        cost: "O(Nd) time, O(N²) storage",
        how: "chain rule on RNEA in body coordinates, accumulated forward",
        restriction: Restriction::None,
        exact: true,
        run: id_method!(rneacr),
    },
    Method {
        name: "lagrangian",
        quantity: Quantity::IdDerivatives,
        source: "[Garofalo13], with C of [Singh21] eq. (23), [Echeandia21]",
        cost: "O(N³)",
        how: "M, C and g differentiated entry by entry",
        restriction: Restriction::None,
        exact: true,
        run: id_method!(lagrangian),
    },
    Method {
        name: "complex-step",
        quantity: Quantity::IdDerivatives,
        source: "[Lyness67], [Cossette20]",
        cost: "O(N²)",
        how: "RNEA on complex numbers, once a column",
        restriction: Restriction::None,
        exact: true,
        run: generic!(complex_step::jacobians),
    },
    Method {
        name: "dual-numbers",
        quantity: Quantity::IdDerivatives,
        source: "forward-mode automatic differentiation",
        cost: "O(N²)",
        how: "RNEA on dual numbers, once eight columns",
        restriction: Restriction::None,
        exact: true,
        run: generic!(dual_numbers::jacobians),
    },
    Method {
        name: "forward-difference",
        quantity: Quantity::IdDerivatives,
        source: "on the manifold",
        cost: "O(N²)",
        how: "one RNEA a column; about 1e-8 of the entry's size",
        restriction: Restriction::None,
        exact: false,
        run: generic!(finite_difference::forward),
    },
    Method {
        name: "central-difference",
        quantity: Quantity::IdDerivatives,
        source: "on the manifold",
        cost: "O(N²)",
        how: "two RNEA a column; about 1e-10 of the entry's size",
        restriction: Restriction::None,
        exact: false,
        run: generic!(finite_difference::central),
    },
    Method {
        name: "fdsva",
        quantity: Quantity::FdDerivatives,
        source: "[Singh22] eq. (5)",
        cost: "O(N²) or O(N³), by the tree",
        how: "dtau's own: idsva, then −M⁻¹ in the way that FdWay::for_model chooses",
        restriction: Restriction::None,
        exact: true,
        run: Run::FdOfScene { plain: forward_product::<f64>, counted: Some(forward_product::<Counted>) },
    },
    Method {
        name: "abacr",
        quantity: Quantity::FdDerivatives,
        source: "[Singh21] Table II",
        cost: "O(N²)",
        how: "chain rule on ABA in body coordinates, a column at a time",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(abacr),
    },
    Method {
        name: "fdcr",
        quantity: Quantity::FdDerivatives,
        source: "[Singh22] Table II, eq. (5)",
        cost: "O(N³)",
        how: "RNEACR, then a dense product with the dedicated M⁻¹",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(fdcr),
    },
    Method {
        name: "pinocchio-style",
        quantity: Quantity::FdDerivatives,
        source: "[Carpentier18] §IV",
        cost: "O(N³)",
        how: "Pinocchio's ∂ID, then a dense product with the dedicated M⁻¹",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(fd_pinocchio_style),
    },
    Method {
        name: "fdsva-dmm",
        quantity: Quantity::FdDerivatives,
        source: "[Singh22] §IV-E",
        cost: "O(N³)",
        how: "IDSVA, then a dense product with the dedicated M⁻¹",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(fdsva, dmm),
    },
    Method {
        name: "fdsva-aza",
        quantity: Quantity::FdDerivatives,
        source: "[Singh22] eq. (34)",
        cost: "O(N²)",
        how: "IDSVA, then every column as the acceleration of the tree at rest",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(fdsva, aza),
    },
    Method {
        name: "fdsva-ltdl",
        quantity: Quantity::FdDerivatives,
        source: "[RBDA] §6.5",
        cost: "O(N²d)",
        how: "IDSVA, then every column by substitution in the tree-sparse factor of M",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(fdsva, ltdl),
    },
    Method {
        name: "response",
        quantity: Quantity::FdDerivatives,
        source: "derived in the file",
        cost: "O(N²)",
        how: "every column as the acceleration of the tree at rest under body forces; no ∂ID, no M",
        restriction: Restriction::NoMimic,
        exact: true,
        run: fd_method!(response),
    },
    Method {
        name: "complex-step",
        quantity: Quantity::FdDerivatives,
        source: "[Lyness67], [Cossette20]",
        cost: "O(N²)",
        how: "ABA on complex numbers, once a column",
        restriction: Restriction::None,
        exact: true,
        run: fd_generic!(complex_step::jacobians),
    },
    Method {
        name: "dual-numbers",
        quantity: Quantity::FdDerivatives,
        source: "forward-mode automatic differentiation",
        cost: "O(N²)",
        how: "ABA on dual numbers, once eight columns",
        restriction: Restriction::None,
        exact: true,
        run: fd_generic!(dual_numbers::jacobians),
    },
    Method {
        name: "forward-difference",
        quantity: Quantity::FdDerivatives,
        source: "on the manifold",
        cost: "O(N²)",
        how: "one ABA a column; about 1e-8 of the entry's size",
        restriction: Restriction::None,
        exact: false,
        run: fd_generic!(finite_difference::forward),
    },
    Method {
        name: "central-difference",
        quantity: Quantity::FdDerivatives,
        source: "on the manifold",
        cost: "O(N²)",
        how: "two ABA a column; about 1e-10 of the entry's size",
        restriction: Restriction::None,
        exact: false,
        run: fd_generic!(finite_difference::central),
    },
    Method {
        name: "minverse",
        quantity: Quantity::MassInverse,
        source: "dtau's own",
        cost: "O(N²)",
        how: "ABA on all columns of the identity, in ground coordinates",
        restriction: Restriction::None,
        exact: true,
        run: Run::InverseOfScene { plain: product_inverse::<f64>, counted: Some(product_inverse::<Counted>) },
    },
    Method {
        name: "dedicated",
        quantity: Quantity::MassInverse,
        source: "[Carpentier18] §IV-C, [Carpentier18b]",
        cost: "O(N²)",
        how: "three passes: ABA on all columns of the identity together, one triangle",
        restriction: Restriction::NoMimic,
        exact: true,
        run: inverse_method!(inverse_dedicated),
    },
    Method {
        name: "cholesky",
        quantity: Quantity::MassInverse,
        source: "[RBDA] §6.5",
        cost: "O(Nd² + N²d)",
        how: "CRBA, tree-sparse LᵀDL, substitution",
        restriction: Restriction::NoMimic,
        exact: true,
        run: inverse_method!(inverse_cholesky),
    },
    Method {
        name: "aza",
        quantity: Quantity::MassInverse,
        source: "[Singh21] §IV-A, [Singh22] eq. (34)",
        cost: "O(N²)",
        how: "ABA at rest on the columns of the identity, one at a time",
        restriction: Restriction::NoMimic,
        exact: true,
        run: inverse_method!(inverse_aza),
    },
    Method {
        name: "dense",
        quantity: Quantity::MassInverse,
        source: "textbook Cholesky",
        cost: "O(N³)",
        how: "CRBA, dense LLᵀ, substitution",
        restriction: Restriction::NoMimic,
        exact: true,
        run: inverse_method!(inverse_dense),
    },
];

/// The methods for a quantity.
pub fn methods(quantity: Quantity) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(move |m| m.quantity == quantity)
}

/// A method by name.
pub fn find(quantity: Quantity, name: &str) -> Option<&'static Method> {
    methods(quantity).find(|m| m.name == name)
}

/// Reason why a method cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl Method {
    /// Checks that it supports a model.
    ///
    /// # Errors
    /// If it does not; the error names the joint.
    pub fn accepts(&self, model: &Model) -> Result<(), Refused> {
        let joints = model.joints();
        let (offender, rule) = match self.restriction {
            Restriction::None => return Ok(()),
            Restriction::SingleDof => (joints.iter().find(|j| j.v.len() != 1), "joints with one degree of freedom"),
            Restriction::NoMimic => (joints.iter().find(|j| j.mimic.is_some()), "joints that follow no other"),
        };
        match offender {
            None => Ok(()),
            Some(joint) => Err(Refused(format!("{} is for {rule}; joint \"{}\" is not one", self.name, joint.name))),
        }
    }

    /// Computes derivatives of inverse dynamics.
    ///
    /// # Errors
    /// If it does not support the model, or computes something else.
    pub fn id_derivatives(
        &self,
        scene: &Scene<'_, f64>,
        q: &[f64],
        v: &[f64],
        a: &[f64],
    ) -> Result<IdDerivatives<f64>, Refused> {
        self.accepts(scene.model)?;
        match self.run {
            Run::Id { plain, .. } => Ok(around::id_derivatives(plain, scene, q, v, a)),
            Run::IdOfScene { plain, .. } => Ok(plain(scene, q, v, a)),
            _ => Err(self.computes_something_else()),
        }
    }

    /// Number of floating-point operations of [`id_derivatives`](Self::id_derivatives); `None` if it cannot
    /// be counted.
    ///
    /// # Errors
    /// If it does not support the model, or computes something else.
    pub fn id_operations(
        &self,
        scene: &Scene<'_, f64>,
        q: &[f64],
        v: &[f64],
        a: &[f64],
    ) -> Result<Option<Operations>, Refused> {
        self.accepts(scene.model)?;
        let counted = |u: &[f64]| -> Vec<Counted> { u.iter().copied().map(Counted::from_f64).collect() };
        let (q, v, a) = (counted(q), counted(v), counted(a));
        let wrenches: Vec<_> = scene.wrenches.iter().map(lift).collect();
        let scene = with_wrenches(scene, &wrenches);
        Ok(match self.run {
            Run::Id { counted, .. } => Some(Operations::of(|| {
                around::id_derivatives(counted, &scene, &q, &v, &a);
            })),
            Run::IdOfScene { counted, .. } => counted.map(|run| {
                Operations::of(|| {
                    run(&scene, &q, &v, &a);
                })
            }),
            _ => return Err(self.computes_something_else()),
        })
    }

    /// Computes forward dynamics and its derivatives.
    ///
    /// # Errors
    /// If it does not support the model, or computes something else, or if a body has no inertia along its
    /// joint.
    pub fn fd_derivatives(
        &self,
        scene: &Scene<'_, f64>,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
    ) -> Result<FdDerivatives<f64>, Refused> {
        self.accepts(scene.model)?;
        require_inertia(scene, q)?;
        match self.run {
            Run::Fd { plain, .. } => Ok(around::fd_derivatives(plain, scene, q, v, tau)),
            Run::FdOfScene { plain, .. } => Ok(plain(scene, q, v, tau)),
            _ => Err(self.computes_something_else()),
        }
    }

    /// Computes the inverse of the mass matrix.
    ///
    /// # Errors
    /// If it does not support the model, or computes something else, or if a body has no inertia along its
    /// joint.
    pub fn inverse(&self, scene: &Scene<'_, f64>, q: &[f64]) -> Result<Matrix<f64>, Refused> {
        self.accepts(scene.model)?;
        require_inertia(scene, q)?;
        match self.run {
            Run::Inverse { plain, .. } => Ok(around::inverse(plain, scene, q)),
            Run::InverseOfScene { plain, .. } => Ok(plain(scene, q)),
            _ => Err(self.computes_something_else()),
        }
    }

    /// Number of floating-point operations of [`fd_derivatives`](Self::fd_derivatives) or
    /// [`inverse`](Self::inverse); `None` if it cannot be counted.
    ///
    /// # Errors
    /// Same as those of the two functions.
    pub fn forward_operations(
        &self,
        scene: &Scene<'_, f64>,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
    ) -> Result<Option<Operations>, Refused> {
        self.accepts(scene.model)?;
        require_inertia(scene, q)?;
        let counted = |u: &[f64]| -> Vec<Counted> { u.iter().copied().map(Counted::from_f64).collect() };
        let (q, v, tau) = (counted(q), counted(v), counted(tau));
        let wrenches: Vec<_> = scene.wrenches.iter().map(lift).collect();
        let scene = with_wrenches(scene, &wrenches);
        let fd = |run: &dyn Fn() -> FdDerivatives<Counted>| {
            Operations::of(|| {
                run();
            })
        };
        let inverse = |run: &dyn Fn() -> Matrix<Counted>| {
            Operations::of(|| {
                run();
            })
        };
        Ok(match self.run {
            Run::Fd { counted, .. } => Some(fd(&|| around::fd_derivatives(counted, &scene, &q, &v, &tau))),
            Run::FdOfScene { counted, .. } => counted.map(|run| fd(&|| run(&scene, &q, &v, &tau))),
            Run::Inverse { counted, .. } => Some(inverse(&|| around::inverse(counted, &scene, &q))),
            Run::InverseOfScene { counted, .. } => counted.map(|run| inverse(&|| run(&scene, &q))),
            _ => return Err(self.computes_something_else()),
        })
    }

    fn computes_something_else(&self) -> Refused {
        let what = match self.quantity {
            Quantity::IdDerivatives => "derivatives of inverse dynamics",
            Quantity::FdDerivatives => "derivatives of forward dynamics",
            Quantity::MassInverse => "the inverse of the mass matrix",
        };
        Refused(format!("{} computes {what}", self.name))
    }
}

/// Checks that forward dynamics exists: the product reports an error where the methods would divide by zero.
fn require_inertia(scene: &Scene<'_, f64>, q: &[f64]) -> Result<(), Refused> {
    let nv = scene.model.nv();
    let mut minv = Matrix::zeros(nv, nv);
    let result = dtau::minverse(*scene, &mut Workspace::new(scene.model), q, &mut minv);
    result.map_err(|error| Refused(error.to_string()))
}

/// dtau's own inverse of the mass matrix.
fn product_inverse<T: Real>(scene: &Scene<'_, T>, q: &[T]) -> Matrix<T> {
    let nv = scene.model.nv();
    let mut minv = Matrix::zeros(nv, nv);
    dtau::minverse(*scene, &mut Workspace::new(scene.model), q, &mut minv).expect("inertia along every joint");
    minv
}

/// The product's own, in the way that it chooses.
fn forward_product<T: Real>(scene: &Scene<'_, T>, q: &[T], v: &[T], tau: &[T]) -> FdDerivatives<T> {
    let mut out = FdDerivatives::new(scene.model);
    let mut ws = Workspace::new(scene.model);
    dtau::fd_derivatives(*scene, &mut ws, q, v, tau, &mut out).expect("sizes that fit, and inertia that was required");
    out
}

/// The product's own.
fn product<T: Real>(scene: &Scene<'_, T>, q: &[T], v: &[T], a: &[T]) -> IdDerivatives<T> {
    let mut out = IdDerivatives::new(scene.model);
    let mut ws = Workspace::new(scene.model);
    dtau::id_derivatives(*scene, &mut ws, q, v, a, &mut out).expect("lengths that fit the model");
    out
}

/// Runs a generic method on inverse dynamics.
fn through<F: StateFunction>(
    f: &F,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    jacobians: impl Fn(&F, &[f64], &[f64], &[f64]) -> [Matrix<f64>; 4],
) -> IdDerivatives<f64> {
    let [tau, dq, dv, da] = jacobians(f, q, v, a);
    IdDerivatives { tau: tau.to_vec(), dtau_dq: dq, dtau_dv: dv, dtau_da: da }
}
