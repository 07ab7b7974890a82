//! Files as text.

use crate::error::{Error, ErrorKind};
use std::format;
use std::io::Read;
use std::path::Path;
use std::string::String;
use std::vec::Vec;

/// Reads a text file in UTF-8.
pub(crate) fn text_of(path: &Path) -> Result<String, Error> {
    bytes_of(path).and_then(super::utf8)
}

/// Reads a file, but at most slightly more than the accepted size: an endless file must not fill the memory.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(super::MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|e| Error::new(ErrorKind::Io, format!("cannot be read: {e}")))?;
    Ok(bytes)
}
