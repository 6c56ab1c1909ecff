# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures taken again with a short snap length, or without some frames: what is missing is nobody's fault."""

import struct
import subprocess
from functools import cache

import pytest

from lib import perflibv2 as p
from lib.captures import REPOSITORY, record_of
from lib.lossy import frames_of
from lib.pcap import ETHERNET, write_pcap
from lib.tables import named_rows, verdicts
from lib.wire import FIRST_FRAGMENT, LAST_FRAGMENT, REQUEST, RESPONSE, Capture

SESSION = REPOSITORY / "captures" / "tcp-session.pcapng"


# Frames 111, 112 and 114, of 5906, 5906 and 146 bytes, are the three fragments of one answer.
FRAGMENT = 5906


@pytest.mark.parametrize("snap", [146, 200, 500, 2000, FRAGMENT - 1, FRAGMENT])
def test_the_end_of_a_message_is_not_taken_for_it(tshark, tmp_path, snap):
    """Where the fragments before it were cut the last one is said to lack its beginning; it has no number to show."""
    path = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", str(snap), SESSION, path], check=True)
    for readable in (path, tmp_path):
        readable.chmod(0o755)
    ((bad, return_size, return_code, no_beginning, strings),) = tshark.fields(
        path, "_ws.malformed", "perflibv2.return_size", "perflibv2.return_code", "perflibv2.no_beginning", "perflibv2.strings.size",
        display_filter="_ws.malformed or frame.number == 114", options=["-2"])
    assert bad == []
    (response,) = (call["response"] for call in record_of(SESSION)["calls"] if call["call_id"] == 53)
    if snap >= FRAGMENT:
        assert return_size == [str(response["pdwRtnSize"])] and return_code == ["0x00000000"] and no_beginning == []
        assert strings == [str(response["lpData"]["dwSize"])]
    else:
        assert [return_size, return_code, strings] == [[], [], []]
        # Without bind and request Wireshark can't tell whose answer it is.
        assert bool(no_beginning) == (snap >= 200)


@pytest.mark.parametrize("size", [90, 93, 98])
@pytest.mark.parametrize("is_last", [False, True], ids=["others follow", "the last"])
def test_a_fault_whose_status_was_cut_is_no_success(tshark, tmp_path, size, is_last):
    """Frame 9 is a fault. Its PDU begins at byte 66, and its status is bytes 24 to 27 of that."""
    frames = frames_of(REPOSITORY / "captures" / "faults-tcp.pcapng", tmp_path)
    time, data = frames[8]
    frames[8] = time, data[:size], len(data)
    path = write_pcap(tmp_path / "cut.pcap", frames[:9] if is_last else frames, ETHERNET)
    (result,) = (row["Result"] for row in named_rows(tshark.run(path, "-q", "-z", "perflibv2,calls")) if row["First in frame"] == "9")
    assert result == ("fault nca_s_server_too_busy" if size == 98 else "fault not captured")
    sessions = " ".join(tshark.run(path, "-q", "-z", "perflibv2,sessions").split())
    what = "fault nca_s_server_too_busy (0x1c010014)" if size == 98 else "fault (status not captured)"
    assert f"EnumerateCounterSet: {what} in frame 9" in sessions
    findings = tshark.run(path, "-q", "-z", "perflib,findings")
    codes = {row["Code"] for row in named_rows(findings)}
    assert ("server_busy" if size == 98 else "fault") in codes and ("frames_cut" in codes) == (size < 98)
    if is_last:
        says = "is too busy to take the call" if size == 98 else "answered with a fault"
        assert f"127.0.0.1 (client) gets no counters: 127.0.0.1 (server) {says}.\n" in findings


