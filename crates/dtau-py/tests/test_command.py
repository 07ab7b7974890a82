"""The wheel contains the command, the same program as the one that cargo builds."""

import json
import re
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import dtau
import pytest

# The command takes a second. The limit leaves room for a loaded machine.
DEADLINE = 120
MODULE = [sys.executable, "-m", "dtau"]


def run(command, *args):
    return subprocess.run([*command, *args], capture_output=True, text=True, timeout=DEADLINE, encoding="utf-8")


def test_the_script_is_installed_beside_python():
    script = Path(sysconfig.get_path("scripts")) / "dtau"
    for command in (MODULE, [str(script)]):
        result = run(command, "--version")
        assert (result.returncode, result.stdout.strip()) == (0, f"dtau {dtau.__version__}"), result.stderr


def test_results_are_those_of_the_functions():
    result = run(MODULE, "info", "quadruped", "--root", "floating", "--format", "json")
    assert json.loads(result.stdout)["nv"] == dtau.Model.bundled("quadruped", root="floating").nv


def test_everything_is_in_it(tmp_path):
    page = tmp_path / "page.html"
    result = run(MODULE, "verify", "double_pendulum", "--states", "1", "--html", str(page))
    assert result.returncode == 0, result.stderr
    assert "everything agrees" in result.stdout
    # The footer shows the command as one would type it.
    assert re.search(r"<code>dtau verify double_pendulum --states 1", page.read_text(encoding="utf-8"))


def test_check_reports_on_the_robot(tmp_path):
    page = tmp_path / "page.html"
    result = run(MODULE, "check", "arm7_gripper", "--json", "--html", str(page))
    assert result.returncode == 0, result.stderr
    assert [finding["severity"] for finding in json.loads(result.stdout)["findings"]] == ["warning"]
    assert "Damping and friction are stiff" in page.read_text(encoding="utf-8")


def test_mistakes_have_their_exit_code():
    result = run(MODULE, "info", "no_such_robot")
    assert result.returncode == 2
    assert "no_such_robot" in result.stderr and "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_ends_it():
    command = [*MODULE, "bench"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stderr.readline(), "it has begun"
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            assert child.wait(timeout=DEADLINE) == -signal.SIGINT
        finally:
            child.kill()
