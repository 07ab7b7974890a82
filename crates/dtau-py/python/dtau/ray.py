"""dtau on Ray: more states than one machine takes.

:func:`run` goes from Parquet to Parquet, any function of the library, with progress; :func:`map_batches` is the same as a stage of a Ray
dataset. A worker is an actor with one model and one workspace; columns are arrays of states without being copied, where Arrow has
their numbers one after the other.

>>> import dtau, dtau.ray                                                                   # doctest: +SKIP
>>> model = dtau.Model.bundled("quadruped", root="floating")                                # doctest: +SKIP
>>> dtau.ray.run("states.parquet", "derivatives/", model, "fd_derivatives")                 # doctest: +SKIP
>>> dataset = dtau.ray.map_batches(ray.data.read_parquet("states.parquet"), model, "aba")   # doctest: +SKIP

**Arguments** are those of the function, by name. An argument that is an array of states (q, v, tau, …) is the column of its name; a string
names another one, a list of strings several columns of one number each, and an array is the same for all states. So do ``active=``
and ``desired=`` of constraints, and the forces of :class:`dtau.ray.Wrench` in ``f_ext=``. Everything else (``constraints``, ``frame``,
``reference``, ``way``, ``gravity``, …) is as in the function.

**Results** are columns with the names of the function's results (``qdd``, ``dqdd_dq``, …), or its own name if it has only one: numbers, or
tensors of the shape that one state has. They have the same bits as those of the function called on all states at once, for any number
of workers and any size of batches.

Needs Ray: ``pip install dtau[ray]``.
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

# How often a batch or a piece is done again when its worker is lost. What ends every worker, such as too little memory, must end.
RETRIES = 5


class Summary(NamedTuple):
    """What :func:`run` has done."""

    states: int
    failed: int
    """States whose results are NaN; none unless ``on_error="nan"``."""
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
    """A dataset with the results of a function beside its columns.

    Parameters
    ----------
    dataset : ray.data.Dataset
    model : dtau.Model or dtau.Compiled
    function : str
        The name of a function, such as "fd_derivatives"; ``dtau.ray.FUNCTIONS`` has all.
    outputs : list or dict of str
        Which results are wanted; or other names for some of them.
    keep : list of str
        Which columns stay beside the results; all if left out.
    on_error : "raise" or "nan"
        Whether a state that cannot be computed (NaN, null, no unit quaternion, nothing that resists a joint) is an error with
        its row, or has NaN for results.
    workers : int
        How many actors; as many as the cluster has CPUs for if left out. ``threads=``, one if left out, is how many CPUs an actor has.
    batch_size : int
        States of a batch; a batch takes about 32 MB if left out.
    **arguments
        Those of the function; see :mod:`dtau.ray`.

    What is wrong for all states (a column that is not there or is too wide, a frame that does not exist) is an error of this call. For
    lists that do not say how long they are it looks at one row, which executes what comes before.
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
    """A stage that was made where the error of a wrong one is seen."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def __call__(self, batch: pa.Table) -> pa.Table:
        return self.stage(batch)


def _plan(dataset: ray.data.Dataset, stage: Stage) -> _stage.Plan | None:
    """None for datasets that are not of Arrow before they are converted: there is nothing to look at."""
    schema = getattr(dataset.schema(), "base_schema", None)
    if not isinstance(schema, pa.Schema):
        return None
    plan = stage.check(schema)
    if plan.outputs or not (first := dataset.take_batch(1, batch_format="pyarrow")).num_rows:
        return plan
    return stage.check(schema, first)


def _pool(stage: Stage, workers: int | None, most: int | None = None) -> dict[str, Any]:
    """Actors, as ``map_batches`` of Ray wants to be told."""
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
        # One begins, others as there are CPUs: all at once would leave none for what comes before them, and wait for it for ever.
        "compute": ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
        "num_cpus": threads,
    }


def _apply(dataset: ray.data.Dataset, actor: type, *arguments: Any, **options: Any) -> ray.data.Dataset:
    """``map_batches`` with actors that begin again when they are lost, as often as is sensible."""
    with warnings.catch_warnings():
        if "ray_remote_args_fn" in inspect.signature(dataset.map_batches).parameters:
            # Ray 2.64 will not have it, and says so; there the number of retries is Ray's own.
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
    """A function of all states of Parquet files, into a directory of Parquet files.

    Parameters
    ----------
    source : path, URI or list of such
        A file, or a directory with files ``*.parquet``. A row group is the least that a worker takes.
    out : path or URI
        A directory that is empty, or is not there yet. Files ``part-000000-0000.parquet``, … are, in the order of their
        names, in the order of the rows of the source. Last comes ``_SUCCESS``: the results are complete if it is there.
    model, function, outputs, keep, on_error, workers, **arguments
        As in :func:`map_batches`. Errors name the file and the row.
    batch_size : int
        States of a batch, and of a row group of the results; it takes about 32 MB if left out.
    rows_per_file : int
        After so many, the next file begins; a file takes about 256 MB if left out.
    compression : str
        Of the results: "snappy", "zstd", "none", …
    filesystem : pyarrow.fs.FileSystem
        Of both, if paths are of neither this machine nor a URI. All workers must reach it.
    progress : bool, or function of the states done and all states
        Whether to write to standard error how far it is.

    Returns
    -------
    dtau.ray.Summary
        ``.states``, ``.failed``, ``.files``, ``.seconds``.

    Workers read and write the files themselves: states do not pass through Ray's object store. The work of a worker that is lost is done
    again, and its results are there once.
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
            # Few numbers of a trajectory occur twice.
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
    """Does pieces one after the other. An error is a result, so that the caller has it as it is."""

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
    """What came of each piece, as they are done, each once."""
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
    """How far it is: once a second on a terminal, and every ten in a file."""

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
