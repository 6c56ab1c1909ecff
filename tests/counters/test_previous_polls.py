# SPDX-License-Identifier: GPL-2.0-or-later
"""A value is compared with the same counter's in the previous poll of its query, and with no other."""

import csv
import io
import struct

import pytest

from lib import perflibv2 as p
from lib.perfdata import HANDLE, Peer, built
from lib.tables import data_tables
from lib.wire import Capture
from perfdata import crafted, wire
from perfdata.block import Counter, Instance, Object

H = p.query_handle(1)
RATE, SECOND = 0x10410400, 10_000_000
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])


def rows(tshark, path, *options, protocol="perflibv2"):
    return list(csv.DictReader(io.StringIO(tshark.run(path, *options, "-q", "-z", f"{protocol},samples,-"))))


def rates(tshark, path, *options, **kind):
    """(instance, raw value, rate or why there is none, frame of the previous poll) of each value"""
    return [(row["instance"], int(row["raw"]), float(row["cooked"]) if row["cooked"] else row["reason"], row["previous_frame"])
            for row in rows(tshark, path, *options, **kind)]


class Query:
    """Polls of a query, a second after each other."""

    def __init__(self, *identifiers, types=(RATE, RATE), taught=True, mapped=True):
        self.capture = Capture()
        self.peer = p.Peer(self.capture)
        if taught:
            self.peer.registration(1, p.counterset([p.counter(id, type) for id, type in enumerate(types, 1)]))
            self.peer.registration(3, p.text("Set"))
            self.peer.registration(5, p.strings([(1, "Reads"), (2, "Writes")]))
        self.seconds, self.identifiers, self.with_map = 0, [], mapped
        self.peer.open(H)
        self.add(*identifiers)

    def map(self):
        if self.with_map and self.identifiers:
            self.peer.info(H, *(item[:32] + struct.pack("<I", at) + item[36:] for at, item in enumerate(self.identifiers)))

    def add(self, *identifiers):
        if identifiers:
            self.peer.validate(H, *identifiers)
            self.identifiers += identifiers
            self.map()

    def remove(self, *identifiers):
        self.peer.validate(H, *identifiers, add=0)
        self.identifiers = [item for item in self.identifiers if item not in identifiers]
        self.map()

    def poll(self, *blocks, seconds=1):
        self.seconds += seconds
        data = p.data(*blocks, time=p.TIME + self.seconds * SECOND)
        return str(self.peer.poll(H, data[:8] + struct.pack("<Q", self.seconds * SECOND) + data[16:])[1])


def single(number):
    return p.block(1, p.value(number, 4))


def several(**instances):
    return p.block(4, p.multi_instances([p.instance(name, ord(name[0])) + p.value(number) for name, number in instances.items()]))


@PASSES
def test_a_counter_that_was_removed_for_a_while(tshark, tmp_path, passes):
    reads, writes = p.identifier(1, "x"), p.identifier(2, "x")
    query = Query(reads, writes)
    first = query.poll(single(10), single(100))
    second = query.poll(single(20), single(200))
    query.remove(writes)
    third = query.poll(single(30))
    query.add(writes)
    fourth = query.poll(single(1030), single(5000), seconds=100)
    query.poll(single(1040), single(5007))
    assert rates(tshark, query.capture.write(tmp_path / "a.pcap"), *passes) == [
        ("x", 10, "first sample", ""), ("x", 100, "first sample", ""), ("x", 20, 10, first), ("x", 200, 100, first),
        ("x", 30, 10, second), ("x", 1030, 10, third), ("x", 5000, "first sample", ""), ("x", 1040, 10, fourth), ("x", 5007, 7, fourth)]


@PASSES
@pytest.mark.parametrize("mapped", [True, False], ids=["map", "no-map"])
def test_a_counter_that_was_removed_and_added_between_two_polls(tshark, tmp_path, passes, mapped):
    """What stayed in the query goes on; without an index map only the counter that can be told apart by its width is known."""
    reads, writes = p.identifier(1, "x"), p.identifier(2, "x")
    query = Query(reads, writes, mapped=mapped, types=(RATE, 0x10410500))

    def poll(first, second):
        return query.poll(single(first), p.block(1, p.value(second, 8)))

    first = poll(10, 100)
    query.remove(writes)
    query.add(writes)
    second = poll(20, 200)
    poll(30, 300)
    found = [row for row in rates(tshark, query.capture.write(tmp_path / "a.pcap"), *passes) if mapped or isinstance(row[2], float)]
    assert not mapped or found[2:] == [("x", 20, 10, first), ("x", 200, "first sample", ""), ("x", 30, 10, second), ("x", 300, 100, second)]
    assert not any(row[1] == 200 and isinstance(row[2], float) for row in found)


