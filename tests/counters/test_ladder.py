# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a machine did not say of its counters it borrows: from its other names, from its other addresses, from machines that
agree. One more frame never takes a name away, and what is borrowed judges nobody.
"""

import csv
import io
import itertools
import uuid

import pytest

from lib import perflibv2 as p
from lib.smb import Pipe
from lib.some import some
from lib.wire import Capture

RATE, LARGE = 0x10410400, 0x00010100     # PERF_COUNTER_COUNTER, PERF_COUNTER_LARGE_RAWCOUNT
COUNTERS = [p.counter(1, RATE), p.counter(2, LARGE)]
NAMES = [(1, "Ops/sec"), (2, "Bytes")]
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
# Spellings of a machine's name, by what they mean. {own}: the address of the connection; {dashes}: as Windows writes it in a name.
NO_NAME = ["", ".", "localhost", "127.0.0.1", "::1", "{own}", "{long}", "[{own}]", "{own}%3", "{dashes}.ipv6-literal.net"]
HOST = ["HOST", "host", "HOST.", "\\HOST", "\\\\HOST"]
DOMAIN = ["host.example.com", "host.example.com."]
OTHERS = ["host.example.org", "perf-alias", "fd00::99"]
SPELLINGS = NO_NAME + HOST + DOMAIN + OTHERS


def guid_of(number):
    return uuid.UUID(int=p.SET.int + (number << 64))


def peer_of(capture, machine, **options):
    peer = p.Peer(capture, **options)
    peer.machine = p.string(machine)
    return peer


def teach(peer, guid=p.SET, counters=COUNTERS, names=NAMES, set_name="TheSet"):
    peer.registration(1, p.counterset(counters, guid=guid), guid=guid)
    peer.registration(3, p.text(set_name), guid=guid)
    peer.registration(5, p.strings(names), guid=guid)


def poll(peer, number, guid=p.SET, ids=(1, 2), widths=(4, 8), times=2):
    handle = p.query_handle(number)
    peer.mapped(handle, *(p.identifier(id, guid=guid) for id in ids))
    for second in range(times):
        values = [p.block(1, p.value(5 + second, width)) for width in widths]
        peer.poll(handle, p.data(*values, time=p.TIME + 10_000_000 * second, freq=10_000_000))


def samples(tshark, file, *options, protocol="perflibv2"):
    text = tshark.run(file, "-q", *options, "-z", f"{protocol},samples,-")
    return list(some(csv.DictReader(io.StringIO(text))))


def known(rows):
    """{what is said of the counters of all rows}"""
    return {(row["counterset"], row["counter"], row["type"], row["known_by"]) for row in rows}


def named(word):
    return {("TheSet", "Ops/sec", "PERF_COUNTER_COUNTER", word), ("TheSet", "Bytes", "PERF_COUNTER_LARGE_RAWCOUNT", word)}


def unnamed(*ids, guid=p.SET):
    return {(f"{{{guid}}}", f"counter {id}", "", "id") for id in ids}


def spelled(spelling, address):
    long = ":".join(f"{int(part or '0', 16):x}" for part in address.replace("::", ":0:0:0:0:0:0:").split(":"))
    return spelling.format(own=address, long=long, dashes=address.replace(":", "-"))


def rung(taught, polled):
    """How names taught under one spelling are known under another one, at the same address."""
    same = taught in NO_NAME or polled in NO_NAME or any(taught in group and polled in group for group in (HOST + DOMAIN, HOST + ["host.example.org"]))
    return "map" if same or taught == polled else "map-other-name"


@pytest.mark.parametrize("order", ["taught-before", "taught-after"])
@pytest.mark.parametrize("client", ["fd00:1::2", "fd00:1::3"], ids=["same-client", "other-client"])
def test_every_spelling_for_every_other(tshark, tmp_path, order, client):
    """Each pair has a server and a counterset of its own. A list that comes after the polls names them in the second pass."""
    capture, expected = Capture(), {}
    for number, (taught, polled) in enumerate(itertools.product(SPELLINGS, SPELLINGS)):
        server, guid = f"fd00::{number + 0x100:x}", guid_of(number)
        steps = [lambda: teach(peer_of(capture, spelled(taught, server), server=server, client="fd00:1::2"), guid),
                 lambda: poll(peer_of(capture, spelled(polled, server), server=server, client=client), number, guid, times=1)]
        for step in steps if order == "taught-before" else reversed(steps):
            step()
        expected[str(guid)] = taught, polled, named(rung(taught, polled))
    rows = samples(tshark, capture.write(tmp_path / "spellings.pcap"), "-2")
    wrong = [(taught, polled, known(row for row in rows if row["counterset_guid"] == guid))
             for guid, (taught, polled, names) in expected.items() if known(row for row in rows if row["counterset_guid"] == guid) != names]
    assert len(rows) == 2 * len(expected) and wrong == [], f"{len(wrong)} of {len(expected)} pairs"


@PASSES
@pytest.mark.parametrize("first", ["", "HOST", "192.0.2.1"])
def test_one_call_under_an_alias_takes_nothing_away(tshark, tmp_path, first, passes):
    capture = Capture()
    teach(peer_of(capture, first))
    poll(peer_of(capture, "\\\\HOST"), 1)
    before = samples(tshark, capture.write(tmp_path / "before.pcap"), *passes)
    peer_of(capture, "\\\\perf-alias").enumerate()
    after = samples(tshark, capture.write(tmp_path / "after.pcap"), *passes)
    assert {row[:3] for row in known(before)} == {row[:3] for row in known(after)} == {row[:3] for row in named("")}


@PASSES
def test_an_alias_takes_nothing_of_what_was_taught_under_no_name(tshark, tmp_path, passes):
    """It stays on the first rung, with the names of instances."""
    capture = Capture()
    teacher = peer_of(capture, "")
    teach(teacher)
    teacher.instances(p.instance("seventh", 7))
    host = peer_of(capture, "HOST")
    host.mapped(p.query_handle(2), p.identifier(1, name=None, instance=7))
    mapped = len(capture.frames)
    poll(host, 1)
    for alias in (False, True):
        if alias:
            peer_of(capture, "perf-alias").enumerate()
        file = capture.write(tmp_path / "alias.pcap")
        assert known(samples(tshark, file, *passes)) == named("map")
        ((names,),) = tshark.fields(file, "perflibv2.instance.name", options=passes, display_filter=f"frame.number == {mapped}")
        assert names == ["seventh"]


@PASSES
def test_a_type_on_one_rung_and_a_name_on_the_next(tshark, tmp_path, passes):
    """Where a better rung has a part only, the rest comes from the next one, unless the types differ."""
    for type, expected in ((RATE, ("Ops/sec", "PERF_COUNTER_COUNTER", "other-machine")), (0x00010000, ("counter 1", "PERF_COUNTER_RAWCOUNT", "id"))):
        capture = Capture()
        teach(peer_of(capture, "NODE1", server="192.0.2.9"))
        peer_of(capture, "ALIAS").registration(1, p.counterset([p.counter(1, type), p.counter(2, LARGE)]))
        poll(peer_of(capture, "NODE2"), 1, ids=(1,), widths=(4,))
        rows = samples(tshark, capture.write(tmp_path / "parts.pcap"), *passes)
        assert {(row["counter"], row["type"], row["known_by"]) for row in rows} == {expected}


@PASSES
@pytest.mark.parametrize("server, word", [("192.0.2.1", "map-other-name"), ("192.0.2.9", "other-machine")])
def test_a_machine_that_was_upgraded_does_not_contradict_itself(tshark, tmp_path, server, word, passes):
    """What it listed last is borrowed. Two machines that differ so are another matter: test_machines_that_listed_the_set()."""
    capture = Capture()
    teach(peer_of(capture, "HOST"), counters=[p.counter(1, LARGE), p.counter(2, RATE)], names=[(1, "Old"), (2, "Older")])
    teach(peer_of(capture, "HOST"))
    poll(peer_of(capture, "ALIAS", server=server), 1)
    assert known(samples(tshark, capture.write(tmp_path / "upgraded.pcap"), *passes)) == named(word)


@PASSES
def test_a_later_name_of_the_connection_takes_nothing_away(tshark, tmp_path, passes):
    """What it taught under no name was HOST's so far, and stays HOST's; and the later name has it, too."""
    capture = Capture()
    peer_of(capture, "HOST").enumerate()
    teacher = peer_of(capture, "")
    teach(teacher)
    poll(peer_of(capture, "HOST"), 1)
    teacher.machine = p.string("perf-alias")
    poll(teacher, 2)
    assert known(samples(tshark, capture.write(tmp_path / "later.pcap"), *passes)) == named("map")


@PASSES
def test_what_is_borrowed_through_an_inferred_block_says_so(tshark, tmp_path, passes):
    """Without an index map the block is known by what was added; its name is another machine's all the same."""
    capture = Capture()
    teach(peer_of(capture, "NODE1"))
    peer, handle = peer_of(capture, "NODE2", server="192.0.2.9"), p.query_handle(1)
    peer.open(handle)
    peer.validate(handle, p.identifier(1))
    peer.poll(handle, p.data(p.block(1, p.value(5))))
    assert known(samples(tshark, capture.write(tmp_path / "inferred.pcap"), *passes)) == {("TheSet", "Ops/sec", "PERF_COUNTER_COUNTER", "other-machine")}


