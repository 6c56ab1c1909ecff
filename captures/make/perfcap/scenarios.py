# SPDX-License-Identifier: GPL-2.0-or-later
"""What the clients do, capture by capture."""

from . import content
from .client import Fault
from .content import (ALL_TYPES, GLOBAL_AGGREGATE, HISTORY, OTHER_TYPES, PROCESS, PROCESSOR, UNKNOWN_SET,
                      windows_machine)
from .lpdata import WILDCARD, Identifier, identifiers
from .machine import SECOND
from .session import Session, maker

HOST = '\\\\WIN-PERF01'


class Api:
    """The operations as a client program uses them: probe for the size, then ask again."""

    def __init__(self, client, machine=HOST):
        self.client, self.machine = client, machine

    def countersets(self, room=None, probe=True):
        if probe:
            need = self.client.call('EnumerateCounterSet', szMachine=self.machine, dwInSize=0)['pdwRtnSize']
        return self.client.call('EnumerateCounterSet', szMachine=self.machine, dwInSize=room or need)

    def info(self, guid, code, lcid=0, probe=True, room=None):
        def ask(size):
            return self.client.call('QueryCounterSetRegistrationInfo', szMachine=self.machine, CounterSetGuid=guid,
                                    RequestCode=code, RequestLCID=lcid, dwInSize=size)
        if probe:
            answer = ask(0)
            if answer['return'] != 8:
                return answer
            room = answer['pdwRtnSize']
        return ask(room)

    def instances(self, guid, probe=True, room=None):
        def ask(size):
            return self.client.call('EnumerateCounterSetInstances', szMachine=self.machine, CounterSetGuid=guid,
                                    dwInSize=size)
        if probe:
            answer = ask(0)
            if answer['return'] != 8:
                return answer
            room = answer['pdwRtnSize']
        return ask(room)

    def open(self):
        return Query(self, self.client.call('OpenQueryHandle', szMachine=self.machine)['phQuery'])


class Query:
    def __init__(self, api, handle):
        self.api, self.client, self.handle, self.room = api, api.client, handle, 0

    def validate(self, items, add=True, data=None):
        data = identifiers(items)[0] if data is None else data
        return self.client.call('ValidateCounters', hQuery=self.handle, dwInSize=len(data), lpData=data,
                                dwAdd=int(add))

    def info(self, room=None):
        if room is None:
            room = self.client.call('QueryCounterInfo', hQuery=self.handle, dwInSize=0)['pdwRtnSize']
        return self.client.call('QueryCounterInfo', hQuery=self.handle, dwInSize=room)

    def data(self, room=None):
        """A poll; learns the size from a refused one, keeps some room for the next."""
        room = self.room if room is None else room
        answer = self.client.call('QueryCounterData', hQuery=self.handle, dwInSize=room)
        if answer['return'] == 8:
            self.room = answer['pdwRtnSize'] + 256
            answer = self.client.call('QueryCounterData', hQuery=self.handle, dwInSize=self.room)
        return answer

    def close(self):
        return self.client.call('CloseQueryHandle', phQuery=self.handle)


def registration(api, other=True):
    """Everything the server can tell of its countersets: each request code, sizes asked first."""
    api.countersets()
    api.countersets(room=16, probe=False)
    for guid in (PROCESSOR, PROCESS, ALL_TYPES) + ((OTHER_TYPES,) if other else ()) + (GLOBAL_AGGREGATE, HISTORY):
        api.info(guid, 1)
        api.info(guid, 3, probe=False, room=512)
    api.info(PROCESSOR, 2, 26, probe=False, room=48)
    api.info(ALL_TYPES, 2, 18)
    api.info(PROCESSOR, 2, 99, probe=False, room=48)
    for lcid in (0, 0x409, 0x407, 0x411):
        api.info(GLOBAL_AGGREGATE, 3, lcid, probe=False, room=512)
        api.info(GLOBAL_AGGREGATE, 5, lcid)
    api.info(GLOBAL_AGGREGATE, 5, 0x40C)
    api.info(PROCESSOR, 4)
    api.info(ALL_TYPES, 4, 0x409)
    for guid in (PROCESSOR, PROCESS, ALL_TYPES) + ((OTHER_TYPES,) if other else ()):
        api.info(guid, 5)
    api.info(ALL_TYPES, 6)
    api.info(GLOBAL_AGGREGATE, 6)
    api.info(PROCESSOR, 7)
    api.info(PROCESSOR, 8)
    api.info(ALL_TYPES, 7, probe=False, room=300)
    api.info(ALL_TYPES, 8, probe=False, room=16)
    api.info(PROCESSOR, 9)
    api.info(GLOBAL_AGGREGATE, 9)
    api.info(PROCESSOR, 10)
    api.info(GLOBAL_AGGREGATE, 10, probe=False, room=4096)
    api.info(UNKNOWN_SET, 1)


