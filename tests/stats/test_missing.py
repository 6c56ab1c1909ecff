# SPDX-License-Identifier: GPL-2.0-or-later
"""-z PROTOCOL,missing: what a client asked for and never received, why, and PDH's code."""

import struct

import pytest

from lib import perflibv2 as p
from lib.named_query import H, session
from lib.perfdata import Peer, answers, built, crafted
from lib.report import page_of
from lib.some import some
from lib.tables import data_tables, named_rows
from lib.wire import FAULT, Capture, align
from perfdata.block import Builder, Counter, Instance, Object

NO_OBJECT, NO_COUNTER = "0xC0000BB8 PDH_CSTATUS_NO_OBJECT", "0xC0000BB9 PDH_CSTATUS_NO_COUNTER"
NO_INSTANCE, INVALID_DATA = "0x800007D1 PDH_CSTATUS_NO_INSTANCE", "0xC0000BBA PDH_CSTATUS_INVALID_DATA"
NEGATIVE = "0x800007D8 PDH_CALC_NEGATIVE_VALUE"
BULK_COUNT = 0x10410500


def missing(tshark, path, protocol="perflibv2", options=()):
    """{what: (first frame, server, why, PDH's code, times)}; the client is the same in all."""
    rows = data_tables(tshark, path, *options).get(f"{protocol}-missing", [])
    assert len({row["asked_for"] for row in rows}) == len(rows)
    return {row["asked_for"]: (row["first_frame"], row["server"], row["reason"], row["pdh"] or "", row["times"]) for row in rows}


def test_nothing_is_missing(tshark, tmp_path):
    """All that was asked for came, and the table says nothing."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(p.block(1, p.value(5))))
    peer.close(H)
    assert missing(tshark, capture.write(tmp_path / "good.pcap")) == {}


def test_refused_identifiers_are_missing_with_their_status(tshark, tmp_path):
    """Which, and with what. One that is asked for again and accepted is not missing, nor is one that the query has (ERROR_ALREADY_EXISTS)."""
    asked = [p.identifier(1, "x"), p.identifier(7, "x"), p.identifier(2, "gone"), p.identifier(p.NONE, "*", guid=p.OTHER_SET),
             p.identifier(2, "late")]
    capture, peer = session()
    statuses = [0, 0x106A, 3, p.GUID_NOT_FOUND, 3]
    for again in range(2):
        answer = [item[:16] + status.to_bytes(4, "little") + item[20:] for item, status in zip(asked, statuses)]
        frame = peer.validate(H, *asked, returned=b"".join(answer))[0]
        first = frame if not again else first
        statuses = [0xB7, 0x106A, 3, p.GUID_NOT_FOUND, 0]
    found = missing(tshark, capture.write(tmp_path / "refused.pcap"))
    assert found == {
        "\\\\HOST\\First(x)\\counter 7": (first, "HOST", "ERROR_WMI_ITEMID_NOT_FOUND", NO_COUNTER, 2),
        "\\\\HOST\\First(gone)\\Writes": (first, "HOST", "ERROR_PATH_NOT_FOUND", NO_INSTANCE, 2),
        "\\\\HOST\\Second(*)\\*": (first, "HOST", "ERROR_WMI_GUID_NOT_FOUND", NO_OBJECT, 2),
    }


@pytest.mark.parametrize("status, why, code", [
    (None, "fault nca_s_server_too_busy", ""), (5, "ERROR_ACCESS_DENIED", "0xC0000BDB PDH_ACCESS_DENIED")])
def test_a_call_that_failed_brings_nothing(tshark, tmp_path, status, why, code):
    """Its identifiers have no status of their own: they did not come for the call's reason, and nothing is lost."""
    asked = [p.identifier(1, "x"), p.identifier(2, "y")]
    capture, peer = session(asked[0])
    peer.poll(H, p.data(p.block(1, p.value(5))))
    for _ in range(2):
        if status is None:
            sent = b"".join(asked)
            stub = align(H + struct.pack("<II", len(sent), len(sent)) + sent, 4) + struct.pack("<I", 1)
            frame = peer.call(7, stub)[0]
            peer.connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 0x1C010014, 0))
        else:
            frame = peer.validate(H, *asked, returned=b"", status=status)[0]
    found = missing(tshark, capture.write(tmp_path / "failed.pcap"))
    # Such a call was answered once, and x had a value.
    assert found == {"\\\\HOST\\First(y)\\Writes": (frame - 2, "HOST", why, code, 2)}


