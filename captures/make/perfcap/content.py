# SPDX-License-Identifier: GPL-2.0-or-later
"""The countersets of the simulated machines.

Processor Information's GUIDs, ids and types are the public ones of Microsoft's samples; every set called
Contoso is made up for these captures and so are its GUIDs.
"""

import uuid

from .machine import Clock, Counter, CounterSet, Instance, Machine

PROCESSOR = uuid.UUID('b4fc721a-0378-476f-89ba-a5a79f810b36')
KERNEL_PROVIDER = uuid.UUID('383487a6-3676-4870-a4e7-d45b30c35629')
PROCESS = uuid.UUID('6d1f0a52-8c3e-4b7a-9f05-27c1d0e4b981')
ALL_TYPES = uuid.UUID('0f6c2b1d-5e48-4d90-a3b7-91c84e2fd706')
OTHER_TYPES = uuid.UUID('0f6c2b1d-5e48-4d90-a3b7-91c84e2fd707')
GLOBAL_AGGREGATE = uuid.UUID('a83d5c90-41f7-4e26-b6d8-5f0913c7ea24')
HISTORY = uuid.UUID('a83d5c90-41f7-4e26-b6d8-5f0913c7ea2c')
QUEUES = uuid.UUID('c27b9e04-6a15-4f83-8d52-e09f4471b3a6')
UNKNOWN_SET = uuid.UUID('deadbeef-0bad-4bad-8bad-00c0ffee0bad')
CONTOSO_PROVIDER = uuid.UUID('51f3a7c8-2d09-46be-97e1-8ac05b64d3f2')

BIG = uuid.UUID('e4b07d13-95c2-4a6f-8e21-3d7f60a9b5c8')

NO_DISPLAY = 0x2

# FILETIME of 2026-03-02 08:00:00 UTC; the machine was started 5 days before
START = 134169120000000000
UP = 5 * 86400 * 10_000_000 + 4_321_987


def processor():
    percent, inverse = 'PERF_100NSEC_TIMER', 'PERF_100NSEC_TIMER_INV'
    rate, bulk, raw, flags = ('PERF_COUNTER_COUNTER', 'PERF_COUNTER_BULK_COUNT', 'PERF_COUNTER_RAWCOUNT',
                              'PERF_COUNTER_RAWCOUNT_HEX')
    counters = [
        Counter(0, inverse, '% Processor Time', help='% Processor Time is the percentage of elapsed time that '
                'the processor spends to execute a non-Idle thread.'),
        Counter(1, percent, '% User Time'),
        Counter(2, percent, '% Privileged Time'),
        Counter(3, rate, 'Interrupts/sec', scale=-2),
        Counter(4, percent, '% DPC Time', detail=200),
        Counter(5, percent, '% Interrupt Time'),
        Counter(6, rate, 'DPCs Queued/sec', detail=200),
        Counter(7, raw, 'DPC Rate', detail=200),
        Counter(8, percent, '% Idle Time', detail=200),
        Counter(9, percent, '% C1 Time', detail=200),
        Counter(10, percent, '% C2 Time', detail=200),
        Counter(11, percent, '% C3 Time', detail=200),
        Counter(12, bulk, 'C1 Transitions/sec', detail=200),
        Counter(13, bulk, 'C2 Transitions/sec', detail=200),
        Counter(14, bulk, 'C3 Transitions/sec', detail=200),
        Counter(15, inverse, '% Priority Time', detail=200),
        Counter(16, raw, 'Parking Status', constant=0),
        Counter(17, raw, 'Processor Frequency', attrib=4, constant=2400),
        Counter(18, raw, '% of Maximum Frequency', constant=100),
        Counter(19, flags, 'Processor State Flags', attrib=0x10, constant=0),
        Counter(20, rate, 'Clock Interrupts/sec', scale=-2),
        Counter(21, 'PERF_PRECISION_100NS_TIMER', 'Average Idle Time', base=22, scale=-2),
        Counter(22, 'PERF_LARGE_RAW_BASE', None, attrib=NO_DISPLAY),
        Counter(23, rate, 'Idle Break Events/sec', scale=-2),
        Counter(24, 'PERF_AVERAGE_BULK', '% Processor Performance', base=25, detail=200, rate=625_000),
        Counter(25, 'PERF_AVERAGE_BASE', None, attrib=NO_DISPLAY, rate=625_000),
        Counter(26, 'PERF_AVERAGE_BULK', '% Processor Utility', base=27, rate=625_000),
        Counter(27, 'PERF_AVERAGE_BASE', None, attrib=NO_DISPLAY, rate=625_000),
        Counter(28, 'PERF_AVERAGE_BULK', '% Privileged Utility', base=27, rate=625_000),
        Counter(30, raw, '% Performance Limit', constant=100),
        Counter(31, flags, 'Performance Limit Flags', attrib=0x10, constant=0),
    ]
    return CounterSet(
        PROCESSOR, 'Processor Information', counters,
        [Instance(0, '0,0'), Instance(1, '0,1'), Instance(2, '0,_Total'), Instance(3, '_Total')],
        help='The Processor Information performance counter set consists of counters that measure aspects of '
             'processor activity.',
        provider_name='Microsoft-Windows-Kernel-Processor-Counters', provider_guid=KERNEL_PROVIDER)


