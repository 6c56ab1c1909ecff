# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflibv2,sessions: nobody is blamed for what the capture lacks, nor for what was tried again and worked."""

import struct
import uuid

import pytest

from lib.ntlm import authenticate
from lib.smb import CANCELLED, IOCTL, MORE_PROCESSING, PENDING, READ, SETUP, TREE_CONNECT, WRITE, Pipe, Smb
from lib.tables import data_tables
from lib.wire import PERFLIBV2, WINREG, handle
from stats.test_sessions import (
    ENDPOINT_MAPPER, ENUMERATE_OK, FIN, OPEN_OK, REACHED, RST, SYN, SYN_ACK, bind_body, map_endpoint, refuse, refuse_bind,
    sessions,
)

ACK = 0x10
NDR_SYNTAX = ("8a885d04-1ceb-11c9-9fe8-08002b104860", 2)
ALTER = 14


def rows_of(tshark, capture):
    capture.write(capture.path)
    return sessions(tshark, capture.path)


def later(capture):
    """Another connection, so long after that patience is lost."""
    capture.wait(6000)
    capture.connection(server="192.0.2.99").call(0, b"", ENUMERATE_OK)


# --- Binds ---

def contexts(*offered):
    body = struct.pack("<HHIB3x", 5840, 5840, 0, len(offered))
    for number, interface in offered:
        body += struct.pack("<HBB", number, 1, 0) + uuid.UUID(interface[0]).bytes_le
        body += struct.pack("<HH", *interface[1:]) + uuid.UUID(NDR_SYNTAX[0]).bytes_le + struct.pack("<I", 2)
    return body


def acknowledge(connection, kind, *results):
    """kind: 12 of a bind, 15 of an alter_context."""
    body = struct.pack("<HHI", 5840, 5840, 1) + struct.pack("<H", 6) + b"49700\0" + struct.pack("<B3x", len(results))
    for result in results:
        syntax = uuid.UUID(NDR_SYNTAX[0]).bytes_le + struct.pack("<I", 2) if result == 0 else bytes(20)
        body += struct.pack("<HH", result, 0 if result == 0 else 1) + syntax
    data = struct.pack("<BBBBIHHI", 5, 0, kind, 3, 0x10, 16 + len(body), 0, connection.call_id) + body
    connection._send(data, True, None)


def test_bind_again_on_the_connection(tshark, capture):
    """A bind_nak is the end of that attempt; the one that is accepted then is another, and works."""
    connection = capture.connection(bind=False)
    refuse(connection)
    connection._bind(PERFLIBV2, NDR_SYNTAX)
    connection.call(0, b"", ENUMERATE_OK)
    rows = rows_of(tshark, capture)
    assert [(row.calls, row.outcome) for row in rows] == [
        ("0", "bind_nak: Local limit exceeded (2) in frame 2; worked 0.004 s later in frame 6"), ("1", REACHED)]


@pytest.mark.parametrize("reason, code", [(2, "bind_refused"), (8, "authentication_unknown"), (9, "bind_refused")])
def test_finding_tells_why_a_bind_was_refused(tshark, capture, reason, code):
    """[MS-RPCE] 2.2.2.5: 8 is an authentication type that the server does not know, 9 a checksum that is not right."""
    connection = capture.connection(bind=False)
    connection.pdu(11, bind_body())
    refuse_bind(connection, reason)
    capture.write(capture.path)
    assert [(row["code"], row["frame"]) for row in data_tables(tshark, capture.path)["findings"]] == [(code, 2)]


def test_rejected_context_leaves_the_other_working(tshark, capture):
    """The other works, whether both were offered by one bind or one by an alter_context."""
    rejected = "context rejected: Provider rejection, Abstract syntax not supported in frame "
    connection = capture.connection(bind=False)
    connection.pdu(11, contexts((0, WINREG), (1, PERFLIBV2)))
    acknowledge(connection, 12, 0, 2)
    connection.call(3, bytes(8), handle() + bytes(4))
    (row,) = rows_of(tshark, capture)
    assert row.outcome == f"{REACHED}; {rejected}2"
    connection = capture.connection(server="192.0.2.50", interface=WINREG)
    connection.pdu(ALTER, contexts((1, PERFLIBV2)))
    acknowledge(connection, 15, 2)
    rows = rows_of(tshark, capture)
    assert rows[1].outcome.startswith(f"{rejected}8")
    connection.call(3, bytes(8), handle() + bytes(4))
    rows = rows_of(tshark, capture)
    assert [row.outcome for row in rows] == [f"{REACHED}; {rejected}2", f"{REACHED}; {rejected}8"]


