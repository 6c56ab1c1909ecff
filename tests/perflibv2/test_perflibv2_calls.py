# SPDX-License-Identifier: GPL-2.0-or-later
"""Did the call succeed? Nothing of an answer that says no is learned, judged or counted; a call has one answer."""

import csv
import re
import struct

import pytest

from lib import perflibv2 as p
from lib.named_query import unescaped
from lib import tables
from lib.tables import named_rows, table_rows
from lib.wire import Capture, align

H, OTHER = p.query_handle(1), p.query_handle(2)
ACCESS_DENIED, INVALID_PARAMETER = p.ACCESS_DENIED, p.INVALID_PARAMETER
RESPONSES = "dcerpc.pkt_type == 2"
BOTH_PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])


def query_rows(tshark, path, *options):
    """handle -> (added, refused, removed, polls) of -z perflibv2,queries."""
    output = tshark.run(path, *options, "-q", "-z", "perflibv2,queries")
    return [(row["Handle"], *(int(row[name]) for name in ("Added", "Refused", "Removed", "Polls"))) for row in named_rows(output)]


def guid_of(handle):
    return str(p.uuid.UUID(bytes_le=handle[4:]))


def verdicts(tshark, path, *options):
    """rule -> verdict, of the rules that were checked."""
    return {rule: row[3] for rule, row in tables.verdicts(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))[0].items()}


def paths_of(tshark, path, frame, passes):
    """The paths of the values in a frame."""
    ((paths,),) = tshark.fields(path, "perflibv2.path", display_filter=f"frame.number == {frame}", options=passes)
    return [unescaped(each) for each in paths]


@BOTH_PASSES
def test_refused_open_replaces_no_query(tshark, tmp_path, passes):
    """The bytes of a handle that is open stand in the answer that refuses another."""
    capture = Capture()
    peer = p.Peer(capture)
    opened = peer.open(H)[1]
    peer.validate(H, p.identifier(1, "one"))
    refused = peer.open(H, status=ACCESS_DENIED)[1]
    polled = peer.poll(H, p.data(p.block(1, p.value())))[1]
    path = capture.write(tmp_path / "refused.pcap")
    rows = tshark.fields(path, "frame.number", "perflibv2.handle.opened_in", display_filter="perflibv2.handle", options=passes)
    assert {frame: opened_in for (frame,), opened_in in rows} == {
        str(opened): [str(opened)], str(opened + 1): [str(opened)], str(opened + 2): [], str(refused): [],
        str(polled - 1): [str(opened)], str(polled): [],
    }
    # What was added is the query's still: its one block is known.
    assert paths_of(tshark, path, polled, passes) == [f"\\\\HOST\\{{{p.SET}}}(one)\\counter 1"]
    assert query_rows(tshark, path, *passes) == [(guid_of(H), 1, 0, 0, 1)]
    assert verdicts(tshark, path, *passes)["handle_unique"] == "held"


