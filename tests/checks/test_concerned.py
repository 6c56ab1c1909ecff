# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/run FILE...: which tests concern a file."""

import re
import runpy
import subprocess

import pytest

from lib.captures import REPOSITORY
from lib.some import some

CONCERNED = REPOSITORY / "tests" / "lib" / "concerned"


def concerned(*files):
    return subprocess.run([CONCERNED, *(REPOSITORY / file for file in files)], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(("file", "tests", "others"), [
    ("plugin/session/stream.c", ["unit-stream", "session-losses"], ["stats-usage", "unit-lpdata", "pla-pla"]),
    ("plugin/perflibv2/lpdata.h", ["unit-lpdata", "unit-lpdata-edges", "unit-inference", "perflibv2-rules"], ["session-losses"]),
    ("plugin/base/text.h", ["unit-text", "unit-path", "pla-pla", "stats-usage", "session-losses"], []),
    ("plugin/cook/cooking.c", ["unit-cooking", "perflibv2-meaning", "perfdata-perfdata"], ["session-losses"]),
    ("tests/session/test_losses.py", ["session-losses"], ["session-torn"]),
    ("tests/unit/test_lpdata_edges.c", ["unit-lpdata-edges"], ["unit-lpdata"]),
    ("tests/lib/lossy.py", ["session-losses"], ["pla-pla"]),
    ("captures/handles.pcapng", ["perflibv2-meaning", "perflibv2-reading_polls"], ["unit-lpdata"]),
    ("README.md", ["docs-docs"], ["unit-lpdata"]),
])
def test_files(file, tests, others):
    pattern = concerned(file)
    assert [test for test in [*tests, "checks-source"] if not re.search(pattern, test)] == []
    assert [test for test in others if re.search(pattern, test)] == []


def test_several_files():
    pattern = concerned("plugin/stats/usage.c", "README.md")
    assert re.search(pattern, "unit-usage") and re.search(pattern, "docs-docs") and not re.search(pattern, "unit-path")


def test_every_source_has_tests():
    sources = sorted((REPOSITORY / "plugin").rglob("*.c"))
    names = runpy.run_path(str(CONCERNED))["concerned"]
    for source in some(sources):
        assert names(source), source
