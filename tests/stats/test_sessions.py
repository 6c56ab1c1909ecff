# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflibv2,sessions: how far attempts came and what stopped them, against what the peers saw."""

import itertools
import re
import struct
import subprocess
import uuid
from collections import namedtuple
from decimal import Decimal
from functools import lru_cache

import pytest

from lib.captures import CAPTURES, options_for, record_of
from lib.lossy import frames_of, smb2_of, with_smb2
from lib.orpc import objref
from lib.pcap import ETHERNET, write_pcap
from lib.pla import IID, INTERFACES, SETS_CLASS, Calls, Script
from lib.some import some
from lib.tables import data_tables, table_rows, table_sentences
from lib.wire import FAULT, PERFLIBV2, WINREG, Capture, align, handle, string, varying_response

Row = namedtuple("Row", "client server over wants frame times stage outcome authentication calls faults bytes mean slowest")
# Calls were answered, but none asked for values.
REACHED = "answered, but no value was asked for"
SYN, SYN_ACK, RST, FIN = 0x02, 0x12, 0x14, 0x11


@lru_cache(maxsize=None)
def printed(tshark, capture, options, table):
    """What tshark prints of a capture that does not change."""
    return tshark.run(capture, *options, "-q", "-z", table)


def sessions(tshark, capture, *options, table="perflibv2,sessions"):
    if capture.parent == CAPTURES:
        output = printed(tshark, capture, options, table)
    else:
        output = tshark.run(capture, *options, "-q", "-z", table)
    # Where no call was answered there are no times.
    return [Row(*(cells + [""] * (len(Row._fields) - len(cells)))) for cells in table_rows(output) if len(cells) > 10]


# --- Captures of real stacks -----------------------------------------------------------------------------------------

RECORDS = {name: record_of(CAPTURES / f"{name}.pcapng") for name in ("sessions-smb", "sessions-tcp")}
# Of what these clients asked for, only methods of [MS-PLA] are all they wanted; nobody asked for a counter's value.
WORKS = {"PLA": "works"}
WORKED = re.compile(r"; (service started: )?worked (\d+\.\d{3}) s later in frame (\d+)$")


def expected_rows(record):
    """(server, attempts that ended alike one after the other, the one that worked later or None)."""
    by_server = {}
    for attempt in record["attempts"]:
        if attempt["for"] != "files":
            by_server.setdefault(attempt["server"], []).append(attempt)
    for server, attempts in by_server.items():
        groups = [list(group) for _, group in itertools.groupby(
            attempts, key=lambda a: (a["works"], a.get("status"), a.get("text"), a["over"], a["for"], a["port"]))]
        for number, group in enumerate(groups):
            later = [a for g in groups[number + 1:] for a in g if a["works"]]
            yield server, group, None if group[0]["works"] or not later else later[0]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("name", sorted(RECORDS))
def test_table_is_what_clients_saw(tshark, name, passes):
    rows = {}
    capture = CAPTURES / f"{name}.pcapng"
    for row in sessions(tshark, capture, *options_for(capture), *passes):
        rows.setdefault(row.server, []).append(row)
    expected = list(expected_rows(RECORDS[name]))
    assert {server for server, *_ in expected} == set(rows)
    for server, group, later in expected:
        attempt, row = group[0], rows[server].pop(0)
        assert int(row.times) == len(group), row
        if attempt["works"]:
            found = attempt["over"] == "mapper"
            assert row.outcome == (f"found at TCP port {attempt['port']}" if found else WORKS.get(attempt["for"], REACHED)), row
            assert int(row.calls) == (1 if found else attempt["calls"])
        elif attempt.get("status") and attempt["over"].startswith("SMB"):
            assert f"{attempt['name']} (0x{attempt['status']:08x})" in row.outcome, row
        elif attempt.get("status"):
            assert f"(0x{attempt['status']:08x})" in row.outcome or f"({attempt['status']})" in row.outcome, row
        worked = WORKED.search(row.outcome)
        assert bool(worked) == bool(later), row
        if later:
            # Of the answer that worked and the refusal the client saw a little later than the wire.
            assert float(worked[2]) <= later["ended"] - group[-1]["began"]
            assert float(worked[2]) >= later["began"] - group[-1]["ended"]
    assert not any(rows.values())


STAGES = {
    "refused": ("TCP 445", "(not said)", "TCP", "connection refused"),
    "password": ("SMB2", "(not said)", "SMB session", "Session Setup: STATUS_LOGON_FAILURE (0xc000006d), user perf"),
    "share": ("SMB2", "(not said)", "tree", "Tree Connect: STATUS_ACCESS_DENIED (0xc0000022)"),
    "missing": (r"SMB2 \winreg", "(nothing bound)", "pipe", "Create: STATUS_OBJECT_NAME_NOT_FOUND (0xc0000034)"),
    "smb1": (r"SMB1 \winreg", "(nothing bound)", "pipe", "Create: STATUS_OBJECT_NAME_NOT_FOUND (0xc0000034)"),
    "denied": (r"SMB2 \winreg", "(nothing bound)", "pipe", "Create: STATUS_ACCESS_DENIED (0xc0000022)"),
    "context": (r"SMB2 \winreg", "PerflibV2", "bind", "context rejected: Provider rejection, Abstract syntax not supported"),
    "protection": (r"SMB2 \winreg", "winreg", "call", "OpenHKLM: fault "),
    "mapper": ("TCP 135", "endpoint of PerflibV2", "endpoint mapper", "no endpoint for the interface: EPT_S_NOT_REGISTERED"),
    "nak": ("TCP 49700", "PerflibV2", "bind", "bind_nak: Authentication type not recognized (8)"),
    "silent": ("TCP 49701", "PerflibV2", "bind", "the client closed the connection before an answer to bind"),
    "mute": ("TCP 49702", "PerflibV2", "call", "no answer to EnumerateCounterSet of frame"),
    "closing": ("TCP 49703", "PerflibV2", "call", "no answer to EnumerateCounterSet of frame"),
    "fault": ("TCP 49704", "PerflibV2", "call", "EnumerateCounterSet: fault nca_s_fault_access_denied (0x00000005)"),
    "object": ("TCP 135", "object of PLA (ServerDataCollectorSet)", "call", "activation: E_ACCESSDENIED (0x80070005)"),
}


