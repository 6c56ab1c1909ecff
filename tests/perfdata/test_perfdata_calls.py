# SPDX-License-Identifier: GPL-2.0-or-later
"""The registry calls around performance data: handles, value names, several values at once, what belongs to winreg alone."""

import struct

import pytest

from lib.perfdata import HANDLE, Peer, answers, as_error, crafted, replaced, wire
from lib.some import some
from lib.tables import data_tables, named_rows, query_rows, table_rows
from lib.wire import REQUEST, RESPONSE, WINREG, Capture
from perfdata.block import Builder, Counter, Instance, Object, names

OPEN_KEY, OPEN_LOCAL_MACHINE, QUERY_MULTIPLE_2 = 15, 2, 34
LOCAL_MACHINE, PERFLIB = crafted.handle_bytes(20), crafted.handle_bytes(21)
KEY = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009"
ENGLISH = [(1, "1847"), (5000, "Types"), (5002, "Value")]


def block(value=1, seconds=1):
    return Builder("PC", crafted.clock(seconds), [Object(5000, [Counter(5002, "PERF_COUNTER_COUNTER")], Instance("", [value]))]).data


def string(text, wide=False, count=None, pointer=0x20000):
    """A winreg_String behind a handle."""
    data = (text + "\0").encode("utf-16-le", "surrogatepass")
    count = len(data) // 2 if count is None else count
    head = struct.pack("<HH", len(data) & 0xFFFF, len(data) & 0xFFFF)
    if pointer == 0:
        return bytes(4) + head + bytes(12) if wide else head + bytes(4)
    return (bytes(4) + head + bytes(4) + struct.pack("<QQQQ", pointer, count, 0, count) if wide
            else head + struct.pack("<IIII", pointer, count, 0, count)) + data


def open_key(path, wide=False):
    stub = LOCAL_MACHINE + string(path, wide)
    return stub + bytes(-len(stub) % 4) + struct.pack("<II", 0, 0x20019)


def paths(answer):
    return [value.show for value in answer.values()]


def packets(tshark, path, *options):
    """PDML of each packet."""
    return tshark.run(path, "-T", "pdml", *options).split("<packet>")[1:]


# Names under the plain key of the registry.

@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_names_of_the_plain_key(tshark, bare_tshark, tmp_path, wide, two_pass):
    """HKLM\\...\\Perflib\\009: Counter and Help are lists as anywhere, all else is winreg's."""
    peer = Peer(wide)
    peer.call(OPEN_LOCAL_MACHINE, wire.open_request(), wire.open_response(LOCAL_MACHINE))
    opened = peer.call(OPEN_KEY, open_key(KEY.upper(), wide), wire.open_response(PERFLIB))
    listed = peer.query("Counter", names(ENGLISH), PERFLIB, kind=7)
    peer.query("Help", names([(5001, "All types")]), PERFLIB, kind=7)
    other = peer.query("Updating", b"busy", PERFLIB)
    # A plain value, even if it looks like something else.
    several = peer.call(29, multiple_request(["Counter"], wide, PERFLIB), multiple_response([("Counter", 0, 4)], wide=wide, buffer=b"list"))
    closed = peer.close(PERFLIB)
    after = peer.query("Counter", names([(5002, "not ours")]), PERFLIB, kind=7)
    poll = peer.query("Global", block())
    path = peer.write(tmp_path / "key.pcapng")

    counter, help_text, updating, later, data = answers(tshark, path, two_pass)
    assert counter.titles() == [list(entry) for entry in ENGLISH] and help_text.titles() == [[5001, "All types"]]
    assert counter.shows("perfdata.handle.opened_in") == [str(opened[1])]
    assert not updating.find("perfdata") and not later.find("perfdata")
    assert paths(data) == ["\\\\PC\\Types\\Value"]
    assert data.find("perfdata.object.name")[0].first("perfdata.learned_in").show == str(listed[1])
    assert data.shows("perfdata.object.help") == ["All types"]
    if two_pass:
        assert counter.shows("perfdata.handle.closed_in") == [str(closed[1])]

    ours, theirs = (packets(program, path, *(["-2"] if two_pass else [])) for program in (tshark, bare_tshark))
    changed = [number for number, (one, another) in enumerate(zip(ours, theirs, strict=True), 1) if one != another]
    assert not {*opened, *other, *several, *closed, *after} & set(changed)
    assert {*listed, *poll} <= set(changed)


