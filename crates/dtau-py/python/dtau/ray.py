"""dtau on Ray: computes states on several machines.

:func:`run` computes any library function from Parquet to Parquet, with progress. :func:`map_batches` does the
same as a stage of a Ray dataset. A worker is an actor with one model and one workspace. Contiguous Arrow
columns are used as arrays of states without copies.

>>> import dtau, dtau.ray                                                                   # doctest: +SKIP
>>> model = dtau.Model.bundled("quadruped", root="floating")                                # doctest: +SKIP
>>> dtau.ray.run("states.parquet", "derivatives/", model, "fd_derivatives")                 # doctest: +SKIP
>>> dataset = dtau.ray.map_batches(ray.data.read_parquet("states.parquet"), model, "aba")   # doctest: +SKIP

**Arguments** are those of the function, by name. An argument that is an array of states (q, v, tau, …) is
read from the column of its name. A string names another column, a list of strings names several columns with
one number each, and an array is the same for all states. The same holds for ``active=`` and ``desired=`` of
constraints, and for the forces of :class:`dtau.ray.Wrench` in ``f_ext=``. All other arguments
(``constraints``, ``frame``, ``reference``, ``way``, ``gravity``, …) are as in the function.

**Results** are columns with the names of the function's results (``qdd``, ``dqdd_dq``, …), or the function's
name if there is only one. They contain numbers, or tensors of one state's shape. They have the same bits as
the function called on all states at once, for any number of workers and any batch size.

Needs Ray: ``pip install 'ray[data]' pyarrow``.
"""

# Ray and Arrow are optional, and Arrow has no types.
# mypy: disable-error-code="import-not-found, import-untyped, misc, unused-ignore, no-any-return, no-untyped-call, attr-defined"

from __future__ import annotations

import inspect
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import ray
import ray.data

from . import _parquet, _stage
from ._dtau import Compiled, Model
from ._stage import FUNCTIONS, OnError, Stage, Wrench

__all__ = ["FUNCTIONS", "Stage", "Summary", "Wrench", "map_batches", "run"]

# Number of retries of a batch or a piece if its worker is lost. Limited, because some failures end every
# worker, such as a lack of memory.
RETRIES = 5


class Summary(NamedTuple):
    """Summary of :func:`run`."""

    states: int
    failed: int
    """Number of states whose results are NaN; zero unless ``on_error="nan"``."""
    files: int
    seconds: float


def map_batches(
    dataset: ray.data.Dataset,
    model: Model | Compiled,
    function: str,
    *,
    outputs: Mapping[str, str] | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    on_error: OnError = "raise",
    workers: int | None = None,
    batch_size: int | None = None,
    **arguments: Any,
) -> ray.data.Dataset:
    """Returns a dataset with the results of a function next to its columns.

    Parameters
    ----------
    dataset : ray.data.Dataset
    model : dtau.Model or dtau.Compiled
    function : str
        Name of a function, such as "fd_derivatives"; ``dtau.ray.FUNCTIONS`` lists all.
    outputs : list or dict of str
        The wanted results; or other names for some of them.
    keep : list of str
        The columns to keep next to the results. Default: all.
    on_error : "raise" or "nan"
        Treatment of invalid states (NaN, null, invalid quaternion, singular mass matrix): an error that names
        the row, or NaN results.
    workers : int
        Number of actors. Default: the number of CPUs in the cluster. ``threads=`` (default 1) is the number
        of CPUs per actor.
    batch_size : int
        States per batch. By default, a batch takes about 32 MB.
    **arguments
        Arguments of the function; see :mod:`dtau.ray`.

    Errors that affect all states (a missing or too wide column, an unknown frame) are raised by this call.
    For lists of unknown length, it reads one row, which executes the preceding stages.
    """
    stage = Stage(model, function, outputs=outputs, keep=keep, on_error=on_error, **arguments)
    plan = _plan(dataset, stage)
    pool = _pool(stage, workers)
    if ray.is_initialized() and ray.cluster_resources().get("CPU", 0) <= pool["num_cpus"]:
        warnings.warn(
            f"a worker takes {pool['num_cpus']} CPUs, all that the cluster has: what comes before and after it may wait for ever; "
            "give the cluster one more, or workers fewer threads",
            stacklevel=2,
        )
    return _apply(
        dataset,
        _Actor,
        stage,
        batch_format="pyarrow",
        zero_copy_batch=True,
        batch_size=batch_size or (_parquet.batch_rows(plan) if plan else 1024),
        **pool,
    )