def test_stages_say_what_stopped_each_first_attempt(tshark):
    """What stopped each first attempt, and the stage it reached."""
    rows = [row for name in RECORDS for row in sessions(tshark, CAPTURES / f"{name}.pcapng")]
    for name, (over, wants, stage, outcome) in STAGES.items():
        address = RECORDS["sessions-smb"]["addresses"][name]
        row = next(row for row in rows if row.server == address)
        assert (row.over, row.wants, row.stage) == (over, wants, stage)
        assert row.outcome.startswith(outcome), row
    authentication = {row.server: row.authentication for row in rows}
    addresses = RECORDS["sessions-smb"]["addresses"]
    assert authentication[addresses["protection"]] == "NTLM, privacy, user perf"
    assert authentication[addresses["context"]] == "none; SMB's user perf"
    assert authentication[addresses["fault"]] == "none"
    (refused,) = [row for row in rows if row.server == addresses["port"] and row.stage == "TCP"]
    assert refused.wants == "winreg" and refused.outcome.startswith("connection refused")


def test_frames_hold_what_is_said_of_them(tshark):
    capture = CAPTURES / "sessions-smb.pcapng"
    statuses = {}
    for frame, smb2, smb1 in tshark.fields(capture, "frame.number", "smb2.nt_status", "smb.nt_status"):
        statuses[frame[0]] = {int(status, 0) for status in smb2 + smb1}
    checked = 0
    for row in sessions(tshark, capture):
        said = re.search(r"STATUS_\w+ \(0x([0-9a-f]{8})\).*? in frames? (\d+)(?: to (\d+))?", row.outcome)
        if said:
            assert all(int(said[1], 16) in statuses[frame] for frame in some(frame for frame in said.groups()[1:] if frame)), row
            checked += 1
    assert checked == 5


def test_service_that_starts_ends_a_failed_attempt(tshark):
    outcomes = [row.outcome for row in sessions(tshark, CAPTURES / "sessions-smb.pcapng")]
    started = [outcome for outcome in outcomes if "service started: worked" in outcome]
    assert len(started) == 2 and all("STATUS_OBJECT_NAME_NOT_FOUND" in outcome for outcome in started)


def test_files_are_none_of_our_business(tshark):
    """Nor is a share that is refused, unless it is the one of the pipes."""
    address = RECORDS["sessions-smb"]["addresses"]["files"]
    assert address not in {row.server for row in sessions(tshark, CAPTURES / "sessions-smb.pcapng")}


def test_filter_limits_the_rows_to_its_server(tshark):
    address = RECORDS["sessions-smb"]["addresses"]["missing"]
    rows = sessions(tshark, CAPTURES / "sessions-smb.pcapng", table=f"perflibv2,sessions,ip.addr == {address}")
    assert {row.server for row in rows} == {address} and len(rows) == 2


def test_tables_of_one_protocol(tshark):
    """Those who did not come to say what they want stand in all."""
    capture = CAPTURES / "sessions-tcp.pcapng"
    assert {row.wants for row in sessions(tshark, capture, table="pla,sessions")} == {"object of PLA (ServerDataCollectorSet)"}
    assert {row.wants for row in sessions(tshark, capture, table="perfdata,sessions")} == {"endpoint of winreg", "winreg"}
    capture = CAPTURES / "sessions-smb.pcapng"
    assert sessions(tshark, capture, table="pla,sessions") == []
    every = [row for row in sessions(tshark, capture) if row.wants != "PerflibV2"]
    assert sessions(tshark, capture, table="perfdata,sessions") == every
    both = sessions(tshark, CAPTURES / "both-apis.pcapng", table="perfdata,sessions")
    assert [row.wants for row in both] == ["performance data"]


# --- Captures in which all is well -----------------------------------------------------------------------------------

SESSIONS = [CAPTURES / f"{name}.pcapng" for name in (
    "tcp-session", "smb2-session", "both-apis", "handles", "multi-pdu", "segments", "sealed-two-contexts", "sealed-smb1",
    "sealed-big-frames")]


@pytest.mark.parametrize("capture", SESSIONS, ids=[capture.stem for capture in SESSIONS])
def test_calls_are_counted_without_any_key(tshark, capture):
    """Calls, faults and the bytes of all stubs, as the records have them."""
    record = record_of(capture)
    calls = [*record["calls"], *record.get("perfdata_calls", [])]
    rows = [row for row in sessions(tshark, capture) if row.stage == "call"]
    assert sum(int(row.calls) for row in rows) == len(calls)
    assert sum(int(row.faults) for row in rows) == sum("fault" in call for call in calls)
    # Those of two captures do not have it of the older API.
    if all("request_stub_len" in call for call in calls):
        stubs = sum(call["request_stub_len"] + (call.get("response_stub_len") or 0) for call in calls)
        assert sum(int(row.bytes) for row in rows) == stubs > 1000
    else:
        assert capture.stem in ("both-apis", "sealed-two-contexts", "handles") and all(int(row.bytes) > 0 for row in some(rows))


