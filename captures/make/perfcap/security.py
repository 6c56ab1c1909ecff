# SPDX-License-Identifier: GPL-2.0-or-later
"""The server's side of NTLM ([MS-NLMP]) and of SPNEGO around it, on impacket's primitives."""

import hmac
import struct

from Cryptodome.Cipher import ARC4
from impacket import ntlm
from impacket.spnego import SPNEGO_NegTokenInit, SPNEGO_NegTokenResp, TypesMech

NTLM_MECHANISM = TypesMech['NTLMSSP - Microsoft NTLM Security Support Provider']


class Sealer:
    """Packet privacy for both directions of one association."""

    def __init__(self, flags, key):
        self.flags = flags
        self.sign = {side: ntlm.SIGNKEY(flags, key, side) for side in ('Client', 'Server')}
        self.rc4 = {side: ARC4.new(ntlm.SEALKEY(flags, key, side)).encrypt for side in ('Client', 'Server')}
        self.sequence = {'Client': 0, 'Server': 0}

    def _mac(self, side, message):
        mac = ntlm.MAC(self.flags, self.rc4[side], self.sign[side], self.sequence[side], message).getData()
        self.sequence[side] += 1
        return mac

    def seal(self, pdu, head):
        """The bytes of a server's Pdu, its body encrypted from offset head on, its signature behind."""
        pdu.auth.token = b'\0' * 16
        raw = bytearray(pdu.pack())
        signed = bytes(raw[:-16])
        start, end = 16 + head, 16 + len(pdu.body) + pdu.auth.pad
        raw[start:end] = self.rc4['Server'](bytes(raw[start:end]))
        raw[-16:] = self._mac('Server', signed)
        return bytes(raw)

    def unseal(self, pdu, head):
        """The plain stub of a client's Pdu; checks the signature."""
        plain = self.rc4['Client'](pdu.body[head:])
        signed = pdu.raw[:16 + head] + plain + pdu.raw[16 + len(pdu.body):-16]
        if self._mac('Client', signed) != pdu.auth.token:
            raise ValueError('bad signature on request')
        return plain[:len(plain) - pdu.auth.pad]


class NtlmAcceptor:
    def __init__(self, host, users, challenge, time100ns):
        self.host, self.users, self.challenge, self.time = host, users, challenge, time100ns
        self.sealer = None
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
        self.sealer = Sealer(answer['flags'], session_key)
        self.user = f'{domain}\\{user}'
        return b''


class SpnegoAcceptor(NtlmAcceptor):
    def step(self, token):
        if token[0] == 0x60:
            inner = SPNEGO_NegTokenInit(token)['MechToken']
            answer = SPNEGO_NegTokenResp()
            answer['NegState'] = b'\x01'                # accept-incomplete
            answer['SupportedMech'] = NTLM_MECHANISM
            answer['ResponseToken'] = NtlmAcceptor.step(self, inner)
        else:
            NtlmAcceptor.step(self, SPNEGO_NegTokenResp(token)['ResponseToken'])
            answer = SPNEGO_NegTokenResp()
            answer['NegState'] = b'\x00'                # accept-completed
        return answer.getData()
