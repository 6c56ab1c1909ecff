# SPDX-License-Identifier: GPL-2.0-or-later
"""Windows that are opened twice, or stay open while the file is read again or closed. What is freed is overwritten: Wireshark
reads the rows itself, which no sanitizer of ours watches."""

import shutil
import signal

import pytest

from lib.captures import CAPTURES
from lib.desktop import GRAPH, TRIALS, WATCHED, WINDOWS, Desktop, again

SESSION = CAPTURES / "tcp-session.pcapng"


def windows_of(desktop, title):
    return desktop.tool("search", "--onlyvisible", "--name", f"{title} ").split()


@pytest.mark.parametrize("title", WINDOWS)
def test_window_opened_twice_keeps_its_rows(tshark, tmp_path, title):
    """Apply in the second counts anew: the first still shows its rows, sorts them and is filtered itself. What is freed is
    overwritten: Wireshark reads the rows itself, which no sanitizer of ours watches."""
    desktop = Desktop(tshark, tmp_path / "home")
    desktop.environment["MALLOC_PERTURB_"] = "165"
    try:
        open_twice(desktop, title)
    finally:
        desktop.stop()


def open_twice(desktop, title):
    desktop.start(CAPTURES / {"PLA": "pla-session.pcapng", "PerfData": "perfdata-windows.pcapng"}.get(title.split()[0], SESSION.name))
    first = desktop.open(title)
    number = list(WINDOWS).index(title)
    desktop.focus(desktop.capture)
    for _ in range(TRIALS):
        desktop.keys("alt+s", ["Up", "Right", *["Down"] * number, "Return"])
        if len(windows_of(desktop, title)) == 2:
            break
        desktop.keys("Escape", "Escape", "Escape")
        desktop.focus(desktop.capture)
    second, = set(windows_of(desktop, title)) - {first}
    for applied, sorted_one in ((second, first), (second, first), (first, second)):
        desktop.tool("windowactivate", "--sync", applied)
        desktop.settle()
        desktop.click(applied, -51, -58)
        desktop.tool("windowactivate", "--sync", sorted_one)
        desktop.settle()
        desktop.click(sorted_one, 60, 25)
        desktop.click(sorted_one, 60, 25)
    desktop.tool("windowactivate", "--sync", second)
    desktop.keys("Escape")
    desktop.tool("windowactivate", "--sync", first)
    desktop.click(first, -51, -58)
    desktop.click(first, 60, 25)
    desktop.end_well()


def test_windows_outlive_files(tshark, tmp_path):
    """Every table open while the file is read again, closed, and another one is opened; a display filter that is none, which
    Wireshark does not take, and another one are applied. What is freed is overwritten."""
    folder = tmp_path / "captures"
    folder.mkdir()
    folder.chmod(0o777)
    for name in ("both-apis", "pla-session"):
        shutil.copy(CAPTURES / f"{name}.pcapng", folder)
    desktop = Desktop(tshark, tmp_path / "home", {"perflibv2_watch": WATCHED, "io_graphs": GRAPH})
    desktop.environment["MALLOC_PERTURB_"] = "165"
    try:
        first, second = folder / "both-apis.pcapng", folder / "pla-session.pcapng"
        desktop.start(first, *(option for command in WINDOWS.values() for option in ("-z", command)))
        windows = {title: desktop.wait(f"{title} ") for title in WINDOWS}
        for title, window in windows.items():
            for text in ("no.such.field ==", "frame.number > 3"):
                desktop.tool("windowactivate", "--sync", window)
                desktop.click(window, 200, -58)
                desktop.keys("ctrl+a")
                desktop.type(text)
                desktop.click(window, -51, -58)
        for keys in (["ctrl+r"], ["ctrl+shift+l"], ["ctrl+w"]):
            desktop.focus(desktop.capture)
            desktop.keys(*keys)
        desktop.capture = "Wireshark Network Analyzer"
        desktop.open_capture(second)
        for title, window in windows.items():
            if window in desktop.titles().values():
                desktop.tool("windowactivate", "--sync", window)
                desktop.click(window, 60, 25)
        desktop.end_well()
    finally:
        desktop.stop()


@again
def test_dialogs_opened_twice_crash_nothing(tshark, tmp_path):
    """Watch a counter... and the capture report twice, with another profile chosen in between and the list of counters left open."""
    folder = tmp_path / "captures"
    folder.mkdir()
    folder.chmod(0o777)
    shutil.copy(SESSION, folder)
    desktop = Desktop(tshark, tmp_path / "home", {"perflibv2_watch": WATCHED, "profiles/Other/preferences": ""})
    desktop.environment["MALLOC_PERTURB_"] = "165"
    desktop.environment["PATH"] = f"{folder}:{desktop.environment['PATH']}"
    (folder / "xdg-open").write_text("#!/bin/sh\n")
    (folder / "xdg-open").chmod(0o755)
    try:
        desktop.start(folder / SESSION.name)
        for step in range(2):
            desktop.opened("Capture report", "alt+t", "Up", "Right", "Return")
            # The second time the file exists, which the user is asked about.
            desktop.keys(*(step + 1) * ["Return"])
            desktop.opened("Watch a counter", "alt+t", ["Up", "Right", "Up", "Return"])
            desktop.keys("Escape")
            desktop.wait("Watch a counter", is_there=False)
            desktop.opened("Configuration Profiles", "ctrl+shift+a")
            desktop.keys("Down" if step == 0 else "Up", "Return")
            desktop.wait("Configuration Profiles", is_there=False)
        desktop.end_well()
        assert (folder / "tcp-session-report.html").exists()
    finally:
        desktop.stop()


def test_another_crash_fails(tshark, tmp_path):
    """Only Wireshark's own crash makes a test begin anew. Any other crash fails it, with its trace."""
    desktop = Desktop(tshark, tmp_path / "home")
    try:
        desktop.start(SESSION)
        desktop.wireshark.send_signal(signal.SIGSEGV)
        with pytest.raises(AssertionError, match=r"Wireshark ended with -11: \['Crashed in:', '.*\(main\+"):
            desktop.wait("never")
    finally:
        desktop.stop()
