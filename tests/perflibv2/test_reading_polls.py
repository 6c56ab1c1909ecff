# SPDX-License-Identifier: GPL-2.0-or-later
"""What helps to read a capture of polls: whose answer it is, which polls belong together, what a line says."""

import csv
import struct
from collections import defaultdict

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, record_of
from lib.fields import glossary
from lib.named_query import unescaped
from lib.some import some
from lib.tables import table_rows
from lib.wire import FIRST_FRAGMENT, REQUEST, Capture

H, OTHER = p.query_handle(1), p.query_handle(2)
BOTH_PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
HANDLES = CAPTURES / "handles.pcapng"


def uuid_of(handle):
    return str(p.uuid.UUID(bytes_le=handle[4:]))


def info(tshark, path, frame, *options):
    return tshark.fields(path, "_ws.col.Info", display_filter=f"frame.number == {frame}", options=options)[0][0][0]


@BOTH_PASSES
def test_answers_are_found_by_their_handle(tshark, passes):
    """Requests and answers alike: those of the record. Refused openings are no query."""
    record = record_of(HANDLES)
    found = defaultdict(list)
    for life in record["query_handles"]:
        rows = tshark.fields(HANDLES, "perflibv2.opnum", "perflibv2.query", "dcerpc.pkt_type",
                             display_filter=f"perflibv2.handle == {life['handle']}", options=passes)
        for opnum, query, kind in rows:
            found[life["handle"]].append((int(opnum[0]), int(query[0]), kind[0]))
    expected = defaultdict(list)
    for call in record["calls"]:
        if call["opnum"] < 3:
            continue
        sent, answered = call["request"], call.get("response") or {}
        handle = (sent.get("hQuery") or sent.get("phQuery") or answered.get("phQuery"))["uuid"]
        if call["opnum"] != 3:
            expected[handle].append((call["opnum"], "0"))
        if "fault" in call:
            expected[handle].append((call["opnum"], "3"))
        elif "return" in call and (call["opnum"] != 3 or call["return"]["value"] == 0):
            expected[handle].append((call["opnum"], "2"))
    for life in some(record["query_handles"]):
        rows = found[life["handle"]]
        assert [(opnum, kind) for opnum, _, kind in sorted(rows)] == sorted(expected[life["handle"]])
        assert len({query for _, query, _ in rows}) == 1
    assert len({rows[0][1] for rows in found.values()}) == len(record["query_handles"])


@BOTH_PASSES
def test_reused_handle_is_another_query(tshark, tmp_path, passes):
    """A handle that is opened again after it was closed is a query of its own; one never opened has a number, too."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.poll(OTHER, p.data())
    peer.close(H)
    peer.open(H)
    again = peer.poll(H, p.data())[1]
    refused = peer.open(OTHER, status=p.ACCESS_DENIED)[1]
    path = capture.write(tmp_path / "again.pcap")
    rows = tshark.fields(path, "perflibv2.query", "perflibv2.handle", display_filter="perflibv2.query", options=passes)
    numbers = [1, 2, 2, 1, 1, 3, 3, 3]
    assert [query for query, _ in rows] == [[str(number)] for number in numbers]
    assert {handle for _, handles in rows for handle in handles} == {uuid_of(H), uuid_of(OTHER), str(p.uuid.UUID(int=0))}
    assert "query 3, " in info(tshark, path, again, *passes)
    assert "query" not in info(tshark, path, refused, *passes).split("response")[1]


def test_what_a_poll_says_of_others_is_in_none_of_its_bytes(tshark):
    """The previous poll, the time since then and the next one mark no bytes; their place is the poll's beginning."""
    places = {name: set() for name in ("previous_frame", "interval", "next_frame")}
    for packet in tshark.packets(CAPTURES / "both-apis.pcapng", "-2", display_filter="perflibv2.poll.interval || perfdata.poll.interval"):
        for name, found in places.items():
            items = [item for layer in packet for protocol in ("perflibv2", "perfdata") for item in layer.find(f"{protocol}.poll.{name}")]
            found |= {(item.position, item.size) for item in items}
    assert places["previous_frame"] and {size for found in places.values() for _, size in found} == {0}, places
    assert places["previous_frame"] == places["interval"] == places["next_frame"], places


def test_next_poll_is_previous_frame_the_other_way_round(tshark):
    """The other way round of previous_frame; what follows is known when the capture has been read."""
    names = ["frame.number", "perflibv2.poll.previous_frame", "perflibv2.poll.next_frame"]
    rows = tshark.fields(HANDLES, *names, display_filter="perflibv2.data.num_counters", options=["-2"])
    frames = {frame: (before, after) for (frame,), before, after in rows}
    assert any(after for _, after in frames.values())
    assert all(frames[other][0] == [frame] for frame, other in some((frame, other) for frame, (_, after) in frames.items() for other in after))
    assert all(frames[other][1] == [frame] for frame, other in some((frame, other) for frame, (before, _) in frames.items() for other in before))
    rows = tshark.fields(HANDLES, *names, display_filter="perflibv2.data.num_counters")
    assert not any(after for _, _, after in some(rows, len(frames)))


