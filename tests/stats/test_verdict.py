# SPDX-License-Identifier: GPL-2.0-or-later
"""The headline of a capture, whole: who polls whom, how often, and what each kind of flaw is called, for one and for two of them."""

import struct
import uuid

import pytest

from lib import perfdata, perflibv2 as p
from lib.smb import MORE_PROCESSING, Smb
from lib.tables import data_tables
from lib.wire import FAULT, PERFLIBV2, WINREG, Capture
from perfdata import wire
from perfdata.block import Counter, Instance, Object
from stats.test_sessions import ENDPOINT_MAPPER, map_endpoint

FAILED = 0xD2
LOGON_FAILURE = 0xC000006D


def headline(tshark, made, tmp_path):
    tmp_path.chmod(0o755)
    path = tmp_path / "made.pcapng"
    made.write(path)
    return data_tables(tshark, path)["meta"][0]["headline"].replace("\u00a0", " ")


def polls(capture, *errors, milliseconds=1000, reserved=(), times=3, **options):
    """A client that polls one counter, and others, each block of which has its error."""
    peer = p.Peer(capture, **options)
    numbers = range(1, 2 + len(errors))
    handle = p.query_handle(capture.clients)
    peer.registration(1, p.counterset([p.counter(number) for number in numbers]))
    peer.mapped(handle, *map(p.identifier, numbers))
    for at in range(times):
        capture.wait(milliseconds - 2)
        blocks = [p.block(1, p.value(at), reserved=int("block" in reserved)), *(p.block(0, status=error) for error in errors)]
        total = 64 + sum(map(len, blocks)) if "total" in reserved else None
        peer.poll(handle, p.data(*blocks, total=total, time=p.TIME + at * milliseconds * 10_000))
    return peer


def counters(times):
    polls(capture := Capture(), *[FAILED] * times)
    return capture


def requests(times):
    capture = Capture()
    peer = polls(capture)
    for number in range(times):
        peer.instances(guid=uuid.UUID(int=77 + number), status=p.GUID_NOT_FOUND)
    return capture


def rules(times):
    polls(capture := Capture(), reserved=("block", "total")[:times])
    return capture


def calls(times):
    capture = Capture()
    peer = polls(capture)
    for _ in range(times):
        peer.poll(p.query_handle(1))
        peer.connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 0x1C010014, 0))     # nca_s_server_too_busy
    return capture


def objects(times):
    peer = perfdata.Peer()
    for seconds in (1, 2, 3):
        peer.query(" ".join(("238", "99998", "99999")[:1 + times]),
                   perfdata.built(Object(238, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance("0", [1])]), seconds=seconds))
        peer.capture.wait(1)
    return peer


def refused(times):
    """Rates of counters that go down."""
    peer = perfdata.Peer()
    for seconds, number in enumerate((10, 20, 5, 15), 1):
        counted = [Counter(6 + 2 * at, "PERF_COUNTER_COUNTER") for at in range(times)]
        peer.query("238", perfdata.built(Object(238, counted, [Instance("0", [number] * times)]), seconds=seconds))
        peer.capture.wait(1)
    return peer


def names(times):
    """Lists with an empty text between their entries."""
    peer = perfdata.Peer()
    for language in ("009", "007")[:times]:
        peer.query(f"Counter {language}", "".join(text + "\0" for text in ("2", "System", "", "5000", "Types", "")).encode("utf-16-le"), kind=7)
    return peer


def logons(times):
    capture = Capture()
    for last in range(2, 2 + times):
        Smb(capture, client=f"192.0.2.{last}").set_up(MORE_PROCESSING, LOGON_FAILURE)
    return capture


NEWER, OLDER = "192.0.2.2 polls HOST (192.0.2.1) every 1 s; ", "192.0.2.10 polls PC (192.0.2.20) every 1 s; "


@pytest.mark.parametrize(("made", "one", "two"), [
    (counters, NEWER + "1 counter never had a value.", NEWER + "2 counters never had a value."),
    (requests, NEWER + "1 other request got no result.", NEWER + "2 other requests got no result."),
    (rules, NEWER + "1 rule of [MS-PCQ] is broken.", NEWER + "2 rules of [MS-PCQ] are broken."),
    (calls, NEWER + "1 call failed or got no answer.", NEWER + "2 calls failed or got no answer."),
    (objects, OLDER + "1 object had no data.", OLDER + "2 objects had no data."),
    (refused, OLDER + "1 counter had values that Windows tools refuse.", OLDER + "2 counters had values that Windows tools refuse."),
    (names, "192.0.2.10 calls 192.0.2.20; no value was asked for; 1 list of names is damaged.",
     "192.0.2.10 calls 192.0.2.20; no value was asked for; 2 lists of names are damaged."),
    (logons, *(f"No client was seen asking for performance counters; {number} ended too early to tell." for number in ("1 attempt", "2 attempts"))),
])
def test_each_kind_of_flaw_is_counted(tshark, tmp_path, made, one, two):
    assert [headline(tshark, made(times), tmp_path) for times in (1, 2)] == [one, two]


