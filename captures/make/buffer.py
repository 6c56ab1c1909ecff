# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/buffer: a capture made of buffers that a program was given. Nothing of it was on a wire."""

import os
import re
import shlex
import signal
import struct
import sys
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from perfcap import buffers, dumps, stubs  # noqa: E402
from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import wire  # noqa: E402

USAGE = '''Usage: captures/buffer [OPTION...] [KIND:]FILE... -o OUT.pcapng

Makes a capture of buffers that a program was given: by PerfQueryCounterData and the
like, or by RegQueryValueEx of HKEY_PERFORMANCE_DATA. Names, values, tables, the page
and the rules about structures then work as with a recorded capture:

  captures/buffer registration.bin identifiers.bin poll1.bin poll2.bin -o OUT.pcapng
  captures/decode OUT.pcapng

A FILE is a buffer, or its hex dump: xxd, hexdump -C, Format-Hex, a debugger's db, a C
array. Each is one answer, in this order. A FOLDER stands for the files that
tshark --export-objects perflibv2,FOLDER (or perfdata,FOLDER) wrote.

KIND is needed only if several structures fit the bytes, or none:
{kinds}
--machine NAME     the computer of the files that follow. Otherwise the one that a
                   PERF_DATA_BLOCK names, or "BUFFER"
--counterset GUID  the counterset of the strings, names or instances that follow, if
                   its own buffer does not precede them
--query NUMBER     the query of the identifiers and data that follow (1)
--every SECONDS    time between polls whose buffers hold no time (1)

The calls, addresses and other times of the capture are made up. The plugin recognises
its requests by their object UUID, and reports only what is about the buffers. Each
answer has a packet comment with the name of its file.
'''

# The object UUID of requests that are made of buffers. The plugin knows it: base/rpc-call.h.
MADE_OF_BUFFERS = uuid.UUID('6d0bbd9c-5f1e-4c0b-9c43-b0ffe25c0de5')
CLIENT, PORT = '198.19.255.254', 49700
# Answers follow requests at once.
STEP = 0.0002
# Calls that are missing after a query was opened: what was added to it is not known.
MISSING_CALLS = 100
FRAGMENT = 60000


def die(text):
    print(f'buffer: {text}', file=sys.stderr)
    sys.exit(1)


@dataclass
class Item:
    path: Path
    kind: buffers.Kind = None
    machine: str = None
    query: int = 1
    counterset: uuid.UUID = None
    value_name: str = None
    argument: int = 0           # RequestLCID, for one counter its id
    is_request: bool = False
    is_failed: bool = False     # the answer of a call that failed
    exported: tuple = None      # frame and number in it, from the name that --export-objects gave the file
    data: bytes = b''


# Names of --export-objects: frame, what was asked, a number if a frame has several.
_EXPORTED = re.compile(r'(\d{6,})-([A-Za-z0-9-]+)(?:\((\d+)\))?\.(lpdata|perfdata|names|bin|failed)')
_REGISTRATION = re.compile(r'-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-code-(\d+))?(?:-(?:LCID|counter)-(\d+))?')


def with_exported_name(item):
    """The item with all that a file name of --export-objects contains; other names change nothing."""
    match = _EXPORTED.fullmatch(item.path.name)
    if not match or item.kind:
        return item
    frame, what, copy, extension = match.groups()
    item = replace(item, exported=(int(frame), int(copy or 0)), is_failed=extension == 'failed')
    if not re.match('[A-Z][A-Za-z]+-re(quest|sponse)', what):
        return replace(item, kind=buffers.KINDS['titles' if extension == 'names' else 'block'], value_name=None if what == 'unnamed' else what.replace('-', ' '))
    operation, direction, *_ = what.split('-')
    query = re.search(r'-query-(\d+)', what)
    asked = _REGISTRATION.search(what)
    item = replace(item, query=int(query[1]) if query else item.query, is_request=direction == 'request',
                   counterset=uuid.UUID(asked[1]) if asked else item.counterset, argument=int(asked[3] or 0) if asked else 0)
    opnum = stubs.OPNUMS.get(operation)
    if opnum == buffers.REGISTRATION:
        return replace(item, kind=buffers.REGISTRATION_KINDS.get(int(asked[2] or 0)) if asked else None)
    names = {buffers.ENUMERATE: 'countersets', buffers.INSTANCES: 'instances', buffers.INFO: 'listed', buffers.DATA: 'data',
             buffers.VALIDATE: 'removed' if what.endswith('-remove') else 'added'}
    return replace(item, kind=buffers.KINDS.get(names.get(opnum)))


