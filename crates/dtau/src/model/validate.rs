//! Whether a description is one tree of possible joints and bodies, and which link hangs where.
//!
//! Everything here is iterative and at most n log n, so a chain of a hundred thousand links is as safe as an arm.

use super::description::{Description, Inertial, JointDescription, JointKind, Mimic};
use super::names;
use crate::error::{Error, ErrorKind};
use crate::spatial::{Sym3, Transform, Vec3};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Shorter axes count as zero.
const SHORTEST_AXIS: f64 = 1e-12;
/// Longer axes are a mistake, and their squares would overflow in the end.
const LONGEST_AXIS: f64 = 1e12;
/// How far RᵀR may be from 1.
const ORTHONORMAL: f64 = 1e-9;
/// Files carry about six digits: moments of inertia are compared to this fraction of the largest.
const MOMENT_ROUNDING: f64 = 1e-6;
/// Moments below this are noise around zero \[kg m²\]: the screws of a finger have 1e-9.
const MOMENT_NOISE: f64 = 1e-12;

/// How the links of a valid description hang together. Indices are those of the description's vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    /// The link that no joint carries.
    pub root: usize,
    /// The joint above each link; `None` for the root only.
    pub parent_joint: Vec<Option<usize>>,
    /// The joints below each link, in the order of the description.
    pub children: Vec<Vec<usize>>,
    /// What each mimic joint follows in the end; `None` for joints that move by themselves.
    ///
    /// An error if a joint mimics one that does not exist or has not one degree of freedom. Such files are in use, by
    /// programs that let every joint move by itself, so it is an error only for those who honour the mimics.
    pub mimic: Result<Vec<Option<Leader>>, Error>,
    /// What a reader should know and [`Description::warnings`] does not say yet.
    pub warnings: Vec<String>,
}

/// The independent joint at the end of a chain of mimics: `q = multiplier · q_joint + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leader {
    /// Index of the joint; it mimics nothing.
    pub joint: usize,
    /// Times this: the product along the chain.
    pub multiplier: f64,
    /// Plus this, composed along the chain.
    pub offset: f64,
}

/// Checks a description and returns its tree.
///
/// Errors, with the line of the link or joint: no links; a name that is empty or given twice; an unknown link or joint; a
/// link with two parents; a cycle; several roots; a zero axis; a number that is not finite; an origin that does not rotate;
/// negative mass, damping, friction or armature; a lower limit above the upper one; a mimic of itself, in a ring, or by a
/// joint with several degrees of freedom. A mimic of a mimic is fine and is composed into a [`Leader`].
///
/// Warnings: inertias that no rigid body can have, mimics of fixed joints (ignored), and mimics that cannot be followed.
pub(crate) fn validate(d: &Description) -> Result<Tree, Error> {
    if d.links.is_empty() {
        return Err(broken("the robot has no links; describe at least one <link>", 0));
    }
    let links = index("link", d.links.iter().map(|l| (l.name.as_str(), l.line)))?;
    let joints = index("joint", d.joints.iter().map(|j| (j.name.as_str(), j.line)))?;
    check_frames(d, &links)?;
    for link in &d.links {
        if let Some(inertial) = &link.inertial {
            check_inertial(inertial).map_err(|what| broken(format!("link {:?}: {what}", link.name), link.line))?;
        }
    }
    for joint in &d.joints {
        check_joint(joint).map_err(|what| joint_error(joint, what))?;
    }
    let (parent_joint, children) = connect(d, &links)?;
    let root = find_root(d, &links, &parent_joint, &children)?;
    let mimics = find_mimics(d, &joints)?;
    let leaders = compose_mimics(d, &mimics)?;
    let mut warnings = mimic_warnings(&mimics);
    warnings.extend(odd_inertias(d));
    warnings.retain(|w| !d.warnings.contains(w));
    let mimic = match mimics.broken {
        None => Ok(leaders),
        Some((error, _)) => Err(error),
    };
    Ok(Tree { root, parent_joint, children, mimic, warnings })
}

fn broken(message: impl Into<String>, line: u32) -> Error {
    Error::new(ErrorKind::Description, message).at_line(line)
}

