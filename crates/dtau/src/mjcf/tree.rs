//! The elements of a model, with included files inserted.
//!
//! They do not borrow the texts, since a model may consist of many files.

use super::Files;
use super::notes::Note;
use crate::error::{Error, ErrorKind, Faults};
use crate::model::Ignore;
use crate::xml::{self, Lines};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::Display;

/// Deepest nesting of elements, included files counted.
const DEEPEST: usize = 256;
/// Most elements of all files together.
const MOST_ELEMENTS: usize = 10_000_000;

/// All elements; the first is `<mujoco>`.
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Paths of the included files, counted from 1; 0 is the model itself.
    files: Vec<String>,
    /// Effects that are left out.
    ignore: Vec<Ignore>,
    ignored: RefCell<BTreeMap<Ignore, Note>>,
    /// Faults so far.
    faults: RefCell<Faults>,
}

struct Node {
    tag: String,
    file: usize,
    line: u32,
    attributes: Vec<(String, String)>,
    children: Vec<usize>,
}

impl Tree {
    /// Parses a model and the files it includes.
    pub(super) fn load(text: &str, files: &mut Files, ignore: &[Ignore]) -> Result<Self, Error> {
        let (ignore, files_of_model) = (ignore.to_vec(), alloc::vec![String::new()]);
        let (ignored, faults) = Default::default();
        let mut tree = Self { nodes: Vec::new(), files: files_of_model, ignore, ignored, faults };
        let mut included = BTreeSet::new();
        tree.add(text, 0, None, 0, files, &mut included)?;
        Ok(tree)
    }

    pub(super) fn root(&self) -> Element<'_> {
        Element { tree: self, index: 0 }
    }

    /// Returns the faults, and the error that ended the reading.
    pub(super) fn faults(&self, end: Option<Error>) -> Faults {
        let mut faults = self.faults.take();
        if let Some(error) = end {
            faults.keep::<()>(Err(error));
        }
        faults
    }

    /// Warnings of what was left out.
    pub(super) fn ignored(&self) -> Vec<String> {
        let ignored = self.ignored.take().into_iter();
        let listed = ignored.filter_map(|(effect, note)| Some((effect.name(), note.list()?)));
        listed
            .map(|(effect, list)| format!("left out as asked, which changes the dynamics: {effect}: {list}"))
            .collect()
    }

    /// Adds the elements of a file: the root itself, or its contents to a parent.
    fn add(
        &mut self,
        text: &str,
        file: usize,
        into: Option<usize>,
        depth: usize,
        files: &mut Files,
        included: &mut BTreeSet<String>,
    ) -> Result<(), Error> {
        let document = xml::parse(text, "mujoco").map_err(|error| self.in_file(error, file))?;
        let lines = Lines::new(text);
        let line = |node: roxmltree::Node| lines.at(node.range().start);
        let root = document.root_element();
        // Elements still to be added, the last first: parent, depth, and the element.
        let mut waiting: Vec<(Option<usize>, usize, roxmltree::Node)> = match into {
            None => alloc::vec![(None, depth, root)],
            Some(parent) => {
                let inside = root.children().filter(|node| node.is_element()).rev();
                inside.map(|node| (Some(parent), depth, node)).collect()
            }
        };
        while let Some((parent, depth, node)) = waiting.pop() {
            let refuse = |what: String| Error::new(ErrorKind::Syntax, what).at_line(line(node));
            if depth > DEEPEST || self.nodes.len() > MOST_ELEMENTS {
                let what = format!("more than {DEEPEST} levels or {MOST_ELEMENTS} elements; no robot needs that");
                return Err(self.in_file(refuse(what), file));
            }
            if node.tag_name().name() == "include" && parent.is_some() {
                let path = node.attribute("file").unwrap_or("");
                let found = self.open(path, file, files, included);
                let (path, bytes) = found.map_err(|what| self.in_file(refuse(format!("<include>: {what}")), file))?;
                let text = xml::utf8(bytes).map_err(|error| error.in_file(path.as_str()))?;
                self.files.push(path);
                // Elements after the inclusion come after the included ones, so the included ones are added
                // now.
                let number = self.files.len() - 1;
                self.add(&text, number, parent, depth + 1, files, included)?;
                continue;
            }
            let index = self.nodes.len();
            self.nodes.push(Node {
                tag: node.tag_name().name().into(),
                file,
                line: line(node),
                attributes: node.attributes().map(|a| (a.name().into(), a.value().into())).collect(),
                children: Vec::new(),
            });
            if let Some(parent) = parent {
                self.nodes[parent].children.push(index);
            }
            let inside = node.children().filter(|child| child.is_element()).rev();
            waiting.extend(inside.map(|child| (Some(index), depth + 1, child)));
        }
        Ok(())
    }

    /// Opens an included file beside the model, or else beside the including file. Returns its path and bytes.
    fn open(
        &self,
        path: &str,
        from: usize,
        files: &mut Files,
        included: &mut BTreeSet<String>,
    ) -> Result<(String, Vec<u8>), String> {
        if path.is_empty() {
            return Err(r#"it names no file; write file="arm.xml""#.into());
        }
        if !included.insert(path.into()) {
            return Err(format!("{path:?} is included already; a file can be included once"));
        }
        let error = match files(path) {
            Ok(bytes) => return Ok((path.into(), bytes)),
            Err(error) => error,
        };
        let beside = self.files[from].rfind(['/', '\\']).map(|end| format!("{}{path}", &self.files[from][..=end]));
        match beside.and_then(|path| files(&path).ok().map(|bytes| (path, bytes))) {
            Some(found) => Ok(found),
            None => Err(format!("{path:?} {error}")),
        }
    }

    /// Adds the name of the file to an error, unless it is the model itself.
    fn in_file(&self, error: Error, file: usize) -> Error {
        if file == 0 || error.place().file.is_some() { error } else { error.in_file(&self.files[file]) }
    }
}

