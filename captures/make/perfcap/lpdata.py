# SPDX-License-Identifier: GPL-2.0-or-later
"""Layout of the opaque lpData buffers of [MS-PCQ] 2.2.4 and 3.1.4.1.

Each function returns (bytes, tree). The tree holds every field by the specification's name, with the
offset in lpData at which each structure stands.
"""

import datetime
import struct
import uuid
from dataclasses import dataclass

from .countertypes import NAMES

WILDCARD = 0xFFFFFFFF

BLOCK_TYPES = {0: 'PERF_ERROR_RETURN', 1: 'PERF_SINGLE_COUNTER', 2: 'PERF_MULTI_COUNTERS',
               4: 'PERF_MULTI_INSTANCES', 6: 'PERF_COUNTERSET'}


@dataclass(frozen=True)
class Layout:
    """Where the text of [MS-PCQ], the SDK's comments and practice differ, what one buffer does."""
    name: str
    string_offset_from: str = 'buffer'  # dwOffset counts from: 'buffer' (start) or 'headers' (their end)
    none: int = 0xFFFFFFFF              # "no such counter" in BaseCounterId and the like
    missing_string: int = 0xFFFFFFFF    # dwOffset of a counter without a string; None: an empty string
    ids_pad: str = 'inside'             # pad after an odd id array: 'inside' dwSize, 'outside' it, or 'none'
    value_pad: str = 'inside'           # pad after a 4-byte value: 'inside' dwSize or 'outside'
    name_pad: str = 'inside'            # pad after an instance's name: 'inside' Size or 'outside'
    fill: bytes = b'\0'                 # what stands in pads the text calls "uninitialized"


WINDOWS = Layout('windows')
TEXT = Layout('text', string_offset_from='headers', none=0, missing_string=None, fill=b'\xfe')
PAD_OUTSIDE = Layout('pad-outside-sizes', ids_pad='outside', value_pad='outside', name_pad='outside')
NO_ID_PAD = Layout('no-pad-after-ids', ids_pad='none')
LAYOUTS = {layout.name: layout for layout in (WINDOWS, TEXT, PAD_OUTSIDE, NO_ID_PAD)}


def utf16(text):
    return text.encode('utf-16-le', 'surrogatepass')


def wide(text):
    """Null-terminated UTF-16LE; unpaired surrogates pass."""
    return utf16(text) + b'\0\0'


def pad8(length):
    return -length % 8


def counter_reg_info(counter, layout, offset=0):
    def reference(counter_id):
        return layout.none if counter_id is None else counter_id
    fields = {
        'CounterId': counter.id, 'Type': counter.type, 'Attrib': counter.attrib,
        'DetailLevel': counter.detail, 'DefaultScale': counter.scale,
        'BaseCounterId': reference(counter.base), 'PerfTimeId': reference(counter.time),
        'PerfFreqId': reference(counter.freq), 'MultiId': reference(counter.multi),
        'AggregateFunc': counter.aggregate, 'Reserved': 0,
    }
    data = struct.pack('<IIQIiIIIIII', *fields.values())
    tree = {'offset': offset, **fields}
    tree['type_name'] = NAMES.get(counter.type)
    return data, tree


def counterset_reg_info(counterset, layout):
    fields = {'CounterSetType': 0, 'DetailLevel': counterset.detail,
              'NumCounters': len(counterset.counters), 'InstanceType': counterset.instance_type}
    data = counterset.guid.bytes_le + struct.pack('<4I', *fields.values())
    tree = {'counterset': {'offset': 0, 'CounterSetGuid': str(counterset.guid), **fields}, 'counters': []}
    for counter in counterset.counters:
        part, node = counter_reg_info(counter, layout, len(data))
        data += part
        tree['counters'].append(node)
    return data, tree


def one_counter(counter, layout):
    data, tree = counter_reg_info(counter, layout)
    return data, {'counter': tree}


def string(text):
    return wide(text), {'string': text}


def guid(value):
    return value.bytes_le, {'guid': str(value)}


