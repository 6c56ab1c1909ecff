# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark on a display that nobody sees: keys go in; titles, copied tables, pixels and complaints come out."""

import contextlib
import functools
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import zlib
from pathlib import Path

from lib.registered import library

TOOLS = ["Xvfb", "openbox", "xdotool", "xclip", "wireshark"]

# What Wireshark itself complains of on a machine without a desktop.
HARMLESS = re.compile(r"nl80211|XDG_RUNTIME_DIR|dbus|D-Bus|propagateSizeHints|dconf|libEGL|MESA|QStandardPaths|resetPreviousFocus"
                      r"|FIX Add drag|QThreadStorage|QCPItemTracer|XCB error: 3 \(BadWindow\)"
                      # It begins to read packets for one window while it does so for another.
                      r"|nested process_specified_records\("
                      # It tells when a live capture begins and ends.
                      r"|\[Capture MESSAGE\]"
                      # A curve that was left open when its file was closed stops listening again with the next file.
                      r"|remove_tap_listener\(\): no listener found"
                      r"|There are no interfaces on which a capture can be done"
                      # Of newer versions of Qt, about dialogs of Wireshark's own.
                      r"|wildcard call disconnects from destroyed signal of \w+Dialog::")

PATIENCE, TRIALS, ANEW = 60, 4, 5

# A dialog's fields are white; of a strip at its right edge, above one another, so much at least.
WHITE, STRIP, FIELD_HEIGHT = (255, 255, 255), 40, 12

# As they stand in the submenu Performance Counters, with the command of each.
WINDOWS = {
    "Performance Monitoring Findings": "perflib,findings", "Performance Monitoring Sessions": "perflibv2,sessions",
    "PerflibV2 Counters": "perflibv2,counters", "PerflibV2 Watch List": "perflibv2,watch",
    "PerflibV2 Queries": "perflibv2,queries", "PerflibV2 Calls": "perflibv2,calls",
    "PerflibV2 Usage": "perflibv2,usage", "PerflibV2 Missing": "perflibv2,missing",
    "PerflibV2 Rules": "perflibv2,rules",
    "PerfData Counters": "perfdata,counters", "PerfData Watch List": "perfdata,watch",
    "PerfData Queries": "perfdata,queries", "PerfData Usage": "perfdata,usage", "PerfData Missing": "perfdata,missing",
    "PerfData Sessions": "perfdata,sessions",
    "PLA Calls": "pla,calls", "PLA Data Collector Sets": "pla,sets", "PLA Sessions": "pla,sessions",
}

# Settings of Wireshark's: a list of one watched counter, and its curve.
CPU = "\\Processor Information(_Total)\\% Processor Time"
WATCHED = f'"cpu","{CPU}"\n'.replace("\\", "\\x5c")
GRAPH = '"Enabled","CPU","","#cc0000","Line","MAX(Y Field)","perflibv2.watch.cpu","None","1"\n'

# All of them asleep so many times in a row, so many seconds apart: nothing is being done, and nobody waits for the processor.
QUIET, LOOK_INTERVAL = 5, 0.012

# Seconds that a slow Wireshark runs before it is stopped.
SLICE = 0.02


def states(process):
    """The states of a process's threads and of its children's, R: runs or waits for the processor; the time they took."""
    found, ticks = "", 0
    waiting = [process]
    while waiting:
        number = waiting.pop()
        for task in Path(f"/proc/{number}/task").glob("*"):
            try:
                fields = (task / "stat").read_text().rpartition(")")[2].split()
                waiting += (task / "children").read_text().split()
            except OSError:     # it has just ended
                continue
            found += fields[0]
            ticks += int(fields[11]) + int(fields[12])
    return found, ticks


class ForeignCrash(Exception):
    """Wireshark's own crash: see again()."""


def crashed_in_title(errors):
    """Whether Wireshark crashed in QWidget::accessibleName while a window was given its title: crash.c writes so, or a sanitizer."""
    frames = errors.partition("Crashed in:\n")[2].splitlines() or re.findall(r"^ *#\d+ .*", errors, re.M) or [""]
    return re.search(r"\(_ZNK7QWidget14accessibleNameEv\+| in QWidget::accessibleName\(", frames[0]) is not None and any(
        re.search(r"\(_ZN7QWidget14setWindowTitleE| in QWidget::setWindowTitle\(", line) for line in frames[1:])