def test_next_poll_of_the_older_api(tshark):
    names = ["frame.number", "perfdata.poll.previous_frame", "perfdata.poll.next_frame"]
    rows = tshark.fields(CAPTURES / "both-apis.pcapng", *names, display_filter="perfdata.poll.next_frame", options=["-2"])
    others = tshark.fields(CAPTURES / "both-apis.pcapng", *names, display_filter="perfdata.poll.previous_frame", options=["-2"])
    assert rows and {(frame, after) for (frame,), _, (after,) in rows} == {(before, frame) for (frame,), (before,), _ in others}


def lines(tshark, path, *options):
    return [line.strip() for line in tshark.run(path, "-V", *options).splitlines()]


def test_block_of_one_value_says_it_in_its_line(tshark, tmp_path):
    """As much as the value's own line; a block of several says how many. Without a type there is the number as sent."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1)]))
    peer.mapped(H, p.identifier(1, "one"), p.identifier(9, "one"), p.identifier(p.NONE, "one"), p.identifier(1, "é" * 120))
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(4711)),
                        p.block(2, p.multi_counters([1, 9]) + p.value(6) + p.value(7)), p.block(1, p.value(8))))
    peer.poll(H, p.data(*[p.block(0, status=5)] * 4))
    path = capture.write(tmp_path / "one.pcap")
    prefix = f"\\\\HOST\\{{{p.SET}}}(one)\\counter "
    blocks = [line for line in lines(tshark, path) if line.startswith("Block ")]
    assert blocks[:3] == [
        f"Block 0: {prefix}1 = 5",
        f"Block 1: {prefix}9: no value, type unknown, raw 4711",
        "Block 2: PERF_MULTIPLE_COUNTERS, 2 counters",
    ]
    # A line that is cut would lose the value, or end within a character.
    assert blocks[3] == "Block 3: PERF_SINGLE_COUNTER, 1 value"
    assert blocks[4] == "Block 0: PERF_ERROR_RETURN, ERROR_ACCESS_DENIED"
    assert f"[{prefix}9: no value, type unknown, raw 7]" in lines(tshark, path)


def test_watched_values_stand_at_the_top(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1)]))
    peer.mapped(H, *(p.identifier(1, name) for name in ("one", "two")))
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    path = capture.write(tmp_path / "watched.pcap")
    found = lines(tshark, path, "-o", r'uat:perflibv2_watch:"number_two","*(two)*"')
    watched = [line for line in found if "number_two" in line]
    assert len(watched) == 1 and "6" in watched[0]
    header = next(number for number, line in enumerate(found) if line.startswith("Data header"))
    assert header < found.index(watched[0]) < next(
        number for number, line in enumerate(found) if line.startswith("Block 0"))


NAMES = [(0, "Reads base"), (1, "Reads"), (2, "Writes")]


def test_registration_answers_say_what_they_hold(tshark, tmp_path):
    """... and requests what is asked, in which language, before the long GUID."""
    capture = Capture()
    peer = p.Peer(capture)
    calls = [
        (5, p.strings(NAMES), 0x407, "counter names in German (Germany), {SET}", "3 counter names"),
        (3, p.text("Set"), 0, "counterset name, {SET}", 'counterset name "Set"'),
        (1, p.counterset([p.counter(1), p.counter(2)]), 0, "counterset and counters, Set {SET}", "2 counters, Set"),
        (2, p.counter(2), 2, "counter 2, Set {SET}", "counter 2, Writes, Set"),
        (6, p.strings(NAMES[:1]), 0x1234, "counter descriptions in language 0x1234, Set {SET}", "1 counter descriptions, Set"),
        (4, p.text("d" * 200), 0x409, "counterset description in English (United States), Set {SET}",
         'counterset description "' + "d" * 77 + '...", Set'),
        (7, p.text("Provider"), 0, "provider name, Set {SET}", 'provider name "Provider", Set'),
        (8, p.OTHER_SET.bytes_le, 0, "provider GUID, Set {SET}", f"provider GUID {{{p.OTHER_SET}}}, Set"),
        (8, p.OTHER_SET.bytes_le[:15], 0, "provider GUID, Set {SET}", "Set"),
        (9, p.text("English"), 0, "counterset English name, Set {SET}", 'counterset English name "English"'),
        (10, p.strings(NAMES), 0, "counter English names, Set {SET}", "3 counter English names, Set"),
        (2, p.counter(9), 9, "counter 9, Set {SET}", "counter 9, Set"),
        (11, bytes(8), 0, "request code 11, Set {SET}", "8 bytes"),
        (0, bytes(1), 0, "request code 0, Set {SET}", "1 byte"),
    ]
    frames = [peer.registration(code, content, lcid) for code, content, lcid, _, _ in calls]
    path = capture.write(tmp_path / "registration.pcap")
    rows = tshark.fields(path, "frame.number", "_ws.col.Info", display_filter="perflibv2")
    infos = {int(frame): info.removeprefix("QueryCounterSetRegistrationInfo ") for (frame,), (info,) in rows}
    for (asked, answered), (_, _, _, request, response) in zip(frames, calls, strict=True):
        assert infos[asked] == "request, " + request.replace("{SET}", f"{{{p.SET}}}")
        assert infos[answered] == "response, " + response
    shown = lines(tshark, path)
    assert "Request LCID: German (Germany) (0x00000407)" in shown and "Request LCID: Unknown (0x00001234)" in shown


def test_each_call_says_how_many_it_holds(tshark, tmp_path):
    """None, one and several; of a change what was asked, and what the server made of it."""
    capture = Capture()
    peer = p.Peer(capture)
    one, two = p.identifier(1), p.identifier(2)
    asked = [f"EnumerateCounterSetInstances request, {{{p.SET}}}", "QueryCounterInfo request, query 1", "QueryCounterData request, query 1"]
    calls = [
        (lambda: peer.enumerate(()), "EnumerateCounterSet request, \\\\HOST", ""),
        (lambda: peer.enumerate((p.SET,)), "EnumerateCounterSet request, \\\\HOST", ", 1 counterset"),
        (lambda: peer.enumerate((p.SET, p.OTHER_SET)), "EnumerateCounterSet request, \\\\HOST", ", 2 countersets"),
        (lambda: peer.instances(), asked[0], ""),
        (lambda: peer.instances(p.instance()), asked[0], ", 1 instance"),
        (lambda: peer.instances(p.instance("a", 1), p.instance("b", 2)), asked[0], ", 2 instances"),
        (lambda: peer.open(H), None, ", query 1"),
        (lambda: peer.validate(H, one), "ValidateCounters request, query 1, add 1 identifier", ", query 1, added 1, refused 0"),
        (lambda: peer.validate(H, two, two, returned=two + p.identifier(2, status=5)), "ValidateCounters request, query 1, add 2 identifiers",
         ", query 1, added 1, refused 1"),
        (lambda: peer.info(H), asked[1], ", query 1"),
        (lambda: peer.info(H, one), asked[1], ", query 1, 1 identifier"),
        (lambda: peer.info(H, one, two), asked[1], ", query 1, 2 identifiers"),
        (lambda: peer.poll(H, p.data()), asked[2], ", query 1, 0 blocks, 48 bytes"),
        (lambda: peer.poll(H, p.data(p.block(1, p.value()), time=p.TIME + 10_000_000)), asked[2], ", query 1, interval 1.000 s, 1 block, 80 bytes"),
        (lambda: peer.poll(H, p.data(*[p.block(1, p.value())] * 2, time=p.TIME + 12_500_000)), asked[2],
         ", query 1, interval 0.250 s, 2 blocks, 112 bytes"),
        (lambda: peer.validate(H, one, add=0), "ValidateCounters request, query 1, remove 1 identifier", ", query 1, removed 1, refused 0"),
        (lambda: peer.validate(H, two, two, add=0, returned=p.identifier(2, status=5) * 2), "ValidateCounters request, query 1, remove 2 identifiers",
         ", query 1, removed 0, refused 2"),
        (lambda: peer.close(H), "CloseQueryHandle request, query 1", ", query 1"),
    ]
    frames = [call() for call, _, _ in calls]
    # Of these the first fragment of the request was captured alone.
    connection = peer.connection
    connection.request = lambda opnum, stub: connection.pdu(REQUEST, struct.pack("<IHH", len(stub), 0, opnum) + stub[:8], flags=FIRST_FRAGMENT)
    unread = [(lambda: peer.validate(H, one, two, returned=one + p.identifier(2, status=5)), "ValidateCounters response, accepted 1, refused 1"),
              (lambda: peer.registration(3, p.text("Set")), "QueryCounterSetRegistrationInfo response, 8 bytes"),
              (lambda: peer.registration(8, bytes(1)), "QueryCounterSetRegistrationInfo response, 1 byte")]
    frames += [call() for call, _ in unread]
    rows = tshark.fields(capture.write(tmp_path / "counts.pcap"), "frame.number", "_ws.col.Info", display_filter="dcerpc")
    infos = {int(frame): ", ".join(map(unescaped, info.split(", "))) for (frame,), (info,) in rows}
    for (asked, answered), (_, request, response) in zip(frames, calls):
        assert request in (None, infos[asked])
        assert infos[answered] == (request or "OpenQueryHandle request").partition(" ")[0] + " response" + response
    assert [infos[answered] for _, answered in frames[len(calls):]] == [info for _, info in unread]


def test_status_of_a_request_is_no_status(tshark, tmp_path):
    """The server fills it in: what a client leaves there refuses nothing."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    asked, answered = peer.validate(H, p.identifier(1, status=5), returned=p.identifier(1, status=2))
    path = capture.write(tmp_path / "status.pcap")
    assert tshark.fields(path, "frame.number", "perflibv2.identifier.status", display_filter="perflibv2.identifier.status") == [
        [[str(answered)], ["0x00000002"]]]
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.identifier_status") == [[[str(answered)]]]
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.identifier.status_sent == 5") == [[[str(asked)]]]


