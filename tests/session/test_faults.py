# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults are the answers of the calls they end: [C706] 12.6.4.7. Those of real clients are compared with their records elsewhere."""

import re
import struct
import uuid

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, options_for, record_of
from lib.orpc import Stub, objref
from lib.pla import IID, IPID, Calls
from lib.tables import named_rows, table_rows, verdicts
from lib.wire import FAULT, FIRST_FRAGMENT, LAST_FRAGMENT, REQUEST, RESPONSE, VERIFIER, Capture

BOTH_PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
H = p.query_handle(1)
ACCESS_DENIED, OP_RANGE, TOO_BUSY, CONTEXT_MISMATCH, DISCONNECTED = 5, 0x1C010002, 0x1C010014, 0x1C00001A, 0x80010108
ENUMERATE, QUERY_DATA, VALIDATE = 0, 6, 7
SVCCTL = ("367abb81-9844-35f1-ad32-98f038001003", 2, 0)


def fault(connection, status, call_id=None, flags=FIRST_FRAGMENT | LAST_FRAGMENT, snap=None):
    """A fault PDU; returns its frame."""
    connection.pdu(FAULT, struct.pack(connection.order + "IHBBII", 32, 0, 0, 0, status, 0), call_id, snap, flags)
    return len(connection.capture.frames)


def refuse(peer, status, opnum, stub):
    """A call that a fault answers; returns its frames."""
    return peer.call(opnum, stub)[0], fault(peer.connection, status)


def poll_of(handle):
    return handle + struct.pack("<I", 4096)


def change_of(handle, *identifiers):
    sent = b"".join(identifiers)
    return handle + struct.pack("<II", len(sent), len(sent)) + sent + struct.pack("<I", 1)


def shown(tshark, path, *options):
    """frame -> (protocol, Info, status, request's frame) of each fault that is ours."""
    rows = tshark.fields(path, "frame.number", "_ws.col.Protocol", "_ws.col.Info", "perflibv2.fault", "perflibv2.fault.request_in",
                         display_filter="perflibv2.fault", options=options)
    return {int(row[0][0]): (row[1][0], row[2][0], [int(value, 0) for value in row[3]], [int(frame) for frame in row[4]])
            for row in rows}


@BOTH_PASSES
@pytest.mark.parametrize("big_endian", [False, True], ids=["little", "big"])
def test_operation_status_and_request(tshark, tmp_path, passes, big_endian):
    capture = Capture()
    connection = capture.connection(big_endian=big_endian)
    frames = {}
    for opnum, status in ((ENUMERATE, ACCESS_DENIED), (QUERY_DATA, DISCONNECTED), (9, OP_RANGE), (VALIDATE, 0x12345678)):
        connection.call_id += 1
        connection.request(opnum, p.string("\\\\H") if opnum == ENUMERATE else b"\0" * 24)
        request = len(capture.frames)
        frames[fault(connection, status)] = (opnum, status, request)
    path = capture.write(tmp_path / "faults.pcap")
    names = {ENUMERATE: "EnumerateCounterSet", QUERY_DATA: "QueryCounterData", 9: "Operation 9", VALIDATE: "ValidateCounters"}
    texts = {ACCESS_DENIED: "nca_s_fault_access_denied", DISCONNECTED: "RPC_E_DISCONNECTED", OP_RANGE: "nca_s_op_rng_error",
             0x12345678: "0x12345678"}
    assert shown(tshark, path, *passes) == {
        frame: ("PerflibV2", f"{names[opnum]} response, fault {texts[status]}", [status], [request])
        for frame, (opnum, status, request) in frames.items()
    }


@BOTH_PASSES
def test_what_a_fault_answers_has_changed_nothing(tshark, tmp_path, passes):
    """Identifiers are known on, by an index map or by inference; while an answer is still to come they are not."""
    capture = Capture()
    mapped, inferred, waiting = (p.Peer(capture) for _ in range(3))
    content = p.data(p.block(1, p.value()))
    frames = []
    for number, peer in enumerate((mapped, inferred, waiting), 1):
        handle = p.query_handle(number)
        peer.teach()
        peer.open(handle)
        peer.validate(handle, p.identifier())
        if peer is mapped:
            peer.info(handle, p.identifier())
        sent = change_of(handle, p.identifier(counter=2))
        if peer is waiting:
            peer.call(VALIDATE, sent)
        else:
            refuse(peer, TOO_BUSY, VALIDATE, sent)
        frames.append(peer.poll(handle, content)[1])
    path = capture.write(tmp_path / "change.pcap")
    rows = tshark.fields(path, "frame.number", "perflibv2.path", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2",
                         options=passes)
    paths = {int(row[0][0]): row[1] for row in rows}
    assert len(paths[frames[0]]) == len(paths[frames[1]]) == 1 and not paths[frames[2]]


