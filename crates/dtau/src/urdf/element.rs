//! XML elements with their line and owner, and numbers read from their attributes.

use crate::error::{Error, ErrorKind};
use crate::spatial::{Mat3, Transform, Vec3};
use crate::xml::{Lines, XACRO, clip, is_xacro_expression, read_number};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;
use roxmltree::{Document, Node};

/// An element, with the context for error messages.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    lines: &'a Lines,
    /// The namespace of `<robot>`.
    namespace: Option<&'a str>,
    /// Subject of messages: `joint "elbow"`.
    owner: &'a str,
}

impl<'a> Element<'a> {
    pub(super) fn root(document: &'a Document<'a>, lines: &'a Lines) -> Self {
        let node = document.root_element();
        Self { node, lines, namespace: node.tag_name().namespace(), owner: "" }
    }

    /// Returns the element with another owner: messages about it and its children begin with `owner`.
    pub(super) fn owned_by<'b>(self, owner: &'b str) -> Element<'b>
    where
        'a: 'b,
    {
        Element { owner, ..self }
    }

    pub(super) fn line(self) -> u32 {
        self.lines.at(self.node.range().start)
    }

    /// The tag without a namespace prefix.
    pub(super) fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// An error on the line of this element.
    pub(super) fn error(self, what: impl Display) -> Error {
        self.error_at(self.line(), what)
    }

    fn error_at(self, line: u32, what: impl Display) -> Error {
        let message = if self.owner.is_empty() { what.to_string() } else { format!("{}: {what}", self.owner) };
        Error::new(ErrorKind::Description, message).at_line(line)
    }

    // Elements

    /// The child elements, URDF and foreign ones.
    pub(super) fn children(self) -> impl Iterator<Item = Element<'a>> {
        self.node.children().filter(Node::is_element).map(move |node| Element { node, ..self })
    }

    /// True if it has a prefix and so is not URDF: its namespace is not that of `<robot>`.
    pub(super) fn is_foreign(self) -> bool {
        self.node.tag_name().namespace() != self.namespace
    }

    /// True if it is a xacro instruction, which must be expanded before the file is URDF.
    pub(super) fn is_xacro(self) -> bool {
        self.node.tag_name().namespace().is_some_and(|uri| uri.contains("xacro"))
    }

    /// The URDF child element with this tag, if any. Two are an error.
    pub(super) fn child(self, tag: &str) -> Result<Option<Element<'a>>, Error> {
        let mut found = self.children().filter(|e| e.tag() == tag && !e.is_foreign());
        let first = found.next();
        match (first, found.next()) {
            (Some(first), Some(second)) => {
                Err(second.error(format!("<{tag}> is given twice, first on line {}; keep one", first.line())))
            }
            _ => Ok(first),
        }
    }

    /// As [`Self::child`], but required; `example` is shown in the message.
    pub(super) fn required_child(self, tag: &str, example: &str) -> Result<Element<'a>, Error> {
        self.child(tag)?.ok_or_else(|| self.error(format!("there is no <{tag}>; add one, such as {example}")))
    }

    /// The text inside, trimmed.
    pub(super) fn text(self) -> &'a str {
        self.node.text().unwrap_or("").trim()
    }

    // Attributes

    pub(super) fn attribute_names(self) -> impl Iterator<Item = &'a str> {
        self.node.attributes().map(|a| a.name())
    }

    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// A required, non-empty attribute; `example` is a value for the message.
    pub(super) fn required(self, name: &str, example: &str) -> Result<&'a str, Error> {
        match self.attribute(name) {
            Some(value) if !value.trim().is_empty() => Ok(value),
            Some(_) => Err(self.attribute_error(name, format!("is empty; write a value, such as {name}={example:?}"))),
            None => Err(self.error(format!("<{}> has no {name:?}; add it, such as {name}={example:?}", self.tag()))),
        }
    }

    /// A number, if given.
    pub(super) fn number(self, name: &str) -> Result<Option<f64>, Error> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        read_number(value.trim()).map(Some).map_err(|what| self.attribute_error(name, what))
    }

    /// A required number; `example` is a value for the message.
    pub(super) fn required_number(self, name: &str, example: &str) -> Result<f64, Error> {
        let value = self.required(name, example)?;
        read_number(value.trim()).map_err(|what| self.attribute_error(name, what))
    }

    /// The text inside as a number.
    pub(super) fn text_number(self) -> Result<f64, Error> {
        let text = self.text();
        read_number(text).map_err(|what| self.error(format!("{:?} in <{}> {what}", clip(text), self.tag())))
    }

    /// Three numbers, if given.
    pub(super) fn vector(self, name: &str) -> Result<Option<Vec3<f64>>, Error> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        read_vector(value).map(Some).map_err(|what| self.attribute_error(name, what))
    }

    /// Nine numbers as a matrix, row by row, if given.
    fn matrix(self, name: &str) -> Result<Option<Mat3<f64>>, Error> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        let numbers: Result<Vec<f64>, String> = value.split_ascii_whitespace().map(read_number).collect();
        let numbers = numbers.map_err(|what| self.attribute_error(name, what))?;
        let &[a, b, c, d, e, f, g, h, i] = &numbers[..] else {
            let what = format!("has {} numbers where nine are needed", numbers.len());
            return Err(self.attribute_error(name, what));
        };
        Ok(Some(Mat3::from_rows([[a, b, c], [d, e, f], [g, h, i]])))
    }

    /// An error `{name}="{value}" in <tag> {what}`, on the line of the attribute.
    fn attribute_error(self, name: &str, what: impl Display) -> Error {
        let attribute = self.node.attribute_node(name);
        let line = attribute.map_or(self.line(), |a| self.lines.at(a.range().start));
        let value = attribute.map_or("", |a| a.value());
        self.error_at(line, format!("{name}={:?} in <{}> {what}", clip(value), self.tag()))
    }
}

/// Reads the placement in `<origin xyz="…" rpy="…"/>` inside an element. Missing parts are zero.
///
/// ```text
/// R = Rz(yaw) Ry(pitch) Rx(roll)      rpy: roll, pitch, yaw [rad]
/// ```
pub(super) fn read_origin(parent: Element) -> Result<Transform<f64>, Error> {
    let Some(origin) = parent.child("origin")? else { return Ok(Transform::identity()) };
    let pos = origin.vector("xyz")?.unwrap_or_default();
    let rpy = origin.vector("rpy")?.unwrap_or_default();
    let rot = origin.matrix("matrix")?.unwrap_or_else(|| rotation(rpy));
    Ok(Transform::new(rot, pos))
}

pub(super) fn rotation(rpy: Vec3<f64>) -> Mat3<f64> {
    let [(sr, cr), (sp, cp), (sy, cy)] = rpy.to_array().map(libm::sincos);
    Mat3::from_rows([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])
}

fn read_vector(text: &str) -> Result<Vec3<f64>, String> {
    if is_xacro_expression(text) {
        return Err(XACRO.into());
    }
    let mut numbers = [0.0; 3];
    let mut count = 0;
    for word in text.split_ascii_whitespace() {
        if let Some(place) = numbers.get_mut(count) {
            *place = read_number(word)?;
        }
        count += 1;
    }
    match count {
        3 => Ok(numbers.into()),
        0 => Err(r#"is empty; write three numbers, such as "0 0 1""#.into()),
        1 => Err(r#"has one number where three are needed, such as "0 0 1""#.into()),
        _ => Err(format!(r#"has {count} numbers where three are needed, such as "0 0 1""#)),
    }
}
