# SPDX-License-Identifier: GPL-2.0-or-later
"""Every rule of [MS-PCQ], broken and kept; the table of verdicts; plugin/RULES.md."""

import re
import struct
import subprocess
import uuid
from dataclasses import dataclass

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, REPOSITORY, options_for, record_of, recorded_captures
from lib.fields import glossary
from lib.rules import RULES, SESSION, findings, findings_of_each, rules_of_the_code
from lib.some import some
from lib.tables import named_rows, table_sentences, verdicts
from lib.wire import FAULT, NDR64, REQUEST, RESPONSE, Capture, align


@dataclass
class Case:
    """A session that breaks rules: which, in which frame, words that the sentence must hold, and where: (offset, size) in lpData or in the stub."""

    rule: str
    make: object
    says: tuple
    at: tuple | None
    stub: tuple | None


CASES = []


def breaks(rule, *says, at=None, stub=None):
    """
    The function makes the session, returns the frame that breaks the rule, or {rule: frame} where one can't be broken alone.
    at, stub: where the finding of the first words stands, a negative offset counted from the end of the stub.
    """

    def keep(make):
        CASES.append(Case(rule, make, says, at, stub))
        return make

    return keep


H = p.query_handle(1)

# Where parameters stand in stubs: 3.1.4.1 and the counts of a conformant varying array ([C706] 14.3.3.4).
HANDLE, OUT_SIZE, RETURN_SIZE, BOTH_SIZES = (0, 20), (0, 4), (4, 4), (0, 8)
MAX_COUNT, OFFSET, ACTUAL_COUNT, RETURN_CODE = (8, 4), (12, 4), (16, 4), (-4, 4)
WHOLE = (0, 0)      # of all of it, and of no bytes
# Of the only block of a poll, behind _PERF_DATA_HEADER: 2.2.4.7 and 2.2.4.8.
BLOCK_STATUS, BLOCK_TYPE, BLOCK_SIZE, BLOCK_RESERVED, BODY = (48, 4), (52, 4), (56, 4), (60, 4), 64


@breaks("lpdata_count", "The count of lpData is 16 bytes", "pdwOutSize says 8", stub=ACTUAL_COUNT)
def _(peer):
    return peer.instances(p.instance(), out=8)[1]


@breaks("structure_fits", "Size of _PERF_INSTANCE_HEADER is 4096", "16 bytes are left", at=(0, 16))
def _(peer):
    return peer.instances(p.instance(size=4096, raw=p.text("one")))[1]


@breaks("trailing_bytes", "8 bytes follow", at=(16, 8))
def _(peer):
    return peer.registration(8, p.SET.bytes_le + bytes(8))[1]


@breaks("alignment", "offset 76", "not a multiple of 8", at=(76, 8))
def _(peer):
    body = p.multi_counters([1], pad=False) + p.value() + bytes(4)
    peer.open(H)
    return peer.poll(H, p.data(p.block(2, body)))[1]


@breaks("alignment", "offset 46", "not a multiple of 8", at=(46, 8))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(1, raw=p.text("ab")), p.identifier(2))[0]


@breaks("alignment", "offset 76", "not a multiple of 8", at=(76, 8))
def _(peer):
    short = struct.pack("<IIi", 4, 12, 5)
    peer.open(H)
    frame = peer.poll(H, p.data(p.block(1, short), p.block(1, p.value())))[1]
    return {"alignment": frame, "block_size": frame, "value_size": frame}


@breaks("machine_string", "terminator of szMachine", stub=(12, 8))
def _(peer):
    raw = "HOST".encode("utf-16-le")
    return peer.enumerate(machine=struct.pack("<III", 4, 0, 4) + raw)[0]


@breaks("machine_string", "maximum count 2", "offset 0", "actual count 5", stub=(0, 12))
def _(peer):
    return peer.enumerate(machine=struct.pack("<III", 2, 0, 5) + align("HOST\0".encode("utf-16-le"), 4))[0]


@breaks("machine_string", "terminator of szMachine", stub=(12, 12))
def _(peer):
    raw = "HO\0ST\0".encode("utf-16-le")
    return peer.enumerate(machine=struct.pack("<III", 6, 0, 6) + raw)[0]


@breaks("structure_fits", "szMachine is longer than the stub", stub=(0, 28))
def _(peer):
    # 12 characters take more than the 16 bytes that follow, though 12 bytes would not.
    return peer.enumerate(machine=struct.pack("<III", 12, 0, 12) + align("HOST\0".encode("utf-16-le"), 4))[0]


@breaks("in_size_range", "dwInSize is 257", "at most 256", stub=(-4, 4))
def _(peer):
    return peer.enumerate(in_size=257)[0]


@breaks("request_code", "RequestCode is 11", "1 to 10", stub=(-12, 4))
def _(peer):
    return peer.registration(11, b"", status=p.INVALID_PARAMETER)[0]


@breaks("request_lcid", "RequestLCID is 0x409", "expected 0", stub=(-8, 4))
def _(peer):
    return peer.registration(1, p.counterset(p.COUNTERS), lcid=0x409)[0]


@breaks("validate_room", "dwInSize is 8", "40 bytes", stub=(20, 4))
def _(peer):
    peer.open(H)
    return peer.validate(H, bytes(8), status=p.INVALID_PARAMETER)[0]


@breaks("add_value", "dwAdd is 2", stub=(-4, 4))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(), add=2)[0]


@breaks("add_value", "dwAdd is 4294967295", stub=(-4, 4))
def _(peer):
    # Whatever the server does then is no deed of its own: it may have added once more, or removed.
    peer.open(H)
    peer.validate(H, p.identifier())
    frame = peer.validate(H, p.identifier(), add=0xFFFFFFFF)[0]
    peer.validate(H, p.identifier())
    peer.validate(H, p.identifier(), add=0)
    return frame


@breaks("handle_null", "NULL", stub=HANDLE)
def _(peer):
    return peer.poll(p.NULL_HANDLE)[0]


@breaks("handle_after_close", "closed in frame", stub=HANDLE)
def _(peer):
    peer.open(H)
    peer.close(H)
    return peer.poll(H)[0]


@breaks("handle_server", "is used on HOST but was opened on ELSEWHERE", stub=HANDLE)
def _(peer):
    other = p.Peer(peer.capture, machine="\\\\ELSEWHERE", server="10.99.0.1")
    handle = p.query_handle(2)
    other.open(handle)
    peer.connection.call_id = 0     # so that no call before the first can be missing
    peer.enumerate()
    return peer.poll(handle)[0]


@breaks("max_count", "maximum count of lpData is 5000", "dwInSize 4096", stub=MAX_COUNT)
def _(peer):
    return peer.registration(8, p.SET.bytes_le, max_count=5000)[1]


@breaks("array_offset", "offset of lpData is 4", "expected 0", stub=OFFSET)
def _(peer):
    return peer.registration(8, p.SET.bytes_le, offset=4)[1]


@breaks("out_size_room", "pdwOutSize is 16", "dwInSize 8", stub=OUT_SIZE)
def _(peer):
    return peer.registration(8, p.SET.bytes_le, in_size=8, status=p.GUID_NOT_FOUND)[1]


@breaks("out_size_needed", "pdwOutSize is 16", "pdwRtnSize 8", stub=BOTH_SIZES)
def _(peer):
    return peer.registration(8, p.SET.bytes_le, needed=8)[1]


@breaks("out_size_all", "pdwOutSize is 16, less than pdwRtnSize 24", stub=BOTH_SIZES)
def _(peer):
    return peer.registration(8, p.SET.bytes_le, needed=24)[1]


@breaks("guid_limit", "pdwRtnSize is 257", "more than 256", stub=RETURN_SIZE)
def _(peer):
    return peer.enumerate(guids=(), in_size=0, needed=257, status=p.NOT_ENOUGH_MEMORY)[1]


@breaks("registration_empty", "lpData is empty", "request code 8", stub=RETURN_CODE)
def _(peer):
    return peer.registration(8, b"")[1]


@breaks("poll_empty", "a _PERF_DATA_HEADER was expected", stub=RETURN_CODE)
def _(peer):
    peer.open(H)
    return peer.poll(H, b"")[1]


@breaks("out_size_zero", "pdwOutSize is 1, expected 0", "2 GUIDs", stub=OUT_SIZE)
def _(peer):
    return peer.enumerate(in_size=1, needed=2, status=p.NOT_ENOUGH_MEMORY)[1]


@breaks("too_small", "ERROR_SUCCESS, expected ERROR_NOT_ENOUGH_MEMORY", "pdwRtnSize 5000", "dwInSize 4096", stub=RETURN_CODE)
def _(peer):
    return peer.registration(8, p.SET.bytes_le, needed=5000)[1]


@breaks("too_small", "ERROR_NOT_ENOUGH_MEMORY", "pdwRtnSize 16 is not more than dwInSize 4096", stub=RETURN_CODE)
def _(peer):
    return peer.registration(8, b"", needed=16, status=p.NOT_ENOUGH_MEMORY)[1]


@breaks("too_small", "ERROR_MORE_DATA, expected ERROR_NOT_ENOUGH_MEMORY", "pdwRtnSize 5000 is more than dwInSize 4096", stub=RETURN_CODE)
def _(peer):
    return peer.registration(1, b"", needed=5000, status=0xEA)[1]


@breaks("guid_count", "pdwOutSize is 1", "2 GUIDs", "dwInSize is 4", stub=BOTH_SIZES)
def _(peer):
    return peer.enumerate(needed=2)[1]


@breaks("guid_unique", "GUID 2 of 2", at=(16, 16))
def _(peer):
    return peer.enumerate(guids=(p.SET, p.SET))[1]


@breaks("return_code", "0x80070005", stub=RETURN_CODE)
def _(peer):
    return peer.open(p.NULL_HANDLE, status=0x80070005)[1]


@breaks("return_code_listed", "ERROR_NOT_FOUND", stub=RETURN_CODE)
def _(peer):
    return peer.registration(6, b"", status=0x490)[1]


@breaks("request_code_refused", "ERROR_WMI_GUID_NOT_FOUND, expected ERROR_INVALID_PARAMETER", "request code 12", stub=RETURN_CODE)
def _(peer):
    sent, answered = peer.registration(12, b"", status=p.GUID_NOT_FOUND)
    return {"request_code": sent, "request_code_refused": answered}


@breaks("request_code_refused", "ERROR_FILE_NOT_FOUND, expected ERROR_INVALID_PARAMETER", "request code 12", stub=RETURN_CODE)
def _(peer):
    # The method does not list that code either: one deed.
    sent, answered = peer.registration(12, b"", status=2)
    return {"request_code": sent, "request_code_refused": answered}


@breaks("validate_refused", "ERROR_SUCCESS, expected ERROR_INVALID_PARAMETER", "8 bytes", stub=RETURN_CODE)
def _(peer):
    peer.open(H)
    sent, answered = peer.validate(H, bytes(8))
    return {"validate_room": sent, "validate_refused": answered}


