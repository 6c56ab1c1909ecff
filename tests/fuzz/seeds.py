# SPDX-License-Identifier: GPL-2.0-or-later
"""seeds.py FOLDER LPDATA_FOLDER SESSION_FOLDER [whole]: writes the captures as inputs of the fuzz targets (see their heads).

whole: without the parts of what is there whole, or nearly."""

import re
import struct
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import lossy
from lib.captures import CAPTURES, all_captures
from lib.orpc import SF_BSTR, SF_I1, SF_I2, SF_I4, SF_I8, SF_VARIANT, VARTYPES, objref
from lib.pla import IID, IPID, Calls, invoke, invoked, names
from lib.tshark import Tshark

# Longer stubs and sessions only slow a fuzzer down.
LONGEST_STUB = 6000
LONGEST_SESSION = 16000
RESPONSE, NDR64, BIG_ENDIAN, OBJECT = 1, 2, 4, 0x20
NDR64_SYNTAX = "71710533-beba-4937-8319-b5dbef9ccc36"


def value_of(item, name):
    found = item.first(name)
    return found.show if found else None


def calls(tshark, capture):
    """(stream, interface, opnum, flags, stub) of every call in the clear."""
    syntaxes = {}
    disabled = "--disable-protocol", "winreg", "--disable-protocol", "dispatch"
    # Without our plugin and the dissectors of winreg and IDispatch the stub is one field.
    packets = tshark.packets(capture, *disabled, display_filter="dcerpc", layers="dcerpc")
    streams = tshark.fields(capture, "tcp.stream", display_filter="dcerpc", options=disabled)
    for protocols, ((stream, *_),) in zip(packets, streams, strict=True):
        for rpc in protocols:
            if rpc.name != "dcerpc":
                continue
            kind = value_of(rpc, "dcerpc.pkt_type")
            if kind in ("11", "14"):
                # Bind, alter context: each context item names an interface and its transfer syntaxes.
                for context in rpc.find("dcerpc.cn_ctx_item"):
                    key = stream, value_of(context, "dcerpc.cn_ctx_id")
                    syntaxes[key] = (
                        value_of(context, "dcerpc.cn_bind_to_uuid"),
                        value_of(context, "dcerpc.cn_bind_trans_id") == NDR64_SYNTAX,
                    )
            stub = rpc.first("dcerpc.stub_data")
            bound = syntaxes.get((stream, value_of(rpc, "dcerpc.cn_ctx_id")))
            if kind in ("0", "2") and stub and stub.value and bound and len(stub.value) <= 2 * LONGEST_STUB:
                interface, ndr64 = bound
                flags = (RESPONSE if kind == "2" else 0) | (NDR64 if ndr64 else 0)
                if value_of(rpc, "dcerpc.drep.byteorder") == "0":
                    flags |= BIG_ENDIAN
                if rpc.first("dcerpc.obj_id"):
                    flags |= OBJECT
                yield stream, interface, int(value_of(rpc, "dcerpc.opnum") or 0), flags, bytes.fromhex(stub.value)


def pdu(opnum, flags, stub):
    return struct.pack("<BBH", opnum, flags, len(stub)) + stub


PERFLIBV2 = "da5a86c5"
# Opnum -> the walkers of its answers' lpData, by fuzz_lpdata.c's numbers; for registration info every request code.
WALKERS = {1: range(1, 11), 2: [11], 5: [12], 6: [13]}


def lpdata_inputs(opnum, stub):
    """The lpData of an answer in little-endian NDR, once for each walker that may meet it."""
    if opnum == 7:
        return [bytes([12, 0]) + stub[4:-4]]
    return [bytes([walker, 0]) + stub[20:-4] for walker in WALKERS.get(opnum, []) if len(stub) > 24]


# As in fuzz_session.c; any other port is the first.
PORTS = {445: 1, 135: 2, 139: 3}
FROM_SERVER = 0x08
# An input: how a connection begins, and a part of what follows.
HEAD_FRAMES, PART_FRAMES = 14, 16
LONGEST_PART = 20000
# A capture of a few frames is one whole, as well: where counters are learned, added and asked for.
MOST_FRAMES, LONGEST_WHOLE = 128, 40000
# What is done with the frames, as in session.h; the lowest bits are the display filter.
SHOWN, AGAIN, ANEW, FILTER, COLUMNS = 0x08, 0x10, 0x20, 0x40, 0x80
# The preference that is none, of wireshark.c: the port is told to be DCERPC's.
DECODE_AS = 0x40


