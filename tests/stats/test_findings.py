# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,findings: each finding is told of who made it, and none of what the end of the capture made."""

import collections
import re
import struct

import pytest

from lib import perfdata, perflibv2 as p
from lib.captures import CAPTURES, options_for
from lib.lossy import frames_of, moved
from lib.pcap import ETHERNET, write_pcap
from lib.some import some
from lib.tables import data_tables, table_sentences
from lib.wire import FAULT, Capture
from perfdata.block import Counter, Instance, Object
from stats.test_sessions import FIN

MORE_DATA = 0xEA


def findings(tshark, path, *options):
    """(code, frame, client, what and its details) of each finding, and what the table says below."""
    rows = data_tables(tshark, path, *options).get("findings", [])
    verdict = " ".join(table_sentences(tshark.run(path, *options, "-q", "-z", "perflib,findings")))
    return [(row["code"], row["frame"], row["client"], f"{row['what']}: {row['detail']}") for row in rows], verdict


def codes(tshark, path, *options):
    return [code for code, *_ in findings(tshark, path, *options)[0]]


def value(number=1):
    return perfdata.built(Object(238, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance("0", [number])]), seconds=number)


@pytest.mark.parametrize("closed", [False, True])
def test_the_capture_ends_after_the_bind(tshark, tmp_path, closed):
    """Only a client that closed the connection has stopped."""
    capture = Capture()
    connection = capture.connection()
    if closed:
        connection.end(FIN)
    assert codes(tshark, capture.write(tmp_path / "bind.pcap")) == ["nothing_followed"] * closed


@pytest.mark.parametrize("times, closed, told", [(1, False, []), (3, False, []), (1, True, ["more_data"]), (12, False, ["more_data", "buffer_too_small"])])
def test_the_capture_ends_after_more_data(tshark, tmp_path, times, closed, told):
    """A client may still ask with more room, unless it has closed the connection, or asked ever so often."""
    peer = perfdata.Peer()
    for _ in range(times):
        peer.query("238", None, error=MORE_DATA)
    if closed:
        peer.connection.close()
    found, verdict = findings(tshark, peer.write(tmp_path / "more.pcapng"))
    assert [code for code, *_ in found if code != "buffer_too_small" or told] == told, (found, verdict)


@pytest.mark.parametrize("sender, flags, told", [(0, 0x11, "left_before_answer"), (1, 0x11, "server_closed"), (1, 0x14, "server_closed")])
@pytest.mark.parametrize("times", [1, 3])
def test_the_connection_breaks_after_more_data(tshark, tmp_path, sender, flags, told, times):
    """The client asked with more room and waited: who broke the connection is to blame, not the client's buffers."""
    peer = perfdata.Peer()
    for _ in range(times):
        peer.query("238", None, error=MORE_DATA)
    peer.connection.request(perfdata.wire.QUERY_VALUE, perfdata.wire.query_request(perfdata.HANDLE, "238", 1 << 20))
    peer.connection.segment(sender, flags)
    found, verdict = findings(tshark, peer.write(tmp_path / "more.pcapng"))
    assert [code for code, *_ in found if code != "buffer_too_small"] == [told], (found, verdict)
    assert "larger" not in verdict and "can hold" not in verdict


