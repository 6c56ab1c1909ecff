# SPDX-License-Identifier: GPL-2.0-or-later
"""An instance is compared with itself, whatever the order and the case of names, and whatever others are really called."""

import csv
import io

import pytest

from lib import perflibv2 as p
from lib.perfdata import Peer, built
from lib.wire import Capture
from perfdata.block import Counter, Instance, Object

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
H = p.query_handle(1)
RATE, SECOND = 0x10410400, 10_000_000


def rows(tshark, path, *options, protocol):
    return list(csv.DictReader(io.StringIO(tshark.run(path, *options, "-q", "-z", f"{protocol},samples,-"))))


BULK = [Counter(5002, "PERF_COUNTER_BULK_COUNT")]


def older(*polls, page=0, order="<"):
    """Polls of (name, value), a second apart."""
    return older_blocks(*(built(Object(5000, BULK, [Instance(name, [n]) for name, n in instances], code_page=page), seconds=seconds, order=order)
                          for seconds, instances in enumerate(polls, 1)))


def older_blocks(*blocks):
    peer = Peer()
    for block in blocks:
        peer.query("5000", block)
        peer.capture.wait(1)
    return peer


def newer(*polls):
    """Polls of (name, id, value)."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, RATE)]))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Rate")]))
    peer.mapped(H, p.identifier(1, "*"))
    for number, instances in enumerate(polls, 1):
        block = p.block(4, p.multi_instances([p.instance(name, id) + p.value(value) for name, id, value in instances]))
        data = p.data(block, time=p.TIME + number * SECOND)
        peer.poll(H, data[:8] + (number * SECOND).to_bytes(8, "little") + data[16:])
    return capture


@PASSES
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 2, 1)])
def test_one_that_is_called_as_a_number_would_call_another(tshark, tmp_path, passes, order):
    """Two of one name go by their order; the third is really called a#1. Each rises by its own step."""
    names, steps = ["a", "a", "a#1"], [10, 20, 40]
    polls = [[(names[i], steps[i] * number) for i in places] for number, places in enumerate(((0, 1, 2), order, (2, 0, 1)), 1)]
    found = rows(tshark, older(*polls).write(tmp_path / "literal.pcapng"), *passes, protocol="perfdata")
    assert [float(row["cooked"]) for row in found[3:]] == [steps[i] for i in order] + [40, 10, 20]
    by_step = {}
    for row in found[3:]:
        by_step.setdefault(float(row["cooked"]), set()).add(row["instance"])
    assert [len(instances) for instances in by_step.values()] == 3 * [1] and len(set.union(*by_step.values())) == 3


@PASSES
@pytest.mark.parametrize(("names", "page"), [(("Chrome", "CHROME", "chrome"), 0), (("Ärger", "ÄRGER", "ärger"), 0), (("Ärger", "ÄRGER", "ärger"), 1252)])
def test_case_is_no_difference_in_the_older_api(tshark, tmp_path, passes, names, page):
    peer = older(*([(name, value), ("x", number)] for number, (name, value) in enumerate(zip(names, (10, 20, 40), strict=True), 1)), page=page)
    path = peer.write(tmp_path / "case.pcapng")
    found = rows(tshark, path, *passes, protocol="perfdata")
    assert [(row["instance"], row["cooked"]) for row in found[2:]] == [(names[0], "10"), ("x", "1"), (names[0], "20"), ("x", "1")]
    assert tshark.run(path, *passes, "-q", "-z", "perfdata,pdh-csv,-").splitlines()[0].count("5002") == 2


@PASSES
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("first", "second", "page"), [
    ("Drive G,0", "Drive H,0", 0), ("Hauptstraße", "Hauptstrasse", 0), (96 * "订" + "A", 96 * "订" + "B", 0), (300 * "x" + "A", 300 * "x" + "B", 1252),
    ("Δίσκος", "Δίκτυο", 737), ("ア", "ヂ", 932)], ids=["pairs", "ss", "long", "long-1252", "737", "932"])
def test_names_that_only_look_alike_are_two_instances(tshark, tmp_path, passes, order, first, second, page):
    """As UTF-8 read as UTF-16, with ß as ss, cut, or in a code page that is unknown or has letters as second bytes (83 41, 83 61)."""
    path = older([(first, 100), (second, 1000)], [(second, 1001), (first, 20102)], [(second, 1003), (first, 20105)], page=page, order=order)
    found = rows(tshark, path.write(tmp_path / "alike.pcapng"), *passes, protocol="perfdata")
    assert [row["cooked"] for row in found[2:]] == ["1", "20002", "2", "3"]
    called = [row["instance"] for row in found]
    assert called[0] == called[3] == called[5] != called[1] == called[2] == called[4]


@PASSES
def test_parents_with_long_names_are_told_apart(tshark, tmp_path, passes):
    processes = [130 * "x" + "A", 130 * "x" + "B"], [130 * "x" + "B", 130 * "X" + "a"]
    blocks = [built(Object(230, BULK, [Instance(name, [0]) for name in names]),
                    Object(232, BULK, [Instance("0", [value], parent=(230, place)) for place, value in enumerate(values)]), seconds=seconds)
              for seconds, (names, values) in enumerate(zip(processes, ((100, 1000), (1002, 101)), strict=True), 1)]
    found = rows(tshark, older_blocks(*blocks).write(tmp_path / "parents.pcapng"), *passes, protocol="perfdata")
    assert [(row["counterset"], row["cooked"]) for row in found[4:]] == [("Process", "0"), ("Process", "0"), ("Thread", "2"), ("Thread", "1")]


@PASSES
@pytest.mark.parametrize("names", [("Chrome", "CHROME", "chrome"), ("Ärger", "ÄRGER", "ärger")])
def test_case_is_no_difference_in_the_newer_api(tshark, tmp_path, passes, names):
    path = newer(*([(name, 1, 10 * number), ("x", 2, number)] for number, name in enumerate(names, 1))).write(tmp_path / "case.pcap")
    found = rows(tshark, path, *passes, protocol="perflibv2")
    assert [(row["instance"], row["cooked"]) for row in found[2:]] == [(names[0], "10"), ("x", "1")] * 2
    assert tshark.run(path, *passes, "-q", "-z", "perflibv2,pdh-csv,-").splitlines()[0].count("\\Rate") == 2


@PASSES
def test_another_id_is_another_instance(tshark, tmp_path, passes):
    found = rows(tshark, newer([("Chrome", 1, 10)], [("CHROME", 2, 20)]).write(tmp_path / "id.pcap"), *passes, protocol="perflibv2")
    assert [row["reason"] for row in found] == ["first sample", "instance new"] and found[1]["instance"] == "CHROME#1"


@PASSES
def test_instances_without_names_go_by_their_ids(tshark, tmp_path, passes):
    """A number that counts names would say nothing of them, and one that is really called so keeps its name."""
    path = newer([("", 7, 10), ("", 9, 10), ("id 8", 1, 10), ("", 8, 10)], [("", 8, 15), ("", 9, 14), ("id 8", 1, 13), ("", 7, 12)]).write(tmp_path / "ids.pcap")
    found = rows(tshark, path, *passes, protocol="perflibv2")
    assert [(row["instance"], row["instance_id"], row["cooked"]) for row in found[4:]] == [
        ("id 8#1", "8", "5"), ("id 9", "9", "4"), ("id 8", "1", "3"), ("", "7", "2")]
