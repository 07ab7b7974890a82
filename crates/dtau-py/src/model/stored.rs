//! Stores a model as bytes, with a mark, a format number and a checksum.
//!
//! ```text
//! "dtau"  form (1 byte)  CRC-32 of the rest and the form (4 bytes, least first)  description and options, as postcard writes them
//! ```
//!
//! A CRC-32 (IEEE 802.3) detects every change within up to 32 neighbouring bits. It is implemented here,
//! because one function does not justify a crate.

use dtau::model::{Description, Options};

const MARK: &[u8; 4] = b"dtau";
/// Format number. Increase it when the format changes.
const FORM: u8 = 4;
/// Length of the mark, the format number and the checksum.
const HEAD: usize = 9;

pub(super) fn write(description: &Description, options: &Options) -> Vec<u8> {
    let content = postcard::to_allocvec(&(description, options)).expect("plain data encodes");
    let sum = crc32(&[&[FORM], &content]).to_le_bytes();
    [&MARK[..], &[FORM], &sum, &content].concat()
}

pub(super) fn read(bytes: &[u8]) -> Result<(Description, Options), String> {
    let Some((head, content)) = bytes.split_at_checked(HEAD) else {
        return Err(match bytes.first() {
            None => "it is empty".into(),
            Some(_) => format!("it ends after {} bytes", bytes.len()),
        });
    };
    let (mark, form, sum) = (&head[..4], head[4], &head[5..]);
    if mark != MARK {
        return Err("it does not begin as one, or is of dtau 0.1; make the model again from its URDF".into());
    }
    if form != FORM && crc32(&[&[form], content]).to_le_bytes() == sum {
        return Err(format!("it has form {form}, of another version of dtau; this one reads form {FORM}"));
    }
    if form != FORM || crc32(&[&[FORM], content]).to_le_bytes() != sum {
        return Err("it is damaged: its checksum is another".into());
    }
    postcard::from_bytes(content).map_err(|error| format!("it cannot be read: {error}"))
}

/// Processes four bits at a time.
fn crc32(parts: &[&[u8]]) -> u32 {
    const TABLE: [u32; 16] = table();
    let mut crc = !0_u32;
    for &byte in parts.iter().copied().flatten() {
        crc ^= u32::from(byte);
        crc = crc >> 4 ^ TABLE[(crc & 15) as usize];
        crc = crc >> 4 ^ TABLE[(crc & 15) as usize];
    }
    !crc
}

const fn table() -> [u32; 16] {
    let mut table = [0; 16];
    let mut k = 0;
    while k < 16 {
        let (mut x, mut bit) = (k as u32, 0);
        while bit < 4 {
            x = if x & 1 == 1 { x >> 1 ^ 0xedb8_8320 } else { x >> 1 };
            bit += 1;
        }
        table[k] = x;
        k += 1;
    }
    table
}