def process():
    """Many instances whose names need care: quotes, separators, umlauts, surrogates, none at all."""
    counters = [
        Counter(1, 'PERF_100NSEC_TIMER', '% Processor Time'),
        Counter(2, 'PERF_COUNTER_LARGE_RAWCOUNT', 'Working Set', scale=-5),
        Counter(3, 'PERF_COUNTER_COUNTER', 'Page Faults/sec', scale=-1),
        Counter(4, 'PERF_COUNTER_RAWCOUNT', 'ID Process', attrib=4),
        Counter(5, 'PERF_ELAPSED_TIME', 'Elapsed Time', time=6, freq=7, scale=-4),
        Counter(6, 'PERF_COUNTER_LARGE_RAWCOUNT', None, attrib=NO_DISPLAY),
        Counter(7, 'PERF_COUNTER_LARGE_RAWCOUNT', None, attrib=NO_DISPLAY),
        Counter(8, 'PERF_COUNTER_BULK_COUNT', 'IO Read Bytes/sec', scale=-4),
        Counter(9, 'PERF_COUNTER_LARGE_RAWCOUNT', 'I/O (total) "peak"\\#1'),
    ]
    names = ['Idle', 'System', 'svchost', 'svchost#1', 'svchost#3', 'sql"serv,er\\prod(1)/x', 'Ärger-Größe',
             '計測機器', '𝔘𝔫𝔦-😀', 'half\ud83dpair', '', '_Total']
    return CounterSet(
        PROCESS, 'Contoso Worker', counters, [Instance(4 * number, name) for number, name in enumerate(names)],
        help='Processes of the Contoso worker pool.', provider_name='ContosoWorker.sys',
        provider_guid=CONTOSO_PROVIDER)


