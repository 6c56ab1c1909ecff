# SPDX-License-Identifier: GPL-2.0-or-later
"""Two things that go together: each alone is tested elsewhere, and a plugin that minds only one of them is wrong.

Each case is a session on a server of its own; all of this file are in one capture, which is read once in each way.
"""

import struct

import pytest

from lib import perflibv2 as p
from lib.combinations import (
    AMBIGUOUS, GUID_NOT_FOUND, H, INVALID_PARAMETER, NOT_ADDED, ONE, OTHER, PRECISION_OBJECT_TIMER, READS, UNDER_WAY,
    WRITES, Cases, check_case, teach, unmapped,
)  # fmt: skip

case = Cases()


@case
def base_of_another_poll(peer):
    """A value is compared with the poll before, its base with the one before that: no ratio of the two."""
    peer.registration(1, p.counterset([p.counter(7, p.AVERAGE_BULK, base=8), p.counter(8, p.AVERAGE_BASE, attrib=2)]))
    peer.mapped(H, p.identifier(7, "x"), p.identifier(8, "x"))
    peer.poll(H, p.data(p.block(1, p.value(100, 8)), p.block(1, p.value(10))))
    peer.poll(H, p.data(p.block(1, p.value(200, 8)), p.block(0, status=5)))
    gap = peer.poll(H, p.data(p.block(1, p.value(400, 8)), p.block(1, p.value(30))))[1]
    back = peer.poll(H, p.data(p.block(1, p.value(600, 8)), p.block(1, p.value(40))))[1]
    return {gap: {"cooked": [], "reasons": ["base unknown (previous poll)", "not displayed"]}, back: {"cooked": ["20"]}}


@case
def base_of_unknown_type(peer):
    """BaseCounterId names a counter of which only the name is known: it may be a base, and time does not stand in for it."""
    peer.registration(2, p.counter(7, PRECISION_OBJECT_TIMER, base=9, time=2), lcid=7)
    peer.registration(2, p.counter(2, p.LARGE_RAWCOUNT), lcid=2)
    peer.registration(5, p.strings([(9, "Base")]))
    peer.mapped(H, p.identifier(7, "x"), p.identifier(2, "x"))
    for number in 1, 2:
        frame = peer.poll(H, p.data(p.block(1, p.value(100 * number, 8)), p.block(1, p.value(1000 * number, 8))))[1]
    return {frame: {"cooked": ["2000"], "reasons": ["base not in query"]}}


@case
def base_that_is_none(peer):
    """... and one that is no base is none: 100 * 100 / 1000 by the object's time."""
    peer.registration(1, p.counterset([p.counter(7, PRECISION_OBJECT_TIMER, base=3, time=2), p.counter(2, p.LARGE_RAWCOUNT), p.counter(3)]))
    peer.mapped(H, p.identifier(7, "x"), p.identifier(2, "x"))
    for number in 1, 2:
        frame = peer.poll(H, p.data(p.block(1, p.value(100 * number, 8)), p.block(1, p.value(1000 * number, 8))))[1]
    return {frame: {"cooked": ["10", "2000"], "reasons": []}}


@case
def time_of_unknown_type(peer):
    """PerfTimeId 0 stands for none, unless a counter 0 is known to be a number that can be a time: a name alone tells nothing."""
    peer.registration(2, p.counter(5, p.OBJ_TIME_TIMER, time=0), lcid=5)
    peer.registration(5, p.strings([(0, "Time")]))
    peer.mapped(H, p.identifier(5, "x"), p.identifier(0, "x"))
    for number in 1, 2:
        peer.poll(H, p.data(p.block(1, p.value(100 * number, 8)), p.block(1, p.value(1000 * number, 8))))
    peer.registration(2, p.counter(0, p.LARGE_RAWCOUNT), lcid=0)
    known = peer.poll(H, p.data(p.block(1, p.value(400, 8)), p.block(1, p.value(3000, 8))))[1]
    return {known: {"cooked": ["20", "3000"]}}


