"""The command: ``dtau``, or ``python -m dtau``. It is the same program as the one that cargo builds."""

import signal
import sys

from ._dtau import _command


def main() -> int:
    # Python would handle Ctrl-C only after the command returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _command(["dtau", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
