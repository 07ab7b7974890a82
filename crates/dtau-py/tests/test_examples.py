"""The examples run, assert what they claim, and save their picture or page."""

import sys

import pytest
from conftest import PACKAGE, run

LEFT_OUT = ("common", "page", "ray_pipeline", "torch_policy")  # test_ray.py and test_torch.py run the last two
EXAMPLES = sorted(p for p in (PACKAGE / "examples").glob("*.py") if p.stem not in LEFT_OUT)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_runs_and_saves_its_picture(example, tmp_path):
    run([sys.executable, str(example), "--short", "--out", str(tmp_path)])
    (saved,) = tmp_path.iterdir()
    assert saved.stem == example.stem and saved.stat().st_size > 10_000
    content = saved.read_bytes()
    if saved.suffix == ".png":
        assert content.startswith(b"\x89PNG")
    else:
        page = content.decode()
        assert page.startswith("<!doctype html>") and page.count("<svg") >= 4
        assert "http" not in page and "nan" not in page and "NaN" not in page