def test_blocks_without_values_and_blocks_that_are_not_there(tshark, tmp_path):
    """Two identifiers and one block; a block with an error, which is told though both came later."""
    identifiers = p.identifier(1, "x"), p.identifier(2, "y")
    capture, peer = session(*identifiers)
    frame = peer.poll(H, p.data(p.block(1, p.value(5))))[1]
    assert missing(tshark, capture.write(tmp_path / "one.pcap"))["blocks of query 1"] == (frame, "HOST", "1 block for 2 identifiers", "", 1)

    capture, peer = session(*identifiers, mapped=[0, 1])
    frame = peer.poll(H, p.data(p.block(1, p.value(5)), p.block(0, status=p.INSTANCE_NOT_FOUND)))[1]
    assert missing(tshark, capture.write(tmp_path / "error.pcap")) == {
        "\\\\HOST\\First(y)\\Writes": (frame, "HOST", "block without values: ERROR_WMI_INSTANCE_NOT_FOUND", NO_INSTANCE, 1)}
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    assert missing(tshark, capture.write(tmp_path / "once.pcap")).keys() == {"\\\\HOST\\First(y)\\Writes"}


def test_counters_that_never_got_a_value(tshark, tmp_path):
    """Of three rates one gets a value, one only decreases, one is new in the second of two polls."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, BULK_COUNT)]))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Rate")]))
    peer.mapped(H, p.identifier(1, "*"))
    frames = []
    for number, rows in enumerate(([("a", 10), ("b", 10)], [("a", 20), ("b", 5), ("c", 1)])):
        block = p.block(4, p.multi_instances([p.instance(name, id) + p.value(value, 8) for id, (name, value) in enumerate(rows)]))
        data = p.data(block, time=p.TIME + number * 10_000_000)
        data = data[:8] + (1000 + number * 10_000_000).to_bytes(8, "little") + data[16:]
        frames.append(peer.poll(H, data)[1])
    path = capture.write(tmp_path / "rates.pcap")
    assert missing(tshark, path) == {
        "\\\\HOST\\Set(b)\\Rate": (frames[1], "HOST", "counter decreased", NEGATIVE, 1),
        "\\\\HOST\\Set(c)\\Rate": (frames[1], "HOST", "instance new", INVALID_DATA, 1),
    }
    one = missing(tshark, path, options=["-Y", f"frame.number <= {frames[0]}"])
    assert one.keys() == missing(tshark, path).keys()       # a filter for display is none for the table


def test_failed_calls_and_faults(tshark, tmp_path):
    """A probe for the size is followed by the call that succeeds; a call that fails for good is missing."""
    capture, peer = session(p.identifier(1, "x"))
    peer.poll(H, b"", in_size=0, needed=80, status=p.NOT_ENOUGH_MEMORY)
    peer.poll(H, p.data(p.block(1, p.value(5))))
    frame = peer.instances(guid=p.OTHER_SET, status=p.INSTANCE_NOT_FOUND)[0]
    assert missing(tshark, capture.write(tmp_path / "failed.pcap")) == {
        f"EnumerateCounterSetInstances, {{{p.OTHER_SET}}}": (frame, "HOST", "ERROR_WMI_INSTANCE_NOT_FOUND", NO_INSTANCE, 1)}


def test_a_call_that_fails_is_called_by_what_it_asks_for(tshark, tmp_path):
    """A query's number, or the counterset and the code and LCID of a registration. Each was refused, and never answered otherwise."""
    capture, peer = session()
    refused = {"status": p.ACCESS_DENIED}
    calls = {
        "EnumerateCounterSet": lambda: peer.enumerate(guids=(), **refused),
        f"EnumerateCounterSetInstances, {{{p.SET}}}": lambda: peer.instances(**refused),
        f"QueryCounterSetRegistrationInfo, {{{p.SET}}}, code 2 (5)": lambda: peer.registration(2, b"", lcid=5, **refused),
        f"QueryCounterSetRegistrationInfo, {{{p.SET}}}, code 8 (0)": lambda: peer.registration(8, b"", **refused),
        "QueryCounterInfo, query 1": lambda: peer.info(H, **refused),
        "QueryCounterData, query 1": lambda: peer.poll(H, b"", **refused),
        "CloseQueryHandle, query 1": lambda: peer.close(H, **refused),
    }
    frames = {what: call()[0] for what, call in calls.items()}
    assert missing(tshark, capture.write(tmp_path / "refused.pcap")) == {
        what: (frame, "HOST", "ERROR_ACCESS_DENIED", "0xC0000BDB PDH_ACCESS_DENIED", 1) for what, frame in frames.items()}