@breaks("handle_opened", "phQuery is NULL", stub=HANDLE)
def _(peer):
    return peer.open(p.NULL_HANDLE)[1]


@breaks("handle_unique", "gave out this handle in frame", stub=HANDLE)
def _(peer):
    peer.open(H)
    return peer.open(H)[1]


@breaks("handle_closed", "phQuery is not NULL", stub=HANDLE)
def _(peer):
    peer.open(H)
    return peer.close(H, returned=H)[1]


@breaks("handle_refused", "succeeded on a query handle that was closed in frame", stub=RETURN_CODE)
def _(peer):
    peer.open(H)
    peer.close(H)
    sent, answered = peer.poll(H, p.data())
    return {"handle_after_close": sent, "handle_refused": answered}


# Which member a rule is about: offset and size, 2.2.4.1 and 2.2.4.2.
COUNTERSET_AT = {"counterset_guid": (0, 16), "counterset_type": (16, 4), "detail_level": (20, 4), "detail_level_listed": (20, 4),
                 "reg_num_counters": (24, 4), "instance_type": (28, 4)}
COUNTER_AT = {"counter_id_unique": (0, 4), "counter_type": (4, 4), "counter_type_listed": (4, 4), "attrib": (8, 8), "attrib_combination": (8, 8),
              "default_scale": (20, 4), "base_id": (24, 4), "base_type": (24, 4), "perf_time_id": (28, 4), "perf_time_type": (28, 4),
              "perf_freq_id": (32, 4), "perf_freq_type": (32, 4), "multi_id": (36, 4), "multi_type": (36, 4), "aggregate": (40, 4),
              "counter_reserved": (44, 4)}


def breaks_counterset(rule, *says, **changes):
    breaks(rule, *says, at=COUNTERSET_AT[rule])(lambda peer: peer.registration(1, p.counterset(p.COUNTERS, **changes))[1])


breaks_counterset("counterset_guid", str(p.OTHER_SET), str(p.SET), guid=p.OTHER_SET)
breaks_counterset("counterset_type", "CounterSetType is 1", "expected 0", type=1)
breaks_counterset("instance_type", "InstanceType is 0x22", "0x16", instance_type=0x22)
breaks_counterset("reg_num_counters", "NumCounters is 9", "8 _PERF_COUNTER_REG_INFO", num=9)
breaks_counterset("detail_level", "DetailLevel is 150", "100 or 200", detail=150)
breaks_counterset("detail_level_listed", "PERF_DETAIL_EXPERT", detail=300)
breaks_counterset("detail_level_listed", "PERF_DETAIL_WIZARD", detail=400)


def breaks_counter(rule, *says, **fields):
    """One counter more, which breaks the rule."""
    id = fields.pop("id", 20)
    offset, size = COUNTER_AT[rule]
    breaks(rule, *says, at=(32 + 48 * len(p.COUNTERS) + offset, size))(lambda peer: peer.registration(1, p.counterset([*p.COUNTERS, p.counter(id, **fields)]))[1])


breaks_counter("counter_id_unique", "CounterId 3", id=3)
breaks_counter("counter_type", "Type of counter 20 is 0x12345678", type=0x12345678)
breaks_counter("counter_type_listed", "PERF_COUNTER_DELTA", type=0x00400400)
breaks_counter("attrib", "Attrib of counter 20 is 0x20", "0x1f", attrib=0x20)
breaks_counter("attrib_combination", "0x6", "no display", attrib=6)
breaks_counter("attrib_combination", "0x18", "display as hexadecimal", attrib=0x18)
breaks_counter("default_scale", "DefaultScale of counter 20 is 11", "-10 to 10", scale=11)
breaks_counter("default_scale", "DefaultScale of counter 20 is -11", scale=-11)
breaks_counter("base_id", "BaseCounterId of counter 20 is 0xffffffff", "PERF_AVERAGE_BASE", type=p.AVERAGE_BULK)
breaks_counter("base_id", "BaseCounterId of counter 20 is 0x63", type=p.AVERAGE_BULK, base=99)
breaks_counter("base_type", "BaseCounterId of counter 20 names counter 4 of type 0x40030401 (PERF_SAMPLE_BASE), expected PERF_AVERAGE_BASE", type=p.AVERAGE_BULK, base=4)
breaks_counter("perf_time_id", "PerfTimeId of counter 20", "PERF_COUNTER_LARGE_RAWCOUNT", type=p.OBJ_TIME_TIMER, freq=2)
breaks_counter("perf_time_type", "PerfTimeId of counter 20 names counter 1 of type 0x00010000 (PERF_COUNTER_RAWCOUNT), expected PERF_COUNTER_LARGE_RAWCOUNT",
               type=p.OBJ_TIME_TIMER, time=1, freq=2)
breaks_counter("perf_freq_id", "PerfFreqId of counter 20", type=p.OBJ_TIME_TIMER, time=2)
breaks_counter("perf_freq_type", "PerfFreqId of counter 20 names counter 1 of type 0x00010000 (PERF_COUNTER_RAWCOUNT), expected PERF_COUNTER_LARGE_RAWCOUNT",
               type=p.OBJ_TIME_TIMER, time=2, freq=1)
breaks_counter("multi_id", "MultiId of counter 20", "PERF_COUNTER_RAWCOUNT", type=p.MULTI_TIMER)
breaks_counter("multi_id", "MultiId of counter 20 is 0x63, which is not a counter", "PERF_COUNTER_RAWCOUNT", type=p.MULTI_TIMER, multi=99)
breaks_counter("multi_type", "MultiId of counter 20 names counter 2 of type 0x00010100 (PERF_COUNTER_LARGE_RAWCOUNT), expected PERF_COUNTER_RAWCOUNT", type=p.MULTI_TIMER, multi=2)
breaks_counter("aggregate", "AggregateFunc of counter 20 is 5", "0 to 4", aggregate=5)
breaks_counter("counter_reserved", "Reserved of counter 20 is 0x1", "expected 0", reserved=1)


@breaks("counter_id", "CounterId is 1, but 7 was asked for", at=(0, 4))
def _(peer):
    return peer.registration(2, p.counter(1), lcid=7)[1]


NAMES = [(id, f"counter {id}") for id in range(1, 9)]


def breaks_strings(rule, *says, pairs=NAMES, at=None, **changes):
    def make(peer):
        peer.teach()
        return peer.registration(5, p.strings(pairs, **changes))[1]

    breaks(rule, *says, at=at)(make)


breaks_strings("strings_size", "dwSize is 80", "the buffer holds 232 bytes", size=80, at=(0, 4))
breaks_strings("strings_aligned", "204 bytes", pairs=[(id, f"counter{id}") for id in range(1, 8)] + [(8, "ab")], pad=False, at=(0, 4))
breaks_strings("strings_counters", "dwCounters is 7", "8 counters", pairs=NAMES[:7], at=(4, 4))
breaks_strings("strings_counter_id", "dwCounterId is 99", pairs=[*NAMES[:7], (99, "counter 9")], at=(8 + 7 * 8, 4))
breaks_strings("strings_offset", "dwOffset 65535", offsets=[0, 20, 40, 60, 80, 100, 120, 65535], at=(8 + 7 * 8 + 4, 4))
breaks_strings("strings_offset", "dwOffset 2 leads to byte 74, where no string begins", "not after the end of another string", offsets=[2, 20, 40, 60, 80, 100, 120, 140],
               at=(8 + 4, 4))
breaks_strings("strings_offset", "dwOffset 21 leads to byte 93, where no string begins", "in the middle of a character", offsets=[0, 21, 40, 60, 80, 100, 120, 140],
               at=(8 + 8 + 4, 4))
breaks_strings("strings_offset_base", "from the start of the buffer", base=0, at=(8, 8 * 8))


@breaks("string_terminated", "8 bytes has no terminator", at=(0, 8))
def _(peer):
    return peer.registration(3, "name".encode("utf-16-le"))[1]


@breaks("instance_size", "Size of _PERF_INSTANCE_HEADER is 20", "multiple of 8", at=(0, 4))
def _(peer):
    return peer.instances(p.instance(size=20, raw=p.text("abcde")))[1]


@breaks("instance_terminated", "8 bytes has no terminator", at=(8, 8))
def _(peer):
    return peer.instances(p.instance(raw="abcd".encode("utf-16-le")))[1]


@breaks("instance_unique", "Instance 2 of 2", "id 7", at=(16, 8))
def _(peer):
    return peer.instances(p.instance(id=7), p.instance(id=7))[1]


@breaks("instance_single", "2 instances of a single-instance counterset", at=WHOLE)
def _(peer):
    peer.teach(instance_type=0)
    return peer.instances(p.instance("a"), p.instance("b"))[1]


@breaks("instances_none", "ERROR_WMI_INSTANCE_NOT_FOUND was expected", stub=RETURN_CODE)
def _(peer):
    return peer.instances()[1]


@breaks("instance_padding", "The padding after the instance name is not 0", at=(BODY + 8 + 8 + 4, 4))
def _(peer):
    peer.open(H)
    row = p.instance("a", fill=b"\1") + p.value()
    return peer.poll(H, p.data(p.block(4, p.multi_instances([row]))))[1]


@breaks("identifier_size", "Size of _PERF_COUNTER_IDENTIFIER is 44", "multiple of 8", at=(20, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(name="a"))
    return peer.info(H, p.identifier(raw=p.text("a")))[1]


@breaks("identifier_size", "Size of _PERF_COUNTER_IDENTIFIER is 32", "40 bytes", at=(20, 4))
def _(peer):
    peer.open(H)
    sent = p.identifier(name=None, size=32)
    return peer.validate(H, sent, returned=p.identifier(name=None, size=32, status=p.INVALID_PARAMETER))[0]


@breaks("short_identifier_refused", "Status of identifier 0 is 0, expected an error", "Size 32 is below 40", at=(16, 4))
def _(peer):
    peer.open(H)
    sent, answered = peer.validate(H, p.identifier(name=None, size=32))
    return {"identifier_size": sent, "short_identifier_refused": answered}


@breaks("added_twice", "Status of identifier 1 is 0, expected ERROR_ALREADY_EXISTS", at=(48 + 16, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1))
    return peer.validate(H, p.identifier(2), p.identifier(1))[1]


@breaks("removed_unknown", "Status of identifier 1 is 0, expected ERROR_INVALID_PARAMETER", at=(48 + 16, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2))
    return peer.validate(H, p.identifier(1), p.identifier(2, "two"), add=0)[1]


@breaks("already_exists", "Status of identifier 0 is ERROR_ALREADY_EXISTS, but it was to be removed", at=(16, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1))
    return peer.validate(H, p.identifier(1), add=0, returned=p.identifier(1, status=0xB7))[1]


@breaks("added_guid", "Status of identifier 1 is 0, expected ERROR_WMI_GUID_NOT_FOUND, as the server said in frame", at=(48 + 16, 4))
def _(peer):
    peer.registration(1, b"", guid=p.OTHER_SET, status=p.GUID_NOT_FOUND)
    peer.open(H)
    return peer.validate(H, p.identifier(1), p.identifier(1, guid=p.OTHER_SET))[1]


@breaks("added_counter", "Status of identifier 1 is 0, expected ERROR_WMI_ITEMID_NOT_FOUND: its counterset has no counter 99", at=(48 + 16, 4))
def _(peer):
    peer.teach()
    peer.open(H)
    return peer.validate(H, p.identifier(1), p.identifier(99), p.identifier(p.NONE))[1]


@breaks("identifier_status", "Status of identifier 0 is 0x80041000", at=(16, 4))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(), returned=p.identifier(status=0x80041000))[1]


