"""The command: ``dtau``, or ``python -m dtau``. It is the same as the one that cargo builds."""

import signal
import sys

from ._dtau import _command


def main() -> int:
    # Python would wait for the command to return before it heeds Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _command(["dtau", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
