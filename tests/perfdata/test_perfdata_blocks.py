# SPDX-License-Identifier: GPL-2.0-or-later
"""Performance data that few servers send: lists of names of every form, blocks with a fault, more items than there is room for."""

import struct
from dataclasses import replace

import pytest

from lib.captures import CAPTURES
from lib.perfdata import Peer, answers, as_error, built, crafted, polled, replaced, wire
from lib.some import some
from lib.tables import counters_of, named_rows, table_rows
from perfdata.block import Counter, Instance, Object, names

CAPTURE = CAPTURES / "perfdata-windows.pcapng"

# Of a block whose system is called "PC": where its first object stands, and the members of objects and definitions in it.
OBJECT = 96
TOTAL, DEFINITIONS, NUM_INSTANCES = OBJECT, OBJECT + 4, OBJECT + 40
FIRST_COUNTER = OBJECT + 64


def single(*counters, values, index=5000, **more):
    """An object without instances."""
    return Object(index, list(counters), Instance("", list(values), **more))


RAW = Counter(5002, "PERF_COUNTER_RAWCOUNT")
RATE = Counter(5004, "PERF_COUNTER_COUNTER")


@pytest.fixture(scope="module")
def everything(tshark):
    """The answers of a capture that holds all there is."""
    return answers(tshark, CAPTURE)


def test_value_of_six_bytes(tshark, tmp_path):
    (answer,) = polled(tshark, tmp_path, built(single(replace(RAW, size=6), RAW, values=[b"\1\2\3\4\5\6", 7])))
    odd, number = answer.values()
    assert odd.first("perfdata.value.bytes").value == "010203040506"
    assert odd.first("perfdata.cooked.reason").show.startswith("value neither 4 nor 8 bytes")
    assert number.first("perfdata.cooked").show == "7"


def test_value_outside_its_block(tshark, tmp_path):
    """A block of 16 bytes; a counter that stands at 14 and one that stands at 1000."""
    data = built(single(RAW, RATE, Counter(784, "PERF_COUNTER_RAWCOUNT"), values=[1, 2, 3]))
    data = replaced(replaced(data, FIRST_COUNTER + 36, 14), FIRST_COUNTER + 80 + 36, 1000)
    (answer,) = polled(tshark, tmp_path, data)
    assert answer.tells("value_outside") == 2 and answer.tells("bad_length") == 0
    assert "CounterOffset 14 and CounterSize 4 reach beyond the counter block's 16 bytes" in answer.items["message"]
    assert "CounterOffset 1000 and CounterSize 4 reach beyond the counter block's 16 bytes" in answer.items["message"]
    first, good, last = answer.values()
    assert first.first("perfdata.value") is None and last.first("perfdata.value") is None
    assert good.first("perfdata.value").show == "2"


def test_process_without_its_id(tshark, tmp_path):
    """Where ID Process can't be read nothing is said of another process; where it can and has changed, it is."""
    def processes(number, seconds):
        return built(Object(230, [RATE, Counter(784, "PERF_COUNTER_RAWCOUNT")], [Instance("svchost", [1, number])]), seconds=seconds)

    first, changed, outside = polled(tshark, tmp_path, processes(800, 1), processes(912, 2), replaced(processes(4, 3), FIRST_COUNTER + 40 + 36, 1000))
    assert [answer.tells("other_process") for answer in (changed, outside)] == [1, 0]
    assert outside.tells("value_outside") == 1
    # What is one value alone is shown; what is a difference of two processes' values is not.
    assert [value.first("perfdata.cooked.reason").show for value in (first.values()[0], changed.values()[0])] == ["first sample", "other process"]
    assert changed.values()[1].first("perfdata.cooked").show == "912"
    assert changed.values()[0].showname.strip("[]").endswith(": no value, other process")
    assert changed.find("message") == ["ID Process was 800 in the previous poll and is 912 now: this is another process or thread"]


