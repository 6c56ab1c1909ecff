# SPDX-License-Identifier: GPL-2.0-or-later
"""One deed is one finding: what follows from it, and the same call in another table, are no further ones."""

import csv
import io
import struct
import uuid

import pytest

from lib import perflibv2 as p
from lib.orpc import Stub
from lib.pla import IID, Calls
from lib.tables import data_tables, table_sentences
from lib.wire import FAULT, Capture

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
SET = uuid.UUID(int=0xA000)
RUNNING, DENIED, NOT_FOUND = 1, 0x80070005, 0x80300002  # Status 1, E_ACCESSDENIED, PLA_E_DCS_NOT_FOUND
DISCONNECTED = 0x80010108  # RPC_E_DISCONNECTED, as the status of a fault


def findings(tshark, path, *options):
    """The code of each finding, and the verdict."""
    rows = data_tables(tshark, path, *options).get("findings", [])
    return [row["code"] for row in rows], " ".join(table_sentences(tshark.run(path, *options, "-q", "-z", "perflib,findings")))


def query(calls, hresult=0):
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Set1").bstr(None), None, hresult, ipid=SET)


def status(calls, hresult=0):
    calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(RUNNING), hresult, ipid=SET)


def status_fault(calls):
    calls.exchange(IID["IDataCollectorSet"], 33, Stub().orpcthis().bytes(), None, SET)
    fault = struct.pack("<IHBBII", 32, 0, 0, 0, DISCONNECTED, 0)
    calls.capture.send(calls.port, False, calls.capture.pdu(FAULT, fault, calls.capture.call[calls.port]))


def elsewhere(calls):
    """A denied call on another object than a set."""
    calls.call("IDataCollectorSetCollection", 7, None, lambda stub: stub.u32(0), DENIED)


@PASSES
@pytest.mark.parametrize("made, codes, says", [
    ((query, status, (status, DENIED)), ["set_call_denied"], "; 1 call on data collector sets failed."),
    ((query, (status, NOT_FOUND)), ["set_not_found"], "; 1 call on data collector sets failed."),
    # Nothing works: the client is stopped, and its set is not to blame.
    (((query, DENIED),), ["set_denied"], "gets no counters: 10.0.0.2 denies access to a data collector set."),
    (((query, DENIED), (status, DENIED)), ["set_denied"], "gets no counters: 10.0.0.2 denies access to a data collector set."),
    ((query, status, status_fault), ["object_lost"], "; 1 call failed or got no answer."),
    # Two deeds.
    ((query, (status, DENIED), elsewhere), ["set_call_denied", "denied_at_times"], "; 1 call failed or got no answer; 1 call on data collector sets failed."),
    ((query, (status, DENIED), status_fault), ["set_call_denied", "object_lost"], "; 1 call failed or got no answer; 1 call on data collector sets failed."),
])  # fmt: skip
def test_a_failed_call_on_a_data_collector_set(tshark, tmp_path, made, codes, says, passes):
    calls = Calls()
    for step in made:
        make, *arguments = step if isinstance(step, tuple) else (step,)
        make(calls, *arguments)
    found, verdict = findings(tshark, calls.capture.write(tmp_path / "sets.pcap"), *passes)
    assert found == codes and verdict.endswith(says), verdict


