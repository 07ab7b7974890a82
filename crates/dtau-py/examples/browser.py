"""Looks at a page with headless Chromium: what its console says, its pixels, and a screenshot.

The protocol of Chromium's developer tools, over the websockets that viser brings.
"""

import base64
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars --remote-debugging-port=0"
).split()
DEADLINE = 120


def chromium():
    """The program, or None where there is none."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """A page in a browser of its own."""

    def __init__(self, socket):
        self.socket, self.numbers, self.errors = socket, itertools.count(1), []

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            answer = json.loads(self.socket.recv(timeout=DEADLINE))
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)
        raise TimeoutError(method)

    def _note(self, event):
        kind, of = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.errors.append(of["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif kind == "Runtime.consoleAPICalled" and of["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in of["args"]))
        elif kind == "Log.entryAdded" and of["entry"]["level"] == "error":
            self.errors.append(of["entry"]["text"])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression):
        """Waits until an expression of JavaScript is true."""
        end = time.monotonic() + DEADLINE
        while not self.evaluate(expression):
            assert time.monotonic() < end, f"{expression} is not true after {DEADLINE} s; {self.errors}"
            time.sleep(0.1)

    def go(self, address):
        """Opens the page of an address or a file, without viser's note about slow graphics."""
        address = str(address) if "://" in str(address) else Path(address).absolute().as_uri()
        self.call("Page.navigate", url=address)
        self.wait_for("document.readyState == 'complete' && !!document.querySelector('canvas')")
        self.hide("[class*=Notification]")

    def hide(self, selector):
        """Hides elements of the page."""
        self.evaluate(f"document.head.insertAdjacentHTML('beforeend', '<style>{selector} {{display: none !important}}</style>')")

    def capture(self):
        """A PNG of the page as it is now."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def screenshot(self):
        """A PNG of the page, as soon as it has been the same for a second."""
        before, since = None, time.monotonic()
        end = since + DEADLINE
        while time.monotonic() < end:
            now = self.capture()
            if now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > 1:
                return now
            time.sleep(0.2)
        raise TimeoutError("the page does not come to rest")


@contextlib.contextmanager
def opened(address, width=640, height=480, scale=1):
    """A page in a new browser."""
    from websockets.sync.client import connect

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as data:
        command = [chromium(), *FLAGS, f"--user-data-dir={data}", "about:blank"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            try:
                port = next(found[1] for line in process.stderr if (found := re.search(r"ws://[^:]+:(\d+)/", line)))
                with connect(f"ws://127.0.0.1:{port}/devtools/page/{_first_page(port)}", max_size=None, proxy=None) as socket:
                    page = Page(socket)
                    for domain in ("Page", "Runtime", "Log"):
                        page.call(f"{domain}.enable")
                    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
                    page.go(address)
                    yield page
            finally:
                process.kill()


def _first_page(port):
    from urllib.request import ProxyHandler, build_opener

    with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{port}/json", timeout=DEADLINE) as answer:
        return next(target["id"] for target in json.load(answer) if target["type"] == "page")