@pytest.mark.parametrize("two_pass", [False, True])
def test_thread_that_took_the_place_of_another(tshark, tmp_path, two_pass):
    """Of two threads one ends, and the other gets its number; a third is new. Tables and watch list have no value either."""
    def threads(seconds, *ids):
        counters = [RATE, Counter(784, "PERF_COUNTER_RAWCOUNT"), Counter(804, "PERF_COUNTER_RAWCOUNT")]
        return built(Object(232, counters, [Instance(str(n), [100 * seconds, process, thread]) for n, (process, thread) in enumerate(ids)]),
                     seconds=seconds)

    peer = Peer()
    for block in (threads(1, (4, 8), (4, 12)), threads(2, (4, 12), (4, 16)), threads(3, (4, 12), (4, 16), (4, 20)), threads(4, (8, 12), (4, 16))):
        peer.query("232", block)
    path = peer.write(tmp_path / "threads.pcapng")
    found = [[value.first("perfdata.cooked").show if value.first("perfdata.cooked") else value.first("perfdata.cooked.reason").show
              for value in answer.values() if value.show.endswith("5004")] for answer in answers(tshark, path, two_pass)]
    assert found == [["first sample"] * 2, ["other process"] * 2, ["100", "100", "instance new"], ["other process", "100"]]
    rows = {name: row[1] for name, row in counters_of(tshark.run(path, "-q", "-z", "perfdata,counters")).items() if name.endswith("5004")}
    assert rows == {"\\\\PC\\Thread(0)\\5004": "1", "\\\\PC\\Thread(1)\\5004": "2", "\\\\PC\\Thread(2)\\5004": "0"}
    (watched,) = tshark.fields(path, "perflibv2.watch.one", display_filter="perflibv2.watch.one",
                               options=["-o", 'uat:perflibv2_watch:"one","*Thread(0)\\x5c5004"'])
    assert watched == [["100"]]


def test_objects_of_nothing_are_no_fault(tshark, tmp_path):
    """No counters at all, or one without data and without a name: neither is a fault."""
    empty = Object(5000, [], [Instance("one", [])])
    (answer,) = polled(tshark, tmp_path, built(empty, single(Counter(0, "PERF_COUNTER_NODATA", size=0), RAW, values=[None, 3], index=5100)))
    assert not answer.find("expert")
    assert answer.shows("perfdata.object_type.num_counters") == ["0", "2"] and answer.shows("perfdata.instance.name") == ["one"]
    assert [value.first("perfdata.value").show for value in answer.values() if value.first("perfdata.value")] == ["3"]


@pytest.mark.parametrize("name", ["path", "cooked", "cooked.formula", "cooked.reason", "value", "value.text", "value.multi", "counter_block",
                                  "counter_block.byte_length", "padding"])
def test_fields_asked_for_alone(tshark, everything, name):
    """Whichever field of a value is the only one somebody looks at, it is there."""
    field = f"perfdata.{name}"
    all_fields = [len(answer.find(field)) for answer in everything if answer.find(field)]
    frames = tshark.fields(CAPTURE, "frame.number", display_filter=f"{field} && winreg.opnum == 17", options=["-2"])
    assert all_fields and len(frames) == len(all_fields)


def test_definition_of_48_bytes(tshark, tmp_path):
    """What a later Windows may append to PERF_COUNTER_DEFINITION is stepped over by ByteLength."""
    data = built(single(RAW, RATE, values=[1, 2]))
    end = FIRST_COUNTER + 40
    data = data[:end] + b"\xA1\xA2\xA3\xA4\xA5\xA6\xA7\xA8" + data[end:]
    for place in (20, TOTAL, DEFINITIONS, FIRST_COUNTER):
        data = replaced(data, place, int.from_bytes(data[place:place + 4], "little") + 8)
    (answer,) = polled(tshark, tmp_path, data)
    assert not answer.find("expert")
    assert "a1a2a3a4a5a6a7a8" in [item.value for item in answer.find("perfdata.padding")]
    assert [value.first("perfdata.value").show for value in answer.values()] == ["1", "2"]


def test_time_that_is_not_valid_is_told(tshark, tmp_path):
    """wMonth 13."""
    data = built(single(RAW, values=[1]))
    (answer,) = polled(tshark, tmp_path, data[:38] + b"\x0D\0" + data[40:])
    assert answer.tells("bad_time") == 1 and len(answer.values()) == 1


def test_part_of_a_block_is_no_sample(tshark, tmp_path):
    """Cut by the server in its second object: what needs no other poll is cooked, the rest has a path and a raw value."""
    whole = built(single(RAW, RATE, values=[5, 6]), single(RAW, values=[7], index=5100))
    first, cut, last = polled(tshark, tmp_path, whole, whole[:-8], built(single(RAW, RATE, values=[8, 16]), seconds=3))
    assert cut.tells("no_sample") == 1 and cut.tells("short_block") >= 1
    raw, rate = cut.values()[:2]
    assert raw.first("perfdata.cooked").show == "5" and raw.showname.rstrip("]").endswith(" = 5")
    assert rate.showname.strip("[]") == rate.show == "\\\\PC\\5000\\5004"
    assert rate.first("perfdata.value").show == "6"
    assert rate.first("perfdata.cooked") is None and rate.first("perfdata.cooked.reason") is None
    # (16 - 6) in the two seconds since the first poll, not since the one that was cut.
    assert last.values()[1].first("perfdata.cooked").show == "5"
    assert last.shows("perfdata.poll.interval") == ["2"]


