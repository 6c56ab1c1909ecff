# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules of [MS-PCQ] at their limits: the last value that keeps a rule, and the first that breaks it."""

import struct
import uuid

import pytest

from lib import perflibv2 as p
from lib.rules import findings_of_each

H = p.query_handle(1)
COUNTERSET_TYPES = (0, 2, 4, 6, 0xC, 0x16)      # InstanceType, 2.2.4.1
BASES = {p.AVERAGE_BULK: p.AVERAGE_BASE, 0x30020400: p.AVERAGE_BASE, 0x20020500: p.LARGE_RAW_BASE, 0x20020400: 0x40030403,
         0x20470500: p.LARGE_RAW_BASE, 0x20570500: p.LARGE_RAW_BASE, p.SAMPLE_FRACTION: p.SAMPLE_BASE}
TIMED = (0x00650500, 0x30240500, p.OBJ_TIME_TIMER, 0x20670500)       # PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE and others
MULTI = (p.MULTI_TIMER, 0x23410500, 0x22510500, 0x23510500)
NODATA, MULTI_BASE, RAW_BASE = 0x40000200, 0x42030500, 0x40030403


def one(**fields):
    """An answer with one counter."""
    return lambda peer: peer.registration(1, p.counterset([p.counter(5, **fields)]))


def counters(*made):
    return lambda peer: peer.registration(1, p.counterset(made))


def members():
    """(what, session, rules that it breaks): what a counterset and a counter say of themselves, 2.2.4.1 and 2.2.4.2."""
    for type in range(0x21):
        broken = set() if type in COUNTERSET_TYPES else {"instance_type"}
        yield f"InstanceType {type:#x}", lambda peer, type=type: peer.teach(instance_type=type), broken
    for level in range(0, 501, 50):
        broken = set() if level in (100, 200) else {"detail_level_listed"} if level in (300, 400) else {"detail_level"}
        yield f"DetailLevel of a counterset {level}", lambda peer, level=level: peer.teach(detail=level), broken
        yield f"DetailLevel {level}", one(detail=level), broken
    for scale in range(-12, 13):
        yield f"DefaultScale {scale}", one(scale=scale), set() if -10 <= scale <= 10 else {"default_scale"}
    for function in range(6):
        yield f"AggregateFunc {function}", one(aggregate=function), set() if function <= 4 else {"aggregate"}
    # "No display" goes with a reference alone, and hexadecimal with no other display.
    for attrib in (0, 1, 2, 3, 0x10, 0x11, 0x0D):
        yield f"Attrib {attrib:#x}", one(attrib=attrib), set()
    for attrib in (0x06, 0x0A, 0x12, 0x14, 0x18, 0x1F):
        yield f"Attrib {attrib:#x}", one(attrib=attrib), {"attrib_combination"}
    for attrib in (0x20, 1 << 63):
        yield f"Attrib {attrib:#x}", one(attrib=attrib), {"attrib"}
    yield "Reserved 1", one(reserved=1), {"counter_reserved"}
    yield "CounterSetType 1", lambda peer: peer.teach(type=1), {"counterset_type"}
    yield "a type that is none", one(type=0x12345678), {"counter_type"}
    for type in (0x00400400, 0x00400500, MULTI_BASE, NODATA, 0x80000000):
        yield f"a type that 2.2.4.2 does not list, {type:#x}", one(type=type), {"counter_type_listed"}
    yield "an id twice", counters(p.counter(5), p.counter(6), p.counter(5)), {"counter_id_unique"}


def related(type, second, **ids):
    return counters(p.counter(5, type, **ids), p.counter(6, second))


def relations():
    """What a type is computed with has to be there, and of a type that suits."""
    for type, base in BASES.items():
        yield f"{type:#x} without a base", one(type=type), {"base_id"}
        yield f"{type:#x} with its base", related(type, base, base=6), set()
        yield f"{type:#x} with the base of another answer", related(type, base, base=7), {"base_id"}
        yield f"{type:#x} with no data for a base", related(type, NODATA, base=6), {"base_type", "counter_type_listed"}
    for type in TIMED:
        yield f"{type:#x} without a time", one(type=type), {"perf_time_id", "perf_freq_id"}
        yield f"{type:#x} with its time", related(type, p.LARGE_RAWCOUNT, time=6, freq=6), set()
        yield f"{type:#x} without a frequency", related(type, p.LARGE_RAWCOUNT, time=6), {"perf_freq_id"}
        yield f"{type:#x} with no data for a time", related(type, NODATA, time=6, freq=6), {"perf_time_type", "perf_freq_type", "counter_type_listed"}
    for type in MULTI:
        yield f"{type:#x} without a multiplier", one(type=type), {"multi_id"}
        yield f"{type:#x} with its multiplier", related(type, p.RAWCOUNT, multi=6), set()
        # Windows' own is one of a type that the text does not list.
        yield f"{type:#x} with a multiplier of Windows", related(type, MULTI_BASE, multi=6), {"counter_type_listed"}
        yield f"{type:#x} with no data for a multiplier", related(type, NODATA, multi=6), {"multi_type", "counter_type_listed"}
    # Microsoft's programs compute it with a base, and then it needs no time.
    yield "a precision timer with a base", related(0x20670500, p.LARGE_RAW_BASE, base=6), set()
    yield "a precision timer with both", related(0x20670500, p.LARGE_RAW_BASE, base=6, time=6), {"perf_time_type", "perf_freq_id"}


