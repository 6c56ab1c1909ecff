# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person sees of calls: each item, its place and its value (lib/cases.py says how a case is written)."""

import pytest

from lib.captures import REPOSITORY
from lib.cases import INFO, dumps, expected_dumps, write_capture

CASES = sorted((REPOSITORY / "tests" / "cases").glob("*/*.calls"))


@pytest.mark.parametrize("calls", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_calls_are_shown_as_the_dump_says(tshark, tmp_path, calls):
    path = tmp_path / "case.pcap"
    frames = write_capture(calls, path)
    shown = dumps(tshark, path, frames, calls.parent.name)
    expected = expected_dumps(calls.with_suffix(".dump"))
    assert expected
    for pdu, lines in expected.items():
        of_info = 0 if lines[0].startswith(INFO) else 1
        assert shown[pdu][of_info:] == lines, f"{pdu} of {calls.name}"
