# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark itself: every window of ours says what tshark says, copied and saved."""

import csv
import shutil

import pytest

from lib.captures import CAPTURES
from lib.desktop import TOOLS, WINDOWS, Desktop, words
from lib.tables import table_rows

SESSION = CAPTURES / "tcp-session.pcapng"
WATCHED = '"cpu","\\x5cProcessor Information(_Total)\\x5c% Processor Time"\n'


def test_tools_are_there():
    """These tests are made where the tools are; that they are is said by whoever asked for them."""
    assert all(shutil.which(tool) for tool in TOOLS)


@pytest.fixture
def desktop(tshark, tmp_path):
    desktop = Desktop(tshark, tmp_path / "home", {"perflibv2_watch": WATCHED})
    yield desktop
    desktop.stop()


def saved(desktop, title):
    """The rows of the CSV that a window saves."""
    path = desktop.home / "saved.csv"
    desktop.click(desktop.focus(f"{title} "), -144, -26)
    # The type of file: below its name, behind plain text.
    desktop.click(desktop.focus("Save Statistics"), 316, -26)
    desktop.keys("Down", "Return", "alt+n", "ctrl+a")
    desktop.type(str(path))
    desktop.keys("Return")
    desktop.wait("Save Statistics", is_there=False)
    # Wireshark writes quotes within a text as they are.
    lines = [line[1:].split('","', 1) for line in path.read_text(encoding="utf-8").splitlines()]
    return [[first, *next(csv.reader(['"' + rest]))] for first, rest in lines]


def test_windows(desktop, tshark):
    """Each says what tshark says; numbers are not padded, and the queries and rules come in their order."""
    desktop.start(SESSION)
    commands = [option for command in WINDOWS.values() for option in ("-z", command)]
    watch = ["-o", "uat:perflibv2_watch:" + WATCHED.strip()]
    printed = tshark.run(SESSION, "-2", "-q", *watch, *commands)
    for title in WINDOWS:
        expected = table_rows(printed.split(f"\n{title}:\n")[1].split("\n=====")[0])
        desktop.open(title)
        if not expected:
            desktop.close(f"{title} ")
            continue
        _, header, *rows = desktop.table(f"{title} ")
        assert len(rows) == len(expected), title
        shown = {words(row) for row in rows}
        if title == "PerflibV2 Counters":
            assert header.rstrip().endswith("Max in frame  Max to sort by")
            for cells in expected:
                assert any(row.startswith(words(" ".join(cells))) for row in shown), cells
            assert any("0x800000540000beef" in row for row in shown)
            names, *lines = saved(desktop, title)
            assert names[0] == "Counter" and names[-1] == "Max to sort by"
            assert {tuple(line[:len(expected[0])]) for line in lines} == {tuple(cells) for cells in expected}
        elif title in ("PerflibV2 Calls", "PerflibV2 Watch List", "PerflibV2 Rules", "PLA Calls"):
            assert shown == {words(" ".join(cells)) for cells in expected}, title
        if title == "PerflibV2 Rules":
            verdicts = [words(row).split()[0] for row in rows]
            assert verdicts == sorted(verdicts)
        elif title == "PerflibV2 Queries":
            frames = [int(words(row).split()[0]) for row in rows]
            assert frames == sorted(frames)
        desktop.close(f"{title} ")
    assert desktop.end() == 0
    assert desktop.complaints() == []
