//! The functions that Python calls. Each is a line that names its arguments, its algorithm and its result; everything that
//! they share is in [`call`](crate::call).

pub(crate) mod derivatives;
pub(crate) mod dynamics;
pub(crate) mod kinematics;
pub(crate) mod products;
pub(crate) mod whole;

use crate::arrays::Shape;
use dtau::model::Model;
use pyo3::prelude::*;

/// A keyword that may be left out.
pub(crate) type Maybe<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// One number for each degree of freedom.
pub(crate) fn vector(model: &Model) -> Shape {
    Shape::Vector(model.nv())
}

/// nv × nv.
pub(crate) fn square(model: &Model) -> Shape {
    Shape::Matrix(model.nv(), model.nv())
}

/// Rows × nv.
fn wide(rows: usize, model: &Model) -> Shape {
    Shape::Matrix(rows, model.nv())
}

/// An [`Algorithm`](crate::call::Algorithm): parameters of its own, arguments, results, and how to compute one state and many.
macro_rules! algorithm {
    (
        $type:ident $({ $($field:ident: $field_type:ty),+ })?,
        ($($x:ident: $space:ident),+) -> ($($y:ident: $shape:expr),+),
        one($scene:ident, $scratch:ident): $one:expr,
        many($scenes:ident, $batch:ident): $many:expr
    ) => {
        #[derive(Clone, Copy)]
        struct $type { $($($field: $field_type),+)? }

        impl $crate::call::Algorithm<{ [$(stringify!($x)),+].len() }, { [$(stringify!($y)),+].len() }> for $type {
            fn inputs(&self, model: &Model) -> [$crate::arrays::Input; { [$(stringify!($x)),+].len() }] {
                [$($crate::call::$space(stringify!($x), model)),+]
            }

            fn outputs(
                &self,
                model: &Model,
            ) -> [(&'static str, $crate::arrays::Shape); { [$(stringify!($y)),+].len() }] {
                [$((stringify!($y), ($shape)(model))),+]
            }

            #[inline]
            fn one(
                &self,
                $scene: dtau::Scene<'_, f64>,
                $scratch: &mut $crate::scratch::Scratch,
                [$($x),+]: [&[f64]; { [$(stringify!($x)),+].len() }],
                [$($y),+]: [&mut [f64]; { [$(stringify!($y)),+].len() }],
            ) -> Result<(), dtau::Error> {
                let Self { $($($field),+)? } = *self;
                $one
            }

            #[inline]
            fn many<F: dtau::batch::BatchScalar>(
                &self,
                $scenes: $crate::scene::Scenes<'_, F>,
                $batch: &mut dtau::batch::Batch<F>,
                [$($x),+]: [&[F]; { [$(stringify!($x)),+].len() }],
                [$($y),+]: [&mut [F]; { [$(stringify!($y)),+].len() }],
            ) -> Result<(), dtau::Error> {
                let Self { $($($field),+)? } = *self;
                $many
            }
        }
    };
}

/// A function of a model and arrays.
macro_rules! function {
    (
        $(#[$doc:meta])*
        $name:ident($($x:ident),+; $($key:ident: $type:ty = $default:tt),*) -> $result:expr, $algorithm:ident
    ) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (model, $($x),+, *, $($key=$default,)* threads=1, workspace=None, out=None))]
        pub(crate) fn $name<'py>(
            model: &Bound<'py, $crate::model::PyModel>,
            $($x: &Bound<'py, PyAny>,)+
            $($key: $type,)*
            threads: isize,
            workspace: Option<&Bound<'py, $crate::scratch::PyWorkspace>>,
            out: Maybe<'_, 'py>,
        ) -> PyResult<Bound<'py, PyAny>> {
            #[allow(clippy::needless_update)] // some functions have all keywords
            let surroundings = $crate::scene::Surroundings { $($key,)* ..Default::default() };
            let call = $crate::call::Call { model, surroundings, threads, workspace };
            call.give(&$algorithm {}, [$($x),+], out, $result)
        }
    };
}

pub(crate) use {algorithm, function};
