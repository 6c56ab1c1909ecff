# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls that the capture lacks, and handles that are given out again: nobody is accused of what was not seen."""

import struct

import pytest

from lib import perflibv2 as p
from lib.broken_rules import H, ONE
from lib.rules import SESSION, findings, sentences, silent
from lib.tables import verdicts
from lib.wire import Capture, align, lost


def test_lost_calls_blame_no_server(tshark, tmp_path):
    """An identifier added by a call that the capture lacks: its call id is missing, too."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.validate(H, p.identifier(1))
    peer.connection.call_id += 1
    peer.info(H, p.identifier(1), p.identifier(2, index=1))
    rows, (*_, last) = verdicts(tshark.run(capture.write(tmp_path / "lost.pcap"), "-q", "-z", "perflibv2,rules"))
    assert "info_identifiers" not in rows
    assert last == "no rule broken"


def test_lost_calls_prove_nothing(tshark, tmp_path):
    """What a block is of can't be inferred where a call that changed the query may be missing."""
    linked = []
    for lost in (0, 2):
        capture = Capture()
        peer = p.Peer(capture)
        peer.open(H)
        peer.validate(H, p.identifier(1))
        # One counter added and the other removed, say.
        peer.connection.call_id += lost
        peer.poll(H, p.data(ONE))
        path = capture.write(tmp_path / f"lost{lost}.pcap")
        linked.append(len(tshark.fields(path, "frame.number", display_filter="perflibv2.path")))
    assert linked == [1, 0]


