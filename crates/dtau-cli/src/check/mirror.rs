//! Left and right: links that should be mirror images of each other.

use super::finding::Severity::{Hint, Warning};
use super::finding::{Finding, Place};
use super::subject::{NOISE, Subject, mass, short};
use dtau::model::Inertial;
use dtau::spatial::{Mat3, Sym3, Vec3};
use std::collections::HashMap;

/// Tolerance of masses, relative to the larger one.
const MASSES: f64 = 0.01;
/// Tolerances of centres of mass: absolute \[m\], and relative to the distance from the link's origin.
const CENTRES: (f64, f64) = (1e-3, 0.01);
/// Tolerance of inertias, relative to the largest moment.
const INERTIAS: f64 = 0.05;

/// Returns a finding for each pair that differs.
pub fn all(subject: &Subject) -> Vec<Finding> {
    let links = subject.links();
    let pairs = pairs(&links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>());
    let plane = plane(subject, &pairs);
    let mut findings = Vec::new();
    for (left, right) in pairs {
        let [a, b] = [&links[left], &links[right]];
        let at = [a, b].map(|link| Place::link(&link.name, link.line)).to_vec();
        let what = match (&a.inertial, &b.inertial) {
            (Some(x), Some(y)) => differences(subject, [(left, x), (right, y)], plane),
            (None, None) => continue,
            _ => "Only one of the two has an <inertial>.".into(),
        };
        if !what.is_empty() && a.inertial == b.inertial {
            const COPY: &str = "Left and right have the same numbers. In mirror images some signs of the centre of mass and of the \
                                products of inertia differ.";
            const REMEDY: &str = "Mirror one of the two, unless both sides use the same part.";
            findings.push(Finding::new(Hint, at, COPY, REMEDY));
        } else if !what.is_empty() {
            const REMEDY: &str = "Make one the mirror image of the other: the same mass and moments, the centre of mass and the \
                                  products of inertia with mirrored signs.";
            findings.push(Finding::new(Warning, at, format!("Left and right differ. {what}"), REMEDY));
        }
    }
    findings
}

/// Returns the pairs of names that differ only by the side, as indices of the left and of the right one.
fn pairs(names: &[&str]) -> Vec<(usize, usize)> {
    let index: HashMap<&str, usize> = names.iter().enumerate().map(|(k, &name)| (name, k)).collect();
    let other = |name: &str| {
        let Sides { is_left, mirrored, singly } = sides(name)?;
        match index.get(mirrored.as_str()) {
            Some(&other) => is_left.then_some(other),
            None => singly.iter().find_map(|name| index.get(name.as_str()).copied()),
        }
    };
    (0..names.len()).filter_map(|k| Some((k, other(names[k])?))).collect()
}

/// Words for the left side, and for the right one.
const SIDES: [(&str, &str); 9] = [
    ("left", "right"),
    ("l", "r"),
    ("lf", "rf"),
    ("lh", "rh"),
    ("lm", "rm"),
    ("fl", "fr"),
    ("hl", "hr"),
    ("rl", "rr"),
    ("ml", "mr"),
];

/// The sides that a name mentions.
struct Sides {
    /// True if the first side is left.
    is_left: bool,
    /// The name with all sides exchanged: `right_hand_left_finger` for `left_hand_right_finger`.
    mirrored: String,
    /// The names with one "left" replaced by "right".
    singly: Vec<String>,
}

/// Reads the sides of a name; `None` if it has none.
fn sides(name: &str) -> Option<Sides> {
    let words = words(name);
    let right = |word: &str| {
        let (_, right) = SIDES.iter().find(|(left, _)| *left == word.to_lowercase())?;
        Some(like(word, right))
    };
    let left = |word: &str| {
        let (left, _) = SIDES.iter().find(|(_, right)| *right == word.to_lowercase())?;
        Some(like(word, left))
    };
    let is_left = words.iter().find_map(|word| right(word).map(|_| true).or_else(|| left(word).map(|_| false)))?;
    let exchanged = |word: &&str| right(word).or_else(|| left(word)).unwrap_or_else(|| word.to_string());
    let singly =
        (0..words.len()).filter_map(|k| Some(words[..k].concat() + &right(words[k])? + &words[k + 1..].concat()));
    Some(Sides { is_left, mirrored: words.iter().map(exchanged).collect(), singly: singly.collect() })
}

