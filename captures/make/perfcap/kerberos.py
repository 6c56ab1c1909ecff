# SPDX-License-Identifier: GPL-2.0-or-later
"""Kerberos: MIT's KDC for a realm on 127.0.0.1, and the server's side of RPC's security on MIT's GSS-API."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import gssapi
from gssapi.raw import IOV, IOVBufferType, unwrap_iov, wrap_iov
from impacket.krb5 import asn1
from impacket.krb5.crypto import Key, _enctype_table, string_to_key
from pyasn1.codec.der.decoder import decode

from . import pdu
from .client import PlainClient
from .recorder import Streams

REALM = 'PERF.TEST'
HOST = 'win-perf01.perf.test'
KEYTAB = 'kerberos.keytab'              # beside the captures: tshark -o kerberos.decrypt:TRUE -K
SERVICES = ('host', 'cifs')
SERVICE_PASSWORD = 'a password of the service, from which its keys are made: the same each time'
KRB5_TOKEN = bytes.fromhex('06092a864886f712010202')   # the mechanism's identifier before each token

KRB5_CONF = """[libdefaults]
default_realm = {realm}
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
udp_preference_limit = 0
[realms]
{realm} = {{
  kdc = 127.0.0.1:88
}}
"""

KDC_CONF = """[kdcdefaults]
kdc_listen = 127.0.0.1:88
kdc_tcp_listen = 127.0.0.1:88
[realms]
{realm} = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  acl_file = {folder}/acl
  supported_enctypes = aes256-cts-hmac-sha1-96:normal
  disable_pac = true
}}
[logging]
kdc = FILE:{folder}/kdc.log
"""


class Realm:
    """Context manager: the KDC runs, and this process and its children belong to the realm."""

    def __init__(self, user, password, folder):
        self.user, self.password = user, password
        self.keytab = Path(folder).resolve() / KEYTAB

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        folder = self.temporary.name
        Path(folder, 'krb5.conf').write_text(KRB5_CONF.format(realm=REALM))
        Path(folder, 'kdc.conf').write_text(KDC_CONF.format(realm=REALM, folder=folder))
        os.environ.update(KRB5_CONFIG=f'{folder}/krb5.conf', KRB5_KDC_PROFILE=f'{folder}/kdc.conf',
                          KRB5RCACHETYPE='none')
        self.quietly('kdb5_util', 'create', '-s', '-r', REALM, '-P', 'master')
        self.admin(f'addprinc -pw {self.password} {self.user}@{REALM}')
        self.keytab.unlink(missing_ok=True)
        for service in SERVICES:
            self.admin(f'addprinc -pw "{SERVICE_PASSWORD}" {service}/{HOST}@{REALM}')
            self.admin(f'ktadd -k {self.keytab} -norandkey {service}/{HOST}@{REALM}')
        self.keytab.chmod(0o644)
        self.kdc = subprocess.Popen(['krb5kdc', '-n'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        return self

    @staticmethod
    def quietly(*command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def admin(self, query):
        self.quietly('kadmin.local', '-r', REALM, '-q', query)

    def __exit__(self, *_):
        self.kdc.terminate()
        self.kdc.wait()
        self.temporary.cleanup()


class KerberosProtection:
    """Privacy by a context of DCE's style ([MS-KILE] 3.4.5.4): all that is added stands in the token.

    header_sign: signatures cover the PDU's headers, too.
    """
    # RFC 4121 4.2.4 with AES: header, confounder, filler of a block, header again, checksum of 12 bytes
    token_size = 16 + 16 + 16 + 16 + 12

    def __init__(self, context, header_sign):
        self.context, self.header_sign = context, header_sign

    def _iov(self, token, head, data, tail):
        parts = [IOVBufferType.header if token is None else (IOVBufferType.header, False, token)]
        if self.header_sign:
            parts.append((IOVBufferType.sign_only, False, head))
        parts.append((IOVBufferType.data, False, data))
        if self.header_sign:
            parts.append((IOVBufferType.sign_only, False, tail))
        return IOV(*parts, std_layout=False)

    def _wrap(self, head, data, tail):
        iov = self._iov(None, head, data, tail)
        wrap_iov(self.context, iov, confidential=True)
        return iov[0].value, iov[2 if self.header_sign else 1].value

    def seal(self, pdu, head):
        pdu.auth.token = b'\0' * self.token_size
        raw = pdu.pack()
        end = len(raw) - self.token_size - 8
        token, data = self._wrap(raw[:16 + head], raw[16 + head:end], raw[end:end + 8])
        return raw[:16 + head] + data + raw[end:end + 8] + token

    def unseal(self, pdu, head):
        token = pdu.auth.token
        end = len(pdu.raw) - len(token) - 8
        iov = self._iov(token, pdu.raw[:16 + head], pdu.raw[16 + head:end], pdu.raw[end:end + 8])
        if not unwrap_iov(self.context, iov).encrypted:
            raise ValueError('a request that is not encrypted')
        plain = iov[2 if self.header_sign else 1].value
        return plain[:len(plain) - pdu.auth.pad]


class KerberosAcceptor:
    def __init__(self, keytab, header_sign):
        self.context = gssapi.SecurityContext(
            creds=gssapi.Credentials(usage='accept', store={'keytab': str(keytab)}), usage='accept')
        self.header_sign = header_sign
        self.protection = None

    def step(self, token):
        answer = self.context.step(token)
        if self.context.complete:
            self.protection = KerberosProtection(self.context, self.header_sign)
        return answer or b''

    def check_and_make_mic(self, mechanisms, mic):
        self.context.verify_signature(mechanisms, mic)
        return self.context.get_signature(mechanisms)


class KerberosClient(PlainClient):
    """Kerberos without SPNEGO: AP-REQ in the bind, AP-REP in the answer, and the client's in AUTH3 ([MS-RPCE] 3.3.1.5.2).

    Samba's client can do that, too, but sends a token it has freed with the next alter_context.
    """
    implementation = 'own'

    def __init__(self, address, port, realm):
        name = gssapi.Name(realm.user, gssapi.NameType.user)
        secret = gssapi.raw.acquire_cred_with_password(name, realm.password.encode(), usage='initiate')
        flags = gssapi.RequirementFlag
        self.context = gssapi.SecurityContext(
            name=gssapi.Name(f'host@{HOST}', gssapi.NameType.hostbased_service), creds=gssapi.Credentials(secret.creds),
            flags=[flags.mutual_authentication, flags.dce_style, flags.integrity, flags.confidentiality,
                   flags.replay_detection, flags.out_of_sequence_detection], mech=gssapi.MechType.kerberos, usage='initiate')
        super().__init__(address, port)
        self.client_port = self.sock.getsockname()[1]

    auth_type = pdu.AUTH_KERBEROS

    def bind(self):
        flags = pdu.FIRST | pdu.LAST | pdu.HEADER_SIGN
        offer = pdu.Pdu(pdu.BIND, flags, self.call_id, self.offer(), self.order)
        offer.auth = self.auth(offer, 4, self.context.step())
        answer = self.exchange(offer)
        last = pdu.Pdu(pdu.AUTH3, pdu.FIRST | pdu.LAST, self.call_id, b'\0' * 4, self.order)
        last.auth = self.auth(last, 4, self.context.step(answer.auth.token))
        self.sock.sendall(last.pack())
        self.agreed(answer)

    def agreed(self, answer):
        self.protection = KerberosProtection(self.context, bool(answer.flags & pdu.HEADER_SIGN))
        self.trailer = 24 + self.protection.token_size

    @classmethod
    def auth(cls, piece, unit, token=b''):
        return pdu.Auth(cls.auth_type, pdu.LEVEL_PRIVACY, 0, token, -(len(piece.body) - 8) % unit)

    def protect(self, piece):
        piece.auth = self.auth(piece, 16)
        return self.protection.seal(piece, 8)

    def unprotect(self, answer):
        return self.protection.unseal(answer, 8)


class SpnegoKerberosClient(KerberosClient):
    """Kerberos in SPNEGO, both MIT's, with the tickets of the credential cache. A pipe, if given, is used instead of a port."""
    auth_type = pdu.AUTH_SPNEGO

    def __init__(self, host, address, port, **options):
        flags = gssapi.RequirementFlag
        self.context = gssapi.SecurityContext(
            name=gssapi.Name(f'host@{host}', gssapi.NameType.hostbased_service),
            flags=[flags.mutual_authentication, flags.dce_style, flags.integrity, flags.confidentiality,
                   flags.replay_detection, flags.out_of_sequence_detection],
            mech=gssapi.OID.from_int_seq('1.3.6.1.5.5.2'), usage='initiate')
        PlainClient.__init__(self, address, port, **options)

    def bind(self):
        kind, token = pdu.BIND, self.context.step()
        while True:
            offer = pdu.Pdu(kind, pdu.FIRST | pdu.LAST | pdu.HEADER_SIGN, self.call_id, self.offer(), self.order)
            offer.auth = self.auth(offer, 4, token)
            answer = self.exchange(offer)
            if kind == pdu.BIND:
                self.agreed(answer)
            token = self.context.step(answer.auth.token) if answer.auth and not self.context.complete else None
            if not token:
                return
            kind = pdu.ALTER


