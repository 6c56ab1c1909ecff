# SPDX-License-Identifier: GPL-2.0-or-later
"""After Tools, Performance Counters, Capture report a window of counters looks as it did before."""

import shutil
import time

from lib.captures import CAPTURES
from lib.desktop import PATIENCE, Desktop

COUNTERS = "PerflibV2 Counters"


def drawn(desktop):
    """The texts that the window shows at first, as dark pixels: headings of groups are not among what it copies."""
    desktop.open(COUNTERS)
    window = desktop.focus(f"{COUNTERS} ")
    desktop.tool("mousemove", 0, 0)
    # The window is whole once it looks the same twice.
    before, end = None, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        desktop.settle()
        screen = desktop.screen()
        place = dict(line.split("=") for line in desktop.tool("getwindowgeometry", "--shell", window).split())
        x, y, width, height = (int(place[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        now = [screen.row(line, max(x, 0), min(width, screen.width - max(x, 0))) for line in range(max(y, 0), y + height // 2)]
        if now == before:
            break
        before = now
        time.sleep(0.3)
    desktop.close(f"{COUNTERS} ")
    return [[at for at in range(0, len(row), 4) if max(row[at:at + 3]) < 100] for row in now]


def test_the_next_window_has_the_name_of_its_first_group(tshark, tmp_path):
    """As it has in a Wireshark that made no report."""
    folder = tmp_path / "captures"
    folder.mkdir()
    folder.chmod(0o777)
    capture = folder / "tcp-session.pcapng"
    shutil.copy(CAPTURES / "tcp-session.pcapng", capture)
    browser = folder / "xdg-open"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    shown = []
    for has_report in (False, True):
        desktop = Desktop(tshark, tmp_path / f"home{has_report}")
        desktop.environment["PATH"] = f"{folder}:{desktop.environment['PATH']}"
        try:
            desktop.start(capture)
            if has_report:
                desktop.opened("Capture report", "alt+t", "Up", "Right", "Return")
                desktop.keys("Return")
                end = time.monotonic() + PATIENCE
                while not (folder / "tcp-session-report.html").exists() and time.monotonic() < end:
                    time.sleep(0.2)
            shown.append(drawn(desktop))
            assert desktop.end() == 0 and desktop.complaints() == []
        finally:
            desktop.stop()
    without, after = shown
    assert len(without) > 100 and sum(map(len, without)) > 1000
    # A row under the pointer has another ground, and so the edges of its letters.
    assert len(without) == len(after) and all(abs(len(one) - len(other)) <= 4 + len(one) // 4 for one, other in zip(without, after))
