# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures without the beginning: calls on a context that no bind explains are recognised by what they hold."""

import importlib
import logging
import random
import re
import struct
import uuid

import pytest

from lib import perfdata, perflibv2 as p, pla
from lib.captures import CAPTURES, options_for, record_of
from lib.lossy import frames_of
from lib.lossy_sessions import RULES, broken_in, frame_and
from lib.orpc import Stub, objref
from lib.pcap import ETHERNET, write_pcap
from lib.perfdata import wire as winreg
from lib.sessions import values_of
from lib.smb import OVERFLOW, Pipe, Pipe1
from lib.tables import data_tables
from lib.wire import FAULT, NDR, NDR64, PERFLIBV2, WINREG, Capture, string, varying_response
from perfdata.block import Counter, Instance, Object

# bind, bind_ack, bind_nak, alter_context, its answer, AUTH3: the version, the type, flags, no strange byte order.
BINDING = re.compile(rb"\x05\x00[\x0b-\x10]\x03[\x00\x10]\x00\x00\x00")
HANDLE = p.query_handle(1)
PASSES = pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """The frames of a capture by its name."""
    folder = tmp_path_factory.mktemp("frames")
    return lambda name: frames_of(CAPTURES / f"{name}.pcapng", folder)


def without_binds(frames):
    left = [frame for frame in frames if not BINDING.search(frame[1])]
    assert len(left) < len(frames)
    return left


def polled(call):
    """The numbers that the record of a call has in its answer."""
    is_poll = call.get("opnum") == 6 and (call.get("response") or {}).get("lpData", {}).get("blocks")
    return [value["value"] for _, _, value in values_of(call) if value["dwDataSize"] in (4, 8)] if is_poll else []


def sent(name):
    return [value for call in record_of(CAPTURES / f"{name}.pcapng")["calls"] for value in polled(call)]


def shown(tshark, path, *options):
    rows = tshark.fields(path, "perflibv2.value", options=options)
    return [int(value, 0) for (values,) in rows for value in values]


@PASSES
@pytest.mark.parametrize("name", [
    "tcp-session", "smb2-session", "both-apis", "ndr64", "big-endian", "smb2-overflow", "no-counter-info", "no-registration", "spec-layout",
    "locale", "instances-come-and-go", "multi-pdu", "two-servers", "segments", "mid-capture",
])
def test_values_are_read_though_binds_are_missing(tshark, tmp_path, frames, name, options):
    """All values that the server sent are there, as the record has them, and each of the calls says how it is known."""
    path = write_pcap(tmp_path / "cut.pcap", without_binds(frames(name)), ETHERNET)
    expected = sent(name)
    assert expected
    rows = tshark.fields(path, "perflib_session.recognised", "_ws.expert.message", "perflibv2.value", display_filter="perflibv2", options=options)
    # Connections take turns: values of a frame stand in the order of its PDUs.
    assert sorted(int(value, 0) for row in rows for value in row[2]) == sorted(expected)
    assert rows and all(row[0] for row in rows)
    said = {text for row in rows for text in row[1] if "Recognised" in text}
    assert said and all(re.match(r"The bind is not in the capture\. Recognised as (PerflibV2|WINREG) by the re\w+ in frame \d+ \(\w+\)", text) for text in said)


@PASSES
@pytest.mark.parametrize("name", ["perfdata-samba", "both-apis", "habits", "perfdata-xp", "perfdata-windows"])
def test_binds_of_the_registry_are_missing(tshark, tmp_path, frames, name, options):
    """The older API: what the whole capture shows, which other tests compare with its record."""
    capture = CAPTURES / f"{name}.pcapng"
    path = write_pcap(tmp_path / "cut.pcap", without_binds(frames(name)), ETHERNET)
    fields = ("perfdata.value", "perfdata.path")
    whole = tshark.fields(capture, *fields, display_filter="perfdata.value", options=options)
    assert whole and tshark.fields(path, *fields, display_filter="perfdata.value", options=options) == whole


@PASSES
@pytest.mark.parametrize("name", ["pla-session", "pla-every-method"])
def test_binds_of_objects_are_missing(tshark, tmp_path, frames, name, options):
    """[MS-PLA]: each call of the record, by the objects that activation and other answers gave."""
    path = write_pcap(tmp_path / "cut.pcap", without_binds(frames(name)), ETHERNET)
    calls = [call for call in record_of(CAPTURES / f"{name}.pcapng")["calls"] if call["interface"].startswith("I")]
    rows = tshark.fields(path, "pla.opnum", "pla.hresult", display_filter="pla && dcerpc.pkt_type == 2", options=options)
    assert [(int(opnum[0]), int(result[-1], 0)) for opnum, result in rows] == [(call["opnum"], call["hresult"]["value"]) for call in calls]


# Tree Connect and Create, requests and answers, of SMB2 and SMB1: [MS-SMB2] 2.2.1.2, [MS-CIFS] 2.2.2.1.
OPENING = re.compile(rb"\xfeSMB\x40\x00.{6}[\x03\x05]\x00|\xffSMB[\x75\xa2]", re.DOTALL)