@PASSES
def test_what_is_inferred_and_has_no_name(tshark, tmp_path, passes):
    """Only its type is borrowed: that says nothing of how the block is known."""
    capture = Capture()
    peer_of(capture, "ALIAS").registration(1, p.counterset(COUNTERS))
    peer, handle = peer_of(capture, "HOST"), p.query_handle(1)
    peer.open(handle)
    peer.validate(handle, p.identifier(1))
    peer.poll(handle, p.data(p.block(1, p.value(5))))
    (row,) = samples(tshark, capture.write(tmp_path / "nameless.pcap"), *passes)
    assert (row["counter"], row["type"], row["known_by"]) == ("counter 1", "PERF_COUNTER_COUNTER", "inferred")


@PASSES
@pytest.mark.parametrize("mapped", [True, False], ids=["mapped", "inferred"])
def test_one_value_without_a_map_contradicts_what_is_borrowed(tshark, tmp_path, mapped, passes):
    capture = Capture()
    teach(peer_of(capture, "NODE1"))
    peer, handle = peer_of(capture, "NODE2", server="192.0.2.9"), p.query_handle(1)
    if mapped:
        peer.mapped(handle, p.identifier(1))
    else:
        peer.open(handle)
        peer.validate(handle, p.identifier(1))
    peer.poll(handle, p.data(p.block(1, p.value(5, 8))))
    (row,) = samples(tshark, capture.write(tmp_path / "width.pcap"), *passes)
    assert row["counter"] == "counter 1" and row["type"] == ""