/// An element of a [`Tree`].
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    tree: &'a Tree,
    index: usize,
}

impl<'a> Element<'a> {
    fn node(self) -> &'a Node {
        &self.tree.nodes[self.index]
    }

    pub(super) fn tag(self) -> &'a str {
        &self.node().tag
    }

    /// Its line in the model; 0 in an included file, since links and joints store no file.
    pub(super) fn line(self) -> u32 {
        if self.node().file == 0 { self.node().line } else { 0 }
    }

    /// The included file that contains it; empty for the model itself.
    pub(super) fn file(self) -> &'a str {
        &self.tree.files[self.node().file]
    }

    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = Element<'a>> {
        self.node().children.iter().map(move |&index| Element { tree: self.tree, index })
    }

    /// The children with a tag.
    pub(super) fn all(self, tag: &'a str) -> impl Iterator<Item = Element<'a>> {
        self.children().filter(move |child| child.tag() == tag)
    }

    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        self.node().attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn attributes(self) -> impl Iterator<Item = &'a str> {
        self.node().attributes.iter().map(|(name, _)| name.as_str())
    }

    /// Its name, if given.
    pub(super) fn name(self) -> Option<&'a str> {
        self.attribute("name").filter(|name| !name.is_empty())
    }

    /// An error about it: `joint "elbow": …`.
    pub(super) fn error(self, what: impl Display) -> Error {
        let node = self.node();
        let who = match self.name() {
            Some(name) => format!("{} {name:?}", node.tag),
            None => format!("<{}>", node.tag),
        };
        let error = Error::new(ErrorKind::Description, format!("{who}: {what}")).at_line(node.line);
        self.tree.in_file(error, node.file)
    }

    /// The value of a result; an error is kept until the whole file was read.
    pub(super) fn keep<T>(self, result: Result<T, Error>) -> Option<T> {
        self.tree.faults.borrow_mut().keep(result)
    }

    /// Refuses what changes the dynamics and is not computed, unless it is to be ignored.
    pub(super) fn without(self, effect: Ignore, what: impl Display) -> Result<(), Error> {
        if self.tree.ignore.contains(&effect) {
            let mut ignored = self.tree.ignored.borrow_mut();
            ignored.entry(effect).or_default().add(self.name().unwrap_or(self.tag()), self);
            return Ok(());
        }
        let name = effect.name();
        Err(self.unsupported(format!(
            "{what}; dtau does not compute that; to go without it: --ignore {name}, in Python ignore=[{name:?}], in Rust \
             Options::ignore"
        )))
    }

    /// An error about an unsupported element that changes the dynamics.
    pub(super) fn unsupported(self, what: impl Display) -> Error {
        self.error(what).of_kind(ErrorKind::Unsupported)
    }

    /// Refuses attributes that the format does not have.
    pub(super) fn only_has(self, known: &[&str]) -> Result<(), Error> {
        match self.attributes().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let hint = crate::model::names::suggest(name, known.iter().copied());
                Err(self.error(format!("there is no attribute {name:?}; {hint}")))
            }
        }
    }
}
