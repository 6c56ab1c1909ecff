# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls on the wire without a server: winreg stubs, DCERPC PDUs, TCP segments.

Two things are written this way: what Windows sends and no server here can be made to send, and buffers that were
never on a wire. The other captures are recorded between real peers.
"""

import ipaddress
import struct
import uuid

WINREG = uuid.UUID("338cd001-2244-31f1-aaaa-900038001003")
NDR = (uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860"), 2)
NDR64 = (uuid.UUID("71710533-beba-4937-8319-b5dbef9ccc36"), 1)
REQUEST, RESPONSE, BIND, BIND_ACK = 0, 2, 11, 12
FIRST, LAST, OBJECT_UUID = 1, 2, 0x80

OPEN_LOCAL_MACHINE, OPEN_DATA, CLOSE_KEY, CREATE_KEY, OPEN_KEY, QUERY_VALUE, QUERY_MULTIPLE = 2, 3, 5, 6, 15, 17, 29
OPEN_TEXT, OPEN_NLS_TEXT = 32, 33
ERROR_SUCCESS, ERROR_MORE_DATA, ERROR_FILE_NOT_FOUND = 0, 234, 2
REG_BINARY, REG_MULTI_SZ = 3, 7


def _align(stub, multiple):
    return stub + b"\0" * (-len(stub) % multiple)


def open_request(access=0x02000000):
    """OpenPerformanceData and the like: a server name that is NULL, the access wanted."""
    return struct.pack("<II", 0, access)


def open_response(handle, error=ERROR_SUCCESS):
    return handle + struct.pack("<I", error)


def open_key_request(handle, path, options=0, access=0x20019):
    """BaseRegOpenKey."""
    text = (path + "\0").encode("utf-16-le")
    stub = handle + struct.pack("<HHIIII", len(text), len(text), 0x20000, len(text) // 2, 0, len(text) // 2) + text
    return _align(stub, 4) + struct.pack("<II", options, access)


def close_request(handle):
    return handle


def close_response(error=ERROR_SUCCESS):
    return bytes(20) + struct.pack("<I", error)


def _pointer(stub, referent, wide):
    return _align(stub, 8) + struct.pack("<Q", referent) if wide else _align(stub, 4) + struct.pack("<I", referent)


def _counts(*counts, wide):
    return struct.pack("<3Q" if wide else "<3I", *counts)


def query_request(handle, name, room, offered=b"", wide=False):
    """BaseRegQueryValue. room None: no buffer, lpData and its lengths are NULL pointers to data and 0. wide: NDR64."""
    text = (name + "\0").encode("utf-16-le")
    count = len(text) // 2
    stub = _align(handle, 8 if wide else 4) + struct.pack("<HH", len(text), len(text))
    stub = _pointer(stub, 0x20000, wide) + _counts(count, 0, count, wide=wide) + text
    stub = _pointer(stub, 0x20004, wide) + struct.pack("<I", 0)
    if room is None:
        stub = _pointer(stub, 0, wide)
    else:
        stub = _pointer(stub, 0x20008, wide) + _counts(room, 0, len(offered), wide=wide) + offered
    stub = _pointer(stub, 0x2000C, wide) + struct.pack("<I", room or 0)
    return _pointer(stub, 0x20010, wide) + struct.pack("<I", len(offered))


def query_response(kind, data, size, length, error=ERROR_SUCCESS, maximum=None, actual=None, wide=False):
    """data None: a NULL pointer. maximum, actual: array counts that differ from the data's length. wide: NDR64."""
    stub = _pointer(b"", 0x20004, wide) + struct.pack("<I", kind)
    if data is None:
        stub = _pointer(stub, 0, wide)
    else:
        stub = _pointer(stub, 0x20008, wide)
        stub += _counts(len(data) if maximum is None else maximum, 0, len(data) if actual is None else actual, wide=wide) + data
    stub = _pointer(stub, 0x2000C, wide) + struct.pack("<I", size)
    return _pointer(stub, 0x20010, wide) + struct.pack("<I", length) + struct.pack("<I", error)


