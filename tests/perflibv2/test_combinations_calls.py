# SPDX-License-Identifier: GPL-2.0-or-later
"""Two things that go together in one call: each alone is tested elsewhere, and a plugin that minds only one of them is wrong.

Each case is a session on a server of its own; all of this file are in one capture, which is read once in each way.
"""

import struct

import pytest

from lib import perflibv2 as p
from lib.combinations import GUID_NOT_FOUND, H, INVALID_PARAMETER, NOT_ENOUGH_MEMORY, Cases, check_case
from lib.tables import query_rows
from lib.wire import Capture, align

case = Cases()


def echo(**change):
    def make(peer):
        sent = {"counter": 1, "name": "one", "instance": 3, "guid": p.SET}
        peer.open(H)
        good = peer.validate(H, p.identifier(2, "two", instance=3), returned=p.identifier(2, "two", instance=3, status=GUID_NOT_FOUND, index=7))[1]
        frame = peer.validate(H, p.identifier(**sent), returned=p.identifier(**{**sent, **change}))[1]
        return {good: {"rules": set()}, frame: {"rules": {"identifier_echo"}}}

    make.__name__ = "echo_" + "_".join(change)
    case(make)


for change in ({"counter": 2}, {"name": "two"}, {"instance": 4}, {"guid": p.OTHER_SET}):
    echo(**change)


@case
def echo_size(peer):
    """The same identifier, but for its Size: what stood behind it is padding now."""
    peer.open(H)
    frame = peer.validate(H, p.identifier(1, "one") + bytes(8), returned=p.identifier(1, raw=p.text("one") + bytes(8)))[1]
    return {frame: {"rules": {"identifier_echo"}}}


def limit(opnum, most):
    """3.1.4.1.1 to 3.1.4.1.7: [range] of dwInSize."""
    def make(peer):
        expected = {}
        peer.open(H)
        for in_size, broken in ((most, set()), (most + 1, {"in_size_range"})):
            answer = struct.pack("<IIIIII", 0, 0, in_size, 0, 0, p.ACCESS_DENIED)
            request = {
                0: peer.machine, 1: peer.machine + p.SET.bytes_le + struct.pack("<II", 3, 0), 2: peer.machine + p.SET.bytes_le, 5: H, 6: H,
            }[opnum] + struct.pack("<I", in_size)
            expected[peer.call(opnum, request, answer)[0]] = {"rules": broken}
        return expected

    make.__name__ = f"limit_of_opnum_{opnum}"
    case(make)


for opnum, most in ((0, 256), (1, 1 << 27), (2, 1 << 26), (5, 1 << 26), (6, 1 << 30)):
    limit(opnum, most)


@case
def limit_of_opnum_7(peer):
    expected = {}
    peer.open(H)
    for in_size, broken in ((1 << 26, {"lpdata_count"}), ((1 << 26) + 1, {"in_size_range", "lpdata_count"})):
        # No capture need hold 64 MB for it: fewer bytes than that are a finding of their own.
        request = align(H + struct.pack("<II", in_size, in_size) + p.identifier(), 4) + struct.pack("<I", 1)
        expected[peer.call(7, request, struct.pack("<II", 0, p.ACCESS_DENIED))[0]] = {"rules": broken}
    return expected


@case
def limit_of_guids(peer):
    """A client may ask for 256 of them (3.1.4.1.1)."""
    frames = [peer.enumerate(guids=(), in_size=0, needed=needed, status=NOT_ENOUGH_MEMORY)[1] for needed in (256, 257)]
    return {frames[0]: {"rules": set()}, frames[1]: {"rules": {"guid_limit"}}}


@case
def limits_of_request_codes(peer):
    """1 to 10 (3.1.4.1.2)"""
    frames = {code: peer.registration(code, b"", status=INVALID_PARAMETER)[0] for code in (0, 1, 10, 11)}
    return {frame: {"rules": {"request_code"} if code in (0, 11) else set()} for code, frame in frames.items()}


@case
def limit_of_return_codes(peer):
    """A Win32 error code has 16 bits ([MS-ERREF] 2.2)."""
    frames = [peer.enumerate(guids=(), status=status)[1] for status in (0xFFFF, 0x10000)]
    return {frames[0]: {"rules": set()}, frames[1]: {"rules": {"return_code"}}}


