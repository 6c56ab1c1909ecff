# SPDX-License-Identifier: GPL-2.0-or-later
"""What the capture lacks is not lacking on the wire: cut copies and late answers of the sample captures."""

import re
import struct
import subprocess
from random import Random

import pytest

from lib.captures import CAPTURES, options_for
from lib.lossy import frames_of, sides_of, smb2_of, tcp_of
from lib.pcap import ETHERNET, write_pcap
from lib.perfdata import wire as winreg
from lib.smb import Smb
from lib.some import some
from lib.tables import data_tables, table_rows, table_sentences
from lib.wire import FAULT, PERFLIBV2, handle, varying_response
from stats.test_sessions import ENUMERATE_OK, FIN, REACHED, RST, SYN, SYN_ACK, bind_body, refuse, sessions
from stats.test_sessions_blame import lose, work

SIZES = (60, 96, 128, 256, 512)
NAMES = sorted(path.stem for path in CAPTURES.glob("*.pcapng"))
SENTENCE = re.compile(r"(\d+) frames? (?:was|were) captured only in part \(the first: frame (\d+)\)\. "
                      r"Capture whole packets \(-s 0, pktmon --pkt-size 0\)\.")


def findings_of(tshark, path, *options):
    """{code, client and rule: findings}, the sentences of the sessions, and the headline"""
    tables = data_tables(tshark, path, *options)
    found = {}
    for row in tables.get("findings", []):
        found.setdefault((row["code"], row["client"], row["filter"] if row["code"] == "rule_broken" else None), []).append(row)
    return found, [row["text"] for row in tables.get("notes", []) if row["of"] == "sessions"], tables["meta"][0]["headline"]


def said(tshark, path, *options):
    """(findings by code and client, sentences of the sessions)"""
    found, sentences, _ = findings_of(tshark, path, *options)
    return {(code, client) for code, client, _ in found}, sentences


def frames_it_needs(tshark, path, finding, streams, *options):
    """
    All frames of its connections up to the last one that its filter shows. One that compares two queries needs all frames; so
    does one of requests that got no result, as a later answer may have it, and one of types, which other machines may tell.
    """
    shown = {finding["frame"] or 1}
    if finding["filter"] and not finding["filter"].startswith("frame.number"):
        shown |= {int(row[0][0]) for row in tshark.fields(path, "frame.number", options=options, display_filter=finding["filter"])}
    if finding["code"] in ("polled_twice", "others_missing", "type_unknown"):
        return set(range(1, len(streams) + 1))
    mine = {streams[number - 1] for number in shown}
    return {number for number in range(1, max(shown) + 1) if streams[number - 1] in mine}


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_copy_has_the_findings_whose_frames_are_whole_and_no_others(tshark, tmp_path, name):
    tmp_path.chmod(0o755)
    capture = CAPTURES / f"{name}.pcapng"
    options = options_for(capture)
    fields = tshark.fields(capture, "frame.len", "tcp.stream")
    lengths, streams = [int(row[0][0]) for row in fields], [tuple(row[1]) for row in fields]
    whole, _, _ = findings_of(tshark, capture, *options)
    needs = {key: max(lengths[number - 1] for row in rows for number in frames_it_needs(tshark, capture, row, streams, *options))
             for key, rows in whole.items()}
    for size in SIZES:
        cut = [number for number, length in enumerate(lengths, 1) if length > size]
        if not cut:
            continue
        path = tmp_path / f"{size}.pcapng"
        subprocess.run(["editcap", "-s", str(size), capture, path], check=True)
        path.chmod(0o644)
        findings, sentences, headline = findings_of(tshark, path, *options)
        assert {code for code, *_ in findings.keys() - whole.keys()} == {"frames_cut"}, (size, findings.keys() - whole.keys())
        assert {key for key, most in needs.items() if most <= size} <= findings.keys(), size
        (found,) = [match for match in map(SENTENCE.fullmatch, sentences) if match]
        assert (int(found[1]), int(found[2])) == (len(cut), cut[0]), size
        # The headline counts what the findings tell.
        others = re.search(r"(\d+) other requests? got", headline)
        told = [row["what"] for rows in findings.values() for row in rows if row["code"] == "others_missing"]
        assert not others or [others[1]] == [text.split()[0] for text in told], (headline, told)


