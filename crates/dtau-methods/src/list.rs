//! The list of methods. Tests, the command and the reports loop over it.

use crate::functions::{InverseDynamics, StateFunction, lift, with_wrenches};
use crate::{FdMethod, IdMethod, InverseMethod};
use crate::{around, complex_step, dual_numbers, finite_difference};
use crate::{idsva_body, idsva_printed, idsva_single_dof, lagrangian, pinocchio_style, rneacr};
use dtau::model::Model;
use dtau::scalar::{Counted, Operations, Real};
use dtau::{Dispatch, IdDerivatives, Matrix, Scene, Workspace};
use std::fmt;

/// What a method computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// τ, ∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈ = M.
    IdDerivatives,
    /// q̈, ∂q̈/∂q, ∂q̈/∂q̇, ∂q̈/∂τ = M⁻¹.
    FdDerivatives,
    /// M⁻¹.
    MassInverse,
}

/// Which models a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// All of them.
    None,
    /// Those whose joints have one degree of freedom each.
    SingleDof,
    /// Those in which no joint mimics another.
    NoMimic,
}

/// A method for derivatives of inverse dynamics that takes a scene whole.
pub type IdOfScene<T> = fn(&Scene<'_, T>, q: &[T], v: &[T], a: &[T]) -> IdDerivatives<T>;

/// How a method is run.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Run {
    /// On the bare tree; [`around`] does the rest.
    Id { plain: IdMethod<f64>, counted: IdMethod<Counted> },
    /// On a scene. Methods that bring a scalar of their own cannot be counted.
    IdOfScene { plain: IdOfScene<f64>, counted: Option<IdOfScene<Counted>> },
    /// On the bare tree.
    Fd { plain: FdMethod<f64>, counted: FdMethod<Counted> },
    /// On the bare tree.
    Inverse { plain: InverseMethod<f64>, counted: InverseMethod<Counted> },
}

/// An entry of the list.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its name, in kebab-case; unique together with the quantity.
    pub name: &'static str,
    /// What it computes.
    pub quantity: Quantity,
    /// Where it comes from, a key of REFERENCES.md and the place.
    pub source: &'static str,
    /// What it costs: N bodies, d the depth of the tree.
    pub cost: &'static str,
    /// How it does it.
    pub how: &'static str,
    /// Which models it takes.
    pub restriction: Restriction,
    /// Whether it is exact to rounding.
    pub exact: bool,
    /// How it is run.
    pub run: Run,
}

/// A method of the list on the bare tree.
macro_rules! id_method {
    ($module:ident) => {
        Run::Id { plain: $module::id_derivatives::<f64>, counted: $module::id_derivatives::<Counted> }
    };
}

/// A generic method: no scalar but its own.
macro_rules! generic {
    ($jacobians:path) => {
        Run::IdOfScene { plain: |scene, q, v, a| through(&InverseDynamics(*scene), q, v, a, $jacobians), counted: None }
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
];

/// The methods for a quantity.
pub fn methods(quantity: Quantity) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(move |m| m.quantity == quantity)
}

/// A method by name.
pub fn find(quantity: Quantity, name: &str) -> Option<&'static Method> {
    methods(quantity).find(|m| m.name == name)
}

/// Why a method cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl Method {
    /// Whether it takes a model.
    ///
    /// # Errors
    /// If not, with the joint that is in the way.
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

    /// Derivatives of inverse dynamics.
    ///
    /// # Errors
    /// If it does not take the model, or computes something else.
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
            Run::Fd { .. } | Run::Inverse { .. } => Err(self.computes_something_else()),
        }
    }

    /// How many floating-point operations [`id_derivatives`](Self::id_derivatives) takes; `None` if it cannot be
    /// counted.
    ///
    /// # Errors
    /// If it does not take the model, or computes something else.
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
            Run::Fd { .. } | Run::Inverse { .. } => return Err(self.computes_something_else()),
        })
    }

    fn computes_something_else(&self) -> Refused {
        Refused(format!("{} does not compute derivatives of inverse dynamics", self.name))
    }
}

/// dtau's own.
fn product<T: Dispatch>(scene: &Scene<'_, T>, q: &[T], v: &[T], a: &[T]) -> IdDerivatives<T> {
    let mut out = IdDerivatives::new(scene.model);
    let mut ws = Workspace::new(scene.model);
    dtau::id_derivatives(*scene, &mut ws, q, v, a, &mut out).expect("lengths that fit the model");
    out
}

/// The result of a generic method on inverse dynamics.
fn through<F: StateFunction>(
    f: &F,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    jacobians: impl Fn(&F, &[f64], &[f64], &[f64]) -> [Matrix<f64>; 4],
) -> IdDerivatives<f64> {
    let [tau, dq, dv, da] = jacobians(f, q, v, a);
    IdDerivatives { tau: tau.to_vec(), dq, dv, da }
}
