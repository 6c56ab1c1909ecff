# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and CSV of recorded captures, every cell against the record."""

import csv
import json
import re
from collections import namedtuple
from datetime import datetime, timezone
from fractions import Fraction
from functools import lru_cache

import pytest

from lib.captures import CAPTURES, all_captures, options_for, record_of
from lib.prometheus import create_blocks, dump, openmetrics, read_openmetrics
from lib.some import some
from lib.tables import counters_of, filetime_text, same_digits, table_rows, time_text
from lib.values import without_lone_surrogates

CLOSE = Fraction(1, 10**12)

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

# Captures that do not tell all that their peers knew. What is shown must be right, but not all is shown.
INCOMPLETE = {
    "mid-capture",      # starts after counters were added
    "no-counter-info",  # no index map
    "no-registration",  # no names
}

# What UNIT of OpenMetrics says -> as shown
UNITS = {None: "", "percent": "%", "per_second": "/s", "seconds": "s"}

# exact: Fraction, or None where there is no value; unit: as shown
Sample = namedtuple("Sample", "exact is_whole unit text")
NO_VALUE = Sample(None, False, "", None)
Poll = namedtuple("Poll", "time samples")   # samples: path -> Sample


def perflibv2_polls(record):
    """The polls of a session, in the order of the answers."""
    polls = {
        call["n"]: Poll(filetime_text(call["response"]["lpData"]["PerfTime100NSec"]), {})
        for call in sorted(record["calls"], key=lambda call: call.get("response_frame") or 0)
        if call["opnum"] == 6 and (call.get("response") or {}).get("lpData")
    }
    ambiguous = ambiguous_names(record)
    for value in [*record["expected_cooked_values"], *record["expected_not_computable"]]:
        if "path" not in value or value["type"] in NEVER_DISPLAYED or name_of(value) in ambiguous:
            continue
        sample = NO_VALUE
        if "exact" in value:
            is_whole = value["formula"] in ("N1", "N1-N0")
            sample = Sample(Fraction(value["exact"]), is_whole, value["unit_label"], None)
        # Two identifiers of a query may name the same counter: it is one sample all the same.
        polls[value["to_call"]].samples.setdefault(without_lone_surrogates(value["path"]), sample)
    return list(polls.values())


def name_of(value):
    """Whose instance it is, and its name without #index."""
    return value.get("server"), value["counterset"], re.sub("#[0-9]+$", "", value.get("instance") or "")


def ambiguous_names(record):
    """Names that several instances have at one time or another: a path does not always tell them apart."""
    ids = {}
    for value in [*record["expected_cooked_values"], *record["expected_not_computable"]]:
        if value.get("instance"):
            ids.setdefault((*name_of(value), value["instance"]), set()).add(value["instance_id"])
    return {name[:-1] for name, instances in ids.items() if len(instances) > 1}


def perfdata_polls(record):
    """The answers that hold values, in their order."""
    polls = []
    for call in record["calls"]:
        if not call.get("values"):
            continue
        time = next(value for name, value in call["members"] if name == "perfdata.data_block.perf_time_100nsec")
        samples = {}
        for value in call["values"]:
            if "path" not in value or value["type"] in NEVER_DISPLAYED:
                continue
            sample = NO_VALUE._replace(text=value.get("text"))
            if "cooked" in value:
                cooked = value["cooked"]
                sample = Sample(Fraction(cooked["exact"]), cooked["formula"] in ("N1", "N1-N0"), cooked["unit_label"], None)
            samples[value["path"]] = sample
        polls.append(Poll(time_text(datetime.fromisoformat(time).replace(tzinfo=None)), samples))
    return polls


@lru_cache(maxsize=None)
def polls_of(capture):
    """(filter name, polls) of a capture whose record says what its values come to, or None."""
    record = record_of(capture)
    if record and any("path" in value for value in record.get("expected_cooked_values", [])):
        return "perflibv2", perflibv2_polls(record)
    if record and any("cooked" in value for call in record.get("calls", []) for value in call.get("values") or []):
        return "perfdata", perfdata_polls(record)
    return None


MEASURED = [capture for capture in all_captures() if polls_of(capture)]


COMPLETE = [capture for capture in MEASURED if capture.stem not in INCOMPLETE]


@pytest.fixture(params=MEASURED, ids=[capture.stem for capture in MEASURED])
def measured(request):
    return request.param


