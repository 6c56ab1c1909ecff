# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user clicks, in a Wireshark whose plugin AddressSanitizer and UBSan watch: nothing kills it, nothing complains."""

import re
import subprocess

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES
from lib.desktop import GRAPH, WATCHED, WINDOWS, Desktop, words
from lib.some import some
from lib.wire import Capture

SESSION = CAPTURES / "tcp-session.pcapng"
BIG = CAPTURES / "big.pcapng"
# One of each type that the polls of a capture have, each with all its values.
COLUMNS = {
    "perflibv2.cooked": "DOUBLE", "perflibv2.watch.every": "DOUBLE", "perflibv2.path": "STRING", "perflibv2.value": "UINT64",
    "perflibv2.instance.id": "UINT32", "perflibv2.data.perf_time_100ns": "ABSOLUTE_TIME", "perflibv2.counterset.guid": "GUID",
    "perflibv2.poll.previous_frame": "FRAMENUM", "perflibv2.add": "BOOLEAN", "perflibv2.lpdata": "BYTES",
    "perflibv2.counter.default_scale": "INT32", "perflibv2.opnum": "UINT16",
}
RED = (0xCC, 0, 0)


@pytest.fixture
def begin(sanitized_tshark, tmp_path):
    """Begins Wireshark with settings of its own."""
    begun = []

    def begin(settings):
        begun.append(Desktop(sanitized_tshark, tmp_path / f"home{len(begun)}", settings))
        return begun[-1]

    yield begin
    for desktop in begun:
        desktop.stop()


def change_preference(desktop):
    """Protocol Preferences, the first of it: the dialog, at our page."""
    window = desktop.opened("Preferences", "Menu", ["Up", "Up", "Right", "Return"])
    # Its field begins further to the left where the list of protocols, and so the dialog, is narrower: in 4.6.
    width = desktop.size(window)[0]
    desktop.click(window, int((0.77 if width > 775 else 0.62) * width), 0.105)
    desktop.keys("ctrl+a")
    desktop.type("100")
    desktop.keys("Return")
    desktop.wait("Preferences", is_there=False)
    assert "\nperflibv2.max_items: 100\n" in (desktop.profile / "preferences").read_text()


def change_watch_list(desktop, name, pattern):
    """Protocol Preferences, Watch list: one more row."""
    window = desktop.opened("PerflibV2 watch list", "Menu", ["Up", "Up", "Right", *["Down"] * 4, "Return"])
    desktop.click(window, 22, 0.87)
    desktop.type(name)
    desktop.keys("Tab")
    desktop.type(pattern)
    desktop.keys("Return", "Return")
    desktop.wait("PerflibV2 watch list", is_there=False)


