"""Computes Parquet files in pieces: the part of `dtau.ray.run` that one worker does.

A piece is a row group of a file, or several small ones. It is read, computed and written in batches, so memory is
limited to a batch. The names of its result files depend only on the piece. Each file appears complete or not at all.
If a worker is lost, its piece is repeated, which writes the same bytes under the same names.
"""

# Arrow is optional and has no types.
# mypy: disable-error-code="import-not-found, import-untyped, unused-ignore, no-any-return"

from __future__ import annotations

import os
import posixpath
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from . import _arrow
from ._stage import Plan, Stage

BATCH_BYTES = 32 << 20
"""Size of a batch, input plus output. Large enough that the overhead of a call is negligible, and that row
groups of the results have a good size."""
FILE_BYTES = 256 << 20
"""Approximate size of a result file."""
MOST_ROWS = 1 << 20

# Prefix of unfinished files. Readers of directories ignore names that begin with a dot.
UNFINISHED = ".unfinished-"


class Place(NamedTuple):
    """Path on a file system."""

    filesystem: Any
    path: str

    @classmethod
    def of(cls, path: str | os.PathLike[str], filesystem: Any = None) -> Place:
        """Makes a place from a local path, a URI such as ``s3://bucket/data``, or a path on the file system."""
        text = os.fspath(path)
        if filesystem is not None:
            return cls(filesystem, text)
        if "://" in text:
            return cls(*pyarrow.fs.FileSystem.from_uri(text))
        return cls(pyarrow.fs.LocalFileSystem(), os.path.abspath(text))


class Piece(NamedTuple):
    """Rows of a file."""

    path: str
    groups: tuple[int, ...]
    first: int
    """Index of its first row in the file."""
    rows: int


class Done(NamedTuple):
    """Result of a piece."""

    rows: int
    failed: int
    files: int


def files_of(place: Place) -> list[str]:
    """Returns the Parquet files of a path: the file itself, or all files below a directory, sorted by name."""
    info = place.filesystem.get_file_info(place.path)
    if info.type == pyarrow.fs.FileType.File:
        return [place.path]
    if info.type == pyarrow.fs.FileType.NotFound:
        raise FileNotFoundError(f"{place.path}: there is no such file or directory")
    below = place.filesystem.get_file_info(pyarrow.fs.FileSelector(place.path, recursive=True))
    files = sorted(x.path for x in below if x.type == pyarrow.fs.FileType.File and x.path.endswith(".parquet") and not _hidden(x, place))
    if not files:
        raise FileNotFoundError(f"{place.path}: there is no file *.parquet in this directory")
    return files


def _hidden(info: Any, place: Place) -> bool:
    inside = info.path[len(place.path) :].split("/")
    return any(part.startswith((".", "_")) for part in inside)


def survey(filesystem: Any, files: Sequence[str], stage: Stage, per_file: int | None) -> tuple[Plan, pa.Schema, list[Piece]]:
    """Reads the footers of all files, which contain columns and row groups. Returns the plan, or reports errors
    with the file."""
    with ThreadPoolExecutor(16) as threads:  # mostly waiting
        footers = list(threads.map(lambda path: _footer(filesystem, path), files))
    plans: list[Plan] = []
    pieces: list[Piece] = []
    for path, (schema, rows) in zip(files, footers):
        # Usually all files have the same schema, which is then checked once.
        if not plans or schema != footers[0][0] or not plans[0].outputs:
            plans.append(_check(filesystem, path, schema, stage))
        if plans[-1].outputs and plans[0].outputs and plans[-1][:2] != plans[0][:2]:
            raise ValueError(f"{path}: its columns, {_listed(schema)}, are not those of {files[0]}, {_listed(footers[0][0])}")
        pieces += list(_pieces(path, rows, per_file or batch_rows(plans[0])))
    return plans[0], footers[0][0], pieces


def _listed(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name}: {field.type}" for field in schema)


def _footer(filesystem: Any, path: str) -> tuple[pa.Schema, list[int]]:
    try:
        with pq.ParquetFile(path, filesystem=filesystem) as file:
            return file.schema_arrow.remove_metadata(), [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path}: it is no Parquet file: {error}") from None


def _check(filesystem: Any, path: str, schema: pa.Schema, stage: Stage) -> Plan:
    """Returns the plan for one file, from its columns and its first row."""
    try:
        plan = stage.check(schema)
        if plan.outputs:
            return plan
        with pq.ParquetFile(path, filesystem=filesystem) as file:
            for batch in file.iter_batches(batch_size=1, columns=list(plan.read)):
                return stage.check(schema, pa.Table.from_batches([batch]))
        return plan
    except Exception as error:
        raise type(error)(f"{path}: {error}") from None


def _pieces(path: str, rows: Sequence[int], least: int) -> Iterator[Piece]:
    """Yields the row groups of a file. Small ones are merged up to a minimum number of rows."""
    groups: list[int] = []
    first = held = 0
    for group, count in enumerate(rows):
        groups.append(group)
        held += count
        if held >= least or group == len(rows) - 1:
            if held:
                yield Piece(path, tuple(groups), first, held)
            first, held, groups = first + held, 0, []


