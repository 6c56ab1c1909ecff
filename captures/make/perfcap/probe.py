# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that gives a server occasion to keep or break each rule of [MS-PCQ] that binds servers, and keeps those of clients.

It only reads: the query handles that it opens are its own, and it closes them.
"""

import struct
import time
import uuid
from dataclasses import dataclass

from impacket.dcerpc.v5 import rrp
from impacket.dcerpc.v5.rpcrt import DCERPCException
from impacket.krb5.kerberosv5 import KerberosError
from impacket.nmb import NetBIOSError, NetBIOSTimeout
from impacket.smb3structs import SMB2_DIALECT_21
from impacket.smbconnection import SessionError

from perfdata import wire

from . import lpdata, pdu, stubs
from .api import MOST_ROOM, Api
from .client import BindRefused, Client, Fault, Login, PlainClient, WindowsBind, WinregClient, pipe_transport, tcp_transport
from .content import PROCESSOR
from .lpdata import WILDCARD, Identifier
from .service import NULL_HANDLE

LOST = OSError, EOFError, NetBIOSError, NetBIOSTimeout, SessionError, KerberosError
# Bounds of what is asked: countersets in full, instances of a counterset whose counters are all polled.
MANY_SETS, MANY_INSTANCES, POLLS = 12, 64, 3
ABSENT_SET = uuid.UUID('0bad5e7c-0000-4000-8000-00c0ffee0bad')
ABSENT_COUNTER, ABSENT_LANGUAGE, ABSENT_INSTANCE = 0xFFFFFF0, 0x46F, 'perflib probe: no such instance'
STRINGS = 3, 4, 5, 6            # request codes that take a language
ENGLISH = 0x409
ERROR_MORE_DATA = 234
MOST_DATA = 1 << 24


@dataclass
class Target:
    """Where a server is, and as whom it is asked. port: of TCP; None: the pipe. login None: nothing is sealed."""
    host: str
    address: str
    port: int = None
    login: Login = None
    kerberos: bool = False          # the tickets are in the credential cache

    def transport(self):
        login = self.login or Login('', '')
        if self.port:
            return tcp_transport(self.address, self.port)
        # Wireshark decrypts SMB3 only with keys that no capture holds; 2.1 never encrypts.
        made = pipe_transport(self.address, self.host, 'winreg', login, dialect=SMB2_DIALECT_21, doKerberos=self.kerberos)
        made.transceive = True
        return made

    def client(self, kind=Client, ndr64=False):
        """kind: Client or WinregClient. ndr64: in that syntax alone."""
        if self.kerberos:
            # It needs MIT's GSS-API, which no other client does; impacket's Kerberos is not taken by MIT's.
            from .kerberos import SpnegoKerberosClient
            return self.plain(type(kind.__name__, (SpnegoKerberosClient,), {'abstract': kind.abstract}), self.host, ndr64=ndr64)
        made = kind(self.transport(), self.login, max_fragment=self.fragment, ndr=not ndr64, ndr64=ndr64)
        made.rpc.__class__ = _KeepsStep
        return made

    def plain(self, kind=PlainClient, *arguments, **options):
        pipe = None if self.port else self.transport()
        return kind(*arguments, self.address, self.port, pipe=pipe, max_fragment=self.fragment, **options)

    @property
    def fragment(self):
        return 5840 if self.port else 4280


class _KeepsStep(WindowsBind):
    """impacket leaves the signature of a fault where it is, and can't read what follows."""

    def recv(self):
        take, last = self._transport.recv, []

        def keep(*arguments, **options):
            data = take(*arguments, **options)
            last.append(data)
            return data
        self._transport.recv = keep
        try:
            return super().recv()
        except DCERPCException:
            length, signature = struct.unpack_from('<HH', b''.join(last), 8)
            if signature and (cipher := getattr(self, '_DCERPC_v5__serverSealingHandle', None)):
                cipher(bytes(length - signature - 8 - 32 + 8))
            raise
        finally:
            self._transport.recv = take


class Careful:
    """A client whose calls never raise because of what a server answers, and that breaks no rule of clients."""

    def __init__(self, client, told):
        self.client, self.told = client, told

    def call(self, method, **arguments):
        opnum = stubs.OPNUMS[method]
        refused = {'return': None, 'pdwOutSize': 0, 'pdwRtnSize': 0, 'lpData': (0, b''), 'phQuery': NULL_HANDLE}
        if NULL_HANDLE in (arguments.get('hQuery'), arguments.get('phQuery')):
            return refused
        if opnum in MOST_ROOM:
            arguments['dwInSize'] = min(arguments['dwInSize'], MOST_ROOM[opnum])
        try:
            answer = self.client.call(method, **arguments)
            self.told['answers'] += 1
            self.told['refusals'] += answer['return'] == 5
            return answer
        except Fault as fault:
            self.told['faults'].append(f'refused: {str(fault).strip()}')
        except LOST:
            raise
        except Exception as error:      # an unreadable stub: the verdict says why
            self.told['faults'].append(f'answered with what nobody can read (to {method}: {error})')
        return refused


