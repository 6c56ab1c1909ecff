# SPDX-License-Identifier: GPL-2.0-or-later
"""Performance data as Windows was seen to send them, what is taken for them, and what an answer teaches."""

import re

import pytest

from lib.captures import CAPTURES, record_of
from lib.perfdata import HANDLE, Peer, answers, crafted, replaced, wire
from lib.some import some
from lib.tables import query_rows, table_rows
from perfdata.block import Builder, Counter, Instance, Object, names

XP = CAPTURES / "perfdata-xp.pcapng"
KEY, ROOT = crafted.handle_bytes(31), crafted.handle_bytes(32)
PERFLIB = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib"
RATE = Counter(5004, "PERF_COUNTER_COUNTER")
RAW = Counter(5002, "PERF_COUNTER_RAWCOUNT")


def built(*objects, seconds=1, system="PC", **more):
    return Builder(system, crafted.clock(seconds), list(objects), **more).data


def rate(value, seconds=1, index=5000, **more):
    return built(Object(index, [RATE], Instance("", [value])), seconds=seconds, **more)


def info(tshark, path, frame):
    ((cell,),) = tshark.fields(path, "_ws.col.Info", display_filter=f"frame.number == {frame}")
    return cell[0]


# The process list of Windows XP.

@pytest.fixture(scope="module")
def process_list(tshark):
    return answers(tshark, XP)


def test_byte_length_that_is_too_small(process_list):
    """The last counter block says 64 and holds 120: a note, and every value is there (test_crafted_captures_show_every_value_of_every_call compares them)."""
    polls = [answer for answer in process_list if answer.values()]
    for answer in polls:
        is_processor = answer.shows("perfdata.requested") == ["238"]
        # Its client asked three times with too small a buffer before each poll.
        assert answer.find("expert") == ["perfdata.growing_buffer"] + (["perfdata.short_counter_block"] if is_processor else [])
        assert answer.shows("perfdata.counter_block.byte_length") == (["120", "64"] if is_processor else ["40"] * 3)
    messages = [message for answer in polls for message in answer.find("message") if "round trips" not in message]
    assert messages == ["PERF_COUNTER_BLOCK.ByteLength is 64, but the values end at 120, within the object: the values are used"] * 2


@pytest.mark.parametrize("said, offset, read", [(8, 4, True), (8, 12, True), (8, 16, False), (8, 13, False), (16, 12, True)])
def test_values_up_to_the_end_of_the_object(tshark, tmp_path, said, offset, read):
    """A value of 4 bytes in an object that ends 16 bytes behind the beginning of its last counter block."""
    data = built(Object(5000, [RAW, Counter(784, "PERF_COUNTER_RAWCOUNT", offset=4), RATE], Instance("", [1, 1, 2])))
    begin = 96 + 64 + 3 * 40
    data = replaced(replaced(data, begin, said), 96 + 64 + 40 + 36, offset)
    peer = Peer()
    peer.query("Global", data)
    (answer,) = answers(tshark, peer.write(tmp_path / "block.pcapng"))
    assert bool(answer.values()[1].first("perfdata.value")) == read
    assert answer.tells("value_outside") == (not read)
    assert answer.tells("bad_length") == 0
    # RATE stands at 8 and ends at 12.
    assert answer.tells("short_counter_block") == (said < 12)


def test_counter_blocks_with_others_behind_them(tshark, tmp_path):
    """Where another instance follows, values end where it begins."""
    data = built(Object(5000, [RAW, RATE], [Instance("a", [1, 2]), Instance("b", [3, 4])]))
    peer = Peer()
    peer.query("Global", replaced(data, 96 + 64 + 40 + 36, 16))
    (answer,) = answers(tshark, peer.write(tmp_path / "block.pcapng"))
    assert answer.tells("short_counter_block") == 0 and answer.tells("value_outside") == 2