@case
def offset_of_the_machine(peer):
    """A string begins with its first character, also where there is room for one before ([MS-PCQ] 2.2: [string])."""
    largest, _, actual = struct.unpack_from("<III", peer.machine)
    expected = {}
    for offset in 0, 1:
        machine = struct.pack("<III", largest + 1, offset, actual) + peer.machine[12:]
        expected[peer.enumerate(machine=machine)[0]] = {"rules": {"machine_string"} if offset else set()}
    return expected


@case
def just_enough_room(peer):
    """dwInSize is as much as is needed: that is no reason to fail, and enough to succeed."""
    content = p.SET.bytes_le
    good = peer.registration(8, content, in_size=16)[1]
    bad = peer.registration(8, b"", in_size=16, needed=16, status=NOT_ENOUGH_MEMORY)[1]
    short = peer.registration(8, b"", in_size=15, needed=16, status=NOT_ENOUGH_MEMORY)[1]
    guids = peer.enumerate(guids=(p.SET, p.OTHER_SET), in_size=2)[1]
    few = peer.enumerate(guids=(), in_size=2, needed=2, status=NOT_ENOUGH_MEMORY)[1]
    return {
        good: {"rules": set()}, bad: {"rules": {"too_small"}}, short: {"rules": set()}, guids: {"rules": set()}, few: {"rules": {"too_small"}},
    }


@case
def probes_and_small_buffers(peer):
    """A client without room asks how much it needs; one with too little has guessed. Where the request is not there neither is said."""
    probe = peer.registration(8, b"", in_size=0, needed=16, status=NOT_ENOUGH_MEMORY)[1]
    small = peer.registration(8, b"", in_size=8, needed=16, status=NOT_ENOUGH_MEMORY)[1]
    guids = peer.enumerate(guids=(), in_size=0, needed=3, status=NOT_ENOUGH_MEMORY)[1]
    validated = peer.validate(H, p.identifier(), status=NOT_ENOUGH_MEMORY)[1]
    return {
        probe: {"line": "size probe, 16 bytes needed, ERROR_NOT_ENOUGH_MEMORY$"},
        small: {"line": "buffer too small, 16 bytes needed, ERROR_NOT_ENOUGH_MEMORY$"},
        guids: {"line": "size probe, 3 GUIDs needed, ERROR_NOT_ENOUGH_MEMORY$"},
        # This method knows no sizes.
        validated: {"line": r"query \d+, ERROR_NOT_ENOUGH_MEMORY$"},
    }


@case
def extent_by_out_size(peer):
    """The array counts 8 bytes, pdwOutSize says 16, and 16 are there: all of them are read."""
    answer = struct.pack("<IIIII", 16, 16, 4096, 0, 8) + p.OTHER_SET.bytes_le + struct.pack("<I", 0)
    more = peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 8, 0, 4096), answer)[1]
    # The other way round: the array's own count is right.
    answer = struct.pack("<IIIII", 8, 16, 4096, 0, 16) + p.OTHER_SET.bytes_le + struct.pack("<I", 0)
    less = peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 8, 0, 4096), answer)[1]
    # Both are possible: the next parameter begins at a multiple of four. The array's own count is nearer.
    answer = struct.pack("<IIIII", 14, 16, 4096, 0, 16) + p.OTHER_SET.bytes_le + struct.pack("<I", 0)
    padded = peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 8, 0, 4096), answer)[1]
    return {frame: {"guids": [str(p.OTHER_SET)], "rules": {"lpdata_count"}} for frame in (more, less, padded)}


def intervals(peer):
    peer.open(H)
    times = [0, 9_990_000, 9_990_000 + 9_996_000, 9_996_000 + 9_990_000 - 9_990_000, 9_996_000 + 9_990_000 - 9_990_000 + 10_004_000]
    frames = [peer.poll(H, p.data(time=p.TIME + time))[1] for time in times]
    words = ("0.999 s", "1.000 s", "-0.999 s", "1.000 s")
    return {frame: {"line": f", interval {word}, 0 blocks, \\d+ bytes$"} for frame, word in zip(frames[1:], words, strict=True)}


case(intervals)


@case
def milliseconds(peer):
    """999 ms are the last of a second (2.2.4.7), 1000 are none."""
    peer.open(H)
    good = peer.poll(H, p.data(system_time=(*p.SYSTEM_TIME[:7], 999)))[1]
    bad = peer.poll(H, p.data(system_time=(*p.SYSTEM_TIME[:7], 1000)))[1]
    return {good: {"rules": set()}, bad: {"rules": {"data_time"}}}


