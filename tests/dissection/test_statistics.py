# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and CSV of recorded captures, every cell against the record."""

import csv
import re
from fractions import Fraction

import pytest

from lib.captures import options_for, record_of, recorded_captures
from lib.tables import filetime_text, table_rows
from lib.values import without_lone_surrogates

# Types without a value of their own have no column and no row.
NEVER_DISPLAYED = {
    "PERF_COUNTER_NODATA",
    "PERF_SAMPLE_BASE",
    "PERF_AVERAGE_BASE",
    "PERF_RAW_BASE",
    "PERF_LARGE_RAW_BASE",
    "PERF_PRECISION_TIMESTAMP",
    "PERF_COUNTER_MULTI_BASE",
}
CLOSE = Fraction(1, 10**12)

# Captures that do not tell all that their peers knew. What is shown must be right, but not all is shown.
INCOMPLETE = {
    "mid-capture",      # starts after counters were added
    "no-counter-info",  # no index map
    "no-registration",  # no names
}


@pytest.fixture
def record(recorded):
    content = record_of(recorded)
    for key in ("expected_cooked_values", "expected_not_computable"):
        for value in content.get(key, []):
            if "path" in value:
                value["path"] = without_lone_surrogates(value["path"])
    if not any("path" in value for value in content.get("expected_cooked_values", [])):
        pytest.skip("the record names no counter paths")
    return content


def poll_times(record):
    """When each poll was taken, by number of the call; in the order of the answers."""
    return {
        call["n"]: call["response"]["lpData"]["PerfTime100NSec"]
        for call in sorted(record["calls"], key=lambda call: call.get("response_frame") or 0)
        if call["opnum"] == 6 and (call.get("response") or {}).get("lpData")
    }


def name_of(value):
    """Whose instance it is, and its name without #index."""
    return value.get("server"), value["counterset"], re.sub("#[0-9]+$", "", value.get("instance") or "")


def ambiguous_names(record):
    """Names that several instances of a counterset have at one time or another."""
    ids = {}
    for key in ("expected_cooked_values", "expected_not_computable"):
        for value in record[key]:
            if value.get("instance"):
                ids.setdefault((*name_of(value), value["instance"]), set()).add(value["instance_id"])
    return {name[:-1] for name, instances in ids.items() if len(instances) > 1}


def expected_values(record):
    """(call, path, exact value, whether it is whole) of every value with a path, in the order of the answers.

    Two identifiers of a query may name the same counter: it is one sample all the same. Instances of one name
    are left out: a path alone does not tell them apart.
    """
    ambiguous = ambiguous_names(record)
    order = {call: number for number, call in enumerate(poll_times(record))}
    values = {}
    for value in record["expected_cooked_values"]:
        if "path" in value and name_of(value) not in ambiguous:
            values.setdefault((order[value["to_call"]], value["to_call"], value["path"]), value)
    return [
        (call, path, Fraction(value["exact"]), value["formula"] in ("N1", "N1-N0"))
        for (_, call, path), value in sorted(values.items(), key=lambda item: item[0][0])
    ]


def shown_paths(record):
    """Every path that has a column and a row."""
    ambiguous = ambiguous_names(record)
    return {
        value["path"]
        for key in ("expected_cooked_values", "expected_not_computable")
        for value in record[key]
        if "path" in value
        and value.get("type") not in NEVER_DISPLAYED
        and value.get("reason") != "text"
        and name_of(value) not in ambiguous
    }


def test_pdh_csv(tshark, recorded, record, tmp_path):
    tmp_path.chmod(0o777)
    output = tmp_path / "polls.csv"
    tshark.run(recorded, *options_for(recorded), "-2", "-q", "-z", f"perflibv2,pdh-csv,{output}")
    with output.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)

    assert header[0] == "(PDH-CSV 4.0) (UTC)(0)"
    assert len(set(header)) == len(header), "two columns of one path"
    complete = recorded.stem not in INCOMPLETE
    shown = shown_paths(record)
    if complete:
        assert not shown - set(header[1:])
    times = poll_times(record)
    assert [row[0] for row in rows] == [filetime_text(time) for time in sorted(set(times.values()))]

    expected = {}
    for call, path, value, is_whole in expected_values(record):
        expected.setdefault((filetime_text(times[call]), path), (value, is_whole))
    checked = 0
    for row in rows:
        for path, cell in zip(header[1:], row[1:]):
            value, is_whole = expected.get((row[0], path), (None, False))
            if cell == " " and not complete:
                continue
            if is_whole:
                checked += 1
                assert int(cell) == value, (row[0], path)
            elif value is not None:
                checked += 1
                assert abs(Fraction(cell) - value) <= abs(value) * CLOSE, (row[0], path)
            elif path in shown:
                assert cell == " ", (row[0], path)
    assert checked == len(expected) or not complete


def test_counters(tshark, recorded, record):
    if recorded.stem in INCOMPLETE:
        pytest.skip("not all values can be named")
    output = tshark.run(recorded, *options_for(recorded), "-2", "-q", "-z", "perflibv2,counters")
    rows = {row[0]: row[1:] for row in table_rows(output)}

    values = {path: [] for path in shown_paths(record)}
    for _, path, value, _ in expected_values(record):
        values[path].append(value)
    units = {value["path"]: value["unit_label"] for value in record["expected_cooked_values"] if "path" in value}
    assert not set(values) - set(rows)
    for path, samples in values.items():
        unit, count, *numbers = rows[path]
        assert int(count) == len(samples), path
        if not samples:
            assert numbers == [], path
            continue
        assert unit == units[path], path
        expected = [samples[0], samples[-1], min(samples), sum(samples) / len(samples), max(samples)]
        for number, value in zip(numbers, expected, strict=True):
            assert abs(Fraction(number) - value) <= abs(value) * CLOSE, path


def test_a_single_poll_in_two_passes(tshark):
    """The same poll is handed on again where nothing else was in between."""
    session = next(capture for capture in recorded_captures() if capture.stem == "tcp-session")
    first_poll = min(call["response_frame"] for call in record_of(session)["calls"]
                     if call["opnum"] == 6 and (call.get("response") or {}).get("lpData", {}).get("blocks"))
    options = ["-c", first_poll, "-q", "-z", "perflibv2,counters"]
    rows = table_rows(tshark.run(session, *options))
    assert rows and table_rows(tshark.run(session, "-2", *options)) == rows