/// Returns a word in the case of another one: `LEFT`, `Left`, `left`.
fn like(model: &str, word: &str) -> String {
    let is_upper = |c: char| c.is_uppercase();
    match () {
        _ if model.chars().all(is_upper) => word.to_uppercase(),
        _ if model.starts_with(is_upper) => word[..1].to_uppercase() + &word[1..],
        _ => word.into(),
    }
}

/// Splits a name into words and separators: `LFootLeft_2` has `L`, `Foot`, `Left`, `_`, `2`.
pub fn words(name: &str) -> Vec<&str> {
    let kind = |c: char| {
        if c.is_uppercase() {
            0
        } else if c.is_alphabetic() {
            1
        } else if c.is_numeric() {
            2
        } else {
            3
        }
    };
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    let mut starts = vec![0];
    for k in 1..chars.len() {
        let (before, here) = (kind(chars[k - 1].1), kind(chars[k].1));
        let next = chars.get(k + 1).map(|&(_, c)| kind(c));
        // `aB` is two words, and so is the A of `ABc`.
        if before != here && (before, here) != (0, 1) || (before, here, next) == (0, 0, Some(1)) {
            starts.push(chars[k].0);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    starts.iter().zip(ends).map(|(&from, to)| &name[from..to]).collect()
}

/// The plane between left and right: its normal, which is an axis of the world, and its offset.
#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    offset: f64,
}

impl Plane {
    fn mirror(self, x: Vec3<f64>) -> Vec3<f64> {
        let mut x = x.to_array();
        x[self.axis] = 2.0 * self.offset - x[self.axis];
        Vec3::from(x)
    }

    /// Returns the reflection matrix.
    fn matrix(self) -> Mat3<f64> {
        let mut rows = Mat3::<f64>::identity().to_rows();
        rows[self.axis][self.axis] = -1.0;
        Mat3::from_rows(rows)
    }

    /// True if the origins of two links are mirror images at rest.
    fn fits(self, subject: &Subject, (left, right): (usize, usize)) -> bool {
        let [l, r] = [left, right].map(|k| subject.places[k].pos);
        (self.mirror(l) - r).norm_squared().sqrt() < 1e-3
    }
}

/// Returns the plane that mirrors most pairs; `None` if it mirrors less than half of them.
fn plane(subject: &Subject, pairs: &[(usize, usize)]) -> Option<Plane> {
    let planes = (0..3).map(|axis| {
        let middle =
            |&(l, r): &(usize, usize)| 0.5 * [l, r].map(|k| subject.places[k].pos.to_array()[axis]).iter().sum::<f64>();
        let mut middles: Vec<f64> = pairs.iter().map(middle).collect();
        middles.sort_by(f64::total_cmp);
        let plane = Plane { axis, offset: middles.get(middles.len() / 2).copied().unwrap_or(0.0) };
        (pairs.iter().filter(|&&pair| plane.fits(subject, pair)).count(), plane)
    });
    let (count, plane) = planes.max_by_key(|(count, _)| *count)?;
    (2 * count >= pairs.len()).then_some(plane)
}

/// Returns the differences as sentences; empty if the two are mirror images.
fn differences(subject: &Subject, [(left, a), (right, b)]: [(usize, &Inertial); 2], plane: Option<Plane>) -> String {
    let mut said: Vec<String> = Vec::new();
    if (a.mass - b.mass).abs() > MASSES * a.mass.max(b.mass) {
        said.push(format!("Masses: {} and {}.", mass(a.mass), mass(b.mass)));
    }
    let [(x, _), (y, _)] = [a, b].map(Inertial::principal);
    let largest = x[2].max(y[2]);
    let apart = |x: f64, y: f64| (x - y).abs() > INERTIAS * largest;
    let same_moments = x.iter().zip(&y).all(|(&x, &y)| !apart(x, y));
    if !same_moments {
        let list = |moments: [f64; 3]| moments.map(|x| short(if x.abs() < NOISE { 0.0 } else { x })).join(", ");
        said.push(format!("Principal moments: {} and {} kg m².", list(x), list(y)));
    }
    // Mirrored in the world at rest, or in the axes of the links, whose zero may be turned.
    let mut mirrors: Vec<Mat3<f64>> = Vec::new();
    if let Some(plane) = plane.filter(|plane| plane.fits(subject, (left, right))) {
        let [l, r] = [left, right].map(|k| subject.places[k].rot);
        mirrors.push(r.transpose() * (plane.matrix() * l));
    }
    for axis in 0..3 {
        mirrors.push(Plane { axis, offset: 0.0 }.matrix());
    }
    mirrors.push(Mat3::from_rows([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]));
    let near = |mirror: &Mat3<f64>| {
        let distance = (*mirror * a.com - b.com).norm_squared().sqrt();
        distance <= CENTRES.0 + CENTRES.1 * b.com.norm_squared().sqrt()
    };
    let alike = |mirror: &Mat3<f64>| {
        let [got, want] = [a.about_com.rotate(mirror), b.about_com].map(|inertia| inertia.to_mat3().to_rows());
        got.as_flattened().iter().zip(want.as_flattened()).all(|(&x, &y)| !apart(x, y))
    };
    let list = |com: Vec3<f64>| format!("({})", com.to_array().map(short).join(", "));
    let centred: Vec<&Mat3<f64>> = mirrors.iter().filter(|mirror| near(mirror)).collect();
    if centred.is_empty() {
        said.push(format!("Centres of mass: {} and {} m.", list(a.com), list(b.com)));
    } else if same_moments && !centred.into_iter().any(alike) {
        let products = |of: &Sym3<f64>| [of.xy, of.xz, of.yz].map(short).join(", ");
        said.push(format!(
            "Axes of the inertias: ixy, ixz, iyz are {} and {} kg m².",
            products(&a.about_com),
            products(&b.about_com)
        ));
    }
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_two_sides_are_pairs() {
        let of = |names: &[&str]| -> Vec<String> {
            pairs(names).into_iter().map(|(l, r)| format!("{} {}", names[l], names[r])).collect()
        };
        assert_eq!(of(&["left_hip", "right_hip", "neck"]), ["left_hip right_hip"]);
        assert_eq!(of(&["r_arm", "l_arm", "arm_r", "arm_l"]), ["l_arm r_arm", "arm_l arm_r"]);
        assert_eq!(of(&["FL_hip", "FR_hip", "RL_hip", "RR_hip"]), ["FL_hip FR_hip", "RL_hip RR_hip"]);
        assert_eq!(of(&["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]), ["LF_FOOT RF_FOOT", "LH_FOOT RH_FOOT"]);
        assert_eq!(of(&["LHipYaw", "RHipYaw", "ElbowLeft", "ElbowRight"]), ["LHipYaw RHipYaw", "ElbowLeft ElbowRight"]);
        assert_eq!(of(&["gripper_left_1_link", "gripper_right_1_link"]), ["gripper_left_1_link gripper_right_1_link"]);
        assert_eq!(of(&["leftover", "rightover", "tool", "toor", "lid", "rid"]), [] as [&str; 0]);
        // Two grippers, each with two fingers: the mirror image of an outer finger is an outer finger.
        let grippers =
            ["left_hand_left_finger", "left_hand_right_finger", "right_hand_left_finger", "right_hand_right_finger"];
        assert_eq!(
            of(&grippers),
            ["left_hand_left_finger right_hand_right_finger", "left_hand_right_finger right_hand_left_finger"]
        );
        assert_eq!(of(&["right_hand_left_finger", "right_hand_right_finger"]).len(), 1, "one hand has two fingers");
    }
}