@BOTH_PASSES
@pytest.mark.parametrize("add", [1, 0])
def test_refused_change_changes_nothing(tshark, tmp_path, passes, add):
    """ValidateCounters returns its buffer even where it fails: with statuses of 0."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.validate(H, p.identifier(1, "one"))
    refused = peer.validate(H, p.identifier(2 if add else 1, "two" if add else "one"), add=add, status=INVALID_PARAMETER)[1]
    polled = peer.poll(H, p.data(p.block(1, p.value())))[1]
    peer.info(H, p.identifier(1, "one"))
    path = capture.write(tmp_path / "refused.pcap")
    assert query_rows(tshark, path, *passes) == [(guid_of(H), 1, 0, 0, 1)]
    assert paths_of(tshark, path, polled, passes) == [f"\\\\HOST\\{{{p.SET}}}(one)\\counter 1"]
    # The index map has as many identifiers as the query.
    assert verdicts(tshark, path, *passes)["info_identifiers"] == "held"
    line = tshark.run(path, *passes, "-Y", f"frame.number == {refused}")
    assert "ERROR_INVALID_PARAMETER" in line and "added" not in line and "removed" not in line


@BOTH_PASSES
def test_failed_answers_teach_nothing(tshark, tmp_path, passes):
    """Names, types, instances, index maps, polls: what a failed call leaves in its buffer is none."""
    capture = Capture()
    peer = p.Peer(capture)
    error = {"status": p.GUID_NOT_FOUND}
    # A single-instance counterset of one counter, if that answer were believed.
    peer.registration(1, p.counterset([p.counter(1)], instance_type=0), **error)
    peer.registration(3, p.text("Name"), **error)
    peer.registration(5, p.strings([(1, "Counter")]), **error)
    peer.instances(p.instance("one", 7), **error)
    peer.open(H)
    peer.validate(H, p.identifier(1, "one"), p.identifier(2, "two"))
    peer.info(H, p.identifier(1, "one", index=1), p.identifier(2, "two", index=0), **error)
    peer.poll(H, p.data(p.block(1, p.value(999)), p.block(1, p.value(999))), **error)
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    # Rules that ask what the counterset is have nothing to go by.
    peer.instances(p.instance("one"), p.instance("two"))
    peer.registration(5, p.strings([(3, "Other")]))
    path = capture.write(tmp_path / "failed.pcap")
    names = ["perflibv2.counterset.name", "perflibv2.path", "perflibv2.poll.previous_frame", "perflibv2.block.mapped_in"]
    rows = tshark.fields(path, *names, display_filter="perflibv2.opnum == 6 && " + RESPONSES, options=passes)
    assert rows == [[[], [], [], []], [[], [], [], []]]
    assert not {"instance_single", "strings_counters", "strings_counter_id"} & verdicts(tshark, path, *passes).keys()
    assert query_rows(tshark, path, *passes) == [(guid_of(H), 2, 0, 0, 1)]


@BOTH_PASSES
def test_failed_answers_are_not_judged(tshark, tmp_path, passes):
    """Left-over bytes in the buffer break no rule about structures; the return code is judged all the same."""
    capture = Capture()
    peer = p.Peer(capture)
    failed = {"status": 0x00012345}
    peer.open(H)
    peer.registration(1, p.counterset([p.counter(1, reserved=1)]) + b"tail", **failed)
    peer.instances(p.instance(size=4096, raw=p.text("one")), **failed)
    peer.info(H, p.identifier(1, reserved=4, index=9), **failed)
    peer.poll(H, p.data(p.block(9, reserved=3), total=7, num=8), **failed)
    peer.validate(H, p.identifier(1), returned=p.identifier(2), **failed)
    path = capture.write(tmp_path / "failed.pcap")
    assert {rule for rule, verdict in verdicts(tshark, path, *passes).items() if verdict == "broken"} == {"return_code"}
    # The bytes are shown for what they are.
    assert tshark.fields(path, "perflibv2.block.reserved", display_filter="perflibv2.block.reserved", options=passes) == [[["0x00000003"]]]


def two_answers(tmp_path, first, second, in_one_frame):
    """A poll that is answered twice; in one frame or in two."""
    capture = Capture()
    peer = p.Peer(capture)
    connection = peer.connection
    peer.registration(1, p.counterset([p.counter(1), p.counter(2)]))
    peer.mapped(H, *(p.identifier(number, "one") for number in range(1, 3)))
    connection.call_id += 1
    connection.request(6, H + struct.pack("<I", 4096))
    stubs = [align(struct.pack("<IIIII", len(data), len(data), 4096, 0, len(data)) + data, 4) + struct.pack("<I", 0) for data in (first, second)]
    if in_one_frame:
        with connection.in_one_frame():
            for stub in stubs:
                connection.response(stub)
    else:
        for stub in stubs:
            connection.response(stub)
    return capture.write(tmp_path / "twice.pcap")


@BOTH_PASSES
@pytest.mark.parametrize("in_one_frame", [True, False], ids=["one frame", "two frames"])
@pytest.mark.parametrize("second", [
    p.data(p.block(1, p.value(999)), p.block(1, p.value(998))),
    p.data(p.block(1, p.value(999))),
    p.data(),
    p.data(p.block(0, status=5), p.block(0, status=5)),
    p.data(p.block(2, p.multi_counters([1, 2]) + p.value(999) + p.value(998)), p.block(0, status=5)),
], ids=["other values", "fewer blocks", "none", "errors", "other blocks"])
def test_second_answer_is_shown_without_a_path(tshark, tmp_path, passes, in_one_frame, second):
    """The first is the poll. The second is shown as its bytes say, without a path, and no table has it."""
    tmp_path.chmod(0o777)
    first = p.data(p.block(1, p.value(5)), p.block(1, p.value(6)))
    path = two_answers(tmp_path, first, second, in_one_frame)
    packets = tshark.packets(path, *passes, display_filter=f"perflibv2.opnum == 6 && {RESPONSES}")
    answers = [protocol for protocols in packets for protocol in protocols if protocol.name == "perflibv2"]
    assert len(answers) == 2
    shown = [[item.first("perflibv2.value").show for item in answer.find("perflibv2.path")] for answer in answers]
    assert shown == [["5", "6"], []]
    assert [bool(answer.find("perflibv2.second_answer")) for answer in answers] == [False, True]
    (note,) = [item for item in answers[1].find("") if item.find("perflibv2.second_answer")]
    assert (note.position, note.size) == (answers[1].position, 0)   # no byte of the answer is at fault
    assert [int(item.show) for item in answers[1].find("perflibv2.value")] == [n for n in (999, 998) if struct.pack("<I", n) in second]

    output = tshark.run(path, *passes, "-q", "-z", "perflibv2,counters", "-z", f"perflibv2,pdh-csv,{tmp_path}/polls.csv")
    counters = {row[0][-1]: row[2:4] for row in table_rows(output)}
    assert counters == {"1": ["1", "5"], "2": ["1", "6"]}
    with (tmp_path / "polls.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 2 and rows[1][1:] == ["5", "6"]
    assert query_rows(tshark, path, *passes) == [(guid_of(H), 2, 0, 0, 1)]


@BOTH_PASSES
def test_second_answer_adds_nothing(tshark, tmp_path, passes):
    """To OpenQueryHandle and ValidateCounters, in frames of their own."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.connection.response(OTHER + struct.pack("<I", 0))
    peer.validate(H, p.identifier(1, "one"))
    again = p.identifier(1, "one") + p.identifier(2, "two")
    peer.connection.response(align(struct.pack("<I", len(again)) + again, 4) + struct.pack("<I", 0))
    peer.poll(H, p.data(p.block(1, p.value())))
    path = capture.write(tmp_path / "twice.pcap")
    assert query_rows(tshark, path, *passes) == [(guid_of(H), 1, 0, 0, 1)]
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.path", options=passes)) == 1


