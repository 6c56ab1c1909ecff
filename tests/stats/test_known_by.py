# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples say what a value is of by ids, and how that is known."""

import csv
import io
import uuid

from lib import perflibv2 as p
from lib.captures import CAPTURES
from lib.named_query import H, session
from lib.some import some
from lib.wire import Capture

PROCESSORS = uuid.UUID("b4fc721a-0378-476f-89ba-a5a79f810b36")     # built in
ONE = p.block(1, p.value(5))


def samples(tshark, path, *options, protocol="perflibv2"):
    return list(csv.DictReader(io.StringIO(tshark.run(path, "-q", *options, "-z", f"{protocol},samples,-"))))


def known(tshark, tmp_path, capture, *options):
    (row,) = samples(tshark, capture.write(tmp_path / "known.pcap"), *options)
    return row["known_by"], row["counterset_guid"], row["counter_id"], row["server_address"]


def untaught(guid=p.SET):
    capture = Capture()
    peer = p.Peer(capture, server="10.9.8.7")
    peer.mapped(H, p.identifier(1, "one", guid))
    peer.poll(H, p.data(ONE))
    return capture


def test_named_by_the_capture(tshark, tmp_path):
    capture, peer = session(p.identifier(2), mapped=[0])
    peer.poll(H, p.data(ONE))
    assert known(tshark, tmp_path, capture)[:3] == ("map", str(p.SET), "2")


def test_block_linked_by_inference_is_inferred(tshark, tmp_path):
    capture, peer = session(p.identifier(2))
    peer.poll(H, p.data(ONE))
    assert known(tshark, tmp_path, capture)[:3] == ("inferred", str(p.SET), "2")


def test_block_linked_across_a_lost_call_is_doubtful(tshark, tmp_path):
    """A call between the index map and the poll is missing."""
    capture, peer = session(p.identifier(2), mapped=[0])
    peer.connection.call_id += 1
    peer.poll(H, p.data(ONE))
    assert known(tshark, tmp_path, capture)[:3] == ("doubtful", str(p.SET), "2")


def test_names_from_a_table_say_which(tshark, tmp_path):
    table = f'uat:perflibv2_counters:"{p.SET}","Mine","1","Reads","","","","",""'
    address = ("1", "10.9.8.7")
    assert known(tshark, tmp_path, untaught(), "-o", table) == ("table", str(p.SET), *address)
    assert known(tshark, tmp_path, untaught(PROCESSORS)) == ("built-in", str(PROCESSORS), *address)
    assert known(tshark, tmp_path, untaught()) == ("id", str(p.SET), *address)


def test_older_api_is_known_by_title_indexes(tshark):
    """The object and the counter by their title indexes, whose names the answer to "Counter 009" taught, or which every Windows has."""
    rows = samples(tshark, CAPTURES / "perfdata-windows.pcapng", protocol="perfdata")
    found = {(row["counterset"], row["counterset_guid"], row["counter"], row["counter_id"]) for row in rows}
    assert ("Processor", "238", "% Processor Time", "6") in found
    assert {row["known_by"] for row in rows} <= {"list", "built-in", "id"}
    assert all(row["counter"] == row["counter_id"] for row in some(row for row in rows if row["known_by"] == "id"))