def one_of(id, asked):
    def make(peer):
        peer.registration(2, p.counter(id), lcid=asked)
    return make


def guids(*last_bytes):
    return lambda peer: peer.enumerate(guids=[uuid.UUID(int=byte) for byte in last_bytes])


def instances(instance_type, *pairs):
    def make(peer):
        peer.teach(instance_type=instance_type)
        peer.instances(*(p.instance(name, id) for name, id in pairs))
    return make


def strings(*ids):
    def make(peer):
        peer.teach()
        peer.registration(5, p.strings([(id, f"counter {id}") for id in ids]))
    return make


def lists():
    """Lists: GUIDs, counters of a counterset, instances, strings of the counters 1 to 8."""
    yield "strings of each counter", strings(*range(1, 9)), set()
    for at in range(8):
        yield f"string {at} of no counter", strings(*range(1, at + 1), 99, *range(at + 2, 9)), {"strings_counter_id"}
    yield "the counter that was asked for", one_of(6, 6), set()
    yield "another counter", one_of(6, 7), {"counter_id"}
    yield "GUIDs that differ in the last byte", guids(1, 2, 3), set()
    yield "the third GUID is the first", guids(1, 2, 1), {"guid_unique"}
    yield "one instance of a single-instance set", instances(0, ("a", 1)), set()
    yield "two instances of a single-instance set", instances(0, ("a", 1), ("b", 2)), {"instance_single"}
    yield "instances that differ in name or id", instances(2, ("a", 1), ("b", 1), ("a", 2)), set()
    yield "an instance twice", instances(2, ("a", 1), ("b", 1), ("a", 2), ("a", 1)), {"instance_unique"}
    for size, broken in ((8, set()), (9, {"strings_aligned"}), (16, set())):
        yield f"an empty list of strings of {size} bytes", lambda peer, size=size: peer.registration(5, struct.pack("<II", size, 0) + bytes(size - 8)), broken


def polled(*blocks, wanted=(p.identifier(),), **header):
    def make(peer):
        peer.teach()
        peer.mapped(H, *wanted)
        peer.poll(H, p.data(*blocks, **header))
    return make


def unnumbered(make):
    """The same of a client whose calls all have one number: some may be missing, and the query another by then."""
    def session(peer):
        numbered = peer.call

        def call(*arguments):
            peer.connection.call_id = 0x41
            return numbered(*arguments)

        peer.call = call
        make(peer)
    return session


# 2026-11-23 is a Monday; its noon is 13,408,372,800 seconds after 1601: 11,644,473,600 to 1970 and 1,795,435,200 since.
NOON = (11_644_473_600 + 1_795_435_200) * 10**7


def at(second=0, millisecond=0, weekday=1, later=0):
    return {"system_time": (2026, 11, weekday, 23, 12, 0, second, millisecond), "time": NOON + later}


def blocks():
    """Data of a poll, 2.2.4.7 and 2.2.4.8."""
    value = p.block(1, p.value())
    for what, header, broken in (
        ("times that agree", at(), set()),
        ("2.999 s apart", at(2, 999), set()),
        ("3 s apart", at(3), {"system_time"}),
        ("2.9999999 s apart", at(later=29_999_999), set()),
        ("3 s apart the other way", at(later=30_000_000), {"system_time"}),
        ("a Sunday", at(weekday=0), {"system_time"}),
        ("a Tuesday", at(weekday=2), {"system_time"}),
        ("a second 60", at(60), {"data_time"}),
        ("beyond all times", {**at(), "time": 1 << 63}, {"data_time"}),
        ("no frequency", {**at(), "freq": 0}, {"perf_freq"}),
        ("a frequency of 1", {**at(), "freq": 1}, set()),
    ):
        yield what, polled(value, **header), broken
    for status, broken in ((0, set()), (1, {"block_value_status"}), (0xFFFF, {"block_value_status"}), (0x10000, {"block_status"})):
        yield f"a value's Status {status:#x}", polled(p.block(1, p.value(), status=status)), broken
    for status, broken in ((0, {"block_error_status"}), (1, set()), (0x10000, {"block_status"})):
        yield f"an error's Status {status:#x}", polled(p.block(0, status=status)), broken
    yield "Reserved of a block", polled(p.block(1, p.value(), reserved=1)), {"block_reserved"}
    # A header of 16 bytes is the least that a block takes of what dwTotalSize says is missing.
    for lacking, broken in ((0, {"data_num_counters"}), (15, {"data_num_counters", "data_total_size"}), (16, {"data_total_size"}), (17, {"data_total_size"})):
        yield f"one block of two, {lacking} bytes missing", polled(value, num=2, total=48 + len(value) + lacking), broken
    yield "a block too few", polled(), {"poll_blocks"}
    yield "a block too many", polled(value, value), {"poll_blocks"}
    for width, broken in ((4, set()), (5, {"value_data_size"}), (8, {"value_data_size"}), (2, {"value_data_size"})):
        yield f"a value of {width} bytes", polled(p.block(1, p.value(5, width))), broken
    yield "a value of 5 bytes, perhaps of another counter", unnumbered(polled(p.block(1, p.value(5, 5)))), set()
    several = p.block(2, p.multi_counters(range(1, 9)) + p.value() * 8)
    yield "all counters for one", polled(several), {"block_identifier"}
    yield "one counter for all", polled(value, wanted=[p.identifier(p.NONE)]), {"block_identifier"}
    for number, broken in ((0, {"sample_base"}), (1, set())):
        yield f"a sample base of {number}", polled(p.block(1, p.value(number)), wanted=[p.identifier(4)]), broken


