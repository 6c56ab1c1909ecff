# SPDX-License-Identifier: GPL-2.0-or-later
"""A counter is machine, counterset, counter and instance; its path is a label, the same for it in all queries and handles."""

import csv
import io

import pytest

from lib import perflibv2 as p
from lib import sharkd
from lib.named_query import NAMES, unescaped
from lib.perfdata import Peer as OlderPeer
from lib.perfdata import built
from lib.some import some
from lib.tables import table_rows
from lib.wire import Capture
from perfdata.block import Counter, Instance, Object

FIRST, SECOND, THIRD = (p.query_handle(number) for number in (1, 2, 3))
ANY = p.NONE


def rows(*instances):
    """A block of one counter's values: (name, id, value) of each instance."""
    return p.block(4, p.multi_instances([p.instance(name, id) + p.value(number) for name, id, number in instances]))


def one(number):
    return p.block(1, p.value(number))


def paths(tshark, file):
    """value -> paths, over all polls; a value is an instance's own here."""
    found = {}
    for names, values in tshark.fields(file, "perflibv2.path", "perflibv2.value", options=["-2"],
                                       display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2"):
        for name, value in zip(names, values, strict=True):
            found.setdefault(int(value), set()).add(unescaped(name))
    return found


def reads(instance):
    return {rf"\\HOST\First({instance})\Reads"}


def table_file(tshark, file, name="pdh-csv", protocol="perflibv2"):
    return list(csv.reader(io.StringIO(tshark.run(file, "-2", "-q", "-z", f"{protocol},{name},-"))))


@pytest.fixture
def made():
    """A machine whose countersets have names; nothing is asked for yet."""
    capture = Capture()
    peer = p.Peer(capture)
    for guid, (name, counters) in NAMES.items():
        peer.registration(1, p.counterset([p.counter(id) for id in counters], guid=guid), guid=guid)
        peer.registration(3, p.text(name), guid=guid)
        peer.registration(5, p.strings(list(counters.items())), guid=guid)
    return capture, peer


def test_two_queries_that_number_differently(tshark, tmp_path, made):
    capture, peer = made
    peer.mapped(FIRST, p.identifier(1, "*"))
    peer.mapped(SECOND, p.identifier(1, "*"))
    peer.poll(FIRST, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))
    peer.poll(SECOND, p.data(rows(("chrome", 200, 2), ("chrome", 100, 1)), time=p.TIME + 10_000_000))
    file = capture.write(tmp_path / "two.pcap")
    assert paths(tshark, file) == {1: reads("chrome"), 2: reads("chrome#1")}
    # A column of the file is one process in all rows.
    head, *lines = table_file(tshark, file)
    assert head[1:] == [r"\\HOST\First(chrome)\Reads", r"\\HOST\First(chrome#1)\Reads"]
    assert [line[1:] for line in lines] == [["1", "2"], ["1", "2"]]


def test_one_by_id_after_anothers_wildcard(tshark, tmp_path, made):
    capture, peer = made
    peer.mapped(FIRST, p.identifier(1, "*"))
    peer.poll(FIRST, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))
    other = p.Peer(capture, client="192.0.2.99")
    other.mapped(SECOND, p.identifier(1, "chrome", instance=200))
    other.poll(SECOND, p.data(one(2)))
    assert paths(tshark, capture.write(tmp_path / "id.pcap")) == {1: reads("chrome"), 2: reads("chrome#1")}


def test_a_handle_opened_after_the_first_ended(tshark, tmp_path, made):
    capture, peer = made
    peer.mapped(FIRST, p.identifier(1, "*"))
    peer.poll(FIRST, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))
    peer.close(FIRST)
    peer.mapped(SECOND, p.identifier(1, "*"))
    peer.poll(SECOND, p.data(rows(("chrome", 200, 2), ("chrome", 300, 3))))
    assert paths(tshark, capture.write(tmp_path / "later.pcap")) == {1: reads("chrome"), 2: reads("chrome#1"), 3: reads("chrome#2")}


