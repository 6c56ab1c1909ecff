# SPDX-License-Identifier: GPL-2.0-or-later
"""plugin/report/page.js: what it makes of rows, in Node, without a page."""

import json
import subprocess

import pytest

from lib.captures import REPOSITORY

SCRIPT = REPOSITORY / "plugin" / "report" / "page.js"


def ask(expression, **values):
    """What an expression of the script's functions comes to. NaN is "NaN"."""
    program = (f"const {{parseRows, grouped, cellText, chartsOf, matrixOf, thinnedRows, rangeOf, missingGroups, clockText, matches, compareCells}} = "
               f"require({json.dumps(str(SCRIPT))});\nconst {{{', '.join(values)}}} = {json.dumps(values)};\n"
               f"console.log(JSON.stringify({expression}, (key, value) => Number.isNaN(value) ? 'NaN' : value));")
    return json.loads(subprocess.run(["node", "-e", program], check=True, capture_output=True, text=True, timeout=60).stdout)


@pytest.mark.parametrize(("value", "text"), [
    (None, ""), (0, "0"), (7, "7"), (1234, "1\u202f234"), (-1234567, "-1\u202f234\u202f567"), (0.5, "0.5"), (15.000007996, "15"),
    (1234.5678, "1\u202f234.57"), (123456.789, "123\u202f456.8"), (0.000001234567, "0.00000123457"), (1e-9, "1e-9"), (1e300, "1e+300"),
    # 2^64 - 1: as a string, all digits.
    ("18446744073709551615", "18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615"), ("1 day", "1 day"), ("0x1F", "0x1F"),
])
def test_cells_show_numbers_as_people_read_them(value, text):
    assert ask("cellText(value)", value=value) == text


def counter(path, **more):
    machine, counterset, instance, name = path
    return {"path": f"\\\\{machine}\\{counterset}({instance})\\{name}", "server": machine, "counterset": counterset, "counterset_id": None,
            "instance": instance, "counter": name, "counter_id": None, "unit": None, "min": 0, "max": 10, **more}


def tables(rows, curves=None, **more):
    return {"perfdata-counters": rows, "curves": curves if curves is not None else [
        {"of": "perfdata-counters", "row": at, "clock": 0, "t": [0, 1000], "v": [row["min"], row["max"]]} for at, row in enumerate(rows)], **more}


def names(rows, **more):
    return ask("chartsOf(tables).map(c => [c.row.counterset, c.row.counter, c.series.map(s => s.row.instance)])", tables=tables(rows, **more))


def test_charts_have_all_instances_and_no_identifiers():
    rows = [counter(("PC", "Process", "a", "% Processor Time")), counter(("PC", "Process", "b", "% Processor Time"), min=9),
            counter(("PC", "Process", "_Total", "% Processor Time"), min=9.5), counter(("PC", "Process", "a", "ID Process")),
            counter(("OTHER", "Process", "a", "% Processor Time"), min=9.9)]
    assert names(rows) == [["Process", "% Processor Time", ["_Total", "a", "b"]], ["Process", "% Processor Time", ["a"]]]


def test_what_people_look_at_comes_first_then_what_changed_most():
    """By name, and by the number of the older API's object (238: Processor, 6: % Processor Time), in any language."""
    rows = [counter(("PC", "App", "", "calm"), min=9), counter(("PC", "App", "", "wild"), min=-10), counter(("PC", "System", "", "Processor Queue Length")),
            counter(("PC", "Network Interface", "e", "Bytes Total/sec")), counter(("PC", "PhysicalDisk", "0", "% Disk Time")),
            counter(("PC", "Memory", "", "Available Bytes"), min=9.9), counter(("PC", "Prozessor", "0", "Prozessorzeit (%)"), counterset_id="238", counter_id=6)]
    assert [name for _, name, _ in names(rows)] == ["Prozessorzeit (%)", "Available Bytes", "% Disk Time", "Bytes Total/sec", "Processor Queue Length",
                                                    "wild", "calm"]
    # The user's own list is above what changed.
    watch = [{"first_counter": rows[0]["path"]}]
    assert [name for _, name, _ in names(rows, **{"perflibv2-watch": watch})][-2:] == ["calm", "wild"]


def test_times_are_those_of_the_curve_before_where_a_curve_has_none():
    rows = [counter(("PC", "A", "", "x")), counter(("PC", "A", "", "y"))]
    curves = [{"of": "perfdata-counters", "row": 0, "t": [5, 6], "v": [1, 2]}, {"of": "perfdata-counters", "row": 1, "v": [3, 4]}]
    assert ask("chartsOf(tables).map(c => c.series[0].t)", tables=tables(rows, curves)) == [[5, 6], [5, 6]]


