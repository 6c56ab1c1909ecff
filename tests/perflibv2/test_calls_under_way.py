# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients that do not wait for their answers, identifiers with patterns, servers that answer in any order and with faults, and frames left
out: nobody is blamed, and no value has another's name, unless it says that calls are missing."""

import fnmatch
import random
import re
import struct
import uuid
from bisect import bisect_right

import pytest

from lib import perflibv2 as p
from lib.lossy_sessions import RULES, LossySessions, broken_in, frame_and
from lib.named_query import unescaped
from lib.wire import FAULT, Capture, align

SEED, SESSIONS = 21, 120
# A client of a busy server is told so; which errors a provider may return is not listed.
NOT_JUDGED = {"return_code_listed", "validate_status"}
# The third has one instance without a name, the fourth several without: what a client wants is all of them (2.2.4.1).
ONE_SET, ALL_SET = (uuid.UUID(int=p.SET.int + more) for more in (2, 3))
SETS = {p.SET: [1, 2, 3, 4], p.OTHER_SET: [1, 2, 9], ONE_SET: [1, 5], ALL_SET: [2, 9]}
KINDS = {p.SET: 2, p.OTHER_SET: 6, ONE_SET: 0, ALL_SET: 4}
INSTANCES = [("alpha", 0), ("Alpha2", 1), ("chrome", 2), ("chrome", 3), ("Beta", 4), ("_Total", 5)]
PATTERNS = ["*", "a*", "A*", "chrome*", "?eta", "*a*", "CH*", "b*"]
ACTS = {"open": 2, "change": 4, "info": 2, "poll": 6, "close": 1}
BUSY = struct.pack("<IHBBII", 32, 0, 0, 0, 0x1C010014, 0)


def value_of(guid, counter, instance):
    """Tells what it is of."""
    return 1_000_000 * (list(SETS).index(guid) + 1) + 10_000 * counter + instance


def identifier_of(guid, counter, name, id, **more):
    return p.identifier(counter, name or None, guid=guid, instance=id, **more)


