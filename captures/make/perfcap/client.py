# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC clients: impacket's, with the bind Windows sends, and a small one for big-endian integers."""

import itertools
import socket
import struct
from dataclasses import dataclass

from impacket import ntlm
from impacket.dcerpc.v5 import rpcrt, rrp
from impacket.dcerpc.v5.rpcrt import DCERPC_v5, DCERPCException
from impacket.dcerpc.v5.transport import TCPTransport
from impacket.spnego import SPNEGO_NegTokenInit, SPNEGO_NegTokenResp

from perfdata import wire

from . import impacket_stubs, pdu, stubs
from .pdu import ContextItem
from .security import NTLM_MECHANISM
from .smb import PipeTransport

TIMEOUT = 30                    # seconds, as impacket's

ABSTRACT = (stubs.INTERFACE, stubs.INTERFACE_VERSION)


class Fault(Exception):
    pass


class BindRefused(Fault):
    """reason: of the first context item."""

    def __init__(self, reason):
        super().__init__(f'the server refuses the bind: {pdu.REASONS.get(reason, reason)}')
        self.reason = reason


@dataclass
class Login:
    user: str
    password: str
    domain: str = ''
    spnego: bool = False
    level: int = pdu.LEVEL_PRIVACY
    key_exchange: bool = True


class WindowsBind(DCERPC_v5):
    """impacket's client with a bind of several context items, and SPNEGO around NTLM.

    impacket binds one context and does SPNEGO for Kerberos only; the rest (fragments, sealing) is its own.
    """

    ids = None                      # the connection's call ids, where several of these share one
    results = ()                    # of the first bind: (result, reason) of each context item

    def private(self, name, value):
        setattr(self, '_DCERPC_v5__' + name, value)

    def windows_bind(self, items, login=None, group=0, kind=rpcrt.MSRPC_BIND):
        """The association group the server tells. kind: MSRPC_ALTERCTX for one more context of a connection."""
        self._ctx = next(item.id for item in items if item.transfers[0][0] != stubs.BIND_TIME_FEATURES)
        self.bind_id = next(self.ids)
        body = pdu.pack_bind(items, '<', self.max_fragment, group)
        if login is None:
            group = self._exchange(kind, body)['assoc_group']
        else:
            self._authenticated_bind(kind, body, items, login)
        self.private('max_xmit_size', self.max_fragment)
        self.private('sequence', 0)
        return group

    def call(self, function, body, uuid=None):
        self.private('callid', next(self.ids))
        return super().call(function, body, uuid)

    def _packet(self, kind, body, auth_type=None, token=b''):
        packet = rpcrt.MSRPCHeader()
        packet['type'] = kind
        packet['call_id'] = self.bind_id
        packet['pduData'] = body
        if auth_type is not None:
            trailer = rpcrt.SEC_TRAILER()
            trailer['auth_type'] = auth_type
            trailer['auth_level'] = self.level
            trailer['auth_pad_len'] = -len(body) % 4
            trailer['auth_ctx_id'] = self._ctx + 79231      # impacket's choice; requests repeat it
            packet['pduData'] += b'\0' * trailer['auth_pad_len']
            packet['sec_trailer'] = trailer
            packet['auth_data'] = token
        return packet.get_packet()

    def _exchange(self, kind, body, auth_type=None, token=b''):
        self._transport.send(self._packet(kind, body, auth_type, token))
        answer = rpcrt.MSRPCHeader(self._receive_bind_answer())
        if answer['type'] == rpcrt.MSRPC_BINDNAK:
            raise Fault('the server refuses the bind: bind_nak')
        if answer['type'] not in (rpcrt.MSRPC_BINDACK, rpcrt.MSRPC_ALTERCTX_R):
            raise Fault(f"PDU type {answer['type']} answers the bind")
        accepted = rpcrt.MSRPCBindAck(answer.getData())
        results = [(item['Result'], item['Reason']) for item in accepted.getCtxItems()]
        if (reason := pdu.refusal(results)) is not None:
            raise BindRefused(reason)
        self.results = self.results or results
        return accepted

    def _receive_bind_answer(self):
        data = self._transport.recv()
        while len(data) < struct.unpack('<H', data[8:10])[0]:
            data += self._transport.recv()
        return data

    def _authenticated_bind(self, first, body, items, login):
        kind = pdu.AUTH_SPNEGO if login.spnego else pdu.AUTH_NTLM
        self.level = login.level
        offer = ntlm.getNTLMSSPType1('', '', signingRequired=True, use_ntlmv2=True)
        if not login.key_exchange:
            offer['flags'] &= ~ntlm.NTLMSSP_NEGOTIATE_KEY_EXCH
        token = offer.getData()
        if login.spnego:
            wrapped = SPNEGO_NegTokenInit()
            wrapped['MechTypes'] = [NTLM_MECHANISM]
            wrapped['MechToken'] = token
            token = wrapped.getData()
        answer = self._exchange(first, body, kind, token)['auth_data']
        if login.spnego:
            answer = SPNEGO_NegTokenResp(answer)['ResponseToken']
        proof, key = ntlm.getNTLMSSPType3(offer, answer, login.user, login.password, login.domain, use_ntlmv2=True)
        token = proof.getData()
        if login.spnego:
            wrapped = SPNEGO_NegTokenResp()
            wrapped['ResponseToken'] = token
            taken = next(item for item, (result, _) in zip(items, self.results) if result == 0)
            self._exchange(rpcrt.MSRPC_ALTERCTX, pdu.pack_bind([taken], '<', self.max_fragment), kind,
                           wrapped.getData())
        else:
            self._transport.send(self._packet(rpcrt.MSRPC_AUTH3, b'\0' * 4, kind, token), forceWriteAndx=1)
        # from here on impacket seals; it takes NTLM's way for RPC_C_AUTHN_WINNT only, so the type on the
        # wire is put in by _SecTrailer when SPNEGO was used
        flags = proof['flags']
        self.set_auth_level(login.level)
        self.set_auth_type(kind if not login.spnego else _SpnegoSealedByNtlm(pdu.AUTH_SPNEGO))
        self.private('flags', flags)
        self.private('sessionKey', key)
        for side, name in (('Client', 'client'), ('Server', 'server')):
            seal = ntlm.SEALKEY(flags, key, side)
            self.private(name + 'SigningKey', ntlm.SIGNKEY(flags, key, side))
            self.private(name + 'SealingKey', seal)
            self.private(name + 'SealingHandle', ntlm.ARC4.new(seal).encrypt)