# --- Answers that were not captured ---

def test_duplicate_of_a_syn(tshark, capture):
    """Captured twice at once: it was not sent again."""
    connection = capture.connection(server_port=445, bind=False)
    connection.end(SYN)
    connection.end(SYN)
    connection.end(SYN_ACK, from_server=True)
    assert rows_of(tshark, capture) == []


def test_connection_refused_at_first_is_told_by_its_end(tshark, capture):
    """Clients of Windows send the same SYN again; what follows then on that connection is told."""
    mapper = capture.connection(server_port=135, interface=ENDPOINT_MAPPER)
    map_endpoint(mapper, PERFLIBV2, 50123)
    connection = capture.connection(server_port=50123, bind=False)
    connection.end(SYN)
    connection.end(RST, from_server=True)
    capture.wait(500)
    connection.end(SYN)
    connection.end(SYN_ACK, from_server=True)
    connection.pdu(11, bind_body())
    connection.end(RST, from_server=True)
    rows = rows_of(tshark, capture)
    assert [row.outcome.split(" in ")[0] for row in rows] == [
        "found at TCP port 50123", "connection refused", "the server reset the connection before an answer to bind"]


def test_syn_ack_not_captured(tshark, capture):
    connection = capture.connection(server_port=445, bind=False)
    connection.end(SYN)
    connection.end(ACK)
    later(capture)
    assert [row.server for row in rows_of(tshark, capture)] == ["192.0.2.99"]


def test_bind_ack_of_the_mapper_not_captured(tshark, capture):
    mapper = capture.connection(server_port=135, bind=False)
    mapper.pdu(11, bind_body(ENDPOINT_MAPPER))
    map_endpoint(mapper, PERFLIBV2, 50123)
    later(capture)
    assert [row.outcome for row in rows_of(tshark, capture)] == ["found at TCP port 50123", REACHED]


def lose(connection, *, pdu):
    """The server sends what the capture does not hold."""
    frames = len(connection.capture.frames)
    pdu()
    del connection.capture.frames[frames:]


def test_answer_not_captured_blames_no_server(tshark, capture):
    """The client acknowledged more than was captured: that the server did not answer cannot be said."""
    connection = capture.connection()
    connection.call(0, b"")
    lose(connection, pdu=lambda: connection.response(ENUMERATE_OK))
    connection.call(0, b"", ENUMERATE_OK)
    silent = capture.connection(server="192.0.2.77")
    silent.call(0, b"")
    silent.end(ACK)
    rows = rows_of(tshark, capture)
    assert [row.outcome for row in rows] == [
        REACHED + "; no answer yet to EnumerateCounterSet of frame 3, or it was not captured: segments of the server are missing",
        "no answer yet to EnumerateCounterSet of frame 8"]


def test_last_segments_not_captured(tshark, capture):
    """The server's FIN, and what it acknowledges, show that something is missing before them."""
    closing = capture.connection()
    closing.call(0, b"")
    lose(closing, pdu=lambda: closing.response(ENUMERATE_OK))
    closing.end(FIN, from_server=True)
    asked = capture.connection(server="192.0.2.78")
    lose(asked, pdu=lambda: asked.request(0, b""))
    asked.end(FIN, from_server=True)
    reset = capture.connection(server="192.0.2.79")
    lose(reset, pdu=lambda: reset.request(0, b""))
    reset.end(RST, from_server=True)
    late = capture.connection(server="192.0.2.80")
    late.call(0, b"")
    lose(late, pdu=lambda: late.end(FIN))
    late.sequence[0] += 1
    late.end(FIN, from_server=True)
    assert [row.outcome for row in rows_of(tshark, capture)] == [
        "no answer to EnumerateCounterSet of frame 3, then the server closed the connection, or it was not captured: "
        "segments of the server are missing",
        "bound, but no call followed, or it was not captured: segments of the client are missing",
        "bound, but no call followed, or it was not captured: segments of the client are missing",
        "no answer to EnumerateCounterSet of frame 13, then the connection was closed"]


