//! Convex hulls by quickhull: face by face, with the points outside of each face.
//!
//! Points within rounding of a face count as on it, so the hull is at most too small by rounding.

use crate::spatial::Vec3;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

struct Face {
    corners: [usize; 3],
    /// The neighbouring face beyond the edge from corner k to the next.
    beyond: [usize; 3],
    normal: Vec3<f64>,
    offset: f64,
    outside: Vec<usize>,
    alive: bool,
}

struct Hull<'a> {
    points: &'a [Vec3<f64>],
    faces: Vec<Face>,
    /// Smaller distances count as zero.
    near: f64,
}

/// The triangles of the hull, counter-clockwise as seen from outside.
pub(super) fn of(points: &[Vec3<f64>]) -> Result<Vec<[usize; 3]>, String> {
    let flat = || String::from("its points are in a plane; it has no convex hull with a volume");
    let size = points.iter().fold(0.0_f64, |m, p| m.max(p.x.abs()).max(p.y.abs()).max(p.z.abs()));
    let mut hull = Hull { points, faces: Vec::new(), near: 16.0 * f64::EPSILON * size };
    let first = hull.simplex().ok_or_else(flat)?;
    hull.begin(first);
    let mut waiting: Vec<usize> = (0..4).collect();
    while let Some(face) = waiting.pop() {
        if !hull.faces[face].alive || hull.faces[face].outside.is_empty() {
            continue;
        }
        let made = hull.grow(face).ok_or_else(|| String::from("its convex hull is lost in rounding"))?;
        waiting.extend(made);
    }
    Ok(hull.faces.iter().filter(|face| face.alive).map(|face| face.corners).collect())
}