def test_buffer_too_small_is_no_sample_and_no_finding(tshark, process_list):
    """ERROR_MORE_DATA brings a header alone and two bytes: no sample, no finding."""
    headers = [answer for answer in process_list if answer.shows("perfdata.data_block.header_length") and not answer.values()]
    assert len(headers) == 8
    for answer in headers:
        assert answer.shows("winreg.werror") == ["0x000000ea"] and not answer.find("expert")
        assert answer.shows("perfdata.data_block.header_length") == ["120"]
        assert answer.find("perfdata.data_block")[0].showname.endswith(", header only")
        assert not answer.find("perfdata.poll.previous_frame")
    rows = tshark.fields(XP, "_ws.col.Info", display_filter="winreg.werror == 234 && perfdata.data_block")
    assert all(row[0][0].endswith("Error: ERROR_MORE_DATA: header only, 122 bytes") for row in some(rows))
    polls = query_rows(tshark.run(XP, "-q", "-z", "perfdata,queries"))
    assert [(row["Answers"], row["Too small"]) for row in polls] == [("1", "3")] * 4


def test_samples_of_handles_opened_anew(process_list):
    """Windows opens the key for each object; what it asks for is one series, however the value name is written."""
    polls = [answer for answer in process_list if answer.values()]
    assert [len(answer.find("perfdata.poll.previous_frame")) for answer in polls] == [0, 0, 1, 1]


def test_blanks_in_value_names(tshark, tmp_path):
    """Sent as they are, compared without: the words are fields of their own."""
    peer = Peer()
    asked = ["5000 4", " 5000  4 ", "5000 4 ", "GLOBAL", "global ", "Counter 009 ", ""]
    for number, name in enumerate(asked):
        peer.query(name, names([(4, "Speicher")]) if "Counter" in name else rate(10 * number, seconds=number + 1))
    path = peer.write(tmp_path / "blanks.pcapng")
    found = answers(tshark, path)
    assert [answer.shows("perfdata.value_name") for answer in found] == [[name] for name in asked]
    assert [answer.shows("perfdata.requested") for answer in found] == [name.split() for name in asked]
    assert [len(answer.find("perfdata.poll.previous_frame")) for answer in found] == [0, 1, 1, 0, 1, 0, 0]
    assert found[5].titles() == [[4, "Speicher"]]
    requests = tshark.fields(path, "frame.number", display_filter='perfdata.requested == "5000" && dcerpc.pkt_type == 0')
    assert len(requests) == 3
    assert tshark.fields(path, "frame.number", display_filter='perfdata.requested == "009"')


def test_names_of_what_is_asked_for(tshark, tmp_path):
    """Built in, until the capture teaches another; another computer's indexes are not this one's."""
    peer = Peer()
    data = built(Object(238, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance("0", [1])]))
    sent = [peer.query("238 5000", data), peer.query("Counter 009", names([(238, "Prozessor"), (5000, "Typen")])),
            peer.query("238 5000 Costly", data), peer.query("Foreign ELSE 238 5000", data)]
    path = peer.write(tmp_path / "names.pcapng")
    built_in, _, learned, foreign = answers(tshark, path, two_pass=False)

    def requested(answer):
        return [item.showname.strip("[]") for item in answer.find("perfdata.requested")]

    assert requested(built_in) == ["Requested: 238 (Processor, built in)", "Requested: 5000"]
    assert requested(learned) == ["Requested: 238 (Prozessor)", "Requested: 5000 (Typen)", "Requested: Costly"]
    assert requested(foreign)[2:] == ["Requested: 238 (Processor, built in)", "Requested: 5000"]
    assert [built_in.values()[0].show, learned.values()[0].show] == ["\\\\PC\\Processor(0)\\% Processor Time", "\\\\PC\\Prozessor(0)\\% Processor Time"]
    name, other = built_in.find("perfdata.object.name")[0], learned.find("perfdata.object.name")[0]
    assert name.showname.strip("[]") == "Object name: Processor (built in)" and not name.first("perfdata.learned_in")
    assert other.showname.strip("[]") == "Object name: Prozessor" and other.first("perfdata.learned_in").show == str(sent[1][1])
    assert ", Processor, 5000: 1 object" in info(tshark, path, sent[0][1])
    assert ", Processor, 5000, room for" in info(tshark, path, sent[0][0])
    assert ", Prozessor, Typen Costly: 1 object" in info(tshark, path, sent[2][1])
    assert ", Foreign ELSE Processor, 5000: " in info(tshark, path, sent[3][1])


