# SPDX-License-Identifier: GPL-2.0-or-later
"""What a client could do with less: buffers that grow, polls that overlap or come late, counters polled twice."""

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, record_of
from lib.perfdata import HANDLE, Peer, built, crafted, wire
from lib.some import some
from lib.tables import query_rows
from lib.wire import Capture

H, OTHER = p.query_handle(1), p.query_handle(2)
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
NOTES = ("growing_buffer", "poll.overlap", "poll.late", "poll.twice")
MORE_DATA = 234
BLOCK = p.block(1, p.value())


def notes(tshark, path, passes, protocol="perflibv2"):
    """{frame: [(note, its words)]} of the notes of this page."""
    names = [f"{protocol}.{note}" for note in NOTES]
    rows = tshark.fields(path, "frame.number", "_ws.expert.message", *names, options=passes,
                         display_filter=" || ".join(names))
    found = {}
    for frame, messages, *present in rows:
        which = [note for note, cell in zip(NOTES, present) for _ in cell]
        words = [message for message in messages if any(key in message for key in (
            "round trips", "polled again", "usual interval", "also polls"))]
        assert len(which) == len(words), messages
        found[int(frame[0])] = sorted(zip(which, words), key=lambda pair: NOTES.index(pair[0]))
    return found


def table(tshark, path, protocol="perflibv2"):
    """Each row's Too small, Wasted bytes %, Late, Overlap, Twice."""
    rows = query_rows(tshark.run(path, "-q", "-z", f"{protocol},queries"))
    columns = ["Too small", "Wasted bytes %", "Late", "Overlap", "Twice"]
    # A row without any of it is not among those.
    return [tuple(int(row[column] or 0) for column in columns) for row in rows]


@pytest.fixture
def peer():
    return p.Peer(Capture())


@PASSES
def test_buffer_that_grows_is_told_with_its_cost(tshark, tmp_path, peer, passes):
    """Ten round trips, half a second; what is asked for twice with room for less is nothing; nor is another thing's buffer."""
    peer.open(H)
    peer.validate(H, p.identifier())
    for wanted in range(2):         # the usual: once for the size, once for the data
        peer.poll(H, b"", in_size=0, needed=80, status=p.NOT_ENOUGH_MEMORY)
        peer.poll(H, p.data(BLOCK))
    for size in range(9):
        peer.poll(H, b"", in_size=8 * size, needed=80, status=p.NOT_ENOUGH_MEMORY)
        peer.registration(1, b"", in_size=8 * size if size else 0, needed=200, status=p.NOT_ENOUGH_MEMORY)
        peer.capture.wait(50)
    _, fitted = peer.poll(H, p.data(BLOCK))
    _, taught = peer.teach()
    # Each poll that failed: 24 bytes asked, 24 answered; the last: 24 and 24 and its data.
    data = len(p.data(BLOCK))
    wasted = round(100 * 9 * 48 / (9 * 48 + 48 + data))
    found = notes(tshark, peer.capture.write(tmp_path / "grows.pcap"), passes)
    assert list(found) == [fitted, taught]
    assert found[fitted] == [("growing_buffer", f"The client needed 10 round trips and 0.487 s to find the buffer size; {wasted} % of the bytes were wasted")]
    assert found[taught][0][1].startswith("The client needed 10 round trips and 0.487 s ")
    ((too_small, percent, *rest),) = table(tshark, tmp_path / "grows.pcap")
    assert (too_small, rest) == (8, [0, 0, 0])       # those without any room are probes
    # Of all calls on the handle: both polls before, with their probes, and what opened and filled it.
    opened = len(peer.machine) + 24
    changed = 20 + 8 + 48 + 4 + 4 + 48 + 4
    assert len(p.identifier()) == 48
    assert percent == round(100 * 11 * 48 / (11 * 48 + 3 * (48 + data) + opened + changed))


