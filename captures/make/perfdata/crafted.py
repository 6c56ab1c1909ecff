# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of performance data no server at hand can be made to send: what Windows' own answers look like.

Content: a small Windows machine whose counters move by plan, asked by one client.
"""

from dataclasses import replace

from perfcap.cooking import NotComputable, cook
from perfcap.countertypes import BASE_TYPES, TYPES

from . import wire
from .block import (METADATA_MULTIPLE, METADATA_SINGLE, Builder, Clock, Counter, Instance, Object, names)

CLIENT, SERVER, OTHER_SERVER = "192.0.2.10", "192.0.2.20", "192.0.2.30"
PORT = 49700
HOST = "WIN-PERF01"
FREQ = 10000000
START_100NS = 134169264000000000        # 2026-03-02 12:00:00 UTC
START_TICKS = 7000000000000

SYSTEM, MEMORY, PROCESS, THREAD, PHYSICAL_DISK, LOGICAL_DISK, PROCESSOR = 2, 4, 230, 232, 234, 236, 238
ALL_TYPES, OEM_NAMES, NONE_NOW, UNIQUE, OVERLAPPING = 5000, 5200, 5202, 5204, 5206

# Title index -> name. Those of Windows up to 1847, own ones above, as services add them.
ENGLISH = {
    1: "1847", 2: "System", 4: "Memory", 6: "% Processor Time", 24: "Available Bytes", 142: "% User Time", 144: "% Privileged Time",
    200: "% Disk Time", 230: "Process", 232: "Thread", 234: "PhysicalDisk", 236: "LogicalDisk", 238: "Processor", 250: "Threads",
    674: "System Up Time", 784: "ID Process", 804: "ID Thread", 1350: "% Registry Quota In Use", 1400: "Avg. Disk Queue Length",
    ALL_TYPES: "All, \"Types\"", OEM_NAMES: "Old Names", NONE_NOW: "None Now", UNIQUE: "Unique", OVERLAPPING: "Overlapping",
    5208: "Raw (twice)", 5210: "Raw/again",
}
# Below 1848 an index has the same name on every Windows: a reader may know it without being told.
BUILT_IN = {index: name for index, name in ENGLISH.items() if 1 < index < 1848} | {
    148: "Interrupts/sec", 684: "Elapsed Time", 696: "% DPC Time", 698: "% Interrupt Time", 952: "Handle Count",
    1334: "DPCs Queued/sec", 1336: "DPC Rate", 1338: "DPC Bypasses/sec", 1340: "APC Bypasses/sec", 1420: "IO Read Bytes/sec",
    1746: "% Idle Time",
}
GERMAN = {1: "1847", 2: "System", 4: "Speicher", 6: "Prozessorzeit (%)", 230: "Vorgang", 238: "Prozessor", ALL_TYPES: "Typen"}
HELP = {3: "The System performance object.", 7: "% Processor Time is the time the processor spends on threads that are not idle.",
        239: "The Processor performance object. \U0001F5A5"}
# The other server's own indexes mean other things.
OTHER = {1: "1847", 2: "System", 238: "Processor", ALL_TYPES: "Queue Service", 5002: "Messages/sec"}

# Every type of winperf.h in one object, each with its base where it has one. (type, base, 5 polls of value, of base)
TYPE_PLAN = [
    ("PERF_COUNTER_COUNTER", None, [100, 350, 4294967290, 10, 5000], None),
    ("PERF_COUNTER_TIMER", None, [0, 2500000, 7500000, 7500000, 17500000], None),
    ("PERF_COUNTER_QUEUELEN_TYPE", None, [10, 20000010, 50000010, 60000010, 61000010], None),
    ("PERF_COUNTER_LARGE_QUEUELEN_TYPE", None, [1 << 40, (1 << 40) + 12345678, (1 << 40) + 22345678, (1 << 40) + 30000000, 1 << 41], None),
    ("PERF_COUNTER_100NS_QUEUELEN_TYPE", None, [5, 10000005, 15000005, 15000006, 25000006], None),
    ("PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", None, [0, 1500, 2500, 2500, 4000], None),
    ("PERF_COUNTER_BULK_COUNT", None, [1 << 50, (1 << 50) + 77777, (1 << 50) + 99999, (1 << 50) + 99999, (1 << 50) + 5], None),
    ("PERF_COUNTER_RAWCOUNT", None, [4294967295, 0, 17, 18, 19], None),
    ("PERF_COUNTER_LARGE_RAWCOUNT", None, [18446744073709551615, 9007199254740993, 3, 4, 5], None),
    ("PERF_COUNTER_RAWCOUNT_HEX", None, [0xDEADBEEF, 1, 2, 3, 4], None),
    ("PERF_COUNTER_LARGE_RAWCOUNT_HEX", None, [0xDEADBEEFCAFE, 1, 2, 3, 4], None),
    ("PERF_SAMPLE_FRACTION", "PERF_SAMPLE_BASE", [10, 15, 22, 22, 30], [100, 120, 150, 150, 190]),
    ("PERF_SAMPLE_COUNTER", "PERF_SAMPLE_BASE", [10, 60, 160, 160, 190], [100, 120, 150, 150, 190]),
    ("PERF_COUNTER_TIMER_INV", None, [0, 2500000, 7500000, 7500000, 30000000], None),
    ("PERF_ELAPSED_TIME", None, [1000, 1000, 1000, 999000, 1000], None),
    ("PERF_AVERAGE_TIMER", "PERF_AVERAGE_BASE", [1000000, 3000000, 3500000, 3500000, 9000000], [10, 14, 15, 15, 4294967295]),
    ("PERF_AVERAGE_BULK", "PERF_AVERAGE_BASE", [3257081670366, 3257130132376, 3257130132376, 3257130132377, 3257130132400],
     [1446119387, 1446745353, 1446745353, 1446745354, 1446745355]),
    ("PERF_OBJ_TIME_TIMER", None, [0, 250, 1250, 1250, 2000], None),
    ("PERF_PRECISION_100NS_TIMER", "PERF_LARGE_RAW_BASE", [0, 7500000, 9000000, 9000000, 9500000], [0, 10000000, 20000000, 20000000, 30000000]),
    ("PERF_PRECISION_SYSTEM_TIMER", "PERF_LARGE_RAW_BASE", [0, 6000000, 9000000, 9000000, 9500000], [0, 10000000, 20000000, 20000000, 10]),
    ("PERF_PRECISION_OBJECT_TIMER", "PERF_LARGE_RAW_BASE", [0, 5000000, 9000000, 9000000, 9500000], [0, 10000000, 20000000, 20000000, 30000000]),
    ("PERF_100NSEC_TIMER", None, [0, 5000000, 20000000, 30000000, 31000000], None),
    ("PERF_100NSEC_TIMER_INV", None, [0, 5000000, 20000000, 30000000, 31000000], None),
    ("PERF_COUNTER_MULTI_TIMER", "PERF_COUNTER_MULTI_BASE", [0, 30000000, 50000000, 60000000, 60000001], [4, 4, 4, 4, 0]),
    ("PERF_COUNTER_MULTI_TIMER_INV", "PERF_COUNTER_MULTI_BASE", [0, 30000000, 50000000, 60000000, 60000001], [4, 4, 4, 4, 4]),
    ("PERF_100NSEC_MULTI_TIMER", "PERF_COUNTER_MULTI_BASE", [0, 30000000, 50000000, 60000000, 60000001], [2, 2, 2, 2, 2]),
    ("PERF_100NSEC_MULTI_TIMER_INV", None, [0, 30000000, 50000000, 60000000, 60000001], None),
    ("PERF_RAW_FRACTION", "PERF_RAW_BASE", [25, 50, 0, 3, 1], [100, 200, 0, 9, 3]),
    ("PERF_LARGE_RAW_FRACTION", "PERF_LARGE_RAW_BASE", [1 << 60, 3, 5, 7, 9], [1 << 61, 4, 5, 8, 10]),
    ("PERF_COUNTER_DELTA", None, [5, 9, 4294967290, 4, 4], None),
    ("PERF_COUNTER_LARGE_DELTA", None, [5, 1 << 40, (1 << 40) + 1, 0, 9], None),
    ("PERF_COUNTER_HISTOGRAM_TYPE", None, [1, 2, 3, 4, 5], None),
]
# Seconds between the five polls; the fourth comes at the time of the third.
TIMES = [0, 1, 3, 3, 4]
OBJECT_TIMES = [10000, 11000, 13000, 13000, 14000]


def clock(seconds):
    return Clock(START_TICKS + int(seconds * FREQ), FREQ, START_100NS + int(seconds * 10000000))


def all_types(poll):
    counters, values, multi = [], [], {}
    for i, (kind, base, numbers, base_numbers) in enumerate(TYPE_PLAN):
        counters.append(Counter(ALL_TYPES + 2 + 2 * i, kind))
        if "MULTI" in kind:
            multi[len(values)] = base_numbers[poll] if base_numbers else 3
        values.append(numbers[poll])
        if base is not None:
            # A base has no name of its own; Learn says so, and some providers give it one.
            counters.append(Counter(0, base))
            values.append(base_numbers[poll])
    counters += [Counter(ALL_TYPES + 100, "PERF_COUNTER_TEXT", size=24), Counter(ALL_TYPES + 102, "PERF_COUNTER_TEXT", size=8, ascii=True),
                 Counter(ALL_TYPES + 104, "PERF_COUNTER_NODATA", size=0)]
    values += [f"Zustand {poll} \u2713", "ready", None]
    return Object(ALL_TYPES, counters, Instance("", values, multi=multi), OBJECT_TIMES[poll], 1000, detail=400)


def processes(poll):
    """Names and start values; from poll 2 on the first svchost is gone, a notepad comes."""
    listed = [("Idle", 0), ("System", 4), ("svchost", 800), ("svchost", 912), ("_Total", 0)]
    if poll >= 2:
        listed = [("Idle", 0), ("System", 4), ("svchost", 912), ("notepad", 4242), ("_Total", 0)]
    if poll == 4:
        listed.insert(2, ("svchost", 800))
    return listed


def machine(poll, packing=8):
    seconds = TIMES[poll]
    process = Object(PROCESS, [Counter(6, "PERF_100NSEC_TIMER", scale=0), Counter(784, "PERF_COUNTER_LARGE_RAWCOUNT", scale=-1)],
                     [Instance(name, [pid * 1000 + int(seconds * 10000) * (i + 1), pid])
                      for i, (name, pid) in enumerate(processes(poll))], packing=packing)
    threads = [Instance(str(n), [poll * 1000 * (n + 1), 100 + n + 10 * p], parent=(PROCESS, p)) for p in (0, 2, 3) for n in range(2)]
    thread = Object(THREAD, [Counter(144, "PERF_100NSEC_TIMER", detail=300), Counter(804, "PERF_COUNTER_RAWCOUNT")], threads, packing=packing)
    processor = Object(PROCESSOR, [Counter(6, "PERF_100NSEC_TIMER_INV"), Counter(142, "PERF_100NSEC_TIMER")],
                       [Instance(name, [int(seconds * 9000000) + 100 * i, int(seconds * 1000000)]) for i, name in enumerate(("0", "1", "_Total"))],
                       packing=packing, default_counter=0)
    disk = Object(PHYSICAL_DISK, [Counter(200, "PERF_PRECISION_100NS_TIMER"), Counter(0, "PERF_LARGE_RAW_BASE", help_index=0),
                                  Counter(1400, "PERF_COUNTER_100NS_QUEUELEN_TYPE", scale=2)],
                  [Instance("0 C:", [int(seconds * 2500000), int(seconds * 10000000), int(seconds * 20000000)])])
    # LogicalDisk stands before its parents: the order of objects is the server's.
    logical = Object(LOGICAL_DISK, [Counter(200, "PERF_PRECISION_100NS_TIMER"), Counter(0, "PERF_LARGE_RAW_BASE")],
                     [Instance("C:", [int(seconds * 1250000), int(seconds * 10000000)], parent=(PHYSICAL_DISK, 0)),
                      Instance("D:", [0, int(seconds * 10000000)], parent=(PHYSICAL_DISK, 7))])
    memory = Object(MEMORY, [Counter(24, "PERF_COUNTER_LARGE_RAWCOUNT", scale=-5)], Instance("", [(1 << 33) - 4096 * poll]))
    system = Object(SYSTEM, [Counter(250, "PERF_COUNTER_RAWCOUNT"), Counter(674, "PERF_ELAPSED_TIME", scale=-5),
                             Counter(1350, "PERF_RAW_FRACTION"), Counter(0, "PERF_RAW_BASE")],
                    Instance("", [1000 + poll, START_100NS - 36000000000, 7, 200]), START_100NS + int(seconds * 10000000), 10000000)
    old = Object(OEM_NAMES, [Counter(5208, "PERF_COUNTER_RAWCOUNT")], [Instance("Größe", [1]), Instance("naïve", [2])], code_page=1252)
    none = Object(NONE_NOW, [Counter(5208, "PERF_COUNTER_RAWCOUNT")], [])
    # The name of 7 changes, its unique id does not.
    unique = Object(UNIQUE, [Counter(5208, "PERF_COUNTER_COUNTER")],
                    [Instance("" if poll % 2 else "seven", [700 + 50 * poll], unique_id=7), Instance("", [800 + 20 * poll], unique_id=8)])
    overlapping = Object(OVERLAPPING, [Counter(5210, "PERF_COUNTER_LARGE_RAWCOUNT", offset=4), Counter(5208, "PERF_COUNTER_RAWCOUNT", offset=8),
                                       Counter(250, "PERF_COUNTER_RAWCOUNT", size=8, offset=13)],
                         Instance("", [0x0000000500000006, 5, 77]))
    return [system, memory, logical, process, thread, processor, disk, old, none, unique, overlapping, all_types(poll)]


class Server:
    """What one server said: names, and the samples of each series, for what a decoder should make of them."""

    def __init__(self, host, titles):
        self.host, self.titles, self.series = host, titles, {}

    def title(self, index):
        return self.titles.get(index) or BUILT_IN.get(index, str(index))

    def instance_names(self, objects, obj):
        """parent/name#n of each instance, None for an object without instances."""
        if not isinstance(obj.instances, list):
            return None
        seen, result = {}, []
        for instance in obj.instances:
            name = own_name(instance)
            index, position = instance.parent
            parent = next((o for o in objects if o.index == index and isinstance(o.instances, list)), None)
            if parent is not None and position < len(parent.instances):
                name = f"{own_name(parent.instances[position])}/{name}"
            n = seen[name] = seen.get(name, -1) + 1
            result.append(f"{name}#{n}" if n else name)
        return result

    def expect(self, name, builder, remember=True):
        """What each value of a poll is and comes to. remember: the poll is a sample that the next one is compared with."""
        history = self.series.setdefault(name.lower(), {}) if remember else {}
        objects_before = {key[0] for key in history}
        expected, current = [], {}
        for entry in builder.values:
            obj, i, c = entry["object"], entry["instance"], entry["counter"]
            counter = obj.counters[c]
            instances = self.instance_names(builder.objects, obj)
            result = {"object": obj.index, "instance": instances[i] if instances else None, "counter": counter.index, "type": counter.type}
            if counter.index:
                where = f"({instances[i]})" if instances else ""
                result["path"] = f"\\\\{self.host}\\{self.title(obj.index)}{where}\\{self.title(counter.index)}"
            if "value" in entry:
                result["raw"] = entry["value"]
            if "text" in entry:
                result["text"] = entry["text"]
            letters = self.letters(builder, entry)
            identity = obj.instances[i] if instances else None
            row = identity and (f"id {identity.unique_id}" if identity.unique_id != -1 else instances[i])
            key = (obj.index, row, counter.index, c if not counter.index else 0)
            before = history.get(key)
            kind = counter.type
            try:
                if self.is_other(history, obj, i, row) and self.needs_two(kind, letters) and before is not None:
                    raise NotComputable("other process")
                cooked = cook(kind, letters, before, "instance new" if obj.index in objects_before else "first sample")
                result["cooked"] = {k: cooked[k] for k in ("exact", "value", "unit_label", "formula")}
            except NotComputable as reason:
                result["reason"] = "not displayed" if kind == "PERF_COUNTER_NODATA" else str(reason)
            current[key] = letters
            expected.append(result)
        history.clear()
        history.update(current)
        return expected

    @staticmethod
    def is_other(history, obj, i, row):
        """Whether ID Process or ID Thread of the instance is another one than before."""
        for c, counter in enumerate(obj.counters if row else []):
            before = history.get((obj.index, row, counter.index, 0))
            if counter.index in (784, 804) and before is not None and before["N"] != obj.instances[i].values[c]:
                return True
        return False

    @staticmethod
    def needs_two(kind, letters):
        """Whether a value of this type is compared with an earlier one."""
        try:
            cook(kind, letters, None, "first sample")
        except NotComputable as reason:
            return str(reason) == "first sample"
        return False

    @staticmethod
    def letters(builder, entry):
        obj, c = entry["object"], entry["counter"]
        letters = {"T": builder.clock.perf_time, "F": builder.clock.perf_freq, "X": builder.clock.time_100ns,
                   "O": obj.perf_time, "FO": obj.perf_freq, "N": entry.get("value", 0)}
        if c + 1 < len(obj.counters) and obj.counters[c + 1].type in BASE_TYPES:
            base = next(v for v in builder.values
                        if v["object"] is obj and v["instance"] == entry["instance"] and v["counter"] == c + 1)
            letters["B"], letters["B_size"] = base["value"], obj.counters[c + 1].bytes()
            letters["M"] = base["value"]
        elif "multi" in entry:
            letters["M"] = entry["multi"]
        return letters