fn joint_error(joint: &JointDescription, what: impl core::fmt::Display) -> Error {
    broken(format!("joint {:?}: {what}", joint.name), joint.line)
}

/// ` on line 12`, or nothing for descriptions made in code.
fn on_line(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" on line {line}") }
}

/// Names to indices; each name once.
fn index<'a>(what: &str, items: impl Iterator<Item = (&'a str, u32)>) -> Result<BTreeMap<&'a str, usize>, Error> {
    let (mut places, mut lines) = (BTreeMap::new(), Vec::new());
    for (i, (name, line)) in items.enumerate() {
        lines.push(line);
        if name.is_empty() {
            return Err(broken(format!("a {what} has no name; give it one"), line));
        }
        if let Some(first) = places.insert(name, i) {
            let first = on_line(lines[first]);
            let so_far = if first.is_empty() { first } else { format!(", first{first}") };
            return Err(broken(format!("{what} {name:?} is given twice{so_far}; rename or remove one of them"), line));
        }
    }
    Ok(places)
}

fn check_frames(d: &Description, links: &BTreeMap<&str, usize>) -> Result<(), Error> {
    let frames = index("frame", d.frames.iter().map(|f| (f.name.as_str(), 0)))?;
    if let Some(name) = frames.keys().find(|name| links.contains_key(*name)) {
        return Err(broken(format!("frame {name:?} has the name of a link; rename it"), 0));
    }
    for frame in &d.frames {
        let error = |what: String| broken(format!("frame {:?}: {what}", frame.name), 0);
        if !links.contains_key(frame.link.as_str()) {
            return Err(error(unknown_link(d, &frame.link)));
        }
        check_placement("placement", &frame.placement).map_err(error)?;
    }
    Ok(())
}

fn unknown_link(d: &Description, name: &str) -> String {
    format!("there is no link {name:?}; {}", names::suggest(name, d.links.iter().map(|l| l.name.as_str())))
}

// Numbers

fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(format!("the {what} is {x}; every number must be finite")),
    }
}

fn not_negative(what: &str, x: f64) -> Result<(), String> {
    finite(what, &[x])?;
    if x < 0.0 { Err(format!("the {what} is {x}; it must not be negative")) } else { Ok(()) }
}

fn check_inertial(inertial: &Inertial) -> Result<(), String> {
    let Inertial { mass, com, about_com: I } = inertial;
    not_negative("mass", *mass)?;
    finite("centre of mass", &com.to_array())?;
    finite("inertia", &[I.xx, I.xy, I.xz, I.yy, I.yz, I.zz])
}

fn check_placement(what: &str, x: &Transform<f64>) -> Result<(), String> {
    let R = x.rot;
    finite(what, &x.pos.to_array())?;
    finite(what, R.to_rows().as_flattened())?;
    let product = |i: usize, j: usize| R.cols[i].dot(R.cols[j]) - if i == j { 1.0 } else { 0.0 };
    let orthonormal = (0..3).all(|i| (0..=i).all(|j| product(i, j).abs() <= ORTHONORMAL));
    if !orthonormal || R.cols[0].cross(R.cols[1]).dot(R.cols[2]) < 0.0 {
        return Err(format!(
            "the {what} has a matrix that is not a rotation; its axes must be orthonormal and right-handed"
        ));
    }
    Ok(())
}