@PASSES
def test_given_up_and_begun_again(tshark, tmp_path, peer, passes):
    """Two that were too small, and, much later, one more: nothing that grew."""
    peer.open(H)
    for size in (8, 16):
        peer.poll(H, b"", in_size=size, needed=80, status=p.NOT_ENOUGH_MEMORY)
    peer.capture.wait(60_000)
    peer.poll(H, b"", in_size=24, needed=80, status=p.NOT_ENOUGH_MEMORY)
    peer.poll(H, p.data(BLOCK))
    assert notes(tshark, peer.capture.write(tmp_path / "again.pcap"), passes) == {}


def test_a_buffer_that_grows_in_the_older_api(tshark, tmp_path):
    """HKEY_PERFORMANCE_DATA tells no size: clients grow their buffers, and send them along."""
    peer = Peer()
    block = built(seconds=1)
    for room in range(1, 8):
        peer.call(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 256 * room, offered=bytes(256 * room)),
                  wire.query_response(wire.REG_BINARY, b"", 256 * room, 0, MORE_DATA))
        peer.capture.wait(0.1)
    request = wire.query_request(HANDLE, "Global", 2048, offered=bytes(2048))
    response = wire.query_response(wire.REG_BINARY, block, len(block), len(block))
    _, fitted = peer.call(wire.QUERY_VALUE, request, response)
    wasted = sum(len(wire.query_request(HANDLE, "Global", 256 * room, offered=bytes(256 * room)))
                 + len(wire.query_response(wire.REG_BINARY, b"", 256 * room, 0, MORE_DATA)) for room in range(1, 8))
    percent = round(100 * wasted / (wasted + len(request) + len(response)))
    path = peer.write(tmp_path / "grows.pcapng")
    (frame,) = tshark.fields(path, "frame.number", "_ws.expert.message", display_filter="perfdata.growing_buffer")
    assert frame[0] == [str(fitted)]
    (words,) = [words for words in frame[1] if "round trips" in words]
    assert words.startswith("The client needed 8 round trips and 0.7") and words.endswith(f"; {percent} % of the bytes were wasted")
    assert table(tshark, path, "perfdata") == [(7, percent, 0, 0, 0)]


@PASSES
def test_polls_that_overlap_are_told_at_the_answer(tshark, tmp_path, peer, passes):
    """Said at the answer that the client did not wait for; an answer that is not in the capture blames nobody."""
    peer.open(H)
    connection, capture = peer.connection, peer.capture
    peer.poll(H)                    # its answer is missing
    peer.poll(H, p.data(BLOCK))
    first = connection.call_id = connection.call_id + 1
    connection.request(6, H + p.struct.pack("<I", 4096))
    connection.call_id += 1
    connection.request(6, H + p.struct.pack("<I", 4096))
    again = len(capture.frames)
    answer = peer._answer(p.data(BLOCK), 4096, None, None, 0)
    connection.response(answer, call_id=first)
    overlapped = len(capture.frames)
    connection.response(answer)
    found = notes(tshark, capture.write(tmp_path / "overlap.pcap"), passes)
    assert found == {overlapped: [("poll.overlap", f"The client polled again in frame {again}, before this answer")]}
    assert [row[3] for row in table(tshark, tmp_path / "overlap.pcap")] == [1]


def poll_at(peer, *intervals, handle=H):
    """Polls, so many milliseconds from request to request; returns the frames of the requests."""
    frames = [peer.poll(handle, p.data(BLOCK))[0]]
    for interval in intervals:
        peer.capture.wait(interval - 2)         # request and answer take a millisecond each
        frames.append(peer.poll(handle, p.data(BLOCK))[0])
    return frames


@PASSES
def test_polls_that_come_late(tshark, tmp_path, peer, passes):
    """After four intervals of its own; a slower pace is no second lateness, and what is quick has no interval."""
    peer.open(H)
    frames = poll_at(peer, 1000, 1000, 1050, 950, 2600, 1000, 1000, 3000, 3000, 3000, 3000, 3000, 5000)
    peer.open(OTHER)
    poll_at(peer, 10, 10, 10, 10, 10, 10, 500, 10, 10, handle=OTHER)
    found = notes(tshark, peer.capture.write(tmp_path / "late.pcap"), passes)
    assert found == {
        frames[5]: [("poll.late", "The poll is late: 2.600 s after the previous one. The client's usual interval is 1.000 s")],
        frames[13]: [("poll.late", "The poll is late: 5.000 s after the previous one. The client's usual interval is 3.000 s")],
    }
    assert [row[2] for row in table(tshark, tmp_path / "late.pcap")] == [2, 0]