class _Actor:
    """Stage that is created on the driver, so that its errors appear there."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def __call__(self, batch: pa.Table) -> pa.Table:
        return self.stage(batch)


def _plan(dataset: ray.data.Dataset, stage: Stage) -> _stage.Plan | None:
    """Returns None for datasets that are not yet in Arrow format, because their columns are unknown."""
    schema = getattr(dataset.schema(), "base_schema", None)
    if not isinstance(schema, pa.Schema):
        return None
    plan = stage.check(schema)
    if plan.outputs or not (first := dataset.take_batch(1, batch_format="pyarrow")).num_rows:
        return plan
    return stage.check(schema, first)


def _pool(stage: Stage, workers: int | None, most: int | None = None) -> dict[str, Any]:
    """Returns the options for actors in Ray's ``map_batches``."""
    threads = stage.fixed.get("threads", 1)
    if threads == 0:
        raise ValueError("`threads` is 0; a worker must say how many CPUs it takes: 1, or as many as it should have")
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise ValueError(f"`workers` is {workers!r}; it must be a number of actors, 1 or more")
    if workers is None:
        if not ray.is_initialized():
            ray.init()
        workers = max(1, int(ray.cluster_resources().get("CPU", 1) // threads))
    workers = min(workers, most or workers)
    return {
        # Starts one actor, and others as CPUs become free. Starting all at once would leave no CPU for the
        # preceding stages, and wait forever.
        "compute": ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
        "num_cpus": threads,
    }


def _apply(dataset: ray.data.Dataset, actor: type, *arguments: Any, **options: Any) -> ray.data.Dataset:
    """Calls ``map_batches`` with actors that are restarted if lost, up to a limit."""
    with warnings.catch_warnings():
        if "ray_remote_args_fn" in inspect.signature(dataset.map_batches).parameters:
            # Ray 2.64 does not support it, and warns. The number of retries is then Ray's own.
            warnings.simplefilter("ignore")
            options["ray_remote_args_fn"] = _when_lost
        return dataset.map_batches(actor, fn_constructor_args=arguments, **options)


def _when_lost() -> dict[str, int]:
    return {"max_restarts": -1, "max_task_retries": RETRIES}


def run(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    model: Model | Compiled,
    function: str,
    *,
    outputs: Mapping[str, str] | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    on_error: OnError = "raise",
    workers: int | None = None,
    batch_size: int | None = None,
    rows_per_file: int | None = None,
    compression: str = "snappy",
    filesystem: Any = None,
    progress: bool | Callable[[int, int], None] = True,
    **arguments: Any,
) -> Summary:
    """Computes a function of all states in Parquet files. Writes a directory of Parquet files.

    Parameters
    ----------
    source : path, URI or list of such
        A file, or a directory with files ``*.parquet``. Workers take at least one row group.
    out : path or URI
        An empty or new directory. Files ``part-000000-0000.parquet``, … sorted by name have the same row
        order as the source. ``_SUCCESS`` is written last: the results are complete if it exists.
    model, function, outputs, keep, on_error, workers, **arguments
        As in :func:`map_batches`. Errors name the file and the row.
    batch_size : int
        States per batch, and per row group of the results. By default, a batch takes about 32 MB.
    rows_per_file : int
        Rows per result file. By default, a file takes about 256 MB.
    compression : str
        Compression of the results: "snappy", "zstd", "none", …
    filesystem : pyarrow.fs.FileSystem
        File system of source and results, if the paths are neither local nor URIs. All workers must reach it.
    progress : bool, or function of the states done and all states
        True to write the progress to standard error. Or a function of the states done and all states.

    Returns
    -------
    dtau.ray.Summary
        ``.states``, ``.failed``, ``.files``, ``.seconds``.

    Workers read and write the files themselves: states do not pass through Ray's object store. The work of a
    lost worker is repeated, and its results appear once.
    """
    started = time.monotonic()
    stage = Stage(model, function, outputs=outputs, keep=keep, on_error=on_error, **arguments)
    for name, given in (("batch_size", batch_size), ("rows_per_file", rows_per_file)):
        if given is not None and (not isinstance(given, int) or given < 1):
            raise ValueError(f"`{name}` is {given!r}; it must be a number of rows, 1 or more")
    if not pa.Codec.is_available(compression if compression != "none" else "snappy"):
        raise ValueError(f'`compression` is {compression!r}, which this pyarrow does not have; "snappy", "zstd" and "none" are usual')
    paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    places = [_parquet.Place.of(path, filesystem) for path in paths]
    if not places:
        raise ValueError("`source` names no file")
    if any(place.filesystem != places[0].filesystem for place in places):
        raise ValueError("`source` has paths of several file systems; run each by itself")
    files = [file for place in places for file in _parquet.files_of(place)]
    plan, schema, pieces = _parquet.survey(places[0].filesystem, files, stage, rows_per_file)
    pool = _pool(stage, workers, most=max(1, len(pieces)))
    if workers and 0 < len(pieces) < workers:
        warnings.warn(
            f"{workers} workers, but work for {len(pieces)}: one takes row groups of {_parquet.BATCH_BYTES >> 20} MB, in and out, "
            "or more; write the source with a smaller row_group_size, or give a smaller rows_per_file",
            stacklevel=2,
        )
    into = _parquet.Place.of(out, filesystem)
    _parquet.prepare(into)
    job = _parquet.Job(
        stage,
        places[0].filesystem,
        into,
        schema,
        plan,
        batch=batch_size or _parquet.batch_rows(plan),
        per_file=rows_per_file or _parquet.rows_of_file(plan),
        writing={
            "compression": compression,
            # Numbers of a trajectory rarely repeat.
            "use_dictionary": [x.name for x in schema if not pa.types.is_nested(x.type) and not pa.types.is_floating(x.type)],
        },
    )
    show = _Progress(sum(piece.rows for piece in pieces), progress)
    done = _parquet.Done(0, 0, 0)
    try:
        for piece in _each(job, pieces, pool):
            done = _parquet.Done(*(a + b for a, b in zip(done, piece)))
            show(done.rows)
        if not pieces:
            job.write_nothing()
            done = done._replace(files=1)
    finally:
        _parquet.sweep(into)
    with into.filesystem.open_output_stream(f"{into.path.rstrip('/')}/_SUCCESS"):
        pass
    show.end(done.rows)
    return Summary(done.rows, done.failed, done.files, time.monotonic() - started)


class _Worker:
    """Computes pieces one after the other. An error is returned as a result, so that the caller gets it unchanged."""

    def __init__(self, job: _parquet.Job, pieces: Sequence[_parquet.Piece]) -> None:
        self.job, self.pieces = job, pieces

    def __call__(self, batch: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, list[Any]]:
        number = int(batch["id"][0])
        try:
            done, error = self.job.do(number, self.pieces[number]), b""
        except Exception as raised:
            done, error = _parquet.Done(0, 0, 0), pickle.dumps(raised)
        return {"done": [list(done)], "error": [error]}


def _each(job: _parquet.Job, pieces: Sequence[_parquet.Piece], pool: dict[str, Any]) -> Any:
    """Yields the result of each piece once, in order of completion."""
    if not pieces:
        return
    context = ray.data.DataContext.get_current()
    bars, context.enable_progress_bars = context.enable_progress_bars, False  # ours counts states
    try:
        numbers = ray.data.from_items([{"id": k} for k in range(len(pieces))], override_num_blocks=len(pieces))
        done = _apply(numbers, _Worker, job, pieces, batch_size=1, **pool)
        for row in done.iter_rows():
            if row["error"]:
                raise pickle.loads(row["error"])
            yield _parquet.Done(*(int(count) for count in row["done"]))
    finally:
        context.enable_progress_bars = bars


class _Progress:
    """Shows the progress: every second on a terminal, every ten seconds in a file."""

    def __init__(self, total: int, how: bool | Callable[[int, int], None]) -> None:
        self.total, self.how, self.begun = total, how, time.monotonic()
        self.is_terminal = sys.stderr.isatty()
        self.last = self.begun

    def __call__(self, states: int) -> None:
        if callable(self.how):
            self.how(states, self.total)
        elif self.how and states < self.total and time.monotonic() - self.last >= (1 if self.is_terminal else 10):
            self.last = time.monotonic()
            left = (self.total - states) * (self.last - self.begun) / max(1, states)
            self._say(states, f"{left:,.0f} s left", "\r\033[K" if self.is_terminal else "", "" if self.is_terminal else "\n")

    def end(self, states: int) -> None:
        if self.how and not callable(self.how):
            self._say(states, f"{time.monotonic() - self.begun:,.1f} s", "\r\033[K" if self.is_terminal else "", "\n")

    def _say(self, states: int, what: str, before: str, after: str) -> None:
        share = 100 * states / max(1, self.total)
        rate = states / max(1e-9, time.monotonic() - self.begun)
        line = f"dtau.ray: {states:,} of {self.total:,} states ({share:.0f} %), {rate:,.0f} a second, {what}"
        print(f"{before}{line}{after}", end="", file=sys.stderr, flush=True)
