# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,ndjson and -z perflib,csv: every table for programs, the same rows as people see."""

import csv
import json
import re
import sqlite3
import subprocess
from collections import Counter
from fractions import Fraction

import pytest

from lib import perfdata, perflibv2
from lib.captures import CAPTURES, all_captures, options_for
from lib.some import some
from lib.tables import data_tables, read_tables, same_digits
from lib.wire import Capture
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
    "Slowest ms": "slowest_ms", "Counterset": "counterset", "Polls": "polls", "Values": "values", "Total ms": "server_ms",
    "Share %": "share_percent", "Handle": "handle", "State": "state", "Value": "value", "Answers": "answers", "Largest": "largest",
    "Median s": "median_s", "Longest s": "longest_s", "Name": "name", "Counters": "counters", "Samples": "samples", "Field": "field",
    "First counter": "first_counter", "Pattern": "pattern", "Instances": "instances", "Interval s": "interval_s", "Wasted bytes %": "wasted_percent",
}


def csv_folder(tshark, path, folder, *options, filter=""):
    folder.mkdir()
    folder.chmod(0o777)
    tshark.run(path, *options, "-q", "-z", f"perflib,csv,{folder}" + (f",{filter}" if filter else ""))
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


@pytest.mark.parametrize(("name", "table", "unknown"), [
    ("sealed-smb2", "perflibv2-queries", ["added", "refused", "removed", "size_probes", "too_small", "wasted_percent"]),
    ("perfdata-samba-sealed", "perfdata-queries", ["failed", "too_small", "wasted_percent"])])
def test_what_encrypted_calls_did_is_unknown(tshark, name, table, unknown):
    """It is null, not 0. Their bytes are known."""
    rows = [row for row in data_tables(tshark, CAPTURES / f"{name}.pcapng")[table] if "sealed" in (row.get("state") or row["handle"])]
    for row in some(rows):
        assert [row[key] for key in unknown] == [None] * len(unknown) and row["bytes"] > 0


FILTERED = "tcp-session", "perfdata-samba", "pla-session", "faults-smb2"
OTHERS = ("perflibv2,counters", "perfdata,counters", "perflibv2,missing", "perfdata,missing", "perflibv2,rules", "perflib,findings")
# Sentences that only a terminal prints below a table.
NO_NOTE = re.compile(r"No performance data in this capture\.|All values were received\.|\d+ rules? (held|not checked): .*")
# manual/data.md: who_code of a finding, and how the text of the person begins
PERSONS = {"client": "whoever runs ", "server": "the administrator of ", "network": "whoever runs the network", "owner": "whoever owns the account",
           "accounts": "whoever manages the accounts", "capture": "whoever took the capture", "author": "the author of that program", None: None}


@pytest.mark.parametrize(("path", "filter"), [*((path, "") for path in all_captures()),
                                              *((CAPTURES / f"{name}.pcapng", "frame.number < 120 && frame.number != 20") for name in FILTERED)],
                         ids=lambda value: value[:5] if isinstance(value, str) else value.stem)