def test_small_things_a_reader_misses(tshark, tmp_path):
    """The name of counter 0, a value of no bytes, the number behind a time (formulas have it as X)."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(5, p.strings(NAMES))
    peer.registration(1, p.counterset([
        p.counter(0, p.AVERAGE_BASE, attrib=2), p.counter(1, p.AVERAGE_BULK, base=0), p.counter(2, base=0)]))
    peer.registration(1, p.counterset([p.counter(0), p.counter(1, p.AVERAGE_BULK, base=0)], guid=p.OTHER_SET), guid=p.OTHER_SET)
    peer.registration(5, p.strings(NAMES), guid=p.OTHER_SET)
    peer.mapped(H, p.identifier(1))
    peer.poll(H, p.data(p.block(1, p.value(0, width=0))))
    found = lines(tshark, capture.write(tmp_path / "small.pcap"), "-2")
    # A counter that needs no base has none, and a counter that is no base is nobody's.
    assert [line for line in found if line.startswith("Base counter id")] == [
        "Base counter id: none (0xffffffff)", "Base counter id: 0 (Reads base)", "Base counter id: 0",
        "Base counter id: none (0xffffffff)", "Base counter id: 0",
    ]
    assert "Bytes: no data" in found
    assert any(line.startswith("Time (100 ns): ") and line.endswith(f" ({p.TIME})") for line in found)


def test_members_of_a_system_time(tshark, tmp_path):
    """Each has a field of its own, also where they are no time together."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.poll(H, p.data(system_time=(2023, 11, 2, 14, 22, 13, 20, 7)))
    peer.poll(H, p.data(system_time=(2023, 13, 9, 32, 24, 60, 61, 1000)))
    path = capture.write(tmp_path / "times.pcap")
    names = ["year", "month", "day_of_week", "day", "hour", "minute", "second", "milliseconds"]
    rows = tshark.fields(path, *(f"perflibv2.data.system_time.{name}" for name in names), display_filter="perflibv2.data.system_time.year")
    assert [[int(cell) for (cell,) in row] for row in rows] == [[2023, 11, 2, 14, 22, 13, 20, 7], [2023, 13, 9, 32, 24, 60, 61, 1000]]
    # [MS-DTYP] 2.3.13: 0 is Sunday.
    assert "Day of week: Tuesday (2)" in lines(tshark, path)


