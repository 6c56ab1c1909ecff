# SPDX-License-Identifier: GPL-2.0-or-later
"""What --export-objects writes, captures/buffer makes a capture of again: with the same values, names and rules."""

import shutil
from collections import Counter, defaultdict

import pytest

from lib.buffers import made, rules_of, tables_of
from lib.captures import all_captures, options_for
from perfcap import buffers

CAPTURES = [capture for capture in all_captures() if not capture.stem.startswith("pla-")]
# Refused, of other interfaces, or without a key.
NO_BUFFERS = {"faults-refused", "foreign", "perfdata-samba-smb3-ntlm", "refused-in-clear", "sessions-smb", "sessions-tcp"}
# Kinds that have the structure of another, which is the one that is found.
FOUND_AS = {"listed": "identifiers", "added": "identifiers", "removed": "identifiers", "help": "name", "provider": "name", "english-name": "name",
            "help-strings": "strings", "english-strings": "strings", "provider-guid": "countersets"}
# Damaged on purpose, cut by the server, GUIDs in the other byte order, or without padding.
NOT_FOUND = {"rules": 21, "big-endian": 3, "perfdata-samba": 3, "perfdata-samba-sealed": 3, "perfdata-samba-smb3": 2, "sizes-without-padding": 2}
# Cells of a sample that are not about its frame, addresses and handle.
KEPT = ("time", "server", "counterset", "counterset_guid", "counter", "counter_id", "instance", "instance_id", "type", "raw", "base", "cooked", "unit",
        "reason", "text", "interval", "known_by")
# What buffers alone do not tell: that a request between them was lost, and that nothing was added to a query.
UNTOLD = {"lost-request": {"known_by"}, "rules": {"reason"}}
# One of the two structures that do not fit is szMachine, which is in no buffer.
IN_STUBS = {("rules", "structure_fits"): 1}


def exported(tshark, capture, folder, *options):
    """The buffers of a capture by server, an address and port."""
    folder.mkdir()
    folder.chmod(0o777)
    tshark.run(capture, "-2", "-q", *options, *(word for api in ("perflibv2", "perfdata") for word in ("--export-objects", f"{api},{folder}/{api}")))
    servers, refused = {}, set()
    for frame, source, target, source_port, target_port, kind, request in tshark.fields(
            capture, "frame.number", "ip.src", "ip.dst", "tcp.srcport", "tcp.dstport", "dcerpc.pkt_type", "perflibv2.fault.request_in",
            display_filter="perflibv2 || perfdata", options=["-2", *options]):
        servers[int(frame[0])] = (target[0], target_port[0]) if "0" in kind else (source[0], source_port[0])
        refused |= set(map(int, request))
    groups = defaultdict(list)
    for path in sorted(folder.glob("*/*")):
        frame = int(path.name.split("-")[0])
        # A request that was refused by a fault changed nothing, and there is no buffer that says so.
        if frame not in refused:
            groups[servers[frame]].append(path)
    return groups, servers


def kind_in_name(path):
    """The kind that the name of an exported file contains."""
    what = path.name.split("-")
    if path.suffix != ".lpdata":
        return "titles" if path.suffix == ".names" else "block"
    if what[1] == "QueryCounterSetRegistrationInfo":
        return next(kind.name for kind in buffers.KINDS.values() if kind.code == int(what[what.index("code") + 1]))
    return {"EnumerateCounterSet": "countersets", "EnumerateCounterSetInstances": "instances", "QueryCounterData": "data"}.get(what[1], "identifiers")


def count_found(paths):
    """How many buffers only the structure fits that they are of; the others must fit none."""
    found = 0
    for path in paths:
        kinds = [kind.name for kind in buffers.fitting(path.read_bytes())]
        expected = kind_in_name(path)
        assert kinds in ([], [FOUND_AS.get(expected, expected)]), path
        found += bool(kinds)
    return found


@pytest.mark.parametrize("capture", [pytest.param(capture, id=capture.stem) for capture in CAPTURES])
def test_exported_buffers_give_the_same_values_again(tshark, tmp_path, capture):
    """Values, names and broken rules about structures are those of the capture that the buffers are from."""
    options = options_for(capture)
    copy = shutil.copy(capture, tmp_path / "before.pcapng")
    tmp_path.chmod(0o777)
    before, tables = tables_of(tshark, copy, *options)
    groups, servers = exported(tshark, capture, tmp_path / "buffers", *options)
    assert bool(groups) == (capture.stem not in NO_BUFFERS)
    if not groups:
        assert not before
        return
    whole = [path for paths in groups.values() for path in paths if path.suffix != ".failed"]
    # One request of some sessions has 39 bytes, of no identifier.
    assert len(whole) - count_found(whole) <= NOT_FOUND.get(capture.stem, 1)
    names = {servers[row["frame"]]: row["server"] for row in before if row["server"]}
    arguments = []
    for server, paths in groups.items():
        arguments += ["--machine", names.get(server, f"PC-{len(arguments)}"), *paths]
    made(*arguments, "-o", tmp_path / "made.pcapng")
    after, tables_after = tables_of(tshark, tmp_path / "made.pcapng")
    assert not before or {"time", "server", "counter", "raw", "known_by"} <= set().union(*before)
    kept = [key for key in KEPT if key not in UNTOLD.get(capture.stem, ())]
    assert Counter(tuple(row.get(key) for key in kept) for row in before) == Counter(tuple(row.get(key) for key in kept) for row in after)
    rules = rules_of(tables_after)
    for rule in (rule for rule in tables["perflibv2-rules"] if rule["section"].startswith("2.2.4")):
        assert rules[rule["rule"]]["broken"] == rule["broken"] - IN_STUBS.get((capture.stem, rule["rule"]), 0), rule
        assert rules[rule["rule"]]["checked"] or not rule["checked"], rule