@BOTH_PASSES
def test_several_in_a_frame(tshark, tmp_path, passes):
    """Each with its own call, beside an answer. (The Info column says what the last of a frame's PDUs is, as of any calls.)"""
    capture = Capture()
    peer = p.Peer(capture)
    connection = peer.connection
    peer.open(H)
    for _ in range(3):
        connection.call_id += 1
        connection.request(QUERY_DATA, poll_of(H))
    last = connection.call_id
    with connection.in_one_frame():
        fault(connection, ACCESS_DENIED, last - 2)
        connection.response(p.Peer._answer(peer, p.data(), 4096, None, None, 0), last - 1)
        fault(connection, DISCONNECTED, last)
    path = capture.write(tmp_path / "together.pcap")
    ((frame, (_, info, statuses, requests)),) = shown(tshark, path, *passes).items()
    assert statuses == [ACCESS_DENIED, DISCONNECTED] and requests == [frame - 3, frame - 1]
    assert info == "QueryCounterData response, query 1, fault RPC_E_DISCONNECTED"
    assert tshark.fields(path, "perflibv2.data.num_counters", display_filter=f"frame.number == {frame}", options=passes) == [[["0"]]]


@BOTH_PASSES
@pytest.mark.parametrize("size", [16, 20, 30])
def test_fault_in_two_segments_is_shown_once(tshark, tmp_path, passes, size):
    """Shown where it is whole, once; behind it a fault that is whole. (Wireshark takes a segment of less than a header for no RPC.)"""
    capture = Capture()
    peer = p.Peer(capture)
    connection = peer.connection
    peer.open(H)
    requests = []
    for _ in range(2):
        connection.call_id += 1
        connection.request(QUERY_DATA, poll_of(H))
        requests.append(len(capture.frames))
    sent, connection._send = [], lambda data, *_: sent.append(data)
    fault(connection, ACCESS_DENIED, connection.call_id - 1)
    fault(connection, DISCONNECTED)
    del connection._send
    whole = b"".join(sent)
    connection._send(whole[:size], True, None)
    connection._send(whole[size:], True, None)
    path = capture.write(tmp_path / "segments.pcap")
    ((frame, found),) = shown(tshark, path, *passes).items()
    assert frame == len(capture.frames) and found[2:] == ([ACCESS_DENIED, DISCONNECTED], requests)


@BOTH_PASSES
def test_requests_that_lack_something(tshark, tmp_path, passes):
    """A fault to the first fragment of a request that is not whole yet; one whose request, one whose end is not in the capture."""
    capture = Capture()
    peer = p.Peer(capture)
    connection = peer.connection
    connection.call_id += 1
    connection.pdu(REQUEST, struct.pack("<IHH", 9000, 0, VALIDATE) + bytes(400), flags=FIRST_FRAGMENT)
    first = len(capture.frames)
    early = fault(connection, ACCESS_DENIED)
    orphan = fault(connection, ACCESS_DENIED, call_id=77)
    connection.call_id += 1
    connection.request(QUERY_DATA, poll_of(H))
    short = fault(connection, DISCONNECTED, snap=8)
    path = capture.write(tmp_path / "lacking.pcap")
    found = shown(tshark, path, *passes)
    assert found[early][1:] == ("ValidateCounters response, fault nca_s_fault_access_denied", [ACCESS_DENIED], [first])
    assert found[orphan][1:] == ("unknown operation response, fault nca_s_fault_access_denied", [ACCESS_DENIED], [])
    assert short not in found
    assert tshark.fields(path, "_ws.col.Protocol", display_filter=f"frame.number == {short} && perflibv2", options=passes)


def test_faults_of_others_are_wiresharks(tshark, tmp_path):
    """Of another interface, and of a key of the registry that is no performance data."""
    capture = Capture()
    other = capture.connection(interface=SVCCTL)
    other.call(15, bytes(24))
    fault(other, ACCESS_DENIED)
    path = capture.write(tmp_path / "others.pcap")
    assert tshark.fields(path, "frame.number", display_filter="dcerpc.pkt_type == 3")
    for name in "perflibv2", "perfdata", "pla":
        assert not tshark.fields(path, "frame.number", display_filter=name)
    alone = tshark.run(path, "-V", "--disable-protocol", "perflib_session")
    assert tshark.run(path, "-V") == alone