def test_fields_say_what_they_are(tshark):
    """Members that the specification names are found by that name."""
    fields = glossary(tshark, "fields")
    # Expert items are their own summary, bits those of a field that has one.
    blurbs = {line[2]: line[7] for line in fields if line[0] == "F" and line[2].startswith("perflibv2.") and line[3] != "FT_NONE"}
    assert not [name for name, blurb in blurbs.items() if not blurb and ".counter.type." not in name]
    said = " ".join(blurbs.values())
    for member in ("szMachine RequestCode RequestLCID dwInSize pdwOutSize pdwRtnSize dwAdd CounterSetGuid CounterSetType NumCounters "
                   "InstanceType CounterId Attrib DefaultScale BaseCounterId PerfTimeId PerfFreqId MultiId AggregateFunc dwOffset "
                   "InstanceId Index dwTotalSize dwNumCounter PerfTimeStamp PerfTime100NSec PerfFreq SystemTime dwStatus dwType "
                   "dwDataSize dwInstances dwCounters DetailLevel wYear wMilliseconds").split():
        assert member in said, member


def test_attributes_are_followed(tshark, tmp_path):
    """2.2.4.2: a hexadecimal number, a real one, a single number without commas, a counter that is not to be displayed, which is shown as such."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, attrib=0x10), p.counter(2, attrib=2), p.counter(3, attrib=0x12), p.counter(4),
                                        p.counter(5, attrib=8), p.counter(6, attrib=4), p.counter(7, attrib=0x18)]))
    peer.mapped(H, p.identifier(p.NONE, "one"))
    peer.poll(H, p.data(p.block(2, p.multi_counters(range(1, 8)) + b"".join(p.value(255) for _ in range(4)) + p.value(1234567) * 3)))
    path = capture.write(tmp_path / "attributes.pcap")
    prefix = f"[\\\\HOST\\{{{p.SET}}}(one)\\counter "
    assert [line.removeprefix(prefix) for line in lines(tshark, path) if line.startswith(prefix)] == [
        "1 = 0xff]", "2 = 255 (not for display)]", "3 = 0xff (not for display)]", "4 = 255]",
        "5 = 1234567.000]", "6 = 1234567]", "7 = 0x12d687]"]


def aggregated(tshark, tmp_path, instance_type, *polls, counters=None):
    """The lines of aggregates, poll by poll, of a counterset of these counters; a poll: its blocks."""
    capture = Capture()
    peer = p.Peer(capture)
    counters = counters or [p.counter(id, aggregate=id) for id in range(5)]
    peer.registration(1, p.counterset(counters, instance_type=instance_type))
    peer.mapped(H, *[p.identifier(p.NONE, "*", instance=p.NONE)] * len(polls[0]))
    frames = [peer.poll(H, p.data(*blocks, time=p.TIME + 10_000_000 * number))[1] for number, blocks in enumerate(polls)]
    path = capture.write(tmp_path / "aggregated.pcap")
    prefix = f"\\\\HOST\\{{{p.SET}}}\\counter "
    texts = [
        [line.strip("[]").removeprefix(prefix) for line in lines(tshark, path, "-Y", f"frame.number == {frame}")
         if "aggregated from" in line]
        for frame in frames
    ]
    found = tshark.fields(path, "perflibv2.aggregate", display_filter="perflibv2.aggregate")
    assert [[float(value) for value in values] for (values,) in found] == [
        [pytest.approx(float(text.split(" = ")[1].split(",")[0].split(" ")[0]), rel=1e-5) for text in poll] for poll in texts if poll]
    return texts


def rows(*instances, ids=range(5), names="i{}".format):
    """A block of all counters and instances; an instance: its values, one each counter, or None where it is not there."""
    return p.block(6, p.multi_counters(list(ids)) + p.multi_instances(
        [p.instance(names(number), number) + b"".join(p.value(value, 8) for value in values)
         for number, values in enumerate(instances) if values is not None]))


@pytest.mark.parametrize("instance_type", [4, 6, 0xC])
def test_aggregating_countersets_have_one_value_of_all_instances(tshark, tmp_path, instance_type):
    """2.2.4.1 and 2.2.4.2: the client makes one value of those of all returned instances; 0 is undefined."""
    block = rows([1, 10, 10, 10, 10], [2, 20, 20, 20, 20], [3, 45, 45, 45, 45])
    less = rows([1, 10, 10, 10, 10], [2, 20, 20, 20, 20])
    assert aggregated(tshark, tmp_path, instance_type, [less], [block]) == [[
        "1 = 30, total, aggregated from 2 instances", "2 = 15.000, average, aggregated from 2 instances",
        "3 = 10, minimum, aggregated from 2 instances", "4 = 20, maximum, aggregated from 2 instances",
    ], [
        "1 = 75, total, aggregated from 3 instances", "2 = 25.000, average, aggregated from 3 instances",
        "3 = 10, minimum, aggregated from 3 instances", "4 = 45, maximum, aggregated from 3 instances",
    ]]


@pytest.mark.parametrize("instance_type", [0, 2, 0x16])
def test_other_countersets_are_not_aggregated(tshark, tmp_path, instance_type):
    assert aggregated(tshark, tmp_path, instance_type, [rows([1] * 5, [2] * 5)]) == [[]]


def test_aggregates_of_what_has_a_value(tshark, tmp_path):
    """Two identifiers of the same instances count once, a new instance has no rate yet, a base is no value."""
    timer = 0x20510500                  # PERF_100NSEC_TIMER: 100*(N1-N0)/(X1-X0), and a second passes
    counters = [p.counter(0, timer, aggregate=1), p.counter(1, p.AVERAGE_BASE, attrib=2, aggregate=1)]
    first = rows([100, 1], [200, 1], ids=range(2))
    then = rows([1_000_100, 2], [2_500_200, 2], [5, 2], ids=range(2))
    polls = aggregated(tshark, tmp_path, 6, [first] * 2, [then] * 2, counters=counters)
    assert polls == [[], ["0 = 35.000 %, total, aggregated from 2 of 3 instances"]]


def test_aggregate_of_many_counts_is_exact(tshark, tmp_path):
    """Beyond 2^53, too; a sum that does not fit into 64 bits is not shown as if it did."""
    big = 2**63 - 1
    assert aggregated(tshark, tmp_path, 4, [rows([0, 2**60 + 1, 0, 0, 0], [0, 2, 0, 0, 0])], counters=[
        p.counter(id, p.LARGE_RAWCOUNT, aggregate=int(id == 1)) for id in range(5)]) == [[
            f"1 = {2**60 + 3}, total, aggregated from 2 instances"]]
    (((text),),) = aggregated(tshark, tmp_path, 4, [rows(*[[0, big, 0, 0, 0]] * 3)], counters=[
        p.counter(id, p.LARGE_RAWCOUNT, aggregate=int(id == 1)) for id in range(5)])
    assert float(text.split(" = ")[1].split(",")[0]) == pytest.approx(3 * 2.0**63, rel=1e-5)
    # 64 bits are signed: -3 + 2, 2^60 + 1 - 2^60
    for one, other, total in ((2**64 - 3, 2, -1), (2**60 + 1, 2**64 - 2**60, 1), (2**64 - 5, 2**64 - 6, -11)):
        assert aggregated(tshark, tmp_path, 4, [rows([0, one, 0, 0, 0], [0, other, 0, 0, 0])], counters=[
            p.counter(id, p.LARGE_RAWCOUNT, aggregate=int(id == 1)) for id in range(5)]) == [[
                f"1 = {total}, total, aggregated from 2 instances"]]
    # The larger one first, then the smaller one: as floating point numbers they are equal.
    assert aggregated(tshark, tmp_path, 4, [rows([0, 2**60 + 1, 2**60, 0, 0], [0, 2**60, 2**60 + 1, 0, 0])], counters=[
        p.counter(id, p.LARGE_RAWCOUNT, aggregate=(0, 4, 3, 0, 0)[id]) for id in range(5)]) == [[
            f"1 = {2**60 + 1}, maximum, aggregated from 2 instances", f"2 = {2**60}, minimum, aggregated from 2 instances"]]


def test_history_keeps_the_last_value_of_what_was_deleted(tshark, tmp_path):
    """2.2.4.1, 0xC: a client may go on with the value of the last query. Other types have no history; what is gone longer is forgotten."""
    counters = [p.counter(0, aggregate=1), p.counter(1, aggregate=4)]
    polls = [[rows([1, 7], [20, 9], ids=range(2))], [rows([2, 8], None, ids=range(2))], [rows(ids=range(2))], [rows(ids=range(2))]]
    assert aggregated(tshark, tmp_path, 0xC, *polls, counters=counters) == [
        ["0 = 21, total, aggregated from 2 instances", "1 = 9, maximum, aggregated from 2 instances"],
        ["0 = 22, total, aggregated from 2 instances, 1 of them gone since the previous poll",
         "1 = 9, maximum, aggregated from 2 instances, 1 of them gone since the previous poll"],
        ["0 = 2, total, aggregated from 1 instance, 1 of them gone since the previous poll",
         "1 = 8, maximum, aggregated from 1 instance, 1 of them gone since the previous poll"],
        [],
    ]
    assert aggregated(tshark, tmp_path, 4, *polls[:2], counters=counters)[1] == [
        "0 = 2, total, aggregated from 1 instance", "1 = 8, maximum, aggregated from 1 instance"]


def test_history_is_of_what_the_query_asks_for(tshark, tmp_path):
    """What the client removed was not deleted by the server."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, aggregate=1)], instance_type=0xC))
    one, two = p.identifier(1, "one"), p.identifier(1, "two")
    peer.mapped(H, one, two)
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    peer.validate(H, two, add=0)
    peer.info(H, one)
    peer.poll(H, p.data(p.block(1, p.value(7))))
    found = [line for line in lines(tshark, capture.write(tmp_path / "removed.pcap"), "-2") if "aggregated from" in line]
    assert [line.split(" = ")[1] for line in found] == ["11, total, aggregated from 2 instances]", "7, total, aggregated from 1 instance]"]


