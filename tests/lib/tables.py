# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark's statistics print, as rows of cells."""

from datetime import datetime, timedelta


def table_rows(output):
    """The rows of a table with "|" behind every cell, without the row of names."""
    rows = [[cell.strip() for cell in line.split("|")[:-1]] for line in output.splitlines() if line.endswith("|")]
    return rows[1:]


def time_text(time):
    """A time as PDH-CSV writes it, the rest of a millisecond cut off."""
    return time.strftime("%m/%d/%Y %H:%M:%S.") + f"{time.microsecond // 1000:03}"


def filetime_text(filetime):
    """The same of a FILETIME (100 ns since 1601)."""
    return time_text(datetime(1601, 1, 1) + timedelta(microseconds=filetime // 10))
