# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of another make: Samba's RPC, SMB2, NTLM, SPNEGO and Kerberos through its Python bindings.

Its SPNEGO sends the checksum of the list of mechanisms (mechListMIC) as Windows' does.
"""

import os

from impacket.dcerpc.v5 import rrp
from samba import credentials, param
from samba.dcerpc import winreg
from samba.dcerpc.base import ClientConnection

from . import impacket_stubs, stubs
from .client import Fault


def _own_ports(server_port):
    """Local ports of this process's TCP connections to a port of the server."""
    own = set()
    for handle in os.listdir('/proc/self/fd'):
        try:
            own.add(os.readlink(f'/proc/self/fd/{handle}'))
        except OSError:
            pass
    with open('/proc/self/net/tcp', encoding='ascii') as table:
        rows = [line.split() for line in list(table)[1:]]
    return {int(row[1].split(':')[1], 16) for row in rows
            if int(row[2].split(':')[1], 16) == server_port and f'socket:[{row[9]}]' in own}


def _identity(login, realm, dialect):
    """Samba's settings and credentials."""
    settings = param.LoadParm()
    for name, value in (('interfaces', '127.0.0.1/8'), ('client ipc signing', 'auto'), ('client ipc min protocol', 'NT1'),
                        ('client max protocol', dialect), ('client ipc max protocol', dialect),
                        ('workgroup', 'CONTOSO'), ('netbios name', 'WIN-CLIENT')):
        settings.set(name, value)
    if realm:
        settings.set('realm', realm)
    user = credentials.Credentials()
    user.guess(settings)
    user.set_username(login.user)
    user.set_password(login.password)
    user.set_domain(login.domain)
    if realm:
        user.set_realm(realm)
    user.set_kerberos_state(credentials.MUST_USE_KERBEROS if realm else credentials.DONT_USE_KERBEROS)
    return settings, user


class SambaClient:
    """binding: Samba's binding string; login: Login of client.py."""
    implementation = 'samba'
    interface = (stubs.INTERFACE, 1)

    def __init__(self, binding, server_port, login, realm=None):
        identity = _identity(login, realm, 'SMB2_10')
        before = _own_ports(server_port)
        # Samba's bindings authenticate for interfaces they know only; ours is added to it by alter_context.
        self.first = winreg.winreg(binding, *identity)
        self.rpc = ClientConnection(binding, self.interface, *identity, basis_connection=self.first)
        self.client_port, = _own_ports(server_port) - before

    def call(self, method, **arguments):
        opnum = method if isinstance(method, int) else stubs.OPNUMS[method]
        try:
            answer = self.rpc.request(opnum, impacket_stubs.marshal(opnum, arguments))
        except Exception as error:
            raise Fault(str(error)) from None
        return impacket_stubs.unmarshal(opnum, answer)

    def close(self):
        self.rpc = self.first = None


class SambaRegistry:
    """What impacket's functions for the remote registry need of a connection, on Samba's SMB3."""

    def __init__(self, binding, login, realm=None):
        self.rpc = winreg.winreg(binding, *_identity(login, realm, 'SMB3_11'))
        self.answer = b''

    def call(self, opnum, body):
        self.answer = self.rpc.request(opnum, body.getData())

    def recv(self):
        return self.answer

    def request(self, request, checkError=True):
        self.call(request.opnum, request)
        response = getattr(rrp, type(request).__name__ + 'Response')(self.answer)
        if checkError and response['ErrorCode']:
            raise rrp.DCERPCSessionError(error_code=response['ErrorCode'])
        return response

    def disconnect(self):
        self.rpc = None
