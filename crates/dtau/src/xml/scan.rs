//! A check of the text before the XML parser: refuses what no robot needs and what would be too slow to parse.
//!
//! The parser compares every attribute of an element, and every namespace in scope, with every other, so a
//! small file could keep it busy for minutes. Up to the first XML error, this scan sees the same tags as the
//! parser, which reports the error.

use super::line_at;
use crate::error::{Error, ErrorKind};
use alloc::format;
use alloc::vec::Vec;

/// Deepest nesting of elements; URDF needs about eight.
const DEEPEST: usize = 256;
/// Most attributes of one element; URDF needs six.
const MOST_ATTRIBUTES: usize = 64;
/// Most namespaces declared by an element and those around it; URDF needs none, Gazebo a dozen.
const MOST_NAMESPACES: usize = 32;

/// An element that is not closed yet.
struct Open {
    offset: usize,
    /// Number of namespaces declared by it and the elements around it.
    namespaces: usize,
}

/// Checks the limits, and that there is no DTD. Returns the start of the innermost element that is never
/// closed, if any.
pub(super) fn scan(text: &str) -> Result<Option<usize>, Error> {
    let bytes = text.as_bytes();
    let refuse = |message: alloc::string::String, offset: usize| {
        Err(Error::new(ErrorKind::Syntax, message).at_line(line_at(text, offset)))
    };
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(start) = find(bytes, at, b"<") {
        let rest = &bytes[start..];
        // These extend to their closing mark; if that is missing, the error is at their beginning.
        let swallowing = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let swallowing = swallowing.into_iter().find(|(opening, _)| rest.starts_with(opening.as_bytes()));
        let end = if let Some((opening, closing)) = swallowing {
            let end = find(bytes, start + opening.len(), closing.as_bytes());
            if end.is_none() {
                return refuse(format!("not XML: {opening} is never closed; add {closing}"), start);
            }
            end
        } else if rest.starts_with(b"<!DOCTYPE") {
            return refuse(
                "the file has a DTD (<!DOCTYPE ...>), which can hide entities that expand without end; remove it"
                    .into(),
                start,
            );
        } else if rest.starts_with(b"</") {
            open.pop();
            find(bytes, start, b">")
        } else {
            let tag = read_tag(bytes, start);
            let namespaces = tag.namespaces + open.last().map_or(0, |o| o.namespaces);
            if tag.attributes > MOST_ATTRIBUTES {
                return refuse(
                    format!("an element has {} attributes; at most {MOST_ATTRIBUTES} are read", tag.attributes),
                    start,
                );
            }
            if namespaces > MOST_NAMESPACES {
                return refuse(
                    format!("more than {MOST_NAMESPACES} namespaces (xmlns:...) are declared around each other"),
                    start,
                );
            }
            if tag.end.is_none() || !tag.closes_itself {
                open.push(Open { offset: start, namespaces });
            }
            if open.len() > DEEPEST {
                return refuse(format!("elements are nested more than {DEEPEST} deep; no robot needs that"), start);
            }
            tag.end
        };
        let Some(end) = end else { break }; // the parser reports the error
        at = end + 1;
    }
    Ok(open.last().map(|o| o.offset))
}

/// The tag of the element that begins at an offset.
pub(super) fn tag_name(text: &str, start: usize) -> &str {
    let name = text.get(start + 1..).unwrap_or("");
    name.split(|c: char| c.is_whitespace() || c == '>' || c == '/' || c == '<').next().unwrap_or("")
}

struct Tag {
    attributes: usize,
    namespaces: usize,
    closes_itself: bool,
    /// Offset of its `>`.
    end: Option<usize>,
}

fn read_tag(bytes: &[u8], start: usize) -> Tag {
    let mut tag = Tag { attributes: 0, namespaces: 0, closes_itself: false, end: None };
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'>' => {
                tag.closes_itself = bytes[at - 1] == b'/';
                tag.end = Some(at);
                break;
            }
            quote @ (b'"' | b'\'') => {
                tag.attributes += 1;
                match find(bytes, at + 1, &[quote]) {
                    Some(close) => at = close,
                    None => break,
                }
            }
            b'x' if bytes[at..].starts_with(b"xmlns") => tag.namespaces += 1,
            _ => {}
        }
        at += 1;
    }
    tag
}

fn find(bytes: &[u8], from: usize, pattern: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|b| *b == pattern[0])?;
        if bytes[at..].starts_with(pattern) {
            return Some(at);
        }
        at += 1;
    }
}