fn check_axis(axis: Vec3<f64>) -> Result<(), String> {
    finite("axis", &axis.to_array())?;
    // The largest component, since the norm can overflow.
    let length = axis.to_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if length <= SHORTEST_AXIS {
        return Err(r#"the axis is zero; give it a direction, such as "0 0 1""#.into());
    }
    if length > LONGEST_AXIS {
        return Err(format!("the axis is {length:e} long; give it length 1"));
    }
    Ok(())
}

fn check_joint(joint: &JointDescription) -> Result<(), String> {
    check_placement("origin", &joint.origin)?;
    match joint.kind {
        JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Prismatic { axis } => {
            check_axis(axis)?
        }
        JointKind::Planar { normal } => check_axis(normal)?,
        JointKind::Helical { axis, pitch } => {
            check_axis(axis)?;
            finite("pitch", &[pitch])?;
        }
        JointKind::Fixed | JointKind::Spherical | JointKind::Translation | JointKind::FreeFlyer => {}
    }
    not_negative("damping", joint.damping)?;
    not_negative("friction", joint.friction)?;
    not_negative("armature", joint.armature)?;
    let limits = joint.limits;
    for (what, x) in [
        ("lower limit", limits.lower),
        ("upper limit", limits.upper),
        ("velocity limit", limits.velocity),
        ("effort limit", limits.effort),
    ] {
        if x.is_nan() {
            return Err(format!("the {what} is {x}; give a number, or an infinite one for none"));
        }
    }
    if limits.lower > limits.upper {
        return Err(format!("the lower limit {} is above the upper limit {}; swap them", limits.lower, limits.upper));
    }
    Ok(())
}

// The tree

type Adjacency = (Vec<Option<usize>>, Vec<Vec<usize>>);

/// The joint above and the joints below each link.
fn connect(d: &Description, links: &BTreeMap<&str, usize>) -> Result<Adjacency, Error> {
    let mut parent_joint: Vec<Option<usize>> = alloc::vec![None; d.links.len()];
    let mut children = alloc::vec![Vec::new(); d.links.len()];
    for (i, joint) in d.joints.iter().enumerate() {
        let link = |role: &str, name: &str| {
            let unknown = || joint_error(joint, format!("its {role} is unknown: {}", unknown_link(d, name)));
            links.get(name).copied().ok_or_else(unknown)
        };
        let (parent, child) = (link("parent", &joint.parent)?, link("child", &joint.child)?);
        if let Some(other) = parent_joint[child].replace(i) {
            let other = &d.joints[other];
            return Err(joint_error(
                joint,
                format!(
                    "link {:?} already is the child of joint {:?}{}; a link hangs from one joint only, so cut the loop there",
                    joint.child,
                    other.name,
                    on_line(other.line)
                ),
            ));
        }
        children[parent].push(i);
    }
    Ok((parent_joint, children))
}

/// The one link without a joint above it, from which every other link is reached.
fn find_root(
    d: &Description,
    links: &BTreeMap<&str, usize>,
    parent_joint: &[Option<usize>],
    children: &[Vec<usize>],
) -> Result<usize, Error> {
    let roots: Vec<usize> = (0..d.links.len()).filter(|&l| parent_joint[l].is_none()).collect();
    let mut reached = alloc::vec![false; d.links.len()];
    let mut stack = roots.clone();
    while let Some(link) = stack.pop() {
        reached[link] = true;
        stack.extend(children[link].iter().map(|&j| links[d.joints[j].child.as_str()]));
    }
    // Every link has one parent at most, so what hangs from no root hangs from a cycle.
    if let Some(start) = reached.iter().position(|r| !r) {
        return Err(cycle_error(d, &cycle_above(d, links, parent_joint, start)));
    }
    match roots[..] {
        [root] => Ok(root),
        _ => {
            let names = names::list(roots.iter().map(|&r| d.links[r].name.as_str()));
            let line = d.links[roots[1]].line;
            Err(broken(
                format!("{} links are root links: {names}; connect them by joints into one tree", roots.len()),
                line,
            ))
        }
    }
}

/// The joints of the cycle that is met when climbing from a link, in the order of the descent, the first of the file first.
fn cycle_above(
    d: &Description,
    links: &BTreeMap<&str, usize>,
    parent_joint: &[Option<usize>],
    start: usize,
) -> Vec<usize> {
    let mut met = alloc::vec![false; d.links.len()];
    let (mut link, mut climb) = (start, Vec::new());
    while let Some(j) = parent_joint[link].filter(|_| !met[link]) {
        met[link] = true;
        climb.push(j);
        link = links[d.joints[j].parent.as_str()];
    }
    // `link` was met twice: the cycle begins with the joint above it.
    let begin = climb.iter().position(|&j| Some(j) == parent_joint[link]).unwrap_or(0);
    let mut cycle = climb.split_off(begin);
    cycle.reverse();
    let first = (0..cycle.len()).min_by_key(|&k| cycle[k]).unwrap_or(0);
    cycle.rotate_left(first);
    cycle
}

fn cycle_error(d: &Description, cycle: &[usize]) -> Error {
    let first = &d.joints[cycle[0]];
    if cycle.len() == 1 {
        return joint_error(
            first,
            format!("it connects link {:?} to itself; change its parent or child", first.parent),
        );
    }
    let names = names::list(cycle.iter().map(|&j| d.joints[j].name.as_str()));
    broken(format!("the joints {names} form a cycle; a robot must be a tree, so remove one of them"), first.line)
}

// Mimic

/// Whom the joints with a mimic follow, directly.
struct Mimics<'a> {
    /// For each joint the joint it names, if both can mimic.
    target: Vec<Option<(usize, &'a Mimic)>>,
    /// The first mimic that cannot be followed, and how many there are.
    broken: Option<(Error, usize)>,
    /// Fixed joints with a mimic, which changes nothing.
    fixed: Vec<&'a str>,
}

/// Looks up the mimics and checks them one by one.
fn find_mimics<'a>(d: &'a Description, joints: &BTreeMap<&str, usize>) -> Result<Mimics<'a>, Error> {
    let mut mimics = Mimics { target: alloc::vec![None; d.joints.len()], broken: None, fixed: Vec::new() };
    for (i, joint) in d.joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        if joint.kind == JointKind::Fixed {
            mimics.fixed.push(&joint.name);
            continue;
        }
        check_mimic(joint, mimic).map_err(|what| joint_error(joint, what))?;
        match joints.get(mimic.joint.as_str()) {
            Some(&target) if has_one_dof(&d.joints[target].kind) => mimics.target[i] = Some((target, mimic)),
            target => match &mut mimics.broken {
                Some((_, count)) => *count += 1,
                None => mimics.broken = Some((joint_error(joint, cannot_follow(d, target.copied(), &mimic.joint)), 1)),
            },
        }
    }
    Ok(mimics)
}