@BOTH_PASSES
def test_small_trees_lose_no_statistics(tshark, tmp_path, passes):
    """Wireshark ends a packet whose tree grows beyond gui.max_tree_items: dwAdd and return codes behind lpData count all the same."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    many = [p.identifier(number, f"instance {number}") for number in range(1, 100)]
    peer.mapped(H, *many)
    peer.validate(H, *many[50:], add=0)
    for seconds in range(3):
        peer.poll(H, p.data(*(p.block(1, p.value(number)) for number in range(50)), time=p.TIME + seconds * 10**7), in_size=1 << 16)
    peer.poll(H, p.data(*[p.block(1, p.value())] * 50), status=ACCESS_DENIED, in_size=1 << 16)
    path = capture.write(tmp_path / "many.pcap")
    tables = [argument for name in ("counters", "queries", "rules", "calls") for argument in ("-z", f"perflibv2,{name}")]

    def output(*options):
        text = tshark.run(path, *passes, *options, *tables, check=False)
        return text[text.index("\n=====") :]

    assert output("-V", "-o", "gui.max_tree_items:300") == output("-q")
    # Nor is it hidden that the tree has no more.
    ended = tshark.run(path, *passes, "-V", "-o", "gui.max_tree_items:300", "-Y", "perflibv2.opnum == 6 && dcerpc.pkt_type == 2", check=False)
    assert len(re.findall(r"^\[Dissector bug, protocol .* more than 300 items in the tree", ended, re.MULTILINE)) == 4
