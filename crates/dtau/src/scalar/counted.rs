//! [`Counted`]: counts the floating-point operations of an algorithm.

use super::Real;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use std::cell::Cell;

/// An `f64` that counts its operations on the current thread.
///
/// Count with [`Operations::of`]. Needs the feature `std`, for thread-local counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counted(pub f64);

/// Floating-point operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Multiply-adds: one instruction on CPUs with fused multiply-add.
    pub mul_adds: u64,
    /// Multiplications.
    pub muls: u64,
    /// Additions and subtractions.
    pub adds: u64,
    /// Divisions.
    pub divs: u64,
    /// Square roots.
    pub sqrts: u64,
    /// Sine–cosine pairs and arc tangents.
    pub trigs: u64,
}

std::thread_local! {
    static SO_FAR: Cell<Operations> = const { Cell::new(Operations::NONE) };
}

impl Operations {
    const NONE: Self = Self { mul_adds: 0, muls: 0, adds: 0, divs: 0, sqrts: 0, trigs: 0 };

    /// Number of operations of `work` on this thread.
    pub fn of(work: impl FnOnce()) -> Self {
        let before = SO_FAR.get();
        work();
        let after = SO_FAR.get();
        Self {
            mul_adds: after.mul_adds - before.mul_adds,
            muls: after.muls - before.muls,
            adds: after.adds - before.adds,
            divs: after.divs - before.divs,
            sqrts: after.sqrts - before.sqrts,
            trigs: after.trigs - before.trigs,
        }
    }

    /// Floating-point instructions on a CPU with fused multiply-add, not counting trigonometry.
    pub fn instructions(&self) -> u64 {
        self.mul_adds + self.muls + self.adds + self.divs + self.sqrts
    }
}

fn count(counter: impl FnOnce(&mut Operations) -> &mut u64) {
    let mut so_far = SO_FAR.get();
    *counter(&mut so_far) += 1;
    SO_FAR.set(so_far);
}

impl Add for Counted {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        count(|n| &mut n.adds);
        Counted(self.0 + b.0)
    }
}

impl Sub for Counted {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        count(|n| &mut n.adds);
        Counted(self.0 - b.0)
    }
}

impl Mul for Counted {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        count(|n| &mut n.muls);
        Counted(self.0 * b.0)
    }
}

impl Div for Counted {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        count(|n| &mut n.divs);
        Counted(self.0 / b.0)
    }
}

/// A change of sign costs nothing: it is folded into the next instruction.
impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted(-self.0)
    }
}

super::assign_operators!(Counted);

impl Real for Counted {
    type Mask = bool;
    type Hardware = super::Portable;

    fn from_f64(x: f64) -> Self {
        Counted(x)
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        count(|n| &mut n.mul_adds);
        Counted(self.0 * b.0 + c.0)
    }
    fn sqrt(self) -> Self {
        count(|n| &mut n.sqrts);
        Counted(Real::sqrt(self.0))
    }
    fn sin_cos(self) -> (Self, Self) {
        count(|n| &mut n.trigs);
        let (sin, cos) = Real::sin_cos(self.0);
        (Counted(sin), Counted(cos))
    }
    fn atan2(self, x: Self) -> Self {
        count(|n| &mut n.trigs);
        Counted(Real::atan2(self.0, x.0))
    }
    fn lt(self, other: Self) -> bool {
        self.0 < other.0
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
    fn any_below(self, bound: f64) -> bool {
        self.0 < bound
    }
}