def again(test):
    """
    For a test that opens a dialog of Tools after another one was closed. Wireshark's FunnelStringDialog cuts all of its
    connections when it is closed, also the one by which Qt 6 forgets what it keeps of a dialog for screen readers. If another
    dialog comes to the same address, Qt uses that, and crashes, whichever plugin or script asked for the dialog. The plugin
    makes it unlikely (tools_menu_ask()). If it happens, the test begins anew, with another Wireshark.
    """

    @functools.wraps(test)
    def run(**fixtures):
        begun = dict(fixtures)
        for trial in range(ANEW):
            try:
                return test(**begun)
            except ForeignCrash:
                if "desktop" in begun:
                    begun["desktop"].begin_anew()
                else:
                    begun["tmp_path"] = fixtures["tmp_path"] / f"again-{trial}"
                    begun["tmp_path"].mkdir()
        return test(**begun)

    return run


def words(line):
    """A line with one blank where it has several."""
    return " ".join(line.split())


class Screen:
    """What Xvfb shows: the file of its frame buffer, in the format of xwd."""

    def __init__(self, path):
        data = path.read_bytes()
        header = struct.unpack_from(">25I", data)
        self.width, self.height, self.line = header[4], header[5], header[12]
        self.pixels = data[header[0] + 12 * header[19]:]

    def row(self, y, x=0, width=None):
        """Pixels of a line, as bytes of blue, green, red and nothing."""
        return self.pixels[y * self.line + 4 * x:y * self.line + 4 * (self.width if width is None else x + width)]

    def count(self, color, x=0, y=0, width=None, height=None):
        """How many pixels of a part have a color (red, green, blue)."""
        wanted = bytes(reversed(color))
        found = 0
        for line in range(y, self.height if height is None else y + height):
            row = self.row(line, x, width)
            found += sum(row[at:at + 3] == wanted for at in range(0, len(row), 4)) if wanted in row else 0
        return found

    def write(self, path):
        """As a PNG."""
        self.write_rows(path, [self.row(y) for y in range(self.height)])

    @staticmethod
    def write_rows(path, rows):
        """Rows of pixels as a PNG."""
        lines = b"".join(b"\0" + bytes(byte for at in range(0, len(row), 4) for byte in row[at:at + 3][::-1]) for row in rows)

        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        header = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 2, 0, 0, 0)
        Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                               + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


