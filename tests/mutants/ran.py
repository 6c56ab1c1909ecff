# SPDX-License-Identifier: GPL-2.0-or-later
"""A plugin for pytest: what each test runs of the libraries that ran.c is linked with, and how long it takes. For tests/mutants/run."""

import functools
import json
import os
import re
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

# Where ran.c makes its files, one a library.
MARKS = Path(os.environ["PERFLIB_RAN"])
# {fixture of several tests: what it ran}
FIXTURES = {}
# What a tshark ran before it forked: so did each test that it served later.
BEFORE_FORK = set()


def taken():
    """Takes the marks away: places that ran, as "LIBRARY ADDRESS"."""
    ran = set()
    for path in MARKS.parent.glob(f"{MARKS.name}.*"):
        library = path.name[len(MARKS.name) + 1:]
        with path.open("r+b") as file:
            data = file.read()
            end = len(data.rstrip(b"\0"))
            for match in re.finditer(rb"[^\0]", data[:end]):
                ran.add(f"{library} {match.start()}")
                if match.group()[0] & 1:
                    BEFORE_FORK.add(f"{library} {match.start()}")
            file.seek(0)
            file.write(bytes(end))
    return ran


class Test:
    """What the test, fixture or remembered function that is under way has run."""

    ran = set()


@contextmanager
def apart():
    """A set that is filled at the end: what runs meanwhile, apart from what the test runs itself."""
    ran, before, Test.ran = set(), Test.ran | taken(), set()
    try:
        yield ran
    finally:
        ran |= Test.ran | taken()
        Test.ran = before


def remembering(function=128, cache=functools.lru_cache, **options):
    """In place of lru_cache(): whoever gets what was remembered has run what made it. Python's own library remembers no tests."""
    if not callable(function):
        return functools.partial(remembering, **{"maxsize": function, **options})
    code = getattr(getattr(function, "func", function), "__code__", None)
    if code is None or code.co_filename.startswith(os.path.dirname(os.__file__)):
        return cache(**options)(function)

    @cache(**options)
    def made(*arguments, **more):
        with apart() as ran:
            return function(*arguments, **more), ran

    def remembered(*arguments, **more):
        result, ran = made(*arguments, **more)
        Test.ran |= ran
        return result

    return remembered


functools.lru_cache = remembering


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef):
    """What the fixture of one test runs is what its test runs."""
    if fixturedef.scope == "function":
        yield
        return
    with apart() as FIXTURES[fixturedef.argname]:
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    begun = time.monotonic()
    Test.ran = set()
    yield
    ran = Test.ran | taken() | BEFORE_FORK
    for name in item.fixturenames:
        ran |= FIXTURES.get(name, set())
    with MARKS.open("a", encoding="utf-8") as file:
        print(json.dumps({"test": item.nodeid, "seconds": time.monotonic() - begun, "ran": sorted(ran)}), file=file)