def test_authentication_names_method_level_and_user(tshark):
    said = {name: {row.authentication for row in sessions(tshark, CAPTURES / f"{name}.pcapng")}
            for name in ("sealed-smb2", "sealed-spnego", "sealed-kerberos", "sealed-kerberos-spnego", "signed")}
    assert said["sealed-smb2"] == {"NTLM, privacy, user perfuser"}
    assert said["sealed-spnego"] == {"SPNEGO with NTLM, privacy, user CONTOSO\\perfuser"}
    assert said["sealed-kerberos"] == {"Kerberos, privacy"}
    assert said["sealed-kerberos-spnego"] == {"SPNEGO with Kerberos, privacy"}
    assert all(", integrity, " in text for text in some(said["signed"]))


def test_refusals_in_answers_are_counted_with_the_first(tshark):
    (row,) = sessions(tshark, CAPTURES / "refused-in-clear.pcapng")
    assert re.fullmatch(r"\d+ refusals, the first: EnumerateCounterSet: ERROR_ACCESS_DENIED \(0x00000005\) in frame \d+", row.outcome)


def test_faults_beside_calls_that_work(tshark):
    rows = sessions(tshark, CAPTURES / "handles.pcapng")
    assert rows[0].outcome.startswith("works; 3 faults, the first: QueryCounterData: fault nca_s_fault_context_mismatch (0x1c00001a)")


def test_objects_asked_for_are_named_by_class(tshark):
    rows = sessions(tshark, CAPTURES / "pla-session.pcapng", table="pla,sessions")
    assert [(row.wants, row.times, row.outcome) for row in rows if row.over == "TCP 135"] == [
        ("object of PLA (ServerDataCollectorSet)", "2", "object given"),
        ("object of PLA (ServerDataCollectorSetCollection)", "1", "object given")]
    assert [row.outcome for row in rows if row.wants == "PLA"] == ["works"]


@pytest.mark.parametrize("name, calls", [("sealed-smb2", 104), ("pla-sealed", 92), ("perfdata-samba-sealed", 26)])
def test_sealed_and_no_key(tshark, name, calls):
    """Counted all the same; the table ends with what is needed, which is not there where it is given."""
    capture = CAPTURES / f"{name}.pcapng"
    user = record_of(capture)["auth"]["user"]
    output = printed(tshark, capture, (), "perflibv2,sessions")
    (row,) = [row for row in sessions(tshark, capture) if row.stage == "call"]
    assert (row.outcome, int(row.calls)) == ("answered, but encrypted", calls)
    (last,) = table_sentences(output)
    assert last.startswith("Encrypted (NTLM). Set ntlmssp.nt_password to the password of ") and user in last
    outcomes = [row.outcome for row in sessions(tshark, capture, *options_for(capture))]
    assert outcomes and not any("sealed" in outcome for outcome in outcomes)


def test_session_encrypted_by_smb3_says_so(tshark):
    capture = CAPTURES / "perfdata-samba-smb3.pcapng"
    (row,) = sessions(tshark, capture)
    assert row.stage == "SMB session" and "encrypted by SMB 3" in row.outcome
    (row,) = sessions(tshark, capture, *options_for(capture))
    assert (row.wants, row.stage) == ("performance data", "call")


def test_capture_that_begins_late_shows_a_session_that_works(tshark):
    rows = sessions(tshark, CAPTURES / "perfdata-mid-capture.pcapng")
    assert [(row.wants, row.outcome) for row in rows] == [("performance data", "works")] * 2


# --- Made up ---------------------------------------------------------------------------------------------------------

OPEN_OK = handle() + struct.pack("<I", 0)
ENUMERATE_OK = varying_response(0, 0, 0, b"", 0)


def test_no_answer_to_syn(tshark, capture):
    """Told once it was sent again, or after five seconds; not where the capture just ends. It is all the client did there."""
    once = capture.connection(server="192.0.2.11", server_port=445, bind=False)
    once.end(SYN)
    twice = capture.connection(server="192.0.2.12", server_port=445, bind=False)
    twice.end(SYN)
    capture.wait(1000)
    twice.end(SYN)
    capture.write(capture.path)
    assert [(row.server, row.outcome) for row in sessions(tshark, capture.path)] == [("192.0.2.12", "no answer to SYN of frame 2")]
    assert aside(tshark, capture.path) == []
    capture.wait(5000)
    capture.connection(server="192.0.2.13")
    capture.write(capture.path)
    assert [row.server for row in sessions(tshark, capture.path)] == ["192.0.2.13", "192.0.2.12", "192.0.2.11"]
    # What a client that comes to performance data tried before may have been about that, too, and stands before it.
    for server in ("192.0.2.12", "192.0.2.11"):
        capture.connection(server=server)
    capture.write(capture.path)
    rows = [row for row in sessions(tshark, capture.path) if row.server != "192.0.2.13"]
    assert [(row.server, row.stage, row.outcome.split(" of ")[0].split(";")[0]) for row in rows] == [
        ("192.0.2.12", "TCP", "no answer to SYN"), ("192.0.2.12", "bind", "bound, but no call followed"),
        ("192.0.2.11", "TCP", "no answer to SYN"), ("192.0.2.11", "bind", "bound, but no call followed")]


