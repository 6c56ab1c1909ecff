# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin's files offer each other: a function that nobody else calls is static."""

import re
import subprocess
from collections import Counter
from pathlib import Path

from conftest import plugin_folder
from lib.captures import REPOSITORY

# What Wireshark looks up.
ENTRANCES = {"plugin_version", "plugin_want_major", "plugin_want_minor", "plugin_register", "plugin_describe"}


def symbols():
    """Of the plugin just built: {name: object that has it}, and the names that an object asks of the others."""
    objects = plugin_folder("PERFLIB_PLUGINS").parent / "plugin" / "CMakeFiles" / "perflib.dir"
    files = [objects / source.relative_to(REPOSITORY / "plugin").with_suffix(".c.o")
             for source in REPOSITORY.glob("plugin/**/*.c")]
    output = subprocess.run(["nm", "-A", "-P", "-g", *files], capture_output=True, text=True, check=True).stdout
    offered, asked = {}, set()
    for line in output.splitlines():
        # perflib.dir/base/ndr.c.o: ndr_align T 0 1c
        path, name, kind = re.match(r"(.*): (\S+) (\S)", line).groups()
        if kind == "U":
            asked.add(name)
        else:
            offered[name] = Path(path).relative_to(objects)
    return offered, asked


def test_what_only_its_own_file_calls_is_static():
    """Wireshark's check_static.py asks the same of dissectors, but finds no files in folders. Unit tests may ask, too."""
    offered, asked = symbols()
    assert len(offered) > 100
    tested = set()
    for test in REPOSITORY.glob("tests/**/*.[ch]"):
        tested.update(re.findall(r"\w+", test.read_text(encoding="utf-8")))
    alone = {name: str(path) for name, path in offered.items() if name not in asked | tested | ENTRANCES}
    assert not alone


def test_names_are_defined_once():
    """So that a search and a debugger's backtrace tell the file."""
    functions, tags = Counter(), Counter()
    for path in sorted((REPOSITORY / "plugin").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        functions.update(set(re.findall(r"^([a-z_]\w*)\(", text, re.MULTILINE)) if path.suffix == ".c" else ())
        tags.update(re.findall(r"^struct (\w+) {", text, re.MULTILINE))
    assert len(functions) > 1000 and len(tags) > 100
    assert [name for counted in (functions, tags) for name, count in counted.items() if count > 1] == []