def test_instance_without_room_for_its_block(tshark, tmp_path):
    """The instance's ByteLength reaches to 2 bytes before the object's end; the next object stands where it should."""
    one = Object(5000, [RAW], [Instance("first", [1]), Instance("last", [2])])
    data = built(one, single(RAW, values=[3], index=5100))
    instances = OBJECT + 64 + 40
    # 24 bytes, "first" or "last" with terminator, padding; ByteLength and value.
    sizes = [40 + 8, 40 + 8]
    last = instances + sizes[0]
    (answer,) = polled(tshark, tmp_path, replaced(data, last, sizes[1] - 2))
    assert answer.tells("bad_length") == 1 and answer.tells("value_outside") == 0
    assert answer.shows("perfdata.instance.name") == ["first", "last"]
    assert [value.first("perfdata.value").show for value in answer.values()] == ["1", "3"]


def test_host_without_a_name(tshark, tmp_path):
    """SystemNameLength 0: the server goes by its address, a foreign computer by a question mark."""
    data = replaced(built(single(RAW, values=[1])), 80, 0)
    (answer,) = polled(tshark, tmp_path, data)
    assert answer.values()[0].show == f"\\\\{crafted.SERVER}\\5000\\5002"
    assert not answer.find("perfdata.data_block.system_name")
    (answer,) = polled(tshark, tmp_path, data, name="foreign ELSE 5000")
    assert answer.values()[0].show == "\\\\?\\5000\\5002"


def test_a_base_before_all_others(tshark, tmp_path):
    """It is the base of nothing: no path, but a value."""
    base = Counter(0, "PERF_RAW_BASE")
    found = polled(tshark, tmp_path, *(built(single(base, RAW, values=[10, n]), seconds=n) for n in (1, 2)))
    for number, answer in some(enumerate(found, 1)):
        alone, named = answer.values()
        assert (alone.name, alone.show, named.show) == ("perfdata.value", "10", "\\\\PC\\5000\\5002")
        assert alone.first("perfdata.cooked.reason").show == "not displayed"
        assert named.first("perfdata.cooked").show == str(number)


def test_a_base_of_another_poll(tshark, tmp_path):
    """Numerator and base of different intervals make no value: a provider may leave a counter out for a while. What was left out begins anew."""
    bulk, base, timer = (Counter(index, f"PERF_{kind}") for index, kind in ((5002, "AVERAGE_BULK"), (5004, "AVERAGE_BASE"), (5006, "OBJ_TIME_TIMER")))

    def shown(*objects):
        found = polled(tshark, tmp_path, *(built(one, seconds=number) for number, one in enumerate(objects)))
        return [[item.show for value in answer.values() if value.show.endswith(("5002", "5006"))
                 for name in ("perfdata.cooked", "perfdata.cooked.reason") for item in value.find(name)] for answer in found]

    assert shown(single(bulk, base, values=[100, 10]), single(bulk, values=[200]), single(bulk, base, values=[400, 30]),
                 single(bulk, base, values=[600, 40])) == [
        ["first sample"], ["base unknown"], ["base unknown (previous poll)"], ["20"]
    ]

    def timed(time, *counters, values):
        return replace(single(*counters, values=values), perf_time=time)

    # The object's time is there, the counter is not.
    assert shown(timed(1000, timer, values=[100]), timed(2000, RAW, values=[1]), timed(3000, timer, values=[300]),
                 timed(5000, timer, values=[400])) == [
        ["first sample"], ["1"], ["instance new"], ["5"]      # 100*(400-300)/(5000-3000)
    ]


def test_bases_without_an_index(tshark, tmp_path):
    """They are told apart by the counters they stand behind, also where one of these is left out."""
    one, other, base = Counter(5002, "PERF_AVERAGE_BULK"), Counter(5006, "PERF_AVERAGE_BULK"), Counter(0, "PERF_AVERAGE_BASE")
    polls = single(one, base, other, base, values=[100, 10, 200, 1000]), single(other, base, values=[400, 1010])
    _, answer = polled(tshark, tmp_path, *(built(one, seconds=number) for number, one in enumerate(polls)))
    assert answer.values()[0].first("perfdata.cooked").show == "20"