@case
def time_of_a_name_alone(peer):
    """... so that nothing divides where no more ever comes."""
    peer.registration(2, p.counter(5, p.OBJ_TIME_TIMER, time=0), lcid=5)
    peer.registration(5, p.strings([(0, "Time")]))
    peer.mapped(H, p.identifier(5, "x"), p.identifier(0, "x"))
    for number in 1, 2:
        frame = peer.poll(H, p.data(p.block(1, p.value(100 * number, 8)), p.block(1, p.value(1000 * number, 8))))[1]
    return {frame: {"cooked": [], "reasons": ["base unknown", "type unknown"]}}


@case
def time_and_its_frequency(peer):
    """Each by its own id: (1000 - 400) / 20."""
    elapsed = p.counter(5, 0x30240500, time=2, freq=3)
    peer.registration(1, p.counterset([elapsed, p.counter(2, p.LARGE_RAWCOUNT), p.counter(3, p.LARGE_RAWCOUNT)]))
    peer.mapped(H, p.identifier(p.NONE, "x"))
    frame = peer.poll(H, p.data(p.block(2, p.multi_counters([5, 2, 3]) + p.value(400, 8) + p.value(1000, 8) + p.value(20, 8))))[1]
    return {frame: {"cooked": ["30", "1000", "20"]}}


@case
def no_base_though_a_counter_has_its_id(peer):
    """BaseCounterId 0xFFFFFFFF is none (2.2.4.2), also where a block holds a counter of that id."""
    peer.registration(1, p.counterset([p.counter(1, 0x20020400, base=p.NONE)]))     # PERF_RAW_FRACTION
    peer.mapped(H, p.identifier(p.NONE, "x"))
    frame = peer.poll(H, p.data(p.block(2, p.multi_counters([1, p.NONE]) + p.value(1) + p.value(4))))[1]
    return {frame: {"cooked": [], "reasons": ["base unknown", "type unknown"]}}


@case
def value_that_was_no_number(peer):
    """Three bytes are shown as bytes, and are nothing to compare with."""
    peer.registration(1, p.counterset([p.counter(1, 0x00400400)]))     # PERF_COUNTER_DELTA
    peer.mapped(H, p.identifier(1, "x"))
    frames = [peer.poll(H, p.data(p.block(1, p.value(number, 4, data_size=size))))[1] for number, size in ((10, 4), (20, 3), (30, 4), (44, 4))]
    return {
        frames[1]: {"cooked": [], "reasons": ["value neither 4 nor 8 bytes"]}, frames[2]: {"cooked": [], "reasons": ["first sample"]},
        frames[3]: {"cooked": ["14"]},
    }


@case
def instances_alike_of_which_one_goes(peer):
    """Two of one name and id, then one: which of them it is can't be told, so that 25 - 10 may be wrong. While both are there each has its own."""
    peer.registration(1, p.counterset([p.counter(1, 0x00400400)]))     # PERF_COUNTER_DELTA
    peer.mapped(H, p.identifier(1, "*", instance=p.NONE))

    def poll(*values):
        names = ("a",) * (len(values) - 1) + ("b",)
        rows = [p.instance(name, 1) + p.value(value) for name, value in zip(names, values)]
        return peer.poll(H, p.data(p.block(4, p.multi_instances(rows))))[1]

    poll(10, 20, 30)
    both, one, again = poll(11, 22, 33), poll(25, 34), poll(29, 30, 35)
    alike = {"reasons": ["instance new", "instance new"], "cooked": ["1"]}
    return {both: {"cooked": ["1", "2", "3"], "reasons": []}, one: {"reasons": ["instance new"], "cooked": ["1"]}, again: alike}


