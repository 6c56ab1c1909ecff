# SPDX-License-Identifier: GPL-2.0-or-later
"""Tools, Performance Counters, Watch a counter...: a counter of the capture is on the watch list, and its packets are shown."""

import pytest

from lib.captures import CAPTURES
from lib.desktop import Desktop

TITLE = "Watch a counter"
UTILITY = '"\\x5c\\x5cWIN-PERF01\\x5cProcessor Information(_Total)\\x5c% Processor Utility"'


@pytest.fixture
def desktop(tshark, tmp_path):
    desktop = Desktop(tshark, tmp_path / "home", {"perflibv2_watch": '"cpu","*Idle Time"\n'})
    yield desktop
    desktop.stop()


def ask(desktop):
    return desktop.opened(TITLE, "alt+t", ["Up", "Right", "Down", "Return"])


def answer(desktop, window, counter, name=""):
    desktop.click(window, -100, 30)
    for text in (counter, name):
        desktop.keys("ctrl+a", "Delete")
        if text:
            desktop.type(text)
        desktop.keys("Tab")
    desktop.keys("Return")


def watched(desktop):
    return [line for line in (desktop.profile / "perflibv2_watch").read_text().splitlines() if not line.startswith("#")]


def test_a_counter_is_watched(desktop):
    """By a part of its path; again by its number with no name; the same twice adds nothing; a name that is taken is refused."""
    desktop.start(CAPTURES / "tcp-session.pcapng")
    answer(desktop, ask(desktop), "(_total)\\% processor util", "util")
    desktop.wait(TITLE, is_there=False)
    assert watched(desktop) == ['"cpu","*Idle Time"', f'"util",{UTILITY}']
    assert "Counters of the capture" not in " ".join(desktop.titles())
    answer(desktop, ask(desktop), "(_total)\\% processor util", "util")
    desktop.wait(TITLE, is_there=False)
    answer(desktop, ask(desktop), "(_total)\\% processor util")
    desktop.wait(TITLE, is_there=False)
    assert watched(desktop) == ['"cpu","*Idle Time"', f'"util",{UTILITY}', f'"processor_utility",{UTILITY}']
    for counter, name in (("(_total)\\% processor util", "cpu"), ("no such counter", ""), ("", ""), ("Processor Information", "many")):
        answer(desktop, ask(desktop), counter, name)
        # The message, and then the dialog again.
        desktop.keys("Return")
        desktop.focus(TITLE)
        desktop.keys("Escape")
        desktop.wait(TITLE, is_there=False)
        desktop.close("Counters of the capture")
    assert len(watched(desktop)) == 3
    assert desktop.end() == 0
    assert desktop.complaints() == []
    recent = (desktop.profile / "recent_common").read_text()
    assert "recent.display_filter: perflibv2.watch.util" in recent
    assert "recent.display_filter: perflibv2.watch.processor_utility" in recent


@pytest.mark.parametrize("capture", ["foreign", None], ids=["without polls", "no capture"])
def test_nothing_to_watch(desktop, capture):
    desktop.start(CAPTURES / f"{capture or 'foreign'}.pcapng")
    if capture is None:
        desktop.keys("ctrl+w")
        desktop.capture = "Wireshark Network Analyzer"
    desktop.focus(desktop.capture)
    desktop.keys("alt+t", ["Up", "Right", "Down", "Return"])
    assert not any(TITLE in title for title in desktop.titles())
    desktop.keys("Return")
    assert desktop.end() == 0
    assert desktop.complaints() == []
