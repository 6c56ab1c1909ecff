# SPDX-License-Identifier: GPL-2.0-or-later
"""A DCOM server: activation, IRemUnknown, and the objects of model.py behind [MS-PLA]'s interfaces."""

import socket
import struct
import threading
import uuid
from random import Random

from impacket.dcerpc.v5 import dcomrt
from impacket.dcerpc.v5.dtypes import NULL
from impacket.uuid import bin_to_string

from perfcap import pdu
from perfcap.pdu import Auth, Pdu
from perfcap.security import NtlmAcceptor

from . import stubs

ACTIVATOR = '000001a0-0000-0000-c000-000000000046'
EXPORTER = '99fcfec4-5260-101b-bbcb-00aa0021347a'
REM_UNKNOWN = ('00000131-0000-0000-c000-000000000046', '00000143-0000-0000-c000-000000000046')
NDR = '8a885d04-1ceb-11c9-9fe8-08002b104860'
OXID = 0x5F1E2D3C4B5A6978
HEX_LIMIT = 2048
HRESULT_NAMES = {0: 'S_OK', 0x00300100: 'PLA_S_PROPERTY_IGNORED', 0x80300002: 'PLA_E_DCS_NOT_FOUND',
                 0x803000AA: 'PLA_E_DCS_IN_USE', 0x803000B7: 'PLA_E_DCS_ALREADY_EXISTS', 0x80070057: 'E_INVALIDARG',
                 0x80004001: 'E_NOTIMPL', 0x80300104: 'PLA_E_DCS_NOT_RUNNING'}


