# SPDX-License-Identifier: GPL-2.0-or-later
"""What blocks are of where no index map was captured: named where only one identifier can have asked for them, and never wrongly."""

import csv
import struct
import uuid

import pytest

from lib import perflibv2 as p
from lib.named_query import H, session, unescaped
from lib.some import some
from lib.tables import table_sentences
from lib.wire import FAULT, NDR, REQUEST, RESPONSE, WINREG, Capture, handle

def links(tshark, tmp_path, capture):
    """Of the last poll: how each block's meaning is known, and the path of each value that has one."""
    path = capture.write(tmp_path / "polls.pcap")
    rows = tshark.fields(path, "perflibv2.block.link", "perflibv2.path", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    how, paths = rows[-1]
    return how, [unescaped(path) for path in paths]


def instances(*names):
    """A block of one counter's values, by instance."""
    return p.block(4, p.multi_instances([p.instance(name) + p.value() for name in names]))


def test_instances_tell_patterns_apart(tshark, tmp_path):
    """Names that begin otherwise rule a pattern out, in whichever order the blocks come."""
    capture, peer = session(p.identifier(1, "a*"), p.identifier(2, "b?b"))
    peer.poll(H, p.data(instances("bob"), instances("alice", "a")))
    how, paths = links(tshark, tmp_path, capture)
    assert len(how) == 2 and all(link.startswith("inferred") for link in how)
    assert paths == [r"\\HOST\First(bob)\Writes", r"\\HOST\First(alice)\Reads", r"\\HOST\First(a)\Reads"]


def test_case_tells_no_names_apart(tshark, tmp_path):
    """A pattern in capitals asks for instances in small letters, too: the first block may answer either identifier."""
    capture, peer = session(p.identifier(1, "A*", instance=p.NONE), p.identifier(2, "alpha", instance=p.NONE))
    peer.poll(H, p.data(p.block(1, p.value()), instances("alpha")))
    assert links(tshark, tmp_path, capture)[1] == []
    capture, peer = session(p.identifier(1, "CHR*"), p.identifier(2, "a*"))
    peer.poll(H, p.data(instances("alpha"), instances("chrome")))
    assert links(tshark, tmp_path, capture)[1] == [r"\\HOST\First(alpha)\Writes", r"\\HOST\First(chrome)\Reads"]


def test_names_shorter_than_the_pattern(tshark, tmp_path):
    capture, peer = session(p.identifier(1, "ab*"), p.identifier(2, "*"))
    peer.poll(H, p.data(instances("a"), instances("abc")))
    # "a" can't be of ab*; abc may be of either.
    assert links(tshark, tmp_path, capture)[1] == [r"\\HOST\First(a)\Writes"]


def test_pattern_that_fits_two_blocks(tshark, tmp_path):
    """Both blocks could only have been asked for by one identifier: something is missing, and neither is named."""
    capture, peer = session(p.identifier(1, "a*"), p.identifier(2, "b*"))
    peer.poll(H, p.data(instances("alice"), instances("anne")))
    how, paths = links(tshark, tmp_path, capture)
    assert len(how) == 2 and all(link.startswith("unknown") for link in how)
    assert paths == []


@pytest.mark.parametrize("taught", [True, False], ids=["known", "unknown"])
def test_counters_tell_countersets_apart(tshark, tmp_path, taught):
    """Counter 9 is of one counterset only, if all counters of both are known."""
    every = p.identifier(p.NONE, "*", guid=p.SET), p.identifier(p.NONE, "*", guid=p.OTHER_SET)
    capture, peer = session(*every, taught=taught)
    rows = [p.instance("i") + p.value()]
    peer.poll(H, p.data(p.block(6, p.multi_counters([9]) + p.multi_instances(rows)), p.block(6, p.multi_counters([1]) + p.multi_instances(rows))))
    # Counter 1 is in both countersets.
    assert links(tshark, tmp_path, capture)[1] == ([r"\\HOST\Second(i)\Errors"] if taught else [])


def test_too_many_to_compare_one_by_one(tshark, tmp_path):
    """Of 100 identifiers only what all of them have in common is said: the counter, where instances stand in the blocks."""
    capture, peer = session(*(p.identifier(1, f"a{number}*") for number in range(100)))
    peer.poll(H, p.data(*(instances(f"a{number}x") for number in reversed(range(100)))), in_size=1 << 16)
    how, paths = links(tshark, tmp_path, capture)
    assert len(how) == 100 and all(link.startswith("inferred") for link in how)
    assert paths == [rf"\\HOST\First(a{number}x)\Reads" for number in reversed(range(100))]


@pytest.mark.parametrize("indices", [(0, 1, 1), (0, 0, 1), (1, 1, 1)])
def test_index_given_twice_names_no_block(tshark, tmp_path, indices):
    """Which of the identifiers a block is of can't be told: no name is better than a wrong one."""
    identifiers = [p.identifier(1, "x"), p.identifier(2, "x"), p.identifier(1, "y")]
    capture, peer = session(*identifiers, mapped=indices)
    one = p.block(1, p.value())
    peer.poll(H, p.data(one, one, one))
    paths = [r"\\HOST\First(x)\Reads", r"\\HOST\First(x)\Writes", r"\\HOST\First(y)\Reads"]
    assert links(tshark, tmp_path, capture)[1] == [path for path, index in zip(paths, indices) if indices.count(index) == 1]


NAMELESS = p.identifier(1, None, instance=7)


@pytest.mark.parametrize(
    ("teach", "known"),
    [
        (lambda peer: peer.instances(p.instance("worker", 7), p.instance("other", 8)), ["worker"]),
        (lambda peer: peer.info(H, p.identifier(1, "worker", instance=7)), ["worker"]),
        # A pattern is no name, and an id that had two names has none.
        (lambda peer: peer.info(H, p.identifier(1, "w*", instance=7)), []),
        (lambda peer: peer.instances(p.instance("worker", 7), p.instance("another", 7)), []),
        (lambda peer: peer.instances(p.instance("worker", 8)), []),
    ],
    ids=["instances", "identifiers", "pattern", "two names", "another id"],
)
def test_instance_known_by_its_id(tshark, tmp_path, teach, known):
    """An identifier that names its instance by id only: its name is that which an earlier answer gave the id, and says which."""
    capture, peer = session(p.identifier(1, "x"))
    taught_in = teach(peer)[1]
    frame = peer.validate(H, NAMELESS)[0]
    path = capture.write(tmp_path / "instances.pcap")
    ((packet,),) = [[one for one in protocols if one.name == "perflibv2"] for protocols in tshark.packets(path, display_filter=f"frame.number == {frame}")]
    names = packet.find("perflibv2.instance.name")
    assert [(item.show, item.generated) for item in names] == [(name, True) for name in known]
    assert [item.first("perflibv2.learned_in").show for item in names] == [str(taught_in)] * len(known)


ONE = p.block(1, p.value())


def lost_call(peer):
    """A call that the capture lacks, or of another interface: its number is missing."""
    peer.connection.call_id += 1


def polls_named(tshark, tmp_path, capture):
    """The paths of each poll's values, and the last line of the verdict."""
    path = capture.write(tmp_path / "lost.pcap")
    rows = tshark.fields(path, "perflibv2.path", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2", options=["-2"])
    return [[unescaped(path) for path in row[0]] for row in rows], table_sentences(tshark.run(path, "-q", "-z", "perflibv2,rules"))[-1]


def bind_registry(peer):
    """An alter_context, which binds the remote registry on the same connection as context 1."""
    connection = peer.connection
    sizes = struct.pack("<HHI", 5840, 5840, 0x12345)
    name, syntax = uuid.UUID(WINREG[0]).bytes_le, uuid.UUID(NDR[0]).bytes_le + struct.pack("<I", NDR[1])
    connection.call_id += 1
    connection.pdu(14, sizes + struct.pack("<B3xHBB", 1, 1, 1, 0) + name + struct.pack("<HH", *WINREG[1:]) + syntax)
    answer = sizes + struct.pack("<H2xB3xHH", 0, 1, 0, 0) + syntax
    header = struct.pack("<BBBB4sHHI", 5, 0, 15, 3, b"\x10\0\0\0", 16 + len(answer), 0, connection.call_id)
    connection._send(header + answer, True, None)
    # As Windows does, the next call has the same number.
    connection.call_id -= 1


def registry_call(peer):
    """OpenHKPD, to context 1."""
    connection = peer.connection
    connection.call_id += 1
    connection.pdu(REQUEST, struct.pack("<IHH", 8, 1, 3) + bytes(8))
    connection.pdu(RESPONSE, struct.pack("<IHH", 24, 1, 0) + handle() + bytes(4))


@pytest.mark.parametrize("mapped", [[0], None], ids=["mapped", "inferred"])
def test_calls_of_another_interface_on_the_connection(tshark, tmp_path, mapped):
    """Their numbers are not missing: what is known of a query is known on. One that is not captured may have been anybody's."""
    capture, peer = session(p.identifier(1, "x"), mapped=mapped)
    peer.poll(H, p.data(ONE))
    bind_registry(peer)
    for _ in range(3):
        registry_call(peer)
        registry_call(peer)
        peer.poll(H, p.data(ONE))
    registry_call(peer)
    del capture.frames[-2:]
    peer.poll(H, p.data(ONE))
    path = capture.write(tmp_path / "both.pcap")
    for options in (), ("-2",):
        rows = tshark.fields(path, "perflibv2.block.link", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2", options=options)
        known = "by Index of QueryCounterInfo" if mapped else "inferred from the added identifiers"
        doubt = "by Index of QueryCounterInfo, but calls in between are missing" if mapped else \
            "unknown: no QueryCounterInfo answer, and calls are missing"
        assert [row[0] for row in rows] == [[known]] * 4 + [[doubt]]


READS, WRITES = r"\\HOST\First(x)\Reads", r"\\HOST\First(x)\Writes"


def test_index_map_before_a_lost_change(tshark, tmp_path):
    """More blocks than the map has, after a lost call: the map no longer holds, and no server is to blame."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(ONE))
    lost_call(peer)
    peer.poll(H, p.data(ONE, ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS], []], "no rule broken")


def test_index_map_after_a_lost_change(tshark, tmp_path):
    """The map is not that of a poll before the lost call, which had other blocks."""
    capture, peer = session(p.identifier(1, "x"))
    peer.poll(H, p.data(ONE))
    lost_call(peer)
    peer.info(H, p.identifier(2, "x", index=0), p.identifier(1, "x", index=1))
    peer.poll(H, p.data(ONE, ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS], [WRITES, READS]], "no rule broken")


def test_index_map_after_polls_of_two_queries(tshark, tmp_path):
    """The map tells what the polls since the last change hold; what blocks nothing is known of held before is nothing to compare them with."""
    capture, peer = session(p.identifier(1, "x"), p.identifier(2, "x"))
    peer.registration(1, p.counterset([p.counter(1, 0x00400400), p.counter(2, 0x00400400)]))      # PERF_COUNTER_DELTA
    polls = [p.data(*(p.block(1, p.value(number * times)) for times in (1, 10))) for number in (1, 3, 7)]
    peer.poll(H, polls[0])
    peer.validate(H, p.identifier(2, "x"), add=0)
    peer.validate(H, p.identifier(2, "y"))
    peer.poll(H, polls[1])
    peer.info(H, p.identifier(1, "x", index=0), p.identifier(2, "y", index=1))
    peer.poll(H, polls[2])
    path = capture.write(tmp_path / "two.pcap")
    rows = tshark.fields(path, "perflibv2.cooked", "perflibv2.cooked.reason", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2", options=["-2"])
    assert rows == [[[], []], [[], ["first sample"] * 2], [["4", "40"], []]]


def test_index_map_and_calls_of_another_interface(tshark, tmp_path):
    """Missing numbers alone prove no change: with as many blocks as before the map holds."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    for _ in range(3):
        lost_call(peer)
        peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS]] * 3, "no rule broken")