def test_the_last_call_is_open(tshark, tmp_path):
    """Its answer may come: it is told in the table as that, and nowhere as something that never came."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.call(0, b"")
    path = capture.write(tmp_path / "open.pcap")
    assert codes(tshark, path) == []
    (row,) = data_tables(tshark, path)["perflibv2-missing"]
    assert (row["reason_code"], row["reason"]) == ("open", "no complete answer yet")
    capture.wait(20_000)
    p.Peer(capture, server="192.0.2.99")
    assert codes(tshark, capture.write(tmp_path / "late.pcap")) == ["no_answer"]


@pytest.mark.parametrize("is_before", [False, True])
def test_denial_beside_success_blames_no_group(tshark, tmp_path, is_before):
    """The account has the right group, as its other calls show."""
    peer = perfdata.Peer()
    answers = [(value(1), 0), (value(2), 0)]
    answers.insert(0 if is_before else 2, (None, p.ACCESS_DENIED))
    for data, error in answers:
        peer.query("238", data, error=error)
    (found,), _ = findings(tshark, peer.write(tmp_path / "denied.pcapng"))
    assert found[0] == "denied_at_times" and "QueryValue: ERROR_ACCESS_DENIED" in found[3]
    rows = data_tables(tshark, tmp_path / "denied.pcapng")["findings"]
    assert not any("Performance Monitor Users" in row["remedy"] for row in some(rows))


def test_privacy_is_demanded_by_perflibv2_alone(tshark, tmp_path):
    """[MS-PCQ] 3.1.4; the older API knows no such rule."""
    peer = perfdata.Peer()
    peer.query("238", None, error=p.ACCESS_DENIED)
    (row,) = data_tables(tshark, peer.write(tmp_path / "denied.pcapng"))["findings"]
    assert "Performance Monitor Users" in row["remedy"] and "privacy" not in row["remedy"]


@pytest.mark.parametrize("name, fault", [("faults-smb2", "object_lost"), ("faults-smb1", "object_lost"), ("faults-samba", "server_busy")])
def test_faults_in_clear_beside_sealed_calls(tshark, name, fault):
    """Without any key: a fault is never sealed."""
    found, verdict = findings(tshark, CAPTURES / f"{name}.pcapng")
    assert {"sealed", fault} <= {code for code, *_ in found}
    assert "you need a key to read them; " in verdict and "failed or got no answer" in verdict


def test_sealed_registry_of_others(tshark, tmp_path):
    """The operation that opens a root key stands in clear. Who opens others only does not poll."""
    tmp_path.chmod(0o755)
    frames = frames_of(CAPTURES / "perfdata-samba-sealed.pcapng", tmp_path)
    found, verdict = findings(tshark, write_pcap(tmp_path / "others.pcap", frames[:44], ETHERNET))
    assert found == [] and verdict.startswith("127.0.0.1 (client) calls 127.0.0.1 (server), but not for performance counters.")
    found, verdict = findings(tshark, write_pcap(tmp_path / "ours.pcap", frames[:60], ETHERNET))
    assert [code for code, *_ in found] == ["sealed"] and verdict.startswith("127.0.0.1 (client) polls 127.0.0.1 (server); the answers are encrypted")


def test_sealed_questions_about_a_key_are_no_polls(tshark, tmp_path):
    """QueryInfoKey (opnum 16, [MS-RRP] 3.1.5.16) returns no values: QueryValue (17) is made that in all requests."""
    tmp_path.chmod(0o755)
    request = re.compile(rb"(\x05\x00\x00.\x10\x00\x00\x00.{14})\x11\x00", re.DOTALL)
    frames = [(time, request.sub(lambda found: found[1] + b"\x10\x00", frame))
              for time, frame in frames_of(CAPTURES / "perfdata-samba-sealed.pcapng", tmp_path)[:60]]
    path = write_pcap(tmp_path / "info.pcap", frames, ETHERNET)
    assert "QueryInfoKey" in tshark.run(path, "-q", "-z", "perfdata,queries")
    assert findings(tshark, path)[1].startswith("127.0.0.1 (client) calls 127.0.0.1 (server); the answers are encrypted")


def test_an_expert_item_is_never_nothing(tshark, tmp_path):
    """A damaged answer that no other finding tells of."""
    peer = perfdata.Peer()
    for number in (1, 2, 3):
        data = bytearray(value(number))
        if number == 3:
            struct.pack_into("<I", data, 24, len(data) + 100)      # TotalByteLength of PERF_DATA_BLOCK, beyond the data
        peer.query("238", bytes(data))
    found, verdict = findings(tshark, peer.write(tmp_path / "damaged.pcapng"))
    assert found and "nothing is wrong" not in verdict, (found, verdict)


def test_names_are_damaged_in_the_answer(tshark, tmp_path):
    peer = perfdata.Peer()
    names = ["2", "System", "", "5000", "Types", ""]
    _, answer = peer.query("Counter 009", "".join(name + "\0" for name in names).encode("utf-16-le"), kind=7)
    found, _ = findings(tshark, peer.write(tmp_path / "names.pcapng"))
    assert [(code, frame) for code, frame, *_ in found] == [("names_damaged", answer)]


@pytest.mark.parametrize("interval, slow, usual, told", [
    (2000, 500, 1, []), (2000, 1500, 1, []), (2000, 3000, 1, ["slow"]),
    (200, 150, 1, []), (200, 300, 1, ["slow"]),             # polls within a second
    (1, 300, 300, []), (1, 30, 5, []), (1, 600, 300, []),   # polls without a pause: no interval of the client's own
    (1, 3000, 3000, ["slow"]), (1, 3200, 3000, ["slow"]),   # every poll is slow
    (5000, 4000, 4000, []),                                 # each takes long, but the client waits longer
])
def test_a_poll_slower_than_its_interval(tshark, tmp_path, interval, slow, usual, told):
    """Milliseconds: polled so often; one answer takes longer than the others. The client waits for each."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(p.query_handle(1), p.identifier(1))
    passed = 0
    for at in range(6):
        taken = slow if at == 4 else usual
        passed += taken
        peer.call(6, p.query_handle(1) + struct.pack("<I", 4096))
        capture.wait(taken)
        answer = p.data(p.block(1, p.value(at)), time=p.TIME + passed * 10_000)
        peer.connection.response(peer._answer(answer, 4096, None, None, 0))
        capture.wait(max(1, interval - taken))
        passed += max(1, interval - taken)
    assert [code for code in codes(tshark, capture.write(tmp_path / "slow.pcap")) if code != "polls_late"] == told


