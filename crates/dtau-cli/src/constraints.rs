//! Constraint files: a small TOML or JSON file beside a URDF, which describes the constraints.

use crate::failure::Failure;
use dtau::model::Model;
use dtau::{Constraints, ConstraintsDescription};
use std::path::Path;

/// Parses a file; it is TOML unless its name ends in `.json`.
///
/// # Errors
/// Errors of the text, with file and line.
pub fn parse(path: &Path, text: &str) -> Result<ConstraintsDescription, String> {
    let file = path.display();
    if path.extension().is_some_and(|extension| extension == "json") {
        return serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = error.to_string();
            let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
            format!("{file}:{line}:{column}: {message}")
        });
    }
    toml::from_str(text).map_err(|error| {
        let message = error.message().trim_end().replace('\n', "; ");
        match error.span() {
            None => format!("{file}: {message}"),
            Some(span) => {
                let before = &text[..span.start.min(text.len())];
                let line = 1 + before.matches('\n').count();
                let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
                format!("{file}:{line}:{column}: {message}")
            }
        }
    })
}

/// The constraints of a file, on a model.
pub(crate) fn read(path: &Path, model: &Model) -> Result<Constraints, Failure> {
    let file = path.display();
    if path.is_dir() {
        return Err(Failure::input(format!("{file}: is a directory; give a TOML or JSON file")));
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::input(format!("{file}: cannot be read: {error}")))?;
    let description = parse(path, &text).map_err(Failure::Input)?;
    if description.constraint.is_empty() {
        let message =
            format!("{file}: it has no constraint; give it some, such as [[constraint]] with point = \"foot\"");
        return Err(Failure::Input(message));
    }
    Constraints::describe(model, &description).map_err(|error| Failure::Input(format!("{file}: {error}")))
}
