"""Parquet to Parquet in pieces: the part of `dtau.ray.run` that one worker does.

A piece is a row group of a file, or several small ones. It is read, computed and written in batches, so that memory is that of a batch, and
its results are files with names that follow from the piece alone. Each appears whole or not at all: a piece that is done again, since its
worker was lost, writes the same bytes under the same names.
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
"""What a batch takes, in and out: enough that a call costs nothing beside its states, and a row group of the results is of good size."""
FILE_BYTES = 256 << 20
"""What a file of results has, about."""
MOST_ROWS = 1 << 20

# Files in the making; readers of directories leave names with a dot out.
UNFINISHED = ".unfinished-"


class Place(NamedTuple):
    """A path of a file system."""

    filesystem: Any
    path: str

    @classmethod
    def of(cls, path: str | os.PathLike[str], filesystem: Any = None) -> Place:
        """Of a path on this machine, a URI such as ``s3://bucket/data``, or a path of the file system."""
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
    """The place of its first row in the file."""
    rows: int


class Done(NamedTuple):
    """What came of a piece."""

    rows: int
    failed: int
    files: int


def files_of(place: Place) -> list[str]:
    """The Parquet files of a path: itself, or all below a directory, in the order of their names."""
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
    """Looks at the ends of all files, where their columns and row groups are written: what will be done, or what is wrong with which."""
    with ThreadPoolExecutor(16) as threads:  # most of it is waiting
        footers = list(threads.map(lambda path: _footer(filesystem, path), files))
    plans: list[Plan] = []
    pieces: list[Piece] = []
    for path, (schema, rows) in zip(files, footers):
        # All files of one schema, as they mostly are, need one look.
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
    """The plan for one file, by its columns and its first row."""
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
    """Row groups of a file, small ones together until they have so many rows."""
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
    """So many rows have this size, in and out."""
    return min(MOST_ROWS, max(1, size // max(1, plan.bytes_in + plan.bytes_out)))


def batch_rows(plan: Plan) -> int:
    """Rows of a batch, if nobody says how many."""
    return _rows_of(BATCH_BYTES, plan)


def rows_of_file(plan: Plan) -> int:
    """Rows of a file of results, if nobody says how many."""
    return _rows_of(FILE_BYTES, plan)


@dataclass(frozen=True)
class Job:
    """All that a worker needs to do any piece."""

    stage: Stage
    source: Any
    """The file system that is read."""
    out: Place
    schema: pa.Schema
    plan: Plan
    batch: int
    """Rows of a batch."""
    per_file: int
    """Rows of a file of results."""
    writing: dict[str, Any]
    """For ``pyarrow.parquet.ParquetWriter``."""

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
        """A file of no rows, so that the columns are known where there are no states."""
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
    """One file of results, which has its name when it is whole."""

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
        """Leaves nothing behind, as far as it can: what went wrong is another error, which matters more."""
        try:
            if self.writer is not None:
                self.writer.close()
            self.job.out.filesystem.delete_file(self.unfinished)
        except (OSError, pa.ArrowException):
            pass


def prepare(out: Place) -> None:
    """A directory with nothing in it."""
    info = out.filesystem.get_file_info(out.path)
    if info.type == pyarrow.fs.FileType.File:
        raise FileExistsError(f"{out.path}: it is a file; give a directory that is empty, or is not there yet")
    if info.type == pyarrow.fs.FileType.Directory:
        if out.filesystem.get_file_info(pyarrow.fs.FileSelector(out.path)):
            raise FileExistsError(f"{out.path}: it is not empty, and old files would be read with new ones; give another, or empty it")
    else:
        out.filesystem.create_dir(out.path, recursive=True)


def sweep(out: Place) -> None:
    """Removes what workers that were lost had begun."""
    for info in out.filesystem.get_file_info(pyarrow.fs.FileSelector(out.path)):
        if posixpath.basename(info.path).startswith(UNFINISHED):
            out.filesystem.delete_file(info.path)
