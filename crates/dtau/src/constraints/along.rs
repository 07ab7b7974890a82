//! Directional derivatives of a constraint between two places, and the transposed products.
//!
//! Coordinates as in [`seen`](super::seen), at the point p. σ = s₁ − s₂ is the displacement of the first body
//! relative to the second. δv and δa are those of [`jvp`](crate::derivatives::jvp), each as seen from its own
//! body. Everything else is as seen from the first body:
//!
//! ```text
//! δu = δv₁ − δv₂ + σ × v₂                                                                                      (1)
//! δρ = δa₁ − δa₂ + σ × a₂ + δv₁ × v₂ + v₁ × (δv₂ − σ × v₂) + Kd δu + Kp δe                                     (2)
//! points:  δρ += δω × u + ω × δu, linear part, ω that of u                                                    (3)
//! δe = dlog σ     or, points,    δd = σ + d × ω_σ,  d = p₁ − p₂                                                (4)
//! δr = N·(δρ + ω × ρ)             ω: how the first turns against what N is fixed to                           (5)
//! distance:  δn = (δd − n δl)/l   δl = n·δd     δr by (5) of `seen`, term by term                              (6)
//! δF: of n λ, or F × ω_σ          δf₁ −= δF     δf₂ += δF + σ ×* F                                             (7)
//! ```
//!
//! In reverse, from covectors y of the torques (z: the body motions due to y) and η of r, every line is
//! transposed. H is the force of η along the rows, ū the covector of δu, and σ̄ that of σ:
//!
//! ```text
//! ā₁ = H = −ā₂     v̄₁ = v₂ ×* H + ū     v̄₂ = −(v₁ ×* H + ū)     σ̄ = a₂ ×* H + v₂ ×* (v₁ ×* H + ū) + …         (8)
//! ū = Kd H + (H × ω, u × H)       σ̄ += Kp dlogᵀ H     or, of δd,   (d̄, d̄ × d)                                  (9)
//! σ̄ −= z₂ ×* F                    (z₂ − z₁)·δF                                                                (10)
//! ```

use super::seen::Seen;
use super::slope::{force, log_slope};
use super::{Constraint, Held, Kind, RowAxes};
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Vec3};

/// State of a constraint: its forces, and whether a motion is desired, so that ρ may be non-zero.
#[derive(Clone, Copy)]
pub(super) struct Under<'a, T> {
    pub(super) lambda: &'a [T],
    pub(super) is_driven: bool,
}

/// Displacements of two bodies along a direction, at the point: s, δv, δa of each.
#[derive(Clone, Copy)]
pub(super) struct Shift<T> {
    pub(super) s: [Motion<T>; 2],
    pub(super) dv: [Motion<T>; 2],
    pub(super) da: [Motion<T>; 2],
}

/// Covectors of s, δv, δa of two bodies, at the point; ā of the first is minus that of the second.
#[derive(Clone, Copy)]
pub(super) struct Pull<T> {
    pub(super) s: [Force<T>; 2],
    pub(super) v: [Force<T>; 2],
    pub(super) a: Force<T>,
}

/// The rotation that the rows do not follow. Everything is seen from the first body.
#[derive(Clone, Copy, PartialEq)]
enum Turning {
    None,
    AgainstSecond,
    AgainstWorld,
}

impl Held {
    #[inline(always)]
    fn turning(&self) -> Turning {
        match self.axes {
            RowAxes::First => Turning::None,
            RowAxes::Second => Turning::AgainstSecond,
            RowAxes::World => Turning::AgainstWorld,
        }
    }

    /// True if (5) has its second term. Rows of constraints that hold all directions are turned at the end
    /// instead.
    #[inline(always)]
    fn turns_rows(&self, is_driven: bool) -> bool {
        self.axes != RowAxes::First && (!self.some.is_empty() || is_driven)
    }
}

/// ω × both parts of a motion.
#[inline(always)]
fn turned<T: Real>(w: Vec3<T>, lin: Vec3<T>, ang: Vec3<T>) -> [Vec3<T>; 2] {
    [w.cross(lin), w.cross(ang)]
}

/// Covector of ω in `H·(ω × m)`, for a motion m given by its two parts.
#[inline(always)]
fn moment<T: Real>(lin: Vec3<T>, ang: Vec3<T>, H: Force<T>) -> Vec3<T> {
    lin.cross_add(H.lin, ang.cross(H.ang))
}

