//! The inertias of all bodies by component, so that those of neighbouring bodies load into SIMD lanes.

use super::Body;
use crate::scalar::{Real, Wide};
use crate::spatial::{Sym3, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Mass, centre of mass and rotational inertia about it, of all bodies, by slot. Slots without a body are zero.
#[derive(Debug, Default)]
pub(crate) struct Inertias([Vec<f64>; 10]);

/// Number of lanes of the widest scalar.
const MOST_LANES: usize = 8;

impl Inertias {
    pub(super) fn of(bodies: &[Body]) -> Self {
        let slots = bodies.iter().map(|body| body.slot + 1).max().unwrap_or(0);
        let mut out: [Vec<f64>; 10] = core::array::from_fn(|_| vec![0.0; slots.next_multiple_of(MOST_LANES)]);
        for body in bodies {
            let (c, s) = (body.com, body.about_com);
            let numbers = [body.inertia.mass, c.x, c.y, c.z, s.xx, s.xy, s.xz, s.yy, s.yz, s.zz];
            for (column, x) in out.iter_mut().zip(numbers) {
                column[body.slot] = x;
            }
        }
        Self(out)
    }

    /// Mass, centre of mass and rotational inertia of the body in slot `first` and those after it, one per
    /// lane.
    #[inline(always)]
    pub(crate) fn at<T: Real, W: Wide<T>>(&self, first: usize) -> (W, Vec3<W>, Sym3<W>) {
        let [m, x, y, z, xx, xy, xz, yy, yz, zz] = &self.0;
        let [m, x, y, z] = lift(first, [m, x, y, z]);
        let [xx, xy, xz, yy, yz, zz] = lift(first, [xx, xy, xz, yy, yz, zz]);
        (m, Vec3::new(x, y, z), Sym3 { xx, xy, xz, yy, yz, zz })
    }
}

#[inline(always)]
fn lift<T: Real, W: Wide<T>, const N: usize>(first: usize, columns: [&Vec<f64>; N]) -> [W; N] {
    let mut out = [W::zero(); N];
    for (out, column) in out.iter_mut().zip(columns) {
        *out = W::lift(&column[first..]);
    }
    out
}