@pytest.mark.parametrize("name", ["smb2-session", "tcp-session", "sessions-smb"])
def test_the_headline_of_a_copy_too_short_for_any_row(tshark, tmp_path, name):
    """The cut removed the requests, so the headline must not say that no client asked."""
    path = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", "64", CAPTURES / f"{name}.pcapng", path], check=True)
    path.chmod(0o644)
    tmp_path.chmod(0o755)
    tables = data_tables(tshark, path)
    cut = len(tshark.fields(path, "frame.number", display_filter="frame.cap_len < frame.len"))
    assert tables["meta"][0]["headline"] == f"{cut} frames were captured only in part."


def values_of(tshark, path, *options):
    """Of each counter: its path and how often it had a value."""
    return sorted(cells[:2] for cells in table_rows(tshark.run(path, *options, "-q", "-z", "perflibv2,counters")) if len(cells) > 4)


def states_of(rows):
    """Without times, and without what is said of the late answer."""
    late = re.compile(r"; (\d+ slow answers, the first: )?[\w ]+ answered after \d+\.\d s in frame \d+")
    return sorted((row.server, row.over, row.wants, row.stage, row.calls, row.faults, row.bytes,
                   re.sub(r"worked \d+\.\d+ s later", "worked", late.sub("", row.outcome))) for row in rows)


def answers(frames):
    """Numbers of frames in which a server answers: Negotiate, the logon, a tree, a pipe, a bind, a call."""
    for number, (_, frame) in enumerate(frames):
        begin = smb2_of(frame)
        if begin and frame[begin + 16] & 1 and struct.unpack_from("<I", frame, begin + 8)[0] != 0x103:
            yield number
        if not begin and re.match(rb"\x05\x00[\x02\x0c]", frame[tcp_of(frame)[1] :]):
            yield number


@pytest.mark.parametrize("name", ["smb2-session", "tcp-session", "sessions-smb"])
def test_an_answer_that_is_late_changes_nothing_else(tshark, tmp_path, name):
    """It and all that follows come ten seconds later."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / f"{name}.pcapng"
    frames = frames_of(capture, tmp_path)
    whole = states_of(sessions(tshark, capture, *options_for(capture)))
    values = values_of(tshark, capture, *options_for(capture))
    found = list(answers(frames))
    for late in some([*found[:6], *found[6 :: max(1, len(found) // 6)]]):
        moved = [(time + (10_000_000 if number >= late else 0), data) for number, (time, data) in enumerate(frames)]
        path = write_pcap(tmp_path / f"{late}.pcap", moved, ETHERNET)
        rows = sessions(tshark, path, *options_for(capture))
        assert states_of(rows) == whole, late
        assert values_of(tshark, path, *options_for(capture)) == values, late


# Answers that no client waits for: SMB2's LOGOFF, TREE_DISCONNECT and CLOSE, and those of SMB1.
NOT_AWAITED = {2, 4, 6}, {0x74, 0x71, 0x04}


def late_answers(frames):
    """Numbers of the frames of servers that a client waits for: everything but NOT_AWAITED and SMB's answer to the Write of an AUTH3."""
    last = {}
    for number, (_, frame) in enumerate(frames):
        tcp, payload = tcp_of(frame)
        if len(frame) == payload:
            continue
        begin = smb2_of(frame)
        command = frame[begin + 12] if begin else frame[payload + 8] if frame[payload + 4 : payload + 8] == b"\xffSMB" else None
        if frame[tcp + 2 : tcp + 4] == (445).to_bytes(2, "big"):
            last[frame[tcp : tcp + 2]] = frame
        elif command not in NOT_AWAITED[not begin] and b"\x05\x00\x10\x03\x10\0\0\0" not in last[frame[tcp + 2 : tcp + 4]]:
            yield number


def is_slow_if_late(tshark, tmp_path, capture, frames, late):
    """Whether there is a finding "slow" if a frame and all that follow come ten seconds later."""
    moved = [(time + (10_000_000 if number >= late else 0), data) for number, (time, data) in enumerate(frames)]
    return "slow" in codes_of(tshark, write_pcap(tmp_path / f"{late}.pcap", moved, ETHERNET), *options_for(capture))