@pytest.mark.parametrize("kind", [REQUEST, RESPONSE], ids=["request", "response"])
def test_cut_first_fragment_is_not_taken_for_the_beginning(tshark, tmp_path, kind):
    """The first of two fragments was not captured whole, the second was: it is not taken for the beginning."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    identifiers = b"".join(p.identifier(number, "instance") for number in range(100))
    request = handle + struct.pack("<II", len(identifiers), len(identifiers)) + identifiers + struct.pack("<I", 1)
    response = struct.pack("<I", len(identifiers)) + identifiers + struct.pack("<I", 0)
    peer.open(handle)
    stubs = {REQUEST: request, RESPONSE: response}
    if kind == RESPONSE:
        peer.connection.request(7, request, call_id=3)
    stub = stubs[kind]
    for flags, part, snap in (FIRST_FRAGMENT, stub[:3000], 1000), (LAST_FRAGMENT, stub[3000:], None):
        peer.connection.pdu(kind, struct.pack("<IHH", len(part), 0, 7 if kind == REQUEST else 0) + part, 3, snap, flags)
    path = capture.write(tmp_path / "first.pcap")
    frame = len(capture.frames)
    ((sizes, no_beginning),) = tshark.fields(
        path, "perflibv2.identifier.size", "perflibv2.no_beginning", display_filter=f"frame.number == {frame}"
    )
    assert sizes == []
    # Wireshark hands over the rest of an answer; of a request it can't tell what it was.
    assert bool(no_beginning) == (kind == RESPONSE)
    assert tshark.fields(path, "frame.number", display_filter="_ws.malformed") == []
    # Another answer to the call, whole though it is, is not the call's own: what was added is not known.
    if kind == RESPONSE:
        peer.connection.response(response, 3)
        peer.connection.call_id = 3
        peer.poll(handle, p.data(*[p.block(1, p.value())] * 100))
        path = capture.write(tmp_path / "second.pcap")
        rows = tshark.fields(path, "perflibv2.second_answer", "perflibv2.value", "perflibv2.counterset.guid",
                             display_filter=f"frame.number > {frame} && dcerpc.pkt_type == 2")
        assert [(len(seconds), len(values), bool(sets)) for seconds, values, sets in rows] == [(1, 0, True), (0, 100, False)]


def test_a_stub_that_ends_early_teaches_once(tshark, tmp_path):
    """An answer without its return code, gone through again, must not open another handle: the one it opened was closed."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    _, opened = peer.call(3, peer.machine, handle)
    closed, _ = peer.close(handle)
    path = capture.write(tmp_path / "short.pcap")
    rows = tshark.fields(path, "frame.number", "perflibv2.handle.closed_in", "perflibv2.handle.not_closed",
                         display_filter="perflibv2.handle.opened_in", options=["-2"])
    assert rows == [[[str(frame)], [str(closed)], []] for frame in (opened, closed)]


def told_broken(printed):
    return {rule for rule, row in verdicts(printed)[0].items() if row[3] == "broken"}


def broken_rules(tshark, path, *options):
    return told_broken(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))


# Of captures that many variants are compared with.
broken_rules_of_whole = cache(broken_rules)


@pytest.mark.parametrize("name, lost, cut", [
    ("tcp-session", (111,), None), ("tcp-session", (112,), 11664), ("tcp-session", (111, 112), None), ("tcp-session", (113,), False),
    ("big", (60,), 688160), ("big", (100,), 688160), ("big", (60, 61), 688160), ("big", (58, 60, 64), 688160), ("big", (137,), False),
])
def test_lost_fragments_blame_nobody_and_end_the_reading(tshark, tmp_path, name, lost, cut):
    """Frames of an answer of many fragments are not in the capture: nobody is to blame, and nothing is read from behind the gap."""
    whole, path = REPOSITORY / "captures" / f"{name}.pcapng", tmp_path / "lost.pcapng"
    subprocess.run(["editcap", whole, path, *map(str, lost)], check=True)
    for readable in (path, tmp_path):
        readable.chmod(0o755)
    for passes in ((), ("-2",)):
        rows, printed = tshark.fields_and_tables(
            path, "perflibv2.fragment_missing", "perflibv2.no_beginning", "_ws.expert.message", options=passes, short=True,
            display_filter="perflibv2.fragment_missing || perflibv2.no_beginning", tables=["perflibv2,rules"])
        assert told_broken(printed) == broken_rules_of_whole(tshark, whole, *passes)
        missing = [messages for is_missing, _, messages in rows if is_missing]
        assert len(missing) == (1 if cut else 0)
        assert sum(bool(lacks) for _, lacks, _ in rows) == (1 if cut is None else 0)
        assert all(f"lpData has {cut} bytes" in "".join(messages) for messages in missing)


