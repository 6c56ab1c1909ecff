# SPDX-License-Identifier: GPL-2.0-or-later
""".ci/run and tests/matrix: what hangs or cannot be made is a failure, and does not keep the other parts from running."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lib.captures import REPOSITORY

PASSED = "100% tests passed, 0 tests failed out of 1"
PARTS = ["Wireshark 4.0", "Wireshark 4.4", "Wireshark 4.6", "Windows"]
# They may take longer than the others.
SLOW = {"hardening-fuzz", "hardening-costs", "hardening-growth", "hardening-instructions", "hardening-pla_cost", "hardening-stats_cost"}


def write_scripts(folder, scripts):
    folder.mkdir(parents=True, exist_ok=True)
    for name, script in scripts.items():
        (folder / name).write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def ci(tmp_path):
    """Runs .ci/run of a repository of stand-ins, {name in tests/: script}; its exit status, the parts that started, its last line."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(REPOSITORY / ".ci" / "run", tmp_path / ".ci")
    write_scripts(tmp_path / "tools", {"dpkg-query": 'printf "%s installed\\n" "$@"'})

    def run(limits, **scripts):
        write_scripts(tmp_path / "tests", {"run": f"echo '{PASSED}'", "matrix": "", "windows": "", **scripts})
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PERFLIB_")}
        result = subprocess.run(
            [tmp_path / ".ci" / "run"], env={**environment, "PATH": f"{tmp_path}/tools:{os.environ['PATH']}", **limits},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        lines = result.stdout.splitlines()
        return result.returncode, [part for part in PARTS if f"== {part}" in lines], lines[-1]

    run.tests = tmp_path / "tests"
    return run


def test_all_parts_run_and_pass(ci):
    assert ci({}) == (0, PARTS, PASSED)


def with_tests(ci, **commands):
    """Prepares the repository of stand-ins so that the real tests/run runs these as its tests."""
    (ci.tests / "lib").mkdir(parents=True)
    shutil.copy(REPOSITORY / "tests" / "lib" / "setup.sh", ci.tests / "lib")
    (ci.tests / "lib" / "concerned").touch()
    (ci.tests.parent / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(tests LANGUAGES NONE)\nenable_testing()\n"
        + "".join(f"add_test(NAME {name} COMMAND {command})\n" for name, command in commands.items()))
    return (REPOSITORY / "tests" / "run").read_text()


def test_test_that_hangs_is_named(ci):
    """The real tests/run, with two tests of which one never ends."""
    run = with_tests(ci, quick="true", hangs="sleep 1000")
    for package in ("prometheus", "promtool"):
        (ci.tests.parent / "build" / "tools").mkdir(parents=True, exist_ok=True)
        (ci.tests.parent / "build" / "tools" / f".{package}").touch()
    assert ci({"PERFLIB_TEST_SECONDS": "2"}, run=run) == (
        1, PARTS, "50% tests passed, 1 tests failed out of 2; failed: Wireshark 4.0")


@pytest.mark.parametrize("in_ci", ["", "1"])
def test_what_cannot_be_fetched(ci, in_ci):
    """Without a network tests/run runs all others, and names those at its end that want Prometheus; in CI it fails."""
    left_out = "stats/test_openmetrics.py: Prometheus could not be fetched"
    run = with_tests(ci, wants=f"""sh -c [[echo '{left_out}' >>"$PERFLIB_LEFT_OUT"]]""", other="true")
    write_scripts(ci.tests.parent / "tools", {"apt-get": "echo 'E: Failed to fetch'; exit 100"})
    write_scripts(ci.tests, {"run": run})
    environment = {**os.environ, "CI": in_ci, "PATH": f"{ci.tests.parent}/tools:{os.environ['PATH']}"}
    environment.pop("PERFLIB_BUILD", None)
    result = subprocess.run([ci.tests / "run"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert "could not fetch: prometheus (E: Failed to fetch; no network?)" in result.stderr
    if in_ci:
        assert result.returncode == 1 and "tests passed" not in result.stdout
    else:
        assert result.returncode == 0 and "100% tests passed, 0 tests failed out of 2" in result.stdout
        assert result.stdout.splitlines()[-2:] == ["Left out:", left_out]


def test_part_that_hangs_is_named_and_others_run(ci):
    status, started, last = ci({"PERFLIB_CI_PART": "2"}, matrix='[ "$2" = 4.6 ] || exec sleep 1000')
    assert (status, started, last) == (1, PARTS, f"{PASSED}; failed: Wireshark 4.4 (hangs)")


def test_part_that_fails_is_named_and_others_run(ci):
    assert ci({}, matrix="exit 1", windows="exit 1") == (1, PARTS, f"{PASSED}; failed: Wireshark 4.4, Wireshark 4.6, Windows")


def test_the_first_part_says_nothing(ci):
    status, started, last = ci({}, run="exit 0")
    assert (status, started) == (1, PARTS) and last.startswith("0 passed, 1 failed")


def test_no_time_is_left(ci):
    """Only then a part may be missing, and it is named."""
    late = {"PERFLIB_CI_SECONDS": "3"}
    assert ci(late, matrix="sleep 1000") == (0, PARTS[:2], f"{PASSED}; left out, as no time was left: Wireshark 4.4 (stopped), Wireshark 4.6, Windows")
    # A test that has failed by then counts.
    status, _, last = ci(late, matrix="echo '1/2 Test #1: session-losses ...***Failed  2.00 sec'; sleep 1000")
    assert status == 1 and "failed: Wireshark 4.4 (stopped); left out" in last
    status, _, last = ci(late, run="sleep 1000")
    assert status == 1 and last.startswith("0 passed, 1 failed")


def test_limit_of_each_test():
    """tests/run gives ten minutes to those without a limit of their own."""
    folder = Path(os.environ["PERFLIB_PLUGINS"]).parent
    shown = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, check=True)
    tests = json.loads(shown.stdout)["tests"]
    assert len(tests) > 80
    limited = {test["name"] for test in tests for each in test["properties"] if each["name"] == "TIMEOUT"}
    assert limited == SLOW


@pytest.mark.parametrize("stand_in", [
    {"debootstrap": "echo 'E: no such mirror'; exit 1"},
    {"apt-get": ""},
    {"debootstrap": 'mkdir -p "$4/etc/apt/apt.conf.d" "$4/etc/dpkg/dpkg.cfg.d"', "unshare": "exit 100"},
], ids=["debootstrap fails", "no mirror", "no packages"])
def test_a_system_that_cannot_be_made(tmp_path, stand_in):
    write_scripts(tmp_path / "tools", {
        "id": "echo 0", "dpkg-query": 'printf "%s installed\\n" "$@"', "apt-get": "echo 'Debian http://localhost/debian'", **stand_in})

    def rows(command, *versions):
        result = subprocess.run(
            [REPOSITORY / "tests" / command, *versions], capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "PATH": f"{tmp_path}/tools:{os.environ['PATH']}", "PERFLIB_MATRIX_CACHE": str(tmp_path / "cache")})
        assert result.returncode == 1, result.stderr
        return result.stdout.splitlines()

    tried = [line.split(maxsplit=3) for line in rows("matrix", "4.4", "4.6")]
    assert [[*row[:3], row[3][:6]] for row in tried[1:]] == [["4.4", "trixie", "no", "none: "], ["4.6", "forky", "no", "none: "]]
    # Of a system that is made but gets no packages, the log says more.
    assert [re.match("4.[46]: (none: .|not built)", line) is not None for line in rows("package", "4.4", "4.6")] == [True, True]
    rows("windows", "--some")
