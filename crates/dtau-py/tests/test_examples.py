"""The examples run, do what they say (each asserts it), and save their picture."""

import subprocess
import sys

import pytest
from conftest import PACKAGE

EXAMPLES = sorted(p for p in (PACKAGE / "examples").glob("*.py") if p.stem != "common")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_runs_and_saves_its_picture(example, tmp_path):
    command = [sys.executable, str(example), "--short", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    picture = tmp_path / f"{example.stem}.png"
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