def own_name(instance):
    return instance.name or (str(instance.unique_id) if instance.unique_id != -1 else "")


class Session:
    """A connection and the record of its calls."""

    def __init__(self, capture, server, address=SERVER, port=PORT, client_port=50000, calls=None):
        self.connection = wire.Connection(capture, (CLIENT, client_port), (address, port))
        self.capture, self.server = capture, server
        self.calls = [] if calls is None else calls
        self.order = "<"

    def note(self, **facts):
        self.calls.append({"n": len(self.calls) + 1, "host": self.server.host, **facts})
        return self.calls[-1]

    def open(self, opnum, handle):
        self.connection.call(opnum, wire.open_request(), wire.open_response(handle))
        self.note(opnum=opnum, handle=handle.hex(), error=0)

    def close(self, handle):
        self.connection.call(wire.CLOSE_KEY, wire.close_request(handle), wire.close_response())
        self.note(opnum=wire.CLOSE_KEY, handle=handle.hex(), error=0)

    def query(self, handle, name, data, kind=wire.REG_BINARY, room=65536, error=0, size=None, request=True):
        self.connection.call(wire.QUERY_VALUE, wire.query_request(handle, name, room),
                             wire.query_response(kind, data, len(data or b"") if size is None else size, len(data or b""), error))
        return self.note(opnum=wire.QUERY_VALUE, handle=handle.hex(), value_name=name, room=room, error=error, type=kind,
                         size=len(data or b"") if size is None else size, data_length=None if data is None else len(data))

    def poll(self, handle, name, objects, seconds, host=None, remember=True, order="<", server=None, **more):
        builder = Builder(host or self.server.host, clock(seconds), objects, order)
        call = self.query(handle, name, builder.data, **more)
        call["members"] = builder.members
        call["values"] = (server or self.server).expect(name, builder, remember)
        return call

    def poll_multiple(self, handle, asked, seconds):
        """BaseRegQueryMultipleValues: several polls in one answer."""
        builders = [Builder(self.server.host, clock(seconds), objects) for _, objects in asked]
        values = [(name, wire.REG_BINARY, builder.data) for (name, _), builder in zip(asked, builders)]
        self.connection.call(wire.QUERY_MULTIPLE, wire.query_multiple_request(handle, [name for name, _ in asked], 65536),
                             wire.query_multiple_response(values))
        self.note(opnum=wire.QUERY_MULTIPLE, handle=handle.hex(), error=0, value_names=[name for name, _ in asked],
                  data_lengths=[len(builder.data) for builder in builders],
                  members=[member for builder in builders for member in builder.members],
                  values=[value for (name, _), builder in zip(asked, builders) for value in self.server.expect(name, builder)])

    def titles(self, handle, name, titles, **more):
        call = self.query(handle, name, names(sorted(titles.items())), wire.REG_MULTI_SZ, **more)
        call["titles"] = [[index, text] for index, text in sorted(titles.items())]


