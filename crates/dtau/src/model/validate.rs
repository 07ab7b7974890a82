//! Placeholder until the reader's checks arrive.
use super::description::Description;
use crate::error::Error;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The shape of a valid description.
pub(crate) struct Tree {
    pub(crate) root: usize,
    pub(crate) parent_joint: Vec<Option<usize>>,
    pub(crate) children: Vec<Vec<usize>>,
    pub(crate) child: Vec<usize>,
    pub(crate) frame_link: Vec<usize>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn validate(d: &Description) -> Result<Tree, Error> {
    let by_name: BTreeMap<&str, usize> = d.links.iter().enumerate().map(|(i, l)| (l.name.as_str(), i)).collect();
    let mut parent_joint = vec![None; d.links.len()];
    let mut children = vec![Vec::new(); d.links.len()];
    for (j, joint) in d.joints.iter().enumerate() {
        parent_joint[by_name[joint.child.as_str()]] = Some(j);
        children[by_name[joint.parent.as_str()]].push(j);
    }
    let root = parent_joint.iter().position(|p| p.is_none()).unwrap();
    let child = d.joints.iter().map(|j| by_name[j.child.as_str()]).collect();
    let frame_link = d.frames.iter().map(|f| by_name[f.link.as_str()]).collect();
    Ok(Tree { root, child, frame_link, parent_joint, children, warnings: Vec::new() })
}