def test_what_is_not_the_same(tshark, tmp_path):
    """A counter that another process did not have before is new; an object's time is none of its counters; texts of 8 and of 16 bits."""
    identity, base, timer = Counter(784, "PERF_COUNTER_RAWCOUNT"), Counter(0, "PERF_RAW_BASE"), Counter(5006, "PERF_OBJ_TIME_TIMER")
    texts = Counter(5008, "PERF_COUNTER_TEXT", size=7, ascii=True), Counter(5010, "PERF_COUNTER_TEXT", size=16)
    objects = [
        Object(232, [RATE], [Instance("0", [1], parent=(230, 0))], code_page=0),
        Object(5100, list(texts), Instance("", ["abcdefg", "Größe"])),
    ]

    def process(*counters, values):
        return Object(230, list(counters), [Instance("Größe", list(values))], code_page=1252)

    first, second = polled(
        tshark, tmp_path,
        built(process(identity, values=[800]), *objects, Object(5000, [base, timer], [Instance("x", [77, 100], unique_id=0)], perf_time=1000)),
        built(process(identity, RATE, values=[912, 5]), *objects, Object(5000, [timer], [Instance("x", [300], unique_id=0)], perf_time=3000), seconds=2),
    )
    shown = {value.show: [item.show for name in ("perfdata.cooked", "perfdata.cooked.reason", "perfdata.value.text") for item in value.find(name)]
             for value in second.values()}
    assert shown["\\\\PC\\Process(Größe)\\5004"] == ["instance new"]
    assert shown["\\\\PC\\5000(x)\\5006"] == ["10"]
    assert "\\\\PC\\Thread(Größe/0)\\5004" in shown
    assert shown["\\\\PC\\5100\\5008"] == ["text", "abcdefg"] and shown["\\\\PC\\5100\\5010"] == ["text", "Größe"]


def test_instances_without_names_are_told_apart_by_number(tshark, tmp_path):
    """Without a unique id either, only their number tells them apart."""
    objects = Object(5000, [RATE], [Instance("", [10]), Instance("", [20])]), Object(5000, [RATE], [Instance("", [13]), Instance("", [27])])
    _, answer = polled(tshark, tmp_path, built(objects[0]), built(objects[1], seconds=2))
    assert [value.show for value in answer.values()] == ["\\\\PC\\5000\\5004", "\\\\PC\\5000(#1)\\5004"]
    assert [value.first("perfdata.cooked").show for value in answer.values()] == ["3", "7"]


CODE_PAGES = [
    (437, "Größe"), (850, "Größe"), (852, "Źródło"), (855, "Процесс"), (866, "Процесс"), (874, "กระบวน"), (932, "数A処理"), (936, "进程"),
    (949, "프로세스"), (950, "處理程序"), (1250, "Źródło"), (1251, "Процесс"), (1252, "naïve"), (1253, "Διεργασία"), (1254, "işlem"),
    (1255, "תהליך"), (1256, "عملية"), (1257, "Įrašas"), (1258, "Đươ"), (65001, "数A"),
]


def test_code_pages_decide_how_names_are_read(tshark, tmp_path):
    """Instance names, as Python knows the pages, and ASCII texts."""
    text = Counter(5006, "PERF_COUNTER_TEXT", size=8, ascii=True)
    blocks = [built(Object(5000, [RAW, text], [Instance(name, [1, "idle"])], code_page=page)) for page, name in CODE_PAGES]
    for (page, name), answer in some(zip(CODE_PAGES, polled(tshark, tmp_path, *blocks), strict=True)):
        assert answer.shows("perfdata.instance.name") == [name], page
        assert answer.values()[0].show == f"\\\\PC\\5000({name})\\5002", page
        assert answer.shows("perfdata.value.text") == ["idle"], page


def test_a_long_name_of_a_code_page(tshark, tmp_path):
    """More than is converted at a time."""
    name = "Διεργασία" * 60
    (answer,) = polled(tshark, tmp_path, built(Object(5000, [RAW], [Instance(name, [1])], code_page=1253)))
    assert answer.shows("perfdata.instance.name") == [name]


NO_CHARACTERS = [
    (932, b"\x90\x94A", "数A"), (932, b"\x90\xffA", "\ufffd\ufffdA"), (932, b"A\x90", "A\ufffd"), (1255, b"A\xffB", "A\ufffdB"),
    (1200, b"\xe4A\x80", "\ufffdA\ufffd"), (4711, b"ABC", "ABC"),
]