def test_both_forms_and_the_text_agree(tshark, tmp_path, path, filter):
    options = options_for(path)
    rows = data_tables(tshark, path, *options, filter=filter)
    files = csv_folder(tshark, path, tmp_path / "tables", *options, filter=filter)
    assert files.keys() == TABLES and rows.keys() <= TABLES
    # A tshark that serves many tests does not know the name.
    assert list(rows)[0] == "meta" and rows["meta"][0]["schema"] == 1 and rows["meta"][0]["capture"] in (None, path.name)
    for table in TABLES:
        assert len(files[table]) == len(rows.get(table, []))
        for cells, row in zip(files[table], rows.get(table, [])):
            assert cells.keys() == row.keys()
            assert all(same_cell(cells[key], as_cell(value)) for key, value in some(row.items())), (table, cells, row)
            assert [value for value in row.values() if isinstance(value, int) and abs(value) > 1 << 53] == []
        # No row twice: each table is of one protocol, or has those of all.
        assert len({json.dumps(row) for row in rows.get(table, [])}) == len(rows.get(table, [])), table
    for row in rows.get("findings", []):
        assert (row["who"] or "").startswith(PERSONS[row["who_code"]] or "") and (row["who"] is None) == (row["who_code"] is None), row
    arguments = [word for command in reversed([*SHOWN.values(), *OTHERS]) for word in ("-z", command + (f",{filter}" if filter else ""))]
    shown = re.split("^=+\n(.*?)^=+\n", tshark.run(path, *options, "-q", *arguments), flags=re.MULTILINE | re.DOTALL)[1::2]
    assert len(shown) == len(SHOWN) + len(OTHERS)
    for table, text in zip([*SHOWN, *(command.replace("perflib,", "").replace(",", "-") for command in OTHERS)], shown):
        told = [" ".join(sentence.split()) for _, sentences in read_tables(f"{text}=====") for sentence in sentences]
        assert [" ".join(note["text"].split()) for note in rows.get("notes", []) if note["of"] == table] == \
            [sentence for sentence in told if not NO_NOTE.fullmatch(sentence)], table
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
    counters, older, missing, older_missing, rules, findings = ([rows for rows, _ in read_tables(f"{text}=====")] for text in shown[len(SHOWN):])
    agree_in_counters(counters, rows.get("perflibv2-counters", []))
    agree_in_counters(older, rows.get("perfdata-counters", []))
    agree_in_missing(missing, rows.get("perflibv2-missing", []))
    agree_in_missing(older_missing, rows.get("perfdata-missing", []))
    assert {row["Rule"] for table in rules for row in table} <= {row["rule"] for row in rows.get("perflibv2-rules", [])}
    assert sorted((row["Code"], row["Frame"]) for table in findings for row in table) == \
        sorted((row["code"], str(row["frame"] or "")) for row in rows.get("findings", []))


def agree_in_counters(tables, rows):
    """Each counter has its row, with the same numbers."""
    told = {re.sub(r" \(aggregated from \d+ instances?\)$", "", line["Counter"]): line for table in tables for line in table}
    named = [row for row in rows if row["counterset"] is not None]
    times = Counter(row["path"] for row in rows)
    assert {" ".join(row["path"].split()) for row in named} <= {" ".join(name.split()) for name in told}
    assert sum(len(table) for table in tables) == len(rows)
    for row in named:
        line = told.get(row["path"])
        if line is None or times[row["path"]] > 1:
            continue
        assert line["Samples"] == str(row["samples"] or 0)
        for head in ("Last", "Max", "Min"):
            number = row[head.lower()]
            assert (line[head] == "") == (number is None) and (number is None or same_digits(line[head], Fraction(str(number)))), (line, row)


def agree_in_missing(tables, rows):
    """The text has a row per group, which tells of all of its rows."""
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    lines = [line for table in tables for line in table]
    assert len(lines) == len(groups) and list(groups) == list(range(1, len(groups) + 1))
    for line, members in zip(lines, groups.values()):
        assert line["First frame"] == str(min(row["first_frame"] for row in members))
        assert line["Times"] == str(sum(row["times"] for row in members))
        assert " ".join(line["Why not received"].split()) == " ".join(members[0]["reason"].split())
        assert {row["reason"] for row in members} == {members[0]["reason"]}


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


def test_questions_in_sql_are_answered(tshark, tmp_path):
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


@pytest.mark.parametrize("name, words", [
    ("", "needs the name of a folder"),
    ("nowhere/tables", 'nowhere/tables" is not written: No such file or directory'),
    ("file", "is not written: Not a directory"),
    ("taken", 'findings.csv" is not written: '),  # why is the system's to say, and Windows says something else
], ids=["no name", "nowhere", "in a file", "over a folder"])
def test_a_folder_that_cannot_be_written(tshark, tmp_path, name, words):
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "findings.csv").mkdir(parents=True)
    target = f",{tmp_path}/{name}" if name else ""
    told = tshark.result("-r", CAPTURES / "tcp-session.pcapng", "-q", "-z", f"perflib,csv{target}").stderr.decode()
    assert words in told and told.count(" written") == 1
    assert [file.name for file in (tmp_path / "taken").iterdir()] == ["findings.csv"]


