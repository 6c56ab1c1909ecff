# SPDX-License-Identifier: GPL-2.0-or-later
"""Decode As: a port that the user says is DCERPC's, however its PDUs are cut into segments."""

import pytest

from lib import perflibv2 as p
from lib.wire import Capture

H = p.query_handle(1)
PORT = 49700


def session(path, **options):
    capture = Capture()
    peer = p.Peer(capture, server_port=PORT, **options)
    peer.teach()
    peer.mapped(H, p.identifier(1), p.identifier(2))
    for number in range(3):
        peer.poll(H, p.data(p.block(1, p.value(number)), p.block(1, p.value(7, 8))))
    peer.close(H)
    return capture.write(path)


def shown(tshark, path, *options):
    """What each PDU of ours holds, wherever its segments are."""
    rows = tshark.fields(path, "perflibv2.opnum", "perflibv2.value", "perflibv2.return_code", "perflibv2.handle", display_filter="perflibv2", options=options)
    # Frames that end several PDUs hold them one after another.
    return [[value for row in rows for value in row[column]] for column in range(4)]


@pytest.mark.parametrize("segment", [1400, 100, 24, 17, 16, 15, 7])
@pytest.mark.parametrize("passes", [[], ["-2"]], ids=["one-pass", "two-pass"])
def test_a_port_decoded_as_dcerpc_is_read_as_found(tshark, tmp_path, segment, passes):
    """As many values as without Decode As in segments that hold whole PDUs; a header of 16 bytes may end in the next segment."""
    whole = shown(tshark, session(tmp_path / "whole.pcap"))
    assert whole[1] == ["0", "7", "1", "7", "2", "7"]
    cut = session(tmp_path / "cut.pcap", segment=segment)
    assert shown(tshark, cut, "-d", f"tcp.port=={PORT},dcerpc", *passes) == whole