@pytest.mark.parametrize("waited, told", [(4999, False), (5000, True), (5001, True)])
def test_patience_with_a_syn_ends_after_five_seconds(tshark, capture, waited, told):
    """Milliseconds from it to the next frame of the capture."""
    capture.connection(server="192.0.2.11", server_port=445, bind=False).end(SYN)
    capture.wait(waited - 1)
    capture.connection(server="192.0.2.12", server_port=445, bind=False).end(SYN)
    capture.write(capture.path)
    (first, second) = (row[0][0] for row in tshark.fields(capture.path, "frame.time_epoch"))
    assert round((Decimal(second) - Decimal(first)) * 1000) == waited
    assert [row.outcome for row in sessions(tshark, capture.path)] == ["no answer to SYN of frame 1"] * told


@pytest.mark.parametrize("port, told", [(445, True), (135, True), (139, False)])
@pytest.mark.parametrize("opened", [False, True])
def test_port_that_is_closed(tshark, capture, port, told, opened):
    """A row where the client reached nothing else of that server; clients try NetBIOS's port beside SMB's."""
    if opened:
        other = capture.connection(server_port=445 if port != 445 else 135, bind=False)
        other.end(SYN)
        other.end(SYN_ACK, from_server=True)
    closed = capture.connection(server_port=port, bind=False)
    closed.end(SYN)
    closed.end(RST, from_server=True)
    capture.write(capture.path)
    rows = sessions(tshark, capture.path)
    assert [(row.over, row.stage, row.outcome) for row in rows] == (
        [(f"TCP {port}", "TCP", f"connection refused in frame {len(capture.frames)}")] if told and not opened else [])
    assert len(aside(tshark, capture.path)) == (not rows)


def port_dropped(tshark, tmp_path):
    """A firewall lets the activation pass, and drops what goes to the port that its answer names: (capture, port)."""
    session = CAPTURES / "pla-session.pcapng"
    ((addresses,),) = tshark.fields(session, "dcom.dualstringarray.network_addr", display_filter="frame.number == 9")
    (port,) = {re.search(r"\[(\d+)\]", address)[1] for address in some(addresses)}
    syn, answered = [], tmp_path / "answered.pcapng"
    subprocess.run(["editcap", "-r", session, answered, "1-9"], check=True)
    for seconds in (0, 1, 3):
        syn.append(tmp_path / f"{seconds}.pcapng")
        subprocess.run(["editcap", "-r", "-t", str(seconds), session, syn[-1], "10"], check=True)
    dropped = tmp_path / "dropped.pcapng"
    subprocess.run(["mergecap", "-w", dropped, answered, *syn], check=True)
    return dropped, port