@PASSES
@pytest.mark.parametrize("what", ["missing", "other calls", "unnumbered"])
def test_calls_that_may_be_missing_blame_nobody(tshark, tmp_path, peer, passes, what):
    """Where a poll is missing the next one looks late; the client's numbers tell, where it numbers its calls."""
    peer.open(H)
    for number in range(12):
        if what == "unnumbered":
            peer.connection.call_id = 7
        if what == "missing" and number == 8:
            peer.connection.call_id += 1
            peer.capture.wait(1000)
            continue
        if what == "other calls" and number == 8:
            peer.open(OTHER)
        if what != "missing" and number == 8:
            peer.capture.wait(1000)
        poll_at(peer)
        peer.capture.wait(998)
    assert notes(tshark, peer.capture.write(tmp_path / "lost.pcap"), passes) == {}


@PASSES
def test_counters_polled_twice_are_told_once_a_query(tshark, tmp_path, passes):
    """Two queries of one client; not of two, not those removed, closed or no longer polled; said once a query."""
    capture = Capture()
    peer = p.Peer(capture)
    another = p.Peer(capture, client="192.0.2.3")
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2), p.identifier(3))
    peer.open(OTHER)
    peer.validate(OTHER, p.identifier(2), p.identifier(3), p.identifier(4))
    third = p.query_handle(3)
    another.open(third)
    another.validate(third, p.identifier(1), p.identifier(2))
    frames = []
    for _ in range(3):
        for one, handle in ((peer, H), (peer, OTHER), (another, third)):
            frames.append(one.poll(handle, p.data(BLOCK))[1])
    found = notes(tshark, capture.write(tmp_path / "twice.pcap"), passes)
    assert found == {frames[4]: [("poll.twice", f"The client also polls 2 of these counters with query 1, last in frame {frames[3]}")]}
    assert [row[4] for row in table(tshark, tmp_path / "twice.pcap")] == [0, 2, 0]


@PASSES
def test_polled_twice_in_one_frame_is_told(tshark, tmp_path, peer, passes):
    """Both queries are polled in one frame: since the first one's poll the other one was polled, if only later in that frame."""
    for handle in (H, OTHER):
        peer.open(handle)
        peer.validate(handle, p.identifier(1))
    connection = peer.connection
    calls = []
    with connection.in_one_frame():
        for handle in (OTHER, H):
            connection.call_id += 1
            calls.append(connection.call_id)
            connection.request(6, handle + (4096).to_bytes(4, "little"))
    content = p.data(BLOCK)
    with connection.in_one_frame():
        for connection.call_id in calls:
            connection.response(peer._answer(content, 4096, None, None, 0))
    both = len(peer.capture.frames)
    _, later = peer.poll(OTHER, content)
    found = notes(tshark, peer.capture.write(tmp_path / "one.pcap"), passes)
    assert found == {later: [("poll.twice", f"The client also polls 1 of these counters with query 1, last in frame {both}")]}


@PASSES
def test_polled_by_who_did_not_remove_it(tshark, tmp_path, peer, passes):
    """The first query no longer has the counter, but the second does when the third adds it."""
    third = p.query_handle(3)
    for handle in (H, OTHER):
        peer.open(handle)
        peer.validate(handle, p.identifier(1))
    peer.validate(H, p.identifier(1), add=0)
    peer.open(third)
    peer.validate(third, p.identifier(1))
    frames = [peer.poll(handle, p.data(BLOCK))[1] for _ in range(3) for handle in (OTHER, third)]
    found = notes(tshark, peer.capture.write(tmp_path / "third.pcap"), passes)
    assert found == {frames[3]: [("poll.twice", f"The client also polls 1 of these counters with query 2, last in frame {frames[2]}")]}


