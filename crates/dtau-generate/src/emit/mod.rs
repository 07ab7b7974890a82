//! A program in a language.

pub mod c;
pub mod casadi;
mod looped;
pub mod rust;
mod stores;

/// A name as languages take it: letters, digits, underscores.
pub fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'r');
    }
    out
}
