"""One cluster on this machine for all tests, with separate worker processes and a small object store. It is
always stopped."""

import faulthandler
import os
import threading
from pathlib import Path

import pytest
from conftest import LONG

# Three or four workers at once on any machine, and CPUs for the preceding stages.
CPUS = 5 if LONG else 4
# Ray's minimum.
OBJECT_STORE = 80 << 20
# All of these tests take a minute, or several on a busy machine. Longer runs count as hanging.
DEADLINE = 400


@pytest.fixture(scope="session")
def cluster(request):
    os.environ["RAY_AUTH_MODE"] = "disabled"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_worker_niceness"] = "0"  # otherwise workers would hardly run on a busy machine
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"  # nothing starts another cluster when this one ends
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # workers must find the classes of tests
    import ray

    def end():
        faulthandler.dump_traceback(request.config.dtau_stderr)
        ray.shutdown()
        os._exit(1)

    watch = threading.Timer(DEADLINE, end)
    watch.daemon = True
    watch.start()
    ray.init(num_cpus=CPUS, object_store_memory=OBJECT_STORE, include_dashboard=False, log_to_driver=False, logging_level="WARNING")
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.target_max_block_size = 4 << 20
        yield ray
    finally:
        ray.shutdown()
        watch.cancel()


def processes():
    """Returns {id: (parent, title)} of the processes on this machine."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                title = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]), title
            except (OSError, ValueError):
                pass  # it has ended in between
    return found


def workers_of_this_cluster(title):
    """Returns descendants of this process with this title."""
    found = processes()

    def is_ours(pid):
        while pid in found:
            if pid == os.getpid():
                return True
            pid = found[pid][0]
        return False

    return [pid for pid, (_, name) in found.items() if title in name and pid != os.getpid() and is_ours(pid)]