@PASSES
@pytest.mark.parametrize("what", ["removed", "removed by the other", "closed", "no longer polled", "another instance"])
def test_counters_polled_once_are_no_waste(tshark, tmp_path, peer, passes, what):
    peer.open(H)
    peer.validate(H, p.identifier(1))
    if what == "removed":
        peer.validate(H, p.identifier(1), add=0)
    if what == "closed":
        peer.close(H)
    peer.open(OTHER)
    peer.validate(OTHER, p.identifier(1, name="two" if what == "another instance" else "one"))
    if what == "removed by the other":
        peer.validate(H, p.identifier(1), add=0)
    for number in range(3):
        if what != "closed" and not (what == "no longer polled" and number > 0):
            peer.poll(H, p.data(BLOCK))
        peer.poll(OTHER, p.data(BLOCK))
    assert notes(tshark, peer.capture.write(tmp_path / "once.pcap"), passes) == {}


def test_what_is_polled_by_one(tshark, tmp_path):
    """Each on a server of its own: what one query of a client polls no other does, but for the last."""
    capture = Capture()

    def peers(number):
        """Two connections of one client."""
        made = [p.Peer(capture, server=f"10.8.0.{number}") for _ in range(2)]
        for handle in H, OTHER:
            made[0].open(handle)
        return made

    def polls(peer, *handles):
        return [peer.poll(handle, p.data(BLOCK)) for handle in handles][-1]

    # The numbers of another connection's calls go on by chance: whether one was missing can't be told.
    one, other = peers(1)
    poll_at(one, 1000, 1000, 1000, 1000)
    capture.wait(2600)
    other.connection.call_id = one.connection.call_id
    polls(other, H)
    # Another server.
    one, (other, _) = peers(2)[0], peers(3)
    one.validate(H, p.identifier(1))
    other.validate(OTHER, p.identifier(1))
    for _ in range(3):
        polls(one, H)
        polls(other, OTHER)
    # Refused.
    one, _ = peers(4)
    one.validate(H, p.identifier(1))
    one.validate(OTHER, p.identifier(1), returned=p.identifier(1, status=p.INVALID_PARAMETER))
    polls(one, H, OTHER, H, OTHER)
    # Closed before it was the other's.
    one, _ = peers(5)
    one.validate(H, p.identifier(1))
    polls(one, OTHER, H)
    one.close(H)
    one.validate(OTHER, p.identifier(1))
    polls(one, OTHER)
    # Added twice to one query.
    one, _ = peers(6)
    one.validate(H, p.identifier(1))
    one.validate(H, p.identifier(1))
    polls(one, H, H)
    # Removed again.
    one, _ = peers(7)
    one.validate(H, p.identifier(1))
    one.validate(OTHER, p.identifier(1))
    one.validate(OTHER, p.identifier(1), add=0)
    polls(one, H, OTHER, H, OTHER)
    # Refused to be polled.
    one, _ = peers(8)
    one.validate(H, p.identifier(1))
    one.validate(OTHER, p.identifier(1))
    polls(one, OTHER, H)
    one.poll(OTHER, b"", status=p.ACCESS_DENIED)
    # What was removed before does not matter.
    one, _ = peers(9)
    one.validate(H, p.identifier(1), p.identifier(2))
    one.validate(H, p.identifier(2), add=0)
    one.validate(OTHER, p.identifier(1))
    _, frame = polls(one, H, OTHER, H, OTHER)
    found = notes(tshark, capture.write(tmp_path / "once.pcap"), ())
    assert {frame: [note for note, _ in said] for frame, said in found.items()} == {frame: ["poll.twice"]}