@pytest.mark.parametrize("name, each", [("sessions-smb", 2), ("smb2-session", 15), ("faults-smb1", 7), ("sealed-two-pipes", 9)])
def test_every_late_answer_over_smb_is_slow(tshark, tmp_path, name, each):
    """Whatever a client waits for, also an error, on connections that have a row."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / f"{name}.pcapng"
    frames = frames_of(capture, tmp_path)
    servers = {bytes(map(int, row.server.split("."))) for row in sessions(tshark, capture, *options_for(capture))}
    found = [number for number in late_answers(frames) if frames[number][1][26:30] in servers]
    for late in some(found[::each]):
        assert is_slow_if_late(tshark, tmp_path, capture, frames, late), late + 1


def test_every_late_answer_of_an_object_is_slow(tshark, tmp_path):
    """An alter_context of an interface of ours, and the call that comes after it."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / "pla-session.pcapng"
    frames = frames_of(capture, tmp_path)
    calls = {int(row[0][0]) for row in tshark.fields(capture, "frame.number", display_filter="pla && dcerpc.pkt_type == 2")}
    # An alter_context is for the call after it.
    alters = {int(row[0][0]) for row in tshark.fields(capture, "frame.number", display_filter="dcerpc.pkt_type == 15")}
    for late in some(sorted({*calls, *(number for number in alters if number + 2 in calls)})[::6]):
        assert is_slow_if_late(tshark, tmp_path, capture, frames, late - 1), late


def rows_of(tshark, capture):
    capture.write(capture.path)
    return sessions(tshark, capture.path)


@pytest.mark.parametrize("seconds, slow", [(4, False), (10, True)])
def test_a_late_answer_of_smb(tshark, capture, seconds, slow):
    """One attempt, whichever step was answered late; the row tells how late."""
    for number, late in enumerate(("Session Setup", "Tree Connect", "Create")):
        smb = Smb(capture, server=f"192.0.2.{100 + number}")

        def wait(step, late=late):
            if step == late:
                capture.wait(1000 * seconds)
        smb.send(1, struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 88, 0, 0))
        wait("Session Setup")
        smb.send(1, struct.pack("<HHHH", 9, 0, 72, 0), from_server=True)
        smb.connect()
        wait("Tree Connect")
        smb.send(3, struct.pack("<HBBIII", 16, 2, 0, 0, 0, 0x1FF), from_server=True)
        smb.create()
        wait("Create")
        smb.created()
        work(smb)
        smb.connection.end(FIN)
        row = rows_of(tshark, capture)[-1]
        assert row.outcome.startswith(REACHED) and "no answer" not in row.outcome
        assert (f"{late} answered after {seconds}.0 s in frame" in row.outcome) == slow, row
    assert "no answer" not in " ".join(table_sentences(tshark.run(capture.path, "-q", "-z", "perflibv2,sessions")))


def test_a_late_answer_to_a_bind_and_to_a_call(tshark, capture):
    connection = capture.connection(bind=False)
    connection.pdu(11, bind_body())
    capture.wait(6000)
    connection._send(struct.pack("<BBBBIHHI", 5, 0, 12, 3, 0x10, 60, 0, connection.call_id) + struct.pack("<HHIH", 5840, 5840, 1, 6) + b"49700\0"
                     + struct.pack("<B3xHH", 1, 0, 0) + b"\x04\x5d\x88\x8a\xeb\x1c\xc9\x11\x9f\xe8\x08\0\x2b\x10\x48\x60" + struct.pack("<I", 2), True, None)
    connection.call(0, b"")
    capture.wait(11000)
    connection.response(ENUMERATE_OK)
    (row,) = rows_of(tshark, capture)
    assert row.outcome == f"{REACHED}; 2 slow answers, the first: bind answered after 6.0 s in frame 2"


def test_late_fault_is_a_late_answer(tshark, capture):
    """It is late like any other answer."""
    connection = capture.connection()
    connection.call(0, b"", ENUMERATE_OK)
    connection.call(0, b"")
    capture.wait(11000)
    connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 0x1C010002, 0))
    (row,) = rows_of(tshark, capture)
    assert "; EnumerateCounterSet answered after 11.0 s in frame 6" in row.outcome
    assert codes_of(tshark, capture.path) == {"fault", "slow"}