class _SpnegoSealedByNtlm(int):
    """9 on the wire, yet equal to RPC_C_AUTHN_WINNT where impacket asks which sealing to use."""

    def __eq__(self, other):
        return other == rpcrt.RPC_C_AUTHN_WINNT

    __hash__ = int.__hash__


class Client:
    """One connection. ndr64: offer NDR64 besides NDR, each in a context item as Windows does; without NDR if ndr is false.

    group: the association group of an earlier connection, whose context handles then hold here, too.
    """
    abstract = ABSTRACT
    implementation = 'impacket'

    def __init__(self, transport, login=None, max_fragment=5840, ndr64=False, features=True, group=0, ndr=True):
        self.transport = transport
        transport.connect()
        self.client_port = transport.get_socket().getsockname()[1]
        self.rpc = self._rpc(itertools.count(1), max_fragment)
        items = [ContextItem(0, self.abstract, [(stubs.NDR, '2.0')])] if ndr else []
        wide = len(items)
        if ndr64:
            items.append(ContextItem(wide, self.abstract, [(stubs.NDR64, '1.0')]))
        if features:
            items.append(ContextItem(len(items), self.abstract, [(stubs.BIND_TIME_FEATURES, '1.0')]))
        self.contexts = len(items)
        self.group = self.rpc.windows_bind(items, login, group)
        self.ndr64 = ndr64 and self.rpc.results[wide][0] == 0
        self.rpc._ctx = wide if self.ndr64 else 0

    def _rpc(self, ids, max_fragment):
        made = WindowsBind(self.transport)
        made.ids, made.max_fragment = ids, max_fragment
        return made

    def more(self, login, kind=None):
        """One more presentation context and security context on the same connection: a client of its own."""
        kind = kind or type(self)
        made = kind.__new__(kind)
        made.__dict__.update(self.__dict__)
        made.rpc = made._rpc(self.rpc.ids, self.rpc.max_fragment)
        made.rpc.windows_bind([ContextItem(self.contexts, made.abstract, [(stubs.NDR, '2.0')])], login,
                              kind=rpcrt.MSRPC_ALTERCTX)
        self.contexts += 1
        return made

    def call(self, method, **arguments):
        """The response's parameters; raises Fault."""
        opnum = method if isinstance(method, int) else stubs.OPNUMS[method]
        self.ask(opnum, arguments)
        return self.receive(opnum)

    def ask(self, opnum, arguments):
        self.rpc.call(opnum, impacket_stubs.marshal(opnum, arguments, self.ndr64))

    def receive(self, opnum):
        try:
            answer = self.rpc.recv()
        except DCERPCException as error:
            raise Fault(str(error)) from None
        return impacket_stubs.unmarshal(opnum, answer, self.ndr64)

    def raw(self, opnum, stub=b''):
        self.rpc.call(opnum, stub)
        try:
            return self.rpc.recv()
        except DCERPCException as error:
            raise Fault(str(error)) from None

    def close(self):
        self.transport.disconnect()


class WinregClient(Client):
    """impacket's remote registry, for the older API."""
    abstract = (str(wire.WINREG), '1.0')

    def open(self):
        return rrp.hOpenPerformanceData(self.rpc)['phKey']

    def query(self, handle, name, room):
        """The answer's error code."""
        self.ask(handle, name, room)
        return self.receive()

    def ask(self, handle, name, room):
        """BaseRegQueryValue with a buffer full of blanks, as impacket offers it."""
        request = rrp.BaseRegQueryValue()
        request['hKey'] = handle
        request['lpValueName'] = name + '\0'
        request['lpType'] = 0
        request['lpData'] = b' ' * room
        request['lpcbData'] = request['lpcbLen'] = room
        self.rpc.call(request.opnum, request)

    def receive(self):
        return rrp.BaseRegQueryValueResponse(self.rpc.recv())['ErrorCode']

    def close_key(self, handle):
        rrp.hBaseRegCloseKey(self.rpc, handle)