def growth(session, handle, name, rooms):
    """A client that enlarges its buffer until it is large enough; lpcbData of these answers means nothing."""
    for room in rooms:
        session.query(handle, name, None, room=room, error=wire.ERROR_MORE_DATA, size=room or 0)


def handle_bytes(n):
    return bytes(4) + bytes((n * 37 + i * 11) & 0xFF for i in range(16))


def windows():
    """A whole session: names, growing buffers, polls, metadata, another computer's data, a big-endian block."""
    capture = wire.Capture()
    server = Server(HOST, ENGLISH)
    session = Session(capture, server)
    data, text, nls = handle_bytes(1), handle_bytes(2), handle_bytes(3)
    session.open(wire.OPEN_DATA, data)
    growth(session, data, "Counter 009", [None, 256])
    session.titles(data, "Counter 009", ENGLISH)
    session.titles(data, "HELP 009", HELP)
    session.open(wire.OPEN_TEXT, text)
    session.titles(text, "Counter", ENGLISH)
    session.open(wire.OPEN_NLS_TEXT, nls)
    session.titles(nls, "Counter", GERMAN)
    session.close(nls)
    growth(session, data, "Global", [None, 1024, 2048, 4096])
    for poll, seconds in enumerate(TIMES):
        session.poll(data, "Global", machine(poll), seconds)
        capture.wait(1)
    # The same objects by number, values packed to 4 bytes as on Windows 2003: a series of its own.
    for poll in (0, 1):
        session.poll(data, "230 232 238", [replace(o) for o in machine(poll, packing=4) if o.index in (PROCESS, THREAD, PROCESSOR)],
                     TIMES[poll])
        capture.wait(1)
    metadata = [replace(o, instances=METADATA_MULTIPLE if isinstance(o.instances, list) else METADATA_SINGLE) for o in machine(0)]
    session.poll(data, "MetadataGlobal", metadata, 5)
    session.poll(data, "9999", [], 5)
    other = Server("OTHER-PC", {k: v for k, v in ENGLISH.items() if k in (PROCESSOR, 6)})
    for poll in (0, 1):
        objects = [o for o in machine(poll) if o.index in (PROCESSOR, ALL_TYPES)]
        session.poll(data, "Foreign OTHER-PC 238", objects, TIMES[poll], host="OTHER-PC", server=other)
    # Two counters that only a big-endian server would send so.
    for poll in (0, 1):
        session.poll(data, "238", [o for o in machine(poll) if o.index in (PROCESSOR, SYSTEM, UNIQUE)], TIMES[poll], order=">")
    for poll in (0, 1):
        session.poll_multiple(data, [("2", [o for o in machine(poll) if o.index == SYSTEM]),
                                     ("4", [o for o in machine(poll) if o.index == MEMORY])], TIMES[poll])
    session.close(text)
    session.close(data)
    session.connection.close()
    return capture, session.calls