def test_no_answer_at_the_port_of_an_object(tshark, tmp_path):
    dropped, port = port_dropped(tshark, tmp_path)
    for table in ("perflibv2,sessions", "pla,sessions"):
        assert [(row.over, row.wants, row.stage, row.outcome) for row in sessions(tshark, dropped, table=table)] == [
            ("TCP 135", "object of PLA (ServerDataCollectorSet)", "call", "object given"),
            (f"TCP {port}", "PLA", "TCP", "no answer to SYN to the object's port of frame 10")]
    assert "dynamic port" in tshark.run(dropped, "-q", "-z", f"perflib,report,{tmp_path}/out.html") + (
        tmp_path / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("form, is_named", [("[{}]", True), ("({}]", False), ("[{})", False), ("[x{:.4}]", False), ("[{:.4}x]", False)])
def test_the_port_of_an_object_stands_in_brackets(tshark, tmp_path, form, is_named):
    """[MS-DCOM] 2.2.19.3: the endpoint of a binding in UTF-16, in brackets, and nothing but digits."""
    dropped, port = port_dropped(tshark, tmp_path)
    said, changed = (text.encode("utf-16-le") for text in (f"[{port}]", form.format(port)))
    content = dropped.read_bytes()
    assert len(said) == len(changed) and said in content
    dropped.write_bytes(content.replace(said, changed))
    outcomes = [row.outcome for row in sessions(tshark, dropped, table="pla,sessions")]
    assert any("to the object's port" in outcome for outcome in some(outcomes)) == is_named


@pytest.mark.parametrize("tried, found", [
    ("silent works", []), ("refused works", []), ("works silent", []), ("works refused", []),
    ("silent", [("unreachable", "172.16.9.9")]), ("refused", [("connection_refused", "172.16.9.9")]),
])
def test_addresses_of_an_object_are_tried_in_turn(tshark, tmp_path, tried, found):
    """[MS-DCOM] 2.2.19: a binding for each address of a server. One that is of no use is no failure if the other works, and did not answer at 135."""
    script, ipid = Script(port=135), uuid.UUID(int=7)
    script.activate(SETS_CLASS, objref(IID["IDispatch"], ipid, oid=70, address=["172.16.9.9[49301]", "10.0.0.2[49301]"]))
    capture, own = script.capture, script.server
    for deed in tried.split():
        capture.server = own if deed == "works" else bytes([172, 16, 9, 9])
        capture._segment(49301, True, b"", SYN)
        if deed == "silent":
            capture.packets += capture.packets[-1:] * 11    # half a second each
        else:
            capture._segment(49301, False, b"", SYN_ACK if deed == "works" else RST)
        if deed == "works":
            Script(other=script, port=49301, server=own).named(ipid, "Query", 60)
    path = write_pcap(tmp_path / "tried.pcap", [(number * 500_000, data, len(data)) for number, data in enumerate(capture.packets)], ETHERNET)
    assert [(row["code"], row["machine"]) for row in data_tables(tshark, path).get("findings", [])] == found
    assert [row.outcome.partition(" in ")[0] for row in sessions(tshark, path) if row.server == "172.16.9.9"] == [
        {"silent": "no answer to SYN of frame 5", "refused": "connection refused"}[tried] for _ in found]


def aside(tshark, path, *options):
    """The line about attempts that have no row."""
    return [line for line in table_sentences(tshark.run(path, *options, "-q", "-z", "perflibv2,sessions")) if "had nothing to do with performance data" in line]


SCAN_ROWS = 16


@pytest.mark.parametrize("count", [3, 6000])
def test_port_scan_takes_a_few_rows(tshark, capture, count):
    """A few rows and one line, however many ports were tried; most of them are not even kept."""
    for number in range(count):
        scan = capture.connection(server=f"10.1.{number >> 8}.{number & 255}", server_port=(445, 135, 139)[number % 3], bind=False)
        scan.ends[0] = (scan.ends[0][0], 1024 + number)
        scan.end(SYN)
        if number % 2:
            scan.end(RST, from_server=True)
    capture.connection(server="192.0.2.13").call(0, b"", ENUMERATE_OK)
    capture.wait(6000)
    capture.connection(server="192.0.2.13", interface=OTHERS).end(FIN)
    capture.write(capture.path)
    rows = sessions(tshark, capture.path)
    assert (rows[0].server, rows[0].outcome) == ("192.0.2.13", REACHED)
    assert len(rows) == 1 + min(SCAN_ROWS, 2 * count // 3)
    assert all(row.server.startswith("10.1.0.") and row.over in ("TCP 445", "TCP 135") for row in some(rows[1:]))
    (line,) = aside(tshark, capture.path)
    left = count - (len(rows) - 1)
    assert line.startswith(f"{left} other attempt{'' if left == 1 else 's'} had nothing to do with performance data")
    assert table_sentences(tshark.run(capture.path, "-q", "-z", "perflibv2,sessions"))[-1] == line


OTHERS = ("12345778-1234-abcd-ef00-0123456789ab", 0, 0)
ACTIVATOR = ("000001a0-0000-0000-c000-000000000046", 0, 0)


def test_objects_of_others_are_no_attempt(tshark, capture):
    """DCOM of a plant's control, over the port of the endpoint mapper: a bind without an answer, and a fault to a call."""
    silent = capture.connection(server_port=135, bind=False)
    silent.pdu(11, bind_body(ACTIVATOR))
    silent.end(RST, from_server=True)
    refused = capture.connection(server_port=135, interface=ACTIVATOR)
    refused.call(4, bytes(40))
    refused.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 5, 0))
    capture.write(capture.path)
    assert sessions(tshark, capture.path) == []
    (line,) = aside(tshark, capture.path)
    assert line.startswith("2 other attempts had nothing to do with performance data; the first: 192.0.2.2 at 192.0.2.1, TCP 135: ")
    # Another client, which asks for counters later: then its attempt is a row, and is not counted here.
    other = capture.connection(server="192.0.2.7", client="192.0.2.3", server_port=135, bind=False)
    other.pdu(11, bind_body(ACTIVATOR))
    other.end(RST, from_server=True)
    capture.write(capture.path)
    assert aside(tshark, capture.path) == [line.replace("2 other", "3 other")]
    capture.connection(server="192.0.2.7", client="192.0.2.3").call(0, b"", ENUMERATE_OK)
    capture.write(capture.path)
    assert len(sessions(tshark, capture.path)) == 2 and aside(tshark, capture.path) == [line]


def test_ports_of_others_are_no_attempt(tshark, capture):
    """A port of which nobody told is none of ours."""
    other = capture.connection(server_port=8080, bind=False)
    other.end(SYN)
    other.end(RST, from_server=True)
    capture.write(capture.path)
    assert sessions(tshark, capture.path) == []


def test_one_call_a_connection(tshark, capture):
    """Many that end alike are one row; one that does not, and what comes after it, are others."""
    for number in range(6):
        connection = capture.connection()
        connection.call(0, b"", ENUMERATE_OK)
        if number == 3:
            connection.call(0, b"")
            connection.pdu(3, struct.pack("<IHBBII", 32, 0, 0, 0, 5, 0))
        connection.end(FIN)
    capture.write(capture.path)
    rows = sessions(tshark, capture.path)
    assert [(row.times, row.calls, row.faults) for row in rows] == [("4", "5", "1"), ("2", "2", "0")]
    assert rows[0].outcome == REACHED + "; EnumerateCounterSet: fault nca_s_fault_access_denied (0x00000005) in frame 21"


@pytest.mark.parametrize("waits, mean, slowest", [((0,), "0.000", "0.000"), ((0, 3), "1.500", "3.000"), ((-1, 4), "4.000", "4.000"), ((-1,), "", "")])
def test_answers_of_the_same_instant_took_no_time(tshark, capture, waits, mean, slowest):
    """Milliseconds from each request to its answer; an answer with an earlier time than its request has none."""
    connection = capture.connection()
    for wait in waits:
        connection.call_id += 1
        connection.request(0, b"")
        capture.wait(wait - 1)      # a frame comes 1 ms after the one before
        connection.response(ENUMERATE_OK)
    capture.write(capture.path)
    (row,) = sessions(tshark, capture.path)
    assert (row.calls, row.mean, row.slowest) == (str(len(waits)), mean, slowest)


