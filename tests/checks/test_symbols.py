# SPDX-License-Identifier: GPL-2.0-or-later
"""Which functions the plugin's files and the unit tests define."""

import re
import subprocess
from collections import Counter
from pathlib import Path

from conftest import plugin_folder
from lib.captures import REPOSITORY

# What Wireshark looks up.
ENTRANCES = {"plugin_version", "plugin_want_major", "plugin_want_minor", "plugin_register", "plugin_describe"}


def symbols(folder, files):
    """({name: object that defines it}, names that an object takes from others). Objects below a folder of the build."""
    objects = plugin_folder("PERFLIB_PLUGINS").parent / folder
    output = subprocess.run(["nm", "-A", "-P", "-g", *(objects / file for file in files)], capture_output=True, text=True, check=True).stdout
    defined, taken = {}, set()
    for line in output.splitlines():
        # perflib.dir/base/ndr.c.o: ndr_align T 0 1c
        path, name, kind = re.match(r"(.*): (\S+) (\S)", line).groups()
        if kind == "U":
            taken.add(name)
        else:
            defined[name] = Path(path).relative_to(objects)
    return defined, taken


def plugin_symbols():
    sources = (REPOSITORY / "plugin").rglob("*.c")
    return symbols("plugin/CMakeFiles/perflib.dir", [source.relative_to(REPOSITORY / "plugin").with_suffix(".c.o") for source in sources])


def test_what_only_its_own_file_calls_is_static():
    """Wireshark's check_static.py asks the same of dissectors, but finds no files in folders. Unit tests may ask, too."""
    offered, asked = plugin_symbols()
    assert len(offered) > 100
    tested = set()
    for test in REPOSITORY.glob("tests/**/*.[ch]"):
        tested.update(re.findall(r"\w+", test.read_text(encoding="utf-8")))
    alone = {name: str(path) for name, path in offered.items() if name not in asked | tested | ENTRANCES}
    assert not alone


def test_no_unit_replaces_a_function_of_the_plugin():
    """A unit that does tests how files call each other, and breaks with every change of that: a session is to show the behaviour."""
    offered, _ = plugin_symbols()
    units = [path.stem for path in (REPOSITORY / "tests" / "unit").glob("test_*.c")]
    defined, taken = symbols("tests/unit", [f"CMakeFiles/{unit}.dir/{unit}.c.o" for unit in units])
    # Units call functions of the plugin, and replace some of Wireshark's: else this sees nothing.
    assert len(units) > 20 and len(taken & offered.keys()) > 100 and "wmem_file_scope" in defined
    assert sorted(defined.keys() & offered.keys()) == []


def test_names_are_defined_once():
    """So that a search and a debugger's backtrace tell the file."""
    functions, tags = Counter(), Counter()
    for path in sorted((REPOSITORY / "plugin").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        functions.update(set(re.findall(r"^([a-z_]\w*)\(", text, re.MULTILINE)) if path.suffix == ".c" else ())
        tags.update(re.findall(r"^struct (\w+) {", text, re.MULTILINE))
    assert len(functions) > 1000 and len(tags) > 100
    assert [name for counted in (functions, tags) for name, count in counted.items() if count > 1] == []