def mid_capture():
    """Two servers whose captures begin after the key was opened; the same index has another name on the second."""
    capture = wire.Capture()
    calls = []
    first = Session(capture, Server(HOST, ENGLISH), calls=calls)
    second = Session(capture, Server("WIN-PERF02", OTHER), address=OTHER_SERVER, client_port=50001, calls=calls)
    one, two = handle_bytes(4), handle_bytes(5)
    first.query(one, "ProductName", "Windows Server 2022\0".encode("utf-16-le"), kind=1)
    calls[-1]["plain"] = True
    first.poll(one, "238", [o for o in machine(0) if o.index == PROCESSOR], 0)
    first.titles(one, "Counter 009", ENGLISH)
    second.titles(two, "Counter 009", OTHER)
    queue = lambda poll: [Object(ALL_TYPES, [Counter(5002, "PERF_COUNTER_COUNTER")], Instance("", [100 * poll]))]  # noqa: E731
    for poll in (0, 1):
        first.poll(one, "238 5000", [o for o in machine(poll) if o.index in (PROCESSOR, ALL_TYPES)], TIMES[poll])
        second.poll(two, "5000", queue(poll), TIMES[poll])
        capture.wait(1)
    first.close(one)
    # The same handle means something else on each server.
    second.poll(two, "5000", queue(2), TIMES[2])
    return capture, calls


