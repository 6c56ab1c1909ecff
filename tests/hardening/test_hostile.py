# SPDX-License-Identifier: GPL-2.0-or-later
"""Buffers and sessions made to cost as much as they can: time, memory and items stay within bounds.

No test depends on a clock. Time is bounded by the processor seconds a process may use (RLIMIT_CPU), so many starts of
tshark, memory by what it may map (RLIMIT_AS), both far above what is needed and far below what a cost that grows with the
square of the bytes would take.
"""

import re
import struct
from functools import lru_cache
from math import ceil

import pytest

from lib import perflibv2 as p
from lib.costs import start
from lib.tables import table_sentences
from lib.tshark import DETAILS, Tshark
from lib.wire import Capture, align

MILLION = 1_000_000
MANY = 100_000
STARTS = 60
GIGABYTE = 1 << 30
H = p.query_handle(1)


@lru_cache(maxsize=None)
def limited(tshark, memory):
    """A tshark whose runs, each by itself, are killed where they take too much."""
    return Tshark(tshark.plugins, tshark.home, wrapper=("prlimit", f"--cpu={ceil(STARTS * start(tshark))}", f"--as={memory * GIGABYTE}"),
                  more={"WIRESHARK_ABORT_ON_TOO_MANY_ITEMS": "1"})


def bounded(tshark, capture, *options, memory=4):
    """Its output."""
    result = limited(tshark, memory).result("-r", capture, *options, timeout=600)
    assert result.returncode == 0, result.stderr.decode("utf-8", "replace")[-2000:]
    output = result.stdout.decode("utf-8", "replace")
    assert "Dissector bug" not in output
    return output


def assert_answered(tshark, capture, operation, *tables):
    """The return code, which follows lpData, is found, with every tree shown and with none."""
    *before, answer = bounded(tshark, capture, "-V").split("\nPerformance Counter Query Protocol")
    assert before and "\n    Return code: ERROR_SUCCESS (0x00000000)\n" in answer
    calls = bounded(tshark, capture, "-q", *(word for table in ("perflibv2,calls", *tables) for word in ("-z", table)))
    assert re.search(rf"^{operation} +\|ERROR_SUCCESS +\| +1 \|", calls, re.MULTILINE), calls


def poll_of(path, content):
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.poll(H, content, in_size=1 << 30)
    return capture.write(path)