def by_name(peer, handle, number):
    peer.mapped(handle, p.identifier(1, "chrome", instance=ANY))
    peer.poll(handle, p.data(one(number)))


def test_known_by_name_alone(tshark, tmp_path, made):
    """Before or after the one that has the name; where several have it nobody can tell which is meant."""
    capture, peer = made
    by_name(peer, FIRST, 1)
    peer.mapped(SECOND, p.identifier(1, "*"))
    peer.poll(SECOND, p.data(rows(("chrome", 100, 1))))
    peer.poll(SECOND, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))
    peer.poll(FIRST, p.data(one(1)))
    assert paths(tshark, capture.write(tmp_path / "name.pcap")) == {1: reads("chrome"), 2: reads("chrome#1")}


def test_known_by_name_after_the_only_one(tshark, tmp_path, made):
    capture, peer = made
    peer.mapped(SECOND, p.identifier(1, "*"))
    peer.poll(SECOND, p.data(rows(("chrome", 100, 1))))
    by_name(peer, FIRST, 1)
    peer.poll(SECOND, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))
    peer.mapped(THIRD, p.identifier(1, "chrome", instance=ANY))
    peer.poll(THIRD, p.data(one(1)))
    assert paths(tshark, capture.write(tmp_path / "name.pcap")) == {1: reads("chrome"), 2: reads("chrome#1")}


def test_known_by_name_of_several(tshark, tmp_path, made):
    capture, peer = made
    peer.mapped(SECOND, p.identifier(1, "*"))
    peer.poll(SECOND, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))
    by_name(peer, FIRST, 3)
    assert paths(tshark, capture.write(tmp_path / "name.pcap")) == {1: reads("chrome"), 2: reads("chrome#1"), 3: reads("chrome#2")}


def test_names_that_differ_in_case_alone(tshark, tmp_path, made):
    """Windows compares paths without case: such instances are numbered as equal ones."""
    capture, peer = made
    peer.mapped(FIRST, p.identifier(1, "*"))
    peer.poll(FIRST, p.data(rows(("chrome", 100, 1), ("Chrome", 200, 2), ("größe", 1, 3), ("GRÖSSE", 2, 4))))
    assert paths(tshark, capture.write(tmp_path / "case.pcap")) == {
        1: reads("chrome"), 2: reads("Chrome#1"), 3: reads("größe"), 4: reads("GRÖSSE#1")}


@pytest.mark.parametrize("name", ["First", "FIRST"])
def test_two_guids_of_one_name(tshark, tmp_path, made, name):
    """Both are in all tables and files; the second one says which it is."""
    capture, peer = made
    peer.registration(3, p.text(name), guid=p.OTHER_SET)
    peer.mapped(FIRST, p.identifier(1, "x"), p.identifier(1, "x", guid=p.OTHER_SET))
    peer.poll(FIRST, p.data(one(1), one(2)))
    peer.poll(FIRST, p.data(one(1), one(2), time=p.TIME + 10_000_000))
    file = capture.write(tmp_path / "guids.pcap")
    expected = [r"\\HOST\First(x)\Reads", rf"\\HOST\{name} {{{p.OTHER_SET}}}(x)\Reads"]
    assert paths(tshark, file) == {number: {path} for number, path in enumerate(expected, 1)}
    head, *lines = table_file(tshark, file)
    assert head[1:] == expected and [line[1:] for line in lines] == [["1", "2"]] * 2
    table = tshark.run(file, "-2", "-q", "-z", "perflibv2,counters", "-z", "perflibv2,usage")
    rows = table_rows(table.split("PerflibV2 Counters:")[1].split("=====")[0])
    assert [row[0] for row in rows] == expected and f"{name} {{{p.OTHER_SET}}}"[:32] in table
    samples = table_file(tshark, file, "samples")
    assert len(samples) == 1 + 4 and [row[20] for row in samples[1:3]] == [str(p.SET), str(p.OTHER_SET)]


