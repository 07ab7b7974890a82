"""Tests on a real Ray cluster with several worker processes: same bits as the local call, even if workers are
lost, with little memory."""

import math
import os
import runpy
import signal
import sys
import threading

import dtau
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import LONG, PACKAGE, REPOSITORY, ROBOTS, random_state, run
from dtau import _arrow
from ray_cluster import CPUS, OBJECT_STORE, cluster, workers_of_this_cluster  # noqa: F401: a fixture
from test_ray_columns import array_of, assert_same

import dtau.ray

ARM = ROBOTS["arm"]()
STATES = 3000


def write_states(path, model, states, row_group_size, seed=0):
    q, v, a, tau = random_state(model, seed, states)
    columns = {"id": pa.array(np.arange(states)), **{n: _arrow.column(x) for n, x in zip(("q", "v", "a", "tau"), (q, v, a, tau))}}
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)
    return q, v, a, tau


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Returns two files, and the states."""
    directory = tmp_path_factory.mktemp("states")
    parts = [write_states(directory / f"{k}.parquet", ARM, STATES // 2, 100 + 50 * k, seed=k) for k in range(2)]
    return directory, [np.concatenate(x) for x in zip(*parts)]


@pytest.mark.parametrize("workers, batch, per_file", [(1, 7, 400), (4, 100, 100)] if LONG else [(2, 7, 400)])
def test_run_has_the_bits_of_the_local_call_in_the_order_of_the_source(cluster, source, tmp_path, workers, batch, per_file):  # noqa: F811
    directory, (q, v, _, tau) = source
    seen = []
    show = lambda done, total: seen.append((done, total))  # noqa: E731
    options = dict(workers=workers, batch_size=batch, rows_per_file=per_file, keep=["id"], progress=show)
    done = dtau.ray.run(directory, tmp_path / "out", ARM, "fd_derivatives", **options)
    out = pq.read_table(tmp_path / "out")
    assert_same(out, dtau.fd_derivatives(ARM, q, v, tau), "fd_derivatives")
    assert out["id"].to_pylist() == 2 * list(range(STATES // 2))
    assert done.states == STATES and done.failed == 0 and seen[-1] == (STATES, STATES) and len(seen) > 3
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names[0] == "_SUCCESS" and len(names) == done.files + 1 and all(x.startswith("part-") for x in names[1:])


def test_a_dataset_has_the_bits_of_the_local_call(cluster, source):  # noqa: F811
    _, (q, v, a, _) = source
    table = pa.table({"id": np.arange(STATES), **{n: _arrow.column(x) for n, x in (("q", q), ("v", v), ("a", a))}})
    blocks = cluster.data.from_arrow([table[k : k + 450] for k in range(0, STATES, 450)])
    made = dtau.ray.map_batches(blocks, ARM, "id_derivatives", outputs={"tau": "torque"}, workers=3, batch_size=13)
    got = made.take_batch(STATES, batch_format="numpy")  # tensors become arrays
    order, want = np.argsort(got["id"]), dtau.id_derivatives(ARM, q, v, a)
    assert np.array_equal(got["id"][order], np.arange(STATES)) and np.array_equal(got["q"][order], q)
    for name, array in zip(("torque", "dtau_dq", "dtau_dv", "dtau_da"), want):
        assert np.array_equal(got[name][order], array), name


def test_tensors_of_ray_are_states(cluster, source):  # noqa: F811
    _, (q, _, _, _) = source
    made = dtau.ray.map_batches(cluster.data.from_numpy(q), ARM, "crba", q="data", batch_size=100)
    got = made.take_batch(STATES, batch_format="numpy")
    assert len(got["data"]) == STATES and np.array_equal(got["crba"], dtau.crba(ARM, got["data"]))


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_a_worker_that_is_killed_loses_nothing_and_repeats_nothing(cluster, tmp_path):  # noqa: F811
    model, states = ROBOTS["quadruped"](), 12_000 if LONG else 6_000
    q, v, a, _ = write_states(tmp_path / "in.parquet", model, states, 500)
    killed = []

    def show(done, total):
        if done >= 2000 and not killed:  # some are done, others not, and each worker is half way through one
            (*_, victim) = workers_of_this_cluster("MapBatches(_Worker)")
            os.kill(victim, signal.SIGKILL)
            killed.append((victim, done))

    options = dict(workers=2, batch_size=50, rows_per_file=500, progress=show)
    done = dtau.ray.run(tmp_path / "in.parquet", tmp_path / "out", model, "rnea", **options)
    assert killed and killed[0][1] < states
    assert done.states == states and done.files == states // 500
    out = pq.read_table(tmp_path / "out")
    assert out["id"].to_pylist() == list(range(states))
    assert np.array_equal(array_of(out["rnea"]), dtau.rnea(model, q, v, a))
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")], "unfinished files are left"


class Deadly:
    """Ends its process when called."""

    def __call__(self, batch):
        os.kill(os.getpid(), signal.SIGKILL)


def test_work_that_ends_every_worker_ends(cluster, monkeypatch):  # noqa: F811
    if not LONG:
        monkeypatch.setattr(dtau.ray, "RETRIES", 1)
    pool = dtau.ray._pool(dtau.ray.Stage(ARM, "crba"), 1)
    with pytest.raises(Exception, match="(?i)died|is unavailable") as error:
        dtau.ray._apply(cluster.data.from_items([{"id": 0}]), Deadly, batch_size=1, **pool).take_all()
    assert "creation task" not in str(error.value)  # it did start


def resident(pid):
    """Returns the bytes of private memory of a process."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0  # it has ended in between