@breaks("info_counters", "Identifier 1 is for counter 3, which was not added", at=(48, 40))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2))
    return peer.info(H, p.identifier(1), p.identifier(3, index=1))[1]


@breaks("info_counters", "Identifier 0 is for counter 1, which was not added", at=(0, 40))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1))
    return peer.info(H, p.identifier(1, guid=p.OTHER_SET))[1]


@breaks("info_counters", "Identifier 0 is for counter 1, which was not added to the query for this instance", at=(0, 40))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1, "one"))
    return peer.info(H, p.identifier(1, "two"))[1]


@breaks("identifier_terminated", "8 bytes has no terminator", at=(40, 8))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(raw="abcd".encode("utf-16-le")))[0]


@breaks("identifier_name", "Size of identifier 0 is 40", "several instances", at=(20, 4))
def _(peer):
    peer.teach()
    peer.open(H)
    return peer.validate(H, p.identifier(name=None))[0]


@breaks("identifier_name", "Size of identifier 0 is 40", "several instances", at=(20, 4))
def _(peer):
    peer.teach(instance_type=6)
    peer.open(H)
    return peer.validate(H, p.identifier(name=None))[0]


@breaks("identifier_reserved", "Reserved of identifier 0 is 0x1", "expected 0", at=(36, 4))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(reserved=1))[0]


@breaks("identifier_echo", "Identifier 1 differs from the one in the request", at=(48, 40))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(1), p.identifier(2), returned=p.identifier(1) + p.identifier(3))[1]


@breaks("identifier_echo", "lpData holds 1 identifiers, but 2 were sent", at=WHOLE)
def _(peer):
    peer.open(H)
    # The answer keeps its length, as it must, by a name that has room.
    padded = p.identifier(1, raw=p.text("one") + bytes(48 - 8 + 8))
    return peer.validate(H, p.identifier(1), p.identifier(2), returned=padded)[1]


@breaks("validate_status", "ERROR_ACCESS_DENIED", at=(16, 4))
def _(peer):
    peer.open(H)
    return peer.validate(H, p.identifier(), returned=p.identifier(status=5))[1]


@breaks("info_identifiers", "lpData holds 2 identifiers, but the query has 1", at=WHOLE)
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1))
    return peer.info(H, p.identifier(1), p.identifier(2, index=1))[1]


@breaks("index_range", "Index of identifier 0 is 5", "less than 1", at=(32, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier())
    return peer.info(H, p.identifier(index=5))[1]


@breaks("index_unique", "Index 0 of identifier 1", at=(48 + 32, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2))
    return peer.info(H, p.identifier(1), p.identifier(2))[1]


@breaks("info_padding", "The padding after the instance name of identifier 0 is not 0", at=(40 + 4, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(name="a"))
    return peer.info(H, p.identifier(name="a", fill=b"\1"))[1]


ONE = p.block(1, p.value())


def breaks_data(rule, *says, at, blocks=(ONE,), **changes):
    def make(peer):
        peer.open(H)
        return peer.poll(H, p.data(*blocks, **changes))[1]

    breaks(rule, *says, at=at)(make)


breaks_data("data_total_size", "dwTotalSize is 72", "80 bytes", at=(0, 4), total=72)
breaks_data("data_num_counters", "dwNumCounter is 2", "1 blocks", at=(4, 4), num=2)
breaks_data("data_time", "SystemTime is 2023-13-14", at=(32, 16), system_time=(2023, 13, 2, 14, 22, 13, 20, 0))
breaks_data("data_time", "PerfTime100NSec is 0xffffffffffffffff", at=(16, 8), time=0xFFFFFFFFFFFFFFFF)
breaks_data("perf_freq", "PerfFreq is 0", at=(24, 8), freq=0)
breaks_data("block_size", "dwSize of _PERF_COUNTER_HEADER is 36", "multiple of 8", at=BLOCK_SIZE, blocks=[p.block(1, p.value() + bytes(4))])
breaks_data("block_size", "dwSize of _PERF_COUNTER_HEADER is 8", "16 bytes", at=BLOCK_SIZE, blocks=[p.block(1, p.value(), size=8)])
breaks_data("block_status", "dwStatus of block 0 is 0x80041000", at=BLOCK_STATUS, blocks=[p.block(0, status=0x80041000)])
breaks_data("block_value_status", "dwStatus of block 0 is ERROR_ACCESS_DENIED", at=BLOCK_STATUS, blocks=[p.block(1, p.value(), status=5)])
breaks_data("system_time", "from PerfTime100NSec", at=(32, 16), system_time=(2023, 11, 2, 14, 22, 13, 30, 0))
breaks_data("system_time", "wDayOfWeek is 3, but that day is 2", at=(32 + 4, 2), system_time=(2023, 11, 3, 14, 22, 13, 20, 0))
breaks_data("instance_unique", "Instance 2 of 2", "id 7", at=(BODY + 8 + 16 + 16, 8),
            blocks=[p.block(4, p.multi_instances([p.instance(id=7) + p.value()] * 2))])
breaks_data("block_type", "dwType of _PERF_COUNTER_HEADER is 3", "0, 1, 2, 4 or 6", at=BLOCK_TYPE, blocks=[p.block(3)])
breaks_data("block_reserved", "Reserved of block 0 is 0x1", at=BLOCK_RESERVED, blocks=[p.block(1, p.value(), reserved=1)])
breaks_data("block_error_alone", "is 24 instead of 16", at=BLOCK_SIZE, blocks=[p.block(0, bytes(8), status=5)])
breaks_data("block_error_status", "dwStatus of block 0 is 0", at=BLOCK_STATUS, blocks=[p.block(0)])
breaks_data("multi_counters_size", "dwSize of _PERF_MULTI_COUNTERS is 8", "16 bytes", at=(BODY, 4),
            blocks=[p.block(2, p.multi_counters([1, 2], size=8) + p.value() + p.value())])
breaks_data("multi_instances_size", "dwTotalSize of _PERF_MULTI_INSTANCES is 32", "40 bytes", at=(BODY, 4),
            blocks=[p.block(4, p.multi_instances([p.instance() + p.value()], size=32))])
breaks_data("value_size", "dwSize of _PERF_COUNTER_DATA is 12", "multiple of 8", at=(BODY + 4, 4), blocks=[p.block(1, p.value(size=12))])


@breaks("poll_blocks", "There are 2 blocks", "1 identifiers", at=(4, 4))
def _(peer):
    peer.mapped(H, p.identifier())
    return peer.poll(H, p.data(ONE, ONE))[1]


@breaks("poll_blocks", "There are 1 blocks, but 2 identifiers were added", at=(4, 4))
def _(peer):
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2))
    return peer.poll(H, p.data(ONE))[1]


@breaks("block_single", "Block 0 holds a single instance", "uses a wildcard", at=BLOCK_TYPE)
def _(peer):
    peer.teach()
    peer.mapped(H, p.identifier(1, "*"))
    return peer.poll(H, p.data(ONE))[1]


@breaks("block_single", "Block 0 holds a single instance", "uses a wildcard", at=BLOCK_TYPE)
def _(peer):
    peer.teach(instance_type=6)
    peer.mapped(H, p.identifier(1, "o?e"))
    return peer.poll(H, p.data(ONE))[1]


def breaks_all_counters(*ids, says, at):
    def make(peer):
        peer.teach()
        peer.mapped(H, p.identifier(p.NONE))
        return peer.poll(H, p.data(p.block(2, p.multi_counters(ids) + b"".join(p.value(7, WIDTHS[id]) for id in ids))))[1]

    breaks("block_all_counters", says, at=at)(make)


WIDTHS = dict(zip(range(1, 9), [4, 8, 4, 4, 8, 8, 8, 4]))     # of p.COUNTERS
breaks_all_counters(1, says="The block has 1 counters, but its counterset has 8", at=(BODY + 4, 4))
breaks_all_counters(1, 2, 3, 4, 5, 6, 7, 7, says="The block already has counter id 7", at=(BODY + 8 + 7 * 4, 4))
breaks_all_counters(1, 2, 3, 4, 5, 6, 7, 8, 8, says="The block already has counter id 8", at=(BODY + 8 + 8 * 4, 4))


@breaks("block_identifier", "Block 0 has several counters", "asks for one", at=BLOCK_TYPE)
def _(peer):
    peer.mapped(H, p.identifier())
    return peer.poll(H, p.data(p.block(2, p.multi_counters([1, 2]) + p.value() * 2)))[1]


def breaks_instances(name, instance, *rows, says, at):
    def make(peer):
        peer.mapped(H, p.identifier(1, name, instance=instance))
        return peer.poll(H, p.data(p.block(4, p.multi_instances([row + p.value() for row in rows]))))[1]

    breaks("block_instances", says, at=at)(make)


breaks_instances("one", 0, p.instance("one"), says="asks for one", at=BLOCK_TYPE)
breaks_instances("o*", p.NONE, p.instance("one"), p.instance("two"), says="Instance 1 of block 0 (id 0) does not match", at=(BODY + 8 + 32, 8 + 6))
breaks_instances("one", p.NONE, p.instance("one", 3), p.instance("only", 4), says="Instance 1 of block 0 (id 4) does not match", at=(BODY + 8 + 32, 8 + 8))


@breaks("block_counter_ids", "no counter 99", at=(BODY + 8 + 4, 4))
def _(peer):
    peer.teach()
    peer.mapped(H, p.identifier(p.NONE))
    return peer.poll(H, p.data(p.block(2, p.multi_counters([1, 99]) + p.value() * 2)))[1]


@breaks("value_data_size", "dwDataSize is 4", "PERF_COUNTER_LARGE_RAWCOUNT", at=(BODY, 4))
def _(peer):
    peer.teach()
    peer.mapped(H, p.identifier(2))
    return peer.poll(H, p.data(ONE))[1]


@breaks("sample_base", "PERF_SAMPLE_BASE is 0", at=(BODY + 8, 4))
def _(peer):
    peer.teach()
    peer.mapped(H, p.identifier(4))
    return peer.poll(H, p.data(p.block(1, p.value(0))))[1]


@breaks("auth_service", "Kerberos (16)", "SPNEGO (9) or NTLM (10)", stub=WHOLE)
def _(peer):
    peer.connection.call_id += 1
    peer.connection.protected(REQUEST, peer.machine, 5, 16, opnum=3)
    sent = len(peer.capture.frames)
    peer.connection.protected(RESPONSE, H + bytes(4), 5, 16)
    answered = sent + 1
    return {"auth_service": sent, "auth_level": sent, "transport": sent, "privacy_required": answered}