def test_what_a_code_page_does_not_have(tshark, tmp_path):
    """Bytes that are no character, a character that is cut, a page nobody knows."""
    data = built(Object(5000, [RAW], [Instance("abc", [1])], code_page=1252))
    blocks = [replaced(data, 96 + 44, page).replace(b"abc\0", sent.ljust(4, b"\0")) for page, sent, _ in NO_CHARACTERS]
    found = [answer.shows("perfdata.instance.name") for answer in polled(tshark, tmp_path, *blocks)]
    assert found == [[seen] for *_, seen in NO_CHARACTERS]


@pytest.mark.parametrize("order", ["<", ">"])
def test_texts_are_shown_and_have_no_number(tshark, tmp_path, order):
    text = Counter(5006, "PERF_COUNTER_TEXT", size=16)
    _, answer = polled(tshark, tmp_path, built(single(text, text, values=["", "Größe"]), order=order),
                       built(single(text, text, values=["old", ""]), order=order, seconds=2))
    # Two definitions of one index are two counters, whose paths differ.
    assert [value.showname.strip("[]") for value in answer.values()] == [
        '\\\\PC\\5000\\5006 = "old"', '\\\\PC\\5000\\5006 (no. 2 of id 5006) = ""']
    assert {value.first("perfdata.cooked.reason").show for value in answer.values()} == {"text"}


@pytest.mark.parametrize("two_pass", [False, True])
def test_second_answer_is_no_sample(tshark, tmp_path, two_pass):
    """The second answer to a call is no sample, be it of another time or of other counters or instances."""
    first = built(Object(5000, [RAW, RATE], [Instance("a", [1, 100])]))
    others = [
        built(Object(5000, [RAW, RATE], [Instance("a", [1, 100])]), seconds=5),
        built(Object(5000, [RAW], [Instance("a", [1])])),
        built(Object(5000, [RAW, RATE], [Instance("a", [1, 100]), Instance("b", [1, 100])])),
        built(Object(5000, [RAW, RATE], [Instance("a", [1, 100])]), single(RAW, values=[1], index=5100)),
        replaced(first, 72, 0, size=8),
    ]
    for number, other in enumerate(others):
        peer = Peer()
        sample = peer.query("Global", first)[1]
        peer.connection.response(wire.query_response(3, other, len(other), len(other)))
        peer.query("Global", built(Object(5000, [RAW, RATE], [Instance("a", [1, 130])]), seconds=4))
        found = answers(tshark, peer.write(tmp_path / "twice.pcapng"), two_pass)
        assert not found[1].find("perfdata.poll.previous_frame")
        assert found[2].shows("perfdata.poll.previous_frame") == [str(sample)], number
        assert found[2].values()[1].first("perfdata.cooked").show == "10", number


@pytest.mark.parametrize("limit", [0, 10, 24, 60, 100, 150, 400, 2000])
def test_limit_of_items_leaves_the_return_code(tshark, everything, limit):
    """Whatever the limit, the return code stands, and what is left out is counted."""
    limited = answers(tshark, CAPTURE, options=["-o", f"perfdata.max_items:{limit}"])
    for whole, cut in some(zip(everything, limited, strict=True)):
        assert cut.shows("winreg.werror") == whole.shows("winreg.werror")
        assert bool(cut.tells("left_out")) == (len(cut.order) < len(whole.order))
        assert sum(item.name.startswith("perfdata.") for item in cut.order) <= limit + 40
        missing = len(whole.titles()) - len(cut.titles())
        messages = [message for message in cut.items.get("message", []) if "not shown" in message]
        if missing:
            assert messages == [f'{missing} entries are not shown: the limit per packet is {limit} items '
                                '(preference "Maximum number of value items per packet")']
        missing = len(whole.values()) - len(cut.values())
        if missing:
            (message,) = messages
            assert int(message.split()[0]) >= missing and f"the limit per packet is {limit} items" in message