OTHER_KEYS = [
    (KEY, 2),                                   # not opened
    (KEY[:-4], 0), (KEY[:-1], 0), (KEY + "1", 0), (KEY[:-3] + "0zz", 0), (KEY[:-4] + "\\_V2Providers", 0),
    ("SYSTEM" + KEY[8:], 0), ("", 0),
]


def test_other_keys_look_as_without_the_plugin(tshark, bare_tshark, tmp_path):
    """What is read with them looks as without the plugin."""
    peer = None
    for port, (path, error) in enumerate(OTHER_KEYS, 50000):
        peer = Peer(opened=False, other=peer, client=(crafted.CLIENT, port))
        peer.call(OPEN_KEY, open_key(path), wire.open_response(PERFLIB, error))
        peer.query("Counter", names(ENGLISH), PERFLIB, kind=7)
    capture = peer.write(tmp_path / "key.pcapng")
    assert packets(tshark, capture) == packets(bare_tshark, capture)


def test_language_of_the_key(tshark, tmp_path):
    """\\007 teaches German: an English list wins where both have a name."""
    peer = Peer()
    peer.call(OPEN_KEY, open_key(KEY[:-3] + "007"), wire.open_response(PERFLIB))
    peer.query("Counter", names([(5000, "Typen"), (5002, "Wert")]), PERFLIB)
    peer.query("Counter 009", names([(5000, "Types")]))
    peer.query("Global", block())
    assert paths(answers(tshark, peer.write(tmp_path / "key.pcapng"))[-1]) == ["\\\\PC\\Types\\Wert"]


def test_short_stubs_of_other_calls(tshark, bare_tshark, tmp_path):
    """Opening and closing calls that end anywhere, of handles that are ours and that are not: as winreg shows them."""
    peer = Peer()
    request = open_key(KEY)
    for size in range(0, len(request), 2):
        peer.call(OPEN_KEY, request[:size], wire.open_response(PERFLIB, 5))
    for size in range(0, 24, 2):
        peer.call(OPEN_KEY, request, wire.open_response(PERFLIB)[:size])
        peer.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(crafted.handle_bytes(9))[:size])
        peer.call(wire.CLOSE_KEY, HANDLE[:size], wire.close_response(5))
        peer.call(wire.CLOSE_KEY, HANDLE, wire.close_response()[:size])
        peer.call(29, HANDLE[:min(size, 18)], multiple_response([]))
    path = peer.write(tmp_path / "short.pcapng")
    for options in ([], ["-2"]):
        assert packets(tshark, path, *options) == packets(bare_tshark, path, *options)


def test_handles_that_fail_to_open_or_close(tshark, tmp_path):
    """A key that was not opened is none of ours; one that was not closed goes on."""
    peer = Peer(opened=False)
    peer.open(error=5)
    peer.query("x", b"abc")
    opened = peer.open()
    peer.close(error=6)
    peer.query("Global", block(10))
    peer.query("Global", block(15, seconds=2))
    other, none = crafted.handle_bytes(41), bytes(20)
    peer.open(handle=other)
    peer.query("Costly", block(1), handle=other)
    closed = peer.close(other)
    peer.open(handle=none)
    peer.query("Costly", block(1), handle=none)
    path = peer.write(tmp_path / "handles.pcapng")
    for two_pass in (False, True):
        refused, first, second, third, unknown = answers(tshark, path, two_pass)
        assert not refused.find("perfdata")
        assert third.shows("perfdata.handle.closed_in") == ([str(closed[1])] if two_pass else [])
        assert not unknown.find("perfdata.handle.opened_in")
        assert second.shows("perfdata.handle.opened_in") == [str(opened[1])] and not second.find("perfdata.handle.closed_in")
        assert second.values()[0].first("perfdata.cooked").show == "5"
    row = query_rows(tshark.run(path, "-q", "-z", "perfdata,queries"))[0]
    assert (row["Value"], row["Opened in frame"], row["Closed in frame"], row["Answers"]) == ("Global", str(opened[1]), "", "2")


# Value names.