@case
def instance_new_in_another_place(peer):
    """Its counterset's block stands elsewhere than in the poll before: new, not the first sample, which those of a set asked for only now are."""
    other = p.OTHER_SET
    for guid in p.SET, other:
        peer.registration(1, p.counterset([p.counter(1, 0x00400400), p.counter(2)], guid=guid), guid=guid)
    first = p.block(4, p.multi_instances([p.instance("a", 1) + p.value(0)]))
    second = p.block(4, p.multi_instances([p.instance("a", 1) + p.value(10), p.instance("b", 2) + p.value(11)]))
    peer.mapped(H, p.identifier(2, "x", guid=other), p.identifier(1, "*", instance=p.NONE))
    peer.poll(H, p.data(ONE, first))
    peer.validate(H, p.identifier(2, "x", guid=other), add=0)
    peer.info(H, p.identifier(1, "*", instance=p.NONE))
    moved = peer.poll(H, p.data(second))[1]
    peer.validate(H, p.identifier(1, "*", instance=p.NONE, guid=other))
    peer.info(H, p.identifier(1, "*", instance=p.NONE), p.identifier(1, "*", instance=p.NONE, guid=other, index=1))
    added = peer.poll(H, p.data(second, first))[1]
    return {moved: {"cooked": ["10"], "reasons": ["instance new"]}, added: {"cooked": ["0", "0"], "reasons": ["first sample"]}}


@case
def fewer_blocks_than_identifiers(peer):
    """Nothing is inferred where some question has no answer, or more than one."""
    unmapped(peer, p.identifier(1, "x"), p.identifier(2, "*"))
    rows = p.block(4, p.multi_instances([p.instance("x") + p.value()]))
    few = peer.poll(H, p.data(rows))[1]
    as_many = peer.poll(H, p.data(rows, ONE))[1]
    return {few: {"paths": [], "links": [AMBIGUOUS]}, as_many: {"paths": [WRITES]}}


@case
def change_without_an_answer(peer):
    """What the query holds is not known, though the poll has as many blocks as what is known of it."""
    unmapped(peer, p.identifier(1, "x"))
    known = peer.poll(H, p.data(ONE))[1]
    peer.validate(H, p.identifier(2, "x"))
    del peer.capture.frames[-1]
    peer.poll(H, p.data(ONE))
    frame = peer.poll(H, p.data(ONE))[1]
    return {known: {"paths": [READS]}, frame: {"paths": [], "links": [UNDER_WAY]}}


@case
def one_of_two_changes_without_an_answer(peer):
    """The answer to a later change does not stand for that to an earlier one."""
    unmapped(peer, p.identifier(1, "x"))
    peer.validate(H, p.identifier(2, "x"))
    del peer.capture.frames[-1]
    peer.validate(H, p.identifier(3, "x"))
    peer.poll(H, p.data(ONE, ONE))
    frame = peer.poll(H, p.data(ONE, ONE))[1]
    return {frame: {"paths": [], "links": [UNDER_WAY] * 2}}


@case
def learned_between_polls(peer):
    """Blocks as before, and all counters of both countersets are known by now: the second poll is inferred anew."""
    identifiers = [p.identifier(p.NONE, "x", guid=guid) for guid in (p.SET, p.OTHER_SET)]
    peer.open(H)
    peer.validate(H, *identifiers)
    polled = p.data(*(p.block(2, p.multi_counters(ids) + p.value()) for ids in ([9], [1])))
    before = peer.poll(H, polled)[1]
    teach(peer)
    teach(peer, ((9, "Errors"),), p.OTHER_SET)
    after = peer.poll(H, polled)[1]
    # In two passes the names are known, but what could not be inferred at the time is not. The countersets have one name.
    return {before: {"paths": []}, after: {
        "paths": [r"\\HOST\Set(x)\Errors", READS.replace("Set", f"Set {{{p.SET}}}")]}}


@case
def refused_identifier(peer):
    """What was refused changes nothing: the map holds on."""
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    peer.validate(H, p.identifier(2, "x"), returned=p.identifier(2, "x", status=GUID_NOT_FOUND))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": ["by Index of QueryCounterInfo"]}}


@case
def refused_change(peer):
    """... and so where all of it was refused, even if the answer hands back what was sent."""
    unmapped(peer, p.identifier(1, "x"))
    peer.validate(H, p.identifier(2, "x"), status=INVALID_PARAMETER)
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": ["inferred from the added identifiers"]}}


@case
def accepted_identifier(peer):
    """What was accepted does change the query, and the map is none of it."""
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    peer.validate(H, p.identifier(2, "x", status=0), p.identifier(3, "x"), returned=p.identifier(2, "x") + p.identifier(3, "x", status=GUID_NOT_FOUND))
    frame = peer.poll(H, p.data(ONE, p.block(0, status=2)))[1]
    # Of both blocks the counterset and the instance are known, but not which counter it is.
    return {frame: {"paths": [], "links": ["inferred from the added identifiers"] * 2, "rules": set()}}


