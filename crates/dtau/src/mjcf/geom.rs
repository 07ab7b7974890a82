//! Primitive shapes: their volume (or surface) and moments of inertia for unit mass, about their centre.

use core::f64::consts::PI;

/// A primitive with half sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    Sphere {
        radius: f64,
    },
    /// A cylinder along z with a hemisphere on each end.
    Capsule {
        radius: f64,
        half: f64,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    Ellipsoid {
        half: [f64; 3],
    },
    Box {
        half: [f64; 3],
    },
}

/// Amount of a shape, and its moments about x, y, z for unit mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// Volume \[m³\], or surface \[m²\] of a shell.
    pub(super) amount: f64,
    pub(super) moments: [f64; 3],
}

impl Shape {
    /// A solid of uniform density.
    pub(super) fn solid(self) -> Extent {
        match self {
            Shape::Sphere { radius: r } => Extent { amount: 4.0 / 3.0 * PI * r * r * r, moments: [0.4 * r * r; 3] },
            Shape::Capsule { radius: r, half: h } => {
                let (cylinder, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
                // The centre of mass of a solid hemisphere is 3/8 r from its flat side, which is h from the
                // middle.
                let across = cylinder * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
                let along = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
                Extent::of_parts(cylinder + ball, [across, across, along])
            }
            Shape::Cylinder { radius: r, half: h } => {
                let across = r * r / 4.0 + h * h / 3.0;
                Extent { amount: 2.0 * PI * r * r * h, moments: [across, across, r * r / 2.0] }
            }
            Shape::Ellipsoid { half } => {
                let [a, b, c] = half.map(|x| x * x);
                let moments = [b + c, a + c, a + b].map(|x| x / 5.0);
                Extent { amount: 4.0 / 3.0 * PI * half[0] * half[1] * half[2], moments }
            }
            Shape::Box { half } => {
                let [a, b, c] = half.map(|x| x * x);
                let moments = [b + c, a + c, a + b].map(|x| x / 3.0);
                Extent { amount: 8.0 * half[0] * half[1] * half[2], moments }
            }
        }
    }

    /// A shell of uniform density per area.
    pub(super) fn shell(self) -> Extent {
        match self {
            Shape::Sphere { radius: r } => Extent { amount: 4.0 * PI * r * r, moments: [2.0 / 3.0 * r * r; 3] },
            Shape::Capsule { radius: r, half: h } => {
                let (tube, ball) = (4.0 * PI * r * h, 4.0 * PI * r * r);
                // The centre of mass of a hemispherical shell is r/2 from its rim.
                let across = tube * (r * r / 2.0 + h * h / 3.0) + ball * (2.0 / 3.0 * r * r + h * h + h * r);
                let along = tube * r * r + ball * 2.0 / 3.0 * r * r;
                Extent::of_parts(tube + ball, [across, across, along])
            }
            Shape::Cylinder { radius: r, half: h } => {
                let (tube, caps) = (4.0 * PI * r * h, 2.0 * PI * r * r);
                let across = tube * (r * r / 2.0 + h * h / 3.0) + caps * (r * r / 4.0 + h * h);
                Extent::of_parts(tube + caps, [across, across, tube * r * r + caps * r * r / 2.0])
            }
            Shape::Ellipsoid { half } => {
                // As in MuJoCo: the surface is by Thomsen's formula. The moments are those of the space
                // between this ellipsoid and one whose half axes are longer by 1e-6 m.
                const THICK: f64 = 1e-6;
                let outer = Shape::Ellipsoid { half: half.map(|x| x + THICK) }.solid();
                let inner = self.solid();
                let volume = outer.amount - inner.amount;
                let mut moments = [0.0; 3];
                for k in 0..3 {
                    moments[k] = (outer.amount * outer.moments[k] - inner.amount * inner.moments[k]) / volume;
                }
                const P: f64 = 1.6075;
                let [a, b, c] = half.map(|x| libm::pow(x, P));
                Extent { amount: 4.0 * PI * libm::pow((a * b + a * c + b * c) / 3.0, 1.0 / P), moments }
            }
            Shape::Box { half: [a, b, c] } => {
                // Two sides across each axis; each is a plate at the end of that axis.
                let sides = [8.0 * b * c, 8.0 * a * c, 8.0 * a * b];
                let square = |at: usize, side: usize| {
                    let h = [a, b, c][at];
                    if at == side { h * h } else { h * h / 3.0 }
                };
                let mean = |at: usize| (0..3).map(|side| sides[side] * square(at, side)).sum::<f64>();
                let (x, y, z) = (mean(0), mean(1), mean(2));
                Extent::of_parts(sides.iter().sum(), [y + z, x + z, x + y])
            }
        }
    }
}

impl Extent {
    /// From moments of the whole amount.
    fn of_parts(amount: f64, whole: [f64; 3]) -> Self {
        Self { amount, moments: whole.map(|x| x / amount) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MuJoCo 4.0.0's masses and moments of geoms with density 1000, and of shells of 2 kg.
    #[test]
    fn shapes_are_mujocos() {
        let close = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-12, "{got} {want}");
        let (round, half) = ((0.1, 0.3), [0.1, 0.2, 0.3]);
        let (radius, along) = round;
        for (shape, mass, moments, area, shell) in [
            (
                Shape::Sphere { radius: 0.2 },
                33.51032163829113,
                [0.5361651462126582; 3],
                502.65482457436696,
                [0.05333333333333334; 3],
            ),
            (
                Shape::Capsule { radius, half: along },
                23.038346126325152,
                [1.1006046263076243, 1.1006046263076243, 0.11100294042683936],
                502.65482457436696,
                [0.11583333333333332, 0.11583333333333332, 0.01833333333333334],
            ),
            (
                Shape::Cylinder { radius, half: along },
                18.84955592153876,
                [0.6126105674500096, 0.6126105674500096, 0.0942477796076938],
                439.82297150257097,
                [0.08642857142857144, 0.08642857142857144, 0.01857142857142857],
            ),
            (
                Shape::Box { half },
                48.0,
                [2.08, 1.6, 0.8],
                880.0,
                [0.12303030303030303, 0.09575757575757576, 0.05515151515151516],
            ),
            (
                Shape::Ellipsoid { half },
                25.132741228718345,
                [0.653451271946677, 0.5026548245743669, 0.25132741228718347],
                489.7193333371731,
                [0.07381850644696897, 0.05745481388430562, 0.03309112132274095],
            ),
        ] {
            let (solid, thin) = (shape.solid(), shape.shell());
            close(1000.0 * solid.amount, mass);
            close(1000.0 * thin.amount, area);
            // The shell of an ellipsoid is a difference of nearly equal ellipsoids, so ten digits remain.
            let digits = if matches!(shape, Shape::Ellipsoid { .. }) { 1e-9 } else { 1e-12 };
            for k in 0..3 {
                close(mass * solid.moments[k], moments[k]);
                assert!((2.0 * thin.moments[k] / shell[k] - 1.0).abs() < digits, "{shape:?} {k}");
            }
        }
    }
}