fn check_mimic(joint: &JointDescription, mimic: &Mimic) -> Result<(), String> {
    if mimic.joint == joint.name {
        return Err("it mimics itself; name another joint, or remove the mimic".into());
    }
    if !has_one_dof(&joint.kind) {
        let kind = joint.kind.name();
        return Err(format!("it is {kind} and cannot mimic; joints with one degree of freedom can: remove the mimic"));
    }
    finite("multiplier of its mimic", &[mimic.multiplier])?;
    finite("offset of its mimic", &[mimic.offset])
}

fn cannot_follow(d: &Description, target: Option<usize>, name: &str) -> String {
    let Some(target) = target.map(|t| &d.joints[t]) else {
        let hint = names::suggest(name, d.joints.iter().map(|j| j.name.as_str()));
        return format!("it mimics {name:?}, but there is no such joint; {hint}");
    };
    let (line, kind) = (on_line(target.line), target.kind.name());
    format!("it mimics {name:?}{line}, which is {kind}; joints with one degree of freedom can be followed")
}

/// Composes chains of mimics, each joint once: climb to the first joint whose leader is known, then come back down.
fn compose_mimics(d: &Description, mimics: &Mimics) -> Result<Vec<Option<Leader>>, Error> {
    let mut leader: Vec<Option<Leader>> = alloc::vec![None; d.joints.len()];
    let mut climbing = alloc::vec![false; d.joints.len()];
    for start in 0..d.joints.len() {
        let (mut joint, mut chain) = (start, Vec::<(usize, &Mimic)>::new());
        while let Some((target, mimic)) = mimics.target[joint].filter(|_| leader[joint].is_none()) {
            if climbing[joint] {
                let begin = chain.iter().position(|&(j, _)| j == joint).unwrap_or(0);
                let names = names::list(chain[begin..].iter().map(|&(j, _)| d.joints[j].name.as_str()));
                return Err(joint_error(
                    &d.joints[joint],
                    format!("the joints {names} mimic each other in a ring; one of them must move by itself"),
                ));
            }
            climbing[joint] = true;
            chain.push((joint, mimic));
            joint = target;
        }
        let mut above = leader[joint].unwrap_or(Leader { joint, multiplier: 1.0, offset: 0.0 });
        for (joint, mimic) in chain.into_iter().rev() {
            // q = m (M q₀ + O) + o
            above.multiplier *= mimic.multiplier;
            above.offset = mimic.multiplier * above.offset + mimic.offset;
            finite("multiplier of its chain of mimics", &[above.multiplier])
                .and(finite("offset of its chain of mimics", &[above.offset]))
                .map_err(|what| joint_error(&d.joints[joint], what))?;
            leader[joint] = Some(above);
        }
    }
    Ok(leader)
}

