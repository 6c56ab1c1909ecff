# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged performance data under AddressSanitizer and UBSan: nothing that could be read is lost, the return code least of all."""

import random
import struct
import subprocess
import sys

import pytest

from lib.captures import CAPTURES
from lib.some import some
from lib.tables import counters_of
from lib.tshark import DETAILS

sys.path.insert(0, str(CAPTURES / "make"))

from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Builder, Counter, Instance, Object  # noqa: E402

HANDLE = crafted.handle_bytes(1)
ODD_NUMBERS = [0, 1, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF]


def session(answers, path, name="Global"):
    """A capture of one connection that asks for name and gets each of the answers (whole stubs)."""
    capture = wire.Capture()
    connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(HANDLE))
    for answer in answers:
        connection.call(wire.QUERY_VALUE, wire.query_request(HANDLE, name, 65536), answer)
    write_pcapng(path, capture.frames, "")
    return path


def values(data):
    return wire.query_response(wire.REG_BINARY, data, len(data), len(data))


def small_block(order="<"):
    """Parents, unique ids, text, a base, an object without instances: little of each."""
    objects = crafted.machine(1)
    keep = [o for o in objects if o.index in (crafted.SYSTEM, crafted.LOGICAL_DISK, crafted.PHYSICAL_DISK, crafted.UNIQUE)]
    text = Object(5000, [Counter(5002, "PERF_COUNTER_TEXT", size=12), Counter(5004, "PERF_COUNTER_MULTI_TIMER")],
                  Instance("", ["text", 5], multi={1: 2}))
    return Builder("PC", crafted.clock(1), keep + [text], order).data


def dissect(tshark, path, *fields, options=(), answers_only=True):
    display_filter = "dcerpc.pkt_type == 2 && winreg.opnum == 17" if answers_only else None
    return tshark.fields(path, *fields, display_filter=display_filter, options=options)


def thrown(messages):
    """Whether an exception ended the dissection, and not an item of our own told what is wrong."""
    return [message for message in messages if "xception" in message]


@pytest.mark.parametrize("order", ["<", ">"], ids=["little-endian", "big-endian"])
def test_block_cut_at_every_byte(sanitized_tshark, tmp_path, order):
    whole = small_block(order)
    path = session([values(whole[:size]) for size in range(len(whole) + 1)], tmp_path / "cut.pcapng")
    rows = dissect(sanitized_tshark, path, "winreg.werror", "perfdata.path", "perfdata.data_block.header_length", "perfdata.short_block",
                   "_ws.expert.message")
    assert len(rows) == len(whole) + 1
    seen = 0
    for size, (error, paths, header, short, messages) in enumerate(rows):
        assert error == ["0x00000000"] and not thrown(messages), size
        assert bool(header) == (size >= 88), size
        assert bool(short) == (8 <= size < len(whole)), size
        # What stood before the cut is still there.
        assert len(paths) >= seen, size
        seen = len(paths)
    # System 3, LogicalDisk 2, PhysicalDisk 2, Unique 2, the texts 2; bases have no path.
    assert seen == 11


def test_every_odd_number_is_borne(sanitized_tshark, tmp_path):
    """Each 4 bytes of a block replaced by numbers that are too small, too large, negative."""
    whole = small_block()
    damaged = [whole[:at] + struct.pack("<I", number) + whole[at + 4:] for at in range(0, len(whole) - 3, 4) for number in ODD_NUMBERS]
    rows = dissect(sanitized_tshark, session(map(values, damaged), tmp_path / "odd.pcapng"), "winreg.werror", "_ws.expert.message")
    assert [row for row in rows if row[0] != ["0x00000000"] or thrown(row[1])] == []
    assert len(rows) == len(damaged)


@pytest.mark.parametrize("seed", range(2))
def test_random_bytes_break_no_memory_rule(sanitized_tshark, tmp_path, seed):
    """Several bytes at a time, names and blocks, both passes."""
    source = random.Random(seed)
    wholes = [small_block(), crafted.names(sorted(crafted.ENGLISH.items()))]
    answers = []
    for _ in range(400):
        data = bytearray(source.choice(wholes))
        for _ in range(source.randrange(1, 12)):
            data[source.randrange(8, len(data))] = source.randrange(256)
        answers.append(values(bytes(data)))
    for name in ("Global", "Counter 009"):
        path = session(answers, tmp_path / "random.pcapng", name)
        rows = dissect(sanitized_tshark, path, "winreg.werror", "_ws.expert.message", options=["-2"])
        assert len(rows) == len(answers)
        assert all(row[0] == ["0x00000000"] and not thrown(row[1]) for row in rows)


