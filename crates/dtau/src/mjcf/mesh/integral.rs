//! Integrals over meshes: over the tetrahedra between triangles and a point, or over the triangles themselves.
//!
//! ```text
//! ∫ x xᵀ over a tetrahedron of volume V with corners xᵢ:  V/20 (Σ xᵢ Σ xⱼᵀ + Σ xᵢ xᵢᵀ)
//! ∫ x xᵀ over a triangle of surface A with corners xᵢ:    A/12 (Σ xᵢ Σ xⱼᵀ + Σ xᵢ xᵢᵀ)
//! ```

use super::{Mesh, Part};
use crate::spatial::{Mat3, Sym3, Vec3};

/// The inertia of the enclosed volume. Inverted parts have negative volume.
pub(super) fn exact(mesh: &Mesh) -> Option<Part> {
    let apex = middle(mesh)?;
    let (volume, com) = enclosed(mesh, apex, |v| v);
    let com = com?;
    let (_, second) = second_moments(mesh, com, |v| v);
    Some(Part { amount: volume, com, about: inertia(second) })
}

/// The inertia with all volumes taken positive, MuJoCo's original method and its default. Hollow parts are
/// counted twice.
pub(super) fn legacy(mesh: &Mesh) -> Option<Part> {
    let apex = middle(mesh)?;
    let (_, com) = enclosed(mesh, apex, f64::abs);
    let com = com?;
    // The volume as measured from the centre of mass.
    let (volume, second) = second_moments(mesh, com, f64::abs);
    Some(Part { amount: volume, com, about: inertia(second) })
}

/// The inertia of the surface.
pub(super) fn shell(mesh: &Mesh) -> Option<Part> {
    let com = middle(mesh)?;
    let (mut amount, mut second) = (0.0, Mat3::zero());
    for [a, b, c] in corners(mesh) {
        let [a, b, c] = [a - com, b - com, c - com];
        let area = surface([a, b, c]);
        amount += area;
        second += products(&[a, b, c], area / 12.0);
    }
    Some(Part { amount, com, about: inertia(second) })
}

fn corners(mesh: &Mesh) -> impl Iterator<Item = [Vec3<f64>; 3]> {
    mesh.triangles.iter().map(|triangle| triangle.map(|k| mesh.points[k]))
}

fn surface([a, b, c]: [Vec3<f64>; 3]) -> f64 {
    libm::sqrt((b - a).cross(c - a).norm_squared()) / 2.0
}

/// The centre of mass of the surface.
fn middle(mesh: &Mesh) -> Option<Vec3<f64>> {
    let (mut sum, mut moment) = (0.0, Vec3::zero());
    for [a, b, c] in corners(mesh) {
        let area = surface([a, b, c]);
        sum += area;
        moment += (a + b + c) * (area / 3.0);
    }
    (sum > 0.0 && sum.is_finite()).then(|| moment * (1.0 / sum))
}

fn volume(apex: Vec3<f64>, [a, b, c]: [Vec3<f64>; 3]) -> f64 {
    (a - apex).dot((b - apex).cross(c - apex)) / 6.0
}

/// The volume as measured from a point, and its centre of mass.
fn enclosed(mesh: &Mesh, apex: Vec3<f64>, count: fn(f64) -> f64) -> (f64, Option<Vec3<f64>>) {
    let (mut sum, mut moment) = (0.0, Vec3::zero());
    for [a, b, c] in corners(mesh) {
        let v = count(volume(apex, [a, b, c]));
        sum += v;
        moment += (a + b + c + apex) * (v / 4.0);
    }
    let found = sum != 0.0 && sum.is_finite();
    (sum, found.then(|| moment * (1.0 / sum)))
}

/// The volume and `∫ x xᵀ` about a point, from the tetrahedra with their apex there.
fn second_moments(mesh: &Mesh, about: Vec3<f64>, count: fn(f64) -> f64) -> (f64, Mat3<f64>) {
    let (mut sum, mut second) = (0.0, Mat3::zero());
    for [a, b, c] in corners(mesh) {
        let v = count(volume(about, [a, b, c]));
        sum += v;
        second += products(&[a - about, b - about, c - about], v / 20.0);
    }
    (sum, second)
}

/// `k (Σ xᵢ Σ xⱼᵀ + Σ xᵢ xᵢᵀ)`.
fn products(x: &[Vec3<f64>; 3], k: f64) -> Mat3<f64> {
    let s = x[0] + x[1] + x[2];
    x.iter().fold(Mat3::outer(s * k, s), |sum, &x| sum + Mat3::outer(x * k, x))
}

/// `tr(P) 1 − P`.
fn inertia(P: Mat3<f64>) -> Sym3<f64> {
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = P.to_rows();
    Sym3 { xx: yy + zz, xy: -xy, xz: -xz, yy: xx + zz, yz: -yz, zz: xx + yy }
}
