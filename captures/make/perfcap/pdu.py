# SPDX-License-Identifier: GPL-2.0-or-later
"""Connection-oriented RPC PDUs ([C706] 12.6, [MS-RPCE] 2.2.2), both integer representations."""

import struct
import uuid
from dataclasses import dataclass, field

REQUEST, RESPONSE, FAULT, BIND, BIND_ACK, BIND_NAK, ALTER, ALTER_RESP, AUTH3 = 0, 2, 3, 11, 12, 13, 14, 15, 16
FIRST, LAST = 1, 2

NCA_OP_RNG_ERROR = 0x1C010002
NCA_CONTEXT_MISMATCH = 0x1C00001A
ACCESS_DENIED, DISCONNECTED, SERVER_TOO_BUSY, UNKNOWN_LEVEL = 5, 0x80010108, 0x1C010014, 0x6D4
FAULT_NAMES = {NCA_OP_RNG_ERROR: 'nca_s_op_rng_error', NCA_CONTEXT_MISMATCH: 'nca_s_fault_context_mismatch',
               ACCESS_DENIED: 'nca_s_fault_access_denied', DISCONNECTED: 'RPC_E_DISCONNECTED',
               SERVER_TOO_BUSY: 'nca_s_server_too_busy', UNKNOWN_LEVEL: 'RPC_S_UNKNOWN_AUTHN_LEVEL'}
DID_NOT_EXECUTE = 0x20          # in a fault

HEADER_SIGN = 4                 # in bind and bind_ack: signatures cover the PDU's headers, too

AUTH_NONE, AUTH_SPNEGO, AUTH_NTLM, AUTH_KERBEROS = 0, 9, 10, 16
LEVEL_NONE, LEVEL_INTEGRITY, LEVEL_PRIVACY = 1, 5, 6
LEVEL_NAMES = {LEVEL_NONE: 'RPC_C_AUTHN_LEVEL_NONE', LEVEL_INTEGRITY: 'RPC_C_AUTHN_LEVEL_PKT_INTEGRITY',
               LEVEL_PRIVACY: 'RPC_C_AUTHN_LEVEL_PKT_PRIVACY'}


@dataclass
class Auth:
    """sec_trailer and what follows it."""
    type: int
    level: int
    context: int
    token: bytes = b''
    pad: int = 0


@dataclass
class Pdu:
    type: int
    flags: int
    call_id: int
    body: bytes                     # after the 16-byte common header, without pad and sec_trailer
    order: str = '<'
    auth: Auth = None
    raw: bytes = b''                # the whole PDU as read

    def pack(self):
        drep = b'\x10\0\0\0' if self.order == '<' else b'\0\0\0\0'
        body, tail, token = self.body, b'', b''
        if self.auth:
            body += b'\0' * self.auth.pad
            tail = struct.pack(self.order + 'BBBBI', self.auth.type, self.auth.level, self.auth.pad, 0,
                               self.auth.context)
            token = self.auth.token
        length = 16 + len(body) + len(tail) + len(token)
        return struct.pack('BBBB', 5, 0, self.type, self.flags) + drep + \
            struct.pack(self.order + 'HHI', length, len(token), self.call_id) + body + tail + token


def parse(raw):
    order = '<' if raw[4] & 0x10 else '>'
    _, auth_length, call_id = struct.unpack(order + 'HHI', raw[8:16])
    body, auth = raw[16:], None
    if auth_length:
        tail = len(raw) - auth_length - 8
        kind, level, pad, _, context = struct.unpack(order + 'BBBBI', raw[tail:tail + 8])
        auth = Auth(kind, level, context, raw[tail + 8:], pad)
        body = raw[16:tail - pad] if raw[2] not in (REQUEST, RESPONSE) or level != LEVEL_PRIVACY else raw[16:tail]
    return Pdu(raw[2], raw[3], call_id, body, order, auth, raw)


