# SPDX-License-Identifier: GPL-2.0-or-later
"""The operations as a client program uses them."""

from .lpdata import identifiers

HOST = '\\\\WIN-PERF01'
TOO_SMALL = 8, 234              # ERROR_NOT_ENOUGH_MEMORY, and ERROR_MORE_DATA of servers that mean it
# The range of dwInSize ([MS-PCQ] 3.1.4.1): no client may offer more room.
MOST_ROOM = {0: 256, 1: 134217728, 2: 67108864, 5: 67108864, 6: 1073741824}


class Api:
    """The operations as a client program uses them: probe for the size, then ask again."""

    def __init__(self, client, machine=HOST):
        self.client, self.machine = client, machine

    def countersets(self, room=None, probe=True):
        if probe:
            need = self.client.call('EnumerateCounterSet', szMachine=self.machine, dwInSize=0)['pdwRtnSize']
        return self.client.call('EnumerateCounterSet', szMachine=self.machine, dwInSize=need if room is None else room)

    def info(self, guid, code, lcid=0, probe=True, room=None):
        return self._fitting('QueryCounterSetRegistrationInfo', probe, room, CounterSetGuid=guid, RequestCode=code,
                             RequestLCID=lcid)

    def instances(self, guid, probe=True, room=None):
        return self._fitting('EnumerateCounterSetInstances', probe, room, CounterSetGuid=guid)

    def _fitting(self, operation, probe, room, **arguments):
        """The answer with this room; probe: with the room that a first call asks for, unless that call fails otherwise."""
        def ask(size):
            return self.client.call(operation, szMachine=self.machine, **arguments, dwInSize=size)
        if probe:
            answer = ask(0)
            if answer['return'] not in TOO_SMALL:
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
        if answer['return'] in TOO_SMALL:
            self.room = answer['pdwRtnSize'] + 256
            answer = self.client.call('QueryCounterData', hQuery=self.handle, dwInSize=self.room)
        return answer

    def close(self):
        return self.client.call('CloseQueryHandle', phQuery=self.handle)
