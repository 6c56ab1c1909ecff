# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark's statistics print, as rows of cells."""

import json
import re
from datetime import datetime, timedelta
from fractions import Fraction


class Row(dict):
    """A row's cells by the names of their columns; what has no line of its own is empty."""

    def __missing__(self, name):
        return ""


# Titles of what comes behind a table's first view, each row of which tells more of a row of the first.
VIEWS = {"Handles:", "Possible savings:"}


class _Reader:
    """Reads the lines of one table: heads, titles of groups, rows, what stands below a row, and sentences."""

    def __init__(self):
        self.names, self.rows, self.sentences = None, [], []
        self.loose, self.over, self.title, self.last, self.is_further = [], "", "", None, False

    def cells(self, cells):
        if self.names is None:
            self.names = cells
        else:
            self.row(cells)

    def row(self, cells):
        for line in self.loose:
            if line.startswith("\\\\"):
                self.over, self.title = line, ""
            else:
                self.title = line
        self.loose = []
        assert len(cells) == len(self.names), (self.names, cells)
        row = Row(zip(self.names, cells))
        self.heading = f"{self.over}\\{self.title}" if self.over and self.title != "(others)" else ""
        row[self.names[0]] = self.heading + cells[0]
        if self.is_further:
            # Values asked in one call begin in one frame.
            known = next(known for known in self.rows if known[self.names[0]] == cells[0] and self.names[1] not in known)
            known.update(row)
            row = known
        else:
            self.rows.append(row)
        self.last = None
        self.below = row

    def line(self, line):
        if line.endswith(" |"):
            self.cells([cell.strip() for cell in line.split("|")[:-1]])
        elif line in VIEWS:
            self.names, self.is_further = None, True
        elif line.startswith("No room for: "):
            assert line.endswith(". Windows and files have these columns."), line
        elif line.startswith(" " * 8) and self.last and not self.loose:
            self.below[self.last] += " " + line.strip()
        elif line.startswith(" " * 4) and self.loose:
            self.loose[-1] += " " + line.strip()
        elif line.startswith(" " * 4):
            self.last, text = line.strip().split(": ", 1)
            # A cell without room ends in "..."; the whole stands below its row.
            if self.below.get(self.last) and not self.below[self.last].endswith("..."):
                self.last += ":"
            self.below[self.last] = self.heading * (self.last == self.names[0]) + text
        elif line:
            self.loose.append(line)


def read_tables(output):
    """Each table of tshark's as (rows, sentences)."""
    tables, reader = [], _Reader()
    # Not splitlines(): names may hold what ends a line elsewhere.
    for line in output.split("\n"):
        if line.startswith("====="):
            tables.append(reader)
            reader = _Reader()
        elif reader.names is not None or line.endswith(" |"):
            reader.line(line)
    return [(table.rows, table.loose) for table in [*tables, reader] if table.names]


def named_rows(output):
    """The rows of tables, each by the names of its columns."""
    return [row for rows, _ in read_tables(output) for row in rows]


# Columns in the order that windows show them in, where a terminal leaves some out or puts them on a line of their own.
COLUMNS = [names.split("; ") for names in (
    "Counter; Unit; Samples; First; Last; Min; Mean; Max; Max in frame; No value",
    "First frame; Client; Server; Asked for; Why not received; PDH's code; Times",
    "Client; Server; Over; For; First frame; Times; Reached; Outcome; Authentication; Calls; Faults; Bytes; Response ms; Slowest ms",
    "Name; Counters; Samples; Field; First counter; Pattern",
    "Data collector set; Server; Calls; Failed; Last status; Last error",
)]


def table_rows(output):
    """The cells of the rows in the order of their columns."""
    rows = []
    for row in named_rows(output):
        names = next((names for names in COLUMNS if row.keys() <= set(names)), row)
        rows.append([row[name] for name in names])
    return rows


def counters_of(output):
    """The table of counters: path -> unit, samples, first, last, min, mean, max, frame of the maximum; "" for what is not there."""
    names = "Samples", "First", "Last", "Min", "Mean", "Max", "Max in frame"
    return {row["Counter"]: [row["No value"] or row["Unit"], *(row[name] for name in names)] for row in named_rows(output)}


def table_sentences(output):
    """What tables say below their rows."""
    return [sentence for _, sentences in read_tables(output) for sentence in sentences]


def verdicts(output):
    """Of -z perflibv2,rules: rule -> (checked, broken, first frame, verdict) of those that were checked; the sentences below."""
    rows = {row["Rule"]: (int(row["Checked"]), int(row["Broken"]), int(row["First frame"]), row["Verdict"])
            for row in named_rows(output)}
    sentences = []
    for sentence in table_sentences(output):
        told = re.fullmatch("([0-9]+) rules? (held|not checked): (.*)", sentence)
        if told is None:
            sentences.append(sentence)
            continue
        rules = told[3].split(", ")
        assert len(rules) == int(told[1])
        if told[2] == "held":
            for rule in rules:
                name, checked = re.fullmatch(r"(\w+) \(([1-9][0-9]*)\)", rule).groups()
                assert name not in rows
                rows[name] = (int(checked), 0, 0, "held")
    assert all(row[0] > 0 for row in rows.values())
    return rows, sentences


def query_rows(output):
    """The rows of a table of queries by the names of their columns, which come in the order of their first frames."""
    rows = named_rows(output)
    frames = [int(row["First frame"]) for row in rows]
    assert all(frames) and frames == sorted(frames)
    return rows


def same_digits(cell, value):
    """Whether a cell shows an exact number as the tree does: whole ones exactly, others with three decimals or six digits."""
    if cell.startswith("0x"):
        return int(cell, 16) == value
    number = Fraction(cell)
    if "." not in cell:
        return number == value
    tolerance = abs(value) * Fraction(1, 200000) if "e" in cell or 0 < abs(value) < Fraction(1, 1000) else Fraction(1, 2000)
    return abs(number - value) <= tolerance + abs(value) * Fraction(1, 10**12)


def time_text(time):
    """A time as PDH-CSV writes it, the rest of a millisecond cut off."""
    return time.strftime("%m/%d/%Y %H:%M:%S.") + f"{time.microsecond // 1000:03}"


def filetime_text(filetime):
    """The same of a FILETIME (100 ns since 1601)."""
    return time_text(datetime(1601, 1, 1) + timedelta(microseconds=filetime // 10))


def data_tables(tshark, path, *options, filter=""):
    """The rows of all tables by their names, as programs read them (-z perflib,ndjson)."""
    found = {}
    for line in tshark.run(path, *options, "-q", "-z", "perflib,ndjson,-" + (f",{filter}" if filter else "")).splitlines():
        row = json.loads(line)
        found.setdefault(row.pop("table"), []).append(row)
    return found