@pytest.mark.parametrize("name", ["smb2-session", "both-apis", "perfdata-samba", "smb2-overflow", "sealed-smb1", "faults-smb1", "sealed-smb2"])
def test_pipes_whose_opening_is_missing(tshark, tmp_path, frames, name):
    """Neither the share nor the file has a name; in clear without binds, too. With two passes all values are there."""
    capture = CAPTURES / f"{name}.pcapng"
    options = [*options_for(capture), "-2"]
    given = frames(name) if options_for(capture) else without_binds(frames(name))
    left = [frame for frame in given if not OPENING.search(frame[1])]
    assert len(left) <= len(given) - 4
    path = write_pcap(tmp_path / "cut.pcap", left, ETHERNET)
    fields = ("perflibv2.value", "perfdata.value", "perflibv2.return_code")
    found, expected = ([row for row in tshark.fields(file, *fields, options=options) if any(row)] for file in (path, capture))
    assert found == expected != []


PIECES = 5


@pytest.mark.parametrize("name", ["tcp-session", "smb2-session", "no-counter-info", "instances-come-and-go", "smb2-overflow"])
def test_pieces_of_a_ring_buffer(tshark, tmp_path, frames, name):
    """
    Each piece but the first begins in the middle: with two passes it shows all values of the calls that it holds whole,
    with one those after the proof; no rule is broken that the whole keeps.
    """
    capture = CAPTURES / f"{name}.pcapng"
    whole, calls, read = frames(name), record_of(capture)["calls"], 0
    rules = [f"perflibv2.rule.{rule}" for rule in sorted(RULES)]
    broken = tshark.fields(capture, *rules, display_filter="perflibv2")
    kept = [rule for number, rule in enumerate(sorted(RULES)) if not any(row[number] for row in broken)]
    assert len(kept) > 20
    for piece in range(1, PIECES):
        begin, end = (len(whole) * at // PIECES for at in (piece, piece + 1))
        path = write_pcap(tmp_path / f"{piece}.pcap", whole[begin:end], ETHERNET)
        held = [(call["request_frame"] - begin, polled(call)) for call in calls
                if polled(call) and begin < call["request_frame"] and call["response_frame"] <= end]
        expected = [value for _, values in held for value in values]
        # Of each number of passes: all values, the proofs, and the frames in which a rule is broken that the whole keeps.
        found, proofs, blamed = [], [], []
        for options in ((), ("-2",)):
            # There may be commas in what is said.
            rows = tshark.fields(path, frame_and(kept), "perflibv2.value", "_ws.expert.message", display_filter="perflibv2", options=options, short=True)
            assert rows
            found.append([int(value, 0) for _, values, _ in rows for value in values])
            proofs.append({proof for _, _, texts in rows for proof in re.findall(r"Recognised as [^()]* by the (\w+) in frame (\d+)", ",".join(texts))})
            blamed += [(frame, options) for (frame, *rules_broken), _, _ in rows if rules_broken]
        assert found[1] == expected
        assert not blamed, broken_in(tshark, path, *blamed[0])
        if expected:
            # One connection, one context.
            ((kind, frame),) = proofs[0]
            later = [value for sent_in, values in held if sent_in > int(frame) - (kind == "request") for value in values]
            assert found[0] == later
            read += len(later)
    assert read


@PASSES
def test_one_bind_of_two_connections_is_lost(tshark, tmp_path, frames, options):
    """The other connection is as it was, and neither says of the other's calls that they were recognised."""
    all_frames = frames("multi-pdu")
    lost = next(at for at, frame in enumerate(all_frames) if b"\x05\x00\x0b\x03" in frame[1])
    path = write_pcap(tmp_path / "cut.pcap", all_frames[:lost] + all_frames[lost + 1:], ETHERNET)
    assert sorted(shown(tshark, path, *options)) == sorted(sent("multi-pdu"))
    rows = tshark.fields(path, "tcp.stream", "perflib_session.recognised", display_filter="perflibv2", options=options)
    streams = {stream: {bool(cell) for (other,), cell in rows if other == stream} for stream in {row[0][0] for row in rows}}
    assert sorted(streams.values(), key=str) == [{False}, {True}]


OURS = "perflib_session.recognised || perflibv2 || perfdata || pla"


@PASSES
def test_nothing_foreign_is_taken(tshark, tmp_path, frames, options):
    """Other RPC, of Samba and impacket, over SMB2 and TCP: whole, without its binds, and without the names of its pipes, too."""
    all_frames = frames("foreign")
    # Create is command 5 of SMB2; the names of pipes stand in it.
    unnamed = [frame for frame in without_binds(all_frames) if not re.search(rb"\xfeSMB\x40\x00.{6}\x05\x00", frame[1], re.DOTALL)]
    calls = sum(len(answers) for answers in record_of(CAPTURES / "foreign.pcapng")["answers"].values())
    for name, left in (("whole", all_frames), ("cut", without_binds(all_frames)), ("unnamed", unnamed)):
        path = write_pcap(tmp_path / f"{name}.pcap", left, ETHERNET)
        assert tshark.run(path, "-Y", OURS, *options) == ""
        requests = tshark.run(path, "-Y", "dcerpc.pkt_type == 0", *options).splitlines()
        assert len(requests) > calls * 0.9
        if name != "whole":
            assert tshark.run(path, "-Y", "dcerpc.cn_ctx_id.no_bind", *options).count("\n") >= len(requests)


@PASSES
@pytest.mark.parametrize("opnum, behind, answer", [
    (0, bytes(4), varying_response(0, 0, 0, b"", 5)),
    (2, bytes(range(16)) + bytes(4), varying_response(0, 0, 0, b"", 5)),
    (3, b"", bytes(20) + struct.pack("<I", 5)),
])
def test_a_name_alone_is_anybodys(tshark, tmp_path, opnum, behind, answer, options):
    """A name, and a GUID or a number or nothing: over TCP any interface may ask so; not where it is a machine's with its backslashes."""
    for name, is_ours in (("Administrator", False), ("4", False), ("\\\\SERVER", True)):
        capture = Capture()
        capture.connection(bind=False).call(opnum, string(name) + behind, answer)
        path = capture.write(tmp_path / "name.pcap")
        assert bool(tshark.run(path, "-Y", OURS, *options)) == is_ours


OPENED = HANDLE + struct.pack("<I", 0)
CLOSED = p.NULL_HANDLE + struct.pack("<I", 0)
EMPTY = varying_response(0, 0, 64, b"", 0)


def in_house(*calls):
    """Calls of another program's interface on a context without a bind: OpenQueryHandle as ours has it, then these."""
    capture = Capture()
    connection = capture.connection(bind=False)
    for opnum, stub, answer in calls:
        connection.call(opnum, stub, answer)
    return capture


OPEN = string("\\\\SRV")
MISFITS = {
    # The answer to Open has no room for a handle; it is longer; its code is no Win32 error; it succeeds without a handle.
    "length": [(3, OPEN, bytes(4))],
    "longer": [(3, OPEN, OPENED + bytes(16))],
    "code": [(3, OPEN, HANDLE + struct.pack("<I", 0x12345678))],
    "null": [(3, OPEN, CLOSED)],
    # It gives out one handle twice; a closed handle stays; a poll succeeds without the header of its data.
    "again": [(3, OPEN, OPENED), (3, OPEN, OPENED), (4, HANDLE, CLOSED)],
    "closed": [(3, OPEN, OPENED), (4, HANDLE, OPENED), (4, HANDLE, CLOSED)],
    # What it brings begins like no counter data, no identifier and no instance.
    "data": [(3, OPEN, OPENED), (6, HANDLE + struct.pack("<I", 64), varying_response(64, 64, 64, bytes(range(64)), 0))],
    "info": [(3, OPEN, OPENED), (5, HANDLE + struct.pack("<I", 64), varying_response(64, 64, 64, bytes(range(64)), 0))],
    "instances": [(3, OPEN, OPENED), (2, OPEN + bytes(16) + struct.pack("<I", 64), varying_response(64, 64, 64, bytes(range(64)), 0))],
    "empty": [(3, OPEN, OPENED), (6, HANDLE + struct.pack("<I", 64), EMPTY), (6, HANDLE + struct.pack("<I", 64), EMPTY)],
}


@PASSES
@pytest.mark.parametrize("calls", MISFITS.values(), ids=MISFITS)
def test_an_answer_that_cannot_be_ours(tshark, tmp_path, calls, options):
    """Nothing of the context is ours any more, with two passes nothing ever was; and nobody is blamed."""
    path = in_house(*calls).write(tmp_path / "inhouse.pcap")
    rows = tshark.fields(path, "frame.number", "_ws.expert.severity", display_filter="perflibv2", options=options)
    misfit = 2 + 2 * ("again" in str(calls) or len(calls) > 1)
    if options:
        assert rows == []
    else:
        assert [int(number[0]) for number, _ in rows] == list(range(1, misfit))
    broken = tshark.fields(path, "perflibv2.broken_rule", display_filter="perflibv2.broken_rule", options=options)
    assert broken == []
    said = tshark.run(path, "-q", "-z", "perflib,findings", *options)
    # In one pass, answers that fitted were counted before the misfit.
    assert "not_bound" not in said and ("No client asks for performance counters" in said) == (bool(options) or misfit == 2)
    assert tshark.fields(path, "dcerpc.opnum", display_filter="dcerpc.pkt_type == 0", options=options)


TITLE = "Counter 009".encode("utf-16-le")
REGISTRY_MISFITS = {
    "fits": winreg.query_response(7, TITLE, 22, 22),
    # No Win32 error; more than the code; no offset of an array; more than there is room for; a length that the data has not.
    "code": winreg.query_response(7, TITLE, 22, 22, 0x12345678),
    "longer": winreg.query_response(7, TITLE, 22, 22) + bytes(16),
    "maximum": winreg.query_response(7, TITLE, 22, 22, maximum=10),
    "length": winreg.query_response(7, TITLE, 22, 12),
    "empty": bytes(4),
}
LISTED = varying_response(2, 2, 2, b"".join(uuid.UUID(int=number).bytes_le for number in (1, 2)), 0, count=2)


@PASSES
@pytest.mark.parametrize(("opnum", "request_stub", "answer"), [
    (0, string("\\\\SERVER") + bytes(4), LISTED),
    (17, winreg.query_request(HANDLE, "Counter 009", 64), REGISTRY_MISFITS["fits"]),
], ids=["EnumerateCounterSet", "QueryValue"])
def test_cut_answer_contradicts_nothing(tshark, tmp_path, opnum, request_stub, answer, options):
    """The capture has the first bytes of the answer's stub, from none to all: what the request was recognised as stays."""
    capture = Capture()
    for snap in range(len(answer) + 1):
        connection = capture.connection(bind=False)
        connection.call_id += 1
        connection.request(opnum, request_stub)
        connection.response(answer, snap=snap)
    path = capture.write(tmp_path / "cut.pcap")
    rows = tshark.fields(path, "frame.number", display_filter="perflib_session.recognised", options=options)
    assert rows == [[[str(number)]] for number in range(1, 2 * len(answer) + 3)]


@PASSES
@pytest.mark.parametrize("answer", REGISTRY_MISFITS.values(), ids=REGISTRY_MISFITS)
def test_an_answer_that_cannot_be_the_registrys(tshark, tmp_path, answer, options):
    """A QueryValue that anybody may send, by its shape; but not with each answer."""
    capture = Capture()
    connection = capture.connection(bind=False)
    connection.call(17, winreg.query_request(HANDLE, "Counter 009", 64), answer)
    connection.call(17, winreg.query_request(HANDLE, "Counter 009", 64), answer)
    path = capture.write(tmp_path / "registry.pcap")
    frames = tshark.fields(path, "frame.number", display_filter="winreg", options=options)
    assert len(frames) == (4 if answer == REGISTRY_MISFITS["fits"] else 0 if options else 1)


def attributed(number):
    """A handle with these attributes, [MS-RRP] 2.2.1.1: Windows sends 0, Samba 1."""
    return struct.pack("<I", number) + HANDLE[4:]


def queried(handle=HANDLE, kind=0, offset=0, actual=4, offered=b"room", size=26, behind=b""):
    stub = winreg.query_request(handle, "Counter 009", 8, b"room")
    at = stub.index(b"room")
    stub = stub[:20] + struct.pack("<HH", size - 2, size) + stub[24:at - 20] + struct.pack("<I", kind) + stub[at - 16:at - 8]
    return stub + struct.pack("<II", offset, actual) + offered + winreg.query_request(handle, "Counter 009", 8, b"room")[at + 4:] + behind


QUERIES = {
    "as Windows": (queried(), True), "as Samba": (queried(attributed(1)), True), "255": (queried(attributed(255)), True),
    "256": (queried(attributed(256)), False), "no key": (queried(p.NULL_HANDLE), False), "REG_QWORD": (queried(kind=11), True),
    "no type": (queried(kind=12), False), "offset": (queried(offset=1), False), "full": (queried(actual=8, offered=bytes(8)), True),
    "beyond": (queried(actual=9, offered=bytes(12)), False), "room for less than the name": (queried(size=22), False),
    "more behind it": (queried(behind=bytes(8)), False), "cut": (queried()[:-4], False),
}


@PASSES
@pytest.mark.parametrize("stub, is_ours", QUERIES.values(), ids=QUERIES)
def test_a_query_of_the_registry_is_known_by_its_numbers(tshark, tmp_path, stub, is_ours, options):
    """QueryValue over TCP, where any interface may be: [MS-RRP] 2.2.4, 2.2.9, 3.1.5.17."""
    capture = Capture()
    capture.connection(bind=False).call(17, stub, winreg.query_response(3, b"PERF", 4, 4, 2))
    assert bool(tshark.run(capture.write(tmp_path / "query.pcap"), "-Y", "winreg", *options)) == is_ours


def given_and_called(interface, opnum, stub, answer):
    """A set that another connection was given, and a call on one whose bind is missing; answer None: none came."""
    script = pla.Script()
    script.activate(pla.SETS_CLASS, objref(pla.IID["IDataCollectorSet"], uuid.UUID(int=7), oid=70, address="10.0.0.2[49300]"))
    other = pla.Script(other=script, port=49300)
    other.exchange(interface, opnum, stub, answer, uuid.UUID(int=7))
    del script.capture.packets[4:6]
    return script.capture


def asked_for(*interfaces, counts=None):
    """RemQueryInterface, [MS-DCOM] 3.1.1.5.6.1.1. counts: cIids and that of the array."""
    short, long = counts or [len(interfaces)] * 2
    stub = Stub().orpcthis().guid(uuid.UUID(int=7)).u32(5).u16(short).u32(long)
    return stub.raw(b"".join(uuid.UUID(pla.IID[name]).bytes_le for name in interfaces)).bytes()


SET_IID, THIS, S_OK = pla.IID["IDataCollectorSet"], Stub().orpcthis().bytes(), bytes(12)
# Delete has no parameter, Query has two. An ORPCTHAT has flags and no extension, [MS-DCOM] 2.2.13.4; bits R, N and X of an HRESULT are 0.
OBJECT_CALLS = {
    "nothing": ((SET_IID, 61, THIS, S_OK), True), "padding": ((SET_IID, 61, THIS + bytes(7), S_OK), True),
    "more": ((SET_IID, 61, THIS + bytes(8), S_OK), False),
    "no parameter": ((SET_IID, 59, THIS, S_OK), False), "a parameter": ((SET_IID, 59, THIS + bytes(1), S_OK), True),
    "no such method": ((SET_IID, 99, THIS, S_OK), False), "its flags": ((SET_IID, 61, THIS, b"\x1f" + bytes(11)), True),
    "more flags": ((SET_IID, 61, THIS, b"\x20" + bytes(11)), False), "short": ((SET_IID, 61, THIS, bytes(11)), False),
    "padded answer": ((SET_IID, 61, THIS, bytes(19)), True), "longer answer": ((SET_IID, 61, THIS, bytes(20)), False),
    **{name: ((SET_IID, 61, THIS, bytes(11) + bytes([bit])), ours) for name, bit, ours in
       (("S", 0x80, True), ("R", 0x40, False), ("C", 0x20, True), ("N", 0x10, False), ("X", 8, False))},
    "asks": ((pla.REMOTE_UNKNOWN, 3, asked_for("IDataCollectorSet"), None), True),
    "asks for it last": ((pla.REMOTE_UNKNOWN, 3, asked_for("IEnumVARIANT", "IUnknown", "ISchedule"), None), True),
    "asks for anybody's": ((pla.REMOTE_UNKNOWN, 3, asked_for("IEnumVARIANT", "IUnknown", "IDispatch"), None), False),
    "asks for nothing": ((pla.REMOTE_UNKNOWN, 3, asked_for(), None), False),
    "asks for more than it names": ((pla.REMOTE_UNKNOWN, 3, asked_for("IDataCollectorSet", counts=(2, 2)), None), False),
    "asks with two counts": ((pla.REMOTE_UNKNOWN, 3, asked_for("IDataCollectorSet", counts=(2, 1)), None), False),
}


@pytest.mark.parametrize("call, is_ours", OBJECT_CALLS.values(), ids=OBJECT_CALLS)
def test_a_call_to_a_known_object_is_known_by_its_size_and_answer(tshark, tmp_path, call, is_ours):
    path = given_and_called(*call).write(tmp_path / "object.pcap")
    assert bool(tshark.run(path, "-2", "-Y", "tcp.port == 49300 && perflib_session.recognised")) == is_ours


ROOTS, NAMED = {0, 1, 2, 3, 4, 32, 33}, {6, 7, 15, 17}


@pytest.mark.parametrize("attributes, server, size, behind, expected", [
    (0, struct.pack("<I", 0), 14, b"", {*range(35)}),
    (255, struct.pack("<IHH", 0x20000, 0x5C, 0), 14, b"", {*range(35)}),
    (256, b"", 14, b"", set()),
    (0, struct.pack("<I", 0), 12, bytes(16), {*range(35)} - ROOTS - NAMED - {5}),
], ids=["no name", "255", "256", "longer"])
def test_calls_of_the_registrys_pipe_are_known_by_a_handle(tshark, tmp_path, attributes, server, size, behind, expected):
    """
    There only PerflibV2 is besides. A root key is opened with a server's name of one letter, or none, and the access, CloseKey has a handle
    alone, and some have a name whose size is its own. All others begin with a handle; 34 is the last.
    """
    found = set()
    for opnum in range(37):
        capture = Capture()
        pipe = Pipe(capture, interface=WINREG)
        del capture.frames[-2:]     # the bind
        named = winreg.query_request(attributed(attributes), "Global", None)
        stub = {**dict.fromkeys(ROOTS, server + struct.pack("<I", 0x2000000)), 5: named[:20],
                **dict.fromkeys(NAMED, named[:20] + struct.pack("<HH", size, size) + named[24:])}.get(opnum, named[:20] + bytes(4))
        pipe.call(opnum, stub + behind)
        if tshark.run(capture.write(tmp_path / f"{opnum}.pcap"), "-Y", "winreg"):
            found.add(opnum)
    assert found == expected


@PASSES
@pytest.mark.parametrize("closed", [HANDLE, p.NULL_HANDLE], ids=["stays", "fits"])
def test_a_key_that_stays_after_it_was_closed(tshark, tmp_path, closed, options):
    capture = Capture()
    connection = capture.connection(bind=False)
    connection.call(17, winreg.query_request(HANDLE, "Counter 009", 64), REGISTRY_MISFITS["fits"])
    connection.call(5, HANDLE, closed + bytes(4))
    path = capture.write(tmp_path / "closed.pcap")
    frames = tshark.fields(path, "frame.number", display_filter="winreg", options=options)
    assert len(frames) == (4 if closed == p.NULL_HANDLE else 0 if options else 3)


def judged(tshark, path, options):
    """The tables that have rows, but for what says that the capture begins too late, and the rules that were not checked."""
    tables = data_tables(tshark, path, *options)
    del tables["meta"], tables["notes"]
    tables["perflibv2-rules"] = [row for row in tables["perflibv2-rules"] if row["verdict"] != "not checked"]
    tables["sessions"] = [row for row in tables.get("sessions", []) if "without a bind: the capture begins later" not in row["outcome"]]
    assert {row["code"] for row in tables.pop("findings", [])} <= {"not_bound"}
    return {name: rows for name, rows in tables.items() if rows}


@PASSES
@pytest.mark.parametrize("opnum, stub", [(3, OPEN), (17, winreg.query_request(HANDLE, "Counter 009", 64))], ids=["open", "query"])
@pytest.mark.parametrize("fault", [False, True])
def test_requests_without_an_answer_that_fits(tshark, tmp_path, opnum, stub, fault, options):
    """They are shown, but may be of another interface: no server is blamed for a missing answer, or for a fault."""
    capture = Capture()
    connection, other = capture.connection(bind=False), capture.connection(bind=False, server_port=80)
    connection.request(opnum, stub, 1)
    if fault:
        connection.pdu(FAULT, struct.pack("<IHBBII", 32, 0, 0, 0, 5, 0), 1)
    for _ in range(3):
        capture.wait(100_000)
        other.end(0x10)
    connection.end(0x11)
    connection.end(0x11, True)
    path = capture.write(tmp_path / "alone.pcap")
    assert tshark.fields(path, "dcerpc.opnum", display_filter="perflibv2 || winreg", options=options)[0] == [[str(opnum)]]
    assert judged(tshark, path, options) == {}


@PASSES
@pytest.mark.parametrize("calls", [MISFITS[name] for name in ("length", "longer", "code", "null")] + [
    [(17, winreg.query_request(HANDLE, "Counter 009", 64), answer)] for name, answer in REGISTRY_MISFITS.items() if name != "fits"])
def test_nothing_is_counted_before_an_answer_fits(tshark, tmp_path, calls, options):
    assert judged(tshark, in_house(*calls).write(tmp_path / "first.pcap"), options) == {}


@PASSES
def test_a_fault_before_an_answer_that_cannot_be_ours(tshark, tmp_path, options):
    """The fault is another program's, too, as the answer after it shows."""
    capture = Capture()
    connection = capture.connection(bind=False)
    connection.request(3, OPEN, 1)
    connection.pdu(FAULT, struct.pack("<IHBBII", 32, 0, 0, 0, 5, 0), 1)
    connection.call(3, OPEN, bytes(4))
    path = capture.write(tmp_path / "fault.pcap")
    rows = tshark.fields(path, "frame.number", display_filter="perflibv2", options=options)
    assert rows == ([] if options else [[["1"]], [["2"]], [["3"]]])
    assert judged(tshark, path, options) == {}


@PASSES
def test_no_answer_is_in_the_capture(tshark, tmp_path, options):
    """Requests are shown. What breaks a rule in them is not said, and nothing of them is counted."""
    capture = Capture()
    connection = capture.connection(bind=False)
    connection.request(3, OPEN, 1)
    connection.request(0, OPEN + struct.pack("<I", 257), 2)
    path = capture.write(tmp_path / "requests.pcap")
    rows = tshark.fields(path, "perflibv2.opnum", "perflibv2.in_size", "perflibv2.broken_rule", display_filter="perflibv2", options=options)
    assert rows == [[["3"], [], []], [["0"], ["257"], []]]
    assert "no rule broken" in tshark.run(path, "-q", "-z", "perflibv2,rules", *options) or "0 of" in tshark.run(path, "-q", "-z", "perflibv2,rules", *options)


@pytest.mark.parametrize("opnum", [1, 2, 5, 6])
def test_sizes_that_nobody_needs(tshark, tmp_path, opnum):
    """An answer alone may tell what it is; not one that says it would take gigabytes: such numbers are any bytes."""
    stub = struct.pack("<II", 48, 0) + bytes(40)    # as long as its first member says, as lpData of a poll is
    for needed, most, is_ours in ((48, 4096, True), (0xC0000000, 4096, False), (48, 0xC0000000, False)):
        capture = Capture()
        capture.connection(bind=False).call(opnum, bytes(24), varying_response(48, needed, most, stub, 0))
        path = capture.write(tmp_path / "sizes.pcap")
        assert bool(tshark.run(path, "-Y", OURS)) == is_ours, (needed, most)


FOREIGN = "drsuapi samr lsad lsat srvs wkst scmr tsch even even6 rprn par mgmt bkrp dhcpm dssp nrpc sasec nspi atsvc".split()


def test_nothing_foreign_is_taken_of_all_that_impacket_can_say(tshark, tmp_path):
    """Each call of its interfaces and each answer, with whatever its parameters come to: without a bind, over TCP."""
    pytest.importorskip("impacket")
    logging.getLogger("impacket").disabled = True
    capture, count, chance = Capture(), 0, random.Random(20)
    for name in FOREIGN:
        module = importlib.import_module(f"impacket.dcerpc.v5.{name}")
        connection = capture.connection(bind=False)
        for opnum, classes in sorted(getattr(module, "OPNUMS", {}).items()):
            for _ in range(4):
                request, answer = (filled(kind, chance) for kind in classes)
                if request is not None:
                    connection.call(opnum, request, answer)
                    count += 1
    path = capture.write(tmp_path / "impacket.pcap")
    assert count > 1000
    for options in ((), ("-2",)):
        assert tshark.run(path, "-Y", "dcerpc.pkt_type == 0", *options).count("\n") > count * 0.9
        assert tshark.run(path, "-Y", OURS, *options) == ""


def filled(kind, chance):
    """The stub with its members set to what they take; None: impacket does not make one so."""
    try:
        call = kind()
    except ValueError:          # some it defines wrongly
        return None
    for member, *_ in call.commonHdr + call.structure:
        for value in (chance.choice(("name", "\\\\SERVER\0", "")) if chance.random() < 0.5 else chance.randrange(100), chance.randrange(2**32),
                      "\\\\SERVER\0", bytes(20)):
            try:
                call[member] = value
                call.fields[member].getData()
                break
            except Exception:       # of another type
                continue
    try:
        return call.getData()
    except Exception:
        return None


@PASSES
@pytest.mark.parametrize("big_endian", [False, True])
def test_a_handle_that_was_given_out(tshark, tmp_path, options, big_endian):
    """... is no other interface's: who closes it on a connection without its bind has closed it, and the server may give it out again."""
    capture = Capture()
    first = p.Peer(capture)
    first.connection.call_id = 0
    first.open(HANDLE)
    second = p.Peer(capture, bind=False, big_endian=big_endian)
    sent = struct.pack(">I", 0) + uuid.UUID(bytes_le=HANDLE[4:]).bytes if big_endian else HANDLE
    closed, answered = second.call(4, sent, bytes(24))
    other = p.Peer(capture, bind=False)     # the same call with what nobody gave out
    stranger, _ = other.close(p.query_handle(2))
    again = first.open(HANDLE)[1]
    path = capture.write(tmp_path / "given.pcap")
    rows = tshark.fields(path, "frame.number", "perflibv2.opnum", "perflibv2.rule.handle_unique", options=options)
    shown = {int(frame): (opnum, broken) for (frame,), opnum, broken in rows}
    assert shown[closed] == shown[answered] == (["4"], []) and shown[stranger] == ([], []) and shown[again] == (["3"], [])


@PASSES
@pytest.mark.parametrize("first", ["poll", "map", "change"])
def test_a_handle_that_was_given_out_does_not_tell_the_transfer_syntax(tshark, tmp_path, options, first):
    """It goes on on a connection of NDR64, whose bind is not in the capture: handle and size look alike in NDR; the answer tells."""
    capture = Capture()
    p.Peer(capture).mapped(HANDLE, p.identifier(1))
    begun = len(capture.frames)
    peer = p.Peer(capture, transfer_syntax=NDR64)
    del capture.frames[begun:]
    if first == "change":
        peer.validate(HANDLE, p.identifier(2))
    if first != "poll":
        peer.info(HANDLE, p.identifier(1))
    peer.poll(HANDLE, p.data(p.block(1, p.value(5))))
    path = capture.write(tmp_path / "syntax.pcap")
    assert shown(tshark, path, *options) == [5]
    assert tshark.run(path, *options, "-Y", f"frame.number > {begun} && (_ws.malformed || _ws.expert.message == \"Long frame\")") == ""


MACHINE_CALL = string("\\\\HOST") + struct.pack("<I", 1) + bytes(8), bytes(12) + struct.pack("<I", 5)
SRVSVC = ("4b324fc8-1670-01d3-1278-5a47bf6ee188", 3, 0)


class Late:
    """Pipes of one SMB connection whose opening and binds are not in the capture. kinds: interface and transfer syntax of each."""

    def __init__(self, kinds, pipe=Pipe, **options):
        self.capture, self.kinds, self.pipes, self.peers = Capture(), kinds, [], []
        for number, (interface, syntax) in enumerate(kinds, 1):
            self.pipes.append(pipe(self.capture, self.pipes[0].smb if self.pipes else None, interface=interface, transfer_syntax=syntax, **options))
            if interface == PERFLIBV2:
                self.peers.append(p.Peer(self.capture, connection=self.pipes[-1], transfer_syntax=syntax))
                self.peers[-1].mapped(p.query_handle(number), p.identifier(1))
            elif interface == WINREG:
                self.peers.append(perfdata.Beside(self.capture, self.pipes[-1], syntax == NDR64))
                self.peers[-1].open()
            else:
                self.peers.append(None)
        self.begun = len(self.capture.frames)

    def value(self, at, number):
        """A call on the pipe that brings the value; on another program's pipe a call that begins with the name of a machine."""
        if self.kinds[at][0] == PERFLIBV2:
            self.peers[at].poll(p.query_handle(at + 1), p.data(p.block(1, p.value(number)), time=p.TIME + number * 10_000_000))
        elif self.kinds[at][0] == WINREG:
            self.peers[at].query("5000", perfdata.built(Object(5000, [Counter(5002, "PERF_COUNTER_RAWCOUNT")], [Instance("x", [number])]), seconds=number))
        else:
            self.pipes[at].call(15, *MACHINE_CALL)

    def expected(self, order, options):
        """[interface, value]: in one pass the poll is lost whose answer shows what the pipe is."""
        polls = [at for at in order if self.kinds[at][0] == PERFLIBV2]
        return [("perflibv2" if self.kinds[at][0] == PERFLIBV2 else "perfdata", number) for number, at in enumerate(order, 1)
                if self.kinds[at][0] != SRVSVC and (options or at not in polls or at in order[:number - 1])]

    def check(self, tshark, path, expected, options):
        del self.capture.frames[:self.begun]
        path = self.capture.write(path)
        rows = tshark.fields(path, "perflibv2.value", "perfdata.value", options=options)
        assert [(api, int(value, 0)) for row in rows for api, values in zip(("perflibv2", "perfdata"), row) for value in values] == expected
        findings = {row["code"] for row in data_tables(tshark, path, *options).get("findings", [])}
        # Calls of a pipe that stays unknown are those of anybody.
        assert findings - {"type_unknown", "counter_unknown"} == ({"not_bound"} if SRVSVC in dict(self.kinds) else set())
        return path


PIPES = {
    "two of PerflibV2": [(PERFLIBV2, NDR), (PERFLIBV2, NDR64)],
    "two of the registry": [(WINREG, NDR64), (WINREG, NDR)],
    "PerflibV2 first": [(PERFLIBV2, NDR), (WINREG, NDR)],
    "registry first": [(WINREG, NDR64), (PERFLIBV2, NDR)],
    "both NDR64": [(PERFLIBV2, NDR64), (WINREG, NDR64)],
    "another program's first": [(SRVSVC, NDR), (WINREG, NDR), (PERFLIBV2, NDR64)],
    "another program's last": [(PERFLIBV2, NDR), (WINREG, NDR64), (SRVSVC, NDR)],
}


@PASSES
@pytest.mark.parametrize("way", ["transceive", "read", "smb1"])
@pytest.mark.parametrize("kinds", PIPES.values(), ids=PIPES)
def test_pipes_without_their_creates(tshark, tmp_path, kinds, way, options):
    """The contexts and the calls of the pipes have the same ids. Each call is read as it was sent, and no peer is blamed."""
    late = Late(kinds, Pipe1 if way == "smb1" else Pipe, **({"reads": True} if way == "read" else {}))
    order = [*range(len(kinds)), *reversed(range(len(kinds))), *range(len(kinds))]
    for number, at in enumerate(order, 1):
        late.value(at, number)
    late.check(tshark, tmp_path / "pipes.pcap", late.expected(order, options), options)


@PASSES
@pytest.mark.parametrize("way", ["transceive", "smb1"])
def test_answers_of_pipes_that_cross(tshark, tmp_path, way, options):
    """All pipes wait for an answer at the same time, and the last that asked gets its own first."""
    late = Late(PIPES["another program's last"], Pipe1 if way == "smb1" else Pipe)
    for turn in range(3):
        for pipe in late.pipes:
            pipe.hold()
        for at in range(3):
            late.value(at, 10 * turn + at)
        for pipe in reversed(late.pipes):
            pipe.release()
    expected = [row for number in (0, 10, 20) for row in (("perfdata", number + 1), ("perflibv2", number)) if options or row[1] != 0]
    late.check(tshark, tmp_path / "cross.pcap", expected, options)


class InPieces(Pipe):
    """An answer does not fit; the rest is read by finish()."""

    def _answer(self, data, asked):
        self.smb.answer(data[:100], self.file, asked, OVERFLOW)
        self.rest = data[100:]

    def finish(self):
        self.smb.read(self.rest, self.file)


@PASSES
def test_pieces_of_two_pipes_without_their_creates(tshark, tmp_path, options):
    """The rest of each answer is read after the other pipe's answer has begun. A READ has the FileId only in its request."""
    late = Late(PIPES["registry first"], InPieces)
    for turn in range(3):
        for at in range(2):
            late.value(at, 10 * turn + at)
        for pipe in late.pipes:
            pipe.finish()
    expected = [row for number in (0, 10, 20) for row in (("perfdata", number), ("perflibv2", number + 1)) if options or row[1] != 1]
    late.check(tshark, tmp_path / "pieces.pcap", expected, options)


@PASSES
def test_pipes_in_one_frame_without_their_creates(tshark, tmp_path, options):
    """The first requests of two pipes are in one TCP segment."""
    late = Late(PIPES["PerflibV2 first"])
    for turn in range(3):
        for pipe in late.pipes:
            pipe.hold()
        with late.pipes[0].smb.connection.in_one_frame():
            late.value(0, 10 * turn)
            late.value(1, 10 * turn + 1)
        with late.pipes[0].smb.connection.in_one_frame():
            for pipe in late.pipes:
                pipe.release()
    expected = [row for number in (0, 10, 20) for row in (("perflibv2", number), ("perfdata", number + 1)) if options or row[1] != 0]
    late.check(tshark, tmp_path / "frame.pcap", expected, options)


@PASSES
def test_a_file_that_is_closed_and_opened_again(tshark, tmp_path, options):
    """A server gives the FileId of a pipe that was closed to another pipe. The first pipe's opening is not in the capture."""
    late = Late(PIPES["PerflibV2 first"][:1])
    for number in (1, 2):
        late.value(0, number)
    smb = late.pipes[0].smb
    smb.send(6, struct.pack("<HHIQQ", 24, 0, 0, 1, 6))
    smb.send(6, struct.pack("<HHI52x", 60, 0, 0), from_server=True)
    smb.files = 0
    again = perfdata.Beside(late.capture, Pipe(late.capture, smb, interface=WINREG), False)
    again.open()
    again.query("5000", perfdata.built(Object(5000, [Counter(5002, "PERF_COUNTER_RAWCOUNT")], [Instance("x", [3])])))
    path = late.check(tshark, tmp_path / "again.pcap", [("perflibv2", number) for number in (1, 2)][not options:] + [("perfdata", 3)], options)
    rows = tshark.fields(path, "perflib_session.recognised", display_filter="perfdata", options=options)
    assert rows == [[[]], [[]]]
