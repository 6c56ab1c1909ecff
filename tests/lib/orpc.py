# SPDX-License-Identifier: GPL-2.0-or-later
"""DCOM calls as bytes: a small marshaller of ORPC stubs ([MS-DCOM], [MS-OAUT]) and the TCP capture around them.

Written from the specifications alone, so that what the dissector reads is not what it wrote.
"""

import struct
import uuid
from datetime import datetime
from functools import lru_cache

from lib.pcap import ETHERNET, write_pcap

NDR = uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860")
NDR64 = uuid.UUID("71710533-beba-4937-8319-b5dbef9ccc36")
REFERENT = 0x72657355  # "User", what Windows writes for BSTR, VARIANT and SAFEARRAY

# VARTYPE: number, struct format, size
VARTYPES = {
    "VT_EMPTY": (0, None), "VT_NULL": (1, None), "VT_I2": (2, "h"), "VT_I4": (3, "i"), "VT_R4": (4, "f"),
    "VT_R8": (5, "d"), "VT_CY": (6, "q"), "VT_DATE": (7, "d"), "VT_BSTR": (8, "bstr"),
    "VT_DISPATCH": (9, "object"), "VT_ERROR": (10, "I"), "VT_BOOL": (11, "H"), "VT_UNKNOWN": (13, "object"),
    "VT_I1": (16, "b"), "VT_UI1": (17, "B"), "VT_UI2": (18, "H"), "VT_UI4": (19, "I"), "VT_I8": (20, "q"),
    "VT_UI8": (21, "Q"), "VT_INT": (22, "i"), "VT_UINT": (23, "I"), "VT_VARIANT": (12, "variant"), "VT_DECIMAL": (14, "decimal"),
}  # fmt: skip
SF_BSTR, SF_I1, SF_I2, SF_I4, SF_I8, SF_VARIANT = 8, 0x10, 2, 3, 0x14, 0xC
SF_ERROR, SF_UNKNOWN, SF_RECORD, SF_HAVEIID = 0xA, 0xD, 0x24, 0x800D
NULL_POINTER = object()  # a BSTR, VARIANT or SAFEARRAY whose referent is 0


@lru_cache
def guid_bytes(value, big_endian=False):
    value = uuid.UUID(str(value))
    return value.bytes if big_endian else value.bytes_le