def validated(status=0, add=1, **fields):
    def make(peer):
        peer.teach()
        peer.open(H)
        peer.validate(H, p.identifier(**fields), add=add, returned=p.identifier(**{**fields, "status": status}))
    return make


def identifiers():
    """What an answer says of identifiers, 3.1.4.1.8."""
    listed = (0, 87, 183, 4200, 4201 + 1)
    for status in (*listed, 5, 8, 4201, 0xFFFF):
        broken = set() if status in listed else {"validate_status"}
        yield f"Status {status}", validated(status), broken
    for status in (0x10000, 0x80070057):
        yield f"Status {status:#x}", validated(status), {"identifier_status"}
    yield "a counter that is not there", validated(counter=99), {"added_counter"}
    yield "a counter that is not there, refused", validated(4202, counter=99), set()
    yield "all counters", validated(counter=p.NONE), set()


def registration(code=8, content=p.SET.bytes_le, **sizes):
    return lambda peer: peer.registration(code, content, **sizes)


def parameters():
    """Request codes, sizes and return codes, 3.1.4.1. A provider's GUID (code 8) has 16 bytes."""
    for code in range(13):
        for lcid in (0, 1):
            broken = {"request_code"} if not 1 <= code <= 10 else {"request_lcid"} if lcid and code not in (2, 3, 4, 5, 6) else set()
            status = p.INVALID_PARAMETER if "request_code" in broken else p.GUID_NOT_FOUND
            yield f"RequestCode {code}, RequestLCID {lcid}", registration(code, b"", lcid=lcid, status=status), broken
    for what, sizes, broken in (
        ("room for exactly that", {"in_size": 16}, set()),
        ("room for more", {"in_size": 17}, set()),
        ("less than is needed", {"in_size": 24, "needed": 24}, {"out_size_all"}),
        ("more than is needed", {"needed": 15}, {"out_size_needed"}),
        ("room for less", {"in_size": 15, "max_count": 15}, {"out_size_room"}),
    ):
        yield what, registration(**sizes), broken
    for what, sizes, broken in (
        ("too small by one", {"in_size": 15, "needed": 16}, set()),
        ("not too small", {"in_size": 16, "needed": 16}, {"too_small"}),
        ("too small, nobody says by how much", {"in_size": 16, "needed": 0}, set()),
        ("too small, of one byte", {"in_size": 16, "needed": 1}, {"too_small"}),
    ):
        yield what, registration(content=b"", status=p.NOT_ENOUGH_MEMORY, **sizes), broken
    for status, broken in ((p.ACCESS_DENIED, set()), (p.INVALID_PARAMETER, set()), (p.GUID_NOT_FOUND, set()), (1, {"return_code_listed"}),
                           (0xFFFF, {"return_code_listed"}), (0x10000, {"return_code"}), (0x80070005, {"return_code"})):
        yield f"return code {status:#x}", registration(content=b"", status=status), broken
    for number, sizes, broken in ((2, {"in_size": 2}, set()), (1, {"in_size": 2, "needed": 2}, {"guid_count"}), (256, {"in_size": 256}, set()),
                                  (0, {"in_size": 1, "needed": 2, "status": p.NOT_ENOUGH_MEMORY}, set()),
                                  (0, {"in_size": 0, "needed": 257, "status": p.NOT_ENOUGH_MEMORY}, {"guid_limit"}),
                                  (0, {"in_size": 0, "needed": 256, "status": p.NOT_ENOUGH_MEMORY}, set()),
                                  (0, {"in_size": 257, "status": p.ACCESS_DENIED}, {"in_size_range"}), (0, {"in_size": 256, "status": p.ACCESS_DENIED}, set())):
        yield f"{number} GUIDs, {sizes}", lambda peer, number=number, sizes=sizes: peer.enumerate(guids=[uuid.UUID(int=n) for n in range(number)], **sizes), broken


TABLES = [members, relations, lists, blocks, identifiers, parameters]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_the_first_value_beyond_a_limit_breaks_the_rule_and_no_other(tshark, tmp_path, table):
    rows = list(table())
    found = findings_of_each(tshark, tmp_path / "limits.pcap", [(what, make) for what, make, _ in rows])
    expected = {what: broken for what, _, broken in rows}
    assert len(expected) == len(rows) > 10
    assert {what: rules for what, rules in found.items() if rules != expected[what]} == {}