impl Hull<'_> {
    /// Four points that are far apart; `None` if all points are in a plane.
    fn simplex(&self) -> Option<[usize; 4]> {
        let p = self.points;
        let farthest = |measure: &dyn Fn(Vec3<f64>) -> f64| {
            (0..p.len())
                .map(|k| (k, measure(p[k])))
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .filter(|found| found.1 > self.near)
        };
        let a = (0..p.len()).min_by(|&i, &j| p[i].x.total_cmp(&p[j].x))?;
        let (b, _) = farthest(&|x| libm::sqrt((x - p[a]).norm_squared()))?;
        let along = p[b] - p[a];
        let along = along * (1.0 / libm::sqrt(along.norm_squared()));
        let (c, _) = farthest(&|x| libm::sqrt((x - p[a]).cross(along).norm_squared()))?;
        let normal = along.cross(p[c] - p[a]);
        let normal = normal * (1.0 / libm::sqrt(normal.norm_squared()));
        let (d, _) = farthest(&|x| normal.dot(x - p[a]).abs())?;
        // Seen from d, the triangle a b c must be clockwise.
        Some(if normal.dot(p[d] - p[a]) > 0.0 { [a, c, b, d] } else { [a, b, c, d] })
    }

    fn begin(&mut self, [a, b, c, d]: [usize; 4]) {
        for (corners, beyond) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            self.push(corners, beyond);
        }
        let all = (0..self.points.len()).collect();
        self.hand_out(all, &[0, 1, 2, 3]);
    }

    fn push(&mut self, corners: [usize; 3], beyond: [usize; 3]) -> usize {
        let [a, b, c] = corners.map(|k| self.points[k]);
        let normal = (b - a).cross(c - a);
        let length = libm::sqrt(normal.norm_squared());
        let normal = if length > 0.0 { normal * (1.0 / length) } else { Vec3::zero() };
        self.faces.push(Face { corners, beyond, normal, offset: normal.dot(a), outside: Vec::new(), alive: true });
        self.faces.len() - 1
    }

    fn distance(&self, face: usize, point: usize) -> f64 {
        self.faces[face].normal.dot(self.points[point]) - self.faces[face].offset
    }

    /// Assigns each point to one of the faces that it is outside of. The other points are inside the hull.
    fn hand_out(&mut self, points: Vec<usize>, faces: &[usize]) {
        for point in points {
            let near = self.near;
            let place = faces.iter().copied().find(|&face| self.distance(face, point) > near);
            if let Some(face) = place {
                self.faces[face].outside.push(point);
            }
        }
    }

    /// Adds the farthest point outside of a face to the hull. Returns the new faces, or `None` if rounding
    /// broke the loop of the horizon.
    fn grow(&mut self, face: usize) -> Option<Vec<usize>> {
        let outside = &self.faces[face].outside;
        let apex = *outside.iter().max_by(|&&i, &&j| self.distance(face, i).total_cmp(&self.distance(face, j)))?;
        // The faces visible from the point, and the edges between them and the others.
        let (mut seen, mut horizon, mut stack) = (vec![face], Vec::new(), vec![face]);
        self.faces[face].alive = false;
        while let Some(here) = stack.pop() {
            for k in 0..3 {
                let there = self.faces[here].beyond[k];
                if !self.faces[there].alive {
                    continue;
                }
                if self.distance(there, apex) > self.near {
                    self.faces[there].alive = false;
                    seen.push(there);
                    stack.push(there);
                } else {
                    let corners = self.faces[here].corners;
                    horizon.push((corners[k], corners[(k + 1) % 3], there));
                }
            }
        }
        let mut from: BTreeMap<usize, usize> = BTreeMap::new();
        let mut made = Vec::new();
        for &(a, b, there) in &horizon {
            let new = self.push([a, b, apex], [there, 0, 0]);
            if from.insert(a, new).is_some() {
                return None;
            }
            let edge = (0..3).find(|&k| self.faces[there].corners[k] == b)?;
            self.faces[there].beyond[edge] = new;
            made.push(new);
        }
        for &new in &made {
            let next = *from.get(&self.faces[new].corners[1])?;
            self.faces[new].beyond[1] = next;
            self.faces[next].beyond[2] = new;
        }
        for old in seen {
            let points = core::mem::take(&mut self.faces[old].outside);
            self.hand_out(points.into_iter().filter(|&point| point != apex).collect(), &made);
        }
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mesh, integral};
    use super::*;

    /// A box with points inside, on its faces and edges, and duplicates.
    #[test]
    fn the_hull_of_a_box_is_the_box() {
        let mut points = Vec::new();
        for i in 0..5 {
            for j in 0..5 {
                for k in 0..5 {
                    let p = Vec3::new(f64::from(i) * 0.1, f64::from(j) * 0.2, f64::from(k) * 0.3);
                    points.extend([p, p]);
                }
            }
        }
        let triangles = of(&points).unwrap();
        let part = integral::exact(&Mesh { points, triangles }).unwrap();
        assert!((part.amount - 0.4 * 0.8 * 1.2).abs() < 1e-14, "{part:?}");
        assert!((part.com - Vec3::new(0.2, 0.4, 0.6)).norm_squared() < 1e-28, "{part:?}");
        assert!((part.about.xx - part.amount * (0.64 + 1.44) / 12.0).abs() < 1e-14, "{part:?}");
    }

    #[test]
    fn points_in_a_plane_have_no_hull() {
        let points: Vec<_> = (0..9).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.0)).collect();
        assert!(of(&points).unwrap_err().contains("in a plane"));
    }

    /// On a sphere every point is a corner: there are 2 n − 4 triangles, and no point is outside of one.
    #[test]
    fn the_hull_of_points_on_a_sphere_has_all_of_them() {
        let golden = 2.399963229728653;
        let points: Vec<_> = (0..500)
            .map(|k| {
                let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 500.0;
                let (r, turn) = (libm::sqrt(1.0 - z * z), golden * f64::from(k));
                Vec3::new(r * libm::cos(turn), r * libm::sin(turn), z)
            })
            .collect();
        let triangles = of(&points).unwrap();
        assert_eq!(triangles.len(), 2 * points.len() - 4);
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|k| points[k]);
            let normal = (b - a).cross(c - a);
            assert!(points.iter().all(|&p| normal.dot(p - a) < 1e-14));
        }
    }
}
