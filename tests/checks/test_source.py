# SPDX-License-Identifier: GPL-2.0-or-later
"""The source as text, and the plugin's symbols."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lib.captures import REPOSITORY

# Everything a person wrote: no captures, no records, no build.
TEXT_SUFFIXES = {".c", ".h", ".md", ".txt", ".py", ".cmake", ".sh", ""}
SKIPPED_FOLDERS = {".git", "build", "__pycache__"}
SKIPPED_FILES = {"LICENSE"}


def written_files():
    for folder, folders, files in os.walk(REPOSITORY):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(files):
            path = Path(folder, name)
            if path.suffix in TEXT_SUFFIXES and name not in SKIPPED_FILES:
                yield path


FILES = list(written_files())
CODE = [path for path in FILES if path.suffix in {".c", ".h", ".py", ".cmake"} or path.name == "CMakeLists.txt"]
C_CODE = [path for path in CODE if path.suffix in {".c", ".h"} and path.is_relative_to(REPOSITORY / "plugin")]


def places(paths, found):
    """Where a text has what it must not have, one for each place; found() lists what."""
    return "\n".join(f"{path.relative_to(REPOSITORY)}: {what}" for path in paths for what in found(path.read_text(encoding="utf-8")))


def test_whitespace_is_plain_and_ends_no_line():
    def found(text):
        return [what for what, wrong in (
            ("tab", "\t" in text),
            ("carriage return", "\r" in text),
            ("blank at the end of a line", re.search(r"[ ]+$", text, re.MULTILINE)),
            ("end of file", text and (not text.endswith("\n") or text.endswith("\n\n"))),
        ) if wrong]

    assert len(FILES) > 300 and not places(FILES, found)


def test_lines_have_120_characters_at_most():
    assert len(C_CODE) > 100 and not places(C_CODE, lambda text: [
        f"line {number}" for number, line in enumerate(text.splitlines(), 1) if len(line) > 120])


# Files that people read and change: not the table of the specification's methods, calls and dumps of cases, or pages.
READ_WHOLE = [path for path in FILES if path.suffix in {".c", ".h", ".py", ".sh"}
              or (not path.suffix and path.is_relative_to(REPOSITORY / "tests") and path.read_bytes()[:2] == b"#!")]


def test_no_file_is_too_long_to_be_read():
    for room in ("plugin", "tests"):
        own = [path for path in READ_WHOLE if path.is_relative_to(REPOSITORY / room)]
        assert len(own) > 100 and not places(own, lambda text: [f"{len(lines)} lines, 900 at most" for lines in [text.splitlines()] if len(lines) > 900])


def test_every_file_names_its_licence():
    assert len(CODE) > 300 and not places(CODE, lambda text: ["no licence"] * (text != "" and "SPDX-License-Identifier: GPL-2.0-or-later" not in text))


def test_format_is_that_of_clang_format():
    """.clang-format is written for the version of Debian 12: others break some lines elsewhere."""
    if not shutil.which("clang-format"):
        pytest.fail("no clang-format here: tests/run installs it")
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    if " 14." not in version:
        pytest.skip("clang-format is not of version 14")
    sources = [path for path in CODE if path.suffix in {".c", ".h"}]
    assert len(sources) > 100
    result = subprocess.run(["clang-format", "--dry-run", "--Werror", *sources], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:4000]


def test_spelling_is_that_of_codespell():
    # Words of the specification and of other languages in test data.
    if not shutil.which("codespell"):
        pytest.fail("no codespell here: tests/run installs it")
    ignored = "gaus,nd,ba,fo,te,ro,parms,ot,trignometric,comversion,lsat"
    result = subprocess.run(
        ["codespell", "-L", ignored, *map(str, FILES)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_top_level_has_what_matters_alone():
    """A stranger sees what matters: the rest is in plugin/ and tests/."""
    tracked = subprocess.run(
        ["git", "-c", f"safe.directory={REPOSITORY}", "-C", REPOSITORY, "ls-files"], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    top = {name.split("/")[0] for name in tracked} or {path.name for path in REPOSITORY.iterdir()} - SKIPPED_FOLDERS
    assert {name for name in top if not name.startswith(".")} == {
        "CMakeLists.txt", "LICENSE", "README.md", "captures", "plugin", "tests"
    }


def test_exported_symbols_are_wiresharks_entry_points():
    """Wireshark's entry points and nothing else: a plugin shares one name space with all others."""
    (plugin,) = Path(os.environ["PERFLIB_PLUGINS"]).glob("*/epan/perflib.so")
    result = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", plugin], capture_output=True, text=True, check=True
    )
    exported = {line.split()[0] for line in result.stdout.splitlines()}
    assert exported == {
        "plugin_describe",
        "plugin_register",
        "plugin_version",
        "plugin_want_major",
        "plugin_want_minor",
    }