def test_process_without_start_time_is_counted_from_1601(process_list):
    """Idle: the number is what the formula gives, and said to be counted from 1601."""
    lines = [value.showname.strip("[]") for answer in process_list for value in answer.values() if "Elapsed Time" in value.show]
    said = [line for line in lines if line.endswith(" (start time 0, so counted from the year 1601)")]
    assert len(lines) == 6 and said == [line for line in lines if "(Idle)" in line]
    seconds = [crafted.START_100NS / 10000000 + poll for poll in (0, 1)]
    assert [float(re.search(r" = ([0-9.]+) s", line).group(1)) for line in said] == seconds


@pytest.mark.parametrize("clock, note", [
    (7_000_000_000_000, ""), (crafted.clock(1).time_100ns, " (start time 0, so counted from the year 1601)")], ids=["ticks", "system-time"])
def test_ticks_since_the_start_are_not_counted_from_1601(tshark, tmp_path, clock, note):
    """Both clocks have 10 MHz; that of the system shows about the time of the block."""
    peer = Peer()
    peer.query("Global", built(Object(5000, [Counter(5004, "PERF_ELAPSED_TIME")], Instance("", [0]), perf_time=clock, perf_freq=10_000_000)))
    (answer,) = answers(tshark, peer.write(tmp_path / "elapsed.pcapng"))
    assert [value.showname.strip("[]") for value in answer.values()] == [f"\\\\PC\\5000\\5004 = {clock / 10_000_000:.3f} s{note}"]


# What is taken for performance data.

def open_key(peer, path, key=KEY, parent=ROOT, opnum=wire.OPEN_KEY):
    response = wire.open_response(key) if opnum == wire.OPEN_KEY else key + bytes.fromhex("00000200 01000000 00000000")
    return peer.call(opnum, wire.open_key_request(parent, path), response)


def packets(tshark, path, *options):
    return tshark.run(path, "-T", "pdml", *options).split("<packet>")[1:]


def damaged(place, number, size=4):
    return replaced(rate(1), place, number, size)


PLAIN_VALUES = [
    "PERFSRV\0".encode("utf-16-le"), "PERF".encode("utf-16-le") + bytes(200), "PERFORMANCE ".encode("utf-16-le") * 20, rate(1)[:87],
    damaged(8, 0), damaged(12, 2), damaged(16, 2), damaged(24, 87), damaged(24, 4000), damaged(80, 200), damaged(84, 40), damaged(64, 0, 8),
    damaged(38, 13), damaged(42, 32),
]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_values_that_begin_as_a_block_does(tshark, bare_tshark, tmp_path, two_pass):
    """Of a handle whose opening is not in the capture; what is read with it later stays winreg's, too."""
    peer = None
    for port, value in enumerate(PLAIN_VALUES, 50000):
        peer = Peer(opened=False, other=peer, client=(crafted.CLIENT, port))
        peer.query("Server", value, KEY, kind=1)
        peer.query("Other", b"text", KEY)
    path = peer.write(tmp_path / "plain.pcapng")
    options = ["-2"] if two_pass else []
    assert packets(tshark, path, *options) == packets(bare_tshark, path, *options)


@pytest.mark.parametrize("opened", ["root", "key", "created"])
def test_blocks_below_other_keys(tshark, bare_tshark, tmp_path, opened):
    """A value that is a whole block, of a handle that was seen to be opened as another key."""
    peer = Peer(opened=False)
    if opened == "root":
        peer.call(wire.OPEN_LOCAL_MACHINE, wire.open_request(), wire.open_response(KEY))
    else:
        open_key(peer, "SOFTWARE\\Backup", opnum=wire.OPEN_KEY if opened == "key" else wire.CREATE_KEY)
    peer.query("Saved", rate(1), KEY)
    path = peer.write(tmp_path / "plain.pcapng")
    assert packets(tshark, path) == packets(bare_tshark, path)


