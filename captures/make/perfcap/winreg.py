# SPDX-License-Identifier: GPL-2.0-or-later
"""The older API beside PerflibV2: the registry calls of HKEY_PERFORMANCE_DATA on the same Machine.

The objects show the numbers of the counterset Processor Information, so that one counter can be read both ways.
"""

from random import Random

from impacket.dcerpc.v5 import rrp

from perfdata import wire
from perfdata.block import Builder, Clock, Counter, Instance, Object, names
from perfdata.crafted import Server as Expectations

from .content import PROCESSOR

INTERFACE = str(wire.WINREG)

TITLES = {1: '1847', 6: '% Processor Time', 142: '% User Time', 148: 'Interrupts/sec', 238: 'Processor'}
# counter of the registry's object -> counter of the counterset, both of one type
COUNTERS = {6: 0, 142: 1, 148: 3}
INSTANCES = {'0,0': '0', '0,1': '1', '_Total': '_Total'}


class Winreg:
    def __init__(self, machine, seed=3):
        self.machine, self.calls = machine, []
        self.random = Random(seed)
        self.expectations = Expectations(machine.host, TITLES)

    def call(self, opnum, stub):
        """The answer's stub."""
        if opnum == wire.OPEN_DATA:
            handle = bytes(4) + self.random.randbytes(16)
            self.note(opnum, handle, 0)
            return wire.open_response(handle)
        if opnum == wire.CLOSE_KEY:
            self.note(opnum, stub[:20], 0)
            return wire.close_response()
        request = rrp.BaseRegQueryValue(stub)
        return self.query(stub[:20], request['lpValueName'].removesuffix('\0'), request['lpcbData'])

    def refuse(self, opnum, stub, fault):
        """A fault stands in place of the answer."""
        facts = {}
        if opnum == wire.QUERY_VALUE:
            request = rrp.BaseRegQueryValue(stub)
            facts = {'value_name': request['lpValueName'].removesuffix('\0'), 'room': request['lpcbData']}
        handle = b'' if opnum == wire.OPEN_DATA else stub[:20]
        self.note(opnum, handle, None, fault=fault, **facts)

    def note(self, opnum, handle, error, **facts):
        self.calls.append({'n': len(self.calls) + 1, 'host': self.machine.host, 'opnum': opnum,
                           'handle': handle.hex(), 'error': error, **facts})
        return self.calls[-1]

    def query(self, handle, name, room):
        facts = {'value_name': name, 'room': room}
        if name.startswith('Counter'):
            data, kind = names(sorted(TITLES.items())), wire.REG_MULTI_SZ
        else:
            builder = self.block()
            data, kind = builder.data, wire.REG_BINARY
        if len(data) > room:
            self.note(wire.QUERY_VALUE, handle, wire.ERROR_MORE_DATA, **facts, type=wire.REG_BINARY, size=room,
                      data_length=None)
            return wire.query_response(wire.REG_BINARY, None, room, 0, wire.ERROR_MORE_DATA)
        call = self.note(wire.QUERY_VALUE, handle, 0, **facts, type=kind, size=len(data), data_length=len(data))
        if kind == wire.REG_MULTI_SZ:
            call['titles'] = [[index, text] for index, text in sorted(TITLES.items())]
        else:
            call['members'] = builder.members
            call['values'] = self.expectations.expect(name, builder)
        return wire.query_response(kind, data, len(data), len(data))

    def block(self):
        machine, counterset = self.machine, self.machine.countersets[PROCESSOR]
        instances = []
        for instance in counterset.instances:
            if instance.name in INSTANCES:
                values = [machine.value(counterset, instance, counterset.counter(number)) for number in COUNTERS.values()]
                instances.append(Instance(INSTANCES[instance.name], values))
        counters = [Counter(index, counterset.counter(number).type_name) for index, number in COUNTERS.items()]
        clock = machine.clock
        return Builder(machine.host, Clock(clock.ticks, clock.freq, clock.time100ns),
                       [Object(238, counters, instances, default_counter=0)])
