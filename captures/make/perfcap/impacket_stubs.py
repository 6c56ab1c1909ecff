# SPDX-License-Identifier: GPL-2.0-or-later
"""The same eight operations as impacket's NDR classes: what the client marshals with.

Client and server use different code on purpose: a mistake in one of the two shows.
"""

from impacket.dcerpc.v5.dtypes import DWORD, GUID, ULONG, WSTR
from impacket.dcerpc.v5.ndr import NDRCALL, NDRSTRUCT

from . import stubs


class _Array(NDRSTRUCT):
    """A conformant-varying array whose elements are kept as raw bytes."""
    element = 1
    commonHdr = (('MaximumCount', '<L=0'), ('Offset', '<L=0'), ('ActualCount', '<L=0'))
    commonHdr64 = (('MaximumCount', '<Q=0'), ('Offset', '<Q=0'), ('ActualCount', '<Q=0'))
    structure = (('Data', ':'),)

    def getDataLen(self, data, offset=0):
        return self['ActualCount'] * self.element


class _Guids(_Array):
    element = 16


class _Conformant(NDRSTRUCT):
    commonHdr = (('MaximumCount', '<L=len(Data)'),)
    commonHdr64 = (('MaximumCount', '<Q=len(Data)'),)
    structure = (('Data', ':'),)

    def getDataLen(self, data, offset=0):
        return self.fields['MaximumCount']

    def __setitem__(self, key, value):
        if key == 'Data':
            self.fields['MaximumCount'] = None
        return NDRSTRUCT.__setitem__(self, key, value)


class RPC_HQUERY(NDRSTRUCT):
    structure = (('context_handle_attributes', ULONG), ('context_handle_uuid', GUID))


_KINDS = {'string': WSTR, 'u32': DWORD, 'guid': GUID, 'handle': RPC_HQUERY, 'varying': _Array,
          'guids': _Guids, 'conformant': _Conformant}


def _call(opnum, response):
    fields = stubs.parameters(opnum, response)
    structure = tuple(('ErrorCode' if name == 'return' else name, _KINDS[kind]) for name, kind in fields)
    name = stubs.METHODS[opnum][0] + ('Response' if response else '')
    return type(name, (NDRCALL,), {'opnum': opnum, 'structure': structure})


REQUESTS = {opnum: _call(opnum, False) for opnum in stubs.METHODS}
RESPONSES = {opnum: _call(opnum, True) for opnum in stubs.METHODS}


def marshal(opnum, values, ndr64=False):
    request = REQUESTS[opnum](isNDR64=ndr64)
    for name, kind in stubs.parameters(opnum, False):
        value = values[name]
        if kind == 'string':
            request[name] = value + '\0'
        elif kind == 'guid':
            request[name] = value.bytes_le
        elif kind == 'handle':
            request[name]['context_handle_attributes'] = value[0]
            request[name]['context_handle_uuid'] = value[1].bytes_le
        else:
            request[name] = value
    return request.getData()


def unmarshal(opnum, data, ndr64=False):
    """The response's parameters in the form stubs.unmarshal gives."""
    import uuid
    response = RESPONSES[opnum](data, isNDR64=ndr64)
    values = {}
    for name, kind in stubs.parameters(opnum, True):
        field = response.fields['ErrorCode' if name == 'return' else name]
        if kind == 'handle':
            values[name] = (field['context_handle_attributes'], uuid.UUID(bytes_le=field['context_handle_uuid']))
        elif kind == 'varying':
            values[name] = (field.fields['MaximumCount'], field.fields['Data'])
        elif kind == 'guids':
            raw = field.fields['Data']
            values[name] = (field.fields['MaximumCount'],
                            [uuid.UUID(bytes_le=raw[at:at + 16]) for at in range(0, len(raw), 16)])
        elif kind == 'conformant':
            values[name] = field.fields['Data']
        else:
            values[name] = field.fields['Data']
    return values