def test_too_large_for_the_tree(tshark, everything):
    """Of a block with more items than may be shown, objects and counters are all there; what is left out are instances."""
    pairs = zip(everything, answers(tshark, CAPTURE, options=["-o", "perfdata.max_items:2700"]), strict=True)
    large = [(whole, cut) for whole, cut in pairs if len(whole.values()) > 60]
    for whole, cut in some(large):
        for field in ("object_type.object_name_title_index", "counter_definition.counter_name_title_index"):
            assert cut.shows(f"perfdata.{field}") == whole.shows(f"perfdata.{field}")
        assert 0 < len(cut.values()) < len(whole.values()) and cut.tells("left_out") == 1
    # Not even room for the counters: the objects.
    (first, *_) = [answer for answer in answers(tshark, CAPTURE, options=["-o", "perfdata.max_items:300"])
                   if len(answer.find("perfdata.object_type")) > 1]
    assert len(first.find("perfdata.object_type")) == len(large[0][0].find("perfdata.object_type"))


def test_texts_that_share_their_bytes(tshark, tmp_path):
    """2000 counters of one text of 60,000 letters: 120 MB, of which a packet shows what it has room for."""
    letters = 60000
    counters = [Counter(5006, "PERF_COUNTER_TEXT", size=letters, offset=8, ascii=True) for _ in range(2000)]
    data = built(single(*counters, values=["x" * letters] + [None] * 1999))
    peer = Peer(max_fragment=5840)
    peer.connection.mss = 5840
    peer.query("Global", data)
    path = peer.write(tmp_path / "texts.pcapng")
    ((texts,),) = tshark.fields(path, "perfdata.value.text", display_filter="perfdata.data_block", options=["-2"])
    assert texts[0] == "x" * letters and sum(map(len, texts)) < 100e6
    output = tshark.run(path, "-V")
    assert len(output) < 10e6
    assert all(len(line) < 1200 for line in some(line for line in output.splitlines() if "\\\\PC\\5000\\5006" in line))


def test_a_tree_of_its_own(tshark):
    """What an answer brings is not hidden among winreg's pointers."""
    packets = tshark.packets(CAPTURE, display_filter="perfdata.data_block")
    for packet in some(packets):
        assert [protocol.name for protocol in packet if protocol.name in ("winreg", "perfdata")] == ["winreg", "perfdata"]
        assert packet[-1].first("perfdata.data_block") and not packet[-2].first("perfdata.data_block")
        assert packet[-2].first("winreg.werror")


# Lists of names.

def multi_sz(*texts, end=True):
    return "".join(f"{text}\0" for text in texts).encode("utf-16-le") + (b"\0\0" if end else b"")


LISTS = [
    (multi_sz(2, "System"), [[2, "System"]], None, "1 entry"),
    (multi_sz(2, "System", 4, ""), [[2, "System"], [4, ""]], None, "2 entries"),
    (multi_sz(2, "System", 4, "Memory", end=False), [[2, "System"], [4, "Memory"]], None, "2 entries"),
    (multi_sz(2, "System", 4, "Memory")[:-7], [[2, "System"], [4, "Memo"]], None, "2 entries"),
    (names([(2, "System"), (4, "Größe")], order=">"), [[2, "System"], [4, "Größe"]], None, "2 entries"),
    (multi_sz(), [], None, "0 entries"),
    (b"\0", [], None, "0 entries"),
    (multi_sz(4294967295, "last"), [[4294967295, "last"]], None, "1 entry"),
    (multi_sz(2, "System", 4294967296, "x"), [[2, "System"]], "offset 18: the index has more than 32 bits", "1 entry"),
    (multi_sz("99999999999999999999999999", "x"), [], "offset 0: the index has more than 32 bits", "0 entries"),
    (multi_sz(2, "System", "four", "x"), [[2, "System"]], "offset 18: expected a decimal index", "1 entry"),
    (multi_sz("-2", "x"), [], "offset 0: expected a decimal index", "0 entries"),
    (multi_sz("\u0662", "x"), [], "offset 0: expected a decimal index", "0 entries"),
    (multi_sz(2, "System", 4, end=False), [[2, "System"]], "offset 18: the index has no text", "1 entry"),
]


def test_lists_of_names_show_entries_and_what_is_wrong(tshark, tmp_path):
    peer = Peer()
    for value, *_ in LISTS:
        peer.query("Counter 009", value, kind=7)
    path = peer.write(tmp_path / "names.pcapng")
    infos = tshark.fields(path, "_ws.col.Info", display_filter="winreg.opnum == 17 && dcerpc.pkt_type == 2")
    for (value, titles, wrong, entries), answer, ((info,),) in some(zip(LISTS, answers(tshark, path), infos, strict=True)):
        assert answer.titles() == titles, value
        assert answer.items.get("message", []) == ([f"The list of names is damaged at {wrong}"] if wrong else []), value
        assert info.endswith(f": {entries}, {len(value)} bytes"), value