def objref(iid, ipid, oid, port, address='127.0.0.1'):
    reference = dcomrt.OBJREF_STANDARD()
    reference['iid'] = uuid.UUID(iid).bytes_le
    reference['flags'] = 1
    reference['std']['flags'] = 0x1000          # no pings
    reference['std']['cPublicRefs'] = 5
    reference['std']['oxid'] = OXID
    reference['std']['oid'] = oid
    reference['std']['ipid'] = ipid.bytes_le
    strings, security = bindings(port, address)
    reference['saResAddr'] = struct.pack('<HH', (len(strings) + len(security)) // 2, len(strings) // 2) + strings + security
    return reference.getData()


def bindings(port, address='127.0.0.1'):
    strings = struct.pack('<H', 7) + f'{address}[{port}]\0'.encode('utf-16le') + b'\0\0'
    return strings, struct.pack('<HH', 10, 0xFFFF) + b'\0\0' + b'\0\0'


class Server:
    """Objects by IPID; calls in the order in which they were answered."""

    def __init__(self, model, level, users, ports=(135, 49664)):
        self.model, self.level, self.users, self.ports = model, level, users, ports
        self.exports = {}               # IPID -> (object, interface)
        self.ipids = {}                 # (object's number, interface) -> IPID
        self.rem_unknown = uuid.UUID('0000c800-04d2-0001-9d2c-3f5a7b8e1c40')
        self.calls = []
        self.random = Random(7)
        self.lock = threading.RLock()
        for port in ports:
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(('127.0.0.1', port))
            listener.listen(4)
            threading.Thread(target=self.accept, args=(listener, port), daemon=True).start()

    def accept(self, listener, port):
        while True:
            sock, _ = listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Connection(self, sock, port).start()

    def export(self, target, interface):
        """OBJREF of an object through an interface."""
        return objref(stubs.IID[interface], self.ipid(target, interface), target.number, self.ports[1])

    def ipid(self, target, interface):
        key = (target.number, interface)
        if key not in self.ipids:
            ipid = uuid.UUID(f'{0x1000 + len(self.ipids):08x}-04d2-0001-9d2c-3f5a7b8e1c40')
            self.ipids[key] = ipid
            self.exports[ipid] = (target, interface)
        return self.ipids[key]

    def find(self, data):
        """The object an OBJREF of ours refers to."""
        return self.exports[uuid.UUID(bytes_le=dcomrt.OBJREF_STANDARD(data)['std']['ipid'])][0]


class Connection(threading.Thread):
    def __init__(self, server, sock, port):
        super().__init__(daemon=True)
        self.server, self.sock, self.port = server, sock, port
        self.contexts, self.parts = {}, {}
        self.acceptors = {}             # by auth_context_id: impacket makes one for every presentation context

    def run(self):
        try:
            while True:
                incoming = pdu.parse(pdu.receive(self.sock))
                if incoming.type in (pdu.BIND, pdu.ALTER):
                    self.bind(incoming)
                elif incoming.type == pdu.AUTH3:
                    self.acceptors[incoming.auth.context].step(incoming.auth.token)
                elif incoming.type == pdu.REQUEST:
                    self.request(incoming)
        except (EOFError, ConnectionError):
            pass
        finally:
            self.sock.close()

    def bind(self, incoming):
        _, max_receive, group, items = pdu.unpack_bind(incoming.body, '<')
        results = []
        for item in items:
            results.append((0, 0, item.transfers[0]))
            self.contexts[item.id] = item.abstract[0]
        alter = incoming.type == pdu.ALTER
        answer = Pdu(pdu.ALTER_RESP if alter else pdu.BIND_ACK, 3, incoming.call_id,
                     pdu.pack_bind_ack(results, '<', min(5840, max_receive), group or 0x3C11, '' if alter else str(self.port)))
        if incoming.auth:
            acceptor = NtlmAcceptor('PLASRV', self.server.users, self.server.random.randbytes(8), 133801632000000000)
            self.acceptors[incoming.auth.context] = acceptor
            answer.auth = Auth(incoming.auth.type, incoming.auth.level, incoming.auth.context,
                               acceptor.step(incoming.auth.token), -len(answer.body) % 4)
        self.sock.sendall(answer.pack())

    def request(self, incoming):
        context, opnum = struct.unpack('<HH', incoming.body[4:8])
        ipid, head = None, 8
        if incoming.flags & 0x80:
            ipid, head = uuid.UUID(bytes_le=incoming.body[8:24]), 24
        protection = self.acceptors[incoming.auth.context].protection if incoming.auth else None
        part = protection.unseal(incoming, head) if protection else incoming.body[head:]
        stub = self.parts.pop(incoming.call_id, b'') + part
        if not incoming.flags & pdu.LAST:
            self.parts[incoming.call_id] = stub
            return
        with self.server.lock:
            answer = self.answer(self.contexts[context], opnum, ipid, stub, incoming.call_id)
        for piece in pdu.fragments(pdu.RESPONSE, incoming.call_id,
                                   lambda length: struct.pack('<IHBB', length, context, 0, 0), answer, '<', 5840,
                                   40 if protection else 0):
            if protection:
                piece.auth = Auth(incoming.auth.type, incoming.auth.level, incoming.auth.context, b'',
                                  -(len(piece.body) - 8) % 16)
                self.sock.sendall(protection.seal(piece, 8))
            else:
                self.sock.sendall(piece.pack())

    def answer(self, iid, opnum, ipid, stub, call_id):
        if iid == ACTIVATOR:
            return self.activate(stub)
        if iid in REM_UNKNOWN:
            return self.rem_unknown(opnum, stub)
        interface = stubs.NAMES[iid]
        method, parameters = stubs.INTERFACES[interface][opnum]
        call = stubs.request_class(interface, opnum)(stub)
        arguments = {name: stubs.get(call, kind, name) for out, name, kind in parameters if not out}
        target = self.server.exports[ipid][0]
        plain = {name: self.server.find(value) if isinstance(value, bytes) and kind.endswith('*') else value
                 for (_, name, kind), value in zip([item for item in parameters if not item[0]], arguments.values())}
        results, hresult = self.server.model.call(target, interface, method, plain)
        response = stubs.response_class(interface, opnum)()
        response['ORPCthat']['flags'] = 0
        response['ORPCthat']['extensions'] = NULL
        described = {}
        for out, name, kind in parameters:
            if out:
                value = results.get(name)
                if kind.endswith('*') and value is not None:
                    value = self.server.export(*value)
                stubs.put(response, kind, name, value)
                described[name] = describe(kind, value)
        response['ErrorCode'] = hresult
        data = response.getData()
        entry = {'n': len(self.server.calls), 'server_port': self.port, 'call_id': call_id, 'interface': interface, 'iid': iid,
                 'opnum': opnum, 'method': method, 'ipid': str(ipid),
                 'request': {name: describe(kind, arguments[name]) for out, name, kind in parameters if not out},
                 'response': described,
                 'hresult': {'value': hresult, 'hex': f'0x{hresult:08x}', 'name': HRESULT_NAMES[hresult]}}
        for which, octets in (('request', stub), ('response', data)):
            if len(octets) <= HEX_LIMIT:
                entry[f'{which}_stub_hex'] = octets.hex()
        self.server.calls.append(entry)
        return data

    def activate(self, stub):
        """IRemoteSCMActivator::RemoteCreateInstance, [MS-DCOM] 3.1.2.5.2.3.3."""
        request = dcomrt.RemoteCreateInstance(stub)
        blob = dcomrt.ACTIVATION_BLOB(dcomrt.OBJREF_CUSTOM(b''.join(request['pActProperties']['abData']))['pObjectData'])
        info = dcomrt.InstantiationInfoData()
        size = info.fromString(blob['Property'])
        info.fromStringReferents(blob['Property'][size:])
        clsid = bin_to_string(info['classId']).lower()
        iid = bin_to_string(info['pIID'][0]['Data']).lower()
        target = self.server.model.create(clsid)
        reference = self.server.export(target, stubs.NAMES[iid])

        props = dcomrt.PropsOutInfo()
        props['cIfs'] = 1
        element = dcomrt.IID()
        element['Data'] = info['pIID'][0]['Data']
        props['piid'].append(element)
        result = dcomrt.HRESULT()
        result['Data'] = 0
        props['phresults'].append(result)
        pointer = dcomrt.PMInterfacePointer()
        pointer['ulCntData'] = len(reference)
        pointer['abData'] = list(reference)
        props['ppIntfData'].append(pointer)

        reply = dcomrt.ScmReplyInfoData()
        reply['pdwReserved'] = 0
        reply['remoteReply']['Oxid'] = OXID
        strings, security = bindings(self.server.ports[1])
        reply['remoteReply']['pdsaOxidBindings']['wNumEntries'] = (len(strings) + len(security)) // 2
        reply['remoteReply']['pdsaOxidBindings']['wSecurityOffset'] = len(strings) // 2
        reply['remoteReply']['pdsaOxidBindings']['aStringArray'] = list(
            struct.unpack(f'<{(len(strings) + len(security)) // 2}H', strings + security))
        reply['remoteReply']['ipidRemUnknown'] = self.server.rem_unknown.bytes_le
        reply['remoteReply']['authnHint'] = self.server.level
        reply['remoteReply']['serverVersion']['MajorVersion'] = 5
        reply['remoteReply']['serverVersion']['MinorVersion'] = 7

        out = dcomrt.ACTIVATION_BLOB()
        out['CustomHeader']['destCtx'] = 2
        out['CustomHeader']['pdwReserved'] = NULL
        properties = b''
        for classid, part in ((dcomrt.CLSID_PropsOutInfo, props), (dcomrt.CLSID_ScmReplyInfo, reply)):
            element = dcomrt.CLSID()
            element['Data'] = classid
            out['CustomHeader']['pclsid'].append(element)
            data = part.getData() + part.getDataReferents()
            data += b'\xfa' * (-len(data) % 8)
            size = dcomrt.DWORD()
            size['Data'] = len(data)
            out['CustomHeader']['pSizes'].append(size)
            properties += data
        out['Property'] = properties
        custom = dcomrt.OBJREF_CUSTOM()
        custom['iid'] = dcomrt.IID_IActivationPropertiesOut[:-4]
        custom['clsid'] = dcomrt.CLSID_ActivationPropertiesOut
        custom['pObjectData'] = out.getData()
        custom['ObjectReferenceSize'] = len(custom['pObjectData']) + 8
        response = dcomrt.RemoteCreateInstanceResponse()
        response['ORPCthat']['flags'] = 0
        response['ORPCthat']['extensions'] = NULL
        response['ppActProperties']['ulCntData'] = len(custom.getData())
        response['ppActProperties']['abData'] = list(custom.getData())
        response['ErrorCode'] = 0
        return response.getData()

    def rem_unknown(self, opnum, stub):
        if opnum == 3:
            request = dcomrt.RemQueryInterface(stub)
            target, _ = self.server.exports[uuid.UUID(bytes_le=request['ripid'])]
            iid = bin_to_string(request['iids'][0]['Data']).lower()
            response = dcomrt.RemQueryInterfaceResponse()
            response['ppQIResults']['hResult'] = 0
            response['ppQIResults']['std']['flags'] = 0x1000
            response['ppQIResults']['std']['cPublicRefs'] = 5
            response['ppQIResults']['std']['oxid'] = OXID
            response['ppQIResults']['std']['oid'] = target.number
            response['ppQIResults']['std']['ipid'] = self.server.ipid(target, stubs.NAMES[iid]).bytes_le
        else:
            response = dcomrt.RemReleaseResponse()
        response['ORPCthat']['flags'] = 0
        response['ORPCthat']['extensions'] = NULL
        response['ErrorCode'] = 0
        data = bytearray(response.getData())
        if opnum == 3:
            # The results are an array, [MS-DCOM] 3.1.1.5.6.1.1; impacket takes its count for padding.
            struct.pack_into('<I', data, 12, 1)
        return bytes(data)


def describe(kind, value):
    """A parameter as the record has it."""
    if value is stubs.NULL_BSTR:
        return {'null_bstr': True}
    if kind.endswith('*'):
        if value is None:
            return None
        reference = dcomrt.OBJREF_STANDARD(value)
        return {'iid': bin_to_string(reference['iid']).lower(), 'oxid': f"0x{reference['std']['oxid']:016x}",
                'oid': f"0x{reference['std']['oid']:016x}", 'ipid': bin_to_string(reference['std']['ipid']).lower()}
    if kind == 'VARIANT':
        return {'vt': value[0], 'value': value[1]}
    return value.hex() if isinstance(value, bytes) else value