def files_of(path):
    """A file, or the exported files of a folder."""
    if not path.is_dir():
        return [path]
    return sorted(entry for entry in path.iterdir() if _EXPORTED.fullmatch(entry.name)) or die(f'{path} has no files of --export-objects')


def parse(arguments):
    items, usual, out, every = [], Item(None), None, 1.0
    arguments = list(arguments)
    while arguments:
        argument = arguments.pop(0)
        if argument in ('-h', '--help'):
            width = max(map(len, buffers.KINDS))
            print(USAGE.format(kinds=''.join(f'  {kind.name:{width}}  {kind.what}\n' for kind in buffers.KINDS.values())), end='')
            sys.exit()
        option, given, value = argument.partition('=')
        if option in ('-o', '--machine', '--counterset', '--query', '--every'):
            if not given:
                value = arguments.pop(0) if arguments else die(f'{option} needs a value')
            try:
                if option == '-o':
                    out = Path(value)
                elif option == '--machine':
                    usual = replace(usual, machine=value.lstrip('\\'), query=1, counterset=None)
                elif option == '--counterset':
                    usual.counterset = uuid.UUID(value)
                elif option == '--query':
                    usual.query = int(value)
                else:
                    every = float(value)
                    if not 0 <= every <= 1e6:
                        raise ValueError
            except ValueError:
                die(f'{option} {value} is no {dict(zip(("--counterset", "--query"), ("GUID", "number"))).get(option, "number of seconds")}')
        elif argument.startswith('-') and not os.path.exists(argument):
            die(f'unknown option: {argument}')
        else:
            kind, _, path = argument.partition(':')
            # A file's name may begin like this, too.
            kind = buffers.KINDS.get(kind) if path and not (os.path.exists(argument) and not os.path.exists(path)) else None
            path = Path(path if kind else argument)
            items += [with_exported_name(replace(usual, path=entry, kind=kind)) for entry in files_of(path)]
    if not items:
        die('which buffers? "captures/buffer --help" tells more')
    if out is None:
        die('where to? -o OUT.pcapng is missing')
    return items, out, every


def read(item):
    """Reads a file and detects its kind. Returns a line for the user."""
    path = item.path
    if item.is_failed:
        return f'{path}: left out, as it came with an error'
    try:
        with open(path, 'rb') as file:
            data = file.read(dumps.MOST_BYTES + 1)
    except FileNotFoundError:
        die(f'no such file: {path}')
    except OSError as error:
        die(f"can't read {path}: {error.strerror}")
    if len(data) > dumps.MOST_BYTES:
        die(f'{path} is larger than {dumps.MOST_BYTES >> 20} MiB, the most that this command reads')
    try:
        item.data, is_dump = dumps.bytes_of(data)
    except dumps.Damaged as problem:
        die(f'{path} looks like a hex dump, but {problem}')
    if not item.data:
        die(f'{path} is empty')
    if item.kind is None:
        kinds = buffers.fitting(item.data)
        if not kinds:
            size = buffers.stated_size(item.data)
            hint = f' Its first {size} bytes are a whole structure: cut the rest off, or s' if size else \
                ' It is text, but no hex dump. S' if not is_dump and dumps.text_of(data) is not None else ' S'
            die(f'{path}: no structure fits all of its {len(item.data)} bytes.{hint}ay what it is, for example data:{path} (--help lists the kinds)')
        if len(kinds) > 1:
            die(f'{path} may be {" or ".join(kind.what for kind in kinds)}. Say which: {" or ".join(f"{kind.name}:{path}" for kind in kinds)}')
        item.kind = kinds[0]
    if item.kind.name == 'countersets' and len(item.data) % 16:
        die(f'{path}: {len(item.data)} bytes are no array of GUIDs')
    if item.kind.name == 'identifiers':
        item.kind = buffers.KINDS['added' if buffers.was_added(item.data) else 'listed']
    return f'{path}: {item.kind.what}, {len(item.data)} bytes{" from a hex dump" if is_dump else ""}'


def answered(items):
    """The items without answers of calls that failed, and without the requests of these."""
    kept = []
    for item in items:
        if not item.is_failed:
            kept.append(item)
        elif kept and kept[-1].is_request and kept[-1].query == item.query:
            kept.pop()
    return kept


