//! Quantities of several bodies side by side: a `Motion` over a register holds one `Motion<T>` per lane.

use super::{Coriolis, CoriolisSymmetric, Force, Inertia, InertiaRate, Mat3, Motion, Sym3, Transform, Vec3};
use crate::scalar::{Join, Real, Wide};

/// A quantity over a wide scalar, made of one `X` per lane.
pub(crate) trait Lanewise<X> {
    /// Returns the `X` in lane `k`.
    fn lane(&self, k: usize) -> X;
    /// Writes lane `k`.
    fn set_lane(&mut self, k: usize, x: X);
}

/// A quantity over a wide scalar, made of the same quantity over narrower ones.
pub(crate) trait Joined<X> {
    fn join<'a>(part: impl Fn(usize) -> &'a X + Copy) -> Self
    where
        X: 'a;
}

/// Copies an `X` to every lane.
pub(crate) trait InAllLanes<X> {
    fn all(x: X) -> Self;
}

impl<R: Real, W: Join<R>> Joined<R> for W {
    #[inline(always)]
    fn join<'a>(part: impl Fn(usize) -> &'a R + Copy) -> Self {
        <W as Join<R>>::join(part)
    }
}

impl<T: Real, W: Wide<T>> InAllLanes<T> for W {
    #[inline(always)]
    fn all(x: T) -> Self {
        W::splat(x)
    }
}

impl<T: Real, W: Wide<T>> InAllLanes<Mat3<T>> for Mat3<W> {
    #[inline(always)]
    fn all(x: Mat3<T>) -> Self {
        let [a, b, c] = x.cols;
        Mat3::from_cols(Vec3::all(a), Vec3::all(b), Vec3::all(c))
    }
}

impl<R: Real, W: Join<R>> Joined<Mat3<R>> for Mat3<W> {
    #[inline(always)]
    fn join<'a>(part: impl Fn(usize) -> &'a Mat3<R> + Copy) -> Self {
        Mat3::from_cols(
            Joined::join(move |k| &part(k).cols[0]),
            Joined::join(move |k| &part(k).cols[1]),
            Joined::join(move |k| &part(k).cols[2]),
        )
    }
}

/// Implements the traits for structs whose fields implement them.
macro_rules! lanewise {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl<T: $crate::scalar::Real, W: $crate::scalar::Wide<T>> $crate::spatial::Lanewise<$type<T>> for $type<W> {
            #[inline(always)]
            fn lane(&self, k: usize) -> $type<T> {
                $type { $($field: self.$field.lane(k)),* }
            }
            #[inline(always)]
            fn set_lane(&mut self, k: usize, x: $type<T>) {
                $(self.$field.set_lane(k, x.$field);)*
            }
        }

        impl<R: $crate::scalar::Real, W: $crate::scalar::Join<R>> $crate::spatial::Joined<$type<R>> for $type<W> {
            #[inline(always)]
            fn join<'a>(part: impl Fn(usize) -> &'a $type<R> + Copy) -> Self {
                $type { $($field: $crate::spatial::Joined::join(move |k| &part(k).$field)),* }
            }
        }

        impl<T: $crate::scalar::Real, W: $crate::scalar::Wide<T>> $crate::spatial::InAllLanes<$type<T>> for $type<W> {
            #[inline(always)]
            fn all(x: $type<T>) -> Self {
                $type { $($field: $crate::spatial::InAllLanes::all(x.$field)),* }
            }
        }
    )*};
}

pub(crate) use lanewise;

lanewise! {
    Vec3 { x, y, z }
    Sym3 { xx, xy, xz, yy, yz, zz }
    Motion { lin, ang }
    Force { lin, ang }
    Transform { rot, pos }
    Inertia { mass, h, rot }
    Coriolis { B3, p }
    CoriolisSymmetric { K }
    InertiaRate { h, rot }
}

impl<T: Real, W: Wide<T>> Lanewise<Mat3<T>> for Mat3<W> {
    #[inline(always)]
    fn lane(&self, k: usize) -> Mat3<T> {
        let [a, b, c] = &self.cols;
        Mat3::from_cols(a.lane(k), b.lane(k), c.lane(k))
    }
    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: Mat3<T>) {
        for (column, x) in self.cols.iter_mut().zip(x.cols) {
            column.set_lane(k, x);
        }
    }
}
