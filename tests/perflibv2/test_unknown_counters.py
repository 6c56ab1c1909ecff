# SPDX-License-Identifier: GPL-2.0-or-later
"""Values whose counter nobody knows are counted all the same, and an index map that blocks contradict names none of them."""

import csv
import io
import struct

import pytest

from lib import perflibv2 as p
from lib import rules
from lib.tables import table_rows
from lib.wire import Capture

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
H, OTHER = p.query_handle(1), p.query_handle(2)
RAW, LARGE, SECOND = 0x10000, 0x10100, 10_000_000
SINGLE_INSTANCE, SEVERAL = 0, 2


def rows(tshark, path, *options):
    return list(csv.DictReader(io.StringIO(tshark.run(path, *options, "-q", "-z", "perflibv2,samples,-"))))


def table(tshark, path, name, *options):
    return table_rows(tshark.run(path, *options, "-q", "-z", f"perflibv2,{name}"))


def broken(tshark, path, *options):
    return set().union(*rules.findings(tshark, path, *options).values()) - rules.SESSION


def taught(*types, guid=p.SET, name="Set", kind=SINGLE_INSTANCE, peer=None):
    """A counterset with counters 1, 2 ... of these types."""
    peer = peer or p.Peer(Capture())
    peer.registration(1, p.counterset([p.counter(id, type) for id, type in enumerate(types, 1)], guid=guid, instance_type=kind), guid=guid)
    peer.registration(3, p.text(name), guid=guid)
    peer.registration(5, p.strings([(id, f"{name} {id}") for id in range(1, len(types) + 1)]), guid=guid)
    return peer


def info(peer, *identifiers):
    """The index map gives the blocks these identifiers in turn."""
    peer.info(H, *(item[:32] + struct.pack("<I", at) + item[36:] for at, item in enumerate(identifiers)))


def polled(peer, *polls, handle=H):
    for number, blocks in enumerate(polls):
        peer.poll(handle, p.data(*blocks, time=p.TIME + number * SECOND))


def single(number, width=4):
    return p.block(1, p.value(number, width))


def several(*numbers):
    return p.block(4, p.multi_instances([p.instance(f"i{number}", number) + p.value(number) for number in numbers]))


@PASSES
@pytest.mark.parametrize("opened", [True, False], ids=["from-the-start", "begins-late"])
def test_all_that_was_sent_is_counted(tshark, tmp_path, passes, opened):
    """Two counters of one width and no index map; or what was added is not in the capture."""
    peer = taught(RAW, RAW)
    peer.open(H)
    peer.validate(H, p.identifier(1, ""), p.identifier(2, ""))
    if not opened:
        peer.capture.frames.clear()
    polled(peer, *([single(10 * number), single(7)] for number in range(5)))
    path = peer.capture.write(tmp_path / "unknown.pcap")
    found = rows(tshark, path, *passes)
    # Without a bind one pass recognises the context by the first answer, and reads the next.
    polls = range(0 if opened or passes else 1, 5)
    assert [int(row["raw"]) for row in found] == [raw for number in polls for raw in (10 * number, 7)]
    assert {(row["counter"], row["counter_id"], row["cooked"], row["known_by"]) for row in found} == {("unknown", "", "", "unknown")}
    assert {row["counterset"] for row in found} == {"Set" if opened else "unknown"}
    why = "counter unknown" if opened else "counter not captured"
    assert {row["reason"] for row in found} == {why}
    (usage,) = table(tshark, path, "usage", *passes)
    assert usage[2:5] == ["Set" if opened else "unknown", str(len(polls)), str(2 * len(polls))] and usage[7] == "100.0"
    assert why in tshark.run(path, *passes, "-q", "-z", "perflibv2,missing")
    assert "unknown (query 1, block 1)" in tshark.run(path, *passes, "-q", "-z", "perflibv2,counters")
    assert "unknown" not in tshark.run(path, *passes, "-q", "-z", "perflibv2,pdh-csv,-")