def test_bytes_behind_a_list(tshark, tmp_path):
    peer = Peer()
    peer.query("Help 009", multi_sz(3, "text") + b"\xDE\xAD\xBE\xEF", kind=7)
    (answer,) = answers(tshark, peer.write(tmp_path / "names.pcapng"))
    assert answer.titles() == [[3, "text"]]
    assert [item.value for item in answer.find("perfdata.data")] == ["deadbeef"]


VALUE_NAMES = [
    ("Counter 009", True), ("counter 00C", True), ("COUNTER", True), ("Counters", True), ("help 407", True), ("Help", True),
    ("Explain 009", True), ("Explain", False), ("Counters 009", False), ("Counter 9", False), ("Counter 00g", False), ("Counter 0090", False),
    ("Counter_009", False), ("Counter  09", False), ("Helpless", False), ("ProductName", False),
]


def test_what_asks_for_a_list(tshark, tmp_path):
    """Any other value of the key that begins with no signature is shown as bytes."""
    peer = Peer()
    value = multi_sz(2, "System")
    for name, _ in VALUE_NAMES:
        peer.query(name, value, kind=7)
    for (name, is_list), answer in some(zip(VALUE_NAMES, answers(tshark, peer.write(tmp_path / "names.pcapng")), strict=True)):
        assert answer.titles() == ([[2, "System"]] if is_list else []), name
        assert [item.value for item in answer.find("perfdata.data")] == ([] if is_list else [value.hex()]), name


def test_each_member_of_the_systems_time(tshark, tmp_path):
    """SYSTEMTIME at offset 36 of PERF_DATA_BLOCK: 2026-11-23 is a Monday."""
    members = {"year": 2026, "month": 11, "day_of_week": 1, "day": 23, "hour": 12, "minute": 34, "second": 56, "milliseconds": 789}
    data = built(single(RAW, values=[1]))
    peer = Peer()
    peer.query("Global", data[:36] + struct.pack("<8H", *members.values()) + data[52:])
    (answer,) = answers(tshark, peer.write(tmp_path / "time.pcapng"))
    assert {name: answer.shows(f"perfdata.data_block.system_time.{name}") for name in members} == {name: [str(value)] for name, value in members.items()}


@pytest.mark.parametrize("limit, shown", [(19, 9), (20, 10), (21, 10)])
def test_a_list_of_as_many_items_as_the_limit_is_whole(tshark, tmp_path, limit, shown):
    """Ten entries, each an index and a name."""
    peer = Peer()
    peer.query("Counter 009", multi_sz(*(each for index in range(2, 22, 2) for each in (index, f"name {index}"))), kind=7)
    (answer,) = answers(tshark, peer.write(tmp_path / "list.pcapng"), options=["-o", f"perfdata.max_items:{limit}"])
    assert answer.titles() == [[index, f"name {index}"] for index in range(2, 22, 2)][:shown]
    assert answer.tells("left_out") == (shown < 10)


@pytest.mark.parametrize("size", range(9))
def test_a_value_is_a_block_from_the_whole_signature_on(tshark, tmp_path, size):
    """"PERF" has 8 bytes: what is shorter is bytes, that alone is a block without a header."""
    peer = Peer()
    peer.query("Global", "PERF".encode("utf-16-le")[:size])
    (answer,) = answers(tshark, peer.write(tmp_path / "short.pcapng"))
    assert bool(answer.find("perfdata.data_block")) == (size == 8)


def test_names_of_several_languages(tshark, tmp_path):
    """English where it was taught, else the language that came first; what a later list says of the same language counts."""
    peer = Peer()
    german = peer.query("Counter 007", multi_sz(1, 1847, 5000, "Typen", 5002, "Zahl", 5004, "Rate"))[1]
    peer.query("Counter 00C", multi_sz(5004, "Taux"))
    peer.query("Counter 009", multi_sz(1, 1847, 5000, "Types"))
    peer.query("Counter 009", multi_sz(1, 1848, 5000, "Types"))
    latest = peer.query("Counter 009", multi_sz(5000, "Kinds"))[1]
    peer.query("Help 009", multi_sz(5000, "no name"))
    peer.query("Global", built(single(RAW, RATE, values=[1, 2]), single(RAW, values=[3], index=1)))
    answer = answers(tshark, peer.write(tmp_path / "names.pcapng"), two_pass=False)[-1]
    assert [value.show for value in answer.values()] == ["\\\\PC\\Kinds\\Zahl", "\\\\PC\\Kinds\\Rate", "\\\\PC\\1\\Zahl"]
    learned = {item.show: item.first("perfdata.learned_in").show for name in ("perfdata.object.name", "perfdata.counter.name")
               for item in answer.find(name)}
    assert learned == {"Kinds": str(latest), "Zahl": str(german), "Rate": str(german)}