@pytest.mark.parametrize("blocks, why", [(0, "0 blocks for 3 identifiers"), (1, "1 block for 3 identifiers"), (2, "2 blocks for 3 identifiers"),
                                         (3, None), (4, None)])
def test_a_poll_has_at_least_a_block_an_identifier(tshark, tmp_path, blocks, why):
    capture, peer = session(p.identifier(1, "x"), p.identifier(2, "y"), p.identifier(1, "z"))
    peer.poll(H, p.data(*[p.block(1, p.value(5))] * blocks))
    found = missing(tshark, capture.write(tmp_path / "blocks.pcap"))
    assert found.get("blocks of query 1", (0, 0, None))[2] == why


@pytest.mark.parametrize("other", [None, 0, 1, 2])
def test_an_answer_with_other_identifiers_leaves_their_number_unknown(tshark, tmp_path, other):
    """Where it returns all as they were sent, each of them wants a block."""
    asked = [p.identifier(1, "x"), p.identifier(2, "y"), p.identifier(1, "z")]
    returned = [p.identifier(2, "other") if number == other else item for number, item in enumerate(asked)]
    capture, peer = session()
    peer.validate(H, *asked, returned=b"".join(returned))
    peer.poll(H, p.data(p.block(1, p.value(5))))
    found = missing(tshark, capture.write(tmp_path / "other.pcap"))
    assert [row[2] for what, row in found.items() if what == "blocks of query 1"] == (["1 block for 3 identifiers"] if other is None else [])


@pytest.mark.parametrize("at", [0, 1, 2])
def test_each_block_with_an_error_is_missing(tshark, tmp_path, at):
    """By its counter and instance where the index map says them, else by its number."""
    identifiers = p.identifier(1, "x"), p.identifier(2, "y", guid=p.OTHER_SET), p.identifier(9, "z", guid=p.OTHER_SET)
    paths = "\\\\HOST\\First(x)\\Reads", "\\\\HOST\\Second(y)\\Writes", "\\\\HOST\\Second(z)\\Errors"
    for mapped, what in (([0, 1, 2], paths[at]), (None, f"block {at} of query 1")):
        capture, peer = session(*identifiers, mapped=mapped)
        blocks = [p.block(1, p.value(5))] * 3
        blocks[at] = p.block(0, status=p.INSTANCE_NOT_FOUND)
        frame = peer.poll(H, p.data(*blocks))[1]
        assert missing(tshark, capture.write(tmp_path / "error.pcap"))[what] == (
            frame, "HOST", "block without values: ERROR_WMI_INSTANCE_NOT_FOUND", NO_INSTANCE, 1)


@pytest.mark.parametrize("added", [1, 2], ids=["another was added", "it was added"])
def test_a_removed_identifier_is_not_missing(tshark, tmp_path, added):
    """ValidateCounters without dwAdd asks for nothing, and refusing that leaves nothing out."""
    item = p.identifier(2, "y")
    capture, peer = session(p.identifier(added, "y"))
    peer.poll(H, p.data(p.block(1, p.value(5))))
    peer.validate(H, item, add=0, returned=item[:16] + (3).to_bytes(4, "little") + item[20:])
    assert missing(tshark, capture.write(tmp_path / "removed.pcap")) == {}


# What is said of answers that the capture does not hold, or not as a whole.
LOST = ("not captured", "no complete answer in the capture", "counter not captured", "return code not captured")


def test_an_answer_that_is_not_captured_is_nobodys_fault(tshark, tmp_path):
    """Each frame of a session left out in turn: what is then said of the server's answers is said of the whole, too."""
    identifiers = p.identifier(1, "x"), p.identifier(2, "gone")
    capture, peer = session(*identifiers)
    answer = identifiers[1][:16] + (3).to_bytes(4, "little") + identifiers[1][20:]
    peer.validate(H, identifiers[1], returned=answer)
    for value in 1, 2:
        peer.poll(H, p.data(p.block(1, p.value(value)), p.block(1, p.value(value))))
    frames = list(capture.frames)
    whole = missing(tshark, capture.write(tmp_path / "whole.pcap"))
    reasons = {(what, row[2]) for what, row in whole.items()}
    assert not any(why.startswith(LOST) for _, why in some(reasons))
    lost = 0
    for left_out in range(len(frames)):
        capture.frames = frames[:left_out] + frames[left_out + 1:]
        for what, row in missing(tshark, capture.write(tmp_path / f"{left_out}.pcap")).items():
            # Without the names where it is they that are left out.
            what = what.replace(f"{{{p.SET}}}", "First").replace("counter 1", "Reads").replace("counter 2", "Writes")
            assert row[2].startswith(LOST) or (what, row[2]) in reasons, (left_out, what, row)
            lost += row[2].startswith(LOST)
    assert lost > 3


