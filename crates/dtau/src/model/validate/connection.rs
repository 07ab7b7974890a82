//! The tree: every link except the root has one parent joint.

use super::names::unknown_link;
use super::{broken, joint_error, on_line};
use crate::error::{Error, Faults};
use crate::model::description::Description;
use crate::model::names::list;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// The joint above each link, and the joints below it.
type Adjacency = (Vec<Option<usize>>, Vec<Vec<usize>>);

/// Computes the joint above and the joints below each link. Returns nothing if a joint has a fault.
pub(super) fn connect(robot: &Description, links: &BTreeMap<&str, usize>, faults: &mut Faults) -> Option<Adjacency> {
    let mut is_sound = true;
    let mut parent_joint: Vec<Option<usize>> = vec![None; robot.links.len()];
    let mut children = vec![Vec::new(); robot.links.len()];
    for (i, joint) in robot.joints.iter().enumerate() {
        let link = |role: &str, name: &str| {
            let unknown = || joint_error(joint, format!("its {role} is unknown: {}", unknown_link(robot, name)));
            links.get(name).copied().ok_or_else(unknown)
        };
        let ends = [link("parent", &joint.parent), link("child", &joint.child)].map(|end| faults.keep(end));
        let [Some(parent), Some(child)] = ends else {
            is_sound = false;
            continue;
        };
        if let Some(other) = parent_joint[child].replace(i) {
            let other = &robot.joints[other];
            is_sound = false;
            faults.keep::<()>(Err(joint_error(
                joint,
                format!(
                    "link {:?} already is the child of joint {:?}{}; a link hangs from one joint only, so cut the loop there",
                    joint.child,
                    other.name,
                    on_line(other.line)
                ),
            )));
        }
        children[parent].push(i);
    }
    is_sound.then_some((parent_joint, children))
}

/// Finds the root: the one link without a joint above it, from which every other link is reached.
pub(super) fn find_root(
    robot: &Description,
    links: &BTreeMap<&str, usize>,
    parent_joint: &[Option<usize>],
    children: &[Vec<usize>],
) -> Result<usize, Error> {
    let roots: Vec<usize> = (0..robot.links.len()).filter(|&l| parent_joint[l].is_none()).collect();
    let mut reached = vec![false; robot.links.len()];
    let mut stack = roots.clone();
    while let Some(link) = stack.pop() {
        reached[link] = true;
        stack.extend(children[link].iter().map(|&j| links[robot.joints[j].child.as_str()]));
    }
    // Every link has one parent at most, so a link that no root reaches is on or below a cycle.
    if let Some(start) = reached.iter().position(|r| !r) {
        return Err(cycle_error(robot, &cycle_above(robot, links, parent_joint, start)));
    }
    match roots[..] {
        [root] => Ok(root),
        _ => {
            let names = list(roots.iter().map(|&r| robot.links[r].name.as_str()));
            let line = robot.links[roots[1]].line;
            Err(broken(
                format!("{} links are root links: {names}; connect them by joints into one tree", roots.len()),
                line,
            ))
        }
    }
}

/// The joints of the cycle above a link, from parent to child, starting with the first of the file.
fn cycle_above(
    robot: &Description,
    links: &BTreeMap<&str, usize>,
    parent_joint: &[Option<usize>],
    start: usize,
) -> Vec<usize> {
    let mut met = vec![false; robot.links.len()];
    let (mut link, mut climb) = (start, Vec::new());
    while let Some(j) = parent_joint[link].filter(|_| !met[link]) {
        met[link] = true;
        climb.push(j);
        link = links[robot.joints[j].parent.as_str()];
    }
    // `link` was visited twice: the cycle begins with the joint above it.
    let begin = climb.iter().position(|&j| Some(j) == parent_joint[link]).unwrap_or(0);
    let mut cycle = climb.split_off(begin);
    cycle.reverse();
    let first = (0..cycle.len()).min_by_key(|&k| cycle[k]).unwrap_or(0);
    cycle.rotate_left(first);
    cycle
}

fn cycle_error(robot: &Description, cycle: &[usize]) -> Error {
    let first = &robot.joints[cycle[0]];
    if cycle.len() == 1 {
        return joint_error(
            first,
            format!("it connects link {:?} to itself; change its parent or child", first.parent),
        );
    }
    let names = list(cycle.iter().map(|&j| robot.joints[j].name.as_str()));
    broken(format!("the joints {names} form a cycle; a robot must be a tree, so remove one of them"), first.line)
}

#[cfg(test)]
mod tests {
    use super::super::example::{chain, link, message, revolute};
    use super::super::validate;
    use alloc::string::ToString;

    #[test]
    fn a_tree_knows_parents_and_children_in_file_order() {
        let mut robot = chain(3);
        robot.links.push(link("side"));
        robot.joints.insert(0, revolute("to_side", "l0", "side"));
        let tree = validate(&robot).unwrap();
        assert_eq!(tree.root, 0);
        assert_eq!(tree.parent_joint, [None, Some(1), Some(2), Some(0)]);
        assert_eq!(tree.children, [alloc::vec![0, 1], alloc::vec![2], alloc::vec![], alloc::vec![]]);
        assert_eq!(tree.mimic.unwrap(), [None; 3]);
        assert!(tree.warnings.is_empty());
    }

    #[test]
    fn cycles_are_named_in_order_wherever_the_climb_starts() {
        // l0 alone; l1 → l2 → l3 → l1 below it, and l4 hanging from the cycle.
        let mut robot = chain(5);
        robot.joints[0] = revolute("back", "l3", "l1");
        assert_eq!(
            validate(&robot).unwrap_err().to_string(),
            r#"the joints "back", "j2", "j3" form a cycle; a robot must be a tree, so remove one of them"#
        );
        assert_eq!(
            message(|robot| robot.joints[0].parent = "l1".into()),
            r#"joint "j1": it connects link "l1" to itself; change its parent or child"#
        );
    }
}
