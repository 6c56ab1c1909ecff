# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,ndjson and -z perflib,csv: every table for programs, the same rows as people see."""

import csv
import json
import re
import sqlite3
from collections import Counter
from fractions import Fraction

import pytest

from lib import perfdata
from lib.captures import CAPTURES, all_captures, options_for
from lib.some import some
from lib.tables import data_tables, read_tables, same_digits
from perfdata.block import Counter as PerfCounter, Instance, Object

# All tables, whatever a capture holds.
TABLES = {"meta", "notes", "findings", "sessions", "pla-sets", "pla-calls", "perflibv2-calls", "perflibv2-rules",
          *(f"{protocol}-{table}" for protocol in ("perflibv2", "perfdata")
            for table in ("counters", "missing", "queries", "usage", "watch"))}
# As -z calls those that a terminal shows row by row; the keys of their columns by their heads.
SHOWN = {"perflibv2-calls": "perflibv2,calls", "pla-calls": "pla,calls", "pla-sets": "pla,sets", "sessions": "perflibv2,sessions",
         **{f"{protocol}-{table}": f"{protocol},{table}" for protocol in ("perflibv2", "perfdata") for table in ("usage", "queries", "watch")}}
KEYS = {
    "Operation": "operation", "Result": "result", "Calls": "calls", "First in frame": "first_frame", "Last in frame": "last_frame",
    "Data collector set": "set", "Server": "server", "Failed": "failed", "Last status": "last_status", "Last error": "last_error",
    "Client": "client", "Over": "over", "For": "wants", "First frame": "first_frame", "Times": "times", "Reached": "stage",
    "Outcome": "outcome", "Authentication": "authentication", "Faults": "faults", "Bytes": "bytes", "Response ms": "response_ms",
    "Slowest ms": "slowest_ms", "Counterset": "counterset", "Polls": "polls", "Values": "values", "Server ms": "server_ms",
    "Share %": "share_percent", "Handle": "handle", "State": "state", "Value": "value", "Answers": "answers", "Largest": "largest",
    "Median s": "median_s", "Longest s": "longest_s", "Name": "name", "Counters": "counters", "Samples": "samples", "Field": "field",
    "First counter": "first_counter", "Pattern": "pattern", "Instances": "instances", "Interval s": "interval_s", "Wasted %": "wasted_percent",
}


def csv_folder(tshark, path, folder, *options):
    folder.mkdir()
    folder.chmod(0o777)
    tshark.run(path, *options, "-q", "-z", f"perflib,csv,{folder}")
    return {file.stem: list(csv.DictReader(file.read_text(encoding="utf-8").splitlines())) for file in folder.glob("*.csv")}


def as_cell(value):
    """What CSV has of a JSON value: a spreadsheet takes no text for a formula, and numbers are written alike."""
    if value is None:
        return ""
    if isinstance(value, str):
        return "'" + value if re.match("'*[=+@-]", value) else value
    return Fraction(str(value))


def same_cell(cell, value):
    if isinstance(value, Fraction):
        return Fraction(cell) == value
    # Whole numbers above 2^53 are texts in JSON.
    return cell in (value, value[1:]) if re.fullmatch(r"'-\d+", value) else cell == value


@pytest.mark.parametrize("path", all_captures(), ids=lambda path: path.stem)
def test_both_forms_and_the_text_agree(tshark, tmp_path, path):
    if path.stem == "big":
        return      # a million values: as the others, but for the time it takes
    options = options_for(path)
    rows = data_tables(tshark, path, *options)
    files = csv_folder(tshark, path, tmp_path / "tables", *options)
    assert files.keys() == TABLES and rows.keys() <= TABLES
    # A tshark that serves many tests does not know the name.
    assert list(rows)[0] == "meta" and rows["meta"][0]["schema"] == 1 and rows["meta"][0]["capture"] in (None, path.name)
    for table in TABLES:
        assert len(files[table]) == len(rows.get(table, []))
        for cells, row in zip(files[table], rows.get(table, [])):
            assert cells.keys() == row.keys()
            assert all(same_cell(cells[key], as_cell(value)) for key, value in some(row.items())), (table, cells, row)
    arguments = [word for command in reversed(SHOWN.values()) for word in ("-z", command)]
    shown = iter(re.split("^=+\n(.*?)^=+\n", tshark.run(path, *options, "-q", *arguments), flags=re.MULTILINE | re.DOTALL)[1::2])
    for table, text in zip(SHOWN, shown):
        (told,) = [rows for rows, _ in read_tables(f"{text}=====")] or [[]]
        assert len(told) == len(rows.get(table, [])), table
        left = Counter(json.dumps(row) for row in rows.get(table, []))
        for line in told:
            # What a client could spare is left out where there is nothing.
            heads = {KEYS[head]: cell for head, cell in line.items() if head in KEYS}
            (found,) = [row for row in list(left) if left[row] and agrees(heads, json.loads(row))][:1] or [None]
            assert found is not None, (table, line)
            left[found] -= 1


def rounded(cell, number):
    """Whether a number is shown so, with fewer digits."""
    return abs(Fraction(cell) - Fraction(str(number))) <= Fraction(51, 100) / 10 ** len(cell.partition(".")[2])


def agrees(heads, row):
    return all(row[key] in (None, 0) if cell == "" else rounded(cell, row[key])
               if isinstance(row[key], (int, float)) else cell.split() == (row[key] or "").split()
               for key, cell in heads.items() if key in row)


