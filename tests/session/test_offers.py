# SPDX-License-Identifier: GPL-2.0-or-later
"""What a server takes of the transfer syntaxes and contexts that a client offers: [C706] 12.6.3.1. Calls are read as it says."""

import struct
import uuid

import pytest

from lib import perflibv2 as p
from lib.named_query import H
from lib.tables import table_rows
from lib.wire import BIND, BIND_ACK, NDR, NDR64, PERFLIBV2, WINREG, Capture

ALTER, ALTER_ACK = 14, 15
NEGOTIATED = ("6cb71c2c-9812-4540-0300-000000000000", 1)     # [MS-RPCE] 3.3.1.5.3
TAKEN, REFUSED, ACKNOWLEDGED = 0, 2, 3


def syntax(name):
    return uuid.UUID(name[0]).bytes_le + struct.pack("<I", name[1])


def bind(connection, offers, results, kinds=(BIND, BIND_ACK)):
    """offers: context, interface, syntaxes; results: what became of each, and the syntax taken."""
    contexts = b"".join(
        struct.pack("<HBB", context, len(syntaxes), 0) + uuid.UUID(name).bytes_le + struct.pack("<HH", major, minor) + b"".join(map(syntax, syntaxes))
        for context, (name, major, minor), syntaxes in offers)
    sizes = struct.pack("<HHI", 5840, 5840, 0x12345)
    connection.pdu(kinds[0], sizes + struct.pack("B3x", len(offers)) + contexts)
    answer = struct.pack("<H2x", 0) if kinds[1] == ALTER_ACK else struct.pack("<H", 6) + b"49700\0"
    answer += struct.pack("B3x", len(results))
    answer += b"".join(struct.pack("<HH", result, 0) + (syntax(taken) if taken else bytes(20)) for result, taken in results)
    connection.pdu(kinds[1], sizes + answer)
    if kinds[1] == ALTER_ACK:
        # lib/wire.py takes it for the client's: addresses, ports and numbers change places.
        packet, length = connection.capture.frames.pop()
        size = len(packet) - 40
        connection.sequence[0] -= size
        turned = packet[:12] + packet[16:20] + packet[12:16] + packet[22:24] + packet[20:22]
        turned += struct.pack(">II", connection.sequence[1], connection.sequence[0]) + packet[32:]
        connection.sequence[1] += size
        connection.capture.frames.append((turned, length))


def polls(peer, numbers):
    for number in numbers:
        peer.poll(H, p.data(p.block(1, p.value(number))))


TWO = [(0, PERFLIBV2, [NDR, NDR64])], [(TAKEN, NDR)]
CASES = {
    "one of two": [(*TWO, (BIND, BIND_ACK))],
    "the last of two": [([(0, PERFLIBV2, [NDR64, NDR])], [(TAKEN, NDR)], (BIND, BIND_ACK))],
    "one of three contexts": [(
        [(0, PERFLIBV2, [NDR]), (1, PERFLIBV2, [NDR64]), (2, PERFLIBV2, [NEGOTIATED])],
        [(TAKEN, NDR), (REFUSED, None), (ACKNOWLEDGED, None)], (BIND, BIND_ACK))],
    "not the other, later": [
        ([(0, PERFLIBV2, [NDR])], [(TAKEN, NDR)], (BIND, BIND_ACK)),
        ([(0, PERFLIBV2, [NDR64])], [(REFUSED, None)], (ALTER, ALTER_ACK))],
    "nor another interface": [
        ([(0, PERFLIBV2, [NDR])], [(TAKEN, NDR)], (BIND, BIND_ACK)),
        ([(1, WINREG, [NDR]), (0, WINREG, [NDR])], [(TAKEN, NDR), (REFUSED, None)], (ALTER, ALTER_ACK))],
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])
def test_what_the_server_took(tshark, tmp_path, case, options):
    capture = Capture()
    peer = p.Peer(capture, bind=False)
    for offers, results, kinds in CASES[case]:
        bind(peer.connection, offers, results, kinds)
    peer.open(H)
    peer.validate(H, p.identifier(1, "one"))
    polls(peer, (5, 6))
    path = capture.write(tmp_path / "offers.pcap")
    rows = tshark.fields(path, "perflibv2.value", display_filter="perflibv2.value", options=options)
    assert rows == [[["5"]], [["6"]]]
    assert not tshark.fields(path, "frame.number", display_filter="_ws.malformed || perflibv2.rule.lpdata_count || perflibv2.rule.structure_fits", options=options)


@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])
def test_context_that_is_bound_anew(tshark, tmp_path, options):
    """Each call counts as one of the interface that its context was bound to when it was sent, in each pass."""
    capture = Capture()
    peer = p.Peer(capture, bind=False)
    samr = ("12345778-1234-abcd-ef00-0123456789ac", 1, 0)
    bind(peer.connection, [(0, PERFLIBV2, [NDR])], [(TAKEN, NDR)])
    peer.open(H)
    peer.validate(H, p.identifier(1, "one"))
    bind(peer.connection, [(0, samr, [NDR])], [(TAKEN, NDR)], (ALTER, ALTER_ACK))
    for _ in range(3):
        peer.connection.call(1, bytes(24), bytes(24))
    bind(peer.connection, [(0, PERFLIBV2, [NDR])], [(TAKEN, NDR)], (ALTER, ALTER_ACK))
    polls(peer, (5, 6))
    (row,) = table_rows(tshark.run(capture.write(tmp_path / "anew.pcap"), *options, "-q", "-z", "perflibv2,sessions"))
    assert (row[7], row[9]) == ("works", "4"), row[:]