@PASSES
def test_servers_time_is_shared_with_what_is_unknown(tshark, tmp_path, passes):
    """Of two queries the one without names has its part of the polls and values."""
    peer = taught(RAW, RAW)
    peer.open(H)
    peer.validate(H, p.identifier(1, ""), p.identifier(2, ""))
    polled(peer, [single(1), single(2)], [single(1), single(2)])
    taught(RAW, guid=p.OTHER_SET, name="Other", peer=peer)
    peer.mapped(OTHER, p.identifier(1, "", guid=p.OTHER_SET))
    polled(peer, [single(5)], [single(5)], handle=OTHER)
    usage = {row[2]: row[3:5] for row in table(tshark, peer.capture.write(tmp_path / "two.pcap"), "usage", *passes)}
    assert usage == {"Set": ["2", "4"], "Other": ["2", "2"]}


def test_a_late_map_names_what_was_unknown(tshark, tmp_path):
    peer = taught(RAW, RAW)
    peer.open(H)
    identifiers = p.identifier(1, ""), p.identifier(2, "")
    peer.validate(H, *identifiers)
    polled(peer, [single(1), single(2)])
    info(peer, *identifiers)
    polled(peer, [single(3), single(4)])
    path = peer.capture.write(tmp_path / "late.pcap")
    assert [row["counter"] for row in rows(tshark, path)] == ["unknown", "unknown", "Set 1", "Set 2"]
    assert [row["counter"] for row in rows(tshark, path, "-2")] == ["Set 1", "Set 2", "Set 1", "Set 2"]


@PASSES
@pytest.mark.parametrize("first", [True, False], ids=["map-first", "map-last"])
def test_several_instances_of_a_counterset_with_one(tshark, tmp_path, passes, first):
    """The map has the two blocks the wrong way round: it names neither, and the server is told."""
    peer = taught(RAW, name="Multi", kind=SEVERAL)
    taught(RAW, guid=p.OTHER_SET, name="Single", peer=peer)
    peer.open(H)
    identifiers = p.identifier(1, "", guid=p.OTHER_SET), p.identifier(1, "*")
    peer.validate(H, *identifiers)
    if first:
        info(peer, *identifiers)
    polled(peer, [several(1, 2), single(100)])
    if not first:
        info(peer, *identifiers)
    polled(peer, [several(1, 2), single(100)])
    path = peer.capture.write(tmp_path / "wrong.pcap")
    # Before the map came the blocks were known for what they are.
    found = rows(tshark, path, *passes)[0 if first or passes else 3 :]
    assert len(found) == (6 if first or passes else 3)
    assert {(row["counter"], row["known_by"]) for row in found} == {("unknown", "unknown")}
    assert broken(tshark, path, *passes) == {"block_identifier"}


def two_singles(tmp_path, types, widths):
    """Polls of two counters of these types, whose values have these widths."""
    peer = taught(*types)
    peer.mapped(H, p.identifier(1, ""), p.identifier(2, ""))
    polled(peer, *([single(5, widths[0]), single(6, widths[1])] for _ in range(2)))
    return peer.capture.write(tmp_path / "two.pcap")


@PASSES
def test_a_width_against_the_type(tshark, tmp_path, passes):
    """Blocks of 8 and 4 bytes, a map that says 4 and 8."""
    path = two_singles(tmp_path, (RAW, LARGE), (8, 4))
    assert {(row["counter"], row["type"]) for row in rows(tshark, path, *passes)} == {("unknown", "")}
    assert broken(tshark, path, *passes) == {"block_identifier"}


@PASSES
def test_a_type_that_is_out_of_date(tshark, tmp_path, passes):
    """No identifier of the map fits the width: the provider was upgraded, and the map stands."""
    path = two_singles(tmp_path, (RAW, RAW), (8, 8))
    assert [row["counter"] for row in rows(tshark, path, *passes)] == ["Set 1", "Set 2"] * 2
