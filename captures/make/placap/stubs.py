# SPDX-License-Identifier: GPL-2.0-or-later
"""impacket's NDR classes for every method of [MS-PLA], made from the list of methods."""

import csv
import re
import uuid
from pathlib import Path

from impacket.dcerpc.v5 import dcomrt
from impacket.dcerpc.v5.dcom import oaut
from impacket.dcerpc.v5.dcomrt import error_status_t
from impacket.dcerpc.v5.dtypes import GUID, LONG, NULL, ULONG, ULONGLONG, USHORT
from impacket.dcerpc.v5.ndr import NDRENUM
from impacket.dcerpc.v5.rpcrt import DCERPCException

METHODS = Path(__file__).resolve().parents[3] / 'tests' / 'pla' / 'pla-methods.tsv'
TAIL = '-098b-11d8-9414-505054503030'
DERIVED = ('IPerformanceCounterDataCollector', 'IConfigurationDataCollector', 'IAlertDataCollector',
           'ITraceDataCollector', 'IApiTracingDataCollector')
NULL_BSTR = object()            # cBytes 0xFFFFFFFF, in place of a NULL pointer (None)


def _read():
    interfaces = {}
    with open(METHODS, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file, delimiter='\t'):
            methods = interfaces.setdefault(row['interface'], {})
            IID[row['interface']] = row['IID']
            parameters = methods.setdefault(int(row['opnum']), (row['method'], []))[1]
            if row['direction'] == 'notused':
                methods[int(row['opnum'])] = None
            elif row['direction'] != 'none':
                out = row['direction'].startswith('out')
                parameters.append((out, row['param_name'], row['IDL_type'][:-1] if out else row['IDL_type']))
    for name in DERIVED:
        interfaces[name].update(interfaces['IDataCollector'])
    return {name: {opnum: method for opnum, method in methods.items() if method} for name, methods in interfaces.items()}


IID = {'IUnknown': '00000000-0000-0000-c000-000000000046', 'IDispatch': '00020400-0000-0000-c000-000000000046'}
INTERFACES = _read()
NAMES = {iid: name for name, iid in IID.items()}


class Enumeration(NDRENUM):
    """16 bits, as NDR has it without v1_enum."""


KINDS = {'unsigned long': ULONG, 'ULONG': ULONG, 'long': LONG, 'ULONG64': ULONGLONG, 'VARIANT_BOOL': USHORT, 'GUID': GUID,
         'BSTR': oaut.BSTR, 'VARIANT': oaut.VARIANT}
VARIANT_MEMBERS = {oaut.VARENUM.VT_I4: 'lVal', oaut.VARENUM.VT_UI4: 'ulVal', oaut.VARENUM.VT_I8: 'llVal',
                   oaut.VARENUM.VT_UI8: 'ullVal', oaut.VARENUM.VT_DATE: 'date', oaut.VARENUM.VT_BOOL: 'boolVal',
                   oaut.VARENUM.VT_ERROR: 'scode'}


def ndr_type(kind):
    if kind in KINDS:
        return KINDS[kind]
    if kind.startswith('SAFEARRAY'):
        return oaut.PSAFEARRAY
    return dcomrt.PMInterfacePointer if kind.endswith('*') else Enumeration


def opnum_of(interface, name):
    return next(opnum for opnum, (method, _) in INTERFACES[interface].items() if method == name)


class DCERPCSessionError(DCERPCException):
    """An HRESULT other than S_OK; impacket looks for it in the module of the call."""

    def __str__(self):
        return f'HRESULT 0x{self.error_code:08x}'


def _make_classes():
    """impacket finds a response's class by the request's name, in the request's module."""
    for interface, methods in INTERFACES.items():
        for opnum, (_, parameters) in methods.items():
            name = f'{interface}_{opnum}'
            globals()[name] = type(name, (dcomrt.DCOMCALL,), {
                '__module__': __name__, 'opnum': opnum,
                'structure': tuple((name, ndr_type(kind)) for out, name, kind in parameters if not out)})
            globals()[name + 'Response'] = type(name + 'Response', (dcomrt.DCOMANSWER,), {
                '__module__': __name__,
                'structure': tuple((name, ndr_type(kind)) for out, name, kind in parameters if out) +
                (('ErrorCode', error_status_t),)})


def request_class(interface, opnum):
    return globals()[f'{interface}_{opnum}']


def response_class(interface, opnum):
    return globals()[f'{interface}_{opnum}Response']


