# SPDX-License-Identifier: GPL-2.0-or-later
"""The RPC server: binds, fragments, seals, calls a Service, and keeps a log of all calls.

It runs in a process of its own (ServerProcess); the scenario steers it over a pipe.
"""

import hashlib
import multiprocessing
import select
import socket
import struct
import threading
from dataclasses import dataclass, field
from random import Random

from . import pdu, stubs
from .pdu import Auth, Pdu
from .security import NtlmAcceptor, acceptor
from .service import ERROR_ACCESS_DENIED, NULL_HANDLE, BadHandle

HEX_LIMIT = 1024                # stubs longer than this are in the record as a hash only


@dataclass
class Settings:
    max_fragment: int = 5840
    pipe: str = None            # name of the pipe the secondary address tells; None: TCP port
    transfer: str = stubs.NDR
    users: dict = field(default_factory=dict)
    keytab: str = None
    require_privacy: bool = False
    signed_faults: bool = True      # faults of a sealed session have a signature, too
    coalesce: bool = False      # answers to requests that came together go together
    patience: float = 0.01      # ... and so many seconds apart is together
    seed: int = 7


@dataclass
class Association:
    """A security context of a connection: what the bind said of it, and what takes its tokens."""
    auth: Auth
    acceptor: object

    @property
    def protection(self):
        return self.acceptor.protection

    def trailer(self, pad, token=b''):
        return Auth(self.auth.type, self.auth.level, self.auth.context, token, pad)

    def unseal(self, incoming):
        return self.protection.unseal(incoming, 8)

    def seal(self, outgoing):
        # The status of a fault is no part of its stub, which is empty.
        head = 16 if outgoing.type == pdu.FAULT else 8
        outgoing.auth = self.trailer(-(len(outgoing.body) - head) % 16)
        return self.protection.seal(outgoing, head)


def protect(outgoing, association):
    """The bytes of PDUs."""
    return [association.seal(piece) if association else piece.pack() for piece in outgoing]


