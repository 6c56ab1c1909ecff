# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin's profile: its columns show what a poll is about in windows of several widths, and on a screen of many pixels."""

import re

import pytest

from lib.captures import CAPTURES, REPOSITORY
from lib.desktop import Desktop

PROFILE = REPOSITORY / "plugin" / "packaging" / "profile"
# The colors of a request and of an answer with values: its file colorfilters.
REQUEST, VALUES = (230, 229, 255), (204, 255, 204)
DARK = 110
# Requests and a poll. The first is selected, which has another color.
PACKETS = "frame.number in {125, 140, 144}"
REQUESTED, SEEN = "QueryCounterData request, query 1", "QueryCounterData response, query 1, Processor Information, interval 1"


def ink(screen, color, left, right):
    """The first and last dark pixel between those of a line of the packet list, which has a color."""
    found = []
    for y in range(screen.height):
        if screen.count(color, left, y, right - left, 1) > (right - left) // 3:
            row = screen.row(y, left, right - left)
            found += [left + at // 4 for at in range(0, len(row), 4) if max(row[at:at + 3]) < DARK]
    return min(found), max(found)


def widths_in(recent):
    """Column -> width in such a file of Wireshark's."""
    return {name: int(pixels) for name, pixels in re.findall(r'(%[^,"]+)"?,\s+(-?\d+)', recent.read_text().partition("column.width:")[2])}


@pytest.mark.parametrize("scale, width", [(1, 1280), (1, 800), (2, 1400)])
def test_counterset_and_interval_are_seen(tshark, tmp_path, scale, width):
    desktop = Desktop(tshark, tmp_path / "home", {f"profiles/perflib/{path.name}": path.read_text() for path in PROFILE.iterdir()})
    desktop.environment["QT_SCALE_FACTOR"] = str(scale)
    try:
        window = desktop.start(CAPTURES / "both-apis.pcapng", "-C", "perflib", "-Y", PACKETS)
        desktop.tool("windowsize", "--sync", window, width, 800)
        desktop.tool("windowmove", "--sync", window, 0, 0)
        desktop.tool("mousemove", 0, 899)
        desktop.settle()
        screen = desktop.screen()
        widths = widths_in(PROFILE / "recent")
        left = scale * (widths["%m"] + widths["%t"])
        right = min(left + scale * widths["%i"], width)
        begin, end = ink(screen, REQUEST, left, right)
        assert begin - left < 10 * scale
        letter = (end - begin) / len(REQUESTED)
        begin, end = ink(screen, VALUES, left, right)
        # The last letter may be a sign that more follows.
        assert (end - begin) / letter - 1 > len(SEEN)
        desktop.end_well()
        # Wireshark writes -1 for a column whose width it did not find.
        assert len(widths) == 9 and -1 not in widths_in(desktop.profile / "profiles" / "perflib" / "recent").values()
    finally:
        desktop.stop()
