"""Build backend: maturin, plus steps that it does not do by itself.

- On Linux the wheel is tagged for the oldest glibc that it supports (manylinux). By default, maturin under
pip would tag it for this machine only. `build-args` and MATURIN_PEP517_ARGS take precedence.
- The wheel contains the type stubs of the compiled part. `crates/dtau-py/stubs/write.py` imports that part,
so this Python must be able to import it.
- Build progress is shown on the terminal. pip captures other output, and shows it with `-v` or after an error.
"""

import base64
import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

import maturin
from maturin import *  # noqa: F403: the other hooks of PEP 517

WRITE_STUBS = Path(__file__).parents[2] / "crates/dtau-py/stubs/write.py"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = dict(config_settings or {})
    if not {"build-args", "maturin.build-args"} & settings.keys() and not os.environ.get("MATURIN_PEP517_ARGS"):
        settings["build-args"] = "--compatibility"  # without a value: the lowest that is possible
    with progress_on_terminal():
        name = maturin.build_wheel(wheel_directory, settings, metadata_directory)
    add_stubs(Path(wheel_directory, name))
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with progress_on_terminal():
        name = maturin.build_editable(wheel_directory, config_settings, metadata_directory)
    with tempfile.TemporaryDirectory() as metadata, zipfile.ZipFile(Path(wheel_directory, name)) as archive:
        archive.extractall(metadata)
        write_stubs(WRITE_STUBS.parents[1] / "python", metadata)
    return name


def write_stubs(directory, metadata):
    """Writes the type stubs into `directory`/dtau. `metadata` has the package's version."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(metadata), os.environ.get("PYTHONPATH", "")])}
    if subprocess.run([sys.executable, WRITE_STUBS, directory], env=environment).returncode:
        sys.exit("The types of dtau were not written: this Python cannot import what was built. Build on a machine that the wheel is for.")


def add_stubs(wheel):
    """Adds the type stubs to a wheel and its record. Replaces any that an editable install left in the sources."""
    with tempfile.TemporaryDirectory() as directory, zipfile.ZipFile(wheel, "a") as archive:
        archive.extractall(directory)
        write_stubs(directory, directory)
        (record,) = (info for info in archive.infolist() if info.filename.endswith(".dist-info/RECORD"))
        lines = re.sub(r"(?m)^dtau/\w+\.pyi,.*\n", "", archive.read(record).decode())
        for info in [info for info in archive.infolist() if info is record or re.fullmatch(r"dtau/\w+\.pyi", info.filename)]:
            archive.filelist.remove(info)
            del archive.NameToInfo[info.filename]
        for stub in sorted(Path(directory, "dtau").glob("*.pyi")):
            content = stub.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            lines += f"dtau/{stub.name},sha256={digest},{len(content)}\n"
            put(archive, f"dtau/{stub.name}", content, record)
        put(archive, record.filename, lines, record)


def put(archive, name, content, like):
    """Adds a file to a wheel without a date, like maturin, so that equal sources give equal wheels."""
    info = zipfile.ZipInfo(name)
    info.external_attr = like.external_attr
    archive.writestr(info, content, zipfile.ZIP_DEFLATED)


@contextlib.contextmanager
def progress_on_terminal():
    """Shows cargo's progress line on the terminal, if there is one and this program is in its foreground. All
    other output goes to standard error."""
    try:
        terminal = open("/dev/tty", "wb", buffering=0)
        if os.tcgetpgrp(terminal.fileno()) != os.getpgrp() or os.isatty(2):
            raise OSError("cargo shows it by itself, or this program is in the background")
    except (OSError, AttributeError):
        yield
        return
    columns = shutil.get_terminal_size().columns
    os.environ.update(CARGO_TERM_PROGRESS_WHEN="always", CARGO_TERM_PROGRESS_WIDTH=str(columns))
    stderr, (read, write) = os.dup(2), os.pipe()

    def forward():
        with open(read, "rb", buffering=0) as pipe:
            rest, begin = b"", b"\n"  # below pip's output
            while chunk := pipe.read(4096):
                *lines, rest = re.split(rb"(?<=[\r\n])", rest + chunk)
                for line in lines:
                    if re.match(rb"\s*(\x1b\[\S*)*\s*Building ", line):
                        terminal.write(begin + b"\r" + line.rstrip())
                        begin = b""
                    else:
                        os.write(stderr, line)
            os.write(stderr, rest)

    os.dup2(write, 2)
    os.close(write)
    thread = threading.Thread(target=forward)
    thread.start()
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        thread.join()
        terminal.write(b"\r\x1b[K")
        terminal.close()
        os.close(stderr)