@case
def added_again(peer):
    """One that is there already is refused, and well so; a server that takes it breaks a rule."""
    peer.open(H)
    peer.validate(H, p.identifier(1, "x"))
    refused = peer.validate(H, p.identifier(1, "x"), returned=p.identifier(1, "x", status=0xB7))[1]
    taken = peer.validate(H, p.identifier(1, "x"))[1]
    return {refused: {"rules": set()}, taken: {"rules": {"added_twice"}}}


@case
def change_after_the_close(peer):
    """What is added to a handle that was closed opens nothing."""
    unmapped(peer, p.identifier(1, "x"))
    close = peer.close(H)[0]
    peer.validate(H, p.identifier(2, "x"), status=6)
    again = peer.close(H, status=6)[0]
    return {again: {"closed": [str(close)]}}


@case
def closed_twice(peer):
    """The first close is the one that closed it, whatever the server says to the second; what it holds then is not known."""
    peer.open(H)
    peer.validate(H, p.identifier(1, "x"))
    close = peer.close(H)[0]
    info = peer.info(H, p.identifier(1, "x"))[1]
    peer.close(H)
    again = peer.poll(H, p.data(ONE))[0]
    return {info: {"rules": set()}, again: {"closed": [str(close)]}}


@case
def counters_of_a_wildcard(peer):
    """Whoever added all counters may be told of any; who added one, of no other."""
    expected = {}
    for handle, counter in (H, p.NONE), (OTHER, 1):
        peer.open(handle)
        peer.validate(handle, p.identifier(counter, "x"))
        expected[peer.info(handle, p.identifier(2, "x"))[1]] = {"rules": set() if counter == p.NONE else {"info_counters"}}
    return expected