def test_a_session_with_the_mouse_and_keys(begin, tshark):
    """A poll opened, its fields as column and filter, a graph, expert information, preferences, reload, close."""
    desktop = begin({"perflibv2_watch": WATCHED, "io_graphs": GRAPH})
    window = desktop.start(SESSION)

    # A red line, and what its button Copy says: the largest value of each second.
    before = desktop.screen().count(RED)
    graph = desktop.opened("I/O Graphs", "alt+s", "i")
    rows = desktop.copied(lambda: desktop.click(graph, -326, -26)).splitlines()
    assert desktop.screen().count(RED) > before + 100
    desktop.close("I/O Graphs")
    expected = {}
    watch = ["-2", "-o", "uat:perflibv2_watch:" + WATCHED.strip()]
    for (time,), values in tshark.fields(SESSION, "frame.time_relative", "perflibv2.watch.cpu", options=watch,
                                         display_filter="perflibv2.watch.cpu"):
        second = int(float(time))
        expected[second] = max(expected.get(second, 0), *map(float, values))
    assert rows[0] == '"Interval start","CPU"'
    drawn = {int(float(second)): float(value) for second, value in (row.split(",") for row in rows[1:])}
    assert len(expected) == 4 and {second: value for second, value in drawn.items() if value} == pytest.approx(expected, rel=1e-5)

    # A poll; the last line of its details, opened, and the last but one of all: the return code.
    desktop.focus(SESSION.name)
    desktop.keys("ctrl+g")
    desktop.type("204")
    desktop.keys("Return")
    desktop.click(window, 180, 0.65)
    desktop.keys("End", "Right", "End", "Up", "ctrl+shift+i")
    change_preference(desktop)
    change_watch_list(desktop, "idle", "*\\% Idle Time")
    change_watch_list(desktop, "none", "*no such")
    desktop.open("PerflibV2 Watch List")
    rows = [words(row) for row in desktop.table("PerflibV2 Watch List ")[2:]]
    desktop.close("PerflibV2 Watch List ")
    assert [row.split()[0] for row in rows] == ["cpu", "idle", "none"]
    assert "matches no counter of the capture" in rows[2] and "matches no counter" not in rows[1]

    before = desktop.screen()
    desktop.opened("Expert Information", "alt+a", ["Up", "Return"])
    # The colors of errors and notes.
    for color in ((0xFF, 0x5C, 0x5C), (0xA0, 0xFF, 0xFF)):
        assert desktop.screen().count(color) > before.count(color) + 1000
    desktop.close("Expert Information")

    # The menu of the return code, above the response time: Conversation Filter, the last of it, for all calls of the poll's query;
    # a filter of it.
    desktop.focus(SESSION.name)
    desktop.click(window, 180, 0.65)
    desktop.keys("End", "Up")
    desktop.keys("Menu", [*["Down"] * 6, "Right", "Up", "Return"])
    desktop.click(window, 180, 0.65)
    desktop.keys("End", "Up")
    desktop.keys("Menu", [*["Down"] * 4, "Right", "Return"])

    desktop.focus(SESSION.name)
    desktop.keys("ctrl+r")
    desktop.wait(SESSION.name)
    desktop.keys("ctrl+w")
    desktop.capture = "Wireshark Network Analyzer"
    desktop.end_well()
    recent = (desktop.profile / "recent_common").read_text()
    assert "recent.display_filter: perflibv2.query in {1}" in recent
    assert "recent.display_filter: perflibv2.return_code == 0x00000000" in recent
    assert re.search(r"%Cus:perflibv2\.return_code", (desktop.profile / "preferences").read_text())


def test_a_poll_of_the_older_api(begin):
    """Conversation Filter of a poll: all calls for the same value name between the two."""
    desktop = begin({})
    window = desktop.start(CAPTURES / "perfdata-windows.pcapng")
    desktop.keys("ctrl+g")
    desktop.type("77")
    desktop.keys("Return")
    desktop.click(window, 180, 0.65)
    desktop.keys("End")
    desktop.keys("Menu", [*["Down"] * 8, "Right", "Up", "Return"])
    desktop.end_well()
    recent = (desktop.profile / "recent_common").read_text()
    assert 'recent.display_filter: perfdata.value_name in {"238"} && ip.addr == 192.0.2.10 && ip.addr == 192.0.2.20' in recent


def test_columns_of_each_type(begin, tshark):
    """Of polls of 40,000 values, as they are found again at the next start; and one more by a click on a value."""
    types = {row[2]: row[3] for row in (line.split("\t") for line in subprocess.run(
        tshark.command("-G", "fields"), env=tshark.environment(), capture_output=True, text=True, check=True).stdout.splitlines())
        if row[0] == "F"}
    assert all(types[name] == f"FT_{kind}" for name, kind in some((name, kind) for name, kind in COLUMNS.items() if ".watch." not in name))
    columns = ", ".join(f'"{number}", "%Cus:{name}:0:R"' for number, name in enumerate(COLUMNS))
    desktop = begin({"preferences": f"gui.column.format: {columns}\n", "perflibv2_watch": '"every","*"\n'})
    window = desktop.start(BIG)
    desktop.keys("ctrl+End")
    desktop.click(window, 180, 0.65)
    desktop.keys("End", "Right", "End", "ctrl+shift+i")
    desktop.end_well()