@PASSES
@pytest.mark.parametrize("version", ["4", "6"])
def test_the_same_name_at_another_address(tshark, tmp_path, version, passes):
    capture = Capture()
    teach(peer_of(capture, "\\\\HOST"))
    poll(peer_of(capture, "\\\\host", server="fd00::1" if version == "6" else "192.0.2.9", client="fd00::2" if version == "6" else "192.0.2.2"), 1)
    assert known(samples(tshark, capture.write(tmp_path / "address.pcap"), *passes)) == named("map-other-address")


@PASSES
@pytest.mark.parametrize("polled, word", [("host", "map-other-address"), ("host.example.com", "map-other-address"), ("other", "other-machine"), ("", "other-machine"),
                                          ("host.example.org", "other-machine")])
def test_a_name_with_a_domain(tshark, tmp_path, polled, word, passes):
    capture = Capture()
    teach(peer_of(capture, "\\\\HOST.example.com"))
    poll(peer_of(capture, polled, server="192.0.2.9"), 1)
    assert known(samples(tshark, capture.write(tmp_path / "domain.pcap"), *passes)) == named(word)


@PASSES
def test_two_machines_of_one_name_that_differ(tshark, tmp_path, passes):
    """HOST may be either, and so is neither."""
    capture = Capture()
    teach(peer_of(capture, "HOST.example.com", server="192.0.2.10"))
    teach(peer_of(capture, "HOST.example.org", server="192.0.2.11"), names=[(1, "Ops per second"), (2, "Bytes")])
    poll(peer_of(capture, "HOST", server="192.0.2.12"), 1)
    rows = known(samples(tshark, capture.write(tmp_path / "two.pcap"), *passes))
    assert rows == {("TheSet", "counter 1", "", "id"), ("TheSet", "Bytes", "PERF_COUNTER_LARGE_RAWCOUNT", "map-other-address")}


