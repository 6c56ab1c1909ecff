# SPDX-License-Identifier: GPL-2.0-or-later
"""Buffers that programs get of performance counters: what kinds there are, and which structure fits a buffer's bytes."""

import re
import struct
import uuid
from dataclasses import dataclass

from .stubs import OPNUMS

ENUMERATE, REGISTRATION, INSTANCES = (OPNUMS[name] for name in (
    'EnumerateCounterSet', 'QueryCounterSetRegistrationInfo', 'EnumerateCounterSetInstances'))
INFO, DATA, VALIDATE = (OPNUMS[name] for name in ('QueryCounterInfo', 'QueryCounterData', 'ValidateCounters'))

EMPTY_DATA = 48         # size of a poll without blocks
_DETAIL_LEVELS = 100, 200, 300, 400     # winperf.h
_FILETIME_1970, _FILETIME_2200 = 116444736000000000, 189021600000000000


def _u32(data, at):
    return struct.unpack_from('<I', data, at)[0]


def _chain(data, at, least, size_at):
    """Offsets of structures that follow each other, each with its size in it; None if they do not end with the data."""
    starts = []
    while at < len(data):
        size = _u32(data, at + size_at) if at + least <= len(data) else 0
        if size < least or size > len(data) - at:
            return None
        starts.append(at)
        at += size
    return starts


def _text_ends(data, at, end):
    """Whether a null-terminated UTF-16 text is in these bytes, and only zeros or fewer than 8 bytes after it."""
    for place in range(at, end - 1, 2):
        if data[place:place + 2] == b'\0\0':
            return end - place - 2 < 8 or not any(data[place:end])
    return False


def _texts(data):
    """The texts of UTF-16 data that ends with a null character; None if it is none."""
    if len(data) % 2 or data[-2:] != b'\0\0':
        return None
    try:
        texts = data.decode('utf-16-le', 'surrogatepass').split('\0')
    except UnicodeDecodeError:
        return None
    return None if any(re.search(r'[\x01-\x08\x0e-\x1f\x7f]', text) for text in texts) else texts[:-1]


def _is_data(data):
    """_PERF_DATA_HEADER and blocks, [MS-PCQ] 2.2.4.7, 2.2.4.8."""
    if len(data) < 48 or _u32(data, 0) != len(data):
        return False
    blocks = _chain(data, 48, 16, 8)
    return blocks is not None and len(blocks) == _u32(data, 4)


def identifier_starts(data):
    """Offsets of the identifiers of a buffer, 2.2.4.6, or None if they do not fit it."""
    return _chain(data, 0, 40, 20)


def _is_identifiers(data):
    starts = identifier_starts(data)
    return bool(starts) and all(_u32(data, at + 20) == 40 or _text_ends(data, at + 40, at + _u32(data, at + 20)) for at in starts)


def _is_instances(data):
    """_PERF_INSTANCE_HEADER and names, 2.2.4.5."""
    starts = _chain(data, 0, 10, 0)
    return bool(starts) and all(_text_ends(data, at + 8, at + _u32(data, at)) for at in starts)


def _is_counter(data):
    """_PERF_COUNTER_REG_INFO, 2.2.4.2."""
    return len(data) == 48 and _u32(data, 16) in _DETAIL_LEVELS and abs(struct.unpack_from('<i', data, 20)[0]) <= 10


def _is_counterset(data):
    """_PERF_COUNTERSET_REG_INFO and its counters, 2.2.4.1."""
    return len(data) >= 32 and len(data) == 32 + 48 * _u32(data, 24) and _u32(data, 20) in _DETAIL_LEVELS


def _is_strings(data):
    """_STRING_BUFFER_HEADER, 2.2.4.3. Offsets count from the start of the buffer or from the end of the headers."""
    if len(data) < 8 or _u32(data, 0) != len(data) or 8 + 8 * _u32(data, 4) > len(data):
        return False
    end = 8 + 8 * _u32(data, 4)
    offsets = [offset for at in range(8, end, 8) if (offset := _u32(data, at + 4)) != 0xFFFFFFFF]
    return all(offset % 2 == 0 and offset < len(data) for offset in offsets) and bool(offsets) == (end < len(data)) and \
        _texts(data[end:] + b'\0\0') is not None


