"""Converts columns of Arrow tables to NumPy arrays, one row per state, and back.

Contiguous Arrow numbers are not copied: fixed-size lists, tensors, and lists of equal length, in one chunk
and without nulls. Results are not copied either, except matrices: the library stores them by columns, and
tensors by rows.
"""

# Arrow is optional and has no types.
# mypy: disable-error-code="import-not-found, import-untyped, unused-ignore, no-any-return"

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa

from ._results import Array


def width(kind: pa.DataType) -> int | None:
    """Returns the count of numbers in a row of a column; `None` if only the rows can tell. Raises TypeError if
    it has no numbers."""
    if isinstance(kind, pa.BaseExtensionType):
        shape = getattr(kind, "shape", None)
        inner = width(kind.storage_type)  # also if the shape is known: the content must be numbers
        return inner if shape is None or None in shape else math.prod(shape)
    if pa.types.is_fixed_size_list(kind):
        inner = width(kind.value_type)
        return None if inner is None else kind.list_size * inner
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        width(kind.value_type)
        return None
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        return 1
    raise TypeError(f"it has {kind}; it must have numbers, or lists or tensors of numbers")


def dtype(kind: pa.DataType) -> np.dtype[Any]:
    """Returns the precision in which a column is computed."""
    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
            kind = kind.value_type
        else:
            single = pa.types.is_float32(kind) or pa.types.is_float16(kind)
            return np.dtype(np.float32 if single else np.float64)


def numbers(column: pa.ChunkedArray | pa.Array) -> tuple[Array, Array | None]:
    """Returns (rows, numbers), and which rows are null, if any; those have NaN. Raises ValueError if rows differ
    in length."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # without chunks, in some versions
        column = pa.array([], type=column.type)
    return _rows(column)


def _rows(column: pa.Array) -> tuple[Array, Array | None]:
    kind, count = column.type, len(column)
    if isinstance(kind, pa.BaseExtensionType):
        shape, (rows, null) = getattr(kind, "shape", None), _rows(column.storage)
        if count == 0 and shape is not None and None not in shape:
            rows = rows.reshape(0, math.prod(shape))  # lists without rows have no known length
        return rows, null
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        inside, null = _rows(column.values.slice(column.offset * size, count * size))
        return _of_rows(column, inside, null, size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _of_lists(column)
    null = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    flat = column.to_numpy(zero_copy_only=False)  # without nulls, a view; otherwise a copy with NaN
    return flat.astype(dtype(kind), copy=False).reshape(count, 1), null


def _of_lists(column: pa.Array) -> tuple[Array, Array | None]:
    """Converts lists, whose rows must all have the same length."""
    valid = None if column.null_count == 0 else column.is_valid().to_numpy(zero_copy_only=False)
    offsets = column.offsets.to_numpy()
    lengths = np.diff(offsets)
    seen = lengths if valid is None else lengths[valid]
    size = int(seen[0]) if len(seen) else 0
    if (seen != size).any():
        other = int(np.flatnonzero(lengths != size if valid is None else (lengths != size) & valid)[0])
        raise ValueError(f"row {other} has {lengths[other]} numbers, rows before it {size}; all rows must have as many")
    if valid is None:
        start = int(offsets[0]) if len(offsets) else 0
        inside, null = _rows(column.values.slice(start, len(column) * size))
        return _of_rows(column, inside, null, size)
    present, null = _rows(column.flatten())
    rows = np.full((len(column), size * present.shape[1]), np.nan, dtype(column.type))
    rows[valid] = present.reshape(len(seen), -1)
    missing = ~valid
    if null is not None:
        missing[valid] |= np.asarray(null.reshape(len(seen), -1).any(axis=1))
    return rows, missing


def _of_rows(column: pa.Array, inside: Array, null: Array | None, size: int) -> tuple[Array, Array | None]:
    """Converts rows of `size` entries, each of which is a row of `inside`."""
    count = len(column)
    rows = inside.reshape(count, size * inside.shape[1])
    if null is not None:
        null = np.asarray(null.reshape(count, size).any(axis=1))
    if column.null_count:
        absent = column.is_null().to_numpy(zero_copy_only=False)
        rows, null = rows.copy(), absent if null is None else absent | null
        rows[absent] = np.nan
    return rows, null


def column(values: Array) -> pa.Array:
    """Converts results of many states (rows, ...) to numbers, or to tensors of one state's shape. Other readers
    see the tensors as lists of numbers by rows."""
    rows, shape = values.shape[0], values.shape[1:]
    kind = pa.from_numpy_dtype(values.dtype)
    flat = np.ascontiguousarray(values).reshape(-1)
    entries = pa.Array.from_buffers(kind, len(flat), [None, pa.py_buffer(flat)])
    if not shape:
        return entries
    tensors = tensor(kind, shape)
    lists = pa.Array.from_buffers(tensors.storage_type, rows, [None], children=[entries])
    return pa.ExtensionArray.from_storage(tensors, lists)


def tensor(kind: pa.DataType, shape: tuple[int, ...]) -> Any:
    """Returns the type of such a column."""
    return pa.fixed_shape_tensor(kind, shape)