def test_csv_wants_a_folder(tshark):
    assert "needs a folder" in tshark.result("-r", CAPTURES / "habits.pcapng", "-q", "-z", "perflib,csv,-").stderr.decode()


def test_full_disk_is_told_of_its_file_alone(tshark, folder):
    """It is said of which file; the others are whole."""
    (folder / "sessions.csv").symlink_to("/dev/full")
    said = tshark.result("-r", CAPTURES / "habits.pcapng", "-q", "-z", f"perflib,csv,{folder}").stderr.decode()
    assert f'"{folder}/sessions.csv" is not written: No space left on device' in said and said.count("tshark: ") == 1
    assert {file.stem for file in folder.iterdir()} == TABLES
    assert len(list(csv.DictReader((folder / "findings.csv").open(encoding="utf-8")))) > 3
    command = f"tshark -r {CAPTURES}/habits.pcapng -q -z perflib,ndjson,- >/dev/full"
    result = subprocess.run(tshark.command("-c", command, program="bash"), env=tshark.environment(), stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=60, check=False)
    assert "No space left on device" in result.stderr


def test_two_exports_at_once_are_whole(tshark, folder):
    """Each is whole, and in the same order; but two do not write one file."""
    path = CAPTURES / "habits.pcapng"
    alone = tshark.run(path, "-q", "-z", "perflib,ndjson,-")
    assert tshark.run(path, "-q", "-z", "perflib,ndjson,-", "-z", "perflib,ndjson,-") == 2 * alone
    order = list(dict.fromkeys(json.loads(line)["table"] for line in alone.splitlines()))
    assert order[0] == "meta" and order == [table for table in written_order(tshark, folder) if table in order]
    result = tshark.result("-r", path, "-q", "-z", f"perflib,csv,{folder}", "-z", f"perflib,csv,{folder}")
    assert "another -z option also writes it" in result.stderr.decode()


def written_order(tshark, folder):
    """The tables of a stream in which each has rows, of two captures: a table stands in one place."""
    tables = [json.loads(line)["table"] for name in ("both-apis", "pla-session")
              for line in tshark.run(CAPTURES / f"{name}.pcapng", "-q", "-z", "perflib,ndjson,-").splitlines()]
    assert folder.is_dir() and sum(one != other for one, other in zip(tables, tables[1:])) < 2 * len(set(tables))
    return list(dict.fromkeys(tables))


ODD = ['"q"', "back\\slash", "=cmd|' /C calc'!A0", "+1", "-2", "@SUM(A1)", "'=x", "\t=1", "\r\n=1", "a,b;c", "\u202eright", "\u2028line",
       "\x7f\x9b31m", "{\"table\":\"meta\"}", "-9223372036854775808", "null", "\u00e9l\u00e8ve"]


def test_frames_of_the_smallest_and_the_largest(tshark):
    """Those in which the samples have them first."""
    path = CAPTURES / "tcp-session.pcapng"
    samples = {}
    for row in csv.DictReader(tshark.run(path, "-q", "-z", "perflibv2,samples,-").splitlines()):
        if row["cooked"] and not row["aggregated_from"]:
            samples.setdefault((row["counterset"], row["instance"], row["counter_id"]), []).append((Fraction(row["cooked"]), int(row["frame"])))
    rows = [row for row in data_tables(tshark, path)["perflibv2-counters"] if row["samples"] and not row["aggregated_from"]]
    for row in some(rows, 100):
        known = samples[row["counterset"], row["instance"] or "", str(row["counter_id"])]
        smallest, largest = min(value for value, _ in known), max(value for value, _ in known)
        assert row["min_frame"] == next(frame for value, frame in known if value == smallest)
        assert row["max_frame"] == next(frame for value, frame in known if value == largest)