def test_an_answer_without_its_request_says_nothing(tshark, capture):
    """An error of Negotiate, of the logon or of a tree, whose request is not in the capture, makes no attempt."""
    for command in (0, 1, 3):
        smb = Smb(capture)
        smb.send(command, struct.pack("<HHIB", 9, 0, 0, 0), 0xC0000022, from_server=True)
    assert rows_of(tshark, capture) == []
    smb = Smb(capture)
    smb.connect(0xC0000022)
    (row,) = rows_of(tshark, capture)
    assert row.stage == "tree" and row.outcome.startswith("Tree Connect: STATUS_ACCESS_DENIED (0xc0000022)")


READ, CLOSE, OVERFLOW = 8, 6, 0x80000005
WIN32_NOT_ENOUGH_MEMORY = 8
UNREAD = "the client did not read the rest of the answer"


def overflowing(smb):
    """A call whose answer does not fit into what the client takes at once."""
    stub = winreg.query_request(handle(), "Global", 4096)
    call = struct.pack("<BBBBIHHIIHH", 5, 0, 0, 3, 0x10, 24 + len(stub), 0, 3, len(stub), 0, 17) + stub
    answer = struct.pack("<BBBBIHHIIHH", 5, 0, 2, 3, 0x10, 48, 0, 3, 24, 0, 0) + bytes(24)
    head = struct.pack("<HHIQQIIIIIIII", 57, 0, 0x11C017, 5, 6, 120, len(call), 0, 120, 0, 32, 1, 0)
    smb.send(11, head + call)
    head = struct.pack("<HHIQQIIIIII", 49, 0, 0x11C017, 5, 6, 112, 0, 112, 32, 0, 0)
    smb.send(11, head + answer[:32], OVERFLOW, from_server=True)
    return answer[32:]


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("ends", ["pipe", "connection", "next call"])
def test_the_client_does_not_read_on(tshark, capture, reads, ends):
    """Told of the client, once it does something else; not where it did read."""
    smb = Smb(capture)
    smb.create()
    smb.created()
    work(smb)
    rest = overflowing(smb)
    if reads:
        smb.send(READ, struct.pack("<HBBIQQQIIIHHB", 49, 0, 0, 4096, 0, 5, 6, 0, 0, 0, 0, 0, 0))
        smb.send(READ, struct.pack("<HBBIII", 17, 80, 0, len(rest), 0, 0) + rest, from_server=True)
    if ends == "pipe":
        smb.send(CLOSE, struct.pack("<HHIQQ", 24, 0, 0, 5, 6))
    elif ends == "connection":
        smb.connection.end(FIN)
    else:
        overflowing(smb)
    (row,) = rows_of(tshark, capture)
    assert (UNREAD in row.outcome) == (not reads), row
    assert "not captured" not in row.outcome and "no answer to" not in row.outcome
    missing = tshark.run(capture.path, "-q", "-z", "perfdata,missing")
    assert (UNREAD in missing) == (not reads and ends != "next call"), missing
    if not reads and ends != "next call":
        findings = " ".join(tshark.run(capture.path, "-q", "-z", "perflib,findings").split())
        assert "rest_not_read" in findings and "others_missing" not in findings and "failed or got no answer" not in findings
        assert re.search(r"the client did not read 1 answer to the end\.", findings), findings


@pytest.mark.parametrize("seconds, reads", [(2, False), (11, False), (11, True)], ids=["soon", "late", "reads late"])
@pytest.mark.parametrize("leaves", [None, 2, 4], ids=["stays", "logoff", "tree disconnect"])
def test_the_client_does_not_read_on_for_now(tshark, capture, seconds, reads, leaves):
    """It has ten seconds, even if it reads no more; then it did not read. The server did answer in any case."""
    smb = Smb(capture)
    smb.create()
    smb.created()
    work(smb)
    rest = overflowing(smb)
    if leaves:
        smb.send(leaves, struct.pack("<HH", 4, 0))
    capture.wait(seconds * 1000)
    capture.connection(server_port=80, bind=False).end(SYN)
    if reads:
        smb.send(READ, struct.pack("<HBBIQQQIIIHHB", 49, 0, 0, 4096, 0, 5, 6, 0, 0, 0, 0, 0, 0))
        smb.send(READ, struct.pack("<HBBIII", 17, 80, 0, len(rest), 0, 0) + rest, from_server=True)
    (row,) = rows_of(tshark, capture)
    is_late = seconds > 10 and not reads
    assert (UNREAD in row.outcome) == is_late and "no answer" not in row.outcome and "not captured" not in row.outcome, row
    assert ("not read to its end yet: the answer to QueryValue" in row.outcome) == (seconds < 10), row
    printed = " ".join(tshark.run(capture.path, "-q", "-z", "perfdata,missing", "-z", "perflib,findings").split())
    assert ("rest_not_read" in printed) == ("the client did not read 1 answer to the end." in printed) == is_late, printed
    assert (UNREAD in printed) == is_late and ("no complete answer yet" in printed) == (seconds < 10), printed
    assert "failed or got no answer" not in printed