def huge_polls():
    """Counter data of several megabytes, as (name, bytes)."""
    head = p.data(num=MILLION, total=48 + 16 * MILLION)
    yield "blocks", head + p.block(0, status=5) * MILLION
    yield "blocks without end", p.data(num=0xFFFFFFFF) + p.block(0, status=5) * MILLION
    yield "blocks of size 0", p.data(num=0xFFFFFFFF) + p.block(1, size=0) * (MILLION // 4)
    row = p.instance("i") + p.value()
    rows = struct.pack("<II", 8 + len(row) * (MILLION // 4), MILLION // 4) + row * (MILLION // 4)
    yield "instances", p.data(p.block(4, rows))
    yield "instances without values", p.data(p.block(6, p.multi_counters([]) + struct.pack("<II", 0, 0xFFFFFFFF) + p.instance("") * MILLION))
    yield "instances of size 0", p.data(p.block(4, struct.pack("<II", 0, 0xFFFFFFFF) + struct.pack("<II", 0, 0) * MILLION))
    yield "counters", p.data(p.block(2, p.multi_counters(range(MILLION // 4)) + p.value() * (MILLION // 4)))
    yield "values of size 0", p.data(p.block(2, p.multi_counters(range(MILLION // 4)) + struct.pack("<II", 0, 0) * MILLION))
    yield "one block in another", b"".join(
        p.data(num=0xFFFFFFFF) if n == 0 else p.block(6, size=16 * (MILLION // 4 - n)) for n in range(MILLION // 4)
    )


@pytest.mark.parametrize("content", [pytest.param(content, id=name) for name, content in huge_polls()])
def test_huge_poll_is_read_in_time(tshark, tmp_path, content):
    path = poll_of(tmp_path / "huge.pcap", content)
    assert_answered(tshark, path, "QueryCounterData", "perflibv2,rules", "perflibv2,counters")


def answer(path, code_or_opnum, content):
    capture = Capture()
    peer = p.Peer(capture)
    if code_or_opnum == "instances":
        peer.instances(content, in_size=1 << 26)
    elif code_or_opnum == "info":
        peer.open(H)
        peer.info(H, content, in_size=1 << 26)
    else:
        peer.registration(code_or_opnum, content, in_size=1 << 27)
    return capture.write(path)


def one_long_string(count):
    """Headers that all point to the longest string there is."""
    end = 8 + 8 * count
    text = "x".encode("utf-16-le") * count
    return struct.pack("<II", end + len(text), count) + struct.pack("<II", 1, end) * count + text


def offsets_backwards(count):
    """Offsets that point to their own headers, and before the buffer."""
    headers = b"".join(struct.pack("<II", number, (0 - number) & 0xFFFFFFFF) for number in range(count))
    return struct.pack("<II", 8 + len(headers), count) + headers


HUGE_ANSWERS = {
    "a million instances": ("instances", lambda: p.instance("") * MILLION),
    "a million instances of size 0": ("instances", lambda: struct.pack("<II", 0, 0) * MILLION),
    "the same instance": ("instances", lambda: p.instance("a") * (MILLION // 4)),
    "a long name without end": ("instances", lambda: struct.pack("<II", 0xFFFFFFFF, 0) + b"x\0" * MILLION),
    "identifiers": ("info", lambda: p.identifier(1, None) * (MILLION // 4)),
    "counters with one id": (1, lambda: p.counterset([p.counter(1, p.AVERAGE_BULK, base=1)] * (MILLION // 8))),
    "counters": (1, lambda: p.counterset([p.counter(n, p.AVERAGE_BULK, base=n + 1) for n in range(MILLION // 8)])),
    "one string for all": (5, lambda: one_long_string(MILLION // 8)),
    "offsets backwards": (5, lambda: offsets_backwards(MILLION // 4)),
    "strings without number": (5, lambda: struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF) + bytes(4 * MILLION)),
    "a string": (3, lambda: "x".encode("utf-16-le") * MILLION),
}


@pytest.mark.parametrize("name", HUGE_ANSWERS)
def test_huge_answer_is_read_in_time(tshark, tmp_path, name):
    code_or_opnum, content = HUGE_ANSWERS[name]
    path = answer(tmp_path / "huge.pcap", code_or_opnum, content())
    operations = {"instances": "EnumerateCounterSetInstances", "info": "QueryCounterInfo"}
    assert_answered(tshark, path, operations.get(code_or_opnum, "QueryCounterSetRegistrationInfo"), "perflibv2,rules")


def test_handles_never_closed_are_read_in_time(tshark, tmp_path):
    """Handles are opened, get an identifier and are polled, and none is closed."""
    capture = Capture()
    peer = p.Peer(capture)
    item = p.identifier(1, "instance")
    content = p.data(p.block(1, p.value()))
    for number in range(1, MANY // 8 + 1):
        handle = p.query_handle(number)
        peer.open(handle)
        peer.validate(handle, item)
        peer.poll(handle, content)
    path = capture.write(tmp_path / "handles.pcap")
    assert len(bounded(tshark, path, "-q", "-z", "perflibv2,queries").splitlines()) > MANY // 8


def test_identifiers_never_removed_are_read_in_time(tshark, tmp_path):
    """One handle that 100,000 identifiers are added to, then asked what it has."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    step = 1000
    for begin in range(0, MANY, step):
        peer.validate(H, b"".join(p.identifier(counter, "i") for counter in range(begin, begin + step)))
    peer.info(H, p.identifier(1, "i") * 1000, in_size=1 << 26)
    peer.poll(H, p.data(p.block(1, p.value())))
    path = capture.write(tmp_path / "identifiers.pcap")
    output = bounded(
        tshark, path, "-Y", "perflibv2.rule.info_identifiers", "-T", "fields", "-e", "_ws.expert.message", "-z", "perflibv2,rules"
    )
    assert "lpData holds 1000 identifiers, but the query has 100000" in output
    assert table_sentences(output)[-1].endswith("rules broken")


def test_answers_without_end_are_read_in_time(tshark, tmp_path):
    """The same countersets and names, taught again and again, in other languages each time."""
    capture = Capture()
    peer = p.Peer(capture)
    names = [(number, f"counter {number}") for number in range(1, 9)]
    for lcid in range(1000):
        peer.teach()
        peer.registration(5, p.strings(names), lcid=lcid + 1)
        peer.registration(3, p.text("Set"), lcid=lcid + 1)
    path = capture.write(tmp_path / "names.pcap")
    bounded(tshark, path, "-V", memory=2)


def test_every_count_and_size_at_its_limit(sanitized_tshark, tmp_path):
    """Each number of a good poll, index map, list of names and set of counters, one at a time, as large as can be and next to it."""
    capture = Capture()
    peer = p.Peer(capture)
    ids = (1, 2, 3)
    values = p.value() * 3
    good = {
        "poll": p.data(
            p.block(1, p.value()), p.block(2, p.multi_counters(ids) + values), p.block(4, p.multi_instances([p.instance() + p.value()])),
            p.block(6, p.multi_counters(ids) + p.multi_instances([p.instance() + values])), p.block(0, status=5),
        ),
        "info": p.identifier(1, "one") + p.identifier(2, None) + p.identifier(p.NONE, "*"),
        "instances": p.instance() + p.instance("two", 2),
        1: p.counterset(p.COUNTERS),
        2: p.counter(1),
        5: p.strings([(1, "one"), (2, "two"), (3, "three")]),
    }
    for kind, content in good.items():
        for at in range(0, len(content) - 3, 4):
            for number in (0, 1, 7, 8, 9, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF):
                bad = content[:at] + struct.pack("<I", number) + content[at + 4 :]
                if kind == "poll":
                    peer.poll(H, bad)
                elif kind == "info":
                    peer.info(H, bad)
                    peer.validate(H, bad)
                elif kind == "instances":
                    peer.instances(bad)
                else:
                    peer.registration(kind, bad)
    path = capture.write(tmp_path / "limits.pcap")
    output = sanitized_tshark.run(path, "-2", *DETAILS, "-z", "perflibv2,rules", "-z", "perflibv2,counters", "-z", "perflibv2,queries")
    # Of every answer the return code.
    answers = sum(1 for data, _ in capture.frames if data[40 + 2] == 2)
    assert re.findall("^    Return code: (.*)", output, re.MULTILINE) == ["ERROR_SUCCESS (0x00000000)"] * answers


def test_stub_numbers_at_their_limits(sanitized_tshark, tmp_path):
    """The same for every number of every stub."""
    capture = Capture()
    peer = p.Peer(capture)
    name, guid = peer.machine, p.SET.bytes_le
    content = p.data(p.block(1, p.value()))
    identifier = p.identifier()
    calls = [
        (0, name + struct.pack("<I", 4), peer._answer(guid, 4, None, None, 0, element=16)),
        (1, name + guid + struct.pack("<III", 8, 0, 64), peer._answer(guid, 64, None, None, 0)),
        (2, name + guid + struct.pack("<I", 64), peer._answer(p.instance(), 64, None, None, 0)),
        (3, name, H + bytes(4)),
        (5, H + struct.pack("<I", 64), peer._answer(identifier, 64, None, None, 0)),
        (6, H + struct.pack("<I", 4096), peer._answer(content, 4096, None, None, 0)),
        (7, align(H + struct.pack("<II", len(identifier), len(identifier)) + identifier, 4) + struct.pack("<I", 1),
         align(struct.pack("<I", len(identifier)) + identifier, 4) + bytes(4)),
        (4, H, p.NULL_HANDLE + bytes(4)),
    ]
    for opnum, request, response in calls:
        for number in (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF):
            for at in range(0, len(request) - 3, 4):
                peer.call(opnum, request[:at] + struct.pack("<I", number) + request[at + 4 :], response)
            for at in range(0, len(response) - 3, 4):
                peer.call(opnum, request, response[:at] + struct.pack("<I", number) + response[at + 4 :])
        for cut in range(len(request)):
            peer.call(opnum, request[:cut], response)
        for cut in range(len(response)):
            peer.call(opnum, request, response[:cut])
    path = capture.write(tmp_path / "stubs.pcap")
    sanitized_tshark.run(path, "-2", *DETAILS, "-z", "perflibv2,rules", "-z", "perflibv2,queries", "-z", "perflibv2,counters")
