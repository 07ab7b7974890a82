//! Structs for results: one that owns its arrays, and views of it or of the caller's memory.

use super::Counts;
use crate::constraints::Constraints;
use crate::model::Model;

/// Provides the model and counts that determine sizes of arrays.
pub(crate) trait Sizes {
    fn sizes(&self) -> (&Model, Counts);
}

impl Sizes for Model {
    fn sizes(&self) -> (&Model, Counts) {
        (self, 1.into())
    }
}

impl Sizes for Constraints {
    fn sizes(&self) -> (&Model, Counts) {
        (self.model(), Counts { columns: 1, rows: self.rows() })
    }
}

/// Declares a struct of results and its views: `vectors`, which are slices in a view, then column-major
/// `matrices`. `new` takes what determines the sizes, a `model` or `constraints`.
macro_rules! results {
    (
        $(#[$doc:meta])*
        pub struct $name:ident($from:ident: $from_type:ty) as [$($view:ident),+] $vectors:tt $matrices:tt
    ) => {
        $crate::door::results! { @owned [$(#[$doc])*] $name $from $from_type, $vectors $matrices }
        $($crate::door::results! { @view $view $name $vectors $matrices })+
    };
    (
        @owned [$(#[$doc:meta])*] $name:ident $from:ident $from_type:ty,
        { $($(#[$vector_doc:meta])* $vector:ident: $length:expr),* $(,)? }
        { $($(#[$matrix_doc:meta])* $matrix:ident: $shape:expr),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name<T> {
            $($(#[$vector_doc])* pub $vector: alloc::vec::Vec<T>,)*
            $($(#[$matrix_doc])* pub $matrix: $crate::matrix::Matrix<T>,)*
        }

        impl<T: $crate::scalar::Real> $name<T> {
            /// Allocates the results, filled with zeros.
            pub fn new($from: &$from_type) -> Self {
                let (model, counts) = $crate::door::Sizes::sizes($from);
                Self {
                    $($vector: alloc::vec![T::zero(); $length.of(model, counts)],)*
                    $($matrix: $crate::matrix::Matrix::of_shape($shape.shape(model, counts)),)*
                }
            }
        }
    };
    (
        @view $view:ident $name:ident
        { $($(#[$vector_doc:meta])* $vector:ident: $length:expr),* $(,)? }
        { $($(#[$matrix_doc:meta])* $matrix:ident: $shape:expr),* $(,)? }
    ) => {
        #[doc = concat!("Output buffers: borrow [`", stringify!($name), "`], or pass your own arrays. In a batch every array is states × its size.")]
        #[derive(Debug)]
        pub struct $view<'a, T> {
            $($(#[$vector_doc])* pub $vector: &'a mut [T],)*
            $($(#[$matrix_doc])* pub $matrix: $crate::matrix::MatrixMut<'a, T>,)*
        }

        impl<'a, T> From<&'a mut $name<T>> for $view<'a, T> {
            fn from(out: &'a mut $name<T>) -> Self {
                Self { $($vector: &mut out.$vector,)* $($matrix: (&mut out.$matrix).into(),)* }
            }
        }
    };
}
pub(crate) use results;