def test_nothing_is_aggregated_where_instances_may_be_unknown(tshark, tmp_path):
    """A block without a link may hold instances of the same counterset."""
    capture = Capture()
    peer = p.Peer(capture)
    for guid in p.SET, p.OTHER_SET:
        peer.registration(1, p.counterset([p.counter(1, aggregate=1)], guid=guid, instance_type=4), guid=guid)
    wanted = [p.identifier(1, "one"), p.identifier(1, "two"), p.identifier(p.NONE, "*", guid=p.OTHER_SET)]
    peer.open(H)
    peer.validate(H, *wanted)
    several = p.block(6, p.multi_counters([1]) + p.multi_instances([p.instance("x") + p.value(9)]))
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6)), several))
    path = capture.write(tmp_path / "unknown.pcap")
    # What several is of can be told, what the others are can't.
    assert any("(x)" in line for line in lines(tshark, path)) and not any("aggregated" in line for line in lines(tshark, path))


@pytest.mark.parametrize("nameless", [False, True], ids=["names", "no names"])
def test_aggregates_in_tables_have_their_own_path(tshark, tmp_path, nameless):
    """A path of its own beside the instances'; instances without names have the same path, and give way to it."""
    capture = Capture()
    peer = p.Peer(capture)
    counters = [p.counter(1, aggregate=1), p.counter(2, p.AVERAGE_BASE, attrib=2, aggregate=1), p.counter(3, attrib=2, aggregate=4)]
    peer.registration(1, p.counterset(counters, instance_type=6))
    peer.registration(3, p.text("Set"))
    peer.mapped(H, p.identifier(p.NONE, "*", instance=p.NONE))
    names = (lambda number: "") if nameless else "i{}".format
    for number, instances in enumerate([[(1, 0, 5), (20, 0, 3)], [(1, 0, 5), (20, 0, 3), (300, 0, 4)]]):
        peer.poll(H, p.data(rows(*instances, ids=[1, 2, 3], names=names), time=p.TIME + number * 10_000_000))
    path = capture.write(tmp_path / "tables.pcap")
    tmp_path.chmod(0o777)
    files = {name: tmp_path / f"{name}.csv" for name in ("pdh-csv", "samples")}
    own = ["(i0)", "(i1)", "(i2)"]
    prefix = r"\\HOST\Set"

    def told(*options):
        requests = [request for name, file in files.items() for request in ("-z", f"perflibv2,{name},{file}")]
        table = tshark.run(path, *options, "-q", "-z", "perflibv2,counters", *requests)
        rows = {row[0]: row[1:] for row in table_rows(table)}
        with files["pdh-csv"].open(encoding="utf-8", newline="") as file:
            header, *cells = csv.reader(file)
        with files["samples"].open(encoding="utf-8", newline="") as file:
            samples = [row for row in csv.DictReader(file) if row["aggregated_from"]]
        return rows, {name: [row[at] for row in cells] for at, name in enumerate(header)}, samples

    rows_of_table, columns, samples = told()
    assert rows_of_table[rf"{prefix}\counter 1 (aggregated from 3 instances)"][1:7] == ["2", "21", "321", "21", "171.000", "321"]
    assert rows_of_table[rf"{prefix}\counter 3 (aggregated from 3 instances)"][1:7] == ["2", "5", "5", "5", "5.000", "5"]
    assert len(rows_of_table) == (2 if nameless else 8)
    assert columns[rf"{prefix}\counter 1"] == ["21", "321"] and len(columns) == 1 + (2 if nameless else 8)
    assert nameless or [columns[rf"{prefix}{name}\counter 1"] for name in own] == [["1", "1"], ["20", "20"], [" ", "300"]]
    assert [(row["counter"], row["instance"], row["instance_id"], row["raw"], row["cooked"], row["aggregated_from"], row["previous_frame"])
            for row in samples] == [("counter 1", "", "", "", "21", "2", ""), ("counter 3", "", "", "", "5", "2", ""),
                                    ("counter 1", "", "", "", "321", "3", samples[0]["frame"]), ("counter 3", "", "", "", "5", "3", samples[0]["frame"])]

    rows_of_table, columns, samples = told("-o", "perflibv2.leave_out_no_display:TRUE")
    assert not [name for name in [*rows_of_table, *columns] if "counter 3" in name or "counter 2" in name]
    assert {row["counter"] for row in samples} == {"counter 1"} and columns[rf"{prefix}\counter 1"] == ["21", "321"]


