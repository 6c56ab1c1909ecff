# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark itself: every window of ours, a watched counter's graph, columns and filters, another profile, and no complaint."""

import re
import shutil
import time

import pytest

from lib.captures import CAPTURES
from lib.desktop import TOOLS, Desktop
from lib.tables import table_rows

SESSION = CAPTURES / "tcp-session.pcapng"
# As they stand in the submenu, with the command of each.
WINDOWS = {
    "PerflibV2 Counters": "perflibv2,counters", "PerflibV2 Watch List": "perflibv2,watch",
    "PerflibV2 Queries": "perflibv2,queries", "PerflibV2 Calls": "perflibv2,calls",
    "PerflibV2 Usage": "perflibv2,usage", "Performance Monitoring Sessions": "perflibv2,sessions",
    "PerflibV2 Rules": "perflibv2,verdicts",
    "PerfData Counters": "perfdata,counters", "PerfData Watch List": "perfdata,watch",
    "PerfData Queries": "perfdata,queries", "PerfData Usage": "perfdata,usage", "PerfData Sessions": "perfdata,sessions",
    "PLA Calls": "pla,calls", "PLA Data Collector Sets": "pla,sets", "PLA Sessions": "pla,sessions",
}
WATCHED = '"cpu","\\x5cProcessor Information(_Total)\\x5c% Processor Time"\n'


def test_tools_are_there():
    """These tests are made where the tools are; that they are is said by whoever asked for them."""
    assert all(shutil.which(tool) for tool in TOOLS)


@pytest.fixture
def desktop(tshark, tmp_path):
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents:
        if str(parent) == "/tmp":
            break
        parent.chmod(parent.stat().st_mode | 0o011)
    home = tmp_path / "home"
    profile = home / ".config" / "wireshark"
    other = profile / "profiles" / "other"
    other.mkdir(parents=True)
    (profile / "perflibv2_watch").write_text(WATCHED)
    (profile / "io_graphs").write_text('"Enabled","CPU","","#cc0000","Line","MAX(Y Field)","perflibv2.watch.cpu","None","1"\n')
    (other / "perflibv2_watch").write_text('"idle","*\\x5c% Idle Time"\n"none","*no such"\n')
    (other / "preferences").write_text("perflibv2.max_items: 100\n")
    for path in [home, *home.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    desktop = Desktop(tshark, home)
    yield desktop
    desktop.stop()


def open_window(desktop, title):
    """Statistics, Performance Counters (the last of the menu), and down to the title."""
    desktop.focus(SESSION.name)
    desktop.keys("alt+s", "Up", "Right", *["Down"] * list(WINDOWS).index(title), "Return", pause=0.25)
    return desktop.wait(f"{title} ")


def words(line):
    return " ".join(line.split())


def test_windows(desktop, tshark):
    """Each says what tshark says; numbers are not padded, and the queries and rules come in their order."""
    desktop.start(SESSION)
    desktop.wait(SESSION.name)
    commands = [option for command in WINDOWS.values() for option in ("-z", command)]
    watch = ["-o", "uat:perflibv2_watch:" + WATCHED.strip()]
    printed = tshark.run(SESSION, "-2", "-q", *watch, *commands)
    for title in WINDOWS:
        expected = table_rows(printed.split(f"\n{title}:\n")[1].split("\n=====")[0])
        open_window(desktop, title)
        if not expected:
            desktop.keys("Escape")
            desktop.wait(f"{title} ", is_there=False)
            continue
        _, header, *rows = desktop.table(f"{title} ")
        assert len(rows) == len(expected), title
        shown = {words(row) for row in rows}
        if title == "PerflibV2 Counters":
            assert header.rstrip().endswith("Max in frame  Max to sort by")
            for cells in expected:
                assert any(row.startswith(words(" ".join(cells))) for row in shown), cells
            assert any("0x800000540000beef" in row for row in shown)
        elif title in ("PerflibV2 Calls", "PerflibV2 Watch List", "PerflibV2 Rules", "PLA Calls"):
            assert shown == {words(" ".join(cells)) for cells in expected}, title
        if title == "PerflibV2 Rules":
            verdicts = [words(row).split()[0] for row in rows]
            assert verdicts == sorted(verdicts)
        elif title == "PerflibV2 Queries":
            frames = [int(words(row).split()[0]) for row in rows]
            assert frames == sorted(frames)
        desktop.keys("Escape")
        desktop.wait(f"{title} ", is_there=False)
    assert desktop.end() == 0
    assert desktop.complaints() == []


def test_a_session_with_the_mouse_and_keys(desktop):
    """A poll opened, its fields as column and filter, a graph, expert information, another profile, reload, close."""
    desktop.start(SESSION)
    desktop.wait(SESSION.name)
    window = desktop.focus(SESSION.name)
    time.sleep(1)
    desktop.keys("ctrl+g")
    desktop.type("204")
    desktop.keys("Return", pause=1)
    # Analyze, Conversation Filter (behind three dialogs and two filters), the last of it: all calls of the poll's query.
    desktop.keys("alt+a", *["Down"] * 5, "Right", "Up", "Return", pause=0.5)
    time.sleep(2)
    # The first line of the details; then the last one, opened, and the last of all: the return code.
    desktop.click(window, 180, 0.65)
    desktop.keys("End", "Right", "End", "ctrl+shift+i", pause=1)

    desktop.keys("alt+s", "i")
    desktop.wait("I/O Graphs")
    time.sleep(2)
    desktop.keys("Escape")
    desktop.focus(SESSION.name)
    desktop.keys("alt+a", "Up", "Return")
    desktop.wait("Expert Information")
    time.sleep(2)
    desktop.keys("Escape")

    # Another profile: other preferences and another watch list while the capture is open.
    desktop.focus(SESSION.name)
    desktop.keys("ctrl+shift+a")
    desktop.wait("Configuration Profiles")
    desktop.keys("Home", "Down", "Return", pause=1)
    desktop.wait("Configuration Profiles", is_there=False)
    time.sleep(3)
    open_window(desktop, "PerflibV2 Watch List")
    rows = [words(row) for row in desktop.table("PerflibV2 Watch List ")[2:]]
    desktop.keys("Escape")
    assert len(rows) == 2 and rows[0].startswith("idle ") and "matches no counter of the capture" in rows[1]

    desktop.focus(SESSION.name)
    desktop.keys("ctrl+r", pause=3)
    desktop.wait(SESSION.name)
    desktop.keys("ctrl+w", pause=2)
    desktop.wait("Wireshark Network Analyzer")
    assert desktop.end() == 0
    assert desktop.complaints() == []
    recent = (desktop.home / ".config" / "wireshark" / "recent_common").read_text()
    assert "recent.display_filter: perflibv2.query in {1}" in recent
    preferences = (desktop.home / ".config" / "wireshark" / "preferences").read_text()
    assert re.search(r"%Cus:perflibv2\.return_code", preferences)