class Probe:
    """Runs all steps, each on a connection of its own. told: what happened, for the verdict."""

    def __init__(self, target, forbidden=False, interval=1.0, say=lambda text: None):
        self.target, self.forbidden, self.interval, self.say = target, forbidden, interval, say
        self.told = {'answers': 0, 'refusals': 0, 'faults': [], 'steps': {}}
        self.machine = '\\\\' + target.host

    def run(self):
        steps = [('PerflibV2', self.perflibv2), ('the older API', self.older), ('NDR64', self.ndr64),
                 ('big-endian integers, in clear', self.big_endian)]
        if self.forbidden:
            steps += [(f'what no client may send: {what}', lambda call=call: self.forbid(call))
                      for what, call in self.FORBIDDEN]
        for name, step in steps:
            self.say(f'Asking: {name}')
            before = self.told['answers']
            answered = False
            try:
                outcome = step()
                answered = outcome is not None or self.told['answers'] > before
                outcome = outcome or self.counted(self.told['answers'] - before)
            except (Fault, DCERPCException) as error:
                outcome = f'refused: {error}'
            except LOST as error:
                outcome = f'failed: {error or type(error).__name__}'
            self.told['steps'][name] = {'answered': answered, 'outcome': outcome}
        return self.told

    def counted(self, answers):
        return f'answered ({answers} calls)' if answers else (self.told['faults'] or ['not answered'])[-1]

    def api(self, **options):
        return Api(Careful(self.target.client(**options), self.told), self.machine)

    # -- PerflibV2, as Windows asks ---------------------------------------------------------------

    def perflibv2(self):
        try:
            api = self.api()
        except BindRefused as refused:
            if refused.reason != pdu.TRANSFER_SYNTAXES_NOT_SUPPORTED:
                raise
            api = self.api(ndr64=True)
        try:
            guids = self.enumerate(api)
            api.info(ABSENT_SET, 1)
            sets = self.register(api, guids)
            chosen = choose(sets)
            instances = {guid: self.describe(api, guid, *sets[guid]) for guid in chosen}
            api.instances(ABSENT_SET)
            self.query(api, chosen, sets, instances)
        finally:
            api.client.client.close()

    @staticmethod
    def enumerate(api):
        need = api.countersets(probe=False, room=0)['pdwRtnSize']
        if need > 1:
            api.countersets(probe=False, room=need - 1)
        # No client may ask for more than 256; a server that has more can still be asked for one that Windows has.
        return api.countersets(probe=False, room=max(need, 1))['lpData'][1] or [PROCESSOR]

    @staticmethod
    def register(api, guids):
        """guid -> (InstanceType, [(id, type)])."""
        return {guid: lpdata.parse_counterset(api.info(guid, 1)['lpData'][1]) for guid in guids}

    @staticmethod
    def describe(api, guid, _, counters):
        """All else that a server says of a counterset; its instances as (id, name)."""
        need = api.info(guid, 1, probe=False, room=0)['pdwRtnSize']
        if need > 1:
            api.info(guid, 1, probe=False, room=need - 1)
        for counter in [*dict(counters[:2] + counters[-1:]), ABSENT_COUNTER]:
            api.info(guid, 2, counter)
        for code in STRINGS:
            for language in (0, ENGLISH, ABSENT_LANGUAGE):
                api.info(guid, code, language)
        for code in (7, 8, 9, 10):
            api.info(guid, code)
        answer = api.instances(guid)
        return lpdata.parse_instances(answer['lpData'][1])

    def query(self, api, chosen, sets, instances):
        query, other = api.open(), api.open()
        other.info(1024)
        other.data(1024)
        wanted = [item for guid in chosen for item in identifiers(guid, *sets[guid], instances[guid])]
        absent = [Identifier(ABSENT_SET, 1)] + [Identifier(guid, ABSENT_COUNTER, *self.named(instances[guid]))
                                                for guid in chosen[:1]]
        query.validate(wanted + absent)
        if not wanted:
            return
        query.validate(wanted[:1])                  # once more, which is refused
        query.info()
        self.poll(query)
        query.validate(wanted[-1:], add=False)
        query.validate(wanted[-1:], add=False)      # not in it any more
        query.info()
        self.poll(query)
        other.validate(wanted[:3])
        self.poll(other)
        other.info()
        other.close()
        query.close()
        self.remove_unknown(api, sets, wanted)

    @staticmethod
    def remove_unknown(api, sets, wanted):
        """A query of one counter, from which another is removed: no pattern could mean both."""
        for known in wanted:
            others = [counter for counter, _ in sets[known.guid][1] if counter != known.counter_id]
            if known.counter_id != WILDCARD and known.name != '*' and others:
                query = api.open()
                query.validate([known])
                query.validate([Identifier(known.guid, others[0], known.instance_id, known.name)], add=False)
                query.info()
                query.data()
                query.close()
                return

    def poll(self, query):
        """Too small by nothing, by all, and by 8 bytes; then as often as rates need."""
        need = query.client.call('QueryCounterData', hQuery=query.handle, dwInSize=0)['pdwRtnSize']
        if need > 8:
            query.client.call('QueryCounterData', hQuery=query.handle, dwInSize=need - 8)
        for number in range(POLLS):
            if number:
                time.sleep(self.interval)
            query.data(need)

    @staticmethod
    def named(instances):
        return instances[0] if instances else (0, None)

    # -- beside it --------------------------------------------------------------------------------

    def older(self):
        """Names, too little room, all objects, then one."""
        client = self.target.client(WinregClient)
        try:
            key = client.raw(wire.OPEN_DATA, wire.open_request())[:20]
            found = []
            for name in ('Counter 009', 'Help 009', 'Global'):
                told, data = self.value(client, key, name)
                found.append(f'{name}: {told}')
            if is_block(data) and len(data) > 200:
                (index,) = struct.unpack_from('<I', data, struct.unpack_from('<I', data, 24)[0] % 180 + 12)
                for _ in range(2):
                    self.value(client, key, str(index))
            client.raw(wire.CLOSE_KEY, wire.close_request(key))
            return f"answered ({'; '.join(found)})"
        finally:
            client.close()

    @staticmethod
    def value(client, key, name):
        """What came of it, and the data, with more room until all is there."""
        room, cut = 1024, ''
        while True:
            answer = rrp.BaseRegQueryValueResponse(client.raw(wire.QUERY_VALUE, wire.query_request(key, name, room)))
            error, data = answer['ErrorCode'], b''.join(answer['lpData'])
            if error == 0 and is_block(data) and struct.unpack_from('<I', data, 20)[0] > len(data) == room:
                cut = f', but cut to {room} bytes before, where ERROR_MORE_DATA was expected'
            elif error != ERROR_MORE_DATA:
                return (f'error {error}' if error else f'{len(data)} bytes') + cut, data
            if room >= MOST_DATA:
                return 'never room enough' + cut, b''
            room *= 8

    def ndr64(self):
        api = self.api(ndr64=True)
        try:
            self.little(api)
        finally:
            api.client.client.close()

    def big_endian(self):
        client = self.target.plain(big_endian=True)
        try:
            self.little(Api(Careful(client, self.told), self.machine))
        finally:
            client.close()

    @staticmethod
    def little(api):
        """One call of each kind."""
        guids = api.countersets()['lpData'][1]
        for guid in guids[:1]:
            api.info(guid, 1)
            api.info(guid, 9)
            api.instances(guid)
        query = api.open()
        query.info(64)
        query.data(64)
        query.close()

    # -- what no client may send -------------------------------------------------------------------

    def forbid(self, call):
        api = self.api()
        try:
            call(self, api)
        finally:
            api.client.client.close()

    def no_such_code(self, api):
        for guid in api.countersets()['lpData'][1][:1]:
            for code in (0, 11):
                api.info(guid, code, probe=False, room=64)

    def no_identifier(self, api):
        query = api.open()
        query.validate([], data=bytes(39))
        query.close()

    def short_identifier(self, api):
        sets = self.register(api, api.countersets()['lpData'][1])
        query = api.open()
        # One that is right but for its Size: a counterset of a single instance needs no name.
        for guid in sorted(sets, key=lambda guid: sets[guid][0] != 0)[:1]:
            query.validate([Identifier(guid, WILDCARD, size=36)])
        query.close()

    def after_close(self, api):
        query = api.open()
        query.close()
        query.info(64)
        query.data(64)
        query.close()

    FORBIDDEN = [('request codes 0 and 11', no_such_code), ('a buffer too small for an identifier', no_identifier),
                 ('an identifier whose Size is below 40', short_identifier), ('a query handle after it was closed', after_close)]