@breaks("auth_level", "none (1), expected packet privacy (6)", stub=WHOLE)
def _(peer):
    sent, answered = peer.open(H)
    peer.poll(H, p.data())      # said once a connection
    return {"auth_level": sent, "transport": sent, "privacy_required": answered}


@breaks("privacy_required", "must refuse with ERROR_ACCESS_DENIED", stub=WHOLE)
def _(peer):
    refused, _answer = peer.open(p.NULL_HANDLE, status=p.ACCESS_DENIED)
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0])
    sent, answered = other.open(H)
    return {"auth_level": (refused, sent), "transport": (refused, sent), "privacy_required": answered}


@breaks("transport", "expected ncacn_np", stub=WHOLE)
def _(peer):
    sent, _answer = peer.open(p.NULL_HANDLE, status=p.ACCESS_DENIED)
    return {"auth_level": sent, "transport": sent}


@breaks("transfer_syntax", "NDR64, expected NDR", stub=WHOLE)
def _(peer):
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0], transfer_syntax=NDR64)
    sent, _answer = other.open(p.NULL_HANDLE, status=p.ACCESS_DENIED)
    return {"transfer_syntax": sent, "auth_level": sent, "transport": sent}


def sentences(tshark, path):
    """frame -> all that expert items say there"""
    rows = tshark.fields(path, "frame.number", "_ws.expert.message")
    return {int(row[0][0]): "\n".join(row[1]) for row in rows}


@dataclass
class Made:
    case: Case
    expected: dict
    frames: range


def all_broken(path):
    """All cases in one capture, each on a server of its own: (its path, [what was made of each])."""
    capture = Capture()
    made = []
    for number, case in enumerate(CASES):
        begin = len(capture.frames) + 1
        expected = case.make(p.Peer(capture, server=f"10.0.{number // 250}.{number % 250 + 1}"))
        if not isinstance(expected, dict):
            expected = {case.rule: expected}
        expected = {rule: set(frames) if isinstance(frames, tuple) else {frames} for rule, frames in expected.items()}
        made.append(Made(case, expected, range(begin, len(capture.frames) + 1)))
    return capture.write(path), made


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    return all_broken(tmp_path_factory.mktemp("rules") / "broken.pcap")


def test_bundled_capture_breaks_every_rule(tshark):
    """captures/rules.pcapng, which captures/make/rules.py writes of these cases."""
    found = {rule for rules in findings(tshark, CAPTURES / "rules.pcapng").values() for rule in rules}
    assert found == set(RULES), "run captures/make/rules.py"


@pytest.fixture(scope="module")
def broken_findings(tshark, broken):
    return findings(tshark, broken[0])


@pytest.fixture(scope="module")
def broken_sentences(tshark, broken):
    return sentences(tshark, broken[0])


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{case.rule}-{i}" for i, case in enumerate(CASES)])
def test_broken_rule_and_only_it(broken, broken_findings, broken_sentences, number):
    made = broken[1][number]
    found = {}
    for frame in made.frames:
        for rule in broken_findings.get(frame, ()):
            found.setdefault(rule, set()).add(frame)
    for rule in SESSION - made.expected.keys():
        found.pop(rule, None)
    assert found == made.expected
    said = p.plain_host("\n".join(broken_sentences[frame] for frame in made.expected[made.case.rule]))
    for words in made.case.says:
        assert words in said


def places_of(item, case, outer=None):
    """(position, size) of the items that an expert item of a case stands below."""
    if item.name == f"perflibv2.rule.{case.rule}" and case.says[0] in p.plain_host(item.showname):
        yield outer
    for child in item.children:
        yield from places_of(child, case, outer if item.name == "_ws.expert" else (item.position, item.size))


def test_findings_stand_at_their_bytes(tshark, broken):
    path, made = broken
    packets = dict(enumerate(tshark.packets(path, display_filter="frame"), 1))
    for case, frame in some(((one.case, frame) for one in made for frame in one.expected[one.case.rule]), len(CASES)):
        (protocol,) = (protocol for protocol in packets[frame] if protocol.name == "perflibv2")
        begin = protocol.first("perflibv2.lpdata").position if case.at else protocol.position
        offset, size = case.at or case.stub
        places = {(position - begin, size) for position, size in places_of(protocol, case)}
        assert places == {(offset if offset >= 0 else protocol.size + offset, size)}, f"{case.rule} in frame {frame}"


def test_every_rule_is_broken_somewhere():
    assert {case.rule for case in CASES} == set(RULES)


UNKNOWN_SET = uuid.UUID(int=p.SET.int + 7)


def good_session(capture, server="10.9.9.9"):
    """Keeps every rule of calls and buffers."""
    peer = p.Peer(capture, server=server)
    peer.enumerate(guids=(), in_size=0, out=0, needed=2, status=p.NOT_ENOUGH_MEMORY)
    peer.enumerate(guids=(p.SET, p.OTHER_SET))
    peer.teach()
    peer.teach()
    for code in (3, 4):
        peer.registration(code, p.text("name"), lcid=0x409)
    for code in (7, 9):
        peer.registration(code, p.text("name"))
    for code in (5, 6):
        peer.registration(code, p.strings(NAMES), lcid=0x409)
    peer.registration(10, p.strings(NAMES))
    peer.registration(2, p.COUNTERS[2], lcid=3)
    peer.registration(8, p.SET.bytes_le)
    peer.registration(1, p.counterset(p.COUNTERS[:1], guid=p.OTHER_SET, instance_type=0), guid=p.OTHER_SET)
    peer.instances(p.instance(""), guid=p.OTHER_SET)
    peer.instances(p.instance("one", 1), p.instance("one", 2), p.instance("other", 1))
    peer.instances(status=p.INSTANCE_NOT_FOUND)
    wanted = [p.identifier(1), p.identifier(4), p.identifier(p.NONE), p.identifier(2, "*"), p.identifier(p.NONE, "*", instance=p.NONE),
              p.identifier(2, "gone"), p.identifier(1, None, guid=p.OTHER_SET), p.identifier(2, "o")]
    peer.open(H)
    peer.mapped(p.query_handle(7), *wanted)
    ids = range(1, 9)
    widths = [4, 8, 4, 4, 8, 8, 8, 4]
    values = b"".join(p.value(7, width) for width in widths)
    blocks = [
        p.block(1, p.value() + bytes(16)),      # spare room
        p.block(1, p.value()),
        p.block(2, p.multi_counters(ids) + values),
        p.block(4, p.multi_instances([p.instance("o") + p.value(1, 8), p.instance("ot") + p.value(2, 8)])),
        p.block(6, p.multi_counters(ids) + p.multi_instances([p.instance("one") + values])),
        p.block(0, status=0xE8),
        p.block(1, p.value()),
        p.block(1, p.value(3, 8)),
    ]
    peer.poll(p.query_handle(7), b"", in_size=0, needed=1000, status=p.NOT_ENOUGH_MEMORY)
    peer.poll(p.query_handle(7), p.data(*blocks))
    peer.validate(p.query_handle(7), wanted[0], add=0)
    peer.validate(H, p.identifier(1, "no"), returned=p.identifier(1, "no", status=3))
    peer.registration(1, b"", guid=UNKNOWN_SET, status=p.GUID_NOT_FOUND)
    peer.validate(H, p.identifier(1, guid=UNKNOWN_SET), returned=p.identifier(1, guid=UNKNOWN_SET, status=p.GUID_NOT_FOUND))
    peer.close(H)
    peer.close(p.query_handle(7))
    peer.open(H)    # again, once it was closed


# What the peers of the bundled captures do on purpose, or because of what the capture is about (captures/README.md).
SESSION_WITH_ERRORS = {"request_code", "validate_room"}
ON_PURPOSE = {
    "tcp-session": SESSION_WITH_ERRORS,
    "smb2-session": SESSION_WITH_ERRORS,
    "big-endian": SESSION_WITH_ERRORS,
    "ndr64": SESSION_WITH_ERRORS,
    "spec-layout": SESSION_WITH_ERRORS,
    "handles": {"handle_after_close"},
    "faults-tcp": {"handle_after_close"},
    # One of its servers counts no padding in sizes, so that what follows is aligned at none; the other pads no array of ids.
    "sizes-without-padding": {"alignment", "value_size", "instance_size", "multi_instances_size"},
    "sealed-kerberos": {"auth_service"},    # [MS-PCQ] 2.1 knows SPNEGO and NTLM only
}


# What only a session that is sealed, or over SMB, can keep; and what only a broken call can be answered well to.
NOT_IN_CLEAR = SESSION | {"auth_service"}
ANSWERS = {
    "request_code_refused": "request_code",
    "validate_refused": "validate_room",
    "handle_refused": "handle_after_close",
    "short_identifier_refused": "identifier_size",
}


def test_good_session_keeps_every_rule(tshark, tmp_path):
    capture = Capture()
    good_session(capture)
    path = capture.write(tmp_path / "good.pcap")
    rows, (*_, last) = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert {rule for rule, row in rows.items() if row[1]} == SESSION
    assert set(RULES) - rows.keys() == {"auth_service", *ANSWERS}
    assert last == "no rule broken"
    assert not any(rules - SESSION for rules in findings(tshark, path).values())


PRECISION_OBJECT_TIMER, OBJ_TIME_QUEUELEN, MULTI_BASE, TEXT = 0x20670500, 0x00650500, 0x42030500, 0x00000B00


def test_what_practice_allows(tshark, tmp_path):
    """Where the text is stricter, wrong or silent (RULES.md) nothing is broken."""
    capture = Capture()
    peer = p.Peer(capture)
    counters = [
        p.counter(1, PRECISION_OBJECT_TIMER, base=2),       # a base counter in place of a time
        p.counter(2, 0x40030500),
        p.counter(3, p.MULTI_TIMER, multi=4),
        p.counter(4, MULTI_BASE),
        p.counter(5, OBJ_TIME_QUEUELEN, time=6, freq=6),    # 4 bytes by the text, 8 by the bits of its type
        p.counter(6, p.LARGE_RAWCOUNT),
        p.counter(7, TEXT),                                 # of any size
        p.counter(8, p.SAMPLE_FRACTION, base=9),
        p.counter(9, p.SAMPLE_BASE),
    ]
    peer.registration(1, p.counterset(counters, instance_type=0))
    peer.registration(2, counters[7], lcid=8)               # its base is known from before
    names = [(number, f"counter {number}") for number in range(1, 10)]
    offsets = [sum(len(p.text(text)) for _, text in names[:number]) for number in range(9)]
    peer.registration(5, p.strings(names, offsets=[*offsets[:8], p.NONE]))      # no name
    peer.open(H)
    wanted = [p.identifier(5, None), p.identifier(5, "", raw=bytes(16), instance=1), p.identifier(7, None), p.identifier(5, None, instance=3)]
    peer.mapped(p.query_handle(2), *wanted)
    text = p.text("any")
    text = struct.pack("<II", len(text), 16) + text
    peer.poll(p.query_handle(2), p.data(p.block(1, p.value(1, 4)), p.block(1, p.value(1, 8)), p.block(1, text), p.block(0, status=2)))
    # The same counters with other status and index, as a server returns them.
    peer.validate(H, p.identifier(index=5), returned=p.identifier(index=0, status=0xB7))
    # A call that fails for reasons that are not listed, without names even.
    peer.registration(1, b"", status=0x7FFE)
    path = capture.write(tmp_path / "allowed.pcap")
    rows, (*_, last) = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert {rule for rule, row in rows.items() if row[1]} == SESSION | {"counter_type_listed", "return_code_listed"}
    assert last == "no rule broken"