def strings(pairs, layout):
    """String buffer (2.2.4.3, 2.2.4.4); pairs of counter id and string, None for no string."""
    pairs = list(pairs)
    headers_end = 8 + 8 * len(pairs)
    origin = headers_end if layout.string_offset_from == 'headers' else 0
    headers, text, nodes = b'', b'', []
    for counter_id, value in pairs:
        node = {'offset': 8 + len(headers), 'dwCounterId': counter_id}
        if value is None and layout.missing_string is not None:
            node.update(dwOffset=layout.missing_string, string=None)
        else:
            at = headers_end + len(text)
            node.update(dwOffset=at - origin, string_offset_in_lpData=at, string=value or '')
            text += wide(value or '')
        headers += struct.pack('<II', counter_id, node['dwOffset'])
        nodes.append(node)
    size = headers_end + len(text)
    size += pad8(size)
    data = (struct.pack('<II', size, len(pairs)) + headers + text).ljust(size, layout.fill)
    return data, {'dwSize': size, 'dwCounters': len(pairs), 'strings': nodes}


def _named(size_of_head, name, layout):
    """Bytes of a name with its pad and the Size field's value for a structure that ends with it."""
    text = wide(name)
    length = size_of_head + len(text)
    size = length if layout.name_pad == 'outside' else length + pad8(length)
    return text, size


def instance_header(instance, layout, offset, fill):
    text, size = _named(8, instance.name, layout)
    data = struct.pack('<II', size, instance.id) + text
    data += fill * pad8(len(data))
    return data, {'offset': offset, 'Size': size, 'InstanceId': instance.id, 'name': instance.name}


def instances(items, layout):
    data, nodes = b'', []
    for instance in items:
        part, node = instance_header(instance, layout, len(data), layout.fill)
        data += part
        nodes.append(node)
    return data, {'instances': nodes}


@dataclass
class Identifier:
    """_PERF_COUNTER_IDENTIFIER; name None: no bytes after the structure; room: bytes kept for the name."""
    guid: uuid.UUID
    counter_id: int
    instance_id: int = 0
    name: str = None
    room: int = 0
    status: int = 0
    index: int = 0
    size: int = None                    # overrides the Size field, for identifiers that lie

    def tail(self):
        text = b'' if self.name is None else wide(self.name)
        text = text.ljust(max(len(text), self.room), b'\0')
        return text + b'\0' * pad8(len(text))


def identifiers(items):
    data, nodes = b'', []
    for item in items:
        tail = item.tail()
        size = 40 + len(tail) if item.size is None else item.size
        fields = {'Status': item.status, 'Size': size, 'CounterId': item.counter_id,
                  'InstanceId': item.instance_id, 'Index': item.index, 'Reserved': 0}
        node = {'offset': len(data), 'CounterSetGuid': str(item.guid), **fields, 'name': item.name or ''}
        if item.name is None:
            node['no_name_bytes'] = True
        data += item.guid.bytes_le + struct.pack('<6I', *fields.values()) + tail
        nodes.append(node)
    return data, {'identifiers': nodes}


def parse_identifiers(data):
    """The list a client sent, as Identifier objects; stops where Size can't be right."""
    items, at = [], 0
    while at + 40 <= len(data):
        status, size, counter_id, instance_id, index, _ = struct.unpack_from('<6I', data, at + 16)
        if size < 40 or at + size > len(data):
            break
        tail = data[at + 40:at + size]
        name = None
        if tail:
            text = tail.decode('utf-16-le', 'surrogatepass')
            name = text.split('\0', 1)[0]
        items.append(Identifier(uuid.UUID(bytes_le=data[at:at + 16]), counter_id, instance_id, name,
                                len(tail), status, index))
        at += size
    return items, at


def parse_counterset(data):
    """InstanceType and [(id, type)] of the counters, of the answer to request code 1; whatever a server may send."""
    if len(data) < 32:
        return None, []
    return struct.unpack_from('<I', data, 28)[0], [struct.unpack_from('<II', data, at)
                                                   for at in range(32, len(data) - 47, 48)]


def parse_instances(data):
    """[(id, name)] of an answer to EnumerateCounterSetInstances; stops where Size can't be right."""
    found, at = [], 0
    while at + 8 <= len(data):
        size, number = struct.unpack_from('<II', data, at)
        if size < 8 or at + size > len(data):
            break
        name = data[at + 8:at + size]
        found.append((number, name[:len(name) & ~1].decode('utf-16-le', 'surrogatepass').split('\0', 1)[0]))
        at += size
    return found


def counter_data(counter, value, layout, offset):
    if isinstance(value, str):
        raw = wide(value)
    else:
        raw = value.to_bytes(counter.value_size, 'little')
    padding = pad8(len(raw))
    size = 8 + len(raw) + (padding if layout.value_pad == 'inside' else 0)
    node = {'offset': offset, 'dwDataSize': len(raw), 'dwSize': size, 'counter_id': counter.id,
            'counter_type': NAMES.get(counter.type), 'value': value}
    return struct.pack('<II', len(raw), size) + raw + b'\0' * padding, node


