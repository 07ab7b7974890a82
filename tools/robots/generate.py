#!/usr/bin/env python3
"""Write the URDF files of crates/dtau/robots; with --check, only say which differ."""

import sys
from pathlib import Path

import arm6
import arm7_gripper
import double_pendulum
import humanoid
import quadruped

ROBOTS = Path(__file__).resolve().parents[2] / "crates" / "dtau" / "robots"


def main():
    check = sys.argv[1:] == ["--check"]
    stale = []
    for module in double_pendulum, arm6, arm7_gripper, quadruped, humanoid:
        path = ROBOTS / f"{module.__name__}.urdf"
        text = module.urdf().encode()
        if check:
            stale += [path.name] if not path.exists() or path.read_bytes() != text else []
        else:
            path.write_bytes(text)
    if stale:
        sys.exit(f"{', '.join(stale)}: not what tools/robots/generate.py writes; run it")


if __name__ == "__main__":
    main()
