"""maturin, which builds the wheel; but on Linux the wheel is tagged for the oldest glibc that it runs on (manylinux), where maturin
as pip calls it would tag it for this machine's alone. `build-args` and MATURIN_PEP517_ARGS are obeyed as ever."""

import os

import maturin
from maturin import *  # noqa: F403: the other hooks of PEP 517


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = dict(config_settings or {})
    if "build-args" not in settings and not os.environ.get("MATURIN_PEP517_ARGS"):
        settings["build-args"] = "--compatibility"  # without a value: the lowest that fits
    return maturin.build_wheel(wheel_directory, settings, metadata_directory)
