# SPDX-License-Identifier: GPL-2.0-or-later
"""For each rule of [MS-PCQ] that the plugin judges a session that breaks it: tests/perflibv2/test_rules.py, captures/rules.pcapng."""

import struct
from dataclasses import dataclass

from lib import perflibv2 as p
from lib.wire import NDR64, REQUEST, RESPONSE, Capture, align


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
    at, stub: offset of the finding with the first words; a negative one is counted from the end of the stub.
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


@breaks("handle_server", "query handle on HOST that was opened on ELSEWHERE", stub=(-4, 4))
def _(peer):
    other = p.Peer(peer.capture, machine="\\\\ELSEWHERE", server="10.99.0.1")
    handle = p.query_handle(2)
    other.open(handle)
    peer.connection.call_id = 0     # so that no call before the first can be missing
    peer.enumerate()
    return peer.poll(handle, b"", status=p.INVALID_HANDLE)[1]


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