def segments(tshark, capture):
    """(stream, port of the server, whether the server sent it, time in seconds, payload) of every TCP segment."""
    rows = tshark.fields(
        capture, "tcp.stream", "tcp.srcport", "tcp.dstport", "frame.time_epoch", "tcp.payload",
        display_filter="tcp.len > 0", options=["--disable-protocol", "dispatch"],
    )
    servers = {}
    for row in rows:
        stream, source, target, time, payload = (cells[0] for cells in row)
        # Who speaks first is the client.
        port = servers.setdefault(stream, int(target))
        yield int(stream), port, int(source) == port, float(time), bytes.fromhex(payload)


def what_is_done(turn):
    """The second byte of an input: filters and what a person does, each in its turn."""
    return COLUMNS | turn % 8 | (FILTER, AGAIN, FILTER | AGAIN, ANEW | SHOWN)[turn % 4]


def session_inputs(found, turn):
    """
    Inputs of fuzz_session, from up to eight connections of a capture: its beginning with a part of the rest, and all of
    it, or the beginning of it that an input may be. turn: the capture's number.
    """
    streams = sorted({segment[0] for segment in found})[:8]
    settings = bytearray(4)
    for number, stream in enumerate(streams):
        port = next(segment[1] for segment in found if segment[0] == stream)
        settings[number // 2] |= PORTS.get(port, 0) << number % 2 * 4
    frames, last = [], None
    for stream, _, from_server, time, payload in found:
        if stream in streams:
            step = min(255, int((time - (last or time)) / 0.02))
            flags = streams.index(stream) | (FROM_SERVER if from_server else 0)
            frames.append((flags, step, payload))
            last = time
    for first in range(0, max(1, len(frames)), PART_FRAMES):
        head = bytes([0, what_is_done(first // PART_FRAMES), first & 0xFF, 1]) + settings
        part = frames[first : first + PART_FRAMES]
        chosen = (frames[:HEAD_FRAMES] if first >= HEAD_FRAMES else []) + part
        yield session_bytes(head, chosen, LONGEST_PART)
    head = bytes([0, what_is_done(turn) | SHOWN, 0, 1]) + settings
    yield session_bytes(head, frames, LONGEST_WHOLE)


def session_bytes(head, frames, longest):
    packed, size = [head], 0
    for flags, step, payload in frames[:MOST_FRAMES]:
        size += len(payload)
        if size > longest:
            break
        packed.append(struct.pack("<BBH", flags, step, len(payload)) + payload)
    return b"".join(packed)


# VARTYPE -> a value; the others are numbers.
VALUES = {"VT_EMPTY": None, "VT_NULL": None, "VT_BSTR": "text", "VT_DISPATCH": objref(IID["IValueMap"], IPID), "VT_UNKNOWN": None,
          "VT_VARIANT": lambda stub: stub.variant_body("VT_I4", 11), "VT_DECIMAL": struct.pack("<HBBIQ", 0, 3, 0x80, 0, 12)}
# SF_TYPE -> elements, and the VARTYPE that cLocks names.
ARRAYS = {SF_BSTR: (["a", "b"], 8), SF_I1: (bytes(range(7)), 17), SF_I2: ([1, -2], 11), SF_I4: ([1, -2], 19), SF_I8: ([1, -2], 7),
          SF_VARIANT: ([lambda stub: stub.variant_body("VT_BSTR", "deep"), lambda stub: stub.variant_body("VT_I4", 5)], None)}


def automation(folder, interface):
    """Calls by way of IDispatch, alone or inherited, with a VARIANT of every type: by value, by reference, as an array."""
    calls = Calls()
    for name in "Duration", "Item", "Value":
        calls.call(interface, 5, lambda stub, name=name: names(stub, name), lambda stub: stub.u32(1).u32(1610743808))
    arguments = [(kind, VALUES.get(kind, 1)) for kind in VARTYPES if kind != "VT_VARIANT"]
    arguments += [(kind, VALUES.get(kind, 1), None, True) for kind in VARTYPES if kind not in ("VT_EMPTY", "VT_NULL")]
    arguments += [("VT_I4", None, None, False)]
    arguments += [("VT_I4", None, lambda stub, sf=sf, elements=elements, vartype=vartype: stub.safearray_body(sf, elements, vartype=vartype))
                  for sf, (elements, vartype) in ARRAYS.items()]
    for number, argument in enumerate(arguments):
        calls.call(interface, 6, lambda stub, argument=argument: invoke(stub, number, [argument], 1, named=()), invoked)
    path = Path(folder) / f"automation-{interface}.pcap"
    calls.capture.write(path)
    return path


# A PDU that binds, or answers one that does.
BINDING = re.compile(rb"\x05\x00[\x0b\x0c\x0e\x0f\x10]\x03\x10\x00\x00\x00")
# Captures that are damaged: in clear and sealed, over TCP and over SMB.
DAMAGED = ["tcp-session", "smb2-session", "sealed-smb2", "both-apis", "pla-session", "perfdata-samba", "sealed-tcp"]


def damaged(folder):
    """Captures without their binds, with every frame twice, and with holes."""
    for name in DAMAGED:
        frames = lossy.frames_of(CAPTURES / f"{name}.pcapng", folder)[: 3 * MOST_FRAMES]
        for kind, changed in (
            ("unbound", [frame for frame in frames if not BINDING.search(frame[1])]),
            ("twice", [frame for frame in frames for _ in range(2)]),
            ("torn", [frame for number, frame in enumerate(frames) if number % 7 != 6 or not lossy.carries_data(frame[1])]),
        ):
            path = Path(folder) / f"{name}-{kind}.pcap"
            lossy.write(path, [changed])
            yield path


def main(folder, lpdata_folder, session_folder, whole_only):
    with tempfile.TemporaryDirectory() as empty:
        Path(empty).chmod(0o755)
        tshark = Tshark(empty, empty)
        made = [automation(empty, interface) for interface in ("IDispatch", "IValueMapItem")]
        for turn, path in enumerate(damaged(empty)):
            # All that is changed is in what is whole, the last one.
            *_, whole = session_inputs(list(segments(tshark, path)), turn)
            (session_folder / path.stem).write_bytes(bytes([DECODE_AS if "unbound" in path.stem else 0]) + whole[1:])
        shapes, contents = set(), set()
        for turn, capture in enumerate([*all_captures(), *made]):
            sessions = defaultdict(list)
            for stream, interface, opnum, flags, stub in calls(tshark, capture):
                sessions[stream, interface].append(pdu(opnum, flags, stub))
                if interface.startswith(PERFLIBV2) and flags == RESPONSE:
                    for number, content in enumerate(lpdata_inputs(opnum, stub)):
                        name = f"{capture.stem}-{stream}-{len(sessions[stream, interface])}-{number}"
                        if content not in contents:
                            (lpdata_folder / name).write_bytes(content)
                        contents.add(content)
            for (stream, interface), pdus in sessions.items():
                head = struct.pack("<I", int(interface[:8], 16))
                # The session in pieces, and each PDU with the one before it, its request mostly: one of each shape, as what is
                # alike but for its values goes the same ways.
                piece, count = b"", 0
                for number, one in enumerate(pdus):
                    pair = pdus[number - 1] + one if number and one[1] & RESPONSE else one
                    shape = head, one[:4], pair[:4], len(pair)
                    if shape not in shapes and not whole_only:
                        (folder / f"{capture.stem}-{stream}-{interface[:8]}-{number}").write_bytes(head + pair)
                    shapes.add(shape)
                    piece += one
                    if len(piece) > LONGEST_SESSION - LONGEST_STUB or one is pdus[-1]:
                        (folder / f"{capture.stem}-{stream}-{interface[:8]}-piece{count}").write_bytes(head + piece)
                        piece, count = b"", count + 1
            *parts, whole = session_inputs(list(segments(tshark, capture)), turn)
            for number, content in enumerate([whole, *([] if whole_only else parts)]):
                (session_folder / f"{capture.stem}-{number}").write_bytes(content)


main(*map(Path, sys.argv[1:4]), "whole" in sys.argv[4:])