def changed(buffer, at, size, number):
    return buffer[:at] + (number % (1 << 8 * size)).to_bytes(size, "little") + buffer[at + size :]


def wrong_numbers(buffer, places):
    """(place, buffer) with one of the numbers of 4 bytes at these places changed in every way that is likely to happen."""
    for at in places:
        (number,) = struct.unpack_from("<I", buffer, at)
        for wrong in {number + 1, number - 1, number + 4, number + 8, number - 8, number * 2, 0, 0x10000 + number, 0xFFFFFFFF} - {number}:
            yield (at, wrong & 0xFFFFFFFF), changed(buffer, at, 4, wrong)


def test_one_wrong_number_in_a_poll_is_one_finding(tshark, tmp_path):
    """Sizes and counts of structures of each kind: what follows them is not judged until a place that can be trusted."""
    blocks = [
        p.block(1, p.value(5)), p.block(2, p.multi_counters([1, 2, 3]) + b"".join(p.value(number) for number in (5, 6, 7))),
        p.block(4, p.multi_instances([p.instance(name) + p.value() for name in ("one", "three", "fifteen")])), p.block(0, status=0xE8),
        p.block(6, p.multi_counters([1, 2, 3]) + p.multi_instances([p.instance(name) + p.value(7) * 3 for name in ("one", "three")])), p.block(1, p.value(9)),
    ]
    wanted = [p.identifier(1), p.identifier(p.NONE), p.identifier(1, "*"), p.identifier(2), p.identifier(p.NONE, "*"), p.identifier(2)]
    begins = [48 + sum(map(len, blocks[:number])) for number in range(len(blocks))]
    second, third, fifth = begins[1] + 16, begins[2] + 16, begins[4] + 16
    places = [begin + 8 for begin in begins] + [begins[0] + 16, begins[0] + 20, second, second + 4, second + 24, second + 28, second + 44]
    places += [third, third + 4, third + 8, third + 24, third + 28, fifth, fifth + 4, fifth + 24, fifth + 28, fifth + 32, fifth + 48, fifth + 52]
    whole = p.data(*blocks)

    def session(content):
        def make(peer):
            peer.registration(1, p.counterset([p.counter(id) for id in (1, 2, 3)]))
            peer.mapped(H, *wanted)
            peer.poll(H, content)

        return make

    made = [("whole", session(whole)), *((what, session(content)) for what, content in wrong_numbers(whole, places))]
    found = findings_of_each(tshark, tmp_path / "wrong.pcap", made)
    assert found.pop("whole") == set()
    assert len(found) > 150
    assert {what: rules for what, rules in found.items() if len(rules) > 1} == {}
    # A size of _PERF_MULTI_COUNTERS may end in the padding.
    assert {what for what, rules in found.items() if not rules} == {(second, 23), (fifth, 23)}


def test_one_wrong_number_in_identifiers_and_instances_is_one_finding(tshark, tmp_path):
    names = ("one", "fifteen", "three")
    items = b"".join(map(p.instance, names))
    identifiers = b"".join(p.identifier(1, name) for name in names)

    def sent(content):
        def make(peer):
            peer.open(H)
            peer.validate(H, content, returned=content, status=p.INVALID_PARAMETER)

        return make

    ends = [0, len(p.instance("one")), len(p.instance("one") + p.instance("fifteen"))]
    made = [(("instance", *what), lambda peer, content=content: peer.instances(content)) for what, content in wrong_numbers(items, ends)]
    ends = [20, 20 + len(p.identifier(1)), 20 + len(p.identifier(1) + p.identifier(1, "fifteen"))]
    made += [(("identifier", *what), sent(content)) for what, content in wrong_numbers(identifiers, ends)]
    found = findings_of_each(tshark, tmp_path / "wrong.pcap", made)
    assert len(found) > 40
    assert {what: rules for what, rules in found.items() if len(rules) > 1} == {}


def test_only_ten_findings_of_a_rule_are_shown(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(number, reserved=number) for number in range(1, 26)]))
    path = capture.write(tmp_path / "many.pcap")
    messages = tshark.fields(path, "_ws.expert.message", display_filter="perflibv2.rule.counter_reserved")[0][0]
    assert [message for message in messages if "Reserved" in message] == [
        f"Reserved of counter {number} is 0x{number:x}, expected 0" for number in range(1, 11)
    ]
    rows, (*_, last) = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert rows["counter_reserved"][:2] == (25, 25)
    assert last == "1 rule broken"


def who_of(tshark, path, rule):
    return {row["Rule"]: row["Who"] for row in named_rows(tshark.run(path, "-q", "-z", "perflibv2,rules"))}[rule]


def test_who_broke_what_binds_both(tshark, tmp_path):
    bad = p.identifier(1, size=4096)

    def client(peer):
        peer.validate(H, bad, returned=p.identifier(1), status=p.INVALID_PARAMETER)

    def server(peer):
        peer.instances(p.instance(size=4096, raw=p.text("one")))

    for who, sessions in (("client", [client]), ("server", [server]), ("both", [client, server])):
        capture = Capture()
        peer = p.Peer(capture)
        peer.open(H)
        peer.validate(H, p.identifier(1))
        for session in sessions:
            session(peer)
        assert who_of(tshark, capture.write(tmp_path / "who.pcap"), "structure_fits") == who


def test_every_connection_is_judged_once(tshark, tmp_path):
    capture = Capture()
    for number in range(3):
        peer = p.Peer(capture, server="10.1.1.1")
        for _ in range(4):
            peer.enumerate()
    rows, _ = verdicts(tshark.run(capture.write(tmp_path / "connections.pcap"), "-q", "-z", "perflibv2,rules"))
    assert [rows[rule][:2] for rule in sorted(SESSION)] == [(3, 3)] * 3


def test_lost_calls_blame_no_server(tshark, tmp_path):
    """An identifier added by a call that the capture lacks: its call id is missing, too."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.validate(H, p.identifier(1))
    peer.connection.call_id += 1
    peer.info(H, p.identifier(1), p.identifier(2, index=1))
    rows, (*_, last) = verdicts(tshark.run(capture.write(tmp_path / "lost.pcap"), "-q", "-z", "perflibv2,rules"))
    assert "info_identifiers" not in rows
    assert last == "no rule broken"


def test_lost_calls_prove_nothing(tshark, tmp_path):
    """What a block is of can't be inferred where a call that changed the query may be missing."""
    linked = []
    for lost in (0, 2):
        capture = Capture()
        peer = p.Peer(capture)
        peer.open(H)
        peer.validate(H, p.identifier(1))
        # One counter added and the other removed, say.
        peer.connection.call_id += lost
        peer.poll(H, p.data(ONE))
        path = capture.write(tmp_path / f"lost{lost}.pcap")
        linked.append(len(tshark.fields(path, "frame.number", display_filter="perflibv2.path")))
    assert linked == [1, 0]


def silent(tshark, path, but=frozenset()):
    """Rules that nobody broke or departed from, but those, are not in it."""
    for options in ((), ("-2",)):
        rows, (*_, last) = verdicts(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))
        assert {rule for rule, row in rows.items() if row[1]} - SESSION == but
        assert last == "no rule broken" or but


def test_handle_given_out_again_after_a_close_that_was_lost(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")       # the close is not in the capture, but has taken a number
    peer.open(H)
    peer.connection.call_id += 1
    peer.open(H)
    peer = p.Peer(capture, server="10.1.1.2")       # its answer is not
    peer.open(H)
    peer.call(4, H)
    peer.open(H)
    peer = p.Peer(capture, server="10.1.1.3")       # the client went away; its handles went with it
    peer.open(H)
    p.Peer(capture, server="10.1.1.3").open(H)
    silent(tshark, capture.write(tmp_path / "again.pcap"))


def test_handle_used_again_where_its_opening_was_lost(tshark, tmp_path):
    """3.2: a server may number its handles, so that one that was closed is soon given out again."""
    capture = Capture()

    def closed(server):
        peer = p.Peer(capture, server=server)
        peer.teach()
        peer.mapped(H, p.identifier(1), p.identifier(2))
        peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))
        peer.close(H)
        return peer

    peer = closed("10.1.1.1")       # the answer that gave it out is not in the capture
    peer.call(3, peer.machine)
    named = [peer.poll(H, p.data(p.block(1, p.value(7, 8)), ONE))[1]]
    peer = closed("10.1.1.2")       # nor is the call
    peer.connection.call_id += 1
    peer.poll(H, p.data(ONE))
    peer = closed("10.1.1.3")       # it was given out on a connection of which the beginning is missing
    peer = p.Peer(capture, server="10.1.1.3")
    peer.validate(H, p.identifier(2))
    named += [peer.poll(H, p.data(p.block(1, p.value(7, 8))))[1]]
    peer.close(H)
    path = capture.write(tmp_path / "reused.pcap")
    silent(tshark, path)
    # ... nor has it the identifiers of its first life.
    shown = tshark.fields(path, "frame.number", "perflibv2.path", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert {int(frame) for (frame,), paths in shown if paths} & set(named) == set() and any(paths for _, paths in shown)


def test_clients_that_do_not_number_their_calls(tshark, tmp_path):
    """Lost calls leave no gap in numbers that are all the same."""
    capture = Capture()

    def peer_of(server):
        peer = p.Peer(capture, server=server)
        made = peer.call

        def call(*arguments):
            peer.connection.call_id = 0x41414140
            return made(*arguments)

        peer.call = call
        return peer

    peer = peer_of("10.1.1.1")
    peer.open(H)
    peer.open(H)        # the close between is not in the capture
    peer.close(H)
    peer.poll(H, p.data(ONE))       # nor is it opening again
    peer = peer_of("10.1.1.2")
    peer.teach()
    peer.mapped(H, p.identifier(1))
    mapped = peer.poll(H, p.data(ONE))[1]
    peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))    # another identifier was added
    peer.info(H, p.identifier(1), p.identifier(2, index=1))
    peer.validate(H, p.identifier(1))   # the first was removed
    p.Peer(capture, server="10.1.1.3").open(H)
    peer = peer_of("10.1.1.4")
    peer.enumerate()
    peer.poll(H, p.data(ONE))           # its opening is lost; the other server has given out the same handle
    path = capture.write(tmp_path / "unnumbered.pcap")
    silent(tshark, path)
    (((link,),),) = tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {mapped}")
    assert link == "by Index of QueryCounterInfo, if no call in between is missing (this cannot be checked)"


