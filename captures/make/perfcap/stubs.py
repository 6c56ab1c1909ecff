# SPDX-License-Identifier: GPL-2.0-or-later
"""Stubs of the eight PerflibV2 operations ([MS-PCQ] 3.1.4.1, 6) in NDR and NDR64, both byte orders.

One table of parameters drives marshalling and unmarshalling. Top-level pointers of the interface are
reference pointers: nothing of them stands on the wire.
"""

import struct
import uuid

INTERFACE = 'da5a86c5-12c2-4943-ab30-7f74a813d853'
INTERFACE_VERSION = '1.0'
NDR = '8a885d04-1ceb-11c9-9fe8-08002b104860'
NDR64 = '71710533-beba-4937-8319-b5dbef9ccc36'
BIND_TIME_FEATURES = '6cb71c2c-9812-4540-0300-000000000000'

_OUT = [('pdwOutSize', 'u32'), ('pdwRtnSize', 'u32'), ('lpData', 'varying'), ('return', 'u32')]

METHODS = {
    0: ('PerflibV2EnumerateCounterSet',
        [('szMachine', 'string'), ('dwInSize', 'u32')],
        [('pdwOutSize', 'u32'), ('pdwRtnSize', 'u32'), ('lpData', 'guids'), ('return', 'u32')]),
    1: ('PerflibV2QueryCounterSetRegistrationInfo',
        [('szMachine', 'string'), ('CounterSetGuid', 'guid'), ('RequestCode', 'u32'), ('RequestLCID', 'u32'),
         ('dwInSize', 'u32')], _OUT),
    2: ('PerflibV2EnumerateCounterSetInstances',
        [('szMachine', 'string'), ('CounterSetGuid', 'guid'), ('dwInSize', 'u32')], _OUT),
    3: ('PerflibV2OpenQueryHandle', [('szMachine', 'string')], [('phQuery', 'handle'), ('return', 'u32')]),
    4: ('PerflibV2CloseQueryHandle', [('phQuery', 'handle')], [('phQuery', 'handle'), ('return', 'u32')]),
    5: ('PerflibV2QueryCounterInfo', [('hQuery', 'handle'), ('dwInSize', 'u32')], _OUT),
    6: ('PerflibV2QueryCounterData', [('hQuery', 'handle'), ('dwInSize', 'u32')], _OUT),
    7: ('PerflibV2ValidateCounters',
        [('hQuery', 'handle'), ('dwInSize', 'u32'), ('lpData', 'conformant'), ('dwAdd', 'u32')],
        [('lpData', 'conformant'), ('return', 'u32')]),
}

OPNUMS = {method[0].removeprefix('PerflibV2'): opnum for opnum, method in METHODS.items()}


class Syntax:
    """Byte order and transfer syntax of one stub."""

    def __init__(self, big_endian=False, ndr64=False):
        self.order = '>' if big_endian else '<'
        self.ndr64 = ndr64

    def guid(self, value):
        return value.bytes if self.order == '>' else value.bytes_le

    def to_guid(self, raw):
        return uuid.UUID(bytes=raw) if self.order == '>' else uuid.UUID(bytes_le=raw)

    @property
    def codec(self):
        return 'utf-16-be' if self.order == '>' else 'utf-16-le'


class Writer:
    def __init__(self, syntax):
        self.syntax, self.data = syntax, b''

    def align(self, size):
        self.data += b'\0' * (-len(self.data) % size)

    def u32(self, value):
        self.align(4)
        self.data += struct.pack(self.syntax.order + 'I', value)

    def count(self, value):
        if self.syntax.ndr64:
            self.align(8)
            self.data += struct.pack(self.syntax.order + 'Q', value)
        else:
            self.u32(value)

    def guid(self, value):
        self.align(4)
        self.data += self.syntax.guid(value)

    def handle(self, value):
        self.u32(value[0])
        self.guid(value[1])

    def string(self, value):
        raw = (value + '\0').encode(self.syntax.codec, 'surrogatepass')
        for count in (len(raw) // 2, 0, len(raw) // 2):
            self.count(count)
        self.data += raw

    def varying(self, value):
        maximum, data = value
        for count in (maximum, 0, len(data)):
            self.count(count)
        self.data += data

    def conformant(self, value):
        self.count(len(value))
        self.data += value

    def guids(self, value):
        maximum, items = value
        for count in (maximum, 0, len(items)):
            self.count(count)
        for item in items:
            self.guid(item)


class Reader:
    def __init__(self, syntax, data):
        self.syntax, self.data, self.at = syntax, data, 0

    def take(self, size, alignment=1):
        self.at += -self.at % alignment
        piece = self.data[self.at:self.at + size]
        if len(piece) != size:
            raise ValueError(f'stub ends at {len(self.data)}, {size} bytes wanted at {self.at}')
        self.at += size
        return piece

    def u32(self):
        return struct.unpack(self.syntax.order + 'I', self.take(4, 4))[0]

    def count(self):
        if not self.syntax.ndr64:
            return self.u32()
        return struct.unpack(self.syntax.order + 'Q', self.take(8, 8))[0]

    def guid(self):
        return self.syntax.to_guid(self.take(16, 4))

    def handle(self):
        return self.u32(), self.guid()

    def string(self):
        _, _, actual = self.count(), self.count(), self.count()
        return self.take(2 * actual).decode(self.syntax.codec, 'surrogatepass').removesuffix('\0')

    def varying(self):
        maximum, _, actual = self.count(), self.count(), self.count()
        return maximum, self.take(actual)

    def conformant(self):
        return self.take(self.count())

    def guids(self):
        maximum, _, actual = self.count(), self.count(), self.count()
        return maximum, [self.guid() for _ in range(actual)]


def parameters(opnum, response):
    return METHODS[opnum][2 if response else 1]


def marshal(opnum, response, values, syntax):
    writer = Writer(syntax)
    for name, kind in parameters(opnum, response):
        getattr(writer, kind)(values[name])
    return writer.data


def unmarshal(opnum, response, data, syntax):
    reader = Reader(syntax, data)
    return {name: getattr(reader, kind)() for name, kind in parameters(opnum, response)}