class Connection(threading.Thread):
    def __init__(self, server, sock, number):
        super().__init__(daemon=True)
        self.server, self.sock, self.number = server, sock, number
        self.contexts = {}              # id -> interface, transfer syntax
        self.security = {}              # auth context id -> Association
        self.parts = {}                 # call id -> [stub so far, PDUs]
        self.facts = {'connection': number, 'server_port': server.port}
        self.fragment = server.settings.max_fragment
        self.waiting = []               # PDUs to send

    def run(self):
        try:
            while True:
                self.handle(pdu.parse(pdu.receive(self.sock)))
                if not self.server.settings.coalesce:
                    for piece in self.waiting:
                        self.sock.sendall(piece)
                elif select.select([self.sock], [], [], self.server.settings.patience)[0]:
                    continue
                else:
                    self.sock.sendall(b''.join(self.waiting))
                self.waiting = []
        except (EOFError, ConnectionError):
            pass
        finally:
            self.sock.close()

    def handle(self, incoming):
        if incoming.type in (pdu.BIND, pdu.ALTER):
            self.bind(incoming)
        elif incoming.type == pdu.AUTH3:
            self.security[incoming.auth.context].acceptor.step(incoming.auth.token)
        elif incoming.type == pdu.REQUEST:
            self.request(incoming)

    def bind(self, incoming):
        order = incoming.order
        max_transmit, max_receive, group, items = pdu.unpack_bind(incoming.body, order)
        settings = self.server.settings
        self.fragment = min(settings.max_fragment, max_receive)
        results, notes = [], []
        for item in items:
            syntaxes = [transfer[0] for transfer in item.transfers]
            if stubs.BIND_TIME_FEATURES in syntaxes:
                results.append((3, 3, None))
                result = 'negotiate_ack'
            elif item.abstract[0] in self.server.interfaces and settings.transfer in syntaxes:
                chosen = next(transfer for transfer in item.transfers if transfer[0] == settings.transfer)
                results.append((0, 0, chosen))
                self.contexts[item.id] = (item.abstract[0], chosen[0])
                result = 'acceptance'
            else:
                results.append((2, 2, None))
                result = 'provider_rejection'
            notes.append({'id': item.id, 'abstract_syntax': item.abstract[0], 'version': item.abstract[1],
                          'transfer_syntaxes': syntaxes, 'result': result})
        token = b''
        if incoming.type == pdu.BIND:
            self.header_sign = bool(incoming.flags & pdu.HEADER_SIGN)
        if incoming.auth:
            known = self.security.get(incoming.auth.context)
            if known is None:
                known = Association(incoming.auth, acceptor(incoming.auth.type, self.ntlm, self.kerberos))
                self.security[incoming.auth.context] = known
            token = known.acceptor.step(incoming.auth.token)
        address = f'\\PIPE\\{settings.pipe}' if settings.pipe else str(self.server.port)
        alter = incoming.type == pdu.ALTER
        answer = Pdu(pdu.ALTER_RESP if alter else pdu.BIND_ACK, pdu.FIRST | pdu.LAST | incoming.flags & pdu.HEADER_SIGN,
                     incoming.call_id,
                     pdu.pack_bind_ack(results, order, settings.max_fragment,
                                       group or 0x00053C10 + self.number, '' if alter else address), order)
        if incoming.auth and token:
            answer.auth = known.trailer(-len(answer.body) % 4, token)
        if not alter:
            self.facts.update(presentation_contexts=notes, client_max_xmit_frag=max_transmit,
                              client_max_recv_frag=max_receive, server_max_frag=settings.max_fragment,
                              request_drep='little-endian' if order == '<' else 'big-endian')
        self.waiting.append(answer.pack())

    def request(self, incoming):
        context, opnum = struct.unpack(incoming.order + 'HH', incoming.body[4:8])
        association = self.security[incoming.auth.context] if incoming.auth else None
        part = self.parts.setdefault(incoming.call_id, [b'', []])
        part[0] += association.unseal(incoming) if association else incoming.body[8:]
        part[1].append(incoming.raw)
        if incoming.flags & pdu.LAST:
            del self.parts[incoming.call_id]
            other = self.server.interfaces[self.contexts[context][0]]
            if other is None:
                self.answer(incoming, association, context, opnum, *part)
            elif fault := self.server.next_fault(opnum):
                outgoing = protect([self.fault(incoming, context, fault)], self.of_fault(association))
                other.refuse(opnum, part[0], describe_fault(fault))
                other.calls[-1].update(connection=self.number, call_id=incoming.call_id,
                                       pdus={'request': part[1], 'response': outgoing})
                self.waiting += outgoing
            else:
                with self.server.lock:
                    answer = other.call(opnum, part[0])
                    outgoing = protect(self.response(incoming, association, context, answer), association)
                    other.calls[-1].update(connection=self.number, call_id=incoming.call_id,
                                           pdus={'request': part[1], 'response': outgoing})
                self.waiting += outgoing

    def answer(self, incoming, association, context, opnum, stub, received):
        syntax = stubs.Syntax(incoming.order == '>', self.contexts[context][1] == stubs.NDR64)
        entry = {'connection': self.number, 'server_port': self.server.port, 'call_id': incoming.call_id,
                 'context_id': context, 'interface': stubs.INTERFACE, 'opnum': opnum,
                 'request_drep': 'little-endian' if incoming.order == '<' else 'big-endian',
                 'transfer_syntax': self.contexts[context][1],
                 'auth_level': association.auth.level if association else pdu.LEVEL_NONE,
                 'request_fragments': len(received)}
        if association:
            entry.update(auth_type=association.auth.type, auth_context_id=association.auth.context)
        result = None
        fault = self.server.next_fault(opnum)
        if opnum not in stubs.METHODS:
            fault = pdu.NCA_OP_RNG_ERROR
        elif fault:
            entry['method'] = stubs.METHODS[opnum][0]
            entry['request'] = describe_request(opnum, stubs.unmarshal(opnum, False, stub, syntax))
        else:
            entry['method'] = stubs.METHODS[opnum][0]
            arguments = stubs.unmarshal(opnum, False, stub, syntax)
            if self.server.settings.require_privacy and entry['auth_level'] != pdu.LEVEL_PRIVACY:
                result, tree = self.refuse(opnum, arguments), None
            else:
                with self.server.lock:
                    try:
                        result = self.server.service.call(opnum, arguments)
                        tree = self.server.service.tree
                        entry['step'] = self.server.service.machine.step
                    except BadHandle:
                        fault = pdu.NCA_CONTEXT_MISMATCH
            entry['request'] = describe_request(opnum, arguments)
        answer = b'' if fault else stubs.marshal(opnum, True, result, syntax)
        entry.update(stub_facts('request', stub))
        if fault:
            entry['fault'] = describe_fault(fault)
            outgoing = [self.fault(incoming, context, fault)]
            association = self.of_fault(association)
        else:
            entry['response'] = describe_response(opnum, result, tree)
            entry['response_drep'] = entry['request_drep']
            entry['return'] = result['return']
            entry.update(stub_facts('response', answer))
            outgoing = self.response(incoming, association, context, answer)
        entry['response_fragments'] = len(outgoing)
        with self.server.lock:
            outgoing = protect(outgoing, association)
            entry['pdus'] = {'request': received, 'response': outgoing}
            self.server.calls.append(entry)
        self.waiting += outgoing

    def of_fault(self, association):
        return association if self.server.settings.signed_faults else None

    def fault(self, incoming, context, status):
        body = struct.pack(incoming.order + 'IHBBII', 32, context, 0, 0, status, 0)
        return Pdu(pdu.FAULT, pdu.FIRST | pdu.LAST | pdu.DID_NOT_EXECUTE, incoming.call_id, body, incoming.order)

    def response(self, incoming, association, context, answer):
        """The PDUs of an answer."""
        return list(pdu.fragments(
            pdu.RESPONSE, incoming.call_id,
            lambda length: struct.pack(incoming.order + 'IHBB', length, context, 0, 0), answer,
            incoming.order, self.fragment, 24 + association.protection.token_size if association else 0))

    def ntlm(self):
        machine = self.server.service.machine
        return NtlmAcceptor(machine.host, self.server.settings.users, self.server.random.randbytes(8),
                            machine.clock.time100ns)

    def kerberos(self):
        # It needs MIT's GSS-API, which no other server does.
        from .kerberos import KerberosAcceptor
        return KerberosAcceptor(self.server.settings.keytab, self.header_sign)

    @staticmethod
    def refuse(opnum, arguments):
        """ERROR_ACCESS_DENIED with nothing in the out parameters."""
        result = {'return': ERROR_ACCESS_DENIED}
        for name, kind in stubs.parameters(opnum, True):
            if kind == 'varying':
                result[name] = (arguments['dwInSize'], b'')
            elif kind == 'guids':
                result[name] = (arguments['dwInSize'], [])
            elif kind == 'handle':
                result[name] = arguments.get(name, NULL_HANDLE)
            elif kind == 'conformant':
                result[name] = arguments[name]
            elif name != 'return':
                result[name] = 0
        return result


