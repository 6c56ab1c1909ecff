# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields are written as Wireshark's checkers read them, and tests/in-tree puts its faults into all files that have any."""

import re
import subprocess

import pytest

from lib import seeded_faults
from lib.captures import REPOSITORY

TEXTS = seeded_faults.sources(REPOSITORY / "plugin")


def test_every_field_is_in_a_plain_array():
    """A macro in place of a field's members hides it from checkers."""
    assert len(TEXTS) > 10 and seeded_faults.not_plain(TEXTS) == []
    others = [path.name for path in (REPOSITORY / "plugin").rglob("*.c")
              if "hf_register_info" in path.read_text(encoding="utf-8") and str(path.relative_to(REPOSITORY / "plugin")) not in TEXTS]
    assert others == []


@pytest.mark.parametrize("old, new", [
    ("static int hf_control_last = -1;\n", "#define FIELDS(X) X(hf_control_last)\n#define VARIABLE(name) static int name = -1;\nFIELDS(VARIABLE)\n"),
    ('{ "First", "control.first", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL }', "FIELD(first)"),
    ('{ "control.last.wrong", PI_PROTOCOL, PI_WARN, "Wrong", EXPFILL }', "EXPERT(last)"),
    ("ei_register_info ei[] = {\n", "ei_register_info ei[NUM_FAULTS];\n    static ei_register_info more[] = {\n"),
])
def test_a_field_or_expert_item_made_by_a_macro_or_in_a_loop_is_not_plain(old, new):
    assert seeded_faults.not_plain({"a.c": seeded_faults.PLAIN}) == [] and old in seeded_faults.PLAIN
    assert seeded_faults.not_plain({"a.c": seeded_faults.PLAIN.replace(old, new)}) == ["a.c"]


@pytest.mark.parametrize("kind", seeded_faults.KINDS)
def test_a_fault_is_put_into_each_file(kind):
    seeded = seeded_faults.copies(kind, TEXTS)
    assert len(seeded) == len(TEXTS) or "expert" in kind and len(seeded) > 5
    for name, each in seeded.items():
        assert each.text != TEXTS[name] and each.sign and each.protocol.startswith("p"), name


def test_each_protocol_is_registered_in_what_is_checked(tmp_path):
    """checkfiltername.pl says nothing about the fields of files that register no protocol."""
    files = seeded_faults.per_protocol(seeded_faults.copies(None, TEXTS), tmp_path / "files", seeded_faults.registering(REPOSITORY / "plugin"))
    assert [file.stem for file in files] == ["packet-perfdata", "packet-perflib_session", "packet-perflibv2", "packet-pla"]
    assert [file.stem for file in files if "proto_register_protocol(" not in file.read_text(encoding="utf-8")] == []


def test_a_checker_that_sees_nothing_is_found_out(tmp_path):
    """A tree whose checkers are silent, as they were about fields that macros made."""
    (tmp_path / "tree" / "tools").mkdir(parents=True)
    for name in (seeded_faults.HF, seeded_faults.FILTER, seeded_faults.TYPED):
        (tmp_path / "tree" / "tools" / name).touch()
    result = subprocess.run(["/usr/bin/python3", REPOSITORY / "tests" / "lib" / "seeded_faults.py", tmp_path / "tree", REPOSITORY / "plugin", tmp_path / "copies"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "the tree's checkers do not know an unused field" in result.stderr
