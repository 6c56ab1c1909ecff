# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests with tshark share: the plugin, the captures and their records."""

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from lib.captures import REPOSITORY
from lib.tshark import Tshark


def pytest_configure(config):
    """Temporary files of this run in a folder of their own: pytest closes the usual one to others whenever another begins."""
    if not config.option.basetemp:
        config.option.basetemp = Path(tempfile.mkdtemp(prefix="perflib-tests-")) / "files"


def pytest_sessionfinish(session, exitstatus):
    """What failed is left to be looked at."""
    parent = Path(session.config.option.basetemp).parent
    if parent.name.startswith("perflib-tests-") and exitstatus == 0:
        shutil.rmtree(parent, ignore_errors=True)


# Hundreds of thousands of items with nothing in them that refers to itself: to look for that takes a tenth of the time.
gc.set_threshold(100_000, 50, 100)


def plugin_folder(variable):
    folder = os.environ.get(variable) or REPOSITORY / "build" / "plugins"
    if not list(Path(folder).glob("*/epan/perflib.so")):
        pytest.fail(f"no plugin in {folder}: run tests/run, or set {variable}")
    return Path(folder)


@pytest.fixture(scope="session")
def home():
    """An empty home folder: the user's own Wireshark settings must not matter."""
    folder = Path(tempfile.mkdtemp(prefix="perflib-home-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def tshark(home):
    """tshark with the plugin just built. See lib/tshark.py."""
    return Tshark(plugin_folder("PERFLIB_PLUGINS"), home)


@pytest.fixture(scope="session")
def bare_tshark(home, tmp_path_factory):
    """tshark without the plugin, to compare with."""
    return Tshark(tmp_path_factory.mktemp("no-plugins"), home)


@pytest.fixture(scope="session")
def sanitized_tshark(home):
    """tshark with the plugin built with AddressSanitizer and UBSan (with gcov, where coverage is asked for)."""
    folder = plugin_folder("PERFLIB_SANITIZED")
    return Tshark(folder, home, sanitized=folder != plugin_folder("PERFLIB_PLUGINS"))


@pytest.fixture
def folder(tmp_path):
    """An empty folder where tshark may write."""
    folder = tmp_path / "out"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


# Why a test may be skipped. Whatever else is missing has to be installed (tests/run), or the test is none of this capture.
EXPECTED_SKIPS = {
    "python3-pandas is not installed",              # It is large, and one example needs it
    "Prometheus could not be fetched",              # Without a network; tests/run says so, and ends in CI
    "no mount name space can be made here",         # Containers mostly
    "Wireshark itself does not bear this limit",    # 4.4, 4.6; see Tshark.bears()
    "no network name space can be made here",       # As above
    "no KDC of MIT's to give tickets",              # As the next
    "no smbd of Samba's to be asked",               # Who runs the tests need not have a server; and it wants root
    "clang-format is not of version 14",            # Debian 13 and newer; others break some lines elsewhere
}


def note_left_out(line):
    """For tests/run, which prints it at the end."""
    if os.environ.get("PERFLIB_LEFT_OUT"):
        with open(os.environ["PERFLIB_LEFT_OUT"], "a", encoding="utf-8") as file:
            file.write(line + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A skip that nobody expects is a failure: what was not looked at is not well."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if reason in EXPECTED_SKIPS:
            note_left_out(f"{item.nodeid}: {reason}")
        else:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped, which nobody expects: {reason}"