@pytest.fixture(scope="module")
def made(tshark, tmp_path_factory):
    """What one tshark makes of a capture: the folder of polls.csv, samples.csv and samples.ndjson, and the table of counters."""

    @lru_cache(maxsize=None)
    def make(capture, protocol):
        folder = tmp_path_factory.mktemp("made")
        folder.chmod(0o777)
        wanted = "counters", f"pdh-csv,{folder / 'polls.csv'}", f"samples,{folder / 'samples.csv'}", f"samples,{folder / 'samples.ndjson'}"
        tables = [argument for table in wanted for argument in ("-z", f"{protocol},{table}")]
        return folder, tshark.run(capture, *options_for(capture), "-2", "-q", *tables)

    return make


def check_cell(cell, sample, where):
    if sample.text is not None:
        assert cell == sample.text, where
    elif sample.exact is None:
        assert cell == " ", where
    elif sample.is_whole:
        assert cell == str(sample.exact), where
    else:
        assert abs(Fraction(cell) - sample.exact) <= abs(sample.exact) * CLOSE, where


def test_pdh_csv_has_the_values_recorded(made, measured):
    protocol, polls = polls_of(measured)
    complete = measured.stem not in INCOMPLETE
    with (made(measured, protocol)[0] / "polls.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)

    assert header[0] == "(PDH-CSV 4.0) (UTC)(0)"
    assert len(set(header)) == len(header), "two columns of one path"
    paths = {path for poll in polls for path in poll.samples}
    if complete:
        assert not paths - set(header)

    # Rows of one time are one, in which the first value of a counter stands.
    expected = {poll.time: {} for poll in polls}
    for poll in polls:
        for path, sample in poll.samples.items():
            if expected[poll.time].get(path, NO_VALUE) == NO_VALUE:
                expected[poll.time][path] = sample
    if complete:
        assert [time for time in (row[0] for row in rows) if time in expected] == sorted(expected)
    checked = 0
    for row in rows:
        for path, cell in zip(header[1:], row[1:], strict=True):
            if path in paths and (complete or cell != " "):
                # A poll without any value the record speaks of has a row too.
                check_cell(cell, expected.get(row[0], {}).get(path, NO_VALUE), (row[0], path))
                checked += cell != " "
    values = sum(sample != NO_VALUE for samples in expected.values() for sample in samples.values())
    assert checked == values or not complete


REASONS = {"first sample", "instance new", "counter decreased", "zero base", "type unknown"}


@pytest.mark.parametrize("measured", COMPLETE, ids=[capture.stem for capture in COMPLETE])
def test_counters_table_has_the_values_recorded(made, measured):
    protocol, polls = polls_of(measured)
    rows = counters_of(made(measured, protocol)[1])
    # Why there is no value stands in the place of the unit.
    reasons = {}
    for value in record_of(measured).get("expected_not_computable", []):
        if "path" in value:
            reasons.setdefault(without_lone_surrogates(value["path"]), set()).update([value["reason"], *value.get("reason_also", [])])

    samples = {}
    for poll in polls:
        for path, sample in poll.samples.items():
            if sample.text is None:
                samples.setdefault(path, []).extend([] if sample.exact is None else [sample])
    for path, counted in some(samples.items()):
        unit, count, *numbers, frame = rows[path]
        assert int(count) == len(counted), path
        if not counted:
            assert not any(numbers) and not frame, path
            assert unit.split(" (")[0] in reasons.get(path, REASONS), path
            continue
        values = [sample.exact for sample in counted]
        assert unit == counted[0].unit, path
        expected = [values[0], values[-1], min(values), sum(values) / len(values), max(values)]
        for column, (number, value) in enumerate(zip(numbers, expected, strict=True)):
            # Where there is no room the first is left out.
            if column == 0 and number == "":
                continue
            # Of a sum of doubles that cancel out little is left.
            if column == 3 and min(values) < 0 < max(values) and abs(Fraction(number) - value) <= max(map(abs, values)) / 2**52:
                continue
            # A mean of addresses or flags means nothing.
            assert same_digits(number, value) if column != 3 or "0x" not in numbers[1] else number == "", path
        assert int(frame) > 0, path


def test_a_single_poll_in_two_passes(tshark):
    """The same poll is handed on again where nothing else was in between."""
    session = CAPTURES / "tcp-session.pcapng"
    first_poll = min(
        call["response_frame"]
        for call in record_of(session)["calls"]
        if call["opnum"] == 6 and (call.get("response") or {}).get("lpData", {}).get("blocks")
    )
    options = ["-c", first_poll, "-q", "-z", "perflibv2,counters"]
    rows = table_rows(tshark.run(session, *options))
    assert rows and table_rows(tshark.run(session, "-2", *options)) == rows


def read_samples(folder):
    """The rows of samples as dicts without what there is not; CSV and JSON say the same."""
    objects = [json.loads(line) for line in (folder / "samples.ndjson").read_text(encoding="utf-8").splitlines()]
    with (folder / "samples.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    for cells, item in zip(rows, objects, strict=True):
        row = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
        if row == {name: value if isinstance(value, str) else repr(value) for name, value in item.items()}:
            continue
        assert row.keys() == item.keys()
        for name, value in item.items():
            assert unguarded(row[name]) == (value if isinstance(value, str) else repr(value)) or float(row[name]) == value
    return objects


def unguarded(cell):
    return cell[1:] if re.match("'[=+@-]", cell) else cell


def path_of(row):
    instance = f"({row['instance']})" if "instance" in row else ""
    return f"\\\\{row['server']}\\{row['counterset']}{instance}\\{row['counter']}"


def iso(time):
    """What PDH-CSV writes, as the samples have it, without what is below a millisecond."""
    return datetime.strptime(time, "%m/%d/%Y %H:%M:%S.%f").isoformat(timespec="milliseconds")


def test_samples_have_every_value_recorded(made, measured):
    """Every value that the record has stands in a row, with what it was cooked to."""
    protocol, polls = polls_of(measured)
    complete = measured.stem not in INCOMPLETE
    rows = {}
    for row in read_samples(made(measured, protocol)[0]):
        rows.setdefault((row["time"][:23], path_of(row)), []).append(row)
    checked = 0
    for poll in polls:
        for path, sample in poll.samples.items():
            # Several handles may be polled at one time.
            found = rows.get((iso(poll.time), path), [])
            assert not complete or any(is_sample(row, sample) for row in found), (path, sample, found)
            cooked = [row for row in found if "cooked" in row]
            assert complete or not cooked or any(is_sample(row, sample) for row in cooked), (path, sample, found)
            checked += len(found)
    assert checked


def is_sample(row, sample):
    if row.get("text") != (sample.text or None) or ("cooked" in row) == ("reason" in row):
        return False
    if sample.exact is None:
        return "cooked" not in row
    if "cooked" not in row or row.get("unit", "") != sample.unit:
        return False
    if sample.is_whole:
        return row["cooked"] == sample.exact
    return abs(Fraction(row["cooked"]) - sample.exact) <= abs(sample.exact) * CLOSE


OPENMETRICS = ["both-apis", "counter-reset-and-wrap", "instances-come-and-go", "locale", "perfdata-windows", "two-servers"]


@pytest.mark.parametrize("name", OPENMETRICS)
def test_openmetrics_has_every_value_recorded(made, tmp_path, name):
    """Every value that the record has, and Prometheus holds them all."""
    protocol, polls = polls_of(CAPTURES / f"{name}.pcapng")
    file = tmp_path / "polls.om"
    file.write_text(openmetrics(made(CAPTURES / f"{name}.pcapng", protocol)[0] / "samples.csv"), encoding="utf-8")
    families = read_openmetrics(file.read_text(encoding="utf-8"))

    found, written = {}, 0
    for family in families.values():
        for labels, samples in family.series.items():
            written += len(samples)
            for value, time in samples:
                iso_time = datetime.fromtimestamp(int(time.split(".")[0]), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + time.split(".")[1][:3]
                found[iso_time, path_of(dict(labels))] = value, UNITS[family.metadata.get("UNIT")]
    checked = {}
    for poll in polls:
        for path, sample in poll.samples.items():
            where = iso(poll.time), path
            if sample.exact is None:
                assert where in checked or where not in found or sample.text is None, where
            elif where not in checked:
                value, unit = found[where]
                checked[where] = abs(Fraction(value) - sample.exact) <= (0 if sample.is_whole else abs(sample.exact) * CLOSE)
                assert unit == sample.unit, where
                assert checked[where], (where, value, sample)
    assert checked and len(checked) <= written

    held = dump(create_blocks(file, tmp_path / "tsdb"))
    expected = {
        labels | {("__name__", name)}: [(float(value), int(float(time) * 1000)) for value, time in samples]
        for name, family in families.items() for labels, samples in family.series.items()
    }
    assert held == expected


def test_samples_hold_what_values_were_cooked_from(made):
    """Raw values, bases, types, ids and polls: cooked again they give the same."""
    session = CAPTURES / "tcp-session.pcapng"
    record = record_of(session)
    frames = {call["n"]: call.get("response_frame") for call in record["calls"]}
    times = {call["n"]: call["response"]["lpData"]["PerfTime100NSec"] for call in record["calls"]
             if call["opnum"] == 6 and (call.get("response") or {}).get("lpData")}
    rows = {(row["frame"], path_of(row)): row for row in read_samples(made(session, "perflibv2")[0])}
    bases = 0
    for value in record["expected_cooked_values"]:
        row = rows.get((frames[value["to_call"]], without_lone_surrogates(value.get("path", ""))))
        if row is None:
            assert value["type"] in NEVER_DISPLAYED or "path" not in value
            continue
        inputs = value.get("inputs", {})
        assert row["raw"] == inputs.get("N1", row["raw"]), value
        if row["type"].startswith(("PERF_AVERAGE", "PERF_SAMPLE_FRACTION", "PERF_RAW_FRACTION", "PERF_LARGE_RAW_FRACTION")):
            assert row.get("base") == inputs.get("B1"), value
            bases += "base" in row
        assert row["counterset_guid"] == value["counterset"] and row["counter_id"] == value["counter_id"], value
        assert row["server_address"] == "127.0.0.1" and row["known_by"] in ("map", "inferred"), value
        assert row["type"] == value["type"] and row.get("instance_id") == value.get("instance_id"), value
        if "from_call" in value:
            assert row["previous_frame"] == frames[value["from_call"]], value
            assert row["interval"] == pytest.approx((times[value["to_call"]] - times[value["from_call"]]) / 1e7, abs=1e-9)
        assert row["client"] == "127.0.0.1"
    assert bases
    queries = {row["query"] for row in rows.values()}
    assert queries <= {str(number) for number in range(1, len(record["query_handles"]) + 1)}


AGGREGATE = {1: sum, 2: lambda values: sum(values) / len(values), 3: min, 4: max}


def aggregates_of(record):
    """(call, path without an instance) -> what a client makes of the values of all instances, by 2.2.4.1 and 2.2.4.2."""
    functions = {
        (server, guid, int(number)): (AGGREGATE[counter["AggregateFunc"]], f"\\\\{server}\\{counterset['names']['0']}\\{counter['names']['0']}")
        for server, sets in record["catalog"].items() for guid, counterset in sets.items() if counterset.get("InstanceType") in (4, 6, 12)
        for number, counter in counterset["counters"].items() if counter.get("AggregateFunc") and "names" in counter
    }
    instances = {}
    for value in record["expected_cooked_values"]:
        key = value["server"], value["counterset"], value["counter_id"]
        if key in functions:
            # Two identifiers may name the same instance.
            instances.setdefault((value["to_call"], key), {})[value["instance_id"], value["instance"]] = Fraction(value["exact"])
    return {(call, functions[key][1]): (functions[key][0](list(values.values())), len(values)) for (call, key), values in instances.items()}


@pytest.mark.parametrize("name", ["tcp-session", "smb2-session"])
def test_aggregates_are_those_of_the_recorded_instances(made, name):
    """Against what the peers' record says of each instance: samples, PDH-CSV, the table."""
    capture = CAPTURES / f"{name}.pcapng"
    record = record_of(capture)
    frames = {call["n"]: call.get("response_frame") for call in record["calls"]}
    expected = {(frames[call], path): value for (call, path), value in aggregates_of(record).items()}
    folder, table = made(capture, "perflibv2")
    found = {(row["frame"], path_of(row)): row for row in read_samples(folder) if "aggregated_from" in row}
    assert found.keys() == expected.keys() and len(expected) > 3
    for key, (value, count) in expected.items():
        assert Fraction(found[key]["cooked"]) == value and found[key]["aggregated_from"] == count, key
    rows = counters_of(table)
    with (folder / "polls.csv").open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    for path in {path for _, path in expected}:
        polled = sorted((frame, *value) for (frame, other), value in expected.items() if other == path)
        values = [value for _, value, _ in polled]
        assert [float(cell) for cell in rows[f"{path} (aggregated from {polled[-1][2]} instances)"][3:7]] == pytest.approx(
            [float(value) for value in (values[-1], min(values), sum(values) / len(values), max(values))], abs=0.0005)
        cells = [line[header.index(path)] for line in lines]
        assert [Fraction(cell) for cell in cells if cell != " "] == values