@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
def test_answer_is_read_whatever_is_left_of_the_request(tshark, tmp_path, wide):
    """The answer tells what it is, whatever is left of the request."""
    peer = Peer(wide)
    request = wire.query_request(HANDLE, "Global", 64, b" " * 8, wide=wide)
    data = block()
    for size in range(len(request)):
        peer.call(wire.QUERY_VALUE, request[:size], wire.query_response(3, data, len(data), len(data), wide=wide))
    path = peer.write(tmp_path / "cut.pcapng")
    for two_pass in (False, True):
        found = answers(tshark, path, two_pass)
        assert len(found) == len(request)
        # Behind the handle: two lengths, a pointer and three counts, each aligned.
        name = 24 + 40 if wide else 20 + 20
        for size, answer in enumerate(found):
            assert paths(answer) == ["\\\\PC\\5000\\5002"] and answer.shows("winreg.werror") == [as_error(0)]
            assert answer.tells("recognised") == (size < 20), size
            shown = "Global"[:max(0, (size - name) // 2)] if size >= name else None
            assert answer.shows("perfdata.value_name") == ([] if shown is None else [shown]), size


@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
@pytest.mark.parametrize("count, told", [(7, 0), (8, 1), (0xFFFF, 1), (0x10000, 1), (0x7FFFFFFF, 1), (0xFFFFFFFF, 1)])
def test_length_of_a_value_name(tshark, tmp_path, wide, count, told):
    """"Global" with its terminator has seven characters; the stub ends behind it."""
    peer = Peer(wide)
    data = block()
    asked, answered = peer.call(wire.QUERY_VALUE, HANDLE + string("Global", wide, count),
                                wire.query_response(3, data, len(data), len(data), wide=wide))
    path = peer.write(tmp_path / "name.pcapng")
    (row,) = tshark.fields(path, "winreg.winreg_QueryValue.value_name", "_ws.expert.message", display_filter=f"frame.number == {asked}")
    assert row[0] == ["Global"]
    assert sum("The value name is longer than the stub" in message for message in row[1]) == told
    (answer,) = answers(tshark, path)
    assert answer.shows("perfdata.value_name") == (["Global"] if count <= 0xFFFF else [])
    # Without a name it is of no series.
    assert answer.values()[0].first("perfdata.cooked.reason") is None if count > 0xFFFF else True


@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
def test_null_value_name_is_said_not_to_be_there(tshark, tmp_path, wide):
    peer = Peer(wide)
    data = block()
    stub = HANDLE + string("", wide, pointer=0) + (struct.pack("<QI4xQQI4xQI", 0x20004, 0, 0, 0x2000C, 0, 0x20010, 0) if wide
                                                   else struct.pack("<IIIIIII", 0x20004, 0, 0, 0x2000C, 0, 0x20010, 0))
    asked, _ = peer.call(wire.QUERY_VALUE, stub, wire.query_response(3, data, len(data), len(data), wide=wide))
    path = peer.write(tmp_path / "name.pcapng")
    (answer,) = answers(tshark, path)
    assert paths(answer) == ["\\\\PC\\5000\\5002"] and not answer.find("perfdata.value_name")
    assert answer.find("perfdata")[0].showname == (
        f"Windows Performance Data, value name not in the capture: 1 object, 1 value, {len(data)} bytes")
    ((null, error),) = tshark.fields(path, "dcerpc.null_pointer", "_ws.malformed", display_filter=f"frame.number == {asked}")
    assert len(null) == 2 and not error


def test_surrogates_in_a_value_name(tshark, tmp_path):
    """A pair is one character, a lone half the replacement character."""
    peer = Peer()
    for name in ("5000 \U0001F5A5", "5000 \ud83d", "5000 \udda5x"):
        data = block()
        peer.call(wire.QUERY_VALUE, HANDLE + string(name), wire.query_response(3, data, len(data), len(data)))
    found = answers(tshark, peer.write(tmp_path / "name.pcapng"))
    assert [answer.shows("perfdata.value_name") for answer in found] == [["5000 \U0001F5A5"], ["5000 \ufffd"], ["5000 \ufffdx"]]


def test_request_without_its_last_fragment(tshark, tmp_path):
    """The offered buffer makes two fragments of the request, of which the second was not captured."""
    peer = Peer(max_fragment=5840, opened=False)
    peer.connection.mss = 5840
    data = block()
    peer.connection.request(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 8192, b" " * 8000))
    peer.capture.frames.pop()
    peer.connection.response(wire.query_response(3, data, len(data), len(data)))
    path = peer.write(tmp_path / "lost.pcapng")
    for two_pass in (False, True):
        (answer,) = answers(tshark, path, two_pass)
        assert paths(answer) == ["\\\\PC\\5000\\5002"] and answer.tells("recognised") == 1
        assert answer.find("perfdata")[0].showname == (
            f"Windows Performance Data, value name not in the capture: 1 object, 1 value, {len(data)} bytes")


# Recognised without the handle's opening.

def answer_stub(data, wide, kind_pointer=0x20004, data_pointer=0x20008, count=None):
    """The beginning of a QueryValue answer."""
    count = len(data) if count is None else count
    if wide:
        return struct.pack("<QI4xQQQQ", kind_pointer, 3, data_pointer, count, 0, count) + data
    return struct.pack("<IIIIII", kind_pointer, 3, data_pointer, count, 0, count) + data


@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
def test_what_is_not_recognised(tshark, bare_tshark, tmp_path, wide):
    """Values of a plain key, however they end, are winreg's."""
    signature = "PERF".encode("utf-16-le")
    tail = bytes(40)
    stubs = [
        answer_stub(b"PERFORMANCE 2026", wide) + tail,
        answer_stub(signature, wide, kind_pointer=0) + tail,
        answer_stub(signature, wide, data_pointer=0) + tail,
        answer_stub(signature, wide, count=7) + tail,
        *(answer_stub(signature, wide)[:size] for size in range(0, len(answer_stub(signature, wide)), 2)),
    ]
    peer = Peer(wide, opened=False)
    for stub in stubs:
        peer.call(wire.QUERY_VALUE, wire.query_request(HANDLE, "Path", 64, wide=wide), stub)
    path = peer.write(tmp_path / "plain.pcapng")
    for options in ([], ["-2"]):
        assert packets(tshark, path, *options) == packets(bare_tshark, path, *options)


@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
def test_two_requests_before_their_answers(tshark, tmp_path, wide):
    """Both answers are of one handle, recognised twice but followed once."""
    peer = Peer(wide, opened=False)
    connection = peer.connection
    for value, seconds in ((10, 1), (14, 2)):
        connection.request(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 4096, wide=wide))
    connection.call_id -= 1
    for value, seconds in ((10, 1), (14, 2)):
        data = block(value, seconds)
        connection.response(wire.query_response(3, data, len(data), len(data), wide=wide))
        connection.call_id += 1
    path = peer.write(tmp_path / "pipelined.pcapng")
    first, second = answers(tshark, path)
    assert first.tells("recognised") == second.tells("recognised") == 1
    assert second.values()[0].first("perfdata.cooked").show == "4"
    assert len(table_rows(tshark.run(path, "-q", "-z", "perfdata,queries"))) == 1