def test_key_below_a_handle_used_again(tshark, tmp_path):
    """A handle's path is forgotten with what it was opened as: below performance data there are no lists of names."""
    peer = Peer(opened=False)
    open_key(peer, "SOFTWARE")
    peer.open(wire.OPEN_DATA, KEY)
    other = crafted.handle_bytes(77)
    open_key(peer, PERFLIB.removeprefix("SOFTWARE\\") + "\\009", other, KEY)
    peer.query("Counter", names([(2, "System")]), other, kind=7)
    (answer,) = answers(tshark, peer.write(tmp_path / "below.pcapng"))
    assert answer.titles() == []


def test_handles_used_again_are_what_they_were_opened_as_last(tshark, tmp_path):
    """A handle is what it was opened as last, and unknown after it was closed."""
    peer = Peer(opened=False)
    open_key(peer, "SOFTWARE")
    peer.query("x", rate(1), KEY)
    peer.close(KEY)
    peer.open(wire.OPEN_DATA, KEY)
    peer.query("x", rate(2), KEY)
    open_key(peer, "SOFTWARE")
    peer.query("x", rate(3), KEY)
    peer.close(KEY)
    peer.query("x", rate(4), KEY)
    for two_pass in (False, True):
        found = answers(tshark, peer.write(tmp_path / "again.pcapng"), two_pass)
        assert [bool(answer.find("perfdata")) for answer in found] == [False, True, False, True]
        assert [answer.tells("recognised") for answer in found] == [0, 0, 0, 1]


@pytest.mark.parametrize("steps", [
    [PERFLIB + "\\009"], [PERFLIB, "009"], ["SOFTWARE", "Microsoft\\Windows NT\\CurrentVersion", "Perflib\\009"],
    ["\\" + PERFLIB.lower() + "\\009\\"], [PERFLIB.replace("SOFTWARE", "SOFTWARE\\WOW6432Node") + "\\009"], [PERFLIB + "\\CurrentLanguage"],
    [PERFLIB, "", "009"],
])
@pytest.mark.parametrize("opnum", [wire.OPEN_KEY, wire.CREATE_KEY], ids=["open", "create"])
def test_ways_to_the_lists_of_names(tshark, tmp_path, opnum, steps):
    peer = Peer()
    peer.call(wire.OPEN_LOCAL_MACHINE, wire.open_request(), wire.open_response(ROOT))
    handle = ROOT
    for number, step in enumerate(steps):
        parent, handle = handle, crafted.handle_bytes(40 + number)
        open_key(peer, step, handle, parent, opnum)
    peer.query("Counter", names([(5000, "Types"), (5004, "Rate")]), handle, kind=7)
    peer.query("Global", rate(1))
    assert [value.show for value in answers(tshark, peer.write(tmp_path / "key.pcapng"))[-1].values()] == ["\\\\PC\\Types\\Rate"]


@pytest.mark.parametrize("steps", [[PERFLIB, "Updating"], ["SYSTEM", PERFLIB + "\\009"], [PERFLIB + "\\009", "deeper"], ["009"]])
def test_keys_opened_otherwise_teach_nothing_wrong(tshark, tmp_path, steps):
    peer = Peer()
    peer.call(wire.OPEN_LOCAL_MACHINE, wire.open_request(), wire.open_response(ROOT))
    handle = ROOT
    for number, step in enumerate(steps):
        parent, handle = handle, crafted.handle_bytes(40 + number)
        open_key(peer, step, handle, parent)
    peer.query("Counter", names([(5000, "Types")]), handle, kind=7)
    peer.query("Global", rate(1))
    assert [value.show for value in answers(tshark, peer.write(tmp_path / "key.pcapng"))[-1].values()] == ["\\\\PC\\5000\\5004"]


# What an answer teaches.