@PASSES
def test_an_instance_that_was_gone_for_a_poll(tshark, tmp_path, passes):
    query = Query(p.identifier(1, "*"))
    frames = [query.poll(several(**instances)) for instances in (
        {"a": 10, "b": 100}, {"a": 20}, {"b": 5000, "a": 30}, {"a": 40, "b": 5010})]
    assert rates(tshark, query.capture.write(tmp_path / "b.pcap"), *passes) == [
        ("a", 10, "first sample", ""), ("b", 100, "first sample", ""), ("a", 20, 10, frames[0]),
        ("b", 5000, "instance new", ""), ("a", 30, 10, frames[1]), ("a", 40, 10, frames[2]), ("b", 5010, 10, frames[2])]


@PASSES
def test_the_same_of_the_older_api(tshark, tmp_path, passes):
    peer, counters = Peer(), [Counter(5002, "PERF_COUNTER_COUNTER")]
    frames = []
    for seconds, instances in enumerate(({"a": 10, "b": 100}, {"a": 20}, {"b": 5000, "a": 30}, {"a": 40, "b": 5010}), 1):
        frames.append(str(peer.query("5000", built(Object(5000, counters, [Instance(name, [n]) for name, n in instances.items()]), seconds=seconds))[1]))
        peer.capture.wait(1)
    found = rates(tshark, peer.write(tmp_path / "older.pcapng"), *passes, protocol="perfdata")
    assert [(row[0], row[1], row[2] if isinstance(row[2], str) else None, row[3]) for row in found] == [
        ("a", 10, "first sample", ""), ("b", 100, "first sample", ""), ("a", 20, None, frames[0]),
        ("b", 5000, "instance new", ""), ("a", 30, None, frames[1]), ("a", 40, None, frames[2]), ("b", 5010, None, frames[2])]


@PASSES
@pytest.mark.parametrize("has_first", [True, False], ids=["a-poll-before", "none-before"])
@pytest.mark.parametrize("order", ["ab", "ba"], ids=["alike", "other-order"])
def test_a_poll_is_compared_with_what_was_answered_before_its_request(tshark, tmp_path, passes, has_first, order):
    """Two handles ask at once, and their answers cross: no counter decreased, so the server did nothing wrong."""
    def read(seconds, a, b, names="ab"):
        instances = [Instance(name, [{"a": a, "b": b}[name]]) for name in names]
        return built(Object(5000, [Counter(5002, "PERF_COUNTER_BULK_COUNT")], instances), seconds=seconds)

    peer, late = Peer(), read(2, 30, 2, order)
    other = Peer(other=peer, client=(crafted.CLIENT, 50001))
    first = str(peer.query("Global", read(1, 10, 1))[1]) if has_first else ""
    peer.connection.request(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 65536))
    other.query("Global", read(4, 100, 7))
    peer.connection.response(wire.query_response(wire.REG_BINARY, late, len(late), len(late)))
    second = str(len(peer.capture.frames))
    peer.query("Global", read(5, 150, 11))
    path = peer.write(tmp_path / "crossing.pcapng")
    none = "first sample"
    assert rates(tshark, path, *passes, protocol="perfdata") == [
        *[("a", 10, none, ""), ("b", 1, none, "")][:2 * has_first], ("a", 100, 30 if has_first else none, first), ("b", 7, 2 if has_first else none, first),
        *sorted([("a", 30, 20 if has_first else none, first), ("b", 2, 1 if has_first else none, first)], key=lambda row: order.index(row[0])),
        ("a", 150, 40, second), ("b", 11, 3, second)]
    assert "perfdata-missing" not in data_tables(tshark, path, *passes)


@PASSES
def test_polls_that_were_not_captured(tshark, tmp_path, passes):
    """The rate goes over all of the time, and it is said how many polls are not there."""
    query = Query(p.identifier(1, "x"))
    first = query.poll(single(10))
    query.peer.connection.call_id += 3
    last = query.poll(single(50), seconds=4)
    path = query.capture.write(tmp_path / "lost.pcap")
    assert rates(tshark, path, *passes)[1] == ("x", 50, 10, first)
    text = tshark.run(path, *passes, "-V", "-Y", f"frame.number == {last}")
    assert "(over 4.000 s, 3 polls not captured)" in text
    assert "interval 4.000 s, 3 polls not captured" in tshark.run(path, *passes, "-Y", f"frame.number == {last}")
    assert "not captured" not in tshark.run(path, *passes, "-V", "-Y", f"frame.number == {first}")


