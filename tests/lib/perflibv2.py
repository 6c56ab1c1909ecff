# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes PerflibV2 sessions that keep to [MS-PCQ] to the letter, or break it where a test says so.

Functions lay out the structures of 2.2.4; every field can be given another value. A
Peer sends the calls of 3.1.4.1 on a connection of a capture (lib/wire.py).
"""

import re
import struct
import uuid

from lib import captures  # noqa: F401, which says where perfcap is
from lib.wire import NDR64, Capture, align, string
from perfcap import stubs

SET = uuid.UUID("3f2a7c10-5b0e-4f7d-9c55-0d8e6a1b2c3d")
OTHER_SET = uuid.UUID("3f2a7c10-5b0e-4f7d-9c55-0d8e6a1b2c3e")
NONE = 0xFFFFFFFF
TIME = 133_444_736_000_000_000      # a FILETIME of 2023-11-14
SYSTEM_TIME = (2023, 11, 2, 14, 22, 13, 20, 0)

RAWCOUNT, LARGE_RAWCOUNT = 0x00010000, 0x00010100
SAMPLE_FRACTION, SAMPLE_BASE = 0x20C20400, 0x40030401
AVERAGE_BULK, AVERAGE_BASE = 0x40020500, 0x40030402
LARGE_RAW_BASE = 0x40030500
OBJ_TIME_TIMER, MULTI_TIMER = 0x20610500, 0x22410500

NOT_ENOUGH_MEMORY, INVALID_PARAMETER, ACCESS_DENIED = 8, 0x57, 5
GUID_NOT_FOUND, INSTANCE_NOT_FOUND, INVALID_HANDLE = 0x1068, 0x1069, 6


def text(value):
    return value.encode("utf-16-le", "surrogatepass") + b"\0\0"


def counter(id, type=RAWCOUNT, attrib=0, detail=100, scale=0, base=NONE, time=NONE, freq=NONE, multi=NONE,
            aggregate=0, reserved=0):
    """_PERF_COUNTER_REG_INFO"""
    return struct.pack("<IIQIiIIIIII", id, type, attrib, detail, scale, base, time, freq, multi, aggregate, reserved)


def counterset(counters, guid=SET, type=0, detail=100, num=None, instance_type=2):
    """_PERF_COUNTERSET_REG_INFO and its counters"""
    num = len(counters) if num is None else num
    return guid.bytes_le + struct.pack("<IIII", type, detail, num, instance_type) + b"".join(counters)


# A counter of each kind that others are computed with.
COUNTERS = (
    counter(1),
    counter(2, LARGE_RAWCOUNT),
    counter(3, SAMPLE_FRACTION, base=4),
    counter(4, SAMPLE_BASE, attrib=2),
    counter(5, OBJ_TIME_TIMER, time=2, freq=2),
    counter(6, MULTI_TIMER, multi=1),
    counter(7, AVERAGE_BULK, base=8),
    counter(8, AVERAGE_BASE, attrib=2),
)


def strings(pairs, size=None, counters=None, base=None, offsets=None, pad=True):
    """_STRING_BUFFER_HEADER, its headers, and the strings, None for one that is not there; base: of dwOffset, the end of the headers unless given"""
    base = 8 + 8 * len(pairs) if base is None else base
    headers, texts = b"", b""
    for number, (id, value) in enumerate(pairs):
        offset = NONE if value is None else 8 + 8 * len(pairs) + len(texts) - base
        headers += struct.pack("<II", id, offsets[number] if offsets else offset)
        texts += b"" if value is None else text(value)
    data = headers + texts
    data = align(data, 8) if pad else data
    size = 8 + len(data) if size is None else size
    return struct.pack("<II", size, len(pairs) if counters is None else counters) + data


def instance(name="one", id=0, size=None, fill=b"\0", raw=None):
    """_PERF_INSTANCE_HEADER and name"""
    data = text(name) if raw is None else raw
    data += fill * (-len(data) % 8) if size is None else b""
    return struct.pack("<II", 8 + len(data) if size is None else size, id) + data


def identifier(counter=1, name="one", guid=SET, status=0, size=None, instance=0, index=0, reserved=0, fill=b"\0", raw=None):
    """_PERF_COUNTER_IDENTIFIER and name; name None: nothing follows"""
    data = b"" if name is None else text(name)
    data = raw if raw is not None else data + fill * (-len(data) % 8)
    size = 40 + len(data) if size is None else size
    return guid.bytes_le + struct.pack("<IIIIII", status, size, counter, instance, index, reserved) + data


def value(number=5, width=4, size=None, data_size=None):
    """_PERF_COUNTER_DATA and value"""
    raw = align(number.to_bytes(width, "little"), 8)
    return struct.pack("<II", width if data_size is None else data_size, 8 + len(raw) if size is None else size) + raw


def multi_counters(ids, size=None, pad=True):
    """_PERF_MULTI_COUNTERS and ids"""
    data = b"".join(struct.pack("<I", id) for id in ids)
    data = align(data, 8) if pad else data
    return struct.pack("<II", 8 + len(data) if size is None else size, len(ids)) + data


def multi_instances(rows, size=None):
    """_PERF_MULTI_INSTANCES; rows: instances, each with its values"""
    data = b"".join(rows)
    return struct.pack("<II", 8 + len(data) if size is None else size, len(rows)) + data


def block(type, body=b"", status=0, size=None, reserved=0):
    """_PERF_COUNTER_HEADER and what follows it"""
    return struct.pack("<IIII", status, type, 16 + len(body) if size is None else size, reserved) + body


def data(*blocks, total=None, num=None, time=TIME, freq=10_000_000, system_time=SYSTEM_TIME):
    """_PERF_DATA_HEADER and blocks"""
    body = b"".join(blocks)
    num = len(blocks) if num is None else num
    total = 48 + len(body) if total is None else total
    return struct.pack("<IIQQQ8H", total, num, 1000, time, freq, *system_time) + body


def query_handle(number):
    return struct.pack("<I", 0) + uuid.UUID(int=number << 64 | 0x5A).bytes_le


NULL_HANDLE = bytes(20)


def plain_host(text):
    return re.sub(r"(HOST|OTHER)(-\d+){4,5}", r"\1", text)


class Peer:
    """Client and server of one connection. Each call returns the frames of request and response."""

    def __init__(self, capture, machine=None, connection=None, **options):
        """
        Called HOST; a server at another address than most has a name of its own, which plain_host() makes HOST again.
        connection: one that is there (with NDR64, transfer_syntax says so), else a new one over TCP.
        """
        if machine is None:
            machine = f"\\\\HOST-{options['server'].replace('.', '-')}" if "server" in options else "\\\\HOST"
        self.capture = capture
        self.connection = connection or capture.connection(**options)
        self.wide = options.get("transfer_syntax") == NDR64
        self.machine = string(machine)

    def call(self, opnum, request, response=None):
        """response None: the server does not answer."""
        connection = self.connection
        connection.call_id += 1
        connection.request(opnum, self.laid_out(opnum, False, request))
        sent = len(self.capture.frames)
        if response is not None:
            connection.response(self.laid_out(opnum, True, response))
        return sent, len(self.capture.frames)

    def laid_out(self, opnum, is_response, stub):
        """The stub of NDR as the connection's transfer syntax has it."""
        if not self.wide:
            return stub
        return stubs.marshal(opnum, is_response, stubs.unmarshal(opnum, is_response, stub, stubs.Syntax()), stubs.Syntax(ndr64=True))

    def _answer(self, content, in_size, out, needed, status, max_count=None, offset=0, element=1):
        actual = len(content) // element
        out = actual if out is None else out
        needed = out if needed is None else needed
        max_count = in_size if max_count is None else max_count
        head = struct.pack("<IIIII", out, needed, max_count, offset, actual)
        return align(head + content, 4) + struct.pack("<I", status)

    def enumerate(self, guids=(SET,), in_size=4, out=None, needed=None, status=0, machine=None):
        content = b"".join(guid.bytes_le for guid in guids)
        return self.call(
            0,
            (self.machine if machine is None else machine) + struct.pack("<I", in_size),
            self._answer(content, in_size, out, needed, status, element=16),
        )

    def registration(self, code, content, lcid=0, guid=SET, in_size=4096, out=None, needed=None, status=0, **array):
        return self.call(
            1,
            self.machine + guid.bytes_le + struct.pack("<III", code, lcid, in_size),
            self._answer(content, in_size, out, needed, status, **array),
        )

    def instances(self, *items, guid=SET, in_size=4096, out=None, needed=None, status=0):
        return self.call(
            2,
            self.machine + guid.bytes_le + struct.pack("<I", in_size),
            self._answer(b"".join(items), in_size, out, needed, status),
        )

    def open(self, handle, status=0):
        return self.call(3, self.machine, handle + struct.pack("<I", status))

    def close(self, handle, returned=NULL_HANDLE, status=0):
        return self.call(4, handle, returned + struct.pack("<I", status))

    def info(self, handle, *identifiers, in_size=4096, status=0):
        content = b"".join(identifiers)
        return self.call(5, handle + struct.pack("<I", in_size), self._answer(content, in_size, None, None, status))

    def poll(self, handle, content=None, in_size=4096, out=None, needed=None, status=0):
        response = None if content is None else self._answer(content, in_size, out, needed, status)
        return self.call(6, handle + struct.pack("<I", in_size), response)

    def validate(self, handle, *identifiers, add=1, returned=None, status=0):
        sent = b"".join(identifiers)
        answer = sent if returned is None else returned
        return self.call(
            7,
            align(handle + struct.pack("<II", len(sent), len(sent)) + sent, 4) + struct.pack("<I", add),
            align(struct.pack("<I", len(answer)) + answer, 4) + struct.pack("<I", status),
        )

    def teach(self, **changes):
        """Says what the counterset is."""
        return self.registration(1, counterset(COUNTERS, **changes))

    def mapped(self, handle, *identifiers):
        """A handle with these identifiers, and its index map."""
        self.open(handle)
        self.validate(handle, *identifiers)
        self.info(handle, *(item[:32] + struct.pack("<I", number) + item[36:] for number, item in enumerate(identifiers)))


def session_named(name):
    """A capture whose machine, counterset, counters and instances have this name. Of the two counters one never has a value."""
    capture = Capture()
    peer = Peer(capture, machine="\\\\" + name)
    handle = query_handle(1)
    peer.registration(1, counterset([counter(1), counter(2)]))
    peer.registration(3, text(name))
    peer.registration(5, strings([(1, name), (2, name + "2")]))
    peer.mapped(handle, identifier(1, name), identifier(2, "2" + name))
    for at in range(3):
        peer.poll(handle, data(block(1, value(at)), block(0, status=0xD2), time=TIME + at * 10_000_000))
    return capture