def find_countersets(items):
    """Sets the counterset of buffers without one in them: the last before them, or the only one of all."""
    every = {guid for item in items for guid in buffers.countersets_of(item.kind, item.data)}
    latest = None
    for item in items:
        if item.kind.name == 'counterset':
            latest = next(iter(buffers.countersets_of(item.kind, item.data)), latest)
            item.counterset = latest if item.exported is None else item.counterset
        elif item.kind.opnum in (buffers.REGISTRATION, buffers.INSTANCES) and item.counterset is None:
            item.counterset = latest or (next(iter(every)) if len(every) == 1 else None)
            if item.counterset is None:
                die(f'{item.path}: {item.kind.what}, but of which counterset? Its own buffer may precede it, or --counterset GUID')


class Machine:
    """The made calls to one computer."""

    def __init__(self, number, name, items):
        times = [time for item in items if (time := buffers.time_of(item.kind, item.data)) is not None]
        self.capture = wire.Capture(max(0, min(times) - 1 - 3 * STEP * len(items))) if times else wire.Capture()
        self.name, self.address, self.port = name, f'198.18.{number >> 8 & 255}.{number & 255}', 50000
        self.syntax = stubs.Syntax()
        self.connections, self.handles, self.comments = {}, {}, {}
        # Of these queries all that was added is known.
        first = {}
        for item in items:
            if item.kind.opnum in (buffers.INFO, buffers.VALIDATE) or item.kind.name == 'data' and len(item.data) > buffers.EMPTY_DATA:
                first.setdefault(item.query, item.kind.name)
        self.whole = {query for query, kind in first.items() if kind == 'added'}
        self.polled = None

    def connection(self, what, interface):
        if what not in self.connections:
            self.port += 1
            self.connections[what] = wire.Connection(self.capture, (CLIENT, self.port), (self.address, PORT), FRAGMENT, FRAGMENT,
                                                     interface=interface, object=MADE_OF_BUFFERS)
            self.connections[what].call_id = 0
        return self.connections[what]

    def call(self, connection, opnum, request, response, comment):
        connection.request(opnum, request)
        if response is not None:
            connection.response(response)
        self.comments[len(self.capture.frames) - 1] = comment

    def perflib(self, query=None):
        return self.connection(('perflib', query), uuid.UUID(stubs.INTERFACE))

    def perflib_call(self, connection, opnum, request, response, comment):
        self.call(connection, opnum, stubs.marshal(opnum, False, {'szMachine': '\\\\' + self.name, **request}, self.syntax),
                  None if response is None else stubs.marshal(opnum, True, {'return': 0, **response}, self.syntax), comment)

    def query(self, number):
        """(connection, handle) of a query. Calls are missing after it was opened, unless all that was added to it is known."""
        if number not in self.handles:
            connection = self.perflib(None if number in self.whole else number)
            self.handles[number] = connection, (0, uuid.uuid5(MADE_OF_BUFFERS, f'{self.name} {number}'))
            self.perflib_call(connection, stubs.OPNUMS['OpenQueryHandle'], {}, {'phQuery': self.handles[number][1]},
                              f'captures/buffer: query {number}')
            if number not in self.whole:
                connection.call_id += MISSING_CALLS
        return self.handles[number]

    def wait(self, item, every):
        """Puts the clock to when the values were collected, so that the answer comes then."""
        time = buffers.time_of(item.kind, item.data)
        if time is None:
            time = self.capture.now if self.polled is None else self.polled + every
        self.capture.now = max(self.capture.now, time - 2 * STEP)
        self.polled = self.capture.now + 2 * STEP

    def answer(self, item, sent, every):
        """The calls that bring a buffer. sent: the identifiers of a change's request."""
        opnum, data, comment = item.kind.opnum, item.data, f'captures/buffer: {item.kind.what} of {item.path.name}'
        answered = {'pdwOutSize': len(data), 'pdwRtnSize': len(data), 'lpData': (len(data), data)}
        if opnum is None:
            name = item.value_name or buffers.value_name_of(item.kind, data)
            # Only there "Counter" is of the language of the server's user.
            key = wire.OPEN_NLS_TEXT if name in ('Counter', 'Help') else wire.OPEN_DATA
            connection = self.connection(('winreg', key), wire.WINREG)
            handle = struct.pack('<I', 0) + uuid.uuid5(MADE_OF_BUFFERS, f'{self.name} key {key}').bytes_le
            if connection.call_id == 0:
                self.call(connection, key, wire.open_request(), wire.open_response(handle), 'captures/buffer: the key')
            kind = wire.REG_MULTI_SZ if item.kind.name == 'titles' else wire.REG_BINARY
            if item.kind.name == 'block':
                self.wait(item, every)
            self.call(connection, wire.QUERY_VALUE, wire.query_request(handle, name, len(data)),
                      wire.query_response(kind, data, len(data), len(data)), comment)
        elif opnum == buffers.VALIDATE:
            connection, handle = self.query(item.query)
            self.perflib_call(connection, opnum, {
                'hQuery': handle, 'dwInSize': len(sent), 'lpData': sent, 'dwAdd': int(item.kind.name == 'added')},
                None if item.is_request else {'lpData': data}, comment)
        elif opnum in (buffers.INFO, buffers.DATA):
            connection, handle = self.query(item.query)
            if opnum == buffers.DATA:
                self.wait(item, every)
            self.perflib_call(connection, opnum, {'hQuery': handle, 'dwInSize': len(data)}, answered, comment)
        elif opnum == buffers.ENUMERATE:
            guids = [uuid.UUID(bytes_le=data[at:at + 16]) for at in range(0, len(data) - 15, 16)]
            self.perflib_call(self.perflib(), opnum, {'dwInSize': len(guids)}, {
                'pdwOutSize': len(guids), 'pdwRtnSize': len(guids), 'lpData': (len(guids), guids)}, comment)
        else:
            self.perflib_call(self.perflib(), opnum, {
                'CounterSetGuid': item.counterset, 'RequestCode': item.kind.code, 'RequestLCID': item.argument,
                'dwInSize': len(data)}, answered, comment)

    def take(self, items, every):
        sent = {}       # query -> identifiers of a request whose answer follows
        for number, item in enumerate(items):
            following = items[number + 1:number + 2]
            if item.is_request and any(after.kind == item.kind and after.query == item.query and not after.is_request for after in following):
                sent[item.query] = item.data
                continue
            self.answer(item, item.data if item.is_request else sent.pop(item.query, None) or buffers.without_status(item.data), every)
        return [(*frame, self.comments[number]) if number in self.comments else frame for number, frame in enumerate(self.capture.frames)]


