"""How many states a second `dtau.ray.run` computes with one worker and with several, from Parquet to Parquet, on this machine.

    python bench/ray_bench.py [--robot quadruped] [--function fd_derivatives] [--states 200000] [--workers 1 2 4] [--repeat 3]

Beside it: the function alone in one process, and what reading and writing the same files takes of a CPU without it. Each number is the best of
some passes; the first, in which workers start, does not count. Needs `pip install 'ray[data]' pyarrow`.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

os.environ.setdefault("RAY_worker_niceness", "0")  # same priority as the other processes
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
import dtau
import dtau.ray
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from dtau import _arrow


def best(repeat, work):
    """Returns the least wall-clock time."""
    times = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def cpu(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="quadruped")
    parser.add_argument("--root", default="floating")
    parser.add_argument("--function", default="fd_derivatives")
    parser.add_argument("--states", type=int, default=200_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()

    model = dtau.Model.bundled(given.robot, root=given.root)
    rng = np.random.default_rng(0)
    q = model.random(rng, given.states)
    v, a, tau = (rng.uniform(-1, 1, (given.states, model.nv)) for _ in range(3))
    table = pa.table({name: _arrow.column(x) for name, x in (("q", q), ("v", v), ("a", a), ("tau", tau))})
    stage = dtau.ray.Stage(model, given.function, keep=[])
    plan = stage.check(table.schema)
    print(f"{given.robot}, nv = {model.nv}, {given.function}: {plan.bytes_in} bytes in and {plan.bytes_out} out a state, {given.states:,} states")

    alone = best(given.repeat, lambda: stage(table)) / given.states
    print(f"the function alone, to columns in memory: {1e6 * alone:.2f} µs a state, {1 / alone:,.0f} a second")

    with tempfile.TemporaryDirectory() as scratch:
        source, out = Path(scratch) / "in.parquet", Path(scratch) / "out"
        pq.write_table(table, source, row_group_size=max(1, given.states // (8 * max(given.workers))))
        few = table[: min(given.states, 20_000)]
        results = stage(few)
        options = {"use_dictionary": False, "compression": "snappy"}
        reading, _ = cpu(lambda: pq.read_table(source, columns=list(stage.columns.get("q", ())), use_threads=False))
        writing, _ = cpu(lambda: pq.write_table(results, Path(scratch) / "once.parquet", **options))
        print(f"reading q: {1e9 * reading / q.nbytes:.2f} ns of a CPU a byte; writing results: {1e9 * writing / results.nbytes:.2f} ns a byte")

        ray.init(num_cpus=max(given.workers) + 1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        try:
            one = None
            for workers in given.workers:

                def work():
                    shutil.rmtree(out, ignore_errors=True)
                    dtau.ray.run(source, out, model, given.function, keep=[], workers=workers, rows_per_file=given.states // (8 * workers), progress=False)

                took = best(given.repeat, work)
                one = one or took * given.workers[0]
                print(f"{workers} workers: {took:.2f} s, {given.states / took:,.0f} states a second, {one / took:.2f} of one worker's")
        finally:
            ray.shutdown()


if __name__ == "__main__":
    main()
