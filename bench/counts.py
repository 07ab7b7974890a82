#!/usr/bin/env python3
"""Counts instructions and touched memory of dtau's main kernels; bench/counts.sh is the way in."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

STORED = Path(__file__).resolve().parent / "results" / "instructions.json"
ROBOTS = ["arm6", "quadruped", "humanoid", "chain_100"]
QUANTITIES = ["rnea", "aba", "crba", "minverse", "id_derivatives", "fd_derivatives"]
DRIFT = 0.02  # smallest drift that is marked


def valgrind(tool, kernel, *arguments, log):
    command = ["valgrind", *tool, f"--log-file={log}", str(kernel), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def instructions(kernel, robot, quantity):
    """Returns the instructions of one warm call."""

    def total(calls):
        with tempfile.NamedTemporaryFile("r") as log:
            tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
            valgrind(tool, kernel, robot, quantity, calls, log=log.name)
            return int(re.search(r"Collected : (\d+)", log.read())[1])

    return (total(12) - total(2)) // 10


def touched(kernel, robot, quantity):
    """Returns (bytes of all lines that a warm call reads or writes, bytes of its arguments and results).

    The kernel stores to a variable before and after its last call, and prints its address.
    """
    # The trace is long, so awk keeps only the part between the two stores. Valgrind loads programs at the
    # same address every time, so a first run gives the address.
    with tempfile.NamedTemporaryFile("r") as log:
        mark, known = valgrind(["--tool=none"], kernel, robot, quantity, 2, log=log.name).split()
    mark = mark.removeprefix("0x").zfill(8)
    program = f"""
        ($1 == "S" || $1 == "M") && index($2, "{mark},") == 1 {{ on = !on; next }}
        on && $1 != "I" && $1 ~ /^[LSM]$/ {{ print $2 }}
    """
    awk = subprocess.Popen(["awk", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    trace = awk.stdin.fileno()
    command = ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-fd={trace}", kernel, robot, quantity, "2"]
    traced = subprocess.Popen(command, stdout=subprocess.DEVNULL, pass_fds=[trace])
    awk.stdin.close()
    lines = set()
    for access in awk.stdout:
        address, size = access.split(",")
        address = int(address, 16)
        lines.update(range(address // 64, (address + int(size) - 1) // 64 + 1))
    if traced.wait() or awk.wait():
        sys.exit(f"counts: tracing {robot} {quantity} failed")
    if not lines:
        sys.exit(f"counts: found no accesses of {robot} {quantity} in the trace")
    return 64 * len(lines), int(known)


def table(head, rows):
    widths = [max(len(str(row[k])) for row in [head, *rows]) for k in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(str(x).ljust(w) if k < 2 else str(x).rjust(w) for k, (x, w) in enumerate(zip(row, widths))))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kernel", required=True, type=Path)
    options.add_argument("--compiler", required=True)
    options.add_argument("--check", action="store_true", help="show the drift from what is stored; store nothing")
    options = options.parse_args()
    stored = {}
    if STORED.exists():
        stored = {(c["robot"], c["quantity"]): c for c in json.loads(STORED.read_text())["counts"]}
    cases = [(robot, quantity) for robot in ROBOTS for quantity in QUANTITIES]
    counts, shown = [], []
    for i, (robot, quantity) in enumerate(cases):
        print(f"[{i + 1}/{len(cases)}] {robot} {quantity}", file=sys.stderr)
        count = {"robot": robot, "quantity": quantity, "instructions": instructions(options.kernel, robot, quantity)}
        if not options.check:
            count["bytes_touched"], count["bytes_in_and_out"] = touched(options.kernel, robot, quantity)
        counts.append(count)
        before, now = stored.get((robot, quantity), {}).get("instructions"), count["instructions"]
        drift = f"{now / before - 1:+.1%}" + (" !" if abs(now / before - 1) > DRIFT else "") if before else ""
        shown.append([robot, quantity, f"{before:,}" if before else "", f"{now:,}", drift])
    table(["robot", "quantity", "stored", "now", "drift"], shown)
    if not options.check:
        lines = ",\n    ".join(json.dumps(c) for c in counts)
        text = f'{{\n  "compiler": {json.dumps(options.compiler)},\n  "counts": [\n    {lines}\n  ]\n}}\n'
        STORED.write_text(text)
        print(f"stored in {STORED.relative_to(Path.cwd())}", file=sys.stderr)


if __name__ == "__main__":
    main()
