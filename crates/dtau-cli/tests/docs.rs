//! The lines of the documentation that call `dtau`: their arguments are right, and what is quick runs as written.

mod common;
use common::{command, dtau};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Every `dtau …` in a block of shell, with the page it stands on.
fn lines() -> Vec<(String, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    let mut lines = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(page).unwrap();
        let name = page.file_name().unwrap().to_str().unwrap();
        for block in text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            for line in block.lines().filter_map(|line| line.strip_prefix("dtau ")) {
                let words = line.split('#').next().unwrap().split_whitespace().map(String::from);
                lines.push((format!("{name}: dtau {line}"), words.collect()));
            }
        }
    }
    lines
}

/// clap reads all that stands before `--help`.
#[test]
fn arguments_in_the_documentation_are_right() {
    let lines = lines();
    assert!(lines.len() >= 15, "the lines were not found");
    for (place, words) in lines {
        let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
        args.push("--help");
        let run = dtau(&args);
        assert_eq!(run.code, Some(0), "{place}\n{}", run.err);
    }
    assert_ne!(dtau(&["check", "arm6", "--no-such-thing", "--help"]).code, Some(0), "--help hides mistakes");
    assert_ne!(dtau(&["verify", "arm6", "--states", "many", "--help"]).code, Some(0), "--help hides mistakes");
}

#[test]
fn what_is_quick_runs_as_written() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("docs_{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let six = [0.1; 6];
    let state = json!({"q": six, "v": six, "a": six, "tau": six});
    fs::write(directory.join("state.json"), state.to_string()).unwrap();
    let held = "[[constraint]]\npoint = \"tool0\"\nposition = [0.4, 0.1, 0.5]\n";
    fs::write(directory.join("held.toml"), held).unwrap();
    let mut count = 0;
    for (place, words) in lines() {
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        if matches!(args[..], ["info" | "eval", ..]) {
            let done = command(&args).current_dir(&directory).output().unwrap();
            assert!(done.status.success(), "{place}\n{}", String::from_utf8_lossy(&done.stderr));
            count += 1;
        }
    }
    assert!(count >= 2, "the lines were not found");
    fs::remove_dir_all(directory).unwrap();
}

/// The README's table has every function by its name, which is that of Rust, of Python and of `dtau eval`, and no other.
#[test]
fn the_table_of_functions_is_the_list() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let table = text.split("| function | result |").nth(1).expect("the table").split("\n\n").next().unwrap();
    let cells = table.lines().filter_map(|line| line.split('|').nth(1));
    let shared = cells.map(|cell| cell.split("*Rust:*").next().unwrap().split("*beside the list:*").next().unwrap());
    let names: Vec<&str> = shared.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let list: Vec<&str> = dtau::functions().iter().map(|function| function.name).collect();
    let missing: Vec<_> = list.iter().filter(|name| !names.contains(name)).collect();
    let unknown: Vec<_> = names.iter().filter(|name| !list.contains(name)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not in the table: {missing:?}; not in the list: {unknown:?}");
}