def test_table_of_instances_and_counters(tshark, tmp_path):
    """What a person compares stands side by side; what is not for display, and what would be too wide, does not."""
    capture = Capture()
    peer = p.Peer(capture)
    counters = [p.counter(1), p.counter(2, 0x20510500), p.counter(3, p.AVERAGE_BASE), p.counter(4, attrib=2)]
    peer.registration(1, p.counterset(counters))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Größe"), (2, "% a name that is far too long"), (3, "Base"), (4, "Hidden")]))
    peer.mapped(H, p.identifier(p.NONE, "*", instance=p.NONE))
    frames = []
    for number in range(2):
        frames += peer.poll(H, p.data(rows(*[(7 * index, index * 10**6 * number, 1, 1) for index in (1, 100, 1000)], ids=[1, 2, 3, 4],
                                 names=["é" * 24, "_Total", "x" * 25].__getitem__), time=p.TIME + number * 10**7))
    peer.poll(H, p.data(rows((1, 2, 3, 4), ids=[1, 2, 3, 4])))      # of one instance there is none
    path = capture.write(tmp_path / "table.pcap")
    text = tshark.run(path, "-V", "-Y", "perflibv2.table")
    table = [line.strip("[] ") for line in text[text.rindex("[Table of"):].splitlines()[:5]]
    assert table == [
        "Table of 3 instances, 2 counters",
        "Größe  % a name that is far to…",
        "éééééééééééééééééééééééé      7                  10.000 %",
        "_Total                      700                1000.000 %",
        "xxxxxxxxxxxxxxxxxxxxxxx…   7000               10000.000 %",
    ]
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.table.row") == [[[str(frame)]] for frame in frames[1::2]]


