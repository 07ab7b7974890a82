"""Computes a library function from columns to columns: the part of `dtau.ray` without clusters."""

# Arrow is optional and has no types.
# mypy: disable-error-code="import-not-found, import-untyped, unused-ignore, no-any-return"

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from . import _arrow, _dtau
from ._errors import UnknownNameError
from ._results import Array
from ._types import Axes

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: function
    for name in _dtau.__all__
    if inspect.isbuiltin(function := getattr(_dtau, name)) and "threads" in inspect.signature(function).parameters
}
"""Functions that can be a stage: those of the library's list."""

# Arguments that are not arrays of states.
PARAMETERS = frozenset(
    "model constraints frame reference way active desired f_ext gravity damping friction armature threads workspace out".split()
)
# Parameters that may differ between states, so that a column can contain them.
OF_STATES = ("active", "desired")

# Exception for states that fail individually: NaN, quaternions, overflow, singular mass matrix (a subclass).
STATE_ERRORS = ValueError

Columns: TypeAlias = tuple[str, ...]
OnError: TypeAlias = Literal["raise", "nan"]


@dataclass(frozen=True)
class Wrench:
    """An external force that differs between states. Like :class:`dtau.Wrench`, but a force or torque given as a
    string is the name of a column with three numbers."""

    frame: Any
    force: Any = None
    torque: Any = None
    axes: Axes = "frame"
    point: Any = None
    point_in: Axes = "frame"

    def parts(self) -> dict[str, Any]:
        return {"force": self.force, "torque": self.torque}

    def of(self, numbers: Mapping[str, Array]) -> _dtau.Wrench:
        """Returns the wrench with the numbers of its columns."""
        parts = self.parts() | dict(numbers)
        return _dtau.Wrench(self.frame, **parts, axes=self.axes, point=self.point, point_in=self.point_in)


class Output(NamedTuple):
    """Column that a stage produces."""

    column: str
    shape: tuple[int, ...]
    """Shape for one state."""
    dtype: np.dtype[Any]


class Plan(NamedTuple):
    """Actions of a stage on tables of a schema."""

    read: tuple[str, ...]
    """Columns that are read, including those that are only kept."""
    outputs: tuple[Output, ...]
    bytes_in: int
    """Bytes per state, as far as known."""
    bytes_out: int