@case
def change_of_a_closed_query(peer):
    """... even where the server says so: what it comes to nobody knows."""
    teach(peer)
    peer.open(H)
    peer.close(H)
    peer.validate(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": []}}


@case
def blocks_in_another_order(peer):
    """Each poll's blocks are inferred by what they hold, and not by what stood there before."""
    unmapped(peer, p.identifier(1, "a*"), p.identifier(2, "b*"))
    rows = [p.block(4, p.multi_instances([p.instance(name) + p.value()])) for name in ("alice", "bob")]
    named = [r"\\HOST\Set(alice)\Reads", r"\\HOST\Set(bob)\Writes"]
    return {
        peer.poll(H, p.data(*rows))[1]: {"paths": named}, peer.poll(H, p.data(*rows[::-1]))[1]: {"paths": named[::-1]},
        peer.poll(H, p.data(*rows))[1]: {"paths": named},
    }


@case
def map_that_comes_late(peer):
    """The polls before it belong to the same counters: what follows is compared with them."""
    teach(peer)
    peer.registration(1, p.counterset([p.counter(1, 0x00400400), p.counter(2, 0x00400400)]))
    identifiers = [p.identifier(2, "x"), p.identifier(1, "x")]
    peer.open(H)
    peer.validate(H, *identifiers)
    blocks = [[p.block(1, p.value(number)), p.block(1, p.value(10 * number))] for number in (1, 3, 7)]
    peer.poll(H, p.data(*blocks[0]))
    second = peer.poll(H, p.data(*blocks[1]))[1]
    peer.info(H, p.identifier(2, "x", index=0), p.identifier(1, "x", index=1))
    third = peer.poll(H, p.data(*blocks[2]))[1]
    return {third: {"paths": [WRITES, READS], "cooked": ["4", "40"], "previous": [str(second)]}}


def map_late_for_two_layouts(name, *blocks, lost=0):
    """... also where the blocks looked otherwise in between: an error for a value, which no lost call need have made of it."""
    def make(peer):
        teach(peer)
        peer.registration(1, p.counterset([p.counter(1, 0x00400400), p.counter(2, 0x00400400)]))
        peer.open(H)
        peer.validate(H, p.identifier(2, "x"), p.identifier(1, "x"))
        for values in blocks:
            peer.poll(H, p.data(*(p.block(0, status=2) if value is None else p.block(1, p.value(value)) for value in values)))
            peer.connection.call_id += lost
        peer.info(H, p.identifier(2, "x", index=0), p.identifier(1, "x", index=1))
        last = peer.poll(H, p.data(p.block(1, p.value(7)), p.block(1, p.value(70))))[1]
        # What was an error in the poll before is not compared with an earlier one.
        return {last: {"paths": [WRITES, READS], "cooked": ["40"] if blocks[-1][0] is None else ["6", "40"]}}

    make.__name__ = f"map_late_for_two_layouts_{name}"
    case(make)


map_late_for_two_layouts("value_and_error", (1, 10), (None, 30))
map_late_for_two_layouts("error_and_value", (None, 10), (1, 30))
map_late_for_two_layouts("lost_call", (1, 10), (None, 30), lost=1)


@case
def map_of_what_was_not_added(peer):
    """The server says another counter than was added: whose the block is, nobody can tell."""
    teach(peer)
    peer.registration(1, p.counterset([p.counter(1, 0x00400400), p.counter(2, 0x00400400)]))
    peer.open(H)
    peer.validate(H, p.identifier(1, "x"))
    peer.poll(H, p.data(p.block(1, p.value(1))))
    peer.info(H, p.identifier(2, "x"))
    frame = peer.poll(H, p.data(p.block(1, p.value(3))))[1]
    again = peer.poll(H, p.data(p.block(1, p.value(7))))[1]
    return {frame: {"paths": [], "links": [NOT_ADDED]}, again: {"paths": []}}


MAPPED = "by Index of QueryCounterInfo"
UNNUMBERED = "by Index of QueryCounterInfo, if no call in between is missing (this cannot be checked)"


@case
def map_of_what_may_have_been_added(peer):
    """... unless two calls have the same number: an answer that is not in the capture may have added the identifier."""
    teach(peer)
    peer.open(H)
    peer.validate(H, p.identifier(2, "x"))
    peer.connection.call_id -= 1
    peer.info(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": [UNNUMBERED]}}


@case
def gap_before_the_handle(peer):
    """What was lost before the handle was given out can't have changed it."""
    peer.enumerate()
    peer.connection.call_id += 1
    unmapped(peer, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": ["inferred from the added identifiers"]}}


@case
def gap_before_a_handle_of_two_connections(peer):
    """... nor what was lost on the other one, which uses the handle later."""
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0])
    other.enumerate()
    other.connection.call_id += 1
    other.enumerate()
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    frame = other.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": [MAPPED]}}


@case
def open_without_an_answer_on_the_other_connection(peer):
    """It may have been given the handle of the first one's, which somebody closed."""
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0])
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    other.poll(H, p.data(ONE))
    other.open(OTHER)
    del peer.capture.frames[-1]
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": [UNNUMBERED]}}


@case
def handles_opened_at_once(peer):
    """An open that is answered after that of another is none that lacks its answer."""
    connection = peer.connection
    teach(peer)
    for number in 1, 2:
        connection.request(3, peer.machine, call_id=connection.call_id + number)
    for number, handle in (1, H), (2, OTHER):
        connection.response(handle + bytes(4), call_id=connection.call_id + number)
    connection.call_id += 2
    peer.validate(H, p.identifier(1, "x"))
    peer.info(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS], "links": [MAPPED]}}


@case
def call_lost_while_the_map_was_under_way(peer):
    """It may have changed the query, before the server made the map or after."""
    connection = peer.connection
    unmapped(peer, p.identifier(1, "x"))
    first = connection.call_id + 1
    connection.request(5, H + struct.pack("<I", 4096), call_id=first)
    connection.request(6, H + struct.pack("<I", 4096), call_id=first + 2)
    connection.response(peer._answer(p.identifier(1, "x"), 4096, None, None, 0), call_id=first)
    connection.response(peer._answer(p.data(ONE), 4096, None, None, 0), call_id=first + 2)
    frame = len(peer.capture.frames)
    return {frame: {"paths": [], "links": ["unknown: no QueryCounterInfo answer, and calls are missing"]}}


