//! The pages of the repository: links are valid, and a test runs every kind of code block.
//!
//! rustdoc runs Rust (`src/doctests.rs`). `crates/dtau-py/tests/test_docs.py` runs Python.
//! `crates/dtau-cli/tests/docs.rs` runs lines of shell that call `dtau`.

use std::fs;
use std::path::{Path, PathBuf};

/// Kinds of code blocks. All are run except `text`, which is not code. `py` (PyTorch) and Ray blocks are run
/// if these are installed.
const KINDS: [&str; 6] = ["rust", "python", "py", "python ray", "sh", "text"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns every page with its text, by its path from the root.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    for folder in ["", "docs", "parity", "crates/dtau-py"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                let path = Path::new(folder).join(name);
                let text = fs::read_to_string(root().join(&path)).unwrap();
                pages.push((path, text));
            }
        }
    }
    assert!(pages.len() > 20, "the pages were not found");
    pages
}

/// Returns the kinds of the blocks of a page.
fn blocks(text: &str) -> Vec<&str> {
    let fences = text.lines().filter_map(|line| line.trim_start().strip_prefix("```"));
    fences.step_by(2).collect()
}

#[test]
fn every_block_says_what_it_is() {
    for (path, text) in pages() {
        for kind in blocks(&text) {
            assert!(KINDS.contains(&kind), "{}: a block of kind \"{kind}\"; take one of {KINDS:?}", path.display());
        }
    }
}

#[test]
fn pages_with_rust_run_under_rustdoc() {
    let list = fs::read_to_string(root().join("crates/dtau/src/doctests.rs")).unwrap();
    for (path, text) in pages() {
        let is_listed = list.contains(&format!("\"{}\"", path.display()));
        assert_eq!(blocks(&text).contains(&"rust"), is_listed, "{} in src/doctests.rs", path.display());
    }
}

#[test]
fn links_lead_somewhere() {
    for (path, text) in pages() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let link = link.trim();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let target = root().join(target);
            assert!(target.exists(), "{}: no file {file}", path.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(target).unwrap();
                let found = text.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
                assert!(found, "{}: no heading #{heading} in {file}", path.display());
            }
        }
    }
}

/// Returns the anchor of a heading in links.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