@BOTH_PASSES
def test_a_call_has_one_answer(tshark, tmp_path, passes):
    """The answer that comes behind a fault is shown and counts for nothing, and so does a second fault."""
    capture = Capture()
    peer = p.Peer(capture)
    request, first = refuse(peer, ACCESS_DENIED, 3, peer.machine)
    fault(peer.connection, DISCONNECTED)
    peer.connection.response(H + struct.pack("<I", 0))
    peer.poll(H, p.data())
    path = capture.write(tmp_path / "twice.pcap")
    assert len(shown(tshark, path, *passes)) == 2
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.second_answer", options=passes)) == 1
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.handle.not_opened", options=passes)


def test_tables_count_faults_by_status(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.poll(H, p.data())
    for status in (DISCONNECTED, DISCONNECTED, CONTEXT_MISMATCH, 0x77777777):
        refuse(peer, status, QUERY_DATA, poll_of(H))
    path = capture.write(tmp_path / "tables.pcap")
    output = tshark.run(path, "-q", "-z", "perflibv2,calls", "-z", "perflibv2,queries")
    for text in (r"fault RPC_E_DISCONNECTED .*\| +2 \|", r"fault nca_s_fault_context_mismatch .*\| +1 \|", r"fault 0x77777777 .*\| +1 \|"):
        assert re.search(text, output), text
    (row,) = named_rows(output.split("PerflibV2 Queries:")[1].split("PerflibV2 Calls:")[0])
    assert (row["Polls"], row["Faults"], row["State"]) == ("1", "4", "still open at the end")


@pytest.mark.parametrize("status, verdict", [(ACCESS_DENIED, "held"), (0x6D4, "held"), (TOO_BUSY, "departs")])
def test_refusal_of_a_clear_client(tshark, tmp_path, status, verdict):
    """[MS-PCQ] 2.1: a server refuses a call without packet privacy, by a fault as well; one that is busy refuses nobody."""
    capture = Capture()
    peer = p.Peer(capture)
    refuse(peer, status, 3, peer.machine)
    peer.open(H)
    path = capture.write(tmp_path / "refused.pcap")
    rows, _ = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert rows["privacy_required"][3] == verdict


@BOTH_PASSES
def test_faults_of_the_older_api_are_as_recorded(tshark, passes):
    """The older API's, as the server's record says: opening, asking, closing."""
    capture = CAPTURES / "faults-tcp.pcapng"
    expected = {call["response_frame"]: call for call in record_of(capture)["perfdata_calls"] if "fault" in call}
    rows = tshark.fields(capture, "frame.number", "perfdata.fault", "perfdata.fault.request_in", "perfdata.value_name", "_ws.col.Info",
                         display_filter="perfdata.fault", options=passes)
    assert {int(row[0][0]) for row in rows} == set(expected) and len(expected) == 3
    for number, status, request, name, info in rows:
        call = expected[int(number[0])]
        assert int(status[0], 0) == call["fault"]["status"] and call["fault"]["name"] in info[0]
        assert int(request[0]) == call["request_frame"]
        assert name == ([call["value_name"]] if "value_name" in call else [])
    rows = named_rows(tshark.run(capture, *passes, "-q", "-z", "perfdata,queries"))
    assert [(row["Handle"] == "not opened", row["Value"], row["Failed"]) for row in rows if row["Failed"] != "0"] == [
        (True, "OpenHKPD", "1"), (False, "238", "1"), (False, "", "1"),
    ]


def test_sealed_without_a_key(tshark):
    """A fault's status is in clear, and so is the operation."""
    for name in "faults-samba", "faults-smb1", "faults-smb2":
        capture = CAPTURES / f"{name}.pcapng"
        expected = {call["response_frame"]: call for call in record_of(capture)["calls"] if "fault" in call}
        found = shown(tshark, capture)
        assert set(found) == set(expected) and expected
        for frame, call in expected.items():
            operation = call["method"].removeprefix("PerflibV2")
            assert found[frame] == ("PerflibV2", f"{operation} response, fault {call['fault']['name']}", [call["fault"]["status"]],
                                    [call["request_frame"]])
        assert options_for(capture)


@BOTH_PASSES
def test_faults_of_pla_name_the_object_and_its_set(tshark, tmp_path, passes):
    """[MS-PLA]: the object and its set, the tables of calls and sets; a method it does not have; a fault that follows nothing."""
    calls = Calls()
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr("Set1").bstr(None).u32(1), lambda stub: stub.interface_pointer(None))
    frames = {}
    for opnum, status in ((62, DISCONNECTED), (62, ACCESS_DENIED), (200, OP_RANGE)):
        request = calls.capture.request(IID["IDataCollectorSet"], opnum, Stub().orpcthis().u32(0).bytes(), IPID)
        context, call_id = calls.capture.contexts[49200, IID["IDataCollectorSet"]], calls.capture.call[49200]
        body = struct.pack("<IHBBII", 32, context, 0, 0, status, 0)
        frames[calls.capture.send(49200, False, calls.capture.pdu(FAULT, body, call_id))] = (status, request)
    path = calls.capture.write(tmp_path / "pla.pcap")
    rows = tshark.fields(path, "frame.number", "pla.fault", "pla.fault.request_in", "_ws.col.Protocol", "_ws.col.Info",
                         display_filter="pla.fault", options=passes)
    assert {int(row[0][0]): (int(row[1][0], 0), int(row[2][0])) for row in rows} == frames
    assert [row[3] for row in rows] == [["PLA Set"]] * 3
    assert [row[4][0] for row in rows] == [
        "Start response [Set1] -> fault RPC_E_DISCONNECTED", "Start response [Set1] -> fault nca_s_fault_access_denied",
        "Operation 200 response -> fault nca_s_op_rng_error",
    ]
    output = tshark.run(path, *passes, "-q", "-z", "pla,calls", "-z", "pla,sets")
    assert re.search(r"fault RPC_E_DISCONNECTED .*\| +1 \|", output) and re.search(r"fault nca_s_op_rng_error .*\| +1 \|", output)
    (row,) = [row for row in table_rows(output) if row[0] == "Set1"]
    assert row[2:6] == ["3", "2", "", f"nca_s_fault_access_denied (Start, frame {list(frames)[1]})"]