def test_call_lost_before_the_handle_was_opened_hides_nothing(tshark, tmp_path):
    """It cannot have changed the query that was opened later, nor closed it: [MS-PCQ] 3.2, an open handle is not given out again."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.enumerate()
    peer.connection.call_id += 1
    peer.enumerate()
    peer.open(H)
    peer.validate(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    again = peer.open(H)[1]
    path = capture.write(tmp_path / "before.pcap")
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.path")) == 1
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.rule.handle_unique") == [[[str(again)]]]


def test_handle_of_another_address_or_connection_that_the_server_accepts(tshark, tmp_path):
    """One server has two names and addresses; and a poll on a second connection was sent before the close on the first, but captured after."""
    capture = Capture()
    first = p.Peer(capture, machine="\\\\SRV", server="10.1.1.1")
    first.open(H)
    for at in ({"server": "10.1.1.1"}, {"machine": "\\\\SRV-BAK", "server": "10.1.1.2"}):
        second = p.Peer(capture, **at)
        second.connection.call_id = 0       # so that no call before the first can be missing
        second.enumerate()
        if "machine" not in at:
            first.close(H)
        second.poll(H, p.data(ONE))
        if "machine" not in at:
            first.open(H)
    silent(tshark, capture.write(tmp_path / "accepted.pcap"))


def test_handle_given_out_again_after_a_close_that_was_lost(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")       # the close is not in the capture, but has taken a number
    peer.open(H)
    peer.connection.call_id += 1
    peer.open(H)
    peer = p.Peer(capture, server="10.1.1.2")       # its answer is not
    peer.open(H)
    peer.call(4, H)
    peer.open(H)
    peer = p.Peer(capture, server="10.1.1.3")       # the client went away; its handles went with it
    peer.open(H)
    p.Peer(capture, server="10.1.1.3").open(H)
    silent(tshark, capture.write(tmp_path / "again.pcap"))


def test_handle_used_again_where_its_opening_was_lost(tshark, tmp_path):
    """3.2: a server may number its handles, so that one that was closed is soon given out again."""
    capture = Capture()

    def closed(server):
        peer = p.Peer(capture, server=server)
        peer.teach()
        peer.mapped(H, p.identifier(1), p.identifier(2))
        peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))
        peer.close(H)
        return peer

    peer = closed("10.1.1.1")       # the answer that gave it out is not in the capture
    peer.call(3, peer.machine)
    named = [peer.poll(H, p.data(p.block(1, p.value(7, 8)), ONE))[1]]
    peer = closed("10.1.1.2")       # nor is the call
    peer.connection.call_id += 1
    peer.poll(H, p.data(ONE))
    peer = closed("10.1.1.3")       # it was given out on a connection of which the beginning is missing
    peer = p.Peer(capture, server="10.1.1.3")
    peer.validate(H, p.identifier(2))
    named += [peer.poll(H, p.data(p.block(1, p.value(7, 8))))[1]]
    peer.close(H)
    path = capture.write(tmp_path / "reused.pcap")
    silent(tshark, path)
    # ... nor has it the identifiers of its first life.
    shown = tshark.fields(path, "frame.number", "perflibv2.path", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert {int(frame) for (frame,), paths in shown if paths} & set(named) == set() and any(paths for _, paths in shown)


def test_clients_that_do_not_number_their_calls(tshark, tmp_path):
    """Lost calls leave no gap in numbers that are all the same."""
    capture = Capture()

    def peer_of(server):
        peer = p.Peer(capture, server=server)
        made = peer.call

        def call(*arguments):
            peer.connection.call_id = 0x41414140
            return made(*arguments)

        peer.call = call
        return peer

    peer = peer_of("10.1.1.1")
    peer.open(H)
    peer.open(H)        # the close between is not in the capture
    peer.close(H)
    peer.poll(H, p.data(ONE))       # nor is it opening again
    peer = peer_of("10.1.1.2")
    peer.teach()
    peer.mapped(H, p.identifier(1))
    mapped = peer.poll(H, p.data(ONE))[1]
    peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))    # another identifier was added
    peer.info(H, p.identifier(1), p.identifier(2, index=1))
    peer.validate(H, p.identifier(1))   # the first was removed
    p.Peer(capture, server="10.1.1.3").open(H)
    peer = peer_of("10.1.1.4")
    peer.enumerate()
    peer.poll(H, p.data(ONE))           # its opening is lost; the other server has given out the same handle
    path = capture.write(tmp_path / "unnumbered.pcap")
    silent(tshark, path)
    (((link,),),) = tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {mapped}")
    assert link == "by Index of QueryCounterInfo, if no call in between is missing (this cannot be checked)"


def test_connections_of_one_client_that_share_handles(tshark, tmp_path):
    """What one of them lacks, another's calls are not judged by; nor does a block get a name by what was added before."""
    capture = Capture()

    def peers(server):
        """Two connections whose first calls are numbered 1."""
        made = [p.Peer(capture, machine=f"\\\\{server}", server=server) for _ in range(2)]
        for peer in made:
            peer.connection.call_id = 0
            peer.enumerate()
        return made

    first, second = peers("10.1.1.1")
    first.teach()
    first.open(H)
    first.validate(H, p.identifier(1))
    second.poll(H, p.data(ONE))
    lost(capture, lambda: second.validate(H, p.identifier(2)))
    second.poll(p.query_handle(2), p.data())        # shows that a call is missing, not whose
    first.info(H, p.identifier(1), p.identifier(2, index=1))
    lost(capture, lambda: second.validate(H, p.identifier(1), add=0))
    lost(capture, lambda: second.validate(H, p.identifier(1)))
    second.poll(p.query_handle(2), p.data())
    doubtful = second.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))[1]
    # 3.2 allows a counter: both servers give out the same handle. That of the second is opened where it was not captured.
    first, second = peers("10.1.1.2")
    lost(capture, lambda: second.open(H))
    first.poll(H, p.data())
    # Closed on one connection, given out again on the other.
    first, second = peers("10.1.1.3")
    first.open(H)
    first.close(H)
    lost(capture, lambda: second.open(H))
    second.enumerate()
    first.poll(H, p.data())
    # ... by an answer that is lost; and on one whose beginning is lost.
    first, second = peers("10.1.1.4")
    first.open(H)
    first.close(H)
    second.call(3, second.machine)
    first.poll(H, p.data())
    first, _ = peers("10.1.1.5")
    first.open(H)
    first.close(H)
    p.Peer(capture, machine="\\\\10.1.1.5", server="10.1.1.5").enumerate()
    first.poll(H, p.data())
    path = capture.write(tmp_path / "shared.pcap")
    silent(tshark, path)
    (((link, other),),) = tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {doubtful}", options=["-2"])
    assert link == other == "by Index of QueryCounterInfo, but calls in between are missing"


def test_one_machine_of_two_addresses(tshark, tmp_path):
    """... by the name that its client calls it: its handles are good at both."""
    capture = Capture()
    first, second = (p.Peer(capture, "\\\\HOST", server=server) for server in ("10.1.1.1", "10.1.1.2"))
    for peer in first, second:
        peer.connection.call_id = 0
        peer.enumerate()
    first.open(H)
    second.poll(H, p.data())
    silent(tshark, capture.write(tmp_path / "addresses.pcap"))


@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])
def test_handle_of_another_client_after_a_damaged_request(tshark, tmp_path, options):
    """A request without dwInSize is answered all the same: the next call, which is whole, shows that the handle is still open."""
    capture = Capture()
    first = p.Peer(capture, client="10.3.3.1")
    first.teach()
    first.mapped(H, p.identifier(1))
    again = p.Peer(capture, client="10.3.3.2").open(H)[1]
    first.call(6, H, first._answer(p.data(ONE), 4096, None, None, 0))
    mine = first.poll(H, p.data(ONE))[1]
    path = capture.write(tmp_path / "damaged.pcap")
    assert [frame for frame, rules in findings(tshark, path, *options).items() if "handle_unique" in rules] == [mine]
    assert f"given out to another client in frame {again}" in sentences(tshark, path)[mine]