def test_more_blocks_than_the_map_has(tshark, tmp_path):
    """No call is missing, so the server is to blame; which of the blocks the map means nobody can tell."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(ONE, ONE))
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[], [READS]], "1 rule broken")
    capture, peer = session(p.identifier(1, "x"), p.identifier(2, "y"), mapped=[0, 1])
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[]], "1 rule broken")


def test_block_that_its_identifier_cannot_have(tshark, tmp_path):
    """Several counters where the map says one, another instance than it says; and blocks beside it keep their names."""
    several = p.block(2, p.multi_counters([1, 2]) + p.value() + p.value())
    for item, wrong in ((p.identifier(2, "x"), several), (p.identifier(p.NONE, "x"), ONE), (p.identifier(2, "x*"), instances("alice"))):
        capture, peer = session(p.identifier(1, "x"), item, mapped=[0, 1])
        peer.poll(H, p.data(ONE, wrong))
        assert polls_named(tshark, tmp_path, capture) == ([[READS]], "1 rule broken")
        # The map comes later.
        capture, peer = session(p.identifier(1, "x"), item)
        peer.poll(H, p.data(ONE, wrong))
        peer.info(H, p.identifier(1, "x"), item[:32] + struct.pack("<I", 1) + item[36:])
        assert polls_named(tshark, tmp_path, capture)[0] == [[READS]]


def test_map_of_what_was_not_added(tshark, tmp_path):
    """The server says "two" where "one" was added: its block has no name. Where a call is missing it may have been added."""
    capture, peer = session(p.identifier(1, "one"))
    peer.info(H, p.identifier(1, "two"))
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[]], "1 rule broken")
    capture, peer = session(p.identifier(1, "one"))
    lost_call(peer)
    peer.info(H, p.identifier(1, "two"))
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[r"\\HOST\First(two)\Reads"]], "no rule broken")


def test_one_value_of_a_counterset_with_several_instances(tshark, tmp_path):
    """A wildcard names no instance, and the block none: a path without one is of another counterset."""
    capture, peer = session(p.identifier(1, "*"), mapped=[0])
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[]], "1 rule broken")
    capture, peer = session(p.identifier(1, "*"), taught=False, mapped=[0])
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[r"\\HOST\First\Reads"]], "no rule broken")


def answer_later(peer, method, *arguments, **more):
    """Sends a call whose answer comes only when what is returned is called."""
    kept, call, connection = [], peer.call, peer.connection
    peer.call = lambda *of_call: kept.append(of_call)
    getattr(peer, method)(*arguments, **more)
    peer.call = call
    connection.call_id += 1
    (opnum, request, response), number = kept[0], connection.call_id
    connection.request(opnum, request)
    return lambda: connection.response(response, number)


def test_answers_to_changes_that_come_later(tshark, tmp_path):
    """What is polled, and mapped, before the change is answered is of before or after it: nobody can tell."""
    capture, peer = session(p.identifier(1, "one"), mapped=[0])
    late = answer_later(peer, "validate", H, p.identifier(1, "one"), add=0)
    later = answer_later(peer, "validate", H, p.identifier(9, "two", guid=p.OTHER_SET))
    peer.poll(H, p.data(ONE))
    peer.poll(H, p.data(p.block(1, p.value(999))))
    peer.info(H, p.identifier(1, "one"))
    peer.poll(H, p.data(p.block(1, p.value(999))))
    late()
    peer.poll(H, p.data(p.block(1, p.value(999))))
    later()
    peer.poll(H, p.data(p.block(1, p.value(999))))
    assert polls_named(tshark, tmp_path, capture) == ([[], [], [], [], [r"\\HOST\Second(two)\Errors"]], "no rule broken")


def test_answer_without_its_request(tshark, tmp_path):
    """It shows at once that a call is missing, before the number of the next request does."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    late = answer_later(peer, "poll", H, p.data(p.block(1, p.value(999))))
    sent = len(capture.frames)
    peer.validate(H, p.identifier(1, "x"), add=0)
    del capture.frames[sent]
    late()
    peer.poll(H, p.data())
    assert polls_named(tshark, tmp_path, capture) == ([[], []], "no rule broken")
    # Without several calls under way what comes next is doubtful.
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    sent = len(capture.frames)
    peer.validate(H, p.identifier(1, "x"), add=0)
    del capture.frames[sent]
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS]], "no rule broken")
    how = tshark.fields(tmp_path / "lost.pcap", "perflibv2.block.link", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert how[-1][0] == ["by Index of QueryCounterInfo, but calls in between are missing"]


def test_second_index_map_holds_from_then_on(tshark, tmp_path):
    """A map that says something else, of as many identifiers: from then on that one holds."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(ONE))
    lost_call(peer)
    for counter in (1, 2, 2):
        peer.info(H, p.identifier(counter, "x"))
        peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture)[0] == [[READS], [READS], [WRITES], [WRITES]]


def test_answer_to_a_change_that_is_lost(tshark, tmp_path):
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(ONE))
    peer.validate(H, p.identifier(2, "x"))
    del capture.frames[-1]
    peer.poll(H, p.data(ONE, ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS], []], "no rule broken")


def test_many_countersets_in_a_line(tshark, tmp_path):
    """The Info column names the first counterset and counts the others, up to a point."""
    for number, words in (2, "Set 0 and 1 more"), (15, "Set 0 and 14 more"), (16, "Set 0 and 15+ more"), (30, "Set 0 and 15+ more"):
        capture = Capture()
        peer = p.Peer(capture)
        guids = [p.uuid.UUID(int=0x1000 + n) for n in range(number)]
        for n, guid in enumerate(guids):
            peer.registration(3, p.text(f"Set {n}"), guid=guid)
        peer.mapped(H, *(p.identifier(1, "x", guid=guid) for guid in guids))
        peer.poll(H, p.data(*[ONE] * number))
        path = capture.write(tmp_path / f"{number}.pcap")
        line = tshark.run(path).splitlines()[-1]
        assert f", {words}, {number} blocks, " in line, line


MANY = p.block(4, p.multi_instances([p.instance(name, id) + p.value() for id, name in ((7, "chrome"), (9, "chrome"))]))


def test_any_instance_id_is_a_wildcard(tshark, tmp_path):
    """Two processes of one name are an answer to that name with any InstanceId, and so prove nothing of another's pattern."""
    capture, peer = session(p.identifier(1, "chrome", instance=p.NONE), p.identifier(2, "*", guid=p.OTHER_SET))
    peer.poll(H, p.data(MANY, MANY))
    how, paths = links(tshark, tmp_path, capture)
    assert all(link.endswith("several identifiers are possible") for link in some(how)) and paths == []


def test_one_instance_id_is_none(tshark, tmp_path):
    """With a certain InstanceId a name has one instance."""
    capture, peer = session(p.identifier(1, "chrome", instance=7), p.identifier(2, "*", guid=p.OTHER_SET))
    peer.poll(H, p.data(MANY, p.block(1, p.value())))
    assert links(tshark, tmp_path, capture)[1][:2] == [r"\\HOST\Second(chrome)\Writes", r"\\HOST\Second(chrome#1)\Writes"]


def calls_at_once(peer, calls, answers):
    """The requests of some calls, then their answers, in an order of their own."""
    sent, call = [], peer.call
    peer.call = lambda *of_call: sent.append(of_call)
    for make in calls:
        make()
    peer.call = call
    connection = peer.connection
    first = connection.call_id + 1
    for number, (opnum, request, _) in enumerate(sent):
        connection.request(opnum, request, call_id=first + number)
    for number in answers:
        connection.response(sent[number][2], call_id=first + number)
    connection.call_id += len(sent)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["change answered first", "poll answered first"])