def test_data_of_a_failed_call_is_no_sample(tshark, tmp_path):
    """Data of a failed call is no sample, whatever it is."""
    data = built(single(RATE, values=[5]))
    peer = Peer()
    peer.query("5000", b"rubbish", error=234)
    peer.query("5000", data, error=234)
    peer.query("5000", data)
    peer.query("5000", b"")
    peer.query("5000", None)
    found = answers(tshark, peer.write(tmp_path / "errors.pcapng"))
    assert [answer.shows("winreg.werror") for answer in found] == [[as_error(code)] for code in (234, 234, 0, 0, 0)]
    assert [len(answer.find("perfdata.data_block")) for answer in found] == [0, 1, 1, 0, 0]
    assert [len(answer.find("perfdata.data")) for answer in found] == [1, 0, 0, 0, 0]
    assert not found[1].values()[0].find("perfdata.cooked.reason")
    assert found[2].values()[0].first("perfdata.cooked.reason").show == "first sample"


def test_intervals_leave_out_time_that_went_back(tshark, tmp_path):
    """A server whose clock was set: 10 s, back by 6 s, 3 s."""
    polled(tshark, tmp_path, *(built(single(RAW, values=[7]), seconds=seconds) for seconds in (1, 11, 5, 8)))
    (path,) = tmp_path.glob("*.pcap*")
    (row,) = named_rows(tshark.run(path, "-q", "-z", "perfdata,queries"))
    assert (float(row["Median s"]), float(row["Longest s"])) == (6.5, 10)


def test_instance_that_comes_back_is_new(tshark, tmp_path):
    """
    Types that go by the object's clock, as others do: 300 units in the last two samples' clock at 11,000 and 14,000.
    100*(400-100)/(14000-11000) = 10 %, and a queue of 300/3000 = 0.1. What was in the first sample only has no value.
    """
    counters = [Counter(5010, "PERF_OBJ_TIME_TIMER"), Counter(5012, "PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE"), Counter(5014, "PERF_100NSEC_TIMER")]

    def sample(seconds, clock, *instances):
        # The object's place changes, too.
        other = [single(RAW, values=[1], index=5200)] if seconds != 1 else []
        return built(*other, Object(5000, counters, [Instance(name, [n] * 3) for name, n in instances], clock, 1000), seconds=seconds)

    *_, last = polled(tshark, tmp_path, sample(1, 10_000, ("a", 0), ("b", 0)), sample(2, 11_000, ("b", 100)), sample(5, 14_000, ("a", 1000), ("b", 400)))
    values = [value for value in last.values() if value.show.startswith("\\\\PC\\5000")]
    assert [value.first("perfdata.cooked.reason").show for value in values[:3]] == 3 * ["instance new"]
    # b: also 300 of 30,000,000 units of 100 ns
    assert [float(value.first("perfdata.cooked").show) for value in values[3:]] == [10, 0.1, 0.001]


@pytest.mark.parametrize("rest, broken", [("5000\0Types\0\0", True), ("Types\0" + "5002\0Rate\0\0", True), ("\0\0\0", False), ("i\0\0", False), ("", False)])
def test_a_list_of_names_with_an_empty_index(tshark, tmp_path, rest, broken):
    """Readers take names for indexes from there on: an item at the place, a row in missing and a finding. Samba leaves a string behind the end."""
    peer = Peer()
    good = multi_sz(2, "System", 4, "Memory", end=False)
    peer.query("Counter 009", good + b"\0\0" + rest.encode("utf-16le"), kind=7)
    capture = peer.write(tmp_path / "names.pcapng")
    (answer,) = answers(tshark, capture)
    assert answer.titles() == [[2, "System"], [4, "Memory"]]
    missing = tshark.run(capture, "-q", "-z", "perfdata,missing")
    findings = tshark.run(capture, "-q", "-z", "perflib,findings")
    expert = tshark.run(capture, "-Y", "perfdata.bad_names")
    assert [("empty or missing index" in missing), ("names_damaged" in findings), expert != ""] == [broken] * 3, findings
    assert "nothing is wrong" not in findings and ("; no value was asked for." in findings) == (not broken)
    assert ("1 list of names is damaged." in findings) == broken
