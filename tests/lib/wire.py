# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes captures of DCERPC calls whose every byte a test decides.

    capture = Capture()
    connection = capture.connection()
    connection.call(6, request_stub, response_stub)
    capture.write(path)
"""

import struct
import uuid
from contextlib import contextmanager
from ipaddress import ip_address

from lib.pcap import RAW_IP, write_pcap

PERFLIBV2 = ("da5a86c5-12c2-4943-ab30-7f74a813d853", 1, 0)
WINREG = ("338cd001-2244-31f1-aaaa-900038001003", 1, 0)
NDR = ("8a885d04-1ceb-11c9-9fe8-08002b104860", 2)
NDR64 = ("71710533-beba-4937-8319-b5dbef9ccc36", 1)

REQUEST, RESPONSE, FAULT, BIND, BIND_ACK = 0, 2, 3, 11, 12
FIRST_FRAGMENT, LAST_FRAGMENT = 1, 2
# Bytes of auth_value behind a sec_trailer.
VERIFIER = 16
# Several segments only where one IP packet can't hold a PDU.
SEGMENT = 60000


class Capture:
    """Frames in order; a millisecond apart, and what was waited between."""

    def __init__(self):
        self.frames = []
        self.waited = {}        # before the frame of that index: milliseconds
        self.clients = 0

    def connection(self, **options):
        """A new TCP connection with a bind already made."""
        self.clients += 1
        return Connection(self, client_port=49152 + self.clients, **options)

    def add(self, packet, snap=None):
        self.frames.append((packet[:snap], len(packet)))

    def wait(self, milliseconds):
        """Time passes before the next frame."""
        self.waited[len(self.frames)] = self.waited.get(len(self.frames), 0) + milliseconds

    def write(self, path):
        frames, now = [], 1_700_000_000_000
        for number, (data, length) in enumerate(self.frames):
            now += self.waited.get(number, 0)
            frames.append(((now + number) * 1000, data, length))
        return write_pcap(path, frames, RAW_IP)


class Connection:
    """One client and one server on ncacn_ip_tcp; integers of the PDUs in either byte order."""

    def __init__(
        self,
        capture,
        client_port,
        server_port=49700,
        server="192.0.2.1",
        client="192.0.2.2",
        interface=PERFLIBV2,
        transfer_syntax=NDR,
        big_endian=False,
        bind=True,
        fragment=SEGMENT,
        segment=SEGMENT,
    ):
        """fragment, segment: the most bytes of a stub in a PDU, and of a PDU in a frame."""
        self.capture = capture
        self.fragment, self.segment = fragment, segment
        self.ends = [(client, client_port), (server, server_port)]
        self.sequence = [1000, 2000]
        self.order = ">" if big_endian else "<"
        self.call_id = 1
        self.together = None
        if bind:
            self._bind(interface, transfer_syntax)

    def _uuid(self, text):
        value = uuid.UUID(text)
        return value.bytes if self.order == ">" else value.bytes_le

    def _bind(self, interface, transfer_syntax):
        name, major, minor = interface
        syntax, syntax_version = transfer_syntax
        context = struct.pack(self.order + "HBB", 0, 1, 0)
        context += self._uuid(name) + struct.pack(self.order + "HH", major, minor)
        context += self._uuid(syntax) + struct.pack(self.order + "I", syntax_version)
        sizes = struct.pack(self.order + "HHI", 5840, 5840, 0x12345)
        self.pdu(BIND, sizes + struct.pack("B3x", 1) + context)
        address = b"49700\0"
        accepted = struct.pack(self.order + "H", len(address)) + address
        accepted += struct.pack("B3x", 1) + struct.pack(self.order + "HH", 0, 0)
        accepted += self._uuid(syntax) + struct.pack(self.order + "I", syntax_version)
        self.pdu(BIND_ACK, sizes + accepted)

    def pdu(self, kind, body, call_id=None, snap=None, flags=FIRST_FRAGMENT | LAST_FRAGMENT, auth_length=0):
        """One PDU, whatever its kind; snap: how many bytes of body were captured."""
        call_id = self.call_id if call_id is None else call_id
        drep = b"\x00\0\0\0" if self.order == ">" else b"\x10\0\0\0"
        header = struct.pack("BBBB", 5, 0, kind, flags) + drep
        header += struct.pack(self.order + "HHI", min(16 + len(body), 0xFFFF), auth_length, call_id)
        from_server = kind in (RESPONSE, FAULT, BIND_ACK)
        data = header + body
        captured = len(data) if snap is None else 16 + snap
        for start in range(0, len(data), self.segment):
            segment = data[start : start + self.segment]
            self._send(segment, from_server, max(0, captured - start) if captured < start + len(segment) else None)

    @contextmanager
    def in_one_frame(self, *ends):
        """
        What one end sends meanwhile goes into one frame, as it does with segmentation offload; or into several, which end
        behind so many bytes of it each, and one with the rest.
        """
        self.together = []
        yield
        sent, self.together = self.together, None
        (from_server,) = {from_server for _, from_server in sent}
        stream = b"".join(data for data, _ in sent)
        for begin, end in zip((0, *ends), (*ends, len(stream))):
            self._send(stream[begin:end], from_server, None)

    def end(self, flags, from_server=False):
        """A segment without data, with these flags of TCP."""
        self._send(b"", from_server, None, flags)

    def _send(self, data, from_server, snap, flags=0x18):
        if self.together is not None:
            self.together.append((data, from_server))
            return
        (source, source_port), (target, target_port) = self.ends[::-1] if from_server else self.ends
        sequence, acknowledged = self.sequence[from_server], self.sequence[not from_server]
        self.sequence[from_server] = (sequence + len(data)) & 0xFFFFFFFF
        tcp = struct.pack(
            ">HHIIBBHHH", source_port, target_port, sequence, acknowledged, 5 << 4, flags, 65535, 0, 0
        )
        if ":" in source:
            ip = struct.pack(">IHBB", 0x60000000, len(tcp) + len(data), 6, 64)
        else:
            ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), 0, 0x4000, 64, 6, 0)
        ip += ip_address(source).packed + ip_address(target).packed
        self.capture.add(ip + tcp + data, None if snap is None else len(ip + tcp) + snap)

    def request(self, opnum, stub, call_id=None, snap=None):
        """A request in as many fragments as it needs; snap: how many bytes of the stub were captured."""
        self._fragments(REQUEST, opnum, stub, call_id, snap)

    def response(self, stub, call_id=None, snap=None):
        """The response to a request."""
        self._fragments(RESPONSE, 0, stub, call_id, snap)

    def _fragments(self, kind, opnum, stub, call_id, snap):
        # For a response the last two bytes are cancel count and reserved.
        for start in range(0, max(len(stub), 1), self.fragment):
            part = stub[start : start + self.fragment]
            head = struct.pack(self.order + "IHH", len(stub) - start, 0, opnum)
            flags = (FIRST_FRAGMENT if start == 0 else 0) | (LAST_FRAGMENT if start + self.fragment >= len(stub) else 0)
            cut = None if snap is None or snap >= start + len(part) else 8 + max(0, snap - start)
            self.pdu(kind, head + part, call_id, cut, flags)

    def protected(self, kind, stub, level, service, opnum=0, call_id=None):
        """A PDU with a sec_trailer ([MS-RPCE] 2.2.2.11) behind its stub, which is in clear whatever the level says."""
        body = struct.pack(self.order + "IHH", len(stub), 0, opnum) + stub
        body += struct.pack(self.order + "BBBBI", service, level, 0, 0, 1) + bytes(VERIFIER)
        self.pdu(kind, body, call_id, auth_length=VERIFIER)

    def call(self, opnum, request, response=None):
        """A request and, if given, its response, under a call id of their own."""
        self.call_id += 1
        self.request(opnum, request)
        if response is not None:
            self.response(response)
        return self.call_id


def align(data, boundary):
    """data followed by zeros up to a multiple of boundary."""
    return data + bytes(-len(data) % boundary)


def varying_response(out_size, return_size, max_count, data, status, count=None):
    """Response of opnums 0, 1, 2, 5 and 6 in little-endian NDR: lpData conformant and varying."""
    count = len(data) if count is None else count
    head = struct.pack("<IIIII", out_size, return_size, max_count, 0, count)
    return align(head + data, 4) + struct.pack("<I", status)


def handle(value=1):
    """A context handle (RPC_HQUERY) on the wire."""
    return struct.pack("<I", 0) + uuid.UUID(int=value << 96 | 0xA5).bytes_le


def string(text):
    """[string] wchar_t *, little-endian NDR."""
    data = (text + "\0").encode("utf-16-le", "surrogatepass")
    units = len(data) // 2
    return align(struct.pack("<III", units, 0, units) + data, 4)


def lost(capture, call):
    """A call that the capture lacks."""
    kept = len(capture.frames)
    call()
    del capture.frames[kept:]