impl<T: Real> Shift<T> {
    #[inline(always)]
    fn turning(&self, of: Turning) -> Vec3<T> {
        match of {
            Turning::None => Vec3::zero(),
            Turning::AgainstSecond => self.s[0].ang - self.s[1].ang,
            Turning::AgainstWorld => self.s[0].ang,
        }
    }
}

impl Constraint {
    /// Computes δr, the contribution of turning axes to δλ, and δf₁, δf₂ of (7), at the point.
    #[inline(always)]
    pub(super) fn shift<T: Real>(
        &self,
        seen: &Seen<T>,
        under: Under<'_, T>,
        by: &Shift<T>,
        dr: &mut [T],
        turn: &mut [T],
    ) -> [Force<T>; 2] {
        let is_frame = matches!(&self.kind, Kind::Held(held) if held.is_frame);
        let ([v1, v2], a2, u) = (seen.v, seen.a[1], seen.u());
        let sigma = by.s[0] - by.s[1];
        let along = sigma.cross(v2);
        let du = by.dv[0] - by.dv[1] + along; // (1)
        let mut drho = by.dv[0].cross_add(v2, sigma.cross_add(a2, by.da[0] - by.da[1]));
        drho = v1.cross_add(by.dv[1] - along, drho); // (2)
        if !is_frame {
            drho.lin = du.ang.cross_add(u.lin, u.ang.cross_add(du.lin, drho.lin)); // (3)
        }
        let d_apart = seen.apart().cross_add(sigma.ang, sigma.lin); // (4)
        let mut dF = Force::zero();
        match &self.kind {
            Kind::Held(held) => {
                self.shift_held(held, seen, under, by, (sigma, du, d_apart), drho, dr);
                let F = held.force(under.lambda, &seen.axes(held.axes));
                if held.some.is_empty() {
                    let [lin, ang] = turned(by.turning(held.turning()), F.lin, F.ang);
                    let rows = turn.len();
                    turn.copy_from_slice(&Force::new(lin, ang).to_array()[..rows]);
                } else if held.axes != RowAxes::First {
                    dF = Force::new(F.lin.cross(sigma.ang), F.ang.cross(sigma.ang)); // (7)
                }
            }
            Kind::Distance(..) => {
                let (n, l) = seen.along();
                let dn = n.scale_add(-n.dot(d_apart), d_apart) * l.recip();
                dr[0] = self.shift_distance(seen, dn, n.dot(d_apart), du.lin, drho.lin);
                dF.lin = dn * under.lambda[0];
            }
            Kind::Joints(..) => {}
        }
        [-dF, sigma.cross_force_add(force(self, seen, under.lambda), dF)]
    }

    #[inline(always)]
    fn shift_held<T: Real>(
        &self,
        held: &Held,
        seen: &Seen<T>,
        under: Under<'_, T>,
        by: &Shift<T>,
        (sigma, du, d_apart): (Motion<T>, Motion<T>, Vec3<T>),
        drho: Motion<T>,
        dr: &mut [T],
    ) {
        let mut drho = du.scale_add(T::from_f64(self.gains.kd), drho);
        if self.gains.kp != 0.0 {
            let e = if held.is_frame {
                let [both, mixed] = log_slope(seen);
                Motion::new(both.mul_add(sigma.lin, mixed * sigma.ang), both * sigma.ang)
            } else {
                Motion::new(d_apart, Vec3::zero())
            };
            drho = e.scale_add(T::from_f64(self.gains.kp), drho);
        }
        if held.turns_rows(under.is_driven) {
            let rho = self.rho(held, seen);
            let [lin, ang] = turned(by.turning(held.turning()), rho.lin, rho.ang);
            drho += Motion::new(lin, ang); // (5)
        }
        held.project(drho, &seen.axes(held.axes), dr);
    }

    /// (6)
    #[inline(always)]
    fn shift_distance<T: Real>(&self, seen: &Seen<T>, dn: Vec3<T>, dl: T, du: Vec3<T>, drho: Vec3<T>) -> T {
        let (kp, kd, two) = (T::from_f64(self.gains.kp), T::from_f64(self.gains.kd), T::from_f64(2.0));
        let ((n, l), u, rho) = (seen.along(), seen.u().lin, seen.acceleration(false).lin);
        let rate = n.dot(u);
        let turning = rate.neg_mul_add(rate, u.norm_squared()) / l;
        let d_rate = dn.dot(u) + n.dot(du);
        let d_turning = (two * (u.dot(du) - rate * d_rate) - turning * dl) / l;
        dn.dot(rho) + n.dot(drho) + d_turning + kd.mul_add(d_rate, kp * dl)
    }

