# SPDX-License-Identifier: GPL-2.0-or-later
"""SMB2 in clear, and calls through its named pipes."""

import struct

from lib.wire import NDR, PERFLIBV2, Connection

SETUP, TREE_CONNECT, CREATE, READ, WRITE, IOCTL = 1, 3, 5, 8, 9, 11
MORE_PROCESSING, PENDING, CANCELLED, OVERFLOW = 0xC0000016, 0x103, 0xC0000120, 0x80000005


class Smb:
    """Messages of SMB2 on a connection. file: the number of an opened pipe, of which a connection may have several."""

    def __init__(self, capture, server="192.0.2.1", client="192.0.2.2", port=445):
        self.connection = capture.connection(server=server, client=client, server_port=port, bind=False)
        self.id = self.files = 0
        self.session = self.connection.ends[0][1]     # each has one of its own, which Wireshark tells them apart by

    def send(self, command, body, status=0, from_server=False, ident=None):
        self.id += not from_server and ident is None
        flags = (1 if from_server else 0) | (2 if status == PENDING else 0)
        header = struct.pack("<4sHHIHHIIQ", b"\xfeSMB", 64, 1, status, command, 1, flags, 0,
                             self.id if ident is None else ident)
        header += struct.pack("<IIQ16x", 0, 1, self.session)
        message = header + body
        self.connection._send(struct.pack(">I", len(message)) + message, from_server, None)

    def set_up(self, *statuses, token=b""):
        for status in statuses:
            self.send(SETUP, struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 88, len(token), 0) + token)
            self.send(SETUP, struct.pack("<HHHH", 9, 0, 72, 0), status, from_server=True)

    def connect(self, status=None):
        path = "\\\\host\\IPC$".encode("utf-16-le")
        self.send(TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(path)) + path)
        if status is not None:
            self.send(TREE_CONNECT, struct.pack("<HBBIII", 16, 2, 0, 0, 0, 0x1FF), status, from_server=True)

    def create(self):
        name = "winreg".encode("utf-16-le")
        fixed = struct.pack("<HBBIQQIIIIIHHII", 57, 0, 0, 2, 0, 0, 3, 0, 7, 1, 0, 120, len(name), 0, 0)
        self.send(CREATE, fixed + name)

    def created(self, status=0, file=5):
        body = struct.pack("<HBBIQQQQQQIIQQII", 89, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80, 0, file, 6, 0, 0)
        self.send(CREATE, struct.pack("<HHIB", 9, 0, 0, 0) if status else body, status, from_server=True)

    def ask(self, request, file=5):
        """FSCTL_PIPE_TRANSCEIVE, [MS-SMB2] 2.2.31."""
        head = struct.pack("<HHIQQIIIIIIII", 57, 0, 0x11C017, file, 6, 120, len(request), 0, 120, 0, 4096, 1, 0)
        self.send(IOCTL, head + request)

    def answer(self, answer, file=5, ident=None, status=0):
        """[MS-SMB2] 2.2.32"""
        head = struct.pack("<HHIQQIIIIII", 49, 0, 0x11C017, file, 6, 112, 0, 112, len(answer), 0, 0)
        self.send(IOCTL, head + answer, status, from_server=True, ident=ident)

    def write(self, data, file=5):
        """[MS-SMB2] 2.2.21 and 2.2.22"""
        self.send(WRITE, struct.pack("<HHIQQQIIHHI", 49, 112, len(data), 0, file, 6, 0, 0, 0, 0, 0) + data)
        self.send(WRITE, struct.pack("<HHIIHH", 17, 0, len(data), 0, 0, 0), from_server=True)

    def read(self, data, file=5):
        """[MS-SMB2] 2.2.19 and 2.2.20"""
        self.send(READ, struct.pack("<HBBIQQQIIIHHB", 49, 80, 0, 4096, 0, file, 6, 0, 0, 0, 0, 0, 0))
        self.send(READ, struct.pack("<HBBIII", 17, 80, 0, len(data), 0, 0) + data, from_server=True)

    def transceive(self, request, answer):
        self.ask(request)
        self.answer(answer)


class Pipe(Connection):
    """
    Calls through a pipe of its own of an SMB2 connection, which is new unless given. reads: the client writes and reads,
    instead of both at once.
    """

    def __init__(self, capture, smb=None, server="192.0.2.1", client="192.0.2.2", interface=PERFLIBV2, transfer_syntax=NDR, reads=False):
        if smb is None:
            smb = Smb(capture, server, client)
            smb.set_up(MORE_PROCESSING, 0)
            smb.connect(0)
        self.smb, smb.files = smb, smb.files + 1
        self.file, self.reads, self.held = smb.files, reads, None
        smb.create()
        smb.created(file=self.file)
        super().__init__(capture, 0, interface=interface, transfer_syntax=transfer_syntax)

    def _send(self, data, from_server, snap, flags=0):
        if not from_server:
            self.asked = self._ask(data)
        elif self.held is None:
            self._answer(data, self.asked)
        else:
            self.held.append((data, self.asked))

    def _ask(self, data):
        if self.reads:
            return self.smb.write(data, self.file)
        self.smb.ask(data, self.file)
        return self.smb.id

    def _answer(self, data, asked):
        if self.reads:
            self.smb.read(data, self.file)
        else:
            self.smb.answer(data, self.file, asked)

    def hold(self):
        """The server answers only when release() is called."""
        self.held = []

    def release(self):
        held, self.held = self.held, None
        for data, asked in held:
            self._answer(data, asked)


class Pipe1(Pipe):
    """The same over SMB1, by TransactNmPipe ([MS-CIFS] 2.2.5.6) and without the opening."""

    def __init__(self, capture, smb=None, interface=PERFLIBV2, transfer_syntax=NDR):
        self.smb = smb or capture.connection(server_port=445, bind=False)
        self.smb.files, self.smb.id = getattr(self.smb, "files", 0) + 1, getattr(self.smb, "id", 0)
        self.file, self.held = self.smb.files, None
        Connection.__init__(self, capture, 0, interface=interface, transfer_syntax=transfer_syntax)

    def _ask(self, data):
        self.smb.id += 1
        words = struct.pack("<B4H2BHI5H2BHH", 16, 0, len(data), 0, 4096, 0, 0, 0, 0, 0, 0, 84, len(data), 84, 2, 0, 0x26, self.file)
        self._transact(words, b"\0" + "\\PIPE\\\0".encode("utf-16-le") + b"\0\0" + data, self.smb.id)
        return self.smb.id

    def _answer(self, data, asked):
        words = struct.pack("<B9H2B", 10, 0, len(data), 0, 0, 0, 0, len(data), 56, 0, 0, 0)
        self._transact(words, b"\0" + data, asked, from_server=True)

    def _transact(self, words, data, ident, from_server=False):
        message = struct.pack("<4sBIBHHQHHHHH", b"\xffSMB", 0x25, 0, 0x80 if from_server else 0, 0xC001, 0, 0, 0, 1, 1, 1, ident)
        message += words + struct.pack("<H", len(data)) + data
        self.smb._send(struct.pack(">I", len(message)) + message, from_server, None)