def test_words_of_a_value_name_beyond_what_is_shown(tshark, tmp_path):
    """512 are items, which is said; one word less is all."""
    peer = Peer()
    for words in (512, 513):
        peer.query(" ".join(str(index) for index in range(words)), block())
    path = peer.write(tmp_path / "words.pcapng")
    lines = tshark.fields(path, "perfdata.requested", display_filter="winreg.opnum == 17 && dcerpc.pkt_type == 0")
    assert [len(words) for (words,) in lines] == [512, 512]
    # Of the second call: its request and its answer.
    assert len(tshark.fields(path, "frame.number", display_filter="perfdata.left_out")) == 2


@pytest.mark.parametrize("several", [False, True], ids=["QueryValue", "QueryMultipleValues"])
def test_long_value_names_that_differ_at_their_end(tshark, tmp_path, several):
    """300 indexes, over 1,024 bytes: two queries all the same, and the last index is one of those asked for."""
    indexes = " ".join(str(index) for index in range(10000, 10300))
    first, other = f"{indexes} 5000", f"{indexes} 5002"
    peer = Peer()
    frames = []
    for seconds, (name, value) in enumerate(((first, 10), (other, 50), (first, 30)), 1):
        data = block(value, seconds)
        if several:
            frames.append(peer.call(29, multiple_request([name]), multiple_response([(name, 0, len(data))], buffer=data)))
        else:
            frames.append(peer.query(name, data))
        peer.capture.wait(1)
    path = peer.write(tmp_path / "long.pcapng")
    # The second query has no poll before, the third is compared with the first.
    assert [answer.shows("perfdata.poll.previous_frame") for answer in answers(tshark, path, opnum=29 if several else 17)] == [
        [], [], [str(frames[0][1])]]
    if not several:
        assert [row["Answers"] for row in query_rows(tshark.run(path, "-q", "-z", "perfdata,queries"))] == ["2", "1"]
        missing = {row["Asked for"] for row in named_rows(tshark.run(path, "-q", "-z", "perfdata,missing"))}
        assert missing == {f"object {index}" for index in [*range(10000, 10300), 5002]}


