# SPDX-License-Identifier: GPL-2.0-or-later
"""The server's side of RPC's security: NTLM ([MS-NLMP]) on impacket's primitives, Kerberos on MIT's GSS-API,
and SPNEGO ([MS-SPNG]) around either.

An acceptor takes the client's tokens with step() and has a protection when all is agreed.
A protection seals the server's PDUs, and unseals the client's, in place: the length of no PDU changes.
"""

import hmac
import struct

from Cryptodome.Cipher import ARC4
from impacket import ntlm
from impacket.spnego import SPNEGO_NegTokenInit, SPNEGO_NegTokenResp, TypesMech

from . import pdu as rpc

NTLM_MECHANISM = TypesMech['NTLMSSP - Microsoft NTLM Security Support Provider']
KERBEROS_MECHANISMS = (TypesMech['KRB5 - Kerberos 5'], TypesMech['MS KRB5 - Microsoft Kerberos 5'])


class NtlmProtection:
    """Privacy or integrity for both directions of one association."""
    token_size = 16

    def __init__(self, flags, key):
        self.flags, self.key = flags, key
        self.sign = {side: ntlm.SIGNKEY(flags, key, side) for side in ('Client', 'Server')}
        self.sequence = {'Client': 0, 'Server': 0}
        self.rc4 = {}
        self.restart_ciphers()

    def restart_ciphers(self):
        self.rc4 = {side: ARC4.new(ntlm.SEALKEY(self.flags, self.key, side)).encrypt for side in ('Client', 'Server')}

    def mac(self, side, message):
        mac = ntlm.MAC(self.flags, self.rc4[side], self.sign[side], self.sequence[side], message).getData()
        self.sequence[side] += 1
        return mac

    def seal(self, pdu, head):
        """The bytes of a server's Pdu, its body protected from offset head on, its signature behind."""
        pdu.auth.token = b'\0' * 16
        raw = bytearray(pdu.pack())
        signed = bytes(raw[:-16])
        if pdu.auth.level == rpc.LEVEL_PRIVACY:
            start, end = 16 + head, 16 + len(pdu.body) + pdu.auth.pad
            raw[start:end] = self.rc4['Server'](bytes(raw[start:end]))
        raw[-16:] = self.mac('Server', signed)
        return bytes(raw)

    def unseal(self, pdu, head):
        """The plain stub of a client's Pdu; checks the signature."""
        end = len(pdu.raw) - 16 - 8
        plain = pdu.raw[16 + head:end]
        if pdu.auth.level == rpc.LEVEL_PRIVACY:
            plain = self.rc4['Client'](plain)
        signed = pdu.raw[:16 + head] + plain + pdu.raw[end:-16]
        if self.mac('Client', signed) != pdu.auth.token:
            raise ValueError('bad signature on request')
        return plain[:len(plain) - pdu.auth.pad]