def test_no_call_that_wireshark_forbids():
    """What README.dissector and Wireshark's checkAPIs forbid in a dissector."""
    forbidden = re.compile(
        r"\b(assert|g_assert\w*|abort|exit|printf|g_print|sprintf|strcpy|strcat|strtok|gets|malloc|calloc|realloc"
        r"|atoi|atol|system|alloca|rand|gethostbyname|proto_tree_add_text_internal)\s*\("
    )
    found = []
    for path in FILES:
        if path.suffix in {".c", ".h"} and path.is_relative_to(REPOSITORY / "plugin"):
            code = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), path.read_text(), flags=re.DOTALL)
            for number, line in enumerate(code.splitlines(), 1):
                if forbidden.search(line):
                    found.append(f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_items_that_checkapis_refuses():
    """Wireshark's checkAPIs wants no proto_tree_add_uint() and its like with tvb_get_*() among the arguments."""
    found = []
    for path in C_CODE:
        for call in re.findall(r"\bproto_tree_add_u?int(?:64)?\([^;]*;", path.read_text(encoding="utf-8")):
            if "tvb_get_" in call:
                found.append(f"{path.relative_to(REPOSITORY)}: {call}")
    assert not found, "\n".join(found)


# What no API of Wireshark's promises, behind functions of two files: the next Wireshark that changes it breaks no other.
INSIDES = re.compile(r"->rep\b|->visible\b|ref_type|same_name_|dcerpc_uuids|->layers|data_src|proto_layers|in_error_pkt|PITEM_FINFO|PNODE_|PTREE_")


def test_insides_of_wireshark_are_reached_from_two_files():
    found = [f"{path.relative_to(REPOSITORY)}: {match[0]}" for path in C_CODE for match in INSIDES.finditer(path.read_text(encoding="utf-8"))]
    holders = {"plugin/compat.c", "plugin/base/rpc-hook.c"}
    assert {line.split(":")[0] for line in found} >= holders, "the check sees nothing"
    assert [line for line in found if line.split(":")[0] not in holders] == []


# Where the plugin changes what Wireshark keeps for itself: its tables, its heuristics, its columns' text, data of its dissectors.
FROM_OUTSIDE = re.compile(r"->rep = |col_clear_fence|->fids, |find_heur_dissector_by_unique_short_name|"
                          r"dissector_change_uint|dcerpc_uuids|p_(?:set|remove)_proto_data\([^;]*proto_ntlmssp")


def test_what_is_changed_from_outside_says_what_would_break_it():
    files = [path for path in C_CODE if FROM_OUTSIDE.search(path.read_text(encoding="utf-8"))]
    assert len(files) >= 8, "the check sees nothing"
    for path in files:
        header = path.with_suffix(".h")
        text = "".join(file.read_text(encoding="utf-8") for file in (path, header) if file.exists()).replace("\n * ", " ")
        assert "What would break this" in text and re.search(r"ried: Wireshark 4\.0\.\d+, 4\.4\.\d+, 4\.6\.\d+", text), path


PLUGIN = REPOSITORY / "plugin"
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]', re.MULTILINE)


def included(path):
    return [(what == "<", name) for what, name in INCLUDE.findall(path.read_text(encoding="utf-8"))]


def own_included(path):
    return [PLUGIN / name for is_system, name in included(path) if not is_system and (PLUGIN / name).exists()]


def reached(path):
    """The files of the plugin that a file includes, itself among them."""
    found, left = set(), [path]
    while left:
        if (file := left.pop()) not in found:
            found.add(file)
            left += own_included(file)
    return found


def first_reached(path):
    """The plugin's header that a file includes before all others, or that its first header does."""
    while path.name != "compat.h" and (names := included(path)) and not names[0][0]:
        path = PLUGIN / names[0][1]
    return path


def test_compat_comes_first():
    """Whoever includes a header of Wireshark's includes compat.h before it, which knows how versions differ."""
    users = [path for path in C_CODE if path.relative_to(PLUGIN).parts[0] != "cook" and any(
        is_system and name.startswith(("epan/", "wiretap/", "wsutil/", "ui/")) for file in reached(path) for is_system, name in included(file))]
    assert len(users) > 100
    assert [str(path.relative_to(PLUGIN)) for path in users if first_reached(path).name != "compat.h"] == []


DEFINITION = re.compile(r"^(\w+)\((?:[^;{}]|\n)*?\)\n\{", re.MULTILINE)
SECTION_OR_DECLARATION = re.compile(r"^/\* -{4} (\S+\.c) -{4} \*/$|^(?!static|typedef|return|else)\w[\w\s*]*?\b(\w+)\([^;{}]*\)[^;{}()]*(?:\([^;{}]*\))?;", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def defined_functions():
    """Function that other files may call -> the file that defines it."""
    found = {}
    for path in C_CODE:
        text = path.read_text(encoding="utf-8")
        for match in DEFINITION.finditer(text) if path.suffix == ".c" else ():
            if not text[:match.start()].rstrip("\n").rpartition("\n")[2].startswith("static"):
                found[match[1]] = path
    return found


def declared(header):
    """The functions that a header declares, each with the file that holds it by the section's title, or by the header's name."""
    text = COMMENT.sub(lambda match: match[0] if match[0].startswith("/* ----") else "\n" * match[0].count("\n"), header.read_text(encoding="utf-8"))
    holder = header.with_suffix(".c")
    for match in SECTION_OR_DECLARATION.finditer(text):
        if match[1]:
            holder = header.parent / match[1] if "/" not in match[1] or (header.parent / match[1]).exists() else PLUGIN / match[1]
        else:
            yield match[2], holder


def test_headers_say_where_functions_are():
    """A function is in the .c file of the header's name, or in the one that the title of its section names: "---- polls.c ----"."""
    defined = defined_functions()
    found = [(header, name, holder) for header in C_CODE if header.suffix == ".h" for name, holder in declared(header) if name in defined]
    assert len(found) > 500
    assert [f"{header.relative_to(PLUGIN)}: {name}() is in {defined[name].relative_to(PLUGIN)}" for header, name, holder in found if defined[name] != holder] == []