@pytest.mark.parametrize("change_first", [True, False])
def test_poll_under_way_while_the_query_changes(tshark, tmp_path, order, change_first):
    """Which counter its one block is of can't be told: neither a name nor a broken rule. The next poll is the new query's."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(ONE))
    calls = [
        lambda: peer.validate(H, p.identifier(1, "x"), add=0),
        lambda: peer.poll(H, p.data(ONE)),
    ]
    if change_first:
        calls_at_once(peer, calls, order)
    else:
        calls_at_once(peer, calls[::-1], [1 - number for number in order])
    peer.validate(H, p.identifier(2, "x"))
    peer.info(H, p.identifier(2, "x", index=0))
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS], [], [WRITES]], "no rule broken")
    how = tshark.fields(tmp_path / "lost.pcap", "perflibv2.block.link", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert [row[0][0] for row in how][1] == "unknown: the query was changed between request and answer"


def test_change_under_way_after_one_was_added_twice(tshark, tmp_path):
    """An identifier was added twice, then the map told what the query has: from then on a change under way counts as ever."""
    capture, peer = session(p.identifier(1, "x"))
    peer.validate(H, p.identifier(1, "x"))
    peer.info(H, p.identifier(1, "x", index=0))
    peer.poll(H, p.data(ONE))
    calls_at_once(peer, [lambda: peer.validate(H, p.identifier(1, "x"), add=0), lambda: peer.poll(H, p.data(ONE))], (1, 0))
    assert polls_named(tshark, tmp_path, capture)[0] == [[READS], []]


def test_index_map_under_way_while_the_query_changes(tshark, tmp_path):
    """A map that may be of before or of after a change is nobody's."""
    capture, peer = session(p.identifier(1, "x"))
    calls_at_once(
        peer,
        [lambda: peer.info(H, p.identifier(1, "x", index=0)), lambda: peer.validate(H, p.identifier(2, "x"))],
        [1, 0],
    )
    peer.poll(H, p.data(ONE, ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[]], "no rule broken")


