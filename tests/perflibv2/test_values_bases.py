# SPDX-License-Identifier: GPL-2.0-or-later
"""Which counter a value is divided by: the one of the same instance, wherever in the poll it stands, and never another."""

from uuid import UUID

import pytest

from lib import perflibv2 as p
from lib.named_query import unescaped
from lib.tables import data_tables
from lib.wire import Capture

H = p.query_handle(1)
# 1: a fraction of base 2; raw value and base of two polls differ by 3 and 10, which is 30 %.
COUNTERS = [p.counter(1, p.SAMPLE_FRACTION, base=2), p.counter(2, p.SAMPLE_BASE)]
FRACTION, BASE = (100, 103), (1000, 1010)


def cooked(tshark, tmp_path, identifiers, polls, counters=COUNTERS):
    """(value, reason) of each cooked value, or none, of the last poll."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset(counters))
    peer.registration(3, p.text("Set"))
    peer.mapped(H, *identifiers)
    for number, blocks in enumerate(polls):
        peer.poll(H, p.data(*blocks, time=p.TIME + number * 10_000_000))
    path = capture.write(tmp_path / "bases.pcap")
    return tshark.fields(path, "perflibv2.cooked", "perflibv2.cooked.reason", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")[-1]


def single(value):
    return p.block(1, p.value(value))


def several(*rows):
    return p.block(4, p.multi_instances([p.instance(name, id) + p.value(value) for name, id, value in rows]))


@pytest.mark.parametrize(
    ("own", "base"), [(p.NONE, 0), (0, p.NONE), (p.NONE, p.NONE), (7, 7), (7, p.NONE)], ids=["any", "base any", "both any", "same", "id and any"]
)
def test_base_in_another_block(tshark, tmp_path, own, base):
    """By the instance's name, where one of the two was asked for with any InstanceId."""
    identifiers = p.identifier(1, "x", instance=own), p.identifier(2, "x", instance=base)
    values, reasons = cooked(tshark, tmp_path, identifiers, [(single(a), single(b)) for a, b in zip(FRACTION, BASE)])
    assert [float(value) for value in values] == [30] and reasons == ["not displayed"]


def test_base_of_another_instance_id(tshark, tmp_path):
    identifiers = p.identifier(1, "x", instance=7), p.identifier(2, "x", instance=8)
    values, reasons = cooked(tshark, tmp_path, identifiers, [(single(a), single(b)) for a, b in zip(FRACTION, BASE)])
    assert values == [] and "base not in query" in reasons


def test_base_that_may_have_been_asked_for(tshark, tmp_path):
    """The client did not leave it out: the server names none, another set's values may be its, its block has an error, or the answer was cut."""
    refused = p.block(0, status=p.NOT_ENOUGH_MEMORY)
    identifiers = p.identifier(1, "x", instance=7), p.identifier(2, "x", instance=7)
    for counters, blocks in (([p.counter(1, p.SAMPLE_FRACTION), COUNTERS[1]], [(single(a), single(b)) for a, b in zip(FRACTION, BASE)]),
                             (COUNTERS, [(single(a), refused) for a in FRACTION])):
        values, reasons = cooked(tshark, tmp_path, identifiers, blocks, counters)
        assert values == [] and "base unknown" in reasons and "base not in query" not in reasons, reasons
        found = {row["code"] for row in data_tables(tshark, tmp_path / "bases.pcap")["findings"]}
        assert "base_unknown" in found and "no_base" not in found
    # Only the previous poll lacks it.
    values, reasons = cooked(tshark, tmp_path, identifiers, [(single(100), refused), (single(103), single(1010))])
    assert values == [] and "base unknown (previous poll)" in reasons
    found = {row["code"] for row in data_tables(tshark, tmp_path / "bases.pcap")["findings"]}
    assert "base_unknown" in found and not found & {"no_base", "first_sample"}
    values, reasons = cooked(tshark, tmp_path, identifiers[:1], [[single(a)] for a in FRACTION])
    assert values == [] and reasons == ["base not in query"]
    assert "no_base" in {row["code"] for row in data_tables(tshark, tmp_path / "bases.pcap")["findings"]}


def test_refused_counter_of_another_counterset_is_no_base(tshark, tmp_path):
    """Each counter's base is of its own counterset: the client left it out."""
    identifiers = p.identifier(1, "x", instance=7), p.identifier(2, "x", instance=7, guid=p.OTHER_SET)
    refused = p.block(0, status=p.NOT_ENOUGH_MEMORY)
    values, reasons = cooked(tshark, tmp_path, identifiers, [(single(a), refused) for a in FRACTION])
    assert values == [] and "base not in query" in reasons and "base unknown" not in reasons


