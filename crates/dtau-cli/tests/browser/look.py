"""Opens pages in headless Chromium and asserts what a reader would see.

    look.py OUT PAGE...

A page is copied with assertions appended to it (assertions.js), which leave their findings in the document; Chromium prints
the document and its console. No framework, no network.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = (390, 820, 1400)
SCHEMES = {"light": 1, "dark": 0}  # Blink's preferredColorScheme
ASSERTIONS = (Path(__file__).parent / "assertions.js").read_text()


def chromium(page, width, scheme, *options):
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--enable-logging=stderr",
        f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
        f"--window-size={width},1000",
        *options,
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=180)


def console(run):
    """What the page wrote to the console."""
    return [line for line in run.stderr.splitlines() if ":CONSOLE" in line or "CONSOLE(" in line]


def look(page, width, scheme):
    """A list of problems."""
    html = page.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "page.html"
        copy.write_text(html.replace("</body>", f"<script>{ASSERTIONS}</script></body>"))
        run = chromium(copy, width, scheme, "--virtual-time-budget=4000", "--dump-dom")
    found = re.search(r'<script type="text/plain" id="findings">(.*?)</script>', run.stdout, re.S)
    if not found:
        return [f"the assertions did not run: {run.stderr[-300:]}"]
    findings = json.loads(found.group(1))
    problems = findings["problems"] + [f"console: {line}" for line in console(run)]
    if findings["dark"] != (scheme == "dark"):
        problems.append(f"asked for {scheme}, and it is not")
    print(f"{page.name} {findings['width']} {scheme}: {findings['seen']}")
    return problems


def main():
    out, *pages = map(Path, sys.argv[1:])
    failed = False
    for page in [page.resolve() for page in pages]:
        for width in WIDTHS:
            for scheme in SCHEMES:
                for problem in look(page, width, scheme):
                    failed = True
                    print(f"  FAILED {page.name} {width} {scheme}: {problem}")
                name = page.parent.name if page.stem == "index" else page.stem
                picture = (out / f"{name}-{width}-{scheme}.png").resolve()
                height = "--window-size=%d,%d" % (width, 6000 if width > 500 else 9000)
                chromium(page, width, scheme, height, f"--screenshot={picture}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
