//! Joint elimination of M and the constraint rows.
//!
//! ```text
//! k = n … 1:    [Yₖ | Mₖ] −= Σ Lₗₖ [Yₗ | Mₗ]        over l that have k on their path; Y is J at first             (1)
//!               Dₖ = Mₖₖ        Lₖᵢ = Mₖᵢ/Dₖ          for i on the path above k                                     (2)
//! G = Yᵀ D⁻¹ Y                                                                                                  (3)
//! ```
//!
//! M = Lᵀ D L are the factors of [`ltdl`](crate::dynamics::ltdl), and Y = L⁻ᵀ Jᵀ. Every row is a sum over
//! rows that are already complete. The sum stays in registers.

use super::Room;
use crate::dispatch::{Register, Step};
use crate::door::Done;
use crate::engines::Scratch;
use crate::linalg::sum::add_sum;
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::sweeps::side_by_side::width;
use crate::sweeps::singular::{Health, margin};

/// (1) to (3), and the factor of G.
pub(super) struct Factorise<'a, T: Real> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
}

impl<T: Real> Step for Factorise<'_, T> {
    type Output = Done;

    #[inline(always)]
    fn run(self) -> Done {
        eliminate(self.scene, self.s)?;
        self.s.constraints.g.factorise();
        Ok(())
    }
}

/// (1) to (3). G is stored below the diagonal of its factor.
#[inline(always)]
pub(super) fn eliminate<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>) -> Done {
    let Scratch { ltdl: ltdl_room, constraints: room, .. } = s;
    let (paths, n, width) = (scene.model.elimination(), scene.model.nv(), width::<T>());
    let Some(constraints) = scene.constraints else { return Ok(()) };
    let Room { m, d_inv, j, y, y_scaled, rows, g, .. } = room;
    let (stride, margins, mut health) = (g.stride, &mut ltdl_room.margins, Health::good());
    let long = stride + n.next_multiple_of(width);
    for k in (0..n).rev() {
        let (own, below) = rows[k * long..].split_at_mut(long);
        let own = &mut own[..stride + (k + 1).next_multiple_of(width)];
        let (of_rows, of_mass) = own.split_at_mut(stride);
        copy(&j[k * stride..][..stride], of_rows);
        copy(&m[k * n..][..n], of_mass);
        let scale = m[k * n + k];
        let factors = &m[k * n..][paths.below(k)];
        add_sum::<T, false>(own, 0, below, long, factors.iter().copied()); // (1)
        let D = own[stride + k];
        d_inv[k] = D.recip();
        margins[k] = margin(D, scale);
        health = health.and_positive(margins[k]);
        for run in paths.above(k) {
            for i in run {
                let L = own[stride + i] * d_inv[k]; // (2)
                (m[k * n + i], m[i * n + k]) = (L, L);
            }
        }
        debug_assert_eq!(y.len(), y_scaled.len());
        let scaled = Register::<T>::splat(d_inv[k]);
        let to = y[k * stride..].chunks_exact_mut(width).zip(y_scaled[k * stride..].chunks_exact_mut(width));
        for (from, (y, y_scaled)) in own[..stride].chunks_exact(width).zip(to) {
            let x = Register::<T>::load(from);
            x.store(y);
            (x * scaled).store(y_scaled);
        }
    }
    health.check(margins.iter().copied().enumerate().rev())?;
    for (item, dofs) in constraints.items().iter().zip(constraints.dofs()) {
        for c in item.rows() {
            let from = c / width * width;
            let own = &mut g.l[c * stride + from..][..stride - from];
            own.fill(T::zero());
            for run in dofs {
                let factors = y_scaled[run.start * stride + c..run.end * stride].iter().step_by(stride);
                add_sum::<T, true>(own, from, &y[run.start * stride..], stride, factors.copied()); // (3)
            }
        }
    }
    Ok(())
}

/// Copies by registers; the last one may be shorter.
#[inline(always)]
fn copy<T: Real>(from: &[T], to: &mut [T]) {
    let width = width::<T>();
    for (k, to) in to.chunks_exact_mut(width).enumerate() {
        let from = &from[k * width..];
        let x = if from.len() < width { Register::<T>::load_some(from) } else { Register::<T>::load(from) };
        x.store(to);
    }
}