def write(out, frames):
    try:
        if out.is_dir():
            die(f'{out} is a folder: -o needs the name of a capture')
        if out.is_file() and out.stat().st_size and out.open('rb').read(4) != b'\x0a\x0d\x0d\x0a':
            die(f'{out} exists and is no capture')
        write_pcapng(out, frames, 'Made by captures/buffer of buffers that a program was given: never on a wire. '
                                  'Calls, addresses, and times other than those of polls are made up.')
    except OSError as error:
        # Half a capture would pass for a whole one.
        is_partial = out.is_file() and out.stat().st_size
        if is_partial:
            out.unlink()
        die(f"can't write {out}: {error.strerror}{', and it is not there' if is_partial else ''}")


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # Names of files may be no UTF-8.
    sys.stdout.reconfigure(errors='backslashreplace')
    items, out, every = parse(sys.argv[1:])
    if all(item.exported for item in items):
        items.sort(key=lambda item: item.exported)
    for item in items:
        if out.exists() and item.path.exists() and out.is_file() and out.samefile(item.path):
            die(f'{out} is one of the buffers')
    notes = [read(item) for item in items]
    items = answered(items)
    if not items:
        die('no buffer is left')
    named = {name for item in items if item.machine is None and (name := buffers.machine_of(item.kind, item.data))}
    machines = {}
    for item in items:
        machine = item.machine or (named.copy().pop() if len(named) == 1 else 'BUFFER')
        machines.setdefault(machine.casefold(), (machine, []))[1].append(item)
    frames = []
    for number, (machine, members) in enumerate(machines.values(), 1):
        find_countersets(members)
        frames += Machine(number, machine, members).take(members, every)
    frames.sort(key=lambda frame: frame[0])
    write(out, frames)
    print(*notes, sep='\n')
    print(f'{out}: {len(items)} buffer{"s" * (len(items) > 1)}. To see {"them" if len(items) > 1 else "it"}: captures/decode {shlex.quote(str(out))}')


if __name__ == '__main__':
    main()