@PASSES
@pytest.mark.parametrize("second, expected", [
    ({}, named("other-machine")),
    ({"names": [(1, "Operations"), (2, "Bytes")]}, {("TheSet", "counter 1", "", "id"), ("TheSet", "Bytes", "PERF_COUNTER_LARGE_RAWCOUNT", "other-machine")}),
    ({"counters": [p.counter(1, LARGE), p.counter(2, LARGE)]}, {("TheSet", "counter 1", "", "id"), ("TheSet", "Bytes", "PERF_COUNTER_LARGE_RAWCOUNT", "other-machine")}),
    ({"counters": [p.counter(1, RATE)], "names": [(1, "Ops/sec")]},
     {("TheSet", "counter 2", "", "id"), ("TheSet", "Ops/sec", "PERF_COUNTER_COUNTER", "other-machine")}),
], ids=["agree", "another-name", "another-type", "one-lacks-it"])
def test_machines_that_listed_the_set(tshark, tmp_path, second, expected, passes):
    capture = Capture()
    teach(peer_of(capture, "ALFA", server="192.0.2.10"))
    teach(peer_of(capture, "BRAVO", server="192.0.2.11"), **second)
    poll(peer_of(capture, "CHARLIE", server="192.0.2.12"), 1)
    assert known(samples(tshark, capture.write(tmp_path / "listed.pcap"), *passes)) == expected


def test_a_name_alone_is_no_list(tshark, tmp_path):
    """Any machine's names count on its own addresses; on others only those of a machine that listed the set."""
    for server, expected in (("192.0.2.1", {("TheSet", "Ops/sec", "", "map-other-name"), ("TheSet", "Bytes", "", "map-other-name")}), ("192.0.2.9", unnamed(1, 2))):
        capture = Capture()
        alfa = peer_of(capture, "ALFA")
        alfa.registration(3, p.text("TheSet"))
        alfa.registration(5, p.strings(NAMES))
        poll(peer_of(capture, "BRAVO", server=server), 1)
        assert known(samples(tshark, capture.write(tmp_path / "names.pcap"), "-2")) == expected


@PASSES
@pytest.mark.parametrize("server", ["192.0.2.1", "192.0.2.9"], ids=["other-name", "other-machine"])
@pytest.mark.parametrize("ids, widths", [((1, 2), (8, 8)), ((1, 2, 3), (4, 8, 4))], ids=["width", "unlisted-id"])
def test_values_that_contradict_what_is_borrowed(tshark, tmp_path, server, ids, widths, passes):
    """Nothing of the counterset is borrowed then, and no rule is broken."""
    capture = Capture()
    teach(peer_of(capture, "NODE1"))
    poll(peer_of(capture, "NODE2", server=server), 1, ids=ids, widths=widths)
    file = capture.write(tmp_path / "contradiction.pcap")
    assert known(samples(tshark, file, *passes)) == unnamed(*ids)
    assert "no rule broken" in tshark.run(file, *passes, "-q", "-z", "perflibv2,rules")