def test_the_read_was_not_captured(tshark, capture):
    """Frames of the client are missing, so it is not said that it did not read."""
    smb = Smb(capture)
    smb.create()
    smb.created()
    work(smb)
    overflowing(smb)
    lose(smb.connection, pdu=lambda: smb.send(READ, struct.pack("<HBBIQQQIIIHHB", 49, 0, 0, 4096, 0, 5, 6, 0, 0, 0, 0, 0, 0)))
    smb.send(CLOSE, struct.pack("<HHIQQ", 24, 0, 0, 5, 6))
    (row,) = rows_of(tshark, capture)
    assert "did not read" not in row.outcome


def test_call_under_way_has_no_answer_yet(tshark, capture):
    """What was asked a moment ago is open; after its time it has no answer."""
    connection = capture.connection()
    connection.call(0, b"")
    (row,) = rows_of(tshark, capture)
    assert row.outcome == "no answer yet to EnumerateCounterSet of frame 3"
    capture.wait(11000)
    capture.connection(server="192.0.2.99", interface=PERFLIBV2)
    assert rows_of(tshark, capture)[0].outcome == "no answer to EnumerateCounterSet of frame 3"
    assert some(rows_of(tshark, capture))


@pytest.mark.parametrize("name", ["tcp-session", "smb2-session"])
def test_the_capture_ends_before_an_answer(tshark, tmp_path, name):
    """Whatever is under way at the end: no server is said not to answer, and the verdict is a whole sentence."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / f"{name}.pcapng"
    frames = frames_of(capture, tmp_path)
    for end in some(range(3, 60, 3)):
        path = write_pcap(tmp_path / f"{end}.pcap", frames[:end], ETHERNET)
        findings = " ".join(tshark.run(path, *options_for(capture), "-q", "-z", "perflib,findings").split())
        assert "did not answer" not in findings and "does not answer" not in findings and "; ." not in findings, (end, findings)


@pytest.mark.parametrize("name", ["tcp-session", "smb2-session", "perfdata-windows", "pla-session"])
def test_the_capture_ends_before_a_value(tshark, tmp_path, name):
    """The headline says what the sessions say: as long as nothing works, something is missing, and no finding asks anybody to act."""
    tmp_path.chmod(0o755)
    frames = frames_of(CAPTURES / f"{name}.pcapng", tmp_path)
    for end in some(range(4, 25)):
        tables = data_tables(tshark, write_pcap(tmp_path / f"{end}.pcap", frames[:end], ETHERNET))
        headline, rows = tables["meta"][0]["headline"], tables.get("sessions", [])
        assert ("nothing is wrong" in headline) == any(row["state"] == "works" for row in rows), (end, headline)
        # A client asks for the size first: that answer is no failure, as it is going to ask again.
        assert {row["code"] for row in tables.get("findings", [])} <= {"buffer_too_small"}, end
        reached = [row for row in rows if row["state"] == "reached"]
        assert not reached or re.search("; no value was (asked for|received)", headline), (end, headline)


def test_a_probe_that_the_client_did_not_repeat(tshark, capture):
    """It gave up, if it did something else since, or nothing for ten seconds."""
    connection = capture.connection()
    connection.call(0, b"", varying_response(0, 16, 0, b"", WIN32_NOT_ENOUGH_MEMORY))

    def others():
        capture.write(capture.path)
        return "others_missing" in codes_of(tshark, capture.path)

    assert not others()
    frames = list(capture.frames)
    capture.wait(11000)
    capture.connection(server="192.0.2.99", interface=PERFLIBV2)
    assert others()
    capture.frames[:] = frames
    connection.call(1, b"", varying_response(0, 0, 0, b"", 0))
    assert others()


@pytest.mark.parametrize("end, by_server, code, who", [
    (FIN, False, "left_before_answer", "client"), (RST, False, "left_before_answer", "client"),
    (FIN, True, "server_closed", "server"), (RST, True, "server_closed", "server")])
@pytest.mark.parametrize("calls", [0, 1, 2])
def test_who_closed_the_connection(tshark, capture, end, by_server, code, who, calls):
    """Before the client asked, while it waits, or after one answer: the finding is about the end that did not wait, not about the other one."""
    connection = capture.connection()
    for _ in range(calls - 1):
        connection.call(0, b"", ENUMERATE_OK)
    if calls:
        connection.call(0, b"")
    connection.end(end, from_server=by_server)
    capture.write(capture.path)
    tables = data_tables(tshark, capture.path)
    (row,) = tables["findings"]
    assert (row["code"], row["who_code"]) == (("nothing_followed", "client") if not calls and not by_server else (code, who))
    assert tables["sessions"][0]["outcome_code"] == ("left" if calls else "nothing_followed")


def test_a_client_that_waited_before_it_closed(tshark, capture):
    """Ten seconds are enough for any answer: the server did not answer."""
    connection = capture.connection()
    connection.call(0, b"")
    capture.wait(11000)
    connection.end(FIN)
    capture.write(capture.path)
    assert codes_of(tshark, capture.path) == {"no_answer"}


def test_a_lost_answer_beside_an_error(tshark, capture):
    """The one failure that the capture shows says nothing about the answer that it lacks."""
    connection = capture.connection()
    connection.call(0, b"", ENUMERATE_OK)
    connection.call(0, b"")
    connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 0x1C010002, 0))
    connection.call(0, b"")
    lose(connection, pdu=lambda: connection.response(ENUMERATE_OK))
    connection.call(0, b"", ENUMERATE_OK)
    connection.end(FIN)
    capture.write(capture.path)
    found, _, headline = findings_of(tshark, capture.path)
    assert {code for code, *_ in found} == {"fault", "segments_missing"}
    assert "; 1 call failed or got no answer" in headline


def test_a_read_request_that_came_late(tshark, capture):
    """The answer comes before it: Wireshark reads neither. The server did answer."""
    smb = Smb(capture)
    smb.create()
    smb.created()
    work(smb)
    rest = overflowing(smb)
    smb.send(READ, struct.pack("<HBBIQQQIIIHHB", 49, 0, 0, 4096, 0, 5, 6, 0, 0, 0, 0, 0, 0))
    smb.send(READ, struct.pack("<HBBIII", 17, 80, 0, len(rest), 0, 0) + rest, from_server=True)
    capture.frames[-1], capture.frames[-2] = capture.frames[-2], capture.frames[-1]
    smb.send(CLOSE, struct.pack("<HHIQQ", 24, 0, 0, 5, 6))
    capture.write(capture.path)
    assert not codes_of(tshark, capture.path) - OF_THE_CAPTURE


# The frames of "rules" are those of no link layer.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "rules"])
def test_capture_of_one_direction_says_what_it_lacks(tshark, tmp_path, name):
    """Answers alone: the capture lacks what clients ask for. Requests alone: whether any server answered, and what, is unknown."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / f"{name}.pcapng"
    requests, answers = sides_of(frames_of(capture, tmp_path))
    whole, _, whole_headline = findings_of(tshark, capture, *options_for(capture))
    found, _, headline = findings_of(tshark, write_pcap(tmp_path / "answers.pcap", answers, ETHERNET), *options_for(capture))
    if not whole_headline.startswith("No client"):
        assert {code for code, *_ in found} - {"sealed_by_smb3"} == {"one_direction"}, headline
        (row,) = [row for (code, *_), rows in found.items() if code == "one_direction" for row in rows]
        assert (row["who_code"], row["remedy"].split(":")[0]) == ("capture", "Capture both directions")
        assert re.fullmatch(r"Only the answers of servers were captured, on \d+ connections?\.", headline) and headline == row["what"] + "."
    path = write_pcap(tmp_path / "requests.pcap", requests, ETHERNET)
    found, _, headline = findings_of(tshark, path, *options_for(capture))
    if whole_headline.startswith("No client"):
        assert not found and headline == whole_headline
        return
    assert {key for key in found if key[0] != "one_direction"} <= {key for key in whole if key[0] == "rule_broken"}, headline
    assert re.fullmatch(r"Only the requests of clients were captured, on \d+ connections?: whether they were answered is unknown\.", headline)
    # Each silence is doubted, but that of calls a moment ago.
    for row in some(sessions(tshark, path, *options_for(capture))):
        assert re.search("segments of the server are missing|captured only in part|calls? without a bind|but no call followed|nothing followed", row.outcome), row


