# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/truth/compare, with files as typeperf writes them: made of a session's record by the code here."""

import re
import shlex
import shutil
import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from lib.captures import CAPTURES, REPOSITORY, record_of
from lib.values import without_lone_surrogates

SESSION = CAPTURES / "tcp-session.pcapng"
RECORD = record_of(SESSION)
EPOCH = datetime(1601, 1, 1)


def polls():
    """Time in UTC -> path -> value, of what the peers say: a number, or None where there is none."""
    times = {call["n"]: EPOCH + timedelta(microseconds=call["response"]["lpData"]["PerfTime100NSec"] // 10)
             for call in RECORD["calls"] if call["opnum"] == 6 and (call.get("response") or {}).get("lpData")}
    found = {}
    for value in [*RECORD["expected_cooked_values"], *RECORD["expected_not_computable"]]:
        if "path" in value and value.get("reason") not in ("not displayed", "type unknown") and times[value["to_call"]].second < 5:
            found.setdefault(times[value["to_call"]], {})[without_lone_surrogates(value["path"])] = value.get("value")
    assert len(found) == 5
    return found


POLLS = polls()
PATHS = sorted({path for values in POLLS.values() for path in values})


class Typeperf:
    """Writes as typeperf does: local time, six digits, a blank for no value, all in quotation marks."""

    zone = ("Coordinated Universal Time", 0)
    separator, point = ",", "."

    def __init__(self):
        self.rows = [(time, dict(values)) for time, values in sorted(POLLS.items())]
        self.paths = list(PATHS)

    def ahead(self, time):
        """How far the clock on the wall is ahead of UTC."""
        return timedelta(minutes=-self.zone[1])

    def cell(self, value):
        return " " if value is None else f"{value:.6f}".replace(".", self.point) if isinstance(value, (int, float)) else value

    def write(self, path):
        lines = [[f"(PDH-CSV 4.0) ({self.zone[0]})({self.zone[1]})", *self.paths]]
        for time, values in self.rows:
            local = time + self.ahead(time)
            lines.append([local.strftime("%m/%d/%Y %H:%M:%S.%f")[:-3], *(self.cell(values.get(path)) for path in self.paths)])
        quoted = [self.separator.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines]
        path.write_bytes("\r\n".join([*quoted, ""]).encode())


@pytest.fixture
def compare(tshark, tmp_path):
    """What compare says of such files, and its exit status."""
    tmp_path.chmod(0o755)
    shutil.copy(SESSION, tmp_path)
    stand_in = tmp_path / "tshark"
    stand_in.write_text(f'#!/bin/sh\nexec {shlex.join(tshark.command())} "$@"\n')
    stand_in.chmod(0o755)

    def run(*typeperfs):
        for number, typeperf in enumerate(typeperfs):
            typeperf.write(tmp_path / f"{type(typeperf).__name__}{number}.csv")
        result = subprocess.run(
            [sys.executable, REPOSITORY / "captures" / "truth" / "compare", "--tshark", stand_in, tmp_path],
            env=tshark.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )
        return result.stdout + re.sub("Running as user.*\n", "", result.stderr), result.returncode

    return run


def outcomes(output):
    """Of the table at the end: outcome -> how many cells of all types."""
    title, *rows = output.split("\n\n")[-1].splitlines()
    names = re.split(r"\s{2,}", title)[1:]
    counts = [list(map(int, re.findall(r"\s(\d+)", row))) for row in rows]
    assert counts and all(len(row) == len(names) for row in counts)
    return dict(zip(names, map(sum, zip(*counts))))


NUMBERS = sum(value is not None for values in POLLS.values() for value in values.values())


class Berlin(Typeperf):
    zone = ("W. Europe Standard Time", -60)


class Summer(Berlin):
    """The title's bias without the hour of daylight saving."""

    def ahead(self, time):
        return timedelta(hours=2)


class ClocksGoBack(Berlin):
    def ahead(self, time):
        return timedelta(hours=2 if time.second < 2 else 1)


class ClocksGoForward(Berlin):
    def ahead(self, time):
        return timedelta(hours=1 if time.second < 2 else 2)


class Comma(Typeperf):
    point = ","


class CommaAndSemicolon(Comma):
    separator = ";"


class FewDigits(Typeperf):
    def cell(self, value):
        return f"{value:.1f}" if isinstance(value, (int, float)) else super().cell(value)


def shout(path):
    return re.sub("[a-z]+", lambda letters: letters[0].upper(), path)


class OtherCase(Typeperf):
    def __init__(self):
        super().__init__()
        self.rows = [(time, {shout(path): value for path, value in values.items()}) for time, values in self.rows]
        self.paths = [shout(path) for path in self.paths]


class ByAddress(Typeperf):
    """typeperf was given another name of the only server."""

    def __init__(self):
        super().__init__()
        rename = {path: path.replace("WIN-PERF01", "10.0.0.1") for path in self.paths}
        self.rows = [(time, {rename[path]: value for path, value in values.items()}) for time, values in self.rows]
        self.paths = list(rename.values())


def test_what_is_right_is_equal(compare):
    """Whatever the habits of typeperf; of a file that has another outcome the cells are told."""
    kinds = [Typeperf, Berlin, Summer, ClocksGoBack, ClocksGoForward, Comma, CommaAndSemicolon, FewDigits, OtherCase, ByAddress]
    output, status = compare(*(kind() for kind in kinds))
    found = outcomes(output)
    assert status == 0 and (found["equal"], found["different"], found["typeperf only"]) == (len(kinds) * NUMBERS, 0, 0), output
    assert NUMBERS > 400
    # A row for each type that the session has.
    types = {value["type"] for value in RECORD["expected_cooked_values"] if value.get("path") in PATHS}
    assert types <= set(re.findall(r"^PERF_\w+", output, re.MULTILINE)) and len(types) > 20


def test_a_wrong_value_is_told_with_its_formula(compare):
    typeperf = Typeperf()
    path = r"\\WIN-PERF01\Processor Information(_Total)\% Processor Time"
    typeperf.rows[1][1][path] += 0.000002
    output, status = compare(typeperf)
    (line,) = [line for line in output.splitlines() if line.startswith("  different: ")]
    assert status == 1 and outcomes(output)["different"] == 1
    assert f"{path} at 08:00:01" in line and "typeperf 11.000011, plugin 11.000009" in line and "100*(1-(N1-N0)/(X1-X0))" in line


def test_what_one_side_lacks_is_told(compare):
    """Values and counters of one file, a line of another."""
    typeperf = Typeperf()
    path, other = r"\\WIN-PERF01\Processor Information(_Total)\% Processor Time", r"\\WIN-PERF01\Nothing(*)\Is Here"
    typeperf.paths.append(other)
    typeperf.rows[1][1].update({path: None, other: 5.0})
    typeperf.rows[0][1][path] = 7.0
    dropped = Typeperf()
    left_out = dropped.rows.pop(2)[1]
    numbers = sum(value is not None for value in left_out.values())
    output, status = compare(typeperf, dropped)
    assert f"plugin only: {path} at 08:00:01" in output
    assert "typeperf only: " + path in output and "; first sample" in output
    assert f"typeperf only: {other} at 08:00:01" in output and "; the capture has no such counter" in output
    found = outcomes(output)
    assert found["plugin only"] == 1 and found["typeperf only"] == 2 and status == 0
    assert found["equal"] == (NUMBERS - 1) + (NUMBERS - numbers)
    assert int(re.search(r"Typeperf1.csv: .*\n  (\d+) values of the capture are in no row", output)[1]) >= len(left_out)


def test_capture_without_values_says_who_has_the_key(compare, tmp_path):
    """Sealed, and no key was given: who has it is said."""
    (tmp_path / SESSION.name).unlink()
    shutil.copy(CAPTURES / "sealed-tcp.pcapng", tmp_path)
    output, status = compare(Typeperf())
    assert status == 1 and "contains no counter values" in output and "ntlmssp.nt_password" in output
