# SPDX-License-Identifier: GPL-2.0-or-later
"""Buffers that end early, at every byte: nothing that stood before the end is lost."""

import struct
from collections import defaultdict

import pytest

from lib import records
from lib.captures import record_of, recorded_captures
from lib.values import shows
from lib.wire import NDR, Capture, align

# Every byte of a buffer costs a call; beyond this size they repeat themselves.
LARGEST = 800
# What stands before lpData in a response: pdwOutSize, pdwRtnSize, max_count, offset,
# actual_count; of opnum 7 max_count alone. The last four bytes are its length.
HEAD = {1: 20, 2: 20, 5: 20, 6: 20, 7: 4}


def length_of(response):
    """Bytes of lpData."""
    return response.get("lpData_actual_count", response.get("lpData_max_count", 0))


def kinds_of_buffers():
    """For each kind of lpData in the captures the largest that is small enough."""
    kinds = defaultdict(list)
    for capture in recorded_captures():
        record = record_of(capture)
        for call in record["calls"]:
            response = call.get("response") or {}
            stub = call.get("response_stub_hex")
            if (
                not stub
                or call["opnum"] not in HEAD
                or call.get("response_drep", "little-endian") != "little-endian"
                or call.get("transfer_syntax", NDR[0]) != NDR[0]
                or not 0 < length_of(response) <= LARGEST
            ):
                continue
            blocks = (response["lpData"] or {}).get("blocks") or []
            kind = (call["opnum"], call["request"].get("RequestCode"), *sorted({block["dwType"] for block in blocks}))
            kinds[kind].append(call)
    return {kind: max(calls, key=lambda call: length_of(call["response"])) for kind, calls in kinds.items()}


BUFFERS = kinds_of_buffers()


def identify(kind):
    opnum, code, *blocks = kind
    return f"opnum{opnum}" + (f"-code{code}" if code else "") + "".join(f"-block{block}" for block in blocks)


buffers = pytest.mark.parametrize("call", BUFFERS.values(), ids=map(identify, BUFFERS))


def lengths_of(call):
    return range(length_of(call["response"]) + 1)


def problems(call, protocol, length):
    """Expected fields whose structures end within the first `length` bytes of lpData and which are not shown rightly."""
    start = protocol.first("perflibv2.lpdata")
    found = defaultdict(list)
    for item in protocol.walk():
        if start and item.size:
            found[item.name, item.position - start.position].append(item)
    wrong = []
    for expected in records.expected_of(call, is_request=False):
        # Which strings are what a shorter string buffer still tells is not given by their offset alone.
        if expected.offset is None or expected.size is None or (expected.end or expected.offset + expected.size) > length:
            continue
        if not any(shows(item.show, expected.name, expected.value) for item in found[expected.name, expected.offset]):
            wrong.append(str(expected))
    return wrong


@buffers
def test_sender_cuts_lpdata(tshark, tmp_path, call):
    """The sender leaves out the end of lpData, but sizes and return code are as they should be."""
    request = bytes.fromhex(call["request_stub_hex"])
    response = bytes.fromhex(call["response_stub_hex"])
    capture = Capture()
    connection = capture.connection()
    start = HEAD[call["opnum"]]
    for length in lengths_of(call):
        head = response[: start - 4] + struct.pack("<I", length)
        connection.call(call["opnum"], request, align(head + response[start : start + length], 4) + response[-4:])
    path = capture.write(tmp_path / "cut.pcap")
    packets = tshark.packets(path, display_filter="dcerpc.pkt_type == 2")
    assert len(packets) == len(lengths_of(call))
    for length, protocols in zip(lengths_of(call), packets):
        (protocol,) = (one for one in protocols if one.name == "perflibv2")
        code = protocol.first("perflibv2.return_code")
        assert code and int(code.show, 0) == call["return"]["value"], f"lpData of {length} bytes"
        assert not problems(call, protocol, length), f"lpData of {length} bytes"
        assert not any(one.name == "_ws.malformed" for one in protocols), f"lpData of {length} bytes"


@buffers
def test_snap_length_cuts_the_stub(tshark, tmp_path, call):
    """The capture ends before the buffer does: what was captured is shown, and nobody is blamed."""
    request = bytes.fromhex(call["request_stub_hex"])
    response = bytes.fromhex(call["response_stub_hex"])
    capture = Capture()
    # Wireshark hands over no PDU of which the end was not captured: each eighth byte is enough.
    lengths = range(0, len(response), 8)
    for length in lengths:
        connection = capture.connection()
        connection.request(call["opnum"], request, call_id=2)
        connection.response(response, call_id=2, snap=length)
    path = capture.write(tmp_path / "snap.pcap")
    packets = tshark.packets(path, "-o", "tcp.desegment_tcp_streams:FALSE", display_filter="dcerpc.pkt_type == 2")
    assert len(packets) == len(lengths)
    whole = blamed_anyway(tshark, tmp_path, call)
    for length, protocols in zip(lengths, packets):
        for protocol in protocols:
            assert protocol.name != "_ws.malformed", f"{length} bytes captured"
            if protocol.name == "perflibv2":
                assert not problems(call, protocol, length - HEAD[call["opnum"]]), f"{length} bytes captured"
                blamed = blames(protocol) - whole
                assert not blamed, f"{length} bytes captured: {blamed}"


def blames(protocol):
    """Expert items of the plugin that say that something is wrong: warnings and errors."""
    found = set()
    for expert in protocol.find("_ws.expert"):
        severity = expert.first("_ws.expert.severity")
        if severity and int(severity.show, 0) >= 0x600000:
            found |= {item.name for item in expert.walk() if item.name.startswith("perflibv2.")}
    return found


def blamed_anyway(tshark, tmp_path, call):
    """What is said of the whole buffer."""
    capture = Capture()
    connection = capture.connection()
    connection.call(call["opnum"], bytes.fromhex(call["request_stub_hex"]), bytes.fromhex(call["response_stub_hex"]))
    packets = tshark.packets(capture.write(tmp_path / "whole.pcap"))
    return set().union(*(blames(protocol) for protocols in packets for protocol in protocols))