@pytest.mark.parametrize("begins, pipe", [(False, False), (True, False), (False, True)])
def test_a_bind_that_was_lost(tshark, capture, begins, pipe):
    """The client bound while the capture ran, if its SYN or the pipe's Create is there; else it may have bound before."""
    call = struct.pack("<BBBBIHHIIHH", 5, 0, 0, 3, 0x10, 32, 0, 3, 8, 0, 60) + bytes(8)
    answer = struct.pack("<BBBBIHHIIHH", 5, 0, 2, 3, 0x10, 28, 0, 3, 4, 0, 0) + bytes(4)
    if pipe:
        smb = Smb(capture)
        smb.create()
        smb.created()
        smb.transceive(call, answer)
        smb.connection.end(FIN)
    else:
        connection = capture.connection(bind=False)
        if begins:
            connection.end(SYN)
            connection.sequence[0] += 1
            connection.end(SYN_ACK, from_server=True)
            connection.sequence[1] += 1
        connection.sequence = [each + 100 for each in connection.sequence]
        connection.call(60, bytes(8), bytes(4))
        connection.end(FIN)
    (row,) = rows_of(tshark, capture)
    assert row.outcome == "1 call without a bind: " + ("it is not in the capture" if begins or pipe else "the capture begins later")
    assert codes_of(tshark, capture.path) == {"segments_missing" if begins or pipe else "not_bound"}