@pytest.mark.parametrize("calls_lost", [0, 3])
def test_values_before_a_lost_fragment(tshark, tmp_path, calls_lost):
    """Of a poll that lacks its second fragment the values of the first have their paths, and no other is shown. Other calls may be lost, too."""
    count, size = 1000, 32
    # A block is 32 bytes: header, sizes and value.
    content = p.data(*(p.block(1, p.value(number)) for number in range(1, count + 1)))
    assert len(content) == 48 + count * size
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(number) for number in range(1, count + 1)]), in_size=1 << 20)
    peer.open(p.query_handle(1))
    peer.validate(p.query_handle(1), *(p.identifier(number, "one") for number in range(1, count + 1)))
    peer.info(p.query_handle(1), *(p.identifier(number, "one", index=number - 1) for number in range(1, count + 1)), in_size=1 << 20)
    stub = struct.pack("<IIIII", len(content), len(content), 1 << 20, 0, len(content)) + content + struct.pack("<I", 0)
    call_id = peer.connection.call_id + 1 + calls_lost
    peer.connection.request(6, p.query_handle(1) + struct.pack("<I", 1 << 20), call_id)
    parts = [stub[start : start + 4000] for start in range(0, len(stub), 4000)]
    for number, part in enumerate(parts):
        flags = FIRST_FRAGMENT if number == 0 else LAST_FRAGMENT if number == len(parts) - 1 else 0
        if number != 1:
            peer.connection.pdu(RESPONSE, struct.pack("<IHH", len(part), 0, 0) + part, call_id, flags=flags)
    path = capture.write(tmp_path / "lost.pcap")
    ((values, paths, codes),) = tshark.fields(path, "perflibv2.value", "perflibv2.path", "perflibv2.return_code", display_filter="perflibv2.fragment_missing")
    shown = list(map(int, values))
    # All of the first 4000 bytes that are safe: at least 1024 of them, at most all.
    assert shown == list(range(1, len(shown) + 1)) and (1024 - 68) // size <= len(shown) <= (4000 - 68) // size
    assert len(paths) == len(shown) and codes == ["0x00000000"]
    assert not broken_rules(tshark, path)


@pytest.mark.parametrize("room, largest, offset, is_missing", [
    (1 << 16, 1 << 16, 0, True),
    (6448, 6448, 0, True),
    # Not the room that the request offered, not from the beginning, more than there is room for: damaged, not lost.
    (1 << 16, 1 << 15, 0, False),
    (1 << 16, 1 << 17, 0, False),
    (1 << 16, 1 << 16, 4, False),
    (6447, 6447, 0, False),
])
def test_counts_that_no_server_sends_are_no_lost_fragment(tshark, tmp_path, room, largest, offset, is_missing):
    """Only an answer whose counts are possible says that a fragment of it was lost."""
    content = p.data(*[p.block(1, p.value(number)) for number in range(200)])
    assert len(content) == 6448
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(p.query_handle(1))
    stub = struct.pack("<IIIII", len(content), len(content), largest, offset, len(content)) + content + struct.pack("<I", 0)
    call_id = peer.connection.call_id = peer.connection.call_id + 1
    peer.connection.request(6, p.query_handle(1) + struct.pack("<I", room), call_id)
    for part, flags in (stub[:2400], FIRST_FRAGMENT), (stub[4800:], LAST_FRAGMENT):
        peer.connection.pdu(RESPONSE, struct.pack("<IHH", len(part), 0, 0) + part, call_id, flags=flags)
    path = capture.write(tmp_path / "counts.pcap")
    found = tshark.fields(path, "frame.number", display_filter="perflibv2.fragment_missing")
    assert found == ([[[str(len(capture.frames))]]] if is_missing else [])


