# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium without a window, by its own protocol over two pipes: a page goes in; what it shows and complains of comes out."""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perflib-chromium-")
        here_read, there_write = os.pipe()
        there_read, here_write = os.pipe()

        def take():
            """It reads descriptor 3 and writes descriptor 4."""
            read, write = os.dup(there_read), os.dup(there_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        # As root it has no sandbox; a page of ours needs none.
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=take, close_fds=False,
        )
        os.close(there_read)
        os.close(there_write)
        self.input, self.output, self.rest, self.number, self.session = here_write, here_read, b"", 0, None
        self.events, self.complaints = [], []
        target = next(info for info in self.call("Target.getTargets")["targetInfos"] if info["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _message(self, until):
        while b"\0" not in self.rest:
            assert select.select([self.output], [], [], max(0, until - time.monotonic()))[0], "the browser does not answer"
            read = os.read(self.output, 1 << 20)
            assert read, "the browser ended"
            self.rest += read
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(message["params"])
        self.events.append(message)
        return message

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.input, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while (message := self._message(until)).get("id") != self.number:
            pass
        assert "error" not in message, message
        return message["result"]

    def open(self, path, width, height=900, dark=False):
        """Shows a file in a window of that size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=path.as_uri())
        until = time.monotonic() + PATIENCE
        while not any(message.get("method") == "Page.loadEventFired" for message in self.events):
            self._message(until)

    def ask(self, expression):
        """What a piece of script comes to."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self, path, height=None, top=0):
        """A PNG of the page, from its top or from further down; height: so much of it, else all."""
        clip = self.ask("({x: 0, width: innerWidth, height: document.documentElement.scrollHeight, scale: 1})")
        clip.update(y=top, height=height or clip["height"] - top)
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def sheets(self):
        """On how many sheets of A4 the page is printed."""
        data = base64.b64decode(self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
        return len(re.findall(rb"/Type\s*/Page\b", data))

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)