def test_answer_works_though_its_request_was_not_captured(tshark, capture):
    """Its answer works, its fault is told, though not of what."""
    connection = capture.connection()
    lose(connection, pdu=lambda: connection.call(0, b""))
    connection.pdu(3, struct.pack("<IHBBII", 32, 0, 0, 0, 5, 0))
    (row,) = rows_of(tshark, capture)
    fault = "a call: fault nca_s_fault_access_denied (0x00000005) in frame 3"
    assert (row.stage, row.calls, row.faults, row.outcome) == ("call", "0", "1", fault)
    lose(connection, pdu=lambda: connection.call(0, b""))
    connection.response(ENUMERATE_OK)
    (row,) = rows_of(tshark, capture)
    assert (row.calls, row.faults, row.outcome) == ("0", "1", REACHED + "; " + fault)


def test_request_and_answer_not_captured(tshark, capture):
    """Nobody acknowledges what both ends lack: the sequence numbers of what follows tell. What comes late is not missing."""
    connection = capture.connection()
    lose(connection, pdu=lambda: connection.call(0, b"", ENUMERATE_OK))
    connection.end(ACK)
    unread = capture.connection(server="192.0.2.76", interface=WINREG)
    unread.pdu(ALTER, contexts((1, PERFLIBV2)))
    lose(unread, pdu=lambda: acknowledge(unread, 15, 0))
    lose(unread, pdu=lambda: unread.call(3, b"", OPEN_OK))
    unread.pdu(ALTER, contexts((1, WINREG)))
    late = capture.connection(server="192.0.2.77")
    late.call(0, b"", ENUMERATE_OK)
    late.call(0, b"", ENUMERATE_OK)
    capture.frames[-4:] = capture.frames[-2:] + capture.frames[-4:-2]
    late.call(0, b"")
    assert [row.outcome for row in rows_of(tshark, capture)] == [
        "bound, but no call followed, or it was not captured: segments of the client are missing",
        "bound, but no call followed, or it was not captured: segments of the client are missing",
        REACHED + "; no answer yet to EnumerateCounterSet of frame 14"]


def test_call_that_the_client_gives_up(tshark, capture):
    """Cancelled and orphaned ([C706] 12.6.4.6, 12.6.4.8): it is not the server that did not answer."""
    for server, more in ("192.0.2.1", True), ("192.0.2.2", False):
        connection = capture.connection(server=server)
        for _ in range(2):
            connection.call(0, b"")
            connection.pdu(18, b"")
            connection.pdu(19, b"")
        if more:
            connection.call(0, b"", ENUMERATE_OK)
    given_up = "2 calls, the first: EnumerateCounterSet: given up by the client in frame "
    assert [row.outcome for row in rows_of(tshark, capture)] == [f"{REACHED}; {given_up}5", f"{given_up}15"]
    found = data_tables(tshark, capture.path)["findings"]
    assert sorted((row["frame"], row["code"]) for row in found) == [(5, "left_before_answer"), (15, "left_before_answer")]


def test_connection_that_was_under_way(tshark, capture):
    """What both ends had sent by the time of the bind is known by that; the answer that is acknowledged then is missing."""
    refused = capture.connection(bind=False)
    refused.sequence = [5000, 7000]
    refused.pdu(11, bind_body())
    lose(refused, pdu=lambda: refused.response(bytes(8)))
    refused.end(FIN)
    (row,) = rows_of(tshark, capture)
    assert row.outcome == ("the connection was closed before an answer to bind, or it was not captured: "
                           "segments of the server are missing in frame 2")


