# SPDX-License-Identifier: GPL-2.0-or-later
"""Tools, Performance Counters, Watch a counter...: a counter of the capture is on the watch list, its curve and its packets are shown."""

import pytest

from lib.captures import CAPTURES
from lib.desktop import Desktop, again

TITLE = "Watch a counter"
UTILITY = '"\\x5c\\x5cWIN-PERF01\\x5cProcessor Information(_Total)\\x5c% Processor Utility"'


@pytest.fixture
def desktop(tshark, tmp_path):
    desktop = Desktop(tshark, tmp_path / "home", {"perflibv2_watch": '"cpu","*Idle Time"\n'})
    yield desktop
    desktop.stop()


def ask(desktop):
    return desktop.opened(TITLE, "alt+t", ["Up", "Right", "Up", "Return"])


def answer(desktop, dialog, counter, name=""):
    desktop.fill(dialog, [counter, name])
    desktop.keys("Return")


def click_first_field(desktop, dialog):
    desktop.click(dialog, -100, desktop.fields(dialog)[0])


def cancel(desktop):
    desktop.focus(TITLE)
    desktop.keys("Escape")
    desktop.wait(TITLE, is_there=False)


def rows(desktop, name):
    return [line for line in (desktop.profile / name).read_text().splitlines() if line and not line.startswith("#")]


# One counter alone, and one of each processor, of which the total is meant.
@again
@pytest.mark.parametrize("text", ["(_total) processor util", "processor util"])
def test_six_actions_lead_from_wish_to_curve(desktop, tshark, text):
    """From the wish to the curve: three menus, a click into the field, a part of the path, the return key."""
    capture = CAPTURES / "tcp-session.pcapng"
    desktop.start(capture)
    actions = [
        lambda: desktop.keys("alt+t"),
        lambda: desktop.keys(["Up", "Right"]),
        lambda: desktop.keys(["Up", "Return"]),
        lambda: click_first_field(desktop, desktop.focus(TITLE)),
        lambda: desktop.type(text),
        lambda: desktop.keys("Return"),
    ]
    for action in actions:
        action()
    assert len(actions) == 6
    graph = desktop.focus("I/O Graphs")
    name, *points = desktop.copied(lambda: desktop.click(graph, -326, -26)).splitlines()
    expected = tshark.fields(capture, "perflibv2.watch.it", options=["-2", "-o", f'uat:perflibv2_watch:"it",{UTILITY}'],
                             display_filter="perflibv2.watch.it")
    assert name == '"Interval start","processor_utility"'
    values = [float(point.split(",")[1]) for point in points]
    assert max(values) == pytest.approx(max(float(value) for (cell,) in expected for value in cell), rel=1e-5) and len(values) > 3
    assert rows(desktop, "perflibv2_watch")[-1] == f'"processor_utility",{UTILITY}'
    assert [line.split(",")[5:7] for line in rows(desktop, "io_graphs")] == [['"MAX(Y Field)"', '"perflibv2.watch.processor_utility"']]
    desktop.end_well()
    assert "recent.display_filter: perflibv2.watch.processor_utility" in (desktop.profile / "recent_common").read_text()


@again
def test_number_chooses_one_of_several_counters(desktop):
    """A list of ten at most, of which a number chooses, or nothing the first; then the curves are Wireshark's own, and the
    user learns what to add. The same twice adds nothing; a name in use is refused; a text that no counter has is asked again."""
    desktop.start(CAPTURES / "tcp-session.pcapng")
    dialog = ask(desktop)
    lines = desktop.size(dialog)[1]
    answer(desktop, dialog, "processor")
    dialog = desktop.focus(TITLE)
    # Ten lines more.
    assert desktop.size(dialog)[1] > lines + 100
    answer(desktop, dialog, "3", "third")
    desktop.close("I/O Graphs")
    curves = rows(desktop, "io_graphs")
    assert len(curves) == 1 and '"perflibv2.watch.third"' in curves[0]
    watched = rows(desktop, "perflibv2_watch")
    assert len(watched) == 2 and "_Total" in watched[1]

    for has_list in True, False:
        dialog = ask(desktop)
        if has_list:
            # A text typed below a list is not the number of one of its lines: it starts another search.
            answer(desktop, dialog, "processor")
            dialog = desktop.focus(TITLE)
        answer(desktop, dialog, "(_total)\\% processor util")
        desktop.close("Add the curve")
        assert rows(desktop, "perflibv2_watch") == [*watched, f'"processor_utility",{UTILITY}']
    answer(desktop, ask(desktop), "(_total)\\% processor util", "cpu")
    # The message, and then the dialog again.
    desktop.keys("Return")
    cancel(desktop)
    answer(desktop, ask(desktop), "no such counter")
    cancel(desktop)
    # All counters, and the first of them.
    answer(desktop, ask(desktop), "")
    answer(desktop, desktop.focus(TITLE), "")
    desktop.close("Add the curve")
    assert len(rows(desktop, "perflibv2_watch")) == 4 and "_Total" in rows(desktop, "perflibv2_watch")[-1]
    desktop.end_well()
    assert rows(desktop, "io_graphs") == curves


@again
@pytest.mark.parametrize("capture", ["foreign", None], ids=["without polls", "no capture"])
def test_without_counters_nothing_can_be_watched(desktop, capture):
    desktop.start(CAPTURES / f"{capture or 'foreign'}.pcapng")
    if capture is None:
        desktop.keys("ctrl+w")
        desktop.capture = "Wireshark Network Analyzer"
    desktop.focus(desktop.capture)
    desktop.keys("alt+t", ["Up", "Right", "Up", "Return"])
    assert not any(TITLE in title for title in desktop.titles())
    desktop.keys("Return")
    assert desktop.end() == 0
    assert desktop.complaints() == []