def query_multiple_request(handle, names, room):
    """BaseRegQueryMultipleValues; the buffer is offered, not sent."""
    stub = handle + struct.pack("<III", len(names), 0, len(names))
    for i in range(len(names)):
        stub += struct.pack("<IIII", 0x20000 + 8 * i, 0, 0, 0)
    for i, name in enumerate(names):
        text = (name + "\0").encode("utf-16-le")
        stub = _align(stub, 4) + struct.pack("<HHIIII", len(text), len(text), 0x30000 + 8 * i, len(text) // 2, 0, len(text) // 2) + text
    stub = _align(stub, 4) + struct.pack("<I", len(names))
    return stub + struct.pack("<IIII", 0x40000, room, 0, 0) + struct.pack("<I", room)


def query_multiple_response(values, error=ERROR_SUCCESS):
    """values: (name, type, data), the data one behind the other in the buffer."""
    stub, buffer = struct.pack("<III", len(values), 0, len(values)), b""
    for i, (_, kind, data) in enumerate(values):
        stub += struct.pack("<IIII", 0x20000 + 8 * i, len(data), len(buffer), kind)
        buffer += data
    for i, (name, _, _) in enumerate(values):
        text = (name + "\0").encode("utf-16-le")
        stub = _align(stub, 4) + struct.pack("<HHIIII", len(text), len(text), 0x30000 + 8 * i, len(text) // 2, 0, len(text) // 2) + text
    stub = _align(stub, 4) + struct.pack("<IIII", 0x40000, len(buffer), 0, len(buffer)) + buffer
    return _align(stub, 4) + struct.pack("<II", len(buffer), error)


class Tcp:
    """One TCP connection between client and server, both (address, port). Frames go to capture.frames."""

    def __init__(self, capture, client, server, mss=1460, flags=(0x02, 0x12, 0x10)):
        """flags: of the first segments, which client and server send in turn."""
        self.capture, self.ends, self.mss = capture, (client, server), mss
        self.sequence = [1000, 500000]
        for number, value in enumerate(flags):
            self.segment(number % 2, value)

    def segment(self, sender, flags, payload=b""):
        (source, source_port), (target, target_port) = self.ends[sender], self.ends[1 - sender]
        acknowledged = self.sequence[1 - sender] if flags & 0x10 else 0
        tcp = struct.pack(">HHIIBBHHH", source_port, target_port, self.sequence[sender], acknowledged, 0x50, flags, 64240, 0, 0)
        source, target = _address(source), _address(target)
        pseudo = source + target + struct.pack(">BBH", 0, 6, len(tcp) + len(payload))
        tcp = tcp[:16] + struct.pack(">H", _checksum(pseudo + tcp + payload)) + tcp[18:]
        if len(source) == 4:
            ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + len(payload), self.capture.next_id(), 0x4000, 128, 6, 0)
            ip += source + target
            ip = b"\x08\x00" + ip[:10] + struct.pack(">H", _checksum(ip)) + ip[12:]
        else:
            ip = b"\x86\xdd" + struct.pack(">IHBB", 6 << 28, len(tcp) + len(payload), 6, 128) + source + target
        ethernet = bytes([2, 0, 0, 0, 0, 1 + sender]) + bytes([2, 0, 0, 0, 0, 2 - sender])
        self.capture.add(ethernet + ip + tcp + payload)
        self.sequence[sender] = self.sequence[sender] + len(payload) + (1 if flags & 0x02 else 0) & 0xFFFFFFFF

    def send(self, sender, data):
        for at in range(0, len(data), self.mss):
            self.segment(sender, 0x18, data[at:at + self.mss])

    def close(self):
        self.segment(0, 0x11)
        self.segment(1, 0x11)


class Connection(Tcp):
    """Calls of one interface on a connection of their own."""

    def __init__(self, capture, client, server, max_fragment=5840, mss=1460, transfer=NDR, interface=WINREG, object=None):
        """object: the object UUID of all requests ([C706] 12.6.4.9), or None."""
        super().__init__(capture, client, server, mss)
        self.max_fragment, self.transfer, self.interface, self.object = max_fragment, transfer, interface, object
        self.call_id = 1
        self.bind()

    def _pdu(self, kind, flags, call_id, body):
        return struct.pack("<BBBBIHHI", 5, 0, kind, flags, 0x10, 16 + len(body), 0, call_id) + body

    def bind(self):
        syntax = self.interface.bytes_le + struct.pack("<HH", 1, 0)
        transfer = self.transfer[0].bytes_le + struct.pack("<I", self.transfer[1])
        body = struct.pack("<HHIB3xHBx", self.max_fragment, self.max_fragment, 0, 1, 0, 1) + syntax + transfer
        self.send(0, self._pdu(BIND, FIRST | LAST, 1, body))
        address = str(self.ends[1][1]).encode() + b"\0"
        body = struct.pack("<HHIH", self.max_fragment, self.max_fragment, 0x12345, len(address)) + address
        body = _align(body, 4) + struct.pack("<B3xHH", 1, 0, 0) + transfer
        self.send(1, self._pdu(BIND_ACK, FIRST | LAST, 1, body))

    def request(self, opnum, stub):
        self.call_id += 1
        self._fragments(0, REQUEST, opnum, stub)

    def response(self, stub):
        self._fragments(1, RESPONSE, 0, stub)

    def _fragments(self, sender, kind, opnum, stub):
        is_object = kind == REQUEST and self.object
        mark, more = (self.object.bytes_le, OBJECT_UUID) if is_object else (b"", 0)
        room = self.max_fragment - 24 - len(mark)
        data = b""
        for at in range(0, max(len(stub), 1), room):
            piece = stub[at:at + room]
            flags = (FIRST if at == 0 else 0) | (LAST if at + room >= len(stub) else 0)
            data += self._pdu(kind, flags | more, self.call_id, struct.pack("<IHH", len(stub) - at, 0, opnum) + mark + piece)
        self.send(sender, data)

    def call(self, opnum, request, response):
        self.request(opnum, request)
        self.response(response)


class Capture:
    """Frames with simulated times."""

    def __init__(self, start=1772452800.0):
        self.frames, self.now, self.id = [], start, 0

    def next_id(self):
        self.id = (self.id + 1) & 0xFFFF
        return self.id

    def add(self, frame):
        self.now += 0.0002
        self.frames.append((self.now, frame))

    def wait(self, seconds):
        self.now += seconds


def _address(text):
    return ipaddress.ip_address(text).packed


def _checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