@pytest.mark.parametrize("lost", [False, True])
def test_a_retry_that_was_lost(tshark, capture, lost):
    """The same call may have had its result in what the capture lacks."""
    connection = capture.connection()
    connection.call(0, b"", ENUMERATE_OK)
    connection.call(1, b"", varying_response(0, 0, 0, b"", 4200))

    def retry():
        connection.call(1, b"", varying_response(0, 0, 0, b"", 0))
    if lost:
        lose(connection, pdu=retry)
    connection.call(0, b"", ENUMERATE_OK)
    connection.end(FIN)
    capture.write(capture.path)
    found, _, headline = findings_of(tshark, capture.path)
    assert ("others_missing" in {code for code, *_ in found}, "other request" in headline) == (not lost, not lost)


@pytest.mark.parametrize("lost", [False, True])
def test_a_server_whose_answers_were_lost(tshark, capture, lost):
    """Another server refuses. Whether the client got through to this one is unknown."""
    refused = capture.connection(server="192.0.2.50", bind=False)
    refuse(refused)
    connection = capture.connection(bind=False)
    connection.pdu(11, bind_body())
    if lost:
        lose(connection, pdu=lambda: connection.response(bytes(8)))
    connection.end(FIN)
    capture.write(capture.path)
    found, _, headline = findings_of(tshark, capture.path)
    severity = {code: rows[0]["severity"] for (code, *_), rows in found.items()}
    assert severity == {"bind_refused": "error", **({"segments_missing": "warning"} if lost else {"left_before_answer": "error"})}
    assert headline.split(":")[0].endswith("through to 0 of 2 servers" + (" (unknown for 1)" if lost else "")), headline


# Findings about the capture; all others are about a peer.
OF_THE_CAPTURE = {"first_sample", "instance_new", "not_captured", "frames_cut", "segments_missing", "not_bound", "type_unknown", "zero_base",
                  "sealed", "sealed_logon_not_captured", "sealed_by_smb3", "others_missing", "smb_encrypted", "base_unknown", "one_direction"}