class Sampler:
    """States of a robot by index, so that datasets can have any size without a file."""

    def __init__(self, model):
        self.model = model

    def __call__(self, batch):
        ids = np.asarray(batch["id"])
        return pa.table({"id": ids, "q": _arrow.column(self.model.random(int(ids[0]), len(ids)))})


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("way", ["run", "dataset"])
def test_memory_is_bounded_whatever_the_data(cluster, tmp_path, way):  # noqa: F811
    """Results of more than the object store has, by far. A worker takes a few batches more than when it began."""
    model, block, times = ROBOTS["humanoid"](), 1000, 3 if LONG else 1.5
    size = 8 * model.nv**2
    blocks = math.ceil(times * OBJECT_STORE / (block * size))
    states = blocks * block
    most, stop = [0], threading.Event()
    title = {"run": "MapBatches(_Worker)", "dataset": "MapBatches(_Actor)"}[way]

    def watch():
        while not stop.wait(0.1):
            most[0] = max([most[0], *(resident(pid) for pid in workers_of_this_cluster(title))])

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        if way == "run":
            table = pa.table({"q": _arrow.column(model.random(0, states))})
            pq.write_table(table, tmp_path / "in.parquet", row_group_size=block)
            dtau.ray.run(tmp_path / "in.parquet", tmp_path / "out", model, "crba", workers=2, batch_size=200, keep=[], progress=False)
        else:
            numbers = cluster.data.range(states, override_num_blocks=blocks)
            sampled = numbers.map_batches(Sampler, fn_constructor_args=(model,), batch_size=block, compute=cluster.data.ActorPoolStrategy(size=1))
            dtau.ray.map_batches(sampled, model, "crba", workers=2, batch_size=200, keep=["id"]).write_parquet(str(tmp_path / "out"))
    finally:
        stop.set()
        watching.join(30)
    written = sum(pq.read_metadata(path).num_rows for path in (tmp_path / "out").glob("*.parquet"))
    print(f"{way}: {states * size / 2**20:.0f} MB of results, at most {most[0] / 2**20:.0f} MB in a worker")
    assert written == states and states * size >= times * OBJECT_STORE
    # Python, Ray and Arrow take about 120 MB before the first batch. A batch has 2 MB, and a block of Ray has
    # the size in `ray_cluster`.
    assert 0 < most[0] < 220 << 20