def test_counters_have_all_digits(tshark):
    """As the text shows them, and what a double cannot hold as a text."""
    path = CAPTURES / "counter-reset-and-wrap.pcapng"
    rows = {row["path"]: row for row in data_tables(tshark, path)["perflibv2-counters"]}
    (told, _), = read_tables(tshark.run(path, "-q", "-z", "perflibv2,counters"))
    compared = 0
    for line in told:
        row = rows[re.sub(r" \(aggregated from .*\)$", "", line["Counter"])]
        for head in ("Last", "Max", "Min", "Mean"):
            if line[head] and "x" not in line[head]:
                assert same_digits(line[head], Fraction(str(row[head.lower()]))), (line, row)
                compared += 1
    assert compared > 20
    wide = [row["last"] for row in rows.values() if isinstance(row["last"], str)]
    assert [number for number in some(wide) if abs(int(number)) <= 1 << 53] == []


def database(tables):
    """The tables of a capture in SQLite: a table each, a column a key."""
    connection = sqlite3.connect(":memory:")
    for table, rows in tables.items():
        keys = list(rows[0])
        connection.execute(f'CREATE TABLE "{table}" ({", ".join(f"{key!r}" for key in keys)})')
        connection.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(keys))})', [list(row.values()) for row in rows])
    return connection


def test_questions_in_sql(tshark, tmp_path):
    """Three questions of the manual: what costs most, what is missing for which reason, who has to act."""
    peer = perfdata.Peer()
    for seconds in 1, 2, 3:
        data = perfdata.built(Object(230, [PerfCounter(6, "PERF_COUNTER_COUNTER")], [Instance(name, [seconds]) for name in "ab"]),
                              Object(238, [PerfCounter(8, "PERF_COUNTER_RAWCOUNT")], [Instance("c", [seconds])]), seconds=seconds)
        peer.query("230 238 99998", data)
    ask = database(data_tables(tshark, peer.write(tmp_path / "three.pcapng"))).execute
    assert ask('SELECT counterset, "values" FROM "perfdata-usage" ORDER BY bytes DESC').fetchall() == [("Process", 6), ("Processor", 3)]
    assert ask('SELECT reason_code, count(*) FROM "perfdata-missing" GROUP BY reason_code').fetchall() == [("no_object", 1)]
    assert ask("SELECT who_code, code FROM findings").fetchall() == [("server", "no_object")]


def test_tables_without_rows_and_a_filter(tshark, tmp_path):
    """Foreign traffic: each CSV has its header; a filter leaves only what it passes."""
    path = CAPTURES / "foreign.pcapng"
    files = csv_folder(tshark, path, tmp_path / "tables")
    assert {table for table, rows in files.items() if rows} <= {"meta", "notes", "sessions", "perflibv2-rules"}
    for table in some(TABLES):
        assert (tmp_path / "tables" / f"{table}.csv").read_bytes().count(b"\r\n") == 1 + len(files[table])
    whole, part = (data_tables(tshark, CAPTURES / "tcp-session.pcapng", filter=filter) for filter in ("", "frame.number < 100"))
    assert part["meta"][0]["packets"] == 99 < whole["meta"][0]["packets"] and part["meta"][0]["filter"] == "frame.number < 100"
    assert len(part.get("perflibv2-counters", [])) < len(whole["perflibv2-counters"])


def test_a_folder_that_cannot_be_written(tshark, tmp_path):
    for name, words in (("", "needs the name of a folder"), ("nowhere/tables", "doesn't exist")):
        target = f",{tmp_path}/{name}" if name else ""
        result = tshark.result("-r", CAPTURES / "tcp-session.pcapng", "-q", "-z", f"perflib,csv{target}")
        assert words in result.stderr.decode()


def test_every_key_is_in_the_manual(tshark):
    """The manual's table of keys has those that are written, and no others."""
    page = (CAPTURES.parent / "plugin" / "manual" / "data.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \|$", page, re.MULTILINE)
    told = {table: re.findall(r"`(\w+)`", keys) for tables, keys in rows for table in re.findall(r"`([\w-]+)`", tables)}
    assert told.keys() == TABLES
    for name in "both-apis", "habits", "pla-session", "faults-tcp":
        for table, written in some(data_tables(tshark, CAPTURES / f"{name}.pcapng").items()):
            assert told[table] == list(written[0]), table


def test_counters_by_their_paths(tshark):
    """Patterns as on the watch list, with commas of instances; a filter may follow."""
    path = CAPTURES / "both-apis.pcapng"
    patterns = r"path=\Processor Information(0,_Total)\% Processor Time", r"path=*\Context Switches/sec"
    asked = tshark.run(path, "-q", "-z", f"perflibv2,samples,-,{patterns[0]},frame.number > 0").splitlines()
    assert {row["counter"] for row in csv.DictReader(asked)} == {"% Processor Time"}
    assert {row["instance"] for row in csv.DictReader(asked)} == {"0,_Total"}
    header = next(csv.reader(tshark.run(path, "-q", "-z", f"perflibv2,pdh-csv,-,{','.join(patterns)}").splitlines()))
    assert [column.partition("\\Processor")[2] for column in some(header[1:])] == [" Information(0,_Total)\\% Processor Time"]


def test_a_table_without_rows_says_why(tshark, tmp_path):
    """Good news, or nothing that it could be about."""
    peer = perfdata.Peer()
    for seconds in 1, 2:
        peer.query("238", perfdata.built(Object(238, [PerfCounter(8, "PERF_COUNTER_RAWCOUNT")], [Instance("c", [1])]), seconds=seconds))
    path = peer.write(tmp_path / "good.pcapng")
    for table, says in (("perfdata,missing", "All values were received."), ("perflibv2,missing", "No performance data in this capture.")):
        assert says in tshark.run(path, "-q", "-z", table).splitlines()