def objects(seconds, *indexes):
    return built(*(Object(index, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance("", [1])][0]) for index in indexes), seconds=seconds)


def test_titles_no_answer_held(tshark, tmp_path):
    """"230 99998": one object comes, and nobody says that the other did not. Index 1450 comes with the second answer."""
    peer = Peer()
    peer.query("230 99998 1450 230", objects(1, 230))
    peer.query("230 99998 1450 230", objects(2, 230, 1450))
    peer.query("Global", objects(3, 230))
    path = peer.write(tmp_path / "titles.pcapng")
    (row,) = missing(tshark, path, "perfdata").items()
    what, (_, server, why, code, times) = row
    assert (what, server, why, code, times) == ("object 99998", "PC", "no such object in the answer", NO_OBJECT, 2)
    first, second, third = answers(tshark, path)
    assert [answer.tells("not_answered") for answer in (first, second, third)] == [1, 1, 0]
    assert [message.partition(" (")[0] for message in first.find("message")] == ["Requested, but not in the answer: 99998, 1450"]
    assert second.find("message") == ["Requested, but not in the answer: 99998"]


@pytest.mark.parametrize("data", [None, objects(1, 230)[:80]], ids=["none", "cut"])
def test_titles_of_an_answer_that_is_not_whole(tshark, tmp_path, data):
    """Nothing is said of objects that may have stood behind where the block ends."""
    peer = Peer()
    peer.query("230 99998", data) if data else peer.query("230 99998", b"", error=5)
    path = peer.write(tmp_path / "cut.pcapng")
    found = missing(tshark, path, "perfdata")
    assert not any("object" in what for what in found)
    assert not any(answer.tells("not_answered") for answer in some(answers(tshark, path)))


def test_a_row_for_each_reason_and_counterset(tshark, tmp_path):
    """One poll of an object with two counters and three instances: six counters, one row, behind the object that does not exist."""
    def read(seconds):
        return built(Object(230, [Counter(6, "PERF_COUNTER_COUNTER"), Counter(8, "PERF_COUNTER_COUNTER")],
                            [Instance(name, [1, 2]) for name in ("a", "b", "c")]), seconds=seconds)

    peer = Peer()
    peer.query("230 99998", read(1))
    path = peer.write(tmp_path / "one.pcapng")
    first, second = named_rows(tshark.run(path, "-q", "-z", "perfdata,missing"))
    assert (first["Asked for"], first["Counters"], first["Times"]) == ("object 99998", "0", "1")
    assert (second["Why not received"], second["Counters"], second["Instances"], second["Times"]) == ("first sample", "2", "3", "6")
    assert second["Asked for"].count("\\\\PC\\") == 3 and second["Asked for"].endswith(" and 3 more")
    rows = data_tables(tshark, path)["perfdata-missing"]
    assert [(row["kind"], row["reason_code"], row["group"]) for row in rows] == [
        ("object", "no_object", 1), *[("counter", "first_sample", 2)] * 6]
    assert {(row["counterset_id"], row["instance"], row["counter_id"]) for row in rows[1:]} == {
        ("230", instance, counter) for instance in "abc" for counter in (6, 8)}
    # With a second poll all have a value.
    peer.query("230 99998", read(2))
    rows = data_tables(tshark, peer.write(tmp_path / "two.pcapng"))["perfdata-missing"]
    assert [(row["kind"], row["times"]) for row in rows] == [("object", 2)]


def test_what_pdh_refuses_is_told_though_other_polls_had_a_value(tshark, tmp_path):
    """A rate whose counter goes down once between others: one row, with PDH's code, and the headline does not say that nothing is wrong."""
    peer = Peer()
    for seconds, value in enumerate((10, 20, 5, 15), start=1):
        peer.query("230", built(Object(230, [Counter(6, "PERF_COUNTER_COUNTER")], [Instance("a", [value])]), seconds=seconds))
    tables = data_tables(tshark, peer.write(tmp_path / "reset.pcapng"))
    (row,) = tables["perfdata-missing"]
    assert (row["reason_code"], row["pdh_code"], row["times"], row["counter_id"]) == ("refused_by_pdh", 0x800007D8, 1, 6)
    assert [(finding["code"], finding["frame"]) for finding in tables["findings"]] == [("refused_by_pdh", row["first_frame"])]
    assert "nothing is wrong" not in tables["meta"][0]["headline"]


