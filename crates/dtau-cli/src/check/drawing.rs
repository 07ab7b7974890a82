//! A drawing of the robot at rest: the boxes of its inertias, its joints, and the lines between them.

use super::faults::Flaw;
use super::subject::{InertiaBox, Subject, mass};
use crate::page::svg::{BAD, NEUTRAL, Svg, WIDTH, trace};
use dtau::spatial::Vec3;

type Point = (f64, f64);
type View = fn(Vec3<f64>) -> Point;

/// Greatest number of links that are drawn.
const MOST: usize = 2000;
/// Greatest height of a drawing.
const HEIGHT: f64 = 440.0;
/// Free space around what is drawn.
const MARGIN: f64 = 16.0;
/// Height of the title.
const HEAD: f64 = 30.0;

/// Draws the robot from its right side and from its front. Returns no drawings if no link has an inertia.
pub fn views(subject: &Subject) -> Vec<String> {
    let scene = Drawn::of(subject);
    if scene.solids.is_empty() {
        return Vec::new();
    }
    // Both views have one scale.
    let sides: [(&str, View); 2] =
        [("Side: x to the right, z up", |p| (p.x, p.z)), ("Front: y to the right, z up", |p| (p.y, p.z))];
    let bounds = sides.map(|(_, view)| Bounds::of(scene.points().map(view)));
    let fit = |room: f64, length: f64| room / length.max(1e-9);
    let widths = bounds.each_ref().map(|bounds| bounds.high.0 - bounds.low.0);
    let height = bounds[0].high.1 - bounds[0].low.1;
    let scale = fit(WIDTH - 2.0 * MARGIN, widths[0].max(widths[1])).min(fit(HEIGHT, height)).min(1e6);
    sides.into_iter().zip(bounds).map(|((title, view), bounds)| scene.draw(title, view, &bounds, scale)).collect()
}

/// Parts of the drawings, in world coordinates.
struct Drawn {
    solids: Vec<Solid>,
    bones: Vec<[Vec3<f64>; 2]>,
    pivots: Vec<(Vec3<f64>, String)>,
}

/// Inertia box of a link.
struct Solid {
    corners: Vec<Vec3<f64>>,
    size: f64,
    is_physical: bool,
    is_air: bool,
    tip: String,
}

impl Drawn {
    fn of(subject: &Subject) -> Self {
        let robot = subject.model.description();
        let mut solids = Vec::new();
        for (link, place) in robot.links.iter().zip(&subject.places).take(MOST) {
            let Some((inertial, solid)) =
                link.inertial.and_then(|inertial| Some((inertial, InertiaBox::of(&inertial)?)))
            else {
                continue;
            };
            let flaw = Flaw::of(&inertial, true);
            let [x, y, z] = [0, 1, 2].map(|k| solid.axes.cols[k] * (0.5 * solid.sides[k]));
            let signs = (0..8).map(|k| [k & 1, k & 2, k & 4].map(|bit| if bit == 0 { -1.0 } else { 1.0 }));
            let corners = signs.map(|[i, j, k]| place.act_point(inertial.com + x * i + y * j + z * k)).collect();
            solids.push(Solid {
                corners,
                size: solid.sides.iter().product(),
                is_physical: flaw != Some(Flaw::NotPhysical),
                is_air: flaw == Some(Flaw::TooLarge),
                tip: format!("{}: {}", link.name, mass(inertial.mass)),
            });
        }
        // A box of air hides all others.
        if solids.iter().any(|solid| !solid.is_air) {
            solids.retain(|solid| !solid.is_air);
        }
        solids.sort_by(|a, b| b.size.total_cmp(&a.size));
        let index: std::collections::HashMap<&str, usize> =
            robot.links.iter().enumerate().map(|(k, link)| (link.name.as_str(), k)).collect();
        let place = |link: &str| index.get(link).and_then(|&k| subject.places.get(k)).map(|place| place.pos);
        let joints = || robot.joints.iter().take(MOST);
        let bones = joints().filter_map(|joint| Some([place(&joint.parent)?, place(&joint.child)?])).collect();
        let moving = joints().filter(|joint| joint.kind.nv() > 0);
        let pivots = moving.filter_map(|joint| Some((place(&joint.child)?, joint.name.clone())));
        Self { solids, bones, pivots: pivots.collect() }
    }

    fn points(&self) -> impl Iterator<Item = Vec3<f64>> {
        let pivots = self.pivots.iter().map(|(pivot, _)| *pivot);
        self.solids.iter().flat_map(|solid| solid.corners.iter().copied()).chain(pivots)
    }

    fn draw(&self, title: &str, view: View, bounds: &Bounds, scale: f64) -> String {
        let (low, high) = (bounds.low, bounds.high);
        let left = 0.5 * (WIDTH - scale * (high.0 - low.0));
        let at = |p: Vec3<f64>| {
            let (x, y) = view(p);
            (left + scale * (x - low.0), HEAD + scale * (high.1 - y))
        };
        let mut svg = Svg::new(WIDTH, "boxes");
        svg.text("title", (8.0, 18.0), "start", title);
        for solid in &self.solids {
            let hue = if solid.is_physical { NEUTRAL } else { BAD };
            let outline = hull(solid.corners.iter().map(|&corner| at(corner)).collect());
            svg.shape(&format!("solid s{hue} f{hue}"), &(trace(outline) + "z"), &solid.tip);
        }
        for &[from, to] in &self.bones {
            svg.line("bone", at(from), at(to));
        }
        for (pivot, name) in &self.pivots {
            svg.circle("pivot", at(*pivot), 2.4, name);
        }
        let bottom = HEAD + scale * (high.1 - low.1) + MARGIN;
        // A length to compare with: the longest of 1, 2, 5 times a power of ten that is no longer than a third.
        let longest = WIDTH / 3.0 / scale;
        let decade = 10f64.powf(longest.log10().floor());
        let length = [5.0, 2.0, 1.0].map(|digit| digit * decade).into_iter().find(|length| *length <= longest);
        let length = length.unwrap_or(decade);
        svg.line("whisker", (8.0, bottom), (8.0 + scale * length, bottom));
        svg.text("label", (8.0, bottom + 16.0), "start", &format!("{} m", super::subject::short(length)));
        svg.finish(bottom + 24.0, title)
    }
}

/// Bounding rectangle of points.
struct Bounds {
    low: Point,
    high: Point,
}

impl Bounds {
    fn of(points: impl Iterator<Item = Point>) -> Self {
        let none = Self { low: (f64::MAX, f64::MAX), high: (f64::MIN, f64::MIN) };
        points.fold(none, |Self { low, high }, (x, y)| Self {
            low: (low.0.min(x), low.1.min(y)),
            high: (high.0.max(x), high.1.max(y)),
        })
    }
}

/// Returns the convex hull of points, by Andrew's monotone chain.
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let lower = half(&mut points.iter().copied());
    lower.into_iter().chain(half(&mut points.iter().rev().copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_square_and_its_middle_is_the_square() {
        let square = vec![(0.0, 0.0), (2.0, 0.0), (1.0, 1.0), (2.0, 2.0), (0.0, 2.0)];
        assert_eq!(hull(square), [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
    }
}