def test_two_ids_of_one_name(tshark, tmp_path, made):
    capture, peer = made
    peer.registration(5, p.strings([(1, "Reads"), (2, "reads")]))
    peer.mapped(FIRST, p.identifier(ANY, "x"))
    peer.poll(FIRST, p.data(p.block(2, p.multi_counters([1, 2]) + p.value(1) + p.value(2))))
    file = capture.write(tmp_path / "ids.pcap")
    assert paths(tshark, file) == {1: {r"\\HOST\First(x)\Reads"}, 2: {r"\\HOST\First(x)\reads (id 2)"}}
    assert table_file(tshark, file)[1][1:] == ["1", "2"]


@pytest.mark.parametrize("name", ["Reads", "R" * 300, "Reads (id 1)"])
def test_many_ids_of_one_name(tshark, tmp_path, made, name):
    """However long the name, and whatever others are called: each has a path of its own, which it keeps."""
    capture, peer = made
    names = [(1, name), (2, name), (3, name), (4, f"{name} (id 2)"), (5, f"{name} (id 3, no. 2)")]
    peer.registration(1, p.counterset([p.counter(id) for id, _ in names]))
    peer.registration(5, p.strings(names))
    peer.mapped(FIRST, p.identifier(ANY, "x"))
    for second in range(2):
        peer.poll(FIRST, p.data(p.block(2, p.multi_counters([4, 5, 3, 2, 1]) + b"".join(map(p.value, [4, 5, 3, 2, 1]))),
                                time=p.TIME + second * 10_000_000))
        peer.registration(3, p.text("First"), guid=p.SET, lcid=second)      # something is learned
    found = paths(tshark, capture.write(tmp_path / "many.pcap"))
    assert found.keys() == {1, 2, 3, 4, 5} and all(len(names) == 1 for names in some(found.values()))
    assert len({path.casefold() for names in found.values() for path in names}) == 5


def labels(tree):
    """The lines of sharkd's tree."""
    return [text for item in tree for text in (item.get("l", ""), *labels(item.get("n", [])))]


@pytest.mark.parametrize("is_late", [False, True], ids=["named-before", "named-after"])
@pytest.mark.parametrize("order", [1, -1], ids=["first-to-last", "last-to-first"])
def test_whichever_is_looked_at_first(tshark, tmp_path, order, is_late):
    """Whoever is polled first has a name for itself, in whatever order packets are opened in Wireshark's window."""
    capture = Capture()
    peer = p.Peer(capture)

    def teach():
        for guid in p.SET, p.OTHER_SET:
            peer.registration(3, p.text("Set"), guid=guid)
            peer.registration(5, p.strings([(1, "Reads"), (2, "reads")]), guid=guid)

    if not is_late:
        teach()
    frames, numbers = [], [(2, p.OTHER_SET), (1, p.OTHER_SET), (2, p.SET), (1, p.SET)]
    for number, (counter, guid) in enumerate(numbers, 1):
        peer.mapped(p.query_handle(number), p.identifier(counter, "x", guid=guid))
        frames.append(peer.poll(p.query_handle(number), p.data(one(number)))[1])
    if is_late:
        teach()
    file = capture.write(tmp_path / "clicks.pcap")
    clicks = [{"method": "frame", "params": {"frame": frame, "proto": True}} for frame in frames[::order]]
    said = sharkd.ask(tshark, [{"method": "load", "params": {"file": str(file)}}, *clicks])
    shown = [labels(said[at]["tree"]) for at in range(2, 2 + len(clicks))][::order]
    other = rf"\\HOST\Set {{{p.SET}}}(x)"
    expected = [r"\\HOST\Set(x)\reads", r"\\HOST\Set(x)\Reads (id 1)", rf"{other}\reads", rf"{other}\Reads (id 1)"]
    assert [[text for text in texts if text.startswith("\\\\")] for texts in shown] == [
        [f"{path}: no value, type unknown, raw {number}"] for number, path in enumerate(expected, 1)]
    assert paths(tshark, file) == {number: {path} for number, path in enumerate(expected, 1)}