@case
def same_map_again(peer):
    """What is known already begins nothing anew."""
    teach(peer)
    peer.registration(1, p.counterset([p.counter(1, 0x00400400)]))
    peer.mapped(H, p.identifier(1, "x"))
    peer.poll(H, p.data(p.block(1, p.value(1))))
    peer.info(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(p.block(1, p.value(3))))[1]
    return {frame: {"cooked": ["2"], "paths": [READS]}}


@case
def another_query_of_unknown_blocks(peer):
    """Blocks nothing is known of before and after a change are not compared; they have no path to begin with."""
    peer.poll(H, p.data(p.block(1, p.value(1))))
    peer.validate(H, p.identifier(9, "z"))
    frame = peer.poll(H, p.data(p.block(1, p.value(3)), ONE))[1]
    return {frame: {"paths": [], "rules": set()}}


@case
def reused_handle(peer):
    """Closed by an answer that says so, and opened again: the rules have nothing to say."""
    peer.open(H)
    peer.close(H)
    again = peer.open(H)[1]
    return {again: {"rules": set()}}


@case
def reused_handle_after_a_refused_close(peer):
    """A close that failed closed nothing: the handle is given out twice."""
    peer.connection.call_id = 0
    first = peer.open(H)[1]
    peer.close(H, returned=H, status=INVALID_PARAMETER)
    again = peer.open(H)[1]
    return {again: {"rules": {"handle_unique"}}, first: {"closed": []}}


@case
def reused_handle_after_a_second_close(peer):
    """... but the one before it did."""
    peer.open(H)
    peer.close(H)
    peer.close(H, returned=H, status=6)
    again = peer.open(H)[1]
    return {again: {"rules": set()}}


@case
def given_to_another_client_after_a_lost_call(peer):
    """What was lost may have closed it, and opened it again."""
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0], client="192.0.2.99")
    peer.open(H)
    peer.poll(H, p.data())
    other.open(H)
    peer.connection.call_id += 1
    lost = peer.poll(H, p.data())[1]
    return {lost: {"rules": set()}}


@case
def reused_handle_after_a_close_without_an_answer(peer):
    """It may well have closed it."""
    peer.connection.call_id = 0
    peer.open(H)
    peer.close(H)
    del peer.capture.frames[-1]
    again = peer.open(H)[1]
    return {again: {"rules": set()}}


@case
def reused_handle_after_a_lost_call(peer):
    peer.connection.call_id = 0
    peer.open(H)
    peer.connection.call_id += 1
    again = peer.open(H)[1]
    return {again: {"rules": set()}}


@case
def reused_handle_of_another_client(peer):
    """What another connection did with it is not known: its end closes what it opened."""
    peer.open(H)
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0])
    again = other.open(H)[1]
    return {again: {"rules": set()}}


@case
def change_with_null_attributes(peer):
    """A handle is NULL where all of it is (2.2.1): attributes alone make another."""
    handle = struct.pack("<I", 1) + bytes(16)
    opened = peer.open(handle)[1]
    asked = peer.poll(handle, p.data())[0]
    return {asked: {"opened": [str(opened)]}}


@case
def provider_name_without_guid(peer):
    """The name of a provider whose GUID was not taught is nobody's, not that of a GUID of zeros."""
    peer.registration(7, p.text("Provider"))
    frame = peer.registration(8, bytes(16), guid=p.OTHER_SET)[1]
    return {frame: {"guids": ["00000000-0000-0000-0000-000000000000"], "providers": []}}


@case
def provider_of_two_countersets(peer):
    """One of them has the provider's name as well, the other its GUID alone: the name is not forgotten for that."""
    peer.registration(7, p.text("Provider"))
    named = peer.registration(8, p.SET.bytes_le)[1]
    peer.registration(8, p.SET.bytes_le, guid=p.OTHER_SET)
    again = peer.registration(8, p.SET.bytes_le)[1]
    return {named: {"providers": ["Provider"]}, again: {"providers": ["Provider"]}}