def test_another_endpoint_is_no_other_attempt(tshark, capture):
    """One interface is not registered, another is asked for; the answer to that is not captured, which its row says."""
    mapper = capture.connection(server_port=135, interface=ENDPOINT_MAPPER)
    map_endpoint(mapper, PERFLIBV2, None)
    map_endpoint(mapper, WINREG, 50123)
    capture.frames.pop()
    none = "no endpoint for the interface: EPT_S_NOT_REGISTERED (0x16c9a0d6) in frame 4"
    assert [row.outcome for row in rows_of(tshark, capture)] == [none, "no answer yet to Map of frame 5"]
    mapper.end(ACK)
    assert [row.outcome for row in rows_of(tshark, capture)] == [
        none, "no answer yet to Map of frame 5, or it was not captured: segments of the server are missing"]
    map_endpoint(mapper, WINREG, 50123)
    map_endpoint(mapper, WINREG, 50124)
    capture.frames.pop()
    assert [row.outcome for row in rows_of(tshark, capture)][2:] == [
        "found at TCP port 50123; begun again in frame 9"]


# --- SMB2 ---

def work(smb, status=0):
    """A bind to the registry, and performance data opened."""
    def pdu(kind, body, call_id):
        return struct.pack("<BBBBIHHI", 5, 0, kind, 3, 0x10, 16 + len(body), 0, call_id) + body
    accepted = struct.pack("<HHIH", 5840, 5840, 1, 6) + b"49700\0" + struct.pack("<B3xHH", 1, 0, 0)
    accepted += uuid.UUID(NDR_SYNTAX[0]).bytes_le + struct.pack("<I", 2)
    smb.transceive(pdu(11, bind_body(WINREG), 1), pdu(12, accepted, 1))
    call, answer = struct.pack("<IHH", 8, 0, 3) + bytes(8), struct.pack("<IHH", 24, 0, 0) + handle() + struct.pack("<I", status)
    smb.transceive(pdu(0, call, 2), pdu(2, answer, 2))


@pytest.mark.parametrize("missing", [0, 1], ids=["all", "Create's answer"])
def test_session_that_works_is_one_row(tshark, capture, missing):
    """One row, with and without the answer to Create."""
    smb = Smb(capture)
    smb.set_up(MORE_PROCESSING, 0)
    smb.connect(0)
    smb.create()
    smb.created(PENDING)
    if missing:
        lose(smb.connection, pdu=smb.created)
    else:
        smb.created()
    work(smb)
    (row,) = rows_of(tshark, capture)
    assert (row.over, row.wants, row.frame, row.outcome) == (r"SMB2 \winreg", "performance data", "7", REACHED)


def test_create_request_not_captured(tshark, capture):
    smb = Smb(capture)
    lose(smb.connection, pdu=smb.create)
    smb.created()
    work(smb)
    (row,) = rows_of(tshark, capture)
    assert (row.over, row.outcome) == ("SMB2", REACHED)


def test_read_request_not_captured(tshark, capture):
    """Without it nobody knows what the answer to it is of."""
    smb = Smb(capture)
    smb.create()
    smb.created()
    work(smb)
    call = struct.pack("<BBBBIHHIIHH", 5, 0, 0, 3, 0x10, 32, 0, 3, 8, 0, 3) + bytes(8)
    smb.send(WRITE, struct.pack("<HHIQQQIIHHI", 49, 112, len(call), 0, 5, 6, 0, 0, 0, 0, 0) + call)
    smb.send(WRITE, struct.pack("<HHIIHH", 17, 0, len(call), 0, 0, 0), from_server=True)
    read = struct.pack("<HBBIQQQIIIHHB", 49, 0, 0, 4096, 0, 5, 6, 0, 0, 0, 0, 0, 0)
    lose(smb.connection, pdu=lambda: smb.send(READ, read))
    answer = struct.pack("<BBBBIHHIIHH", 5, 0, 2, 3, 0x10, 48, 0, 3, 24, 0, 0) + handle() + bytes(4)
    smb.send(READ, struct.pack("<HBBIII", 17, 80, 0, len(answer), 0, 0) + answer, from_server=True)
    (row,) = rows_of(tshark, capture)
    assert row.outcome == (REACHED + "; no answer yet to OpenHKPD of frame 7, or it cannot be read: "
                           "segments of the client are missing")


def test_tree_connect_answer_not_captured(tshark, capture):
    smb = Smb(capture)
    smb.set_up(MORE_PROCESSING, 0)
    smb.connect()
    smb.create()
    smb.created()
    later(capture)
    rows = rows_of(tshark, capture)
    assert [(row.over, row.outcome) for row in rows] == [(r"SMB2 \winreg", "opened, but nothing followed"),
                                                         ("TCP 49700", REACHED)]


