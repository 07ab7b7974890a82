//! Shared code of the readers of URDF and MJCF: files, XML with lines, numbers, and messages about them.

#[cfg(feature = "std")]
mod file;
mod scan;

#[cfg(all(feature = "std", feature = "mjcf"))]
pub(crate) use file::bytes_of;
#[cfg(feature = "std")]
pub(crate) use file::text_of;

use crate::error::{Error, ErrorKind};
use crate::room;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use roxmltree::{Document, ParsingOptions};

/// Most bytes of a file. Robots without meshes take a few thousand bytes per link.
pub(crate) const MOST_BYTES: usize = 256 << 20;
/// Most elements, texts and comments of a file.
const MOST_NODES: u32 = 20_000_000;
/// Memory for an element or attribute, with the data read from it \[bytes\]. The largest measured is 220,
/// including the built model.
const PIECE: usize = 240;

/// Parses XML. Parser errors get their line, and advice if there is some.
///
/// `root` is the expected root element, for messages.
pub(crate) fn parse<'a>(text: &'a str, root: &str) -> Result<Document<'a>, Error> {
    let syntax = |message: String, line: u32| Error::new(ErrorKind::Syntax, message).at_line(line);
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(syntax(format!("the file is empty; it should hold a <{root}>"), 0));
    }
    if text.len() > MOST_BYTES {
        return Err(syntax(format!("the file has {} bytes; at most {MOST_BYTES} are read", text.len()), 0));
    }
    let pieces = text.bytes().filter(|b| matches!(b, b'<' | b'=')).count();
    room::ask(PIECE * pieces, || format!("a file of {} bytes", text.len()))?;
    let unclosed = scan::scan(text)?;
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        use roxmltree::Error as Xml;
        let at = error.pos();
        match (&error, unclosed) {
            (Xml::UnclosedRootNode | Xml::UnexpectedEndOfStream, Some(open)) => {
                let name = scan::tag_name(text, open);
                syntax(format!("not XML: <{name}> is never closed; add </{name}>"), line_at(text, open))
            }
            (Xml::UnknownNamespace(prefix, _), _) => syntax(
                format!(
                    "the prefix {prefix:?} is not declared; add xmlns:{prefix}=\"...\" to <{root}>, or remove the prefix"
                ),
                at.row,
            ),
            (Xml::NodesLimitReached, _) => syntax(format!("the file has more than {MOST_NODES} elements and texts"), 0),
            (Xml::NoRootNode, _) => {
                syntax(format!("not XML: there is no element; the file should hold a <{root}>"), at.row)
            }
            _ => syntax(format!("not XML: {}", error.to_string().replace(&format!(" at {at}"), "")), at.row),
        }
    })
}

/// The line of a byte, counted from 1. Takes linear time: for one error, or for [`Lines`].
pub(crate) fn line_at(text: &str, offset: usize) -> u32 {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count() as u32
}

/// Offsets of the lines of a text. Asking the parser for each line would scan the text from its start each
/// time.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect())
    }

    /// The line of a byte, counted from 1.
    pub(crate) fn at(&self, offset: usize) -> u32 {
        1 + self.0.partition_point(|&newline| newline < offset) as u32
    }
}

/// Converts bytes to text.
#[cfg(any(feature = "std", feature = "mjcf"))]
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, Error> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::new(ErrorKind::Syntax, "the file is in UTF-16; save it as UTF-8"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let end = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..end].iter().filter(|&&b| b == b'\n').count() as u32;
        Error::new(ErrorKind::Syntax, "the text is not UTF-8; save the file as UTF-8").at_line(line)
    })
}

/// The tag of the first element of a text, without a prefix; empty if there is none.
pub(crate) fn root_of(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        let Some(start) = rest.find('<') else { return "" };
        rest = &rest[start..];
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!") => ">",
            _ => return scan::tag_name(rest, 0).rsplit(':').next().unwrap_or(""),
        };
        let Some(end) = rest.find(end) else { return "" };
        rest = &rest[end + 1..];
    }
}

pub(crate) const XACRO: &str = "is an expression of xacro; expand the file first: xacro robot.urdf.xacro > robot.urdf";

pub(crate) fn is_xacro_expression(text: &str) -> bool {
    text.contains("${") || text.contains("$(")
}

/// Reads a number. The error continues its quotation: `value="heavy" in <mass> is not a number`.
pub(crate) fn read_number(word: &str) -> Result<f64, String> {
    if is_xacro_expression(word) {
        return Err(XACRO.into());
    }
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err("is not finite; write a number, or leave the attribute out where it may be".into()),
        Err(_) if word.is_empty() => Err("is empty; write a number".into()),
        Err(_) if word.contains(',') => {
            Err("is not a number; separate numbers by spaces and write decimals with a point".into())
        }
        Err(_) => Err("is not a number; write one such as 0.5 or 5e-1".into()),
    }
}

/// The beginning of a value, enough to identify it.
pub(crate) fn clip(value: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown: String = value.chars().take(SHOWN).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown
}