def all_types():
    """One counter of every type of [MS-PCQ] 2.2.4.2, with the counters they need."""
    counters = [
        Counter(1, 'PERF_COUNTER_COUNTER', 'Requests/sec'),
        Counter(2, 'PERF_COUNTER_TIMER', '% Busy (performance clock)'),
        Counter(3, 'PERF_COUNTER_QUEUELEN_TYPE', 'Queue Length'),
        Counter(4, 'PERF_COUNTER_LARGE_QUEUELEN_TYPE', 'Large Queue Length'),
        Counter(5, 'PERF_COUNTER_100NS_QUEUELEN_TYPE', '100ns Queue Length'),
        Counter(6, 'PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE', 'Object Queue Length', time=40, freq=41),
        Counter(7, 'PERF_COUNTER_BULK_COUNT', 'Bytes/sec', scale=-3),
        Counter(8, 'PERF_COUNTER_TEXT', 'State'),
        Counter(9, 'PERF_COUNTER_RAWCOUNT', 'Threads', attrib=8, aggregate=1),
        Counter(10, 'PERF_COUNTER_LARGE_RAWCOUNT', 'Bytes Held', scale=-10, attrib=1),
        Counter(11, 'PERF_COUNTER_RAWCOUNT_HEX', 'Flags', attrib=0x10),
        Counter(12, 'PERF_COUNTER_LARGE_RAWCOUNT_HEX', 'Address', attrib=0x11),
        Counter(13, 'PERF_SAMPLE_FRACTION', '% Hits', base=14),
        Counter(14, 'PERF_SAMPLE_BASE', None, attrib=NO_DISPLAY),
        Counter(15, 'PERF_SAMPLE_COUNTER', 'Samples'),
        Counter(16, 'PERF_COUNTER_TIMER_INV', '% Busy (by idle time)'),
        Counter(17, 'PERF_ELAPSED_TIME', 'Up Time', time=40, freq=41),
        Counter(18, 'PERF_AVERAGE_TIMER', 'Avg. Time per Request', base=19, scale=3),
        Counter(19, 'PERF_AVERAGE_BASE', None, attrib=NO_DISPLAY),
        Counter(20, 'PERF_AVERAGE_BULK', 'Avg. Bytes per Request', base=21),
        Counter(21, 'PERF_AVERAGE_BASE', None, attrib=NO_DISPLAY),
        Counter(22, 'PERF_OBJ_TIME_TIMER', '% Busy (object clock)', time=40, freq=41),
        Counter(23, 'PERF_PRECISION_100NS_TIMER', '% Busy (precise, 100 ns)', base=24),
        Counter(24, 'PERF_LARGE_RAW_BASE', None, attrib=NO_DISPLAY),
        Counter(25, 'PERF_PRECISION_SYSTEM_TIMER', '% Busy (precise, system)', base=26),
        Counter(26, 'PERF_LARGE_RAW_BASE', None, attrib=NO_DISPLAY),
        Counter(27, 'PERF_PRECISION_OBJECT_TIMER', '% Busy (precise, object)', time=40, freq=41),
        Counter(28, 'PERF_100NSEC_TIMER', '% Busy (100 ns)'),
        Counter(29, 'PERF_100NSEC_TIMER_INV', '% Busy (100 ns, by idle time)'),
        Counter(30, 'PERF_COUNTER_MULTI_TIMER', '% Busy of Disks', multi=42),
        Counter(31, 'PERF_COUNTER_MULTI_TIMER_INV', '% Busy of Disks (by idle time)', multi=42),
        Counter(32, 'PERF_100NSEC_MULTI_TIMER', '% Busy of Disks (100 ns)', multi=42),
        Counter(33, 'PERF_100NSEC_MULTI_TIMER_INV', '% Busy of Disks (100 ns, by idle time)', multi=42),
        Counter(34, 'PERF_RAW_FRACTION', '% Full', base=35),
        Counter(35, 'PERF_RAW_BASE', None, attrib=NO_DISPLAY),
        Counter(36, 'PERF_LARGE_RAW_FRACTION', '% Disk Full', base=37, scale=10),
        Counter(37, 'PERF_LARGE_RAW_BASE', None, attrib=NO_DISPLAY),
        Counter(40, 'PERF_COUNTER_LARGE_RAWCOUNT', 'Object Clock', detail=200),
        Counter(41, 'PERF_COUNTER_LARGE_RAWCOUNT', 'Object Clock Frequency', detail=200),
        Counter(42, 'PERF_COUNTER_RAWCOUNT', 'Disks'),
    ]
    for counter in counters:
        if counter.name:
            counter.help = f'{counter.name}: an example of {counter.type_name}, counted by the Contoso service ' \
                           'and shown as a performance monitor shows it. ' + 'Beschreibung über mehrere Fragmente. '
    return CounterSet(
        ALL_TYPES, 'Contoso All Types', counters, [Instance(0)], instance_type=0, detail=200,
        help='One counter of every type, единственный экземпляр.', provider_name='Contoso Ω',
        provider_guid=CONTOSO_PROVIDER)


def other_types():
    """Types of winperf.h that [MS-PCQ] does not list."""
    counters = [
        Counter(1, 'PERF_COUNTER_DELTA', 'Difference'),
        Counter(2, 'PERF_COUNTER_LARGE_DELTA', 'Large Difference'),
        Counter(3, 'PERF_COUNTER_MULTI_BASE', 'Multi Base'),
        Counter(4, 'PERF_COUNTER_NODATA', 'No Data'),
        Counter(5, 'PERF_COUNTER_HISTOGRAM_TYPE', 'Histogram'),
    ]
    return CounterSet(OTHER_TYPES, 'Contoso Other Types', counters, [Instance(0)], instance_type=0,
                      provider_name='Contoso Ω', provider_guid=CONTOSO_PROVIDER, has_counter_help=False)