def lost(capture, call):
    """A call that the capture lacks."""
    kept = len(capture.frames)
    call()
    del capture.frames[kept:]


def test_connections_of_one_client_that_share_handles(tshark, tmp_path):
    """What one of them lacks, another's calls are not judged by; nor does a block get a name by what was added before."""
    capture = Capture()

    def peers(server):
        """Two connections whose first calls are numbered 1."""
        made = [p.Peer(capture, machine=f"\\\\{server}", server=server) for _ in range(2)]
        for peer in made:
            peer.connection.call_id = 0
            peer.enumerate()
        return made

    first, second = peers("10.1.1.1")
    first.teach()
    first.open(H)
    first.validate(H, p.identifier(1))
    second.poll(H, p.data(ONE))
    lost(capture, lambda: second.validate(H, p.identifier(2)))
    second.poll(p.query_handle(2), p.data())        # shows that a call is missing, not whose
    first.info(H, p.identifier(1), p.identifier(2, index=1))
    lost(capture, lambda: second.validate(H, p.identifier(1), add=0))
    lost(capture, lambda: second.validate(H, p.identifier(1)))
    second.poll(p.query_handle(2), p.data())
    doubtful = second.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))[1]
    # 3.2 allows a counter: both servers give out the same handle. That of the second is opened where it was not captured.
    first, second = peers("10.1.1.2")
    lost(capture, lambda: second.open(H))
    first.poll(H, p.data())
    # Closed on one connection, given out again on the other.
    first, second = peers("10.1.1.3")
    first.open(H)
    first.close(H)
    lost(capture, lambda: second.open(H))
    second.enumerate()
    first.poll(H, p.data())
    # ... by an answer that is lost; and on one whose beginning is lost.
    first, second = peers("10.1.1.4")
    first.open(H)
    first.close(H)
    second.call(3, second.machine)
    first.poll(H, p.data())
    first, _ = peers("10.1.1.5")
    first.open(H)
    first.close(H)
    p.Peer(capture, machine="\\\\10.1.1.5", server="10.1.1.5").enumerate()
    first.poll(H, p.data())
    path = capture.write(tmp_path / "shared.pcap")
    silent(tshark, path)
    (((link, other),),) = tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {doubtful}", options=["-2"])
    assert link == other == "by Index of QueryCounterInfo, but calls in between are missing"


def test_one_machine_of_two_addresses(tshark, tmp_path):
    """... by the name that its client calls it: its handles are good at both."""
    capture = Capture()
    first, second = (p.Peer(capture, "\\\\HOST", server=server) for server in ("10.1.1.1", "10.1.1.2"))
    for peer in first, second:
        peer.connection.call_id = 0
        peer.enumerate()
    first.open(H)
    second.poll(H, p.data())
    silent(tshark, capture.write(tmp_path / "addresses.pcap"))


def test_handle_of_another_client_that_is_still_open(tshark, tmp_path):
    """What the first client's next call shows; of the same client it may be the same handle, closed on another connection."""
    capture = Capture()
    first = p.Peer(capture, client="10.3.3.1")
    first.teach()
    first.mapped(H, p.identifier(1))
    first.poll(H, p.data(ONE))
    other = p.Peer(capture, client="10.3.3.2")
    again = other.open(H)[1]
    other.validate(H, p.identifier(2))
    theirs = other.poll(H, p.data(p.block(1, p.value(9, 8))))[1]
    mine = first.poll(H, p.data(ONE))[1]
    first.poll(H, p.data(ONE))
    first.close(H)
    gone = p.Peer(capture, client="10.3.3.3")       # whose close is lost
    gone.open(p.query_handle(2))
    gone.connection.call_id += 1
    p.Peer(capture, client="10.3.3.4").open(p.query_handle(2))
    gone.enumerate()
    shared = p.Peer(capture, client="10.3.3.5")
    shared.open(p.query_handle(3))
    p.Peer(capture, client="10.3.3.5").open(p.query_handle(3))
    shared.poll(p.query_handle(3), p.data())
    path = capture.write(tmp_path / "again.pcap")
    for options in ((), ("-2",)):
        assert {frame: rules - SESSION for frame, rules in findings(tshark, path, *options).items() if rules - SESSION} == {mine: {"handle_unique"}}
    assert f"given out to another client in frame {again}" in sentences(tshark, path)[mine]
    # Each client's polls are of its own query.
    paths = {int(frame): paths for (frame,), paths in tshark.fields(path, "frame.number", "perflibv2.path", display_filter="perflibv2.path")}
    assert [name.endswith("counter 1") for name in paths[mine]] == [True] and [name.endswith("counter 2") for name in paths[theirs]] == [True]


def test_servers_may_number_their_handles_alike(tshark, tmp_path):
    capture = Capture()
    p.Peer(capture, machine="\\\\ELSEWHERE", server="10.1.1.1").open(H)
    peer = p.Peer(capture, server="10.1.1.2")       # whether its first call is missing can't be known
    peer.poll(H, p.data())
    peer = p.Peer(capture, server="10.1.1.3")       # the answer that gave out the handle is missing
    peer.connection.call_id = 0
    peer.call(3, peer.machine)
    peer.poll(H, p.data())
    peer = p.Peer(capture, server="10.1.1.4")       # the whole call is
    peer.connection.call_id = 0
    peer.enumerate()
    peer.connection.call_id += 1
    peer.poll(H, p.data())
    silent(tshark, capture.write(tmp_path / "alike.pcap"))


def test_what_the_text_leaves_open(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    for code in (3, 4, 7, 9):
        name = p.text("a name")
        peer.registration(code, name + bytes(-len(name) % 4))
        peer.registration(code, name + bytes(-len(name) % 8))
    peer.registration(8, b"", needed=0, status=p.NOT_ENOUGH_MEMORY)     # memory of the server's
    for code in (4, 6):
        peer.registration(code, b"")                # nothing is described
    peer.open(H)
    # Of sizes in requests no multiple is demanded, as long as structures are aligned.
    peer.validate(H, p.identifier(raw=p.text("a")), returned=p.identifier(raw=p.text("a"), status=p.INVALID_PARAMETER))
    # Its answer is not in the capture, so whether it was removed before it was added again is not known.
    peer.validate(H, p.identifier(1))
    peer.connection.call_id += 1
    peer.validate(H, p.identifier(1))
    silent(tshark, capture.write(tmp_path / "open.pcap"))


def test_same_identifier_twice_in_one_call(tshark, tmp_path):
    """ERROR_ALREADY_EXISTS is said of previous calls (3.1.4.1.7): where the server takes both, the query has two."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(1))
    peer.info(H, p.identifier(1), p.identifier(1, index=1))
    peer.poll(H, p.data(ONE, ONE))
    silent(tshark, capture.write(tmp_path / "twice.pcap"))


def test_changes_that_are_accepted_or_refused_rightly(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2, "*"), p.identifier(p.NONE, "two"), p.identifier(3, None))
    again = p.identifier(1)
    peer.validate(H, again, returned=again[:16] + struct.pack("<I", 0xB7) + again[20:])
    # What these remove may have been added: another case, another id, a pattern, all counters, no name.
    for item in (p.identifier(1, "ONE", instance=7), p.identifier(2, "three"), p.identifier(4, "Two"), p.identifier(3, "any")):
        peer.validate(H, item, add=0)
    # One that was not added is refused; one is removed that the capture lacks the adding of.
    peer = p.Peer(capture, server="10.1.1.2")
    peer.open(H)
    peer.validate(H, p.identifier(9), add=0, returned=p.identifier(9, status=p.INVALID_PARAMETER))
    lost(capture, lambda: peer.validate(H, p.identifier(9)))
    peer.validate(H, p.identifier(9), add=0)
    # A counterset, and a counter, that came after they had been refused, or are refused; all counters are no counter.
    peer = p.Peer(capture, server="10.1.1.3")
    peer.registration(1, b"", status=p.GUID_NOT_FOUND)
    peer.open(H)
    peer.validate(H, p.identifier(1), returned=p.identifier(1, status=p.GUID_NOT_FOUND))
    peer.teach()
    peer.validate(H, p.identifier(1), p.identifier(p.NONE))
    peer.validate(H, p.identifier(99), returned=p.identifier(99, status=0x106A))
    peer.registration(1, p.counterset([*p.COUNTERS, p.counter(99)]))
    peer.validate(H, p.identifier(99))
    # The provider's GUID is what is not found; a later answer is lost; another server's refusal.
    peer = p.Peer(capture, server="10.1.1.4")
    peer.registration(8, b"", status=p.GUID_NOT_FOUND)
    peer.registration(1, b"", guid=p.OTHER_SET, status=p.GUID_NOT_FOUND)
    peer.call(1, peer.machine + p.OTHER_SET.bytes_le + struct.pack("<III", 1, 0, 4096))
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(1, guid=p.OTHER_SET))
    silent(tshark, capture.write(tmp_path / "changes.pcap"))


def test_polls_of_all_that_was_added(tshark, tmp_path):
    capture = Capture()
    # A block each, with an error for one that is not there; a change that is not answered yet; one that is lost.
    peer = p.Peer(capture, server="10.1.1.1")
    peer.open(H)
    peer.poll(H, p.data())
    peer.validate(H, p.identifier(1), p.identifier(2))
    peer.poll(H, p.data(ONE, p.block(0, status=0xE8)))
    stub = align(H + struct.pack("<II", 48, 48) + p.identifier(3), 4) + struct.pack("<I", 1)
    peer.call(7, stub)
    peer.poll(H, p.data(ONE, ONE))
    peer = p.Peer(capture, server="10.1.1.2")
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2))
    lost(capture, lambda: peer.validate(H, p.identifier(2), add=0))
    peer.poll(H, p.data(ONE))
    # All counters: of a counterset that was not listed, or that has one.
    for number, teach in enumerate((lambda peer: None, lambda peer: peer.registration(1, p.counterset(p.COUNTERS[:1])))):
        peer = p.Peer(capture, server=f"10.1.2.{number + 1}")
        teach(peer)
        peer.mapped(H, p.identifier(p.NONE))
        peer.poll(H, p.data(p.block(2, p.multi_counters([1]) + p.value())))
    # ... where two counters have one id (layout-and-cooking, L20).
    peer = p.Peer(capture, server="10.1.2.3")
    peer.registration(1, p.counterset([p.counter(1), p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.mapped(H, p.identifier(p.NONE))
    peer.poll(H, p.data(p.block(2, p.multi_counters([1, 1]) + p.value() + p.value(1, 8))))
    silent(tshark, capture.write(tmp_path / "polls.pcap"), but={"counter_id_unique"})


def test_who_asks_for_which_instances(tshark, tmp_path):
    """A wildcard's InstanceId says nothing; who gives no name asks for all where instances have none (2.2.4.1)."""
    capture = Capture()
    several = p.block(4, p.multi_instances([p.instance("one", 3) + p.value(), p.instance("two", 4) + p.value()]))
    unnamed = p.block(4, p.multi_instances([p.instance("", 3) + p.value(), p.instance("", 4) + p.value()]))
    cases = [
        (2, p.identifier(1, "*", instance=0), several), (2, p.identifier(1, "*", instance=3), several), (2, p.identifier(1, "*", instance=p.NONE), several),
        (4, p.identifier(1, None), unnamed), (0xC, p.identifier(1, None), unnamed), (4, p.identifier(1, ""), several), (None, p.identifier(1, None), unnamed),
        (0, p.identifier(1, "*"), ONE), (4, p.identifier(1, "*"), ONE), (0xC, p.identifier(1, "*"), ONE), (None, p.identifier(1, "*"), ONE),
        # The client breaks a rule, and its server none.
        (2, p.identifier(1, None), ONE), (6, p.identifier(1, None), several),
        (2, p.identifier(1, "one", instance=p.NONE), ONE),
    ]
    for number, (kind, item, block) in enumerate(cases):
        peer = p.Peer(capture, server=f"10.1.1.{number + 1}")
        if kind is not None:
            peer.teach(instance_type=kind)
        peer.mapped(H, item)
        peer.poll(H, p.data(block))
    silent(tshark, capture.write(tmp_path / "instances.pcap"), but={"identifier_name"})


def test_identifiers_added_again_after_they_were_removed(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    for add in (1, 0, 1, 0):
        peer.validate(H, p.identifier(1), add=add)
    peer.validate(H, p.identifier(1), p.identifier(1))      # twice in one call, of which the text says nothing
    silent(tshark, capture.write(tmp_path / "again.pcap"))


def test_lost_change_blames_nobody_for_what_a_poll_holds(tshark, tmp_path):
    """As many blocks as before, but of other counters: the change between has only taken a number."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1), p.identifier(1, "*", instance=3))
    rows = p.multi_instances([p.instance("one", 3) + p.value()])
    peer.poll(H, p.data(ONE, p.block(4, rows)))
    peer.connection.call_id += 1
    rows = p.multi_instances([p.instance("one", 4) + p.value(5, 8)])
    peer.poll(H, p.data(p.block(1, p.value(5, 8)), p.block(4, rows)))
    silent(tshark, capture.write(tmp_path / "lost.pcap"))


def test_handles_of_connections_that_begin_too_late(tshark, tmp_path):
    """A handle that one connection opened is another's where it may have been given out again; with it go names and changes."""
    capture = Capture()
    first = p.Peer(capture, client="10.3.3.1")
    first.teach()
    first.mapped(H, p.identifier(1), p.identifier(4))
    first.poll(H, p.data(ONE, ONE))
    other = p.Peer(capture, client="10.3.3.2")      # the first one has gone, opening is lost
    other.connection.call_id += 3
    other.validate(H, p.identifier(1))
    frame = other.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))[1]
    path = capture.write(tmp_path / "late.pcap")
    silent(tshark, path)
    assert tshark.fields(path, "perflibv2.path", display_filter=f"frame.number == {frame}", options=["-2"]) == [[[]]]