def test_handle_of_another_client_that_is_still_open(tshark, tmp_path):
    """What the first client's next call shows; of the same client it may be the same handle, closed on another connection."""
    capture = Capture()
    first = p.Peer(capture, client="10.3.3.1")
    first.teach()
    first.mapped(H, p.identifier(1))
    first.poll(H, p.data(ONE))
    other = p.Peer(capture, client="10.3.3.2")
    again = other.open(H)[1]
    other.validate(H, p.identifier(2))
    theirs = other.poll(H, p.data(p.block(1, p.value(9, 8))))[1]
    mine = first.poll(H, p.data(ONE))[1]
    first.poll(H, p.data(ONE))
    first.close(H)
    gone = p.Peer(capture, client="10.3.3.3")       # whose close is lost
    gone.open(p.query_handle(2))
    gone.connection.call_id += 1
    p.Peer(capture, client="10.3.3.4").open(p.query_handle(2))
    gone.enumerate()
    shared = p.Peer(capture, client="10.3.3.5")
    shared.open(p.query_handle(3))
    p.Peer(capture, client="10.3.3.5").open(p.query_handle(3))
    shared.poll(p.query_handle(3), p.data())
    path = capture.write(tmp_path / "again.pcap")
    for options in ((), ("-2",)):
        assert {frame: rules - SESSION for frame, rules in findings(tshark, path, *options).items() if rules - SESSION} == {mine: {"handle_unique"}}
    assert f"given out to another client in frame {again}" in sentences(tshark, path)[mine]
    # Each client's polls are of its own query.
    paths = {int(frame): paths for (frame,), paths in tshark.fields(path, "frame.number", "perflibv2.path", display_filter="perflibv2.path")}
    assert [name.endswith("counter 1") for name in paths[mine]] == [True] and [name.endswith("counter 2") for name in paths[theirs]] == [True]


def test_servers_may_number_their_handles_alike(tshark, tmp_path):
    capture = Capture()
    p.Peer(capture, machine="\\\\ELSEWHERE", server="10.1.1.1").open(H)
    peer = p.Peer(capture, server="10.1.1.2")       # whether its first call is missing can't be known
    peer.poll(H, p.data())
    peer = p.Peer(capture, server="10.1.1.3")       # the answer that gave out the handle is missing
    peer.connection.call_id = 0
    peer.call(3, peer.machine)
    peer.poll(H, p.data())
    peer = p.Peer(capture, server="10.1.1.4")       # the whole call is
    peer.connection.call_id = 0
    peer.enumerate()
    peer.connection.call_id += 1
    peer.poll(H, p.data())
    silent(tshark, capture.write(tmp_path / "alike.pcap"))