def test_index_map_that_lacks_a_fragment(tshark, tmp_path):
    """The map that was read before holds on: half a map is none of another query."""
    count, handle = 100, p.query_handle(1)
    identifiers = [p.identifier(1, f"x{number}", index=number) for number in range(count)]
    content = b"".join(identifiers)
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(handle)
    peer.validate(handle, *identifiers)
    peer.info(handle, *identifiers, in_size=1 << 20)
    stub = struct.pack("<IIIII", len(content), len(content), 1 << 20, 0, len(content)) + content + struct.pack("<I", 0)
    call_id = peer.connection.call_id = peer.connection.call_id + 1
    peer.connection.request(5, handle + struct.pack("<I", 1 << 20), call_id)
    parts = [stub[start : start + 1600] for start in range(0, len(stub), 1600)]
    for number in 0, len(parts) - 1:
        flags = LAST_FRAGMENT if number else FIRST_FRAGMENT
        peer.connection.pdu(RESPONSE, struct.pack("<IHH", len(parts[number]), 0, 0) + parts[number], call_id, flags=flags)
    peer.poll(handle, p.data(*[p.block(1, p.value())] * count), in_size=1 << 20)
    path = capture.write(tmp_path / "map.pcap")
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.fragment_missing")) == 1
    ((links,),) = tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {len(capture.frames)}")
    assert links == ["by Index of QueryCounterInfo"] * count


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_an_answer_that_lacks_its_beginning(tshark, tmp_path, passes):
    """Wherever in its blocks the rest begins, whatever stands where counts should: nothing of it is read, and nobody is blamed."""
    capture, answers = Capture(), []
    content = p.data(*[p.block(1, p.value(number)) for number in range(200)])
    for number, size in enumerate(range(1416, 1448, 4), 1):
        peer = p.Peer(capture, server=f"192.0.2.{number}", fragment=size)
        peer.open(p.query_handle(1))
        sent, answered = peer.poll(p.query_handle(1), content, in_size=1 << 16)
        del capture.frames[sent]
        answers.append(answered - 1)
        peer.poll(p.query_handle(1), p.data())
    path = capture.write(tmp_path / "beginning.pcap")
    assert [int(row[0][0]) for row in tshark.fields(path, "frame.number", display_filter="perflibv2.no_beginning", options=passes)] == answers
    assert not broken_rules(tshark, path, *passes)
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.value", options=passes) == []


def test_a_change_that_lacks_request_and_fragment(tshark, tmp_path):
    """Its lpData counts more than there is: nothing but the gap says so where the request is not there, either."""
    capture = Capture()
    peer = p.Peer(capture, fragment=1432)
    peer.open(p.query_handle(1))
    sent, answered = peer.validate(p.query_handle(1), *(p.identifier(number, "one") for number in range(100)))
    answer = range(answered - 4, answered)
    del capture.frames[answer[1]], capture.frames[sent - 1 : answer[0]]
    path = capture.write(tmp_path / "gap.pcap")
    (packet,) = tshark.packets(path, display_filter="perflibv2.fragment_missing && perflibv2.no_request")
    (answer,) = [protocol for protocol in packet if protocol.find("perflibv2.no_request")]
    (note,) = [item for item in answer.find("") if item.find("perflibv2.no_request")]
    assert (note.position, note.size) == (answer.position, 0)   # no byte of the answer is at fault
    assert not broken_rules(tshark, path)


def test_counts_that_lie_in_one_fragment(tshark, tmp_path):
    """Nothing can be missing of a PDU that is first and last fragment: more than there is was promised."""
    capture = Capture()
    peer = p.Peer(capture)
    stub = struct.pack("<IIIII", 4096, 4096, 4096, 0, 4096) + p.text("x" * 1500) + struct.pack("<I", 0)
    peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 3, 0, 4096), stub)
    path = capture.write(tmp_path / "lie.pcap")
    assert "lpdata_count" in broken_rules(tshark, path)
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.fragment_missing") == []
