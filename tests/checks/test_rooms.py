# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may know whom: the include lines of plugin/, room by room."""

import re

import pytest

from lib.captures import REPOSITORY

PLUGIN = REPOSITORY / "plugin"
SOURCES = sorted([*PLUGIN.rglob("*.c"), *PLUGIN.rglob("*.h")])
NAMES = [str(path.relative_to(PLUGIN)) for path in SOURCES]

# What each room may include beside itself: rooms, or files of them.
ROOMS = {
    "base": set(),
    "cook": set(),
    "counters": {"base", "cook"},
    "perflibv2": {"base", "cook", "counters", "session/session-pdu.h"},
    "perfdata": {"base", "cook", "counters", "session/session-pdu.h"},
    "pla": {"base", "counters/path.h", "session/session-pdu.h"},
    "session": {"base"},
    "stats": {"base", "cook", "counters/record.h", "perflibv2/record.h", "perfdata/record.h", "pla/record.h",
              "session/attempts.h", "session/outcomes.h", "session/record.h", "session/session-pdu.h",
              "session/tracker.h"},
    "report": {"base", "counters/record.h", "stats"},
}
# A protocol's judges are a part of it that its walkers don't know.
WALKERS = ["perflibv2/lpdata", "perfdata/blocks"]
NOT_IN_WALKERS = re.compile(r"perflibv2/rules/|perflibv2/pdu\.h|perfdata/answer\.h|epan/(proto|expert)\.h|packet-dcerpc\.h")


def includes(path):
    """((line number, file included, whether it is one of ours), ...)"""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match[2], match[1] == '"'


def room_of(name):
    return name.split("/")[0] if "/" in name else ""


def may_include(room, name):
    allowed = ROOMS[room]
    return room_of(name) in allowed | {room} or name in allowed


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_rooms_include_what_they_may_alone(path):
    room = room_of(str(path.relative_to(PLUGIN)))
    wrong = []
    for number, name, ours in includes(path):
        if not ours:
            if room == "cook" and re.match(r"epan|wsutil|wiretap|ws_", name):
                wrong.append(f"{number}: {name}: cook/ knows no Wireshark")
        elif not (PLUGIN / name).is_file():
            wrong.append(f"{number}: {name} is not written relative to plugin/")
        elif room and room_of(name) and not may_include(room, name):
            wrong.append(f"{number}: {room}/ may not include {name}")
        elif room and not room_of(name) and (name != "compat.h" or room == "cook") and name != "plugin.h":
            wrong.append(f"{number}: {room}/ may not include {name}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_is_a_room():
    folders = {path.name for path in PLUGIN.iterdir() if path.is_dir()} - {"manual", "packaging"}
    assert folders <= set(ROOMS), "a room without rules"


@pytest.mark.parametrize("walker", WALKERS)
def test_walkers_know_neither_rules_nor_a_tree(walker):
    """From bytes to structures: they report, and know neither rules nor a tree."""
    for suffix in ".c", ".h":
        path = PLUGIN / (walker + suffix)
        wrong = [f"{path.name}:{number}: {name}" for number, name, _ in includes(path) if NOT_IN_WALKERS.search(name)]
        assert not wrong, "\n".join(wrong)


def test_dcerpc_is_included_by_those_who_need_it():
    """Never through compat.h; where its names are used, some header of the same room or base/ brings it."""
    assert "packet-dcerpc.h" not in (PLUGIN / "compat.h").read_text(encoding="utf-8")
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if any("packet-dcerpc.h" in name for _, name, _ in includes(path)):
            assert re.search(r"\bdcerpc_|\bDCERPC_|\bDCE_C_|\bDREP_|PERFLIB_DCERPC_CONST|packet-dcom", text), f"{path}: not needed"