def test_at_the_same_time(tshark, capture):
    """Connections that are open side by side are not one."""
    first, second = capture.connection(), capture.connection()
    for connection in (first, second):
        connection.call(0, b"", ENUMERATE_OK)
    capture.write(capture.path)
    assert [row.times for row in sessions(tshark, capture.path)] == ["1", "1"]


def test_last_of_repeated_attempts_is_told_of(tshark, capture):
    """The last attempt is told of, though it is not known how it ends."""
    for _ in range(2):
        refuse(capture.connection(bind=False))
    capture.write(capture.path)
    (row,) = sessions(tshark, capture.path)
    assert row.times == "2" and row.outcome.endswith(" in frames 2 to 4")
    capture.connection(bind=False).pdu(11, bind_body())
    capture.write(capture.path)
    (row,) = sessions(tshark, capture.path)
    assert row.times == "2" and row.outcome.endswith("; tried again in frame 5")


def bind_body(interface=PERFLIBV2):
    context = struct.pack("<HBB", 0, 1, 0) + uuid.UUID(interface[0]).bytes_le + struct.pack("<HH", *interface[1:])
    context += uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860").bytes_le + struct.pack("<I", 2)
    return struct.pack("<HHIB3x", 5840, 5840, 0, 1) + context


def refuse(connection):
    connection.pdu(11, bind_body())
    refuse_bind(connection)


def refuse_bind(connection, reason=2):
    connection._send(b"\x05\0\x0d\x03\x10\0\0\0" + struct.pack("<HHIH6x", 24, 0, connection.call_id, reason), True, None)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_each_bind_has_a_logon_of_its_own(tshark, capture, passes):
    """A second bind on a connection, after the first was refused, says nothing of the mechanism that the first one used."""
    connection = capture.connection(bind=False)
    ap_req = bytes.fromhex("6e0c300aa003020105a10302010e")    # [RFC4120] 5.5.1: pvno 5, msg-type 14
    for token in (b"NTLMSSP\0" + struct.pack("<IIQQ", 1, 0, 0, 0), ap_req):
        trailer = struct.pack("<BBBBI", 9, 6, 0, 0, 1) + token
        connection.pdu(11, bind_body() + trailer, auth_length=len(token))
        refuse_bind(connection)
    capture.write(capture.path)
    rows = sessions(tshark, capture.path, *passes)
    assert [row.authentication for row in rows] == ["SPNEGO with NTLM, privacy", "SPNEGO with Kerberos, privacy"]


def test_interfaces_of_others_are_no_attempt(tshark, capture):
    """Neither bind nor calls of another interface are looked at, nor what refuses them."""
    for interface, rows in ((("12345778-1234-abcd-ef00-0123456789ab", 0, 0), 0), (WINREG, 1)):
        made = Capture()
        connection = made.connection(bind=False)
        connection.pdu(11, bind_body(interface))
        made.write(capture.path)
        assert len(sessions(tshark, capture.path)) == rows


def outcome_of(tshark, capture):
    capture.write(capture.path)
    (row,) = sessions(tshark, capture.path)
    return row.wants, row.outcome


def test_open_performance_data_refused(tshark, capture):
    """What opens a key fails: any error; what reads it: a refusal only, as a buffer that is too small is none."""
    connection = capture.connection(interface=WINREG)
    connection.call(3, bytes(8), bytes(20) + struct.pack("<I", 5))
    assert outcome_of(tshark, capture) == (
        "performance data", "OpenPerformanceData: ERROR_ACCESS_DENIED (0x00000005) in frame 4")
    connection.call(3, bytes(8), handle() + struct.pack("<I", 0))
    assert outcome_of(tshark, capture) == (
        "performance data", REACHED + "; OpenPerformanceData: ERROR_ACCESS_DENIED (0x00000005) in frame 4")


def test_open_query_handle_fails(tshark, capture):
    """ERROR_NOT_ENOUGH_MEMORY of a call that opens; of the others it says how long the answer is."""
    connection = capture.connection()
    connection.call(3, string("host"), bytes(20) + struct.pack("<I", 8))
    assert outcome_of(tshark, capture) == (
        "PerflibV2", "OpenQueryHandle: ERROR_NOT_ENOUGH_MEMORY (0x00000008) in frame 4")
    connection.call(3, string("host"), OPEN_OK)
    connection.call(0, b"", varying_response(0, 16, 0, b"", 8))
    assert outcome_of(tshark, capture)[1].startswith(REACHED + "; OpenQueryHandle: ")


ENDPOINT_MAPPER = ("e1af8308-5d1f-11c9-91a4-08002b14a0fa", 3, 0)
NOT_REGISTERED = 0x16C9A0D6