def test_interim_answers_refuse_nothing(tshark, capture):
    """STATUS_PENDING and STATUS_MORE_PROCESSING_REQUIRED refuse nothing; a cancelled Create does."""
    smb = Smb(capture)
    smb.set_up(MORE_PROCESSING, 0)
    smb.connect(0)
    smb.create()
    smb.created(PENDING)
    (row,) = rows_of(tshark, capture)
    assert row.outcome == "no answer yet to Create of frame 7"
    smb.created(CANCELLED)
    (row,) = rows_of(tshark, capture)
    assert row.outcome.startswith("Create: STATUS_CANCELLED (0xc0000120) in frame 9")
    assert [row["code"] for row in data_tables(tshark, capture.path)["findings"]] == ["left_before_answer"]


LOGOFF, TREE_DISCONNECT, CLOSE, CANCEL, ECHO = 2, 4, 6, 12, 13
LEFT = "given up by the client"
CLOSE_PIPE, TINY = struct.pack("<HHIQQ", 24, 0, 0, 1, 6), struct.pack("<HH", 4, 0)


@pytest.mark.parametrize("leaves, status, why", [
    ((CLOSE, CLOSE_PIPE), 0xC0000128, LEFT), ((CLOSE, CLOSE_PIPE), 0xC000014B, LEFT), ((TREE_DISCONNECT, TINY), 0xC00000C9, LEFT),
    ((LOGOFF, TINY), 0xC0000203, LEFT), ((CANCEL, TINY), CANCELLED, LEFT),
    ((ECHO, TINY), 0xC0000203, "Transceive: STATUS_USER_SESSION_DELETED (0xc0000203)")])
def test_client_that_leaves_while_it_waits_gives_up(tshark, capture, leaves, status, why):
    """[MS-SMB2] 3.3.5.6, 3.3.5.8, 3.3.5.10, 3.3.5.16: the server ends a waiting request then. Else it does so on its own."""
    pipe = Pipe(capture)
    pipe.request(0, b"")
    pipe.smb.send(*leaves)
    pipe.smb.send(IOCTL, struct.pack("<HHIB", 9, 0, 0, 0), status, from_server=True, ident=pipe.asked)
    assert [row.outcome for row in rows_of(tshark, capture)] == [f"EnumerateCounterSet: {why} in frame 13"]
    found = [(row["code"], row["who_code"]) for row in data_tables(tshark, capture.path)["findings"]]
    assert found == [("left_before_answer", "client")] if why == LEFT else found[0] == ("error", "server")


def stopped_at(capture, step, status, token=b"", **ports):
    """A client whose logon, tree connect or opening of winreg gets this status."""
    smb = Smb(capture, **ports)
    smb.set_up(MORE_PROCESSING, status if step == "logon" else 0, token=token)
    if step != "logon":
        smb.connect(status if step == "tree" else 0)
    if step == "pipe":
        smb.create()
        smb.created(status)
    return smb


# [MS-ERREF] 2.3.1: what each status says, in the words of manual/codes.md.
@pytest.mark.parametrize("step, status, code", [
    ("logon", 0xC000006D, "logon_failed"), ("logon", 0xC0000234, "account_locked"), ("logon", 0xC0000072, "account_disabled"),
    ("logon", 0xC0000193, "account_expired"), ("logon", 0xC0000071, "password_expired"), ("logon", 0xC0000224, "password_must_change"),
    ("logon", 0xC000006E, "account_restricted"), ("logon", 0xC000015B, "logon_type_denied"), ("logon", 0xC000005E, "no_logon_server"),
    ("logon", 0xC000018D, "domain_trust_lost"), ("logon", 0xC0000022, "logon_refused"), ("tree", 0xC0000022, "share_denied"),
    ("pipe", 0xC0000022, "pipe_denied"), ("tree", 0xC00000CC, "no_share"), ("pipe", 0xC0000034, "no_pipe"),
    ("pipe", 0xC00000AC, "pipe_busy"), ("tree", 0xC0000034, "error"), ("logon", 0xC00000CC, "error"), ("pipe", 0xC00000CC, "error"),
    ("tree", 0xC00000AC, "error"), ("tree", 0xC000006D, "logon_failed"), ("pipe", 0xC000009A, "error"),
])
def test_finding_tells_why_smb_refused(tshark, capture, step, status, code):
    """A status about the account means the same at each step; others depend on what was asked for."""
    stopped_at(capture, step, status)
    capture.write(capture.path)
    assert [(row["code"], row["frame"]) for row in data_tables(tshark, capture.path)["findings"]] == [(code, len(capture.frames))]