def test_odd_names_stay_apart_in_every_format(tshark, tmp_path):
    """Quotes, control characters, half surrogates and formulas: lines of JSON, cells of CSV, and no two names are one."""
    session = Capture()
    peer = perflibv2.Peer(session, machine='\\\\=H"O,S\tT')
    peer.teach()
    peer.mapped(perflibv2.query_handle(1), perflibv2.identifier(1, "*"))
    instances = [perflibv2.instance(name, at) for at, name in enumerate(ODD)]
    instances += [perflibv2.instance(raw=half + b"x\0\0\0", id=100 + at) for at, half in enumerate((b"\x00\xd8", b"\x00\xdc", b"\xff\xff"))]
    for _ in range(2):
        peer.poll(perflibv2.query_handle(1), perflibv2.data(perflibv2.block(4, perflibv2.multi_instances(
            [instance + perflibv2.value(5) for instance in instances]))))
    path = session.write(tmp_path / "odd.pcap")
    stream = tshark.run(path, "-q", "-z", "perflib,ndjson,-")
    rows = [json.loads(line) for line in stream.split("\n") if line]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", stream)
    counters = [row for row in rows if row["table"] == "perflibv2-counters"]
    assert len(counters) == len(instances)
    # Two halves of surrogates are one character in UTF-8, and get numbers.
    assert len({row["path"] for row in counters}) == len({row["instance"] for row in counters}) == len(instances)
    assert {name for name in ODD if name.isprintable()} <= {row["instance"] for row in counters}
    files = csv_folder(tshark, path, tmp_path / "tables")
    cells = [cell for table in files.values() for row in table for key, cell in row.items() if not re.fullmatch(r"-?[\d.e+-]+", cell)]
    assert [cell for cell in some(cells) if re.match(r"[=+@\t\r-]", cell)] == []
    assert {row["instance"] for row in files["perflibv2-counters"]} >= {"'=cmd|' /C calc'!A0", "'+1", "'-2", "'@SUM(A1)", "''=x"}


def test_every_key_is_in_the_manual(tshark):
    """The manual's table of keys has those that are written, and no others."""
    page = (CAPTURES.parent / "plugin" / "manual" / "data.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \|$", page, re.MULTILINE)
    told = {table: re.findall(r"`(\w+)`", keys) for tables, keys in rows for table in re.findall(r"`([\w-]+)`", tables)}
    assert told.keys() == TABLES
    for name in "both-apis", "habits", "pla-session", "faults-tcp":
        for table, written in some(data_tables(tshark, CAPTURES / f"{name}.pcapng").items()):
            assert told[table] == list(written[0]), table


# Where the names of codes are defined, and below which heading of the manual each has a line.
CODES = [("stats/remedies.h", r'X\(FINDING_\w+, "(\w+)",', "Findings"), ("session/outcomes.c", r'\[OUTCOME_\w+\] = \{ "(\w+)",', "Sessions"),
         ("stats/sessions.c", r'\[ATTEMPT_\w+\] = "(\w+)",', "Sessions"), ("counters/record.h", r'X\(WHY_\w+, "(\w+)",', "Missing data"),
         ("cook/cooking.h", r'X\(COOK_\w+, "(\w+)",', "Missing data")]


@pytest.mark.parametrize("source, pattern, heading", CODES)
def test_every_code_is_in_the_manual(source, pattern, heading):
    plugin = CAPTURES.parent / "plugin"
    text = (plugin / source).read_text(encoding="utf-8")
    codes = set(re.findall(pattern, text))
    page = (plugin / "manual" / "codes.md").read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    told = {code for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE) for code in re.findall(r"`(\w+)`", row)}
    assert set(some(codes)) <= told, codes - told


@pytest.mark.parametrize("name", ["faults-tcp", "rules", "habits", "perfdata-windows", "sessions-smb", "pla-session", "sealed-tcp", "mid-capture"])
def test_codes_that_tables_have_are_in_the_manual(tshark, name):
    page = (CAPTURES.parent / "plugin" / "manual" / "codes.md").read_text(encoding="utf-8")
    findings, sessions, missing = (set(re.findall(r"`(\w+)`", part)) for part in re.split(r"\n## .*\n", page)[1:])
    tables = data_tables(tshark, CAPTURES / f"{name}.pcapng")
    assert {row["code"] for row in tables.get("findings", [])} <= findings
    assert {row[key] for row in tables.get("sessions", []) for key in ("state", "outcome_code")} <= sessions
    for protocol in "perflibv2", "perfdata":
        assert {row["reason_code"] for row in tables.get(f"{protocol}-missing", [])} <= missing


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
