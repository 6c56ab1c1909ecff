# SPDX-License-Identifier: GPL-2.0-or-later
"""The watch list, and what a packet shows when it holds more than a person reads."""

import re
from collections import defaultdict
from fractions import Fraction
from functools import lru_cache

import pytest

from lib.captures import CAPTURES, record_of
from lib.some import some
from lib.tables import counters_of, table_rows
from lib.values import without_lone_surrogates

SESSION = CAPTURES / "tcp-session.pcapng"
CPU = r"*\Processor Information(_Total)\% Processor Time"


def watch(name, pattern):
    """The options that put a counter on the watch list."""
    escaped = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "".join(f"\\x{b:02x}" for b in c.encode()) for c in pattern)
    return ["-o", f'uat:perflibv2_watch:"{name}","{escaped}"']


@lru_cache
def expression(pattern):
    parts = {"*": ".*", "?": "."}
    return re.compile("".join(parts.get(c, re.escape(c)) for c in pattern), re.IGNORECASE | re.DOTALL)


def matches(pattern, path):
    return expression(pattern).fullmatch(path)


@lru_cache
def watched_values(capture, pattern):
    """Frame -> values of all counters of that pattern, as the record says: one a counter, though several identifiers ask for it."""
    record = record_of(capture)
    frames = {call["n"]: call["response_frame"] for call in record["calls"] if call.get("response_frame")}
    values = defaultdict(dict)
    for value in record["expected_cooked_values"]:
        if "path" in value and matches(pattern, without_lone_surrogates(value["path"])):
            known = values[frames[value["to_call"]]].setdefault(value["path"], value["exact"])
            assert known == value["exact"]
    return {frame: list(map(Fraction, known.values())) for frame, known in values.items()}


def same(shown, expected):
    """Whether these are the same numbers, whatever their order."""
    shown, expected = sorted(map(Fraction, shown)), sorted(expected)
    return len(shown) == len(expected) and all(abs(a - b) <= abs(b) / 10**12 for a, b in zip(shown, expected, strict=True))


def check_watched(tshark, pattern, *options, capture=SESSION):
    rows = tshark.fields(capture, "frame.number", "perflibv2.watch.cpu", display_filter="perflibv2.watch.cpu",
                         options=["-2", *watch("cpu", pattern), *options])
    expected = watched_values(capture, pattern)
    assert {int(row[0][0]) for row in rows} == set(expected)
    for (frame,), values in some(rows):
        assert same(values, expected[int(frame)]), frame
    return expected


@pytest.mark.parametrize(
    "pattern",
    [
        CPU,
        "*PROCESSOR information(_TOTAL)\\% processor time",
        r"\\WIN-PERF01\Processor Information(_Total)\% Processor Time",
        r"\\win-perf01\*(0,?)\interrupts/SEC",
        r"*(ärger-GRÖSSE)\Page Faults/sec".replace("GRÖSSE", "GRÖßE"),
        r"*(計測機器)\Page*",
        r'*(sql"serv,er\prod(1)/x)\Working Set',
        r"*(𝔘𝔫?-😀)\*Bytes*",
        "*\\% *",
    ],
)
def test_patterns_find_the_frames_where_counters_have_values(tshark, pattern):
    """* is any characters, ? is one, case does not matter; a filter finds just the frames in which the counter has a value."""
    assert check_watched(tshark, pattern)


def test_a_pattern_is_of_the_whole_path(tshark):
    for pattern in ("% Processor Time", r"*\% Processor Tim", r"\\WIN-PERF01"):
        rows = tshark.fields(SESSION, "perflibv2.watch.cpu", display_filter="perflibv2.watch.cpu", options=["-2", *watch("cpu", pattern)])
        assert rows == []