@case
def empty_name(peer):
    """What is empty is no name: that in another language is."""
    peer.registration(3, p.text(""))
    peer.registration(9, p.text("Set"))
    peer.registration(5, p.strings([(1, ""), (2, "Writes")]))
    peer.registration(10, p.strings([(1, "Reads"), (2, "Writes")]))
    peer.mapped(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS]}}


@case
def fewer_counters_than_promised(peer):
    """NumCounters is 9, but 8 stand there: an id that is none of them may be the ninth."""
    peer.registration(1, p.counterset(p.COUNTERS, num=9))
    peer.mapped(H, p.identifier(p.NONE, "x"))
    frame = peer.poll(H, p.data(p.block(2, p.multi_counters([1, 99]) + p.value() * 2)))[1]
    return {frame: {"rules": set()}}


@case
def type_taught_three_times(peer):
    """A type that has changed once may have changed again: whatever the latest two say, no size is wrong."""
    for kind in p.RAWCOUNT, p.LARGE_RAWCOUNT, p.LARGE_RAWCOUNT:
        peer.registration(2, p.counter(1, kind), lcid=1)
    peer.mapped(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"rules": set()}}


@case
def any_instance_names_none(peer):
    """An identifier that asks for any id of a name says nothing of the id 0xFFFFFFFF."""
    teach(peer)
    peer.mapped(H, p.identifier(1, "chrome", instance=p.NONE))
    frame = peer.validate(H, p.identifier(2, None, instance=p.NONE))[0]
    return {frame: {"instances": []}}


@case
def size_of_a_value_after_a_lost_call(peer):
    """Eight bytes are too many for the counter, but it may be another by now."""
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    wide = p.data(p.block(1, p.value(5, 8)))
    before = peer.poll(H, wide)[1]
    peer.connection.call_id += 1
    after = peer.poll(H, wide)[1]
    return {
        before: {"links": [MAPPED], "rules": {"value_data_size"}},
        after: {"links": ["by Index of QueryCounterInfo, but calls in between are missing"], "rules": set()},
    }


@case
def counter_of_a_name_alone(peer):
    """A counterset has the counters it was said to have: a name that is taught for another makes it none of them."""
    teach(peer)
    peer.registration(5, p.strings([(1, "Reads"), (9, "Errors")]))
    peer.mapped(H, p.identifier(p.NONE, "x"))
    frames = {id: peer.poll(H, p.data(p.block(2, p.multi_counters([1, id]) + p.value() * 2)))[1] for id in (2, 9)}
    return {frame: {"rules": {"block_counter_ids"} if id == 9 else set()} for id, frame in frames.items()}


@case
def two_clients_at_one_server(peer):
    """What one was taught the other is shown; each has polls of its own."""
    other = p.Peer(peer.capture, server=peer.connection.ends[1][0], client="192.0.2.77")
    teach(peer)
    peer.registration(1, p.counterset([p.counter(1, 0x00400400)]))
    expected, before = {}, {}
    for client, handle in (peer, H), (other, OTHER):
        client.mapped(handle, p.identifier(1, "x"))
    for number, (client, handle) in enumerate([(peer, H), (other, OTHER)] * 2):
        frame = client.poll(handle, p.data(p.block(1, p.value((5, 50, 7, 90)[number]))))[1]
        expected[frame] = {"paths": [READS], "cooked": ([], [], ["2"], ["40"])[number], "previous": [str(before[handle])] if handle in before else []}
        before[handle] = frame
    return expected


def another_server(peer, **options):
    """... with the same client; its own name begins with OTHER."""
    address, port = peer.connection.ends[1]
    ends = {"server": address, "server_port": port, **options}
    return p.Peer(peer.capture, machine=f"\\\\OTHER-{ends['server'].replace('.', '-')}-{ends['server_port']}", **ends)


