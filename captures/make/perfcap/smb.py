# SPDX-License-Identifier: GPL-2.0-or-later
"""SMB2 and SMB1 on impacket's server, with a named pipe forwarded to an RpcServer; and a client transport for it.

Forwarding keeps RPC's fragments whole: one READ answers with one PDU, as a message-mode pipe does.
"""

import struct
import threading

from impacket import smb3structs as smb2
from impacket.dcerpc.v5.transport import SMBTransport
from impacket.nt_errors import STATUS_BUFFER_OVERFLOW, STATUS_NOT_SUPPORTED, STATUS_SUCCESS
from impacket.smb import SMB
from impacket.smb3structs import FSCTL_PIPE_TRANSCEIVE, SMB2_0_IOCTL_IS_FSCTL
from impacket.smbserver import SimpleSMBServer

from . import pdu

TRANSACT_NMPIPE = 0x26


class _PipeSocket:
    def __init__(self, sock):
        self.sock, self.rest = sock, b''

    def recv(self, size):
        if not self.rest:
            self.rest = pdu.receive(self.sock)
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece

    def send(self, data):
        self.sock.sendall(data)
        return len(data)

    sendall = send

    def close(self):
        self.sock.close()


class SmbServer:
    def __init__(self, host, users, pipe, rpc_port, address='127.0.0.1', port=445, smb1=False):
        self.server = SimpleSMBServer(address, port)
        inner = self.server.getServer() if hasattr(self.server, 'getServer') else \
            self.server._SimpleSMBServer__server
        config = inner._SMBSERVER__serverConfig
        config.set('global', 'server_name', host)
        config.set('global', 'server_domain', host)
        config.set('global', 'challenge', '0123456789abcdef')
        inner.setServerConfig(config)
        inner.processConfigFile()
        self.server.setSMB2Support(not smb1)
        for uid, (user, (lm_hash, nt_hash)) in enumerate(users.items(), 1001):
            self.server.addCredential(user, uid, lm_hash, nt_hash)
        self.server.registerNamedPipe(pipe, ('127.0.0.1', rpc_port))
        if smb1:
            self.original = inner.hookSmbCommand(SMB.SMB_COM_NT_CREATE_ANDX, self.create)
        else:
            self.original = inner.hookSmb2Command(smb2.SMB2_CREATE, self.create)
        inner.hookSmb2Command(smb2.SMB2_LOGOFF, self.logoff)
        inner.hookSmb2Command(smb2.SMB2_IOCTL, self.ioctl)
        threading.Thread(target=inner.serve_forever, daemon=True).start()

    @staticmethod
    def logoff(connection, server, packet):
        """impacket's own answers STATUS_ACCESS_DENIED with a cut body."""
        return [smb2.SMB2Logoff_Response()], None, STATUS_SUCCESS

    @staticmethod
    def ioctl(connection, server, packet):
        """A message longer than the client's buffer goes in parts, as named pipes do it; the rest is read."""
        request = smb2.SMB2Ioctl(packet['Data'])
        if request['CtlCode'] != FSCTL_PIPE_TRANSCEIVE:
            return [smb2.SMB2Error()], None, STATUS_NOT_SUPPORTED      # Samba's client validates the negotiation
        pipe = server.getConnectionData(connection)['OpenedFiles'][request['FileID'].getData()]['Socket']
        pipe.sendall(request['Buffer'])
        output = pipe.recv(request['MaxOutputResponse'])
        answer = smb2.SMB2Ioctl_Response()
        answer['CtlCode'] = request['CtlCode']
        answer['FileID'] = request['FileID']
        answer['InputOffset'] = answer['OutputOffset'] = 0x70
        answer['InputCount'] = answer['Flags'] = 0
        answer['OutputCount'] = len(output)
        answer['Buffer'] = output
        return [answer], None, STATUS_BUFFER_OVERFLOW if pipe.rest else STATUS_SUCCESS

    def create(self, connection, server, *packet):
        answer = self.original(connection, server, *packet)
        for opened in server.getConnectionData(connection)['OpenedFiles'].values():
            if 'Socket' in opened and not isinstance(opened['Socket'], _PipeSocket):
                opened['Socket'] = _PipeSocket(opened['Socket'])
        return answer


class PipeTransport(SMBTransport):
    """impacket's SMB transport that can also send a call by FSCTL_PIPE_TRANSCEIVE, on SMB1 by TransactNmPipe.

    impacket itself writes and reads; Windows clients transceive where they can.
    """
    transceive = False
    shared = False              # another transport's SMB connection, which that one closes
    output = 4280               # bytes that may come back at once; Windows takes 1024 and reads the rest

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.ready = []

    def _pipe(self):
        return self.get_smb_connection().getSMBServer(), self._SMBTransport__tid, self._SMBTransport__handle

    def send(self, data, forceWriteAndx=0, forceRecv=0):
        # only the last fragment of a request gets an answer; the bind and AUTH3 are written
        if not self.transceive or data[2] != pdu.REQUEST or not data[3] & pdu.LAST:
            return super().send(data, forceWriteAndx, forceRecv)
        smb, tree, handle = self._pipe()
        if isinstance(smb, SMB):
            # impacket's TransactNamedPipe() names the pipe in ASCII, where Unicode was agreed on; aligned to two bytes
            name = b'\0' + '\\PIPE\\\0'.encode('utf-16-le')
            smb.send_trans(tree, struct.pack('<HH', TRANSACT_NMPIPE, handle), name, b'', data)
            self.ready.append(smb.TransactNamedPipeRecv())
            return
        packet, request = smb.SMB_PACKET(), smb2.SMB2Ioctl()
        packet['Command'], packet['TreeID'] = smb2.SMB2_IOCTL, tree
        request['FileID'], request['CtlCode'] = handle, FSCTL_PIPE_TRANSCEIVE
        request['MaxInputResponse'], request['MaxOutputResponse'] = 0, self.output
        request['InputCount'], request['Buffer'] = len(data), data
        request['OutputOffset'], request['Flags'] = 0, SMB2_0_IOCTL_IS_FSCTL
        packet['Data'] = request
        answer = smb.recvSMB(smb.sendSMB(packet))
        piece = smb2.SMB2Ioctl_Response(answer['Data'])['Buffer']
        if answer['Status'] == STATUS_BUFFER_OVERFLOW:
            piece += smb.read(tree, handle, 0, struct.unpack('<H', piece[8:10])[0] - len(piece))
        self.ready.append(piece)

    def recv(self, forceRecv=0, count=0):
        return self.ready.pop(0) if self.ready else super().recv(forceRecv, count)

    def disconnect(self):
        smb, tree, handle = self._pipe()
        connection = self.get_smb_connection()
        if self.shared and isinstance(smb, SMB):
            smb.close(tree, handle)
            return
        if self.shared:
            # impacket's own close() knows one handle of a name only
            packet, request = smb.SMB_PACKET(), smb2.SMB2Close()
            packet['Command'], packet['TreeID'] = smb2.SMB2_CLOSE, tree
            request['Flags'], request['FileID'] = 0, handle
            packet['Data'] = request
            smb.recvSMB(smb.sendSMB(packet))
            return
        smb.close(tree, handle)
        connection.disconnectTree(tree)
        connection.close()
