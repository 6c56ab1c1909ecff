# SPDX-License-Identifier: GPL-2.0-or-later
"""A run of the tests leaves nothing outside its build folder: temporary files and what programs keep at home go there."""

import json
import os
import re
import subprocess
from pathlib import Path

from lib.captures import REPOSITORY
from lib.some import some

BUILD = Path(os.environ.get("PERFLIB_PLUGINS") or REPOSITORY / "build" / "plugins").parent
# Where programs leave files.
FOLDERS = ["TMPDIR", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]


def environments():
    """{test: its environment} of those that are not in C."""
    shown = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    tests = [test for test in json.loads(shown)["tests"] if not test["name"].startswith("unit-")]
    return {test["name"]: dict(entry.split("=", 1) for one in test.get("properties", []) if one["name"] == "ENVIRONMENT"
                               for entry in one["value"]) for test in tests}


def test_every_test_writes_in_the_build_folder():
    # Building keeps what the compiler's cache has at home.
    wanted = [(name, variable, environment.get(variable, "/")) for name, environment in some(environments().items(), 50)
              for variable in FOLDERS if variable == "TMPDIR" or name not in ("build-sanitized", "hardening-fuzz")]
    assert [place for place in wanted if BUILD not in Path(place[2]).parents] == []


def test_no_test_names_a_folder_of_its_own():
    """tempfile and mktemp ask TMPDIR; a path that is written down does not."""
    files = [path for path in sorted((REPOSITORY / "tests").rglob("*.py")) if path != Path(__file__)]
    named = re.compile(r"""["'](/tmp|/var/tmp|~)[/"']|expanduser""")
    assert [f"{path.name}: {line}" for path in some(files, 100) for line in path.read_text(encoding="utf-8").splitlines()
            if named.search(line)] == []