def codes_of(tshark, path, *options):
    return {code for code, _ in said(tshark, path, *options)[0]}


@pytest.mark.parametrize("name, variant", [
    (name, variant) for name in NAMES for variant in ("cut", "ends", "begins", "late")
    # Hundreds of servers that break rules; servers that let their client in later.
    if name != "rules" and (name, variant) != ("sessions-smb", "ends")])
def test_no_peer_is_blamed_for_what_the_capture_lacks(tshark, tmp_path, name, variant):
    """Some frames cut at some length, an end or a beginning elsewhere, a pause of ten seconds: no finding about a peer that the whole lacks."""
    tmp_path.chmod(0o755)
    capture, random = CAPTURES / f"{name}.pcapng", Random(name + variant)
    frames = frames_of(capture, tmp_path)
    place = random.randrange(1, len(frames))
    if variant == "cut":
        cut = set(random.sample(range(len(frames)), len(frames) // 10))
        changed = [(time, data[: random.randrange(54, len(data))] if number in cut and len(data) > 54 else data, len(data))
                   for number, (time, data) in enumerate(frames)]
    elif variant == "late":
        changed = [(time + (10_000_000 if number >= place else 0), data) for number, (time, data) in enumerate(frames)]
    else:
        changed = frames[:place] if variant == "ends" else frames[place:]
    whole = codes_of(tshark, capture, *options_for(capture))
    found = codes_of(tshark, write_pcap(tmp_path / "changed.pcap", changed, ETHERNET), *options_for(capture))
    assert found - whole <= OF_THE_CAPTURE | ({"slow", "polls_late"} if variant == "late" else set()), place


@pytest.mark.parametrize("first", [-5, -4])
def test_frames_that_changed_places(tshark, capture, first):
    """A request and its answer, or an answer and the next request: Wireshark does not read the later one. The server did answer."""
    connection = capture.connection()
    for _ in range(3):
        connection.call(0, b"", ENUMERATE_OK)
    connection.end(FIN)
    capture.frames[first], capture.frames[first + 1] = capture.frames[first + 1], capture.frames[first]
    (row,) = rows_of(tshark, capture)
    assert row.outcome.startswith(REACHED)
    assert not codes_of(tshark, capture.path) - OF_THE_CAPTURE


@pytest.mark.parametrize("first", [55, 65, 70])
def test_segments_of_an_answer_that_changed_places(tshark, tmp_path, first):
    """Wireshark does not put the two together, 4.6 sometimes does; client and server did nothing wrong."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / "perfdata-windows.pcapng"
    frames = frames_of(capture, tmp_path)
    frames[first - 1], frames[first] = (frames[first - 1][0], frames[first][1]), (frames[first][0], frames[first - 1][1])
    swapped = write_pcap(tmp_path / "swapped.pcap", frames, ETHERNET)
    assert codes_of(tshark, swapped) - codes_of(tshark, capture) <= OF_THE_CAPTURE
    outcomes = [row.outcome for row in sessions(tshark, swapped)]
    assert ", or it was not captured: segments of the server are missing" in " ".join(outcomes) or \
        (tshark.version >= (4, 6) and outcomes == [row.outcome for row in sessions(tshark, capture)])


@pytest.mark.parametrize("block", [1, 5])
@pytest.mark.parametrize("name", ["faults-smb1", "faults-smb2", "tcp-session", "perfdata-windows"])
def test_frames_captured_twice_count_once(tshark, tmp_path, name, block):
    """Each at once, or five frames and the same five again: all findings, states and counts are those of the capture."""
    tmp_path.chmod(0o755)
    capture = CAPTURES / f"{name}.pcapng"
    frames = frames_of(capture, tmp_path)
    twice = [frame for at in range(0, len(frames), block) for frame in 2 * frames[at : at + block]]
    path = write_pcap(tmp_path / "twice.pcap", twice, ETHERNET)
    whole, doubled = data_tables(tshark, capture), data_tables(tshark, path)
    for table, keys in (("findings", ("code", "what", "who_code")), ("sessions", ("wants", "stage", "state", "outcome_code", "calls", "bytes"))):
        assert [[row[key] for key in keys] for row in doubled[table]] == [[row[key] for key in keys] for row in whole[table]], table
