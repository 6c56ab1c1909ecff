# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine with performance counters: countersets, instances, and values that move with a simulated clock.

Nothing here reads the real clock or a random source: the same steps give the same values.
"""

import uuid
from dataclasses import dataclass, field

from . import rules
from .countertypes import BASE_TYPES, TYPES, value_size

SECOND = 10_000_000             # 100 ns units


@dataclass
class Counter:
    id: int
    type_name: str
    name: str = None            # the English name; None: the counter has no string
    base: int = None
    time: int = None
    freq: int = None
    multi: int = None
    attrib: int = 0
    detail: int = 100
    scale: int = 0
    aggregate: int = 0
    help: str = None
    constant: int = None        # the value never moves
    rate: int = None            # a base counter's steps per second; an average moves by a share of them
    names: dict = field(default_factory=dict)       # LCID -> localized name

    @property
    def type(self):
        return TYPES[self.type_name]

    @property
    def value_size(self):
        return value_size(self.type)


@dataclass(frozen=True)
class Instance:
    id: int
    name: str = ''


@dataclass
class CounterSet:
    guid: uuid.UUID
    name: str
    counters: list
    instances: list             # of Instance; a single-instance counterset has one without a name
    instance_type: int = 2
    detail: int = 100
    help: str = None
    has_counter_help: bool = True
    provider_name: str = 'Contoso Provider'
    provider_guid: uuid.UUID = uuid.UUID(int=0)
    names: dict = field(default_factory=dict)       # LCID -> localized name
    rule: dict = None           # values by rules.value() instead of simulation

    @property
    def single(self):
        return self.instance_type == 0

    def counter(self, counter_id):
        return next((counter for counter in self.counters if counter.id == counter_id), None)


@dataclass
class Clock:
    """PerfTimeStamp counts at freq from boot; PerfTime100NSec is the time of day (FILETIME)."""
    time100ns: int
    ticks: int
    freq: int = 10_000_000

    def advance(self, elapsed100ns):
        self.time100ns += elapsed100ns
        self.ticks += elapsed100ns * self.freq // SECOND


OBJECT_FREQ = 1_000_000         # PerfFreqId counters say so


class Machine:
    def __init__(self, host, countersets, clock, default_lcid=0x409, languages=(0x409,)):
        self.host = host
        self.countersets = {counterset.guid: counterset for counterset in countersets}
        self.clock = clock
        self.default_lcid = default_lcid
        self.languages = languages
        self.boot = clock.time100ns
        self.step = 0
        self.values = {}        # (guid, instance, counter id) -> value
        for counterset in countersets:
            for instance in counterset.instances if counterset.rule is None else ():
                self._start(counterset, instance)

    # -- what a simulation step does to each type ------------------------------------------------

    @staticmethod
    def _seed(instance, counter, step):
        """A small number that tells counters, instances and steps apart."""
        return counter.id * 7 + instance.id * 13 + len(instance.name) * 3 + step * 31

    def _role(self, counterset, counter):
        """What else a counter is for: 'time', 'freq', 'multi', or None."""
        for other in counterset.counters:
            for role in ('time', 'freq', 'multi'):
                if getattr(other, role) == counter.id:
                    return role
        return None

    def _start(self, counterset, instance):
        for counter in counterset.counters:
            key = (counterset.guid, instance, counter.id)
            seed = self._seed(instance, counter, 0)
            role = self._role(counterset, counter)
            name = counter.type_name
            if counter.constant is not None:
                value = counter.constant
            elif role == 'time':
                value = 5_000_000
            elif role == 'freq':
                value = OBJECT_FREQ
            elif role == 'multi':
                value = 4
            elif name == 'PERF_COUNTER_TEXT':
                value = 'starting'
            elif name == 'PERF_ELAPSED_TIME':
                value = 1_250_000
            elif name == 'PERF_COUNTER_NODATA':
                value = 0
            elif name == 'PERF_RAW_BASE':
                value = 80
            elif name == 'PERF_LARGE_RAW_BASE':
                value = 1 << 33
            elif name == 'PERF_COUNTER_MULTI_BASE':
                value = 4
            elif counter.value_size == 8:
                value = (1 << 33) + seed * 1_000_003
            else:
                value = 1000 + seed * 101
            self.values[key] = value
        self._move(counterset, instance, 0)

    def _move(self, counterset, instance, elapsed):
        ticks = elapsed * self.clock.freq // SECOND
        for counter in counterset.counters:
            key = (counterset.guid, instance, counter.id)
            seed = self._seed(instance, counter, self.step)
            share = (seed % 97) + 1                     # percent
            role = self._role(counterset, counter)
            name = counter.type_name
            value = self.values[key]
            if counter.constant is not None:
                pass
            elif counter.rate is not None:
                steps = elapsed * counter.rate // SECOND
                value += steps * share + seed if name == 'PERF_AVERAGE_BULK' and elapsed else steps
            elif role == 'time':
                value += elapsed * OBJECT_FREQ // SECOND
            elif role in ('freq', 'multi') or name in ('PERF_RAW_BASE', 'PERF_COUNTER_MULTI_BASE',
                                                       'PERF_ELAPSED_TIME', 'PERF_COUNTER_NODATA'):
                pass
            elif name == 'PERF_COUNTER_TEXT':
                if elapsed:
                    value = f'state {self.step}: läuft 😀'[:12 + self.step]
            elif name in ('PERF_COUNTER_RAWCOUNT', 'PERF_COUNTER_LARGE_RAWCOUNT'):
                value = seed % 500 + (value >> 20 << 20)
            elif name == 'PERF_COUNTER_RAWCOUNT_HEX':
                value = 0xC0DE0000 + seed
            elif name == 'PERF_COUNTER_LARGE_RAWCOUNT_HEX':
                value = 0x8000000000000000 + (seed << 32) + 0xBEEF
            elif name == 'PERF_COUNTER_HISTOGRAM_TYPE':
                value = seed
            elif name == 'PERF_RAW_FRACTION':
                value = seed % 81
            elif name == 'PERF_LARGE_RAW_FRACTION':
                value = (1 << 33) * (seed % 101) // 100
            elif name == 'PERF_LARGE_RAW_BASE':
                if self._timestamp_role(counterset, counter) == 'ticks':
                    value = self.clock.ticks
                elif self._timestamp_role(counterset, counter) == '100ns':
                    value = self.clock.time100ns
            elif name in ('PERF_OBJ_TIME_TIMER', 'PERF_PRECISION_OBJECT_TIMER',
                          'PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE'):
                value += elapsed * OBJECT_FREQ // SECOND * share // 100
            elif name in ('PERF_COUNTER_TIMER', 'PERF_COUNTER_TIMER_INV', 'PERF_PRECISION_SYSTEM_TIMER'):
                value += ticks * share // 100
            elif name in ('PERF_COUNTER_MULTI_TIMER', 'PERF_COUNTER_MULTI_TIMER_INV'):
                value += ticks * share // 33
            elif name in ('PERF_100NSEC_MULTI_TIMER', 'PERF_100NSEC_MULTI_TIMER_INV'):
                value += elapsed * share // 33
            elif name in ('PERF_COUNTER_QUEUELEN_TYPE', 'PERF_COUNTER_LARGE_QUEUELEN_TYPE'):
                value += ticks * share // 40
            elif name == 'PERF_COUNTER_100NS_QUEUELEN_TYPE':
                value += elapsed * share // 40
            elif name in ('PERF_100NSEC_TIMER', 'PERF_100NSEC_TIMER_INV', 'PERF_PRECISION_100NS_TIMER'):
                value += elapsed * share // 100
            elif name == 'PERF_AVERAGE_TIMER':
                value += ticks * share // 250
            elif name in BASE_TYPES:
                value += 5 + seed % 40 if elapsed else 0
            elif name == 'PERF_SAMPLE_FRACTION':
                value += 1 + seed % 5 if elapsed else 0
            elif name == 'PERF_AVERAGE_BULK':
                value += 4096 * share if elapsed else 0
            else:                                       # rates and differences
                value += elapsed * share * 17 // SECOND
            if not isinstance(value, str):
                size = counter.value_size or 0
                value %= 1 << (8 * size) if size else 1
            self.values[key] = value

    def _timestamp_role(self, counterset, counter):
        """A PERF_LARGE_RAW_BASE doubles as PERF_PRECISION_TIMESTAMP: which clock it shows, if one."""
        for other in counterset.counters:
            if other.base == counter.id:
                if other.type_name == 'PERF_PRECISION_SYSTEM_TIMER':
                    return 'ticks'
                if other.type_name == 'PERF_PRECISION_100NS_TIMER':
                    return '100ns'
                if other.type_name == 'PERF_PRECISION_OBJECT_TIMER':
                    return 'ticks'
        return None

    # -- what scenarios do -----------------------------------------------------------------------

    def advance(self, elapsed100ns):
        self.step += 1
        self.clock.advance(elapsed100ns)
        for counterset in self.countersets.values():
            if counterset.rule is None:
                for instance in counterset.instances:
                    self._move(counterset, instance, elapsed100ns)

    def set_value(self, guid, instance_name, counter_id, value):
        counterset = self.countersets[guid]
        for instance in counterset.instances:
            if instance.name == instance_name:
                self.values[(guid, instance, counter_id)] = value

    def turn_clock(self, by100ns):
        """Both clocks jump (backwards when negative); no counter moves."""
        self.clock.advance(by100ns)

    def add_instance(self, guid, instance_id, name):
        counterset = self.countersets[guid]
        instance = Instance(instance_id, name)
        counterset.instances.append(instance)
        self._start(counterset, instance)

    def remove_instance(self, guid, instance_id, name):
        self.countersets[guid].instances.remove(Instance(instance_id, name))

    def value(self, counterset, instance, counter):
        if counterset.rule is not None:
            return rules.value(counterset.rule[counter.id], instance.id, self.step)
        return self.values[(counterset.guid, instance, counter.id)]

    def counterset_name(self, counterset, lcid):
        return self._localized(counterset, lcid)

    def counter_name(self, counter, lcid):
        return self._localized(counter, lcid)

    def _localized(self, thing, lcid):
        return thing.names.get(lcid or self.default_lcid, thing.name)