# Of Windows XP: what was seen of its answers in a public capture, with content of our own.
XP_HOST = "XP-WORKSTATION1"
XP_FREQ = 3579545


def xp_processor(poll):
    """The last counter block says 64, but its values reach to 120, where the object ends. The object's own clock stands still."""
    times = [6, 142, 144, 148, 696, 698, 1334, 1336, 1338, 1340, 1746, 1748, 1750, 1752]
    rates = {148, 1334, 1336, 1338, 1340}
    counters = [Counter(index, "PERF_COUNTER_BULK_COUNT" if index in rates else "PERF_100NSEC_TIMER_INV" if index == 6
                        else "PERF_100NSEC_TIMER") for index in times]
    values = [(poll * (1000003 + 2 * i) if index in rates else poll * (5000000 + 100000 * i)) + index * 1000
              for i, index in enumerate(times)]
    return Object(PROCESSOR, counters, [Instance("0", values), Instance("_Total", values)], default_counter=0, last_byte_length=64)


def xp_process(poll):
    """Idle has no time at which it began."""
    now = START_100NS + poll * 10000000
    counters = [Counter(6, "PERF_100NSEC_TIMER"), Counter(684, "PERF_ELAPSED_TIME"), Counter(784, "PERF_COUNTER_RAWCOUNT"),
                Counter(952, "PERF_COUNTER_RAWCOUNT"), Counter(1420, "PERF_COUNTER_BULK_COUNT")]
    listed = [("Idle", 0, 0), ("System", START_100NS - 36000000000, 4), ("explorer", START_100NS - 6000000000, 1432)]
    return Object(PROCESS, counters, [Instance(name, [poll * 1000000 * (i + 1), start, pid, 100 + i, 4096 * poll * i])
                                      for i, (name, start, pid) in enumerate(listed)], now, 10000000, default_counter=0)