@pytest.mark.parametrize("what", ["connections", "languages", "queries", "countersets", "codes"])
def test_buffers_of_many_things(tshark, tmp_path, what):
    """Each was too small once, and then fitted, which is usual: none grew, whichever share a place in the table."""
    capture = Capture()
    first = p.Peer(capture)
    small = {"needed": 200, "status": p.NOT_ENOUGH_MEMORY, "in_size": 8}
    peers = [p.Peer(capture) if what == "connections" else first for _ in range(60)]
    for number in range(60):
        if what == "queries":
            first.open(p.query_handle(10 + number))
    for fits in False, True:
        for number, peer in enumerate(peers):
            sizes = {} if fits else small
            if what == "queries":
                content = p.identifier(1) if fits else b""
                in_size, needed, status = (4096, None, 0) if fits else (8, 200, p.NOT_ENOUGH_MEMORY)
                peer.call(5, p.query_handle(10 + number) + p.struct.pack("<I", in_size), peer._answer(content, in_size, None, needed, status))
            elif what == "countersets":
                guid = p.uuid.UUID(int=p.SET.int + number)
                peer.registration(3, p.text("Set") if fits else b"", guid=guid, **sizes)
            elif what == "codes":
                code = (3, 4, 7, 9)[number % 4]
                if number < 4:
                    peer.registration(code, p.text("Set") if fits else b"", **sizes)
            else:
                peer.registration(3, p.text("Set") if fits else b"", lcid=number if what == "languages" else 0, **sizes)
    path = capture.write(tmp_path / "many.pcap")
    assert notes(tshark, path, ()) == {}
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.return_code == 0 && perflibv2.lpdata")) == (4 if what == "codes" else 60)


@PASSES
def test_a_value_polled_twice_in_the_older_api(tshark, tmp_path, passes):
    """Two handles of one client that take turns; one that was opened after the other was left is no second one."""
    peer, other, third = Peer(), crafted.handle_bytes(2), crafted.handle_bytes(3)
    peer.open(handle=other)
    peer.open(handle=third)
    for second in range(3):
        peer.query("Global", built(seconds=1 + second))
        _, answer = peer.query("Global", built(seconds=1.5 + second), handle=other)
        if second == 1:
            expected = answer
    for second in range(3):
        peer.query("Global", built(seconds=10 + second), handle=third)
    rows = tshark.fields(peer.write(tmp_path / "twice.pcapng"), "frame.number", "_ws.expert.message", options=passes,
                         display_filter="perfdata.poll.twice")
    assert [int(row[0][0]) for row in rows] == [expected - 2, expected]
    assert all(any(f"with another handle, last in frame {frame}" in words for words in row[1])
               for row, frame in some(zip(rows, (expected - 4, expected - 2))))


@PASSES
def test_a_poll_that_is_late_and_one_too_many_in_the_older_api(tshark, tmp_path, passes):
    """What is said of the request stays where there is something to say of the answer, too."""
    peer, handle = Peer(), crafted.handle_bytes(2)
    other = Peer(other=peer, client=(crafted.CLIENT, 50001))
    other.open(handle=handle)
    for second in range(5):
        peer.capture.wait(1)
        peer.query("Global", built(seconds=1 + second))
    _, polled = other.query("Global", built(seconds=6), handle=handle)
    peer.capture.wait(4)
    late, answer = peer.query("Global", built(seconds=10))
    found = notes(tshark, peer.write(tmp_path / "both.pcapng"), passes, "perfdata")
    assert {frame: [note for note, _ in said] for frame, said in found.items()} == {late: ["poll.late"], answer: ["poll.twice"]}
    assert found[answer][0][1].endswith(f"last in frame {polled}")


@pytest.mark.parametrize("what", ["servers", "clients", "values"])
def test_many_that_poll_once_in_the_older_api(tshark, tmp_path, what):
    """Another server of one client, another client of one server, another value of one handle: whichever share a place in the table, none is polled twice."""
    first = Peer()
    asked = []
    for number in range(1, 61):
        peer, handle, value = first, HANDLE, "Global"
        if what == "servers":
            peer = Peer(other=first, server=(f"10.5.0.{number}", crafted.PORT))
        elif what == "clients":
            peer, handle = Peer(other=first, client=(f"10.6.0.{number}", 50000), opened=False), crafted.handle_bytes(100 + number)
            peer.open(handle=handle)
        else:
            value = str(2 * number)
        asked.append((peer, handle, value))
    for second in 1, 2:
        for peer, handle, value in asked:
            peer.query(value, built(seconds=second), handle=handle)
    path = first.write(tmp_path / "once.pcapng")
    rows = tshark.fields(path, "perfdata.poll.twice", display_filter="perfdata.data_block && dcerpc.pkt_type == 2")
    assert rows == [[[]]] * 120