def receive_exactly(sock, size):
    data = b''
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def receive(sock):
    """One whole PDU from a stream, as bytes."""
    head = receive_exactly(sock, 16)
    length = struct.unpack(('<' if head[4] & 0x10 else '>') + 'H', head[8:10])[0]
    return head + receive_exactly(sock, length - 16)


def pack_syntax(identifier, version, order):
    major, minor = (int(part) for part in version.split('.'))
    value = uuid.UUID(identifier)
    return (value.bytes_le if order == '<' else value.bytes) + struct.pack(order + 'I', minor << 16 | major)


def unpack_syntax(raw, order):
    value = uuid.UUID(bytes_le=raw[:16]) if order == '<' else uuid.UUID(bytes=raw[:16])
    version = struct.unpack(order + 'I', raw[16:20])[0]
    return str(value), f'{version & 0xffff}.{version >> 16}'


@dataclass
class ContextItem:
    id: int
    abstract: tuple
    transfers: list = field(default_factory=list)


def pack_bind(items, order, max_fragment, group=0):
    data = struct.pack(order + 'HHIBBH', max_fragment, max_fragment, group, len(items), 0, 0)
    for item in items:
        data += struct.pack(order + 'HBB', item.id, len(item.transfers), 0)
        data += pack_syntax(*item.abstract, order)
        for transfer in item.transfers:
            data += pack_syntax(*transfer, order)
    return data


def unpack_bind(body, order):
    max_transmit, max_receive, group, count = struct.unpack(order + 'HHIB', body[:9])
    items, at = [], 12
    for _ in range(count):
        context, transfers = struct.unpack(order + 'HB', body[at:at + 3])
        item = ContextItem(context, unpack_syntax(body[at + 4:at + 24], order))
        at += 24
        for _ in range(transfers):
            item.transfers.append(unpack_syntax(body[at:at + 20], order))
            at += 20
        items.append(item)
    return max_transmit, max_receive, group, items


def pack_bind_ack(results, order, max_fragment, group, address):
    """results: (result, reason, transfer syntax or None)."""
    name = address.encode() + b'\0' if address else b''
    data = struct.pack(order + 'HHIH', max_fragment, max_fragment, group, len(name)) + name
    data += b'\0' * (-(16 + len(data)) % 4)
    data += struct.pack(order + 'BBH', len(results), 0, 0)
    for result, reason, transfer in results:
        data += struct.pack(order + 'HH', result, reason)
        data += pack_syntax(*transfer, order) if transfer else b'\0' * 20
    return data


def unpack_bind_ack(body, order):
    """(result, reason) of each context item."""
    length, = struct.unpack_from(order + 'H', body, 8)
    at = 10 + length
    at += -(16 + at) % 4
    return [struct.unpack_from(order + 'HH', body, at + 4 + 24 * number) for number in range(body[at])]


TRANSFER_SYNTAXES_NOT_SUPPORTED = 2
REASONS = {0: 'reason_not_specified', 1: 'abstract_syntax_not_supported',
           TRANSFER_SYNTAXES_NOT_SUPPORTED: 'proposed_transfer_syntaxes_not_supported'}


def refusal(results):
    """The reason of a bind that gives no context to call in, or None."""
    return None if any(result == 0 for result, _ in results) else results[0][1] if results else 0


def fragments(kind, call_id, head, stub, order, max_fragment, trailer=0):
    """PDUs of one request or response: head(length of stub) gives the 8 bytes after the common header."""
    room = (max_fragment - 24 - trailer) // 16 * 16 if trailer else (max_fragment - 24) // 8 * 8
    pieces = [stub[at:at + room] for at in range(0, len(stub), room)] or [b'']
    for number, piece in enumerate(pieces):
        flags = (FIRST if number == 0 else 0) | (LAST if number == len(pieces) - 1 else 0)
        yield Pdu(kind, flags, call_id, head(len(stub) - number * room) + piece, order)
