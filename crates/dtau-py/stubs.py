"""Writes the types of the functions of arrays into python/dtau/_dtau.pyi, from their signatures.

    python crates/dtau-py/stubs.py           writes them
    python crates/dtau-py/stubs.py --check   fails if they are not what would be written
"""

import inspect
import re
import sys
from pathlib import Path

import dtau
from dtau import _dtau

STUBS = Path(__file__).parent / "python" / "dtau" / "_dtau.pyi"
MARK = "# The functions of the library's list, written by stubs.py.\n"
TYPES = {
    "model": "Model",
    "constraints": "Constraints",
    "active": "ArrayLike | None",
    "desired": "ArrayLike | None",
    "frame": "_Frame | Sequence[_Frame]",
    "reference": "Reference",
    "way": "FdWay | None",
    "f_ext": "Iterable[Wrench] | None",
    "gravity": "ArrayLike | None",
    "damping": "bool",
    "friction": "bool",
    "armature": "bool",
    "threads": "int",
    "workspace": "Workspace | None",
}


def is_listed(name: str) -> bool:
    """Whether it is a function of arrays."""
    f = getattr(_dtau, name)
    return inspect.isbuiltin(f) and "threads" in inspect.signature(f).parameters


def stub(name: str) -> str:
    f = getattr(_dtau, name)
    match = re.search(r"Returns\n-------\ndtau\.(\w+)", f.__doc__)
    result = match[1] if match else "Array"
    parameters, star = [], False
    for p in inspect.signature(f).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            parameters, star = [*parameters, "*"], True
        optional = p.default is not p.empty
        kind = f"{result} | None" if p.name == "out" else TYPES.get(p.name, "ArrayLike | None" if optional else "ArrayLike")
        default = repr(p.default).replace("'", '"')
        parameters.append(f"{p.name}: {kind}" + (f" = {default}" if optional else ""))
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"def {name}(\n{lines}) -> {result}: ...\n"


COMPILED = """
@final
class Compiled:
    @property
    def model(self) -> Model: ...
    def covers(self, name: str, **parameters: Any) -> bool: ...
    def __copy__(self) -> Compiled: ...
    def __deepcopy__(self, _memo: Any) -> Compiled: ...
"""


def method(name: str) -> str:
    """The same as a method of compiled code, which has a model."""
    text = stub(name).replace("    model: Model,\n", "    self,\n", 1)
    return "".join(f"    {line}\n" for line in text.splitlines())


def written() -> str:
    by_hand, mark, _ = STUBS.read_text().partition(MARK)
    assert mark, f"{STUBS} has no line {MARK!r}"
    listed = [name for name in _dtau.__all__ if is_listed(name)]
    everything = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(_dtau.__all__)) + "]\n"
    functions, methods = ("".join(write(name) for name in listed) for write in (stub, method))
    return by_hand + MARK + functions + COMPILED + methods + "\n" + everything


if __name__ == "__main__":
    text = written()
    if "--check" not in sys.argv:
        STUBS.write_text(text)
    elif STUBS.read_text() != text:
        sys.exit(f"{STUBS.name} is not what the functions of dtau {dtau.__version__} are; run crates/dtau-py/stubs.py")