@PASSES
def test_each_error_on_a_set_has_its_cause_and_its_client(tshark, tmp_path, passes):
    """A script cleans up by Stop, which takes nothing from the denial before; a Commit fails for the set that it names."""
    calls = Calls()
    query(calls)
    for opnum, hresult in (62, DENIED), (62, DENIED), (63, 0x80300104):  # Start, Start, Stop: PLA_E_DCS_NOT_RUNNING
        calls.call("IDataCollectorSet", opnum, lambda stub: stub.u16(0xFFFF), None, hresult, ipid=SET)
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr("Web").bstr(None).u32(1), lambda stub: stub.interface_pointer(None), 0x803000B7, ipid=SET)
    calls.capture.CLIENT, other = bytes([10, 0, 0, 7]), Calls(other=calls, port=49201)
    query(other)
    status(other, DENIED)
    calls.capture.CLIENT, stopped = bytes([10, 0, 0, 8]), Calls(other=calls, port=49202)
    query(stopped, DENIED)  # this client gets nothing at all, which is one finding
    (first, *rows) = data_tables(tshark, calls.capture.write(tmp_path / "causes.pcap"), *passes)["findings"]
    assert (first["code"], first["client"]) == ("set_denied", "10.0.0.8")
    assert [(row["code"], row["server"], row["client"], row["what"], row["detail"], row["filter"], row["who"]) for row in rows] == [
        (code, "10.0.0.2", client, f'{count} call{"s" * (count > 1)} failed on data collector set "{name}" on 10.0.0.2: {says}',
         f'"{name}": {count} failed, the last one: {error}', f"pla.hresult == 0x{hresult:08x}", who)
        for code, client, name, count, says, error, hresult, who in [
            ("set_call_denied", "10.0.0.1", "Set1", 2, "access is denied", "E_ACCESSDENIED (Start, frame 8)", DENIED, "the administrator of 10.0.0.2"),
            ("set_not_running", "10.0.0.1", "Set1", 1, "the set is not running", "PLA_E_DCS_NOT_RUNNING (Stop, frame 10)", 0x80300104, "whoever runs 10.0.0.1"),
            ("set_call_denied", "10.0.0.7", "Set1", 1, "access is denied", "E_ACCESSDENIED (Status (Get), frame 18)", DENIED, "the administrator of 10.0.0.2"),
            ("set_exists", "10.0.0.1", "Web", 1, "the set already exists", "PLA_E_DCS_ALREADY_EXISTS (Commit, frame 12)", 0x803000B7, "whoever runs 10.0.0.1")]]


# PerflibV2: what a client or a server does wrong, and the only finding about it.

H = p.query_handle(1)
SECOND = 10_000_000
COUNTERS = [p.counter(1), p.counter(2, p.LARGE_RAWCOUNT), p.counter(3, p.SAMPLE_FRACTION, base=4), p.counter(4, p.SAMPLE_BASE, attrib=2)]
NAMES = [(1, "Count"), (2, "Bytes"), (3, "Share"), (4, "Base")]
SEVERAL, ONE = 2, 0     # InstanceType
IDS = [p.identifier(1, "*", instance=p.NONE), p.identifier(2, "one"), p.identifier(1, None, guid=p.OTHER_SET), p.identifier(p.NONE, None, guid=p.OTHER_SET)]


def teach(peer, listed=COUNTERS):
    """Two countersets: "Several" has instances, "Single" has one; listed: what the latter says that it has."""
    for guid, kind, name, counters in (p.SET, SEVERAL, "Several", COUNTERS), (p.OTHER_SET, ONE, "Single", listed):
        data = counters if isinstance(counters, bytes) else p.counterset(counters, guid=guid, instance_type=kind)
        peer.registration(1, data, guid=guid)
        peer.registration(3, p.text(name), guid=guid)
        peer.registration(5, p.strings(NAMES), guid=guid)


def all_counters(number, ids=(1, 2, 3, 4), widths=(4, 8, 4, 4)):
    return p.block(2, p.multi_counters(ids) + b"".join(p.value(number + at, width) for at, width in enumerate(widths)))


def instances(number, width=4):
    return p.block(4, p.multi_instances([p.instance(name, at) + p.value(number + at, width) for at, name in enumerate(("one", "two"))]))


def blocks(number):
    return [instances(number), p.block(1, p.value(60 + number, 8)), p.block(1, p.value(70 + number)), all_counters(number)]


def poll(peer, change=list, times=3, **header):
    """change: makes other blocks of the right ones, or a whole answer."""
    for number in range(5, 5 + times):
        content = change(blocks(number))
        whole = content if isinstance(content, bytes) else p.data(*content, time=p.TIME + number * SECOND, **header)
        peer.poll(H, whole)


def add(peer, **options):
    peer.open(H)
    peer.validate(H, *IDS, **options)


def index_map(peer, *order, ids=IDS):
    peer.info(H, *(item[:32] + struct.pack("<I", index) + item[36:] for item, index in zip(ids, order)))


