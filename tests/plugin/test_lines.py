# SPDX-License-Identifier: GPL-2.0-or-later
"""A name from the wire can't end a line, or speak to the terminal: not in the Info column, not in trees, not in tables."""

import sys

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES
from lib.some import some
from lib.wire import Capture

sys.path.insert(0, str(CAPTURES / "make"))

from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Counter, Instance, Object  # noqa: E402

TEXT_COUNTER = 0x00000B00
# A line of its own; a terminal's red; a bell; writing from right to left.
HOSTILE = "a\nFORGED line\x1b[31m\x07\u202e"
SHOWN = r"a\nFORGED line"


def perflibv2_session(path):
    capture = Capture()
    peer = p.Peer(capture, machine="\\\\" + HOSTILE)
    peer.enumerate()
    peer.registration(1, p.counterset([p.counter(1), p.counter(2, TEXT_COUNTER)]))
    peer.registration(3, p.text("set " + HOSTILE))
    peer.registration(5, p.strings([(1, "counter " + HOSTILE), (2, "text " + HOSTILE)]))
    peer.registration(7, p.text("provider " + HOSTILE))
    peer.instances(p.instance("instance " + HOSTILE, 7))
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1, "named " + HOSTILE), p.identifier(2, "*"))
    text = p.text("value " + HOSTILE)
    value = p.value(int.from_bytes(text, "little"), width=len(text))
    for _ in range(2):
        peer.poll(handle, p.data(p.block(1, p.value()), p.block(4, p.multi_instances([p.instance("row " + HOSTILE) + value]))))
    peer.close(handle)
    return capture.write(path)


def perfdata_session(path):
    capture = wire.Capture()
    session = crafted.Session(capture, crafted.Server(HOSTILE, {}))
    handle = crafted.handle_bytes(1)
    session.open(wire.OPEN_DATA, handle)
    names = {1: "5006", 5000: "object " + HOSTILE, 5002: "counter " + HOSTILE, 5004: "text " + HOSTILE}
    session.titles(handle, "Counter 009", names)
    session.query(handle, "value name " + HOSTILE, b"")
    counters = [Counter(5002, "PERF_COUNTER_RAWCOUNT"), Counter(5004, "PERF_COUNTER_TEXT", size=128)]
    for second in range(2):
        instances = [Instance("instance " + HOSTILE, [5, "value " + HOSTILE])]
        session.poll(handle, "5000", [Object(5000, counters, instances)], second)
    session.close(handle)
    write_pcapng(path, capture.frames, "")
    return path


# The session, its tables, and the options that show our tree: winreg's dissector, below which the older API stands, does
# write the name of a value as it is.
SESSIONS = {
    "perflibv2": (perflibv2_session, ["counters", "queries", "calls", "rules"], ["-O", "perflibv2"]),
    "perfdata": (perfdata_session, ["counters", "queries"], ["-O", "winreg,perfdata", "-Y", "perfdata.object_type || perfdata.title.index"]),
}


@pytest.mark.parametrize("protocol", SESSIONS)
def test_names_stay_in_their_lines(tshark, tmp_path, protocol):
    make, tables, ours = SESSIONS[protocol]
    path = make(tmp_path / "hostile.pcap")
    summary = tshark.run(path)
    outputs = [summary, tshark.run(path, "-V", *ours), tshark.run(path, "-2", "-V", *ours)]
    outputs += [tshark.run(path, "-q", "-z", f"{protocol},{table}") for table in tables]
    for output in outputs:
        lines = output.split("\n")
        # Our own lines, and Wireshark's of the same texts.
        assert not any(line.startswith("FORGED") for line in lines)
        assert not any(character in output for character in "\x1b\x07")
    # Wireshark 4.4 itself shows the values of fields with this one.
    assert not any("\u202e" in output for output in [summary, *outputs[3:]])
    assert sum(SHOWN in line for line in summary.split("\n")) >= 2
    assert all(SHOWN in output for output in some(outputs[1:4]))


def test_fields_keep_the_text(tshark, tmp_path):
    """What a filter compares is what was sent."""
    path = perflibv2_session(tmp_path / "hostile.pcap")
    assert len(tshark.fields(path, "frame.number", display_filter=r'perflibv2.instance.name == "instance a\nFORGED line\x1b[31m\a\xe2\x80\xae"')) == 1
