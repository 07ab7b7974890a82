"""Command line and pictures of the examples."""

import argparse
from pathlib import Path


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a smaller problem, for tests")
    parser.add_argument("--out", default=".", help="where to save the picture")
    return vars(parser.parse_args())


def pyplot():
    import matplotlib

    matplotlib.use("Agg")  # no window
    import matplotlib.pyplot

    return matplotlib.pyplot


def save(figure, directory, name):
    path = Path(directory) / name
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"saved {path}")
