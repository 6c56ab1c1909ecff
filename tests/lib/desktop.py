# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark on a display that nobody sees: keys go in, titles, copied tables and complaints come out."""

import os
import re
import shutil
import subprocess
import time

TOOLS = ["Xvfb", "openbox", "xdotool", "xclip", "wireshark"]

# What Wireshark itself complains of on a machine without a desktop.
HARMLESS = re.compile(r"nl80211|XDG_RUNTIME_DIR|dbus|D-Bus|propagateSizeHints|dconf|libEGL|MESA|QStandardPaths|resetPreviousFocus")

PATIENCE = 60


class Desktop:
    """A display of its own, with a window manager, as a menu and a dialog need the keyboard's focus."""

    def __init__(self, tshark, home):
        self.home = home
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
            pass_fds=[writer], stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        run = home / "run"
        run.mkdir()
        os.chmod(run, 0o700)
        if os.geteuid() == 0:
            shutil.chown(run, 65534, 65534)
        self.environment = tshark.environment([("DISPLAY", f":{number}"), ("HOME", str(home)), ("XDG_RUNTIME_DIR", str(run))])
        self.manager = subprocess.Popen(["openbox"], env=self.environment, stderr=subprocess.DEVNULL)
        self.tshark = tshark
        self.wireshark = None

    def start(self, capture, *options):
        self.errors = (self.home / "errors").open("w+b")
        self.wireshark = subprocess.Popen(
            self.tshark.command("-r", capture, *options, program="wireshark"), env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors,
        )

    def tool(self, *arguments):
        result = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True, check=False)
        return result.stdout

    def titles(self):
        """Title -> window of all that are open."""
        windows = {}
        for window in self.tool("search", "--onlyvisible", "--name", ".").split():
            windows[self.tool("getwindowname", window).strip()] = window
        return windows

    def wait(self, title, is_there=True):
        """The window whose title has these words, as soon as it is there; or None as soon as it is gone."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.wireshark.poll() is None, f"Wireshark ended with {self.wireshark.returncode}: {self.complaints()}"
            found = [window for name, window in self.titles().items() if title in name]
            if bool(found) == is_there:
                return found[0] if found else None
            time.sleep(0.2)
        raise AssertionError(f"{title}: {'not there' if is_there else 'still there'}: {list(self.titles())}")

    def keys(self, *keys, pause=0.4):
        for key in keys:
            self.tool("key", "--clearmodifiers", key)
            time.sleep(pause)

    def type(self, text):
        self.tool("type", "--delay", "20", text)

    def focus(self, title):
        window = self.wait(title)
        self.tool("windowactivate", "--sync", window)
        return window

    def click(self, window, x, part):
        """Clicks at x, and so far down the window: 0 is its upper edge, 1 the lower one."""
        height = int(re.search(r"Geometry: \d+x(\d+)", self.tool("getwindowgeometry", window))[1])
        self.tool("mousemove", "--window", window, x, int(height * part))
        self.tool("click", 1)
        time.sleep(0.5)

    def table(self, title):
        """The rows that a window copies, blanks between columns made one; without its frame."""
        window = self.focus(title)
        subprocess.run(["xclip", "-selection", "clipboard", "-i", "/dev/null"], env=self.environment, check=False)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.tool("mousemove", "--window", window, 100, 90)
            self.tool("click", 3)
            time.sleep(0.5)
            self.keys("Down", "Return")
            copied = subprocess.run(["xclip", "-selection", "clipboard", "-o"], env=self.environment, capture_output=True, check=False)
            text = copied.stdout.decode()
            if text.count("\n") >= 4:
                return [line for line in text.splitlines() if line and not re.fullmatch("[=-]+", line)]
            self.keys("Escape")
            window = self.focus(title)
        raise AssertionError(f"{title}: nothing copied")

    def complaints(self):
        self.errors.seek(0)
        return [line for line in self.errors.read().decode("utf-8", "replace").splitlines() if line and not HARMLESS.search(line)]

    def end(self):
        """Ends Wireshark as its user does; its exit code."""
        self.keys("ctrl+q")
        return self.wireshark.wait(PATIENCE)

    def stop(self):
        for process in (self.wireshark, self.manager, self.server):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