def _is_text(data):
    texts = _texts(data)
    return texts is not None and len(texts) == 1 and texts[0] != ''


def _is_guids(data):
    """GUIDs of countersets, as generators make them ([RFC4122] 4.1.1, 4.1.3): others are hard to tell from text."""
    return len(data) >= 16 and len(data) % 16 == 0 and not _is_text(data) and all(
        1 <= data[at + 7] >> 4 <= 5 and data[at + 8] >> 6 == 2 for at in range(0, len(data), 16))


def _titles(data):
    """[index, text] of a list of names, [MS-RRP] 3.1.5.17 with HKEY_PERFORMANCE_DATA; None if it is none."""
    texts = _texts(data)
    if not texts:
        return None
    while texts and texts[-1] == '':
        texts.pop()
    if len(texts) < 2 or len(texts) % 2 or not all(text.isascii() and text.isdigit() for text in texts[::2]):
        return None
    return list(zip(map(int, texts[::2]), texts[1::2]))


def _is_titles(data):
    return _titles(data) is not None


def _order_of_block(data):
    return {'PERF'.encode('utf-16-le'): '<', 'PERF'.encode('utf-16-be'): '>'}.get(data[:8])


def _is_block(data):
    """PERF_DATA_BLOCK and its objects, each with its length first (winperf.h). Samba's total is without the header."""
    order = _order_of_block(data)
    if order is None or len(data) < 88:
        return False
    total, at, objects = struct.unpack_from(order + '3I', data, 20)
    if len(data) not in (total, total + at) or at < 88:
        return False
    for _ in range(objects):
        size = struct.unpack_from(order + 'I', data, at)[0] if at + 64 <= len(data) else 0
        if size < 64 or size > len(data) - at:
            return False
        at += size
    return at == len(data)


@dataclass(frozen=True)
class Kind:
    """opnum None: the older API's. fits None: another kind has the same structure, and is the one found out."""
    name: str
    what: str
    fits: object = None
    opnum: int = None
    code: int = 0               # RequestCode


KINDS = {kind.name: kind for kind in (
    Kind('data', 'counter values (PerfQueryCounterData)', _is_data, DATA),
    Kind('identifiers', 'identifiers (PerfQueryCounterInfo, PerfAddCounters)', _is_identifiers, INFO),
    Kind('listed', 'identifiers that a query has (PerfQueryCounterInfo)', None, INFO),
    Kind('added', 'identifiers that were added (PerfAddCounters)', None, VALIDATE),
    Kind('removed', 'identifiers that were removed (PerfDeleteCounters)', None, VALIDATE),
    Kind('instances', 'instances (PerfEnumerateCounterSetInstances)', _is_instances, INSTANCES),
    Kind('countersets', 'GUIDs of countersets (PerfEnumerateCounterSet)', _is_guids, ENUMERATE),
    Kind('counterset', 'a counterset and its counters (PERF_REG_COUNTERSET_STRUCT)', _is_counterset, REGISTRATION, 1),
    Kind('counter', 'one counter (PERF_REG_COUNTER_STRUCT)', _is_counter, REGISTRATION, 2),
    Kind('name', "a counterset's name (PERF_REG_COUNTERSET_NAME_STRING)", _is_text, REGISTRATION, 3),
    Kind('help', "a counterset's description (PERF_REG_COUNTERSET_HELP_STRING)", None, REGISTRATION, 4),
    Kind('strings', 'names of counters (PERF_REG_COUNTER_NAME_STRINGS)', _is_strings, REGISTRATION, 5),
    Kind('help-strings', 'descriptions of counters (PERF_REG_COUNTER_HELP_STRINGS)', None, REGISTRATION, 6),
    Kind('provider', "a provider's name (PERF_REG_PROVIDER_NAME)", None, REGISTRATION, 7),
    Kind('provider-guid', "a provider's GUID (PERF_REG_PROVIDER_GUID)", None, REGISTRATION, 8),
    Kind('english-name', "a counterset's English name (PERF_REG_COUNTERSET_ENGLISH_NAME)", None, REGISTRATION, 9),
    Kind('english-strings', 'English names of counters (PERF_REG_COUNTER_ENGLISH_NAMES)', None, REGISTRATION, 10),
    Kind('block', 'PERF_DATA_BLOCK (RegQueryValueEx of HKEY_PERFORMANCE_DATA)', _is_block),
    Kind('titles', 'names of title indexes ("Counter 009")', _is_titles),
)}
REGISTRATION_KINDS = {kind.code: kind for kind in KINDS.values() if kind.code}