def test_comparison_is_exact(tshark):
    """Other counters of the poll do not matter, however large they are."""
    values = watched_values(SESSION, CPU)
    numbers = sorted(number for of_frame in values.values() for number in of_frame)
    middle = numbers[len(numbers) // 2]
    rows = tshark.fields(SESSION, "frame.number", display_filter=f"perflibv2.watch.cpu >= {float(middle) - 1e-6!r}",
                         options=["-2", *watch("cpu", CPU)])
    expected = {frame for frame, of_frame in values.items() if any(number >= middle for number in of_frame)}
    assert {int(row[0][0]) for row in rows} == expected
    assert expected and expected != set(values)


def test_one_pass_two_passes_and_tree(tshark):
    """The session teaches names before it polls: one pass is enough."""
    options = watch("cpu", CPU)
    fields = ("frame.number", "perflibv2.watch.cpu")
    two = tshark.fields(SESSION, *fields, display_filter="perflibv2.watch.cpu", options=["-2", *options])
    assert tshark.fields(SESSION, *fields, display_filter="perflibv2.watch.cpu", options=options) == two
    with_tree = tshark.packets(SESSION, *options, two_pass=True, display_filter="perflibv2.watch.cpu")
    shown = {protocols[0].first("num").show: [item.show for protocol in protocols for item in protocol.find("perflibv2.watch.cpu")]
             for protocols in with_tree}
    assert shown == {row[0][0]: row[1] for row in two}


def test_column_shows_the_value_though_nothing_else_asks(tshark):
    """A custom column shows the value though nothing else asks for it."""
    output = tshark.run(SESSION, "-2", *watch("cpu", CPU), "-o", 'gui.column.format:"No.","%m","CPU","%Cus:perflibv2.watch.cpu:0:R"')
    rows = dict(line.split(None, 1) for line in map(str.strip, output.splitlines()) if len(line.split(None, 1)) == 2)
    expected = watched_values(SESSION, CPU)
    assert set(map(int, rows)) == set(expected)
    for frame, text in some(rows.items()):
        shown = text.split()[0].rstrip("%")
        assert abs(Fraction(shown) - expected[int(frame)][0]) < Fraction(1, 100), text


@pytest.mark.parametrize("options", [(), ("-2",)])
def test_a_sum_counts_a_counter_once(tshark, options):
    """Two identifiers of the query ask for it, so that the poll holds it twice."""
    pattern = r"\\WIN-PERF01\Processor Information(0,0)\Interrupts/sec"
    record = record_of(SESSION)
    polls = [value["to_call"] for value in record["expected_cooked_values"] if value.get("path") == pattern]
    assert len(polls) > len(set(polls))
    expected = sum(value for values in watched_values(SESSION, pattern).values() for value in values)
    field = "perflibv2.watch.cpu"
    # tshark 4.0 adds to a sum that it never set to 0. With this, glibc hands out memory of zeros.
    said = tshark.run(SESSION, "-q", *options, *watch("cpu", pattern), "-z", f"io,stat,0,SUM({field}){field}", env={"MALLOC_PERTURB_": "255"})
    (shown,) = re.findall(r"<>.*\| +([\d.]+) \|", said)
    assert abs(Fraction(shown) - expected) < Fraction(1, 100_000)


def test_each_entry_is_a_field_of_its_own(tshark):
    """Each is a field of its own, whether they match the same counters or not."""
    other = r"*\Interrupts/sec"
    options = [*watch("cpu", CPU), *watch("all.cpus", r"*\% Processor Time"), *watch("interrupts", other)]
    rows = tshark.fields(SESSION, "frame.number", "perflibv2.watch.cpu", "perflibv2.watch.all.cpus", "perflibv2.watch.interrupts",
                         display_filter="perflibv2.opnum == 6", options=["-2", *options])
    for number, pattern in ((1, CPU), (2, r"*\% Processor Time"), (3, other)):
        expected = watched_values(SESSION, pattern)
        assert {int(row[0][0]) for row in rows if row[number]} == set(expected)
        assert all(same(row[number], expected[int(row[0][0])]) for row in some(row for row in rows if row[number]))


@pytest.mark.parametrize("name", ["tcp-session", "both-apis"])
def test_patterns_without_a_machine(tshark, name):
    """As Performance Monitor writes its own machine's counters: of any machine, and nothing else."""
    for pattern in (r"\Processor Information(_Total)\% Processor Time", r"\processor*(0,?)\*"):
        capture = CAPTURES / f"{name}.pcapng"
        rows = tshark.fields(capture, "frame.number", "perflibv2.watch.cpu", display_filter="perflibv2 && perflibv2.watch.cpu",
                             options=["-2", *watch("cpu", pattern)])
        expected = watched_values(capture, r"\\*" + pattern)
        assert expected and {int(row[0][0]) for row in rows} == set(expected)
        assert all(same(values, expected[int(frame)]) for (frame,), values in some(rows))


def test_a_mixture_is_noted(tshark):
    """Once a poll, where an entry stands for several counters of it; and the items say which value is whose."""
    options = ["-2", *watch("cpu", CPU), *watch("all", r"*\% Processor Time")]
    rows = tshark.fields(SESSION, "frame.number", "perflibv2.watch_ambiguous", "_ws.expert.message",
                         display_filter="perflibv2.watch.all", options=options)
    expected = watched_values(SESSION, r"*\% Processor Time")
    assert {int(row[0][0]) for row in rows} == set(expected)
    assert any(row[1] for row in rows)
    for (frame,), noted, messages in rows:
        said = [message for message in messages if message.startswith("The pattern of perflibv2.watch.all matches several counters")]
        assert len(noted) == len(said) == (len(expected[int(frame)]) > 1), frame
        assert not any("perflibv2.watch.cpu matches" in message for message in messages)
    text = tshark.run(SESSION, *options, "-V", "-Y", "perflibv2.watch.cpu")
    assert re.search(r"Watched: cpu: [\d.]+ % \(\\\\WIN-PERF01\\Processor Information\(_Total\)\\% Processor Time\)", text)


@pytest.mark.parametrize("protocol", ["perflibv2", "perfdata"])
def test_table_of_the_watch_list(tshark, protocol):
    """How many counters each entry stands for, and how many values they have."""
    capture = CAPTURES / "both-apis.pcapng"
    patterns = {"cpu": r"\Processor*(_Total)\% Processor Time", "all": r"*\% Processor Time", "none": "*no such counter"}
    options = [option for name, pattern in patterns.items() for option in watch(name, pattern)]
    output = tshark.run(capture, "-2", "-q", *options, *watch("cpu", "*"), "-z", f"{protocol},watch", "-z", f"{protocol},counters",
                        check=False)
    table, counters = (output.split(title)[1].split("=====")[0] for title in ("Watch List:", "Counters:"))
    table, counters = table_rows(table), counters_of(counters)
    samples = {path: int(cells[1]) for path, cells in counters.items() if int(cells[1])}
    assert len(table) == 4
    for name, *cells in table[:3]:
        pattern = patterns[name]
        matched = {path: count for path, count in samples.items() if matches(r"\\*" + pattern if pattern.startswith("\\") else pattern, path)}
        assert cells[:2] == [str(len(matched)), str(sum(matched.values()))]
        assert cells[2] == {0: "matches no counter of the capture", 1: "matches one counter"}.get(
            len(matched), "matches several: make the pattern exact")
        assert cells[3] in (matched or [""]) and cells[4] == pattern
    assert table[3] == ["cpu", "0", "0", "not used: another row has the same name", "", "*"]
    assert [row[1] != "0" for row in table] == [True, True, False, False]


@pytest.mark.parametrize("protocol, own, others", [
    ("perflibv2", "new", ["old", "matches only counters of the older API"]), ("perfdata", "old", ["new", "matches only counters of PerflibV2"])])
def test_an_entry_of_the_other_api(tshark, protocol, own, others):
    """Each table says which entries are of the other's counters."""
    options = [*watch("new", r"*\Processor Information(_Total)\% Processor Time"), *watch("old", r"*\Processor(_Total)\% Processor Time"),
               *watch("none", "*no such counter")]
    rows = table_rows(tshark.run(CAPTURES / "both-apis.pcapng", "-2", "-q", *options, "-z", f"{protocol},watch"))
    assert {row[0]: row[3] for row in rows} == {own: "matches one counter", others[0]: others[1], "none": "matches no counter of the capture"}


def test_first_entry_of_a_name_has_the_field(tshark):
    """The first entry has the field, and that is said."""
    options = [*watch("cpu", CPU), *watch("cpu", r"*\Interrupts/sec")]
    assert 'two rows have the name "cpu"' in tshark.complaint(SESSION, "-c1", *options)
    rows = tshark.fields(SESSION, "frame.number", "perflibv2.watch.cpu", display_filter="perflibv2.watch.cpu", options=["-2", *options])
    expected = watched_values(SESSION, CPU)
    assert rows and all(same(row[1], expected[int(row[0][0])]) for row in rows)


@pytest.mark.parametrize(
    "name, pattern, complaint",
    [
        ("", "*", "Enter a name"),
        ("my cpu", "*", "can't be the name of a field because of its ' '"),
        ("cpu%", "*", "can't be the name of a field because of its '%'"),
        ("cpu", "", "Enter a path pattern"),
    ],
)
def test_bad_entries_are_refused(tshark, name, pattern, complaint):
    assert complaint in tshark.complaint(SESSION, *watch(name, pattern))


def test_both_protocols_share_a_field_and_its_values(tshark):
    """The older API of the same server, at the same moments: the same values in the same field."""
    capture = CAPTURES / "both-apis.pcapng"
    pattern = r"*\Processor*(_Total)\% Processor Time"
    options = ["-2", *watch("cpu", pattern)]
    values = {
        protocol: [row[0][0] for row in tshark.fields(capture, "perflibv2.watch.cpu", options=options,
                                                      display_filter=f"{protocol} && perflibv2.watch.cpu")]
        for protocol in ("perflibv2", "perfdata")
    }
    expected = [number for of_frame in watched_values(capture, pattern).values() for number in of_frame]
    assert same(values["perflibv2"], expected) and values["perfdata"] == values["perflibv2"] and len(values["perfdata"]) > 1


@pytest.mark.parametrize("limit", [0, 10, 40, 300])
def test_watched_values_are_found_beyond_the_limit(tshark, limit):
    for pattern in (CPU, r"*(_Total)\*/sec"):
        check_watched(tshark, pattern, "-o", f"perflibv2.max_items:{limit}")


@pytest.fixture(scope="module")
def everything(tshark):
    """All polls without a limit."""
    return tshark.packets(SESSION, two_pass=True, display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")


@pytest.mark.parametrize("limit", [0, 10, 40, 300])
def test_limit_of_items_leaves_the_return_code(tshark, everything, limit):
    """What is left out is said so; the return code stays; no poll holds more than the limit and what always stands."""
    limited = tshark.packets(SESSION, "-o", f"perflibv2.max_items:{limit}", two_pass=True,
                             display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    assert len(everything) == len(limited)
    for whole, cut in zip(everything, limited, strict=True):
        whole, cut = (next(protocol for protocol in protocols if protocol.name == "perflibv2") for protocols in (whole, cut))
        assert cut.first("perflibv2.return_code").show == whole.first("perflibv2.return_code").show
        missing = len(whole.find("perflibv2.value")) - len(cut.find("perflibv2.value"))
        assert bool(cut.find("perflibv2.left_out")) == (len(list(whole.walk())) > len(list(cut.walk())))
        assert not missing or cut.find("perflibv2.left_out")
        # The data header and what stands around it, members of its time included.
        assert len(list(cut.walk())) <= limit + 50


def test_a_value_costs_six_items(everything):
    """Items are what a poll of many values costs: path, two sizes, raw value, cooked value, formula; or reason, PDH's code."""
    for path in some(path for protocols in everything for protocol in protocols for path in protocol.find("perflibv2.path")):
        has_six = path.first("perflibv2.cooked") or path.first("perflibv2.cooked.pdh")
        assert len(list(path.walk())) == (6 if has_six else 5)