def two_servers(**options):
    """One handle, one counterset, one counter id: each server means its own."""
    def make(peer):
        other = another_server(peer, **options)
        expected = {}
        for server, host, names in (peer, "HOST", ["Reads", "Writes"]), (other, "OTHER", ["Lesen", "Schreiben"]):
            server.registration(1, p.counterset([p.counter(1, 0x00400400 if server is peer else p.RAWCOUNT), p.counter(2)]))
            server.registration(3, p.text(host))
            server.registration(5, p.strings(list(enumerate(names, 1))))
            opened = server.open(H)[1]
            server.validate(H, p.identifier(1, "x"))
            server.info(H, p.identifier(1, "x"))
            expected[server] = (opened, rf"\\{host}\{host}(x)\{names[0]}")
        frames = {}
        for number, server in enumerate([peer, other] * 2):
            asked, answered = server.poll(H, p.data(p.block(1, p.value(10 ** number))))
            frames[asked] = {"opened": [str(expected[server][0])], "rules": set()}
            frames[answered] = {"paths": [expected[server][1]], "cooked": ([], ["10"], ["99"], ["1000"])[number]}
        return frames

    make.__name__ = "two_servers_" + "_".join(options)
    case(make)


two_servers(server="10.3.255.1")
two_servers(server_port=49701)


@case
def one_handle_on_many_servers(peer):
    """All of them at once: whichever of them share a place in some table, each answers for itself."""
    servers = [another_server(peer, server=f"10.3.254.{number}") for number in range(1, 41)]
    opened = [server.open(H)[1] for server in servers]
    return {server.poll(H, p.data())[0]: {"opened": [str(frame)]} for server, frame in zip(servers, opened)}


@case
def one_handle_of_many_clients(peer):
    """... and on one server, which gives it to each of its clients: the query is the one that was opened on the same connection."""
    clients = [p.Peer(peer.capture, server=peer.connection.ends[1][0], client=f"10.4.0.{number}") for number in range(1, 41)]
    opened = [client.open(H)[1] for client in clients]
    return {client.poll(H, p.data())[0]: {"opened": [str(frame)]} for client, frame in zip(clients, opened)}


@case
def lines_of_a_change_and_a_poll(peer):
    """Of two identifiers one is refused; two blocks of one counterset are of one."""
    teach(peer)
    peer.open(H)
    changed = peer.validate(H, p.identifier(1, "x"), p.identifier(2, "x"), returned=p.identifier(1, "x") + p.identifier(2, "x", status=2))[1]
    peer.mapped(OTHER, p.identifier(1, "x"), p.identifier(2, "x"))
    polled = peer.poll(OTHER, p.data(ONE, ONE))[1]
    return {changed: {"line": r", added 1, refused 1$"}, polled: {"line": r", Set, 2 blocks, \d+ bytes$"}}


@case
def close_that_returns_another_handle(peer):
    """The answer is of the query that was closed, whatever handle it hands back; the other's polls go on."""
    peer.open(H)
    opened = peer.open(OTHER)[1]
    frame = peer.close(H, returned=OTHER)[1]
    return {frame: {"line": r"^CloseQueryHandle response, query \d+$"}, peer.poll(OTHER, p.data())[0]: {"opened": [str(opened)], "closed": []}}


@case
def instance_type_of_another_server(peer):
    """One server's counterset has one instance, the other's has several: identifiers without a name are well only there."""
    other = another_server(peer, server="10.3.255.2")
    expected = {}
    for server, instance_type in (peer, 0), (other, 2):
        server.registration(1, p.counterset(p.COUNTERS, instance_type=instance_type))
        server.open(H)
        expected[server.validate(H, p.identifier(1, None))[0]] = {"rules": {"identifier_name"} if instance_type == 2 else set()}
    return expected


@case
def server_of_two_names(peer):
    """The first name stays, so that a counter has one path."""
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    other = another_server(peer)
    other.enumerate()
    other.open(OTHER)
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS]}}


@case
def server_without_a_name_first(peer):
    """An empty szMachine names nothing; what comes later does."""
    peer.enumerate(machine=p.string("\\\\"))
    teach(peer)
    peer.mapped(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(ONE))[1]
    return {frame: {"paths": [READS]}}


@pytest.mark.parametrize("number", range(len(case)), ids=[make.__name__ for make in case])
def test_case_shows_what_both_make_of_it(case_sessions, case_rows, number):
    check_case(case_sessions.made[number], case_rows)