def tower(interface, port):
    def floor(left, right):
        return struct.pack("<H", len(left)) + left + struct.pack("<H", len(right)) + right
    name, major, minor = interface
    floors = [
        floor(b"\x0d" + uuid.UUID(name).bytes_le + struct.pack("<H", major), struct.pack("<H", minor)),
        floor(b"\x0d" + uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860").bytes_le + struct.pack("<H", 2), bytes(2)),
        floor(b"\x0b", bytes(2)), floor(b"\x07", struct.pack(">H", port)), floor(b"\x09", bytes(4)),
    ]
    data = struct.pack("<H", len(floors)) + b"".join(floors)
    return align(struct.pack("<II", len(data), len(data)) + data, 4)


def endpoint_stubs(interface, port, obj=False):
    """ept_map, [C706] appendix O: request, and answer with a port or without one."""
    request = (struct.pack("<I", 1) + bytes(16) if obj else bytes(4)) + struct.pack("<I", 2) + tower(interface, 0)
    if port is None:
        response = bytes(20) + struct.pack("<IIIII", 0, 4, 0, 0, NOT_REGISTERED)
    else:
        response = bytes(20) + struct.pack("<IIIII", 1, 4, 0, 1, 3) + tower(interface, port) + bytes(4)
    return request + bytes(20) + struct.pack("<I", 4), response


def map_endpoint(connection, interface, port, obj=False):
    connection.call(3, *endpoint_stubs(interface, port, obj))


def test_endpoints_asked_for_in_one_frame(tshark, capture):
    """Each PDU of a frame is read from where it begins."""
    mapper = capture.connection(server_port=135, interface=ENDPOINT_MAPPER)
    ports = {PERFLIBV2: 50123, WINREG: 50124}
    calls = [endpoint_stubs(interface, port) for interface, port in ports.items()]
    with mapper.in_one_frame():
        for call_id, (asked, _) in enumerate(calls, 2):
            mapper.request(3, asked, call_id)
    with mapper.in_one_frame():
        for call_id, (_, answered) in enumerate(calls, 2):
            mapper.response(answered, call_id)
    for port in ports.values():
        refused = capture.connection(server_port=port, bind=False)
        refused.end(SYN)
        refused.end(RST, from_server=True)
    capture.write(capture.path)
    assert [(row.wants, row.over, row.outcome.partition(" in frame")[0]) for row in sessions(tshark, capture.path)] == [
        ("endpoint of PerflibV2", "TCP 135", "found at TCP port 50123"), ("endpoint of winreg", "TCP 135", "found at TCP port 50124"),
        ("PerflibV2", "TCP 50123", "connection refused"), ("winreg", "TCP 50124", "connection refused"),
    ]


def test_endpoint_that_comes_to_be(tshark, capture):
    """One interface is registered later, another never; then nobody listens there, until somebody does."""
    mapper = capture.connection(server_port=135, interface=ENDPOINT_MAPPER)
    map_endpoint(mapper, PERFLIBV2, None)
    map_endpoint(mapper, WINREG, None, obj=True)
    map_endpoint(mapper, PERFLIBV2, 50123)
    closed = capture.connection(server_port=50123, bind=False)
    closed.end(SYN)
    closed.end(RST, from_server=True)
    capture.wait(2000)
    opened = capture.connection(server_port=50123, bind=False)
    opened.end(SYN)
    opened.end(SYN_ACK, from_server=True)
    opened._bind(PERFLIBV2, ("8a885d04-1ceb-11c9-9fe8-08002b104860", 2))
    opened.call(0, b"", ENUMERATE_OK)
    capture.write(capture.path)
    none = "no endpoint for the interface: EPT_S_NOT_REGISTERED (0x16c9a0d6)"
    assert [(row.wants, row.over, row.outcome) for row in sessions(tshark, capture.path)] == [
        ("endpoint of PerflibV2", "TCP 135", none + " in frame 4; service started: worked 0.004 s later in frame 8"),
        ("endpoint of winreg", "TCP 135", none + " in frame 6"),
        ("endpoint of PerflibV2", "TCP 135", "found at TCP port 50123"),
        ("PerflibV2", "TCP 50123", "connection refused in frame 10; service started: worked 2.006 s later in frame 16"),
        ("PerflibV2", "TCP 50123", REACHED),
    ]


def test_refused_method_is_named_where_sessions_work(tshark, tmp_path):
    """E_ACCESSDENIED of a method of [MS-PLA]; other failures are answers."""
    tmp_path.chmod(0o755)
    opnums = {method: opnum for opnum, (method, _) in INTERFACES["IDataCollectorSet"][1].items()}
    calls = Calls()
    calls.call("IDataCollectorSet", opnums["Delete"], hresult=0x80070005)
    calls.call("IDataCollectorSet", opnums["Delete"], hresult=0x80300002)
    path = calls.capture.write(tmp_path / "pla.pcap")
    (row,) = sessions(tshark, path, table="pla,sessions")
    assert row.wants == "PLA"
    assert re.fullmatch(r"works; Delete: E_ACCESSDENIED \(0x80070005\) in frame \d+", row.outcome), row.outcome


# --- The beginning is missing ----------------------------------------------------------------------------------------

BINDING = re.compile(rb"\x05\x00[\x0b-\x10][\x03\x07][\x00\x10]\x00\x00\x00")


def without_binds(name, folder):
    """A sample capture without the frames that bind or authenticate RPC."""
    left = [frame for frame in frames_of(CAPTURES / f"{name}.pcapng", folder) if not BINDING.search(frame[1])]
    return write_pcap(folder / f"{name}.pcap", left, ETHERNET)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_calls_without_an_alter_context(tshark, tmp_path, passes):
    """Two of three contexts are bound by it: their calls are said to be there, and nobody knows whose they are."""
    capture = CAPTURES / "sealed-two-contexts.pcapng"
    left = [frame for frame in frames_of(capture, tmp_path) if not re.search(rb"\x05\x00[\x0e\x0f][\x03\x07][\x00\x10]\x00\x00\x00", frame[1])]
    path = write_pcap(tmp_path / "left.pcap", left, ETHERNET)
    (row,) = sessions(tshark, path, *options_for(capture), *passes)
    lost = len({row[0][0] for row in tshark.fields(capture, "dcerpc.cn_call_id", display_filter="dcerpc.pkt_type == 0 && dcerpc.cn_ctx_id > 0")})
    assert row.outcome == f"works; {lost} calls without a bind: it is not in the capture; encrypted, and no key helps, because the alter_context is not in the capture"
    assert row.wants == "PerflibV2"


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_calls_without_a_bind(tshark, tmp_path, passes):
    """What nobody recognises has a row with its number; what is recognised is as if its bind were there."""
    for name, authentication in (("sealed-tcp", "NTLM"), ("sealed-smb2", "NTLM"), ("sealed-kerberos", "Kerberos"), ("sealed-kerberos-spnego", "SPNEGO"),
                                 ("sealed-smb1", None), ("perfdata-samba-sealed", "NTLM"), ("pla-sealed", "NTLM")):
        rows = [row for row in sessions(tshark, without_binds(name, tmp_path), *passes) if row.stage == "call"]
        for row in rows:
            assert row.outcome == f"{row.calls} calls without a bind: it is not in the capture; encrypted, and no key helps, because the logon is not in the capture"
            assert row.wants == ("(not said)" if row.over.startswith("TCP") else "(nothing bound)")
            assert row.authentication == f"{authentication}, privacy" or authentication is None
        # The record of the older API leaves out calls that are not about performance data.
        assert sum(int(row.calls) for row in rows) >= len(record_of(CAPTURES / f"{name}.pcapng")["calls"]) > 0, name
    for name, wants in (("tcp-session", "PerflibV2"), ("smb2-session", "PerflibV2"), ("perfdata-samba", "performance data")):
        (row,) = sessions(tshark, without_binds(name, tmp_path), *passes)
        (whole,) = sessions(tshark, CAPTURES / f"{name}.pcapng")
        assert whole.wants == wants and int(whole.calls) >= 24
        assert (row.wants, row.stage, row.calls, row.faults) == (wants, "call", whole.calls, whole.faults)
        # One pass counts from the first answer that fits: the request before it is small.
        assert row.bytes == whole.bytes or (not passes and 0 < int(whole.bytes) - int(row.bytes) < 200)
        assert row.outcome.startswith("works") and "without a bind" not in row.outcome


def test_foreign_calls_without_a_bind(tshark, tmp_path):
    """Those over a pipe of another name are nobody's business; on a port of TCP nobody can tell."""
    answers = record_of(CAPTURES / "foreign.pcapng")["answers"]
    rows = sessions(tshark, without_binds("foreign", tmp_path))
    assert rows and {row.over[:3] for row in rows} == {"TCP"}
    counts = [int(re.fullmatch(r"(\d+) calls? without a bind: it is not in the capture", row.outcome)[1]) for row in rows]
    on_ports = sum(len(said) for way, said in answers.items() if way.startswith("TCP") and "not_registered" not in said[0])
    # A client that is told that it has no right sends nothing after it.
    assert on_ports * 0.7 < sum(counts) <= on_ports
    assert sessions(tshark, CAPTURES / "foreign.pcapng") == []


@pytest.mark.parametrize("kind, name", [(8, "Read"), (11, "Transceive")])
def test_smb_says_that_there_is_no_answer(tshark, tmp_path, kind, name):
    """A READ or a FSCTL_PIPE_TRANSCEIVE that ends with an error of SMB, and so the calls that wait on that pipe."""
    frames = frames_of(CAPTURES / "smb2-session.pcapng", tmp_path)
    for at, (time, frame) in enumerate(frames):
        begin = smb2_of(frame)
        # An answer of that command that brings back a response (2) of DCE/RPC.
        if begin and frame[begin + 12] == kind and frame[begin + 16] & 1 and b"\x05\x00\x02\x03" in frame:
            header = bytearray(frame[begin : begin + 64])
            struct.pack_into("<I", header, 8, 0xC000014B)
            frames[at:] = [(time, with_smb2(frame, bytes(header) + struct.pack("<HHIB", 9, 0, 0, 0)))]
            break
    (row,) = sessions(tshark, write_pcap(tmp_path / "broken.pcap", frames, ETHERNET))
    assert re.search(rf"\w+: {name}: STATUS_PIPE_BROKEN \(0xc000014b\) in frame {len(frames)}$", row.outcome), row
    assert "no answer" not in row.outcome


def test_each_status_of_several_faults_is_named_once(tshark, tmp_path):
    capture = Capture()
    connection = capture.connection()
    for status in (0x1C010002, 5, 0x1C010002, 5, 0x1C00001A):
        connection.call_id += 1
        connection.request(3, string("HOST"))
        connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, status, 0))
    (row,) = sessions(tshark, capture.write(tmp_path / "faults.pcap"))
    assert row.outcome.startswith("5 faults, the first: OpenQueryHandle: fault ")
    # A bind and its answer, then two frames a call.
    assert re.findall(r"\((0x\w+)\) in frame (\d+)", row.outcome) == [("0x1c010002", "4"), ("0x00000005", "6"), ("0x1c00001a", "12")]
