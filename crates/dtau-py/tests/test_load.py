"""Loading robots by name, from files, and from installed packages."""

import importlib.machinery
import sys
import types
from pathlib import Path

import dtau
import pytest

XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="${1 + 1}"/>
<link name="base"/><link name="tip"><inertial><mass value="${m}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture
def arm_file(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(dtau.bundled_urdf("arm6"))
    return path


def test_a_bundled_name_and_a_path(arm_file, monkeypatch):
    arm = dtau.Model.bundled("arm6")
    assert dtau.load("arm6") == arm and dtau.load("quadruped", root="floating").nv == 18
    monkeypatch.chdir(arm_file.parent)
    for path in (arm_file, str(arm_file), "arm.urdf", Path("arm.urdf")):
        assert dtau.load(path) == dtau.Model.from_file(path) == arm
    assert dtau.Model.from_file(arm_file, root="floating", gravity=(0, 0, 0)).nv == 12
    arm_file.rename("arm6")
    assert dtau.load("./arm6") == arm


def test_the_robots_of_example_robot_data():
    panda, ur5 = dtau.load("panda"), dtau.load("ur5")
    assert (panda.name, ur5.nv) == ("panda", 6)
    assert dtau.load("talos_reduced", root="floating").nv == 38
    assert dtau.load("anymal_c") != dtau.load("anymal_b")
    with pytest.raises(dtau.UnknownNameError, match=r'several robots "anymal" .*"anymal_b", "anymal_c", or a path'):
        dtau.load("anymal")


def test_the_folder_that_the_loaders_of_example_robot_data_name(arm_file, monkeypatch):
    """`example_robot_data.path` has the folder. Other installations have only the files."""
    folder = arm_file.parent / "robots" / "my_description" / "urdf"
    folder.mkdir(parents=True)
    arm_file.rename(folder / "my_arm.urdf")
    package, path = types.ModuleType("example_robot_data"), types.ModuleType("example_robot_data.path")
    package.__spec__ = importlib.machinery.ModuleSpec("example_robot_data", None)
    path.EXAMPLE_ROBOT_DATA_MODEL_DIR = str(arm_file.parent / "robots")
    monkeypatch.setitem(sys.modules, "example_robot_data", package)
    monkeypatch.setitem(sys.modules, "example_robot_data.path", path)
    assert dtau.load("my_arm") == dtau.load("my") == dtau.Model.bundled("arm6")


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """Makes a package robot_descriptions for the modules that a test writes."""
    folder = tmp_path / "site" / "robot_descriptions"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(folder.parent)
    for name in [name for name in sys.modules if name.split(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "robot_descriptions"]:
        del sys.modules[name]


def test_the_robots_of_robot_descriptions(arm_file, descriptions):
    (descriptions / "my_arm_description.py").write_text(f"URDF_PATH = {str(arm_file)!r}")
    (descriptions / "pole_mj_description.py").write_text(f"MJCF_PATH = {str(arm_file)!r}")
    (descriptions / "made_description.py").write_text("XACRO_PATH = 'made.xacro'")
    (descriptions / "_xacro.py").write_text(f"def get_urdf_path(module): return {str(arm_file)!r}")
    (descriptions / "broken_description.py").write_text("raise RuntimeError('Could not resolve host: github.com')")
    arm = dtau.Model.bundled("arm6")
    for name in ("my_arm", "my_arm_description", "pole", "pole_mj_description", "made"):
        assert dtau.load(name) == arm, name
    with pytest.raises(OSError, match="robot_descriptions could not download broken_description: Could not resolve host"):
        dtau.load("broken")
    with pytest.raises(dtau.UnknownNameError, match='no robot "my_arn"; did you mean "my_arm"'):
        dtau.load("my_arn")


def test_an_unknown_name_says_where_it_was_looked_for(monkeypatch):
    monkeypatch.setattr(dtau._load, "_modules_of_robot_descriptions", lambda: iter(()))
    monkeypatch.setattr(dtau._load, "_example_robot_data", lambda: None)
    with pytest.raises(KeyError) as caught:
        dtau.load("humanoide")
    message = str(caught.value)
    assert message.startswith('there is no robot "humanoide"; did you mean "humanoid"?')
    assert "example-robot-data (not installed; pip install example-robot-data)" in message
    assert "robot_descriptions (not installed; pip install robot_descriptions)" in message


def test_a_xacro_file(tmp_path):
    pytest.importorskip("xacrodoc")
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    for read in (dtau.load, dtau.Model.from_file, dtau.Model.from_urdf):
        assert read(path).mass == 2 and read(path, root="floating").nv == 7
    path.write_text(XACRO.replace("${m}", "${n}"))
    with pytest.raises(ValueError, match=r"arm\.urdf\.xacro: xacrodoc cannot expand it: .*'n' is not defined"):
        dtau.load(path)


def test_a_xacro_file_without_xacrodoc(tmp_path, monkeypatch):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(ModuleNotFoundError, match=r"arm\.urdf\.xacro: .*the package xacrodoc, which is not installed; pip install xacrodoc"):
        dtau.Model.from_file(path)


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda: dtau.Model("x.urdf"), TypeError, r"dtau\.Model cannot be called; .*dtau\.Model\.from_urdf\(path\)"),
        (lambda: dtau.Model(), TypeError, r"dtau\.Model\.from_urdf\(path\)"),
        (lambda: dtau.Model.from_urdf("humanoid"), FileNotFoundError, r'no such file; .*dtau\.Model\.bundled\("humanoid"\)'),
        (lambda: dtau.Model.from_urdf("panda"), FileNotFoundError, r'no such file; dtau\.load\("panda"\) finds'),
        (lambda: dtau.Model.from_file("a.urdf"), FileNotFoundError, r"^a\.urdf: there is no such file$"),
        (lambda: dtau.Model.from_file(3), TypeError, r"`path` is an int; it must be the path of a file"),
        (lambda: dtau.load(3), TypeError, r"`robot` is of type int; it must be the name of a robot or"),
        (lambda: dtau.Model.from_urdf("/"), IsADirectoryError, r"/: is a directory; give the robot's file in it"),
        (lambda: dtau.load("humanoid", floating_base=True), TypeError, r"'floating_base'; write root=\"floating\""),
        (lambda: dtau.load("humanoid", root=True), TypeError, r'`root` is a bool; .*one of "fixed", "floating"'),
    ],
)
def test_what_is_close_is_named(use, error, message):
    with pytest.raises(error, match=message):
        use()
