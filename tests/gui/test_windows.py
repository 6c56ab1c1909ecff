# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark itself: every window of ours says what tshark says, copied and saved."""

import csv
import re
import shutil

import pytest

from lib.captures import CAPTURES
from lib.desktop import TOOLS, WINDOWS, Desktop, words
from lib.tables import counters_of, table_rows

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
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = [next(csv.reader([head]))]
    # Wireshark writes quotes within a text as they are; the first and the last column have names.
    for line in lines:
        match = re.fullmatch(r'"(.*?)",((?:\d|"[^"]*",\d).*),"(\\\\.*)"', line)
        if match:
            rows.append([match[1], *next(csv.reader([match[2]])), match[3]])
    return rows


def check_counters(desktop, header, expected):
    """Numbers have the digits that tshark prints, or those stand beside them; a name is the path without its group."""
    columns = ["Counter", "Last", "Max", "Unit", "Samples", "Max in frame", "Mean", "Min", "Min in frame", "First", "Path"]
    assert words(header) == " ".join(columns)
    names, *lines = saved(desktop, "PerflibV2 Counters")
    assert names == columns
    lines = {line[-1]: line[:-1] for line in lines}
    assert len(lines) == len(expected) > 100
    digits = 0
    for path, (unit, samples, first, last, least, mean, most, frame) in expected.items():
        name, *cells = lines[re.sub(r" \(aggregated from \d+ instances?\)$", "", path)]
        assert path.endswith(name) and name.startswith(("(", "\\"))
        if samples == "0":
            assert cells == [unit, "0"] and unit
            continue
        shown_unit, shown_samples = cells[2:4]
        assert shown_samples == samples
        # A terminal may have fewer columns; flags and addresses have no mean.
        told = [text for text in (last, most, frame, *([] if last.startswith("0x") else [mean]), least, "", first)]
        shown = cells[:2] + cells[4:]
        assert len(told) == len(shown) and told[0] and told[1] and told[2]
        assert [float.fromhex(text) if text.startswith("0x") else float(text) for text in told if text] == [
            float(number) for text, number in zip(told, shown) if text]
        digits += shown_unit != unit
        assert shown_unit in (unit, f"last {last}, max {most}")
    assert digits and any("0x800000d00000beef" in line[3] for line in lines.values())


def test_windows(desktop, tshark):
    """Each says what tshark says; numbers are not padded, and the queries and rules come in their order."""
    desktop.start(SESSION)
    commands = [option for command in WINDOWS.values() for option in ("-z", command)]
    watch = ["-o", "uat:perflibv2_watch:" + WATCHED.strip()]
    printed = tshark.run(SESSION, "-2", "-q", *watch, *commands)
    for title in WINDOWS:
        text = printed.split(f"\n{title}:\n")[1].split("\n=====")[0]
        expected = table_rows(text)
        desktop.open(title)
        if not expected:
            desktop.close(f"{title} ")
            continue
        _, header, *rows = desktop.table(f"{title} ")
        shown = {words(row) for row in rows}
        if title == "PerflibV2 Counters":
            check_counters(desktop, header, counters_of(text))
            desktop.close(f"{title} ")
            continue
        # A terminal may have fewer rows and columns, and the machine on a line of its own.
        assert len(rows) >= len(expected), title
        if title in ("PerflibV2 Calls", "PerflibV2 Watch List", "PerflibV2 Rules", "PLA Calls"):
            for cells in expected:
                assert any(not [cell for cell in cells[1:] if words(cell) not in row] for row in shown), (title, cells)
        if title == "PerflibV2 Rules":
            verdicts = [words(row).split()[0] for row in rows]
            assert verdicts == sorted(verdicts)
        elif title == "PerflibV2 Queries":
            frames = [int(words(row).split()[0]) for row in rows]
            assert frames == sorted(frames)
        desktop.close(f"{title} ")
    assert desktop.end() == 0
    assert desktop.complaints() == []