class GatheringTransport(TCPTransport):
    """Keeps PDUs back until they are released, to send them together."""
    waiting = None

    def send(self, data, forceWriteAndx=0, forceRecv=0):
        if self.waiting is None:
            super().send(data, forceWriteAndx, forceRecv)
        else:
            self.waiting.append(data)

    def gather(self):
        self.waiting = []

    def release(self):
        data, self.waiting = b''.join(self.waiting), None
        self.get_socket().sendall(data)


def tcp_transport(address, port):
    return GatheringTransport(address, port)


def pipe_transport(address, host, pipe, user, beside=None, dialect=None, **options):
    """user logs in to SMB. beside: a client whose SMB connection is used, for one more pipe on it."""
    connection = beside.transport.get_smb_connection() if beside else 0
    transport = PipeTransport(host, filename='\\' + pipe, remote_host=address, smb_connection=connection, **options)
    if dialect:
        transport.preferred_dialect(dialect)
    transport.shared = beside is not None
    if not beside:
        transport.set_credentials(user.user, user.password, user.domain)
    return transport


class _PipeStream:
    """A pipe, where a socket is expected."""

    def __init__(self, transport):
        self.transport, self.rest = transport, b''
        transport.connect()

    def sendall(self, data):
        self.transport.send(data, forceWriteAndx=1)

    def recv(self, size):
        self.rest = self.rest or self.transport.recv()
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece

    def close(self):
        self.transport.disconnect()


class PlainClient:
    """A small RPC client of our own, for what impacket can't do: big-endian PDUs, several PDUs in one segment."""
    implementation = 'own'
    abstract = ABSTRACT

    def __init__(self, address, port, big_endian=False, ndr64=False, max_fragment=5840, bind=True, pipe=None):
        """pipe: a transport that is used instead of a connection to that port."""
        self.order = '>' if big_endian else '<'
        self.syntax = stubs.Syntax(big_endian, ndr64)
        self.max_fragment = max_fragment
        if pipe:
            self.sock = _PipeStream(pipe)
        else:
            self.sock = socket.create_connection((address, port), TIMEOUT)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.client_port = self.sock.getsockname()[1]
        self.call_id = 1
        if bind:
            self.bind()

    def bind(self):
        self.exchange(pdu.Pdu(pdu.BIND, 3, self.call_id, self.offer(), self.order))

    def offer(self):
        """The body of a bind."""
        transfer = (stubs.NDR64, '1.0') if self.syntax.ndr64 else (stubs.NDR, '2.0')
        return pdu.pack_bind([ContextItem(0, self.abstract, [transfer])], self.order, self.max_fragment)

    def exchange(self, sent):
        """What answers a bind or an alter_context."""
        self.sock.sendall(sent.pack())
        answer = pdu.parse(pdu.receive(self.sock))
        if answer.type not in (pdu.BIND_ACK, pdu.ALTER_RESP):
            raise Fault('the server refuses the bind: bind_nak' if answer.type == pdu.BIND_NAK else
                        f'PDU type {answer.type} answers the bind')
        if (reason := pdu.refusal(pdu.unpack_bind_ack(answer.body, answer.order))) is not None:
            raise BindRefused(reason)
        return answer

    def request(self, opnum, arguments):
        """(call id, bytes) of a request, to send when the scenario likes."""
        return self.raw_request(opnum, stubs.marshal(opnum, False, arguments, self.syntax))

    def raw_request(self, opnum, stub):
        self.call_id += 1
        pieces = pdu.fragments(pdu.REQUEST, self.call_id,
                               lambda length: struct.pack(self.order + 'IHH', length, 0, opnum), stub, self.order,
                               self.max_fragment, self.trailer)
        return self.call_id, b''.join(self.protect(piece) for piece in pieces)

    trailer = 0                 # bytes that protection adds

    @staticmethod
    def protect(piece):
        return piece.pack()

    @staticmethod
    def unprotect(answer):
        return answer.body[8:]

    def receive(self, opnum):
        return stubs.unmarshal(opnum, True, self.receive_stub(), self.syntax)

    def receive_stub(self):
        stub, last = b'', False
        while not last:
            answer = pdu.parse(pdu.receive(self.sock))
            if answer.type == pdu.FAULT:
                raise Fault(hex(struct.unpack(answer.order + 'I', answer.body[8:12])[0]))
            stub += self.unprotect(answer)
            last = answer.flags & pdu.LAST
        return stub

    def raw(self, opnum, stub=b''):
        self.sock.sendall(self.raw_request(opnum, stub)[1])
        return self.receive_stub()

    def call(self, method, **arguments):
        opnum = method if isinstance(method, int) else stubs.OPNUMS[method]
        self.sock.sendall(self.request(opnum, arguments)[1])
        return self.receive(opnum)

    def close(self):
        self.sock.close()