def test_names_that_make_one_path(tshark, tmp_path, made):
    """A counterset called "First(x)" without instances, and the instance x of First."""
    capture, peer = made
    peer.registration(1, p.counterset([p.counter(1)], guid=p.OTHER_SET, instance_type=0), guid=p.OTHER_SET)
    peer.registration(3, p.text("First(x)"), guid=p.OTHER_SET)
    peer.mapped(FIRST, p.identifier(1, "x"), p.identifier(1, "", guid=p.OTHER_SET))
    peer.poll(FIRST, p.data(one(1), one(2)))
    file = capture.write(tmp_path / "parts.pcap")
    assert paths(tshark, file) == {1: {r"\\HOST\First(x)\Reads"}, 2: {r"\\HOST\First(x)\Reads (id 1)"}}
    assert table_file(tshark, file)[1][1:] == ["1", "2"]


def test_two_values_at_one_time(tshark, tmp_path, made):
    """A row has room for one value of a counter: how many others were left out is told."""
    capture, peer = made
    for handle, number in (FIRST, 1), (SECOND, 2), (THIRD, 1):
        peer.mapped(handle, p.identifier(1, "x"))
        peer.poll(handle, p.data(one(number)))
    file = capture.write(tmp_path / "time.pcap")
    assert [line[1:] for line in table_file(tshark, file)] == [[r"\\HOST\First(x)\Reads"], ["1"]]
    complaint = tshark.complaint(file, "-2", "-q", "-z", "perflibv2,pdh-csv,-")
    assert "-z perflibv2,pdh-csv: 1 value is left out, because the counter has another value at the same time" in complaint
    # All others have room for each.
    assert len(table_file(tshark, file, "samples")) == 1 + 3
    (row,) = table_rows(tshark.run(file, "-2", "-q", "-z", "perflibv2,counters"))
    assert row[2:7] == ["3", "1", "1", "1", "1.333"]


def test_a_counter_asked_for_twice(tshark, tmp_path, made):
    """Two identifiers of a query that name one counter: one value, unless the server says two."""
    capture, peer = made
    peer.mapped(FIRST, p.identifier(1, "x"), p.identifier(1, "x", instance=ANY))
    peer.poll(FIRST, p.data(one(5), one(5)))
    peer.poll(FIRST, p.data(one(6), one(7), time=p.TIME + 10_000_000))
    samples = table_file(tshark, capture.write(tmp_path / "twice.pcap"), "samples")
    assert [row[10] for row in samples[1:]] == ["5", "6", "7"]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_a_machine_named_between_polls(tshark, tmp_path, passes):
    """Its instances keep their numbers, whatever order the next poll has them in."""
    capture = Capture()
    peer = p.Peer(capture, "")
    peer.info(FIRST, p.identifier(1, "*"))
    numbers = [peer.poll(FIRST, p.data(rows(("chrome", 100, 1), ("chrome", 200, 2))))[1]]
    named = p.Peer(capture, client="192.0.2.77")
    named.registration(3, p.text("First"))
    named.registration(5, p.strings([(1, "Reads")]))
    numbers.append(peer.poll(FIRST, p.data(rows(("chrome", 200, 2), ("chrome", 100, 1))))[1])
    found = tshark.fields(capture.write(tmp_path / "named.pcap"), "frame.number", "perflibv2.path", options=passes,
                          display_filter="perflibv2.data.perf_freq")
    host, counter = (r"\\HOST\First", "Reads") if passes else (rf"\\192.0.2.1\{{{p.SET}}}", "counter 1")
    assert [(int(frame), [unescaped(path) for path in paths]) for (frame,), paths in found] == [
        (numbers[0], [rf"{host}(chrome)\{counter}", rf"{host}(chrome#1)\{counter}"]),
        (numbers[1], [r"\\HOST\First(chrome#1)\Reads", r"\\HOST\First(chrome)\Reads"])]