def smb_session(frames):
    """(session id, session key) of the only SMB2 session of a capture, as Wireshark's table smb2_seskey_list wants them.

    Wireshark takes them from there only: it does not draw them from a keytab.
    """
    streams = [bytes(way[1]) for way in Streams(frames).ways.values()]
    request, answer = (next(data[data.index(mark) + len(mark):] for data in streams if mark in data)
                       for mark in (KRB5_TOKEN + b'\1\0', KRB5_TOKEN + b'\2\0'))
    request, answer = decode(request, asn1Spec=asn1.AP_REQ())[0], decode(answer, asn1Spec=asn1.AP_REP())[0]

    def opened(part, key, usage, kind):
        return decode(_enctype_table[int(part['etype'])].decrypt(key, usage, part['cipher'].asOctets()), asn1Spec=kind)[0]

    def key_of(field):
        return Key(int(field['keytype']), field['keyvalue'].asOctets())

    ticket = request['ticket']
    salt = REALM + ''.join(str(part) for part in ticket['sname']['name-string'])
    service = string_to_key(int(ticket['enc-part']['etype']), SERVICE_PASSWORD, salt)
    session = key_of(opened(ticket['enc-part'], service, 2, asn1.EncTicketPart())['key'])
    key = key_of(opened(answer['enc-part'], session, 12, asn1.EncAPRepPart())['subkey'])
    head = next(data for data in streams if KRB5_TOKEN + b'\2\0' in data)
    head = head[head.rindex(b'\xfeSMB', 0, head.index(KRB5_TOKEN + b'\2\0')):]
    return head[40:48].hex(), key.contents[:16].hex()