def session(*steps, change=list, listed=COUNTERS, adding=(), order=(0, 1, 2, 3), ids=IDS, **header):
    """The query is opened, its identifiers are added, mapped and polled; steps come after the polls."""

    def make(peer):
        teach(peer, listed)
        add(peer, **dict(adding))
        index_map(peer, *order, ids=ids)
        poll(peer, change, **header)
        for step in steps:
            step(peer)

    return make


def nameless(peer):
    """The client names an instance by its id alone where names are demanded."""
    teach(peer)
    peer.mapped(H, *IDS[:1], p.identifier(2, None, instance=7), *IDS[2:])
    poll(peer)


def put(at, block):
    return lambda right: [*right[:at], block, *right[at + 1 :]]


def cut(size):
    return lambda right: p.data(*right)[:-size]


REFUSED = {"status": p.INVALID_PARAMETER}
DEEDS = {
    "nothing": (session(), []),
    "dwAdd is 2 and refused": (session(lambda peer: peer.validate(H, p.identifier(3, "one"), add=2, **REFUSED)), ["add_value"]),
    "RequestCode 12 is refused": (session(lambda peer: peer.registration(12, b"", **REFUSED)), ["request_code"]),
    "no handle, refused": (session(lambda peer: peer.poll(p.NULL_HANDLE, b"", status=6)), ["handle_null"]),
    "a closed handle, refused": (session(lambda peer: peer.close(H), lambda peer: peer.poll(H, b"", status=6)), ["handle_after_close"]),
    "an identifier's Size too large, refused": (session(lambda peer: peer.validate(H, p.identifier(3, "x", size=400), **REFUSED)), ["structure_fits"]),
    "an identifier without a name": (nameless, ["identifier_name"]),
    "another identifier returned": (session(adding={"returned": b"".join([IDS[0], p.identifier(3, "one"), *IDS[2:]])}), ["identifier_echo"]),
    "an identifier not returned": (session(adding={"returned": b"".join(IDS[:3])}), ["lpdata_count"]),
    "no identifier returned": (session(adding={"returned": b""}), ["lpdata_count"]),
    "a map of three": (session(order=(0, 1, 2)), ["info_identifiers"]),
    "a map of five": (session(order=range(5), ids=[*IDS, p.identifier(3, "one")]), ["info_identifiers"]),
    "a map of another counter": (session(ids=[IDS[0], p.identifier(4, "one"), *IDS[2:]]), ["info_counters"]),
    "an Index out of range": (session(order=(0, 9, 2, 3)), ["index_range"]),
    "an Index twice": (session(order=(0, 2, 2, 3)), ["index_unique"]),
    **{f"a map of the order {order}": (session(order=order), ["block_identifier"])
       for order in ((1, 0, 2, 3), (2, 1, 0, 3), (3, 1, 2, 0), (0, 2, 1, 3), (0, 3, 2, 1), (0, 1, 3, 2), (1, 2, 3, 0), (3, 2, 1, 0))},
    "blocks in another order": (session(change=lambda right: [right[1], right[0], *right[2:]]), ["block_identifier"]),
    "one instance for all": (session(change=put(0, p.block(1, p.value()))), ["block_single"]),
    "several instances for one": (session(change=put(1, instances(5, 8))), ["block_instances"]),
    "several instances of one": (session(change=put(2, instances(5))), ["block_instances"]),
    "all counters for one": (session(change=put(2, all_counters(5))), ["block_identifier"]),
    "a value of 8 bytes for 4": (session(change=put(2, p.block(1, p.value(5, 8)))), ["value_data_size"]),
    "values of 2 bytes": (session(change=put(0, instances(5, 2))), ["value_data_size"]),
    "a base of 2 bytes": (session(change=put(3, all_counters(5, widths=(4, 8, 4, 2)))), ["value_data_size"]),
    "a wrong id": (session(change=put(3, all_counters(5, ids=(1, 2, 3, 9)))), ["block_counter_ids"]),
    "an id twice": (session(change=put(3, all_counters(5, ids=(1, 2, 3, 3)))), ["block_all_counters"]),
    "a counter too few": (session(change=put(3, all_counters(5, ids=(1, 2, 3), widths=(4, 8, 4)))), ["block_all_counters"]),
    "a block too few": (session(change=lambda right: right[:3]), ["poll_blocks"]),
    "a block too many": (session(change=lambda right: [*right, right[1]]), ["poll_blocks"]),
    "dwNumCounter too low": (session(num=3), ["data_num_counters"]),
    "dwNumCounter too high": (session(num=5), ["data_num_counters"]),
    "dwTotalSize too low": (session(total=100), ["data_total_size"]),
    "dwTotalSize too high": (session(total=9000), ["data_total_size"]),
    "an answer without its last block": (session(change=cut(len(all_counters(5)))), ["data_total_size"]),
    "an answer without its last bytes": (session(change=cut(8)), ["structure_fits"]),
    "bytes after the answer": (session(change=lambda right: p.data(*right) + bytes(24)), ["data_total_size"]),
    "an error block without an error": (session(change=put(1, p.block(0))), ["block_error_status"]),
    "more than there was room for": (session(lambda peer: peer.poll(H, p.data(*blocks(9)), in_size=64)), ["out_size_room"]),
    "a list with a wrong id": (session(listed=[*COUNTERS[:3], p.counter(40, p.SAMPLE_BASE, attrib=2)]), ["base_id"]),
    "a list that breaks off": (session(listed=p.counterset(COUNTERS, guid=p.OTHER_SET, instance_type=ONE)[:-20]), ["reg_num_counters"]),
}
# What the capture really lacks then: the type of the counter that was not listed.
ALSO = {"a list with a wrong id": ["type_unknown"], "a list that breaks off": ["type_unknown"]}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_deed_on_the_wire(tshark, tmp_path, deed):
    make, rules = DEEDS[deed]
    peer = p.Peer(Capture())
    make(peer)
    rows = data_tables(tshark, peer.capture.write(tmp_path / "deed.pcap"), "-2").get("findings", [])
    found = [row["filter"].removeprefix("perflibv2.rule.") if row["code"] == "rule_broken" else row["code"] for row in rows]
    assert found == rules + ALSO.get(deed, [])


