# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures taken again with a short snap length: what is cut off is nobody's fault."""

import struct
import subprocess

import pytest

from lib import perflibv2 as p
from lib.captures import REPOSITORY
from lib.wire import FIRST_FRAGMENT, LAST_FRAGMENT, REQUEST, RESPONSE, Capture

SESSION = REPOSITORY / "captures" / "tcp-session.pcapng"


@pytest.fixture(params=[120, 200, 300, 500, 1000, 2000])
def cut_session(request, tmp_path):
    path = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", str(request.param), SESSION, path], check=True)
    for readable in (path, tmp_path):
        readable.chmod(0o755)
    return path


def test_nothing_is_malformed(tshark, cut_session):
    assert tshark.fields(cut_session, "frame.number", display_filter="_ws.malformed", options=["-2"]) == []


def test_the_end_of_a_message_is_not_taken_for_it(tshark, cut_session):
    """Frame 114 holds the last fragment of an answer; of the fragments before a short snap length leaves less than there was."""
    rows = tshark.fields(cut_session, "perflibv2.return_size", "perflibv2.no_beginning", display_filter="frame.number == 114",
                         options=["-2"])
    whole = tshark.fields(SESSION, "perflibv2.return_size", display_filter="frame.number == 114", options=["-2"])
    assert len(whole) == 1
    if rows and rows[0][0]:
        assert rows[0][0] == whole[0][0]
    else:
        assert rows == [] or rows[0] == [[], []] or rows[0][1] != []


@pytest.mark.parametrize("kind", [REQUEST, RESPONSE], ids=["request", "response"])
def test_first_fragment_cut(tshark, tmp_path, kind):
    """The first of two fragments was not captured whole, the second was: it is not taken for the beginning."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    identifiers = b"".join(p.identifier(number, "instance") for number in range(100))
    request = handle + struct.pack("<II", len(identifiers), len(identifiers)) + identifiers + struct.pack("<I", 1)
    response = struct.pack("<I", len(identifiers)) + identifiers + struct.pack("<I", 0)
    peer.open(handle)
    stubs = {REQUEST: request, RESPONSE: response}
    if kind == RESPONSE:
        peer.connection.request(7, request, call_id=9)
    stub = stubs[kind]
    for flags, part, snap in (FIRST_FRAGMENT, stub[:3000], 1000), (LAST_FRAGMENT, stub[3000:], None):
        peer.connection.pdu(kind, struct.pack("<IHH", len(part), 0, 7 if kind == REQUEST else 0) + part, 9, snap, flags)
    path = capture.write(tmp_path / "first.pcap")
    frame = len(capture.frames)
    ((sizes, no_beginning),) = tshark.fields(
        path, "perflibv2.identifier.size", "perflibv2.no_beginning", display_filter=f"frame.number == {frame}"
    )
    assert sizes == []
    # Wireshark hands over the rest of an answer; of a request it can't tell what it was.
    assert bool(no_beginning) == (kind == RESPONSE)
    assert tshark.fields(path, "frame.number", display_filter="_ws.malformed") == []


def test_a_stub_that_ends_early_teaches_once(tshark, tmp_path):
    """An answer without its return code, gone through again, must not open another handle: the one it opened was closed."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    _, opened = peer.call(3, peer.machine, handle)
    closed, _ = peer.close(handle)
    path = capture.write(tmp_path / "short.pcap")
    rows = tshark.fields(path, "frame.number", "perflibv2.handle.closed_in", "perflibv2.handle.not_closed",
                         display_filter="perflibv2.handle.opened_in", options=["-2"])
    assert rows == [[[str(frame)], [str(closed)], []] for frame in (opened, closed)]