def describe_fault(status):
    return {'status': status, 'hex': f'0x{status:08x}', 'name': pdu.FAULT_NAMES[status]}


def stub_facts(which, stub):
    facts = {f'{which}_stub_len': len(stub), f'{which}_stub_sha256': hashlib.sha256(stub).hexdigest()}
    if len(stub) <= HEX_LIMIT:
        facts[f'{which}_stub_hex'] = stub.hex()
    return facts


def _plain(value):
    """GUIDs and handles as the record shows them."""
    if isinstance(value, tuple):
        return {'attributes': value[0], 'uuid': str(value[1])}
    return value if isinstance(value, (int, str)) else str(value)


def describe_request(opnum, arguments):
    from . import lpdata
    node = {}
    for name, kind in stubs.parameters(opnum, False):
        if kind == 'conformant':
            items, end = lpdata.parse_identifiers(arguments[name])
            node['lpData_max_count'] = len(arguments[name])
            node['lpData_sha256'] = hashlib.sha256(arguments[name]).hexdigest()
            node['lpData'] = lpdata.identifiers(items)[1]
            if end != len(arguments[name]):
                node['lpData_unparsed_from'] = end
        else:
            node[name] = _plain(arguments[name])
    return node


def describe_response(opnum, result, tree):
    node = {}
    for name, kind in stubs.parameters(opnum, True):
        if kind in ('varying', 'guids'):
            maximum, data = result[name]
            node.update(lpData_max_count=maximum, lpData_offset=0, lpData_actual_count=len(data))
            if kind == 'guids':
                node['lpData_guids'] = [str(item) for item in data]
            elif tree is not None:
                node['lpData'] = tree
                node['lpData_sha256'] = hashlib.sha256(data).hexdigest()
        elif kind == 'conformant':
            node['lpData_max_count'] = len(result[name])
            node['lpData_sha256'] = hashlib.sha256(result[name]).hexdigest()
            node['lpData'] = tree if tree is not None else {'identifiers': None}
        elif name != 'return':
            node[name] = _plain(result[name])
    return node


class RpcServer:
    """Listens; port 0 takes a free one. counter: of connections, shared by the servers of one record.

    interfaces: interface -> what else is served: an object with call(opnum, stub) and a list calls.
    """

    def __init__(self, service, settings, address='127.0.0.1', port=0, calls=None, counter=None,
                 interfaces=None):
        self.service, self.settings = service, settings
        self.interfaces = {stubs.INTERFACE: None, **(interfaces or {})}
        self.lock = threading.RLock()
        self.calls = [] if calls is None else calls
        self.connections = []
        self.faults = {}        # opnum -> statuses that answer its next calls in place of the service
        self.counter = counter if counter is not None else [0]
        self.random = Random(settings.seed)
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(16)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def next_fault(self, opnum):
        """The status of the fault that answers the next call of an operation, or None."""
        waiting = self.faults.get(opnum)
        return waiting.pop(0) if waiting else None

    def accept(self):
        while True:
            sock, _ = self.listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.counter[0] += 1
            connection = Connection(self, sock, self.counter[0])
            self.connections.append(connection)
            connection.start()


class ServerProcess:
    """Runs build() in a child process; build returns an object with .calls, .facts() and methods to steer."""

    def __init__(self, build):
        self.pipe, child = multiprocessing.Pipe()
        self.process = multiprocessing.get_context('fork').Process(target=self._serve, args=(build, child), daemon=True)
        self.process.start()
        child.close()
        self.ports = self.pipe.recv()

    @staticmethod
    def _serve(build, pipe):
        world = build()
        pipe.send(world.ports)
        while True:
            try:
                name, arguments = pipe.recv()
            except EOFError:
                return
            pipe.send(getattr(world, name)(*arguments))

    def tell(self, name, *arguments):
        self.pipe.send((name, arguments))
        return self.pipe.recv()

    def close(self):
        self.pipe.close()
        self.process.join(2)
        if self.process.is_alive():
            self.process.terminate()
