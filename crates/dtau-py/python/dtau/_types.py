"""Literal types of arguments."""

from typing import Literal, TypeAlias

Root: TypeAlias = Literal["fixed", "floating", "planar", "spherical", "translation"]
Order: TypeAlias = Literal["file", "alphabetical"]
MimicMode: TypeAlias = Literal["honour", "free"]
Reference: TypeAlias = Literal["local", "world", "local_world_aligned"]
FdWay: TypeAlias = Literal["dense", "aza", "ltdl", "response"]
Axes: TypeAlias = Literal["frame", "world"]
RowAxes: TypeAlias = Literal["first", "second", "world"]
Direction: TypeAlias = Literal["x", "y", "z", "about x", "about y", "about z"]
JointKind: TypeAlias = Literal[
    "fixed",
    "revolute",
    "continuous",
    "prismatic",
    "helical",
    "spherical",
    "planar",
    "translation",
    "free-flyer",
]
