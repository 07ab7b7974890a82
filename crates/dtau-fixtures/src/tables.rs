//! Spatial quantities as tables of numbers, compared entry by entry or bit by bit.

use crate::random::seed_note;
use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Mat3, Motion, Quaternion, Sym3, Vec3};

/// A type with rows and columns of numbers; a vector is one column.
pub trait Table {
    fn rows(&self) -> Vec<Vec<f64>>;
}

impl Table for f64 {
    fn rows(&self) -> Vec<Vec<f64>> {
        vec![vec![*self]]
    }
}

impl<const N: usize> Table for [f64; N] {
    fn rows(&self) -> Vec<Vec<f64>> {
        self.iter().map(|&x| vec![x]).collect()
    }
}

impl<const N: usize, const M: usize> Table for [[f64; M]; N] {
    fn rows(&self) -> Vec<Vec<f64>> {
        self.iter().map(|row| row.to_vec()).collect()
    }
}

macro_rules! table {
    ($($type:ident by |$x:ident| $entries:expr;)*) => {
        $(impl Table for $type<f64> {
            fn rows(&self) -> Vec<Vec<f64>> {
                let $x = *self;
                $entries.rows()
            }
        })*
    };
}

table! {
    Vec3 by |x| x.to_array();
    Motion by |x| x.to_array();
    Force by |x| x.to_array();
    Quaternion by |x| x.to_array();
    Mat3 by |x| x.to_rows();
    Sym3 by |x| x.to_mat3();
    Inertia by |x| x.to_matrix();
}

/// Asserts that every entry of `got` is within `tolerance` of that of `want`; NaN always fails.
#[track_caller]
pub fn assert_close<A: Table>(got: A, want: A, tolerance: f64, what: &str) {
    assert_rows_close(&got.rows(), &want.rows(), tolerance, what);
}

#[track_caller]
fn assert_rows_close(got: &[Vec<f64>], want: &[Vec<f64>], tolerance: f64, what: &str) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        for (j, (got, want)) in got.iter().zip(want).enumerate() {
            let difference = (got - want).abs();
            assert!(
                difference <= tolerance,
                "{what} at ({i}, {j}): got {got:e}, want {want:e}, difference {difference:e} > {tolerance:e}{}",
                seed_note()
            );
        }
    }
}

/// Asserts that `got` and `want` are equal bit for bit.
#[track_caller]
pub fn assert_same_bits(got: f64, want: f64, what: &str) {
    assert!(
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
        "{what}: got {got:e} ({:#x}), want {want:e} ({:#x}){}",
        got.to_bits(),
        want.to_bits(),
        seed_note()
    );
}

/// The largest magnitude among the entries.
pub fn largest(table: impl Table) -> f64 {
    table.rows().concat().into_iter().fold(0.0, |a, b| a.max(b.abs()))
}

/// Rotation by `angle` about a coordinate axis (0, 1, 2), in any scalar.
pub fn rotation_about<T: Real>(axis: usize, angle: T) -> Mat3<T> {
    let (s, c) = angle.sin_cos();
    let (o, i) = (T::zero(), T::one());
    Mat3::from_rows(match axis {
        0 => [[i, o, o], [o, c, -s], [o, s, c]],
        1 => [[c, o, s], [o, i, o], [-s, o, c]],
        _ => [[c, -s, o], [s, c, o], [o, o, i]],
    })
}