@PASSES
@pytest.mark.parametrize("between, said", [(0, "3 polls not captured"), (1, "up to 3 polls not captured")], ids=["polls-only", "another-call"])
def test_polls_of_the_older_api_that_were_not_captured(tshark, tmp_path, passes, between, said):
    """Calls that the capture does have are not missing, whatever they are. Beside another call the missing ones need not be polls."""
    peer, frames = Peer(), []
    for seconds in (1, 2, 6):
        if seconds == 6:
            peer.connection.call_id += 3
            for _ in range(between):
                peer.call(9, HANDLE + bytes(8), bytes(4))       # EnumKey, which has nothing of performance data
        frames.append(peer.query("5000", built(Object(5000, [Counter(5002, "PERF_COUNTER_COUNTER")], [Instance("a", [10 * seconds])]), seconds=seconds))[1])
        peer.capture.wait(1)
    path = peer.write(tmp_path / "older.pcapng")
    shown = [tshark.run(path, *passes, "-V", "-Y", f"frame.number == {frame}") for frame in frames]
    assert f"(over 4.000 s, {said})" in shown[2] and not any("not captured" in text for text in shown[:2])


@PASSES
def test_another_call_among_those_not_captured(tshark, tmp_path, passes):
    query = Query(p.identifier(1, "x"))
    query.poll(single(10))
    query.peer.connection.call_id += 3
    query.peer.enumerate()
    last = query.poll(single(50), seconds=4)
    path = query.capture.write(tmp_path / "other.pcap")
    assert "interval 4.000 s, up to 3 polls not captured" in tshark.run(path, *passes, "-Y", f"frame.number == {last}")


@PASSES
def test_a_change_that_was_not_captured(tshark, tmp_path, passes):
    """Another index map says that the query changed: nothing before that is compared with."""
    reads, writes = p.identifier(1, "x"), p.identifier(2, "x")
    query = Query(reads, writes)
    query.poll(single(10), single(100))
    query.peer.connection.call_id += 2
    query.identifiers = [writes, reads]
    query.map()
    second = query.poll(single(200), single(20))
    query.poll(single(300), single(30))
    found = rates(tshark, query.capture.write(tmp_path / "changed.pcap"), *passes)
    assert found[2:] == [("x", 200, "first sample", ""), ("x", 20, "first sample", ""), ("x", 300, 100, second), ("x", 30, 10, second)]




def intervals(tshark, path, field, *options):
    return [float(line) for line in tshark.run(path, *options, "-T", "fields", "-e", field, "-Y", field).split()]


@pytest.mark.parametrize("reset", [False, True], ids=["rising", "reset"])
def test_a_capture_of_the_older_api_that_begins_late(tshark, tmp_path, reset):
    """By NDR64 the context is recognised by the first answer, which two passes read. What rises is compared with what was before it."""
    peer = Peer(wide=True)
    counters = [Counter(5002, "PERF_COUNTER_BULK_COUNT")]
    values = [100, 200, 300, 5 if reset else 400, 105 if reset else 500]
    for seconds, value in enumerate(values, 1):
        peer.query("5000", built(Object(5000, counters, [Instance("x", [value])]), seconds=seconds))
        peer.capture.wait(1)
    begin = len(peer.capture.frames) - 2 * len(values)
    peer.capture.frames = peer.capture.frames[begin:]
    path = peer.write(tmp_path / "late.pcapng")
    one, two = (rates(tshark, path, *passes, protocol="perfdata") for passes in ((), ("-2",)))
    assert [row[1] for row in two] == values and [row[1] for row in one] in (values, values[1:])
    for found in one, two:
        assert found[0][2] == "first sample"
        for before, row in zip(found, found[1:]):
            assert row[2] == "counter decreased" if row[1] < before[1] else isinstance(row[2], float)
    assert min(intervals(tshark, path, "perfdata.poll.interval", "-2")) > 0


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("changes", [False, True], ids=["alike", "other-instances"])
def test_a_capture_of_perflibv2_that_begins_late(tshark, tmp_path, closed, changes):
    query = Query(p.identifier(1, "*"))
    begin = len(query.capture.frames)
    polls = [{"a": 10, "b": 100}, {"b": 110, "a": 20} if changes else {"a": 20, "b": 110}, {"a": 30, "b": 120}]
    for instances in polls:
        query.poll(several(**instances))
    if closed:
        query.peer.close(H)
    query.capture.frames = query.capture.frames[begin:]
    path = query.capture.write(tmp_path / "late.pcap")
    for passes in (), ("-2",):
        found = intervals(tshark, path, "perflibv2.poll.interval", *passes)
        assert found in ([1.0, 1.0], [1.0])
    found = rows(tshark, path, "-2")
    assert [int(row["raw"]) for row in found] == [number for instances in polls for number in instances.values()]
    assert [row["previous_frame"] for row in found] == 2 * [""] + 2 * [found[0]["frame"]] + 2 * [found[2]["frame"]]