def test_flaws_of_all_kinds_stand_in_one_sentence(tshark, tmp_path):
    capture = Capture()
    peer = polls(capture, FAILED, reserved=("block",))
    peer.instances(guid=uuid.UUID(int=77), status=p.GUID_NOT_FOUND)
    assert headline(tshark, capture, tmp_path) == NEWER + "1 counter never had a value; 1 other request got no result; 1 rule of [MS-PCQ] is broken."


@pytest.mark.parametrize(("intervals", "said"), [
    ([1000], "192.0.2.10 polls HOST (192.0.2.1) every 1 s"), ([500], "192.0.2.10 polls HOST (192.0.2.1) every 0.5 s"),
    ([2000, 500], "2 clients poll HOST (192.0.2.1) every 0.5 to 2 s"), ([500, 1000, 2000], "3 clients poll HOST (192.0.2.1) every 0.5 to 2 s"),
    ([2000, 2000], "2 clients poll HOST (192.0.2.1) every 2 s"), ([500, 0], "2 clients poll HOST (192.0.2.1) every 0.5 s"),
    ([0, 500], "2 clients poll HOST (192.0.2.1) every 0.5 s"), ([0], "192.0.2.10 polls HOST (192.0.2.1)"),
])
def test_intervals_of_all_clients_are_a_range(tshark, tmp_path, intervals, said):
    """Who polls once has none."""
    capture = Capture()
    for last, interval in enumerate(intervals, 10):
        polls(capture, milliseconds=interval or 1000, times=3 if interval else 1, client=f"192.0.2.{last}")
    assert headline(tshark, capture, tmp_path) == f"{said}: nothing is wrong."


def opened(capture, **options):
    peer = p.Peer(capture, **options)
    peer.open(p.query_handle(1))
    return peer


def waiting(capture):
    opened(capture).poll(p.query_handle(1))


def left(capture):
    peer = opened(capture)
    peer.poll(p.query_handle(1))
    peer.connection.end(0x11)


def silent(capture):
    waiting(capture)
    capture.wait(20_000)


def torn(capture):
    """The first of three fragments is not in the capture."""
    connection = opened(capture, fragment=100).connection
    connection.call(6, p.query_handle(1) + bytes(4), bytes(300))
    del capture.frames[-3]


def port(capture):
    map_endpoint(capture.connection(server_port=135, interface=ENDPOINT_MAPPER), PERFLIBV2, 50123)


CALLS = "192.0.2.2 calls 192.0.2.1; "


@pytest.mark.parametrize(("steps", "said"), [
    ([opened], "no value was asked for."), ([port], "only a port or an object was asked for."),
    ([waiting], "no value was received."), ([waiting, opened], "no value was received."),
    ([left], "no value was received; 1 call failed or got no answer."),
    ([silent, opened], "no value was received; 1 call failed or got no answer."),
    ([port, opened], "no value was asked for."), ([opened, port], "no value was asked for."),
    ([torn], "no value could be read."),
])
def test_who_gets_no_value_may_not_have_asked(tshark, tmp_path, steps, said):
    capture = Capture()
    for step in steps:
        step(capture)
    assert headline(tshark, capture, tmp_path) == CALLS + said


def older(capture, name="238"):
    peer = perfdata.Beside(capture, capture.connection(interface=WINREG), False)
    peer.open()
    return peer.connection, lambda: peer.connection.call(wire.QUERY_VALUE, wire.query_request(perfdata.HANDLE, name, 65536))


def names_of(capture):
    return older(capture, "Counter 009")


def newer(capture, before=lambda peer: None):
    peer = opened(capture)
    before(peer)
    return peer.connection, lambda: peer.poll(p.query_handle(1))


def denied(capture):
    return newer(capture, lambda peer: peer.enumerate(status=p.ACCESS_DENIED))


def lost(capture):
    return newer(capture, lambda peer: peer.poll(p.query_handle(1), bytes(100)) and capture.frames.pop())


BUSY = "2 faults, the first: {}: fault nca_s_server_too_busy (0x1c010014) in frame "
GONE = "2 calls, the first: {}: given up by the client in frame "
NONE, UNASKED = "asked for values, but received none; ", "answered, but no value was asked for; "
DENIED = "EnumerateCounterSet: ERROR_ACCESS_DENIED (0x00000005) in frame 6; "
LOST = "; no answer yet to QueryCounterData of frame 5, or it was not captured: segments of the server are missing"
IS_BUSY, NO_COUNTERS = "192.0.2.1 is too busy to take the call.", "192.0.2.2 gets no counters: "