def test_times_are_in_order_and_gaps_between_neighbours():
    """A gap is NaN between its neighbours, other times are null; times are in order, and values of one time stay."""
    series = [{"t": [0, 10, 30], "v": [1, 2, 3], "gaps": [2]}, {"t": [20, 10, 10], "v": [4, 5, 6], "gaps": []}]
    rows = ask("matrixOf(series.map(one => ({...one, gaps: new Set(one.gaps)})))", series=series)
    assert rows == [[0, 1, None], [10, 2, 5], [10.001, None, 6], [20, "NaN", 4], [30, 3, None]]


@pytest.mark.parametrize(("values", "unit", "range"), [
    ([3, 40], "%", [0, 100]), ([3, 200], "%", [0, 209.85]), ([-25, 40], "%", [-25, 100]), ([10, 110], None, [0, 115]), ([100, 110], None, [99.5, 110.5]),
])
def test_axis_has_room_for_all_values_and_for_percent(values, unit, range):
    assert ask("rangeOf([{v: values}], unit)", values=values, unit=unit) == pytest.approx(range)


def test_long_curves_have_an_axis():
    assert ask("rangeOf([{v: Array.from({length: 500000}, (_, i) => i)}], null)")[0] == 0


def test_identifiers_in_any_language():
    """230 and 232 are Process and Thread; 784, 804 and 1410 are ID Process, ID Thread and Creating Process ID."""
    rows = [counter(("PC", "Vorgang", "a", name), counterset_id=counterset, counter_id=number) for counterset, number, name in
            (("230", 784, "Prozesskennung"), ("230", 1410, "Kennung des Erstellers"), ("232", 804, "Threadkennung"), ("230", 6, "Prozessorzeit (%)"),
             ("4", 784, "anderes"))]
    assert sorted(name for _, name, _ in names(rows)) == ["Prozessorzeit (%)", "anderes"]


@pytest.mark.parametrize("length", [0, 1, 4, 5, 6, 1000])
def test_some_rows_of_many(length):
    """The first, the last, and some between; none that lacks a value where others have all."""
    rows = [[at, at * 2, at + 1] for at in range(length)]
    matrix = [row for at in range(length) for row in ([at - 0.5, None, 1], [at - 0.3, "NaN", None], rows[at])]
    thinned = ask("thinnedRows(matrix.map(row => row.map(cell => cell === 'NaN' ? NaN : cell)), 5)", matrix=matrix)
    assert len(thinned) == min(length, 5) and all(row in rows for row in thinned)
    assert thinned == sorted(thinned) and thinned[:1] == rows[:1] and thinned[-1:] == rows[-1:]


def test_missing_data_is_grouped():
    rows = [{"server": "A", "client": "C", "reason": "r", "pdh": None, "kind": "counter", "times": times, "first_frame": frame, "asked_for": thing}
            for times, frame, thing in ((2, 9, "x"), (1, 5, "y"))] + [
            {"server": "B", "client": "C", "reason": "r", "pdh": None, "kind": "counter", "times": 1, "first_frame": 1, "asked_for": "z"}]
    groups = ask("missingGroups(rows)", rows=rows)
    assert [(group["server"], group["times"], group["first_frame"], group["things"]) for group in groups] == [("A", 3, 5, ["x", "y"]), ("B", 1, 1, ["z"])]


@pytest.mark.parametrize(("clock", "text"), [
    (0.4, "the server\u2019s clock agrees"), (-6.02, "6.02\u00a0s behind"), (300, "5\u00a0min ahead"), (7200, "2\u00a0h ahead"), (-864000, "10\u00a0days behind"),
])
def test_clock_says_how_far_the_servers_is_off(clock, text):
    assert ask("clockText(clock)", clock=clock).endswith(text)


def test_search_finds_words_in_any_order_and_case():
    assert ask("['total PROC', 'proc x', ''].map(search => matches('\\\\\\\\PC\\\\Processor(_Total)\\\\%', search))") == [True, False, True]


def test_cells_are_sorted_as_numbers_first():
    assert ask("[10, null, 9, 'b', 'a', '18446744073709551615'].sort(compareCells)")[-1] is None
    assert ask("['10', 9, 100].sort(compareCells)") == [9, "10", 100]