def test_names_cut_at_every_byte(sanitized_tshark, tmp_path):
    whole = crafted.names(sorted(crafted.GERMAN.items()))
    path = session([values(whole[:size]) for size in range(len(whole) + 1)], tmp_path / "names.pcapng", "Counter 007")
    rows = dissect(sanitized_tshark, path, "winreg.werror", "perfdata.title.index")
    assert [row[0] for row in rows] == [["0x00000000"]] * (len(whole) + 1)
    counts = [len(row[1]) for row in rows]
    assert counts == sorted(counts) and counts[-1] == len(crafted.GERMAN)


@pytest.mark.parametrize("actual", [0, 3, 5000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_array_count_that_lies_hides_no_return_code(sanitized_tshark, tmp_path, actual):
    """The array's count reaches beyond the stub: sizes and return code at its end are found all the same."""
    data = small_block()
    stub = wire.query_response(wire.REG_BINARY, data, len(data), len(data), error=5, actual=actual)
    ((error, size, lies, header),) = dissect(
        sanitized_tshark, session([stub], tmp_path / "count.pcapng"), "winreg.werror", "winreg.winreg_QueryValue.data_size",
        "perfdata.array_count", "perfdata.data_block.header_length")
    if actual > len(data):
        assert (error, size) == (["0x00000005"], [str(len(data))]) and lies and header
    else:
        # A count that is too small moves what follows: the bytes are read as what the count makes of them.
        assert not lies


def test_stubs_cut_at_every_byte(sanitized_tshark, tmp_path):
    """Requests and answers that end too early."""
    capture = wire.Capture()
    connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(HANDLE))
    data = small_block()[:200]
    request, answer = wire.query_request(HANDLE, "Global", 64, b" " * 16), values(data)
    for size in range(len(request)):
        connection.call(wire.QUERY_VALUE, request[:size], answer)
    for size in range(len(answer)):
        connection.call(wire.QUERY_VALUE, request, answer[:size])
    several = wire.query_multiple_response([("2", wire.REG_BINARY, data), ("4", wire.REG_BINARY, data[:120])])
    for size in range(0, len(several), 2):
        connection.call(wire.QUERY_MULTIPLE, wire.query_multiple_request(HANDLE, ["2", "4"], 64), several[:size])
    for at in range(0, 140, 4):
        for number in ODD_NUMBERS:
            connection.call(wire.QUERY_MULTIPLE, HANDLE, several[:at] + struct.pack("<I", number) + several[at + 4:])
    for size in range(24):
        connection.call(wire.OPEN_DATA, b"", wire.open_response(HANDLE)[:size])
        connection.call(wire.CLOSE_KEY, HANDLE[:size], wire.close_response()[:size])
    path = tmp_path / "stubs.pcapng"
    write_pcapng(path, capture.frames, "")
    for options in (DETAILS, ["-2", *DETAILS], []):
        sanitized_tshark.run(path, *options)


def test_second_answer_is_no_sample(sanitized_tshark, tmp_path):
    """A second, different answer to a call is no sample of it, in neither pass."""
    capture = wire.Capture()
    connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(HANDLE))
    few = Builder("PC", crafted.clock(1), [Object(2, [Counter(4, "PERF_COUNTER_RAWCOUNT")], Instance("", [1]))]).data
    for first, second in ((few, small_block()), (small_block(), few)):
        connection.call(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 65536), values(first))
        connection.response(values(second))
    path = tmp_path / "twice.pcapng"
    write_pcapng(path, capture.frames, "")
    for options in ([], ["-2"]):
        rows = dissect(sanitized_tshark, path, "winreg.werror", "perfdata.value", options=options)
        assert [row[0] for row in rows] == [["0x00000000"]] * 4
        assert rows[0][1] == rows[3][1] == ["1"] and rows[1][1] == rows[2][1] and len(rows[1][1]) > 10