@pytest.mark.parametrize("passes, found", [((), ["counter_unknown"]), (("-2",), ["rule_broken"])])
def test_a_map_that_comes_late_and_is_wrong(tshark, tmp_path, passes, found):
    """In one pass the polls before it were read without it."""
    peer = p.Peer(Capture())
    teach(peer)
    add(peer)
    poll(peer)
    index_map(peer, 2, 1, 0, 3)
    assert findings(tshark, peer.capture.write(tmp_path / "late.pcap"), *passes)[0] == found


def test_values_without_names_are_still_a_finding(tshark, tmp_path):
    """The server breaks a rule, and the client does not ask which value is which: two deeds."""
    peer = p.Peer(Capture())
    peer.registration(1, p.counterset(COUNTERS, guid=p.OTHER_SET, instance_type=ONE), guid=p.OTHER_SET)
    peer.open(H)
    peer.validate(H, p.identifier(1, None, guid=p.OTHER_SET), p.identifier(1, None, guid=p.OTHER_SET, instance=1))
    for number in range(3):
        peer.poll(H, p.data(p.block(1, p.value(number)), p.block(1, p.value(number)), total=100, time=p.TIME + number * SECOND))
    assert findings(tshark, peer.capture.write(tmp_path / "two.pcap"))[0] == ["counter_unknown", "rule_broken"]


@PASSES
def test_an_instance_known_by_its_id_alone(tshark, tmp_path, passes):
    """The counter and the id are known; only the instance has no name."""
    peer = p.Peer(Capture())
    nameless(peer)
    path = peer.capture.write(tmp_path / "nameless.pcap")
    rows = list(csv.DictReader(io.StringIO(tshark.run(path, *passes, "-q", "-z", "perflibv2,samples,-"))))
    (row,) = {(row["counterset"], row["instance"], row["instance_id"], row["counter"]) for row in rows if row["known_by"] == "unknown"}
    assert row == ("Several", "", "7", "Bytes")