@pytest.mark.parametrize(("begin", "is_fault", "state", "outcome", "found", "said"), [
    (newer, True, "no_value", NONE + BUSY + "6", [("error", "server_busy", 6)], NO_COUNTERS + IS_BUSY),
    (older, True, "no_value", NONE + BUSY + "6", [("error", "server_busy", 6)], NO_COUNTERS + IS_BUSY),
    (names_of, True, "reached", UNASKED + BUSY + "6", [("note", "server_busy", 6)], CALLS + "no value was asked for; 2 calls failed or got no answer."),
    (older, False, "no_value", NONE + GONE + "7", [("error", "left_before_answer", 7)], NO_COUNTERS + "192.0.2.1 did not answer before 192.0.2.2 gave up."),
    (denied, True, "no_value", NONE + DENIED + BUSY + "8", [("error", "server_busy", 8), ("error", "counters_denied", 6)], NO_COUNTERS + IS_BUSY),
    (lost, True, "no_value", NONE + BUSY + "7" + LOST, [("warning", "server_busy", 7)], CALLS + IS_BUSY),
])
def test_who_asks_in_vain_gets_no_counters(tshark, tmp_path, begin, is_fault, state, outcome, found, said):
    """The server is too busy, or the client gives up ([C706] 12.6.4.6, 12.6.4.8). The value may be in an answer that was not captured."""
    tmp_path.chmod(0o755)
    connection, ask = begin(capture := Capture())
    for _ in range(2):
        ask()
        for kind, body in [(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 0x1C010014, 0))] if is_fault else [(18, b""), (19, b"")]:
            connection.pdu(kind, body)
    tables = data_tables(tshark, capture.write(tmp_path / "vain.pcap"))
    (row,) = tables["sessions"]
    assert (row["state"], row["outcome"]) == (state, outcome.format("QueryValue" if begin in (older, names_of) else "QueryCounterData"))
    assert [(row["severity"], row["code"], row["frame"]) for row in tables["findings"]] == found
    assert tables["meta"][0]["headline"] == said


# [MS-ERREF] 2.3.1: statuses of a logon, and what they say in the words of manual/codes.md.
LOGONS = [(LOGON_FAILURE, "unknown user or wrong password"), (0xC0000234, "the account is locked"), (0xC0000072, "the account is disabled"),
          (0xC0000193, "the account has expired"), (0xC000006E, "the account may not log on this way")]


def winreg(capture, last, status=None, **options):
    """A client that opens winreg of this server, and gets the status; None: it asks no further."""
    smb = Smb(capture, server=f"192.0.2.{last}", **options)
    smb.set_up(MORE_PROCESSING, 0)
    smb.connect(0)
    smb.create()
    smb.created(status or 0)
    if status is None:
        smb.connection.end(0x11)


@pytest.mark.parametrize("servers", range(2, 1 + len(LOGONS)))
def test_reasons_beyond_three_are_counted(tshark, tmp_path, servers):
    """Each server lets the client open winreg at first, and then refuses its logon for a reason of its own."""
    capture = Capture()
    for last, (status, _) in enumerate(LOGONS[:servers], 11):
        winreg(capture, last, status)
    reasons = [f"192.0.2.{last} refuses the logon: {said}" for last, (_, said) in enumerate(LOGONS[:servers], 11)][:3]
    more = [f"and {servers - 3} more"] if servers > 3 else []
    assert headline(tshark, capture, tmp_path) == f"192.0.2.2 gets through to 0 of {servers} servers: {'; '.join(reasons + more)}."


def test_each_server_is_counted_once(tshark, tmp_path):
    """The first reason for each server that refuses. A server that works has no reason, and a server that refuses is not unknown."""
    first, _, second = (f"refuses the logon: {said}" for _, said in LOGONS[:3])
    capture = Capture()
    for last, (status, _) in enumerate(LOGONS[:2], 2):
        winreg(capture, 11, status, client=f"192.0.2.{last}")
    winreg(capture, 11, client="192.0.2.3")
    assert headline(tshark, capture, tmp_path) == f"2 clients get no counters: 192.0.2.11 {first}."
    polls(capture, FAILED)
    assert headline(tshark, capture, tmp_path) == f"2 clients get through to 1 of 2 servers: 192.0.2.11 {first}."
    winreg(capture, 12, LOGONS[2][0])
    opened(capture, server="192.0.2.12", client="192.0.2.3")
    winreg(capture, 12, client="192.0.2.3")
    assert headline(tshark, capture, tmp_path) == f"2 clients get through to 1 of 3 servers: 192.0.2.11 {first}; 192.0.2.12 {second}."
    winreg(capture, 13)
    opened(capture, server="192.0.2.14")
    winreg(capture, 14)
    assert headline(tshark, capture, tmp_path) == f"2 clients get through to 2 of 5 servers (unknown for 1): 192.0.2.11 {first}; 192.0.2.12 {second}."


def test_attempts_that_are_alike_are_counted_each(tshark, tmp_path):
    capture = Capture()
    for _ in range(3):
        Smb(capture).set_up(MORE_PROCESSING, LOGON_FAILURE)
    assert headline(tshark, capture, tmp_path) == "No client was seen asking for performance counters; 3 attempts ended too early to tell."