def test_what_stops_a_client_is_told_once(tshark, tmp_path):
    """The call that never came is what the first finding tells of."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.call(0, b"")
    peer.connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 5, 0))
    peer.connection.end(FIN)
    assert codes(tshark, capture.write(tmp_path / "fault.pcap")) == ["call_denied"]


@pytest.mark.parametrize(("server", "client", "denier", "caller"), [
    ("192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.2"), ("192.0.2.1", "192.0.2.1", "192.0.2.1 (server)", "192.0.2.1 (client)")])
def test_client_and_server_at_one_address(tshark, tmp_path, server, client, denier, caller):
    """Sentences tell them apart. Commands and columns have the address alone."""
    capture = Capture()
    peer = p.Peer(capture, machine="", server=server, client=client)
    peer.call(0, b"")
    peer.connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 5, 0))
    peer.connection.end(FIN)
    peer = p.Peer(capture, machine="", server="192.0.2.7", client="192.0.2.7")
    peer.mapped(p.query_handle(1))
    peer.validate(p.query_handle(1), p.identifier(1), returned=p.identifier(1, status=p.GUID_NOT_FOUND))
    rows = {row["code"]: row for row in data_tables(tshark, capture.write(tmp_path / "one.pcap"))["findings"]}
    row = rows["call_denied"]
    assert (row["what"], row["who"], row["machine"], row["client"]) == \
        (f"{denier} denies access to the call", f"the administrator of {denier}", server, client)
    assert f"{caller} must also authenticate" in row["remedy"]
    assert "running on 192.0.2.7 (server). Compare with typeperf -q -s 192.0.2.7." in rows["no_counterset"]["remedy"]


def test_commands_for_several_servers_name_none(tshark, tmp_path):
    capture = Capture()
    for last in (7, 8):
        peer = p.Peer(capture, machine="", server=f"192.0.2.{last}")
        peer.mapped(p.query_handle(last))
        peer.validate(p.query_handle(last), p.identifier(1), returned=p.identifier(1, status=p.GUID_NOT_FOUND))
    page = tshark.run(capture.write(tmp_path / "two.pcap"), "-q", "-z", "perflib,report,-")
    assert "running on each of 2 servers. Compare with typeperf -q -s SERVER." in page


def test_a_base_that_is_not_known(tshark, tmp_path):
    """Without the answer that says what the counters are (frame 11) the base is not known: the client may well have asked for it."""
    tmp_path.chmod(0o755)
    frames = frames_of(CAPTURES / "locale.pcapng", tmp_path)
    found = codes(tshark, write_pcap(tmp_path / "lost.pcap", frames[:10] + frames[11:], ETHERNET))
    assert "type_unknown" in found and "no_base" not in found


def test_a_removal_that_was_not_captured(tshark, tmp_path):
    """Who seems to poll a counter twice may have removed it from one query, in a frame that the capture lacks."""
    tmp_path.chmod(0o755)
    frames = frames_of(CAPTURES / "sealed-no-key-exchange.pcapng", tmp_path)
    lost = [frame for number, frame in enumerate(frames, 1) if number not in (69, 80, 102)]
    found, _ = findings(tshark, write_pcap(tmp_path / "lost.pcap", lost, ETHERNET), *options_for(CAPTURES / "sealed-no-key-exchange.pcapng"))
    assert {code for code, *_ in found} <= {"segments_missing", "first_sample", "not_captured", "others_missing"}, found


def test_a_cut_frame_of_others(tshark, tmp_path):
    """It takes nothing from what is said of whole ones."""
    tmp_path.chmod(0o755)
    frames = frames_of(CAPTURES / "locale.pcapng", tmp_path)
    whole = codes(tshark, write_pcap(tmp_path / "whole.pcap", frames, ETHERNET))
    time, frame = frames[10]
    stranger = (time, moved(frame, 9)[:100], len(frame))
    cut = codes(tshark, write_pcap(tmp_path / "cut.pcap", [*frames[:11], stranger, *frames[11:]], ETHERNET))
    assert "others_missing" in whole and sorted(cut) == sorted([*whole, "frames_cut"])


# --- The findings say what the tables say, of every sample ---

NAMES = sorted(path.stem for path in CAPTURES.glob("*.pcapng"))


def number_in(text, pattern):
    """The number that a headline says, 0 if it does not."""
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def things_in(row):
    """How many things a finding about missing data is about, by what it says, and by its details: "PATH, and 7 more: REASON"."""
    count = number_in(row["what"], r"^(\d+) ")
    assert count == 1 + number_in(row["detail"], r", and (\d+) more: "), row
    return count


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_those_of_the_tables(tshark, name):
    path = CAPTURES / f"{name}.pcapng"
    options = options_for(path)
    tables = data_tables(tshark, path, *options)
    verdict = " ".join(table_sentences(tshark.run(path, *options, "-q", "-z", "perflib,findings")))
    found, attempts = tables.get("findings", []), tables.get("sessions", [])
    missing = tables.get("perflibv2-missing", []) + tables.get("perfdata-missing", [])

    # Attempts: one that stopped and that no later one followed has an error, and no other has one.
    errors = {(row["client"], row["server"]) for row in found if row["severity"] == "error"}
    stopped = {(row["client"], row["server"]) for row in attempts if row["state"] in ("stopped", "no_value")
               and "worked" not in row["outcome"] and row["outcome_code"] not in ("encrypted", "capture_ended")}
    assert errors == stopped
    # Missing data: of each reason as many counters and objects as there are rows.
    told = collections.Counter()
    for row in found:
        for reason in {thing["reason"] for thing in missing}:
            if f": {reason}" in (row["detail"] or "") and re.match(r"\d+ (counter|object|list)s? ", row["what"]):
                told[reason, row["machine"]] += things_in(row)
    rows = collections.Counter((thing["reason"], thing["server"]) for thing in missing if thing["kind"] in ("counter", "object"))
    broken = {f"perflibv2.rule.{row['rule']}" for row in tables.get("perflibv2-rules", []) if row["verdict"] == "broken"}
    for (reason, server), count in rows.items():
        # Consequences of a broken rule have no finding of their own; the headline counts them.
        assert broken or sum(number for (text, _), number in told.items() if text == reason) >= count, (reason, server)
    # Rules: those that are broken, each once.
    assert {row["filter"] for row in found if row["code"] == "rule_broken"} == broken
    # The detail says what is wrong, not what would be right.
    required = {f"perflibv2.rule.{row['rule']}": row["holds"] for row in tables.get("perflibv2-rules", [])}
    assert not [row for row in found if row["code"] == "rule_broken" and required[row["filter"]] in row["detail"]]
    # The headline's numbers.
    if "; " in verdict and "sealed" not in verdict and "through" not in verdict and "fail: " not in verdict:
        kinds = collections.Counter(thing["kind"] if thing["reason_code"] != "refused_by_pdh" else "refused" for thing in missing)
        assert number_in(verdict, r"; (\d+) counters? never had") == kinds["counter"], verdict
        assert number_in(verdict, r"; (\d+) objects? had no data") == kinds["object"], verdict
        assert number_in(verdict, r"; (\d+) counters? had values that") == kinds["refused"], verdict
        assert number_in(verdict, r"; (\d+) rules? of") == len(broken), verdict
    reached = {row["server"] for row in attempts if row["state"] in ("works", "sealed")}
    reached |= {row["server"] for row in attempts if row["state"] == "reached"} - {server for _, server in errors}
    if "through to" in verdict:
        assert number_in(verdict, r"through to (\d+) of") == len(reached), verdict
    # Nothing is wrong only where no table says anything else.
    if "nothing is wrong" in verdict:
        assert not found and not missing and not broken and {row["state"] for row in attempts} <= {"works", "found", "reached"}


@pytest.mark.parametrize("name", ["faults-tcp", "foreign", "sealed-two-contexts"])
def test_the_protocol_that_reads_binds_is_disabled(tshark, name):
    """No peer is judged, nor the capture, by what the plugin was told not to read."""
    capture = CAPTURES / f"{name}.pcapng"
    options = [*options_for(capture), "--disable-protocol", "perflib_session"]
    found, verdict = findings(tshark, capture, *options)
    assert [code for code, *_ in found] == ["session_disabled"] and "perflib_session" in verdict
    output = tshark.run(capture, *options, "-q", "-z", "perflibv2,sessions")
    assert "The protocol perflib_session is disabled" in output
    assert not any(text in output for text in ("is not in the capture", "begins later", "no key helps"))


@pytest.mark.parametrize("name", ["faults-samba", "sealed-tcp", "sealed-spnego-samba", "sealed-big-frames", "both-apis", "habits",
                                  "sealed-multi-pdu", "perfdata-samba", "pla-session", "segments", "big-endian"])
def test_fragments_are_not_reassembled(tshark, name):
    """Wireshark hands over the first fragment as if it were the stub. Its end is no return code, and no peer's fault."""
    capture = CAPTURES / f"{name}.pcapng"
    whole, _ = findings(tshark, capture, *options_for(capture))
    off, _ = findings(tshark, capture, *options_for(capture), "-o", "dcerpc.reassemble_dcerpc:FALSE")
    assert {code for code, *_ in off} <= {code for code, *_ in whole} | {"fragmented"}
    tables = data_tables(tshark, capture, *options_for(capture), "-o", "dcerpc.reassemble_dcerpc:FALSE")
    works = [row for row in some(tables["sessions"]) if row["state"] == "works"]
    assert works or "works" not in tables["meta"][0]["headline"], tables["meta"]
    assert not any("no_value" in row["state"] for row in tables["sessions"])