fn mimic_warnings(mimics: &Mimics) -> Vec<String> {
    let mut warnings = Vec::new();
    if !mimics.fixed.is_empty() {
        let names = names::list(mimics.fixed.iter().copied());
        warnings.push(format!("fixed joints do not move, so their <mimic> is ignored: {names}"));
    }
    if let Some((error, count)) = &mimics.broken {
        let more = if *count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        warnings.push(format!("mimic joints cannot be honoured, only freed: {error}{more}"));
    }
    warnings
}

fn has_one_dof(kind: &JointKind) -> bool {
    match kind {
        JointKind::Revolute { .. }
        | JointKind::Continuous { .. }
        | JointKind::Prismatic { .. }
        | JointKind::Helical { .. } => true,
        JointKind::Fixed
        | JointKind::Spherical
        | JointKind::Planar { .. }
        | JointKind::Translation
        | JointKind::FreeFlyer => false,
    }
}

// Inertias

/// One warning for all links whose inertia no rigid body can have.
///
/// The principal moments of a body are sums of two of ∫x², ∫y², ∫z² over its mass: none is negative, and none exceeds the
/// sum of the other two. Thin plates meet the second with equality, so both are tested up to rounding of the file's digits.
fn odd_inertias(d: &Description) -> Option<String> {
    const SHOWN: usize = 3;
    let (mut shown, mut count) = (Vec::new(), 0);
    for link in &d.links {
        let Some([a, b, c]) = link.inertial.map(|i| principal_moments(&i.about_com)) else { continue };
        let rounding = MOMENT_NOISE + MOMENT_ROUNDING * a.abs().max(c.abs());
        let reason = if a < -rounding {
            "one is negative"
        } else if c > a + b + rounding {
            "one exceeds the sum of the others"
        } else {
            continue;
        };
        count += 1;
        if shown.len() < SHOWN {
            let [a, b, c] = [a, b, c].map(short);
            shown.push(format!("{:?}{} ({a}, {b}, {c}: {reason})", link.name, on_line(link.line)));
        }
    }
    let more = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
    let subject = if count == 1 { "the inertia of one link" } else { "the inertias of some links" };
    (count > 0).then(|| format!("no rigid body has {subject}; principal moments in kg m²: {}{more}", shown.join(", ")))
}

/// Four digits, without an exponent where that is readable.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// The eigenvalues, least first, by Jacobi's rotations.
fn principal_moments(I: &Sym3<f64>) -> [f64; 3] {
    let mut A = I.to_mat3().to_rows();
    let scale = A.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if scale == 0.0 {
        return [0.0; 3];
    }
    A.as_flattened_mut().iter_mut().for_each(|x| *x /= scale); // so that no square overflows or vanishes
    // Convergence is quadratic: four sweeps usually reach rounding, and more change nothing.
    for _ in 0..8 {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            if A[p][q] == 0.0 {
                continue;
            }
            // The smaller root t of t² + 2θt − 1 = 0 is the tangent that zeroes A[p][q].
            let theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
            let t =
                if theta.is_finite() { (1.0 / (theta.abs() + libm::hypot(theta, 1.0))).copysign(theta) } else { 0.0 };
            let cos = 1.0 / libm::hypot(t, 1.0);
            let sin = t * cos;
            A[p][p] -= t * A[p][q];
            A[q][q] += t * A[p][q];
            (A[p][q], A[q][p]) = (0.0, 0.0);
            let (pr, qr) = (A[p][r], A[q][r]);
            A[p][r] = cos * pr - sin * qr;
            A[q][r] = sin * pr + cos * qr;
            (A[r][p], A[r][q]) = (A[p][r], A[q][r]);
        }
    }
    let mut moments = [A[0][0] * scale, A[1][1] * scale, A[2][2] * scale];
    moments.sort_by(f64::total_cmp);
    moments
}