def test_base_of_a_built_in_counter(tshark, tmp_path):
    """% Privileged Utility: its type is built in, and its base is not."""
    capture = Capture()
    peer = p.Peer(capture)
    guid = UUID("b4fc721a-0378-476f-89ba-a5a79f810b36")
    peer.mapped(H, p.identifier(28, "0,_Total", guid=guid))
    for number in (1, 2):
        peer.poll(H, p.data(p.block(1, p.value(100 * number, 8)), time=p.TIME + number * 10_000_000))
    path = capture.write(tmp_path / "built-in.pcap")
    (name,), reasons = tshark.fields(path, "perflibv2.path", "perflibv2.cooked.reason", display_filter="perflibv2.cooked.reason")[-1]
    assert (unescaped(name), reasons) == (r"\\HOST\Processor Information(0,_Total)\% Privileged Utility", ["base unknown"])
    (row,) = [row for row in data_tables(tshark, path)["perflibv2-missing"] if row["counter_id"] == 28]
    assert row["reason_code"] == "base_unknown"


def test_base_of_one_of_two_of_a_name(tshark, tmp_path):
    """Whose base it is can't be told."""
    identifiers = p.identifier(1, "*", instance=p.NONE), p.identifier(2, "x", instance=p.NONE)
    polls = [(several(("x", 7, a), ("x", 8, a)), single(b)) for a, b in zip(FRACTION, BASE)]
    values, reasons = cooked(tshark, tmp_path, identifiers, polls)
    assert values == [] and reasons.count("base not in query") == 2


def test_base_of_a_pattern_by_name(tshark, tmp_path):
    identifiers = p.identifier(1, "*", instance=p.NONE), p.identifier(2, "x", instance=p.NONE)
    polls = [(several(("x", 7, a), ("y", 8, a)), single(b)) for a, b in zip(FRACTION, BASE)]
    values, reasons = cooked(tshark, tmp_path, identifiers, polls)
    assert [float(value) for value in values] == [30] and reasons == ["base not in query", "not displayed"]


def test_base_among_many_counters(tshark, tmp_path):
    """The first of an id in a block, as in short ones."""
    ids = [1, *range(100, 140), 2, 2]
    counters = [*COUNTERS, *(p.counter(id) for id in range(100, 140))]
    polls = [[p.block(2, p.multi_counters(ids) + p.value(a) + p.value(0) * 40 + p.value(b) + p.value(0))] for a, b in zip(FRACTION, BASE)]
    values, _ = cooked(tshark, tmp_path, [p.identifier(p.NONE, "x")], polls, counters)
    assert float(values[0]) == 30


PRECISION_OBJECT_TIMER = 0x20670500


@pytest.mark.parametrize(("zeroth", "percent"), [(p.LARGE_RAWCOUNT, 50), (p.LARGE_RAW_BASE, 200)], ids=["none", "a base"])
def test_base_id_0_names_a_base_alone(tshark, tmp_path, zeroth, percent):
    """By the text 0 is "none": it names counter 0 only where that is a base. Else the time of the object divides."""
    counters = [p.counter(0, zeroth), p.counter(1, PRECISION_OBJECT_TIMER, base=0, time=2, freq=2), p.counter(2, p.LARGE_RAWCOUNT)]
    polls = [
        [p.block(2, p.multi_counters([0, 1, 2]) + p.value(zero, 8) + p.value(value, 8) + p.value(time, 8))]
        for zero, value, time in [(1000, 5000, 70000), (1025, 5050, 70100)]
    ]
    values, _ = cooked(tshark, tmp_path, [p.identifier(p.NONE, "x")], polls, counters)
    # 50 of 100 units of time, or of 25 of the base
    assert percent in map(float, values)


@pytest.mark.parametrize(("zeroth", "value"), [(0x21510500, None), (p.LARGE_RAWCOUNT, 50)], ids=["a timer", "a number"])
def test_time_id_0_names_a_number_alone(tshark, tmp_path, zeroth, value):
    """By the text 0 is "none" for times as well: only a number, not what has to be computed itself, can be the time of an object."""
    counters = [p.counter(0, zeroth), p.counter(1, p.OBJ_TIME_TIMER, time=0, freq=0)]
    polls = [[p.block(2, p.multi_counters([0, 1]) + p.value(time, 8) + p.value(spent, 8))] for time, spent in [(70000, 5000), (70100, 5050)]]
    values, reasons = cooked(tshark, tmp_path, [p.identifier(p.NONE, "x")], polls, counters)
    # 50 of 100 units of time
    assert (50 in map(float, values)) == (value is not None) and ("base unknown" in reasons) == (value is None)


@pytest.mark.parametrize(("zeroth", "value"), [(0x21510500, None), (p.RAWCOUNT, 20)], ids=["a timer", "a number"])
def test_multi_id_0_names_a_number_alone(tshark, tmp_path, zeroth, value):
    counters = [p.counter(0, zeroth), p.counter(1, 0x22510500, multi=0)]
    width = 4 if zeroth == p.RAWCOUNT else 8
    polls = [[p.block(2, p.multi_counters([0, 1]) + p.value(5, width) + p.value(spent, 8))] for spent in (0, 10_000_000)]
    values, _ = cooked(tshark, tmp_path, [p.identifier(p.NONE, "x")], polls, counters)
    # A second of a second, of five.
    assert (20 in map(float, values)) == (value is not None)
