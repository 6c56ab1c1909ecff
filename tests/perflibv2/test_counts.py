# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts of lpData that disagree: what the stub has room for tells which is right."""

import struct

from lib import perflibv2 as p
from lib.some import some
from lib.wire import Capture, align

# What the array counts, what pdwOutSize says, and the bytes of 16 and a return code that are lpData; what is wrong with it.
COUNTS = [
    (16, 16, 16, None),
    (8, 16, 16, "The count of lpData is 8 bytes, pdwOutSize says 16, and the stub has room for 16"),
    (13, 8, 13, "The count of lpData is 13 bytes, pdwOutSize says 8, and the stub has room for 16"),
    (8, 13, 13, "The count of lpData is 8 bytes, pdwOutSize says 13, and the stub has room for 16"),
    (12, 4, 12, "The count of lpData is 12 bytes, pdwOutSize says 4, and the stub has room for 16"),
    (17, 16, 16, "The count of lpData is 17 bytes, pdwOutSize says 16, and the stub has room for 16"),
    (17, 17, 16, "The count of lpData is 17 bytes, pdwOutSize says 17, and the stub has room for 16"),
    (0xFFFFFFFF, 17, 16, "The count of lpData is 4294967295 bytes, pdwOutSize says 17, and the stub has room for 16"),
]


def test_lpdata_ends_where_counts_and_stub_agree(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    frames = []
    for counted, stated, _, _ in COUNTS:
        stub = struct.pack("<IIIII", stated, 16, 4096, 0, counted) + struct.pack("<IIIII", 1, 2, 3, 4, 0)
        frames.append(peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 8, 0, 4096), stub)[1])
    packets = tshark.packets(capture.write(tmp_path / "counts.pcap"), display_filter="frame")
    for frame, (counted, stated, size, wrong) in some(zip(frames, COUNTS, strict=True), len(COUNTS)):
        (layer,) = [layer for layer in packets[frame - 1] if layer.name == "perflibv2"]
        said = [item.show for item in layer.find("_ws.expert.message") if item.show.startswith("The count of lpData is")]
        assert (layer.first("perflibv2.lpdata").size, said) == (size, [wrong] if wrong else []), f"{counted} counted, {stated} stated"
        assert layer.first("perflibv2.return_code").position == layer.first("perflibv2.lpdata").position + len(align(bytes(size), 4))


def test_a_stub_that_ends_anywhere_shows_the_parameters_before_its_end(tshark, tmp_path):
    """Of ValidateCounters every prefix. Where lpData counts more than there is, its last 4 bytes are taken for what follows lpData."""
    handle, sent = p.query_handle(1), p.identifier(1, None)
    request = handle + struct.pack("<II", len(sent), len(sent)) + sent + struct.pack("<I", 1)
    response = struct.pack("<I", len(sent)) + sent + struct.pack("<I", 0)
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(handle)
    frames = {}
    for size in range(1, len(request) + 1):
        sent, answered = peer.call(7, request[:size], response[:size])
        frames[sent], frames[answered] = ("request", size), ("response", min(size, len(response)))
    rows = tshark.fields(capture.write(tmp_path / "short.pcap"), "frame.number", "perflibv2.handle.attributes", "perflibv2.in_size",
                         "perflibv2.add", "perflibv2.return_code")
    shown = {}
    for number, attributes, in_size, add, code in rows[4:]:
        kind, size = frames[int(number[0])]
        shown[kind, size] = (bool(attributes), bool(in_size), bool(add)) if kind == "request" else (bool(code),)
    for size in some(range(1, len(request) + 1)):
        assert shown["request", size] == (size >= 4, size >= 24, size >= 32), size
    for size in some(range(1, len(response) + 1)):
        assert shown["response", size] == (size >= 8,), size