@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_failed_answers_teach_nothing(tshark, tmp_path, two_pass):
    """Neither the machine's name, nor names, nor a sample, nor values in tables."""
    peer = Peer()
    peer.query("Global", rate(1000, seconds=1, system="WRONG"), error=234)
    peer.query("Counter 009", names([(5000, "Wrong")]), error=5)
    peer.query("Global", rate(10, seconds=2))
    peer.query("Global", rate(999, seconds=3), error=234)
    peer.query("Global", rate(16, seconds=4))
    path = peer.write(tmp_path / "failed.pcapng")
    failed, no_names, first, again, second = answers(tshark, path, two_pass)
    assert not no_names.titles()
    assert [answer.values()[0].show for answer in (first, second)] == ["\\\\PC\\5000\\5004"] * 2
    assert not failed.find("perfdata.cooked") and not again.find("perfdata.cooked")
    assert second.values()[0].first("perfdata.cooked").show == "3" and second.shows("perfdata.poll.interval") == ["2"]
    (row,) = table_rows(tshark.run(path, "-q", "-z", "perfdata,counters"))
    assert (row[0], row[2], float(row[3])) == ("\\\\PC\\5000\\5004", "1", 3)


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_two_answers_in_a_frame(tshark, tmp_path, two_pass):
    """The second, of equal counts and times, has its own values and names, is compared with nothing and counted nowhere."""
    def block(name, value, seconds):
        return built(Object(5000, [RAW], [Instance(name, [value])]), seconds=seconds)

    peer = Peer(max_fragment=60000)
    peer.query("Global", block("a", 1, 1))
    peer.connection.request(wire.QUERY_VALUE, wire.query_request(HANDLE, "Global", 65536))
    sent, send = [], peer.connection.send
    peer.connection.send = lambda sender, data: sent.append(data)
    for data in (block("a", 5, 2), block("b", 999, 2), block("a", 5, 2)[:-8], names([(5000, "Wrong")])):
        peer.connection.response(wire.query_response(3, data, len(data), len(data)))
    send(1, b"".join(sent))
    peer.connection.send = send
    path = peer.write(tmp_path / "twice.pcapng")
    one, both = answers(tshark, path, two_pass)
    assert [value.show for value in both.values()] == ["\\\\PC\\5000(a)\\5002", "\\\\PC\\5000(b)\\5002"]
    assert [value.first("perfdata.cooked").show for value in both.values()] == ["5", "999"]
    assert len(both.find("perfdata.poll.previous_frame")) == 1
    (row,) = table_rows(tshark.run(path, "-q", "-z", "perfdata,counters"))
    assert row[0] == "\\\\PC\\5000(a)\\5002" and row[2] == "2"
    (row,) = query_rows(tshark.run(path, "-q", "-z", "perfdata,queries"))
    assert row["Answers"] == "2"


# With fewer items not even the layers below are read.
@pytest.mark.parametrize("most", [200, 210, 250, 400, 1000])
@pytest.mark.parametrize("name", ["perfdata-windows", "perfdata-xp"])
def test_small_trees_lose_no_statistics(tshark, name, most):
    """Wireshark ends a packet whose tree grows beyond gui.max_tree_items; what was counted before stays."""
    path = CAPTURES / f"{name}.pcapng"

    def tables(*options):
        output = tshark.run(path, *options, "-z", "perfdata,counters", "-z", "perfdata,queries", check=False)
        return output[output.index("\n====="):]

    few = ("-V", "-o", f"gui.max_tree_items:{most}")
    if not tshark.bears(path, *few):
        pytest.skip("Wireshark itself does not bear this limit")
    assert tables(*few) == tables("-q")


def test_nothing_controls_the_terminal(tshark, tmp_path):
    """Escape sequences and line breaks in every text of the older API."""
    evil = "\x1b[31m\r\n\x07\x85x"
    text = Counter(5006, "PERF_COUNTER_TEXT", size=32)
    data = built(Object(5000, [RAW, text], [Instance(evil, [1, evil])]), system=evil)
    peer = Peer()
    peer.query("Counter 009", names([(5000, evil), (5002, evil)]), kind=7)
    peer.query("Help 009", names([(5001, evil), (5003, evil)]), kind=7)
    for name in ("Global", evil, f"Foreign {evil} 2", f"Counter 009{evil}"):
        peer.query(name, data)
    path = peer.write(tmp_path / "evil.pcapng")
    for options in (["-V"], [], ["-q", "-z", "perfdata,counters", "-z", "perfdata,queries"]):
        output = tshark.run(path, *options)
        assert "x" in output and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", output), options


def test_record_of_the_process_list(tshark):
    """What the client of the capture asked for, in order."""
    asked = [call["value_name"] for call in record_of(XP)["calls"] if call["opnum"] == wire.QUERY_VALUE and not call.get("plain")]
    rows = tshark.fields(XP, "perfdata.value_name", "perfdata.requested", display_filter="dcerpc.pkt_type == 0 && perfdata")
    assert [row[0][0] for row in rows] == asked
    assert [row[1][0] for row in rows] == [name.strip() for name in asked]


