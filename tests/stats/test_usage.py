# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflibv2,usage and -z perfdata,usage: who asks whom for what, and what it costs."""

import re
from collections import Counter

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, record_of
from lib.perfdata import Peer, built
from lib.some import some
from lib.tables import data_tables, table_rows
from lib.wire import Capture
from perfdata.block import Counter as PerfCounter, Instance, Object

OTHER_SET = p.uuid.UUID("11111111-2222-3333-4444-555555555555")
ONE, TWO = (p.block(1, p.value()) for _ in range(2))


def usage(tshark, path, *options, protocol="perflibv2"):
    """(client, server, counterset) -> its numbers."""
    rows = table_rows(tshark.run(path, *options, "-q", "-z", f"{protocol},usage"))
    assert len({tuple(row[:3]) for row in rows}) == len(rows)
    return {tuple(row[:3]): tuple(map(float, row[3:8])) for row in rows}


def poll(peer, handle, *blocks, milliseconds):
    """A poll that is answered after so many milliseconds; returns the bytes of its stubs."""
    request, response = handle + p.struct.pack("<I", 4096), peer._answer(p.data(*blocks), 4096, None, None, 0)
    peer.connection.call_id += 1
    peer.connection.request(6, request)
    peer.capture.wait(milliseconds - 1)
    peer.connection.response(response)
    return len(request) + len(response)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Two clients and two servers; bytes and time are shared by values: 2 of one counterset, 1 of another."""
    capture = Capture()
    one, another = p.Peer(capture), p.Peer(capture, client="192.0.2.3")
    elsewhere = p.Peer(capture, machine="\\\\PC2", server="192.0.2.9")
    handle = p.query_handle(1)
    one.registration(3, p.text("Set"))
    identifiers = [p.identifier(1), p.identifier(2), p.identifier(1, guid=OTHER_SET)]
    one.mapped(handle, *identifiers)
    another.mapped(p.query_handle(2), identifiers[0])
    elsewhere.mapped(p.query_handle(3), identifiers[0])
    sizes = [poll(one, handle, ONE, TWO, ONE, milliseconds=60), poll(one, handle, ONE, TWO, ONE, milliseconds=30)]
    sizes.append(poll(another, p.query_handle(2), ONE, milliseconds=30))
    sizes.append(poll(elsewhere, p.query_handle(3), ONE, milliseconds=500))
    # Refused: no poll.
    one.poll(handle, b"", in_size=8, needed=100, status=p.NOT_ENOUGH_MEMORY)
    assert len(set(sizes)) == 2
    return capture.write(tmp_path_factory.mktemp("usage") / "usage.pcap"), sizes[0], sizes[2]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_polls_values_bytes_and_time(tshark, path, passes):
    file, three, single = path
    other = f"{{{OTHER_SET}}}"
    # Of 120 ms of HOST's the first client takes 90, of which two thirds for Set.
    assert usage(tshark, file, *passes) == {
        ("192.0.2.2", "HOST", "Set"): (2, 4, round(2 * three * 2 / 3), 60, 50),
        ("192.0.2.2", "HOST", other): (2, 2, round(2 * three / 3), 30, 25),
        ("192.0.2.3", "HOST", "Set"): (1, 1, single, 30, 25),
        ("192.0.2.2", "PC2", f"{{{p.SET}}}"): (1, 1, single, 500, 100),
    }


def test_filter_limits_usage_to_its_client(tshark, path):
    rows = table_rows(tshark.run(path[0], "-q", "-z", "perflibv2,usage,ip.dst == 192.0.2.3"))
    assert [row[0] for row in rows] == ["192.0.2.3"] and rows[0][7] == "100.0"


def test_objects_of_the_older_api(tshark):
    """Every value of the record that has a path, under its object."""
    capture = CAPTURES / "perfdata-windows.pcapng"
    expected, polls = Counter(), Counter()
    for call in record_of(capture)["calls"]:
        objects = [tuple(re.match(r"\\\\([^\\]+)\\([^(\\]+)", value["path"]).groups()) for value in call.get("values") or []
                   if "path" in value]
        expected.update(objects)
        polls.update(set(objects))
    found = usage(tshark, capture, "-2", protocol="perfdata")
    assert {key[1:]: int(row[1]) for key, row in found.items()} == expected
    assert {key[1:]: int(row[0]) for key, row in found.items()} == polls
    for server in some({key[1] for key in found}):
        assert sum(row[4] for key, row in found.items() if key[1] == server) == pytest.approx(100, abs=0.06 * len(found))


def test_how_much_of_it_how_often_and_what_is_wasted(tshark, tmp_path):
    """Three counters of two instances every two seconds; each answer after a call whose buffer was too small."""
    peer = Peer()
    for number in range(4):
        data = built(Object(238, [PerfCounter(index, "PERF_COUNTER_RAWCOUNT") for index in (6, 8, 10)],
                            [Instance(name, [1, 2, 3]) for name in "ab"]), seconds=1 + 2 * number)
        if number % 2:
            peer.query("238", b"\0" * (len(data) // 2), error=234)
        peer.query("238", data)
        peer.capture.wait(2)
    (row,) = data_tables(tshark, peer.write(tmp_path / "wasted.pcapng"))["perfdata-usage"]
    assert (row["counters"], row["instances"], row["values"], row["polls"], row["counterset_id"]) == (3, 2, 24, 4, "238")
    assert row["interval_s"] == pytest.approx(2, abs=0.1) and 10 < row["wasted_percent"] < 50


@pytest.mark.parametrize(("mine", "others"), [(1, 1), (2, 1), (3, 1), (4, 3), (1, 6), (2, 9)])
def test_bytes_are_shared_to_the_nearest_one(tshark, tmp_path, mine, others):
    """By the values of each counterset. A name that is learned later makes no second row, and an equal one none of another counterset's."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.mapped(p.query_handle(1), *map(p.identifier, range(mine)), *(p.identifier(number, guid=OTHER_SET) for number in range(others)))
    size = poll(peer, p.query_handle(1), *[ONE] * (mine + others), milliseconds=5)
    for guid in (p.SET, OTHER_SET):
        peer.registration(3, p.text("Set"), guid=guid)
    assert size == poll(peer, p.query_handle(1), *[ONE] * (mine + others), milliseconds=5)
    rows = data_tables(tshark, capture.write(tmp_path / "shared.pcap"))["perflibv2-usage"]
    assert [(row["counterset"].split(" {")[0], row["polls"], row["values"], row["bytes"]) for row in rows] == [
        ("Set", 2, 2 * values, int(2 * size * values / (mine + others) + 0.5)) for values in (mine, others)]


@pytest.mark.parametrize("instances", [1, 2, 3])
def test_what_a_client_makes_of_all_instances_is_no_value(tshark, tmp_path, instances):
    """[MS-PCQ] 2.2.4.1: of a counter of an aggregating counterset the server sends a value for each instance; the client adds them up."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, aggregate=1)], instance_type=4))
    peer.mapped(p.query_handle(1), p.identifier(p.NONE, "*", instance=p.NONE))
    rows = [p.instance(f"i{number}", number) + p.value() for number in range(instances)]
    peer.poll(p.query_handle(1), p.data(p.block(6, p.multi_counters([1]) + p.multi_instances(rows))))
    tables = data_tables(tshark, capture.write(tmp_path / "aggregate.pcap"))
    assert [row["last"] for row in tables["perflibv2-counters"] if row["aggregated_from"] == instances] == [5 * instances]
    (row,) = tables["perflibv2-usage"]
    assert (row["values"], row["counters"], row["instances"]) == (instances, 1, instances)