def test_polls_of_all_that_was_added(tshark, tmp_path):
    capture = Capture()
    # A block each, with an error for one that is not there; a change that is not answered yet; one that is lost.
    peer = p.Peer(capture, server="10.1.1.1")
    peer.open(H)
    peer.poll(H, p.data())
    peer.validate(H, p.identifier(1), p.identifier(2))
    peer.poll(H, p.data(ONE, p.block(0, status=0xE8)))
    stub = align(H + struct.pack("<II", 48, 48) + p.identifier(3), 4) + struct.pack("<I", 1)
    peer.call(7, stub)
    peer.poll(H, p.data(ONE, ONE))
    peer = p.Peer(capture, server="10.1.1.2")
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2))
    lost(capture, lambda: peer.validate(H, p.identifier(2), add=0))
    peer.poll(H, p.data(ONE))
    # All counters: of a counterset that was not listed, or that has one.
    for number, teach in enumerate((lambda peer: None, lambda peer: peer.registration(1, p.counterset(p.COUNTERS[:1])))):
        peer = p.Peer(capture, server=f"10.1.2.{number + 1}")
        teach(peer)
        peer.mapped(H, p.identifier(p.NONE))
        peer.poll(H, p.data(p.block(2, p.multi_counters([1]) + p.value())))
    # ... where two counters have one id (layout-and-cooking, L20).
    peer = p.Peer(capture, server="10.1.2.3")
    peer.registration(1, p.counterset([p.counter(1), p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.mapped(H, p.identifier(p.NONE))
    peer.poll(H, p.data(p.block(2, p.multi_counters([1, 1]) + p.value() + p.value(1, 8))))
    silent(tshark, capture.write(tmp_path / "polls.pcap"), but={"counter_id_unique"})


def test_lost_change_blames_nobody_for_what_a_poll_holds(tshark, tmp_path):
    """As many blocks as before, but of other counters: the change between has only taken a number."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1), p.identifier(1, "*", instance=3))
    rows = p.multi_instances([p.instance("one", 3) + p.value()])
    peer.poll(H, p.data(ONE, p.block(4, rows)))
    peer.connection.call_id += 1
    rows = p.multi_instances([p.instance("one", 4) + p.value(5, 8)])
    peer.poll(H, p.data(p.block(1, p.value(5, 8)), p.block(4, rows)))
    silent(tshark, capture.write(tmp_path / "lost.pcap"))


def test_handles_of_connections_that_begin_too_late(tshark, tmp_path):
    """A handle that one connection opened is another's where it may have been given out again; with it go names and changes."""
    capture = Capture()
    first = p.Peer(capture, client="10.3.3.1")
    first.teach()
    first.mapped(H, p.identifier(1), p.identifier(4))
    first.poll(H, p.data(ONE, ONE))
    other = p.Peer(capture, client="10.3.3.2")      # the first one has gone, opening is lost
    other.connection.call_id += 3
    other.validate(H, p.identifier(1))
    frame = other.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))[1]
    path = capture.write(tmp_path / "late.pcap")
    silent(tshark, path)
    assert tshark.fields(path, "perflibv2.path", display_filter=f"frame.number == {frame}", options=["-2"]) == [[[]]]


def test_change_without_an_answer_before_the_index_map(tshark, tmp_path):
    """Polls of before it keep the number of blocks they have, whatever came in between."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    more = p.identifier(2)
    peer.call(7, align(H + struct.pack("<II", len(more), len(more)) + more, 4) + struct.pack("<I", 1))
    peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8))))
    peer.info(H, p.identifier(1), p.identifier(2, index=1))
    silent(tshark, capture.write(tmp_path / "unanswered.pcap"))


def test_lost_change_before_the_index_map(tshark, tmp_path):
    """With two passes the map is that of the poll before it, too, unless a call between may have changed the query."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(1))
    frame = peer.poll(H, p.data(ONE))[1]
    peer.connection.call_id += 2
    peer.info(H, p.identifier(2))
    path = capture.write(tmp_path / "before.pcap")
    silent(tshark, path)
    assert tshark.fields(path, "perflibv2.block.link", display_filter=f"frame.number == {frame}", options=["-2"]) == [
        [["by Index of QueryCounterInfo, but calls in between are missing"]]]


def test_poll_under_way_while_a_change_is_lost(tshark, tmp_path):
    """The call that follows shows that one is missing; the answer may be of before or after it."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1))
    connection, asked = peer.connection, H + struct.pack("<I", 4096)
    numbers = []
    for missing in (0, 1):      # a change between two requests
        connection.call_id += 1 + missing
        connection.request(6, asked)
        numbers.append(connection.call_id)
    for number, blocks in zip(reversed(numbers), ([ONE, ONE], [ONE])):
        connection.response(peer._answer(p.data(*blocks), 4096, None, None, 0), call_id=number)
    peer.info(H, p.identifier(1), p.identifier(4, index=1))
    silent(tshark, capture.write(tmp_path / "under-way.pcap"))


def test_index_map_under_way_while_a_change_is_lost(tshark, tmp_path):
    """What it says may be out of date when it comes: a poll after the gap is not judged by it."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(2))
    connection, asked = peer.connection, H + struct.pack("<I", 4096)
    connection.call_id += 1
    connection.request(5, asked)
    connection.call_id += 3         # the first counter takes the place of the second meanwhile
    connection.request(6, asked)
    connection.response(peer._answer(p.identifier(2), 4096, None, None, 0), call_id=connection.call_id - 3)
    connection.response(peer._answer(p.data(ONE), 4096, None, None, 0))
    silent(tshark, capture.write(tmp_path / "map.pcap"))


def test_counters_that_come_and_go_with_their_provider(tshark, tmp_path):
    """Which counters a counterset has is known from their listing on, unless a later one is missing."""
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.teach()
    peer.mapped(H, p.identifier(p.NONE))
    peer.call(1, peer.machine + p.SET.bytes_le + struct.pack("<III", 1, 0, 4096))   # answered with nine counters, say
    peer.poll(H, p.data(p.block(2, p.multi_counters([1, 9]) + p.value() * 2)))
    peer = p.Peer(capture, server="10.1.1.2")
    peer.mapped(H, p.identifier(p.NONE))
    peer.poll(H, p.data(p.block(2, p.multi_counters([1, 9]) + p.value() * 2)))
    peer.teach()                    # installed anew
    silent(tshark, capture.write(tmp_path / "provider.pcap"))