def test_large_tables_stay_readable(tshark, tmp_path):
    """No more than a person reads, no line longer than Wireshark shows, within the limit of items."""
    capture = Capture()
    peer = p.Peer(capture)
    ids = range(1, 71)
    peer.registration(1, p.counterset([p.counter(id, p.LARGE_RAWCOUNT) for id in ids]))
    peer.registration(5, p.strings([(id, f"計測機器 {id}") for id in ids]))
    peer.mapped(H, p.identifier(p.NONE, "*", instance=p.NONE))
    peer.poll(H, p.data(rows(*[[10**12] * 70] * 150, ids=ids)), in_size=200000)
    path = capture.write(tmp_path / "large.pcap")
    text = tshark.run(path, "-V", "-Y", "perflibv2.table")
    assert "[Table of 100 instances, 60 counters (without 50 instances, 10 counters)]" in text
    found = [line.strip() for line in text[text.index("[Table of"):].splitlines()[1:]]
    found = [line[1:-1] for line in found[: next(number for number, line in enumerate(found) if line.startswith("Instance "))] if line[0] == "["]
    assert sum("計測機器" in line for line in found) > 1 and len(found) == 101 * sum("計測機器" in line for line in found)
    assert not any("…" in line or "truncated" in line for line in found) and "計測機器 60" in text[text.index("[Table of"):]
    assert max(len(line.encode()) for line in found) <= 220
    assert sum(line.split().count("1000000000000") for line in found) == 100 * 60
    assert "Table of" not in tshark.run(path, "-V", "-o", "perflibv2.max_items:2000")