@pytest.mark.parametrize("name", ["perfdata-windows", "perfdata-samba"])
@pytest.mark.parametrize("snap", [70, 118, 130, 200, 333, 800, 1400])
def test_snap_length_is_no_fault_of_the_peer(sanitized_tshark, tmp_path, name, snap):
    """A capture's snap length is no fault of the peer's."""
    path = tmp_path / "snapped.pcapng"
    subprocess.run(["editcap", "-s", str(snap), CAPTURES / f"{name}.pcapng", path], check=True)
    rows = dissect(sanitized_tshark, path, "perfdata.bad_length", "perfdata.value_outside", "perfdata.array_count", "perfdata.bad_names",
                   answers_only=False)
    assert all(not any(row) for row in some(rows))
    if name == "perfdata-windows":
        rows = dissect(sanitized_tshark, path, "perfdata.short_block", answers_only=False)
        assert all(not any(row) for row in some(rows))


def test_more_values_than_a_packet_holds(tshark, tmp_path):
    """1 MB, 120,000 values: the return code stands, values left out are counted, tables have them all."""
    counters = [Counter(5000 + 2 * n, "PERF_COUNTER_RAWCOUNT") for n in range(20)]
    instances = [Instance(f"i{n}", [n] * 20) for n in range(6000)]
    data = Builder("PC", crafted.clock(0), [Object(5000, counters, instances)]).data
    path = session([values(data)], tmp_path / "large.pcapng")
    ((error, header, left_out, paths),) = dissect(
        tshark, path, "winreg.werror", "perfdata.data_block.num_object_types", "perfdata.left_out", "perfdata.path")
    assert (error, header) == (["0x00000000"], ["1"]) and left_out
    assert 10000 < len(paths) < 120000
    # A filter gets more than is shown (from 4.4 on what -e names does, too), and still not all: that is said.
    ((found, missed),) = tshark.fields(path, "perfdata.path", "perfdata.out_of_reach", display_filter="perfdata.path")
    assert len(paths) <= len(found) < 120000 and missed
    table = tshark.run(path, "-q", "-z", "perfdata,counters")
    assert sum(path.startswith("\\\\PC\\") for path in counters_of(table)) == 120000


def test_counters_times_instances_take_linear_time(tshark, tmp_path):
    """More values than bytes: 4000 counters that share 4 bytes, 4000 instances. Linear in the bytes all the same."""
    counters = [Counter(2, "PERF_COUNTER_RAWCOUNT", offset=4) for _ in range(4000)]
    instances = [Instance("", [1] * 4000) for _ in range(20)]
    data = bytearray(Builder("PC", crafted.clock(0), [Object(2, counters, instances)]).data)
    start, definitions = 96, 64 + 40 * 4000     # of the object, behind "PC"; of the instances in it
    data = data[:start + definitions] + data[start + definitions:] * 200
    struct.pack_into("<I", data, start + 40, 4000)
    struct.pack_into("<I", data, 20, len(data))
    struct.pack_into("<I", data, start, len(data) - start)
    path = session([values(bytes(data))] * 3, tmp_path / "product.pcapng")
    rows = dissect(tshark, path, "winreg.werror", "_ws.expert.message")
    assert [row[0] for row in rows] == [["0x00000000"]] * 3
    assert all(sum("all counters of all instances" in message for message in row[1]) == 1 for row in some(rows))


def test_million_objects_are_read_in_time(sanitized_tshark, tmp_path):
    """NumObjectTypes and every other count at its highest, structures of the smallest size."""
    header = bytearray(Builder("PC", crafted.clock(0), []).data)
    tiny = struct.pack("<IIIIIIIIIiiIQQ", 64, 64, 64, 2, 0, 3, 0, 100, 0xFFFFFFFF, 0, 0x7FFFFFFF, 0, 0, 0)
    data = bytes(header) + tiny * 20000
    data = data[:20] + struct.pack("<I", len(data)) + data[24:28] + struct.pack("<I", 0xFFFFFFFF) + data[32:]
    ((error, short),) = dissect(sanitized_tshark, session([values(data)], tmp_path / "objects.pcapng"), "winreg.werror", "perfdata.short_block")
    assert error == ["0x00000000"] and short