def test_change_without_an_answer_before_the_index_map(tshark, tmp_path):
    """Polls of before it keep the number of blocks they have, whatever came in between."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    more = p.identifier(2)
    peer.call(7, align(H + struct.pack("<II", len(more), len(more)) + more, 4) + struct.pack("<I", 1))
    peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))
    peer.info(H, p.identifier(1), p.identifier(2, index=1))
    silent(tshark, capture.write(tmp_path / "unanswered.pcap"))


def test_lost_change_before_the_index_map(tshark, tmp_path):
    """With two passes the map is that of the poll before it, too, unless a call between may have changed the query."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(1))
    frame = peer.poll(H, p.data(ONE))[1]
    peer.connection.call_id += 2
    peer.info(H, p.identifier(2))
    path = capture.write(tmp_path / "before.pcap")
    silent(tshark, path)
    assert tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {frame}", options=["-2"]) == [
        [["by Index of QueryCounterInfo, but calls in between are missing"]]]


def test_poll_under_way_while_a_change_is_lost(tshark, tmp_path):
    """The call that follows shows that one is missing; the answer may be of before or after it."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1))
    connection, asked = peer.connection, H + struct.pack("<I", 4096)
    numbers = []
    for missing in (0, 1):      # a change between two requests
        connection.call_id += 1 + missing
        connection.request(6, asked)
        numbers.append(connection.call_id)
    for number, blocks in zip(reversed(numbers), ([ONE, ONE], [ONE])):
        connection.response(peer._answer(p.data(*blocks), 4096, None, None, 0), call_id=number)
    peer.info(H, p.identifier(1), p.identifier(4, index=1))
    silent(tshark, capture.write(tmp_path / "under-way.pcap"))


def test_index_map_under_way_while_a_change_is_lost(tshark, tmp_path):
    """What it says may be out of date when it comes: a poll after the gap is not judged by it."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(2))
    connection, asked = peer.connection, H + struct.pack("<I", 4096)
    connection.call_id += 1
    connection.request(5, asked)
    connection.call_id += 3         # the first counter takes the place of the second meanwhile
    connection.request(6, asked)
    connection.response(peer._answer(p.identifier(2), 4096, None, None, 0), call_id=connection.call_id - 3)
    connection.response(peer._answer(p.data(ONE), 4096, None, None, 0))
    silent(tshark, capture.write(tmp_path / "map.pcap"))


def test_counters_that_come_and_go_with_their_provider(tshark, tmp_path):
    """Which counters a counterset has is known from their listing on, unless a later one is missing."""
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.teach()
    peer.mapped(H, p.identifier(p.NONE))
    peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 1, 0, 4096))   # answered with nine counters, say
    peer.poll(H, p.data(p.block(2, p.multi_counters([1, 9]) + p.value() * 2)))
    peer = p.Peer(capture, server="10.1.1.2")
    peer.mapped(H, p.identifier(p.NONE))
    peer.poll(H, p.data(p.block(2, p.multi_counters([1, 9]) + p.value() * 2)))
    peer.teach()                    # installed anew
    silent(tshark, capture.write(tmp_path / "provider.pcap"))


def test_instance_ids_that_the_server_resolves(tshark, tmp_path):
    """Any was asked for, the index map says which one it took; a map alone does not tell what was asked."""
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.open(H)
    peer.validate(H, p.identifier(1, "one", instance=p.NONE))
    peer.info(H, p.identifier(1, "one", instance=7))
    several = p.data(p.block(4, p.multi_instances([p.instance("one", 7) + p.value(), p.instance("one", 8) + p.value()])))
    peer.poll(H, several)
    peer = p.Peer(capture, server="10.1.1.2")
    peer.info(H, p.identifier(1, "one", instance=7))
    peer.poll(H, several)
    silent(tshark, capture.write(tmp_path / "resolved.pcap"))