class Session:
    """A server, and clients of a connection each. What a call does is decided when it is answered."""

    def __init__(self, capture, number, chance, shares=False):
        """shares: the clients are connections of one, which use each other's handles."""
        self.capture, self.chance = capture, chance
        self.queries, self.waiting = {}, []     # handle -> identifiers; calls without an answer
        self.clients = []
        for client in range(chance.choice([1, 2, 3])):
            peer = p.Peer(capture, server=f"10.2.1.{number + 1}", client=f"11.0.0.{1 if shares else client + 1}")
            self.clients.append({"peer": peer, "open": self.clients[0]["open"] if shares and client else [], "patient": chance.random() < 0.6})
        for guid, counters in SETS.items():
            peer = self.clients[0]["peer"]
            peer.registration(1, p.counterset([p.counter(id) for id in counters], guid=guid, instance_type=KINDS[guid]), guid=guid)
            peer.registration(3, p.text(f"Set{list(SETS).index(guid)}"), guid=guid)
            peer.registration(5, p.strings([(id, f"C{id}") for id in counters]), guid=guid)

    def made(self, peer, method, *arguments, **more):
        """(opnum, request, response) of a call that is not sent yet."""
        kept, call = [], peer.call
        peer.call = lambda *of_call: kept.append(of_call)
        getattr(peer, method)(*arguments, **more)
        peer.call = call
        return kept[0]

    def send(self, client, request, answer):
        """answer: makes the response stub, or None for a fault."""
        connection = client["peer"].connection
        connection.call_id += 1
        connection.request(*request[:2])
        self.waiting.append((client, connection.call_id, answer))
        if client["patient"]:
            self.answer(client)

    def answer(self, client):
        mine = [call for call in self.waiting if call[0] is client]
        self.chance.shuffle(mine)
        for call in mine:
            self.waiting.remove(call)
            stub = call[2]()
            connection = client["peer"].connection
            connection.pdu(FAULT, BUSY, call[1]) if stub is None else connection.response(stub, call[1])

    def blocks(self, identifiers):
        for guid, counter, name, _ in identifiers:
            several = guid == ALL_SET or (guid != ONE_SET and bool({"*", "?"} & set(name)))
            found = [i for i, (own, _) in enumerate(INSTANCES) if name and fnmatch.fnmatchcase(own.lower(), name.lower())]
            found = {ONE_SET: [0], ALL_SET: range(len(INSTANCES))}.get(guid, found)
            counters = SETS[guid] if counter == p.NONE else [counter]
            rows = [b"".join(p.value(value_of(guid, id, i)) for id in counters) for i in (found if several else found[:1])]
            body = p.multi_counters(counters) if counter == p.NONE else b""
            if several:
                body += p.multi_instances([p.instance("" if guid == ALL_SET else INSTANCES[i][0], INSTANCES[i][1]) + row for i, row in zip(found, rows)])
            yield p.block(((2 if counter == p.NONE else 0) | (4 if several else 0)) or 1, body + (b"" if several else rows[0]))

    def step(self):
        client = self.chance.choice(self.clients)
        peer, is_busy = client["peer"], self.chance.random() < 0.05
        if self.chance.random() < 0.4:
            self.answer(client)
        act = self.chance.choices(list(ACTS), ACTS.values())[0] if client["open"] else "open"
        handle = self.chance.choice(client["open"]) if client["open"] else None
        if act == "open":
            self.send(client, self.made(peer, "open", H), lambda: self.open(client))
        elif act == "change":
            self.change(client, handle, is_busy)
        elif act == "info":
            self.send(client, self.made(peer, "info", handle), lambda: None if is_busy else self.made(peer, "info", handle, *(
                identifier_of(*one, index=index) for index, one in enumerate(self.queries[handle])))[2])
        elif act == "poll":
            self.send(client, self.made(peer, "poll", handle, b"", in_size=1 << 16), lambda: None if is_busy else self.made(
                peer, "poll", handle, p.data(*self.blocks(self.queries[handle])), in_size=1 << 16)[2])
        else:
            for other in self.clients:
                if other["open"] is client["open"]:
                    self.answer(other)
            client["open"].remove(handle)
            self.send(client, self.made(peer, "close", handle), lambda: self.made(peer, "close", handle)[2])
            self.answer(client)
            del self.queries[handle]

    def open(self, client):
        handle = next(handle for handle in map(p.query_handle, range(1, 1000)) if handle not in self.queries)
        self.queries[handle] = []
        client["open"].append(handle)
        return self.made(client["peer"], "open", handle)[2]

    def change(self, client, handle, is_busy):
        chance, peer, known = self.chance, client["peer"], self.queries[handle]
        add = not known or chance.random() < 0.75
        sent = [] if add else [chance.choice(known)]
        for _ in range(chance.randint(1, 3) if add else 0):
            guid = chance.choice(list(SETS))
            name, id = chance.choice([chance.choice(INSTANCES), (chance.choice(INSTANCES)[0].upper(), p.NONE), (chance.choice(PATTERNS), chance.choice([0, 7, p.NONE]))])
            if KINDS[guid] in (0, 4):
                name, id = chance.choice([("", 0), ("", p.NONE), ("*", p.NONE)]) if guid == ONE_SET else ("", 0)
            sent.append((guid, chance.choice([*SETS[guid], p.NONE]), name, id))
        items = [identifier_of(*one) for one in sent]

        def answer():
            statuses = []
            for one in sent:
                is_known = one[:2] + (one[2].lower(), one[3]) in [(*own[:2], own[2].lower(), own[3]) for own in known]
                statuses.append(0xB7 if add and is_known else 0 if add or one in known else 0x1069)
                if statuses[-1] == 0:
                    known.append(one) if add else known.remove(one)
            returned = b"".join(item[:16] + struct.pack("<I", status) + item[20:] for item, status in zip(items, statuses))
            return self.made(peer, "validate", handle, *items, add=int(add), returned=returned)[2]

        self.send(client, self.made(peer, "validate", handle, *items, add=int(add)), (lambda: None) if is_busy else answer)