def test_what_another_machine_shows_is_not_told_of_the_server_that_passes_it_on(tshark, tmp_path):
    """The server of the row and of the finding is that of the other tables, the machine that the block names."""
    peer = Peer()
    for seconds, own, passed_on in (1, 10, 20), (2, 20, 10):
        for name, machine, value in ("230", "RELAY", own), ("Foreign FARAWAY 230", "FARAWAY", passed_on):
            data = Builder(machine, crafted.clock(seconds), [Object(230, [Counter(6, "PERF_COUNTER_COUNTER")], [Instance("a", [value])])]).data
            peer.query(name, data)
    peer.query("Foreign OTHER", b"", error=5)
    tables = data_tables(tshark, peer.write(tmp_path / "foreign.pcapng"))
    assert [(row["server"], row["reason_code"], row["asked_for"]) for row in tables["perfdata-missing"]] == [
        ("FARAWAY", "refused_by_pdh", "\\\\FARAWAY\\Process(a)\\% Processor Time"), ("RELAY", "error", 'value "Foreign OTHER"')]
    (found,) = [finding for finding in tables["findings"] if finding["code"] == "refused_by_pdh"]
    assert found["server"] == "FARAWAY" and found["what"].startswith("1 counter sometimes had no value: FARAWAY sent")
    (denied,) = [finding for finding in tables["findings"] if finding["code"] == "denied_at_times"]
    assert denied["what"] == f"RELAY ({crafted.SERVER}) answers, but once it denies access to a call"
    assert {counter["server"] for counter in tables["perfdata-counters"]} == {"RELAY", "FARAWAY"}


def test_each_finding_is_of_one_client_and_one_server(tshark, tmp_path):
    """Two clients of one machine, and two machines of one client: each has a counter without a formula, and a value that it does not get."""
    one = Peer()
    peers = [("PC", crafted.CLIENT, one), ("PC", "192.0.2.77", Peer(other=one, client=("192.0.2.77", 50000))),
             ("FAR", crafted.CLIENT, Peer(other=one, client=(crafted.CLIENT, 50001), server=("192.0.2.99", crafted.PORT)))]
    for seconds in 1, 2:
        for number, (machine, _, peer) in enumerate(peers, start=5000):
            counters = [Counter(7000, "PERF_COUNTER_HISTOGRAM_TYPE"), Counter(7002, "PERF_COUNTER_RAWCOUNT")]
            peer.query(f"{number}", Builder(machine, crafted.clock(seconds), [Object(number, counters, Instance("", [1, 1]))]).data)
            if seconds == 1:
                peer.query(f"9{number}", b"", error=1117)
    path = one.write(tmp_path / "peers.pcapng")
    rows = data_tables(tshark, path)["findings"]
    # The page shows each problem once.
    assert [(finding["what"], len(finding["places"])) for finding in page_of(tshark, path).findings] == [
        ("Counters never had a value: each of 2 servers uses a type without a documented formula", 3), ("Other requests got no result", 3)]
    assert [(row["code"], row["machine"], row["client"], row["what"], row["detail"], row["who"]) for row in rows] == [
        *[("no_formula", machine, client, f"1 counter never had a value: {machine} uses a type without a documented formula",
           f"\\\\{machine}\\{number}\\7000: type unknown (no formula)", f"whoever runs {client}")
          for number, (machine, client, _) in enumerate(peers, start=5000)],
        *[("others_missing", machine, client, "1 other request got no result", f'The first: value "9{number}": ERROR_IO_DEVICE', None)
          for number, (machine, client, _) in enumerate(peers, start=5000)]]


def test_object_without_instances_is_a_row_until_it_has_one(tshark, tmp_path):
    """It came, and has nothing to show: a row until it has an instance, and the headline does not say that nothing is wrong."""
    def read(seconds, *names):
        return built(Object(230, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance(name, [1]) for name in names]), seconds=seconds)

    peer = Peer()
    for seconds in 1, 2:
        peer.query("230", read(seconds))
    tables = data_tables(tshark, peer.write(tmp_path / "none.pcapng"))
    (row,) = tables["perfdata-missing"]
    assert (row["kind"], row["reason_code"], row["counterset_id"], row["times"]) == ("object", "no_instances", "230", 2)
    assert [finding["code"] for finding in tables["findings"] if "230" in finding["what"] + (finding["detail"] or "")] == ["no_instances"]
    assert "nothing is wrong" not in tables["meta"][0]["headline"]
    peer.query("230", read(3, "a"))
    assert "perfdata-missing" not in data_tables(tshark, peer.write(tmp_path / "later.pcapng"))
