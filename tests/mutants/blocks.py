# SPDX-License-Identifier: GPL-2.0-or-later
"""Which blocks of a library's code belong to a line of its source. See ran.c."""

import os
import re
import subprocess
from bisect import bisect_left, bisect_right
from pathlib import Path


def _said(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def blocks_of(library):
    """The library's blocks: where each begins with a call, {where it returns to: that}, and where functions begin, in order."""
    begins, functions, called = {}, [], None
    for line in _said("objdump", "-d", "--no-show-raw-insn", library).splitlines():
        if match := re.match(r"([0-9a-f]+) <", line):
            functions.append(int(match.group(1), 16))
        elif match := re.match(r" *([0-9a-f]+):\t(.*)", line):
            address = int(match.group(1), 16)
            if called is not None:
                begins[address] = called
            called = address if "<__sanitizer_cov_trace_pc" in match.group(2) else None
    return begins, functions


def rows_of(library, source, made_in):
    """What the library's table of lines says: (address, line, file below the folder source), None for those elsewhere."""
    file, rows = None, []
    for line in _said("objdump", "-WL", "--wide", library).splitlines():
        if match := re.match(r"CU: (.*):$", line):
            file = Path(os.path.normpath(made_in / match.group(1)))
        elif file and (match := re.match(r"(\S+) +(\d+|-) +0x([0-9a-f]+)", line)):
            is_own = match.group(1) == file.name and file.is_relative_to(source) and match.group(2) != "-"
            rows.append((int(match.group(3), 16), int(match.group(2)) if is_own else None, str(file.relative_to(source)) if is_own else None))
    return sorted(rows, key=lambda row: (row[0], row[1] is not None))


def lines_of(library, source, made_in):
    """{file below the folder source: {line: where the calls of its blocks return to}}. made_in: the folder that it was compiled in."""
    begins, functions = blocks_of(library)
    returns, rows, lines = sorted(begins), rows_of(library, source, made_in), {}
    for (address, line, file), following in zip(rows, rows[1:]):
        if line is None:
            continue
        first, last = bisect_left(returns, address), bisect_left(returns, following[0])
        held = set(returns[first:last])
        # Unless a block begins here, this line goes on with the block before, if the function has one.
        begins_here = first < len(returns) and address in (returns[first], begins[returns[first]])
        if first and not begins_here and returns[first - 1] >= functions[bisect_right(functions, address) - 1]:
            held.add(returns[first - 1])
        lines.setdefault(file, {}).setdefault(line, set()).update(held)
    return lines


def at_line(lines, line):
    """Of {line: places}: those of a line. One that has no code, as a condition's second, has that of the lines around it."""
    if line in lines:
        return lines[line]
    known = sorted(lines)
    at = bisect_left(known, line)
    return set().union(*(lines[each] for each in known[max(at - 1, 0):at + 1]))