class Stage:
    """A library function on batches of states, from columns to columns.

    >>> import dtau, dtau.ray, pyarrow as pa                        # doctest: +SKIP
    >>> stage = dtau.ray.Stage(dtau.Model.bundled("arm6"), "aba")   # doctest: +SKIP
    >>> stage(pa.table({"q": ..., "v": ..., "tau": ...}))           # doctest: +SKIP

    Use this class in ``map_batches`` of Ray Data with ``batch_format="pyarrow"``: each actor has its own
    model and workspace. See :func:`dtau.ray.map_batches`.
    """

    def __init__(
        self,
        model: _dtau.Model | _dtau.Compiled,
        function: str,
        *,
        outputs: Mapping[str, str] | Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
        on_error: OnError = "raise",
        **arguments: Any,
    ) -> None:
        if not isinstance(model, (_dtau.Model, _dtau.Compiled)):
            raise TypeError(f"`model` is a {type(model).__name__}; it must be a dtau.Model, or a dtau.Compiled")
        if function not in FUNCTIONS:
            raise UnknownNameError(f'there is no function "{function}"{_nearest(function, FUNCTIONS)}; dtau.ray.FUNCTIONS has all')
        if on_error not in ("raise", "nan"):
            raise ValueError(f'`on_error` is {on_error!r}; it must be "raise" or "nan"')
        self.model, self.function, self.on_error = model, function, on_error
        self.keep = None if keep is None else _names("keep", keep)
        self.outputs = outputs if outputs is None or isinstance(outputs, Mapping) else _names("outputs", outputs)
        self._workspace: _dtau.Workspace | None = None
        self._sort(arguments)

    def _sort(self, arguments: dict[str, Any]) -> None:
        """Separates arguments from columns and arguments common to all states."""
        known = inspect.signature(FUNCTIONS[self.function]).parameters
        for name in arguments:
            if name in ("workspace", "out", "model"):
                raise TypeError(f"`{name}` cannot be given: every worker has its own")
            if name not in known:
                raise TypeError(f"{self.function}() has no argument '{name}'{_nearest(name, known)}; it has {', '.join(known)}")
        self.columns: dict[str, Columns] = {}
        self.optional: list[str] = []  # read if the data have them
        self.fixed: dict[str, Any] = {}
        for name, parameter in known.items():
            is_array = name not in PARAMETERS
            value: Any = arguments.get(name)
            if is_array and name not in arguments:
                self.columns[name] = (name,)
                if parameter.default is not inspect.Parameter.empty:
                    self.optional.append(name)
            elif name not in arguments or (value is None and parameter.default is None):
                continue
            elif (is_array or name in OF_STATES) and (columns := _columns(value)):
                self.columns[name] = columns
            elif name == "f_ext":
                self.fixed[name] = [self._wrench(k, wrench) for k, wrench in enumerate(value)]
            else:
                most = 2 if name == "desired" else 1
                if (is_array or name in OF_STATES) and np.ndim(value) > most:
                    shape = np.shape(value)
                    raise ValueError(
                        f"`{name}` has shape {shape}; it must be one array for all states, or the name of a column that has one for each"
                    )
                self.fixed[name] = value
        if not self.columns:
            raise ValueError(f"no argument of {self.function} comes from a column; call dtau.{self.function} itself")

    def _wrench(self, place: int, wrench: Any) -> Any:
        if isinstance(wrench, Wrench):
            for part, value in wrench.parts().items():
                if columns := _columns(value):
                    self.columns[f"f_ext[{place}].{part}"] = columns
        elif isinstance(wrench, _dtau.Wrench):
            if np.ndim(wrench.force) > 1 or np.ndim(wrench.torque) > 1:
                raise ValueError(f"`f_ext[{place}]` differs from state to state; dtau.ray.Wrench takes the names of columns for that")
        else:
            raise TypeError(f"`f_ext[{place}]` is a {type(wrench).__name__}; it must be a dtau.Wrench or a dtau.ray.Wrench")
        return wrench

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_workspace": None}  # scratch is not pickled

    def check(self, schema: pa.Schema, first: pa.Table | None = None) -> Plan:
        """Plans the computation for tables of a schema. Errors that affect all states are raised here, before
        any computation. List columns give their length only through a row: `first` may contain one."""
        sources = self._sources(schema.names)
        numbers: dict[str, Array] = {}
        bytes_in, unknown = 0, False
        for argument, columns in sources.items():
            wide: int | None = 0
            for name in columns:
                kind = schema.field(name).type
                try:
                    own = _arrow.width(kind)
                    if own is None and first is not None and first.num_rows:
                        own = _arrow.numbers(first[name])[0].shape[1]
                except TypeError as error:
                    raise TypeError(f'column "{name}", for `{argument}`: {error}') from None
                if len(columns) > 1 and own not in (1, None):
                    raise ValueError(f'column "{name}", one of several for `{argument}`, has {own} numbers a row; it must have one')
                wide = None if wide is None or own is None else wide + own
            unknown |= wide is None
            bytes_in += 8 * (wide or 0)
            numbers[argument] = np.empty((0, wide or 0), _arrow.dtype(kind))
        read = self._read(schema, sources)
        if unknown:
            return Plan(read, (), bytes_in, 0)
        try:
            results = self._call(numbers)
        except (ValueError, TypeError) as error:
            text = str(error).replace("(0, ", "(..., ")
            named = {name: columns for name, columns in sources.items() if f"`{name}`" in text or f"`{name.split('.')[-1]}`" in text}
            from_columns = ", ".join(f"`{name}` is {_shown(columns)}" for name, columns in named.items())
            raise type(error)(text + (f" ({from_columns})" if named else "")) from None
        made = tuple(Output(name, array.shape[1:], array.dtype) for name, array in results.items())
        kept = schema.names if self.keep is None else self.keep
        for output in made:
            if output.column in kept:
                raise ValueError(
                    f'the result "{output.column}" would replace the column of that name; give it another with '
                    f'outputs={{"{output.column}": "{output.column}_{self.function}"}}, or leave the column out with keep=[...]'
                )
        return Plan(read, made, bytes_in, sum(int(np.prod(x.shape)) * x.dtype.itemsize for x in made))

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Returns the batch with its results next to the kept columns."""
        table, _ = self.compute(batch)
        return table

    def compute(self, batch: pa.Table, row: Callable[[int], str] | None = None) -> tuple[pa.Table, int]:
        """Same, and the number of failed states. `row` describes the place of a row, for errors."""
        if not isinstance(batch, pa.Table):
            raise TypeError(f'a batch is a {type(batch).__name__}; it must be a pyarrow.Table: map_batches(..., batch_format="pyarrow")')
        row = row or (lambda k: f"row {k} of a batch")
        sources = self._sources(batch.column_names)
        numbers = {}
        for argument, columns in sources.items():
            parts = []
            for name in columns:
                try:
                    array, null = _arrow.numbers(batch[name])
                except (TypeError, ValueError) as error:
                    raise type(error)(f'{row(0)} and on, column "{name}", for `{argument}`: {error}') from None
                if null is not None and self.on_error == "raise":
                    at = int(np.flatnonzero(null)[0])
                    raise ValueError(f'{row(at)}: column "{name}", for `{argument}`, is null; on_error="nan" makes its results NaN')
                parts.append(array)
            numbers[argument] = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        failed = 0
        try:
            results = self._call(numbers)
        except STATE_ERRORS as error:
            results, failed = self._apart(numbers, batch.num_rows, row, error)
        kept = batch.column_names if self.keep is None else self.keep
        made = {name: _arrow.column(array) for name, array in results.items()}
        return pa.table({**{name: batch[name] for name in kept}, **made}), failed

    def _apart(
        self, numbers: dict[str, Array], states: int, row: Callable[[int], str], whole: Exception
    ) -> tuple[dict[str, Array], int]:
        """Separates failing states from the others by bisection. A state has the same bits in a batch of any size."""
        parts: list[tuple[int, int, dict[str, Array]]] = []
        failed, ranges = 0, [(0, states)]
        while ranges:
            start, end = ranges.pop()
            try:
                parts.append((start, end, self._call({name: x[start:end] for name, x in numbers.items()})))
            except STATE_ERRORS as error:
                if end - start > 1:
                    middle = (start + end) // 2
                    ranges += [(middle, end), (start, middle)]  # the first half first
                elif self.on_error == "raise":
                    raise type(error)(f"{row(start)}: {self._alone(numbers, start, error)}") from None
                else:
                    failed += 1
        if failed == 0:
            raise whole  # not caused by a single state
        none = self._call({name: x[:0] for name, x in numbers.items()})
        results = {name: np.full((states, *like.shape[1:]), np.nan, like.dtype) for name, like in none.items()}
        for start, end, part in parts:
            for name, array in part.items():
                results[name][start:end] = array
        return results, failed

    def _alone(self, numbers: dict[str, Array], state: int, otherwise: Exception) -> Exception:
        """Returns the error of a single state, without its index in a batch."""
        try:
            self._call({name: x[state] for name, x in numbers.items()})
        except STATE_ERRORS as error:
            return error
        return otherwise

    def _call(self, numbers: Mapping[str, Array]) -> dict[str, Array]:
        """Calls the function on arrays of the columns. Returns its results by column name."""
        arguments = dict(self.fixed)
        for name, array in numbers.items():
            if name == "desired" and array.shape[-1] % 3 == 0:  # otherwise it is refused with its shape
                arguments[name] = array.reshape(*array.shape[:-1], 3, array.shape[-1] // 3)
            elif not name.startswith("f_ext["):
                arguments[name] = array
        if "f_ext" in arguments:
            arguments["f_ext"] = [
                wrench.of({part: numbers[key] for part in wrench.parts() if (key := f"f_ext[{k}].{part}") in numbers})
                if isinstance(wrench, Wrench)
                else wrench
                for k, wrench in enumerate(arguments["f_ext"])
            ]
        if isinstance(self.model, _dtau.Compiled):
            result = getattr(self.model, self.function)(**arguments)
        else:
            if self._workspace is None:
                self._workspace = _dtau.Workspace(self.model)
            result = FUNCTIONS[self.function](self.model, workspace=self._workspace, **arguments)
        fields = result._asdict() if hasattr(result, "_asdict") else {self.function: result}
        if self.outputs is None:
            return {name: np.asarray(array) for name, array in fields.items()}
        for name in self.outputs:
            if name not in fields:
                raise UnknownNameError(f'{self.function} has no result "{name}"{_nearest(name, fields)}; it has {", ".join(fields)}')
        chosen = self.outputs if isinstance(self.outputs, Mapping) else {name: name for name in self.outputs}
        # A mapping renames; a sequence selects.
        rest = {name: name for name in fields if name not in chosen} if isinstance(self.outputs, Mapping) else {}
        return {column: np.asarray(fields[name]) for name, column in {**rest, **chosen}.items()}

    def _sources(self, present: Iterable[str]) -> dict[str, Columns]:
        """Returns the columns of each argument, among those present."""
        present = list(present)
        sources = {}
        for argument, columns in self.columns.items():
            missing = next((name for name in columns if name not in present), None)
            if missing is None:
                sources[argument] = columns
            elif argument not in self.optional:
                shown = ", ".join(present)
                raise UnknownNameError(
                    f'there is no column "{missing}" for `{argument}`{_nearest(missing, present)}; there are {shown}. '
                    f"Say which it is, as in {argument.split('[')[0]}=\"NAME\", or give an array for all states"
                )
        for name in self.keep or ():
            if name not in present:
                raise UnknownNameError(f'there is no column "{name}" to keep{_nearest(name, present)}; there are {", ".join(present)}')
        return sources

    def _read(self, schema: pa.Schema, sources: dict[str, Columns]) -> tuple[str, ...]:
        wanted = {name for columns in sources.values() for name in columns}
        wanted |= set(schema.names if self.keep is None else self.keep)
        return tuple(name for name in schema.names if name in wanted)


def _columns(value: Any) -> Columns | None:
    """Returns column names, if the value contains names."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)) and value and all(isinstance(name, str) for name in value):
        return tuple(value)
    return None


def _names(what: str, given: Sequence[str]) -> Columns:
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"`{what}` is {given!r}; it must be a list of names of columns")
    return tuple(given)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _shown(columns: Columns) -> str:
    return f'the column "{columns[0]}"' if len(columns) == 1 else "the columns " + ", ".join(f'"{name}"' for name in columns)