def fault_of(calls, interface, opnum, ipid=IPID):
    """A call to an object that a fault answers; returns the fault's frame."""
    calls.capture.request(IID[interface], opnum, Stub().orpcthis().u32(0).bytes(), ipid)
    body = struct.pack("<IHBBII", 32, calls.capture.contexts[49200, IID[interface]], 0, 0, ACCESS_DENIED, 0)
    return calls.capture.send(49200, False, calls.capture.pdu(FAULT, body, calls.capture.call[49200]))


@BOTH_PASSES
def test_an_answer_after_a_fault_gives_no_object(tshark, tmp_path, passes):
    """A fault ends its call: an answer with the same number gives no object. A fault for an enumerator of an unknown collection is not [MS-PLA]'s."""
    calls = Calls()
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr("Set1").bstr(None).u32(1), lambda stub: stub.interface_pointer(None))
    ended = fault_of(calls, "IDataCollectorSet", 7)
    given = uuid.UUID(int=0x9000)
    late = Stub().orpcthat().interface_pointer(objref(IID["IDataCollectorCollection"], given)).u32(0)
    calls.capture.response(IID["IDataCollectorSet"], late.bytes())
    calls.call("IDataCollectorCollection", 7, None, lambda stub: stub.u32(0), ipid=given)
    fault_of(calls, "IEnumVARIANT", 3, ipid=uuid.UUID(int=0x9001))
    path = calls.capture.write(tmp_path / "late.pcap")
    assert tshark.fields(path, "frame.number", display_filter="pla.fault", options=passes) == [[[str(ended)]]]
    rows = tshark.fields(path, "pla.reference", "pla.object", display_filter="pla && frame.number > " + str(ended), options=passes)
    assert all(reference == [] and not [text for text in named if "Set1.DataCollectors" in text] for reference, named in rows) and len(rows) >= 3


def test_sealed_calls_to_objects_are_counted_by_operation(tshark, tmp_path):
    """One for each answer, however many PDUs it has; an operation that is not in the interface has no name. IEnumVARIANT is not [MS-PLA]'s alone, so not counted."""
    capture = Capture()
    for interface, opnum in (("IDataCollectorSet", 7), ("IDataCollectorSet", 200), ("IEnumVARIANT", 3)):
        connection = capture.connection(interface=(IID[interface], 0, 0))
        connection.call_id += 1
        connection.protected(REQUEST, bytes(32), 6, 10, opnum)
        for flags in (FIRST_FRAGMENT, 0, LAST_FRAGMENT):
            body = struct.pack("<IHH", 32, 0, 0) + bytes(32) + struct.pack("<BBBBI", 10, 6, 0, 0, 1) + bytes(VERIFIER)
            connection.pdu(RESPONSE, body, flags=flags, auth_length=VERIFIER)
    rows = table_rows(tshark.run(capture.write(tmp_path / "sealed.pcap"), "-q", "-z", "pla,calls"))
    assert [row for row in rows if "sealed, not decrypted" in row] == [
        [f"IDataCollectorSet: {name}", "sealed, not decrypted", "1", frame, frame]
        for name, frame in (("DataCollectors (Get)", "6"), ("unknown operation", "12"))]