H = p.query_handle(1)
PATH = re.compile(r"\\\\HOST\\Set(\d)(?:\((.*?)(?:#\d+)?\))?\\C(\d)")


def judge(tshark, folder, seed, count, disorder=False):
    """So many sessions at random; how many names were right."""
    chance = random.Random(seed)
    sessions = LossySessions(chance, disorder)
    for number in range(count):
        made = Capture()
        made.clients = number * 10      # ports of its own
        session = Session(made, number, chance, disorder)
        for _ in range(chance.randint(15, 50)):
            session.step()
        sessions.add(made.frames)
    named = 0
    for where, paths, values in sessions.polls(tshark, folder / "under-way.pcap", "perflibv2.cooked", NOT_JUDGED):
        for shown, value in zip(map(p.plain_host, map(unescaped, paths)), values):
            match = PATH.fullmatch(shown)
            if match is None:
                continue    # not all names are in the capture
            counterset, name, counter = match.groups()
            named += 1
            assert (int(counterset) + 1, int(counter)) == (value // 1_000_000, value // 10_000 % 100), f"{where}: {shown} = {value}"
            # Where instances have no name paths have none, or if there are several, their ids.
            own, id = INSTANCES[value % 10_000]
            expected = {0: [None], 4: [None, f"id {id}"]}.get(KINDS[list(SETS)[int(counterset)]], [own.lower()])
            assert (name.lower() or None if name else None) in expected, f"{where}: {shown} = {value}"
    return named


def test_frames_left_out_of_calls_under_way(tshark, tmp_path):
    assert judge(tshark, tmp_path, SEED, SESSIONS) > 500


def test_frames_that_change_places(tshark, tmp_path):
    """Calls on a handle may come before the answer that gives it, answers before their requests."""
    assert judge(tshark, tmp_path, SEED, SESSIONS, disorder=True) > 500


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_an_answer_before_the_first_request_of_its_connection(tshark, tmp_path, passes):
    """
    Frames change places: what the other connection of the client closed, or added, is known by its answer alone. Nobody is
    blamed for what the handle is by then.
    """
    rules = sorted(RULES)
    capture = Capture()
    one, number = p.identifier(1, "one"), 0
    for done, after in [
        ((4, H, p.NULL_HANDLE + bytes(4)), lambda peer: peer.open(H)),
        ((7, align(H + struct.pack("<II", len(one), len(one)) + one, 4) + struct.pack("<I", 1), align(struct.pack("<I", len(one)) + one, 4) + bytes(4)),
         lambda peer: peer.validate(H, one, add=0)),
    ]:
        number += 1
        first, second = (p.Peer(capture, server=f"10.4.4.{number}") for _ in range(2))
        first.open(H)
        opnum, request, response = done
        second.connection.call_id += 1
        second.connection.response(response)
        after(first)
        second.connection.request(opnum, request)
    path = capture.write(tmp_path / "before.pcap")
    rows = tshark.fields(path, "frame.number", *(f"perflibv2.rule.{rule}" for rule in rules), display_filter="perflibv2", options=passes)
    assert len(rows) > 8
    assert [[frame, rule] for (frame,), *broken in rows for rule, cell in zip(rules, broken) if cell] == []


def test_a_close_that_is_recognised_late(tshark, tmp_path):
    """
    The other connection of the client has no bind. What it polls tells what it is, so that its close is read in the second
    pass alone, behind the answer that gave out the handle again.
    """
    capture = Capture()
    first, second = p.Peer(capture), p.Peer(capture, bind=False)
    first.open(H)
    closed, _ = second.close(H)
    _, opened = first.open(H)
    second.poll(H, p.data(p.block(1, p.value(5))))
    first.poll(H, p.data(p.block(1, p.value(6))))
    path = capture.write(tmp_path / "late.pcap")
    rows = tshark.fields(path, "frame.number", "perflibv2.opnum", "perflibv2.rule.handle_after_close", display_filter="perflibv2", options=["-2"])
    assert [[str(closed)], ["4"], []] in rows and len(rows) >= 9
    assert [row for row in rows if row[2]] == []
    assert tshark.fields(path, "perflibv2.handle.closed_in", display_filter=f"frame.number == {opened}", options=["-2"]) == [[[]]]


def shared(capture, server, turn):
    """A session of two connections of one client, which use each other's handles. A value tells its counter."""
    a, b = (p.Peer(capture, server=server) for _ in range(2))
    first, second = (a, b) if turn != 1 else (b, a)
    for peer in (a, b):
        peer.registration(1, p.counterset([p.counter(id) for id in (1, 2, 3)]))

    def poll(peer, *ids):
        peer.poll(H, p.data(*(p.block(1, p.value(1000 * id + len(capture.frames))) for id in ids)))

    if turn < 3:
        first.open(H)
        second.validate(H, p.identifier(1), p.identifier(2))
        (first if turn == 2 else second).info(H, p.identifier(1, index=0), p.identifier(2, index=1))
        poll(second, 1, 2)
        poll(first, 1, 2)
        first.validate(H, p.identifier(3))
        second.info(H, *(p.identifier(id, index=id - 1) for id in (1, 2, 3)))
        (first if turn else second).close(H)
        return
    for id, closing in ((1, b if turn == 3 else a), (2, b)):
        a.open(H)
        a.validate(H, p.identifier(id))
        b.info(H, p.identifier(id))
        for peer in (b, a, b):
            poll(peer, id)
        closing.close(H)


def test_every_frame_of_shared_handles_elsewhere(tshark, tmp_path):
    """Each frame up to three places earlier or later: nothing tells in which order two connections were used."""
    capture, first = Capture(), []
    for turn in range(5):
        def session():
            made = Capture()
            made.clients = len(first) * 2
            shared(made, f"10.4.{len(first) // 250}.{len(first) % 250 + 1}", turn)
            return made.frames
        for at in range(len(session())):
            for place in range(max(0, at - 3), at + 4):
                frames = session()
                frames.insert(place, frames.pop(at))
                first.append(len(capture.frames) + 1)
                capture.frames += frames
    path = capture.write(tmp_path / "elsewhere.pcap")
    for options in ((), ("-2",)):
        rows = tshark.fields(path, frame_and(RULES), "perflibv2.path", "perflibv2.value",
                             display_filter="perflibv2", options=options, short=True)
        named = 0
        for (frame, *broken), paths, values in rows:
            number = bisect_right(first, int(frame)) - 1
            where = f"session {number}, frame {int(frame) - first[number] + 1}"
            assert not broken, f"{where}: {broken_in(tshark, path, frame, options)}"
            for shown, value in zip(paths, values):
                counter = re.search(r"counter (\d)$", shown)
                named += bool(counter)
                assert not counter or int(counter[1]) == int(value, 0) // 1000, f"{where}: {shown} = {value}"
        assert named > 1000


@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])
def test_a_handle_is_used_before_the_answer_that_gives_it(tshark, tmp_path, options):
    """Two frames changed places: it is one query with the identifiers that were added, and the server is not blamed."""
    capture = Capture()
    peer = p.Peer(capture)
    items = [p.identifier(1, "one"), p.identifier(2, "two", index=1)]
    peer.open(H)
    opened = len(capture.frames) - 1
    peer.validate(H, *items)
    peer.info(H, *items)
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    peer.close(H)
    capture.frames[opened : opened + 2] = capture.frames[opened + 1], capture.frames[opened]
    path = capture.write(tmp_path / "early.pcap")
    options = [*options, "-o", "tcp.reassemble_out_of_order:TRUE"]
    rules = [f"perflibv2.rule.{rule}" for rule in sorted(RULES)]
    rows = tshark.fields(path, "perflibv2.query", "perflibv2.handle.opened_in", *rules, display_filter="perflibv2.query", options=options)
    # The open's answer, and both PDUs of the other four calls. In one pass the first use comes before it is known.
    assert len(rows) == 9 and {query for (query, *_) in [row[0] for row in rows]} == {"1"}
    assert {frame for row in rows[2:] for frame in row[1]} == {str(opened + 2)}
    assert not any(cell for row in rows for cell in row[2:])
