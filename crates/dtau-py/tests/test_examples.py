"""The examples run, do what they say (each asserts it), and save their picture."""

import sys

import pytest
from conftest import PACKAGE, run

EXAMPLES = sorted(p for p in (PACKAGE / "examples").glob("*.py") if p.stem != "common")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_runs_and_saves_its_picture(example, tmp_path):
    run([sys.executable, str(example), "--short", "--out", str(tmp_path)])
    picture = tmp_path / f"{example.stem}.png"
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
