# SPDX-License-Identifier: GPL-2.0-or-later
"""impacket's DCOM client, calling methods by their names."""

from impacket.dcerpc.v5 import dcomrt
from impacket.dcerpc.v5.dcomrt import DCOMConnection, IRemUnknown2
from impacket.uuid import string_to_bin, uuidtup_to_bin

from . import stubs


class Failed(Exception):
    """The call returned another HRESULT than S_OK; .results holds what came with it."""

    def __init__(self, hresult, results):
        super().__init__(f'0x{hresult:08x}')
        self.hresult, self.results = hresult, results


class Proxy:
    """An object through one of its interfaces."""

    def __init__(self, remote, interface):
        self.remote, self.interface = remote, interface

    def call(self, method, *values):
        """values: in the order of the IDL. Returns what the method returns: a value, or a tuple; objects as Proxy."""
        opnum = stubs.opnum_of(self.interface, method)
        parameters = stubs.INTERFACES[self.interface][opnum][1]
        request = stubs.request_class(self.interface, opnum)()
        for (name, kind), value in zip([(name, kind) for out, name, kind in parameters if not out], values, strict=True):
            stubs.put(request, kind, name, value.remote.get_objRef() if isinstance(value, Proxy) else value)
        hresult = 0
        try:
            response = self.remote.request(request, uuidtup_to_bin((stubs.IID[self.interface], '0.0')), self.remote.get_iPid())
        except stubs.DCERPCSessionError as error:
            response, hresult = error.get_packet(), error.error_code
        results = tuple(self.proxy(kind, stubs.get(response, kind, name)) for out, name, kind in parameters if out)
        if hresult & 0x80000000:
            raise Failed(hresult, results)
        return results[0] if len(results) == 1 else results

    def proxy(self, kind, value):
        if not kind.endswith('*') or value is None:
            return value
        remote = dcomrt.INTERFACE(self.remote.get_cinstance(), value, self.remote.get_ipidRemUnknown(),
                                  target=self.remote.get_target())
        return Proxy(IRemUnknown2(remote), kind.rstrip('*'))

    def get(self, name):
        return self.call(f'{name} (Get)')

    def put(self, name, value):
        return self.call(f'{name} (Put)', value)

    def query_interface(self, interface):
        """IRemUnknown::RemQueryInterface."""
        remote = self.remote.RemQueryInterface(1, (string_to_bin(stubs.IID[interface]),))
        return Proxy(remote, interface)

    def fails(self, method, *values):
        """A call that is meant to fail."""
        try:
            self.call(method, *values)
        except Failed as error:
            return error.hresult
        raise AssertionError(f'{method} succeeded')


def connect(user, password, level):
    connection = DCOMConnection('127.0.0.1', user, password, 'WORKGROUP', authLevel=level)
    return connection


def create(connection, clsid, interface):
    remote = connection.CoCreateInstanceEx(string_to_bin(clsid), uuidtup_to_bin((stubs.IID[interface], '0.0')))
    return Proxy(remote, interface)