@pytest.mark.parametrize("step, said", [
    ("logon", "No client was seen asking for performance counters; 1 attempt ended too early to tell."),
    ("tree", "No client was seen asking for performance counters; 1 attempt ended too early to tell."),
    ("pipe", "192.0.2.2 gets no counters: 192.0.2.1 denies access to its pipe winreg."),
])
def test_who_opens_winreg_asks_for_counters(tshark, capture, step, said):
    """Before that, a client of SMB may want anything."""
    stopped_at(capture, step, 0xC0000022)
    capture.write(capture.path)
    assert data_tables(tshark, capture.path)["meta"][0]["headline"] == said


@pytest.mark.parametrize("port", [445, 139])
def test_either_port_of_smb_makes_up_for_a_refused_logon(tshark, capture, port):
    """[MS-SMB2] 2.1: the same service over TCP and over NetBIOS."""
    stopped_at(capture, "logon", 0xC000006D)
    work(stopped_at(capture, "pipe", 0, port=port))
    first, second = rows_of(tshark, capture)
    assert (second.over, second.outcome) == (r"SMB2 \winreg", REACHED)
    assert "STATUS_LOGON_FAILURE" in first.outcome and "; worked " in first.outcome, first


# [MS-ERREF] 2.3.1. The last one says that the pipe does not exist, whoever asks.
@pytest.mark.parametrize("step, status, user, code", [
    ("logon", 0xC000006D, "ALICE", "works_now"), ("logon", 0xC000006D, "bob", "logon_failed"), ("call", 5, "Alice", "works_now"),
    ("call", 5, "bob", "registry_denied"), ("pipe", 0xC0000022, "bob", "pipe_denied"), ("pipe", 0xC0000034, "bob", "works_now"),
])
def test_success_of_another_user_mends_no_refusal(tshark, capture, step, status, user, code):
    """Alice is refused; then a user of the same computer is not."""
    if step == "call":
        work(stopped_at(capture, "pipe", 0, authenticate("alice")), status)
    else:
        stopped_at(capture, step, status, authenticate("alice"))
    work(stopped_at(capture, "pipe", 0, authenticate(user)))
    capture.write(capture.path)
    assert [row["code"] for row in data_tables(tshark, capture.path)["findings"]] == [code]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_users_of_one_connection_are_told_apart(tshark, capture, passes):
    """[MS-SMB2] 3.2.4.2: a session for each user. Whoever is refused then sends no name in clear, with the number of a session that ended."""
    smb = Smb(capture)
    alice = smb.session
    for user, smb.session in (("alice", alice), ("bob", alice + 1)):
        smb.set_up(0, token=authenticate(user))
    smb.session = alice
    smb.connect(0)
    Pipe(capture, smb).call(0, b"", ENUMERATE_OK)
    smb.session = alice + 1
    smb.set_up(0xC000006D)
    capture.write(capture.path)
    assert [(row.outcome, row.authentication) for row in sessions(tshark, capture.path, *passes)] == [
        (REACHED, "none; SMB's user alice"), (f"Session Setup: STATUS_LOGON_FAILURE (0xc000006d) in frame {len(capture.frames)}", "")]


def test_alter_context_has_a_user_of_its_own(tshark, capture):
    """[C706] 13.2.6.2: another security context is another logon; Kerberos names no user in clear."""
    connection = capture.connection(bind=False)
    ap_req = bytes.fromhex("6e0c300aa003020105a10302010e")    # [RFC4120] 5.5.1: pvno 5, msg-type 14
    for kind, body, service, number, token in (
            (11, bind_body(), 10, 1, b"NTLMSSP\0" + struct.pack("<IIQQ", 1, 0, 0, 0)), (16, bytes(4), 10, 1, authenticate("alice")),
            (ALTER, bind_body(), 16, 2, ap_req)):
        connection.pdu(kind, body + struct.pack("<BBBBI", service, 6, 0, 0, number) + token, auth_length=len(token))
    (row,) = rows_of(tshark, capture)
    assert row.authentication == "Kerberos, privacy"


