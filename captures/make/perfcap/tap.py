# SPDX-License-Identifier: GPL-2.0-or-later
"""Records what the TCP sockets of this process send and receive, as frames of a capture.

This needs no right to capture. The bytes and their times are real. The headers of TCP, IP and Ethernet are
written here, and what one call of send() or the answer to it holds is one stretch of segments.
"""

import socket
import time

from perfdata.wire import Tcp

RST, ACK, SYN = 0x04, 0x10, 0x02
SEGMENT = 60000                 # an IP packet holds no more than 65535 bytes
MOST = 1 << 28                  # bytes that are received before the server is taken for one that never ends


class Tap:
    """Context manager: all sockets made meanwhile are recorded. frames: [seconds, bytes] of each frame."""

    def __init__(self):
        self.frames, self.number, self.ports, self.size = [], 0, set(), 0
        self.waiting = None         # what a connection received since anything was sent: [Tcp, bytes, time of the last]

    def __enter__(self):
        self.original = socket.socket
        socket.socket = type('TappedSocket', (_TappedSocket,), {'tap': self})
        return self

    def __exit__(self, *_):
        socket.socket = self.original
        self.flush()

    # -- for Tcp: a capture ----------------------------------------------------------------------

    def next_id(self):
        self.number = self.number + 1 & 0xFFFF
        return self.number

    def add(self, frame, when=None):
        self.frames.append([when or time.time(), frame])

    # -- for the sockets -------------------------------------------------------------------------

    def open(self, ends, flags):
        self.flush()
        self.ports.add(ends[1][1])
        return Tcp(self, *ends, SEGMENT, flags)

    def sent(self, tcp, data):
        self.flush()
        tcp.send(0, bytes(data))

    def received(self, tcp, data):
        """Answers are read in pieces, which are put together until something else happens."""
        if self.waiting and self.waiting[0] is not tcp:
            self.flush()
        if not self.waiting:
            self.waiting = [tcp, bytearray(), 0]
        self.waiting[1] += data
        self.size += len(data)
        if self.size > MOST:
            raise ConnectionAbortedError('more came than is recorded')
        self.waiting[2] = time.time()

    def flush(self):
        if self.waiting:
            (tcp, data, when), self.waiting = self.waiting, None
            first = len(self.frames)
            tcp.send(1, bytes(data))
            for frame in self.frames[first:]:
                frame[0] = when

    def closed(self, tcp):
        self.flush()
        tcp.close()


class _TappedSocket(socket.socket):
    tap = tcp = None

    def connect(self, address):
        try:
            super().connect(address)
        except OSError as error:
            if self.type == socket.SOCK_STREAM:
                # The kernel has taken the port back, but not forgotten the way.
                with self.tap.original(self.family, socket.SOCK_DGRAM) as way:
                    way.connect(address)
                    ends = (way.getsockname()[:2], address[:2])
                self.tap.open(ends, (SYN, RST | ACK) if isinstance(error, ConnectionRefusedError) else (SYN,))
            raise
        if self.type == socket.SOCK_STREAM:
            self.tcp = self.tap.open((self.getsockname()[:2], self.getpeername()[:2]), (SYN, SYN | ACK, ACK))

    def send(self, data, *flags):
        length = super().send(data, *flags)
        if self.tcp:
            self.tap.sent(self.tcp, data[:length])
        return length

    def sendall(self, data, *flags):
        super().sendall(data, *flags)
        if self.tcp:
            self.tap.sent(self.tcp, data)

    def recv(self, *arguments):
        data = super().recv(*arguments)
        if self.tcp:
            if not data:
                # impacket would ask for more for ever.
                raise ConnectionResetError('the server closed the connection')
            self.tap.received(self.tcp, data)
        return data

    def close(self):
        if self.tcp:
            self.tap.closed(self.tcp)
            self.tcp = None
        super().close()