@pytest.mark.parametrize("instances, counters, left_out", [
    (100, 60, ""), (101, 60, " (without 1 instances, 0 counters)"), (100, 61, " (without 0 instances, 1 counters)")])
def test_table_says_how_much_it_leaves_out(tshark, tmp_path, instances, counters, left_out):
    """100 instances and 60 counters are in it; one more of either is not."""
    capture = Capture()
    peer = p.Peer(capture)
    ids = range(1, counters + 1)
    peer.registration(1, p.counterset([p.counter(id) for id in ids]))
    peer.registration(5, p.strings([(id, str(id)) for id in ids]))
    peer.mapped(H, p.identifier(p.NONE, "*", instance=p.NONE))
    peer.poll(H, p.data(rows(*[[1] * counters] * instances, ids=ids)), in_size=200000)
    text = tshark.run(capture.write(tmp_path / "limits.pcap"), "-V", "-Y", "perflibv2.table")
    assert f"[Table of 100 instances, 60 counters{left_out}]" in text


def test_watched_aggregates_have_their_value(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, aggregate=1)], instance_type=4))
    peer.registration(3, p.text("Set"))
    peer.mapped(H, p.identifier(p.NONE, "*", instance=p.NONE))
    frame = peer.poll(H, p.data(rows([1], [20], ids=[1])))[1]
    path = capture.write(tmp_path / "watched.pcap")
    options = ["-o", r'uat:perflibv2_watch:"all","*\x5cSet\x5c*"']
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.watch.all == 21", options=options) == [[[str(frame)]]]
    assert not tshark.fields(path, "frame.number", display_filter="perflibv2.watch.all != 21", options=options)


@pytest.mark.parametrize("size", range(90, 111))
def test_long_names_leave_pdml_well_formed(tshark, tmp_path, size):
    """Whatever is appended to a label that is nearly full: Wireshark 4.0 would cut it within a character."""
    capture = Capture()
    peer = p.Peer(capture)
    name = "é" * size
    peer.registration(3, p.text(name))
    peer.registration(5, p.strings([(0, name), (1, name), (2, name)]))
    peer.registration(1, p.counterset([p.counter(0, p.AVERAGE_BASE), p.counter(1, p.AVERAGE_BULK, base=0), p.counter(2)]))
    peer.enumerate()
    peer.mapped(H, p.identifier(1, name), p.identifier(2, name))
    peer.poll(H, p.data(*[p.block(1, p.value(5))] * 2))
    # What is no UTF-8 comes as replacement characters.
    assert "\ufffd" not in tshark.run(capture.write(tmp_path / "long.pcap"), "-T", "pdml", "-Y", "perflibv2")


def test_long_labels_are_whole_or_cut_by_wireshark(tshark, tmp_path):
    """A line of 239 bytes is whole, a longer one is cut by Wireshark, which says so; with bytes of several a character, too."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1)]))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Counter")]))
    peer.mapped(H, p.identifier(1, "*", instance=p.NONE))
    names = ["n" * length for length in range(195, 225)] + ["ü" + "n" * length for length in range(195, 225)]
    instances = [p.instance(name, number) + p.value(7) for number, name in enumerate(names)]
    for _ in range(2):
        peer.poll(H, p.data(p.block(4, p.multi_instances(instances))), in_size=1 << 16)
    path = capture.write(tmp_path / "long.pcap")
    polls = tshark.fields(path, "perflibv2.path", display_filter="perflibv2.path")
    wanted = [f"{unescaped(value)} = 7" for poll in polls for value in poll[0]]
    text = tshark.run(path, "-V", "-Y", "perflibv2.path")
    found = [line.strip()[1:-1] for line in text.splitlines() if r"\\" in line and line.rstrip().endswith("]")]
    lengths = [len(label.encode()) for label in wanted]
    assert len(wanted) == 2 * len(names) and {238, 239, 240, 241} <= set(lengths)
    for label, length in zip(wanted, lengths):
        assert found.count(label) == (2 if length < 240 else 0), (length, label)
    assert sum("truncated" in line or "…" in line for line in found) == sum(length >= 240 for length in lengths)
