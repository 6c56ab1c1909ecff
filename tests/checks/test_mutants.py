# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/mutants/run: only a test that ran and failed has noticed a mutant, and nothing is asked that fails without one."""

import json
import os
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Lock
from types import SimpleNamespace

import pytest

from lib.captures import REPOSITORY

FILES = {
    "passes": "def test_it():\n    pass\n",
    "fails": "def test_it():\n    assert False\n",
    "fixture": "import pytest\n@pytest.fixture\ndef broken():\n    assert False\ndef test_it(broken):\n    pass\n",
    "empty": "",
    "import": "import no_such_module\n",
    "collection": "assert False\ndef test_it():\n    pass\n",
    "waits": "import subprocess\ndef test_it():\n    subprocess.run(['sleep', '300'])\n",
    "usage": None,
}


@pytest.fixture
def mutants(tmp_path):
    """The runner, with files of tests in place of ours: its names, its tests, and what they answer."""
    names = runpy.run_path(str(REPOSITORY / "tests" / "mutants" / "run"))
    inside = names["Tests"].asked.__globals__
    tests = object.__new__(names["Tests"])
    tests.build, tests.kills, tests.seconds, tests.units = tmp_path / "build", Counter(), 1, {}
    (tmp_path / "build" / "tests" / "unit").mkdir(parents=True)
    (tmp_path / "build" / "registered.so").touch()
    tests.plain = tests.sanitized = tests.counting = SimpleNamespace(plugins=lambda: tmp_path, placed=lambda to: to, libraries=[])
    tests.numbering, tests.ran, tests.places = Lock(), {}, {}
    # Whoever runs this may read the folder; nobody may not.
    inside["NOBODY"] = []
    for name, text in FILES.items():
        if text is not None:
            (tmp_path / f"test_{name}.py").write_text(text)

    def ask(name, python="/usr/bin/python3"):
        inside["PYTHON"] = python
        return tests.asked(str(tmp_path / f"test_{name}.py"), tmp_path, tmp_path, tmp_path / "files", "-x", f"--rootdir={tmp_path}")

    return SimpleNamespace(names=names, tests=tests, ask=ask, folder=tmp_path)


@pytest.mark.parametrize("name", ["fails", "fixture"])
def test_failing_test_is_named(mutants, name):
    (failed,) = mutants.ask(name)
    assert failed.endswith(f"test_{name}.py::test_it")


@pytest.mark.parametrize("name", ["passes", "empty"])
def test_passing_test_names_nothing(mutants, name):
    assert mutants.ask(name) == []


@pytest.mark.parametrize("name", ["import", "collection", "usage"])
def test_a_file_that_cannot_run(mutants, name):
    with pytest.raises(mutants.names["CannotRun"]):
        mutants.ask(name)


def test_a_file_that_never_ends_has_failed(mutants):
    mutants.tests.asked.__globals__["LONGEST"] = 2
    assert mutants.ask("waits") == [f"{mutants.folder / 'test_waits.py'} (never ends)"]


def test_python_without_pytest_cannot_run(mutants):
    """A Python that has only its own library ends with 1, too."""
    bare = mutants.folder / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(mutants.names["CannotRun"], match="pytest"):
        mutants.ask("fails", bare)


def test_a_unit_that_cannot_start(mutants):
    assert mutants.tests.unit_fails(["/bin/false"]) and not mutants.tests.unit_fails(["/bin/true"])
    with pytest.raises(mutants.names["CannotRun"]):
        mutants.tests.unit_fails([str(mutants.folder / "gone")])


@pytest.mark.parametrize(("units", "seconds", "why"), [
    ({"unit-good": ["/bin/true"]}, 0, None),
    ({"unit-good": ["/bin/true"], "unit-bad": ["/bin/false"]}, 1, "fail without a mutant:\nunit-bad"),
    ({}, 1, None),
    ({}, 0, "no tests"),
])
def test_units_must_pass_without_a_mutant(mutants, units, seconds, why):
    mutants.tests.units, mutants.tests.seconds = units, seconds
    mutants.tests.files = [str(mutants.folder / "test_fails.py")]
    if why:
        with pytest.raises(SystemExit, match=why):
            mutants.tests.check_units()
    else:
        mutants.tests.check_units()


@pytest.mark.parametrize(("name", "why"), [("fails", "fail without a mutant:\n.*test_fails"), ("import", "cannot run"), ("passes", "no line")])
def test_files_of_pytest_must_pass_without_a_mutant(mutants, name, why):
    """The one that passes never runs the plugin: of it no line is counted."""
    mutants.tests.files = [str(mutants.folder / f"test_{name}.py")]
    with pytest.raises(SystemExit, match=why):
        mutants.tests.count_lines()


def test_only_tests_that_run_the_line_are_asked(mutants):
    """Those that are quick and run little else come first, then files; one that killed a mutant of the room before is taken for quicker."""
    tests, sanitizers = mutants.tests, mutants.names["SANITIZERS"]
    ran = {"slow": [("a", 9, [1]), ("b", 1, [2])], "elsewhere": [("c", 1, [2])], "quick": [("d", 3, [0, 1]), ("e", 1, [1]), ("g", 1, [0, 1, 3])],
           sanitizers: [("f", 30, [1])]}
    tests.ran = {file: [mutants.names["Ran"](name, seconds, mutants.names["bits"](blocks)) for name, seconds, blocks in those] for file, those in ran.items()}
    tests.places = {"cook/digits.c": {40: {1}, 42: {2}}}
    mutant = mutants.names["Mutant"]("cook/digits.c", 40, "", "", 0, 0, "")
    few, quick, slow, sanitized = ("quick tests", ["e", "g"]), ("quick", ["d"]), ("slow", ["a"]), (sanitizers, ["f"])
    assert tests.others(mutant) == [("quick tests", ["e", "a", "d", "g"]), sanitized]
    tests.others.__globals__["FIRST"] = 2
    assert tests.others(mutant) == [few, quick, slow, sanitized]
    tests.kills["cook", "slow"] = 4
    assert tests.others(mutant) == [few, slow, quick, sanitized]
    mutant.kind = "limit off by one"
    assert tests.others(mutant) == [sanitized, few, slow, quick]
    # A line without code of its own, as that of a condition's second half, belongs to those around it.
    mutant.line, mutant.kind = 41, ""
    assert tests.others(mutant) == [("quick tests", ["b", "c"]), slow, ("quick", ["d", "e", "g"]), sanitized]
    tests.seconds = 0
    assert tests.others(mutant) == []