class Desktop:
    """A display of its own, with a window manager, as a menu and a dialog need the keyboard's focus."""

    def __init__(self, tshark, home, settings=()):
        """home: a folder that is made; settings: {name of a file of Wireshark's: text}."""
        self.home, self.settings = home, settings
        self.profile = home / ".config" / "wireshark"
        self.frames = home / "frames"
        for folder in (self.profile, self.frames):
            folder.mkdir(parents=True)
        for name, text in dict(settings).items():
            (self.profile / name).parent.mkdir(parents=True, exist_ok=True)
            (self.profile / name).write_text(text)
        # Wireshark may run as another user.
        for path in [home, *home.rglob("*")]:
            path.chmod(0o777 if path.is_dir() else 0o666)
        for parent in home.parents:
            if parent == Path(tempfile.gettempdir()):
                break
            if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp",
             "-noreset", "-fbdir", self.frames],
            pass_fds=[writer], stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        run = self.home / "run"
        run.mkdir()
        os.chmod(run, 0o700)
        if os.geteuid() == 0:
            shutil.chown(run, 65534, 65534)
        # No programs that capture elsewhere: with a sanitizer in them Wireshark waits for them without end.
        self.environment = tshark.environment([("DISPLAY", f":{number}"), ("HOME", str(home)), ("XDG_RUNTIME_DIR", str(run)),
                                               ("WIRESHARK_EXTCAP_DIR", str(run))])
        self.manager = subprocess.Popen(["openbox"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.tshark = tshark
        self.wireshark = None
        end = time.monotonic() + PATIENCE
        while not self.tool("get_num_desktops").strip().isdigit():      # what only a window manager tells
            assert self.manager.poll() is None and time.monotonic() < end, "no window manager"
            time.sleep(LOOK_INTERVAL)

    def start(self, capture, *options, read="-r", open_files=()):
        """
        Begins with a capture; returns its window when it is read. read: the option that the capture is the value of; open_files:
        descriptors that Wireshark gets, too.
        """
        self.capture = capture.name
        self.errors = (self.home / "errors").open("w+b")
        crash = [library().with_name("crash.so")] if library() else []
        self.wireshark = subprocess.Popen(
            self.tshark.command(read, capture, *options, program="wireshark", preloaded=crash), env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors, pass_fds=open_files,
        )
        return self.focus(self.capture)

    def tool(self, *arguments):
        result = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True, check=False)
        self.tell_foreign_crash()
        return result.stdout

    def said(self):
        """All that Wireshark wrote to standard error."""
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def tell_foreign_crash(self):
        if self.wireshark is not None and self.wireshark.poll() and crashed_in_title(self.said()):
            raise ForeignCrash(self.complaints())

    def titles(self):
        """Title -> window of all that are open."""
        windows = {}
        for window in self.tool("search", "--onlyvisible", "--name", ".").split():
            windows[self.tool("getwindowname", window).strip()] = window
        return windows

    def wait(self, title, is_there=True, patience=PATIENCE):
        """The window whose title has these words, as soon as it is there; or None as soon as it is gone."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            self.tell_foreign_crash()
            assert self.wireshark.poll() is None, f"Wireshark ended with {self.wireshark.returncode}: {self.complaints()}"
            # The main window has the capture's name, which others end with.
            titles = self.titles()
            found = [titles[name] for name in sorted(titles, key=len) if title in name]
            if bool(found) == is_there:
                return found[0] if found else None
            time.sleep(0.2)
        raise TimeoutError(f"{title}: {'not there' if is_there else 'still there'}: {list(self.titles())}")

    def settle(self):
        """Waits until nobody has anything to do: the display, the window manager, Wireshark."""
        end = time.monotonic() + PATIENCE
        quiet, before = 0, None
        while quiet < QUIET and time.monotonic() < end:
            now = [states(process.pid) for process in (self.server, self.manager, self.wireshark)]
            quiet = quiet + 1 if now == before and not any(set(found) & set("RD") for found, _ in now) else 0
            before = now
            time.sleep(LOOK_INTERVAL)

    @contextlib.contextmanager
    def slow(self):
        """Wireshark runs a sixth of the time, as if it had six times as much to do."""
        ends = threading.Event()

        def throttle():
            while not ends.wait(SLICE):
                self.wireshark.send_signal(signal.SIGSTOP)
                ends.wait(5 * SLICE)
                self.wireshark.send_signal(signal.SIGCONT)

        thread = threading.Thread(target=throttle)
        thread.start()
        try:
            yield
        finally:
            ends.set()
            thread.join()

    def keys(self, *keys):
        """Keys or, in a list, those that need not wait for what the one before them does."""
        for key in keys:
            self.tool("key", "--clearmodifiers", *(key if isinstance(key, list) else [key]))
            self.settle()

    def type(self, text):
        self.tool("type", "--delay", "5", text)
        self.settle()

    def screen(self):
        return Screen(self.frames / "Xvfb_screen0")

    def focus(self, title):
        window = self.wait(title)
        self.tool("windowactivate", "--sync", window)
        self.settle()
        return window

    def size(self, window):
        return tuple(map(int, re.search(r"Geometry: (\d+)x(\d+)", self.tool("getwindowgeometry", window)).groups()))

    def click(self, window, x, y):
        """Clicks so many pixels from the left and the upper edge of a window, or from the others if negative; y below 1: so
        far down."""
        width, height = self.size(window)
        self.tool("mousemove", "--window", window, x % width, int(y * height) if 0 < y < 1 else y % height)
        self.tool("click", 1)
        self.settle()

    def fields(self, dialog):
        """How far below its upper edge the text fields of a dialog are, which reach its right edge."""
        width, height = self.size(dialog)
        self.tool("mousemove", "--window", dialog, 0, 0)
        left, top = map(int, re.search(r"x:(\d+) y:(\d+)", self.tool("getmouselocation")).groups())
        screen, found, begun = self.screen(), [], None
        for y in range(height):
            # Text leaves some of it white.
            if screen.count(WHITE, left + width - STRIP, top + y, STRIP, 1) >= STRIP // 4:
                begun = y if begun is None else begun
            else:
                if begun is not None and y - begun >= FIELD_HEIGHT:
                    found.append((begun + y) // 2)
                begun = None
        return found

    def fill(self, dialog, texts):
        """Types into a dialog's fields, from above; they are looked for before any has a text."""
        fields = self.fields(dialog)
        assert len(fields) == len(texts), f"fields at {fields}"
        for y, text in zip(fields, texts):
            self.click(dialog, -STRIP // 2, y)
            self.keys("ctrl+a", "Delete")
            if text:
                self.type(text)

    def open(self, title):
        """A window of ours: Statistics, Performance Counters (the last of the menu), and down to the title."""
        return self.opened(f"{title} ", "alt+s", ["Up", "Right", *["Down"] * list(WINDOWS).index(title), "Return"])

    def opened(self, title, *keys):
        """The window that keys open in the main one; keys that were too early, as the machine has much to do, go in again."""
        for _ in range(TRIALS):
            self.focus(self.capture)
            self.keys(*keys)
            try:
                self.wait(title, patience=PATIENCE / TRIALS)
                break
            except TimeoutError:
                self.keys("Escape", "Escape", "Escape")
        return self.focus(title)

    def open_capture(self, path):
        """Another capture, in the place of the one that is open."""
        dialog = "Open Capture File"
        self.opened(dialog, "ctrl+o")
        for trial in range(2 * TRIALS):
            if trial % 2 == 0:      # on a busy machine a letter may be lost
                self.keys("alt+n", "ctrl+a")
                self.type(str(path))
            # The first may only choose what the dialog completed.
            self.keys("Return")
            with contextlib.suppress(TimeoutError):
                self.wait(dialog, is_there=False, patience=PATIENCE / TRIALS / 2)
                break
        self.capture = path.name
        self.focus(self.capture)

    def close(self, title):
        self.focus(title)
        self.keys("Escape")
        self.wait(title, is_there=False)

    def copied(self, how):
        """What stands in the clipboard after how() was done, which is tried again while nothing does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            subprocess.run(["xclip", "-selection", "clipboard", "-i", "/dev/null"], env=self.environment, check=False)
            how()
            copied = subprocess.run(["xclip", "-selection", "clipboard", "-o"], env=self.environment, capture_output=True, check=False)
            if copied.stdout:
                return copied.stdout.decode()
        raise AssertionError(f"nothing copied; windows: {list(self.titles())}")

    def table(self, title):
        """The rows that a window copies, without its frame."""

        def copy():
            window = self.focus(title)
            self.tool("mousemove", "--window", window, 100, 90)
            self.tool("click", 3)
            self.settle()
            self.keys("Down", "Return")

        return [line for line in self.copied(copy).splitlines() if line and not re.fullmatch("[=-]+", line)]

    def complaints(self):
        return [line for line in self.said().splitlines() if line and not HARMLESS.search(line)]

    def end(self):
        """Ends Wireshark as its user does; its exit code."""
        self.focus(self.capture)
        self.tool("key", "ctrl+q")
        code = self.wireshark.wait(PATIENCE)
        self.tell_foreign_crash()
        return code

    def end_well(self):
        assert self.end() == 0
        complaints = self.complaints()
        assert not complaints, complaints

    def begin_anew(self):
        """As if nothing had been done."""
        self.stop()
        shutil.rmtree(self.home)
        self.__init__(self.tshark, self.home, self.settings)

    def stop(self):
        for process in (self.wireshark, self.manager, self.server):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