def multi_counters(counters, layout):
    data = struct.pack(f'<{len(counters)}I', *(counter.id for counter in counters))
    padding = 0 if layout.ids_pad == 'none' else pad8(len(data))
    size = 8 + len(data) + (padding if layout.ids_pad == 'inside' else 0)
    return struct.pack('<II', size, len(counters)) + data + b'\0' * padding, size


def multi_instances(rows, counters, layout, offset):
    """rows: (instance, values in the order of counters)."""
    data, nodes = b'', []
    for instance, values in rows:
        part, node = instance_header(instance, layout, offset + 8 + len(data), b'\0')
        data += part
        node['data'] = []
        for counter, value in zip(counters, values):
            part, leaf = counter_data(counter, value, layout, offset + 8 + len(data))
            data += part
            node['data'].append(leaf)
        nodes.append(node)
    total = 8 + len(data)
    return struct.pack('<II', total, len(rows)) + data, total, nodes


@dataclass
class Block:
    """One _PERF_COUNTER_HEADER block, before layout."""
    type: int
    status: int = 0
    counters: tuple = ()
    rows: tuple = ()                    # (instance, values); one row for types 1 and 2
    identifier: Identifier = None       # what was asked for, for the record


def block(item, index, layout, offset):
    body, node = b'', {}
    start = offset + 16
    if item.type in (2, 6):
        part, size = multi_counters(item.counters, layout)
        body += part
        node.update(multi_counters_dwSize=size, multi_counters_offset=start,
                    counter_ids=[counter.id for counter in item.counters])
    if item.type in (1, 2):
        node['data'] = []
        for counter, value in zip(item.counters, item.rows[0][1]):
            part, leaf = counter_data(counter, value, layout, start + len(body))
            body += part
            node['data'].append(leaf)
    elif item.type in (4, 6):
        at = start + len(body)
        part, total, nodes = multi_instances(item.rows, item.counters, layout, at)
        body += part
        node.update(multi_instances_dwTotalSize=total, multi_instances_offset=at,
                    multi_instances_dwInstances=len(item.rows), instances=nodes)
    body += b'\0' * pad8(len(body))
    size = 16 + len(body)
    head = {'offset': offset, 'index': index, 'dwStatus': item.status, 'dwType': item.type,
            'dwType_name': BLOCK_TYPES[item.type], 'dwSize': size, 'Reserved': 0}
    if item.identifier is not None:
        asked = item.identifier
        head['counterset_of_identifier'] = str(asked.guid)
        head['identifier'] = {'CounterSetGuid': str(asked.guid), 'CounterId': asked.counter_id,
                              'InstanceId': asked.instance_id, 'name': asked.name or ''}
        if item.rows and item.type in (1, 2):
            instance = item.rows[0][0]
            head['instance'] = None if instance is None else {'InstanceId': instance.id, 'name': instance.name}
    return struct.pack('<4I', item.status, item.type, size, 0) + body, {**head, **node}


def system_time(filetime):
    """SYSTEMTIME fields of a FILETIME (100 ns since 1601, UTC); what is below a millisecond is cut."""
    when = datetime.datetime(1601, 1, 1) + datetime.timedelta(microseconds=filetime // 10)
    return {'Year': when.year, 'Month': when.month, 'DayOfWeek': (when.weekday() + 1) % 7, 'Day': when.day,
            'Hour': when.hour, 'Minute': when.minute, 'Second': when.second,
            'Milliseconds': when.microsecond // 1000}


def counter_values(blocks, clock, layout):
    """What PerflibV2QueryCounterData returns: _PERF_DATA_HEADER and the blocks."""
    body, nodes = b'', []
    for index, item in enumerate(blocks):
        part, node = block(item, index, layout, 48 + len(body))
        body += part
        nodes.append(node)
    when = system_time(clock.time100ns)
    fields = {'dwTotalSize': 48 + len(body), 'dwNumCounter': len(nodes), 'PerfTimeStamp': clock.ticks,
              'PerfTime100NSec': clock.time100ns, 'PerfFreq': clock.freq}
    data = struct.pack('<IIQQQ', *fields.values()) + struct.pack('<8H', *when.values()) + body
    return data, {**fields, 'SystemTime': when, 'blocks': nodes}
