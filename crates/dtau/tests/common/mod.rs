//! What the tests share: seeded random numbers and comparisons that say where they failed.
#![allow(dead_code)] // each test crate takes what it needs

pub mod reference;

use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Mat3, Motion, Quaternion, Sym3, Transform, Vec3};
use std::cell::Cell;

std::thread_local! {
    /// The seed of this thread's latest [`Rng`], for the messages of failures.
    static SEED: Cell<u64> = const { Cell::new(0) };
}

/// Random numbers that are the same on every machine: splitmix64.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        SEED.set(seed);
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (0.5f64).powi(53)
    }

    /// In [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Nearly normal: mean 0, variance 1, never beyond ±6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A whole number in [−9, 9]: sums of products of a few of them have no rounding.
    pub fn integer(&mut self) -> f64 {
        (self.bits() % 19) as f64 - 9.0
    }

    pub fn vec3(&mut self) -> Vec3<f64> {
        Vec3::new(self.normal(), self.normal(), self.normal())
    }

    pub fn motion(&mut self) -> Motion<f64> {
        Motion::new(self.vec3(), self.vec3())
    }

    pub fn force(&mut self) -> Force<f64> {
        Force::new(self.vec3(), self.vec3())
    }

    pub fn integer_vec3(&mut self) -> Vec3<f64> {
        Vec3::new(self.integer(), self.integer(), self.integer())
    }

    pub fn integer_motion(&mut self) -> Motion<f64> {
        Motion::new(self.integer_vec3(), self.integer_vec3())
    }

    pub fn integer_force(&mut self) -> Force<f64> {
        Force::new(self.integer_vec3(), self.integer_vec3())
    }

    pub fn sym3(&mut self) -> Sym3<f64> {
        let [a, b] = [self.vec3(), self.vec3()];
        Sym3 { xx: a.x, xy: a.y, xz: a.z, yy: b.x, yz: b.y, zz: b.z }
    }

    pub fn mat3(&mut self) -> Mat3<f64> {
        Mat3::from_cols(self.vec3(), self.vec3(), self.vec3())
    }

    /// A unit quaternion, any rotation.
    pub fn quaternion(&mut self) -> Quaternion<f64> {
        Quaternion { v: self.vec3(), w: self.normal() }.normalised()
    }

    pub fn transform(&mut self) -> Transform<f64> {
        Transform::new(self.quaternion().to_matrix(), self.vec3())
    }

    /// A body that exists: positive mass, and principal moments that satisfy the triangle inequality.
    pub fn inertia(&mut self) -> Inertia<f64> {
        let [a, b, c] = [(); 3].map(|()| self.between(0.1, 1.0));
        let about_com = Sym3::diagonal(b + c, c + a, a + b).rotate(&self.quaternion().to_matrix());
        Inertia::from_com(self.between(0.5, 3.0), self.vec3(), about_com)
    }
}

/// Anything with rows and columns of numbers; a vector is one column.
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

/// Every entry of `got` is within `tolerance` of `want`'s; NaN is close to nothing.
#[track_caller]
pub fn assert_close<A: Table>(got: A, want: A, tolerance: f64, what: &str) {
    for (i, (got, want)) in got.rows().iter().zip(want.rows()).enumerate() {
        for (j, (&got, want)) in got.iter().zip(want).enumerate() {
            let difference = (got - want).abs();
            assert!(
                difference <= tolerance,
                "{what} at ({i}, {j}): got {got:e}, want {want:e}, difference {difference:e} > {tolerance:e}, seed {}",
                SEED.get()
            );
        }
    }
}

/// `got` and `want` are the same bits.
#[track_caller]
pub fn assert_same_bits(got: f64, want: f64, what: &str) {
    assert!(
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
        "{what}: got {got:e} ({:#x}), want {want:e} ({:#x}), seed {}",
        got.to_bits(),
        want.to_bits(),
        SEED.get()
    );
}

/// The largest magnitude among the entries.
pub fn largest(table: impl Table) -> f64 {
    table.rows().concat().into_iter().fold(0.0, |a, b| a.max(b.abs()))
}

/// The rotation by `angle` about a coordinate axis (0, 1, 2), in any scalar.
pub fn rotation_about<T: Real>(axis: usize, angle: T) -> Mat3<T> {
    let (s, c) = angle.sin_cos();
    let (o, i) = (T::zero(), T::one());
    Mat3::from_rows(match axis {
        0 => [[i, o, o], [o, c, -s], [o, s, c]],
        1 => [[c, o, s], [o, i, o], [-s, o, c]],
        _ => [[c, -s, o], [s, c, o], [o, o, i]],
    })
}
