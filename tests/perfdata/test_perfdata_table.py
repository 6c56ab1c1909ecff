# SPDX-License-Identifier: GPL-2.0-or-later
"""An object of several instances and counters as a table, an instance a line, as the newer API has it."""

import pytest

from lib.perfdata import built, polled
from lib.some import some
from perfdata.block import Counter, Instance, Object

RAW, TICKS = Counter(5002, "PERF_COUNTER_RAWCOUNT"), Counter(5004, "PERF_COUNTER_COUNTER")


def lines(answer):
    return [item.showname.strip("[]") for item in answer.find("perfdata.table.row")]


def test_table_has_a_row_for_each_instance(tshark, tmp_path):
    """Two polls a second apart: 7 and 9 as they are, 20 and 30 more ticks a second."""
    def poll(seconds, ticks):
        return built(Object(5000, [RAW, TICKS], [Instance("one", [7, ticks]), Instance("other", [9, ticks + 10])]), seconds=seconds)

    first = poll(1, 100)
    second = built(Object(5000, [RAW, TICKS], [Instance("one", [7, 120]), Instance("other", [9, 140])]), seconds=2)
    answers = polled(tshark, tmp_path, first, second)
    assert lines(answers[0]) == ["       5002  5004", "one       7     -", "other     9     -"]
    assert lines(answers[1]) == ["       5002       5004", "one       7  20.000 /s", "other     9  30.000 /s"]
    assert [item.showname.strip("[]") for item in answers[1].find("perfdata.table")] == ["Table of 2 instances, 2 counters"]


def test_table_has_texts_beside_numbers(tshark, tmp_path):
    """A counter whose value is a text: in its column, as wide as the longest."""
    state = Counter(5006, "PERF_COUNTER_TEXT", size=16)
    (answer,) = polled(tshark, tmp_path, built(Object(5000, [RAW, state], [Instance("one", [7, "on"]), Instance("other", [9, "asleep"])])))
    assert lines(answer) == ["       5002    5006", "one       7      on", "other     9  asleep"]


def test_names_of_up_to_24_characters_are_whole(tshark, tmp_path):
    """Of a longer one the first 23 and an ellipsis. Letters count, not bytes; a text is cut as a name is."""
    state = Counter(5006, "PERF_COUNTER_TEXT", size=64)
    names = [letter * length for letter in ("a", "ä") for length in (23, 24, 25)]
    shown = [letter * 23 + end for letter in ("a", "ä") for end in ("", letter, "…")]
    (answer,) = polled(tshark, tmp_path, built(Object(5000, [RAW, state], [Instance(name, [7, name]) for name in names])))
    assert lines(answer)[1:] == [f"{name:24}     7  {name.rjust(24)}" for name in shown]


def test_one_instance_or_counter_needs_no_table(tshark, tmp_path):
    """One instance, one counter, or none at all need no table."""
    for counters, instances in ([RAW, TICKS], [Instance("one", [7, 1])]), ([RAW], [Instance("a", [1]), Instance("b", [2])]):
        (answer,) = polled(tshark, tmp_path, built(Object(5000, counters, instances)))
        assert not answer.find("perfdata.table") and len(answer.values()) == 2


@pytest.mark.parametrize(("instances", "counters"), [(100, 2), (101, 2), (2, 60), (2, 61), (103, 62)])
def test_table_has_at_most_100_instances_and_60_counters(tshark, tmp_path, instances, counters):
    """How many are left out is said. Columns that do not fit into 220 bytes of a line follow in further lines, each with the names."""
    block = Object(5000, [Counter(6000 + 2 * number, "PERF_COUNTER_RAWCOUNT") for number in range(counters)],
                   [Instance(f"i{number:03}", [number] * counters) for number in range(instances)])
    (answer,) = polled(tshark, tmp_path, built(block))
    (table,) = answer.find("perfdata.table")
    shown, columns = min(instances, 100), min(counters, 60)
    more = f" (without {instances - shown} instances, {counters - columns} counters)" if (shown, columns) != (instances, counters) else ""
    assert table.showname.strip("[]") == f"Table of {shown} instances, {columns} counters{more}" and table.generated
    # 4 bytes of a name and 6 of each column: 36 columns take 220.
    groups = [range(begin, min(begin + 36, columns)) for begin in range(0, columns, 36)]
    assert lines(answer) == [line for group in groups for line in [
        " " * 4 + "".join(f"  {6000 + 2 * column}" for column in group),
        *(f"i{number:03}" + f"{number:6}" * len(group) for number in range(shown))]]
    assert all(item.generated for item in some(answer.find("perfdata.table.row")))


@pytest.mark.parametrize("letter", ["a", "\u00e4"])
@pytest.mark.parametrize("length", [3, 4, 5])
def test_width_of_a_line_is_counted_in_bytes(tshark, tmp_path, letter, length):
    """Of the name's column, too: with 4 bytes 36 columns fit, with more 35."""
    (answer,) = polled(tshark, tmp_path, built(Object(5000, [Counter(6000 + 2 * number, "PERF_COUNTER_RAWCOUNT") for number in range(36)],
                                                     [Instance(letter * length, [1] * 36), Instance("b", [2] * 36)])))
    width = len((letter * length).encode())
    assert [len(line.split()) for line in lines(answer)] == ([36, 37, 37] if width <= 4 else [35, 36, 36, 1, 2, 2])