HOSTS = {"a": "192.0.2.10", "b": "192.0.2.11", "c": "192.0.2.12", "loopback": "127.0.0.1"}


def opened(capture, *calls):
    """Handles opened, each on a connection of its own: (server, szMachine). Returns the frames of the requests."""
    frames = []
    for number, (server, machine) in enumerate(calls):
        peer = p.Peer(capture, machine=machine, server=HOSTS[server])
        frames.append(peer.open(p.query_handle(number + 1))[0])
    return frames


@PASSES
@pytest.mark.parametrize("machine, named", [
    ("\\\\BETA", "beta"), ("beta.example.com", "beta"), (HOSTS["b"], "beta"), ("\\\\192.0.2.11", "beta"),
], ids=["name", "domain", "address", "address with backslashes"])
def test_call_that_names_another_server_is_told(tshark, tmp_path, passes, machine, named):
    capture = Capture()
    first, second, other = opened(capture, ("a", "\\\\Alpha"), ("b", "BETA"), ("a", machine))
    path = capture.write(tmp_path / "machine.pcap")
    ((frame, messages),) = tshark.fields(path, "frame.number", "_ws.expert.message", options=passes,
                                         display_filter="perflibv2.machine.other")
    assert frame == [str(other)]
    assert (f"szMachine contains the name of another server: {HOSTS['b']} is called {named} (frame {second}), but this server, {HOSTS['a']}, "
            f"is called alpha (frame {first})") in messages
    assert [row["Other host"] for row in query_rows(tshark.run(path, "-q", "-z", "perflibv2,queries"))] == ["", "", "1"]


@pytest.mark.parametrize("calls", [
    [("a", "ALPHA"), ("a", "alpha.example.com"), ("a", "\\\\alpha")],
    [("a", "ALPHA"), ("a", "ALIAS"), ("b", "BETA"), ("a", "BETA")],         # several names
    [("a", "ALPHA"), ("b", "BETA"), ("b", "CLUSTER"), ("a", "BETA")],
    [("a", "ALPHA"), ("b", "BETA"), ("a", HOSTS["c"])],                     # an address nobody was seen at: translated?
    [("a", HOSTS["b"]), ("b", HOSTS["b"]), ("a", HOSTS["a"])],
    [("loopback", "ALPHA"), ("b", "BETA"), ("loopback", "BETA")],           # a tunnel
    [("a", "ALPHA"), ("b", "ALPHA"), ("b", "ALPHA")],                       # one host, two addresses
    [("a", ""), ("b", "BETA"), ("a", "BETA")],
    [("a", "localhost"), ("b", "BETA"), ("b", "\\\\LOCALHOST")],           # every host's own name
    [("a", "web.example.com"), ("b", "db.example.com"), ("b", "web.example.net")],
], ids=["domain", "alias", "alias of the other", "address", "addresses", "loopback", "two addresses", "no name",
        "localhost", "other domain"])
def test_no_other_server_named(tshark, tmp_path, calls):
    capture = Capture()
    opened(capture, *calls)
    path = capture.write(tmp_path / "machine.pcap")
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.machine.other") == []


@PASSES
def test_notes_stand_where_the_recorded_client_did_it(tshark, passes):
    """Real peers, both APIs: the notes stand where the record says what the client did, and nowhere else."""
    record = record_of(CAPTURES / "habits.pcapng")
    expected = set()
    for call in record["calls"] + record["perfdata_calls"]:
        name = call.get("note", "").partition(":")[0]
        if name:
            asked = name.endswith((".late", ".other"))
            expected.add((name, call["request_frame" if asked else "response_frame"]))
    names = [f"{protocol}.{note}" for protocol in ("perflibv2", "perfdata") for note in NOTES] + ["perflibv2.machine.other"]
    assert {name for name, _ in expected} == {*names} - {"perflibv2.poll.twice"}
    rows = tshark.fields(CAPTURES / "habits.pcapng", "frame.number", *names, options=passes, display_filter=" || ".join(names))
    found = [(name, int(frame)) for (frame,), *cells in rows for name, cell in zip(names, cells) for _ in cell]
    assert sorted(found) == sorted(expected)