# What of the lines of a function runs. The process forks, and a signal ends it.
SOURCE = """int odd(int number);
int odd(int number)
{
    if (number % 2 == 0 &&
        number >= 0) {
        return 0;
    }
    return 1;
}
"""
PROGRAM = """#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
int odd(int number);
int main(int argc, char **argv)
{
    (void)argv;
    if (fork() == 0) {
        odd(argc);
        raise(SIGKILL);
    }
    wait(0);
    return 0;
}
"""
TESTS = """import functools, pytest, subprocess
def run(*arguments):
    subprocess.run(["./program", *arguments], check=True)
@functools.lru_cache
def remembered():
    run()
@functools.lru_cache(8)
def remembered_of(what):
    run(*what)
@pytest.fixture(scope="module")
def shared():
    run("even")
def test_both(shared):
    run()
def test_shared(shared):
    pass
def test_first():
    remembered()
def test_second():
    remembered()
def test_third():
    remembered_of(("even",))
def test_fourth():
    remembered_of(("even",))
def test_library():
    assert functools.lru_cache(8)(len)("ab") == 2 and functools.lru_cache(maxsize=None)(functools.cmp_to_key)(len)
def test_nothing():
    pass
"""


def test_lines_that_a_test_runs_are_known(tmp_path):
    """Also where a signal ends the process, where tests share what a fixture ran, and where one remembers what another ran."""
    mutants = REPOSITORY / "tests" / "mutants"
    for name, text in (("odd.c", SOURCE), ("program.c", PROGRAM), ("test_it.py", TESTS)):
        (tmp_path / name).write_text(text)
    for command in (["-c", mutants / "ran.c", "-fPIC", "-o", "ran.o"],
                    ["-g", "-fsanitize-coverage=trace-pc", "-shared", "-fPIC", tmp_path / "odd.c", "ran.o", "-o", "libodd.so"],
                    ["program.c", "./libodd.so", "-o", "program"]):
        subprocess.run(["gcc", *command], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "mutants.ran", "test_it.py"], cwd=tmp_path, check=True,
                   env=dict(os.environ, PERFLIB_RAN=str(tmp_path / "marks"), PYTHONPATH=str(mutants.parent)), stdout=subprocess.DEVNULL)
    blocks = SimpleNamespace(**runpy.run_path(str(mutants / "blocks.py")))
    lines = blocks.lines_of(tmp_path / "libodd.so", tmp_path, tmp_path)["odd.c"]
    ran = {}
    for said in map(json.loads, (tmp_path / "marks").read_text().splitlines()):
        places = {int(place.removeprefix("libodd.so ")) for place in said["ran"]}
        ran[said["test"].partition("::")[2]] = {line for line in (4, 5, 6, 8) if blocks.at_line(lines, line) & places}
        assert 0 <= said["seconds"] < 60
    assert ran == {"test_both": {4, 5, 6, 8}, "test_shared": {4, 5, 6}, "test_first": {4, 5, 8}, "test_second": {4, 5, 8},
                   "test_third": {4, 5, 6}, "test_fourth": {4, 5, 6}, "test_library": set(), "test_nothing": set()}


def test_a_unit_is_linked_with_the_mutant(mutants, tmp_path):
    """Units take the plugin's objects from an archive: those that hold a file are known, and get the mutant in its place."""
    built = mutants.names["Built"](Path(os.environ["PERFLIB_PLUGINS"]).parent)
    units = {path.name: path for path in built.programs if path.parent.name == "unit"}
    assert built.holds(units["test_digits"], "cook/digits.c") and not built.holds(units["test_digits"], "pla/tree.c")
    source = (REPOSITORY / "plugin" / "cook" / "digits.c").read_text(encoding="utf-8")
    for change, fails in (("", False), ("\n__attribute__((constructor)) static void seeded(void) { __builtin_trap(); }\n", True)):
        text, mutant = tmp_path / "digits.c", tmp_path / f"mutant-{fails}.o"
        text.write_text(source + change)
        assert built.compiled("cook/digits.c", text, mutant)
        built.linked(units["test_digits"], "cook/digits.c", mutant, tmp_path / f"unit-{fails}")
        assert mutants.tests.unit_fails([str(tmp_path / f"unit-{fails}")]) == fails


def test_tests_find_beside_a_mutant_what_they_look_for(mutants, tmp_path):
    """Where the plugin that fakes polls is missing, all its tests fail, whatever the mutant is."""
    build = Path(os.environ["PERFLIB_PLUGINS"]).parent
    built = mutants.names["Built"](build)
    plugins = built.placed(tmp_path / "copy")
    assert (plugins.relative_to(tmp_path / "copy"), len(built.libraries)) == (built.plugins().relative_to(build), 2)
    for library in built.libraries:
        assert (tmp_path / "copy" / library.relative_to(build)).is_file()
    assert (tmp_path / "copy" / "tools").is_symlink()