def aggregates():
    """Global aggregate and global aggregate with history, every aggregate function; the second has no instance."""
    functions = ['Undefined', 'Sum', 'Average', 'Smallest', 'Largest']
    counters = [Counter(number, 'PERF_COUNTER_RAWCOUNT', f'{name} of Sessions', aggregate=number,
                        names={0x407: f'Sitzungen: {german}', 0x411: f'セッション {number}'})
                for number, (name, german) in enumerate(zip(functions, ('undefiniert', 'Summe', 'Mittel',
                                                                         'kleinster Wert', 'größter Wert')))]
    history = [Counter(1, 'PERF_COUNTER_LARGE_RAWCOUNT', 'Peak', aggregate=4)]
    return [
        CounterSet(GLOBAL_AGGREGATE, 'Contoso Sessions', counters,
                   [Instance(1, 'Zürich'), Instance(2, 'Köln'), Instance(3, '東京')], instance_type=4,
                   help='Sessions by site.', has_counter_help=False, provider_name='Contoso Ω',
                   provider_guid=CONTOSO_PROVIDER,
                   names={0x407: 'Contoso-Sitzungen (Übersicht)', 0x411: 'Contoso セッション'}),
        CounterSet(HISTORY, 'Contoso Peaks', history, [], instance_type=0xC, provider_name='Contoso Ω',
                   provider_guid=CONTOSO_PROVIDER),
    ]


def windows_machine(host='WIN-PERF01', other=True):
    countersets = [processor(), process(), all_types()] + ([other_types()] if other else []) + aggregates()
    machine = Machine(host, countersets, Clock(START, UP), languages=(0x409, 0x407, 0x411))
    # A pair somebody measured on Windows 11: % Processor Utility 77.42
    machine.set_value(PROCESSOR, '_Total', 26, 3257081670366)
    machine.set_value(PROCESSOR, '_Total', 27, 1446119387)
    return machine


def big(count):
    """count instances of 20 counters."""
    kinds = ('PERF_COUNTER_RAWCOUNT', 'PERF_COUNTER_LARGE_RAWCOUNT', 'PERF_COUNTER_COUNTER',
             'PERF_COUNTER_BULK_COUNT', 'PERF_100NSEC_TIMER')
    counters, rule = [], {}
    for number in range(1, 21):
        kind = kinds[number % 5]
        counters.append(Counter(number, kind, f'Measure {number} of a Worker'))
        bits = 8 * counters[-1].value_size
        rule[number] = {'start': (1 << (bits - 1)) - 40_000 + 1_009 * number, 'spread': 131 * number,
                        'rate': 1_700 * number + 5, 'drift': number % 7, 'bits': bits}
    return CounterSet(BIG, 'Contoso Many Workers', counters,
                      [Instance(number, f'w{number:04}') for number in range(count)], rule=rule,
                      provider_name='ContosoWorker.sys', provider_guid=CONTOSO_PROVIDER)


def big_machine(count=2000):
    return Machine('WIN-PERF01', [big(count)], Clock(START, UP))


def other_server(host, prefix):
    """The GUIDs of the first server with other names: what one server teaches must not name another's."""
    def machine():
        made = windows_machine(host)
        for counterset in made.countersets.values():
            counterset.name = prefix + counterset.name
            for counter in counterset.counters:
                if counter.name:
                    counter.name = prefix + counter.name
        return made
    return machine


def translated_machine():
    """Processor Information with German and Japanese names."""
    german = {0: 'Prozessorzeit (%)', 1: 'Benutzerzeit (%)', 2: 'Privilegierte Zeit (%)', 3: 'Interrupts/s',
              8: 'Leerlaufzeit (%)', 26: 'Prozessorauslastung (%)'}
    japanese = {0: 'プロセッサ時間 (%)', 1: 'ユーザー時間 (%)', 2: '特権時間 (%)', 3: '割り込み/秒', 8: 'アイドル時間 (%)',
                26: 'プロセッサ使用率 (%)'}
    counterset = processor()
    counterset.names = {0x407: 'Prozessorinformationen', 0x411: 'プロセッサ情報'}
    for counter in counterset.counters:
        for lcid, names in ((0x407, german), (0x411, japanese)):
            if counter.id in names:
                counter.names[lcid] = names[counter.id]
    return Machine('WIN-PERF01', [counterset], Clock(START, UP), default_lcid=0x407,
                   languages=(0x407, 0x409, 0x411))