def set_bstr(node, name, text):
    if text is None:
        node[name] = NULL
    elif text is NULL_BSTR:
        node[name]['asData'] = ''
        node[name]['cBytes'] = 0xFFFFFFFF
    else:
        node[name]['asData'] = text


def put(call, kind, name, value):
    """Sets one parameter. value: a plain Python value; VARIANT: (VARENUM, value); interface pointer: OBJREF or None."""
    if kind == 'BSTR':
        set_bstr(call, name, value)
    elif kind == 'VARIANT':
        vt, inner = value
        node = call[name]
        node['clSize'] = {8: 4, 4: 3}.get(8 if vt in (oaut.VARENUM.VT_DATE, oaut.VARENUM.VT_I8, oaut.VARENUM.VT_UI8) else 4)
        node['vt'] = vt
        node['_varUnion']['tag'] = vt
        if vt == oaut.VARENUM.VT_BSTR:
            node['_varUnion']['bstrVal']['asData'] = inner
            node['clSize'] = (36 + 2 * len(inner) + 7) // 8
        else:
            node['_varUnion'][VARIANT_MEMBERS[vt]] = inner
    elif kind.startswith('SAFEARRAY'):
        put_safearray(call[name], kind == 'SAFEARRAY(BYTE)', value)
    elif kind.endswith('*'):
        if value is None:
            call[name] = NULL
        else:
            call[name]['ulCntData'] = len(value)
            call[name]['abData'] = list(value)
    elif kind == 'GUID':
        call[name] = uuid.UUID(value).bytes_le
    elif kind == 'VARIANT_BOOL':
        call[name] = 0xFFFF if value else 0
    else:
        call[name] = value


class Bytes(dcomrt.BYTE_ARRAY):
    pass


class PBytes(oaut.NDRPOINTER):
    referent = (('Data', Bytes),)


class ByteArray(oaut.NDRSTRUCT):
    """BYTE_SIZEDARR with its pointer, [MS-OAUT] 2.2.30.8.1, which impacket's lacks."""
    structure = (('clSize', ULONG), ('pData', PBytes))


oaut.SAFEARRAYUNION.union = {**oaut.SAFEARRAYUNION.union, oaut.SF_TYPE.SF_I1: ('ByteStr', ByteArray)}


def put_safearray(node, is_bytes, values):
    sf = oaut.SF_TYPE.SF_I1 if is_bytes else oaut.SF_TYPE.SF_BSTR
    node['cDims'] = 1
    node['fFeatures'] = 0x80 if is_bytes else 0x180
    node['cbElements'] = 1 if is_bytes else 4
    node['cLocks'] = (17 if is_bytes else 8) << 16
    node['uArrayStructs']['tag'] = sf
    if is_bytes:
        node['uArrayStructs']['ByteStr']['clSize'] = len(values)
        node['uArrayStructs']['ByteStr']['pData'] = [bytes([byte]) for byte in values]
    else:
        node['uArrayStructs']['BstrStr']['Size'] = len(values)
        for value in values:
            element = oaut.BSTR()
            element['asData'] = value
            node['uArrayStructs']['BstrStr']['aBstr'].append(element)
    bound = oaut.SAFEARRAYBOUND()
    bound['cElements'] = len(values)
    bound['lLbound'] = 0
    node['rgsabound'].append(bound)


_make_classes()


def is_null(node):
    """Whether a pointer has been read as NULL."""
    return node.fields['ReferentID'] == 0


def get(call, kind, name):
    """One parameter as a plain value, as put() takes it."""
    node = call.fields[name]
    if kind == 'BSTR':
        if is_null(node):
            return None
        return NULL_BSTR if node['cBytes'] == 0xFFFFFFFF else node['asData']
    if kind == 'VARIANT':
        vt = node['vt']
        member = oaut.varUnion.union[vt][0]
        value = node['_varUnion']['bstrVal']['asData'] if vt == oaut.VARENUM.VT_BSTR else node['_varUnion'][member]
        return vt, value
    if kind.startswith('SAFEARRAY'):
        if kind == 'SAFEARRAY(BYTE)':
            return b''.join(node['uArrayStructs']['ByteStr']['pData'])
        return [element['asData'] for element in node['uArrayStructs']['BstrStr']['aBstr']]
    if kind.endswith('*'):
        return None if is_null(node) else b''.join(node['abData'])
    if kind == 'GUID':
        return str(uuid.UUID(bytes_le=call[name]))
    if kind == 'VARIANT_BOOL':
        return call[name] != 0
    return call[name]


def property_of(method):
    match = re.match(r'(\S+) \((Get|Put)\)', method)
    return match.groups() if match else (None, None)