def test_a_machine_that_lacks_the_set_borrows_nothing(tshark, tmp_path):
    capture = Capture()
    teach(peer_of(capture, "NODE1"))
    second = peer_of(capture, "NODE2", server="192.0.2.9")
    second.registration(1, b"", status=p.GUID_NOT_FOUND)
    poll(second, 1)
    assert known(samples(tshark, capture.write(tmp_path / "lacking.pcap"), "-2")) == unnamed(1, 2)


@PASSES
def test_the_users_table_goes_before_what_is_borrowed(tshark, tmp_path, passes):
    capture = Capture()
    teach(peer_of(capture, "NODE1"))
    poll(peer_of(capture, "NODE2"), 1, ids=(1,), widths=(4,))
    table = f'uat:perflibv2_counters:"{p.SET}","Mine","1","Reads","PERF_COUNTER_RAWCOUNT","","","",""'
    rows = known(samples(tshark, capture.write(tmp_path / "table.pcap"), "-o", table, *passes))
    assert rows == {("Mine", "Reads", "PERF_COUNTER_RAWCOUNT", "table")}


@PASSES
def test_type_that_the_users_table_leaves_out_fits_any_width(tshark, tmp_path, passes):
    """
    The table says no type for counter 1, so its block of 8 bytes contradicts nothing. Counter 2 should have 8 bytes and
    has 4, but an old table is more likely than a wrong index map, of which the other block would be wrong, too.
    """
    capture = Capture()
    poll(peer_of(capture, "HOST"), 1, widths=(8, 4))
    table = [word for row in ('"1","Reads",""', '"2","Writes","PERF_COUNTER_LARGE_RAWCOUNT"')
             for word in ("-o", f'uat:perflibv2_counters:"{p.SET}","Mine",{row},"","","",""')]
    rows = samples(tshark, capture.write(tmp_path / "table.pcap"), *table, *passes)
    assert {row["counter"] for row in rows} == {"Reads", "Writes"}


def test_instances_are_never_borrowed(tshark, tmp_path):
    """An id is the machine's own: what is 7 here is another instance there."""
    capture = Capture()
    first = peer_of(capture, "NODE1")
    teach(first)
    first.instances(p.instance("seventh", 7))
    second = peer_of(capture, "NODE2")
    second.mapped(p.query_handle(1), p.identifier(1, name=None, instance=7))
    second.poll(p.query_handle(1), p.data(p.block(1, p.value(5))))
    (row,) = samples(tshark, capture.write(tmp_path / "instances.pcap"), "-2")
    assert row["instance"] == "" and row["known_by"] == "map-other-name"


def broken(tshark, file, *passes):
    text = tshark.run(file, *passes, "-q", "-z", "perflibv2,rules")
    return [line for line in text.splitlines() if line.startswith("broken")]


@PASSES
@pytest.mark.parametrize("order", ["listed-before", "listed-after"])
def test_a_provider_that_was_upgraded_between_two_connections(tshark, tmp_path, order, passes):
    """Its counter 1 is 8 bytes wide now, it has a counter 3 more, and it is there at all: no rule is broken by that."""
    capture = Capture()

    def old():
        peer = peer_of(capture, "HOST")
        teach(peer)
        peer.registration(1, b"", guid=p.OTHER_SET, status=p.GUID_NOT_FOUND)

    def new():
        peer = peer_of(capture, "HOST")
        peer.registration(5, p.strings([*NAMES, (3, "Writes")]))
        poll(peer, 1, ids=(1, 2, 3), widths=(8, 8, 4))
        poll(peer, 2, guid=p.OTHER_SET, ids=(1,), widths=(4,))

    for step in (old, new) if order == "listed-before" else (new, old):
        step()
    assert broken(tshark, capture.write(tmp_path / "upgraded.pcap"), *passes) == []


