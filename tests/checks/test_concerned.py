# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/run FILE...: which tests concern a file."""

import os
import re
import runpy
import subprocess

import pytest

from lib.captures import REPOSITORY
from lib.some import some

CONCERNED = runpy.run_path(str(REPOSITORY / "tests" / "lib" / "concerned"))


def concerned(*files):
    return CONCERNED["pattern"](REPOSITORY / file for file in files)


@pytest.mark.parametrize(("file", "tests", "others"), [
    ("plugin/session/stream.c", ["unit-stream", "session-losses"], ["stats-usage", "unit-lpdata", "pla-pla"]),
    ("plugin/perflibv2/lpdata.h", ["unit-lpdata", "unit-lpdata-edges", "unit-inference", "perflibv2-rules"], ["session-losses"]),
    ("plugin/base/text.h", ["unit-text", "unit-path", "pla-pla", "stats-usage", "session-losses"], []),
    ("plugin/cook/cooking.c", ["unit-cooking", "perflibv2-meaning", "perfdata-perfdata"], ["session-losses"]),
    ("tests/session/test_losses.py", ["session-losses"], ["session-torn"]),
    ("tests/unit/test_lpdata_edges.c", ["unit-lpdata-edges"], ["unit-lpdata"]),
    ("tests/lib/lossy.py", ["session-losses"], ["pla-pla"]),
    ("captures/handles.pcapng", ["perflibv2-meaning", "perflibv2-reading_polls"], ["unit-lpdata"]),
    ("plugin/report/page.js", ["report-page", "browser-page_js", "gui-report_menu"], ["stats-usage"]),
    ("README.md", ["docs-docs"], ["unit-lpdata"]),
])
def test_each_file_has_the_tests_that_concern_it(file, tests, others):
    pattern = concerned(file)
    assert [test for test in [*tests, "checks-source"] if not re.search(pattern, test)] == []
    assert [test for test in others if re.search(pattern, test)] == []


def test_several_files_have_the_tests_of_each():
    pattern = concerned("plugin/stats/median.c", "README.md")
    assert re.search(pattern, "unit-median") and re.search(pattern, "docs-docs") and not re.search(pattern, "unit-path")


def test_every_source_has_tests():
    sources = sorted((REPOSITORY / "plugin").rglob("*.c"))
    for source in some(sources):
        assert CONCERNED["concerned"](source), source


@pytest.fixture
def tests_run(tmp_path):
    """tests/run in a build folder where nothing is to be built, and where each test leaves a file of its name; FAILS fails."""
    folder, tools, ran = (tmp_path / name for name in ("build", "tools", "ran"))
    for path in (folder / "tools", tools, ran):
        path.mkdir(parents=True)
    for name, script in {"cmake": "", "dpkg-query": 'printf "%s installed\\n" "$@"'}.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    for package in ("prometheus", "promtool"):
        (folder / "tools" / f".{package}").touch()

    def run(*arguments, fails=None):
        (folder / "CTestTestfile.cmake").write_text("".join(
            f'add_test({name} "/bin/sh" "-c" "touch {ran}/{name} && test {name} != {fails}")\n'
            for name in ("unit-stream", "unit-median", "session-losses", "session-torn", "stats-usage", "pla-pla", "checks-source", "docs-docs")))
        for path in ran.iterdir():
            path.unlink()
        result = subprocess.run([REPOSITORY / "tests" / "run", *arguments], cwd=REPOSITORY, capture_output=True, text=True, timeout=120,
                                env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PERFLIB_BUILD": str(folder)}, check=False)
        return result, {path.name for path in ran.iterdir()}
    return run


def test_those_tests_run_and_no_others(tests_run):
    result, ran = tests_run("plugin/session/stream.c")
    assert result.returncode == 0, result.stderr
    assert ran == {"unit-stream", "session-losses", "session-torn", "checks-source"}
    result, ran = tests_run("plugin/stats/median.c", "README.md")
    assert result.returncode == 0 and ran == {"unit-median", "stats-usage", "docs-docs", "checks-source"}
    # ctest's own options behind the files; without any of them all run.
    result, ran = tests_run("plugin/session/stream.c", "-E", "torn")
    assert result.returncode == 0 and ran == {"unit-stream", "session-losses", "checks-source"}
    assert len(tests_run()[1]) == 8
    assert tests_run("-R", "pla")[1] == {"pla-pla"}


def test_one_that_fails_stops_no_other(tests_run):
    result, ran = tests_run("plugin/session/stream.c", fails="session-torn")
    assert result.returncode != 0 and "session-torn" in result.stdout and len(ran) == 4
    assert tests_run("plugin/session/stream.c", fails="pla-pla")[0].returncode == 0