def test_answers_in_fragments_that_are_not_read(tshark):
    """The values may be in them: one finding says which preference to switch on, and the sessions say so."""
    capture = CAPTURES / "sealed-big-frames.pcapng"
    tables = data_tables(tshark, capture, *options_for(capture), "-o", "dcerpc.reassemble_dcerpc:FALSE")
    (finding,) = tables["findings"]
    assert finding["code"] == "fragmented" and "dcerpc.reassemble_dcerpc" in finding["remedy"] and finding["server"] is None
    assert {row["outcome_code"] for row in some(tables["sessions"])} == {"fragmented"}
    lacking = [row for row in some(tables["perflibv2-missing"]) if row["reason_code"] in ("no_answer", "fragmented")]
    assert {row["reason_code"] for row in some(lacking)} == {"fragmented"}, lacking
    assert all("dcerpc.reassemble_dcerpc" in row["reason"] for row in some(lacking))


def two_single_counters():
    """A capture, and its peer: a query of two counters of one width, without instances."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2)], instance_type=0))
    peer.open(p.query_handle(1))
    peer.validate(p.query_handle(1), p.identifier(1, name=None), p.identifier(2, name=None))
    return capture, peer


@pytest.mark.parametrize("map", ["none", "contradicted"])
def test_values_whose_counter_nobody_asked_for(tshark, tmp_path, map):
    """All is in the capture from the first frame on: to begin earlier is no remedy."""
    capture, peer = two_single_counters()
    if map == "contradicted":
        peer.info(p.query_handle(1), p.identifier(1, name=None), p.identifier(2, name=None, index=1))
    several = p.block(4, p.multi_instances([p.instance(name, id) + p.value() for id, name in enumerate("xy")]))
    peer.poll(p.query_handle(1), p.data(*([several] * 2 if map == "contradicted" else [p.block(1, p.value())] * 2)))
    (found,) = data_tables(tshark, capture.write(tmp_path / "unasked.pcap"))["findings"]
    if map == "contradicted":
        # That is the server's deed, and the only one.
        assert (found["code"], found["filter"]) == ("rule_broken", "perflibv2.rule.block_instances")
        return
    assert found["code"] == "counter_unknown" and "QueryCounterInfo" in found["remedy"] and "Start the capture" not in found["remedy"]


@pytest.mark.parametrize("lost", [0, 1], ids=["request", "answer"])
def test_a_map_that_was_lost(tshark, tmp_path, lost):
    """The client asked which value belongs to which counter, but the capture lacks it: it is not to blame."""
    capture, peer = two_single_counters()
    asked = len(capture.frames)
    peer.info(p.query_handle(1), p.identifier(1, name=None), p.identifier(2, name=None, index=1))
    del capture.frames[asked + lost]
    for _ in range(2):
        peer.poll(p.query_handle(1), p.data(*[p.block(1, p.value())] * 2))
    found = [row["code"] for row in data_tables(tshark, capture.write(tmp_path / "lost.pcap"))["findings"]]
    assert found == ["type_unknown"]