def hostile(folder):
    """Captures damaged here and there, and polls whose numbers are as large as they come."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    peer.teach()
    peer.open(handle)
    good = p.data(p.block(1, p.value()), p.block(6, p.multi_counters((1, 2)) + p.multi_instances([p.instance() + p.value() * 2])))
    for at in range(0, len(good) - 3, 4):
        for number in (0, 1, 9, 0x7FFFFFFF, 0xFFFFFFF8, 0xFFFFFFFF):
            peer.poll(handle, good[:at] + p.struct.pack("<I", number) + good[at + 4:])
    capture.write(folder / "limits.pcap")
    some = [CAPTURES / f"{name}.pcapng" for name in ("habits", "perfdata-windows", "pla-session", "sessions-tcp", "handles", "rules")]
    subprocess.run(["mergecap", "-a", "-w", folder / "some.pcapng", *some, folder / "limits.pcap"], check=True)
    subprocess.run(["editcap", "-E", "0.002", "--seed", "3", "-o", "60", folder / "some.pcapng", folder / "hostile.pcapng"], check=True)
    return folder / "hostile.pcapng"


def test_hostile_captures_break_no_window(begin, tmp_path):
    """Every window of ours, sorted by some of its columns; all lines of packets; a graph, expert information, reload."""
    desktop = begin({"perflibv2_watch": '"every","*"\n', "io_graphs": GRAPH.replace("watch.cpu", "watch.every")})
    desktop.start(hostile(tmp_path))
    for title in WINDOWS:
        window = desktop.open(title)
        for x in (60, 300, -100):
            desktop.click(window, x, 22)
        desktop.close(f"{title} ")
    desktop.opened("I/O Graphs", "alt+s", "i")
    desktop.close("I/O Graphs")
    desktop.opened("Expert Information", "alt+a", ["Up", "Return"])
    desktop.close("Expert Information")
    desktop.focus(desktop.capture)
    desktop.keys("ctrl+End", "ctrl+Right")
    desktop.keys(*["ctrl+Up"] * 12)
    desktop.keys("ctrl+r")
    desktop.wait(desktop.capture)
    desktop.end_well()


def test_another_profile_while_a_curve_is_open(begin):
    """The curve's field is off the list then, and is there again when the first profile comes back."""
    desktop = begin({"perflibv2_watch": WATCHED, "io_graphs": GRAPH, "profiles/Other/preferences": ""})
    desktop.start(SESSION)
    graph = desktop.opened("I/O Graphs", "alt+s", "i")
    for _ in range(2):
        desktop.opened("Configuration Profiles", "ctrl+shift+a")
        desktop.keys("Down", "Return") if _ == 0 else desktop.keys("Up", "Return")
        desktop.wait("Configuration Profiles", is_there=False)
        desktop.click(graph, -326, -26)
    desktop.end_well()


def test_windows_are_open_while_a_password_is_given(begin):
    """All of them: packets that are dissected anew are not what their tables were made of, which is freed."""
    desktop = begin({})
    desktop.start(CAPTURES / "sealed-office.pcapng", *(option for command in WINDOWS.values() for option in ("-z", command)))
    for title in WINDOWS:
        desktop.wait(f"{title} ")
    dialog = desktop.opened("Password or keytab", "alt+t", ["Up", "Right", "Down", "Return"])
    desktop.fill(dialog, ["Perf-Lib2", ""])
    desktop.keys("Return")
    desktop.wait("Password or keytab", is_there=False)
    desktop.focus(desktop.capture)
    desktop.keys("ctrl+shift+l", "ctrl+shift+l")
    desktop.open("PLA Calls")
    desktop.end_well()


def test_closed_windows_are_left_alone(begin, tmp_path):
    """Wireshark frees their rows. The next capture ends the connection of a query that they had, and has the other API's polls."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(p.query_handle(1), p.identifier(1, "*"))
    peer.poll(p.query_handle(1), p.data(p.block(1, p.value())))
    capture.write(tmp_path / "open.pcap")
    desktop = begin({"perflibv2_watch": '"every","*"\n'})
    desktop.start(tmp_path / "open.pcap")
    for title in ("PerflibV2 Queries", "PerflibV2 Watch List", "PerfData Watch List"):
        desktop.open(title)
        desktop.close(f"{title} ")
    desktop.open_capture(CAPTURES / "both-apis.pcapng")
    desktop.end_well()