def dual_string_array(address, big_endian=False):
    """DUALSTRINGARRAY, [MS-DCOM] 2.2.19: one binding over TCP, or several, and one security binding."""
    order = ">" if big_endian else "<"
    encoding = "utf-16be" if big_endian else "utf-16le"
    addresses = [address] if isinstance(address, str) else address
    bindings = b"".join(struct.pack(order + "H", 7) + (text + "\0").encode(encoding) for text in addresses) + b"\0\0"
    security = struct.pack(order + "HH", 10, 0xFFFF) + bytes(4)
    return struct.pack(order + "HH", (len(bindings) + len(security)) // 2, len(bindings) // 2) + bindings + security


def objref(iid, ipid, oxid=0x1122334455667788, oid=0x99AABBCCDDEEFF00, address="10.0.0.2[49200]"):
    """OBJREF_STANDARD, [MS-DCOM] 2.2.18.4."""
    return (
        b"MEOW" + struct.pack("<I", 1) + guid_bytes(iid)
        + struct.pack("<IIQQ", 0, 5, oxid, oid) + guid_bytes(ipid) + dual_string_array(address)
    )  # fmt: skip


def objref_of(flags, iid, body):
    """An OBJREF of any kind, [MS-DCOM] 2.2.18: body is what follows the IID."""
    return b"MEOW" + struct.pack("<I", flags) + guid_bytes(iid) + body


class Stub:
    """A stub under construction. Every method returns the stub, so that calls chain."""

    def __init__(self, big_endian=False):
        self.data = bytearray()
        self.order = ">" if big_endian else "<"
        self.big_endian = big_endian

    def align(self, size):
        if len(self.data) % size:
            self.data += bytes(-len(self.data) % size)
        return self

    def raw(self, data):
        self.data += data
        return self

    def number(self, form, value, order=None):
        packed = struct.pack((order or self.order) + form, value)
        self.data += bytes(-len(self.data) % len(packed)) + packed
        return self

    def u16(self, value):
        return self.number("H", value)

    def u32(self, value):
        return self.number("I", value)

    def little(self, value):
        """A 32-bit number of an Automation type: always little-endian."""
        return self.number("I", value, "<")

    def guid(self, value):
        return self.align(4).raw(guid_bytes(value, self.big_endian))

    def orpcthis(self, version=(5, 7), extents=None, cid="00010203-0405-0607-0809-0a0b0c0d0e0f"):
        self.u16(version[0]).u16(version[1]).u32(0).u32(0).guid(cid)
        return self.extensions(extents)

    def orpcthat(self, extents=None):
        return self.u32(0).extensions(extents)

    def extensions(self, extents):
        """ORPC_EXTENT_ARRAY: a list of (id, bytes)."""
        if not extents:
            return self.u32(0)
        room = len(extents) + 1 & ~1
        self.u32(0x20000).u32(len(extents)).u32(0).u32(0x20004).u32(room)
        for number in range(room):
            self.u32(0x20008 + 4 * number if number < len(extents) else 0)
        for identifier, data in extents:
            padded = data + bytes(-len(data) % 8)
            self.u32(len(padded)).guid(identifier).u32(len(data)).raw(padded)
        return self

    def blob(self, text):
        """FLAGGED_WORD_BLOB from its max count: text, None for the null BSTR, or bytes."""
        if text is None:
            return self.little(0).little(0xFFFFFFFF).little(0)
        data = text if isinstance(text, bytes) else text.encode("utf-16le", "surrogatepass")
        words = (len(data) + 1) // 2
        self.little(words).little(len(data)).little(words)
        return self.raw(data + bytes(len(data) % 2))

    def bstr(self, text):
        if text is NULL_POINTER:
            return self.little(0)
        return self.little(REFERENT).blob(text)

    def interface_pointer(self, data):
        """data: OBJREF, or None."""
        if data is None:
            return self.u32(0)
        return self.u32(0x20000).minterface_pointer(data)

    def minterface_pointer(self, data):
        return self.u32(len(data)).u32(len(data)).raw(data)

    def variant(self, kind, value=None, referent=True, array=None):
        """kind: a name of VARTYPES, or VT_ARRAY|name with array = function that writes the SAFEARRAY."""
        if referent:
            self.little(REFERENT)
        return self.variant_body(kind, value, array)

    def variant_body(self, kind, value=None, array=None, by_reference=None):
        """by_reference: True, or False for a reference to nothing."""
        number, form = VARTYPES[kind.split("|")[-1]]
        vt = number | (0x2000 if array else 0) | (0 if by_reference is None else 0x4000)
        self.align(8)
        start = len(self.data)
        self.raw(struct.pack("<IIHHHHI", 0, 0, vt, 0, 0, 0, vt & 0x6000 if array else vt))
        if by_reference is not None:
            self.little(REFERENT if by_reference else 0)
            if not by_reference:
                return self
        if array:
            self.little(REFERENT)
            array(self)
        elif form == "bstr":
            self.bstr(value)
        elif form == "object":
            self.interface_pointer(value)
        elif form == "variant":
            self.little(REFERENT)
            value(self)
        elif form == "decimal":
            self.align(8).raw(value)
        elif form:
            self.number(form, value, "<")
        struct.pack_into("<I", self.data, start, (len(self.data) - start + 7) // 8)
        return self

    def safearray(self, sf, elements, pointers=2, vartype=None, features=0x80, element_size=4, size=None):
        """A SAFEARRAY parameter; elements: list of str/None, or bytes, numbers, or functions that write one."""
        if elements is NULL_POINTER:
            return self.little(0)
        return self.little(REFERENT).safearray_body(sf, elements, pointers, vartype, features, element_size, size)

    def safearray_body(self, sf, elements, pointers=2, vartype=None, features=0x80, element_size=4, size=None):
        """After the outer referent. size: what the Size member says, if not the truth."""
        if pointers == 2:
            self.little(1)
        count = len(elements)
        self.little(1).raw(struct.pack("<HHI", 1, features | (0x100 if sf == SF_BSTR else 0), element_size))
        self.raw(struct.pack("<HH", 0, vartype if vartype is not None else sf))
        self.little(sf).little(count if size is None else size).little(0x1000)
        if sf == SF_HAVEIID:
            self.raw(guid_bytes("00020404-0000-0000-c000-000000000046"))
        self.little(count).little(0).little(count)
        if sf == SF_BSTR:
            for element in elements:
                self.little(0 if element is NULL_POINTER else REFERENT)
            for element in elements:
                if element is not NULL_POINTER:
                    self.align(4).blob(element)
        elif sf == SF_I1:
            self.raw(bytes(elements))
        elif sf in (SF_UNKNOWN, SF_HAVEIID):
            for element in elements:
                self.little(0 if element is None else REFERENT)
            for element in elements:
                if element is not None:
                    self.minterface_pointer(element)
        elif sf == SF_VARIANT:
            for _ in elements:
                self.little(REFERENT)
            for write in elements:
                write(self)
        else:
            form = {SF_I2: "h", SF_I4: "i", SF_I8: "q"}[sf]
            for element in elements:
                self.number(form, element, "<")
        return self

    def enum(self, value, bits=32):
        return self.u16(value) if bits == 16 else self.u32(value)

    def bytes(self):
        return bytes(self.data)


class Capture:
    """A pcap file of DCERPC over TCP, one connection per port. Sequence numbers and lengths are right, checksums are 0."""

    CLIENT, SERVER = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
    SEGMENT = 60000  # the loopback's segments are that long as well

    def __init__(self, server=None, base=datetime(2025, 1, 1)):
        self.packets = []
        self.server = server or self.SERVER
        self.sequence = {}
        self.contexts = {}
        self.call = {}
        self.clock = int(base.timestamp())

    def _segment(self, port, from_client, payload, flags=0x18):
        key = (port, from_client)
        sequence = self.sequence.get(key, 1)
        acknowledged = self.sequence.get((port, not from_client), 1)
        ports = (50000, port) if from_client else (port, 50000)
        tcp = struct.pack(">HHIIBBHHH", *ports, sequence, acknowledged, 0x50, flags, 65535, 0, 0) + payload
        addresses = self.CLIENT + self.server if from_client else self.server + self.CLIENT
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + addresses + tcp
        self.packets.append(b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ip)
        self.sequence[key] = sequence + len(payload) + (flags >> 1 & 1) & 0xFFFFFFFF    # a SYN counts as a byte

    def send(self, port, from_client, data):
        for start in range(0, len(data), self.SEGMENT):
            self._segment(port, from_client, data[start : start + self.SEGMENT])
        return len(self.packets)

    @staticmethod
    def pdu(kind, body, call_id, big_endian=False, flags=3):
        order = ">" if big_endian else "<"
        drep = b"\x00\0\0\0" if big_endian else b"\x10\0\0\0"
        return struct.pack("BBBB", 5, 0, kind, flags) + drep + struct.pack(order + "HHI", 16 + len(body), 0, call_id) + body

    def bind(self, iids, port=49200, syntax=NDR, big_endian=False):
        """One context a interface."""
        order = ">" if big_endian else "<"
        body = struct.pack(order + "HHI", 65535, 65535, 0) + struct.pack("BBBB", len(iids), 0, 0, 0)
        for number, iid in enumerate(iids):
            body += struct.pack(order + "HBB", number, 1, 0) + guid_bytes(iid, big_endian) + struct.pack(order + "HH", 0, 0)
            body += guid_bytes(syntax, big_endian) + struct.pack(order + "I", 1 if syntax == NDR64 else 2)
            self.contexts[(port, str(iid).lower())] = number
        self.send(port, True, self.pdu(11, body, 1, big_endian))
        address = str(port).encode() + b"\0"
        body = struct.pack(order + "HHI", 65535, 65535, 1) + struct.pack(order + "H", len(address)) + address
        body += bytes(-(16 + len(body)) % 4) + struct.pack("BBBB", len(iids), 0, 0, 0)
        for _ in iids:
            body += struct.pack(order + "HH", 0, 0) + guid_bytes(syntax, big_endian) + struct.pack(order + "I", 1 if syntax == NDR64 else 2)
        self.send(port, False, self.pdu(12, body, 1, big_endian))

    def request(self, iid, opnum, stub, ipid=None, port=49200, big_endian=False):
        """Returns the frame's number."""
        order = ">" if big_endian else "<"
        call_id = self.call[port] = self.call.get(port, 1) + 1
        body = struct.pack(order + "IHH", len(stub), self.contexts[(port, str(iid).lower())], opnum)
        if ipid is not None:
            body += guid_bytes(ipid, big_endian)
        return self._fragments(0, body, stub, call_id, port, True, big_endian, 0x80 if ipid is not None else 0)

    def response(self, iid, stub, port=49200, big_endian=False):
        order = ">" if big_endian else "<"
        body = struct.pack(order + "IHBB", len(stub), self.contexts[(port, str(iid).lower())], 0, 0)
        return self._fragments(2, body, stub, self.call[port], port, False, big_endian, 0)

    def _fragments(self, kind, header, stub, call_id, port, from_client, big_endian, flags):
        room = 65000 - len(header)
        pieces = [stub[start : start + room] for start in range(0, len(stub), room)] or [b""]
        frame = 0
        for number, piece in enumerate(pieces):
            fragment = flags | (1 if number == 0 else 0) | (2 if number == len(pieces) - 1 else 0)
            frame = self.send(port, from_client, self.pdu(kind, header + piece, call_id, big_endian, fragment))
        return frame

    def write(self, path, snaplen=262144, whole=0):
        """whole: so many packets at the start are not cut to snaplen."""
        frames = [(self.clock * 1_000_000 + number * 1000, packet if number < whole else packet[:snaplen], len(packet))
                  for number, packet in enumerate(self.packets)]
        return write_pcap(path, frames, ETHERNET)