WRONG = {
    "nothing there": (dict(source="none.parquet"), FileNotFoundError, "none.parquet: there is no such file"),
    "no table": (dict(source="text.parquet"), ValueError, "text.parquet: it is no Parquet file"),
    "function": (dict(function="aab"), KeyError, 'no function "aab"; did you mean "aba"'),
    "column": (dict(tau="torque"), KeyError, 'in.parquet: there is no column "torque" for `tau`'),
    "width": (dict(tau="short"), ValueError, r'in.parquet: `tau` has shape \(\.\.\., 2\).*the column "short"'),
    "collision": (dict(outputs={"aba": "tau"}), ValueError, 'in.parquet: the result "tau" would replace'),
    "others": (dict(source=["in.parquet", "other.parquet"]), KeyError, 'other.parquet: there is no column "v"'),
    "kinds": (dict(source=["in.parquet", "single.parquet"]), ValueError, "single.parquet: its columns, .* are not those of .*in.parquet"),
    "not empty": (dict(out="full"), FileExistsError, "full: it is not empty"),
    "a file": (dict(out="text.parquet"), FileExistsError, "text.parquet: it is a file"),
    "workers": (dict(workers=0), ValueError, "`workers` is 0"),
    "batch": (dict(batch_size=-1), ValueError, "`batch_size` is -1"),
    "threads": (dict(threads=0), ValueError, "`threads` is 0"),
    "compression": (dict(compression="zip"), ValueError, "zip"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_before_work_starts(what, tmp_path, monkeypatch):
    """No cluster is needed to find these errors."""
    monkeypatch.chdir(tmp_path)
    q, v, _, tau = write_states("in.parquet", ARM, 10, 5)
    with_short = pq.read_table("in.parquet").append_column("short", pa.array([[0.0, 1.0]] * 10))
    pq.write_table(with_short, "in.parquet")
    pq.write_table(pa.table({"q": _arrow.column(q)}), "other.parquet")
    single = pq.read_table("in.parquet").set_column(1, "q", _arrow.column(q.astype(np.float32)))
    for k, name in ((2, "v"), (4, "tau")):
        single = single.set_column(k, name, _arrow.column({"v": v, "tau": tau}[name].astype(np.float32)))
    pq.write_table(single, "single.parquet")
    (tmp_path / "text.parquet").write_text("q v tau")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "old.parquet").write_bytes(b"")
    given, kind, message = WRONG[what]
    given = dict(source="in.parquet", out="out", function="aba", workers=1) | given
    with pytest.raises(kind, match=message):
        dtau.ray.run(given.pop("source"), given.pop("out"), ARM, given.pop("function"), **given)
    assert not (tmp_path / "out").exists()


def test_a_state_that_fails_is_named_with_its_file_and_row(cluster, tmp_path):  # noqa: F811
    write_states(tmp_path / "a.parquet", ARM, 300, 100)
    q, v, _, tau = write_states(tmp_path / "b.parquet", ARM, 300, 100)
    v[217, 3] = np.nan
    table = pq.read_table(tmp_path / "b.parquet")
    pq.write_table(table.set_column(2, "v", _arrow.column(v)), tmp_path / "b.parquet", row_group_size=100)
    options = dict(workers=2, batch_size=30, rows_per_file=100, progress=False)
    with pytest.raises(ValueError, match=r"^.*/b\.parquet, row 217: `v\[3\]` is nan") as error:
        dtau.ray.run(tmp_path, tmp_path / "out", ARM, "aba", **options)
    assert type(error.value) is ValueError
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    for path in (tmp_path / "out").iterdir():
        pq.read_metadata(path)  # existing files are complete

    sources = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    done = dtau.ray.run(sources, tmp_path / "again", ARM, "aba", on_error="nan", **options)
    got = array_of(pq.read_table(tmp_path / "again")["aba"])
    assert done.failed == 1 and np.flatnonzero(np.isnan(got).any(axis=1)).tolist() == [517]
    v[217, 3] = 0
    fine = np.arange(300) != 217
    assert np.array_equal(got[300:][fine], dtau.aba(ARM, q, v, tau)[fine])

    dataset = cluster.data.from_arrow(pq.read_table(tmp_path / "b.parquet"))
    with pytest.raises(Exception, match=r"row 217 of a batch: `v\[3\]` is nan"):
        dtau.ray.map_batches(dataset, ARM, "aba", workers=1).materialize()


def test_wrong_columns_of_a_dataset_are_said_at_once(cluster, source):  # noqa: F811
    dataset = cluster.data.from_arrow(pq.read_table(source[0]))
    with pytest.raises(KeyError, match='no column "torque" for `tau`'):
        dtau.ray.map_batches(dataset, ARM, "aba", tau="torque")
    lists = cluster.data.from_arrow(pa.table({"q": pa.array([[0.0] * 5])}))
    with pytest.raises(ValueError, match=r"`q` has shape \(\.\.\., 5\).*nq = 6"):
        dtau.ray.map_batches(lists, ARM, "crba")


def test_workers_that_take_every_cpu_are_warned_of(cluster, source):  # noqa: F811
    dataset = cluster.data.from_arrow(pq.read_table(source[0]))
    with pytest.warns(UserWarning, match="may wait for ever"):
        dtau.ray.map_batches(dataset, ARM, "aba", threads=CPUS)


def test_no_states_make_a_file_with_the_columns(tmp_path):
    write_states(tmp_path / "in.parquet", ARM, 0, 10)
    done = dtau.ray.run(tmp_path / "in.parquet", tmp_path / "out", ARM, "crba", keep=["id"], workers=1, progress=False)
    out = pq.read_table(tmp_path / "out")
    assert done[:3] == (0, 0, 1) and out.num_rows == 0 and out.column_names == ["id", "crba"]
    assert out.schema.field("crba").type.shape == [6, 6]


def test_progress_is_a_line(cluster, source, tmp_path, capsys):  # noqa: F811
    dtau.ray.run(source[0], tmp_path / "out", ARM, "energy", workers=2)
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert line.startswith("dtau.ray: 3,000 of 3,000 states (100 %), ") and line.endswith(" s")


def test_blocks_of_the_documentation_run(cluster, tmp_path, monkeypatch):  # noqa: F811
    """Runs the blocks that need Ray, page by page. All others run elsewhere."""
    monkeypatch.chdir(tmp_path)
    write_states("states.parquet", ROBOTS["quadruped"](), 100, 50)  # the file that the README reads
    count = 0
    for page in (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))):
        scope = {}
        for block in page.read_text().split("```python ray\n")[1:]:
            exec(compile(block.split("```")[0], str(page), "exec"), scope)
            count += 1
    assert count >= 3, "there are none"


def test_the_example_runs_and_saves_its_picture(cluster, tmp_path, monkeypatch):  # noqa: F811
    """On the cluster that is there; with DTAU_LONG as a program, which begins one."""
    program = PACKAGE / "examples" / "ray_pipeline.py"
    arguments = [str(program), "--short", "--out", str(tmp_path)]
    if LONG:
        run([sys.executable, *arguments])
    else:
        monkeypatch.setattr(sys, "argv", arguments)
        monkeypatch.syspath_prepend(program.parent)
        for name in ("init", "shutdown"):
            monkeypatch.setattr(cluster, name, lambda **_: None)
        runpy.run_path(str(program), run_name="__main__")
    assert (tmp_path / "ray_pipeline.png").stat().st_size > 10_000
