# SPDX-License-Identifier: GPL-2.0-or-later
"""The bit fields of a counter type, as winperf.h has them, and the members of SYSTEMTIME ([MS-DTYP] 2.3.13), for both protocols."""

import pytest

from lib import perflibv2 as p
from lib.perfdata import polled
from lib.wire import Capture
from perfdata import crafted
from perfdata.block import Builder, Counter, Instance, Object

# Of each member: where its lowest bit is, and how many it has.
BITS = {"size": (8, 2), "kind": (10, 2), "subtype": (16, 4), "timer": (20, 2), "modifiers.delta": (22, 1), "modifiers.delta_base": (23, 1),
        "modifiers.inverse": (24, 1), "modifiers.multi": (25, 1), "display": (28, 4)}
# Each of PERF_SIZE_, PERF_TYPE_, the subtypes, PERF_TIMER_, the modifiers and PERF_DISPLAY_, in some type of winperf.h.
TYPES = {"PERF_COUNTER_COUNTER": 0x10410400, "PERF_COUNTER_TIMER": 0x20410500, "PERF_COUNTER_RAWCOUNT": 0x00010000, "PERF_COUNTER_TEXT": 0x00000B00,
         "PERF_SAMPLE_FRACTION": 0x20C20400, "PERF_100NSEC_MULTI_TIMER_INV": 0x23510500, "PERF_ELAPSED_TIME": 0x30240500,
         "PERF_COUNTER_NODATA": 0x40000200, "PERF_OBJ_TIME_TIMER": 0x20610500, "PERF_AVERAGE_BASE": 0x40030402,
         "PERF_COUNTER_QUEUELEN_TYPE": 0x00450400, "PERF_PRECISION_SYSTEM_TIMER": 0x20470500}


def bits_of(type):
    return {name: type >> first & (1 << count) - 1 for name, (first, count) in BITS.items()}


def shown_bits(item):
    """{member: value} of the item of a type, each over its four bytes."""
    prefix = item.name + "."
    members = [child for child in item.walk() if child.name.startswith(prefix)]
    assert {(child.position, child.size) for child in members} == {(item.position, 4)}
    return {child.name.removeprefix(prefix): int(child.show, 0) for child in members}


def test_bits_of_counter_types_are_shown(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    frame = peer.registration(1, p.counterset([p.counter(id, type) for id, type in enumerate(TYPES.values())]))[1]
    (packet,) = tshark.packets(capture.write(tmp_path / "types.pcap"), display_filter=f"frame.number == {frame}")
    types = [item for layer in packet for item in layer.find("perflibv2.counter.type")]
    assert [shown_bits(item) for item in types] == [bits_of(type) for type in TYPES.values()]
    assert [item.show for item in types] == [f"0x{type:08x}" for type in TYPES.values()]


def test_bits_of_types_of_the_older_api_are_shown(tshark, tmp_path):
    names = "PERF_COUNTER_COUNTER", "PERF_COUNTER_RAWCOUNT", "PERF_COUNTER_TIMER"
    block = Builder("PC", crafted.clock(1), [Object(230, [Counter(6 + 2 * at, name) for at, name in enumerate(names)], Instance("", [1, 2, 3]))]).data
    (answer,) = polled(tshark, tmp_path, block)
    types = answer.find("perfdata.counter_definition.counter_type")
    assert [shown_bits(item) for item in types] == [bits_of(TYPES[name]) for name in names]


MEMBERS = ("year", "month", "day_of_week", "day", "hour", "minute", "second", "milliseconds")


@pytest.mark.parametrize("numbers", [(2024, 2, 4, 29, 12, 34, 56, 999), (1601, 1, 1, 1, 0, 0, 0, 0), (65535, 13, 9, 40, 25, 61, 62, 1000)])
def test_members_of_a_time_are_shown_whatever_they_hold(tshark, tmp_path, numbers):
    """Eight numbers of 16 bits one after another, in order."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(p.query_handle(1))
    frame = peer.poll(p.query_handle(1), p.data(p.block(1, p.value()), system_time=numbers))[1]
    (packet,) = tshark.packets(capture.write(tmp_path / "time.pcap"), display_filter=f"frame.number == {frame}")
    (time,) = [item for layer in packet for item in layer.find("perflibv2.data.system_time")]
    members = [child for child in time.walk() if child.name.startswith("perflibv2.data.system_time.")]
    assert [(child.name.rpartition(".")[2], int(child.show, 0), child.position - time.position, child.size) for child in members] == [
        (name, number, 2 * at, 2) for at, (name, number) in enumerate(zip(MEMBERS, numbers))]