def test_name_learned_later_is_the_same_counter(tshark, tmp_path):
    """One pass: the first polls come before the names, and are the same counter all the same."""
    late = Capture()
    peer = p.Peer(late)
    peer.registration(1, p.counterset([p.counter(1)]))
    peer.mapped(FIRST, p.identifier(1, "x"))
    peer.poll(FIRST, p.data(one(1)))
    peer.registration(3, p.text("First"))
    peer.registration(5, p.strings([(1, "Reads")]))
    peer.poll(FIRST, p.data(one(3), time=p.TIME + 10_000_000))
    table = tshark.run(late.write(tmp_path / "late.pcap"), "-q", "-z", "perflibv2,counters")
    assert [row[:4] for row in table_rows(table)] == [[r"\\HOST\First(x)\Reads", "", "2", "1"]]


def test_a_title_twice_in_samples(tshark, tmp_path):
    """Two counters of an id are two in samples, too, by what paths call them; the ids are what was sent."""
    peer = OlderPeer()
    peer.query("Global", built(Object(5000, [Counter(5002, "PERF_COUNTER_RAWCOUNT")] * 2, Instance("", [3, 4]))))
    samples = table_file(tshark, peer.write(tmp_path / "twice.pcapng"), "samples", "perfdata")
    head = samples[0]
    assert [[row[head.index(name)] for name in ("counter", "counter_id", "raw")] for row in samples[1:]] == [
        ["5002", "5002", "3"], ["5002 (no. 2 of id 5002)", "5002", "4"]]
    capture = Capture()
    peer = p.Peer(capture)
    peer.mapped(FIRST, p.identifier(ANY, "x"))
    peer.poll(FIRST, p.data(p.block(2, p.multi_counters([1, 1]) + p.value(3) + p.value(4))))
    samples = table_file(tshark, capture.write(tmp_path / "twice.pcap"), "samples")
    names = [row[head.index("counter")] for row in samples[1:]]
    assert len(names) == len(set(names)) == 2 and names[0] == "counter 1"


def test_older_api_numbers_equal_names_by_place(tshark, tmp_path):
    """The place among equal names, without regard to case."""
    peer = OlderPeer()
    counter = Counter(5002, "PERF_COUNTER_RAWCOUNT")
    peer.query("Global", built(Object(5000, [counter], [Instance(name, [at]) for at, name in enumerate(["x", "X", "x"])])))
    file = peer.write(tmp_path / "older.pcapng")
    assert table_file(tshark, file, protocol="perfdata") == [
        ["(PDH-CSV 4.0) (UTC)(0)", r"\\PC\5000(x)\5002", r"\\PC\5000(X#1)\5002", r"\\PC\5000(x#2)\5002"],
        [table_file(tshark, file, protocol="perfdata")[1][0], "0", "1", "2"]]


def seen(tshark, file):
    """value -> path, and what its cooked value's poll before was, over all polls of the older API."""
    found = {}
    for names, values, cooked in tshark.fields(file, "perfdata.path", "perfdata.value", "perfdata.cooked", options=["-2"],
                                               display_filter="perfdata.path"):
        found.update((int(value), unescaped(name)) for name, value in zip(names, values, strict=True))
        found.setdefault("cooked", []).append(cooked)
    return found


RATE = "PERF_COUNTER_COUNTER"