def is_block(data):
    """A PERF_DATA_BLOCK of little-endian numbers."""
    return data[:12] == 'PERF'.encode('utf-16-le') + b'\1\0\0\0' and len(data) >= 32


def choose(sets):
    """Countersets that together have every counter type and InstanceType that occurs, a few at most."""
    def features(guid):
        kind, counters = sets[guid]
        return {('instances', kind)} | {kind for _, kind in counters}
    chosen, seen = [], set()
    for guid in sorted(sets, key=lambda guid: -len(features(guid))):
        if len(chosen) < MANY_SETS and not features(guid) <= seen:
            chosen.append(guid)
            seen |= features(guid)
    return chosen


def identifiers(guid, kind, counters, instances):
    """What is asked for of a counterset: all and one of its counters, of all and one of its instances."""
    first = counters[0][0] if counters else WILDCARD
    if kind == 0:
        return [Identifier(guid, WILDCARD), Identifier(guid, first), *[Identifier(guid, counters[-1][0])] * (len(counters) > 1)]
    several = [Identifier(guid, first, WILDCARD, '*')]
    if len(instances) <= MANY_INSTANCES:
        several.append(Identifier(guid, WILDCARD, WILDCARD, '*'))
    one = [Identifier(guid, counter, *instance) for instance in instances[:1] if instance[1] and not set(instance[1]) & set('*?')
           for counter in (first, WILDCARD)]
    return several + one + [Identifier(guid, first, 0, ABSENT_INSTANCE)]