@PASSES
@pytest.mark.parametrize("order", ["listed-before", "listed-after"])
def test_an_old_list_names_the_counters_of_an_upgraded_provider(tshark, tmp_path, order, passes):
    """Counter 1 has 8 bytes now, as counter 2 has: the list is old, and the index map mixes nothing up."""
    capture = Capture()
    steps = [lambda: teach(peer_of(capture, "HOST")), lambda: poll(peer_of(capture, "HOST"), 1, widths=(8, 8))]
    for step in steps if order == "listed-before" else steps[::-1]:
        step()
    rows = samples(tshark, capture.write(tmp_path / "old.pcap"), *passes)
    names = {"counter 1", "counter 2"} if order == "listed-after" and not passes else {"Ops/sec", "Bytes"}
    assert {row["counter"] for row in rows} == names


@PASSES
def test_an_old_list_and_two_blocks_that_are_exchanged(tshark, tmp_path, passes):
    """Each of the two fits where the other is: then it is the index map that is wrong."""
    capture = Capture()
    teach(peer_of(capture, "HOST"))
    poll(peer_of(capture, "HOST"), 1, widths=(8, 4))
    assert {row["counter"] for row in samples(tshark, capture.write(tmp_path / "swap.pcap"), *passes)} == {"unknown"}


@PASSES
def test_polls_before_an_upgrade_are_judged_by_the_list_of_their_time(tshark, tmp_path, passes):
    capture = Capture()
    before = peer_of(capture, "HOST")
    teach(before)
    poll(before, 1)
    after = peer_of(capture, "HOST")
    teach(after, counters=[p.counter(1, LARGE), p.counter(2, RATE)])
    poll(after, 2, widths=(8, 4))
    rows = samples(tshark, capture.write(tmp_path / "upgrade.pcap"), *passes)
    assert [(row["counter"], row["type"]) for row in rows] == 2 * [("Ops/sec", "PERF_COUNTER_COUNTER"), ("Bytes", "PERF_COUNTER_LARGE_RAWCOUNT")] + 2 * [
        ("Ops/sec", "PERF_COUNTER_LARGE_RAWCOUNT"), ("Bytes", "PERF_COUNTER_COUNTER")]


@PASSES
def test_what_was_refused_under_another_name(tshark, tmp_path, passes):
    """A set that the machine lacks under one name may be there under another one: two machines may stand behind an address."""
    capture = Capture()
    peer_of(capture, "host.example.com").registration(1, b"", status=p.GUID_NOT_FOUND)
    poll(peer_of(capture, "ALIAS"), 1)
    assert broken(tshark, capture.write(tmp_path / "refused.pcap"), *passes) == []


@PASSES
@pytest.mark.parametrize("over", ["TCP", "SMB2"])
@pytest.mark.parametrize("when, is_fault", [("at once", True), ("on another", False), ("a day later", False), ("while it polls", False)])
@pytest.mark.parametrize("ids, widths, is_listed", [((1,), (8,), True), ((1, 7), (4, 4), True), ((1,), (4,), False)], ids=["width", "new-counter", "set"])
def test_a_stale_list_blames_nobody(tshark, tmp_path, passes, over, when, is_fault, ids, widths, is_listed):
    """
    The provider was upgraded, or installed, between two connections, or two pipes of one, or while a client was connected
    for hours: a counter is 8 bytes wide now, another one is new, or the set is. What was said a moment ago is a fault.
    """
    capture = Capture()
    for _ in range(20):     # so that a frame's number is not that of a call
        peer_of(capture, "OTHER", server="192.0.2.9").enumerate()
    connection = Pipe(capture) if over == "SMB2" else None
    peer = peer_of(capture, "HOST", connection=connection)
    if is_listed:
        teach(peer)
    else:
        peer.registration(1, b"", status=p.GUID_NOT_FOUND)
    if when == "on another":
        peer = peer_of(capture, "HOST", connection=Pipe(capture, connection.smb) if connection else None)
    elif when == "a day later":
        capture.wait(86_400_000)
    elif when == "while it polls":
        for _ in range(9):
            capture.wait(1_000_000)
            peer.enumerate()
    poll(peer, 1, ids=ids, widths=widths)
    judged = broken(tshark, capture.write(tmp_path / "stale.pcap"), *passes)
    assert bool(judged) == is_fault, judged
