//! Readable JSON: one line per key of an object, one line per row of a matrix.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Writes a value and a line end. Numbers have the fewest digits that read back as the same number.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Rows::default()))?;
    writeln!(out)
}

#[derive(Default)]
struct Rows {
    open: Vec<Open>,
}

/// A list or an object that is being written.
struct Open {
    is_list: bool,
    /// True if an item inside is on a line of its own.
    broken: bool,
}

impl Rows {
    /// A list or object inside a list starts on its own line.
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, is_list: bool) -> io::Result<()> {
        let indent = self.open.len();
        if let Some(outer) = self.open.last_mut().filter(|outer| outer.is_list) {
            outer.broken = true;
            new_line(out, indent)?;
        }
        self.open.push(Open { is_list, broken: false });
        out.write_all(if is_list { b"[" } else { b"{" })
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        if open.broken {
            new_line(out, self.open.len())?;
        }
        out.write_all(if open.is_list { b"]" } else { b"}" })
    }
}

impl Formatter for Rows {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, true)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b",") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, false)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if let Some(object) = self.open.last_mut() {
            object.broken = true;
        }
        new_line(out, self.open.len())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

fn new_line<W: ?Sized + Write>(out: &mut W, indent: usize) -> io::Result<()> {
    out.write_all(b"\n")?;
    (0..indent).try_for_each(|_| out.write_all(b"  "))
}