def xp_clock(poll):
    return Clock(START_TICKS + poll * XP_FREQ, XP_FREQ, START_100NS + poll * 10000000)


def xp():
    """A process list: the key opened anew for each object, value names that end in a blank, a buffer that grows, no names."""
    capture = wire.Capture()
    session = Session(capture, Server(XP_HOST, {}))
    root, key = handle_bytes(11), handle_bytes(12)
    # An ordinary value that begins as a block does.
    session.open(wire.OPEN_LOCAL_MACHINE, root)
    session.connection.call(wire.OPEN_KEY, wire.open_key_request(root, "SOFTWARE\\Example"), wire.open_response(key))
    session.note(opnum=wire.OPEN_KEY, handle=key.hex(), error=0)
    session.query(key, "Server", "PERFSRV\0".encode("utf-16-le"), kind=1)["plain"] = True
    for poll in (0, 1):
        for number, objects in ((PROCESSOR, [xp_processor(poll)]), (PROCESS, [xp_process(poll)])):
            data, name = handle_bytes(20 + 2 * poll + (number == PROCESS)), f"{number} "
            session.open(wire.OPEN_DATA, data)
            session.query(data, name, None, room=0, error=wire.ERROR_MORE_DATA, size=0)
            empty = Builder(XP_HOST, xp_clock(poll), [], total=0)
            for room in (4096, 8192):
                call = session.query(data, name, empty.data + bytes(2), room=room, error=wire.ERROR_MORE_DATA, size=room)
                call["members"] = [*empty.members, ["perfdata.data", "00:00"]]
            builder = Builder(XP_HOST, xp_clock(poll), objects)
            call = session.query(data, name, builder.data, room=12288)
            call["members"] = builder.members
            call["values"] = session.server.expect(name, builder)
            session.close(data)
        capture.wait(1)
    session.connection.close()
    return capture, session.calls


CAPTURES = {"perfdata-windows": windows, "perfdata-mid-capture": mid_capture, "perfdata-xp": xp}