def test_long_message_after_a_logon(tshark, capture):
    """Segments of one message, which can be read with the last of them, are not encrypted."""
    smb = Smb(capture)
    smb.set_up(MORE_PROCESSING, 0)
    for _ in range(2):
        smb.connection._send(struct.pack(">I", 9000) + bytes(1000), False, None)
        for _ in range(6):
            smb.connection._send(bytes(1000), False, None)
    assert rows_of(tshark, capture) == []


ENCRYPTED = "everything after the logon is encrypted by SMB 3, or is not SMB: pipes and calls cannot be seen in frame 8"
GAP = "nothing followed, or it cannot be read: segments of the client are missing in frame 8"


@pytest.mark.parametrize("begin, lost, said", [
    (b"\xfdSMB", 0, [(ENCRYPTED, "smb_encrypted")]), (b"\xfcSMB", 0, []), (b"\xfeSMB", 100, [(GAP, "segments_missing")])])
def test_only_encrypted_messages_are_said_to_be_encrypted(tshark, capture, begin, lost, said):
    """[MS-SMB2] 2.2.41; 2.2.42 (compressed); 2.2.1, with a gap. Once the client can be read again, its row is that of what it does."""
    smb = Smb(capture)
    smb.set_up(MORE_PROCESSING, 0)
    for from_server in 2 * (False, True):
        smb.connection.sequence[from_server] += lost
        smb.connection._send((struct.pack(">I", 200) + begin + bytes(196))[lost:], from_server, None)
    assert [row.outcome for row in rows_of(tshark, capture)] == [outcome for outcome, _ in said]
    assert {row["code"] for row in data_tables(tshark, capture.path).get("findings", [])} - {"sealed_by_smb3"} == {code for _, code in said}
    if lost:
        smb.create()
        smb.created()
        work(smb)
        assert [row.outcome for row in rows_of(tshark, capture)] == [REACHED]


# --- Attempts that one row counts, and times that go back ---

def codes_of(tshark, capture):
    capture.write(capture.path)
    return {(row["code"], row["frame"]) for row in data_tables(tshark, capture.path)["findings"]}


@pytest.mark.parametrize("first, second, found", [
    ("left", "left", {("left_before_answer", 5)}),
    ("cut", "whole", {("frames_cut", 6)}),
    ("waits", "cut", {("no_answer", 5), ("frames_cut", 12)}),
    ("left", "waits", {("no_answer", 11)}),
])
def test_equal_attempts_are_judged_each_by_its_own_end(tshark, capture, first, second, found):
    """One row counts both. A call waits as long as its own connection is open, and only that one's frames may hold its answer."""
    for kind in (first, second):
        connection = capture.connection()
        connection.call(0, b"", ENUMERATE_OK)
        connection.request(0, b"")
        if kind in ("cut", "whole"):
            connection.response(ENUMERATE_OK, snap=10 if kind == "cut" else None)
        capture.wait(60_000 if kind == "waits" else 20)
        connection.end(FIN)
        capture.wait(60_000)
    assert codes_of(tshark, capture) == found


def test_time_that_goes_back_hides_no_missing_answer(tshark, capture):
    """Joined captures: what went before waits no less because an hour begins anew."""
    connection = capture.connection()
    connection.call(0, b"", ENUMERATE_OK)
    connection.request(0, b"")
    capture.connection(server="192.0.2.12", server_port=445, bind=False).end(SYN)
    capture.wait(60_000)
    capture.connection(server="192.0.2.98").call(0, b"", ENUMERATE_OK)
    capture.wait(-3_600_000)
    capture.connection(server="192.0.2.13", server_port=445, bind=False).end(SYN)
    capture.wait(10_000)
    capture.connection(server="192.0.2.99").call(0, b"", ENUMERATE_OK)
    assert codes_of(tshark, capture) == {("no_answer", 5), ("unreachable", 6), ("unreachable", 11)}
