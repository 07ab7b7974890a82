"""Loads robots by name: bundled robots, and those of installed packages."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._dtau import Model, bundled_names
from ._errors import UnknownNameError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._dtau import _Options

__all__ = ["load"]


def load(robot: str | PathLike[str], **options: Unpack[_Options]) -> Model:
    """Loads a robot by name or path: ``dtau.load("panda")``, ``dtau.load("robot.urdf", root="floating")``.

    A name is searched in this order:

    - The bundled robots: :func:`dtau.bundled_names`.
    - example-robot-data, if it is installed (``pip install example-robot-data``). The name is that of a URDF file or
      of its folder: ``"talos_reduced"``, ``"go2"``.
    - robot_descriptions, if it is installed (``pip install robot_descriptions``). The name is ``"panda"``, or in full
      ``"panda_description"`` for the URDF and ``"panda_mj_description"`` for the MJCF. The package downloads a robot
      when it is first used.

    A string with a folder or an extension, such as ``"./panda"`` or ``"panda.urdf"``, is a path. It is read by
    :meth:`Model.from_file`.

    Parameters
    ----------
    robot : str or os.PathLike
        A name or a path.
    **options
        The options of :meth:`Model.from_file`, such as ``root="floating"``.

    Raises
    ------
    KeyError
        If there is no robot of that name. The message has the nearest names, and the places that were searched.

    Examples
    --------
    >>> import dtau
    >>> dtau.load("quadruped", root="floating").nv
    18
    """
    if not isinstance(robot, (str, PathLike)):
        raise TypeError(f"`robot` is of type {type(robot).__name__}; it must be the name of a robot or the path of a file")
    path = Path(robot)
    if not isinstance(robot, str) or path.suffix or fspath(path) != robot or len(path.parts) != 1:
        return Model.from_file(robot, **options)
    if robot in bundled_names():
        return Model.bundled(robot, **options)
    if found := _of_example_robot_data(robot):
        return Model.from_file(found, **options)
    if found := _of_robot_descriptions(robot):
        return Model.from_file(found, **options)
    if path.exists():
        return Model.from_file(path, **options)
    raise UnknownNameError(_unknown(robot))


# example-robot-data is a folder of files. Its Python module, which has the path, is not always installed.


def _example_robot_data() -> Path | None:
    """Returns the folder ``robots`` of example-robot-data, if it is installed."""
    places = [Path(place, "cmeel.prefix") for place in sys.path] + [Path(sys.prefix)]
    folders = [place / "share" / "example-robot-data" / "robots" for place in places]
    if importlib.util.find_spec("example_robot_data") is not None:
        module = importlib.import_module("example_robot_data.path")
        folders.insert(0, Path(module.EXAMPLE_ROBOT_DATA_MODEL_DIR))
    return next((folder for folder in folders if folder.is_dir()), None)


def _example_files() -> list[Path]:
    folder = _example_robot_data()
    return sorted(folder.glob("*/*/*.urdf")) if folder else []


def _of_example_robot_data(name: str) -> Path | None:
    files = _example_files()
    found = [file for file in files if file.stem in (name, f"{name}_robot")]
    if not found:
        found = [file for file in files if name in (file.parts[-3], _folder_name(file))]
        found = [file for file in found if name.startswith(file.stem)] or found
    if len(found) > 1:
        names = sorted({file.stem for file in found})
        names = names if len(names) == len(found) else sorted(map(_folder_name, found))
        shown = ", ".join(map(_quoted, names))
        raise UnknownNameError(f'there are several robots "{name}" in example-robot-data; give one of the names {shown}, or a path')
    return found[0] if found else None


def _folder_name(file: Path) -> str:
    return re.sub("(_simple)?_(description|data)$", "", file.parts[-3])


# robot_descriptions has one module for each robot. Importing it downloads the robot.


def _modules_of_robot_descriptions() -> Iterator[str]:
    spec = importlib.util.find_spec("robot_descriptions")
    for folder in (spec and spec.submodule_search_locations) or []:
        for file in sorted(Path(folder).glob("*_description.py")):
            if not file.stem.startswith("_"):
                yield file.stem


def _of_robot_descriptions(name: str) -> Path | None:
    known = set(_modules_of_robot_descriptions())
    wanted = [each for each in (name, f"{name}_description", f"{name}_mj_description") if each in known]
    if not wanted:
        return None
    try:
        module: Any = importlib.import_module(f"robot_descriptions.{wanted[0]}")
    except Exception as error:  # of git or of the network
        raise OSError(f"robot_descriptions could not download {wanted[0]}: {error}") from error
    for path in ("URDF_PATH", "MJCF_PATH"):
        if hasattr(module, path):
            return Path(getattr(module, path))
    # A xacro file, with arguments and packages of its own.
    return Path(importlib.import_module("robot_descriptions._xacro").get_urdf_path(module))


def _unknown(name: str) -> str:
    files, modules = _example_files(), list(_modules_of_robot_descriptions())
    known = {*bundled_names(), *(file.stem for file in files)}
    known |= {module.removesuffix("_description").removesuffix("_mj") for module in modules}
    near = difflib.get_close_matches(name, sorted(known), 3)
    did_you_mean = f"did you mean {' or '.join(map(_quoted, near))}? " if near else ""
    places = [f"the bundled robots ({', '.join(bundled_names())})"]
    for package, has in (("example-robot-data", files), ("robot_descriptions", modules)):
        places.append(package if has else f"{package} (not installed; pip install {package})")
    return f'there is no robot "{name}"; {did_you_mean}dtau searched {", ".join(places)}, and files of that name'


def _quoted(name: str) -> str:
    return f'"{name}"'


def urdf_of_xacro(path: PathLike[str]) -> str:
    """Returns the URDF that a xacro file expands to."""
    try:
        xacrodoc: Any = importlib.import_module("xacrodoc")
    except ModuleNotFoundError as error:
        if error.name != "xacrodoc":
            raise
        message = f"{fspath(path)}: xacro files need the package xacrodoc, which is not installed; pip install xacrodoc"
        raise ModuleNotFoundError(message, name="xacrodoc") from None
    try:
        return str(xacrodoc.XacroDoc.from_file(fspath(path)).to_urdf_string())
    except Exception as error:
        raise ValueError(f"{fspath(path)}: xacrodoc cannot expand it: {error}") from error