    /// (8) to (10): covectors on the bodies from η of r, y of the torques and κ of λ. z are the body motions
    /// due to y, at the point.
    #[inline(always)]
    pub(super) fn pull<T: Real>(
        &self,
        seen: &Seen<T>,
        under: Under<'_, T>,
        z: [Motion<T>; 2],
        eta: &[T],
        kappa: &[T],
    ) -> Pull<T> {
        let is_frame = matches!(&self.kind, Kind::Held(held) if held.is_frame);
        let ([v1, v2], a2, u) = (seen.v, seen.a[1], seen.u());
        let (F, H, apart) = (force(self, seen, under.lambda), force(self, seen, eta), seen.apart());
        let (mut u_bar, mut d_bar, mut s_first) = (Force::zero(), Vec3::zero(), Force::zero());
        if !is_frame {
            u_bar = Force::new(H.lin.cross(u.ang), u.lin.cross(H.lin));
        }
        let mut sigma_bar = -z[1].cross_force(F); // (10)
        let between = z[1] - z[0];
        match &self.kind {
            Kind::Held(held) => {
                u_bar = H.scale_add(T::from_f64(self.gains.kd), u_bar); // (9)
                if self.gains.kp != 0.0 {
                    let back = H * T::from_f64(self.gains.kp);
                    if held.is_frame {
                        let [both, mixed] = log_slope(seen);
                        let ang = mixed.tr_mul(back.lin) + both.tr_mul(back.ang);
                        sigma_bar += Force::new(both.tr_mul(back.lin), ang);
                    } else {
                        d_bar = back.lin;
                    }
                }
                let mut turning = Vec3::zero();
                if held.turns_rows(under.is_driven) {
                    let rho = self.rho(held, seen);
                    turning = moment(rho.lin, rho.ang, H); // (5)
                }
                if held.some.is_empty() {
                    turning -= moment(F.lin, F.ang, held.force(kappa, &seen.axes(held.axes)));
                } else if held.axes != RowAxes::First {
                    turning += between.lin.cross_add(F.lin, between.ang.cross(F.ang)); // (7)
                }
                match held.turning() {
                    Turning::None => {}
                    Turning::AgainstSecond => sigma_bar.ang += turning,
                    Turning::AgainstWorld => s_first.ang += turning,
                }
            }
            Kind::Distance(..) => {
                d_bar = self.pull_distance(seen, eta[0], between.lin * under.lambda[0], &mut u_bar.lin);
            }
            Kind::Joints(..) => {}
        }
        sigma_bar += Force::new(d_bar, d_bar.cross(apart)); // (4)
        let back = v1.cross_force_add(H, u_bar);
        sigma_bar += v2.cross_force_add(back, a2.cross_force(H)); // (8)
        Pull { s: [s_first + sigma_bar, -sigma_bar], v: [v2.cross_force_add(H, u_bar), -back], a: H }
    }

    /// (6) in reverse: computes d̄ of δd, and adds to ū; `n_bar` is a covector of δn from other terms.
    #[inline(always)]
    fn pull_distance<T: Real>(&self, seen: &Seen<T>, eta: T, n_bar: Vec3<T>, u_bar: &mut Vec3<T>) -> Vec3<T> {
        let (kp, kd, two) = (T::from_f64(self.gains.kp), T::from_f64(self.gains.kd), T::from_f64(2.0));
        let ((n, l), u, rho) = (seen.along(), seen.u().lin, seen.acceleration(false).lin);
        let rate = n.dot(u);
        let turning = rate.neg_mul_add(rate, u.norm_squared()) / l;
        let rate_bar = eta * (kd - two * rate / l);
        *u_bar += u * (eta * two / l) + n * rate_bar;
        let n_bar = n_bar + rho * eta + u * rate_bar;
        let l_bar = eta * (kp - turning / l);
        n.scale_add(-n.dot(n_bar), n_bar) * l.recip() + n * l_bar
    }
}
