"""Opens pages in headless Chromium and asserts what a reader would see.

    look.py [--pictures DIR] PAGE...

A page is copied with assertions appended to it (assertions.js), which leave their findings in the document; Chromium prints
the document and its console. No framework, no network.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WIDTHS = (390, 820, 1400)
SCHEMES = {"light": 1, "dark": 0}  # Blink's preferredColorScheme
ASSERTIONS = (Path(__file__).parent / "assertions.js").read_text()


# Chromium's windows are not narrower than this; a narrower page is shown in a frame.
NARROWEST = 500
FRAME = """<!doctype html><title>frame</title><style>body {{ margin: 0; background: #888 }} iframe {{ border: 0; display: block }}
</style><iframe src="{page}" width="{width}" height="{height}"></iframe><script>
addEventListener("message", event => {{
  const findings = document.createElement("script");
  findings.type = "text/plain";
  findings.id = "findings";
  findings.textContent = event.data.replaceAll("</", "<\\/");
  document.body.append(findings);
}});</script>"""


def chromium(page, width, height, scheme, *options):
    if width < NARROWEST:
        with tempfile.TemporaryDirectory() as scratch:
            frame = Path(scratch) / "frame.html"
            frame.write_text(FRAME.format(page=page.as_uri(), width=width, height=height))
            return chromium(frame, NARROWEST, height, scheme, *options)
    # A profile of its own: several run at once.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            "chromium",
            "--headless",
            f"--user-data-dir={profile}",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--enable-logging=stderr",
            f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
            f"--window-size={width},{height}",
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
        run = chromium(copy, width, 1000, scheme, "--virtual-time-budget=4000", "--dump-dom")
    found = re.search(r'<script type="text/plain" id="findings">(.*?)</script>', run.stdout, re.S)
    if not found:
        return [f"the assertions did not run: {run.stderr[-300:]}"]
    findings = json.loads(found.group(1))
    problems = findings["problems"] + [f"console: {line}" for line in console(run)]
    if findings["width"] != width:
        problems.append(f"asked for a width of {width}, and it is {findings['width']}")
    if findings["dark"] != (scheme == "dark"):
        problems.append(f"asked for {scheme}, and it is not")
    print(f"{page.name} {findings['width']} {scheme}: {findings['seen']}", flush=True)
    return problems


def shoot(page, width, scheme, out):
    name = page.parent.name if page.stem == "index" else page.stem
    picture = (out / f"{name}-{width}-{scheme}.png").resolve()
    chromium(page, width, 6000 if width > NARROWEST else 9000, scheme, f"--screenshot={picture}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=Path, help="leave screenshots there")
    parser.add_argument("pages", type=Path, nargs="+")
    options = parser.parse_args()
    views = list(itertools.product([page.resolve() for page in options.pages], WIDTHS, SCHEMES))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda view: look(*view), views))
        if options.pictures:
            list(pool.map(lambda view: shoot(*view, options.pictures), views))
    for (page, width, scheme), found in zip(views, problems):
        for problem in found:
            print(f"FAILED {page.name} {width} {scheme}: {problem}")
    sys.exit(1 if any(problems) else 0)


if __name__ == "__main__":
    main()