@case
def two_times(peer):
    """SystemTime and PerfTime100NSec (2.2.4.7): two seconds apart they are one time, three are two."""
    peer.open(H)
    frames = {apart: peer.poll(H, p.data(system_time=(*p.SYSTEM_TIME[:6], 20 + apart, 0)))[1] for apart in (-3, -2, 2, 3)}
    return {frame: {"rules": {"system_time"} if abs(apart) == 3 else set()} for apart, frame in frames.items()}


@case
def times_at_the_ends(peer):
    """Noon of the day before 1970, a Wednesday; and the last FILETIME that is a point in time, which is not that of SystemTime, and the one after."""
    peer.open(H)
    noon = peer.poll(H, p.data(time=(11_644_473_600 - 43_200) * 10_000_000, system_time=(1969, 12, 3, 31, 12, 0, 0, 0)))[1]
    last, behind = (peer.poll(H, p.data(time=time))[1] for time in ((1 << 63) - 1, 1 << 63))
    return {noon: {"rules": set()}, last: {"rules": {"system_time"}}, behind: {"rules": {"data_time"}}}


@case
def last_index(peer):
    """Of two blocks there is none of Index 2."""
    peer.open(H)
    peer.validate(H, p.identifier(1, "x"), p.identifier(2, "x"))
    frames = {last: peer.info(H, p.identifier(1, "x", index=0), p.identifier(2, "x", index=last))[1] for last in (1, 2)}
    return {frame: {"rules": {"index_range"} if last == 2 else set()} for last, frame in frames.items()}


@case
def strings_at_the_very_end(peer):
    """The last string's terminator is the buffer's last character; one that lacks it is said so; one that begins at the end is none."""
    counters = [(1, "Reads"), (2, "Writes")]
    texts = "Reads\0Writes\0".encode("utf-16-le")
    buffer = struct.pack("<IIIIII", 24 + len(texts), 2, 1, 24, 2, 36)
    peer.registration(1, p.counterset([p.counter(id) for id, _ in counters]))
    whole = peer.registration(5, buffer + texts)[1]
    lacking = peer.registration(6, struct.pack("<I", 22 + len(texts)) + buffer[4:] + texts[:-2])[1]
    behind = peer.registration(6, buffer[:20] + struct.pack("<I", 24 + len(texts)) + texts)[1]
    return {
        whole: {"rules": set(), "counters": ["Reads", "Writes"]}, lacking: {"rules": {"string_terminated"}}, behind: {"rules": {"strings_offset"}},
    }


@case
def short_identifiers(peer):
    """Size below 40 (2.2.4.6): the identifier is read, but nothing tells where the next one begins."""
    peer.open(H)
    sent = p.identifier(1, None, size=39) + p.identifier(2, None, size=0) + p.identifier(3, "x")
    frame = peer.validate(H, sent, returned=sent)[0]
    return {frame: {"sizes": ["39"], "rules": {"identifier_size"}}}


@case
def identifier_of_its_header_alone(peer):
    """... and 40 is enough: one without a name."""
    peer.open(H)
    sent = p.identifier(1, None) + p.identifier(2, None) + p.identifier(3, "x")
    frame = peer.validate(H, sent)[0]
    return {frame: {"sizes": ["40", "40", "48"], "rules": set()}}


@pytest.mark.parametrize("number", range(len(case)), ids=[make.__name__ for make in case])
def test_case_shows_what_both_make_of_it(case_sessions, case_rows, number):
    check_case(case_sessions.made[number], case_rows)


def test_sizes_probes_in_the_table(tshark, tmp_path):
    """A probe is a request without room; an answer whose request was lost is none."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.info(H, in_size=0, status=NOT_ENOUGH_MEMORY)
    peer.poll(H, b"", in_size=0, needed=48, status=NOT_ENOUGH_MEMORY)
    peer.poll(H, b"", in_size=8, needed=48, status=NOT_ENOUGH_MEMORY)
    peer.poll(H, p.data())
    (row,) = query_rows(tshark.run(capture.write(tmp_path / "probes.pcap"), "-q", "-z", "perflibv2,queries"))
    assert row["Size probes"] == "2" and row["Polls"] == "1"
