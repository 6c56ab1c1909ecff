# SPDX-License-Identifier: GPL-2.0-or-later
"""A plugin for pytest: what each test runs of the libraries that ran.c is linked with, and how long it takes. For tests/mutants/run."""

import functools
import json
import os
import re
import time
from pathlib import Path

import pytest

# Where ran.c makes its files, one a library.
MARKS = Path(os.environ.get("PERFLIB_RAN", "none"))
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


def remembering_nothing(function=None, cache=functools.lru_cache, **options):
    """In place of lru_cache(): a test runs itself what it would have from another. Not for tests/lib, whose caches run no session."""
    if function is None:
        return functools.partial(remembering_nothing, **options)
    return cache(**options)(function) if getattr(function, "__module__", "").startswith("lib.") else function


functools.lru_cache = remembering_nothing


class Test:
    """What the test under way has run."""

    ran = set()


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef):
    """What the fixture of one test runs is what its test runs."""
    if fixturedef.scope == "function":
        yield
        return
    Test.ran |= taken()
    yield
    FIXTURES[fixturedef.argname] = taken()


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