#[cfg(test)]
mod tests {
    use super::super::description::{FrameDescription, Limits, Link};
    use super::*;
    use alloc::string::ToString;

    fn link(name: &str) -> Link {
        Link { name: name.into(), ..Link::default() }
    }

    fn revolute(name: &str, parent: &str, child: &str) -> JointDescription {
        JointDescription::new(name, JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) }, parent, child)
    }

    /// A chain of links l0, l1, … with joints j1, j2, …
    fn chain(n: usize) -> Description {
        Description {
            links: (0..n).map(|i| link(&format!("l{i}"))).collect(),
            joints: (1..n).map(|i| revolute(&format!("j{i}"), &format!("l{}", i - 1), &format!("l{i}"))).collect(),
            ..Description::default()
        }
    }

    fn follow(joint: &str, multiplier: f64, offset: f64) -> Option<Mimic> {
        Some(Mimic { joint: joint.into(), multiplier, offset })
    }

    /// The message for a chain of four links that was changed.
    fn message(change: impl FnOnce(&mut Description)) -> String {
        let mut d = chain(4);
        change(&mut d);
        validate(&d).unwrap_err().to_string()
    }

    #[test]
    fn a_tree_knows_parents_and_children_in_file_order() {
        let mut d = chain(3);
        d.links.push(link("side"));
        d.joints.insert(0, revolute("to_side", "l0", "side"));
        let tree = validate(&d).unwrap();
        assert_eq!(tree.root, 0);
        assert_eq!(tree.parent_joint, [None, Some(1), Some(2), Some(0)]);
        assert_eq!(tree.children, [alloc::vec![0, 1], alloc::vec![2], alloc::vec![], alloc::vec![]]);
        assert_eq!(tree.mimic.unwrap(), [None; 3]);
        assert!(tree.warnings.is_empty());
    }

    #[test]
    fn numbers_that_cannot_be_are_named() {
        for (change, want) in [
            (
                (|d| d.joints[0].damping = -1.0) as fn(&mut Description),
                r#"joint "j1": the damping is -1; it must not be negative"#,
            ),
            (|d| d.joints[0].armature = f64::NAN, r#"joint "j1": the armature is NaN; every number must be finite"#),
            (
                |d| d.joints[0].limits.lower = f64::NAN,
                r#"joint "j1": the lower limit is NaN; give a number, or an infinite one for none"#,
            ),
            (
                |d| d.joints[0].origin.pos.y = f64::INFINITY,
                r#"joint "j1": the origin is inf; every number must be finite"#,
            ),
            (
                |d| d.joints[0].origin.rot.cols[0].x = 1.001,
                r#"joint "j1": the origin has a matrix that is not a rotation; its axes must be orthonormal and right-handed"#,
            ),
            (
                |d| d.joints[0].origin.rot.cols[0].x = -1.0,
                r#"joint "j1": the origin has a matrix that is not a rotation; its axes must be orthonormal and right-handed"#,
            ),
            (
                |d| d.joints[0].limits = Limits { lower: 2.0, upper: 1.0, ..Limits::default() },
                r#"joint "j1": the lower limit 2 is above the upper limit 1; swap them"#,
            ),
            (
                |d| d.joints[0].kind = JointKind::Planar { normal: Vec3::zero() },
                r#"joint "j1": the axis is zero; give it a direction, such as "0 0 1""#,
            ),
            (
                |d| d.joints[0].kind = JointKind::Helical { axis: Vec3::new(1.0, 0.0, 0.0), pitch: f64::NAN },
                r#"joint "j1": the pitch is NaN; every number must be finite"#,
            ),
            (
                |d| d.links[1].inertial = Some(Inertial { mass: -2.0, com: Vec3::zero(), about_com: Sym3::zero() }),
                r#"link "l1": the mass is -2; it must not be negative"#,
            ),
        ] {
            assert_eq!(message(change), want);
        }
    }

    #[test]
    fn frames_need_their_own_name_and_a_link() {
        let frame = |name: &str, link: &str| FrameDescription {
            name: name.into(),
            link: link.into(),
            placement: Transform::identity(),
        };
        assert_eq!(
            message(|d| d.frames = alloc::vec![frame("l1", "l1")]),
            r#"frame "l1" has the name of a link; rename it"#
        );
        assert_eq!(
            message(|d| d.frames = alloc::vec![frame("tool", "l1"), frame("tool", "l2")]),
            r#"frame "tool" is given twice; rename or remove one of them"#
        );
        assert_eq!(
            message(|d| d.frames = alloc::vec![frame("tool", "flange")]),
            r#"frame "tool": there is no link "flange"; there are "l0", "l1", "l2", "l3""#
        );
    }

    #[test]
    fn cycles_are_named_in_order_wherever_the_climb_starts() {
        // l0 alone; l1 → l2 → l3 → l1 below it, and l4 hanging from the cycle.
        let mut d = chain(5);
        d.joints[0] = revolute("back", "l3", "l1");
        assert_eq!(
            validate(&d).unwrap_err().to_string(),
            r#"the joints "back", "j2", "j3" form a cycle; a robot must be a tree, so remove one of them"#
        );
        assert_eq!(
            message(|d| d.joints[0].parent = "l1".into()),
            r#"joint "j1": it connects link "l1" to itself; change its parent or child"#
        );
    }

    /// j3 = 2 j2 + 1 and j2 = −3 j1 + 5, so j3 = −6 j1 + 11.
    #[test]
    fn chains_of_mimics_are_composed() {
        let mut d = chain(4);
        d.joints[1].mimic = follow("j1", -3.0, 5.0);
        d.joints[2].mimic = follow("j2", 2.0, 1.0);
        let leader = |multiplier, offset| Some(Leader { joint: 0, multiplier, offset });
        assert_eq!(validate(&d).unwrap().mimic.unwrap(), [None, leader(-3.0, 5.0), leader(-6.0, 11.0)]);
        // In the other order of the file, too.
        d.joints.reverse();
        let leader = |multiplier, offset| Some(Leader { joint: 2, multiplier, offset });
        assert_eq!(validate(&d).unwrap().mimic.unwrap(), [leader(-6.0, 11.0), leader(-3.0, 5.0), None]);
    }

    #[test]
    fn mimics_that_cannot_be_are_refused() {
        assert_eq!(
            message(|d| d.joints[1].mimic = follow("j1", f64::NAN, 0.0)),
            r#"joint "j2": the multiplier of its mimic is NaN; every number must be finite"#
        );
        assert_eq!(
            message(|d| {
                d.joints[1].mimic = follow("j1", 1e200, 0.0);
                d.joints[2].mimic = follow("j2", 1e200, 0.0);
            }),
            r#"joint "j3": the multiplier of its chain of mimics is inf; every number must be finite"#
        );
        assert_eq!(
            message(|d| {
                d.joints[1].kind = JointKind::FreeFlyer;
                d.joints[1].mimic = follow("j1", 1.0, 0.0);
            }),
            r#"joint "j2": it is free-flyer and cannot mimic; joints with one degree of freedom can: remove the mimic"#
        );
        assert_eq!(
            message(|d| d.joints[1].mimic = follow("j2", 1.0, 0.0)),
            r#"joint "j2": it mimics itself; name another joint, or remove the mimic"#
        );
        // j1 only leads into the ring.
        assert_eq!(
            message(|d| {
                d.joints[0].mimic = follow("j2", 1.0, 0.0);
                d.joints[1].mimic = follow("j3", 1.0, 0.0);
                d.joints[2].mimic = follow("j2", 1.0, 0.0);
            }),
            r#"joint "j2": the joints "j2", "j3" mimic each other in a ring; one of them must move by itself"#
        );
    }

    /// Programs that free every joint read such files, so the tree is there and only honouring the mimics is an error.
    #[test]
    fn mimics_that_cannot_be_followed_can_still_be_freed() {
        let mut d = chain(4);
        d.joints[0].mimic = follow("elbow", 1.0, 0.0);
        d.joints[1].kind = JointKind::Spherical;
        d.joints[2].mimic = follow("j2", 1.0, 0.0);
        let tree = validate(&d).unwrap();
        let unknown = r#"joint "j1": it mimics "elbow", but there is no such joint; there are "j1", "j2", "j3""#;
        assert_eq!(tree.mimic.unwrap_err().to_string(), unknown);
        assert_eq!(tree.warnings, [format!("mimic joints cannot be honoured, only freed: {unknown} (and 1 more)")]);
        d.joints[0].mimic = None;
        assert_eq!(
            validate(&d).unwrap().mimic.unwrap_err().to_string(),
            r#"joint "j3": it mimics "j2", which is spherical; joints with one degree of freedom can be followed"#
        );
        d.joints[2].kind = JointKind::Fixed;
        let tree = validate(&d).unwrap();
        assert_eq!(tree.mimic.unwrap(), [None; 3]);
        assert_eq!(tree.warnings, [r#"fixed joints do not move, so their <mimic> is ignored: "j3""#]);
    }

    /// With quadratic time or recursion this would take minutes or overflow the stack of a test's thread (2 MiB).
    #[test]
    fn a_hundred_thousand_links_are_checked_in_linear_time_and_constant_stack() {
        let n = 100_000;
        let mut d = chain(n);
        for i in 1..n - 1 {
            d.joints[i - 1].mimic = follow(&format!("j{}", i + 1), 1.0, 0.5);
        }
        let tree = validate(&d).unwrap();
        assert_eq!(
            tree.mimic.unwrap()[0],
            Some(Leader { joint: n - 2, multiplier: 1.0, offset: 0.5 * (n - 2) as f64 })
        );
        d.joints[n - 2].mimic = follow("j1", 1.0, 0.0);
        assert!(validate(&d).is_err());
        let mut d = chain(n);
        d.joints.push(revolute("back", &format!("l{}", n - 1), "l0"));
        assert!(
            validate(&d)
                .unwrap_err()
                .to_string()
                .starts_with(r#"the joints "j1", "j2", "j3", "j4" and 99996 more form"#)
        );
    }

    /// A matrix with known eigenvalues: R diag(1, 2, 4) Rᵀ; Jacobi reaches rounding.
    #[test]
    fn principal_moments_are_the_eigenvalues() {
        let R = crate::spatial::Quaternion::exp(Vec3::new(0.3, -1.1, 0.7)).to_matrix();
        for scale in [1.0, 1e-200, 1e200] {
            let got = principal_moments(&Sym3::diagonal(4.0 * scale, scale, 2.0 * scale).rotate(&R));
            for (got, want) in got.into_iter().zip([1.0, 2.0, 4.0]) {
                assert!((got / scale - want).abs() < 1e-14, "{got} {want}");
            }
        }
        assert_eq!(principal_moments(&Sym3::zero()), [0.0; 3]);
    }

    #[test]
    fn odd_inertias_are_one_warning_and_said_once() {
        let with = |xx, yy, zz| Some(Inertial { mass: 1.0, com: Vec3::zero(), about_com: Sym3::diagonal(xx, yy, zz) });
        let mut d = chain(4);
        d.links[0].inertial = with(1.0, 2.0, 3.0000001); // a thin plate, rounded
        assert!(validate(&d).unwrap().warnings.is_empty());
        d.links[1].inertial = with(1.0, 2.0, 4.0);
        d.links[2].inertial = with(1.0, -0.00001, 1.0);
        let tree = validate(&d).unwrap();
        assert_eq!(
            tree.warnings,
            [concat!(
                "no rigid body has the inertias of some links; principal moments in kg m²: ",
                r#""l1" (1, 2, 4: one exceeds the sum of the others), "l2" (-1e-5, 1, 1: one is negative)"#
            )]
        );
        d.warnings = tree.warnings;
        assert!(validate(&d).unwrap().warnings.is_empty());
    }
}