def _rows_of(size: int, plan: Plan) -> int:
    """Returns the number of rows that have this size, input plus output."""
    return min(MOST_ROWS, max(1, size // max(1, plan.bytes_in + plan.bytes_out)))


def batch_rows(plan: Plan) -> int:
    """Returns the default number of rows per batch."""
    return _rows_of(BATCH_BYTES, plan)


def rows_of_file(plan: Plan) -> int:
    """Returns the default number of rows per result file."""
    return _rows_of(FILE_BYTES, plan)


@dataclass(frozen=True)
class Job:
    """Everything that a worker needs for any piece."""

    stage: Stage
    source: Any
    """File system of the input."""
    out: Place
    schema: pa.Schema
    plan: Plan
    batch: int
    """Rows per batch."""
    per_file: int
    """Rows per result file."""
    writing: dict[str, Any]
    """Options for ``pyarrow.parquet.ParquetWriter``."""

    def do(self, number: int, piece: Piece) -> Done:
        """Reads, computes and writes a piece."""
        tables, failed, files, rows = self._tables(piece), 0, 0, 0
        writer: _Writer | None = None
        try:
            for table, wrong in tables:
                failed, rows = failed + wrong, rows + table.num_rows
                if writer is None:
                    writer = _Writer(self, number, files)
                writer.write(table)
                if writer.rows >= self.per_file:
                    writer.finish()
                    writer, files = None, files + 1
            if writer is not None:
                writer.finish()
                files += 1
        except BaseException:
            if writer is not None:
                writer.abandon()
            raise
        if rows != piece.rows:
            raise ValueError(f"{piece.path}: it was changed meanwhile: {rows} rows were read where {piece.rows} were announced")
        return Done(rows, failed, files)

    def _tables(self, piece: Piece) -> Iterator[tuple[pa.Table, int]]:
        with pq.ParquetFile(piece.path, filesystem=self.source, buffer_size=1 << 20, pre_buffer=False) as file:
            first = piece.first
            batches = file.iter_batches(self.batch, row_groups=list(piece.groups), columns=list(self.plan.read), use_threads=False)
            for batch in batches:
                start = first
                yield self.stage.compute(pa.Table.from_batches([batch]), lambda k: f"{piece.path}, row {start + k}")
                first += batch.num_rows

    def write_nothing(self) -> None:
        """Writes a file without rows, so that the columns are known even without states."""
        made = [
            pa.field(x.column, _arrow.tensor(kind, x.shape) if x.shape else kind)
            for x in self.plan.outputs
            if (kind := pa.from_numpy_dtype(x.dtype))
        ]
        kept = self.schema.names if self.stage.keep is None else self.stage.keep
        writer = _Writer(self, 0, 0)
        writer.write(pa.schema([*(self.schema.field(name) for name in kept), *made]).empty_table())
        writer.finish()


class _Writer:
    """Result file, which gets its final name when it is complete."""

    def __init__(self, job: Job, number: int, file: int) -> None:
        self.job, self.rows = job, 0
        self.path = posixpath.join(job.out.path, f"part-{number:06}-{file:04}.parquet")
        self.unfinished = posixpath.join(job.out.path, f"{UNFINISHED}{number:06}-{file:04}-{uuid.uuid4().hex}")
        self.writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        if self.writer is None:
            self.writer = pq.ParquetWriter(self.unfinished, table.schema, filesystem=self.job.out.filesystem, **self.job.writing)
        self.writer.write_table(table)
        self.rows += table.num_rows

    def finish(self) -> None:
        assert self.writer is not None
        self.writer.close()
        self.job.out.filesystem.move(self.unfinished, self.path)

    def abandon(self) -> None:
        """Removes the unfinished file if possible. Failures are ignored, because the original error matters more."""
        try:
            if self.writer is not None:
                self.writer.close()
            self.job.out.filesystem.delete_file(self.unfinished)
        except (OSError, pa.ArrowException):
            pass


def prepare(out: Place) -> None:
    """Creates an empty directory, or checks that it is empty."""
    info = out.filesystem.get_file_info(out.path)
    if info.type == pyarrow.fs.FileType.File:
        raise FileExistsError(f"{out.path}: it is a file; give a directory that is empty, or is not there yet")
    if info.type == pyarrow.fs.FileType.Directory:
        if out.filesystem.get_file_info(pyarrow.fs.FileSelector(out.path)):
            raise FileExistsError(f"{out.path}: it is not empty, and old files would be read with new ones; give another, or empty it")
    else:
        out.filesystem.create_dir(out.path, recursive=True)


def sweep(out: Place) -> None:
    """Removes unfinished files of lost workers."""
    for info in out.filesystem.get_file_info(pyarrow.fs.FileSelector(out.path)):
        if posixpath.basename(info.path).startswith(UNFINISHED):
            out.filesystem.delete_file(info.path)