def test_an_object_twice_in_a_block(tshark, tmp_path):
    """Two objects of one title index: the second's counters are others, also where it comes later."""
    peer = OlderPeer()

    def an_object(value, counter=5002):
        return Object(5000, [Counter(counter, RATE)], Instance("", [value]))

    peer.query("Global", built(an_object(100), seconds=1))
    peer.capture.wait(1)
    peer.query("Global", built(an_object(110), an_object(700), seconds=2))
    peer.capture.wait(1)
    peer.query("Global", built(an_object(130), an_object(740), seconds=3))
    file = peer.write(tmp_path / "twice.pcapng")
    found = seen(tshark, file)
    assert found.pop("cooked") == [[], ["10"], ["20", "40"]]
    first, second = r"\\PC\5000\5002", r"\\PC\5000 {5000 no. 2}\5002"
    assert found == {100: first, 110: first, 130: first, 700: second, 740: second}
    head, *lines = table_file(tshark, file, protocol="perfdata")
    assert [head[1:], *([cell.strip() for cell in line[1:]] for line in lines)] == [[first, second], ["", ""], ["10", ""], ["20", "40"]]
    samples = table_file(tshark, file, "samples", "perfdata")
    sets = [row[samples[0].index("counterset_guid")] for row in samples[1:]]
    assert sets == ["5000", "5000", "5000 no. 2", "5000", "5000 no. 2"]


def test_an_object_twice_in_an_answer_that_is_no_sample(tshark, tmp_path):
    """A call that failed teaches no machine's name and is compared with nothing; what two objects hold is still called apart."""
    peer = OlderPeer()
    objects = [Object(5000, [Counter(5002, RATE)], Instance("", [value])) for value in (100, 700)]
    peer.query("Global", built(*objects), error=2)
    found = seen(tshark, peer.write(tmp_path / "failed.pcapng"))
    assert found.pop("cooked") == [[]]
    assert found == {100: r"\\192.0.2.20\5000\5002", 700: r"\\192.0.2.20\5000 {5000 no. 2}\5002"}


def test_an_object_twice_with_other_counters_or_instances(tshark, tmp_path):
    """What they hold tells them apart, whichever comes first and whichever is missing."""
    peer = OlderPeer()

    def objects(first, second):
        return (Object(5000, [Counter(5002, RATE)], [Instance("a", [first])]),
                Object(5000, [Counter(5002, RATE)], [Instance("b", [second])]),
                Object(5000, [Counter(5004, RATE)], [Instance("a", [second + 1])]))

    one_way, other_way = objects(100, 700), objects(110, 720)[::-1]
    peer.query("Global", built(*one_way, seconds=1))
    peer.capture.wait(1)
    peer.query("Global", built(*other_way, seconds=2))
    peer.capture.wait(1)
    peer.query("Global", built(objects(111, 750)[1], seconds=3))
    found = seen(tshark, peer.write(tmp_path / "apart.pcapng"))
    assert found.pop("cooked") == [[], ["20", "20", "10"], ["30"]]
    a, b, other = r"\\PC\5000(a)\5002", r"\\PC\5000(b)\5002", r"\\PC\5000(a)\5004"
    assert found == {100: a, 110: a, 700: b, 720: b, 750: b, 701: other, 721: other}


def test_an_object_twice_with_bases_that_have_no_title(tshark, tmp_path):
    """A base belongs to the counter before it, so two bases without a title are no value that both objects hold."""
    peer = OlderPeer()
    both = [Object(5000, [Counter(index, "PERF_RAW_FRACTION"), Counter(0, "PERF_RAW_BASE")], Instance("", [1, 4])) for index in (5002, 5004)]
    peer.query("Global", built(*both, seconds=1))
    peer.capture.wait(1)
    peer.query("Global", built(*both[::-1], seconds=2))
    lines = tshark.fields(peer.write(tmp_path / "bases.pcapng"), "perfdata.path", options=["-2"], display_filter="perfdata.path")
    assert [[unescaped(name) for name in names] for (names,) in lines] == [
        [r"\\PC\5000\5002", r"\\PC\5000\5004"], [r"\\PC\5000\5004", r"\\PC\5000\5002"]]
