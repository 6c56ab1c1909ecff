# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark's statistics print, as rows of cells."""

from datetime import datetime, timedelta
from fractions import Fraction


def _lines(output):
    """Lines of cells. Of a row in a group, as those of counters stand, the first cell begins with the group's title."""
    group = ""
    for line in output.splitlines():
        if line.endswith("|"):
            first, *cells = [cell.strip() for cell in line.split("|")[:-1]]
            yield [group + first, *cells]
        else:
            group = line if line.startswith("\\") else ""


def table_rows(output):
    """The rows of a table with "|" behind every cell, without the row of names."""
    return list(_lines(output))[1:]


def named_rows(output):
    """The rows of such a table, each by the names of its columns; of a row that ends early, those it has."""
    lines = list(_lines(output))
    return [dict(zip(lines[0], row)) for row in lines[1:]] if lines else []


def counters_of(output):
    """The table of counters: path -> unit, samples, first, last, min, mean, max, frame of the maximum; "" for what is not there."""
    names = "Unit", "Samples", "First", "Last", "Min", "Mean", "Max", "Max in frame"
    return {row["Counter"]: [row.get(name, "") for name in names] for row in named_rows(output)}


def table_sentences(output):
    """What a table says below its rows."""
    rows = table_rows(output)
    return [row[0] for row in rows if len(row) == 1]


def verdicts(output):
    """Of -z perflibv2,rules: rule -> (checked, broken, first frame, verdict) of those that were checked; the sentences below."""
    rows = {row["Rule"]: (int(row["Checked"]), int(row["Broken"]), int(row["First frame"]), row["Verdict"])
            for row in named_rows(output) if "Rule" in row}
    assert rows and all((row[3] == "not checked") == (row[0] == 0) for row in rows.values())
    return {rule: row for rule, row in rows.items() if row[0]}, table_sentences(output)


def query_rows(output):
    """The rows of a table of queries without the first cell, the frame they are sorted by: in order."""
    rows = table_rows(output)
    frames = [int(row[0]) for row in rows]
    assert all(frames) and frames == sorted(frames)
    return [row[1:] for row in rows]


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