def test_change_that_is_never_answered(tshark, tmp_path):
    """
    Polls that follow may be of before or after: a client may have several calls under way. After a minute the answer is taken for
    lost, and the map holds on as long as blocks do not contradict it.
    """
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.validate(H, p.identifier(1, "x"))
    del capture.frames[-1]
    for _ in range(3):
        peer.poll(H, p.data(ONE))
    capture.wait(62_000)
    for _ in range(2):
        peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[], [], [], [], [READS]], "no rule broken")
    how = tshark.fields(tmp_path / "lost.pcap", "perflibv2.block.link", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert how[-1][0] == ["by Index of QueryCounterInfo, but calls in between are missing"]


def test_other_blocks_after_lost_calls(tshark, tmp_path):
    """As many blocks as before, of another type: the query was changed by a call that is missing, and the map is none of it."""
    capture, peer = session(p.identifier(1, "x"), mapped=[0])
    peer.poll(H, p.data(ONE))
    lost_call(peer)
    peer.poll(H, p.data(instances("alice")))
    peer.poll(H, p.data(ONE))
    assert polls_named(tshark, tmp_path, capture) == ([[READS], [], []], "no rule broken")
    how = tshark.fields(tmp_path / "lost.pcap", "perflibv2.block.link", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert [row[0] for row in how[1:]] == [["unknown: no QueryCounterInfo answer, and calls are missing"]] * 2


def test_why_a_block_is_not_known(tshark, tmp_path):
    """Each cause has its own words. Of those that more frames would clear up, the values say that the counter was not captured."""
    def opened_before(peer):
        peer.poll(p.query_handle(9), p.data(ONE))

    def not_in_map(peer):
        peer.info(H, p.identifier(1, "x", index=1), p.identifier(2, "x", index=1))
        peer.poll(H, p.data(ONE, ONE))

    def removed_otherwise(peer):
        peer.validate(H, p.identifier(1, "never added"), add=0)
        peer.poll(H, p.data(ONE))

    def call_lost(peer):
        peer.poll(H, p.data(ONE, ONE))
        lost_call(peer)
        peer.poll(H, p.data(ONE))

    for make, words, reason in [
        (opened_before, "the handle was opened before the capture", "counter not captured"),
        (not_in_map, "no identifier with this Index, or several", "counter unknown"),
        (removed_otherwise, "the result of a change is missing", "counter not captured"),
        (call_lost, "calls are missing", "counter not captured"),
    ]:
        capture, peer = session(p.identifier(1, "x"), p.identifier(2, "x"))
        make(peer)
        how, paths = links(tshark, tmp_path, capture)
        assert paths == [] and all(link.startswith("unknown: ") and link.endswith(words) for link in some(how)), how
        samples = list(csv.DictReader(tshark.run(tmp_path / "polls.pcap", "-q", "-z", "perflibv2,samples,-").splitlines()))
        assert {row["reason"] for row in samples if row["frame"] == samples[-1]["frame"]} == {reason}, words


@pytest.mark.parametrize("mapped", [False, True], ids=["inferred", "mapped"])
def test_a_fault_changes_nothing(tshark, tmp_path, mapped):
    """The server threw the call away: what was added is still known, an index map holds on."""
    capture, peer = session(p.identifier(1, "one"), mapped=[0] if mapped else None)
    connection, more = peer.connection, p.identifier(2, "two")
    connection.call_id += 1
    connection.request(7, H + struct.pack("<II", len(more), len(more)) + more + struct.pack("<I", 1))
    connection.pdu(FAULT, struct.pack("<IHBBII", 32, 0, 0, 0, 0x1C010003, 0))      # nca_s_fault_remote_no_memory
    frame = peer.poll(H, p.data(p.block(1, p.value(7))))[1]
    path = capture.write(tmp_path / "fault.pcap")
    for options in ([], ["-2"]):
        (((link,), (shown_path,)),) = tshark.fields(path, "perflibv2.block.link", "perflibv2.path", display_filter=f"frame.number == {frame}", options=options)
        assert link == ("by Index of QueryCounterInfo" if mapped else "inferred from the added identifiers")
        assert unescaped(shown_path) == r"\\HOST\First(one)\Reads"