def fitting(data):
    """The kinds whose structure fits all bytes."""
    return [kind for kind in KINDS.values() if kind.fits and kind.fits(data)]


def stated_size(data):
    """The size that a structure at the start of a larger buffer states, if it fits that many bytes; else None."""
    order = _order_of_block(data)
    sizes = [struct.unpack_from(order + 'I', data, 20)[0]] if order and len(data) >= 24 else [_u32(data, 0)] if len(data) >= 4 else []
    return next((size for size in sizes if 8 <= size < len(data) and fitting(data[:size])), None)


def was_added(data):
    """Whether identifiers are those of PerfAddCounters: PerfQueryCounterInfo numbers them, from 0, in Index."""
    starts = identifier_starts(data) or []
    return len(starts) > 1 and not any(_u32(data, at + 32) for at in starts)


def without_status(data):
    """Identifiers as a client sends them: Status is the server's."""
    sent = bytearray(data)
    for at in identifier_starts(data) or []:
        sent[at + 16:at + 20] = bytes(4)
    return bytes(sent)


def countersets_of(kind, data):
    """The GUIDs of the countersets that a buffer names."""
    if kind.name == 'counterset':
        starts = [0] if len(data) >= 16 else []
    else:
        starts = identifier_starts(data) or [] if kind.name in ('listed', 'added') else []
    return {uuid.UUID(bytes_le=data[at:at + 16]) for at in starts}


def value_name_of(kind, data):
    """The value of HKEY_PERFORMANCE_DATA that brings this: the objects of a block, or the list of names."""
    if kind.name == 'titles':
        # Descriptions have odd indexes, names even ones, and 1 for the last index.
        return 'Explain 009' if all(index % 2 for index, _ in _titles(data) or [(0, '')]) else 'Counter 009'
    order, objects, at = _order_of_block(data), [], 0
    if order and len(data) >= 88:
        at, count = struct.unpack_from(order + '2I', data, 24)
        while count and at + 64 <= len(data):
            size, index = struct.unpack_from(order + 'I8xI', data, at)
            objects.append(str(index))
            at, count = at + max(size, 64), count - 1
    return ' '.join(objects) or 'Global'


def machine_of(kind, data):
    """The computer that a block names, or None."""
    order = _order_of_block(data) if kind.name == 'block' and len(data) >= 88 else None
    if order is None:
        return None
    length, at = struct.unpack_from(order + '2I', data, 80)
    name = data[at:at + length].decode('utf-16-le' if order == '<' else 'utf-16-be', 'replace').split('\0')[0]
    return name if name.isprintable() and len(name) < 64 else None


def time_of(kind, data):
    """Seconds since 1970 at which the values were collected, or None: PerfTime100NSec."""
    time = 0
    if kind.name == 'data' and len(data) >= 48:
        time = struct.unpack_from('<Q', data, 16)[0]
    elif kind.name == 'block' and len(data) >= 80 and _order_of_block(data):
        time = struct.unpack_from(_order_of_block(data) + 'Q', data, 72)[0]
    return (time - _FILETIME_1970) / 10000000 if _FILETIME_1970 < time < _FILETIME_2200 else None