def enumerate_all_instances(api):
    api.instances(PROCESSOR)
    api.instances(PROCESS)
    api.instances(ALL_TYPES)
    api.instances(GLOBAL_AGGREGATE, probe=False, room=256)
    api.instances(HISTORY)
    api.instances(UNKNOWN_SET)


def full_session(session, client, other=True, polls=5, transceive=None):
    """Section 4.1 and everything around it, with two handles that take turns."""
    api = Api(client)
    registration(api, other)
    api.info(PROCESSOR, 11, probe=False, room=64)       # no such request code
    api.info(PROCESSOR, 0, probe=False, room=64)
    enumerate_all_instances(api)

    first, second = api.open(), api.open()
    first.info(1024)                                    # nothing in it yet
    first.data(1024)
    first.validate([
        Identifier(PROCESSOR, 0, 3, '_Total', room=32),
        Identifier(PROCESSOR, 26, 3, '_Total'),
        Identifier(PROCESSOR, 27, 3, '_Total'),
        Identifier(PROCESSOR, 3, WILDCARD, '*'),
        Identifier(PROCESSOR, WILDCARD, 0, '0,0'),
        Identifier(ALL_TYPES, 9),
        Identifier(ALL_TYPES, 8),
        Identifier(ALL_TYPES, 18),
        Identifier(ALL_TYPES, 19, 0, ''),
        Identifier(ALL_TYPES, 13),                      # its base stays out of the query
        Identifier(PROCESSOR, 0, 17, '7,7'),            # no such instance: reported at each poll
        Identifier(UNKNOWN_SET, 1),
        Identifier(PROCESSOR, 99, 0, '0,0'),
        Identifier(ALL_TYPES, 9),                       # twice
    ])
    second.validate([Identifier(ALL_TYPES, WILDCARD)])
    second.validate([
        Identifier(PROCESS, WILDCARD, WILDCARD, '*'),
        Identifier(PROCESS, 3, WILDCARD, 'svchost*'),
        Identifier(PROCESS, 2, WILDCARD, 'no such*'),
        Identifier(GLOBAL_AGGREGATE, WILDCARD, WILDCARD, '*'),
    ] + ([Identifier(OTHER_TYPES, WILDCARD)] if other else []))
    second.validate([], data=b'\0' * 39)                # shorter than one identifier
    first.info()
    second.info()
    for number in range(polls):
        if number:
            session.advance(SECOND + 1_237 * number)
        if number == 1:
            session.change('set_value', PROCESSOR, '_Total', 26, 3257130132376)
            session.change('set_value', PROCESSOR, '_Total', 27, 1446745353)
        for query in (first, second):
            if transceive is not None:
                client.transport.transceive = (number + (query is first)) % 2 == 0
            query.data()
        if number == 2:
            # one counter goes and comes back: the numbering of blocks changes twice
            first.validate([Identifier(PROCESSOR, 3, WILDCARD, '*'), Identifier(PROCESSOR, 5, 3, '_Total')], add=False)
            first.info()
        if number == 3:
            first.validate([Identifier(PROCESSOR, 3, WILDCARD, '*')])
            first.info()
    many = [Identifier(PROCESS, counter, 4 * (row % 10), f'worker{row}', room=64)
            for row in range(40) for counter in (1, 2)]
    second.validate(many)                               # a request of several fragments
    second.validate(many, add=False)
    first.close()
    second.close()


# -- captures ------------------------------------------------------------------------------------

def tcp_session(name, folder):
    session = Session(name, 'a full clear session over ncacn_ip_tcp', [maker(windows_machine)])
    session.run(lambda run: full_session(run, run.connect()), folder)


def smb2_session(name, folder):
    session = Session(name, 'the same session over \\PIPE\\winreg on SMB2, by pipe write/read and by transceive',
                      [maker(windows_machine, smb=True, port=445, max_fragment=4280)])
    session.run(lambda run: full_session(run, run.connect(), transceive=True), folder)


CAPTURES = {
    'tcp-session': tcp_session,
    'smb2-session': smb2_session,
}
