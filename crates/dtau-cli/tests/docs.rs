//! The lines of the documentation that call `dtau`: their arguments are right, and every block runs alone, as copied.

mod common;
use common::{DEADLINE, directory, dtau};
use dtau_fixtures::command::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Adds the pages of a folder and of the folders in it.
fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// Every block of shell that calls `dtau`, with the page it stands on.
fn blocks() -> Vec<(String, String)> {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    add_pages(&root().join("docs"), &mut pages);
    pages.sort();
    let mut blocks = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.file_name().unwrap().to_str().unwrap();
        for block in text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            if block.lines().any(|line| line.starts_with("dtau ")) {
                blocks.push((name.to_string(), block.to_string()));
            }
        }
    }
    blocks
}

/// clap reads all that stands before `--help`.
#[test]
fn arguments_in_the_documentation_are_right() {
    let mut count = 0;
    for (page, block) in blocks() {
        for line in block.lines().filter(|line| line.starts_with("dtau ")) {
            let words = line.split(['#', '>', '|']).next().unwrap().split_whitespace();
            let run = dtau(&words.skip(1).chain(["--help"]).collect::<Vec<_>>());
            assert_eq!(run.code, Some(0), "{page}: {line}\n{}", run.err);
            count += 1;
        }
    }
    assert!(count >= 15, "the lines were not found");
    assert_ne!(dtau(&["check", "arm6", "--no-such-thing", "--help"]).code, Some(0), "--help hides mistakes");
    assert_ne!(dtau(&["verify", "arm6", "--states", "many", "--help"]).code, Some(0), "--help hides mistakes");
}

/// A block runs in an empty directory, so lines above in the same block write the files that it needs.
/// `check`, `verify` and `bench` take long without optimisation. The test above tries their arguments.
#[test]
fn a_block_runs_alone() {
    let quick = "dtau() { case $1 in info | eval | state | generate) \"$DTAU\" \"$@\" ;; esac; }\n";
    let mut count = 0;
    for (page, block) in blocks() {
        let calls_others =
            block.lines().any(|line| ["cargo ", "pip ", "./", "bench/", "$("].iter().any(|p| line.starts_with(p)));
        if calls_others {
            continue;
        }
        let place = directory(&format!("docs_{count}"));
        fs::create_dir(place.path()).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", &format!("{quick}{block}")]).env("DTAU", env!("CARGO_BIN_EXE_dtau"));
        let done = run(shell.current_dir(place.path()).stdout(Stdio::piped()).stderr(Stdio::piped()), b"", DEADLINE);
        assert_eq!(done.code, Some(0), "{page}:\n{block}\n{}", done.err);
        count += 1;
    }
    assert!(count >= 4, "the blocks were not found");
}

/// The page of functions has every function by its name, which is that of Rust, of Python and of `dtau eval`, and no other.
#[test]
fn the_page_of_functions_is_the_list() {
    let text = fs::read_to_string(root().join("docs/functions.md")).unwrap();
    let cells = text.lines().filter(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    let shared = cells.map(|cell| cell.split("*Rust:*").next().unwrap().split("*beside the list:*").next().unwrap());
    let names: Vec<&str> = shared.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let list: Vec<&str> = dtau::functions().iter().map(|function| function.name).collect();
    let missing: Vec<_> = list.iter().filter(|name| !names.contains(name)).collect();
    let unknown: Vec<_> = names.iter().filter(|name| !list.contains(name)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not on the page: {missing:?}; not in the list: {unknown:?}");
}