# What a line says before it is opened.

def test_lines_of_what_is_closed(tshark, tmp_path):
    """An object of one value says it, several say how many; an instance of one counter says its value."""
    peer = Peer()
    base = Counter(0, "PERF_RAW_BASE")
    for seconds in (1, 3):
        peer.query("Global", built(
            Object(5000, [RAW], Instance("", [7])),
            Object(5010, [RATE], [Instance("a", [10 * seconds]), Instance("b", [40 * seconds])]),
            Object(5020, [Counter(5022, "PERF_RAW_FRACTION"), base], Instance("", [1, 4])), seconds=seconds))
    _, answer = answers(tshark, peer.write(tmp_path / "lines.pcapng"))

    def lines(name):
        return [item.showname for item in answer.find(name)]

    assert re.fullmatch(r"Windows Performance Data, Global: 2\.000 s after frame \d+, 3 objects, 5 values, \d+ bytes", lines("perfdata")[0])
    assert lines("perfdata.data_block") == ["Performance data block of PC, 3 objects, 5 values"]
    assert lines("perfdata.object_type") == [
        "Object 0: \\\\PC\\5000\\5002 = 7", "Object 1: 5010(*)\\5004, 2 instances", "Object 2: 5020\\*, 2 counters"]
    assert [item.show for item in answer.find("perfdata.object_type")] == [
        "\\\\PC\\5000\\5002 = 7", "5010(*)\\5004, 2 instances", "5020\\*, 2 counters"]
    assert lines("perfdata.instance_definition") == [
        "Instance 0: \\\\PC\\5010(a)\\5004 = 10.000 /s", "Instance 1: \\\\PC\\5010(b)\\5004 = 40.000 /s"]
    assert lines("perfdata.counter_definition")[-1] == "Counter 1: without a name, PERF_RAW_BASE"
    assert lines("perfdata.value")[-1] == "Value: 4 (counter 1, PERF_RAW_BASE)"
    headers = [item.show for item in answer.find("") if item.show.startswith("Data header")]
    assert headers == ["Data header, taken at 2026-03-02 12:00:03.000 UTC"]


def test_lines_of_calls_show_room_and_error(tshark):
    """The room of a request and the error of an answer stand in the protocol's line."""
    rows = re.findall(r"^Windows Performance Data, (.*)$", tshark.run(CAPTURES / "perfdata-windows.pcapng", "-O", "perfdata", "-V"), re.M)
    # The client asks with no room, with 256 bytes, and with enough.
    assert rows[:6] == [
        "Counter 009, room for 0 bytes", "Counter 009, Error: ERROR_MORE_DATA", "Counter 009, room for 256 bytes",
        "Counter 009, Error: ERROR_MORE_DATA", "Counter 009, room for 65536 bytes", "Counter 009: 26 entries, 826 bytes"]


@pytest.mark.parametrize("said", [4, 8, 12, 20, None])
def test_a_multi_counter_at_the_end_whose_base_is_the_next_counter(tshark, tmp_path, said):
    """What stands behind it is no second number, so that 8 bytes are enough: 100*(3000-1000)/10,000,000/4."""
    counters = [Counter(5004, "PERF_100NSEC_MULTI_TIMER", offset=16), Counter(5006, "PERF_COUNTER_MULTI_BASE", offset=8)]
    peer = Peer()
    for seconds, value in ((1, 1000), (2, 3000)):
        peer.query("5000", built(Object(5000, counters, Instance("", [value, 4]), last_byte_length=said), seconds=seconds))
        peer.capture.wait(1)
    for two_pass in (False, True):
        _, last = answers(tshark, peer.write(tmp_path / "multi.pcapng"), two_pass)
        value = last.values()[0]
        assert value.first("perfdata.value").show == "3000"
        assert float(value.first("perfdata.cooked").show) == pytest.approx(100 * 2000 / 10_000_000 / 4)
        assert last.tells("short_counter_block") == (said is not None and said < 24)