def test_what_failed_answers_left_blames_nobody(tshark, tmp_path):
    """The part that fitted, or what happened to stand there."""
    capture = Capture()
    peer = p.Peer(capture)
    whole = p.counterset(p.COUNTERS)
    peer.registration(1, whole[:100], in_size=100, needed=len(whole), status=p.NOT_ENOUGH_MEMORY)
    peer.instances(p.instance("a name")[:12], in_size=12, needed=24, status=p.NOT_ENOUGH_MEMORY)
    peer.open(H)
    peer.validate(H, p.identifier(1))
    blocks = p.data(ONE, ONE)
    peer.poll(H, blocks[:70], in_size=70, needed=len(blocks), status=p.NOT_ENOUGH_MEMORY)
    for status in (p.GUID_NOT_FOUND, p.INSTANCE_NOT_FOUND):
        peer.instances(bytes(range(1, 80)), status=status)
    peer.registration(1, b"\xff" * 90, status=p.GUID_NOT_FOUND)
    peer.validate(H, p.identifier(2), returned=b"\xff" * 48, status=p.INVALID_PARAMETER)
    peer.open(H, status=14)      # the handle of the query that is open, say
    peer.info(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    silent(tshark, capture.write(tmp_path / "failed.pcap"))


def test_type_that_changes_later(tshark, tmp_path):
    """Values from before a counter's type changed are not judged by the type it has in the end."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    peer.registration(1, p.counterset([p.counter(1, p.LARGE_RAWCOUNT)]))
    silent(tshark, capture.write(tmp_path / "type.pcap"))


def test_offsets_are_told_of_once_a_server(tshark, tmp_path):
    capture = Capture()
    for server in ("10.1.1.1", "10.1.1.2"):
        for _ in range(2):
            peer = p.Peer(capture, server=server)
            peer.registration(5, p.strings(NAMES, base=0))
            peer.registration(6, p.strings(NAMES, base=0))
    rows, _ = verdicts(tshark.run(capture.write(tmp_path / "offsets.pcap"), "-q", "-z", "perflibv2,rules"))
    assert rows["strings_offset_base"][:2] == (2, 2)


def test_offsets_that_tell_no_base(tshark, tmp_path):
    """Where no counter has a string nothing can be seen; two counters may have one string."""
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.registration(6, p.strings([(1, None), (2, None)], base=0))
    peer = p.Peer(capture, server="10.1.1.2")
    peer.registration(5, p.strings([(1, "Reads"), (2, "Writes"), (3, "Reads")], offsets=[0, 12, 0]))
    silent(tshark, capture.write(tmp_path / "offsets.pcap"))
    names = tshark.fields(tmp_path / "offsets.pcap", "perflibv2.counter.name", display_filter="perflibv2.counter.name")
    assert names == [[["Reads", "Writes", "Reads"]]]


def test_names_that_wrong_offsets_do_not_teach(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach(instance_type=0)
    peer.registration(5, p.strings([(1, "Reads"), (2, "Writes"), (3, "State"), (4, "Base")], offsets=[2, 13, 26, 38]))
    peer.mapped(H, p.identifier(1, None), p.identifier(2, None), p.identifier(3, None))
    peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8)), ONE))
    path = capture.write(tmp_path / "taught.pcap")
    (paths,), = tshark.fields(path, "perflibv2.path", display_filter="perflibv2.path")
    assert [name.rsplit("\\", 1)[1] for name in paths] == ["counter 1", "counter 2", "State"]


def test_sample_base_of_nothing_sampled_yet_is_no_verdict(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(4))
    peer.poll(H, p.data(p.block(1, p.value(0))))
    peer.poll(H, p.data(ONE))
    rows, (*_, last) = verdicts(tshark.run(capture.write(tmp_path / "base.pcap"), "-q", "-z", "perflibv2,rules"))
    assert rows["sample_base"][:2] == (2, 1) and rows["sample_base"][3] == "departs"
    assert last == "no rule broken"


def test_snap_length_is_blamed_on_nobody(tshark, tmp_path):
    """The good session cut at every length, each time on another server."""
    capture = Capture()
    for length in range(60, 640):
        begin = len(capture.frames)
        good_session(capture, server=f"10.8.{length // 250}.{length % 250 + 1}")
        capture.frames[begin:] = [(data[:length], original) for data, original in capture.frames[begin:]]
    path = capture.write(tmp_path / "cut.pcap")
    for options in ((), ("-2",)):
        rows, (*_, last) = verdicts(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))
        assert {rule for rule, row in some(rows.items()) if row[1]} <= SESSION
        assert last == "no rule broken"


BUNDLED = [capture for capture in recorded_captures() if capture.parent == CAPTURES]
# What is missing of a sealed stub puts the keystream of all that follow out of step, so Wireshark decrypts them to rubbish.
CORRECT_IN_CLEAR = [capture for capture in BUNDLED if capture.stem not in ON_PURPOSE and not capture.stem.startswith("sealed")]


@pytest.mark.parametrize("length", [120, 400])
@pytest.mark.parametrize("bundled", CORRECT_IN_CLEAR, ids=[capture.stem for capture in CORRECT_IN_CLEAR])
def test_captures_of_correct_peers_cut(tshark, tmp_path, bundled, length):
    cut = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", str(length), bundled, cut], check=True)
    output = tshark.run(cut, *options_for(bundled), "-q", "-z", "perflibv2,rules")
    rows, (_, verdict, *_) = verdicts(output)
    # What was left out of it, and why, may be told behind the verdict.
    assert verdict.startswith("no rule"), [(rule, row) for rule, row in rows.items() if row[3] == "broken"]


def test_good_answers_to_bad_calls(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(11, b"", status=p.INVALID_PARAMETER)
    peer.registration(0, b"", status=p.ACCESS_DENIED)
    peer.open(H)
    peer.validate(H, bytes(39), status=p.INVALID_PARAMETER)
    short = {"name": None, "size": 39}
    peer.validate(H, p.identifier(**short), returned=p.identifier(status=p.INVALID_PARAMETER, **short))
    peer.close(H)
    peer.poll(H, b"", status=6)
    rows, (*_, last) = verdicts(tshark.run(capture.write(tmp_path / "answers.pcap"), "-q", "-z", "perflibv2,rules"))
    for answer, request in ANSWERS.items():
        assert rows[answer][1] == 0 and rows[answer][3] == "held"
        assert rows[request][1] > 0 and rows[request][3] == "broken"
    assert last == "4 rules broken"


def test_calls_that_are_refused_as_a_whole(tshark, tmp_path):
    """A fault refuses a call on a closed handle; an error of the call, an identifier that is too short."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.validate(H, p.identifier(name=None, size=32), status=p.INVALID_PARAMETER)
    peer.close(H)
    peer.poll(H)
    # nca_s_fault_context_mismatch ([C706] 12.6.4.7: alloc_hint, context, cancel count, status)
    peer.connection.pdu(FAULT, struct.pack("<IHBBII", 32, 0, 0, 0, 0x1C00001A, 0), peer.connection.call_id)
    rows, _ = verdicts(tshark.run(capture.write(tmp_path / "refused.pcap"), "-q", "-z", "perflibv2,rules"))
    for rule in ("handle_refused", "short_identifier_refused"):
        assert rows[rule] == (1, 0, 0, "held")


@pytest.mark.parametrize("name", ["sealed-smb2", "sealed-tcp", "sealed-spnego"])
def test_correct_peers_break_no_rule(tshark, name):
    capture = CAPTURES / f"{name}.pcapng"
    output = tshark.run(capture, *options_for(capture), "-q", "-z", "perflibv2,rules")
    rows, (*_, last) = verdicts(output)
    assert last == "no rule broken"
    assert all(row[3] != "broken" for row in some(rows.values()))
    assert rows["auth_level"][3] == "held" and rows["auth_service"][3] == "held"
    assert rows["transport"][3] == ("held" if name == "sealed-smb2" else "departs")
    # No warning, no error.
    assert not tshark.fields(
        capture, "frame.number", display_filter="perflibv2 && _ws.expert.severity >= 0x00600000", options=options_for(capture)
    )


@pytest.mark.parametrize("bundled", BUNDLED, ids=[capture.stem for capture in BUNDLED])
def test_bundled_captures_break_what_they_mean_to(tshark, bundled):
    output = tshark.run(bundled, *options_for(bundled), "-q", "-z", "perflibv2,rules")
    rows, (*_, last) = verdicts(output)
    on_purpose = ON_PURPOSE.get(bundled.stem, set())
    assert {rule for rule, row in rows.items() if row[3] == "broken"} == on_purpose
    assert last == ("no rule broken" if not on_purpose else f"{len(on_purpose)} rule{'s' * (len(on_purpose) > 1)} broken")


def test_table_counts_and_filters(tshark, broken, broken_findings):
    path, made = broken
    output = tshark.run(path, "-q", "-z", "perflibv2,rules")
    rows, (*_, last) = verdicts(output)
    assert rows.keys() == set(RULES)
    for rule in RULES:
        frames = [frame for frame, found in broken_findings.items() if rule in found]
        assert rows[rule][2] == min(frames), rule
        assert rows[rule][0] >= rows[rule][1] >= len(frames), rule
    severities = {row[0]: row[3] for row in rules_of_the_code()}
    assert last == f"{sum(severity != 'NOTE' for severity in severities.values())} rules broken"
    assert {rule for rule, row in rows.items() if row[3] == "departs"} == {
        rule for rule, severity in severities.items() if severity == "NOTE"
    }
    one = next(case for case in made if case.case.rule == "default_scale")
    output = tshark.run(path, "-q", "-z", f"perflibv2,rules,frame.number=={one.frames[-1]}")
    rows, (*_, last) = verdicts(output)
    assert last == "1 rule broken"
    assert rows["default_scale"][1:] == (1, one.frames[-1], "broken")


def test_table_says_what_holds(tshark, broken):
    rows = named_rows(tshark.run(broken[0], "-q", "-z", "perflibv2,rules"))
    assert {row["Rule"]: row["Rule:"] for row in rows} == {rule[0]: rule[4] for rule in rules_of_the_code()}


def test_rules_come_in_order(tshark):
    """Broken ones, then departures, each by section; then how many held, and how many were not checked, and which."""
    output = tshark.run(CAPTURES / "tcp-session.pcapng", "-q", "-z", "perflibv2,rules")
    rows = named_rows(output)
    keys = [(["broken", "departs"].index(row["Verdict"]), [int(number) for number in row["Section"].split(".")]) for row in rows]
    assert keys == sorted(keys) and {key[0] for key in keys} == {0, 1}
    told = [re.fullmatch("([0-9]+) rules (held|not checked): (.*)", sentence) for sentence in table_sentences(output)[:2]]
    assert table_sentences(output)[2:] == ["112 of 115 rules could be checked", "2 rules broken"]
    assert [sentence[2] for sentence in told] == ["held", "not checked"]
    names = [name.split()[0] for sentence in told for name in sentence[3].split(", ")] + [row["Rule"] for row in rows]
    assert sorted(names) == sorted(rule[0] for rule in rules_of_the_code())
    sections = {rule[0]: position for position, rule in enumerate(sorted(rules_of_the_code(), key=lambda rule: [int(n) for n in rule[1].split(".")]))}
    for sentence in told:
        places = [sections[name.split()[0]] for name in sentence[3].split(", ")]
        assert len(places) == int(sentence[1]) > 1


def test_second_pass_finds_the_same(tshark, broken, broken_findings):
    assert findings(tshark, broken[0], "-2") == broken_findings


def test_sealed_without_key_is_no_verdict(tshark):
    output = tshark.run(CAPTURES / "sealed-smb2.pcapng", "-q", "-z", "perflibv2,rules")
    requests_and_answers = sum(call["request_fragments"] + call["response_fragments"] for call in
                               record_of(CAPTURES / "sealed-smb2.pcapng")["calls"])
    assert verdicts(output)[1] == [
        f"0 of {len(RULES)} rules could be checked", "no rule could be checked: no PerflibV2 call was decoded",
        f"{requests_and_answers} sealed PDUs left out: there is no key ({requests_and_answers})",
        "Encrypted (NTLM). Set ntlmssp.nt_password to the password of perfuser, or kerberos.file to a keytab with the user's arcfour-hmac key",
    ]


def test_bad_filter_is_an_error(tshark, broken):
    arguments = (broken[0], "-q", "-z", "perflibv2,rules,no such filter(")
    assert 'Filter "no such filter(" is invalid' in tshark.complaint(*arguments)
    assert tshark.run(*arguments, check=False) == ""


def rules_of_the_page():
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| (\w+) \| (\w+) \| (.*) \|$",
                      (REPOSITORY / "plugin" / "RULES.md").read_text(), re.MULTILINE)
    return [(id, section, who.upper(), severity.upper(), holds) for id, section, who, severity, holds in rows]


def test_page_and_code_agree():
    words = {"WARNING": "WARN"}
    page = [(id, section, who, words.get(severity, severity), holds) for id, section, who, severity, holds in rules_of_the_page()]
    assert page == [row[:5] for row in rules_of_the_code()]


def test_findings_are_titled_with_the_fault(tshark):
    """Wireshark groups findings by their titles, which say what is wrong and not what the rule is."""
    titles = {line[2]: line[1] for line in glossary(tshark, "fields") if line[0] == "F"}
    for rule, section, _, _, sentence, fault in some(rules_of_the_code()):
        assert titles[f"perflibv2.rule.{rule}"] == f"{fault} ([MS-PCQ] {section})"
        assert fault != sentence
    assert titles["perflibv2.rule.request_code"] == "RequestCode is not a listed value ([MS-PCQ] 3.1.4.1.2)"


def test_status_of_a_request_is_none(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    sent, answered = peer.validate(H, p.identifier(status=0xB7), returned=p.identifier(status=0xB7))
    path = capture.write(tmp_path / "status.pcap")

    def frames(display_filter):
        return [int(row[0][0]) for row in tshark.fields(path, "frame.number", display_filter=display_filter)]

    assert frames("perflibv2.identifier.status == 0xb7") == [answered]
    assert frames("perflibv2.identifier_status") == [answered]
    assert frames("perflibv2.identifier.status_sent == 0xb7") == [sent]


@pytest.mark.parametrize("more, instance_type", [((9,), 0), ((9,), 2), ((), 0)], ids=["both", "counters", "instances"])
def test_counterset_that_changes(tshark, tmp_path, more, instance_type):
    """What instances and strings it had before is not judged by what it is in the end, nor the other way round."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.instances(p.instance("a"), p.instance("b"))
    peer.registration(5, p.strings(NAMES))
    peer.registration(1, p.counterset([*p.COUNTERS, *map(p.counter, more)], instance_type=instance_type))
    peer.registration(5, p.strings([*NAMES, *((number, "More") for number in more)]))
    peer.open(H)
    peer.validate(H, p.identifier(1, None if instance_type == 0 else "a"))
    silent(tshark, capture.write(tmp_path / "changed.pcap"))


def test_expert_information_without_a_tree(tshark, tmp_path):
    """-z expert asks for no tree; what is wrong with a poll is told all the same."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.poll(H, p.data(p.block(1, p.value(), reserved=1)))
    path = capture.write(tmp_path / "expert.pcap")
    assert "Reserved of block 0 is 0x1" in tshark.run(path, "-q", "-z", "expert")