class NtlmAcceptor:
    mechanism = NTLM_MECHANISM

    def __init__(self, host, users, challenge, time100ns):
        self.host, self.users, self.challenge, self.time = host, users, challenge, time100ns
        self.protection = None
        self.user = None

    def step(self, token):
        return self._challenge(token) if token[8] == 1 else self._authenticate(token)

    def _challenge(self, token):
        offer = ntlm.NTLMAuthNegotiate()
        offer.fromString(token)
        target = self.host.encode('utf-16-le')
        pairs = ntlm.AV_PAIRS()
        pairs[ntlm.NTLMSSP_AV_DOMAINNAME] = target
        pairs[ntlm.NTLMSSP_AV_HOSTNAME] = target
        pairs[ntlm.NTLMSSP_AV_DNS_HOSTNAME] = self.host.lower().encode('utf-16-le')
        pairs[ntlm.NTLMSSP_AV_TIME] = struct.pack('<Q', self.time)
        info = pairs.getData()
        flags = offer['flags'] | ntlm.NTLMSSP_NEGOTIATE_TARGET_INFO | ntlm.NTLMSSP_TARGET_TYPE_SERVER | \
            ntlm.NTLMSSP_NEGOTIATE_VERSION
        self.flags = flags
        message = b'NTLMSSP\0' + struct.pack('<IHHII', 2, len(target), len(target), 56, flags) + self.challenge + \
            b'\0' * 8 + struct.pack('<HHI', len(info), len(info), 56 + len(target)) + \
            bytes.fromhex('0a00614a0000000f') + target + info        # 10.0 (19041), NTLM revision 15
        return message

    def _authenticate(self, token):
        answer = ntlm.NTLMAuthChallengeResponse()
        answer.fromString(token)
        user = answer['user_name'].decode('utf-16-le')
        domain = answer['domain_name'].decode('utf-16-le')
        response = answer['ntlm']
        key = ntlm.NTOWFv2(user, self.users[user.lower()], domain)
        proof = hmac.new(key, self.challenge + response[16:], 'md5').digest()
        if proof != response[:16]:
            raise PermissionError(f'wrong password for {user}')
        session_key = hmac.new(key, proof, 'md5').digest()
        if answer['flags'] & ntlm.NTLMSSP_NEGOTIATE_KEY_EXCH:
            session_key = ARC4.new(session_key).decrypt(answer['session_key'])
        self.protection = NtlmProtection(answer['flags'], session_key)
        self.user = f'{domain}\\{user}'
        return b''

    def check_and_make_mic(self, mechanisms, mic):
        """The server's checksum of the list of mechanisms. The first message after it takes up the ciphers
        where they were before it ([MS-SPNG] 3.2.5.1); the sequence numbers go on."""
        if self.protection.mac('Client', mechanisms) != mic:
            raise ValueError('bad mechListMIC')
        own = self.protection.mac('Server', mechanisms)
        self.protection.restart_ciphers()
        return own


def der(tag, *parts):
    body = b''.join(parts)
    size = len(body)
    if size >= 128:
        octets = size.to_bytes((size.bit_length() + 7) // 8, 'big')
        return bytes([tag, 128 | len(octets)]) + octets + body
    return bytes([tag, size]) + body


def elements(data):
    """(tag, content, all of it) of each element of DER."""
    at = 0
    while at < len(data):
        start, size, at = at, data[at + 1], at + 2
        if size >= 128:
            octets = size & 127
            size, at = int.from_bytes(data[at:at + octets], 'big'), at + octets
        yield data[start], data[at:at + size], data[start:at + size]
        at += size


def fields(sequence):
    """[n] -> content, of a SEQUENCE of tagged fields."""
    (_, body, _), = elements(sequence)
    return {tag & 31: content for tag, content, _ in elements(body)}


class SpnegoAcceptor:
    """choose(mechanism's OID) makes the acceptor of a mechanism, or None."""

    def __init__(self, choose):
        self.choose, self.inner, self.mechanisms = choose, None, b''

    @property
    def protection(self):
        return self.inner.protection

    def step(self, token):
        first = self.inner is None
        if first:
            (_, body, _), = elements(token)                     # RFC 2743 3.1: mechanism, then its token
            _, (_, choice, _) = elements(body)
            offer = fields(choice)
            self.mechanisms = offer[0]
            (_, types, _), = elements(self.mechanisms)
            self.inner = self.choose(next(content for _, content, _ in elements(types)))
        else:
            (_, choice, _), = elements(token)
            offer = fields(choice)
        answer = [b'', b'', b'', b'']
        if 2 in offer:
            (_, inner, _), = elements(offer[2])
            result = self.inner.step(inner)
            if result:
                answer[2] = der(0xA2, der(4, result))
        if first:
            answer[1] = der(0xA1, der(6, self.inner.mechanism))
        if 3 in offer:
            (_, mic, _), = elements(offer[3])
            answer[3] = der(0xA3, der(4, self.inner.check_and_make_mic(self.mechanisms, mic)))
        complete = self.inner.protection is not None
        answer[0] = der(0xA0, der(10, b'\0' if complete else b'\1'))    # accept-completed, accept-incomplete
        return der(0xA1, der(0x30, *answer))


def acceptor(kind, ntlm_acceptor, kerberos_acceptor=None):
    """What takes the tokens of an authentication type; the arguments make an acceptor each."""
    if kind == rpc.AUTH_SPNEGO:
        def choose(mechanism):
            if mechanism == NTLM_MECHANISM:
                return ntlm_acceptor()
            made = kerberos_acceptor()
            made.mechanism = mechanism
            return made
        return SpnegoAcceptor(choose)
    return kerberos_acceptor() if kind == rpc.AUTH_KERBEROS else ntlm_acceptor()
