"""Turns the sign of one term at a time, and looks whether the tests fail: a test that cannot fail proves nothing.

    python3 tools/planted/plant.py constraints             plants all terms of `constraints.py`; minutes, most of it one build
    python3 tools/planted/plant.py tensors --list          says what would be planted

A list of terms has the name of a file, a line of it (what it contains, once in the file), and the term.

In a copy of the repository under the target directory every term is wrapped in a function that returns it, or minus it where an environment
variable names the term. One build, and a run of the tests for each term; the exit code is 1 if one is not caught.
"""

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = Path("crates/dtau/src")
PROGRAM = "this_cpu"
LONGEST = 600  # limit of a test [s]

FLIP = '''//! For planted errors: see `tools/planted`.

extern crate std;

/// Minus `x` if the environment asks for this term.
#[inline(never)]
pub(crate) fn flip<X: core::ops::Neg<Output = X>>(term: usize, x: X) -> X {
    static PLANTED: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    let planted = PLANTED.get_or_init(|| std::env::var("DTAU_PLANTED").ok().and_then(|term| term.parse().ok()));
    if *planted == Some(term) { -x } else { x }
}
'''


def plant(copy, terms):
    """Wraps every term in the copy."""
    texts = {}
    for number, (name, line, term) in enumerate(terms):
        path = copy / SOURCES / name
        lines = texts.setdefault(path, path.read_text().splitlines())
        found = [k for k, text in enumerate(lines) if line.strip() in unwrapped(text)]
        if len(found) != 1 or term not in unwrapped(lines[found[0]]):
            sys.exit(f"{name}: {len(found)} lines have {line.strip()!r}, with the term {term!r}; bring the list up to date")
        text, k = lines[found[0]], found[0]
        # The term is located by the text before it in the listed line.
        start = text.index(term)
        lines[k] = f"{text[:start]}crate::planted::flip({number}, {term}){text[start + len(term):]}"
    for path, lines in texts.items():
        path.write_text("\n".join(lines) + "\n")
    (copy / "crates/dtau/src/planted.rs").write_text(FLIP)
    library = copy / "crates/dtau/src/lib.rs"
    library.write_text(library.read_text().replace("\nmod constraints;", "\nmod constraints;\nmod planted;", 1))


def unwrapped(text):
    """Returns a line without the planted code."""
    while (start := text.find("crate::planted::flip(")) >= 0:
        comma = text.index(", ", start)
        depth, end = 0, comma + 2
        while depth or text[end] != ")":
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:start] + text[comma + 2 : end] + text[end + 1 :]
    return text


def build(copy, target):
    """Builds the test program."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0", "RUSTFLAGS": "-C no-prepopulate-passes"}
    command = ["cargo", "test", "-p", "dtau", "--all-features", "--no-run", "--message-format", "json", "--test", PROGRAM]
    done = subprocess.run(command, cwd=copy, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=3600)
    messages = map(json.loads, done.stdout.splitlines())
    return next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == PROGRAM)


def caught(copy, program, tests, term):
    """Returns the first test that fails with this term planted."""
    environment = os.environ | {"RUST_MIN_STACK": "67108864", "RUST_BACKTRACE": "0"}
    environment |= {"DTAU_PLANTED": str(term)} if term is not None else {}
    for test in tests:
        command = [program, "--exact", test]
        try:
            done = subprocess.run(command, cwd=copy / "crates/dtau", env=environment, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return f"{test} (no end)"
        if "1 passed" not in done.stdout and "1 failed" not in done.stdout:
            sys.exit(f"{test} was not run:\n{done.stdout}{done.stderr}")
        if done.returncode:
            return test
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("terms", choices=["constraints", "tensors"], help="which list")
    parser.add_argument("--list", action="store_true", help="say what would be planted")
    parser.add_argument("--target", type=Path, default=REPOSITORY / "target/planted", help="where to copy and build")
    arguments = parser.parse_args()
    of = importlib.import_module(arguments.terms)
    tests, terms = of.TESTS, of.TERMS
    if arguments.list:
        for number, (name, line, term) in enumerate(terms):
            print(f"{number:3} {name}: `{term}` in `{line.strip()}`")
        return 0
    copy = arguments.target / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True, timeout=60)
    for name in filter(None, tracked.stdout.split("\0")):
        if (REPOSITORY / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / name, copy / name)
    plant(copy, terms)
    program = build(copy, arguments.target / "build")
    if test := caught(copy, program, tests, None):
        sys.exit(f"with nothing planted {test} fails")
    missed, begun = 0, time.monotonic()
    for number, (name, line, term) in enumerate(terms):
        test = caught(copy, program, tests, number)
        missed += test is None
        print(f"{number:3} {name}: `{term}` in `{line.strip()}`: {'NOT CAUGHT' if test is None else test}", flush=True)
    print(f"{len(terms)} planted, {len(terms) - missed} caught, in {time.monotonic() - begun:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
