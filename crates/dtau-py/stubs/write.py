"""Writes the type stubs of an unpacked wheel, which must have been built for this Python.

    python crates/dtau-py/stubs/write.py DIRECTORY

Writes `DIRECTORY/dtau/_dtau.pyi`: the hand-written types next to this script, and the functions of arrays
from their signatures. And `_results.pyi`: the classes of their results.
"""

import inspect
import re
import sys
from pathlib import Path

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

RESULTS = '''"""Types of results."""

from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Scalar: TypeAlias = float | Array
'''


def function(f, is_method=False):
    """Returns the stub of a function of arrays. As a method it belongs to compiled code, which has a model."""
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
    if is_method:
        parameters[0] = "self"
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"def {f.__name__}(\n{lines}) -> {result}: ...\n"


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def names(all_names):
    return "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(all_names)) + "]\n"


def compiled_part(module):
    functions = [getattr(module, name) for name in module.__all__]
    listed = [f for f in functions if inspect.isbuiltin(f) and "threads" in inspect.signature(f).parameters]
    text = (Path(__file__).parent / "_dtau.pyi").read_text()
    for kind in (module.Model, module.Compiled):
        methods = (indented(function(f, is_method=True)) for f in listed if f.__name__ in vars(kind))
        text = text.replace(f"    # Functions of arrays as methods of {kind.__name__}.\n", "".join(methods))
    return text + "\n" + "".join(map(function, listed)) + names(module.__all__)


def results(module):
    """Returns the stubs of the result classes: fields and properties, with their documentation."""
    text = RESULTS
    types = {kind: name for name, kind in module._TYPES.items()}
    for kind in (getattr(module, name) for name in sorted(module.__all__)):
        text += f'\nclass {kind.__name__}(NamedTuple):\n    """{kind.__doc__}"""\n'
        for field in kind._fields:
            text += f'    {field}: {types[kind.__annotations__[field]]}\n'
            text += f'    """{getattr(kind, field).__doc__}"""\n'
        for name, member in vars(kind).items():
            if isinstance(member, property):
                text += f'    @property\n    def {name}(self) -> Array:\n        """{member.__doc__}"""\n'
    return text + names(module.__all__)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    from dtau import _dtau, _results

    package = Path(sys.argv[1], "dtau")
    (package / "_dtau.pyi").write_text(compiled_part(_dtau))
    (package / "_results.pyi").write_text(results(_results))