# Answers whose array lies.

@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
def test_array_longer_than_the_stub(tshark, tmp_path, wide):
    """What stands at the end, sizes and return code, is found from there; where even that is not there, all is data."""
    data = block()
    whole = wire.query_response(3, data, 71, 72, error=5, actual=1 << 31, wide=wide)
    begin = len(answer_stub(b"", wide))
    peer = Peer(wide)
    peer.call(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 4096, wide=wide), whole)
    peer.call(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 4096, wide=wide), whole[:begin + 16])
    found = answers(tshark, peer.write(tmp_path / "count.pcapng"))
    assert found[0].shows("winreg.werror") == [as_error(5)] and found[0].shows("winreg.winreg_QueryValue.data_size") == ["71"]
    assert f"The array should have 2147483648 bytes, but only {len(whole) - begin} are left in the stub: {len(data)} are read" in found[0].items["message"]
    assert not found[1].find("winreg.werror")
    assert "The array should have 2147483648 bytes, but only 16 are left in the stub: 16 are read" in found[1].items["message"]


# Several values at once.

class Stub:
    """A stub under construction: numbers of 4 bytes, and of 4 or 8 by the transfer syntax, each aligned."""

    def __init__(self, wide, data=b""):
        self.data, self.wide = data, wide

    def small(self, *numbers):
        self.data += bytes(-len(self.data) % 4) + struct.pack(f"<{len(numbers)}I", *numbers)

    def large(self, *numbers):
        self.data += bytes(-len(self.data) % (8 if self.wide else 4)) + struct.pack(f"<{len(numbers)}{'Q' if self.wide else 'I'}", *numbers)

    def entries(self, values):
        """An array of PRVALENT. values: (name, offset, length); None: without a name, "": with a NULL pointer in it."""
        self.large(len(values), 0, len(values))
        for i, (name, offset, length) in enumerate(values):
            self.large(0 if name is None else 0x20000 + 8 * i)
            self.small(length, offset, 3)
        for name, _, _ in values:
            if name is None:
                continue
            text = (name + "\0").encode("utf-16-le")
            self.large()
            self.data += struct.pack("<HH", len(text), len(text))
            self.large(0x30000 if name else 0)
            if name:
                self.large(len(text) // 2, 0, len(text) // 2)
                self.data += text


def multiple_request(names_asked, wide=False, handle=HANDLE):
    """The buffer is offered, not sent."""
    stub = Stub(wide, handle)
    stub.entries([(name, 0, 0) for name in names_asked])
    stub.small(len(names_asked))
    stub.large(0x40000, 4096, 0, 0)
    stub.small(4096)
    return stub.data


def multiple_response(values, error=0, wide=False, buffer=b"", pointer=0x40000):
    stub = Stub(wide)
    stub.entries(values)
    stub.large(pointer)
    if pointer:
        stub.large(len(buffer), 0, len(buffer))
        stub.data += buffer
    stub.small(len(buffer), error)
    return stub.data


@pytest.mark.parametrize("wide", [False, True], ids=["NDR", "NDR64"])
@pytest.mark.parametrize("opnum", [29, QUERY_MULTIPLE_2])
def test_each_of_several_values_is_a_poll(tshark, tmp_path, opnum, wide):
    """BaseRegQueryMultipleValues and ...2: each value is a poll of its own, wherever in the buffer it stands."""
    peer = Peer(wide)
    for seconds in (1, 2):
        one, two = block(10 * seconds, seconds), block(7 * seconds, seconds)
        buffer = bytes(4) + two + one
        values = [("2", 4 + len(two), len(one)), ("4", 4, len(two)), ("Text", 0, 4), ("Empty", 4, 0)]
        peer.call(opnum, multiple_request(["2", "4", "Text", "Empty"], wide),
                  multiple_response(values, wide=wide, buffer=buffer))
    answer = answers(tshark, peer.write(tmp_path / "several.pcapng"), opnum=opnum)[1]
    assert answer.shows("perfdata.value_name") == ["2", "4", "Text", "Empty"]
    assert answer.shows("winreg.werror") == [as_error(0)]
    assert [item.first("perfdata.cooked").show for item in answer.values()] == ["10", "7"]
    needed = "winreg.winreg_QueryMultipleValues.buffer_size" if opnum == 29 else "winreg.winreg_QueryMultipleValues2.needed"
    assert answer.shows(needed) == [str(len(buffer))]
    assert [item.value for item in answer.find("perfdata.data")] == ["00000000"]
    assert answer.find("perfdata")[0].showname == "Windows Performance Data, several values"


def test_several_values_that_lie(tshark, tmp_path):
    """Values outside the buffer, without names, and more of them in a second answer than in the first."""
    peer = Peer()
    data = block()
    size = len(data)

    def ask(values, **more):
        peer.call(29, multiple_request(["a", "b"]), multiple_response(values, buffer=data, **more))

    ask([("a", size + 1, 0), ("b", 1, size), (None, 0, size), ("", 0, size), (None, 8, 4)])
    ask([("a", 0, size)], error=234)
    ask([("a", 0, size), ("b", 0, size)], pointer=0)
    ask([("a", 0, size)])
    twice = multiple_response([("a", 0, size), ("b", 0, size)], buffer=data)
    peer.connection.response(twice)
    # 1000 values announced, two there.
    peer.call(29, multiple_request(["a", "b"]), replaced(replaced(twice, 0, 1000), 8, 1000))
    lie, failed, nothing, first, second, _ = answers(tshark, peer.write(tmp_path / "several.pcapng"), opnum=29)
    assert f"0 bytes at offset {size + 1} are outside the buffer of {size} bytes" in lie.items["message"]
    assert f"{size} bytes at offset 1 are outside the buffer of {size} bytes" in lie.items["message"]
    assert lie.tells("array_count") == 2 and len(lie.find("perfdata.data_block")) == 2
    assert failed.shows("winreg.werror") == [as_error(234)] and not failed.values()[0].find("perfdata.cooked.reason")
    assert not nothing.find("perfdata.data_block") and nothing.shows("winreg.werror") == [as_error(0)]
    assert len(first.find("perfdata.data_block")) == 1
    assert second.shows("perfdata.value_name") == ["a", "b"] and len(second.find("perfdata.data_block")) == 2


def test_several_values_of_a_plain_key(tshark, bare_tshark, tmp_path):
    peer = Peer(opened=False)
    peer.call(29, multiple_request(["a"]), multiple_response([("a", 0, 4)], buffer=b"text"))
    path = peer.write(tmp_path / "plain.pcapng")
    assert packets(tshark, path) == packets(bare_tshark, path)


# [MS-RRP] 3.1.5: opnums that open a root key with performance data, and another one.
OPENS_DATA, OPENS_OTHER = {3, 32, 33}, {0, 1, 2, 4, 27, 28}


def test_a_sealed_call_tells_by_its_operation_whether_counters_are_wanted(tshark, tmp_path):
    """One client for each opnum. Who opens another root key may want anything; who does not may have opened its key before the capture began."""
    capture = Capture()
    for opnum in range(36):
        connection = capture.connection(interface=WINREG, client=f"10.0.0.{opnum}")
        connection.call_id += 1
        connection.protected(REQUEST, bytes(32), 6, 10, opnum)
        connection.protected(RESPONSE, bytes(32), 6, 10)
    tables = data_tables(tshark, capture.write(tmp_path / "sealed.pcap"))
    assert {int(row["client"].split(".")[-1]): row["wants"] for row in tables["sessions"]} == {
        opnum: "performance data" if opnum in OPENS_DATA else "winreg" for opnum in range(36)}
    assert tables["meta"][0]["headline"].startswith(f"{36 - len(OPENS_OTHER)} clients poll")
    assert {row["answers"] for row in some(tables["perfdata-queries"], 36)} == {1}


@pytest.mark.parametrize("count, more", [(1, ""), (9, ""), (10, ""), (11, " and 1 more"), (12, " and 2 more")])
def test_ten_objects_that_did_not_come_are_named(tshark, tmp_path, count, more):
    """In the order in which they were asked for, each once; the others are counted."""
    asked = [str(6000 + number) for number in range(count)]
    peer = Peer()
    peer.query(" ".join(asked + asked[:1] + ["5000"]), block())
    (answer,) = answers(tshark, peer.write(tmp_path / "few.pcapng"))
    assert [text for text in answer.items["message"] if "not in the answer" in text] == [
        f"Requested, but not in the answer: {', '.join(asked[:10])}{more}"]
